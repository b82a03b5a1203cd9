"""The FAQ on its way from the folder to the store: only new wordings are embedded, all entries change at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from engine.ingest.folder import Folder
from engine.ingest.report import IngestProgress
from engine.ports import Embedder, FaqStore, StoredFaq
from engine.registry import canonical
from engine.text.normal import question_form
from engine.types import FaqEntry

_BATCH = 256


async def index_faq(
    folder: Folder, store: FaqStore, embedder: Embedder, show: Callable[[IngestProgress], None], *, reuse: bool
) -> StoredFaq:
    """Bring the stored FAQ up to date; entries of a file that cannot be read now stay as they were."""
    before = await store.load()
    stays = [one for one in before.entries if one.source in folder.failed_faq or folder.may_hold(one.source)]
    kept = stays if reuse else []
    taken = {entry.id for entry in folder.faq}
    entries = (*folder.faq, *(entry for entry in kept if entry.id not in taken))
    wordings = tuple((entry.id, text) for entry in entries for text in entry.questions if question_form(text))
    version = _version(entries, embedder)
    if reuse and before.version == version:
        return before
    known = {}
    if reuse and before.vectors.shape[1:] == (embedder.dimensions,):
        known = {question_form(text): vector for (_, text), vector in zip(before.wordings, before.vectors, strict=True)}
    new = list(dict.fromkeys(question_form(text) for _, text in wordings if question_form(text) not in known))
    for start in range(0, len(new), _BATCH):
        show(IngestProgress(stage="FAQ", done=start, total=len(new)))
        batch = new[start : start + _BATCH]
        known |= dict(zip(batch, await embedder.embed_questions(batch), strict=True))
    rows = [known[question_form(text)] for _, text in wordings]
    vectors = np.array(rows, dtype=np.float32).reshape(len(rows), embedder.dimensions)
    faq = StoredFaq(version=version, entries=tuple(entries), wordings=wordings, vectors=vectors)
    await store.replace(faq)
    return faq


def _version(entries: Sequence[FaqEntry], embedder: Embedder) -> str:
    listed = "\n".join([embedder.fingerprint, *map(canonical, entries)])
    return hashlib.sha256(listed.encode()).hexdigest()[:20]
