"""`refdesk calibrate`, `refdesk eval faq` and `refdesk faq vetoes` on small bases, from the command to the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from bot.cli import run

VERBS, THINGS = ("print", "renew", "cancel"), ("parking permit", "rental contract", "guest pass", "bank statement")


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """The command sets up the log for this process, whose error stream is the test's."""
    yield
    structlog.reset_defaults()


@pytest.fixture
def common(tmp_path: Path) -> list[str]:
    rows = ["id,question,answer,valid_from"]
    for verb in VERBS:
        for thing in THINGS:
            name = f"{verb}-{thing.split()[0]}"
            rows.append(f"{name},How do I {verb} the {thing}?,{verb} {thing} {{{{phone}}}},2020-01-01")
            rows.append(f"{name},I want to {verb} my {thing},,")
    folder = tmp_path / "knowledge"
    (folder / "faq").mkdir(parents=True)
    (folder / "faq" / "table.csv").write_text("\n".join(rows), encoding="utf-8")
    return ["--knowledge", str(folder), "--data", str(tmp_path / "data")]


def test_calibrate_prints_and_plots(tmp_path: Path, common: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    labelled = tmp_path / "labelled.jsonl"
    questions = [("how can i print a guest pass", "print-guest"), ("who was king in 1400", None)]
    labelled.write_text("\n".join(json.dumps({"question": q, "entry": e}) for q, e in questions), encoding="utf-8")
    assert run(["calibrate", "--labelled", str(labelled), *common]) == 0
    told = capsys.readouterr()
    for figure in ("precision of direct", "background questions served directly", "chance at 0.92", "2 labelled"):
        assert figure in told.out
    assert (
        "{{phone}} has no value in REFDESK_ANSWER_VARIABLES, and stands in the answer of print-parking and 11"
        in told.err
    )
    assert "<svg" in (tmp_path / "data" / "calibration.html").read_text(encoding="utf-8")
    labelled.write_text('{"question": "how?", "entry": "nothing"}\n', encoding="utf-8")
    assert run(["calibrate", "--labelled", str(labelled), *common]) == 1
    assert "the FAQ has no entry nothing" in capsys.readouterr().err


def test_what_was_vetoed_is_told_to_the_editor(common: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert run(["ask", "How do I not print the guest pass?", *common]) in (0, 1, 3, 4)
    capsys.readouterr()
    assert run(["faq", "vetoes", *common]) == 0
    told = capsys.readouterr().out
    assert "negation  print-guest  2 times" in told
    assert "asked: How do I not print the guest pass?" in told
    assert "known: How do I print the guest pass?" in told


def test_the_faq_as_a_table_comes_back(tmp_path: Path, common: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["ingest", *common]) == 0
    assert run(["faq", "export", "--csv", *common]) == 0
    exported = capsys.readouterr().out
    assert "2020-01-01" in exported
    (tmp_path / "out.csv").write_text(exported.replace("2020-01-01", "2099-01-01"), encoding="utf-8")
    assert run(["faq", "import", str(tmp_path / "out.csv"), "--force", *common]) == 0
    assert run(["faq", "export", *common]) == 0
    assert capsys.readouterr().out.count("2099-01-01") == len(VERBS) * len(THINGS)


def test_eval_faq_measures_what_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sets, hard = tmp_path / "sets", tmp_path / "hard.jsonl"
    (sets / "clinc150").mkdir(parents=True)
    train = [(f"please {how} the {thing}", thing) for thing in THINGS for how in ("find", "show", "print", "send")]
    data = {"train": train, "val": [(f"find my {THINGS[0]}", THINGS[0])], "oos_val": [("why is it hot", "oos")]}
    (sets / "clinc150" / "data.json").write_text(json.dumps(data | {"oos_train": []}), encoding="utf-8")
    pair = {"id": "h1", "language": "en", "question": "How do I open it?", "known": "How do I close it?"}
    hard.write_text(json.dumps(pair), encoding="utf-8")
    only = ["--only", "clinc150", "--only", "hard", "--only", "pairs"]
    assert run(["eval", "faq", "--sets", str(sets), "--hard", str(hard), *only, "--data", str(tmp_path / "data")]) == 0
    told = capsys.readouterr().out
    for line in (
        "hard pairs, there: 1 entries",
        "CLINC150: 4 entries, 16 wordings, 2 questions",
        "peers: cosine >= 0.92",
    ):
        assert line in told
    assert "outside direct 0 of 1" in told
    assert run(["eval", "faq", "--data", str(tmp_path / "data")]) == 1
    assert "eval faq needs --sets" in capsys.readouterr().err
