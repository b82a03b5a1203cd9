"""Chunks: nothing is lost, nothing is too long, and the tables say where everything is."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.ingest.chunking import Result, chunk, repeats_itself
from engine.ingest.objects import find_objects
from engine.policy import ChunkPolicy
from engine.text.normal import words
from engine.text.tokens import count_tokens
from engine.types import Block, BlockKind, Collection, Domain, ParsedDocument, Section

DOMAIN = Domain(id="housing", title="Housing")
COLLECTION = Collection(id="rules", title="Rules", audience=frozenset({"staff"}))
POLICY = ChunkPolicy()

SENTENCE = "The tenant pays the rent by the fifth day of the month. "


def chunked(parsed: ParsedDocument, *, policy: ChunkPolicy = POLICY, revision: str = "r1") -> Result:
    return chunk(
        parsed,
        document="housing/rules/a.md",
        revision=revision,
        domain=DOMAIN,
        collection=COLLECTION,
        policy=policy,
        language="en",
    )


def section(
    *texts: str,
    number: str = "",
    title: str = "",
    level: int = 1,
    parent: int | None = None,
    kind: BlockKind = "paragraph",
) -> Section:
    blocks = tuple(Block(kind=kind, text=text) for text in texts)
    return Section(number=number, title=title, level=level, parent=parent, blocks=blocks)


def document(*sections: Section) -> ParsedDocument:
    opening = Section(number="", title="", level=0, parent=None)
    every = (opening, *sections)
    appendices = [(index, one.number, one.title) for index, one in enumerate(every) if one.title.startswith("Annex")]
    return ParsedDocument(title="House Rules", sections=every, objects=find_objects("House Rules", every, appendices))


def test_a_section_that_fits_is_one_chunk_without_its_heading() -> None:
    chunks, toc, _ = chunked(document(section(SENTENCE * 6, number="7.2", title="When the rent is due")))
    assert [one.text for one in chunks] == [SENTENCE * 6]
    assert chunks[0].header == "Housing > Rules > House Rules > 7.2 When the rent is due"
    assert (chunks[0].section, chunks[0].section_title) == ("7.2", "When the rent is due")
    assert chunks[0].audience == frozenset({"staff"})
    assert toc[1].chunk_ids == (chunks[0].id,)


def test_a_short_title_has_the_one_above_it_put_first() -> None:
    parsed = document(
        section(number="4", title="Pausing a plan"),
        section(SENTENCE * 6, number="4.2", title="Limits", level=2, parent=1),
    )
    chunks, toc, _ = chunked(parsed)
    assert chunks[0].header.endswith("> Pausing a plan > 4.2 Limits")
    assert toc[1].chunk_ids == ()


def test_ids_depend_on_the_revision() -> None:
    parsed = document(section(SENTENCE * 60, number="1", title="Rent"))
    first, again, other = chunked(parsed)[0], chunked(parsed)[0], chunked(parsed, revision="r2")[0]
    assert [one.id for one in first] == [one.id for one in again]
    assert not {one.id for one in first} & {one.id for one in other}
    assert [one.ordinal for one in first] == list(range(len(first)))


def test_long_sections_slide_with_a_small_overlap() -> None:
    sentences = [f"Clause number {number} says that the tenant keeps door {number} shut." for number in range(90)]
    chunks, _, _ = chunked(document(section(" ".join(sentences), number="1", title="Doors")))
    assert len(chunks) > 2
    for before, after in zip(chunks, chunks[1:], strict=False):
        shared = after.text.split(". ")[0].lstrip("…")
        assert shared in before.text
    repeated = sum(count_tokens(one.text) for one in chunks) - count_tokens(" ".join(sentences))
    assert 0 < repeated / (len(chunks) - 1) <= 2 * POLICY.overlap * POLICY.tokens


def test_tiny_siblings_share_a_chunk_and_keep_their_headings() -> None:
    parsed = document(
        section("Costs 600.", number="2.1", title="Connection"),
        section("Costs 150.", number="2.2", title="Static address"),
        section(SENTENCE * 8, number="2.3", title="Everything else"),
    )
    chunks, toc, _ = chunked(parsed)
    assert len(chunks) == 2
    assert chunks[0].section == "2.1"
    assert "**2.1. Connection**" in chunks[0].text
    assert "**2.2. Static address**" in chunks[0].text
    assert toc[1].chunk_ids == toc[2].chunk_ids == (chunks[0].id,)
    assert toc[3].chunk_ids == (chunks[1].id,)


def test_tiny_sections_of_different_parents_stay_apart() -> None:
    parsed = document(
        section(number="1", title="First part of it"),
        section("Costs 600.", number="1.1", title="Connection", level=2, parent=1),
        section(number="2", title="Second part of it"),
        section("Costs 150.", number="2.1", title="Address", level=2, parent=3),
    )
    chunks, _, _ = chunked(parsed)
    assert [one.section for one in chunks] == ["1.1", "2.1"]


def test_a_long_table_repeats_its_caption_and_header_row() -> None:
    rows = "\n".join(f"| Service {number} | {number} roubles a month, paid in advance |" for number in range(80))
    table = Block(kind="table", text=f"| Service | Price |\n| --- | --- |\n{rows}")
    caption = Block(kind="paragraph", text="*Table 3. Prices of services*")
    parsed = document(replace(section(number="3", title="Prices"), blocks=(caption, table)))
    chunks, _, objects = chunked(parsed)
    assert len(chunks) > 2
    for one in chunks:
        assert one.text.startswith("*Table 3. Prices of services*\n\n| Service | Price |\n| --- | --- |\n| Service ")
        assert count_tokens(one.text) <= POLICY.tokens
    assert [(entry.kind, entry.label) for entry in objects] == [("table", "3")]
    assert objects[0].chunk_ids == tuple(one.id for one in chunks)


def test_a_lead_in_moves_on_with_its_list() -> None:
    items = [f"- keep door {number} of the house shut at all times" for number in range(12)]
    blocks = (
        Block(kind="paragraph", text=SENTENCE * 18),
        Block(kind="paragraph", text="The tenant shall:"),
        *(Block(kind="list_item", text=item) for item in items),
    )
    chunks, _, _ = chunked(document(replace(section(number="1", title="Duties"), blocks=blocks)))
    assert chunks[1].text.startswith("The tenant shall:\n\n- keep door 0")


def test_a_definition_names_the_chunk_that_defines_it() -> None:
    parsed = document(
        section(
            SENTENCE * 50, '"Home" means the flat named in the policy, with its balcony.', number="1", title="Terms"
        ),
        section("The Home is insured. " * 20, number="2", title="Cover"),
    )
    chunks, _, objects = chunked(parsed)
    (home,) = [entry for entry in objects if entry.kind == "definition"]
    assert (home.label, home.title) == ("home", "Home")
    assert [one.text for one in chunks if one.id in home.chunk_ids][0].endswith("with its balcony.")


def test_each_chunk_has_its_own_language() -> None:
    russian = "Наниматель вносит плату до пятого числа каждого месяца. " * 8
    chunks, _, _ = chunked(document(section(SENTENCE * 8, title="Rent"), section(russian, title="Плата за наём")))
    assert [one.language for one in chunks] == ["en", "ru"]


def test_repetition_is_noticed() -> None:
    same = [section(SENTENCE * 5 + f"House {number}.", title=f"House {number}") for number in range(5)]
    different = [section(" ".join(f"word{number}x{place}" for place in range(40))) for number in range(5)]
    assert repeats_itself(same)
    assert not repeats_itself(different)


WORDS = st.sampled_from("плата rent 7.2 дом, tenant; shall: договор. «Наниматель» (see) x-ray 100,000 …… a.b.c".split())
LONG = st.integers(1, 900).map(lambda length: "слово"[:3] * length)
PUNCTUATION = st.integers(1, 700).map(lambda length: "!" * length)
TEXTS = st.lists(st.one_of(WORDS, WORDS, WORDS, LONG, PUNCTUATION), min_size=1, max_size=90).map(" ".join)
ROWS = st.lists(st.lists(WORDS, min_size=2, max_size=2), min_size=1, max_size=40)
TABLES = ROWS.map(lambda rows: "\n".join(["| a | b |", "| --- | --- |", *(f"| {x} | {y} |" for x, y in rows)]))
BLOCKS = st.one_of(
    TEXTS.map(lambda text: Block(kind="paragraph", text=text)),
    TEXTS.map(lambda text: Block(kind="list_item", text=f"- {text}")),
    TEXTS.map(lambda text: Block(kind="code", text=text.replace(" ", "\n"))),
    TABLES.map(lambda text: Block(kind="table", text=text)),
)


@st.composite
def documents(draw: st.DrawFn) -> ParsedDocument:
    sections = [Section(number="", title="", level=0, parent=None, blocks=tuple(draw(st.lists(BLOCKS, max_size=2))))]
    for index in range(1, draw(st.integers(1, 7))):
        parent = draw(st.sampled_from([None, *range(1, index)]))
        level = 1 if parent is None else sections[parent].level + 1
        title = draw(st.sampled_from(["", "Плата", "Terms of payment"]))
        blocks = tuple(draw(st.lists(BLOCKS, max_size=4)))
        sections.append(Section(number=str(index), title=title, level=level, parent=parent, blocks=blocks))
    return document(*sections[1:]) if not sections[0].blocks else replace(document(), sections=tuple(sections))


@given(documents(), st.sampled_from([40, 120, 300]))
def test_no_word_is_lost_and_no_chunk_is_too_long(parsed: ParsedDocument, tokens: int) -> None:
    chunks, toc, _ = chunked(parsed, policy=ChunkPolicy(tokens=tokens, tiny_tokens=tokens // 5))
    by_id = {one.id: one for one in chunks}
    for one in chunks:
        assert one.text.strip()
        assert count_tokens(one.text) <= tokens
    assert len(toc) == len(parsed.sections)
    for entry, part in zip(toc, parsed.sections, strict=True):
        held = "".join(_letters(by_id[chunk_id].text) for chunk_id in entry.chunk_ids)
        own = Counter(_letters(" ".join(block.text for block in part.blocks)))
        assert not own - Counter(held), "a section's letters are not all in the chunks that its row names"


def _letters(text: str) -> str:
    """What words are made of; words themselves may be cut when one is longer than a window."""
    return "".join(words(text))
