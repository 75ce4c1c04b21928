"""Compare headline numbers with plain numpy on the same rows, also with special names of groups."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from oracles import ends, kappa, value
from oracles import quadratic_kappa as qwk
from simulated import evaluation_of, framed, simulated

from report_sections.group_differences import GroupDifferences
from report_sections.lookup import group_checks
from reportgen.results import Estimate, Evaluation
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

LOW, HIGH = 1 - 0.4998, 6 + 0.4998


def frame(n: int = 900, seed: int = 3) -> pd.DataFrame:
    scores = simulated(n, seed, 3, sd=1.1)
    group = scores.rng.choice(["north", "south", "NA", "a.b"], n, p=[0.5, 0.3, 0.17, 0.03])
    scores.human[scores.rng.random((n, 3)) < [0, 0.6, 0.9]] = np.nan
    scores.engine[group == "NA"] -= 0.4
    return framed(scores, engine="system", id=np.arange(n), region=group)


evaluated = partial(evaluation_of, system="system", human=["h1", "h2", "h3"], groups=["region"], scale="1:6")


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    return frame()


@pytest.fixture(scope="module")
def evaluation(data: pd.DataFrame) -> Evaluation:
    return evaluated(data)


def test_headline_estimates_match_rows(data: pd.DataFrame, evaluation: Evaluation) -> None:
    h, h2 = data["h1"].to_numpy(), data["h2"].to_numpy()
    s = np.clip(data["system"].to_numpy(), LOW, HIGH)
    r, both = np.rint(s), ~np.isnan(h2)
    x, y = h[both], h2[both]
    expected = {
        "system.qwk": qwk(h, s),
        "system.r": np.corrcoef(h, s)[0, 1],
        "system.smd": (s.mean() - h.mean()) / h.std(ddof=1),
        "system.rmse": np.sqrt(((h - s) ** 2).mean()),
        "system.mae": np.abs(h - s).mean(),
        "system.r_squared": 1 - ((h - s) ** 2).sum() / ((h - h.mean()) ** 2).sum(),
        "system.kappa": kappa(h, r),
        "system.exact_agreement": 100 * (h == r).mean(),
        "system.adjacent_agreement": 100 * (np.abs(h - r) <= 1).mean(),
        "human.qwk": qwk(x, y),
        "human.r": np.corrcoef(x, y)[0, 1],
        "human.kappa": kappa(x, y),
        "human.smd": (y.mean() - x.mean()) / np.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 2),
        "degradation.qwk": qwk(h, s) - qwk(x, y),
        "degradation.kappa": kappa(h, r) - kappa(x, y),
        "disattenuated.r": np.corrcoef(h, s)[0, 1] / np.sqrt(np.corrcoef(x, y)[0, 1]),
    }
    for key, number in expected.items():
        found, (low, high) = evaluation.estimates[key], ends(evaluation.estimates[key])
        assert value(found) == pytest.approx(number, rel=1e-10), key
        assert low < value(found) < high, key
        assert found.n == (len(h) if key.startswith("system") else both.sum()), key


def test_true_scores_with_gaps_match_rows(data: pd.DataFrame, evaluation: Evaluation) -> None:
    human = data[["h1", "h2", "h3"]].to_numpy()
    s = np.clip(data["system"].to_numpy(), LOW, HIGH)
    c, mean = (~np.isnan(human)).sum(axis=1), np.nanmean(human, axis=1)
    error = np.nansum((human - mean[:, None]) ** 2) / (c - 1).sum()
    total = np.nansum(human) / c.sum()
    true = ((c * (mean - total) ** 2).sum() - (len(c) - 1) * error) / (c.sum() - (c**2).sum() / c.sum())
    mse = ((c * (mean - s) ** 2).sum() - len(c) * error) / c.sum()
    assert evaluation.estimates["true_score.error_variance"].value == pytest.approx(error, rel=1e-10)
    assert evaluation.estimates["true_score.prmse"].value == pytest.approx(1 - mse / true, rel=1e-10)
    row = evaluation.tables["true_score.prmse"].row("Trimmed")
    assert (row["n_raters"], row["n_multiple"]) == (3, (c > 1).sum())


def test_group_rows_match_rows_and_have_marks(data: pd.DataFrame, evaluation: Evaluation) -> None:
    table = evaluation.tables["by_group.region"]
    assert [row.cells[0] for row in table.rows] == ["All data", "north", "south", "NA", "a.b"]
    h, s = data["h1"].to_numpy(), np.clip(data["system"].to_numpy(), LOW, HIGH)
    z = (s - s.mean()) / s.std(ddof=1) - (h - h.mean()) / h.std(ddof=1)
    for label in ("north", "south", "NA", "a.b"):
        rows = (data["region"] == label).to_numpy()
        cells = table.row(label)
        assert value(cells["dsm"]) == pytest.approx(z[rows].mean(), rel=1e-9)
        assert value(cells["human_mean"]) == pytest.approx(h[rows].mean())
        assert cells["n"] == rows.sum()
    marks = {row.cells[0]: row.mark for row in table.rows}
    assert marks["All data"] == "overall"
    assert marks["NA"] == "flagged"
    assert tuple(evaluation.facts["largest_group_difference_group"]) == ("region", "NA")


def test_small_group_on_request_is_not_judged(data: pd.DataFrame) -> None:
    found = evaluated(data, min_n_per_group=100, withhold_small_groups=False)
    marks = {row.cells[0]: row.mark for row in found.tables["by_group.region"].rows}
    assert marks["a.b"] == "insufficient"
    outcome = next(check for check in found.checks if check.group == "region: a.b")
    assert outcome.outcome == "insufficient"
    assert "not tested, because 29 responses are too few" in Vocabulary().phrases("decision").check(outcome)


def test_exact_agreement_requires_whole_scores(data: pd.DataFrame, evaluation: Evaluation) -> None:
    cell = evaluation.tables["system_human.agreement"].row("As given")["exact_agreement"]
    assert isinstance(cell, Estimate)
    assert cell.value is None
    assert "continuous" in cell.reason
    whole = data.assign(system=np.clip(np.rint(data["system"]), 1, 6))
    cell = evaluated(whole).tables["system_human.agreement"].row("As given")["exact_agreement"]
    assert value(cell) == pytest.approx(100 * (whole["system"] == whole["h1"]).mean())


def test_constant_scores_have_reason(data: pd.DataFrame) -> None:
    found = evaluated(data.assign(system=3.0))
    r, agreement = found.estimates["system.r"], found.estimates["system.qwk"]
    assert r.value is None
    assert r.reason == "all system scores are equal to within rounding"
    assert (agreement.value, agreement.low) == (0.0, None)
    assert agreement.interval_reason


def test_confusion_matrix_has_declared_scale(data: pd.DataFrame) -> None:
    narrow = data[data["h1"].between(2, 5)]
    table = evaluated(narrow).tables["confusion.system"]
    assert [row.cells[0] for row in table.rows] == ["1", "2", "3", "4", "5", "6"]
    assert table.frame()["total"].sum() == len(narrow)


def test_measure_computes_custom_statistic(data: pd.DataFrame, evaluation: Evaluation) -> None:
    assert evaluation.measure is not None
    found = evaluation.measure("top_gap", lambda own, whole: (own.system.y - own.system.x) / own.system.n)
    s = np.clip(data["system"], LOW, HIGH)
    assert found[""].value == pytest.approx(float((s - data["h1"]).mean()), rel=1e-9)
    error = float((s - data["h1"]).std(ddof=1) / np.sqrt(len(data)))
    assert found[""].standard_error == pytest.approx(error, rel=1e-6)


def frame_of_places(n: int = 400, seed: int = 5) -> pd.DataFrame:
    """Return two raters, an engine and two groups."""
    scores = simulated(n, seed, noise=0.4)
    sex = scores.rng.choice(["f", "m"], n)
    place = scores.rng.choice(["town", "village", "farm"], n, p=[0.5, 0.3, 0.2])
    return framed(scores, engine="system", sex=sex, place=place)


evaluated_places = partial(evaluation_of, system="system", human=["h1", "h2"], scale="1:6")


def test_group_names_like_table_keys_do_not_collide() -> None:
    data = frame_of_places()
    names = ["g", "g.csd", "g.means", "g: f", "csd.g"]
    renamed = data.assign(**{column: data["sex"] if place % 2 else data["place"] for place, column in enumerate(names)})
    found = evaluated_places(renamed, groups=names)
    families = ("by_group", "fairness.explained", "fairness.osa", "fairness.osd", "fairness.csd", "fairness.means")
    keys = [f"{family}.{column}" for family in families for column in names]
    assert set(keys) <= set(found.tables)
    assert len({found.tables[key].file_name for key in keys}) == len(keys)
    assert [len(group_checks(found, column)) for column in names] == [3, 2, 3, 2, 3]
    shown = GroupDifferences().findings(found)
    charts = [chart.key for chart in shown.charts]
    assert len(set(charts)) == len(charts)


def test_single_level_is_not_compared() -> None:
    found = evaluated_places(frame_of_places().assign(one="all the same"), groups=["one", "sex"])
    assert not group_checks(found, "one")
    assert len(group_checks(found, "sex")) == 2
    assert [row.mark for row in found.tables["by_group.one"].rows] == ["overall", ""]
    assert not any(isinstance(cell, Estimate) for cell in found.tables["by_group.one"].column("dsm"))
    assert "fairness.explained.one" not in found.tables
    assert "All responses belong to one group of one, so there is nothing" in text_of(GroupDifferences(), found)


def test_mean_of_fractional_response_is_hidden() -> None:
    found = evaluated_places(frame_of_places(60), groups=["place"], record="any", withhold_small_groups=False)
    cells = [cell for row in found.tables["fairness.means.place"].rows for cell in row.cells[1:]]
    assert None in cells
    assert all(cell.n for cell in cells if isinstance(cell, Estimate))
