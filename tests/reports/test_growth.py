"""Twice the groups take twice the work: no function is called for every two groups."""

import cProfile
import pstats
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.privacy import Differences, Partition, withheld

GROUPS = 60


def calls(groups: int, folder: Path) -> dict[tuple[str, int, str], int]:
    """Return how often each function of the packages is called for a report of so many groups."""
    rng = np.random.default_rng(0)
    human = rng.integers(1, 7, groups * 12)
    frame = pd.DataFrame({"human": human, "system": np.clip(human + rng.normal(0, 0.7, len(human)), 1, 6)})
    frame["school"] = [f"school {code}" for code in np.repeat(np.arange(groups), 12)]
    profile = cProfile.Profile()
    profile.runcall(reportgen.evaluate, frame, folder, groups=["school"], scale="1:6", formats=["html"])
    found = pstats.Stats(profile).stats  # type: ignore[attr-defined]
    return {where: numbers[1] for where, numbers in found.items() if "report" in where[0] or "templates" in where[0]}


@pytest.mark.slow
def test_no_function_is_called_for_every_two_groups(tmp_path: Path) -> None:
    calls(3, tmp_path / "first")  # loads what is loaded once
    once, twice = calls(GROUPS, tmp_path / "once"), calls(2 * GROUPS, tmp_path / "twice")
    often = {where: (once.get(where, 0), n) for where, n in twice.items() if n > 5 * GROUPS}
    assert often
    assert not {where: n for where, n in often.items() if n[1] > 3 * max(n[0], GROUPS)}


def test_without_small_groups_nothing_is_searched() -> None:
    """Six hundred groups cross two columns freely: levels are taken together, and no difference is looked at."""
    looked: list[int] = []

    class Counted(Differences):
        def _together(self) -> bool:
            looked.append(len(self._counts))
            return super()._together()

    rng = np.random.default_rng(0)
    columns = [np.repeat(np.arange(600), 40), rng.integers(0, 2, 24_000), rng.integers(0, 5, 24_000)]
    partitions = [Partition(codes, int(codes.max()) + 1) for codes in columns]
    assert not any(mask.any() for mask in withheld(partitions, 10))
    found = Counted(partitions, np.ones(24_000), 10)
    assert not list(found.of_two([True] * 3))
    assert not list(found.of_many())
    assert len(looked) < 4
