"""The numbers of Word's lists, against what ECMA-376 (part 1, 17.9 and 17.18.59) says they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.ingest.parsers.docx_body import Paragraph, read_body
from engine.ingest.parsers.docx_formats import format_number
from engine.ingest.parsers.docx_numbering import Label
from engine.ingest.parsers.docx_package import open_word_file
from tests.docx_files import abstract, bold, docx, instance, level, p, run, style

DECIMAL = (level(0, "decimal", "%1."), level(1, "decimal", "%1.%2."), level(2, "decimal", "%1.%2.%3."))


def labels(data: bytes) -> list[Label]:
    blocks = read_body(open_word_file("a.docx", data))
    return [block.label for block in blocks if isinstance(block, Paragraph) and block.label is not None]


def seen(numbering: str, *uses: tuple[int, int]) -> str:
    return " ".join(label.text for label in labels(docx(*(p("x", num=use) for use in uses), numbering=numbering)))


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        ("decimal", {1: "1", 10: "10", 0: "0"}),
        ("upperRoman", {1: "I", 4: "IV", 9: "IX", 14: "XIV", 40: "XL", 1994: "MCMXCIV", 0: "0"}),
        ("lowerRoman", {3: "iii", 90: "xc"}),
        ("upperLetter", {1: "A", 26: "Z", 27: "AA", 52: "ZZ", 53: "AAA"}),
        ("lowerLetter", {2: "b", 28: "bb"}),
        ("russianUpper", {1: "А", 7: "Ж", 10: "К", 26: "Ы", 29: "Я", 30: "АА"}),
        ("russianLower", {6: "е", 9: "и", 10: "к", 25: "щ", 26: "ы", 27: "э", 31: "бб"}),
        ("decimalZero", {1: "01", 9: "09", 10: "10", 100: "100"}),
        (
            "ordinal",
            {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th"},
        ),
        ("cardinalText", {1: "One", 12: "Twelve", 21: "Twenty-one", 40: "Forty", 105: "One hundred five"}),
        (
            "ordinalText",
            {1: "First", 3: "Third", 12: "Twelfth", 20: "Twentieth", 21: "Twenty-first", 105: "One hundred fifth"},
        ),
        ("chicago", {1: "*", 2: "†", 4: "§", 5: "**"}),
        ("hex", {10: "A", 31: "1F"}),
        ("numberInDash", {7: "- 7 -"}),
        ("decimalEnclosedCircle", {1: "①", 20: "⑳", 21: "21"}),
        ("decimalEnclosedParen", {2: "⑵"}),
        ("decimalEnclosedFullstop", {3: "⒊"}),
        ("decimalFullWidth", {12: "１２"}),
        ("none", {3: ""}),
        ("bullet", {3: ""}),
        ("koreanDigital", {3: "3"}),
    ],
)
def test_number_formats(style: str, expected: dict[int, str]) -> None:
    assert {number: format_number(number, style) for number in expected} == expected


@pytest.mark.parametrize("letter", "ёйъь")
def test_russian_lists_leave_letters_out(letter: str) -> None:
    written = [format_number(number, "russianLower") for number in range(1, 30)]
    assert letter not in written
    assert written == sorted(written)


def test_a_custom_format_is_padded_as_its_pattern() -> None:
    custom = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><mc:AlternateContent><mc:Choice Requires="w14">'
        '<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback>'
        '<w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent><w:lvlText w:val="№ %1"/></w:lvl>'
    )
    assert seen(abstract(0, custom) + instance(1, 0), (1, 0), (1, 0)) == "№ 001 № 002"


@pytest.mark.parametrize(
    ("numbering", "uses", "expected"),
    [
        pytest.param(
            abstract(0, *DECIMAL) + instance(1, 0),
            [(1, 0), (1, 1), (1, 1), (1, 2), (1, 0), (1, 1), (1, 2)],
            "1. 1.1. 1.2. 1.2.1. 2. 2.1. 2.1.1.",
            id="deeper levels restart",
        ),
        pytest.param(
            abstract(0, *DECIMAL) + instance(1, 0) + instance(2, 0),
            [(1, 0), (1, 1), (2, 0), (2, 1), (1, 1), (1, 0)],
            "1. 1.1. 2. 2.1. 2.2. 3.",
            id="instances of one list go on",
        ),
        pytest.param(
            abstract(0, *DECIMAL) + abstract(1, *DECIMAL) + instance(1, 0) + instance(2, 1),
            [(1, 0), (2, 0), (1, 0), (2, 1)],
            "1. 1. 2. 1.1.",
            id="lists count apart",
        ),
        pytest.param(
            abstract(0, *DECIMAL) + instance(1, 0) + instance(2, 0, starts={0: 1}),
            [(1, 0), (1, 0), (2, 0), (2, 0), (2, 1), (1, 0)],
            "1. 2. 1. 2. 2.1. 3.",
            id="an instance restarts once",
        ),
        pytest.param(
            abstract(0, *DECIMAL) + instance(1, 0) + instance(2, 0, starts={0: 7, 1: 4}),
            [(1, 0), (2, 0), (2, 1), (2, 1), (2, 0), (2, 1)],
            "1. 7. 7.4. 7.5. 8. 8.4.",
            id="an overridden start holds at every restart",
        ),
        pytest.param(
            abstract(0, *DECIMAL)
            + instance(1, 0)
            + instance(2, 0, overrides=f'<w:lvlOverride w:ilvl="1">{level(1, "upperLetter", "%2)")}</w:lvlOverride>'),
            [(1, 0), (1, 1), (2, 1)],
            "1. 1.1. B)",
            id="an instance redefines a level",
        ),
        pytest.param(
            abstract(0, level(0, "decimal", "%1."), level(1, "decimal", "%2)", more='<w:lvlRestart w:val="0"/>'))
            + instance(1, 0),
            [(1, 0), (1, 1), (1, 1), (1, 0), (1, 1)],
            "1. 1) 2) 2. 3)",
            id="a level that never restarts",
        ),
        pytest.param(
            abstract(0, *DECIMAL[:2], level(2, "lowerLetter", "%3)", more='<w:lvlRestart w:val="1"/>'))
            + instance(1, 0),
            [(1, 0), (1, 1), (1, 2), (1, 1), (1, 2), (1, 0), (1, 1), (1, 2)],
            "1. 1.1. a) 1.2. b) 2. 2.1. a)",
            id="a level restarted by the topmost one only",
        ),
        pytest.param(
            abstract(0, *DECIMAL) + instance(1, 0),
            [(1, 1), (1, 1), (1, 0), (1, 2), (1, 1)],
            "1.1. 1.2. 2. 2.1.1. 2.2.",
            id="levels passed over count as begun",
        ),
        pytest.param(
            abstract(0, level(0, "decimal", "%1.", start=0), level(1, "decimal", "%1.%2", start=5)) + instance(1, 0),
            [(1, 0), (1, 1), (1, 1), (1, 0), (1, 1)],
            "0. 0.5 0.6 1. 1.5",
            id="other starts",
        ),
        pytest.param(
            abstract(
                0,
                level(0, "upperRoman", "%1."),
                level(1, "decimal", "%1.%2", more="<w:isLgl/>"),
                level(2, "decimalZero", "%1.%2.%3", more="<w:isLgl/>"),
                level(3, "lowerLetter", "%1.%2.%4"),
            )
            + instance(1, 0),
            [(1, 0), (1, 0), (1, 1), (1, 2), (1, 3)],
            "I. II. 2.1 2.1.01 II.1.a",
            id="legal levels write digits",
        ),
        pytest.param(
            abstract(0, level(0, "none", "%1"), level(1, "decimal", "§ %2")) + instance(1, 0),
            [(1, 0), (1, 1), (1, 1)],
            " § 1 § 2",
            id="a level without numbers",
        ),
        pytest.param(
            abstract(0, *DECIMAL) + instance(1, 0), [(1, 0), (9, 0), (1, 7), (1, 0)], "1. 2.", id="undefined lists"
        ),
        pytest.param(abstract(0, level(0, "bullet", "·")) + instance(1, 0), [(1, 0), (1, 0)], "- -", id="bullets"),
    ],
)
def test_counters(numbering: str, uses: list[tuple[int, int]], expected: str) -> None:
    assert seen(numbering, *uses) == expected


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("%1.", "decimal", "1"),
        ("(%1)", "lowerLetter", "a"),
        ("%1)", "russianLower", "а"),
        ("Статья %1.", "decimal", "1"),
        ("Appendix %1  ", "upperLetter", "A"),
        ("5.%1.", "decimal", "5.1"),
        ("A-%1", "decimal", "A-1"),
        ("п.%1", "decimal", "1"),
        ("%1 clause", "ordinal", "1"),
        ("Article %1", "cardinalText", "1"),
        ("%1", "decimalFullWidth", "1"),
        ("%1", "numberInDash", "1"),
        ("Note:", "decimal", ""),
    ],
)
def test_the_number_that_references_spell(text: str, kind: str, number: str) -> None:
    (label,) = labels(docx(p("x", num=(1, 0)), numbering=abstract(0, level(0, kind, text)) + instance(1, 0)))
    assert label.number == number


def test_styles_number_their_paragraphs() -> None:
    numbering = abstract(
        0,
        level(0, "decimal", "%1", more='<w:pStyle w:val="Part"/>'),
        level(1, "decimal", "%1.%2", more='<w:pStyle w:val="Sub"/>'),
    ) + instance(4, 0)
    listed = '<w:numPr><w:numId w:val="4"/></w:numPr>'
    styles = (
        style("Part", "Part", properties=listed)
        + style("Sub", "Sub", properties=listed)
        + style("Heir", "Heir", base="Sub")
        + style("Off", "Off", base="Sub", properties='<w:numPr><w:numId w:val="0"/></w:numPr>')
    )
    data = docx(
        p("a", style="Part"),
        p("b", style="Sub"),
        p("inherits", style="Heir"),
        p("switched off by its style", style="Off"),
        p("switched off here", style="Sub", num=(0, 0)),
        p("moved up here", style="Sub", num=(4, 0)),
        p("only a level", style="Sub", properties='<w:numPr><w:ilvl w:val="1"/></w:numPr>'),
        numbering=numbering,
        styles=styles,
    )
    assert [label.text for label in labels(data)] == ["1", "1.1", "1.2", "2", "2.1"]


def test_list_styles_lend_their_levels() -> None:
    numbering = (
        abstract(0, *DECIMAL, more='<w:styleLink w:val="Lent"/>')
        + abstract(1, more='<w:numStyleLink w:val="Lent"/>')
        + instance(1, 0)
        + instance(2, 1)
    )
    styles = style("Lent", "Lent", kind="numbering", properties='<w:numPr><w:numId w:val="1"/></w:numPr>')
    data = docx(p("a", num=(2, 0)), p("b", num=(2, 1)), p("c", num=(1, 0)), numbering=numbering, styles=styles)
    assert [label.text for label in labels(data)] == ["1.", "1.1.", "2."]


def test_what_is_not_shown_is_not_counted() -> None:
    data = docx(
        p("a", num=(1, 0)),
        p(run("hidden", "<w:vanish/>"), num=(1, 0), properties="<w:rPr><w:vanish/></w:rPr>"),
        p("<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>", num=(1, 0), properties="<w:rPr><w:del/></w:rPr>"),
        p("between"),
        p(num=(1, 0)),
        p("b", num=(1, 0)),
        numbering=abstract(0, *DECIMAL) + instance(1, 0),
    )
    assert [label.text for label in labels(data)] == ["1.", "2.", "3."]


def test_styles_in_a_ring_end() -> None:
    styles = style("A", "a", base="B") + style("B", "b", base="A")
    blocks = read_body(open_word_file("a.docx", docx(p(bold("x"), style="A"), styles=styles)))
    assert len(blocks) == 1


@given(st.lists(st.integers(0, 2), min_size=1, max_size=40))
def test_a_multilevel_list_counts_like_an_outline(depths: list[int]) -> None:
    """The model: a path of counters; a deeper level opens below the last one, a higher one cuts the path."""
    path: list[int] = []
    expected: list[str] = []
    for depth in depths:
        if depth < len(path):
            path = [*path[:depth], path[depth] + 1]
        else:
            path += [1] * (depth + 1 - len(path))
        expected.append(".".join(map(str, path)))
    data = docx(*(p("x", num=(1, depth)) for depth in depths), numbering=abstract(0, *DECIMAL) + instance(1, 0))
    assert [label.number for label in labels(data)] == expected


@given(st.integers(1, 3999))
def test_roman_numbers_say_their_value(number: int) -> None:
    worth = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    values = [worth[sign] for sign in format_number(number, "upperRoman")]
    total = sum(-one if one < following else one for one, following in zip(values, [*values[1:], 0], strict=True))
    assert total == number
