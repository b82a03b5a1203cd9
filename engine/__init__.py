"""The front door: ask an `Engine` a `Question`, read its events. Everything else in this package is private."""

from engine.conversations import AlreadyOpened, Answer, Claim, Clearance, Exchange, Inbound, Owner, Standing, tried
from engine.errors import (
    ConfigurationError,
    KnowledgeError,
    ProviderError,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
    RefdeskError,
    SourceError,
    StoreBusy,
    StoreMismatch,
)
from engine.events import AnswerEvent, Delta, Escalated, Final, Interim, Retract, Typing
from engine.flow import Engine
from engine.text.context import rejects
from engine.text.normal import detect_language
from engine.tickets import Closing, Farewell, Lease, Relay, RelayKind, Ticket, TicketReason
from engine.types import Citation, GapState, Language, Outcome, OutcomeKind, Question, Rating, Reference, Turn
from engine.wording import LANGUAGES, Wording

__all__ = [
    "LANGUAGES",
    "AlreadyOpened",
    "Answer",
    "AnswerEvent",
    "Citation",
    "Claim",
    "Clearance",
    "Closing",
    "ConfigurationError",
    "Delta",
    "Engine",
    "Escalated",
    "Exchange",
    "Farewell",
    "Final",
    "GapState",
    "Inbound",
    "Interim",
    "KnowledgeError",
    "Language",
    "Lease",
    "Outcome",
    "OutcomeKind",
    "Owner",
    "ProviderError",
    "ProviderRateLimited",
    "ProviderRejected",
    "ProviderTimeout",
    "Question",
    "Rating",
    "RefdeskError",
    "Reference",
    "Relay",
    "RelayKind",
    "Retract",
    "SourceError",
    "Standing",
    "StoreBusy",
    "StoreMismatch",
    "Ticket",
    "TicketReason",
    "Turn",
    "Typing",
    "Wording",
    "detect_language",
    "rejects",
    "tried",
]
