"""Which terms a text defines, and which lines are captions."""

from __future__ import annotations

import pytest

from engine.ingest.objects import defined_terms, find_objects, read_caption
from engine.text.glossaries import is_glossary
from engine.types import Block, Section


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ('"Tenant" means a person who rents.', ["Tenant"]),
        ("(4) ‘tenant’ means a person", ["tenant"]),
        ('**"Rent"** shall mean the sum', ["Rent"]),
        ('"Rent" will have the meaning(s) given in the law', ["Rent"]),
        ('"Rent" or "Fee" means the sum', ["Rent", "Fee"]),
        ("“**Late Fee**” or “**LF**” is defined in Section 4.", ["Late Fee", "LF"]),
        ("‘domain name system’ or ‘DNS’ means", ["domain name system", "DNS"]),
        ("‘consent’ of the tenant means any sign of will", ["consent"]),
        ("‘tester’, for the purpose of this annex, means a person", ["tester"]),
        ('"consent" by a user corresponds to that of the other law', ["consent"]),
        ('A "cache" is a local store.', ["cache"]),
        ('The place is called a "registry" by all.', ["registry"]),
        ('pay within ten days (the "**Grace Period**")', ["Grace Period"]),
        ("each office (collectively, “Offices”)", ["Offices"]),
        ("«Абонент» означает лицо", ["Абонент"]),
        ("«Абонент» — лицо, заключившее договор", ["Абонент"]),
        ("компания (далее - Оператор) обязуется", ["Оператор"]),
        ("компания (далее также — Оператор) обязуется", ["Оператор"]),
        ("компания (именуемая в дальнейшем «Оператор»)", ["Оператор"]),
        ("лица (далее в настоящей главе - заявитель)", ["заявитель"]),
        ("лица (далее для целей настоящей статьи - наниматели)", ["наниматели"]),
        ("сборы (далее соответственно - сбор, взнос)", ["сбор", "взнос"]),
        (
            "аккредитив (далее - переводной (трансферабельный) аккредитив).",
            ["переводной (трансферабельный) аккредитив"],
        ),
    ],
)
def test_terms_are_found_anywhere(text: str, terms: list[str]) -> None:
    assert defined_terms(text, in_glossary=False) == terms


@pytest.mark.parametrize(
    "text",
    [
        'What does "fw" mean, "firmware"?',
        "the so-called “cookies”",
        'archive (".deb") file',
        'a letter ("de") of the code',
        'to represent ("take the place of") the state',
        'sign ("LATIN SMALL LETTER A") of',
        'He said "no" and left.',
        'what others refer to as a sign, "charset" refers to as another',
        "рассчитывается далее (далее см. раздел 5) и",
        "Кнопка «Сохранить» находится внизу.",
        "**Note:** mind the gap.",
        "Rent - the sum that is paid.",
    ],
)
def test_other_quotes_and_brackets_define_nothing(text: str) -> None:
    assert defined_terms(text, in_glossary=False) == []


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("**Tenant**: a person who rents", ["Tenant"]),
        ("- **Tenant** — a person who rents", ["Tenant"]),
        ("**Tenant**, **Renter** — a person who rents", ["Tenant", "Renter"]),
        ("**Tenant** (person) — who rents", ["Tenant"]),
        ("Арендатор — лицо, которое платит.", ["Арендатор"]),
        ("1) Арендатор - лицо, которое платит.", ["Арендатор"]),
        ('"Projects" are components.', ["Projects"]),
        ("A *source tree* is a checkout.", ["source tree"]),
        ("| Term | Meaning |\n| --- | --- |\n| Tenant | who rents |", ["Term", "Tenant"]),
        ("Few of all the methods allow it — its use depends.", []),
    ],
)
def test_a_glossary_needs_no_quotes(text: str, terms: list[str]) -> None:
    assert defined_terms(text, in_glossary=True) == terms


@pytest.mark.parametrize(
    "title",
    [
        "Definitions",
        "Terms and Definitions",
        "Glossary of Terms",
        "Terminology and goals",
        "Key Terms",
        "Термины и определения",
        "Основные понятия",
        "Понятия, используемые в настоящих Правилах",
        "Список сокращений",
    ],
)
def test_glossaries_by_title(title: str) -> None:
    assert is_glossary(title)


@pytest.mark.parametrize(
    "title", ["Method Definitions", "Field Definitions", "Определения и обзор", "Terms of Payment", "Payment Terms"]
)
def test_other_titles_are_no_glossaries(title: str) -> None:
    assert not is_glossary(title)


def section(title: str, *texts: str) -> Section:
    blocks = tuple(Block(kind="paragraph", text=text) for text in texts)
    return Section(number="", title=title, level=1, parent=None, blocks=blocks)


def test_a_glossary_goes_before_what_is_said_in_passing() -> None:
    found = find_objects(
        "Rules", [section("Purpose", "‘Rent’ means much."), section("Definitions", "‘rent’ means a sum.")], []
    )
    assert [(one.label, one.section) for one in found] == [("rent", 1)]


@pytest.mark.parametrize(
    ("text", "kind", "label", "title"),
    [
        ("Таблица 1 - Платежи", "table", "1", "Платежи"),
        ("Таблица 2", "table", "2", ""),
        ("*Таблица А.1. Платежи*", "table", "А.1", "Платежи"),
        ("Табл. 3. Платежи", "table", "3", "Платежи"),
        ("Таблица № 4 — Платежи", "table", "4", "Платежи"),
        ("Table 5-1: Fees", "table", "5-1", "Fees"),
        ("Table 5–1: Fees", "table", "5-1", "Fees"),
        ("**Table 20.1.** synchronous modes", "table", "20.1", "synchronous modes"),
        ("Table II. Fees", "table", "II", "Fees"),
        ("Рис. 3. Схема", "figure", "3", "Схема"),
        ("Рис.3 Схема", "figure", "3", "Схема"),
        ("Рисунок 3 – Схема", "figure", "3", "Схема"),
        ("Fig. 2: The plan", "figure", "2", "The plan"),
        ("Figure 2a. The plan", "figure", "2a", "The plan"),
        ("Формула 1", "formula", "1", ""),
    ],
)
def test_captions(text: str, kind: str, label: str, title: str) -> None:
    caption = read_caption(text)
    assert caption is not None
    assert (caption.kind, caption.label, caption.title) == (kind, label, title)


@pytest.mark.parametrize(
    "text",
    [
        "Table 2 shows the fees.",
        "Таблица 1 содержит тарифы",
        "Tables are read row by row.",
        "Рисунок художника",
        "Table of",
    ],
)
def test_sentences_are_no_captions(text: str) -> None:
    assert read_caption(text) is None
