"""Tickets with what goes back and forth in them, edits of the FAQ made while it runs, and what becomes of misses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _tickets()
    _relays()
    _knowledge()


def _tickets() -> None:
    op.create_table(
        "tickets",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("open_key", sa.Text),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("desk", "conversation", "asker", "question", "language", "reason", "detail", "name")
        ),
        sa.Column("exchange", sa.Integer, nullable=False),
        sa.Column("place", sa.JSON, nullable=False),
        sa.Column("tried", sa.JSON, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("taken_by", sa.Text, nullable=False),
        sa.Column("closing", sa.Text),
        sa.Column("home", sa.JSON),
        sa.Column("opened_at", sa.Text, nullable=False),
        sa.Column("closed_at", sa.Text),
        sa.PrimaryKeyConstraint("id", name="pk_tickets"),
        sa.UniqueConstraint("open_key", name="uq_tickets_open_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tickets_conversation", "tickets", ["conversation"])
    op.create_table(
        "ticket_anchors",
        sa.Column("desk", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("ticket", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("desk", "key", name="pk_ticket_anchors"),
    )


def _relays() -> None:
    op.create_table(
        "relays",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("ticket", sa.Integer, nullable=False),
        sa.Column("to", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("content", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("target", sa.Text),
        sa.Column("mark", sa.Text),
        sa.Column("failure", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_relays"),
        sa.UniqueConstraint("key", name="uq_relays_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_relays_ticket", "relays", ["ticket"])
    op.create_index("ix_relays_to_done", "relays", ["to", "done"])


def _knowledge() -> None:
    op.create_table(
        "faq_edits",
        sa.Column("id", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("made_at", "editor", "kind", "entry")),
        sa.Column("body", sa.JSON),
        sa.Column("before", sa.JSON),
        sa.Column("undoes", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_faq_edits"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "miss_states",
        sa.Column("miss", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("changed_at", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("miss", name="pk_miss_states"),
    )


def downgrade() -> None:
    for table in ("miss_states", "faq_edits", "relays", "ticket_anchors", "tickets"):
        op.drop_table(table)
