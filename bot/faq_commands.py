"""`/faq` in the support chat: the FAQ as it is served, and edits of it, in words."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from adapters.said import literal
from adapters.texts import Texts
from bot.faq_desk import FaqDesk
from bot.faq_texts import read_entry
from engine import ConfigurationError, Language
from engine.matching.drafts import DraftStore, FaqDraft, FaqFlag
from engine.matching.edits import FaqEdit
from engine.text.normal import fold
from engine.types import FaqEntry

MOST_LISTED = 30
_READING = ("list", "show", "history", "drafts")
_SHORT = 80


class Drafts(Protocol):
    """What is decided about drafts, and shown where they are."""

    async def rewrite(self, id: int, text: str, language: Language) -> FaqDraft | None: ...

    async def decide(self, id: int, verb: str, name: str, language: Language) -> tuple[str, Sequence[str]]: ...

    async def trouble(self, entry: FaqEntry, language: Language) -> list[str]: ...


class FaqCommands:
    def __init__(self, faq: FaqDesk, drafts: DraftStore, texts: Texts, deciding: Drafts) -> None:
        self._faq, self._drafts, self._texts, self._deciding = faq, drafts, texts, deciding

    async def run(self, text: str, name: str, language: Language, *, editor: bool) -> str:
        """What is said to a command, given without `/faq`, as Markdown."""
        head, _, body = text.strip().partition("\n")
        act, _, what = head.strip().partition(" ")
        act, insist, what = act.lower().rstrip("!"), act.endswith("!"), what.strip()
        if act not in _READING and act in _ACTS and not editor:
            return self._texts("not_editor", language)
        match act:
            case "list":
                return await self._list(what, language)
            case "show":
                return await self._entry(what, language)
            case "history":
                return await self._history(language)
            case "drafts":
                return await self._waiting(language)
            case "add" | "edit":
                return await self._put(act, what, body, name, language, insist=insist)
            case "retire" | "undo":
                return await self._taken(act, what, name, language)
            case "clear":
                return self._texts("faq_cleared", language, count=await self._faq.clear(what, name))
            case "approve" | "reject":
                verb = "bad" if act == "reject" else "force" if insist else "good"
                said, why = await self._deciding.decide(int(what) if what.isdigit() else 0, verb, name, language)
                return "\n".join([self._texts(said, language), *(f"- {literal(one)}" for one in why)])
            case "rewrite":
                id = int(what) if what.isdigit() else 0
                if await self._drafts.draft(id) is None:
                    return self._texts("faq_no_draft", language)
                changed = await self._deciding.rewrite(id, body, language)
                return self._texts("done" if changed else "draft_decided", language)
            case _:
                return self._texts("faq_help", language)

    async def _list(self, what: str, language: Language) -> str:
        flagged = await self._faq.flagged()
        entries = await self._faq.entries()
        if what in ("flagged", "--flagged"):
            entries = tuple(entry for entry in entries if entry.id in flagged)
        elif what:
            words = fold(what).split()
            entries = tuple(
                entry
                for entry in entries
                if all(word in fold(" ".join([entry.id, *entry.questions])) for word in words)
            )
        lines = [f"- {self._line(entry, flagged.get(entry.id, ()), language)}" for entry in entries]
        return self._cut(lines, language)

    def _line(self, entry: FaqEntry, flags: Sequence[FaqFlag], language: Language) -> str:
        said = f"`{entry.id}` {literal(_short(entry.questions[0]))}"
        if not flags:
            return said
        when = flags[-1].flagged_at[:10]
        return f"{said} {self._texts('faq_flagged', language, count=len(flags), when=when)}"

    async def _entry(self, id: str, language: Language) -> str:
        entry = await self._faq.served(id)
        if entry is None:
            return self._texts("faq_no_entry", language, entry=literal(id))
        flags = (await self._faq.flagged()).get(id, ())
        questions = "\n".join(f"- {literal(question)}" for question in entry.questions)
        return f"{self._line(entry, flags, language)}\n\n{questions}\n\n{entry.answer}"

    async def _history(self, language: Language) -> str:
        lines = []
        for one in reversed(await self._faq.history()):
            undone = self._texts("faq_takes_back", language, edit=one.undoes) if one.undoes else ""
            when = one.made_at[:16].replace("T", " ")
            said = self._texts(
                "faq_by", language, when=when, by=literal(one.editor), kind=one.kind, entry=one.entry, undone=undone
            )
            lines.append(f"- {one.id} · {said}")
        return self._cut(lines, language)

    async def _waiting(self, language: Language) -> str:
        """Whatever an editor has to look at: drafts, and entries whose answers did not help."""
        lines = [f"- #{one.id} · {literal(_short(one.questions[0]))}" for one in await self._drafts.waiting()]
        flagged = await self._faq.flagged()
        entries = await self._faq.entries() if flagged else ()
        lines += [f"- {self._line(one, flagged[one.id], language)}" for one in entries if one.id in flagged]
        return self._cut(lines, language)

    async def _put(self, act: str, what: str, body: str, name: str, language: Language, *, insist: bool) -> str:
        questions, answer = read_entry(body)
        found = await self._faq.served(what) if what else None
        if act == "edit":
            if found is None:
                return self._texts("faq_no_entry", language, entry=literal(what))
            entry = replace(
                found, questions=tuple(dict.fromkeys([*found.questions, *questions])), answer=answer or found.answer
            )
        elif found is not None:
            return self._texts("faq_has_entry", language, entry=literal(what))
        elif not questions or not answer:
            return self._texts("faq_wants", language)
        else:
            entry = self._faq.new(what or f"desk-{uuid.uuid4().hex[:8]}", questions, answer)
        trouble = [] if insist else await self._deciding.trouble(entry, language)
        if trouble:
            return "\n".join([self._texts("faq_refused", language), *(f"- {literal(one)}" for one in trouble)])
        return self._done(await self._faq.put(entry, name), language)

    async def _taken(self, act: str, what: str, name: str, language: Language) -> str:
        try:
            if act == "retire":
                return self._done(await self._faq.retire(what, name), language)
            made = await self._faq.undo(int(what) if what.isdigit() else 0, name)
        except ConfigurationError as error:
            return f"⛔ {literal(str(error))}"
        return self._texts("faq_undone", language, edit=made.id, undoes=made.undoes)

    def _done(self, made: FaqEdit, language: Language) -> str:
        return self._texts("faq_done", language, edit=made.id, entry=literal(made.entry))

    def _cut(self, lines: list[str], language: Language) -> str:
        if not lines:
            return self._texts("faq_none", language)
        more = len(lines) - MOST_LISTED
        return "\n".join(lines[:MOST_LISTED] + ([self._texts("faq_more", language, count=more)] if more > 0 else []))


_ACTS = frozenset({*_READING, "add", "edit", "retire", "undo", "clear", "approve", "reject", "rewrite"})


def _short(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
