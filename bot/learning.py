"""What people answered becomes knowledge: drafted by one tap, looked over, approved by an editor, live at once."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from adapters.support_desk import SupportDesk
from adapters.texts import Texts
from bot.draft_page import Look, draft_page
from bot.faq_base import FaqBase
from bot.faq_commands import FaqCommands
from bot.faq_desk import FaqDesk
from bot.faq_texts import read_entry
from engine import ConfigurationError, Language, Question, Ticket
from engine.matching.drafts import FaqDraft, NearEntry
from engine.text.normal import detect_language
from engine.text.personal import Specific, SpecificKind, specifics
from engine.types import FaqEntry

log = structlog.get_logger()

NEAR = 0.6
"""The gate's score from which an entry is shown as one that may say the same."""
_NEAR_ONE = "near."
_TELLING: frozenset[SpecificKind] = frozenset(
    {"name", "email", "handle", "link", "phone", "number", "address", "favour", "deed"}
)
"""What an editor has to insist on; dates and sums are usual in answers, and only shown."""


class FaqLearning:
    """A `Learning` of the platforms, on the FAQ as it is served."""

    def __init__(
        self, base: FaqBase, faq: FaqDesk, desk: SupportDesk, texts: Texts, editors: frozenset[str] = frozenset()
    ) -> None:
        """`editors` are the ids of those who may approve and edit; whoever is in the support chat if there are none."""
        self._base, self._faq, self._desk, self._texts, self._editors = base, faq, desk, texts, editors
        self._commands = FaqCommands(faq, base.drafts, texts, self)

    def may_edit(self, by: str) -> bool:
        return not self._editors or by in self._editors

    async def answered(self, ticket: Ticket, language: Language) -> None:
        await self._offer(ticket, "offer_reply", language)

    async def closed(self, ticket: Ticket, language: Language) -> None:
        if await self._base.drafts.of_ticket(ticket.id) is None and await self._said(ticket, ""):
            await self._offer(ticket, "offer_entry", language)

    async def answered_with(self, ticket: Ticket, place: int, language: Language) -> None:
        await self._offer(ticket, "offer_wording", language, choice=f"{_NEAR_ONE}{place}")

    async def tapped(self, verb: str, ticket: Ticket, choice: str, by: str, name: str, language: Language) -> str:
        if verb == "draft":
            return await self._begin(ticket, choice, name, language)
        if not self.may_edit(by):
            return "not_editor"
        id, _, seen = choice.partition(".")
        draft = await self._base.drafts.draft(int(id)) if id.isdigit() else None
        if draft is None or draft.ticket != ticket.id:
            return "gone"
        if verb == "undo":
            return await self._undo(draft, ticket, name, language)
        if verb == "bad":
            return await self._reject(draft, ticket, name, language)
        said, _ = await self._decide(draft, ticket, seen, name, language, insist=verb == "force")
        return said

    async def rewritten(self, ticket: Ticket, message: str, text: str, by: str, name: str, language: Language) -> bool:
        notes = [one for one in await self._desk.tickets.relays(ticket.id) if one.key.startswith("draft:")]
        found = next((note for note in notes if note.target == message), None)
        if found is None:
            return False
        id = int(found.key.partition(":")[2])
        if not self.may_edit(by):
            await self._desk.tell_people(ticket, self._texts("not_editor", language), f"not-editor:{id}:{by}")
        elif await self.rewrite(id, text, language) is None:
            await self._desk.tell_people(ticket, self._texts("draft_decided", language), f"decided:{id}:{by}")
        return True

    async def rewrite(self, id: int, text: str, language: Language) -> FaqDraft | None:
        """Put other texts in the place of a draft's. None when it has been decided on."""
        draft = await self._base.drafts.draft(id)
        ticket = await self._desk.tickets.ticket(draft.ticket) if draft is not None else None
        if draft is None or ticket is None:
            return None
        questions, answer = read_entry(text)
        near = await self._near(questions[0]) if questions else draft.near
        changed = await self._base.drafts.rewrite(id, questions or draft.questions, answer or draft.answer, near)
        if changed is not None:
            await self._show(id, ticket, language)
        return changed

    async def command(self, text: str, by: str, name: str, language: Language) -> str:
        return await self._commands.run(text, name, language, editor=self.may_edit(by))

    async def decide(self, id: int, verb: str, name: str, language: Language) -> tuple[str, Sequence[str]]:
        """`good`, `force` or `bad` to a draft as it is now: the name of the text that says how it went, and why not."""
        draft = await self._base.drafts.draft(id)
        ticket = await self._desk.tickets.ticket(draft.ticket) if draft is not None else None
        if draft is None or ticket is None:
            return "faq_no_draft", ()
        if verb == "bad":
            return await self._reject(draft, ticket, name, language), ()
        return await self._decide(draft, ticket, str(draft.version), name, language, insist=verb == "force")

    async def trouble(self, entry: FaqEntry, language: Language) -> list[str]:
        """What the gate would get wrong with this entry, each in one line."""
        lines = []
        for one in await self._faq.collisions(entry):
            kind = "near" if one.entry == entry.id else "taken" if one.question in entry.questions else "takes"
            text = self._texts(f"trouble_{kind}", language)
            lines.append(text.format(question=one.question, entry=one.entry))
        return lines

    async def _begin(self, ticket: Ticket, key: str, name: str, language: Language) -> str:
        known = await self._base.drafts.of_ticket(ticket.id)
        if known is not None and known.state == "open":
            await self._show(known.id, ticket, language)  # the process may have died before it was shown
            return "draft_there"
        question = " ".join(ticket.question.split())
        near: tuple[NearEntry, ...] = ()
        if key.startswith(_NEAR_ONE):
            answer, near = _taken_from(ticket, key.removeprefix(_NEAR_ONE))
        else:
            answer = await self._said(ticket, key)
        if not answer or not question:
            return "nothing_to_learn"
        draft, new = await self._base.drafts.open(
            FaqDraft(
                ticket=ticket.id,
                maker=name,
                questions=(question,),
                answer=answer,
                language=detect_language(question),
                near=near or await self._near(question),
            )
        )
        log.info("faq.drafted", draft=draft.id, ticket=ticket.id)
        await self._show(draft.id, ticket, language)
        return "draft_made" if new else "draft_there"

    async def _decide(
        self, draft: FaqDraft, ticket: Ticket, seen: str, name: str, language: Language, *, insist: bool
    ) -> tuple[str, Sequence[str]]:
        version, _, place = seen.partition(".")
        if draft.state != "open":
            await self._show(draft.id, ticket, language)  # whoever decided may not have lived to show it
            return "draft_decided", ()
        if version != str(draft.version):
            return "draft_changed", ()
        near = draft.near[int(place)] if place.isdigit() and int(place) < len(draft.near) else None
        entry = await self._entry(draft, near)
        if entry is None:
            return "entry_gone", ()
        if not insist and (trouble := await self._against(draft, ticket, entry, near, language)):
            await self._show(draft.id, ticket, language, trouble=trouble, insist=f"{draft.id}.{seen}")
            return "entry_refused", trouble
        made = await self._faq.approve(entry, name, draft, "merged" if near else "approved")
        await self._show(draft.id, ticket, language)
        return "draft_decided" if made is None else "entry_live", ()

    async def _reject(self, draft: FaqDraft, ticket: Ticket, name: str, language: Language) -> str:
        done = await self._base.drafts.reject(draft.id, name)
        await self._show(draft.id, ticket, language)
        return "done" if done else "draft_decided"

    async def _undo(self, draft: FaqDraft, ticket: Ticket, name: str, language: Language) -> str:
        try:
            await self._faq.undo(draft.edit or 0, name)
        except ConfigurationError:
            return "edited_later"
        await self._show(draft.id, ticket, language)
        return "entry_undone"

    async def _entry(self, draft: FaqDraft, near: NearEntry | None) -> FaqEntry | None:
        """What the draft would be in the FAQ: seen by nobody who could not have seen the answer."""
        if near is not None:
            return await self._faq.widened(near.entry, draft.questions)
        return self._faq.new(f"draft-{draft.id}", draft.questions, draft.answer)

    async def _against(
        self, draft: FaqDraft, ticket: Ticket, entry: FaqEntry, near: NearEntry | None, language: Language
    ) -> list[str]:
        shown = "\n".join(draft.questions) if near else "\n".join([*draft.questions, draft.answer])
        left = [one for one in await self._specifics(shown, draft, ticket) if one.kind in _TELLING]
        said = self._texts("trouble_specific", language)
        lines = [said.format(kind=self._texts(f"specific_{one.kind}", language), text=one.text) for one in left]
        return [*lines, *await self.trouble(entry, language)]

    async def _show(
        self, id: int, ticket: Ticket, language: Language, *, trouble: Sequence[str] = (), insist: str = ""
    ) -> None:
        draft = await self._base.drafts.draft(id)
        assert draft is not None, "drafts are never deleted"
        found = await self._specifics("\n".join([*draft.questions, draft.answer]), draft, ticket)
        edits = await self._faq.history()
        look = Look(
            specifics=found,
            trouble=trouble,
            insist=insist,
            entry=next((one.entry for one in edits if one.id == draft.edit), ""),
            undone_by=next((one.editor for one in edits if draft.edit and one.undoes == draft.edit), None),
        )
        text, buttons = draft_page(draft, look, self._texts, language)
        await self._desk.show_people(ticket, text, f"draft:{id}", buttons)

    async def _specifics(self, text: str, draft: FaqDraft, ticket: Ticket) -> tuple[Specific, ...]:
        known = [entry.answer for entry in await self._faq.entries()]
        return specifics(text, names=[ticket.name, draft.maker], known=known)

    async def _near(self, question: str) -> tuple[NearEntry, ...]:
        match = await self._base.gate.match(Question(text=question, audience=self._base.settings.audiences))
        return tuple(NearEntry(one.entry, one.question, one.score) for one in match.nearest if one.score >= NEAR)

    async def _said(self, ticket: Ticket, key: str) -> str:
        """What people wrote to the asker, in one message or in all of them. Remarks among them are never kept."""
        relays = [one for one in await self._desk.tickets.relays(ticket.id) if one.kind == "people"]
        texts = [
            str(one.content.get("markdown") or one.content.get("text", ""))
            for one in relays
            if not key or one.key == key or one.key.startswith(f"{key}#")
        ]
        return "\n\n".join(text.strip() for text in texts if text.strip())

    async def _offer(self, ticket: Ticket, text: str, language: Language, *, choice: str = "") -> None:
        buttons = [["draft", choice, ""]]
        await self._desk.tell_people(ticket, self._texts(text, language), f"{text}:{ticket.id}", buttons)


def _taken_from(ticket: Ticket, place: str) -> tuple[str, tuple[NearEntry, ...]]:
    """The answer that was nearest at this place, and its entry."""
    nearest = ticket.tried.get("nearest", ())
    if not place.isdigit() or int(place) >= len(nearest):
        return "", ()
    pair = nearest[int(place)]
    return pair["answer"], (NearEntry(pair["entry"], pair["question"], pair["score"]),)
