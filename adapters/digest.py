"""The weekly digest of unanswered questions in the support chat: Markdown and buttons, for every platform.

It is a relay that belongs to no ticket: by its key it is said once, whoever says it, and it is sent and changed as any
other. It holds numbers only. The texts are looked up when it is shown, so that what was forgotten is not seen again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

from adapters.buttons import MOST_BYTES, Keyboard
from adapters.texts import Texts
from adapters.tickets import TicketStore
from engine import GapState, Language, Relay

NO_TICKET = 0
_QUESTION_CHARACTERS = 160
_MARKS: dict[GapState, str] = {"new": "⚪", "taken": "🟡", "written": "🟢", "wont_do": "⚫"}

GapVerb = Literal["take", "written", "wont", "new"]
_STATES: dict[GapVerb, GapState] = {"take": "taken", "written": "written", "wont": "wont_do", "new": "new"}
_CAPTIONS: dict[GapVerb, str] = {"take": "✋", "written": "✅", "wont": "🚫", "new": "↩️"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GapLook:
    """A gap as it is now."""

    question: str
    """The latest wording that is kept; "" when none is."""
    state: GapState
    by: str


class Gaps(Protocol):
    """What editors make of gaps. Raises KnowledgeError or ProviderError when the database does not work."""

    async def look(self, misses: Sequence[int]) -> GapLook: ...

    async def mark(self, misses: Sequence[int], state: GapState, by: str) -> None: ...


@dataclass(frozen=True, slots=True)
class GapTap:
    verb: GapVerb
    week: str
    number: int
    """Its place in the digest, from 1 on."""

    def data(self) -> str:
        data = f"g:{self.verb}:{self.week}:{self.number}"
        assert len(data.encode()) <= MOST_BYTES
        return data


def read_gap_tap(data: str) -> GapTap | None:
    """None for what is no digest's."""
    parts = data.split(":")
    if len(parts) != 4 or parts[0] != "g":
        return None
    verb = next((one for one in get_args(GapVerb) if one == parts[1]), None)
    number = parts[3]
    if verb is None or not (number.isascii() and number.isdigit() and len(number) < 4):
        return None
    return GapTap(verb, parts[2], int(number))


def digest_key(desk: str, week: str) -> str:
    return f"digest:{desk}:{week}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """The digests of one support chat."""

    desk: str
    """The desk whose support chat it is."""
    tickets: TicketStore
    gaps: Gaps
    texts: Texts

    async def page(self, relay: Relay) -> tuple[str, Keyboard]:
        content, language = relay.content, _language(relay.content)
        looks = [await self.gaps.look(gap["misses"]) for gap in content["gaps"]]
        parts = [self._head(content, language)]
        if not looks:
            parts.append(self.texts("digest_none", language))
        for number, (gap, look) in enumerate(zip(content["gaps"], looks, strict=True), 1):
            parts.append(self._gap(number, gap, look, language))
        if content["popular"]:
            lines = [f"- {one['count']}× {_plain(one['question'])}" for one in content["popular"]]
            parts.append("\n".join([self.texts("digest_popular", language), *lines]))
        if looks:
            parts.append(self.texts("digest_buttons", language))
        rows = (_row(content["week"], number, look.state) for number, look in enumerate(looks, 1))
        return "\n\n".join(parts), tuple(rows)

    async def tapped(self, tap: GapTap, by: str, language: Language | None) -> str:
        """Kept when this returns; what is returned tells who tapped."""
        relay = await self._relay(tap.week)
        if relay is None or not 0 < tap.number <= len(relay.content["gaps"]):
            return self.gone(language)
        state = _STATES[tap.verb]
        await self.gaps.mark(relay.content["gaps"][tap.number - 1]["misses"], state, by)
        touched = relay.content.get("touched", 0) + 1
        await self.tickets.amend(relay.key, {**relay.content, "touched": touched})
        return self.texts(f"gap_{state}", language or _language(relay.content))

    def gone(self, language: Language | None = None) -> str:
        return self.texts("digest_gone", language or "en")

    async def _relay(self, week: str) -> Relay | None:
        key = digest_key(self.desk, week)
        return next((one for one in await self.tickets.relays(NO_TICKET) if one.key == key), None)

    def _head(self, content: Mapping[str, Any], language: Language) -> str:
        title = self.texts("digest_title", language, begins=content["begins"], ends=content["ends"])
        counts = self.texts("digest_counts", language, asked=content["asked"], missed=content["missed"])
        return f"{title}\n{counts}"

    def _gap(self, number: int, gap: Mapping[str, Any], look: GapLook, language: Language) -> str:
        more = gap["total"] > gap["count"]
        text = self.texts(
            "digest_gap",
            language,
            mark=_MARKS[look.state],
            number=number,
            question=_plain(look.question) or self.texts("digest_forgotten", language),
            count=gap["count"],
            trend=self.texts(f"digest_{gap['trend']}", language),
            always=self.texts("digest_always", language, total=gap["total"]) if more else "",
        )
        return text + (self.texts("digest_by", language, by=_plain(look.by)) if look.by else "")


def _row(week: str, number: int, state: GapState) -> tuple[tuple[str, str], ...]:
    """Whatever it is not yet; from new on, there is no way back but from something else."""
    return tuple(
        (f"{number} {_CAPTIONS[verb]}", GapTap(verb, week, number).data())
        for verb in get_args(GapVerb)
        if _STATES[verb] != state
    )


def _language(content: Mapping[str, Any]) -> Language:
    return "ru" if content.get("language") == "ru" else "en"


def _plain(text: str) -> str:
    """One line of bounded length, with whatever Markdown would read as its own escaped."""
    flat = " ".join(text.split())
    cut = flat if len(flat) <= _QUESTION_CHARACTERS else f"{flat[:_QUESTION_CHARACTERS].rstrip()}…"
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#~|" else letter for letter in cut)
