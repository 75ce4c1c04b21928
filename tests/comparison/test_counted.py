"""Paired differences computed from counts match those computed from rows."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import scores, write_csv
from test_paired import LEVELS, paired

from reportgen.comparison.changes import Pair
from reportgen.comparison.paired import Paired
from reportgen.runs.ours import runs_of_columns
from reportgen.settings import from_keywords
from reportgen.tally import AS_GIVEN, ROUNDED, TRIMMED, Form
from reportgen.tally.kernel import PairedTallier


def counted(made: Any, form: Form, second: str) -> tuple[Paired, Paired]:
    rows = paired(made, form=form, second=second)
    tallier = PairedTallier((rows.tallies[0].bounds, rows.tallies[1].bounds))
    tallier.add(made["human"], made["a"], made[second], {"g": (made["group"], LEVELS)})
    tally = tallier.tally()
    return rows, Paired((tally.side(0), tally.side(1)), (form, form), rows.statistics)


def assert_same(one: Paired, other: Paired, grouping: str) -> None:
    before, after = one.differences(grouping), other.differences(grouping)
    assert before.keys() == after.keys()
    for key, expected in before.items():
        assert after[key].labels == expected.labels
        for name in ("value", "error", "error_of_sum", "units"):
            np.testing.assert_allclose(
                getattr(after[key], name), getattr(expected, name), rtol=1e-9, atol=1e-12, err_msg=f"{key} {name}"
            )


@pytest.mark.parametrize("form", [AS_GIVEN, TRIMMED, ROUNDED])
@pytest.mark.parametrize("grouping", ["", "g"])
def test_differences_of_counts_match_rows(form: Form, grouping: str) -> None:
    made = scores(11, 400)
    made["a"][:9] += 4  # trimmed
    made["half"] = np.rint(made["b"] * 2) / 2
    made["human"][5:9, 0] += 0.5
    for second in ("b", "half"):
        assert_same(*counted(made, form, second), grouping)


@pytest.mark.parametrize("grouping", ["", "g"])
def test_counted_difference_from_itself_is_zero(grouping: str) -> None:
    for key, difference in counted(scores(5, 200), TRIMMED, "a")[1].differences(grouping).items():
        assert np.array_equal(np.nan_to_num(difference.value), np.zeros(len(difference.labels))), key
        assert np.array_equal(np.nan_to_num(difference.error), np.zeros(len(difference.labels))), key


def test_counted_difference_of_tiny_change_is_precise() -> None:
    """Shared parts cancel before summation, so a change of 1e-6 in 10,000 responses has six correct digits."""
    made = scores(13, 10_000)
    made["near"] = made["a"].copy()
    made["near"][17] += 1e-6
    rows, counts = counted(made, AS_GIVEN, "near")
    for each in (rows, counts):
        found = each.differences("")["system.system_mean"]
        assert found.value[0] == pytest.approx(1e-10, rel=1e-3)
    np.testing.assert_allclose(counts.moments_of("").products, rows.moments_of("").products, rtol=1e-6, atol=1e-12)


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
