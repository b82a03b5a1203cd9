"""What people write in Slack -> Markdown: from the blocks that Slack's clients send, else from mrkdwn.

https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any

from adapters.said import literal, wrapped

Element = Mapping[str, Any]

_MARKS = (("bold", "**"), ("italic", "*"), ("strike", "~~"))
_CODE = re.compile(r"```(.*?)```|`([^`\n]+)`", re.DOTALL)
_TOKEN = re.compile(r"<([^<>\n]+)>")
_SPANS = ((r"\*", "**"), ("_", "*"), ("~", "~~"))
_UNESCAPED = re.compile(r"\\([*_~>])")
"""What means something in both."""
_HELD = re.compile("\ue000(\\d+)\ue001")


def markdown_of(message: Mapping[str, Any], without: str = "") -> str:
    """Of an event or a stored message; mentions of the user `without` are left out."""
    rich = [block for block in message.get("blocks") or () if block.get("type") == "rich_text"]
    if rich:
        return "\n\n".join(_block(one, without) for block in rich for one in block.get("elements", ())).strip()
    return from_mrkdwn(str(message.get("text") or ""), without)


def from_mrkdwn(text: str, without: str = "") -> str:
    """https://docs.slack.dev/messaging/formatting-message-text"""
    held: list[str] = []

    def hold(markdown: str) -> str:
        held.append(markdown)
        return f"\ue000{len(held) - 1}\ue001"

    def code(found: re.Match[str]) -> str:
        block = found.group(1)
        return hold(
            f"```\n{html.unescape(block.strip(chr(10)))}\n```" if block else f"`{html.unescape(found.group(2))}`"
        )

    text = _CODE.sub(code, text)
    text = _TOKEN.sub(lambda found: hold(_token(found.group(1), without)), text)
    text = _UNESCAPED.sub(r"\1", literal(html.unescape(text)))
    for mark, marks in _SPANS:
        span = rf"(?<![\w*_~]){mark}(?=\S)([^\n{mark}]+?)(?<=\S){mark}(?!\w)"
        text = re.sub(span, rf"{marks}\1{marks[::-1]}", text)
    return _HELD.sub(lambda found: held[int(found.group(1))], text).strip()


def _token(inner: str, without: str) -> str:
    target, _, label = inner.partition("|")
    if target.startswith("@"):
        return "" if target[1:] == without else literal(f"@{label or target[1:]}")
    if target.startswith(("#", "!")):
        return literal(f"{'#' if target[0] == '#' else '@'}{label or target[1:]}")
    return f"[{literal(label)}]({target})" if label else target


def _block(element: Element, without: str) -> str:
    match element.get("type"):
        case "rich_text_preformatted":
            return f"```\n{_plain(element)}\n```"
        case "rich_text_quote":
            return "\n".join(f"> {line}" for line in _inline(element, without).strip("\n").split("\n"))
        case "rich_text_list":
            indent = "    " * int(element.get("indent", 0))
            first = int(element.get("offset", 0)) + 1
            ordered = element.get("style") == "ordered"
            return "\n".join(
                f"{indent}{f'{number}.' if ordered else '-'} {_inline(one, without).strip()}"
                for number, one in enumerate(element.get("elements", ()), first)
            )
        case _:
            return _inline(element, without).strip("\n")


def _inline(element: Element, without: str) -> str:
    return "".join(_piece(one, without) for one in element.get("elements", ()))


def _piece(one: Element, without: str) -> str:
    style: Mapping[str, Any] = one.get("style") or {}
    match one.get("type"):
        case "text" if style.get("code"):
            return f"`{one['text']}`"
        case "text":
            return _styled(literal(str(one.get("text", ""))), style)
        case "link":
            return _styled(
                f"[{literal(str(one['text']))}]({one['url']})" if one.get("text") else str(one["url"]), style
            )
        case "user":
            return "" if one.get("user_id") == without else literal(f"@{one.get('user_id')}")
        case "emoji":
            return _emoji(one)
        case "channel":
            return f"#{one.get('channel_id')}"
        case "broadcast":
            return f"@{one.get('range')}"
        case _:
            return literal(str(one.get("fallback") or one.get("value") or ""))


def _styled(markdown: str, style: Mapping[str, Any]) -> str:
    for name, marks in _MARKS:
        if style.get(name):
            markdown = wrapped(markdown, marks)
    return markdown


def _emoji(one: Element) -> str:
    try:
        return "".join(chr(int(code, 16)) for code in str(one["unicode"]).split("-"))
    except (KeyError, ValueError):
        return f":{one.get('name')}:"


def _plain(element: Element) -> str:
    pieces: Sequence[Element] = element.get("elements", ())
    return "".join(str(one.get("text") or one.get("url") or "") for one in pieces)
