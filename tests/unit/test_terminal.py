from __future__ import annotations

import asyncio
import io
import os
import pty
import re
import signal
import termios
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TextIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from adapters.delivery import APOLOGY
from adapters.terminal.app import HISTORY, chat
from adapters.terminal.lines import Lines
from adapters.terminal.live import Size
from adapters.terminal.reply import TerminalReply
from engine import (
    Citation,
    Delta,
    Final,
    Interim,
    Outcome,
    ProviderError,
    Reference,
    Retract,
    Turn,
    Typing,
)
from tests.delivery_fakes import Script, ScriptedEngine, answered, outcome, run

CITATIONS = (
    Citation(document="housing/tariffs/current.md", section="7.2", title="Tariffs", page=12),
    Citation(document="rules.md", section="", title="House rules", url="https://example.org/rules"),
    Citation(document="housing/tariffs/current.md", section="7.2", title="Tariffs", page=12),
    Citation(document="plain.txt", section="", title=""),
)


class Tty(io.StringIO):
    """A terminal's side of standard input or output."""

    def isatty(self) -> bool:
        return True


class Keyboard(Tty):
    """Lines typed at a terminal, which echoes them on its screen."""

    def __init__(self, typed: str, screen: io.StringIO) -> None:
        super().__init__(typed)
        self._screen = screen

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        line = super().readline(size)
        self._screen.write(line)
        return line


class Screen:
    """As much of a terminal as the adapter uses: wrapping, scrolling, cursor up, erase below, colours ignored."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self._rows: list[list[str]] = [[]]
        self._top = self._row = 0
        self._column = 0

    def feed(self, text: str) -> None:
        for up, erase, letter in re.findall(r"\x1b\[(\d+)A|(\x1b\[J)|\x1b\[\d+m|(\r|\n|[^\x1b])", text):
            if up:
                self._row = max(self._top, self._row - int(up))
            elif erase:
                del self._rows[self._row][self._column :]
                del self._rows[self._row + 1 :]
            elif letter == "\r":
                self._column = 0
            elif letter == "\n":
                self._next_row()
            elif letter:
                self._put(letter)

    def _put(self, letter: str) -> None:
        wide = cell_len(letter)
        if self._column + wide > self.columns:
            self._next_row()
        row = self._rows[self._row]
        row[self._column :] = [letter] + [""] * (wide - 1)
        self._column += wide

    def _next_row(self) -> None:
        self._row, self._column = self._row + 1, 0
        if self._row == len(self._rows):
            self._rows.append([])
        self._top = max(self._top, len(self._rows) - self.lines)

    @property
    def text(self) -> str:
        """All that can be seen, what has scrolled off the top included."""
        return "\n".join("".join(row).rstrip() for row in self._rows).rstrip("\n")


def window(columns: int, lines: int) -> Size:
    return lambda: os.terminal_size((columns, lines))


def on_screen(stream: io.StringIO, columns: int = 40, lines: int = 10) -> str:
    screen = Screen(columns, lines)
    screen.feed(stream.getvalue())
    return screen.text


# --- the reply on a screen ------------------------------------------------------------------------------------------


async def test_a_draft_is_drawn_in_place_and_replaced_by_the_final_text() -> None:
    stream = Tty()
    reply = TerminalReply(stream, "en", size=window(40, 10))
    await reply.typing()
    assert on_screen(stream) == "."
    await reply.show("Refunds\ntake")
    assert on_screen(stream) == "Refunds\ntake"
    await reply.show("Refunds\ntake ten days")
    assert on_screen(stream) == "Refunds\ntake ten days"
    await reply.finish(outcome("Refunds take ten days."))
    assert on_screen(stream) == "Refunds take ten days."


async def test_after_a_retraction_only_the_final_text_remains() -> None:
    stream = Tty("> How?\n")
    stream.seek(0, io.SEEK_END)
    reply = TerminalReply(stream, "en", size=window(20, 6))
    await reply.show("wrong " * 60)
    await reply.withdraw()
    assert on_screen(stream, 20, 6) == "> How?"
    await reply.finish(outcome("I do not know."))
    assert on_screen(stream, 20, 6) == "> How?\nI do not know."


async def test_an_interim_message_is_faint_and_the_kept_draft_stays_above_it() -> None:
    stream = Tty()
    reply = TerminalReply(stream, "ru", size=window(60, 10))
    await reply.show("Тариф указан в разделе.")
    await reply.interim("Собираю ещё данные: раздел 7.2 …", keep=True)
    assert on_screen(stream, 60) == "Тариф указан в разделе.\n(дополняю …)\nСобираю ещё данные: раздел 7.2 …"
    assert "\x1b[2mСобираю ещё данные: раздел 7.2 …\x1b[0m" in stream.getvalue()
    await reply.show("Тариф равен 5.")
    assert on_screen(stream, 60) == "Тариф указан в разделе.\n(дополняю …)\nТариф равен 5."
    await reply.withdraw()
    assert on_screen(stream, 60) == "Тариф указан в разделе.\n(дополняю …)"
    await reply.finish(outcome("Тариф равен 5 рублям."))
    assert on_screen(stream, 60) == "Тариф равен 5 рублям."


async def test_an_interim_message_that_keeps_nothing_takes_the_drafts_place() -> None:
    stream = Tty()
    reply = TerminalReply(stream, "en", size=window(60, 10))
    await reply.show("See section 7.2.")
    await reply.interim("Gathering more data: section 7.2 ...", keep=False)
    assert on_screen(stream, 60) == "Gathering more data: section 7.2 ..."


async def test_a_documents_control_codes_do_not_reach_the_terminal() -> None:
    stream = Tty()
    reply = TerminalReply(stream, "en", size=window(40, 10))
    await reply.show("a\x1b[2Jb\x07c\x9bd\te\r\nf")
    await reply.finish(outcome("a\x1b[2Jb\x07c\x9bd\te\r\nf"))
    assert on_screen(stream) == "a[2Jbcd  e\nf"


async def test_a_narrowed_window_is_reckoned_with() -> None:
    columns = 40
    stream = Tty()
    reply = TerminalReply(stream, "en", size=lambda: os.terminal_size((columns, 10)))
    await reply.show("x" * 30)
    columns = 20  # the terminal wraps the row into two
    stream.truncate(0)
    await reply.withdraw()
    assert stream.getvalue().endswith("\x1b[1A\r\x1b[J")


_TEXTS = st.text(alphabet="ab я漢\u0301\n", max_size=200)
_VERBS = st.lists(
    st.one_of(
        st.tuples(st.just("typing"), st.just("")),
        st.tuples(st.just("show"), _TEXTS),
        st.tuples(st.just("withdraw"), st.just("")),
        st.tuples(st.just("interim"), _TEXTS),
        st.tuples(st.just("keep"), _TEXTS),
    ),
    max_size=8,
)


@settings(deadline=None)
@given(verbs=_VERBS, columns=st.integers(4, 30), lines=st.integers(1, 8))
def test_whatever_was_drawn_only_the_final_text_remains(verbs: list[tuple[str, str]], columns: int, lines: int) -> None:
    stream, plain = Tty(), Tty()
    final = outcome("The end.\n" * 3, citations=CITATIONS)

    async def drawn() -> None:
        reply = TerminalReply(stream, "en", size=window(columns, lines))
        for verb, text in verbs:
            await _do(reply, verb, text)
        await reply.finish(final)
        await TerminalReply(plain, "en", size=window(columns, lines)).finish(final)

    run(drawn())
    assert on_screen(stream, columns, lines) == on_screen(plain, columns, lines)


async def _do(reply: TerminalReply, verb: str, text: str) -> None:
    match verb:
        case "typing":
            await reply.typing()
        case "show":
            await reply.show(text)
        case "withdraw":
            await reply.withdraw()
        case _:
            await reply.interim(text, keep=verb == "keep")


# --- the reply in a pipe --------------------------------------------------------------------------------------------


async def _piped(*verbs: tuple[str, str], ending: Outcome) -> str:
    stream = io.StringIO()
    reply = TerminalReply(stream, ending.language)
    for verb, text in verbs:
        await _do(reply, verb, text)
    await reply.finish(ending)
    return stream.getvalue()


async def test_a_pipe_gets_the_final_text_only() -> None:
    verbs = [("typing", ""), ("show", "Half"), ("keep", "Gathering"), ("show", "Half an"), ("withdraw", "")]
    assert await _piped(*verbs, ending=outcome("An\tanswer.\n")) == "An\tanswer.\n"


async def test_sources_follow_after_a_blank_line_each_once() -> None:
    expected = (
        "Five.\n\nSources:\n- housing/tariffs/current.md, section 7.2 “Tariffs”, p. 12\n"
        "- rules.md, “House rules”, https://example.org/rules\n- plain.txt\n"
    )
    assert await _piped(ending=outcome("Five.", citations=CITATIONS)) == expected
    russian = await _piped(ending=outcome("Пять.", citations=CITATIONS[:1], language="ru"))
    assert russian == "Пять.\n\nИсточники:\n- housing/tariffs/current.md, раздел 7.2 «Tariffs», стр. 12\n"


async def test_unresolved_references_are_named_unless_the_text_names_them() -> None:
    references = (
        Reference(type="section", target="7.2", marker="see section 7.2"),
        Reference(type="section", target="7.2", marker="section 7.2"),
        Reference(type="section", target="8.1", marker="see 8.1"),
        Reference(type="section", target="table 2", marker="Table 2"),
        Reference(type="external", target="ISO 27001", marker="per ISO 27001"),
        Reference(type="section", target="9", marker="see 9", status="resolved"),
    )
    ending = outcome("Five, in 7.2.1 and 17.2. See section 8.1.", references=references)
    assert await _piped(ending=ending) == f"{ending.text}\n\nMore in: section 7.2, table 2, ISO 27001\n"


async def test_what_the_streams_encoding_cannot_express_is_replaced() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="koi8-r")
    await TerminalReply(stream, "ru").finish(outcome("Ответ 漢 \udcff."))
    assert raw.getvalue().decode("koi8-r") == "Ответ ? ?.\n"


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
