"""How well references are detected, measured on labels made by reading; the texts stay in the data folder.

`data/labelled_references.jsonl` names 200 sentences by document and hash, and the references that a reader finds in
each: type, labels, and for another document the digits of its name. They were drawn at random with a seed, four of
five with a word that may start a reference. A found mention is right if all of that is right.

The rule books of `obliqa_xref` come with labels of their own, which are not complete: a passage has many references
that nobody labelled. So recall is the share of labelled numbers that a mention over that place names, and precision is
taken in two parts: a mention over a labelled place is right, and of the others 100 drawn at random were judged by
reading (`data/judged_mentions.jsonl`). Labels without a number (names of organisations), and those whose text does not
stand in the passage, are left out.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.ingest.parsers import parse
from engine.text.references import Mention, find_mentions

HERE = Path(__file__).parent / "data"
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+(?=[A-ZА-ЯЁ(«\"\[])")
_NUMBER = re.compile(r"(?<![\w.])(?:App\s?)?([A-Z]?\d+[A-Z]?(?:\.(?:\d+[A-Z]?|[A-Z](?=\.)))*)")

Key = tuple[str, tuple[str, ...], str | None]


@dataclass(frozen=True, slots=True)
class Detection:
    right: float
    """Of the found; a share of the mentions is judged by a sample."""
    found: int
    recalled: int
    expected: int

    @property
    def precision(self) -> float:
        return self.right / self.found

    @property
    def recall(self) -> float:
        return self.recalled / self.expected


@dataclass(frozen=True, slots=True)
class Labelled:
    text: str
    expected: tuple[Key, ...]


def labelled_sentences(docs: Path) -> tuple[list[Labelled], int]:
    """The labelled sentences that the parsed documents hold, and how many there should be."""
    rows = [json.loads(line) for line in (HERE / "labelled_references.jsonl").read_text("utf-8").splitlines()]
    texts = {
        (path, _hash(sentence)): sentence
        for path in {row["document"] for row in rows}
        for sentence in _sentences(docs / path)
    }
    found = [
        Labelled(text, tuple((one["type"], tuple(one["labels"]), one.get("in")) for one in row["expected"]))
        for row in rows
        if (text := texts.get((row["document"], row["sentence"])))
    ]
    return found, len(rows)


def on_sentences(labelled: list[Labelled]) -> Detection:
    right = found = expected = 0
    for one in labelled:
        seen = Counter(_key(mention) for mention in find_mentions(one.text))
        right += (seen & Counter(one.expected)).total()
        found += seen.total()
        expected += len(one.expected)
    return Detection(right, found, right, expected)


def on_rule_books(table: Path) -> Detection:
    """Detection on the table of labelled references, one row each: passage, reference, target."""
    labels: dict[str, set[str]] = defaultdict(set)
    with table.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            labels[row["SourcePassage"]].add(row["ReferenceText"].strip(" ."))
    judged = [json.loads(line) for line in (HERE / "judged_mentions.jsonl").read_text("utf-8").splitlines()]
    verdicts = {(row["passage"], row["start"]): row["right"] for row in judged}
    recalled = expected = covered = others = 0
    seen: list[bool] = []
    for passage, references in labels.items():
        mentions = find_mentions(passage)
        places = {reference: list(_places(passage, reference)) for reference in references}
        for reference, spans in places.items():
            if (number := _NUMBER.search(reference)) and spans:
                expected += 1
                recalled += any(_over(mention, spans) and _names(mention, number[1]) for mention in mentions)
        spans = [span for found in places.values() for span in found]
        passage_hash = hashlib.sha256(passage.encode()).hexdigest()[:16]
        for mention in mentions:
            covered += _over(mention, spans)
            others += not _over(mention, spans)
            if (passage_hash, mention.start) in verdicts:
                seen.append(verdicts[passage_hash, mention.start])
    return Detection(covered + others * sum(seen) / len(seen), covered + others, recalled, expected)


def _sentences(path: Path) -> Iterator[str]:
    document = parse(path.name.replace(".rst", ".txt"), path.read_bytes())
    for section in document.sections:
        for block in section.blocks:
            yield from (sentence.strip() for sentence in _SENTENCE_END.split(block.text))


def _hash(sentence: str) -> str:
    return hashlib.sha256(re.sub(r"\W+", "", sentence).lower().encode()).hexdigest()[:16]


def _key(mention: Mention) -> Key:
    digits = re.sub(r"\D", "", mention.document.split("#")[0]) if mention.document else None
    return mention.type, mention.labels, digits


def _places(passage: str, reference: str) -> Iterator[tuple[int, int]]:
    pattern = r"\s*".join(map(re.escape, reference.split()))
    for match in re.finditer(rf"(?<![\w.]){pattern}(?!\d)(?!\.\d)", passage):
        yield match.span()


def _over(mention: Mention, spans: list[tuple[int, int]]) -> bool:
    return any(mention.start < end and start < mention.end for start, end in spans)


def _names(mention: Mention, number: str) -> bool:
    items = ",".join(mention.items).split(",")
    return number in mention.labels or number in items or number in (mention.document or "")
