"""Compare two engines: which is better, agreement, changed scores, raters, and groups."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from report_sections import figures
from report_sections.figures import MOST_POINTS, NONE, Matrix, dumbbell, estimates_chart, heat_maps, stacked
from report_sections.lookup import MOST_FLAGGED, doubts_of_runs, is_of_test, only_task_groups, with_columns
from report_sections.true_score_evaluation import ENOUGH
from reportgen.metrics import METRICS
from reportgen.results import WORST_FIRST, aspect_of, aspects
from reportgen.results.chart import Axis, Bars, Chart, Ink, Rule
from reportgen.sections import Check, Estimate, Evaluation, Findings, Section, Table, Term

MOST_SAID = 6  # number of changes that the words for a chart name

CLEAR = ("better", "worse")  # readings of a change whose interval excludes 0, which sentences name

OTHERS = {"equivalent": "equivalent", "not distinguishable": "open", "the same": "same"}
CASES = {each: each for each in CLEAR} | OTHERS
"""How an engine compares with another, by the reading of the change of the primary measure."""

SAME = "same ratings"  # what two runs must share for one to be called better: the same responses with the same ratings


@dataclass(frozen=True)
class Change:
    """One row of a table of changes; `small` marks a group with too few responses to interpret."""

    metric: str
    form: str
    level: str
    system: str
    old: Estimate
    new: Estimate
    change: Estimate
    reading: str
    small: bool = False

    @property
    def size(self) -> float:
        """Distance of the change from 0; 0 if unknown."""
        return abs(self.change.value or 0.0)

    def told(self) -> dict[str, Any]:
        """Return the template's values for the change of a group."""
        return {"metric": self.metric, "level": self.level, "run": self.system, "change": self.change}


def changes(evaluation: Evaluation, *keys: str, **wanted: object) -> tuple[Change, ...]:
    """Return the rows of tables of changes with the `wanted` fields; empty if there is no such table."""
    rows: list[Any] = [row for key in keys for row in evaluation.records(key)]
    found = [
        Change(
            row["change"].metric, str(row.get("form") or ""), str(row.get("level") or ""), str(row["system"]),
            row["old"], row["new"], row["change"], str(row["reading"] or ""), row.mark == "insufficient",
        )
        for row in rows
    ]  # fmt: skip
    return tuple(row for row in found if all(getattr(row, name) == value for name, value in wanted.items()))


def largest_first(rows: Iterable[Change]) -> list[Change]:
    """Sort changes by size, with small groups last; the order of equal changes is kept.

    QWK and differences of standardized means are sorted together: neither has a unit, and the criteria of Williamson,
    Xi and Breyer (2012) allow 0.10 of either. Sorted by standard errors, the largest groups would come first, not the
    worst.

    >>> least, most = Estimate("qwk", -0.02, 90), Estimate("dsm", 0.23, 20)
    >>> rows = [Change("", "", level, "", each, each, each, "worse") for level, each in (("a", least), ("b", most))]
    >>> [row.level for row in largest_first(rows)]
    ['b', 'a']
    """
    return sorted(rows, key=lambda row: (row.small, -row.size))


def primary_change(evaluation: Evaluation, system: str, metric: str) -> Change | None:
    """Return the change of a measure that may decide: of the trimmed score, or of the rounded score for kappa."""
    form = "trimmed and rounded" if metric == "kappa" else "trimmed"
    found = changes(evaluation, "comparison.overall", "comparison.true_score", system=system, metric=metric, form=form)
    return next(iter(found), None)


def gain(change: Change | None) -> dict[str, Estimate]:
    """Return both values of a measure, and the change; empty if it is not known."""
    known = change is not None and change.change.defined
    return {"before": change.old, "after": change.new, "gain": change.change} if change and known else {}


def change_chart(key: str, rows: Sequence[Change], title: str = "", caption: str = "") -> tuple[Chart, ...]:
    """Return changes of distinct levels as dots with intervals around 0; None if no change is defined."""
    kept = [row for row in rows if row.change.defined]
    if not kept:
        return ()
    worse = [row.reading == "worse" for row in kept]
    # several metrics have different units, so their sizes are not comparable
    alone = len({row.metric for row in kept}) == 1
    told = sorted(kept, key=lambda row: -row.size if alone else 0.0)[:MOST_SAID] if len(kept) > MOST_SAID else kept
    alt = Term(
        "changes_alt",
        named=[{"label": row.level, "change": row.change} for row in told],
        more=len(kept) - len(told),
        largest=alone and len(told) < len(kept),
        clear=sum(row.reading not in ("not distinguishable", "the same", "no interval", "") for row in kept),
        worse=sum(worse),
        n=len(kept),
    )
    axis = Axis(Term("change_in"), low=-figures.LEAST_REACH, high=figures.LEAST_REACH)
    found = [(row.level, row.change) for row in kept]
    zero = Rule(0.0, "", ink="muted")
    return (estimates_chart(key, title, alt, axis, "", found, axis.title, zero, flagged=worse, caption=caption),)


def judged(pair: Mapping[str, Any]) -> bool:
    """Return whether agreement with raters can show which run is better: the first ratings are the same."""
    return pair.get("state", SAME) == SAME or bool(pair.get("first_ratings_same"))


def all_same(evaluation: Evaluation) -> bool:
    """Return whether all runs have the same responses with the same ratings."""
    return all(pair.get("state", SAME) == SAME for pair in evaluation.facts["pairs"])


def one_set(evaluation: Evaluation) -> bool:
    """Return whether all runs side by side have the same responses with the same ratings, or there is one run."""
    sets, runs = (list(evaluation.facts.get(key) or ()) for key in ("same_responses", "runs"))
    return len(runs) < 2 or (len(sets) == 1 and len(sets[0]) == len(runs))


LEADING = ("agreement", "severity", "accuracy", "groups")
"""Questions whose requirements are drawn for every engine: the worst answered ones."""

DRAWN, MOST_COLUMNS = 2, 7  # requirements of a board that are drawn, and those that it shows

MOST_ROWS = 30  # engines of a board, the worst if there are more

OPEN = ("collect more ratings", "out of reach with these raters", "cannot be judged")
DECISIONS = ("deploy", *OPEN, "do not deploy", "")
"""Decisions in the order of a board; the last one is for engines that were not judged."""


def board(evaluation: Evaluation) -> dict[str, Any]:
    """Return the engines by decision, with the deciding result on every tested requirement; `drawn` are drawn."""
    every_one = list(evaluation.facts.get("decisions") or ())
    of_runs = evaluation.kind == "summary" and not evaluation.facts.get("of_systems")  # each with its own question
    worst_first = sorted(every_one, key=lambda each: -DECISIONS[:-1].index(each["decision"]) if each["decision"] else 1)
    decisions = every_one if len(every_one) <= MOST_ROWS else worst_first[:MOST_ROWS]
    held = {each["run"]: _requirements(evaluation, each) for each in decisions}
    every = aspects([check for checks in held.values() for check in checks])
    tested = [replace(each, checks=found) for each in every
              if (found := tuple(check for check in each.checks if check.outcome != "insufficient"))]  # fmt: skip
    worst = sorted(tested, key=lambda each: (each.name not in LEADING, WORST_FIRST.index(each.outcome)))[:DRAWN]
    drawn = [each.checks[0] for each in tested if each in worst]
    heads = {check.statistic: check for each in reversed(tested) for check in reversed(each.checks)}
    columns = list(dict.fromkeys([check.statistic for check in drawn] + list(reversed(heads))))
    cells = {run: [_deciding(checks, key) for key in columns[:MOST_COLUMNS]] for run, checks in held.items()}
    at = next((place for place, key in enumerate(columns) if key.endswith(f".{evaluation.facts.get('primary')}")), 0)
    led = {run: sum(each.estimate.value or 0.0 for each in found[at : at + 1] if each) for run, found in cells.items()}
    order = list(cells) if of_runs else sorted(cells, key=lambda run: -led[run])
    untested = [each.name for each in every if each.name not in {other.name for other in tested}]
    return {
        "groups": [
            {"decision": code, "rows": [{"run": run, "cells": cells[run]} for run in order if run in runs]}
            for code in (reversed(DECISIONS) if of_runs else DECISIONS)
            if (runs := {each["run"] for each in decisions if each["decision"] == code})
        ],
        "heads": [heads[key] for key in columns[:MOST_COLUMNS]],
        "drawn": len(drawn),
        "left": len(columns[MOST_COLUMNS:]),
        "of_runs": of_runs,
        "more": len(every_one) - len(decisions),
        "untested": untested,
        "help": _help(evaluation, held, untested),
    }


def _requirements(evaluation: Evaluation, decision: Mapping[str, Any]) -> list[Check]:
    own = list(decision["checks"])
    listed = {(each.statistic, each.column) for each in own}
    return own + [each for each in evaluation.checks
                  if each.group == decision["run"] and (each.statistic, "") not in listed]  # fmt: skip


def _deciding(checks: Iterable[Check], statistic: str) -> Check | None:
    return next((each.leading for each in aspects([check for check in checks if check.statistic == statistic])), None)


def _help(evaluation: Evaluation, held: Mapping[str, Sequence[Check]], untested: Sequence[str]) -> list[dict[str, Any]]:
    """Return steps to a clear answer: ratings or groups that no engine was tested with, then open requirements.

    If no engine may be used, requirements that are not met are also among the steps.
    """
    waiting = [each for checks in held.values() for each in checks if aspect_of(each) in ("second_rater", "accuracy")]
    twice = max((each.estimate.n for each in waiting), default=0)
    found: list[dict[str, Any]] = []
    if any(aspect_of(each) in untested for each in waiting):
        kept = max(each.estimate.n for checks in held.values() for each in checks)
        case = {"case": "double_score" if twice else "second_rater", "now": twice, "asked": None}
        found.append(case | {"n": min(ENOUGH, kept), "of": kept})
    column = {"case": "group_column", "of_test": is_of_test(evaluation), "task_groups": only_task_groups(evaluation)}
    given = {each["run"]: each["decision"] for each in evaluation.facts.get("decisions") or ()}
    steps: dict[str, tuple[str, ...]] = dict.fromkeys(OPEN, ("not yet known", "out of reach"))
    steps |= {} if "deploy" in given.values() else {"do not deploy": ("not met",)}
    open_ = {run: [each.leading for each in aspects(checks) if each.outcome in steps.get(given[run], ())]
             for run, checks in held.items()}  # fmt: skip
    turns = ((place, run, check) for run, checks in open_.items() for place, check in enumerate(checks))
    # engines that may still pass first; then one requirement of each engine, failures before open ones
    in_turn = sorted(turns, key=lambda each: (given[each[1]] not in OPEN, each[0], WORST_FIRST.index(each[2].outcome)))
    ungrouped = [
        run for run, checks in held.items() if "groups" not in untested
        for each in checks if aspect_of(each) == "groups" and each.outcome == "insufficient" and not each.column
    ]  # fmt: skip
    found += [{"case": "open", "run": run, "check": check} for _, run, check in in_turn]
    if column["task_groups"] or ("groups" in untested and not evaluation.groups):
        is_last_gap = any(given[run] in OPEN and not checks for run, checks in open_.items())
        found.insert(0 if is_last_gap else len(found), column)
    return found + [column | {"run": run} for run in ungrouped]


SAID = {
    "exact_agreement": "comparison.overall", "qwk": "comparison.overall", "prmse": "comparison.true_score",
    "disattenuated_r": "comparison.disattenuated", "r": "comparison.raters",
}  # fmt: skip
"""Statistics that sentences mention, and their tables; r is the correlation between raters."""

MOST_GROUPS = 4  # groups named for each column and direction of change


class ComparisonSummary(Section, title="Summary", part="decision"):
    """Show whether each run is better than the first, worse, or not distinguishable from it."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Compare each run with the first; return each run's decision, and notable groups."""
        return Findings(
            values={
                "pairs": [_pair(evaluation, pair) for pair in evaluation.facts["pairs"]],
                "groups": _groups(evaluation),
                "doubts": doubts_of_runs(evaluation),
                "board": board(evaluation),
            },
            tables=evaluation.present("comparison.runs", "comparison.engines", "comparison.ranking"),
        )


def _pair(evaluation: Evaluation, pair: Mapping[str, Any]) -> dict[str, Any]:
    """Compare a run with the first: the case, its numbers, and the scores that change."""
    new, state = pair["new"], pair.get("state", SAME)
    decides = primary_change(evaluation, new, str(evaluation.facts["primary"]))
    case = CASES.get(decides.reading if decides else "", "unknown") if judged(pair) else state
    said = {
        metric: {"old": row.old, "new": row.new, "change": row.change, "reading": row.reading}
        for metric, key in SAID.items()
        for row in changes(evaluation, key, metric=metric, system=new)
        if row.old.defined and row.new.defined
    }
    kept = {key: pair.get(key) for key in ("old", "new", "paired", "shared", "old_n", "new_n", "raters_differ")}
    between = {}
    if case == "other ratings":
        values = [row["value"] for row in evaluation.records("comparison.engines") if row["system"] == new]
        means = changes(evaluation, "comparison.overall", system=new, metric="system_mean", form="trimmed")
        between = {
            "agreement": next((value for value in values if isinstance(value, Estimate)), None),
            "mean": next((row.change for row in means if row.change.defined), None),
        }
    primary = {**{key: evaluation.facts[key] for key in ("primary", "margin")}, **gain(decides)}
    return {**kept, "state": state, "case": case, **primary, **said, **moved(evaluation, new), **between}


def moved(evaluation: Evaluation, system: str) -> dict[str, Any]:
    """Return how many rounded scores change under a run, and whether they move toward the rater's score."""
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


def _groups(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Return the groups in which a run is clearly worse or better than the first, the largest changes first."""
    found = []
    for column in evaluation.groups:
        rows = [row for row in changes(evaluation, f"comparison.by_group.{column}")
                if (row.form == "trimmed" and row.metric in ("qwk", "dsm"))
                or (row.metric == "kappa" and not evaluation.scale.ordered)]  # fmt: skip
        for reading in ("worse", "better"):
            if clear := largest_first(row for row in rows if row.reading == reading):
                of, count = (len({row.level for row in each}) for each in (rows, clear))
                named = [row.told() for row in clear[:MOST_GROUPS]]
                found.append({"column": column, "case": reading, "named": named, "count": count, "of": of})
    return found


MEASURES = {
    "trimmed": ("qwk", "r", "r_squared", "rmse", "mae", "smd"),
    "trimmed and rounded": ("kappa", "exact_agreement", "adjacent_agreement"),
}
"""Measures of agreement and error, by the form of the score that they are of."""

OF_ENGINES = ("qwk", "r", "rmse", "smd", "prmse")  # measures whose changes are drawn


class ComparisonAgreement(Section, title="Agreement of engine and human scores"):
    """Show every statistic of engine and human scores in all runs, overall and by form of the score."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the agreement of each run, the changes, and a figure of the important ones."""
        metric = evaluation.facts["primary"]
        metric = "qwk" if metric == "prmse" else metric
        pairs = [(pair["old"], pair["new"]) for pair in evaluation.facts["pairs"]]
        found = [{"old": old, "new": new, **gain(primary_change(evaluation, new, metric))} for old, new in pairs]
        return Findings(
            values={"metric": metric, "pairs": [each for each in found if "gain" in each]},
            tables=(*_parted(evaluation), *evaluation.present("comparison.score_types")),
            charts=_engines_figures(evaluation),
        )


def _engines_figures(evaluation: Evaluation) -> tuple[Chart, ...]:
    drawn = [
        row
        for metric in (OF_ENGINES if evaluation.scale.ordered else ("kappa", *OF_ENGINES))
        for row in changes(evaluation, "comparison.overall", "comparison.true_score", metric=metric)
        if (row.form == "trimmed" or metric == "kappa") and row.old.defined and row.new.defined
    ]
    return tuple(
        engines_figure(evaluation, rows, pair["old"], pair["new"], place)
        for place, pair in enumerate(evaluation.facts["pairs"])
        if judged(pair) and (rows := [row for row in drawn if row.system == pair["new"]])
    )


def _parted(evaluation: Evaluation) -> tuple[Table, ...]:
    tables = evaluation.present("comparison.overall")
    rows = changes(evaluation, "comparison.overall")  # the incomparable ones, too
    measured = [row.metric in MEASURES.get(row.form, ()) for row in rows]
    if all(measured) or not any(measured):
        return tables
    shown, described = (
        replace(table, rows=tuple(row for row, is_one in zip(table.rows, measured, strict=True) if is_one is kind))
        for table in tables
        for kind in (True, False)
    )
    return shown, replace(described, key=f"{shown.key}.description")


STATISTICS = {"prmse": "true_score.prmse"}
"""Full keys of statistics that do not belong to a form of the engine's scores."""


def engines_figure(evaluation: Evaluation, rows: Sequence[Change], old: str, new: str, place: int) -> Chart:
    """Return the measures of one pair of engines, the `place`-th, counted from 0."""
    names = (Term("run_label", run=old), Term("run_label", run=new))
    told = [{"metric": row.metric, "old": row.old, "new": row.new} for row in rows]
    panels, required = [], {check.statistic: check for check in reversed(evaluation.checks) if check.group == new}
    for row in rows:
        check = required.get(STATISTICS.get(row.metric, f"system.{row.metric}"))
        better = METRICS[row.metric].better if row.metric in METRICS else "high"
        limits, missed = (check.low, check.high) if check else NONE, bool(check and check.outcome == "not met")
        label = Term("short_statistic", key=row.metric)
        panels.append(dumbbell(label, row.old, row.new, names, limits, better, missed=missed))
    key = f"comparison.overall.chart{f'.{place + 1}' if place else ''}"
    return stacked(key, Term("engines_alt", old=old, new=new, measures=told), panels)


KEYS = ("comparison.true_score", "comparison.raters", "comparison.degradation", "comparison.disattenuated")


class ComparisonRaters(Section, title="Raters and true scores"):
    """Show human-human agreement and true-score evaluation of all runs: old, new, and change."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return PRMSE of all runs, whether the raters are the same, and the tables that need a second rating."""
        found, apart = changes(evaluation, "comparison.true_score", metric="prmse"), not all_same(evaluation)
        rows = () if apart else changes(evaluation, "comparison.raters")
        same = bool(rows) and all(row.reading == "the same" or row.old.value == row.new.value for row in rows)
        kinds = ("disattenuated",) if same else ("raters", "disattenuated")  # identical results need no table
        by_group = [f"comparison.{kind}.by.{column}" for column in evaluation.groups for kind in kinds]
        keys = [key for key in KEYS if not (same and key == "comparison.raters")]
        missing = "no prmse" if evaluation.present(*KEYS) else "no second rating"
        return Findings(
            values={
                "case": "accuracy" if any(row.new.defined and row.old.defined for row in found) else missing,
                "same_raters": same,
                "apart": apart,
                "pairs": [
                    {
                        "old": str(evaluation.facts["pairs"][0]["old"]), "new": row.system, "old_prmse": row.old,
                        "new_prmse": row.new, "change": row.change, "reading": row.reading,
                    }
                    for row in found
                ],
            },
            tables=evaluation.present(*keys, *by_group),
        )  # fmt: skip


MOST_PAIRS = 3  # pairs of runs whose distributions and movements are drawn


class ComparisonDistributions(Section, title="Score distributions and movement"):
    """Show score distributions, confusion matrices with their change, and the movement of scores."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the movement of scores, and both distributions."""
        pairs = evaluation.facts["pairs"]
        numbered = [(n, {"old": pair["old"], "new": pair["new"]}) for n, pair in enumerate(pairs, start=2)]
        distributions = [f"comparison.distribution.{n}" for n, _ in numbered]
        charts: list[Chart] = []
        for n, names in numbered[:MOST_PAIRS]:
            moves = evaluation.present(f"comparison.movement.{n}")
            charts += [_movement(table, evaluation, names) for table in moves if len(table.rows) <= MOST_POINTS]
            charts += [_distribution(table, evaluation, names) for table in evaluation.present(distributions[n - 2])]
        return Findings(
            values={"pairs": [{**names, "place": n, **moved(evaluation, names["new"])} for n, names in numbered]},
            tables=evaluation.present("comparison.movement", *distributions),
            charts=tuple(charts),
        )


def _movement(table: Table, evaluation: Evaluation, names: Mapping[str, str]) -> Chart:
    """Return the movement of scores as a heat map with a row for each old score."""
    matrix, ordered = Matrix.of(table), evaluation.scale.ordered
    rows, columns = (Term("score_by" if ordered else "label_by", run=names[which]) for which in ("old", "new"))
    alt = Term("moves_alt", **names, rows=[each for each in matrix.told(last=True) if each["n"]])
    chart = heat_maps(f"{table.key}.chart", alt, [("", columns, matrix)], rows, Term("of_row"))
    return replace(chart, title=Term("movement_of" if ordered else "labels_of", **names))


def _distribution(table: Table, evaluation: Evaluation, names: Mapping[str, str]) -> Chart:
    rows = table.records()
    points = tuple(str(row["score"]) for row in rows)
    said = [{"score": str(row["score"]), **{key: row.number(key) for key in INKS}} for row in rows]
    labels = (Term("rater"), *(Term("name_of_run", run=run) for run in names.values()))
    bars = zip(labels, INKS.items(), strict=True)
    return Chart(
        f"{table.key}.chart",
        "",
        Term("shares_alt", points=said, **names),
        Axis(Term("score_axis" if evaluation.scale.ordered else "axis_label"), categories=points),
        Axis(Term("responses_axis"), low=0.0, unit="%"),
        tuple(
            Bars(label, points, tuple(row.number(key) for row in rows), ink, hollow=key == "old")
            for label, (key, ink) in bars
        ),
    )


INKS: Mapping[str, Ink] = {"human": "human", "old": "engine", "new": "engine"}
"""How the columns of a table of distributions are drawn; the old engine's bars are hollow, as its dots are."""

SHOWN = ("metric", "level", "n", "system", "old", "new", "change", "reading")

MOST_NAMED = 5  # groups of a column that a sentence names


OF_GROUPS = ("qwk", "dsm", "rmse")  # measures of groups whose changes the page shows; the CSV has all

MOST_LEVELS = 20
"""Levels drawn in a chart, largest first; other levels that clearly differ follow, by the size of their changes."""


class ComparisonGroups(Section, title="Groups"):
    """Show old, new, and change of agreement and of the difference of standardized means, for each group column."""

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return for each group column in which groups the runs differ clearly, charts and a table."""
        columns = [column for column in evaluation.groups if f"comparison.by_group.{column}" in evaluation.tables]
        if not columns:
            case = "none" if all_same(evaluation) else "apart"
            return Findings(values={"case": case, "columns": [], "withheld": withheld(evaluation)})
        tables = [_table_of_groups(evaluation, column) for column in columns]
        return Findings(
            values={
                "case": "compared",
                "columns": [
                    {**_clear(evaluation, column), "rows": len(evaluation.tables[table.key].rows), "of_many": of_many}
                    for column, (table, of_many) in zip(columns, tables, strict=True)
                ],
                "withheld": withheld(evaluation),
            },
            charts=tuple(
                chart
                for column in columns
                for place, pair in enumerate(evaluation.facts["pairs"], start=2)
                for metric in ("qwk", "dsm")
                for chart in _chart_of_groups(evaluation, column, place, pair, metric)
            ),
            tables=(*(table for table, _ in tables), *evaluation.present("privacy.withheld")),
        )


def _table_of_groups(evaluation: Evaluation, column: str) -> tuple[Table, bool]:
    """Return the rows of the metrics on the page; if there are too many, half are the largest changes."""
    key = f"comparison.by_group.{column}"
    table = evaluation.tables[key]
    chosen = [
        (change, row)
        for row, change in zip(table.rows, changes(evaluation, key), strict=True)
        if change.metric in OF_GROUPS and change.form == "trimmed"
    ]
    kept = _kept([change for change, _ in chosen], table.max_rows)
    rows = tuple(chosen[place][1] for place in kept)
    return with_columns(replace(table, rows=rows), SHOWN), len(chosen) > table.max_rows


def _chart_of_groups(
    evaluation: Evaluation, column: str, place: int, pair: Mapping[str, Any], metric: str
) -> tuple[Chart, ...]:
    key = f"comparison.by_group.{column}"
    found = changes(evaluation, key, metric=metric, form="trimmed", system=pair["new"])
    clear = largest_first(row for row in found[MOST_LEVELS:] if row.reading in CLEAR)
    shown = min(len(clear), MOST_FLAGGED)
    drawn = Term("largest_groups_drawn", most=MOST_LEVELS, shown=shown, left=len(clear) - shown)
    title = Term(
        "change_by_group", key=metric, column=column, old=pair["old"], new=pair["new"],
        several=len(evaluation.facts["pairs"]) > 1,
    )  # fmt: skip
    caption = drawn if len(found) > MOST_LEVELS else Term("largest_group_first")
    return change_chart(f"{key}.{metric}.{place}", [*found[:MOST_LEVELS], *clear[:shown]], title, caption)


def withheld(evaluation: Evaluation) -> dict[str, int]:
    """Return the number of hidden groups, and the number of responses a group needs; empty if all are shown."""
    rows = evaluation.records("privacy.withheld")
    return {"n": len(rows), "least": evaluation.count("min_n_per_group")} if rows else {}


def _kept(rows: list[Change], most: int) -> list[int]:
    """Return the positions of the `most` rows that a table shows: half are the largest clear changes by metric."""
    clear = [row for row in rows if row.reading in CLEAR]
    by_metric = [
        largest_first(row for row in clear if row.metric == key) for key in dict.fromkeys(each.metric for each in clear)
    ]
    worst = [id(row) for turn in zip_longest(*by_metric) for row in turn if row is not None][: most // 2]
    others = [place for place, row in enumerate(rows) if id(row) not in worst][: most - len(worst)]
    return [place for place, row in enumerate(rows) if id(row) in worst or place in others]


def _clear(evaluation: Evaluation, column: str) -> dict[str, Any]:
    """Return in which groups of a column the runs differ clearly, the largest changes first."""
    rows = [
        row
        for row in changes(evaluation, f"comparison.by_group.{column}", form="trimmed")
        if row.metric in ("qwk", "dsm") and row.change.defined
    ]
    clear = largest_first(row for row in rows if row.reading in CLEAR)
    groups = {reading: len({row.level for row in clear if row.reading == reading}) for reading in CLEAR}
    return {
        "column": column, "of": len({row.level for row in rows}), **groups, "differences": len(rows),
        "n_clear": len(clear), "named": [row.told() | {"reading": row.reading} for row in clear[:MOST_NAMED]],
    }  # fmt: skip
