"""The reference grammar."""

from __future__ import annotations

import pytest

from engine.text.references import expand_labels, find_mentions, points_only
from engine.text.stems import content_stems


@pytest.mark.parametrize(
    ("text", "kind", "labels"),
    [
        ("Срок указан в разделе 7.2.", "section", ["7.2"]),
        ("см. раздел 7.2", "section", ["7.2"]),
        ("в соответствии с п. 3.4 договора", "section", ["3.4"]),
        ("согласно статье 12 договора", "section", ["12"]),
        ("по правилам разделов 3.1 и 3.4-3.6", "section", ["3.1", "3.4", "3.5", "3.6"]),
        ("см. приложение А", "appendix", ["А"]),
        ("цены в таблице 2", "table", ["2"]),
        ("as set out in Article 12(3)", "section", ["12"]),
        ("see Sections 4.1, 4.2 and 5", "section", ["4.1", "4.2", "5"]),
        ("the limits of Annex B", "appendix", ["B"]),
        ("Table 2 lists them", "table", ["2"]),
        ("§ 4 applies", "section", ["4"]),
        ("глава IV", "section", ["IV"]),
    ],
)
def test_finds(text: str, kind: str, labels: list[str]) -> None:
    (mention,) = find_mentions(text)
    assert (mention.kind, list(mention.labels)) == (kind, labels)
    assert mention.marker in text


@pytest.mark.parametrize(
    "text",
    [
        "Откройте раздел «Настройки»",
        "в п. 5 часов вечера",
        "пункт и раздел",
        "the table is set",
        "Article about nothing",
        "по 5 минут",
        "стать лучше",
    ],
)
def test_does_not_see_a_reference_where_there_is_none(text: str) -> None:
    assert find_mentions(text) == []


def test_a_range_too_long_to_be_meant_keeps_its_ends() -> None:
    assert expand_labels("1-500") == ["1", "500"]


@pytest.mark.parametrize(
    ("question", "draft", "only"),
    [
        ("Когда вернут залог?", "Залог возвращается в срок, указанный в разделе 7.2.", True),
        ("When is the deposit returned?", "The deposit is returned within the period set out in Section 7.2.", True),
        ("Когда вернут залог?", "Залог возвращают за десять рабочих дней на карту жильца (раздел 7.2).", False),
        ("Когда вернут залог?", "Залог возвращают сразу.", False),
    ],
)
def test_a_draft_that_only_points(question: str, draft: str, only: bool) -> None:
    assert points_only(draft, frozenset(content_stems(question)), content_stems(draft)) is only
