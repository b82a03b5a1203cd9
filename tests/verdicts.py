"""What a model that judges says of an answer with which all is well."""

from __future__ import annotations

from engine.evaluation.model_verdicts import Verdict

GOOD = Verdict(
    answers_directly=True,
    unanswered_parts=[],
    facts_in_context=[1],
    facts_in_answer=[1],
    unsupported_claims=[],
    contradicted_claims=[],
)
