"""What is wrong with a file or a value, said in one line to the person who wrote it."""

from __future__ import annotations

from pydantic import ValidationError


def first_problem(mismatch: ValidationError) -> str:
    """Where the first thing that does not fit stands, and why; without its value, which may be long or a secret."""
    problem = mismatch.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {reason_of(problem['type'], problem['msg'])}" if place else problem["msg"]


def reason_of(kind: str, message: str) -> str:
    """Pydantic's message, in words for people where it speaks of its own inside."""
    return "no such key is known here" if kind == "extra_forbidden" else message


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a text file cannot be read; without its path, which stands beside."""
    if isinstance(error, UnicodeDecodeError):
        return f"it is not UTF-8 (byte {error.start})"
    return error.strerror or type(error).__name__
