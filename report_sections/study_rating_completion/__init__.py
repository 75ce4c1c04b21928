"""How well hidden ratings are recovered, and whether decisions stay the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from report_sections.figures import beside
from report_sections.study_figures import lines_by
from report_sections.study_published import outcomes
from reportgen.sections import Axis, Chart, Estimate, Evaluation, Findings, Panel, Section, Table, Term

LOW_RANK = "study.low_rank"
FILLED, CORPORA, SUSPICIOUS = "study.filled", "study.corpora", "study.suspicious"
RECOVERED = ("study.own", "study.three", "study.pairs")
DECIDED = ("study.own_decisions", "study.decisions")
BEST, BASELINE, SINGLE = "gaussian", "mean", "single"


@dataclass(frozen=True)
class StudyRatingCompletion(Section):
    """The low-rank test, recovery of hidden ratings, and decisions made on them."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what can be predicted, and what becomes of decisions."""
        shown = evaluation.present(FILLED, SUSPICIOUS, *RECOVERED, *DECIDED, CORPORA)
        charts = _recovered(evaluation.present(*RECOVERED))
        low_rank = [_low_rank(table) for table in evaluation.present(LOW_RANK)]
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
            tables=shown,
            charts=(*charts, *low_rank),
        )


def _predicted(evaluation: Evaluation) -> dict[str, Any]:
    """Return how far predicted ratings are off, and the rater's mean, where the fewest are missing."""
    share, errors = next(iter(evaluation.facts["recovered"].items()))
    best, mean = errors[BEST], errors[BASELINE]
    gain = evaluation.facts.get("better", {}).get(share)
    case, estimate = "unknown", None
    if gain is not None:
        value, low, high = (float(each) for each in gain)
        estimate = Estimate("gain", value, evaluation.count("draws"), low, high, kind="score")
        if best is not None and mean is not None:
            case = "better" if low > 0 else "worse" if high < 0 else "not shown"
    return {"case": case, "missing": 100 * float(share), "best": best, "mean": mean, "gain": estimate}


def _of_pairs(evaluation: Evaluation) -> dict[str, float]:
    """Return how far predictions are off with two judges at a time, where the fewest are missing."""
    errors: dict[str, dict[str, float]] = evaluation.facts.get("recovered_pairs") or {}
    return next(({"best": each[BEST], "mean": each[BASELINE]} for each in errors.values()), {})


def _suspicious(evaluation: Evaluation) -> dict[str, int]:
    """Return how many ratings were held against predictions from others, and how many lie far off."""
    rows = evaluation.records(SUSPICIOUS)
    return {key: sum(row.count(key) for row in rows) for key in ("checked", "far") if rows}


def _decided(evaluation: Evaluation) -> dict[str, Any]:
    """Return how often comparisons of systems come out differently, by method, where the fewest are missing."""
    rows = [row for table in evaluation.present(*DECIDED)[:1] for row in table.records()]
    fewest = {str(row["method"]).removeprefix("method."): row for row in rows if row["missing"] == rows[0]["missing"]}
    shares = {key: share for key in (BEST, BASELINE, SINGLE)
              if key in fewest and (share := fewest[key].estimate("opposite"))}  # fmt: skip
    return {"missing": rows[0]["missing"], **shares} if BEST in shares and SINGLE in shares else {}


def _recovered(tables: tuple[Table, ...]) -> list[Chart]:
    """Return mean absolute error over the share of missing ratings, a line for every method, a plot for every table."""
    known = ((table.key, [row for row in table.records() if row.estimate("error")]) for table in tables)
    plots = {
        Term(f"recovered.{key.removeprefix('study.')}"): lines_by(rows, "method", "missing", "error")
        for key, rows in known
    }
    values = [value for lines in plots.values() for line in lines for value in line.y if value is not None]
    if not values:
        return []
    first = {
        where: [{"method": each.label, "first": each.y[0], "last": each.y[-1]} for each in lines[:3]]
        for where, lines in plots.items()
    }
    told = [{"where": where, "lines": lines} for where, lines in first.items()]
    x, y = Axis(Term("missing_axis"), unit="%"), Axis(Term("error_axis"), low=0.0, high=max(values))
    key, alt = f"{tables[0].key}.chart", Term("recovered_alt", plots=told)
    panels = tuple(Panel(name, x, lines, y) for name, lines in plots.items())
    return [beside(key, "", alt, panels, Axis(""), y)]


def _low_rank(table: Table) -> Chart:
    """Return the low-rank ratio by noise: figure 1 of the paper."""
    lines = lines_by((row for row in table.records() if row.number("level") is not None), "noise", "level", "ratio")
    told = [{"noise": line.label, "last": line.y[-1]} for line in lines]
    title, alt = Term("low_rank_title"), Term("low_rank_alt", found=told)
    return Chart(f"{LOW_RANK}.chart", title, alt, Axis(Term("noise_axis")), Axis(Term("ratio_axis"), low=0), lines)
