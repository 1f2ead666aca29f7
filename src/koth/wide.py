"""Wide moves, as the instructions that kernels have for them: with kernel.py and pipeline.py, what knows Numba.

Numba leaves short loops of known length as single moves, and has its compiler look for wide ones nowhere else. What
these do is told where their plain twins stand, in uncompiled.py.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

WHOLE = types.int64
raw_memcpy: Any = cgutils.raw_memcpy  # (it has no types)


def _at(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    """The address of a value of a C-contiguous array."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [place])


@intrinsic
def copy_values(_context: Any, source: Any, start: Any, target: Any, place: Any, count: Any) -> Any:
    """See `koth.uncompiled`."""
    if source.dtype != target.dtype or source.layout != "C" or target.layout != "C":
        raise TypeError("values are copied between C-contiguous arrays of one type")

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        here = _at(context, builder, signature.args[0], values[0], values[1])
        there = _at(context, builder, signature.args[2], values[2], values[3])
        size = context.get_abi_sizeof(context.get_data_type(source.dtype))
        raw_memcpy(builder, there, here, values[4], size)
        return context.get_dummy_value()

    return types.none(source, WHOLE, target, WHOLE, WHOLE), code


@intrinsic(prefer_literal=True)
def count_up(_context: Any, target: Any, place: Any, first: Any, count: Any) -> Any:
    """See `koth.uncompiled`."""
    if not isinstance(count, types.IntegerLiteral):
        raise TypeError("how far is counted must be a constant")

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        one = context.get_data_type(target.dtype)
        several = ir.VectorType(one, count.literal_value)
        whole = builder.trunc(values[2], one) if one.width < values[2].type.width else values[2]
        start = builder.insert_element(ir.Constant(several, ir.Undefined), whole, ir.IntType(32)(0))
        same = ir.Constant(ir.VectorType(ir.IntType(32), count.literal_value), [0] * count.literal_value)
        begin = builder.shuffle_vector(start, ir.Constant(several, ir.Undefined), same)
        sums = builder.add(begin, ir.Constant(several, list(range(count.literal_value))))
        place = _at(context, builder, signature.args[0], values[0], values[1])
        builder.store(sums, builder.bitcast(place, several.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.none(target, WHOLE, WHOLE, count), code
