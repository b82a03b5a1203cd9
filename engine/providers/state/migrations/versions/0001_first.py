"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    _create_documents()
    _create_faq()
    _create_misses()
    _create_route_cache()
    op.create_table(
        "meta",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_meta"),
    )


def downgrade() -> None:
    for table in (
        "meta",
        "route_cache",
        "misses",
        "faq_wordings",
        "faq_entries",
        "object_registry",
        "toc",
        "documents",
    ):
        op.drop_table(table)


def _create_documents() -> None:
    op.create_table(
        "documents",
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("revision", sa.Text, nullable=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("domain", sa.Text, nullable=False),
        sa.Column("collection", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("audience", sa.JSON, nullable=False),
        sa.Column("chunks", sa.Integer, nullable=False),
        sa.Column("centroid", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("path", name="pk_documents"),
    )
    op.create_table(
        "toc",
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("number", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("level", sa.Integer, nullable=False),
        sa.Column("parent", sa.Integer),
        sa.Column("page", sa.Integer),
        sa.Column("anchor", sa.Text),
        sa.Column("chunk_ids", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("document", "position", name="pk_toc"),
        sa.ForeignKeyConstraint(["document"], ["documents.path"], name="fk_toc_document_documents", ondelete="CASCADE"),
    )
    op.create_table(
        "object_registry",
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("section_index", sa.Integer, nullable=False),
        sa.Column("page", sa.Integer),
        sa.Column("chunk_ids", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("document", "position", name="pk_object_registry"),
        sa.ForeignKeyConstraint(
            ["document"], ["documents.path"], name="fk_object_registry_document_documents", ondelete="CASCADE"
        ),
    )


def _create_faq() -> None:
    op.create_table(
        "faq_entries",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("questions", sa.JSON, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("audience", sa.JSON, nullable=False),
        sa.Column("domain", sa.Text),
        sa.Column("tags", sa.JSON, nullable=False),
        sa.Column("valid_from", sa.Text),
        sa.Column("valid_until", sa.Text),
        sa.Column("source", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_faq_entries"),
    )
    op.create_table(
        "faq_wordings",
        sa.Column("position", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("entry", sa.Text, nullable=False),
        sa.Column("wording", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False, comment="float32, little endian"),
        sa.PrimaryKeyConstraint("position", name="pk_faq_wordings"),
        sa.ForeignKeyConstraint(
            ["entry"], ["faq_entries.id"], name="fk_faq_wordings_entry_faq_entries", ondelete="CASCADE"
        ),
    )
    # A database looks through the wordings whenever an entry goes.
    op.create_index("ix_faq_wordings_entry", "faq_wordings", ["entry"])


def _create_misses() -> None:
    op.create_table(
        "misses",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("asked_at", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("best_score", sa.Float, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("route", sa.JSON),
        sa.PrimaryKeyConstraint("id", name="pk_misses"),
        sqlite_autoincrement=True,
    )


def _create_route_cache() -> None:
    op.create_table(
        "route_cache",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("route", sa.JSON, nullable=False),
        sa.Column("stored_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_route_cache"),
    )
    op.create_index("ix_route_cache_stored_at", "route_cache", ["stored_at"])
