"""FAQ files: YAML lists of entries, and CSV tables with one wording per row."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from engine.ingest.faq_table import read_table
from engine.ingest.yaml_files import Strict, audience_of, read_yaml
from engine.text.normal import detect_language
from engine.types import FaqEntry, Language

FAQ_SUFFIXES = frozenset({".yaml", ".yml", ".csv"})

_Text = Annotated[str, Field(min_length=1)]


class EntryLines(Strict):
    id: Annotated[str | int, Field(union_mode="left_to_right")]
    questions: Annotated[list[_Text], Field(min_length=1)]
    answer: _Text
    language: Language | None = None
    audience: list[str] | None = None
    domain: str | None = None
    tags: list[str] = Field(default_factory=list)
    valid_from: datetime.date | None = None
    valid_until: datetime.date | None = None
    chats: list[str | int] = Field(default_factory=list)
    languages: list[Language] = Field(default_factory=list)


_ENTRIES: TypeAdapter[list[EntryLines] | None] = TypeAdapter(list[EntryLines] | None)


def read_faq_file(location: Path, name: str) -> list[FaqEntry]:
    """The entries of one file, answers byte for byte. Raises SourceError with the place."""
    if location.suffix.lower() == ".csv":
        return read_table(location, name)
    return [_entry(lines, name) for lines in read_yaml(location, name, _ENTRIES) or []]


def _entry(lines: EntryLines, name: str) -> FaqEntry:
    return FaqEntry(
        id=str(lines.id),
        questions=tuple(dict.fromkeys(lines.questions)),
        answer=lines.answer,
        language=lines.language or detect_language(lines.questions[0]),
        audience=audience_of(lines.audience),
        domain=lines.domain,
        tags=tuple(lines.tags),
        valid_from=lines.valid_from.isoformat() if lines.valid_from else None,
        valid_until=lines.valid_until.isoformat() if lines.valid_until else None,
        chats=tuple(str(chat) for chat in lines.chats),
        languages=tuple(lines.languages),
        source=name,
    )
