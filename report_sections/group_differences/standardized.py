"""Differences of standardized means (DSM): the groups of one column, as the engine and raters place them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from report_sections.lookup import group_checks, number, records
from reportgen.results import Estimate, Mark, Outcome
from reportgen.sections import Evaluation

LEAST_PART = 0.005
"""A part of a difference below this many SDs is nothing to tell."""


@dataclass(frozen=True)
class Group:
    """One group: its column and name, its DSM, both means, how its row is marked, what its requirement says.

    `fair` is the DSM that it would have by an engine that scores equal true scores alike.
    """

    column: str
    level: str
    dsm: Estimate
    mark: Mark
    outcome: Outcome | None
    human: float | None = None
    engine: float | None = None
    fair: float | None = None

    @property
    def value(self) -> float:
        """The difference."""
        return self.dsm.value or 0.0

    def told(self) -> dict[str, Any]:
        """Return what a template says of it."""
        return {"column": self.column, "level": self.level, "estimate": self.dsm, "n": self.dsm.n,
                "human": self.human, "engine": self.engine, **self._parts()}  # fmt: skip

    def _parts(self) -> dict[str, Any]:
        """Return what of the difference a fair engine would show too, and what is left; None where it is hardly any."""
        if self.fair is None or abs(self.fair) < LEAST_PART:
            return {"fair": None, "left": None}
        return {"fair": self.fair, "left": self.value - self.fair}


def groups_of(evaluation: Evaluation, column: str) -> tuple[Group, ...]:
    """Return the groups of a column that have a DSM, largest first; the row of all responses is not one of them."""
    table = evaluation.tables.get(f"by_group.{column}")
    if table is None:
        return ()
    outcomes: Mapping[str, Outcome] = {check.group: check.outcome for check in group_checks(evaluation, column)}
    return tuple(
        Group(column, level, dsm, row.mark, outcomes.get(f"{column}: {level}"),
              number(record.get("human_mean")), number(record.get("system_mean")),
              number(record.get("dsm_fair")))
        for row, record in zip(table.rows, records(table), strict=True)
        if row.mark != "overall" and isinstance(dsm := record["dsm"], Estimate) and dsm.defined
        for level in [str(record["level"])]
    )  # fmt: skip
