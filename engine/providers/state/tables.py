"""The schema as the code sees it; `migrations/` holds how a database gets there, and a test holds them together.

Every constraint has a name that follows from a rule, so that a later migration can alter it on both databases.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    UniqueConstraint,
)

from engine.providers.state.claim_tables import claims as claims
from engine.providers.state.claim_tables import replicas as replicas
from engine.providers.state.columns import CleanText as CleanText
from engine.providers.state.columns import metadata as metadata

HEAD = "0011"
"""The newest migration: a database that stands there is opened without loading Alembic."""

documents = Table(
    "documents",
    metadata,
    Column("path", CleanText, primary_key=True),
    Column("revision", CleanText, nullable=False),
    Column("content_hash", CleanText, nullable=False),
    Column("domain", CleanText, nullable=False),
    Column("collection", CleanText, nullable=False),
    Column("title", CleanText, nullable=False),
    Column("language", CleanText, nullable=False),
    Column("audience", JSON, nullable=False),
    Column("chunks", Integer, nullable=False),
    Column("centroid", LargeBinary, nullable=False),
)

toc = Table(
    "toc",
    metadata,
    Column("document", CleanText, ForeignKey("documents.path", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("number", CleanText, nullable=False, index=True),
    Column("title", CleanText, nullable=False),
    Column("level", Integer, nullable=False),
    Column("parent", Integer),
    Column("page", Integer),
    Column("anchor", CleanText),
    Column("chunk_ids", JSON, nullable=False),
)

object_registry = Table(
    "object_registry",
    metadata,
    Column("document", CleanText, ForeignKey("documents.path", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("kind", CleanText, nullable=False),
    Column("label", CleanText, nullable=False, index=True),
    Column("title", CleanText, nullable=False),
    Column("section_index", Integer, nullable=False),
    Column("page", Integer),
    Column("chunk_ids", JSON, nullable=False),
)

faq_entries = Table(
    "faq_entries",
    metadata,
    Column("id", CleanText, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("questions", JSON, nullable=False),
    Column("answer", CleanText, nullable=False),
    Column("language", CleanText, nullable=False),
    Column("audience", JSON, nullable=False),
    Column("domain", CleanText),
    Column("tags", JSON, nullable=False),
    Column("valid_from", CleanText),
    Column("valid_until", CleanText),
    Column("source", CleanText, nullable=False),
    Column("chats", JSON),
    Column("languages", JSON),
)

faq_wordings = Table(
    "faq_wordings",
    metadata,
    Column("position", Integer, primary_key=True, autoincrement=False),
    # Indexed: a database looks through the wordings whenever an entry goes.
    Column("entry", CleanText, ForeignKey("faq_entries.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("wording", CleanText, nullable=False),
    Column("vector", LargeBinary, nullable=False, comment="float32, little endian"),
)

misses = Table(
    "misses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("asked_at", CleanText, nullable=False),
    Column("question", CleanText, nullable=False),
    Column("language", CleanText, nullable=False),
    Column("conversation", CleanText, nullable=False),
    Column("best_score", Float, nullable=False),
    Column("reason", CleanText, nullable=False),
    Column("route", JSON(none_as_null=True)),
    Column("question_id", CleanText),
    Column("tried", JSON(none_as_null=True)),
    # An id that was deleted is never given out again: editors may have noted it down.
    sqlite_autoincrement=True,
)

vetoes = Table(
    "vetoes",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("asked_at", CleanText, nullable=False),
    Column("question", CleanText, nullable=False),
    Column("conversation", CleanText, nullable=False),
    Column("question_id", CleanText, nullable=False),
    Column("entry", CleanText, nullable=False),
    Column("wording", CleanText, nullable=False),
    Column("vetoed_by", CleanText, nullable=False),
    Column("score", Float, nullable=False),
    sqlite_autoincrement=True,
)

answers = Table(
    "answers",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("question_id", CleanText, nullable=False, index=True),
    Column("asked_at", CleanText, nullable=False, index=True),
    Column("kind", CleanText, nullable=False),
    Column("language", CleanText, nullable=False),
    Column("domain", CleanText),
    Column("collection", CleanText),
    Column("faq_entry", CleanText),
    Column("faq_score", Float, nullable=False),
    Column("passes", Integer, nullable=False),
    Column("cited", JSON, nullable=False),
    Column("references", JSON, nullable=False),
    Column("usage", JSON, nullable=False),
    Column("timings_ms", JSON, nullable=False),
    Column("faq_version", CleanText),
    Column("chunks", JSON(none_as_null=True)),
    Column("made_with", JSON(none_as_null=True)),
    Column("rating", CleanText),
    Column("reason", CleanText),
    sqlite_autoincrement=True,
)

route_cache = Table(
    "route_cache",
    metadata,
    # A digest: keys hold whole questions, and PostgreSQL refuses index rows above 2.7 kB.
    Column("key", CleanText, primary_key=True),
    Column("version", CleanText, nullable=False),
    Column("route", JSON, nullable=False),
    Column("stored_at", CleanText, nullable=False),
    Index(None, "stored_at"),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("desk", CleanText, nullable=False),
    Column("key", CleanText, nullable=False),
    Column("received_at", CleanText, nullable=False),
    Column("conversation", CleanText, nullable=False),
    Column("asker", CleanText, nullable=False),
    Column("text", CleanText, nullable=False),
    Column("place", JSON, nullable=False),
    Column("command", CleanText, nullable=False),
    Column("unread", JSON, nullable=False),
    Column("language", CleanText),
    Column("whole", Boolean, nullable=False),
    Column("amends", CleanText, nullable=False),
    Column("sent_at", Float, nullable=False),
    Column("exchange", Integer),
    UniqueConstraint("desk", "key"),
    Index(None, "exchange"),
    sqlite_autoincrement=True,
)

exchanges = Table(
    "exchanges",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("desk", CleanText, nullable=False),
    Column("opened_at", CleanText, nullable=False),
    Column("conversation", CleanText, nullable=False),
    Column("asker", CleanText, nullable=False),
    Column("text", CleanText, nullable=False),
    Column("place", JSON, nullable=False),
    Column("command", CleanText, nullable=False),
    Column("unread", JSON, nullable=False),
    Column("language", CleanText),
    Column("ending", CleanText, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("posted", JSON, nullable=False),
    Column("sending", CleanText),
    Column("answer", JSON(none_as_null=True)),
    Column("rating", CleanText),
    Column("reason", CleanText, nullable=False),
    Column("stopped", Boolean),
    Index(None, "conversation"),
    Index(None, "ending"),
    # Buttons carry the id: it is never given out again.
    sqlite_autoincrement=True,
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", CleanText, primary_key=True),
    Column("owner", CleanText, nullable=False),
    Column("owned_until", CleanText),
    Column("language", CleanText),
    Column("unreachable", Boolean, nullable=False),
)

tickets = Table(
    "tickets",
    metadata,
    Column("id", Integer, primary_key=True),
    # The conversation while the ticket is not closed: there is one of them at a time.
    Column("open_key", CleanText),
    Column("desk", CleanText, nullable=False),
    Column("conversation", CleanText, nullable=False),
    Column("asker", CleanText, nullable=False),
    Column("question", CleanText, nullable=False),
    Column("language", CleanText, nullable=False),
    Column("reason", CleanText, nullable=False),
    Column("detail", CleanText, nullable=False),
    Column("name", CleanText, nullable=False),
    Column("exchange", Integer, nullable=False),
    Column("place", JSON, nullable=False),
    Column("tried", JSON, nullable=False),
    Column("state", CleanText, nullable=False),
    Column("taken_by", CleanText, nullable=False),
    Column("closing", CleanText),
    Column("home", JSON(none_as_null=True)),
    Column("opened_at", CleanText, nullable=False),
    Column("closed_at", CleanText),
    UniqueConstraint("open_key"),
    Index(None, "conversation"),
    sqlite_autoincrement=True,
)

ticket_anchors = Table(
    "ticket_anchors",
    metadata,
    Column("desk", CleanText, primary_key=True),
    Column("key", CleanText, primary_key=True),
    Column("ticket", Integer, nullable=False),
)

relays = Table(
    "relays",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ticket", Integer, nullable=False),
    Column("to", CleanText, nullable=False),
    Column("key", CleanText, nullable=False),
    Column("kind", CleanText, nullable=False),
    Column("content", JSON, nullable=False),
    Column("version", Integer, nullable=False),
    Column("done", Integer, nullable=False),
    Column("target", CleanText),
    Column("mark", CleanText),
    Column("failure", CleanText, nullable=False),
    UniqueConstraint("key"),
    Index(None, "ticket"),
    Index(None, "to", "done"),
    sqlite_autoincrement=True,
)

desk_leases = Table(
    "desk_leases",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("desk", CleanText, nullable=False),
    Column("holder", CleanText, nullable=False),
    Column("beat", Integer, nullable=False),
    UniqueConstraint("desk"),
)

# Files on their way between platforms, by the key of the relay that takes them there.
relay_files = Table(
    "relay_files",
    metadata,
    Column("key", CleanText, primary_key=True),
    Column("body", LargeBinary, nullable=False),
)

faq_edits = Table(
    "faq_edits",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("made_at", CleanText, nullable=False),
    Column("editor", CleanText, nullable=False),
    Column("kind", CleanText, nullable=False),
    Column("entry", CleanText, nullable=False),
    Column("body", JSON(none_as_null=True)),
    Column("before", JSON(none_as_null=True)),
    Column("undoes", Integer),
    sqlite_autoincrement=True,
)

faq_drafts = Table(
    "faq_drafts",
    metadata,
    Column("id", Integer, primary_key=True),
    # The ticket while nothing has been decided: it has one such draft at a time.
    Column("open_key", Integer),
    Column("ticket", Integer, nullable=False),
    Column("made_at", CleanText, nullable=False),
    Column("maker", CleanText, nullable=False),
    Column("questions", JSON, nullable=False),
    Column("answer", CleanText, nullable=False),
    Column("language", CleanText, nullable=False),
    Column("near", JSON, nullable=False),
    Column("version", Integer, nullable=False),
    Column("state", CleanText, nullable=False),
    Column("decided_by", CleanText, nullable=False),
    Column("decided_at", CleanText),
    Column("edit", Integer),
    UniqueConstraint("open_key"),
    Index(None, "ticket"),
    sqlite_autoincrement=True,
)

faq_flags = Table(
    "faq_flags",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("entry", CleanText, nullable=False),
    Column("version", CleanText, nullable=False),
    Column("question_id", CleanText, nullable=False),
    Column("flagged_at", CleanText, nullable=False),
    Column("reason", CleanText, nullable=False),
    Column("cleared_at", CleanText),
    Column("cleared_by", CleanText),
    UniqueConstraint("entry", "question_id"),
    sqlite_autoincrement=True,
)

miss_states = Table(
    "miss_states",
    metadata,
    Column("miss", Integer, primary_key=True, autoincrement=False),
    Column("state", CleanText, nullable=False),
    Column("changed_at", CleanText, nullable=False),
    Column("changed_by", CleanText),
)

installations = Table(
    "installations",
    metadata,
    Column("app", CleanText, primary_key=True),
    Column("workspace", CleanText, primary_key=True),
    Column("content", JSON, nullable=False),
)

install_states = Table(
    "install_states",
    metadata,
    Column("state", CleanText, primary_key=True),
    Column("issued_at", CleanText, nullable=False),
)

meta = Table(
    "meta",
    metadata,
    Column("key", CleanText, primary_key=True),
    Column("value", CleanText, nullable=False),
)
