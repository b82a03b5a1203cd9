"""Markdown -> Slack's mrkdwn (https://docs.slack.dev/messaging/formatting-message-text): the text beside the blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate

from markdown_it import MarkdownIt
from markdown_it.token import Token

_SPANS = {"strong": "*", "em": "_", "s": "~"}


def mrkdwn(markdown: str) -> str:
    writer = _Writer()
    for token in _parser().parse(markdown):
        writer.take(token)
    return "\n".join(writer.lines).strip()


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def fitting(text: str, most: int) -> str:
    """As much of a text as fits when it is escaped."""
    sizes = accumulate(len(escaped(letter)) for letter in text)
    room = sum(1 for size in sizes if size <= most)
    return text if room == len(text) else text[:room].rstrip() + "…"


@dataclass
class _Writer:
    lines: list[str] = field(default_factory=list[str])
    lists: list[int] = field(default_factory=list[int])
    """The next number of each open list; 0 for bullets."""
    quotes: int = 0
    item: str = ""
    """What the next line begins with."""
    row: list[str] | None = None

    def take(self, token: Token) -> None:
        match token.type:
            case "inline":
                self._inline(token)
            case "fence" | "code_block":
                self.lines.extend(("```", *escaped(token.content.rstrip("\n")).split("\n"), "```", ""))
            case "html_block":
                self.lines.extend((escaped(token.content.rstrip("\n")), ""))
            case "hr":
                self.lines.append("———")
            case "heading_close":
                self.lines[-1] = f"*{self.lines[-1].strip('*')}*"
                self.lines.append("")
            case "paragraph_close" if not token.hidden and not self.lists:
                self.lines.append("")
            case "blockquote_open" | "blockquote_close":
                self.quotes += token.nesting
            case _:
                self._list_or_table(token)

    def _list_or_table(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self.lists.append(0)
            case "ordered_list_open":
                self.lists.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self.lists.pop()
            case "list_item_open":
                number = self.lists[-1]
                self.item = "    " * (len(self.lists) - 1) + (f"{number}. " if number else "• ")
                self.lists[-1] += bool(number)
            case "tr_open":
                self.row = []
            case "tr_close":
                self.lines.append(" | ".join(self.row or ()))
                self.row = None
            case _:
                pass

    def _inline(self, token: Token) -> None:
        text = _spans(token.children or ())
        if self.row is not None:
            self.row.append(text)
        else:
            self.lines.extend("> " * self.quotes + self.item + line for line in text.split("\n"))
            self.item = ""


def _spans(children: Sequence[Token]) -> str:
    out: list[str] = []
    link = ""
    for token in children:
        span = _SPANS.get(token.type.rpartition("_")[0])
        match token.type:
            case "link_open":
                href = str(token.attrGet("href") or "")
                link = href if href.startswith(("http://", "https://", "mailto:")) else ""  # `<!here|x>` is no link
                out.append(f"<{escaped(link)}|" if link else "")
            case "link_close":
                out.append(">" if link else "")
            case "code_inline":
                out.append(f"`{escaped(token.content)}`")
            case "softbreak" | "hardbreak":
                out.append("\n")
            case _:
                out.append(span if span and token.nesting else escaped(token.content))
    return "".join(out)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])
