"""The flow when writers fail, are cut off, cost something, or say what is missing."""

from __future__ import annotations

import pytest

from engine import Delta, Interim, Question, Retract, Turn
from engine.errors import ProviderError
from engine.phrases import Phrases
from engine.types import FaqMatch, FaqPair, Usage, Written
from tests.fakes import FakeGate, FakeGenerator, FakeReferencer, FakeRetriever, FakeRouter, faq_entry
from tests.unit.test_flow import DOWN, ask, end, engine, spelled

COST = Usage(model_calls=1, prompt_tokens=100, completion_tokens=10, cost=0.5)
WRITTEN = Written(completeness="complete", cited=("c1",), usage=COST)
CUT = Written(completeness="partial", cited=("c1",), cut_off=True)


async def test_the_next_endpoint_writes_when_the_first_fails_before_anything_was_shown() -> None:
    events = await ask(
        engine(generator=FakeGenerator([[DOWN]]), next_generators=(FakeGenerator([["In ", "10 days."]]),))
    )
    assert spelled(events) == "tddf"
    assert end(events).text == "In 10 days."


async def test_what_was_shown_is_taken_back_before_the_next_endpoint_writes_the_whole() -> None:
    broken = FakeGenerator([["The ", "deposit ", DOWN]])
    events = await ask(engine(generator=broken, next_generators=(FakeGenerator([["In ", "10 days."]]),)))
    assert spelled(events) == "tdrf"
    assert end(events).text == "In 10 days."


async def test_when_all_endpoints_fail_the_quotes_say_that_they_are_quotes() -> None:
    down = FakeGenerator([[DOWN]])
    events = await ask(engine(generator=down, next_generators=(down, down)))
    assert end(events).text.startswith("Quoted: 10 days.")
    assert Phrases()("only_quoted", "en") in end(events).text
    assert len(down.tasks) == 3


async def test_a_forbidden_draft_is_not_tried_at_the_next_endpoint_and_its_replacement_needs_no_excuse() -> None:
    other = FakeGenerator([["never"]])
    events = await ask(engine(generator=FakeGenerator([["FORBIDDEN"]]), next_generators=(other,)))
    assert end(events).text == "Quoted: 10 days."
    assert other.tasks == []


async def test_quotes_that_stand_in_are_not_put_to_a_judge() -> None:
    spare = FakeGenerator([["Quoted."]])
    writer = FakeGenerator([[DOWN]])
    await ask(engine(generator=writer, fallback=spare))
    assert (writer.tasks[0].judged, spare.tasks[0].judged) == (True, False)


async def test_drafts_that_failed_are_paid_for() -> None:
    failing = FakeGenerator([["The ", DOWN]], written=WRITTEN)
    events = await ask(engine(generator=failing, next_generators=(FakeGenerator([["Yes."]], written=WRITTEN),)))
    assert end(events).usage == COST + COST + Usage(embeddings=1)


async def test_what_a_failure_cost_before_a_draft_began_is_paid_for() -> None:
    refused = ProviderError("model", "nonsense", usage=COST)

    class Refusing(FakeGenerator):
        def write(self, task: object) -> object:  # type: ignore[override]
            raise refused

    events = await ask(engine(generator=Refusing([[]])))
    assert end(events).usage.cost == COST.cost


async def test_a_text_that_was_cut_off_keeps_its_whole_sentences_and_says_so() -> None:
    cut = FakeGenerator([["It takes 10 days. ", "After that you may wr"]], written=CUT)
    events = await ask(engine(generator=cut))
    outcome = end(events)
    assert outcome.text == f"It takes 10 days.\n\n{Phrases()('cut_off', 'en')}"
    assert outcome.completeness == "partial"
    assert "After" not in "".join(event.text for event in events if isinstance(event, Delta))


async def test_a_text_that_was_cut_off_in_its_first_sentence_is_no_answer() -> None:
    cut = FakeGenerator([["It takes ", "ten and a"]], written=CUT)
    events = await ask(engine(generator=cut))
    assert [event.reason for event in events if isinstance(event, Retract)] == ["cut_off"]
    assert end(events).text == "Quoted: 10 days."


async def test_a_place_that_the_writer_names_as_pending_is_followed() -> None:
    pointing = Written(completeness="partial", cited=("c1",), pending=("see 7.2",))
    generator = FakeGenerator([["The deposit is ", "returned."], ["In 10 days."]], written=pointing)
    events = await ask(engine(generator=generator, referencer=FakeReferencer()))
    assert any(isinstance(event, Interim) for event in events)
    assert end(events).passes == 2


async def test_calls_before_the_answer_are_counted_apart() -> None:
    class Costly(FakeRouter):
        async def route(self, question, tried=(), *, calls=2):  # type: ignore[no-untyped-def]
            assert calls == 1
            found = await super().route(question, tried, calls=calls)
            return found and (found[0], Usage(model_calls=1))

    class Rewriting:
        async def rewrite(self, question: Question) -> tuple[Question, Usage]:
            return Question(text="What does parking cost for guests?"), Usage(model_calls=1)

    retriever = FakeRetriever()
    outcome = end(
        await ask(
            engine(
                router=Costly(),
                rewriter=Rewriting(),
                retriever=retriever,
                generator=FakeGenerator([["Nothing."]], written=WRITTEN),
            ),
            "and for guests?",
            history=(Turn(question="What does parking cost?", answer="1000"),),
        )
    )
    assert retriever.asked[0].text == "What does parking cost for guests?"
    assert (outcome.calls_before_writing, outcome.usage.model_calls) == (2, 3)


@pytest.mark.parametrize("band", ["adjacent", "miss"])
async def test_the_next_endpoint_also_writes_from_pairs(band: str) -> None:
    pairs = (FaqPair(entry="cancel", question="How do I cancel?", answer="Call us.", score=0.85),)
    match = FaqMatch(band=band, score=0.85, cosine=0.8, entry=faq_entry(), nearest=pairs)  # type: ignore[arg-type]
    next_one = FakeGenerator([["Call us."]])
    events = await ask(engine(gate=FakeGate(match), generator=FakeGenerator([[DOWN]]), next_generators=(next_one,)))
    assert end(events).kind == ("faq_adjacent" if band == "adjacent" else "answered")
