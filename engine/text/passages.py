"""The quotable parts of a chunk: sentences, short lists and code with the line that leads in, table rows by column."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.text.inner_sections import begins_section
from engine.text.sentences import split_sentences

_ITEM = re.compile(r"^\s*(?:[-*•]|\(?(?P<mark>\d{1,2}(?:\.\d{1,2})?|[a-zа-я]|[ivx]{2,4})(?:\)|(?<=\d)\.))\s+")
_ENDS_ITEM = re.compile(r"[.;:,!?…](?:\s*(?:and|or|и|или|либо))?\s*$")
_HEADING = re.compile(r"^(?:#{1,6} .*|\*\*[^*]+\*\*)$")
"""Sections that share a chunk begin with such a line."""
_FENCE = "```"
_CUT = "…"
"""Begins a text that overlaps the chunk before; its first sentence stands whole there."""
_RULE_ROW = re.compile(r"^\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?$")
_WHOLE_LIST_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class Passage:
    """`text` may be quoted as it is; `lead` says what it belongs to: a heading, or the line that leads into a list."""

    text: str
    lead: str
    order: int
    group: int
    """Passages of one paragraph, list or table share it."""
    mark: str = ""
    """Of the first sentence of a list item: "2" or "a"."""
    section: str = ""
    """Number of the section inside the chunk that it stands in, where sections share one; else ""."""


def passages(text: str) -> list[Passage]:
    found: list[Passage] = []
    lead = heading = section = ""
    for number, group in enumerate(_groups(text)):
        before = heading
        if begun := begins_section(group[0]):
            section = begun[0]
        if _HEADING.match(group[0]):
            heading = lead = group[0].strip("#* ")
            continue
        if group[0].lstrip().startswith("|"):
            parts, before = _table_rows(group), lead
        elif _ITEM.match(group[0]) or group[0].lstrip().startswith(_FENCE):
            is_code = group[0].lstrip().startswith(_FENCE)
            parts, before = _code_parts(group, lead) if is_code else _list_parts(group, lead), lead
            if parts and lead and parts[0].startswith(lead):
                # The lead is quoted with what it leads into, so it no longer stands alone.
                found = [passage for passage in found if passage.text != lead]
                before = heading
            lead = "" if is_code or not parts else _last_line(parts[-1])
        else:
            parts = split_sentences(" ".join(group))
            lead = parts[-1] if parts else lead
        for part, mark in zip(parts, _marks(group, parts), strict=True):
            section = mark if "." in mark else section
            found.append(Passage(part, before, len(found), number, mark, section))
    return [passage for passage in found if re.search(r"\w{2}", passage.text) and not passage.text.startswith(_CUT)]


def _groups(text: str) -> list[list[str]]:
    """Lines that belong together: a paragraph, a whole list (wrapped lines included), a table."""
    groups: list[list[str]] = []
    previous = ""
    for line in text.splitlines():
        if previous == "code":
            groups[-1].append(line)
            previous = "" if line.strip() == _FENCE else "code"
            continue
        if not line.strip():
            previous = ""
            continue
        kind = _kind(line)
        if kind == "text" and previous == "item":
            groups[-1][-1] += f" {line.strip()}"
            continue
        if kind == "item" and previous in ("item", "text") and _is_wrapped(groups[-1][-1], line):
            groups[-1][-1] += f" {line.strip()}"
            continue
        if (kind == previous and kind not in ("heading", "code")) or (
            kind == "item" and groups and _ITEM.match(groups[-1][0]) and previous != "table"
        ):
            groups[-1].append(line)
        else:
            groups.append([line])
        previous = kind
    return groups


def _is_wrapped(before: str, line: str) -> bool:
    """Whether a line begins with "(g)" by chance of wrapping: "unless point (a) or" stands before it."""
    match = _ITEM.match(line)
    return match is not None and bool(match["mark"]) and not _ENDS_ITEM.search(before) and "(" in match.group()


def _kind(line: str) -> str:
    if _HEADING.match(line):
        return "heading"
    if line.lstrip().startswith("|"):
        return "table"
    if line.lstrip().startswith(_FENCE):
        return "code"
    return "item" if _ITEM.match(line) else "text"


def _list_parts(items: list[str], lead: str) -> list[str]:
    whole = "\n".join(items)
    if lead.endswith(":") and len(lead) + len(whole) <= _WHOLE_LIST_CHARACTERS:
        return [f"{lead}\n{whole}"]
    return [sentence for item in items for sentence in split_sentences(_ITEM.sub("", item))]


def _marks(group: list[str], parts: list[str]) -> list[str]:
    """The mark of the item that each part begins, "" where a part begins none."""
    starts = [(match["mark"] or "", line[match.end() :]) for line in group if (match := _ITEM.match(line))]
    marks: list[str] = []
    for part in parts:
        begun = next((place for place, (_, rest) in enumerate(starts) if rest.strip().startswith(part)), None)
        marks.append(starts.pop(begun)[0] if begun is not None else "")
    return marks


def _code_parts(lines: list[str], lead: str) -> list[str]:
    """A short block of code as a whole, with the line that leads into it; of a long one nothing can be quoted."""
    whole = "\n".join(lines)
    if len(lines) < 3 or len(whole) > _WHOLE_LIST_CHARACTERS:
        return []
    return [f"{lead}\n{whole}" if lead.endswith(":") else whole]


def _last_line(part: str) -> str:
    """Of a list whose last item leads into code: "- then run:"."""
    last = _ITEM.sub("", part.rpartition("\n")[2])
    return last if last.endswith(":") else ""


def _table_rows(lines: list[str]) -> list[str]:
    """Each data row as "Column: value; Column: value"."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if not _is_rule(line)]
    if len(rows) == 1:
        return [", ".join(cell for cell in rows[0] if cell)]
    header = rows[0]
    return [
        "; ".join(
            f"{name}: {cell}" if name and cell else cell or name
            for name, cell in zip(header, row, strict=False)
            if cell
        )
        for row in rows[1:]
    ]


def _is_rule(line: str) -> bool:
    return _RULE_ROW.match(line.strip()) is not None
