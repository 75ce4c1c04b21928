"""Doubts for page one about raters or engines on another scale or without information, and pooled items."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from reportgen.design.profiles import follow_from_others
from reportgen.errors import QuestionError, shortened, write_command
from reportgen.evaluation.rater_effects import MOST_WORK, RaterFilter, columns_as_raters, numbered
from reportgen.evaluation.suppression import hidden_by_size
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import UnlikeRater, pair, unlike_raters
from reportgen.results import Estimate, Scale, Term
from reportgen.scores import ScoreTable
from reportgen.scores.left_out import without_ratings
from reportgen.settings import Settings
from reportgen.sources.columns import Floats
from reportgen.tally import AS_GIVEN, OVERALL, WITHIN, moments
from reportgen.wording.numbers import point

MOST_NAMED = 3  # raters that page one describes individually

HEADLINES = ("system.qwk", "true_score.prmse")
"""Headline statistics that can depend on single ratings; with a score of record, QWK does not."""

SAME = 1e-12  # difference below which numbers are equal


def against_raters(tallied: TalliedScores) -> Term | None:
    """Return the doubt about an engine whose scores are reversed; None for other engines."""
    found = tallied.estimates(tallied.primary).estimate("system.r")
    return Term("doubt.against_raters", r=found) if found.high is not None and found.high < 0 else None


def doubts_of_raters(
    scores: ScoreTable,
    tallied: TalliedScores,
    settings: Settings,
    tally: Callable[[ScoreTable, Settings], TalliedScores],
    hidden: RaterFilter,
) -> tuple[Term, ...]:
    """Return the doubt about raters who do not rate, with the headline number without them.

    tally: function that counts a table, as `tallied` was counted.
    hidden: function that returns which numbered raters are withheld.
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
    doubted = [_describe_doubt(each, name, tallied) for each, name in zip(found[:MOST_NAMED], names, strict=False)]
    alone = len(found) == 2 and all(np.isnan(each.expected) and each.how == "reversed" for each in found)
    items = {"n": len(found), "raters": doubted, "alone": alone, "without": _without(tallied, fewer)}
    return (Term("doubt.raters", **items, hint=hint if shown else Term("hint.without_unnamed")),)


def computed_columns(scores: ScoreTable) -> list[str]:
    """Return the columns of ratings that are computed from others, so that their raters are not independent."""
    if scores.ratings is not None or scores.rater_ids is not None or scores.human.shape[1] < 3:
        return []
    return [*follow_from_others(dict(zip(scores.raters, scores.human.T, strict=True)))]


def doubts_of_computed(scores: ScoreTable) -> tuple[Term, ...]:
    """Return the doubt about columns of ratings that are computed from others."""
    hint = "hint.without"
    return tuple(
        Term("doubt.computed", column=name, hint=Term(hint, names=[write_command(name)], more=False))
        for name in computed_columns(scores)
    )


def doubts_of_columns(tallied: TalliedScores) -> tuple[Term, ...]:
    """Return the doubt about two reversed columns of ratings, for scores without rows in memory."""
    if len(tallied.raters) != 2:
        return ()
    r = tallied.estimates(tallied.primary).estimate("human.r")
    if r.high is None or not r.high < 0:
        return ()
    doubted = [{"name": name, "how": "reversed", "n": r.n, "r": r} for name in tallied.raters]
    return (Term("doubt.raters", n=2, raters=doubted, alone=True, without=None, hint=None),)


def _describe_doubt(found: UnlikeRater, name: str, tallied: TalliedScores) -> dict[str, Any]:
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
    """Return the first headline number that depends on some raters, and its value without them."""
    for key in HEADLINES:
        now = tallied.estimates(tallied.primary).estimate(key).value
        then = fewer.estimates(fewer.primary).estimate(key).value if fewer else None
        if then is None or now is None or abs(then - now) > SAME:
            return {"statistic": key, "now": now, "then": then}
    return None


LEAST_SHARED = 20  # responses with both scores required to detect another scale

SDS_APART, SD_RATIO = 2.0, 3.0  # difference of means in SDs, and ratio of SDs, beyond which raters use different scales

RANGES = 5.0  # least ratio of the lengths of two scales

LEAST_POINTS = 3  # a severe rater can use fewer points, at the end of the scale that others use completely

LEAST_MARKED = 10  # responses required to show the range of an engine's scores

MOST_SHIFT = 2.5  # points, or steps if they are longer, that a severe or lenient engine can differ from the raters

PART = 0.5  # share of the scale above which an engine can be on it, for any position of its scores

FILLED = 0.8  # share of 0 to 1 above which scores between them are shares, although most ratings are 0 or 1

LONGER, TIMES_AS_LONG, WITHIN_SDS = 1.3, 2.0, 4.0
"""Ratio of ranges that indicates another scale; a range beyond this many SDs is due to outliers."""

STEEP = 1.2  # largest slope of an engine on the scale, in points per point of the raters' score

MOST_OUTSIDE = 0.2  # approximate largest share of scores beyond the scale for a noisy or shifted engine

NEAR_ZERO = 0.5  # tolerance of the mean 0 and SD 1 of standardized scores

AGAINST = -0.2  # upper limit of the correlation below which the engine's scale can be reversed

TIMES, NEAR_MULTIPLE, LARGEST_SLIP = (2.0, 0.5), (0.08, 0.15), 1.0
"""Multiples of the scale (sums of two scores, or halves), and tolerances of mean and SD, and of the range."""

COMMON_ENDS = (1, 10, 100)  # common upper ends of scales that begin at 0

MULTIPLES = (*TIMES, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0)  # multiples of the scale that an engine's scale may be


def raters_on_other_scales(tallied: TalliedScores) -> tuple[str, ...]:
    """Return a sentence for each rater whose scores are on another scale than the first rater's.

    A severe rater differs in the mean, but not in the SD. A rater who uses few points has a smaller SD, but a mean
    within the others' scores. Only both differences, on shared responses, indicate another scale.
    """
    own = tallied.one_by_one
    if own.packed or len(own.raters) < 2:
        return ()
    overall = own.tally.slices[OVERALL]
    ratings, times = own.tally.cells.ratings[overall.cell], overall.sums[0]
    items = []
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
            items.append(
                f"{name}'s scores ({_ends(other)}) are on a different scale from {own.raters[0]}'s ({_ends(first)})."
            )
    return tuple(items)


def refuse_unlike_scale(tallied: TalliedScores, system: str, settings: Settings, *, several: bool = False) -> None:
    """Raise QuestionError if the engine's scores do not fit the scale of the human scores or are reversed.

    An engine fits if it uses part of the scale, is shifted by one or two points, is noisy, or slightly exceeds the
    ends. A declared scale of the engine is accepted.

    several: whether other engines, which can be on another scale, are evaluated.
    """
    if settings.data.system_scale is not None or settings.rsmeval is not None or tallied.scale.labels:
        return
    found = _unlike_ranges(tallied)
    r = tallied.estimates(tallied.primary).estimate("system.r")
    if found is None and not (r.n >= LEAST_SHARED and r.high is not None and r.high < AGAINST):
        return
    scale, low, high = found or (tallied.scale, 0.0, 0.0)
    is_long = 0 < scale.low <= scale.high / 4 and scale.high - scale.low > 10  # 2 to 12 is a sum of two scores
    if settings.data.scale is None and found and (is_long or (high <= 1 and tallied.scale.low == 0)):
        scale = replace(scale, low=0.0)  # a long scale probably starts at 0, which no one gave
    same = f"{scale.low:g}:{scale.high:g}"
    human, ends = same + ("" if scale.step == 1 else f":{scale.step:g}"), f"{point(scale.low)} to {point(scale.high)}"
    own, text = f"{scale.high:g}:{scale.low:g}", "fall as the human scores rise. Is a low engine score good or bad?"
    name = f"'{shortened(system)}'"
    whose = "every engine" if several else name
    if found:
        text = f"range from {point(low)} to {point(high)}, but the human scale is {ends}. What is the engine's scale?"
    owns = ["{:.15g}:{:.15g}".format(*ends) for ends in _plausible_ends(tallied, *found)] if found else [own]
    words = [] if settings.data.scale is not None else ["--scale", human]
    form = "the scale of {} is {}" if found else "a low score of {} is {}"
    what = [each.replace(":", " to ") for each in owns] if found else ["good"]
    ways = [(form.format(whose, each), (*words, "--system-scale", own)) for each, own in zip(what, owns, strict=True)]
    other = (form.format(name, ends if found else "bad"), (*words, "--system-scale", same))
    if several:
        only = f"{form.format(name, what[0])}, so evaluate it alone"
        other = (only, ("--system", system, *words, "--system-scale", owns[0]))
    otherwise = f"edit {'--scale and ' * (settings.data.scale is None)}--system-scale" if found else ""
    raise QuestionError(f"the scores of {name} {text}", [*ways, other], otherwise)


def _plausible_ends(tallied: TalliedScores, scale: Scale, low: float, high: float) -> list[tuple[float, float]]:
    """Return one or two round scales that an engine's scores may have: the data do not show where they start and end.

    Multiples of the scale, and 0 to 1, 10, or 100, come in the order in which they bring the means together. If none
    fits, the scores' range is widened to the next round numbers.
    """
    if high - low == scale.high - scale.low or (low == 1 and high <= max(COMMON_ENDS) and not high % 1):
        return [(low, high)]
    likely = [(0.0, float(end)) for end in COMMON_ENDS if low >= 0 and PART * end < high <= end]
    likely += [
        (k * scale.low, k * scale.high)
        for k in MULTIPLES
        if _is_multiple(tallied, k) and high <= k * scale.high + max(LARGEST_SLIP, k / 2)
    ]
    _, human_mean, _, mean, *_ = _described(tallied)

    def apart(ends: tuple[float, float]) -> float:
        share = (mean - ends[0]) / (ends[1] - ends[0])
        return abs(scale.low + share * (scale.high - scale.low) - human_mean)

    unit = 10.0 ** np.floor(np.log10(high - low))
    beyond = float(unit * np.floor(low / unit)) + 0.0, float(unit * np.ceil(high / unit)) + 0.0  # and not -0
    return sorted(dict.fromkeys(likely), key=apart)[:2] or [beyond]


def _described(tallied: TalliedScores) -> list[float]:
    """Return the number of responses, mean and SD of the first rater and of the engine, and their correlation."""
    sums = moments(tallied.tally, OVERALL, AS_GIVEN).named().system
    each = pair.mean_x(sums), pair.sd_x(sums, 0), pair.mean_y(sums), pair.sd_y(sums, 0), pair.pearson_r(sums)
    return [float(found[0]) for found in (sums.n, *each)]


def _is_multiple(tallied: TalliedScores, times: float) -> bool:
    _, human_mean, human_sd, mean, sd, r = _described(tallied)
    if not (human_mean > 0 and human_sd > 0 and r > -AGAINST):
        return False
    ratios = mean / (times * human_mean), sd / (times * human_sd)
    return all(abs(ratio - 1) < near for ratio, near in zip(ratios, NEAR_MULTIPLE, strict=True))


def _unlike_ranges(tallied: TalliedScores) -> tuple[Scale, float, float] | None:
    """Return the scale, and the ends of engine scores that cannot be on it; None if they can be or are too few."""
    tally, overall = tallied.tally, tallied.tally.slices[OVERALL]
    marked, human_mean, human_sd, mean, sd, r = _described(tallied)
    low, high = float(overall.minimum[0]), float(overall.maximum[0])
    if marked < LEAST_MARKED or not (human_sd > 0 and sd > 0 and low < high):
        return None
    scale = tallied.scale
    if scale.assumed:  # the engine's scores can have extended it
        given = np.where(np.isinf(given := tally.cells.ratings[overall.cell]), np.nan, given)
        scale = replace(scale, low=float(np.nanmin(given)), high=float(np.nanmax(given)))
    cells, n = tally.cells, overall.sums[0]
    trimmed = (cells.trimming_class() != WITHIN) | (cells.system < scale.low) | (cells.system > scale.high)
    outside = float(n[trimmed[overall.cell]].sum() / n.sum())
    on_points = not overall.sums[2].any() and low >= scale.low
    length, width = scale.high - scale.low, high - low
    most_shift = min(max(MOST_SHIFT * max(1.0, scale.step), length / 4), length)
    shifted = abs(mean - human_mean) <= most_shift
    # the same points, but all of them higher or lower
    moved = low - scale.low if low - scale.low == high - scale.high and scale.assumed else 0.0
    moved = 0.0 if overall.sums[2].any() or abs(mean - human_mean - moved) > abs(moved) / 2 else moved
    # shares or cosines, from 0 or -1 to 1, although most ratings are above 1
    in_unit = low >= min(0, max(scale.low, 0) - 1) and high <= 1 < scale.high and (length > MOST_SHIFT or width > PART)
    in_unit = in_unit and (scale.low == -scale.high or ((human_mean > 1 or width > FILLED) and not on_points))
    # a small part of the scale, without the raters' mean
    in_a_corner = width <= PART * length and not shifted and not low <= human_mean <= high
    # much longer than the scale, which neither noise nor a shift explains
    times_as_long, per_sd = min(width, WITHIN_SDS * sd) / length, sd / human_sd
    error = per_sd * float(np.sqrt(max(1 - r**2, 0) / n.sum()))
    longer = times_as_long > LONGER and outside > MOST_OUTSIDE / 2 and r * sd / human_sd - 2 * error > STEEP
    away = not scale.low <= mean <= scale.high and not shifted
    beyond = away and outside > (MOST_OUTSIDE if times_as_long > TIMES_AS_LONG else PART)
    # z-scores, whose lower half is not on the scale
    standardized = max(abs(mean), abs(sd - 1)) <= NEAR_ZERO and outside > MOST_OUTSIDE and low < 0 <= scale.low
    # sums or halves of scores that are far from 0
    multiple = scale.low > 0 and low >= 0 and any(_is_multiple(tallied, times) for times in TIMES)
    unlike = in_unit or in_a_corner or beyond or longer or (standardized and not shifted) or multiple or moved != 0
    return (scale, low, high) if unlike else None


def _mean_and_sd(scores: Floats, times: Floats) -> tuple[float, float]:
    mean = float(np.average(scores, weights=times))
    return mean, float(np.sqrt(np.average((scores - mean) ** 2, weights=times)))


def _ends(scores: Floats) -> str:
    return f"{point(float(scores.min()))} to {point(float(scores.max()))}"


DOUBTED = 0.10
"""Share of variance of human scores between items, beyond chance, above which page one reports it (our choice)."""


class Pooled(NamedTuple):
    """Variation of scores between and within items.

    beyond_chance: the same without the share expected for equal items (epsilon squared, Kelley 1935), at most
        `between`; NaN if no item has two responses.
    together, within: correlation of human and engine scores over all responses, and about the means of their items.
    """

    items: int  # number of items with responses
    between: float  # share of the sum of squares of human scores between items (eta squared, 0 to 1)
    beyond_chance: float
    together: float
    within: float


def pooled(sums: Floats) -> Pooled:
    """Compute the variation of scores between items, from `item_sums`; NaN if scores do not vary.

    Two items with human scores 1, 2 and 3, 4; the sum of squares is 1 within them, and 5 in all:

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


def doubts_of_items(tallied: TalliedScores, item: str | None, settings: Settings) -> tuple[list[str], dict[str, Any]]:
    """Return a sentence, and its numbers as facts, if very different items are evaluated together; or nothing.

    It considers items even if they are not a grouping, up to the maximum number of levels. If small groups are
    withheld, it uses only items that are or would be shown.
    """
    if tallied.counts.items is None or len(tallied.counts.items.labels) > settings.statistics.max_levels:
        return [], {}
    sums, labels = tallied.counts.items.sums, tallied.counts.items.labels
    if settings.privacy.withhold_small_groups:
        sizes = [round(n) for n in sums[0].tolist()]
        n = max(round(tallied.tally.n), sum(sizes))
        hidden = hidden_by_size(dict(zip(labels, sizes, strict=True)), n, tallied.min_n)
        hidden |= tallied.withheld.levels.get(item or "", frozenset())
        sums = sums[:, [label not in hidden for label in labels]]
    found = pooled(sums)
    if found.items < 2 or not (found.beyond_chance > DOUBTED and np.isfinite(found.within)):
        return [], {}
    by = write_command("--by", str(item))
    doubt = (
        f"Differences among the {found.items:,} items of '{item}' account for {100 * found.between:.0f}% of the "
        f"variance in human scores and {'raise' if found.together > found.within else 'lower'} the correlation: it is "
        f"{found.together:.2f} over all responses, but {found.within:.2f} within items. To evaluate the engine on each "
        f"item, run reportgen batch or reportgen tables with {by}."
    )
    return [doubt], {"items_differ": {"n": found.items, "within": found.within, "by": by}}
