"""A file of ratings as a table of responses, for the same steps that a file of responses goes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from reportgen.design.profiles import Profile
from reportgen.design.readings import ColumnRoles, LongColumns
from reportgen.design.score_columns import told_of_patterns, with_systems
from reportgen.design.sides import sides_of
from reportgen.errors import listed
from reportgen.results import Role, Source
from reportgen.scores import pivot
from reportgen.scores.left_out import chosen, refuse_one_left
from reportgen.scores.pivot import RatingFile, carried, human_ratings, system_scores
from reportgen.scores.table import LeftOut
from reportgen.scores.writing import with_labels_found
from reportgen.settings import DataSettings
from reportgen.sources.bridge import texts_to_arrow
from reportgen.sources.tabular import FIRST_LOOK, Place, Reader

PACKED = "packed from one row per rating"


class LongReader(Reader):
    """A source of ratings, seen as one of responses.

    inner: The source.
    roles: Which column says what.
    data: What is declared.
    exclude_zeros: Whether a rating of 0 is none.
    whole: Whether the source holds every rater, and not only those of some rows.
    """

    def __init__(
        self, inner: Reader, roles: LongColumns, data: DataSettings, exclude_zeros: bool, whole: bool = True
    ) -> None:
        self._inner, self._roles = inner, roles
        names = inner.head.schema.names
        beside = [name for name in names if name not in roles.all() and name != data.text]
        unread = {name: Profile(inner.head[name], name).unread for name in beside}
        self.left_out = {name: why for name, why in unread.items() if why}
        table = inner.load([name for name in names if name not in self.left_out])
        data = with_labels_found(data, table, [roles.score])
        file = RatingFile.of(table, inner, roles, data.labels)
        self._rows_of_file = len(file.numbers)
        columns = [name for name in file.table.schema.names if name not in roles.all()]
        self.sides = sides_of(file.raters.labels, columns, roles.rater, data)
        self.data = data = with_systems(data, self.sides.named)
        self.left_out |= dict.fromkeys(self.sides.others, "another engine; not named with --system")
        systems, self.runs = system_scores(file, self.sides.systems)
        people, self.without = _without(file, self.sides.people, data.without, all_known=whole)
        if whole:
            refuse_one_left(self.without, len(people), len(systems) + len(self.sides.columns))
        human, self.rater_ids, self.ratings, self.design, told = human_ratings(file, people, exclude_zeros, data.record)
        engines = (*self.sides.systems, *self.sides.others)
        patterns = told_of_patterns(data.human or (), file.raters.labels, self.sides.people, engines)
        self.warnings = [*_not_named(self.sides.left_out, data), *patterns, *told]
        self.human = tuple(human)
        others = carried(file, data, {*systems, *human}, self.left_out)
        ids = {roles.id: texts_to_arrow(file.responses.labels)}
        self._table = pa.table({**ids, **human, **systems, **others})
        self.head = self._table.slice(0, FIRST_LOOK)
        everyone = pivot.first_rows(file.responses.codes, np.ones(self._rows_of_file, np.bool_))
        self._first_ratings: list[int] = everyone.tolist()

    def load(self, names: Sequence[str]) -> Any:
        """Return the named columns, one row per response."""
        return self._table.select(list(names))

    def place(self, index: int) -> Place:
        """Return where the first rating of a response stands."""
        return self._inner.place(self._first_ratings[index])

    def source(self, rows: int) -> Source:
        """Return where the ratings came from; the rows are the file's, not the `rows` responses."""
        del rows
        return self._inner.source(self._rows_of_file)

    def told_roles(self) -> tuple[Role, ...]:
        """Return the parts that only a file of ratings has."""
        return self._roles.told()

    def tell(self, cast: ColumnRoles) -> None:
        """Say in `cast` how ratings and raters that are systems were found, and which columns are runs of these."""
        found = {**self.sides.systems, **dict.fromkeys(self.human, PACKED), self._roles.id: self._roles.how["id"]}
        cast.retell(found)
        for system, runs in self.runs.items():
            cast.give("run", runs, PACKED)
            cast.runs[system] = runs


def _not_named(raters: Sequence[str], data: DataSettings) -> list[str]:
    """Return a sentence about the raters whom ``--human`` does not name, with their names where these are shown."""
    if not raters:
        return []
    named = f": {listed(raters)}" if data.show_rater_names else ""
    are, them = ("rater is", "this rater") if len(raters) == 1 else ("raters are", "them")
    return [f"{len(raters):,} {are} left out: --human does not name {them}{named}."]


def _without(
    file: RatingFile, people: Sequence[str], wanted: Sequence[str], *, all_known: bool = True
) -> tuple[tuple[str, ...], LeftOut]:
    """Return the people whose ratings count, and what is left out; errors as for `chosen`."""
    if not wanted:
        return tuple(people), LeftOut()
    out = chosen(wanted, [name for name in people if name], all_known=all_known)
    n = int((file.by(out) & file.filled).sum())
    return tuple(name for name in people if name not in out), LeftOut(len(out), n)
