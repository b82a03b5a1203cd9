"""For the editor: the references in the base's own documents that lead nowhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from engine.ports import ChunkIndex, DocumentStore
from engine.stages.document_names import DocumentNames, is_link
from engine.stages.library import Library, Shelf
from engine.stages.resolution import Found, Resolver
from engine.text.references import find_mentions
from engine.types import Chunk, ReferenceType, ResolvedBy

_BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    document: str
    section: str
    """Number and title of the section that says so."""
    page: int | None
    marker: str
    target: str
    type: ReferenceType


@dataclass(slots=True)
class ReferenceSurvey:
    """What became of all references of the base. One to a document that is not here is counted, not dangling."""

    found: int = 0
    resolved: Counter[ResolvedBy] = field(default_factory=Counter[ResolvedBy])
    ambiguous: int = 0
    absent_documents: Counter[str] = field(default_factory=Counter[str])
    dangling: list[Dangling] = field(default_factory=list[Dangling])


async def survey_references(library: Library, documents: DocumentStore, index: ChunkIndex) -> ReferenceSurvey:
    """Resolve every reference of every document, as if the asker might see all. Each place of a section counts once."""
    shelf = await library.shelf()
    everybody = frozenset(group for record in shelf.documents.values() for group in record.audience)
    names = DocumentNames(shelf.documents.values())
    resolver = Resolver(shelf, names, documents, index, everybody, everywhere=True)
    survey = ReferenceSurvey()
    for path in shelf.documents:
        seen: set[tuple[int, str, str]] = set()
        async for chunk in _chunks(path, shelf, documents, index):
            for mention in find_mentions(chunk.text):
                for found in await resolver.resolve(mention, chunk, ""):
                    place = (chunk.section_index, found.reference.name, found.reference.target)
                    if place not in seen:
                        seen.add(place)
                        _count(found, chunk, survey)
    return survey


async def _chunks(path: str, shelf: Shelf, documents: DocumentStore, index: ChunkIndex) -> AsyncIterator[Chunk]:
    ids = list(dict.fromkeys(chunk_id for row in await documents.toc(path) for chunk_id in row.chunk_ids))
    for start in range(0, len(ids), _BATCH):
        for chunk in await index.fetch(ids[start : start + _BATCH]):
            if chunk.revision == shelf.documents[path].revision:
                yield chunk


def _count(found: Found, chunk: Chunk, survey: ReferenceSurvey) -> None:
    reference = found.reference
    survey.found += 1
    if reference.by is not None:
        survey.resolved[reference.by] += 1
    elif found.candidates:
        survey.ambiguous += 1
    elif reference.type == "external" and reference.document is None and not is_link(reference.name):
        survey.absent_documents[reference.name] += 1
    elif reference.type != "external" or "://" not in reference.name:
        survey.dangling.append(
            Dangling(
                document=chunk.document,
                section=f"{chunk.section} {chunk.section_title}".strip(),
                page=chunk.page,
                marker=reference.marker,
                target=reference.target or reference.name,
                type=reference.type,
            )
        )
