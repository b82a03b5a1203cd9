"""Whether a draft answer says something of its own, or only where the answer stands."""

from __future__ import annotations

from engine.text.references.find import find_mentions

_POINTING_STEMS = frozenset(
    "указа установл определ предусмотр опис см смотр соответств согласн порядк срок услов ниж выш далее привед приведен"
    " излож регулир содерж говор подробн ответ искат найд находит перечисл изложен обрат документ положен правил"
    " describ set specifi accord pursuant subject defin provid see list state refer given period term section claus"
    " articl regul govern found detail cover outlin explain document answer contain follow please"
    " раздел пункт подпункт стат глав част абзац параграф приложен таблиц рисунк tabl figur annex appendix chapter part"
    " paragraph rule schedul".split()
)


def points_only(draft: str, question_stems: frozenset[str], draft_stems: list[str]) -> bool:
    """Whether a draft only points: it has few words beyond the question's and those that point."""
    if not find_mentions(draft):
        return False
    own = [
        stem
        for stem in draft_stems
        if stem not in question_stems and not stem[0].isdigit() and not any(stem.startswith(p) for p in _POINTING_STEMS)
    ]
    return len(set(own)) < 4
