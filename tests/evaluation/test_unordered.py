"""Statistics of unordered labels, with and without an engine, without statistics that require an order."""

import itertools
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import ends, jackknife_error
from oracles import value as value_of
from simulated import evaluation_of
from test_ratings_alone import long, numbers

import reportgen
from report_sections.raters_report import RatersSummary
from reportgen import metrics
from reportgen.errors import ReportgenError, SettingsError
from reportgen.evaluation import evaluate
from reportgen.results import Estimate, Evaluation, Scale
from reportgen.scores import read
from reportgen.settings import Settings
from reportgen.testing import text_of

LABELS = ("cause", "part", "kind", "other")
FORBIDDEN = ("qwk", "r", "r_squared", "rmse", "mae", "smd", "dsm", "h_mean", "h_sd", "prmse", "adjacent_agreement",
             "kappa_linear", "ac2_quadratic", "alpha_interval", "spearman", "tau_b", "icc_1")  # fmt: skip


def codes(seed: int = 3, n: int = 300) -> dict[str, Any]:
    """Return label codes of an engine and two raters, the second with gaps, candidates, and places."""
    rng = np.random.default_rng(seed)
    true = np.repeat(rng.choice(4, n // 3, p=[0.4, 0.3, 0.2, 0.1]), 3)

    def given_by(share: float) -> NDArray[np.float64]:
        return np.where(rng.random(n) < share, rng.integers(0, 4, n), true).astype(float)

    second = np.where(rng.random(n) < 0.3, np.nan, given_by(0.2))
    return {"engine": given_by(0.25), "first": given_by(0.15), "second": second,
            "candidate": np.repeat(np.arange(n // 3), 3), "place": rng.choice(list("abc"), n)}  # fmt: skip


def evaluated(data: dict[str, Any], path: Path, order: tuple[int, ...] = (0, 1, 2, 3), **given: Any) -> Evaluation:
    """Return the evaluation of labels. `order` is the code of each label."""
    code = np.array([*order, np.nan])
    columns = {name: code[np.nan_to_num(data[name], nan=4).astype(int)] for name in ("engine", "first", "second")}
    others = {name: data[name] for name in ("candidate", "place") if name in data}
    rows = zip(*(columns | others).values(), strict=True)
    lines = [",".join("" if str(cell) == "nan" else str(cell) for cell in row) for row in rows]
    path.write_text("\n".join([",".join([*columns, *others]), *lines]) + "\n")
    roles = {"system": "engine", "human": ["first", "second"], "groups": ["place"], "scale": "0:3"}
    policy = given.pop("policy", "default")
    asked = Settings.model_validate({"data": roles | given, "verdict": {"policy": policy}})
    scores = read(path, asked)
    names = tuple(LABELS[order.index(at)] for at in range(4))
    return evaluate(replace(scores, scale=Scale(0, 3, 1, False, names, False)), asked, {})


def test_label_estimates_match_public_functions(tmp_path: Path) -> None:
    data = codes()
    del data["candidate"]
    found = evaluated(data, tmp_path / "scores.csv")
    human, system = data["first"], data["engine"]
    categories, both = range(4), np.column_stack([human, system])
    expected = {
        "system.exact_agreement": metrics.percent_agreement(human, system),
        "system.kappa": metrics.cohen_kappa(human, system, categories=categories).value,
        "human.kappa": metrics.cohen_kappa(human, data["second"], categories=categories).value,
        "panel.ac1": metrics.gwet_ac(both, categories=categories).value,
        "panel.alpha_nominal": metrics.krippendorff_alpha(both, categories=categories).value,
        "panel.scott": metrics.scott_pi(both, categories=categories).value,
    }
    for key, value in expected.items():
        assert found.estimates[key].value == pytest.approx(value), key
    table = found.tables["labels.system"]
    for label, each in zip(LABELS, metrics.label_agreement(human, system), strict=True):
        row = table.row(label)
        for key in ("recall", "precision", "f1"):
            cell, ours = row[key], getattr(each, key)
            assert isinstance(cell, Estimate)
            unit = 1 if key == "f1" else 100
            expected_cell = [unit * number for number in (ours.value, ours.low, ours.high)]
            assert [cell.value, cell.low, cell.high] == pytest.approx(expected_cell), (label, key)


def test_labels_have_no_ordered_statistics(tmp_path: Path) -> None:
    found = evaluated(codes(), tmp_path / "scores.csv")
    assert not [key for key in found.estimates if key.rpartition(".")[2] in FORBIDDEN]
    kept = {series.statistic.partition(".")[2] for group in found.statistics for series in group.series}
    assert kept == {"exact_agreement", "kappa"}
    columns = {column.key for table in found.tables.values() for column in table.columns}
    assert not columns & set(FORBIDDEN)


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(1, 999), order=st.permutations(range(4)))
def test_label_estimates_do_not_depend_on_codes(
    seed: int, order: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path, data = tmp_path_factory.mktemp("labels") / "scores.csv", codes(seed, 90)
    one = evaluated(data, path, candidate="candidate")
    other = evaluated(data, path, tuple(order), candidate="candidate")
    for key, estimate in one.estimates.items():
        theirs = other.estimates[key]
        same = (estimate.value, estimate.low, estimate.high, estimate.n)
        assert (theirs.value, theirs.low, theirs.high, theirs.n) == pytest.approx(same, abs=1e-9), key
    for label in LABELS:
        rows = [each.tables["labels.system"].row(label) for each in (one, other)]
        assert rows[0]["human_n"] == rows[1]["human_n"]
        assert rows[0]["f1"].value == pytest.approx(rows[1]["f1"].value)  # type: ignore[union-attr]


@pytest.mark.parametrize("candidate", [None, "candidate"])
def test_group_of_labels_is_compared_with_others(tmp_path: Path, candidate: str | None) -> None:
    """The delete-one jackknife over responses or candidates differs by a share of 1 / n."""
    data = codes(n=240)
    given_candidate: dict[str, Any] = {} if candidate is None else {"candidate": candidate}
    if candidate is None:
        unit = np.arange(240)
        del data["candidate"]
    else:
        unit = data["candidate"]
        data["place"] = np.repeat(data["place"][::3], 3)  # every candidate in one place
    table = evaluated(data, tmp_path / "scores.csv", **given_candidate).tables["labels.by.place"]

    def difference(here: NDArray[np.bool_], kept: NDArray[np.bool_]) -> float:
        inside, outside = (
            metrics.cohen_kappa(data["first"][part], data["engine"][part], categories=range(4)).value
            for part in (here & kept, ~here & kept)
        )
        return inside - outside

    for level in "abc":
        here = data["place"] == level
        cell = table.row(level)["kappa_difference"]
        assert value_of(cell) == pytest.approx(difference(here, np.ones(240, bool)))
        error = jackknife_error(partial(difference, here), unit)
        assert np.ptp(ends(cell)) / 2 == pytest.approx(2.0 * error, rel=0.08)


def test_default_policy_of_labels_uses_kappa(tmp_path: Path) -> None:
    found = evaluated(codes(), tmp_path / "scores.csv")
    assert found.ruling is not None
    assert found.ruling.policy == "unordered"
    assert [check.statistic for check in found.checks] == ["degradation.kappa"]


def test_ordered_criteria_of_labels_are_insufficient(tmp_path: Path) -> None:
    found = evaluated(codes(), tmp_path / "scores.csv", policy="williamson-2012")
    assert {check.outcome for check in found.checks} == {"insufficient"}
    assert {check.estimate.reason for check in found.checks} == {"not for unordered labels"}
    assert found.ruling is not None
    assert found.ruling.decision == "cannot be judged"


def test_unknown_statistic_in_policy_raises(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('name = "own"\n[[criteria]]\nstatistic = "panel.kapa"\nlow = 0.5\n')
    with pytest.raises(SettingsError, match="is not a statistic"):
        evaluated(codes(), tmp_path / "scores.csv", policy=str(policy))


def test_scores_between_labels_raise(tmp_path: Path) -> None:
    data = codes()
    path = tmp_path / "scores.csv"
    evaluated(data, path)
    first, *lines = path.read_text().splitlines()
    path.write_text("\n".join([first, *("1.5" + line[line.index(",") :] for line in lines)]) + "\n")
    asked = Settings.model_validate(
        {"data": {"system": "engine", "human": ["first", "second"], "groups": [], "scale": "0:3"}}
    )
    with pytest.raises(SettingsError, match="not labels"):
        evaluate(replace(read(path, asked), scale=Scale(0, 3, 1, False, LABELS, False)), asked, {})


def test_tables_show_labels(tmp_path: Path) -> None:
    found = evaluated(codes(), tmp_path / "scores.csv")
    for key in ("confusion.system", "confusion.human", "distribution", "labels.system"):
        assert tuple(row.cells[0] for row in found.tables[key].rows) == LABELS
    confusion = found.tables["confusion.system"]
    assert tuple(column.label for column in confusion.columns[1:-1]) == LABELS
    assert all(a != b for a, b in itertools.combinations([column.key for column in confusion.columns], 2))


@pytest.mark.slow
def test_comparison_of_labels_uses_kappa(tmp_path: Path) -> None:
    data = codes()
    worse = np.where(np.arange(300) % 2, data["engine"], (data["engine"] + 1) % 4)
    words = np.array([*LABELS, ""], object)
    for name, engine in (("good", data["engine"]), ("bad", worse)):
        every = data | {"engine": engine}
        columns = {key: words[np.nan_to_num(every[key], nan=4).astype(int)] for key in ("engine", "first", "second")}
        reportgen.evaluate(
            columns | {"place": data["place"], "id": np.arange(300).astype(str)}, tmp_path / name, system="engine",
            human=["first", "second"], groups=["place"], labels=LABELS, unordered=True, formats=["html"],
        )  # fmt: skip
    compared = reportgen.compare(tmp_path / "good", tmp_path / "bad", names=["good", "bad"]).evaluation
    change = compared.estimates["change2.system.kappa"]
    assert change.high is not None
    assert change.high < 0
    assert not [key for key in compared.estimates if key.rpartition(".")[2] in FORBIDDEN]


EXIST = {"human.exact_agreement", "human.kappa", "raters.exact_agreement", "raters.kappa", "raters.scott", "raters.bp",
         "raters.ac1", "raters.alpha_nominal"}  # fmt: skip
NEED_AN_ORDER = ("qwk", "severity", "mean", "sd", "adjacent", "error_variance", "icc", "quadratic", "linear")


def codes_of_raters(n: int = 90, raters: int = 3, gaps: float = 0.2, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    true = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    found = np.where(rng.random((n, raters)) < 0.3, rng.integers(0, 4, (n, raters)), true[:, None]).astype(float)
    found[rng.random(found.shape) < gaps] = np.nan
    found[np.isnan(found).all(axis=1), 0] = 1
    return found


def wide(found: np.ndarray, **more: Any) -> pa.Table:
    columns = {
        f"rater_{j + 1}": [None if np.isnan(x) else LABELS[int(x)] for x in found[:, j]] for j in range(found.shape[1])
    }
    return pa.table({"essay_id": [f"e{i}" for i in range(len(found))], **columns, **more})


evaluated_raters = partial(evaluation_of, unordered=True, groups=[], ratings_only=True)


def test_label_statistics_match_public_functions() -> None:
    found = codes_of_raters(gaps=0)
    estimates = evaluated_raters(wide(found)).estimates
    assert set(estimates) == EXIST
    pairs = list(itertools.combinations(range(3), 2))
    exact = np.mean([(found[:, a] == found[:, b]).mean() for a, b in pairs])
    chance = sum(((found == label).mean()) ** 2 for label in range(4))
    expected = {
        "human.exact_agreement": 100 * exact,
        "human.kappa": (exact - chance) / (1 - chance),
        "raters.scott": (exact - chance) / (1 - chance),  # Fleiss's kappa
        "raters.ac1": metrics.gwet_ac(found, categories=range(4)).value,
        "raters.alpha_nominal": metrics.krippendorff_alpha(found, categories=range(4)).value,
    }
    for key, number in expected.items():
        assert value_of(estimates[key]) == pytest.approx(number, abs=1e-12), key


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.permutations(LABELS), st.permutations(range(3)), st.integers(0, 99))
def test_label_statistics_ignore_order_and_layout(order: list[str], columns: list[int], seed: int) -> None:
    found = codes_of_raters(seed=seed)
    table = wide(found)
    plain = numbers(evaluated_raters(table, labels=list(LABELS)))
    turned = table.select(["essay_id", *(f"rater_{j + 1}" for j in columns)])
    for other in (
        evaluated_raters(turned, labels=order),
        evaluated_raters(long(found, seed, LABELS), labels=order),
        evaluated_raters(table),
    ):
        again = numbers(other)
        assert again.keys() == plain.keys()
        for key, values in plain.items():
            assert again[key] == pytest.approx(values, abs=1e-12), key


def test_label_report_has_no_ordered_statistics() -> None:
    found = codes_of_raters(gaps=0)
    groups = ["a", "b"] * 45
    evaluation = evaluated_raters(wide(found, place=groups), groups=["place"])
    assert set(evaluation.estimates) == EXIST
    keys = [key for table in evaluation.tables.values() for key in (table.key, *(each.key for each in table.columns))]
    assert not [key for key in keys for word in NEED_AN_ORDER if word in key.split(".") or f"_{word}" in key]
    assert "reliability.icc" not in evaluation.tables
    level = evaluation.tables["raters.by.place"].row("a")
    own = found[::2]
    own = own[(~np.isnan(own)).sum(axis=1) > 1]
    same = [np.mean([x == y for x, y in itertools.combinations(row[~np.isnan(row)], 2)]) for row in own]
    assert value_of(level["exact_agreement"]) == pytest.approx(100 * np.mean(same))


def test_label_tables_have_shares_and_kappa() -> None:
    found = codes_of_raters(gaps=0)
    evaluation = evaluated_raters(wide(found), labels=list(LABELS))
    columns = evaluation.tables["raters.distribution"].columns
    assert [each.label for each in columns[2:]] == list(LABELS)
    pair = evaluation.tables["raters.pairs"].row("rater_1, rater_2")
    assert value_of(pair["kappa"]) == pytest.approx(
        metrics.cohen_kappa(found[:, 0], found[:, 1], categories=range(4)).value
    )


def test_policy_on_weighted_kappa_of_labels_is_insufficient(tmp_path: Any) -> None:
    policy = tmp_path / "own.toml"
    policy.write_text(
        'name = "own"\ndescription = "x"\n[[criteria]]\nstatistic = "human.qwk"\nlow = 0.7\nsource = "x"\n'
        '[[criteria]]\nstatistic = "human.kappa"\nlow = 0.9\nsource = "x"\n'
    )
    checks = evaluated_raters(wide(codes_of_raters()), policy=str(policy)).checks
    assert [check.outcome for check in checks] == ["insufficient", "not met"]
    with pytest.raises(ReportgenError):
        evaluated_raters(wide(codes_of_raters()), policy=str(tmp_path / "none.toml"))


@pytest.mark.parametrize(
    ("raters", "named"), [(2, "Both raters together: Scott's pi 0."), (3, "All raters together: Fleiss's kappa 0.")]
)
def test_page_one_of_labels(raters: int, named: str) -> None:
    evaluation = evaluated_raters(wide(codes_of_raters(raters=raters, gaps=0)))
    page = text_of(RatersSummary(), evaluation)
    assert page.finding.startswith("Two raters give the same label in ")
    assert named in page
    assert "so reliability, severity, and weighted kappa are not defined" in page
