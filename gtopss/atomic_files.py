"""Write files whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path

from gtopss.errors import OutputNotWritable


def write_atomically(path: Path, content: str | bytes | Iterable[bytes]) -> None:
    """Replace a file in one step, when its new content is on the disk. Text is written as UTF-8.

    A reader sees the old content or the new one, also after a crash. What is not a regular file, such as /dev/stdout
    or a named pipe, is written directly. Raises OutputNotWritable.
    """
    whole = content.encode() if isinstance(content, str) else content
    pieces = (whole,) if isinstance(whole, bytes) else whole
    try:
        target = path.resolve()  # a link stays a link
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            with target.open("wb") as file:
                file.writelines(pieces)
        else:
            _replace(target, pieces, mode)
    except OSError as error:
        raise OutputNotWritable(path, error.strerror or str(error)) from error


def _replace(target: Path, pieces: Iterable[bytes], mode: int | None) -> None:
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
