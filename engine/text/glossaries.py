"""Which titles are those of a glossary, or of a section of definitions."""

from __future__ import annotations

import re

_GLOSSARY = re.compile(
    r"глоссари|словарь|термин|поняти|определени|сокращени|обозначени"
    r"|^(?:\w+ )?(?:(?:and|of) )?(?:glossary|definitions?|abbreviations|acronyms|terminology)\b"
    r"|\b(?:and|of) (?:definitions|terms|terminology|abbreviations|acronyms)\b|^(?:key |defined )?terms$",
    re.IGNORECASE,
)
_WHOLE_GLOSSARY = re.compile(
    r"^(?:глоссари\w*|словарь|(?:основные )?(?:термин|поняти)\w*|определения$"
    r"|glossary|terminology|(?:terms and )?definitions$)",
    re.IGNORECASE,
)
"""Of a document: "Definitions and overview" is a chapter that only begins with some."""
_NOT_OWN = re.compile(
    r"\b(?:method|field|type|schema|class|function|variable|interface)s? definitions?|обзор|введени|overview|introduc",
    re.IGNORECASE,
)


def is_glossary(title: str) -> bool:
    """Of a section."""
    return _GLOSSARY.search(title) is not None and not _NOT_OWN.search(title)


def is_whole_glossary(title: str) -> bool:
    """Of a document that is nothing else."""
    return _WHOLE_GLOSSARY.search(title) is not None
