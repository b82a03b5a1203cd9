"""Places named by what they regulate: "в порядке, предусмотренном для принятия закона", "under the rules for refunds".

These are references only beside an answer: in running text most such phrases lead to other laws.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.text.references.mention import Mention

_PROCEDURE = re.compile(
    r"(?<!\w)(?:"
    r"(?:в\s+порядке|на\s+условиях|по\s+правилам|в\s+сроки|в\s+размерах?),?\s+"
    r"(?:предусмотренн\w+|установленн\w+|определенн\w+|определённ\w+)\s+для\s+"
    r"|(?:in\s+the\s+(?:manner|way)|(?:under|by|following|according\s+to|in\s+accordance\s+with)\s+the\s+(?:procedures?|rules|terms))"
    r"\s+(?:(?:prescribed|provided|set\s+out|laid\s+down|described|established)\s+)?for\s+(?:the\s+)?"
    r")(?P<topic>[^\W\d_][^,.;:()\n]{5,120})",
    re.IGNORECASE,
)
_TOPIC_ENDS = re.compile(r"\s(?:и|а|но|and|or|but|which|that|если|когда|while|when)\s", re.IGNORECASE)


def find_procedures(text: str) -> Iterator[Mention]:
    """`term` holds what is regulated, as written."""
    for match in _PROCEDURE.finditer(text):
        topic = _TOPIC_ENDS.split(match["topic"])[0].strip()
        end = match.start("topic") + len(topic)
        marker = text[match.start() : end]
        yield Mention("section", (), marker, match.start(), end, type="relative", term=topic)
