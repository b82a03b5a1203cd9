"""Thresholds and budgets, frozen. The figures that the product promises stand here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    direct: float = 0.92
    adjacent: float = 0.78
    margin: float = 0.02
    """A direct answer must lead the best other entry by this much cosine."""
    offers: bool = False
    """Offer the nearest known questions where the band is adjacent."""
    few_shot_pairs: int = 3
    few_shot_tokens: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingPolicy:
    branches: int = 3
    """How many branches are tried before a question is a miss."""
    unsure: float = 0.2
    """Below this confidence a level takes its default instead of the closest choice."""
    sure: float = 0.7
    """A level narrows the search only from this confidence on; below it the search stays one level up."""
    documents: int = 4
    close_documents: float = 0.8
    """A document stays in the route while its score is at least this share of the best one's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalPolicy:
    candidates: int = 50
    """Of each leg, before fusion."""
    reranked: int = 30
    kept: int = 6
    dense_weight: float = 0.45
    lex_weight: float = 0.15
    tri_weight: float = 0.1
    coverage_weight: float = 0.3
    sufficient: float = 0.45
    """The score from which the best chunk is worth answering from."""
    duplicate_overlap: float = 0.7
    """Share of common word pairs from which two chunks with the same numbers say the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationPolicy:
    answer_tokens: int = 700
    context_tokens: int = 2600
    quotes: int = 3
    quote_characters: int = 900
    close_quotes: float = 0.87
    """A further quote of the same document is given while its score is at least this share of the best one's."""
    close_quotes_elsewhere: float = 0.92
    """The same for quotes of other documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardrailPolicy:
    hold_back_tokens: int = 150
    tail_characters: int = 60
    """Held back after that, so that a forbidden phrase split over pieces is never half shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePolicy:
    targets: int = 4
    chunks: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPolicy:
    tokens: int = 300
    overlap: float = 0.05
    overlap_repetitive: float = 0.10
    tiny_tokens: int = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    gate: GatePolicy = GatePolicy()
    routing: RoutingPolicy = RoutingPolicy()
    retrieval: RetrievalPolicy = RetrievalPolicy()
    generation: GenerationPolicy = GenerationPolicy()
    guardrail: GuardrailPolicy = GuardrailPolicy()
    references: ReferencePolicy = ReferencePolicy()
