"""SIMD copies and marks: the intrinsics that kernels call.

Numba compiles short loops of known length to single moves, and does not vectorise them. The plain Python twins in
uncompiled.py document each function. The import raises ImportError if Numba lacks a name used here.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import raw_memcpy as untyped_memcpy
from numba.core.cpu import CPUContext
from numba.extending import intrinsic

WHOLE = types.int64
raw_memcpy: Any = untyped_memcpy

for name in ("make_array", "call_conv", "enable_boundscheck", "get_abi_sizeof", "get_data_type", "get_dummy_value"):
    if not hasattr(CPUContext, name):
        raise ImportError(f"numba has no CPUContext.{name}")


def _address(context: Any, builder: Any, kind: Any, array: Any, place: Any, count: Any) -> Any:
    """Return the address of `count` values of a C-contiguous array; check the range if Numba checks indices."""
    found = context.make_array(kind)(context, builder, array)
    if context.enable_boundscheck:
        count = count if isinstance(count, ir.Value) else ir.Constant(place.type, count)
        below = builder.icmp_signed("<", builder.or_(place, count), ir.Constant(place.type, 0))
        beyond = builder.icmp_signed(">", builder.add(place, count), found.nitems)
        with builder.if_then(builder.or_(below, beyond), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("values beyond the end of an array",))
    return builder.gep(found.data, [place])


@intrinsic
def copy_values(_context: Any, source: Any, start: Any, target: Any, place: Any, count: Any) -> Any:
    """Generate the machine code of `koth.compile.uncompiled.copy_values`."""
    if source.dtype != target.dtype or source.layout != "C" or target.layout != "C":
        raise TypeError("values are copied between C-contiguous arrays of one type")

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        here = _address(context, builder, signature.args[0], values[0], values[1], values[4])
        there = _address(context, builder, signature.args[2], values[2], values[3], values[4])
        size = context.get_abi_sizeof(context.get_data_type(source.dtype))
        raw_memcpy(builder, there, here, values[4], size)
        return context.get_dummy_value()

    return types.none(source, WHOLE, target, WHOLE, WHOLE), code


@intrinsic(prefer_literal=True)
def count_up(_context: Any, target: Any, place: Any, first: Any, count: Any) -> Any:
    """Generate the machine code of `koth.compile.uncompiled.count_up`."""
    if not isinstance(count, types.IntegerLiteral):
        raise TypeError("the count of count_up must be a constant")

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        one = context.get_data_type(target.dtype)
        several = ir.VectorType(one, count.literal_value)
        whole = builder.trunc(values[2], one) if one.width < values[2].type.width else values[2]
        start = builder.insert_element(ir.Constant(several, ir.Undefined), whole, ir.IntType(32)(0))
        same = ir.Constant(ir.VectorType(ir.IntType(32), count.literal_value), [0] * count.literal_value)
        begin = builder.shuffle_vector(start, ir.Constant(several, ir.Undefined), same)
        sums = builder.add(begin, ir.Constant(several, list(range(count.literal_value))))
        place = _address(context, builder, signature.args[0], values[0], values[1], count.literal_value)
        builder.store(sums, builder.bitcast(place, several.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.none(target, WHOLE, WHOLE, count), code


@intrinsic(prefer_literal=True)
def low_bytes(_context: Any, source: Any, start: Any, target: Any, place: Any, count: Any) -> Any:
    """Generate the machine code of `koth.compile.uncompiled.low_bytes`."""
    if not isinstance(count, types.IntegerLiteral):
        raise TypeError("the count of low_bytes must be a constant")
    if source.layout != "C":
        raise TypeError("values are taken from C-contiguous arrays")
    _check_bytes(target)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = _load_vector(context, builder, signature.args[0], values[0], values[1], count.literal_value)
        bytes_of = ir.VectorType(ir.IntType(8), count.literal_value)
        _store_vector(context, builder, signature.args[2], values[2], values[3], builder.trunc(found, bytes_of))
        return context.get_dummy_value()

    return types.none(source, WHOLE, target, WHOLE, count), code


@intrinsic(prefer_literal=True)
def mark_values(
    _context: Any, source: Any, start: Any, target: Any, place: Any, least: Any, but: Any, count: Any
) -> Any:
    """Generate the machine code of `koth.compile.uncompiled.mark_values`."""
    if not isinstance(count, types.IntegerLiteral):
        raise TypeError("the number of marked values must be a constant")
    _check_bytes(source, target)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        several = count.literal_value
        found = _load_vector(context, builder, signature.args[0], values[0], values[1], several)
        lowest, other = (_fill_vector(builder, value, found.type) for value in values[4:6])
        enough = builder.icmp_unsigned(">=", found, lowest)
        marks = builder.zext(builder.and_(enough, builder.icmp_unsigned("!=", found, other)), found.type)
        _store_vector(context, builder, signature.args[2], values[2], values[3], marks)
        return context.get_dummy_value()

    return types.none(source, WHOLE, target, WHOLE, WHOLE, WHOLE, count), code


@intrinsic(prefer_literal=True)
def mark_equal(_context: Any, source: Any, start: Any, target: Any, place: Any, value: Any, count: Any) -> Any:
    """Generate the machine code of `koth.compile.uncompiled.mark_equal`."""
    if not isinstance(count, types.IntegerLiteral):
        raise TypeError("the number of marked values must be a constant")
    _check_bytes(source, target)

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        found = _load_vector(context, builder, signature.args[0], values[0], values[1], count.literal_value)
        same = builder.icmp_unsigned("==", found, _fill_vector(builder, values[4], found.type))
        _store_vector(context, builder, signature.args[2], values[2], values[3], builder.zext(same, found.type))
        return context.get_dummy_value()

    return types.none(source, WHOLE, target, WHOLE, WHOLE, count), code


def _check_bytes(*arrays: Any) -> None:
    """Raise TypeError for arrays that are not C-contiguous bytes: values would be written beyond the end."""
    if any(array.dtype not in (types.uint8, types.boolean) or array.layout != "C" for array in arrays):
        raise TypeError("marks and low bytes are written to C-contiguous arrays of bytes, marks of bytes only")


def _load_vector(context: Any, builder: Any, kind: Any, array: Any, place: Any, count: int) -> Any:
    wide = ir.VectorType(context.get_data_type(kind.dtype), count).as_pointer()
    return builder.load(builder.bitcast(_address(context, builder, kind, array, place, count), wide), align=1)


def _store_vector(context: Any, builder: Any, kind: Any, array: Any, place: Any, values: Any) -> None:
    there = builder.bitcast(
        _address(context, builder, kind, array, place, values.type.count), values.type.as_pointer()
    )
    builder.store(values, there, align=1)


def _fill_vector(builder: Any, value: Any, kind: Any) -> Any:
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, builder.trunc(value, kind.element), ir.IntType(32)(0))
    same = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(first, nothing, same)
