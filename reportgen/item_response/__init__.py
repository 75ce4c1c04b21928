"""Item response theory for tests of right-or-wrong and rated items: calibration, linking, scoring.

The model is the generalized partial credit model; an item of two categories is then a two-parameter
logistic item, so both kinds are calibrated together.
"""

from reportgen.item_response.calibration import Calibration, calibrate
from reportgen.item_response.linking import Link, stocking_lord
from reportgen.item_response.model import Item, expected_scores, log_probabilities, score_moments
from reportgen.item_response.scoring import characteristic_curve_abilities, conditional_standard_error

__all__ = [
    "Calibration",
    "Item",
    "Link",
    "calibrate",
    "characteristic_curve_abilities",
    "conditional_standard_error",
    "expected_scores",
    "log_probabilities",
    "score_moments",
    "stocking_lord",
]
