"""Finds the mentions of a text: chains of places with the documents they are in, other documents, neighbours, terms."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from dataclasses import replace

from engine.text.references.chains import Chain, next_chain
from engine.text.references.documents import (
    LINK,
    ROLE,
    RST_LINK,
    Named,
    all_in_series,
    called_by_a_noun,
    holder,
    in_brackets,
    is_file,
    mere_noun,
    pointed_at,
)
from engine.text.references.labels import read_labels
from engine.text.references.mention import Mention
from engine.text.references.relative import find_definitions, find_relative
from engine.text.references.words import CODES_OF_RUSSIA, ENGLISH_TITLE_NOUNS, POINTERS, SHORT_NAMES

_SHORT = "|".join(sorted(SHORT_NAMES))
_BARE = re.compile(
    rf"(?<![\w-])(?:(?P<name>{_SHORT})\s(?=A?\d{{1,3}}(?:\.\d|(?!\d)))|(?i:{POINTERS}|subject\s+to\s+|in\s+accordance\s+with\s+"
    r"|pursuant\s+to\s+|for\s+the\s+purposes\s+of\s+)(?=A?\d{1,2}\.\d{1,2}(?:\.\d|(?![\d%]))))"
)
_BEFORE = re.compile(
    rf"(?<!\w)(?:(?P<short>{_SHORT}),?\s|\[(?P<key>[A-Z][A-Za-z0-9./-]{{1,20}})\],?\s|(?P<code>{CODES_OF_RUSSIA}\sРФ),?\s"
    r"|(?P<title>(?:[A-Z][\w&-]{1,20}\s){1,4}(?:" + "|".join(sorted(ENGLISH_TITLE_NOUNS)) + r")),?\s)\Z"
)
_OWN = re.compile(r"(?:this|these|our)\s\Z|\A(?:This|These|Our|Under|The|In|See)\s", re.IGNORECASE)
_ADJACENT = re.compile(r"\]?\s?[,(]?\s?")
_JOINED = re.compile(r"\s?,\s|,?\s(?:and|or|и|или)\s(?:the\s|в\s)?")


def find_mentions(text: str) -> list[Mention]:
    """All references, in the order of the text and without overlap. A heading's own number is not one."""
    series = list(all_in_series(text))
    found = _Spans()
    chains = _propagated(text, _chains(text, series))
    links = list(LINK.finditer(text))
    for mention in _linked(text, chains, links):
        found.add(mention)
    for link in links:
        found.block(link.start(2), link.end(2))
    for mention in (*_bare_numbers(text), *find_definitions(text), *_roles(text)):
        found.add(mention)
    for named in (*series, *pointed_at(text)):
        found.add(
            Mention(
                "section", (), text[named.start : named.end], named.start, named.end, "external", document=named.name
            )
        )
    for noun in called_by_a_noun(text):
        name = noun.name or ""
        marker = text[noun.start : noun.end]
        found.add(Mention("section", (), marker, noun.start, noun.end, "external", document=name, noun=name))
    for mention in find_relative(text):
        found.add(mention)
    return found.mentions()


class _Spans:
    """Mentions that do not overlap; the first to come stays."""

    def __init__(self) -> None:
        self._taken: list[tuple[int, int]] = []
        self._found: list[Mention] = []

    def block(self, start: int, end: int) -> None:
        insort(self._taken, (start, end))

    def add(self, mention: Mention) -> None:
        index = bisect_left(self._taken, (mention.start, mention.end))
        near = self._taken[max(0, index - 1) : index + 1]
        if all(end <= mention.start or start >= mention.end for start, end in near):
            insort(self._taken, (mention.start, mention.end))
            self._found.append(mention)

    def mentions(self) -> list[Mention]:
        return sorted(self._found, key=lambda mention: mention.start)


def _chains(text: str, series: list[Named]) -> list[tuple[Mention, bool]]:
    """Every chain as a mention, and whether it says that it means its own document ("настоящего Кодекса")."""
    found: list[tuple[Mention, bool]] = []
    ends = [named.end for named in series]
    last_named: str | None = None
    at = 0
    while at < len(text):
        chain, at = next_chain(text, at)
        if chain is None:
            break
        count = bisect_left(ends, chain.start + 1)
        before = series[count - 1] if count else None
        held = holder(text, chain.end, last_named if not before or last_named else before.name)
        start, document = chain.start, held.name if held else None
        if chain.steps[chain.main].relative:
            document = None
        elif not held:
            start, document = _named_before(text, chain.start, before)
        last_named = document or (before.name if before else last_named)
        end = held.end if held else chain.end
        at = max(at, end)
        mention = _mention(text, chain, start, end, document)
        is_own = bool(held and held.name is None)
        if mention.type == "section":
            noun = None if held else mere_noun(text, end)
            called = text[chain.end : end].split()[-1] if is_own else (noun.name or "") if noun else ""
            mention = replace(mention, is_own=is_own, noun=called)
        found.append((mention, is_own))
    return found


def _mention(text: str, chain: Chain, start: int, end: int, document: str | None) -> Mention:
    main = chain.steps[chain.main]
    return Mention(
        kind=main.place.kind,
        labels=tuple(label.text for label in main.labels),
        marker=text[start:end],
        start=start,
        end=end,
        type="external" if document else "relative" if main.relative else "section",
        word=main.place.name,
        items=chain.items,
        document=document,
        relative=main.relative,
    )


def _named_before(text: str, start: int, series: Named | None) -> tuple[int, str | None]:
    """The document named right before a place: "RFC 9110, Section 5", "COBS Rule 3.2", "GDPR Art. 6"."""
    if series and series.end <= start and _ADJACENT.fullmatch(text, series.end, start):
        return series.start, series.name
    offset = max(0, start - 90)
    match = _BEFORE.search(text[offset:start])
    if not match or _OWN.search(text[: offset + match.start()][-8:]) or _OWN.search(match.group()):
        return start, None
    name = match["short"] or match["code"] or match["title"] or in_brackets(match["key"])
    return offset + match.start(), name


def _propagated(text: str, chains: list[tuple[Mention, bool]]) -> list[Mention]:
    """ "частью 2 статьи 107 и частью 2 статьи 108 Конституции": the document named last holds both."""
    mentions = [mention for mention, _ in chains]
    for index in range(len(mentions) - 2, -1, -1):
        this, then = mentions[index], mentions[index + 1]
        joined = _JOINED.fullmatch(text, this.end, then.start)
        if joined and then.document and this.type == "section" and not chains[index][1] and this.word == then.word:
            mentions[index] = replace(this, type="external", document=then.document)
    return mentions


def _linked(text: str, chains: list[Mention], links: list[re.Match[str]]) -> list[Mention]:
    """Chains, with those in a link's text put where the link leads; and links to files whose text names no place."""
    starts = [mention.start for mention in chains]
    found = dict(enumerate(chains))
    alone: list[Mention] = []
    for link in links:
        index = bisect_left(starts, link.start())
        if index < len(chains) and chains[index].end <= link.end(1):
            found[index] = _led_to(text, chains[index], link)
        elif is_file(link[2]):
            alone.append(_to_target(text, link.start(), link.end(), link[2]))
    return [*found.values(), *alone]


def _led_to(text: str, mention: Mention, link: re.Match[str]) -> Mention:
    """A place in the text of a link: it is in the file linked to, or in what is named behind the link to a site."""
    start = link.start() if mention.start == link.start(1) else mention.start
    end, document = link.end(), link[2]
    if document.startswith("#") or mention.document:
        document = mention.document or ""
    elif not is_file(document) and (held := holder(text, end, None)) and held.name:
        end, document = held.end, held.name
    kind = "external" if document else mention.type
    return replace(mention, type=kind, document=document or None, marker=text[start:end], start=start, end=end)


def _to_target(text: str, start: int, end: int, target: str) -> Mention:
    if target.startswith("#"):
        return Mention("section", (target,), text[start:end], start, end)
    return Mention("section", (), text[start:end], start, end, "external", document=target)


def _roles(text: str) -> list[Mention]:
    """reStructuredText: :doc:`build`, :ref:`label`, `Title of a section`_."""
    found = []
    for match in ROLE.finditer(text):
        target = match["target"] or match["plain"]
        found.append(_to_target(text, match.start(), match.end(), target if match["role"] == "doc" else f"#{target}"))
    for match in RST_LINK.finditer(text):
        found.append(_to_target(text, match.start(), match.end(), f"#{match.group(1)}"))
    return found


def _bare_numbers(text: str) -> list[Mention]:
    """ "COBS 3.2.1 and 3.2.2", "см. 7.2": numbers behind a rule book's name or a pointer."""
    found = []
    for match in _BARE.finditer(text):
        if labels := read_labels(text, match.end()):
            start = match.start() if match["name"] else match.end()
            found.append(
                Mention(
                    "section",
                    tuple(label.text for label in labels.all),
                    text[start : labels.end],
                    start,
                    labels.end,
                    "external" if match["name"] else "section",
                    items=labels.all[0].items if len(labels.all) == 1 else (),
                    document=match["name"],
                )
            )
    return found
