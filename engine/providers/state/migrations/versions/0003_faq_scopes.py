"""FAQ entries for some conversations and some languages only."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("chats", "languages"):
        op.add_column("faq_entries", sa.Column(name, sa.JSON))


def downgrade() -> None:
    for name in ("chats", "languages"):
        op.drop_column("faq_entries", name)
