"""The bootstrap on request: percentile intervals from resampled responses, or candidates where those are the units.

Each replicate draws as many units as there are, with replacement, and computes every statistic from
the sums of what it drew (Efron 1979).  The draws depend on the seed alone, so the same data give the
same intervals, and all groupings and forms of the score see the same draws.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from reportgen.evaluation.intervals import Ends, Numbers
from reportgen.evaluation.statistics import SUM_STATISTICS, sum_statistics
from reportgen.tally import ClusteredRows, Floats, Form, Sums, pilot_centre

METHOD_BOOTSTRAP = "percentile bootstrap of whole {units}, {replicates:,} replicates"

BLOCK_WEIGHTS = 1 << 22
"""Weights that are in memory at a time (32 MB)."""

MOST_UNDEFINED = 0.05
"""Where a statistic has no value in a larger share of the replicates, it has no interval."""

TOO_OFTEN_UNDEFINED = "too many resamples leave the statistic undefined"


class Resampling(NamedTuple):
    """How the bootstrap is done.

    rows: Family -> responses with their units.
    """

    rows: Mapping[str, ClusteredRows]
    replicates: int
    seed: int

    @property
    def method(self) -> str:
        """What estimates say of their intervals."""
        units = "clusters" if any(rows.by_candidate for rows in self.rows.values()) else "responses"
        return METHOD_BOOTSTRAP.format(units=units, replicates=self.replicates)

    def ends(
        self,
        family: str,
        grouping: str,
        form: Form,
        numbers: Mapping[str, Numbers],
        level: float,
        rater_error_variance: float | None,
    ) -> Iterator[tuple[str, Ends]]:
        """Return the percentile ends of every statistic of the sums that has an interval, by key.

        A statistic whose interval the jackknife refuses gets none here: resamples of scores that do
        not vary do not vary either, and a true-score variance that may be 0 is no better known.
        """
        drawn = self._statistics(self.rows[family], grouping, form, rater_error_variance)
        tails = [(1 - level) / 2, (1 + level) / 2]
        for key, values in drawn.items():
            defined = np.isfinite(values)
            enough = defined.mean(axis=0) >= 1 - MOST_UNDEFINED
            low, high = np.nanquantile(np.where(enough & defined, values, np.where(enough, np.nan, 0.0)), tails, axis=0)
            where = np.isfinite(numbers[key].low) & (numbers[key].error > 0)
            low, high = (np.where(enough, end, np.nan) for end in (low, high))
            yield key, Ends(where, low, high, self.method, TOO_OFTEN_UNDEFINED)

    def _statistics(
        self, rows: ClusteredRows, grouping: str, form: Form, rater_error_variance: float | None
    ) -> dict[str, Floats]:
        """Return (replicates, levels) values of every statistic."""
        whole = rows.features(form)[2]
        level, cluster, own = rows.features(form, grouping)
        levels = len(rows.tally.slices[grouping].labels)
        starts = np.searchsorted(level, np.arange(levels + 1))
        compute, centre = sum_statistics(rater_error_variance), pilot_centre(rows.tally)
        made: dict[str, list[Floats]] = defaultdict(list)
        for weights in self._weights(len(whole)):
            every = weights @ whole
            sums = np.stack([weights[:, cluster[a:b]] @ own[a:b] for a, b in itertools.pairwise(starts)], axis=1)
            with np.errstate(all="ignore"):
                found = compute(Sums.of(sums, centre), Sums.of(every[:, None, :], centre))
            for key in SUM_STATISTICS:
                made[key].append(np.broadcast_to(found[key], sums.shape[:2]))
        return {key: np.concatenate(values) for key, values in made.items()}

    def _weights(self, units: int) -> Iterator[Floats]:
        """Return how often each unit is drawn, a block of replicates at a time; the blocks do not change the draws."""
        block = max(1, BLOCK_WEIGHTS // max(units, 1))
        for start in range(0, self.replicates, block):
            stop = min(start + block, self.replicates)
            weights = np.empty((stop - start, units))
            for index in range(start, stop):
                rng = np.random.default_rng([self.seed, index])
                weights[index - start] = np.bincount(rng.integers(0, units, units), minlength=units)
            yield weights
