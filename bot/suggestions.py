"""Known questions that are put before somebody who has not asked yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import zip_longest

from engine import Language
from engine.ports import FaqStore
from engine.types import FaqEntry

MOST = 4


class FaqSuggestions:
    def __init__(self, faq: FaqStore, audiences: frozenset[str]) -> None:
        self._faq, self._audiences = faq, audiences
        self._version = ""
        self._entries: tuple[FaqEntry, ...] = ()

    async def __call__(self, language: Language | None) -> Sequence[str]:
        if (version := await self._faq.version()) != self._version:
            self._entries, self._version = (await self._faq.load()).entries, version
        today = datetime.now(UTC).date().isoformat()
        return suggested([one for one in self._entries if _is_served(one, self._audiences, today)], language)


def suggested(entries: Iterable[FaqEntry], language: Language | None) -> list[str]:
    """Of each domain in turn, in the order of the FAQ; without a language, of both in turn."""
    spoken: dict[Language, dict[str | None, list[str]]] = {}
    for entry in entries:
        if language in (None, entry.language) and not entry.chats:
            spoken.setdefault(entry.language, {}).setdefault(entry.domain, []).extend(entry.questions[:1])
    return _in_turn([_in_turn(domains.values()) for domains in spoken.values()])[:MOST]


def _in_turn(rows: Iterable[Sequence[str]]) -> list[str]:
    return [one for taken in zip_longest(*rows) for one in taken if one]


def _is_served(entry: FaqEntry, audiences: frozenset[str], today: str) -> bool:
    return (
        bool(entry.audience & audiences)
        and (entry.valid_from is None or entry.valid_from <= today)
        and (entry.valid_until is None or today <= entry.valid_until)
    )
