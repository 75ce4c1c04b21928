"""Which responses were evaluated, which were not and why, and how the columns were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.groups import for_page, nearly_equal
from report_sections.lookup import fact, multiply_scored, number, records, rows_of, tables_of, withheld_log
from reportgen.sections import Column, Evaluation, Findings, Row, Section, Table, Term

EXCLUSIONS = "data.exclusions"
EXCLUDED_BY_KIND = "data.exclusion_composition"


@dataclass(frozen=True)
class Data(Section):
    """Composition of the data, exclusions with reasons, the scale, column roles, group sizes.

    Parameters
    ----------
    group_sizes
        Whether the page has a table of sizes for each group column.
    """

    name: ClassVar[str] = "data"
    title: ClassVar[str] = "Data"

    group_sizes: bool = True

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what was read, kept and left out."""
        sizes = self._sizes(evaluation)
        return Findings(
            values={
                "double": multiply_scored(evaluation) - fact(evaluation, "double_scored_without_engine"),
                "scale": _scale(evaluation),
                "unscored": _unscored(evaluation),
                "groups": [_spread(column, table) for column, table in sizes.items()],
                "large_tables": [table.key for table in sizes.values() if not _nearly_equal(table)],
                "withheld": _withheld(evaluation),
                "not_used": [[str(part) for part in each] for each in evaluation.facts.get("columns_left_out") or ()],
                "told": list(evaluation.warnings),
            },
            tables=(
                *_accounts(evaluation),
                _roles(evaluation),
                *(for_page(table) for table in sizes.values() if not _nearly_equal(table)),
                *withheld_log(evaluation),
            ),
        )

    def _sizes(self, evaluation: Evaluation) -> dict[str, Table]:
        keys = {column: f"data.groups.{column}" for column in evaluation.groups} if self.group_sizes else {}
        return {column: evaluation.tables[key] for column, key in keys.items() if key in evaluation.tables}


def _nearly_equal(table: Table) -> bool:
    sizes = [int(number(row["n"]) or 0) for row in records(table)]
    return nearly_equal(sizes) and not any(row.mark for row in table.rows)


def _spread(column: str, table: Table) -> dict[str, Any]:
    sizes = [int(number(row["n"]) or 0) for row in records(table)]
    return {"column": column, "count": len(sizes), "least": min(sizes, default=0), "most": max(sizes, default=0)}


def _scale(evaluation: Evaluation) -> dict[str, Any]:
    """Return what is said of the scale: its ends and steps, or the labels and the numbers that stand for them."""
    scale = evaluation.scale
    case = "unordered" if not scale.ordered else "labels" if scale.labels else "points" if scale.step else "continuous"
    labels: list[list[Any]] = []
    if case in ("unordered", "labels"):
        points = scale.points()
        labels = [[label, point] for label, point in zip(scale.labels or points, points, strict=False)]
    held = {"low": scale.low, "high": scale.high, "step": scale.step, "assumed": scale.assumed}
    return {"case": case, "labels": labels, **held}


def _unscored(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return how often, and in which way, the engine gave no usable score."""
    row = next(iter(rows_of(evaluation, "data.outputs")), None)
    if row is None:
        return None
    counted = {key: int(number(row[key]) or 0) for key in ("blank", "text", "infinite", "refusals")}
    kinds = [{"kind": key, "n": n} for key, n in counted.items() if n and key != "refusals"]
    return {"share": row["share"], "n": sum(each["n"] for each in kinds), "kinds": kinds, **counted}


def _withheld(evaluation: Evaluation) -> dict[str, Any]:
    kinds = Counter(row["withheld"] for row in rows_of(evaluation, "privacy.withheld"))
    return {
        "kinds": [{"what": what, "n": n} for what, n in kinds.items()],
        "least": fact(evaluation, "min_n_per_group"),
    }


def _accounts(evaluation: Evaluation) -> Iterator[Table]:
    """Yield the composition, and what was left out where anything was."""
    yield from tables_of(evaluation, "data.composition", "data.outputs")
    if not fact(evaluation, "responses_excluded"):
        return
    if (reasons := evaluation.tables.get(EXCLUSIONS)) is not None:
        index = [column.key for column in reasons.columns].index("responses")
        yield replace(reasons, rows=tuple(row for row in reasons.rows if number(row.cells[index])))
    yield from tables_of(evaluation, EXCLUDED_BY_KIND)


ROLES = frozenset({
    "system", "human", "rater", "group", "item", "candidate", "id", "score", "length", "run", "flag", "text", "time",
    "trait", "item score",
})  # fmt: skip
"""What a column can be used as, and has a word."""


def _role(role: str) -> str:
    return Term(f"role_{role.replace(' ', '_')}") if role in ROLES else role


def _roles(evaluation: Evaluation) -> Table:
    columns = (Column("role"), Column("columns"), Column("how"))
    rows = tuple(Row((_role(role.role), ", ".join(role.columns) or None, role.how)) for role in evaluation.roles)
    return Table("data.roles", "", columns, rows)
