"""What each tap keeps and shows, whichever platform it comes from."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from adapters.buttons import Keyboard, read_tap
from adapters.delivery import RateLimited
from adapters.taps import Acts, Taps, carry_out, is_under
from adapters.texts import Texts
from engine import Answer, Citation, Exchange, Inbound, Language
from tests.delivery_fakes import run
from tests.reception_fakes import Room, room

CITED = (Citation(document="rent/lease.md", section="7.2", title="Refund", page=3),)


@dataclass
class FakeTapped:
    """Room for `room` characters below an answer."""

    is_here: bool = True
    is_theirs: bool = True
    room: int = 1000
    language: Language = "ru"
    said: list[str] = field(default_factory=list[str])
    listed: list[str] = field(default_factory=list[str])
    under: Keyboard | None = None
    extended: str = ""
    closed: str = ""

    def is_at(self, exchange: Exchange) -> bool:
        return self.is_here

    def is_asker(self, exchange: Exchange) -> bool:
        return self.is_theirs

    async def say(self, text: str) -> None:
        self.said.append(text)

    async def show_apart(self, text: str) -> None:
        self.listed.append(text)

    async def change(self, exchange: Exchange, said: str, under: Keyboard) -> None:
        self.said.append(said)
        self.under = under

    async def extend(self, exchange: Exchange, answer: Answer, under: Keyboard) -> bool:
        if len(answer.text) > self.room:
            return False
        self.extended, self.under = answer.text, under
        return True

    async def close(self, exchange: Exchange, said: str) -> None:
        self.closed = said

    @property
    def verbs(self) -> list[str]:
        """Of the buttons that are there now."""
        taps = [read_tap(data) for row in self.under or () for _, data in row]
        return [tap.verb for tap in taps if tap is not None]


@dataclass
class Scene:
    here: Room
    taps: Taps
    tapped: FakeTapped

    async def tap(self, data: str) -> None:
        act = await self.taps.take(self.tapped, data)
        await act()

    async def exchange(self) -> Exchange:
        found = await self.here.inbox.exchange(1)
        assert found is not None
        return found


async def answered(kind: str = "answered", *, command: str = "", **values: Any) -> Scene:
    """A question that was answered so."""
    here = room()
    message = Inbound(key="m1", conversation="c", asker="a", text="How much is the rent?", command=command)
    stored = await here.inbox.accept(message)
    assert stored is not None
    await here.inbox.open([stored])
    answer = Answer(text="Ten.", kind=kind, language="en", citations=CITED)  # type: ignore[arg-type]
    await here.inbox.conclude(1, answer)
    await here.inbox.close(1, "done")
    taps = Taps(store=here.inbox, reception=here.reception, texts=Texts(), human=True)
    return Scene(here, taps, FakeTapped(**values))


def test_a_rating_is_kept_and_asked_about() -> None:
    async def work() -> None:
        scene = await answered()
        await scene.tap("down:1")
        assert (await scene.exchange()).rating == "not_helpful"
        assert scene.tapped.verbs == ["why"] * 4
        await scene.tap("why:1:incomplete")
        assert (await scene.exchange()).reason == "incomplete"
        assert scene.tapped.verbs == ["src", "human"]
        await scene.tap("up:1")
        assert (await scene.exchange()).rating == "helpful"
        assert scene.tapped.said == ["What was wrong?", "Thank you!", "Thank you!"]
        assert not scene.here.answers.said, "a made answer is not made again"

    run(work())


def test_a_stored_answer_that_did_not_help_asks_the_documents_once() -> None:
    async def work() -> None:
        scene = await answered("faq_direct")
        async with scene.here.reception as reception:
            await scene.tap("down:1")
            await reception.idle()
            await scene.here.inbox.conclude(1, Answer(text="Ten.", kind="faq_direct", language="en"))
            await scene.tap("down:1")
            await reception.idle()
        assert len(scene.here.answers.finished) == 1
        assert scene.tapped.said == ["Let me look in the documents instead ...", "What was wrong?"]
        assert (await scene.exchange()).rating == "not_helpful"

    run(work())


@pytest.mark.parametrize("kind", ["answered", "faq_direct", "missed", "blocked"])
def test_only_a_failure_is_tried_again(kind: str) -> None:
    async def work() -> None:
        scene = await answered(kind)
        failed = await answered("failed")
        for one in (scene, failed):
            async with one.here.reception as reception:
                await one.tap("again:1")
                await reception.idle()
        assert not scene.here.answers.said
        assert len(failed.here.answers.finished) == 1

    run(work())


def test_sources_are_shown_below_the_answer_or_apart() -> None:
    async def work() -> None:
        for size, apart in ((1000, False), (10, True)):
            scene = await answered(room=size)
            await scene.tap("src:1")
            assert bool(scene.tapped.listed) is apart
            assert ("Ten." in scene.tapped.extended) is not apart
            assert scene.tapped.verbs == ([] if apart else ["up", "down", "human"])
            assert "rent/lease.md" in (scene.tapped.extended or scene.tapped.listed[0])

    run(work())


@pytest.mark.parametrize("verb", ["up", "down", "why", "human", "lang", "again", "src"])
@pytest.mark.parametrize("elsewhere", [False, True])
def test_what_others_tap_changes_nothing(verb: str, elsewhere: bool) -> None:
    """Sources are for all who can read the answer, and for nobody elsewhere."""

    async def work() -> None:
        scene = await answered("failed", command="language", is_theirs=False, is_here=not elsewhere)
        before = await scene.exchange()
        await scene.tap(f"{verb}:1:ru")
        assert await scene.exchange() == before
        assert len(scene.here.inbox.messages) == 1
        assert (await scene.here.inbox.standing("c")).language is None
        assert bool(scene.tapped.extended) is (verb == "src" and not elsewhere)

    run(work())


def test_a_call_for_a_human_is_one_message() -> None:
    async def work() -> None:
        scene = await answered()
        async with scene.here.reception as reception:
            for _ in range(2):
                await scene.tap("human:1")
            await reception.idle()
        assert [one.command for one in scene.here.inbox.exchanges.values()] == ["", "human"]

    run(work())


@pytest.mark.parametrize(("command", "language"), [("language", "ru"), ("", None)])
def test_a_language_is_chosen_where_it_was_asked_for(command: str, language: str | None) -> None:
    async def work() -> None:
        scene = await answered(command=command)
        await scene.tap("lang:1:ru")
        assert (await scene.here.inbox.standing("c")).language == language
        assert scene.tapped.closed == ("Буду отвечать по-русски." if language else "")

    run(work())


@pytest.mark.parametrize("data", ["up:999", "up", "nonsense", "", "up:-1"])
def test_what_is_not_known_is_said_in_the_language_of_who_taps(data: str) -> None:
    async def work() -> None:
        scene = await answered()
        await scene.tap(data)
        assert scene.tapped.said == ["Этот ответ я уже не помню."]

    run(work())


def test_an_answer_that_was_just_sent_is_the_one_tapped() -> None:
    """The platform shows a message before its id has come back to us."""
    sending = Exchange(id=1, conversation="c", asker="a", text="", place={}, posted=("1",), sending="mark")
    assert is_under(sending, "2")
    sent = replace(sending, posted=("1", "2"), sending=None)
    assert is_under(sent, "2")
    assert not is_under(sent, "1")


@pytest.mark.parametrize("error", [RateLimited(1.0), ConnectionError("gone")])
async def test_a_refused_answer_to_a_tap_harms_nobody(error: Exception) -> None:
    async def act() -> None:
        raise error

    await carry_out(act, (ConnectionError,))


async def test_a_broken_answer_to_a_tap_is_not_hidden() -> None:
    async def act() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await carry_out(act, (ConnectionError,))


async def test_what_is_answered_later_is_waited_for_and_then_ended() -> None:
    acts, done = Acts((ConnectionError,)), list[str]()

    async def soon() -> None:
        await asyncio.sleep(0)
        done.append("soon")

    async def never() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            done.append("ended")

    async def refused() -> None:
        raise ConnectionError

    for act in (soon, never, refused):
        acts.later(act)
    await acts.aclose(0.05)
    assert done == ["soon", "ended"]
    await acts.aclose(0.05)
