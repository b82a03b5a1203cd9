"""A place may be long: which of its chunks a reference and a question mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.text.overlap import coverage, document_frequencies, weights
from engine.text.stems import content_stems
from engine.types import Chunk, Reference


def closest_chunks(
    question: str, references: Sequence[Reference], chunks: Sequence[Chunk], limit: int
) -> tuple[Chunk, ...]:
    """At most `limit` chunks, each reference's best in turn, in the order of their documents."""
    stems = {chunk.id: frozenset(content_stems(f"{chunk.section_title} {chunk.text}")) for chunk in chunks}
    asked = weights(frozenset(content_stems(question)), document_frequencies(stems.values()), len(chunks))
    ranked = [
        sorted(
            (chunk for chunk in chunks if chunk.id in reference.chunk_ids),
            key=lambda chunk: (
                not _holds_item(chunk.text, reference.items),
                -coverage(asked, stems[chunk.id]),
                chunk.ordinal,
            ),
        )
        for reference in references
    ]
    taken: dict[str, Chunk] = {}
    for depth in range(max(map(len, ranked), default=0)):
        for places in ranked:
            if depth < len(places) and len(taken) < limit:
                taken.setdefault(places[depth].id, places[depth])
    return tuple(sorted(taken.values(), key=lambda chunk: (chunk.document, chunk.ordinal)))


def _holds_item(text: str, items: Sequence[str]) -> bool:
    """Whether a line begins with the mark of the outermost item: "2." or "(a)"."""
    if not items:
        return True
    first = re.split(r"[,\-–]", items[0])[0].strip('«»"() ')
    return re.search(rf"(?m)^[\W_]*{re.escape(first)}[.)]", text, re.IGNORECASE) is not None
