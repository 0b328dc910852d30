"""Type names for the arrays that kernels take and return. They are for readers and mypy; numba infers its own types."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int8Array = npt.NDArray[np.int8]
Int16Array = npt.NDArray[np.int16]
Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]
UInt8Array = npt.NDArray[np.uint8]
UInt64Array = npt.NDArray[np.uint64]
Float64Array = npt.NDArray[np.float64]
