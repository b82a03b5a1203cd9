"""One OpenAI-compatible HTTP endpoint: how it is called, how often, and how its failures are told."""

from __future__ import annotations

import asyncio
import email.utils
import json
import random
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import openai
from pydantic import SecretStr

from engine.errors import (
    ConfigurationError,
    PromptTooLong,
    ProviderError,
    ProviderRateLimited,
    ProviderRejected,
    ProviderTimeout,
)
from engine.providers.breaker import CircuitBreaker
from engine.providers.openai_dialect import said_by

if TYPE_CHECKING:
    import httpx2

R = TypeVar("R")

OPENAI_URL = "https://api.openai.com/v1"

_CONNECT_SECONDS = 5.0
_PAUSE_SECONDS = 0.3
_REASON_CHARACTERS = 300
_NO_KEY = "not-needed"
_TOO_LONG = re.compile(
    r"context.{0,20}(?:length|size|window)|(?:exceed|too (?:long|many)).{0,60}(?:context|tokens)",
    re.IGNORECASE | re.DOTALL,
)


class Endpoint:
    """Calls are made again when that may help and soon enough; whatever fails is raised as a ProviderError.

    The client's own retries are off: it would sleep through a rate limit of a minute while an asker waits.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: SecretStr | None,
        timeout: float,
        attempts: int,
        patience: float,
        http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """`timeout` and `patience` are in seconds: a call's limit, and the longest pause before another attempt."""
        address = urlsplit(base_url)
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise ConfigurationError(f"the model endpoint's address must begin with http:// or https://: {base_url!r}")
        self.model = model
        self.provider = f"{model} at {address.hostname}" + (f":{address.port}" if address.port else "")
        self.breaker = CircuitBreaker(self.provider)
        self._secret = api_key.get_secret_value() if api_key else ""
        self._timeout = timeout
        self._attempts = attempts
        self._patience = patience
        self.client = openai.AsyncOpenAI(
            base_url=base_url,
            api_key=self._secret or _NO_KEY,
            timeout=openai.Timeout(timeout, connect=min(timeout, _CONNECT_SECONDS)),
            max_retries=0,
            http_client=http_client,
        )

    async def call(self, request: Callable[[], Awaitable[R]], *, within: float | None = None) -> R:
        """The answer to a request, asked again after a passing failure; all attempts together within a time limit."""
        limit = self._timeout if within is None else within
        try:
            async with asyncio.timeout(limit):
                return await self._attempt(request)
        except TimeoutError:
            silence = ProviderTimeout(self.provider, f"no answer within {limit:g} s")
            self.breaker.failed(silence)
            raise silence from None

    async def aclose(self) -> None:
        await self.client.close()

    @contextmanager
    def failures_told(self) -> Iterator[None]:
        """What the client raises comes out as a ProviderError.

        The original is not chained: its text and its request can hold the API key, and a log would print them.
        """
        try:
            yield
        except (openai.APIError, json.JSONDecodeError, UnicodeDecodeError) as failure:
            raise self._told(failure) from None

    async def _attempt(self, request: Callable[[], Awaitable[R]]) -> R:
        for attempts_left in reversed(range(self._attempts)):
            self.breaker.check()
            try:
                with self.failures_told():
                    return await request()
            except ProviderError as failure:
                self.breaker.failed(failure)
                pause = _PAUSE_SECONDS if failure.retry_after is None else failure.retry_after
                # A call that timed out has used up the asker's patience.
                hopeless = not failure.retryable or isinstance(failure, ProviderTimeout) or pause > self._patience
                if hopeless or attempts_left == 0:
                    raise
            # Not all who were turned away at one moment come back at one moment.
            await asyncio.sleep(pause + random.uniform(0, _PAUSE_SECONDS))
        raise AssertionError("an endpoint is called at least once")

    def _told(self, failure: openai.APIError | ValueError) -> ProviderError:
        match failure:
            case openai.APITimeoutError():
                return ProviderTimeout(self.provider, "timed out")
            case openai.APIStatusError():
                return self._told_by_status(failure)
            case openai.APIConnectionError():
                cause = failure.__cause__
                return ProviderError(self.provider, self._redacted(f"cannot be reached: {cause or failure}"))
            case openai.APIResponseValidationError() | ValueError():
                return ProviderRejected(self.provider, "answered something that is not the agreed JSON")
            case _:
                return ProviderError(self.provider, self._redacted(failure.message))

    def _told_by_status(self, failure: openai.APIStatusError) -> ProviderError:
        reason = self._redacted(f"HTTP {failure.status_code}: {said_by(failure)}")
        retry_after = _retry_after(failure.response.headers)
        match failure.status_code:
            case 429 if failure.code != "insufficient_quota":
                return ProviderRateLimited(self.provider, reason, retry_after=retry_after)
            case 408 | 504:
                return ProviderTimeout(self.provider, reason, retry_after=retry_after)
            case status if status >= 500:
                return ProviderError(self.provider, reason, retry_after=retry_after)
            case _ if failure.status_code in (400, 413, 422) and _TOO_LONG.search(said_by(failure)):
                return PromptTooLong(self.provider, reason)
            case _:
                return ProviderRejected(self.provider, reason)

    def _redacted(self, reason: str) -> str:
        """Servers quote the key they refuse."""
        if self._secret:
            reason = reason.replace(self._secret, "***")
        return " ".join(reason.split())[:_REASON_CHARACTERS]


def _retry_after(headers: httpx2.Headers) -> float | None:
    """Seconds to wait, from the header's two forms: a number, or a date."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
