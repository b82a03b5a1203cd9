"""Lists, code, tables and captions in a PDF."""

from __future__ import annotations

from engine.ingest.parsers.pdf import parse_pdf
from engine.types import ParsedDocument
from tests.pdf_files import PdfBuilder

SENTENCE = "The tenant pays the rent in time and keeps the rooms of the house clean for the owner."


def parsed(builder: PdfBuilder) -> ParsedDocument:
    return parse_pdf("a.pdf", builder.build())


def blocks(document: ParsedDocument) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for section in document.sections for block in section.blocks]


def test_list_items_keep_their_marks() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 800, SENTENCE)
    page.lines(75, 780, "• one thing that is long enough to be set in two lines", "of the page")
    page.lines(75, 756, "• another")
    page.lines(75, 740, "1. count this", "2. and this")
    page.lines(75, 710, "(a) the first letter", "(b) the second one")
    page.lines(60, 680, "а) буква", "б) другая")
    assert blocks(parsed(builder))[1:] == [
        ("list_item", "- one thing that is long enough to be set in two lines of the page"),
        ("list_item", "- another"),
        ("list_item", "1. count this"),
        ("list_item", "2. and this"),
        ("list_item", "(a) the first letter"),
        ("list_item", "(b) the second one"),
        ("list_item", "а) буква"),
        ("list_item", "б) другая"),
    ]


def test_nested_list_items_are_indented() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 800, SENTENCE)
    page.lines(60, 780, "• outer")
    page.lines(90, 766, "• inner")
    assert blocks(parsed(builder))[1:] == [("list_item", "- outer"), ("list_item", "  - inner")]


def test_code_keeps_its_lines_and_indents() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 800, SENTENCE)
    page.lines(60, 780, "build:", size=9, look="mono")
    page.lines(60 + 4 * 5.4, 769, "* make all", "- echo done", size=9, look="mono")
    page.lines(60, 730, SENTENCE)
    kinds = blocks(parsed(builder))
    assert kinds[1] == ("code", "build:\n    * make all\n    - echo done")
    assert [kind for kind, _ in kinds] == ["paragraph", "code", "paragraph"]


def test_a_table_with_rules() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 800, SENTENCE)
    for y in (780, 760, 730, 710):
        page.rule(60, y, 360, y)
    for x in (60, 160, 260, 360):
        page.rule(x, 710, x, 780)
    for x, cells in (
        (65, ["Plan", "Small flat", "Big"]),
        (165, ["Price", "10", "20"]),
        (265, ["Term", "month", "year"]),
    ):
        for y, cell in zip((767, 748, 717), cells, strict=True):
            page.text(x, y, cell)
    page.text(65, 736, "of one room")
    page.lines(60, 690, SENTENCE)
    assert blocks(parsed(builder))[1] == (
        "table",
        "| Plan | Price | Term |\n| --- | --- | --- |\n| Small flat of one room | 10 | month |\n| Big | 20 | year |",
    )


def test_a_table_without_rules() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 800, SENTENCE)
    for row, cells in enumerate([("Plan", "Price", "Term"), ("Small", "10", "month"), ("Big", "20", "year")]):
        for column, cell in enumerate(cells):
            page.text(60 + 120 * column, 770 - 14 * row, cell)
    page.lines(60, 710, SENTENCE)
    assert blocks(parsed(builder))[1:-1] == [
        ("table", "| Plan | Price | Term |\n| --- | --- | --- |\n| Small | 10 | month |\n| Big | 20 | year |")
    ]


def test_a_frame_around_text_is_no_table() -> None:
    builder = PdfBuilder()
    page = builder.page()
    for y in (700, 800):
        page.rule(50, y, 550, y)
    for x in (50, 550):
        page.rule(x, 700, x, 800)
    page.lines(60, 780, SENTENCE, SENTENCE)
    assert [kind for kind, _ in blocks(parsed(builder))] == ["paragraph"]


def test_captions_are_objects_and_no_headings() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = page.lines(60, 800, SENTENCE, SENTENCE)
    page.text(60, y - 6, "Таблица 2. Платежи за жильё", look="bold")
    page.lines(60, y - 30, SENTENCE)
    page.text(60, y - 60, "Figure 3: How the rooms lie")
    page.lines(60, y - 90, SENTENCE)
    document = parsed(builder)
    assert [(one.kind, one.label, one.title) for one in document.objects] == [
        ("table", "2", "Платежи за жильё"),
        ("figure", "3", "How the rooms lie"),
    ]
    assert len(document.sections) == 1


def test_rows_of_a_table_without_rules_between_them() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 800, SENTENCE)
    for y in (780, 760, 700):
        page.rule(60, y, 260, y)
    for x in (60, 160, 260):
        page.rule(x, 700, x, 780)
    for x, cells in ((65, ["Plan", "Small", "Mean", "Big"]), (165, ["Price", "10", "15", "20"])):
        for y, cell in zip((767, 748, 730, 712), cells, strict=True):
            page.text(x, y, cell)
    assert blocks(parsed(builder))[1][1].count("\n") == 4


def test_underlined_words_in_a_cell_are_no_rows() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 800, SENTENCE)
    for y in (780, 740, 700):
        page.rule(60, y, 360, y)
    for x in (60, 160, 360):
        page.rule(x, 700, x, 780)
    page.text(65, 767, "Plan")
    page.text(165, 767, "see the list of it")
    page.rule(165, 765, 255, 765)
    page.text(165, 750, "and the price")
    page.text(65, 720, "Price")
    page.text(165, 720, "none")
    assert blocks(parsed(builder))[1][1].split("\n")[0] == "| Plan | see the list of it and the price |"


def test_numbered_paragraphs_with_an_indented_first_line() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 800.0
    for number in (1, 2, 3):
        page.text(90, y, f"{number}. Жилище неприкосновенно, и никто не вправе проникать в него без согласия тех,")
        y = page.lines(
            60,
            y - 12,
            "кто проживает в нём на законных основаниях, кроме случаев, что названы в законах страны,",
            "и в их порядке.",
        )
    items = blocks(parsed(builder))
    assert [kind for kind, _ in items] == ["list_item"] * 3
    assert all(text.endswith("и в их порядке.") for _, text in items)
