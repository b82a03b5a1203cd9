"""What a draft points at, looked up in the tables of a little base."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.policy import Policy, ReferencePolicy
from engine.ports import Followed
from engine.types import PUBLIC, Chunk, Evidence, Question, Reference, ScoredChunk
from tests.small_base import FILES, STAFF, SmallBase, small_base

LEASE = "housing/contracts/lease.md"
TICKETS = "travel/tickets/rules.md"


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path)


async def section(base: SmallBase, document: str, number: str) -> Chunk:
    return next(chunk for chunk in await base.chunks(document) if chunk.section == number)


async def follow(
    base: SmallBase,
    draft: str,
    *cited: Chunk,
    beside: tuple[Chunk, ...] = (),
    question: str = "What is the refund?",
    audience: frozenset[str] = PUBLIC,
) -> Followed:
    """Follow a draft that cites some chunks, with others beside them in its evidence."""
    found = Evidence(chunks=tuple(ScoredChunk(chunk=one, score=0.8) for one in (*cited, *beside)), sufficient=True)
    asked = Question(text=question, audience=audience)
    return await base.referencer().follow(asked, draft, [one.id for one in cited], found)


def only(followed: Followed) -> Reference:
    (reference,) = followed.references
    return reference


def sections(followed: Followed) -> list[str]:
    return [scored.chunk.section for scored in followed.evidence.chunks] if followed.evidence else []


@pytest.mark.parametrize(
    ("document", "cited", "draft", "place", "target", "by", "reached"),
    [
        (LEASE, "7.1", "Порядок возврата указан в разделе 7.2.", "section", "7.2", "toc", "7.2"),
        (LEASE, "7.1", "О возврате см. п. 7.2 договора.", "section", "7.2", "toc", "7.2"),
        (LEASE, "7.2", "Вычитается по таблице 2.", "table", "2", "registry", "8"),
        (LEASE, "1", "Мебель передаётся по приложению Б.", "appendix", "Б", "registry", "Б"),
        (TICKETS, "7.1", "The limits are set out in section 7.2.", "section", "7.2", "toc", "7.2"),
        (TICKETS, "7.2", "The fees of Table 2 apply.", "table", "2", "registry", "8"),
        (TICKETS, "7.2", "For groups see Annex B.", "appendix", "B", "registry", "B"),
    ],
)
async def test_a_reference_is_looked_up_in_the_tables_of_its_document(
    base: SmallBase, document: str, cited: str, draft: str, place: str, target: str, by: str, reached: str
) -> None:
    followed = await follow(base, draft, await section(base, document, cited))
    reference = only(followed)
    assert (reference.status, reference.place, reference.target) == ("resolved", place, target)
    assert (reference.by, reference.document, reference.section) == (by, document, reached)
    assert reference.marker in draft
    assert sections(followed) == [cited, reached]
    assert followed.evidence is not None
    assert followed.evidence.sufficient


async def test_a_draft_without_references_needs_no_second_pass(base: SmallBase) -> None:
    assert await follow(base, "In 9 days.", await section(base, TICKETS, "7.1")) == Followed()


async def test_a_draft_that_cites_nothing_of_its_evidence_is_not_followed(base: SmallBase) -> None:
    one = await section(base, TICKETS, "7.1")
    assert await follow(base, "See section 7.2.", beside=(one,)) == Followed()


async def test_what_the_draft_quotes_already_needs_no_second_pass(base: SmallBase) -> None:
    cited = [await section(base, TICKETS, number) for number in ("7.1", "7.2")]
    followed = await follow(base, "The limits of section 7.2 are 48 hours.", *cited)
    assert followed.evidence is None
    assert followed.references == ()


async def test_a_target_that_lies_in_the_evidence_uncited_is_fetched(base: SmallBase) -> None:
    cited, beside = [await section(base, TICKETS, number) for number in ("7.1", "7.2")]
    followed = await follow(base, "The limits are in section 7.2.", cited, beside=(beside,))
    assert sections(followed) == ["7.1", "7.2"]


@pytest.mark.parametrize(
    ("draft", "place", "target"),
    [
        ("The limits are in section 9.4.", "section", "9.4"),
        ("The fees are in Table 7.", "table", "7"),
        ("The fees are in Table 3.", "table", "3"),
        ("It is shown in Figure 2.", "figure", "2"),
        ("Groups are in Annex 3.", "appendix", "3"),
        ("Groups are in Annex K.", "appendix", "K"),
    ],
)
async def test_a_dangling_reference_is_named_and_left_unresolved(
    base: SmallBase, draft: str, place: str, target: str
) -> None:
    followed = await follow(base, draft, await section(base, TICKETS, "7.1"))
    reference = only(followed)
    assert followed.evidence is None
    assert (reference.status, reference.place, reference.target) == ("unresolved", place, target)
    assert (reference.by, reference.chunk_ids) == (None, ())


async def test_an_annex_with_a_number_is_not_the_section_of_that_number(tmp_path: Path) -> None:
    body = "The rules apply to everybody who travels with us, at all times and in all trains. " * 4
    text = f"# Rules\n\n## 2 Scope\n\n{body}\n\n## 3 Pets\n\nPets are listed.\n\n## Annex 1. Pets\n\n{body}\n"
    base = await small_base(tmp_path, {"travel/pets/pets.md": text})
    cited = await section(base, "travel/pets/pets.md", "2")
    assert only(await follow(base, "Pets: see Annex 1.", cited)).status == "resolved"
    assert only(await follow(base, "Pets: see section 1.", cited)).status == "unresolved"
    assert only(await follow(base, "Pets: see Annex 3.", cited)).status == "unresolved"


async def test_resolved_and_dangling_references_come_together(base: SmallBase) -> None:
    followed = await follow(base, "See sections 7.2 and 9.9.", await section(base, TICKETS, "7.1"))
    assert [(one.target, one.status) for one in followed.references] == [("7.2", "resolved"), ("9.9", "unresolved")]
    assert sections(followed) == ["7.1", "7.2"]


async def test_a_section_is_reached_with_its_subsections(base: SmallBase) -> None:
    followed = await follow(base, "Exchanges are described in section 3.", await section(base, TICKETS, "7.1"))
    assert sections(followed) == ["7.1", "3.1", "3.2"]


async def test_a_range_reaches_what_lies_between(base: SmallBase) -> None:
    followed = await follow(base, "See sections 3.1-3.2 and 7.2.", await section(base, TICKETS, "7.1"))
    assert sections(followed) == ["7.1", "3.1", "3.2", "7.2"]


@pytest.mark.parametrize("letter", ["B", "В"], ids=["latin", "cyrillic"])
@pytest.mark.parametrize("heading", ["B", "В"], ids=["from-latin", "from-cyrillic"])
async def test_letters_that_look_the_same_are_the_same_label(tmp_path: Path, letter: str, heading: str) -> None:
    files = {TICKETS: FILES[TICKETS].replace("Annex B.", f"Annex {heading}.")}
    base = await small_base(tmp_path, files)
    followed = await follow(base, f"Groups: see Annex {letter}.", await section(base, TICKETS, "7.1"))
    assert only(followed).status == "resolved"
    assert sections(followed) == ["7.1", heading]


async def test_the_same_place_named_twice_is_one_reference(base: SmallBase) -> None:
    followed = await follow(base, "See section 7.2. Again: section 7.2.", await section(base, TICKETS, "7.1"))
    assert only(followed).target == "7.2"


async def test_the_document_that_says_it_is_the_one_looked_into(base: SmallBase) -> None:
    lease, tickets = await section(base, LEASE, "7.1"), await section(base, TICKETS, "7.1")
    followed = await follow(base, "Порядок возврата указан в разделе 7.2.", tickets, lease)
    assert only(followed).document == LEASE


async def test_targets_and_chunks_are_bounded(tmp_path: Path) -> None:
    base = await small_base(tmp_path, policy=Policy(references=ReferencePolicy(targets=2, chunks=1)))
    draft = "See sections 3.1, 3.2, 7.2, 9.1 and 9.2, Table 2 and Annex B."
    followed = await follow(base, draft, await section(base, TICKETS, "7.1"))
    assert len(followed.references) <= 2
    assert sections(followed) == ["7.1", "3.1"]


async def test_what_the_asker_may_not_see_is_not_fetched(tmp_path: Path) -> None:
    body = "The crew answers for the train from its first to its last station, in all weathers and seasons. " * 4
    crew = f"# Crew\n\n## 1 Duties\n\n{body}\n\n## 2 Pay\n\n{body}\n"
    base = await small_base(tmp_path, {**FILES, "travel/crew/crew.md": crew})
    cited = await section(base, "travel/crew/crew.md", "1")
    assert (await follow(base, "Pay: see section 2.", cited)).evidence is None
    assert sections(await follow(base, "Pay: see section 2.", cited, audience=STAFF)) == ["1", "2"]


async def test_only_pointing_is_told_from_saying_something(base: SmallBase) -> None:
    cited = await section(base, TICKETS, "7.1")
    question = "What are the time limits for a refund?"
    pointing = await follow(base, "The time limits for a refund are set out in section 7.2.", cited, question=question)
    saying = await follow(
        base,
        "The money goes back to the card that paid for the ticket; see section 7.2 for the limits.",
        cited,
        question=question,
    )
    assert pointing.only_points
    assert not saying.only_points
