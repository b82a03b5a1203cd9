from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import ConfigurationError
from engine.providers.state.addresses import parse_address


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+aiosqlite"])
def test_sqlite_names_a_file(scheme: str) -> None:
    absolute = parse_address(f"{scheme}:////var/lib/ref desk/100%/состояние.db")
    assert absolute.kind == "sqlite"
    assert absolute.target == absolute.name == "/var/lib/ref desk/100%/состояние.db"
    assert parse_address(f"{scheme}:///.refdesk/state.db").target == str(Path.cwd() / ".refdesk/state.db")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_postgres_is_handed_to_the_driver_as_it_is_written(scheme: str) -> None:
    address = parse_address(f"{scheme}://bot:s%40crt@db.example:6432/refdesk?sslmode=require")
    assert address.kind == "postgresql"
    assert address.target == "postgresql://bot:s%40crt@db.example:6432/refdesk?sslmode=require"
    assert address.name == "refdesk on db.example:6432"


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://", "the default database on the local server"),
        ("postgresql:///refdesk", "refdesk on the local server"),
        ("postgresql:///refdesk?host=/run/postgresql", "refdesk on /run/postgresql"),
        ("postgresql://u:p@one:1,two:2/refdesk", "refdesk on one:1,two:2"),
        ("postgresql://u:p@[::1]:5432/refdesk", "refdesk on [::1]:5432"),
    ],
)
def test_postgres_is_named_for_people(url: str, name: str) -> None:
    assert parse_address(url).name == name


@pytest.mark.parametrize(
    "url",
    [
        "",
        "state.db",
        "/var/state.db",
        "mysql://u:secret@h/d",
        "postgresql+psycopg://u:secret@h/d",
        "sqlite://",
        "sqlite:///",
        "sqlite:///:memory:",
        "sqlite://state.db",
        "sqlite:///state.db?mode=ro",
        "postgresql://u:sec/secret@h/d",
        "postgresql://u:sec?secret@h/d",
        "postgresql://u:sec#secret@h/d",
        "postgresql://u:a@sec/secret@h/d",
        "postgresql://u:secret@[h/d",
    ],
)
def test_what_is_not_understood_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_address(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_password_is_never_shown() -> None:
    address = parse_address("postgresql://bot:s%40crt@db.example/refdesk?password=other")
    assert "crt" not in repr(address)
    assert "other" not in repr(address)
    assert address.redact("s%40crt, s@crt, other") == "***, ***, ***"
