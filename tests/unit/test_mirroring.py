"""Copies of messages follow what becomes of the messages: other words, other files, nothing any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.mirroring import deleted, is_gone, rewritten
from adapters.said import Attached, Said
from adapters.support_desk import SupportDesk
from engine import Relay
from tests.fake_inbox import FakeInbox
from tests.fake_tickets import FakeTickets

TELEGRAM, SLACK = "telegram:1", "slack:T:U"
NATIVE = {"chat": 7, "message": 5, "text": "", "captioned": False, "entities": []}


def files(*ids: str) -> tuple[Attached, ...]:
    return tuple(Attached(name=f"{id}.pdf", size=9, ref={"id": id}, id=id) for id in ids)


def said(markdown: str, *ids: str, **values: Any) -> Said:
    return Said(desk=TELEGRAM, key="m1", number=5, markdown=markdown, files=files(*ids), **values)


def native(text: str, *ids: str) -> Said:
    return said(text, *ids, native={**NATIVE, "text": text, "captioned": bool(ids)})


def made_of(message: Said, to: str = SLACK) -> list[Relay]:
    return message.relays(1, to, "asker")


def done(relays: Sequence[Relay]) -> list[Relay]:
    return [replace(one, done=one.version, target=one.key) for one in relays]


def after(made: Sequence[Relay], changes: Sequence[Relay]) -> list[Relay]:
    """Relays as they are kept then."""
    by_key = {one.key: one for one in made}
    for change in changes:
        before = by_key.get(change.key)
        by_key[change.key] = change if before is None else replace(before, content=change.content)
    return list(by_key.values())


def told(changes: Sequence[Relay]) -> list[tuple[str, Any]]:
    return [(one.key, one.content) for one in changes]


GONE = {"gone": "…"}


def test_all_pieces_and_files_of_what_was_deleted_go() -> None:
    message = said("word " * 900, "a")
    waiting = told(deleted(made_of(message)))
    assert waiting == [(key, GONE) for key in ("fetch:m1:file:1", "m1", "m1#2", "m1#3", "m1:file:1")]
    fetched = told(deleted(done(made_of(message))))
    assert fetched == [(key, GONE) for key in ("m1", "m1#2", "m1#3", "m1:file:1")]


@pytest.mark.parametrize("message", [said("word " * 900, "a"), native("words", "a")], ids=["pieces", "whole"])
def test_what_was_deleted_stays_so_whatever_is_heard_of_it(message: Said) -> None:
    gone = after(made_of(message, TELEGRAM), deleted(made_of(message, TELEGRAM)))
    assert deleted(gone) == []
    assert rewritten(replace(message, markdown="other words", files=files("b")), gone) == []


def test_a_file_that_was_added_comes_after_all_others() -> None:
    made = done(made_of(said("words", "a")))
    changes = rewritten(said("words", "b", "a"), made)
    assert [one.key for one in changes] == ["m1", "fetch:m1:file:2", "m1:file:2"]
    assert changes[-1].content["file"]["name"] == "b.pdf"
    again = rewritten(said("words", "b", "a"), after(made, changes))
    assert [one.key for one in again] == ["m1"], "once"


def test_a_file_in_the_place_of_another_one() -> None:
    made = done(made_of(said("words", "a")))
    changes = rewritten(said("words", "b"), made)
    assert told(changes)[:2] == [("m1", {"text": "words"}), ("m1:file:1", GONE)]
    assert [one.key for one in changes[2:]] == ["fetch:m1:file:2", "m1:file:2"]


def test_a_file_that_was_not_fetched_yet_is_not_fetched_any_more() -> None:
    changes = rewritten(said("words"), made_of(said("words", "a")))
    assert told(changes) == [("m1", {"text": "words"}), ("fetch:m1:file:1", GONE), ("m1:file:1", GONE)]


def test_words_that_come_to_a_file() -> None:
    assert told(rewritten(said("words", "a"), done(made_of(said("", "a"))))) == [("m1", {"text": "words"})]


def test_a_message_with_nothing_left_in_it_goes() -> None:
    assert told(rewritten(said("  "), done(made_of(said("words", "a"))))) == [("m1", GONE), ("m1:file:1", GONE)]


def test_files_whose_ids_are_not_known_any_more_are_left_alone() -> None:
    """Of an earlier version, or with all texts removed as they are old."""
    for content in ({}, {"file": {"name": "a.pdf", "size": 9, "mime": ""}}):
        made = [replace(one, content=content) if "file" in one.key else one for one in done(made_of(said("w", "a")))]
        assert told(rewritten(said("words", "a", "b"), made)) == [("m1", {"text": "words"})]


def test_words_of_a_copy_stay_when_a_picture_is_added() -> None:
    made = done(made_of(native("words"), TELEGRAM))
    picture, words = rewritten(native("other words", "a"), made)
    assert (picture.key, picture.content["bare"], picture.content["native"]["text"]) == ("m1:file:1", True, "")
    assert words.key == "m1"
    assert words.content["native"]["text"] == "other words"
    assert not words.content["native"]["captioned"], "it was sent as a text"
    kept = after(made, [picture, words])
    (again,) = rewritten(native("other words", "a"), kept)
    assert again.content == words.content


def test_a_picture_in_the_place_of_another_one_takes_the_words_along() -> None:
    made = done(made_of(native("words", "a"), TELEGRAM))
    picture, gone = rewritten(native("words", "b"), made)
    assert (picture.key, picture.content["native"]["text"], "bare" in picture.content) == ("m1:file:1", "words", False)
    assert told([gone]) == [("m1", GONE)]
    (words,) = rewritten(native("other words", "b"), after(made, [picture, gone]))
    assert (words.key, words.content["native"]["text"]) == ("m1:file:1", "other words")


def test_the_words_under_a_picture_are_changed_in_place() -> None:
    made = done(made_of(native("words", "a"), TELEGRAM))
    (words,) = rewritten(native("other words", "a"), made)
    assert (words.key, words.content["native"]["captioned"]) == ("m1", True)
    without_ids = [replace(one, content={"native": one.content["native"]}) for one in made]
    assert [one.key for one in rewritten(native("other words", "b"), without_ids)] == ["m1"]


EDITS = st.lists(st.tuples(st.sampled_from(["", "words", "word " * 900]), st.sets(st.sampled_from("abc"))), max_size=4)


@given(EDITS, st.booleans(), st.booleans())
async def test_what_is_shown_is_what_is_there_and_nothing_after_it_was_deleted(
    edits: list[tuple[str, set[str]]], whole: bool, ends: bool
) -> None:
    """Whatever is told twice, too."""
    tickets = FakeTickets()
    desk = SupportDesk(name=TELEGRAM, people=TELEGRAM if whole else SLACK, tickets=tickets, inbox=FakeInbox())
    make = native if whole else said
    for relay in made_of(make("first", "a"), desk.people):
        await tickets.say(relay)
    text, ids = "first", {"a"}
    for text, ids in edits:
        if not text and not ids:
            text = "nothing else"
        for _ in range(2):
            await desk.amend(make(text, *sorted(ids)))
    copies = [one for one in tickets.kept.values() if one.kind == "asker" and not is_gone(one)]
    if whole:
        shown = {id for one in copies for id in one.content["files"]}
        words = "".join(one.content["native"]["text"] for one in copies)
        assert ids <= shown
        assert words == text
    else:
        assert sorted(one.content["file"]["id"] for one in copies if "file" in one.content) == sorted(ids)
        words = "".join(one.content["text"] for one in copies if "text" in one.content)
        assert words.replace("…", "").split() == text.split()
    if ends:
        await desk.retract("m1")
        assert all(is_gone(one) for one in tickets.kept.values() if one.kind == "asker")
