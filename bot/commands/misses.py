from __future__ import annotations

import argparse
import getpass
import json
import sys
from datetime import UTC, datetime
from typing import Any

from bot.commands.arguments import MOST_DAYS, MOST_LISTED, from_1_to
from bot.gap_desk import DAYS, GapDesk, Popular
from bot.gap_sources import open_gap_sources
from bot.settings import Settings
from bot.wiring import open_misses
from engine import ConfigurationError
from engine.matching.gaps import Gap, per_week, trend
from engine.text.personal import masked
from engine.types import GapState, Miss, Route

NAME = "misses"
HELP = "the questions that nobody could answer, those that ask the same together; what becomes of them"

_ACTS: dict[str, GapState] = {"take": "taken", "written": "written", "wont-do": "wont_do", "reopen": "new"}
_POPULAR = 10
_NEAREST = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("act", nargs="?", choices=["list", *_ACTS], default="list", help="what becomes of a group")
    parser.add_argument("id", nargs="?", type=int, help="the group's number, or that of any miss in it")
    parser.add_argument("--limit", type=from_1_to(MOST_LISTED), default=50, metavar="N", help="how many (default: 50)")
    parser.add_argument(
        "--days", type=from_1_to(MOST_DAYS), default=DAYS, metavar="N", help=f"how many days back (default: {DAYS})"
    )
    parser.add_argument("--state", choices=["open", "new", "taken", "written", "wont-do"], help="only these groups")
    parser.add_argument("--each", action="store_true", help="every miss by itself, newest first")
    parser.add_argument("--by", default="", metavar="NAME", help="who decides (default: the user of this machine)")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")


async def run(options: argparse.Namespace, settings: Settings) -> int:
    if options.act != "list":
        return await _decide(options, settings)
    return await (_each if options.each else _groups)(options, settings)


async def _decide(options: argparse.Namespace, settings: Settings) -> int:
    if options.id is None:
        raise ConfigurationError(f"which one? `refdesk misses {options.act} ID`; `refdesk misses` lists them")
    state = _ACTS[options.act]
    async with open_gap_sources(settings) as sources:
        desk = GapDesk(sources, settings.audiences)
        found = await desk.find(options.days, tried=0)
        gap = next((gap for gap in found.gaps if any(miss.id == options.id for miss in gap.misses)), None)
        if gap is None:
            raise ConfigurationError(f"there is no miss {options.id}; `refdesk misses` lists them")
        await desk.mark([miss.id for miss in gap.misses], state, options.by or getpass.getuser())
    sys.stdout.write(f"#{gap.id} is {_shown(state)}: {gap.example.question}\n")
    return 0


async def _groups(options: argparse.Namespace, settings: Settings) -> int:
    async with open_gap_sources(settings) as sources:
        found = await GapDesk(sources, settings.audiences).find(options.days, tried=options.limit)
    gaps = [gap for gap in found.gaps if options.state is None or _wanted(gap, options.state)][: options.limit]
    now = datetime.now(UTC)
    popular = found.popular[:_POPULAR] if options.state is None else ()
    if options.json:
        for gap in gaps:
            _write_json(gap_row(gap, now))
        for one in popular:
            _write_json(_popular_row(one))
    else:
        _tell(gaps, popular, now)
    return 0


def gap_row(gap: Gap, now: datetime) -> dict[str, Any]:
    example, counts = gap.example, _per_week(gap, now)
    return {
        "kind": "unanswered",
        "id": gap.id,
        "question": masked(example.question),
        "count": gap.count,
        "answered": len(gap.answered),
        "first_seen": gap.misses[0].asked_at,
        "last_seen": example.asked_at,
        "per_week": counts,
        "trend": trend(counts),
        "languages": list(gap.languages),
        "language": example.language,
        "reason": example.reason,
        "best_score": example.best_score,
        "route": _where(example.route),
        "state": gap.state,
        "state_by": gap.mark.changed_by if gap.mark else None,
        "missed_since": gap.since,
        "served_by": gap.served_by,
        "nearest": [{"entry": pair.entry, "question": pair.question, "score": pair.score} for pair in gap.nearest],
        "passages": list(example.tried.get("passages", ())),
        "misses": [miss.id for miss in gap.misses],
    }


def _popular_row(one: Popular) -> dict[str, Any]:
    return {
        "kind": "answered",
        "question": masked(one.question),
        "count": one.count,
        "last_seen": one.last_seen,
        "entry": one.entry,
    }


def _tell(gaps: list[Gap], popular: tuple[Popular, ...], now: datetime) -> None:
    lines: list[str] = []
    for gap in gaps:
        lines += _lines(gap, now)
    if popular:
        lines += ["", "Asked often and answered:"]
        lines += [f"{one.count:>5}  {one.entry or 'documents'}  {_flat(one.question)}" for one in popular]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _lines(gap: Gap, now: datetime) -> list[str]:
    counts = _per_week(gap, now)
    seen = f"{gap.misses[0].asked_at[:10]}..{gap.example.asked_at[:10]}"
    state = _shown(gap.state)
    if gap.served_by:
        state += f" ({gap.served_by} answers it)"
    elif gap.since:
        state += f", missed {gap.since}x since"
    facts = [f"#{gap.id}", f"{gap.count}x", trend(counts), seen, ",".join(gap.languages), state]
    lines = ["  ".join(facts), f"      {_flat(gap.example.question)}"]
    lines.append(f"      by week: {' '.join(map(str, counts))}")
    if gap.answered:
        lines.append(f"      answered from documents {len(gap.answered)}x")
    lines += [f"      FAQ {pair.score:.2f}  {pair.entry}  {_flat(pair.question)}" for pair in gap.nearest[:_NEAREST]]
    for one in gap.example.tried.get("passages", [])[:_NEAREST]:
        place = " ".join(part for part in (one["document"], one.get("section"), one.get("title")) if part)
        lines.append(f"      document {one['score']:.2f}  {place}")
    return lines


async def _each(options: argparse.Namespace, settings: Settings) -> int:
    async with open_misses(settings) as misses:
        for miss in await misses.list(options.limit):
            _tell_miss(miss, as_json=options.json)
    return 0


def _tell_miss(miss: Miss, *, as_json: bool) -> None:
    where = _where(miss.route)
    if as_json:
        _write_json(
            {
                "id": miss.id,
                "asked_at": miss.asked_at,
                "question": masked(miss.question),
                "language": miss.language,
                "best_score": miss.best_score,
                "reason": miss.reason,
                "route": where,
            }
        )
    else:
        facts = [miss.asked_at[:16], miss.language, f"{miss.best_score:.2f}", miss.reason, where or "-"]
        sys.stdout.write("  ".join([*facts, miss.question]) + "\n")


def _per_week(gap: Gap, now: datetime) -> list[int]:
    return per_week([miss.asked_at for miss in gap.misses], now)


def _wanted(gap: Gap, state: str) -> bool:
    return gap.state in ("new", "taken") if state == "open" else _shown(gap.state) == state


def _shown(state: GapState) -> str:
    return state.replace("_", "-")


def _where(route: Route | None) -> str | None:
    return "/".join(part for part in (route.domain, route.collection) if part) or None if route else None


def _flat(text: str) -> str:
    return " ".join(text.split())


def _write_json(row: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
