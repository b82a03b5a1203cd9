"""Findings of a calibration in the store: one for each embedder, for the FAQ that was calibrated last."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter

from engine.matching.calibration import Findings
from engine.ports import MetaStore, StoredFaq

_FORM = "c2"
"""Changes when signals or weights change their meaning; findings of another form are made anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFindings:
    faq_version: str
    findings: Findings


_ADAPTER = TypeAdapter(StoredFindings)


async def load_findings(meta: MetaStore, fingerprint: str) -> StoredFindings | None:
    text = await meta.get(_key(fingerprint))
    return None if text is None else _ADAPTER.validate_json(text)


async def save_findings(meta: MetaStore, fingerprint: str, faq_version: str, findings: Findings) -> None:
    stored = StoredFindings(faq_version=faq_version, findings=findings)
    await meta.put(_key(fingerprint), _ADAPTER.dump_json(stored).decode())


async def findings_stamp(meta: MetaStore, fingerprint: str) -> str | None:
    """What is stored, as it is stored: changes when a calibration was made."""
    return await meta.get(_key(fingerprint))


def _key(fingerprint: str) -> str:
    return f"gate:calibration:{_FORM}:{fingerprint}"


class HeldFaq:
    """A `FaqStore` in memory."""

    def __init__(self, faq: StoredFaq) -> None:
        self._faq = faq

    async def replace(self, faq: StoredFaq) -> None:
        self._faq = faq

    async def load(self) -> StoredFaq:
        return self._faq

    async def version(self) -> str:
        return self._faq.version
