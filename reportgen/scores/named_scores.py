"""Columns of scores that are named by patterns, spelled out; and what to type when a name is that of a rater."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from reportgen.errors import SettingsError, write_command
from reportgen.scores.contents import Contents
from reportgen.scores.score_columns import clear_humans
from reportgen.scores.systems import first_runs, named_systems, systems_by_name
from reportgen.settings import DataSettings
from reportgen.settings.kinds import MOST_LABELS
from reportgen.sources import column_names
from reportgen.sources.columns import encode
from reportgen.sources.naming_patterns import WILD, chosen, matched
from reportgen.sources.tabular import Reader, all_rows
from reportgen.wording.numbers import many


def with_columns(reader: Reader, data: DataSettings) -> tuple[DataSettings, tuple[str, ...]]:
    """Return what is declared of a file with one row per response, with every pattern spelled out, and what to say.

    A pattern names columns that hold numbers or, where it names none of these, labels; of the runs of one system the
    first.  No pattern makes a rater of an engine, nor of what is called like an id; a full name does.

    Raises
    ------
    SettingsError
        A pattern names no column, or a name is that of a rater in a file with one row per rating.
    """
    systems, human = named_systems(data), data.human or ()
    _refuse_raters(reader, [*systems, *human], data)
    if not any(WILD.search(name) for name in (*systems, *human)):
        return data, ()
    names, numeric = reader.head.schema.names, _numeric(reader.head)
    found = _spelled(systems, reader.head, numeric, "--system")
    scores = [*numeric, *_labelled(reader.head)]
    engines = {*found, *systems_by_name(scores, people_named=bool(clear_humans(scores)))}
    people = _spelled(human, reader.head, numeric, "--human", engines.union(filter(_is_id, names)))
    told = told_of_patterns(human, names, people, engines.difference(people))
    own = first_runs([name for name in found if name not in systems])
    data = with_systems(data, [name for name in found if name in systems or name in own])
    return data.model_copy(update={"human": tuple(people) or None}), told


def told_of_patterns(
    wanted: Sequence[str], names: Collection[str], people: Iterable[str], engines: Iterable[str]
) -> tuple[str, ...]:
    """Return what to say where patterns of ``--human`` fit engines, too, which they do not take.

    Examples
    --------
    >>> told_of_patterns(["*"], (), ["R1", "R2"], ["gpt"])
    ('The pattern after --human takes 2 raters; 1 engine that fits it is not taken.',)
    >>> told_of_patterns(["R*"], (), ["R1", "R2"], ["gpt"])
    ()
    """
    patterns = [each for each in wanted if WILD.search(each) and each not in names]
    taken, spared = (
        len({name for name in side if any(matched(each, [name]) for each in patterns)}) for side in (people, engines)
    )
    if not spared:
        return ()
    what, them = ("pattern after --human takes", "it")
    if len(patterns) > 1:
        what, them = "patterns after --human take", "them"
    fit, are = ("fits", "is") if spared == 1 else ("fit", "are")
    return (f"The {what} {many(taken, 'rater')}; {many(spared, 'engine')} that {fit} {them} {are} not taken.",)


def with_systems(data: DataSettings, systems: Sequence[str]) -> DataSettings:
    """Return what is declared, with the systems that its patterns name in their place."""
    if tuple(systems) == named_systems(data):
        return data
    alone = data.systems is None and len(systems) == 1
    return data.model_copy(
        update={"system": systems[0] if alone else None, "systems": None if alone else tuple(systems)}
    )


def _is_id(name: str) -> bool:
    """Return whether a column is called like one of ids of responses or candidates."""
    return column_names.first_id([name]) is not None or column_names.first_candidate([name]) is not None


def _numeric(head: Any) -> list[str]:
    """Return the columns that hold numbers, or nothing, judged by the first rows."""
    read = (Contents(head[name], name) for name in head.schema.names)
    return [each.name for each in read if each.is_readable and (each.has_scores or each.n_blank == len(each))]


def _labelled(head: Any) -> list[str]:
    """Return the columns that hold a few words which come again, judged by the first rows."""
    read = (Contents(head[name], name) for name in head.schema.names)
    return [each.name for each in read if each.is_readable and not each.levels_problem(MOST_LABELS)]


def _spelled(
    wanted: Sequence[str], head: Any, numeric: Sequence[str], option: str, taken: Collection[str] = ()
) -> list[str]:
    """Return the columns that names and patterns name; those of a pattern by the numbers in their names."""
    names, found = head.schema.names, dict[str, None]()
    labelled = [name for name in _labelled(head) if name not in taken]
    for each in wanted:
        if each in names or not WILD.search(each):
            found[each] = None
        else:
            those = matched(each, labelled) if not matched(each, numeric) else []
            rest = [name for name in numeric if name not in taken]
            those = those or chosen([each], rest, option, "columns with numbers or labels")[each]
            found |= dict.fromkeys(sorted(those, key=column_names.rater_order))
    return list(found)


def _refuse_raters(reader: Reader, names: Sequence[str], data: DataSettings) -> None:
    """Raise when a name is no column, and a rater's in a column that is named like one of raters."""
    missing = [name for name in names if name not in reader.head.schema.names and not WILD.search(name)]
    column = column_names.first_of_long("rater", reader.head.schema.names)
    if not missing or column is None:
        return
    raters = {label.strip() for label in encode(all_rows(reader, [column])[column], column).labels}
    found = next((name for name in missing if name in raters), None)
    if found is not None:
        typed = write_command("--layout", "long", *([] if data.rater else ["--rater", column]))
        raise SettingsError(
            f"no column is named '{found}': it is a rater in column '{column}'; for one row per rating type {typed}."
        )
