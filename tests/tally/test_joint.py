"""Joint statistics of several levels, compared with rows and the jackknife."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracles import jackknife_error
from test_intervals import BOUNDS, Sample
from test_intervals import clustered_sample as sample

from reportgen.metrics.pair import ratio
from reportgen.tally import (
    OVERALL,
    ROUNDED,
    TRIMMED,
    CellScores,
    ClusteredRows,
    Form,
    JointNumbers,
    Polynomial,
    joint,
    tally_of,
)
from reportgen.tally.sums import Floats


def features(scores: CellScores) -> Mapping[str, Polynomial]:
    both = scores.present.all(axis=0).astype(np.float64)
    first, second, engine = scores.ratings[0], scores.ratings[1], scores.score
    return {
        "n": scores.one, "h": first, "m": engine, "hh": first * first, "hm": first * engine, "both": scores.one * both,
        "gap": (second - engine) * both, "square": (first - engine) * (first - engine),
    }  # fmt: skip


def statistics(sums: Mapping[str, Floats], centre: float) -> dict[str, Floats]:
    within_hh = (sums["hh"] - ratio(sums["h"] ** 2, sums["n"])).sum(axis=-1)
    within_hm = (sums["hm"] - ratio(sums["h"] * sums["m"], sums["n"])).sum(axis=-1)
    slope = ratio(within_hm, within_hh)[..., None]
    mean_h, mean_m = ratio(sums["h"], sums["n"]), ratio(sums["m"], sums["n"])
    return {
        "adjusted": mean_m - mean_m[..., :1] - slope * (mean_h - mean_h[..., :1]),
        "slope": slope,
        "second_gap": ratio(sums["gap"].sum(axis=-1, keepdims=True), sums["both"].sum(axis=-1, keepdims=True)),
        "mse": ratio(sums["square"], sums["n"]),
        "level": mean_h + centre,
    }


def found(data: Sample, form: Form, grouping: str = "g", *, clustered: bool = False) -> dict[str, JointNumbers]:
    system, human, codes, who = data
    groups = {"g": (codes, ["a", "b"])}
    tally = tally_of(system, human, groups, BOUNDS)
    rows = ClusteredRows.of(tally, system, human, groups, who) if clustered else None
    return joint(tally, grouping, form, features, statistics, rests_on="n", rows=rows)


@pytest.mark.parametrize("form", [TRIMMED, ROUNDED])
def test_joint_statistics_match_rows(form: Form) -> None:
    system, human, codes, _ = data = sample(1, 60, 4, within=True)
    score = np.clip(system, *BOUNDS)
    score = np.rint(score) if form.rounded else score
    result = found(data, form)
    a, b = codes == 0, codes == 1
    centred = human[:, 0] - np.where(a, human[a, 0].mean(), human[b, 0].mean())
    slope = (centred * score).sum() / (centred**2).sum()
    expected = score[b].mean() - score[a].mean() - slope * (human[b, 0].mean() - human[a, 0].mean())
    both = np.isfinite(human[:, 1])
    np.testing.assert_allclose(result["adjusted"].value, [0, expected], atol=1e-12)
    np.testing.assert_allclose(result["slope"].value, [slope])
    np.testing.assert_allclose(result["second_gap"].value, [(human[both, 1] - score[both]).mean()], atol=1e-12)
    np.testing.assert_allclose(result["mse"].value, [((human[k, 0] - score[k]) ** 2).mean() for k in (a, b)])
    np.testing.assert_allclose(result["level"].value, [human[a, 0].mean(), human[b, 0].mean()])
    assert result["slope"].n.tolist() == [a.sum(), b.sum()]


@pytest.mark.parametrize("clustered", [False, True])
def test_joint_errors_match_jackknife(clustered: bool) -> None:
    system, human, codes, who = data = sample(2, 60, 4, within=True)

    def left(kept: NDArray[np.bool_]) -> NDArray[Any]:
        part = found((system[kept], human[kept], codes[kept], who[kept]), TRIMMED)
        return np.concatenate([numbers.value for numbers in part.values()])

    errors = np.concatenate([numbers.error for numbers in found(data, TRIMMED, clustered=clustered).values()])
    np.testing.assert_allclose(errors, jackknife_error(left, who if clustered else len(who)), rtol=0.06, atol=1e-12)


def test_joint_errors_of_single_responses_match() -> None:
    system, human, codes, _ = sample(3, 60, 4, within=True)
    data = (system, human, codes, np.arange(len(system)))
    one, other = found(data, TRIMMED, OVERALL, clustered=True), found(data, TRIMMED, OVERALL)
    for key, numbers in one.items():
        np.testing.assert_allclose(numbers.error, other[key].error, rtol=1e-9, err_msg=key)
        assert numbers.units.tolist() == [len(system)]


def test_joint_rejects_features_of_degree_three() -> None:
    data = sample(5, 60, 4, within=True)
    tally = tally_of(data[0], data[1], None, BOUNDS)
    with pytest.raises(ValueError, match="degree two"):
        joint(
            tally, OVERALL, TRIMMED, lambda scores: {"cube": scores.score * scores.score * scores.score},
            lambda sums, centre: {"cube": sums["cube"]}, rests_on="cube",
        )  # fmt: skip
