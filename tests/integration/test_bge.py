"""The real FlagEmbedding on a tiny model: loading, dense vectors, learned lexical weights."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine.errors import ConfigurationError
from engine.ports import SparseVector
from engine.providers.embedders.bge import BgeM3Embedder
from tests.tiny_bge_m3 import HIDDEN, tiny_bge_m3


@pytest.fixture
async def embedder(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BgeM3Embedder]:
    bge = BgeM3Embedder(str(tiny_bge_m3(tmp_path_factory)))
    await bge.load()
    yield bge
    await bge.aclose()


def common_weight(one: SparseVector, other: SparseVector) -> float:
    weights = dict(zip(one.indices, one.values, strict=True))
    return sum(weights.get(index, 0.0) * value for index, value in zip(other.indices, other.values, strict=True))


async def test_the_model_says_its_own_dimensions_and_name(embedder: BgeM3Embedder) -> None:
    assert embedder.dimensions == HIDDEN
    assert embedder.fingerprint.startswith("bge-m3:tiny-bge-m3/")


async def test_close_texts_have_close_vectors(embedder: BgeM3Embedder) -> None:
    asked = (await embedder.embed_questions(["Please, cancel the subscription!"]))[0]
    cosines = await embedder.embed_passages(["How do I cancel my subscription?", "What will the weather be?"]) @ asked
    assert cosines[0] > cosines[1]


async def test_lexical_weights_meet_in_common_words(embedder: BgeM3Embedder) -> None:
    asked, right, wrong = await embedder.embed_sparse(
        ["cancel my subscription", "To cancel a subscription, open the settings.", "какая завтра погода"]
    )
    for vector in (asked, right, wrong):
        assert list(vector.indices) == sorted(set(vector.indices))
        assert all(weight > 0 for weight in vector.values)
    assert common_weight(asked, right) > common_weight(asked, wrong)


async def test_lexical_weights_do_not_depend_on_the_batch(embedder: BgeM3Embedder) -> None:
    texts = ["Отменить подписку", "cancel", "What is the limit on a debit card? " * 20]
    together = await embedder.embed_sparse(texts)
    for text, vector in zip(texts, together, strict=True):
        (alone,) = await embedder.embed_sparse([text])
        assert alone.indices == vector.indices
        assert alone.values == pytest.approx(vector.values, abs=1e-5)
    assert await embedder.embed_sparse([]) == ()


async def test_a_folder_without_a_model_is_a_mistake_of_the_settings(embedder: BgeM3Embedder, tmp_path: Path) -> None:
    broken = BgeM3Embedder(str(tmp_path))
    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        await broken.load()
    await broken.aclose()


async def test_without_flagembedding_the_person_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "FlagEmbedding", None)
    missing = BgeM3Embedder()
    with pytest.raises(ConfigurationError, match="make setup-bge"):
        await missing.load()
    await missing.aclose()
