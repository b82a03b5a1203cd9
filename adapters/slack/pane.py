"""What meets whoever opens a conversation with the bot: a greeting, and questions that it can answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.slack.calls import Calls
from adapters.slack.formatting import render
from adapters.slack.hints import Hints
from adapters.slack.home import Home
from adapters.texts import Texts
from engine import Language, detect_language

Suggestions = Callable[[Language | None], Awaitable[Sequence[str]]]
"""Known questions, in a language if one is named."""


async def no_suggestions(language: Language | None) -> Sequence[str]:
    del language
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pane:
    calls: Calls
    hints: Hints
    home: Home
    texts: Texts
    suggestions: Suggestions = no_suggestions

    async def opened(self, event: Mapping[str, Any]) -> None:
        """Somebody opens the conversation with an agent: the greeting stands above the questions."""
        language, questions = await self._known(str(event["user"]))
        await self.hints.suggest(str(event["channel"]), questions, self.texts("pane_greeting", language))

    async def thread_started(self, event: Mapping[str, Any]) -> None:
        """The same in a thread of the pane that assistants of before have."""
        thread = event["assistant_thread"]
        channel, root = str(thread["channel_id"]), str(thread["thread_ts"])
        language, questions = await self._known(str(thread["user_id"]))
        for part in render(self.texts("pane_greeting", language)):
            await self.calls.tell(channel, part, thread=root)
        await self.hints.suggest(channel, questions, self.texts("pane_questions", language), thread=root)

    async def _known(self, user: str) -> tuple[Language, Sequence[str]]:
        chosen = await self.home.language_of(user)
        questions = await self.suggestions(chosen)
        return chosen or detect_language(" ".join(questions)), questions
