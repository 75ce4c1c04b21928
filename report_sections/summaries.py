"""The sections on several reports, engines, traits, or items: first pages, agreement, groups, halo, history."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from report_sections.comparison import board, one_set, withheld
from report_sections.figures import UNDECIDED, estimates_chart, shortened
from report_sections.lookup import distinct, doubts_of_runs, estimates_in
from reportgen.results import Record, number
from reportgen.sections import Axis, Cells, Chart, Estimate, Evaluation, Findings, Rule, Section, Table, Term
from reportgen.wording.numbers import bound, num

ANSWERS = ("deploy", "do not deploy", "collect more ratings", "")
"""Answers in the order in which a sentence counts them."""

NOT_YET = dict.fromkeys(("out of reach with these raters", "cannot be judged"), "collect more ratings")
"""Decisions that are counted under another name."""

MOST_ANSWERS = 12  # runs whose answers are listed individually; if there are more, the worst

MOST_SIDE_BY_SIDE = 4  # with at most this many runs of different raters, true-score accuracy is listed by run


class SummarizeSummary(Section, title="Summary", part="decision"):
    """Show each run's answer and reasons, the best among runs of the same responses, and comparable numbers."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return each run's decision, the leaders if ranks are meaningful, and the tables behind them."""
        return Findings(
            values={"answers": answers(evaluation)["answers"], **_side_by_side_facts(evaluation)},
            tables=evaluation.present("summary.decisions", "summary.runs", "summary.criteria", "summary.ranking"),
        )


def _side_by_side_facts(evaluation: Evaluation) -> dict[str, Any]:
    return {
        "board": board(evaluation),
        "runs": len(evaluation.facts["runs"]),
        "same_responses": list(evaluation.facts.get("same_responses") or ()),
        "leaders": leaders(evaluation),
    }


def answers(evaluation: Evaluation) -> dict[str, Any]:
    """Return the number of runs by answer, and the individual answers; the worst answers if there are many runs."""
    told = decisions = list(evaluation.facts.get("decisions") or ())
    counts = Counter(NOT_YET.get(each["decision"], each["decision"]) for each in decisions)
    if len(decisions) > MOST_ANSWERS:
        worst = [each for each in decisions if each["decision"] != "deploy"]
        told = sorted(worst, key=lambda each: each["decision"] != "do not deploy")[:MOST_ANSWERS]
    return {
        "answers": [{"decision": code, "n": counts[code]} for code in ANSWERS if counts[code]],
        "decisions": told,
        "more": len(decisions) - len(told),
    }


def leaders(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return, for each set of runs of the same responses, the runs that no other is clearly better than."""
    ranked, order = evaluation.records("summary.ranking"), [str(run) for run in evaluation.facts["runs"]]
    sets = [[row for row in ranked if row["set"] == place] for place in dict.fromkeys(row["set"] for row in ranked)]
    return [
        {
            "set": rows[0]["set"], "metric": str(rows[0]["metric"]), "of": len(rows), "best": rows[0].estimate("value"),
            "first": sorted((str(row["run"]) for row in rows if row["rank"] == 1), key=order.index),
            "beats_all": rows[0]["last_rank"] == 1,
        }
        for rows in sets
    ]  # fmt: skip


def accuracy(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the comparable results of runs with different raters: accuracy of the engine, and rater agreement.

    Empty if all runs have the same responses and ratings; with many runs, only the runs with the lowest rater
    agreement.
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


SOURCES = {
    "qwk": "summary.association", "r": "summary.association", "rmse": "summary.association",
    "smd": "summary.descriptives", "prmse": "summary.true_score", "human_r": "summary.true_score",
    "kappa": "summary.agreement",
}  # fmt: skip
"""Table with each number of all responses."""


class SummarizeSystems(Section, title="Systems", part="decision"):
    """Show each engine's answer with a link to its report, the comparison of all, and responses without a score."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the answers with the locations of the reports, and the responses without a score."""
        return Findings(
            values=_side_by_side_facts(evaluation)
            | {
                "reports": places(evaluation),
                "linked": bool(evaluation.facts.get("page")),
                "baseline": evaluation.facts.get("baseline") or evaluation.facts["runs"][0],
                "compared": evaluation.facts.get("compared"),
                "beside": list(evaluation.facts.get("beside") or ()),
                "unscored": [
                    {"run": str(row["system"]), "share": row["share"]}
                    for row in evaluation.records("data.outputs")
                    if row.estimate("share") and row.number("share")
                ],
                "doubts": doubts_of_runs(evaluation),
            },
            tables=evaluation.present("data.outputs", "summary.runs", "summary.criteria", "summary.ranking"),
        )


def places(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return names and paths of the reports: the page if there is one, otherwise the folder."""
    page = str(evaluation.facts.get("page") or "")
    parts = evaluation.facts.get("parts") or ()
    return [{"name": label, "place": f"{folder}/{page}" if page else folder} for label, folder in parts]


class SummarizeTraits(Section, title="Traits", part="decision"):
    """Show traits with their answers, headline numbers, and links to their reports, worst first, and the composite."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the answers of the traits, and the accuracy of the composite."""
        return Findings(
            values={
                **answers(evaluation),
                "composite": _composite(evaluation),
                "help": board(evaluation)["help"],
                "doubts": doubts_of_runs(evaluation),
                # if there are pages, the table links to them
                "reports": [] if evaluation.facts.get("page") else places(evaluation),
            },
            tables=evaluation.present("traits.traits", "summary.runs", "summary.criteria"),
        )


def _composite(evaluation: Evaluation) -> dict[str, Any]:
    """Return how well the composite predicts its true score, or why it is not known, and its weights."""
    prmse, weights = evaluation.estimates.get("composite.prmse"), evaluation.facts.get("weights") or {}
    return {
        "prmse": evaluation.estimate("composite.prmse"),
        "rho": evaluation.estimate("composite.rho"),
        "reason": evaluation.facts.get("composite_reason") or (prmse.reason if prmse else ""),
        "n": evaluation.count("composite_n"),
        "double": evaluation.count("composite_double"),
        "equal": bool(evaluation.facts.get("equal_weights")),
        "weights": [{"trait": trait, "weight": float(weight)} for trait, weight in weights.items()],
        "several_scales": bool(evaluation.facts.get("several_scales")),
    }


MOST_MISSED = 8  # requirements whose misses are counted in words

MOST_TOLD = 20  # most reports whose problems the text describes; the table has all


class SummarizeItems(Section, title="Reports", part="decision"):
    """Show every report with its answer, unmet requirements, items far below the others, and links."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the number of reports by answer, problems, and the reports by name and location."""
        reports, linked = places(evaluation), bool(evaluation.facts.get("page"))
        troubles = list(evaluation.facts.get("troubles") or ())
        items = evaluation.present("summary.items")
        shown = tuple(_items_worst_first(evaluation, table) for table in items)
        rows, shown_rows = ([row for table in each for row in table.rows] for each in (items, shown))
        there = {str(row.cells[0]) for row in shown_rows} if linked else set()  # the table links to these
        missed = list(evaluation.facts.get("missed") or ())
        return Findings(
            values={
                "answers": answers(evaluation)["answers"],
                "n": len(reports),
                "help": board(evaluation)["help"],
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
            },
            tables=(*shown, *evaluation.present("summary.runs", "summary.criteria")),
        )


def _items_worst_first(evaluation: Evaluation, table: Table) -> Table:
    """Return the table of reports, worst first; if they do not fit a page, only the worst and all flagged ones."""
    if len(table.rows) <= table.max_rows:
        return table
    order = evaluation.facts.get("worst_first") or range(len(table.rows))
    ordered = [table.rows[place] for place in order]
    kept = tuple(row for place, row in enumerate(ordered) if place < table.max_rows or row.mark == "flagged")
    return replace(table, rows=kept, max_rows=len(kept))


FAR_OUT = 3.0
"""Interquartile ranges below the lower quartile beyond which a value is far out (Tukey, 1977, outer fences)."""

LEAST_RUNS = 10  # fewest runs with meaningful quartiles


def _far_below(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the items whose QWK interval is below Tukey's outer fence, the lowest first, with rater agreement."""
    found = [(str(row["run"]), each) for row in evaluation.records(SOURCES["qwk"]) if (each := row.estimate("qwk"))]
    if len(found) < LEAST_RUNS:
        return []
    lower, upper = np.quantile([each.value or 0.0 for _, each in found], [0.25, 0.75])
    fence = lower - FAR_OUT * (upper - lower)
    below = [(run, each) for run, each in found if (each.value if each.high is None else each.high or 0.0) < fence]
    below.sort(key=lambda pair: pair[1].value or 0.0)
    raters = dict(_numbers(evaluation, "human_r"))
    return [{"name": run, "qwk": each, "raters": raters.get(run)} for run, each in below]


NUMBERS = (
    "summary.descriptives", "summary.descriptives_rounded", "summary.association", "summary.agreement",
    "summary.true_score",
)  # fmt: skip
MOST_RUNS_SAID = 8  # runs whose numbers the words for a chart name


class SummarizeAgreement(Section, title="Agreement of engine and human scores"):
    """Show descriptives, association, agreement, and true-score evaluation of all runs, with a forest plot."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the range of agreement, and all runs side by side."""
        reach, traits = _reach(evaluation), bool(evaluation.facts.get("traits"))
        metric = reach.get("metric", "qwk")
        drawn = not traits and not evaluation.facts.get("by") and metric != "prmse"  # on the first page
        found, limits = _numbers(evaluation, metric), _limits(evaluation, metric)
        outcomes = {each.group: each.outcome for each in evaluation.checks if each.estimate.metric == metric}
        return Findings(
            values={"one": "trait" if traits else "run", "apart": not one_set(evaluation), "drawn": drawn, **reach},
            tables=evaluation.present(*NUMBERS),
            charts=() if drawn else tuple(_side_by_side(f"summary.forest.{metric}", metric, found, limits, outcomes)),
        )


def _numbers(evaluation: Evaluation, metric: str) -> list[tuple[str, Estimate]]:
    return estimates_in(evaluation.records(SOURCES.get(metric, "")), "run", metric)


def _reach(evaluation: Evaluation) -> dict[str, Any]:
    """Return the runs with the lowest and highest QWK (kappa for unordered labels), or PRMSE if raters differ."""
    wanted = ("qwk", "kappa") if one_set(evaluation) else ("prmse", "qwk", "kappa")
    metric = next((each for each in wanted if len(_numbers(evaluation, each)) > (each == "prmse")), "")
    found = sorted(_numbers(evaluation, metric), key=lambda pair: pair[1].value or 0.0)
    if not found:
        return {"n": 0}
    (lowest, low), (highest, high) = found[0], found[-1]
    return {"n": len(found), "metric": metric, "lowest": lowest, "low": low, "highest": highest, "high": high}


def _limits(evaluation: Evaluation, metric: str) -> set[float]:
    own = [check for check in evaluation.checks if check.estimate.metric == metric]
    asked = [check for check in own if not check.statistic.startswith("degradation")]
    return {limit for check in asked for limit in (check.low, check.high) if limit is not None}


def _side_by_side(
    key: str, metric: str, found: Sequence[tuple[str, Estimate]], limits: Iterable[float] = (),
    outcomes: Mapping[str, str] | None = None, title: str = "",
) -> Iterator[Chart]:  # fmt: skip
    told = [(outcomes or {}).get(label) for label, _ in found]
    if found := shortened(found):
        named = [{"label": label, "value": value} for label, value in found[:MOST_RUNS_SAID]]
        alt = Term("side_by_side_alt", metric=metric, named=named, more=max(len(found) - MOST_RUNS_SAID, 0))
        rules = (Rule(limit, bound(limit, found[0][1].kind)) for limit in sorted(limits))
        name = Term("statistic", key=metric)
        hollow, flagged = [each in UNDECIDED for each in told], [each == "not met" for each in told]
        yield estimates_chart(key, title, alt, Axis(name), "", found, name, *rules, hollow=hollow, flagged=flagged)


MOST_GROUPS_SAID = 6  # groups whose numbers the words for a chart name


MOST_LEVELS = 20  # levels of a group column that are drawn at most, largest first


class SummarizeGroups(Section, title="Groups"):
    """Show the statistics of every level under each run for each group column."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the groups that are farthest from the others, and the groups of every column, side by side."""
        columns = [column for column in evaluation.groups if f"summary.by_group.{column}" in evaluation.tables]
        tables = {column: evaluation.tables[f"summary.by_group.{column}"] for column in columns}
        farthest = _farthest(tables)
        return Findings(
            values={
                "farthest": farthest,
                # agreement with other raters, or on other responses, is not compared
                "columns": [
                    _groups_reach(table.records() if one_set(evaluation) else [], column)
                    for column, table in tables.items()
                ],
                "withheld": withheld(evaluation),
            },
            tables=(*tables.values(), *evaluation.present("privacy.withheld")),
            charts=tuple(
                chart for column in sorted(tables, key=lambda each: each != farthest.get("column"))
                for metric in ("dsm", "qwk")
                for chart in _shades(tables[column], column, metric, evaluation)
            ),
        )  # fmt: skip


def _farthest(tables: Mapping[str, Table]) -> dict[str, Any]:
    """Return the group and run whose difference is farthest from 0; None if no group is judged."""
    found: list[dict[str, Any]] = [
        {"column": column, "level": str(row["level"]), "run": str(row["run"]), "difference": dsm}
        for column, table in tables.items()
        for row in table.records()
        if row.mark != "insufficient" and (dsm := row.estimate("dsm"))
    ]
    return max(found, key=lambda each: abs(number(each["difference"]) or 0.0), default={})


def _groups_reach(rows: Sequence[Record], column: str) -> dict[str, Any]:
    """Return the range of agreement of the groups of a column; only the column if no group has it."""
    found = [
        (qwk, str(row["level"]), str(row["run"]))
        for row in rows
        if row.mark != "insufficient" and (qwk := row.number("qwk")) is not None
    ]
    if not found:
        return {"column": column, "n": 0}
    (low, lowest, of), (high, highest, under) = min(found), max(found)
    return {
        "column": column, "n": len(found), "low": low, "lowest": lowest, "lowest_run": of,
        "high": high, "highest": highest, "highest_run": under,
    }  # fmt: skip


def _outcomes(evaluation: Evaluation, column: str) -> dict[str, str]:
    """Return the outcomes of the requirements on the groups of a column in their runs."""
    checks = [check for each in evaluation.facts.get("decisions") or () for check in each["checks"]]
    return {check.level: check.outcome for check in checks if check.column == column}


def _shades(table: Table, column: str, metric: str, evaluation: Evaluation) -> tuple[Chart, ...]:
    rows = table.records()
    levels = list(dict.fromkeys(str(row["level"]) for row in rows))[:MOST_LEVELS]
    runs = list(dict.fromkeys(str(row["run"]) for row in rows))
    known = {(str(row["level"]), str(row["run"])): row[metric] for row in rows}
    found = [[known.get((level, run)) for run in runs] for level in levels]
    title = Term("statistic_by_group", key=metric, column=column)
    if len(runs) < 2 and metric == "dsm":  # without a comparison, the table is sufficient for other metrics
        own, limits = estimates_in(rows[:MOST_LEVELS], "level", metric), _limits(evaluation, metric)
        return tuple(_side_by_side(f"{table.key}.{metric}", metric, own, limits, _outcomes(evaluation, column), title))
    if not any(sum(number(cell) is not None for cell in line) > 1 for line in found):  # no group is in two runs
        return ()
    level_names, run_names = distinct(levels), distinct(runs, 25)
    texts = tuple(tuple(map(num, line)) for line in found)
    values = tuple(tuple(map(number, line)) for line in found)
    sizes = tuple(tuple(None if value is None else abs(value) for value in line) for line in values)
    told = [{"level": level, "numbers": list(line)} for level, line in zip(level_names, texts, strict=True)]
    alt = Term(
        "shades_alt", metric=metric, column=column, levels=len(levels), runs=len(runs), named=told[:MOST_GROUPS_SAID]
    )
    axes = Axis(Term("run_axis"), run_names), Axis(Term("name_of_column", column=column), level_names)
    shades = sizes if metric == "dsm" else values
    cells = Cells(level_names, run_names, shades, texts, Term("statistic", key=metric))
    return (Chart(f"{table.key}.{metric}", title, alt, *axes, (cells,)),)


MOST_NAMED = 4  # pairs of traits that a sentence names


class SummarizeHalo(Section, title="How traits are related"):
    """Show correlations of errors, true scores, and engine scores for every two traits, and the added value of each."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return how rater errors correlate, how the engine separates traits, and which scores add information."""
        tables = evaluation.present("traits.pairs", "traits.added_value")
        if not tables:
            return Findings(values={"known": False, "reason": evaluation.facts.get("composite_reason") or ""})
        pairs = evaluation.records("traits.pairs")
        added = evaluation.records("traits.added_value")
        adds, adds_nothing = ([str(row["trait"]) for row in added if row["adds"] == each] for each in ("yes", "no"))
        halo = sorted(filter(None, (row.estimate("halo") for row in pairs)), key=lambda each: each.value or 0.0)
        ends = {"above": sum(map(_above, halo)), "least": halo[0], "most": halo[-1]} if halo else {}
        # engine scores whose correlation is clearly above the true-score correlation
        clear = [(row, each) for row in pairs if (each := row.estimate("trait_r_excess")) and _above(each)]
        clear.sort(key=lambda pair: -(pair[1].value or 0.0))
        named = [{"trait": str(row["trait"]), "other": str(row["other"]), "excess": each} for row, each in clear]
        return Findings(
            values={
                "known": True,
                "halo": {"n": len(halo), **ends},
                "pairs": len(pairs),
                "blurred": {"n": len(clear), "named": named[:MOST_NAMED]},
                "adds": adds,
                "adds_nothing": adds_nothing,
                "undecided": len(added) - len(adds) - len(adds_nothing),
            },
            tables=tables,
        )


def _above(each: Estimate) -> bool:
    return each.low is not None and each.low > 0


class SummarizeHistory(Section, title="History"):
    """Show each headline metric by date."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the runs by date; empty if they have fewer than two dates."""
        rows = evaluation.records("summary.history")
        if not rows:
            return Findings(values={"n": 0})
        dates = [str(row["created"]) for row in rows]
        named = [Record({**row, "run": f"{row['created']} {row['run']}"}) for row in rows]
        return Findings(
            values={"n": len(dates), "first": dates[0], "last": dates[-1], "apart": not one_set(evaluation)},
            tables=evaluation.present("summary.history"),
            charts=tuple(
                chart
                for key in ("qwk", "smd", "prmse")
                for chart in _side_by_side(f"summary.history.{key}", key, estimates_in(named, "run", key))
            ),
        )
