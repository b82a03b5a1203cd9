"""The Word parser on documents that others wrote; their true numbers are in the contents that Word built for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.ingest.parsers.docx import parse_docx
from engine.types import ParsedDocument

DATA = Path(os.environ.get("REFDESK_TEST_DATA") or Path(__file__).parents[2].parent / "shared" / "data")
TRUE_NUMBERS = Path(__file__).parents[1] / "data" / "section_numbers"
PLAN = "en-security-standards/fedramp/security-assessment-plan-template.docx"
COVER = "en-cloud-contracts/bonterms/cloud-terms-cover-page.docx"
PLAYBOOK = "en-cloud-contracts/bonterms/cloud-terms-playbook.docx"


def real(path: str) -> ParsedDocument:
    location = DATA / "docs" / path
    if not location.is_file():
        pytest.skip(f"NO TEST DATA: {location} is missing; set REFDESK_TEST_DATA to the folder that holds docs/")
    return parse_docx(path, location.read_bytes())


def true_numbers(name: str) -> set[str]:
    return set((TRUE_NUMBERS / f"{name}.txt").read_text(encoding="utf-8").split())


def tables(document: ParsedDocument) -> list[str]:
    return [one.label for one in document.objects if one.kind == "table"]


def test_numbers_of_an_assessment_plan() -> None:
    document = real(PLAN)
    expected = true_numbers("docx_security_assessment_plan")
    found = [one.number for one in document.sections if one.number]
    assert len(found) == len(set(found))
    assert len(expected & set(found)) / len(expected) >= 0.98
    assert len(expected & set(found)) / len(found) >= 0.98
    for one in document.sections:
        if "." in one.number:
            assert one.parent is not None
            assert document.sections[one.parent].number == one.number.rpartition(".")[0]
    assert {one.label for one in document.objects if one.kind == "appendix"} == set("ABCD")
    assert tables(document) == "3-1 3-2 3-3 3-4 6-1 6-2 6-3 6-4 6-5 C-1 D-1".split()


@pytest.mark.parametrize(
    ("path", "name"), [(COVER, "docx_cloud_terms_cover_page"), (PLAYBOOK, "docx_cloud_terms_playbook")]
)
def test_forms_that_only_name_other_documents_sections_have_no_numbers(path: str, name: str) -> None:
    document = real(path)
    assert {one.number for one in document.sections if one.number} == true_numbers(name)
    assert len(document.sections) >= 5


def test_the_parts_of_forms_are_found_by_their_look() -> None:
    cover, playbook = real(COVER), real(PLAYBOOK)
    assert [one.title for one in cover.sections][1::2] == ["Key Terms", "Additional Terms"]
    assert playbook.title.startswith("Playbook")
    assert any(block.kind == "table" for one in playbook.sections for block in one.blocks)
