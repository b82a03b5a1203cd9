"""A knowledge folder and fakes of all that an ingestion writes to, to look at what one leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.ingest.ingestor import Ingestor, IngestReport
from engine.registry import load_registry
from tests.fake_embedder import DIMENSIONS, FakeEmbedder
from tests.fake_index import InMemoryIndex
from tests.fake_stores import FakeDocumentStore, FakeFaqStore, FakeMetaStore

LEASE = """# Lease

## 1. Deposit

The deposit is returned within ten days after moving out, see section 2.

## 2. Deductions

Table 1. Deductions

| What | Price |
| --- | --- |
| Cleaning | 40 |
| Lost key | 15 |

The landlord may keep the price of repairs that the tenant caused.
"""
PARKING = "# Parking\n\nA guest may park for two hours. Bicycles stand in the cellar.\n"
FAQ = """- id: cancel
  questions: ["How do I cancel?", "I want to end my lease"]
  answer: |
    Call us.
- id: hours
  questions: ["When are you open?"]
  answer: From nine to five.
"""


class Desk:
    """Stores that live on from ingestion to ingestion, and the folder that is ingested."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.index = InMemoryIndex(DIMENSIONS)
        self.documents = FakeDocumentStore()
        self.faq = FakeFaqStore()
        self.meta = FakeMetaStore()
        self.index_embedder = FakeEmbedder("index/1")
        self.gate_embedder = FakeEmbedder("gate/1")
        self.stages: list[str] = []
        self.calibrates = False

    def write(self, path: str, text: str | bytes) -> None:
        location = self.root / path
        location.parent.mkdir(parents=True, exist_ok=True)
        location.write_bytes(text if isinstance(text, bytes) else text.encode())

    def ingestor(self) -> Ingestor:
        return Ingestor(
            self.index,
            self.documents,
            self.faq,
            self.meta,
            self.index_embedder,
            self.gate_embedder,
            calibrates=self.calibrates,
        )

    async def ingest(self, *, rebuild: bool = False) -> IngestReport:
        return await self.ingestor().ingest(
            self.root, lambda progress: self.stages.append(progress.stage), rebuild=rebuild
        )

    async def version(self) -> str:
        return (await load_registry(self.meta))[0].version

    async def state(self) -> dict[str, Any]:
        """Everything that readers can come across, to be compared with another desk's."""
        records = await self.documents.documents()
        entries = [entry for record in records for entry in await self.documents.toc(record.path)]
        chunk_ids = [chunk_id for entry in entries for chunk_id in entry.chunk_ids]
        faq = await self.faq.load()
        registry, vectors = await load_registry(self.meta)
        return {
            "records": records,
            "toc": entries,
            "objects": [entry for record in records for entry in await self.documents.objects(record.path)],
            "chunks": sorted(await self.index.fetch(chunk_ids), key=lambda chunk: chunk.id),
            "in the index": {path: sorted(revisions) for path, revisions in (await self.index.documents()).items()},
            "faq": sorted(faq.entries, key=lambda entry: entry.id),
            "wordings": sorted(faq.wordings),
            "faq version": faq.version,
            "registry": registry,
            "described": sorted(vectors),
        }


def small_desk(root: Path) -> Desk:
    """Two documents of one domain, and an FAQ of two entries."""
    desk = Desk(root)
    desk.write("housing/contracts/lease.md", LEASE)
    desk.write("housing/rules/parking.md", PARKING)
    desk.write("faq/en.yaml", FAQ)
    return desk
