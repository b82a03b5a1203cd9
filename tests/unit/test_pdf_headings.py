"""Sections of a PDF: by its outline, by the look and numbers of its headings, by its pages."""

from __future__ import annotations

from engine.ingest.parsers.pdf import parse_pdf
from engine.types import ParsedDocument
from tests.pdf_files import PdfBuilder, PdfPage

SENTENCE = "The tenant pays the rent in time and keeps the rooms of the house clean for the owner."


def parsed(builder: PdfBuilder) -> ParsedDocument:
    return parse_pdf("a.pdf", builder.build())


def tree(document: ParsedDocument) -> list[tuple[int, str, str]]:
    return [(one.level, one.number, one.title) for one in document.sections[1:]]


def body(page: PdfPage, y: float) -> float:
    return page.lines(60, y, SENTENCE, SENTENCE, SENTENCE) - 12


def test_numbers_that_the_outline_lacks_are_read_from_the_page() -> None:
    builder = PdfBuilder(title="Руководство новичка")
    page = builder.page()
    page.text(60, 700, "Глава 1", size=20, look="bold")
    page.text(60, 660, "Хорошее начало", size=24, look="bold")
    body(page, 620)
    page.text(60, 500, "1.1 Программы, нужные", size=14, look="bold")
    page.text(60, 482, "для работы", size=14, look="bold")
    body(page, 450)
    page.text(60, 380, "A.2 debian/rules", size=14, look="bold")
    body(page, 360)
    builder.bookmark(1, "Хорошее начало", 1, 720)
    builder.bookmark(2, "Программы, нужные для работы", 1, 514)
    builder.bookmark(2, "debian/rules", 1, 394)
    document = parsed(builder)
    assert document.title == "Руководство новичка"
    assert tree(document) == [
        (1, "1", "Хорошее начало"),
        (2, "1.1", "Программы, нужные для работы"),
        (2, "A.2", "debian/rules"),
    ]
    assert [len(one.blocks) for one in document.sections] == [0, 1, 1, 1]


def test_numbers_in_words_on_lines_of_their_own() -> None:
    builder = PdfBuilder()
    for number, word in enumerate(("ONE", "TWELVE", "TWENTYTHREE")):
        page = builder.page()
        page.text(480, 780, "CHAPTER", size=10, look="bold")
        page.text(480, 750, word, size=14, look="bold")
        page.text(400, 700, f"TITLE {'ABC'[number]} OF IT", size=14, look="bold")
        body(page, 650)
        builder.bookmark(1, f"Title {'ABC'[number]} of it", number + 1, 800)
    assert tree(parsed(builder)) == [(1, "1", "Title A of it"), (1, "12", "Title B of it"), (1, "23", "Title C of it")]


def test_an_outline_that_points_elsewhere_is_not_believed() -> None:
    builder = PdfBuilder()
    for number in (1, 2, 3):
        page = builder.page()
        page.text(60, 780, f"{number}. Rules of kind {number}", size=14, look="bold")
        body(page, 750)
        builder.bookmark(1, f"scan{number:04}.tif", number, 842)
    assert tree(parsed(builder)) == [(1, str(number), f"Rules of kind {number}") for number in (1, 2, 3)]


def test_equal_titles_are_told_apart_by_their_places() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 780.0
    for number in ("1", "1.1", "2", "2.1"):
        title = "Overview" if "." in number else f"Topic {'AB'[int(number) - 1]}"
        page.text(60, y, f"{number} {title}", size=14, look="bold")
        builder.bookmark(number.count(".") + 1, title, 1, y + 14)
        y = body(page, y - 30) - 10
    assert tree(parsed(builder)) == [
        (1, "1", "Topic A"),
        (2, "1.1", "Overview"),
        (1, "2", "Topic B"),
        (2, "2.1", "Overview"),
    ]


def test_a_sparse_outline_is_made_finer() -> None:
    builder = PdfBuilder()
    for number in range(1, 9):
        page = builder.page()
        if number in (1, 4, 7):
            page.text(60, 780, f"{number // 3 + 1} Chapter of things", size=16, look="bold")
            builder.bookmark(1, "Chapter of things", number, 796)
        page.text(
            60,
            740,
            f"{(number - 1) // 3 + 1}.{(number - 1) % 3 + 1} Rule for {'abcdefgh'[number - 1]}",
            size=13,
            look="bold",
        )
        body(page, 710)
    numbers = [one.number for one in parsed(builder).sections[1:]]
    assert numbers == ["1", "1.1", "1.2", "1.3", "2", "2.1", "2.2", "2.3", "3", "3.1", "3.2"]


def test_headings_by_size_and_weight() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.text(150, 800, "Rules of the house", size=22, look="bold")
    y = 760.0
    for size, title in [(16, "Guests"), (13, "By day"), (13, "By night"), (16, "Payment")]:
        page.text(60, y, title, size=size, look="bold")
        y = body(page, y - 24) - 8
    document = parsed(builder)
    assert document.title == "Rules of the house"
    assert tree(document) == [(1, "", "Guests"), (2, "", "By day"), (2, "", "By night"), (1, "", "Payment")]


def test_numbered_headings_in_bold_of_the_size_of_the_text() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 800.0
    for title in (
        "1 Scope",
        "1.1 Who is meant",
        "1.2 What is meant",
        "2 Payment",
        "2.1 When",
        "Приложение А. Ведомость",
    ):
        page.text(60, y, title, look="bold")
        y = body(page, y - 18) - 8
    assert tree(parsed(builder)) == [
        (1, "1", "Scope"),
        (2, "1.1", "Who is meant"),
        (2, "1.2", "What is meant"),
        (1, "2", "Payment"),
        (2, "2.1", "When"),
        (1, "А", "Ведомость"),
    ]


def test_articles_of_a_law_in_plain_letters() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 800.0
    page.text(220, y, "Глава 1. Жильё", look="bold")
    y -= 30
    for article in (1, 2, 3):
        page.text(80, y, f"Статья {article}. Право на жильё")
        y = body(page, y - 18) - 8
    assert [(one.number, one.title) for one in parsed(builder).sections[1:] if "Право" in one.title] == [
        (str(article), "Право на жильё") for article in (1, 2, 3)
    ]


def test_clauses_of_a_contract_that_begin_in_bold() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 800.0
    for number, title in [
        ("1.", "Users"),
        ("2.", "Data"),
        ("2.1.", "Security"),
        ("2.2.", "Backups"),
        ("3.", "Fees"),
        ("4.", "End"),
    ]:
        page.text(60, y, f"{number} {title}", look="bold")
        page.text(60 + 5 * len(f"{number} {title}"), y, ". The customer does what is due here.")
        y = page.lines(60, y - 12, SENTENCE) - 8
    assert tree(parsed(builder)) == [
        (1, "1", "Users"),
        (1, "2", "Data"),
        (2, "2.1", "Security"),
        (2, "2.2", "Backups"),
        (1, "3", "Fees"),
        (1, "4", "End"),
    ]


def test_a_heading_of_two_lines_is_one() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 800.0
    for number in (1, 2, 3):
        page.text(60, y, f"{number} A heading that goes on until the line is full and then", size=14, look="bold")
        page.text(60, y - 17, "ends in the next one", size=14, look="bold")
        y = body(page, y - 45) - 10
    assert [one.title for one in parsed(builder).sections[1:]] == [
        "A heading that goes on until the line is full and then ends in the next one"
    ] * 3


def test_bold_lines_inside_a_paragraph_are_no_headings() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 800, SENTENCE)
    page.text(
        60, 788, "and here a whole line of the paragraph stands in bold letters to warn the reader of it", look="bold"
    )
    page.lines(60, 776, SENTENCE)
    assert len(parsed(builder).sections) == 1


def test_a_document_without_headings_is_parted_by_pages() -> None:
    builder = PdfBuilder()
    for _ in range(3):
        body(builder.page(), 600)
    document = parsed(builder)
    assert [(one.number, one.page) for one in document.sections[1:]] == [("", 1), ("", 2), ("", 3)]
    assert all(one.blocks for one in document.sections[1:])


def test_a_heading_that_goes_on_over_the_page_break() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.text(60, 780, "Статья 1. О правах", look="bold")
    body(page, 750)
    page.text(60, 60, f"Статья 2. {'Очень длинное название ' * 4}", look="bold")
    page = builder.page()
    page.text(60, 780, "и его конец", look="bold")
    body(page, 750)
    page.text(60, 600, "Статья 3. О вещах", look="bold")
    body(page, 570)
    sections = parsed(builder).sections[1:]
    assert [one.number for one in sections] == ["1", "2", "3"]
    assert sections[1].title.endswith("название и его конец")


def test_chapters_stand_under_divisions_and_over_articles() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 800.0
    for title in (
        "РАЗДЕЛ I. ОБЩЕЕ",
        "Глава 1. Основы",
        "Статья 1. Права",
        "Статья 2. Долги",
        "РАЗДЕЛ II. ЧАСТНОЕ",
        "Глава 3. Дом",
    ):
        page.text(60, y, title, look="bold")
        y = body(page, y - 20) - 10
    assert [one.level for one in parsed(builder).sections[1:]] == [1, 2, 3, 3, 1, 2]


def test_deep_headings_smaller_than_the_text() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 800.0
    for size, title in ((14, "1 Cache"), (12, "1.1 Requests"), (8.5, "1.1.1 max-age"), (8.5, "1.1.2 no-store")):
        page.text(60, y, title, size=size, look="bold")
        y = body(page, y - 20) - 10
    assert [one.number for one in parsed(builder).sections[1:]] == ["1", "1.1", "1.1.1", "1.1.2"]
