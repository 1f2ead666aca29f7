# mypy: disable-error-code="no-untyped-call"
"""`int`, `min` and `max` of numbers as instructions: kernel.py says what else knows Numba.

Numba compiles a function for each of them, and for each kind of number anew, down to machine code that nobody runs.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.typing.templates import signature
from numba.extending import intrinsic


@intrinsic
def whole(_context: Any, number: Any) -> Any:
    """A number as a whole one; a whole one stays of its type."""
    integer: Any = types.Integer
    result = number if isinstance(number, integer) else types.intp

    def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.cast(builder, values[0], signature.args[0], result)

    return result(number), code


def _one_of_two(comes_before: Callable[[Any, Any], Any]) -> Any:
    """Of two numbers the first, unless the second comes before it; of both their types' common one."""

    @intrinsic
    def chosen(context: Any, first: Any, second: Any) -> Any:
        result = context.unify_types(first, second)

        def code(context: Any, builder: Any, kinds: Any, values: Any) -> Any:
            a, b = (context.cast(builder, *one, result) for one in zip(values, kinds.args, strict=True))
            compare = context.get_function(comes_before, signature(types.boolean, result, result))
            return builder.select(compare(builder, (b, a)), b, a)

        return result(first, second), code

    return chosen


INSTRUCTIONS = {int: (1, whole), min: (2, _one_of_two(operator.lt)), max: (2, _one_of_two(operator.gt))}
"""How many numbers each takes here, and what it is then."""


def call_type(function: Any, context: Any, arguments: tuple[Any, ...]) -> Any:
    """The types of a call of one of these, which is made of instructions then; None where it is another call."""
    count, made = INSTRUCTIONS.get(function.typing_key, (0, None))
    kinds = tuple(map(types.unliteral, arguments))
    number: Any = (types.Integer, types.Float) if count == 2 else (types.Integer, types.Float, types.Boolean)
    if made is None or len(kinds) != count or not all(isinstance(kind, number) for kind in kinds):
        return None
    instructions = context.resolve_value_type(made)
    found = instructions.get_call_type(context, kinds, {})
    function._impl_keys[found.args] = instructions.get_impl_key(found)
    return found
