"""The bot in Telegram, from start to stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

import structlog
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import TelegramNotFound, TelegramUnauthorizedError
from aiogram.types import BusinessMessagesDeleted, CallbackQuery, ChatMemberUpdated, Message, Update, User
from aiogram.utils.token import TokenValidationError

from adapters.answering import PUBLIC, Desk, ExchangeAnswer
from adapters.chat_reply import ChatReply
from adapters.claims import Claims
from adapters.delivery import Answers, Limits
from adapters.digest import read_gap_tap
from adapters.inbox import InboxStore
from adapters.lease import SECONDS
from adapters.ledger import HUMAN_HOLDS, Ledger, Ledgers, Lost, Missing
from adapters.reception import Habits, Reception
from adapters.relays import RelayRunner, carried_out
from adapters.support import Support
from adapters.taps import Act, Acts, Taps
from adapters.telegram.calls import FAILURES, Calls, reason
from adapters.telegram.commands import Commands, publish_commands
from adapters.telegram.config import TelegramConfig
from adapters.telegram.files import Files
from adapters.telegram.formatting import Part
from adapters.telegram.known import see_all_sent
from adapters.telegram.lanes import ChatLane, Lanes
from adapters.telegram.people import People, is_member
from adapters.telegram.place import Place
from adapters.telegram.polling import Poller
from adapters.telegram.reactions import reacted
from adapters.telegram.relayed import asked, key_of, said_of
from adapters.telegram.reply import TelegramScreen
from adapters.telegram.support import TelegramCarrier
from adapters.telegram.taps import TelegramTapped
from adapters.telegram.updates import Manners, TakenByHuman, chat_of
from adapters.telegram.webhook import listening
from adapters.texts import Texts
from adapters.ticket_buttons import read_ticket_tap
from engine import ConfigurationError, Exchange, Inbound, Language, RefdeskError, Standing

log = structlog.get_logger()

ALLOWED = (
    "message",
    "edited_message",
    "business_message",
    "edited_business_message",
    "deleted_business_messages",
    "callback_query",
    "my_chat_member",
    "message_reaction",
)
STORE_RETRY = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramPlatform:
    """How the shared part of delivery answers in Telegram."""

    config: TelegramConfig
    calls: Calls
    lanes: Lanes
    commands: Commands
    texts: Texts

    def reply(self, exchange: Exchange, ledger: Ledger, language: Language) -> ChatReply[Part]:
        place, lane, drafts = Place.of(exchange.place), self.lane(exchange), self.config.drafts
        screen = TelegramScreen(place, ledger, self.calls, lane, exchange=exchange.id, drafts=drafts)
        human = self.commands.escalation is not None
        return ChatReply(screen, exchange, ledger, language, texts=self.texts, human=human)

    def lane(self, exchange: Exchange) -> ChatLane:
        place = Place.of(exchange.place)
        return self.lanes.of(place.chat, private=place.private)

    def pace(self, exchange: Exchange) -> float:
        return self.lane(exchange).pace

    async def own_words(self, exchange: Exchange, standing: Standing, language: Language) -> str | None:
        return await self.commands.own_words(exchange, standing, language)


class TelegramApp:
    """Enter it with `opened`, then give it updates with `keep`."""

    def __init__(
        self,
        bot: Bot,
        me: User,
        config: TelegramConfig,
        desk: Desk,
        reception: Reception,
        calls: Calls,
        people: People | None = None,
    ) -> None:
        self.me = me
        self._bot, self._desk, self._reception, self._calls, self._people = bot, desk, reception, calls, people
        self._manners = Manners(desk=config.desk, me=me, auto_answer=config.auto_answer, support=config.support)
        self._taps = Taps(
            store=desk.store,
            reception=reception,
            texts=desk.texts,
            human=desk.escalation is not None,
            escalation=desk.escalation,
        )
        self._acts = Acts((*FAILURES, Missing))

    async def keep(self, update: Update) -> None:
        """Returns when the update is safe. Raises KnowledgeError or ProviderError when it could not be kept."""
        if update.callback_query is not None:
            self._acts.later(await self._tapped(update.callback_query))
        elif update.my_chat_member is not None:
            await self._note_membership(update.my_chat_member)
        elif update.message_reaction is not None:
            if (act := await reacted(update.message_reaction, self._desk.store, self._taps, self._calls)) is not None:
                self._acts.later(act)
        elif update.deleted_business_messages is not None:
            await self._retract(update.deleted_business_messages)
        else:
            await self._keep_message(update)

    async def keep_patiently(self, update: Update) -> None:
        """The same, for as long as it takes: what is not kept is not acknowledged."""
        while True:
            try:
                return await self.keep(update)
            except RefdeskError as error:
                log.error("telegram.update_not_kept", error=type(error).__name__, exc_info=error)
                await asyncio.sleep(STORE_RETRY)

    async def aclose(self) -> None:
        await self._acts.aclose(self._desk.limits.call)

    async def _tapped(self, query: CallbackQuery) -> Act:
        tap = read_ticket_tap(query.data or "")
        if tap is not None and self._people is not None:
            return await self._people.tapped(query, tap)
        if (gap := read_gap_tap(query.data or "")) is not None and self._people is not None:
            return await self._people.gap_tapped(query, gap)
        tapped = TelegramTapped(query=query, bot=self._bot, calls=self._calls, texts=self._desk.texts)
        return await self._taps.take(tapped, query.data or "")

    async def _keep_message(self, update: Update) -> None:
        new = update.message or update.business_message
        message = new or update.edited_message or update.edited_business_message
        if message is None:
            return
        self._calls.seen(message.chat.id, message.message_id)
        people = self._people
        if people is not None and people.are_at(message.chat.id):
            await self._keep_at_people(people, message, new=new is not None)
            return
        found = self._manners.read(update)
        tickets = self._desk.escalation.desk if self._desk.escalation else None
        if tickets is not None and new is None:
            await tickets.amend(said_of(message, tickets.name))
        elif tickets is not None and isinstance(found, Inbound) and found.command in ("", "human"):
            await tickets.heard(found.conversation, said_of(message, tickets.name))
        if isinstance(found, TakenByHuman):
            await self._desk.store.hand_over(found.conversation, "human", HUMAN_HOLDS)
        elif found is not None:
            await self._reception.accept(found)

    async def _keep_at_people(self, people: People, message: Message, *, new: bool) -> None:
        if not new:
            await people.edited(message)
        elif (act := await people.wrote(message)) is not None:
            self._acts.later(act)

    async def _retract(self, deleted: BusinessMessagesDeleted) -> None:
        """The only deletions that Telegram tells a bot of."""
        if self._desk.escalation is not None:
            for message in deleted.message_ids:
                await self._desk.escalation.desk.retract(key_of(deleted.chat.id, message))

    async def _note_membership(self, change: ChatMemberUpdated) -> None:
        if change.chat.type == "private" and change.new_chat_member.status == "kicked":
            await self._desk.store.lose(f"{self._manners.desk}::{change.chat.id}")


@asynccontextmanager
async def opened_bot(config: TelegramConfig) -> AsyncIterator[Bot]:
    try:
        bot = Bot(config.token, session=AiohttpSession(api=TelegramAPIServer.from_base(config.url)))
    except TokenValidationError:
        raise ConfigurationError(
            "REFDESK_TELEGRAM_TOKEN is no token: it looks like 123456:ABC-DEF, and @BotFather gives it to you"
        ) from None
    try:
        yield bot
    finally:
        await bot.session.close()


async def who_am_i(bot: Bot) -> User:
    """Raises ConfigurationError when the token is refused or the server cannot be reached."""
    try:
        return await bot.get_me()
    except (TelegramUnauthorizedError, TelegramNotFound):
        raise ConfigurationError(
            "Telegram does not know this token: copy REFDESK_TELEGRAM_TOKEN from @BotFather again"
        ) from None
    except FAILURES as error:
        raise ConfigurationError(
            f"Telegram cannot be reached ({type(error).__name__}): look at the network, or at REFDESK_TELEGRAM_API_URL"
        ) from None


@asynccontextmanager
async def opened(
    bot: Bot,
    config: TelegramConfig,
    engine: Answers,
    store: InboxStore,
    *,
    texts: Texts | None = None,
    habits: Habits | None = None,
    limits: Limits | None = None,
    audience: frozenset[str] = PUBLIC,
    patience: float = 20.0,
    support: Support | None = None,
    claim_seconds: float = SECONDS,
) -> AsyncIterator[TelegramApp]:
    """The bot, ready to take updates; what an earlier process left is answered now. Leaving it drains.

    Processes on one database share the chats; of one that does not beat for `claim_seconds` they are taken over.
    """
    texts, limits = texts or Texts(), limits or Limits()
    me = await who_am_i(bot)
    calls, lanes, chat = Calls(bot, partial(store.posted_at, "chat")), Lanes(), partial(chat_of, config.desk)
    ledgers, claims = Ledgers(store, chat), Claims(store.claims, chat, claim_seconds)
    escalation = support.escalation(store, texts, _asker_name, asked) if support else None
    commands = Commands(store=store, texts=texts, escalation=escalation, people_language=config.support_language)
    platform = TelegramPlatform(config=config, calls=calls, lanes=lanes, commands=commands, texts=texts)
    desk = Desk(
        engine=engine,
        store=store,
        ledgers=ledgers,
        platform=platform,
        texts=texts,
        limits=limits,
        audience=audience,
        escalation=escalation,
    )
    await see_all_sent(calls, store, support.tickets if support else None, config.desk)
    people, runner = None, None
    if support is not None and escalation is not None:
        carrying = support.carrying(escalation.desk, texts, config.support_language, config.remark)
        carrier = TelegramCarrier(config=config, carrying=carrying, calls=calls, files=Files(bot, calls), lanes=lanes)
        runner = RelayRunner(escalation.desk, carrier, limits, lease_seconds=support.lease_seconds, claims=claims)
        shared = support.people_at(carrying, partial(is_member, bot, config))
        people = People(bot=bot, config=config, shared=shared, calls=calls)
    lost = Lost(ledgers, lambda exchange, ledger: calls.find(Place.of(exchange.place), ledger), (*FAILURES, Missing))
    reception = Reception(
        store,
        lambda exchange: ExchangeAnswer(desk, exchange),
        habits,
        patience=patience,
        claims=claims,
        look_for_lost=lost.look_for,
    )
    async with claims:
        if runner is not None:
            await runner.begin()
        async with reception, carried_out(runner):
            app = TelegramApp(bot, me, config, desk, reception, calls, people)
            yield app
    await app.aclose()


async def serve(bot: Bot, config: TelegramConfig, app: TelegramApp, texts: Texts) -> None:
    """Take updates until cancelled. Raises ConfigurationError when that cannot be."""
    await publish_commands(bot, texts)
    if config.webhook is None:
        await _agreed(bot.delete_webhook())
        await Poller(bot, app.keep_patiently, ALLOWED).run()
    else:
        async with listening(config.webhook, bot, app.keep):
            url = f"{config.webhook.url.rstrip('/')}{config.webhook.path}"
            await _agreed(bot.set_webhook(url, allowed_updates=list(ALLOWED), secret_token=config.webhook.secret))
            await asyncio.Event().wait()


async def run_telegram(
    config: TelegramConfig,
    engine: Answers,
    store: InboxStore,
    stop: asyncio.Event,
    *,
    texts: Texts | None = None,
    habits: Habits | None = None,
    audience: frozenset[str] = PUBLIC,
    patience: float = 20.0,
    ready: Callable[[str], None] = lambda name: None,
    support: Support | None = None,
) -> None:
    """Answer in Telegram until `stop` is set; then drain. Raises ConfigurationError."""
    texts = texts or Texts()
    async with AsyncExitStack() as stack:
        bot = await stack.enter_async_context(opened_bot(config))
        app = await stack.enter_async_context(
            opened(
                bot,
                config,
                engine,
                store,
                texts=texts,
                habits=habits,
                audience=audience,
                patience=patience,
                support=support,
            )
        )
        ready(f"@{app.me.username} in Telegram")
        serving = asyncio.create_task(serve(bot, config, app, texts))
        stopping = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
            serving.cancel()
            await asyncio.wait({serving, stopping})
        if not serving.cancelled():
            serving.result()


async def _asker_name(exchange: Exchange) -> str:
    place = Place.of(exchange.place)
    return place.name or str(place.asker)


async def _agreed(call: Awaitable[bool]) -> None:
    try:
        await call
    except FAILURES as error:
        raise ConfigurationError(f"Telegram refuses the webhook's settings: {reason(error)}") from None
