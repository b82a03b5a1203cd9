"""Headings that their format does not mark: paragraphs that begin like "Статья 12." or "CHAPTER II", bold numbers,
and numbered clauses ("5.1. The tenant shall ...") under a section of that number."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from engine.ingest.items import Item, plain
from engine.ingest.nested_lists import promote_nested_lists
from engine.ingest.numbering import Heading, HeadingKind, is_worded_heading, rank, split_heading

BELOW_MARKED = 10
"""Added to the rank of a recognised heading, so that it stands below those which the format marks."""
_WORDED_LENGTH = 500
_TITLE_LENGTH = 250
_RUN_IN_TITLE_LENGTH = 70
_CLAUSES_TITLE_LENGTH = 120
_ENOUGH = 3
_ENOUGH_TITLES = 2

_BOLD_NUMBER = re.compile(r"^\*\*(\d{1,3}(?:\.\d{1,3})*)\.?(?:\*\*\.?\s+|\s+([^*]{2,120})\*\*[.:]?(?:\s+|$))")
_CLAUSE_TITLE = re.compile(r"^(\d{1,3})[.)]?\s+([^\W\d].*)$", re.DOTALL)
_CLAUSE = re.compile(r"^(\d{1,3}(?:\.\d{1,3})+)\.?\s+\S")
_LIST_MARK = re.compile(r"^(?:\(?[\divxlc]{1,4}[.)]|\(?[a-zа-я][.)]|[-–—•*])\s", re.IGNORECASE)


def promote_headings(items: list[Item]) -> list[Item]:
    items = _promote_worded(items)
    items = _promote_bold_numbers(items)
    items = _promote_titles_of_clauses(items)
    items = promote_nested_lists(items, BELOW_MARKED + rank(Heading("1", "")))
    return _promote_clauses(items)


def _promote_worded(items: list[Item]) -> list[Item]:
    """Laws as their publishers export them: every heading is a paragraph, its title often a paragraph of its own.

    Where the format marks the chapters alone, the articles are such paragraphs still: each kind is counted by itself.
    """
    kinds = Counter(_kind(item) for item in items if _is_worded(item))
    marked = Counter(_kind(item) for item in items if item.kind == "heading")
    unmarked = {kind for kind, count in kinds.items() if count > marked[kind]}
    candidates = [_is_worded(item) and _kind(item) in unmarked for item in items]
    if sum(candidates) < _ENOUGH:
        return items
    promoted: list[Item] = []
    skip = False
    for index, item in enumerate(items):
        if skip:
            skip = False
        elif not candidates[index]:
            promoted.append(item)
        else:
            heading = split_heading(plain(item.text))
            text = plain(item.text)
            if not heading.title and index + 1 < len(items) and _is_title(items[index + 1], candidates[index + 1]):
                text = f"{text.rstrip('.')}. {plain(items[index + 1].text)}"
                skip = True
            promoted.append(replace(item, kind="heading", text=text, depth=BELOW_MARKED + rank(heading)))
    return promoted


def _kind(item: Item) -> HeadingKind:
    return split_heading(plain(item.text)).kind


def _is_worded(item: Item) -> bool:
    if item.kind != "paragraph" or len(item.text) > _WORDED_LENGTH:
        return False
    text = plain(item.text)
    return bool(text) and text[-1] not in ";:," and is_worded_heading(text)


def _is_title(item: Item, is_heading: bool) -> bool:
    if item.kind != "paragraph" or is_heading or len(item.text) > _TITLE_LENGTH:
        return False
    text = plain(item.text)
    # A remark in brackets ("repealed by ...") is no title, nor is the first point of a list or a sentence.
    return (
        bool(text)
        and text[-1] not in ".;:,!?"
        and text[0] != "("
        and not text[0].islower()
        and not _LIST_MARK.match(text)
    )


def _promote_bold_numbers(items: list[Item]) -> list[Item]:
    """Contracts that set numbers in bold: "**5.1.** Use of data. The provider ...", "**2. Fees**. The customer ..."."""
    found = [_BOLD_NUMBER.match(item.text) if item.kind == "paragraph" else None for item in items]
    if sum(match is not None for match in found) < _ENOUGH or _numbered(items):
        return items
    promoted: list[Item] = []
    for item, match in zip(items, found, strict=True):
        if match is None:
            promoted.append(item)
            continue
        title, rest = match.group(2), item.text[match.end() :]
        if title is None:
            title, rest = split_run_in(rest)
        number = match.group(1)
        depth = BELOW_MARKED + rank(Heading(number, ""))
        promoted.append(
            Item(kind="heading", text=plain(title), depth=depth, anchor=item.anchor, page=item.page, number=number)
        )
        if rest.strip():
            promoted.append(replace(item, text=rest.strip(), anchor=None))
    return promoted


def _promote_titles_of_clauses(items: list[Item]) -> list[Item]:
    """ "2. Списание" right above "2.1. Бонусами ...": a heading, whatever it looks like."""
    found = {
        index: match
        for index, item in enumerate(items[:-1])
        if (match := _title_of_clauses(item)) and _clause_number(items[index + 1]) == f"{match[1]}.1"
    }
    if len(found) < _ENOUGH_TITLES:
        return items
    depth = BELOW_MARKED + rank(Heading("1", ""))
    return [
        replace(item, kind="heading", text=found[index][2], depth=depth, number=found[index][1])
        if index in found
        else item
        for index, item in enumerate(items)
    ]


def _title_of_clauses(item: Item) -> re.Match[str] | None:
    text = plain(item.text)
    if item.kind not in ("paragraph", "list_item") or len(text) > _CLAUSES_TITLE_LENGTH or text[-1:] in ".;:,!?":
        return None
    return _CLAUSE_TITLE.match(text)


def split_run_in(text: str) -> tuple[str, str]:
    """ "Security. The provider shall ..." as title and text; no title when the first sentence is not like one."""
    head, dot, rest = text.partition(". ")
    if not dot:
        bare = text.strip()
        if bare.endswith(".") and len(bare) <= _RUN_IN_TITLE_LENGTH and bare.count(" ") < 6:
            return bare.rstrip("."), ""
        return "", text
    if len(head) <= _RUN_IN_TITLE_LENGTH and head.count(" ") < 8 and not head.endswith(("e.g", "i.e", "No")):
        return head, rest
    return "", text


def _promote_clauses(items: list[Item]) -> list[Item]:
    """ "5.1. Арендатор обязан ..." under the heading 5: a section of its own, its text with the number left on.

    Where headings have such numbers too, only what follows the one before without a gap.
    """
    headings = {_number(item) for item in items if item.kind == "heading"}
    numbers = [_clause_number(item) for item in items]
    if sum(number is not None for number in numbers) < _ENOUGH:
        return items
    strictly = any("." in number for number in headings)
    open_numbers: set[str] = set()
    promoted: list[Item] = []
    for item, number in zip(items, numbers, strict=True):
        if item.kind == "heading" and (of_heading := _number(item)):
            open_numbers = {*_siblings_before(of_heading, open_numbers), *_with_those_above(of_heading)}
        if (
            number is not None
            and number.rpartition(".")[0] in open_numbers
            and number not in open_numbers
            and (not strictly or _follows(number, open_numbers))
        ):
            open_numbers.add(number)
            depth = BELOW_MARKED + rank(Heading(number, ""))
            promoted.append(
                Item(kind="heading", text=number, depth=depth, anchor=item.anchor, page=item.page, number=number)
            )
        promoted.append(item)
    return promoted


def _with_those_above(number: str) -> set[str]:
    """ "2.3.1" with 2.3 and 2."""
    parts = number.split(".")
    return {".".join(parts[:count]) for count in range(1, len(parts) + 1)}


def _siblings_before(number: str, open_numbers: set[str]) -> set[str]:
    """Of the numbers met so far, those beside a heading's: they tell which one is next."""
    above = number.rpartition(".")[0]
    return {one for one in open_numbers if above and one.rpartition(".")[0] == above}


def _follows(number: str, open_numbers: set[str]) -> bool:
    above, _, last = number.rpartition(".")
    return last == "1" or f"{above}.{int(last) - 1}" in open_numbers


def _clause_number(item: Item) -> str | None:
    match = _CLAUSE.match(item.text) if item.kind == "paragraph" else None
    return match.group(1) if match else None


def _number(item: Item) -> str:
    return item.number if item.number is not None else split_heading(plain(item.text)).number


def _numbered(items: list[Item]) -> int:
    return sum(item.kind == "heading" and bool(_number(item)) for item in items)
