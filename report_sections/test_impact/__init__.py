"""Show how the engine's score of one item affects reported scores."""

from collections.abc import Iterator
from typing import Any

from report_sections.figures import Matrix, estimates_chart, heat_maps, shortened
from report_sections.lookup import ends, estimates_in, for_page, lowest_and_highest
from reportgen.results import Record
from reportgen.sections import Axis, Bars, Chart, Evaluation, Findings, Rule, Section, Table, Term
from reportgen.wording.numbers import point

BY_GROUP = "impact.by_group."

MOVED = ("mean_difference", "rmsd", "same_level", "lower", "higher")
"""Statistics of a score that replaces the first rater's."""


class TestImpact(Section, needs=("system", "impact", "order")):
    """Show scale scores, their precision, and performance levels with the engine's score of the item and a rater's."""

    __test__ = False  # a section about tests that people take, not a test to run

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far scale scores move, and who changes the performance level."""
        test = evaluation.facts.get("impact")
        if test is None or test["problem"]:
            case = "unknown" if test is None else "problem"
            return Findings(values={"case": case, "test": test or {}, "columns": []})
        by_group = {key.removeprefix(BY_GROUP): table for key, table in evaluation.tables.items()
                    if key.startswith(BY_GROUP)}  # fmt: skip
        drawn = {column: [*group_chart(table, column)] for column, table in by_group.items()}
        ends_ = {column: _ends(table) for column, table in by_group.items()}
        return Findings(
            values={
                "case": _case(evaluation),
                "test": test,
                **_moved(evaluation),
                "precision": "impact.scores" in evaluation.tables,
                "columns": [
                    {"column": column, "ends": ends_[column], "table": table.key,
                     "moved": any(each["estimate"].apart() for each in ends_[column]),
                     "chart": f"{table.key}.chart" if drawn[column] else ""}
                    for column, table in by_group.items()
                ],
            },
            tables=(
                *evaluation.present("impact.differences", "impact.scores"),
                *(for_page(table, "mean_difference") for table in by_group.values()),
            ),
            charts=(
                move_chart(evaluation.tables["impact.moves"]),
                *map(level_chart, evaluation.present("impact.levels")),
                *(chart for each in drawn.values() for chart in each),
            ),
        )  # fmt: skip


def _case(evaluation: Evaluation) -> str:
    rmsd = evaluation.estimate("impact.rmsd")
    if rmsd is not None and rmsd.value == 0:
        return "nothing"
    return "levels" if "impact.same_level" in evaluation.estimates else "points"


def _moved(evaluation: Evaluation) -> dict[str, Any]:
    """Return how far the engine and a second rater move scores, and the share of test takers whose level changes."""
    rows = evaluation.records("impact.differences")
    found: dict[str, Any] = {"second_rater": len(rows) > 1}
    for who, row in zip(("engine", "second"), (*rows, Record({})), strict=False):
        found[who] = {key: row.estimate(key) for key in MOVED}
        kept = row.number("same_level")
        found[f"{who}_changes"] = None if kept is None else 100 - kept
    return found


def _ends(table: Table) -> list[dict[str, Any]]:
    """Return the groups whose scores move most down and most up; empty for fewer than two groups."""
    found = estimates_in((row for row in table.records() if not row.mark), "level", "mean_difference")
    return lowest_and_highest(found, "level", "estimate") if len(found) > 1 else []


MOST_GROUPS = 25  # groups that a chart has room for: the largest


def move_chart(table: Table) -> Chart:
    """Return the shares of test takers by how far their scale score moves."""
    rows = table.records()
    shares, moves = (tuple(row.number(key) or 0.0 for row in rows) for key in ("share", "difference"))
    labels = tuple(f"+{point(moved)}" if moved > 0 else point(moved) for moved in moves)
    items = [{"label": label, "share": share} for label, share in zip(labels, shares, strict=True) if share]
    return Chart(
        "impact.moves.chart",
        Term("moves_title"),
        Term("score_moves_alt", n=sum(row.count("n") for row in rows), moves=items),
        Axis(Term("moves_axis"), categories=labels),
        Axis(Term("share_of_test_takers"), low=0, unit="%"),
        (Bars(Term("test_takers"), labels, shares),),
        table.notes[0] if table.notes else "",
    )


def level_chart(table: Table) -> Chart:
    """Return performance levels with the rater's and with the engine's score as a heat map."""
    matrix = Matrix.of(table)
    lines = zip(matrix.rows, matrix.counts, strict=True)
    items = [{"level": name, "n": sum(line), "stay": line[at]} for at, (name, line) in enumerate(lines) if sum(line)]
    maps, rows = [("", Term("level_with_engine"), matrix)], Term("level_with_rater")
    return heat_maps("impact.levels.chart", Term("levels_alt", levels=items), maps, rows, Term("percent_of_level"))


def group_chart(table: Table, column: str) -> Iterator[Chart]:
    """Yield the mean difference in every group with its interval, if there are at least two groups."""
    groups = [row for row in table.records() if row.mark != "overall"]
    found = [(row, cell) for row in groups if (cell := row.estimate("mean_difference"))]
    if len(found) < 2:
        return
    named = ends([cell.value for _, cell in found], [not row.mark for row, _ in found])
    found = [pair for place, pair in enumerate(found) if place < MOST_GROUPS or place in named]
    found.sort(key=lambda pair: pair[1].value or 0.0)
    drawn = shortened([(str(row["level"]), cell) for row, cell in found])
    items = [{"level": label, "estimate": cell} for label, cell in drawn]
    yield estimates_chart(
        f"{table.key}.chart",
        Term("changes_by_group", column=column),
        Term("changes_by_group_alt", column=column, groups=items),
        Axis(Term("mean_change_axis")),
        Term("column_name", column=column),
        drawn,
        Term("mean_change"),
        Rule(0.0, Term("no_change"), ink="muted"),
        hollow=[row.mark == "insufficient" for row, _ in found],
        caption=Term("more_groups", left_out=len(groups) - len(found)),
    )
