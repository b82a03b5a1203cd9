"""Which document a text names."""

from __future__ import annotations

import pytest

from engine.stages.document_names import DocumentNames, identifiers, is_link, link_anchor, link_path
from engine.types import PUBLIC, DocumentRecord

STAFF = frozenset({"staff"})


def record(path: str, title: str, audience: frozenset[str] = PUBLIC) -> DocumentRecord:
    domain, collection, _ = path.split("/")
    return DocumentRecord(
        path=path,
        revision="r",
        content_hash="h",
        domain=domain,
        collection=collection,
        title=title,
        language="ru",
        audience=audience,
        chunks=1,
        centroid=b"",
    )


BASE = [
    record("net/http/rfc9110.html", "RFC 9110 - HTTP Semantics"),
    record("net/http/caching.html", "HTTP Caching (RFC 9111)"),
    record("net/pep/pep-0440.rst", "Version Identification"),
    record("law/codes/gk.html", "Гражданский кодекс Российской Федерации"),
    record("law/codes/tk.html", "Трудовой кодекс Российской Федерации"),
    record("law/eu/gdpr.md", "Regulation (EU) 2016/679 (General Data Protection Regulation)"),
    record("house/rules/stay.md", "Правила проживания"),
    record("house/rules/parking.md", "Правила парковки"),
    record("house/secret/codes.md", "Коды сейфов", STAFF),
    record("shop/a/terms.md", "Terms of Sale"),
    record("shop/b/terms.md", "Terms of Rent"),
]
NAMES = DocumentNames(BASE)
BY_PATH = {one.path: one for one in BASE}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("RFC 9110", "net/http/rfc9110.html"),
        ("rfc9111", "net/http/caching.html"),
        ("PEP 440", "net/pep/pep-0440.rst"),
        ("ГК РФ", "law/codes/gk.html"),
        ("Трудового кодекса", "law/codes/tk.html"),
        ("GDPR", "law/eu/gdpr.md"),
        ("Regulation (EU) 2016/679", "law/eu/gdpr.md"),
        ("Правил проживания", "house/rules/stay.md"),
        ("stay.md", "house/rules/stay.md"),
        ("../../net/http/rfc9110.html#section-5", "net/http/rfc9110.html"),
        ("https://example.org/rfc/rfc9110#section-5", "net/http/rfc9110.html"),
        ("caching.html", "net/http/caching.html"),
    ],
)
def test_a_document_is_found_by_what_it_is_called(name: str, path: str) -> None:
    found = NAMES.find(name, near=BY_PATH["house/rules/parking.md"], audience=PUBLIC)
    assert found is not None
    assert found.path == path


@pytest.mark.parametrize(
    "name", ["RFC 2616", "НК РФ", "Правила", "Federal Act 12", "roof.md", "Коды сейфов", "№ 152-ФЗ", ""]
)
def test_what_is_not_here_not_clear_or_not_allowed_is_not_found(name: str) -> None:
    assert NAMES.find(name, near=BY_PATH["net/http/rfc9110.html"], audience=PUBLIC) is None


def test_a_name_that_fits_several_means_the_one_of_the_same_collection() -> None:
    for path in ("shop/a/terms.md", "shop/b/terms.md"):
        found = NAMES.find("Terms", near=BY_PATH[path], audience=PUBLIC)
        assert found == BY_PATH[path]
    assert NAMES.find("Terms", near=BY_PATH["law/codes/gk.html"], audience=PUBLIC) is None


def test_numbers_are_read_in_their_plainest_form() -> None:
    assert identifiers("ISO/IEC 27001") == {"iso27001"}
    assert identifiers("ГОСТ Р 7.0.97-2016") == {"гост7.0.97-2016", "гост7.0.97"}
    assert identifiers("закон № 152-ФЗ") == {"152-фз"}
    assert identifiers("pep-0440") == {"pep440"}
    assert identifiers("in 2016 and 2017") == frozenset()


def test_links() -> None:
    assert link_path("../b/c.md#x", "a/d/e.md") == "a/b/c.md"
    assert link_path("#x", "a/d/e.md") == "a/d/e.md"
    assert link_path("/a/b%20c.md", "d/e/f.md") == "d/e/a/b c.md"
    assert link_anchor("c.md#part-2") == "part-2"
    assert link_anchor("c.md") is None
    assert [is_link(one) for one in ("c.md", "#x", "https://a.b/c", "Terms of Sale", "ГК РФ")] == [
        True,
        True,
        True,
        False,
        False,
    ]
