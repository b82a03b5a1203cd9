from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.providers.thinking import ThoughtFilter


def filtered(text: str, *, starts_inside: bool = False, cut_off: bool = False, size: int = 10_000) -> str:
    thoughts = ThoughtFilter(starts_inside=starts_inside)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return "".join(map(thoughts.feed, pieces)) + thoughts.finish(cut_off=cut_off)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("Press it.", "Press it."),
        ("<think>Hm.</think>Press it.", "Press it."),
        ("\n<THINK>\nHm.\n</THINK>\n\nPress it.\n", "Press it.\n"),
        ("<thinking>Hm.</thinking> Press <think>again</think>it.", "Press it."),
        ("Hm.</think>Press it.", "Press it."),
        ("<think>Hm.", ""),
        ("", ""),
        ("2 <3 and 4 > 3, <b>bold</b>, a <", "2 <3 and 4 > 3, <b>bold</b>, a <"),
        ("Write <thin", "Write <thin"),
    ],
)
def test_thoughts_are_taken_out(reply: str, answer: str) -> None:
    assert filtered(reply) == answer


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "<thinking>", "<", ">", "</", "th", "ink>", "a", " ", "\n", "б"])),
    st.integers(1, 7),
)
def test_how_a_reply_is_cut_into_pieces_does_not_matter(parts: list[str], size: int) -> None:
    reply = "".join(parts)
    whole = ThoughtFilter()
    expected = whole.feed(reply) + whole.finish()
    if whole.unopened:
        # Pieces let text through before the closing tag shows it to be a thought; that is what `too_late` is for.
        expected = filtered(reply, starts_inside=True)
        assert filtered(reply, starts_inside=True, size=size) == expected
    else:
        assert filtered(reply, size=size) == expected


def test_a_thought_that_was_let_through_is_noticed() -> None:
    thoughts = ThoughtFilter()
    assert thoughts.feed("The user asks") == "The user asks"
    thoughts.feed(" how.</think>Press it.")
    assert thoughts.unopened
    assert thoughts.too_late


def test_a_model_known_to_begin_inside_is_held_back_until_its_thought_ends() -> None:
    thoughts = ThoughtFilter(starts_inside=True)
    assert thoughts.feed("The user asks") == ""
    assert thoughts.feed(" how.</think>Press it.") == "Press it."
    assert not thoughts.too_late


@pytest.mark.parametrize(("cut_off", "answer"), [(False, "Press it."), (True, "")])
def test_what_was_held_back_to_the_end_is_the_answer_unless_it_was_cut(cut_off: bool, answer: str) -> None:
    assert filtered("Press it.", starts_inside=True, cut_off=cut_off) == answer
