"""Questions that were nearly served a stored answer."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "vetoes",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("asked_at", sa.Text, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("question_id", sa.Text, nullable=False),
        sa.Column("entry", sa.Text, nullable=False),
        sa.Column("wording", sa.Text, nullable=False),
        sa.Column("vetoed_by", sa.Text, nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_vetoes"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("vetoes")
