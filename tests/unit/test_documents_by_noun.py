"""Documents called by a mere noun, "раздел 3 Договора", "stated in the Agreement"; numbers that all documents have."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.stages.references import TableReferencer
from engine.text.references import find_mentions
from engine.types import Evidence, Question, Reference, ScoredChunk
from tests.small_base import SmallBase, small_base

LAB, GYM, POOL = "lab/access/agreement.md", "gym/club/contract.md", "gym/club/pool.md"
FILLER = "These words stand here so that every section is long enough for a chunk of its own. " * 6


def written(title: str, **sections: str) -> str:
    """A document; underscores stand for the dots of numbers."""
    parts = [f"## {number.strip('_').replace('_', '.')}. Title\n\n{text} {FILLER}" for number, text in sections.items()]
    return "\n\n".join([f"# {title}", *parts]) + "\n"


FILES = {
    LAB: written("Laboratory Access Agreement", _1="Scope.", _3="A key costs 60 dollars.", _4_7="Lasers are red."),
    "lab/access/guide.md": written("Guide to the Agreement", _1="Sign with a pen.", _3="Pens are blue."),
    "lab/access/handbook.md": written("Handbook", _1="The supervisor has duties."),
    GYM: written("Договор с клубом", _1="Предмет.", _3="Удержание 15 процентов.", _3_4="Десять дней."),
    POOL: written("Регламент бассейна", _1="Вход свободный.", _3="Малыши."),
    "gym/club/memo.md": written("Памятка к договору", _1="Возьмите полотенце.", _3="Гости."),
    "gym/shop/tea.md": written("Чай", _1="Чай бывает зелёный."),
}


async def said(base: SmallBase, source: str, draft: str) -> Reference | None:
    one = (await base.chunks(source))[0]
    referencer = TableReferencer(base.library(), base.documents, base.index, base.policy.references)
    evidence = Evidence(chunks=(ScoredChunk(chunk=one, score=0.8),), sufficient=True)
    followed = await referencer.follow(Question(text="?"), draft, [one.id], evidence)
    assert len(followed.references) < 2
    return followed.references[0] if followed.references else None


@pytest.mark.parametrize(
    ("source", "draft", "document", "section"),
    [
        ("lab/access/handbook.md", "The duties are stated in the Agreement.", LAB, ""),
        ("lab/access/handbook.md", "The price is given in section 3 of the Agreement.", LAB, "3"),
        ("lab/access/guide.md", "It is red, see section 4.7 of the Agreement.", LAB, "4.7"),
        ("gym/club/memo.md", "Деньги возвращаются в порядке, установленном разделом 3 Договора.", GYM, "3"),
        ("gym/club/memo.md", "Деньги возвращаются по п. 3.4 договора.", GYM, "3.4"),
        ("gym/club/memo.md", "Условия изложены в Договоре.", GYM, ""),
        ("gym/shop/tea.md", "Деньги возвращаются по п. 3.4 договора.", GYM, "3.4"),
        (POOL, "Дети, названные в пункте 3 настоящего Регламента, плавают.", POOL, "3"),
    ],
)
async def test_a_noun_means_the_only_document_of_its_kind_nearby(
    tmp_path: Path, source: str, draft: str, document: str, section: str
) -> None:
    found = await said(await small_base(tmp_path, FILES), source, draft)
    assert found is not None
    assert (found.status, found.document, found.section) == ("resolved", document, section)


@pytest.mark.parametrize(
    ("source", "draft"),
    [
        (POOL, "Дети, названные в пункте 3.4 настоящего Регламента, плавают."),
        ("lab/access/handbook.md", "It is said in section 9 of the Agreement."),
        ("gym/shop/tea.md", "Сорта названы в п. 3.4 устава."),
        ("gym/shop/tea.md", "Подробнее см. раздел 4."),
    ],
)
async def test_what_is_not_there_is_not_taken_from_another_document_that_has_the_number(
    tmp_path: Path, source: str, draft: str
) -> None:
    found = await said(await small_base(tmp_path, {**FILES, "z/a/b.md": written("Z", _4="X.")}), source, draft)
    assert found is not None
    assert found.status == "unresolved"


@pytest.mark.parametrize("draft", ["Условия изложены в Уставе.", "All of it is stated in the Charter."])
async def test_a_noun_without_a_document_is_no_reference(tmp_path: Path, draft: str) -> None:
    assert await said(await small_base(tmp_path, FILES), "gym/club/memo.md", draft) is None


async def test_two_documents_of_a_kind_are_none(tmp_path: Path) -> None:
    files = {**FILES, "gym/club/second.md": written("Договор хранения", _3="Год.")}
    assert await said(await small_base(tmp_path, files), "gym/club/memo.md", "Условия изложены в Договоре.") is None


@pytest.mark.parametrize("file", ["one", "two"])
async def test_a_code_may_be_in_several_files(tmp_path: Path, file: str) -> None:
    files = {
        "law/civil/one.md": written("Кодекс, часть 1", _5="Суд решает."),
        "law/civil/two.md": written("Кодекс, часть 2", _7="Аренда.", _9="Залог."),
    }
    base = await small_base(tmp_path, files)
    found = await said(base, f"law/civil/{file}.md", "Как сказано в статье 9 настоящего Кодекса.")
    assert found is not None
    assert (found.document, found.section) == ("law/civil/two.md", "9")


@pytest.mark.parametrize(
    "text",
    ["Заключите договор и оплатите 3 занятия.", "The agreement is signed in the office.", "Section 4 of the agreement"],
)
def test_words_of_everyday_call_no_document(text: str) -> None:
    assert not [mention for mention in find_mentions(text) if mention.noun]
