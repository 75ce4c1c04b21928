"""The first pages of summaries: of several reports, of engines, of traits, of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.changes import one_set
from report_sections.figures import NONE, ReportRow, reports_chart
from report_sections.lookup import (
    Record,
    distinct,
    doubts_of_runs,
    estimate_of,
    fact,
    known,
    number,
    records,
    rows_of,
    tables_of,
)
from reportgen.results import Kind
from reportgen.sections import Chart, Check, Estimate, Evaluation, Findings, Section, Table, Term

ANSWERS = (
    "deploy", "do not deploy", "collect more ratings", "out of reach with these raters", "cannot be judged", "",
)  # fmt: skip
"""Decisions in the order in which a sentence counts them."""

NOT_YET = (
    "collect more ratings", "out of reach with these raters", "cannot be judged",
)  # fmt: skip
"""Decisions that are one answer."""

MOST_ANSWERS = 12
"""Runs whose answers are given one by one, the worst first where there are more."""

MOST_SIDE_BY_SIDE = 4
"""Runs of other raters whose accuracy for true scores is told one by one."""


@dataclass(frozen=True)
class SummarizeSummary(Section):
    """Each run's answer and why; who is best among runs of the same responses, and what compares the others."""

    name: ClassVar[str] = "summarize_summary"
    title: ClassVar[str] = "Summary"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return each run's decision, who leads where ranks mean something, and the tables behind them."""
        return Findings(
            values={
                **answers(evaluation),
                "runs": len(evaluation.facts["runs"]),
                "same_responses": list(evaluation.facts.get("same_responses") or ()),
                "leaders": leaders(evaluation),
                "accuracy": accuracy(evaluation),
                "notes": list(evaluation.warnings),
            },
            tables=tables_of(evaluation, "summary.decisions", "summary.runs", "summary.criteria", "summary.ranking"),
            charts=tuple(filter(None, [reports_figure(evaluation)])),
        )


def answers(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many runs have which answer, and the answers one by one; of many runs the worst."""
    decisions = list(evaluation.facts.get("decisions") or ())
    counts = {code: sum(each["decision"] == code for each in decisions) for code in ANSWERS}
    counts[NOT_YET[0]] += sum(counts.pop(code) for code in NOT_YET[1:])
    worst = [each for each in decisions if each["decision"] != "deploy"]
    told = decisions if len(decisions) <= MOST_ANSWERS else _worst_first(worst)[:MOST_ANSWERS]
    return {
        "answers": [{"decision": code, "n": n} for code, n in counts.items() if n],
        "decisions": told,
        "more": len(decisions) - len(told),
    }


def _worst_first(decisions: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(decisions, key=lambda each: each["decision"] != "do not deploy")


def leaders(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return for each set of runs of the same responses those that none is clearly better than, on which metrics."""
    rows = [row for row in rows_of(evaluation, "summary.ranking") if "set" in row]
    found: dict[Any, dict[str, Any]] = {}
    for place, metric in dict.fromkeys((row["set"], str(row["metric"])) for row in rows):
        told = _leaders(evaluation, place, [row for row in rows if (row["set"], row["metric"]) == (place, metric)])
        same = found.setdefault((place, *told["first"], told["of"], told["beats_all"]), {**told, "metrics": []})
        same["metrics"].append(metric)
    return list(found.values())


def _leaders(evaluation: Evaluation, which: object, rows: Sequence[Record]) -> dict[str, Any]:
    best, order = rows[0]["value"], {str(run): place for place, run in enumerate(evaluation.facts["runs"])}
    first = sorted((str(row["run"]) for row in rows if row["rank"] == 1), key=lambda run: order.get(run, 0))
    return {
        "set": which, "first": first, "of": len(rows),
        "best": best if isinstance(best, Estimate) else None, "beats_all": rows[0].get("beats") == len(rows) - 1,
    }  # fmt: skip


def accuracy(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return what may stand side by side of runs with other raters: accuracy for true scores, and raters' agreement.

    Nothing where all have the same responses and ratings; of many runs those of the poorest raters.
    """
    table = evaluation.tables.get("summary.true_score")
    if table is None or one_set(evaluation):
        return []
    rows: list[dict[str, Any]] = [
        {"run": str(row["run"]), **{key: known(row.get(key)) for key in ("prmse", "disattenuated_r", "human_r")}}
        for row in records(table)
    ]
    if len(rows) > MOST_SIDE_BY_SIDE:
        rows.sort(key=lambda row: value if (value := number(row["human_r"])) is not None else 1.0)
    return rows[:MOST_SIDE_BY_SIDE]


KEY = "summary.decisions.chart"

COLUMNS: tuple[tuple[str, Kind], ...] = (
    ("system.qwk", "coefficient"), ("system.kappa", "coefficient"), ("system.smd", "difference"),
    ("true_score.prmse", "coefficient"), ("system.dsm", "difference"),
)  # fmt: skip
"""Statistics that are drawn, those of groups last; what no report has is left out, and kappa where QWK is known."""

GROUPS = "system.dsm"

TABLES = {
    "system.qwk": "summary.association", "system.kappa": "summary.agreement", "system.smd": "summary.descriptives",
    "true_score.prmse": "summary.true_score",
}  # fmt: skip
"""Which table holds a number of all responses."""

MOST_DRAWN = 30
"""Reports that are drawn; the table has them all."""

MOST_SAID = 6
"""Reports whose answers the words for the figure tell."""


def reports_figure(evaluation: Evaluation) -> Chart | None:
    """Return a row for each report, with its answer where it has one; None for fewer than two."""
    decisions = {each["run"]: each for each in evaluation.facts.get("decisions") or ()}
    runs = [str(run) for run in evaluation.facts.get("runs") or ()]
    labels = distinct(runs[:MOST_DRAWN])
    drawn = _columns(evaluation, runs)
    rows = [
        _row(evaluation, label, decisions.get(run, {}), run, drawn) for label, run in zip(labels, runs, strict=False)
    ]
    if len(rows) < 2 or not any(estimate for row in rows for estimate in row.estimates):
        return None
    told = [{"run": row.label, "decision": row.decision} for row in rows]
    alt = Term("decisions_alt", named=told[:MOST_SAID], more=max(0, len(runs) - MOST_SAID))
    columns = tuple(
        (Term("largest_group_difference") if statistic == GROUPS else Term("short_statistic", key=statistic), kind)
        for statistic, kind in drawn
    )
    return reports_chart(KEY, alt, rows, Term("answer"), columns)


def _columns(evaluation: Evaluation, runs: Sequence[str]) -> tuple[tuple[str, Kind], ...]:
    """Return the statistics that are drawn: kappa only where no run has QWK."""
    has_qwk = any(_stored(evaluation, "system.qwk", run) for run in runs)
    return tuple(each for each in COLUMNS if not (has_qwk and each[0] == "system.kappa"))


def _row(
    evaluation: Evaluation, label: str, decision: Mapping[str, Any], run: str, drawn: Sequence[tuple[str, Kind]]
) -> ReportRow:
    """Return what is drawn of one report; a number that no requirement is about is one of its tables."""
    stored = [_stored(evaluation, statistic, run) for statistic, _ in drawn]
    found = [_check(decision.get("checks", ()), statistic) for statistic, _ in drawn]
    return ReportRow(
        label,
        Term(decision["decision"]) if decision.get("decision") else "",
        tuple(check.estimate if check else own for check, own in zip(found, stored, strict=True)),
        tuple(check.outcome if check else "" for check in found),
        tuple((check.low, check.high) if check else NONE for check in found),
    )


def _stored(evaluation: Evaluation, statistic: str, run: str) -> Estimate | None:
    rows = [row for row in rows_of(evaluation, TABLES.get(statistic, "")) if row["run"] == run]
    return known(rows[0].get(statistic.rpartition(".")[2])) if rows else None


def _check(checks: Sequence[Check], statistic: str) -> Check | None:
    """Return the requirement on a statistic: on all responses, or of groups the one that lies farthest.

    A group beyond its limit comes before all others, and one of too few responses after them.
    """
    own = [check for check in checks if check.statistic == statistic and bool(check.column) == (statistic == GROUPS)]
    rank = {"not met": 0, "insufficient": 2}
    own.sort(key=lambda check: (rank.get(check.outcome, 1), -abs(check.estimate.value or 0.0)))
    return own[0] if own and own[0].outcome != "insufficient" else None


@dataclass(frozen=True)
class SummarizeSystems(Section):
    """Each engine's answer with a link to its report, the comparison of all, and responses without a score."""

    name: ClassVar[str] = "summarize_systems"
    title: ClassVar[str] = "Systems"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the answers with the places of the reports, and what the engines left without a score."""
        page = str(evaluation.facts.get("page") or "")
        decisions = {each["run"]: each for each in evaluation.facts.get("decisions") or ()}
        return Findings(
            values={
                "reports": [
                    {"name": label, "place": f"{folder}/{page}" if page else folder, "answer": decisions.get(label)}
                    for label, folder in evaluation.facts.get("parts") or ()
                ],
                "linked": bool(page),
                "baseline": evaluation.facts.get("baseline") or evaluation.facts["runs"][0],
                "runs": len(evaluation.facts["runs"]),
                "same_responses": list(evaluation.facts.get("same_responses") or ()),
                "leaders": leaders(evaluation),
                "compared": evaluation.facts.get("compared"),
                "beside": list(evaluation.facts.get("beside") or ()),
                "accuracy": accuracy(evaluation),
                "unscored": _unscored(evaluation),
                "doubts": doubts_of_runs(evaluation),
                "notes": list(evaluation.warnings),
            },
            charts=tuple(filter(None, [reports_figure(evaluation)])),
            tables=tables_of(
                evaluation, "summary.decisions", "data.outputs", "summary.runs", "summary.criteria", "summary.ranking"
            ),
        )


def _unscored(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the systems that left responses without a score, with the share of these."""
    return [
        {"run": str(row["system"]), "share": row["share"]}
        for row in rows_of(evaluation, "data.outputs")
        if number(row["share"]) and isinstance(row["share"], Estimate)
    ]


@dataclass(frozen=True)
class SummarizeTraits(Section):
    """Traits with their answers, headline numbers and links to their reports, the worst first, and the composite."""

    name: ClassVar[str] = "summarize_traits"
    title: ClassVar[str] = "Traits"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the answers of the traits, and what the composite is worth."""
        return Findings(
            values={
                **answers(evaluation),
                "composite": _composite(evaluation),
                "doubts": doubts_of_runs(evaluation),
                "notes": list(evaluation.warnings),
                "reports": _places(evaluation),
            },
            tables=tables_of(evaluation, "traits.traits", "summary.runs", "summary.criteria"),
        )


def _composite(evaluation: Evaluation) -> dict[str, Any]:
    """Return how well the composite predicts its true score, or why that is not known, and its weights."""
    prmse = evaluation.estimates.get("composite.prmse")
    weights = evaluation.facts.get("weights") or {}
    reason = evaluation.facts.get("composite_reason") or (prmse.reason if prmse is not None else "") or ""
    return {
        "prmse": known(prmse),
        "rho": estimate_of(evaluation, "composite.rho"),
        "reason": reason,
        "n": fact(evaluation, "composite_n"),
        "double": fact(evaluation, "composite_double"),
        "equal": bool(evaluation.facts.get("equal_weights")),
        "weights": [{"trait": trait, "weight": float(weight)} for trait, weight in weights.items()],
        "several_scales": bool(evaluation.facts.get("several_scales")),
    }


def _places(evaluation: Evaluation) -> list[dict[str, str]]:
    """Return the places of the reports, where the table does not lead to them."""
    if evaluation.facts.get("page"):
        return []
    return [{"name": label, "place": folder} for label, folder in evaluation.facts.get("parts") or ()]


MOST_MISSED = 8
"""Requirements whose misses are counted in words."""

MOST_TOLD = 20
"""Reports whose trouble is told in words; the table has them all."""


@dataclass(frozen=True)
class SummarizeItems(Section):
    """Every report with its answer, how often a requirement is not met, the items far below the others, and links."""

    name: ClassVar[str] = "summarize_items"
    title: ClassVar[str] = "Reports"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how many reports have each answer, what went wrong, and the reports by name and place."""
        parts = evaluation.facts.get("parts") or ()
        page = str(evaluation.facts.get("page") or "")
        troubles = list(evaluation.facts.get("troubles") or ())
        items = evaluation.tables.get("summary.items")
        shown = None if items is None else _items_worst_first(evaluation, items)
        left = 0 if items is None or shown is None else len(items.rows) - len(shown.rows)
        missed = list(evaluation.facts.get("missed") or ())
        return Findings(
            values={
                "answers": answers(evaluation)["answers"],
                "n": len(parts),
                "by": list(evaluation.facts.get("by") or ()),
                "missed": [{"requirement": label, "n": int(n)} for label, n in missed[:MOST_MISSED]],
                "more_missed": max(len(missed) - MOST_MISSED, 0),
                "far_below": _far_below(evaluation),
                "accuracy": accuracy(evaluation),
                "troubles": [{"name": label, "trouble": trouble} for label, trouble in troubles[:MOST_TOLD]],
                "n_troubles": len(troubles),
                "withheld": list(evaluation.facts.get("reports_withheld") or ()),
                "least": fact(evaluation, "min_n_per_group"),
                "left": left,
                "of_many": items is not None and len(items.rows) > items.max_rows,
                "reports": _items_places(shown, parts, page),
                "linked": bool(page),
                "notes": list(evaluation.warnings),
            },
            tables=(
                *((shown,) if shown is not None else ()),
                *tables_of(evaluation, "summary.runs", "summary.criteria"),
            ),
        )


def _items_worst_first(evaluation: Evaluation, table: Table) -> Table:
    """Return the table of the reports; of more than fit a page the worst, and all that are flagged, worst first."""
    order = evaluation.facts.get("worst_first") or range(len(table.rows))
    if len(table.rows) <= table.max_rows:
        return table
    ordered = [table.rows[place] for place in order]
    kept = tuple(row for place, row in enumerate(ordered) if place < table.max_rows or row.mark == "flagged")
    return replace(table, rows=kept, max_rows=len(kept))


def _far_below(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the items far below the others in QWK, the lowest first, with how well their raters agree."""
    found = []
    for item in map(str, evaluation.facts.get("far_below") or ()):
        qwk, raters = (_of(evaluation, item, *place) for place in (("association", "qwk"), ("true_score", "human_r")))
        found += [{"name": item, "qwk": qwk, "raters": raters}] if qwk is not None else []
    return found


def _of(evaluation: Evaluation, item: str, table: str, column: str) -> Estimate | None:
    """Return a number of an item; None where it has none."""
    rows = records(found) if (found := evaluation.tables.get(f"summary.{table}")) is not None else ()
    cells = (row.get(column) for row in rows if str(row["run"]) == item)
    return next((cell for cell in cells if isinstance(cell, Estimate) and cell.defined), None)


def _items_places(shown: Table | None, parts: Sequence[tuple[str, str]], page: str) -> list[dict[str, str]]:
    """Return the places of the reports to which the table on the page does not lead."""
    if page and shown is not None:
        there = {str(row.cells[0]) for row in shown.rows}
        parts = [part for part in parts if part[0] not in there]
    return [{"name": label, "place": f"{folder}/{page}" if page else folder} for label, folder in parts]
