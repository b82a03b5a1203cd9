"""Rules whose numbers exist as nested lists only, in HTML and in Word."""

from __future__ import annotations

import pytest

from engine.ingest.parsers import parse
from engine.types import ParsedDocument
from tests.docx_files import abstract, bold, docx, instance, level, p
from tests.docx_files import parsed as parsed_docx

RULES = {
    "Общие положения": ["Бассейн открыт с 7 часов.", "Дети плавают со взрослым, кроме названных в пункте 3.2."],
    "Справки": ["Справка нужна раз в год.", "Детская действует 3 месяца."],
    "Исключения": ["Ветераны плавают бесплатно.", "Пловцы секции плавают сами."],
}
NUMBERS = ["1", "1.1", "1.2", "2", "2.1", "2.2", "3", "3.1", "3.2"]


def html(rules: dict[str, list[str]], before: str = "") -> ParsedDocument:
    lists = "".join(
        f"<li><b>{title}</b><ol>{''.join(f'<li>{one}</li>' for one in items)}</ol></li>"
        for title, items in rules.items()
    )
    return parse("a.html", f"<h1>Регламент</h1>{before}<ol>{lists}</ol>".encode())


def numbers(document: ParsedDocument) -> list[str]:
    return [one.number for one in document.sections if one.number]


def test_items_of_items_are_clauses() -> None:
    document = html(RULES)
    assert numbers(document) == NUMBERS
    assert [one.title for one in document.sections if one.title] == list(RULES)
    assert document.sections[-1].blocks[0].text == "Пловцы секции плавают сами."
    assert document.sections[document.sections[-1].parent or 0].title == "Исключения"


def test_a_word_list_that_shows_no_number_of_the_level_above_is_read_alike() -> None:
    numbering = abstract(0, level(0, "decimal", "%1."), level(1, "decimal", "%2.")) + instance(1, 0)
    paragraphs = [
        paragraph
        for title, items in RULES.items()
        for paragraph in (p(bold(title), num=(1, 0)), *(p(item, num=(1, 1)) for item in items))
    ]
    document = parsed_docx(docx(*paragraphs, numbering=numbering))
    assert numbers(document) == NUMBERS


@pytest.mark.parametrize(
    ("rules", "before"),
    [
        ({"Один": ["а"], "Два": ["б"]}, ""),
        ({title: [] for title in RULES}, ""),
        (RULES, "<h2>Статья 5. Вход</h2>"),
        (RULES, f"<p>{'Этот текст стоит вне списка. ' * 40}</p>"),
    ],
    ids=["short", "flat", "of an article", "beside other text"],
)
def test_other_lists_stay_lists(rules: dict[str, list[str]], before: str) -> None:
    assert not set(numbers(html(rules, before))) & {"1.1", "3.2"}
