"""The flow on a real model, however small: valid objects, events in order, answers that are grounded or refused.

`make test-model` runs this file and the contract of chat models; what is judged is behaviour, not cleverness.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from engine import AnswerEvent, Delta, Escalated, Final, Outcome, Question, Turn
from engine.evaluation.base_questions import Gold
from engine.evaluation.base_run import Trial
from engine.evaluation.configurations import CONFIGURATIONS
from engine.evaluation.model_verdicts import ModelVerdicts
from engine.policy import GenerationPolicy, GuardrailPolicy, Policy, RoutingPolicy
from engine.ports import Task
from engine.providers.openai_chat import OpenAIChat
from engine.stages.follow_ups import FollowUps
from engine.stages.generation import ModelGenerator
from engine.stages.guardrail import StreamGuardrail
from engine.stages.judging import ModelJudge
from engine.stages.screen import StopWordScreen
from engine.types import Usage
from tests.fakes import chunk, evidence
from tests.model_server import patient_chat
from tests.small_base import SmallBase, small_base
from tests.unit.test_flow import GRAMMAR, spelled

NAME = "Can the name on a ticket be corrected?"
BRIEF = Policy(
    generation=GenerationPolicy(context_tokens=250, answer_tokens=80, remarks_seconds=60),
    guardrail=GuardrailPolicy(judge_seconds=60),
    routing=RoutingPolicy(clear_margin=2.0),
)


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path, policy=BRIEF)


@pytest.fixture(params=["object", "text"])
async def chat(request: pytest.FixtureRequest, model_server: str) -> AsyncIterator[OpenAIChat]:
    chat = patient_chat(model_server, request.param)
    yield chat
    await chat.aclose()


@pytest.fixture
async def probed(model_server: str) -> AsyncIterator[OpenAIChat]:
    chat = patient_chat(model_server)
    yield chat
    await chat.aclose()


async def ask(base: SmallBase, chat: OpenAIChat, text: str) -> list[AnswerEvent]:
    guardrail = StreamGuardrail(StopWordScreen(), BRIEF.guardrail, ModelJudge(chat))
    engine = base.engine(chat, router=base.router(chat), rewriter=FollowUps(chat), guardrail=guardrail)
    async with engine.answer(Question(text=text)) as events:
        return [event async for event in events]


def end(events: list[AnswerEvent]) -> Outcome:
    assert isinstance(events[-1], Final | Escalated)
    return events[-1].outcome


async def test_the_probe_finds_what_the_server_can_do(probed: OpenAIChat) -> None:
    abilities = await probed.abilities()
    assert abilities.streams_objects
    assert 0 < abilities.window < 8192


@pytest.mark.parametrize("text", [NAME, "Когда возвращается депозит?", "How is a refund requested?"])
async def test_the_whole_flow_ends_in_an_honest_outcome(base: SmallBase, chat: OpenAIChat, text: str) -> None:
    events = await ask(base, chat, text)
    outcome = end(events)
    assert GRAMMAR.fullmatch(spelled(events))
    assert outcome.kind in ("answered", "missed")
    assert outcome.text
    assert outcome.calls_before_writing <= 2
    assert outcome.usage.model_calls >= 2
    shown = "".join(event.text for event in events if isinstance(event, Delta))
    for said in (shown, outcome.text):
        assert not re.search(r'NO_ANSWER|"answer"|answer_completeness|<think', said)
    if outcome.kind == "answered":
        known = {scored.chunk.document for scored in outcome.chunks}
        assert {citation.document for citation in outcome.citations} <= known


async def test_an_object_streams_in_pieces_and_is_whole(probed: OpenAIChat) -> None:
    writer = ModelGenerator(probed, BRIEF.generation, BRIEF.gate)
    context = evidence(chunk("c1", "A forgotten password is reset on the sign-in page."))
    task = Task(question=Question(text="How do I reset a password?"), language="en", evidence=context)
    async with writer.write(task) as draft:
        pieces = [piece async for piece in draft]
        written = draft.written
    assert written.completeness in ("complete", "partial", "incomplete")
    assert set(written.cited) <= {"c1"}
    assert written.usage.completion_tokens > 0
    assert len(pieces) > 1 or written.completeness == "incomplete"


async def test_a_route_is_one_of_the_list(base: SmallBase, probed: OpenAIChat) -> None:
    found = await base.router(probed).route(Question(text=NAME))
    assert found is not None
    route, usage = found
    assert usage.model_calls <= 2
    assert route.levels[0].chosen in {"housing", "travel", "computers"}


async def test_an_evaluation_counts_what_a_model_wrote_judged_and_cost(base: SmallBase, probed: OpenAIChat) -> None:
    gold = Gold(
        id="name", question=NAME, language="en", facts=("free",), places=(frozenset({"travel/tickets/rules.md"}),)
    )
    tried = Trial(base.engine(probed), base.router(), base.retriever(), verdicts=ModelVerdicts(probed))
    (row,) = [row async for row in tried.rows(CONFIGURATIONS["dcd+up"], [gold])]
    assert row.kind in ("answered", "missed")
    assert row.model_calls >= 1
    assert row.tokens > 0
    assert row.first_text_ms is not None
    if row.kind == "answered":
        assert row.judge_tokens > 0
        assert bool(row.judge_error) == (row.judge_relevance is None)


async def test_a_judge_and_a_rewriting_cost_one_call_each_whatever_they_say(probed: OpenAIChat) -> None:
    context = evidence(chunk("c1", "A forgotten password is reset on the sign-in page."))
    task = Task(question=Question(text="How do I reset a password?"), language="en", evidence=context)
    _, judged = await ModelJudge(probed).judge(task, "It is reset on the sign-in page.")
    history = (Turn(question="How do I reset a password?", answer="On the sign-in page."),)
    question, rewritten = await FollowUps(probed).rewrite(Question(text="and for guests?", history=history))
    assert (judged.model_calls, rewritten.model_calls) == (1, 1)
    assert question.text
    assert judged.cost == Usage().cost
