"""How a Bot API server of ours refuses a request."""

from __future__ import annotations

from dataclasses import dataclass

from tests.faults import Fault as Fault
from tests.faults import Json as Json
from tests.faults import Made as Made
from tests.faults import Params as Params


@dataclass(frozen=True)
class Refusal(Exception):
    code: int
    description: str
    parameters: Json | None = None


def too_many(seconds: int) -> Fault:
    return Fault(Refusal(429, f"Too Many Requests: retry after {seconds}", {"retry_after": seconds}))


def broken(code: int = 502) -> Fault:
    return Fault(Refusal(code, "Bad Gateway"))
