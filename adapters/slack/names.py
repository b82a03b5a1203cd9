"""Who people are in Slack: their names, whether they are people, and whether they are here still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import FAILURES, error_of

log = structlog.get_logger()

KEPT = 2000


class Names:
    """Of one workspace. Whoever Slack tells nothing about has their id for a name, and is here."""

    def __init__(self, client: AsyncWebClient) -> None:
        self._client = client
        self._names: dict[str, str] = {}

    async def of(self, user: str) -> str:
        if user not in self._names:
            found = await self._found(user)
            profile: Mapping[str, Any] = found.get("profile") or {}
            name = profile.get("display_name") or profile.get("real_name") or found.get("real_name")
            if not name:
                return user
            if len(self._names) >= KEPT:
                self._names.clear()
            self._names[user] = str(name)
        return self._names[user]

    async def is_person(self, user: str) -> bool:
        """An app may write in a person's name, with that person's token."""
        return (await self._found(user)).get("is_bot") is False

    async def is_there(self, user: str) -> bool:
        return not (await self._found(user)).get("deleted", False)

    async def _found(self, user: str) -> Mapping[str, Any]:
        try:
            response = await self._client.users_info(user=user)
        except FAILURES as error:
            log.warning("slack.name_unknown", error=error_of(error))
            return {"deleted": True} if error_of(error) == "user_not_found" else {}
        found: Mapping[str, Any] = response.get("user") or {}
        return found
