"""Inline text of Markdown, rebuilt from its tokens: escapes resolved, raw tags gone, emphasis and links kept."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token

_BREAK = re.compile(r"^<br\s*/?>$", re.IGNORECASE)
_SUP = re.compile(r"^<(/?)sup\b[^>]*>$", re.IGNORECASE)
_STRUCTURAL = re.compile(
    r"(?:стат\w+|ст\.|част\w+|ч\.|пункт\w*|подпункт\w*|п\.|пп\.|глав\w+|раздел\w*|§+|articles?|sections?|chapters?"
    r"|paragraphs?|clauses?)[^.;:]{0,80}$",
    re.IGNORECASE,
)
_LETTERED = re.compile(r"^\(?(?:[a-zа-я]|[ivx]{2,4})[.)]\s")
_LIST_NUMBER = re.compile(r"^\W{0,3}[IVXLC\d]+$")
_LONGEST_ADDRESS = 80
_DIGITS = str.maketrans("0123456789-+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")


def markdown_inline(children: Sequence[Token]) -> str:
    parts: list[str] = []
    raised_from: int | None = None
    links: list[tuple[int, str]] = []
    for position, token in enumerate(children):
        if token.type == "softbreak" and position + 1 < len(children):
            # Points typed as "a. ..." on lines of their own are, to Markdown, one paragraph.
            parts.append("\n" if _LETTERED.match(children[position + 1].content) else " ")
            continue
        if token.type == "link_open":
            links.append((len(parts), str(token.attrGet("href") or "")))
            continue
        if token.type == "link_close" and links:
            start, address = links.pop()
            parts[start:] = [link("".join(parts[start:]), address)]
            continue
        if token.type == "html_inline" and (match := _SUP.match(token.content)):
            if match.group(1) and raised_from is not None:
                raised = "".join(parts[raised_from:])
                parts[raised_from:] = [superscript("".join(parts[:raised_from]), raised)]
                raised_from = None
            elif not match.group(1):
                raised_from = len(parts)
            continue
        parts.append(_render(token))
    return "".join(parts).strip()


def link(text: str, address: str) -> str:
    """A link that a reader can follow; one too long to be read, or that says its address already, is its text."""
    text = text.strip()
    address = address.strip()
    if not text or not address or address.lower().startswith(("javascript:", "data:")):
        return text
    if len(address) > _LONGEST_ADDRESS or any(sign in address for sign in " ()<>"):
        return text
    if text == address or f"mailto:{text}" == address or "](" in text:
        return text
    return f"[{text}]({address})"


def superscript(before: str, raised: str) -> str:
    """How raised text is written on one line: "статья 156" + "1" is 156.1, "10" + "6" is 10^6, "м" + "2" is м²."""
    raised = raised.strip()
    if not raised or not re.fullmatch(r"[\d\-–+]+", raised):
        return raised
    line = before.rsplit("\n", 1)[-1].rstrip()
    if line[-1:].isdigit() or re.search(r"\b[IVXLC]+$", line):
        if _LIST_NUMBER.match(line) or _STRUCTURAL.search(line[-120:]):
            return f".{raised.replace('–', '-')}"
        return f"^{raised}"
    return raised.replace("–", "-").translate(_DIGITS)


def _render(token: Token) -> str:
    match token.type:
        case "text" | "text_special":
            return token.content
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
        case "code_inline":
            return f"`{token.content}`"
        case "strong_open" | "strong_close" | "em_open" | "em_close":
            return token.markup
        case "image":
            return token.content
        case "html_inline":
            return "\n" if _BREAK.match(token.content) else ""
        case _:
            return ""
