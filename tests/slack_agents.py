"""What a Slack of ours shows beside messages: statuses, sessions with a stop button, suggested questions, titles."""

from __future__ import annotations

from tests.slack_rules import Json, Params, Refusal

SESSION_STATES = ("active", "processing", "suspended", "closed")


class AgentMethods:
    """`agent` says whether the app is declared as an agent; one that is not may be an assistant of before."""

    agent = True

    def __init__(self, *, statuses: bool) -> None:
        self.statuses = statuses
        self.statuses_shown: list[str] = []
        self.sessions: dict[tuple[str, str], str] = {}
        """The state of each, by channel and thread."""
        self.titles: dict[tuple[str, str], str] = {}
        self.suggested: list[Params] = []

    def _assistant_threads_setStatus(self, params: Params) -> Json:
        if not self.statuses:
            raise Refusal("unknown_method")
        self.statuses_shown.append(params["status"])
        return {}

    def _agents_sessions_setStatus(self, params: Params) -> Json:
        if not self.agent:
            raise Refusal("not_agent_app")
        if params["status"] not in SESSION_STATES or len(params.get("title", "")) > 200:
            raise Refusal("invalid_arguments")
        thread = params["channel_id"], params["thread_ts"]
        if thread not in self.sessions and "title" in params:
            self.titles[thread] = params["title"]
        self.sessions[thread] = params["status"]
        return {"status": params["status"]}

    def _assistant_threads_setTitle(self, params: Params) -> Json:
        self.titles[params["channel_id"], params["thread_ts"]] = params["title"]
        return {}

    def _assistant_threads_setSuggestedPrompts(self, params: Params) -> Json:
        if not 0 < len(params["prompts"]) <= 4 or any(set(one) != {"title", "message"} for one in params["prompts"]):
            raise Refusal("invalid_arguments")
        if not (self.agent and "thread_ts" in params):  # an agent's are silently not shown then
            self.suggested.append(params)
        return {}
