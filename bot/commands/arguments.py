"""Kinds of arguments that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable

MOST_DAYS = 36_500
MOST_LISTED = 1_000_000


def from_1_to(most: int) -> Callable[[str], int]:
    """A whole number within bounds; anything else is told with these."""

    def read(text: str) -> int:
        number = int(text) if text.isdecimal() else 0
        if not 1 <= number <= most:
            raise argparse.ArgumentTypeError(f"a whole number from 1 to {most}, not {text}")
        return number

    return read
