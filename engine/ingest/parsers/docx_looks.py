"""What a Word document as a whole says of its headings: how they are marked, which lists number them, how they look."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from engine.ingest.numbering import Heading, is_worded_heading, rank, split_heading
from engine.ingest.parsers.docx_body import Paragraph
from engine.ingest.parsers.docx_numbering import Label
from engine.ingest.parsers.docx_tables import Flat
from engine.ingest.promotion import BELOW_MARKED

NUMBER_SIGNS = " .)(:-–—"
"""What stands around a number and is no part of it."""
LONGEST_TITLE = 200
LONGEST_LINE = 90
_LONGEST_WORDED = 500
_LONGEST_UNNUMBERED = 120
_ENOUGH_MARKED = 2
_LARGER = 2
"""Half points above the size of the running text."""
_SHARE_OF_CONTRACT = 0.7
_ENOUGH_ARTICLES = 4
_UNNUMBERED = BELOW_MARKED + rank(Heading("", ""))
_UNNUMBERED_SMALL = _UNNUMBERED + 8
_COMPOSITE = re.compile(r"^\w+(?:\.\w+)+$")
_LABELLED_APPENDIX = re.compile(r"^(?:приложение|appendix|annex|schedule|exhibit)\b", re.IGNORECASE)


class Looks:
    """What the whole document says about its headings."""

    def __init__(self, blocks: Sequence[Flat]) -> None:
        self._paragraphs = [block for block in blocks if isinstance(block, Paragraph)]
        self.body_size = _body_size(self._paragraphs)
        self.is_marked = (
            sum(one.level is not None and bool(one.line.pieces) for one in self._paragraphs) >= _ENOUGH_MARKED
        )
        labels = [(one.label, one.level) for one in self._paragraphs if one.label is not None]
        self._clause_lists = {label.list_id for label, _ in labels if is_composite(label)}
        heading_lists = {label.list_id for label, level in labels if level is not None}
        numbered = {label.number for label, level in labels if level is not None and label.number}
        # A list "1, 1.1" inside a document whose headings count by another list is no part of its outline.
        foreign = {label.list_id for label, level in labels if level is None and label.number in numbered}
        self._clause_lists -= foreign - heading_lists
        self._contract = None if self.is_marked or self._clause_lists else _contract_list(self._paragraphs)
        self._outermost: dict[str, int] = {}
        for label, level in labels:
            if level is None and not self.is_clause(label):
                self._outermost[label.list_id] = min(label.level, self._outermost.get(label.list_id, label.level))
        sizes = [one.line.size for one in self._paragraphs if one.level is None and self.numbered_heading(one)]
        self._numbered_size = max(sizes, default=0)
        self._looks = Counter(look_of(one) for one in self._paragraphs if one.line.pieces)
        self._sizes = sorted({one.line.size for one in self._paragraphs if self._stands_out(one)}, reverse=True)

    @property
    def has_clauses(self) -> bool:
        """Whether lists number its clauses: then one whose number is typed is a slip, and a clause like the others."""
        return bool(self._clause_lists)

    def is_clause(self, label: Label) -> bool:
        """Whether a numbered paragraph is a section that references reach: "5.1", and the "5" of the same list."""
        if label.list_id == self._contract:
            return label.level == 0 or (label.level == 1 and label.number.isdecimal())
        return label.list_id in self._clause_lists and bool(label.number) and (is_composite(label) or label.level == 0)

    def is_subclause(self, label: Label) -> bool:
        """Whether a clause shows its own number only, and not that of the one above: "3." under "6." for 6.3."""
        return label.list_id == self._contract and label.level == 1 and not is_composite(label)

    def indent(self, label: Label) -> int:
        """How deep a list item stands below the outermost of its list that is no section."""
        return label.level - self._outermost.get(label.list_id, 0)

    def numbered_heading(self, one: Paragraph) -> Heading | None:
        """A heading by its number and its look: bold, larger, centred, not marked by a style."""
        text = one.line.plain()
        if not text or len(text) > _LONGEST_WORDED or text[-1] in ";:,":
            return None
        if len(text) > LONGEST_TITLE and not is_worded_heading(text):
            return None
        if one.label is not None:
            if one.label.is_bullet or not one.label.number or self.is_marked or not self._stands_out(one):
                return None
            return split_heading(f"{one.label.text.rstrip(NUMBER_SIGNS)}. {text}") if text[-1] != "." else None
        heading = split_heading(text)
        if not heading.number or (self.is_marked and not heading.kind):
            return None
        if text[-1] == "." and (len(text) > LONGEST_LINE or not one.line.is_bold):
            return None
        belongs = _LABELLED_APPENDIX.match(text) is not None and one.align in ("right", "end")
        return heading if self._stands_out(one) or belongs else None

    def unnumbered_depth(self, one: Paragraph) -> int | None:
        """The depth of a heading by its look alone, in documents that mark none; None for other paragraphs."""
        text = one.line.plain()
        if self.is_marked or one.label is not None or one.role or not 2 < len(text) <= _LONGEST_UNNUMBERED:
            return None
        if text[-1] in ".;:,!?" or not text[0].isupper() or not self._stands_out(one) or is_form_field(text):
            return None
        if not self._numbered_size:
            return BELOW_MARKED + 1 + self._sizes.index(one.line.size)
        return _UNNUMBERED if one.line.size >= self._numbered_size and one.align == "center" else _UNNUMBERED_SMALL

    def is_title(self, lines: Sequence[Paragraph]) -> bool:
        """Whether lines near the start name the document: no section of an unnumbered document looks like them."""
        first = lines[0]
        if self.unnumbered_depth(first) is None or not (first.align == "center" or first.line.size > self.body_size):
            return False
        return bool(self._numbered_size) or self._looks[look_of(first)] == len(lines)

    def _stands_out(self, one: Paragraph) -> bool:
        return one.line.is_bold or one.line.size >= self.body_size + _LARGER or one.align == "center"


def is_form_field(text: str) -> bool:
    """ "[Fill in]", "____": to be filled in, so no heading."""
    return text[0] in "[<_(" or "___" in text


def look_of(one: Paragraph) -> tuple[int, bool, str]:
    """Size, whether it is bold, and how it is set."""
    return one.line.size, one.line.is_bold, one.align


def is_composite(label: Label) -> bool:
    return _COMPOSITE.match(label.number) is not None


def _contract_list(paragraphs: Sequence[Paragraph]) -> str | None:
    """The list that most of a document stands in, when its topmost items have titles or items of their own."""
    lengths: Counter[str] = Counter()
    articles: Counter[str] = Counter()
    opened: Counter[str] = Counter()
    for at, one in enumerate(paragraphs):
        key = one.label.list_id if one.label is not None and not one.label.is_bullet else ""
        lengths[key] += len(one.line.plain())
        if key and one.label is not None and one.label.level == 0:
            articles[key] += 1
            following = paragraphs[at + 1].label if at + 1 < len(paragraphs) else None
            titled = bool(one.line.pieces) and one.line.pieces[0].bold
            opened[key] += titled or (following is not None and following.level > 0)
    if not lengths:
        return None
    longest = max(lengths, key=lambda key: lengths[key])
    enough = articles[longest] >= _ENOUGH_ARTICLES and opened[longest] >= articles[longest] * _SHARE_OF_CONTRACT
    return longest if longest and enough and lengths[longest] >= lengths.total() * _SHARE_OF_CONTRACT else None


def _body_size(paragraphs: Sequence[Paragraph]) -> int:
    weights: Counter[int] = Counter()
    for one in paragraphs:
        if one.level is None:
            weights[one.line.size] += sum(len(piece.text) for piece in one.line.pieces)
    return max(weights, key=lambda size: weights[size], default=0)
