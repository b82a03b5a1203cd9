"""Which references matter for an answer: those that the draft itself makes, and those beside what it took over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.policy import ReferencePolicy
from engine.stages.document_names import is_link
from engine.text.amendments import amendment_notes
from engine.text.overlap import coverage
from engine.text.references import Mention, find_mentions
from engine.text.references.procedures import find_procedures
from engine.text.sentences import split_sentences
from engine.text.stems import content_stems
from engine.types import Chunk

_AROUND = 300
"""Characters before and after a reference that tell what it is about."""
_POINTS = re.compile(
    r"(?:\bsee(?: also)?|refer to|described in|set out in|details?(?: are)? in|\bсм\.?|смотри(?:те)?|подробн\w+"
    r"|описан\w* в|указан\w* в|приведен\w* в)\W{0,3}$",
    re.IGNORECASE,
)
_NEAR = 30
_TAKEN_OVER = 0.6
"""Share of a sentence's telling words in the draft from which the draft says it."""
_SENTENCES_BEFORE = 2


@dataclass(frozen=True, slots=True)
class Pointer:
    mention: Mention
    source: Chunk
    """The cited chunk that it stands in, or that the draft rests on."""
    said: bool
    """Whether the draft has it."""
    beside: bool
    """The draft took over what the mention's paragraph says at or just before it."""
    is_link: bool
    """A linked word, as "[wal_level](wal.html#wal-level)": it may be followed, but nothing says that one should."""
    closeness: float
    """Share, 0..1, of the question's telling words near it."""
    context: str


def pointers(question: str, draft: str, chunks: Sequence[Chunk], policy: ReferencePolicy) -> list[Pointer]:
    """The draft's own first, in their order; then those in cited text, the closest to the question first."""
    if not chunks:
        return []
    asked = frozenset(content_stems(question))
    named = {(mention.kind, mention.labels) for mention in find_mentions(question)}
    found = [*_said(draft, chunks, asked), *_unsaid(draft, chunks, asked)]
    # What the question names itself is its subject and no pointer.
    found = [one for one in found if not one.mention.labels or (one.mention.kind, one.mention.labels) not in named]
    said = [one for one in found if one.said]
    unsaid = [one for one in found if not one.said and (one.beside or one.closeness >= policy.close)]
    return [*said, *sorted(unsaid, key=lambda one: (one.is_link, not one.beside, -one.closeness))]


def _said(draft: str, chunks: Sequence[Chunk], asked: frozenset[str]) -> Iterator[Pointer]:
    for mention in (*_telling_mentions(draft), *find_procedures(draft)):
        source = next((chunk for chunk in chunks if mention.marker in chunk.text), chunks[0])
        context = _around(draft, mention)
        bare = _is_bare_link(mention) and not _POINTS.search(draft[: mention.start][-_NEAR:])
        yield Pointer(mention, source, not bare, False, bare, _closeness(asked, context), context)


def _unsaid(draft: str, chunks: Sequence[Chunk], asked: frozenset[str]) -> Iterator[Pointer]:
    told = frozenset(content_stems(draft))
    for chunk in chunks:
        for mention in _telling_mentions(chunk.text):
            if mention.marker in draft:
                continue
            context = _around(chunk.text, mention)
            beside = _is_beside_what_is_told(context, mention.marker, told)
            bare = _is_bare_link(mention) and not _POINTS.search(chunk.text[: mention.start][-_NEAR:])
            yield Pointer(mention, chunk, False, beside, bare, _closeness(asked, context), context)


def _telling_mentions(text: str) -> Iterator[Mention]:
    notes = amendment_notes(text)
    return (one for one in find_mentions(text) if not any(start < one.start < end for start, end in notes))


def _is_beside_what_is_told(context: str, marker: str, told: frozenset[str]) -> bool:
    """Whether the draft took over the sentence that has the marker, without it, or one just before."""
    sentences = split_sentences(context)
    flat = " ".join(marker.split())
    place = next((index for index, sentence in enumerate(sentences) if flat in sentence), None)
    if place is None:
        return False
    near = sentences[max(0, place - _SENTENCES_BEFORE) : place + 1]
    return any(
        coverage(dict.fromkeys(stems, 1.0), told) >= _TAKEN_OVER for one in near if (stems := content_stems(one))
    )


def _is_bare_link(mention: Mention) -> bool:
    if mention.labels:
        return mention.labels[0].startswith("#")
    return mention.document is not None and is_link(mention.document)


def _closeness(asked: frozenset[str], context: str) -> float:
    return coverage(dict.fromkeys(asked, 1.0), frozenset(content_stems(context)))


def _around(text: str, mention: Mention) -> str:
    """The paragraph that holds a mention, cut to what stands near it."""
    start = max(text.rfind("\n\n", 0, mention.start) + 1, mention.start - _AROUND, 0)
    end = text.find("\n\n", mention.end)
    return text[start : min(len(text) if end < 0 else end, mention.end + _AROUND)]
