"""Follow-ups rewritten by a model, and what becomes of them when it cannot or will not."""

from __future__ import annotations

import pytest

from engine.errors import ProviderTimeout
from engine.stages.follow_ups import FollowUps, Rewritten
from engine.types import Question, Turn, Usage
from tests.fake_models import Line, ScriptedChat

HISTORY = (
    Turn(question="Как оформить пропуск на парковку?", answer="Пропуск оформляет управляющий, он стоит 2500 рублей."),
)


async def rewritten(line: Line, text: str = "а для гостей?", history: tuple[Turn, ...] = HISTORY) -> Question:
    model = ScriptedChat(objects={Rewritten: [line]})
    found, usage = await FollowUps(model).rewrite(Question(text=text, history=history, conversation="c"))
    assert usage.model_calls <= 1
    return found


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("а сколько это стоит?", "Сколько стоит пропуск на парковку?"),
        ("а для гостей?", "Как оформить пропуск на парковку для гостей?"),
        ("нет, не то", "Как иначе оформить пропуск на парковку?"),
    ],
)
async def test_a_follow_up_becomes_a_question_that_stands_alone(text: str, whole: str) -> None:
    found = await rewritten(Rewritten(question=whole), text)
    assert (found.text, found.follows, found.conversation) == (whole, "no", "c")


async def test_the_model_sees_the_last_turns_only_and_no_endless_answers() -> None:
    long = tuple(Turn(question=f"Вопрос {number} про парковку?", answer="слово " * 900) for number in range(9))
    model = ScriptedChat(objects={Rewritten: [Rewritten(question="Вопрос про парковку для гостей?")]})
    await FollowUps(model).rewrite(Question(text="а для гостей?", history=long))
    (asked,) = model.asked
    assert "Вопрос 8" in asked.text
    assert "Вопрос 5" not in asked.text
    assert len(asked.text) < 4000
    assert asked.messages[-1].content == "а для гостей?"


@pytest.mark.parametrize(
    "line",
    [
        ProviderTimeout("scripted", "down"),
        "no object",
        Rewritten(question=""),
        Rewritten(question="How do I get a parking pass for guests?"),
        Rewritten(question="Сколько весит чемодан в поезде дальнего следования?"),
        Rewritten(question="Как оформить пропуск на парковку за 99 рублей?"),
        Rewritten(question="Пропуск на парковку " * 40),
    ],
)
async def test_what_cannot_be_the_question_is_replaced_by_the_rule(line: Line) -> None:
    found = await rewritten(line)
    assert (found.text, found.follows) == ("Как оформить пропуск на парковку?\nа для гостей?", "on")


async def test_a_question_that_stands_alone_costs_nothing() -> None:
    question = Question(text="How do I reset a forgotten password?", history=HISTORY)
    assert await FollowUps(ScriptedChat()).rewrite(question) == (question, Usage())


async def test_without_a_model_the_rule_is_used() -> None:
    found, usage = await FollowUps(None).rewrite(Question(text="нет, не то", history=HISTORY))
    assert (found.text, found.follows, usage) == ("Как оформить пропуск на парковку?", "away", Usage())


async def test_the_language_is_that_of_the_message() -> None:
    english = (Turn(question="How do I get a parking pass?", answer="Ask the manager."),)
    found = await rewritten(Rewritten(question="Is there a parking pass for guests?"), "and for guests?", english)
    assert (found.text, found.language) == ("Is there a parking pass for guests?", "en")
