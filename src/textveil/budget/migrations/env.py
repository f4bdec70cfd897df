"""Run by Alembic, on the connection that ``budget.database`` gives it."""

from alembic import context

from textveil.budget.database import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table="ledger_version",
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
