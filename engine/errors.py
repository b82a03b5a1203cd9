"""Everything that Refdesk raises, as one tree.

    RefdeskError
    ├── ConfigurationError        a setting, a file or a command that the person must mend; the text says how
    ├── KnowledgeError            the knowledge folder or the store cannot be used as it is
    │   ├── SourceError           one file of the knowledge folder cannot be read; the rest goes on
    │   ├── StoreMismatch         the store was made by another embedder, version or schema
    │   └── StoreBusy             another process holds the store
    └── ProviderError             something outside broke: a model, an embedder, a database
        ├── ProviderTimeout
        ├── ProviderRateLimited
        └── ProviderRejected      it answered, and the answer is no use: a refusal, nonsense, a wrong shape
            └── PromptTooLong     what it was sent does not fit the model's window

Expected ends of a question (a miss, a block, an escalation) are `Outcome`s and never raised.
"""

from __future__ import annotations

from engine.types import Usage


class RefdeskError(Exception):
    """Base of all; its text is fit to be shown to a person."""


class ConfigurationError(RefdeskError):
    pass


class KnowledgeError(RefdeskError):
    pass


class SourceError(KnowledgeError):
    """One file that cannot be read: `path` below the knowledge folder, and why, with line and column if known."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class StoreMismatch(KnowledgeError):
    pass


class StoreBusy(KnowledgeError):
    pass


class ProviderError(RefdeskError):
    """A provider failed. `retry_after` is in seconds, when the provider named it; `usage` is what the failure cost."""

    retryable = True

    def __init__(
        self, provider: str, reason: str, *, retry_after: float | None = None, usage: Usage | None = None
    ) -> None:
        super().__init__(f"{provider}: {reason}")
        self.provider = provider
        self.reason = reason
        self.retry_after = retry_after
        self.usage = usage or Usage()


class ProviderTimeout(ProviderError):
    pass


class ProviderRateLimited(ProviderError):
    pass


class ProviderRejected(ProviderError):
    retryable = False


class PromptTooLong(ProviderRejected):
    pass
