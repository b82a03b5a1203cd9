"""What the parsers make of files: section trees with numbers, anchors and objects, in any encoding."""

from __future__ import annotations

import pytest

from engine.errors import SourceError
from engine.ingest.parsers import FORMATS, SKIPPED, parse, why_skipped
from engine.types import ParsedDocument, Section


def parsed(path: str, text: str) -> ParsedDocument:
    return parse(path, text.encode())


def outline(document: ParsedDocument) -> list[tuple[int, str, str]]:
    return [(one.level, one.number, one.title) for one in document.sections[1:]]


def texts(section: Section) -> list[str]:
    return [block.text for block in section.blocks]


def objects(document: ParsedDocument, kind: str) -> list[tuple[str, str]]:
    return [(one.label, one.title) for one in document.objects if one.kind == kind]


# --- which files ----------------------------------------------------------------------------------------------------


def test_formats_are_chosen_by_suffix() -> None:
    assert why_skipped("a/b.MD") is None
    assert why_skipped("a/b.PDF") is None
    assert why_skipped("a/b.doc") == SKIPPED[".doc"] == "DOC is not supported; save it as DOCX"
    assert why_skipped("a/b.xyz") == "unknown format .xyz"
    assert why_skipped("a/Makefile") == "unknown format"
    with pytest.raises(SourceError, match=r"a\.doc: DOC is not supported; save it as DOCX"):
        parse("a.doc", b"")


@pytest.mark.parametrize("suffix", sorted(FORMATS))
@pytest.mark.parametrize("data", [b"", b" \r\n\t", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_empty_files_are_refused(suffix: str, data: bytes) -> None:
    with pytest.raises(SourceError, match="empty file"):
        parse(f"a{suffix}", data)


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7 text", b"PK\x03\x04rest", bytes(range(256)) * 40, b"\x89PNG\r\n\x1a\n" + b"\0" * 90]
)
def test_binary_files_are_refused(data: bytes) -> None:
    with pytest.raises(SourceError, match="looks like a binary file"):
        parse("a.txt", data)


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1251", "koi8-r", "cp866"],
)
def test_russian_is_read_in_any_encoding(encoding: str) -> None:
    text = "Порядок оплаты\r\n\r\nПлата вносится не позднее пятого числа каждого месяца.\r\n"
    document = parse("a.txt", text.encode(encoding))
    assert document.title == "Порядок оплаты"
    assert texts(document.sections[0]) == ["Плата вносится не позднее пятого числа каждого месяца."]


def test_western_accents_are_read() -> None:
    document = parse("a.txt", "The café of the hôtel is closed; the façade is being repaired.".encode("latin-1"))
    assert texts(document.sections[0]) == ["The café of the hôtel is closed; the façade is being repaired."]


def test_a_page_that_names_its_charset_is_believed() -> None:
    page = '<html><head><meta charset="windows-1251"></head><body><p>Дом</p></body></html>'
    assert texts(parse("a.html", page.encode("cp1251")).sections[0]) == ["Дом"]


def test_broken_bytes_become_marks_and_the_rest_stays() -> None:
    good = ("# Правила\n\n" + "Плата вносится вовремя. " * 30).encode()
    document = parse("a.md", good + b"\xff\xfe\xd0 " + "Конец.".encode())
    assert document.title == "Правила"
    assert "\ufffd" in texts(document.sections[0])[0]
    assert texts(document.sections[0])[0].endswith("Конец.")


# --- Markdown -------------------------------------------------------------------------------------------------------


def test_markdown_headings_become_a_tree() -> None:
    document = parsed(
        "a.md",
        "# House Rules\n\nOpening.\n\n## 1. Quiet {#quiet}\n\nText.\n\n"
        "### 1.1 Nights\n\n## Annex A. Telephones\n\nCall.\n",
    )
    assert document.title == "House Rules"
    assert texts(document.sections[0]) == ["Opening."]
    assert outline(document) == [(1, "1", "Quiet"), (2, "1.1", "Nights"), (1, "A", "Telephones")]
    assert [one.parent for one in document.sections] == [None, None, 1, None]
    assert [one.anchor for one in document.sections] == ["house-rules", "quiet", "11-nights", "annex-a-telephones"]
    assert objects(document, "appendix") == [("A", "Telephones")]


def test_numbers_part_sections_that_share_a_depth() -> None:
    document = parsed("a.md", "# T\n\n## 7 Rent\n\n## 7.1 When\n\n## 7.2 How\n\n## 8 Keys\n")
    assert outline(document) == [(1, "7", "Rent"), (2, "7.1", "When"), (2, "7.2", "How"), (1, "8", "Keys")]


def test_front_matter_is_no_heading() -> None:
    document = parsed("a.md", "---\ntitle: Billing Guide\ntags: [a]\n---\n\n# Billing\n\nText.\n")
    assert document.title == "Billing Guide"
    assert outline(document) == []
    assert parsed("a.md", "---\n: [broken\n---\n# Billing\n\nText.\n").title == "Billing"


def test_markdown_keeps_lists_tables_code_and_links() -> None:
    source = (
        "Do:\n\n1. first\n2. second [rules](rules.md#top)\n   - inner\n\n"
        "| A | B |\n|---|---|\n| 1 | 2 |\n\n```yaml\n# not a heading\na: 1\n```\n"
    )
    blocks = parsed("a.md", source).sections[0].blocks
    assert [(block.kind, block.text) for block in blocks] == [
        ("paragraph", "Do:"),
        ("list_item", "1. first"),
        ("list_item", "2. second [rules](rules.md#top)"),
        ("list_item", "  - inner"),
        ("table", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("code", "# not a heading\na: 1"),
    ]


def test_raw_html_headings_and_wrappers_in_markdown() -> None:
    document = parsed("a.md", 'Intro <span class="x">word</span>.\n\n<h2 id="fees">2. Fees</h2>\n\nText.\n')
    assert outline(document) == [(1, "2", "Fees")]
    assert document.sections[1].anchor == "fees"
    assert texts(document.sections[0]) == ["Intro word."]


def test_headings_in_quotes_part_nothing() -> None:
    document = parsed("a.md", "# T\n\n> ## Note\n> Quoted.\n\nText.\n")
    assert outline(document) == []
    assert texts(document.sections[0]) == ["**Note**", "Quoted.", "Text."]


def test_contents_pages_are_left_out() -> None:
    document = parsed("a.md", "# T\n\n## Table of Contents\n\n- [One](#one)\n\n## One\n\nText.\n")
    assert outline(document) == [(1, "", "One")]


def test_nested_lists_of_a_contract_are_clauses() -> None:
    document = parsed(
        "a.md",
        "# Agreement\n\n"
        '1. <span class="header_2">Service</span>\n'
        '    1. <span class="header_3" id="1.1">Access.</span>  Customer may use the Service.\n'
        "    2. **Support.** Provider gives support:\n        - by telephone\n"
        "2. Fees\n    1. Customer pays the fees that the order form names, in time and in full.\n"
        "3. Terms\n    1. Either party may end this Agreement upon thirty days of notice to the other.\n"
        "4. Law\n    1. The law of the place where Provider has its seat governs this Agreement.\n",
    )
    assert outline(document)[:5] == [
        (1, "1", "Service"),
        (2, "1.1", "Access"),
        (2, "1.2", "Support"),
        (1, "2", "Fees"),
        (2, "2.1", ""),
    ]
    assert document.sections[2].anchor == "1.1"
    assert texts(document.sections[2]) == ["Customer may use the Service."]
    assert texts(document.sections[3]) == ["Provider gives support:", "- by telephone"]


def test_ordinary_lists_are_no_clauses() -> None:
    document = parsed("a.md", "# How to\n\n" + "".join(f"{n}. Do step {n}.\n" for n in range(1, 9)))
    assert outline(document) == []


def test_bold_numbers_are_headings() -> None:
    document = parsed(
        "a.md",
        "# Terms\n\n**1. The Agreement**. These terms apply.\n\n**2. Data**.\n\n"
        "**2.1.** Use of Data. Provider may use it.\n\n**2.2**. Security. Provider keeps it safe.\n",
    )
    assert outline(document) == [
        (1, "1", "The Agreement"),
        (1, "2", "Data"),
        (2, "2.1", "Use of Data"),
        (2, "2.2", "Security"),
    ]
    assert texts(document.sections[3]) == ["Provider may use it."]


def test_numbered_paragraphs_under_their_section_are_clauses() -> None:
    document = parsed(
        "a.md",
        "# Договор\n\n## 5. Права\n\n5.1. Наниматель вправе жить.\n\n5.2. Наймодатель вправе проверять.\n\n"
        "## 6. Срок\n\n6.1. Срок равен году.\n",
    )
    assert outline(document) == [(1, "5", "Права"), (2, "5.1", ""), (2, "5.2", ""), (1, "6", "Срок"), (2, "6.1", "")]
    assert texts(document.sections[2]) == ["5.1. Наниматель вправе жить."]


def test_laws_without_marked_headings() -> None:
    document = parsed(
        "a.md",
        "REGULATION (EU) 1/2020 OF THE COUNCIL\n\nCHAPTER I\n\nGeneral provisions\n\nArticle 1\n\nSubject matter\n\n"
        "1\\. This Regulation lays down rules.\n\nArticle 2\n\nArticle 1(2) applies to all.\n\nCHAPTER II\n\nEnd\n\n"
        "Article 3\n\nEntry into force\n\nIt enters into force.\n\nANNEX I\n\nList\n\nItems.\n",
    )
    assert document.title == "REGULATION (EU) 1/2020 OF THE COUNCIL"
    assert outline(document) == [
        (1, "I", "CHAPTER I. General provisions"),
        (2, "1", "Subject matter"),
        (2, "2", ""),
        (1, "II", "CHAPTER II. End"),
        (2, "3", "Entry into force"),
        (1, "I", "ANNEX I. List"),
    ]
    assert texts(document.sections[2]) == ["1. This Regulation lays down rules."]
    assert texts(document.sections[3]) == ["Article 1(2) applies to all."]


# --- HTML -----------------------------------------------------------------------------------------------------------


def test_html_without_navigation() -> None:
    document = parsed(
        "a.html",
        "<html><head><title>Plan</title><style>p{}</style></head><body><nav><h2>Menu</h2></nav><header>Top</header>"
        "<main><h1>Plan Sheet</h1><p>In <b>force</b>.</p><section id='price'>"
        "<h2>2. Price<a class='headerlink'>¶</a></h2>"
        "<p>See <a href='../guide.html#x'>the guide</a> and <a href='#price'>above</a>.</p></section>"
        "<form>Search</form></main><footer>Bottom</footer><script>x()</script></body></html>",
    )
    assert document.title == "Plan Sheet"
    assert outline(document) == [(1, "2", "Price")]
    assert document.sections[1].anchor == "price"
    assert texts(document.sections[0]) == ["In **force**."]
    assert texts(document.sections[1]) == ["See [the guide](../guide.html#x) and above."]


def test_html_lists_tables_and_code() -> None:
    blocks = (
        parsed(
            "a.html",
            "<ol start=3><li><p>third</p><ul><li>inner</li></ul></li><li>fourth</li></ol>"
            "<table><caption>Table 2. Prices</caption><tr><th>Item</th><th>Price</th></tr>"
            "<tr><td rowspan=2>Key</td><td>600</td></tr><tr><td>700 | 800</td></tr></table>"
            "<pre>a\n  b</pre><dl><dt>Term</dt><dd><p>Meaning.</p></dd></dl>",
        )
        .sections[0]
        .blocks
    )
    assert [block.text for block in blocks] == [
        "3. third",
        "  - inner",
        "4. fourth",
        "Table 2. Prices",
        "| Item | Price |\n| --- | --- |\n| Key | 600 |\n| Key | 700 \\| 800 |",
        "a\n  b",
        "**Term** — Meaning.",
    ]


def test_raised_numbers() -> None:
    document = parsed(
        "a.html",
        "<style>.up { color: red; vertical-align: super; }</style>"
        "<p>Статья 155. Внесение платы</p><p>По статье 156<sup>1</sup> и 10<sup>6</sup> рублей за м<sup>2</sup>.</p>"
        "<p>Статья 156<sup>1</sup>. Плата за наём</p>"
        "<p>1<span class='up'>1</span>) пункт</p><p>Статья 157</p><p>Да.</p>",
    )
    assert outline(document) == [(1, "155", "Внесение платы"), (1, "156.1", "Плата за наём"), (1, "157", "")]
    assert texts(document.sections[1]) == ["По статье 156.1 и 10^6 рублей за м²."]
    assert texts(document.sections[2]) == ["1.1) пункт"]


def test_remarks_are_no_titles() -> None:
    document = parsed("a.html", "".join(f"<p>Статья {n}.</p><p>(Утратила силу)</p>" for n in (1, 2, 3)))
    assert outline(document) == [(1, "1", ""), (1, "2", ""), (1, "3", "")]


def test_kinds_that_share_numbers_keep_their_word_in_the_title() -> None:
    document = parsed("a.html", "<p>Глава 1. Начало</p><p>Статья 1. Цель</p><p>а</p><p>Статья 2. Слова</p><p>б</p>")
    assert outline(document) == [(1, "1", "Глава 1. Начало"), (2, "1", "Цель"), (2, "2", "Слова")]


def test_points_set_in_tables_are_list_items() -> None:
    blocks = (
        parsed(
            "a.html",
            "<table><tr><td>(a)</td><td><p>first</p><table><tr><td>(i)</td><td>inner</td></tr></table></td></tr>"
            "<tr><td>(b)</td><td>second</td></tr></table>",
        )
        .sections[0]
        .blocks
    )
    assert [(block.kind, block.text) for block in blocks] == [
        ("list_item", "(a) first"),
        ("list_item", "(i) inner"),
        ("list_item", "(b) second"),
    ]


def test_notes_part_no_section() -> None:
    document = parsed("a.html", "<h1>21.1. File</h1><div class='note'><h3>Note</h3><p>Mind.</p></div><p>Text.</p>")
    assert outline(document) == [(1, "21.1", "File")]
    assert texts(document.sections[1]) == ["**Note**", "Mind.", "Text."]


def test_deep_nesting_is_survived() -> None:
    deep = 20_000
    assert texts(parsed("a.html", "<div>" * deep + "word" + "</div>" * deep).sections[0]) == ["word"]
    assert parsed("a.md", "".join("  " * depth + "- x\n" for depth in range(300))).sections[0].blocks


# --- objects --------------------------------------------------------------------------------------------------------


def test_captions() -> None:
    document = parsed(
        "a.md",
        "*Таблица 1. Платежи*\n\n|А|Б|\n|-|-|\n|1|2|\n\nРис. 3 — Схема\n\nTable 2 shows that.\n\nFigure B: Map\n",
    )
    assert objects(document, "table") == [("1", "Платежи")]
    assert objects(document, "figure") == [("3", "Схема"), ("B", "Map")]


def test_definitions() -> None:
    document = parsed(
        "a.md",
        "# Договор\n\nООО «Дом» (далее — Наймодатель) сдаёт Квартиру. Термин «Место» означает машино-место.\n\n"
        'The parties ("**Parties**") agree. "Event" means a happening; ‘personal data’ means any information.\n\n'
        "## Глоссарий\n\n**Гость** — тот, кто пришёл.\n\nМетка — брелок.\n\n"
        "| Дом | здание |\n|--|--|\n| Двор | место |\n",
    )
    found = [label for label, _ in objects(document, "definition")]
    assert sorted(found) == sorted("наймодатель|место|event|personal data|parties|гость|метка|дом|двор".split("|"))


def test_a_markdown_table_with_a_rule_under_each_row_is_a_list_of_points() -> None:
    text = "# Act\n\nIf the decision:\n\n| (a) | is needed; |\n| --- | --- |\n| (b) | is allowed. |\n| --- | --- |\n"
    (section,) = parse("a/b/act.md", text.encode()).sections
    assert [(block.kind, block.text) for block in section.blocks[1:]] == [
        ("list_item", "(a) is needed;"),
        ("list_item", "(b) is allowed."),
    ]
