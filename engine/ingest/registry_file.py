"""knowledge.yaml: which domains and collections there are, and what the router reads about them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from engine.errors import SourceError
from engine.ingest.yaml_files import Strict, audience_of, languages_of, read_yaml
from engine.types import Collection, Domain

_Id = Annotated[str, Field(min_length=1, pattern=r"^[^/\\]+$")]


class CollectionLines(Strict):
    id: _Id
    title: str | None = None
    description: str = ""
    default_document: str | None = None
    audience: list[str] | None = None
    language: str | None = None


class DomainLines(Strict):
    id: _Id
    title: str | None = None
    description: str = ""
    language: str | None = None
    default_collection: str | None = None
    default_document: str | None = None
    audience: list[str] | None = None
    collections: list[CollectionLines] = Field(default_factory=list)


class RegistryLines(Strict):
    domains: list[DomainLines] = Field(default_factory=list)


def read_registry(location: Path, name: str) -> tuple[Domain, ...]:
    """Raises SourceError when the file is broken, repeats an id, or names a default that it does not list."""
    lines = read_yaml(location, name, TypeAdapter(RegistryLines))
    domains = tuple(_domain(one, name) for one in lines.domains)
    _refuse_repeated([domain.id for domain in domains], "domain", name)
    return domains


def _domain(lines: DomainLines, name: str) -> Domain:
    audience = audience_of(lines.audience)
    collections = tuple(
        Collection(
            id=one.id,
            title=one.title or one.id,
            description=one.description,
            default_document=one.default_document,
            audience=audience_of(one.audience, audience),
        )
        for one in lines.collections
    )
    _refuse_repeated([collection.id for collection in collections], f"collection of {lines.id}", name)
    if lines.default_collection and lines.default_collection not in {collection.id for collection in collections}:
        raise SourceError(
            name, f"{lines.id}: the default_collection {lines.default_collection} is not one of its collections"
        )
    return Domain(
        id=lines.id,
        title=lines.title or lines.id,
        description=lines.description,
        languages=languages_of(lines.language),
        default_collection=lines.default_collection,
        audience=audience,
        collections=collections,
    )


def _refuse_repeated(ids: list[str], what: str, name: str) -> None:
    repeated = next((one for one in ids if ids.count(one) > 1), None)
    if repeated is not None:
        raise SourceError(name, f"the {what} {repeated} stands twice")
