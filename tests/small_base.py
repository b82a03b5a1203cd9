"""A little knowledge base for tests of the stages: three domains, Russian and English, indexed as a real one is.

housing (ru): contracts, tariffs; travel (en): tickets, baggage, crew (for staff only); computers (en): access.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import Engine
from engine.ingest.ingestor import Ingestor
from engine.policy import Policy
from engine.ports import ChatModel, Embedder
from engine.stages.answer_log import StoredAnswers
from engine.stages.asked_places import AskedPlaces
from engine.stages.faq import CalibratedFaqGate
from engine.stages.generation import ModelGenerator
from engine.stages.guardrail import StreamGuardrail
from engine.stages.library import Library
from engine.stages.misses import StoredMisses
from engine.stages.quoting import QuotingGenerator
from engine.stages.references import TableReferencer
from engine.stages.retrieval import HybridRetriever
from engine.stages.routing import DcdRouter
from engine.stages.screen import StopWordScreen
from engine.types import Chunk
from tests.fake_embedder import FakeEmbedder
from tests.fake_index import InMemoryIndex
from tests.fake_stores import (
    FakeAnswerStore,
    FakeDocumentStore,
    FakeFaqStore,
    FakeMetaStore,
    FakeMissStore,
    FakeRouteCache,
)

STAFF = frozenset({"public", "staff"})

REGISTRY = """
domains:
  - id: housing
    title: Жильё
    description: Аренда квартиры, депозит, договор найма, коммунальные тарифы, вода, парковка во дворе
    language: ru
    default_collection: contracts
    collections:
      - {id: contracts, title: Договоры, description: "Аренда квартиры, депозит, расторжение, парковка"}
      - {id: tariffs, title: Тарифы, description: "Цены на воду, отопление и вывоз мусора"}
  - id: travel
    title: Travel
    description: Train tickets, refunds, exchanges, baggage, hand luggage, bicycles
    language: en
    default_collection: tickets
    collections:
      - {id: tickets, title: Tickets, description: "Refunds, exchanges and delays of train tickets"}
      - {id: baggage, title: Baggage, description: "Hand luggage, suitcases, bicycles and lost property"}
      - {id: crew, title: Crew, description: "Uniform allowance and night shifts of the crew", audience: [staff]}
  - id: computers
    title: Computers
    description: Passwords, VPN access, laptops
    language: en
    collections:
      - {id: access, title: Access, description: "Passwords, VPN and two-factor sign-in"}
"""

LEASE = """# Договор аренды квартиры

## 1. Предмет договора

Наймодатель передаёт нанимателю квартиру во временное пользование для проживания. Квартира передаётся вместе с мебелью
и техникой по описи. Опись подписывают обе стороны в день передачи ключей, и она хранится у каждой из сторон до конца
срока найма, вместе с показаниями приборов учёта.

## 7. Депозит

### 7.1. Внесение депозита

Депозит составляет 30 000 рублей и вносится в день подписания договора. Депозит обеспечивает сохранность мебели и
техники. Порядок возврата депозита указан в разделе 7.2. Наймодатель выдаёт расписку о получении денег, и без этой
расписки требовать внесения депозита второй раз нельзя ни при каких обстоятельствах.

### 7.2. Возврат депозита

Депозит возвращается нанимателю в течение 10 рабочих дней после передачи ключей. Из депозита вычитается стоимость
повреждений по таблице 2. Если наниматель съехал раньше срока, депозит возвращается за вычетом платы за 14 дней, о чём
стороны составляют отдельный акт и подписывают его в двух экземплярах.

## 8. Повреждения

Таблица 2. Стоимость повреждений

| Повреждение | Вычет |
| --- | --- |
| Разбитое окно | 4500 рублей |
| Царапины на паркете | 2800 рублей |
| Утерянные ключи | 1200 рублей |

## Приложение Б. Опись имущества

В опись входят холодильник, стиральная машина, диван, два кресла и письменный стол. Каждая вещь осматривается при
передаче ключей, её состояние записывается словами и подтверждается фотографией, которую стороны хранят до конца
срока найма и ещё один месяц после него.
"""

PARKING = """# Парковка во дворе

Место на парковке стоит 2500 рублей в месяц. Гостевая парковка бесплатна в течение двух часов. Пропуск на машину
оформляет управляющий по будням с 9:00 до 18:00.
"""

TARIFFS = """# Тарифы на коммунальные услуги

## Вода

Холодная вода стоит 59 рублей за кубометр, горячая вода стоит 243 рубля за кубометр. Показания счётчиков воды
передаются с 20 по 25 число каждого месяца.

## Вывоз мусора

Вывоз мусора стоит 112 рублей с человека в месяц.
"""

TICKETS = """# Ticket rules

## 3 Exchanges

### 3.1 Changing the date

The date of a ticket can be changed free of charge until 24 hours before departure. Later changes cost 15 euros for each
passenger. A ticket that has been changed once can be changed again under the same conditions, provided that the new
train leaves within three months of the day of purchase.

### 3.2 Changing the name

The name on a ticket can be corrected at the counter when no more than three letters differ. A ticket cannot be
given to another person, and a ticket that was sold on is void. Group tickets are excluded from this rule, since their
names are only taken on board by the conductor.

## 7 Refunds

### 7.1 Asking for a refund

A refund is requested with the form on the ticket page or at any counter. The time limits for a refund are set out in
section 7.2. The money goes back to the card that paid for the ticket. Cash is paid out at counters only, against the
original paper ticket and an identity card of the passenger.

### 7.2 Time limits

A ticket is refunded in full until 48 hours before departure. After that the refund fees of Table 2 apply. No refund is
given once the train has left the first station. Refunds reach the card within 9 working days, and a confirmation is
sent by e-mail on the day when the money leaves our account.

## 8 Fees

Table 2. Refund fees

| Time before departure | Fee |
| --- | --- |
| 24 to 48 hours | 10 euros |
| less than 24 hours | 20 euros |

## Annex B. Group travel

Groups of ten or more passengers book by telephone. A group ticket is refunded only as a whole, with a fee of 50 euros
for the group. The list of names is handed in by the group leader two days before departure, and the leader answers for
everybody on the list.
"""

LUGGAGE = """# Hand luggage

Each passenger may take two suitcases and one bag on board free of charge. A suitcase may weigh 25 kilograms at most.
Suitcases stand in the racks at the end of each carriage.
"""

LUGGAGE_COPY = LUGGAGE.replace("# Hand luggage", "# Hand luggage, leaflet")
LUGGAGE_WINTER = LUGGAGE.replace("# Hand luggage", "# Hand luggage in winter").replace("25 kilograms", "32 kilograms")

BICYCLES = """# Bicycles

A bicycle needs a reservation of 6 euros. Folding bicycles travel free of charge in a cover. Electric bicycles travel
without their battery only on night trains.
"""

CREW = """# Crew rules

The uniform allowance of the crew is 300 euros a year. Night shifts of the crew are paid with a supplement of 25
percent. The crew travels free of charge with a service card.
"""

ACCESS = """# Passwords and VPN

## Passwords

A forgotten password is reset on the sign-in page with a code from the phone. A password has 12 characters at least and
is valid for 180 days.

## VPN

The VPN client is installed from the software centre. The VPN connection is closed after 8 hours.
"""

FAQ = """
- id: cancel-lease
  questions: ["Как расторгнуть договор аренды?", "Хочу досрочно съехать с квартиры"]
  answer: |
    Напишите заявление за 30 дней.  Мы ответим письмом.
  language: ru
- id: lost-property
  questions: ["Where do I look for lost property on the train?"]
  answer: |
    Call the lost property office,  it is open from 8 to 20.
  language: en
"""

FILES: dict[str, str] = {
    "knowledge.yaml": REGISTRY,
    "faq/faq.yaml": FAQ,
    "housing/contracts/lease.md": LEASE,
    "housing/contracts/parking.md": PARKING,
    "housing/tariffs/utilities.md": TARIFFS,
    "travel/tickets/rules.md": TICKETS,
    "travel/baggage/luggage.md": LUGGAGE,
    "travel/baggage/leaflet.md": LUGGAGE_COPY,
    "travel/baggage/winter.md": LUGGAGE_WINTER,
    "travel/baggage/bicycles.md": BICYCLES,
    "travel/crew/crew.md": CREW,
    "computers/access/sign-in.md": ACCESS,
}


@dataclass(kw_only=True)
class SmallBase:
    """The stores after an ingestion. Stages are made anew when asked for, so that they see what has just changed."""

    root: Path
    embedder: Embedder
    index: InMemoryIndex
    policy: Policy = Policy()
    documents: FakeDocumentStore = field(default_factory=FakeDocumentStore)
    faq: FakeFaqStore = field(default_factory=FakeFaqStore)
    meta: FakeMetaStore = field(default_factory=FakeMetaStore)
    misses: FakeMissStore = field(default_factory=FakeMissStore)
    answers: FakeAnswerStore = field(default_factory=FakeAnswerStore)
    cache: FakeRouteCache = field(default_factory=FakeRouteCache)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    async def ingest(self) -> None:
        ingestor = Ingestor(self.index, self.documents, self.faq, self.meta, self.embedder, self.embedder)
        report = await ingestor.ingest(self.root, lambda _: None)
        assert report.failed == []

    def library(self) -> Library:
        return Library(self.meta, self.documents)

    def router(self, model: ChatModel | None = None) -> DcdRouter:
        return DcdRouter(self.library(), self.index, self.embedder, self.cache, self.policy.routing, model)

    def retriever(self) -> HybridRetriever:
        return HybridRetriever(self.library(), self.index, self.embedder, self.policy.retrieval)

    def referencer(self) -> TableReferencer:
        return TableReferencer(self.library(), self.documents, self.index, self.policy.references)

    def engine(self, model: ChatModel | None = None, **stages: Any) -> Engine:
        """The stages of the product. With a model it writes; the routing stays with the embeddings."""
        screen = StopWordScreen()
        quoting = QuotingGenerator(self.embedder, self.policy.generation)
        writing = ModelGenerator(model, self.policy.generation, self.policy.gate) if model else quoting
        defaults: dict[str, Any] = {
            "screen": screen,
            "gate": CalibratedFaqGate(self.faq, self.embedder, self.policy.gate),
            "router": self.router(),
            "retriever": AskedPlaces(self.retriever(), self.library(), self.documents, self.index),
            "generator": writing,
            "fallback": quoting,
            "guardrail": StreamGuardrail(screen, self.policy.guardrail),
            "referencer": self.referencer(),
            "misses": StoredMisses(self.misses),
            "answers": StoredAnswers(self.answers),
            "policy": self.policy,
        }
        return Engine(**{**defaults, **stages})

    async def chunks(self, document: str) -> tuple[Chunk, ...]:
        """The chunks of a document in reading order, each once."""
        ids = dict.fromkeys(chunk_id for row in await self.documents.toc(document) for chunk_id in row.chunk_ids)
        return await self.index.fetch(list(ids))


async def small_base(
    root: Path, files: dict[str, str] | None = None, *, embedder: Embedder | None = None, policy: Policy | None = None
) -> SmallBase:
    """Write the files (all of `FILES` by default) below `root` and index them."""
    embedder = embedder or FakeEmbedder()
    base = SmallBase(root=root, embedder=embedder, index=InMemoryIndex(embedder.dimensions), policy=policy or Policy())
    for path, text in (FILES if files is None else files).items():
        base.write(path, text)
    await base.ingest()
    return base
