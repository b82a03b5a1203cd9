"""Answers from endpoints that fail in every way there is, over real sockets, through the real client and all stages."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from engine import AnswerEvent, Delta, Final, Outcome, Question, Retract
from engine.errors import ProviderError
from engine.phrases import Phrases
from engine.ports import Message
from engine.providers.openai_chat import OpenAIChat
from engine.providers.prices import Prices
from engine.stages.generation import ModelGenerator
from engine.types import Usage
from tests.openai_stub import END, USAGE, frame
from tests.scripted_server import DROP, Scripted, ScriptedServer, answering, failing, saying
from tests.small_base import SmallBase, small_base

NAME = "Can the name on a ticket be corrected?"
TRUE = "The name on a ticket can be corrected at the counter when no more than three letters differ."
LONG = [f"{word} " for word in (TRUE + " ").split(" ") * 12]
OTHER = "It can be corrected at the counter when three letters differ."
REMARKS = answering('{"answer_completeness": "complete", "pending_references": [], "citations": [1]}')
ENOUGH = ("data: [DONE]",)
FOR_EVER = 3600.0
HASTY: dict[str, Any] = {"first_token_timeout": 1.0, "pause_timeout": 0.5}
"""Of an endpoint that is to fail, in whichever way."""


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path)


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as entered:
        yield entered


async def chat_on(
    stack: AsyncExitStack, *replies: Scripted, told: int | None = None, **settings: Any
) -> tuple[OpenAIChat, ScriptedServer]:
    server = await stack.enter_async_context(ScriptedServer(*replies, window=told).serving())
    defaults: dict[str, Any] = {"contract": "text", "first_token_timeout": 60.0, "pause_timeout": 60.0, "patience": 0.5}
    chat = OpenAIChat("scripted", base_url=server.url, **(defaults | settings))
    stack.push_async_callback(chat.aclose)
    return chat, server


async def ask(base: SmallBase, chats: Sequence[OpenAIChat], text: str = NAME) -> list[AnswerEvent]:
    writers = [ModelGenerator(chat, base.policy.generation, base.policy.gate) for chat in chats]
    engine = base.engine(generator=writers[0], next_generators=tuple(writers[1:]))
    async with engine.answer(Question(text=text)) as events:
        return [event async for event in events]


def end(events: list[AnswerEvent]) -> Outcome:
    assert isinstance(events[-1], Final)
    return events[-1].outcome


def streamed(events: list[AnswerEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, Delta))


async def test_an_answer_over_the_wire_streams_and_is_paid_for(base: SmallBase, stack: AsyncExitStack) -> None:
    chat, _ = await chat_on(stack, saying(*LONG), REMARKS, prices=Prices(prompt=10.0, completion=100.0))
    events = await ask(base, [chat])
    assert streamed(events).strip() == end(events).text == "".join(LONG).strip()
    usage = end(events).usage
    assert (usage.model_calls, usage.prompt_tokens, usage.completion_tokens) == (2, 60, 14)
    assert usage.cost == pytest.approx((60 * 10 + 14 * 100) / 1_000_000)


@pytest.mark.parametrize(
    "failure",
    [
        failing(429, "slow down", {"retry-after": "0.05"}),
        failing(429, "slow down"),
        failing(500),
        failing(503),
        Scripted([DROP]),
        Scripted([0.05, DROP]),
    ],
    ids=["429-after", "429", "500", "503", "dropped", "dropped-later"],
)
async def test_a_passing_failure_before_any_text_is_tried_again(
    base: SmallBase, stack: AsyncExitStack, failure: Scripted
) -> None:
    chat, server = await chat_on(stack, failure, saying(OTHER), REMARKS)
    assert end(await ask(base, [chat])).text == OTHER
    assert len(server.requests) == 3


BROKEN = {
    "rate-limit": failing(429, "slow down", {"retry-after": "60"}),
    "refused-key": failing(401, "Incorrect API key"),
    "500": failing(500),
    "silent": Scripted([FOR_EVER]),
    "no-first-token": Scripted([frame(role="assistant", content=None), FOR_EVER]),
    "empty": Scripted([END, *ENOUGH]),
    "malformed": Scripted([frame("The name "), "data: {not json", END]),
    "html": Scripted(["<html>Sign in</html>"]),
    "broke-off": Scripted([frame("The name ")]),
    "dropped": Scripted([frame("The name "), DROP]),
    "drip": Scripted([frame("The name "), FOR_EVER]),
    "error-frame": Scripted([frame("The name "), 'data: {"error": {"message": "out of memory"}}']),
    "filtered": Scripted([frame("The name "), frame(finish="content_filter"), *ENOUGH]),
    "thought": Scripted([frame("I think that"), frame("</think>"), frame(OTHER), END, *ENOUGH]),
}


@pytest.mark.parametrize("failure", BROKEN.values(), ids=BROKEN.keys())
async def test_what_fails_before_anything_was_shown_goes_to_the_next_endpoint_unseen(
    base: SmallBase, stack: AsyncExitStack, failure: Scripted
) -> None:
    first, _ = await chat_on(stack, failure, **HASTY)
    second, _ = await chat_on(stack, saying(OTHER), REMARKS)
    events = await ask(base, [first, second])
    assert end(events).text == streamed(events) == OTHER
    assert not any(isinstance(event, Retract) for event in events)


@pytest.mark.parametrize(
    "ending",
    [(DROP,), ("data: {not json",), (FOR_EVER,), ()],
    ids=["dropped", "malformed", "drip", "broke-off"],
)
@pytest.mark.parametrize("spare", [True, False], ids=["next-endpoint", "quotes"])
async def test_a_stream_that_breaks_before_the_eyes_ends_in_a_whole_answer(
    base: SmallBase, stack: AsyncExitStack, ending: tuple[Any, ...], spare: bool
) -> None:
    first, _ = await chat_on(stack, saying(*LONG, end=ending), pause_timeout=3.0)
    second, _ = await chat_on(stack, saying(OTHER), REMARKS)
    events = await ask(base, [first, second] if spare else [first])
    assert streamed(events)
    assert [event.reason for event in events if isinstance(event, Retract)] == ["provider"]
    text = end(events).text
    assert text == OTHER if spare else text.endswith(Phrases()("only_quoted", "en"))


async def test_an_answer_cut_by_the_token_limit_ends_at_a_sentence(base: SmallBase, stack: AsyncExitStack) -> None:
    chat, _ = await chat_on(stack, saying(f"{TRUE} A ticket cannot be gi", end=(frame(finish="length"), *ENOUGH)))
    outcome = end(await ask(base, [chat]))
    assert outcome.text == f"{TRUE}\n\n{Phrases()('cut_off', 'en')}"
    assert outcome.completeness == "partial"


async def test_an_endpoint_that_keeps_failing_is_left_alone(base: SmallBase, stack: AsyncExitStack) -> None:
    first, server = await chat_on(stack, failing(500), attempts=1)
    second, _ = await chat_on(stack, saying(OTHER), REMARKS, saying(OTHER))
    for _ in range(6):
        assert end(await ask(base, [first, second])).kind == "answered"
    assert len(server.requests) == 3


async def test_nobody_listens_at_all(base: SmallBase) -> None:
    chat = OpenAIChat("scripted", base_url="http://127.0.0.1:9/v1", contract="auto", patience=0.0)
    outcome = end(await ask(base, [chat]))
    assert outcome.text.endswith(Phrases()("only_quoted", "en"))
    await chat.aclose()


# --- objects over the wire, and the probe ---------------------------------------------------------------------------

OBJECT = json.dumps({"answer": OTHER, "answer_completeness": "complete", "pending_references": [], "citations": [1]})
READY = saying('{"answer": "ready", ', '"complete": true}')


@pytest.mark.parametrize(
    "reply",
    [
        saying(*OBJECT),
        saying("```json\n", *OBJECT, "\n```"),
        saying("<think>Let me ", 'see {"answer": "x"}', "</think>", OBJECT),
        Scripted([frame(reasoning_content=OBJECT[:30]), frame(reasoning_content=OBJECT[30:]), END, USAGE, *ENOUGH]),
        saying(json.dumps({"type": "object", "properties": {"answer": {"type": "string"}}}), OBJECT),
    ],
    ids=["plain", "fenced", "thought", "in-the-reasoning-field", "after-the-schema"],
)
async def test_an_endpoint_found_to_keep_to_schemas_streams_objects(
    base: SmallBase, stack: AsyncExitStack, reply: Scripted
) -> None:
    chat, server = await chat_on(stack, READY, reply, contract="auto")
    events = await ask(base, [chat])
    assert end(events).text == OTHER
    assert [one.section for one in end(events).citations] == ["3.2"]
    assert server.requests[1]["response_format"]["json_schema"]["name"] == "AnswerObject"
    assert end(events).usage.model_calls == 1


@pytest.mark.parametrize(
    "probed",
    [[failing(400, "response_format is not supported")] * 2 + [saying("ready")], [saying("I am ready.")]],
    ids=["refused", "ignored"],
)
async def test_an_endpoint_that_does_not_is_asked_for_text(
    base: SmallBase, stack: AsyncExitStack, probed: list[Scripted]
) -> None:
    chat, server = await chat_on(stack, *probed, saying(OTHER), REMARKS, contract="auto")
    assert end(await ask(base, [chat])).text == OTHER
    assert "response_format" not in server.requests[-2]
    assert not (await chat.abilities()).streams_objects


async def test_the_probe_is_made_once_and_can_be_overridden(stack: AsyncExitStack) -> None:
    chat, server = await chat_on(stack, READY, contract="auto")
    assert (await chat.abilities()).streams_objects
    assert (await chat.abilities()).streams_objects
    assert len(server.requests) == 1
    told, silent = await chat_on(stack, failing(500), contract="object")
    assert (await told.abilities()).streams_objects
    assert silent.requests == []


@pytest.mark.parametrize(("told", "counts"), [(2048, 2048), (32768, 4096), (None, 4096)])
async def test_a_smaller_window_of_the_server_counts_and_is_warned_of(
    stack: AsyncExitStack, capsys: pytest.CaptureFixture[str], told: int | None, counts: int
) -> None:
    chat, _ = await chat_on(stack, READY, told=told, contract="text", window=4096)
    assert (await chat.abilities()).window == counts
    assert ("window_smaller" in capsys.readouterr().out) is (told == 2048)


async def test_an_endpoint_that_could_not_be_probed_is_probed_again(stack: AsyncExitStack) -> None:
    chat, _ = await chat_on(stack, failing(503), READY, contract="auto", attempts=1)
    with pytest.raises(ProviderError):
        await chat.abilities()
    assert (await chat.abilities()).streams_objects


async def test_what_two_bad_replies_cost_is_told_with_the_failure(stack: AsyncExitStack) -> None:
    from tests.contracts.test_chat_contract import Verdict

    chat, _ = await chat_on(stack, answering("no idea"))
    with pytest.raises(ProviderError) as caught:
        await chat.structured([Message("user", "?")], Verdict, max_tokens=10)
    assert caught.value.usage == Usage(model_calls=2, prompt_tokens=60, completion_tokens=14)
