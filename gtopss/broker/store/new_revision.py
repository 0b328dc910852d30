"""Write the next revision of the tables: `python -m gtopss.broker.store.new_revision "add the table of peers"`.

It compares the tables that the revisions make with `tables.py`. Look at the result before you commit it: a renamed
column is seen as a removed and an added one, rows that need new values are not known here, and the condition of a
partial index is written as SQLite writes it, for PostgreSQL too.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from alembic.autogenerate import produce_migrations, render_python_code
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, create_engine

from gtopss.broker.store.migrate import REVISION_TABLE, REVISIONS, known_revisions, migrate
from gtopss.broker.store.tables import metadata

_TEMPLATE = '''"""{message}."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "{revision}"
down_revision = {previous}


def upgrade() -> None:
    """Change the tables."""
    {body}
'''


def difference(connection: Connection) -> str:
    """Return the operations that turn the tables of a database into those of `tables.py`; "pass" if they are equal."""
    context = MigrationContext.configure(
        connection, opts={"version_table": REVISION_TABLE, "target_metadata": metadata, "compare_type": True}
    )
    operations = produce_migrations(context, metadata).upgrade_ops
    assert operations is not None
    body = render_python_code(operations, render_as_batch=True, migration_context=context)
    return "\n".join(line for line in body.splitlines() if not line.strip().startswith("#")).strip()


def write_revision(message: str, folder: Path = REVISIONS) -> Path | None:
    """Write the next revision, and return its file; None if the tables have not changed."""
    known = known_revisions(folder)
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        if known:
            migrate(connection, "the revisions", folder)
        body = difference(connection)
    if body == "pass":
        return None
    revision = f"{len(known) + 1:04}"
    path = folder / "versions" / f"{revision}_{re.sub(r'[^a-z0-9]+', '_', message.lower()).strip('_')}.py"
    previous = f'"{known[-1]}"' if known else "None"
    path.write_text(
        _TEMPLATE.format(
            message=message[:1].upper() + message[1:],
            revision=revision,
            previous=previous,
            body=body,
        ),
        encoding="utf-8",
    )
    return path


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('say what the revision does: python -m gtopss.broker.store.new_revision "add the table of peers"')
    written = write_revision(sys.argv[1])
    print("tables.py has not changed" if written is None else f"wrote {written}; run `ruff format` and read it")
