"""From scores and settings to an evaluation: every table, with intervals.

`evaluate` reads as the story: count, estimate, tabulate, judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.errors import SettingsError, did_you_mean
from reportgen.evaluation.alternative_annotator import annotator_test
from reportgen.evaluation.human_raters import HumanRaters, headline_numbers, human_raters, rater_facts
from reportgen.evaluation.keeping import kept_statistics
from reportgen.evaluation.measure import Measure
from reportgen.evaluation.pooled_items import doubts_of_items
from reportgen.evaluation.preparation import Preparation
from reportgen.evaluation.statistics import SUM_STATISTICS
from reportgen.evaluation.study import Study, study_of
from reportgen.evaluation.suppression import withheld_log
from reportgen.evaluation.tables.agreement import system_tables
from reportgen.evaluation.tables.build import DISCRETE_METRICS
from reportgen.evaluation.tables.data import data_tables
from reportgen.evaluation.tables.distribution import distribution_tables
from reportgen.evaluation.tables.equivalence import true_score_results
from reportgen.evaluation.tables.fairness import fairness_tables
from reportgen.evaluation.tables.groups import compared, group_tables
from reportgen.evaluation.tables.human_raters import human_rater_tables
from reportgen.evaluation.tables.judges import judge_facts, judge_results
from reportgen.evaluation.tables.levels import level_results
from reportgen.evaluation.tables.panel import panel_results
from reportgen.evaluation.tables.raters import human_tables
from reportgen.evaluation.tables.reliability import reliability_tables
from reportgen.evaluation.tables.runs import run_results
from reportgen.evaluation.tables.true_score import true_score_table
from reportgen.evaluation.tables.true_score_differences import LIMIT, kept_differences, true_score_differences
from reportgen.policies import Policy, load_policy
from reportgen.results import Estimate, Evaluation, Table
from reportgen.scores import Account, ScoreTable, Training
from reportgen.scores.vocabulary import item_column
from reportgen.settings import Settings
from reportgen.verdicts import judged

__all__ = ["Measure", "Preparation", "Study", "evaluate", "preparation_of", "study_of"]


def evaluate(
    scores: Account, settings: Settings, provenance: Mapping[str, Any], study: Study | None = None
) -> Evaluation:
    """Return everything the report says about one file of scores.

    Parameters
    ----------
    scores
        Prepared scores; the account of them is enough where they are counted and nothing needs their rows.
    settings
        What was asked for.
    provenance
        Versions, command and the like, kept as they are.
    study
        The counted scores, when they are counted already.
    """
    policy = load_policy(settings.verdict.policy)
    rows = scores if isinstance(scores, ScoreTable) else None
    study = study or study_of_scores(_needed(rows), settings)
    fair = {grouping: true_score_differences(study, grouping) for grouping in study.groups}
    identified = (rows.human, rows.rater_ids, settings.data.show_rater_names) if rows else ()
    raters = human_raters(study, *identified)
    test = annotator_test(rows, study, settings) if rows else None
    tables = {table.key: table for table in _tables(scores, study, fair, raters)}
    estimates = _estimates(study) | (headline_numbers(raters) if raters else {})
    for made, found in (
        level_results(study),
        panel_results(study),
        true_score_results(study, estimates, _thresholds(policy, "true_score.prmse")),
        run_results(rows, study) if rows else ([], {}),
        judge_results(rows, study, test),
    ):
        tables |= {table.key: table for table in made}
        estimates |= found
    facts: dict[str, Any] = {}
    if (rows and rows.item_scores is not None) or settings.impact.weight is not None:
        from reportgen.evaluation.tables.impact import impact_results

        made, found, facts = impact_results(_needed(rows), study, settings.impact)
        tables |= {table.key: table for table in made}
        estimates |= found
    largest = _largest_difference(study)
    if largest is not None:
        estimates["largest_group_difference"] = largest[1]
    evaluation = Evaluation(
        source=scores.source,
        roles=scores.roles,
        scale=scores.scale,
        score_types=tuple(score.type for score in study.forms),
        groups=study.groups,
        raters=study.raters,
        settings=settings.model_dump(mode="json"),
        facts=_facts(scores, study, settings, largest[0] if largest else None)
        | {
            "no_difference_given_true_score": {column: reason for column, (_, reason) in fair.items() if reason},
            "limit_given_true_score": LIMIT,
        }
        | judge_facts(scores, test)
        | (rater_facts(raters) if raters else {})
        | facts,
        estimates=estimates,
        tables=tables,
        checks=(),
        warnings=scores.warnings,
        provenance=provenance,
        statistics=kept_statistics(
            study, {grouping: kept_differences(study, grouping, *found) for grouping, found in fair.items()}
        ),
        measure=Measure(study),
    )
    return judged(evaluation, policy)


def _needed(rows: ScoreTable | None) -> ScoreTable:
    """Return the rows of scores.

    Raises
    ------
    ValueError
        They were counted batch by batch, and are not held.
    """
    if rows is None:
        raise ValueError("the rows of the scores are needed")
    return rows


def preparation_of(scores: Account) -> Preparation:
    """Return how the system scores of a table are prepared."""
    return prepared_by((scores.trim_min, scores.trim_max), scores.trim_tolerance, scores.rescaling, scores.training)


def prepared_by(trim: tuple[float, float], tolerance: float, rescaling: str, training: Training | None) -> Preparation:
    """Return how system scores are prepared, from the parts of an `Account`."""
    moments = (
        (training.prediction_mean, training.prediction_sd, training.human_mean, training.human_sd) if training else None
    )
    return Preparation(trim, tolerance, moments, rescaling == "asis")


def study_of_scores(scores: ScoreTable, settings: Settings, *, withhold: bool | None = None) -> Study:
    """Return the counted scores of a table under its settings; `withhold` wins over theirs.

    Raises
    ------
    SettingsError
        A least number of responses is given for a column that is no group column.
    """
    refuse_other_groups(settings, tuple(scores.groups))
    return study_of(
        scores.system,
        scores.human,
        scores.groups,
        raters=scores.raters,
        scale=scores.scale,
        preparation=preparation_of(scores),
        level=settings.statistics.confidence_level,
        min_n=settings.statistics.min_n_per_group,
        min_n_by_group=settings.statistics.min_n_by_group,
        rater_error_variance=settings.statistics.rater_error_variance,
        candidates=scores.candidates,
        withhold=settings.privacy.withhold_small_groups if withhold is None else withhold,
        bootstrap=(settings.statistics.replicates, settings.statistics.seed)
        if settings.statistics.intervals == "bootstrap"
        else None,
        all_items=None if scores.item_scores is None else scores.with_all_items,
        items=scores.items,
    )


def refuse_other_groups(settings: Settings, groups: Sequence[str]) -> None:
    """Raise when a least number of responses is given for a column that is none of the `groups`.

    Raises
    ------
    SettingsError
        As said.
    """
    for name in settings.statistics.min_n_by_group:
        if name not in groups:
            near = did_you_mean(name, groups) if groups else "; there is none."
            raise SettingsError(f"statistics.min_n_by_group: '{name}' is not a group column{near}")


def _tables(
    scores: Account, study: Study, fair: Mapping[str, tuple[Table | None, str]], raters: HumanRaters | None
) -> list[Table]:
    """Return every table, in the order of the report."""
    log = withheld_log(study.withheld)
    tables = [
        *data_tables(scores, study),
        *((log,) if log else ()),
        *distribution_tables(study),
        *human_tables(study),
        *system_tables(study),
    ]
    if raters is not None:
        tables += [*human_rater_tables(study, raters), *reliability_tables(study, raters)]
    if len(study.raters) > 1 or study.rater_error_variance is not None:
        tables.append(true_score_table(study))
    for grouping in study.groups:
        given_true_score = fair[grouping][0]
        tables += [*group_tables(study, grouping), *([given_true_score] if given_true_score else ())]
        tables += fairness_tables(study, grouping)
    return tables


def _estimates(study: Study) -> dict[str, Estimate]:
    """Return every overall statistic: of the trimmed score, and of its rounded twin where points must match."""
    trimmed, rounded = study.estimates(study.primary), study.estimates(study.primary_rounded)
    keys = [*SUM_STATISTICS, "system.kappa", "human.kappa", "degradation.kappa"]
    several = len(study.raters) > 1
    estimates = {}
    for key in keys:
        family, metric = key.split(".")
        if metric.startswith("dsm") or (family in ("human", "degradation", "disattenuated") and not several):
            continue
        if family == "true_score" and not several and study.rater_error_variance is None:
            continue
        slices = rounded if metric in DISCRETE_METRICS else trimmed
        estimates[key] = slices.estimate(key)
    return estimates


def _largest_difference(study: Study) -> tuple[tuple[str, str], Estimate] | None:
    """Return the largest difference of standardized means among groups large enough to be judged."""
    found = [
        ((grouping, label), slices.estimate("system.dsm", level))
        for grouping in compared(study)
        for slices in [study.estimates(study.primary, grouping)]
        for level, label in enumerate(slices.labels)
        if slices.sums.system.n[level] >= study.min_n_of(grouping)
    ]
    defined = [pair for pair in found if pair[1].value is not None]
    return max(defined, key=lambda pair: abs(pair[1].value or 0.0)) if defined else None


def _thresholds(policy: Policy, statistic: str) -> list[float]:
    """Return what a statistic of all responses should at least be, by a policy."""
    return [
        criterion.low
        for criterion in policy.criteria
        if criterion.statistic == statistic and criterion.low is not None and not criterion.groups
    ]


def _facts(scores: Account, study: Study, settings: Settings, largest: tuple[str, str] | None) -> dict[str, Any]:
    """Return plain counts and words that sections put into sentences."""
    low, high = study.preparation.bounds
    return {
        "rows_read": scores.read,
        "responses_kept": scores.kept,
        "responses_flagged_out": scores.flagged,
        "responses_excluded": scores.read - scores.flagged - scores.kept,
        "responses_double_scored": int(study.estimates(study.primary).sums.human.n[0]),
        "candidates": scores.n_candidates,
        "clustered_by_candidate": bool(study.rows),
        "n_raters": len(study.raters),
        "primary": study.primary.type.key,
        "primary_rounded": study.primary_rounded.type.key,
        "trim_low": low,
        "trim_high": high,
        "min_n_per_group": study.min_n,
        "groups_withheld": study.withheld.names(),
        "min_n_by_group": dict(study.min_n_by_group),
        "confidence_level": study.level,
        "columns_left_out": scores.left_out,
        "rater_error_variance_given": study.rater_error_variance,
        "largest_group_difference_group": largest,
        "zero_rule": _zero_rule(settings),
        "ratings": scores.ratings._asdict() if scores.ratings else None,
        "zeros_left_out": scores.zeros.left_out,
        "zeros_matter": scores.zeros.matter,
        "item": _item(scores, settings),
        "doubts": (*scores.doubts, *doubts_of_items(study, _item(scores, settings), settings)),
    }


def _item(scores: Account, settings: Settings) -> str | None:
    """Return the column of items, when there is one."""
    return item_column(scores.columns("item"), scores.columns("group"), settings.data.item)


def _zero_rule(settings: Settings) -> str:
    """Say what happens to a human score of 0."""
    declared = settings.data.scale
    excluded = settings.preparation.exclude_zero_scores
    if excluded is None:
        excluded = declared is None or not declared.low <= 0 <= declared.high
    return (
        "A human score of 0 counts as not scored and leaves a response out."
        if excluded
        else "A human score of 0 is a score like any other."
    )
