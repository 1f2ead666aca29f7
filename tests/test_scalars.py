"""`int`, `min` and `max` of numbers in kernels."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from koth.compile.numba_hooks import builtins
from koth.kernel import COMPILED, kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="without compiled kernels they are Python's own")


@kernel
def three(a: Any, b: Any) -> tuple[Any, Any, int]:
    """What the three make of two numbers."""
    return min(a, b), max(a, b), int(a)


NUMBERS = (-3, 2.5, True, np.uint8(200), np.int32(-7), np.float32(0.25), float("nan"))


@pytest.mark.parametrize("a", [one for one in NUMBERS if one == one])
@pytest.mark.parametrize("b", NUMBERS)
def test_they_are_pythons_own(a: Any, b: Any) -> None:
    """Of not-a-numbers, too: the first stays where the second is not less, or more."""
    np.testing.assert_equal(three(a, b), (min(a, b), max(a, b), int(a)))


def test_numba_compiles_no_functions_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes longer than many a kernel does."""
    found = []
    given = builtins.call_type

    def noted(function: Any, context: Any, arguments: tuple[Any, ...]) -> Any:
        found.append((function.typing_key, given(function, context, arguments)))
        return found[-1][1]

    monkeypatch.setattr("koth.compile.numba_hooks.pipeline.call_type", noted)

    fresh: Any = numba.njit(lambda a, b: min(a, 3) + max(b, a) + int(b))  # (it is kept nowhere)
    assert fresh(5, np.int16(2)) == 10
    assert {key for key, made in found if made is not None} >= {int, min, max}
