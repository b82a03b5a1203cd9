from __future__ import annotations

import asyncio
import io
import os
import pty
import signal
import termios
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TextIO

import pytest

from adapters.delivery import APOLOGY
from adapters.terminal.app import HISTORY, chat
from adapters.terminal.lines import Lines
from engine import (
    Delta,
    Final,
    Interim,
    ProviderError,
    Retract,
    Turn,
    Typing,
)
from tests.delivery_fakes import Script, ScriptedEngine, answered, outcome, run
from tests.terminal_fakes import Keyboard, Tty, on_screen

# --- the conversation in a pipe -------------------------------------------------------------------------------------


def talk(engine: ScriptedEngine, text: str) -> str:
    output = io.StringIO()
    run(chat(engine, io.StringIO(text), output))
    return output.getvalue()


def test_each_question_is_echoed_and_answers_are_set_apart() -> None:
    engine = ScriptedEngine(answered("One."), [Typing(), Delta("Tw"), 5.0, *answered("Two.")])
    assert talk(engine, "first?\n\n  \nsecond?") == "> first?\nOne.\n\n> second?\nTwo.\n"


def test_the_last_turns_go_with_a_question() -> None:
    engine = ScriptedEngine(*(answered(f"a{number}") for number in range(9)))
    talk(engine, "".join(f"q{number}\n" for number in range(9)))
    assert engine.questions[0].history == ()
    assert engine.questions[1].history == (Turn(question="q0", answer="a0"),)
    assert [turn.answer for turn in engine.questions[8].history] == ["a2", "a3", "a4", "a5", "a6", "a7"]
    assert len(engine.questions[8].history) == HISTORY
    assert len({question.conversation for question in engine.questions}) == 1
    assert len({question.id for question in engine.questions}) == 9


def test_new_begins_a_new_conversation_without_a_word_in_a_pipe() -> None:
    engine = ScriptedEngine(answered("One."), answered("Two."))
    assert talk(engine, "first?\n/new\nsecond?\n/help\n/quit\nthird?\n") == "> first?\nOne.\n\n> second?\nTwo.\n"
    first, second = engine.questions
    assert second.history == ()
    assert first.conversation != second.conversation


def test_what_was_refused_or_failed_is_no_part_of_the_history() -> None:
    blocked, failed = Final(outcome("No.", kind="blocked")), Final(outcome("Broken.", kind="failed"))
    engine = ScriptedEngine([blocked], [failed], [ProviderError("model", "down")], answered("Yes."))
    assert talk(engine, "a\nb\nв\nd\n") == f"> a\nNo.\n\n> b\nBroken.\n\n> в\n{APOLOGY['ru']}\n\n> d\nYes.\n"
    assert engine.questions[3].history == ()


def test_language_and_audience_go_with_a_question() -> None:
    engine = ScriptedEngine(answered())
    staff = frozenset({"public", "staff"})
    run(chat(engine, io.StringIO("q"), io.StringIO(), language="ru", audience=staff))
    (question,) = engine.questions
    assert (question.language, question.audience) == ("ru", staff)


@pytest.mark.parametrize(
    ("raw", "texts"),
    [
        (b"\xef\xbb\xbfone\r\ntwo", ["one", "two"]),
        ("вопрос".encode()[:-1] + b"\n\xff\xfe?\n", ["вопро\ufffd", "\ufffd\ufffd?"]),
        (b"a\x00b\x1b[Ac\td\n", ["ab[Ac d"]),
        (b"x" * 200_000 + b"\n", ["x" * 200_000]),
        (b"", []),
    ],
)
def test_any_bytes_are_read(raw: bytes, texts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "questions.txt"
    path.write_bytes(raw)
    engine = ScriptedEngine(answered())
    with path.open(encoding="ascii") as stream:
        run(chat(engine, stream, io.StringIO()))
    assert [question.text for question in engine.questions] == texts


def test_nobody_reading_any_longer_is_a_quiet_end() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    engine = ScriptedEngine(answered("x" * 100_000))
    output = io.TextIOWrapper(io.FileIO(writing, "w"), encoding="utf-8", write_through=True)
    run(chat(engine, io.StringIO("one\ntwo\n"), output))
    assert len(engine.questions) <= 1
    output.close()


def test_cancelling_a_pipes_chat_goes_through_and_leaves_the_engine() -> None:
    engine = ScriptedEngine([Typing(), lambda: task.cancel(), 60.0, *answered()])
    task: asyncio.Task[None]

    async def cancelled() -> None:
        nonlocal task
        task = asyncio.create_task(chat(engine, io.StringIO("q\n"), io.StringIO()))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert asyncio.all_tasks() == {asyncio.current_task()}

    run(cancelled())
    assert engine.open == 0


# --- the conversation at a terminal ---------------------------------------------------------------------------------


def sit(engine: ScriptedEngine, typed: str, *, language: str = "en") -> str:
    """What remains on the screen after a sitting."""
    output = Tty()
    run(chat(engine, Keyboard(typed, output), output, language="en" if language == "en" else "ru"))
    return on_screen(output, 80, 24)


def test_a_terminal_gets_a_prompt_and_help_and_no_echo() -> None:
    engine = ScriptedEngine(answered("One."))
    text = sit(engine, "first?\n/new\n/hlep\n/quit\nsecond?\n")
    assert text.count("Ask a question and press Enter.") == 2
    assert "\n> first?\nOne.\n\n> /new\nA new conversation.\n> /hlep\nAsk" in text
    assert text.endswith("> /quit")
    assert len(engine.questions) == 1


def test_both_languages_greet_when_none_is_set() -> None:
    output = Tty()
    run(chat(ScriptedEngine(answered()), Tty(), output))
    assert "Ask a question" in output.getvalue()
    assert "Задайте вопрос" in output.getvalue()


def test_a_retracted_answer_leaves_no_trace_on_the_screen() -> None:
    draft: Script = [Typing(), 1.0, Delta("Wrong " * 300), 1.0, Retract("unfounded"), 1.0]
    text = sit(ScriptedEngine([*draft, *answered("I do not know.")]), "q\n")
    assert "Wrong" not in text
    assert text.endswith("\n> q\nI do not know.\n\n>")


def test_the_interim_message_is_seen_while_it_lasts() -> None:
    output = Tty()
    interim = Interim("Gathering more data: section 7.2 ...")
    engine = ScriptedEngine([Typing(), 1.0, interim, 1.0, *answered("Five.")])
    run(chat(engine, Tty("q\n"), output, language="en"))
    assert interim.text in output.getvalue()
    assert interim.text not in on_screen(output)


def test_an_interrupt_stops_the_answer_and_not_the_sitting() -> None:
    stopped: Script = [Typing(), Delta("Half"), 1.0, lambda: signal.raise_signal(signal.SIGINT), 60.0, *answered("No.")]
    engine = ScriptedEngine(stopped, answered("Two."))
    before = signal.getsignal(signal.SIGINT)
    text = sit(engine, "first?\nsecond?\n")
    assert "Half" not in text
    assert "No." not in text
    assert "> first?\nStopped.\n\n> second?\nTwo." in text
    assert engine.questions[1].history == ()
    assert engine.open == 0
    assert signal.getsignal(signal.SIGINT) == before


class InterruptedTty(Tty):
    """Somebody presses Ctrl-C at the prompt, and types nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.hung_up = threading.Event()

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        os.kill(os.getpid(), signal.SIGINT)
        self.hung_up.wait()
        return ""


def test_an_interrupt_at_the_prompt_ends_the_sitting() -> None:
    typed, output = InterruptedTty(), Tty()
    run(chat(ScriptedEngine(answered()), typed, output, language="en"))
    typed.hung_up.set()
    assert output.getvalue().endswith("> \n")


@pytest.fixture
def terminal() -> Iterator[tuple[int, TextIO]]:
    """A real terminal: where one types, and the standard input on its other side."""
    keyboard, line = pty.openpty()
    with os.fdopen(line, "r", encoding="utf-8") as stream:
        yield keyboard, stream
    os.close(keyboard)


def test_keys_pressed_during_an_answer_are_not_echoed(terminal: tuple[int, TextIO]) -> None:
    keyboard, stream = terminal
    echo: list[bool] = []
    notice = partial(_note_echo, stream, echo)
    engine = ScriptedEngine(
        [notice, lambda: os.write(keyboard, b"second?\n/quit\n"), *answered("One.")], answered("Two.")
    )
    os.write(keyboard, b"first?\n")
    output = Tty()
    run(chat(engine, stream, output, language="en"))
    notice()
    assert echo == [False, True]
    assert [question.text for question in engine.questions] == ["first?", "second?"]
    assert "> second?\nTwo." in on_screen(output, 80, 24)  # typed unseen, so shown with its answer


def _note_echo(stream: TextIO, seen: list[bool]) -> None:
    seen.append(bool(termios.tcgetattr(stream)[3] & termios.ECHO))


def test_a_line_is_waited_for_without_holding_up_the_loop(terminal: tuple[int, TextIO]) -> None:
    keyboard, stream = terminal

    async def typed_late() -> str | None:
        lines = Lines(stream)
        line = asyncio.create_task(lines.next())
        await asyncio.sleep(5.0)
        assert not line.done()
        os.write(keyboard, "вопрос\n".encode())
        return await line

    assert run(typed_late()) == "вопрос"


def test_a_terminal_that_hangs_up_is_the_end_of_the_input(terminal: tuple[int, TextIO]) -> None:
    keyboard, stream = terminal
    os.write(keyboard, b"\x04")
    assert run(Lines(stream).next()) is None
