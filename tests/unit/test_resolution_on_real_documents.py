"""Numbers resolved from their words alone, against the hyperlinks that the documents' publishers put on these words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from engine.ingest.chunking import chunk
from engine.ingest.parsers import parse
from engine.policy import ChunkPolicy
from engine.stages.document_names import DocumentNames, link_anchor, link_path
from engine.stages.library import Shelf
from engine.stages.resolution import Resolver
from engine.text.references import find_mentions
from engine.types import PUBLIC, Chunk, Collection, DocumentRecord, Domain, Reference, Registry
from tests.fake_index import InMemoryIndex
from tests.fake_stores import FakeDocumentStore

DATA = Path(os.environ.get("REFDESK_TEST_DATA") or Path(__file__).parents[2].parent / "shared" / "data")
WANTED = 0.97
NAMES_A_PLACE = re.compile(r"\s*(?:section|appendix|раздел)\s[\dA-Z][\d.]*[\s,.]*(?:«[^»]*»)?\s*$", re.IGNORECASE)
HEADINGS = "h1, h2, h3, h4, h5, h6"
HEADING_NUMBER = re.compile(r"\W*(?:appendix\s+|глава\s+)?([\dA-Z]+(?:\.\d+)*)[.\s]", re.IGNORECASE)


@dataclass(frozen=True)
class Link:
    document: str
    words: str
    target: str
    number: str
    """Of the heading that the link leads to, read off the page itself."""


@dataclass
class Base:
    shelf: Shelf
    documents: FakeDocumentStore
    first_chunks: dict[str, Chunk]

    def resolver(self) -> Resolver:
        names = DocumentNames(self.shelf.documents.values())
        return Resolver(self.shelf, names, self.documents, InMemoryIndex(1), PUBLIC, everywhere=True)

    async def resolve(self, link: Link) -> Reference | None:
        mentions = find_mentions(link.words)
        if len(mentions) != 1 or link.document not in self.first_chunks:
            return None
        found = await self.resolver().resolve(mentions[0], self.first_chunks[link.document], "")
        return found[0].reference if len(found) == 1 else None


def require_data() -> None:
    if not DATA.exists():
        pytest.skip(f"NO TEST DATA: {DATA} is missing; set REFDESK_TEST_DATA to the folder that holds docs/")


async def base_of(*folders: str) -> Base:
    documents = FakeDocumentStore()
    records: dict[str, DocumentRecord] = {}
    first_chunks: dict[str, Chunk] = {}
    for location in sorted(one for folder in folders for one in (DATA / "docs" / folder).rglob("*.html")):
        path = location.relative_to(DATA / "docs").as_posix()
        domain, collection, _ = path.split("/")
        parsed = parse(path, location.read_bytes())
        chunks, toc, objects = chunk(
            parsed,
            document=path,
            revision="r",
            domain=Domain(id=domain, title=domain),
            collection=Collection(id=collection, title=collection),
            policy=ChunkPolicy(),
            language="en",
        )
        records[path] = DocumentRecord(
            path=path,
            revision="r",
            content_hash="h",
            domain=domain,
            collection=collection,
            title=parsed.title,
            language="en",
            audience=PUBLIC,
            chunks=len(chunks),
            centroid=b"",
        )
        first_chunks[path] = chunks[0]
        await documents.publish(records[path], toc, objects)
    registry = Registry(domains=(), version="v")
    return Base(Shelf.arrange(registry, {}, tuple(records.values())), documents, first_chunks)


def links(base: Base) -> Iterator[Link]:
    """Those whose words name a numbered place in a document of the base; the words alone where it is the same one."""
    pages = {path: LexborHTMLParser((DATA / "docs" / path).read_bytes()) for path in base.shelf.documents}
    for path, page in pages.items():
        for node in page.css("a[href]"):
            address, words = node.attributes.get("href") or "", " ".join(node.text().split())
            target = link_path(address, path)
            if not NAMES_A_PLACE.match(words) or "://" in address or target not in pages:
                continue
            number = heading_number(pages[target], link_anchor(address))
            if number:
                yield Link(path, words if target == path else f"[{words}]({address})", target, number)


def heading_number(page: LexborHTMLParser, anchor: str | None) -> str | None:
    places = [
        node for node in page.css("[id], [name]") if anchor in (node.attributes.get("id"), node.attributes.get("name"))
    ]
    if not places:
        return None
    start = places[0]
    heading = start if start.tag in HEADINGS.split(", ") else start.css_first(HEADINGS)
    match = HEADING_NUMBER.match(" ".join(heading.text().split()) + " ") if heading is not None else None
    return match[1] if match else None


async def is_right(base: Base, link: Link) -> bool:
    reference = await base.resolve(link)
    return reference is not None and (reference.document, reference.section) == (link.target, link.number)


@pytest.mark.parametrize(("folders", "least"), [(("en-web-standards",), 500), (("debian/faq-ru", "en-postgresql"), 15)])
async def test_numbers_lead_where_the_publishers_links_do(folders: tuple[str, ...], least: int) -> None:
    require_data()
    base = await base_of(*folders)
    found = list(links(base))
    assert len(found) >= least
    wrong = [link for link in found if not await is_right(base, link)]
    assert 1 - len(wrong) / len(found) >= WANTED, wrong[:20]
