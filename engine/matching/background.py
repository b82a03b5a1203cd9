"""Questions that no company's FAQ answers, shipped in both languages: what a gate must let pass by."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from engine.text.normal import words
from engine.text.stems import stem
from engine.types import Language

_LANGUAGES: tuple[Language, ...] = ("ru", "en")


@lru_cache
def background(language: Language) -> tuple[str, ...]:
    return _lines(f"{language}.txt")


@lru_cache
def small_talk(language: Language) -> tuple[str, ...]:
    """What is said to a bot as to a person; an FAQ about the bot itself may answer it."""
    return _lines(f"small_talk_{language}.txt")


def _lines(name: str) -> tuple[str, ...]:
    text = files("engine.matching").joinpath("unanswerable", name).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def everyday() -> dict[Language, tuple[str, ...]]:
    """The background of each language."""
    return {language: background(language) for language in _LANGUAGES}


@lru_cache
def everyday_stems() -> frozenset[str]:
    """Stems of words that are right as they are: a typo is never read into them."""
    return frozenset(
        stem(word)
        for language in _LANGUAGES
        for line in (*background(language), *small_talk(language))
        for word in words(line)
        if len(word) > 2
    )
