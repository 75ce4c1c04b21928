"""Raters whose ratings are left out because the user asks for it; nobody is left out otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from reportgen.errors import SettingsError
from reportgen.scores.column_roles import ColumnRoles
from reportgen.scores.table import LeftOut
from reportgen.sources.bridge import mask_to_arrow
from reportgen.sources.columns import as_text, encode, is_blank
from reportgen.sources.naming_patterns import chosen as named
from reportgen.sources.naming_patterns import matched
from reportgen.wording.numbers import many

AS_ASKED = "left out as asked"


def chosen(wanted: Sequence[str], raters: Sequence[str], *, all_known: bool = True) -> tuple[str, ...]:
    """Return the raters that names and shell patterns mean, in the order of `raters`.

    Parameters
    ----------
    all_known
        Whether `raters` are all there are, so that a name that is none of them is a mistake.

    Raises
    ------
    SettingsError
        A name means nobody, or everybody is meant.

    Examples
    --------
    >>> chosen(["temp_*", "Bob"], ["Ann", "Bob", "temp_1", "temp_2"])
    ('Bob', 'temp_1', 'temp_2')
    """
    if all_known:
        named(wanted, raters, "--without", "raters")
    found = {rater for each in wanted for rater in matched(each, raters)}
    if raters and len(found) == len(set(raters)) and all_known:
        typed = f"--without '{wanted[0]}'" if len(wanted) == 1 else "--without"
        raise SettingsError(f"{typed} excludes every rater; keep at least one.")
    return tuple(rater for rater in raters if rater in found)


def without_columns(
    table: Any, cast: ColumnRoles, wanted: Sequence[str], *, all_known: bool = True
) -> tuple[Any, LeftOut]:
    """Return the columns of a file of responses, and its parts, without the ratings of some raters.

    A rater is a column of human scores, which then plays no part, or one who is named beside the scores, whose cells
    are then blank.

    Raises
    ------
    SettingsError
        As for `chosen`.
    """
    if not wanted:
        return table, LeftOut()
    human, beside_human = cast.columns("human"), cast.columns("rater")
    people = {name: [label.strip() for label in encode(table[name], name).labels] for name in beside_human}
    everyone = (*human, *sorted({label for labels in people.values() for label in labels} - {"", *human}))
    out = set(chosen(wanted, everyone, all_known=all_known))
    columns = tuple(name for name in human if name in out)
    if len(columns) == len(human):
        raise SettingsError("--without: no column of human scores is left; leave one of them in.")
    n = sum(int((~is_blank(table[name], name)).sum()) for name in columns)
    beside = dict(zip(human, beside_human, strict=False))
    for name, who in beside.items():
        if name in columns:
            continue
        coded = encode(table[who], who)
        marked = np.array([label.strip() in out for label in coded.labels], np.bool_)[coded.codes]
        n += int((marked & ~is_blank(table[name], name)).sum())
        table = table.set_column(table.schema.get_field_index(name), name, _blanked(table[name], name, marked))
    taken = _taken_parts(cast, columns)
    return table, LeftOut(len(out), n, columns, taken.get("rater", ()), taken.get("time", ()))


def refuse_one_left(found: LeftOut, people: int, systems: int) -> None:
    """Raise where leaving raters out leaves one of them, and no engine.

    Raises
    ------
    SettingsError
        As said.
    """
    if found.raters and people == 1 and not systems:
        raise SettingsError(
            "--without leaves one rater and no engine; a report on raters needs two raters: leave another one in."
        )


def left_out_sentence(found: LeftOut) -> str:
    """Return what is said of the ratings that are left out; empty when none are.

    Examples
    --------
    >>> left_out_sentence(LeftOut(1, 212))
    'Left out as asked: 1 rater, 212 ratings.'
    """
    return f"Left out as asked: {many(found.raters, 'rater')}, {many(found.ratings, 'rating')}." if found.raters else ""


def _blanked(column: Any, name: str, marked: NDArray[np.bool_]) -> Any:
    """Return a column, null where it is marked."""
    values = column if pa.types.is_floating(column.type) else as_text(column, name)
    return pc.if_else(mask_to_arrow(marked), pa.scalar(None, values.type), values.combine_chunks())


def _taken_parts(cast: ColumnRoles, columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Take their part from columns of human scores, and from what stands beside each of them; return what they had."""
    human = cast.columns("human")
    taken = {}
    for role in ("human", "rater", "time"):
        given = cast.parts.get(role, [])
        if len(given) == len(human):
            sides = [(part, name in columns) for part, name in zip(given, human, strict=True)]
            cast.parts[role] = [part for part, out in sides if not out]
            taken[role] = tuple(part[0] for part, out in sides if out)
    cast.left_out |= {name: AS_ASKED for names in taken.values() for name in names}
    return taken
