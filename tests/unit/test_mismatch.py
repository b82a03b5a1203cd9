"""What is wrong is said in one line, with what and where, and without the inside of a library."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel, ValidationError

from bot.settings import Settings
from bot.words import read_words
from engine import ConfigurationError
from engine.text.mismatch import first_problem, unreadable


class Line(BaseModel, extra="forbid"):
    id: int
    tags: list[str] = []


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"id": 1, "name": "x"}, "name: no such key is known here"),
        ({"id": 1, "tags": ["a", 7]}, "tags.1: Input should be a valid string"),
        ({}, "id: Field required"),
        (7, "Input should be a valid dictionary or instance of Line"),
    ],
)
def test_the_first_problem_is_told_with_its_place(value: object, said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Line.model_validate(value)
    assert first_problem(refused.value) == said


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"ru: \xff\xfe", "cannot be read: it is not UTF-8 (byte 4)"),
        (b"ru: [\n- :", "are not YAML: while parsing"),
        (b"just words", "are names and words by language"),
    ],
)
def test_own_words_that_cannot_be_read_are_told_in_one_line(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "words.yaml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigurationError) as refused:
        read_words(path)
    told = str(refused.value)
    assert told.startswith(f"the texts in {path} {said}")
    assert "\n" not in told
    assert "Errno" not in told


def test_a_reason_without_words_of_the_system_is_still_one() -> None:
    assert unreadable(OSError()) == "OSError"


def test_a_setting_is_told_without_the_words_of_a_library() -> None:
    with pytest.raises(ConfigurationError) as refused:
        Settings.load(environment={"REFDESK_MODEL_FALLBACKS": "gpt"})
    assert str(refused.value).startswith("setting REFDESK_MODEL_FALLBACKS: is no list of endpoints as JSON: ")
