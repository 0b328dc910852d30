"""How the loops are compiled: numba, without the interpreter's lock, kept on disk for the next start.

Signed numbers throughout but for hashes. Arrays are trusted: no bounds are checked, but for `make soak`, which runs the
index's tests with `NUMBA_BOUNDSCHECK=1`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numba
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import create_struct_proxy
from numba.extending import intrinsic

Kernel: TypeAlias = Callable[..., Any]


def _cache_folder() -> Path:
    """Where compiled code is kept: beside the source, in the user's cache or, where neither can be written, elsewhere.

    Numba looks only at the file of a function itself, and not at those that it calls; so the folder's name holds a hash
    of all of them: a change anywhere compiles everything anew.
    """
    here = Path(__file__).parent
    sources = b"".join(path.read_bytes() for path in sorted(here.glob("*.py")))
    name = f"gtopss-{hashlib.blake2b(sources, digest_size=8).hexdigest()}"
    user = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    given = os.environ.get("NUMBA_CACHE_DIR")
    for folder in (Path(given),) if given else (here / "__pycache__", user):
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder / name
    return Path(tempfile.gettempdir()) / f"{name}-{os.getuid()}"


CACHE = _cache_folder()
_OPTIONS = {"nogil": True, "error_model": "numpy"}
_NO_DOOR = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_njit: Any = numba.njit  # its types know only half of its options


def compiled(function: Kernel) -> Kernel:
    """A loop that Python calls, compiled at its first call; later starts load it, with all that it calls."""
    settings: Any = numba.config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(CACHE)  # it is read while a function is decorated
    try:
        made: Kernel = _njit(cache=True, **_OPTIONS)(function)
    finally:
        settings.CACHE_DIR = before
    return made


def inner(function: Kernel) -> Kernel:
    """A loop that only compiled ones call: it gets no door to Python, which spares the compiler a sixth of its work."""
    made: Kernel = _njit(**_OPTIONS, **_NO_DOOR)(function)
    return made


def inlined(function: Kernel) -> Kernel:
    """An inner loop that becomes part of those that call it: handing over an array takes two locked additions, and
    handing over a segment's twenty-six more than a small join."""
    made: Kernel = _njit(forceinline=True, **_OPTIONS, **_NO_DOOR)(function)
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
