"""The plan of scores on a scale of 1 to 6."""

from typing import Any

from reportgen.evaluation import Preparation
from reportgen.evaluation.tallied_scores import Plan
from reportgen.results import Scale


def one_to_six(raters: int = 2, **more: Any) -> Plan:
    """Return the plan of scores by raters h1, h2, ... on a scale of 1 to 6."""
    names = tuple(f"h{number + 1}" for number in range(raters))
    return Plan(**{"raters": names, "scale": Scale(1, 6, 1, False), "preparation": Preparation((1, 6), 0.4998), **more})
