"""Which process carries what a desk has to say, and files on their way between platforms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "desk_leases",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("desk", sa.Text, nullable=False),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("beat", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_desk_leases"),
        sa.UniqueConstraint("desk", name="uq_desk_leases_desk"),
    )
    op.create_table(
        "relay_files",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_relay_files"),
    )


def downgrade() -> None:
    for table in ("relay_files", "desk_leases"):
        op.drop_table(table)
