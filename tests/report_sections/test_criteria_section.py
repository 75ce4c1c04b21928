"""The section on criteria says every check of the evaluation, whatever the policy asks."""

from dataclasses import replace

import numpy as np
import pandas as pd
from fixtures import cases

import reportgen as api
from report_sections.criteria import OUTCOMES, Criteria
from reportgen.policies import UNCHECKED, Criterion, Policy
from reportgen.results import Chance, Check, Estimate, Evaluation
from reportgen.testing import text_of
from reportgen.verdicts import judged
from reportgen.wording.numbers import roughly
from reportgen.wording.vocabulary import Vocabulary


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
    chance = Chance(500, "responses", 0.5, 0.25, 400, 400)
    of_all = Check(
        "r", Estimate("r", 0.7, 100, 0.6, 0.8), "not yet known", low=0.7, waits_for="responses", assurance=(chance,)
    )
    double = replace(of_all, label="PRMSE", waits_for="double-scored responses", cheapest=replace(chance, ratings=900))
    group = replace(of_all, label="DSM", column="l1", level="vi")
    found = Criteria().findings(replace(evaluated(), checks=(of_all, double, group)))
    tables = {table.key: Vocabulary().table(table) for table in found.tables}
    assert tables["criteria.assurance"].column("now") == ("100", "100 double-scored")
    assert tables["criteria.assurance"].column("clear_500") == (75.0, 75.0)
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
