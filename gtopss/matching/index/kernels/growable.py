"""Grow arrays whose final size is not known before they are filled."""

from __future__ import annotations

import numpy as np

from gtopss.compiled import inner


@inner
def grown(array):
    """Return a copy of an array with twice its capacity. The new half is uninitialised."""
    larger = np.empty(2 * array.shape[0], array.dtype)
    for i in range(array.shape[0]):
        larger[i] = array[i]
    return larger
