"""Questions that ask the same are found together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from engine.matching.clusters import EVERYDAY, clusters, purity

Vectors = npt.NDArray[np.float32]


def rows(*vectors: tuple[float, ...]) -> Vectors:
    made = np.array(vectors, dtype=np.float32)
    scaled: Vectors = made / np.linalg.norm(made, axis=1, keepdims=True)
    return scaled


def test_near_meanings_are_one_group_whatever_the_language() -> None:
    texts = ["Where is my parcel?", "Где моя посылка?", "How do I pay the rent?", "Where is the parcel?"]
    found = clusters(texts, rows((1, 0), (1, 0.1), (0, 1), (1, 0.05)), {})
    assert found == [[0, 1, 3], [2]]


def test_what_all_questions_of_a_language_share_makes_none_alike() -> None:
    texts = ["Where is my parcel?", "How do I pay the rent?", "Где моя посылка?", "Как платить за жильё?"]
    # The last two numbers are the language's.
    vectors = rows((0.3, 0, 1, 0), (0, 0.3, 1, 0), (0.3, 0, 0, 1), (0, 0.3, 0, 1))
    assert clusters(texts, vectors, {}) == [[0, 1], [2, 3]]
    middles = {"en": np.array((0, 0, 1, 0), dtype=np.float32), "ru": np.array((0, 0, 0, 1), dtype=np.float32)}
    assert clusters(texts, vectors, middles) == [[0, 2], [1, 3]]  # type: ignore[arg-type]


def test_a_question_asked_very_often_is_not_taken_for_the_ordinary() -> None:
    count = EVERYDAY
    texts = [f"Where is my parcel number {number}?" for number in range(count)] + ["How do I pay the rent?"]
    vectors = rows(*[(1.0, 0.001 * number, 1.0) for number in range(count)], (0.0, 1.0, 1.0))
    middles = {"en": np.array((0, 0, 0.7), dtype=np.float32)}
    found = clusters(texts, vectors, middles)  # type: ignore[arg-type]
    assert [len(group) for group in found] == [count, 1]


def test_the_same_words_are_one_group_whatever_their_vectors_and_politeness() -> None:
    texts = ["Where is my parcel?", "Hello! where is my parcel", "WHERE is my parcel ?"]
    assert clusters(texts, rows((1, 0), (0, 1), (-1, 0)), {}) == [[0, 1, 2]]


def test_nothing_and_one_thing() -> None:
    assert clusters([], np.zeros((0, 0), dtype=np.float32), {}) == []
    assert clusters(["a question"], rows((1, 0)), {}) == [[0]]


@given(st.lists(st.tuples(st.floats(-1, 1), st.just(1.0)), min_size=1, max_size=12))
def test_every_text_is_in_one_group(vectors: list[tuple[float, float]]) -> None:
    found = clusters([f"question {number}" for number in range(len(vectors))], rows(*vectors), {})
    assert sorted(place for group in found for place in group) == list(range(len(vectors)))


@given(st.lists(st.tuples(*[st.floats(-1, 1)] * 4, st.just(0.1)), min_size=2, max_size=14))
def test_linkage_is_average_linkage(vectors: list[tuple[float, ...]]) -> None:
    """Two groups in the end are less alike, on the mean, than the limit: the quick search misses no pair."""
    texts = [f"{number}" for number in range(len(vectors))]
    found, scaled = clusters(texts, rows(*vectors), {}, alike=0.6), rows(*vectors)
    means = [[float((scaled[one] @ scaled[other].T).mean()) for other in found] for one in found]
    assert all(mean < 0.601 for one, row in enumerate(means) for other, mean in enumerate(row) if one != other)


def test_purity_and_completeness() -> None:
    assert purity([1, 1, 2, 2], ["a", "a", "b", "b"]) == 1.0
    assert purity([1, 1, 1, 1], ["a", "a", "b", "b"]) == 0.5
    assert purity(["a", "a", "b", "b"], [1, 1, 1, 1]) == 1.0
