"""The plan of scores on a scale of 1 to 6, and scores tallied by it."""

from typing import Any

from reportgen.evaluation import Preparation, TalliedScores, tally_scores
from reportgen.evaluation.tallied_scores import Plan
from reportgen.results import Scale

SIX = Scale(1, 6, 1, False)


def one_to_six(raters: int = 2, scale: Scale = SIX, **more: Any) -> Plan:
    """Return the plan of scores by raters h1, h2, ... on a scale of 1 to 6, or on another one."""
    names = tuple(f"h{number + 1}" for number in range(raters))
    prepared = Preparation((scale.low, scale.high), 0.4998)
    return Plan(**{"raters": names, "scale": scale, "preparation": prepared, **more})


def tallied(system: Any, human: Any, candidates: Any = None, **plan: Any) -> TalliedScores:
    """Return scores of a system and of as many raters as `human` has columns, tallied by `one_to_six`."""
    return tally_scores(system, human, {}, one_to_six(human.shape[1], **plan), candidates=candidates)
