"""The knowledge folder as it lies on disk: the registry, the FAQ files, and which document belongs where."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import SourceError
from engine.ingest.faq_files import FAQ_SUFFIXES, read_faq_file
from engine.ingest.registry_file import read_registry
from engine.types import Collection, Domain, FaqEntry

REGISTRY_NAMES = ("knowledge.yaml", "knowledge.yml")
FAQ_FOLDER = "faq"
GENERAL = "general"
"""The collection of documents that lie in a domain's folder itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A document file with its place; `path` is below the knowledge folder, with forward slashes."""

    path: str
    location: Path
    domain: Domain
    collection: Collection


@dataclass(slots=True)
class Folder:
    domains: tuple[Domain, ...] = ()
    files: list[SourceFile] = field(default_factory=list[SourceFile])
    faq: list[FaqEntry] = field(default_factory=list[FaqEntry])
    failed_faq: set[str] = field(default_factory=set[str])
    warnings: list[str] = field(default_factory=list[str])
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    failed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    unreadable: list[str] = field(default_factory=list[str])
    """Folders that could not be opened: what lies in them is unknown, not gone."""

    def may_hold(self, path: str) -> bool:
        """Whether a document that was not found may still be there."""
        return any(path.startswith(f"{one}/") or one == "." for one in self.unreadable)


def scan(root: Path) -> Folder:
    """Look through the folder. A broken FAQ file is reported in `failed`, a broken registry raises SourceError."""
    folder = Folder()
    known = {domain.id: domain for domain in _registry(root)}
    in_registry = set(known)
    for path in _walk(root, folder):
        parts = path.split("/")
        if parts[0] == FAQ_FOLDER and FAQ_FOLDER not in in_registry:
            _add_faq(root, path, folder)
        elif len(parts) == 1:
            if path not in REGISTRY_NAMES and path.lower() != "readme.md":
                folder.skipped.append((path, "lies outside every domain folder; move it into one"))
        else:
            _place(root, path, known, in_registry, folder)
    used = {file.domain.id for file in folder.files}
    for name in in_registry - used:
        folder.warnings.append(f"the registry names the domain {name}, but there is no document in a folder {name}")
    folder.domains = tuple(known[name] for name in known if name in used or name in in_registry)
    folder.files = [replace(file, domain=known[file.domain.id]) for file in folder.files]
    _drop_repeated_ids(folder)
    return folder


def content_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _registry(root: Path) -> tuple[Domain, ...]:
    for name in REGISTRY_NAMES:
        if (root / name).is_file():
            return read_registry(root / name, name)
    return ()


def _walk(root: Path, folder: Folder) -> Iterator[str]:
    """Paths of all files in order, hidden ones left out, never leaving the folder through a link."""
    top = os.path.realpath(root)

    def unreadable(error: OSError) -> None:
        path = _below(root, Path(error.filename))
        folder.unreadable.append(path)
        folder.failed.append(
            (path, f"the folder cannot be opened: {error.strerror}; what was indexed of it is still served")
        )

    for directory, names, files in os.walk(root, onerror=unreadable):
        found = sorted(name for name in names if not name.startswith("."))
        names[:] = [name for name in found if _is_usable(root, Path(directory) / name, _folder_problem, folder)]
        for name in sorted(files):
            location = Path(directory) / name
            if name.startswith((".", "~$")):
                continue
            if _is_usable(root, location, lambda place: _file_problem(place, top), folder):
                yield _below(root, location)


def _is_usable(root: Path, location: Path, problem_of: Callable[[Path], str | None], folder: Folder) -> bool:
    problem = problem_of(location)
    if problem is not None:
        folder.skipped.append((_below(root, location), problem))
    return problem is None


def _folder_problem(location: Path) -> str | None:
    if location.is_symlink():
        return "a link to a folder is not followed"
    return _name_problem(location)


def _file_problem(location: Path, top: str) -> str | None:
    # Not Path.resolve, which raises on a link that leads to itself.
    if not Path(os.path.realpath(location)).is_relative_to(top):
        return "a link that leads out of the knowledge folder"
    if not location.is_file():
        return "a link that leads nowhere" if location.is_symlink() else "not an ordinary file"
    return _name_problem(location)


def _name_problem(location: Path) -> str | None:
    try:
        location.name.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8; rename it"
    return None


def _below(root: Path, location: Path) -> str:
    return location.relative_to(root).as_posix().encode("utf-8", "replace").decode("utf-8")


def _place(root: Path, path: str, known: dict[str, Domain], in_registry: set[str], folder: Folder) -> None:
    """Find the file's domain and collection; what the registry does not name goes by its folder's own name."""
    parts = path.split("/")
    domain_id, collection_id = parts[0], parts[1] if len(parts) > 2 else GENERAL
    domain = known.get(domain_id)
    if domain is None:
        domain = Domain(id=domain_id, title=_title(domain_id))
        if in_registry:
            folder.warnings.append(f"the folder {domain_id} is not in the registry; it is used under its own name")
    collection = next((one for one in domain.collections if one.id == collection_id), None)
    if collection is None:
        collection = Collection(id=collection_id, title=_title(collection_id), audience=domain.audience)
        if domain_id in in_registry and collection_id != GENERAL:
            folder.warnings.append(
                f"the folder {domain_id}/{collection_id} is not in the registry; it is used under its own name"
            )
        domain = replace(domain, collections=(*domain.collections, collection))
    known[domain_id] = domain
    folder.files.append(SourceFile(path=path, location=root / path, domain=domain, collection=collection))


def _add_faq(root: Path, path: str, folder: Folder) -> None:
    if Path(path).suffix.lower() not in FAQ_SUFFIXES:
        folder.skipped.append((path, "FAQ files are .yaml, .yml or .csv"))
        return
    try:
        folder.faq.extend(read_faq_file(root / path, path))
    except SourceError as error:
        folder.failed.append((path, error.reason))
        folder.failed_faq.add(path)


def _drop_repeated_ids(folder: Folder) -> None:
    seen: dict[str, FaqEntry] = {}
    for entry in folder.faq:
        if entry.id in seen:
            first = seen[entry.id].source
            folder.failed.append(
                (entry.source, f"the FAQ id {entry.id} stands already in {first}; this one is left out")
            )
        else:
            seen[entry.id] = entry
    folder.faq = list(seen.values())


def _title(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")
