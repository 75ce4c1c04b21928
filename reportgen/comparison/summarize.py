"""Any number of runs as the content of one report: decisions, tables, ranks, groups side by side, history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.comparison.changes import STATISTICS, runs_table
from reportgen.comparison.compare import checks_of, evaluation_of, ranking_table, side_by_side
from reportgen.comparison.sharing import decisions_of, largest_difference, sets_of_same_responses, withheld_from
from reportgen.errors import InputError
from reportgen.evaluation.tables.build import columns_of, metric_column
from reportgen.results import Cell, Check, Column, Estimate, Evaluation, Row, Table
from reportgen.results.aspects import aspect_of
from reportgen.results.term import Term
from reportgen.runs.model import NumberPlace, Run
from reportgen.settings import Settings

BY_GROUP = ("qwk", "dsm", "r", "rmse", "system_mean")
HEADLINES = ("system.qwk", "system.r", "system.rmse", "system.smd", "true_score.prmse")
"""Statistics that are drawn run by run and over time."""

BESIDE_DECISIONS = ("system.qwk", "system.kappa", "system.smd", "true_score.prmse")
"""Statistics beside each decision; kappa where labels have no order."""

RANKING = "summary.ranking"

JUDGED_NOT = "not judged"
"""What stands in the place of a decision where there is none."""

ALL = 10_000


def summarize_runs(
    runs: Sequence[Run],
    settings: Settings,
    provenance: Mapping[str, Any],
    *,
    one_scale: bool = True,
    compared: Sequence[Run] = (),
    ranking: Table | None = None,
) -> Evaluation:
    """Return what any number of runs say side by side.

    runs: At least one.
    one_scale: Whether runs on different scales are refused; items of one test may have scales of their own.
    compared: The runs that are ranked, where these are on other responses: those that all of them scored.
    ranking: How these are ranked, where their comparison has it.
    """
    if not runs:
        raise InputError("a summary needs at least one run; name the folder of one.")
    runs = side_by_side(runs, settings, one_scale=one_scale)
    decisions = decisions_of(runs, settings.verdict.policy)
    same = sets_of_same_responses(compared or runs)
    ranking = ranking_table(same, RANKING) if ranking is None else replace(ranking, key=RANKING)
    checks = checks_of(runs, settings.verdict.policy)
    facts = {
        "runs": [run.name for run in runs],
        "dates": [run.created for run in runs],
        "headlines": list(HEADLINES),
        "confidence_level": runs[0].level,
        "min_n_per_group": min(run.min_n for run in runs),
        "decisions": decisions,
        "same_responses": [[run.name for run in each] for each in same],
        **({"compared": compared[0].n} if compared else {}),
    }
    estimates = {
        f"run{number}.{key}": estimate
        for number, run in enumerate(runs, start=1)
        for key in HEADLINES
        if (estimate := run.estimate(NumberPlace(key))) is not None
    }
    tables = [table for table in _tables(runs, decisions, checks, ranking) if table.rows]
    return evaluation_of(
        "summary", runs, settings, provenance, _groupings(runs), facts=facts, estimates=estimates, tables=tables,
        checks=checks,
    )  # fmt: skip


def _tables(
    runs: Sequence[Run], decisions: Sequence[Mapping[str, Any]], checks: Sequence[Check], ranking: Table
) -> list[Table]:
    return [
        _decisions(runs, decisions),
        runs_table(runs),
        *(_side_by_side(key, metrics, runs) for key, metrics in STATISTICS["side_by_side"].items()),
        _criteria(runs, checks),
        ranking,
        *(_by_group(grouping, runs) for grouping in _groupings(runs)),
        *withheld_from(runs),
        _history(runs),
    ]


def _decisions(runs: Sequence[Run], decisions: Sequence[Mapping[str, Any]]) -> Table:
    """Return for each run its decision, the numbers that decide, and the group that lies farthest from the others."""
    rows = []
    for run, found in zip(runs, decisions, strict=True):
        numbers = [_defined(run.estimate(NumberPlace(key))) for key in BESIDE_DECISIONS]
        if numbers[0] is not None:
            numbers[1] = None
        group = largest_difference(found)
        farthest = (group.estimate, group.level) if group is not None else (None, None)
        decision = Term(found["decision"] or JUDGED_NOT)
        rows.append(Row((run.name, decision, run.n, *numbers, *farthest)))
    columns = [
        *columns_of(run="text", decision="text", n="count"),
        *_columns(BESIDE_DECISIONS),
        *columns_of(hidden=("farthest_group",), largest_difference="difference", farthest_group="text"),
    ]
    known = [any(row.cells[place] is not None for row in rows) for place in range(len(columns))]
    shown = (replace(column, shown=column.shown and there) for column, there in zip(columns, known, strict=True))
    return Table("summary.decisions", "", tuple(shown), tuple(rows), max_rows=ALL)


def _defined(estimate: Estimate | None) -> Estimate | None:
    return estimate if estimate is not None and estimate.defined else None


def _criteria(runs: Sequence[Run], checks: Sequence[Check]) -> Table:
    """Return for each run the outcome of every requirement on all responses; one column for each limit.

    Limits that a run does not meet come first: on paper the last columns may be left out.
    """
    of_all = [check for check in checks if aspect_of(check) != "groups"]
    failed = {(check.statistic, check.low, check.high) for check in of_all if check.outcome == "not met"}
    criteria = {(check.statistic, check.low, check.high): check for check in of_all}
    criteria = {key: criteria[key] for key in sorted(criteria, key=lambda key: key not in failed)}
    outcomes = {(check.group, check.statistic, check.low, check.high): check.outcome for check in checks}
    rows = []
    for run in runs:
        found = [outcomes.get((run.name, *key)) for key in criteria]
        said = [None if outcome is None else Term(f"outcome.{outcome}") for outcome in found]
        rows.append(Row((run.name, *said), "flagged" if "not met" in found else ""))
    columns = [
        Column(f"{key}.{place}", Term("requirement_on", check=_bare(check)))
        for place, ((key, *_), check) in enumerate(criteria.items(), 1)
    ]
    return Table("summary.criteria", "", (Column("run"), *columns), tuple(rows) if criteria else (), max_rows=ALL)


def _bare(check: Check) -> Check:
    """Return a requirement without what it was held against."""
    nothing = Estimate(check.estimate.metric, None, 0, kind=check.estimate.kind)
    return replace(check, estimate=nothing, outcome="insufficient", group="", source="")


def _groupings(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for run in runs for name in run.groups))


def _side_by_side(name: str, keys: Sequence[str], runs: Sequence[Run]) -> Table:
    """Return one row of statistics for each run that has any of them."""
    rows = []
    for run in runs:
        score = run.score_types[-1].key if name.endswith("_rounded") else ""
        cells = [run.estimate(NumberPlace(key, score)) for key in keys]
        if any(cell is not None and cell.defined for cell in cells):
            rows.append(Row((run.name, run.n, *cells)))
    columns = (*columns_of(run="text", n="count"), *_columns(keys))
    return Table(f"summary.{name}", "", columns, tuple(rows), max_rows=ALL)


def _by_group(grouping: str, runs: Sequence[Run]) -> Table:
    hidden = {level for run in runs for level in run.withheld(grouping)}
    levels = [level for level in dict.fromkeys(each for run in runs for each in run.levels(grouping))
              if level not in hidden]  # fmt: skip
    rows = []
    for level in levels:
        for run in runs:
            found = [run.estimate(NumberPlace(f"system.{metric}", "", grouping, level)) for metric in BY_GROUP]
            n = max((cell.n for cell in found if cell is not None), default=0)
            if n:
                rows.append(Row((level, run.name, n, *found), "insufficient" if n < run.min_n_of(grouping) else ""))
    lead = (Column("level", Term("name_of_column", column=grouping)), *columns_of(run="text", n="count"))
    columns = (*lead, *map(metric_column, BY_GROUP))
    return Table(f"summary.by_group.{grouping}", "", columns, tuple(rows), max_rows=ALL)


def _history(runs: Sequence[Run]) -> Table:
    dated = sorted((run for run in runs if run.created), key=lambda run: run.created)
    rows = []
    if len({run.created for run in dated}) > 1:
        for run in dated:
            cells: list[Cell] = [run.estimate(NumberPlace(key)) for key in HEADLINES]
            rows.append(Row((run.created, run.name, run.n, *cells)))
    columns = (*columns_of(created="text", run="text", n="count"), *_columns(HEADLINES))
    return Table("summary.history", "", columns, tuple(rows), max_rows=ALL)


def _columns(keys: Sequence[str]) -> list[Column]:
    named = {"disattenuated.r": metric_column("disattenuated_r"), "human.r": Column("human_r", kind="coefficient")}
    return [named.get(key) or metric_column(key.split(".")[1]) for key in keys]
