"""The guardrail: what is released, when, and what is stopped."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.policy import GuardrailPolicy
from engine.ports import Passed, Task, Violation
from engine.stages.guardrail import StreamGuardrail
from engine.stages.screen import StopWordScreen
from engine.text.tokens import count_tokens
from engine.types import Question
from tests.fakes import chunk, evidence

CONTEXT = (
    "Залог возвращается за 10 рабочих дней. Пишите на help@example.com или звоните +7 (000) 555-01-23, "
    "подробности на https://example.com/deposit. Офис компании Полянка открыт с 9 до 18."
)
TASK = Task(
    question=Question(text="Когда вернут 45 000 рублей залога?"),
    language="ru",
    evidence=evidence(chunk(text=CONTEXT)),
)


async def judged(pieces: Sequence[str], policy: GuardrailPolicy | None = None) -> list[Passed | Violation]:
    async def text() -> AsyncGenerator[str, None]:
        for piece in pieces:
            yield piece

    guardrail = StreamGuardrail(StopWordScreen(), policy or GuardrailPolicy())
    async with guardrail.watch(TASK, text()) as verdicts:
        return [verdict async for verdict in verdicts]


def passed(verdicts: Sequence[Passed | Violation]) -> str:
    return "".join(verdict.text for verdict in verdicts if isinstance(verdict, Passed))


@pytest.mark.parametrize(
    "draft",
    [
        "Залог вернут за 10 рабочих дней.",
        "Вернут 45 000 рублей, пишите на help@example.com.",
        "1. Позвоните +7 000 555 01 23.\n2. Подождите десять дней.",
        "Смотрите https://example.com/deposit, офис Полянки открыт с 9.",
    ],
)
async def test_what_the_context_says_passes(draft: str) -> None:
    assert passed(await judged([draft])) == draft


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        ("Залог вернут за 14 рабочих дней.", "number"),
        ("Вернут 12.05.2026.", "number"),
        ("Пишите на admin@example.com.", "contact"),
        ("Звоните +7 (000) 555-99-99.", "contact"),
        ("Смотрите https://example.org/x.", "link"),
        ("Обратитесь в компанию Ромашка за справкой.", "name"),
        ("Отстаньте, идиоты.", "stop_word"),
        ("Это полный пиздец.", "stop_word"),
    ],
)
async def test_what_nobody_said_does_not(draft: str, reason: str) -> None:
    assert await judged([draft]) == [Violation(reason)]


async def test_nothing_is_released_before_the_first_150_tokens_or_the_end() -> None:
    words = ["слово "] * 400
    verdicts = await judged(words)
    assert passed(verdicts) == "".join(words)
    first = verdicts[0]
    assert isinstance(first, Passed)
    assert count_tokens("".join(words)) > 150
    assert len(verdicts) > 2
    # Up to the tail, all that was held comes at once.
    assert count_tokens(first.text) >= 150 - count_tokens("слово ") * (GuardrailPolicy().tail_characters // 6 + 2)


async def test_a_stop_word_late_in_the_stream_is_stopped_before_any_of_it_is_shown() -> None:
    pieces = ["слово "] * 400 + ["иди", "от", " дальше "] + ["слово "] * 50
    verdicts = await judged(pieces)
    assert verdicts[-1] == Violation("stop_word")
    assert "иди" not in passed(verdicts)


async def test_a_number_is_judged_whole_however_it_is_cut() -> None:
    long = "слово " * 120
    assert passed(await judged([long, "за 1", "0 рабочих дней. ", long])).count("10 рабочих") == 1
    assert (await judged([long, "за 1", "1 рабочих дней. ", long]))[-1] == Violation("number")


@given(st.data())
async def test_cutting_the_draft_into_pieces_changes_nothing(data: st.DataObject) -> None:
    draft = data.draw(
        st.sampled_from(
            [
                "слово " * 80 + "за 10 рабочих дней и 45 000 рублей, help@example.com " + "слово " * 60,
                "слово " * 80 + "за 11 рабочих дней " + "слово " * 60,
                "слово " * 90 + "идиот " + "слово " * 60,
            ]
        )
    )
    cuts = sorted(data.draw(st.lists(st.integers(0, len(draft)), max_size=30)))
    pieces = [draft[a:b] for a, b in zip([0, *cuts], [*cuts, len(draft)], strict=True)]
    whole, split = await judged([draft]), await judged(pieces)
    bad = isinstance(whole[-1], Violation)
    assert isinstance(split[-1], Violation) is bad
    if bad:
        assert "идиот" not in passed(split)
        assert "11" not in passed(split)
    else:
        assert passed(split) == draft
