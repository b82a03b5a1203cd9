"""The FAQ as a CSV table: one wording per row, rows with one id being wordings of one entry."""

from __future__ import annotations

import csv
import datetime
import io
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.errors import SourceError
from engine.ingest.yaml_files import audience_of
from engine.text.normal import detect_language
from engine.types import FaqEntry, Language

COLUMNS = (
    "id", "question", "answer", "language", "audience", "domain", "tags", "valid_from", "valid_until", "chats",
    "languages",
)  # fmt: skip
"""The first three must be there. Those after `answer` belong to the entry and may stand in any of its rows; several
values of one are separated by `;`."""

_LANGUAGES: dict[str, Language] = {"ru": "ru", "en": "en"}
_Rows = Sequence[tuple[int, dict[str, str]]]


def as_table(entries: Iterable[FaqEntry]) -> str:
    """What `read_table` reads back as the same entries."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        about = {
            "answer": entry.answer,
            "language": entry.language,
            "audience": ";".join(sorted(entry.audience)),
            "domain": entry.domain or "",
            "tags": ";".join(entry.tags),
            "valid_from": entry.valid_from or "",
            "valid_until": entry.valid_until or "",
            "chats": ";".join(entry.chats),
            "languages": ";".join(entry.languages),
        }
        for place, question in enumerate(entry.questions):
            writer.writerow({"id": entry.id, "question": question} | (about if place == 0 else {}))
    return out.getvalue()


def read_table(location: Path, name: str) -> list[FaqEntry]:
    """An entry's answer stands in the first of its rows that has one. Raises SourceError with the place."""
    rows: dict[str, list[tuple[int, dict[str, str]]]] = defaultdict(list)
    try:
        with location.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream)
            missing = {"id", "question", "answer"} - set(reader.fieldnames or ())
            if missing:
                raise SourceError(name, f"line 1: the columns {', '.join(sorted(missing))} are missing")
            for row in reader:
                if any(row.values()):
                    rows[(row["id"] or "").strip()].append((reader.line_num, row))
    except OSError as error:
        raise SourceError(name, f"cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise SourceError(name, f"is not a CSV table in UTF-8: {error}") from error
    return [_entry(entry_id, wordings, name) for entry_id, wordings in rows.items()]


def _entry(entry_id: str, rows: _Rows, name: str) -> FaqEntry:
    line = rows[0][0]
    questions = tuple(dict.fromkeys(row["question"] for _, row in rows if row["question"]))
    answers = dict.fromkeys(row["answer"] for _, row in rows if row["answer"])
    if not entry_id or not questions or not answers:
        raise SourceError(name, f"line {line}: a row needs an id, a question and, once per id, an answer")
    if len(answers) > 1:
        raise SourceError(name, f"line {rows[-1][0]}: the id {entry_id} has two different answers")
    return FaqEntry(
        id=entry_id,
        questions=questions,
        answer=next(iter(answers)),
        language=_language(_first(rows, "language") or detect_language(questions[0]), line, name),
        audience=audience_of(_listed(rows, "audience") or None),
        domain=_first(rows, "domain") or None,
        tags=tuple(_listed(rows, "tags")),
        valid_from=_day(rows, "valid_from", line, name),
        valid_until=_day(rows, "valid_until", line, name),
        chats=tuple(_listed(rows, "chats")),
        languages=tuple(_language(one, line, name) for one in _listed(rows, "languages")),
        source=name,
    )


def _first(rows: _Rows, column: str) -> str:
    return next((value for _, row in rows if (value := (row.get(column) or "").strip())), "")


def _listed(rows: _Rows, column: str) -> list[str]:
    return [part for one in _first(rows, column).split(";") if (part := one.strip())]


def _language(code: str, line: int, name: str) -> Language:
    if code not in _LANGUAGES:
        raise SourceError(name, f"line {line}: the language is {code}, not ru or en")
    return _LANGUAGES[code]


def _day(rows: _Rows, column: str, line: int, name: str) -> str | None:
    text = _first(rows, column)
    try:
        return datetime.date.fromisoformat(text).isoformat() if text else None
    except ValueError as error:
        raise SourceError(name, f"line {line}: {column} is {text}, not a day like 2026-12-31") from error
