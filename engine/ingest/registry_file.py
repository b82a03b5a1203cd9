"""knowledge.yaml: which domains and collections there are, and what the router reads about them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from engine.ingest.yaml_files import Place, Strict, audience_of, languages_of, read_yaml
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
    lines: RegistryLines | None = read_yaml(location, name, TypeAdapter(RegistryLines | None), _problem_of)
    return tuple(_domain(one) for one in lines.domains) if lines else ()


def _problem_of(lines: RegistryLines | None) -> tuple[Place, str] | None:
    """The first thing that contradicts another one, and where it stands."""
    domains = lines.domains if lines else []
    if (repeated := _repeated([domain.id for domain in domains])) is not None:
        return ("domains", repeated, "id"), f"the domain {domains[repeated].id} stands twice"
    for number, domain in enumerate(domains):
        place = ("domains", number)
        names = [collection.id for collection in domain.collections]
        if (repeated := _repeated(names)) is not None:
            return (*place, "collections", repeated, "id"), f"the collection {names[repeated]} stands twice"
        if domain.default_collection and domain.default_collection not in names:
            reason = f"{domain.default_collection} is not one of the collections of {domain.id}"
            return (*place, "default_collection"), reason
    return None


def _repeated(ids: list[str]) -> int | None:
    return next((number for number, one in enumerate(ids) if one in ids[:number]), None)


def _domain(lines: DomainLines) -> Domain:
    audience = audience_of(lines.audience)
    collections = tuple(
        Collection(
            id=one.id,
            title=one.title or one.id,
            description=one.description,
            # A domain's own is that of the collection it defaults to.
            default_document=one.default_document
            or (lines.default_document if one.id == lines.default_collection else None),
            audience=audience_of(one.audience, audience),
        )
        for one in lines.collections
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
