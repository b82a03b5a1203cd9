"""A catalogue of texts in both languages, and the owner's words on top of it."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping
from string import Formatter

from engine.errors import ConfigurationError
from engine.types import Language

LANGUAGES: tuple[Language, ...] = ("ru", "en")

Catalogue = Mapping[str, Mapping[Language, str]]
"""Texts by name and language; `{name}` in one is filled in."""


class Wording:
    def __init__(
        self,
        catalogue: Catalogue,
        overrides: Mapping[str, Mapping[str, str]] | None = None,
        *,
        others: Collection[str] = (),
    ) -> None:
        """`overrides` by language, then by name; `others` are names of other catalogues, to tell what was meant.

        Raises ConfigurationError for a language, a name or a place to fill in that is not there.
        """
        self._catalogue = catalogue
        self._others = others
        self._texts = {name: dict(words) for name, words in catalogue.items()}
        for language, words in (overrides or {}).items():
            chosen = next((one for one in LANGUAGES if one == language), None)
            if chosen is None:
                raise ConfigurationError(f"texts: {language} is no language here; there are {', '.join(LANGUAGES)}")
            for name, text in words.items():
                self._override(chosen, name, text)

    def __call__(self, name: str, language: Language, **values: object) -> str:
        text = self._texts[name][language]
        return text.format(**values) if values else text

    def _override(self, language: Language, name: str, text: str) -> None:
        if name not in self._catalogue:
            close = difflib.get_close_matches(name, (*self._catalogue, *self._others), n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ConfigurationError(f"texts: {language}: there is no text {name}{hint}")
        unknown = _places(text, f"texts: {language}: {name}") - _places(self._catalogue[name][language], name)
        if unknown:
            raise ConfigurationError(f"texts: {language}: {name} has no {{{sorted(unknown)[0]}}} to fill in")
        self._texts[name][language] = text


def _places(text: str, where: str) -> set[str]:
    try:
        return {name for _, name, _, _ in Formatter().parse(text) if name is not None}
    except ValueError as error:
        raise ConfigurationError(f"{where}: {error}; write {{{{ and }}}} for braces") from None
