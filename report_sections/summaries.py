"""The first pages of summaries: of several reports, of engines, of traits, of items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.changes import one_set
from report_sections.figures import NONE, Held, reports_chart
from report_sections.lookup import distinct, doubts_of_runs
from reportgen.results import Kind, Record
from reportgen.sections import Chart, Check, Estimate, Evaluation, Findings, Section, Table, Term

ANSWERS = ("deploy", "do not deploy", "collect more ratings", "")
"""Answers in the order in which a sentence counts them."""

NOT_YET = dict.fromkeys(("out of reach with these raters", "cannot be judged"), "collect more ratings")
"""Decisions that are counted as another one."""

MOST_ANSWERS = 12
"""Runs whose answers are given one by one, the worst first where there are more."""

MOST_SIDE_BY_SIDE = 4
"""Runs of other raters whose accuracy for true scores is told one by one."""


@dataclass(frozen=True)
class SummarizeSummary(Section):
    """Each run's answer and why; who is best among runs of the same responses, and what compares the others."""

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
            tables=evaluation.present("summary.decisions", "summary.runs", "summary.criteria", "summary.ranking"),
            charts=reports_figure(evaluation),
        )


def answers(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many runs have which answer, and the answers one by one; of many runs the worst."""
    decisions = list(evaluation.facts.get("decisions") or ())
    counts = Counter(NOT_YET.get(each["decision"], each["decision"]) for each in decisions)
    told = decisions
    if len(decisions) > MOST_ANSWERS:
        worst = [each for each in decisions if each["decision"] != "deploy"]
        told = sorted(worst, key=lambda each: each["decision"] != "do not deploy")[:MOST_ANSWERS]
    return {
        "answers": [{"decision": code, "n": counts[code]} for code in ANSWERS if counts[code]],
        "decisions": told,
        "more": len(decisions) - len(told),
    }


def leaders(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return for each set of runs of the same responses those that none is clearly better than, on which metrics."""
    rows = [row for row in evaluation.records("summary.ranking") if "set" in row]
    found: dict[Any, dict[str, Any]] = {}
    for place, metric in dict.fromkeys((row["set"], str(row["metric"])) for row in rows):
        told = _leaders(evaluation, place, [row for row in rows if (row["set"], row["metric"]) == (place, metric)])
        same = found.setdefault((place, *told["first"], told["of"], told["beats_all"]), {**told, "metrics": []})
        same["metrics"].append(metric)
    return list(found.values())


def _leaders(evaluation: Evaluation, which: object, rows: Sequence[Record]) -> dict[str, Any]:
    best, order = rows[0]["value"], [str(run) for run in evaluation.facts["runs"]]
    first = sorted((str(row["run"]) for row in rows if row["rank"] == 1), key=order.index)
    return {
        "set": which, "first": first, "of": len(rows),
        "best": best if isinstance(best, Estimate) else None, "beats_all": rows[0].get("beats") == len(rows) - 1,
    }  # fmt: skip


def accuracy(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return what may stand side by side of runs with other raters: accuracy for true scores, and raters' agreement.

    Nothing where all have the same responses and ratings; of many runs those of the poorest raters.
    """
    if one_set(evaluation):
        return []
    rows = evaluation.records("summary.true_score")
    if len(rows) > MOST_SIDE_BY_SIDE:
        rows.sort(key=lambda row: value if (value := row.number("human_r")) is not None else 1.0)
    return [
        {"run": str(row["run"]), **{key: row.estimate(key) for key in ("prmse", "disattenuated_r", "human_r")}}
        for row in rows[:MOST_SIDE_BY_SIDE]
    ]


KEY = "summary.decisions.chart"

COLUMNS: tuple[tuple[str, Kind], ...] = (
    ("system.qwk", "coefficient"), ("system.kappa", "coefficient"), ("system.smd", "difference"),
    ("true_score.prmse", "coefficient"), ("system.dsm", "difference"),
)  # fmt: skip
"""Statistics that are drawn, those of groups last; what no report has is left out, and kappa where QWK is known."""

GROUPS, HUMAN_R = "system.dsm", "true_score.human_r"

TABLES = {
    "system.qwk": "summary.association", "system.kappa": "summary.agreement", "system.smd": "summary.descriptives",
    "true_score.prmse": "summary.true_score", HUMAN_R: "summary.true_score",
}  # fmt: skip
"""Which table holds a number of all responses."""

MOST_DRAWN = 30
"""Reports that are drawn; the table has them all."""

MOST_SAID = 6
"""Reports whose answers the words for the figure tell."""


def reports_figure(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return a row for each report, with its answer where it has one; nothing for fewer than two."""
    decisions = {each["run"]: each for each in evaluation.facts.get("decisions") or ()}
    runs = [str(run) for run in evaluation.facts.get("runs") or ()]
    found = [decisions.get(run, {}) for run in runs[:MOST_DRAWN]]
    given = (Term(each["decision"]) if each.get("decision") else "" for each in found)
    answers = dict(zip(distinct(runs[:MOST_DRAWN]), given, strict=True))
    has_qwk = any(_stored(evaluation, "system.qwk", run) for run in runs)  # kappa is drawn only where no run has QWK
    columns = [
        (
            Term("largest_group_difference") if statistic == GROUPS else Term("short_statistic", key=statistic), kind,
            [_held(evaluation, statistic, run, each.get("checks", ())) for run, each in zip(runs, found, strict=False)],
        )
        for statistic, kind in COLUMNS
        if not (has_qwk and statistic == "system.kappa")
    ]  # fmt: skip
    if len(answers) < 2 or not any(estimate for _, _, held in columns for estimate, _, _ in held):
        return ()
    told = [{"run": label, "decision": decision} for label, decision in answers.items()]
    alt = Term("decisions_alt", named=told[:MOST_SAID], more=max(0, len(runs) - MOST_SAID))
    return (reports_chart(KEY, alt, answers, Term("answer"), columns),)


def _held(evaluation: Evaluation, statistic: str, run: str, checks: Sequence[Check]) -> Held:
    """Return what is drawn of one report; a number that no requirement is about is one of its tables.

    Of the requirements on groups it is the one that lies farthest; a group beyond its limit comes before all others,
    and one of too few responses after them.
    """
    own = [check for check in checks if check.statistic == statistic and bool(check.column) == (statistic == GROUPS)]
    rank = {"not met": 0, "insufficient": 2}
    own.sort(key=lambda check: (rank.get(check.outcome, 1), -abs(check.estimate.value or 0.0)))
    if own and own[0].outcome != "insufficient":
        return own[0].estimate, own[0].outcome, (own[0].low, own[0].high)
    return _stored(evaluation, statistic, run), "", NONE


def _stored(evaluation: Evaluation, statistic: str, run: str) -> Estimate | None:
    """Return a number of a run from its table."""
    rows = (row for row in evaluation.records(TABLES.get(statistic, "")) if str(row["run"]) == run)
    return next((row.estimate(statistic.rpartition(".")[2]) for row in rows), None)


@dataclass(frozen=True)
class SummarizeSystems(Section):
    """Each engine's answer with a link to its report, the comparison of all, and responses without a score."""

    title: ClassVar[str] = "Systems"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the answers with the places of the reports, and what the engines left without a score."""
        decisions = {each["run"]: each for each in evaluation.facts.get("decisions") or ()}
        return Findings(
            values={
                "reports": [each | {"answer": decisions.get(each["name"])} for each in places(evaluation)],
                "linked": bool(evaluation.facts.get("page")),
                "baseline": evaluation.facts.get("baseline") or evaluation.facts["runs"][0],
                "runs": len(evaluation.facts["runs"]),
                "same_responses": list(evaluation.facts.get("same_responses") or ()),
                "leaders": leaders(evaluation),
                "compared": evaluation.facts.get("compared"),
                "beside": list(evaluation.facts.get("beside") or ()),
                "accuracy": accuracy(evaluation),
                "unscored": [
                    {"run": str(row["system"]), "share": row["share"]}
                    for row in evaluation.records("data.outputs")
                    if row.estimate("share") and row.number("share")
                ],
                "doubts": doubts_of_runs(evaluation),
                "notes": list(evaluation.warnings),
            },
            charts=reports_figure(evaluation),
            tables=evaluation.present(
                "summary.decisions", "data.outputs", "summary.runs", "summary.criteria", "summary.ranking"
            ),
        )


def places(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the names and places of the reports, each its page where they have one, else its folder."""
    page = str(evaluation.facts.get("page") or "")
    parts = evaluation.facts.get("parts") or ()
    return [{"name": label, "place": f"{folder}/{page}" if page else folder} for label, folder in parts]


@dataclass(frozen=True)
class SummarizeTraits(Section):
    """Traits with their answers, headline numbers and links to their reports, the worst first, and the composite."""

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
                # where there are pages, the table leads to them
                "reports": [] if evaluation.facts.get("page") else places(evaluation),
            },
            tables=evaluation.present("traits.traits", "summary.runs", "summary.criteria"),
        )


def _composite(evaluation: Evaluation) -> dict[str, Any]:
    """Return how well the composite predicts its true score, or why that is not known, and its weights."""
    prmse = evaluation.estimates.get("composite.prmse")
    weights = evaluation.facts.get("weights") or {}
    reason = evaluation.facts.get("composite_reason") or (prmse.reason if prmse is not None else "") or ""
    return {
        "prmse": evaluation.estimate("composite.prmse"),
        "rho": evaluation.estimate("composite.rho"),
        "reason": reason,
        "n": evaluation.count("composite_n"),
        "double": evaluation.count("composite_double"),
        "equal": bool(evaluation.facts.get("equal_weights")),
        "weights": [{"trait": trait, "weight": float(weight)} for trait, weight in weights.items()],
        "several_scales": bool(evaluation.facts.get("several_scales")),
    }


MOST_MISSED = 8
"""Requirements whose misses are counted in words."""

MOST_TOLD = 20
"""Reports whose trouble is told in words; the table has them all."""


@dataclass(frozen=True)
class SummarizeItems(Section):
    """Every report with its answer, how often a requirement is not met, the items far below the others, and links."""

    title: ClassVar[str] = "Reports"
    part: ClassVar[Any] = "decision"

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how many reports have each answer, what went wrong, and the reports by name and place."""
        reports, linked = places(evaluation), bool(evaluation.facts.get("page"))
        troubles = list(evaluation.facts.get("troubles") or ())
        items = evaluation.present("summary.items")
        shown = tuple(_items_worst_first(evaluation, table) for table in items)
        rows, shown_rows = ([row for table in each for row in table.rows] for each in (items, shown))
        there = {str(row.cells[0]) for row in shown_rows} if linked else set()  # the table leads to these
        missed = list(evaluation.facts.get("missed") or ())
        return Findings(
            values={
                "answers": answers(evaluation)["answers"],
                "n": len(reports),
                "by": list(evaluation.facts.get("by") or ()),
                "missed": [{"requirement": label, "n": int(n)} for label, n in missed[:MOST_MISSED]],
                "more_missed": max(len(missed) - MOST_MISSED, 0),
                "far_below": _far_below(evaluation),
                "accuracy": accuracy(evaluation),
                "troubles": [{"name": label, "trouble": trouble} for label, trouble in troubles[:MOST_TOLD]],
                "n_troubles": len(troubles),
                "withheld": list(evaluation.facts.get("reports_withheld") or ()),
                "least": evaluation.count("min_n_per_group"),
                "left": len(rows) - len(shown_rows),
                "of_many": any(len(table.rows) > table.max_rows for table in items),
                "reports": [each for each in reports if each["name"] not in there],
                "linked": linked,
                "notes": list(evaluation.warnings),
            },
            tables=(*shown, *evaluation.present("summary.runs", "summary.criteria")),
        )


def _items_worst_first(evaluation: Evaluation, table: Table) -> Table:
    """Return the table of the reports; of more than fit a page the worst, and all that are flagged, worst first."""
    if len(table.rows) <= table.max_rows:
        return table
    order = evaluation.facts.get("worst_first") or range(len(table.rows))
    ordered = [table.rows[place] for place in order]
    kept = tuple(row for place, row in enumerate(ordered) if place < table.max_rows or row.mark == "flagged")
    return replace(table, rows=kept, max_rows=len(kept))


def _far_below(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the items far below the others in QWK, the lowest first, with how well their raters agree."""
    found = [
        {"name": item, "qwk": _stored(evaluation, "system.qwk", item), "raters": _stored(evaluation, HUMAN_R, item)}
        for item in map(str, evaluation.facts.get("far_below") or ())
    ]
    return [each for each in found if each["qwk"] is not None]
