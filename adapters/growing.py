"""A Markdown text that is still being written: which part of it will not change its looks any more."""

from __future__ import annotations

import re

# Lines that mean something else once more of them is there.
_OPEN_LINE = re.compile(r"\s*(?:#{1,6}\s*|[-*+]\s*|\d+[.)]?\s*|`{1,3}\w*|>\s*|\|.*|[-=]+)\Z")
_OPEN_SPAN = re.compile(r"(?:\[[^\]\n]*(?:\](?:\([^)\n]*)?)?|`[^`\n]*|(?:\*{1,3}|_{1,3}|~{1,2})[^*_~\n]*)\Z")


def settled(markdown: str) -> str:
    """A prefix of a growing text without its last, still open piece of markup."""
    start = markdown.rfind("\n") + 1
    head, last = markdown[:start], markdown[start:]
    if markdown.count("```") % 2:
        return markdown
    if _OPEN_LINE.match(last):
        return head.rstrip("\n")
    found = _OPEN_SPAN.search(last)
    if found is None or _is_closed(last, found.group()):
        return markdown
    return head + last[: found.start()]


def _is_closed(last: str, tail: str) -> bool:
    mark = tail[0]
    if mark == "`":
        return last.count("`") % 2 == 0
    if mark in "*_~":
        run = re.match(r"[*_~]+", tail)
        return run is not None and run.group() != tail and last.count(run.group()) % 2 == 0
    return False
