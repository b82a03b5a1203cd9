"""Which references matter for an answer, and what is named by what it regulates."""

from __future__ import annotations

import pytest

from engine.policy import ReferencePolicy
from engine.stages.pointers import Pointer, pointers
from engine.text.references.procedures import find_procedures
from tests.fakes import chunk

TEXT = (
    "A lost key is replaced by the porter within two days. The price is set out in section 9.\n\n"
    "Bicycles stand in the cellar, see section 4.\n\n"
    "The [porter](staff.md) is paid by the house."
)


def found(draft: str, question: str = "Who replaces a lost key?", text: str = TEXT) -> list[Pointer]:
    return pointers(question, draft, [chunk(text=text)], ReferencePolicy())


def markers(draft: str, question: str = "Who replaces a lost key?") -> list[tuple[str, bool]]:
    return [(pointer.mention.marker, pointer.said) for pointer in found(draft, question)]


def test_what_the_draft_says_comes_first_then_what_stands_beside_it() -> None:
    assert markers("A lost key is replaced by the porter within two days.") == [("section 9", False)]
    assert found("A lost key is replaced by the porter within two days.")[0].beside
    assert markers("Bicycles stand in the cellar, see section 4.", "Where are bicycles?") == [("section 4", True)]


def test_what_the_question_names_is_no_pointer() -> None:
    assert markers("The price is set out in section 9.", "What does section 9 say of the price?") == []


def test_what_stands_elsewhere_in_the_chunk_is_no_pointer() -> None:
    assert markers("The house pays.", "Who pays?") == []


def test_a_linked_word_is_followed_only_where_the_text_points() -> None:
    text = "The [porter](staff.md) is paid by the house."
    (bare,) = found(text, "Who pays the porter?", text=text)
    assert (bare.said, bare.is_link) == (False, True)
    (pointing,) = found("For wages see [the list](staff.md).", "Who pays the porter?", text="Nothing.")
    assert (pointing.said, pointing.is_link) == (True, False)


def test_nothing_cited_points_nowhere() -> None:
    assert pointers("Who?", "See section 9.", [], ReferencePolicy()) == []


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("принимаются в порядке, предусмотренном для принятия закона, и вступают в силу", "принятия закона"),
        ("оплачивается на условиях, установленных для гостевых комнат.", "гостевых комнат"),
        ("is handled under the rules for lost luggage and paid at once", "lost luggage"),
        ("in the manner prescribed for the adoption of a budget.", "adoption of a budget"),
    ],
)
def test_what_is_named_by_what_it_regulates(text: str, topic: str) -> None:
    (mention,) = find_procedures(text)
    assert mention.term == topic
    assert mention.marker == text[mention.start : mention.end]
    assert mention.marker.endswith(topic)


@pytest.mark.parametrize(
    "text", ["в порядке очереди", "for the rules", "установленном порядке", "under the bed for a day"]
)
def test_what_regulates_nothing(text: str) -> None:
    assert list(find_procedures(text)) == []


@pytest.mark.parametrize(
    "note",
    [
        "(в ред. Федеральных законов от 02.12.2019 № 412-ФЗ, от 31.07.2020 № 268-ФЗ)",
        "(Наименование в редакции Федерального закона от 05.02.2014 № 2-ФЗ)",
        "(часть третья введена [Федеральным законом](law.html) от 29.12.2004 № 189-ФЗ)",
        "(as amended by Regulation (EU) 2018/1725)",
    ],
)
def test_a_note_on_what_gave_a_text_its_words_is_no_pointer(note: str) -> None:
    said = f"The porter replaces a lost key. {note}"
    assert found(said, text=said) == []
    assert found("The porter replaces a lost key.", text=said) == []
    (pointing,) = found(f"{said} The price: see section 9.", text="Nothing.")
    assert pointing.mention.marker == "section 9"


@pytest.mark.parametrize(
    "pointing",
    [
        "The order (approved by Regulation (EU) 2018/1725) holds.",
        "Порядок (установлен Федеральным законом от 29.12.2004 № 189-ФЗ) един.",
    ],
)
def test_a_law_in_brackets_that_is_no_such_note_is_a_pointer(pointing: str) -> None:
    assert [one.said for one in found(pointing, text=pointing)] == [True]
