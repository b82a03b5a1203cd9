"""FAQ files: entries from YAML lists and CSV tables, answers byte for byte, errors with their place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SourceError
from engine.ingest.faq_files import read_faq_file
from engine.ingest.folder import scan
from engine.types import FaqEntry


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "faq").mkdir()
    return tmp_path


def read(root: Path, name: str, text: str) -> list[FaqEntry]:
    location = root / "faq" / name
    location.write_text(text, encoding="utf-8", newline="")
    return read_faq_file(location, f"faq/{name}")


def complaint(root: Path, name: str, text: str) -> str:
    with pytest.raises(SourceError) as refused:
        read(root, name, text)
    assert "\n" not in str(refused.value)
    assert refused.value.path == f"faq/{name}"
    return refused.value.reason


# --- YAML -----------------------------------------------------------------------------------------------------------


def test_a_whole_entry(root: Path) -> None:
    (entry,) = read(
        root,
        "all.yaml",
        """
- id: cancel
  questions: ["How do I cancel?", "Stop it", "How do I cancel?"]
  answer: "Call us."
  language: en
  audience: [staff]
  domain: housing
  tags: [lease]
  valid_from: 2026-01-01
  valid_until: "2026-12-31"
""",
    )
    assert entry == FaqEntry(
        id="cancel",
        questions=("How do I cancel?", "Stop it"),
        answer="Call us.",
        language="en",
        audience=frozenset({"staff"}),
        domain="housing",
        tags=("lease",),
        valid_from="2026-01-01",
        valid_until="2026-12-31",
        source="faq/all.yaml",
    )


def test_what_is_left_out_is_filled_in(root: Path) -> None:
    russian, english = read(
        root,
        "two.yml",
        "- {id: 7, questions: [Как отменить], answer: Так.}\n- {id: b, questions: [How], answer: So.}\n",
    )
    assert (russian.id, russian.language, russian.audience) == ("7", "ru", frozenset({"public"}))
    assert (english.language, english.valid_from, english.tags) == ("en", None, ())


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "[]\n", "---\n"])
def test_an_empty_file_has_no_entries(root: Path, text: str) -> None:
    assert read(root, "empty.yaml", text) == []


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("|\n    two  spaces\n\n    last \n", "two  spaces\n\nlast \n"),
        ("|-\n    no end\n", "no end"),
        ("|+\n    all ends\n\n", "all ends\n\n\n"),
        ('"\\ttab, \\u00a0, \\r\\n, \\u2028 and e\\u0301"', "\ttab, \u00a0, \r\n, \u2028 and e\u0301"),
        ("'**bold** [a](b) <i>x</i> &amp; {{x}}'", "**bold** [a](b) <i>x</i> &amp; {{x}}"),
    ],
)
def test_yaml_answers_are_byte_for_byte(root: Path, written: str, answer: str) -> None:
    (entry,) = read(root, "exact.yaml", f"- id: a\n  questions: [How]\n  answer: {written}\n")
    assert entry.answer.encode() == answer.encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- id: a\n  questions: [How\n", "line 3, column 1: expected ',' or ']'"),
        ("id: a\n", "line 1, column 1: Input should be a valid list"),
        ("- id: a\n  questions: How?\n  answer: So.\n", "line 2, column 14: 0.questions: Input should be a valid list"),
        ("- id: a\n  questions: []\n  answer: So.\n", "line 2, column 14: 0.questions: List should have at least 1"),
        ("- id: a\n  questions: [How]\n", "line 1, column 3: 0.answer: Field required"),
        ("- id: a\n  questions: [How]\n  answer: ''\n", "line 3, column 11: 0.answer: String should have at least 1"),
        ("- id: a\n  question: [How]\n  answer: So.\n", "line 1, column 3: 0.questions: Field required"),
        ("- {id: a, questions: [Hm], answer: S, lang: en}\n", "line 1, column 45: 0.lang: no such key"),
        ("- {id: a, questions: [Hm], answer: S, language: de}\n", "line 1, column 49: 0.language: Input should be"),
        ("- {id: a, questions: [Hm], answer: S, valid_from: soon}\n", "line 1, column 51: 0.valid_from: Input should"),
        ("- id: a\n  answer: So.\n  answer: No.\n", "line 1, column 3: the key 'answer' stands twice"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(root: Path, text: str, expected: str) -> None:
    said = complaint(root, "broken.yaml", text)
    assert said.startswith(expected), said


# --- CSV ------------------------------------------------------------------------------------------------------------


def test_rows_with_one_id_are_wordings_of_one_entry(root: Path) -> None:
    table = "id,question,answer,language\na,How?,So.,en\nb,Когда?,Сейчас.,\na,How then?,,\n,,,\na,How?,So.,\n"
    entries = read(root, "table.csv", table)
    assert [(one.id, one.questions, one.answer, one.language) for one in entries] == [
        ("a", ("How?", "How then?"), "So.", "en"),
        ("b", ("Когда?",), "Сейчас.", "ru"),
    ]


def test_the_language_column_is_optional_and_columns_may_stand_in_any_order(root: Path) -> None:
    (entry,) = read(root, "table.csv", "\ufeffanswer,id,question,note\nSo.,a,How?,x\n")
    assert (entry.id, entry.answer, entry.language) == ("a", "So.", "en")


def test_csv_answers_are_byte_for_byte(root: Path) -> None:
    (entry,) = read(root, "table.csv", 'id,question,answer\r\na,How?," two, ""lines""\r\n\n end \t"\r\n')
    assert entry.answer == ' two, "lines"\r\n\n end \t'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "line 1: the columns answer, id, question are missing"),
        ("id,question\na,How?\n", "line 1: the columns answer are missing"),
        ("id;question;answer\na;How?;So.\n", "line 1: the columns answer, id, question are missing"),
        ("id,question,answer\na,How?,So.\na,When?,Now.\n", "line 3: the id a has two different answers"),
        ("id,question,answer\na,How?,So.\nb,When?,\n", "line 3: a row needs an id, a question and, once per id, an"),
        ("id,question,answer\n,How?,So.\n", "line 2: a row needs an id"),
        ("id,question,answer\na,How?\n", "line 2: a row needs an id"),
        ("id,question,answer,language\na,How?,So.,de\n", "line 2: the language is de, not ru or en"),
    ],
)
def test_what_is_wrong_in_a_table_is_told_with_its_line(root: Path, text: str, expected: str) -> None:
    said = complaint(root, "broken.csv", text)
    assert said.startswith(expected), said


def test_a_table_that_is_not_utf_8_is_told_as_such(root: Path) -> None:
    location = root / "faq" / "old.csv"
    location.write_bytes("id,question,answer\na,Как?,Так.\n".encode("cp1251"))
    with pytest.raises(SourceError, match="is not a CSV table in UTF-8"):
        read_faq_file(location, "faq/old.csv")


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1),
    st.text("абв abc?", min_size=1).filter(str.strip),
)
def test_any_answer_survives_a_table(tmp_path_factory: pytest.TempPathFactory, answer: str, question: str) -> None:
    location = tmp_path_factory.getbasetemp() / "any.csv"
    quoted = answer.replace('"', '""')
    location.write_text(f'id,question,answer\na,"{question}","{quoted}"\n', encoding="utf-8", newline="")
    (entry,) = read_faq_file(location, "faq/any.csv")
    assert entry.answer == answer


# --- the FAQ folder -------------------------------------------------------------------------------------------------


def test_files_of_both_kinds_and_of_subfolders_are_read_in_order(root: Path) -> None:
    (root / "faq" / "more").mkdir()
    for path, text in (
        ("b.yaml", "- {id: b, questions: [How], answer: So.}"),
        ("a.CSV", "id,question,answer\na,When?,Now.\n"),
        ("more/c.yml", "- {id: c, questions: [Why], answer: Because.}"),
    ):
        (root / "faq" / path).write_text(text, encoding="utf-8")
    folder = scan(root)
    assert [(entry.id, entry.source) for entry in folder.faq] == [
        ("a", "faq/a.CSV"),
        ("b", "faq/b.yaml"),
        ("c", "faq/more/c.yml"),
    ]
    assert folder.files == []


def test_an_id_that_stands_already_in_another_file_is_left_out_and_reported(root: Path) -> None:
    for name in ("one", "two"):
        text = f"- {{id: same, questions: [How], answer: {name}}}\n- {{id: {name}, questions: [Why], answer: So.}}\n"
        (root / "faq" / f"{name}.yaml").write_text(text, encoding="utf-8")
    folder = scan(root)
    assert [(entry.id, entry.answer) for entry in folder.faq] == [("same", "one"), ("one", "So."), ("two", "So.")]
    assert folder.failed == [("faq/two.yaml", "the FAQ id same stands already in faq/one.yaml; this one is left out")]


def test_a_broken_file_does_not_keep_the_others_from_being_read(root: Path) -> None:
    (root / "faq" / "a.yaml").write_text("- id: [", encoding="utf-8")
    (root / "faq" / "b.yaml").write_text("- {id: b, questions: [How], answer: So.}", encoding="utf-8")
    (root / "faq" / "c.txt").write_text("notes", encoding="utf-8")
    folder = scan(root)
    assert [entry.id for entry in folder.faq] == ["b"]
    assert folder.failed_faq == {"faq/a.yaml"}
    assert [path for path, _ in folder.failed] == ["faq/a.yaml"]
    assert folder.skipped == [("faq/c.txt", "FAQ files are .yaml, .yml or .csv")]


def test_a_registry_that_names_a_domain_faq_makes_it_one(root: Path) -> None:
    (root / "knowledge.yaml").write_text("domains: [{id: faq}]", encoding="utf-8")
    (root / "faq" / "about.md").write_text("# About\n\nText.\n", encoding="utf-8")
    folder = scan(root)
    assert [(file.path, file.domain.id) for file in folder.files] == [("faq/about.md", "faq")]
