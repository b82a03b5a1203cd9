"""What the real command says when something is wrong: one clear line on standard error, and never a traceback."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.command_line import Desk

# --- wrong command lines and settings -------------------------------------------------------------------------------


def test_ask_needs_a_question(unfilled: Desk) -> None:
    assert unfilled.run("ask").complaint == "give either a question or --batch FILE.jsonl"


def test_an_empty_question_is_refused(unfilled: Desk) -> None:
    assert unfilled.run("ask", " \t\n").complaint == "the question is empty"


def test_an_unknown_setting_is_named_with_what_was_meant(unfilled: Desk) -> None:
    said = unfilled.run("ask", "How?", environment={"REFDESK_KNOWLEGE": "x"}).complaint
    assert said == "unknown setting REFDESK_KNOWLEGE; did you mean REFDESK_KNOWLEDGE?"


def test_a_wrong_setting_is_named_without_its_value(unfilled: Desk) -> None:
    said = unfilled.run("ask", "How?", environment={"REFDESK_GATE_EMBEDDER": "s3cr3t"}).complaint
    assert said.startswith("setting REFDESK_GATE_EMBEDDER: input should be 'use', ")
    assert "s3cr3t" not in said


def test_a_batch_that_cannot_be_read_is_named(unfilled: Desk, tmp_path: Path) -> None:
    missing = tmp_path / "missing.jsonl"
    assert unfilled.run("ask", "--batch", missing).complaint == f"{missing} cannot be read: No such file or directory"


def test_an_unknown_command_is_told_with_the_known_ones(unfilled: Desk) -> None:
    told = unfilled.run("asks", "How?")
    assert (told.code, told.out) == (2, "")
    assert "Traceback" not in told.err
    assert "invalid choice: 'asks'" in told.err


# --- wrong folders --------------------------------------------------------------------------------------------------


def test_a_missing_knowledge_folder_is_named(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "nowhere", tmp_path / "data")
    expected = f"there is no knowledge folder {desk.knowledge}; name one with --knowledge"
    assert desk.run("ask", "How?").complaint == expected


def test_a_data_folder_that_is_a_file_is_named(unfilled: Desk) -> None:
    unfilled.data.write_text("not a folder", encoding="utf-8")
    assert unfilled.run("ask", "How?").complaint == f"the data folder {unfilled.data} cannot be made: File exists"


def test_a_broken_registry_is_told_with_line_and_column(unfilled: Desk) -> None:
    (unfilled.knowledge / "knowledge.yaml").write_text("domains:\n  - id: bikes\n    titel: Bikes\n", encoding="utf-8")
    said = unfilled.run("ask", "When are you open?").complaint
    assert said == "knowledge.yaml: line 3, column 12: domains.0.titel: no such key is known here"


# --- check and misses -----------------------------------------------------------------------------------------------


def test_check_tells_point_by_point_what_works(small: Desk) -> None:
    checked = small.run("check")
    assert (checked.code, checked.err) == (0, "")
    points = [line.split(": ", 1) for line in checked.out.splitlines()]
    names = ["settings", "knowledge folder", "state", "index", "embedders", "contents", "model", "references"]
    assert [point for point, _ in points] == [f"ok    {name}" for name in names]
    contents = dict(points)["ok    contents"]
    assert contents.startswith("3 documents, ")
    assert contents.endswith(" 3 FAQ entries")
    assert dict(points)["ok    references"].startswith("1 in the documents: 1 resolved (1 by toc), ")


def test_check_lists_the_references_that_lead_nowhere_with_their_place(unfilled: Desk) -> None:
    rules = unfilled.knowledge / "bikes" / "rules" / "broken.md"
    sections = [
        f"## {number}. Part {number}\n\nThe bell is tested as section 9.{number} says.\n" for number in range(1, 31)
    ]
    rules.write_text("# Bells\n\n" + "\n".join(sections) + "\nSee [the horns](horns.md) too.\n", encoding="utf-8")
    assert unfilled.run("ingest").code == 0
    checked = unfilled.run("check")
    assert checked.code == 0, "a reference that leads nowhere is the editor's to mend; it breaks nothing"
    lines = checked.out.splitlines()
    assert "      bikes/rules/broken.md, section 1 Part 1: section 9.1" in lines
    assert lines[-1] == "      and 11 more: refdesk check --all"
    listed = [line for line in unfilled.run("check", "--all").out.splitlines() if line.startswith("      bikes/")]
    assert len(listed) == 31
    assert any("horns.md" in line for line in listed)


def test_check_tells_what_fails(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "nowhere", tmp_path / "data")
    environment = {"REFDESK_MODEL_URL": "http://127.0.0.1:1/v1", "REFDESK_MODEL_NAME": "none"}
    checked = desk.run("check", environment=environment)
    assert checked.code == 1
    assert "Traceback" not in checked.err
    assert f"FAIL  knowledge folder: {desk.knowledge} is not there; name one with --knowledge\n" in checked.out
    assert "ok    contents: nothing is indexed yet: run `refdesk ingest`\n" in checked.out
    (model,) = [line for line in checked.out.splitlines() if "  model: " in line]
    assert model.startswith("FAIL  model: ")


def test_check_names_a_domain_of_a_rule_that_the_knowledge_does_not_have(small: Desk) -> None:
    checked = small.run("check", environment={"REFDESK_ESCALATE_DOMAINS": "housing, garages"})
    assert checked.code == 1
    assert "REFDESK_ESCALATE_DOMAINS names garages, housing; the knowledge has" in checked.out
    known = re.search(r"the knowledge has (\w+)", checked.out)
    assert known is not None
    assert small.run("check", environment={"REFDESK_ESCALATE_DOMAINS": known[1]}).code == 0


def test_check_says_which_setting_leads_to_no_server(unfilled: Desk) -> None:
    checked = unfilled.run("check", environment={"REFDESK_QDRANT_URL": "http://127.0.0.1:1"})
    assert checked.code == 1
    (start,) = [line for line in checked.out.splitlines() if line.startswith("FAIL  start: ")]
    assert start.endswith("; is REFDESK_QDRANT_URL right?")


def test_the_version_is_told(unfilled: Desk) -> None:
    told = unfilled.run("--version")
    assert (told.code, told.out) == (0, f"refdesk {version('refdesk')}\n")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("knowledge.yaml", "domains:\n  - id: bikes\n    titel: B\n", "FAIL  knowledge folder: knowledge.yaml: line 3"),
        ("faq/broken.yaml", "- id: a\n", "      faq/broken.yaml: line 1"),
    ],
)
def test_check_tells_of_files_that_an_ingestion_would_not_take(unfilled: Desk, name: str, text: str, said: str) -> None:
    place = unfilled.knowledge / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(text, encoding="utf-8")
    checked = unfilled.run("check")
    assert checked.code == 1
    assert said in checked.out
    assert any(line.startswith("FAIL  knowledge folder: ") for line in checked.out.splitlines())


def test_a_miss_is_listed_with_language_score_reason_and_route(small: Desk) -> None:
    question = "Где купить билет в оперный театр?"
    asked = json.loads(small.run("ask", "--json", question).out.splitlines()[-1])["outcome"]
    assert asked["kind"] == "missed"
    miss = json.loads(small.run("misses", "--each", "--json").out.splitlines()[0])
    assert miss["question"] == question, "newest first"
    assert (miss["language"], miss["reason"]) == ("ru", asked["miss_reason"])
    assert miss["best_score"] == pytest.approx(asked["faq"]["score"], abs=0.001)
    where = "/".join(part for part in (asked["route"]["domain"], asked["route"]["collection"]) if part)
    assert miss["route"] == (where or None)
    newest = small.run("misses", "--each", "--limit", "1")
    assert newest.code == 0
    (line,) = newest.out.splitlines()
    fields = line.split("  ")
    assert fields[1:] == ["ru", f"{miss['best_score']:.2f}", miss["reason"], where or "-", question]


def test_a_report_counts_how_questions_ended(unfilled: Desk) -> None:
    assert unfilled.run("report").out.startswith("0 questions since ")
    for question in ("When are you open?", "How much is the deposit for a city bicycle?"):
        assert unfilled.run("ask", question).code == 0
    figures = json.loads(unfilled.run("report", "--json").out)
    assert (figures["questions"], figures["kinds"]) == (2, {"faq_direct": 1, "answered": 1})
    assert figures["references"]["found"] == sum(figures["references"]["by_type"].values())
    told = unfilled.run("report", "--days", "1")
    assert told.code == 0
    page = unfilled.data / "report.html"
    written = unfilled.run("report", "--html", page, "--language", "ru")
    assert (written.code, written.out) == (0, "")
    html = page.read_text(encoding="utf-8")
    assert "Отчёт Refdesk" in html
    assert "<b>1</b>" in html
    nowhere = unfilled.data / "no" / "report.html"
    refused = unfilled.run("report", "--html", nowhere).complaint
    assert refused == f"the report cannot be written to {nowhere}: No such file or directory"
    assert told.out.startswith("2 questions since ")
    assert "bikes/rules/rental.md" in told.out
    assert unfilled.run("report", "--days", "0").code == 2
