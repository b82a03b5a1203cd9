"""Drafts of FAQ entries, entries that did not help, and with each answer what led to it and how it was rated."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_OF_ANSWERS = (
    ("faq_version", sa.Text),
    ("chunks", sa.JSON),
    ("made_with", sa.JSON),
    ("rating", sa.Text),
    ("reason", sa.Text),
)


def upgrade() -> None:
    for name, kind in _OF_ANSWERS:
        op.add_column("answers", sa.Column(name, kind))
    op.create_index("ix_answers_question_id", "answers", ["question_id"])
    op.add_column("misses", sa.Column("question_id", sa.Text))
    op.create_table(
        "faq_drafts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("open_key", sa.Integer),
        sa.Column("ticket", sa.Integer, nullable=False),
        sa.Column("made_at", sa.Text, nullable=False),
        sa.Column("maker", sa.Text, nullable=False),
        sa.Column("questions", sa.JSON, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("near", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text, nullable=False),
        sa.Column("decided_at", sa.Text),
        sa.Column("edit", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_faq_drafts"),
        sa.UniqueConstraint("open_key", name="uq_faq_drafts_open_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_faq_drafts_ticket", "faq_drafts", ["ticket"])
    op.create_table(
        "faq_flags",
        sa.Column("id", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("entry", "version", "question_id", "flagged_at")),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("cleared_at", sa.Text),
        sa.Column("cleared_by", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_faq_flags"),
        sa.UniqueConstraint("entry", "question_id", name="uq_faq_flags_entry_question_id"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("faq_flags")
    op.drop_table("faq_drafts")
    op.drop_column("misses", "question_id")
    op.drop_index("ix_answers_question_id", "answers")
    for name, _ in _OF_ANSWERS:
        op.drop_column("answers", name)
