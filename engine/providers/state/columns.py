"""What all tables share: text that every database takes, and names of constraints that follow from a rule."""

from __future__ import annotations

import re

from sqlalchemy import Dialect, MetaData, Text, TypeDecorator

_UNSTORABLE = re.compile("[\\x00\\ud800-\\udfff]")


class CleanText(TypeDecorator[str]):
    """Text that both databases accept: PostgreSQL has no NUL, and neither has lone surrogates (half an emoji)."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", value)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
