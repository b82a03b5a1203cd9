"""Data folders that are made once per test run, since each takes an ingestion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import QUESTIONS, SAMPLE, SMALL, Desk, write_small


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A small knowledge folder, ingested. Tests that change it make their own."""
    folder = tmp_path_factory.mktemp("small")
    desk = Desk(folder / "knowledge", folder / "data")
    write_small(desk.knowledge)
    ingested = desk.run("ingest")
    assert ingested.code == 0, ingested.err
    assert ingested.out == ""
    documents = sum(not path.startswith(("faq/", "knowledge")) for path in SMALL)
    assert ingested.err.startswith(f"Indexed {documents} documents ({documents} new, 0 changed, 0 removed), ")
    return desk


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """The repository's own sample knowledge, ingested."""
    desk = Desk(SAMPLE, tmp_path_factory.mktemp("sample") / "data")
    ingested = desk.run("ingest")
    assert ingested.code == 0, ingested.err
    assert "warning" not in ingested.err
    return desk


@pytest.fixture(scope="session")
def sample_questions() -> Mapping[str, Mapping[str, Any]]:
    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    return {question["id"]: question for question in map(json.loads, lines)}


@pytest.fixture(scope="session")
def sample_outcomes(sample: Desk, sample_questions: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The outcomes of all sample questions, by id, from one `ask --batch` over the file as it is."""
    answered = sample.run("ask", "--batch", QUESTIONS)
    assert answered.code == 0, answered.err
    assert answered.err == ""
    outcomes = [json.loads(line) for line in answered.out.splitlines()]
    assert [outcome["id"] for outcome in outcomes] == [*sample_questions], "every id once, in the order of the file"
    return {outcome["id"]: outcome for outcome in outcomes}


@pytest.fixture
def unfilled(tmp_path: Path) -> Desk:
    """A small knowledge folder that nothing has been made of yet."""
    desk = Desk(tmp_path / "knowledge", tmp_path / "data")
    write_small(desk.knowledge)
    return desk
