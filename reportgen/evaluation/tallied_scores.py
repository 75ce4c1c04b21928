"""Tallies of one system's scores, the forms of its score, and their estimates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.contingency import CATEGORY_KEYS, Crossing, middle_of
from reportgen.evaluation.counting import ScoreCounter, ScoreCounts, refuse_costly_groups
from reportgen.evaluation.estimates import NO_FIRST_RATER, OF_A_FIRST_RATER, SliceEstimates, estimate_slices
from reportgen.evaluation.intervals import Resampling
from reportgen.evaluation.points import RESCALED, Grid, Points, Preparation, in_whole_points, rounding_on
from reportgen.evaluation.statistics import DISCRETE_METRICS, METHOD, METHOD_CLUSTERED, RestsOn
from reportgen.evaluation.suppression import Suppression, withheld_groups
from reportgen.metrics.calibrated_means import ClusterProducts
from reportgen.results import Estimate, Scale, ScoreType
from reportgen.scores import Account
from reportgen.scores.accounting import rescaling_of
from reportgen.scores.scale import trim_bounds, trim_tolerance
from reportgen.scores.table import SampleWeights
from reportgen.settings import Settings
from reportgen.tally import Moments, moments
from reportgen.tally.cells import AS_GIVEN, OVERALL, ROUNDED, TRIMMED, Form, LevelSums, Tally, as_written, formed_scores
from reportgen.tally.clusters import Block, ClusteredRows
from reportgen.tally.contingency_tables import MOST_POINTS
from reportgen.tally.joint import Features, JointNumbers, JointStatistics, joint
from reportgen.tally.kernel import Groups, WeightedRatings, counted_ratings
from reportgen.tally.raters import SampledRaters
from reportgen.tally.sums import Floats


class ScoreForm(NamedTuple):
    """One score type: its tally, and its form."""

    type: ScoreType
    family: str
    form: Form


RATERS_NESTED = "no rater rated two of the groups, so that a difference may be the raters' as well as the engine's"

DRAWN_RATINGS = ("one rating", "another rating")  # names of the ratings drawn from a response, in tables


SampleSizes = Mapping[str, LevelSums]
"""By grouping and level, the numbers of responses with a score, with those of the first two raters, of any two, and of
exactly 2, 3, ... raters."""


class PrimaryScores(NamedTuple):
    """The primary scores by response, or by counted row.

    system, human: (n,) engine scores; (n, raters) ratings.
    units (n,): code of the test taker or response; None if each row is a separate response.
    weights (n,): weight of each row; None if each is a response.
    by_candidate: whether the units are test takers.
    """

    system: Floats
    human: Floats
    units: NDArray[np.integer] | None = None
    weights: Floats | None = None
    by_candidate: bool = False

    def of(self, counted: WeightedRatings | None) -> PrimaryScores:
        """Return the scores of the counted rows, by default the same."""
        if counted is None:
            return self
        place = counted.response
        units = place if self.units is None else self.units[place]
        return PrimaryScores(self.system[place], counted.ratings, units, counted.weight, self.by_candidate)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Settings for counting and evaluating the scores of one system.

    min_n_by_group: smallest tested group by group column, if it differs from `min_n`.
    """

    raters: tuple[str, ...]
    scale: Scale
    preparation: Preparation
    level: float = 0.95
    min_n: int = 10
    min_n_by_group: Mapping[str, int] = field(default_factory=dict)
    rater_error_variance: float | None = None
    withhold: bool = False  # whether to exclude groups of fewer than `min_n` responses, and numbers that reveal them

    def min_n_of(self, grouping: str) -> int:
        """Return the number of responses that a group of a column needs to be tested."""
        return self.min_n_by_group.get(grouping, self.min_n)

    def worst_errors(self, form: Form) -> tuple[float, float] | None:
        """Return the largest differences of a score in one form, and of a second rating, from the first."""
        if not form.trimmed:
            return None
        bounds, scale = np.array(self.preparation.bounds), self.scale
        low, high = self.preparation.rounding.nearest(bounds) if form.rounded else bounds
        return max(high - scale.low, scale.high - low), scale.high - scale.low


@dataclass(frozen=True, kw_only=True)
class TalliedScores(Plan):
    """One system's scores, counted once; estimates are computed when needed and cached.

    groups: column names, without groupings whose levels are all withheld.
    rows: responses with their test takers by family, if some test taker has multiple responses.
    scores: the primary engine scores and the ratings of every response, with its test taker if these are the units;
        None if responses were counted in batches.
    counted: rows counted instead of responses: drawn ratings, or rows with sampling weights.
    sample: numbers of responses, if they have sampling weights.
    apart: the same responses with a column for each rater, for statistics of single raters.
    packed: whether a column contains ratings of many raters, who are then not distinguished.
    raters_drawn: the raters by family, if they are a sample.
    withheld: withheld levels, which the tallies exclude.
    resampling: the bootstrap, if requested.
    candidates: the counted responses by test taker, instead of those in `scores`.
    """

    tallies: Mapping[str, Tally]
    forms: tuple[ScoreForm, ...]
    groups: tuple[str, ...]
    withheld: Suppression
    counts: ScoreCounts = field(default_factory=lambda: ScoreCounts({}, {}), repr=False)
    rows: Mapping[str, ClusteredRows] = field(default_factory=dict)
    scores: PrimaryScores | None = field(default=None, repr=False)
    resampling: Resampling | None = field(default=None, repr=False)
    candidates: Candidates | None = field(default=None, repr=False)
    counted: WeightedRatings | None = field(default=None, repr=False)
    sample: SampleSizes | None = None
    apart: TalliedScores | None = field(default=None, repr=False)
    packed: bool = False
    raters_drawn: Mapping[str, SampledRaters] = field(default_factory=dict, repr=False)
    _made: dict[tuple[str, str], SliceEstimates] = field(default_factory=dict)

    @property
    def one_by_one(self) -> TalliedScores:
        """The same responses with a column for each rater, for statistics of single raters."""
        return self.apart or self

    @property
    def drawn(self) -> bool:
        """Whether raters are interchangeable, and ratings of a response are drawn."""
        return self.counted is not None and self.counted.drawn

    @cached_property
    def nested_raters(self) -> frozenset[str]:
        """Groupings whose levels share no rater, if raters are a sample."""
        sampled = self.raters_drawn.get(self.primary.family)
        levels = {name: len(self.tally.slices[name].labels) for name in self.groups}
        return frozenset(name for name, n in levels.items() if sampled and n > 1 and not sampled.crossed(name))

    @property
    def by_candidate(self) -> bool:
        """Whether test takers, not responses, are the units of intervals."""
        return any(rows.by_candidate for rows in self.rows.values())

    @property
    def method(self) -> str:
        """The method of most intervals."""
        return METHOD_CLUSTERED if self.by_candidate else METHOD

    @property
    def primary(self) -> ScoreForm:
        """The trimmed score of headline numbers: rescaled if scores were rescaled."""
        return self.forms[-2]

    @property
    def primary_rounded(self) -> ScoreForm:
        """The trimmed and rounded form of `primary`."""
        return self.forms[-1]

    def form_of(self, key: str) -> ScoreForm:
        """Return the form of the primary score for a statistic, which is rounded if points must match."""
        return self.primary_rounded if key.partition(".")[2] in DISCRETE_METRICS else self.primary

    def headline(self, key: str, grouping: str = OVERALL, level: int = 0) -> Estimate:
        """Return a statistic of one level, for its form of the primary score."""
        return self.estimates(self.form_of(key), grouping).estimate(key, level)

    @property
    def tally(self) -> Tally:
        """The tally of the primary score."""
        return self.tallies[self.primary.family]

    @cached_property
    def points(self) -> Points:
        """The primary scores on the points of their scale, or in bands of a continuous one."""
        grid, in_steps = Grid.of(self.scale, self.preparation), self.counts.points
        if in_whole_points(self.scale):
            return grid.points(self.tally, self.rows.get(self.primary.family), self.scale)
        assert in_steps is not None
        return grid.points(in_steps, self._rows_in_steps(in_steps, grid), self.scale)

    def _rows_in_steps(self, tally: Tally, grid: Grid) -> ClusteredRows | None:
        """Return the responses in steps of their scale with their test takers, if these are the units."""
        if self.candidates is not None:
            return self.candidates.steps if self.rows else None
        own = self.scores and self.scores.of(self.counted)
        if own is None or own.units is None:
            return None
        scores = grid.steps(own.system), grid.ratings(own.human)
        return ClusteredRows.of(tally, *scores, {}, own.units, own.weights, by_candidate=self.by_candidate)

    def estimates(self, score: ScoreForm, grouping: str = OVERALL) -> SliceEstimates:
        """Return every statistic of every level of a grouping, for one score type."""
        key = (score.type.key, grouping)
        if key not in self._made:
            tally, rows, form = self.tallies[score.family], self.rows.get(score.family), score.form
            level, known = self.level, self.rater_error_variance
            made = estimate_slices(
                tally, grouping, form, level, known, rows, self.worst_errors(form),
                raters=self.raters_drawn.get(score.family),
            )  # fmt: skip
            numbers = made.numbers
            if self.resampling is not None:
                ends = self.resampling.ends(score.family, grouping, form, numbers)
                numbers = numbers | {name: numbers[name].with_ends(each) for name, each in ends}
            hidden = {kind: levels.get(grouping, frozenset()) for kind, levels in self.withheld.twice.items()}
            few = frozenset(label for label, _ in self.withheld.cells.get(grouping, ()))
            if (crossing := self._in_two(score, grouping)) is not None:
                numbers = numbers | crossing.numbers(CATEGORY_KEYS, self.level)
            made = replace(made, numbers=numbers, withheld=hidden, few=few)
            if self.sample is not None:
                made = made.counting(self.sample[grouping], error_known=known is not None)
            if self.drawn:  # the expected difference of two random ratings is 0
                made = made.without({each: NO_FIRST_RATER for each in OF_A_FIRST_RATER if each in numbers})
            if grouping in self.nested_raters:
                made = made.without(dict.fromkeys(("system.dsm", "human.dsm", "human.dsm_rsmtool"), RATERS_NESTED))
            self._made[key] = made if self.preparation.rounding.points else made.on_continuous_scale()
        return self._made[key]

    def _in_two(self, score: ScoreForm, grouping: str) -> Crossing | None:
        """Return scores by category for a scale of two points; by group only if both are consecutive integers."""
        middle = middle_of(self.scale)
        if middle is None:
            return None
        if in_whole_points(self.scale):
            rows = self.rows.get(score.family)
            return Crossing.in_two(self.tallies[score.family], grouping, score.form, middle, rows)
        return Crossing.in_steps(self.points, middle) if grouping == OVERALL and score.form.trimmed else None

    def moments(self, score: ScoreForm, grouping: str = OVERALL) -> Moments:
        """Return the moments of every level, by unit; sums over withheld double-scored responses are nan."""
        tally, rows = self.tallies[score.family], self.rows.get(score.family)
        found = moments(tally, grouping, score.form) if rows is None else rows.moments(grouping, score.form)
        labels, hides = list(enumerate(found.labels)), self.withheld.hides
        kinds = self.withheld.twice
        return found.without({kind: [at for at, label in labels if hides(grouping, label, kind)] for kind in kinds})

    def joint(
        self, score: ScoreForm, features: Features, statistics: JointStatistics, *, rests_on: str,
        grouping: str = OVERALL,
    ) -> dict[str, JointNumbers]:  # fmt: skip
        """Return statistics of other sums (see `reportgen.tally.joint`), of all responses or of all levels jointly."""
        tally, rows = self.tallies[score.family], self.rows.get(score.family)

        def of(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
            return statistics(sums if grouping else {name: each[..., 0] for name, each in sums.items()}, centre)

        return joint(tally, grouping, score.form, features, of, rests_on=rests_on, rows=rows)

    def level_order(self, grouping: str, rests_on: RestsOn = "system") -> list[int]:
        """Return the shown levels of a grouping, largest first; `rests_on` are the responses of the numbers to show."""
        slices, hides = self.tally.slices[grouping], self.withheld.hides
        sizes, labels = slices.sizes, slices.labels
        shown = [level for level, label in enumerate(labels) if not hides(grouping, label, rests_on)]
        return sorted(shown, key=lambda level: (-sizes[level], labels[level]))

    def whole_points(self) -> tuple[float, ...]:
        """Return every point of the scale for agreement tables; if more than `MOST_POINTS`, none."""
        rounding = self.preparation.rounding
        low, high = (round((end - rounding.start) / rounding.step, 6) for end in (self.scale.low, self.scale.high))
        if high - low > MOST_POINTS:
            return ()
        steps = np.arange(int(np.ceil(low)), int(np.floor(high)) + 1)
        return tuple(as_written(rounding.start + rounding.step * steps).tolist())


def plan_of(raters: tuple[str, ...], scale: Scale, settings: Settings, preparation: Preparation) -> Plan:
    """Return the plan for counting and evaluating scores with some settings."""
    statistics = settings.statistics
    return Plan(
        raters=raters,
        scale=scale,
        preparation=preparation,
        level=statistics.confidence_level,
        min_n=statistics.min_n_per_group,
        min_n_by_group=statistics.min_n_by_group,
        rater_error_variance=statistics.rater_error_variance,
        withhold=settings.privacy.withhold_small_groups,
    )


def preparation_of(scores: Account) -> Preparation:
    """Return the preparation of the system scores of a table."""
    trim, rounding = (scores.trim_min, scores.trim_max), rounding_on(scores.scale, as_rsmtool=scores.as_rsmtool)
    training = astuple(scores.training) if scores.training else None
    return Preparation(trim, scores.trim_tolerance, training, scores.rescaling == "asis", rounding)


def prepared(settings: Settings, scale: Scale) -> Preparation:
    """Return the preparation of system scores on a scale with some settings."""
    rescaling, training = rescaling_of(settings)
    moments = astuple(training) if training else None
    trim, tolerance = trim_bounds(settings.preparation, scale), trim_tolerance(settings, scale)
    rounding = rounding_on(scale, as_rsmtool=settings.rsmeval is not None)
    return Preparation(trim, tolerance, moments, rescaling == "asis", rounding)


def tally_scores(
    system: Floats, human: Floats, groups: Groups, plan: Plan, *, candidates: NDArray[np.integer] | None = None,
    bootstrap: tuple[int, int] | None = None, all_items: NDArray[np.bool_] | None = None,
    items: tuple[NDArray[np.integer], Sequence[str]] | None = None, interchangeable: bool = False,
    packed: bool = False, ratings_alone: Floats | None = None, weights: SampleWeights | None = None,
    unscored: Floats | None = None, raters: NDArray[np.integer] | None = None,
) -> TalliedScores:  # fmt: skip
    """Count the scores of one system, all families in one pass.

    candidates: code of each response's test taker, which is then the unit of intervals.
    bootstrap: replicates and seed of a bootstrap.
    all_items (n,): whether a response has the scores of all other items, for reported scores.
    items: code of each response's item and the item of each code, if known.
    interchangeable: whether no column of `human` is the score of record (see `reportgen.tally.kernel`).
    packed: whether a column of `human` contains ratings of many raters.
    ratings_alone (m, raters): two or more ratings of responses without a system score, for the rater error.
    weights: sampling weights of the responses.
    unscored (m,): scores of responses that only the engine scored.
    raters: code of the rater of each rating, -1 if unknown, if raters are a sample.
    """
    counted = counted_ratings(human, interchangeable=interchangeable, weights=weights)
    apart, preparation = None, plan.preparation
    if interchangeable:
        of_columns = replace(plan, min_n_by_group={}, rater_error_variance=None, withhold=False)
        apart = tally_scores(system, human, {}, of_columns, candidates=candidates, packed=packed, weights=weights)
        plan = replace(plan, raters=DRAWN_RATINGS[: int(np.isfinite(human).sum(axis=1).max(initial=1))])
    counter = ScoreCounter(plan.scale, preparation, plan.withhold)
    counter.add(system, human, groups, all_items, counted)
    if items is not None:
        counter.add_items(system, human, items, len(items[1]), counted)
    if ratings_alone is not None:
        counter.add_ratings_alone(ratings_alone, drawn=interchangeable)
    if unscored is not None:
        counter.add_unscored(unscored)
    found = of_counts(counter.counts(), plan)
    clustered = candidates is not None and len(np.unique(candidates)) < len(candidates)
    scores = PrimaryScores(system, human, candidates if clustered else None, by_candidate=clustered)
    own, own_groups = scores.of(counted), groups
    families = preparation.families(own.system)
    groups = {name: groups[name] for name in found.groups}
    sample = None if weights is None else sample_sizes(human, groups)
    if counted is not None:
        groups = {name: (codes[counted.response], labels) for name, (codes, labels) in groups.items()}

    of = {"by_candidate": clustered, "of_sample": weights is not None}

    def rows_of(codes: NDArray[np.integer]) -> dict[str, ClusteredRows]:
        return {
            name: ClusteredRows.of(tally, families[name], own.human, groups, codes, own.weights, **of)
            for name, tally in found.tallies.items()
        }

    rows, resampling = {} if own.units is None else rows_of(own.units), None
    if bootstrap is not None:
        every_row = rows or rows_of(np.arange(len(own.system)))
        resampling = Resampling(every_row, plan.level, plan.rater_error_variance, *bootstrap)
    if raters is not None:
        every, units = preparation.families(system), np.arange(len(system)) if scores.units is None else scores.units
        sampled = {
            name: SampledRaters.of(tally, every[name], human, raters, own_groups, units, weights, drawn=interchangeable)
            for name, tally in found.tallies.items()
        }
        found = replace(found, raters_drawn=sampled)
    scores = scores._replace(system=preparation.families(system)[found.primary.family])
    return replace(
        found, rows=rows, scores=scores, resampling=resampling, counted=counted, sample=sample, apart=apart,
        packed=packed,
    )  # fmt: skip


def sample_sizes(human: Floats, groups: Groups) -> SampleSizes:
    """Return the unweighted number of responses of each level of a grouping."""
    given = np.isfinite(human).sum(axis=1)
    both = np.isfinite(human[:, :2]).all(axis=1) & (given > 1)
    exactly = [given == count for count in range(2, human.shape[1] + 1)]
    marks = [each.astype(np.float64) for each in (given > 0, both, given > 1, *exactly)]
    everyone: Groups = {OVERALL: (np.zeros(len(human), np.intp), ("",))}
    return {name: LevelSums.of(codes, labels, marks) for name, (codes, labels) in {**everyone, **groups}.items()}


def of_counts(counts: ScoreCounts, plan: Plan) -> TalliedScores:
    """Return counted scores, without everything that requires rows."""
    least, tally = plan.min_n if plan.withhold else 0, counts.tallies[counts.primary]
    refuse_costly_groups({name: each.sizes for name, each in tally.slices.items() if name != OVERALL}, least)
    hidden = Suppression(least)
    if plan.withhold and len(tally.slices) > 1:
        assert counts.combinations is not None
        hidden = withheld_groups(counts.combinations, least, tally)
    tallies = {name: each.without(hidden.levels) for name, each in counts.tallies.items()}
    forms = tuple(form for name in tallies for form in forms_of(name, counts.on_scale[name], len(tallies) > 1))
    groups = tuple(name for name in tallies[counts.primary].slices if name != OVERALL)
    kept = counts._replace(tallies={}, combinations=None)
    return TalliedScores(**vars(plan), tallies=tallies, forms=forms, groups=groups, counts=kept, withheld=hidden)


def forms_of(family: str, discrete: bool, both: bool = False) -> list[ScoreForm]:
    """Return the three score types of a family."""
    start = ("Rescaled" if family == RESCALED else "As given") if both else "As given"
    behind = f"{start}, trimmed" if both else "Trimmed"
    return [
        ScoreForm(ScoreType(family, start, continuous=not discrete), family, AS_GIVEN),
        ScoreForm(ScoreType(f"{family}_trim", behind, continuous=not discrete), family, TRIMMED),
        ScoreForm(ScoreType(f"{family}_trim_round", f"{behind} and rounded", continuous=False), family, ROUNDED),
    ]


class AloneBlock(NamedTuple):
    """Whole test takers, with the responses that only the engine scored.

    candidates: number of test takers; those without human scores come last.
    cluster, cell, u (m,): test taker, cell, and score minus rounded score of each response that only the engine scored.
    """

    scored: Block
    candidates: int
    cluster: NDArray[np.integer]
    cell: NDArray[np.integer]
    u: Floats


class Candidates(NamedTuple):
    """Responses by test taker.

    blocks: all responses: the primary family's, and the responses that only the engine scored.
    """

    rows: Mapping[str, ClusteredRows]  # responses with their test takers by family of scores
    steps: ClusteredRows | None  # the same, in steps of the scale; None if its points are integers
    n: int
    clustered: bool
    blocks: Callable[[], Iterator[AloneBlock]]

    def products(self, scored: Tally, alone: Tally, means: tuple[float, float, float]) -> ClusterProducts:
        """Return the contributions of test takers to the variance of a calibrated mean.

        scored, alone: tallies of the responses with human scores, and of those that only the engine scored.
        means: of human and engine scores of the former, and of engine scores of the latter, all trimmed.
        """
        ours, theirs = formed_scores(scored, TRIMMED), formed_scores(alone, TRIMMED)
        human, engine, other = means
        products, everyone = np.zeros((2, 2)), 0
        for block in self.blocks():
            cell, u, size = block.scored.cell, block.scored.u, block.candidates
            of_row = block.scored.of_row
            h = np.bincount(of_row, scored.cells.ratings[cell, 0] - human, size) / scored.n
            m = np.bincount(of_row, ours.alpha[cell] + ours.beta[cell] * u - engine, size) / scored.n
            o = theirs.alpha[block.cell] + theirs.beta[block.cell] * block.u - other
            part = np.stack([h, np.bincount(block.cluster, o, size) / alone.n - m])
            products += part @ part.T
            everyone += size
        return ClusterProducts(products, everyone, self.n)
