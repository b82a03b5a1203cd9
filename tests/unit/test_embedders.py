"""What stands around an embedder's model: the preparation of texts, the lanes of threads, the cache, the knots."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ports import Matrix
from engine.providers.calibrations import UNMEASURED, knots
from engine.providers.embedders.cached import CachedEmbedder
from engine.providers.embedders.preparation import (
    PASSAGE_CHARACTERS,
    QUESTION_CHARACTERS,
    prepare_passage,
    prepare_question,
    unit_rows,
)
from engine.providers.embedders.threads import ThreadedEncoder


def vector_of(text: str) -> list[float]:
    return [1.0, float(len(text)), float(sum(map(ord, text)) % 97)]


class SlowEncoder:
    """Embeds passages only after the test has let it."""

    dimensions = 3

    def __init__(self) -> None:
        self.let = threading.Event()
        self.encoded: list[str] = []

    def questions(self, texts: list[str]) -> Matrix:
        return np.array([vector_of(text) for text in texts], dtype=np.float32)

    def passages(self, texts: list[str]) -> Matrix:
        self.let.wait(10)
        self.encoded += texts
        return self.questions(texts)


class CountingEmbedder:
    fingerprint = "counting/1"
    dimensions = 3
    calibration = UNMEASURED

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def embed_questions(self, texts: Sequence[str]) -> Matrix:
        self.batches.append(list(texts))
        return unit_rows([vector_of(prepare_question(text)) for text in texts])

    async def embed_passages(self, texts: Sequence[str]) -> Matrix:
        return await self.embed_questions(texts)


# --- preparation ----------------------------------------------------------------------------------------------------


@given(st.text())
def test_prepared_texts_are_bounded_encodable_and_not_empty(text: str) -> None:
    for prepare, limit in ((prepare_question, QUESTION_CHARACTERS), (prepare_passage, PASSAGE_CHARACTERS)):
        try:
            prepared = prepare(text * 40)
        except ValueError:
            assert not prepared_by_hand(text)
        else:
            assert 0 < len(prepared) <= limit
            assert "\x00" not in prepared
            prepared.encode()


def prepared_by_hand(text: str) -> str:
    """What remains of a text that is nothing but space and invisible characters: nothing."""
    return "".join(character for character in text if character.isprintable() and not character.isspace())


def test_bare_punctuation_is_a_question() -> None:
    assert prepare_question(" ??? ") == "???"


@pytest.mark.parametrize("row", [[0.0, 0.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_a_vector_without_a_direction_is_refused(row: list[float]) -> None:
    with pytest.raises(ValueError, match="direction"):
        unit_rows([[1.0, 0.0], row])


# --- threads --------------------------------------------------------------------------------------------------------


async def test_a_question_does_not_wait_for_a_batch() -> None:
    model = SlowEncoder()
    encoder = ThreadedEncoder("slow", lambda: model)
    batch = asyncio.create_task(encoder.passages([f"text {number}" for number in range(20)]))
    async with asyncio.timeout(60):
        assert (await encoder.questions(["urgent"])).shape == (1, 3)
    assert not batch.done()
    model.let.set()
    assert (await batch).shape == (20, 3)
    encoder.close()


async def test_batches_of_two_callers_take_turns() -> None:
    model = SlowEncoder()
    encoder = ThreadedEncoder("slow", lambda: model, slice_size=2)
    long = asyncio.create_task(encoder.passages([f"long {number}" for number in range(20)]))
    await asyncio.sleep(0)
    short = asyncio.create_task(encoder.passages(["short 1", "short 2"]))
    await asyncio.sleep(0)
    model.let.set()
    await asyncio.gather(long, short)
    assert model.encoded.index("short 1") == 2
    encoder.close()


async def test_a_cancelled_batch_ends_with_its_slice() -> None:
    model = SlowEncoder()
    encoder = ThreadedEncoder("slow", lambda: model, slice_size=2)
    batch = asyncio.create_task(encoder.passages([f"text {number}" for number in range(20)]))
    await encoder.questions(["is it running?"])
    batch.cancel()
    with pytest.raises(asyncio.CancelledError):
        await batch
    model.let.set()
    await encoder.passages(["next", "texts"])
    assert "text 4" not in model.encoded
    encoder.close()


async def test_the_model_is_loaded_once_even_for_many() -> None:
    loaded: list[SlowEncoder] = []

    def load() -> SlowEncoder:
        loaded.append(SlowEncoder())
        return loaded[-1]

    encoder = ThreadedEncoder("slow", load, threads=4)
    with pytest.raises(RuntimeError, match="load"):
        _ = encoder.dimensions
    await asyncio.gather(*(encoder.questions([f"question {number}", "another"]) for number in range(8)))
    assert len(loaded) == 1
    assert encoder.dimensions == 3
    encoder.close()


async def test_a_model_that_cannot_be_loaded_is_tried_again() -> None:
    failures = [OSError("no such file")]

    def load() -> SlowEncoder:
        if failures:
            raise failures.pop()
        return SlowEncoder()

    encoder = ThreadedEncoder("slow", load)
    with pytest.raises(OSError, match="no such file"):
        await encoder.load()
    await encoder.load()
    encoder.close()


# --- the cache ------------------------------------------------------------------------------------------------------


async def test_a_known_question_is_not_embedded_again() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)
    first = await cached.embed_questions(["How do I cancel?"])
    again = await cached.embed_questions(["  how do I CANCEL"])
    np.testing.assert_array_equal(first, again)
    assert inner.batches == [["How do I cancel?"]]
    assert (cached.hits, cached.misses) == (1, 1)


async def test_only_what_is_missing_is_embedded_and_once() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner)
    await cached.embed_questions(["a"])
    rows = await cached.embed_questions(["b", "a", "B!", "c"])
    assert inner.batches == [["a"], ["B!", "c"]]
    np.testing.assert_array_equal(rows, await CountingEmbedder().embed_questions(["b", "a", "b", "c"]))


async def test_what_was_used_last_is_kept() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, capacity=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        await cached.embed_questions([text])
    assert inner.batches == [["a"], ["b"], ["c"], ["b"]]


async def test_an_ingestion_does_not_drive_questions_out() -> None:
    inner = CountingEmbedder()
    cached = CachedEmbedder(inner, capacity=4)
    await cached.embed_questions(["a"])
    await cached.embed_questions([f"wording {number}" for number in range(100)])
    await cached.embed_passages(["passage"])
    await cached.embed_questions(["a"])
    assert cached.hits == 1


async def test_a_row_that_is_changed_by_its_receiver_is_not_changed_in_the_cache() -> None:
    cached = CachedEmbedder(CountingEmbedder())
    first = await cached.embed_questions(["a"])
    expected = first.copy()
    first[:] = 0
    np.testing.assert_array_equal(await cached.embed_questions(["a"]), expected)


# --- calibration ----------------------------------------------------------------------------------------------------


def test_knots_meet_the_thresholds_of_the_gate() -> None:
    assert knots(adjacent=0.5, direct=0.9) == ((0, 0), (0.5, 0.78), (0.9, 0.92), (1, 1))


@pytest.mark.parametrize(("adjacent", "direct"), [(0.9, 0.5), (0.5, 0.5), (0, 0.5), (0.5, 1)])
def test_knots_that_do_not_rise_are_refused(adjacent: float, direct: float) -> None:
    with pytest.raises(ValueError, match="rise"):
        knots(adjacent=adjacent, direct=direct)
