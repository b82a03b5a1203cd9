"""Small talk is nobody's FAQ; honest questions to a company say "you" as well."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.matching.background import small_talk
from engine.matching.book import Book
from engine.matching.entry_look import look
from engine.matching.likeness import likeness
from engine.matching.practice import Practice
from engine.matching.small_talk import is_small_talk
from engine.ports import StoredFaq
from engine.types import FaqEntry
from tests.fake_embedder import FakeEmbedder

DATA = Path(__file__).parents[1] / "data"


TRICKY = (
    "do you have a branch in Leeds",
    "are you a member of a trade union",
    "can you feel the difference between the mattresses",
    "do you like to get paid in advance",
    "who runs your company",
    "what is your registered name and number",
    "do you have children's tickets",
    "are you real estate agents",
    "what do you do with my data",
    "can you be reached by phone",
    "where do you get your coffee from",
    "do you love pets as much as us and allow dogs in rooms",
    "how old is your oldest wine",
    "do you sell jokes and novelty gifts",
    "how are you regulated",
    "вы человеку без паспорта посылку отдадите",
    "у вас есть собачья площадка",
    "вы любимые напитки подаёте со скидкой",
    "как вас найти на карте",
    "откуда вы везёте мебель",
    "кто вы по форме собственности",
    "вы умные колонки продаёте",
    "вы лучшие цены гарантируете",
    "сколько лет вашей лицензии",
    "у вас есть семья тарифов для бизнеса",
    "вы живые цветы доставляете",
    "как называть вас в договоре",
    "где родились ваши щенки",
    "что вы делаете с моими данными",
    "вы мужчинам стрижки делаете",
)
"""Questions to companies in the words of small talk."""


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def test_what_is_said_to_a_person_is_small_talk_in_both_languages() -> None:
    talk = [row["question"] for row in rows("small_talk.jsonl")]
    assert len(talk) == 100
    assert [text for text in talk[:60] if not is_small_talk(text)] == []
    assert sum(map(is_small_talk, talk[60:])) >= 35, "written after the patterns"


def test_honest_questions_to_a_company_are_none() -> None:
    asked = [text for row in rows("questions_to_companies.jsonl") for text in (row["known"], row["question"])]
    asked += [row[side] for row in rows("honest_paraphrases.jsonl") for side in ("known", "question")]
    asked += [row[side] for row in rows("hard_pairs.jsonl") for side in ("known", "question")]
    asked += TRICKY
    assert len(asked) > 1000
    assert [text for text in asked if is_small_talk(text)] == []


@pytest.mark.parametrize(
    "message",
    [
        "I love you guys, but how do I cancel my broken subscription?",
        "Мне грустно: заказ не пришёл, деньги списали. Как вернуть деньги?",
        "how old are you supposed to be to rent a car",
        "сколько вам лет нужно для аренды машины, у вас написано непонятно",
    ],
)
def test_a_message_that_asks_something_else_is_none(message: str) -> None:
    assert not is_small_talk(message)


async def book_of(*entries: tuple[str, ...]) -> Book:
    made = tuple(
        FaqEntry(id=str(at), questions=wordings, answer=f"A{at}", language="en") for at, wordings in enumerate(entries)
    )
    texts = [(entry.id, text) for entry in made for text in entry.questions]
    vectors = await FakeEmbedder().embed_questions([text for _, text in texts])
    return Book.arrange(StoredFaq(version="1", entries=made, wordings=tuple(texts), vectors=vectors))


AGES = tuple(
    f"{how} old {whom} to {what}"
    for how, whom, what in (
        ("how", "must I be", "open an account"), ("how", "do I have to be", "get a card"),
        ("tell me how", "one must be", "join"),
        ("how", "should I be", "join"), ("how", "do you need to be", "pay"), ("how", "must kids be", "have a card"),
        ("say how", "I must be", "apply"), ("how", "is old enough", "apply"),
    )
)  # fmt: skip


async def reason(book: Book, question: str) -> str | None:
    (asked,) = await FakeEmbedder().embed_questions([question])
    return look(book, question, 0, likeness(book, question, asked, np.ones(len(book.entries), dtype=np.bool_)))


@pytest.mark.parametrize("wordings", [AGES, ("What is the least age?",)])
async def test_small_talk_is_vetoed_whatever_word_it_shares_with_the_entry(wordings: tuple[str, ...]) -> None:
    book = await book_of(wordings)
    assert await reason(book, "hey, how old are you?") == "small talk"
    assert await reason(book, wordings[0]) is None


async def test_an_entry_about_the_bot_itself_may_answer_it() -> None:
    book = await book_of(("Are you a bot or a human?", "Is this a robot?"))
    assert await reason(book, "are you really a bot or a human?") is None


async def test_of_two_things_asked_about_the_entry_must_name_both() -> None:
    book = await book_of(
        tuple(f"{how} the fee for transfers" for how in "what is,tell me,see,show,find,name,say,list".split(","))
    )
    assert await reason(book, "what is the fee for transfers and lockers") == "condition"
    assert await reason(book, "what is the fee for transfers") is None


@pytest.mark.parametrize("about_the_bot", [False, True])
async def test_a_base_is_practised_on_small_talk_unless_it_is_about_the_bot(about_the_bot: bool) -> None:
    book = await book_of(AGES, ("Are you a bot?",) if about_the_bot else ("Where is the office?",))
    practice = await Practice.prepare(book, FakeEmbedder().embed_questions)
    asked = {one.text for one in practice.asked}
    assert asked.isdisjoint(small_talk("en")) if about_the_bot else asked.issuperset(small_talk("en"))
