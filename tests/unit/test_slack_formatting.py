"""Markdown as Slack is given it: nothing pings, nothing is too long, nothing is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.pieces import split
from adapters.slack.events import readable
from adapters.slack.formatting import MOST, MOST_TEXT, WORD_JOINER, blocks, render, render_prefix, shielded
from adapters.slack.mrkdwn import mrkdwn

PIECES = st.lists(
    st.sampled_from(
        [
            "<!channel>",
            "<@U1>",
            "<#C1|x>",
            "<",
            "!",
            "@",
            "\\",
            "`",
            "```\n",
            "**",
            "[a](",
            ")",
            "https://x.y",
            "|",
            ">",
        ]
        + ["слово ", "\n", "\n\n", "- ", "# ", "😀", "&lt;!here&gt;", "\x00", "| a | b |\n|---|---|\n"]
    ),
    max_size=60,
).map("".join)

PING = re.compile(r"<[!@#]")


@given(PIECES)
def test_nothing_pings(text: str) -> None:
    for part in (*render(text), *render_prefix(text)):
        assert not PING.search(part.markdown)
        assert not PING.search(part.text)


@given(PIECES, st.integers(min_value=200, max_value=400))
def test_parts_keep_their_size_and_every_word(text: str, most: int) -> None:
    text = text * 8
    pieces = list(split(text, most))
    assert all(len(piece) <= most for piece in pieces)
    joined, whole = (re.sub(r"[\s`~]", "", one) for one in ("".join(pieces), text))
    said_again = "```" in text or "|---" in text  # a fence is opened again, and so is a table
    assert joined == whole or said_again
    letters = iter(joined)
    assert all(letter in letters for letter in whole), "all of it, in its order"


@given(PIECES)
def test_the_fallback_is_never_empty_nor_too_long(text: str) -> None:
    for part in render(text * 40):
        assert part.text
        assert len(part.text) <= MOST_TEXT
        assert len(part.markdown) <= MOST


@given(st.integers(1, 80), st.integers(0, 300), st.booleans())
def test_a_table_that_is_cut_says_again_what_its_columns_are(rows: int, before: int, fenced: bool) -> None:
    head = "| План | Цена |\n|:---|---:|\n"
    table = head + "".join(f"| {number} | {number * 10} |\n" for number in range(rows))
    text = "слово " * (before // 6) + "\n\n" + (f"```\n{table}```\n" if fenced else table) + "\nКонец."
    pieces = list(split(text, 300))
    assert all(len(piece) <= 300 for piece in pieces)
    for piece in pieces:
        lines = [line for line in piece.splitlines() if line.startswith("|")]
        assert fenced or not lines or len(lines) == 1 or lines[:2] == head.splitlines()
    assert [number for number in range(rows) if f"| {number} | {number * 10} |" not in "\n".join(pieces)] == []


def test_a_fence_that_is_cut_is_opened_again() -> None:
    code = "```python\n" + "value = 1\n" * 60 + "```\nThe end."
    pieces = list(split(code, 300))
    assert len(pieces) > 2
    assert all(piece.count("```") % 2 == 0 for piece in pieces)
    assert all(piece.startswith("```python\n") for piece in pieces[:-1])
    assert "".join(pieces).count("value = 1") == 60


@given(PIECES, st.data())
def test_what_is_streamed_of_plain_text_only_grows(text: str, draw: st.DataObject) -> None:
    words = re.sub(r"[^\w ]", "", text)
    cut = draw.draw(st.integers(min_value=0, max_value=len(words)))
    shown = "".join(part.markdown for part in render_prefix(words[:cut], 10**9))
    assert "".join(part.markdown for part in render_prefix(words, 10**9)).startswith(shown)


MRKDWN = {
    "**жирно** и *курсив*": "*жирно* и _курсив_",
    "[a (b)](https://x.y/(z)?a=1&b=2)": "<https://x.y/(z)?a=1&amp;b=2|a (b)>",
    "# Заголовок\n\nТекст": "*Заголовок*\n\nТекст",
    "- раз\n- два\n  1. три": "• раз\n• два\n    1. три",
    "> цитата": "> цитата",
    "`a < b & c`": "`a &lt; b &amp; c`",
    "```py\nx = 1 < 2\n```": "```\nx = 1 &lt; 2\n```",
    "| План | Цена |\n|---|---|\n| А | 1 |": "План | Цена\nА | 1",
    "<div>x</div>": "&lt;div&gt;x&lt;/div&gt;",
    "~~нет~~": "~нет~",
}


@pytest.mark.parametrize("markdown", MRKDWN)
def test_the_fallback_in_mrkdwn(markdown: str) -> None:
    assert mrkdwn(markdown) == MRKDWN[markdown]


SHIELDED = {
    "**[имя](https://x.y)**": "**[имя](https://x.y)**",
    "*<https://x.y|имя>*": "**[имя](https://x.y)**",
    "<mailto:a@b.c|письмо>": "[письмо](mailto:a@b.c)",
    "[x](slack://user?id=1) [y](javascript:alert(1)": "[x] [y]",
    "`<!channel>`": f"`<{WORD_JOINER}!channel>`",
    "[x](!channel) [y](@U1)": "[x] [y]",
    "a < b": "a < b",
    "Используйте <token>": "Используйте <token>",
}


@pytest.mark.parametrize("text", SHIELDED)
def test_what_is_changed_before_it_is_shown(text: str) -> None:
    assert shielded(text) == SHIELDED[text]


READABLE = {
    "see <https://x.y/a?b=1&amp;c=2>": "see https://x.y/a?b=1&c=2",
    "<https://x.y|the form> &amp; <#C1|general>": "the form & #general",
    "<@U2> or <@U3|bob> <!here> <!subteam^S1|@team>": "@U2 or @bob @here @@team",
    "a &lt; b": "a < b",
    "<mailto:a@b.c|a@b.c>": "a@b.c",
}


@pytest.mark.parametrize("said", READABLE)
def test_a_message_is_read_as_its_writer_saw_it(said: str) -> None:
    assert readable(said) == READABLE[said]


def test_buttons_carry_their_data_and_distinct_names() -> None:
    (part,) = render("Ten days.")
    shown = blocks(part, ((("👍 " + "x" * 100, "up:1"), ("👎", "down:1")),))
    assert [block["type"] for block in shown] == ["markdown", "actions"]
    elements = shown[1]["elements"]
    assert isinstance(elements, list)
    assert [one["value"] for one in elements] == ["up:1", "down:1"]
    assert len({one["action_id"] for one in elements}) == 2
    assert len(elements[0]["text"]["text"]) == 75
