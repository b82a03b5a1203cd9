from __future__ import annotations

from contextlib import suppress
from datetime import date
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from engine.text.json_replies import NotTheObject, parse_reply


class Choice(BaseModel):
    id: Literal["rent", "repairs"]
    why: str
    since: date | None = None


@pytest.mark.parametrize(
    "reply",
    [
        '{"id": "rent", "why": "it says so"}',
        '  \n{"id": "rent", "why": "it says so", "since": "2024-05-01", "more": 1}\n',
        'Here you are:\n```json\n{"id": "rent", "why": "it says so"}\n```\nAnything else?',
        '```\n{"id": "rent", "why": "it says so"}\n```',
        'I read {the question} and {"id": "none", "why": "-"} is wrong, so {"id": "rent", "why": "it says so"}!',
        '[{"id": "rent", "why": "it says so"}]',
    ],
)
def test_the_object_is_found(reply: str) -> None:
    choice = parse_reply(reply, Choice)
    assert (choice.id, choice.why) == ("rent", "it says so")


def test_a_string_may_hold_a_bare_line_break() -> None:
    assert parse_reply('{"id": "rent", "why": "one\ntwo"}', Choice).why == "one\ntwo"


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "no JSON object"),
        ("rent", "no JSON object"),
        ('{"id": "rent"}', "why: Field required"),
        ('{"id": "cars", "why": ""}', "id: Input should be 'rent' or 'repairs'"),
        ('{"id": "rent", "why": "\\ud83d"}', "hex escape"),
        ('{"a":' * 5000, "no JSON object"),
    ],
)
def test_the_problem_is_described_for_the_model_to_mend(reply: str, problem: str) -> None:
    with pytest.raises(NotTheObject, match=problem):
        parse_reply(reply, Choice)


@given(st.text(alphabet='{}[]":,ab1\\ \n`'))
def test_any_text_is_an_object_or_none(reply: str) -> None:
    with suppress(NotTheObject):
        assert isinstance(parse_reply(reply, Choice), Choice)
