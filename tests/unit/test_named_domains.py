"""Questions that call a domain by its name, on near-identical domains: the name decides where, and nothing beyond."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.events import Escalated, Final
from engine.types import Question, Route, Turn
from tests.small_base import SmallBase, small_base

REGISTRY = """
domains:
  - {id: blue, title: Blue Bay, collections: [{id: rules, title: Rules}, {id: prices, title: Prices}]}
  - {id: green, title: Green Bay, collections: [{id: rules, title: Rules}, {id: prices, title: Prices}]}
"""
BLUE, GREEN = "41", "57"


def files() -> dict[str, str]:
    found = {"knowledge.yaml": REGISTRY}
    for name, fee in (("blue", BLUE), ("green", GREEN)):
        found[f"{name}/prices/fees.md"] = f"# Fees\n\nA berth for a boat costs {fee} euros a night. Showers are free.\n"
        found[f"{name}/rules/quiet.md"] = f"# Rules\n\nQuiet hours begin at 22:00. Write to desk@{name}-bay.example.\n"
    return found


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path, files())


async def all_routes(base: SmallBase, text: str) -> list[Route]:
    tried: list[Route] = []
    while (found := await base.router().route(Question(text=text), tried)) is not None:
        tried.append(found[0])
    return tried


@pytest.mark.parametrize(("name", "domain", "fee"), [("Blue Bay", "blue", BLUE), ("Green Bay", "green", GREEN)])
async def test_a_named_domain_is_where_the_answer_comes_from(base: SmallBase, name: str, domain: str, fee: str) -> None:
    question = Question(text=f"What does a berth cost at {name}?")
    found = await base.router().route(question)
    assert found is not None
    assert found[0].domain == domain
    evidence, _ = await base.retriever().retrieve(question, found[0])
    assert evidence.sufficient
    assert fee in evidence.chunks[0].chunk.text


async def test_the_way_back_up_ends_at_the_named_domain(base: SmallBase) -> None:
    routes = await all_routes(base, "How many elephants live at Blue Bay?")
    assert {route.domain for route in routes} == {"blue"}


async def test_without_a_name_the_whole_base_is_looked_at_in_the_end(base: SmallBase) -> None:
    routes = await all_routes(base, "How many elephants live here?")
    assert routes[-1].domain is None


async def test_two_named_domains_are_both_looked_into(base: SmallBase) -> None:
    found = await base.router().route(Question(text="Is a berth cheaper at Blue Bay or at Green Bay?"))
    assert found is not None
    route = found[0]
    assert {route.domain, *(branch.domain for branch in route.also)} == {"blue", "green"}


@pytest.mark.parametrize(
    "question",
    ["What does a berth cost and when do quiet hours begin at Blue Bay?", "Quiet hours, a berth at Blue Bay?"],
)
async def test_two_things_that_a_question_joins_are_looked_for_in_both_collections(
    base: SmallBase, question: str
) -> None:
    found = await base.router().route(Question(text=question))
    assert found is not None
    route = found[0]
    assert {(one.domain, one.collection) for one in (route, *route.also)} == {("blue", "prices"), ("blue", "rules")}
    evidence, _ = await base.retriever().retrieve(Question(text=question), route)
    assert {one.chunk.collection for one in evidence.chunks[:2]} == {"prices", "rules"}
    answer = await answered(base, question)
    assert BLUE in answer
    assert "22:00" in answer


async def test_a_question_about_one_thing_stays_in_one_collection(base: SmallBase) -> None:
    for question in (
        "What does a berth cost at Blue Bay?",
        "What does a berth for a boat and a night cost at Blue Bay?",
    ):
        found = await base.router().route(Question(text=question))
        assert found is not None
        assert found[0].also == (), question


async def test_each_domain_that_is_compared_is_quoted(base: SmallBase) -> None:
    answer = await answered(base, "Is a berth cheaper at Blue Bay or at Green Bay?")
    assert BLUE in answer
    assert GREEN in answer


async def answered(base: SmallBase, text: str) -> str:
    async with base.engine().answer(Question(text=text)) as events:
        return [event.outcome.text async for event in events if isinstance(event, Final | Escalated)][-1]


def after(text: str, *earlier: str, domain: str | None = None) -> Question:
    return Question(text=text, history=tuple(Turn(question=one, answer="…") for one in earlier), domain=domain)


@pytest.mark.parametrize(("name", "fee"), [("Blue Bay", BLUE), ("Green Bay", GREEN), ("Грин Бей", GREEN)])
async def test_a_question_without_a_name_means_the_domain_that_was_named_last(
    base: SmallBase, name: str, fee: str
) -> None:
    router = base.router()
    for earlier in ((f"When do quiet hours begin at {name}?",), ("Quiet hours at Blue Bay?", f"And at {name}?")):
        question = after("What does a berth for a boat cost?", *earlier)
        found = await router.route(question)
        assert found is not None
        assert found[0].domain == ("blue" if fee == BLUE else "green")
        evidence, _ = await base.retriever().retrieve(question, found[0])
        assert fee in evidence.chunks[0].chunk.text


async def test_the_domain_of_the_conversation_is_meant_where_none_was_named(base: SmallBase) -> None:
    for domain in ("blue", "green"):
        found = await base.router().route(after("What does a berth for a boat cost?", domain=domain))
        assert found is not None
        assert found[0].domain == domain


async def test_two_domains_named_before_leave_it_open(base: SmallBase) -> None:
    found = await base.router().route(after("What does a berth cost?", "Blue Bay or Green Bay, which is quieter?"))
    assert found is not None
    assert found[0].domain is None


async def test_what_is_only_elsewhere_is_looked_for_there(base: SmallBase) -> None:
    base.write("green/rules/sauna.md", "# Sauna\n\nThe sauna is heated with birch wood on Fridays.\n")
    await base.ingest()
    found = await base.router().route(after("When is the sauna heated with birch wood?", "A berth at Blue Bay?"))
    assert found is not None
    assert found[0].domain != "blue"
