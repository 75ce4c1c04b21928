"""Which column plays which part: as configured, else by its name, else by its contents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from reportgen.errors import QuestionError, SettingsError, did_you_mean, write_command
from reportgen.scores.contents import LONG_TEXT, MOST_LEVELS, MOST_NAMED_LEVELS, Contents
from reportgen.scores.preparation import LONGEST_LABEL, refuse_long_labels
from reportgen.scores.ratings_alone import ratings_alone
from reportgen.scores.score_columns import Questions, find_scores_by_contents, find_scores_by_name, may_be_of_raters
from reportgen.scores.systems import find_runs, named_systems, suggest_systems, systems_by_name
from reportgen.scores.table import BY_CONTENTS, BY_NAME, NAMED, ROLES, ColumnRoles
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.column_names import is_of_people, may_name_engine, names_engine, series_of
from reportgen.wording.names import natural

MOST_FOUND = 30
"""Group columns that are found without being named; all that are named are taken."""

MOST_SMALL, LEAST = 10, 10
"""A text of unknown name with more values than the first, of fewer responses each than the second, is like an item."""

NAMELESS = "numbers, and no name that says what they are"
"""Why a column of numbers has no part."""

GROUPS_TOO = (("item", "group"), ("position", "group"), ("length", "text"))
"""Parts that one column may play together."""


def named_roles(names: Sequence[str], data: DataSettings) -> ColumnRoles:
    """Return the parts that the configuration gives.

    Raises
    ------
    SettingsError
        A column does not exist, or is to play two parts.
    """
    cast = ColumnRoles()
    cast.give("system", named_systems(data), NAMED)
    cast.give("run", data.runs or (), NAMED)
    for role in ("id", "candidate", "item", "length", "text", "position"):
        column = getattr(data, role)
        cast.give(role, [column] if column else [], NAMED)
    cast.give("human", data.human or (), NAMED)
    cast.give("rater", data.rater_ids or (), NAMED)
    cast.give("time", data.rating_times or (), NAMED)
    cast.give("item score", data.item_scores, NAMED)
    groups = data.groups or ()
    cast.give("group", groups, NAMED)
    if data.position is not None and data.position not in groups:
        cast.give("group", [data.position], NAMED)
    cast.give("flag", tuple(data.flags), NAMED)
    for role in cast.parts:
        for column in cast.columns(role):
            if column not in names:
                raise SettingsError(f"{role} column '{column}' does not exist{did_you_mean(column, names)}")
    _refuse_two_parts(cast)
    return cast


def shortlist(head: Mapping[str, Contents], cast: ColumnRoles) -> list[str]:
    """Return the columns worth reading in full, judged by the first rows; notes the others in `cast`.

    Raises
    ------
    InputError
        The labels of a named group column are too long; they would fill the memory.
    """
    scores_known = all(_known(role, head, cast) for role in ("system", "human"))
    worth = []
    for name, contents in head.items():
        too_long = contents.is_readable and contents.mean_length > LONGEST_LABEL
        if too_long and name in cast.columns("group"):
            refuse_long_labels(name, contents.distinct_texts())
        if name in cast.taken() or (_has_known_name(name) and contents.is_readable and not too_long):
            worth.append(name)
        elif not contents.is_readable:
            cast.left_out[name] = "neither text nor numbers"
        elif contents.mean_length > LONG_TEXT:
            cast.left_out[name] = "long text"
        elif scores_known and contents.is_numeric and not contents.is_id_like:
            cast.left_out[name] = NAMELESS
        else:
            worth.append(name)
    return worth


def assign_roles(columns: Mapping[str, Contents], data: DataSettings, cast: ColumnRoles) -> ColumnRoles:
    """Give every part that the configuration left open, and say why the other columns have none.

    Raises
    ------
    SettingsError
        No column, or more than one, can be the system score or the human scores.
    """
    give_roles(columns, data, cast)
    say_why_left_out(columns, data, cast)
    return cast


def give_roles(columns: Mapping[str, Contents], data: DataSettings, cast: ColumnRoles) -> None:
    """Give every part that the configuration left open; errors as for `assign_roles`."""
    _refuse_scores_elsewhere(columns, data, cast)
    questions = Questions()
    find_scores_by_name(columns, cast, questions)
    find_runs(columns, data, cast)
    _find_rater_ids(columns, data, cast)
    _find_single("id", column_names.first_id, columns, cast)
    if data.candidate is None:
        _find_single("candidate", column_names.first_candidate, columns, cast)
    if data.item is None:
        groups = {name: columns[name] for name in cast.columns("group") if name in columns}
        found = column_names.first_item({**groups, **cast.free(columns)})
        names_each = found in cast.free(columns) and not cast.columns("id") and columns[str(found)].is_id_like
        cast.give("item", [found] if found and not names_each else [], BY_NAME)
    if not ratings_alone(columns, data, cast, questions):
        find_scores_by_contents(columns, cast, questions)
    questions.raise_all()
    if not cast.columns("id"):
        free = {name: each for name, each in cast.free(columns).items() if not _measures(name, each)}
        unique = [name for name, contents in free.items() if contents.is_id_like]
        unique.sort(key=lambda name: (not column_names.ends_like_id(name), natural(name)))
        cast.give("id", unique[:1], BY_CONTENTS)
    if data.groups is None:
        _find_groups(columns, data, cast)


def _measures(name: str, contents: Contents) -> bool:
    """Return whether a column holds measurements by its name: numbers that differ are no ids then."""
    return column_names.is_measure_name(name) and contents.is_numeric


def say_why_left_out(columns: Mapping[str, Contents], data: DataSettings, cast: ColumnRoles) -> None:
    """Say of every column without a part why it has none."""
    for name in cast.free(columns):
        cast.left_out.setdefault(name, _unnamed(name, columns[name], data))
    suggest_systems(cast, data)


def _unnamed(name: str, contents: Contents, data: DataSettings) -> str:
    """Return why a column has no part: which option named others, or that nothing speaks for any."""
    if reason := _score_unnamed(name):
        return reason
    if data.groups is not None and contents.is_numeric and not column_names.is_group_name(name):
        return NAMELESS
    if data.groups is not None and not contents.levels_problem(MOST_NAMED_LEVELS):
        return "not named with --group" if data.groups else "no subgroups are looked for"
    return "plays no part"


def _score_unnamed(name: str) -> str:
    """Return what to say of a column that is named like scores when others were named; empty for any other."""
    if systems_by_name([name], people_named=True):
        return "not named with --system"
    stem = (series_of(name) or ("", ""))[0]
    return "not named with --human" if column_names.is_human_name(name) or is_of_people(stem) else ""


def _has_known_name(name: str) -> bool:
    """Return whether a name speaks for any part."""
    tests = (
        column_names.is_system_name,
        column_names.is_human_name,
        column_names.may_be_human_name,
        column_names.is_group_name,
        names_engine,
        may_name_engine,
        may_be_of_raters,
    )
    picks = (column_names.first_id, column_names.first_candidate, column_names.first_item)
    numbers = (
        column_names.run_of(name),
        column_names.rater_id_of(name),
        column_names.rating_time_of(name),
    )
    return (
        any(number is not None for number in numbers)
        or any(test(name) for test in tests)
        or any(pick([name]) for pick in picks)
    )


def _known(role: str, head: Mapping[str, Contents], cast: ColumnRoles) -> bool:
    """Return whether a score column is named, or will be found by its name."""
    test = systems_by_name(head, people_named=False) if role == "system" else list(filter(_any_human_name, head))
    return bool(cast.columns(role)) or any(
        name in test and contents.is_readable and contents.has_scores for name, contents in head.items()
    )


def _any_human_name(name: str) -> bool:
    """Return whether a name fits a human score, clearly or perhaps."""
    return column_names.is_human_name(name) or column_names.may_be_human_name(name)


def _find_rater_ids(columns: Mapping[str, Contents], data: DataSettings, cast: ColumnRoles) -> None:
    """Find the columns that name who gave each human score, and when, if there is one for each."""
    if data.rater_ids is None:
        _give_numbered("rater", column_names.rater_id_of, columns, cast)
    if data.rating_times is None and cast.columns("rater"):
        _give_numbered("time", column_names.rating_time_of, columns, cast)


def _give_numbered(
    role: str, number_of: Callable[[str], int | None], columns: Mapping[str, Contents], cast: ColumnRoles
) -> None:
    """Give a part to the columns with the numbers of the human scores, when there is one for each."""
    numbered = {name: number_of(name) for name in cast.free(columns)}
    found = {number: name for name, number in numbered.items() if number is not None}
    human = [column_names.rater_order(name) for name in cast.columns("human")]
    if len(human) > 1 and all(number in found for number in human) and len(set(human)) == len(human):
        cast.give(role, [found[number] for number in human], BY_NAME)


def _find_single(
    role: str, pick: Callable[[Mapping[str, Contents]], str | None], columns: Mapping[str, Contents], cast: ColumnRoles
) -> None:
    """Find a part that one column plays by its name."""
    if not cast.columns(role):
        found = pick(cast.free(columns))
        cast.give(role, [found] if found else [], BY_NAME)


def _find_groups(columns: Mapping[str, Contents], data: DataSettings, cast: ColumnRoles) -> None:
    """Find the subgroups: known names, and texts that repeat; items, and what wrote the texts, are none."""
    for name in cast.free(columns):
        known = column_names.is_group_name(name)
        contents = columns[name]
        problem = contents.levels_problem(MOST_NAMED_LEVELS if known else MOST_LEVELS)
        if not problem and not known and contents.is_numeric:
            problem = NAMELESS
        if not problem and not known and column_names.names_somebody(name):
            problem = "names persons or responses; name it with --group to see them"
        if not problem and not known and (column_names.names_writer(name) or column_names.first_item([name])):
            problem = "says what was answered or what wrote it, and makes no groups; name it with --group to see them"
        if (
            not problem
            and not known
            and contents.n_distinct > MOST_SMALL
            and len(contents) < LEAST * contents.n_distinct
        ):
            problem = (
                f"{contents.n_distinct:,} values of few responses each, like items; name it with --group to see them"
            )
        if not problem and len(cast.columns("group")) >= MOST_FOUND:
            problem = f"{MOST_FOUND} group columns were found before it; name those that matter with --group"
        if not problem and not known and (problem := _score_unnamed(name)) and _is_open(name, data):
            raise QuestionError(
                f"column '{name}' is named like scores and holds no numbers; write its scores as numbers, name the "
                f"scores that count with --system and --human, or type {write_command('--group', name)} if it holds "
                "groups."
            )
        if not problem:
            cast.give("group", [name], BY_NAME if known else BY_CONTENTS)
        elif name not in cast.taken():
            cast.left_out[name] = _score_unnamed(name) or problem


def _is_open(name: str, data: DataSettings) -> bool:
    """Return whether the scores that a column is named like, of engines or of people, are not named."""
    if systems_by_name([name], people_named=True):
        return not (named_systems(data) or data.ratings_only)
    return not data.human


def _refuse_scores_elsewhere(columns: Mapping[str, Contents], data: DataSettings, cast: ColumnRoles) -> None:
    """Raise where an option gives another part to scores of an engine or a rater, which nothing else names."""
    for role in ("id", "length", "text", "position"):
        for name in cast.columns(role):
            engine = name in systems_by_name([name], people_named=False)
            clear = engine or column_names.is_human_name(name)
            if clear and name in columns and columns[name].has_scores and _is_open(name, data):
                whose, side = ("an engine", "system") if engine else ("a rater", "human")
                raise SettingsError(
                    f"--{role} '{name}': this column is named like the scores of {whose}, and holds numbers; name "
                    f"another column, or say whose scores count with --{side} NAME."
                )


def _refuse_two_parts(cast: ColumnRoles) -> None:
    """Raise when a column plays two parts; an item or a position may be a group too, and flags may be anything."""
    seen: dict[str, str] = {}
    for role in ROLES[:-1]:
        for column in cast.columns(role):
            if column in seen and (seen[column], role) not in GROUPS_TOO:
                raise SettingsError(
                    f"column '{column}' cannot be both {seen[column]} and {role}; name another column for one of them."
                    if seen[column] != role
                    else f"column '{column}' is named twice as {role}; name it once."
                )
            seen[column] = role
