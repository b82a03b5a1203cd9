"""Questions that ask for a place by its number and nothing else: "what does section 5.2 of the house rules say?".

Likeness of words cannot find it: the texts that are most like such a question are those that point at the place. The
tables know where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from engine.ports import ChunkIndex, DocumentStore, Retriever
from engine.stages.document_names import DocumentNames
from engine.stages.library import Library, Shelf
from engine.stages.places import key
from engine.stages.resolution import Candidate, Resolver
from engine.text.inner_sections import InnerSection, inner_sections
from engine.text.normal import detect_language
from engine.text.references import Mention, find_mentions
from engine.text.stems import content_stems
from engine.types import Chunk, DocumentRecord, Evidence, Question, Route, ScoredChunk, Usage

_MOST_DOCUMENTS = 3
"""A bare number that more documents have names none of them."""
_MOST_CHUNKS = 6
_ROOT = 5
_NO_SUBJECT = frozenset(
    content_stems(
        "раздел пункт подпункт статья глава параграф часть приложение таблица рисунок документ написано сказано"
        " говорится говорит указано гласит сообщает содержится содержание содержит текст покажи покажите процитируй"
        " процитируйте прочитай прочитайте приведи приведите расскажи расскажите дай дайте открой"
        " section clause article chapter paragraph part annex appendix schedule table figure document say says state"
        " states tell show read quote give text content contents contain contains written mean means about need"
    )
)


@dataclass(frozen=True, slots=True)
class _Asked:
    mentions: tuple[Mention, ...]
    document: frozenset[str]
    """Stems of what else is said: the name of a document, or a subject, and then more is asked than the place."""


class AskedPlaces:
    """A retriever that answers such questions from the tables, and leaves all others to the one inside it.

    A bare number that leads nowhere, or to too many places, is left to nobody: likeness would find what is not meant.
    """

    def __init__(self, inner: Retriever, library: Library, documents: DocumentStore, index: ChunkIndex) -> None:
        self._inner = inner
        self._library = library
        self._documents = documents
        self._index = index

    async def retrieve(self, question: Question, route: Route) -> tuple[Evidence, Usage]:
        asked = _asked(question.text)
        chunks = await self._chunks(question, asked, route) if asked else ()
        if chunks or (asked and not asked.document):
            return Evidence(chunks=chunks, sufficient=bool(chunks), whole=True), Usage()
        return await self._inner.retrieve(question, route)

    async def _chunks(self, question: Question, asked: _Asked, route: Route) -> tuple[ScoredChunk, ...]:
        shelf = await self._library.shelf()
        names = DocumentNames(shelf.documents.values())
        resolver = Resolver(shelf, names, self._documents, self._index, question.audience, everywhere=True)
        found: list[Chunk] = []
        for mention in asked.mentions:
            for label in mention.labels:
                for number in _outwards(label):
                    records = _meant(await resolver.holders(number), asked.document, shelf, question, route)
                    places = [place for one in records if (place := await resolver.within(mention, number, one))]
                    held = [chunks for one in places if (chunks := await self._held(one, number, label))]
                    if held:
                        found += chain(*held) if len(held) <= _MOST_DOCUMENTS else []
                        break
        readable = [one for one in found if shelf.readable(one.document, one.revision, question.audience)]
        return tuple(ScoredChunk(chunk=chunk, score=1.0) for chunk in readable[:_MOST_CHUNKS])

    async def _held(self, place: Candidate, number: str, label: str) -> list[Chunk]:
        """What a place holds of a label: its own number, or that of a clause inside it."""
        chunks = sorted(await self._index.fetch(list(place.chunk_ids)), key=lambda one: one.ordinal)
        if number != label:
            return [part for chunk in chunks if (part := _cut(chunk, label))]
        return [_cut(chunk, place.section or label) or chunk for chunk in chunks]


def _asked(text: str) -> _Asked | None:
    """None where more is asked than what stands at a numbered place. Of a conversation, the last line counts."""
    text = text.split("\n")[-1]
    mentions = tuple(one for one in find_mentions(text) if one.type == "section" and one.labels)
    if not mentions or any(label.startswith("#") for one in mentions for label in one.labels):
        return None
    rest = text
    for mention in mentions:
        rest = rest.replace(mention.marker, " ")
    return _Asked(mentions, frozenset(content_stems(rest)) - _NO_SUBJECT)


def _meant(
    holders: Sequence[DocumentRecord], named: frozenset[str], shelf: Shelf, question: Question, route: Route
) -> list[DocumentRecord]:
    """Of the documents that have the number, those whose names hold all else that is said; of these those in the
    language of the question, and of many those that it was routed to."""
    language = question.language or detect_language(question.text)
    called = [one for one in holders if all(_is_among(stem, _called(one, shelf)) for stem in named)]
    spoken = [one for one in called if one.language == language] or called
    routed = [one for one in spoken if one.path in route.documents]
    return routed if len(spoken) > _MOST_DOCUMENTS and routed else spoken


def _is_among(stem: str, stems: frozenset[str]) -> bool:
    """Whether a word of the same root is: "тариф" for "тарифный"."""
    return any(one[:_ROOT] == stem[:_ROOT] for one in stems)


def _called(record: DocumentRecord, shelf: Shelf) -> frozenset[str]:
    """Stems of all that a document may be called by: its title, its file, and what it lies in."""
    domain = next((one for one in shelf.registry.domains if one.id == record.domain), None)
    collections = domain.collections if domain else ()
    titles = [one.title for one in collections if one.id == record.collection] + ([domain.title] if domain else [])
    path = record.path.replace("/", " ").replace("-", " ").replace("_", " ").replace(".", " ")
    return frozenset(content_stems(" ".join([record.title, path, *titles])))


def _outwards(label: str) -> Iterator[str]:
    """ "2.2.1", "2.2", "2": a clause may have no row of its own in the tables."""
    parts = label.split(".")
    return (".".join(parts[:length]) for length in range(len(parts), 0, -1))


def _cut(chunk: Chunk, number: str) -> Chunk | None:
    """What a chunk that several sections or clauses share holds of this number, and of those inside it."""
    inner = inner_sections(chunk.text)
    own = [one for one in inner if _is_within(one.number, number)]
    if not own:
        return None
    if len(own) == len(inner):
        return chunk
    return replace(
        chunk,
        text="\n\n".join(_told(own)),
        section=own[0].number,
        section_title=own[0].title or chunk.section_title,
    )


def _told(sections: Sequence[InnerSection]) -> Iterator[str]:
    for one in sections:
        heading = f"**{one.number}. {one.title}**\n\n" if one.title and len(sections) > 1 else ""
        yield heading + one.text.strip()


def _is_within(number: str, wanted: str) -> bool:
    return key(number) == key(wanted) or key(number).startswith(f"{key(wanted)}.")
