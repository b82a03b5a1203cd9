"""What editors see of unanswered questions, and what they make of them, on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.command_line import Desk

SNAKES = ("May I keep a snake in my flat?", "is a snake allowed in the flat", "Can we keep a snake in the flat?")


def rows(desk: Desk, *options: str) -> list[dict[str, Any]]:
    told = desk.run("misses", "--json", *options)
    assert told.code == 0, told.err
    return [json.loads(line) for line in told.out.splitlines()]


def test_gaps_from_the_miss_to_the_written_entry(unfilled: Desk, tmp_path: Path) -> None:
    asked = [*SNAKES, "Where can I buy opera tickets?", "When are you open?", "When are you open?"]
    batch = tmp_path / "asked.jsonl"
    batch.write_text("".join(f"{json.dumps({'id': str(n), 'question': q})}\n" for n, q in enumerate(asked)))
    assert unfilled.run("ask", "--batch", batch).code == 0
    snakes, opera, popular = rows(unfilled)
    assert (snakes["kind"], snakes["count"], snakes["state"], snakes["languages"]) == ("unanswered", 3, "new", ["en"])
    assert snakes["question"] == SNAKES[-1], "the latest wording"
    assert snakes["per_week"][-1] == 3
    assert snakes["trend"] == "rising"
    assert (opera["question"], opera["count"]) == ("Where can I buy opera tickets?", 1)
    assert snakes["nearest"], "the FAQ's nearest entries are named"
    assert all(set(one) == {"entry", "question", "score"} for one in snakes["nearest"])
    assert (popular["kind"], popular["question"], popular["count"]) == ("answered", "When are you open?", 2)

    taken = unfilled.run("misses", "take", str(snakes["misses"][1]), "--by", "anna")
    assert taken.out == f"#{snakes['id']} is taken: {SNAKES[-1]}\n"
    assert unfilled.run("misses", "wont-do", str(opera["id"])).code == 0
    assert [(row["id"], row["state_by"]) for row in rows(unfilled, "--state", "open")] == [(snakes["id"], "anna")]

    added = unfilled.run("faq", "add", "snakes", "--question", SNAKES[0], "--question", SNAKES[1], "--answer", "No.")
    assert added.code == 0, added.err
    (written,) = rows(unfilled, "--state", "written")
    assert (written["id"], written["served_by"]) == (snakes["id"], "snakes")
    told = unfilled.run("misses").out
    assert "written (snakes answers it)" in told
    assert "Asked often and answered:" in told


def test_a_wrong_number_is_told(unfilled: Desk) -> None:
    assert (
        unfilled.run("misses", "take").complaint == "which one? `refdesk misses take ID`; `refdesk misses` lists them"
    )
    assert unfilled.run("misses", "take", "7").complaint == "there is no miss 7; `refdesk misses` lists them"
