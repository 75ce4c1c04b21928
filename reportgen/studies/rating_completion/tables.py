"""From experiments to the tables of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.results import Column, Estimate, Kind, Row, Table
from reportgen.studies.completion import METHODS, Completed, low_rank_ratio
from reportgen.studies.rating_completion.corpora import NOISES
from reportgen.studies.rating_completion.experiments import SINGLE, Recovery
from reportgen.studies.rating_completion.own import OwnRatings

Floats = NDArray[np.float64]
LowRank = Sequence[tuple[int, list[tuple[float, float, float]]]]

PUBLISHED_SHARES = (0.1, 0.2, 0.3, 0.4)
PUBLISHED_MAE = {"nuclear": (0.65, 0.77, 0.94, 1.14), "mean": (0.79, 0.78, 0.78, 0.78),
                 "random": (1.47, 1.45, 1.44, 1.45)}  # fmt: skip
PUBLISHED_TAU = {"nuclear": (0.93, 0.88, 0.83, 0.78), "mean": (0.92, 0.87, 0.80, 0.72)}
PUBLISHED_OPPOSITE = {"nuclear": (3.66, 6.45, 9.24), "mean": (1.20, 2.10, 3.53)}
PUBLISHED_RATIO, PUBLISHED_SINGLE = 0.08, 0.755
"""Wisniewski (2013), tables 1 to 3 and section 4.1, by share of gaps."""

TOLERANCE = {"mae nuclear": 0.06, "mae mean": 0.03, "mae random": 0.05, "tau nuclear": 0.06, "tau mean": 0.06,
             "ratio": 0.03, "single": 0.03}  # fmt: skip
"""How near simulated judges, calibrated to the reported agreement alone, must come."""

LABELS = {**METHODS, SINGLE: "one rating each"}
STAND_IN = "stand-in"


def published_notes() -> list[str]:
    """Return why numbers differ from print."""
    return [
        "The paper's ratings are not at hand; the judges here are simulated, calibrated to the agreement it reports. "
        "Its numbers are therefore expected within a tolerance, not to the digit. The second corpus (TIDES) is "
        "described too briefly to be calibrated: its numbers are a stand-in, of which only the direction counts.",
        "The method called “pred” in the paper behaves as the smallest nuclear norm without centring: a response "
        "without any rating is sent to 0. Centring each rater, or a normal distribution, mends that, and both beat "
        "the mean at every share of gaps: the paper's negative finding is one of its method.",
    ]


def _summary(values: Sequence[float], metric: str, kind: Kind = "score") -> Estimate:
    """Return the mean over draws with its t interval."""
    from scipy.special import stdtrit

    known = np.array([value for value in values if np.isfinite(value)])
    if not len(known):
        return Estimate(metric, None, 0, kind=kind, reason="no rating is predicted")
    if len(known) < 2 or np.ptp(known) == 0:
        return Estimate(metric, float(known.mean()), len(known), kind=kind)
    half = float(stdtrit(len(known) - 1, 0.975) * known.std(ddof=1) / np.sqrt(len(known)))
    mean = float(known.mean())
    return Estimate(metric, mean, len(known), mean - half, mean + half, method="t over draws", kind=kind)


def recovery_table(key: str, what: str, found: Sequence[Recovery]) -> Table:
    """Return mean absolute error and tau-b of every method at every share of gaps."""
    rows = []
    for share in sorted({one.share for one in found}):
        for method in dict.fromkeys(one.method for one in found):
            own = [one for one in found if one.share == share and one.method == method]
            rows.append(Row((
                100 * share, LABELS[method], _summary([one.error for one in own], "mae"),
                _summary([one.tau for one in own], "tau_b"),
            )))  # fmt: skip
    columns = (
        Column("missing", "Missing", "text", "%"), Column("method", "Method"),
        Column("error", "Mean absolute error", "score"), Column("tau", "tau-b of rankings", "score"),
    )  # fmt: skip
    notes = ("Intervals: 95 %, over draws of the gaps. tau-b compares the ranking of responses by mean rating with "
             "that of the full ratings.",)  # fmt: skip
    return Table(key, f"Ratings recovered: {what}", columns, tuple(rows), notes, max_rows=60)


def filled_table(own: OwnRatings, filled: Completed) -> Table:
    """Return, for every rater, how many ratings were filled, and how uncertain they are."""
    rows = []
    for place, name in enumerate(own.names):
        gaps = filled.filled[:, place]
        error = float(np.sqrt((filled.errors[gaps, place] ** 2).mean())) if gaps.any() else None
        rows.append(Row((name, int((~gaps).sum()), int(gaps.sum()), error)))
    columns = (
        Column("rater", "Rater"), Column("given", "Given", "count"), Column("filled", "Filled", "count"),
        Column("error", "Error of a filled rating", "score"),
    )  # fmt: skip
    notes = ("Error: root mean square of the standard deviation of a rating given the others of its response, by the "
             "normal model.",)  # fmt: skip
    return Table("study.filled", "Ratings that were filled", columns, tuple(rows), notes)


def decisions_table(found: Sequence[Recovery], key: str, what: str) -> Table:
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
                Row((100 * share, LABELS[method], _summary(errors, "mae"), _summary(shares, "opposite", "percent")))
            )
    columns = (
        Column("missing", "Missing", "text", "%"), Column("method", "Method"),
        Column("error", "Mean absolute error", "score"), Column("opposite", "Pairs in opposite order", "percent", "%"),
    )  # fmt: skip
    notes = ("A pair of systems is in opposite order when the full ratings put the one first and these the other.",)
    return Table(key, f"Comparisons that come out differently: {what}", columns, tuple(rows), notes, max_rows=60)


def low_rank_table(found: LowRank, ratings: Floats) -> Table:
    """Return the low-rank ratio by kind and level of noise: figure 1 of the paper."""
    rows = [Row((NOISES[strategy], level, mean, limit)) for strategy, levels in found for level, mean, limit in levels]
    rows.append(Row(("simulated judges, two at a time", None, _ratio(ratings), None)))
    columns = (
        Column("noise", "Noise"), Column("level", "Level", "score"), Column("ratio", "Ratio", "coefficient"),
        Column("limit", "Limit", "coefficient"),
    )  # fmt: skip
    notes = ("Second singular value over the norm of the matrix; limit: with ever more responses. Independent whole "
             "scores from 1 to 5 have .30.",)  # fmt: skip
    return Table(
        "study.low_rank", "How near ratings are to a matrix of rank 1", columns, tuple(rows), notes, max_rows=40
    )


def _ratio(ratings: Floats) -> float:
    return float(np.mean([low_rank_ratio(ratings[:, list(pair)]) for pair in ((0, 1), (0, 2), (1, 2))]))


def published_table(three: Sequence[Recovery], sets: Sequence[Recovery], ratings: Floats) -> Table:
    """Return what the paper prints beside what is found here."""
    rows = [
        Row((place, what, printed, here, here - printed, _agrees(kind, printed, here)))
        for place, what, kind, printed, here in _compared(three, sets, ratings)
    ]
    columns = (
        Column("place", "Where"), Column("what", "What"), Column("published", "Published", "score"),
        Column("here", "Here", "score"), Column("difference", "Difference", "difference"), Column("agrees", "Repeated"),
    )  # fmt: skip
    notes = ("“yes” means within the tolerance for simulated judges: .03 to .06 by method.",)
    return Table("study.published", "Published and repeated numbers", columns, tuple(rows), notes, max_rows=60)


def _agrees(kind: str, printed: float, here: float) -> str:
    if kind == STAND_IN:
        return STAND_IN
    return "yes" if abs(printed - here) <= TOLERANCE[kind] else "no"


def _compared(
    three: Sequence[Recovery], sets: Sequence[Recovery], ratings: Floats
) -> Iterator[tuple[str, str, str, float, float]]:
    """Yield where a number is printed, what it is, its kind, its value and ours, for the shares that were run."""
    yield "section 4.1", "low-rank ratio of the judges", "ratio", PUBLISHED_RATIO, _ratio(ratings)
    single = float(np.mean([one.tau for one in three if one.method == SINGLE]))
    yield "section 3", "tau-b of one rating each with the mean of three", "single", PUBLISHED_SINGLE, single
    printed = (("table 1", "mae", "mean absolute error", PUBLISHED_MAE), ("table 2", "tau", "tau-b", PUBLISHED_TAU))
    for place, kind, what, numbers in printed:
        for method, values in numbers.items():
            for share, value in zip(PUBLISHED_SHARES, values, strict=True):
                own = [one for one in three if one.share == share and one.method == method]
                if own:
                    here = float(np.mean([one.error if kind == "mae" else one.tau for one in own]))
                    yield (
                        place,
                        f"{METHODS[method]}, {100 * share:g} % missing: {what}",
                        f"{kind} {method}",
                        value,
                        here,
                    )
    for method, percentages in PUBLISHED_OPPOSITE.items():
        for share, value in zip(PUBLISHED_SHARES, percentages, strict=False):
            shares = [100 * one.also[method][1] / one.also[method][2] for one in sets if one.share == share]
            if shares:
                what = f"{METHODS[method]}, {100 * share:g} % missing: pairs in opposite order (%)"
                yield "table 3", what, STAND_IN, value, float(np.mean(shares))
