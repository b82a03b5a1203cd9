"""What belongs to one person or one case is found in a reply, and what is general is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.personal import SpecificKind, masked, specifics


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Здравствуйте, Иван! Всё готово.", [("name", "Иван")]),
        ("Передайте Марии Ивановой ключ", [("name", "Марии Ивановой")]),
        ("Спросите Анну Петровну", [("name", "Анну Петровну")]),
        ("Приедет Иванов И. И.", [("name", "Иванов И. И.")]),
        ("С уважением,\nОльга", [("name", "Ольга")]),
        ("Dear John, it is open", [("name", "John")]),
        ("Ask Mr. Brown about it", [("name", "Brown")]),
        ("Hi Kate Smith, it is open", [("name", "Kate Smith")]),
        ("Пишите на i.petrov@mail.example.ru, @ivan_p", [("email", "i.petrov@mail.example.ru"), ("handle", "@ivan_p")]),
        ("Звоните +7 (912) 345-67-89", [("phone", "+7 (912) 345-67-89")]),
        ("Call 020 7946 0958 please", [("phone", "020 7946 0958")]),
        ("Ваш заказ № A-12345 в пути", [("number", "заказ № A-12345")]),
        ("По договору 12/34-АБ можно", [("number", "договору 12/34-АБ")]),
        ("Your ticket 55128 is closed", [("number", "ticket 55128")]),
        ("Трек RA123456789RU", [("number", "Трек RA123456789RU")]),
        ("Карта 4276 1234 5678 9012", [("number", "Карта 4276 1234 5678 9012")]),
        ("Приедет 05.06.2026 или 7 июня", [("date", "05.06.2026"), ("date", "7 июня")]),
        ("On May 5th or tomorrow", [("date", "May 5th"), ("date", "tomorrow")]),
        ("Вернём 1 500 ₽", [("sum", "1 500 ₽")]),
        ("You get $25.50 back", [("sum", "$25.50")]),
        ("Дарим скидку 15 % в порядке исключения", [("favour", "скидку 15 %"), ("favour", "в порядке исключения")]),
        ("Промокод «SALE2026» ваш", [("favour", "Промокод «SALE2026")]),
        ("a one-off 10% discount just for you", [("favour", "one-off 10% discount"), ("favour", "just for you")]),
        ("Привезём на ул. Ленина, д. 5, кв. 7", [("address", "ул. Ленина, д. 5, кв. 7")]),
        ("Come to 221B Baker Street", [("address", "221B Baker Street")]),
        ("Мы уже вернули деньги", [("deed", "Мы уже вернули")]),
        ("I have just reset it", [("deed", "I have just reset")]),
        ("See https://shop.example/o/12345?token=1", [("link", "https://shop.example/o/12345?token=1")]),
    ],
)  # fmt: skip
def test_what_belongs_to_one_case_is_found(text: str, found: list[tuple[SpecificKind, str]]) -> None:
    assert [(one.kind, one.text) for one in specifics(text)] == found


@pytest.mark.parametrize(
    "text",
    [
        "Депозит возвращают в течение 14 дней после выезда, см. раздел 7.2.",
        "Уважаемый клиент, справку выдаёт отдел кадров. Добрый день! Вам перезвонят.",
        "Кошку завести можно, если соседи не против. Скидки бывают весной.",
        "Dear customer, the deposit is returned within 14 days. Section 7.2 of the rules applies.",
        "Hello! You can bring a cat. May I come in? Will it be open from 9:00 to 18:00?",
        "Read https://example.com/rules first. There are no discounts in winter.",
    ],
)
def test_what_is_general_is_left_alone(text: str) -> None:
    assert specifics(text) == ()


def test_the_people_involved_are_known_by_the_names_they_go_by() -> None:
    found = specifics("Ринату всё отправили, и зайцеву тоже", names=["Ринат Зайцев", "Support team"])
    assert [one.text for one in found] == ["Ринату", "зайцеву"]


def test_what_is_public_already_is_no_secret() -> None:
    faq = ["Звоните нам: +7 (000) 555-01-23 или help@example.com."]
    text = "Звоните +7 000 555-01-23, пишите help@example.com, или лично мне: +7 000 555-99-99"
    assert [one.text for one in specifics(text, known=faq)] == ["+7 000 555-99-99"]


def test_masked_text_tells_the_matter_and_not_the_person() -> None:
    text = "Меня зовут Иван Петров, заказ № 12345, телефон 8 912 345-67-89: когда вернут 500 ₽?"
    assert masked(text) == "Меня зовут …, …, телефон …: когда вернут 500 ₽?"


@pytest.mark.parametrize("piece", ["1", "1 ", "1.", "A1-", "А", "Аб", " ", "a@", "скидка ", "ул. Ленина ", "https://1"])
def test_no_text_is_too_long_to_be_read(piece: str) -> None:
    """A pattern that looks again and again at the same letters would not end here."""
    masked(piece * (60_000 // len(piece)))


@given(st.text(max_size=400), st.lists(st.text(max_size=20), max_size=2))
def test_any_text_is_read(text: str, names: list[str]) -> None:
    found = specifics(text, names=names)
    assert [one.text for one in found] == [text[one.start : one.end] for one in found]
    ends = [0, *(one.end for one in found)]
    assert all(one.start >= end for one, end in zip(found, ends, strict=False))
    masked(text)


@given(
    st.sampled_from(["Ответ: {} и всё.", "We say {} to you", "{}", "см. ({})", "Здравствуйте! {}, ждём"]),
    st.one_of(
        st.integers(10**6, 10**15).map(str),
        st.from_regex(r"\+[1-9][0-9]{1,2} [0-9]{3} [0-9]{3}-[0-9]{2}-[0-9]{2}", fullmatch=True),
        st.from_regex(r"8 ?\([0-9]{3}\) ?[0-9]{3}-[0-9]{2}-[0-9]{2}", fullmatch=True),
        st.from_regex(r"(заказ|договор|order|ticket) (№ ?|#|)[A-Z]{0,2}-?[0-9]{3,8}", fullmatch=True),
        st.from_regex(r"[a-z]{1,8}\.[a-z]{1,8}@[a-z]{2,8}\.(ru|com)", fullmatch=True),
        st.from_regex(r"[1-9][0-9]{0,2} [0-9]{3} (₽|руб\.|USD)", fullmatch=True),
    ),
)
def test_whatever_stands_around_it_each_digit_and_address_is_found(frame: str, secret: str) -> None:
    text = frame.format(secret)
    start = text.index(secret)
    covered = {place for one in specifics(text) for place in range(one.start, one.end)}
    telling = {start + place for place, letter in enumerate(secret) if letter.isdigit() or letter == "@"}
    assert telling <= covered
