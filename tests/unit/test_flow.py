"""The flow with fake stages: which events it speaks, in which order, and what ends in the outcome."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import AnswerEvent, Delta, Engine, Final, Interim, Outcome, Question, Retract, Turn, Typing
from engine.errors import KnowledgeError, ProviderError
from engine.events import Escalated
from engine.phrases import Phrases
from engine.types import FaqMatch, FaqPair, Written
from tests.fakes import (
    FakeAnswers,
    FakeGate,
    FakeGenerator,
    FakeGuardrail,
    FakeMisses,
    FakeReferencer,
    FakeRetriever,
    FakeRouter,
    FakeScreen,
    chunk,
    evidence,
    faq_entry,
    route,
)

GRAMMAR = re.compile(r"t*(d*r?)(id*r?)?[fe]")
DOWN = ProviderError("model", "down")


def engine(**stages: Any) -> Engine:
    quoting = FakeGenerator([["Quoted: 10 days."]])
    defaults: dict[str, Any] = {
        "screen": FakeScreen(),
        "gate": FakeGate(),
        "router": FakeRouter(),
        "retriever": FakeRetriever(),
        "generator": FakeGenerator([["The deposit ", "is returned ", "in 10 days."]]),
        "fallback": quoting,
        "guardrail": FakeGuardrail(),
        "referencer": FakeReferencer(),
        "misses": FakeMisses(),
        "answers": FakeAnswers(),
    }
    return Engine(**{**defaults, **stages})


async def ask(engine: Engine, text: str = "When is the deposit returned?", **fields: Any) -> list[AnswerEvent]:
    async with engine.answer(Question(text=text, **fields)) as events:
        return [event async for event in events]


def spelled(events: list[AnswerEvent]) -> str:
    return "".join(event.kind[0] for event in events)


def end(events: list[AnswerEvent]) -> Outcome:
    assert isinstance(events[-1], Final | Escalated)
    return events[-1].outcome


async def test_a_direct_answer_is_the_stored_text_byte_for_byte_and_costs_no_model_call() -> None:
    entry = faq_entry(answer="  Call us.\r\n\n* now  ")
    generator = FakeGenerator([["never"]])
    events = await ask(
        engine(gate=FakeGate(FaqMatch(band="direct", score=1.0, cosine=1.0, entry=entry)), generator=generator)
    )
    assert spelled(events) == "tf"
    assert (end(events).kind, end(events).text) == ("faq_direct", "  Call us.\r\n\n* now  ")
    assert end(events).usage.model_calls == 0
    assert generator.tasks == []


async def test_a_grounded_answer_streams_and_ends_with_its_whole_text_and_citations() -> None:
    events = await ask(engine())
    assert spelled(events) == "tdddf"
    streamed = "".join(event.text for event in events if isinstance(event, Delta))
    outcome = end(events)
    assert streamed == outcome.text == "The deposit is returned in 10 days."
    assert outcome.kind == "answered"
    assert outcome.passes == 1
    assert [(citation.document, citation.section) for citation in outcome.citations] == [
        ("housing/contracts/lease.md", "7.2")
    ]
    assert {"total", "gate", "route", "retrieve", "first_shown", "second_pass"} <= outcome.timings_ms.keys()


@pytest.mark.parametrize("text", ["", "  ", "👍", "?!", "123", "Привет!", "hello", "Спасибо, добрый день"])
async def test_a_message_without_words_is_asked_to_be_put_into_words(text: str) -> None:
    outcome = end(await ask(engine(), text))
    assert (outcome.kind, outcome.miss_reason) == ("missed", "not_a_question")


async def test_a_stop_word_blocks_before_anything_is_looked_up() -> None:
    retriever = FakeRetriever()
    outcome = end(await ask(engine(retriever=retriever), "you idiot"))
    assert outcome.kind == "blocked"
    assert "idiot" not in outcome.text
    assert retriever.asked == []


async def test_an_adjacent_answer_comes_from_the_pairs_without_retrieval() -> None:
    pairs = (FaqPair(entry="cancel", question="How do I cancel?", answer="Call us.", score=0.85),)
    match = FaqMatch(band="adjacent", score=0.85, cosine=0.8, entry=faq_entry(), nearest=pairs)
    retriever = FakeRetriever()
    generator = FakeGenerator([["Call us."]])
    events = await ask(engine(gate=FakeGate(match), retriever=retriever, generator=generator))
    assert end(events).kind == "faq_adjacent"
    assert generator.tasks[0].pairs == pairs
    assert retriever.asked == []


async def test_an_adjacent_generator_that_declines_sends_the_question_to_the_documents() -> None:
    pairs = (FaqPair(entry="cancel", question="How do I cancel?", answer="Call us.", score=0.85),)
    match = FaqMatch(band="adjacent", score=0.85, cosine=0.8, entry=faq_entry(), nearest=pairs)
    events = await ask(engine(gate=FakeGate(match), generator=FakeGenerator([[], ["In 10 days."]])))
    assert (end(events).kind, end(events).text) == ("answered", "In 10 days.")
    assert end(events).faq == match


async def test_weak_evidence_sends_the_router_back_up_to_the_next_branch() -> None:
    strong = evidence(chunk("c1"))
    retriever = FakeRetriever({"tariffs": evidence(chunk("c9"), sufficient=False, score=0.2), "contracts": strong})
    routes = (route(collection="tariffs"), route(collection="contracts"))
    outcome = end(await ask(engine(router=FakeRouter(routes), retriever=retriever)))
    assert outcome.kind == "answered"
    assert outcome.route == routes[1]
    assert outcome.chunks == strong.chunks


async def test_the_way_back_up_is_bounded_and_ends_in_an_honest_miss() -> None:
    weak = evidence(chunk("c9"), sufficient=False, score=0.2)
    retriever = FakeRetriever({"a": weak, "b": weak, "c": weak, "d": weak, "e": weak})
    misses = FakeMisses()
    routes = [route(collection=name) for name in "abcde"]
    events = await ask(engine(router=FakeRouter(routes), retriever=retriever, misses=misses))
    assert spelled(events) == "tf"
    outcome = end(events)
    assert (outcome.kind, outcome.miss_reason) == ("missed", "weak_evidence")
    assert len(retriever.asked) == 3
    assert outcome.route == routes[0]
    assert outcome.chunks == weak.chunks
    assert misses.recorded == [outcome]


async def test_a_miss_that_was_handed_over_ends_escalated() -> None:
    events = await ask(engine(retriever=FakeRetriever({}), misses=FakeMisses(escalates=True)))
    assert spelled(events) == "te"


async def test_a_second_pass_keeps_a_first_draft_that_says_something() -> None:
    generator = FakeGenerator([["Returned, ", "see 7.2."], ["Returned in ", "ten days."]])
    events = await ask(engine(generator=generator))
    assert spelled(events) == "tddiddf"
    interim = next(event for event in events if isinstance(event, Interim))
    assert interim.keeps_draft
    assert "7.2" in interim.text
    outcome = end(events)
    assert (outcome.text, outcome.passes) == ("Returned in ten days.", 2)
    assert generator.tasks[1].earlier == "Returned, see 7.2."
    assert [reference.status for reference in outcome.references] == ["resolved"]


async def test_a_draft_that_only_points_is_never_shown() -> None:
    events = await ask(engine(generator=FakeGenerator([["only see 7.2."], ["Ten days."]])))
    assert spelled(events) == "tidf"
    assert not next(event for event in events if isinstance(event, Interim)).keeps_draft


async def test_there_is_never_a_third_pass() -> None:
    generator = FakeGenerator([["It is so, ", "see 7.2."]])
    outcome = end(await ask(engine(generator=generator)))
    assert outcome.passes == 2
    assert len(generator.tasks) == 2


async def test_a_broken_second_pass_leaves_the_first_answer() -> None:
    failing = FakeGenerator([["Returned, ", "see 7.2."], ["oh ", "well ", DOWN]])
    spare = FakeGenerator([[]])
    events = await ask(engine(generator=failing, fallback=spare))
    assert spelled(events) == "tddidrf"
    assert end(events).text == "Returned, see 7.2."


async def test_a_model_that_fails_before_anything_was_shown_is_replaced_silently() -> None:
    events = await ask(engine(generator=FakeGenerator([[DOWN]])))
    assert spelled(events) == "tf"
    assert (end(events).kind, end(events).text) == ("answered", f"Quoted: 10 days.\n\n{Phrases()('only_quoted', 'en')}")


async def test_a_model_that_fails_in_the_middle_is_retracted_and_replaced() -> None:
    events = await ask(engine(generator=FakeGenerator([["The ", "deposit ", DOWN]])))
    assert spelled(events) == "tdrf"
    assert end(events).text == f"Quoted: 10 days.\n\n{Phrases()('only_quoted', 'en')}"


async def test_a_violation_later_on_retracts_what_was_shown() -> None:
    events = await ask(engine(generator=FakeGenerator([["The ", "deposit ", "is FORBIDDEN"]])))
    assert spelled(events) == "tdrf"
    assert [event.reason for event in events if isinstance(event, Retract)] == ["stop_word"]
    assert "FORBIDDEN" not in end(events).text


async def test_when_the_spare_draft_is_forbidden_too_the_question_is_a_miss() -> None:
    bad = FakeGenerator([["FORBIDDEN"]])
    outcome = end(await ask(engine(generator=bad, fallback=bad)))
    assert (outcome.kind, outcome.miss_reason) == ("missed", "retracted")


async def test_a_generator_that_says_it_cannot_answer_is_believed() -> None:
    declining = FakeGenerator([["I do not know."]], written=Written(completeness="incomplete", cited=()))
    outcome = end(await ask(engine(generator=declining)))
    assert (outcome.kind, outcome.miss_reason) == ("missed", "weak_evidence")


async def test_whatever_breaks_the_asker_gets_an_end() -> None:
    class Broken:
        async def match(self, question: Question) -> FaqMatch:
            raise RuntimeError("unforeseen")

    events = await ask(engine(gate=Broken()))
    assert spelled(events) == "tf"
    assert end(events).kind == "failed"


async def test_a_follow_up_is_looked_up_together_with_what_it_follows() -> None:
    retriever = FakeRetriever()
    history = (Turn(question="Сколько стоит парковка?", answer="1000"),)
    await ask(engine(retriever=retriever), "а для гостей?", history=history)
    assert "парковка" in retriever.asked[0].text
    assert retriever.asked[0].text.endswith("а для гостей?")


async def test_leaving_early_closes_the_model_stream() -> None:
    generator = FakeGenerator([["The ", "deposit ", "is ", "returned."]])
    async with engine(generator=generator).answer(Question(text="When is it returned to me?")) as events:
        async for event in events:
            if isinstance(event, Delta):
                break
    assert generator.open == 0


pieces = st.lists(
    st.sampled_from(["Yes. ", "10 days. ", "see 7.2 ", "only see 7.2 ", "FORBIDDEN ", DOWN]), min_size=0, max_size=6
)
bands = st.sampled_from(["direct", "adjacent", "miss"])


@settings(max_examples=300)
@given(
    scripts=st.lists(pieces, min_size=1, max_size=3),
    spare=pieces,
    band=bands,
    found=st.booleans(),
    handed=st.booleans(),
)
async def test_events_keep_to_the_grammar_whatever_the_stages_do(
    scripts: list[list[Any]], spare: list[Any], band: Any, found: bool, handed: bool
) -> None:
    pairs = (FaqPair(entry="cancel", question="How do I cancel?", answer="Call us.", score=0.85),)
    match = FaqMatch(band=band, score=0.9, cosine=0.9, entry=faq_entry(), nearest=pairs)
    generator = FakeGenerator(scripts)
    events = await ask(
        engine(
            gate=FakeGate(match),
            generator=generator,
            fallback=FakeGenerator([spare]),
            retriever=FakeRetriever() if found else FakeRetriever({}),
            misses=FakeMisses(escalates=handed),
        )
    )
    assert GRAMMAR.fullmatch(spelled(events)), spelled(events)
    assert isinstance(events[0], Typing)
    assert end(events).text
    assert "FORBIDDEN" not in end(events).text
    assert all("FORBIDDEN" not in event.text for event in events if isinstance(event, Delta))
    assert generator.open == 0


async def test_how_each_question_ends_is_logged_once() -> None:
    answers = FakeAnswers()
    events = await ask(engine(answers=answers))
    assert answers.recorded == [end(events)]


async def test_a_failure_is_logged_too() -> None:
    class Broken:
        async def match(self, question: Question) -> FaqMatch:
            raise RuntimeError("broken")

    answers = FakeAnswers()
    await ask(engine(answers=answers, gate=Broken()))
    assert [outcome.kind for outcome in answers.recorded] == ["failed"]


async def test_an_answer_is_not_lost_over_its_log() -> None:
    events = await ask(engine(answers=FakeAnswers(error=KnowledgeError("the disk is full"))))
    assert end(events).kind == "answered"


async def test_the_asker_comes_before_the_log_and_whoever_stops_at_the_end_is_logged() -> None:
    answers = FakeAnswers()
    async with engine(answers=answers).answer(Question(text="When is the deposit returned?")) as events:
        async for event in events:
            if isinstance(event, Final):
                assert answers.recorded == []
                break
    assert [outcome.kind for outcome in answers.recorded] == ["answered"]
