"""The parser of plain text: RFC layout, flat text, underlined headings, Markdown in disguise."""

from __future__ import annotations

from engine.ingest.parsers import parse
from engine.types import ParsedDocument, Section


def parsed(path: str, text: str) -> ParsedDocument:
    return parse(path, text.encode())


def outline(document: ParsedDocument) -> list[tuple[int, str, str]]:
    return [(one.level, one.number, one.title) for one in document.sections[1:]]


def texts(section: Section) -> list[str]:
    return [block.text for block in section.blocks]


def objects(document: ParsedDocument, kind: str) -> list[tuple[str, str]]:
    return [(one.label, one.title) for one in document.objects if one.kind == kind]


RFC = """
Network Working Group                                     A. Author
Request for Comments: 1                                   January 2005


                       Generic Syntax of Things

Abstract

   A thing is what this document
   describes.  It has a shape,
   a colour, a place where it
   stands, and a number by which
   it can be found again when it
   has been lost for some time,
   as things are wont to be.

Author                      Standards Track                     [Page 1]
\f
RFC 1                         Generic Syntax                January 2005

Table of Contents

   1.  Introduction . . . . . . . . . . . . . . . . . . . . . . . .  2
   1.1.  Overview . . . . . . . . . . . . . . . . . . . . . . . . .  2
   Appendix A.  Grammar . . . . . . . . . . . . . . . . . . . . . .  3

1.  Introduction

   Things are compact sequences that go on over

Author                      Standards Track                     [Page 2]
\f
RFC 1                         Generic Syntax                January 2005

   the end of the page, as in pre-
   existing documents.

1.1.  Overview

   o  one item
      that goes on
   o  another

      thing  =  part  *( "/"  part )
      part   =  letter   digit

Appendix A.  Grammar

   Nothing.

Author                      Standards Track                     [Page 3]
"""


def test_the_layout_of_rfcs() -> None:
    document = parsed("rfc1.txt", RFC)
    assert document.title == "Generic Syntax of Things"
    assert outline(document) == [
        (1, "", "Abstract"),
        (1, "1", "Introduction"),
        (2, "1.1", "Overview"),
        (1, "A", "Grammar"),
    ]
    assert texts(document.sections[2]) == [
        "Things are compact sequences that go on over the end of the page, as in pre-existing documents."
    ]
    overview = document.sections[3]
    assert texts(overview)[:2] == ["- one item that goes on", "- another"]
    assert overview.blocks[2].kind == "code"
    assert overview.page == 3
    assert "[Page" not in " ".join(text for section in document.sections for text in texts(section))


def test_flat_text() -> None:
    document = parsed(
        "a.txt",
        "Правила дома\n\n1. Общие положения\n\nЭти правила обязательны.\n\n1.1 Гости\n\nГости приходят днём.\n\n"
        "Нужно:\n\n1. Снять обувь.\n\n2. Закрыть дверь.\n",
    )
    assert document.title == "Правила дома"
    assert outline(document) == [(1, "1", "Общие положения"), (2, "1.1", "Гости")]
    assert texts(document.sections[2]) == ["Гости приходят днём.", "Нужно:", "1. Снять обувь.", "2. Закрыть дверь."]


def test_underlined_headings() -> None:
    document = parsed("a.txt", "Guide\n=====\n\nText.\n\nFirst\n-----\nMore.\n\nSecond\n------\n\nEnd.\n")
    assert document.title == "Guide"
    assert outline(document) == [(1, "", "First"), (1, "", "Second")]


def test_markdown_in_a_text_file() -> None:
    document = parsed(
        "a.txt", "**Parking**\n\n---\n\n### 1. Prices\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n### 2. Rules\n\nText.\n"
    )
    assert document.title == "Parking"
    assert outline(document) == [(1, "1", "Prices"), (1, "2", "Rules")]
    assert document.sections[1].blocks[0].kind == "table"
    assert texts(document.sections[0]) == []


INDENTED = "".join(
    f"{1 + row // 3}.{1 + row % 3}. Title {'abcdef'[row]}\n\n" + "    Some text\n" * 4 + "\n" for row in range(6)
)


def test_long_numbered_headings_at_the_margin_of_indented_text() -> None:
    lines = "3.1. " + "a heading whose title takes\n" * 4 + "five lines of the text\n\n    Below it.\n"
    sections = parsed("a.txt", INDENTED + lines).sections
    assert sections[-1].number == "3.1"
    assert sections[-1].title.endswith("five lines of the text")
    assert texts(sections[-1]) == ["Below it."]


def test_an_underlined_sample_among_numbered_headings_is_no_heading() -> None:
    sample = "The sample\n----------\n\n    is told here.\n\n3.1. End\n\n    It ends.\n"
    numbers = [one.number for one in parsed("a.txt", INDENTED + sample).sections[1:]]
    assert numbers == ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3", "3.1"]


def test_items_of_a_list_among_underlined_numbered_headings_are_no_headings() -> None:
    heading = "{0}. Part\n=======\n\nSome text.\n\n1. First\n\n2. Second item\n\nAnd more text.\n\n"
    document = parsed("a.txt", "".join(heading.format(number) for number in (1, 2, 3)))
    assert [one.number for one in document.sections[1:]] == ["1", "2", "3"]
    assert "2. Second item" in texts(document.sections[1])
