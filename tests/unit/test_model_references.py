"""A reference that fits several places, put to a model."""

from __future__ import annotations

import pytest

from engine.errors import ProviderRejected, ProviderTimeout
from engine.ports import Meaning
from engine.stages.model_references import MeantPlace, ModelReferenceChooser
from engine.types import Question, Reference
from tests.fake_models import ScriptedChat

QUESTION = Question(text="Where do guests park?")
REFERENCE = Reference(type="section", target="11.9", marker="section 11.9")
MEANINGS = [
    Meaning(document="Parking Order", section="11.9", title="Guests"),
    Meaning(document="Garden Order", section="11.9", title="Roses"),
]


@pytest.mark.parametrize(("number", "index"), [(1, 0), (2, 1), (0, None), (3, None)])
async def test_the_number_that_the_model_gives_is_the_place(number: int, index: int | None) -> None:
    model = ScriptedChat(MeantPlace(number=number))
    chosen, usage = await ModelReferenceChooser(model).choose(QUESTION, REFERENCE, "as section 11.9 says", MEANINGS)
    assert chosen == index
    assert usage.model_calls == 1
    (asked,) = model.asked
    for told in ("1. Parking Order: 11.9 Guests", "2. Garden Order: 11.9 Roses", "as section 11.9 says", QUESTION.text):
        assert told in asked.text


@pytest.mark.parametrize("error", [ProviderTimeout("model", "slow"), ProviderRejected("model", "nonsense")])
async def test_a_model_that_fails_leaves_the_reference_open(error: Exception) -> None:
    chooser = ModelReferenceChooser(ScriptedChat(error))
    assert (await chooser.choose(QUESTION, REFERENCE, "", MEANINGS))[0] is None
