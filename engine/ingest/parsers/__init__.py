"""One parser per format, chosen by the file's suffix. To add a format, write its module and name it in `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from engine.errors import SourceError
from engine.ingest.parsers.docx import parse_docx
from engine.ingest.parsers.html import parse_html
from engine.ingest.parsers.markdown import parse_markdown
from engine.ingest.parsers.pdf import parse_pdf
from engine.ingest.parsers.rst import parse_rst
from engine.ingest.parsers.spreadsheet import parse_csv, parse_xlsx
from engine.ingest.parsers.text import parse_text
from engine.types import ParsedDocument

Parser = Callable[[str, bytes], ParsedDocument]

FORMATS: Mapping[str, Parser] = MappingProxyType(
    {
        ".md": parse_markdown,
        ".markdown": parse_markdown,
        ".mdown": parse_markdown,
        ".html": parse_html,
        ".htm": parse_html,
        ".xhtml": parse_html,
        ".txt": parse_text,
        ".text": parse_text,
        ".rst": parse_rst,
        ".docx": parse_docx,
        ".docm": parse_docx,
        ".pdf": parse_pdf,
        ".csv": parse_csv,
        ".tsv": parse_csv,
        ".xlsx": parse_xlsx,
        ".xlsm": parse_xlsx,
        ".xlsb": parse_xlsx,
        ".xls": parse_xlsx,
        ".ods": parse_xlsx,
    }
)
SKIPPED: Mapping[str, str] = MappingProxyType(
    {
        ".doc": "DOC is not supported; save it as DOCX",
        ".rtf": "RTF is not supported; save it as DOCX",
        ".odt": "ODT is not supported; save it as DOCX",
    }
)
ISOLATED = frozenset({".pdf", ".docx", ".docm", ".rst", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
"""Formats whose reading is a foreign library's, which may crash or take long: parsed in a child process."""


def is_isolated(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in ISOLATED


def why_skipped(path: str) -> str | None:
    """Why a file is not read at all, by its name; None for the formats that are."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in FORMATS:
        return None
    return SKIPPED.get(suffix, f"unknown format {suffix}" if suffix else "unknown format")


def parse(path: str, data: bytes) -> ParsedDocument:
    """The document's section tree. Raises SourceError when the file is empty, binary or of no known format."""
    reason = why_skipped(path)
    if reason is not None:
        raise SourceError(path, reason)
    return FORMATS[PurePosixPath(path).suffix.lower()](path, data)
