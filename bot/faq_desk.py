"""Editing the FAQ while it runs: checked by the gate, live at once on every replica, and taken back at will."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.wiring import App, trial_gate
from engine import ConfigurationError, Question
from engine.ingest.faq_calibration import calibrate_when_changed
from engine.ingest.faq_index import embedded
from engine.matching.edits import EDITED, FaqEdit, served_after, undoing
from engine.matching.negatives import hard_negatives, light_edits
from engine.types import FaqEntry

_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Collision:
    question: str
    entry: str
    """Whose answer this question would get, or would share."""


class FaqDesk:
    def __init__(self, app: App) -> None:
        self._app = app

    async def collisions(self, entry: FaqEntry) -> list[Collision]:
        """What the gate would get wrong with this entry: its own wordings taken by others, others' wordings taken by
        it, and questions near its own that it must not answer."""
        served = await self._app.faq.load()
        edits = [FaqEdit(kind="put", entry=entry.id, editor="", body=entry)]
        trial = await embedded(served_after(served.entries, edits), served, self._app.gate_embedder, lambda _: None)
        gate = trial_gate(trial, self._app.meta, self._app.gate_embedder)
        others = [one for one in served.entries if one.id != entry.id and one.answer != entry.answer]
        found: list[Collision] = []
        for text in entry.questions:
            match = await gate.match(Question(text=text, audience=entry.audience))
            if match.entry is not None and match.entry.id != entry.id or match.vetoed_by == "ambiguous":
                found.append(Collision(text, match.entry.id if match.entry else entry.id))
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
        before = await self._served(entry.id)
        body = replace(entry, source=EDITED)
        return await self._make(FaqEdit(kind="put", entry=entry.id, editor=editor, body=body, before=before))

    async def retire(self, entry: str, editor: str) -> FaqEdit:
        """Raises ConfigurationError when there is no such entry."""
        before = await self._served(entry)
        if before is None:
            raise ConfigurationError(f"the FAQ has no entry {entry}")
        return await self._make(FaqEdit(kind="retire", entry=entry, editor=editor, before=before))

    async def undo(self, edit: int, editor: str) -> FaqEdit:
        """Take back an edit. Raises ConfigurationError when a later one of the same entry is in the way."""
        edits = await self._app.faq_edits.all()
        found = next((one for one in edits if one.id == edit), None)
        if found is None:
            raise ConfigurationError(f"there is no edit {edit}; `refdesk faq history` lists them")
        later = next((one for one in edits if one.entry == found.entry and one.id > edit), None)
        if later is not None:
            raise ConfigurationError(f"edit {later.id} changed {found.entry} later; take that one back first")
        return await self._make(undoing(found, editor))

    async def history(self) -> Sequence[FaqEdit]:
        return await self._app.faq_edits.all()

    async def _served(self, entry: str) -> FaqEntry | None:
        return next((one for one in (await self._app.faq.load()).entries if one.id == entry), None)

    async def _make(self, edit: FaqEdit) -> FaqEdit:
        made = await self._app.faq_edits.add(edit)
        while True:  # until no other editor's edit came in between
            edits = await self._app.faq_edits.all()
            served = await self._app.faq.load()
            entries = served_after(served.entries, edits)
            faq = await embedded(entries, served, self._app.gate_embedder, lambda _: None)
            if faq is not served:
                await self._app.faq.replace(faq)
            if len(await self._app.faq_edits.all()) == len(edits):
                break
        await calibrate_when_changed(faq, self._app.meta, self._app.gate_embedder)
        return made
