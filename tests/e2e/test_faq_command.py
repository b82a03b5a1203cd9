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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["retire"], "which one? `refdesk faq retire ID`; `refdesk faq list` lists them"),
        (["undo"], "which one? `refdesk faq undo NUMBER`; `refdesk faq history` lists them"),
        (["approve"], "which one? `refdesk faq approve NUMBER`; `refdesk faq drafts` lists them"),
        (["import"], "which one? `refdesk faq import FILE`"),
        (["list", "pets"], "`refdesk faq list` takes nothing more, and was given pets"),
        (["edit", "autopay-on"], "there is nothing to change: give --question, --answer or both"),
        (["edit", "nothing", "--answer", "x"], "the FAQ has no entry nothing"),
    ],
)
def test_what_is_missing_or_too_much_is_told_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    folder = tmp_path / "knowledge"
    (folder / "faq").mkdir(parents=True)
    (folder / "faq" / "en.yaml").write_text(FAQ, encoding="utf-8")
    common = ["--knowledge", str(folder), "--data", str(tmp_path / "data")]
    assert run(["ingest", *common]) == 0
    capsys.readouterr()
    assert run(["faq", *arguments, *common]) == 1
    assert capsys.readouterr().err == f"refdesk: {said}\n"
    assert run(["faq", "history", *common]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "arguments", [["faq", "vetoes", "--limit", "0"], ["misses", "--limit", "-1"], ["misses", "--days", "x"],
                  ["report", "--days", "36501"], ["eval", "base", "--limit", "-3"], ["eval", "make", "--domains", "0"]]
)  # fmt: skip
def test_a_number_out_of_bounds_is_told_with_these(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(arguments)
    assert ended.value.code == 2
    assert "a whole number from 1 to " in capsys.readouterr().err


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
