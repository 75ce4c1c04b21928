"""Show how well raters agree, for comparison with the engine."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from report_sections import human_raters
from report_sections.figures import MOST_POINTS
from report_sections.lookup import category_names, estimates_in, for_page, group_checks, is_drawn
from reportgen.results import Outcome, number
from reportgen.sections import Estimate, Evaluation, Findings, Section, Table, Term

LEAST = 50  # fewest double-scored responses of a group in the report; the CSV file has all

AGREEMENT = "human_human.agreement"
TABLES = ("human_human.degradation", AGREEMENT, "human_human.overall", "human_human.categories",
          "human_human.descriptives", "human_human.disattenuated")  # fmt: skip


class HumanHumanAgreement(Section, needs=("system", "order")):
    """Show the agreement of the first and second rater, compared with the engine's."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return rater agreement, or the limits of the data without a second rater."""
        if not evaluation.count("responses_double_scored"):
            return Findings(values={"case": "one_rater"})
        tested = human_raters.counted(human_raters.conditions(evaluation, human_raters.HumanRaters()))
        named = len(evaluation.raters) > 2
        pairs = human_raters.agreement_of_pairs(evaluation, AGREEMENT, "qwk") if named else {}
        tables = {column: table for column in evaluation.groups for table in _of_groups(evaluation, column)}
        overall = estimates_in(evaluation.records("human_human.overall"), "coefficient", "value")
        return Findings(
            values={
                "case": "drawn" if is_drawn(evaluation) else "record",
                "first_two": evaluation.raters[:2] if named else (),
                "pairs": human_raters.ends_of_pairs(pairs),
                "overall": [{"coefficient": key, "value": value} for key, value in overall],
                "categories": _of_categories(evaluation),
                "matrix": _matrix(evaluation),
                "columns": list(tables),
                "conditions": tested,
            },
            tables=(*evaluation.present(*TABLES), *tables.values()),
            charts=human_raters.grid(evaluation, AGREEMENT, "qwk") or tuple(human_raters.error_chart(evaluation)),
            outcome=_outcome(tested),
        )


def _of_categories(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return how often one rater gives each of two categories when the other does."""
    called = category_names(evaluation)
    shares = {which: evaluation.estimate(f"human.{key}_agreement") for key, which in _CATEGORIES.items() if called}
    return [{"category": called[which], "share": _in_percent(share)} for which, share in shares.items() if share]


_CATEGORIES = {"positive": "higher", "negative": "lower"}


def _in_percent(share: Estimate) -> Estimate:
    value, low, high = (None if each is None else 100 * each for each in (share.value, share.low, share.high))
    return replace(share, value=value, low=low, high=high, kind="percent")


def _of_groups(evaluation: Evaluation, column: str) -> Iterator[Table]:
    """Yield the agreement in groups of a column that are large enough or beyond the limit, if there are two or more."""
    for table in evaluation.present(f"human_human.by.{column}"):
        beyond = [check.level for check in group_checks(evaluation, column) if check.outcome == "not met"]
        sized = zip(table.rows, table.column("n"), strict=True)
        kept = tuple(row for row, n in sized if (number(n) or 0) >= LEAST or row.cells[0] in beyond)
        few = len(table.rows) - len(kept)
        left_out = (Term("smaller_groups", n=few, file=table.file_name),) if few else ()
        if sum(row.mark != "overall" for row in kept) > 1:
            yield for_page(replace(table, rows=kept, notes=(*table.notes, *left_out)), "qwk")


def _matrix(evaluation: Evaluation) -> dict[str, Any]:
    """Return the table that counts the scores of both raters if the scale has too many points for a chart."""
    table = evaluation.tables.get("confusion.human")
    points = 0 if table is None else len(table.rows)
    return {"points": points, "file": table.file_name} if table is not None and points > MOST_POINTS else {}


def _outcome(tested: Mapping[str, Any]) -> Outcome:
    states = {each["state"] for each in tested["counts"]}
    order: Mapping[str, Outcome] = {"not_met": "not met", "undecided": "not yet known", "met": "met"}
    return next((outcome for state, outcome in order.items() if state in states), "insufficient")
