"""What holds of the reference grammar for every text: nothing is lost, nothing is made up, and it stays linear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.references import find_mentions

RUSSIAN = {
    "section": "раздел раздела разделу разделом разделе разделы разделов разделам разделами разделах",
    "chapter": "глава главы главе главу главой глав главам главами главах гл.",
    "article": "статья статьи статье статью статьей статей статьям статьями статьях ст.",
    "part": "часть части частью частей частям частями частях",
    "clause": "пункт пункта пункту пунктом пункте пункты пунктов пунктам пунктами пунктах п.",
    "subclause": "подпункт подпункта подпункту подпунктом подпункте подпункты подпунктов подпунктам подпунктах подп.",
    "subparagraph": "абзац абзаца абзацу абзацем абзаце абзацы абзацев абзацам абзацами абзацах абз.",
    "table": "таблица таблицы таблице таблицу таблицей таблиц таблицам таблицами таблицах табл.",
    "figure": "рисунок рисунка рисунку рисунком рисунке рисунки рисунков рис.",
    "appendix": "приложение приложения приложению приложением приложении приложений приложениях прил.",
}
ENGLISH = {
    "section": "section sections sec. Section",
    "chapter": "chapter chapters ch. Chapter",
    "article": "article articles art. Article",
    "clause": "clause clauses cl. Clause",
    "paragraph": "paragraph paragraphs para. Paragraph",
    "rule": "rule rules Rule Rules",
    "part": "part parts Part",
    "table": "table tables Table",
    "figure": "figure figures fig. Figure",
    "appendix": "appendix annex annexes Annex",
}
SINGLE_NUMBERS = st.integers(1, 300).map(str)
NUMBERS = st.lists(st.integers(1, 30), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))
WORDS = st.sampled_from(
    [(word, name, "ru") for name, words in RUSSIAN.items() for word in words.split()]
    + [(word, name, "en") for name, words in ENGLISH.items() for word in words.split()]
)
JOINS = {"ru": [", ", " и ", " или ", ", и "], "en": [", ", " and ", " or ", ", and "]}


@given(WORDS, st.lists(NUMBERS, min_size=1, max_size=5, unique=True), st.data())
def test_every_list_in_every_case_is_found_with_exactly_its_labels(
    word: tuple[str, str, str], numbers: list[str], data: st.DataObject
) -> None:
    written, name, language = word
    text = numbers[0]
    for number in numbers[1:]:
        text += data.draw(st.sampled_from(JOINS[language])) + number
    before, after = ("Сказано: ", " текста") if language == "ru" else ("It says: ", " here")
    (mention,) = find_mentions(f"{before}{written} {text}{after}")
    assert (mention.labels, mention.word, mention.document) == (tuple(numbers), name, None)


@given(st.integers(1, 400), st.integers(0, 400), st.sampled_from(["-", "–", " - ", " — ", " по ", " to "]))
def test_ranges_expand_in_order_and_are_bounded(first: int, more: int, join: str) -> None:
    (mention,) = find_mentions(f"в разделах {first}{join}{first + 1 + more} сказано")
    labels = [int(label) for label in mention.labels]
    assert (labels[0], labels[-1]) == (first, first + 1 + more)
    assert labels == list(range(first, first + more + 2)) or len(labels) == 2
    assert len(labels) <= 21


@given(SINGLE_NUMBERS, SINGLE_NUMBERS, SINGLE_NUMBERS)
def test_a_chain_is_read_from_the_outside(article: str, part: str, clause: str) -> None:
    (mention,) = find_mentions(f"согласно пункту {clause} части {part} статьи {article} договора")
    assert (mention.word, mention.labels, mention.items) == ("article", (article,), (part, clause))


@given(st.text(alphabet="абвгд еж 0123456789.,;()-–«»\n", max_size=200))
def test_text_without_a_word_for_a_place_mentions_nothing(text: str) -> None:
    assert find_mentions(text) == []


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    for mention in find_mentions(text):
        assert text[mention.start : mention.end] == mention.marker


PIECES = (
    "1 1. 1, раздел§ (a) Article_6(1)(a)_ _и_1 п._ [ [a]( « ` Aa_ Aa_of_ Section_5_of_the_Aa_ ст._5_ _ \n 5<sup>1 a-b-"
    " пункта_2_части_3_статьи_4_ first_and_second_ указанн_ Закон_а_ Aaa_Law_ от_12.05.2024_№_ IV Section_I RFC_"
    " :ref:`a в_пункте_ закона_от_"
    " see_the_Aa_ defined_in_the_ «aa»_ Council_ Правил_проживания_ Section_5_(Aaa_ предыдущий_ ниже_ не_ниже_указан_"
    " this_the_present_following_ статья_5_(часть_1), _(часть_1,_"
).split(" ")


@pytest.mark.parametrize("piece", [piece.replace("_", " ") for piece in PIECES])
def test_long_text_of_one_piece_is_read_in_linear_time(piece: str) -> None:
    """100,000 characters; a pattern that tries every way to split them would not end within the tests' time limit."""
    text = (piece * (100_000 // len(piece) + 1))[:100_000]
    assert len(find_mentions(text)) <= len(text) // 2
