"""The reference second pass: what a draft points at is looked up in the base's own tables and fetched.

Followed is what the draft says of another place ("see section 7.2"). What only the cited text beside it says is
followed when that place has more of what was asked. Where tables leave a choice a model may be asked, one call each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.policy import ReferencePolicy
from engine.ports import ChunkIndex, DocumentStore, Followed, Meaning, ReferenceChooser
from engine.stages.document_names import DocumentNames
from engine.stages.library import Library, Shelf
from engine.stages.narrowing import closest_chunks
from engine.stages.places import key
from engine.stages.pointers import Pointer, pointers
from engine.stages.resolution import Found, Resolver, chosen
from engine.text.inner_sections import inner_sections
from engine.text.overlap import coverage
from engine.text.references import points_only
from engine.text.stems import content_stems
from engine.types import Chunk, Evidence, Question, Reference, ScoredChunk, Usage

_TAKEN_OVER = 0.6
"""Share of a section's telling words in a draft from which the draft says it."""
_AS_GOOD = 0.5
"""What a place pointed at beside the draft must hold of the question, as a share of what the draft holds of it."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A reference with the pointer that led to it first."""

    reference: Reference
    pointer: Pointer


class TableReferencer:
    def __init__(
        self,
        library: Library,
        documents: DocumentStore,
        index: ChunkIndex,
        policy: ReferencePolicy,
        chooser: ReferenceChooser | None = None,
    ) -> None:
        self._library = library
        self._documents = documents
        self._index = index
        self._policy = policy
        self._chooser = chooser
        self._names: tuple[Shelf, DocumentNames] | None = None

    async def follow(self, question: Question, draft: str, cited: Sequence[str], evidence: Evidence) -> Followed:
        used = [scored for scored in evidence.chunks if scored.chunk.id in cited]
        found = pointers(question.text, draft, [scored.chunk for scored in used], self._policy)
        if not found:
            return Followed()
        shelf = await self._library.shelf()
        places, usage = await self._resolve(question, draft, found, frozenset(cited), shelf)
        said = [place.reference for place in places if place.pointer.said]
        chunks = await self._fetch(question, _resolved(said)[: self._policy.targets], shelf)
        if not chunks:
            beside = [place for place in places if not place.pointer.said and place.reference.chunk_ids]
            chunks = await self._fetch_worthwhile(question, draft, used, beside[: self._policy.targets], shelf)
        fetched = {chunk.id for chunk in chunks}
        followed = [place.reference for place in places if fetched & set(place.reference.chunk_ids)]
        still_open = [reference for reference in said if reference.status == "unresolved"]
        references = tuple(followed + still_open)[: self._policy.targets]
        if not chunks:
            return Followed(references=references, usage=usage)
        known = {scored.chunk.id for scored in used}
        fresh = [ScoredChunk(chunk=chunk, score=used[0].score) for chunk in chunks if chunk.id not in known]
        return Followed(
            references=references,
            evidence=Evidence(chunks=_best_first([*used, *fresh]), sufficient=True),
            only_points=points_only(draft, frozenset(content_stems(question.text)), content_stems(draft)),
            usage=usage,
        )

    async def _resolve(
        self, question: Question, draft: str, found: Sequence[Pointer], cited: frozenset[str], shelf: Shelf
    ) -> tuple[list[_Place], Usage]:
        """Each place once, in the order of the pointers; none that the draft rests on already."""
        resolver = Resolver(
            shelf,
            self._names_of(shelf),
            self._documents,
            self._index,
            question.audience,
            everywhere=self._policy.everywhere,
        )
        places: dict[tuple[object, ...], _Place] = {}
        calls = self._policy.chooser_calls
        usage = Usage()
        for pointer in found:
            for result in await resolver.resolve(pointer.mention, pointer.source, question.text):
                reference = result.reference
                if len(result.candidates) > 1 and pointer.said and calls and self._chooser:
                    calls -= 1
                    reference, spent = await self._choose(self._chooser, question, pointer, result)
                    usage += spent
                at_hand = cited.issuperset(reference.chunk_ids) and not _is_left_out(reference, pointer, draft)
                if not reference.chunk_ids or not at_hand:
                    places.setdefault(_key(reference), _Place(reference, pointer))
        return list(places.values()), usage

    async def _choose(
        self, chooser: ReferenceChooser, question: Question, pointer: Pointer, found: Found
    ) -> tuple[Reference, Usage]:
        meanings = [
            Meaning(document=place.document.title, section=place.section, title=place.title)
            for place in found.candidates
        ]
        index, usage = await chooser.choose(question, found.reference, pointer.context, meanings)
        if index is None:
            return found.reference, usage
        return chosen(found, found.candidates[index], by="model"), usage

    def _names_of(self, shelf: Shelf) -> DocumentNames:
        if self._names is None or self._names[0] is not shelf:
            self._names = (shelf, DocumentNames(shelf.documents.values()))
        return self._names[1]

    async def _fetch(self, question: Question, references: Sequence[Reference], shelf: Shelf) -> tuple[Chunk, ...]:
        """The chunks of the places that are closest to the question."""
        if not references:
            return ()
        share = self._policy.looked_at // len(references)
        wanted = dict.fromkeys(chunk_id for one in references for chunk_id in one.chunk_ids[:share])
        found = await self._index.fetch(list(wanted))
        readable = [chunk for chunk in found if shelf.readable(chunk.document, chunk.revision, question.audience)]
        return closest_chunks(question.text, references, readable, self._policy.chunks)

    async def _fetch_worthwhile(
        self, question: Question, draft: str, used: Sequence[ScoredChunk], places: Sequence[_Place], shelf: Shelf
    ) -> tuple[Chunk, ...]:
        """The chunks of those places, pointed at by cited text alone, that have more of what was asked."""
        asked = dict.fromkeys(content_stems(question.text), 1.0)
        at_hand = frozenset(content_stems(" ".join([draft, *(scored.chunk.text for scored in used)])))
        told = coverage(asked, frozenset(content_stems(draft)))
        kept: dict[str, Chunk] = {}
        for place in places:
            chunks = await self._fetch(question, [place.reference], shelf)
            held = frozenset(content_stems(" ".join(f"{chunk.section_title} {chunk.text}" for chunk in chunks)))
            gain = coverage(asked, at_hand | held) - coverage(asked, at_hand)
            as_good = place.pointer.beside and not place.pointer.is_link and coverage(asked, held) >= _AS_GOOD * told
            if chunks and (as_good or gain >= self._policy.gain):
                kept |= {chunk.id: chunk for chunk in chunks}
        return tuple(kept.values())[: self._policy.chunks_beside]


def _resolved(references: Sequence[Reference]) -> list[Reference]:
    return [reference for reference in references if reference.status == "resolved"]


def _is_left_out(reference: Reference, pointer: Pointer, draft: str) -> bool:
    """Whether a draft points at a section of the chunk that it rests on, and does not say what stands there."""
    if not pointer.said or pointer.source.id not in reference.chunk_ids:
        return False
    wanted = key(reference.section or "")
    inner = next((one for one in inner_sections(pointer.source.text) if wanted and key(one.number) == wanted), None)
    held = content_stems(inner.text) if inner else []
    return bool(held) and coverage(dict.fromkeys(held, 1.0), frozenset(content_stems(draft))) < _TAKEN_OVER


def _key(reference: Reference) -> tuple[object, ...]:
    if reference.status == "resolved":
        return (reference.document, reference.chunk_ids, reference.items)
    return (reference.type, reference.place, reference.target, reference.name, reference.document)


def _best_first(chunks: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    return tuple(sorted(chunks, key=lambda scored: -scored.score))
