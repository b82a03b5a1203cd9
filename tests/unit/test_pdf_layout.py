"""How the pages of a PDF become running text: columns, line ends, running heads, contents pages, raised numbers."""

from __future__ import annotations

import pytest

from engine.ingest.parsers.pdf import parse_pdf
from engine.ingest.parsers.pdf_words import Vocabulary
from engine.types import ParsedDocument
from tests.pdf_files import PdfBuilder

WORDS = "the tenant pays the rent in time and keeps the rooms clean while the owner mends what breaks".split()


def prose(count: int, words: int = 12, start: int = 0) -> list[str]:
    """Lines of text, all alike in length, none alike in words."""
    return [" ".join(WORDS[(start + line + word) % len(WORDS)] for word in range(words)) for line in range(count)]


def texts(document: ParsedDocument) -> list[str]:
    return [block.text for section in document.sections for block in section.blocks]


def parsed(builder: PdfBuilder) -> ParsedDocument:
    return parse_pdf("a.pdf", builder.build())


def test_lines_become_paragraphs_with_their_page() -> None:
    builder = PdfBuilder()
    first = builder.page()
    y = first.lines(60, 780, "Арендатор платит в срок и не шумит", "после одиннадцати часов вечера.")
    first.lines(60, y - 14, "Собственник чинит то, что сломалось", "само по себе.")
    builder.page().lines(60, 780, "Гости приходят днём.")
    document = parsed(builder)
    assert texts(document) == [
        "Арендатор платит в срок и не шумит после одиннадцати часов вечера.",
        "Собственник чинит то, что сломалось само по себе.",
        "Гости приходят днём.",
    ]
    assert [block.page for section in document.sections for block in section.blocks] == [1, 1, 2]


def test_an_indent_begins_a_paragraph() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(80, 780, "first " * 14)
    page.lines(60, 768, "goes on " * 11, "to its end here")
    page.lines(80, 744, "second " * 12)
    page.lines(60, 732, "has an end too")
    assert [text[:5] for text in texts(parsed(builder))] == ["first", "secon"]


def test_a_paragraph_goes_on_over_the_page_break() -> None:
    builder = PdfBuilder()
    for page, (head, tail) in enumerate([("Начало", "а далее она про-"), ("должается", "и кончается.")]):
        builder.page().lines(60, 700, f"{head} {'слово ' * 12}", f"{'слово ' * 12}{tail}")
        assert len(builder.pages) == page + 1
    [text] = texts(parsed(builder))
    assert "а далее она продолжается слово" in text


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (["supported ported", "it is sup-", "ported here"], "it is supported here"),
        (["out-of-scope", "it is out-of-", "scope here"], "it is out-of-scope here"),
        (["bag of words", "a bag-", "of-words model"], "a bag-of-words model"),
        (["pre-depends, to install", "run pre-", "install now"], "run pre-install now"),
        (["it is unknown", "this is un-", "heard here"], "this is unheard here"),
        (["soft hy\u00ad", "phen"], "soft hyphen"),
        (["in UTF-", "8 or"], "in UTF-8 or"),
        (["he is a non-", "European"], "he is a non-European"),
        (["разработ-", "чика"], "разработчика"),
        (["говорите по-", "русски, кто-", "то услышит; кое-кто по-русски"], "говорите по-русски, кто-то услышит"),
        (["из-", "за угла"], "из-за угла"),
        (["a dash -", "stands alone"], "a dash - stands alone"),
    ],
)
def test_words_split_at_line_ends(lines: list[str], joined: str) -> None:
    vocabulary = Vocabulary(lines)
    text = lines[0]
    for line in lines[1:]:
        text = vocabulary.join(text, line)
    assert joined in text


def test_two_columns_are_read_one_after_the_other() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.text(100, 800, "A title over both of the columns of this page", size=16, look="bold")
    left, right = prose(20, 8), prose(20, 8, start=5)
    for row in range(20):  # the order of the file mixes the columns
        page.text(60, 760 - 12 * row, f"L{row} {left[row]}", size=9)
        page.text(310, 760 - 12 * row, f"R{row} {right[row]}", size=9)
    text = " ".join(texts(parsed(builder)))
    places = [text.index(f"{side}{row} ") for side in "LR" for row in range(20)]
    assert places == sorted(places)


def test_three_columns() -> None:
    builder = PdfBuilder()
    page = builder.page()
    for row in range(15):
        for column in range(3):
            page.text(50 + 170 * column, 760 - 11 * row, f"{'ABC'[column]}{row} some more words here", size=9)
    text = " ".join(texts(parsed(builder)))
    places = [text.index(f"{side}{row} ") for side in "ABC" for row in range(15)]
    assert places == sorted(places)


def test_what_spans_both_columns_parts_them() -> None:
    builder = PdfBuilder()
    page = builder.page()
    for start, name in ((780, "upper"), (500, "lower")):
        for row in range(12):
            page.text(60, start - 12 * row, f"{name} left {row} and some more words", size=9)
            page.text(310, start - 12 * row, f"{name} right {row} and some more words", size=9)
    page.text(60, 560, "This line goes over both columns and tells of what both of them have in common here", size=9)
    text = " ".join(texts(parsed(builder)))
    order = ["upper left 0", "upper right 11", "This line goes over", "lower left 0", "lower right 11"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)


def test_running_heads_and_page_numbers_are_left_out() -> None:
    builder = PdfBuilder()
    for number in range(1, 9):
        page = builder.page()
        page.text(60, 810, f"Правила проживания {'и хранения вещей' if number > 4 else 'гостей'}", size=8)
        page.lines(60, 760, *prose(5, start=number), f"Страница сказала {number} раз.")
        page.text(280, 30, f"{number + 4} / 30", size=8)
    text = " ".join(texts(parsed(builder)))
    assert "проживания" not in text
    assert "/ 30" not in text
    assert text.count("Страница сказала") == 8


def test_heads_that_name_the_section_are_left_out() -> None:
    builder = PdfBuilder()
    for number in range(8):
        page = builder.page()
        page.text(60, 810, f"{WORDS[number].upper()} AND {WORDS[number + 3].upper()}", size=8)
        page.lines(60, 760, *prose(30, start=number))
    text = " ".join(texts(parsed(builder)))
    assert not any(word.upper() in text for word in WORDS)


def test_text_at_the_top_of_pages_without_heads_stays() -> None:
    builder = PdfBuilder()
    for number in range(8):
        builder.page().lines(60, 810, *prose(50, start=number))
    assert len(" ".join(texts(parsed(builder))).split()) == 8 * 50 * 12


def test_contents_pages_are_left_out() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.text(60, 790, "Содержание", size=14, look="bold")
    titles = ["Общие положения", "Оплата", "Гости", "Уборка"]
    for row, title in enumerate(titles):
        page.text(60, 760 - 14 * row, f"{row + 1} {title} {'. ' * 30}{row + 2}")
    for row, title in enumerate(titles):
        page = builder.page()
        page.text(60, 780, f"{row + 1} {title}", size=14, look="bold")
        page.lines(60, 750, *prose(6, start=row))
    document = parsed(builder)
    assert [(one.number, one.title, one.page) for one in document.sections[1:]] == [
        (str(row + 1), title, row + 2) for row, title in enumerate(titles)
    ]
    assert not any(". ." in text for text in texts(document))


def test_contents_without_leaders_are_known_by_their_links() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.text(60, 790, "Contents", size=14, look="bold")
    titles = ["Scope", "Payment", "Guests", "Cleaning"]
    for row, title in enumerate(titles):
        page.text(60, 760 - 14 * row, f"{title} of things")
        page.link(58, 756 - 14 * row, 160, 770 - 14 * row, row + 2)
    for row, title in enumerate(titles):
        page = builder.page()
        page.text(60, 780, f"{title} of things", size=14, look="bold")
        page.lines(60, 750, *prose(6, start=row))
    document = parsed(builder)
    assert [one.page for one in document.sections[1:]] == [2, 3, 4, 5]


def test_raised_numbers_of_articles_and_marks_of_footnotes() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 780, *prose(4))
    page.text(60, 700, "Как сказано в статье 156")
    page.text(60 + 24 * 5, 704, "1", size=6)
    page.text(60 + 24 * 5 + 3, 700, ", площадь в 20 м")
    page.text(60 + 24 * 5 + 3 + 16 * 5, 704, "2", size=6)
    page.text(60, 688, "мала для гостей")
    page.text(60 + 15 * 5, 692, "3", size=6)
    page.text(60 + 15 * 5 + 3, 688, ".")
    page.text(60, 100, "3", size=5)
    page.text(63, 96, "Кроме детей до трёх лет.", size=8)
    document = parsed(builder)
    assert "Как сказано в статье 156.1, площадь в 20 м² мала для гостей." in " ".join(texts(document))
    assert texts(document)[-1] == "Кроме детей до трёх лет."


def test_a_raised_number_in_a_heading() -> None:
    builder = PdfBuilder()
    page = builder.page()
    y = 780.0
    for article in (155, 156, 157):
        page.text(60, y, f"Статья {article}. Плата", look="bold")
        y = page.lines(60, y - 20, *prose(4)) - 10
        if article == 156:
            page.text(60, y, "Статья 156", look="bold")
            page.text(110, y + 4, "1", size=6, look="bold")
            page.text(113, y, ". Наём", look="bold")
            y = page.lines(60, y - 20, *prose(4)) - 10
    assert [one.number for one in parsed(builder).sections[1:]] == ["155", "156", "156.1", "157"]


@pytest.mark.parametrize(("shown", "quarters"), [(90, 1), (270, 3), (0, 1), (180, 2)])
def test_turned_pages(shown: int, quarters: int) -> None:
    builder = PdfBuilder()
    page = builder.page(turned=shown)
    for row, line in enumerate(["The first line of the page", "goes on in the second", "and ends in the third."]):
        x, y = {1: (100 + 12 * row, 60), 2: (500, 100 + 12 * row), 3: (500 - 12 * row, 800)}[quarters]
        page.text(x, y, line, quarters=quarters)
    assert texts(parsed(builder)) == ["The first line of the page goes on in the second and ends in the third."]


def test_marks_across_the_page_are_left_out() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 780, *prose(4))
    page.text(20, 300, "DRAFT DRAFT", size=30, quarters=1)
    assert "DRAFT" not in " ".join(texts(parsed(builder)))


def test_ligatures_are_letters() -> None:
    builder = PdfBuilder()
    builder.page().lines(60, 780, "The oﬃce ﬁnds a ﬂat.")
    assert texts(parsed(builder)) == ["The office finds a flat."]


def test_old_cyrillic_fonts_are_mended() -> None:
    builder = PdfBuilder()
    sentence = "Правила проживания обязательны для всех жильцов и их гостей."
    builder.page().lines(60, 780, sentence.encode("cp1251").decode("cp1252"))
    assert texts(parsed(builder)) == [sentence]


def test_footers_of_few_pages_with_a_number_alone() -> None:
    builder = PdfBuilder()
    for number in (1, 2, 3):
        page = builder.page()
        page.lines(60, 700, *prose(4, start=number), size=8)
        page.text(60, 100, f"Page {number} of 3", size=11)
    assert "Page" not in " ".join(texts(parsed(builder)))


def test_contents_end_where_a_chapter_begins() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.text(60, 790, "Оглавление", size=14, look="bold")
    for row in range(5):
        page.text(60, 760 - 14 * row, f"{row + 1} Раздел о вещах {row + 3}")
    page = builder.page()
    page.text(60, 700, "Глава 1", size=20, look="bold")
    page.text(60, 660, "О вещах", size=24, look="bold")
    page.lines(60, 620, *prose(4))
    assert [(one.number, one.title) for one in parsed(builder).sections[1:]] == [("1", "О вещах")]


def test_footnotes_in_fonts_whose_small_digits_are_not_raised() -> None:
    builder = PdfBuilder()
    page = builder.page()
    page.lines(60, 780, *prose(4))
    page.text(60, 100, "1", size=8)
    page.text(64, 100, "Кроме детей до трёх лет.", size=8)
    assert texts(parsed(builder))[-1] == "Кроме детей до трёх лет."
