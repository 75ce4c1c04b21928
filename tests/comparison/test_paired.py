"""Paired differences of rows and of counts, compared with each other, the delete-one jackknife, and algebra."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import jackknife_error
from samples import Scores, scores, side, write_csv

from reportgen.comparison.changes import Pair
from reportgen.comparison.paired import Paired, PairedDifferences, PairedRows
from reportgen.evaluation.estimates import estimate_slices
from reportgen.runs.ours import runs_of_columns
from reportgen.settings import from_keywords
from reportgen.tally import AS_GIVEN, ROUNDED, TRIMMED, Form, tally_of
from reportgen.tally.kernel import PairedTallier

LEVELS = ("x", "y", "z")
WIDE = (-np.inf, np.inf)
Differences = Mapping[str, PairedDifferences]


def paired(
    made: Scores, rows: Any = slice(None), form: Form = TRIMMED, second: str = "b", candidates: Any = None
) -> Paired:
    human = made["human"][rows]
    first, other = (side(made[name][rows], human, form) for name in ("a", second))
    return PairedRows.paired(first, other, {"g": (made["group"][rows], LEVELS)}, candidates)


def counted(made: Any, form: Form, second: str) -> tuple[Paired, Paired]:
    """Return the pair of rows, and the same pair from counts."""
    rows = paired(made, form=form, second=second)
    tallier = PairedTallier((rows.tallies[0].bounds, rows.tallies[1].bounds))
    tallier.add(made["human"], made["a"], made[second], {"g": (made["group"], LEVELS)})
    tally = tallier.tally()
    return rows, Paired((tally.side(0), tally.side(1)), (form, form), rows.statistics)


def assert_same(before: Differences, after: Differences, rtol: float, within: Mapping[str, float]) -> None:
    assert before.keys() == after.keys()
    for key, expected in before.items():
        assert after[key].labels == expected.labels
        for name, atol in within.items():
            found = getattr(after[key], name)
            np.testing.assert_allclose(found, getattr(expected, name), rtol, atol, err_msg=f"{key} {name}")


@pytest.mark.parametrize("form", [AS_GIVEN, TRIMMED, ROUNDED])
@pytest.mark.parametrize("grouping", ["", "g"])
def test_differences_of_counts_match_rows(form: Form, grouping: str) -> None:
    made = scores(11, 400)
    made["a"][:9] += 4  # trimmed
    made["half"] = np.rint(made["b"] * 2) / 2
    made["human"][5:9, 0] += 0.5
    for second in ("b", "half"):
        within = dict.fromkeys(("value", "error", "error_of_sum", "units"), 1e-12)
        rows, counts = (each.differences(grouping) for each in counted(made, form, second))
        assert_same(rows, counts, 1e-9, within)


@pytest.mark.parametrize("form", [TRIMMED, ROUNDED])
def test_paired_differences_match_two_evaluations(form: Form) -> None:
    made = scores(1, 300)
    found = paired(made, form=form).differences("g")
    parts = [
        estimate_slices(tally_of(made[name], made["human"], {"g": (made["group"], LEVELS)}, (0.5002, 6.4998)), "g",
                        form, 0.95, None)
        for name in ("a", "b")
    ]  # fmt: skip
    assert set(found) == set(parts[0].numbers)
    for key, difference in found.items():
        expected = parts[1].numbers[key].value - parts[0].numbers[key].value
        np.testing.assert_allclose(difference.value, expected, atol=1e-10, err_msg=key)


@pytest.mark.slow
@pytest.mark.parametrize("form", [TRIMMED, ROUNDED])
def test_paired_errors_match_jackknife(form: Form) -> None:
    n = 150
    made = scores(2, n)
    full = paired(made, form=form).differences("g")
    errors = jackknife_error(
        lambda kept: [each.value for each in paired(made, kept, form).differences("g").values()], n
    )
    for (key, difference), jackknife in zip(full.items(), errors, strict=True):
        np.testing.assert_allclose(difference.error, jackknife, rtol=0.1, atol=1e-7, err_msg=key)


@pytest.mark.parametrize("grouping", ["", "g"])
def test_paired_difference_from_itself_is_zero(grouping: str) -> None:
    for pair in counted(scores(5, 200), TRIMMED, "a"):
        for key, difference in pair.differences(grouping).items():
            assert np.array_equal(np.nan_to_num(difference.value), np.zeros(len(difference.labels))), key
            assert np.array_equal(np.nan_to_num(difference.error), np.zeros(len(difference.labels))), key


def test_paired_difference_of_tiny_change_is_precise() -> None:
    """Shared parts cancel before summation, so a change of 1e-6 in 10,000 responses has six correct digits."""
    made = scores(13, 10_000)
    made["near"] = made["a"].copy()
    made["near"][17] += 1e-6
    rows, counts = counted(made, AS_GIVEN, "near")
    for each in (rows, counts):
        found = each.differences("")["system.system_mean"]
        assert found.value[0] == pytest.approx(1e-10, rel=1e-3)
    np.testing.assert_allclose(counts.moments_of("").products, rows.moments_of("").products, rtol=1e-6, atol=1e-12)


def test_paired_difference_of_shifted_system() -> None:
    """The mean changes by c, SMD by c / SD(h) with the error of SD(h), and correlation and SD not at all."""
    made, shift = scores(6, 400), 0.25
    human = made["human"]
    first, second = (side(made["a"] + moved, human, AS_GIVEN, WIDE) for moved in (0, shift))
    pair = PairedRows.paired(first, second, {})
    found = pair.differences("")
    assert found["system.system_mean"].value[0] == pytest.approx(shift, abs=1e-12)
    assert found["system.system_mean"].error[0] == 0
    sd = human[:, 0].std(ddof=1)
    assert found["system.smd"].value[0] == pytest.approx(shift / sd, abs=1e-12)
    tally = tally_of(made["a"], human)
    error_of_sd = estimate_slices(tally, "", AS_GIVEN, 0.95, None).numbers["system.h_sd"].error[0]
    assert found["system.smd"].error[0] == pytest.approx(shift / sd**2 * error_of_sd, rel=1e-9)
    for key in ("system.r", "system.system_sd", "disattenuated.r"):
        assert found[key].value[0] == pytest.approx(0, abs=1e-12)
        assert found[key].error[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.slow
def test_error_of_sum_matches_jackknife() -> None:
    n = 200
    made = scores(7, n)

    def total(rows: Any) -> Any:
        tallies = [tally_of(made[name][rows], made["human"][rows], None, (0.5002, 6.4998)) for name in ("a", "b")]
        return sum(estimate_slices(each, "", TRIMMED, 0.95, None).numbers["system.smd"].value[0] for each in tallies)

    found = paired(made).differences("")["system.smd"].error_of_sum[0]
    assert found == pytest.approx(jackknife_error(total, n), rel=0.05)


def test_paired_differences_do_not_depend_on_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    made = scores(8, 300)
    for candidates in (None, np.random.default_rng(0).integers(0, 60, 300)):
        whole, rows = paired(made, candidates=candidates).differences("g"), paired(made, candidates=candidates)
        with monkeypatch.context() as patch:
            patch.setattr("reportgen.tally.clusters.BLOCK_ROWS", 37)
            parts = rows.differences("g")
        assert_same(whole, parts, 1e-7, {"value": 1e-10, "error": 1e-8})


def test_paired_differences_take_candidates_as_units() -> None:
    """Doubling responses halves the variance, except if both belong to one candidate."""
    made = scores(9, 150)
    twice = {name: np.concatenate([values, values]) for name, values in made.items()}
    once, alone = paired(made), paired(twice)
    candidates = paired(twice, candidates=np.tile(np.arange(150), 2))
    for grouping in ("", "g"):
        single, clustered, split = (each.differences(grouping) for each in (once, candidates, alone))
        for key in ("system.qwk", "system.kappa", "system.dsm", "system.rmse", "degradation.kappa"):
            np.testing.assert_allclose(clustered[key].value, single[key].value, rtol=0.01, atol=1e-10, err_msg=key)
            np.testing.assert_allclose(clustered[key].error, single[key].error, rtol=0.02, atol=1e-8, err_msg=key)
            assert (split[key].error <= 0.8 * single[key].error + 1e-8).all(), key


def test_pair_uses_counts_if_possible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_csv(tmp_path / "scores.csv", who=[f"c{row % 50}" for row in range(240)])

    def pair(**more: Any) -> Pair:
        settings = from_keywords(human=["h1", "h2"], id="id", groups=["language"], scale="1:6", **more)
        return Pair.of(*runs_of_columns(path, ["engine_a", "engine_b"], settings)[0])

    assert pair().tally(("raw", "raw")) is not None
    assert pair(candidate="who").tally(("raw", "raw")) is None
    monkeypatch.setattr("reportgen.comparison.paired.MOST_ENTRIES", 10)
    monkeypatch.setattr("reportgen.tally.kernel.ROWS_AT_A_TIME", 100)
    assert pair().tally(("raw", "raw")) is None
