"""`refdesk eval base` on a small base: printed, kept and drawn; configurations side by side."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line import Desk

LINES = (
    {"id": "deposit", "question": "What is the deposit for a city bicycle?", "facts": ["80 euros"]},
    {"id": "hour", "question": "Сколько стоит час проката городского велосипеда?", "facts": ["250 рублей"]},
)
DOCUMENTS = ("bikes/rules/rental.md", "bikes/prices/ceny.md")


def test_configurations_are_measured_side_by_side_and_kept(unfilled: Desk, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.jsonl", tmp_path / "out"
    lines = [{**line, "documents": [document]} for line, document in zip(LINES, DOCUMENTS, strict=True)]
    questions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    arguments = ("eval", "base", "--questions", questions, "--out", out, "--config", "dcd+up", "--against", "naive")
    first = unfilled.run(*arguments)
    assert first.code == 0, first.err
    assert "over naive" in first.out
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert [one["configuration"] for one in results["configurations"]] == ["dcd+up", "naive"]
    assert results["configurations"][0]["figures"]["coverage"]["mean"] == 2.0
    assert "value_10" in results["differences"]["dcd+up"]
    assert "<svg" in (out / "results.html").read_text(encoding="utf-8")
    rows = (out / "rows" / "naive.jsonl").read_text(encoding="utf-8")
    assert len(rows.splitlines()) == len(LINES)
    assert not (unfilled.data / "index").exists(), "the desk's own index is left alone"
    assert unfilled.run(*arguments).out == first.out, "nothing is measured again"
    repeated = unfilled.run(*arguments, "--repeats", "3")
    assert repeated.out == first.out, "without a model nothing can differ"
    assert "each question is asked once" in repeated.err


def test_a_model_that_is_down_is_told_and_no_zero(unfilled: Desk, tmp_path: Path) -> None:
    questions, out = tmp_path / "questions.jsonl", tmp_path / "out"
    questions.write_text(json.dumps({**LINES[0], "documents": [DOCUMENTS[0]]}), encoding="utf-8")
    down = {"REFDESK_MODEL_URL": "http://127.0.0.1:1/v1", "REFDESK_MODEL_NAME": "none"}
    done = unfilled.run("eval", "base", "--questions", questions, "--out", out, "--repeats", "2", environment=down)
    assert done.code == 0, done.err
    assert "1 questions, each 2 times" in done.out
    assert "the judging model failed 2 times" in done.out
    assert "quoted in place of the model: 2 answers" in done.out
    (result,) = json.loads((out / "results.json").read_text(encoding="utf-8"))["configurations"]
    assert result["figures"]["value_quoted"] == {
        "mean": 1.0,
        "low": 1.0,
        "high": 1.0,
        "count": 1,
        "by_repeat": [1.0, 1.0],
        "spread": 0.0,
    }
    assert not [name for name in result["figures"] if name.startswith("judge")]
    page = (out / "results.html").read_text(encoding="utf-8")
    assert "asked 2 times" in page
    assert "Not judged by the model" in page


def test_wrong_use_is_told_in_one_line(unfilled: Desk, tmp_path: Path) -> None:
    assert "--questions" in unfilled.run("eval", "base").complaint
    none = tmp_path / "none.jsonl"
    assert "--repeats" in unfilled.run("eval", "base", "--questions", none, "--repeats", "0").complaint
    assert (
        "there is no configuration best"
        in unfilled.run("eval", "base", "--questions", none, "--config", "best").complaint
    )
    assert "cannot be read" in unfilled.run("eval", "base", "--questions", none, "--out", tmp_path / "out").complaint
    assert "--sets" in unfilled.run("eval", "faq").complaint
    assert "none of the sets is in" in unfilled.run("eval", "faq", "--sets", tmp_path).err
    none.write_text('{"id": "1", "language": "en", "question": "How?"}\n', encoding="utf-8")
    hard = unfilled.run("eval", "faq", "--sets", tmp_path, "--hard", none)
    assert (hard.code, hard.err) == (1, f"refdesk: {none}: line 1: known: Field required\n")
    none.write_text("{}\n{", encoding="utf-8")
    assert "no base can be made in" in unfilled.run("eval", "make", none).complaint
    tokens = unfilled.run("eval", "base", "--questions", none, "--chunk-tokens", "0")
    assert "--chunk-tokens must be 50 or more" in tokens.complaint
