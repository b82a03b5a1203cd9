"""The owner's own words in place of the bot's, from a YAML file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from adapters.texts import TEXTS, Texts
from engine import ConfigurationError
from engine.phrases import PHRASES, Phrases
from engine.text.mismatch import unreadable


@dataclass(frozen=True, slots=True)
class Words:
    """What the engine says and what the chat adapters say."""

    phrases: Phrases = field(default_factory=Phrases)
    texts: Texts = field(default_factory=Texts)


def read_words(path: Path | None) -> Words:
    """By language and name. Raises ConfigurationError."""
    if path is None:
        return Words()
    try:
        read = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the texts in {path} cannot be read: {unreadable(error)}") from error
    except yaml.YAMLError as error:
        told = " ".join(str(error).split())
        raise ConfigurationError(f"the texts in {path} are not YAML: {told}") from error
    if read is None:
        return Words()
    if not isinstance(read, Mapping) or not all(_is_words(words) for words in read.values()):
        raise ConfigurationError(
            f"the texts in {path} are names and words by language, as in `ru: {{thanks: Спасибо}}`"
        )
    return Words(
        Phrases(_picked(read, lambda name: name in PHRASES), others=TEXTS),
        Texts(_picked(read, lambda name: name not in PHRASES), others=PHRASES),
    )


def _picked(read: Mapping[str, Mapping[str, str]], wanted: Callable[[str], bool]) -> dict[str, dict[str, str]]:
    return {language: {name: text for name, text in words.items() if wanted(name)} for language, words in read.items()}


def _is_words(words: object) -> bool:
    return isinstance(words, Mapping) and all(isinstance(word, str) for pair in words.items() for word in pair)
