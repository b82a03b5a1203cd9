"""PDF documents that others wrote: their section numbers, and the same document in another format."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from engine.ingest.parsers.html import parse_html
from engine.ingest.parsers.markdown import parse_markdown
from engine.ingest.parsers.pdf import parse_pdf
from engine.ingest.parsers.text import parse_text
from engine.types import ParsedDocument

DATA = Path(os.environ.get("REFDESK_TEST_DATA") or Path(__file__).parents[2].parent / "shared" / "data")
TRUE_NUMBERS = Path(__file__).parents[1] / "data" / "section_numbers"

POLICY = "docs/debian/policy-en/debian-policy.pdf"
GUIDE = "docs/debian/maint-guide-ru/maint-guide.ru.pdf"
FAQ = "docs_alt_formats/debian-faq.ru.pdf"
TERMS = "docs_alt_formats/bonterms-cloud-terms.pdf"
NUMBERS = {
    POLICY: "pdf_debian_policy",
    GUIDE: "pdf_debian_maint_guide_ru",
    FAQ: "pdf_debian_faq_ru",
    TERMS: "pdf_bonterms_cloud_terms",
    "docs/en-security-standards/nist/nist-cswp-29-csf-2.0.pdf": "pdf_nist_csf",
    "docs/en-security-standards/nist/nist-fips-199.pdf": "pdf_nist_fips_199",
    "docs/en-nlp-papers/clinc150-emnlp2019.pdf": "pdf_clinc150",
}
Node = tuple[str, str, str]


def source(path: str) -> bytes:
    location = DATA / path
    if not location.is_file():
        pytest.skip(f"NO TEST DATA: {location} is missing; set REFDESK_TEST_DATA to the folder that holds docs/")
    return location.read_bytes()


@cache
def document_of(path: str) -> ParsedDocument:
    return parse_pdf(path, source(path))


def shares(expected: list[str], found: list[str]) -> tuple[float, float]:
    """Recall and precision; a number found twice counts against precision."""
    right = len(set(expected) & set(found))
    return right / len(expected), right / len(found)


def true_numbers(path: str) -> list[str]:
    return (TRUE_NUMBERS / f"{NUMBERS[path]}.txt").read_text(encoding="utf-8").split()


def numbers(document: ParsedDocument) -> list[str]:
    return [one.number for one in document.sections if one.number]


@pytest.mark.parametrize("path", NUMBERS)
def test_section_numbers(path: str) -> None:
    assert min(shares(true_numbers(path), numbers(document_of(path)))) >= 0.98


@pytest.mark.parametrize("path", NUMBERS)
def test_section_numbers_without_the_outline(path: str, record_property: Callable[[str, object], None]) -> None:
    found = numbers(parse_pdf(path, source(path), use_outline=False))
    recall, precision = shares(true_numbers(path), found)
    record_property("recall and precision", (path, recall, precision))
    assert min(recall, precision) >= 0.9


def nodes(document: ParsedDocument) -> list[Node]:
    """Number, parent's number and the beginning of the title of each numbered section."""
    return [
        (
            one.number,
            document.sections[one.parent].number if one.parent is not None else "",
            "".join(filter(str.isalnum, one.title.casefold()))[:25],
        )
        for one in document.sections
        if one.number
    ]


def alike(left: list[Node], right: list[Node]) -> float:
    matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()) / max(len(left), len(right))


@pytest.mark.parametrize(("path", "other"), [(FAQ, "debian-faq.ru.txt"), (GUIDE, "maint-guide.ru.txt")])
def test_the_same_tree_as_in_plain_text(path: str, other: str) -> None:
    text = parse_text(other, source(f"docs_alt_formats/{other}"))
    assert alike(nodes(document_of(path)), nodes(text)) >= 0.97


def test_the_same_tree_as_in_plain_text_where_both_number_alike() -> None:
    """The two editions of the Policy number their appendices differently: 13 to 24, and 1 to 11 once more."""
    text = nodes(parse_text("a.txt", source("docs_alt_formats/debian-policy.txt")))
    pdf = nodes(document_of(POLICY))
    chapters = [node for node in pdf if int(node[0].partition(".")[0]) <= 12]
    assert alike(chapters, text[: len(chapters)]) >= 0.97
    assert len(pdf) == len(text)
    assert [title for _, _, title in pdf[len(chapters) :]] == [title for _, _, title in text[len(chapters) :]]


def test_the_same_tree_as_in_markdown() -> None:
    terms = parse_markdown("a.md", source("docs/en-cloud-contracts/bonterms/cloud-terms.md"))
    assert alike(nodes(document_of(TERMS)), nodes(terms)) >= 0.97


def test_the_same_tree_as_in_html_chapters() -> None:
    folder = DATA / "docs" / "debian" / "faq-ru"
    source("docs/debian/faq-ru/choosing.ru.html")
    chapters: list[Node] = []
    for chapter in folder.glob("*.html"):
        chapters.extend(nodes(parse_html(chapter.name, chapter.read_bytes())))
    present = {number.partition(".")[0] for number, _, _ in chapters}
    pdf = [node for node in nodes(document_of(FAQ)) if node[0].partition(".")[0] in present]
    order = {number: place for place, (number, _, _) in enumerate(pdf)}
    chapters.sort(key=lambda node: order.get(node[0], len(order)))
    assert alike(pdf, chapters) >= 0.97


@pytest.mark.parametrize(("path", "other"), [(FAQ, "debian-faq.ru.txt"), (GUIDE, "maint-guide.ru.txt")])
def test_no_words_are_lost_or_torn(path: str, other: str) -> None:
    theirs = words(parse_text(other, source(f"docs_alt_formats/{other}")))
    assert len(theirs & words(document_of(path))) >= 0.98 * len(theirs)


def words(document: ParsedDocument) -> set[str]:
    texts = [block.text.replace("`", "").lower() for one in document.sections for block in one.blocks]
    return {word for text in texts for word in text.split() if word.isalpha()}


def test_running_heads_and_leaders_are_gone() -> None:
    text = "\n".join(block.text for one in document_of(POLICY).sections for block in one.blocks)
    assert "Policy Manual, Release" not in text
    assert ". . . ." not in text
