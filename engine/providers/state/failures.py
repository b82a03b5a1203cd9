"""What a database driver complains of, as one line of the error tree that says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from engine.errors import (
    KnowledgeError,
    ProviderError,
    ProviderRejected,
    ProviderTimeout,
    RefdeskError,
    StoreBusy,
)
from engine.providers.state.addresses import Address

_PRIMARY_CODE = 0xFF
"""SQLite's extended codes (SQLITE_READONLY_DIRECTORY ...) hold the primary one in the lowest byte."""

_SQLITE_ADVICE = {
    sqlite3.SQLITE_READONLY: "may not be written: let this user write to the file and to its folder",
    sqlite3.SQLITE_PERM: "may not be written: let this user write to the file and to its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: let this user read and write the file and its folder",
    sqlite3.SQLITE_AUTH: "cannot be opened: let this user read and write the file and its folder",
    sqlite3.SQLITE_NOTADB: "is no SQLite database, or is damaged: restore it from a backup, or move it away and ingest",
    sqlite3.SQLITE_CORRUPT: "is damaged: restore it from a backup, or move it away and ingest again",
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full",
    sqlite3.SQLITE_IOERR: "cannot be read or written: look at the disk",
}

_POSTGRES_ADVICE = {
    "28P01": "refused the user or the password",
    "28000": "refused the user",
    "3D000": "does not exist: create it, or mend the URL",
    "42501": "denies this user what Refdesk needs: let it create tables",
    "25006": "is read-only: connect to the primary server",
    "53300": "has no connection left",
    "57P03": "is starting up or shutting down",
}


@contextmanager
def translated(address: Address) -> Iterator[None]:
    """Let nothing out but the error tree: neither a driver's type nor the password."""
    try:
        yield
    except PoolTimeout as error:
        raise _exhausted(address) from error
    except DBAPIError as error:
        raise _database_failure(address, error) from error
    except OSError as error:
        raise _system_failure(address, error) from error


def is_busy(error: DBAPIError) -> bool:
    return _sqlite_code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _exhausted(address: Address) -> RefdeskError:
    if address.kind == "sqlite":
        return StoreBusy(f"The state database {address.name} has more work waiting than it can do")
    return ProviderTimeout("PostgreSQL", f"{address.name}: all connections are in use")


def _system_failure(address: Address, error: OSError) -> RefdeskError:
    reason = address.redact(error.strerror or str(error) or type(error).__name__)
    if address.kind == "sqlite":
        return KnowledgeError(f"The state database {address.name} cannot be made: its folder cannot ({reason})")
    if isinstance(error, TimeoutError):
        return ProviderTimeout("PostgreSQL", f"{address.name} does not answer in time")
    return ProviderError("PostgreSQL", f"{address.name} cannot be reached: {reason}")


def _database_failure(address: Address, error: DBAPIError) -> RefdeskError:
    return _sqlite_failure(address, error) if address.kind == "sqlite" else _postgres_failure(address, error)


def _sqlite_failure(address: Address, error: DBAPIError) -> RefdeskError:
    reason = _first_line(error)
    if is_busy(error):
        return StoreBusy(f"The state database {address.name} is held by another process ({reason}): try again later")
    advice = _SQLITE_ADVICE.get(_sqlite_code(error), "does not do what was asked of it")
    return KnowledgeError(f"The state database {address.name} {advice} ({reason})")


def _sqlite_code(error: DBAPIError) -> int:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code & _PRIMARY_CODE if isinstance(code, int) else sqlite3.SQLITE_OK


def _postgres_failure(address: Address, error: DBAPIError) -> RefdeskError:
    state = getattr(error.orig, "sqlstate", None) or ""
    reason = address.redact(_first_line(error))
    advice = _POSTGRES_ADVICE.get(state)
    if advice is not None:
        return ProviderError("PostgreSQL", f"{address.name} {advice} ({reason})")
    # 08: a broken connection; 40: a transaction to repeat; 53, 57: a server in trouble; none: the driver's own words.
    if state[:2] in ("", "08", "40", "53", "57"):
        return ProviderError("PostgreSQL", f"{address.name} failed: {reason}")
    return ProviderRejected("PostgreSQL", f"{address.name} does not do what was asked of it: {reason}")


def _first_line(error: DBAPIError) -> str:
    """The driver's own words, without SQLAlchemy's copy of the statement and its values."""
    cause = error.orig.__cause__ if error.orig is not None else None
    return str(cause or error.orig).partition("\n")[0]
