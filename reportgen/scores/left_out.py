"""Exclude raters, count people, and find the rater of each score."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.design.readings import NAMED, ColumnRoles
from reportgen.errors import InputError, SettingsError
from reportgen.results import Role
from reportgen.scores import scale
from reportgen.scores.table import Account, LeftOut, RaterIds, ScoreTable
from reportgen.settings import Settings
from reportgen.sources.column_names import chosen as named
from reportgen.sources.column_names import matched
from reportgen.sources.columns import Mask, as_text, as_times, encode, is_blank, mask_to_arrow
from reportgen.wording.numbers import many


def chosen(wanted: Sequence[str], raters: Sequence[str], *, all_known: bool = True) -> tuple[str, ...]:
    """Return the raters that match names and shell patterns, in the order of `raters`.

    all_known: Whether `raters` is complete, so that an unknown name is an error.

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
    table: Any, roles: ColumnRoles, wanted: Sequence[str], *, all_known: bool = True
) -> tuple[Any, LeftOut]:
    """Return the columns and roles of a file of responses without the ratings of some raters.

    A rater is a column of human scores, which then loses its role, or a name next to the scores, whose cells then
    become blank.
    """
    if not wanted:
        return table, LeftOut()
    human, beside_human = roles.columns("human"), roles.columns("rater")
    people = {name: [label.strip() for label in encode(table[name], name).labels] for name in beside_human}
    everyone = (*human, *sorted({label for labels in people.values() for label in labels} - {"", *human}))
    out = set(chosen(wanted, everyone, all_known=all_known))
    columns = tuple(name for name in human if name in out)
    if len(columns) == len(human):
        raise SettingsError("--without excludes every column of human scores; keep at least one.")
    n = sum(int((~is_blank(table[name], name)).sum()) for name in columns)
    for name, who in zip(human, beside_human, strict=False):
        if name in columns:
            continue
        marked = encode(table[who], who).where(lambda label: label.strip() in out)
        n += int((marked & ~is_blank(table[name], name)).sum())
        values = table[name] if pa.types.is_floating(table[name].type) else as_text(table[name], name)
        values = pc.if_else(mask_to_arrow(marked), pa.scalar(None, values.type), values.combine_chunks())
        table = table.set_column(table.schema.get_field_index(name), name, values)
    taken = {}  # columns of raters and times follow their human scores
    for role in ("human", "rater", "time"):
        given = roles.parts.get(role, [])
        if len(given) == len(human):
            sides = [(part, name in columns) for part, name in zip(given, human, strict=True)]
            roles.parts[role] = [part for part, out in sides if not out]
            taken[role] = tuple(part[0] for part, out in sides if out)
    roles.left_out |= {name: "excluded as requested" for names in taken.values() for name in names}
    return table, LeftOut(len(out), n, columns, taken.get("rater", ()), taken.get("time", ()))


def refuse_one_left(found: LeftOut, people: int, systems: int) -> None:
    """Raise if excluding raters leaves one of them and no engine."""
    if found.raters and people == 1 and not systems:
        raise SettingsError("--without leaves one rater and no engine; keep at least two raters.")


def left_out_sentence(found: LeftOut) -> str:
    """Return the sentence about excluded ratings; empty if there are none.

    >>> left_out_sentence(LeftOut(1, 212))
    'Excluded by user: 1 rater, 212 ratings.'
    """
    return f"Excluded by user: {many(found.raters, 'rater')}, {many(found.ratings, 'rating')}." if found.raters else ""


def without_ratings(scores: ScoreTable, left_out: Mask, settings: Settings) -> ScoreTable | None:
    """Return the table without some ratings, groups, and items; None if fewer than two responses are left.

    left_out: (n, raters): the ratings that count as missing.
    settings: The declared settings: the scale, if any, and how scores are trimmed.
    """
    human = np.where(left_out, np.nan, scores.human)
    if scores.ratings is not None:
        order = np.argsort(np.isnan(human), axis=1, kind="stable")  # no gaps before ratings
        human = np.take_along_axis(human, order, axis=1)
    human = human[:, ~np.isnan(human).all(axis=0)]
    if not human.size:
        return None
    kept = ~np.isnan(human[:, 0]) if not np.isnan(scores.human[:, 0]).any() else ~np.isnan(human).all(axis=1)
    if kept.sum() < 2:
        return None
    human = human[kept]
    named = scores.scale if settings.data.scale is not None or not scores.scale.assumed else None
    own = scale.score_scale(named, human, engine=scale.Span.of(scores.system[kept]))
    trim_min, trim_max = scale.trim_bounds(settings.preparation, own)
    raters = tuple(f"{place + 1}" for place in range(human.shape[1]))
    return replace(
        scores, human=human, system=scores.system[kept], scale=own, trim_min=trim_min, trim_max=trim_max,
        roles=(*(role for role in scores.roles if role.role != "human"), Role("human", raters, "")),
        groups={}, items=None, item_scores=None, rater_ids=None, runs=None, length=None, unscored=None,
        candidates=None if scores.candidates is None else scores.candidates[kept], kept=int(kept.sum()),
    )  # fmt: skip


class People(NamedTuple):
    """The number of human raters, and their names if they may be shown."""

    n: int
    names: tuple[str, ...] = ()


def people_of(scores: Account, *, named: bool = False) -> People:
    """Return the human raters; a column counts as a rater if raters are not named.

    scores: Prepared scores.
    named: Whether raters may be named; columns always may.

    >>> import pyarrow as pa
    >>> from reportgen.scores import read
    >>> people_of(read(pa.table({"h1": [1, 2, 4], "h2": [1, 3, 4], "engine": [1.2, 2.1, 3.3]})))
    People(n=2, names=('h1', 'h2'))
    """
    ids = getattr(scores, "rater_ids", None)
    if ids is not None and ids.names and (scores.ratings is not None or scores.columns("rater")):
        return People(len(ids.names), tuple(ids.names) if named else ())
    if scores.ratings is not None:
        return People(scores.ratings.raters)
    return People(len(scores.raters), tuple(scores.raters))


NOBODY = -1  # the code of a rating without a named rater


def named_raters(table: Any, roles: ColumnRoles, kept: Mask) -> RaterIds | None:
    """Return the raters of the human scores of the responses that count; None if no trait column was found."""
    human, raters, times = (roles.columns(role) for role in ("human", "rater", "time"))
    if times and not raters:
        raise SettingsError("rating_times requires rater_ids; name the rater columns too.")
    if not raters:
        return None
    for part, given, fits in (("rater_ids", raters, ()), ("rating_times", times, (0, 1))):
        if len(given) not in (*fits, len(human)):
            raise SettingsError(f"{len(human)} columns of human scores and {len(given)} of {part}; name one for each.")
    coded = [encode(table[name], name) for name in raters]
    names = sorted({label.strip() for each in coded for label in each.labels} - {""})
    place = {name: code for code, name in enumerate(names)}
    known = [np.array([place.get(label.strip(), NOBODY) for label in each.labels], np.int32) for each in coded]
    codes = np.column_stack([own[each.codes[kept]] for own, each in zip(known, coded, strict=True)])
    when = None
    if times:
        try:
            columns = [as_times(table[name], name)[kept] for name in times]
            when = np.column_stack(columns * (len(human) if len(columns) == 1 else 1))
        except InputError:
            if any(how == NAMED for _, how in roles.parts["time"]):
                raise
    return RaterIds(codes, tuple(names), when)
