"""Which part each column plays, as far as is known while a source is read: guessed of the first rows, sure of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.errors import SettingsError
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.known_columns import KnownColumns
from reportgen.scores.roles import assign_roles
from reportgen.scores.survey import Asked
from reportgen.scores.systems import baseline_first
from reportgen.settings import DataSettings


@dataclass(frozen=True)
class RolesSoFar:
    """Which part each column plays, as far as is known.

    Parameters
    ----------
    agreed
        The part of every column; None while the first rows do not tell.
    of_systems
        The parts when each system is evaluated, the baseline first.
    missing
        Column -> what its part rests on and is not known of all rows.
    """

    agreed: ColumnRoles | None
    of_systems: tuple[ColumnRoles, ...]
    missing: Asked

    @classmethod
    def of(cls, known: KnownColumns, names: Sequence[str], named: ColumnRoles, data: DataSettings) -> RolesSoFar:
        """Return the parts of columns.

        Parameters
        ----------
        known
            What the columns hold.
        names
            The columns.
        named, data
            The parts that were named, and what else is declared.

        Raises
        ------
        SettingsError
            All rows do not tell which column plays a part that some column must play.
        """
        columns = known.columns(names)
        try:
            agreed = assign_roles(columns, data, named.copy())
        except SettingsError:
            missing = known.missing(columns)
            if not missing:
                raise
            return cls(None, (), missing)
        baseline_first(agreed, data)
        systems = agreed.columns("system") if data.system is None else (data.system,)
        return cls(agreed, tuple(agreed.of_system(name) for name in systems), known.missing(columns))

    @property
    def sure(self) -> bool:
        """Whether every part rests on all rows."""
        return self.agreed is not None and not self.missing

    def plays_as(self, others: RolesSoFar) -> bool:
        """Return whether the same columns play the same parts, for every system."""
        return [_parts(each) for each in self.of_systems] == [_parts(each) for each in others.of_systems]


def _parts(roles: ColumnRoles) -> dict[str, tuple[str, ...]]:
    """Return the columns of every part that is played."""
    return {role: roles.columns(role) for role in roles.parts if roles.columns(role)}
