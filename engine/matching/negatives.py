"""Questions made from the FAQ's own wordings: changed in one thing that changes the answer, or edited lightly."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from engine.text.normal import detect_language, fold

_SWAPS = (
    ("включить", "отключить"), ("подключить", "отключить"), ("добавить", "удалить"), ("создать", "удалить"),
    ("открыть", "закрыть"), ("заблокировать", "разблокировать"), ("отправить", "получить"), ("купить", "продать"),
    ("продлить", "расторгнуть"), ("увеличить", "уменьшить"), ("войти", "выйти"), ("установить", "удалить"),
    ("пополнить", "снять"), ("привязать", "отвязать"), ("оформить", "отменить"), ("до", "после"),
    ("enable", "disable"), ("turn on", "turn off"), ("add", "remove"), ("create", "delete"), ("open", "close"),
    ("block", "unblock"), ("send", "receive"), ("buy", "sell"), ("renew", "cancel"), ("increase", "decrease"),
    ("log in", "log out"), ("install", "uninstall"), ("deposit", "withdraw"), ("link", "unlink"), ("before", "after"),
    ("with", "without"), ("can i", "when can i"), ("how do i", "why do i have to"), ("как", "почему нужно"),
    ("где", "когда"), ("можно ли", "сколько стоит"),
)  # fmt: skip
_NUMBER = re.compile(r"\d+")
_PAIR = re.compile(r"\b(from|с|со|из) ([^\W\d_]+) (to|на|в|во) ([^\W\d_]+)\b")


def hard_negatives(wordings: Sequence[str], limit: int, *, seed: int = 0) -> list[tuple[int, str]]:
    """At most `limit` changed wordings, each with the row it was made from; those that the FAQ has itself are left
    out."""
    known = {fold(text) for text in wordings}
    made = [
        (row, changed)
        for row, text in enumerate(wordings)
        for changed in dict.fromkeys(_changed(fold(text)))
        if changed not in known
    ]
    return made if len(made) <= limit else sorted(random.Random(seed).sample(made, limit))


def light_edits(wordings: Sequence[str], limit: int, *, seed: int = 0) -> list[tuple[int, str]]:
    """At most `limit` wordings as somebody else would type them, each with the row it was made from."""
    chance = random.Random(seed)
    rows = range(len(wordings)) if len(wordings) <= limit else sorted(chance.sample(range(len(wordings)), limit))
    return [(row, _edited(fold(wordings[row]).rstrip("?.! "), chance)) for row in rows]


def _edited(text: str, chance: random.Random) -> str:
    russian = detect_language(text) == "ru"
    match chance.randrange(4):
        case 0:
            return f"{text} {'сейчас' if russian else 'now'}"
        case 1:
            return f"{'а' if russian else 'so'} {text}"
        case 2:
            replaced = re.sub(r"^как (?!мне)", "как мне ", text) if russian else re.sub(r"^how do i", "how can i", text)
            return replaced if replaced != text else f"{text} {'кстати' if russian else 'please help'}"
        case _:
            longest = max(text.split(), key=len)
            middle = len(longest) // 2
            typo = longest[: middle - 1] + longest[middle] + longest[middle - 1] + longest[middle + 1 :]
            return text.replace(longest, typo, 1)


def _changed(text: str) -> Iterator[str]:
    for one, other in _SWAPS:
        for old, new in ((one, other), (other, one)):
            swapped = re.sub(rf"\b{old}\b", new, text, count=1)
            if swapped != text:
                yield swapped
    if _NUMBER.search(text):
        yield _NUMBER.sub(
            lambda match: str(int(match.group()) * 2 + 1) if len(match.group()) < 12 else "7", text, count=1
        )
    if match := _PAIR.search(text):
        yield f"{text[: match.start(2)]}{match[4]} {match[3]} {match[2]}{text[match.end(4) :]}"
    # Without its question mark: what stands behind that is a sentence of its own.
    bare = text.rstrip("?.! ")
    yield f"{bare}, если прошел год" if detect_language(text) == "ru" else f"{bare} if a year has passed"
