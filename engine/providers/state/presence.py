"""Processes on one machine know at once when another one of them has died: a lock on a file ends with its process.

SQLite is used on one machine only, so a process that was killed there need not be waited for as one far away must be.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path


class Presence:
    def __init__(self, database: Path, holder: str) -> None:
        self._database, self._holder = database, holder
        self._lock: int | None = None

    def appear(self) -> None:
        """Again and again: somebody may have cleaned up the folder."""
        if self._lock is not None and not self._file(self._holder).exists():
            os.close(self._lock)
            self._lock = None
        if self._lock is None:
            self._lock = _locked(self._file(self._holder), os.O_CREAT)

    def vanish(self) -> None:
        if self._lock is not None:
            self._file(self._holder).unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None

    def has_died(self, holder: str) -> bool:
        """False when nobody can tell."""
        if sys.platform == "win32":
            return False
        file = self._file(holder)
        try:
            lock = _locked(file)
        except FileNotFoundError:
            return True
        if lock is None:
            return False
        file.unlink(missing_ok=True)
        os.close(lock)
        return True

    def _file(self, holder: str) -> Path:
        return self._database.with_name(f"{self._database.name}-{holder}.alive")


def _locked(file: Path, flags: int = 0) -> int | None:
    """The open file with a lock that nobody else has; None when somebody has it, or where there are no locks."""
    if sys.platform == "win32":
        return None
    import fcntl

    opened = os.open(file, os.O_RDWR | flags, 0o600)
    with suppress(OSError):
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return opened
    os.close(opened)
    return None
