"""reStructuredText: trees, lists, tables and notes; Sphinx's words as text; nothing read, run or complained about."""

from __future__ import annotations

from pathlib import Path

import pytest
from docutils.parsers.rst import directives, roles

from engine.errors import SourceError
from engine.ingest.parsers.rst import parse_rst
from engine.types import ParsedDocument


def parsed(text: str) -> ParsedDocument:
    return parse_rst("a.rst", text.encode())


def outline(document: ParsedDocument) -> list[tuple[int, str, str]]:
    return [(one.level, one.number, one.title) for one in document.sections[1:]]


def texts(text: str) -> list[str]:
    return [block.text for section in parsed(text).sections for block in section.blocks]


def blocks(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for section in parsed(text).sections for block in section.blocks]


# --- the tree -------------------------------------------------------------------------------------------------------


def test_titles_become_a_tree_with_numbers_and_anchors() -> None:
    document = parsed(
        "=====\nGuide\n=====\n\n.. _pay:\n\n1. Fees\n=======\n\n1.1 When\n-----\n\nText.\n\n"
        "Appendix A: Forms\n=================\n\nText.\n"
    )
    assert document.title == "Guide"
    assert outline(document) == [(1, "1", "Fees"), (2, "1.1", "When"), (1, "A", "Forms")]
    assert [one.anchor for one in document.sections] == ["guide", "fees", "when", "appendix-a-forms"]
    assert [(one.kind, one.label) for one in document.objects] == [("appendix", "A")]


@pytest.mark.parametrize("title", ["", "=====\nGuide\n=====\n\n"])
def test_sections_are_numbered_on_request(title: str) -> None:
    document = parsed(f"{title}.. sectnum::\n\nOne\n---\n\nx\n\nInner\n~~~~~\n\nx\n\nTwo\n---\n\nx\n")
    assert outline(document) == [(1, "1", "One"), (2, "1.1", "Inner"), (1, "2", "Two")]


def test_a_title_that_skips_a_level_stands_one_below() -> None:
    document = parsed("A\n=\n\nx\n\nB\n-\n\nx\n\nC\n~\n\nx\n\nD\n=\n\nx\n\nE\n~\n\nx\n")
    assert outline(document) == [(1, "", "A"), (2, "", "B"), (3, "", "C"), (1, "", "D"), (2, "", "E")]


def test_the_header_of_a_proposal_is_its_title() -> None:
    document = parsed(
        "PEP: 0012\nTitle: The Colour of Sheds\nAuthor: A <a@b.c>,\n        D <d@b.c>\nStatus: Final\n"
        "Post-History: 2001\nReplaces: 3, 404\n\nAbstract\n========\n\nText.\n"
    )
    assert document.title == "PEP 12 – The Colour of Sheds"
    assert [block.text for block in document.sections[0].blocks] == [
        "**Author:** A <a@b.c>, D <d@b.c>",
        "**Status:** Final",
        "**Replaces:** PEP 3, PEP 404",
    ]


def test_fields_of_the_file_are_no_text() -> None:
    document = parsed(":orphan:\n:title: Rules\n\nOne\n===\n\nx\n\nTwo\n===\n\nx\n")
    assert document.title == "Rules"
    assert document.sections[0].blocks == ()


def test_an_ordinary_opening_is_no_header() -> None:
    assert texts("Note: this is text.\nMore: of it.\n") == ["Note: this is text. More: of it."]


# --- text -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (":pep:`440`", "PEP 440"),
        (":pep:`440#version-scheme`", "PEP 440 (version-scheme)"),
        (":pep:`the scheme <440>`", "the scheme (PEP 440)"),
        (":pep:`PEP 440 <440>`", "PEP 440"),
        (":rfc:`2119`", "RFC 2119"),
        (":rfc:`2119#section-3.1`", "Section 3.1 of RFC 2119"),
        (":ref:`the rules <rules>`", "the rules"),
        (":ref:`elsewhere`", "elsewhere"),
        (":doc:`install/index`", "install/index"),
        (":term:`Tenant`", "Tenant"),
        (":py:func:`~os.path.join`", "`join`"),
        (":guilabel:`Save`", "Save"),
        (":menuselection:`File --> Open`", "File → Open"),
        (":unheard-of:`word`", "word"),
        ("`default`", "default"),
        ("`text <https://a.example/b>`_", "[text](https://a.example/b)"),
        ("`text <other.rst>`__", "[text](other.rst)"),
        ("Missing_ and `not there`_", "Missing and not there"),
        ("|nobody|", "nobody"),
        ("*one* **two** ``three``", "*one* **two** `three`"),
        ("10\\ :sup:`6`", "10^6"),
        ("статья 156\\ :sup:`1`", "статья 156.1"),
        ("a *broken", "a *broken"),
    ],
)
def test_inline_text(source: str, text: str) -> None:
    assert texts(f"See {source}.\n") == [f"See {text}."]


def test_a_label_is_called_by_the_title_it_stands_before() -> None:
    source = "Guide\n=====\n\nSee :ref:`pay`.\n\n.. _pay:\n\n2. Payment\n----------\n\nText.\n"
    assert texts(source) == ["See 2. Payment.", "Text."]


def test_substitutions_and_footnotes() -> None:
    source = "|firm| says [#]_ and [B1]_.\n\n.. |firm| replace:: The **Firm**\n.. [#] A note.\n.. [B1] A book.\n"
    assert texts(source) == ["The **Firm** says [1] and [B1].", "[1] A note.", "[B1] A book."]


def test_lists_keep_marks_and_depth() -> None:
    assert blocks(
        "3. one\n\n   a) inner\n   b) inner\n\n      - deep\n\n4. two\n\n   more\n\niv. roman\nv. roman\n"
    ) == [
        ("list_item", "3. one"),
        ("list_item", "  a) inner"),
        ("list_item", "  b) inner"),
        ("list_item", "    - deep"),
        ("list_item", "4. two"),
        ("list_item", "  more"),
        ("list_item", "iv. roman"),
        ("list_item", "v. roman"),
    ]


def test_terms_fields_and_options_lead_their_text() -> None:
    source = "Tenant : person\n    Who rents.\n\n    And pays.\n\n:Fee: 10\n\n-a, --all  Everything\n"
    assert texts(source) == [
        "**Tenant** (person) — Who rents.",
        "And pays.",
        "**Fee:** 10",
        "`-a`, `--all` — Everything",
    ]


def test_a_glossary_defines_its_terms() -> None:
    source = (
        "Glossary\n========\n\n.. glossary::\n   :sorted:\n\n   Tenant\n   Renter\n      Who rents.\n\n      - one\n\n"
        "   Landlord\n      Who lets.\n\nElse\n====\n\nx\n"
    )
    document = parsed(source)
    assert texts(source)[:3] == ["**Tenant**, **Renter** — Who rents.", "- one", "**Landlord** — Who lets."]
    assert [one.label for one in document.objects] == ["tenant", "renter", "landlord"]


@pytest.mark.parametrize(
    "table",
    [
        "+---+---+\n| A | B |\n+===+===+\n| 1 | 2 |\n+   +---+\n|   | 3 |\n+---+---+\n",
        "==  ==\nA   B\n==  ==\n1   2\n1   3\n==  ==\n",
        ".. list-table::\n   :header-rows: 1\n   :unknown: x\n\n"
        "   * - A\n     - B\n   * - 1\n     - 2\n   * - 1\n     - 3\n",
        ".. csv-table::\n   :header: A,B\n\n   1,2\n   1,3\n",
    ],
)
def test_tables_of_every_notation(table: str) -> None:
    assert blocks(table) == [("table", "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 1 | 3 |")]


def test_captions_are_objects() -> None:
    document = parsed(
        ".. figure:: a.png\n   :alt: drawing\n\n   Figure 1. The plan.\n\n"
        ".. table:: Table 2. Prices\n\n   ==  ==\n   A   B\n   ==  ==\n   1   2\n   ==  ==\n"
    )
    assert [(one.kind, one.label, one.title) for one in document.objects] == [
        ("figure", "1", "The plan."),
        ("table", "2", "Prices"),
    ]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (".. note:: Short.\n", [("paragraph", "**Note:** Short.")]),
        (
            ".. warning::\n   :class: x\n\n   One.\n\n   Two.\n",
            [("paragraph", "**Warning:** One."), ("paragraph", "Two.")],
        ),
        (".. admonition:: Mind\n\n   Text.\n", [("paragraph", "**Mind:** Text.")]),
        (".. seealso:: :pep:`8`\n", [("paragraph", "**See also:** PEP 8")]),
        (".. versionadded:: 3.2 The thing.\n", [("paragraph", "Added in version 3.2: The thing.")]),
        (".. deprecated:: 3.3\n\n   Gone soon.\n", [("paragraph", "Deprecated since version 3.3: Gone soon.")]),
        (".. code-block:: python\n   :emphasize-lines: 1\n\n   a = 1\n", [("code", "a = 1")]),
        ("Do::\n\n    a\n      b\n", [("paragraph", "Do:"), ("code", "a\n  b")]),
        (".. math:: a^2\n", [("code", "a^2")]),
        (".. tab:: Linux\n   :sync: a\n\n   Type.\n", [("paragraph", "**Linux**"), ("paragraph", "Type.")]),
        (".. unheard-of:: word\n", [("paragraph", "Unheard of: word")]),
        (".. unheard-of::\n\n   Body *text*.\n", [("paragraph", "Body *text*.")]),
        (
            ".. toctree::\n   :maxdepth: 1\n\n   Rules <rules>\n   fees\n",
            [("list_item", "- Rules"), ("list_item", "- fees")],
        ),
        (".. only:: html\n\n   Text.\n", [("paragraph", "Text.")]),
        (".. rubric:: Notes\n", [("paragraph", "**Notes**")]),
        (".. A comment.\n\nText.\n", [("paragraph", "Text.")]),
        ("+---+\n| broken\n+--+\n", [("code", "+---+\n| broken\n+--+")]),
        ("| one\n| two\n", [("paragraph", "one\ntwo")]),
    ],
)
def test_directives_and_blocks(source: str, found: list[tuple[str, str]]) -> None:
    assert blocks(f"Opening.\n\n{source}")[1:] == found


# --- what a file must not do ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        ".. include:: {0}\n",
        ".. literalinclude:: {0}\n",
        ".. raw:: html\n   :file: {0}\n",
        ".. raw:: html\n\n   secret-word\n",
        ".. csv-table:: T\n   :file: {0}\n",
        ".. csv-table:: T\n   :url: file://{0}\n",
        ".. code-block:: text\n   :file: {0}\n",
        ".. role:: raw-html(raw)\n   :format: html\n",
        ".. |x| include:: {0}\n\n|x|\n",
    ],
)
def test_no_other_file_is_read(tmp_path: Path, source: str) -> None:
    other = tmp_path / "other.txt"
    other.write_text("secret-word", encoding="utf-8")
    text = f"Before.\n\n{source.format(other)}\nAfter.\n"
    found = "\n".join(texts(text))
    assert "secret-word" not in found
    assert "Before." in found
    assert "After." in found


def test_no_configuration_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docutils.conf").write_text("[general]\nfile_insertion_enabled: yes\n", encoding="utf-8")
    (tmp_path / "other.txt").write_text("secret-word,x", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert "secret-word" not in "".join(texts(".. csv-table:: T\n   :file: other.txt\n\nText.\n"))


def test_nothing_stays_behind_for_the_next_file() -> None:
    before = dict(vars(roles)["_roles"]), set(vars(directives)["_directives"])
    parsed(".. role:: mine\n\n.. default-role:: literal\n\n:mine:`a`\n\n.. unheard-of:: b\n")
    assert (dict(vars(roles)["_roles"]), set(vars(directives)["_directives"])) == before


def test_complaints_are_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    parsed("Title\n==\n\n.. figure::\n\n`a`_ |b| *c\n\n.. list-table::\n\n   x\n\n====\n\nT\n")
    assert capfd.readouterr() == ("", "")


def test_deep_nesting_is_reported_or_read() -> None:
    nested = "".join(f"{'  ' * depth}- item {depth}\n\n" for depth in range(2000))
    with pytest.raises(SourceError, match="nested too deeply"):
        parsed(nested)


def test_substitutions_that_multiply_are_bounded() -> None:
    bomb = "".join(f".. |x{at}| replace:: |x{at + 1}| |x{at + 1}|\n" for at in range(40))
    found = texts(f"|x0|\n\n{bomb}.. |x40| replace:: boom\n\nEnd.\n")
    assert sum(map(len, found)) < 200_000
    assert found[-1] == "End."


def test_very_long_lines_are_read() -> None:
    assert " ".join(texts("word " * 20_000)).count("word") == 20_000


@pytest.mark.parametrize("data", [b"", b" \n", b"%PDF-1.7"])
def test_files_that_are_no_text_are_reported(data: bytes) -> None:
    with pytest.raises(SourceError):
        parse_rst("a.rst", data)
