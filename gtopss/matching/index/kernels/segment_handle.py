"""A segment in compiled code's own hands: handed over once, named by its address from then on.

A kernel that is given a segment's twenty-six arrays spends more time on taking them over than on a small segment; and
one that is called for each segment, on being called.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.experimental import structref
from numba.extending import intrinsic

from gtopss.compiled import compiled, inner
from gtopss.matching.index.kernels.layout import EDGE_COUNT, PATTERN_COUNT


@structref.register
class SegmentHandleType(types.StructRef):
    """What numba knows of it."""

    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class SegmentHandle(structref.StructRefProxy):
    """A segment with the counters that matching it counts up.

    work    the steps that each pattern has taken
    fires   how often each edge fired, in every sixteenth publication; and how many those were
    """

    def __new__(cls, segment, work, fires):
        return structref.StructRefProxy.__new__(cls, segment, work, fires)


structref.define_proxy(SegmentHandle, SegmentHandleType, ["segment", "work", "fires"])


@intrinsic
def address(typing_context, held):
    """Where it is, as long as somebody keeps it."""

    def read(context, builder, signature, arguments):
        made = context.make_helper(builder, signature.args[0], value=arguments[0])
        return builder.ptrtoint(made.meminfo, ir.IntType(64))

    return types.int64(held), read


@intrinsic
def held_at(typing_context, address, like):
    """What is held at an address: of the same kind as `like`, and kept by somebody meanwhile."""

    def borrow(context, builder, signature, arguments):
        made = context.make_helper(builder, signature.return_type)
        made.meminfo = builder.inttoptr(arguments[0], made.meminfo.type)
        context.nrt.incref(builder, signature.return_type, made._getvalue())
        return made._getvalue()

    return like(types.int64, like), borrow


@inner
def held(segment):
    """A segment from now on in compiled code's hands."""
    edges, patterns = segment.graph.sizes[EDGE_COUNT], segment.graph.sizes[PATTERN_COUNT]
    return SegmentHandle(segment, np.zeros(max(patterns, 1), np.int64), np.zeros(edges + 1, np.int64))


@compiled
def own_segment(segment):
    """A segment that Python has: held, and its address."""
    made = held(segment)
    return made, address(made)


@compiled
def handle_contents(held):
    """What is held, for Python to look at: to hand over so many arrays takes a tenth of a millisecond."""
    return held.segment, held.work, held.fires
