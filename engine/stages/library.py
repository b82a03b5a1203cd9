"""What the stores hold now, kept at hand: the registry and which revision of each document counts.

Stages that read documents share one; it follows the stores' changes within seconds, also those of other processes.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.ports import DocumentStore, MetaStore
from engine.registry import describe, load_registry, stamp
from engine.text.normal import words
from engine.text.overlap import document_frequencies
from engine.text.spoken import spoken
from engine.text.stems import content_stems
from engine.text.stems import stems as all_stems
from engine.types import Collection, DocumentRecord, Domain, Registry

_REFRESH_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    registry: Registry
    described: Mapping[str, int]
    """The row in `descriptions` of each domain ("housing") and collection ("housing/tariffs")."""
    descriptions: npt.NDArray[np.float32]
    """Vectors of what the registry says of them; no rows when there are none."""
    documents: Mapping[str, DocumentRecord]
    paths: Mapping[tuple[str, str], tuple[str, ...]]
    """The documents of each (domain, collection)."""
    audiences: Mapping[str, frozenset[str]]
    """All that may see a document of a domain ("housing") or collection ("housing/tariffs")."""
    titles: Mapping[str, frozenset[str]]
    """Stems of each domain's title."""
    sounds: Mapping[str, tuple[frozenset[str], ...]]
    """How each word of a domain's title is spoken."""
    of_domain: Mapping[str, tuple[str, ...]]
    """The documents of each domain."""
    rows: Mapping[str, int]
    """Each document's row in `centroids`."""
    centroids: npt.NDArray[np.float32]
    """A row for each of `documents`, in their order; no rows when there are none."""
    stems: Mapping[str, frozenset[str]]
    """Of what the registry says of each place."""
    frequencies: Mapping[str, int]
    """In how many of those texts each stem stands."""

    @classmethod
    def arrange(
        cls, registry: Registry, descriptions: Mapping[str, npt.NDArray[np.float32]], records: Sequence[DocumentRecord]
    ) -> Shelf:
        """Once for every state of the stores, so that a question does not pay for the number of documents."""
        paths: dict[tuple[str, str], list[str]] = defaultdict(list)
        of_domain: dict[str, list[str]] = defaultdict(list)
        audiences: dict[str, frozenset[str]] = defaultdict(frozenset)
        for record in records:
            paths[record.domain, record.collection].append(record.path)
            of_domain[record.domain].append(record.path)
            for place in (record.domain, f"{record.domain}/{record.collection}"):
                audiences[place] |= record.audience
        stems = {place: frozenset(content_stems(text)) for place, text in describe(registry.domains).items()}
        centroids = [np.frombuffer(record.centroid, dtype="<f4") for record in records]
        return cls(
            registry=registry,
            described={place: row for row, place in enumerate(descriptions)},
            descriptions=np.stack(list(descriptions.values())) if descriptions else np.zeros((0, 0), dtype=np.float32),
            documents={record.path: record for record in records},
            paths={place: tuple(listed) for place, listed in paths.items()},
            sounds={domain.id: tuple(map(spoken, words(domain.title))) for domain in registry.domains},
            of_domain={domain: tuple(listed) for domain, listed in of_domain.items()},
            rows={record.path: row for row, record in enumerate(records)},
            audiences=dict(audiences),
            titles={domain.id: frozenset(all_stems(domain.title)) for domain in registry.domains},
            centroids=np.stack(centroids) if centroids else np.zeros((0, 0), dtype=np.float32),
            stems=stems,
            frequencies=document_frequencies(stems.values()),
        )

    def readable(self, document: str, revision: str, audience: frozenset[str]) -> bool:
        """Whether a chunk of this revision may be shown to this audience: superseded ones never are."""
        record = self.documents.get(document)
        return record is not None and record.revision == revision and bool(record.audience & audience)

    def domains(self, audience: frozenset[str]) -> tuple[Domain, ...]:
        """The domains that hold at least one document for this audience."""
        return tuple(one for one in self.registry.domains if self._seen(one.id, audience))

    def collections(self, domain: Domain, audience: frozenset[str]) -> tuple[Collection, ...]:
        return tuple(one for one in domain.collections if self._seen(f"{domain.id}/{one.id}", audience))

    def _seen(self, place: str, audience: frozenset[str]) -> bool:
        return not audience.isdisjoint(self.audiences.get(place, ()))


class Library:
    def __init__(self, meta: MetaStore, documents: DocumentStore) -> None:
        self._meta = meta
        self._documents = documents
        self._shelf: Shelf | None = None
        self._stamp: str | None = None
        self._checked = 0.0
        self._loading = asyncio.Lock()

    async def shelf(self) -> Shelf:
        now = time.monotonic()
        if self._shelf is not None and now - self._checked < _REFRESH_SECONDS:
            return self._shelf
        async with self._loading:
            now_stamp = await stamp(self._meta)
            if self._shelf is None or now_stamp != self._stamp:
                registry, descriptions = await load_registry(self._meta)
                records = await self._documents.documents()
                self._shelf = await asyncio.to_thread(Shelf.arrange, registry, descriptions, records)
                self._stamp = now_stamp
            self._checked = time.monotonic()
            return self._shelf
