"""With each miss what was near then; who said what becomes of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("misses", sa.Column("tried", sa.JSON))
    op.add_column("miss_states", sa.Column("changed_by", sa.Text))


def downgrade() -> None:
    op.drop_column("miss_states", "changed_by")
    op.drop_column("misses", "tried")
