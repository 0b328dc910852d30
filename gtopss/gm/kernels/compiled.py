"""How the loops are compiled: numba, without the interpreter's lock, kept on disk for the next start.

Signed numbers throughout but for hashes; arrays are trusted (no bounds checks), so every kernel is tested with them
switched on as well (`NUMBA_BOUNDSCHECK=1`).
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Kernel: TypeAlias = Callable[..., Any]


def _cache_folder() -> None:
    """Numba keeps compiled code beside the source or in the user's cache; where neither can be written, elsewhere."""
    beside = Path(__file__).parent / "__pycache__"
    if "NUMBA_CACHE_DIR" in os.environ or _writable(beside if beside.is_dir() else beside.parent):
        return
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with contextlib.suppress(OSError):
        user.mkdir(parents=True, exist_ok=True)
    if not _writable(user):
        os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / f"gtopss-compiled-{os.getuid()}")


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)


_cache_folder()
import numba  # noqa: E402  (reads the variable above when it is imported)
from llvmlite import ir  # noqa: E402
from numba.core import types  # noqa: E402
from numba.core.cgutils import create_struct_proxy  # noqa: E402
from numba.extending import intrinsic  # noqa: E402


def compiled(function: Kernel) -> Kernel:
    """A loop, compiled at its first call; later starts load it."""
    made: Kernel = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return made


@intrinsic
def word(typing_context, data, i):
    """Eight bytes of an array from `i` on as one number, the first byte lowest: one load, aligned or not."""

    def load(context, builder, signature, arguments):
        array = create_struct_proxy(signature.args[0])(context, builder, value=arguments[0])
        bytes_ = builder.bitcast(array.data, ir.IntType(8).as_pointer())
        place = builder.bitcast(builder.gep(bytes_, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(place, align=1)

    return types.uint64(data, types.int64), load


@intrinsic
def trailing_zeros(typing_context, value):
    """How many of a number's lowest bits are 0."""

    def count(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), count
