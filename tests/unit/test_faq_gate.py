"""The FAQ gate and its second look."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.matching.matcher import calibrated
from engine.matching.second_look import veto
from engine.policy import GatePolicy
from engine.ports import StoredFaq
from engine.stages.faq import CalibratedFaqGate
from engine.types import FaqEntry, Question
from tests.fake_embedder import FakeEmbedder
from tests.fake_stores import FakeFaqStore

ENTRIES = (
    FaqEntry(
        id="autopay-on",
        questions=("Как включить автоплатёж?", "Хочу подключить автоплатёж"),
        answer="Включите в кабинете.\n",
        language="ru",
    ),
    FaqEntry(id="autopay-off", questions=("Как отключить автоплатёж?",), answer="Отключите.", language="ru"),
    FaqEntry(id="notice-30", questions=("Can I leave with 30 days notice?",), answer="Yes.", language="en"),
    FaqEntry(
        id="staff", questions=("Где ключ от сейфа?",), answer="Нет.", language="ru", audience=frozenset({"staff"})
    ),
    FaqEntry(
        id="old", questions=("Когда моют окна весной?",), answer="В мае.", language="ru", valid_until="2020-05-31"
    ),
)


async def gate(entries: tuple[FaqEntry, ...] = ENTRIES) -> CalibratedFaqGate:
    embedder = FakeEmbedder()
    wordings = tuple((entry.id, text) for entry in entries for text in entry.questions)
    vectors = (
        await embedder.embed_questions([text for _, text in wordings]) if wordings else np.zeros((0, 256), np.float32)
    )
    store = FakeFaqStore()
    await store.replace(StoredFaq(version="1", entries=entries, wordings=wordings, vectors=vectors))
    return CalibratedFaqGate(store, embedder, GatePolicy())


@pytest.mark.parametrize(
    "text",
    [
        "как включить автоплатеж",
        "  Как включить АВТОПЛАТЁЖ?! ",
        "«Как включить автоплатёж»",
        "Подскажите, пожалуйста, как включить автоплатёж?",
    ],
)
async def test_an_exact_wording_is_direct_without_an_embedding(text: str) -> None:
    match = await (await gate()).match(Question(text=text))
    assert (match.band, match.score, match.embeddings) == ("direct", 1.0, 0)
    assert match.entry is not None
    assert match.entry.answer == "Включите в кабинете.\n"


async def test_a_light_rewording_is_direct() -> None:
    match = await (await gate()).match(Question(text="Отключить автоплатёж как можно?"))
    assert match.band == "direct"
    assert match.entry is not None
    assert match.entry.id == "autopay-off"
    assert match.embeddings == 1


async def test_another_number_is_adjacent_and_says_why() -> None:
    match = await (await gate()).match(Question(text="Can I leave with 14 days notice?"))
    assert match.band != "direct"


@pytest.mark.parametrize("text", ["", "🙂🙂", "автоплатёж", "а как отключить?", "and for guests?"])
async def test_what_cannot_stand_alone_bypasses_the_gate(text: str) -> None:
    match = await (await gate()).match(Question(text=text))
    assert (match.band, match.entry, match.embeddings) == ("miss", None, 0)


async def test_a_miss_still_names_the_best_candidate() -> None:
    match = await (await gate()).match(Question(text="Where do bears spend the cold season?"))
    assert match.band == "miss"
    assert match.entry is not None


async def test_entries_of_others_and_of_other_days_do_not_exist() -> None:
    the_gate = await gate()
    for text in ("Где ключ от сейфа?", "Когда моют окна весной?"):
        assert (await the_gate.match(Question(text=text))).band != "direct"
    staff = await the_gate.match(Question(text="Где ключ от сейфа?", audience=frozenset({"staff", "public"})))
    assert staff.band == "direct"


async def test_one_wording_with_two_answers_is_not_served_directly() -> None:
    twin = replace(ENTRIES[0], id="twin", answer="Иначе.")
    match = await (await gate((ENTRIES[0], twin))).match(Question(text="Как включить автоплатёж?"))
    assert (match.band, match.vetoed_by) == ("adjacent", "ambiguous")


async def test_without_faq_everything_is_a_miss() -> None:
    match = await (await gate(())).match(Question(text="Как включить автоплатёж?"))
    assert (match.band, match.entry) == ("miss", None)


async def test_a_change_of_the_store_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.stages.faq._REFRESH_SECONDS", 0.0)
    embedder, store = FakeEmbedder(), FakeFaqStore()
    the_gate = CalibratedFaqGate(store, embedder, GatePolicy())
    question = Question(text="Как включить автоплатёж?")
    assert (await the_gate.match(question)).band == "miss"
    vectors = await embedder.embed_questions(ENTRIES[0].questions)
    wordings = tuple((ENTRIES[0].id, text) for text in ENTRIES[0].questions)
    await store.replace(StoredFaq(version="2", entries=ENTRIES[:1], wordings=wordings, vectors=vectors))
    assert (await the_gate.match(question)).band == "direct"


@pytest.mark.parametrize(
    ("question", "wording", "reason"),
    [
        ("Can I return it within 14 days?", "Can I return it within 30 days?", "numbers"),
        ("за две недели", "за три недели", "numbers"),
        ("How do I log in without the password?", "How do I log in with the password?", "negation"),
        ("Как войти, не сбрасывая пароль?", "Как войти, сбрасывая пароль?", "negation"),
        ("How do I enable autopay?", "How do I disable autopay?", "opposite"),
        ("Как включить автоплатёж?", "Как отключить автоплатёж?", "opposite"),
        ("How do I reset the PIN of my card?", "How do I reset the password of my card?", "aspect"),
        ("перевод с карты на счёт", "перевод со счёта на карту", "direction"),
        ("move money from card to balance", "move money from balance to card", "direction"),
        ("Как отменить подписку?", "Отменить подписку как можно?", None),
        ("How can I cancel my subscripton?", "How do I cancel my subscription?", None),
        ("Можно ли вернуть через 14 дней?", "Вернуть через 14 дней можно?", None),
    ],
)
def test_the_second_look(question: str, wording: str, reason: str | None) -> None:
    assert veto(question, wording) == reason


def test_calibration_is_monotone_and_keeps_its_ends() -> None:
    cosines = np.linspace(-1, 1, 50)
    scores = calibrated(cosines, FakeEmbedder().calibration, same_language=True)
    assert list(scores) == sorted(scores)
    assert (scores[0], scores[-1]) == (0.0, 1.0)
