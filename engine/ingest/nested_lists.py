"""Rules whose numbers exist as nested lists only: the second item under the third one is clause 3.2."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.ingest.items import Item, plain
from engine.ingest.numbering import split_heading

_TOP = re.compile(r"^(\d{1,3})[.)]\s+(\S.*)$", re.DOTALL)
_UNDER = re.compile(r"^ {2}(\d{1,3})[.)]\s+(\S.*)$", re.DOTALL)
_BELOW_HEADING = re.compile(r"^ {0,2}(\d{1,3})[.)]\s+(\S.*)$", re.DOTALL)
_ENOUGH = 3
_SHARE_NESTED = 0.7
_SHARE_OF_TEXT = 0.6
_TITLE_LENGTH = 90
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class _Marked:
    number: str
    text: str
    is_nested: bool


def promote_nested_lists(items: list[Item], depth: int) -> list[Item]:
    """The items as sections of `depth` and below, when most of the document is one list of titles with items.

    The titles may be headings already: "3. Exceptions" with a list below.
    """
    marked = [_marked(item) for item in items]
    if not _is_all_there_is(items, marked):
        marked = _below_headings(items)
        if not _is_all_there_is(items, marked):
            return items
    promoted: list[Item] = []
    above = ""
    for item, one in zip(items, marked, strict=True):
        if one is None:
            below = item.kind == "list_item" and item.text.startswith(_INDENT)
            promoted.append(replace(item, text=item.text.removeprefix(_INDENT)) if below else item)
        elif one.is_nested:
            number = f"{above}.{one.number}"
            promoted.append(replace(item, kind="heading", text=number, depth=depth + 1, number=number))
            promoted.append(replace(item, kind="paragraph", text=one.text, anchor=None))
        elif item.kind == "heading":
            above, depth = one.number, item.depth
            promoted.append(item)
        else:
            above = one.number
            promoted.append(replace(item, kind="heading", text=plain(one.text), depth=depth, number=one.number))
    return promoted


def _marked(item: Item) -> _Marked | None:
    if item.kind != "list_item":
        return None
    if top := _TOP.match(item.text):
        return _Marked(top[1], top[2], is_nested=False)
    under = _UNDER.match(item.text)
    return _Marked(under[1], under[2], is_nested=True) if under else None


def _below_headings(items: Sequence[Item]) -> list[_Marked | None]:
    """Headings that are numbered 1, 2, 3 with the lists right below them."""
    marked: list[_Marked | None] = []
    expected = 0
    """The next item's number; 0 outside of such a list."""
    for item in items:
        number = _number(item) if item.kind == "heading" else ""
        item_match = _BELOW_HEADING.match(item.text) if item.kind == "list_item" and expected else None
        if number.isdigit():
            marked.append(_Marked(number, plain(item.text), is_nested=False))
            expected = 1
        elif item_match and item_match[1] == str(expected):
            marked.append(_Marked(item_match[1], item_match[2], is_nested=True))
            expected += 1
        else:
            marked.append(None)
            expected = expected if item.kind == "list_item" else 0
    return marked


def _is_all_there_is(items: Sequence[Item], marked: Sequence[_Marked | None]) -> bool:
    tops = [index for index, one in enumerate(marked) if one is not None and not one.is_nested]
    numbers = [one.number for one in marked if one is not None and not one.is_nested]
    if len(tops) < _ENOUGH or numbers != [str(number) for number in range(1, len(tops) + 1)]:
        return False
    if any(len(plain(one.text)) > _TITLE_LENGTH for one in marked if one is not None and not one.is_nested):
        return False
    nested = sum((one := marked[index + 1]) is not None and one.is_nested for index in tops if index + 1 < len(marked))
    others = (item for item, one in zip(items[: tops[-1]], marked, strict=False) if one is None)
    if nested < _SHARE_NESTED * len(tops) or any(item.kind == "heading" and _number(item) for item in others):
        return False
    inside = sum(len(item.text) for item in items if item.kind == "list_item")
    return inside >= _SHARE_OF_TEXT * sum(len(item.text) for item in items)


def _number(item: Item) -> str:
    if item.number is not None:
        return item.number
    heading = split_heading(plain(item.text))
    return heading.number if not heading.kind else f"{heading.kind} {heading.number}"
