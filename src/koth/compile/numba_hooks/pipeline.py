# mypy: disable-error-code="no-untyped-call"
"""Compilation of koth's kernels: variables, indices, and the code of kernels that other kernels call.

Numba optimises each function as a module of its own, makes machine code from the module, and does both again in every
module that calls the function. A kernel that other kernels call (`InnerCompiler`) is only simplified by itself here;
the rest is done once, in the caller's module.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from llvmlite import binding
from numba._dynfunc import make_function
from numba.core import ir, types
from numba.core.analysis import compute_cfg_from_blocks, compute_use_defs, must_use_alloca
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.errors import TypingError
from numba.core.lowering import Lower
from numba.core.typed_passes import AnnotateTypes, NativeLowering
from numba.core.typing.templates import signature
from numba.core.unsafe.eh import exception_check

RULES = ("koth.games.", "koth.grid")
"""Modules whose kernels use no negative index, except a literal that is the whole index.

A test plays koth's games with checks that negative indices into the state and the modules' tables are errors."""


class SingleAssignmentLowering(Lower):
    """Numba's translation to LLVM, except that variables assigned once, before all uses, become values.

    Numba gives each variable that is used in several blocks a location in memory, and copies a state's hundreds of
    numbers wherever the state is named or passed on; LLVM has to remove all these copies again. Without this class
    the first start of a game took 17 % longer.
    """

    def _find_singly_assigned_variable(self) -> None:
        """Collect variables assigned once; none if references are counted: releasing a reference sets it to null."""
        super()._find_singly_assigned_variable()
        if not self.context.enable_nrt and not self.func_ir.func_id.is_generator:
            self._singly_assigned_vars |= _find_values(self.func_ir.blocks)


def _find_values(blocks: dict[int, Any]) -> set[str]:
    """Return the variables with one assignment, which dominates every block that uses them."""
    assigned = [(at, one) for at, block in blocks.items() for one in block.find_insts(ir.Assign)]
    if any(isinstance(one.value, ir.Global) and one.value.value is exception_check for _, one in assigned):
        return set()  # (the middle of a block may branch to another one)
    times = Counter(one.target.name for _, one in assigned)
    places = {one.target.name: at for at, one in assigned if times[one.target.name] == 1}
    dominators = compute_cfg_from_blocks(blocks).dominators()
    for block, used in compute_use_defs(blocks).usemap.items():
        for name in used:
            if name in places and not (places[name] < block and places[name] in dominators[block]):
                del places[name]
    return places.keys() - set(must_use_alloca(blocks))


class KernelLibrary(JITCodeLibrary):
    """A library whose functions are only simplified before the whole module is optimised, not optimised twice.

    Without this class the first start of a game took 13 % longer.
    """

    counted = False
    """True if references are counted: Numba drops needless counts function by function."""

    def _optimize_functions(self, ll_module: Any) -> None:
        if self.counted:
            super()._optimize_functions(ll_module)
            return
        ll_module.data_layout = self._codegen._data_layout
        tidy = binding.create_new_function_pass_manager()
        tidy.add_sroa_pass()
        tidy.add_instruction_combine_pass()
        tidy.add_simplify_cfg_pass()
        builder = self._codegen._pass_builder()
        for function in ll_module.functions:
            if not function.is_declaration:
                tidy.run(function, builder)


class InnerKernelLibrary(KernelLibrary):
    """A library that stays in LLVM's form, for the modules that link it.

    Without this class the first start of a game took 29 % longer.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelAnalysis(AnalysisPass):
    """An analysis pass over a kernel."""

    def __init__(self) -> None:  # (Numba requires a constructor without arguments)
        super().__init__()


@register_pass(mutates_CFG=False, analysis_only=True)
class UnsignedIndices(KernelAnalysis):
    """A pass that treats indices as never negative, so that no code handles negative indices.

    Without this pass 2,048 matches of Metal Man took 1.58 times as long.
    """

    _name = "koth_unsigned_indices"

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                what = getattr(statement, "value", None)
                if isinstance(what, ir.Expr) and what.op == "getitem":
                    self._unsign_index(state.calltypes, what)
                elif isinstance(statement, ir.SetItem):
                    self._unsign_index(state.calltypes, statement)
        return False

    def _unsign_index(self, calltypes: Any, place: Any) -> None:
        kind = calltypes[place]
        if kind is not None and isinstance(kind.args[0], types.Array):
            array, index, *value = kind.args
            del calltypes[place]  # (Numba's dict refuses to replace entries)
            calltypes[place] = signature(kind.return_type, array, _to_unsigned(index), *value)


def _to_unsigned(kind: Any) -> Any:
    """Return the unsigned type of an index, which is a whole number or a tuple of whole numbers."""
    if isinstance(kind, types.Integer) and not isinstance(kind, types.Literal):
        return types.uintp
    several: Any = types.BaseTuple
    if isinstance(kind, several):
        return types.Tuple([_to_unsigned(one) for one in kind])
    return kind


@register_pass(mutates_CFG=False, analysis_only=True)
class RefuseReturnedTuplesOfArrays(KernelAnalysis):
    """A pass that refuses to return arrays in tuples: without reference counts, Python would get freed memory.

    Numba itself checks only arrays that are returned alone.
    """

    _name = "koth_refuse_returned_tuples_of_arrays"

    def run_pass(self, state: Any) -> bool:
        several: Any = types.BaseTuple
        if not state.flags.nrt and isinstance(state.return_type, several) and _has_array(state.return_type):
            raise TypingError("Only accept returning of array passed, and by itself")
        return False


def _has_array(kind: Any) -> bool:
    several: Any = types.BaseTuple
    return isinstance(kind, types.Array) or (isinstance(kind, several) and any(map(_has_array, kind)))


@register_pass(mutates_CFG=True, analysis_only=False)
class OuterLoweringPass(NativeLowering):
    """Numba's translation to LLVM, with koth's treatment of variables and form of code."""

    _name = "koth_outer_lowering"
    lowering_class: Any = SingleAssignmentLowering

    def run_pass(self, state: Any) -> bool:
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.counted = state.flags.nrt
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLoweringPass(NativeLowering):
    """Numba's translation to LLVM for kernels that other kernels call."""

    _name = "koth_inner_lowering"
    lowering_class: Any = SingleAssignmentLowering

    def run_pass(self, state: Any) -> bool:
        name = state.func_id.func_qualname
        state.library = InnerKernelLibrary(state.targetctx.codegen(), name)
        state.library.counted = state.flags.nrt
        state.flags.no_compile = True
        super().run_pass(state)
        function, library = state["cr"].fndesc, state.library
        known_by = make_function(function.lookup_module(), name, "", 0, state["cr"].env, (library,))
        state.targetctx.insert_user_function(known_by, function, [library])
        state["cr"] = state["cr"]._replace(cfunc=known_by)
        return True


class CachedFlags(Flags):
    """Flags with cached values and hash: Numba compares flags a hundred thousand times while it compiles a game.

    Without this class the first start of a game took 16 % longer.
    """

    DEFAULTS: ClassVar = Flags().values()
    HASH: ClassVar = hash(Flags())

    def values(self) -> dict[str, Any]:
        return {**self.DEFAULTS, **self._values}

    def __eq__(self, other: object) -> bool:
        return bool(super().__eq__(other))

    def __hash__(self) -> int:
        return self.HASH


class OuterCompiler(CompilerBase):
    """Numba's compiler for kernels that Python calls."""

    lowering: Any = OuterLoweringPass

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, own: Any) -> None:
        super().__init__(typing, target, library, args, result, CachedFlags(flags), own)

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if one is NativeLowering else one, about) for one, about in passes.passes]
        if self.state.func_id.modname.startswith(RULES):
            passes.add_pass_after(UnsignedIndices, AnnotateTypes)
        if self.lowering is OuterLoweringPass:  # (between kernels tuples are passed as they are)
            passes.add_pass_after(RefuseReturnedTuplesOfArrays, AnnotateTypes)
        passes.finalize()
        return [passes]


class InnerCompiler(OuterCompiler):
    """Numba's compiler for kernels that other kernels call."""

    lowering = InnerLoweringPass
