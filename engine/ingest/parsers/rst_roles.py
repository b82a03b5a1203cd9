"""Interpreted text as people read it: ":pep:`440`" is "PEP 440", ":func:`~os.path.join`" is "join" as code."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.utils import unescape

_EXPLICIT = re.compile(r"^(?P<title>.+?)\s*(?<!\\)<(?P<target>[^<>]+)>$", re.DOTALL)
_SECTION = re.compile(r"^(?:section|appendix)-(?P<number>[\w.]+)$", re.IGNORECASE)
_CODE = frozenset(
    "code literal func function class meth method attr attribute mod module data const exc exception obj object type"
    " keyword envvar option command file program makevar mimetype newsgroup regexp samp kbd token cmdoption confval"
    " directive role decorator macro member struct var c cpp py rst math".split()
)
_HIDDEN = frozenset({"raw", "index-hidden"})
_SHIFTS = {"sup": nodes.superscript, "superscript": nodes.superscript}
_BY_LABEL = frozenset({"ref", "numref", "any"})


def role_text(text: str, role: str) -> nodes.Node:
    """`text` is as docutils holds it, with escapes as null characters."""
    name = role.lower().rpartition(":")[2]
    shown = unescape(text)
    if name in ("pep", "pep-reference", "rfc", "rfc-reference"):
        return nodes.Text(_series(shown, name[:3].upper()))
    if name in _SHIFTS:
        return _SHIFTS[name]("", shown)
    if name == "strong":
        return nodes.strong("", shown)
    if name in _HIDDEN:
        return nodes.Text("")
    title, target = explicit_title(shown)
    if name in _CODE:
        return nodes.literal("", _code_name(title, shortened=target == title))
    if name in _BY_LABEL and title == target:
        return nodes.inline("", target, classes=["label"])
    if name == "menuselection":
        return nodes.Text(title.replace("-->", "→"))
    if name == "abbr":
        return nodes.Text(shown)
    return nodes.Text(title.lstrip("!~"))


def explicit_title(text: str) -> tuple[str, str]:
    """ "Title <target>" taken apart; else the text is both."""
    match = _EXPLICIT.match(text)
    return (match.group("title"), match.group("target")) if match else (text, text)


def _code_name(text: str, *, shortened: bool) -> str:
    if shortened and text.startswith("~"):
        return text[1:].rpartition(".")[2]
    return text.lstrip("!")


def _series(text: str, series: str) -> str:
    """ "440#version-scheme" as "PEP 440 (version-scheme)", "2119#section-3" as "Section 3 of RFC 2119"."""
    title, target = explicit_title(text)
    number, _, place = target.strip().partition("#")
    named = f"{series} {number.lstrip('0') or number}"
    if place and (match := _SECTION.match(place)):
        named = f"Section {match.group('number')} of {named}"
    elif place:
        named = f"{named} ({place})"
    if title == target:
        return named
    return title if named.lower() in title.lower() else f"{title} ({named})"
