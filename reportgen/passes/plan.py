"""What one pass over a source is to find out and to count."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.evaluation import Preparation
from reportgen.results import Scale
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.survey import Asked
from reportgen.settings import Settings
from reportgen.sources.batches import BATCH_ROWS, Wanted

SCORES = ("system", "human")
"""Parts of which nothing but numbers matters."""

LABELS = ("group", "item", "position", "flag")
"""Parts whose values repeat."""


class NeedsRowsError(Exception):
    """Something that is asked for cannot be counted batch by batch; the message says what, and why."""


@dataclass(frozen=True)
class Counting:
    """How the responses of one system are counted.

    Parameters
    ----------
    cast
        Which column plays which part, for this system.
    scale, preparation
        The score scale, and how system scores are prepared; None surveys the human scores to find the scale.
    """

    cast: ColumnRoles
    scale: Scale | None = None
    preparation: Preparation | None = None


@dataclass(frozen=True)
class PassPlan:
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
        How responses are counted, for each system, the one that others are compared with first; none only surveys
        columns.
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
    counting: tuple[Counting, ...] = ()
    checked: frozenset[str] = frozenset()
    rows: int = BATCH_ROWS
    key: int = 0

    @property
    def studies(self) -> bool:
        """Whether responses are counted for studies, and not for the scales of their scores alone."""
        return bool(self.counting) and all(how.preparation is not None for how in self.counting)

    @property
    def ids(self) -> tuple[str, ...]:
        """Columns whose values must differ, and are not known to."""
        return tuple(name for name in self._playing("id") if name not in self.checked)

    @property
    def candidates(self) -> tuple[str, ...]:
        """The column of candidates, when responses are counted."""
        return self._playing("candidate") if self.studies else ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Columns whose texts matter."""
        return tuple(dict.fromkeys([*self._playing(*LABELS), *self.candidates, *self.ids, *self.asked]))

    def wanted(self) -> Wanted:
        """Return what is read of the source."""
        scores, repeated = self._playing(*SCORES), self._playing(*LABELS)
        names = tuple(dict.fromkeys([*scores, *self.labels]))
        return Wanted(names, frozenset(scores) - set(self.labels), frozenset(repeated) - set(scores), self.rows)

    def _playing(self, *roles: str) -> tuple[str, ...]:
        """Return the columns that play some parts, for any system."""
        return tuple(dict.fromkeys(name for role in roles for how in self.counting for name in how.cast.columns(role)))
