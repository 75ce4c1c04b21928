"""Studies: simulations of the field's papers that also answer a planning question of one's own.

A study is a design (options with defaults from its paper) that gives tables, estimates and facts; its
sections say them, as in any report.  `reportgen study NAME` runs one, and so does `run`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from reportgen.errors import SettingsError, did_you_mean
from reportgen.studies.work import Work

if TYPE_CHECKING:
    from reportgen.studies.design import Study

__all__ = ["STUDIES", "Work", "find", "questions"]

STUDIES: dict[str, tuple[str, str]] = {
    "agreement-robustness": (
        "reportgen.studies.agreement_robustness:AgreementRobustness",
        "Which agreement coefficient can I trust on my score distribution?",
    ),
    "prmse-stability": (
        "reportgen.studies.prmse_stability:PrmseStability",
        "How far can I trust a metric under my raters' agreement, and how many double scores do I need?",
    ),
    "rating-completion": (
        "reportgen.studies.rating_completion:RatingCompletion",
        "Can I predict the ratings I did not collect, and would my decision change?",
    ),
    "score-impact": (
        "reportgen.studies.score_impact:ScoreImpact",
        "What does this PRMSE do to reported scores?",
    ),
}
"""Name of a study -> (module and class, the question it answers)."""


def find(name: str) -> type[Study]:
    """Return the study of a name.

    Raises
    ------
    SettingsError
        There is none.
    """
    if name not in STUDIES:
        raise SettingsError(f"there is no study named '{name}'{did_you_mean(name, STUDIES)}")
    module, _, cls = STUDIES[name][0].partition(":")
    study: type[Study] = getattr(import_module(module), cls)
    return study


def questions() -> dict[str, str]:
    """Return the question that each study answers, by its name."""
    return {name: question for name, (_, question) in STUDIES.items()}
