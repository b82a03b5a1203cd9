"""Sixty prepared answers for benchmarks/bench_guardrail.py: faithful paraphrases, and the same with one thing spoilt.

Each faithful answer is followed by a spoilt one on the same context. The texts are about a made-up company.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Spoilt = Literal["number", "date", "name", "negation", "step"]


@dataclass(frozen=True, slots=True)
class Prepared:
    context: str
    question: str
    faithful: str
    spoilt: str
    by: Spoilt


_GYM = """Абонемент спортзала «Вершина». Абонемент действует 90 дней со дня первого посещения. Заморозить его можно один
раз, на срок от 7 до 30 дней. Во время заморозки посещать зал нельзя. Деньги за неиспользованные дни возвращаются в
течение 10 рабочих дней по заявлению, которое подаётся администратору. Без пропуска в зал не пускают. Тренировки с
тренером Олегом Снегирёвым идут по вторникам и четвергам с 18:00 до 20:00. Полотенце выдаётся бесплатно. Разовое
посещение стоит 850 рублей, гостевое посещение стоит 1200 рублей."""

_LIBRARY = """Правила читального зала. Книги выдаются на 21 день, журналы выдаются на 5 дней. Продлить срок можно дважды, если
книгу не ждёт другой читатель. За каждый день просрочки взимается 12 рублей. Редкие издания на дом не выдаются. Читальный
зал закрыт 31 декабря и 1 января. Заведующая залом Вера Корсакова принимает по средам с 11:00 до 13:00. Потерянную книгу
заменяют такой же или равной по цене. Копировать страницы разрешено, кроме рукописей. Заказ из хранилища приходит за два
часа, заявки принимаются до 16:00."""

_DELIVERY = """Доставка мебели «Липовый дом». Доставка по городу стоит 1900 рублей, за городом добавляется 45 рублей за каждый
километр. Подъём на этаж без лифта оплачивается отдельно. Заказ хранится на складе бесплатно 14 дней. Покупатель осматривает
мебель при водителе и подписывает акт. После подписания акта жалобы на царапины не принимаются. Перенести доставку можно не
позднее чем за сутки, по телефону или в личном кабинете. Водитель Тимур Алиев возит заказы в Заречный район. С 1 мая по 30
сентября доставка работает и по воскресеньям. Сборка оплачивается картой или наличными."""

_GARDEN = """Greenhouse rental at Fernhill Gardens. A greenhouse is rented for six months, from 1 March to 31 August. The deposit
is 150 pounds and is returned within 20 days after the keys are handed back. Tenants water their plants themselves. Pets are
not allowed inside the greenhouses. Heating is included in the rent until 15 April. The gate is locked at 21:00. Lost keys cost
35 pounds. Ms Harriet Dale, the keeper, answers questions on Mondays and Fridays. Rent is not refunded when a tenant leaves
early. Tools may be borrowed free of charge for three days."""

_COURSE = """Evening pottery course at Kiln Lane. The course has 12 lessons of 90 minutes each and costs 240 pounds. Lessons are
held on Thursdays at 18:30. A missed lesson can be made up once, in another group. Clay and glaze are included in the price.
Finished pieces are fired within two weeks and kept for 60 days. Pieces that are not collected are given away. Children under
10 are not admitted. The teacher is Martin Oakes. Places are confirmed after payment. Cancelling is free until 5 September;
after that 25 percent of the price is kept."""

_PHONE = """Repair of phones at Quick Bench. Diagnosis is free and takes 2 hours. A battery is replaced for 48 euros, a screen is
replaced for 129 euros. The warranty on repairs is 6 months and does not cover water damage. Customers back up their data
before the repair. A phone is handed out only against the receipt. Phones that are not collected within 45 days are stored for
3 euros a day. The workshop is closed on Sundays and on 25 December. Original parts are ordered from Lundgren and arrive within 9
days. Express repair costs 20 euros more."""

PREPARED = (
    Prepared(_GYM, "Сколько действует абонемент?", "Абонемент действует 90 дней, считая с первого посещения.",
             "Абонемент действует 60 дней, считая с первого посещения.", "number"),
    Prepared(_GYM, "Можно ли заморозить абонемент?", "Да, заморозить абонемент можно один раз на срок от 7 до 30 дней.",
             "Да, заморозить абонемент можно один раз на срок от 7 до 45 дней.", "number"),
    Prepared(_GYM, "Можно ходить в зал во время заморозки?", "Нет, пока абонемент заморожен, посещать зал нельзя.",
             "Во время заморозки посещать зал можно.", "negation"),
    Prepared(_GYM, "Как вернуть деньги?", "Подайте заявление администратору: деньги вернут в течение 10 рабочих дней.",
             "Подайте заявление администратору и приложите нотариальную копию паспорта с фотографией владельца.", "step"),
    Prepared(_GYM, "Когда занятия с тренером?", "Тренер Олег Снегирёв занимается по вторникам и четвергам с 18:00.",
             "Тренер Олег Воронов занимается по вторникам и четвергам с 18:00.", "name"),
    Prepared(_GYM, "Сколько стоит разовое посещение?", "Разовое посещение стоит 850 рублей.",
             "Разовое посещение стоит 1200 рублей.", "number"),
    Prepared(_LIBRARY, "На сколько дают книги?", "Книги можно взять на 21 день, а журналы на 5 дней.",
             "Книги можно взять на 21 день, а журналы на 7 дней.", "number"),
    Prepared(_LIBRARY, "Дают ли редкие издания домой?", "Нет, редкие издания на дом не выдаются.",
             "Да, редкие издания на дом выдаются.", "negation"),
    Prepared(_LIBRARY, "Когда зал закрыт?", "Читальный зал не работает 31 декабря и 1 января.",
             "Читальный зал не работает 31 декабря и 1 марта.", "date"),
    Prepared(_LIBRARY, "Когда принимает заведующая?", "Заведующая Вера Корсакова принимает по средам, с 11:00 до 13:00.",
             "Заведующая Вера Корсакова принимает по пятницам, с 11:00 до 13:00.", "date"),
    Prepared(_LIBRARY, "Что будет, если потерять книгу?", "Потерянную книгу нужно заменить такой же или равной по цене.",
             "О потере книги нужно заявить в полицию, получить там справку и отослать её почтой.", "step"),
    Prepared(_DELIVERY, "Сколько стоит доставка?", "По городу 1900 рублей, за городом ещё 45 рублей за километр.",
             "По городу 1900 рублей, за городом ещё 54 рубля за километр.", "number"),
    Prepared(_DELIVERY, "Примете жалобу на царапины потом?", "Нет, после подписания акта жалобы на царапины не принимают.",
             "После подписания акта жалобы на царапины принимаются.", "negation"),
    Prepared(_DELIVERY, "Кто везёт в Заречный район?", "В Заречный район заказы возит водитель Тимур Алиев.",
             "В Заречный район заказы возит водитель Тимур Галиев.", "name"),
    Prepared(_DELIVERY, "Работает ли доставка в воскресенье?", "По воскресеньям мы возим с 1 мая по 30 сентября.",
             "По воскресеньям мы возим с 1 июня по 30 сентября.", "date"),
    Prepared(_GARDEN, "When is the deposit returned?", "You get the 150 pounds back within 20 days of returning the keys.",
             "You get the 150 pounds back within 30 days of returning the keys.", "number"),
    Prepared(_GARDEN, "Can I bring my dog?", "No, pets are not allowed in the greenhouses.",
             "Yes, pets are allowed in the greenhouses.", "negation"),
    Prepared(_GARDEN, "How long can I rent?", "A greenhouse is rented for six months, 1 March to 31 August.",
             "A greenhouse is rented for six months, 1 March to 31 October.", "date"),
    Prepared(_GARDEN, "Whom do I ask?", "Please ask the keeper, Harriet Dale, on a Monday or a Friday.",
             "Please ask the keeper, Harriet Vale, on a Monday or a Friday.", "name"),
    Prepared(_GARDEN, "What if I leave early?", "If you leave early, the rent is not refunded.",
             "If you leave early, the rent is refunded.", "negation"),
    Prepared(_COURSE, "How long is the course?", "There are 12 lessons, each 90 minutes long.",
             "There are 14 lessons, each 90 minutes long.", "number"),
    Prepared(_COURSE, "Can I cancel?", "Cancelling is free until 5 September, then 25 percent of the price is kept.",
             "Cancelling is free until 5 November, then 25 percent of the price is kept.", "date"),
    Prepared(_COURSE, "May my son of 8 come?", "Sorry, children under 10 are not admitted.",
             "Children under 10 are admitted.", "negation"),
    Prepared(_COURSE, "What if I miss a lesson?", "You can make up a missed lesson once, in another group.",
             "Send a doctor's certificate to our headquarters by registered mail to receive a voucher.", "step"),
    Prepared(_COURSE, "Who teaches?", "The course is taught by Martin Oakes on Thursdays at 18:30.",
             "The course is taught by Martin Ellis on Thursdays at 18:30.", "name"),
    Prepared(_PHONE, "What does a new screen cost?", "Replacing the screen costs 129 euros.",
             "Replacing the screen costs 48 euros.", "number"),
    Prepared(_PHONE, "Does the warranty cover water?", "The 6 month warranty does not cover water damage.",
             "The 6 month warranty covers water damage.", "negation"),
    Prepared(_PHONE, "When are you closed?", "We are closed on Sundays and on 25 December.",
             "We are closed on Saturdays and on 25 December.", "date"),
    Prepared(_PHONE, "What must I do before the repair?", "Please back up your data before the repair.",
             "Please remove the memory card, charge the device overnight and unlink your account.", "step"),
    Prepared(_PHONE, "Where do parts come from?", "Original parts are ordered from Lundgren and take up to 9 days.",
             "Original parts are ordered from Bergmann and take up to 9 days.", "name"),
)  # fmt: skip
