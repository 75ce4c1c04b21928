"""Evaluation of scores: all tables and estimates, with intervals.

`evaluate` counts, estimates, tabulates, and evaluates the policy.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from reportgen.errors import SettingsError, did_you_mean
from reportgen.evaluation import differences, doubts, unordered
from reportgen.evaluation.contingency import CATEGORY_KEYS, POINT_KEYS
from reportgen.evaluation.fairness import fairness_tables
from reportgen.evaluation.human_raters import human_raters
from reportgen.evaluation.levels import level_results, level_unit
from reportgen.evaluation.measure import Measure, kept_statistics
from reportgen.evaluation.panel import panel_beside_raters, panel_results
from reportgen.evaluation.points import Preparation
from reportgen.evaluation.rater_effects import RaterFilter, withheld_columns, withheld_raters
from reportgen.evaluation.ratings_alone import rating_results
from reportgen.evaluation.sampling import design_of, doubts_of_clusters, doubts_of_sampling
from reportgen.evaluation.stand_ins import annotator_test, judge_facts, judge_results
from reportgen.evaluation.statistics import SUM_STATISTICS, without_single_responses
from reportgen.evaluation.suppression import withheld_log
from reportgen.evaluation.tables.agreement import compared, group_tables, human_tables, system_tables
from reportgen.evaluation.tables.data import data_tables, distribution_tables, judging_facts, response_facts
from reportgen.evaluation.tables.runs import run_results
from reportgen.evaluation.tallied_scores import Plan, TalliedScores, plan_of, preparation_of, tally_scores
from reportgen.evaluation.true_scores import shared_by_raters, true_score_results, true_score_table
from reportgen.policies import load_policy, policy_of_labels
from reportgen.results import Estimate, Evaluation, Table
from reportgen.scores import Account, RatingTable, ScoreTable
from reportgen.scores.left_out import left_out_sentence, people_of
from reportgen.settings import Settings
from reportgen.sources.column_names import item_column
from reportgen.sources.columns import Codes
from reportgen.sources.digests import digest_of_ratings
from reportgen.tally import OVERALL, WITHIN
from reportgen.verdicts import judged
from reportgen.verdicts.judging import wider

__all__ = ["Measure", "Plan", "Preparation", "TalliedScores", "evaluate", "plan_of", "preparation_of", "tally_scores"]

LEAST_FOR_A_DIGEST = 50
"""Responses required for a digest of ids and ratings; a digest of fewer could be found by trying."""


Results = tuple[TalliedScores, list[Table], dict[str, Estimate], dict[str, Any], Mapping[str, Sequence[Estimate]]]
"""Tables, estimates, and facts of the counted scores, and the differences given the true score by grouping."""


def evaluate(
    scores: Account, settings: Settings, provenance: Mapping[str, Any], tallied: TalliedScores | None = None
) -> Evaluation:
    """Compute everything in the report for one score file, whose scores can already be `tallied`."""
    named = settings.verdict.policy
    policy = load_policy(named if scores.scale.ordered else policy_of_labels(named))
    if isinstance(scores, RatingTable) and not isinstance(scores, ScoreTable):
        tallied, tables, fields = rating_results(scores, settings)
    else:
        tallied, tables, estimates, facts, given_true_score = _results(scores, settings, tallied)
        fields = {
            "score_types": tuple(score.type for score in tallied.forms),
            "raters": tallied.raters,
            "measure": Measure(tallied),
            "facts": _facts(scores, tallied, settings, facts),
            "estimates": estimates,
            "statistics": kept_statistics(tallied, given_true_score),
        }
    evaluation = Evaluation(
        source=scores.source,
        roles=scores.roles,
        scale=scores.scale,
        groups=tallied.groups,
        settings=settings.model_dump(mode="json"),
        checks=(),
        warnings=scores.warnings,
        provenance=provenance,
        tables={table.key: table for table in tables},
        **fields,
    )
    return judged(without_single_responses(evaluation), policy)


def _results(scores: Account, settings: Settings, tallied: TalliedScores | None) -> Results:
    rows = scores if isinstance(scores, ScoreTable) else None
    tallied = tallied or tally_screened(_needed(rows), settings)
    if not tallied.scale.ordered:
        tables, found = unordered.results_of_labels(scores, tallied)
        tables += withheld_log(tallied.withheld)
        design = design_of(scores, tallied, None)
        return tallied, tables, found, {"design": design, "doubts": doubts_of_sampling(design)}, {}
    refuse_unlike(scores, settings, tallied)
    fair = differences.flagged_together(
        {grouping: differences.true_score_differences(tallied, grouping) for grouping in tallied.groups}
    )
    least = tallied.min_n if settings.privacy.withhold_small_groups else 0
    hidden = partial(withheld_raters, rows.groups, tallied.withheld.levels, least) if rows else None
    tallied = _with_raters_withheld(tallied, rows, hidden)
    names = settings.data.show_rater_names
    if rows is not None and rows.weights is not None:  # statistics of single responses do not support weights
        hidden = None
    single = rows if hidden else None
    of_rows = (single.human, single.rater_ids, names, single.candidates, hidden) if single else ()
    raters = human_raters(tallied, *of_rows) or ([], {}, {})
    test, unlike = None, doubts.doubts_of_columns(tallied)
    if single and hidden:
        test = annotator_test(single, tallied, settings, hidden)
        unlike = doubts.doubts_of_raters(single, tallied, settings, tally_screened, hidden)
    computed = doubts.doubts_of_computed(rows) if rows else ()
    tables = _tables(scores, tallied, fair, raters[0])
    estimates = _estimates(tallied) | raters[1] | panel_beside_raters(tallied)
    results = [
        level_results(tallied),
        panel_results(tallied),
        true_score_results(tallied, estimates),
        run_results(single, tallied) if single else ([], {}),
        judge_results(single, tallied, test),
    ]
    facts: dict[str, Any] = {}
    if (rows and rows.item_scores is not None) or settings.impact.weight is not None:
        from reportgen.evaluation.reported_scores import impact_results

        if tallied.sample is not None:
            raise SettingsError("--weight: reported scores do not support weights; remove item_scores and [impact].")
        made, found, facts = impact_results(_needed(rows), tallied, settings.impact)
        results.append((made, found))
    for made, found in results:
        tables += made
        estimates |= found
    largest = _largest_difference(tallied)
    if largest is not None:
        estimates["largest_group_difference"] = largest[1]
    shared = shared_by_raters(estimates)
    doubly = next((table for table in tables if table.key == "human_raters.double_scoring"), None)
    design = design_of(scores, tallied, doubly)
    share = settings.impact.share or facts.get("impact", {}).get("share")
    if share is not None:
        from reportgen.evaluation.reported_scores import required_by_share

        design["required"] = required_by_share(share, settings.impact.machine_scored)
    facts = {
        "design": design,
        "largest_group_difference_group": largest[0] if largest else None,
        "doubts": (*doubts_of_sampling(design), *computed, *doubts_of_clusters(tallied, scores), *unlike),
        "no_difference_given_true_score": {column: reason for column, (_, reason) in fair.items() if reason},
        "limit_given_true_score": differences.LIMIT,
        "groups_together": _groups_together(tallied, {table.key: table for table in tables}),
        **judge_facts(scores, test),
        **({"raters_share": shared} if shared else {}),
        **raters[2],
        **facts,
    }
    kept = {grouping: differences.kept_differences(tallied, grouping, *found) for grouping, found in fair.items()}
    return tallied, tables, estimates, facts, kept


def _with_raters_withheld(tallied: TalliedScores, rows: ScoreTable | None, hidden: RaterFilter | None) -> TalliedScores:
    own = tallied.one_by_one
    if rows is not None and hidden is not None:
        out = hidden(np.where(np.isfinite(rows.human), np.arange(rows.human.shape[1]), -1), rows.human.shape[1])
    else:
        out = withheld_columns(own.tally, own.withheld.least)
    own = replace(own, withheld=replace(tallied.withheld, raters=frozenset(np.flatnonzero(out).tolist())))
    return own if tallied.apart is None else replace(tallied, apart=own)


def refuse_unlike(scores: Account, settings: Settings, tallied: TalliedScores | None = None) -> None:
    """Raise QuestionError if an engine's scores do not fit the scale of the human scores."""
    rows = scores if isinstance(scores, ScoreTable) else None
    tallied = tallied or tally_screened(_needed(rows), settings, withhold=False)
    if tallied.scale.ordered:
        system = next(iter(scores.columns("system")), "")
        doubts.refuse_unlike_scale(tallied, system, settings, several=len(scores.systems) > 1)


def _needed(rows: ScoreTable | None) -> ScoreTable:
    if rows is None:
        raise ValueError("the rows of the scores are needed")
    return rows


def tally_screened(scores: ScoreTable, settings: Settings, *, withhold: bool | None = None) -> TalliedScores:
    """Count the scores of a table with its settings; `withhold` overrides them."""
    refuse_other_groups(settings, tuple(scores.groups))
    statistics = settings.statistics
    plan = plan_of(scores.raters, scores.scale, settings, preparation_of(scores))
    return tally_scores(
        scores.system,
        scores.human,
        scores.groups,
        plan if withhold is None else replace(plan, withhold=withhold),
        candidates=scores.candidates,
        bootstrap=(statistics.replicates, statistics.seed) if statistics.intervals == "bootstrap" else None,
        all_items=None if scores.item_scores is None else scores.with_all_items,
        items=scores.items,
        interchangeable=scores.design.interchangeable,
        packed=scores.ratings is not None and not scores.ratings.by_rater,
        ratings_alone=None if scores.as_rsmtool else scores.ratings_alone,
        weights=scores.weights,
        unscored=scores.unscored and scores.unscored.system,
        raters=raters_drawn(scores, settings),
    )


FEWEST_RATERS = 4  # named raters required to generalize to other raters; fewer are treated as all raters


def raters_drawn(scores: ScoreTable, settings: Settings) -> Codes | None:
    """Return the rater of each rating if raters are a sample; None if they are all raters or unnamed."""
    ids = scores.rater_ids
    if ids is None or settings.statistics.raters == "fixed":
        return None
    given = ids.codes[np.isfinite(scores.human)]
    return ids.codes if len(np.unique(given[given >= 0])) >= FEWEST_RATERS else None


def refuse_other_groups(settings: Settings, groups: Sequence[str]) -> None:
    """Raise SettingsError if a minimum number of responses is set for a column not in `groups`."""
    for name in settings.statistics.min_n_by_group:
        if name not in groups:
            near = did_you_mean(name, groups) if groups else "; remove it, because there are no group columns."
            raise SettingsError(f"statistics.min_n_by_group: '{name}' is not a group column{near}")


def _tables(
    scores: Account, tallied: TalliedScores, fair: Mapping[str, tuple[Table | None, str]], of_raters: Iterable[Table]
) -> list[Table]:
    tables = [
        *data_tables(scores, tallied),
        *withheld_log(tallied.withheld),
        *distribution_tables(tallied),
        *human_tables(tallied),
        *system_tables(tallied),
        *unordered.category_tables(tallied),
        *of_raters,
    ]
    if len(tallied.raters) > 1 or tallied.rater_error_variance is not None:
        tables.append(true_score_table(tallied))
    for grouping in tallied.groups:
        given_true_score = fair[grouping][0]
        tables += [*group_tables(tallied, grouping), *([given_true_score] if given_true_score else ())]
        tables += fairness_tables(tallied, grouping)
    return tables


def _estimates(tallied: TalliedScores) -> dict[str, Estimate]:
    """Return every overall statistic, from the trimmed score or, if points must match, from its rounded form."""
    rounded, several = tallied.estimates(tallied.primary_rounded), len(tallied.raters) > 1
    absent: tuple[str, ...] = () if several else ("human", "degradation", "disattenuated")
    if not several and tallied.rater_error_variance is None:
        absent += ("true_score", "attainable")
    found = {
        key: tallied.headline(key)
        for key in (*SUM_STATISTICS, *POINT_KEYS)
        if not (key.partition(".")[2].startswith("dsm") or key.startswith(absent))
    }
    of_points = (key for key in CATEGORY_KEYS if key in rounded.numbers and not key.startswith(absent))
    return found | {key: rounded.estimate(key) for key in of_points}


def _judged_groups(tallied: TalliedScores) -> list[differences.Judged]:
    return [
        differences.Judged(grouping, label, slices.estimate("system.dsm", level))
        for grouping in compared(tallied)
        for slices in [tallied.estimates(tallied.primary, grouping)]
        for level, label in enumerate(slices.labels)
        if slices.n("system")[level] >= tallied.min_n_of(grouping)
    ]


def _largest_difference(tallied: TalliedScores) -> tuple[tuple[str, str], Estimate] | None:
    defined = [each for each in _judged_groups(tallied) if each.estimate.value is not None]
    if not defined:
        return None
    # two groups of the same size differ equally; take the first one, regardless of rounding
    largest = max(defined, key=lambda each: round(abs(each.estimate.value or 0.0), 9))
    n = differences.independent(defined, _levels(tallied))
    return (largest.column, largest.level), wider(largest.estimate, n)


def _levels(tallied: TalliedScores) -> dict[str, int]:
    hidden = tallied.withheld.names()
    return {name: len(tallied.tally.slices[name].labels) + len(hidden.get(name, ())) for name in tallied.groups}


def _groups_together(tallied: TalliedScores, tables: Mapping[str, Table]) -> dict[str, Any]:
    """Return the joint tests of all groups: observed, and at equal true scores if known."""
    levels = _levels(tallied)
    seen, given = (
        differences.looked_at_together(groups, levels)
        for groups in (_judged_groups(tallied), _given(tallied, tables, "from_others"))
    )
    if given:
        # one different group shifts the mean of all others, but not the reference
        given["listed"] = differences.listed(_given(tallied, tables, "standardized"))
    return {key: found for key, found in (("as_seen", seen), ("at_equal_true_score", given)) if found}


def _given(tallied: TalliedScores, tables: Mapping[str, Table], column: str) -> list[differences.Judged]:
    """Return differences at equal true scores of the tested groups, from the others or from the reference."""
    return [
        differences.Judged(grouping, str(row.cells[0]), cell)
        for grouping in compared(tallied)
        if (found := tables.get(f"fairness.given_true_score.{grouping}"))
        for row, cell in zip(found.rows, found.column(column), strict=True)
        if isinstance(cell, Estimate) and cell.n >= tallied.min_n_of(grouping)
    ]


def _facts(scores: Account, tallied: TalliedScores, settings: Settings, found: Mapping[str, Any]) -> dict[str, Any]:
    low, high = tallied.preparation.bounds
    ordered = tallied.scale.ordered and not settings.data.unordered
    scales = doubts.raters_on_other_scales(tallied) if ordered else ()
    against = doubts.against_raters(tallied) if ordered else None
    of_items, items = doubts.doubts_of_items(tallied, _item(scores, settings), settings) if ordered else ([], {})
    return {
        **response_facts(scores, tallied),
        "double_scored_without_engine": round(float(tallied.tally.scored_by_raters_alone(OVERALL)[0])),
        "n_raters": len(tallied.raters),
        "primary": tallied.primary.type.key,
        "primary_rounded": tallied.primary_rounded.type.key,
        "trim_low": low,
        "trim_high": high,
        **judging_facts(scores, tallied),
        "rater_error_variance_given": tallied.rater_error_variance,
        "largest_group_difference_group": None,
        "design": {
            **found.get("design", {}),
            "record": None if scores.design.interchangeable else scores.raters[0],
            "why": scores.design.why,
            "raters": scores.ratings.raters if scores.ratings else len(scores.raters),
        },
        "zero_rule": "not_scored" if settings.preparation.exclude_zero_scores else "score",
        "ratings": scores.ratings._asdict() if scores.ratings else None,
        "persons": people_of(scores, named=settings.data.show_rater_names)._asdict(),
        "zeros": scores.zeros,
        "scores_trimmed": _trimmed(tallied),
        "level_unit": level_unit(tallied.points),
        **({"left_out_as_asked": left_out_sentence(scores.without)} if scores.without.raters else {}),
        "item": _item(scores, settings),
        **({"ratings_sha256": digest} if (digest := _digest(scores)) else {}),
        **({"categories": names} if (names := unordered.names_of_categories(tallied)) else {}),
        **({"against_raters": against} if against else {}),
        **({"reading_in_doubt": True} if scales or scores.doubts else {}),
        "doubts": (*scales, *scores.doubts, *filter(None, [against]), *found.get("doubts", ()), *of_items),
        **{key: value for key, value in {**found, **items}.items() if key not in ("doubts", "design")},
    }


def _digest(scores: Account) -> str:
    if not isinstance(scores, ScoreTable) or scores.ids is None or scores.kept < LEAST_FOR_A_DIGEST:
        return ""
    return digest_of_ratings(scores.ids, scores.human, interchangeable=scores.design.interchangeable)


def _item(scores: Account, settings: Settings) -> str | None:
    return item_column(scores.columns("item"), scores.columns("group"), settings.data.item)


def _trimmed(tallied: TalliedScores) -> int:
    if tallied.sample is not None and tallied.scores is not None:
        low, high = tallied.preparation.bounds
        return int(((tallied.scores.system < low) | (tallied.scores.system > high)).sum())
    overall = tallied.tally.slices[OVERALL]
    moved = tallied.tally.cells.trimming_class()[overall.cell] != WITHIN
    return round(float(overall.sums[0][moved].sum()))
