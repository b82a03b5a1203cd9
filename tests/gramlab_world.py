"""GramLab's world and Bot API server: `.venv-gramlab/bin/python tests/gramlab_world.py FOLDER`.

GramLab serves only where there is no network but the loopback, so this process moves into a network of its own. A
socket in the folder leads into it: a file is seen from both sides. Each line on standard input is a deed, a verb with
its values, and each line on standard output what came of it; the first one says who there is.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gramlab import bot_api
from gramlab.world import World

Json = dict[str, Any]

BETWEEN = 10
"""Seconds of the world's clock between two messages, so that they are not parts of one question."""
EDITED_AFTER = 5
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 1


def leave_the_network() -> None:
    """Raises OSError where this is not allowed."""
    if sys.version_info >= (3, 12):
        os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP))


class Story:
    """What people do in the world, and what is to be seen in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._requests = 0

    def begin(self) -> Json:
        with World.create(self._folder, seed=1, now=1_700_000_000) as world:
            alice = world.create_user(first_name="Алиса", username="alice", language_code="ru")["id"]
            boris = world.create_user(first_name="Boris", language_code="en")["id"]
            bot = world.create_user(first_name="Desk", is_bot=True, username="desk_bot")["id"]
            private = world.open_private_chat(user_id=alice, bot_id=bot)["id"]
            group = world.create_group_chat(title="Tenants", creator_id=boris, member_ids=[alice], bot_ids=[bot])["id"]
            token = world.issue_bot_token(bot)
        return {"alice": alice, "boris": boris, "bot": bot, "private": private, "group": group, "token": token}

    def says(self, user: int, chat: int, text: str) -> Json:
        with self._world() as world:
            world.advance_time(BETWEEN)
            sent = world.send_client_message(user_id=user, chat_id=chat, request_id=self._request(), text=text)
        message: Json = sent["message"]
        return message

    def edits(self, bot: int, chat: int, message: int, text: str) -> Json:
        """GramLab's people cannot edit, so the deed is done here: in its tables, by its means."""
        with self._world() as world:
            edited: Json = {**world.get_message(chat, message), "text": text}
            edited["edit_date"] = edited["date"] + EDITED_AFTER
            with world._connection as connection:
                connection.execute("BEGIN IMMEDIATE")
                world._messages.replace(message=edited)
                world._enqueue_update(bot, "edited_message", edited)
        return edited

    def taps(self, user: int, chat: int, message: int, data: str) -> Json:
        with self._world() as world:
            tap: Json = world.create_callback(
                user_id=user, chat_id=chat, message_id=message, data=data, request_id=self._request()
            )
        return tap

    def tap(self, user: int, id: str) -> Json:
        with self._world() as world:
            tap: Json = world.get_callback(user_id=user, callback_id=id)
        return tap

    def history(self, chat: int) -> list[Json]:
        with self._world() as world:
            messages: list[Json] = world.history(chat)
        return messages

    def events(self) -> list[Json]:
        """All that has ever happened, in its order: also what edits have replaced."""
        with self._world() as world:
            events: list[Json] = world.events()
        return events

    @contextmanager
    def _world(self) -> Iterator[Any]:
        with World.open(self._folder) as world:
            yield world

    def _request(self) -> str:
        self._requests += 1
        return f"request-{self._requests}"


def tell_of_edits() -> None:
    """GramLab's server knows the update's kind, but not how to tell of it."""
    told: Callable[[World, int, Json], Json] = bot_api._update

    def update(world: World, bot: int, stored: Json) -> Json:
        if "edited_message" not in stored:
            return told(world, bot, stored)
        message = bot_api._message(world, bot, stored["edited_message"])
        return {"update_id": stored["update_id"], "edited_message": message}

    bot_api._update = update


async def lead_in(path: Path, port: int) -> asyncio.Server:
    """Whoever connects to the socket at the path is connected with the port."""

    async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while some := await source.read(2**16):
                sink.write(some)
                await sink.drain()
            sink.write_eof()
        except OSError:
            sink.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pump(reader, inner_writer), pump(inner_reader, writer))
        inner_writer.close()
        writer.close()

    return await asyncio.start_unix_server(connected, path)


def say(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


async def live(folder: Path) -> None:
    story = Story(folder / "world")
    known = story.begin()
    tell_of_edits()
    with bot_api.BotAPIServer(folder / "world") as server:
        async with await lead_in(folder / "gramlab.sock", int(server.base_url.rpartition(":")[2])):
            say(known)
            while line := await asyncio.to_thread(sys.stdin.readline):
                verb, values = json.loads(line)
                say(getattr(story, verb)(**values))


if __name__ == "__main__":
    try:
        leave_the_network()
    except OSError as error:
        say({"unable": str(error)})
    else:
        asyncio.run(live(Path(sys.argv[1])))
