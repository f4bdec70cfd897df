"""Run by Alembic, on the connection and for the table of versions that ``budget.database.migrate`` gives it."""

from alembic import context

told = context.config.attributes
context.configure(connection=told["connection"], version_table=told["version_table"], transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
