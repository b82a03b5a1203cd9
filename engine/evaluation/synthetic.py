"""Made-up bases of any size: every domain has the same documents with other values."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import KnowledgeError
from engine.evaluation import synthetic_words as given
from engine.text.focus import without_name
from engine.types import Language

MOST_DOMAINS = min(len(given.FIRST[language]) * len(given.SECOND[language]) for language in given.FIRST)
_PARTNERS = 2


@dataclass(frozen=True, slots=True)
class Park:
    id: str
    title: str
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MadeBase:
    documents: int
    questions: int


def make_base(folder: Path, domains: int, language: Language, *, seed: int = 1, asked: int = 50) -> MadeBase:
    """Write `knowledge/` and `questions.jsonl`; the questions are about `asked` of the domains, spread over all.

    The same arguments give the same files. Raises KnowledgeError for a folder that is in use or a size out of reach.
    """
    if not 1 <= domains <= MOST_DOMAINS:
        raise KnowledgeError(f"a base can be made with 1 to {MOST_DOMAINS} domains, not {domains}")
    if folder.exists() and any(folder.iterdir()):
        raise KnowledgeError(f"{folder} is not empty; name a new folder")
    parks = _parks(domains, language, random.Random(seed))
    try:
        for path, text in _files(parks, language):
            location = folder / "knowledge" / path
            location.parent.mkdir(parents=True, exist_ok=True)
            location.write_text(text, encoding="utf-8")
        every = max(1, domains // asked)
        lines = [line for at in range(0, domains, every) for line in _questions(parks, at, language)]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / "questions.jsonl").write_text(text, encoding="utf-8")
    except OSError as error:
        raise KnowledgeError(f"{folder} cannot be written: {error.strerror}") from error
    return MadeBase(documents=domains * len(given.SHEETS), questions=len(lines))


def _parks(domains: int, language: Language, chance: random.Random) -> list[Park]:
    names = [f"{first} {second}" for first in given.FIRST[language] for second in given.SECOND[language]]
    return [
        Park(
            id=f"park-{number:04}",
            title=title,
            values={one.name: _drawn(one, language, chance) for one in given.VALUES},
        )
        for number, title in enumerate(chance.sample(names, domains), start=1)
    ]


def _drawn(value: given.Value, language: Language, chance: random.Random) -> str:
    return value.form[language] % chance.randrange(value.least, value.most + 1, value.step)


def _files(parks: list[Park], language: Language) -> Iterator[tuple[str, str]]:
    registry = {
        "domains": [
            {
                "id": park.id,
                "title": park.title,
                "language": language,
                "collections": [{"id": name, "title": titles[language]} for name, titles in given.COLLECTIONS.items()],
            }
            for park in parks
        ]
    }
    yield "knowledge.yaml", json.dumps(registry, ensure_ascii=False, indent=1) + "\n"
    for park in parks:
        for sheet in given.SHEETS:
            yield f"{park.id}/{sheet.collection}/{sheet.file}.md", sheet.texts[language].format_map(park.values)


def _questions(parks: list[Park], at: int, language: Language) -> Iterator[dict[str, object]]:
    park = parks[at]
    for asking in given.ASKINGS:
        text = asking.texts[language].format(park=park.title)
        yield _line(f"{park.id}:{asking.value}", text, "single", language, [(park, asking.value)])
    first, then = given.ASKINGS[0], given.ASKINGS[-1]
    unnamed = without_name(then.texts[language].format(park=park.title), park.title)
    line = _line(f"{park.id}:context", unnamed, "context", language, [(park, then.value)])
    yield {**line, "history": [first.texts[language].format(park=park.title)]}
    if len(parks) <= _PARTNERS:
        return
    other, third = parks[(at + 1) % len(parks)], parks[(at + 2) % len(parks)]
    for value, what in given.COMPARED.items():
        text = given.COMPARE[language].format(what=what[language], park=park.title, other=other.title)
        yield _line(f"{park.id}:compare-{value}", text, "compare", language, [(park, value), (other, value)])
    chain = given.CHAIN[language].format(park=park.title)
    yield _line(f"{park.id}:chain", chain, "chain", language, [(park, "cabin"), (park, "sauna")])
    total = given.TOTAL[language].format(park=park.title, other=other.title, third=third.title)
    needed = [(one, "sauna") for one in (park, other, third)]
    yield _line(f"{park.id}:aggregate", total, "aggregate", language, needed)


def _line(name: str, question: str, kind: str, language: Language, needed: list[tuple[Park, str]]) -> dict[str, object]:
    sheets = {asking.value: asking.sheet for asking in given.ASKINGS}
    return {
        "id": name,
        "question": question,
        "language": language,
        "kind": kind,
        "facts": list(dict.fromkeys(park.values[value] for park, value in needed)),
        "documents": list(dict.fromkeys(f"{park.id}/{sheets[value]}.md" for park, value in needed)),
    }
