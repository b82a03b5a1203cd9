"""The part of the schema that several processes share their work by."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Table, UniqueConstraint

from engine.providers.state.columns import CleanText, metadata

# Processes that live: a beat grows.
replicas = Table(
    "replicas",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("desk", CleanText, nullable=False),
    Column("holder", CleanText, nullable=False),
    Column("beat", Integer, nullable=False),
    UniqueConstraint("desk", "holder"),
)

# Where which of them answers; an empty holder has left work there.
claims = Table(
    "claims",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("desk", CleanText, nullable=False),
    Column("key", CleanText, nullable=False),
    Column("holder", CleanText, nullable=False),
    UniqueConstraint("desk", "key"),
)
