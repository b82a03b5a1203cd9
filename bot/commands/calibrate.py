from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.bringing_up import open_app
from bot.settings import Settings
from engine import ConfigurationError
from engine.evaluation.calibration_page import NO_CURVE, calibration_page, figures
from engine.matching.book import Book
from engine.matching.calibration import calibrate
from engine.matching.practice import Labelled
from engine.matching.stored import save_findings
from engine.ports import StoredFaq
from engine.text.mismatch import first_problem

NAME = "calibrate"
HELP = "measure the FAQ gate on your own FAQ, and set it accordingly"

_PAGE = "calibration.html"
_PAIRS_PRINTED = 20


class LabelledLine(BaseModel):
    """A line of a labelled file. Other fields are ignored."""

    model_config = ConfigDict(extra="ignore")
    question: str = Field(min_length=1)
    entry: str | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--labelled",
        type=Path,
        metavar="FILE",
        help="questions with the id of the entry that answers each, empty when none does: JSONL or CSV with the fields"
        " question and entry",
    )


async def run(options: argparse.Namespace, settings: Settings) -> int:
    labelled = read_labelled(options.labelled) if options.labelled else []
    async with open_app(settings) as app:
        faq = await app.faq.load()
        if not faq.wordings:
            raise ConfigurationError(f"there is no FAQ to calibrate on; put entries into {settings.knowledge}/faq")
        _check(labelled, faq, options.labelled)
        book = Book.arrange(faq)
        embedder = app.gate_embedder
        findings = await calibrate(book, embedder.embed_questions, labelled)
        await save_findings(app.meta, embedder.fingerprint, faq.version, findings)
    page = settings.data / _PAGE
    page.write_text(calibration_page(findings, embedder.fingerprint), encoding="utf-8")
    out = sys.stdout
    out.write(f"{len(faq.entries)} entries with {len(faq.wordings)} wordings, embedder {embedder.fingerprint}\n")
    out.writelines(f"{name:<44} {value}\n" for name, value in figures(findings))
    out.write("expected chance, observed share right\n" if findings.bins else f"{NO_CURVE}\n")
    out.writelines(f"  {one.expected:.3f}  {one.observed}\n" for one in findings.bins)
    if findings.confusable:
        out.write("entries that are taken for each other, for the editor:\n")
    for pair in findings.confusable[:_PAIRS_PRINTED]:
        out.write(f"  {pair.cosine:.3f}  {pair.entry}: {pair.wording}  |  {pair.other}: {pair.other_wording}\n")
    out.write(f"plotted in {page}\n")
    return 0


def read_labelled(path: Path) -> list[Labelled]:
    """Raises ConfigurationError with the line that is wrong."""
    found: list[Labelled] = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            if path.suffix.lower() == ".csv":
                rows = (
                    (number, LabelledLine.model_validate(row))
                    for number, row in enumerate(csv.DictReader(lines), start=2)
                )
            else:
                numbered = ((number, line) for number, line in enumerate(lines, start=1) if line.strip())
                rows = ((number, LabelledLine.model_validate_json(line)) for number, line in numbered)
            for _, line in rows:
                found.append(Labelled(question=line.question, entry=line.entry or None))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise ConfigurationError(f"{path}, after {len(found)} good lines: {first_problem(error)}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ConfigurationError(f"{path} is not a table in UTF-8: {error}") from error
    return found


def _check(labelled: list[Labelled], faq: StoredFaq, path: Path | None) -> None:
    ids = {entry.id for entry in faq.entries}
    for number, one in enumerate(labelled, start=1):
        if one.entry is not None and one.entry not in ids:
            raise ConfigurationError(f"{path}, question {number}: the FAQ has no entry {one.entry}")
