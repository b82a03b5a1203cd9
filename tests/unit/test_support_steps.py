"""Each step of a ticket's life, cut off at every write and done again: as if it had never been cut off."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from adapters.carrying import Carrying
from adapters.claims import Claims
from adapters.desk_people import DeskPeople
from adapters.mirroring import is_gone
from adapters.pacing import DeliveryFailed
from adapters.relays import Refused, RelayRunner, RelayTrace
from adapters.said import Attached, Said
from adapters.support_desk import SupportDesk
from adapters.texts import Texts
from adapters.ticket_buttons import TicketTap
from engine import Relay, Ticket
from tests.fake_claims import FakeClaims
from tests.fake_inbox import FakeInbox
from tests.fake_tickets import FakeTickets

DESK, OTHER = "telegram:1", "slack:T:U"
WRITES = frozenset(
    "take give_back close house anchor say amend note done fail keep_file hand_over lose open release".split()
)
MOST_WRITES = 20
NEAREST = {"nearest": [{"entry": "pets", "question": "Cats?", "answer": "Yes.", "score": 0.7}]}


class Cut(Exception):
    """The process dies here."""


@dataclass
class Cutting:
    """A store that lets through so many writes; the last one may be done, or not."""

    store: Any
    shared: list[int]
    after: bool

    def __getattr__(self, name: str) -> Any:
        call = getattr(self.store, name)
        if name not in WRITES:
            return call

        async def write(*given: Any, **named: Any) -> Any:
            self.shared[0] -= 1
            if self.shared[0] == 0 and not self.after:
                raise Cut
            done = await call(*given, **named)
            if self.shared[0] == 0:
                raise Cut
            return done

        return write


@dataclass
class World:
    tickets: FakeTickets = field(default_factory=FakeTickets)
    inbox: FakeInbox = field(default_factory=FakeInbox)

    def desk(self, left: int = 0, *, after: bool = False, name: str = DESK) -> SupportDesk:
        shared = [left]
        tickets: Any = Cutting(self.tickets, shared, after) if left else self.tickets
        inbox: Any = Cutting(self.inbox, shared, after) if left else self.inbox
        return SupportDesk(name=name, people=OTHER, tickets=tickets, inbox=inbox)

    def seen(self) -> Any:
        """All that anybody will see."""
        tickets = [replace(one, opened_at="") for one in self.tickets.tickets.values()]
        relays = [(one.key, one.to, one.kind, one.content) for one in self.tickets.kept.values()]
        owners = {name: standing[0].owner for name, standing in self.inbox.standings.items()}
        return tickets, relays, owners


def ticket() -> Ticket:
    return Ticket(
        desk=DESK,
        conversation="c",
        asker="7",
        question="Snakes?",
        language="en",
        reason="missed",
        tried=NEAREST,
        place={"message": 1},
    )


def said(key: str = "m1", text: str = "No snakes.", **values: Any) -> Said:
    return Said(desk=OTHER, key=key, number=5, markdown=text, **values)


async def prepared(world: World, *steps: str) -> Ticket:
    desk = world.desk()
    opened, _ = await desk.open(ticket())
    for step in steps:
        match step:
            case "taken":
                await desk.take(opened, "anna", "Anna")
            case "answered":
                await desk.answered(opened, said(), "anna", "Anna")
            case "answered in pieces":
                await desk.answered(opened, said(text="word " * 999, files=(FILE,)), "anna", "Anna")
    return await world.tickets.ticket(opened.id) or opened


async def tapped(desk: SupportDesk, verb: Any, choice: str = "") -> None:
    await DeskPeople(desk=desk, texts=Texts()).tapped(TicketTap(verb, 1, choice), "anna", "Anna")


async def fresh(desk: SupportDesk) -> Ticket:
    found = await desk.tickets.ticket(1)
    assert found is not None
    return found


async def wrote(desk: SupportDesk, message: Said) -> None:
    await DeskPeople(desk=desk, texts=Texts()).wrote(await fresh(desk), message, "x", "anna", "Anna")


FILE, OTHER_FILE = (Attached(name="rule.pdf", size=9, ref={"id": id}, id=id) for id in ("F1", "F2"))


async def retold(desk: SupportDesk) -> None:
    """Slack may tell a message again, with what became of it told before."""
    await desk.retract("m1")
    await wrote(desk, said(text="word " * 999, files=(FILE,)))


STEPS: dict[str, tuple[tuple[str, ...], Callable[[SupportDesk], Awaitable[Any]]]] = {
    "opened": (("none",), lambda desk: desk.open(ticket())),
    "heard": ((), lambda desk: desk.heard("c", said())),
    "heard in pieces, with a file": ((), lambda desk: desk.heard("c", said(text="word " * 999, files=(FILE,)))),
    "taken": ((), lambda desk: tapped(desk, "take")),
    "answered": ((), lambda desk: wrote(desk, said())),
    "answered with a file": ((), lambda desk: wrote(desk, said(files=(FILE,)))),
    "answered again": (("answered",), lambda desk: wrote(desk, said("m2"))),
    "edited": (("answered",), lambda desk: desk.amend(said(text="word " * 999))),
    "edited with a file": (("answered",), lambda desk: desk.amend(said(files=(FILE,)))),
    "edited with another file": (("answered in pieces",), lambda desk: desk.amend(said(files=(OTHER_FILE,)))),
    "deleted": (("answered",), lambda desk: desk.retract("m1")),
    "deleted with a file": (("answered in pieces",), lambda desk: desk.retract("m1")),
    "told again after it was deleted": (("answered",), retold),
    "handed back": (("taken",), lambda desk: tapped(desk, "back")),
    "closed": (("answered",), lambda desk: tapped(desk, "close")),
    "off topic": ((), lambda desk: tapped(desk, "off")),
    "answered with an entry": ((), lambda desk: tapped(desk, "faq", "0")),
}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("step", STEPS)
async def test_a_step_that_was_cut_off_is_done_again(step: str, after: bool) -> None:
    before, act = STEPS[step]
    whole = World()
    if before != ("none",):
        await prepared(whole, *before)
    await act(whole.desk())
    cuts = 0
    for left in range(1, MOST_WRITES):
        world = World()
        if before != ("none",):
            await prepared(world, *before)
        try:
            await act(world.desk(left, after=after))
        except Cut:
            cuts += 1
        await act(world.desk())
        assert world.seen() == whole.seen(), f"cut off at write {left}"
    assert 0 < cuts < MOST_WRITES - 1, "every write was met"


# --- carrying -------------------------------------------------------------------------------------------------------


@dataclass
class Postman:
    """A platform on which messages stay, whatever becomes of us."""

    world: World
    sent: dict[str, str] = field(default_factory=dict[str, str])
    """Text by id."""
    marks: dict[str, str] = field(default_factory=dict[str, str])
    lost: bool = False
    """The deed is done, and we die of it."""

    async def find(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        await trace.settle(self.marks.get(trace.mark or ""))

    async def carry(self, ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        if relay.content.get("text") == "refused":
            raise Refused("no")
        if is_gone(relay):
            self.sent.pop(trace.target or "", None)
        elif trace.target is None:
            await trace.intend(f"mark {relay.key} {len(self.sent)}")
            id = str(len(self.marks) + 1)
            self.sent[id], self.marks[trace.mark or ""] = relay.content["text"], id
            if self.lost:
                self.lost = False
                raise Cut
            await trace.settle(id)
        else:
            self.sent[trace.target] = relay.content["text"]

    def claimed(self, ticket: Ticket, relay: Relay) -> str | None:
        return "a chat"

    async def report(self, ticket: Ticket, relay: Relay, why: str, *, gone: bool) -> None:
        desk = self.world.desk(name=OTHER)
        await desk.tell_people(ticket, "it was refused", f"failed:{relay.id}")


async def round_of(world: World, postman: Postman, left: int = 0, *, after: bool = False) -> None:
    runner = RelayRunner(world.desk(left, after=after), postman)
    await runner.round()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
async def test_what_is_carried_comes_once_wherever_the_process_dies(after: bool) -> None:
    for left in range(1, 20):
        world = World()
        opened = await prepared(world, "answered")
        desk = world.desk()
        for key, text in (("m2", "Nor lizards."), ("m3", "refused"), ("m4", "Sorry.")):
            await desk.answered(opened, said(key, text), "anna", "Anna")
        postman = Postman(world)
        for attempt in range(8):
            if attempt == 4:
                await desk.amend(said(text="No snakes at all."))
            try:
                await round_of(world, postman, left if attempt in (0, 4) else 0, after=after)
            except Cut:
                continue
        assert list(postman.sent.values()) == ["No snakes at all.", "Nor lizards.", "Sorry."], f"died at write {left}"
        told = [one for one in world.tickets.kept.values() if one.key.startswith("failed:")]
        assert len(told) == 1


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("sent_before", [False, True])
async def test_what_was_deleted_is_taken_away_wherever_the_process_dies(sent_before: bool, after: bool) -> None:
    """Also when it was being sent, or had been and we did not know."""
    for left in range(1, 20):
        world = World()
        opened = await prepared(world, "answered")
        await world.desk().answered(opened, said("m2", "Nor lizards."), "anna", "Anna")
        postman = Postman(world)
        for attempt in range(6):
            if attempt == (3 if sent_before else 1):
                await world.desk().retract("m1")
            try:
                await round_of(world, postman, left if attempt in (0, 3) else 0, after=after)
            except Cut:
                continue
        assert list(postman.sent.values()) == ["Nor lizards."], f"died at write {left}"
        assert not await world.tickets.due(DESK)


async def test_a_deletion_that_cannot_be_carried_out_is_reported_to_nobody() -> None:
    world = World()
    opened = await prepared(world, "answered")
    await world.desk().retract("m1")
    (relay,) = await world.tickets.due(DESK)
    carrying = Carrying(desk=world.desk(), texts=Texts())
    for gone in (True, False):
        await carrying.report(opened, relay, "no", gone=gone)
    assert [one.kind for one in world.tickets.kept.values()] == ["head", "people"]


async def test_a_deed_whose_word_never_came_is_not_done_again() -> None:
    world = World()
    await prepared(world, "answered")
    postman = Postman(world, lost=True)
    for _ in range(3):
        await round_of(world, postman)
    assert list(postman.sent.values()) == ["No snakes."]


async def test_what_waits_keeps_its_order() -> None:
    world = World()
    opened = await prepared(world, "answered")
    await world.desk().answered(opened, said("m2", "Nor lizards."), "anna", "Anna")
    postman, tries = Postman(world), 0
    carry = postman.carry

    async def busy(ticket: Ticket, relay: Relay, trace: RelayTrace) -> None:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise DeliveryFailed("fetch", retry_after=0.01)
        await carry(ticket, relay, trace)

    postman.carry = busy  # type: ignore[method-assign]
    for _ in range(3):
        await round_of(world, postman)
    assert list(postman.sent.values()) == ["No snakes.", "Nor lizards."]


async def test_nothing_is_carried_to_where_another_process_answers() -> None:
    world = World()
    await prepared(world, "answered")
    postman, mine = Postman(world), FakeClaims()
    runner = RelayRunner(world.desk(), postman, claims=Claims(mine))
    theirs = mine.beside()
    await theirs.claim("a chat")
    assert await runner.round() < 1, "it is tried again soon"
    assert postman.sent == {}
    await theirs.release("a chat")
    await runner.round()
    assert list(postman.sent.values()) == ["No snakes."]
    assert await theirs.claim("a chat") == "fresh", "given back"


async def test_of_two_processes_one_carries() -> None:
    world = World()
    await prepared(world, "answered")
    postman = Postman(world)
    desks = [world.desk(), world.desk()]
    running = [asyncio.create_task(RelayRunner(desk, postman, lease_seconds=0.4).run()) for desk in desks]
    try:
        async with asyncio.timeout(20):
            while await world.tickets.due(DESK):  # noqa: ASYNC110 - a store tells nobody
                await asyncio.sleep(0.01)
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)
    assert list(postman.sent.values()) == ["No snakes."]
    assert world.tickets.leases == {}, "given up when they end"


def test_every_write_has_its_name() -> None:
    assert {name for name in WRITES if hasattr(FakeTickets, name) or hasattr(FakeInbox, name)} == WRITES
