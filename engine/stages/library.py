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
from engine.text.overlap import document_frequencies
from engine.text.stems import content_stems
from engine.types import Collection, DocumentRecord, Domain, Registry

_REFRESH_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    registry: Registry
    descriptions: Mapping[str, npt.NDArray[np.float32]]
    """Vectors of what the registry says of a domain ("housing") or collection ("housing/tariffs")."""
    documents: Mapping[str, DocumentRecord]
    paths: Mapping[tuple[str, str], tuple[str, ...]]
    """The documents of each (domain, collection)."""
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
        for record in records:
            paths[record.domain, record.collection].append(record.path)
        stems = {place: frozenset(content_stems(text)) for place, text in describe(registry.domains).items()}
        centroids = [np.frombuffer(record.centroid, dtype="<f4") for record in records]
        return cls(
            registry=registry,
            descriptions=descriptions,
            documents={record.path: record for record in records},
            paths={place: tuple(listed) for place, listed in paths.items()},
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
        held = {record.domain for record in self.documents.values() if record.audience & audience}
        return tuple(domain for domain in self.registry.domains if domain.id in held)

    def collections(self, domain: Domain, audience: frozenset[str]) -> tuple[Collection, ...]:
        def seen(collection: Collection) -> bool:
            paths = self.paths.get((domain.id, collection.id), ())
            return any(self.documents[path].audience & audience for path in paths)

        return tuple(collection for collection in domain.collections if seen(collection))


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
