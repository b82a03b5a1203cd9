"""What people say, as Markdown and back: no letter is lost, no formatting is made up."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.said import MOST_PIECE, Attached, Said, fetching, literal, sized, wrapped
from adapters.slack.mrkdwn import mrkdwn
from adapters.slack.rich_text import from_mrkdwn, markdown_of
from adapters.telegram.formatting import Entity, convert
from adapters.telegram.markdown import markdown_of as markdown_of_entities

LINES = st.lists(st.text("ab Яё*_`~[]()#-+=.!\\1&|", max_size=20), min_size=1, max_size=4)


def bare(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("\N{NO-BREAK SPACE}", " ")).strip()


@given(LINES.map("\n".join))
@example("1. one\n2) two\n- three\n# four\n> five\n    six\n---\n===")
@example("snake_case and *stars* and [brackets](here) and `code` and ~~gone~~ <b>")
def test_literal_text_is_shown_as_it_is(text: str) -> None:
    part = convert(literal(text))
    assert bare(part.text) == bare(text)
    assert part.entities == ()


@given(st.text("ab *_", min_size=1, max_size=12))
def test_marks_stand_at_letters(text: str) -> None:
    shown = wrapped(text, "**")
    assert bare(shown.replace("**", "", 1)[::-1].replace("**", "", 1)[::-1]) == bare(text) or "**" not in shown
    assert "** " not in shown[: shown.find("**") + 3] or not text.strip("* ")


@st.composite
def formatted(draw: st.DrawFn) -> tuple[str, list[Entity]]:
    """Words, some of which are formatted, as Telegram nests it."""
    words = draw(st.lists(st.text("abЯ😀_*", min_size=1, max_size=5), min_size=1, max_size=8))
    text, entities = "", []
    for word in words:
        start = len(text.encode("utf-16-le")) // 2
        length = len(word.encode("utf-16-le")) // 2
        text += f"{word} "
        kinds = draw(st.sampled_from([(), ("bold",), ("italic",), ("code",), ("strikethrough",), ("bold", "italic")]))
        entities += [Entity(kind, start, length) for kind in kinds]
    return text, entities


@given(formatted())
def test_formatting_of_telegram_comes_back(given_: tuple[str, list[Entity]]) -> None:
    text, entities = given_
    part = convert(markdown_of_entities(text, entities))
    assert bare(part.text) == bare(text)
    assert {(one.kind, one.offset, one.length) for one in part.entities} == {
        (one.kind, one.offset, one.length) for one in entities
    }


def test_blocks_and_links_of_telegram() -> None:
    text = "See the rules\nquoted\nline\nprint(1)\nend"
    found = markdown_of_entities(
        text,
        [
            Entity("text_link", 8, 5, url="https://a.example/x (1)"),
            Entity("blockquote", 14, 11),
            Entity("pre", 26, 8, language="python"),
        ],
    )
    assert found == (
        "See the [rules](https://a.example/x%20%281%29)\n\n> quoted\n> line\n\n```python\nprint(1)\n```\n\nend"
    )


@pytest.mark.parametrize(
    ("said", "markdown"),
    [
        ("*bold* _it_ ~gone~ `c*d*e`", "**bold** *it* ~~gone~~ `c*d*e`"),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"),
        ("<https://a.example/x_y|the _page_> <https://b.example/a_b>", r"[the \_page\_](https://a.example/x_y) https://b.example/a_b"),
        ("<@U1> <@U2|anna> <#C1|general> <!here>", "@U1 @anna #general @here"),
        ("a &lt;b&gt; &amp;c", "a <b> &c"),
        ("```\nx = 1 &lt; 2\n```", "```\nx = 1 < 2\n```"),
        ("&gt; quoted", "> quoted"),
        ("<@UBOT> hello", "hello"),
    ],
)  # fmt: skip
def test_mrkdwn_is_markdown(said: str, markdown: str) -> None:
    assert from_mrkdwn(said, "UBOT") == markdown


def test_the_blocks_of_clients_are_markdown() -> None:
    text = [
        {"type": "user", "user_id": "UBOT"},
        {"type": "text", "text": " both ", "style": {"bold": True, "italic": True}},
        {"type": "link", "url": "https://a.example", "text": "page", "style": {"bold": True}},
        {"type": "emoji", "name": "smile", "unicode": "1f604"},
        {"type": "emoji", "name": "ours"},
        {"type": "text", "text": "a_b", "style": {"code": True}},
    ]
    numbered = [{"type": "rich_text_section", "elements": [{"type": "text", "text": "1 * one"}]}]
    elements = [
        {"type": "rich_text_section", "elements": text},
        {"type": "rich_text_list", "style": "ordered", "offset": 2, "indent": 1, "elements": numbered},
        {"type": "rich_text_quote", "elements": [{"type": "text", "text": "said\nso"}]},
    ]
    found = markdown_of({"text": "ignored", "blocks": [{"type": "rich_text", "elements": elements}]}, "UBOT")
    assert found == "***both*** **[page](https://a.example)**😄:ours:`a_b`\n\n    3. 1 \\* one\n\n> said\n> so"


@given(st.lists(st.text("abc \n", max_size=900), max_size=9).map("".join))
def test_pieces_are_small_and_lose_nothing(text: str) -> None:
    relays = Said(desk="a", key="k", markdown=text).relays(1, "b", "asker")
    assert all(0 < len(one.content["text"]) <= MOST_PIECE for one in relays)
    assert "".join("".join(one.content["text"] for one in relays).split()) == ("".join(text.split()) or "…")
    assert [one.key for one in relays[:2]] == ["k", "k#2"][: len(relays)]


def test_the_same_platform_says_it_again_itself() -> None:
    file = Attached(name="a.pdf", size=3, ref={"id": "F1"})
    message = Said(desk="a", key="k", markdown="x", files=(file,), native={"message": 5})
    (own,) = message.relays(1, "a", "people")
    assert own.content["native"] == {"message": 5}
    text, fetched, carried = message.relays(1, "b", "people")
    assert (text.to, fetched.to, carried.to) == ("b", "a", "b")
    assert (fetched.kind, fetched.key, carried.kind) == ("file", fetching(carried.key), "people")


def test_sizes_are_readable() -> None:
    assert [sized(one) for one in (1, 2048, 25 * 2**20)] == ["1 KB", "2 KB", "25.0 MB"]


def test_what_slack_shows_beside_the_blocks_has_the_same_words() -> None:
    assert mrkdwn(literal("1 * 2 and [x] & a_b_")) == "1 * 2 and [x] &amp; a_b_"
