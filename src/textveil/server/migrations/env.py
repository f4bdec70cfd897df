"""Run by Alembic, on the connection that ``server.tables`` gives it."""

from alembic import context

from textveil.server.sealed import METADATA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
