"""How much the engine differs from itself when it scores the same responses again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.figures import dots_of
from report_sections.lookup import distinct, estimate_of, number, records
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Section, Table, Term
from reportgen.wording.numbers import num

TABLES = ("runs.components", "runs.agreement", "runs.descriptives")
"""Tables on the page; `runs.prmse` is its figure."""


@dataclass(frozen=True)
class RepeatedRuns(Section):
    """Run-to-run variance, agreement of runs with each other, and what the mean of several runs would gain."""

    name: ClassVar[str] = "repeated_runs"
    needs: ClassVar[tuple[str, ...]] = ("system", "runs", "order")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how far runs differ, and what that costs."""
        return Findings(
            values={"case": _case(evaluation), "runs": _n_runs(evaluation), "share": _share(evaluation)},
            tables=tuple(table for key in TABLES if (table := evaluation.tables.get(key)) is not None),
            charts=_chart(evaluation.tables.get("runs.prmse")),
        )


def _case(evaluation: Evaluation) -> str:
    """Return "undefined", "same" where all runs gave the same scores, or "differ"."""
    sd = estimate_of(evaluation, "runs.sd")
    return "undefined" if sd is None else "differ" if sd.value else "same"


def _n_runs(evaluation: Evaluation) -> int:
    table = evaluation.tables.get("runs.descriptives")
    return len(table.rows) if table else 0


def _share(evaluation: Evaluation) -> Any:
    """Return what share of the variance of the engine's scores comes from asking again; None where it is unknown."""
    table = evaluation.tables.get("runs.components")
    share = records(table)[-1]["share"] if table is not None and table.rows else None
    return share if isinstance(share, Estimate) and share.defined else None


def _chart(table: Table | None) -> tuple[Chart, ...]:
    cells = [(int(number(row["runs"]) or 0), row["prmse"]) for row in records(table)] if table else []
    found = [(runs, cell) for runs, cell in cells if isinstance(cell, Estimate) and cell.defined]
    if not found:
        return ()
    labels = distinct(num(runs) for runs, _ in found)
    (first, one), (last, mean) = found[0], found[-1]
    return (
        Chart(
            key="runs.prmse.chart",
            title=Term("prmse_of_runs"),
            alt=Term("prmse_of_runs_alt", first=first, one=one, last=last, mean=mean),
            x=Axis(Term("axis_prmse")),
            y=Axis(Term("axis_runs"), categories=labels),
            layers=(dots_of(Term("prmse"), labels, [cell for _, cell in found]),),
        ),
    )
