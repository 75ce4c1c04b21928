"""How well hidden ratings are recovered, and whether decisions stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from report_sections.lookup import Record, fact, number, records
from report_sections.study_figures import Series, lines_of, small_multiples
from report_sections.study_published import outcomes
from reportgen.results import Cell
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Section, Table, Term

LOW_RANK = "study.low_rank"
FILLED, CORPORA, SUSPICIOUS = "study.filled", "study.corpora", "study.suspicious"
RECOVERED = ("study.own", "study.three", "study.pairs")
DECIDED = ("study.own_decisions", "study.decisions")
BEST, BASELINE, SINGLE = "gaussian", "mean", "single"


@dataclass(frozen=True)
class StudyRatingCompletion(Section):
    """The low-rank test, recovery of hidden ratings, and decisions made on them."""

    name: ClassVar[str] = "study_rating_completion"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what can be predicted, and what becomes of decisions."""
        tables = evaluation.tables
        shown = [tables[key] for key in (FILLED, SUSPICIOUS, *RECOVERED, *DECIDED, CORPORA) if key in tables]
        charts = _recovered([tables[key] for key in RECOVERED if key in tables])
        low_rank = [_low_rank(tables[LOW_RANK])] if LOW_RANK in tables else []
        return Findings(
            values={
                **_predicted(evaluation),
                "decided": _decided(evaluation),
                "pairs": _of_pairs(evaluation),
                "claim": evaluation.facts.get("claim") or {},
                "planted": evaluation.facts.get("planted") or {},
                "suspicious": _suspicious(evaluation),
                "statements": outcomes(evaluation),
                "changed": evaluation.facts.get("changed") or {},
                "figure": charts[0].key if charts else "",
                "more_charts": [chart.key for chart in low_rank],
                "more_tables": [table.key for table in shown if table.key != FILLED],
            },
            tables=tuple(shown),
            charts=(*charts, *low_rank),
        )


def _predicted(evaluation: Evaluation) -> dict[str, Any]:
    """Return how far predicted ratings are off, and the rater's mean, where the fewest are missing."""
    share, errors = next(iter(evaluation.facts["recovered"].items()))
    best, mean = errors[BEST], errors[BASELINE]
    gain = evaluation.facts.get("better", {}).get(share)
    estimate = None
    if gain is not None:
        value, low, high = (float(each) for each in gain)
        estimate = Estimate("gain", value, fact(evaluation, "draws"), low, high, kind="score")
    return {
        "case": _case(estimate) if best is not None and mean is not None else "unknown",
        "missing": 100 * float(share),
        "best": best,
        "mean": mean,
        "gain": estimate,
    }


def _of_pairs(evaluation: Evaluation) -> dict[str, float]:
    """Return how far predictions are off with two judges at a time, where the fewest are missing."""
    errors: dict[str, dict[str, float]] = evaluation.facts.get("recovered_pairs") or {}
    return next(({"best": each[BEST], "mean": each[BASELINE]} for each in errors.values()), {})


def _suspicious(evaluation: Evaluation) -> dict[str, int]:
    """Return how many ratings were held against predictions from others, and how many lie far off."""
    table = evaluation.tables.get(SUSPICIOUS)
    if table is None:
        return {}
    rows = records(table)
    return {key: int(sum(number(row[key]) or 0 for row in rows)) for key in ("checked", "far")}


def _case(gain: Estimate | None) -> str:
    """Return whether other raters predict better than the rater's mean."""
    if gain is None or gain.low is None or gain.high is None:
        return "unknown"
    return "better" if gain.low > 0 else "worse" if gain.high < 0 else "not shown"


def _decided(evaluation: Evaluation) -> dict[str, Any]:
    """Return how often comparisons of systems come out differently, by method, where the fewest are missing."""
    table = next((evaluation.tables[key] for key in DECIDED if key in evaluation.tables), None)
    if table is None:
        return {}
    rows = records(table)
    share = rows[0]["missing"]
    found = {str(row["method"]).removeprefix("method."): row["opposite"] for row in rows if row["missing"] == share}
    shares = {key: found[key] for key in (BEST, BASELINE, SINGLE) if _defined(found.get(key))}
    return {"missing": share, **shares} if BEST in shares and SINGLE in shares else {}


def _defined(cell: Cell) -> bool:
    return isinstance(cell, Estimate) and cell.defined


def _recovered(tables: Sequence[Table]) -> list[Chart]:
    """Return mean absolute error over the share of missing ratings, a line for every method, a plot for every table."""
    plots: list[tuple[str, list[Series]]] = []
    told = []
    for table in tables:
        rows = [row for row in records(table) if _defined(row["error"])]
        found = []
        for method in dict.fromkeys(row["method"] for row in rows):
            own = [row for row in rows if row["method"] == method]
            points = (tuple(number(row[key]) for row in own) for key in ("missing", "error"))
            found.append(Series(method if isinstance(method, str) else str(method), *points))
        where = Term(f"recovered.{table.key.removeprefix('study.')}")
        plots.append((where, found))
        lines = [{"method": each.name, "first": each.y[0], "last": each.y[-1]} for each in found[:3]]
        told.append({"where": where, "lines": lines})
    if not any(series for _, series in plots):
        return []
    return [
        small_multiples(
            f"{tables[0].key}.chart",
            "",
            Term("recovered_alt", plots=told),
            plots,
            Axis(Term("missing_axis"), unit="%"),
            Axis(Term("error_axis"), low=0.0),
        )
    ]


def _low_rank(table: Table) -> Chart:
    """Return the low-rank ratio by noise: figure 1 of the paper."""
    rows = [row for row in records(table) if number(row["level"]) is not None]
    kinds = dict.fromkeys(row["noise"] for row in rows if isinstance(row["noise"], str))
    lines = lines_of([Series(kind, *_points([row for row in rows if row["noise"] == kind])) for kind in kinds])
    told = [{"noise": line.label, "last": line.y[-1]} for line in lines]
    return Chart(
        f"{LOW_RANK}.chart",
        Term("low_rank_title"),
        Term("low_rank_alt", found=told),
        Axis(Term("noise_axis")),
        Axis(Term("ratio_axis"), low=0),
        lines,
    )


def _points(rows: Sequence[Record]) -> tuple[tuple[float | None, ...], tuple[float | None, ...]]:
    return tuple(number(row["level"]) for row in rows), tuple(number(row["ratio"]) for row in rows)
