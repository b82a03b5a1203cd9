"""How embedders' cosines map to the score on which 0.92 (direct) and 0.78 (adjacent) are meant.

The gate scores questions in an entry's own language by the calibrated chance of being right (`engine.matching`). From
here
it takes the cosine of unrelated questions, until a calibration has measured it on the base, and the knots between
languages.
Measured with the normaliser n2 on the sample knowledge and the shipped background questions: the adjacent knot is the
95th
percentile of what unrelated questions reach, the direct knot between languages the lowest cosine at which 99 % of the
matches are right; those of the stricter language. The direct knot within a language is an earlier measurement. For
passages,
0 is the median of what the best passage reaches for an unrelated question, 1 what one in ten right passages exceeds.
"""

from __future__ import annotations

from engine.policy import GatePolicy
from engine.ports import Calibration

_ADJACENT = GatePolicy().adjacent
_DIRECT = GatePolicy().direct


def knots(*, adjacent: float, direct: float) -> tuple[tuple[float, float], ...]:
    """The map that sends the cosine `adjacent` to the adjacent threshold and `direct` to the direct one."""
    if not 0 < adjacent < direct < 1:
        raise ValueError(f"cosines must rise: 0 < adjacent ({adjacent}) < direct ({direct}) < 1")
    return ((0.0, 0.0), (adjacent, _ADJACENT), (direct, _DIRECT), (1.0, 1.0))


USE_MULTILINGUAL = Calibration(
    same_language=knots(adjacent=0.42, direct=0.964),
    cross_language=knots(adjacent=0.426, direct=0.828),
    passage=((0.15, 0.0), (0.45, 1.0)),
    unrelated=0.30,
)

MULTILINGUAL_E5_SMALL = Calibration(
    same_language=knots(adjacent=0.854, direct=0.973),
    cross_language=knots(adjacent=0.808, direct=0.913),
    passage=((0.80, 0.0), (0.91, 1.0)),
    unrelated=0.81,
)

UNMEASURED = Calibration(
    same_language=knots(adjacent=0.80, direct=0.97),
    cross_language=knots(adjacent=0.75, direct=0.95),
)
"""For models that were not measured. Strict on purpose: a question that could have had its stored answer goes to the
documents instead, which costs a model call, while a wrong stored answer costs trust. Measure, and pass your own."""
