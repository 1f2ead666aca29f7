"""How kernels are compiled: kernel.py says what else knows Numba.

Numba optimises each function as a module of its own, makes machine code of it, and does both again in every module
that calls it. A kernel that others call (`Inner`) is only simplified by itself here; the rest is done once, where it
has become a part.
"""

from __future__ import annotations

import operator
from importlib import import_module
from importlib.util import find_spec
from types import CodeType, NoneType
from typing import Any, ClassVar

from llvmlite import binding
from numba._dynfunc import make_function
from numba.core import ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.errors import TypingError
from numba.core.typed_passes import AnnotateTypes, NativeLowering, NopythonRewrites
from numba.core.typing.templates import signature
from numba.core.untyped_passes import InlineClosureLikes
from numba.np import linalg

from koth.compile.numba_hooks.abi import Values
from koth.compile.numba_hooks.builtins import INSTRUCTIONS, call_type

RULES = ("koth.games.", "koth.grid")
"""Modules whose kernels never count from the end of an array, or only by a literal that is the whole index.

A law plays koth's games where that is an error in the state, and in the modules' tables.
"""
OPERATORS = frozenset(one for one in vars(operator).values() if callable(one))


class Code(JITCodeLibrary):
    """Code of which each function is only tidied up before the whole module is optimised, not optimised twice."""

    counted = False
    """Whether references are counted: Numba drops needless counts function by function."""

    def _optimize_functions(self, ll_module: Any) -> None:
        if self.counted or not hasattr(self._codegen, "_pass_builder"):  # (Numba 0.61 has LLVM's older passes)
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


class Part(Code):
    """Code that stays LLVM's, for the modules that it is linked into."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class Look(AnalysisPass):
    """A pass over what is known of a kernel."""

    def __init__(self) -> None:  # (Numba demands one)
        super().__init__()


@register_pass(mutates_CFG=False, analysis_only=True)
class CountFromTheStart(Look):
    """Takes indices as they are, as those that are never negative: nothing is computed for others."""

    _name = "koth_count_from_the_start"

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                what = getattr(statement, "value", None)
                if isinstance(what, ir.Expr) and what.op == "getitem":
                    self._unsign(state.calltypes, what)
                elif isinstance(statement, ir.SetItem):
                    self._unsign(state.calltypes, statement)
        return False

    def _unsign(self, calltypes: Any, place: Any) -> None:
        kind = calltypes[place]
        if kind is not None and isinstance(kind.args[0], types.Array):
            array, index, *value = kind.args
            del calltypes[place]  # (Numba lets nothing be replaced by mistake)
            calltypes[place] = signature(kind.return_type, array, _unsigned(index), *value)


def _unsigned(kind: Any) -> Any:
    """The type of an index, a whole number or several, without its sign."""
    if isinstance(kind, types.Integer) and not isinstance(kind, types.Literal):
        return types.uintp
    several: Any = types.BaseTuple
    if isinstance(kind, several):
        return types.Tuple([_unsigned(one) for one in kind])
    return kind


@register_pass(mutates_CFG=False, analysis_only=True)
class ReturnsNoArraysInTuples(Look):
    """Without counted references Python would get the array of which one is a part; Numba sees only single ones."""

    _name = "koth_returns_no_arrays_in_tuples"

    def run_pass(self, state: Any) -> bool:
        several: Any = types.BaseTuple
        if not state.flags.nrt and isinstance(state.return_type, several) and _has_array(state.return_type):
            raise TypingError("Only accept returning of array passed, and by itself")
        return False


def _has_array(kind: Any) -> bool:
    several: Any = types.BaseTuple
    return isinstance(kind, types.Array) or (isinstance(kind, several) and any(map(_has_array, kind)))


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerWhole(NativeLowering):
    """Numba's own, but for what variables are and how the code is optimised."""

    _name = "koth_lower_whole"
    lowering_class: Any = Values

    def run_pass(self, state: Any) -> bool:
        state.library = Code(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.counted = state.flags.nrt
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(NativeLowering):
    """Numba's own, but for what variables are and what is made of the code."""

    _name = "koth_lower_part"
    lowering_class: Any = Values

    def run_pass(self, state: Any) -> bool:
        name = state.func_id.func_qualname
        state.library = Part(state.targetctx.codegen(), name)
        state.library.counted = state.flags.nrt
        state.flags.no_compile = True
        super().run_pass(state)
        function, library = state["cr"].fndesc, state.library
        known_by = make_function(function.lookup_module(), name, "", 0, state["cr"].env, (library,))
        state.targetctx.insert_user_function(known_by, function, [library])
        state["cr"] = state["cr"]._replace(cfunc=known_by)
        return True


class Known(Flags):
    """Flags that Numba compares a hundred thousand times while it compiles a game, each time value by value."""

    DEFAULTS: ClassVar = Flags().values()
    HASH: ClassVar = hash(Flags())

    def values(self) -> dict[str, Any]:
        return {**self.DEFAULTS, **self._values}

    def __eq__(self, other: object) -> bool:
        return bool(super().__eq__(other))

    def __hash__(self) -> int:
        return self.HASH


Function: Any = types.Function
resolve = Function.get_call_type


def _known_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """What an operator makes of these types, as Numba says, kept: it is asked thousands of times per game."""
    if kws or not (self.typing_key in OPERATORS or self.typing_key in INSTRUCTIONS):
        return resolve(self, context, args, kws)
    known = self.__dict__.setdefault("known", {})
    if (context, args) not in known:
        known[context, args] = call_type(self, context, args) or resolve(self, context, args, kws)
    return known[context, args]


Function.get_call_type = _known_call_type


def _variables(self: Any, value: Any) -> list[Any]:
    """The variables in a part of a statement, as Numba finds them: what cannot hold any is known by its class."""
    kind = type(value)
    if kind is ir.Var:
        return [value]
    if kind is dict or kind is list or kind is tuple:
        parts = value.values() if kind is dict else value
        return [one for part in parts if type(part) not in BARE for one in _variables(self, part)]
    return list(list_variables(self, value))


BARE = frozenset((ir.Loc, str, int, bool, NoneType))
instruction: Any = ir.Inst
list_variables = instruction._rec_list_vars
instruction._rec_list_vars = _variables


def _has_scipy() -> None:
    """Whether it is there. Numba would load it to know that, and does so anyhow where it multiplies matrices."""
    if find_spec("scipy") is None:
        raise ImportError("there is no scipy")


ensure_blas, linalg.ensure_blas = linalg.ensure_blas, _has_scipy
import_module("numba.np.arraymath")
linalg.ensure_blas = ensure_blas


class Outer(CompilerBase):
    """Numba's compiler for kernels that Python calls."""

    lowering: Any = LowerWhole

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, own: Any) -> None:
        super().__init__(typing, target, library, args, result, Known(flags), own)

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        idle = self._idle()
        kept = [(one, about) for one, about in passes.passes if one not in idle]
        passes.passes = [(self.lowering if one is NativeLowering else one, about) for one, about in kept]
        if self.state.func_id.modname.startswith(RULES):
            passes.add_pass_after(CountFromTheStart, AnnotateTypes)
        if self.lowering is LowerWhole:  # (between kernels tuples are handed on as they are)
            passes.add_pass_after(ReturnsNoArraysInTuples, AnnotateTypes)
        passes.finalize()
        return [passes]

    def _idle(self) -> set[Any]:
        """Passes that look for what this kernel does not have: sums of arrays (they make arrays), inner functions."""
        inner = any(isinstance(one, CodeType) for one in self.state.func_id.code.co_consts)
        return set() if self.state.flags.nrt or inner else {NopythonRewrites, InlineClosureLikes}


class Inner(Outer):
    """Numba's compiler for kernels that other kernels call."""

    lowering = LowerPart
