"""What every version of a store does: the fake, SQLite and PostgreSQL."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from engine.ports import StoredFaq
from engine.types import (
    DocumentRecord,
    FaqEntry,
    FaqMatch,
    ObjectEntry,
    Outcome,
    Question,
    Route,
    RouteLevel,
    TocEntry,
)
from tests.all_stores import CACHED, Stores


def record(path: str = "housing/rent.md", revision: str = "r1") -> DocumentRecord:
    return DocumentRecord(
        path=path,
        revision=revision,
        content_hash=f"hash of {revision}",
        domain="housing",
        collection="tariffs",
        title="Тарифы — и «кавычки»",
        language="ru",
        audience=frozenset({"public", "staff"}),
        chunks=3,
        centroid=np.array([0.6, -0.8], dtype="<f4").tobytes(),
    )


def toc_entry(document: str, index: int, *, number: str = "7.2", parent: int | None = 0) -> TocEntry:
    return TocEntry(
        document=document,
        index=index,
        number=number,
        title=f"Раздел {index}",
        level=2,
        parent=parent,
        page=12,
        anchor="rent",
        chunk_ids=("c1", "c2"),
    )


def bare_toc_entry(document: str) -> TocEntry:
    return TocEntry(
        document=document, index=0, number="", title="", level=0, parent=None, page=None, anchor=None, chunk_ids=()
    )


def object_entry(document: str, label: str) -> ObjectEntry:
    return ObjectEntry(
        document=document, kind="table", label=label, title="Rates", section_index=1, page=None, chunk_ids=("c2",)
    )


def route(document: str = "housing/rent.md") -> Route:
    return Route(
        domain="housing",
        collection=None,
        documents=(document, "жильё/аренда.md"),
        levels=(
            RouteLevel(level="domain", chosen="housing", confidence=0.1 + 0.2, by="embedding"),
            RouteLevel(level="document", chosen=document, confidence=1.0, by="model"),
        ),
    )


def faq(version: str = "v1") -> StoredFaq:
    plain = FaqEntry(id="z", questions=("Second?", "Ещё?"), answer=" kept \n byte for byte\t\r\n", language="en")
    full = FaqEntry(
        id="a",
        questions=("Как?",),
        answer="Так.",
        language="ru",
        audience=frozenset({"staff"}),
        domain="housing",
        tags=("b", "a"),
        valid_from="2026-01-01",
        valid_until="2026-12-31",
        source="faq/main.yaml",
    )
    vectors = np.array([[1, 0, 0], [0, 0.6, 0.8], [0, 1e-30, -1]], dtype=np.float32)
    return StoredFaq(
        version=version,
        entries=(plain, full),
        wordings=(("z", "Ещё?"), ("a", "Как?"), ("z", "Second?")),
        vectors=vectors,
    )


def missed(faq_match: FaqMatch | None = None, found_route: Route | None = None) -> Outcome:
    return Outcome(
        id="o1",
        kind="missed",
        text="No answer.",
        language="ru",
        faq=faq_match,
        route=found_route,
        miss_reason="weak_evidence",
    )


# --- documents ------------------------------------------------------------------------------------------------------


async def test_published_document_is_read_back(stores: Stores) -> None:
    path = "housing/rent.md"
    toc = (bare_toc_entry(path), *(toc_entry(path, index) for index in range(1, 12)))
    objects = (object_entry(path, "2"), object_entry(path, "1"), object_entry(path, "2"))
    await stores.documents.publish(record(), toc, objects)
    assert await stores.documents.documents() == (record(),)
    assert await stores.documents.toc(path) == toc
    assert await stores.documents.objects(path) == objects


async def test_toc_comes_in_order_of_index(stores: Stores) -> None:
    toc = [toc_entry("d", index) for index in range(12)]
    await stores.documents.publish(record("d"), toc[::-1], ())
    assert await stores.documents.toc("d") == tuple(toc)


async def test_new_revision_replaces_all_of_the_old(stores: Stores) -> None:
    path = "housing/rent.md"
    await stores.documents.publish(record(), [toc_entry(path, n) for n in range(5)], [object_entry(path, "1")])
    await stores.documents.publish(record(revision="r2"), [bare_toc_entry(path)], ())
    assert await stores.documents.documents() == (record(revision="r2"),)
    assert await stores.documents.toc(path) == (bare_toc_entry(path),)
    assert await stores.documents.objects(path) == ()


async def test_documents_come_in_order_of_path(stores: Stores) -> None:
    # A locale would put "a" before "B", and the Cyrillic letters elsewhere.
    paths = ["B/x.md", "a/x.md", "a-b/x.md", "ё.md", "я.md", "Z.md", "a/X.md", "a/10.md", "a/9.md"]
    for path in paths:
        await stores.documents.publish(record(path), (), ())
    assert [document.path for document in await stores.documents.documents()] == sorted(paths)


async def test_withdrawn_document_leaves_nothing(stores: Stores) -> None:
    for path in ("one.md", "two.md"):
        await stores.documents.publish(record(path), [toc_entry(path, 0)], [object_entry(path, "1")])
    await stores.documents.withdraw("one.md")
    await stores.documents.withdraw("never-there.md")
    assert await stores.documents.documents() == (record("two.md"),)
    assert await stores.documents.toc("one.md") == ()
    assert await stores.documents.objects("one.md") == ()
    assert await stores.documents.toc("two.md") == (toc_entry("two.md", 0),)
    assert await stores.documents.objects("two.md") == (object_entry("two.md", "1"),)


async def test_unknown_document_has_no_tables(stores: Stores) -> None:
    assert await stores.documents.documents() == ()
    assert await stores.documents.toc("unknown.md") == ()
    assert await stores.documents.objects("unknown.md") == ()


async def test_sections_are_found_by_number_in_all_documents(stores: Stores) -> None:
    for path in ("b.md", "a.md"):
        numbers = ("1", "7.2", "Б", "7.2")
        toc = [toc_entry(path, index, number=number) for index, number in enumerate(numbers)]
        await stores.documents.publish(record(path), toc, [object_entry(path, "2"), object_entry(path, "deposit")])
    found = await stores.documents.sections_numbered(["7.2", "Б", "nowhere"])
    assert [(entry.document, entry.index) for entry in found] == [
        (path, index) for path in ("a.md", "b.md") for index in (1, 2, 3)
    ]
    assert await stores.documents.objects_labelled(["2"]) == (object_entry("a.md", "2"), object_entry("b.md", "2"))
    assert await stores.documents.sections_numbered([]) == ()
    await stores.documents.withdraw("a.md")
    assert {entry.document for entry in await stores.documents.sections_numbered(["7.2"])} == {"b.md"}
    assert await stores.documents.objects_labelled(["deposit"]) == (object_entry("b.md", "deposit"),)


# --- the FAQ --------------------------------------------------------------------------------------------------------


async def test_faq_is_read_back_in_its_order(stores: Stores) -> None:
    await stores.faq.replace(faq())
    loaded = await stores.faq.load()
    assert loaded.version == "v1"
    assert loaded.entries == faq().entries
    assert loaded.wordings == faq().wordings
    assert loaded.vectors.dtype == np.float32
    np.testing.assert_array_equal(loaded.vectors, faq().vectors)
    assert await stores.faq.version() == "v1"


async def test_new_faq_replaces_all_of_the_old(stores: Stores) -> None:
    await stores.faq.replace(faq())
    smaller = StoredFaq(
        version="v2",
        entries=faq().entries[:1],
        wordings=(("z", "Ещё?"),),
        vectors=np.array([[0.6, 0.8]], dtype=np.float32),
    )
    await stores.faq.replace(smaller)
    loaded = await stores.faq.load()
    assert (loaded.version, loaded.entries, loaded.wordings) == ("v2", smaller.entries, smaller.wordings)
    np.testing.assert_array_equal(loaded.vectors, smaller.vectors)


async def test_faq_can_be_emptied(stores: Stores) -> None:
    await stores.faq.replace(faq())
    await stores.faq.replace(StoredFaq(version="v3"))
    loaded = await stores.faq.load()
    assert (loaded.version, loaded.entries, loaded.wordings, len(loaded.vectors)) == ("v3", (), (), 0)


async def test_no_faq_has_no_version(stores: Stores) -> None:
    loaded = await stores.faq.load()
    assert (loaded.version, loaded.entries, loaded.wordings, len(loaded.vectors)) == ("", (), (), 0)
    assert await stores.faq.version() == ""


async def test_stored_vectors_are_not_the_callers(stores: Stores) -> None:
    given = faq()
    await stores.faq.replace(given)
    given.vectors[:] = 0
    np.testing.assert_array_equal((await stores.faq.load()).vectors, faq().vectors)


async def test_wordings_without_their_vectors_are_refused_and_change_nothing(stores: Stores) -> None:
    await stores.faq.replace(faq())
    with pytest.raises(ValueError, match="."):
        await stores.faq.replace(dataclasses.replace(faq("v2"), vectors=faq().vectors[:1]))
    assert await stores.faq.version() == "v1"
    assert len((await stores.faq.load()).wordings) == 3


# --- misses ---------------------------------------------------------------------------------------------------------


async def test_misses_come_newest_first(stores: Stores) -> None:
    match = FaqMatch(band="miss", score=0.41, cosine=0.3, entry=None)
    await stores.misses.add(Question(text="Первый?", conversation="chat-7"), missed(match, route()))
    await stores.misses.add(Question(text="Second?"), missed())
    await stores.misses.add(Question(text="Third?"), missed())
    newest = await stores.misses.list(2)
    assert [miss.question for miss in newest] == ["Third?", "Second?"]
    assert (newest[0].best_score, newest[0].route, newest[0].conversation) == (0.0, None, "")
    oldest = (await stores.misses.list(10))[2]
    assert (oldest.question, oldest.conversation, oldest.language) == ("Первый?", "chat-7", "ru")
    assert (oldest.best_score, oldest.reason, oldest.route) == (0.41, "weak_evidence", route())
    assert len({miss.id for miss in await stores.misses.list(10)}) == 3


async def test_miss_is_dated_in_utc(stores: Stores) -> None:
    await stores.misses.add(Question(text="When?"), missed())
    (miss,) = await stores.misses.list(1)
    asked_at = datetime.fromisoformat(miss.asked_at)
    assert asked_at.utcoffset() == timedelta(0)
    assert abs(datetime.now(UTC) - asked_at) < timedelta(minutes=1)


async def test_miss_for_no_stated_reason_is_kept(stores: Stores) -> None:
    await stores.misses.add(Question(text="Why?"), dataclasses.replace(missed(), miss_reason=None))
    assert [miss.reason for miss in await stores.misses.list(1)] == ["nothing_found"]


async def test_broken_text_is_kept_as_far_as_it_can_be(stores: Stores) -> None:
    await stores.misses.add(Question(text="nul \0 half \ud83d end"), missed())
    (miss,) = await stores.misses.list(1)
    assert miss.question.startswith("nul ")
    assert miss.question.endswith(" end")


# --- cached routes --------------------------------------------------------------------------------------------------


async def test_route_is_read_back(stores: Stores) -> None:
    assert await stores.routes.get("question", "v1") is None
    await stores.routes.put("question", "v1", route())
    assert await stores.routes.get("question", "v1") == route()
    assert await stores.routes.get("Question", "v1") is None


async def test_route_of_another_version_is_absent_and_overwritten(stores: Stores) -> None:
    await stores.routes.put("question", "v1", route("old.md"))
    assert await stores.routes.get("question", "v2") is None
    await stores.routes.put("question", "v2", route("new.md"))
    assert await stores.routes.get("question", "v2") == route("new.md")
    assert await stores.routes.get("question", "v1") is None


async def test_long_and_broken_keys_are_keys(stores: Stores) -> None:
    keys = ["ы" * 20_000, "ы" * 19_999, "half \ud83d", "nul \0"]
    for key in keys:
        await stores.routes.put(key, "v1", route(f"{len(key)}.md"))
    assert [await stores.routes.get(key, "v1") for key in keys] == [route(f"{len(key)}.md") for key in keys]


async def test_oldest_routes_make_room(stores: Stores) -> None:
    for number in range(CACHED):
        await stores.routes.put(f"question {number}", "v1", route())
    await stores.routes.put("question 0", "v1", route("again.md"))
    await stores.routes.put("one more", "v1", route())
    kept = [number for number in range(CACHED) if await stores.routes.get(f"question {number}", "v1") is not None]
    assert kept == [0, 2, 3, 4]
    assert await stores.routes.get("one more", "v1") is not None


# --- facts ----------------------------------------------------------------------------------------------------------


async def test_fact_is_overwritten(stores: Stores) -> None:
    assert await stores.meta.get("embedder") is None
    await stores.meta.put("embedder", "one")
    await stores.meta.put("embedder", "two")
    await stores.meta.put("registry", "")
    assert await stores.meta.get("embedder") == "two"
    assert await stores.meta.get("registry") == ""
