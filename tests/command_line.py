"""The real `refdesk` command in a process of its own, and a small knowledge folder for it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "knowledge"
QUESTIONS = ROOT / "tests" / "data" / "sample_questions.jsonl"
PATIENCE = 120
"""Seconds until a command that does not end is killed."""

SMALL = {
    "knowledge.yaml": """\
domains:
  - id: bikes
    title: Bicycle rental
    description: Renting bicycles, deposits, prices, helmets, damage and theft.
    default_collection: rules
    collections:
      - {id: rules, title: Rules, description: Rental rules and deposits}
      - {id: prices, title: Цены, description: Цены проката и залог за велосипед}
  - id: boats
    title: Лодки
    description: Прокат лодок и катамаранов на пруду, спасательные жилеты.
    language: ru
""",
    "bikes/rules/rental.md": """\
# Rental rules

## 1. Who may rent

Anyone from the age of 16 may rent a bicycle with a passport or a driving licence.

## 2. Deposit

The deposit for a city bicycle is 80 euros. It is returned as section 4 says.

## 3. Helmets

A helmet is lent free of charge with every bicycle. Children under 12 must wear one.

## 4. Return

The deposit is paid back to the card within 3 working days after the bicycle has been checked.
""",
    "bikes/prices/ceny.md": """\
# Цены проката

## 1. Городские велосипеды

Час проката городского велосипеда стоит 250 рублей, сутки — 1 200 рублей.

## 2. Детские велосипеды

Детский велосипед стоит 150 рублей в час. Шлем для ребёнка выдаётся бесплатно.
""",
    "boats/lodki.txt": """\
Прокат лодок

Лодки выдают с 10 до 19 часов с мая по сентябрь. Жилет обязателен для всех, кто садится в лодку.
""",
    "faq/en.yaml": """\
- id: opening-hours
  questions: ["When are you open?", "What are your opening hours?", "opening times"]
  answer: "Every day, **9:00–20:00**;  in winter until 18:00.\\n\\n  Holidays:\\tclosed. \\n"
- id: puncture
  questions: ["What do I do about a flat tyre?", "I have a puncture"]
  answer: |
    Call 555-0199; a mechanic comes to you within an hour, and the repair of a flat tyre is free.
""",
    "faq/ru.csv": """\
id,question,answer,language
extend,Как продлить прокат велосипеда?,"Позвоните нам до конца срока, и мы продлим прокат.",ru
extend,Хочу продлить аренду велосипеда,,
""",
}


@dataclass(frozen=True, slots=True)
class Finished:
    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line that a failed command leaves on standard error, and nothing else."""
        assert self.code != 0, self.out
        assert self.out == ""
        assert "Traceback" not in self.err
        (line,) = self.err.splitlines()
        assert line.startswith("refdesk: ")
        return line.removeprefix("refdesk: ")


@dataclass(frozen=True, slots=True)
class Desk:
    """A knowledge folder and a data folder that commands work on."""

    knowledge: Path
    data: Path

    def start(
        self, *arguments: str | Path, environment: Mapping[str, str] | None = None, stderr: int = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "bot", *map(str, arguments), "--knowledge", self.knowledge, "--data", self.data],
            cwd=ROOT,
            env=_environment(environment or {}),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
        )

    def run(self, *arguments: str | Path, stdin: str = "", environment: Mapping[str, str] | None = None) -> Finished:
        with self.start(*arguments, environment=environment) as process:
            try:
                out, err = process.communicate(stdin, timeout=PATIENCE)
            finally:
                process.kill()
        return Finished(process.returncode, out, err)


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("REFDESK_")}
    return {**inherited, "REFDESK_INDEX_EMBEDDER": "use", **more}


def write_small(knowledge: Path) -> None:
    for path, text in SMALL.items():
        location = knowledge / path
        location.parent.mkdir(parents=True, exist_ok=True)
        location.write_text(text, encoding="utf-8", newline="")
