"""What a draft may state: the facts and statements of its context and its question. Deterministic, no model.

Facts (numbers, dates, names, links, contacts) must stand in the context, near what the sentence is about. A sentence
must not deny what the context says, nor say what none of the context speaks of. Where draft and context are in
different languages, only what does not depend on the language is compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from engine.ports import Task
from engine.text.facts import calendar, contacts, counted, links, numbers, spelled_numbers, without_contacts
from engine.text.normal import detect_language, fold
from engine.text.passages import Passage, passages
from engine.text.polarity import Polarity, contradicts, polarity
from engine.text.stems import content_stems, stem

_LIST_MARK = re.compile(r"(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+|\[\d{1,2}\]")
_NAME = re.compile(r"(?<=[^\s.!?:\n>*«\"“(|\-–—][ ])([A-ZА-ЯЁ][\w-]{2,})")
_LETTERS = re.compile(r"[^\W\d_]+")
_LATIN, _CYRILLIC = re.compile(r"[a-z]", re.IGNORECASE), re.compile(r"[а-яё]", re.IGNORECASE)
_SCRIPT_SHARE = 0.1
"""Of the context's letters, from which it can be said which names of a script it has."""
_PREFIX = 5
_ABOUT_THE_SAME = 0.6
"""Share of a sentence's telling words that a passage holds when both are about the same."""
_NEAR = 0.8
"""Where a fact stands, the context has at least this share of what it has of the clause where it has the most."""
_FEW_IN_CLAUSE = 2
_CLAUSE = re.compile(r"[,;:](?=\s)|\s(?:and|but|while|а|но)\s")
_PARTICLE = re.compile(
    r"^\W*(?:(?:да|нет|конечно|к сожалению|yes|no|sorry|unfortunately|of course)\b[,.!:;\s]*)+", re.IGNORECASE
)
_SPOKEN_OF = 0.45
"""Share of a sentence's telling words of which the context speaks at all."""
_FEW_STEMS = 4
_COURTESY = re.compile(
    r"let me know|feel free|hope (?:this|that|it) helps|happy to help|glad to help|further questions"
    r"|any (?:other )?questions"
    r"|если (?:у вас )?(?:остались|остан\w+|возник\w+|появ\w+|есть)\b.{0,20}вопрос|обращайтесь|рады? помочь|надеюсь"
)
_ABOUT_THE_ANSWER = frozenset(
    stem(word)
    for word in "документ документы контекст раздел указано сказано написано ответ вопрос информация согласно следующий"
    " случай образом также требуется необходимо должен должны может могут является составляет называется document"
    " context section stated says answer question information according following case also required necessary must may"
    " means called please step steps need needed however therefore"
    " хотя лишь только сразу просто всего обычно only just simply usually".split()
)
_TELL_US = (
    r"(?:сообщите|назовите|пришлите|отправьте|напишите|скажите|продиктуйте|передайте|укажите (?:нам|мне|здесь|в чате)"
    r"|(?:tell|send|give|message|text|forward) (?:me|us)|(?:share|reply with|provide(?: (?:me|us) with)?))"
)
_SECRET = r"(?:код\w*|парол\w*|пин[- ]?код\w*|cvv|cvc|pin|passwords?|(?:sms|one[- ]time|verification|security) codes?)"
_SOLICITS = re.compile(rf"(?<!не )(?<!not )(?<!never ){_TELL_US}\b[^.!?\n]{{0,60}}?\b{_SECRET}")


def solicits(text: str) -> bool:
    """Whether it asks the reader to hand over a secret, which no support does, whatever a document orders."""
    return _SOLICITS.search(fold(text)) is not None


@dataclass(frozen=True, slots=True)
class _Statement:
    """A sentence or table row of the context."""

    stems: frozenset[str]
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class _Home:
    """A part of a sentence that names facts, with the stems that say what they are about, near and farther."""

    facts: frozenset[str]
    clause: frozenset[str]
    sentence: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Read:
    """One text of a context, taken apart."""

    folded: str
    numbers: frozenset[str]
    calendar: frozenset[str]
    links: frozenset[str]
    contacts: frozenset[str]
    stems: frozenset[str]
    statements: tuple[_Statement, ...]
    homes: tuple[_Home, ...]


@lru_cache(maxsize=512)
def _read(text: str) -> _Read:
    """Remembered: the same chunks are the context of many answers, and to take them apart costs milliseconds."""
    found = passages(text)
    return _Read(
        folded=fold(text),
        numbers=spelled_numbers(text),
        calendar=calendar(text),
        links=links(text),
        contacts=contacts(text),
        stems=frozenset(stem(word) for word in _LETTERS.findall(text.lower().replace("ё", "е"))),
        statements=tuple(_Statement(frozenset(content_stems(one.text)), polarity(one.text)) for one in found),
        homes=tuple(home for one in found for home in _homes(one, text)),
    )


class Grounds:
    def __init__(self, task: Task) -> None:
        texts = [*_texts(task)]
        read = [_read(text) for text in texts]
        # The question names facts and words that may be repeated, but states nothing.
        self._folded = " ".join(one.folded for one in read[1:])
        self._numbers = frozenset[str]().union(*(one.numbers for one in read))
        self._calendar = frozenset[str]().union(*(one.calendar for one in read))
        self._links = frozenset[str]().union(*(one.links for one in read))
        self._contacts = frozenset[str]().union(*(one.contacts for one in read))
        self._stems = frozenset[str]().union(*(one.stems for one in read))
        self._prefixes = {one[:_PREFIX] for one in self._stems if len(one) >= _PREFIX}
        self._statements = [statement for one in read[1:] for statement in one.statements]
        self._homes = [home for one in read[1:] for home in one.homes]
        self._asked = frozenset(content_stems(task.question.text))
        self._scripts = _scripts("\n".join(texts))
        self._languages = {detect_language(text) for text in texts[1:] if text.strip()}

    def invented(self, text: str) -> str | None:
        """The kind of fact in the text that stands nowhere in the context, or None. It may end in mid-sentence."""
        if links(text) - self._links:
            return "link"
        if contacts(text) - self._contacts:
            return "contact"
        bare = _LIST_MARK.sub(" ", without_contacts(text))
        if (numbers(bare) | counted(bare)) - self._numbers:
            return "number"
        if calendar(bare) - self._calendar:
            return "date"
        if any(not self._known(name) for name in _NAME.findall(text)):
            return "name"
        return "secret" if solicits(text) else None

    def unsupported(self, sentence: str) -> str | None:
        """Why the context does not say what a whole sentence says, or None."""
        plain = _LIST_MARK.sub(" ", without_contacts(sentence)).strip(" *_`#>|")
        if detect_language(plain) not in self._languages or fold(plain).rstrip(" .!?…") in self._folded:
            return None
        stems = _telling(_PARTICLE.sub("", plain))
        if not stems or _COURTESY.search(fold(plain)):
            return None
        if len(stems) >= _FEW_STEMS and self._spoken_of(stems) < _SPOKEN_OF:
            return "statement"
        if any(self._elsewhere(clause) for clause in _CLAUSE.split(plain)):
            return "fact_elsewhere"
        return "negation" if self._denied(plain, stems) else None

    def _elsewhere(self, clause: str) -> bool:
        """Whether a fact stands only where the context speaks of something else, and another one where it speaks of
        this: the price of the other plan."""
        stems = _telling(clause)
        if len(stems) < _FEW_IN_CLAUSE:
            return False
        for named in (_figures(clause) - self._asked, calendar(clause)):
            rivals = [home for home in self._homes if any(_alike(one, other) for one in named for other in home.facts)]
            # Two facts in one clause may come from two parts of a sentence.
            shares = [len(stems & (home.sentence if len(named) > 1 else home.clause)) for home in rivals]
            best = max(shares, default=0)
            for fact in named:
                own = [share for share, home in zip(shares, rivals, strict=True) if fact in home.facts]
                if own and max(own) < _NEAR * best:
                    return True
        return False

    def _denied(self, sentence: str, stems: frozenset[str]) -> bool:
        """Whether the passages that are most about the same say the opposite, all of them."""
        shares = [(len(stems & one.stems) / len(stems), one) for one in self._statements]
        best = max((share for share, _ in shares), default=0.0)
        if best < _ABOUT_THE_SAME:
            return False
        said = polarity(_PARTICLE.sub("", sentence))
        closest = [one for share, one in shares if share == best]
        return all(contradicts(said, one.polarity, stems & one.stems) for one in closest)

    def _spoken_of(self, stems: frozenset[str]) -> float:
        """The share of the stems in the context or question; a long common beginning counts as well."""
        spoken = [one for one in stems if one in self._stems or one in self._asked or one[:_PREFIX] in self._prefixes]
        return len(spoken) / len(stems)

    def _known(self, name: str) -> bool:
        """A name of a script that the context is not written in cannot be looked up there: it is translated."""
        if not (_scripts(name) & self._scripts):
            return True
        parts = [stem(part) for part in _LETTERS.findall(name.lower().replace("ё", "е"))]
        return all(part in self._stems or any(_inflected(part, other) for other in self._stems) for part in parts)


def _texts(task: Task) -> Iterator[str]:
    """The question first, then all that may be stated."""
    yield task.question.text
    yield task.earlier
    for scored in task.evidence.chunks:
        yield f"{scored.chunk.header}\n{scored.chunk.text}"
    for pair in task.pairs:
        yield f"{pair.question}\n{pair.answer}"


def _homes(passage: Passage, text: str) -> Iterator[_Home]:
    """What a text is about stands in its first line, the header; a list item or a row is about what leads into it."""
    about = _telling(f"{text.splitlines()[0]} {passage.lead}")
    row = passage.text.lstrip().startswith("|")
    for clause in [passage.text] if row else _CLAUSE.split(passage.text):
        if facts := _figures(clause) | calendar(clause):
            yield _Home(facts, _telling(clause) | about, _telling(passage.text) | about)


def _figures(text: str) -> frozenset[str]:
    return spelled_numbers(_LIST_MARK.sub(" ", text)) - {"1", "2"}


def _alike(fact: str, other: str) -> bool:
    return fact[:1].isdigit() == other[:1].isdigit() and (fact[:1].isdigit() or fact[:5] == other[:5])


def _telling(text: str) -> frozenset[str]:
    return frozenset(one for one in content_stems(text) if not one[0].isdigit()) - _ABOUT_THE_ANSWER


def _inflected(one: str, other: str) -> bool:
    """Forms of one name, which a stemmer does not know: "Снегирёв", "Снегирёвым"."""
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) > 3 and len(longer) - len(shorter) <= 3 and longer.startswith(shorter)


def _scripts(text: str) -> set[str]:
    latin, cyrillic = len(_LATIN.findall(text)), len(_CYRILLIC.findall(text))
    total = max(1, latin + cyrillic)
    shares = {"latin": latin / total, "cyrillic": cyrillic / total}
    return {script for script, share in shares.items() if share > _SCRIPT_SHARE}
