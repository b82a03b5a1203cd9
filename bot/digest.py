"""The weekly digest of unanswered questions: when it is due, and what it holds."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from adapters.digest import NO_TICKET, digest_key
from adapters.office_hours import OfficeHours
from adapters.tickets import TicketStore
from bot.gap_desk import GapDesk, Popular
from bot.settings import Settings
from bot.wiring import App, gap_sources
from engine import ConfigurationError, Language, RefdeskError, Relay
from engine.logged import LoggedAnswer
from engine.matching.gaps import Gap, per_week, trend
from engine.ports import AnswerStore

log = structlog.get_logger()

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WHEN = re.compile(r"\s*([a-z]{3})[a-z]*\s+(\d{1,2}):(\d\d)\s*", re.IGNORECASE)
_WEEK = timedelta(days=7)
_LATE = timedelta(days=1)
"""For so long a digest is made up for after the process was down."""
_LOOKS_EVERY = 300.0
_GAPS = 8
_MISSES = 50
_POPULAR = 3


@dataclass(frozen=True, slots=True)
class DigestTime:
    """A day of the week, from 0 for Monday on, and an hour there."""

    day: int
    at: time
    zone: ZoneInfo

    @classmethod
    def parse(cls, when: str, zone: ZoneInfo) -> DigestTime:
        """From `Mon 9:00`. Raises ConfigurationError."""
        found = _WHEN.fullmatch(when)
        try:
            if found is None:
                raise ValueError
            return cls(_DAYS.index(found[1].lower()), time(int(found[2]), int(found[3])), zone)
        except ValueError:
            raise ConfigurationError(
                f"REFDESK_DIGEST: {when.strip()} is no day and hour; write them as in Mon 9:00"
            ) from None

    def latest(self, now: datetime) -> datetime:
        """The last such moment until now, by the clock on the wall there."""
        here = now.astimezone(self.zone)
        day = here.date() - timedelta(days=(here.weekday() - self.day) % 7)
        moment = datetime.combine(day, self.at, self.zone)
        # In UTC, since times of one zone are compared by the clock, which goes back once a year.
        return moment if moment.astimezone(UTC) <= now else datetime.combine(day - _WEEK, self.at, self.zone)

    def next(self, now: datetime) -> datetime:
        return datetime.combine(self.latest(now).date() + _WEEK, self.at, self.zone)


def digest_time(settings: Settings) -> DigestTime | None:
    """None when there are to be none. Raises ConfigurationError."""
    hours = OfficeHours.parse(settings.office_hours, settings.office_time_zone, settings.office_holidays)
    if not settings.digest.strip():
        return None
    if settings.telegram_support_chat is None and settings.slack_support_channel is None:
        raise ConfigurationError(
            "REFDESK_DIGEST is set, but there is no support chat: set REFDESK_TELEGRAM_SUPPORT_CHAT or "
            "REFDESK_SLACK_SUPPORT_CHANNEL"
        )
    return DigestTime.parse(settings.digest, hours.there)


@asynccontextmanager
async def digests_in(app: App, desk: str, people: str | None, *, here: bool) -> AsyncGenerator[None, None]:
    """For as long as it is entered, the support chat of this desk gets its digests: if it is `here`, and tickets go
    there, which they all do to the desk of `people` if that is another one.

    Where workspaces install the app themselves, nobody reads what was asked elsewhere: a digest is of its own desk.
    """
    when = digest_time(app.settings)
    if when is None or not here or people not in (None, desk):
        yield
        return
    apart = people is None and app.settings.slack_client_id is not None
    sources = gap_sources(app, desk if apart else None)
    chosen = app.settings.support_language
    digester = Digester(
        desk=desk,
        when=when,
        tickets=app.tickets,
        answers=sources.answers,
        gaps=GapDesk(sources, app.settings.audiences),
        language=None if chosen == "asker" else chosen,
    )
    task = asyncio.create_task(digester.run(), name="digest")
    try:
        yield
    finally:
        task.cancel()
        (ended,) = await asyncio.gather(task, return_exceptions=True)
        if isinstance(ended, Exception):
            log.error("digest.stopped", error=type(ended).__name__, exc_info=ended)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Digester:
    desk: str
    """The desk whose support chat it is."""
    when: DigestTime
    tickets: TicketStore
    answers: AnswerStore
    gaps: GapDesk
    language: Language | None
    """The owner's; None for the one that most questions of the week are in."""
    now: Callable[[], datetime] = _now

    async def run(self) -> None:
        """Until cancelled."""
        said = None
        while True:
            now = self.now()
            due = self.when.latest(now)
            if due != said and now - due <= _LATE:
                try:
                    await self.say(due)
                    said = due
                except RefdeskError as error:
                    log.error("digest.failed", error=type(error).__name__, exc_info=error)
            await asyncio.sleep(min(_LOOKS_EVERY, max(1.0, (self.when.next(now) - now).total_seconds())))

    async def say(self, due: datetime) -> bool:
        """Once, whichever process comes first. False when it was said, or there is nothing to say."""
        week = f"{due:%G-W%V}"
        key = digest_key(self.desk, week)
        if any(one.key == key for one in await self.tickets.relays(NO_TICKET)):
            return False
        content = await self._content(due)
        if not content["asked"]:
            return False
        relay = Relay(ticket=NO_TICKET, to=self.desk, key=key, kind="digest", content={**content, "week": week})
        new = await self.tickets.say(relay)
        if new:
            log.info("digest.said", week=week, gaps=len(content["gaps"]))
        return new

    async def _content(self, due: datetime) -> dict[str, Any]:
        begins = due - _WEEK
        since = begins.astimezone(UTC).isoformat(timespec="microseconds")
        answers = await self.answers.since(since)
        found = await self.gaps.find()
        rows = [_row(gap, since, self.now()) for gap in found.gaps if gap.state in ("new", "taken") or gap.since]
        lately = sorted((row for row in rows if row["count"]), key=lambda row: (-row["count"], -row["total"]))
        return {
            "begins": f"{begins:%d.%m}",
            "ends": f"{due:%d.%m}",
            "asked": len(answers),
            "missed": sum(answer.kind == "missed" for answer in answers),
            "language": self._language(answers),
            "gaps": lately[:_GAPS],
            "popular": _popular(found.popular, answers),
        }

    def _language(self, answers: tuple[LoggedAnswer, ...]) -> Language:
        if self.language is not None:
            return self.language
        counts = Counter(answer.language for answer in answers)
        return "ru" if counts["ru"] > counts["en"] else "en"


def _row(gap: Gap, since: str, now: datetime) -> dict[str, Any]:
    return {
        "misses": [miss.id for miss in gap.misses[-_MISSES:]],
        "count": sum(miss.asked_at >= since for miss in gap.misses),
        "total": gap.count,
        "trend": trend(per_week([miss.asked_at for miss in gap.misses], now)),
    }


def _popular(popular: tuple[Popular, ...], answers: tuple[LoggedAnswer, ...]) -> list[dict[str, Any]]:
    """Of the week, and of the FAQ: its questions are nobody's own words."""
    counts = Counter(answer.faq_entry for answer in answers)
    known = [(counts[one.entry], one.question) for one in popular if one.entry is not None and counts[one.entry] > 1]
    return [{"count": count, "question": question} for count, question in sorted(known, reverse=True)[:_POPULAR]]
