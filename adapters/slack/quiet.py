"""Answers in busy channels: first to the asker alone, then, if the asker likes, to everyone.

What only one person sees is kept nowhere in Slack: it cannot be looked for, and changes only through the `response_url`
of a tap on it (for half an hour, five times). So nothing is shown before the final text, and one whose response was
lost is sent again. The buttons need nothing but what we keep, so they outlive a restart.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters import buttons
from adapters.answering import Desk
from adapters.buttons import Keyboard
from adapters.chat_reply import final_text
from adapters.claims import Claims
from adapters.ledger import Ledger, PlatformReply, Unreachable
from adapters.pacing import insist
from adapters.slack.calls import FAILURES, Calls, error_of
from adapters.slack.formatting import Part, blocks, pages
from adapters.slack.place import Place
from adapters.slack.taps import SlackTapped
from adapters.taps import Act
from adapters.texts import Texts
from engine import Answer, Exchange, Language, Outcome

log = structlog.get_logger()

EVERYONE = "all"
_NOT_THERE = frozenset({"user_not_in_channel", "no_permission"})


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietReply:
    """A `PlatformReply` to one person."""

    exchange: Exchange
    language: Language
    calls: Calls
    texts: Texts
    human: bool

    @property
    def shown(self) -> str:
        return ""

    async def typing(self) -> None: ...

    async def show(self, text: str) -> None: ...

    async def withdraw(self) -> None: ...

    async def interim(self, text: str, *, keep: bool) -> None: ...

    async def abandon(self) -> None: ...

    async def finish(self, outcome: Outcome) -> None:
        exchange = replace(self.exchange, answer=Answer.of(outcome))
        assert exchange.answer is not None
        under = buttons.keyboard(exchange, self.texts, outcome.language, human=self.human)
        text = final_text(exchange, exchange.answer, self.texts)
        await self._say(text, with_everyone(exchange, under, self.texts))

    async def apologise(self, text: str) -> None:
        await self._say(text, buttons.again(self.exchange, self.texts, self.language))

    async def pause(self, text: str) -> None:
        await self._say(text, ())

    async def _say(self, text: str, under: Keyboard) -> None:
        place, parts = Place.of(self.exchange.place), pages(text)
        # In a thread that has only begun, Slack shows such a message to nobody.
        thread = {"thread_ts": place.thread} if place.thread != place.message else {}
        for index, part in enumerate(parts):
            shown = blocks(part, under if index == len(parts) - 1 else ())
            try:
                await self.calls.call(
                    "chat.postEphemeral",
                    place.channel,
                    user=place.asker,
                    text=part.text,
                    blocks=shown,
                    parse="none",
                    **thread,
                )
            except SlackApiError as error:
                if error_of(error) in _NOT_THERE:
                    raise Unreachable("write") from error
                raise


def with_everyone(exchange: Exchange, under: Keyboard, texts: Texts) -> Keyboard:
    """The button is for answers; what we say to commands, and apologies, are nobody else's business."""
    answer = exchange.answer
    if answer is None or answer.kind in ("failed", "blocked") or exchange.command not in ("", "ask"):
        return under
    return (*under, ((texts("show_everyone", answer.language), f"{EVERYONE}:{exchange.id}"),))


def read_everyone(data: str) -> int | None:
    """The exchange to be shown to everyone; None when a button says something else."""
    verb, _, id = data.partition(":")
    return int(id) if verb == EVERYONE and id.isascii() and id.isdigit() and len(id) < 19 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietTapped(SlackTapped):
    """A tap on a message that only one person sees."""

    response_url: str

    @classmethod
    def is_one(cls, body: Mapping[str, Any]) -> bool:
        container, message = body.get("container") or {}, body.get("message") or {}
        alone = container.get("is_ephemeral") or message.get("subtype") == "ephemeral"
        return bool(alone and body.get("response_url"))

    @classmethod
    def at(cls, body: Mapping[str, Any], tapped: SlackTapped) -> QuietTapped:
        return cls(
            user=tapped.user,
            place=tapped.place,
            calls=tapped.calls,
            texts=tapped.texts,
            language=tapped.language,
            response_url=str(body["response_url"]),
        )

    async def change(self, exchange: Exchange, said: str, under: Keyboard) -> None:
        if exchange.answer is not None:
            last = pages(final_text(exchange, exchange.answer, self.texts))[-1]
            await self.put(last, self._keyboard(exchange, under))
        await self.say(said)

    async def extend(self, exchange: Exchange, answer: Answer, under: Keyboard) -> bool:
        assert exchange.answer is not None
        shown, parts = (pages(final_text(exchange, one, self.texts)) for one in (exchange.answer, answer))
        return len(parts) <= len(shown) and await self.put(parts[-1], self._keyboard(exchange, under))

    async def close(self, exchange: Exchange, said: str) -> None:
        await self.put(pages(said)[0], ())

    async def put(self, part: Part, under: Keyboard) -> bool:
        """In the place of the message. False when Slack does not take it any more."""
        return await self._respond({"replace_original": True, "text": part.text, "blocks": blocks(part, under)})

    async def remove(self) -> bool:
        return await self._respond({"delete_original": True})

    def _keyboard(self, exchange: Exchange, under: Keyboard) -> Keyboard:
        """Nothing is left to be shown to everyone when it was."""
        return under if exchange.posted else with_everyone(exchange, under, self.texts)

    async def _respond(self, body: dict[str, Any]) -> bool:
        client = AsyncWebhookClient(self.response_url, timeout=10, retry_handlers=[])
        with suppress(*FAILURES):
            if (await client.send_dict(body)).status_code == 200:
                return True
        log.info("slack.response_refused")
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Everyone:
    """Shows to everyone what was shown to the asker, in the thread of the question."""

    desk: Desk
    loud: Callable[[Exchange, Ledger, Language], PlatformReply]
    claims: Claims
    under_way: dict[int, asyncio.Lock] = field(default_factory=dict[int, asyncio.Lock])

    async def take(self, id: int, tapped: SlackTapped) -> Act:
        exchange = await self.desk.store.exchange(id)
        texts = self.desk.texts
        if exchange is None or exchange.answer is None:
            return partial(tapped.say, texts("gone", tapped.language))
        if not tapped.is_at(exchange) or not tapped.is_asker(exchange):
            return partial(tapped.say, texts("not_yours", exchange.answer.language))
        return partial(self._show, id, tapped)

    async def _show(self, id: int, tapped: SlackTapped) -> None:
        """A second tap waits for the first, and finds that it is done; after a kill, it finds what was posted."""
        async with self.under_way.setdefault(id, asyncio.Lock()), self.claims.on(f"{EVERYONE}:{id}") as alone:
            exchange = await self.desk.store.exchange(id)
            assert exchange is not None
            assert exchange.answer is not None
            if not alone or (exchange.posted and exchange.sending is None):
                await tapped.say(self.desk.texts("shown_everyone", exchange.answer.language))
            else:
                fresh = replace(exchange, attempts=0)  # there is no session to be ended
                reply = self.loud(fresh, self.desk.ledgers.of(exchange), exchange.answer.language)
                finish = partial(reply.finish, exchange.answer.outcome(str(exchange.id)))
                await insist("show everyone", finish, self.desk.platform.lane(exchange), self.desk.limits)
        self.under_way.pop(id, None)
        if isinstance(tapped, QuietTapped):
            await tapped.remove()
