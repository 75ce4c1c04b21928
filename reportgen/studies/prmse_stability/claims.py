"""A statement of the paper as numbers and a rule on them, judged in the replayed data and in those drawn afresh."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reportgen.results import Kind
from reportgen.results.term import Term
from reportgen.studies.prmse_stability.measures import Measures
from reportgen.studies.statements import Statement

CLOSE = 0.02
"""A coefficient that is no further than this from another counts as the same."""

Numbers = Sequence[float]


@dataclass(frozen=True)
class Claim:
    """What one sentence of the paper says of data.

    Parameters
    ----------
    place
        Where it is printed.
    key
        Its word is ``statement.KEY``; it names the numbers.
    numbers
        The numbers that it rests on, of one data set.
    holds
        Whether it is true of such numbers: it looks at nothing else.
    printed
        The numbers in print.
    kind
        How numbers are written.
    of_these_data
        Whether it speaks of single values of the paper's own data, which new data cannot repeat.
    """

    place: Term
    key: str
    numbers: Callable[[Measures], Numbers]
    holds: Callable[[Numbers], bool]
    printed: Numbers = ()
    kind: Kind = "coefficient"
    of_these_data: bool = False

    def statement(self, replayed: Measures, fresh: Sequence[Measures]) -> Statement:
        """Return the statement with its outcome in the replayed data and in those drawn afresh."""
        here, afresh = self.numbers(replayed), [self.numbers(run) for run in fresh]
        judged = (here,) if self.of_these_data else (here, *afresh)
        return Statement(
            self.place, self.key, self.holds(here), self.printed, here, self.kind, np.mean(afresh, axis=0).tolist(),
            tuple(map(self.holds, judged)),
        )  # fmt: skip


def close_to(printed: Numbers, within: float = CLOSE) -> Callable[[Numbers], bool]:
    """Return the rule that numbers are those in print.

    Examples
    --------
    >>> close_to((0.69, 0.86))((0.70, 0.85)), close_to((0.69, 0.86))((0.72, 0.86))
    (True, False)
    """
    return lambda found: all(abs(own - value) <= within for value, own in zip(printed, found, strict=True))


def falling(found: Numbers) -> bool:
    """Return whether every number is below the one before.

    Examples
    --------
    >>> falling((3, 2, 1)), falling((3, 3, 1))
    (True, False)
    """
    return all(after < before for before, after in pairwise(found))
