"""The optional model check of a direct answer, over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.settings import Settings
from bot.wiring import build
from engine import Final, Question
from engine.types import Outcome
from tests.scripted_server import Scripted, ScriptedServer, answering, failing

FAQ = """\
- id: autopay-on
  questions: ["How do I switch on autopay?"]
  answer: In your account.
"""
REWORDED = "how do i switch on autopay now please"


@asynccontextmanager
async def asked(folder: Path, text: str, reply: Scripted) -> AsyncIterator[tuple[Outcome, ScriptedServer]]:
    (folder / "knowledge" / "faq").mkdir(parents=True)
    (folder / "knowledge" / "faq" / "en.yaml").write_text(FAQ, encoding="utf-8")
    async with ScriptedServer(reply).serving() as server:
        settings = Settings(
            knowledge=folder / "knowledge",
            data=folder / "data",
            index_embedder="use",
            model_url=server.url,
            model_name="scripted",
            model_api_key=SecretStr("none"),
            check_direct_answers=True,
        )
        async with build(settings) as app:
            await app.ingestor.ingest(settings.knowledge, lambda _: None)
            async with app.engine.answer(Question(text=text)) as events:
                ends = [event.outcome async for event in events if isinstance(event, Final)]
            yield ends[0], server


async def test_a_model_that_agrees_lets_the_answer_go(tmp_path: Path) -> None:
    async with asked(tmp_path, REWORDED, answering('{"answers": true}')) as (outcome, server):
        assert (outcome.kind, outcome.text) == ("faq_direct", "In your account.")
        assert outcome.usage.model_calls == 1
        assert REWORDED in str(server.requests[-1])


async def test_a_model_that_objects_makes_it_adjacent(tmp_path: Path) -> None:
    async with asked(tmp_path, REWORDED, answering('{"answers": false}')) as (outcome, _):
        assert outcome.kind != "faq_direct"
        assert outcome.faq is not None
        assert (outcome.faq.band, outcome.faq.vetoed_by) == ("adjacent", "model")


@pytest.mark.parametrize("reply", [failing(400), answering("no idea")])
async def test_a_model_that_is_of_no_use_changes_nothing(tmp_path: Path, reply: Scripted) -> None:
    async with asked(tmp_path, REWORDED, reply) as (outcome, _):
        assert (outcome.kind, outcome.text) == ("faq_direct", "In your account.")


async def test_a_known_question_is_not_checked(tmp_path: Path) -> None:
    async with asked(tmp_path, "How do I switch on autopay", answering('{"answers": false}')) as (outcome, server):
        assert outcome.kind == "faq_direct"
        assert not [one for one in server.requests if "autopay" in str(one)]
