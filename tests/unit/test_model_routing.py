"""Routing with a model at hand: when it is asked, how often, for what, and what several branches and follow-ups do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.policy import Policy, RoutingPolicy
from engine.stages.model_routing import Choice, Chosen, Counsel, choose
from engine.text.context import rejects, standalone
from engine.types import Question, Route, Turn, Usage
from tests.fake_models import ScriptedChat
from tests.small_base import SmallBase, small_base
from tests.unit.test_routing import ALWAYS, BICYCLE, DOWN, choosing

PLACES = [Choice("rent", "Rent", "What is paid"), Choice("repairs", "Repairs", "What is mended")]
COMPARED = "What is the difference between a ticket refund and a bicycle reservation?"


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path, policy=Policy(routing=RoutingPolicy(clear_margin=ALWAYS)))


async def test_where_the_embeddings_are_clear_the_model_is_not_asked(base: SmallBase) -> None:
    base.policy = Policy(routing=RoutingPolicy(clear_margin=0.0))
    model = choosing()
    found = await base.router(model).route(Question(text=BICYCLE))
    assert found is not None
    assert model.asked == []
    assert found[0].domain == "travel"


async def test_a_question_that_needs_two_places_gets_two_branches_and_chunks_of_both(base: SmallBase) -> None:
    model = choosing(Chosen(ids=["travel"]), Chosen(ids=["tickets", "baggage"]))
    found = await base.router(model).route(Question(text=COMPARED))
    assert found is not None
    route, usage = found
    assert route.collection == "tickets"
    assert [(one.domain, one.collection) for one in route.also] == [("travel", "baggage")]
    assert usage.model_calls == 2
    evidence, _ = await base.retriever().retrieve(Question(text=COMPARED), route)
    assert {scored.chunk.collection for scored in evidence.chunks} == {"tickets", "baggage"}
    scores = [scored.score for scored in evidence.chunks]
    assert scores == sorted(scores, reverse=True)


async def test_two_domains_cost_no_third_call(base: SmallBase) -> None:
    model = choosing(Chosen(ids=["travel", "housing"]), Chosen(ids=["tickets"]))
    found = await base.router(model).route(Question(text="Compare the parking fee and the ticket fee"))
    assert found is not None
    assert [one.domain for one in found[0].also] == ["housing"]
    assert found[1].model_calls == len(model.asked) == 2


async def test_branches_survive_the_cache(base: SmallBase) -> None:
    model = choosing(Chosen(ids=["travel"]), Chosen(ids=["tickets", "baggage"]))
    first = await base.router(model).route(Question(text=COMPARED))
    again = await base.router(model).route(Question(text=COMPARED))
    assert first is not None
    assert again is not None
    assert again[0].also == first[0].also
    assert again[1] == Usage()


async def test_a_branch_that_was_part_of_a_tried_route_is_not_tried_again(base: SmallBase) -> None:
    tried = Route(
        domain="travel",
        collection="tickets",
        documents=(),
        levels=(),
        also=(Route(domain="travel", collection="baggage", documents=(), levels=()),),
    )
    found = await base.router().route(Question(text=COMPARED), [tried])
    assert found is not None
    assert found[0].domain != "travel"


@pytest.mark.parametrize("calls", [0, 1, 2])
async def test_the_budget_of_calls_is_kept(base: SmallBase, calls: int) -> None:
    model = choosing(Chosen(ids=["travel"]), Chosen(ids=["tickets"]))
    found = await base.router(model).route(Question(text=BICYCLE), calls=calls)
    assert found is not None
    assert found[1].model_calls == len(model.asked) == calls


async def test_a_route_found_on_a_short_budget_is_not_kept(base: SmallBase) -> None:
    await base.router(choosing(Chosen(ids=["travel"]))).route(Question(text=BICYCLE), calls=1)
    model = choosing(Chosen(ids=["travel"]), Chosen(ids=["tickets"]))
    found = await base.router(model).route(Question(text=BICYCLE))
    assert found is not None
    assert found[0].collection == "tickets"


async def test_nonsense_is_not_asked_again_within_the_budget(base: SmallBase) -> None:
    model = choosing("no idea", Chosen(ids=["tickets"]))
    found = await base.router(model).route(Question(text=BICYCLE))
    assert found is not None
    assert len(model.asked) == 1
    assert found[1].model_calls == 1


async def test_of_many_places_a_model_sees_the_thirty_closest(tmp_path: Path) -> None:
    files = {f"d{number:02}/rules/text.md": f"# Text {number}\n\nRule {number} of nothing.\n" for number in range(40)}
    files["bicycles/rules/text.md"] = "# Bicycles\n\nA bicycle needs a reservation of 6 euros.\n"
    base = await small_base(tmp_path, files, policy=Policy(routing=RoutingPolicy(clear_margin=ALWAYS)))
    model = choosing(Chosen(ids=["bicycles"]))
    await base.router(model).route(Question(text=BICYCLE))
    listed = [line for line in model.asked[0].messages[0].content.splitlines() if line.startswith("- ")]
    assert len(listed) == 30
    assert any(line.startswith("- bicycles:") for line in listed)


async def test_the_schema_lists_the_ids_and_nothing_else() -> None:
    model = choosing(Chosen(ids=["rent"]))
    await choose(model, Question(text="How much?"), "domain", PLACES)
    schema = model.asked[0].schema
    assert schema is not None
    assert schema.model_json_schema()["properties"]["ids"]["items"] == {"type": "string", "enum": ["rent", "repairs"]}


@pytest.mark.parametrize(
    ("reply", "ids", "confidence"),
    [
        ('{"ids": ["rent"], "confidence": 0.9}', ("rent",), 0.9),
        ('{"ids": "Rent"}', ("rent",), 0.5),
        ('{"ids": ["RENT", "rent", "moon", "repairs"], "confidence": "80%"}', ("rent", "repairs"), 0.8),
        ('```json\n{"ids": [null, "repairs"], "confidence": "high"}\n```', ("repairs",), 0.5),
        ('{"ids": [], "confidence": 7}', (), 0.07),
    ],
)
async def test_what_small_models_make_of_a_choice(reply: str, ids: tuple[str, ...], confidence: float) -> None:
    found, sure, usage = await choose(choosing(reply), Question(text="How much?"), "domain", PLACES)
    assert (found, sure, usage.model_calls) == (ids, confidence, 1)


async def test_a_model_that_failed_is_not_asked_for_the_next_level() -> None:
    model = choosing(DOWN)
    counsel = Counsel(model, 2)
    assert await counsel.ask(Question(text="How much?"), "domain", PLACES) is None
    assert await counsel.ask(Question(text="How much?"), "collection", PLACES) is None
    assert len(model.asked) == 1
    assert not counsel.whole


# --- follow-ups without a model -------------------------------------------------------------------------------------


def after(text: str, *questions: str) -> Question:
    return Question(text=text, history=tuple(Turn(question=one, answer="...") for one in questions))


@pytest.mark.parametrize("text", ["а сколько это стоит?", "and for companies?", "а для гостей?", "What about it?"])
def test_a_follow_up_is_read_after_the_question_before_it(text: str) -> None:
    followed = standalone(after(text, "Как оформить парковку?"))
    assert (followed.text, followed.follows) == (f"Как оформить парковку?\n{text}", "on")


@pytest.mark.parametrize(
    "text", ["нет, не то", "Не об этом", "это не то", "no, not that", "That's not it", "нет", "No!"]
)
def test_a_rejection_asks_the_same_elsewhere(text: str) -> None:
    followed = standalone(after(text, "Как оформить парковку?"))
    assert (followed.text, followed.follows) == ("Как оформить парковку?", "away")


@pytest.mark.parametrize(
    "text", ["Нет, не про это, а про парковку", "Not that, but parking", "Не то количество мест на схеме показано"]
)
def test_a_rejection_that_says_what_was_meant_is_more_than_a_rejection(text: str) -> None:
    assert not rejects(text)


def test_a_whole_question_follows_nothing() -> None:
    question = after("How do I reset a forgotten password?", "Как оформить парковку?")
    assert standalone(question) is question


async def test_a_follow_up_leans_to_where_the_question_before_it_was_answered(base: SmallBase) -> None:
    router = base.router()
    await router.route(Question(text=BICYCLE))
    plain = await router.route(Question(text="xyzzy?"))
    leaning = await router.route(replace(after("xyzzy?", BICYCLE), follows="on"))
    away = await router.route(replace(after("xyzzy?", BICYCLE), follows="away"))

    def share(found: tuple[Route, Usage] | None) -> float:
        assert found is not None
        level = found[0].levels[0]
        return level.confidence if level.chosen == "travel" else 0.0

    assert share(leaning) > share(plain)
    assert share(away) <= share(plain)


async def test_a_follow_up_is_neither_served_from_the_cache_nor_kept_in_it(base: SmallBase) -> None:
    model = choosing(*[Chosen(ids=["travel"]), Chosen(ids=["tickets"])] * 2)
    question = replace(after("and its fee?", BICYCLE), follows="on")
    for _ in range(2):
        found = await base.router(model).route(question)
        assert found is not None
        assert found[0].levels[0].by == "model"


@given(st.text(max_size=40))
def test_any_message_after_another_makes_a_question_with_words(text: str) -> None:
    followed = standalone(after(text, "How do I park?"))
    assert followed.text in {text, "How do I park?", f"How do I park?\n{text}"}


async def test_a_scripted_chat_takes_a_closed_schema_for_the_open_one() -> None:
    chat = ScriptedChat(objects={Chosen: [Chosen(ids=["rent"])]})
    assert (await choose(chat, Question(text="?"), "domain", PLACES))[0] == ("rent",)
