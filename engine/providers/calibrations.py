"""How embedders' cosines map to the score on which 0.92 (direct) and 0.78 (adjacent) are meant.

The knots of the bundled models were measured on Russian and English questions of one FAQ: the adjacent knot is the 95th
percentile of what unrelated questions reach, the direct knot the lowest cosine at which 99 % of the matches are right.
Both are those of the stricter language. For passages, 0 is the median of what the best passage reaches for an unrelated
question, 1 what one in ten right passages exceeds.
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
    same_language=knots(adjacent=0.473, direct=0.964),
    cross_language=knots(adjacent=0.448, direct=0.768),
    passage=((0.15, 0.0), (0.45, 1.0)),
    unrelated=0.30,
)

MULTILINGUAL_E5_SMALL = Calibration(
    same_language=knots(adjacent=0.872, direct=0.973),
    cross_language=knots(adjacent=0.822, direct=0.889),
    passage=((0.80, 0.0), (0.91, 1.0)),
    unrelated=0.82,
)

UNMEASURED = Calibration(
    same_language=knots(adjacent=0.80, direct=0.97),
    cross_language=knots(adjacent=0.75, direct=0.95),
)
"""For models that were not measured. Strict on purpose: a question that could have had its stored answer goes to the
documents instead, which costs a model call, while a wrong stored answer costs trust. Measure, and pass your own."""
