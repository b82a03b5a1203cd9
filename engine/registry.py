"""The registry in the store: written by ingestion, read by the stages."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import TypeAdapter

from engine.ports import MetaStore
from engine.types import DocumentRecord, Domain, Registry

Vectors = Mapping[str, npt.NDArray[np.float32]]

_REGISTRY = "registry"
_VECTORS = "registry_vectors"
_STAMP = "library_stamp"
_ADAPTER = TypeAdapter(Registry)


def canonical(value: Any) -> str:
    """A frozen value as text that is the same in every process: sets, which have no order of their own, sorted."""
    return json.dumps(asdict(value), default=sorted, sort_keys=True, ensure_ascii=False)


def describe(domains: Iterable[Domain]) -> dict[str, str]:
    """What the registry says of each place, by place: "housing" for a domain, "housing/tariffs" for a collection."""
    texts: dict[str, str] = {}
    for domain in domains:
        texts[domain.id] = f"{domain.title}. {domain.description}"
        for collection in domain.collections:
            texts[f"{domain.id}/{collection.id}"] = f"{collection.title}. {collection.description}"
    return texts


def registry_version(domains: Iterable[Domain], documents: Iterable[DocumentRecord]) -> str:
    """Changes with the registry's text and with every document."""
    listed = [canonical(domain) for domain in domains]
    held = [f"{record.path} {record.revision}" for record in documents]
    return hashlib.sha256("\n".join([*listed, *held]).encode()).hexdigest()[:20]


async def save_registry(meta: MetaStore, registry: Registry, descriptions: Vectors) -> None:
    """Keep the registry, and the vectors of its descriptions by place ("housing", "housing/tariffs")."""
    encoded = {
        place: base64.b64encode(vector.astype("<f4").tobytes()).decode() for place, vector in descriptions.items()
    }
    await meta.put(_VECTORS, json.dumps(encoded))
    await meta.put(_REGISTRY, _ADAPTER.dump_json(registry).decode())


async def load_registry(meta: MetaStore) -> tuple[Registry, Vectors]:
    """What `save_registry` kept; an empty registry when nothing was."""
    stored = await meta.get(_REGISTRY)
    if stored is None:
        return Registry(domains=(), version=""), {}
    encoded: dict[str, str] = json.loads(await meta.get(_VECTORS) or "{}")
    vectors = {place: np.frombuffer(base64.b64decode(text), dtype="<f4") for place, text in encoded.items()}
    return _ADAPTER.validate_json(stored), vectors


async def stamp(meta: MetaStore) -> str | None:
    """Changes whenever readers should look at the stores anew."""
    return await meta.get(_STAMP)


async def put_stamp(meta: MetaStore, value: str) -> None:
    await meta.put(_STAMP, value)
