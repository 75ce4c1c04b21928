"""What the engine's score of one item does to the scores that are reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.groups import for_page
from report_sections.lookup import estimate_of, number
from report_sections.test_impact.pictures import group_chart, level_chart, move_chart
from reportgen.sections import Estimate, Evaluation, Findings, Section, Table

BY_GROUP = "impact.by_group."

MOVED = ("mean_difference", "rmsd", "same_level", "lower", "higher")
"""What is told of a score that takes the place of the first rater's."""


@dataclass(frozen=True)
class TestImpact(Section):
    """Scale scores, their precision and performance levels with the engine's score of the item and with a rater's.

    Parameters
    ----------
    group_charts
        Whether every group column has a chart beside its table.
    """

    __test__ = False  # a section about tests that are taken, not one to run

    name: ClassVar[str] = "test_impact"
    needs: ClassVar[tuple[str, ...]] = ("system", "impact", "order")

    group_charts: bool = True

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far scale scores move, and who changes the performance level."""
        test = evaluation.facts.get("impact")
        if test is None or test["problem"]:
            case = "unknown" if test is None else "problem"
            return Findings(values={"case": case, "test": test or {}, "columns": []})
        by_group = {key.removeprefix(BY_GROUP): table for key, table in evaluation.tables.items()
                    if key.startswith(BY_GROUP)}  # fmt: skip
        levels = evaluation.tables.get("impact.levels")
        tables = [evaluation.tables.get(f"impact.{key}") for key in ("differences", "scores")]
        charts = [move_chart(evaluation.tables["impact.moves"]), *([level_chart(levels)] if levels else [])]
        drawn = {column: group_chart(table, column) if self.group_charts else () for column, table in by_group.items()}
        return Findings(
            values={
                "case": _case(evaluation),
                "test": test,
                **_moved(evaluation),
                "precision": "impact.scores" in evaluation.tables,
                "columns": [
                    {"column": column, "ends": (found := _ends(table)), "table": table.key,
                     "moved": any(_clear(each["estimate"]) for each in found),
                     "chart": drawn[column][0].key if drawn[column] else ""}
                    for column, table in by_group.items()
                ],
            },
            tables=(
                *(table for table in tables if table is not None),
                *(for_page(table, "mean_difference") for table in by_group.values()),
            ),
            charts=(*charts, *(chart for each in drawn.values() for chart in each)),
        )  # fmt: skip


def _case(evaluation: Evaluation) -> str:
    """Return which finding there is: no score differs, levels change, or points alone."""
    rmsd = estimate_of(evaluation, "impact.rmsd")
    if rmsd is not None and rmsd.value == 0:
        return "nothing"
    return "levels" if "impact.same_level" in evaluation.estimates else "points"


def _moved(evaluation: Evaluation) -> dict[str, Any]:
    """Return how far the engine moves scores, and a second rater; and who gets another level with either."""
    differences = evaluation.tables["impact.differences"]
    engine, second = ([*differences.rows, None])[:2]
    keys = [column.key for column in differences.columns]
    found: dict[str, Any] = {"second_rater": second is not None}
    for who, row in (("engine", engine), ("second", second)):
        cells = dict(zip(keys, row.cells, strict=True)) if row else {}
        found[who] = {key: cell if isinstance(cell := cells.get(key), Estimate) and cell.defined else None
                      for key in MOVED}  # fmt: skip
        kept = number(cells.get("same_level"))
        found[f"{who}_changes"] = None if kept is None else 100 - kept
    return found


def _ends(table: Table) -> list[dict[str, Any]]:
    """Return the groups whose scores move most down and most up; none of fewer than two."""
    found = [
        {"level": str(row.cells[0]), "estimate": cell}
        for row in table.rows
        if not row.mark and isinstance(cell := row.cells[2], Estimate) and cell.defined
    ]
    found.sort(key=lambda each: each["estimate"].value)  # type: ignore[attr-defined]
    return [found[0], found[-1]] if len(found) > 1 else []


def _clear(change: Estimate) -> bool:
    """Return whether a change is surely not 0."""
    return change.low is not None and change.high is not None and (change.low > 0 or change.high < 0)
