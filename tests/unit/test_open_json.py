"""An answer read out of an object that is still being written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.open_json import OpenString


def read(*pieces: str) -> OpenString:
    field = OpenString("answer")
    assert "".join(field.feed(piece) for piece in pieces) == field.text
    return field


def test_the_text_comes_while_the_object_is_open() -> None:
    field = OpenString("answer")
    assert [field.feed(piece) for piece in ('{"ans', 'wer": "Ten', " days", '."', ', "x": 1}')] == [
        "",
        "Ten",
        " days",
        ".",
        "",
    ]
    assert field.closed


@pytest.mark.parametrize(
    "said",
    [
        '{"answer": "Yes."}',
        '{"Answer" : "Yes.", "answer": "No."}',
        '```json\n{"answer": "Yes."}\n```',
        'Here "it" is: {"why": "a {brace}", "list": ["answer", {"answer": "No."}], "answer": "Yes."}',
        '{"type": "object", "properties": {"answer": {"type": "string"}}}\n{"answer": "Yes."}',
        '{"answer": {"type": "string"}} {"answer": "Yes."}',
        '{"answer": null, "x": 1}{"answer": "Yes."}',
        '{the question} {"answer":"Yes."',
    ],
)
def test_the_answer_is_found_among_what_stands_around_it(said: str) -> None:
    assert read(said).text == "Yes."
    assert read(*said).text == "Yes."


@pytest.mark.parametrize("said", ["", "Yes.", '{"answer": 7}', '["answer", "Yes."]', '{"why": "answer"}', '{"a": {'])
def test_what_holds_no_answer_gives_none(said: str) -> None:
    field = read(*said)
    assert (field.text, field.found) == ("", False)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"a\nb\t\"c\" \\ \/ é", 'a\nb\t"c" \\ / é'),
        (r"\ud83d\ude00!", "😀!"),
        (r"\ud83d!", "\ufffd!"),
        (r"\ude00", "\ufffd"),
        (r"\ud83dA", "\ufffdA"),
        (r"\uzzzz", "\ufffdzzzz"),
        (r"50\%", "50%"),
        ("a\nb", "a\nb"),
    ],
)
def test_escapes_are_read_whole_however_they_are_cut(written: str, text: str) -> None:
    said = f'{{"answer": "{written}"}}'
    assert read(said).text == text
    assert read(*said).text == text


@given(st.text(st.characters(codec="utf-8")), st.booleans(), st.lists(st.integers(0, 200), max_size=12))
def test_any_text_in_any_pieces_is_read_as_the_whole_object_would_be(text: str, plain: bool, cuts: list[int]) -> None:
    said = json.dumps({"first": [1, {"answer": "no"}], "answer": text, "last": "x"}, ensure_ascii=not plain)
    edges = [0, *sorted(min(cut, len(said)) for cut in cuts), len(said)]
    field = read(*[said[start:end] for start, end in zip(edges, edges[1:], strict=False)])
    assert field.text == text
    assert field.closed


@given(st.text(alphabet='{}[]":,answer\\u0d8 \n'), st.integers(1, 5))
def test_any_nonsense_is_read_alike_in_any_pieces(said: str, size: int) -> None:
    assert read(*[said[at : at + size] for at in range(0, len(said), size)]).text == read(said).text
