"""Endpoints put what they refuse in forms of their own: `{"error": "..."}`, `{"detail": ...}`, `{"message": "..."}`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel, SecretStr

from engine.errors import PromptTooLong, ProviderRejected
from engine.ports import Message
from engine.providers.openai_chat import OpenAIChat
from tests.openai_stub import END, URL, OpenAIStub, completion, frame, streamed

ASKED = (Message("user", "?"),)
FORMS: dict[str, Callable[[str], dict[str, Any]]] = {
    "OpenAI": lambda words: {"error": {"message": words, "type": "invalid_request_error"}},
    "error as text": lambda words: {"error": words},
    "FastAPI": lambda words: {"detail": words},
    "FastAPI, a list": lambda words: {"detail": [{"loc": ["body", "messages"], "msg": words, "type": "value_error"}]},
    "bare": lambda words: {"object": "error", "message": words, "code": 400},
}


class Choice(BaseModel):
    id: str


@pytest.fixture(params=list(FORMS))
def form(request: pytest.FixtureRequest) -> Callable[[str], dict[str, Any]]:
    return FORMS[request.param]


def chat_on(*prepared: httpx2.Response) -> tuple[OpenAIChat, OpenAIStub]:
    stub = OpenAIStub(*prepared)
    key = SecretStr("sk-secret")
    return OpenAIChat("m", base_url=URL, api_key=key, http_client=stub.client, attempts=1, contract="text"), stub


async def said(chat: OpenAIChat) -> str:
    async with chat.stream(ASKED, max_tokens=10) as stream:
        return "".join([piece async for piece in stream])


async def test_the_reason_is_told_without_the_key(form: Callable[[str], dict[str, Any]]) -> None:
    chat, _ = chat_on(httpx2.Response(404, json=form("model 'm' not found for sk-secret, pull it first")))
    with pytest.raises(ProviderRejected, match=r"HTTP 404: model 'm' not found for \*\*\*, pull it first") as caught:
        await said(chat)
    assert "sk-secret" not in str(caught.value)


async def test_a_prompt_too_long_is_known_as_one(form: Callable[[str], dict[str, Any]]) -> None:
    words = "This model's maximum context length is 2048 tokens"
    chat, _ = chat_on(httpx2.Response(400, json=form(words)))
    with pytest.raises(PromptTooLong):
        await said(chat)


async def test_an_unknown_parameter_is_left_out(form: Callable[[str], dict[str, Any]]) -> None:
    refused = httpx2.Response(422, json=form("extra field not permitted: stream_options"))
    chat, stub = chat_on(refused, streamed(frame("Yes"), END))
    assert await said(chat) == "Yes"
    assert "stream_options" not in stub.requests[1]


async def test_a_refused_format_is_asked_for_in_other_words(form: Callable[[str], dict[str, Any]]) -> None:
    refused = httpx2.Response(500, json=form("json_schema is not implemented"))
    chat, stub = chat_on(refused, completion('{"id": "rent"}'))
    assert (await chat.structured(ASKED, Choice, max_tokens=10))[0].id == "rent"
    assert len(stub.requests) == 2


@pytest.mark.parametrize("page", ["<html><title>Bad gateway</title></html>", "", "[]"])
async def test_a_page_in_place_of_a_reason_is_not_quoted(page: str) -> None:
    chat, _ = chat_on(httpx2.Response(404, text=page))
    with pytest.raises(ProviderRejected, match="HTTP 404: Error code: 404$"):
        await said(chat)
