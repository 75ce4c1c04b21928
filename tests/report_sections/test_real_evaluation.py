"""The sections on an evaluation that was computed, and the hand-made tables beside the computed ones."""

import random
from importlib.metadata import entry_points

import pyarrow as pa
import pytest
from fixtures import evaluation as by_hand

from reportgen.evaluation import evaluate
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.sections import ENTRY_POINT_GROUPS, Section
from reportgen.settings import from_keywords
from reportgen.testing import said

NAMES = sorted(
    point.name
    for point in entry_points(group=ENTRY_POINT_GROUPS["evaluation"])
    if "report_sections" in point.value and "raters_alone" not in point.load().needs
)


@pytest.fixture(scope="module")
def computed() -> Evaluation:
    """Return the evaluation of 400 simulated responses; the engine scores one group lower."""
    draw = random.Random(7)
    level = [min(6.0, max(1.0, draw.gauss(3.5, 1.0))) for _ in range(400)]
    group = [draw.choice(["Hindi", "Spanish", "Thai"]) for _ in level]
    frame = pa.table(
        {
            "id": [f"r{i}" for i in range(400)],
            "human": [round(min(6, max(1, t + draw.gauss(0, 0.5)))) for t in level],
            "human2": [round(min(6, max(1, t + draw.gauss(0, 0.5)))) if i % 2 else None for i, t in enumerate(level)],
            "system": [t + draw.gauss(0, 0.3) - 0.8 * (g == "Thai") for t, g in zip(level, group, strict=True)],
            "L1": group,
        }
    )
    settings = from_keywords(groups=["L1"], scale="1:6")
    return evaluate(read(frame, settings), settings, {"versions": {"reportgen": "0"}, "command": "test"})


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_section_takes_a_computed_evaluation(name: str, computed: Evaluation) -> None:
    section: type[Section] = entry_points(group=ENTRY_POINT_GROUPS["evaluation"])[name].load()
    assert said(section(), computed).words


def test_a_planted_bias_is_found_on_the_first_page(computed: Evaluation) -> None:
    summary: type[Section] = entry_points(group=ENTRY_POINT_GROUPS["evaluation"])["summary"].load()
    findings = summary().findings(computed)
    decided = ["system.qwk", "degradation.qwk", "system.smd", "true_score.prmse", "system.dsm"]
    assert [check.statistic for check in findings.checks] == decided
    assert findings.checks[-1].level == "Thai", "of the groups the one farthest beyond the limit decides"
    beyond = [(each["check"].level, each["check"].estimate.value < 0) for each in findings.values["groups"]["beyond"]]
    assert beyond == [("Thai", True), ("Hindi", False)], "where one group sinks, the others rise beside it"
    told = said(summary(), computed)
    assert "No: scores are too low and groups are scored differently." in told
    assert "Of 3 groups, 2 are beyond the limit, 0 are within it, and 1 is inconclusive." in told


def test_charts_are_drawn_from_computed_tables(computed: Evaluation) -> None:
    keys = [
        chart.key
        for name in NAMES
        for chart in entry_points(group=ENTRY_POINT_GROUPS["evaluation"])[name].load()().findings(computed).charts
    ]
    assert sorted(keys) == [
        "calibration.chart", "confusion.system.chart", "distribution.chart", "group_differences.chart",
        "human_raters.error_variance.chart", "levels.by_human.chart", "panel.agreement.chart",
        "reliability.more_ratings.chart", "summary.groups.chart", "summary.same.chart", "true_score.ladder",
        "true_score.staircase",
    ]  # fmt: skip


def test_tables_made_by_hand_have_columns_of_the_computed_ones(computed: Evaluation) -> None:
    hand = by_hand()
    shared = [key for key in hand.tables if key in computed.tables and not key.startswith("fairness.means.")]
    assert len(shared) >= 18
    for key in shared:
        made, real = ({column.key for column in each.tables[key].columns} for each in (hand, computed))
        assert made <= real, key
