"""A real PostgreSQL server for tests: its own data folder and unix socket, as a user who is not root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

DEADLINE_SECONDS = 60


class PostgresqlServer:
    """A server in a temporary folder, which tests may kill and start again."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="gtopss-pg-", dir="/tmp"))  # a socket's path has 107 bytes at most
        self._numbers = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self._as_user: list[str] = []
        if os.getuid() == 0:
            users = {user.pw_name: user for user in pwd.getpwall()}
            user = users.get("postgres") or users["nobody"]  # initdb refuses root
            os.chown(self._folder, user.pw_uid, user.pw_gid)
            self._as_user = [
                "setpriv",
                f"--reuid={user.pw_uid}",
                f"--regid={user.pw_gid}",
                "--clear-groups",
                "--pdeathsig=QUIT",  # the server ends when the tests are killed
            ]
        self._run("initdb", "-D", "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync")
        self.start()

    def start(self, **settings: str) -> None:
        """Start the server and wait until it answers."""
        options = [f"--{name}={value}" for name, value in settings.items()]
        with open(self._folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [
                    *self._as_user,
                    str(self._programs / "postgres"),
                    "-D",
                    "data",
                    "-k",
                    str(self._folder),
                    "-h",
                    "",
                    *options,
                ],
                cwd=self._folder,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + DEADLINE_SECONDS
        ready = [str(self._programs / "pg_isready"), "-q", "-h", str(self._folder), "-U", "postgres"]
        while subprocess.run(ready, check=False).returncode != 0:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PostgreSQL did not start:\n{(self._folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def crash(self) -> None:
        """End all processes of the server at once, without a checkpoint."""
        self._end(signal.SIGQUIT)

    def stop(self) -> None:
        """Stop the server and delete its data."""
        self.crash()
        shutil.rmtree(self._folder, ignore_errors=True)

    def new_store_url(self) -> str:
        """Create an empty schema, which is faster than a database, and return a URL whose connections use it."""
        schema = f"test_{next(self._numbers)}"
        self.execute(f"CREATE SCHEMA {schema}")
        return f"{self.url}&options=-csearch_path%3D{schema}"

    @property
    def url(self) -> str:
        """The URL of the server's first database."""
        return f"postgresql://postgres@/postgres?host={self._folder}"

    def execute(self, statement: str, url: str | None = None) -> list[tuple[Any, ...]]:
        """Run a statement outside of a transaction, and return its rows."""
        import psycopg

        with psycopg.connect(url or self.url, autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[arg-type]
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self._as_user, str(self._programs / program), *arguments]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stderr}")

    def _end(self, sign: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(sign)
            self._process.wait(DEADLINE_SECONDS)
            self._process = None


def server_programs() -> Path | None:
    """Return the folder of the newest PostgreSQL server on this machine."""
    found = shutil.which("postgres")
    if found is not None:
        return Path(found).resolve().parent
    versions = [path for path in Path("/usr/lib/postgresql").glob("*/bin") if (path / "postgres").exists()]
    return max(versions, key=lambda path: float(path.parent.name), default=None)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """One server for all tests of a run."""
    programs = server_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL server on this machine (Debian: apt-get install postgresql)")
    try:
        server = PostgresqlServer(programs)
    except (RuntimeError, OSError) as error:
        pytest.skip(f"PostgreSQL does not run on this machine: {' '.join(str(error).split())[-500:]}")
    yield server
    server.stop()
