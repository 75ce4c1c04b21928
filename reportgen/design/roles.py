"""Assign roles to columns by options, names, or contents, and split rows by columns.

A source that does not fit in memory is surveyed: profiles of all rows are computed one pass at a time.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from reportgen.design import profiles, score_columns
from reportgen.design.profiles import Profile, Profiles
from reportgen.design.readings import BY_CONTENTS, BY_NAME, JOINED, NAMED, ROLES, ColumnRoles
from reportgen.errors import InputError, QuestionError, SettingsError, joined, listed, write_command
from reportgen.machine.progress import Silent
from reportgen.settings import DataSettings
from reportgen.sources import column_names
from reportgen.sources.columns import NO_INFO, Coded, coded, crossed, is_whole, labelled, mask_to_arrow, slim
from reportgen.sources.digests import Rows, Seen
from reportgen.sources.documents import SHEET
from reportgen.sources.tabular import CHANGED, Reader, TableReader
from reportgen.wording.names import natural

MOST_FOUND = 30  # the most group columns that are detected; named group columns are all used

MOST_SMALL, LEAST = 10, 10
"""A text column with an unknown name, more values than the first, and fewer responses per value, is like an item."""

NAMELESS = "numeric, role not recognized"  # why a column of numbers has no role

GROUPS_TOO = (("cluster", "group"), ("item", "group"), ("position", "group"), ("length", "text"))
"""Roles that one column can combine."""

SINGLE = ("id", "candidate", "cluster", "item", "length", "text", "position", "weight", "double_weight")
"""Roles of a single column, each with a setting of the same name."""


def named_roles(names: Collection[str], data: DataSettings) -> ColumnRoles:
    """Return the roles that the settings assign."""
    groups = data.groups or ()
    given: dict[str, Sequence[str]] = {"system": score_columns.named_systems(data), "run": data.runs or ()}
    given |= {role: [column] if (column := getattr(data, role)) else [] for role in SINGLE}
    given |= {"human": data.human or (), "rater": data.rater_ids or (), "time": data.rating_times or ()}
    given |= {"item score": data.item_scores}
    given["group"] = groups if data.position in (None, *groups) else (*groups, str(data.position))
    given["flag"] = tuple(data.flags)
    roles = ColumnRoles()
    seen: dict[str, str] = {}
    for role, columns in given.items():
        roles.assign(role, columns, NAMED)
        what = f"{role.replace('system', 'engine')} column"
        column_names.refuse_unknown(columns, names, what, splits=role == "group")
    for role in ROLES[:-1]:  # flags may be anything
        for column in roles.columns(role):
            if column in seen and (seen[column], role) not in GROUPS_TOO:
                twice = "is listed twice; list it once."
                both = f"cannot be both {seen[column]} and {role}; choose different columns."
                raise SettingsError(f"column '{column}' {twice if seen[column] == role else both}")
            seen[column] = role
    return roles


def shortlist(head: Profiles, roles: ColumnRoles) -> list[str]:
    """Return the columns to read in full, judged by the first rows; notes the other columns in `roles`."""
    scored = {name for name, profile in head.items() if profile.has_scores}
    engines = score_columns.systems_by_name(head, people_named=False)
    people = [name for name in head if column_names.is_human_name(name) or column_names.may_be_human_name(name)]
    known = [roles.columns("system") or scored & {*engines}, roles.columns("human") or scored & {*people}]
    worth = []
    sides = [[head[name] for name in sorted(scored.intersection(each))] for each in known[::-1]]
    rated = [n for n in scored if column_names.is_human_name(n) or column_names.side_of(n)[0] == "people"]
    beside = score_columns.first_ratings(rated, head)
    for name, profile in head.items():
        too_long = profile.is_readable and profile.mean_length > profiles.LONGEST_LABEL
        if too_long and name in roles.columns("group"):
            refuse_long_label(name, profile.longest_label())
        if name in roles.assigned() or (_has_known_name(name) and profile.is_readable and not too_long):
            worth.append(name)
        elif profile.unread or (
            all(known)
            and profile.is_numeric
            and not profile.is_id_like
            and name not in beside
            and not (all(sides) and profiles.goes_with(profile, *sides))
        ):
            roles.left_out[name] = profile.unread or NAMELESS
        else:
            worth.append(name)
    return worth


def refuse_long_label(name: str, longest: int) -> None:
    """Raise if the longest label of a group column is too long."""
    if longest > profiles.LONGEST_LABEL:
        text = f"group column '{name}' has a label of {longest:,} characters; a group's label has at most "
        hint = "Shorten the labels, or exclude the column (name the others with --group)."
        raise InputError(f"{text}{profiles.LONGEST_LABEL:,}. {hint}")


def assign_roles(columns: Profiles, data: DataSettings, roles: ColumnRoles) -> ColumnRoles:
    """Assign every role that the settings left open, and note why the other columns have none."""
    assign_open_roles(columns, data, roles)
    note_unused_columns(columns, data, roles)
    return roles


def columns_that_matter(reader: Reader, data: DataSettings, also: Sequence[str] = ()) -> tuple[Any, ColumnRoles]:
    """Return all rows of the columns that have a role, and of `also`, and the roles."""
    head = reader.head
    roles = named_roles(head.schema.names, data)
    reader.add_roles(roles)
    wanted = shortlist(profiles.profiles_of(head), roles)
    names = list(dict.fromkeys((*wanted, *also)))
    table = reader.load(names)
    for place, name in enumerate(names if also else ()):  # one at a time, to free the replaced columns
        table = table.set_column(place, name, slim(table[place]))
    roles = assign_roles(profiles.profiles_of(table.select(wanted)), data, roles)
    return table.select([name for name in names if name in roles.assigned() or name in also]), roles


def assign_open_roles(columns: Profiles, data: DataSettings, roles: ColumnRoles) -> None:
    """Assign every role that the settings left open; errors as for `assign_roles`."""
    clear = score_columns.clear_humans(columns)
    for role in ("id", "candidate"):
        found = column_names.first_of(role, [name for name in roles.unassigned(columns) if name not in clear])
        if found and getattr(data, role) is None:
            roles.assign(role, [found], BY_NAME)
    if not (data.cluster or data.candidate or roles.columns("candidate")):
        again = [n for n in roles.unassigned(columns) if column_names.names_response(n) and not columns[n].is_unique]
        many = [name for name in again if column_names.ends_like_id(name) or column_names.normalised(name) == "essay"]
        roles.assign("cluster", many[:1], BY_NAME)
    if data.item is None:
        free, named = roles.unassigned(columns), roles.columns("group")
        groups = {name: columns[name] for name in named if name in columns}
        found = column_names.first_of("item", {**groups, **free})
        sheets = column_names.words_of(" ".join(free[SHEET].first_texts[0])) if found is None and SHEET in free else []
        if sheets and not any(column_names.has_word(kind, sheets) for kind in ("group", "cluster")):
            found = SHEET
        parts = [name for name in str(data.id).split(JOINED) if name in free]
        if found is None and len(parts) > 1:
            found = min(parts, key=lambda name: free[name].n_distinct)
        names_each = found in free and not roles.columns("id") and columns[str(found)].is_mostly_distinct
        roles.assign("item", [found] if found and not names_each else [], BY_NAME)
    grouped, others = (
        score_columns.systems_by_name(names, people_named=True)
        for names in (roles.columns("group"), [*roles.unassigned(columns)])
    )
    unnamed = not (others or roles.columns("system") or data.ratings_only)
    if unnamed and any(columns[each].is_numeric for each in grouped):
        text = f"group column '{grouped[0]}' looks like engine scores; choose another column with --group NAME"
        raise InputError(f"{text}, or add --ratings-only for a report on the raters.")
    score_columns.find_scores(columns, data, roles)
    _find_runs(columns, data, roles)
    if data.rater_ids is None:
        _give_numbered("rater", column_names.rater_id_of, columns, roles)
    for name in roles.columns("rater"):
        if engines := column_names.engines_among(columns[name].texts):
            text = f"'{name}' lists the engine '{engines[0]}' as a rater; move its scores to a separate column"
            raise InputError(f"{text}, and leave the rater's score blank in these rows.")
    if data.rating_times is None and roles.columns("rater"):
        _give_numbered("time", column_names.rating_time_of, columns, roles)
    if data.id is None and not roles.columns("id"):
        free = roles.unassigned(columns)
        unique = [name for name, each in free.items() if each.is_id_like]
        unique = unique or [n for n, each in free.items() if column_names.ends_like_id(n) and each.is_mostly_distinct]
        unique = [name for name in unique if not (column_names.is_measure_name(name) and columns[name].is_numeric)]
        unique = [name for name in unique if not column_names.has_word("remarks", column_names.words_of(name))]
        unique.sort(key=lambda name: (not column_names.ends_like_id(name), natural(name)))
        roles.assign("id", unique[:1], BY_CONTENTS)
    for one, other in product(roles.columns("id"), columns):
        if other != one and columns[other].is_shuffled(columns[one]):
            text = f"columns '{one}' and '{other}' have the same values in another order, as two tables side by side; "
            raise InputError(f"{text}save them as two files, and join them with --labels-file FILE.")
    if data.groups is None:
        _find_groups(columns, roles)


def note_unused_columns(columns: Profiles, data: DataSettings, roles: ColumnRoles) -> None:
    """Note why each column without a role has none, and how to name a column that may be a system."""
    for name in roles.unassigned(columns):
        roles.left_out.setdefault(name, _unnamed(name, columns[name], data, roles))
    if not (data.by or data.scale or data.scales):
        _ask_about_maxima(columns, roles)
    weights = [name for name in roles.left_out if column_names.is_weight_name(name) and columns[name].n_distinct > 1]
    for name in weights if data.weight is None and roles.columns("system") else ():
        if columns[name].is_numeric and columns[name].first_numbers.min(initial=np.inf) >= 1:
            yes, no = f"'{name}' is a sampling weight", f"'{name}' is not a sampling weight"
            text = f"'{name}' looks like a sampling weight. Is it one?"
            raise QuestionError(text, [(yes, ("--weight", name)), (no, ("--weight", ""))])
    partly = [name for name, why in roles.left_out.items() if why.startswith(PARTLY)]
    known = [name for name, why in roles.left_out.items() if why == "only one value"]
    trained = [n for n in known if column_names.has_word("training", map(column_names.normalised, columns[n].texts))]
    if trained and roles.columns("system"):
        text = f"'{trained[0]}' shows that all rows were used to train the engine; evaluate other responses"
        raise InputError(f"{text}, or remove the column.")
    engines = [columns[name] for name in roles.columns("system") if name in columns]
    if partly and not data.by and not _only_untrained(columns[partly[0]], engines):
        name = partly[0]
        separate, together = f"make a report for each value of '{name}'", f"make one report, with '{name}' as a group"
        ways = [(separate, ("batch", "--by", name)), (together, ("--group", name))]
        raise QuestionError(f"'{name}' {PARTLY}. Do all rows belong in one report?", ways)
    for name in look_alikes(roles):
        named = write_command(*(word for each in (*roles.columns("system"), name) for word in ("--system", each)))
        how = f"run again with {write_command('--system', name)}" if data.by else f"add {named}"
        roles.left_out[name] += f"; if it is another engine, {how}"


def _only_untrained(split: Profile, engines: Sequence[Profile]) -> bool:
    """Return whether a column marks training rows, and no engine has scores in them."""
    texts, codes = split.first_texts
    marked = np.isin([*map(column_names.normalised, texts)], column_names.VOCABULARY["training"])[codes]
    return bool(marked.any() and engines) and not any(np.isfinite(each.first_numbers[marked]).any() for each in engines)


def _ask_about_maxima(columns: Profiles, roles: ColumnRoles) -> None:
    """Prompt whether all rows are on one scale if a column of highest possible scores varies, or those of items do."""
    people = [columns[each] for each in roles.columns("human") if each in columns]
    for name in (*filter(column_names.is_maximum_name, columns), *roles.columns("item")):
        tops = sorted(columns[name].points) if columns[name].is_numeric else []
        if name in roles.columns("item"):
            tops = _highest_of_items(columns[name], people)
        given = [point for each in people for point in each.points] if tops[1:] else []
        if given and all(isinstance(point, float) for point in given) and tops[-1] >= max(given):
            scale = f"{min(given):g}:{tops[-1]:g}"
            separate = f"the scales differ, so make a report for each value of '{name}'"
            together = f"the scale is {min(given):g} to {tops[-1]:g} in all rows"
            ways = [(separate, ("batch", "--by", name)), (together, ("--scale", scale))]
            text = f"the highest score is {joined((f'{top:g}' for top in tops), 'or', 5)}, depending on '{name}'"
            raise QuestionError(f"{text}. Are all rows on the same scale?", ways)


def _highest_of_items(items: Profile, people: Sequence[Profile]) -> list[float]:
    """Return the distinct highest human scores of the items, if they differ so much that their scales do."""
    _, codes = items.first_texts
    rows = [codes == code for code in np.flatnonzero(np.bincount(codes) >= LEAST_OF_ITEM)]
    scores = [np.concatenate([each.first_numbers[own] for each in people]) for own in rows if people]
    tops = sorted({float(np.nanmax(each)) for each in scores if np.isfinite(each).any()})
    return tops if tops and tops[-1] >= max(2 * tops[0], tops[0] + 3) else []


LEAST_OF_ITEM = 20  # the fewest responses to an item that show its highest score


def look_alikes(roles: ColumnRoles) -> list[str]:
    """Return numeric columns without a role whose names begin with the name of a system or are names of engines."""
    systems = tuple(column_names.normalised(name) for name in roles.columns("system"))
    left = [name for name, why in roles.left_out.items() if why.startswith((NAMELESS, "not needed", "fewer than two"))]
    engines = [name for name in left if column_names.side_of(name)[0] == "engine"]
    return [name for name in left if name in engines or column_names.normalised(name).startswith(systems)]


def _unnamed(name: str, profile: Profile, data: DataSettings, roles: ColumnRoles) -> str:
    """Return why a column has no role: an option named other columns, or there is no evidence for one."""
    if column_names.is_cluster_name(name) and not data.cluster and not profile.has_scores:
        return f"not needed; if responses with the same value are dependent, add {write_command('--cluster', name)}"
    if reason := _score_unnamed(name, profile, roles):
        return reason
    if data.groups is not None and profile.is_numeric and not column_names.is_group_name(name):
        return NAMELESS
    if data.groups is not None and not profile.levels_problem(profiles.MOST_NAMED_LEVELS):
        return "not named with --group" if data.groups else "group detection is off"
    return "not needed"


def _score_unnamed(name: str, profile: Profile, roles: ColumnRoles) -> str:
    """Return the reason for a column that is named like scores if others were found; empty for other columns."""
    stem = (column_names.series_of(name) or ("", ""))[0]
    role = "human" if column_names.is_human_name(name) or column_names.is_of_people(stem) else ""
    role = "system" if score_columns.systems_by_name([name], people_named=True) else role
    if role and profile.is_blank:
        return "contains no scores"
    named = profile.has_numbers or any(how == NAMED for _, how in roles.parts.get(role, ()))
    return "" if not role else f"not named with --{role}" if named else "words, although the other scores are numbers"


def _has_known_name(name: str) -> bool:
    tests: tuple[Callable[[str], object], ...] = (
        column_names.is_system_name, column_names.is_human_name, column_names.may_be_human_name,
        column_names.is_group_name, column_names.names_engine, column_names.names_points,
        column_names.may_name_engine, score_columns.may_be_of_raters, column_names.run_of, column_names.is_maximum_name,
        column_names.is_final_name, column_names.is_weight_name, column_names.counts_or_spreads,
        lambda name: column_names.has_word("whole", column_names.words_of(name)),
    )  # fmt: skip
    parts = (column_names.first_of(part, [name]) for part in ("id", "candidate", "item"))
    known = (column_names.rater_id_of(name), column_names.rating_time_of(name), *parts)
    return column_names.side_of(name)[0] != "" or any(test(name) for test in tests) or known != (None,) * len(known)


def _find_runs(columns: Profiles, data: DataSettings, roles: ColumnRoles) -> None:
    """Find the repeated runs of each system by name, unless they are declared."""
    systems = roles.columns("system")
    if data.runs is not None:
        if len(systems) > 1 and data.runs:
            raise SettingsError("runs belong to one engine; name only that engine with --system NAME.")
        roles.runs = dict.fromkeys(systems, data.runs)
        return
    for system in systems:
        own = column_names.normalised((column_names.run_of(system) or (system, 0))[0])
        free = roles.unassigned(columns)
        numbered = {name: run for name in free if (run := column_names.run_of(name)) and free[name].has_scores}
        found = [(n, name) for name, (whose, n) in numbered.items() if column_names.normalised(whose) == own]
        if score_columns.is_run(system):
            found = [(column_names.rater_order(name), name) for name in free if score_columns.is_run(name)]
        runs = tuple(name for _, name in sorted(found))
        roles.assign("run", runs, BY_NAME)
        roles.runs.setdefault(system, runs)


def _give_numbered(role: str, number_of: Callable[[str], int | None], columns: Profiles, roles: ColumnRoles) -> None:
    """Assign a role to the columns numbered like the human scores if there is one for each."""
    found = {number_of(name): name for name in roles.unassigned(columns)}
    human = [column_names.rater_order(name) for name in roles.columns("human")]
    if len(human) > 1 and all(number in found for number in human) and len(set(human)) == len(human):
        roles.assign(role, [found[number] for number in human], BY_NAME)


def _find_groups(columns: Profiles, roles: ColumnRoles) -> None:
    """Find the subgroups: known names, and texts that repeat, except items and the system that wrote the responses."""
    found: dict[str, bool] = {}
    scores = [*roles.columns("human"), *roles.columns("system"), *filter(column_names.names_points, columns)]
    people = [columns[name] for name in (*roles.columns("candidate"), *roles.columns("id")) if name in columns][:1]
    for name in roles.unassigned(columns):
        profile, known = columns[name], column_names.is_group_name(name)
        unnamed = _score_unnamed(name, profile, roles)
        problem = profile.levels_problem(profiles.MOST_NAMED_LEVELS if known else profiles.MOST_LEVELS)
        if any(score_columns.is_worded_like(profile, columns[each]) for each in scores if each in columns):
            problem = problem or "has the labels of the scores; name it with --human or --system to use it"
        if not problem:
            follows = (f"derived from '{each}'" for each in scores if each != name and profile.follows(columns[each]))
            flags = (f"marks the responses with '{n}'" for n in scores if not known and profile.marks(columns[n]))
            problem = "" if known else _unlike_group(name, profile, people) or unnamed
            problem = problem or next(follows, next(flags, "")) or _too_fine(name, profile)
        if not problem:
            found[name] = known
        else:
            roles.left_out[name] = unnamed or problem
    first = sorted(found, key=lambda name: (not found[name], natural(name)))[: MOST_FOUND - len(roles.columns("group"))]
    for name, known in found.items():
        if name in first:
            roles.assign("group", [name], BY_NAME if known else BY_CONTENTS)
        else:
            roles.left_out[name] = f"{MOST_FOUND} other group columns were found; name those that matter with --group"


def _unlike_group(name: str, profile: Profile, people: Sequence[Profile]) -> str:
    """Return why a column with an uninformative name is not a group of `people`; empty if it may be one."""
    if profile.is_mostly_numeric:
        return NAMELESS
    shown = {"scored": profile.are_letter_grades, "dates": profile.are_dates}
    for kind, what in UNLIKE_GROUPS.items():
        if column_names.has_word(kind, column_names.words_of(name)) or shown.get(kind):
            return _UNLIKE.format(what)
    if column_names.side_of(name)[0] == "engine" or any(profile.varies_within(each) for each in people):
        return score_columns.NAMES_SYSTEMS
    if profile.mean_length > profiles.LONG_ID:
        return "contains texts; to use it as a group, name it with --group"
    if column_names.names_somebody(name) or column_names.ends_like_id(name):
        return "identifies people or responses; to use it as a group, name it with --group"
    if column_names.names_writer(name) or column_names.first_of("item", [name]):
        return score_columns.NAMES_SYSTEMS
    texts = {column_names.normalised(text).removesuffix("set") for text in profile.texts if text}
    imputed = any(column_names.has_word("imputed", column_names.words_of(text)) for text in profile.texts)
    if imputed or 2 * len(texts & {*column_names.VOCABULARY["split"]}) >= max(len(texts), 1):
        return f"{PARTLY}; for a report on each: reportgen batch --by {name}"
    return ""


_UNLIKE = "contains {}, by its name or its values; to use it as a group, name it with --group"
UNLIKE_GROUPS = {
    "scored": "scores", "remarks": "remarks", "handling": "codes or flags", "dates": "dates",
    "confidence": "an engine's confidence",
}  # fmt: skip


def _too_fine(name: str, profile: Profile) -> str:
    """Return why a column has too many values for a group; empty if it does not."""
    few = len(profile) < LEAST * profile.n_distinct
    few &= not column_names.is_group_name(name) or column_names.is_cluster_name(name)
    text = f"{profile.n_distinct:,} values with few responses, like items; to use it as a group, name it with --group"
    if profile.is_numeric and profile.n_distinct > score_columns.MOST_SCHOOL_GRADES:
        return f"{profile.n_distinct:,} different numbers; write ranges such as 18-24, or name it with --group"
    return text * (few and profile.n_distinct > MOST_SMALL)


PARTLY = "may mark rows to evaluate separately, such as training data or imputed scores"
"""The beginning of the reason why a column is not a group."""

NO_ENGINE = "no engine score column was found; name it with --system NAME, or evaluate the raters with --ratings-only"
"""The message if an engine's scores are required."""


def baseline_first(roles: ColumnRoles, data: DataSettings) -> None:
    """Move the system that the others are compared with to the front."""
    systems = roles.columns("system")
    if data.baseline is None:
        return
    hint = "name every engine with --system NAME."
    if data.baseline in roles.columns("human"):
        raise SettingsError(f"baseline '{data.baseline}' is a rater, not an engine; {hint}")
    if len(systems) == 1:
        other = next(iter(look_alikes(roles)), "ANOTHER")
        text = f"baseline '{data.baseline}' requires another engine, and the only one is '{systems[0]}'; name every "
        raise SettingsError(f"{text}engine, such as {write_command('--system', data.baseline, '--system', other)}.")
    if data.baseline not in systems:
        raise SettingsError(f"baseline '{data.baseline}' is not one of {listed(systems)}; {hint}")
    roles.parts["system"].sort(key=lambda part: part[0] != data.baseline)


def refuse_several(data: DataSettings, what: str) -> None:
    """Raise if multiple systems are named and one is evaluated."""
    systems = score_columns.named_systems(data)
    if len(systems) > 1 and data.system is None:
        each = ", then ".join(write_command("--system", name) for name in systems)
        text = f"--system: {what} evaluates one engine, but {len(systems)} are named; run it once for each, with "
        raise SettingsError(f"{text}separate folders: {each}.")


def the_system(roles: ColumnRoles, data: DataSettings) -> str:
    """Return the one system to evaluate."""
    systems = roles.columns("system")
    if data.system or len(systems) == 1:
        return data.system or systems[0]
    if not systems:
        raise SettingsError(NO_ENGINE)
    text = f"the engine scores could be in {listed(systems, 'or')}; choose one, for example, "
    raise SettingsError(f"{text}{write_command('--system', systems[0])}.")


MOST_PASSES = 6  # the most passes over the rows; every pass settles at least one column


def ids_of(reader: Reader, name: str, whole: bool) -> Iterator[Rows]:
    """Yield a column of all rows; `whole` shows whether floats are written without a decimal point."""
    for _, table in reader.batches([name]):
        yield Rows(labelled(table[name], whole))


class Survey:
    """All rows of a source, read as often as needed to find the role of each column.

    reader, data: The source and the settings, including ``by``.
    parted: Whether to also find the parts of the rows, which requires reading all rows.
    reasons: Whether to use all rows to find why a column has no role.
    status: Receives the number of rows read.
    """

    def __init__(
        self, reader: Reader, data: DataSettings, *, parted: bool = True, reasons: bool = False,
        status: Silent | None = None,
    ) -> None:  # fmt: skip
        self._reader, self._data, self._reasons, self._status = reader, data, reasons, status or Silent()
        head = reader.head
        self._named = named_roles(head.schema.names, data)
        self.columns = shortlist(profiles.profiles_of(head), self._named)
        self._by = data.by if parted else ()
        names = list(dict.fromkeys((*self.columns, *self._by)))
        self._head = head.select(names)
        self.whole = {name: is_whole(head[name]) for name in names if pa.types.is_floating(head[name].type)}
        """Column of floats -> whether all its numbers are whole, in the rows examined so far."""
        self._facts: dict[str, profiles.Facts] = {}
        self._unique: dict[str, bool] = {}
        self.rows = 0  # the number of rows, once they are read
        self.parts = PartsOfRows(self._by, self.whole)
        self.roles = self._settled()

    def is_unique(self, name: str) -> bool:
        """Return whether all rows are known to have different texts in a column."""
        return self._unique.get(name, False)

    def look_at(self, names: Iterable[str]) -> None:
        """Check on all rows whether columns of floats contain whole numbers, if only the first rows were checked."""
        if open_ones := [name for name in names if name in self.whole and name not in self._facts]:
            self._pass([*dict.fromkeys(open_ones)])

    def batches(self, names: Sequence[str], rows: int) -> Iterator[Any]:
        """Yield columns of all rows as record batches of at most `rows` rows."""
        for _, table in self._reader.batches(names, rows=rows):
            yield from table.combine_chunks().to_batches()

    def _settled(self) -> ColumnRoles:
        """Return the role of every column once no role depends on the first rows only."""
        for passes in range(MOST_PASSES):
            own = {n: Profile(self._head[n], n, self._facts.get(n), self.is_unique(n)) for n in self.columns}
            columns = profiles.share_labels(own)
            roles, refused = self._named.copy(), None
            try:
                assign_open_roles(columns, self._data, roles)
                before = self._open(columns)
                note_unused_columns(columns, self._data, roles)
                missing = self._open(columns) if self._reasons or self._by or passes else before
            except SettingsError as error:
                refused, missing = error, self._open(columns)
            if not missing and (self.rows or not self._by):
                if refused is not None:
                    raise refused
                return roles
            self._pass([*dict.fromkeys((*missing, *self._by))])
        raise InputError(CHANGED)

    def _open(self, columns: Profiles) -> list[str]:
        return [name for name, profile in columns.items() if profile.asked and name not in self._facts]

    def _pass(self, names: Sequence[str]) -> None:
        """Profile columns on all rows and find the parts of the rows; repeat if floats were written differently."""
        parts, seen, done = PartsOfRows(self._by, dict(self.whole)), Seen(), 0
        facts = dict.fromkeys(names, profiles.Facts())
        whole = {name: True for name in names if name in self.whole}
        heads = [each for each in profiles.profiles_of(self._head.select(names)).values() if each.is_unique]
        ids = [each.name for each in heads if not each.is_fractional and each.mean_length <= profiles.LONG_ID]
        self._status.rows(done, self._reader.rows)
        for _, table in self._reader.batches(names):
            for name in names:
                texts = labelled(table[name], self.whole.get(name, True))
                facts[name] += profiles.Facts.of_numbers(table[name], name) + profiles.Facts.of_texts(texts, name)
                whole[name] = whole.get(name, False) and is_whole(table[name])
                if name in ids:
                    seen.add(name, Rows(texts))
            if self._by and set(self._by) <= set(names):
                parts.count(table)
            done += table.num_rows
            self._status.rows(done, max(done, self._reader.rows))
        wrong = [name for name in names if name in self.whole and self.whole[name] != whole[name]]
        self.whole |= {name: whole[name] for name in wrong}
        right = set(names).difference(wrong)
        self._facts |= {name: facts[name] for name in names if name in right}
        for name in right.intersection(ids):
            self._unique[name] = not seen.repeats(name, partial(ids_of, self._reader, name, self.whole.get(name, True)))
        if right.issuperset(self._by) and set(self._by) <= set(names):
            self.rows, self.parts = done, parts
        if wrong:
            self._pass([*wrong, *(name for name in self._by if name not in wrong)])


MOST_PARTS = 10_000  # a column with more values names responses or candidates and not items

Values = tuple[str, ...]  # the values of the `by` columns in a row


def selected(reader: Reader, data: DataSettings) -> Reader:
    """Return a reader with only the rows that the setting ``only`` selects."""
    if not data.only:
        return reader
    names = reader.head.schema.names
    column_names.refuse_unknown(data.only, names, "data.only: column", splits=True)
    table = reader.load(names)
    kept = np.logical_and.reduce([values_of(table[key], key).where(one.__eq__) for key, one in data.only.items()])
    if not kept.any():
        raise InputError(f"no row contains {filter_text(data.only)}; correct 'only' under [data].")
    rows, source = np.flatnonzero(kept).tolist(), reader.source(table.num_rows)
    return TableReader(table.filter(mask_to_arrow(kept)), source, 1, (), lambda index: reader.place(rows[index]))


def values_of(column: Any, name: str) -> Coded:
    """Return a column as codes of its distinct values, with whitespace stripped and blanks named."""
    found = coded(column, name)
    labels = [label.strip() or NO_INFO for label in found.labels]
    distinct = list(dict.fromkeys(labels))
    place = {label: index for index, label in enumerate(distinct)}
    return Coded(np.array([place[label] for label in labels], np.int32)[found.codes], tuple(distinct))


def filter_text(values: Mapping[str, str]) -> str:
    """Return columns and their values in words.

    Examples
    --------
    >>> filter_text({"item": "P01", "grade": "8"})
    "item 'P01', grade '8'"
    """
    return ", ".join(f"{name} '{value}'" for name, value in values.items())


@dataclass
class PartsOfRows:
    """Numbers of the parts of rows, in order of appearance, and the size of each part."""

    by: tuple[str, ...]
    whole: dict[str, bool]
    numbers: dict[Values, int] = field(default_factory=dict)
    sizes: list[int] = field(default_factory=list)

    def codes(self, table: Any) -> NDArray[np.intp]:
        """Return the part number of each row."""
        codes, found = crossed([coded(labelled(table[name], self.whole.get(name, True)), name) for name in self.by])
        values = [tuple(label.strip() or NO_INFO for label in each) for each in found]
        numbers = [self.numbers.setdefault(each, len(self.numbers)) for each in values]
        if len(self.numbers) > MOST_PARTS:
            text = f"--by {', '.join(self.by)}: more than {MOST_PARTS:,} values"
            raise SettingsError(f"{text}; name a column of items, not of responses.")
        return np.array(numbers, np.intp)[codes]

    def count(self, table: Any) -> NDArray[np.intp]:
        """Count some rows, and return their part numbers."""
        codes = self.codes(table)
        found = np.bincount(codes, minlength=len(self.numbers)).tolist()
        self.sizes += [0] * (len(found) - len(self.sizes))
        self.sizes = [size + more for size, more in zip(self.sizes, found, strict=True)]
        return codes

    def ordered(self) -> tuple[tuple[dict[str, str], ...], tuple[int, ...], NDArray[np.uint16]]:
        """Return the values and size of every part in natural order, and the position of each part number."""
        met = list(self.numbers)
        ranks = sorted(range(len(met)), key=lambda index: [natural(value) for value in met[index]])
        place = np.empty(len(met), np.uint16)
        place[ranks] = np.arange(len(met))
        values = tuple(dict(zip(self.by, met[index], strict=True)) for index in ranks)
        return values, tuple(self.sizes[index] for index in ranks), place


def parted(table: Any, by: Sequence[str]) -> tuple[tuple[dict[str, str], ...], tuple[int, ...], NDArray[np.uint16]]:
    """Return the values and size of every part, and the part of each row."""
    whole = {name: is_whole(table[name]) for name in by if pa.types.is_floating(table[name].type)}
    parts = PartsOfRows(tuple(by), whole)
    numbers = [parts.count(block) for block in profiles.blocks(table.select(list(by)))]
    values, sizes, place = parts.ordered()
    return values, sizes, place[np.concatenate([*numbers, np.empty(0, np.intp)])]
