"""The support desk's part in Slack, put together."""

from __future__ import annotations

from dataclasses import dataclass

from slack_sdk.web.async_client import AsyncWebClient

from adapters.escalation import Escalation
from adapters.inbox import InboxStore
from adapters.pacing import Limits
from adapters.relays import RelayRunner
from adapters.slack.calls import Calls
from adapters.slack.config import Me, SlackConfig
from adapters.slack.files import Files
from adapters.slack.names import Names
from adapters.slack.people import People
from adapters.slack.relayed import asked
from adapters.slack.support import SlackCarrier
from adapters.support import Support
from adapters.texts import Texts
from engine import Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportSide:
    escalation: Escalation
    people: People
    runner: RelayRunner

    @classmethod
    def of(
        cls,
        support: Support,
        store: InboxStore,
        texts: Texts,
        limits: Limits,
        *,
        client: AsyncWebClient,
        calls: Calls,
        me: Me,
        config: SlackConfig,
    ) -> SupportSide:
        names = Names(client)

        async def name_of(exchange: Exchange) -> str:
            return await names.of(exchange.asker)

        escalation = support.escalation(store, texts, name_of, asked)
        carrying = support.carrying(escalation.desk, texts, config.support_language, config.remark)
        carrier = SlackCarrier(support=config.support, carrying=carrying, calls=calls, files=Files(client))
        shared = support.people_at(carrying, names.is_there)
        return cls(
            escalation=escalation,
            people=People(me=me, support=config.support, shared=shared, names=names, calls=calls),
            runner=RelayRunner(escalation.desk, carrier, limits, lease_seconds=support.lease_seconds),
        )
