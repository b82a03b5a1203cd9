"""Markdown becomes text with entities that Telegram's own parser takes, at every prefix, whatever the size."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
import tdjson
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.growing import settled
from adapters.telegram.formatting import Entity, Part, convert, render, render_prefix, split, units

ANSWER = """\
## Возврат депозита

Депозит **возвращается** в течение _10 рабочих дней_ 😀 после передачи ключей, см. [раздел 7.2](https://example.org/a(b)#x).

1. Напишите заявление в `Кабинете`.
2. Приложите акт:
   - фото,
   - показания **счётчиков**.

| Повреждение | Вычет |
| --- | --- |
| Разбитое окно | 4500 ₽ |
| Ключи | 1200 ₽ |

```python
def refund(days: int) -> None:
    print("<token>")
```

> Используйте <номер договора>, а не ~~паспорт~~ `a_b*c`.
"""

NASTY = [
    "**bold",
    "*",
    "`",
    "```",
    "```py\ncode",
    "~~~\ncode",
    "[link](",
    "[link](http://x.y/a(b)c)",
    "[a]: http://x.y",
    "<div>\nline\n</div>",
    "Use <token> and <b>x</b> & <!-- c -->",
    "a_b_c __init__ **API_KEY_ID** and a lone ` backtick",
    "***x** y*",
    "> quote\n>> deeper\n\nout",
    "- a\n  - b\n    - c\n\n\n1) x\n2) y",
    "| a | b |\n|---|---|\n| 1 | 2",
    "# \n## x\n###### y #",
    "\\*not bold\\* \\",
    "😀" * 10 + "**😀**",
    "\u200f\u202eabc\u0000\ud83d",
    "![image](http://x.y/z.png)",
    "$5 and $6, \\(x\\) and $$y$$",
    "||spoiler|| and | pipe",
    "<https://example.org> http://example.org/a_b_c",
    "* * *\n---\n___",
    "line  \nbreak\\\nbreak",
    "&amp; &lt; &#128512; &bogus;",
    "~~a~ b~~",
    "- [ ] todo\n- [x] done",
    "[^1] text\n\n[^1]: note",
    "a\n\n\n\n\nb",
]


def td(request: dict[str, Any]) -> dict[str, Any]:
    answered: dict[str, Any] = json.loads(tdjson.td_execute(json.dumps(request).encode()) or b"{}")
    return answered


@pytest.fixture(scope="module", autouse=True)
def quiet() -> None:
    td({"@type": "setLogVerbosityLevel", "new_verbosity_level": 0})


_MARKS = {
    "bold": ("<b>", "</b>"),
    "italic": ("<i>", "</i>"),
    "underline": ("<u>", "</u>"),
    "strikethrough": ("<s>", "</s>"),
    "spoiler": ("<tg-spoiler>", "</tg-spoiler>"),
    "blockquote": ("<blockquote>", "</blockquote>"),
    "code": ("<code>", "</code>"),
    "pre": ("<pre>", "</pre>"),
}


def parsed_by_telegram(part: Part) -> tuple[str, int]:
    """The same text with its entities as tags, read by TDLib's parser: the text it sees, and how many entities."""
    letters = part.text.encode("utf-16-le")
    marks: dict[int, list[tuple[int, int, str]]] = {}
    for order, entity in enumerate(part.entities):
        opening, closing = (f'<a href="{entity.url}">', "</a>") if entity.kind == "text_link" else _MARKS[entity.kind]
        # Inner ones close first, outer ones open first.
        marks.setdefault(entity.offset, []).append((1, -entity.length * 1000 + order, opening))
        marks.setdefault(entity.end, []).append((0, -entity.offset * 1000 - order, closing))
    pieces = []
    places = sorted({0, len(letters) // 2, *marks})
    for start, end in [*pairwise(places), (places[-1], places[-1])]:
        pieces += [mark for _, _, mark in sorted(marks.get(start, []))]
        text = letters[start * 2 : end * 2].decode("utf-16-le")
        pieces.append(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    read = td({"@type": "parseTextEntities", "text": "".join(pieces), "parse_mode": {"@type": "textParseModeHTML"}})
    assert read["@type"] == "formattedText", (read, part)
    return read["text"], len(read["entities"])


def check(part: Part) -> None:
    """What must hold for every message."""
    assert units(part.text) <= 4096
    for entity in part.entities:
        assert entity.length > 0
        assert 0 <= entity.offset < entity.end <= units(part.text)
        part.text.encode("utf-16-le")[entity.offset * 2 : entity.end * 2].decode("utf-16-le")  # no emoji is cut
        assert entity.kind != "text_link" or (entity.url or "").startswith(("http://", "https://", "mailto:"))
    for one in part.entities:
        for other in part.entities:
            crossing = one.offset < other.offset < one.end < other.end
            assert not crossing, (one, other)
    text, _ = parsed_by_telegram(part)
    assert text == part.text


@pytest.mark.parametrize("markdown", NASTY)
def test_telegrams_own_parser_takes_what_comes_out(markdown: str) -> None:
    for part in render(markdown):
        check(part)


@pytest.mark.parametrize("markdown", [ANSWER, *NASTY])
def test_every_prefix_is_safe(markdown: str) -> None:
    for end in range(len(markdown) + 1):
        for part in render_prefix(markdown[:end]):
            check(part)


def test_shown_text_seldom_changes_while_an_answer_grows() -> None:
    shown = ""
    changes = 0
    for end in range(len(ANSWER) + 1):
        text = "".join(part.text for part in render_prefix(ANSWER[:end])).rstrip()
        changes += not text.startswith(shown)
        shown = text
    assert changes <= 12, "tables and their rulers are drawn anew; little else is"


def test_an_answer_is_held_back_by_little() -> None:
    lags = [len(ANSWER[:end]) - len(settled(ANSWER[:end])) for end in range(len(ANSWER))]
    assert max(lags) <= 60
    assert sum(lags) / len(lags) < 10


@given(st.text(alphabet=st.sampled_from("ab *_`~[]()<>|#-\n\\!😀1.>&"), max_size=80))
@settings(max_examples=300, deadline=None)
def test_nothing_that_a_model_writes_is_refused(markdown: str) -> None:
    for part in (*render(markdown), *render_prefix(markdown)):
        check(part)


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("Используйте <token> здесь", "<token>"),
        ("<div>\nважно\n</div>", "важно"),
        ("[1]: http://x.y", "[1]: http://x.y"),
        ("`<b>` и <b>", "<b> и <b>"),
        ("$5 и $6", "$5 и $6"),
    ],
)
def test_no_word_is_taken_for_markup_and_lost(markdown: str, words: str) -> None:
    assert words in convert(markdown).text


def test_a_link_to_a_user_does_not_ping() -> None:
    part = convert("[ты](tg://user?id=1) и [я](https://example.org)")
    assert [entity.url for entity in part.entities] == ["https://example.org"]


def test_a_table_is_set_in_columns() -> None:
    part = convert(ANSWER)
    pre = next(entity for entity in part.entities if entity.kind == "pre")
    table = part.text.encode("utf-16-le")[pre.offset * 2 : pre.end * 2].decode("utf-16-le")
    assert len({line.index("|") for line in table.splitlines() if "|" in line}) == 1


# --- splitting ------------------------------------------------------------------------------------------------------


def entity_text(part: Part, entity: Entity) -> str:
    return part.text.encode("utf-16-le")[entity.offset * 2 : entity.end * 2].decode("utf-16-le")


pieces = st.lists(
    st.one_of(
        st.sampled_from(["слово ", "\n", "\n\n", "😀", "👩‍👩‍👧", "é", "x" * 50, "🇷🇺"]),
        st.text(max_size=10),
    ),
    max_size=60,
)


@given(pieces, st.integers(8, 200), st.data())
@settings(deadline=None)
def test_splitting_loses_nothing_and_cuts_entities_rightly(words: list[str], most: int, data: st.DataObject) -> None:
    text = "".join(words).encode("utf-16-le", "ignore").decode("utf-16-le")
    size = units(text)
    bounds = data.draw(st.lists(st.integers(0, size), min_size=2, max_size=2).map(sorted)) if size else [0, 0]
    marked = (Entity("bold", bounds[0], bounds[1] - bounds[0]),) if bounds[0] < bounds[1] else ()
    parts = list(split(Part(text, marked), most))
    assert all(units(part.text) <= most for part in parts)
    assert all(part.text.strip() for part in parts)
    kept = "".join(part.text for part in parts)
    assert "".join(kept.split()) == "".join(text.split()), "only a message of nothing but spaces is left out"
    bold = sum(entity.length for part in parts for entity in part.entities)
    assert bold <= bounds[1] - bounds[0]
    if len(kept) == len(text):
        assert bold == bounds[1] - bounds[0]


def test_a_cut_prefers_paragraphs_then_lines_then_words() -> None:
    text = "a" * 60 + "\n\n" + "b" * 20 + "\n" + "c" * 10 + " " + "d" * 50
    first, *_ = split(Part(text), 100)
    assert first.text == "a" * 60 + "\n\n"
    first, *_ = split(Part("word " * 40), 100)
    assert first.text.endswith("word ")


def test_an_emoji_of_several_characters_stays_whole() -> None:
    family = "👩‍👩‍👧"
    for part in split(Part(family * 40), 61):
        assert part.text == family * (len(part.text) // len(family))


def test_a_long_code_block_is_code_in_every_message() -> None:
    parts = render("```python\n" + "print('x' * 40)\n" * 700 + "```")
    assert len(parts) > 2
    for part in parts:
        (entity,) = part.entities
        assert (entity.kind, entity.language) == ("pre", "python")
        assert entity_text(part, entity).strip() == part.text.strip()


def test_thousands_of_emoji_in_one_line_fit() -> None:
    parts = render("**" + "😀" * 5000 + "**")
    assert sum(part.text.count("😀") for part in parts) == 5000
    for part in parts:
        check(part)
