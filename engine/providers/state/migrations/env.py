"""Run by Alembic inside `engine.providers.state.schema.upgrade`, on that connection and in its transaction."""

from alembic import context

from engine.providers.state.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite alters a table by copying it.
    render_as_batch=True,
)

with context.begin_transaction():
    context.run_migrations()
