"""What a second pass adds to the quotes of the first, and what is quoted together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.policy import GenerationPolicy
from engine.ports import Task
from engine.stages.quoting import QuotingGenerator
from engine.text.passages import passages
from engine.types import Chunk, Evidence, Question, Reference, ScoredChunk
from tests.fake_embedder import FakeEmbedder
from tests.fakes import chunk

FIRST = chunk("first", "A lost ticket is replaced in the cases of points (a) and (c) of section 9.", "7")
CASES = replace(
    chunk(
        "cases",
        "1. This section lists cases.\n\n"
        "2. A lost ticket is replaced if:\n\n"
        "(a) it was stolen;\n\n(b) it was burnt;\n\n(c) the printer was broken.",
        "9",
    ),
    section_index=9,
)
ELSEWHERE = replace(chunk("else", "Bicycles stand in the cellar behind the boiler room.", "4"), section_index=4)


async def second(question: str, *chunks: Chunk, references: tuple[Reference, ...] = ()) -> str:
    task = Task(
        question=Question(text=question),
        language="en",
        evidence=Evidence(chunks=tuple(ScoredChunk(chunk=one, score=0.8) for one in chunks), sufficient=True),
        earlier=FIRST.text,
        references=references,
    )
    async with QuotingGenerator(FakeEmbedder(), GenerationPolicy()).write(task) as draft:
        return "".join([piece async for piece in draft])


async def test_the_items_that_a_reference_names_are_quoted_and_no_others() -> None:
    reference = Reference(
        type="section", target="9", marker="points (a) and (c) of section 9", items=("2", "a,c"), chunk_ids=("cases",)
    )
    text = await second("When is a lost ticket replaced?", FIRST, CASES, references=(reference,))
    assert text.startswith(FIRST.text)
    assert "it was stolen" in text
    assert "the printer was broken" in text
    assert "burnt" not in text
    assert "lists cases" not in text


async def test_a_place_that_has_nothing_to_say_adds_nothing() -> None:
    assert await second("When is a lost ticket replaced?", FIRST, ELSEWHERE) == FIRST.text


@pytest.mark.parametrize(
    ("text", "quotable"),
    [
        (
            "Run this command:\n\n```\nmake all\n```\n\nThen wait.",
            ["Run this command:\n```\nmake all\n```", "Then wait."],
        ),
        ("```\nmake all\n```", ["```\nmake all\n```"]),
        ("- then run:\n\n```\nmake all\n```\n\n  and wait", ["then run:\n```\nmake all\n```", "and wait"]),
        ("```\nnever closed", []),
        (
            "Allowed unless point (a) or\n(g) of section 9 applies.",
            ["Allowed unless point (a) or (g) of section 9 applies."],
        ),
        ("One of:\n(a) this; or\n(b) that.", ["One of:\n(a) this; or\n(b) that."]),
    ],
)
def test_code_is_quoted_with_what_leads_in_and_wrapped_lines_whole(text: str, quotable: list[str]) -> None:
    assert [passage.text for passage in passages(text)] == quotable


async def test_the_sentence_with_the_words_that_are_missing_comes_along() -> None:
    text = (
        "The nap time is the pause between runs of the cleaner on any given database. It is set in the file."
        " Values are whole numbers. The default is one minute."
    )
    task = Task(
        question=Question(text="What is the default pause between runs of the cleaner?"),
        language="en",
        evidence=Evidence(chunks=(ScoredChunk(chunk=chunk("c", text), score=0.8),), sufficient=True),
    )
    async with QuotingGenerator(FakeEmbedder(), GenerationPolicy()).write(task) as draft:
        answer = "".join([piece async for piece in draft])
    assert "pause between runs" in answer
    assert "The default is one minute." in answer
    assert "whole numbers" not in answer
