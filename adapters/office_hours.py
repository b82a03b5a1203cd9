"""When there is somebody: hours by day of the week, in a time zone, without holidays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine import ConfigurationError, Language

_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SHOWN: dict[Language, tuple[str, ...]] = {
    "ru": ("пн", "вт", "ср", "чт", "пт", "сб", "вс"),
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
}
_SPAN = re.compile(r"([a-z]{3})(?:\s*-\s*([a-z]{3}))?\s+(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)")
_LOOKED_AHEAD = 366
Span = tuple[time, time]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficeHours:
    spans: tuple[tuple[Span, ...], ...] = ()
    """For each day from Monday on; empty when there is always somebody. A span may end at 24:00, as `time.max`."""
    zone: ZoneInfo | None = None
    holidays: frozenset[str] = frozenset()
    """`2026-05-09`, or `05-09` for every year."""

    @classmethod
    def parse(cls, hours: str, zone: str, holidays: str) -> OfficeHours:
        """From `Mon-Fri 9:00-18:00; Sat 10:00-14:00`, `Europe/Moscow` and `01-01, 2026-05-09`.

        Raises ConfigurationError.
        """
        try:
            there = ZoneInfo(zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ConfigurationError(
                f"REFDESK_OFFICE_TIME_ZONE: {zone} is no time zone; write one as in Europe/Moscow"
            ) from None
        free = frozenset(part.strip() for part in holidays.split(",") if part.strip())
        for one in free:
            _check_holiday(one)
        parts = [part.strip() for part in hours.split(";") if part.strip()]
        days: list[list[Span]] = [[] for _ in _DAYS]
        for part in parts:
            for day, span in _read(part):
                days[day].append(span)
        return cls(spans=tuple(tuple(sorted(day)) for day in days) if parts else (), zone=there, holidays=free)

    @property
    def there(self) -> ZoneInfo:
        return self.zone or ZoneInfo("UTC")

    def next_opening(self, now: datetime) -> datetime | None:
        """`now` itself while there is somebody; None when nobody comes within a year. In the office's time zone."""
        here = now.astimezone(self.zone or UTC)
        if not self.spans:
            return here
        for days in range(_LOOKED_AHEAD):
            day = here.date() + timedelta(days=days)
            for begins, ends in self._of(day):
                opening = datetime.combine(day, begins, tzinfo=here.tzinfo)
                if here < opening:
                    return opening
                if days == 0 and here.time() < ends:
                    return here
        return None

    def _of(self, day: date) -> tuple[Span, ...]:
        if {day.isoformat(), day.isoformat()[5:]} & self.holidays:
            return ()
        return self.spans[day.weekday()]


def shown(moment: datetime, language: Language) -> str:
    """`пн 01.12 в 09:00 (Europe/Moscow)`."""
    day = f"{_SHOWN[language][moment.weekday()]} {moment:%d.%m}"
    at = "в" if language == "ru" else "at"
    return f"{day} {at} {moment:%H:%M} ({moment.tzinfo})"


def _check_holiday(text: str) -> None:
    try:
        date.fromisoformat(text if len(text) > len("01-01") else f"2024-{text}")
    except ValueError:
        raise ConfigurationError(
            f"REFDESK_OFFICE_HOLIDAYS: {text} is no day; write 2026-05-09, or 05-09 for every year"
        ) from None


def _read(part: str) -> Iterator[tuple[int, Span]]:
    found = _SPAN.fullmatch(part.lower())
    problem = ConfigurationError(f"REFDESK_OFFICE_HOURS: {part} is not understood; write it as in Mon-Fri 9:00-18:00")
    if found is None or found[1] not in _DAYS or (found[2] and found[2] not in _DAYS):
        raise problem
    try:
        begins = time(int(found[3]), int(found[4]))
        ends = time.max if (found[5], found[6]) == ("24", "00") else time(int(found[5]), int(found[6]))
    except ValueError:
        raise problem from None
    if begins >= ends:
        raise problem
    first, last = _DAYS.index(found[1]), _DAYS.index(found[2] or found[1])
    for step in range((last - first) % len(_DAYS) + 1):
        yield (first + step) % len(_DAYS), (begins, ends)
