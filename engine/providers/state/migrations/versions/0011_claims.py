"""Which of several processes answers where, and answers that are to be stopped."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "replicas",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("desk", sa.Text, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("beat", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_replicas"),
        sa.UniqueConstraint("desk", "holder", name="uq_replicas_desk_holder"),
    )
    op.create_table(
        "claims",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("desk", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_claims"),
        sa.UniqueConstraint("desk", "key", name="uq_claims_desk_key"),
    )
    op.add_column("exchanges", sa.Column("stopped", sa.Boolean))


def downgrade() -> None:
    op.drop_column("exchanges", "stopped")
    for table in ("claims", "replicas"):
        op.drop_table(table)
