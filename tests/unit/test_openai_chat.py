"""How a chat model behaves when its endpoint does not: failures, dialects, thoughts, half-kept protocols."""

from __future__ import annotations

import asyncio
import email.utils
import time
import traceback
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel, SecretStr

from engine.errors import ConfigurationError, ProviderError, ProviderRateLimited, ProviderRejected, ProviderTimeout
from engine.ports import Message
from engine.providers.openai_chat import OpenAIChat
from engine.types import Usage
from tests.openai_stub import END, URL, USAGE, OpenAIStub, Prepared, completion, frame, refusal, streamed

ASKED = (Message("system", "Be brief."), Message("user", "How do I cancel?"))
KEY = "sk-secret-0123456789"


class Choice(BaseModel):
    id: str
    confidence: float


def chat_on(*prepared: Prepared, **settings: Any) -> tuple[OpenAIChat, OpenAIStub]:
    stub = OpenAIStub(*prepared)
    defaults: dict[str, Any] = {"base_url": URL, "api_key": SecretStr(KEY), "http_client": stub.client}
    return OpenAIChat("stub", **(defaults | settings)), stub


async def said(chat: OpenAIChat) -> str:
    async with chat.stream(ASKED, max_tokens=50) as stream:
        return "".join([piece async for piece in stream])


# --- streams --------------------------------------------------------------------------------------------------------


async def test_null_deltas_roles_and_usage_frames_are_no_text() -> None:
    frames = [
        frame(role="assistant", content=None),
        frame(""),
        frame("Hel"),
        frame(reasoning_content="hm"),
        frame("lo"),
    ]
    chat, stub = chat_on(streamed(": a comment", *frames, END, USAGE))
    async with chat.stream(ASKED, max_tokens=50) as stream:
        assert [piece async for piece in stream] == ["Hel", "lo"]
        assert stream.usage == Usage(model_calls=1, prompt_tokens=30, completion_tokens=7)
        assert not stream.truncated
    assert stub.requests[0]["stream_options"] == {"include_usage": True}


async def test_cost_is_estimated_when_the_endpoint_does_not_tell_it() -> None:
    chat, _ = chat_on(streamed(frame("Press the red button."), END))
    async with chat.stream(ASKED, max_tokens=50) as stream:
        assert [piece async for piece in stream]
        assert stream.usage.model_calls == 1
        assert 5 < stream.usage.prompt_tokens < 30
        assert 3 < stream.usage.completion_tokens < 10


async def test_the_token_limit_is_noted() -> None:
    chat, _ = chat_on(streamed(frame("Press the"), frame(finish="length")))
    async with chat.stream(ASKED, max_tokens=2) as stream:
        assert [piece async for piece in stream] == ["Press the"]
        assert stream.truncated


@pytest.mark.parametrize(
    ("steps", "failure", "said_of_it"),
    [
        ([frame("Press")], ProviderError, "broke off"),
        ([frame("Press"), httpx2.ReadError("reset by peer")], ProviderError, "cannot be reached"),
        ([frame("Press"), 'data: {"error": {"message": "out of memory"}}'], ProviderError, "out of memory"),
        ([frame("Press"), "data: {not json"], ProviderRejected, "not the agreed JSON"),
        ([frame("Press"), frame(finish="content_filter")], ProviderRejected, "content filter"),
        ([END], ProviderRejected, "no text"),
        (["data: 17", 'data: {"choices": null}', 'data: {"choices": [3]}', END], ProviderRejected, "no text"),
    ],
)
async def test_a_stream_that_goes_wrong_never_looks_like_an_answer(
    steps: list[Any], failure: type[ProviderError], said_of_it: str
) -> None:
    chat, _ = chat_on(streamed(*steps, done=False))
    with pytest.raises(failure, match=said_of_it):
        await said(chat)


async def test_a_web_page_instead_of_a_stream_never_looks_like_an_answer() -> None:
    chat, _ = chat_on(httpx2.Response(200, text="<html>Sign in</html>", headers={"content-type": "text/html"}))
    with pytest.raises(ProviderError):
        await said(chat)


async def test_a_model_that_does_not_begin_is_given_up() -> None:
    chat, _ = chat_on(streamed(frame(content=None), asyncio.Event()), first_token_timeout=0.05)
    with pytest.raises(ProviderTimeout, match="begin"):
        await said(chat)


async def test_a_model_that_only_sends_empty_frames_is_given_up() -> None:
    chat, _ = chat_on(streamed(*[frame(content=None)] * 3, asyncio.Event()), first_token_timeout=0.05)
    with pytest.raises(ProviderTimeout, match="begin"):
        await said(chat)


async def test_a_model_that_stops_in_the_middle_is_given_up() -> None:
    chat, _ = chat_on(streamed(frame("Press"), asyncio.Event()), pause_timeout=0.05)
    with pytest.raises(ProviderTimeout, match="paused"):
        await said(chat)


async def test_a_slow_reader_is_not_a_slow_model() -> None:
    chat, _ = chat_on(streamed(frame("Press "), frame("it"), END), pause_timeout=0.05)
    async with chat.stream(ASKED, max_tokens=50) as stream:
        async for _ in stream:
            await asyncio.sleep(0.1)


async def test_leaving_early_closes_the_response() -> None:
    response = streamed(frame("Press"), asyncio.Event())
    chat, _ = chat_on(response)
    async with chat.stream(ASKED, max_tokens=50) as stream:
        async for _ in stream:
            break
        assert not response.is_closed
    assert response.is_closed


# --- thoughts -------------------------------------------------------------------------------------------------------


async def test_thoughts_are_not_part_of_an_answer() -> None:
    chat, _ = chat_on(
        streamed(frame("<thi"), frame("nk>Hm. 2 < 3</th"), frame("ink>\n\nPress 1 < 2"), frame(" it"), END)
    )
    assert await said(chat) == "Press 1 < 2 it"


async def test_an_unopened_thought_is_rejected_once_and_held_back_from_then_on() -> None:
    def reply() -> httpx2.Response:
        return streamed(frame("The user asks"), frame(" how.</think>"), frame("Press it."), END)

    chat, _ = chat_on(reply(), reply(), streamed(frame("No thought."), END))
    with pytest.raises(ProviderRejected, match="thought"):
        await said(chat)
    assert await said(chat) == "Press it."
    assert await said(chat) == "No thought."


async def test_an_object_after_an_unopened_thought_is_found() -> None:
    chat, _ = chat_on(completion('I choose {"id": "no"}.\n</think>\n{"id": "rent", "confidence": 0.9}'))
    choice, _usage = await chat.structured(ASKED, Choice, max_tokens=50)
    assert choice == Choice(id="rent", confidence=0.9)


# --- objects --------------------------------------------------------------------------------------------------------


async def test_an_object_is_asked_for_with_a_strict_schema() -> None:
    chat, stub = chat_on(completion('{"id": "rent", "confidence": 1}'))
    choice, usage = await chat.structured(ASKED, Choice, max_tokens=50)
    assert choice.id == "rent"
    assert usage == Usage(model_calls=1, prompt_tokens=12, completion_tokens=5)
    asked = stub.requests[0]["response_format"]["json_schema"]
    assert asked["strict"] is True
    assert asked["schema"]["required"] == ["id", "confidence"]
    assert asked["schema"]["additionalProperties"] is False


async def test_an_endpoint_without_schemas_gets_them_in_words_and_is_not_asked_twice() -> None:
    refused = refusal(500, "response_format.type: Input should be 'text' or 'json_object'")
    good = completion('```json\n{"id": "rent", "confidence": 1}\n```')
    chat, stub = chat_on(refused, good)
    for _ in range(2):
        await chat.structured(ASKED, Choice, max_tokens=50)
    formats = [request["response_format"]["type"] for request in stub.requests]
    assert formats == ["json_schema", "json_object", "json_object"]
    assert "confidence" in stub.requests[1]["messages"][-1]["content"]
    assert [message["role"] for message in stub.requests[1]["messages"]] == ["system", "user"]


async def test_an_endpoint_without_any_format_is_asked_in_words() -> None:
    refused = refusal(400, "response_format is not supported")
    chat, stub = chat_on(refused, refused, completion('Sure! {"id": "rent", "confidence": 1} Anything else?'))
    assert (await chat.structured(ASKED, Choice, max_tokens=50))[0].id == "rent"
    assert "response_format" not in stub.requests[2]


async def test_a_refusal_for_another_reason_is_not_taken_for_a_dialect() -> None:
    chat, stub = chat_on(refusal(400, "the prompt is too long"))
    with pytest.raises(ProviderRejected, match="too long"):
        await chat.structured(ASKED, Choice, max_tokens=50)
    asked_before = len(stub.requests)
    with pytest.raises(ProviderRejected):
        await chat.structured(ASKED, Choice, max_tokens=50)
    assert stub.requests[asked_before]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "reply", ["no idea", "", None, '{"id": "rent"}', '{"id": "rent", "confidence": "very"}', "[1]", '{"id": {"id": 1}}']
)
async def test_nonsense_is_sent_back_once(reply: str | None) -> None:
    chat, stub = chat_on(completion(reply), completion('{"id": "rent", "confidence": 1}'))
    choice, usage = await chat.structured(ASKED, Choice, max_tokens=50)
    assert choice.id == "rent"
    assert usage == Usage(model_calls=2, prompt_tokens=24, completion_tokens=10)
    assert [message["role"] for message in stub.requests[1]["messages"]] == ["system", "user", "assistant", "user"]


async def test_nonsense_twice_is_rejected() -> None:
    chat, stub = chat_on(completion("no idea"))
    with pytest.raises(ProviderRejected, match="Choice"):
        await chat.structured(ASKED, Choice, max_tokens=50)
    assert len(stub.requests) == 2


async def test_a_cut_object_is_not_taken_for_one_inside_it() -> None:
    cut = completion('{"best": {"id": "rent", "confidence": 1}, "why": "because', finish="length")
    chat, _ = chat_on(cut, cut)
    with pytest.raises(ProviderRejected, match="cut off"):
        await chat.structured(ASKED, Choice, max_tokens=50)


@pytest.mark.parametrize(
    "response",
    [
        lambda: httpx2.Response(200, text="<html>Sign in</html>", headers={"content-type": "text/html"}),
        lambda: httpx2.Response(200, text="{broken", headers={"content-type": "application/json"}),
        lambda: httpx2.Response(200, json={"choices": []}),
        lambda: httpx2.Response(200, json=[1, 2]),
        lambda: httpx2.Response(200, json={"choices": "none"}),
    ],
)
async def test_what_is_no_completion_is_rejected(response: Callable[[], httpx2.Response]) -> None:
    chat, _ = chat_on(response())
    with pytest.raises(ProviderRejected, match="something that is not"):
        await chat.structured(ASKED, Choice, max_tokens=50)


# --- dialects -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "absent", "present"),
    [
        ("Unknown field: stream_options", "stream_options", "max_tokens"),
        ("Unsupported value: 'temperature' does not support 0 with this model.", "temperature", "stream_options"),
        (
            "Unsupported parameter: 'max_tokens' is not supported here. Use 'max_completion_tokens' instead.",
            "max_tokens",
            "max_completion_tokens",
        ),
    ],
)
async def test_a_parameter_that_is_refused_is_left_out_from_then_on(message: str, absent: str, present: str) -> None:
    chat, stub = chat_on(refusal(400, message), streamed(frame("Yes"), END), streamed(frame("Yes"), END))
    assert await said(chat) == "Yes"
    assert await said(chat) == "Yes"
    assert absent in stub.requests[0]
    for request in stub.requests[1:]:
        assert absent not in request
        assert present in request


async def test_a_budget_that_exceeds_the_context_is_not_a_dialect() -> None:
    chat, stub = chat_on(refusal(400, "'max_tokens' or 'max_completion_tokens' is too large: 900000"))
    with pytest.raises(ProviderRejected, match="too large"):
        await said(chat)
    assert len(stub.requests) == 1


# --- failures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "failure"),
    [
        (refusal(429, "slow down"), ProviderRateLimited),
        (refusal(429, "you have no money left", code="insufficient_quota"), ProviderRejected),
        (refusal(500, "boom"), ProviderError),
        (refusal(503, "overloaded"), ProviderError),
        (refusal(504, "gateway timeout"), ProviderTimeout),
        (refusal(401, "Incorrect API key"), ProviderRejected),
        (refusal(404, "no such model"), ProviderRejected),
        (httpx2.ConnectError("Connection refused"), ProviderError),
        (httpx2.ReadTimeout("slow"), ProviderTimeout),
    ],
)
async def test_each_failure_has_its_place_in_the_tree(response: Prepared, failure: type[ProviderError]) -> None:
    for call in ("stream", "structured"):
        chat, _ = chat_on(response, patience=0)
        with pytest.raises(failure) as caught:
            await (said(chat) if call == "stream" else chat.structured(ASKED, Choice, max_tokens=50))
        assert type(caught.value) is failure


async def test_a_passing_failure_is_tried_again() -> None:
    chat, stub = chat_on(refusal(429, "slow down", {"retry-after": "0.01"}), streamed(frame("Yes"), END))
    assert await said(chat) == "Yes"
    assert len(stub.requests) == 2


async def test_a_long_rate_limit_is_not_slept_through() -> None:
    chat, stub = chat_on(refusal(429, "slow down", {"retry-after": "30"}))
    with pytest.raises(ProviderRateLimited) as caught:
        await said(chat)
    assert caught.value.retry_after == 30
    assert len(stub.requests) == 1


async def test_a_rate_limit_may_name_a_date() -> None:
    headers = {"retry-after": email.utils.formatdate(time.time() + 60, usegmt=True)}
    chat, _ = chat_on(refusal(429, "slow down", headers))
    with pytest.raises(ProviderRateLimited) as caught:
        await said(chat)
    assert caught.value.retry_after == pytest.approx(60, abs=3)


async def test_the_api_key_stands_in_no_error_and_no_traceback() -> None:
    chat, _ = chat_on(refusal(401, f"Incorrect API key provided: {KEY}"))
    with pytest.raises(ProviderRejected) as caught:
        await said(chat)
    assert KEY not in str(caught.value)
    assert KEY not in "".join(traceback.format_exception(caught.value))


async def test_a_refused_connection_is_a_provider_error() -> None:
    chat = OpenAIChat("stub", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ProviderError, match="cannot be reached"):
        await said(chat)
    await chat.aclose()


def test_an_address_without_a_scheme_is_a_mistake_of_the_settings() -> None:
    with pytest.raises(ConfigurationError, match="http"):
        OpenAIChat("stub", base_url="localhost:8080/v1")
