"""The second look at an entry with many wordings: what they vary in, the entry does not depend on."""

from __future__ import annotations

import numpy as np
import pytest

from engine.matching.book import Book
from engine.matching.entry_look import look
from engine.matching.likeness import likeness
from engine.ports import StoredFaq
from engine.types import FaqEntry
from tests.fake_embedder import FakeEmbedder

CITIES = ("Paris", "Rome", "Oslo", "Cairo", "Quito")
FLIGHTS = tuple(
    f"book a flight from {start} to {goal} at {hour}pm"
    for hour, (start, goal) in enumerate(zip(CITIES * 2, CITIES[1:] * 2, strict=False), start=1)
)
TRANSFERS = tuple(
    f"{how} money from my card to my account"
    for how in ("send", "move", "put", "please send", "how do I send", "I want to send", "help me send", "just move")
)


async def reason(wordings: tuple[str, ...], question: str) -> str | None:
    entry = FaqEntry(id="one", questions=wordings, answer="A", language="en")
    embedder = FakeEmbedder()
    vectors = await embedder.embed_questions(list(wordings))
    faq = StoredFaq(version="1", entries=(entry,), wordings=tuple(("one", text) for text in wordings), vectors=vectors)
    book = Book.arrange(faq)
    (asked,) = await embedder.embed_questions([question])
    return look(book, question, 0, likeness(book, question, asked, np.ones(len(book.entries), dtype=np.bool_)))


@pytest.mark.parametrize(
    "question", ["book a flight from Rome to Paris at 3pm", "book a flight from Lima to Oslo at 11am", FLIGHTS[0]]
)
async def test_names_times_and_directions_that_the_wordings_vary_in_are_no_objection(question: str) -> None:
    assert await reason(FLIGHTS, question) is None


async def test_a_direction_that_all_wordings_keep_is_kept() -> None:
    assert await reason(TRANSFERS, "send money from my account to my card") == "direction"
    assert await reason(TRANSFERS, "send money from my card to my account now") is None


async def test_of_few_wordings_the_nearest_one_decides() -> None:
    assert await reason(FLIGHTS[:2], "book a flight from Lima to Oslo at 1pm") is not None
