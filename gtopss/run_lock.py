"""Let one process at a time use a file or folder, and name that process to the others."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from gtopss.errors import ResourceInUse


def _now() -> datetime:
    return datetime.now(UTC)


@contextmanager
def run_lock(lock_file: Path, resource: Path, *, clock: Callable[[], datetime] = _now) -> Iterator[None]:
    """Hold `resource` during the block, through a lock file of its own, which stays. Raises ResourceInUse or OSError.

    The lock is the kernel's, so that it ends with the process, however that ends. The content of the file only tells
    others who holds it.
    """
    descriptor = os.open(lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+", encoding="utf-8", errors="replace") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ResourceInUse(resource, *_holder(file.read(200))) from None
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "since": clock().isoformat(timespec="seconds")}))
        file.flush()
        yield


def _holder(content: str) -> tuple[int | None, str | None]:
    """Return the process id and the start of the holder; None where the file does not say, as when it is just made."""
    try:
        read = json.loads(content)
        return int(read["pid"]), str(read["since"])
    except (ValueError, TypeError, KeyError):
        return None, None
