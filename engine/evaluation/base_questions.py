"""Questions with what is known about their right answers, from a JSONL file: an owner's own, or a data set's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import SourceError
from engine.text.mismatch import first_problem, unreadable
from engine.text.normal import detect_language
from engine.types import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    id: str
    question: str
    language: Language
    facts: tuple[str, ...] = ()
    """What a right answer holds; `a|b` in one means either."""
    places: tuple[frozenset[str], ...] = ()
    """The documents that answer: one of each set is needed."""
    sections: tuple[tuple[str, str], ...] = ()
    """(document, section number): where the answer begins, and where its reference leads. Empty without one."""
    faq: str | None = None
    """The id of the FAQ entry that answers it; "" when none does, None when that is not known."""
    history: tuple[str, ...] = ()
    """What was asked before in the same conversation, oldest first."""
    kind: str = ""

    @property
    def documents(self) -> frozenset[str]:
        """All that a right answer may rest on, the target of its reference included."""
        needed = (document for place in self.places for document in place)
        return frozenset([*needed, *(document for document, _ in self.sections)])


class GoldLine(BaseModel):
    """A line of a question file. Other fields are ignored, so that data sets can be read as they are.

    The owner's own form is `question`, `facts` and `documents` with paths below the knowledge folder. Data sets may
    name `domain`, `collections` and document titles instead, or one `doc`, and a wording in Russian.
    """

    model_config = ConfigDict(extra="ignore")
    id: str | int | None = None
    question: str = Field(min_length=1)
    question_ru: str | None = None
    lang: Language | None = None
    language: Language | None = None
    facts: list[str] = Field(default_factory=list)
    must_contain: list[str] = Field(default_factory=list)
    documents: list[str | list[str]] = Field(default_factory=list)
    document: str | None = None
    domain: str | None = None
    collections: list[str] = Field(default_factory=list)
    doc: str | None = None
    first_section: str | None = None
    ref_doc: str | None = None
    ref_section: str | None = None
    faq: str | None = None
    history: list[str] = Field(default_factory=list)
    kind: str = ""

    def golds(self, number: int, known: frozenset[str]) -> Iterator[Gold]:
        """The question, and its Russian wording if there is one. `known` are the documents of the base."""
        facts = tuple(self.facts or self.must_contain)
        wordings = [(self.language or self.lang or detect_language(self.question), self.question)]
        if self.question_ru:
            wordings.append(("ru", self.question_ru))
        name = str(self.id) if self.id is not None else f"line {number}"
        for language, question in wordings:
            yield Gold(
                id=f"{name}:{language}" if self.question_ru else name,
                question=question,
                language=language,
                facts=facts,
                places=tuple(self._places(known)),
                sections=self._sections(),
                faq=self.faq,
                history=tuple(self.history),
                kind=self.kind,
            )

    def _places(self, known: frozenset[str]) -> Iterator[frozenset[str]]:
        if self.domain and self.collections:
            # Titles without a folder: any of them, in any of the collections, is right.
            folders = [f"{self.domain}/{collection}/" for collection in self.collections]
            titles = {title for title in self.documents if isinstance(title, str)}
            yield frozenset(
                path for path in known for folder in folders if path.startswith(folder) and Path(path).stem in titles
            )
            return
        for place in [*self.documents, *([self.doc] if self.doc else []), *([self.document] if self.document else [])]:
            yield frozenset([place] if isinstance(place, str) else place)

    def _sections(self) -> tuple[tuple[str, str], ...]:
        if not (self.doc and self.first_section and self.ref_section):
            return ()
        return (self.doc, self.first_section), (self.ref_doc or self.doc, self.ref_section)


def read_questions(path: Path, known: Iterable[str]) -> tuple[Gold, ...]:
    """Raises SourceError for a file that cannot be read, a bad line, an id that stands twice or an unknown document."""
    documents = frozenset(known)
    golds: dict[str, Gold] = {}
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(str(path), f"cannot be read: {unreadable(error)}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            read = GoldLine.model_validate_json(line)
        except ValidationError as error:
            raise SourceError(str(path), f"line {number}: {first_problem(error)}") from error
        for gold in read.golds(number, documents):
            if gold.id in golds:
                raise SourceError(str(path), f"line {number}: the id {gold.id} stands twice")
            if lost := sorted(gold.documents - documents) or ([] if all(gold.places) else ["of that title"]):
                raise SourceError(str(path), f"line {number}: the knowledge has no document {lost[0]}")
            golds[gold.id] = gold
    if not golds:
        raise SourceError(str(path), "has no questions")
    return tuple(golds.values())


def holds(text: str, fact: str) -> bool:
    """Whether the text has the fact, in any of its forms; letter case, ё and spaces do not matter."""
    folded = _folded(text)
    return any(_folded(form) in folded for form in fact.split("|"))


def holds_all(text: str, facts: Iterable[str]) -> bool:
    folded = _folded(text)
    return all(any(_folded(form) in folded for form in fact.split("|")) for fact in facts)


def _folded(text: str) -> str:
    return re.sub(r"\s+", " ", text.lower().replace("ё", "е").replace("*", "")).strip()
