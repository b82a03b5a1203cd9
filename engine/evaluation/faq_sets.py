"""Data sets for the FAQ gate: what is in the FAQ, what is asked, and which questions may be learned from."""

from __future__ import annotations

import csv
import json
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from engine.errors import SourceError
from engine.matching.negatives import light_edits
from engine.matching.practice import Labelled
from engine.text.mismatch import first_problem, unreadable
from engine.types import FaqEntry, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    text: str
    right: frozenset[str]
    """The ids of the entries that answer it; empty when none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaqSet:
    name: str
    split: str
    """What is learned from, in words."""
    entries: tuple[FaqEntry, ...]
    asked: tuple[Asked, ...]
    labelled: tuple[Labelled, ...] = ()
    """Questions that calibration may use; none of them is asked."""


def clinc150(folder: Path) -> FaqSet:
    """Train questions as wordings; val and the outside ones are asked."""
    sets = cast(dict[str, list[tuple[str, str]]], _json(folder / "clinc150" / "data.json"))
    asked = [Asked(text=text, right=frozenset({intent})) for text, intent in sets["val"]]
    outside = [Asked(text=text, right=frozenset()) for name in ("oos_val", "oos_train") for text, _ in sets[name]]
    return FaqSet(
        name="CLINC150",
        split="wordings: train; calibrated on them, left out; asked: val, oos_val and oos_train",
        entries=_entries(sets["train"], "en"),
        asked=(*asked, *outside),
    )


def banking77(folder: Path) -> FaqSet:
    """Four fifths of the train questions, chosen by their text, as wordings; the last fifth is asked."""
    rows = [(row["text"], row["category"]) for row in _csv(folder / "banking77" / "train.csv")]
    asked = [row for row in rows if _draw(row[0], 5) == 0]
    return FaqSet(
        name="BANKING77",
        split="wordings: 4/5 of train by hash; calibrated on them, left out; asked: the other 1/5",
        entries=_entries([row for row in rows if _draw(row[0], 5)], "en"),
        asked=tuple(Asked(text=text, right=frozenset({category})) for text, category in asked),
    )


def rutube(folder: Path) -> list[FaqSet]:
    """The FAQ's questions, one wording each; messages of users, each half asked with the other one labelled."""
    answers: dict[str, set[str]] = defaultdict(set)
    for row in _jsonl(folder / "rutube_ru" / "faq.jsonl"):
        answers[row["Вопрос из БЗ"].strip()].add(row["Ответ из БЗ"])
    entries = tuple(
        FaqEntry(id=question, questions=(question,), answer=min(known), language="ru")
        for question, known in answers.items()
    )
    asked = [_message(row, answers) for row in _jsonl(folder / "rutube_ru" / "cases.jsonl")]
    return _halves("RUTUBE", entries, asked, lambda one: _draw(one.text, 2))


def _message(row: dict[str, str], answers: dict[str, set[str]]) -> Asked:
    """Several entries have the same answer: each of them is right."""
    right = {question for question, known in answers.items() if row["Ответ из БЗ"] in known}
    return Asked(text=row["Вопрос пользователя"], right=frozenset({row["Вопрос из БЗ"].strip()} | right))


def pairs(folder: Path) -> list[FaqSet]:
    """Paraphrases belong to their entry; adjacent questions, hard negatives and other topics to none."""
    entries: list[FaqEntry] = []
    asked: list[tuple[str, Asked]] = []
    for language in ("ru", "en"):
        content = cast(dict[str, Any], _json(folder / "pairs" / f"{language}.json"))
        for one in content["canonical"]:
            entry = f"{language}-{one['id']}"
            entries.append(
                FaqEntry(
                    id=entry,
                    questions=(one["question"],),
                    answer=f"{entry}: {one['answer']}",
                    language=language,
                )
            )
            asked += [(one["id"], Asked(text=text, right=frozenset({entry}))) for text in one["paraphrases"]]
            others = [*one["adjacent"], *(negative["text"] for negative in one["hard_negatives"])]
            asked += [(one["id"], Asked(text=text, right=frozenset())) for text in others]
        asked += [(one["text"], Asked(text=one["text"], right=frozenset())) for one in content["off_topic"]]
    groups = {one.text: group for group, one in asked}
    return _halves("faq/pairs", tuple(entries), [one for _, one in asked], lambda one: _draw(groups[one.text], 2))


class _HardPair(BaseModel):
    id: str
    language: Language
    question: str
    known: str
    answer: str = ""


def _hard_pair(path: Path, number: int, line: str) -> _HardPair:
    try:
        return _HardPair.model_validate_json(line)
    except ValidationError as error:
        raise SourceError(str(path), f"line {number}: {first_problem(error)}") from error


def hard_pairs(path: Path) -> list[FaqSet]:
    """One side of each pair is known, the other asked, both ways; and the known side with a light edit, which is
    right. A row may have the `answer` to what is `known`."""
    pairs = [_hard_pair(path, number, line) for number, line in _lines(path)]
    there = [(one, one.known, one.question, one.answer or one.id) for one in pairs]
    back = [(one, one.question, one.known, one.id) for one in pairs]
    sets: list[FaqSet] = []
    for rows, way in ((there, "there"), (back, "back")):
        entries = tuple(
            FaqEntry(id=one.id, questions=(known,), answer=answer, language=one.language)
            for one, known, _, answer in rows
        )
        edits = light_edits([known for _, known, _, _ in rows], len(rows))
        asked = [Asked(text=question, right=frozenset()) for _, _, question, _ in rows]
        asked += [Asked(text=text, right=frozenset({pairs[at].id})) for at, text in edits]
        sets.append(FaqSet(name=f"hard pairs, {way}", split="not learned from", entries=entries, asked=tuple(asked)))
    return sets


def _halves(name: str, entries: tuple[FaqEntry, ...], asked: Sequence[Asked], half: Any) -> list[FaqSet]:
    sets: list[FaqSet] = []
    for number in (0, 1):
        others = [one for one in asked if half(one) != number]
        labelled = (Labelled(question=one.text, entry=min(one.right, default=None)) for one in others)
        sets.append(
            FaqSet(
                name=name,
                split="each half of the questions asked with the other half labelled",
                entries=entries,
                asked=tuple(one for one in asked if half(one) == number),
                labelled=tuple(labelled),
            )
        )
    return sets


def _entries(rows: Iterable[tuple[str, str]], language: Language) -> tuple[FaqEntry, ...]:
    wordings: dict[str, list[str]] = defaultdict(list)
    for text, entry in rows:
        wordings[entry].append(text)
    return tuple(
        FaqEntry(id=entry, questions=tuple(dict.fromkeys(texts)), answer=f"About {entry}.", language=language)
        for entry, texts in wordings.items()
    )


def _draw(text: str, parts: int) -> int:
    """The same for a text in every run."""
    return zlib.crc32(text.encode()) % parts


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(str(path), f"cannot be read: {unreadable(error)}") from error


def _json(path: Path) -> object:
    return _parsed(path, _read(path))


def _jsonl(path: Path) -> list[dict[str, str]]:
    return [_parsed(path, line, number) for number, line in _lines(path)]


def _lines(path: Path) -> list[tuple[int, str]]:
    return [(number, line) for number, line in enumerate(_read(path).splitlines(), start=1) if line.strip()]


def _parsed(path: Path, text: str, line: int = 1) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise SourceError(str(path), f"line {line + error.lineno - 1}: is not JSON: {error.msg}") from error


def _csv(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(_read(path).splitlines()))
