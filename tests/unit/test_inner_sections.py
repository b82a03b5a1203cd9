"""Tiny sections share a chunk: each is still cited by its own name, and followed when another of them points at it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine import Final, Outcome, Question
from engine.record import citations
from engine.text.inner_sections import inner_sections
from engine.text.passages import passages
from tests.fakes import chunk, evidence
from tests.small_base import SmallBase, small_base

SHARED = """**Towels**

A towel costs 5 coins.

**4.1. Replacement fees**

A badge costs 35 coins.

**Годовая плата**

Абонемент стоит 900 монет."""
CLAUSES = "2.1 Acids stand in the cabinet.\n\n2.2. Spills are reported to the officer.\n\n2.3 Bases stand apart."


async def ask(base: SmallBase, text: str) -> Outcome:
    async with base.engine().answer(Question(text=text)) as events:
        seen = [event async for event in events]
    assert isinstance(seen[-1], Final)
    return seen[-1].outcome


def test_sections_and_passages_know_their_numbers() -> None:
    assert [(one.number, one.title) for one in inner_sections(SHARED)] == [
        ("", "Towels"),
        ("4.1", "Replacement fees"),
        ("", "Годовая плата"),
    ]
    assert [one.section for one in passages(SHARED)] == ["", "4.1", ""]
    assert [one.number for one in inner_sections(CLAUSES)] == ["2.1", "2.2", "2.3"]
    assert [one.section for one in passages(CLAUSES)] == ["2.1", "2.2", "2.3"]
    worded = "**Приложение № 2**\n\nКниги.\n\n**Annex II**\n\nBooks.\n\n**Глава 3. Дом**\n\nДом."
    assert [(one.number, one.title) for one in inner_sections(worded)] == [
        ("2", "Приложение № 2"),
        ("II", "Annex II"),
        ("3", "Глава 3. Дом"),
    ]
    assert inner_sections("Plain words.\n\n1. One item\n2. Another item") == []


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("A towel costs 5 coins.", [("", "Towels")]),
        ("It is 35 coins for a badge.", [("4.1", "Replacement fees")]),
        ("A towel costs 5 coins. A badge costs 35 coins.", [("", "Towels"), ("4.1", "Replacement fees")]),
        ("Абонемент стоит 900 монет в год.", [("", "Годовая плата")]),
        ("Nothing of the kind.", [("", "Towels")]),
    ],
)
def test_the_section_is_cited_that_the_answer_took_from(answer: str, cited: list[tuple[str, str]]) -> None:
    shared = replace(chunk("c1", SHARED), section="", section_title="Towels")
    found = citations(evidence(shared).chunks, ("c1",), answer)
    assert [(one.section, one.title) for one in found] == cited


def test_a_section_with_a_chunk_of_its_own_is_cited_by_its_own_name() -> None:
    own = replace(chunk("c1", f"Money first.\n\n{SHARED}"), section="7", section_title="Money")
    (found,) = citations(evidence(own).chunks, ("c1",), "A badge costs 35 coins.")
    assert (found.section, found.title) == ("7", "Money")


def test_a_clause_without_a_title_does_not_borrow_that_of_the_clause_before() -> None:
    text = "**6.1. Rent**\n\nIt is due on Mondays.\n\n6.2. A guest's car costs 90 coins."
    shared = replace(chunk("c1", text), section="6.1", section_title="Rent", document_title="Parking")
    (found,) = citations(evidence(shared).chunks, ("c1",), "A guest's car costs 90 coins.")
    assert (found.section, found.title) == ("6.2", "Parking")


def test_clauses_that_share_a_chunk_go_by_the_heading_that_they_all_stand_under() -> None:
    shared = replace(chunk("c1", CLAUSES), section="2.1", section_title="Storage", document_title="Lab rules")
    answer = "Acids stand in the cabinet. Spills are reported to the officer. Bases stand apart."
    found = citations(evidence(shared).chunks, ("c1",), answer)
    assert [(one.section, one.title) for one in found] == [("2.1", "Storage"), ("2.2", "Storage"), ("2.3", "Storage")]


async def test_a_section_beside_is_followed_within_the_chunk(tmp_path: Path) -> None:
    text = (
        "# Safety\n\n## 1. Spills\n\nSpills of acid are reported within the period given in section 3.\n\n"
        "## 2. Bases\n\nBases stand apart.\n\n## 3. Periods\n\nThe duty officer is called within 20 minutes.\n"
    )
    base = await small_base(tmp_path, {"lab/safety/rules.md": text})
    assert len(await base.chunks("lab/safety/rules.md")) == 1
    outcome = await ask(base, "Within what period are spills of acid reported?")
    assert "within 20 minutes" in outcome.text
    assert "Bases" not in outcome.text
    assert [(one.section, one.status) for one in outcome.references] == [("3", "resolved")]
    assert [one.section for one in outcome.citations] == ["1", "3"]


async def test_a_short_document_that_the_answer_points_at_is_quoted_whatever_its_words(tmp_path: Path) -> None:
    files = {
        "gym/club/memo.md": "# Memo\n\n## Guests\n\nThe conditions for guests are set out in the Guest Policy.\n",
        "gym/club/guests.md": "# Guest Policy\n\nGuests pay 600 coins.\n",
    }
    outcome = await ask(await small_base(tmp_path, files), "On what conditions may guests come?")
    assert "600 coins" in outcome.text
    assert outcome.citations[-1].document == "gym/club/guests.md"


GYM = """ДОГОВОР

1. Заморозка
1.1. Абонемент замораживается на условиях, изложенных в п. 5.2 Приложения Б.
1.2. Услуги абонемента перечислены в Приложении А.
Приложение А
Услуги
1. Зал.
2. Бассейн.
3. Сауна по вторникам.
Приложение Б
Правила
5. Сроки
5.1. Разовые посещения не замораживаются.
5.2. Срок не дольше 45 дней.
5.3. Иное решает директор.
6. Штрафы
6.1. За утрату ключа платят 70 монет.
"""


async def test_a_clause_of_an_appendix_is_quoted_and_not_the_appendix(tmp_path: Path) -> None:
    outcome = await ask(await small_base(tmp_path, {"gym/club/contract.txt": GYM}), "Как замораживается абонемент?")
    assert "не дольше 45 дней" in outcome.text
    assert not any(words in outcome.text for words in ("70 монет", "Иное решает"))
    assert [(one.target, one.section, one.status) for one in outcome.references] == [("Б", "5.2", "resolved")]


async def test_a_short_list_that_is_pointed_at_is_quoted_whole(tmp_path: Path) -> None:
    outcome = await ask(await small_base(tmp_path, {"gym/club/contract.txt": GYM}), "Какие услуги у абонемента?")
    assert all(service in outcome.text for service in ("Зал", "Бассейн", "Сауна"))


async def test_of_a_place_with_items_only_the_one_named_is_quoted(tmp_path: Path) -> None:
    text = (
        "# Waste\n\n## 1. Duty\n\nWaste is sorted pursuant to paragraph (b) of section 2.\n\n## 2. Bins\n\n"
        "(a) Glass goes into the green bin.\n\n(b) Solvents go into the red canister.\n"
    )
    outcome = await ask(await small_base(tmp_path, {"lab/safety/waste.md": text}), "How is waste sorted?")
    assert "red canister" in outcome.text
    assert "Glass" not in outcome.text


async def test_a_place_without_a_number_is_not_named_as_one(tmp_path: Path) -> None:
    text = "# Lab\n\n## 1. Spills\n\nSpills of acid are handled with gloves as set out in the preceding section.\n"
    outcome = await ask(await small_base(tmp_path, {"lab/safety/rules.md": text}), "How are spills of acid handled?")
    assert outcome.text.endswith("preceding section.")
    assert [one.status for one in outcome.references] == ["unresolved"]


async def test_of_a_section_with_a_table_only_the_table_is_quoted(tmp_path: Path) -> None:
    text = (
        "# Shop\n\n## 1. Faults\n\nFaulty goods are taken back within the time given in table 1.\n\n## 2. Delivery\n\n"
        "Couriers come in 2 days.\n\nTable 1. Times\n\n| Goods | Time |\n| --- | --- |\n| Kettle | 18 months |\n"
    )
    outcome = await ask(await small_base(tmp_path, {"shop/rules/offer.md": text}), "When are faulty goods taken back?")
    assert "18 months" in outcome.text
    assert "Couriers" not in outcome.text
