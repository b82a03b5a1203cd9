"""Markdown as models and documents write it -> Slack messages: a markdown block, and a fallback text in mrkdwn.

The block takes standard Markdown as it is. Nothing in it may become a mention: `<!channel>`, `<@U1>` and the like are
broken up wherever they stand, in code too. A part is smaller than each of Slack's limits (3,000 for a section and for a
streamed message, 4,000 for an update's text, 12,000 for a markdown block), so each is a message of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from adapters.buttons import Keyboard
from adapters.growing import settled
from adapters.pieces import split
from adapters.slack.mrkdwn import mrkdwn

MOST = 2800
MOST_TEXT = 3900
MOST_BUTTON = 75

_SLACK_LINK = re.compile(r"<((?:https?://|mailto:)[^|>\s]+)\|([^>\n]+)>")
_SLACK_BOLD_LINK = re.compile(r"(?<!\*)\*(\[[^\]\n]+\]\([^\n]*?\))\*(?!\*)")
_MENTION = re.compile(r"<(?=[!@#])")
_OTHER_LINK = re.compile(
    r"(\[[^\]\n]*\])\(\s*<?(?!https?://|mailto:)(?:[a-z][a-z0-9+.-]*:|[@#!])[^)\n]*\)", re.IGNORECASE
)
_OPEN_TAG = re.compile(r"<[^<>\n]{0,300}\Z")
_UNSENDABLE = re.compile("[\\x00\\ud800-\\udfff]")
WORD_JOINER = "\u2060"


@dataclass(frozen=True, slots=True)
class Part:
    """One message."""

    markdown: str

    @property
    def text(self) -> str:
        """What notifications show, and clients that know no blocks."""
        return shortened(mrkdwn(self.markdown), MOST_TEXT) or " "


def render(markdown: str, most: int = MOST) -> tuple[Part, ...]:
    """The messages that show a text; none when there is nothing to be seen in it."""
    return tuple(Part(piece) for piece in split(shielded(markdown), most) if piece.strip())


def pages(markdown: str) -> tuple[Part, ...]:
    """The same for a text that has to be there: at least one."""
    return render(markdown) or (Part(markdown),)


def render_prefix(markdown: str, most: int = MOST) -> tuple[Part, ...]:
    """The same for a text that goes on: what is not settled yet is held back, so that shown text does not change."""
    return render(_OPEN_TAG.sub("", settled(markdown)), most)


def blocks(part: Part, keyboard: Keyboard) -> list[dict[str, object]]:
    shown: list[dict[str, object]] = [{"type": "markdown", "text": part.markdown}]
    return [*shown, *actions(keyboard)]


def actions(keyboard: Keyboard) -> list[dict[str, object]]:
    return [{"type": "actions", "elements": [_button(text, data) for text, data in row]} for row in keyboard]


def shielded(markdown: str) -> str:
    """Safe to be shown: it mentions nobody, and links lead to the web or a mailbox only."""
    text = _UNSENDABLE.sub("\ufffd", markdown.replace("\r\n", "\n"))
    text = _SLACK_BOLD_LINK.sub(r"**\1**", _SLACK_LINK.sub(r"[\2](\1)", text))
    return _OTHER_LINK.sub(r"\1", _MENTION.sub(f"<{WORD_JOINER}", text))


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _button(text: str, data: str) -> dict[str, object]:
    label = {"type": "plain_text", "text": shortened(text, MOST_BUTTON), "emoji": True}
    return {"type": "button", "action_id": f"refdesk:{data}", "value": data, "text": label}
