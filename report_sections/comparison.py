"""The sections that answer which of two engines is better: decision, agreement with raters, agreement beside raters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.changes import (
    CLEAR,
    SAME,
    Change,
    all_same,
    case_of,
    changes,
    headline_changes,
    judged,
    largest_first,
    pairs,
)
from report_sections.figures import Measure, dumbbells
from report_sections.lookup import doubts_of_runs, number, records, rows_of, tables_of
from reportgen.metrics import METRICS
from reportgen.sections import Chart, Check, Estimate, Evaluation, Findings, Section, Table, Term

MOST_CHECKS = 9
"""Criteria on the first page at most."""

SAID = {
    "exact_agreement": "comparison.overall", "qwk": "comparison.overall", "prmse": "comparison.true_score",
    "disattenuated_r": "comparison.disattenuated", "r": "comparison.raters",
}  # fmt: skip
"""Statistics that the page puts into words, and where they stand; r is that of raters with each other."""


@dataclass(frozen=True)
class ComparisonSummary(Section):
    """Who is better, worse or not distinguishable, for every run against the first.

    Parameters
    ----------
    groups
        Groups named at most for each pair of runs.
    """

    name: ClassVar[str] = "comparison_summary"
    title: ClassVar[str] = "Summary"
    part: ClassVar[Any] = "decision"

    groups: int = 4

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how each run stands beside the first, each run's decision, and what stands out by group."""
        return Findings(
            values={
                "pairs": [_pair(evaluation, pair) for pair in pairs(evaluation)],
                "decisions": list(evaluation.facts.get("decisions") or ()),
                "groups": _groups(evaluation, self.groups),
                "doubts": doubts_of_runs(evaluation),
                "notes": list(evaluation.warnings),
            },
            checks=_checks(evaluation),
            tables=tables_of(evaluation, "comparison.runs", "comparison.engines", "comparison.ranking"),
        )


def _pair(evaluation: Evaluation, pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return how one run stands beside the first: the case, the numbers that say it, and which scores change."""
    new, state = pair["new"], pair.get("state", SAME)
    decide = [row for row in headline_changes(evaluation, new) if state == SAME or row.metric != "prmse"]
    case = case_of(decide) if judged(pair) else state
    said = {
        metric: {"old": row.old, "new": row.new, "change": row.change, "reading": row.reading}
        for metric, key in SAID.items()
        for row in changes(evaluation, key)
        if (row.metric, row.system) == (metric, new) and row.old.defined and row.new.defined
    }
    kept = {key: pair.get(key) for key in ("old", "new", "paired", "shared", "old_n", "new_n", "raters_differ")}
    between = _engines(evaluation, new) if case == "other ratings" else {}
    on = {f"{reading}_on": [row.metric for row in decide if row.reading == reading] for reading in CLEAR}
    return {**kept, "state": state, "case": case, **on, **said, **moved(evaluation, new), **between}


def moved(evaluation: Evaluation, system: str) -> dict[str, Any]:
    """Return how many rounded scores change under a run, in which direction, and whether towards the rater's score."""
    rows = [row for row in rows_of(evaluation, "comparison.movement") if row["system"] == system]
    if not rows:
        return {}
    n = {str(row["movement"]).partition(".")[2]: int(number(row["n"]) or 0) for row in rows}
    if "same_label" in n:
        changed, known = n["other_label"], ("now_right", "no_longer_right")
        found = {"changed": changed, "scores": n["same_label"] + changed, "labels": True}
    else:
        up, down, known = n["up_one"] + n["up_more"], n["down_one"] + n["down_more"], ("nearer", "farther")
        found = {"changed": up + down, "scores": n["same"] + up + down, "labels": False, "up": up, "down": down}
    return {**found, **{key: n[key] for key in known if key in n}}


def _engines(evaluation: Evaluation, system: str) -> dict[str, Any]:
    rows = [row for row in records(evaluation.tables["comparison.engines"]) if row["system"] == system]
    agreement = next((row["value"] for row in rows if isinstance(row["value"], Estimate)), None)
    mean = next(
        (
            row.change
            for row in changes(evaluation, "comparison.overall")
            if (row.system, row.metric, row.form) == (system, "system_mean", "trimmed") and row.change.defined
        ),
        None,
    )
    return {"agreement": agreement, "mean": mean}


def _checks(evaluation: Evaluation) -> tuple[Check, ...]:
    """Return the requirements that fit on a page: the most important ones, of as many runs as there is room for."""
    wanted = [check for check in evaluation.checks if check.estimate.metric in ("qwk", "prmse", "smd", "kappa")
              and not check.statistic.startswith("degradation")]  # fmt: skip
    runs = evaluation.facts["runs"][: MOST_CHECKS // 3]
    return tuple(check for check in wanted if check.group in runs)


def _groups(evaluation: Evaluation, most: int) -> list[dict[str, Any]]:
    """Return the groups in which a run is clearly worse or better than the first, the largest changes first."""
    found = []
    for column in evaluation.groups:
        rows = [row for row in changes(evaluation, f"comparison.by_group.{column}")
                if (row.form == "trimmed" and row.metric in ("qwk", "dsm"))
                or (row.metric == "kappa" and not evaluation.scale.ordered)]  # fmt: skip
        for reading in ("worse", "better"):
            clear = largest_first(row for row in rows if row.reading == reading)
            if clear:
                named = [
                    {"metric": row.metric, "level": row.level, "run": row.system, "change": row.change}
                    for row in clear[:most]
                ]
                of, count = (len({row.level for row in each}) for each in (rows, clear))
                found.append({"column": column, "case": reading, "named": named, "count": count, "of": of})
    return found


MEASURES = {
    "trimmed": ("qwk", "r", "r_squared", "rmse", "mae", "smd"),
    "trimmed and rounded": ("kappa", "exact_agreement", "adjacent_agreement"),
}
"""Measures of agreement and error, by the form of the score that they are of."""


@dataclass(frozen=True)
class ComparisonAgreement(Section):
    """Every statistic of engine and human scores in all runs, overall and by form of the score.

    Parameters
    ----------
    metrics
        Metrics whose changes are drawn.
    """

    name: ClassVar[str] = "comparison_agreement"
    title: ClassVar[str] = "Agreement of engine and human scores"

    metrics: tuple[str, ...] = ("qwk", "r", "rmse", "smd", "prmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return on how many measures each run is better or worse, the changes, and a figure of the important ones."""
        return Findings(
            values={"pairs": [_counted(evaluation, pair["old"], pair["new"]) for pair in pairs(evaluation)]},
            tables=(*_parted(evaluation), *tables_of(evaluation, "comparison.score_types")),
            charts=self._charts(evaluation),
        )

    def _charts(self, evaluation: Evaluation) -> tuple[Chart, ...]:
        rows = [*changes(evaluation, "comparison.overall"), *changes(evaluation, "comparison.true_score")]
        drawn = [
            row
            for metric in (self.metrics if evaluation.scale.ordered else ("kappa", *self.metrics))
            for row in rows
            if row.metric == metric and (row.form == "trimmed" or metric == "kappa")
        ]
        figures = (
            engines_figure(evaluation, drawn, pair["old"], pair["new"], place)
            for place, pair in enumerate(pairs(evaluation))
            if judged(pair)
        )
        return tuple(figure for figure in figures if figure)


def _parted(evaluation: Evaluation) -> tuple[Table, ...]:
    table = evaluation.tables.get("comparison.overall")
    if table is None:
        return ()
    measured = [_measures(row) for row in changes(evaluation, table.key)]  # those that are not comparable, too
    parts = [
        tuple(row for row, is_one in zip(table.rows, measured, strict=True) if is_one is kind) for kind in (True, False)
    ]
    shown = replace(table, rows=parts[0] or table.rows)
    described = replace(table, key=f"{table.key}.description", rows=parts[1])
    return (shown, described) if all(parts) else (shown,)


def _counted(evaluation: Evaluation, old: str, new: str) -> dict[str, Any]:
    rows = [
        row for row in changes(evaluation, "comparison.overall")
        if row.system == new and _measures(row) and row.change.defined
    ]  # fmt: skip
    counts = {reading: sum(row.reading == reading for row in rows) for reading in ("better", "worse")}
    return {"old": old, "new": new, "case": case_of(rows), "measures": len(rows), **counts}


def _measures(row: Change) -> bool:
    return row.metric in MEASURES.get(row.form, ())


KEY = "comparison.overall.chart"

STATISTICS = {"prmse": "true_score.prmse"}
"""Whole keys of statistics that are not of the family of the engine's scores."""


def engines_figure(evaluation: Evaluation, rows: Sequence[Change], old: str, new: str, place: int = 0) -> Chart | None:
    """Return the measures of one pair of engines; None where no measure is known of both.

    `rows`: Changes of the measures that are drawn, in their order. `place`: Which pair it is, counted from 0.
    """
    known = [row for row in rows if row.system == new and row.old.defined and row.new.defined]
    if not known:
        return None
    measures = [_measure(row, _requirement(evaluation, row.metric, new)) for row in known]
    told = [{"metric": row.metric, "old": row.old, "new": row.new} for row in known]
    key = f"{KEY}.{place + 1}" if place else KEY
    return dumbbells(
        key,
        Term("engines_alt", old=old, new=new, measures=told),
        measures,
        (Term("run_label", run=old), Term("run_label", run=new)),
    )


def _measure(row: Change, check: Check | None) -> Measure:
    metric = METRICS.get(row.metric)
    better = metric.better if metric and metric.better in ("high", "low", "zero") else "high"
    limits = (check.low, check.high) if check else (None, None)
    missed = check is not None and check.outcome == "not met"
    return Measure(Term("short_statistic", key=row.metric), row.old, row.new, limits, better, missed)


def _requirement(evaluation: Evaluation, metric: str, run: str) -> Check | None:
    statistic = STATISTICS.get(metric, f"system.{metric}")
    return next((check for check in evaluation.checks if check.statistic == statistic and check.group == run), None)


KEYS = ("comparison.true_score", "comparison.raters", "comparison.degradation", "comparison.disattenuated")


@dataclass(frozen=True)
class ComparisonRaters(Section):
    """Human-human agreement and true-score evaluation of all runs: old, new, change."""

    name: ClassVar[str] = "comparison_raters"
    title: ClassVar[str] = "Raters and true scores"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return PRMSE of all runs, whether the raters are the same, and the tables that rest on a second rating."""
        found = [row for row in changes(evaluation, "comparison.true_score") if row.metric == "prmse"]
        same = _same_raters(evaluation)
        by_group = [
            f"comparison.{kind}.by.{column}"
            for column in evaluation.groups
            for kind in (("disattenuated",) if same else ("raters", "disattenuated"))
        ]
        keys = [key for key in KEYS if not (same and key == "comparison.raters")]
        tables = tables_of(evaluation, *keys, *by_group)
        case = "accuracy" if any(row.new.defined and row.old.defined for row in found) else "no prmse"
        if case == "no prmse" and not tables_of(evaluation, *KEYS):
            case = "no second rating"
        return Findings(
            values={
                "case": case,
                "same_raters": same,
                "apart": not all_same(evaluation),
                "pairs": [_said(row, str(pairs(evaluation)[0]["old"])) for row in found],
            },
            tables=tables,
        )


def _same_raters(evaluation: Evaluation) -> bool:
    """Return whether the raters of all runs gave the same ratings, so that nothing between them changes."""
    rows = changes(evaluation, "comparison.raters") if all_same(evaluation) else ()
    return bool(rows) and all(row.reading == "the same" or row.old.value == row.new.value for row in rows)


def _said(row: Change, old: str) -> dict[str, Any]:
    """Return one run's PRMSE, that of the first, and how they differ."""
    return {
        "old": old, "new": row.system, "old_prmse": row.old, "new_prmse": row.new, "change": row.change,
        "reading": row.reading,
    }  # fmt: skip
