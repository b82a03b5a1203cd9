"""A draft that a model is writing, as it is passed on: what of its words is answer, and what it says of the answer."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from engine.errors import ProviderRejected
from engine.ports import ChatStream
from engine.stages.answer_objects import AnswerObject, PendingReference, Remarks, echoes_schema, is_placeholder
from engine.text.json_replies import NotTheObject, parse_reply
from engine.text.open_json import OpenString
from engine.text.overlap import coverage, document_frequencies, weights
from engine.text.source_marks import Unmarked, without_marks
from engine.text.stems import content_stems
from engine.types import Completeness, ScoredChunk, Usage, Written

T = TypeVar("T", bound=BaseModel)

Describe = Callable[[str], Awaitable[tuple[Remarks | None, Usage]]]
"""Asks what is to be said of a finished text; None when that could not be found out."""

_OBJECT_BEGINS = re.compile(r"\{|```(?:json)?\s*\{", re.IGNORECASE)
_MAY_BEGIN = re.compile(r"`{0,2}$|```(?:j?s?o?n?|json)\s*$", re.IGNORECASE)


class ModelDraft:
    """The answer without its source marks, which become `written.cited`.

    Also a model that was asked for text may give an object: what begins like one is read as one.
    """

    def __init__(
        self,
        stream: ChatStream,
        chunks: Sequence[ScoredChunk],
        *,
        provider: str,
        as_object: bool = False,
        describe: Describe | None = None,
        note: Callable[[bool], None] | None = None,
    ) -> None:
        self._stream = stream
        self._chunks = chunks
        self._provider = provider
        self._reads_object: bool | None = True if as_object else None
        self._describe = describe
        self._note = note
        self._said = ""
        self._field = OpenString("answer")
        self._unmarked = Unmarked()
        self._cut_off = False
        self._remarks: AnswerObject | Remarks | None = None
        self._described = Usage()

    def __aiter__(self) -> AsyncIterator[str]:
        return self._text()

    @property
    def written(self) -> Written:
        declined = self._unmarked.declined or not self._unmarked.raw.strip()
        completeness: Completeness = "partial" if self._cut_off else "complete"
        if self._remarks is not None and not self._cut_off:
            completeness = self._remarks.answer_completeness
        return Written(
            completeness="incomplete" if declined else completeness,
            cited=() if declined else self._cited(),
            pending=() if declined or self._remarks is None else self._pending(self._remarks.pending_references),
            usage=self._stream.usage + self._described,
            cut_off=self._cut_off,
        )

    async def _text(self) -> AsyncGenerator[str, None]:
        async for piece in self._stream:
            self._said += piece
            if text := self._answer_in(piece):
                yield text
        if self._reads_object:
            rest = self._end_object()
        else:
            self._cut_off = self._stream.truncated
            rest = self._unmarked.feed(self._said) if self._reads_object is None else ""
        rest += self._unmarked.finish()
        if echoes_schema(self._unmarked.raw):
            raise ProviderRejected(self._provider, "gave a word of the schema for an answer")
        if rest:
            yield rest
        await self._describe_text()

    def _answer_in(self, piece: str) -> str:
        """What of the answer a piece brings."""
        if self._reads_object is None:
            begun = self._said.lstrip()
            if _MAY_BEGIN.match(begun):
                return ""
            self._reads_object = _OBJECT_BEGINS.match(begun) is not None
            piece = self._said
        return self._unmarked.feed(self._field.feed(piece) if self._reads_object else piece)

    def _end_object(self) -> str:
        """Check the object now that it is whole; what of its answer was not read yet."""
        whole = self._parsed()
        if self._note is not None:
            self._note(whole is not None)
        if whole is not None:
            if self._field.found and self._field.text.strip() != whole.answer.strip():
                raise ProviderRejected(self._provider, "gave two different answers in one reply")
            self._remarks = whole
            rest = "" if self._field.found else whole.answer
        elif self._field.found and not is_placeholder(self._field.text):
            # What follows the answer is broken or was cut; the answer itself was read.
            self._cut_off = not self._field.closed
            self._remarks = AnswerObject(answer=self._field.text)
            rest = ""
        else:
            raise ProviderRejected(self._provider, "gave no answer in the shape that was asked for")
        text = self._field.text or rest
        if not text.strip() and self._remarks.answer_completeness != "incomplete":
            raise ProviderRejected(self._provider, "gave an empty answer")
        return self._unmarked.feed(rest)

    def _parsed(self) -> AnswerObject | None:
        if self._stream.truncated and not self._field.closed:
            return None
        try:
            found = parse_reply(self._said, AnswerObject, lambda one: not is_placeholder(one.answer))
        except NotTheObject:
            return None
        return found

    async def _describe_text(self) -> None:
        written = bool(self._unmarked.raw.strip()) and not self._unmarked.declined and not self._cut_off
        if self._describe is not None and self._remarks is None and written:
            self._remarks, self._described = await self._describe(without_marks(self._unmarked.raw))

    def _cited(self) -> tuple[str, ...]:
        """The given chunks that it names, marks first; the one most like the text when it names none that exists."""
        named = [*self._unmarked.marks, *(self._remarks.citations if self._remarks else ())]
        ids = [self._chunks[number - 1].chunk.id for number in named if 0 < number <= len(self._chunks)]
        if not ids and self._chunks:
            ids = [_most_alike(self._unmarked.raw, self._chunks)]
        return tuple(dict.fromkeys(ids))

    def _pending(self, pending: Sequence[PendingReference]) -> tuple[str, ...]:
        """Those that the text or its sources really name: small models make places up."""
        held = "\n".join([self._unmarked.raw, *(scored.chunk.text for scored in self._chunks)]).casefold()
        return tuple(one.target for one in pending if _label(one.target) and _label(one.target) in held)


def _label(target: str) -> str:
    """ "7.2" of "section 7.2"; the whole of what has no number."""
    last = target.casefold().split()[-1:] or [""]
    return last[0].strip(".,;:()«»\"'") if any(letter.isdigit() for letter in last[0]) else target.casefold()


def _most_alike(text: str, chunks: Sequence[ScoredChunk]) -> str:
    stems = [frozenset(content_stems(scored.chunk.text)) for scored in chunks]
    said = weights(frozenset(content_stems(text)), document_frequencies(stems), len(chunks))
    best = max(range(len(chunks)), key=lambda place: (coverage(said, stems[place]), -place))
    return chunks[best].chunk.id
