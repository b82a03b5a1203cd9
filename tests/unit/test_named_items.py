"""The very items that a reference names."""

from __future__ import annotations

import pytest

from engine.stages.named_items import item_marks, named_items
from engine.text.passages import passages
from engine.types import Chunk, Reference

ARTICLE = """1. Processing of such data is prohibited.

2. Paragraph 1 does not apply if:

(a) the person has consented;

(b) it is needed for work;

(c) it is needed for health.

3. Data may be processed by:

(a) a doctor;

(b) a nurse."""


def chunk(text: str) -> Chunk:
    return Chunk(
        id="c1",
        document="d.md",
        revision="r",
        ordinal=0,
        domain="d",
        collection="c",
        document_title="Act",
        section="9",
        section_title="",
        section_index=1,
        text=text,
        header="",
        language="en",
    )


def quoted(*items: str, chunk_ids: tuple[str, ...] = ("c1",)) -> list[str]:
    one = chunk(ARTICLE)
    parts = [(one, passage) for passage in passages(ARTICLE)]
    reference = Reference(type="section", target="9", marker="Article 9", items=items, chunk_ids=chunk_ids)
    return [parts[index][1].text for index in named_items(parts, [reference])]


@pytest.mark.parametrize(
    ("items", "texts"),
    [
        (("2", "a,c"), ["the person has consented;", "it is needed for health."]),
        (("3", "b"), ["a nurse."]),
        (("2", "a-c"), ["the person has consented;", "it is needed for work;", "it is needed for health."]),
        (("1",), ["Processing of such data is prohibited."]),
        (("7",), []),
        ((), []),
    ],
)
def test_the_way_down_is_followed(items: tuple[str, ...], texts: list[str]) -> None:
    assert quoted(*items) == texts


def test_only_the_place_of_the_reference_is_looked_at() -> None:
    assert quoted("1", chunk_ids=("other",)) == []


@pytest.mark.parametrize(
    ("item", "marks"),
    [
        ("а-в", ["а", "б", "в"]),
        ("«а»-«в»", ["а", "б", "в"]),
        ("a,g", ["a", "g"]),
        ("1-3, 5", ["1", "2", "3", "5"]),
        ("1-900", ["1", "900"]),
        ("2", ["2"]),
    ],
)
def test_marks_of_lists_and_ranges(item: str, marks: list[str]) -> None:
    assert item_marks(item) == marks
