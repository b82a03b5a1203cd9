"""Editing the FAQ while it runs: checked by the gate, live at once on every replica, and taken back at will."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.faq_base import FaqBase, trial_gate
from engine import ConfigurationError, Question
from engine.ingest.faq_calibration import calibrate_when_changed
from engine.ingest.faq_index import embedded
from engine.matching.book import entry_version
from engine.matching.drafts import DraftState, FaqDraft, FaqFlag
from engine.matching.edits import EDITED, FaqEdit, served_after, undoing
from engine.matching.negatives import hard_negatives, light_edits
from engine.text.normal import detect_language
from engine.types import FaqEntry

_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Collision:
    question: str
    entry: str
    """Whose answer this question would get, or would share."""


class FaqDesk:
    def __init__(self, base: FaqBase) -> None:
        self._base = base

    async def collisions(self, entry: FaqEntry) -> list[Collision]:
        """What the gate would get wrong with this entry: its own wordings taken by others, others' wordings taken by
        it, and questions near its own that it must not answer."""
        served = await self._base.faq.load()
        edits = [FaqEdit(kind="put", entry=entry.id, editor="", body=entry)]
        trial = await embedded(served_after(served.entries, edits), served, self._base.embedder, lambda _: None)
        gate = trial_gate(trial, self._base.meta, self._base.embedder)
        others = [one for one in served.entries if one.id != entry.id and one.answer != entry.answer]
        found: list[Collision] = []
        for text in entry.questions:
            match = await gate.match(Question(text=text, audience=entry.audience))
            if match.entry is not None and match.entry.id != entry.id or match.vetoed_by == "ambiguous":
                rivals = [pair.entry for pair in match.nearest if pair.entry != entry.id]
                found.append(Collision(text, rivals[0] if rivals else entry.id))
        theirs = [(text, one) for one in others for text in one.questions]
        near = [(text, theirs[row][1]) for row, text in light_edits([text for text, _ in theirs], _LOOKED_AT)]
        for text, one in near:
            match = await gate.match(Question(text=text, audience=one.audience))
            if match.band == "direct" and match.entry is not None and match.entry.id == entry.id:
                found.append(Collision(text, one.id))
        for _, text in hard_negatives(entry.questions, _LOOKED_AT):
            match = await gate.match(Question(text=text, audience=entry.audience))
            if match.band == "direct" and match.entry is not None and match.entry.id == entry.id:
                found.append(Collision(text, entry.id))
        return found

    async def put(self, entry: FaqEntry, editor: str) -> FaqEdit:
        async with self._base.turn:
            return await self._live(await self._base.edits.add(await self._putting(entry, editor)))

    async def approve(self, entry: FaqEntry, editor: str, draft: FaqDraft, state: DraftState) -> FaqEdit | None:
        """The same, of a draft; None, and no edit, when it was decided on, or changed, by somebody else."""
        async with self._base.turn:
            edit = await self._putting(entry, editor)
            made = await self._base.drafts.approve(draft.id, draft.version, edit, state)
            return None if made is None else await self._live(made)

    async def retire(self, entry: str, editor: str) -> FaqEdit:
        """Raises ConfigurationError when there is no such entry."""
        async with self._base.turn:
            before = await self.served(entry)
            if before is None:
                raise ConfigurationError(f"the FAQ has no entry {entry}")
            edit = FaqEdit(kind="retire", entry=entry, editor=editor, before=before)
            return await self._live(await self._base.edits.add(edit))

    async def undo(self, edit: int, editor: str) -> FaqEdit:
        """Take back an edit. Raises ConfigurationError when a later one of the same entry is in the way."""
        async with self._base.turn:
            return await self._live(await self._base.edits.add(await self._undoing(edit, editor)))

    async def _undoing(self, edit: int, editor: str) -> FaqEdit:
        edits = await self._base.edits.all()
        found = next((one for one in edits if one.id == edit), None)
        if found is None:
            raise ConfigurationError(f"there is no edit {edit}; `refdesk faq history` lists them")
        later = next((one for one in edits if one.entry == found.entry and one.id > edit), None)
        if later is not None:
            raise ConfigurationError(f"edit {later.id} changed {found.entry} later; take that one back first")
        return undoing(found, editor)

    async def history(self) -> Sequence[FaqEdit]:
        return await self._base.edits.all()

    async def flagged(self) -> dict[str, tuple[FaqFlag, ...]]:
        """By entry: what did not help, as far as the entry is still as it was then."""
        standing = await self._base.flags.standing()
        if not standing:
            return {}
        versions = {entry.id: entry_version(entry) for entry in await self.entries()}
        found: dict[str, tuple[FaqFlag, ...]] = {}
        for flag in standing:
            if versions.get(flag.entry) == flag.version:
                found[flag.entry] = (*found.get(flag.entry, ()), flag)
        return found

    async def clear(self, entry: str, editor: str) -> int:
        """Whatever did not help has been looked at; returns how many flags there were."""
        return await self._base.flags.clear(entry, editor)

    async def entries(self) -> tuple[FaqEntry, ...]:
        return (await self._base.faq.load()).entries

    async def served(self, entry: str) -> FaqEntry | None:
        return next((one for one in await self.entries() if one.id == entry), None)

    async def widened(self, id: str, questions: Sequence[str]) -> FaqEntry | None:
        """An entry with further wordings; None when there is no such entry."""
        found = await self.served(id)
        if found is None:
            return None
        return replace(found, questions=tuple(dict.fromkeys([*found.questions, *questions])))

    def new(self, id: str, questions: Sequence[str], answer: str) -> FaqEntry:
        """An entry for the same people as the bot answers."""
        return FaqEntry(
            id=id,
            questions=tuple(questions),
            answer=answer,
            language=detect_language(questions[0]),
            audience=self._base.settings.audiences,
        )

    async def _putting(self, entry: FaqEntry, editor: str) -> FaqEdit:
        before = await self.served(entry.id)
        return FaqEdit(kind="put", entry=entry.id, editor=editor, body=replace(entry, source=EDITED), before=before)

    async def _live(self, made: FaqEdit) -> FaqEdit:
        """Served from now on, here and by every replica."""
        while True:  # until no other editor's edit came in between
            edits = await self._base.edits.all()
            served = await self._base.faq.load()
            entries = served_after(served.entries, edits)
            faq = await embedded(entries, served, self._base.embedder, lambda _: None)
            if faq is not served:
                await self._base.faq.replace(faq)
            if len(await self._base.edits.all()) == len(edits):
                break
        await calibrate_when_changed(faq, self._base.meta, self._base.embedder)
        return made
