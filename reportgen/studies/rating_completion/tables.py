"""From experiments to the tables of the report."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.results import Column, Estimate, Kind, Row, Table
from reportgen.results.term import Term
from reportgen.studies.completion import METHODS, Completed
from reportgen.studies.rating_completion.experiments import SINGLE, Recovery
from reportgen.studies.rating_completion.own import OwnRatings

Floats = NDArray[np.float64]
LowRank = Sequence[tuple[int, list[tuple[float, float, float]]]]

RANDOM_LIMIT = 11**-0.5
"""Low-rank ratio of ever more independent whole scores from 1 to 5: root of variance 2 by twice the mean square 11."""


def _summary(values: Sequence[float], metric: str, kind: Kind = "score") -> Estimate:
    """Return the mean over draws with its t interval."""
    from scipy.special import stdtrit

    known = np.array([value for value in values if np.isfinite(value)])
    if not len(known):
        return Estimate(metric, None, 0, kind=kind, reason=Term("no_rating_predicted"))
    if len(known) < 2 or np.ptp(known) == 0:
        return Estimate(metric, float(known.mean()), len(known), kind=kind)
    half = float(stdtrit(len(known) - 1, 0.975) * known.std(ddof=1) / np.sqrt(len(known)))
    mean = float(known.mean())
    return Estimate(metric, mean, len(known), mean - half, mean + half, method="t over draws", kind=kind)


def recovery_table(key: str, found: Sequence[Recovery]) -> Table:
    """Return mean absolute error and tau-b of every method at every share of gaps."""
    rows = []
    for share in sorted({one.share for one in found}):
        for method in dict.fromkeys(one.method for one in found):
            own = [one for one in found if one.share == share and one.method == method]
            rows.append(Row((
                100 * share, Term(f"method.{method}"), _summary([one.error for one in own], "mae"),
                _summary([one.tau for one in own], "tau_b"),
            )))  # fmt: skip
    columns = (
        Column("missing", unit="%"), Column("method"), Column("error", kind="score"), Column("tau", kind="score"),
    )  # fmt: skip
    return Table(key, "", columns, tuple(rows), max_rows=60)


def filled_table(own: OwnRatings, filled: Completed) -> Table:
    """Return, for every rater, how many ratings were filled, and how uncertain they are."""
    rows = []
    for place, name in enumerate(own.names):
        gaps = filled.filled[:, place]
        error = float(np.sqrt((filled.errors[gaps, place] ** 2).mean())) if gaps.any() else None
        rows.append(Row((name, int((~gaps).sum()), int(gaps.sum()), error)))
    columns = (
        Column("rater"), Column("given", kind="count"), Column("filled", kind="count"), Column("error", kind="score"),
    )  # fmt: skip
    return Table("study.filled", "", columns, tuple(rows))


def decisions_table(found: Sequence[Recovery], key: str) -> Table:
    """Return the share of system pairs put in opposite order."""
    rows = []
    for share in sorted({one.share for one in found}):
        for method in (SINGLE, *METHODS):
            shares, errors = [], []
            for one in found:
                if one.share == share and (one.also or one.method == method):
                    error, opposite, pairs = one.also.get(method, (one.error, one.opposite, one.pairs))
                    shares.append(100 * opposite / max(pairs, 1))
                    errors.append(error)
            rows.append(
                Row(
                    (
                        100 * share,
                        Term(f"method.{method}"),
                        _summary(errors, "mae"),
                        _summary(shares, "opposite", "percent"),
                    )
                )
            )
    columns = (
        Column("missing", unit="%"), Column("method"), Column("error", kind="score"),
        Column("opposite", kind="percent", unit="%"),
    )  # fmt: skip
    return Table(key, "", columns, tuple(rows), max_rows=60)


def low_rank_table(found: LowRank, random_ratio: float, ratio: float) -> Table:
    """Return the low-rank ratio by kind and level of noise, of a random matrix and of judges: figure 1 of the paper."""
    rows = [
        Row((Term(f"noise.{strategy}"), level, mean, limit))
        for strategy, levels in found
        for level, mean, limit in levels
    ]
    levels = sorted({level for _, each in found for level, _, _ in each})
    rows += [Row((Term("noise.random_matrix"), level, random_ratio, RANDOM_LIMIT)) for level in levels]
    rows.append(Row((Term("simulated_judges"), None, ratio, None)))
    columns = (
        Column("noise"), Column("level", kind="score"), Column("ratio", kind="coefficient"),
        Column("limit", kind="coefficient"),
    )  # fmt: skip
    return Table("study.low_rank", "", columns, tuple(rows), max_rows=40)
