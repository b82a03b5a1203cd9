"""Which sections the Word parser finds: by style, by list number, by look; titles and contents pages."""

from __future__ import annotations

import pytest

from tests.docx_files import (
    abstract,
    blocks,
    bold,
    docx,
    instance,
    level,
    outline,
    p,
    parsed,
    run,
    style,
    table,
    text_of,
)

CONTRACT = (
    abstract(0, level(0, "decimal", "%1."), level(1, "decimal", "%1.%2."), level(2, "russianLower", "%3)"))
    + abstract(1, level(0, "bullet", "·"), level(1, "decimal", "%2."))
    + instance(1, 0)
    + instance(2, 1)
)
RAISED = '<w:vertAlign w:val="superscript"/>'


def test_headings_by_style_take_their_numbers_from_their_list() -> None:
    numbering = (
        abstract(
            0,
            level(0, "decimal", "%1", more='<w:pStyle w:val="H1"/>'),
            level(1, "decimal", "%1.%2", more='<w:pStyle w:val="H2"/>'),
        )
        + abstract(1, level(0, "upperLetter", "Appendix %1"))
        + instance(1, 0)
        + instance(2, 1)
    )
    document = parsed(
        docx(
            p("Rent", style="H1", num=(1, 0)),
            p("When", style="H2", num=(1, 1)),
            p("In time."),
            p("Keys", style="H1", num=(1, 0)),
            p("Forms", style="H1", num=(2, 0)),
            numbering=numbering,
        )
    )
    assert outline(document) == [(1, "1", "Rent"), (2, "1.1", "When"), (1, "2", "Keys"), (1, "A", "Forms")]
    assert [(one.kind, one.label, one.title) for one in document.objects] == [("appendix", "A", "Forms")]


@pytest.mark.parametrize(
    "styles",
    [
        style("X", "Заголовок 1"),
        style("X", "heading 1"),
        style("X", "Раздел", base="H1"),
        style("X", "Раздел", properties='<w:outlineLvl w:val="0"/>'),
    ],
)
def test_headings_of_localised_and_own_styles(styles: str) -> None:
    document = parsed(docx(p("Плата", style="X"), p("Текст."), p("Ключи", style="X"), styles=styles))
    assert outline(document) == [(1, "", "Плата"), (1, "", "Ключи")]


def test_the_outline_level_of_a_paragraph_wins_over_its_style() -> None:
    body_text = '<w:outlineLvl w:val="9"/>'
    document = parsed(
        docx(
            p("One", properties='<w:outlineLvl w:val="0"/>'),
            p("Only text", style="H1", properties=body_text),
            p("Two", properties='<w:outlineLvl w:val="0"/>'),
        )
    )
    assert outline(document) == [(1, "", "One"), (1, "", "Two")]


def test_labels_with_words_name_what_they_number() -> None:
    numbering = abstract(
        0, level(0, "upperRoman", "Глава %1."), level(1, "decimal", "Статья %2.", more='<w:lvlRestart w:val="0"/>')
    ) + instance(1, 0)
    document = parsed(
        docx(
            p("Двери", num=(1, 0)),
            p("Замки", num=(1, 1)),
            p("Запирают."),
            p("Окна", num=(1, 0)),
            p("", num=(1, 1)),
            p(bold("Стёкла"), align="center"),
            p("Моют."),
            numbering=numbering,
        )
    )
    assert outline(document) == [(1, "I", "Двери"), (2, "1", "Замки"), (1, "II", "Окна"), (2, "2", "Стёкла")]


def test_clauses_of_a_contract_without_heading_styles() -> None:
    document = parsed(
        docx(
            p(bold("ДОГОВОР АРЕНДЫ"), align="center"),
            p("Стороны договорились о нижеследующем."),
            p(bold("Предмет договора"), num=(1, 0), align="center"),
            p("Арендодатель передаёт помещение.", num=(1, 1)),
            p("Арендатор обязан:", num=(1, 1)),
            p("платить;", num=(1, 2)),
            p("не шуметь.", num=(1, 2)),
            p("Плата", num=(1, 0)),
            p(bold("Срок."), " Плата вносится пятого числа.", num=(1, 1)),
            p("наличными", num=(2, 0)),
            p("в кассу", num=(2, 1)),
            numbering=CONTRACT,
        )
    )
    assert document.title == "ДОГОВОР АРЕНДЫ"
    assert outline(document) == [
        (1, "1", "Предмет договора"),
        (2, "1.1", ""),
        (2, "1.2", ""),
        (1, "2", "Плата"),
        (2, "2.1", "Срок"),
    ]
    assert blocks(document, 2) == [("paragraph", "1.1. Арендодатель передаёт помещение.")]
    assert blocks(document, 3)[1:] == [("list_item", "а) платить;"), ("list_item", "б) не шуметь.")]
    assert blocks(document, 5) == [
        ("paragraph", "Плата вносится пятого числа."),
        ("list_item", "- наличными"),
        ("list_item", "  1. в кассу"),
    ]


def test_clauses_set_in_a_heading_style_keep_their_text() -> None:
    clause = "The tenant shall pay the rent on the fifth day of each month. Late payment bears interest as agreed."
    numbering = abstract(0, level(0, "decimal", "%1."), level(1, "decimal", "%1.%2")) + instance(1, 0)
    document = parsed(docx(p("Rent", style="H1", num=(1, 0)), p(clause, style="H2", num=(1, 1)), numbering=numbering))
    assert outline(document) == [(1, "1", "Rent"), (2, "1.1", "")]
    assert blocks(document, 2) == [("paragraph", f"1.1 {clause}")]


def test_a_list_beside_numbered_headings_opens_no_sections() -> None:
    document = parsed(
        docx(
            p("Rent", style="H1", num=(1, 0)),
            p("Keys", style="H1", num=(1, 0)),
            p("Turn the key.", num=(2, 0)),
            p("Twice.", num=(2, 1)),
            numbering=abstract(0, level(0, "decimal", "%1."))
            + abstract(1, level(0, "decimal", "%1."), level(1, "decimal", "%1.%2."))
            + instance(1, 0)
            + instance(2, 1),
        )
    )
    assert outline(document) == [(1, "1", "Rent"), (1, "2", "Keys")]
    assert blocks(document, 2) == [("list_item", "1. Turn the key."), ("list_item", "  1.1. Twice.")]


def test_headings_by_look_with_typed_numbers() -> None:
    document = parsed(
        docx(
            p(bold("ПРАВИЛА РАСПОРЯДКА"), align="center"),
            p(bold("1. Общие положения")),
            p("1.1. Правила обязательны для всех."),
            p("1.2. День длится восемь часов."),
            p(bold("2. Отпуск")),
            p("2.1. Отпуск длится 28 дней."),
            p("3. Это пункт обычного текста, а не заголовок раздела."),
            p(bold("Статья 5."), align="center"),
            p(bold("Ответственность"), align="center"),
            p("Приложение № 2", align="right"),
            p("к правилам распорядка", align="right"),
            p(bold("ГРАФИК"), align="center"),
            p("Текст."),
        )
    )
    assert document.title == "ПРАВИЛА РАСПОРЯДКА"
    assert [(number, title) for _, number, title in outline(document)] == [
        ("1", "Общие положения"),
        ("1.1", ""),
        ("1.2", ""),
        ("2", "Отпуск"),
        ("2.1", ""),
        ("5", "Ответственность"),
        ("2", "Приложение № 2 к правилам распорядка. ГРАФИК"),
    ]


def test_bold_beginnings_with_a_word_and_a_number_are_headings() -> None:
    document = parsed(docx(p(bold("Статья 1. Двери."), " Их закрывают."), p(bold("Статья 2. Окна."), " Их моют.")))
    assert outline(document) == [(1, "1", "Двери"), (1, "2", "Окна")]
    assert blocks(document, 1) == [("paragraph", "Их закрывают.")]


def test_headings_by_look_without_numbers() -> None:
    large = '<w:sz w:val="32"/>'
    text = "Деньги платят вовремя, и каждый об этом помнит."
    document = parsed(
        docx(
            p(run("Оплата", large)), p(text), p(bold("Наличными")), p(text), p(bold("Важно:")), p(text),
            p(run("Ключи", large)), p(text), p(bold("[вписать]")),
        )
    )  # fmt: skip
    assert outline(document) == [(1, "", "Оплата"), (2, "", "Наличными"), (1, "", "Ключи")]


def test_bold_lines_of_a_document_with_styles_stay_text() -> None:
    document = parsed(docx(p("One", style="H1"), p(bold("Note")), p("Text."), p("Two", style="H1")))
    assert outline(document) == [(1, "", "One"), (1, "", "Two")]
    assert blocks(document, 1) == [("paragraph", "**Note**"), ("paragraph", "Text.")]


def test_long_titles_of_articles_and_lines_above_the_title() -> None:
    title = "Порядок информирования " + "органов местного самоуправления " * 8 + "и владельцев помещений"
    document = parsed(
        docx(
            p("РОССИЙСКАЯ ФЕДЕРАЦИЯ", align="center"),
            p(bold("Закон о дверях"), align="center"),
            p(bold("Статья 1. Двери")),
            p("Их закрывают."),
            p(bold(f"Статья 2. {title}")),
        )
    )
    assert document.title == "Закон о дверях"
    assert outline(document) == [(1, "1", "Двери"), (1, "2", title)]


def test_raised_numbers_of_headings_by_look() -> None:
    light = RAISED + '<w:b w:val="0"/>'
    articles = (
        p(bold("Статья 156"), run("1", light), bold(". Плата")),
        p(),
        p(bold("Статья 157."), " "),
        p(bold("Долг")),
    )
    assert outline(parsed(docx(p("Начало."), *articles))) == [(1, "156.1", "Плата"), (1, "157", "Долг")]


def test_raised_article_numbers_join_the_number() -> None:
    document = parsed(
        docx(
            p("Статья 156", run("1", RAISED), ". Плата", style="H1"),
            p(bold("м"), run("2", RAISED)),
            p("Статья 157. Размер", style="H1"),
        )
    )
    assert outline(document) == [(1, "156.1", "Плата"), (1, "157", "Размер")]
    assert blocks(document, 1) == [("paragraph", "**м²**")]


# --- titles and contents ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("Порядок оплаты", [p("Здесь описан порядок оплаты.")], "Порядок оплаты"),
        ("Microsoft Word - old.doc", [p("Текст.")], "some file"),
        ("Документ1", [p("Текст.")], "some file"),
        ("Старый шаблон", [p("Отчёт", style="T"), p("о работе", style="T"), p("Текст.")], "Отчёт о работе"),
        ("", [p(run("Большой отчёт", '<w:sz w:val="40"/>')), p("Текст обычного размера.")], "Большой отчёт"),
        (
            "",
            [
                p("РОССИЙСКАЯ ФЕДЕРАЦИЯ", align="center"),
                p(" "),
                p(bold("Закон о дверях"), align="center"),
                p("Принят в мае"),
                p(bold("1. Двери")),
                p("Их закрывают."),
            ],
            "Закон о дверях",
        ),
        ("", [p("Устав", style="H1"), p("Статья 1. Имя", style="H2"), p("Текст.")], "Устав"),
    ],
)
def test_titles(title: str, body: list[str], expected: str) -> None:
    document = parsed(docx(*body, title=title, styles=style("T", "Title")))
    assert document.title == expected


def test_contents_pages_are_left_out() -> None:
    toc = style("TOC1", "toc 1")
    built = '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    built += f"<w:sdtContent>{p('Built by Word')}</w:sdtContent></w:sdt>"
    text = text_of(
        p("Содержание"),
        p("1. Плата 3"),
        p("2. Ключи\u2026\u20265"),
        p("Styled 7", style="TOC1"),
        built,
        p('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> TOC \\o "1-3" </w:instrText></w:r>'
          '<w:r><w:fldChar w:fldCharType="separate"/></w:r>', "Field line one 1"),
        p("Field line two 2"),
        p('<w:r><w:fldChar w:fldCharType="end"/></w:r>'),
        p("Плата вносится вовремя."),
        styles=toc,
    )  # fmt: skip
    assert text == "Плата вносится вовремя."


def test_a_contents_field_without_an_end_hides_nothing() -> None:
    begin = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    )
    assert text_of(p(begin), p("Shown.")) == "Shown."


def test_contracts_in_two_languages_are_read_column_by_column() -> None:
    russian = ["Арендатор платит вовремя.", "Арендатор не шумит ночью.", "Арендатор моет все окна."]
    english = ["The tenant pays in time.", "The tenant keeps quiet at night.", "The tenant cleans the windows."]
    rows = [
        [p(left, num=(1, 1)), p(f"1.{at}. {right}")]
        for at, (left, right) in enumerate(zip(russian, english, strict=True), 1)
    ]
    document = parsed(
        docx(table([p(bold("Обязанности"), num=(1, 0)), p(bold("1. Duties"))], *rows), numbering=CONTRACT)
    )
    numbers = ["1", "1.1", "1.2", "1.3"]
    assert [number for _, number, _ in outline(document)] == numbers * 2
    assert blocks(document, 2) == [("paragraph", "1.1. Арендатор платит вовремя.")]
    assert blocks(document, 6) == [("paragraph", "1.1. The tenant pays in time.")]


def test_typed_clauses_set_in_a_heading_style_keep_their_text() -> None:
    clause = "1.1. Арендатор вносит плату вовремя, до пятого числа. Плата вносится наличными, переводом или картой."
    document = parsed(docx(p("1. Плата", style="H1"), p(clause, style="H2"), p("2. Ключи", style="H1")))
    assert outline(document) == [(1, "1", "Плата"), (2, "1.1", ""), (1, "2", "Ключи")]
    assert blocks(document, 2) == [("paragraph", clause)]


def test_a_clause_with_a_typed_number_among_counted_ones() -> None:
    document = parsed(
        docx(
            p(bold("Плата"), num=(1, 0)),
            p("Платят вовремя.", num=(1, 1)),
            p("1.2. Платят сполна."),
            p("7.3. договора аренды касается другого."),
            numbering=CONTRACT,
        )
    )
    assert outline(document) == [(1, "1", "Плата"), (2, "1.1", ""), (2, "1.2", "")]
    assert blocks(document, 3)[0] == ("paragraph", "1.2. Платят сполна.")


def test_a_contract_that_is_one_nested_list() -> None:
    numbering = abstract(
        0, level(0, "decimal", "%1."), level(1, "decimal", "%2."), level(2, "lowerLetter", "(%3)")
    ) + instance(1, 0)
    body: list[str] = [p("Terms of service, agreed between two parties.")]
    for title in ("Service", "Fees", "Term", "Notices"):
        body.append(p(title, num=(1, 0)))
        body.append(p(bold("Scope."), f" The {title.lower()} is as the order says, and no more than that.", num=(1, 1)))
        body.append(p(bold("Order"), f" means the order of the {title.lower()} that both have signed:", num=(1, 1)))
        body.append(p("in writing.", num=(1, 2)))
    document = parsed(docx(*body, numbering=numbering))
    assert outline(document)[:3] == [(1, "1", "Service"), (2, "1.1", "Scope"), (2, "1.2", "")]
    assert [number for _, number, _ in outline(document)][-3:] == ["4", "4.1", "4.2"]
    assert blocks(document, 3) == [
        ("paragraph", "1.2. **Order** means the order of the service that both have signed:"),
        ("list_item", "(a) in writing."),
    ]
