"""Edits of the FAQ laid over its files."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from engine.matching.edits import EDITED, EditKind, FaqEdit, laid_over, served_after, undoing
from engine.types import FaqEntry


def entry(id: str, answer: str = "A", source: str = "faq/en.yaml") -> FaqEntry:
    return FaqEntry(id=id, questions=(f"{id}?",), answer=answer, language="en", source=source)


FILES = (entry("a"), entry("b"), entry("c"))


def edit(kind: EditKind, id: str, number: int = 1, **values: object) -> FaqEdit:
    return FaqEdit(kind=kind, entry=id, editor="anna", id=number, **values)  # type: ignore[arg-type]


def test_edits_lie_over_the_files() -> None:
    changed, new = entry("b", "B", EDITED), entry("z", source=EDITED)
    edits = [edit("put", "b", body=changed), edit("retire", "a"), edit("put", "z", body=new)]
    assert laid_over(FILES, edits) == (changed, entry("c"), new)
    assert laid_over((), edits) == (changed, new)


def test_an_undone_edit_gives_the_entry_back() -> None:
    own = entry("b", "B", EDITED)
    over_file = edit("put", "b", 1, body=own, before=entry("b"))
    back = undoing(over_file, "boris")
    assert (back.kind, back.undoes, back.editor) == ("restore", 1, "boris")
    assert laid_over(FILES, [over_file, back]) == FILES
    assert served_after(laid_over(FILES, [over_file]), [over_file, back]) == FILES
    newer = replace(FILES[1], answer="The file was changed since")
    assert laid_over((newer,), [over_file, back]) == (newer,)
    new = edit("put", "z", 1, body=entry("z", source=EDITED))
    assert laid_over(FILES, [new, undoing(new, "boris")]) == FILES
    gone = edit("retire", "a", 1, before=entry("a"))
    assert set(served_after(FILES[1:], [gone, undoing(gone, "boris")])) == set(FILES)


@given(
    st.lists(st.tuples(st.sampled_from(["put", "retire"]), st.sampled_from("abcz"), st.text(min_size=1, max_size=3)))
)
def test_laying_edits_over_again_changes_nothing(made: list[tuple[EditKind, str, str]]) -> None:
    edits = [
        edit(kind, id, number, body=entry(id, answer, EDITED) if kind == "put" else None)
        for number, (kind, id, answer) in enumerate(made, 1)
    ]
    once = served_after(FILES, edits)
    assert served_after(once, edits) == once
    assert {one.id: one for one in once} == {one.id: one for one in laid_over(FILES, edits)}
