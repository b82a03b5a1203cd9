"""Recovered section numbers of real documents against the true ones, which were taken from the documents by hand.

The lists hold numbers only, one a line and in order. For documents without numbers each line is a heading's level, and
its number if it has one.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.ingest.parsers import parse
from engine.ingest.parsers.rst import parse_rst
from engine.types import ParsedDocument

DATA = Path(os.environ.get("REFDESK_TEST_DATA") or Path(__file__).parents[2].parent / "shared" / "data")
LISTS = Path(__file__).parents[1] / "data" / "section_numbers"


def real(path: str, parser: Callable[[str, bytes], ParsedDocument] = parse) -> ParsedDocument:
    location = DATA / "docs" / path
    if not location.is_file():
        pytest.skip(f"NO TEST DATA: {location} is missing; set REFDESK_TEST_DATA to the folder that holds docs/")
    return parser(path, location.read_bytes())


def lines(name: str) -> list[str]:
    return (LISTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("ru-housing-civil-law/housing/zhilishchny-kodeks.html", "html_zhilishchny_kodeks"),
        ("ru-housing-civil-law/family/semeyny-kodeks.html", "html_semeyny_kodeks"),
        ("en-web-standards/http/rfc9110.html", "html_rfc9110"),
        ("en-cloud-contracts/common-paper/cloud-service-agreement.md", "markdown_cloud_service_agreement"),
        ("en-cloud-contracts/common-paper/data-processing-agreement.md", "markdown_data_processing_agreement"),
        ("en-privacy-ai-law/data-protection/gdpr.md", "markdown_gdpr"),
        ("en-web-standards/uri/rfc3986.txt", "text_rfc3986"),
    ],
)
def test_numbers_of_sections(path: str, name: str) -> None:
    expected = Counter(lines(name))
    found = Counter(one.number for one in real(path).sections if one.number)
    right = (expected & found).total()
    assert right / expected.total() >= 0.98, f"missed: {sorted((expected - found).elements())}"
    assert right / found.total() >= 0.98, f"wrong: {sorted((found - expected).elements())}"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("en-python-packaging/peps/pep-0440.rst", "rst_pep_0440"),
        ("en-python-packaging/peps/pep-0517.rst", "rst_pep_0517"),
    ],
)
def test_levels_of_titles(path: str, name: str) -> None:
    found = [f"{one.level} {one.number}".strip() for one in real(path, parse_rst).sections[1:]]
    assert found == lines(name)
