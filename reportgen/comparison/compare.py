"""Build the content of comparison and summary reports."""

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from reportgen.comparison import changes
from reportgen.comparison.changes import ALL, LINES, STATISTICS, Pair
from reportgen.comparison.sharing import decisions_of, largest_difference, sets_of_same_responses, verdict_of
from reportgen.errors import InputError
from reportgen.evaluation import Plan, Preparation, tally_scores
from reportgen.evaluation.estimates import SliceEstimates
from reportgen.evaluation.suppression import Suppression, withheld_log
from reportgen.evaluation.tables.build import columns_of, metric_column, table
from reportgen.policies import load_policy
from reportgen.results import Check, Column, Estimate, Evaluation, Row, Scale, Source, Table, Term, aspect_of
from reportgen.runs.configurations import refuse_same_names, refuse_scales
from reportgen.runs.model import NumberPlace, Run
from reportgen.settings import Settings
from reportgen.sources import column_names
from reportgen.verdicts import check


def compare_runs(runs: Sequence[Run], settings: Settings, provenance: Mapping[str, Any]) -> Evaluation:
    """Compare each run with the first."""
    if len(runs) < 2:
        raise InputError(f"a comparison requires at least two runs, found {len(runs)}; add another run.")
    runs = side_by_side(runs, settings)
    pairs = [Pair.of(runs[0], run) for run in runs[1:]]
    same = sets_of_same_responses(runs) if len(runs) > 2 else []
    rivals = [pair for pair in pairs_within(same) if pair.old.name != runs[0].name]
    primary, margin = primary_of([*pairs, *rivals], settings), settings.verdict.smallest_difference
    changes.read_together(pairs, rivals, primary, margin)
    tables = [*changes.comparison_tables(runs, pairs), *changes.movement_tables(pairs), engines_table(pairs)]
    tables += withheld_from([run for pair in pairs for run in (pair.old, pair.new)])
    tables.append(ranking_table(same, [*pairs, *rivals], primary, "comparison.ranking"))
    facts = {
        "runs": [run.name for run in runs], "pairs": [_facts(pair) for pair in pairs],
        "decisions": decisions_of(runs, settings.verdict.policy), "confidence_level": runs[0].level,
        "min_n_per_group": runs[0].min_n, "primary": primary.split(".")[1], "margin": margin, "design": design_of(runs),
    }  # fmt: skip
    checks = checks_of(runs, settings.verdict.policy)
    judged = tuple(each for each in checks if all(pair.compared(each.statistic) == "judged" for pair in pairs))
    groups, first = dict.fromkeys(name for pair in pairs for name in pair.groupings), runs[0]
    return Evaluation(
        together(runs), (), first.scale, first.score_types, tuple(groups), first.raters,
        settings.model_dump(mode="json", exclude_none=True), facts, _estimates(pairs),
        {each.key: each for each in tables if each.rows}, judged, tuple(_warnings(pairs)), provenance, "comparison",
    )  # fmt: skip


def design_of(runs: Sequence[Run]) -> dict[str, Any]:
    """Return the purpose of all runs together, "judge" if each evaluates one, and the groupings of people."""
    people = tuple(sorted({name for run in runs for name in run.groups if column_names.groups_people(name)}))
    judged = all(run.purpose == "judge" for run in runs)
    return {"purpose": "judge" if judged else "engine", "groups_of_people": None if judged else people}


def side_by_side(runs: Sequence[Run], settings: Settings, *, one_scale: bool = True) -> list[Run]:
    """Name runs uniquely, check for `one_scale`, and hide small groups unless settings show them."""
    refuse_same_names(runs)
    if one_scale:
        refuse_scales(runs)
    return [run.withholding(settings.privacy.withhold_small_groups) for run in runs]


def withheld_from(runs: Sequence[Run]) -> list[Table]:
    """Return a log of the groups that any run withholds; these are withheld from all runs."""
    hidden = [(name, frozenset(run.withheld(name))) for run in runs for name in run.groups]
    levels = {name: frozenset[str]().union(*(own for other, own in hidden if other == name)) for name, _ in hidden}
    return [*withheld_log(Suppression(max(run.min_n for run in runs), levels))]


def together(runs: Sequence[Run]) -> Source:
    """Combine several sources into one, whose hash is computed from theirs in order; a shared source stays as it is."""
    if len({run.source.sha256 for run in runs}) == 1:
        return runs[0].source
    digest = hashlib.sha256("\n".join(run.source.sha256 for run in runs).encode()).hexdigest()
    sizes, rows = (sum(getattr(run.source, name) for run in runs) for name in ("bytes", "rows"))
    return Source(f"{len(runs)} runs", digest, sizes, rows, "runs")


def checks_of(runs: Sequence[Run], policy: str) -> tuple[Check, ...]:
    """Return every run's requirements on all responses, from its verdict or else its stored estimates."""
    found: list[Check] = []
    for run in runs:
        if (verdict := verdict_of(run, policy)) is not None:
            found += [replace(each, group=run.name) for each in verdict.checks if not each.column]
            continue
        for criterion in load_policy(policy).criteria:
            estimate = None if criterion.groups else run.estimate(NumberPlace(criterion.statistic))
            if estimate is not None:
                found.append(check(criterion, estimate, group=run.name, min_n=run.min_n))
    order = list(dict.fromkeys(each.statistic for each in found))
    return tuple(sorted(found, key=lambda each: order.index(each.statistic)))


def _facts(pair: Pair) -> dict[str, Any]:
    """Return what two runs share, and how their raters differ."""
    sharing = pair.sharing
    raters: dict[str, Any] = {}
    if sharing.state != "same ratings":
        found = pair.change("human.r")
        twice = (0, 0) if found is None else (found.old.n, found.new.n)
        raters = {
            "raters_differ": pair.raters_differ, "first_ratings_same": pair.first_ratings_same,
            "old_raters": len(pair.old.raters), "new_raters": len(pair.new.raters),
            "old_double_scored": twice[0], "new_double_scored": twice[1],
        }  # fmt: skip
    return {
        "old": pair.old.name, "new": pair.new.name, "paired": sharing.paired, "reason": sharing.reason,
        "shared": sharing.n, "old_only": sharing.old_only, "new_only": sharing.new_only,
        "different": sharing.different, "old_n": pair.old.n, "new_n": pair.new.n, "state": sharing.state,
        **({"comparable": sharing.comparable, "ratings_differ": told} if (told := ratings_differ(pair)) else {}),
        **raters,
    }  # fmt: skip


def _estimates(pairs: Sequence[Pair]) -> dict[str, Estimate]:
    """Return old, new, and change of every overall statistic, with numbered runs."""
    estimates = {}
    for number, pair in enumerate(pairs, start=2):
        for line in (*LINES["overall"], *LINES["raters"], *LINES["true_score"]):
            score = line.score(pair)
            change = pair.change(line.key, score)
            if change is not None:
                key = f"{line.key}.rounded" if score[0] else line.key
                estimates[f"run1.{key}"] = change.old
                estimates[f"run{number}.{key}"] = change.new
                estimates[f"change{number}.{key}"] = change.difference
    return estimates


def _warnings(pairs: Sequence[Pair]) -> list[Term]:
    told: list[Term] = []
    for pair in pairs:
        sharing, names = pair.sharing, {"old": pair.old.name, "new": pair.new.name}
        if differ := ratings_differ(pair):
            told.append(Term("ratings_differ", **names, **differ, then=Term(f"compared.{sharing.comparable}")))
        if not sharing.paired:
            known = sharing.state == "same ratings"
            told.append(Term("not_paired", **names, old_n=pair.old.n, new_n=pair.new.n, why=sharing.reason, same=known))
        if sharing.paired and sharing.old_only + sharing.new_only + sharing.different:
            left = {"old_only": sharing.old_only, "new_only": sharing.new_only, "different": sharing.different}
            told.append(Term("left_out", **names, n=sharing.n, **left))
        bounds = [run.preparation.bounds for run in (pair.old, pair.new)]
        if bounds[0] != bounds[1]:
            first, second = (Term("numbers_from_to", low=float(low), high=float(high)) for low, high in bounds)
            told.append(Term("trimmed_differently", **names, first=first, second=second))
        if len({run.score_types[-1].key.split("_")[0] for run in (pair.old, pair.new) if run.score_types}) > 1:
            told.append(Term("differ_in_kind", **names))
    return told


METRICS_OF_ENGINES = ("qwk", "r", "kappa", "exact_agreement", "adjacent_agreement")


def ratings_differ(pair: Pair) -> dict[str, Any]:
    """Describe the difference between the human ratings of two runs; empty if there is none."""
    sharing = pair.sharing
    if not sharing.paired or not sharing.rated_otherwise:
        return {}
    largest = sharing.largest if np.isfinite(sharing.largest) else None
    return {"n": sharing.rated_otherwise, "of": sharing.common, "largest": largest}


def engines_table(pairs: Sequence[Pair]) -> Table:
    """Return the agreement between engines that cannot be compared otherwise; no rows if all can be."""
    rows = []
    for pair in pairs:
        if pair.sharing.paired and not pair.first_ratings_same:
            found = _agreement(pair)
            rows += [Row((Term(key), pair.new.name, found.estimate(f"system.{key}"))) for key in METRICS_OF_ENGINES]
    value = Column("value", Term("with_run", run=pairs[0].old.name), "coefficient")
    return table("comparison.engines", (Column("metric"), Column("system", shown=len(pairs) > 1), value), rows)


def _agreement(pair: Pair) -> SliceEstimates:
    old, new = changes.rounded_rows(pair.old), changes.rounded_rows(pair.new)
    low, high = float(min(old.min(), new.min())), float(max(old.max(), new.max()))
    plan = Plan(
        raters=(pair.old.name,), scale=Scale(low, high, 1.0, assumed=False), level=pair.old.level,
        preparation=Preparation((low, high), 0.0, rounding=pair.old.preparation.rounding),
    )  # fmt: skip
    candidates = pair.old.rows.candidates if pair.old.rows is not None else None
    tallied = tally_scores(new, old[:, None], {}, plan, candidates=candidates)
    return tallied.estimates(tallied.primary_rounded)


MOST_RANKED = 10  # most runs of the same responses to rank, because each is compared with each


def primary_of(pairs: Sequence[Pair], settings: Settings) -> str:
    """Return the statistic that decides: from settings, PRMSE if all runs have it, QWK, or kappa for labels."""
    known = [pair.change("true_score.prmse") for pair in pairs if pair.first_ratings_same]
    usable = bool(known) and all(each and each.better and each.reading not in ("", "no interval") for each in known)
    labels = any(not pair.old.scale.ordered for pair in pairs)
    name = settings.verdict.primary or ("kappa" if labels else "prmse" if usable else "qwk")
    return "true_score.prmse" if name == "prmse" else f"system.{name}"


def pairs_within(sets: Sequence[Sequence[Run]]) -> list[Pair]:
    """Pair all runs of each set of the same responses; counted runs and large sets are not compared."""
    return [
        Pair.of(old.with_groups(()), new.with_groups(()))
        for runs in sets
        if len(runs) <= MOST_RANKED and (len(runs) < 3 or not any(run.counted for run in runs))
        for old, new in combinations(runs, 2)
    ]


def ranking_table(sets: Sequence[Sequence[Run]], pairs: Sequence[Pair], primary: str, key: str) -> Table:
    """Return each run's possible ranks on the primary statistic within its set, best first.

    All pairwise differences are corrected together, so all sets of ranks hold simultaneously. The first possible rank
    of a run is 1 more than the number of runs that are clearly better; its last leaves room for those that are clearly
    worse.

    Mogstad, Romano, Shaikh and Wilhelm (2024).
    """
    found = {(pair.old.name, pair.new.name): each.reading for pair in pairs if (each := pair.change(primary))}
    rows, metric = [], Term(primary.split(".")[1])
    for number, runs in enumerate(sets, start=1):
        every = {run.name: run.estimate(NumberPlace(primary)) for run in runs}
        own = {name: each for name, each in every.items() if each is not None and each.value is not None}
        within = {names: reading for names, reading in found.items() if own.keys() >= set(names)}
        if len(within) < math.comb(len(own), 2):
            continue  # some pairs were not compared
        clear = [(*names, reading) for names, reading in within.items() if reading in ("better", "worse")]
        won, lost = (Counter(each[each[2] == side] for each in clear) for side in ("better", "worse"))
        order = sorted(own, key=lambda name: (lost[name], -(own[name].value or 0.0)))
        rows += [Row((number, metric, 1 + lost[name], len(own) - won[name], name, own[name])) for name in order]
    of_set = Column("set", kind="count", shown=len(sets) > 1)
    ranks = columns_of(metric="text", rank="count", last_rank="count", run="text", value="coefficient")
    return table(key, (of_set, *ranks), rows, max_rows=1000)


BY_GROUP = ("qwk", "dsm", "r", "rmse", "system_mean")
HEADLINES = ("system.qwk", "system.r", "system.rmse", "system.smd", "true_score.prmse")
"""Statistics to plot by run and over time."""

BESIDE_DECISIONS = ("system.qwk", "system.kappa", "system.smd", "true_score.prmse")
"""Statistics to show with each decision; kappa for labels without order."""

RANKING = "summary.ranking"

JUDGED_NOT = "not judged"  # label of a run without a decision


def summarize_runs(
    runs: Sequence[Run],
    settings: Settings,
    provenance: Mapping[str, Any],
    *,
    one_scale: bool = True,
    compared: Sequence[Run] = (),
    ranking: Table | None = None,
) -> Evaluation:
    """Summarize any number of runs.

    one_scale: Whether to reject runs on different scales; items of one test may have different scales.
    compared: The runs to rank, restricted to the responses that all of them scored, if the runs' responses differ.
    ranking: A ranking to reuse from a comparison.
    """
    if not runs:
        raise InputError("a summary requires at least one run; name its folder.")
    runs = side_by_side(runs, settings, one_scale=one_scale)
    decisions = decisions_of(runs, settings.verdict.policy)
    same = sets_of_same_responses(compared or runs)
    if ranking is None:
        pairs = pairs_within(same)
        primary = primary_of(pairs, settings)
        changes.read_together((), pairs, primary, settings.verdict.smallest_difference)
        ranking = ranking_table(same, pairs, primary, RANKING)
    ranking = replace(ranking, key=RANKING)
    checks = checks_of(runs, settings.verdict.policy)
    facts = {
        "runs": [run.name for run in runs],
        "confidence_level": runs[0].level, "min_n_per_group": min(run.min_n for run in runs), "decisions": decisions,
        "same_responses": [[run.name for run in each] for each in same], "design": design_of(runs),
        **({"compared": compared[0].n} if compared else {}),
    }  # fmt: skip
    estimates = {
        f"run{number}.{key}": estimate
        for number, run in enumerate(runs, start=1)
        for key in HEADLINES
        if (estimate := run.estimate(NumberPlace(key))) is not None
    }
    groups = tuple(dict.fromkeys(name for run in runs for name in run.groups))
    tables = [
        _decisions(runs, decisions),
        changes.runs_table(runs),
        *(_side_by_side(key, metrics, runs) for key, metrics in STATISTICS["side_by_side"].items()),
        _criteria(runs, checks),
        ranking,
        *(_by_group(grouping, runs) for grouping in groups),
        *withheld_from(runs),
        _history(runs),
    ]
    return Evaluation(
        together(runs), (), runs[0].scale, runs[0].score_types, groups, (),
        settings.model_dump(mode="json", exclude_none=True), facts, estimates,
        {table.key: table for table in tables if table.rows}, checks, (), provenance, "summary",
    )  # fmt: skip


def _decisions(runs: Sequence[Run], decisions: Sequence[Mapping[str, Any]]) -> Table:
    """Return each run's decision, the statistics behind it, and the group that differs most from the others."""
    rows = []
    for run, found in zip(runs, decisions, strict=True):
        found_of_run = (run.estimate(NumberPlace(key)) for key in BESIDE_DECISIONS)
        numbers = [each if each is not None and each.defined else None for each in found_of_run]
        if numbers[0] is not None:
            numbers[1] = None
        group = largest_difference(found)
        farthest = (group.estimate, group.level) if group is not None else (None, None)
        rows.append(Row((run.name, Term(found["decision"] or JUDGED_NOT), run.n, *numbers, *farthest)))
    columns = [
        *columns_of(run="text", decision="text", n="count"),
        *_columns(BESIDE_DECISIONS),
        *columns_of(hidden=("farthest_group",), largest_difference="difference", farthest_group="text"),
    ]
    known = [any(row.cells[place] is not None for row in rows) for place in range(len(columns))]
    shown = (replace(column, shown=column.shown and there) for column, there in zip(columns, known, strict=True))
    return table("summary.decisions", tuple(shown), rows, max_rows=ALL)


def _criteria(runs: Sequence[Run], checks: Sequence[Check]) -> Table:
    """Return each run's outcome for every requirement on all responses, one column per limit, missed ones first."""
    of_all = [check for check in checks if aspect_of(check) != "groups"]
    failed = {check.statistic for check in of_all if check.outcome == "not met"}
    criteria = {(check.statistic, check.low, check.high): check for check in of_all}
    criteria = {key: criteria[key] for key in sorted(criteria, key=lambda key: key[0] not in failed)}
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
    nothing = Estimate(check.estimate.metric, None, 0, kind=check.estimate.kind)
    return replace(check, estimate=nothing, outcome="insufficient", group="", source="")


def _side_by_side(name: str, keys: Sequence[str], runs: Sequence[Run]) -> Table:
    rows = []
    for run in runs:
        score = run.score_types[-1].key if name.endswith("_rounded") else ""
        cells = [run.estimate(NumberPlace(key, score)) for key in keys]
        if any(cell is not None and cell.defined for cell in cells):
            rows.append(Row((run.name, run.n, *cells)))
    return table(f"summary.{name}", (*columns_of(run="text", n="count"), *_columns(keys)), rows, max_rows=ALL)


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
    return table(f"summary.by_group.{grouping}", (*lead, *map(metric_column, BY_GROUP)), rows, max_rows=ALL)


def _history(runs: Sequence[Run]) -> Table:
    dated = sorted((run for run in runs if run.created), key=lambda run: run.created)
    dated = dated if len({run.created for run in dated}) > 1 else []
    found = ((run, [run.estimate(NumberPlace(key)) for key in HEADLINES]) for run in dated)
    rows = [Row((run.created, run.name, run.n, *cells)) for run, cells in found]
    columns = (*columns_of(created="text", run="text", n="count"), *_columns(HEADLINES))
    return table("summary.history", columns, rows, max_rows=ALL)


def _columns(keys: Sequence[str]) -> list[Column]:
    named = {"disattenuated.r": metric_column("disattenuated_r"), "human.r": Column("human_r", kind="coefficient")}
    return [named.get(key) or metric_column(key.split(".")[1]) for key in keys]
