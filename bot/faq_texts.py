"""Entries as an editor types them in a chat."""

from __future__ import annotations

MARK = "?"


def read_entry(text: str) -> tuple[tuple[str, ...], str]:
    """The questions, which are lines that begin with a question mark, and the answer, which is all the rest."""
    lines = text.strip().splitlines()
    questions = [" ".join(line.lstrip()[1:].split()) for line in lines if line.lstrip().startswith(MARK)]
    answer = "\n".join(line for line in lines if not line.lstrip().startswith(MARK)).strip()
    return tuple(dict.fromkeys(one for one in questions if one)), answer
