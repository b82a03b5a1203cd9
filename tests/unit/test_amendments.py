"""Notes on which law gave a provision its words."""

from __future__ import annotations

import pytest

from engine.text.amendments import amendment_notes, is_amendment_note


@pytest.mark.parametrize(
    "note",
    [
        "(в ред. Федеральных законов от 02.12.2019 № 412-ФЗ, от 31.07.2020 № 268-ФЗ)",
        "(Наименование в редакции Федерального закона от 05.02.2014 № 2-ФЗ)",
        "(Дополнение частью - Федеральный закон от 28.12.2016 № 489-ФЗ)",
        "(Статья утратила силу - Федеральный закон от 28.12.2016 № 489-ФЗ (с оговоркой))",
        "(Пункт 4 исключён. - Закон от 1.2.2001 № 3-ФЗ)",
        "(as amended by Regulation (EU) 2018/1725)",
    ],
)
def test_a_note_is_known_alone_and_in_a_text(note: str) -> None:
    assert is_amendment_note(note)
    assert is_amendment_note(f"{note}. ")
    text = f"Отпуск длится 28 дней. {note} Он оплачен."
    assert not is_amendment_note(text)
    ((start, end),) = amendment_notes(text)
    assert text[start:end] == note


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Отпуск.",
        "(за исключением субботы)",
        "(далее - Закон № 3-ФЗ)",
        "(see section 7)",
        "(код введён гостем)",
        "Введён закон № 3-ФЗ.",
    ],
)
def test_other_text_is_no_note(text: str) -> None:
    assert amendment_notes(text) == []
    assert not is_amendment_note(text)
