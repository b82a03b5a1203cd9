from __future__ import annotations

import io
import os

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.terminal.reply import TerminalReply
from engine import (
    Citation,
    Outcome,
    Reference,
)
from tests.delivery_fakes import outcome, run
from tests.terminal_fakes import Tty, on_screen, window

CITATIONS = (
    Citation(document="housing/tariffs/current.md", section="7.2", title="Tariffs", page=12),
    Citation(document="rules.md", section="", title="House rules", url="https://example.org/rules"),
    Citation(document="housing/tariffs/current.md", section="7.2", title="Tariffs", page=12),
    Citation(document="plain.txt", section="", title=""),
)


# --- the reply on a screen ------------------------------------------------------------------------------------------


async def test_a_draft_is_drawn_in_place_and_replaced_by_the_final_text() -> None:
    stream = Tty()
    reply = TerminalReply(stream, "en", size=window(40, 10))
    await reply.typing()
    assert on_screen(stream) == "."
    await reply.show("Refunds\ntake")
    assert on_screen(stream) == "Refunds\ntake"
    await reply.show("Refunds\ntake ten days")
    assert on_screen(stream) == "Refunds\ntake ten days"
    await reply.finish(outcome("Refunds take ten days."))
    assert on_screen(stream) == "Refunds take ten days."


async def test_after_a_retraction_only_the_final_text_remains() -> None:
    stream = Tty("> How?\n")
    stream.seek(0, io.SEEK_END)
    reply = TerminalReply(stream, "en", size=window(20, 6))
    await reply.show("wrong " * 60)
    await reply.withdraw()
    assert on_screen(stream, 20, 6) == "> How?"
    await reply.finish(outcome("I do not know."))
    assert on_screen(stream, 20, 6) == "> How?\nI do not know."


async def test_an_interim_message_is_faint_and_the_kept_draft_stays_above_it() -> None:
    stream = Tty()
    reply = TerminalReply(stream, "ru", size=window(60, 10))
    await reply.show("Тариф указан в разделе.")
    await reply.interim("Собираю ещё данные: раздел 7.2 …", keep=True)
    assert on_screen(stream, 60) == "Тариф указан в разделе.\n(дополняю …)\nСобираю ещё данные: раздел 7.2 …"
    assert "\x1b[2mСобираю ещё данные: раздел 7.2 …\x1b[0m" in stream.getvalue()
    await reply.show("Тариф равен 5.")
    assert on_screen(stream, 60) == "Тариф указан в разделе.\n(дополняю …)\nТариф равен 5."
    await reply.withdraw()
    assert on_screen(stream, 60) == "Тариф указан в разделе.\n(дополняю …)"
    await reply.finish(outcome("Тариф равен 5 рублям."))
    assert on_screen(stream, 60) == "Тариф равен 5 рублям."


async def test_an_interim_message_that_keeps_nothing_takes_the_drafts_place() -> None:
    stream = Tty()
    reply = TerminalReply(stream, "en", size=window(60, 10))
    await reply.show("See section 7.2.")
    await reply.interim("Gathering more data: section 7.2 ...", keep=False)
    assert on_screen(stream, 60) == "Gathering more data: section 7.2 ..."


async def test_a_documents_control_codes_do_not_reach_the_terminal() -> None:
    stream = Tty()
    reply = TerminalReply(stream, "en", size=window(40, 10))
    await reply.show("a\x1b[2Jb\x07c\x9bd\te\r\nf")
    await reply.finish(outcome("a\x1b[2Jb\x07c\x9bd\te\r\nf"))
    assert on_screen(stream) == "a[2Jbcd  e\nf"


async def test_a_narrowed_window_is_reckoned_with() -> None:
    columns = 40
    stream = Tty()
    reply = TerminalReply(stream, "en", size=lambda: os.terminal_size((columns, 10)))
    await reply.show("x" * 30)
    columns = 20  # the terminal wraps the row into two
    stream.truncate(0)
    await reply.withdraw()
    assert stream.getvalue().endswith("\x1b[1A\r\x1b[J")


_TEXTS = st.text(alphabet="ab я漢\u0301\n", max_size=200)
_VERBS = st.lists(
    st.one_of(
        st.tuples(st.just("typing"), st.just("")),
        st.tuples(st.just("show"), _TEXTS),
        st.tuples(st.just("withdraw"), st.just("")),
        st.tuples(st.just("interim"), _TEXTS),
        st.tuples(st.just("keep"), _TEXTS),
    ),
    max_size=8,
)


@settings(deadline=None)
@given(verbs=_VERBS, columns=st.integers(4, 30), lines=st.integers(1, 8))
def test_whatever_was_drawn_only_the_final_text_remains(verbs: list[tuple[str, str]], columns: int, lines: int) -> None:
    stream, plain = Tty(), Tty()
    final = outcome("The end.\n" * 3, citations=CITATIONS)

    async def drawn() -> None:
        reply = TerminalReply(stream, "en", size=window(columns, lines))
        for verb, text in verbs:
            await _do(reply, verb, text)
        await reply.finish(final)
        await TerminalReply(plain, "en", size=window(columns, lines)).finish(final)

    run(drawn())
    assert on_screen(stream, columns, lines) == on_screen(plain, columns, lines)


async def _do(reply: TerminalReply, verb: str, text: str) -> None:
    match verb:
        case "typing":
            await reply.typing()
        case "show":
            await reply.show(text)
        case "withdraw":
            await reply.withdraw()
        case _:
            await reply.interim(text, keep=verb == "keep")


# --- the reply in a pipe --------------------------------------------------------------------------------------------


async def _piped(*verbs: tuple[str, str], ending: Outcome) -> str:
    stream = io.StringIO()
    reply = TerminalReply(stream, ending.language)
    for verb, text in verbs:
        await _do(reply, verb, text)
    await reply.finish(ending)
    return stream.getvalue()


async def test_a_pipe_gets_the_final_text_only() -> None:
    verbs = [("typing", ""), ("show", "Half"), ("keep", "Gathering"), ("show", "Half an"), ("withdraw", "")]
    assert await _piped(*verbs, ending=outcome("An\tanswer.\n")) == "An\tanswer.\n"


async def test_sources_follow_after_a_blank_line_each_once() -> None:
    expected = (
        "Five.\n\nSources:\n- housing/tariffs/current.md, section 7.2 “Tariffs”, p. 12\n"
        "- rules.md, “House rules”, https://example.org/rules\n- plain.txt\n"
    )
    assert await _piped(ending=outcome("Five.", citations=CITATIONS)) == expected
    russian = await _piped(ending=outcome("Пять.", citations=CITATIONS[:1], language="ru"))
    assert russian == "Пять.\n\nИсточники:\n- housing/tariffs/current.md, раздел 7.2 «Tariffs», стр. 12\n"


async def test_unresolved_references_are_named_unless_the_text_names_them() -> None:
    references = (
        Reference(type="section", target="7.2", marker="see section 7.2"),
        Reference(type="section", target="7.2", marker="section 7.2"),
        Reference(type="section", target="8.1", marker="see 8.1"),
        Reference(type="section", target="table 2", marker="Table 2"),
        Reference(type="external", target="ISO 27001", marker="per ISO 27001"),
        Reference(type="section", target="9", marker="see 9", status="resolved"),
    )
    ending = outcome("Five, in 7.2.1 and 17.2. See section 8.1.", references=references)
    assert await _piped(ending=ending) == f"{ending.text}\n\nMore in: section 7.2, table 2, ISO 27001\n"


async def test_what_the_streams_encoding_cannot_express_is_replaced() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="koi8-r")
    await TerminalReply(stream, "ru").finish(outcome("Ответ 漢 \udcff."))
    assert raw.getvalue().decode("koi8-r") == "Ответ ? ?.\n"
