"""Own a segment in compiled code: its arrays are passed from Python once, and found by an address from then on.

Passing the twenty-six arrays of a segment from Python to a kernel takes longer than searching a small segment, and a
call per segment takes longer than a call for all. So a `SegmentHandle` owns the arrays, and kernels take the addresses
of handles.

An address is valid only while its handle is alive: the caller keeps the handle until the kernel returns.
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
    """The type of a handle in numba."""

    def preprocess_fields(self, fields):
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class SegmentHandle(structref.StructRefProxy):
    """A segment with the counters that searching it updates, without a lock: concurrent searches may lose a few.

    work    pattern -> the steps that it has taken
    fires   edge -> how often it fired in the sampled publications; one more element: how many were sampled
    """

    def __new__(cls, segment, work, fires):
        return structref.StructRefProxy.__new__(cls, segment, work, fires)


structref.define_proxy(SegmentHandle, SegmentHandleType, ["segment", "work", "fires"])


@intrinsic
def address_of(typing_context, handle):
    """Return the address of a handle. It does not keep the handle alive."""

    def read(context, builder, signature, arguments):
        made = context.make_helper(builder, signature.args[0], value=arguments[0])
        return builder.ptrtoint(made.meminfo, ir.IntType(64))

    return types.int64(handle), read


@intrinsic
def handle_at(typing_context, address, like):
    """Return the handle at an address. It must be alive, and of the type of `like`; neither is checked."""

    def borrow(context, builder, signature, arguments):
        made = context.make_helper(builder, signature.return_type)
        made.meminfo = builder.inttoptr(arguments[0], made.meminfo.type)
        context.nrt.incref(builder, signature.return_type, made._getvalue())
        return made._getvalue()

    return like(types.int64, like), borrow


@inner
def new_handle(segment):
    """Return a handle that owns a segment, with its counters at 0."""
    edges, patterns = segment.graph.sizes[EDGE_COUNT], segment.graph.sizes[PATTERN_COUNT]
    return SegmentHandle(segment, np.zeros(max(patterns, 1), np.int64), np.zeros(edges + 1, np.int64))


@compiled
def own_segment(segment):
    """Return a handle for a segment that Python has, and its address."""
    handle = new_handle(segment)
    return handle, address_of(handle)


@compiled
def handle_contents(handle):
    """Return the segment, its work and its fires, as arrays that share their memory with the handle.

    Passing so many arrays to Python takes a tenth of a millisecond.
    """
    return handle.segment, handle.work, handle.fires
