"""Routing on a little base: by embeddings, by a model, from the cache, and back up when a branch did not answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.errors import ProviderTimeout
from engine.policy import Policy, RoutingPolicy
from engine.stages.model_routing import Chosen
from engine.types import PUBLIC, Question, Route, Usage
from tests.fake_models import Line, ScriptedChat
from tests.small_base import FILES, STAFF, SmallBase, small_base

BICYCLE = "What does a bicycle reservation cost?"
ALWAYS = 2.0
"""A margin that no lead reaches: the model is asked at every level."""
DOWN = ProviderTimeout("scripted", "down")


@pytest.fixture
async def base(tmp_path: Path) -> SmallBase:
    return await small_base(tmp_path)


async def routed(
    base: SmallBase, text: str, *tried: Route, model: ScriptedChat | None = None, audience: frozenset[str] = PUBLIC
) -> tuple[Route, Usage]:
    if model is not None:
        base.policy = replace(base.policy, routing=replace(base.policy.routing, clear_margin=ALWAYS))
    found = await base.router(model).route(Question(text=text, audience=audience), tried)
    assert found is not None
    return found


def choosing(*lines: Line) -> ScriptedChat:
    return ScriptedChat(objects={Chosen: lines})


def chosen(route: Route) -> list[tuple[str, str, str]]:
    return [(level.level, level.chosen, level.by) for level in route.levels]


@pytest.mark.parametrize(
    ("text", "domain", "collection", "document"),
    [
        ("Сколько стоит место на парковке?", "housing", "contracts", "housing/contracts/parking.md"),
        ("Когда возвращается депозит?", "housing", "contracts", "housing/contracts/lease.md"),
        ("Сколько стоит холодная вода?", "housing", "tariffs", "housing/tariffs/utilities.md"),
        ("How do I change the name on my ticket?", "travel", "tickets", "travel/tickets/rules.md"),
        (BICYCLE, "travel", "baggage", "travel/baggage/bicycles.md"),
        ("How do I reset a forgotten password?", "computers", "access", "computers/access/sign-in.md"),
    ],
)
async def test_a_plain_question_finds_its_domain_collection_and_document(
    base: SmallBase, text: str, domain: str, collection: str, document: str
) -> None:
    route, usage = await routed(base, text)
    assert (route.domain, route.collection, route.documents) == (domain, collection, (document,))
    assert chosen(route) == [
        ("domain", domain, "embedding"),
        ("collection", collection, "embedding"),
        ("document", document, "embedding"),
    ]
    assert all(0 < level.confidence <= 1 for level in route.levels)
    assert usage == Usage(embeddings=1)


async def test_documents_that_come_equally_close_are_searched_together(base: SmallBase) -> None:
    route, _ = await routed(base, "How much may a suitcase weigh?")
    assert set(route.documents) == {f"travel/baggage/{name}.md" for name in ("luggage", "leaflet", "winter")}


async def test_the_same_question_gives_the_same_route_whatever_the_order_of_files(tmp_path: Path) -> None:
    first = await small_base(tmp_path / "first")
    second = await small_base(tmp_path / "second", dict(reversed(FILES.items())))
    assert await routed(first, BICYCLE) == await routed(second, BICYCLE)


async def test_an_unsure_domain_leaves_the_search_in_the_whole_base(base: SmallBase) -> None:
    route, _ = await routed(base, "xyzzy plugh quux")
    assert (route.domain, route.collection, route.documents) == (None, None, ())
    assert [level.level for level in route.levels[:2]] == ["domain", "collection"]


async def test_an_unsure_collection_leaves_the_search_in_its_domain(tmp_path: Path) -> None:
    base = await small_base(tmp_path, policy=Policy(routing=RoutingPolicy(unsure=0.0, sure=0.9)))
    route, _ = await routed(base, "What is charged for a train passenger?")
    assert (route.domain, route.collection, route.documents) == ("travel", None, ())


async def test_nothing_speaks_for_any_collection_so_the_default_is_taken(tmp_path: Path) -> None:
    base = await small_base(tmp_path, policy=Policy(routing=RoutingPolicy(unsure=1.0, sure=0.9)))
    route, _ = await routed(base, "What is charged for a train passenger?")
    assert (route.domain, route.collection) == ("travel", "tickets")
    assert chosen(route)[1] == ("collection", "tickets", "default")


async def test_without_a_default_of_its_own_an_unsure_domain_does_not_narrow(tmp_path: Path) -> None:
    base = await small_base(tmp_path, policy=Policy(routing=RoutingPolicy(unsure=1.0, sure=0.9)))
    route, _ = await routed(base, "xyzzy plugh quux")
    assert route.levels[0].by == "default"
    assert route.domain is None


async def test_the_second_time_the_route_comes_from_the_cache(base: SmallBase) -> None:
    first, _ = await routed(base, BICYCLE)
    again, usage = await routed(base, "  what does a BICYCLE reservation cost")
    assert {level.by for level in again.levels} == {"cache"}
    assert [level.chosen for level in again.levels] == [level.chosen for level in first.levels]
    assert (again.domain, again.collection, again.documents) == (first.domain, first.collection, first.documents)
    assert usage == Usage()


async def test_a_cached_route_is_void_when_a_document_has_changed(base: SmallBase) -> None:
    await routed(base, BICYCLE)
    base.write("travel/baggage/new.md", "# News\n\nBicycle reservation: a bicycle reservation costs 7 euros.\n")
    await base.ingest()
    route, _ = await routed(base, BICYCLE)
    assert {level.by for level in route.levels} == {"embedding"}
    assert "travel/baggage/new.md" in route.documents


async def test_what_one_audience_cached_is_not_served_to_another(base: SmallBase) -> None:
    text = "What is the uniform allowance of the crew?"
    staff, _ = await routed(base, text, audience=STAFF)
    public, _ = await routed(base, text)
    assert staff.collection == "crew"
    assert "crew" not in {public.collection, *(level.chosen for level in public.levels)}


async def test_branches_that_were_tried_lead_to_the_next_best_then_the_whole_base_then_nothing(
    base: SmallBase,
) -> None:
    text = "Is the ticket for a bicycle or a suitcase refunded?"
    first, _ = await routed(base, text)
    second, usage = await routed(base, text, first)
    third, _ = await routed(base, text, first, second)
    assert {(first.domain, first.collection), (second.domain, second.collection)} == {
        ("travel", "baggage"),
        ("travel", "tickets"),
    }
    assert second.documents == ()
    assert usage == Usage(embeddings=1)
    assert third == Route(domain=None, collection=None, documents=(), levels=())
    assert await base.router().route(Question(text=text), (first, second, third)) is None


async def test_after_the_whole_base_there_is_nothing_left_to_try(base: SmallBase) -> None:
    everything, _ = await routed(base, "xyzzy plugh quux")
    assert await base.router().route(Question(text="xyzzy plugh quux"), (everything,)) is None


async def test_a_domain_that_was_tried_as_a_whole_is_not_searched_again_in_part(base: SmallBase) -> None:
    whole = Route(domain="travel", collection=None, documents=(), levels=())
    following, _ = await routed(base, BICYCLE, whole)
    assert following.domain != "travel"


async def test_a_collection_for_staff_is_never_routed_to_for_the_public(base: SmallBase) -> None:
    text = "What is the uniform allowance of the crew for night shifts?"
    tried: list[Route] = []
    while found := await base.router().route(Question(text=text), tried):
        tried.append(found[0])
        assert found[0].collection != "crew"
        assert not any("crew" in level.chosen for level in found[0].levels)
        assert not any("crew" in document for document in found[0].documents)
    assert tried


async def test_an_empty_base_has_no_route(tmp_path: Path) -> None:
    base = await small_base(tmp_path, {})
    assert await base.router().route(Question(text=BICYCLE)) is None


async def test_a_base_with_nothing_for_this_audience_has_no_route(tmp_path: Path) -> None:
    files = {path: FILES[path] for path in ("knowledge.yaml", "travel/crew/crew.md")}
    base = await small_base(tmp_path, files)
    assert await base.router().route(Question(text="What is the uniform allowance?")) is None
    assert await base.router().route(Question(text="What is the uniform allowance?", audience=STAFF)) is not None


async def test_a_model_chooses_the_domain_and_the_collection(base: SmallBase) -> None:
    model = choosing(Chosen(ids=["travel"], confidence=0.9), Chosen(ids=["tickets"], confidence=0.6))
    route, usage = await routed(base, BICYCLE, model=model)
    assert (route.domain, route.collection) == ("travel", "tickets")
    assert chosen(route)[:2] == [("domain", "travel", "model"), ("collection", "tickets", "model")]
    assert [level.confidence for level in route.levels[:2]] == [0.9, 0.6]
    assert usage.model_calls == 2


async def test_a_model_sees_the_descriptions_of_visible_places_only(base: SmallBase) -> None:
    model = choosing(Chosen(ids=["travel"]), Chosen(ids=["tickets"]))
    await routed(base, BICYCLE, model=model)
    domains, collections = (asked.text for asked in model.asked)
    assert "Passwords, VPN access, laptops" in domains
    assert "Hand luggage, suitcases" in collections
    assert "Uniform allowance" not in collections
    assert domains.endswith(BICYCLE)


async def test_an_invalid_choice_of_the_model_becomes_the_default(base: SmallBase) -> None:
    model = choosing(Chosen(ids=["travel"]), Chosen(ids=["moon"]))
    route, usage = await routed(base, BICYCLE, model=model)
    assert (route.domain, route.collection) == ("travel", "tickets")
    assert chosen(route)[1] == ("collection", "tickets", "default")
    assert usage.model_calls == 2


async def test_an_invalid_domain_becomes_the_closest_one(base: SmallBase) -> None:
    route, _ = await routed(base, BICYCLE, model=choosing(Chosen(ids=["moon"]), Chosen(ids=["baggage"])))
    assert chosen(route)[:2] == [("domain", "travel", "default"), ("collection", "baggage", "model")]
    assert (route.domain, route.collection) == ("travel", "baggage")


async def test_a_staff_collection_named_by_the_model_is_an_invalid_choice_for_the_public(base: SmallBase) -> None:
    route, _ = await routed(base, BICYCLE, model=choosing(Chosen(ids=["travel"]), Chosen(ids=["crew"])))
    assert route.collection == "tickets"


async def test_a_model_that_is_down_is_asked_once_and_the_embeddings_choose(base: SmallBase) -> None:
    model = choosing(DOWN)
    route, usage = await routed(base, BICYCLE, model=model)
    assert (route.domain, route.collection) == ("travel", "baggage")
    assert {level.by for level in route.levels} == {"embedding"}
    assert len(model.asked) == 1
    assert usage == Usage(embeddings=1)


async def test_a_model_that_talks_nonsense_costs_only_its_choice(base: SmallBase) -> None:
    route, _ = await routed(base, BICYCLE, model=choosing("Well, travel, I think.", "Travel!"))
    assert (route.domain, route.collection) == ("travel", "baggage")


async def test_what_was_chosen_without_a_failing_model_is_not_cached(base: SmallBase) -> None:
    await routed(base, BICYCLE, model=choosing(DOWN))
    model = choosing(Chosen(ids=["travel"]), Chosen(ids=["tickets"]))
    route, _ = await routed(base, BICYCLE, model=model)
    assert {level.by for level in route.levels[:2]} == {"model"}


async def test_what_a_model_chose_is_cached(base: SmallBase) -> None:
    await routed(base, BICYCLE, model=choosing(Chosen(ids=["travel"]), Chosen(ids=["tickets"])))
    model = choosing()
    route, usage = await routed(base, BICYCLE, model=model)
    assert (route.collection, usage, model.asked) == ("tickets", Usage(), [])


async def test_a_level_with_one_candidate_needs_no_model_call(base: SmallBase) -> None:
    model = choosing(Chosen(ids=["computers"], confidence=0.8))
    route, usage = await routed(base, "How do I reset a forgotten password?", model=model)
    assert (route.domain, route.collection) == ("computers", "access")
    assert usage.model_calls == len(model.asked) == 1


async def test_going_back_up_needs_no_model_call(base: SmallBase) -> None:
    model = choosing(Chosen(ids=["travel"]), Chosen(ids=["baggage"]))
    first, _ = await routed(base, BICYCLE, model=model)
    await routed(base, BICYCLE, first, model=model)
    assert len(model.asked) == 2
