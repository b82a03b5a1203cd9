"""The front door: ask an `Engine` a `Question`, read its events. Everything else in this package is private."""

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
from engine.types import Citation, Language, Outcome, Question, Reference, Turn

__all__ = [
    "AnswerEvent",
    "Citation",
    "ConfigurationError",
    "Delta",
    "Engine",
    "Escalated",
    "Final",
    "Interim",
    "KnowledgeError",
    "Language",
    "Outcome",
    "ProviderError",
    "ProviderRateLimited",
    "ProviderRejected",
    "ProviderTimeout",
    "Question",
    "RefdeskError",
    "Reference",
    "Retract",
    "SourceError",
    "StoreBusy",
    "StoreMismatch",
    "Turn",
    "Typing",
]
