"""FAQ files: YAML lists of entries, and CSV tables with one wording per row."""

from __future__ import annotations

import csv
import datetime
from collections import defaultdict
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from engine.errors import SourceError
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
        return _read_csv(location, name)
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


def _read_csv(location: Path, name: str) -> list[FaqEntry]:
    """Rows with one id are wordings of one entry; its answer stands in the first of them that has one."""
    try:
        with location.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = {"id", "question", "answer"} - set(reader.fieldnames or ())
            if missing:
                raise SourceError(name, f"line 1: the columns {', '.join(sorted(missing))} are missing")
            rows: dict[str, list[tuple[int, dict[str, str]]]] = defaultdict(list)
            for row in reader:
                if any(row.values()):
                    rows[(row["id"] or "").strip()].append((reader.line_num, row))
    except OSError as error:
        raise SourceError(name, f"cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise SourceError(name, f"is not a CSV table in UTF-8: {error}") from error
    return [_csv_entry(entry_id, wordings, name) for entry_id, wordings in rows.items()]


def _csv_entry(entry_id: str, rows: list[tuple[int, dict[str, str]]], name: str) -> FaqEntry:
    line = rows[0][0]
    questions = tuple(dict.fromkeys(row["question"] for _, row in rows if row["question"]))
    answers = dict.fromkeys(row["answer"] for _, row in rows if row["answer"])
    if not entry_id or not questions or not answers:
        raise SourceError(name, f"line {line}: a row needs an id, a question and, once per id, an answer")
    if len(answers) > 1:
        raise SourceError(name, f"line {rows[-1][0]}: the id {entry_id} has two different answers")
    language = next((row["language"] for _, row in rows if row.get("language")), "") or detect_language(questions[0])
    if language not in ("ru", "en"):
        raise SourceError(name, f"line {line}: the language is {language}, not ru or en")
    known: dict[str, Language] = {"ru": "ru", "en": "en"}
    return FaqEntry(id=entry_id, questions=questions, answer=next(iter(answers)), language=known[language], source=name)
