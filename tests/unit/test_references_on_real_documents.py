"""The reference grammar on sentences that others wrote, against labels made by reading."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.labelled_references import labelled_sentences, on_rule_books, on_sentences

DATA = Path(os.environ.get("REFDESK_TEST_DATA") or Path(__file__).parents[2].parent / "shared" / "data")
WANTED = 0.95


def real(path: str) -> Path:
    location = DATA / path
    if not location.exists():
        pytest.skip(f"NO TEST DATA: {location} is missing; set REFDESK_TEST_DATA to the folder that holds docs/")
    return location


def test_labelled_sentences_of_laws_and_specifications() -> None:
    labelled, drawn = labelled_sentences(real("docs"))
    assert len(labelled) >= 0.9 * drawn
    detection = on_sentences(labelled)
    assert min(detection.precision, detection.recall) >= WANTED


def test_labelled_references_of_rule_books() -> None:
    detection = on_rule_books(real("qa/obliqa_xref/CrossReferenceData.csv"))
    assert min(detection.precision, detection.recall) >= WANTED
