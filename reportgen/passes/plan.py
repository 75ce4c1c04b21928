"""What one pass over a source is to find out and to count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.evaluation import Preparation
from reportgen.results import Scale
from reportgen.scores.batches import BATCH_ROWS, Wanted
from reportgen.scores.cast import Cast
from reportgen.scores.survey import Asked
from reportgen.settings import Settings

SCORES = ("system", "human")
"""Parts of which nothing but numbers matters."""

LABELS = ("group", "item", "position", "flag")
"""Parts whose values repeat."""


class NeedsRowsError(Exception):
    """Something that is asked for cannot be counted batch by batch; the message says what, and why."""


@dataclass(frozen=True)
class Counting:
    """How responses are counted.

    Parameters
    ----------
    cast
        Which column plays which part, for the one system.
    scale, preparation
        The score scale, and how system scores are prepared; None surveys the human scores to find the scale.
    """

    cast: Cast
    scale: Scale | None = None
    preparation: Preparation | None = None


@dataclass(frozen=True)
class Plan:
    """One pass.

    Parameters
    ----------
    settings
        What was asked for.
    asked
        Column -> what is asked of it.
    whole
        Column of floats -> whether all its numbers are whole, so that its texts have no point.
    counting
        How responses are counted; None only surveys columns.
    checked
        Columns of ids of which it is known that none stands in two rows.
    rows
        Rows of a batch, at most.
    key
        Of fingerprints.
    """

    settings: Settings
    asked: Asked
    whole: Mapping[str, bool]
    counting: Counting | None = None
    checked: frozenset[str] = frozenset()
    rows: int = BATCH_ROWS
    key: int = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """Columns whose values must differ, and are not known to."""
        names = self.counting.cast.columns("id") if self.counting else ()
        return tuple(name for name in names if name not in self.checked)

    @property
    def candidates(self) -> tuple[str, ...]:
        """The column of candidates, when responses are counted for a study."""
        counted = self.counting is not None and self.counting.preparation is not None
        return self.counting.cast.columns("candidate") if self.counting and counted else ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns whose texts matter."""
        roles = LABELS if self.counting else ()
        parts = (self.counting.cast.columns(role) for role in roles if self.counting)
        return tuple(
            dict.fromkeys([*(name for part in parts for name in part), *self.candidates, *self.ids, *self.asked])
        )

    def wanted(self) -> Wanted:
        """Return what is read of the source."""
        cast = self.counting.cast if self.counting else Cast()
        scores = [name for role in SCORES for name in cast.columns(role)]
        repeated = [name for role in LABELS for name in cast.columns(role)]
        names = tuple(dict.fromkeys([*scores, *self.labels]))
        return Wanted(names, frozenset(scores) - set(self.labels), frozenset(repeated) - set(scores), self.rows)
