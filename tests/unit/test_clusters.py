"""Questions that ask the same are found together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.matching.clusters import clusters, purity


def rows(*vectors: tuple[float, float]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    made = np.array(vectors, dtype=np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)  # type: ignore[no-any-return]


def test_near_meanings_are_one_group_whatever_the_language() -> None:
    texts = ["Where is my parcel?", "Где моя посылка?", "How do I pay the rent?", "Where is the parcel?"]
    found = clusters(texts, rows((1, 0), (1, 0.1), (0, 1), (1, 0.05)))
    assert found == [[0, 1, 3], [2]]


def test_nothing_and_one_thing() -> None:
    assert clusters([], np.zeros((0, 0), dtype=np.float32)) == []
    assert clusters(["a question"], rows((1, 0))) == [[0]]


@given(st.lists(st.tuples(st.floats(-1, 1), st.just(1.0)), min_size=1, max_size=12))
def test_every_text_is_in_one_group(vectors: list[tuple[float, float]]) -> None:
    found = clusters([f"question {number}" for number in range(len(vectors))], rows(*vectors))
    assert sorted(place for group in found for place in group) == list(range(len(vectors)))


def test_purity_and_completeness() -> None:
    assert purity([1, 1, 2, 2], ["a", "a", "b", "b"]) == 1.0
    assert purity([1, 1, 1, 1], ["a", "a", "b", "b"]) == 0.5
    assert purity(["a", "a", "b", "b"], [1, 1, 1, 1]) == 1.0
