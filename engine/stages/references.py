"""The reference second pass: what a draft points at is looked up in the document's own tables, without a model call."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.policy import ReferencePolicy
from engine.ports import ChunkIndex, DocumentStore, Followed
from engine.stages.library import Library
from engine.text.references import Mention, find_mentions, points_only
from engine.text.stems import content_stems
from engine.types import Chunk, Evidence, ObjectEntry, Question, Reference, ScoredChunk, TocEntry

_OBJECT_KINDS = {"table": "table", "figure": "figure", "appendix": "appendix"}


class TableReferencer:
    """Resolves "section 7.2" by the `toc` and "Table 2" by the `object_registry` of the document that says so."""

    def __init__(self, library: Library, documents: DocumentStore, index: ChunkIndex, policy: ReferencePolicy) -> None:
        self._library = library
        self._documents = documents
        self._index = index
        self._policy = policy

    async def follow(self, question: Question, draft: str, cited: Sequence[str], evidence: Evidence) -> Followed:
        used = [scored for scored in evidence.chunks if scored.chunk.id in cited]
        mentions = find_mentions(draft)
        if not used or not mentions:
            return Followed()
        references = await self._resolve(mentions, [scored.chunk for scored in used])
        wanted = [
            chunk_id
            for reference in references
            for chunk_id in reference.chunk_ids
            if chunk_id not in cited and reference.status == "resolved"
        ]
        fetched = await self._fetch(question, wanted)
        open_references = tuple(
            reference
            for reference in references
            if reference.status == "unresolved" or any(chunk.id in reference.chunk_ids for chunk in fetched)
        )
        if not fetched:
            return Followed(references=open_references)
        found = tuple(ScoredChunk(chunk=chunk, score=used[0].score) for chunk in fetched)
        return Followed(
            references=open_references,
            evidence=Evidence(chunks=_best_first([*used, *found]), sufficient=True),
            only_points=points_only(draft, frozenset(content_stems(question.text)), content_stems(draft)),
        )

    async def _resolve(self, mentions: list[Mention], chunks: list[Chunk]) -> list[Reference]:
        """Each label once, against the cited document whose text holds the marker; the first one otherwise."""
        found: dict[tuple[str, str], Reference] = {}
        for mention in mentions:
            source = next((chunk for chunk in chunks if mention.marker in chunk.text), chunks[0])
            toc = await self._documents.toc(source.document)
            objects = await self._documents.objects(source.document)
            for label in mention.labels[: self._policy.targets]:
                reference = _look_up(mention, label, source.document, toc, objects)
                found.setdefault((f"{reference.place} {reference.target}", source.document), reference)
        return list(found.values())[: self._policy.targets]

    async def _fetch(self, question: Question, chunk_ids: Sequence[str]) -> tuple[Chunk, ...]:
        unique = tuple(dict.fromkeys(chunk_ids))[: self._policy.chunks]
        if not unique:
            return ()
        shelf = await self._library.shelf()
        chunks = await self._index.fetch(unique)
        return tuple(chunk for chunk in chunks if shelf.readable(chunk.document, chunk.revision, question.audience))


def _best_first(chunks: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    return tuple(sorted(chunks, key=lambda scored: -scored.score))


def _look_up(
    mention: Mention, label: str, document: str, toc: Sequence[TocEntry], objects: Sequence[ObjectEntry]
) -> Reference:
    wanted = _key(label)
    if mention.kind in _OBJECT_KINDS:
        for entry in objects:
            if entry.kind == _OBJECT_KINDS[mention.kind] and _key(entry.label) == wanted:
                section = toc[entry.section_index].number if entry.section_index < len(toc) else ""
                chunk_ids = entry.chunk_ids or _subtree(toc, entry.section_index)
                return _found(mention, label, document, section, chunk_ids, by_toc=False)
    if rows := [row for row in _candidates(mention, wanted, toc, objects) if _key(row.number) == wanted]:
        row = _of_the_kind_meant(mention.marker, rows)
        return _found(mention, label, document, row.number, _subtree(toc, row.index), by_toc=True)
    return Reference(type="section", target=label, place=mention.kind, marker=mention.marker, document=document)


def _candidates(
    mention: Mention, wanted: str, toc: Sequence[TocEntry], objects: Sequence[ObjectEntry]
) -> list[TocEntry]:
    """The sections that a label may name: "Table 2" is no section 2, "Annex 1" and "section 1" are not the same."""
    if mention.kind in ("table", "figure") or (mention.kind == "appendix" and wanted[:1].isdigit()):
        return []
    appendices = {entry.section_index for entry in objects if entry.kind == "appendix" and entry.label[:1].isdigit()}
    return [row for row in toc if row.number and row.index not in appendices]


_KIND_WORD = re.compile(r"(глав|раздел|стат|част|параграф|chapter|section|article|part|title)", re.IGNORECASE)


def _of_the_kind_meant(marker: str, rows: Sequence[TocEntry]) -> TocEntry:
    """A law may have an article 2 and a chapter 2; the rarer kind then keeps its word in the title ("Глава 2. ...")."""
    meant = _KIND_WORD.search(marker)
    named = {row.index: match.group().lower() for row in rows if (match := _KIND_WORD.match(row.title))}
    same = [row for row in rows if meant and named.get(row.index) == meant.group().lower()]
    plain = [row for row in rows if row.index not in named]
    return (same or plain or list(rows))[0]


def _found(
    mention: Mention, label: str, document: str, section: str, chunk_ids: Sequence[str], *, by_toc: bool
) -> Reference:
    return Reference(
        type="section",
        target=label,
        place=mention.kind,
        marker=mention.marker,
        status="resolved",
        by="toc" if by_toc else "registry",
        document=document,
        section=section,
        chunk_ids=tuple(chunk_ids),
    )


def _subtree(toc: Sequence[TocEntry], index: int) -> tuple[str, ...]:
    """The chunks of a section, and of its subsections: "section 3" means all of it."""
    members = {index}
    chunk_ids: list[str] = []
    for row in toc:
        if row.index in members or row.parent in members:
            members.add(row.index)
            chunk_ids.extend(row.chunk_ids)
    return tuple(dict.fromkeys(chunk_ids))


_LOOKALIKES = str.maketrans("АВЕКМНОРСТХ", "ABEKMHOPCTX")


def _key(label: str) -> str:
    """Labels compare without their case, and "А" typed in Cyrillic is "A" typed in Latin."""
    return label.strip(". ").upper().translate(_LOOKALIKES)
