"""How agreement coefficients move under four stresses that leave the quality of scores as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import Record, number, records
from report_sections.study_published import outcomes
from reportgen.sections import Axis, Chart, Evaluation, Findings, Line, Section, Table, Term

MOVEMENT = "study.movement"
WITH_WEIGHTS = (
    ("kappa_quadratic", "engine", "solid"),
    ("kappa_linear", "engine", "dot"),
    ("bp_quadratic", "engine", "dash"),
    ("bp_linear", "engine", "dashdot"),
    ("ac_quadratic", "human", "solid"),
    ("ac_linear", "human", "dot"),
)
TWO_POINTS = (
    ("kappa_linear", "engine", "solid"), ("bp_linear", "engine", "dash"), ("ac_linear", "human", "solid"),
    ("pa", "muted", "dot"),
)  # fmt: skip
"""With pass and fail only, linear and quadratic weights are the same."""

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

    name: ClassVar[str] = "study_agreement_robustness"

    steady: float | None = None

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what moves with the spread of true scores and what does not, statements of the paper, every stress."""
        sweeps = [key for key in evaluation.tables if key.startswith("study.") and key.count(".") == 2]
        sweeps.sort(key=lambda key: not key.startswith("study.own"))
        movement = evaluation.tables[MOVEMENT]
        limit = evaluation.facts["steady"] if self.steady is None else self.steady
        charts = [chart for key in sweeps for chart in _charts(evaluation.tables[key])]
        moved = _moved(records(movement), limit)
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
    moves = {_key(row): max(_of_spread(row).values()) for row in rows}
    steady = [key for key, moved in moves.items() if moved < limit]
    worst = max(moves, key=lambda key: moves[key])
    column = _largest(next(row for row in rows if _key(row) == worst))
    scores, _, stress = column.rpartition("_")  # such as "real_like_spread"
    return {
        "steady": _together(steady),
        "n_steady": len(steady),
        "all_steady": moves[worst] < limit,
        "worst": _named(worst),
        "most": moves[worst],
        "kappa": moves["kappa_quadratic"] if worst != "kappa_quadratic" else None,
        "figure": f"study.{scores}.{stress}.x",
    }


def _key(row: Record) -> str:
    """Return the key of a coefficient, such as "bp_linear"."""
    return str(row["coefficient"]).removeprefix("coefficient.")


def _of_spread(row: Record) -> dict[str, float]:
    """Return how far a coefficient moves where only the spread of true scores changes, by column."""
    return {key: number(row[key]) or 0.0 for key in row if key.endswith(SPREADS)}


def _largest(row: Record) -> str:
    moves = _of_spread(row)
    return max(moves, key=lambda key: moves[key])


def _named(key: str) -> Term:
    """Return the name of a coefficient with its weights."""
    family, _, weights = key.partition("_")
    return Term(f"weighted.{weights}", family=Term(f"family.{family}"))


def _together(keys: Sequence[str]) -> list[Term]:
    """Return names of coefficients; one with both kinds of weights is named once."""
    families = [key.partition("_")[0] for key in keys]
    return [
        Term(f"family.{family}") if families.count(family) > 1 else _named(keys[families.index(family)])
        for family in dict.fromkeys(families)
    ]


def _charts(table: Table) -> tuple[Chart, ...]:
    """Return the coefficients of one table along its stress; at thresholds, along what the threshold changes."""
    if not table.key.endswith("threshold"):
        return (_chart(table, "x", table.columns[0].label, WITH_WEIGHTS),)
    drawn = DRAWN.get(table.key.split(".")[1], tuple(ALONG))
    return tuple(_chart(table, column, Term(f"along.{ALONG[column]}"), TWO_POINTS) for column in drawn)


def _chart(table: Table, column: str, along: str, lines: Sequence[tuple[str, str, str]]) -> Chart:
    """Return the coefficients of one table along one of its columns."""
    rows = sorted(records(table), key=lambda row: number(row[column]) or 0.0)
    x = tuple(number(row[column]) for row in rows)
    told = [
        {"name": _label(key, lines), "first": number(rows[0][key]), "last": number(rows[-1][key])} for key, *_ in lines
    ]
    return Chart(
        f"{table.key}.{column}",
        table.caption if column == "x" else Term("stress_along", title=table.caption, along=along),
        Term("stress_alt", along=along, low=x[0], high=x[-1], found=told),
        Axis(along),
        Axis(Term("coefficient_axis"), high=1.0),
        tuple(
            Line(_label(key, lines), x, tuple(number(row[key]) for row in rows), ink, dashes)  # type: ignore[arg-type]
            for key, ink, dashes in lines
        ),
    )


def _label(key: str, lines: Sequence[tuple[str, str, str]]) -> Term:
    """Return the name of a line; with two points there are no weights to name."""
    return Term(f"short.{key.partition('_')[0]}" if lines is TWO_POINTS else f"coefficient.{key}")
