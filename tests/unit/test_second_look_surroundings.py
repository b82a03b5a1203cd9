"""The second look at free messages: what the answer, the base and everyday language show to be no difference."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engine.matching.book import Book
from engine.matching.entry_look import look
from engine.matching.likeness import Likeness, likeness
from engine.matching.names import Names
from engine.matching.restoring import Spelling
from engine.matching.second_look import veto
from engine.matching.surroundings import Surroundings, said
from engine.matching.typos import is_kin
from engine.ports import StoredFaq
from engine.types import FaqEntry
from tests.fake_embedder import FakeEmbedder

DATA = Path(__file__).parents[1] / "data"


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def around(answer: str) -> Surroundings:
    return Surroundings(said(answer))


async def book_of(pairs: list[tuple[str, str]]) -> Book:
    """Entries of a wording and an answer each."""
    entries = tuple(
        FaqEntry(id=str(at), questions=(wording,), answer=answer, language="en")
        for at, (wording, answer) in enumerate(pairs)
    )
    vectors = await FakeEmbedder().embed_questions([wording for wording, _ in pairs])
    wordings = tuple((entry.id, entry.questions[0]) for entry in entries)
    return Book.arrange(StoredFaq(version="1", entries=entries, wordings=wordings, vectors=vectors))


async def like(book: Book, question: str) -> Likeness:
    (vector,) = await FakeEmbedder().embed_questions([question])
    return likeness(book, question, vector, np.ones(len(book.entries), dtype=np.bool_))


def test_no_hard_message_passes_its_entry_whatever_its_answer_speaks_of() -> None:
    hard = rows("hard_messages.jsonl")
    names = Names.of([[row["known"]] for row in hard])
    assert len(hard) == 90
    assert [row for row in hard if veto(row["question"], row["known"], names, around(row["answer"])) is None] == []


def test_half_of_the_honest_messages_pass() -> None:
    honest = rows("honest_messages.jsonl")
    passing = [row for row in honest if veto(row["question"], row["known"], Names(), around(row["answer"])) is None]
    assert len(honest) == 60
    assert len(passing) >= 30


@pytest.mark.parametrize(
    ("question", "wording", "steps"),
    [
        ("How do I return shoes?", "Can I return shoes?", "Yes. Go to the desk and show the receipt."),
        ("Can I return shoes?", "How do I return shoes?", "Go to the desk."),
        ("Как вернуть обувь?", "Можно ли вернуть обувь?", "Да, откройте заказ и нажмите «Вернуть»."),
        ("Как вернуть обувь?", "Можно ли вернуть обувь?", "Нет, обувь возврату не подлежит."),
    ],
)
def test_an_answer_with_steps_says_how_and_one_that_refuses_says_that_one_cannot(
    question: str, wording: str, steps: str
) -> None:
    assert veto(question, wording, around=around(steps)) is None
    assert veto(question, wording, around=around("Shoes: 30 days.")) == "question type"


def test_a_refusal_does_not_answer_whether_where_it_is_asked_how() -> None:
    assert veto("Can I return shoes?", "How do I return shoes?", around=around("No.")) == "question type"


async def test_what_the_whole_base_is_about_goes_without_saying_where_the_rest_names_one_entry() -> None:
    things = ("badge", "locker", "bicycle", "parcel", "invoice", "printer")
    book = await book_of([(f"How do I register a {thing} in the portal?", f"About {thing}.") for thing in things])
    question = "How do I register a badge?"
    assert look(book, question, 0, await like(book, question)) is None
    twin = await book_of(
        [(f"How do I register a {thing} in the portal?", f"About {thing}.") for thing in things]
        + [("How do I register a badge at the gate?", "Elsewhere.")]
    )
    assert look(twin, question, 0, await like(twin, question)) == "condition"


async def test_a_question_that_two_entries_ask_in_as_many_of_its_words_is_answered_by_neither() -> None:
    book = await book_of([("How do I delete a clip?", "Here."), ("How can I remove a video?", "There.")])
    question = "how do I delete a video"
    assert look(book, question, 0, await like(book, question)) == "ambiguous"
    question = "how do I delete a clip now"
    assert look(book, question, 0, await like(book, question)) is None


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("Почему не открывается дверь?", "Дверь не открывается, что делать?"),
        ("It says payment declined, why?", "What should I do if my payment was declined?"),
        ("Как включить звук?", "Как включить или выключить звук?"),
        ("How do I rent a bicycle?", "What is a bicycle and how do I rent it?"),
        ("Как произвести оплату счёта?", "Как оплатить счёт?"),
        ("Какой номер телефона охраны?", "Какой телефон охраны?"),
        ("кстати, хотел бы уточнить, как монетизировать канал", "Монетизация канала"),
        ("Доступна ли доставка?", "Есть ли доставка?"),
        ("is it okay to smoke here", "Can I smoke here?"),
        ("Могут ли каналы монетизироваться?", "Монетизируются ли каналы?"),
        ("Сколько обычно рассматривают заявку?", "Как долго рассматривается заявка?"),
        ("Куда нажать, чтобы удалить запись?", "Как удалить запись?"),
    ],
)
def test_the_same_in_other_manners_passes(question: str, wording: str) -> None:
    assert veto(question, wording) is None


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("Может ли друг взять ключ?", "Могу ли я взять ключ?"),
        ("Can my guest keep the key?", "Can I keep the key of my guest?"),
        ("Как выключить звук?", "Как включить или настроить звук?"),
        ("What is a refund?", "Why was my refund declined?"),
        ("What is the invoice amount?", "What is the invoice number?"),
        ("Can I get it by mail?", "Can I get it by email?"),
    ],
)
def test_what_only_looks_like_another_manner_does_not(question: str, wording: str) -> None:
    assert veto(question, wording) is not None


def test_stems_are_kin_where_only_endings_of_verbs_and_nouns_differ() -> None:
    assert is_kin("монетизац", "монетизирова")
    assert is_kin("verifi", "verification")
    assert not is_kin("страхов", "страховщик")
    assert not is_kin("employe", "employment")


@pytest.mark.parametrize(
    ("written", "known", "meant"),
    [
        ("где таймкоды", "Как добавить тайм-коды?", "где тайм-коды"),
        ("is there wi-fi", "Is there wifi?", "is there wifi"),
        ("is there a top-up", "How do I topup or use a top-up?", "is there a top-up"),
        ("как оформитьмонетизацию", "Как оформить монетизацию?", "как оформить монетизацию"),
        ("what about headlines", "Where do the head and the lines meet?", "what about headlines"),
    ],
)
def test_hyphens_and_spaces_are_read_as_the_faq_writes_them(written: str, known: str, meant: str) -> None:
    assert Spelling([known]).restored(written) == meant
