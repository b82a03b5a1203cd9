"""Finds the document that a text names: "RFC 9110", "ГК РФ", "the Data Processing Agreement", a link to its file."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from engine.text.normal import fold
from engine.text.stems import content_stems
from engine.types import DocumentRecord

_IDENTIFIER = re.compile(
    r"(?<![^\W_])(?P<body>rfc|pep|iso(?:/iec)?|iec|гост|ansi|nist|fips|ietf|снип|санпин|bcp|std)"
    r"[\s_\-]*(?:р|sp|pub|draft)?[\s_\-.]*(?P<number>\d[\d.\-–/]*\d|\d)"
    r"|(?P<law>\d{1,4})\s*-\s*(?P<kind>фкз|фз)(?![^\W_])"
    r"|(?P<act>\d{2,4}/\d{1,4})(?:/\w+)?",
    re.IGNORECASE,
)
_ABBREVIATION = re.compile(r"(?<![^\W_])[A-ZА-ЯЁ]{2,6}(?![^\W_])")
_LINK_FILE = re.compile(r"\.\w{2,5}$")
_COUNTRY = frozenset({"РФ", "EU", "ЕС", "US", "UK"})
_SAME = 0.75
"""Share of a name's telling stems that a title must hold to be the one meant."""


@dataclass(frozen=True, slots=True)
class _Named:
    record: DocumentRecord
    identifiers: frozenset[str]
    initials: str
    """First letters of the title's words, capitals only where the word begins with one or all of it is capital."""
    stems: frozenset[str]


class DocumentNames:
    """All documents by what they may be called. Made anew when the set of documents changes."""

    def __init__(self, records: Iterable[DocumentRecord]) -> None:
        self._by_path = {record.path: record for record in records}
        self._named = [_named(record) for record in self._by_path.values()]
        self._by_file_name: dict[str, list[_Named]] = {}
        for one in self._named:
            self._by_file_name.setdefault(PurePosixPath(one.record.path).name, []).append(one)
        self._by_identifier: dict[str, list[_Named]] = {}
        for one in self._named:
            for identifier in one.identifiers:
                self._by_identifier.setdefault(identifier, []).append(one)
        self._stem_counts: dict[str, int] = {}
        for one in self._named:
            for stem in one.stems:
                self._stem_counts[stem] = self._stem_counts.get(stem, 0) + 1

    def find(self, name: str, *, near: DocumentRecord, audience: frozenset[str]) -> DocumentRecord | None:
        """The one document that is meant; one of the same collection before others; None when in doubt."""
        if is_link(name):
            return self._linked(name, near, audience)
        if found := self._identified(name):
            return self._one(found, near, audience)
        if identifiers(name):
            return None  # a law or standard that is not here
        return self._one(self._abbreviated(name), near, audience) or self._titled(name, near, audience)

    def called(self, noun: str, *, near: DocumentRecord, audience: frozenset[str]) -> DocumentRecord | None:
        """The one document that "the Agreement" means: itself, or the only one of its collection or domain."""
        stems = frozenset(content_stems(noun))
        named = [one for one in self._named if stems <= one.stems and one.record.domain == near.domain]
        heads = [one for one in named if _is_headed(one.record.title, noun)]
        for found in (heads, named):
            if any(one.record.path == near.path for one in found):
                return near
            if record := self._one(found, near, audience):
                return record
        return None

    def is_called(self, record: DocumentRecord, noun: str) -> bool:
        return frozenset(content_stems(noun)) <= frozenset(content_stems(record.title))

    def _linked(self, target: str, near: DocumentRecord, audience: frozenset[str]) -> DocumentRecord | None:
        """By its path; by the file's name alone, since exports are often sorted into folders; by a number in it."""
        path = link_path(target, near.path)
        record = self._by_path.get(path)
        if record is not None:
            return record if record.audience & audience else None
        same_name = self._by_file_name.get(PurePosixPath(path).name, [])
        return self._one(same_name or self._identified(urlsplit(target).path), near, audience)

    def _identified(self, text: str) -> list[_Named]:
        return [one for identifier in identifiers(text) for one in self._by_identifier.get(identifier, ())]

    def _abbreviated(self, name: str) -> list[_Named]:
        short = next((found for found in _ABBREVIATION.findall(name) if found not in _COUNTRY), None)
        return [one for one in self._named if short in one.initials] if short else []

    def _titled(self, name: str, near: DocumentRecord, audience: frozenset[str]) -> DocumentRecord | None:
        wanted = frozenset(content_stems(name))
        if not wanted:
            return None
        total = sum(self._weight(stem) for stem in wanted)
        scores = {
            one.record.path: sum(self._weight(stem) for stem in wanted & one.stems) / total
            for one in self._named
            if wanted & one.stems
        }
        best = max(scores.values(), default=0.0)
        if best < _SAME:
            return None
        return self._one([one for one in self._named if scores.get(one.record.path) == best], near, audience)

    def _weight(self, stem: str) -> float:
        return 1.0 / (1 + self._stem_counts.get(stem, 0)) if stem in self._stem_counts else 1.0

    def _one(self, found: Sequence[_Named], near: DocumentRecord, audience: frozenset[str]) -> DocumentRecord | None:
        seen = {one.record.path: one.record for one in found if one.record.audience & audience}
        for level in ("collection", "domain"):
            here = [r for r in seen.values() if r.domain == near.domain and getattr(r, level) == getattr(near, level)]
            if len(here) == 1:
                return here[0]
            if here:
                return None
        return next(iter(seen.values())) if len(seen) == 1 else None


def identifiers(text: str) -> frozenset[str]:
    """Official numbers in their plainest form: "rfc9110", "iso27001", "152-фз", "2016/679"."""
    found: set[str] = set()
    for match in _IDENTIFIER.finditer(text):
        if match.group("body"):
            body = match.group("body").lower().split("/")[0]
            number = match.group("number").replace("–", "-").lstrip("0") or "0"
            found.add(f"{body}{number}")
            # A standard is often named without its year: "ГОСТ 7.0" for "ГОСТ 7.0-2016".
            found.add(f"{body}{re.split(r'[-/:]', number)[0]}")
        elif match.group("law"):
            found.add(f"{match.group('law')}-{match.group('kind').lower()}")
        else:
            found.add(match.group("act"))
    return frozenset(found)


def is_link(name: str) -> bool:
    """Whether a name is the target of a link: a path, an address, an anchor."""
    if " " in name.strip():
        return False
    return "://" in name or name.startswith(("#", "./", "../", "/")) or bool(_LINK_FILE.search(name.split("#")[0]))


def link_path(target: str, source: str) -> str:
    """The path below the knowledge folder that a relative link in `source` leads to."""
    path = unquote(urlsplit(target).path)
    if not path:
        return source
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), path.lstrip("/") if path[0] == "/" else path))


def link_anchor(target: str) -> str | None:
    return unquote(urlsplit(target).fragment) or None


def _named(record: DocumentRecord) -> _Named:
    stem = PurePosixPath(record.path).stem.replace("_", " ").replace("-", " ")
    return _Named(
        record=record,
        identifiers=identifiers(record.title) | identifiers(PurePosixPath(record.path).stem),
        initials=_initials(record.title),
        stems=frozenset(content_stems(f"{fold(record.title)} {stem}")),
    )


def _is_headed(title: str, noun: str) -> bool:
    """ "Договор аренды" is a contract, "Памятка к договору" is none; an English title has its noun at the end."""
    words = fold(re.split(r"\s(?:of|on|for|to)\s", title)[0]).split()
    return bool(words) and fold(noun) in (words[0], words[-1])


def _initials(title: str) -> str:
    """ "Гражданский кодекс Российской Федерации" as "ГКРФ"; words of other parts of speech count too."""
    return "".join(word[0] for word in re.findall(r"[^\W\d_]{2,}", title)).upper()
