"""The log of answers, and sections and objects found by number over all documents."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_toc_number", "toc", ["number"])
    op.create_index("ix_object_registry_label", "object_registry", ["label"])
    op.create_table(
        "answers",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("question_id", sa.Text, nullable=False),
        sa.Column("asked_at", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("domain", sa.Text, nullable=True),
        sa.Column("collection", sa.Text, nullable=True),
        sa.Column("faq_entry", sa.Text, nullable=True),
        sa.Column("faq_score", sa.Float, nullable=False),
        sa.Column("passes", sa.Integer, nullable=False),
        sa.Column("cited", sa.JSON, nullable=False),
        sa.Column("references", sa.JSON, nullable=False),
        sa.Column("usage", sa.JSON, nullable=False),
        sa.Column("timings_ms", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_answers"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_answers_asked_at", "answers", ["asked_at"])


def downgrade() -> None:
    op.drop_table("answers")
    op.drop_index("ix_object_registry_label", "object_registry")
    op.drop_index("ix_toc_number", "toc")
