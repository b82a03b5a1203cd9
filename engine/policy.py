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
    sure: float = 0.8
    """A level narrows the search only from this confidence on; below it the search stays one level up."""
    model_calls: int = 2
    """Before an answer is written, all levels and the rewriting of a follow-up together."""
    clear_margin: float = 0.6
    """A level whose best choice leads the next by this much is left to the embeddings, also when there is a model."""
    listed: int = 30
    """A model is shown this many choices of a level; of more, those that the embeddings like best."""
    prior: float = 0.3
    """The share of a follow-up's weight that lies where the question before it was answered."""
    documents: int = 4
    close_documents: float = 0.6
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
    set_forth_weight: float = 0.08
    """For a chunk that names values as such: in bold, behind labels, in a table. Both count for the order alone."""
    statement_weight: float = 0.25
    """For the share of what is asked that one statement of a chunk has, for the order alone."""
    answer_type_weight: float = 0.04
    """For a chunk that has what is asked for: a figure, a time, a telephone number, an address."""
    named_weight: float = 0.1
    """For every chunk of a domain that the question calls by its name."""
    sufficient: float = 0.45
    """The score from which the best chunk is worth answering from."""
    duplicate_overlap: float = 0.7
    """Share of common word pairs from which two chunks with the same numbers say the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationPolicy:
    answer_tokens: int = 700
    remarks_seconds: float = 6.0
    """For the small call that describes an answer written as text; without it the source marks must do."""
    context_tokens: int = 2600
    quotes: int = 3
    quote_characters: int = 900
    close_quotes: float = 0.87
    """A further quote of the same document is given while its score is at least this share of the best one's."""
    close_quotes_elsewhere: float = 0.92
    """The same for quotes of other documents."""
    kind_asked_for: float = 0.75
    """Where no quote has the kind of thing asked for, the best one that has it is added from this share on."""
    each_domain: float = 0.6
    """Of each of several domains that a question names, the best quote is given from this share on."""
    worth_adding: float = 0.45
    """A second pass adds a quote from this share of the best first quote's score on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardrailPolicy:
    hold_back_tokens: int = 150
    tail_characters: int = 60
    """Held back after that, so that a forbidden phrase split over pieces is never half shown."""
    window_characters: int = 300
    """Before what is new, looked at again with it: phrases and facts are shorter."""
    judge_seconds: float = 8.0
    fail_closed: bool = False
    """Whether a draft that the model could not judge in time is refused; else the deterministic checks decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePolicy:
    targets: int = 4
    """How many places one second pass follows."""
    chunks: int = 8
    """How many chunks it adds of what the draft points at."""
    chunks_beside: int = 4
    """How many of what only the cited text beside it points at."""
    looked_at: int = 32
    """How many chunks of the places are read to choose those from."""
    everywhere: bool = True
    """Whether a number that the collection does not have is looked for in the whole base."""
    chooser_calls: int = 2
    """How many references that may mean several places are put to a model, one call each."""
    close: float = 0.4
    """Share of the question's telling words near a reference that the draft left out, for it to be followed."""
    gain: float = 0.15
    """Share of the question's telling words that only the place referred to has, for it to be followed unsaid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkPolicy:
    tokens: int = 300
    overlap: float = 0.05
    overlap_repetitive: float = 0.10
    tiny_tokens: int = 60
    headers: bool = True
    """Whether a chunk is indexed with where it stands ahead of its text; without only to measure what that is worth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    chunks: ChunkPolicy = ChunkPolicy()
    gate: GatePolicy = GatePolicy()
    routing: RoutingPolicy = RoutingPolicy()
    retrieval: RetrievalPolicy = RetrievalPolicy()
    generation: GenerationPolicy = GenerationPolicy()
    guardrail: GuardrailPolicy = GuardrailPolicy()
    references: ReferencePolicy = ReferencePolicy()
