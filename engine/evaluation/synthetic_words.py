"""The words that made-up bases are made of: names of holiday parks, and templates of their documents and questions."""

from __future__ import annotations

from dataclasses import dataclass

from engine.types import Language

FIRST: dict[Language, list[str]] = {
    "en": (
        "Amber Birch Cedar Coral Crystal Dune Eagle Falcon Fern Garnet Glacier Granite Harbour Hazel Heron Indigo"
        " Ivory Jasper Juniper Lagoon Lark Linden Maple Meridian Mistral Nordic Opal Orchid Osprey Pearl Pine Quartz"
        " Raven Ruby Saffron"
    ).split(),
    "ru": (
        "Янтарный Берёзовый Кедровый Коралловый Хрустальный Песчаный Орлиный Соколиный Гранатовый Ледяной"
        " Гранитный Ореховый Лазурный Индиговый Яшмовый Можжевеловый Липовый Северный Опаловый Жемчужный Сосновый"
        " Кварцевый Рубиновый Шафрановый Серебряный Туманный Вересковый Ольховый Рябиновый Каштановый Малахитовый"
        " Бирюзовый Медовый"
        " Кленовый Тихий"
    ).split(),
}
SECOND: dict[Language, list[str]] = {
    "en": (
        "Bay Beach Bluff Bridge Cape Cliff Coast Cove Creek Dale Falls Field Ford Garden Glen Hill Isle Lake Lodge"
        " Marsh Mill Moor Pass Peak Point Pond Reach Ridge Rock Sands Shore Spring Stream Vale"
    ).split(),
    "ru": (
        "берег залив мыс утёс мост луг ручей водопад сад холм остров пруд маяк бор перевал пик дол родник плёс яр хутор"
        " причал скит рейд затон лог кряж стан тракт склон двор парк край простор"
    ).split(),
}


@dataclass(frozen=True, slots=True)
class Value:
    """A figure that is another one in every domain. `form` has one %d."""

    name: str
    form: dict[Language, str]
    least: int
    most: int
    step: int = 1


@dataclass(frozen=True, slots=True)
class Sheet:
    """A document that all domains have, alike but for its values; `texts` hold {name}s of values, never the domain."""

    collection: str
    file: str
    texts: dict[Language, str]


@dataclass(frozen=True, slots=True)
class Asking:
    """A question about one value. {park} is the domain's name."""

    value: str
    sheet: str
    texts: dict[Language, str]


COLLECTIONS: dict[str, dict[Language, str]] = {
    "stays": {"en": "Cabins and pitches", "ru": "Домики и места"},
    "house": {"en": "House rules", "ru": "Правила проживания"},
    "leisure": {"en": "Leisure", "ru": "Отдых"},
}
_MONEY: dict[Language, str] = {"en": "%d euros", "ru": "%d рублей"}
VALUES = (
    Value("cabin", _MONEY, 60, 290),
    Value("pitch", _MONEY, 11, 59),
    Value("deposit", _MONEY, 100, 990, 10),
    Value("quiet", {"en": "%d p.m.", "ru": "%d часов вечера"}, 8, 11),
    Value("dogs", {"en": "%d dogs", "ru": "%d собаки"}, 2, 4),
    Value("boat", _MONEY, 5, 55),
    Value("sauna", _MONEY, 12, 98),
    Value("pool", {"en": "%d metres", "ru": "%d метров"}, 8, 50),
)
SHEETS = (
    Sheet(
        "stays",
        "prices",
        {
            "en": "# Prices of cabins and pitches\n\n## Cabins\n\nA cabin for four costs **{cabin}** a night. Linen and"
            " towels are ready when guests arrive.\n\n## Pitches\n\nA pitch for a tent costs **{pitch}** a night."
            " Electricity is metered apart.\n",
            "ru": "# Цены домиков и мест\n\n## Домики\n\nДомик на четверых стоит **{cabin}** за ночь. Бельё и полотенца"
            " готовы к приезду гостей.\n\n## Места для палаток\n\nМесто для палатки стоит **{pitch}** за ночь."
            " Электричество считают отдельно.\n",
        },
    ),
    Sheet(
        "stays",
        "booking",
        {
            "en": "# Booking\n\n## Deposit\n\nA booking is held against a deposit of **{deposit}**. It is paid back"
            " after the cabin has been looked over.\n\n## Changes\n\nDates can be changed once if the season stays.\n",
            "ru": "# Бронирование\n\n## Залог\n\nБронь держат под залог **{deposit}**. Его возвращают, когда домик"
            " осмотрен.\n\n## Изменения\n\nДаты можно сменить один раз, если сезон тот же.\n",
        },
    ),
    Sheet(
        "house",
        "rules",
        {
            "en": "# House rules\n\n## Quiet hours\n\nQuiet hours begin at **{quiet}**. Music outside ends by then.\n\n"
            "## Dogs\n\nUp to **{dogs}** may live in one cabin. They are kept on a lead between the cabins.\n",
            "ru": "# Правила\n\n## Тихие часы\n\nТихие часы начинаются в **{quiet}**. К этому времени музыка на улице"
            " умолкает.\n\n## Собаки\n\nВ одном домике могут жить до **{dogs}**. Между домиками их водят на поводке.\n",
        },
    ),
    Sheet(
        "leisure",
        "water",
        {
            "en": "# Boats and pool\n\n## Boats\n\nA rowing boat costs **{boat}** an hour. Life jackets are lent"
            " with it.\n\n## Pool\n\nThe pool is **{pool}** long. Children swim there with an adult.\n",
            "ru": "# Лодки и бассейн\n\n## Лодки\n\nЛодка с вёслами стоит **{boat}** в час. Жилеты дают вместе"
            " с ней.\n\n## Бассейн\n\nДлина бассейна **{pool}**. Дети плавают там со взрослыми.\n",
        },
    ),
    Sheet(
        "leisure",
        "sauna",
        {
            "en": "# Sauna\n\nThe sauna costs **{sauna}** an evening. It is heated on request, two hours ahead.\n",
            "ru": "# Сауна\n\nСауна стоит **{sauna}** за вечер. Её топят по заявке, за два часа.\n",
        },
    ),
)
ASKINGS = (
    Asking(
        "cabin",
        "stays/prices",
        {"en": "What is a night in a cabin at {park}?", "ru": "Почём ночь в домике в парке «{park}»?"},
    ),
    Asking(
        "pitch",
        "stays/prices",
        {"en": "What do I pay to put up a tent at {park}?", "ru": "Сколько стоит поставить палатку в парке «{park}»?"},
    ),
    Asking(
        "deposit",
        "stays/booking",
        {"en": "How big is the deposit at {park}?", "ru": "Какой залог берут в парке «{park}»?"},
    ),
    Asking(
        "quiet",
        "house/rules",
        {"en": "From when must it be quiet at {park}?", "ru": "С какого часа надо не шуметь в парке «{park}»?"},
    ),
    Asking(
        "dogs",
        "house/rules",
        {"en": "How many dogs can I bring to {park}?", "ru": "Сколько собак можно привезти в парке «{park}»?"},
    ),
    Asking(
        "boat",
        "leisure/water",
        {"en": "What does a boat cost at {park}?", "ru": "Сколько стоит лодка в парке «{park}»?"},
    ),
    Asking("sauna", "leisure/sauna", {"en": "How much is the sauna at {park}?", "ru": "Почём сауна в парке «{park}»?"}),
    Asking(
        "pool",
        "leisure/water",
        {"en": "How long is the pool at {park}?", "ru": "Какой длины бассейн в парке «{park}»?"},
    ),
)
COMPARE: dict[Language, str] = {
    "en": "Where is the {what} cheaper, at {park} or at {other}?",
    "ru": "Где дешевле {what}: в парке «{park}» или в парке «{other}»?",
}
COMPARED: dict[str, dict[Language, str]] = {
    "sauna": {"en": "sauna", "ru": "сауна"},
    "boat": {"en": "boat", "ru": "лодка"},
}
CHAIN: dict[Language, str] = {
    "en": "What do a night in a cabin and the sauna cost at {park}?",
    "ru": "Сколько стоят ночь в домике и сауна в парке «{park}»?",
}
TOTAL: dict[Language, str] = {
    "en": "What does the sauna cost at {park}, {other} and {third}?",
    "ru": "Сколько стоит сауна в парках «{park}», «{other}» и «{third}»?",
}
