"""Effects of the accuracy of one item on reported scores, for any test of the design."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reportgen
from report_sections.study_sections import StudyPublished, StudyScoreImpact
from reportgen.errors import InputError, ReportgenError, SettingsError
from reportgen.metrics import required_prmse
from reportgen.results import Evaluation
from reportgen.studies.score_impact import PAPER_REPORTING, forms
from reportgen.studies.score_impact.tables import numbers
from reportgen.testing import text_of
from reportgen.wording.vocabulary import Vocabulary

pytestmark = pytest.mark.slow

SOME = ("Automated score", "pi95", "pi70", "delta_x20")


@pytest.fixture(scope="module")
def small() -> list[forms.FormResult]:
    """Return three forms under some conditions with fewer test takers."""
    rng = np.random.default_rng([21, 7])
    test = forms.synthetic_test(rng, 1500, 568)
    first = test.scores[:, -1].astype(float)
    versions = forms.conditions(test.automated, first, forms.error_variance(first, test.second), rng)
    some = {name: versions[name] for name in SOME}
    return [forms.analyse_form(form, test, some, PAPER_REPORTING) for form in test.forms]


def test_conditions_change_components() -> None:
    rng = np.random.default_rng([21, 7])
    test = forms.synthetic_test(rng, 11_532, 568)
    first = test.scores[:, -1].astype(float)
    variance = forms.error_variance(first, test.second)
    versions = forms.conditions(test.automated, first, variance, rng)
    found = {name: forms.accuracy(scores, first, variance).components for name, scores in versions.items()}
    start = found["Automated score"]
    assert len(versions) == 19
    assert start.prmse == pytest.approx(0.986, abs=0.02)
    previous = start.prmse
    for pi in (95, 90, 85, 80, 75, 70):
        parts = found[f"pi{pi}"]
        assert parts.rho == pytest.approx(pi / 100 * start.rho, abs=0.012)
        assert abs(parts.gamma - start.gamma) < 0.03
        assert parts.prmse < previous
        previous = parts.prmse
    for multiple in ("1.10", "1.20", "2", "4", "10", "20", "30"):
        parts = found[f"delta_x{multiple}"]
        assert parts.rho == pytest.approx(start.rho, abs=1e-12)
        assert parts.gamma == pytest.approx(start.gamma, abs=1e-12)
        assert parts.prmse == pytest.approx(start.prmse - (parts.delta**2 - start.delta**2), abs=1e-12)
    assert found["invgamma"].gamma == pytest.approx(1, abs=1e-12)
    assert found["gamma_plus_0.5"].gamma == pytest.approx(start.gamma * (start.gamma + 0.5), abs=1e-9)
    for parts in found.values():
        identity = parts.rho**2 - parts.rho**2 * (1 - parts.gamma) ** 2 - parts.delta**2
        assert parts.prmse == pytest.approx(identity, abs=1e-12)
    qwk = {name: forms.accuracy(scores, first, variance).qwk for name, scores in versions.items()}
    assert max(qwk, key=lambda name: qwk[name]) == "Mean & SD match"


def test_published_components_are_consistent() -> None:
    columns = [numbers()[f"2:{name}"] for name in ("rho", "delta", "gamma", "prmse")]
    assert len(columns[0]) == 19
    for name in columns[0]:
        rho, delta, gamma, prmse = (column[name] for column in columns)
        assert rho**2 - rho**2 * (1 - gamma) ** 2 - delta**2 == pytest.approx(prmse, abs=9e-4), name


def test_impact_grows_with_shorter_test_and_lower_accuracy(small: list[forms.FormResult]) -> None:
    moved = [form.numbers("Automated score")["rmsd_human"] for form in small]
    assert moved == sorted(moved)
    for form in small:
        assert form.numbers("pi70")["rmsd_human"] > 1.3 * form.numbers("Automated score")["rmsd_human"]
        human = form.numbers("Human score")
        assert [human[key] for key in ("mean_human", "rmsd_human", "exact")] == [0, 0, 100]
        for name in SOME:
            levels = form.numbers(name)
            assert levels["exact"] + levels["lower"] + levels["higher"] == pytest.approx(100)
            calibration = form.reported[name].calibration
            assert calibration is not None
            assert calibration.converged
    alphas = [small[0].reported[name].alpha for name in SOME]
    assert max(alphas) - min(alphas) <= 0.006
    # linking absorbs bias, so scale scores of a biased engine move little
    assert small[0].numbers("delta_x20")["rmsd_human"] < 1.6 * moved[0]


def test_scale_scores_follow_characteristic_curve(small: list[forms.FormResult]) -> None:
    human = small[0].reported["Human score"]
    assert human.calibration is not None
    assert (human.slope, human.intercept) == (forms.ABILITY_SD, forms.ABILITY_MEAN)
    assert human.scores.min() >= PAPER_REPORTING.low
    assert human.scores.max() <= PAPER_REPORTING.high
    engine = small[0].reported["Automated score"]
    assert engine.slope == pytest.approx(forms.ABILITY_SD, abs=0.02)
    assert engine.intercept == pytest.approx(forms.ABILITY_MEAN, abs=0.02)


def test_summed_scores_change_by_item() -> None:
    evaluation = reportgen.study(
        "score-impact", responses=1500, double_scored=400, scoring="summed", slope=2.0, intercept=10.0, low=0, high=200,
        cuts=(40.0, 60.0),
    ).evaluation  # fmt: skip
    rng = np.random.default_rng([21, 7])
    test = forms.synthetic_test(rng, 1500, 400)
    gap = np.clip(np.floor(test.automated + 0.5), 0, 2) - test.scores[:, -1]
    row = evaluation.tables["study.form.1"].frame().set_index("condition").loc["condition.Automated score"]
    assert row["mean"] == pytest.approx(2 * gap.mean())
    assert row["rmsd"] == pytest.approx(2 * np.sqrt((gap**2).mean()))
    assert not any(key.startswith(("study.published", "study.statements")) for key in evaluation.tables)


def item_file(folder: Path, *, drop: str = "") -> Path:
    rng = np.random.default_rng(8)
    test = forms.synthetic_test(rng, 800, 300)
    columns: dict[str, Any] = {f"i{k}": test.scores[:, k] for k in (0, 3, 5, 8, 12, 26, 29)}
    columns |= {"h1": test.scores[:, -1], "h2": test.second, "engine": test.automated}
    if drop == "category":
        columns["i26"] = np.where(columns["i26"] == 2, 3, columns["i26"])
    if drop == "constant":
        columns["i0"] = np.ones(800, int)
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join("" if x != x else f"{x:g}" for x in row) for row in rows)]
    file = folder / "items.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


OWN: dict[str, Any] = {
    "items": ("i0", "i3", "i5", "i8", "i12", "i26", "i29"), "human": "h1", "human2": "h2", "system": "engine",
    "slope": 10.0, "intercept": 50.0, "cuts": (45.0, 55.0),
}  # fmt: skip


def test_custom_test(tmp_path: Path) -> None:
    report = reportgen.study("score-impact", file=item_file(tmp_path), **OWN)
    moved = report.evaluation.tables["study.form.1"].frame().set_index("condition")["rmsd"]
    assert 0 < moved["condition.Automated score"] < moved["condition.pi70"]
    assert report.evaluation.source.name == "items.csv"
    assert "Your file has 800 test takers with all scores" in text_of(report.sections[0], report.evaluation)
    assert all(not section.error for section in report.sections)


@pytest.mark.parametrize("scoring", ["irt", "summed"])
def test_first_score_of_items_changes_names_only(tmp_path: Path, scoring: str) -> None:
    """Items scored from 1 or -2 have the same results as items scored from 0, with shifted sums."""
    own = {key: value for key, value in OWN.items() if key != "cuts"} | {"scoring": scoring}
    plain = reportgen.study("score-impact", file=item_file(tmp_path), **own).evaluation
    header, *lines = (tmp_path / "items.csv").read_text().splitlines()
    starts = [1, 1, 1, 1, 1, 1, -2, 1, 1, 1]
    moved = [
        ",".join(text and f"{float(text) + start:.12g}" for text, start in zip(line.split(","), starts, strict=True))
        for line in lines
    ]
    (tmp_path / "moved.csv").write_text("\n".join([header, *moved]) + "\n")
    report = reportgen.study("score-impact", file=tmp_path / "moved.csv", **own)
    assert "Item scores do not all start at 0: i0 at 1" in text_of(report.sections[0], report.evaluation)
    one, two = (found.tables["study.form.1"].frame() for found in (plain, report.evaluation))
    np.testing.assert_allclose(one["rmsd"], two["rmsd"], rtol=1e-6)
    means = [found.tables["study.items"].frame()["mean"] for found in (plain, report.evaluation)]
    np.testing.assert_allclose(means[1] - means[0], 1.0)
    assert "score_3" in report.evaluation.tables["study.items"].frame()
    assert report.evaluation.scale.low == 1


def test_invalid_design_raises(tmp_path: Path) -> None:
    wrong: list[tuple[type[ReportgenError], str, str, dict[str, Any]]] = [
        (
            InputError,
            "no scale scores could be made with the human score: item 6: score 2 does not occur",
            "category",
            OWN,
        ),
        (SettingsError, "require different columns, found 'i0' twice", "", OWN | {"items": ("i0", "i3", "i0")}),
        (InputError, "column 'i0': expected scores of 1 or more, found 0", "", OWN | {"lowest": (1,)}),
        (SettingsError, "lowest: expected one score, or one for each of 8 items", "", OWN | {"lowest": (0, 1)}),
        (InputError, "column 'i0': all scores are 1", "constant", OWN),
        (SettingsError, "item score column 'i99' does not exist", "", OWN | {"items": ("i99",)}),
        (SettingsError, "file requires items=, human=, and system=", "", {"human": "h1"}),
        (SettingsError, "rater_error_variance", "", OWN | {"human2": None}),
        (SettingsError, "cuts: expected scale scores in ascending order", "", OWN | {"cuts": (3.0, 2.0)}),
        (ReportgenError, r"absent\.csv: file not found", "", OWN | {"file": tmp_path / "absent.csv"}),
    ]
    for error, message, drop, options in wrong:
        with pytest.raises(error, match=message):
            reportgen.study("score-impact", **({"file": item_file(tmp_path, drop=drop)} | options))


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("score-impact", data_sets=1).evaluation


def test_published_numbers_are_compared_and_sorted(paper: Evaluation) -> None:
    tables = [table for key, table in paper.tables.items() if key.startswith("study.published.")]
    assert sum(len(table.rows) for table in tables) == sum(map(len, numbers().values())) == 856
    for table in tables:
        frame = Vocabulary().table(table).frame()
        gaps = (frame["here"] - frame["published"]).abs().to_numpy()
        assert (np.diff(gaps) <= 1e-12).all(), table.key
        known = frame[frame["ratio"].notna()]
        np.testing.assert_allclose(known["ratio"], known["here"] / known["published"])


@pytest.mark.parametrize(
    ("measure", "what", "printed"),
    [
        ("exact", "noise: r = .90, 13 SR, 3 CR: same level (%)", 97.59),
        ("exact", "bias × 2, 13 SR, 3 CR: same level (%)", 98.82),
        ("mean", "noise: r = .70, 26 SR, 6 CR: mean minus mean of the human score", -1.41),
        ("mean", "spread × (γ + 0.5), 26 SR, 6 CR: mean minus mean of the human score", 0.52),
        ("rmsd", "noise: r = .85, 26 SR, 3 CR: RMSD from human score", 9.16),
    ],
)
def test_contradicting_rows_are_listed(paper: Evaluation, measure: str, what: str, printed: float) -> None:
    frame = Vocabulary().table(paper.tables[f"study.published.{measure}"]).frame().set_index("what")
    assert frame.loc[what, "published"] == printed


def test_statements_have_outcomes_and_numbers(paper: Evaluation) -> None:
    frame = paper.tables["study.statements"].frame()
    outcome = dict(zip(frame["statement"], frame["outcome"], strict=True))
    assert len(outcome) == len(frame) == 33
    for key in ("bias_mean", "noise_mean", "noise_moves_2", "share_of_sd", "levels_above", "csem", "engine_moves"):
        assert outcome[f"statement.{key}"] == "statement_differs", key
    for key in ("identity", "noise_most", "shorter_more", "linear", "levels_long", "alpha_full"):
        assert outcome[f"statement.{key}"] == "statement_repeats", key
    assert outcome["statement.construct"] == "statement_untestable"
    order = ["statement_differs", "statement_repeats", "statement_untestable"]
    assert list(frame["outcome"]) == sorted(frame["outcome"], key=order.index)
    assert frame[frame["outcome"] != "statement_untestable"]["here"].notna().all()
    assert text_of(StudyPublished(), paper).annex.count("Of 33 statements in the paper, 18 are reproduced") == 1


def test_page_reports_effect_of_bias(paper: Evaluation) -> None:
    """Without calibration, the largest bias moves the mean most, so the page must not say that it is absorbed."""
    text = text_of(StudyScoreImpact(), paper)
    assert "absorb" not in text
    assert "The largest bias raises the mean by 0.09 points on the form 13 SR, 3 CR" in text
    summed = reportgen.study("score-impact", responses=1500, double_scored=400, scoring="summed").evaluation
    row = summed.tables["study.form.3"].frame().set_index("condition").loc["condition.delta_x30"]
    told = text_of(StudyScoreImpact(), summed)
    assert row["mean"] > 1
    assert "absorb" not in told
    assert f"The largest bias raises the mean by {row['mean']:.2f} points" in told


def test_required_prmse_grows_with_share(paper: Evaluation) -> None:
    """Equal movement: share x root of (1 - PRMSE) equals the value of .70 on the full test of the paper."""
    for share, items in ((2 / 23, 1), (2 / 36, 3), (0.2, 2)):
        needed = required_prmse(share, items)
        assert np.sqrt(items * (1 - needed)) * share == pytest.approx(np.sqrt(0.3) * 2 / 43)
    assert required_prmse(0.01) == 0.70
    assert required_prmse(0.1, 3, together=True) > required_prmse(0.1, 3)
    for share, items in ((0, 1), (1.2, 1), (0.4, 3), (float("nan"), 1)):
        with pytest.raises(ValueError, match="expected"):
            required_prmse(share, items)
    frame = paper.tables["study.required"].frame()
    np.testing.assert_allclose(frame["item_share"], (4.65, 5.56, 8.70), atol=0.01)
    np.testing.assert_allclose(frame["required"], [required_prmse(2 / most) for most in (43, 36, 23)])
