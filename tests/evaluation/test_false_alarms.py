"""An engine that treats everybody alike is not accused: the benchmark's design, in brief."""

import runpy
from pathlib import Path

import pytest

rejections = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "false_alarms.py"))["rejections"]


@pytest.mark.slow
@pytest.mark.parametrize(("reliability", "gap", "candidates"), [(0.65, 0.5, 0), (0.65, 0.5, 600), (0.5, 0.5, 0)])
def test_given_the_true_score_false_alarms_are_as_rare_as_promised(
    reliability: float, gap: float, candidates: int
) -> None:
    """Of 300 samples 5 % are 15; fewer than 6 or more than 25 would be a sign of wrong errors."""
    csd, true = rejections(300, reliability, gap, rounded=True, candidates=candidates)
    assert 0.02 < true < 0.083
    assert csd > 0.9


def test_without_a_gap_both_analyses_keep_their_level() -> None:
    csd, true = rejections(300, 0.65, 0.0, rounded=True)
    assert 0.02 < csd < 0.083
    assert 0.02 < true < 0.083
