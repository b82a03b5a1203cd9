"""Answers by quoting: whole parts of the context, few of them, with the chunks that they are from."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.policy import GenerationPolicy
from engine.ports import Task
from engine.stages.quoting import QuotingGenerator
from engine.text.passages import passages
from engine.types import Chunk, Evidence, FaqPair, Language, Question, ScoredChunk, Written
from tests.fake_embedder import FakeEmbedder
from tests.fakes import chunk
from tests.small_base import SmallBase, small_base

LEASE = "housing/contracts/lease.md"
TICKETS = "travel/tickets/rules.md"


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path)


async def quoted(
    text: str,
    *chunks: Chunk,
    earlier: str = "",
    pairs: tuple[FaqPair, ...] = (),
    language: Language = "en",
) -> tuple[str, Written]:
    scored = tuple(ScoredChunk(chunk=one, score=round(0.9 - 0.1 * rank, 1)) for rank, one in enumerate(chunks))
    task = Task(
        question=Question(text=text),
        language=language,
        evidence=Evidence(chunks=scored, sufficient=bool(chunks)),
        pairs=pairs,
        earlier=earlier,
    )
    async with QuotingGenerator(FakeEmbedder(), GenerationPolicy()).write(task) as draft:
        return "".join([piece async for piece in draft]), draft.written


async def sections(base: SmallBase, document: str, *numbers: str) -> list[Chunk]:
    by_number = {one.section: one for one in await base.chunks(document)}
    return [by_number[number] for number in numbers]


def without_known_parts(text: str, *chunks: Chunk) -> str:
    """What is left of an answer when the quotable parts of its context, and the lines that lead into them, are gone."""
    known = [part for one in chunks for passage in passages(one.text) for part in (passage.text, passage.lead)]
    for part in sorted(known, key=len, reverse=True):
        text = text.replace(part, "") if part else text
    return text.strip()


@pytest.mark.parametrize(
    ("document", "numbers", "text", "fact"),
    [
        (LEASE, ("7.2", "7.1", "1"), "Когда возвращается депозит?", "10 рабочих дней"),
        (LEASE, ("7.1", "7.2", "1"), "Какой размер депозита вносится при подписании?", "30 000 рублей"),
        (LEASE, ("8", "7.2"), "Сколько вычтут за утерянные ключи?", "1200 рублей"),
        (TICKETS, ("3.2", "3.1"), "Can the name on a ticket be corrected?", "three letters"),
        (TICKETS, ("8", "7.2"), "What is the fee less than 24 hours before departure?", "20 euros"),
    ],
)
async def test_the_part_that_answers_is_quoted_whole_and_nothing_else_is_said(
    base: SmallBase, document: str, numbers: tuple[str, ...], text: str, fact: str
) -> None:
    chunks = await sections(base, document, *numbers)
    answer, written = await quoted(text, *chunks, language="ru" if document == LEASE else "en")
    assert fact in answer
    assert without_known_parts(answer, *chunks) == ""
    assert written.completeness == "complete"
    assert chunks[0].id in written.cited


async def test_an_answer_is_short_however_much_the_context_says() -> None:
    chunks = [
        chunk(
            f"c{number}", f"Refund {number} of a ticket takes {number + 2} days, whatever was paid. " * 3, str(number)
        )
        for number in range(20)
    ]
    answer, written = await quoted("How long does the refund of a ticket take?", *chunks)
    policy = GenerationPolicy()
    assert 0 < len(answer) < 2 * policy.quote_characters
    assert len(written.cited) <= policy.quotes


async def test_the_chunks_that_were_quoted_are_cited_and_no_others(base: SmallBase) -> None:
    chunks = await base.chunks(TICKETS)
    answer, written = await quoted("Can the name on a ticket be corrected?", *chunks)
    assert written.cited
    assert len(set(written.cited)) == len(written.cited)
    for one in chunks:
        quotes_it = any(passage.text in answer for passage in passages(one.text))
        assert quotes_it == (one.id in written.cited), one.section


async def test_a_table_row_is_quoted_with_its_columns_named(base: SmallBase) -> None:
    (damage,) = await sections(base, LEASE, "8")
    answer, _ = await quoted("Сколько стоит разбитое окно?", damage, language="ru")
    assert "Повреждение: Разбитое окно; Вычет: 4500 рублей" in answer
    assert "|" not in answer


async def test_no_context_quotes_nothing_and_is_incomplete() -> None:
    assert await quoted("Why?") == ("", Written(completeness="incomplete", cited=()))
    empty = await quoted("Why?", chunk(text="---\n\n***\n"))
    assert empty == ("", Written(completeness="incomplete", cited=()))


async def test_what_is_asked_for_is_added_where_the_closest_quote_does_not_have_it() -> None:
    closest = "Visitors must be registered at the desk by whoever lets visitors in."
    text, _ = await quoted(
        "When must visitors be registered?", chunk("1", text=f"{closest}\n\nRegistered visitors: stays over 24 hours.")
    )
    assert closest in text
    assert "over 24 hours" in text


async def test_nothing_is_added_where_the_closest_quote_has_what_is_asked_for() -> None:
    text, _ = await quoted(
        "When must visitors be registered?",
        chunk("1", text="Visitors must be registered after 24 hours.\n\nThe lake freezes in 2 months of the year."),
    )
    assert "lake" not in text


@pytest.mark.parametrize(
    ("text", "elsewhere", "named"),
    [
        (
            "Is the b12 seal of the harbour gate still considered safe?",
            "The harbour gate is not considered safe in a storm, no gate is.",
            "`b12` - a seal of wax and cord.",
        ),
        (
            "Можно ли считать пломбу Б12 ворот порта надёжной?",
            "Не все ворота порта можно считать надёжной преградой: нельзя полагаться на ворота.",
            "Б12 - это воск и шнур.",
        ),
    ],
)
async def test_what_the_question_names_by_a_designation_is_spoken_of(text: str, elsewhere: str, named: str) -> None:
    others = [f"The watch of gate {place} walks at night." for place in ("one", "two", "three")]
    texts = [elsewhere, *others, named]
    answer, written = await quoted(text, *(chunk(str(at), text=one) for at, one in enumerate(texts)))
    assert named in answer
    assert str(len(texts) - 1) in written.cited


async def test_a_designation_that_is_spoken_of_adds_nothing() -> None:
    told = "The b12 seal of the harbour gate is considered safe, all of it."
    text, _ = await quoted("Is the b12 seal of the harbour gate safe?", chunk("1", text=f"{told}\n\nA b12 is wax."))
    assert text == told


async def test_a_note_on_what_gave_a_text_its_words_is_not_quoted() -> None:
    note = "(Наименование статьи об отпуске в редакции Закона об отпуске № 5-ФЗ)"
    text, _ = await quoted("Какой закон об отпуске?", chunk("1", text=f"{note}\n\nОтпуск длится 28 дней."))
    assert text == "Отпуск длится 28 дней."


async def test_the_same_sentence_of_two_chunks_is_quoted_once() -> None:
    sentence = "The deposit is returned within 10 days after the keys were handed over."
    answer, _ = await quoted("When is the deposit returned?", chunk("c1", sentence), chunk("c2", sentence, "7.3"))
    assert answer.count(sentence) == 1


async def test_a_second_pass_keeps_the_first_quotes_and_adds_from_what_they_point_at(base: SmallBase) -> None:
    first, second = await sections(base, TICKETS, "7.2", "8")
    text = "What does a refund cost less than 24 hours before departure?"
    earlier, written = await quoted(text, first)
    full, cited = await quoted(text, first, second, earlier=earlier)
    for part in (passage.text for passage in passages(first.text) if passage.text in earlier):
        assert part in full
    assert len(full) > len(earlier)
    assert written.cited == (first.id,)
    assert cited.cited == (first.id, second.id)
    assert without_known_parts(full, first, second) == ""


async def test_a_second_pass_after_a_draft_of_its_own_words_quotes_anew(base: SmallBase) -> None:
    chunks = await sections(base, TICKETS, "7.2", "8")
    answer, written = await quoted("When is a ticket refunded?", *chunks, earlier="Look at section 7.2, please.")
    assert answer
    assert written.cited


async def test_a_known_pair_is_quoted_by_name_when_it_covers_the_question() -> None:
    pair = FaqPair(entry="cancel", question="How do I cancel my policy?", answer="Call us.  \n", score=0.85)
    answer, written = await quoted("How can I cancel the policy?", pairs=(pair,))
    assert pair.question in answer
    assert answer.endswith(pair.answer)
    assert written.cited == ()
    assert written.completeness != "incomplete"


async def test_a_known_pair_about_something_else_is_not_quoted() -> None:
    pair = FaqPair(entry="cancel", question="How do I cancel my policy?", answer="Call us.", score=0.85)
    answer, written = await quoted("How do I cancel a bicycle reservation on the night train?", pairs=(pair,))
    assert answer == ""
    assert written.completeness == "incomplete"


async def test_embeddings_are_counted(base: SmallBase) -> None:
    embedder = FakeEmbedder()
    evidence = Evidence(
        chunks=tuple(ScoredChunk(chunk=one, score=0.8) for one in await base.chunks(LEASE)), sufficient=True
    )
    task = Task(question=Question(text="Когда возвращается депозит?"), language="ru", evidence=evidence)
    async with QuotingGenerator(embedder, GenerationPolicy()).write(task) as draft:
        async for _ in draft:
            pass
        assert draft.written.usage.embeddings == embedder.embedded > 0
        assert draft.written.usage.model_calls == 0


async def test_the_same_task_gives_the_same_quotes(base: SmallBase) -> None:
    chunks = await base.chunks(TICKETS)
    assert await quoted("refund fee", *chunks) == await quoted("refund fee", *chunks)


fragments = st.sampled_from(
    [
        "The deposit is returned in 10 days.",
        "See p. 3.",
        "Оплата до 5 числа!",
        "\n\n",
        "\n",
        "| a | b |\n| --- | --- |\n| 1 | two |",
        "- an item that says something",
        "You need:",
        "## A heading",
        "1) one",
        "   ",
        "…",
    ]
)
texts = st.lists(fragments, max_size=8).map(" ".join) | st.lists(fragments, max_size=8).map("\n".join)


@given(
    contents=st.lists(texts, min_size=1, max_size=4), text=st.sampled_from(["deposit?", "What is two?", "?", "Оплата"])
)
async def test_whatever_the_context_only_its_parts_are_said(contents: list[str], text: str) -> None:
    chunks = [chunk(f"c{number}", content, f"{number}") for number, content in enumerate(contents)]
    answer, written = await quoted(text, *chunks)
    assert without_known_parts(answer, *chunks) == ""
    assert set(written.cited) <= {one.id for one in chunks}
    assert bool(answer.strip()) == (written.completeness == "complete") == bool(written.cited)
