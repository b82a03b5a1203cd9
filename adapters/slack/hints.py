"""What is shown beside an answer: that one is being made, by a status and a stop button, and what could be asked.

Nothing depends on these calls, so one that fails is let go; a method that the workspace or the app does not have is not
tried again. An app that is declared as an agent (`agent_view` in the manifest) has sessions with a stop button, and its
questions are suggested in the direct channel; one from before (`assistant_view`) has a pane of threads instead.

https://docs.slack.dev/ai/agent-sessions, https://docs.slack.dev/ai/migrating-to-agent-messaging
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.delivery import RateLimited
from adapters.slack.budgets import Budgets
from adapters.slack.calls import FAILURES, error_of, retry_after
from adapters.slack.formatting import shortened
from adapters.slack.place import Place

log = structlog.get_logger()

STATUS, SESSION = "assistant.threads.setStatus", "agents.sessions.setStatus"
PROMPTS, TITLE = "assistant.threads.setSuggestedPrompts", "assistant.threads.setTitle"
MOST_PROMPTS = 4
MOST_TITLE = 200
MOST_PROMPT_TITLE = 75

_ABSENT = frozenset(
    {"unknown_method", "missing_scope", "not_agent_app", "not_allowed_token_type", "feature_not_enabled"}
)


class Hints:
    """Of one workspace."""

    def __init__(self, client: AsyncWebClient, budgets: Budgets) -> None:
        self._client, self._budgets = client, budgets
        self._absent: set[str] = set()

    async def status(self, place: Place, status: str) -> bool:
        """Show what the bot is doing. False when this place shows none."""
        return await self._call(STATUS, {**_at(place), "status": status})

    async def working(self, place: Place, question: str) -> bool:
        """Offer to stop the answer, and give the thread its title. True when that is to be ended by `at_rest`."""
        title = shortened(" ".join(question.split()), MOST_TITLE)
        session = {**_at(place), "status": "processing", "initiator_user_id": place.asker}
        if await self._call(SESSION, {**session, "title": title} if title else session):
            return True
        if SESSION in self._absent and place.private and title and place.thread == place.message:
            await self._call(TITLE, {**_at(place), "title": title})
        return False

    async def at_rest(self, place: Place) -> None:
        """Slack would show for ever that an answer is being made, so this is tried twice."""
        for _ in range(2):
            if await self._call(SESSION, {**_at(place), "status": "active"}, last=True):
                return

    async def suggest(self, channel: str, questions: Sequence[str], title: str, *, thread: str | None = None) -> None:
        """A thread is named in the pane of before only: with one, Slack shows an agent's suggestions nowhere."""
        prompts = [{"title": shortened(one, MOST_PROMPT_TITLE), "message": one} for one in questions[:MOST_PROMPTS]]
        if prompts:
            where = {"channel_id": channel, **({"thread_ts": thread} if thread else {})}
            await self._call(PROMPTS, {**where, "prompts": prompts, "title": title})

    async def _call(self, method: str, arguments: dict[str, Any], *, last: bool = False) -> bool:
        """Whether it was done. The `last` one may use what is kept back."""
        budget = self._budgets.of(method)
        if method in self._absent or not (last or budget.has_room):
            return False
        try:
            budget.spend()
            await self._client.api_call(method, json=arguments)
        except RateLimited:
            return False
        except SlackApiError as error:
            if error.response.status_code == 429:
                budget.refused(retry_after(error))
            elif error_of(error) in _ABSENT:
                self._absent.add(method)
                log.info("slack.hint_absent", method=method, reason=error_of(error))
            return False
        except FAILURES as error:
            log.info("slack.hint_failed", method=method, error=error_of(error))
            return False
        return True


def _at(place: Place) -> dict[str, str]:
    return {"channel_id": place.channel, "thread_ts": place.thread}
