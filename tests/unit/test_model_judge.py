"""A model that judges answers and one that writes them: what it costs, what it is shown, what it fails to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ProviderRejected, ProviderTimeout
from engine.evaluation.base_page import evaluation_page
from engine.evaluation.base_rows import Row
from engine.evaluation.base_run import Trial
from engine.evaluation.base_summary import summarise
from engine.evaluation.model_verdicts import ModelVerdicts, Verdict
from engine.ports import Abilities, ChatModel
from engine.text.tokens import count_tokens
from engine.types import Outcome, Usage
from tests.fake_models import Line, ScriptedChat
from tests.fakes import chunk as made_chunk
from tests.fakes import evidence
from tests.small_base import small_base
from tests.unit.test_repeated_evaluation import GOLD, PRODUCT, row
from tests.verdicts import GOOD

FAILED = ProviderRejected("judge", "no Verdict in 2 replies", usage=Usage(prompt_tokens=30, completion_tokens=7))


async def rows_of(folder: Path, writer: ChatModel | None, judge: ChatModel | None = None) -> list[Row]:
    base = await small_base(folder)
    verdicts = ModelVerdicts(judge) if judge else None
    tried = Trial(base.engine(writer), base.router(), base.retriever(), verdicts=verdicts)
    return [made async for made in tried.rows(PRODUCT, [GOLD])]


def answered(*texts: str) -> Outcome:
    chunks = tuple(evidence(*(made_chunk(f"c{number}", text) for number, text in enumerate(texts))).chunks)
    return Outcome(id="x", kind="answered", text="6 euros", language="en", chunks=chunks)


# --- the judge ------------------------------------------------------------------------------------------------------


async def test_what_is_not_judged_is_told_with_its_reason_and_its_cost(tmp_path: Path) -> None:
    (one,) = await rows_of(tmp_path, None, ScriptedChat(objects={Verdict: (FAILED,)}))
    assert one.judge_error == "ProviderRejected: no Verdict in 2 replies"
    assert (one.judge_relevance, one.judge_tokens) == (None, 37)
    summary = summarise("dcd+up", [one])
    assert summary.judge_errors == {"ProviderRejected": 1}
    assert not [name for name in summary.figures if name.startswith("judge")], "an error is no zero"
    assert "no Verdict in 2 replies" in evaluation_page("t", [summary], {"dcd+up": [one]}, {}, None)


@pytest.mark.parametrize("window", [1024, 2048, 8192])
@pytest.mark.parametrize("words", [50, 3000])
async def test_what_the_judge_is_shown_fits_its_window(window: int, words: int) -> None:
    judge = ScriptedChat(objects={Verdict: (GOOD,)}, window=window)
    await ModelVerdicts(judge).judge(row("x", 1, True), GOLD, answered("best " * words, "next " * words))
    shown = judge.asked[0].text
    assert "best" in shown
    assert "6 euros" in shown
    assert count_tokens(shown) + judge.asked[0].max_tokens <= window
    assert ("next" in shown) == (words == 50)


async def test_a_judge_that_cannot_be_reached_at_all_is_an_error(tmp_path: Path) -> None:
    class Unreachable(ScriptedChat):
        async def abilities(self) -> Abilities:
            raise ProviderTimeout("judge", "no answer")

    (one,) = await rows_of(tmp_path, None, Unreachable())
    assert one.judge_error == "ProviderTimeout: no answer"


# --- the writer -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "stood_in"), [("A reservation costs 6 euros [1].", False), (ProviderTimeout("writer", "slow"), True)]
)
async def test_quotes_in_place_of_what_a_model_wrote_are_told(tmp_path: Path, line: Line, stood_in: bool) -> None:
    (one,) = await rows_of(tmp_path, ScriptedChat(line))
    assert (one.kind, one.stood_in) == ("answered", stood_in)
    summary = summarise("dcd+up", [one])
    assert summary.stood_in == stood_in


async def test_without_a_model_quotes_stand_in_for_nothing(tmp_path: Path) -> None:
    (one,) = await rows_of(tmp_path, None)
    assert (one.kind, one.stood_in) == ("answered", False)


def test_times_and_calls_are_means_over_the_rows() -> None:
    rows = [row("a", 1, True, model_calls=2, tokens=100, total_ms=10.0, first_text_ms=4.0)]
    rows.append(row("a", 2, True, model_calls=4, tokens=300, total_ms=30.0, first_text_ms=None))
    summary = summarise("dcd+up", rows)
    assert (summary.calls["model calls"], summary.calls["tokens"]) == (3.0, 200.0)
    assert (summary.milliseconds["total, mean"], summary.milliseconds["to the first text, mean"]) == (20.0, 4.0)
