"""Reports show the PRMSE that an item needs for its share of the points of the test."""

import subprocess
import sys
from typing import Any

import pytest
from simulated import framed, simulated

from report_sections.summary import Summary
from report_sections.test_impact import TestImpact
from report_sections.true_score_evaluation import TrueScoreEvaluation
from reportgen.errors import SettingsError
from reportgen.evaluation import evaluate
from reportgen.metrics import required_prmse
from reportgen.policies import load_policy
from reportgen.results import Evaluation
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.testing import text_of
from reportgen.verdicts import judged

ITEMS = ("a", "b", "c", "d")


def evaluated(*, items: bool = True, **keywords: Any) -> Evaluation:
    scores, names = simulated(300, 2, mean=3, error=0.4, noise=0.4, ends=(1, 5)), ITEMS if items else []
    frame = framed(scores).assign(**{name: scores.rng.integers(0, 5, 300) for name in names})
    settings = from_keywords(scale="1:5", **({"item_scores": names} if names else {}), **keywords)
    return evaluate(read(frame, settings), settings, {})


def test_required_prmse_of_item_with_fifth_of_points() -> None:
    found = evaluated()
    needed = found.facts["design"]["required"]
    assert needed["share"] == pytest.approx(20)
    assert needed["prmse"] == pytest.approx(required_prmse(0.2)) == pytest.approx(0.9838, abs=1e-4)
    text = text_of(TestImpact(), found)
    assert "This item has 20.0% of the test's points." in text
    assert "To move scores as little here, the engine needs a PRMSE of 0.984" in text
    assert "Casabianca et al. (2023)" in text_of(TestImpact(), found, language="es")


def test_required_prmse_depends_on_weight_and_items() -> None:
    assert evaluated(impact_weight=4.0).facts["design"]["required"]["share"] == pytest.approx(50)
    alone = evaluated(items=False, impact_weight=2.0)
    assert "required" not in alone.facts["design"]
    assert "of the test's points" not in text_of(TestImpact(), alone)


def test_required_prmse_of_declared_share() -> None:
    found = evaluated(items=False, impact_share=20, impact_machine_scored=3)
    needed = found.facts["design"]["required"]
    assert (needed["share"], needed["items"]) == (20, 3)
    assert needed["prmse"] == pytest.approx(required_prmse(0.2, 3))
    assert "20.0% of the test’s points and the engine scores 3 such items" in text_of(
        Summary(), judged(found, load_policy("default"))
    )
    with pytest.raises(SettingsError, match="6 items with 20% of the points each exceed the test; expected at most 5"):
        evaluated(items=False, impact_share=20, impact_machine_scored=6)


def test_page_one_uses_required_prmse() -> None:
    found = evaluated()
    check = next(each for each in judged(found, load_policy("default")).checks if each.statistic == "true_score.prmse")
    assert check.low == found.facts["design"]["required"]["limit"] == pytest.approx(0.984)
    assert check.outcome == "not met"
    assert "share of the test's points" in check.source
    assert "depends on the weight" not in text_of(TrueScoreEvaluation(), judged(found, load_policy("default")))
    assert "depends on the weight" in text_of(
        TrueScoreEvaluation(), judged(evaluated(items=False), load_policy("default"))
    )
    light = evaluated(items=False, impact_weight=2.0)
    assert next(each.low for each in judged(light, load_policy("prmse")).checks) == 0.70


def test_without_item_scores_nothing_is_imported() -> None:
    code = """
import sys, pyarrow as pa
from reportgen.evaluation import evaluate
from reportgen.scores import read
from reportgen.sections import unmet_need
from reportgen.settings import Settings
from report_sections.test_impact import TestImpact
found = evaluate(read(pa.table({"human": [1, 2, 3] * 9, "system": [1.5, 2.5, 2.75] * 9})), Settings(), {})
assert unmet_need(TestImpact(), found).startswith("neither the scores of other items")
assert not [key for key in (*found.tables, *found.estimates, *found.facts) if key.startswith("impact")]
assert not [name for name in sys.modules if name.startswith(("reportgen.item_response", "reportgen.scale_scores"))]
"""
    subprocess.run([sys.executable, "-c", code], check=True)
