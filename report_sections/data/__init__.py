"""Show which responses were evaluated, which were excluded and why, and how columns were read."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from report_sections.lookup import for_page, multiply_scored, nearly_equal
from reportgen.results import number
from reportgen.sections import Column, Evaluation, Findings, Row, Section, Table, Term


@dataclass(frozen=True)
class Data(Section, title="Data"):
    """Show the composition of the data, exclusions with reasons, the scale, column roles, and group sizes.

    Parameters
    ----------
    group_sizes
        Whether the page has a table of sizes for each group column.
    """

    group_sizes: bool = True

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the responses that were read, used, and excluded."""
        columns = evaluation.groups if self.group_sizes else ()
        tables = {column: table for column in columns for table in evaluation.present(f"data.groups.{column}")}
        sizes = {column: [row.count("n") for row in table.records()] for column, table in tables.items()}
        # a sentence describes nearly equal sizes
        even = [column for column, n in sizes.items() if nearly_equal(n)]
        large = [each for column, each in tables.items() if column not in even or any(row.mark for row in each.rows)]
        kinds = Counter(row["withheld"] for row in evaluation.records("privacy.withheld"))
        return Findings(
            values={
                "double": multiply_scored(evaluation) - evaluation.count("double_scored_without_engine"),
                "scale": _scale(evaluation),
                "unscored": _unscored(evaluation),
                "groups": [
                    {"column": column, "count": len(n), "least": min(n, default=0), "most": max(n, default=0)}
                    for column, n in sizes.items()
                ],
                "large_tables": [table.key for table in large],
                "withheld": {
                    "kinds": [{"what": what, "n": n} for what, n in kinds.items()],
                    "least": evaluation.count("min_n_per_group"),
                },
                "not_used": [[str(part) for part in each] for each in evaluation.facts.get("columns_left_out") or ()],
                "told": list(evaluation.warnings),
            },
            tables=(*_accounts(evaluation), *map(for_page, large), *evaluation.present("privacy.withheld")),
        )


def _scale(evaluation: Evaluation) -> dict[str, Any]:
    scale = evaluation.scale
    case = "unordered" if not scale.ordered else "labels" if scale.labels else "points" if scale.step else "continuous"
    points = scale.points() if case in ("unordered", "labels") else ()
    labels = [list(each) for each in zip(scale.labels or points, points, strict=False)]
    return {"case": case, "labels": labels, **{key: getattr(scale, key) for key in ("low", "high", "step", "assumed")}}


def _unscored(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return how often and how the engine gave no usable score."""
    row = next(iter(evaluation.records("data.outputs")), None)
    if row is None:
        return None
    counted = {key: row.count(key) for key in ("blank", "text", "infinite", "refusals")}
    kinds = [{"kind": key, "n": n} for key, n in counted.items() if n and key != "refusals"]
    return {"share": row["share"], "n": sum(each["n"] for each in kinds), "kinds": kinds, **counted}


def _accounts(evaluation: Evaluation) -> Iterator[Table]:
    yield from evaluation.present("data.composition", "data.outputs")
    if evaluation.count("responses_excluded"):
        for reasons in evaluation.present("data.exclusions"):
            counts = zip(reasons.rows, reasons.column("responses"), strict=True)
            yield replace(reasons, rows=tuple(row for row, n in counts if number(n)))
        yield from evaluation.present("data.exclusion_composition")
    yield _roles(evaluation)


ROLES = frozenset({
    "system", "human", "rater", "group", "item", "candidate", "cluster", "id", "score", "length", "run", "flag", "text",
    "time", "trait", "item score", "weight", "double_weight",
})  # fmt: skip
"""Roles of columns that have a word."""


def _roles(evaluation: Evaluation) -> Table:
    rows = tuple(
        Row((
            Term(f"role_{each.role.replace(' ', '_')}") if each.role in ROLES else each.role,
            ", ".join(each.columns) or None,
            each.how,
        ))
        for each in evaluation.roles
        if each.how != "reshaped from one row per rating"  # not columns of the file, whose columns are listed
    )  # fmt: skip
    return Table("data.roles", "", tuple(map(Column, ("role", "columns", "how"))), rows)
