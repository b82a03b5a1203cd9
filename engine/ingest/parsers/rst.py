"""reStructuredText: titles, lists, tables, code and notes by docutils' own parser; Sphinx's words are read as text.

Nothing in a file can make docutils open another file, pass raw HTML on, or read a configuration.
"""

from __future__ import annotations

import re

from engine.errors import SourceError
from engine.ingest.items import plain
from engine.ingest.outline import assemble
from engine.ingest.parsers.decoding import decode
from engine.types import ParsedDocument

_MAIL_FIELD = re.compile(r"[A-Za-z][\w-]{0,40}:(?:\s|$)")
_LONGEST_LINE = 8000
"""docutils refuses longer ones, since its patterns take long over them."""
_TOO_DEEP = "is nested too deeply to be read"


def parse_rst(path: str, data: bytes) -> ParsedDocument:
    """Raises SourceError for empty and binary files, and for nesting beyond what the parser can follow."""
    from engine.ingest.parsers.rst_markup import doctree  # docutils takes a while to load
    from engine.ingest.parsers.rst_walk import Walker

    text = "\n".join(line for whole in decode(path, data).replace("\f", "\n").split("\n") for line in _wrap(whole))
    try:
        walker = Walker(doctree(path, text, begins_with_fields=_begins_like_mail(text)))
        items = walker.read()
    except RecursionError as error:
        raise SourceError(path, _TOO_DEEP) from error
    return assemble(items, path=path, title=plain(walker.title))


def _begins_like_mail(text: str) -> bool:
    """Whether it opens with "Name: value" lines, a title among them, as PEPs do."""
    lines = text.lstrip("\n").split("\n\n", 1)[0].split("\n")
    names = [line.partition(":")[0].lower() for line in lines if _MAIL_FIELD.match(line)]
    return "title" in names and all(_MAIL_FIELD.match(line) or line.startswith((" ", "\t")) for line in lines)


def _wrap(line: str) -> list[str]:
    """A line too long for docutils in several with the same indentation."""
    if len(line) <= _LONGEST_LINE:
        return [line]
    indent = line[: len(line) - len(line.lstrip())][: _LONGEST_LINE // 2]
    room = _LONGEST_LINE - len(indent)
    return [indent + part for part in re.findall(rf"\S.{{0,{room - 1}}}(?=\s|$)|\S{{1,{room}}}", line)]
