"""Agreement read together with rank correlation, as Yannakoudakis and Cummins (2015) recommend in section 5.

They say what low agreement with high rank correlation means, and the reverse, and give no number for low or high.
Two raters stand in for it, once and here: *low* is clearly below what they reach (the whole interval of the
difference), *high* is at least what they reach.
"""

from __future__ import annotations

from typing import Any

from report_sections.lookup import estimate_of
from reportgen.results import Estimate
from reportgen.sections import Evaluation

AGREEMENT, RANKS = "degradation.ac2_quadratic", "degradation.tau_b"


def beside_ranks(evaluation: Evaluation) -> dict[str, Any]:
    """Return the pattern that the two differences from raters show, with the one that is low; nothing for neither.

    Returns
    -------
    dict
        `pattern`, "far_in_order" (low agreement, high rank correlation) or "near_out_of_order" (the reverse), and
        `low`, the difference.
    """
    agreement, ranks = (estimate_of(evaluation, key) for key in (AGREEMENT, RANKS))
    if agreement is None or ranks is None:
        return {}
    if _low(agreement) and _high(ranks):
        return {"pattern": "far_in_order", "low": agreement}
    if _high(agreement) and _low(ranks):
        return {"pattern": "near_out_of_order", "low": ranks}
    return {}


def _low(difference: Estimate) -> bool:
    return difference.high is not None and difference.high < 0


def _high(difference: Estimate) -> bool:
    return difference.value is not None and difference.value >= 0
