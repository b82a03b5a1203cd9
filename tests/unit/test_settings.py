"""Settings from the environment and the command line, and what is said when they are wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from bot.settings import PREFIX, Settings
from engine import ConfigurationError

SECRET = "s3cr3t-value-that-nobody-may-see"


def complaint(environment: dict[str, str], **overrides: object) -> str:
    with pytest.raises(ConfigurationError) as refused:
        Settings.load(overrides, environment)
    said = str(refused.value)
    assert "\n" not in said
    assert refused.value.__cause__ is None, "a traceback must not show the values either"
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    return said


def test_nothing_is_needed_to_start() -> None:
    settings = Settings.load({}, {})
    assert (settings.knowledge, settings.data) == (Path("knowledge"), Path(".refdesk"))
    assert settings.state_url == f"sqlite:///{Path('.refdesk') / 'state.db'}"
    assert settings.audiences == frozenset({"public"})
    assert settings.model_url is None


def test_the_environment_is_read_and_the_command_line_wins() -> None:
    environment = {"REFDESK_KNOWLEDGE": "from-environment", "REFDESK_DATA": "data", "PATH": "/bin", "REFDESKTOP": "x"}
    settings = Settings.load({"knowledge": Path("from-arguments")}, environment)
    assert (settings.knowledge, settings.data) == (Path("from-arguments"), Path("data"))


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFDESK_QDRANT_COLLECTION", "another")
    assert Settings.load().qdrant_collection == "another"


def test_an_empty_variable_counts_as_unset() -> None:
    environment = {f"{PREFIX}{name.upper()}": "" for name in Settings.model_fields}
    assert Settings.load({}, environment) == Settings.load({}, {})
    assert not Settings.load({}, environment).model_fields_set


@pytest.mark.parametrize("written", [",", " , "])
def test_an_audience_of_nobody_is_refused(written: str) -> None:
    assert "REFDESK_AUDIENCE: names nobody" in complaint({"REFDESK_AUDIENCE": written})


def test_variables_for_tests_are_not_settings() -> None:
    Settings.load({}, {"REFDESK_TEST_NO_SKIPS": "1"})


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("REFDESK_KNOWLEGE", "REFDESK_KNOWLEDGE"),
        ("REFDESK_MODEL_NAMES", "REFDESK_MODEL_NAME"),
        ("REFDESK_INDEX_EMBEDER", "REFDESK_INDEX_EMBEDDER"),
        ("REFDESK_LOGLEVEL", "REFDESK_LOG_LEVEL"),
        ("REFDESK_DATABASEURL", "REFDESK_DATABASE_URL"),
    ],
)
def test_an_unknown_variable_is_named_with_what_was_meant(name: str, meant: str) -> None:
    assert complaint({name: SECRET}) == f"unknown setting {name}; did you mean {meant}?"


@pytest.mark.parametrize("name", ["REFDESK_XYZZY", "REFDESK_", "REFDESK_MODEL_CONFIG_XYZZY_PLUGH"])
def test_an_unknown_variable_like_no_other_is_named(name: str) -> None:
    assert complaint({name: SECRET}).startswith(f"unknown setting {name}")
    assert SECRET not in complaint({name: SECRET})


@pytest.mark.parametrize("value", ["", "x"])
def test_an_unknown_variable_is_an_error_even_when_empty(value: str) -> None:
    assert "unknown setting REFDESK_NOPE" in complaint({"REFDESK_NOPE": value})


@pytest.mark.parametrize("name", ["GATE_EMBEDDER", "INDEX_EMBEDDER", "LOG_LEVEL"])
def test_a_wrong_choice_is_told_with_the_right_ones_and_without_the_value(name: str) -> None:
    said = complaint({f"{PREFIX}{name}": SECRET})
    assert said.startswith(f"setting {PREFIX}{name}: input should be '")
    assert SECRET not in said


def test_all_wrong_values_are_told_at_once() -> None:
    said = complaint({"REFDESK_LOG_LEVEL": "loud", "REFDESK_GATE_EMBEDDER": "none", "REFDESK_DATABASE_URL": SECRET})
    assert said.count("setting REFDESK_") == 2
    assert "; setting " in said
    assert SECRET not in said


@pytest.mark.parametrize("name", [name for name, field in Settings.model_fields.items() if "Secret" in str(field)])
def test_a_secret_of_a_wrong_type_is_not_told(name: str) -> None:
    said = complaint({}, **{name: [SECRET]})
    assert f"{PREFIX}{name.upper()}" in said
    assert SECRET not in said


def test_secrets_do_not_show_in_a_printed_setting() -> None:
    secrets = [name for name, field in Settings.model_fields.items() if "Secret" in str(field.annotation)]
    assert {name for name in Settings.model_fields if name.endswith(("_key", "_token", "database_url"))} <= {*secrets}
    values = {f"{PREFIX}{name.upper()}": SECRET for name in secrets}
    values[f"{PREFIX}MODEL_FALLBACKS"] = json.dumps([{"name": "small", "api_key": SECRET}])
    settings = Settings.load({}, values)
    assert SECRET not in repr(settings.fallback_endpoints)
    assert SECRET not in repr(settings)
    assert SECRET not in str(settings)
    assert all(isinstance(getattr(settings, name), SecretStr) for name in secrets)


def test_a_database_url_replaces_the_file() -> None:
    settings = Settings.load({}, {"REFDESK_DATABASE_URL": "postgresql://user:pass@host/db"})
    assert settings.state_url == "postgresql://user:pass@host/db"


@pytest.mark.parametrize(
    ("written", "read"),
    [("public", {"public"}), (" public , staff,", {"public", "staff"}), ("персонал", {"персонал"})],
)
def test_audiences_are_parted_by_commas(written: str, read: set[str]) -> None:
    assert Settings.load({}, {"REFDESK_AUDIENCE": written}).audiences == read


def test_every_setting_is_described_in_one_sentence() -> None:
    for name, field in Settings.model_fields.items():
        assert field.description, name
        assert field.description.endswith("."), name
        assert "\n" not in field.description, name


def test_settings_cannot_be_changed_afterwards() -> None:
    settings = Settings.load({}, {})
    with pytest.raises(ValueError, match="frozen"):
        settings.audience = "staff"


@given(st.sampled_from(sorted(Settings.model_fields)), st.text(st.characters(exclude_characters="\x00"), min_size=1))
def test_any_value_is_taken_or_refused_in_one_line(name: str, value: str) -> None:
    said = ""
    try:
        Settings.load({}, {f"{PREFIX}{name.upper()}": value})
    except ConfigurationError as error:
        said = str(error)
    assert not said or said.startswith(f"setting {PREFIX}{name.upper()}: ")
    assert "\n" not in said


def test_fallback_endpoints_are_a_list_in_order() -> None:
    written = json.dumps([{"name": "a", "url": "http://a/v1", "window": 4096}, {"name": "b", "contract": "text"}])
    endpoints = Settings.load({}, {"REFDESK_MODEL_FALLBACKS": written}).fallback_endpoints
    assert [(one.name, one.window, one.contract) for one in endpoints] == [("a", 4096, "auto"), ("b", 8192, "text")]
    assert Settings.load({}, {}).fallback_endpoints == ()


@pytest.mark.parametrize(
    "written",
    ["{", "{}", '[{"url": "http://a/v1"}]', '[{"name": "a", "api_keys": "%s"}]', '[{"name": "a", "window": 3}]'],
)
def test_wrong_fallback_endpoints_are_told_without_their_keys(written: str) -> None:
    said = complaint({"REFDESK_MODEL_FALLBACKS": written.replace("%s", SECRET)})
    assert said.startswith("setting REFDESK_MODEL_FALLBACKS: ")
    assert SECRET not in said
