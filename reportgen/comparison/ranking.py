"""Which run is best on a metric: ranks by the differences of runs of the same responses and ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from reportgen.comparison.changes import Pair
from reportgen.metrics import METRICS
from reportgen.results import Column, Estimate, Row, Table
from reportgen.results.term import Term
from reportgen.runs import NumberPlace, Run

RANKED = ("system.qwk", "system.r", "system.rmse", "system.smd", "true_score.prmse", "system.kappa")
"""Statistics that runs are ranked by."""


MOST_RANKED = 10
"""Runs of the same responses that are ranked: each is compared with each."""


@dataclass(frozen=True)
class Standing:
    """How one run stands among runs of the same responses on one metric.

    Parameters
    ----------
    run, estimate
        Which run, and its number.
    rank
        1 more than the number of runs that are clearly better.
    beats
        How many runs it is clearly better than.
    """

    run: str
    estimate: Estimate
    rank: int
    beats: int


def standings(runs: Sequence[Run]) -> dict[str, list[Standing]]:
    """Return for every metric how runs of the same responses and ratings stand, the best first.

    One run is clearly better than another when `compare` says so: by the interval of their difference, which is
    paired where their scores can be read.  Intervals of the runs themselves overlap where a difference is clear.

    Parameters
    ----------
    runs
        Two or more of `sets_of_same_responses`, ten at most; of more, or of runs that were counted and cannot be
        compared with each other, nothing is returned.
    """
    if len(runs) > MOST_RANKED or (len(runs) > 2 and any(run.counted for run in runs)):
        return {}
    bare = [run.with_groups(()) for run in runs]
    pairs = {(old, new): Pair.of(bare[old], bare[new]) for old, new in combinations(range(len(runs)), 2)}
    found = {}
    for statistic in RANKED:
        own = [run.estimate(NumberPlace(statistic)) for run in runs]
        better = set()
        for (old, new), pair in pairs.items():
            change = pair.change(statistic)
            if change is not None and change.reading in ("better", "worse"):
                better.add((new, old) if change.reading == "better" else (old, new))
        standing = [
            Standing(
                run.name, estimate,
                1 + sum(worse == place for _, worse in better), sum(ahead == place for ahead, _ in better),
            )
            for place, (run, estimate) in enumerate(zip(runs, own, strict=True))
            if estimate is not None and estimate.defined
        ]  # fmt: skip
        direction = METRICS[statistic.split(".")[1]].better
        if standing:
            found[statistic] = sorted(standing, key=lambda each: (each.rank, _badness(each.estimate, direction)))
    return found


FAR_OUT = 3.0
"""Interquartile ranges below the lower quartile beyond which a value is far out (Tukey, 1977, outer fences)."""

LEAST_RUNS = 10
"""Runs from which there are quartiles to speak of."""


def far_below(estimates: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Return the runs that lie far below the others, the lowest first; of coefficients where more is better.

    A run is far below when its whole interval is under Tukey's outer fence, `FAR_OUT` interquartile ranges below the
    lower quartile of all; a number without an interval counts as a point. Of fewer than `LEAST_RUNS` none is.

    Examples
    --------
    >>> usual = {f"P{k}": Estimate("qwk", 0.70 + k / 100, 90) for k in range(10)}
    >>> far_below({**usual, "P98": Estimate("qwk", 0.3, 90, 0.2, 0.4), "P99": Estimate("qwk", 0.0, 90, -0.1, 0.1)})
    ('P99', 'P98')
    """
    values = {run: estimate.value for run, estimate in estimates.items() if estimate.value is not None}
    if len(values) < LEAST_RUNS:
        return ()
    lower, upper = np.quantile(list(values.values()), [0.25, 0.75])
    fence = lower - FAR_OUT * (upper - lower)
    found = [run for run in values if _highest(estimates[run]) < fence]
    return tuple(sorted(found, key=lambda run: values[run]))


def _highest(estimate: Estimate) -> float:
    """Return the upper end of an interval; the value without one."""
    return float((estimate.value or 0.0) if estimate.high is None else estimate.high)


def _badness(estimate: Estimate, better: str) -> float:
    """Return the value of an estimate on a scale where less is better."""
    value = estimate.value or 0.0
    return {"high": -value, "zero": abs(value)}.get(better, value)


def ranking_table(sets: Sequence[Sequence[Run]], key: str) -> Table:
    """Return the runs by rank, metric after metric.

    Parameters
    ----------
    sets
        Runs that scored the same responses, which alone are ranked among each other.
    """
    rows = [
        Row((number, Term(METRICS[statistic.split(".")[1]].key), each.rank, each.run, each.estimate, each.beats))
        for number, runs in enumerate(sets, start=1)
        for statistic, standing in standings(runs).items()
        for each in standing
    ]
    columns = (
        Column("set", kind="count", shown=len(sets) > 1),
        Column("metric"),
        Column("rank", kind="count"),
        Column("run"),
        Column("value", kind="coefficient"),
        Column("beats", kind="count"),
    )
    return Table(key, "", columns, tuple(rows), max_rows=1000)
