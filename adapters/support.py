"""What every platform is given of the support desk: where tickets are, and the owner's settings of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta

from adapters.carrying import Carrying
from adapters.desk_people import DeskPeople
from adapters.digest import Digests, Gaps
from adapters.escalation import Escalation, OwnerRules
from adapters.inbox import InboxStore
from adapters.learning import Learning
from adapters.lease import SECONDS
from adapters.office_hours import OfficeHours
from adapters.said import Said
from adapters.support_desk import HUMAN_HOLDS, Bells, SupportDesk
from adapters.texts import Texts
from adapters.tickets import TicketStore
from engine import Exchange, Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    tickets: TicketStore
    desk: str
    """The desk that is given this."""
    people: str
    """The desk whose support chat tickets go to; the same unless people are on another platform."""
    hours: OfficeHours = field(default_factory=OfficeHours)
    rules: OwnerRules = field(default_factory=OwnerRules)
    holds: timedelta = HUMAN_HOLDS
    learning: Callable[[SupportDesk, Texts], Learning] | None = None
    bells: Bells = field(default_factory=Bells)
    """The same for all platforms of a process: each hears at once what another one has for it."""
    lease_seconds: float = SECONDS
    gaps: Gaps | None = None

    def digests(self, texts: Texts) -> Digests | None:
        """Those that this desk's people are shown."""
        if self.gaps is None:
            return None
        return Digests(desk=self.desk, tickets=self.tickets, gaps=self.gaps, texts=texts)

    def carrying(self, desk: SupportDesk, texts: Texts, language: Language | None, remark: str) -> Carrying:
        """What this desk's carrier does as every other one; people are spoken to in `language`, the asker's if None."""
        return Carrying(desk=desk, texts=texts, language=language, remark=remark, digests=self.digests(texts))

    def people_at(self, carrying: Carrying, is_there: Callable[[str], Awaitable[bool]]) -> DeskPeople:
        """Who works in the support chat that is carried to."""
        return DeskPeople(
            desk=carrying.desk,
            texts=carrying.texts,
            language=carrying.language,
            remark=carrying.remark,
            learning=self.learning(carrying.desk, carrying.texts) if self.learning else None,
            digests=carrying.digests,
            is_there=is_there,
        )

    def escalation(
        self,
        inbox: InboxStore,
        texts: Texts,
        name_of: Callable[[Exchange], Awaitable[str]],
        said_in: Callable[[Exchange, str], Said],
    ) -> Escalation:
        desk = SupportDesk(
            name=self.desk,
            people=self.people,
            tickets=self.tickets,
            inbox=inbox,
            holds=self.holds,
            bells=self.bells,
        )
        return Escalation(
            inbox=inbox,
            desk=desk,
            texts=texts,
            hours=self.hours,
            rules=self.rules,
            name_of=name_of,
            said_in=said_in,
        )
