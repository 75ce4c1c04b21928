"""The numbers of Wisniewski (2013) beside ours: two judges at a time, as in the paper, and all three together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.metrics import cohen_kappa, fleiss_kappa, kendall_tau_b
from reportgen.results import Column, Kind, Row, Table
from reportgen.results.term import Term
from reportgen.studies.completion import low_rank_ratio
from reportgen.studies.completion.decisions import different_orders, one_rating_each
from reportgen.studies.printed import in_table, of_what
from reportgen.studies.rating_completion import published
from reportgen.studies.rating_completion.corpora import PAIRS, SCALE, tides_like
from reportgen.studies.rating_completion.experiments import SINGLE, Recovery

Floats = NDArray[np.float64]
Pair = tuple[Term, Term, float, float, float | None]
"""Where a number is printed, what it is, the number, ours of two judges at a time, ours of three together."""

POINTS = range(SCALE[0], SCALE[1] + 1)


class Recovered:
    """Means over draws of what was recovered.

    Parameters
    ----------
    pairs, three
        Completions of two judges at a time, and of all three together.
    sets
        Completions of the second corpus.
    """

    def __init__(self, pairs: Sequence[Recovery], three: Sequence[Recovery], sets: Sequence[Recovery]) -> None:
        self.found = {"pairs": pairs, "three": three}
        self.sets = sets

    @property
    def whole(self) -> bool:
        """Whether every share of the paper was drawn."""
        return {one.share for one in self.found["pairs"]} >= set(published.SHARES)

    def of(self, design: str, what: Literal["error", "tau"], method: str, share: float) -> float | None:
        """Return the mean error or tau-b of a method at a share of gaps; None where it was not drawn."""
        drawn = [getattr(one, what) for one in self.found[design] if one.share == share and one.method == method]
        return float(np.mean(drawn)) if drawn else None

    def single(self, design: str) -> float:
        """Return the mean tau-b of one rating each with the mean of all."""
        return float(np.mean([one.tau for one in self.found[design] if one.method == SINGLE]))

    def error_of_sets(self, method: str, share: float) -> float | None:
        """Return the mean error of a method on the second corpus."""
        drawn = [one.also[method][0] for one in self.sets if one.share == share]
        return float(np.mean(drawn)) if drawn else None

    def turned(self, method: str, share: float) -> float | None:
        """Return the percentage of comparisons of the second corpus that come out differently."""
        drawn = [100 * one.also[method][1] / one.also[method][2] for one in self.sets if one.share == share]
        return float(np.mean(drawn)) if drawn else None


def beside_tables(found: Recovered) -> list[Table]:
    """Return the paper's tables 1 to 3, every number beside ours, the largest gap first."""
    return [
        _table("error", "score", [*_of_first("error", "mae", "1", published.MAE, found), *_errors_of_sets(found)]),
        _table("tau", "score", [*_of_first("tau", "tau", "2", published.TAU, found)]),
        _table("opposite", "percent", [*_turned(found)]),
    ]


def _of_first(
    what: Literal["error", "tau"], word: str, table: str, numbers: Mapping[str, Sequence[float]], found: Recovered
) -> Iterator[Pair]:
    """Yield the numbers of the first corpus."""
    for method, values in numbers.items():
        for share, value in zip(published.SHARES, values, strict=True):
            here = found.of("pairs", what, method, share)
            if here is not None:
                yield in_table(table), _named(method, share, word), value, here, found.of("three", what, method, share)


def _errors_of_sets(found: Recovered) -> Iterator[Pair]:
    """Yield the errors on the second corpus."""
    for method, values in published.MAE_TIDES.items():
        for share, value in zip(published.SHARES, values, strict=False):
            here = found.error_of_sets(method, share)
            if here is not None:
                yield in_table("1"), _named(method, share, "mae_tides"), value, here, None


def _turned(found: Recovered) -> Iterator[Pair]:
    """Yield how often comparisons come out differently."""
    for method, values in published.OPPOSITE.items():
        for share, value in zip(published.SHARES, values, strict=False):
            here = found.turned(method, share)
            if here is not None:
                yield in_table("3"), _named(method, share, "opposite"), value, here, None


def _named(method: str, share: float, what: str) -> Term:
    """Return what a published number is: of which method, at which share of missing ratings."""
    return of_what(Term("method_at", method=Term(f"method.{method}"), missing=100 * share), what)


def _table(key: str, kind: Kind, pairs: Sequence[Pair]) -> Table:
    """Return the numbers of one measure, sorted by the size of the difference."""
    rows = [
        Row((place, what, value, here, here - value, here / value, three))
        for place, what, value, here, three in sorted(pairs, key=lambda pair: -abs(pair[3] - pair[2]))
    ]
    columns = [
        Column("place"), Column("what"), Column("published", kind=kind), Column("here", kind=kind),
        Column("difference", kind="difference"), Column("ratio", kind="coefficient"),
    ]  # fmt: skip
    if any(pair[4] is not None for pair in pairs):
        columns.append(Column("three", kind=kind))
    else:
        rows = [Row(row.cells[:-1]) for row in rows]
    return Table(f"study.published.{key}", "", tuple(columns), tuple(rows), max_rows=40)


def corpora_table(ratings: Floats, found: Recovered, rng: np.random.Generator) -> Table:
    """Return what the paper reports of its ratings beside the simulated judges: how near the stand-in comes."""
    pairs = [ratings[:, list(pair)] for pair in PAIRS]
    kappas = [float(cohen_kappa(*pair.T, categories=POINTS, weights="linear").value) for pair in pairs]
    taus = [float(kendall_tau_b(pair[:, 0], pair[:, 1])) for pair in pairs]
    rows = [
        _row("kappa_judges", published.KAPPA, kappas),
        _row("fleiss", [published.FLEISS], [float(fleiss_kappa(ratings, categories=POINTS).value)]),
        _row("tau_judges", published.TAU_JUDGES, taus),
        _row("single", published.SINGLE, [found.single("three")], "number"),
        _row("ratio", [published.RATIO], [mean_ratio(ratings)]),
        *_of_sets(tides_like(rng), rng),
    ]
    return Table("study.corpora", "", (Column("what"), Column("published"), Column("here")), tuple(rows))


def mean_ratio(ratings: Floats) -> float:
    """Return the low-rank ratio of three judges, two at a time."""
    return float(np.mean([low_rank_ratio(ratings[:, list(pair)]) for pair in PAIRS]))


def _of_sets(sets: Sequence[Floats], rng: np.random.Generator) -> Iterator[Row]:
    """Yield agreement and decisions of the second corpus."""
    flat = [each.reshape(-1, 2) for each in sets]
    kappas = [float(cohen_kappa(*each.T, categories=POINTS, weights="linear").value) for each in flat]
    yield _row("kappa_tides", published.KAPPA_TIDES, (min(kappas), max(kappas)))
    counted = np.array([_orders(each, rng) for each in sets]).sum(axis=0)
    yield _row("disagree", [published.DISAGREE], [100 * counted[0] / counted[2]], "percent")
    yield _row("single_turned", [published.SINGLE_TURNED], [100 * counted[1] / counted[2]], "percent")


def _orders(ratings: Floats, rng: np.random.Generator) -> tuple[int, int, int]:
    """Return how many pairs of systems two judges, or one rating each and two, put in opposite order, of how many."""
    systems, flat = np.repeat(np.arange(ratings.shape[0]), ratings.shape[1]), ratings.reshape(-1, 2)
    apart, of = different_orders(flat[:, 0], flat[:, 1], systems)
    single, _ = different_orders(one_rating_each(flat, rng), flat.mean(axis=1), systems)
    return apart, single, of


def _row(what: str, printed: Sequence[float], here: Sequence[float], kind: Kind = "score") -> Row:
    """Return a row of both numbers, or of the lowest and the highest of several."""
    cells = [
        Term("in_order", values=[float(numbers[0])], kind=kind) if len(numbers) == 1
        else Term("lowest_to_highest", low=float(min(numbers)), high=float(max(numbers)), kind=kind)
        for numbers in (printed, here)
    ]  # fmt: skip
    return Row((Term(f"published.{what}"), *cells))
