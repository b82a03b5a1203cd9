"""The parsers on documents that others wrote; their true numbers are taken from the documents themselves."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from engine.ingest.parsers import parse
from engine.types import ParsedDocument

DATA = Path(os.environ.get("REFDESK_TEST_DATA") or Path(__file__).parents[2].parent / "shared" / "data")


def parsed(path: str, text: str) -> ParsedDocument:
    return parse(path, text.encode())


def objects(document: ParsedDocument, kind: str) -> list[tuple[str, str]]:
    return [(one.label, one.title) for one in document.objects if one.kind == kind]


def real(path: str) -> tuple[str, ParsedDocument]:
    location = DATA / "docs" / path
    if not location.is_file():
        pytest.skip(f"NO TEST DATA: {location} is missing; set REFDESK_TEST_DATA to the folder that holds docs/")
    data = location.read_bytes()
    return data.decode(), parse(path, data)


def recall_and_precision(expected: set[str], found: set[str]) -> tuple[float, float]:
    return len(expected & found) / len(expected), len(expected & found) / len(found)


@pytest.mark.parametrize("path", ["housing/zhilishchny-kodeks.html", "family/semeyny-kodeks.html"])
def test_articles_of_russian_codes(path: str) -> None:
    source, document = real(f"ru-housing-civil-law/{path}")
    plain = re.sub(r'<span class="W9"[^>]*>([\d-]+)</span>', r".\1", source)
    lines = [re.sub(r"<[^>]*>", "", line).replace("&nbsp;", " ").strip() for line in plain.split("\n")]
    expected = {match[1] for line in lines if (match := re.match(r"Статья (\d+(?:\.\d+(?:-\d+)?)?)(?:\.|$)", line))}
    level = max(one.level for one in document.sections if one.number == "19")
    assert level >= 2
    found = {one.number for one in document.sections if one.number[:1].isdigit() and not one.title.startswith("Глава")}
    found -= {one.number for one in document.sections if one.title.startswith("§")}
    assert min(recall_and_precision(expected, found)) >= 0.98


@pytest.mark.parametrize("path", ["http/rfc9110.html", "http/rfc9111.html", "http/rfc9112.html"])
def test_sections_of_rfc_pages_are_those_of_their_contents(path: str) -> None:
    source, document = real(f"en-web-standards/{path}")
    contents = source[source.index('class="toc') : source.index("<section")]
    expected = {
        number.removeprefix("Appendix ").rstrip(".")
        for number in re.findall(r">((?:Appendix )?[A-Z\d][\d.]*)</a>", contents)
        if not re.fullmatch(r"\d{4}", number)
    }
    found = {one.number for one in document.sections if one.number}
    assert min(recall_and_precision(expected, found)) >= 0.98


def test_sections_of_an_rfc_text_are_those_of_its_contents() -> None:
    source, document = real("en-web-standards/uri/rfc3986.txt")
    contents = source[source.index("Table of Contents") : source.index("\n1.  Introduction")]
    expected = set(re.findall(r"(?m)^ +(?:Appendix )?((?:\d+|[A-D])(?:\.\d+)*)\. ", contents))
    # Its contents stop at the third level.
    found = {one.number for one in document.sections if one.number and one.number.count(".") < 3}
    assert min(recall_and_precision(expected, found)) >= 0.98


@pytest.mark.parametrize(
    ("path", "articles"),
    [
        ("data-protection/gdpr.md", 99),
        ("digital-regulation/ai-act.md", 113),
        ("digital-regulation/nis2-directive.html", 46),
        ("data-protection/eprivacy-directive.html", 21),
    ],
)
def test_articles_of_union_law(path: str, articles: int) -> None:
    _, document = real(f"en-privacy-ai-law/{path}")
    found = [
        one.number for one in document.sections if one.number.isdigit() and not one.title.upper().startswith("SECTION")
    ]
    assert found == [str(number) for number in range(1, articles + 1)]


def test_clauses_of_a_contract_of_nested_lists() -> None:
    _, document = real("en-cloud-contracts/common-paper/cloud-service-agreement.md")
    numbers = [one.number for one in document.sections if one.number]
    assert len(numbers) == len(set(numbers)) == 106
    assert "4.6" in numbers


def test_a_large_file_is_parsed_in_time() -> None:
    paragraph = "Арендатор вносит плату не позднее пятого числа. The tenant pays in time, see section 7.2. " * 6
    text = "".join(f"{number}. Section\n\n{paragraph}\n\n{paragraph}\n\n" for number in range(1, 2000))
    began = time.process_time()
    document = parsed("a.txt", text)
    assert time.process_time() - began < 10
    assert len(document.sections) > 900
