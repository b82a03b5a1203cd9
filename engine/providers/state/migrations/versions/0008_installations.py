"""Workspaces that installed an app by themselves, and the states of installations under way."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "installations",
        sa.Column("app", sa.Text, nullable=False),
        sa.Column("workspace", sa.Text, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("app", "workspace", name="pk_installations"),
    )
    op.create_table(
        "install_states",
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("issued_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("state", name="pk_install_states"),
    )


def downgrade() -> None:
    op.drop_table("install_states")
    op.drop_table("installations")
