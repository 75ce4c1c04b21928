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
from report_sections.figures import NONE, dumbbell, stacked
from report_sections.lookup import doubts_of_runs
from reportgen.metrics import METRICS
from reportgen.sections import Chart, Check, Estimate, Evaluation, Findings, Panel, Section, Table, Term

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
            tables=evaluation.present("comparison.runs", "comparison.engines", "comparison.ranking"),
        )


def _pair(evaluation: Evaluation, pair: Mapping[str, Any]) -> dict[str, Any]:
    """Return how one run stands beside the first: the case, the numbers that say it, and which scores change."""
    new, state = pair["new"], pair.get("state", SAME)
    decide = [row for row in headline_changes(evaluation, new) if state == SAME or row.metric != "prmse"]
    case = case_of(decide) if judged(pair) else state
    said = {
        metric: {"old": row.old, "new": row.new, "change": row.change, "reading": row.reading}
        for metric, key in SAID.items()
        for row in changes(evaluation, key, metric=metric, system=new)
        if row.old.defined and row.new.defined
    }
    kept = {key: pair.get(key) for key in ("old", "new", "paired", "shared", "old_n", "new_n", "raters_differ")}
    between = _engines(evaluation, new) if case == "other ratings" else {}
    on = {f"{reading}_on": [row.metric for row in decide if row.reading == reading] for reading in CLEAR}
    return {**kept, "state": state, "case": case, **on, **said, **moved(evaluation, new), **between}


def moved(evaluation: Evaluation, system: str) -> dict[str, Any]:
    """Return how many rounded scores change under a run, in which direction, and whether towards the rater's score."""
    rows = (row for row in evaluation.records("comparison.movement") if row["system"] == system)
    n = {str(row["movement"]).partition(".")[2]: row.count("n") for row in rows}
    if not n:
        return {}
    if "same_label" in n:
        changed, known = n["other_label"], ("now_right", "no_longer_right")
        found = {"changed": changed, "scores": n["same_label"] + changed, "labels": True}
    else:
        up, down, known = n["up_one"] + n["up_more"], n["down_one"] + n["down_more"], ("nearer", "farther")
        found = {"changed": up + down, "scores": n["same"] + up + down, "labels": False, "up": up, "down": down}
    return {**found, **{key: n[key] for key in known if key in n}}


def _engines(evaluation: Evaluation, system: str) -> dict[str, Any]:
    rows = (row for row in evaluation.records("comparison.engines") if row["system"] == system)
    agreement = next((row["value"] for row in rows if isinstance(row["value"], Estimate)), None)
    means = changes(evaluation, "comparison.overall", system=system, metric="system_mean", form="trimmed")
    return {"agreement": agreement, "mean": next((row.change for row in means if row.change.defined), None)}


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
            if clear := largest_first(row for row in rows if row.reading == reading):
                of, count = (len({row.level for row in each}) for each in (rows, clear))
                named = [row.told() for row in clear[:most]]
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

    title: ClassVar[str] = "Agreement of engine and human scores"

    metrics: tuple[str, ...] = ("qwk", "r", "rmse", "smd", "prmse")

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return on how many measures each run is better or worse, the changes, and a figure of the important ones."""
        return Findings(
            values={"pairs": [_counted(evaluation, pair["old"], pair["new"]) for pair in pairs(evaluation)]},
            tables=(*_parted(evaluation), *evaluation.present("comparison.score_types")),
            charts=self._charts(evaluation),
        )

    def _charts(self, evaluation: Evaluation) -> tuple[Chart, ...]:
        drawn = [
            row
            for metric in (self.metrics if evaluation.scale.ordered else ("kappa", *self.metrics))
            for row in changes(evaluation, "comparison.overall", "comparison.true_score", metric=metric)
            if (row.form == "trimmed" or metric == "kappa") and row.old.defined and row.new.defined
        ]
        return tuple(
            engines_figure(evaluation, rows, pair["old"], pair["new"], place)
            for place, pair in enumerate(pairs(evaluation))
            if judged(pair) and (rows := [row for row in drawn if row.system == pair["new"]])
        )


def _parted(evaluation: Evaluation) -> tuple[Table, ...]:
    tables = evaluation.present("comparison.overall")
    measured = [_measures(row) for row in changes(evaluation, "comparison.overall")]  # the incomparable ones, too
    if all(measured) or not any(measured):
        return tables
    shown, described = (
        replace(table, rows=tuple(row for row, is_one in zip(table.rows, measured, strict=True) if is_one is kind))
        for table in tables
        for kind in (True, False)
    )
    return shown, replace(described, key=f"{shown.key}.description")


def _counted(evaluation: Evaluation, old: str, new: str) -> dict[str, Any]:
    found = changes(evaluation, "comparison.overall", system=new)
    rows = [row for row in found if _measures(row) and row.change.defined]
    counts = {reading: sum(row.reading == reading for row in rows) for reading in CLEAR}
    return {"old": old, "new": new, "case": case_of(rows), "measures": len(rows), **counts}


def _measures(row: Change) -> bool:
    return row.metric in MEASURES.get(row.form, ())


KEY = "comparison.overall.chart"

STATISTICS = {"prmse": "true_score.prmse"}
"""Whole keys of statistics that are not of the family of the engine's scores."""


def engines_figure(evaluation: Evaluation, rows: Sequence[Change], old: str, new: str, place: int) -> Chart:
    """Return the measures of one pair of engines, the `place`-th, counted from 0."""
    names = (Term("run_label", run=old), Term("run_label", run=new))
    told = [{"metric": row.metric, "old": row.old, "new": row.new} for row in rows]
    key = f"{KEY}.{place + 1}" if place else KEY
    panels = (_measure(row, names, _requirement(evaluation, row.metric, new)) for row in rows)
    return stacked(key, Term("engines_alt", old=old, new=new, measures=told), panels)


def _measure(row: Change, names: tuple[str, str], check: Check | None) -> Panel:
    better = METRICS[row.metric].better if row.metric in METRICS else "high"
    limits = (check.low, check.high) if check else NONE
    missed = check is not None and check.outcome == "not met"
    return dumbbell(Term("short_statistic", key=row.metric), row.old, row.new, names, limits, better, missed=missed)


def _requirement(evaluation: Evaluation, metric: str, run: str) -> Check | None:
    statistic = STATISTICS.get(metric, f"system.{metric}")
    return next((check for check in evaluation.checks if check.statistic == statistic and check.group == run), None)


KEYS = ("comparison.true_score", "comparison.raters", "comparison.degradation", "comparison.disattenuated")


@dataclass(frozen=True)
class ComparisonRaters(Section):
    """Human-human agreement and true-score evaluation of all runs: old, new, change."""

    title: ClassVar[str] = "Raters and true scores"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return PRMSE of all runs, whether the raters are the same, and the tables that rest on a second rating."""
        found, same = changes(evaluation, "comparison.true_score", metric="prmse"), _same_raters(evaluation)
        by_group = [
            f"comparison.{kind}.by.{column}"
            for column in evaluation.groups
            for kind in (("disattenuated",) if same else ("raters", "disattenuated"))
        ]
        keys = [key for key in KEYS if not (same and key == "comparison.raters")]
        missing = "no prmse" if evaluation.present(*KEYS) else "no second rating"
        return Findings(
            values={
                "case": "accuracy" if any(row.new.defined and row.old.defined for row in found) else missing,
                "same_raters": same,
                "apart": not all_same(evaluation),
                "pairs": [
                    {
                        "old": str(pairs(evaluation)[0]["old"]), "new": row.system, "old_prmse": row.old,
                        "new_prmse": row.new, "change": row.change, "reading": row.reading,
                    }
                    for row in found
                ],
            },
            tables=evaluation.present(*keys, *by_group),
        )  # fmt: skip


def _same_raters(evaluation: Evaluation) -> bool:
    """Return whether the raters of all runs gave the same ratings, so that nothing between them changes."""
    rows = changes(evaluation, "comparison.raters") if all_same(evaluation) else ()
    return bool(rows) and all(row.reading == "the same" or row.old.value == row.new.value for row in rows)
