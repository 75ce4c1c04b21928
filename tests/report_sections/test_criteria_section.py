"""The section on criteria says every check of the evaluation, whatever the policy asks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from fixtures import cases

import reportgen as api
from report_sections.criteria import Criteria
from report_sections.summary import Summary
from reportgen.policies import Criterion, Policy
from reportgen.policies.models import UNCHECKED
from reportgen.results import Evaluation
from reportgen.verdicts import judged


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


def test_every_check_has_its_row_and_every_threshold_its_source() -> None:
    found = evaluated()
    *outcomes, sources = Criteria().findings(found).tables
    for outcome, of_groups in zip(outcomes, (False, True), strict=True):
        checks = [check for check in found.checks if bool(check.column) is of_groups]
        assert outcome.column("criterion") == tuple(check.label for check in checks)
        assert outcome.column("group") == tuple(check.group for check in checks)
        assert outcome.column("outcome") == tuple(check.outcome for check in checks)
        assert outcome.column("estimate") == tuple(check.estimate for check in checks)
        assert [row.mark for row in outcome.rows] == [
            "flagged" if check.outcome == "not met" else "" for check in checks
        ]
    assert outcomes[1].caption == "Difference of standardized means of every group, which should be −0.10 to +0.10"
    assert set(sources.column("source")) == {check.source for check in found.checks}
    assert sum(UNCHECKED in str(source) for source in sources.column("source")) == 2
    assert "every group of g" in sources.column("scope")


def test_statistics_that_no_other_section_judges_are_seen() -> None:
    found = evaluated(
        Criterion(statistic="system.smd", groups=True, low=2, high=3),
        Criterion(statistic="system.rmse", high=0.1, by="lower", source="us"),
    )
    findings = Criteria().findings(found)
    assert [row.mark for table in findings.tables[:2] for row in table.rows] == ["flagged"] * 3
    assert "at most 0.10, by the lower end of the interval" in findings.tables[0].column("bounds")
    assert findings.paragraphs == ("What we ask.",)
    said = [highlight.text for highlight in Summary().findings(found).highlights]
    assert "2 groups miss the criterion for SMD." in said
    assert "say: do not deploy." in Summary().findings(found).headline


def test_the_first_page_says_how_many_more() -> None:
    found = evaluated()
    qwk = found.estimates["system.qwk"]
    assert qwk.value is not None
    assert qwk.low is not None
    found = evaluated(Criterion(statistic="system.qwk", low=(qwk.value + 2 * qwk.low) / 3))
    check = found.checks[0]
    assert check.outcome == "not yet known"
    assert check.more is not None
    assert found.ruling is not None
    headline = Summary().findings(found).headline
    assert f"collect more ratings ({found.ruling.needed})" in headline
    assert found.ruling.needed.startswith("about ")


def test_without_a_policy_there_is_nothing_to_say() -> None:
    assert Criteria().findings(cases()["full"]).tables == ()
    assert Criteria().findings(replace(evaluated(), checks=())).tables == ()
