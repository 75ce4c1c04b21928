"""Agreement of three and more raters: values from the rows, intervals beside other roads to them."""

import numpy as np
import pytest
from numpy.typing import NDArray
from plans import one_to_six

from reportgen import metrics
from reportgen.evaluation import TalliedScores, tally_scores
from reportgen.evaluation.rater_effects import agreement, average_agreement, compared, rater_pairs
from reportgen.evaluation.reliability import overall_agreement
from reportgen.evaluation.tables.agreement import human_tables
from reportgen.results import Estimate

Floats = NDArray[np.float64]


def scores(seed: int = 1, n: int = 500, raters: int = 3) -> tuple[Floats, Floats]:
    """Return engine scores and ratings of several raters with gaps."""
    rng = np.random.default_rng(seed)
    true = rng.normal(3.5, 1, n)
    human = np.clip(np.rint(true[:, None] + np.linspace(0, 0.3, raters) + rng.normal(0, 0.6, (n, raters))), 1, 6)
    human[:, 1:][rng.random((n, raters - 1)) < 0.4] = np.nan
    return true + rng.normal(0, 0.5, n), human


def tallied(system: Floats, human: Floats, candidates: NDArray[np.int32] | None = None) -> TalliedScores:
    """Return the study of scores on a scale of 1 to 6."""
    return tally_scores(system, human, {}, one_to_six(human.shape[1]), candidates=candidates)


def value(estimate: Estimate) -> float:
    """Return the value of a defined estimate."""
    assert estimate.value is not None
    return estimate.value


@pytest.mark.parametrize("clustered", [False, True])
def test_the_first_pair_is_what_the_report_had(clustered: bool) -> None:
    system, human = scores()
    made = tallied(system, human, np.arange(500, dtype=np.int32) // 3 if clustered else None)
    slices = made.estimates(made.primary_rounded)
    for metric, found in agreement(made, 0, 1).items():
        expected = slices.estimate(f"human.{metric}")
        assert found.n == expected.n
        for end in ("value", "low", "high", "standard_error"):
            assert getattr(found, end) == pytest.approx(getattr(expected, end), rel=1e-9), (metric, end)


def test_any_pair_is_its_rows() -> None:
    system, human = scores()
    both = ~np.isnan(human[:, 1]) & ~np.isnan(human[:, 2])
    found = agreement(tallied(system, human), 1, 2)
    assert found["qwk"].n == both.sum()
    assert value(found["qwk"]) == pytest.approx(metrics.quadratic_weighted_kappa(human[:, 1], human[:, 2]))
    assert value(found["kappa"]) == pytest.approx(metrics.cohen_kappa(human[:, 1], human[:, 2]).value)
    assert value(found["exact_agreement"]) == pytest.approx(metrics.percent_agreement(human[:, 1], human[:, 2]))


def test_raters_without_a_common_response_have_no_kappa() -> None:
    system, human = scores(n=200)
    human[::2, 1], human[1::2, 2] = np.nan, np.nan
    found = agreement(tallied(system, human, np.arange(200, dtype=np.int32) // 4), 1, 2)
    assert found["kappa"].value is None


def test_compared_raters_are_the_public_tests() -> None:
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


def test_average_is_the_mean_of_the_pairs_and_its_error_the_jackknife() -> None:
    system, human = scores(n=150)
    made = tallied(system, human)
    pairs = rater_pairs(made)

    def mean(rows: Floats) -> float:
        return float(np.mean([metrics.quadratic_weighted_kappa(rows[:, a], rows[:, b]) for a, b in pairs]))

    found = average_agreement(made, pairs)["qwk"]
    left = np.array([mean(np.delete(human, i, axis=0)) for i in range(150)])
    assert value(found) == pytest.approx(mean(human))
    assert found.standard_error == pytest.approx(np.sqrt(149 / 150 * ((left - left.mean()) ** 2).sum()), rel=0.05)


def test_all_raters_at_once_are_the_public_coefficients() -> None:
    system, human = scores(raters=4)
    found, points = overall_agreement(tallied(system, human)), range(1, 7)
    assert value(found["conger"]) == pytest.approx(
        metrics.conger_kappa(human, categories=points, weights="quadratic").value
    )
    assert value(found["fleiss"]) == pytest.approx(
        metrics.fleiss_kappa(human, categories=points, weights="quadratic").value
    )
    assert value(found["alpha"]) == pytest.approx(
        metrics.krippendorff_alpha(human, categories=points, level="interval").value
    )


def test_tables_have_every_pair() -> None:
    tables = {table.key: table for table in human_tables(tallied(*scores(raters=4)))}
    assert len(tables["human_human.agreement"].rows) == 7
    assert tables["human_human.overall"].column("coefficient")[0] == "conger"


def test_raters_who_share_nothing_have_no_pair() -> None:
    system, human = scores()
    human[:250, 1], human[250:, 2] = np.nan, np.nan
    assert rater_pairs(tallied(system, human)) == [(0, 1), (0, 2)]
