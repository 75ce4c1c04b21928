"""Evaluation of raters from ratings without engine scores.

All pairs of ratings of a response are equivalent (see `reportgen.tally.kernel`), so no rater comes first and no order
matters. The tally has 0 as engine score, which no statistic uses.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation import rater_effects, reliability
from reportgen.evaluation.human_raters import crossed_tables, intraclass_table, raters_table, reliability_numbers
from reportgen.evaluation.panel import NO_POINTS, RANK_CORRELATIONS, agreement_of
from reportgen.evaluation.points import Preparation, names_of, rounding_on
from reportgen.evaluation.rater_error import of_one_variance
from reportgen.evaluation.statistics import undefined
from reportgen.evaluation.suppression import withheld_log
from reportgen.evaluation.tables.build import called, columns_of, count_column, metric_column, table
from reportgen.evaluation.tables.data import composition, exclusions, group_sizes, judging_facts, response_facts
from reportgen.evaluation.tallied_scores import Plan, TalliedScores, plan_of, tally_scores
from reportgen.metrics import unlike_raters
from reportgen.metrics.krippendorff import OF_LABELS
from reportgen.metrics.reliability import generalizability_of_raters
from reportgen.results import Column, Estimate, GroupStatistics, Row, Table, Term
from reportgen.results.group_statistics import series_of
from reportgen.scores import RatingTable
from reportgen.scores.table import RaterIds
from reportgen.settings import Settings
from reportgen.sources.columns import Codes
from reportgen.tally import OVERALL, Floats, Groups
from reportgen.wording.numbers import point

MOST_COLUMNS = 60  # raters up to which each has a separate column in comparisons of all raters

ANY_TWO = {
    "qwk": "human.qwk", "r": "human.r", "exact_agreement": "human.exact_agreement",
    "adjacent_agreement": "human.adjacent_agreement", "error_variance": "true_score.error_variance",
}  # fmt: skip
"""Agreement of any two ratings of a response, and its key in policies."""

KEYS = ANY_TWO | {"kappa": "human.kappa"}  # the same keys for labels without an order

OWN_MARGINS = ("kappa", "kappa_linear", "kappa_quadratic")  # coefficients of all raters that require named raters

ALL_OF_THEM = {"kappa": "conger", "scott": "fleiss"}  # coefficients of three or more raters by that of pairs

TARGETS = (0.8, 0.9)
"""Target reliabilities: for comparisons of scores, and for decisions about individuals (Nunnally and Bernstein 1994,
chapter 7)."""

MOST_NEEDED = 100  # largest number of ratings of a response that is predicted

MOST_SHARES = 12  # points of a scale up to which a table has a column for each

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class RatingSheet:
    """The ratings of one file, for any order of rows and columns and any layout.

    ratings, codes (n, k): the ratings of a response in the order of its raters, NaN if missing, and the position of
        each rater in `names`, -1 if unknown.
    names, shown: names of raters in reports, those with most ratings first, and whether these are their real names.
    ids: the same raters with their real names, in the original order.
    table: the input.
    plan: counting of ratings.
    tallied: two ratings drawn from each response; its `apart` has a column for each rater.
    """

    ratings: Floats
    codes: Codes
    names: tuple[str, ...]
    shown: bool
    ids: RaterIds
    table: RatingTable
    plan: Plan
    tallied: TalliedScores

    @classmethod
    def of(cls, table: RatingTable, settings: Settings) -> RatingSheet:
        """Return the ratings of a table under its settings."""
        ids = table.rater_ids or RaterIds(np.full(table.human.shape, -1, np.int32), ())
        ratings, ids = _in_order(table.human, ids)
        shown = settings.data.show_rater_names or not (table.columns("rater") or table.ratings)
        codes, names, _ = rater_effects.numbered(ratings, ids, shown)
        columns = _by_rater(ratings, codes, len(names))
        scale, packed = table.scale, columns is ratings
        raters = tuple(map(str, range(columns.shape[1]))) if packed else names
        as_rated = Preparation((scale.low, scale.high), 0.0, rounding=rounding_on(scale, as_rsmtool=False))
        plan = plan_of(raters, scale, settings, as_rated)
        tallied = _drawn(columns, plan, table.groups, table.candidates, packed=packed)
        return cls(ratings, codes, names, shown, ids, table, plan, tallied)

    @cached_property
    def given(self) -> Mask:
        """(n, k): which ratings exist."""
        return np.isfinite(self.ratings)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """(n,): number of ratings of each response."""
        return np.asarray(self.given.sum(axis=1))

    @cached_property
    def units(self) -> NDArray[np.integer] | None:
        """(n,): code of the test taker, if some have multiple responses; None if responses are the units."""
        return self.table.candidates if self.tallied.by_candidate else None

    @cached_property
    def raters_withheld(self) -> Mask:
        """(raters,): which raters are withheld."""
        hidden, codes = self.tallied.withheld, np.where(self.given, self.codes, -1)
        groups, raters = self.table.groups, len(self.names)
        return rater_effects.withheld_raters(groups, hidden.levels, hidden.least, codes, raters)

    @cached_property
    def shown_raters(self) -> dict[int, str]:
        """Name of every shown rater by number."""
        return {rater: self.names[rater] for rater in np.flatnonzero(~self.raters_withheld).tolist()}

    def rater_rows(self) -> rater_effects.RaterRows | None:
        """Return the statistics of every rater."""
        own, out = self.tallied.one_by_one, self.raters_withheld
        return rater_effects.rater_rows(own, self.ratings, self.ids, self.shown, self.units, lambda *_: out)

    @cached_property
    def groups(self) -> Mapping[str, Mapping[str, Level]]:
        """The shown levels by group column and label, largest first."""
        return {grouping: dict(self._levels(grouping)) for grouping in self.tallied.groups}

    def _levels(self, grouping: str) -> Iterator[tuple[str, Level]]:
        coded, tallied = self.table.groups[grouping], self.tallied
        for level in tallied.level_order(grouping):
            label = tallied.tally.slices[grouping].labels[level]
            here = coded.codes == coded.labels.index(label)
            hidden = tallied.withheld.hides(grouping, label, "multiple")
            yield label, Level(here, int(here.sum()), {} if hidden else any_two(tallied, grouping, level))


class Level(NamedTuple):
    """Responses of a group, their number, and the agreement of any two ratings, unless it is withheld."""

    here: Mask
    n: int
    found: Mapping[str, Estimate]


def _drawn(
    ratings: Floats, plan: Plan, groups: Groups, candidates: NDArray[np.integer] | None, *, packed: bool
) -> TalliedScores:
    return tally_scores(
        np.zeros(len(ratings)), ratings, groups, plan, candidates=candidates, interchangeable=True, packed=packed
    )


def _by_rater(ratings: Floats, codes: Codes, raters: int) -> Floats:
    given = np.isfinite(ratings)
    if raters > MOST_COLUMNS or (given & (codes < 0)).any():
        return ratings
    found = np.full((len(ratings), raters), np.nan)
    rows, slots = np.nonzero(given)
    found[rows, codes[rows, slots]] = ratings[rows, slots]
    return found


def _in_order(human: Floats, ids: RaterIds) -> tuple[Floats, RaterIds]:
    """Return the ratings of each response in the order of its raters' names, missing ratings last."""
    given = np.isfinite(human)
    by_name = np.argsort(np.argsort(np.array(ids.names, object))) if ids.names else np.empty(0, np.intp)
    rank = np.where(given & (ids.codes >= 0), np.append(by_name, 0)[ids.codes], len(ids.names))
    order = np.lexsort((human, rank, ~given), axis=1) if human.size else np.argsort(human, axis=1)
    place = order[:, : max(int(given.sum(axis=1).max(initial=0)), 1)]
    ratings = np.take_along_axis(human, place, axis=1)
    codes = np.where(np.isfinite(ratings), np.take_along_axis(ids.codes, place, axis=1), -1).astype(np.int32)
    times = None if ids.times is None else np.take_along_axis(ids.times, place, axis=1)
    return ratings, RaterIds(codes, ids.names, times)


def rating_results(scores: RatingTable, settings: Settings) -> tuple[TalliedScores, list[Table], dict[str, Any]]:
    """Compute everything in the report for ratings without engine scores, as fields of an evaluation."""
    sheet = RatingSheet.of(scores, settings)
    tallied, own = sheet.tallied, sheet.tallied.one_by_one
    everyone, estimates = _all_at_once(own), any_two(tallied)
    icc = _intraclass(own) if scores.scale.ordered else {}
    design, rows = (_crossed(sheet, icc), sheet.rater_rows()) if scores.scale.ordered else (None, None)
    needed = [] if design is None else [_needed(target, design) for target in TARGETS]
    differ = {grouping: _differ(sheet, grouping) for grouping in sheet.groups}
    by_ratings = dict(zip(*(each.tolist() for each in np.unique(sheet.counts, return_counts=True)), strict=True))
    tables: list[Table] = [
        composition(scores, by_ratings, Term("left_out_without_rating")),
        *exclusions(scores),
        *(group_sizes(tallied, name) for name in dict.fromkeys([*tallied.groups, *tallied.withheld.counted])),
        *withheld_log(tallied.withheld),
        *((intraclass_table(icc, engine=False),) if icc else ()),
        *(crossed_tables(design) if design else ()),
        *_needed_table(needed),
        *_pairs_table(sheet),
        _coefficients_table(everyone, len(sheet.names)),
        *raters_table(rows, tallied.min_n),
        *_distribution_table(sheet),
        *(_group_table(sheet, grouping, p) for grouping, p in differ.items()),
    ]
    facts = {
        **response_facts(scores, tallied),
        "responses_by_ratings": {str(ratings): n for ratings, n in by_ratings.items()},
        "ratings_given": int(sheet.given.sum()),
        "n_raters": len(sheet.names),
        "raters_named": bool(sheet.ids.names),
        **judging_facts(scores, tallied),
        "zeros": scores.zeros,
        "ratings_needed": needed,
        **_doubtful_raters(sheet),
        "raters_alone": 0 if rows is None else rows.alone,
        "raters_parts": 0 if rows is None else rows.parts,
        "raters_reason": "" if rows is None else rows.reason,
        "groups_differ_p": {grouping: p for grouping, p in differ.items() if np.isfinite(p)},
        "doubts": scores.doubts,
    }
    found = {KEYS[metric]: each for metric, each in estimates.items()}
    found |= {f"raters.{key}": each for key, each in everyone.items()} | reliability_numbers(icc, design)
    return tallied, tables, {
        "score_types": (), "raters": sheet.names, "facts": facts, "estimates": found, "kind": "raters",
        "statistics": tuple(_statistics(sheet, estimates)),
    }  # fmt: skip


def any_two(tallied: TalliedScores, grouping: str = OVERALL, level: int = 0) -> dict[str, Estimate]:
    """Return the agreement of any two ratings of a response, and the rater error variance.

    Every response counts once, with all pairs of its ratings in both orders, which is the agreement of interchangeable
    raters. For labels without an order, it is that of Fleiss (1971).
    """
    metrics = ANY_TWO if tallied.scale.ordered else OF_LABELS
    return {metric: tallied.headline(KEYS[metric], grouping, level) for metric in metrics}


def _all_at_once(own: TalliedScores) -> dict[str, Estimate]:
    without = {*(OWN_MARGINS if own.packed else ()), *(RANK_CORRELATIONS if len(own.raters) > 2 else ())}
    found = agreement_of(own, Term("all_raters"), tuple(range(len(own.raters)))).estimates
    return {key: each for key, each in found.items() if key not in without}


def _intraclass(own: TalliedScores) -> dict[str, Estimate]:
    """Return intraclass correlations by key, all six only if every rater rated at least two responses."""
    found = {} if own.packed else reliability.intraclass(own)
    return found if found and found["icc_1"].n >= 2 else {"icc_1": reliability.one_way(own)}


def _crossed(sheet: RatingSheet, icc: Mapping[str, Estimate]) -> reliability.CrossedDesign | None:
    if len(sheet.names) > rater_effects.MOST_RATERS:
        return None
    components = generalizability_of_raters(sheet.ratings, sheet.codes)
    rows = rater_effects.NamedRatings(sheet.ratings, components, sheet.units)
    return reliability.crossed(sheet.tallied.one_by_one, rows, icc.get("icc_a1"))


def _doubtful_raters(sheet: RatingSheet) -> dict[str, Any]:
    """Return the raters whose ratings are unrelated to the responses, and the agreement without them."""
    level, ordered = sheet.plan.level, sheet.plan.scale.ordered
    every = unlike_raters(sheet.ratings, sheet.codes, units=sheet.units, level=level) if ordered else ()
    found = [each for each in every if each.rater in sheet.shown_raters]
    rest = np.where(np.isin(sheet.codes, [each.rater for each in found]), np.nan, sheet.ratings)
    left, others = np.isfinite(rest).any(axis=1), None
    if found and left.any():
        plan = replace(sheet.plan, raters=tuple(map(str, range(rest.shape[1]))))
        units = None if sheet.units is None else sheet.units[left]
        others = any_two(_drawn(rest[left], plan, {}, units, packed=True))["qwk"]
    known = others is not None and others.defined
    return {
        "raters_doubted": [
            {"name": sheet.names[each.rater], "how": each.how, "n": each.n}
            | {key: value if np.isfinite(value) else None
               for key in ("r", "low", "high", "expected") for value in [float(getattr(each, key))]}
            | {"share": 100 * each.share}
            for each in found
        ],
        "qwk_without_doubted": [others.value, others.low, others.high, others.n] if others and known else None,
    }  # fmt: skip


def _needed(target: float, found: reliability.CrossedDesign) -> dict[str, Any]:
    """Return the number of ratings of a response for a target, by the Spearman-Brown formula; None if impossible.

    `ratings` is for the generalizability coefficient, which ignores severity, `absolute` for the index of dependability
    (Brennan 2001, section 4.1), which includes it. Both have a range from the interval for one rating.
    """
    relative, absolute = found.coefficient[0], found.dependability[0]
    singles = {
        "ratings": relative.value, "low": relative.high, "high": relative.low,
        "absolute": absolute.value, "absolute_low": absolute.high, "absolute_high": absolute.low,
    }  # fmt: skip
    return {"target": target} | {key: ratings_for(target, single) for key, single in singles.items()}


def ratings_for(target: float, single: float | None) -> int | None:
    """Return the number of ratings whose mean has the target reliability; None if impossible.

    >>> ratings_for(0.8, 0.5), ratings_for(0.9, 0.5), ratings_for(0.8, 0.85), ratings_for(0.8, 0.0)
    (4, 9, 1, None)
    """
    if single is None or not single > 0:
        return None
    if single >= target:
        return 1
    k = math.ceil(target * (1 - single) / ((1 - target) * single) - 1e-9)
    return k if k <= MOST_NEEDED else None


def _differ(sheet: RatingSheet, grouping: str) -> float:
    if sheet.tallied.by_candidate or not sheet.plan.scale.ordered:
        return math.nan
    large = (level for level in sheet.groups[grouping].values() if level.n >= sheet.plan.min_n_of(grouping))
    return of_one_variance(level.found["error_variance"] for level in large if level.found).p


def _statistics(sheet: RatingSheet, estimates: Mapping[str, Estimate]) -> Iterator[GroupStatistics]:
    overall = Level(np.asarray(sheet.counts > 0), len(sheet.ratings), estimates)
    for grouping, every in ({"": {"": overall}} | dict(sheet.groups)).items():
        levels = {label: level for label, level in every.items() if level.found}
        if not levels:
            continue
        rated = tuple(level.found["exact_agreement"].n for level in levels.values())
        counts = {"system": tuple(level.n for level in levels.values()), "human": rated, "multiple": rated}
        series = tuple(
            series_of(key, "", "multiple", [level.found[metric] for level in levels.values()], rated)
            for metric, key in KEYS.items()
            if metric in estimates
        )
        yield GroupStatistics(grouping, tuple(levels), counts, series)


def _pairs_table(sheet: RatingSheet) -> Iterator[Table]:
    """Yield the agreement and differences of every two raters with enough shared responses, up to `MOST_PAIRED`."""
    own, least = sheet.tallied.one_by_one, max(sheet.tallied.withheld.least, 1)
    if len(sheet.names) > rater_effects.MOST_PAIRED or own.packed:
        return
    ordered = own.scale.ordered
    keys = ("qwk", "r", "kappa", "exact_agreement", "adjacent_agreement") if ordered else OF_LABELS
    hidden = columns_of(hidden=("mean_difference", "sd_ratio"), mean_difference="difference", sd_ratio="coefficient")
    columns = (Column("pair"), count_column(), *(metric_column(key) for key in keys), *(hidden if ordered else ()))
    rows = []
    for one, other in itertools.combinations(sheet.shown_raters, 2):
        panel = agreement_of(own, f"{sheet.names[one]}, {sheet.names[other]}", (one, other))
        if panel.n < least:
            continue
        found = dict(panel.estimates)
        if ordered:
            found |= rater_effects.agreement(own, one, other) | rater_effects.compared(own, one, other)
            found["kappa"] = panel.estimates["kappa"]
        if ordered and own.points.continuous:
            found |= {key: undefined(found[key], NO_POINTS) for key in ("exact_agreement", "adjacent_agreement")}
        rows.append(Row((panel.name, panel.n, *(found[column.key] for column in columns[2:]))))
    if rows:
        yield table("raters.pairs", columns, rows)


def _coefficients_table(found: Mapping[str, Estimate], raters: int) -> Table:
    columns = (Column("coefficient"), count_column(), Column("value", kind="coefficient"))
    several, rows = raters > 2, []
    for key, each in found.items():
        name = Term(ALL_OF_THEM[key]) if several and key in ALL_OF_THEM else called(key)
        rows.append(Row((Term("in_percent", what=name) if each.kind == "percent" else name, each.n, each)))
    return table("raters.coefficients", columns, rows)


def _distribution_table(sheet: RatingSheet) -> Iterator[Table]:
    """Yield the share of ratings at every point of the scale, for each rater and for all."""
    scale, points = sheet.plan.scale, np.asarray(sheet.plan.scale.points())
    if not 0 < len(points) <= MOST_SHARES:
        return
    places = np.rint((sheet.ratings - scale.low) / scale.step)[sheet.given].astype(np.intp).clip(0, len(points) - 1)
    counts = np.zeros((len(sheet.names) + 1, len(points)))  # the last row is for unknown raters
    np.add.at(counts, (sheet.codes[sheet.given], places), 1)
    columns = (
        Column("rater"), count_column("n", ""),
        *(Column(f"point_{point(each)}", name, "percent", "%")
          for each, name in zip(points.tolist(), names_of(scale, points), strict=True)),
    )  # fmt: skip

    def shares(own: Floats) -> tuple[float, ...]:
        return (round(own.sum()), *(100 * own / own.sum()).tolist())

    rows = [Row((Term("all_raters"), *shares(counts.sum(axis=0))), "overall")]
    rows += [Row((name, *shares(counts[rater]))) for rater, name in sheet.shown_raters.items()]
    yield table("raters.distribution", columns, rows)


def _needed_table(found: Sequence[Mapping[str, Any]]) -> Iterator[Table]:
    columns = columns_of(target="text", ratings="count", range="text", absolute="count", absolute_range="text")
    rows = [
        Row((f"{each['target']:.2f}", each["ratings"], _range(each["low"], each["high"]), each["absolute"],
             _range(each["absolute_low"], each["absolute_high"])))
        for each in found
    ]  # fmt: skip
    if rows:
        yield table("reliability.needed", columns, rows)


def _range(low: int | None, high: int | None) -> Term | None:
    if low is None and high is None:
        return None
    return Term("first_to_last", first=low, last=high) if high is not None else Term("or_more", least=low)


def _group_table(sheet: RatingSheet, grouping: str, p: float) -> Table:
    """Return the ratings and the agreement of raters by group; labels without an order have no mean."""
    ordered, least = sheet.plan.scale.ordered, sheet.plan.min_n_of(grouping)
    means = np.where(sheet.given, sheet.ratings, 0.0).sum(axis=1) / sheet.counts
    keys = ("qwk", "exact_agreement", "error_variance") if ordered else OF_LABELS
    of_scores = columns_of(mean="score", sd="score") if ordered else ()
    columns = (Column("level", grouping), count_column(), *of_scores, *(metric_column(key) for key in keys))
    rows = []
    for label, (here, n, found) in sheet.groups[grouping].items():
        own = means[here]
        described = (float(own.mean()), float(own.std(ddof=1)) if n > 1 else None) if ordered else ()
        rows.append(Row((label, n, *described, *map(found.get, keys)), "insufficient" if n < least else ""))
    return table(f"raters.by.{grouping}", columns, rows, (Term("groups_tested", p=p),) if np.isfinite(p) else ())
