"""Evaluation of policies against samples."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from koth.errors import KothError
from koth.game import Array
from koth.games import load
from koth_learn import evaluate


def idle(observations: Mapping[str, Array], masks: Array) -> Any:
    return np.full(len(masks), 4)


def test_policies_and_bots_play_the_same_boards(tmp_path: Path) -> None:
    """Two equal policies have equal scores; a sample is evaluated as a policy is, and an idle policy is worse."""
    options: dict[str, Any] = {"matches": 2, "opponents": ["@random_walk"], "settings": {"turns": 40}}
    twice = evaluate([idle, idle], "pacman", replays=tmp_path, **options)
    assert twice.scores.shape == (2, 2, 2)
    assert (twice.scores[0] == twice.scores[1]).all()
    assert twice.score[1] == 0
    sample = evaluate("@greedy", "pacman", **options)
    assert sample.score[0] > twice.score[0]
    assert "score" in str(sample)
    assert "over 2 policies of 2 matches each" in str(twice)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        f"policy-{policy}-match-000{match}.koth.gz" for policy in (1, 2) for match in (1, 2)
    ]
    with pytest.raises(KothError, match=r"the policy must return whole numbers\[1, 8\], not int64\[1\]"):
        evaluate(idle, "metalman", matches=1)
    usual = evaluate(lambda shown, masks: np.zeros((len(masks), 8), int), "metalman", matches=1)
    assert " ±" not in str(usual), "one match has no interval"
    assert usual.opponents == [f"@{sample}" for sample in load("metalman").default_entrants[:3]]
    with pytest.raises(KothError, match="not 0, 2 and 1"):
        evaluate(idle, "pacman", **{**options, "matches": 0})
