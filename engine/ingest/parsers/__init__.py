"""One parser per format, chosen by the file's suffix. To add a format, write its module and name it in `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from engine.errors import SourceError
from engine.ingest.parsers.html import parse_html
from engine.ingest.parsers.markdown import parse_markdown
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
    }
)
SKIPPED: Mapping[str, str] = MappingProxyType(
    {
        ".pdf": "PDF is not supported yet",
        ".docx": "DOCX is not supported yet",
        ".doc": "DOC is not supported; save it as Markdown, HTML or plain text",
        ".rst": "reStructuredText is not supported yet",
    }
)

ISOLATED = frozenset({".pdf", ".docx", ".docm", ".xlsx", ".xlsm", ".xls", ".ods"})
"""Formats that a foreign library unpacks: parsed in a child process."""


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
