"""What every chat model keeps: the scripted one, and a real one behind a real HTTP server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, StringConstraints

from engine.errors import ProviderError
from engine.ports import ChatModel, Message
from engine.providers.openai_chat import OpenAIChat
from tests.fake_models import Line, ScriptedChat
from tests.model_server import patient_chat

ASKED = (
    Message("system", "You are a support assistant. Answer from the context in one short sentence."),
    Message("user", "Context: a subscription is cancelled in Settings > Billing.\n\nHow do I cancel my subscription?"),
)


class Verdict(BaseModel):
    """Bounded, because small models ramble inside an open string."""

    supported: bool
    language: Literal["ru", "en"]
    reason: Annotated[str, StringConstraints(max_length=60)]


class Nested(BaseModel):
    """What strict schemas make hard: an inner object, a list, a field with a default, an optional one."""

    verdict: Verdict
    sections: list[Literal["7.1", "7.2"]] = []
    page: int | None = None


SAID = ["Open Settings", " > Billing", " and press Cancel."]
VERDICT = Verdict(supported=True, language="en", reason="It stands there.")


@pytest.fixture(params=["scripted", "openai"])
async def chat(request: pytest.FixtureRequest) -> AsyncIterator[ChatModel]:
    if request.param == "scripted":
        lines: dict[type[BaseModel], Sequence[Line]] = {
            Verdict: [VERDICT],
            Nested: [Nested(verdict=VERDICT, sections=["7.2"])],
        }
        yield ScriptedChat(*[SAID] * 8, objects=lines)
        return
    real = patient_chat(request.getfixturevalue("model_server"))
    yield real
    await real.aclose()


async def said(chat: ChatModel, max_tokens: int = 40) -> str:
    async with chat.stream(ASKED, max_tokens=max_tokens) as stream:
        return "".join([piece async for piece in stream])


def test_a_model_has_a_name(chat: ChatModel) -> None:
    assert chat.name


async def test_a_stream_gives_text_in_pieces_and_then_its_cost(chat: ChatModel) -> None:
    async with chat.stream(ASKED, max_tokens=40) as stream:
        pieces = [piece async for piece in stream]
        usage = stream.usage
    assert len(pieces) > 1
    assert all(pieces)
    assert "".join(pieces).strip()
    assert usage.model_calls == 1
    assert usage.prompt_tokens > 20
    assert 0 < usage.completion_tokens <= 40


async def test_a_stream_that_is_left_early_has_a_cost_and_does_not_harm_the_next(chat: ChatModel) -> None:
    async with chat.stream(ASKED, max_tokens=200) as stream:
        async for _ in stream:
            break
        usage = stream.usage
    assert usage.model_calls == 1
    assert usage.prompt_tokens > 0
    assert await said(chat)


async def test_a_stream_may_be_left_before_it_began(chat: ChatModel) -> None:
    async with chat.stream(ASKED, max_tokens=200):
        pass
    assert await said(chat)


async def test_an_object_has_the_schema_and_a_cost(chat: ChatModel) -> None:
    verdict, usage = await chat.structured(ASKED, Verdict, max_tokens=120)
    assert isinstance(verdict, Verdict)
    assert verdict.language in {"ru", "en"}
    assert usage.model_calls >= 1
    assert usage.prompt_tokens > 0
    assert usage.completion_tokens > 0


async def test_an_object_may_hold_objects_lists_and_nothing(chat: ChatModel) -> None:
    nested, _ = await chat.structured(ASKED, Nested, max_tokens=250)
    assert isinstance(nested.verdict, Verdict)
    assert set(nested.sections) <= {"7.1", "7.2"}


async def test_calls_may_run_beside_each_other(chat: ChatModel) -> None:
    texts = await asyncio.gather(*(said(chat, 12) for _ in range(4)))
    verdict, _ = await chat.structured(ASKED, Verdict, max_tokens=120)
    assert all(text.strip() for text in texts)
    assert isinstance(verdict, Verdict)


async def test_a_cancelled_reader_is_cancelled(chat: ChatModel) -> None:
    begun = asyncio.Event()

    async def read_on() -> None:
        async with chat.stream(ASKED, max_tokens=200) as stream:
            async for _ in stream:
                begun.set()
                await asyncio.sleep(60)

    reader = asyncio.create_task(read_on())
    async with asyncio.timeout(240):
        await begun.wait()
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    assert await said(chat)


# --- what only a real server shows --------------------------------------------------------------------------------


@pytest.fixture
async def real_chat(model_server: str) -> AsyncIterator[OpenAIChat]:
    chat = patient_chat(model_server)
    yield chat
    await chat.aclose()


async def test_an_answer_cut_by_the_token_limit_says_so(real_chat: OpenAIChat) -> None:
    async with real_chat.stream(ASKED, max_tokens=3) as stream:
        assert [piece async for piece in stream]
        assert stream.truncated
        assert stream.usage.completion_tokens == 3


async def test_the_same_request_gets_the_same_answer(real_chat: OpenAIChat) -> None:
    assert await said(real_chat) == await said(real_chat)


async def test_a_prompt_that_exceeds_the_context_is_a_provider_error(real_chat: OpenAIChat) -> None:
    with pytest.raises(ProviderError, match="smollm2"):
        async with real_chat.stream([Message("user", "word " * 6000)], max_tokens=10) as stream:
            assert [piece async for piece in stream]
