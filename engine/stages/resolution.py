"""From a mention to the place it means: the document's own tables first, then its collection, then the whole base.

Tables answer in milliseconds without a model. Only a mention that fits several places equally well goes to a chooser.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.ports import ChunkIndex, DocumentStore, Probe, Scope, SparseVector
from engine.stages.document_names import DocumentNames, is_link, link_anchor
from engine.stages.library import Shelf
from engine.stages.places import (
    descended,
    is_part_of_its_section,
    key,
    of_the_kind_meant,
    siblings,
    spellings,
    subtree,
    takes_object,
    takes_section,
)
from engine.text.glossaries import is_glossary
from engine.text.normal import fold
from engine.text.overlap import coverage
from engine.text.references import Mention
from engine.text.sparse import lex_question
from engine.text.stems import content_stems
from engine.types import Chunk, DocumentRecord, ObjectEntry, Reference, ResolvedBy, TocEntry

_WHOLE_DOCUMENT_SECTIONS = 2
_MOST_CANDIDATES = 8
_ELSEWHERE = 2
_TOPIC_WORDS = 3
_REGULATED_LOOKED_AT = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One of several places that a mention may mean."""

    document: DocumentRecord
    section: str
    title: str
    chunk_ids: tuple[str, ...]
    by: ResolvedBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """`reference` is unresolved when there is no candidate, or more than one."""

    reference: Reference
    candidates: tuple[Candidate, ...] = ()


class Resolver:
    """Looks mentions up for one answer: what it has read of a document's tables it remembers until then."""

    def __init__(
        self,
        shelf: Shelf,
        names: DocumentNames,
        documents: DocumentStore,
        index: ChunkIndex,
        audience: frozenset[str],
        *,
        everywhere: bool,
    ) -> None:
        self._shelf = shelf
        self._names = names
        self._documents = documents
        self._index = index
        self._audience = audience
        self._everywhere = everywhere
        self._tocs: dict[str, tuple[TocEntry, ...]] = {}
        self._objects: dict[str, tuple[ObjectEntry, ...]] = {}
        self._holders: dict[str, frozenset[str]] = {}
        """The documents that have something of a label."""

    async def resolve(self, mention: Mention, source: Chunk, question: str) -> list[Found]:
        """One result for each label, or one for a mention without labels; none for "this section"."""
        home = self._shelf.documents.get(source.document)
        if home is None:
            return []
        match mention.type:
            case "relative":
                return await self._relative(mention, source, home)
            case "definition":
                return [await self._definition(mention, home)]
            case "external":
                return await self._external(mention, source, home, question)
            case "section":
                if is_part_of_its_section(mention, source):
                    return [await self._own_section(mention, label, source, home) for label in mention.labels]
                return [await self._labelled(mention, label, home) for label in mention.labels]

    # --- numbered places --------------------------------------------------------------------------------------------

    async def _labelled(self, mention: Mention, label: str, home: DocumentRecord) -> Found:
        if label.startswith("#"):
            return await self._anchored(mention, label[1:], home)
        called = None
        if mention.noun and not mention.is_own:
            called = self._names.called(mention.noun, near=home, audience=self._audience)
        record = called or home
        blank = _blank(mention, label, record.path)
        if here := await self.within(mention, label, record):
            return _settled(blank, here)
        if mention.noun and not mention.is_own:
            return _settled(blank)
        return _settled(blank, *await self._elsewhere(mention, label, home))

    async def _own_section(self, mention: Mention, label: str, source: Chunk, home: DocumentRecord) -> Found:
        """ "Paragraph 2" where the section that says so is divided into paragraphs."""
        toc = await self._toc(home.path)
        blank = replace(_blank(mention, label, home.path), items=(label, *mention.items))
        row = next((row for row in toc if row.index == source.section_index), None)
        return _settled(blank, replace(_section(home, row, toc), by="structure")) if row else _settled(blank)

    async def within(self, mention: Mention, label: str, record: DocumentRecord) -> Candidate | None:
        """The place in one document."""
        toc, objects = await self._toc(record.path), await self._objects_of(record.path)
        wanted = key(label)
        for entry in objects:
            if takes_object(mention, entry.kind) and key(entry.label) == wanted:
                return _descended(_object(record, entry, toc), entry.section_index, mention, toc)
        rows = [row for row in takes_section(mention, wanted, toc, objects) if key(row.number) == wanted]
        if not rows:
            return None
        row = of_the_kind_meant(mention, rows)
        return _descended(_section(record, row, toc), row.index, mention, toc)

    async def _elsewhere(self, mention: Mention, label: str, home: DocumentRecord) -> list[Candidate]:
        """The places in other documents of the collection; in the rest of the base only if there is none."""
        visible = [record for record in await self.holders(label) if record.path != home.path]
        near = [record for record in visible if self._distance(record.path, home) < _ELSEWHERE]
        if mention.is_own:  # a code may be in several files
            near = [record for record in near if self._names.is_called(record, mention.noun)]
        found = await self._first_of(mention, label, near)
        if not found and self._everywhere and not mention.is_own:
            far = [record for record in visible if record not in near]
            # Everybody has a section 3: beyond the domain, only a number of more parts is no mere chance.
            far = [record for record in far if "." in label or record.domain == home.domain]
            found = await self._first_of(mention, label, far)
        return found

    async def holders(self, label: str) -> list[DocumentRecord]:
        """The documents, of those that may be seen, that have something of this label, in the order of their paths."""
        if label not in self._holders:
            rows = await self._documents.sections_numbered(spellings(label))
            objects = await self._documents.objects_labelled(spellings(label))
            self._holders[label] = frozenset(row.document for row in rows) | {one.document for one in objects}
        return [self._shelf.documents[path] for path in sorted(self._holders[label]) if self._may_see(path)]

    async def _first_of(self, mention: Mention, label: str, records: Sequence[DocumentRecord]) -> list[Candidate]:
        found: list[Candidate] = []
        for record in records:
            if len(found) < _MOST_CANDIDATES and (place := await self.within(mention, label, record)):
                found.append(place)
        return found

    async def _anchored(self, mention: Mention, anchor: str, record: DocumentRecord) -> Found:
        toc = await self._toc(record.path)
        row = next((row for row in toc if row.anchor and fold(row.anchor) == fold(anchor)), None)
        row = row or next((row for row in toc if _slug(row.title) == _slug(anchor)), None)
        blank = _blank(mention, anchor, record.path)
        return _settled(blank, _section(record, row, toc)) if row else _settled(blank)

    # --- other documents --------------------------------------------------------------------------------------------

    async def _external(self, mention: Mention, source: Chunk, home: DocumentRecord, question: str) -> list[Found]:
        name = mention.document or ""
        if mention.noun:
            called = self._names.called(name, near=home, audience=self._audience)
            return [await self._whole(mention, called, name, question)] if called and called != home else []
        record = self._names.find(name, near=home, audience=self._audience)
        if record is None:
            return [
                Found(reference=replace(_blank(mention, label, None), name=name)) for label in mention.labels or ("",)
            ]
        found = [await self._label_of(mention, label, record, name) for label in mention.labels]
        if not found and record == home and mention.marker in source.text and not link_anchor(name):
            return []  # what a document says of itself as a whole leads nowhere
        if not is_link(name):
            return found or [await self._whole(mention, record, name, question)]
        if found and all(one.candidates for one in found):
            return found
        # A link leads somewhere even when the number beside it is not its target's.
        anchor = link_anchor(name)
        place = await self._anchored(mention, anchor, record) if anchor else None
        return [place if place and place.candidates else await self._whole(mention, record, name, question)]

    async def _label_of(self, mention: Mention, label: str, record: DocumentRecord, name: str) -> Found:
        blank = replace(_blank(mention, label, record.path), name=name)
        place = await self.within(mention, label, record)
        return _settled(blank, place) if place else _settled(blank)

    async def _whole(self, mention: Mention, record: DocumentRecord, name: str, question: str) -> Found:
        """A document as such: those of its sections whose titles are closest to the question."""
        toc = await self._toc(record.path)
        asked = dict.fromkeys(content_stems(question), 1.0)
        close = sorted(toc, key=lambda row: (-coverage(asked, content_stems(row.title)), row.index))
        rows = [row for row in close if row.chunk_ids][:_WHOLE_DOCUMENT_SECTIONS]
        chunk_ids = tuple(chunk_id for row in rows for chunk_id in row.chunk_ids)
        blank = replace(_blank(mention, "", record.path), name=name)
        place = Candidate(document=record, section="", title=record.title, chunk_ids=chunk_ids, by="registry")
        return _settled(blank, place)

    # --- places without a number ------------------------------------------------------------------------------------

    async def _relative(self, mention: Mention, source: Chunk, home: DocumentRecord) -> list[Found]:
        if mention.relative == "this":
            return []
        if mention.relative is None:
            return await self._regulated(mention, source, home)
        toc = await self._toc(home.path)
        blank = _blank(mention, mention.marker, home.path)
        row = siblings(toc, source, mention)
        if row is None:
            return [Found(reference=blank)]
        target = row.number or row.title
        place = replace(_section(home, row, toc), by="structure")
        return [_settled(replace(blank, target=target), place)]

    async def _regulated(self, mention: Mention, source: Chunk, home: DocumentRecord) -> list[Found]:
        """The other section of the document that holds all that "the procedure for ..." is said to be for."""
        topic = frozenset(content_stems(mention.term or ""))
        terms = lex_question(mention.term or "")
        if len(topic) < _TOPIC_WORDS:
            return []
        scope = Scope(audience=self._audience, documents=(home.path,))
        probe = Probe(lex=SparseVector(terms.indices, terms.values))
        hits = (await self._index.search(probe, scope, _REGULATED_LOOKED_AT)).lex
        chunks = await self._index.fetch([hit.chunk_id for hit in hits if hit.revision == home.revision])
        for chunk in chunks:
            if chunk.section_index != source.section_index and topic <= frozenset(content_stems(chunk.text)):
                toc = await self._toc(home.path)
                place = replace(_section(home, toc[chunk.section_index], toc), by="structure")
                return [_settled(_blank(mention, chunk.section or chunk.section_title, home.path), place)]
        return []

    async def _definition(self, mention: Mention, home: DocumentRecord) -> Found:
        term = mention.term or ""
        blank = _blank(mention, term or mention.marker, home.path)
        if not term or is_glossary(term):
            toc = await self._toc(home.path)
            row = next((row for row in toc if is_glossary(row.title)), None)
            return _settled(blank, _section(home, row, toc)) if row else _settled(blank)
        entries = [
            entry
            for entry in await self._documents.objects_labelled([fold(term)])
            if entry.kind == "definition" and self._may_see(entry.document)
        ]
        entries.sort(key=lambda entry: self._distance(entry.document, home))
        if not entries or (self._distance(entries[0].document, home) == _ELSEWHERE and not self._everywhere):
            return _settled(blank)
        record = self._shelf.documents[entries[0].document]
        return _settled(blank, _object(record, entries[0], await self._toc(record.path)))

    # --- what is at hand --------------------------------------------------------------------------------------------

    def _distance(self, path: str, home: DocumentRecord) -> int:
        """0 for the same document, 1 for the same collection, 2 for the rest of the base."""
        if path == home.path:
            return 0
        record = self._shelf.documents[path]
        return 1 if (record.domain, record.collection) == (home.domain, home.collection) else _ELSEWHERE

    def _may_see(self, path: str) -> bool:
        record = self._shelf.documents.get(path)
        return record is not None and bool(record.audience & self._audience)

    async def _toc(self, path: str) -> tuple[TocEntry, ...]:
        if path not in self._tocs:
            self._tocs[path] = await self._documents.toc(path)
        return self._tocs[path]

    async def _objects_of(self, path: str) -> tuple[ObjectEntry, ...]:
        if path not in self._objects:
            self._objects[path] = await self._documents.objects(path)
        return self._objects[path]


def chosen(found: Found, place: Candidate, by: ResolvedBy | None = None) -> Reference:
    """The reference, resolved to this place."""
    return replace(
        found.reference,
        status="resolved",
        by=by or place.by,
        document=place.document.path,
        section=place.section,
        chunk_ids=place.chunk_ids,
    )


def _settled(blank: Reference, *candidates: Candidate) -> Found:
    found = Found(reference=blank, candidates=candidates)
    return replace(found, reference=chosen(found, candidates[0])) if len(candidates) == 1 else found


def _blank(mention: Mention, target: str, document: str | None) -> Reference:
    return Reference(
        type=mention.type,
        target=target,
        place=mention.kind,
        marker=mention.marker,
        word=mention.word,
        items=mention.items,
        document=document,
    )


def _section(record: DocumentRecord, row: TocEntry, toc: Sequence[TocEntry]) -> Candidate:
    return Candidate(document=record, section=row.number, title=row.title, chunk_ids=subtree(toc, row.index), by="toc")


def _object(record: DocumentRecord, entry: ObjectEntry, toc: Sequence[TocEntry]) -> Candidate:
    row = toc[entry.section_index] if entry.section_index < len(toc) else None
    chunk_ids = entry.chunk_ids or (subtree(toc, row.index) if row else ())
    section = row.number if row else ""
    return Candidate(document=record, section=section, title=entry.title, chunk_ids=chunk_ids, by="registry")


def _descended(place: Candidate, index: int, mention: Mention, toc: Sequence[TocEntry]) -> Candidate:
    row = next((row for row in toc if row.index == index), None)
    inside = descended(toc, row, mention.items) if row else row
    if inside is None or inside is row:
        return place
    return replace(place, section=inside.number, title=inside.title, chunk_ids=subtree(toc, inside.index))


def _slug(text: str) -> str:
    return re.sub(r"[^\w]+", "-", fold(text)).strip("-")
