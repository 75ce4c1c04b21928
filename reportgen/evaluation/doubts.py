"""Doubts for page one: raters or engines on another scale or without information, and items judged together."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import QuestionError, shortened, write_command
from reportgen.evaluation.rater_effects import MOST_WORK, columns_as_raters, numbered
from reportgen.evaluation.suppression import hidden_by_size
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import UnlikeRater, pair, unlike_raters
from reportgen.results import Estimate, Scale, Term
from reportgen.scores import ScoreTable
from reportgen.scores.left_out import without_ratings
from reportgen.settings import Settings
from reportgen.sources.columns import Codes, Floats
from reportgen.tally import AS_GIVEN, OVERALL, WITHIN, moments
from reportgen.wording.numbers import point

MOST_NAMED = 3
"""Raters that the first page says something of, one by one."""

HEADLINES = ("system.qwk", "true_score.prmse")
"""What may rest on single ratings: where there is a score of record, QWK does not rest on the others."""

SAME = 1e-12
"""Numbers nearer to each other are one."""


def against_raters(tallied: TalliedScores) -> Term | None:
    """Return the doubt about an engine whose scores run against those of the raters; None for any other."""
    found = tallied.estimates(tallied.primary).estimate("system.r")
    return Term("doubt.against_raters", r=found) if found.high is not None and found.high < 0 else None


def doubts_of_raters(
    scores: ScoreTable,
    tallied: TalliedScores,
    settings: Settings,
    tally: Callable[[ScoreTable, Settings], TalliedScores],
    hidden: Callable[[Codes, int], NDArray[np.bool_]],
) -> tuple[Term, ...]:
    """Return the doubt about raters who do not rate, with the headline number as it would be without them.

    tally: Counts a table, as `tallied` was counted.
    hidden: Says of numbered raters which are not shown.
    """
    human, ordered = scores.human, tallied.scale.ordered and not settings.data.unordered
    if human.shape[1] < 2 or human.size * human.shape[1] > MOST_WORK or not ordered:
        return ()
    ids = scores.rater_ids or columns_as_raters(scores.raters, scores.human)
    shown = scores.rater_ids is None or settings.data.show_rater_names
    codes, everyone, _ = numbered(scores.human, ids, shown)
    units = scores.candidates if tallied.by_candidate else None
    out = hidden(codes, len(everyone))
    every = unlike_raters(scores.human, codes, units=units, level=tallied.level)
    found = [each for each in every if not out[each.rater]]
    if not found:
        return ()
    names = [everyone[each.rater] for each in found]
    left = without_ratings(scores, np.isin(codes, [each.rater for each in found]), settings)
    statistics = settings.statistics.model_copy(update={"min_n_by_group": {}, "intervals": "jackknife"})
    fewer = tally(left, settings.model_copy(update={"statistics": statistics})) if left is not None else None
    hint = Term(
        "hint.without", names=[write_command(name) for name in names[:MOST_NAMED]], more=len(names) > MOST_NAMED
    )
    doubted = [_doubted(each, name, tallied) for each, name in zip(found[:MOST_NAMED], names, strict=False)]
    alone = len(found) == 2 and all(np.isnan(each.expected) and each.how == "reversed" for each in found)
    told = {"n": len(found), "raters": doubted, "alone": alone, "without": _without(tallied, fewer)}
    return (Term("doubt.raters", **told, hint=hint if shown else Term("hint.without_unnamed")),)


def doubts_of_columns(tallied: TalliedScores) -> tuple[Term, ...]:
    """Return the doubt about two columns of ratings that run against each other, of scores whose rows are not held."""
    if len(tallied.raters) != 2:
        return ()
    r = tallied.estimates(tallied.primary).estimate("human.r")
    if r.high is None or not r.high < 0:
        return ()
    doubted = [{"name": name, "how": "reversed", "n": r.n, "r": r} for name in tallied.raters]
    return (Term("doubt.raters", n=2, raters=doubted, alone=True, without=None, hint=None),)


def _doubted(found: UnlikeRater, name: str, tallied: TalliedScores) -> dict[str, Any]:
    """Return what is found of a rater: how the scores are odd, and the numbers that show it."""
    low, high = (float(end) if np.isfinite(end) else None for end in (found.low, found.high))
    value = float(found.r) if np.isfinite(found.r) else None
    labels = dict(zip(tallied.scale.points(), tallied.scale.labels, strict=False))
    return {
        "name": name,
        "how": found.how,
        "n": found.n,
        "r": Estimate("r", value, found.n, low, high, level=tallied.level, kind="coefficient"),
        "expected": float(found.expected) if np.isfinite(found.expected) else None,
        "score": labels.get(found.commonest) or point(found.commonest),
        "share": 100 * float(found.share),
        "others_share": 100 * float(found.others_share),
    }


def _without(tallied: TalliedScores, fewer: TalliedScores | None) -> dict[str, Any] | None:
    """Return the first headline number that rests on some raters, and what it would be without them."""
    for key in HEADLINES:
        now = tallied.estimates(tallied.primary).estimate(key).value
        then = fewer.estimates(fewer.primary).estimate(key).value if fewer else None
        if then is None or now is None or abs(then - now) > SAME:
            return {"statistic": key, "now": now, "then": then}
    return None


LEAST_SHARED = 20
"""Fewer responses than this that both scored may lie apart by chance."""

SDS_APART, SD_RATIO = 2.0, 3.0
"""Raters differ by more than so many SDs in their means, and one SD is more than so many times the other."""

RANGES = 5.0
"""The wider scale is at least so many times as long."""

LEAST_POINTS = 3
"""Fewer points a severe rater may give, at the end of the scale that others use all of."""

LEAST_MARKED = 10
"""Fewer responses than this do not show the range of an engine's scores."""

MOST_SHIFT = 2.5
"""So many points, or steps if they are longer, a severe or lenient engine may be away from the raters."""

PART = 0.5
"""An engine that uses more than this share of the scale may be on it, wherever its scores are."""

LONGER, TIMES_AS_LONG, WITHIN_SDS = 1.3, 2.0, 4.0
"""A range so many times the scale is another scale; beyond so many SDs in all it is that of a few outliers."""

STEEP = 1.2
"""An engine on the scale does not rise by more points than this when the raters' score rises by one."""

MOST_OUTSIDE = 0.2
"""A noisy or shifted engine has no more than this share of its scores beyond the ends of the scale, or so."""

NEAR_ZERO = 0.5
"""How near to 0 and 1 the mean and SD of standardized scores are."""

AGAINST = -0.2
"""An engine whose correlation is certainly below this may have a scale that is reversed."""

TIMES, NEAR_MULTIPLE, LARGEST_SLIP = (2.0, 0.5), (0.08, 0.15), 1.0
"""An engine may give sums of two scores, or halves; how near its mean and SD are then, and how far it goes beyond."""

COMMON_ENDS = (1, 10, 100)
"""Where scales that begin at 0 often end."""


def raters_on_other_scales(tallied: TalliedScores) -> tuple[str, ...]:
    """Return a sentence for each rater whose scores lie on another scale than those of the first.

    A severe rater's mean differs, and not the SD; one who gives few points has a smaller SD and a mean among the
    others' scores.  Only both together, on responses that both scored, are another scale.
    """
    own = tallied.one_by_one
    if own.packed or len(own.raters) < 2:
        return ()
    overall = own.tally.slices[OVERALL]
    ratings, times = own.tally.cells.ratings[overall.cell], overall.sums[0]
    said = []
    for place, name in enumerate(own.raters[1:], start=1):
        both = np.isfinite(ratings[:, 0]) & np.isfinite(ratings[:, place])
        if times[both].sum() < LEAST_SHARED:
            continue
        first, other = ratings[both, 0], ratings[both, place]
        (mean, sd), (other_mean, other_sd) = (_mean_and_sd(each, times[both]) for each in (first, other))
        smaller, larger = sorted((sd, other_sd))
        narrow, wide = (first, other) if sd < other_sd else (other, first)
        if len(np.unique(narrow)) < LEAST_POINTS or float(np.ptp(wide)) < RANGES * float(np.ptp(narrow)):
            continue
        if larger > SD_RATIO * smaller and abs(mean - other_mean) > SDS_APART * larger > 0 < smaller:
            said.append(
                f"{name}'s scores ({_ends(other)}) lie on another scale than {own.raters[0]}'s ({_ends(first)})."
            )
    return tuple(said)


def refuse_unlike_scale(tallied: TalliedScores, system: str, settings: Settings, *, several: bool = False) -> None:
    """Ask if the range of the engine's scores does not fit the scale of the human scores, or if it runs against them.

    An engine that uses part of the scale, is shifted by a point or two, is noisy, or exceeds the ends a little fits.

    several: Whether other engines are evaluated, which may be on another scale.
    Raises QuestionError: The two scales differ, and no scale of the engine is declared.
    """
    if settings.data.system_scale is not None or settings.rsmeval is not None or tallied.scale.labels:
        return
    found = _unlike_ranges(tallied)
    if found is None and not _runs_against(tallied):
        return
    scale, low, high = found or (tallied.scale, 0.0, 0.0)
    same = f"{scale.low:g}:{scale.high:g}"
    human, ends = same + ("" if scale.step == 1 else f":{scale.step:g}"), f"{point(scale.low)} to {point(scale.high)}"
    own, text = f"{scale.high:g}:{scale.low:g}", "fall where the human scores rise: is a low score a good one?"
    if found:
        times = next((k for k in TIMES if _is_multiple(tallied, k) and high <= k * scale.high + LARGEST_SLIP), 0.0)
        likely = next(((0.0, float(end)) for end in COMMON_ENDS if low >= 0 and PART * end < high <= end), None)
        likely = (times * scale.low, times * scale.high) if times else likely
        likely = (low, high) if low == 1 and high <= max(COMMON_ENDS) and not high % 1 else likely
        own = "{:.15g}:{:.15g}".format(*likely or (np.floor(low), np.ceil(high)))
        text = f"run from {point(low)} to {point(high)}, on a scale from {ends}: are they on a different scale?"
    text = f"the scores of '{shortened(system)}' {text}"
    yes, no = f"yes, {own.replace(':', ' to ')} means {ends}", "no, the scales are the same"
    words = [] if settings.data.scale is not None else ["--scale", human]
    other = (no, (*words, "--system-scale", same))
    if several:
        yes = f"{yes}, of every engine"
        other = (f"{own.replace(':', ' to ')} means {ends}, of this engine, and no other is evaluated",
                 ("--system", system, *words, "--system-scale", own))  # fmt: skip
    raise QuestionError(text, [(yes, (*words, "--system-scale", own)), other])


def _is_multiple(tallied: TalliedScores, times: float) -> bool:
    """Return whether both mean and SD of the engine's scores are so many times those of the human scores."""
    sums = moments(tallied.tally, OVERALL, AS_GIVEN).named().system
    mean, human_mean, sd, human_sd, r = (
        float(each[0])
        for each in (pair.mean_y(sums), pair.mean_x(sums), pair.sd_y(sums, 0), pair.sd_x(sums, 0), pair.pearson_r(sums))
    )
    if not (human_mean > 0 and human_sd > 0 and r > -AGAINST):
        return False
    ratios = mean / (times * human_mean), sd / (times * human_sd)
    return all(abs(ratio - 1) < near for ratio, near in zip(ratios, NEAR_MULTIPLE, strict=True))


def _runs_against(tallied: TalliedScores) -> bool:
    """Return whether the engine's scores clearly fall where the human scores rise."""
    r = tallied.estimates(tallied.primary).estimate("system.r")
    return r.n >= LEAST_SHARED and r.high is not None and r.high < AGAINST


def _unlike_ranges(tallied: TalliedScores) -> tuple[Scale, float, float] | None:
    """Return the scale, and the ends of engine scores that cannot be on it.

    None where they can be, where too few human scores are known, and where either score is constant.
    """
    tally, overall = tallied.tally, tallied.tally.slices[OVERALL]
    sums = moments(tally, OVERALL, AS_GIVEN).named().system
    if sums.n[0] < LEAST_MARKED:
        return None
    of_each = pair.mean_x(sums), pair.sd_x(sums, 0), pair.mean_y(sums), pair.sd_y(sums, 0), pair.pearson_r(sums)
    human_mean, human_sd, mean, sd, r = (float(each[0]) for each in of_each)
    low, high = float(overall.minimum[0]), float(overall.maximum[0])
    if not (human_sd > 0 and sd > 0 and low < high):
        return None
    scale = tallied.scale
    if scale.assumed:  # the engine's scores may have widened it
        given = tally.cells.ratings[overall.cell]
        scale = replace(scale, low=float(np.nanmin(given)), high=float(np.nanmax(given)))
    cells, n = tally.cells, overall.sums[0]
    trimmed = (cells.trimming_class() != WITHIN) | (cells.system < scale.low) | (cells.system > scale.high)
    outside = float(n[trimmed[overall.cell]].sum() / n.sum())
    on_points = not overall.sums[2].any() and low >= scale.low
    length, width = scale.high - scale.low, high - low
    most_shift = min(max(MOST_SHIFT * max(1.0, scale.step), length / 4), length)
    shifted = abs(mean - human_mean) <= most_shift
    # shares, from 0 to 1, where raters give most of their scores above 1
    in_unit = low >= 0 and high <= 1 < scale.high and human_mean > 1 and not on_points
    in_unit = in_unit and (length > MOST_SHIFT or width > PART)
    # a small part of the scale that does not contain the raters' mean
    in_a_corner = width <= PART * length and not shifted and not low <= human_mean <= high
    # every score outside of the scale, and further than a shift
    beyond = max(low - scale.high, scale.low - high) > max(most_shift, length / 2)
    # much longer than the scale, and neither noise nor a shift explains it
    times_as_long, per_sd = min(width, WITHIN_SDS * sd) / length, sd / human_sd
    error = per_sd * float(np.sqrt(max(1 - r**2, 0) / n.sum()))
    longer = times_as_long > LONGER and outside > MOST_OUTSIDE / 2 and r * sd / human_sd - 2 * error > STEEP
    away = not scale.low <= mean <= scale.high and not shifted
    longer = longer or (times_as_long > TIMES_AS_LONG and outside > MOST_OUTSIDE and away)
    # z-scores, of which the scale has not even the lower half
    standardized = abs(mean) <= NEAR_ZERO and abs(sd - 1) <= NEAR_ZERO and outside > MOST_OUTSIDE
    standardized = standardized and low < 0 <= scale.low and not shifted
    # sums or halves of scores that are nowhere near 0
    multiple = scale.low > 0 and low >= 0 and any(_is_multiple(tallied, times) for times in TIMES)
    return (scale, low, high) if in_unit or in_a_corner or beyond or longer or standardized or multiple else None


def _mean_and_sd(scores: Floats, times: Floats) -> tuple[float, float]:
    mean = float(np.average(scores, weights=times))
    return mean, float(np.sqrt(np.average((scores - mean) ** 2, weights=times)))


def _ends(scores: Floats) -> str:
    return f"{point(float(scores.min()))} to {point(float(scores.max()))}"


DOUBTED = 0.10
"""A larger share of the variance of human scores between items, beyond what chance puts there, is told on page one;
the number is ours."""


class Pooled(NamedTuple):
    """How scores of several items lie together.

    items: How many have responses.
    between: Share of the sum of squares of human scores that lies between items: eta squared, 0 to 1.
    beyond_chance: The same less what items that do not differ would have: epsilon squared (Kelley, 1935), at most
        `between`; NaN where no item has two responses.
    together, within: Correlation of human and engine scores over all responses, and about the means of their items.
    """

    items: int
    between: float
    beyond_chance: float
    together: float
    within: float


def pooled(sums: Floats) -> Pooled:
    """Return how the scores of items lie together; NaN where scores do not differ.

    sums: As those of `reportgen.evaluation.counting.item_sums`.

    Examples
    --------
    Two items, human scores 1, 2 and 3, 4: a sum of squares of 1 within them, of 5 in all.

    >>> n, x, xx = [2.0, 2.0], [3.0, 7.0], [5.0, 25.0]
    >>> found = pooled(np.array([n, x, x, xx, xx, xx]))
    >>> round(found.between, 12), round(found.beyond_chance, 12)
    (0.8, 0.7)
    """
    n, x, y, xx, yy, xy = sums[:, sums[0] > 0]
    with np.errstate(all="ignore"):
        about_own = [(product - a * b / n).sum() for product, a, b in ((xx, x, x), (yy, y, y), (xy, x, y))]
        about_all = [
            product.sum() - a.sum() * b.sum() / n.sum() for product, a, b in ((xx, x, x), (yy, y, y), (xy, x, y))
        ]
        r = [float(np.divide(xy_, np.sqrt(xx_ * yy_))) for xx_, yy_, xy_ in (about_all, about_own)]
        within = np.divide(about_own[0], about_all[0])
        freedom = np.divide(n.sum() - 1, n.sum() - len(n))
        return Pooled(len(n), float(1 - within), float(1 - within * freedom), r[0], r[1])


def doubts_of_items(tallied: TalliedScores, item: str | None, settings: Settings) -> tuple[str, ...]:
    """Return a sentence when items that differ much are judged together, and what to do; else none.

    They are looked at whether they are a grouping or not, where they are no more than a grouping may have levels.
    Where small groups are withheld only items that are, or would be, shown are counted: not the small ones, nor those
    that protect them.
    """
    if tallied.counts.items is None or len(tallied.counts.items.labels) > settings.statistics.max_levels:
        return ()
    sums, labels = tallied.counts.items.sums, tallied.counts.items.labels
    if settings.privacy.withhold_small_groups:
        sizes = [round(n) for n in sums[0].tolist()]
        n = max(round(tallied.tally.n), sum(sizes))
        hidden = hidden_by_size(dict(zip(labels, sizes, strict=True)), n, tallied.min_n)
        hidden |= tallied.withheld.levels.get(item or "", frozenset())
        sums = sums[:, [label not in hidden for label in labels]]
    found = pooled(sums)
    if found.items < 2 or not (found.beyond_chance > DOUBTED and np.isfinite(found.within)):
        return ()
    return (
        f"{100 * found.between:.0f} % of the variance of human scores lies between the {found.items:,} items of "
        f"'{item}', whose scales or difficulty differ, and numbers of all responses together count it as agreement: "
        f"their correlation is {found.together:.2f}, within items {found.within:.2f}. To judge the engine on each "
        f"item: reportgen batch or reportgen tables, with {write_command('--by', str(item))}.",
    )
