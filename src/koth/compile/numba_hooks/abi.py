# mypy: disable-error-code="no-untyped-call"
"""How values are handed on in the code of kernels: kernel.py says what else knows Numba.

Numba gives each variable that is used in several blocks of code a place in memory, and a whole state its hundreds of
numbers wherever it is named or handed on: all of them for LLVM to take away again.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

from llvmlite import ir as llvm
from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs, must_use_alloca
from numba.core.callwrapper import PyCallWrapper
from numba.core.datamodel.models import TupleModel
from numba.core.datamodel.registry import default_manager
from numba.core.lowering import Lower
from numba.core.unsafe.eh import exception_check
from numba.np import arrayobj

MANY = 20
"""Arrays from which on a NamedTuple is handed on as one value.

Of fewer each goes by itself, and LLVM leaves out those that a kernel does not use.
"""


class Values(Lower):
    """Numba's own translation to LLVM, but for variables that are values: those assigned once, ahead of all uses."""

    def _find_singly_assigned_variable(self) -> None:
        """Not where references are counted: a variable that is let go would be nothing from then on."""
        super()._find_singly_assigned_variable()
        if not self.context.enable_nrt and not self.func_ir.func_id.is_generator:
            self._singly_assigned_vars |= _values(self.func_ir.blocks)

    def create_cpython_wrapper(self, release_gil: bool = False) -> None:
        """What Python calls has the kernel's code in it: nothing is handed over between the two."""
        if self.genlower:
            super().create_cpython_wrapper(release_gil)
            return
        module = self.context.create_module("wrapper")
        kind = self.call_conv.get_function_type(self.fndesc.restype, self.fndesc.argtypes)
        kernel = llvm.Function(module, kind, self.fndesc.llvm_func_name)
        wrapper = PyCallWrapper(self.context, module, kernel, self.fndesc, self.env, self.call_helper, release_gil)
        for block in wrapper.build()[0].blocks:
            for one in block.instructions:
                if isinstance(one, llvm.CallInstr) and one.callee is kernel:
                    one.attributes.discard("noinline")
                    one.attributes.add("alwaysinline")
        self.library.add_ir_module(module)
        self.library.get_function(kernel.name).linkage = "internal"


def _values(blocks: dict[int, Any]) -> set[str]:
    """Variables assigned in one place, which is passed on every way to each block that uses them."""
    assigned = [(at, one) for at, block in blocks.items() for one in block.find_insts(ir.Assign)]
    if any(isinstance(one.value, ir.Global) and one.value.value is exception_check for _, one in assigned):
        return set()  # (the middle of a block may lead to another one)
    times = Counter(one.target.name for _, one in assigned)
    places = {one.target.name: at for at, one in assigned if times[one.target.name] == 1}
    dominators = compute_cfg_from_blocks(blocks).dominators()
    for block, used in compute_use_defs(blocks).usemap.items():
        for name in used:
            if name in places and not (places[name] < block and places[name] in dominators[block]):
                del places[name]
    return places.keys() - set(must_use_alloca(blocks))


class Whole(TupleModel):
    """NamedTuples as Numba has them, but those of many arrays handed on as one value."""

    def get_argument_type(self) -> Any:
        """A structure of the arrays' structures."""
        return self.get_value_type() if self.is_whole() else super().get_argument_type()

    def as_argument(self, builder: Any, value: Any) -> Any:
        """The value itself."""
        return value if self.is_whole() else super().as_argument(builder, value)

    def from_argument(self, builder: Any, value: Any) -> Any:
        """The same."""
        return value if self.is_whole() else super().from_argument(builder, value)

    def is_whole(self) -> bool:
        """Whether there is nothing in it but arrays, and many."""
        return len(self._fe_type) >= MANY and all(type(one) is types.Array for one in self._fe_type)


default_manager.register(types.NamedTuple, Whole)


make_array: Any = arrayobj.make_array


@cache
def _structure_of(kind: Any) -> Any:
    """Numba's class for the values of an array's type, made once.

    It looks at each value whether it stands for an array of another kind, and in all of its tables anew because none
    of them says so: of an array that is nothing but one it never is.
    """
    structure = make_array(kind)
    if type(kind) is types.Array:
        del structure._make_refs
    return structure


arrayobj.make_array = _structure_of
