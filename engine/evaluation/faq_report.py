"""The FAQ gate on data sets, beside cosine alone and cosine with a margin, in the same run on the same vectors."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.evaluation.faq_sets import Asked, FaqSet
from engine.evaluation.faq_ways import MARGINS, Nearest, Rule, best_rule, best_share, nearest
from engine.matching.background import background
from engine.matching.book import Book
from engine.matching.calibration import Findings, calibrate
from engine.matching.wilson import Share
from engine.ports import Embedder, FaqGate, Matrix, StoredFaq
from engine.text.normal import detect_language, question_form
from engine.types import Question

PEERS_COSINES = (0.85, 0.92)
"""Thresholds as other systems ship them."""
_LEFT_OUT = 3000
_BATCH = 512

MakeGate = Callable[[StoredFaq, Findings], FaqGate]


@dataclass(slots=True)
class Served:
    """What one way did with the questions of one set."""

    way: str
    inside: int = 0
    direct: int = 0
    right: int = 0
    outside: int = 0
    outside_direct: int = 0
    outside_kept: int | None = None
    """Outside questions below the adjacent threshold; None for ways that have no such band."""
    wrong: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    """Of the likeliest entry for each question, whatever became of it."""
    rights: list[bool] = field(default_factory=list)
    """Whether that entry is right."""

    @property
    def precision(self) -> Share:
        """Of all that was served directly, outside questions included."""
        return Share(self.right, self.direct + self.outside_direct)

    @property
    def coverage(self) -> Share:
        return Share(self.right, self.inside)

    def bounds(self) -> str:
        """What no threshold and no second look could exceed."""
        return (
            f"  bounds in hindsight: ranked right at all {Share(sum(self.rights), self.inside)}; by the gate's chance"
            f" without its second look, at 99 %, coverage {Share(best_share(self.scores, self.rights), self.inside)}"
        )

    def lines(self) -> Iterable[str]:
        outside = f"{self.outside_direct} of {self.outside}"
        if self.outside:
            outside += f", precision without them {Share(self.right, self.direct)}"
        kept = "" if self.outside_kept is None else f"  kept out of adjacent {Share(self.outside_kept, self.outside)}"
        yield f"  {self.way:<42} precision {self.precision}  coverage {self.coverage}  outside direct {outside}{kept}"


async def evaluate(parts: Sequence[FaqSet], embedder: Embedder, make_gate: MakeGate) -> AsyncIterator[str]:
    """The report on a set, line by line; several parts are one set, each asked by what was learned from the others."""
    ways: dict[str, Served] = {}
    for part in parts:
        await _measure(part, embedder, make_gate, ways)
    asked = sum(len(part.asked) for part in parts)
    wordings = sum(len(entry.questions) for entry in parts[0].entries)
    yield f"{parts[0].name}: {len(parts[0].entries)} entries, {wordings} wordings, {asked} questions; {parts[0].split}"
    for served in ways.values():
        for line in served.lines():
            yield line
    gate = ways["gate"]
    for how in ("chosen on the calibration split", "in hindsight"):
        better = max((one for name, one in ways.items() if how in name), key=lambda one: one.coverage.value)
        if better.coverage.value:
            yield (
                f"  coverage of the gate over the better of the two others, {how}:"
                f" {gate.coverage.value / better.coverage.value:.2f}"
                f" (1.5 times it would be {1.5 * better.coverage.value:.2f}; precisions {gate.precision.value:.3f} and"
                f" {better.precision.value:.3f})"
            )
    yield gate.bounds()
    for wrong in gate.wrong:
        yield f"    wrong: {wrong}"


async def _measure(part: FaqSet, embedder: Embedder, make_gate: MakeGate, ways: dict[str, Served]) -> None:
    texts = [(entry.id, text) for entry in part.entries for text in entry.questions]
    vectors = await _embedded(embedder, [text for _, text in texts])
    faq = StoredFaq(version=part.name, entries=part.entries, wordings=tuple(texts), vectors=vectors)
    book = Book.arrange(faq)
    found = nearest(book, await _embedded(embedder, [one.text for one in part.asked]))
    right = np.array([book.entries[at].id in one.right for at, one in zip(found.entries, part.asked, strict=True)])
    for cosine in PEERS_COSINES:
        _count(ways, f"peers: cosine >= {cosine}", part.asked, Rule(cosine, 0).serves(found), right)
    learned, learned_right = await _learned(book, part, embedder)
    for name, margins in (("cosine", (0.0,)), ("cosine and margin", MARGINS)):
        for how, seen, truth in (
            ("chosen on the calibration split", learned, learned_right),
            ("in hindsight", found, right),
        ):
            rule = best_rule(seen, truth, margins)
            serves = rule.serves(found) if rule else np.zeros(len(right), dtype=np.bool_)
            _count(ways, f"{name}, {how}", part.asked, serves, right)
    findings = await calibrate(book, embedder.embed_questions, part.labelled)
    await _ask(make_gate(faq, findings), part.asked, ways.setdefault("gate", Served("gate", outside_kept=0)))


async def _learned(book: Book, part: FaqSet, embedder: Embedder) -> tuple[Nearest, npt.NDArray[np.bool_]]:
    """What the others' thresholds are chosen on: wordings left out, or labelled questions, and background questions."""
    rows = np.random.default_rng(0).permutation(len(book.wordings))[:_LEFT_OUT]
    sizes = np.bincount(book.owners, minlength=len(book.entries))
    rows = rows[sizes[book.owners[rows]] > 1]
    languages = sorted({entry.language for entry in book.entries})
    others = [*part.labelled]
    texts = [one.question for one in others] + [text for language in languages for text in background(language)]
    beside = nearest(book, await _embedded(embedder, texts))
    truth = [
        other.entry is not None and book.entries[at].id == other.entry
        for at, other in zip(beside.entries, others, strict=False)
    ]
    truth += [False] * (len(texts) - len(others))
    if not len(rows):
        return beside, np.array(truth, dtype=np.bool_)
    alone = nearest(book, book.matrix[rows], [int(row) for row in rows])
    joined = Nearest(
        np.concatenate([alone.entries, beside.entries]),
        np.concatenate([alone.cosines, beside.cosines]),
        np.concatenate([alone.leads, beside.leads]),
    )
    return joined, np.concatenate([alone.entries == book.owners[rows], np.array(truth, dtype=np.bool_)])


def _count(
    ways: dict[str, Served],
    way: str,
    asked: Sequence[Asked],
    serves: npt.NDArray[np.bool_],
    right: npt.NDArray[np.bool_],
) -> None:
    served = ways.setdefault(way, Served(way))
    inside = np.array([bool(one.right) for one in asked], dtype=np.bool_)
    served.inside += int(inside.sum())
    served.outside += int((~inside).sum())
    served.direct += int((serves & inside).sum())
    served.right += int((serves & inside & right).sum())
    served.outside_direct += int((serves & ~inside).sum())


async def _ask(gate: FaqGate, asked: Sequence[Asked], served: Served) -> None:
    for one in asked:
        match = await gate.match(Question(text=one.text, language=detect_language(one.text)))
        entry = match.entry.id if match.entry else ""
        direct = match.band == "direct"
        served.scores.append(match.score)
        served.rights.append(entry in one.right)
        if direct and entry not in one.right:
            served.wrong.append(f"{one.text} -> {entry} ({match.score:.3f})")
        if one.right:
            served.inside += 1
            served.direct += direct
            served.right += direct and entry in one.right
        else:
            served.outside += 1
            served.outside_direct += direct
            served.outside_kept = (served.outside_kept or 0) + (match.band == "miss")


async def _embedded(embedder: Embedder, texts: Sequence[str]) -> Matrix:
    forms = [question_form(text) or text for text in texts]
    parts = [await embedder.embed_questions(forms[start : start + _BATCH]) for start in range(0, len(forms), _BATCH)]
    return np.concatenate(parts) if parts else np.zeros((0, embedder.dimensions), dtype=np.float32)
