"""What the engine's score of one item does to the scores that are reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.figures import dots_of
from report_sections.groups import ends, for_page
from report_sections.lookup import apart_from, distinct, estimate_of, known, lowest_and_highest, number, records
from report_sections.score_figures import Matrix, heat_maps
from reportgen.sections import Axis, Bars, Chart, Evaluation, Findings, Rule, Section, Table, Term
from reportgen.wording.numbers import point

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
                     "moved": any(apart_from(each["estimate"]) for each in found),
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
        found[who] = {key: known(cells.get(key)) for key in MOVED}
        kept = number(cells.get("same_level"))
        found[f"{who}_changes"] = None if kept is None else 100 - kept
    return found


def _ends(table: Table) -> list[dict[str, Any]]:
    """Return the groups whose scores move most down and most up; none of fewer than two."""
    found = [(str(row.cells[0]), cell) for row in table.rows if not row.mark and (cell := known(row.cells[2]))]
    return lowest_and_highest(found, "level", "estimate") if len(found) > 1 else []


MOST_GROUPS = 25
"""Groups that a chart has room for: the largest."""


def move_chart(table: Table) -> Chart:
    """Return the shares of test takers by how far their scale score moves."""
    rows = records(table)
    labels = tuple(_signed(number(row["difference"]) or 0.0) for row in rows)
    shares = tuple(number(row["share"]) or 0.0 for row in rows)
    n = sum(int(number(row["n"]) or 0) for row in rows)
    told = [{"label": label, "share": share} for label, share in zip(labels, shares, strict=True) if share]
    return Chart(
        key="impact.moves.chart",
        title=Term("moves_title"),
        alt=Term("score_moves_alt", n=n, moves=told),
        x=Axis(Term("moves_axis"), categories=labels),
        y=Axis(Term("share_of_test_takers"), low=0, unit="%"),
        layers=(Bars(Term("test_takers"), labels, shares),),
        caption=table.notes[0] if table.notes else "",
    )


def _signed(value: float) -> str:
    return f"+{point(value)}" if value > 0 else point(value)


def level_chart(table: Table) -> Chart:
    """Return performance levels with the rater's and with the engine's score as a heat map."""
    matrix = Matrix.of(table)
    told = [
        {"level": name, "n": sum(line), "stay": line[place]}
        for place, (name, line) in enumerate(zip(matrix.rows, matrix.counts, strict=True))
        if sum(line)
    ]
    maps = [("", Term("level_with_engine"), matrix)]
    return heat_maps(
        "impact.levels.chart", Term("levels_alt", levels=told), maps, Term("level_with_rater"),
        Term("percent_of_level"),
    )  # fmt: skip


def group_chart(table: Table, column: str) -> tuple[Chart, ...]:
    """Return the mean difference in every group with its interval; nothing for a single group."""
    found = [(str(row.cells[0]), row.cells[2], row.mark) for row in table.rows if row.mark != "overall"]
    rows = [(label, known_cell, mark) for label, cell, mark in found if (known_cell := known(cell))]
    if len(rows) < 2:
        return ()
    named = ends([cell.value for _, cell, _ in rows], [not mark for _, _, mark in rows])
    rows = [row for place, row in enumerate(rows) if place < MOST_GROUPS or place in named]
    rows.sort(key=lambda row: row[1].value or 0.0)
    labels, cells = distinct(label for label, _, _ in rows), [cell for _, cell, _ in rows]
    told = [{"level": label, "estimate": cell} for label, cell in zip(labels, cells, strict=True)]
    return (
        Chart(
            key=f"{table.key}.chart",
            title=Term("changes_by_group", column=column),
            alt=Term("changes_by_group_alt", column=column, groups=told),
            x=Axis(Term("mean_change_axis")),
            y=Axis(Term("column_name", column=column), categories=labels),
            layers=(
                Rule(0.0, Term("no_change"), ink="muted"),
                dots_of(Term("mean_change"), labels, cells, hollow=[mark == "insufficient" for _, _, mark in rows]),
            ),
            caption=Term("more_groups", left_out=len(found) - len(rows)),
        ),
    )  # fmt: skip
