"""What to know before one decides, and what would help to decide: each a case and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from report_sections.agreement_panel import AgreementPanel, parted
from report_sections.group_differences import groups_of
from report_sections.groups import columns_of
from report_sections.lookup import (
    apart_from,
    estimate_of,
    estimates_in,
    fact,
    has_second_human,
    is_of_test,
    known,
    least_size,
    multiply_scored,
    number,
    overall_check,
    records,
    rows_of,
    score_type_label,
)
from report_sections.raters import severity
from report_sections.score_distributions import level_errors
from report_sections.shares import banded, by_noise, excess, rare_ends, unused_points
from report_sections.true_score_evaluation import ENOUGH, asked_double_scored, recommended, rescaled_scores
from reportgen.results.aspects import aspect_of, aspects
from reportgen.sections import Check, Estimate, Evaluation
from reportgen.verdicts import impossible, judge

LEAST_WITHOUT = 1.0
"""Percent of responses without a readable score from which the brief says so; the section on the data always does."""

MOST_OF_IT = 0.5
"""The share of a group's difference from which on most of it follows from its ability and rater error."""

MOST_SCORES = 50.0
"""Percent of all scores above which one score is common enough to explain a low kappa on page one."""

MOST_WARNINGS = 3
"""Warnings about the data that the brief repeats."""

ROUNDED = {"qwk": ("system.qwk", "system_human.association"), "prmse": ("true_score.prmse", "true_score.prmse")}
"""Statistics that the rounded score may have another outcome on: their requirement, and the table with every form."""

Case = dict[str, Any]

PRMSE = "true_score.prmse"


def to_know(evaluation: Evaluation, flag_share: float) -> list[Case]:
    """Return doubts, then what the answer does not show, then what was assumed."""
    return [
        *_doubts(evaluation),
        *_by_ability(evaluation),
        *_without_score(evaluation),
        *_low_items(evaluation),
        *_unused_points(evaluation),
        *_errors_at_scores(evaluation),
        *_prevalent(evaluation),
        *_rounded(evaluation),
        *_few_double_scored(evaluation),
        *_of_the_data(evaluation, flag_share),
    ]


def _doubts(evaluation: Evaluation) -> Iterator[Case]:
    """Yield raters who may share nothing, a PRMSE that cannot be, raters who surely differ, and doubts of the data."""
    r, prmse, harsher = estimate_of(evaluation, "human.r"), estimate_of(evaluation, PRMSE), severity(evaluation)
    if r and evaluation.facts.get("raters_share") == "nothing":
        yield {"case": "share_nothing", "r": r, "target": "true_score_evaluation"}
    if prmse and impossible(prmse):
        yield {"case": "above_one", "prmse": prmse, "n": multiply_scored(evaluation), "target": "true_score_evaluation"}
    if harsher:
        yield {"case": "harsher", **harsher, "target": "human_raters"}
    for text in evaluation.facts.get("doubts") or ():
        yield {"case": "told", "text": text, "target": "data"}


def _by_ability(evaluation: Evaluation) -> list[Case]:
    """Tell of the group farthest beyond its limit whose difference a fair engine would show for the most part."""
    groups = [group for column in evaluation.groups for group in groups_of(evaluation, column) if group.flagged]
    found = [group for group in groups if group.fair is not None and group.fair / group.value >= MOST_OF_IT]
    worst = max(found, key=lambda group: abs(group.value), default=None)
    return [{"case": "by_ability", **worst.told(), "target": "group_differences"}] if worst else []


def _without_score(evaluation: Evaluation) -> list[Case]:
    """Tell how many responses the engine gave no score that can be read, unless they are hardly any."""
    shares = [row["share"] for row in rows_of(evaluation, "data.outputs")]
    return [
        {
            "case": "without_score",
            "share": share,
            "double": fact(evaluation, "double_scored_without_engine"),
            "target": "data.outputs",
        }
        for share in shares
        if isinstance(share, Estimate) and share.value and share.value >= LEAST_WITHOUT
    ]


def _low_items(evaluation: Evaluation) -> list[Case]:
    """Name the items whose whole interval of QWK lies below the limit on all responses, worst first."""
    item, check = str(evaluation.facts.get("item") or ""), overall_check(evaluation, "system.qwk")
    table = evaluation.tables.get(f"by_group.{item}")
    if item not in evaluation.groups or table is None or check is None or check.low is None:
        return []
    least = least_size(evaluation, item)
    rows = [row for row in records(table)[1:] if (number(row["n"]) or 0) >= least]  # the first is of all data
    low = [pair for pair in estimates_in(rows, "level", "qwk") if pair[1].high is not None and pair[1].high < check.low]
    names = [label for label, _ in sorted(low, key=lambda pair: pair[1].value or 0.0)]
    return [{"case": "low_items", "items": names, "check": check, "target": table.key}] if low else []


def _unused_points(evaluation: Evaluation) -> list[Case]:
    """Name the ends of the scale that nobody used, and those that the engine or the raters hardly use."""
    table = evaluation.tables.get("distribution")
    if table is None or not evaluation.scale.ordered:
        return []
    rows = records(table)
    unused = unused_points(rows)["both"]
    some = 0 < len(unused) < len(rows)
    return [
        *([{"case": "unused", "points": unused, "target": "score_distributions"}] if some else []),
        *(
            {
                "case": "rare_end",
                "point": end.score,
                "raters": _who_rated(evaluation),
                "engine_rarer": end.often == "raters",
                "often": end.often_n,
                "seldom": end.seldom_n,
                "perfect": end.perfect_n,
                "target": "score_distributions",
            }
            for end in rare_ends(rows)
        ),
    ]


def _who_rated(evaluation: Evaluation) -> str:
    """Return whose scores the distribution counts: those of the only rater, of the first, or of all."""
    if len(evaluation.raters) == 1:
        return "one"
    design = evaluation.facts.get("design")
    return "all" if isinstance(design, dict) and design.get("record", "") is None else "first"


def _errors_at_scores(evaluation: Evaluation) -> list[Case]:
    least = fact(evaluation, "min_n_per_group")
    found = [each for each in level_errors(evaluation) if each.beyond and each.error.n >= least]
    if not found:
        return []
    worst = max(found, key=lambda each: each.excess)
    case = {"point": worst.level, "error": worst.error, "expected": worst.expected}
    return [{"case": "error_at_score", **case, "target": "score_distributions"}]


def _prevalent(evaluation: Evaluation) -> list[Case]:
    """Return the coefficients if most scores are the same one, so that kappa is far below AC."""
    weights = "quadratic" if evaluation.scale.ordered else "identity"
    found = parted(evaluation.tables.get("panel.divergence"), AgreementPanel().apart)["differ"]
    return [
        {"case": "prevalent", **each, "target": "agreement_panel"}
        for each in found
        if each["weights"] == weights and each["why"] == "prevalence" and (each["prevalence"] or 0) > MOST_SCORES
    ]


def _rounded(evaluation: Evaluation) -> list[Case]:
    """Tell where the score rounded to score points is worse, and has another outcome, than the one that is judged."""
    label = score_type_label(evaluation, evaluation.facts.get("primary_rounded"))
    found: list[Case] = []
    if not evaluation.scale.step:
        return found
    for column, (key, table_key) in ROUNDED.items():
        check = overall_check(evaluation, key)
        cells = [row.get(column) for row in rows_of(evaluation, table_key) if row["score_type"] == label]
        estimate = known(cells[0]) if cells else None
        if check is None or check.outcome == "insufficient" or check.doubt == "impossible":
            continue
        judged = number(check.estimate)
        if estimate is None or judged is None or (number(estimate) or 0.0) >= judged:
            continue
        outcome = judge(estimate, check.low, check.high, strict=check.strict, by=check.by)
        if outcome != check.outcome:
            found.append({"check": check, "rounded": estimate, "outcome": outcome, "target": table_key})
    return [{"case": "rounded", "found": found, "target": found[0]["target"]}] if found else []


def _few_double_scored(evaluation: Evaluation) -> list[Case]:
    """Tell that fewer responses are double-scored than guidelines ask for, where no remedy says so already."""
    n, asked = multiply_scored(evaluation), asked_double_scored(evaluation)
    if estimate_of(evaluation, PRMSE) is None or n >= asked or not is_of_test(evaluation):
        return []
    said = any(each["case"] == "double_score" for each in remedies(evaluation))
    case: Case = {"case": "few_double_scored", "n": n, "asked": recommended(asked), "target": "true_score_evaluation"}
    return [] if said else [case]


def _of_the_data(evaluation: Evaluation, flag_share: float) -> Iterator[Case]:
    """Yield what was done to scores, which scores the engine surely gives more or less often, what was assumed.

    The first warnings about the data that are no doubts come last.
    """
    if moved := fact(evaluation, "scores_trimmed"):
        yield {"case": "trimmed", "moved": moved, "target": "data"}
    found: dict[str, list[str]] = {"more": [], "fewer": []}
    table = evaluation.tables.get("distribution")
    for row in records(banded(table)) if table else []:
        over, plain = excess(row), not isinstance(row["difference"], Estimate)
        if abs(over) > flag_share and (plain or apart_from(row["difference"], *by_noise(row))):
            found["more" if over > 0 else "fewer"].append(str(row["score"]))
    if any(found.values()):
        yield {"case": "shares", **found, "target": "score_distributions"}
    if evaluation.scale.assumed:
        yield {"case": "assumed_scale", "target": "data"}
    told = [*(evaluation.facts.get("doubts") or ()), evaluation.facts.get("left_out_as_asked")]
    for text in [text for text in evaluation.warnings if text not in told][:MOST_WARNINGS]:
        yield {"case": "told", "text": text, "target": "data"}


LEAST_GAIN = 0.02
"""PRMSE that a rescaling must add at the lower end of its interval before it is worth telling."""

NOTICED = 0.005
"""A loss of QWK from which it is told as the price of a rescaling."""

MOST = 3
"""Requirements on all responses that have a line."""


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
        smd = failed["severity"].leading.estimate
        means = [estimate_of(evaluation, f"system.{of}_mean") for of in ("system", "h")]
        if all(means) and (smd.value or 0.0):
            found.append({"case": "shift", "engine": means[0], "raters": means[1], "target": "score_distributions"})
    own = [failed[name] for name in ("agreement", "second_rater", "accuracy") if name in failed]
    best = estimate_of(evaluation, "true_score.best_prmse")
    limit = failed["accuracy"].leading.low if "accuracy" in failed else None
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
    worth = any(loss is not None and loss.low is not None and loss.low >= LEAST_GAIN for loss in losses)
    if evaluation.facts.get("categories") or prmse is None or best is None or not worth:
        return []
    if impossible(prmse) or impossible(best):
        return []
    case: Case = {"case": "rescale", "now": prmse, "best": best, "target": "true_score_evaluation"}
    rescaled = rescaled_scores(evaluation)
    ends = [rescaled[key]["qwk"] or 0.0 for key in ("as_it_is", "to_true_scores")] if rescaled else [0.0, 0.0]
    return [case | ({"qwk": ends[0], "qwk_then": ends[1]} if ends[1] < ends[0] - NOTICED else {})]


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
    levels = evaluation.facts.get("groups_withheld") or {}
    hidden = [level for column in levels for level in levels[column]]
    least = fact(evaluation, "min_n_per_group")
    return [{"case": "withheld", "groups": hidden, "least": least, "target": "privacy.withheld"}] if hidden else []
