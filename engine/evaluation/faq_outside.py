"""Questions that no entry of a set answers, taken from other data sets about other things."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.evaluation.faq_sets import Asked, FaqSet, banking77, clinc150
from engine.types import Language

_LEFT_OUT = ("banking", "credit_cards")
"""The domains of CLINC150 that are a bank's, as BANKING77 is."""
_TOUCHING = ("travel", "utility")
"""Domains with single things that a bank is asked, too: exchange rates, visas, a lost phone."""
_IN_BOTH = ("exchange", "visa")
_DIALOGUES = "qa/doc2dial_routing/multidoc2dial_mdd_dev_pub.json"
_ASKED_ABOUT_DOCUMENTS = "qa/leval_multidoc2dial/multidoc_qa.jsonl"
_GOLD = "dcd_paper/gold_questions.jsonl"
_RULES = "qa/obliqa_xref/qa_ukfin_sample.jsonl"
_REFERENCES = ("questions/cross_reference.jsonl", "questions/single_section.jsonl")


def about_documents(folder: Path, language: Language) -> tuple[Asked, ...]:
    """Questions about housing complexes, laws, manuals, public offices and financial rules; files not there are left
    out. `folder` is the one above that of the FAQ sets."""
    texts = [row["question" if language == "en" else "question_ru"] for row in _rows(folder / _GOLD)]
    for name in _REFERENCES:
        texts += [row["question"] for row in _rows(folder / name) if row["lang"] == language]
    if language == "en":
        texts += [row["question"] for row in _rows(folder / _RULES)]
        texts += [text for row in _rows(folder / _ASKED_ABOUT_DOCUMENTS) for text in row["instructions"]]
        texts += [row["dial"][0]["utterance"] for row in _listed(folder / _DIALOGUES) if row["dial"]]
    return _none([text for text in texts if text.rstrip().endswith("?")])  # dialogues hold greetings and "yes" as well


def with_outside(part: FaqSet, outside: Sequence[Asked]) -> FaqSet:
    return replace(part, asked=(*part.asked, *outside), split=f"{part.split}; and {len(outside)} of other sets")


def besides_money(folder: Path) -> tuple[Asked, ...]:
    """CLINC150's questions about nothing that a bank is asked, and its outside ones."""
    money = _intents(folder, (*_LEFT_OUT, *_TOUCHING))
    return _none([one.text for one in clinc150(folder).asked if not one.right & money])


def clinc150_without_money(folder: Path) -> FaqSet:
    """CLINC150 without two of its domains; their questions, and BANKING77's, are outside: as near as outside gets."""
    whole, money = clinc150(folder), _intents(folder, _LEFT_OUT)
    near = [one.text for one in whole.asked if one.right & money]
    if (folder / "banking77").is_dir():
        bank = banking77(folder).asked[::2]
        near += [one.text for one in bank if not any(word in name for name in one.right for word in _IN_BOTH)]
    inside = [one for one in whole.asked if not one.right & money]
    return replace(
        whole,
        name=f"CLINC150 without {' and '.join(_LEFT_OUT)}",
        split=f"{whole.split}; outside too: those two domains, and half of BANKING77's questions",
        entries=tuple(entry for entry in whole.entries if entry.id not in money),
        asked=(*inside, *_none(near)),
    )


def _intents(folder: Path, domains: Sequence[str]) -> frozenset[str]:
    known = json.loads((folder / "clinc150" / "domains.json").read_text(encoding="utf-8"))
    return frozenset(intent for domain in domains for intent in known[domain])


def _none(texts: Sequence[str]) -> tuple[Asked, ...]:
    return tuple(Asked(text=text, right=frozenset()) for text in dict.fromkeys(texts))


def _rows(path: Path) -> list[dict[str, Any]]:
    return _read(path, lambda text: [json.loads(line) for line in text.splitlines() if line.strip()])


def _listed(path: Path) -> list[dict[str, Any]]:
    return _read(path, json.loads)


def _read(path: Path, parse: Callable[[str], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return parse(path.read_text(encoding="utf-8")) if path.is_file() else []
