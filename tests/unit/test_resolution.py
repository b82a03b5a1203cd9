"""From a mention to its place: the document, then its collection, then the base; other documents; relative places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine.ports import Meaning, ReferenceChooser
from engine.stages.references import TableReferencer
from engine.types import PUBLIC, Chunk, Evidence, Question, Reference, ScoredChunk, Usage
from tests.small_base import SmallBase, small_base

FILLER = (
    "This paragraph says at length what everybody who lives or works here has agreed to keep to all year round,"
    " in the morning and at night, on working days and on holidays, with guests and without them. "
) * 2
REGISTRY = """domains:
  - id: house
    title: House
    description: Rules of a house
    collections:
      - {id: rules, title: Rules, description: Rules}
      - {id: prices, title: Prices, description: Prices}
      - {id: secret, title: Secret, description: Secret, audience: [staff]}
"""
RULES = f"""# House Rules

## 1. Scope

{FILLER}

## 2. Guests

{FILLER} "Guest" means anybody who stays for less than a week.

### 2.1. Nights

A guest may stay three nights. {FILLER}

### 2.2. Keys

A guest gets no key. {FILLER}

## 3. Bicycles

Bicycles stand in the cellar. {FILLER}
"""
PARKING = f"""# Parking Order

## 1. Scope

{FILLER}

## 11.9. Guests' places

Guests park on places 40 to 45. {FILLER}
"""
PRICES = f"""# RFC 9110 Price List

## 1. Rent

{FILLER}

## 27.4. Laundry

A wash costs two coins. {FILLER}

## Glossary

{FILLER}

"Coin" means a token that the porter sells.
"""
SECRET = f"""# Safe Codes

## 88.8. The safe

The code is 4711. {FILLER}
"""
LAWS = f"""# Трудовой кодекс

## Статья 5. Отпуск

Отпуск длится 28 дней. {FILLER}

## Статья 5.1. Отгул

Отгул длится один день. {FILLER}
"""
FILES = {
    "knowledge.yaml": REGISTRY,
    "house/rules/rules.md": RULES,
    "house/rules/parking.md": PARKING,
    "house/prices/prices.md": PRICES,
    "house/secret/safe.md": SECRET,
    "laws/labour/kodeks.md": LAWS,
}
HOUSE = "house/rules/rules.md"


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path, FILES)


async def chunk(base: SmallBase, document: str, section: str) -> Chunk:
    return next(one for one in await base.chunks(document) if one.section == section)


async def reference(
    base: SmallBase,
    draft: str,
    section: str = "2.1",
    *,
    audience: frozenset[str] = PUBLIC,
    chooser: ReferenceChooser | None = None,
    everywhere: bool = True,
) -> Reference | None:
    """The one reference of a draft that cites a section of the house rules."""
    one = await chunk(base, HOUSE, section)
    policy = replace(base.policy.references, everywhere=everywhere)
    referencer = TableReferencer(base.library(), base.documents, base.index, policy, chooser)
    evidence = Evidence(chunks=(ScoredChunk(chunk=one, score=0.8),), sufficient=True)
    question = Question(text="What about guests?", audience=audience)
    followed = await referencer.follow(question, draft, [one.id], evidence)
    assert len(followed.references) < 2
    return followed.references[0] if followed.references else None


@pytest.mark.parametrize(
    ("draft", "document", "section", "by"),
    [
        ("It is set out in section 3.", HOUSE, "3", "toc"),
        ("It is set out in section 11.9.", "house/rules/parking.md", "11.9", "toc"),
        ("It is set out in section 27.4.", "house/prices/prices.md", "27.4", "toc"),
        ("See Section 27.4 of RFC 9110.", "house/prices/prices.md", "27.4", "toc"),
        ("See section 1 of the Parking Order.", "house/rules/parking.md", "1", "toc"),
        ("Отпуск указан в статье 5 ТК РФ.", "laws/labour/kodeks.md", "5", "toc"),
        ("Смотрите ст. 5.1 Трудового кодекса.", "laws/labour/kodeks.md", "5.1", "toc"),
        ("See [the places](parking.md) for more.", "house/rules/parking.md", "", "registry"),
        ("See [the laundry](../prices/prices.md) for more.", "house/prices/prices.md", "", "registry"),
        ("See RFC 9110 for the prices.", "house/prices/prices.md", "", "registry"),
        ("See [the rules](rules.md) for more.", HOUSE, "", "registry"),
    ],
)
async def test_a_place_is_found_in_the_document_then_the_collection_then_the_base(
    base: SmallBase, draft: str, document: str, section: str, by: str
) -> None:
    found = await reference(base, draft)
    assert found is not None
    assert (found.status, found.document, found.section, found.by) == ("resolved", document, section, by)


@pytest.mark.parametrize(
    "draft",
    [
        "It is set out in section 77.",
        "See Section 5 of RFC 2616.",
        "See section 4 of RFC 9110.",
        "Смотрите ст. 5 ГК РФ.",
        "See [the roof](roof.md) for more.",
    ],
)
async def test_a_place_that_is_not_there_is_named_unresolved(base: SmallBase, draft: str) -> None:
    found = await reference(base, draft)
    assert found is not None
    assert (found.status, found.by, found.chunk_ids) == ("unresolved", None, ())


async def test_a_number_is_not_looked_for_beyond_the_collection_where_that_is_not_allowed(base: SmallBase) -> None:
    near = await reference(base, "See section 11.9.", everywhere=False)
    assert near is not None
    assert near.status == "resolved"
    far = await reference(base, "See section 27.4.", everywhere=False)
    assert far is not None
    assert far.status == "unresolved"


async def test_a_place_that_the_asker_may_not_see_is_not_found(base: SmallBase) -> None:
    hidden = await reference(base, "See section 88.8.")
    assert hidden is not None
    assert hidden.status == "unresolved"
    shown = await reference(base, "See section 88.8.", audience=frozenset({"public", "staff"}))
    assert shown is not None
    assert shown.document == "house/secret/safe.md"


@pytest.mark.parametrize(
    ("draft", "section"),
    [
        ("It is as described in the preceding section.", "2.1"),
        ("Это описано в предыдущем разделе.", "2.1"),
    ],
)
async def test_a_relative_place_comes_from_the_order_of_sections(base: SmallBase, draft: str, section: str) -> None:
    found = await reference(base, draft, "2.2")
    assert found is not None
    assert (found.type, found.status, found.by, found.section) == ("relative", "resolved", "structure", section)


async def test_there_is_nothing_before_the_first_and_this_section_is_no_reference(base: SmallBase) -> None:
    first = await reference(base, "It is as described in the preceding section.", "2.1")
    assert first is not None
    assert first.status == "unresolved"
    assert await reference(base, "The rules of this section apply.", "2.1") is None


@pytest.mark.parametrize("said", ["Unless RFC 9110 says otherwise", "Except as [listed](prices.md) here"])
async def test_what_a_document_says_of_itself_as_a_whole_is_no_reference(tmp_path: Path, said: str) -> None:
    prices = "house/prices/prices.md"
    base = await small_base(tmp_path, FILES | {prices: PRICES.replace("A wash", f"{said}, a wash")})
    one = await chunk(base, prices, "27.4")
    referencer = TableReferencer(base.library(), base.documents, base.index, base.policy.references)
    evidence = Evidence(chunks=(ScoredChunk(chunk=one, score=0.8),), sufficient=True)
    question = Question(text="What does a wash cost?")
    followed = await referencer.follow(question, f"{said}, a wash costs two coins.", [one.id], evidence)
    assert (followed.references, followed.evidence) == ((), None)
    labelled = await referencer.follow(question, f"{said}, see section 1.", [one.id], evidence)
    assert [found.section for found in labelled.references] == ["1"]


class Picks:
    """A chooser that knows the answer, and remembers what it was asked."""

    def __init__(self, title: str | None) -> None:
        self.title = title
        self.asked: list[tuple[str, list[str]]] = []

    async def choose(
        self, question: Question, reference: Reference, context: str, meanings: Sequence[Meaning]
    ) -> tuple[int | None, Usage]:
        titles = [place.document for place in meanings]
        self.asked.append((context, titles))
        return (titles.index(self.title) if self.title else None), Usage(model_calls=1)


async def test_only_what_fits_several_places_goes_to_the_chooser(tmp_path: Path) -> None:
    files = FILES | {"house/rules/garden.md": PARKING.replace("Parking Order", "Garden Order")}
    base = await small_base(tmp_path, files)
    chooser = Picks("Garden Order")
    clear = await reference(base, "It is set out in section 3.", chooser=chooser)
    assert clear is not None
    assert chooser.asked == []
    found = await reference(base, "Guests park as section 11.9 says.", chooser=chooser)
    assert found is not None
    assert (found.document, found.by) == ("house/rules/garden.md", "model")
    ((context, titles),) = chooser.asked
    assert "section 11.9" in context
    assert sorted(titles) == ["Garden Order", "Parking Order"]

    undecided = await reference(base, "Guests park as section 11.9 says.", chooser=Picks(None))
    assert undecided is not None
    assert undecided.status == "unresolved"
    without = await reference(base, "Guests park as section 11.9 says.")
    assert without is not None
    assert without.status == "unresolved"
