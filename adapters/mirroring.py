"""What becomes of the copies of a message when it is edited or deleted: its relays as they are to be.

A copy that is to go is a relay whose content is `gone`: what was sent is taken away, and what was not is never sent.
That is final, whatever is heard of the message later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adapters.said import NOTHING, Said, fetching, file_key
from engine import Relay


def is_gone(relay: Relay) -> bool:
    return "gone" in relay.content


def is_bare(relay: Relay) -> bool:
    """A copy of a file alone: its words are elsewhere."""
    return "bare" in relay.content


def left_in_place(relay: Relay) -> str:
    """What is shown where a copy was to go and the platform keeps it."""
    return str(relay.content["gone"])


def deleted(made: Sequence[Relay]) -> list[Relay]:
    """`made` are the relays of a message; one that has fetched a file is done with."""
    waiting = [one for one in made if one.kind == "file" and one.done < one.version]
    there = [one for one in (*waiting, *_copies(made)) if not is_gone(one)]
    return [replace(one, content={"gone": NOTHING}) for one in there]


def rewritten(said: Said, made: Sequence[Relay]) -> list[Relay]:
    """`said` is the message as it is now. A file that was added comes after all that was sent of it."""
    copies = [one for one in _copies(made) if not is_gone(one)]
    if not copies or copies[0].kind not in ("asker", "people"):
        return []
    if said.is_native(copies[0].to):
        return _copied(said, copies, made)
    if not said.markdown.strip() and not said.files:
        return deleted(made)
    return [*_texts(said, copies), *_files(said, copies, made)]


def _texts(said: Said, copies: Sequence[Relay]) -> list[Relay]:
    first = copies[0]
    texts = said.texts(first.ticket, first.to, first.kind)
    keys = {one.key for one in texts}
    spare = [one for one in copies if "text" in one.content and one.key not in keys]  # of a longer wording
    return [*texts, *(replace(one, content={"text": NOTHING}) for one in spare)]


def _files(said: Said, copies: Sequence[Relay], made: Sequence[Relay]) -> list[Relay]:
    first, present = copies[0], {file.id for file in said.files}
    known = {one.key: one.content.get("file", {}).get("id", "") for one in copies if _is_file(said, one)}
    if "" in known.values():  # a version before this one told no files apart, and texts that are old are removed
        return []
    removed = {key for key, id in known.items() if id not in present}
    removed |= {fetching(key) for key in removed}
    added = [file for file in said.files if file.id and file.id not in known.values()]
    pairs = [
        said.file(number, file, first.ticket, first.to, first.kind)
        for number, file in enumerate(added, _next_number(said, made))
    ]
    return [*deleted([one for one in made if one.key in removed]), *(relay for pair in pairs for relay in pair)]


def _copied(said: Said, copies: Sequence[Relay], made: Sequence[Relay]) -> list[Relay]:
    """Where the platform makes copies, with all that is in the message.

    The words are in the first one. A file in the place of another one takes them along.
    """
    present = {file.id for file in said.files}
    stale = [one for one in copies if one.content.get("files") and present.isdisjoint(one.content["files"])]
    kept = [one for one in copies if one not in stale]
    shown = {id for one in kept for id in one.content.get("files", present)}
    new: list[Relay] = []
    if present - shown:
        first, key = copies[0], file_key(said.key, _next_number(said, made))
        whole = said.copied(key, first.ticket, first.to, first.kind)
        new = [_bare(whole) if kept else whole]
    elif not kept:
        kept, stale = stale, []
    return [*new, *deleted(stale), *(_reworded(said, one) for one in kept[:1])]


def _bare(copy: Relay) -> Relay:
    native = {**copy.content["native"], "text": "", "entities": []}
    return replace(copy, content={**copy.content, "native": native, "markdown": "", "bare": True})


def _reworded(said: Said, copy: Relay) -> Relay:
    assert said.native is not None
    before = copy.content.get("native", {"captioned": False} if "text" in copy.content else {})
    native = {**said.native, "captioned": before.get("captioned", said.native.get("captioned"))}
    return replace(copy, content={**copy.content, "native": native, "markdown": said.markdown})


def _copies(made: Sequence[Relay]) -> list[Relay]:
    return [one for one in made if one.kind != "file"]


def _is_file(said: Said, relay: Relay) -> bool:
    return relay.key.startswith(f"{said.key}:file:")


def _next_number(said: Said, made: Sequence[Relay]) -> int:
    return sum(_is_file(said, one) for one in made) + 1
