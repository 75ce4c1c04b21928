"""What pages say of withheld groups, and the section on requirements."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from fixtures import cases

import reportgen as api
from report_sections.criteria import OUTCOMES, Criteria
from report_sections.group_differences import GroupDifferences
from report_sections.summary import Summary
from reportgen.evaluation import evaluate
from reportgen.governance.packet import answers
from reportgen.policies import UNCHECKED, Criterion, Policy, load_policy
from reportgen.results import Chance, Check, Estimate, Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.testing import text_of
from reportgen.verdicts import judged, verdict
from reportgen.verdicts.gate import Gate, markdown
from reportgen.wording.numbers import roughly
from reportgen.wording.vocabulary import Vocabulary

HIDDEN = ("Arabic", "Icelandic")


@pytest.fixture(scope="module")
def found() -> Evaluation:
    """Return scores of three languages: one of six speakers, which takes the next smallest with it."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"L1": np.repeat(["Spanish", "Arabic", "Icelandic", "Hindi"], [300, 111, 6, 250])})
    frame["h1"] = rng.integers(1, 7, len(frame))
    frame["h2"] = np.clip(frame.h1 + rng.integers(-1, 2, len(frame)), 1, 6)
    frame["system"] = frame.h1 + rng.normal(0, 0.4, len(frame))
    settings = from_keywords(system="system", human=["h1", "h2"], groups=["L1"], scale="1:6")
    return judged(evaluate(read(frame, settings), settings, {}), load_policy("default"))


def test_page_one_names_withheld_groups_and_the_remedy(found: Evaluation) -> None:
    brief = text_of(Summary(), found)
    (line,) = [line for line in brief.lines if "hidden for privacy" in line]
    assert line.startswith("Merge or enlarge groups with fewer than")
    assert all(name in line for name in HIDDEN)
    assert "and groups that would reveal them, are hidden" in line, "one of them is large"
    assert "Not yet: 2 groups were not tested." in brief
    assert "2 groups could not be tested." in brief


def test_criteria_of_withheld_groups_have_a_reason_and_no_n(found: Evaluation) -> None:
    checks = [check for check in found.checks if check.level in HIDDEN]
    assert len(checks) == 2
    assert all(check.withheld and check.waits_for == "" for check in checks)
    table = next(each for each in Criteria().findings(found).tables if each.key == "criteria.groups")
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row.cells, strict=True)) for row in Vocabulary().table(table).rows]
    hidden = [row for row in rows if str(row["group"]).endswith(HIDDEN)]
    assert [row["n"] for row in hidden] == [None, None]
    assert not [row for row in hidden if row["more"] == "more responses"]


def test_markdown_prints_no_n(found: Evaluation) -> None:
    lines = [line for line in markdown({"": verdict(found, load_policy("default"))}).splitlines() if "Arabic |" in line]
    assert [line.split("|")[5].strip() for line in lines] == [""]


def test_a_passing_gate_reports_groups_that_are_not_judged(found: Evaluation) -> None:
    made = verdict(found, load_policy("default"))
    assert made.passes(strict=False)
    assert "2 of them because their groups are hidden for privacy" in Gate(closed=True).remark({"": made})
    assert Gate(closed=True, strict=True).remark({"": made}).startswith("fails: 2 requirements")
    assert Gate().remark({"": made}) == ""


def test_the_packet_answers_fairness_in_part(found: Evaluation) -> None:
    fairness = [each for each in answers(found, {}, {}, ()) if each.item.asks == "fairness and bias"]
    assert [each.by[0] for each in fairness] == ["partly automatic"]
    assert "unknown for 2 groups hidden for privacy" in fairness[0].text
    assert not fairness[0].complete


def test_a_completely_withheld_grouping_is_not_reported_as_missing() -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"L1": np.repeat(["few", "many"], [5, 200]), "h1": rng.integers(1, 7, 205)})
    frame["system"] = frame.h1 + rng.normal(0, 0.4, len(frame))
    settings = from_keywords(system="system", human=["h1"], groups=["L1"], scale="1:6")
    found = judged(evaluate(read(frame, settings), settings, {}), load_policy("default"))
    brief = text_of(Summary(), found)
    assert "group column" not in brief
    assert "has no group column" not in brief
    assert "Whether the engine treats groups fairly: every group is too small to be shown." in brief
    assert "hidden for privacy" in brief
    assert text_of(GroupDifferences(), found).finding == (
        "Group fairness was not tested because every group is too small to show."
    )


def evaluated(*criteria: Criterion) -> Evaluation:
    rng = np.random.default_rng(3)
    human = rng.integers(1, 7, 400).astype(float)
    data = pd.DataFrame(
        {"h1": human, "engine": np.clip(human + rng.normal(0, 0.8, 400), 1, 6), "g": np.where(human > 3, "high", "low")}
    )
    report = api.evaluate(data, system="engine", human=["h1"], groups=["g"], scale="1:6")
    if not criteria:
        return report.evaluation
    return judged(report.evaluation, Policy(name="own", description="What we ask.", criteria=criteria))


def told(found: Evaluation) -> str:
    return text_of(Criteria(), found).words


def test_every_check_has_a_row_and_every_threshold_a_source() -> None:
    found = evaluated()
    *outcomes, sources = Criteria().findings(found).tables
    for outcome, of_groups in zip(outcomes, (False, True), strict=True):
        checks = [check for check in found.checks if bool(check.column) is of_groups]
        assert outcome.column("criterion") == tuple(check.label for check in checks)
        assert outcome.column("outcome") == tuple(OUTCOMES[check.outcome] for check in checks)
        assert outcome.column("estimate") == tuple(check.estimate for check in checks)
        assert [row.mark for row in outcome.rows] == [
            "flagged" if check.outcome == "not met" else "" for check in checks
        ]
    assert set(sources.column("source")) == {check.source for check in found.checks}
    assert sum(UNCHECKED in str(source) for source in sources.column("source")) == 2
    words = Vocabulary()
    assert "every group of g" in words.table(sources).column("scope")
    assert words.table(outcomes[1]).column("group") == ("g: high", "g: low")
    hidden = [column.key for column in outcomes[1].columns if not column.shown]
    assert {"criterion", "bounds"} <= set(hidden)
    assert "title='Requirement on every group: difference of standardized means within \\xb10.10'" in told(found)


def test_statistics_without_another_section_are_shown() -> None:
    found = evaluated(
        Criterion(statistic="system.smd", groups=True, low=2, high=3),
        Criterion(statistic="system.rmse", high=0.1, by="lower", source="us"),
    )
    findings = Criteria().findings(found)
    assert [row.mark for table in findings.tables[:2] for row in table.rows] == ["flagged"] * 3
    assert "at most 0.10, by the lower end of the interval" in Vocabulary().table(findings.tables[0]).column("bounds")
    assert "The policy is “own”. What we ask." in told(found)


def test_an_open_requirement_shows_how_many_more_would_decide_it() -> None:
    found = evaluated()
    qwk = found.estimates["system.qwk"]
    assert qwk.value is not None
    assert qwk.low is not None
    found = evaluated(Criterion(statistic="system.qwk", low=(qwk.value + 2 * qwk.low) / 3))
    (check,) = found.checks
    assert check.outcome == "not yet known"
    assert check.assurance
    outcomes, chances, _ = map(Vocabulary().table, Criteria().findings(found).tables)
    table = outcomes
    (told,) = table.column("more")
    assert check.cheapest is not None
    assert told == f"about {roughly(check.cheapest.n)} responses (80% chance)"
    assert chances.column("now") == (f"{check.estimate.n:,}",)
    assert [each.label for each in chances.columns if each.key.startswith("clear_")] == [
        f"{each.n:,}" for each in check.assurance
    ]
    assert chances.column(f"met_{check.assurance[0].n}") == (100 * check.assurance[0].met,)
    assert not table.columns[-1].shown, "a column with one cell is a note"
    assert table.notes == (f"For a clear answer on quadratic weighted kappa: {told}.",)
    assert table.column("outcome") == ("Inconclusive",)


def test_without_a_policy_the_section_is_empty() -> None:
    without = replace(cases()["full"], ruling=None)
    assert Criteria().findings(without).tables == ()
    assert "No policy was applied to the scores." in told(without)
    assert Criteria().findings(replace(evaluated(), checks=())).tables == ()


def test_chances_of_groups_are_in_a_separate_table() -> None:
    chance = Chance(500, "responses", 0.5, 0.3, 400, 400)
    of_all = Check(
        "r", Estimate("r", 0.7, 100, 0.6, 0.8), "not yet known", low=0.7, waits_for="responses", assurance=(chance,)
    )
    double = replace(of_all, label="PRMSE", waits_for="double-scored responses", cheapest=replace(chance, ratings=900))
    group = replace(of_all, label="DSM", column="l1", level="vi")
    found = Criteria().findings(replace(evaluated(), checks=(of_all, double, group)))
    tables = {table.key: Vocabulary().table(table) for table in found.tables}
    assert tables["criteria.assurance"].column("now") == ("100", "100 double-scored")
    assert tables["criteria.assurance"].column("clear_500") == (80.0, 80.0)
    assert tables["criteria.assurance"].column("enough") == (None, 500)
    assert tables["criteria.assurance_groups"].column("group") == ("l1: vi",)
    assert not tables["criteria.assurance_groups"].columns[1].shown, "one requirement is no column"


def test_the_requirement_that_needs_the_most_ratings_is_named() -> None:
    chance = Chance(500, "responses", 0.6, 0.21, 400, 400)
    one = Check(
        "r", Estimate("r", 0.7, 100, 0.6, 0.8), "not yet known",
        low=0.7, waits_for="responses", assurance=(chance,), cheapest=chance,
    )  # fmt: skip
    other = replace(one, label="PRMSE", cheapest=replace(chance, ratings=900))
    found = Criteria().findings(replace(evaluated(), checks=(one, other)))
    (table,) = (Vocabulary().table(each) for each in found.tables if each.key == "criteria.assurance")
    assert table.notes[-1].startswith("PRMSE needs the most additional ratings, about 900.")
