"""Whatever is done to the folder, and however often it is ingested on the way, the end is a fresh ingestion's."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ingest_desk import LEASE, PARKING, Desk

DOCUMENTS = [
    f"{domain}/{collection}{name}.md"
    for domain in ("housing", "places")
    for collection in ("", "a/", "b/")
    for name in ("x", "y")
]
TEXTS = [LEASE, PARKING, "# Only a heading\n", "Plain words without a heading, about bicycles.\n", LEASE * 2]
FAQ_FILES = ["faq/one.yaml", "faq/two.yaml"]
FAQ_TEXTS = [
    "- {id: a, questions: [How, How then], answer: So.}\n",
    "- {id: a, questions: [How], answer: Otherwise.}\n- {id: b, questions: [When], answer: Now.}\n",
    "",
]
REGISTRIES = [
    "domains: []\n",
    "domains: [{id: housing, title: Flats, collections: [{id: a, audience: [staff]}]}]\n",
    "domains: [{id: housing, audience: [staff]}, {id: places, description: Where things stand}]\n",
]

write = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(DOCUMENTS), st.sampled_from(TEXTS)),
    st.tuples(st.just("write"), st.sampled_from(FAQ_FILES), st.sampled_from(FAQ_TEXTS)),
    st.tuples(st.just("write"), st.just("knowledge.yaml"), st.sampled_from(REGISTRIES)),
)
delete = st.tuples(st.just("delete"), st.sampled_from([*DOCUMENTS, *FAQ_FILES, "knowledge.yaml"]), st.just(""))
rename = st.tuples(st.just("rename"), st.sampled_from(DOCUMENTS), st.sampled_from(DOCUMENTS))
ingest = st.just(("ingest", "", ""))
steps = st.lists(st.one_of(write, write, delete, rename, ingest), min_size=3, max_size=14)


def do(desk: Desk, step: tuple[str, str, str]) -> None:
    action, path, other = step
    location = desk.root / path
    if action == "write":
        desk.write(path, other)
    elif action == "delete":
        location.unlink(missing_ok=True)
    elif action == "rename" and location.exists():
        (desk.root / other).parent.mkdir(parents=True, exist_ok=True)
        location.rename(desk.root / other)


async def play(root: Path, taken: list[tuple[str, str, str]]) -> None:
    desk = Desk(root)
    for step in taken:
        if step[0] == "ingest":
            await desk.ingest()
        else:
            do(desk, step)
    await desk.ingest()
    fresh = Desk(root)
    await fresh.ingest()
    assert await desk.state() == await fresh.state()
    embedded = desk.index_embedder.embedded
    assert (await desk.ingest()).chunks_written == 0
    assert desk.index_embedder.embedded == embedded


@settings(max_examples=40, deadline=None)
@given(steps)
def test_any_way_to_a_folder_leads_to_the_same_stores(taken: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder), taken))
