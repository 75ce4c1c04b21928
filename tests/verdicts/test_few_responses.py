"""What would settle a criterion is not planned from a handful of responses."""

import pytest

from reportgen.policies import Criterion
from reportgen.results import Check, Estimate
from reportgen.verdicts import check
from reportgen.verdicts.assurance import FEWEST
from reportgen.verdicts.judging import decision_of
from reportgen.wording.vocabulary import Vocabulary

RULE = Criterion(statistic="system.qwk", low=0.7)


def judged(n: int) -> Check:
    return check(RULE, Estimate("qwk", 0.75, n, 0.6, 0.85))


def said(found: Check) -> str:
    return str(Vocabulary().phrases("decision").check(found))


def test_ten_responses_allow_no_plan() -> None:
    found = judged(10)
    assert (found.outcome, found.assurance, found.cheapest) == ("not yet known", (), None)
    assert "10 responses are too few to plan how many more" in said(found)
    assert decision_of([found]) == "collect more ratings"


@pytest.mark.parametrize("n", [FEWEST, 400])
def test_enough_responses_allow_one(n: int) -> None:
    told = "500 responses, the chance of a clear answer is only 72" if n == FEWEST else "5,000"
    assert f"Even with {told}" in said(judged(n))
