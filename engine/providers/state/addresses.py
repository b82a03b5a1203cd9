"""What a person writes as the address of the state database, understood or refused before anything is opened."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from engine.errors import ConfigurationError

Kind = Literal["sqlite", "postgresql"]

_SCHEMES: dict[str, Kind] = {
    "sqlite": "sqlite",
    "sqlite+aiosqlite": "sqlite",
    "postgres": "postgresql",
    "postgresql": "postgresql",
    "postgresql+asyncpg": "postgresql",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the database is. `name` may be shown to people, `target` and `secrets` must not."""

    kind: Kind
    name: str
    target: str = field(repr=False)
    """The absolute path of the file, or a libpq connection string."""
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def redact(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return text


def parse_address(url: str) -> Address:
    """Raises ConfigurationError, which never repeats the address: a mistyped one may show its password anywhere."""
    scheme, separator, rest = url.partition("://")
    kind = _SCHEMES.get(scheme)
    if not separator or kind is None:
        raise ConfigurationError(
            "The database URL is not understood. Write sqlite:///path/to/state.db or postgresql://user:password@host/name"
        )
    return _sqlite(rest) if kind == "sqlite" else _postgresql(rest)


def _sqlite(rest: str) -> Address:
    path = rest.removeprefix("/")
    if path == rest or path in ("", ":memory:"):
        raise ConfigurationError(
            "The SQLite URL must name a file: sqlite:///path/to/state.db (four slashes if absolute)"
        )
    if "?" in path:
        raise ConfigurationError("The SQLite URL takes no parameters, and its path must not contain a question mark")
    absolute = str(Path(path).absolute())
    return Address(kind="sqlite", name=absolute, target=absolute)


def _postgresql(rest: str) -> Address:
    parts = _split(f"postgresql://{rest}")
    if "@" in parts.path + parts.query + parts.fragment:
        # Otherwise a password that holds / ? or # would be taken for a host, and shown as one.
        raise ConfigurationError(
            "In the PostgreSQL URL, special characters of user and password must be percent-encoded "
            "(@ as %40, / as %2F, ? as %3F, # as %23)"
        )
    credentials, _, hosts = parts.netloc.rpartition("@")
    query = parse_qs(parts.query)
    passwords = [credentials.partition(":")[2], *query.get("password", [])]
    hosts = hosts or ",".join(query.get("host", [])) or "the local server"
    return Address(
        kind="postgresql",
        name=f"{unquote(parts.path.removeprefix('/')) or 'the default database'} on {hosts}",
        target=parts.geturl(),
        secrets=tuple(form for password in passwords if password for form in {password, unquote(password)}),
    )


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        raise ConfigurationError("The PostgreSQL URL is not understood: look at its host and brackets") from None
