"""`refdesk faq` on a real base: edits are live, survive ingestion, are checked and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from bot.cli import run

FAQ = """\
- id: autopay-on
  questions: ["How do I switch on autopay?"]
  answer: In your account.
"""


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """The command sets up the log for this process, whose error stream is the test's."""
    yield
    structlog.reset_defaults()


def test_an_entry_made_while_it_runs_survives_ingestion(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "knowledge"
    (folder / "faq").mkdir(parents=True)
    (folder / "faq" / "en.yaml").write_text(FAQ, encoding="utf-8")
    common = ["--knowledge", str(folder), "--data", str(tmp_path / "data")]
    assert run(["ingest", *common]) == 0
    new = ["--question", "May I keep a snake in my room?", "--answer", "No snakes."]
    assert run(["faq", "add", "snakes", *new, "--by", "anna", *common]) == 0
    same = ["--question", "How do I switch on autopay?", "--answer", "By mail."]
    assert run(["faq", "add", "mail", *same, *common]) == 3
    assert "autopay-on" in capsys.readouterr().err
    assert run(["ingest", *common]) == 0
    assert run(["faq", "list", *common]) == 0
    listed = capsys.readouterr().out
    assert "snakes" in listed
    assert "mail" not in listed
    assert run(["ask", "May I keep a snake in my room?", *common]) == 0
    assert "No snakes." in capsys.readouterr().out
    assert run(["faq", "drafts", *common]) == 0
    assert run(["faq", "list", "--flagged", *common]) == 0
    assert capsys.readouterr().out == ""
    assert run(["faq", "approve", "7", *common]) == 1
    assert "there is no draft 7" in capsys.readouterr().err
    assert run(["faq", "undo", "1", "--by", "boris", *common]) == 0
    assert run(["faq", "history", *common]) == 0
    assert "boris  retire  snakes  takes back 1" in capsys.readouterr().out
    assert run(["faq", "export", *common]) == 0
    exported = capsys.readouterr().out
    assert "autopay-on" in exported
    assert "snakes" not in exported
