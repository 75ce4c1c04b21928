"""What may put every number in doubt: a column given twice, scores of 0 that may be none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from reportgen.scores.table import Zeros
from reportgen.sources.columns import Floats

MANY_SCORES = 6
"""So many different scores, or more, two columns do not share by chance in a few responses."""

LEAST_SHARED = {2: 200, 3: 30, 4: 30, 5: 30, MANY_SCORES: 10}
"""Different scores -> responses that must be scored alike: people who agree on 97 % of two categories, or on 85 % of a
few scores, give all of so many responses the same score in less than one file of a hundred."""

LEAST_OTHERS = 10
"""One in so many of these must have another score than the commonest one, which says little."""


class SharedScores(NamedTuple):
    """Two score columns where both have a score: how often, whether always the same, and which scores how often.

    Of the different scores the lowest `MANY_SCORES` are kept.
    """

    n: int = 0
    equal: bool = True
    scores: tuple[tuple[float, int], ...] = ()

    @classmethod
    def of(cls, a: Floats, b: Floats) -> SharedScores:
        """Return two columns of one table, each of shape (n,), NaN where missing."""
        shared = ~np.isnan(a) & ~np.isnan(b)
        n, both = int(shared.sum()), a[shared]
        if not n or not np.array_equal(both, b[shared]):
            return cls(n, n == 0)
        scores, times = np.unique(both, return_counts=True)
        return cls(n, True, tuple(zip(scores[:MANY_SCORES].tolist(), times[:MANY_SCORES].tolist(), strict=True)))

    def with_more(self, other: SharedScores) -> SharedScores:
        """Return the same columns in two tables together."""
        times = Counter(dict(self.scores))
        times.update(dict(other.scores))
        return SharedScores(self.n + other.n, self.equal and other.equal, tuple(sorted(times.items())[:MANY_SCORES]))

    @property
    def doubtful(self) -> bool:
        """Whether both are probably one; a constant score says nothing about where it comes from."""
        if not self.equal or len(self.scores) < 2:
            return False
        least = LEAST_SHARED[len(self.scores)]
        others = self.n - max(times for _, times in self.scores)
        return self.n >= least and others * LEAST_OTHERS >= least


def shared_scores(names: Sequence[str], scores: Sequence[Floats]) -> dict[tuple[str, str], SharedScores]:
    """Return what each two score columns hold where both have a score.

    names, scores: The columns, system first, each of shape (n,), NaN where missing.
    """
    pairs = zip(combinations(names, 2), combinations(scores, 2), strict=True)
    return {pair: SharedScores.of(*columns) for pair, columns in pairs}


def told_twice(shared: Mapping[tuple[str, str], SharedScores]) -> list[str]:
    """Return a sentence for each pair of columns that are equal wherever both have a score.

    Examples
    --------
    >>> engine = np.arange(12.0)
    >>> told_twice(shared_scores(["engine", "h1", "h2"], [engine, engine, engine + 1]))
    ["'engine' and 'h1' hold equal scores in all 12 responses that have both: probably one column given twice."]
    """
    return [
        f"'{first}' and '{second}' hold equal scores in all {found.n:,} responses that have both: "
        "probably one column given twice."
        for (first, second), found in shared.items()
        if found.doubtful
    ]


def zeros_sentence(zeros: Zeros, responses: int) -> str:
    """Return how many human scores of 0 count, and what leaving them out would leave out.

    responses: How many responses would be left out.

    Examples
    --------
    >>> zeros_sentence(Zeros(12, 9, 1), 9)
    '12 human scores are 0 and count as scores; to exclude these 9 responses, add --exclude-zero-scores.'
    >>> zeros_sentence(Zeros(1, 0, 0), 0)
    '1 human score is 0 and counts as a score; to count it as missing, add --exclude-zero-scores.'
    """
    one = zeros.scores == 1
    many = f"{zeros.scores:,} human scores are 0 and count as scores"
    text = "1 human score is 0 and counts as a score" if one else many
    if responses:
        what = f"exclude {'this response' if responses == 1 else f'these {responses:,} responses'}"
    else:
        what = f"count {'it' if one else 'them'} as missing"
    return f"{text}; to {what}, add --exclude-zero-scores."
