"""The reference grammar on sentences: what is found, and as what.

Expected mentions are written as "word labels/item/item @ document", several ones with "; " between.
"""

from __future__ import annotations

import pytest

from engine.text.references import Mention, expand_labels, find_mentions, points_only
from engine.text.stems import content_stems


def shown(mention: Mention) -> str:
    if mention.type == "definition":
        return f"defined {mention.term}"
    parts = [mention.relative or "", mention.word, ",".join(mention.labels)]
    place = "/".join([" ".join(part for part in parts if part), *mention.items])
    return f"{place} @ {mention.document}".strip() if mention.document else place


NUMBERED_RU = {
    "Срок указан в разделе 7.2.": "section 7.2",
    "см. раздел 7.2": "section 7.2",
    "Смотрите раздел 7.2 «Возврат залога».": "section 7.2",
    "в соответствии с п. 3.4 договора": "clause 3.4",
    "согласно статье 12 договора": "article 12",
    "по правилам разделов 3.1 и 3.4-3.6": "section 3.1,3.4,3.5,3.6",
    "цены в таблице 2": "table 2",
    "глава IV": "chapter IV",
    "Порядок описан в подразделе 2.3.": "subsection 2.3",
    "изменения к разделам 2, 3 и 5": "section 2,3,5",
    "над разделами 2-4 работают": "section 2,3,4",
    "О главах 3 - 5 говорится особо.": "chapter 3,4,5",
    "нормы гл. 30 применяются": "chapter 30",
    "в статьях 12, 14 и 17 указаны сроки": "article 12,14,17",
    "статьями 680, 684 - 686 установлено": "article 680,684,685,686",
    "по ст. 12 и 13": "article 12,13",
    "по ст 12": "article 12",
    "по п.3.4": "clause 3.4",
    "по п 3.4": "clause 3.4",
    "пп. 3.1 и 3.2": "clause 3.1,3.2",
    "п. п. 3 и 4 правил": "clause 3,4",
    "пункты с 3 по 5": "clause 3,4,5",
    "пункты 3 по 5 утратили силу": "clause 3,4,5",
    "нарушение пунктов 4.1, 4.3 или 4.5": "clause 4.1,4.3,4.5",
    "§ 4 применяется": "paragraph 4",
    "§§ 4-6 применяются": "paragraph 4,5,6",
    "в параграфе 12": "paragraph 12",
    "подпункт «а» пункта 2 части 3 статьи 19": "article 19/3/2/а",
    "п. 3 ч. 2 ст. 12": "article 12/2/3",
    "абз. 2 п. 1 ст. 5": "article 5/1/2",
    "пп. «а»-«в» п. 2 ст. 19": "article 19/2/а,б,в",
    "подп. а п. 2": "clause 2/а",
    "подпункт а) пункта 2": "clause 2/а",
    'в пунктах "б" и "в" части 2 статьи 95': "article 95/2/б,в",
    "часть 2 статьи 15": "article 15/2",
    "статья 5, пункт 2": "article 5/2",
    "ст. 12, п. 3": "article 12/3",
    "п. 2, ст. 19": "article 19/2",
    "статьями 23 (часть 1), 24 и 28": "article 23,24,28",
    "статья 15 (часть 4)": "article 15/4",
    "пункт 1 статьи 5 и пункт 2 статьи 6": "article 5/1; article 6/2",
    "статья 5 главы 2": "article 5",
    "глава 3 приложения 2": "appendix 2/3",
    "пункт 4 приложения № 2": "appendix 2/4",
    "часть четвертая статьи 7": "article 7/4",
    "частями первой и второй статьи 7": "article 7/1,2",
    "абзацем вторым пункта 3": "clause 3/2",
    "во втором абзаце пункта 3": "clause 3/2",
    "в третьем разделе": "section 3",
    "вторая глава об оплате": "chapter 2",
    "раздел семь": "section 7",
    "ст. 156<sup>1</sup>": "article 156.1",
    "ст. 156¹ введена": "article 156.1",
    "ст. 156^1 введена": "article 156.1",
    "статья 156.1": "article 156.1",
    "статья 66.3-1": "article 66.3-1",
    "пункты 5.1-3": "clause 5.1,5.2,5.3",
    'пункт "д¹" части 2 статьи 8': "article 8/2/д.1",
    "пункт 3-го раздела": "section 3",
    "Приложение № 2 к договору": "appendix 2",
    "форма есть в Приложении Б": "appendix Б",
    "см. приложение А": "appendix А",
    "прил. 3": "appendix 3",
    "в приложениях 1-3": "appendix 1,2,3",
    "как на рис. 5 и в табл. 1": "figure 5; table 1",
    "на рисунке 2.1": "figure 2.1",
    "в разделе № 5": "section 5",
    "раздел 3, 5 рабочих дней": "section 3",
    "по статье 5 и 6 месяцев сверх того": "article 5",
    "см. 7.2 и 7.3": "7.2,7.3",
    "раздел 3 настоящего договора": "section 3",
    "статья 25 настоящего Кодекса": "article 25",
    "п. 3 и В случае отказа": "clause 3",
}

NUMBERED_EN = {
    "as set out in Article 12(3)": "article 12/3",
    "see Sections 4.1, 4.2 and 5": "section 4.1,4.2,5",
    "the limits of Annex B": "appendix B",
    "Table 2 lists them": "table 2",
    "§ 4 applies": "paragraph 4",
    "Article 12(3)(a)": "article 12/3/a",
    "under Article 12(3)(a) and (b)": "article 12/3/a,b",
    "Articles 12 to 14 and 17": "article 12,13,14,17",
    "Articles 5(1), 7 and 9 apply": "article 5,7,9",
    "points (a) and (b) of Article 6(1)": "article 6/1/a,b",
    "points (a) to (d) of Article 6": "article 6/a,b,c,d",
    "Article 6(1), point (a), applies": "article 6/1/a",
    "paragraph 2, point (d)": "paragraph 2/d",
    "Article 74(8) or (9)": "article 74/8,9",
    "Article 32(4), points (a) to (c), Article 32(5) and Article 33": "article 32/4/a,b,c; article 32/5; article 33",
    "the second paragraph of Article 5": "article 5/2",
    "the first subparagraph of paragraph 2": "paragraph 2/1",
    "the third section explains it": "section 3",
    "section seven": "section 7",
    "Section 6(c)": "section 6/c",
    "Sections 7.1-7.3": "section 7.1,7.2,7.3",
    "Sections 3.2.1 through 3.2.3": "section 3.2.1,3.2.2,3.2.3",
    "Section 5.2 (Security) and Section 5.3 (DPA)": "section 5.2; section 5.3",
    "section 12 (Fees: late) or 14 (Fees: waived)": "section 12,14",
    "Rule 3.2.1(1)(a)": "rule 3.2.1/1/a",
    "Rule 9.2.1B and Rule 15.11.A.2": "rule 9.2.1B; rule 15.11.A.2",
    "Rules A4.3.2 to A4.3.4": "rule A4.3.2,A4.3.3,A4.3.4",
    "Section 399A(2)": "section 399A/2",
    "Chapters II to IV": "chapter II,III,IV",
    "Annex II applies": "appendix II",
    "Annex III, point 5": "appendix III/5",
    "Section A of Annex I": "appendix I/A",
    "paragraph 24 of Schedule 5": "schedule 5/24",
    "Part 3 of Chapter 3": "chapter 3/3",
    "Chapter III, Section 2": "chapter III/2",
    "see App 4 and APP 7": "appendix 4; appendix 7",
    "Appendix A.2": "appendix A.2",
    "Exhibit B": "exhibit B",
    "subsection (4) applies": "subsection 4",
    "paras 4-6": "paragraph 4,5,6",
    "Art. 5 and Sec. 3.1": "article 5; section 3.1",
    "cl. 4.2": "clause 4.2",
    "ch. 3": "chapter 3",
    "Fig. 3 and Figure 4": "figure 3; figure 4",
    "Table 2-1": "table 2-1",
    "Step 3 and item 5": "step 3; item 5",
    "this Section 9 (Indemnification) survives": "section 9",
    "Article 15(1) of this Directive": "article 15/1",
    "Section 3, I think, and Section 4": "section 3; section 4",
    "Section 7.2 within 10 working days": "section 7.2",
    "has the meaning given in Section 1": "section 1",
    "see 4.1 for details": "4.1",
    "Section No. 5": "section 5",
    "under Part 2 of Schedule 1": "schedule 1/2",
    "the 2nd paragraph of Article 5": "article 5/2",
}

OTHER_DOCUMENTS = {
    "Section 15.1 of [HTTP]": "section 15.1 @ HTTP",
    "Section 7.2 of RFC 9110": "section 7.2 @ RFC 9110",
    "[RFC3986], Section 5": "section 5 @ RFC 3986",
    "RFC 9110, Section 5.2": "section 5.2 @ RFC 9110",
    "ст. 7 ГК РФ": "article 7 @ ГК РФ",
    "ГК РФ, ст. 7": "article 7 @ ГК РФ",
    "п. 2 ст. 7 ЖК РФ": "article 7/2 @ ЖК РФ",
    "статья 19 Федерального закона от 27.07.2006 № 152-ФЗ": "article 19 @ Федеральный закон № 152-ФЗ",
    "часть 1 статьи 17 Федерального закона от 6 октября 2003 года № 131-ФЗ": (
        "article 17/1 @ Федеральный закон № 131-ФЗ"
    ),
    "статьей 37 Гражданского кодекса Российской Федерации": "article 37 @ Гражданский кодекс Российской Федерации",
    "ст. 5 Жилищного кодекса": "article 5 @ Жилищный кодекс",
    "ст. 5 Трудового кодекса РФ": "article 5 @ Трудовой кодекс Российской Федерации",
    "статьи 12 и 14 Конституции РФ": "article 12,14 @ Конституция Российской Федерации",
    "частью 2 статьи 107 и частью 2 статьи 108 Конституции": "article 107/2 @ Конституция; article 108/2 @ Конституция",
    "Article 6 of Regulation (EU) 2016/679": "article 6 @ Regulation (EU) 2016/679",
    "Article 94(2) GDPR": "article 94/2 @ GDPR",
    "GDPR Art. 6": "article 6 @ GDPR",
    "Articles 3 and 4 of the GDPR": "article 3,4 @ GDPR",
    "Article 14 of the Treaty": "article 14 @ Treaty",
    "пункт 4.1 Правил проживания": "clause 4.1 @ Правила проживания",
    "п. 3 Положения о премировании": "clause 3 @ Положение о премировании",
    "пункт 2 регламента «Доступ в здание»": "clause 2 @ «Доступ в здание»",
    "clause 5 of the Data Processing Agreement": "clause 5 @ Data Processing Agreement",
    "Table 4 of the UK Addendum": "table 4 @ UK Addendum",
    "section 8 of the Insolvency Regulations 2015": "section 8 @ Insolvency Regulations 2015",
    "Chapter 2 of Part 1 of the Insolvency Regulations": "part 1/2 @ Insolvency Regulations",
    "Directive 95/46/EC and Article 30 of that Directive": "@ Directive 95/46/EC; article 30 @ Directive 95/46/EC",
    "COBS 3.2.1 and 3.2.2": "3.2.1,3.2.2 @ COBS",
    "GEN Rule 3.3 and MKT Rule 4.3.1": "rule 3.3 @ GEN; rule 4.3.1 @ MKT",
    "FEES 8": "8 @ FEES",
    "Part 21 of FSMR (see also Chapter 9)": "part 21 @ FSMR; chapter 9",
    "Annex A of ISO/IEC 27001:2022": "appendix A @ ISO/IEC 27001:2022",
    "RFC 2119 and RFC2616": "@ RFC 2119; @ RFC 2616",
    "PEP 440 and :pep:`518`": "@ PEP 440; @ PEP 518",
    "NIST SP 800-53 and FIPS 199": "@ NIST SP 800-53; @ FIPS 199",
    "ГОСТ 34.602-89 и ГОСТ Р 7.0.97-2016": "@ ГОСТ 34.602-89; @ ГОСТ Р 7.0.97-2016",
    "СП 54.13330.2016": "@ СП 54.13330.2016",
    "Федеральный закон № 59-ФЗ": "@ Федеральный закон № 59-ФЗ",
    "законом № 1-ФКЗ": "@ Федеральный конституционный закон № 1-ФКЗ",
    "Постановления Правительства РФ от 06.05.2011 № 354": "@ Постановление Правительства РФ № 354",
    "пункт 9 постановления Правительства РФ от 06.05.2011 № 354": "clause 9 @ Постановление Правительства РФ № 354",
    "В статье 19 закона № 152-ФЗ сказано": "article 19 @ Федеральный закон № 152-ФЗ",
    "clause 9.3 of the Lease Agreement and Schedule A": "clause 9.3 @ Lease Agreement; schedule A",
    "Directive 95/46/EC": "@ Directive 95/46/EC",
    "Regulation (EC) No 178/2002": "@ Regulation (EC) No 178/2002",
    "Directives 90/385/EEC and 93/42/EEC": "@ Directive 90/385/EEC; @ Directive 93/42/EEC",
    "Federal Law No. 8 of 2004": "@ Federal Law No. 8 of 2004",
    "[build](build.md#args)": "@ build.md#args",
    "[attrs](#attributes)": "#attributes",
    "see [Section 14.4](populate.html#PITR) for it": "section 14.4 @ populate.html#PITR",
    "([Section 8.8](http.html#x) of [HTTP])": "section 8.8 @ http.html#x",
    "[Section 3.2](https://example.org/rfc.html) of [URI]": "section 3.2 @ URI",
    "[Раздел 6.1, «Сколько их?»](archive.html#dists)": "section 6.1 @ archive.html#dists",
    ":doc:`build` and :ref:`labels`": "@ build; #labels",
    "see `Version epochs`_ there": "#Version epochs",
    "см. Правила проживания": "@ Правила проживания",
    "см. «Правила проживания гостей»": "@ Правила проживания гостей",
    "в соответствии с Положением о премировании": "@ Положение о премировании",
    "see the Debian Policy Manual for details": "@ Debian Policy Manual",
    "as defined in the GDPR": "@ GDPR",
}

WITHOUT_NUMBERS = {
    "в соответствии с предыдущим пунктом": "previous clause",
    "Следующий раздел описывает оплату.": "next section",
    "правила настоящего раздела": "this section",
    "пункт 1 настоящей статьи": "this article/1",
    'пунктах "а" и "б" части 2 настоящей статьи': "this article/2/а,б",
    "абзаце первом настоящего пункта": "this clause/1",
    "параграф 1 настоящей главы Конституции": "this chapter/1",
    "в этом разделе": "this section",
    "в порядке, установленном настоящей частью": "this part",
    "the preceding section": "previous section",
    "the following article applies": "next article",
    "in the previous paragraph": "previous paragraph",
    "this section": "this section",
    "requirements set out in this Section": "this section",
    "point (a) of this Article": "this article/a",
    "Как указано выше, залог возвращают.": "above",
    "см. ниже": "below",
    "Ниже приведён пример.": "below",
    "вышеуказанные условия": "above",
    "в нижеследующем порядке": "below",
    "в пункте выше.": "above",
    "в таблице ниже перечислены цены": "below",
    "as described above": "above",
    "as set out below": "below",
    "the requirements below.": "below",
    "the above-mentioned conditions": "above",
    "как определено в глоссарии": "defined глоссарии",
    "в значении, установленном в разделе «Термины»": "defined разделе «Термины»",
    "as defined in the Glossary": "defined Glossary",
    '"Fees" has the meaning given in the Definitions': "defined Definitions",
    "«Жилец», как определено в глоссарии": "defined Жилец",
}

ALL_FOUND = NUMBERED_RU | NUMBERED_EN | OTHER_DOCUMENTS | WITHOUT_NUMBERS


@pytest.mark.parametrize("text", ALL_FOUND)
def test_finds(text: str) -> None:
    mentions = find_mentions(text)
    assert "; ".join(shown(mention) for mention in mentions) == ALL_FOUND[text]
    assert all(text[mention.start : mention.end] == mention.marker for mention in mentions)


@pytest.mark.parametrize(
    "text",
    [
        "Откройте раздел «Настройки»",
        "Перейдите в этот раздел меню",
        "в п. 5 часов вечера",
        "в п. 5 минут езды",
        "срок по ст. 5 лет",
        "п. 12.05.2024",
        "пункт и раздел",
        "пункт назначения и пункт выдачи",
        "первая часть фильма",
        "следующие разделы: оплата, возврат",
        "это приложение удобно, скачайте следующее приложение",
        "данных разделов нет",
        "глава города выступил",
        "стать лучше",
        "по 5 минут",
        "ждите 5 ч. 30 минут",
        "раздел один из многих",
        "цена выше 5 %",
        "не ниже установленной нормы",
        "выше среднего",
        "Статья 12. Права сторон",
        "**Статья 12.** Права сторон",
        "## Глава 3. Оплата",
        "Таблица 3 — Цены",
        "Раздел 7.2\nЗалог возвращают.",
        "Федеральные законы не могут противоречить Конституции",
        "настоящий Кодекс и настоящий договор",
        "версия 2.1.3 от 12.05.2024 стоит 5.50",
        "в следующем месяце",
        "предыдущая версия",
        "the table is set",
        "Figure out a table for 4",
        "Article about nothing",
        "part of the plan",
        "the first part of the day",
        "the first section of the page",
        "the next step is easy",
        "this part of it",
        "at this point",
        "point 5 % more",
        "the following paragraph is added:",
        "above average, not above, below zero",
        "a section I like",
        "Section 7.2. Title of it",
        "Figure 3: The process",
        "this Agreement and the Agreement",
        "the previous release",
        "see the manual",
        "[site](https://example.org/section-5)",
        "![image](image.png)",
        "HTTP 1.1 and TLS 1.2",
        "https://example.org/rfc2119.html",
        "**[RFC8126]** — Cotton, M.",
        "1. First\n2. Second",
        "it takes 3 to 5 days",
    ],
)
def test_does_not_see_a_reference_where_there_is_none(text: str) -> None:
    assert [shown(mention) for mention in find_mentions(text)] == []


def test_mentions_come_in_order_and_do_not_overlap() -> None:
    text = "п. 2 ст. 7 ГК РФ, [раздел 3](a.md) и как указано выше в RFC 9110, Section 5"
    mentions = find_mentions(text)
    assert len(mentions) == 4
    assert all(one.end <= other.start for one, other in zip(mentions, mentions[1:], strict=False))


def test_a_mention_in_another_document_is_external() -> None:
    own, other = find_mentions("Section 3 of this Agreement and Section 4 of RFC 9110")
    assert (own.type, own.document, other.type, other.document) == ("section", None, "external", "RFC 9110")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("1-500", ["1", "500"]),
        ("3.1 и 3.4-3.6", ["3.1", "3.4", "3.5", "3.6"]),
        ("II-IV", ["II", "III", "IV"]),
        ("«а»-«г»", ["а", "б", "в", "г"]),
        ("12(3) to 14", ["12", "13", "14"]),
        ("7, 7 and 7", ["7"]),
        ("", []),
    ],
)
def test_lists_and_ranges_expand(text: str, labels: list[str]) -> None:
    """A range too long to be meant keeps its ends."""
    assert expand_labels(text) == labels


@pytest.mark.parametrize(
    ("question", "draft", "only"),
    [
        ("Когда вернут залог?", "Залог возвращается в срок, указанный в разделе 7.2.", True),
        ("Когда вернут залог?", "См. п. 7.2.", True),
        ("Когда вернут залог?", "Раздел 7.2.", True),
        ("Когда вернут залог?", "Порядок возврата залога изложен в пункте 3 приложения № 2.", True),
        ("Сколько стоит уборка?", "Стоимость уборки приведена в таблице 3.", True),
        ("When is the deposit returned?", "The deposit is returned within the period set out in Section 7.2.", True),
        ("When is the deposit returned?", "Please see Section 7.2 for the answer.", True),
        ("When is the deposit returned?", "The return of the deposit is governed by Article 12(3).", True),
        ("Когда вернут залог?", "Залог возвращают за десять рабочих дней на карту жильца (раздел 7.2).", False),
        ("When is the deposit returned?", "It is paid to your card in ten working days (Section 7.2).", False),
        ("Когда вернут залог?", "Залог возвращают сразу.", False),
    ],
)
def test_a_draft_that_only_points(question: str, draft: str, only: bool) -> None:
    assert points_only(draft, frozenset(content_stems(question)), content_stems(draft)) is only
