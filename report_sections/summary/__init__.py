"""Provide the brief: the answer, its reasons, the questions behind it, next steps, and caveats."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from report_sections import lookup
from report_sections.figures import Matrix, same_scores_chart
from report_sections.human_raters import HumanRaters, random_sample, severity
from report_sections.score_distributions import banded, level_errors, rare_ends, shares_of, unused_points
from report_sections.true_score_evaluation import ENOUGH, asked_double_scored, recommended, rescaled_scores
from reportgen.results import Record, aspect_of, aspects
from reportgen.results.group_statistics import Statistics
from reportgen.sections import Chart, Check, Evaluation, Findings, Section, Table, Term
from reportgen.verdicts import impossible, judge
from reportgen.verdicts.assurance import DOUBLE

MOST_GROUPS = 3  # groups beyond a limit that the brief names


@dataclass(frozen=True)
class Summary(Section, part="decision", needs=("system",)):
    """Show on one page whether the engine is ready for use.

    Parameters
    ----------
    numbers
        Maximum number of questions on the page.
    flag_share
        A score point is mentioned if engine and human shares differ by more than this many percentage points.
    most
        Maximum number of other findings on the first page.
    """

    numbers: int = 5
    flag_share: float = 5.0
    most: int = 3

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return the content of the brief: values and codes, without words."""
        found = aspects(evaluation.checks)
        know, same = to_know(evaluation, self.flag_share), consequences(evaluation)
        return Findings(
            values={
                "kept": evaluation.count("responses_kept"),
                "double": lookup.multiply_scored(evaluation) - evaluation.count("double_scored_without_engine"),
                "raters": len(evaluation.raters),
                "engine": next((role.columns[0] for role in evaluation.roles if role.role == "system"), ""),
                "agreement": _agreement(evaluation),
                "rounded": [each for each in rounded_results(evaluation) if each["check"].statistic == OF_RATERS[0]],
                "raters_too": second_rater_fails(evaluation),
                "doubly": random_sample(evaluation, HumanRaters()).state,
                "attainable": {} if lookup.is_second_chosen(evaluation) else within_reach(evaluation),
                "groups": _groups(evaluation),
                "other_requirements": [
                    check for each in found for check in each.checks if check is not each.leading and not check.column
                ],
                "by_share": lookup.required_by_share(evaluation),
                "same": same,
                "points": has_points(evaluation),
                "levels": _levels(evaluation),
                "remedies": remedies(evaluation),
                "know": know[: self.most],
                "also": know[self.most :],
            },
            checks=tuple(each.leading for each in found)[: self.numbers],
            charts=counts_chart(evaluation, same),
        )


def _agreement(evaluation: Evaluation) -> dict[str, Any]:
    """Return the engine's agreement, compared with a second rater's if there is one."""
    metric = "qwk" if evaluation.scale.ordered else "kappa"
    for case in ("degradation", "system"):
        check = next((each for each in evaluation.checks if each.statistic == f"{case}.{metric}"), None)
        if check is not None and check.outcome != "insufficient":
            closer = check.estimate.low is not None and check.estimate.low > 0
            return {"case": case, "outcome": check.outcome, "closer": closer and case == "degradation", "check": check}
    return {"case": "unknown", "outcome": ""}


def _groups(evaluation: Evaluation) -> dict[str, Any]:
    found = next((each for each in aspects(evaluation.checks) if each.name == "groups"), None)
    checks = [check for check in found.checks if check.column] if found and evaluation.groups else []
    count, undecided = lookup.counted(checks), [c for c in checks if c.outcome in ("not yet known", "out of reach")]
    beyond = found.of("not met") if found and checks else []
    return {
        "columns": [] if lookup.only_task_groups(evaluation) else list(lookup.columns_of(evaluation)),
        "kinds": lookup.count_of_kinds(evaluation),
        "total": count["total"],
        "undecided": len(undecided),
        "largest_undecided": max((check.estimate.n for check in undecided), default=0),
        "not_tested": count["total"] - count["judged"],
        "beyond": [_with_means(evaluation, check) for check in beyond[:MOST_GROUPS]],
    }


def _with_means(evaluation: Evaluation, check: Check) -> dict[str, Any]:
    """Return a group's requirement, and the means of raters and engine where the tables have them."""
    rows = evaluation.records(f"by_group.{check.column}")
    row = next((each for each in rows if each["level"] == check.level), Record({}))
    return {"check": check, "human_mean": row.number("human_mean"), "engine_mean": row.number("system_mean")}


def _levels(evaluation: Evaluation) -> dict[str, Any]:
    same = [row.number("same_level") for row in evaluation.records("impact.differences")]
    engine, second = (None if each is None else 100 - each for each in (*same, None, None)[:2])
    return {} if engine is None else {"engine": engine, "second": second}


def consequences(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Count the scores below, equal to, and above the first rater's.

    Rows are the engine, or if it scores a group too low or too high, the one farthest beyond the limit and all other
    responses; then the second rater, unless the responses with a second rating are unlike the others. If raters are
    interchangeable, there is no first one, and nothing is counted.
    """
    sides = [] if lookup.is_drawn(evaluation) else [("engine", "confusion.system"), ("second_rater", "confusion.human")]
    sides = sides[:1] if lookup.is_second_chosen(evaluation) else sides
    found: list[Case] = [{"who": who, **_counted(table)} for who, key in sides for table in evaluation.present(key)]
    rows = [each for each in found if each["n"]]
    if rows and rows[0]["who"] == "engine" and (group := _group_beyond(evaluation)):
        others = {key: rows[0][key] - group[key] for key in (*PARTS_OF_SCORES, "n")}
        rows[:1] = [group, {"who": "others", **others}]
    part = "higher" if rows and rows[0]["higher"] > rows[0]["lower"] else "lower"
    if rows and rows[0]["who"] == "engine" and abs(rows[0]["higher"] - rows[0]["lower"]) < BALANCED * rows[0]["n"]:
        part = "same"
    return [{**row, "part": part, "share": 100 * row[part] / row["n"], "all_groups": len(rows) > 2} for row in rows]


PARTS_OF_SCORES = ("lower", "same", "higher")

BALANCED = 0.05  # share of scores by which higher and lower ones must differ before one side is the finding


def _group_beyond(evaluation: Evaluation) -> dict[str, Any] | None:
    """Count how the engine scores the group that is farthest beyond the limit; None if no group is."""
    beyond = _groups(evaluation)["beyond"] if has_points(evaluation) else []
    form, shares = str(evaluation.facts.get("primary_rounded") or ""), Statistics(evaluation.statistics)
    for check in (each["check"] for each in beyond[:1]):
        place = {"column": check.column, "level": check.level}
        found = [shares.one(f"system.scored_{part}", form, *place.values()) for part in ("lower", "higher")]
        lower, higher = (round((each.value or 0.0) * each.n / 100) if each else 0 for each in found)
        if lower + higher:
            same = check.estimate.n - lower - higher
            return {"who": "group", **place, "n": check.estimate.n, "lower": lower, "same": same, "higher": higher}
    return None


def has_points(evaluation: Evaluation) -> bool:
    """Return whether scores can be a point apart, unlike two categories or labels without an order."""
    return evaluation.scale.ordered and not evaluation.facts.get("categories")


def _counted(table: Table) -> dict[str, int]:
    """Return how many pairs of a crossing of two scores are lower, equal, and higher."""
    counts = Matrix.of(table).counts
    square = np.array(counts[: len(counts[0])] if counts else [[0]])
    chance = square.sum(axis=0) * square.sum(axis=1) / max(square.sum(), 1)  # pairs expected to be equal
    parts = (np.tril(square, -1), np.diag(square), np.triu(square, 1), square, chance)
    return {key: int(part.sum()) for key, part in zip((*PARTS_OF_SCORES, "n", "by_chance"), parts, strict=True)}


def counts_chart(evaluation: Evaluation, rows: Sequence[dict[str, Any]]) -> tuple[Chart, ...]:
    """Return the counts as bars, one for each whose scores are compared with the first rater's."""
    if not rows:
        return ()
    ordered = has_points(evaluation)
    kind, used = ("score", PARTS_OF_SCORES) if ordered else ("label", ("same", "other"))
    told = [{**each, "other": each["n"] - each["same"]} for each in rows]
    inks = {"group": "flag", "engine": "engine", "others": "engine", "second_rater": "human"}
    bars = [
        (Term(f"who.{each['who']}", **each), tuple(each[name] for name in used), inks[each["who"]]) for each in told
    ]
    several = any(each["who"] == "second_rater" for each in told)
    parts = [Term(f"{kind}.{name}", several=several) for name in used]
    return (same_scores_chart("summary.same.chart", Term("same_scores_alt", rows=told, ordered=ordered), bars, parts),)


OF_RATERS = ("system.qwk", "true_score.prmse")
"""Requirements on the engine of which page one shows what a second rater would get."""


def within_reach(evaluation: Evaluation) -> dict[str, Any]:
    """Return facts about the raters that a board needs besides the requirements; unknown values are empty."""
    checks = [check for key in ("system.qwk", "system.r") if (check := lookup.overall_check(evaluation, key))]
    # results of an engine without error
    ceiling = next((check for check in checks if check.best is not None and check.best.defined), None)
    true_r = evaluation.estimates.get("attainable.true_r")
    least, required = evaluation.count("min_n_per_group"), [lookup.overall_check(evaluation, key) for key in OF_RATERS]
    test = evaluation.facts.get("annotator_test") or {}
    return {
        "reliability": evaluation.estimate("true_score.human_reliability"),
        "drawn": lookup.is_drawn(evaluation) or len(evaluation.raters) < 2,
        "best": ceiling.best if ceiling else None,
        # too few double scores show it
        "open": ceiling is None and true_r is not None and not true_r.defined and true_r.n > 0,
        "limit": ceiling.low if ceiling else None,
        "second": [
            {"check": each, "outcome": judge(each.second, each.low, each.high, least, strict=each.strict, by=each.by)}
            for each in required
            if each and each.second
        ],
        "stands_in": test if "judges.annotators" in evaluation.tables and test.get("passed") is not None else None,
    }


LEAST_WITHOUT = 1.0
"""Percentage of responses without a readable score from which the brief mentions them; the data section always does."""

MOST_WARNINGS = 3  # warnings about the data that the brief repeats

ROUNDED = {"qwk": ("system.qwk", "system_human.association"), "prmse": ("true_score.prmse", "true_score.prmse")}
"""Statistics for which the rounded score may have a different outcome: their requirement, and the table with every
form."""

Case = dict[str, Any]

PRMSE = "true_score.prmse"


def _case(name: str, target: str, **numbers: object) -> Case:
    return {"case": name, **numbers, "target": target}


def to_know(evaluation: Evaluation, flag_share: float) -> list[Case]:
    """Return doubts, then facts that the answer does not show, then assumptions."""
    return [
        *_doubts(evaluation),
        *_not_shown(evaluation),
        *_unused_points(evaluation),
        *_of_scores(evaluation),
        *_of_the_data(evaluation, flag_share),
    ]


def _doubts(evaluation: Evaluation) -> Iterator[Case]:
    """Yield raters without agreement beyond chance, an impossible PRMSE, raters who clearly differ, and data doubts."""
    r, prmse, harsher = evaluation.estimate("human.r"), evaluation.estimate(PRMSE), severity(evaluation)
    if r and evaluation.facts.get("raters_share") == "nothing":
        yield _case("share_nothing", "true_score_evaluation", r=r)
    if prmse and impossible(prmse):
        yield _case("above_one", "true_score_evaluation", prmse=prmse, n=lookup.multiply_scored(evaluation))
    if harsher:
        yield _case("harsher", "human_raters", **harsher)
    in_doubt = bool(evaluation.facts.get("reading_in_doubt"))  # the answer shows the first doubt
    for text in (evaluation.facts.get("doubts") or ())[in_doubt:]:
        yield _case("told", "data", text=text)


def _not_shown(evaluation: Evaluation) -> Iterator[Case]:
    """Yield responses without a score, and items whose whole QWK interval is below the limit, the worst first."""
    if runs := evaluation.records("runs.descriptives"):
        keys = ("exact_agreement", "prmse_one", "prmse_mean", "prmse_gain")
        yield _case("runs", "repeated_runs", n=len(runs), **{key: evaluation.estimate(f"runs.{key}") for key in keys})
    double = evaluation.count("double_scored_without_engine")
    for row in evaluation.records("data.outputs"):
        if (share := row.estimate("share")) and (share.value or 0.0) >= LEAST_WITHOUT:
            yield _case("without_score", "data.outputs", share=share, double=double)
    item, check = str(evaluation.facts.get("item") or ""), lookup.overall_check(evaluation, "system.qwk")
    if item in evaluation.groups and check is not None and check.low is not None:
        least = lookup.least_size(evaluation, item)
        rows = evaluation.records(f"by_group.{item}")[1:]  # the first row is for all data
        qwk = lookup.estimates_in((row for row in rows if row.count("n") >= least), "level", "qwk")
        low = [pair for pair in qwk if pair[1].high is not None and pair[1].high < check.low]
        names = [label for label, _ in sorted(low, key=lambda pair: pair[1].value or 0.0)]
        if names:
            yield _case("low_items", f"by_group.{item}", items=names, check=check)


def _unused_points(evaluation: Evaluation) -> Iterator[Case]:
    """Yield the ends of the scale that no one used, and the ends that the engine or the raters hardly use."""
    rows = evaluation.records("distribution") if evaluation.scale.ordered else []
    unused = unused_points(rows)["both"]
    if 0 < len(unused) < len(rows):
        yield _case("unused", "score_distributions", points=unused)
    # whose scores the distribution counts
    raters = "one" if len(evaluation.raters) == 1 else "all" if lookup.is_drawn(evaluation) else "first"
    for end in rare_ends(evaluation):
        yield _case(
            "rare_end", "score_distributions", point=end["score"], raters=raters,
            engine_rarer=end["often"] == "raters", often=end["often_n"], seldom=end["seldom_n"],
        )  # fmt: skip


def _of_scores(evaluation: Evaluation) -> Iterator[Case]:
    """Yield the largest error at a score, and rounding loss."""
    least = evaluation.count("min_n_per_group")
    errors = [each for each in level_errors(evaluation) if each.beyond and each.error.n >= least]
    if errors:
        worst = max(errors, key=lambda each: each.excess)
        told = {"point": worst.level, "error": worst.error, "expected": worst.expected}
        yield _case("error_at_score", "score_distributions", **told)
    rounded = [each for each in rounded_results(evaluation) if evaluation.scale.step and each["worse"]]
    if rounded:
        yield _case("rounded", rounded[0]["target"], found=rounded)


def rounded_results(evaluation: Evaluation) -> Iterator[Case]:
    """Yield tested requirements for which the rounded score has another result, and whether its outcome is worse."""
    for column, (key, table) in ROUNDED.items():
        check, estimate = lookup.overall_check(evaluation, key), lookup.of_rounded(evaluation, table, column)
        judged = None if check is None or check.doubt == "impossible" else check.estimate.value
        if check is None or check.outcome == "insufficient" or estimate is None or judged in (None, estimate.value):
            continue
        outcome = judge(estimate, check.low, check.high, strict=check.strict, by=check.by)
        worse = outcome != check.outcome and (estimate.value or 0.0) < (judged or 0.0)
        yield {"check": check, "rounded": estimate, "outcome": outcome, "target": table, "worse": worse}


def _of_the_data(evaluation: Evaluation, flag_share: float) -> Iterator[Case]:
    """Yield changes to scores, and scores that the engine clearly gives more or less often.

    The first warnings about the data that are not doubts come last.
    """
    if moved := evaluation.count("scores_trimmed"):
        yield _case("trimmed", "data", moved=moved)
    rows = [row for table in evaluation.present("distribution") for row in banded(table).records()]
    found = shares_of(evaluation, rows, flag_share)
    if found["more"] or found["fewer"]:
        yield _case("shares", "score_distributions", more=found["more"], fewer=found["fewer"])
    told = [*(evaluation.facts.get("doubts") or ()), evaluation.facts.get("left_out_as_asked")]
    for text in [text for text in evaluation.warnings if text not in told][:MOST_WARNINGS]:
        yield _case("told", "data", text=text)


LEAST_GAIN = 0.02  # PRMSE that a rescaling must add at the lower end of its interval before it is worth telling


def remedies(evaluation: Evaluation) -> list[Case]:
    """Return next steps, the most decisive first; with requirements, there is at least one.

    Items that must not be evaluated together come first, then remedies for requirements that are not met, second
    ratings, a group column, and one collection of data for all open requirements. If nothing failed, second ratings
    come before other remedies.
    """
    if evaluation.facts.get("reading_in_doubt"):
        return [_case("columns", "data")]
    open_ = [check for check in evaluation.checks if check.outcome in ("not yet known", "insufficient")]
    second = list(_second_ratings(evaluation, [each for each in open_ if not (each.column or each.assurance)]))
    failed = list(_failed(evaluation, few=not second))
    retrained = any(each["case"] == "improve" for each in failed)  # plans are for the engine as it is
    shifted = any(each["case"] == "shift" for each in failed)
    planned = [] if retrained else [each for each in open_ if each.assurance and not (shifted and _is_shifted(each))]
    now, asked = lookup.multiply_scored(evaluation), asked_double_scored(evaluation)
    alone = retrained and not now  # low agreement may be the rater's error
    outcomes = {check.outcome for check in evaluation.checks}
    first = bool(failed) and not alone and "not met" in outcomes
    plans = [check for check in planned if check.cheapest and not check.column]
    waits = any(each["case"] in ("second_rater", "double_score") for each in second)
    few = lookup.is_of_test(evaluation) and now < asked and (waits or evaluation.estimate(PRMSE) is not None)
    if plans and few and waits and not any(check.cheapest.is_unfavorable for check in plans if check.cheapest):
        second = []  # the collection of data includes them
    case = {"now": now, "asked": asked if few else 0, "guideline": recommended(asked)}
    groups = {"of_test": lookup.is_of_test(evaluation), "task_groups": lookup.only_task_groups(evaluation)}
    ungrouped = any(each.statistic.endswith((".dsm", "group_difference")) for each in evaluation.checks)
    ungrouped &= bool(groups["task_groups"]) or not lookup.columns_of(evaluation)  # of people
    rest = [] if first else [check for check in planned if not (check.cheapest or check.column)]
    found = [
        *([_case("by_item", "data", **items)] if (items := evaluation.facts.get("items_differ")) else []),
        *(failed + second if first or now else second + failed),
        *([_case("group_column", "group_differences", **groups)] if ungrouped else []),
        *([_case("assurance", "criteria", checks=plans, **case)] if plans else []),
        *([_case("undecided", "criteria", checks=rest)] if rest else []),
        *_in_groups(evaluation, [check for check in planned if check.column], only_plans=first),
        *_withheld(evaluation),
        *(_more_double_scores(evaluation) if few and not (second or retrained or plans) else ()),
        *([_case("deploy", "criteria", doubts=bool(evaluation.facts.get("doubts")))] if outcomes == {"met"} else []),
    ]
    return found or [_case("more", "criteria", least=evaluation.count("min_n_per_group"))][: len(evaluation.checks)]


def _failed(evaluation: Evaluation, few: bool) -> Iterator[Case]:
    """Yield remedies for requirements that are not met or out of reach.

    few: Whether a new engine's evaluation should mention that guidelines require more double-scored responses.
    """
    failed = {each.name: each for each in aspects(evaluation.checks) if each.outcome == "not met"}
    less = list(_less_weight(evaluation))
    yield from less
    if "raters" in failed or any(each.outcome == "out of reach" for each in evaluation.checks):
        yield _case("ratings", "human_raters")
    if second := second_rater_fails(evaluation, ("not met", "not yet known")):
        yield _case("raters_too", "human_human_agreement", check=second, many=evaluation.count("n_raters") > 2)
    rescaling = list(_rescaling(evaluation))
    yield from rescaling
    if "groups" in failed:
        yield _case("groups_failed", "group_differences", checks=failed["groups"].of("not met"))
    off = next((each for each in evaluation.checks if _is_shifted(each)), None)
    shift = [] if rescaling or off is None else list(_shift(evaluation, off))
    yield from shift
    if any(_is_left(each, rescaling, shift) for each in evaluation.checks if not less or each.statistic != PRMSE):
        n, asked = lookup.multiply_scored(evaluation), asked_double_scored(evaluation)
        more = n if few and 0 < n < asked and lookup.is_of_test(evaluation) else 0
        found = (each.leading for each in aspects(evaluation.checks) if each.name == "groups")
        group = next((each for each in found if each.column and each.outcome == "not yet known"), None)
        case = {"after": [*rescaling, *shift], "labels": not has_points(evaluation), "after_raters": second is not None}
        yield _case("improve", "reading", **case, now=more, asked=asked, group=group)


def _less_weight(evaluation: Evaluation) -> Iterator[Case]:
    """Yield for which share of the points an engine is accurate enough, if its item has more (`required_prmse`)."""
    check, needed = lookup.overall_check(evaluation, PRMSE), lookup.required_by_share(evaluation)
    value = check.estimate.low if check and check.outcome == "not met" else None
    if value is not None and needed and needed["reference_prmse"] < value < 1:
        share = needed["reference_share"] * ((1 - needed["reference_prmse"]) / (1 - value) / needed["items"]) ** 0.5
        yield _case("less_weight", "test_impact", check=check, share=share, items=needed["items"])


def second_rater_fails(evaluation: Evaluation, outcomes: Collection[str] = ("not met",)) -> Check | None:
    """Return the requirement that the engine misses, and that a second rater's result is below too, if any."""
    second = [] if lookup.is_second_chosen(evaluation) else within_reach(evaluation)["second"]
    missed = (each["check"] for each in second if each["check"].outcome == "not met" and each["outcome"] in outcomes)
    found = (each for each in missed if each.statistic != PRMSE)  # which does not depend on how well raters agree
    return next((each for each in found if (each.second.value or 0.0) < (each.low or 0.0)), None)


def _is_shifted(check: Check) -> bool:
    """Return whether the mean score is clearly off, and not surely within the limit."""
    off = check.outcome == "not met" or (check.outcome == "not yet known" and check.estimate.apart())
    return aspect_of(check) == "severity" and not check.column and off


def _shift(evaluation: Evaluation, check: Check) -> Iterator[Case]:
    """Yield how far the engine's mean is from the raters', unless its scores are whole labels."""
    engine, raters = (evaluation.estimate(f"system.{of}_mean") for of in ("system", "h"))
    labels = bool(evaluation.facts.get("categories"))
    whole = not list(rounded_results(evaluation))
    if engine and raters and check.estimate.value and not (labels and whole):
        yield _case("shift", "score_distributions", engine=engine, raters=raters, labels=labels, whole=whole)


def _is_left(check: Check, rescaling: Sequence[Case], shift: Sequence[Case]) -> bool:
    """Return whether a requirement is not met, and neither a rescaling nor a shift can bring it within the limit."""
    if check.outcome != "not met" or check.column or aspect_of(check) == "raters":
        return False
    if not rescaling:
        return not (shift and aspect_of(check) == "severity")
    reached = {PRMSE: rescaling[0]["best"].high, "system.qwk": rescaling[0]["qwk_then"]}.get(check.statistic)
    return check.statistic.endswith(".r") or (reached or 1.0) < (check.low or 0.0)


def _second_ratings(evaluation: Evaluation, open_: list[Check]) -> Iterator[Case]:
    """Recommend second ratings if a requirement needs them and their effect is unknown."""
    if any(check.doubt == "second ratings" for check in open_):
        yield _case("chosen", "human_raters")
        return
    waiting = any(aspect_of(check) == "accuracy" or check.waits_for == DOUBLE for check in open_)
    if not waiting and (evaluation.count("responses_double_scored") or PRMSE in evaluation.estimates):
        return
    if lookup.multiply_scored(evaluation):
        yield from _more_double_scores(evaluation)
        return
    kept, tested = evaluation.count("responses_kept"), lookup.is_of_test(evaluation)
    yield _case("second_rater", "human_human_agreement", n=min(ENOUGH, kept), of=kept, asked=tested)


def _more_double_scores(evaluation: Evaluation) -> Iterator[Case]:
    """Yield how many more responses need a second rating, if guidelines require more of them."""
    now, asked = lookup.multiply_scored(evaluation), asked_double_scored(evaluation)
    if 0 < now < asked:
        said, count = recommended(asked) if lookup.is_of_test(evaluation) else None, evaluation.count
        kept = count("responses_kept")
        how = {"all": now == kept, "new": kept < asked, "without": count("double_scored_without_engine")}
        yield _case("double_score", "true_score_evaluation", now=now, more=asked - now, asked=said, **how)


def _rescaling(evaluation: Evaluation) -> Iterator[Case]:
    """Yield the gain from a linear rescaling if it helps a failed, or else an open, requirement and harms none."""
    prmse, best = (evaluation.estimate(f"true_score.{key}") for key in ("prmse", "best_prmse"))
    losses = [evaluation.estimate(f"true_score.{key}") for key in ("scale_loss", "bias_loss")]
    worth = any(loss is not None and loss.low is not None and loss.low >= LEAST_GAIN for loss in losses)
    if evaluation.facts.get("categories") or evaluation.scale.labels or prmse is None or best is None or not worth:
        return
    limit = getattr(lookup.overall_check(evaluation, PRMSE), "low", None)
    now, then = ((rescaled_scores(evaluation).get(key, {}).get("qwk") or 0.0) for key in ("as_it_is", "to_true_scores"))
    own = [check for check in evaluation.checks if not check.column and aspect_of(check) != "raters"]
    failed, open_ = ([check for check in own if check.outcome == each] for each in ("not met", "not yet known"))
    mended = ("accuracy", "severity", "error", *(("agreement", "second_rater") if then > now else ()))
    helped = [each for each in failed or open_ if aspect_of(each) in mended and not each.statistic.endswith(".r")]
    required = lookup.overall_check(evaluation, "system.qwk")
    harmed = required and required.low is not None and then < min(now, required.low)
    settles = failed or limit is None or (best.low or 0.0) >= limit
    if not (impossible(prmse) or impossible(best) or harmed) and ((helped and settles) or not own):
        yield _case("rescale", "true_score_evaluation", now=prmse, best=best, limit=limit, qwk=now, qwk_then=then)


def _in_groups(evaluation: Evaluation, waiting: list[Check], *, only_plans: bool) -> Iterator[Case]:
    """Return how many responses would settle inconclusive groups, from fewest to most, or the best probability."""
    plans = {place: each.cheapest for place, each in enumerate(waiting) if each.cheapest and each.cheapest.is_enough}
    if plans or (waiting and not only_plans):
        best = max(waiting, key=lambda each: each.assurance[-1].clear)
        first, last = (waiting[pick(plans, key=lambda at: plans[at].n)] if plans else best for pick in (min, max))
        least = waiting[min(plans, key=lambda at: plans[at].clear)] if plans else best
        more = [each for place, each in enumerate(waiting) if place not in plans]
        worst = max(waiting, key=lambda each: abs(each.estimate.value or 0.0))
        sd = evaluation.estimate("system.h_sd") if has_points(evaluation) else None
        found = {"first": first, "last": last, "worst": worst, "n": len(plans), "least": least, "sd": sd}
        yield _case("assurance_of_groups", "criteria.assurance_groups", **found, more=more)


def _withheld(evaluation: Evaluation) -> Iterator[Case]:
    """Yield the groups that are too small to be tested, or hidden for privacy."""
    hidden = [level for levels in (evaluation.facts.get("groups_withheld") or {}).values() for level in levels]
    small = [check.level for check in evaluation.checks if check.column and check.waits_for and not check.assurance]
    if (hidden or small) and any(check.column for check in evaluation.checks):
        groups, least = list(dict.fromkeys([*hidden, *small])), evaluation.count("min_n_per_group")
        yield _case("withheld", "privacy.withheld", groups=groups, least=least, hidden=bool(hidden))
