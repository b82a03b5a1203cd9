"""The FAQ gate on whole messages: two questions, scopes, variables, a model's check, versions, and what the flow
makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Delta, Engine, Final, Question
from engine.errors import KnowledgeError
from engine.matching.stored import HeldFaq
from engine.matching.vetoes import Vetoed
from engine.policy import GatePolicy, Policy
from engine.ports import StoredFaq
from engine.stages.faq import CalibratedFaqGate
from engine.types import FaqEntry, FaqMatch, FaqPair, Outcome, Turn, Usage
from tests.fake_embedder import FakeEmbedder
from tests.fakes import (
    FakeAnswers,
    FakeGate,
    FakeGenerator,
    FakeGuardrail,
    FakeMisses,
    FakeReferencer,
    FakeRetriever,
    FakeRouter,
    FakeScreen,
    faq_entry,
)

PASSWORD = FaqEntry(id="password", questions=("Как сменить пароль?",), answer="В профиле.\n", language="ru")
BALANCE = FaqEntry(
    id="balance",
    questions=("Где посмотреть баланс?",),
    answer="Звоните {{support_phone}}.",
    language="ru",
    domain="bank",
)


class Judge:
    def __init__(self, agrees: bool) -> None:
        self._agrees = agrees
        self.asked: list[str] = []

    async def agrees(self, question: str, pair: FaqPair) -> tuple[bool, Usage]:
        self.asked.append(question)
        return self._agrees, Usage(model_calls=1)


async def gate(*entries: FaqEntry, judge: Judge | None = None) -> CalibratedFaqGate:
    embedder = FakeEmbedder()
    wordings = tuple((entry.id, text) for entry in entries for text in entry.questions)
    vectors = await embedder.embed_questions([text for _, text in wordings])
    faq = StoredFaq(version="1", entries=entries, wordings=wordings, vectors=vectors)
    return CalibratedFaqGate(HeldFaq(faq), embedder, GatePolicy(), variables={"support_phone": "8 800"}, judge=judge)


async def test_two_known_questions_in_one_message_are_answered_both() -> None:
    match = await (await gate(PASSWORD, BALANCE)).match(Question(text="Как сменить пароль? И где посмотреть баланс?"))
    assert match.band == "direct"
    assert match.entry is not None
    assert match.entry.id == "password"
    assert [other.entry.answer for other in match.also if other.entry] == ["Звоните 8 800."]
    assert match.rest == ""


async def test_what_is_not_known_of_a_message_is_left_over() -> None:
    text = "Как сменить пароль? Почему вчера не работал лифт в третьем подъезде?"
    match = await (await gate(PASSWORD, BALANCE)).match(Question(text=text))
    assert match.band == "direct"
    assert match.rest == "Почему вчера не работал лифт в третьем подъезде?"


async def test_an_entry_of_another_language_is_no_rival() -> None:
    english = FaqEntry(id="english", questions=("How do I change the password?",), answer="In it.", language="en")
    alone, beside = await gate(PASSWORD), await gate(PASSWORD, english)
    question = Question(text="Как сменить пароль сейчас?")
    one, other = await alone.match(question), await beside.match(question)
    assert one.band == other.band == "direct"
    assert other.score == pytest.approx(one.score, abs=0.001)  # words are rarer in a larger book


@pytest.mark.parametrize("text", ["А как сменить пароль?", "ну и где посмотреть баланс", "а посмотреть баланс где?"])
async def test_a_conversation_may_begin_with_and(text: str) -> None:
    assert (await (await gate(PASSWORD, BALANCE)).match(Question(text=text))).band == "direct"


async def test_what_goes_on_is_no_question_by_itself() -> None:
    text = "А сменить пароль как?"
    earlier = Question(text=text, history=(Turn(question="Как войти?", answer="Так."),))
    assert (await (await gate(PASSWORD, BALANCE)).match(Question(text=text))).band == "direct"
    assert (await (await gate(PASSWORD, BALANCE)).match(earlier)).band == "miss"


@pytest.mark.parametrize("text", ["А если нет?", "и это", "а там?"])
async def test_what_says_nothing_is_no_question_of_the_faq(text: str) -> None:
    assert (await (await gate(PASSWORD, BALANCE)).match(Question(text=text))).band == "miss"


class Vetoes:
    def __init__(self) -> None:
        self.kept: list[Vetoed] = []

    async def add(self, vetoed: Vetoed) -> None:
        self.kept.append(vetoed)
        raise KnowledgeError("the store is full")

    async def newest(self, limit: int) -> tuple[Vetoed, ...]:
        return tuple(self.kept[:limit])


async def test_a_veto_is_kept_so_that_it_can_be_forgotten_and_loses_no_answer() -> None:
    vetoes = Vetoes()
    wordings = (("password", PASSWORD.questions[0]),)
    vectors = await FakeEmbedder().embed_questions(list(PASSWORD.questions))
    faq = StoredFaq(version="1", entries=(PASSWORD,), wordings=wordings, vectors=vectors)
    telling = CalibratedFaqGate(HeldFaq(faq), FakeEmbedder(), GatePolicy(), vetoes=vetoes)
    match = await telling.match(Question(text="Как не сменить пароль?", id="7", conversation="desk:1"))
    assert (match.band, match.vetoed_by) == ("adjacent", "negation")
    (kept,) = vetoes.kept
    assert (kept.question, kept.entry, kept.wording) == ("Как не сменить пароль?", "password", "Как сменить пароль?")
    assert (kept.question_id, kept.conversation) == ("7", "desk:1")


async def test_the_question_of_a_long_complaint_is_found() -> None:
    text = "Третий день не могу войти, это безобразие. Поддержка молчит. Как сменить пароль?"
    assert (await (await gate(PASSWORD, BALANCE)).match(Question(text=text))).band == "direct"


@pytest.mark.parametrize(
    "text", ["kak smenit parol", "rfr cvtybnm gfhjkm", "Как сменить пороль", "как СМЕНИТЬ парольь?"]
)
async def test_what_was_typed_badly_is_direct(text: str) -> None:
    assert (await (await gate(PASSWORD, BALANCE)).match(Question(text=text))).band == "direct"


@pytest.mark.parametrize(
    ("scope", "asked", "served"),
    [
        ({"chats": ("7",)}, {"conversation": "7"}, True),
        ({"chats": ("7",)}, {"conversation": "8"}, False),
        ({"languages": ("en",)}, {}, False),
        ({"languages": ("ru",)}, {}, True),
        ({"domain": "bank"}, {"domain": "housing"}, False),
        ({"domain": "bank"}, {"domain": "bank"}, True),
        ({"domain": "bank"}, {}, True),
    ],
)
async def test_an_entry_is_served_within_its_scope_only(
    scope: dict[str, object], asked: dict[str, str], served: bool
) -> None:
    entry = replace(PASSWORD, **scope)  # type: ignore[arg-type]
    match = await (await gate(entry)).match(Question(text="Как сменить пароль?", **asked))  # type: ignore[arg-type]
    assert (match.band == "direct") is served


async def test_a_match_names_the_state_of_its_entry() -> None:
    versions = {
        (await (await gate(entry)).match(Question(text="Как сменить пароль?"))).version
        for entry in (PASSWORD, replace(PASSWORD), replace(PASSWORD, answer="Иначе."))
    }
    assert len(versions) == 2
    assert None not in versions


@pytest.mark.parametrize(("agrees", "band", "vetoed_by"), [(True, "direct", None), (False, "adjacent", "model")])
async def test_a_model_has_the_last_word_on_what_is_not_exact(agrees: bool, band: str, vetoed_by: str | None) -> None:
    judge = Judge(agrees)
    the_gate = await gate(PASSWORD, BALANCE, judge=judge)
    match = await the_gate.match(Question(text="Пароль сменить как?"))
    assert (match.band, match.vetoed_by, match.usage.model_calls) == (band, vetoed_by, 1)
    await the_gate.match(Question(text="Как сменить пароль?"))
    assert len(judge.asked) == 1


# --- in the flow ----------------------------------------------------------------------------------------------------


def flow(match: FaqMatch, *, offers: bool = False) -> Engine:
    return Engine(
        screen=FakeScreen(),
        gate=FakeGate(match),
        router=FakeRouter(),
        retriever=FakeRetriever(),
        generator=FakeGenerator([["Written."]]),
        fallback=FakeGenerator([["Quoted."]]),
        guardrail=FakeGuardrail(),
        referencer=FakeReferencer(),
        misses=FakeMisses(),
        answers=FakeAnswers(),
        policy=Policy(gate=GatePolicy(offers=offers)),
    )


async def ended(engine: Engine) -> tuple[list[str], Outcome]:
    shown: list[str] = []
    outcome: Outcome | None = None
    async with engine.answer(Question(text="How do I cancel? And when is the deposit returned?")) as events:
        async for event in events:
            if isinstance(event, Delta):
                shown.append(event.text)
            if isinstance(event, Final):
                outcome = event.outcome
    assert outcome is not None
    return shown, outcome


def direct(**fields: object) -> FaqMatch:
    match = FaqMatch(band="direct", score=1.0, cosine=1.0, entry=faq_entry())
    return replace(match, **fields)  # type: ignore[arg-type]


async def test_one_answer_leaves_byte_for_byte_and_two_stand_under_each_other() -> None:
    _, alone = await ended(flow(direct()))
    assert alone.text == "Call us.  \n"
    other = direct(entry=faq_entry("b", "Tomorrow.\n"))
    _, both = await ended(flow(direct(also=(other,))))
    assert (both.kind, both.text) == ("faq_direct", "Call us.  \n\nTomorrow.")


async def test_the_rest_of_a_message_goes_on_below_the_known_answer() -> None:
    shown, outcome = await ended(flow(direct(rest="When is the deposit returned?")))
    assert shown[0] == "Call us.  \n\n"
    assert (outcome.kind, outcome.text) == ("answered", "Call us.  \n\nWritten.")


@pytest.mark.parametrize("offers", [True, False])
async def test_near_misses_are_offered_where_that_is_wanted(offers: bool) -> None:
    near_enough = FaqPair(entry="cancel", question="How do I cancel?", answer="Call us.", score=0.85)
    too_far = FaqPair(entry="hours", question="When are you open?", answer="From nine.", score=0.7)
    near = FaqMatch(band="adjacent", score=0.85, cosine=0.8, entry=faq_entry(), nearest=(near_enough, too_far))
    _, outcome = await ended(flow(near, offers=offers))
    assert outcome.offers == ((near_enough,) if offers else ())


@pytest.mark.parametrize(
    ("questions", "offered"),
    [
        (["How do I cancel?", "Как отменить заказ?"], ["How do I cancel?"]),
        (["Как отменить заказ?"], ["Как отменить заказ?"]),
    ],
    ids=["in the asker's language", "in the other one, if there is none"],
)
async def test_known_questions_are_offered_in_the_askers_language(questions: list[str], offered: list[str]) -> None:
    nearest = tuple(FaqPair(entry=one, question=one, answer="So.", score=0.85) for one in questions)
    near = FaqMatch(band="adjacent", score=0.85, cosine=0.8, entry=faq_entry(), nearest=nearest)
    _, outcome = await ended(flow(near, offers=True))
    assert [pair.question for pair in outcome.offers] == offered
