"""Parsing in a child process: what breaks there costs one file."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from engine.errors import SourceError
from engine.ingest import parsers
from engine.ingest.isolation import IsolatedParser, _parse
from engine.types import ParsedDocument


@pytest.fixture
def parser() -> Iterator[IsolatedParser]:
    one = IsolatedParser()
    yield one
    one.close()


def why(parser: IsolatedParser, path: str, data: bytes) -> str:
    with pytest.raises(SourceError) as caught:
        parser.parse(path, data)
    assert caught.value.path == path
    return caught.value.reason


def test_a_plain_format_needs_no_child(parser: IsolatedParser) -> None:
    assert parser.parse("a/b.md", b"# Title\n\nText.\n").title == "Title"
    assert parser.child_id is None


def test_the_reason_of_a_broken_file_comes_back_and_the_child_lives_on(parser: IsolatedParser) -> None:
    first = why(parser, "a/b.pdf", b"no pdf at all")
    child = parser.child_id
    assert first
    assert child
    assert why(parser, "a/c.pdf", b"no pdf at all") == first
    assert parser.child_id == child


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs signals")
def test_a_file_that_takes_too_long_is_given_up(parser: IsolatedParser) -> None:
    hasty = IsolatedParser(seconds=0.2)
    try:
        hasty.start()
        assert hasty.child_id
        os.kill(hasty.child_id, signal.SIGSTOP)
        assert "was not read within 0.2 seconds" in why(hasty, "a/b.pdf", b"%PDF-")
        assert hasty.child_id is None
    finally:
        hasty.close()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_a_crash_costs_one_file(parser: IsolatedParser) -> None:
    parser.start()
    assert parser.child_id
    os.kill(parser.child_id, signal.SIGKILL)
    assert "crashed" in why(parser, "a/b.pdf", b"%PDF-")
    assert "crashed" not in why(parser, "a/b.pdf", b"no pdf at all")


@pytest.mark.parametrize(("error", "words"), [(MemoryError(), "memory"), (RecursionError(), "nested")])
def test_a_file_that_exhausts_the_child_is_named(
    monkeypatch: pytest.MonkeyPatch, error: BaseException, words: str
) -> None:
    def exhausted(path: str, data: bytes) -> ParsedDocument:
        raise error

    monkeypatch.setattr(parsers, "parse", exhausted)
    answer = _parse("a/b.pdf", b"")
    assert isinstance(answer, str)
    assert words in answer
