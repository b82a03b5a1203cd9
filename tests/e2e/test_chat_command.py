"""`refdesk chat` with a pipe for a terminal, and beside another process."""

from __future__ import annotations

import signal

from tests.command_line import PATIENCE, Desk

OPEN = "Every day, **9:00–20:00**;  in winter until 18:00.\n\n  Holidays:\tclosed. \n"


def test_each_line_of_a_pipe_is_answered_and_nothing_else_is_printed(small: Desk) -> None:
    chat = small.run("chat", stdin="\n  \nWhen are you open?\n\n\nКак продлить прокат велосипеда?\n\n")
    assert (chat.code, chat.err) == (0, "")
    assert chat.out == (
        f"> When are you open?\n{OPEN}\n"
        "> Как продлить прокат велосипеда?\nПозвоните нам до конца срока, и мы продлим прокат.\n"
    )


def test_the_last_line_needs_no_end_and_words_without_an_answer_get_an_honest_one(small: Desk) -> None:
    chat = small.run("chat", stdin="вопрос\nquestion")
    assert (chat.code, chat.err) == (0, "")
    russian, english = chat.out.split("\n\n> question\n")
    assert russian.startswith("> вопрос\n")
    assert len(russian.splitlines()) > 1
    assert english.strip()


def test_while_one_process_chats_another_is_refused_clearly_and_misses_can_be_read(small: Desk) -> None:
    with small.start("chat") as chat:
        try:
            assert chat.stdin is not None
            assert chat.stdout is not None
            chat.stdin.write("When are you open?\n")
            chat.stdin.flush()
            assert chat.stdout.readline() == "> When are you open?\n", "by now it holds the index"
            said = small.run("ask", "When are you open?").complaint
            assert "Another Refdesk process is using the index" in said
            assert small.run("misses").code == 0
            out, err = chat.communicate("opening times\n", timeout=PATIENCE)
        finally:
            chat.kill()
    assert (chat.returncode, err) == (0, "")
    assert out.endswith(f"> opening times\n{OPEN}"), "the first goes on undisturbed"


def test_an_interrupt_ends_a_chat_without_a_traceback(small: Desk) -> None:
    with small.start("chat") as chat:
        try:
            assert chat.stdin is not None
            assert chat.stdout is not None
            chat.stdin.write("When are you open?\n")
            chat.stdin.flush()
            assert chat.stdout.readline() == "> When are you open?\n"
            chat.send_signal(signal.SIGINT)
            # Its input stays open: the interrupt alone must end it.
            code = chat.wait(timeout=PATIENCE)
            assert chat.stderr is not None
            err = chat.stderr.read()
        finally:
            chat.kill()
    assert code in (130, 0)
    assert err == ""
