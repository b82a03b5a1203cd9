"""A calibration of the gate's embedder on the stored FAQ, made anew whenever either has changed."""

from __future__ import annotations

import asyncio

from engine.matching.book import Book
from engine.matching.calibration import calibrate
from engine.matching.stored import load_findings, save_findings
from engine.ports import Embedder, MetaStore, StoredFaq

SMALL = 2000
"""So many wordings are calibrated within seconds; larger bases are left to `refdesk calibrate`."""


async def calibrate_when_changed(faq: StoredFaq, meta: MetaStore, embedder: Embedder) -> None:
    """After the new FAQ is stored: it is served with the calibration of the old one until this is done."""
    if not 0 < len(faq.wordings) <= SMALL:
        return
    stored = await load_findings(meta, embedder.fingerprint)
    if stored is not None and stored.faq_version == faq.version:
        return
    book = await asyncio.to_thread(Book.arrange, faq)
    findings = await calibrate(book, embedder.embed_questions)
    await save_findings(meta, embedder.fingerprint, faq.version, findings)
