"""Which known questions are put before somebody who has not asked yet."""

from __future__ import annotations

from bot.suggestions import FaqSuggestions, suggested
from engine import Language
from engine.ports import StoredFaq
from engine.types import FaqEntry
from tests.fake_stores import FakeFaqStore


def entry(question: str, language: Language = "en", domain: str | None = None, **values: object) -> FaqEntry:
    given = {"id": question, "questions": (question, "another"), "answer": "a", "language": language, "domain": domain}
    return FaqEntry(**{**given, **values})  # type: ignore[arg-type]


def test_domains_and_languages_take_turns() -> None:
    entries = [entry("a1", domain="a"), entry("a2", domain="a"), entry("b1", domain="b"), entry("р1", "ru")]
    assert suggested(entries, "en") == ["a1", "b1", "a2"]
    assert suggested(entries, "ru") == ["р1"]
    assert suggested(entries, None) == ["a1", "р1", "b1", "a2"]
    assert suggested([], None) == []
    assert len(suggested([entry(f"q{number}") for number in range(9)], None)) == 4


async def test_only_what_would_be_served_is_suggested_and_changes_are_seen() -> None:
    store = FakeFaqStore()
    faq = FaqSuggestions(store, frozenset({"public"}))
    assert await faq(None) == []
    secret = entry("secret", audience=frozenset({"staff"}))
    entries = (secret, entry("over", valid_until="2001-01-01"), entry("here", chats=("c",)), entry("good"))
    await store.replace(StoredFaq(version="1", entries=entries))
    assert await faq(None) == ["good"]
    await store.replace(StoredFaq(version="2", entries=(entry("better"),)))
    assert await faq(None) == ["better"]
