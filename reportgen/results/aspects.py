"""Group requirements by the questions they answer, in a reader's terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from reportgen.results import Check, Outcome

Name = Literal["agreement", "second_rater", "severity", "error", "accuracy", "raters", "other", "groups"]

ASPECTS: tuple[Name, ...] = (
    "agreement", "second_rater", "severity", "accuracy", "groups", "error", "raters", "other"
)  # fmt: skip
"""Questions in the order of a brief; other questions follow."""

_OF_METRIC: dict[str, Name] = {
    "smd": "severity", "rmse": "error", "mae": "error", "mse": "error", "macro_rmse": "error", "off_by_two": "error"
}  # fmt: skip

_OF_FAMILY: dict[str, Name] = {
    "degradation": "second_rater", "exchangeability": "second_rater", "true_score": "accuracy",
    "disattenuated": "accuracy", "raters": "raters", "reliability": "raters", "human": "raters",
    "system": "agreement", "panel": "agreement",
}  # fmt: skip

WORST_FIRST: tuple[Outcome, ...] = ("not met", "out of reach", "not yet known", "insufficient", "met")


@dataclass(frozen=True)
class Aspect:
    """One question of a policy: its requirements, and their worst outcome.

    `leading` is the requirement that decides: the first one with the worst outcome; among groups, the one farthest from
    0.
    """

    name: Name
    checks: tuple[Check, ...]

    @cached_property
    def outcome(self) -> Outcome:
        """The worst outcome; "not tested" only if nothing was tested, or the groups that a policy needs are missing."""
        missing = self.name == "groups" and any(not each.column for each in self.of("insufficient"))
        found = worst(self.checks)
        return "insufficient" if missing and found == "met" else found

    @cached_property
    def leading(self) -> Check:
        """The deciding requirement."""
        found = [check for check in self.checks if check.outcome == self.outcome]
        return max(found, key=_distance) if self.name == "groups" else found[0]

    def of(self, outcome: Outcome) -> tuple[Check, ...]:
        """Return the requirements with one outcome; group requirements are sorted from the farthest from 0."""
        found = tuple(check for check in self.checks if check.outcome == outcome)
        return tuple(sorted(found, key=_distance, reverse=True)) if self.name == "groups" else found

    @property
    def direction(self) -> Literal["lower", "higher", ""]:
        """Where all unmet requirements are: the engine below the raters, above, or on both sides."""
        values = [check.estimate.value or 0.0 for check in self.of("not met")]
        return "lower" if values and max(values) < 0 else "higher" if values and min(values) > 0 else ""


def aspects(checks: Sequence[Check]) -> tuple[Aspect, ...]:
    """Return the questions that requirements answer, in the order of a brief.

    >>> from reportgen.results import Check, Estimate
    >>> qwk = Check("QWK", Estimate("qwk", 0.8, 90), "met", statistic="system.qwk")
    >>> group = Check("DSM", Estimate("dsm", 0.3, 90), "not met", statistic="system.dsm", column="L1", level="vi")
    >>> [(each.name, each.outcome) for each in aspects([group, qwk])]
    [('agreement', 'met'), ('groups', 'not met')]
    """
    held: dict[Name, list[Check]] = {}
    for check in checks:
        held.setdefault(aspect_of(check), []).append(check)
    return tuple(Aspect(name, tuple(held[name])) for name in ASPECTS if name in held)


def aspect_of(check: Check) -> Name:
    """Return the question that a requirement answers."""
    family, _, metric = check.statistic.partition(".")
    if check.column or metric in ("dsm", "group_difference") or "group_difference" in family:
        return "groups"
    if family == "system" and metric in _OF_METRIC:
        return _OF_METRIC[metric]
    return _OF_FAMILY.get(family, "other") if family else "other"


def worst(checks: Iterable[Check]) -> Outcome:
    """Return the worst outcome; "not tested" counts only if there is no other."""
    outcomes = {check.outcome for check in checks}
    tested = outcomes - {"insufficient"} or outcomes
    return next(outcome for outcome in WORST_FIRST if outcome in tested)


def _distance(check: Check) -> float:
    return abs(check.estimate.value or 0.0)
