"""A stored answer in Markdown as each platform shows it."""

from __future__ import annotations

from adapters.slack import formatting as slack
from adapters.telegram import formatting as telegram

ANSWER = """\
**Важно:** зайдите в [профиль](https://example.org/a_b?x=1&y=2).

1. Откройте *Настройки*
2. Нажмите `Сменить пароль`

- от 5 до <10> штук & больше
- файл my_long_name.txt, цена 2 * 3 * 4
"""


def test_telegram_shows_entities_and_no_marks() -> None:
    (part,) = telegram.render(ANSWER)
    shown = {part.text.encode("utf-16-le")[2 * one.offset : 2 * one.end].decode("utf-16-le") for one in part.entities}
    assert {"Важно:", "профиль", "Настройки", "Сменить пароль"} <= shown
    assert [one.url for one in part.entities if one.url] == ["https://example.org/a_b?x=1&y=2"]
    for kept in ("от 5 до <10> штук & больше", "my_long_name.txt", "2 * 3 * 4"):
        assert kept in part.text
    assert "**" not in part.text
    assert "`" not in part.text


def test_slack_gets_a_markdown_block_and_a_fallback_in_its_own_marks() -> None:
    (part,) = slack.render(ANSWER)
    assert part.markdown.strip() == ANSWER.strip()
    assert "*Важно:*" in part.text
    assert "<https://example.org/a_b?x=1&amp;y=2|профиль>" in part.text
    assert "_Настройки_" in part.text
    assert "`Сменить пароль`" in part.text
    assert "&lt;10&gt; штук &amp; больше" in part.text
