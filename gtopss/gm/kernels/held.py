"""A segment in compiled code's own hands: handed over once, named by one pointer from then on.

A kernel that is given a segment's forty arrays spends more time on taking them over than on a small segment itself.
"""

from __future__ import annotations

from numba.core import types
from numba.experimental import structref

from gtopss.gm.kernels.compiled import compiled


@structref.register
class HeldType(types.StructRef):
    """What numba knows of it."""

    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class Held(structref.StructRefProxy):
    """A segment with the counters that matching it counts up."""

    def __new__(cls, segment, work, fires):
        return structref.StructRefProxy.__new__(cls, segment, work, fires)


structref.define_proxy(Held, HeldType, ["segment", "work", "fires"])


@compiled
def hold(segment, work, fires):
    return Held(segment, work, fires)
