"""The flat arrays that the compiled loops work on, and how a loop is compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy
from numpy.typing import NDArray

Integers = NDArray[numpy.int32]
Counts = NDArray[numpy.int64]
Flags = NDArray[numpy.int8]
Reals = NDArray[numpy.float64]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compiled at its first call and kept on disk; it lets other threads, operators among them, run meanwhile."""
    return cast(_Function, numba.njit(cache=True, nogil=True)(function))
