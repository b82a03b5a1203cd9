"""The FAQ as a CSV table: what is exported is read back, scopes and days included."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import SourceError
from engine.ingest.faq_table import as_table, read_table
from engine.types import FaqEntry

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=";"), min_size=1)
LINES = st.lists(WORDS, min_size=1, max_size=3).map("\n".join)
LANGUAGES = st.sampled_from(("ru", "en"))
DAYS = st.none() | st.dates().map(lambda day: day.isoformat())
ENTRIES = st.lists(
    st.builds(
        FaqEntry,
        id=WORDS,
        questions=st.lists(LINES, min_size=1, max_size=3, unique=True).map(tuple),
        answer=LINES,
        language=LANGUAGES,
        audience=st.frozensets(WORDS, min_size=1, max_size=2),
        domain=st.none() | WORDS,
        tags=st.lists(WORDS, max_size=2).map(tuple),
        valid_from=DAYS,
        valid_until=DAYS,
        chats=st.lists(WORDS, max_size=2).map(tuple),
        languages=st.lists(LANGUAGES, max_size=2, unique=True).map(tuple),
        source=st.just("faq/table.csv"),
    ),
    max_size=4,
    unique_by=lambda entry: entry.id,
)


@given(ENTRIES)
def test_what_is_exported_is_read_back(tmp_path_factory: pytest.TempPathFactory, entries: list[FaqEntry]) -> None:
    location = tmp_path_factory.getbasetemp() / "table.csv"
    location.write_bytes(as_table(entries).encode())
    assert read_table(location, "faq/table.csv") == entries


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("a,How?,So.,,tomorrow", "line 2: valid_until is tomorrow, not a day like 2026-12-31"),
        ("a,How?,So.,ru;fr,", "line 2: the language is fr, not ru or en"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(tmp_path: Path, row: str, complaint: str) -> None:
    location = tmp_path / "table.csv"
    location.write_text(f"id,question,answer,languages,valid_until\n{row}\n", encoding="utf-8")
    with pytest.raises(SourceError, match=complaint):
        read_table(location, "table.csv")
