"""What to know before one decides, and what would help to decide: each a case and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from report_sections.agreement_panel import AgreementPanel, parted
from report_sections.group_differences import groups_of
from report_sections.groups import columns_of
from report_sections.lookup import (
    estimates_in,
    has_second_human,
    is_drawn,
    is_of_test,
    least_size,
    multiply_scored,
    of_rounded,
    overall_check,
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


def _case(name: str, target: str, **numbers: object) -> Case:
    """Return a case with its numbers, and the section or table that has more."""
    return {"case": name, **numbers, "target": target}


def to_know(evaluation: Evaluation, flag_share: float) -> list[Case]:
    """Return doubts, then what the answer does not show, then what was assumed."""
    return [
        *_doubts(evaluation),
        *_not_shown(evaluation),
        *_unused_points(evaluation),
        *_of_scores(evaluation),
        *_few_double_scored(evaluation),
        *_of_the_data(evaluation, flag_share),
    ]


def _doubts(evaluation: Evaluation) -> Iterator[Case]:
    """Yield raters who may share nothing, a PRMSE that cannot be, raters who surely differ, and doubts of the data."""
    r, prmse, harsher = evaluation.estimate("human.r"), evaluation.estimate(PRMSE), severity(evaluation)
    if r and evaluation.facts.get("raters_share") == "nothing":
        yield _case("share_nothing", "true_score_evaluation", r=r)
    if prmse and impossible(prmse):
        yield _case("above_one", "true_score_evaluation", prmse=prmse, n=multiply_scored(evaluation))
    if harsher:
        yield _case("harsher", "human_raters", **harsher)
    for text in evaluation.facts.get("doubts") or ():
        yield _case("told", "data", text=text)


def _not_shown(evaluation: Evaluation) -> Iterator[Case]:
    """Yield a difference that ability makes, responses without a score, and items below the limit.

    The group is the one farthest beyond its limit whose difference a fair engine would show for the most part. Items
    are those whose whole interval of QWK lies below the limit on all responses, worst first.
    """
    groups = [group for column in evaluation.groups for group in groups_of(evaluation, column) if group.flagged]
    found = [group for group in groups if group.fair is not None and group.fair / group.value >= MOST_OF_IT]
    if found:
        yield _case("by_ability", "group_differences", **max(found, key=lambda group: abs(group.value)).told())
    double = evaluation.count("double_scored_without_engine")
    for row in evaluation.records("data.outputs"):
        if (share := row.estimate("share")) and (share.value or 0.0) >= LEAST_WITHOUT:
            yield _case("without_score", "data.outputs", share=share, double=double)
    item, check = str(evaluation.facts.get("item") or ""), overall_check(evaluation, "system.qwk")
    if item in evaluation.groups and check is not None and check.low is not None:
        least = least_size(evaluation, item)
        rows = evaluation.records(f"by_group.{item}")[1:]  # the first is of all data
        qwk = estimates_in((row for row in rows if row.count("n") >= least), "level", "qwk")
        low = [pair for pair in qwk if pair[1].high is not None and pair[1].high < check.low]
        names = [label for label, _ in sorted(low, key=lambda pair: pair[1].value or 0.0)]
        if names:
            yield _case("low_items", f"by_group.{item}", items=names, check=check)


def _unused_points(evaluation: Evaluation) -> Iterator[Case]:
    """Name the ends of the scale that nobody used, and those that the engine or the raters hardly use."""
    rows = evaluation.records("distribution") if evaluation.scale.ordered else []
    unused = unused_points(rows)["both"]
    if 0 < len(unused) < len(rows):
        yield _case("unused", "score_distributions", points=unused)
    # whose scores the distribution counts
    raters = "one" if len(evaluation.raters) == 1 else "all" if is_drawn(evaluation) else "first"
    for end in rare_ends(rows):
        yield _case(
            "rare_end", "score_distributions", point=end["score"], raters=raters,
            engine_rarer=end["often"] == "raters", often=end["often_n"], seldom=end["seldom_n"],
            perfect=end["perfect_n"],
        )  # fmt: skip


def _of_scores(evaluation: Evaluation) -> Iterator[Case]:
    """Yield the largest error at a score, a kappa far below AC as most scores are the same, and what rounding costs."""
    least = evaluation.count("min_n_per_group")
    errors = [each for each in level_errors(evaluation) if each.beyond and each.error.n >= least]
    if errors:
        worst = max(errors, key=lambda each: each.excess)
        told = {"point": worst.level, "error": worst.error, "expected": worst.expected}
        yield _case("error_at_score", "score_distributions", **told)
    weights = "quadratic" if evaluation.scale.ordered else "identity"
    for each in parted(evaluation, AgreementPanel().apart)["differ"]:
        if each["weights"] == weights and each["why"] == "prevalence" and (each["prevalence"] or 0) > MOST_SCORES:
            yield _case("prevalent", "agreement_panel", **each)
    rounded = list(_rounded(evaluation)) if evaluation.scale.step else []
    if rounded:
        yield _case("rounded", rounded[0]["target"], found=rounded)


def _rounded(evaluation: Evaluation) -> Iterator[Case]:
    """Yield where the score rounded to score points is worse, and has another outcome, than the one that is judged."""
    for column, (key, table) in ROUNDED.items():
        check, estimate = overall_check(evaluation, key), of_rounded(evaluation, table, column)
        if check is None or estimate is None or check.outcome == "insufficient" or check.doubt == "impossible":
            continue
        outcome = judge(estimate, check.low, check.high, strict=check.strict, by=check.by)
        judged = check.estimate.value
        if judged is not None and (estimate.value or 0.0) < judged and outcome != check.outcome:
            yield {"check": check, "rounded": estimate, "outcome": outcome, "target": table}


def _few_double_scored(evaluation: Evaluation) -> Iterator[Case]:
    """Tell that fewer responses are double-scored than guidelines ask for, where no remedy says so already."""
    n, asked = multiply_scored(evaluation), asked_double_scored(evaluation)
    if evaluation.estimate(PRMSE) is None or n >= asked or not is_of_test(evaluation):
        return
    if not any(each["case"] == "double_score" for each in remedies(evaluation)):
        yield _case("few_double_scored", "true_score_evaluation", n=n, asked=recommended(asked))


def _of_the_data(evaluation: Evaluation, flag_share: float) -> Iterator[Case]:
    """Yield what was done to scores, which scores the engine surely gives more or less often, what was assumed.

    The first warnings about the data that are no doubts come last.
    """
    if moved := evaluation.count("scores_trimmed"):
        yield _case("trimmed", "data", moved=moved)
    found: dict[str, list[str]] = {"more": [], "fewer": []}
    for row in [row for table in evaluation.present("distribution") for row in banded(table).records()]:
        over, plain = excess(row), not isinstance(row["difference"], Estimate)
        if abs(over) > flag_share and (plain or row.apart("difference", *by_noise(row))):
            found["more" if over > 0 else "fewer"].append(str(row["score"]))
    if any(found.values()):
        yield _case("shares", "score_distributions", **found)
    if evaluation.scale.assumed:
        yield _case("assumed_scale", "data")
    told = [*(evaluation.facts.get("doubts") or ()), evaluation.facts.get("left_out_as_asked")]
    for text in [text for text in evaluation.warnings if text not in told][:MOST_WARNINGS]:
        yield _case("told", "data", text=text)


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
    failed = list(_failed(evaluation))
    return [
        *failed,
        *_second_ratings(evaluation, [check for check in overall if not check.assurance]),
        *_group_column(evaluation, overall),
        *_assurance(overall),
        *([] if failed else _rescaling(evaluation)),
        *_in_groups([check for check in open_ if check.column and check.assurance]),
        *_withheld(evaluation),
    ]


def _failed(evaluation: Evaluation) -> Iterator[Case]:
    """Yield what can be done about the engine where a requirement is not met: rescale it, or improve it."""
    failed = {each.name: each for each in aspects(evaluation.checks) if each.outcome == "not met"}
    rescaling = list(_rescaling(evaluation)) if failed else []
    yield from rescaling
    if "groups" in failed:
        yield _case("groups_failed", "group_differences", checks=failed["groups"].of("not met"))
    if "severity" in failed and not rescaling:
        engine, raters = (evaluation.estimate(f"system.{of}_mean") for of in ("system", "h"))
        if engine and raters and failed["severity"].leading.estimate.value:
            yield _case("shift", "score_distributions", engine=engine, raters=raters)
    own = [name for name in ("agreement", "second_rater", "accuracy") if name in failed]
    best = evaluation.estimate("true_score.best_prmse")
    limit = failed["accuracy"].leading.low if "accuracy" in failed else None
    short = best is not None and best.high is not None and limit is not None and best.high < limit
    if own and (short or not rescaling):
        yield _case("improve", "reading")


def _second_ratings(evaluation: Evaluation, open_: list[Check]) -> Iterator[Case]:
    """Ask for second ratings where a requirement waits for them, and it is not known what they would do."""
    waiting = any(aspect_of(check) == "accuracy" or check.waits_for == "double-scored responses" for check in open_)
    if not waiting and (has_second_human(evaluation) or "true_score.prmse" in evaluation.estimates):
        return
    now, asked, tested = multiply_scored(evaluation), asked_double_scored(evaluation), is_of_test(evaluation)
    if not now:
        yield _case("second_rater", "human_human_agreement", asked=recommended(ENOUGH) if tested else None)
    elif now < asked:
        said = recommended(asked) if tested else None
        yield _case("double_score", "true_score_evaluation", now=now, asked=said)


def _group_column(evaluation: Evaluation, overall: list[Check]) -> Iterator[Case]:
    """Ask for a group column where a requirement is on groups and the data has none."""
    asked = any(check.statistic.endswith((".dsm", "group_difference")) for check in overall)
    if asked and not columns_of(evaluation):
        yield _case("group_column", "group_differences", of_test=is_of_test(evaluation))


def _assurance(open_: list[Check]) -> list[Case]:
    """Tell what gives a clear answer on requirements on all responses, a line each: one for every question first."""
    planned = [check for check in open_ if check.assurance]
    first = [each.checks[0] for each in aspects(planned)]
    rest = [check for check in planned if check not in first]
    return [_case("assurance", "criteria", check=check) for check in (first + rest)[:MOST]]


def _rescaling(evaluation: Evaluation) -> Iterator[Case]:
    """Tell what a linear rescaling would do for accuracy, where that is worth telling."""
    prmse, best = (evaluation.estimate(f"true_score.{key}") for key in ("prmse", "best_prmse"))
    losses = [evaluation.estimate(f"true_score.{key}") for key in ("scale_loss", "bias_loss")]
    worth = any(loss is not None and loss.low is not None and loss.low >= LEAST_GAIN for loss in losses)
    if evaluation.facts.get("categories") or prmse is None or best is None or not worth:
        return
    if not (impossible(prmse) or impossible(best)):
        rescaled = rescaled_scores(evaluation)
        now, then = ((rescaled.get(key, {}).get("qwk") or 0.0) for key in ("as_it_is", "to_true_scores"))
        price = {"qwk": now, "qwk_then": then} if then < now - NOTICED else {}
        yield _case("rescale", "true_score_evaluation", now=prmse, best=best) | price


def _in_groups(waiting: list[Check]) -> Iterator[Case]:
    """Tell how many responses give undecided groups a clear answer, from the fewest to the most; or the best chance."""
    if waiting:
        enough = [(each.cheapest.n, place) for place, each in enumerate(waiting) if each.cheapest]
        best = max(waiting, key=lambda each: each.assurance[-1].clear)
        first, last = (waiting[pick(enough)[1]] if enough else best for pick in (min, max))
        yield _case("assurance_of_groups", "group_differences", first=first, last=last, n=len(enough))


def _withheld(evaluation: Evaluation) -> Iterator[Case]:
    hidden = [level for levels in (evaluation.facts.get("groups_withheld") or {}).values() for level in levels]
    if hidden:
        yield _case("withheld", "privacy.withheld", groups=hidden, least=evaluation.count("min_n_per_group"))
