"""What would help to decide, the most useful first: each a case and its numbers."""

from __future__ import annotations

from typing import Any

from report_sections.groups import columns_of
from report_sections.lookup import estimate_of, fact, has_second_human, is_of_test, multiply_scored
from report_sections.true_score_evaluation import rescaled_scores
from report_sections.true_score_evaluation.guidelines import ENOUGH, asked_double_scored, recommended
from reportgen.results import Check, Estimate, Evaluation
from reportgen.results.aspects import aspect_of, aspects
from reportgen.verdicts import impossible

LEAST_GAIN = 0.02
"""PRMSE that a rescaling must add at the lower end of its interval before it is worth telling."""

NOTICED = 0.005
"""A loss of QWK from which it is told as the price of a rescaling."""

MOST = 3
"""Requirements on all responses that have a line."""

Case = dict[str, Any]


def remedies(evaluation: Evaluation) -> list[Case]:
    """Return what can be done about requirements that are not met, then what would help to decide the open ones."""
    open_ = [check for check in evaluation.checks if check.outcome in ("not yet known", "insufficient")]
    overall = [check for check in open_ if not check.column]
    failed = _failed(evaluation)
    return [
        *failed,
        *_second_ratings(evaluation, [check for check in overall if not check.assurance]),
        *_group_column(evaluation, open_),
        *_assurance(overall),
        *([] if failed else _rescaling(evaluation)),
        *_in_groups([check for check in open_ if check.column]),
        *_withheld(evaluation),
    ]


def _failed(evaluation: Evaluation) -> list[Case]:
    """Return what can be done about the engine where a requirement is not met: rescale it, or improve it."""
    failed = {each.name: each for each in aspects(evaluation.checks) if each.outcome == "not met"}
    rescaling = _rescaling(evaluation) if failed else []
    found: list[Case] = list(rescaling)
    if "groups" in failed:
        found.append({"case": "groups_failed", "checks": failed["groups"].of("not met"), "target": "group_differences"})
    if "severity" in failed and not rescaling:
        smd, means = (
            failed["severity"].leading.estimate,
            [estimate_of(evaluation, f"system.{of}_mean") for of in ("system", "h")],
        )
        if all(means) and (smd.value or 0.0):
            found.append({"case": "shift", "engine": means[0], "raters": means[1], "target": "score_distributions"})
    own = [failed[name] for name in ("agreement", "second_rater", "accuracy") if name in failed]
    best, limit = (
        estimate_of(evaluation, "true_score.best_prmse"),
        failed["accuracy"].leading.low if "accuracy" in failed else None,
    )
    short = best is not None and best.high is not None and limit is not None and best.high < limit
    if own and (short or not rescaling):
        found.append({"case": "improve", "target": "reading"})
    return found


def _second_ratings(evaluation: Evaluation, open_: list[Check]) -> list[Case]:
    """Ask for second ratings where a requirement waits for them, and it is not known what they would do."""
    waiting = any(aspect_of(check) == "accuracy" or check.waits_for == "double-scored responses" for check in open_)
    if not waiting and (has_second_human(evaluation) or "true_score.prmse" in evaluation.estimates):
        return []
    if not multiply_scored(evaluation):
        said = recommended(ENOUGH) if is_of_test(evaluation) else None
        return [{"case": "second_rater", "asked": said, "target": "human_human_agreement"}]
    now, asked = multiply_scored(evaluation), asked_double_scored(evaluation)
    case: Case = {"case": "double_score", "now": now, "asked": recommended(asked) if is_of_test(evaluation) else None}
    return [case | {"target": "true_score_evaluation"}] if now < asked else []


def _group_column(evaluation: Evaluation, open_: list[Check]) -> list[Case]:
    """Ask for a group column where a requirement is on groups and the data has none."""
    asked = any(check.statistic.endswith((".dsm", "group_difference")) and not check.column for check in open_)
    case: Case = {"case": "group_column", "of_test": is_of_test(evaluation), "target": "group_differences"}
    return [case] if asked and not columns_of(evaluation) else []


def _assurance(open_: list[Check]) -> list[Case]:
    """Tell what gives a clear answer on requirements on all responses, a line each: one for every question first."""
    planned = [check for check in open_ if check.assurance]
    first = [each.checks[0] for each in aspects(planned)]
    rest = [check for check in planned if check not in first]
    return [{"case": "assurance", "check": check, "target": "criteria"} for check in (first + rest)[:MOST]]


def _rescaling(evaluation: Evaluation) -> list[Case]:
    """Tell what a linear rescaling would do for accuracy, where that is worth telling."""
    prmse, best = (estimate_of(evaluation, f"true_score.{key}") for key in ("prmse", "best_prmse"))
    losses = [estimate_of(evaluation, f"true_score.{key}") for key in ("scale_loss", "bias_loss")]
    if evaluation.facts.get("categories") or prmse is None or best is None or not any(_surely(loss) for loss in losses):
        return []
    if impossible(prmse) or impossible(best):
        return []
    case: Case = {"case": "rescale", "now": prmse, "best": best, "target": "true_score_evaluation"}
    rescaled = rescaled_scores(evaluation)
    ends = [rescaled[key]["qwk"] or 0.0 for key in ("as_it_is", "to_true_scores")] if rescaled else [0.0, 0.0]
    return [case | ({"qwk": ends[0], "qwk_then": ends[1]} if ends[1] < ends[0] - NOTICED else {})]


def _surely(loss: Estimate | None) -> bool:
    return loss is not None and loss.low is not None and loss.low >= LEAST_GAIN


def _in_groups(open_: list[Check]) -> list[Case]:
    """Tell how many responses give undecided groups a clear answer, from the fewest to the most; or the best chance."""
    waiting = [check for check in open_ if check.assurance]
    if not waiting:
        return []
    found = sorted(
        (each for each in waiting if each.cheapest), key=lambda each: each.cheapest.n if each.cheapest else 0
    )
    best = max(waiting, key=lambda each: each.assurance[-1].clear)
    ends = {"first": found[0], "last": found[-1]} if found else {"first": best, "last": best}
    return [{"case": "assurance_of_groups", **ends, "n": len(found), "target": "group_differences"}]


def _withheld(evaluation: Evaluation) -> list[Case]:
    """Tell of groups that are hidden because they are small."""
    levels = evaluation.facts.get("groups_withheld") or {}
    hidden = [level for column in levels for level in levels[column]]
    least = fact(evaluation, "min_n_per_group")
    return [{"case": "withheld", "groups": hidden, "least": least, "target": "privacy.withheld"}] if hidden else []
