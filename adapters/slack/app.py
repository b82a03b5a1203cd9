"""The bot in Slack, from start to stop."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

import structlog
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.answering import PUBLIC, Desk, ExchangeAnswer
from adapters.delivery import Answers, DeliveryFailed, Lane, Limits, RateLimited
from adapters.inbox import InboxStore
from adapters.ledger import Ledger, Ledgers
from adapters.reception import Habits, Reception
from adapters.relays import carried_out
from adapters.slack.budgets import Budgets
from adapters.slack.calls import FAILURES, Calls, Missing, error_of
from adapters.slack.commands import Commands, Slash
from adapters.slack.config import Me, SlackConfig
from adapters.slack.desk import SupportSide
from adapters.slack.events import Manners
from adapters.slack.home import CHOOSE, Home, Topics, no_topics
from adapters.slack.people import People
from adapters.slack.place import Place
from adapters.slack.relayed import edited_message, said_of
from adapters.slack.reply import APPEND_SECONDS, UPDATE_SECONDS, SlackReply
from adapters.slack.serving import serving
from adapters.slack.taps import SlackTapped, data_of
from adapters.support import Support
from adapters.taps import Act, Taps, carry_out
from adapters.texts import Texts
from adapters.ticket_buttons import read_ticket_tap
from engine import ConfigurationError, Exchange, Language, Standing

log = structlog.get_logger()

KEPT_CONVERSATIONS = 5000
NO_TOKEN = frozenset(
    {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "not_allowed_token_type"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackPlatform:
    """How the shared part of delivery answers in Slack."""

    config: SlackConfig
    calls: Calls
    commands: Commands
    texts: Texts

    def reply(self, exchange: Exchange, ledger: Ledger, language: Language) -> SlackReply:
        return SlackReply(
            exchange,
            ledger,
            language,
            calls=self.calls,
            texts=self.texts,
            human=self.commands.escalation is not None,
            streams=self.config.streams and self.calls.streams_work,
        )

    def lane(self, exchange: Exchange) -> Lane:
        return Lane()  # budgets of the workspace are in the calls; a pause concerns the answer that met it

    def pace(self, exchange: Exchange) -> float:
        return APPEND_SECONDS if self.config.streams and self.calls.streams_work else UPDATE_SECONDS

    async def own_words(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        return await self.commands.own_words(exchange, standing, language)


class SlackApp:
    """Enter it with `opened`, then give its `bolt` requests."""

    def __init__(
        self,
        me: Me,
        config: SlackConfig,
        desk: Desk,
        reception: Reception,
        calls: Calls,
        home: Home,
        people: People | None = None,
    ) -> None:
        self._me, self._people = me, people
        self._desk, self._reception, self._calls, self._home = desk, reception, calls, home
        self._known: dict[str, None] = {}
        self._manners = Manners(
            desk=me.desk,
            team=me.team,
            user=me.user,
            takes_part=self._takes_part,
            auto_answer=config.auto_answer,
            support=config.support,
        )
        self._taps = Taps(
            store=desk.store,
            reception=reception,
            texts=desk.texts,
            human=desk.escalation is not None,
            escalation=desk.escalation,
        )
        self._slash = Slash(
            desk=me.desk, calls=calls, reception=reception, texts=desk.texts, asked_for=config.asked_for
        )
        self._acts: set[asyncio.Task[None]] = set()
        self.bolt = self._made_bolt(me, config)

    async def keep(self, event: Mapping[str, Any]) -> None:
        """Returns when the event is safe. Raises KnowledgeError or ProviderError when it could not be kept."""
        if self._people is not None and self._people.are_at(event.get("channel")):
            if (act := await self._people.keep(event)) is not None:
                self._later(act())
            return None
        tickets = self._desk.escalation.desk if self._desk.escalation else None
        if tickets is not None and (edited := edited_message(event)) is not None:
            return await tickets.amend(said_of(edited, str(event["channel"]), tickets.name, self._me.user))
        found = await self._manners.read(event)
        if found is not None:
            self._note(found.conversation)
            if tickets is not None:
                said = said_of(event, str(event["channel"]), tickets.name, self._me.user)
                await tickets.heard(found.conversation, said)
            await self._reception.accept(found)
        return None

    async def aclose(self) -> None:
        if self._acts:
            await asyncio.wait(self._acts, timeout=self._desk.limits.call)

    def _made_bolt(self, me: Me, config: SlackConfig) -> AsyncApp:
        async def authorize() -> AuthorizeResult:
            return AuthorizeResult(
                enterprise_id=None,
                team_id=me.team,
                bot_user_id=me.user,
                bot_id=me.bot,
                bot_token=config.token,
            )

        bolt = AsyncApp(
            client=AsyncWebClient(base_url=config.url, retry_handlers=[]),
            authorize=authorize,
            signing_secret=config.listening.signing_secret if config.listening else "",
            # A listener has returned, so the event is kept, before Slack is told that it has arrived.
            process_before_response=True,
        )

        @bolt.event("message")
        @bolt.event("app_mention")
        async def keep(event: dict[str, Any]) -> None:
            await self.keep(event)

        @bolt.event("app_home_opened")
        async def open_home(event: dict[str, Any]) -> None:
            if event.get("tab", "home") == "home":
                self._later(self._home.publish(str(event["user"])))

        @bolt.action(re.compile(r"refdesk:"))
        async def take(ack: AsyncAck, body: dict[str, Any]) -> None:
            act = await self._tapped(SlackTapped.of(body, self._calls, self._desk.texts), data_of(body))
            await ack()
            self._later(act())

        @bolt.action(re.compile(CHOOSE))
        async def choose(ack: AsyncAck, body: dict[str, Any]) -> None:
            user = str(body["user"]["id"])
            await self._home.choose(user, str(body["actions"][0].get("value")))
            await ack()
            self._later(self._home.publish(user))

        @bolt.command(re.compile(r"/"))
        async def ask(ack: AsyncAck, body: dict[str, Any]) -> None:
            await ack(await self._slash.take(body))

        @bolt.error
        async def broken(error: Exception) -> BoltResponse:
            log.error("slack.event_not_kept", error=type(error).__name__, exc_info=error)
            return BoltResponse(status=500)

        return bolt

    async def _tapped(self, tapped: SlackTapped, data: str) -> Act:
        tap = read_ticket_tap(data)
        if tap is not None and self._people is not None:
            return await self._people.tapped(tapped, tap)
        return await self._taps.take(tapped, data)

    def _later(self, work: Awaitable[None]) -> None:
        async def act() -> None:
            await work

        task = asyncio.create_task(carry_out(act, (*FAILURES, Missing)))
        self._acts.add(task)
        task.add_done_callback(self._acts.discard)

    async def _takes_part(self, conversation: str) -> bool:
        return conversation in self._known or bool(await self._desk.store.history(conversation, 1))

    def _note(self, conversation: str) -> None:
        self._known.pop(conversation, None)
        self._known[conversation] = None
        if len(self._known) > KEPT_CONVERSATIONS:
            del self._known[next(iter(self._known))]


@asynccontextmanager
async def opened_client(config: SlackConfig) -> AsyncIterator[AsyncWebClient]:
    import aiohttp

    # One session, and no retries of the library's own: what was perhaps done is looked for, not done again.
    async with aiohttp.ClientSession() as session:
        yield AsyncWebClient(token=config.token, base_url=config.url, session=session, retry_handlers=[], timeout=30)


async def who_am_i(client: AsyncWebClient) -> Me:
    """Raises ConfigurationError when the token is refused or Slack cannot be reached."""
    try:
        found = await client.auth_test()
    except SlackApiError as error:
        if error_of(error) in NO_TOKEN:
            raise ConfigurationError(
                f"Slack refuses REFDESK_SLACK_BOT_TOKEN ({error_of(error)}): copy the Bot User OAuth Token, xoxb-..., "
                "from the app's page “OAuth & Permissions” again"
            ) from None
        raise ConfigurationError(f"Slack does not say who the bot is: {error_of(error)}") from None
    except FAILURES as error:
        raise ConfigurationError(
            f"Slack cannot be reached ({type(error).__name__}): look at the network, or at REFDESK_SLACK_API_URL"
        ) from None
    headers = {str(name).lower(): str(value) for name, value in found.headers.items()}
    scopes = frozenset(one.strip() for one in headers.get("x-oauth-scopes", "").split(",") if one.strip())
    return Me(
        team=str(found["team_id"]),
        user=str(found["user_id"]),
        bot=str(found.get("bot_id") or ""),
        name=str(found.get("user") or ""),
        scopes=scopes,
    )


@asynccontextmanager
async def opened(
    client: AsyncWebClient,
    me: Me,
    config: SlackConfig,
    engine: Answers,
    store: InboxStore,
    *,
    texts: Texts | None = None,
    habits: Habits | None = None,
    limits: Limits | None = None,
    audience: frozenset[str] = PUBLIC,
    patience: float = 20.0,
    topics: Topics = no_topics,
    support: Support | None = None,
) -> AsyncIterator[SlackApp]:
    """The bot, ready to take events; what an earlier process left is answered now. Leaving it drains."""
    texts, limits = texts or Texts(), limits or Limits()
    calls = Calls(client, Budgets(), me.user)
    side = None
    if support is not None:
        side = SupportSide.of(support, store, texts, limits, client=client, calls=calls, me=me, config=config)
    escalation = side.escalation if side else None
    commands = Commands(texts=texts, escalation=escalation)
    platform = SlackPlatform(config=config, calls=calls, commands=commands, texts=texts)
    ledgers = Ledgers(store)
    home = Home(desk=me.desk, client=client, store=store, texts=texts, topics=topics)
    desk = Desk(
        engine=engine,
        store=store,
        ledgers=ledgers,
        platform=platform,
        texts=texts,
        limits=limits,
        audience=audience,
        chosen=home.chosen,
        escalation=escalation,
    )
    if side is not None:
        await side.runner.begin()
    await _find_lost(store, ledgers, calls)
    reception = Reception(store, lambda exchange: ExchangeAnswer(desk, exchange), habits, patience=patience)
    async with reception, carried_out(side.runner if side else None):
        app = SlackApp(me, config, desk, reception, calls, home, side.people if side else None)
        yield app
    await app.aclose()


async def run_slack(
    client: AsyncWebClient,
    me: Me,
    config: SlackConfig,
    engine: Answers,
    store: InboxStore,
    stop: asyncio.Event,
    *,
    ready: Callable[[str], None] = lambda name: None,
    **choices: Any,
) -> None:
    """Answer in Slack until `stop` is set; then drain. `choices` are those of `opened`. Raises ConfigurationError."""
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(opened(client, me, config, engine, store, **choices))
        await stack.enter_async_context(serving(config, app.bolt))
        ready(f"{me.name} in Slack")
        await stop.wait()


async def _find_lost(store: InboxStore, ledgers: Ledgers, calls: Calls) -> None:
    """Before anything new is said: messages which an earlier process posted without living to hear of it."""
    for exchange in await store.unfinished():
        ledger = ledgers.of(exchange)
        with suppress(DeliveryFailed, RateLimited, Missing, *FAILURES):  # its own answer looks for it again
            await calls.find(Place.of(exchange.place), ledger)
