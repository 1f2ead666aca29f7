"""How kernels are compiled: with kernel.py and wide.py, what knows Numba.

Numba optimises each function as a module of its own, makes machine code of it, and does both again in every module
that calls it. A kernel that others call (`Inner`) is only simplified by itself here; the rest is done once, where it
has become a part.
"""

from __future__ import annotations

from typing import Any, ClassVar

from numba._dynfunc import make_function
from numba.core import ir, types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.typed_passes import AnnotateTypes, NativeLowering
from numba.core.typing.templates import signature

RULES = ("koth.games.", "koth.grid")
"""Modules whose kernels never count from the end of an array, or only by a literal that is the whole index.

A law plays koth's games where that is an error in the state, and in the modules' tables.
"""


class Part(JITCodeLibrary):
    """Code that stays LLVM's, for the modules that it is linked into."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class CountFromTheStart(AnalysisPass):
    """Takes indices as they are, as those that are never negative: nothing is computed for others."""

    _name = "koth_count_from_the_start"

    def __init__(self) -> None:
        super().__init__()

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


@register_pass(mutates_CFG=True, analysis_only=False)
class LowerPart(NativeLowering):
    """Numba's own, but for what is made of the code."""

    _name = "koth_lower_part"

    def run_pass(self, state: Any) -> bool:
        name = state.func_id.func_qualname
        state.library = Part(state.targetctx.codegen(), name)
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


class Outer(CompilerBase):
    """Numba's compiler for kernels that Python calls."""

    lowering: Any = NativeLowering

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, own: Any) -> None:
        super().__init__(typing, target, library, args, result, Known(flags), own)

    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(self.lowering if one is NativeLowering else one, about) for one, about in passes.passes]
        if self.state.func_id.modname.startswith(RULES):
            passes.add_pass_after(CountFromTheStart, AnnotateTypes)
        passes.finalize()
        return [passes]


class Inner(Outer):
    """Numba's compiler for kernels that other kernels call."""

    lowering = LowerPart
