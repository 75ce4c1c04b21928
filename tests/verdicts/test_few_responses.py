"""What would settle a criterion is not planned from a handful of responses."""

from __future__ import annotations

import pytest

from reportgen.policies import Criterion
from reportgen.results import Check, Estimate
from reportgen.verdicts import check
from reportgen.verdicts.needed_responses import FEWEST
from reportgen.verdicts.sentences import decision_of, more_needed

RULE = Criterion(statistic="system.qwk", low=0.7)


def judged(n: int) -> Check:
    return check(RULE, Estimate("qwk", 0.75, n, 0.6, 0.85))


def test_ten_responses_allow_no_plan() -> None:
    found = judged(10)
    assert (found.outcome, found.more, found.more_of) == ("not yet known", None, "")
    assert "its interval crosses the bound; 10 responses are too few to plan how many more" in found.sentence
    assert more_needed([found]) == ""
    assert decision_of([found]) == "collect more ratings"


@pytest.mark.parametrize("n", [FEWEST, 400])
def test_enough_responses_allow_one(n: int) -> None:
    assert f"about {'240' if n == 30 else '3,200'} further responses would settle it" in judged(n).sentence
