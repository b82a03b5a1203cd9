"""Ingestion: brings the stores up to date with the knowledge folder, file by file, and leaves no tails.

The state store says which revision of a document counts. New chunks are written and made durable first, then the
revision is published in one transaction, then the old chunks go; a reader, or a restart after a kill, never sees half.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.errors import SourceError
from engine.ingest import parsers
from engine.ingest.chunking import chunk
from engine.ingest.faq_calibration import calibrate_when_changed
from engine.ingest.faq_index import index_faq
from engine.ingest.fingerprints import Fingerprints
from engine.ingest.folder import Folder, SourceFile, content_hash, scan
from engine.ingest.isolation import IsolatedParser
from engine.ingest.report import IngestProgress, IngestReport
from engine.matching.edits import FaqEditStore
from engine.policy import ChunkPolicy
from engine.ports import (
    ChunkIndex,
    DocumentStore,
    Embedder,
    FaqStore,
    IndexPoint,
    Matrix,
    MetaStore,
    SparseVector,
    StoredFaq,
)
from engine.registry import describe, load_registry, put_stamp, registry_version, save_registry
from engine.text.normal import detect_language
from engine.text.sparse import TermWeights, lex_document, tri_document
from engine.types import Chunk, DocumentRecord, Domain, ObjectEntry, Registry, TocEntry

__all__ = ["IngestProgress", "IngestReport", "Ingestor"]

PIPELINE = "p3"
"""Part of every content hash: changes when parsing or chunking gives other chunks for the same bytes."""

_BATCH = 64
_OPTIMISE_FROM = 2000
_REVISION_LENGTH = 20

Show = Callable[[IngestProgress], None]


class Ingestor:
    """Raises StoreMismatch, SourceError for a broken registry, ProviderError and KnowledgeError from what it uses."""

    def __init__(
        self,
        index: ChunkIndex,
        documents: DocumentStore,
        faq: FaqStore,
        meta: MetaStore,
        index_embedder: Embedder,
        gate_embedder: Embedder,
        policy: ChunkPolicy | None = None,
        *,
        calibrates: bool = True,
        edits: FaqEditStore | None = None,
    ) -> None:
        self._index = index
        self._documents = documents
        self._faq = faq
        self._meta = meta
        self._index_embedder = index_embedder
        self._gate_embedder = gate_embedder
        self._policy = policy or ChunkPolicy()
        self._parser = IsolatedParser()
        self._calibrates = calibrates
        self._edits = edits
        self._fingerprints = Fingerprints(meta, index_embedder, gate_embedder)

    async def check_fingerprints(self) -> None:
        await self._fingerprints.check()

    async def ingest(self, root: Path, show: Show, *, rebuild: bool = False) -> IngestReport:
        began = time.perf_counter()
        report = IngestReport()
        if rebuild:
            await self._forget()
        await self._fingerprints.check()
        folder = await asyncio.to_thread(scan, root)
        report.warnings, report.skipped, report.failed = folder.warnings, folder.skipped, folder.failed
        await self._fingerprints.put()
        await self._index_faq(folder, report, show, reuse=not rebuild)
        try:
            await self._index_documents(folder, report, show)
        finally:
            await asyncio.to_thread(self._parser.close)
        report.seconds = time.perf_counter() - began
        return report

    async def preview(self, root: Path) -> IngestReport:
        """What `ingest` would do: which documents are new, changed or gone. Writes nothing and parses nothing."""
        began = time.perf_counter()
        report = IngestReport(dry=True)
        await self._fingerprints.check()
        folder = await asyncio.to_thread(scan, root)
        report.warnings, report.skipped, report.failed = folder.warnings, folder.skipped, folder.failed
        live = {record.path: record for record in await self._documents.documents()}
        complete = _complete(live, await self._index.documents())
        work = await asyncio.to_thread(_sort_out, folder, live, complete, report)
        for file, _, _ in work:
            (report.changed if file.path in live else report.added).append(file.path)
        report.removed = sorted(_gone(folder, live))
        report.documents = len(folder.files)
        report.faq_entries = len(folder.faq)
        report.faq_wordings = sum(len(entry.questions) for entry in folder.faq)
        report.seconds = time.perf_counter() - began
        return report

    async def refresh_faq(self, root: Path) -> IngestReport:
        """Bring the FAQ alone up to date, beside the answering. Its wordings must be of the embedder in use."""
        report = IngestReport()
        await self._fingerprints.check()
        folder = await asyncio.to_thread(scan, root)
        report.failed = [(path, reason) for path, reason in folder.failed if path in folder.failed_faq]
        await self._index_faq(folder, report, lambda _: None, reuse=True)
        return report

    async def _forget(self) -> None:
        for record in await self._documents.documents():
            await self._documents.withdraw(record.path)
        for path in await self._index.documents():
            await self._index.remove(path)
        # Their vectors too must be gone before the new fingerprint says who made what is stored.
        await self._faq.replace(StoredFaq(version=""))
        await self._fingerprints.put()

    async def _index_faq(self, folder: Folder, report: IngestReport, show: Show, *, reuse: bool) -> None:
        stored = await index_faq(folder, self._faq, self._gate_embedder, show, reuse=reuse, edits=self._edits)
        report.faq_entries, report.faq_wordings = len(stored.entries), len(stored.wordings)
        if self._calibrates:
            await calibrate_when_changed(stored, self._meta, self._gate_embedder)

    async def _index_documents(self, folder: Folder, report: IngestReport, show: Show) -> None:
        live = {record.path: record for record in await self._documents.documents()}
        complete = await self._sweep(live)
        work = await asyncio.to_thread(_sort_out, folder, live, complete, report)
        gone = _gone(folder, live)
        domains = folder.domains
        if work or gone:
            await self._save_registry(domains, f"pending-{uuid.uuid4().hex}")
        for path in sorted(gone):
            await self._remove(path, report)
        total = sum(size for _, _, size in work)
        done = 0
        for file, hashed, size in work:
            await self._replace_document(file, hashed, live.get(file.path), report, show, (done, size, total))
            done += size
        if report.chunks_written >= _OPTIMISE_FROM:
            show(IngestProgress(stage="Optimising", done=total, total=total))
            await self._index.optimise()
        await self._finish(domains, report)

    async def _sweep(self, live: dict[str, DocumentRecord]) -> set[str]:
        """Remove chunks that an interrupted run left; returns the documents whose chunks are all there."""
        stored = await self._index.documents()
        for path, revisions in stored.items():
            revision = live[path].revision if path in live else None
            if revisions != {revision}:
                await self._index.remove(path, keep_revision=revision)
        return _complete(live, stored)

    async def _remove(self, path: str, report: IngestReport) -> None:
        await self._documents.withdraw(path)
        await put_stamp(self._meta, uuid.uuid4().hex)
        await self._index.remove(path)
        report.removed.append(path)

    async def _replace_document(
        self,
        file: SourceFile,
        hashed: str,
        before: DocumentRecord | None,
        report: IngestReport,
        show: Show,
        position: tuple[int, int, int],
    ) -> None:
        """One file: parse, embed, write, publish. One that cannot be read is reported."""
        revision = hashed[:_REVISION_LENGTH]
        try:
            (record, chunks, toc, objects), remarks = await asyncio.to_thread(self._read, file, hashed, revision)
        except SourceError as error:
            await self._fail(file, error.reason, before, report)
            return
        report.warnings.extend(f"{file.path}: {remark}" for remark in remarks)
        done, size, total = position
        known: dict[str, npt.NDArray[np.float32]] = {}
        centroid = np.zeros(self._index_embedder.dimensions, dtype=np.float64)
        for start in range(0, len(chunks), _BATCH):
            show(IngestProgress(stage=_short(file.path), done=done + size * start // len(chunks), total=total))
            batch = chunks[start : start + _BATCH]
            vectors = await self._embed([f"{one.header}\n{one.text}" for one in batch], known)
            centroid += vectors.sum(axis=0)
            await self._index.upsert(await asyncio.to_thread(_points, batch, vectors))
        await self._index.flush()
        norm = float(np.linalg.norm(centroid))
        unit = (centroid / norm if norm else centroid).astype("<f4")
        await self._documents.publish(replace(record, centroid=unit.tobytes()), toc, objects)
        await put_stamp(self._meta, uuid.uuid4().hex)
        await self._index.remove(file.path, keep_revision=revision)
        (report.changed if before else report.added).append(file.path)
        report.chunks_written += len(chunks)

    async def _fail(self, file: SourceFile, reason: str, before: DocumentRecord | None, report: IngestReport) -> None:
        """The version before stays, but not for an audience that may no longer see it."""
        if before is None:
            report.failed.append((file.path, reason))
        elif before.audience == file.collection.audience:
            report.failed.append((file.path, f"{reason}; the version indexed before is still served"))
        else:
            report.failed.append((file.path, f"{reason}; its audience has changed, so nothing of it is served"))
            await self._remove(file.path, report)

    async def _embed(self, texts: list[str], known: dict[str, npt.NDArray[np.float32]]) -> Matrix:
        """Vectors of the texts, each different text of a document embedded once: forms and logs repeat themselves."""
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known |= dict(zip(new, await self._index_embedder.embed_passages(new), strict=True))
        return np.stack([known[text] for text in texts])

    def _read(
        self, file: SourceFile, hashed: str, revision: str
    ) -> tuple[
        tuple[DocumentRecord, tuple[Chunk, ...], tuple[TocEntry, ...], tuple[ObjectEntry, ...]], tuple[str, ...]
    ]:
        parsed = self._parser.parse(file.path, _bytes_of(file))
        sample = " ".join(block.text for section in parsed.sections[:40] for block in section.blocks)[:20_000]
        language = detect_language(f"{parsed.title} {sample}")
        chunks, toc, objects = chunk(
            parsed,
            document=file.path,
            revision=revision,
            domain=file.domain,
            collection=file.collection,
            policy=self._policy,
            language=language,
        )
        record = DocumentRecord(
            path=file.path,
            revision=revision,
            content_hash=hashed,
            domain=file.domain.id,
            collection=file.collection.id,
            title=parsed.title,
            language=language,
            audience=file.collection.audience,
            chunks=len(chunks),
            centroid=b"",
        )
        return (record, chunks, toc, objects), parsed.remarks

    async def _save_registry(self, domains: tuple[Domain, ...], version: str) -> None:
        if not (texts := describe(domains)):
            await save_registry(self._meta, Registry(domains=domains, version=version), {})
            return
        vectors = await self._index_embedder.embed_passages(list(texts.values()))
        descriptions = dict(zip(texts, vectors, strict=True))
        await save_registry(self._meta, Registry(domains=domains, version=version), descriptions)

    async def _finish(self, domains: tuple[Domain, ...], report: IngestReport) -> None:
        records = await self._documents.documents()
        version = registry_version(domains, records)
        registry, _ = await load_registry(self._meta)
        if registry.version != version:
            await self._save_registry(domains, version)
            await put_stamp(self._meta, uuid.uuid4().hex)
        report.documents, report.chunks = len(records), sum(record.chunks for record in records)


def _complete(live: Mapping[str, DocumentRecord], stored: Mapping[str, frozenset[str]]) -> set[str]:
    """The documents whose chunks are all there."""
    return {
        path for path, record in live.items() if record.chunks == 0 or record.revision in stored.get(path, frozenset())
    }


def _gone(folder: Folder, live: Mapping[str, DocumentRecord]) -> set[str]:
    missing = live.keys() - {file.path for file in folder.files}
    return {path for path in missing if not folder.may_hold(path)}


def _sort_out(
    folder: Folder, live: dict[str, DocumentRecord], complete: set[str], report: IngestReport
) -> list[tuple[SourceFile, str, int]]:
    """The files to index, with content hash and size; unsupported formats are reported as skipped."""
    work: list[tuple[SourceFile, str, int]] = []
    kept: list[SourceFile] = []
    for file in folder.files:
        reason = parsers.why_skipped(file.path)
        if reason is not None:
            report.skipped.append((file.path, reason))
            continue
        kept.append(file)
        try:
            data = _bytes_of(file)
        except SourceError:
            data = b""  # reported when it is read again to be indexed
        hashed = _recipe(file, data)
        record = live.get(file.path)
        if record is not None and record.content_hash == hashed and file.path in complete:
            report.unchanged += 1
        else:
            work.append((file, hashed, max(1, len(data))))
    folder.files = kept
    return work


def _bytes_of(file: SourceFile) -> bytes:
    try:
        return file.location.read_bytes()
    except OSError as error:
        raise SourceError(file.path, f"cannot be read: {error.strerror}") from error


def _recipe(file: SourceFile, data: bytes) -> str:
    """A hash of all that a document's chunks are made from."""
    place = (PIPELINE, file.domain.id, file.domain.title, file.collection.id, file.collection.title)
    audience = sorted(file.collection.audience)
    return content_hash(data + repr((place, audience)).encode("utf-8", "replace"))


def _points(chunks: Sequence[Chunk], vectors: Matrix) -> list[IndexPoint]:
    points = []
    for one, vector in zip(chunks, vectors, strict=True):
        text = f"{one.header}\n{one.text}"
        lex, tri = _sparse(lex_document(text)), _sparse(tri_document(text))
        points.append(IndexPoint(chunk=one, dense=vector, lex=lex, tri=tri))
    return points


def _sparse(terms: TermWeights) -> SparseVector:
    return SparseVector(terms.indices, terms.values)


def _short(path: str, length: int = 40) -> str:
    return path if len(path) <= length else f"…{path[-length + 1 :]}"
