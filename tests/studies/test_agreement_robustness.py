"""The stresses of Yannakoudakis and Cummins (2015): exact values, simulated means, and scores of a user."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr

import reportgen
from report_sections.study_sections import StudyAgreementRobustness, StudyPublished
from reportgen.errors import InputError, ReportgenError, SettingsError
from reportgen.metrics import brennan_prediger, cohen_kappa, gwet_ac, krippendorff_alpha, scott_pi
from reportgen.results import Evaluation
from reportgen.studies.agreement_robustness import PAPER, sweeps
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("agreement-robustness", replicates=5, data_sets=3).evaluation


@pytest.mark.parametrize("weights", ["identity", *sweeps.WEIGHTS])
def test_coefficients_match_public_functions(weights: Any) -> None:
    rng = np.random.default_rng(1)
    gold, system = rng.integers(0, 4, 90), rng.integers(0, 5, 90)
    found = sweeps.coefficients(sweeps.table_of(gold, system, 6), weights)
    both, options = np.column_stack([system, gold]).astype(float), {"categories": list(range(6)), "weights": weights}
    public = {"scott": scott_pi, "bp": brennan_prediger, "ac": gwet_ac, "alpha": krippendorff_alpha}
    expected = {name: of(both, **options).value for name, of in public.items()}
    expected["kappa"] = cohen_kappa(system, gold, **options).value
    assert {name: float(found[name]) for name in expected} == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_published_numbers_are_reproduced(paper: Evaluation) -> None:
    table = paper.tables["study.published"]
    assert list(table.column("agrees")) == ["yes"] * 20 + ["stand_in"]
    tables = table.frame().query("what.isin(['family.kappa', 'family.bp', 'family.ac'])")
    exact = [0.6, 0.6, 0.6, 0.4897959183673469, 0.6, 0.6749024707412224, 0.11764705882352937, 0.0]
    np.testing.assert_allclose(tables["here"], exact, atol=1e-12)


def test_constant_statistics_stay_constant(paper: Evaluation) -> None:
    constant = {
        "prevalence": {"bp_quadratic": 0.75, "bp_linear": 0.6875, "pa": 0.75, "mae": 0.5},
        "marginals": {"bp_linear": 0.696969696969697, "mae": 1.0},
        "magnitude": {"bp_linear": 0.8484848484848485, "mae": 0.5},
    }
    for stress, values in constant.items():
        frame = paper.tables[f"study.synthetic.{stress}"].frame()
        for name, value in values.items():
            np.testing.assert_allclose(frame[name], value, atol=1e-12, err_msg=f"{stress} {name}")


@pytest.mark.parametrize(
    ("stress", "x", "expected"),
    [
        ("prevalence", 0.5, {"kappa_linear": 0.4315, "kappa_quadratic": 0.3157, "ac_quadratic": 0.855}),
        ("prevalence", 2, {"kappa_linear": 0.6646, "kappa_quadratic": 0.7129, "ac_linear": 0.6904}),
        ("marginals", 0, {"kappa_quadratic": 0.2714, "bp_quadratic": 0.7365, "ac_quadratic": 0.8238, "pa": 0.7482}),
        ("marginals", 4, {"kappa_quadratic": 0.1524, "bp_quadratic": 0.8778, "ac_quadratic": 0.9285, "pa": 0.3789}),
        ("magnitude", 1.5, {"kappa_quadratic": 0.7221, "bp_quadratic": 0.9495, "ac_quadratic": 0.9683, "pa": 0.6666}),
        ("magnitude", 5, {"kappa_quadratic": 0.3426, "bp_quadratic": 0.8485, "kappa_linear": 0.6504, "pa": 0.9}),
    ],
)
def test_means_match_independent_simulation(
    paper: Evaluation, stress: str, x: float, expected: dict[str, float]
) -> None:
    row = paper.tables[f"study.synthetic.{stress}"].frame().set_index("x").loc[x]
    for name, value in expected.items():
        assert row[name] == pytest.approx(value, abs=0.02), name


def test_stresses_change_scores_as_specified() -> None:
    rng = np.random.default_rng(2)
    gold = sweeps.gaussian_scores(rng, 3001, 7, 3, 1.2)
    assert (np.abs(sweeps.moved(rng, gold, 7, 0.25, 3) - gold) == 3).sum() == int(0.25 * 3001)
    for system in (sweeps.gathered(rng, gold, 7, 1, 0.6), sweeps.enlarged(rng, gold, 7, 2.5, 0.6)):
        assert np.abs(system - gold).sum() == round(0.6 * 3001)
        assert system.min() >= 0
        assert system.max() <= 6


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.15])
def test_tilted_changes_spread_only(factor: float) -> None:
    rng = np.random.default_rng(3)
    gold = sweeps.gaussian_scores(rng, 2000, 6, 2.2, 1.1)
    table = sweeps.table_of(gold, sweeps.moved(rng, gold, 6, 0.3, 1), 6)
    after = sweeps.tilted(table, factor)
    place = np.arange(6)
    before_share, share = table.sum(axis=0) / table.sum(), after.sum(axis=0) / after.sum()
    mean, sd = share @ place, np.sqrt(share @ (place - share @ place) ** 2)
    old = before_share @ place
    assert mean == pytest.approx(old, abs=1e-6)
    assert sd == pytest.approx(factor * np.sqrt(before_share @ (place - old) ** 2), rel=1e-5)
    np.testing.assert_allclose(after / after.sum(axis=0), table / table.sum(axis=0), atol=1e-12)


def test_rebinned_tables() -> None:
    table = np.arange(36.0).reshape(6, 6)
    assert sweeps.rebinned(table, 3)[0, 1] == table[:2, 2:4].sum()
    assert sweeps.in_bins(table, np.arange(len(table)) >= 4, 2)[1, 0] == table[4:, :4].sum()
    assert sweeps.rebinned(table, 6).tolist() == table.tolist()
    assert float(sweeps.panel(sweeps.in_bins(table, np.arange(len(table)) >= 4, 2))["pa"]) == pytest.approx(
        (table[:4, :4].sum() + table[4:, 4:].sum()) / table.sum()
    )


@pytest.mark.slow
def test_custom_scores_are_stressed(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    human = sweeps.gaussian_scores(rng, 400, 6, 2.5, 1.1) + 1
    system = np.clip(human + rng.normal(0, 0.6, 400), 1, 6)
    file = tmp_path / "scores.csv"
    file.write_text("h,s\n" + "\n".join(f"{h},{s:.3f}" for h, s in zip(human, system, strict=True)))
    report = reportgen.study("agreement-robustness", file=file, human="h", system="s", score_scale="1:6", replicates=3)
    evaluation = report.evaluation
    assert evaluation.source.name == "scores.csv"
    full = evaluation.tables["study.own.rebinning"].frame().set_index("x").loc[6]
    kappa = cohen_kappa(np.clip(np.rint(system), 1, 6), human, categories=[1, 2, 3, 4, 5, 6], weights="quadratic").value
    assert full["kappa_quadratic"] == pytest.approx(kappa, abs=1e-12)
    assert evaluation.tables["study.own.marginals"].column("x") == (1, 2, 3, 4, 5, 6)
    unstressed = evaluation.tables["study.own.spread"].frame().set_index("x").loc[1.0]
    assert unstressed["kappa_quadratic"] == pytest.approx(kappa, abs=1e-6)
    assert text_of(report.sections[0], evaluation).finding.startswith("When only the spread of human scores changes, ")
    assert "Your file has 400 responses on 6 points." in text_of(report.sections[0], evaluation)
    assert not report.sections[0].error


def test_thresholds_have_axes_of_figures(paper: Evaluation) -> None:
    rows = paper.tables["study.real_like.threshold"].frame()
    assert rows["probability"].is_monotonic_decreasing
    assert (rows["prevalence"] <= rows["probability"] + 1e-12).all()
    assert rows["similarity"].between(0, 1).all()
    # passing shares and agreement are related: p11 = (p + q - (1 - pa)) / 2
    np.testing.assert_allclose(rows["prevalence"], rows["probability"] - (1 - rows["pa"]) / 2, atol=1e-12)


def test_invalid_scores_raise(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_text("h,s\n" + "\n".join(f"{i % 2},{i % 2}" for i in range(40)))
    with pytest.raises(InputError, match="expected a scale of 3 to 101 points, found 2"):
        reportgen.study("agreement-robustness", file=file, human="h", system="s", score_scale="0:1")
    with pytest.raises(ReportgenError, match=r"absent\.csv"):
        reportgen.study("agreement-robustness", file=tmp_path / "absent.csv", human="h", system="s")
    with pytest.raises(SettingsError, match="spreads"):
        reportgen.study("agreement-robustness", spreads=(0.0,))


def test_constant_scores_raise() -> None:
    table = np.zeros((3, 3))
    table[0, 0] = 30
    with pytest.raises(InputError, match="no passing score divides"):
        sweeps.sweeps_of_scores("own", table[None], [1, 2, 3])


DIFFER = (
    "range_linear_rises", "lower_limit", "trivial", "near_everywhere", "kappa_lower_everywhere", "linear_rise",
    "all_by_scale",
)  # fmt: skip
OPEN = ("ties_vary", "most_robust_of_all")
"""True in some data sets only."""

UNTESTABLE = (
    "hard_to_compare", "agreement_is_the_task", "normal_scores", "objective", "shares_not_fixed", "no_guessing",
    "small_disagreements", "large_worse", "only_simulated", "elsewhere",
)  # fmt: skip


@pytest.fixture(scope="module")
def outcomes(paper: Evaluation) -> dict[str, str]:
    frame = paper.tables["study.statements"].frame()
    return dict(zip(frame["statement"].str.removeprefix("statement."), frame["outcome"], strict=True))


@pytest.mark.slow
def test_statements_have_outcomes_and_order(paper: Evaluation, outcomes: dict[str, str]) -> None:
    assert {key for key, outcome in outcomes.items() if outcome == "statement_untestable"} == set(UNTESTABLE)
    steady = {key: outcome for key, outcome in outcomes.items() if key not in (*UNTESTABLE, *OPEN)}
    expected = dict.fromkeys(steady, "statement_repeats") | dict.fromkeys(DIFFER, "statement_differs")
    assert steady == expected
    assert set(list(outcomes)[: len(DIFFER)]) <= {*DIFFER, *OPEN}
    frame = paper.tables["study.statements"].frame()
    assert frame[frame["outcome"] != "statement_untestable"]["here"].notna().all()
    assert "Of 72 statements in the paper, 5" in text_of(StudyPublished(), paper)
    assert set(frame[frame["outcome"] != "statement_untestable"]["times"].str.extract(r"sets=(\d+)", expand=False)) == {
        "3"
    }


@pytest.mark.parametrize(
    ("place", "keys"),
    [
        ("section 4.4", {"all_by_scale", "quadratic_more", "kappa_most", "ac_steadier"}),
        ("figure 2, right", {"others_rise", "kappa_falls", "kappa_lower", "kappa_lower_everywhere", "kappa_far"}),
        ("section 3.1", {"unequal_shares", "ties_exist", "ties_lower", "ties_tau_less", "ties_vary"}),
    ],
)
def test_statements_of_section_are_complete(paper: Evaluation, place: str, keys: set[str]) -> None:
    rows = zip(Vocabulary().table(paper.tables["study.statements"]).rows, paper.tables["study.statements"].rows,
               strict=True)  # fmt: skip
    found = {str(row.cells[0]).removeprefix("statement.") for shown, row in rows if shown.cells[1] == place}
    assert found == keys


def test_statements_fit_into_cell(paper: Evaluation) -> None:
    for row in Vocabulary().table(paper.tables["study.statements"]).rows:
        assert len(str(row.cells[0])) < 100, row.cells[0]


def test_passing_shares_match_figure_2(paper: Evaluation) -> None:
    rows = paper.tables["study.real_apart.threshold"].frame()
    assert rows["similarity"].min() == pytest.approx(0.70, abs=0.02)
    assert rows["similarity"].max() > 0.97
    ordered = rows.sort_values("similarity")
    assert spearmanr(ordered["similarity"], ordered["ac_linear"]).statistic > 0.9
    assert spearmanr(ordered["similarity"], ordered["kappa_linear"]).statistic < -0.9
    charts = [chart.key for chart in StudyAgreementRobustness().findings(paper).charts]
    assert "study.real_apart.threshold.similarity" in charts
    assert "study.real_like.threshold.similarity" not in charts


def test_correlations_of_tables_match_scipy() -> None:
    rng = np.random.default_rng(5)
    gold = rng.integers(0, 6, 300)
    system = np.clip(gold + rng.integers(-2, 3, 300), 0, 5)
    found = sweeps.correlations(sweeps.table_of(gold, system, 6))
    assert float(found["r"]) == pytest.approx(pearsonr(gold, system).statistic)
    assert float(found["rho"]) == pytest.approx(spearmanr(gold, system).statistic)
    assert float(found["tau_b"]) == pytest.approx(kendalltau(gold, system).statistic)


def test_chance_agreement_matches_paper() -> None:
    counts = PAPER.constants["counts"]
    left, right = (
        sweeps.chance_agreement(np.array(counts[place], float), "identity") for place in ("1, left", "1, right")
    )
    assert (float(left["kappa"]), float(left["ac"])) == pytest.approx((0.5, 0.5))
    assert (float(right["kappa"]), float(right["ac"])) == pytest.approx((0.608, 0.3848))
