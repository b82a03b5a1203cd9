"""The text that the Word parser reads: runs, fields, changes, notes, text boxes, tables."""

from __future__ import annotations

from tests.docx_files import (
    abstract,
    blocks,
    bold,
    docx,
    field,
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


def test_tracked_changes_are_read_as_accepted() -> None:
    text = text_of(
        p("Plain ", f"<w:ins>{run('added ')}</w:ins>", "<w:del><w:r><w:delText>cut</w:delText></w:r></w:del>"),
        p("First half, ", properties="<w:rPr><w:del/></w:rPr>"),
        p("second half"),
        p(f"<w:moveFrom>{run('old place')}</w:moveFrom>", f"<w:moveTo>{run('new place')}</w:moveTo>"),
    )
    assert text == "Plain added\nFirst half, second half\nnew place"


def test_runs_keep_their_marks_and_lose_their_tricks() -> None:
    text = text_of(
        p(bold("to"), bold("gether "), "and", run("hidden", "<w:vanish/>"), run(" not bold", '<w:b w:val="0"/>')),
        p("soft\u00adhy<w:softHyphen/>".replace("<w:softHyphen/>", ""), "<w:r><w:softHyphen/><w:t>phen</w:t></w:r>"),
        p("a", "<w:r><w:noBreakHyphen/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:br/><w:t>d</w:t></w:r>", "\u00a0e"),
        p('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>'),
        p("<m:oMath><m:r><m:t>x+1</m:t></m:r></m:oMath>"),
    )
    assert text == "**together** and not bold\nsofthyphen\na-b c\nd e\nα☑\nx+1"


def test_fields_and_links_show_what_the_page_shows() -> None:
    body = p(
        "see ",
        field("REF _Ref1 \\r \\h", "7.2"),
        ", ",
        f'<w:hyperlink r:id="far">{run("the rules")}</w:hyperlink>',
        ", ",
        f'<w:hyperlink w:anchor="near">{run("below")}</w:hyperlink>',
        ", ",
        field('HYPERLINK "https://example.org/b"', "there"),
        f'<w:fldSimple w:instr="SEQ Table">{run(" 3")}</w:fldSimple>',
    )
    document = parsed(docx(body, links={"far": "https://example.org/a"}))
    assert blocks(document) == [
        ("paragraph", "see 7.2, [the rules](https://example.org/a), below, [there](https://example.org/b) 3")
    ]


def test_text_boxes_are_read_once() -> None:
    inside = f"<w:txbxContent>{p('In the box')}</w:txbxContent>"
    box = (
        f'<w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>{inside}</wps:txbx></w:drawing>'
        f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{inside}</v:textbox></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r>"
    )
    assert text_of(p("Beside it", box)) == "Beside it\nIn the box"
    assert text_of(p(f"<w:r><w:pict><v:textbox>{inside}</v:textbox></w:pict></w:r>")) == "In the box"


def test_content_controls_are_transparent() -> None:
    control = f"<w:sdt><w:sdtPr/><w:sdtContent>{run('name')}</w:sdtContent></w:sdt>"
    around = f"<w:sdt><w:sdtContent>{p('whole paragraph')}</w:sdtContent></w:sdt>"
    assert text_of(p("The ", control), around) == "The name\nwhole paragraph"


def test_footnotes_follow_their_paragraph_in_brackets() -> None:
    document = parsed(
        docx(
            p("Rent", style="H1"),
            p("Paid in time", '<w:r><w:footnoteReference w:id="2"/></w:r>', "."),
            p("Next."),
            p("Keys", style="H1"),
            footnotes=f'<w:footnote w:id="2">{p("<w:r><w:footnoteRef/></w:r>", " Before noon.")}</w:footnote>',
        )
    )
    assert [text for _, text in blocks(document, 1)] == ["Paid in time.", "[Before noon.]", "Next."]


# --- tables -----------------------------------------------------------------------------------------------------------


def test_tables_become_rows() -> None:
    across, begins, goes_on = (
        f"<w:tcPr>{inside}</w:tcPr>"
        for inside in ('<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>")
    )
    data = docx(
        p("Таблица ", field("SEQ Таблица", "1"), " — Платежи", style="C"),
        table(
            ["Срок", "Сумма", "Кто"],
            [begins + p("Май"), "5 | 6", p("А") + p("и Б")],
            [goes_on + p(), across + p(bold("Итого"))],
        ),
        styles=style("C", "caption"),
    )
    document = parsed(data)
    assert blocks(document)[1] == (
        "table",
        "| Срок | Сумма | Кто |\n| --- | --- | --- |\n| Май | 5 \\| 6 | А и Б |\n| Май | Итого |  |",
    )
    assert [(one.kind, one.label, one.title) for one in document.objects] == [("table", "1", "Платежи")]


def test_deleted_rows_and_nested_tables() -> None:
    rows = (
        "<w:tr><w:trPr><w:del/></w:trPr><w:tc>" + p("gone") + "</w:tc></w:tr>"
        "<w:tr><w:tc>" + p("Kind") + "</w:tc><w:tc>" + p("What") + "</w:tc><w:tc>" + p("Note") + "</w:tc></w:tr>"
        "<w:tr><w:tc>" + p("One") + "</w:tc><w:tc>" + table(["a", "b"], ["c", "d"]) + p() + "</w:tc><w:tc/></w:tr>"
    )
    text = text_of(f"<w:tbl>{rows}</w:tbl>")
    assert text == "| Kind | What | Note |\n| --- | --- | --- |\n| One | a: b; c: d |  |"


def test_tables_that_only_place_text_are_unfolded() -> None:
    document = parsed(
        docx(
            table(["(a)", "the first point"], ["(b)", "the second point"]),
            table([p("Boxed words.") + p("More.")]),
            table([p("Rent", style="H1") + p("Paid in time.")], [p("Keys", style="H1") + p("Two of them.")]),
        )
    )
    assert blocks(document) == [
        ("list_item", "(a) the first point"),
        ("list_item", "(b) the second point"),
        ("paragraph", "Boxed words."),
        ("paragraph", "More."),
    ]
    assert outline(document) == [(1, "", "Rent"), (1, "", "Keys")]


def test_the_full_rows_of_a_form_are_headings() -> None:
    full = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    document = parsed(
        docx(
            p("An agreement between two parties about a service."),
            table(
                [full + p(bold("Key Terms"), align="center")],
                ["Start", "May"],
                ["End", "June"],
                [full + p(bold("Signatures"), align="center")],
                ["Name", "Date"],
                ["A", "B"],
            ),
        )
    )
    assert outline(document) == [(1, "", "Key Terms"), (1, "", "Signatures")]
    assert blocks(document, 1) == [("table", "| Start | May |\n| --- | --- |\n| End | June |")]


def test_numbers_in_table_cells_are_said_and_counted() -> None:
    text = text_of(
        table([p(num=(1, 0)), "Rent", "5"], [p(num=(1, 0)), "Keys", "2"]),
        p("after", num=(1, 0)),
        numbering=abstract(0, level(0, "decimal", "%1.")) + instance(1, 0),
    )
    assert text == "| 1. | Rent | 5 |\n| --- | --- | --- |\n| 2. | Keys | 2 |\n3. after"


def test_headings_over_the_columns_of_a_table_leave_it_a_table() -> None:
    document = parsed(docx(table([p("Who", style="H5"), p("When", style="H5")], ["A", "May"], ["B", "June"])))
    assert blocks(document) == [("table", "| Who | When |\n| --- | --- |\n| A | May |\n| B | June |")]


def test_captions_without_a_sign_after_their_number() -> None:
    document = parsed(
        docx(p("Table 6-1 <team>", style="C"), table(["A", "B"], ["1", "2"]), styles=style("C", "caption"))
    )
    assert [(one.label, one.title) for one in document.objects] == [("6-1", "<team>")]
