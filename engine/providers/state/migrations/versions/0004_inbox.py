"""Messages as they came in, the exchanges made of them, and how things stand in conversations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("desk", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("received_at", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("asker", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("place", sa.JSON, nullable=False),
        sa.Column("command", sa.Text, nullable=False),
        sa.Column("unread", sa.JSON, nullable=False),
        sa.Column("language", sa.Text),
        sa.Column("whole", sa.Boolean, nullable=False),
        sa.Column("amends", sa.Text, nullable=False),
        sa.Column("sent_at", sa.Float, nullable=False),
        sa.Column("exchange", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_inbox"),
        sa.UniqueConstraint("desk", "key", name="uq_inbox_desk_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_inbox_exchange", "inbox", ["exchange"])
    op.create_table(
        "exchanges",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("desk", sa.Text, nullable=False),
        sa.Column("opened_at", sa.Text, nullable=False),
        sa.Column("conversation", sa.Text, nullable=False),
        sa.Column("asker", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("place", sa.JSON, nullable=False),
        sa.Column("command", sa.Text, nullable=False),
        sa.Column("unread", sa.JSON, nullable=False),
        sa.Column("language", sa.Text),
        sa.Column("ending", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("posted", sa.JSON, nullable=False),
        sa.Column("sending", sa.Text),
        sa.Column("answer", sa.JSON),
        sa.Column("rating", sa.Text),
        sa.Column("reason", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_exchanges"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_exchanges_conversation", "exchanges", ["conversation"])
    op.create_index("ix_exchanges_ending", "exchanges", ["ending"])
    op.create_table(
        "conversations",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("owned_until", sa.Text),
        sa.Column("language", sa.Text),
        sa.Column("unreachable", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_conversations"),
    )


def downgrade() -> None:
    for table in ("conversations", "exchanges", "inbox"):
        op.drop_table(table)
