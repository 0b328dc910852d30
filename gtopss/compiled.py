"""How kernels are compiled: numba, without Python's lock, cached on disk for the next process.

A *kernel* is a function that numba compiles. Kernels live in packages named `kernels`; the decorators below refuse any
other place. Numba's own cache notices only changes of a function's own file, not of the functions it calls. The name of
our cache folder therefore holds a hash of every file in these packages: an edit of any of them recompiles all kernels.

Integers are signed throughout, except for hashes. Array accesses are not bounds-checked; `make soak` runs the tests of
the kernels with `NUMBA_BOUNDSCHECK=1`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import create_struct_proxy
from numba.extending import intrinsic

_PACKAGE = Path(__file__).parent
_Function = TypeVar("_Function", bound=Callable[..., Any])


def kernel_sources(package: Path = _PACKAGE) -> list[Path]:
    """Return every source file that compiled code may depend on."""
    return [package / "compiled.py", *sorted(package.glob("**/kernels/*.py"))]


def cache_key(package: Path = _PACKAGE) -> str:
    """Return the hash of all kernel sources."""
    digest = hashlib.blake2b(digest_size=8)
    for path in kernel_sources(package):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _cache_folder() -> Path:
    """Choose where compiled code is cached.

    That is `NUMBA_CACHE_DIR` where it is set; else beside the source, in the user's cache, or in a temporary folder,
    whichever can be written.
    """
    name = f"gtopss-{cache_key()}"
    given = os.environ.get("NUMBA_CACHE_DIR")
    for folder in [Path(given)] if given else _usual_folders():
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK):
            return folder / name
    return _temporary_folder(name)


def _usual_folders() -> Iterator[Path]:
    yield _PACKAGE / "__pycache__"
    if user_cache := os.environ.get("XDG_CACHE_HOME"):
        yield Path(user_cache)
    else:
        with contextlib.suppress(RuntimeError):  # no HOME, and no entry in the password database
            yield Path.home() / ".cache"


def _temporary_folder(name: str) -> Path:
    """Return a folder that only this user can write: whoever writes the cache decides what code runs."""
    folder = Path(tempfile.gettempdir()) / f"{name}-{os.getuid()}"
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        if status.st_uid == os.getuid() and not status.st_mode & 0o022 and not folder.is_symlink():
            return folder
    return Path(tempfile.mkdtemp(prefix=name))


CACHE_FOLDER = _cache_folder()
_OPTIONS = {"nogil": True, "error_model": "numpy"}
_NO_PYTHON_ENTRY = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_njit: Any = numba.njit  # its type stubs know only half of its options


def compiled(function: _Function) -> _Function:
    """Compile a kernel that Python calls, at its first call; later processes load it, and all it calls, from disk."""
    _refuse_outside_kernels(function)
    settings: Any = numba.config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(CACHE_FOLDER)  # numba reads it while it decorates
    try:
        return cast(_Function, _njit(cache=True, **_OPTIONS)(function))
    finally:
        settings.CACHE_DIR = before


def inner(function: _Function) -> _Function:
    """Compile a kernel that only other kernels call. Without an entry point for Python it compiles a sixth faster."""
    _refuse_outside_kernels(function)
    return cast(_Function, _njit(**_OPTIONS, **_NO_PYTHON_ENTRY)(function))


def inlined(function: _Function) -> _Function:
    """Compile an inner kernel into its callers.

    Passing an array to a function costs two atomic operations; passing the twenty-six arrays of a segment costs more
    than a small join.
    """
    _refuse_outside_kernels(function)
    return cast(_Function, _njit(forceinline=True, **_OPTIONS, **_NO_PYTHON_ENTRY)(function))


def _refuse_outside_kernels(function: Callable[..., Any]) -> None:
    path = Path(function.__code__.co_filename)
    if path.parent.name != "kernels":
        reason = "a compiled function must be in a package named 'kernels', whose files are part of the cache key"
        raise TypeError(f"{function.__qualname__} in {path}: {reason}")


@intrinsic
def word(typing_context, data, i):  # type: ignore[no-untyped-def]  # numba passes types here, not values
    """Load eight bytes of an array, from index `i`, as one little-endian number. The load need not be aligned."""

    def load(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        array = create_struct_proxy(signature.args[0])(context, builder, value=arguments[0])  # type: ignore[no-untyped-call]
        bytes_ = builder.bitcast(array.data, ir.IntType(8).as_pointer())
        place = builder.bitcast(builder.gep(bytes_, [arguments[1]]), ir.IntType(64).as_pointer())
        return builder.load(place, align=1)

    return types.uint64(data, types.int64), load


@intrinsic
def prefetch(typing_context, data, i):  # type: ignore[no-untyped-def]
    """Ask the processor to load the cache line with element or row `i` of an array, and do not wait for it.

    A kernel that knows early what it will read can so wait for several lines at once. Any index is allowed: nothing is
    read, and an address that does not exist is ignored.
    """

    def ask(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        array = create_struct_proxy(signature.args[0])(context, builder, value=arguments[0])  # type: ignore[no-untyped-call]
        stride = builder.extract_value(array.strides, 0)
        bytes_ = builder.bitcast(array.data, ir.IntType(8).as_pointer())
        place = builder.gep(bytes_, [builder.mul(stride, arguments[1])])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [place.type, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind)
        builder.call(function, [place, number(0), number(3), number(1)])  # for reading, to keep, data
        return context.get_dummy_value()

    return types.none(data, types.int64), ask


@intrinsic
def borrow(typing_context, value):  # type: ignore[no-untyped-def]
    """Return an array, or a tuple of arrays, without its reference counts: whoever owns it keeps it alive meanwhile.

    Counting costs two atomic operations for each array that is passed to a function, or taken from a tuple. A counter
    that is known to be null costs nothing, so kernels that take borrowed arrays can be small. An owner that the caller
    created must be passed to `keep_alive` after the last use of what was borrowed from it. A function must not return
    a borrowed array.
    """

    def forget_owner(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return _without_owner(context, builder, signature.args[0], arguments[0])

    return value(value), forget_owner


def _without_owner(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value=value)
        array.meminfo = ir.Constant(array.meminfo.type, None)
        array.parent = ir.Constant(array.parent.type, None)
        return array._getvalue()
    if isinstance(kind, (types.UniTuple, types.NamedUniTuple, types.Tuple, types.NamedTuple)):
        for i, part in enumerate(kind.types):
            borrowed = _without_owner(context, builder, part, builder.extract_value(value, i))
            value = builder.insert_value(value, borrowed, i)
    return value


@intrinsic
def keep_alive(typing_context, value):  # type: ignore[no-untyped-def]
    """Use a value, and do nothing with it: what it owns is not freed before this line."""

    def do_nothing(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return context.get_dummy_value()

    return types.none(value), do_nothing


@intrinsic
def trailing_zeros(typing_context, value):  # type: ignore[no-untyped-def]
    """Count the lowest bits of a number that are 0."""

    def count(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), count
