"""Messages, exchanges and how conversations stand, on the state database: the inbox of the adapters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Row, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.conversations import AlreadyOpened, Answer, Clearance, Exchange, Inbound, Owner, Standing
from engine.providers.state.claims import SqlClaims
from engine.providers.state.database import Database
from engine.providers.state.feedback import rated
from engine.providers.state.posted import posted_at
from engine.providers.state.tables import claims, conversations, exchanges, inbox
from engine.providers.state.texts_of_people import forget
from engine.tickets import Farewell
from engine.types import Citation, Language, Rating, Turn

_QUESTIONS = ("", "ask")
_NO_ANSWERS = ("blocked", "failed")
_NO_EXCHANGE = 0
"""What a message is bound to that is never to be answered by itself."""


class SqlInbox:
    """The messages of one desk."""

    def __init__(self, database: Database, desk: str) -> None:
        self._database = database
        self._desk = desk
        self.claims = SqlClaims(database, desk)

    async def accept(self, message: Inbound) -> Inbound | None:
        async with self._database.writing(urgent=True) as connection:
            id = await self._database.insert_new(connection, inbox, self._values(message))
            if id is None:
                return None
            found = conversations.c.id == message.conversation
            await connection.execute(update(conversations).where(found).values(unreachable=False))
        return replace(message, id=id)

    async def amend(self, message: Inbound) -> tuple[Inbound, Exchange | None] | None:
        async with self._database.writing(urgent=True) as connection:
            query = select(inbox).where(inbox.c.desk == self._desk, inbox.c.key == message.amends)
            found = (await connection.execute(query)).one_or_none()
            if found is None:
                return None
            # Bound to what it changes, so that it is never taken for a message that waits.
            values = {**self._values(message), "exchange": found.exchange or _NO_EXCHANGE}
            repeated = await self._database.insert_new(connection, inbox, values) is None
            if repeated or (found.text, found.command) == (message.text, message.command):
                return None
            await connection.execute(
                update(inbox)
                .where(inbox.c.id == found.id)
                .values(text=message.text, command=message.command, place=dict(message.place))
            )
            changed = replace(_inbound(found), text=message.text, command=message.command, place=message.place)
            exchange = await self._rejoin(connection, found.exchange) if found.exchange else None
        return changed, exchange

    async def waiting(self) -> tuple[Inbound, ...]:
        query = select(inbox).where(inbox.c.desk == self._desk, inbox.c.exchange.is_(None)).order_by(inbox.c.id)
        async with self._database.reading() as connection:
            return tuple(map(_inbound, (await connection.execute(query)).all()))

    async def unfinished(self) -> tuple[Exchange, ...]:
        query = select(exchanges).where(exchanges.c.desk == self._desk, exchanges.c.ending == "open")
        async with self._database.reading() as connection:
            return tuple(map(_exchange, (await connection.execute(query.order_by(exchanges.c.id))).all()))

    async def open(self, messages: Sequence[Inbound]) -> Exchange:
        values = {
            "desk": self._desk,
            "opened_at": _now(),
            "conversation": messages[-1].conversation,
            "asker": messages[-1].asker,
            "ending": "open",
            "attempts": 0,
            "posted": [],
            "reason": "",
            **_joined(messages),
        }
        async with self._database.writing() as connection:
            id = await self._database.insert_new(connection, exchanges, values)
            assert id is not None, "nothing but the id is unique"
            kept = _joined(await _bind(connection, id, messages))
            if kept != _joined(messages):  # another process has heard of a new wording
                await connection.execute(update(exchanges).where(exchanges.c.id == id).values(kept))
            return await _get(connection, id)

    async def join(self, exchange: int, messages: Sequence[Inbound]) -> Exchange:
        async with self._database.writing() as connection:
            await _bind(connection, exchange, messages)
            return await self._rejoin(connection, exchange)

    async def begin(self, exchange: int) -> int:
        statement = update(exchanges).where(exchanges.c.id == exchange).values(attempts=exchanges.c.attempts + 1)
        async with self._database.writing() as connection:
            attempts: int = (await connection.execute(statement.returning(exchanges.c.attempts))).scalar_one()
            return attempts

    async def note(self, exchange: int, posted: Sequence[str], sending: str | None) -> None:
        await self._set(exchange, posted=list(posted), sending=sending)

    async def conclude(self, exchange: int, answer: Answer) -> None:
        still_open = (exchanges.c.id == exchange) & (exchanges.c.ending == "open")
        async with self._database.writing() as connection:
            await connection.execute(update(exchanges).where(still_open).values(answer=asdict(answer)))

    async def close(self, exchange: int, ending: str) -> None:
        await self._set(exchange, ending=ending)

    async def rate(self, exchange: int, rating: Rating, reason: str = "") -> None:
        async with self._database.writing() as connection:
            await rated(self._database, connection, exchange, rating, reason)

    async def stop(self, conversation: str) -> bool:
        asked = (exchanges.c.desk == self._desk) & (exchanges.c.conversation == conversation)
        unanswered = (exchanges.c.ending == "open") & exchanges.c.answer.is_(None)
        async with self._database.writing(urgent=True) as connection:
            stopped = update(exchanges).where(asked, unanswered).values(stopped=True).returning(exchanges.c.id)
            return bool((await connection.execute(stopped)).all())

    async def clearance(self, exchange: int, key: str) -> Clearance:
        said, held = exchanges.c, (claims.c.desk == self._desk) & (claims.c.key == key)
        joined = exchanges.outerjoin(conversations, conversations.c.id == said.conversation).outerjoin(claims, held)
        stopped = (said.stopped.is_(True) & said.answer.is_(None)).label("stopped")
        query = (
            select(said.ending, stopped, conversations.c.owner, conversations.c.owned_until, claims.c.holder)
            .select_from(joined)
            .where(said.id == exchange)
        )
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).one()
        if found.owner == "human" and not _over(found.owned_until):
            return "taken_over"
        if found.ending != "open":
            return "closed"
        if found.holder not in (None, self.claims.holder):
            return "elsewhere"
        return "stopped" if found.stopped else "clear"

    async def posted_at(self, name: str, value: int) -> frozenset[str]:
        async with self._database.reading() as connection:
            return await posted_at(connection, self._desk, name, value)

    async def exchange(self, id: int) -> Exchange | None:
        query = select(exchanges).where(exchanges.c.id == id, exchanges.c.desk == self._desk)
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).one_or_none()
        return None if found is None else _exchange(found)

    async def history(self, conversation: str, limit: int) -> tuple[Turn, ...]:
        asked = await self.recent(conversation, limit)
        return tuple(
            Turn(question=one.text, answer=one.answer.text)
            for one in asked
            if one.answer and one.text and one.answer.kind not in _NO_ANSWERS
        )

    async def recent(self, conversation: str, limit: int) -> tuple[Exchange, ...]:
        query = (
            select(exchanges)
            .where(
                exchanges.c.desk == self._desk,
                exchanges.c.conversation == conversation,
                exchanges.c.ending == "done",
                exchanges.c.command.in_(_QUESTIONS),
            )
            .order_by(exchanges.c.id.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return tuple(_exchange(row) for row in reversed(rows))

    async def latest(self, limit: int) -> tuple[Exchange, ...]:
        query = select(exchanges).where(exchanges.c.desk == self._desk).order_by(exchanges.c.id.desc()).limit(limit)
        async with self._database.reading() as connection:
            return tuple(map(_exchange, (await connection.execute(query)).all()))

    async def standing(self, conversation: str) -> Standing:
        query = select(conversations).where(conversations.c.id == conversation)
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).one_or_none()
        return Standing() if found is None else _standing(found)

    async def hand_over(self, conversation: str, owner: Owner, lasting: timedelta | None = None) -> bool:
        until = None if lasting is None else _iso(datetime.now(UTC) + lasting)
        async with self._database.writing() as connection:
            query = select(conversations).where(conversations.c.id == conversation).with_for_update()
            found = (await connection.execute(query)).one_or_none()
            before = Standing() if found is None else _standing(found)
            await self._stand(connection, conversation, before, owner=owner, owned_until=until)
            if (before.owner, owner) == ("human", "bot"):
                await self._drop(connection, conversation)
        return before.owner != owner

    async def speak(self, conversation: str, language: Language | None) -> None:
        await self._change(conversation, language=language)

    async def lose(self, conversation: str) -> None:
        await self._change(conversation, unreachable=True)

    async def forget(self, asker: str, farewell: Farewell) -> None:
        async with self._database.writing() as connection:
            await forget(
                self._database,
                connection,
                lambda table: (table.c.desk == self._desk) & (table.c.asker == asker),
                farewell,
            )

    async def sweep(self, older_than: timedelta) -> None:
        """Forget messages that no platform delivers again. Exchanges stay: buttons point at them."""
        old = inbox.c.received_at < _iso(datetime.now(UTC) - older_than)
        async with self._database.writing() as connection:
            finished = inbox.c.exchange.is_not(None)
            await connection.execute(delete(inbox).where(inbox.c.desk == self._desk, old, finished))

    async def _drop(self, connection: AsyncConnection, conversation: str) -> None:
        """What nobody has begun to answer, on whatever desk: people may be on another one than the asker."""
        unanswered = (exchanges.c.ending == "open") & exchanges.c.answer.is_(None)
        query = select(exchanges).where(exchanges.c.conversation == conversation, unanswered)
        asked = [row.id for row in (await connection.execute(query)).all() if not row.posted and row.sending is None]
        await connection.execute(update(exchanges).where(exchanges.c.id.in_(asked)).values(ending="dropped"))
        waiting = (inbox.c.conversation == conversation) & inbox.c.exchange.is_(None) & (inbox.c.command == "")
        await connection.execute(update(inbox).where(waiting).values(exchange=_NO_EXCHANGE))

    async def _set(self, exchange: int, *, urgent: bool = False, **values: Any) -> None:
        async with self._database.writing(urgent=urgent) as connection:
            await connection.execute(update(exchanges).where(exchanges.c.id == exchange).values(values))

    async def _rejoin(self, connection: AsyncConnection, exchange: int) -> Exchange:
        query = select(inbox).where(inbox.c.exchange == exchange, inbox.c.amends == "").order_by(inbox.c.id)
        messages = [_inbound(row) for row in (await connection.execute(query)).all()]
        values = {**_joined(messages), "ending": "open", "answer": None, "attempts": 0, "stopped": None}
        await connection.execute(update(exchanges).where(exchanges.c.id == exchange).values(values))
        return await _get(connection, exchange)

    async def _change(self, conversation: str, **values: Any) -> None:
        async with self._database.writing() as connection:
            query = select(conversations).where(conversations.c.id == conversation).with_for_update()
            found = (await connection.execute(query)).one_or_none()
            before = Standing() if found is None else _standing(found)
            until = None if found is None else found.owned_until
            await self._stand(connection, conversation, before, **{"owned_until": until, **values})

    async def _stand(self, connection: AsyncConnection, conversation: str, before: Standing, **values: Any) -> None:
        row = {"id": conversation, **asdict(before), **values}
        await self._database.upsert(connection, conversations, row)

    def _values(self, message: Inbound) -> dict[str, Any]:
        return {
            "desk": self._desk,
            "key": message.key,
            "received_at": _now(),
            "conversation": message.conversation,
            "asker": message.asker,
            "text": message.text,
            "place": dict(message.place),
            "command": message.command,
            "unread": list(message.unread),
            "language": message.language,
            "whole": message.whole,
            "amends": message.amends,
            "sent_at": message.sent_at,
        }


async def _bind(connection: AsyncConnection, exchange: int, messages: Sequence[Inbound]) -> list[Inbound]:
    """Returns them as they are kept. Raises AlreadyOpened."""
    ids = [message.id for message in messages]
    unbound = inbox.c.id.in_(ids) & inbox.c.exchange.is_(None)
    bound = (await connection.execute(update(inbox).where(unbound).values(exchange=exchange).returning(inbox))).all()
    if len(bound) < len(ids):
        raise AlreadyOpened
    return sorted(map(_inbound, bound), key=lambda message: message.id)


async def _get(connection: AsyncConnection, id: int) -> Exchange:
    return _exchange((await connection.execute(select(exchanges).where(exchanges.c.id == id))).one())


def _joined(messages: Sequence[Inbound]) -> dict[str, Any]:
    return {
        "text": "\n".join(message.text for message in messages if message.text.strip()),
        "place": dict(messages[-1].place),
        "command": messages[0].command,
        "unread": list(dict.fromkeys(kind for message in messages for kind in message.unread)),
        "language": messages[-1].language,
    }


def _inbound(row: Row[Any]) -> Inbound:
    return Inbound(
        key=row.key,
        conversation=row.conversation,
        asker=row.asker,
        text=row.text,
        place=row.place,
        command=row.command,
        unread=tuple(row.unread),
        language=row.language,
        whole=row.whole,
        amends=row.amends,
        sent_at=row.sent_at,
        id=row.id,
    )


def _exchange(row: Row[Any]) -> Exchange:
    return Exchange(
        id=row.id,
        conversation=row.conversation,
        asker=row.asker,
        text=row.text,
        place=row.place,
        command=row.command,
        unread=tuple(row.unread),
        language=row.language,
        ending=row.ending,
        attempts=row.attempts,
        posted=tuple(row.posted),
        sending=row.sending,
        answer=None if row.answer is None else _answer(row.answer),
        rating=row.rating,
        reason=row.reason,
    )


def _answer(stored: Mapping[str, Any]) -> Answer:
    return Answer(
        text=stored["text"],
        language=stored["language"],
        kind=stored["kind"],
        citations=tuple(Citation(**citation) for citation in stored["citations"]),
        tried=stored.get("tried", {}),
    )


def _standing(row: Row[Any]) -> Standing:
    over = _over(row.owned_until)
    return Standing(owner="bot" if over else row.owner, language=row.language, unreachable=row.unreachable)


def _over(until: str | None) -> bool:
    return until is not None and until <= _now()


def _now() -> str:
    return _iso(datetime.now(UTC))


def _iso(moment: datetime) -> str:
    """Fixed width, so that the order of texts is the order of time."""
    return moment.isoformat(timespec="microseconds")
