"""What an answer says while it is being made, as one closed union.

    typing* (delta* retract?) (interim delta* retract?)? (final | escalated)

`Final` or `Escalated` is the last event and comes exactly once; its outcome carries the whole text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.types import Outcome, Reference


@dataclass(frozen=True, slots=True)
class Typing:
    """Work goes on; show activity until the next event."""

    kind: Literal["typing"] = "typing"


@dataclass(frozen=True, slots=True)
class Interim:
    """A second pass has begun. The text says so, in the asker's language, and is replaced by what follows.

    When `keeps_draft` is true, what was shown so far stays above, marked as being completed, until `Final`.
    """

    text: str
    references: tuple[Reference, ...] = ()
    keeps_draft: bool = False
    kind: Literal["interim"] = "interim"


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of the draft; pieces are to be joined as they are."""

    text: str
    kind: Literal["delta"] = "delta"


@dataclass(frozen=True, slots=True)
class Retract:
    """All that was shown of this draft must disappear; the final text replaces it."""

    reason: str
    kind: Literal["retract"] = "retract"


@dataclass(frozen=True, slots=True)
class Final:
    outcome: Outcome
    kind: Literal["final"] = "final"


@dataclass(frozen=True, slots=True)
class Escalated:
    """The question went to human support; the outcome's text tells the asker so."""

    outcome: Outcome
    kind: Literal["escalated"] = "escalated"


AnswerEvent = Typing | Interim | Delta | Retract | Final | Escalated
