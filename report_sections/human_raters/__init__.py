"""Check whether human raters are a suitable standard: assumptions about errors, severity, and reliability."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from report_sections.figures import dots_of, estimates_chart, shortened
from report_sections.lookup import distinct, estimates_in, is_second_chosen, lowest_and_highest, overall_check
from reportgen.results import Axis, Cells, Chart, Record, Rule, number
from reportgen.sections import Column, Estimate, Evaluation, Findings, Row, Section, Table, Term
from reportgen.verdicts import judge
from reportgen.wording.numbers import num

STATES = ("met", "not_met", "undecided")  # outcomes of conditions in display order

HARDLY = 0.005  # a smaller difference in PRMSE counts as hardly changed


@dataclass(frozen=True)
class HumanRaters(Section, part="annex", needs=("system", "order")):
    """Test the assumptions of PRMSE about raters, their reliability, and each rater if ratings are named.

    Parameters
    ----------
    mean_margin
        Rater means are equal if they differ by less than this many standard deviations.
    spread_ratio
        Rater standard deviations are equal if the larger is at most this many times the smaller.
    agreement_margin
        Raters agree equally with the engine if their correlations with it differ by less than this.
    balance_margin
        Responses scored more than once are similar to the rest if they differ by less than this many standard
        deviations.
    error_margin
        Rater error variance is constant along the scale if it changes by less than this share per standard deviation of
        the engine's score.
    level_ratio
        Rater error variance is constant along the scale if the variance in the largest band of the engine's score is at
        most this many times the variance in the smallest.
    error_ratio
        Rater error variance is equal in groups if no group has more than this many times the overall variance, or less
        than its inverse.
    """

    mean_margin: float = 0.15
    spread_ratio: float = 1.25
    agreement_margin: float = 0.10
    balance_margin: float = 0.10
    error_margin: float = 0.25
    level_ratio: float = 1.5
    error_ratio: float = 1.5

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return what the ratings show about the raters, or that single ratings show nothing."""
        if "human_raters.pairs" not in evaluation.tables:
            return Findings(values={"case": "one_rater"})
        found = conditions(evaluation, self)
        # without a grid, the section on rater agreement shows rater error along the scale
        error = error_chart(evaluation) if grid(evaluation, "human_human.agreement", "qwk") else ()
        return Findings(
            values={
                "case": "raters",
                **counted(found),
                "shape": shape_along_the_scale(evaluation),
                "chance": chance(evaluation),
                "reliability": reliability(evaluation),
                "severity": _severity(evaluation),
                "raters": _raters(evaluation),
            },
            tables=(conditions_table(found), *evaluation.present("human_raters.raters", "reliability.components")),
            charts=(*reliability_chart(evaluation), *error, *severity_chart(evaluation)),
        )


CLEAR = 0.10  # smallest clear difference in severity that is reported, in standard deviations of human scores


def severity(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return how far raters differ in severity, and PRMSE with and without it; None if it is not certain.

    For two raters, it is their difference (`smd`); for more, the standard deviation of their severities in points
    (`spread`), because the extremes of many raters differ by chance. A given rater error variance is not adjusted.
    """
    prmse, without = (evaluation.estimate(key) for key in ("true_score.prmse", "raters.prmse_without_severity"))
    differences = [row["smd"] for row in evaluation.records("human_raters.pairs") if isinstance(row["smd"], Estimate)]
    found: Estimate | None
    if len(differences) == 1:
        key, found, unit = "smd", differences[0], 1.0
    else:
        human = evaluation.estimate("system.h_sd")
        key, found, unit = "spread", spread_of_severity(evaluation), (human and human.value) or 0.0
    if not (prmse and without and found and unit and found.apart()) or abs(found.value or 0.0) <= CLEAR * unit:
        return None
    check = overall_check(evaluation, "true_score.prmse")
    return {key: found, "prmse": prmse, "without": without, "low": check.low if check else None}


def spread_of_severity(evaluation: Evaluation) -> Estimate | None:
    """Return the standard deviation of the severities of raters like these, in score points."""
    found = evaluation.facts.get("severity_spread")
    return Estimate("severity_sd", found[0], 0, found[1], found[2], kind="score") if found else None


MOST_IN_GRID = 12  # raters up to which their agreement is drawn as a grid


def agreement_of_pairs(evaluation: Evaluation, key: str, metric: str) -> dict[tuple[str, str], Estimate]:
    """Return the defined agreement of every two raters that a table compares."""
    cells = dict(estimates_in(evaluation.records(key), "pair", metric))
    return {(a, b): cells[f"{a}, {b}"] for a, b in combinations(evaluation.raters, 2) if f"{a}, {b}" in cells}


def ends_of_pairs(found: Mapping[tuple[str, str], Estimate]) -> dict[str, Any]:
    """Return the number of pairs, and the two ends; empty for one pair."""
    if len(found) < 2:
        return {}
    lowest, highest = lowest_and_highest(found.items(), "raters", "value")
    return {"n": len(found), "lowest": lowest, "highest": highest}


def grid(evaluation: Evaluation, key: str, metric: str) -> tuple[Chart, ...]:
    """Return the agreement of every two raters as a grid if there are more than two and not very many."""
    raters, found = evaluation.raters, agreement_of_pairs(evaluation, key, metric)
    if len(found) < 2 or len(raters) > MOST_IN_GRID:
        return ()
    labels = distinct(raters, most=20)
    # half of the grid: the other half would repeat each number
    cells = [[found.get((b, a)) for b in raters[:-1]] for a in raters[1:]]
    values = tuple(tuple(number(cell) for cell in row) for row in cells)
    texts = tuple(tuple("" if cell is None else num(cell) for cell in row) for row in cells)
    title = Term("agreement_of_every_two", metric=metric)
    x, y = (Axis(Term("axis_rater"), names) for names in (labels[:-1], labels[1:]))
    alt = Term("pairs_of_raters_alt", metric=metric, **ends_of_pairs(found))
    return (Chart(f"{key}.chart", title, alt, x, y, (Cells(y.categories, x.categories, values, texts, Term(metric)),)),)


STATE_OF = {"met": "met", "not met": "not_met", "not yet known": "undecided", "insufficient": "undecided"}
"""Outcome -> the state of a condition."""

Labelled = list[tuple[str, Estimate]]


@dataclass(frozen=True)
class Condition:
    """One condition: its most extreme comparison, the number of comparisons, its limit, and whether all are met.

    `state` is "met", "not_met", "undecided" or "not_needed".
    """

    key: str
    state: str
    limit: Term | None = None
    n: int | None = None
    where: str = ""
    found: Estimate | None = None


def conditions(evaluation: Evaluation, options: HumanRaters) -> tuple[Condition, ...]:
    """Return every condition with its state."""
    sample = random_sample(evaluation, options)
    return (
        *conditions_on_pairs(evaluation, options),
        *([sample] if sample.state != "not_needed" else []),
        *_along_the_scale(evaluation, options),
        *_single_raters(evaluation, options.mean_margin),
        *_groups(evaluation, options.error_ratio),
    )


def conditions_on_pairs(evaluation: Evaluation, options: HumanRaters) -> tuple[Condition, ...]:
    """Compare means, spread, and agreement with the engine of every two raters; empty if no two are compared."""
    pairs = evaluation.records("human_raters.pairs")
    means, spreads, correlations = (_labelled(pairs, "pair", key) for key in ("smd", "sd_ratio", "r_difference"))
    same_mean = _difference("same_mean", means, options.mean_margin, "limit.within_sds")
    same_agreement = _difference("same_agreement", correlations, options.agreement_margin, "limit.within")
    return (same_mean, _ratio("same_spread", spreads, options.spread_ratio), same_agreement) if pairs else ()


def conditions_table(found: Sequence[Condition]) -> Table:
    """Return the conditions as a table in which failed conditions are marked."""
    columns = (
        *map(Column, ("condition", "where")), Column("n", kind="count"), Column("found", kind="number"),
        *map(Column, ("limit", "state")),
    )  # fmt: skip
    rows = tuple(
        Row(
            (Term(f"condition.{each.key}"), each.where, each.n, each.found, each.limit, Term(f"state.{each.state}")),
            "flagged" if each.state == "not_met" else "",
        )
        for each in found
    )
    return Table("human_raters.conditions", "", columns, rows)


def _labelled(rows: Iterable[Record], label: str, key: str) -> Labelled:
    return [(row.text(label), cell) for row in rows if isinstance(cell := row[key], Estimate)]


def _state(found: Iterable[Estimate], low: float | None, high: float | None) -> str:
    states = {STATE_OF[judge(each, low, high)] if each.defined else "undecided" for each in found}
    return next(state for state in ("not_met", "undecided", "met") if state in states)


def _held(
    key: str, found: Labelled, low: float, high: float, limit: Term, distance: Callable[[float], float]
) -> Condition:
    """Return a condition on estimates, with the most extreme one; undecided without any."""
    defined = [(label, each, each.value) for label, each in found if each.value is not None]
    if not defined:
        return Condition(key, "undecided", limit)
    label, worst, _ = max(defined, key=lambda each: distance(each[2]))
    return Condition(key, _state((each for _, each, _ in defined), low, high), limit, len(defined), label, worst)


def _difference(key: str, found: Labelled, margin: float, limit: str) -> Condition:
    return _held(key, found, -margin, margin, Term(limit, margin=margin), abs)


def _ratio(key: str, found: Labelled, most: float) -> Condition:
    between = Term("limit.between", low=round(1 / most, 10), high=most)
    positive = [(label, each) for label, each in found if each.value]
    return _held(key, positive, 1 / most, most, between, lambda value: max(value, 1 / value))


def random_sample(evaluation: Evaluation, options: HumanRaters) -> Condition:
    """Compare the multiply scored responses with the rest."""
    rows = evaluation.records("human_raters.double_scoring")
    if not rows:
        return Condition("random_sample", "not_needed")
    found = [(Term("of_what", what=row["what"], level=row["level"]) if row["level"] else row.text("what"), cell)
             for row in rows if isinstance(cell := row["difference"], Estimate)]  # fmt: skip
    held = _difference("random_sample", found, options.balance_margin, "limit.within_sds")
    return replace(held, state="not_met") if is_second_chosen(evaluation) else held


def _along_the_scale(evaluation: Evaluation, options: HumanRaters) -> list[Condition]:
    """Compare rater errors along the engine's score with two limits, because an arch has no trend."""
    trend, ratio = (evaluation.estimates.get(f"raters.error_variance_{key}") for key in ("trend", "ratio"))
    if trend is None or ratio is None:
        return []
    most, margin, bands = options.level_ratio, options.error_margin, bands_of(evaluation)
    picks = (("largest", max), ("smallest", min)) if bands else ()
    where = Term("largest_to_smallest", **{end: pick(bands, key=lambda band: band[1])[0] for end, pick in picks})
    at_most, within = Term("limit.at_most", most=most), Term("limit.within", margin=margin)
    return [
        Condition("even_levels", _state([ratio], None, most), at_most, 1, where, ratio),
        Condition("no_trend", _state([trend], -margin, margin), within, 1, Term("per_sd"), trend),
    ]


def _single_raters(evaluation: Evaluation, margin: float) -> list[Condition]:
    """Compare each named rater's severity with the margin for means, in score points."""
    rows, spread = evaluation.records("human_raters.raters"), evaluation.estimate("system.h_sd")
    if not rows or not spread or not spread.value:
        return []
    drawn = _labelled(rows, "rater", "expected")
    found = drawn if any(each.defined for _, each in drawn) else _labelled(rows, "rater", "severity")
    judged = [(label, each) for label, each in found if each.n >= evaluation.count("min_n_per_group")]
    return [_difference("same_severity", judged, margin * spread.value, "limit.within_points")] if judged else []


def _groups(evaluation: Evaluation, most: float) -> list[Condition]:
    whole, least = evaluation.estimates.get("true_score.error_variance"), evaluation.count("min_n_per_group")
    if whole is None or not whole.value:
        return []
    found: Labelled = [
        (Term("of_what", what=column, level=str(row["level"])), each)
        for column in evaluation.groups
        for row in evaluation.records(f"human_raters.error_variance.by.{column}")
        if (each := row.estimate("variance")) and each.n >= least
    ]
    low, high = whole.value / most, whole.value * most
    between = Term("limit.between", low=low, high=high)
    far = _held("even_groups", found, low, high, between, lambda each: max((each or low) / low, high / (each or high)))
    return [far] if found else []


def chance(evaluation: Evaluation) -> dict[str, Any]:
    """Return how many comparisons there are, how many would exclude no difference by chance, and how many do."""
    pairs = evaluation.records("human_raters.pairs")
    trend = evaluation.estimates.get("raters.error_variance_trend")
    again = evaluation.records("human_raters.double_scoring")
    compared = [
        *((each, 0.0) for key in ("smd", "r_difference") for _, each in _labelled(pairs, "pair", key)),
        *((each, 0.0) for _, each in _labelled(again, "what", "difference")),
        *([(trend, 0.0)] if trend else []),
        *((each, 1.0) for _, each in _labelled(pairs, "pair", "sd_ratio")),
    ]
    excluded = [each.apart(equal, equal) for each, equal in compared if each.low is not None and each.high is not None]
    n, level = len(excluded), float(evaluation.facts.get("confidence_level") or 0.95)
    return {"n": n, "expected": n * (1 - level), "found": sum(excluded)} if n > 1 else {}


Shape = Literal["", "ends_of_scale_smaller", "outer_smaller", "outer_larger"]


def shape_along_the_scale(evaluation: Evaluation) -> Shape:
    """Return whether both outer bands are smaller, or larger, than all others, if bands differ at all."""
    ratio, bands = evaluation.estimates.get("raters.error_variance_ratio"), bands_of(evaluation)
    if ratio is None or ratio.low is None or ratio.low <= 1 or len(bands) < 4:
        return ""
    (first, low), *inner, (last, high) = bands
    values = [value for _, value in inner]
    if max(low, high) < min(values):
        ends = {f"{end:g}" for end in (evaluation.scale.low, evaluation.scale.high)}
        return "ends_of_scale_smaller" if ends == {first, last} else "outer_smaller"
    return "outer_larger" if min(low, high) > max(values) else ""


def bands_of(evaluation: Evaluation) -> list[tuple[str, float]]:
    """Return the error variance of every band that is large enough to be judged."""
    return [
        (row.text("band"), value)
        for row in evaluation.records("human_raters.error_variance")
        if row.mark != "insufficient" and (value := row.number("variance")) is not None
    ]


def counted(found: tuple[Condition, ...]) -> dict[str, Any]:
    """Return how many conditions were tested, how many have each outcome, and which fail."""
    states = [each.state for each in found if each.state in STATES]
    counts = [{"state": state, "n": states.count(state)} for state in STATES if state in states]
    return {"tested": len(states), "counts": counts, "failing": [each.key for each in found if each.state == "not_met"]}


def reliability(evaluation: Evaluation) -> dict[str, Any]:
    """Return the reliability of one rating, the gain from more ratings, and the reliability with severity as error."""
    rows = evaluation.records("reliability.more_ratings")
    values = [row.estimate("gain" if place else "generalizability") for place, row in enumerate(rows[:3])]
    found: dict[str, Any] = dict(zip(("one", "second", "third"), values, strict=False)) if all(values) else {}
    for key in ("icc_a1", "icc_1"):
        if (icc := evaluation.estimate(f"reliability.{key}")) is not None:
            return {**found, "icc": key, "with_severity": icc}
    return found


def _severity(evaluation: Evaluation) -> dict[str, Any]:
    """Return rater error variance and PRMSE with and without constant differences in severity."""
    rows, rise = evaluation.records("human_raters.severity"), evaluation.estimate("raters.prmse_rise_by_severity")
    if not rows:
        return {}
    changed = None if rise is None else abs(rise.value or 0.0) >= HARDLY
    return {"counted": rows[0]["variance"], "left_out": rows[1]["variance"], "rise": rise, "changed": changed}


def _raters(evaluation: Evaluation) -> dict[str, Any]:
    """Return how much raters differ, and who differs most, if ratings identify the raters."""
    facts, rows = evaluation.facts.get("rater_ids"), evaluation.records("human_raters.raters")
    if not facts:
        return {}
    sd, error = spread_of_severity(evaluation), facts.get("error_variance")
    spread = {} if sd is None or error is None else {"spread": sd, "error_sd": float(error) ** 0.5}
    return {
        "n": int(facts.get("raters") or 0),
        "reason": str(facts.get("reason") or ""),
        **{key: int(facts.get(key) or 0) for key in ("alone", "parts")},
        **spread,
        "shown": bool(rows),
        "severity": standing_out(evaluation, "expected"),
        "drift": standing_out(evaluation, "drift"),
    }


def standing_out(evaluation: Evaluation, column: str) -> dict[str, Any]:
    """Return how many raters were tested, and those whose whole interval is on one side of 0, farthest first."""
    found = estimates_in(evaluation.records("human_raters.raters"), "rater", column)
    out = sorted((pair for pair in found if pair[1].apart()), key=lambda pair: -abs(pair[1].value or 0.0))
    tested = sum(each.low is not None for _, each in found)
    return {"tested": tested, "out": [{"rater": rater, "value": each} for rater, each in out]} if tested else {}


MOST_RATERS = 40  # raters drawn; the table has all


def reliability_chart(evaluation: Evaluation) -> Iterator[Chart]:
    """Yield reliability and dependability by number of ratings."""
    rows = evaluation.records("reliability.more_ratings")
    ends = [row["generalizability"] for row in (*rows[:1], *rows[-1:])]
    names = {"generalizability": "reliability_not_counting", "dependability": "reliability_counting"}
    layers = [
        dots_of(Term(names[key]), *zip(*found, strict=True), along="y", ink=ink)
        for key, ink in zip(names, ("engine", "human"), strict=True)
        if (found := [(num(row["k"]), cell) for row in rows if (cell := row.estimate(key))])
    ]
    if layers and all(isinstance(end, Estimate) for end in ends):
        yield Chart(
            "reliability.more_ratings.chart",
            Term("reliability_of_means"),
            Term("reliability_alt", one=ends[0], last=ends[1], ratings=rows[-1]["k"]),
            Axis(Term("axis_ratings"), tuple(num(row["k"]) for row in rows)),
            Axis(Term("axis_reliability")),
            tuple(layers),
            Term("dependability_counts_severity"),
        )


def error_chart(evaluation: Evaluation) -> Iterator[Chart]:
    """Yield rater error variance by band of the engine's score."""
    found = estimates_in(evaluation.records("human_raters.error_variance"), "band", "variance")
    whole, least = evaluation.estimate("true_score.error_variance"), evaluation.count("min_n_per_group")
    hollow = [each.n < least for _, each in found]
    if len(found) > 1:
        low, high = lowest_and_highest(found, "band", "value")
        yield estimates_chart(
            "human_raters.error_variance.chart",
            Term("error_variance_by_score"),
            Term("error_variance_alt", low=low, high=high),
            Axis(Term("axis_error_variance"), low=0.0),
            Term("axis_engine_score"),
            found,
            Term("rater_error_variance"),
            *([Rule(whole.value or 0.0, Term("all_responses"), axis="y", ink="muted")] if whole else []),
            along="y",
            hollow=hollow,
            caption=Term("error_variance_caption", least=least, hollow=any(hollow)),
        )


def severity_chart(evaluation: Evaluation) -> Iterator[Chart]:
    """Yield the severity of the raters farthest from the others or named in a sentence, most lenient first."""
    rows = evaluation.records("human_raters.raters")
    drawn = estimates_in(rows, "rater", "expected")
    doubted = {str(each["name"]) for each in evaluation.facts.get("raters_doubted") or ()}
    found = sorted(
        drawn or estimates_in(rows, "rater", "severity"),
        key=lambda pair: (pair[0] not in doubted and not pair[1].apart(), -abs(pair[1].value or 0.0)),
    )[:MOST_RATERS]
    if found:
        found = shortened(sorted(found, key=lambda pair: -(pair[1].value or 0.0)))
        ends = {end: {"rater": found[at][0], "value": found[at][1]} for end, at in (("lenient", 0), ("severe", -1))}
        yield estimates_chart(
            "human_raters.raters.chart",
            Term("severity_of_raters"),
            Term("severity_alt", **ends, n=len(found)),
            Axis(Term("axis_severity")),
            Term("axis_rater"),
            found,
            Term("severity"),
            Rule(0.0, Term("as_the_others"), ink="muted"),
            caption=Term("severity_caption", drawn=bool(drawn), shown=len(found), raters=len(rows)),
        )
