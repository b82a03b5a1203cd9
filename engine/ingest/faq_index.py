"""The FAQ on its way from the folder to the store: only new wordings are embedded, all entries change at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from engine.ingest.folder import Folder
from engine.ingest.report import IngestProgress
from engine.matching.edits import FaqEditStore, laid_over
from engine.ports import Embedder, FaqStore, StoredFaq
from engine.registry import canonical
from engine.text.normal import question_form
from engine.types import FaqEntry

_BATCH = 256


async def index_faq(
    folder: Folder,
    store: FaqStore,
    embedder: Embedder,
    show: Callable[[IngestProgress], None],
    *,
    reuse: bool,
    edits: FaqEditStore | None = None,
) -> StoredFaq:
    """Bring the stored FAQ up to date; entries of a file that cannot be read now stay as they were.

    Edits that were made while it ran are laid over the files.
    """
    before = await store.load()
    stays = [one for one in before.entries if one.source in folder.failed_faq or folder.may_hold(one.source)]
    kept = stays if reuse else []
    taken = {entry.id for entry in folder.faq}
    entries = (*folder.faq, *(entry for entry in kept if entry.id not in taken))
    if edits is not None:
        entries = laid_over(entries, await edits.all())
    faq = await embedded(entries, before, embedder, show, reuse=reuse)
    if faq is not before:
        await store.replace(faq)
    return faq


async def embedded(
    entries: Sequence[FaqEntry],
    before: StoredFaq,
    embedder: Embedder,
    show: Callable[[IngestProgress], None],
    *,
    reuse: bool = True,
) -> StoredFaq:
    """These entries with their vectors, those of `before` where it has them; `before` itself when nothing changed."""
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
    return StoredFaq(version=version, entries=tuple(entries), wordings=wordings, vectors=vectors)


def _version(entries: Sequence[FaqEntry], embedder: Embedder) -> str:
    listed = "\n".join([embedder.fingerprint, *map(canonical, entries)])
    return hashlib.sha256(listed.encode()).hexdigest()[:20]
