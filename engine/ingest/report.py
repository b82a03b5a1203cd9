"""What an ingestion says while it runs and when it has ended."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestProgress:
    stage: str
    done: int
    total: int | None


@dataclass(slots=True, kw_only=True)
class IngestReport:
    """Paths are below the knowledge folder; `documents` and `chunks` count what is served now.

    A dry run fills it with what would be done; nothing is parsed then, so a file that cannot be read counts as changed.
    """

    dry: bool = False

    added: list[str] = field(default_factory=list[str])
    changed: list[str] = field(default_factory=list[str])
    removed: list[str] = field(default_factory=list[str])
    unchanged: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    failed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    warnings: list[str] = field(default_factory=list[str])
    documents: int = 0
    chunks: int = 0
    chunks_written: int = 0
    faq_entries: int = 0
    faq_wordings: int = 0
    seconds: float = 0.0
