"""What the pages, the gate and the packet say of groups that are withheld: that, and never a number."""

import numpy as np
import pandas as pd
import pytest

from report_sections.criteria import Criteria
from report_sections.group_differences import GroupDifferences
from report_sections.summary import Summary
from reportgen.evaluation import evaluate
from reportgen.governance.packet import answers
from reportgen.policies import load_policy
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.testing import text_of
from reportgen.verdicts import judged, verdict
from reportgen.verdicts.gate import Gate, markdown
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
    assert "2 of them hidden for privacy" in Gate(closed=True).remark({"": made})
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
