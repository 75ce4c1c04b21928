"""Bootstrap percentile intervals from resampled responses, or test takers if these are the units.

Each replicate draws as many units as there are, with replacement, and computes every statistic from their sums (Efron
1979). The draws depend only on the seed, so the same data have the same intervals, and all groupings and forms of the
score use the same draws.
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

BLOCK_WEIGHTS = 1 << 22  # weights in memory at a time (32 MB)

MOST_UNDEFINED = 0.05  # largest share of replicates without a value for which a statistic has an interval

TOO_OFTEN_UNDEFINED = "too many resamples leave the statistic undefined"


class Resampling(NamedTuple):
    """Settings of the bootstrap, and responses with their units by family (`rows`)."""

    rows: Mapping[str, ClusteredRows]
    replicates: int
    seed: int

    @property
    def method(self) -> str:
        """The name of the interval method in estimates."""
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
        """Yield the percentile ends of every statistic of sums that has an interval, by key.

        A statistic without a jackknife interval has none here either, because resamples of constant scores are
        constant, and a true-score variance near 0 is equally uncertain.
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
        """Yield how often each unit is drawn, in blocks of replicates; the block size does not change the draws."""
        block = max(1, BLOCK_WEIGHTS // max(units, 1))
        for start in range(0, self.replicates, block):
            stop = min(start + block, self.replicates)
            weights = np.empty((stop - start, units))
            for index in range(start, stop):
                rng = np.random.default_rng([self.seed, index])
                weights[index - start] = np.bincount(rng.integers(0, units, units), minlength=units)
            yield weights
