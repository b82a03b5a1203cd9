"""When an endpoint is left alone, and what asks the next one."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

from engine.errors import ProviderError, ProviderRateLimited, ProviderRejected, ProviderTimeout
from engine.ports import Message
from engine.providers.breaker import CircuitBreaker, ProviderResting
from engine.providers.chat_chain import ChatChain
from engine.types import Usage
from tests.fake_models import ScriptedChat

DOWN = ProviderTimeout("scripted", "down")
ASKED = (Message("user", "How?"),)


class Choice(BaseModel):
    id: str


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def breaker() -> tuple[CircuitBreaker, Clock]:
    clock = Clock()
    return CircuitBreaker("scripted", failures=3, rest=20.0, clock=clock), clock


def test_after_three_failures_in_a_row_an_endpoint_rests() -> None:
    circuit, clock = breaker()
    for _ in range(3):
        circuit.check()
        circuit.failed(DOWN)
    with pytest.raises(ProviderResting):
        circuit.check()
    clock.now = 20.0
    circuit.check()


def test_when_the_rest_is_over_one_call_tries_and_the_others_wait_for_it() -> None:
    circuit, clock = breaker()
    for _ in range(3):
        circuit.failed(DOWN)
    clock.now = 21.0
    circuit.check()
    with pytest.raises(ProviderResting):
        circuit.check()
    circuit.succeeded()
    circuit.check()
    circuit.check()


def test_a_try_that_fails_begins_another_rest() -> None:
    circuit, clock = breaker()
    for _ in range(3):
        circuit.failed(DOWN)
    clock.now = 21.0
    circuit.check()
    circuit.failed(DOWN)
    clock.now = 40.0
    with pytest.raises(ProviderResting):
        circuit.check()


def test_a_success_between_failures_begins_the_count_anew() -> None:
    circuit, _ = breaker()
    for _ in range(5):
        circuit.failed(DOWN)
        circuit.succeeded()
    circuit.check()


def test_a_refused_request_says_nothing_of_the_endpoint() -> None:
    circuit, _ = breaker()
    for _ in range(5):
        circuit.failed(ProviderRejected("scripted", "the prompt is nonsense"))
    circuit.check()


def test_a_rate_limit_that_names_a_long_time_is_kept_at_once_but_not_for_ever() -> None:
    circuit, clock = breaker()
    circuit.failed(ProviderRateLimited("scripted", "slow down", retry_after=3600))
    with pytest.raises(ProviderResting):
        circuit.check()
    clock.now = 60.0
    circuit.check()


async def test_a_chain_asks_the_next_model_and_counts_what_the_failure_cost() -> None:
    first = ScriptedChat(ProviderError("first", "broke", usage=Usage(model_calls=1)), name="first")
    chain = ChatChain([first, ScriptedChat('{"id": "rent"}')])
    choice, usage = await chain.structured(ASKED, Choice, max_tokens=10)
    assert (choice.id, usage.model_calls, chain.name) == ("rent", 2, "first")


async def test_a_chain_streams_from_the_next_model_when_one_cannot_begin() -> None:
    chain = ChatChain([ScriptedChat(DOWN), ScriptedChat(["Yes", "."])])
    async with chain.stream(ASKED, max_tokens=10) as stream:
        assert [piece async for piece in stream] == ["Yes", "."]


async def test_a_stream_that_broke_after_its_first_text_is_not_begun_again() -> None:
    second = ScriptedChat("No.")
    async with ChatChain([ScriptedChat(["Yes", DOWN]), second]).stream(ASKED, max_tokens=10) as stream:
        with pytest.raises(ProviderTimeout):
            assert [piece async for piece in stream]
    assert second.asked == []


async def test_a_chain_that_fails_to_its_end_fails_as_its_last_model_and_tells_all_costs() -> None:
    broken = ProviderError("one", "broke", usage=Usage(model_calls=1))
    last = ProviderRejected("last", "nonsense", usage=Usage(model_calls=2))
    with pytest.raises(ProviderRejected, match="nonsense") as caught:
        await ChatChain([ScriptedChat(broken), ScriptedChat(last)]).structured(ASKED, Choice, max_tokens=10)
    assert caught.value.usage.model_calls == 3
