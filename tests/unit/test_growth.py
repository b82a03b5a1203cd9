"""The effect of size, drawn."""

from __future__ import annotations

import re

import pytest

from engine.evaluation.growth import Point, growth_page, plot


def point(language: str, domains: int, ms: float) -> Point:
    return Point(
        language=language, domains=domains, questions=5, figures={"<domain>": 0.5}, route_ms=ms, total_ms=2 * ms
    )


def test_a_page_holds_all_points_and_loads_nothing() -> None:
    page = growth_page("t", [point(language, size, size / 10) for language in ("en", "ru") for size in (10, 100, 1000)])
    assert page.count("<svg") == 3
    assert page.count("<circle") == 3 * 6
    assert "&lt;domain&gt;" in page
    assert "http" not in page


def test_more_is_higher_and_further_right() -> None:
    drawn = plot("t", {"en": [(10, 1.0), (100, 2.0), (1000, 4.0)]})
    places = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', drawn)]
    assert places == sorted(places)
    assert [y for _, y in places] == sorted((y for _, y in places), reverse=True)
    steps = [after[0] - before[0] for before, after in zip(places, places[1:], strict=False)]
    assert steps[0] == pytest.approx(steps[1], abs=0.2), "the axis of sizes is logarithmic"


@pytest.mark.parametrize("line", [[], [(10, 0.0)], [(10, 3.0)]])
def test_little_can_be_drawn_too(line: list[tuple[int, float]]) -> None:
    assert plot("t", {"en": line} if line else {}).startswith("<svg")


def test_no_points_make_a_page_too() -> None:
    assert "<table>" in growth_page("t", [])


def test_lines_that_end_together_are_named_one_below_another() -> None:
    drawn = plot("t", {"en": [(10, 1.0), (100, 1.0)], "ru": [(10, 1.0), (100, 1.0)]})
    english, russian = (float(re.findall(rf'y="([\d.]+)" fill="#\w+">{name}<', drawn)[0]) for name in ("en", "ru"))
    assert abs(english - russian) >= 12
