"""The bot in Slack, from start to stop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.answering import PUBLIC, Desk
from adapters.claims import Claims
from adapters.delivery import Answers, Lane, Limits
from adapters.digest import read_gap_tap
from adapters.inbox import InboxStore
from adapters.lease import SECONDS
from adapters.ledger import Ledger, Ledgers, Lost, Missing
from adapters.reception import Habits, Reception
from adapters.relays import carried_out
from adapters.slack.budgets import Budgets
from adapters.slack.calls import FAILURES, Calls, error_of
from adapters.slack.commands import Commands, Slash
from adapters.slack.config import Me, SlackConfig
from adapters.slack.desk import SupportSide
from adapters.slack.events import Manners
from adapters.slack.hints import Hints
from adapters.slack.home import Home, Topics, no_topics
from adapters.slack.pane import Pane, Suggestions, no_suggestions
from adapters.slack.people import People
from adapters.slack.place import Place
from adapters.slack.quiet import Everyone, QuietReply, QuietTapped, read_everyone
from adapters.slack.relayed import deleted_message, edited_message, key_of, said_of
from adapters.slack.reply import APPEND_SECONDS, UPDATE_SECONDS, SlackReply, SlackScreen
from adapters.slack.stopping import StoppableAnswer, Stops
from adapters.slack.taps import SlackTapped, data_of
from adapters.support import Support
from adapters.taps import Act, Acts, Taps
from adapters.texts import Texts
from adapters.ticket_buttons import read_ticket_tap
from engine import ConfigurationError, Exchange, Language, Standing

log = structlog.get_logger()

KEPT_CONVERSATIONS = 5000
RECENT = 10
NO_TOKEN = frozenset(
    {"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "not_allowed_token_type"}
)


class TokenRefused(ConfigurationError):
    """Slack knows the bot's token no longer, or never did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackPlatform:
    """How the shared part of delivery answers in Slack."""

    config: SlackConfig
    calls: Calls
    hints: Hints
    commands: Commands
    texts: Texts
    stops: Stops
    claims: Claims

    def reply(self, exchange: Exchange, ledger: Ledger, language: Language) -> SlackReply | QuietReply:
        if exchange.place["channel"] in self.config.quiet and not ledger.posted and ledger.mark is None:
            human = self.commands.escalation is not None
            return QuietReply(exchange=exchange, language=language, calls=self.calls, texts=self.texts, human=human)
        return self.loud(exchange, ledger, language)

    def loud(self, exchange: Exchange, ledger: Ledger, language: Language) -> SlackReply:
        """For everyone to see."""
        screen = SlackScreen(
            Place.of(exchange.place),
            ledger,
            self.calls,
            self.hints,
            streams=self.config.streams and self.calls.streams_work,
            stopped=partial(self.stops.stop, exchange.conversation),
        )
        human = self.commands.escalation is not None
        reply = SlackReply(screen, exchange, ledger, language, self.hints, texts=self.texts, human=human)
        self.stops.replies[exchange.id] = reply
        return reply

    def lane(self, exchange: Exchange) -> Lane:
        return Lane()  # budgets of the workspace are in the calls; a pause concerns the answer that met it

    def pace(self, exchange: Exchange) -> float:
        return APPEND_SECONDS if self.config.streams and self.calls.streams_work else UPDATE_SECONDS

    async def own_words(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        return await self.commands.own_words(exchange, standing, language)


class SlackApp:
    """The bot of one workspace. Enter it with `opened`; `listeners` gives it what it is told."""

    def __init__(
        self,
        me: Me,
        config: SlackConfig,
        desk: Desk,
        reception: Reception,
        calls: Calls,
        home: Home,
        pane: Pane,
        platform: SlackPlatform,
        people: People | None = None,
    ) -> None:
        self.me, self._client, self._people = me, home.client, people
        self._desk, self._reception, self._calls, self._home = desk, reception, calls, home
        self._pane, self._hints, self._stops = pane, platform.hints, platform.stops
        self._everyone = Everyone(desk=desk, loud=platform.loud, claims=platform.claims)
        self._quiet = config.quiet
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
            desk=me.desk,
            calls=calls,
            reception=reception,
            texts=desk.texts,
            asked_for=config.asked_for,
            forget=home.forget,
        )
        self._acts = Acts((*FAILURES, Missing))

    @property
    def token(self) -> str | None:
        return self._client.token

    async def keep(self, event: Mapping[str, Any]) -> None:
        """Returns when the event is safe. Raises KnowledgeError or ProviderError when it could not be kept."""
        if self._people is not None and self._people.are_at(event.get("channel")):
            if (act := await self._people.keep(event)) is not None:
                self.later(act())
            return None
        tickets = self._desk.escalation.desk if self._desk.escalation else None
        if tickets is not None and (edited := edited_message(event)) is not None:
            return await tickets.amend(said_of(edited, str(event["channel"]), tickets.name, self.me.user))
        if tickets is not None and (gone := deleted_message(event)) is not None:
            return await tickets.retract(key_of(str(event["channel"]), gone))
        found = await self._manners.read(event)
        if found is not None:
            self._note(found.conversation)
            if tickets is not None:
                said = said_of(event, str(event["channel"]), tickets.name, self.me.user)
                await tickets.heard(found.conversation, said)
            await self._reception.accept(found)
        return None

    async def aclose(self) -> None:
        await self._acts.aclose(self._desk.limits.call)

    def home_opened(self, event: Mapping[str, Any]) -> None:
        if event.get("tab", "home") == "home":
            self.later(self._home.publish(str(event["user"])))
        else:
            self.later(self._pane.opened(event))

    def thread_started(self, event: Mapping[str, Any]) -> None:
        self.later(self._pane.thread_started(event))

    async def stopped(self, event: Mapping[str, Any]) -> None:
        """Somebody has pressed Slack's stop button; Slack waits for us to say that nothing is being made."""
        thread = str(event.get("thread_ts") or "")
        place = Place(channel=str(event["channel"]), thread=thread, message=thread)
        conversation = self._manners.conversation(place.channel, place.thread)
        if not self._stops.stop(conversation) and not await self._desk.store.stop(conversation):
            self.later(self._hints.at_rest(place))

    async def tapped(self, body: Mapping[str, Any]) -> Act:
        """Keep what a tap says; what is returned answers it."""
        tapped, data = SlackTapped.of(body, self._calls, self._desk.texts), data_of(body)
        if QuietTapped.is_one(body):
            tapped = QuietTapped.at(body, tapped)
        if (shared := read_everyone(data)) is not None:
            return await self._everyone.take(shared, tapped)
        tap = read_ticket_tap(data)
        if tap is not None and self._people is not None:
            return await self._people.tapped(tapped, tap)
        if (gap := read_gap_tap(data)) is not None and self._people is not None:
            return await self._people.gap_tapped(tapped, gap)
        return await self._taps.take(tapped, data)

    async def chosen(self, body: Mapping[str, Any]) -> Awaitable[None]:
        """Keep a choice made in the Home; what is returned shows it."""
        user = str(body["user"]["id"])
        await self._home.choose(user, str(body["actions"][0].get("value")))
        return self._home.publish(user)

    async def asked(self, body: Mapping[str, Any]) -> str:
        return await self._slash.take(body)

    def renew(self, token: str) -> None:
        """The workspace has installed the app anew."""
        self._client.token = token

    def later(self, work: Awaitable[None]) -> None:
        async def act() -> None:
            await work

        self._acts.later(act)

    async def _takes_part(self, conversation: str, place: Place) -> bool:
        if place.channel in self._quiet:
            recent = await self._desk.store.recent(conversation, RECENT)
            # What everyone sees may have no id yet.
            return any(one.posted or one.sending or one.asker == place.asker for one in recent)
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
            raise TokenRefused(
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
    suggestions: Suggestions = no_suggestions,
    support: Support | None = None,
    claim_seconds: float = SECONDS,
) -> AsyncIterator[SlackApp]:
    """The bot, ready to take events; what an earlier process left is answered now. Leaving it drains.

    Processes on one database share the threads; of one that does not beat for `claim_seconds` they are taken over.
    """
    texts, limits = texts or Texts(), limits or Limits()
    budgets, claims = Budgets(), Claims(store.claims, seconds=claim_seconds)
    stops = Stops(lambda: claims.shared)
    calls, hints = Calls(client, budgets, me.user), Hints(client, budgets)
    side = None
    if support is not None:
        side = SupportSide.of(support, store, texts, limits, client=client, calls=calls, me=me, config=config)
    escalation = side.escalation if side else None
    commands = Commands(texts=texts, escalation=escalation)
    platform = SlackPlatform(
        config=config, calls=calls, hints=hints, commands=commands, texts=texts, stops=stops, claims=claims
    )
    home = Home(
        desk=me.desk, client=client, store=store, texts=texts, topics=topics, people_language=config.support_language
    )
    desk = Desk(
        engine=engine,
        store=store,
        ledgers=Ledgers(store),
        platform=platform,
        texts=texts,
        limits=limits,
        audience=audience,
        chosen=home.chosen,
        escalation=escalation,
    )
    pane = Pane(calls=calls, hints=hints, home=home, texts=texts, suggestions=suggestions)
    reception = _reception(desk, platform, habits, patience)
    async with claims:
        if side is not None:
            await side.runner.begin()
        async with reception, carried_out(side.runner if side else None):
            app = SlackApp(me, config, desk, reception, calls, home, pane, platform, side.people if side else None)
            yield app
    await app.aclose()


def _reception(desk: Desk, platform: SlackPlatform, habits: Habits | None, patience: float) -> Reception:
    async def find(exchange: Exchange, ledger: Ledger) -> None:
        await platform.calls.find(Place.of(exchange.place), ledger)

    return Reception(
        desk.store,
        lambda exchange: StoppableAnswer(desk, exchange, platform.stops),
        habits,
        patience=patience,
        claims=platform.claims,
        look_for_lost=Lost(desk.ledgers, find, (*FAILURES, Missing)).look_for,
    )
