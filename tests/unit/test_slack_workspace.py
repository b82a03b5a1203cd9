"""Many askers in one Slack workspace at once: each method keeps to its tier, and every last word gets out.

The kind of failure that people report: the edits of all conversations spend one budget, and answers stop in the middle.
In virtual time, over the product's own replies and calls.
"""

from __future__ import annotations

import asyncio
import itertools
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.budgets import MINUTE
from adapters.chat_reply import ChatReply
from adapters.delivery import Limits, respond
from adapters.ledger import Ledger
from adapters.slack.budgets import Budgets
from adapters.slack.calls import Calls
from adapters.slack.hints import Hints
from adapters.slack.place import Place
from adapters.slack.reply import APPEND_SECONDS, UPDATE_SECONDS, SlackScreen
from adapters.texts import Texts
from engine import Delta, Inbound, Question, Typing
from tests.delivery_fakes import Script, ScriptedEngine, answered, run
from tests.fake_inbox import FakeInbox

ASKERS = 20
PUBLISHED = {
    "chat.update": 50,
    "chat.delete": 50,
    "chat.startStream": 20,
    "chat.appendStream": 100,
    "chat.stopStream": 20,
    "assistant.threads.setStatus": 50,
}
"""Calls a minute; messages are counted by channel."""
WORDS = [f"word{number} " for number in range(240)]
TEXT = "".join(WORDS)
SCRIPT: Script = [Typing(), 0.5, *(piece for word in WORDS for piece in (Delta(word), 0.25)), *answered(TEXT)]


@dataclass
class Response:
    data: dict[str, Any]


@dataclass
class CountingClient:
    """Takes every call at once, and remembers when it came and what each message shows."""

    calls: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    shown: dict[str, str] = field(default_factory=dict[str, str])
    threads: dict[str, str] = field(default_factory=dict[str, str])
    ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    async def api_call(self, method: str, json: dict[str, Any]) -> Response:
        self.calls[method].append(asyncio.get_running_loop().time())
        id = str(json.get("ts") or f"{next(self.ids)}.0")
        if method in ("chat.postMessage", "chat.startStream"):
            self.calls[f"posts in {json['channel']}"].append(asyncio.get_running_loop().time())
            self.threads[id] = json["thread_ts"]
        if method in ("chat.postMessage", "chat.update"):
            self.shown[id] = json["blocks"][0]["text"]
        elif method == "chat.appendStream":
            self.shown[id] += json["markdown_text"]
        elif method == "chat.startStream":
            self.shown[id] = json["markdown_text"]
        elif method == "chat.delete":
            del self.shown[id]
        return Response({"ts": id, "messages": []})


def busiest_minute(calls: list[float]) -> int:
    return max(bisect_right(calls, start + MINUTE - 1e-6) - index for index, start in enumerate(calls))


async def ask_all(client: CountingClient, channels: int, *, streams: bool) -> None:
    inbox, engine = FakeInbox(), ScriptedEngine(SCRIPT)
    budgets = Budgets()
    calls = Calls(cast("AsyncWebClient", client), budgets, "U0BOT")
    hints = Hints(cast("AsyncWebClient", client), budgets)

    async def answer(number: int) -> None:
        place = Place(
            channel=f"C{number % channels}", thread=f"{number}.5", message=f"{number}.5", asker="U1", team="T1"
        )
        message = Inbound(key=place.thread, conversation=place.thread, asker="U1", text="How?", place=place.stored())
        kept = await inbox.accept(message)
        assert kept is not None
        exchange = await inbox.open([kept])
        ledger = Ledger(inbox, exchange)
        screen = SlackScreen(place, ledger, calls, hints, streams=streams)
        reply = ChatReply(screen, exchange, ledger, "en", texts=Texts(), human=True)
        pace = APPEND_SECONDS if streams else UPDATE_SECONDS
        limits = Limits(last_word=900.0)
        assert await respond(engine, Question(text="How?"), reply, pace=pace, limits=limits) is not None

    await asyncio.gather(*(answer(number) for number in range(ASKERS)))


@pytest.mark.parametrize("streams", [False, True], ids=["by updates", "streamed"])
@pytest.mark.parametrize("channels", [1, 20])
def test_twenty_askers_share_the_budgets_of_a_workspace(channels: int, streams: bool) -> None:
    client = CountingClient()
    run(ask_all(client, channels, streams=streams))
    final = {thread: client.shown[id].split() for id, thread in client.threads.items() if id in client.shown}
    assert final == {f"{number}.5": TEXT.split() for number in range(ASKERS)}
    busiest = {method: busiest_minute(times) for method, times in client.calls.items()}
    assert {method: most for method, most in busiest.items() if most > PUBLISHED.get(method, 60)} == {}
    assert client.calls["chat.appendStream" if streams else "chat.update"], "it is a stream still"
    assert max(max(times) for times in client.calls.values()) < 240, "the last word waits for minutes, not for ever"
