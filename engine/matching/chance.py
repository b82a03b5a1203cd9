"""From signals to the chance of being right, and from that to the score on which 0.92 and 0.78 are meant."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from engine.matching.likeness import SIGNALS
from engine.policy import GatePolicy

Numbers = npt.NDArray[np.float64]

DIRECT_CHANCE = 0.97
"""What 0.92 stands for where a base has too few questions of its own to measure it: the least chance of being right at
which a stored answer is served. Those above are mostly far above, so that of all served at least 99 % are right."""
ADJACENT_CHANCE = (0.15, 0.6)
"""Bounds of what 0.78 stands for; between them it is the chance that 19 of 20 unrelated questions stay below."""

_NO_BOUND = -100.0
_COSINE, _LETTERS, _COVERED = (SIGNALS.index(name) for name in ("cosine", "letters", "question covered"))
_STEPS = 50
_CONVERGED = 1e-7
_UNLIKE_PERCENT = 2.0
_WEAK_PERCENT = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """A logistic model of the signals, with the chances that the two thresholds stand for."""

    weights: tuple[float, ...]
    """One for each of `SIGNALS`, then the constant."""
    unrelated: float
    """The cosine that half of the unrelated questions reach."""
    adjacent: float = 0.3
    direct: float = DIRECT_CHANCE
    least_cosine: float = _NO_BOUND
    least_letters: float = _NO_BOUND
    """Below these signals a question is unlike the base's own ones, whatever else speaks for an entry."""
    weak_covered: float = _NO_BOUND
    weak_cosine: float = _NO_BOUND
    """Below both, too: what is asked is mostly unknown to the entry, and nothing makes up for it."""

    def __post_init__(self) -> None:
        if len(self.weights) != len(SIGNALS) + 1:
            raise ValueError(f"{len(self.weights)} weights for {len(SIGNALS)} signals and the constant")

    def of(self, signals: Numbers) -> Numbers:
        """The chance, 0..1, that the entry answers the question; for one row of signals or many."""
        weights = np.array(self.weights)
        return np.asarray(1 / (1 + np.exp(-np.clip(signals @ weights[:-1] + weights[-1], -30, 30))))

    def unlike(self, signals: Numbers) -> npt.NDArray[np.bool_]:
        """Whether what is asked is too far from every wording of the entry; for one row of signals or many."""
        cosine, letters, covered = (signals[..., place] for place in (_COSINE, _LETTERS, _COVERED))
        weak = (covered < self.weak_covered) & (cosine < self.weak_cosine)
        return np.asarray((cosine < self.least_cosine) | (letters < self.least_letters) | weak, dtype=np.bool_)

    def bounded_by(self, own: Numbers) -> Chance:
        """With the bounds that so small a share of these questions, which are right, lies below."""
        cosine, letters, covered = np.percentile(own[:, [_COSINE, _LETTERS, _COVERED]], _UNLIKE_PERCENT, axis=0)
        return replace(
            self,
            least_cosine=float(cosine),
            least_letters=float(letters),
            weak_covered=float(covered),
            weak_cosine=float(np.percentile(own[:, _COSINE], _WEAK_PERCENT)),
        )

    def score(self, chance: float, policy: GatePolicy) -> float:
        """The chance on the scale where `policy.direct` and `policy.adjacent` are the thresholds."""
        return float(
            np.interp(chance, [0.0, self.adjacent, self.direct, 1.0], [0.0, policy.adjacent, policy.direct, 1.0])
        )


PRIOR = Chance(
    weights=(1.0, 5.0, 2.2, 4.0, 0.0, 2.5, 0.7, 0.0, 3.0, -1.5),
    unrelated=0.28,
)
"""Where an FAQ has no questions of its own to learn from. Measured by `fitted` with USE on questions about made-up and
public FAQs of 1 to 25 wordings an entry (the sample knowledge, train questions of CLINC150 and BANKING77, every other
question of RUTUBE), rounded."""


def fitted(signals: Numbers, right: npt.NDArray[np.bool_], counts: Numbers, prior: Chance) -> Chance:
    """The most probable weights, given questions that count `counts` times each, and a normal prior around `prior`.

    Newton's method (iteratively reweighted least squares).
    """
    if not len(signals):
        return prior
    rows = np.c_[signals, np.ones(len(signals))]
    centre = np.array(prior.weights)
    precision = np.diag(1 / _DOUBT**2)

    def loss(weights: Numbers) -> float:
        odds = rows @ weights
        misfit = counts @ (np.logaddexp(0, odds) - right * odds)
        return float(misfit + (weights - centre) @ precision @ (weights - centre) / 2)

    weights = centre.copy()
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (counts * (chances - right)) + precision @ (weights - centre)
        curvature = (rows * (counts * chances * (1 - chances))[:, None]).T @ rows + precision
        step = np.linalg.solve(curvature, slope)
        # Halved while it would lead uphill, which Newton's method may when chances are near 0 or 1.
        while loss(weights - step) > loss(weights) and float(np.abs(step).max()) >= _CONVERGED:
            step = step / 2
        weights -= step
        if float(np.abs(step).max()) < _CONVERGED:
            break
    return replace(prior, weights=tuple(float(one) for one in weights))


_DOUBT = np.array([5.0, 5.0, 2.0, 2.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0])
"""How far the true weights may be from the prior's, as standard deviations."""
