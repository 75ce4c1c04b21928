"""Agreement of three and more raters, compared with rows, public functions, and the jackknife."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import ends, jackknife_error, value
from plans import tallied

from reportgen import metrics
from reportgen.evaluation.rater_effects import agreement, average_agreement, compared, rater_pairs
from reportgen.evaluation.reliability import ICC_KEYS, crossed, intraclass, overall_agreement
from reportgen.evaluation.tables.agreement import human_tables

Floats = NDArray[np.float64]


def scores(seed: int = 1, n: int = 500, raters: int = 3) -> tuple[Floats, Floats]:
    """Return engine scores and ratings of several raters with gaps."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1, n)
    human = np.clip(np.rint(true[:, None] + np.linspace(0, 0.3, raters) + rng.normal(0, 0.6, (n, raters))), 1, 6)
    human[:, 1:][rng.random((n, raters - 1)) < 0.4] = np.nan
    return true + rng.normal(0, 0.5, n), human


@pytest.mark.parametrize("clustered", [False, True])
def test_agreement_of_first_pair_matches_slices(clustered: bool) -> None:
    system, human = scores()
    made = tallied(system, human, np.arange(500, dtype=np.int32) // 3 if clustered else None)
    slices = made.estimates(made.primary_rounded)
    for metric, found in agreement(made, 0, 1).items():
        expected = slices.estimate(f"human.{metric}")
        assert found.n == expected.n
        for end in ("value", "low", "high", "standard_error"):
            assert getattr(found, end) == pytest.approx(getattr(expected, end), rel=1e-9), (metric, end)


def test_agreement_of_pair_matches_rows() -> None:
    system, human = scores()
    both = ~np.isnan(human[:, 1]) & ~np.isnan(human[:, 2])
    found = agreement(tallied(system, human), 1, 2)
    assert found["qwk"].n == both.sum()
    assert value(found["qwk"]) == pytest.approx(metrics.quadratic_weighted_kappa(human[:, 1], human[:, 2]))
    assert value(found["kappa"]) == pytest.approx(metrics.cohen_kappa(human[:, 1], human[:, 2]).value)
    assert value(found["exact_agreement"]) == pytest.approx(metrics.percent_agreement(human[:, 1], human[:, 2]))


def test_compared_raters_match_public_functions() -> None:
    system, human = scores()
    found = compared(tallied(system, human), 0, 2)
    first, third = human[:, 0], human[:, 2]
    paired = metrics.paired_mean_difference(first, third)
    assert value(found["mean_difference"]) == pytest.approx(paired.value)
    assert (found["mean_difference"].low, found["mean_difference"].high) == pytest.approx((paired.low, paired.high))
    assert value(found["sd_ratio"]) == pytest.approx(metrics.pitman_morgan(first, third).value)
    trimmed = np.clip(system, 1 - 0.4998, 6 + 0.4998)
    r = metrics.correlation_difference(trimmed, first, third)
    assert value(found["r_difference"]) == pytest.approx(r.value)
    assert (found["r_difference"].low, found["r_difference"].high) == pytest.approx((r.low, r.high), rel=1e-9)


def test_average_agreement_is_mean_of_pairs() -> None:
    system, human = scores(n=150)
    made = tallied(system, human)
    pairs = rater_pairs(made)

    def mean(rows: Floats) -> float:
        return float(np.mean([metrics.quadratic_weighted_kappa(rows[:, a], rows[:, b]) for a, b in pairs]))

    found = average_agreement(made, pairs)["qwk"]
    assert value(found) == pytest.approx(mean(human))
    assert found.standard_error == pytest.approx(jackknife_error(lambda kept: mean(human[kept]), 150), rel=0.05)


def test_overall_agreement_matches_public_functions() -> None:
    system, human = scores(raters=4)
    found, points = overall_agreement(tallied(system, human)), range(1, 7)
    for name, of in {"conger": metrics.conger_kappa, "fleiss": metrics.fleiss_kappa}.items():
        assert value(found[name]) == pytest.approx(of(human, categories=points, weights="quadratic").value)
    alpha = metrics.krippendorff_alpha(human, categories=points, level="interval").value
    assert value(found["alpha"]) == pytest.approx(alpha)


def test_human_tables_have_every_pair() -> None:
    tables = {table.key: table for table in human_tables(tallied(*scores(raters=4)))}
    assert len(tables["human_human.agreement"].rows) == 7
    assert tables["human_human.overall"].column("coefficient")[0] == "conger"


def test_rater_pairs_require_common_responses() -> None:
    system, human = scores()
    human[:250, 1], human[250:, 2] = np.nan, np.nan
    assert rater_pairs(tallied(system, human)) == [(0, 1), (0, 2)]


def test_intraclass_correlations_match_public_function() -> None:
    system, human = scores()
    found, public = intraclass(tallied(system, human)), metrics.intraclass_correlation(human)
    for name, key in ICC_KEYS.items():
        assert value(found[key]) == pytest.approx(getattr(public, name), rel=1e-10)
        assert (found[key].low, found[key].high) == pytest.approx(public.intervals[name], rel=1e-8)
        assert found[key].n == public.n


def test_intraclass_intervals_by_candidate_are_wider() -> None:
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(80, dtype=np.int32), 5)
    true = 3.5 + rng.normal(0, 0.9, 80)[who] + rng.normal(0, 0.3, 400)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.6, (400, 2))), 1, 6)
    alone, by_candidate = (intraclass(tallied(true, human, each))["icc_a1"] for each in (None, who))
    assert value(alone) == pytest.approx(value(by_candidate))
    assert np.ptp(ends(by_candidate)) > np.ptp(ends(alone))
    assert "jackknife over clusters" in by_candidate.method


def test_components_match_public_function_and_jackknife() -> None:
    system, human = scores(n=140)
    found, public = crossed(tallied(system, human)), metrics.generalizability(human)
    assert found is not None
    assert (value(found.person), value(found.rater), value(found.residual)) == pytest.approx(
        (public.person, public.rater, public.residual)
    )
    assert value(found.coefficient[2]) == pytest.approx(public.coefficient(3))
    assert value(found.dependability[1]) == pytest.approx(public.dependability(2))
    assert value(found.gain[0]) == pytest.approx(public.coefficient(2) - public.coefficient(1))

    def left(kept: Any) -> tuple[float, float]:
        rest = metrics.generalizability(human[kept])
        return rest.coefficient(1), rest.dependability(2)

    errors = [each.standard_error for each in (found.coefficient[0], found.dependability[1])]
    assert errors == pytest.approx(jackknife_error(left, 140), rel=0.06)


def test_components_of_unlinked_raters_are_none() -> None:
    system, human = scores(raters=4, n=60)
    human[:30, 2:], human[30:, 1] = np.nan, np.nan
    human[30:, 0] = np.nan
    human[30:, 2:] = 3.0
    assert crossed(tallied(system, np.where(np.isnan(human), human, np.rint(human)))) is None
