"""Statistics of unordered labels, without statistics that require an order."""

import itertools
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from oracles import ends, jackknife_error
from oracles import value as value_of

import reportgen
from reportgen import metrics
from reportgen.errors import SettingsError
from reportgen.evaluation import evaluate
from reportgen.results import Estimate, Evaluation, Scale
from reportgen.scores import read
from reportgen.settings import Settings

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
