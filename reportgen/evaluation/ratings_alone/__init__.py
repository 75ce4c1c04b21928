"""From ratings without an engine's score to an evaluation of the raters: only what rests on ratings is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.evaluation.human_raters import crossed_tables, intraclass_notes, intraclass_table, raters_table
from reportgen.evaluation.rater_effects import RaterRows
from reportgen.evaluation.ratings_alone.agreement import (
    Doubted,
    GroupAgreement,
    all_at_once,
    any_two,
    by_group,
    doubted,
    each_rater,
    rater_pairs,
    shares_of_points,
)
from reportgen.evaluation.ratings_alone.sheet import Needed, RatingSheet, crossed, intraclass, needed
from reportgen.evaluation.ratings_alone.tables import (
    coefficients_table,
    composition,
    distribution_table,
    exclusions,
    group_sizes,
    groups_tables,
    needed_table,
    pairs_table,
)
from reportgen.evaluation.reliability import CrossedDesign, with_raters_sampled
from reportgen.evaluation.statistics import without_single_responses
from reportgen.evaluation.suppression import withheld_log
from reportgen.policies import load_policy, policy_of_labels
from reportgen.results import Estimate, Evaluation, GroupStatistics, Table
from reportgen.results.group_statistics import series_of
from reportgen.scores import RatingTable
from reportgen.settings import Settings
from reportgen.verdicts import judged

KEYS = {
    "qwk": "human.qwk", "r": "human.r", "kappa": "human.kappa", "exact_agreement": "human.exact_agreement",
    "adjacent_agreement": "human.adjacent_agreement", "error_variance": "true_score.error_variance",
}  # fmt: skip
"""Agreement of any two raters -> key of the estimate, as policies name it."""


def evaluate_ratings(scores: RatingTable, settings: Settings, provenance: Mapping[str, Any]) -> Evaluation:
    """Return everything the report says about ratings without an engine's score.

    scores: Prepared ratings.
    """
    sheet = RatingSheet.of(scores, settings)
    named = settings.verdict.policy
    policy = load_policy(named if sheet.scale.ordered else policy_of_labels(named))
    drawn, at_once = any_two(sheet, sheet.everyone), all_at_once(sheet)
    rows, pairs = each_rater(sheet), rater_pairs(sheet)
    icc, design = (intraclass(sheet), crossed(sheet)) if sheet.scale.ordered else ({}, None)
    design = with_raters_sampled(design, icc.get("icc_a1")) if design else None
    needs, doubts = needed(design), doubted(sheet)
    groups = {grouping: by_group(sheet, grouping) for grouping in sheet.groups}
    log = withheld_log(sheet.withheld)
    tables: list[Table] = [
        composition(scores, sheet), *exclusions(scores), *group_sizes(sheet), *((log,) if log else ()),
        *((intraclass_table(icc, intraclass_notes(icc)),) if icc else ()),
        *(crossed_tables(design) if design else ()), *needed_table(needs),
        *pairs_table(pairs), coefficients_table(at_once, len(sheet.names)), *raters_table(rows, sheet.min_n),
        *distribution_table(sheet, shares_of_points(sheet)), *groups_tables(groups),
    ]  # fmt: skip
    evaluation = Evaluation(
        source=scores.source,
        roles=scores.roles,
        scale=scores.scale,
        score_types=(),
        groups=tuple(sheet.groups),
        raters=sheet.names,
        settings=settings.model_dump(mode="json"),
        facts=_facts(scores, sheet, rows, design, needs, doubts, groups),
        estimates=_estimates(drawn, at_once, icc, design),
        tables={each.key: each for each in tables},
        checks=(),
        warnings=scores.warnings,
        provenance=provenance,
        kind="raters",
        statistics=_statistics(drawn, groups, sheet),
    )
    return judged(without_single_responses(evaluation), policy)


def _estimates(
    drawn: Mapping[str, Estimate],
    at_once: Mapping[str, Estimate],
    icc: Mapping[str, Estimate],
    design: CrossedDesign | None,
) -> dict[str, Estimate]:
    found = {KEYS[key]: each for key, each in drawn.items()}
    found |= {f"raters.{key}": each for key, each in at_once.items()}
    found |= {f"reliability.{key}": each for key, each in icc.items()}
    if design is not None:
        found["reliability.generalizability"] = design.coefficient[0]
        found["reliability.dependability"] = design.dependability[0]
        found["reliability.generalizability_2"] = design.coefficient[1]
        found["reliability.dependability_2"] = design.dependability[1]
    return found


def _statistics(
    drawn: Mapping[str, Estimate], groups: Mapping[str, GroupAgreement], sheet: RatingSheet
) -> tuple[GroupStatistics, ...]:
    """Return what policies may ask for, of all responses and of every group that may be shown."""
    multiple = int((sheet.counts > 1).sum())
    overall = {"system": (sheet.n,), "human": (multiple,), "multiple": (multiple,)}
    series = tuple(series_of(KEYS[key], "", "multiple", [each], (multiple,)) for key, each in drawn.items())
    found = [GroupStatistics("", ("",), overall, series)]
    for grouping, groups_of in groups.items():
        levels = [each for each in groups_of.levels if each.agreement]
        if not levels:
            continue
        rated = tuple(each.agreement["exact_agreement"].n for each in levels)
        counts = {"system": tuple(each.n for each in levels), "human": rated, "multiple": rated}
        made = tuple(
            series_of(key, "", "multiple", [each.agreement[short] for each in levels], rated)
            for short, key in KEYS.items()
            if short in drawn
        )
        found.append(GroupStatistics(grouping, tuple(each.label for each in levels), counts, made))
    return tuple(found)


def _facts(
    scores: RatingTable,
    sheet: RatingSheet,
    rows: RaterRows | None,
    design: CrossedDesign | None,
    needs: Sequence[Needed],
    doubts: Doubted,
    groups: Mapping[str, GroupAgreement],
) -> dict[str, Any]:
    each, n = np.unique(sheet.counts, return_counts=True)
    return {
        "rows_read": scores.read,
        "responses_kept": scores.kept,
        "responses_flagged_out": scores.flagged,
        "responses_excluded": scores.read - scores.flagged - scores.kept,
        "responses_double_scored": int((sheet.counts > 1).sum()),
        "responses_by_ratings": dict(zip(map(str, each.tolist()), n.tolist(), strict=True)),
        "ratings_given": int(sheet.given.sum()),
        "candidates": scores.n_candidates,
        "clustered_by_candidate": sheet.units is not None,
        "n_raters": len(sheet.names),
        "raters_named": bool(sheet.ids.names),
        "min_n_per_group": sheet.min_n,
        "groups_withheld": sheet.withheld.names(),
        "min_n_by_group": dict(sheet.min_n_by_group),
        "confidence_level": sheet.level,
        "columns_left_out": scores.left_out,
        "zeros": scores.zeros.scores,
        "components": None if design is None else {"n": design.n, "raters": design.n_raters},
        "ratings_needed": [
            {"target": each.target, "ratings": each.ratings, "low": each.low, "high": each.high,
             "absolute": each.absolute, "absolute_low": each.absolute_low, "absolute_high": each.absolute_high}
            for each in needs
        ],
        "raters_doubted": [
            {"name": name, "how": each.how, "n": each.n, "r": _known(each.r), "low": _known(each.low),
             "high": _known(each.high), "expected": _known(each.expected), "share": 100 * each.share}
            for name, each in doubts.raters
        ],
        "qwk_without_doubted": None if doubts.others is None else [
            doubts.others.value, doubts.others.low, doubts.others.high, doubts.others.n,
        ],
        "raters_alone": 0 if rows is None else rows.alone,
        "raters_parts": 0 if rows is None else rows.parts,
        "raters_reason": "" if rows is None else rows.reason,
        "groups_differ_p": {
            grouping: groups_of.differ.p
            for grouping, groups_of in groups.items()
            if groups_of.differ is not None and np.isfinite(groups_of.differ.p)
        },
        "doubts": scores.doubts,
    }  # fmt: skip


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
