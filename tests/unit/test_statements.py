"""Which chunk goes first: the one that says what is asked in one statement, and says what is."""

from __future__ import annotations

import pytest

from engine.policy import RetrievalPolicy
from engine.stages.retrieval import rerank
from engine.text.answer_types import asked_for, labels_of, without_measure
from engine.text.statements import anatomy
from engine.text.stems import stem
from tests.fakes import chunk


def first(question: str, *texts: str) -> str:
    chunks = [chunk(f"00000000-0000-0000-0000-00000000000{n}", text=text) for n, text in enumerate(texts)]
    return rerank(question, chunks, dict.fromkeys((one.id for one in chunks), 0.3), RetrievalPolicy())[0].chunk.text


@pytest.mark.parametrize(
    ("question", "wanted", "other"),
    [
        ("How many cabins are there?", "**Number of cabins:** 12", "Cabins of any number of beds stand by the lake."),
        ("What is the boat fee?", "**Boat fee:** 20 euros", "A boat may have a fee, details are given on site 2."),
        ("Are dogs allowed?", "Dogs are allowed on a lead.", "Dogs usually like the lake."),
        ("Сколько домиков?", "**Number of cabins:** 12", "Cabins stand by the lake with 2 doors."),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_a_plain_statement_of_what_is_asked_goes_first(question: str, wanted: str, other: str, turned: bool) -> None:
    assert first(question, *((other, wanted) if turned else (wanted, other))) == wanted


def test_words_that_stand_together_count_for_more_than_words_that_are_strewn() -> None:
    together = "The sauna costs 20 euros. The lake is deep."
    strewn = "The sauna is warm. A boat costs 20 euros."
    assert first("What does the sauna cost?", strewn, together) == together


def test_a_statement_knows_what_leads_into_it_and_where_it_stands() -> None:
    read = anatomy("Park > Rules", "## Dogs\n\nAllowed on a lead.")
    assert {stem("dogs"), stem("rules"), stem("lead")} <= read.statements[0].stems
    assert "whether" in read.statements[0].kinds


@pytest.mark.parametrize("question", ["Can I bring a dog?", "Можно с собакой?", "Есть ли сауна?", "Is there a pool?"])
def test_a_question_whether_is_recognised(question: str) -> None:
    assert "whether" in asked_for(question)


@pytest.mark.parametrize("question", ["What can I bring?", "Где сауна?", "Который час открытия?"])
def test_other_questions_do_not_ask_whether(question: str) -> None:
    assert "whether" not in asked_for(question)


def test_question_words_are_called_by_labels_of_both_languages() -> None:
    assert stem("number") in labels_of("Сколько домиков?")
    assert stem("price") in labels_of("Сколько стоит домик?")
    assert stem("number") not in labels_of("Сколько стоит домик?")
    assert stem("часы") in labels_of("When are you open?")
    assert not labels_of("Tell me about boats.")


def test_the_kind_of_thing_is_no_word_to_look_for() -> None:
    assert without_measure("What type of boat is it?") == "What boat is it?"
    assert without_measure("Какой вид лодки?") == "Какой лодки?"
