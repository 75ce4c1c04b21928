"""How agreement coefficients move under four stresses that leave the quality of scores as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from report_sections.study_figures import column
from report_sections.study_published import outcomes
from reportgen.results import Record, number
from reportgen.sections import Axis, Chart, Evaluation, Findings, Line, Section, Table, Term

MOVEMENT = "study.movement"
Styles = Mapping[str, tuple[Literal["engine", "human", "muted"], Literal["solid", "dash", "dot", "dashdot"]]]

WITH_WEIGHTS: Styles = {
    "kappa_quadratic": ("engine", "solid"), "kappa_linear": ("engine", "dot"), "bp_quadratic": ("engine", "dash"),
    "bp_linear": ("engine", "dashdot"), "ac_quadratic": ("human", "solid"), "ac_linear": ("human", "dot"),
}  # fmt: skip
TWO_POINTS: Styles = {
    "kappa_linear": ("engine", "solid"), "bp_linear": ("engine", "dash"), "ac_linear": ("human", "solid"),
    "pa": ("muted", "dot"),
}  # fmt: skip
"""How lines are drawn; with pass and fail only, linear and quadratic weights are the same."""

ALONG = {"prevalence": "share_passing", "similarity": "similarity", "probability": "probability"}
"""What figures 1 to 3 (right) of the paper have along their axes."""

DRAWN = {"real_like": ("prevalence", "probability"), "real_apart": ("similarity",)}
"""Which of them are drawn of a stand-in; where shares are alike, nothing is seen along their similarity."""

SPREADS = ("_spread", "_prevalence")
"""How columns of the table of movements end in which only the spread of true scores changes."""


@dataclass(frozen=True)
class StudyAgreementRobustness(Section):
    """Coefficients along each stress, on synthetic, real-like and one's own scores.

    Parameters
    ----------
    steady
        A coefficient that moves less than this under a stress counts as steady; unset for that of the study.
    """

    steady: float | None = None

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what moves with the spread of true scores and what does not, statements of the paper, every stress."""
        sweeps = [key for key in evaluation.tables if key.startswith("study.") and key.count(".") == 2]
        sweeps.sort(key=lambda key: not key.startswith("study.own"))
        movement = evaluation.tables[MOVEMENT]
        limit = evaluation.facts["steady"] if self.steady is None else self.steady
        charts = [chart for key in sweeps for chart in _charts(evaluation.tables[key])]
        moved = _moved(movement.records(), limit)
        return Findings(
            values={
                **moved,
                "limit": limit,
                "more_charts": [chart.key for chart in charts if chart.key != moved["figure"]],
                "statements": outcomes(evaluation),
            },
            tables=(movement,),
            charts=tuple(charts),
        )


def _moved(rows: Sequence[Record], limit: float) -> dict[str, Any]:
    """Return which coefficients keep steady as the spread changes, which moves most, and where that is drawn."""
    by_column = {
        str(row["coefficient"]).removeprefix("coefficient."): {
            column: number(cell) or 0.0 for column, cell in row.items() if column.endswith(SPREADS)
        }
        for row in rows
    }
    moves = {key: max(moved.values()) for key, moved in by_column.items()}
    steady = [key for key, moved in moves.items() if moved < limit]
    worst = max(moves, key=lambda key: moves[key])
    # such as "real_like_spread"
    scores, _, stress = max(by_column[worst], key=lambda column: by_column[worst][column]).rpartition("_")
    return {
        "steady": _together(steady),
        "n_steady": len(steady),
        "all_steady": moves[worst] < limit,
        "worst": _named(worst),
        "most": moves[worst],
        "kappa": moves["kappa_quadratic"] if worst != "kappa_quadratic" else None,
        "figure": f"study.{scores}.{stress}.x",
    }


def _named(key: str) -> Term:
    """Return the name of a coefficient with its weights."""
    family, _, weights = key.partition("_")
    return Term(f"weighted.{weights}", family=Term(f"family.{family}"))


def _together(keys: Sequence[str]) -> list[Term]:
    """Return names of coefficients; one with both kinds of weights is named once."""
    families: dict[str, list[str]] = {}
    for key in keys:
        families.setdefault(key.partition("_")[0], []).append(key)
    return [Term(f"family.{name}") if len(own) > 1 else _named(own[0]) for name, own in families.items()]


def _charts(table: Table) -> list[Chart]:
    """Return the coefficients of one table along its stress; at thresholds, along what the threshold changes."""
    if not table.key.endswith("threshold"):
        return [_chart(table, "x", table.columns[0].label, table.caption)]
    charts = []
    for key in DRAWN.get(table.key.split(".")[1], tuple(ALONG)):
        along = Term(f"along.{ALONG[key]}")
        charts.append(_chart(table, key, along, Term("stress_along", title=table.caption, along=along)))
    return charts


def _chart(table: Table, key: str, along: str, title: str) -> Chart:
    """Return the coefficients of one table along one of its columns."""
    rows = sorted(table.records(), key=lambda row: row.number(key) or 0.0)
    x, of_stress = column(rows, key), key == "x"
    lines = [
        Line(
            Term(f"coefficient.{name}" if of_stress else f"short.{name.partition('_')[0]}"), x, column(rows, name),
            ink, dashes,
        )
        for name, (ink, dashes) in (WITH_WEIGHTS if of_stress else TWO_POINTS).items()
    ]  # fmt: skip
    told = [{"name": line.label, "first": line.y[0], "last": line.y[-1]} for line in lines]
    return Chart(
        f"{table.key}.{key}", title, Term("stress_alt", along=along, low=x[0], high=x[-1], found=told), Axis(along),
        Axis(Term("coefficient_axis"), high=1.0), tuple(lines),
    )  # fmt: skip
