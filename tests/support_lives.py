"""Both platforms in processes that can be killed: `python -m tests.support_lives "TELEGRAM SLACK PEOPLE" FOLDER`.

Where a file `fatal` says `4 before`, the process kills itself before its fourth write to the database; or `after` it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import adapters.slack.app as slack
import adapters.telegram.app as telegram
from adapters.pacing import Limits
from adapters.reception import Habits
from adapters.slack.running import run_slack
from adapters.support import Support
from adapters.support_desk import Bells
from adapters.telegram.config import Spot
from engine import AnswerEvent, Final, Outcome, Question
from engine.providers.state.database import Database
from engine.providers.state.inbox import SqlInbox
from engine.providers.state.tickets import SqlTickets
from tests import slack_desk, telegram_desk
from tests.lives import fork_lives
from tests.slack_server import SUPPORT

GROUP = -1_000_000_000_009
WRITES = frozenset(
    "accept amend anchor close conclude done fail give_back hand_over house join keep_file note open say take".split()
)
Store = TypeVar("Store")


@dataclass
class Fatal:
    """Counts down the writes of all stores."""

    left: int
    when: str

    def counted(self, store: Store) -> Store:
        for name in WRITES:
            if hasattr(store, name):
                setattr(store, name, self._wrapped(getattr(store, name)))
        return store

    def _wrapped(self, call: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(call)
        async def write(*given: Any, **named: Any) -> Any:
            self.left -= 1
            last = self.left == 0
            if last and self.when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            done = await call(*given, **named)
            if last:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        return write


class MissingEngine:
    """Knows nothing."""

    @asynccontextmanager
    async def answer(self, question: Question) -> AsyncGenerator[AsyncIterator[AnswerEvent], None]:
        async def events() -> AsyncIterator[AnswerEvent]:
            yield Final(Outcome(id=question.id, kind="missed", text="I do not know.", language="en"))

        yield events()


def fatal(folder: Path) -> Fatal:
    found = folder / "fatal"
    left, when = found.read_text().split() if found.exists() else ("0", "never")
    return Fatal(int(left), when)


async def live(addresses: str, folder: Path) -> None:
    telegram_url, slack_url, people = addresses.split()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    spot = Spot(chat=GROUP) if people.startswith("telegram") else None
    in_telegram = telegram_desk.config(_Reachable(telegram_url), support=spot)
    in_slack = slack_desk.config(slack_url, support=None if spot else SUPPORT)
    end, limits = fatal(folder), Limits(backoff=0.05)
    async with Database.open(f"sqlite:///{folder}/state.db") as database, slack.opened_client(in_slack) as client:
        me = await slack.who_am_i(client)
        tickets = end.counted(SqlTickets(database))
        given: dict[str, Any] = {"tickets": tickets, "people": people, "bells": Bells(), "lease_seconds": 0.4}
        common: dict[str, Any] = {"habits": Habits(burst=0.05, together=0.0), "patience": 0.2}
        inboxes = [end.counted(SqlInbox(database, desk)) for desk in (in_telegram.desk, me.desk)]
        with suppress(asyncio.CancelledError):
            await asyncio.gather(
                telegram.run_telegram(
                    in_telegram,
                    MissingEngine(),
                    inboxes[0],
                    stop,
                    support=Support(desk=in_telegram.desk, **given),
                    **common,
                ),
                run_slack(
                    client,
                    me,
                    in_slack,
                    MissingEngine(),
                    inboxes[1],
                    stop,
                    support=Support(desk=me.desk, **given),
                    limits=limits,
                    **common,
                ),
            )


@dataclass
class _Reachable:
    url: str


if __name__ == "__main__":
    fork_lives(lambda: live(sys.argv[1], Path(sys.argv[2])))
