"""What the app has to be allowed, and what it listens to. deploy/slack-manifest.yaml says the same."""

from __future__ import annotations

NEEDED = {
    "app_mentions:read": "mentions in channels",
    "channels:history": "threads and auto-answered messages in public channels",
    "groups:history": "the same in private channels",
    "im:history": "direct messages",
    "mpim:history": "the same in group messages",
    "chat:write": "every answer",
    "commands": "/ask, /human and /forget",
    "users:read": "names of askers and of people who answer",
    "files:read": "files in tickets, to pass them on",
    "files:write": "the same, from the other side",
    "im:write": "answers to /ask that only the asker sees",
    "assistant:write": "the status “is searching ...”, suggested questions, the stop button",
}
"""What each scope is for."""

EVENTS = (
    "agent_session_stopped",
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "tokens_revoked",
)
