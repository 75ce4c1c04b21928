"""Detect whether rows are responses or ratings, which columns show it, and which raters are engines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple, NoReturn

import numpy as np

from reportgen.design.profiles import LONG_ID, Profile, Profiles, profiles_of
from reportgen.design.readings import BY_CONTENTS, BY_NAME, JOINED, NAMED, Candidate, LongColumns, choose
from reportgen.design.score_columns import may_be_scores, named_systems, plays_other_part, systems_by_name
from reportgen.errors import QuestionError, SettingsError, listed, shortened
from reportgen.settings import DataSettings
from reportgen.settings.kinds import MOST_LABELS
from reportgen.sources import column_names
from reportgen.sources.columns import as_text, encode, is_blank
from reportgen.sources.digests import Fingerprints, fingerprints, joint_prints
from reportgen.sources.tabular import Reader
from reportgen.wording.names import natural

PARTS = ("id", "rater", "score", "time", "run")

NEARLY = 0.02  # the largest share of rows in which a rater rates a response again

EXPECTED = 5.0
"""Repeated pairs of response and rater that chance would produce; if most are missing, raters cross responses."""

BY_CHANCE = 0.1  # the largest share of the expected repeats in crossed data

LONGEST = 1000  # the longest mean length of texts that name responses; they may be the responses themselves

MOST_BY_CONTENTS = 30  # the most values of a column that may name raters without a telltale name

MOST_PARTS = 5  # the most columns of which two or three may name a response

MOST_CANDIDATES = 12  # the most columns that are considered as IDs, the likeliest names first

Prints = Mapping[str, Fingerprints]


def long_columns(reader: Reader, data: DataSettings) -> LongColumns | None:
    """Return the columns of a file with one row per rating; None for one row per response.

    A row is a rating if the settings declare it, or if a column that is named like raters crosses a column that may
    name responses.  All rows, in any order, decide that, and so does a column without scores in the first rows.
    """
    if data.layout == "wide":
        return None
    names = reader.head.schema.names
    given = {part: getattr(data, part) for part in PARTS}
    for part, column in given.items():
        column_names.refuse_unknown([column] if column else [], names, f"{part} column")
        if column and (parts := [each for each in PARTS if given[each] == column])[1:]:
            raise SettingsError(f"column '{column}' cannot be both {parts[0]} and {parts[1]}; choose another column.")
    declared = data.layout == "long" or data.rater is not None
    head = _Head.of(reader, data, given)
    labels = (encode(reader.look([name])[name], name).labels for name in (() if declared else head.raters))
    raters = {label.strip() for each in labels for label in each}
    named = [each for each in (*named_systems(data), *(data.human or ())) if each not in names]
    declared |= not data.ratings_only and any(each in raters for each in named)
    if not declared and (not head.raters or head.names_columns(raters, data)):
        return None
    found = [each for rater in head.raters for each in _candidates(reader, head, rater, given, declared=declared)]
    if not found and not declared:
        return None
    if not found:
        there = {part: given[part] or column_names.first_of_long(part, names) for part in PARTS[:3]}
        missing = next((part for part, column in there.items() if column is None), "id")
        text = f"no column looks like the {missing.replace('id', 'ID')} of each rating; name it with --{missing} NAME, "
        raise QuestionError(f"{text}or add --layout wide if each row is a response.")
    means = "each row is one response"
    wide = Candidate(None, means, ("--layout", "wide"), ("row_is_response", *head.id_differs(reader)))
    question = "each row could be a response or a rating. Which is it?"
    best = choose(found if declared else [*found, wide], question).value
    if best is None:
        return None
    if not (given["score"] or _names_score(best[2])):
        _ask_about_questions(reader, head, *best)
    columns = dict(zip(PARTS, (*best, head.time, head.run), strict=True))
    how = {part: NAMED if given[part] else BY_NAME for part in columns}
    if not given["id"] and best[0] not in column_names.all_of_long("id", [best[0]]):
        how["id"] = BY_CONTENTS
    return LongColumns(**columns, how=how)


def _ask_about_questions(reader: Reader, head: _Head, name: str, rater: str, score: str) -> None:
    """Prompt which column is evaluated if raters answered several questions on one scale, and no name shows scores."""
    own, taken = head.columns[score], {name, rater, score, head.time, head.run, *head.engines, *name.split(JOINED)}
    alike = [each for each in head.columns.values() if each.name not in taken and each.is_score_like]
    alike = [each for each in alike if each.points <= own.points and each.has_range_of(own)]
    every = prints_of_all(reader, [*name.split(JOINED), *(each.name for each in alike)]) if alike else {}
    ids = joint_prints([every[part] for part in name.split(JOINED)]) if alike else np.empty(0, np.uint64)
    scores = [score, *(each.name for each in alike if not same_within(ids, every[each.name]))]
    if scores[1:]:
        typed = ("--layout", "long", "--id", name, "--rater", rater)
        ways = [(f"evaluate '{each}'", (*typed, "--score", each)) for each in scores]
        raise QuestionError(f"each row has several scores: {listed(scores)}. Which one should be evaluated?", ways)


class _Head(NamedTuple):
    """The candidate columns of each role, the likeliest first, and the columns named like engines and people."""

    columns: Profiles
    ids: list[str]
    raters: list[str]
    scores: list[str]
    engines: list[str]
    people: list[str]
    time: str | None
    run: str | None
    beside: list[str]  # columns that distinguish ratings of a response by one rater: the run, and what splits the file

    @classmethod
    def of(cls, reader: Reader, data: DataSettings, given: Mapping[str, str | None]) -> _Head:
        columns = {name: each for name, each in profiles_of(reader.head).items() if each.is_readable}
        taken = {*named_systems(data), *(data.human or ()), *(data.groups or ()), data.candidate, *given.values()}
        free = [name for name in columns if name not in taken]
        raters = [name for name in column_names.all_of_raters(free) if not columns[name].is_fractional]
        raters = [given["rater"]] if given["rater"] else raters or _by_contents(columns, free)
        time, run = (given[part] or column_names.first_of_long(part, free) for part in ("time", "run"))
        beside = [each for each in (run, *data.by) if each in columns]
        if not raters:
            return cls(columns, [], [], [], [], [], time, run, beside)
        # other rows may have scores if the first rows have none
        unknown = [n for n, each in columns.items() if each.is_blank or (_names_score(n) and not each.has_scores)]
        columns |= profiles_of(reader.look(unknown)) if unknown else {}
        scored = [name for name in columns if name not in raters and columns[name].has_scores]
        engines = systems_by_name(scored, people_named=True)
        called = [name for name in scored if name not in engines and column_names.side_of(name)[0] == "engine"]
        engines += [name for name in called if may_be_scores(columns[name])]
        scores = [name for name in scored if name in free and name not in engines and _names_score(name)]
        scores = [name for name in scores if columns[name].has_numbers or columns[name].n_distinct > 1]
        scores = [name for name in scores if not column_names.is_maximum_name(name)]
        labels = [name for name in free if 1 < columns[name].n_distinct <= MOST_LABELS and name not in raters]
        words = [] if scores else [each for each in [column_names.first_of_long("score", labels)] if each]
        parts = {*raters, *engines, *column_names.all_of_long("id", free), time, run}
        points = [name for name in scored if name in free and name not in parts and may_be_scores(columns[name])]
        points = [name for name in points if columns[name].is_score_like] or points  # words if there are no numbers
        rest = [n for n in scored if n in free and n not in parts and columns[n].is_numeric and not plays_other_part(n)]
        points = points or (rest if column_names.all_of_raters(raters) else [])
        raw = [name for name in engines if name in free and _names_score(name) and not column_names.side_of(name)[0]]
        scores = [given["score"]] if given["score"] else scores or words or (points if len(points) == 1 else raw)
        engines = [name for name in engines if name not in scores]
        ids = [name for name in free if name not in (*scores, *engines, time, run) and not columns[name].is_fractional]
        ids = [name for name in ids if columns[name].mean_length <= LONGEST and not columns[name].is_blank]
        ids = [name for name in ids if {*data.by}.isdisjoint(name.split(JOINED))]
        ids = [name for name in ids if not (column_names.is_group_name(name) or column_names.is_measure_name(name))]
        known = column_names.all_of_long("id", ids)
        rest = sorted(ids, key=lambda name: (not column_names.ends_like_id(name), natural(name)))
        ids = [given["id"]] if given["id"] else list(dict.fromkeys([*known, *rest]))[:MOST_CANDIDATES]
        people = [name for name in free if column_names.side_of(name)[0] == "people" and may_be_scores(columns[name])]
        return cls(columns, ids, raters, scores, engines, people, time, run, beside)

    def names_columns(self, raters: Collection[str], data: DataSettings) -> bool:
        """Return whether the settings name a human score column, or a column pattern that fits no rater."""
        named = data.human or ()
        if any(each in self.columns for each in named):
            return True
        parts = {*self.raters, *self.scores[:1], *column_names.all_of_long("id", self.columns), self.time, self.run}
        scored = [name for name, each in self.columns.items() if name not in parts and each.has_scores]
        if not (patterns := [each for each in named if column_names.matched(each, scored)]):
            return False
        return not all(column_names.matched(each, [*raters]) for each in patterns)

    def id_differs(self, reader: Reader) -> tuple[str, ...]:
        """Return the evidence of a column that is named like responses and differs in every row."""
        named = [name for name, each in self.columns.items() if column_names.names_response(name) and each.is_unique]
        every = prints_of_all(reader, named) if named else {}
        return ("id_differs",) if any(len(np.unique(each)) == len(each) for each in every.values()) else ()


def _by_contents(columns: Profiles, free: Sequence[str]) -> list[str]:
    """Return columns whose few values may name raters, if no column is named like raters and no row has two scores.

    Columns named like a group, an item, or the system that wrote the responses do not count.
    """
    scored = [name for name in free if columns[name].has_scores]
    if len(systems_by_name(scored, people_named=True)) > 0 or len([*filter(column_names.is_human_name, scored)]) > 1:
        return []
    few = [name for name in free if not (columns[name].levels_problem(MOST_BY_CONTENTS) or columns[name].has_scores)]
    few = [name for name in few if columns[name].mean_length <= LONG_ID and not column_names.first_of("item", [name])]
    few = [name for name in few if not (column_names.is_group_name(name) or column_names.names_writer(name))]
    return [name for name in few if not _names_score(name) or _has_rater_values(columns[name])]


def _has_rater_values(column: Profile) -> bool:
    """Return whether a column clearly contains raters: words for people, e-mail addresses, or engines."""
    names = [name.strip() for name in column.texts if name.strip()]
    engines = [*filter(column_names.is_system_rater, names), *column_names.engines_among(names)]
    return bool(engines) or all(column_names.kind_of(name)[0] in ("people", "mail") for name in names)


def _names_score(name: str) -> bool:
    known = column_names.is_human_name(name) or column_names.has_word("beside_people", column_names.words_of(name))
    return known or column_names.first_of_long("score", [name]) is not None


def _candidates(
    reader: Reader, head: _Head, rater: str, given: Mapping[str, str | None], *, declared: bool
) -> list[Candidate]:
    """Return the possible readings of a row if one column names the raters."""
    scores = [name for name in head.scores if name != rater]
    ids = [name for name in head.ids if name != rater]
    first = _prints([reader.head], [*ids, rater, *head.beside])
    runs = joint_prints([first[each] for each in head.beside]) if head.beside else None
    alone = any(meeting(first[name], first[rater], runs) for name in ids)
    parts = [] if given["id"] else _parts_of_id(head, rater, alone=alone)
    known = ids if given["id"] else column_names.all_of_long("id", ids)
    known = known or [name for name in ids if declared and column_names.ends_like_id(name)]
    ids = [name for name in ids if name in known or _alive(first, name, rater, *head.beside)]
    if not scores or not (ids or parts):
        return []
    who = [text for text in head.columns[rater].texts if text.strip()]
    people = [name for name in head.people if name not in (rater, *scores) and len(_by_name(who)[0]) == len(who)]
    names = [*ids, *parts, rater, *scores, *people, *head.engines, *head.beside]
    every = prints_of_all(reader, list(dict.fromkeys(names)))
    beside = joint_prints([every[each] for each in head.beside]) if head.beside else None
    writes, joined = column_names.names_writer(rater), ""
    own = head.columns[rater]  # numbers unrelated to the scores are IDs
    certain = not own.is_numeric or column_names.normalised(rater).endswith("id")
    are_ids = certain or not any(own.tracks(head.columns[name]) for name in scores)
    sizes = (2, 3) if are_ids and not writes and not head.id_differs(reader) else ()
    for together in (each for size in sizes for each in combinations(parts, size)):
        joint = joint_prints([every[name] for name in together])
        if not joined and meeting(joint, every[rater], beside):
            joined = JOINED.join(together)
            ids, every[joined] = [*ids, joined], joint
    engines = [name for name in head.engines if name not in scores and len(np.unique(every[name])) > 1]
    of_rater = ["rater_typed"] if given["rater"] else []
    shown = "rater_told" if _has_rater_values(head.columns[rater]) else "rater_crosses"
    if given["rater"] or column_names.all_of_raters([rater]):
        shown = "rater_named" if column_names.first_of_long("rater", [rater]) else "rater_perhaps"
    of_rater += [shown, *["rater_writes"] * writes, *["rater_certain"] * certain]
    seen: set[bytes] = set()
    found = []
    for name in ids:
        partition = np.unique(every[name], return_index=True, return_inverse=True)
        key = partition[1][partition[2]].tobytes()
        met = meeting(every[name], every[rater], beside)
        named = name in known or name == joined
        pairs = joint_prints([every[name], every[rater]])  # of which copies may repeat, but not with other scores
        apart = name in known and _apart(every[name], every[rater]) and same_within(pairs, every[scores[0]])
        apart = apart and not is_blank(reader.head[name], name).any()
        alike = all(same_within(every[name], every[engine]) for engine in engines)
        again = bool(engines) and alike and "rater_named" in of_rater and 2 * len(np.unique(every[name])) <= len(pairs)
        if key in seen or not (met or apart or (name in known and (declared or again))):
            continue
        seen.add(key)
        carried = [score for score in (*scores, *people) if same_within(every[name], every[score])]
        differ = [score for score in scores if score not in carried]
        of_id = ["id_named"] * named
        of_id += ["id_ends"] * (not of_id and column_names.ends_like_id(name))
        person = not given["id"] and not engines and column_names.first_of("candidate", [name]) is not None
        of_id += ["id_person"] * person
        of_id.append(met or "crossed_perhaps")
        if engines and not (named and "rater_named" in of_rater):
            of_id += ["engine_repeats"] if alike or carried else ["engine_differs"]
        changing = [each for each in engines if not same_within(every[name], every[each])]
        _refuse_carried(name, rater, carried, differ, changing, writes)
        score = column_names.first_of_long("score", differ or scores) or (differ or scores)[0]
        options = ("--layout", "long", "--id", name, "--rater", rater, "--score", score)
        means = f"each row is one rating, with the ID in '{name}', the rater in '{rater}', and the score in '{score}'"
        found.append(Candidate((name, rater, score), means, options, (*of_rater, *of_id)))
    return found


def _alive(first: Prints, *names: str) -> bool:
    """Return whether columns together hardly ever repeat in the first rows."""
    beside = np.stack([first[each].astype(np.uint64) for each in names], axis=1)
    return len(beside) - len(np.unique(beside, axis=0)) <= max(2, 0.2 * len(beside))


def same_within(ids: Fingerprints, values: Fingerprints) -> bool:
    """Return whether a column has the same value in nearly all rows of a response."""
    distinct, rows = np.unique(ids, return_inverse=True)
    both = np.unique(np.stack([rows.astype(np.uint64), values], axis=1), axis=0)
    return len(both) - len(distinct) <= NEARLY * len(ids)


def _apart(responses: Fingerprints, raters: Fingerprints) -> bool:
    """Return whether most repeated responses have different raters; one rater may rate a response again in a run."""
    distinct, rows = np.unique(responses, return_inverse=True)
    again = int((np.bincount(rows) > 1).sum())
    pairs = np.unique(np.stack([rows.astype(np.uint64), raters], axis=1), axis=0)[:, 0].astype(np.int64)
    return bool(again) and 2 * int((np.bincount(pairs, minlength=len(distinct)) > 1).sum()) >= again


def meeting(ids: Fingerprints, raters: Fingerprints, runs: Fingerprints | None = None) -> str:
    """Return the evidence that an ID has rows of multiple raters and hardly ever two rows of one; "" for none.

    All arrays have shape (n,).  If one column does not name raters or responses, its pairs with the other column repeat
    as often as chance predicts.

    runs: Distinguishes repeated ratings of one rater; None without runs.

    >>> bottles, judges = np.repeat(np.arange(8, dtype=np.uint64), 9), np.tile(np.arange(9, dtype=np.uint64), 8)
    >>> meeting(bottles, judges), meeting(bottles // np.uint64(4), judges)
    ('crossed', '')

    A name that occurs in one row only is the author of a response and not a rater.

    >>> meeting(bottles, np.arange(72, dtype=np.uint64))
    ''
    """
    n = len(ids)
    rows, codes = (np.unique(each, return_inverse=True)[1].astype(np.int64) for each in (ids, raters))
    n_ids, n_raters = int(rows.max(initial=-1)) + 1, int(codes.max(initial=-1)) + 1
    if n_raters < 2 or n_ids < 2 or n in (n_ids, n_raters):
        return ""
    pairs = np.unique(rows * n_raters + codes)
    distinct = len(pairs)
    if runs is not None:
        run = np.unique(runs, return_inverse=True)[1].astype(np.int64)
        distinct = len(np.unique((rows * n_raters + codes) * (int(run.max(initial=0)) + 1) + run))
    raters_of = np.bincount(pairs // n_raters, minlength=n_ids)
    several = int((raters_of > 1).sum())
    if several < 2 or n - distinct > NEARLY * n:
        return ""
    shares = np.bincount(codes, minlength=n_raters) / n
    expected = float((raters_of * (raters_of - 1) / 2).sum() * (shares**2).sum())
    never_by_chance = n - distinct <= BY_CHANCE * expected and expected >= EXPECTED
    return "crossed" if never_by_chance else "crossed_perhaps" * (2 * several >= n_ids)


def _parts_of_id(head: _Head, rater: str, *, alone: bool) -> list[str]:
    """Return columns of which two or three may name a response: candidates, items, writers, and turns.

    alone: Whether a column names responses alone; otherwise other IDs and words may name a part too.
    """
    taken = (rater, *head.scores, *head.engines, *head.beside)
    names = sorted(name for name in head.columns if name not in taken)
    found = [column_names.first_of("candidate", names), column_names.first_of("item", names)]
    stems = {name: (column_names.series_of(name) or (name, ""))[0] for name in names}
    found += [name for name, stem in stems.items() if column_names.names_writer(stem) or stem.casefold() == "turn"]
    words = [each for each in map(head.columns.__getitem__, names) if not (each.has_numbers or each.is_blank or alone)]
    found += [name for name in head.ids if column_names.names_response(name) and not alone]
    found += [each.name for each in words if each.mean_length <= LONG_ID and not column_names.is_group_name(each.name)]
    return list(dict.fromkeys(filter(None, found)))[:MOST_PARTS]


def _refuse_carried(
    name: str, rater: str, carried: Sequence[str], differ: Sequence[str], judges: Sequence[str], writes: bool
) -> None:
    """Raise if a column of human scores is constant within responses whose other scores differ."""
    judged = judges or differ
    people = [each for each in carried if column_names.side_of(each)[0] == "people" or judged != differ or writes]
    if people and judged:
        options = ("--layout", "long", "--id", name, "--rater", rater, "--score", judged[0], "--human", people[0])
        raise QuestionError(
            f"'{people[0]}' is the same in all rows with the same ID, but '{judged[0]}' differs by '{rater}'. "
            f"Is '{people[0]}' the human score?",
            [(f"'{people[0]}' is the human score, and '{rater}' identifies the engine", options)],
        )


def prints_of_all(reader: Reader, names: Sequence[str]) -> dict[str, Fingerprints]:
    """Return the fingerprints of some columns in all rows."""
    return _prints((table for _, table in reader.batches(names)), names)


def _prints(tables: Iterable[Any], names: Sequence[str]) -> dict[str, Fingerprints]:
    found: dict[str, list[Fingerprints]] = {name: [] for name in names}
    for table in tables:
        for name in found:
            found[name].append(fingerprints(as_text(table[name], name), name))
    return {name: np.concatenate(parts) if parts else np.empty(0, np.uint64) for name, parts in found.items()}


BY_RATER = "detected by rater name"


class Sides(NamedTuple):
    """The raters of a file."""

    systems: dict[str, str]  # engines to evaluate -> how each was detected
    others: tuple[str, ...]  # engines that are not evaluated
    people: tuple[str, ...]  # raters whose ratings count as human
    left_out: tuple[str, ...]  # other raters, whom ``--human`` does not name
    columns: tuple[str, ...]  # columns that are named as systems

    @property
    def named(self) -> tuple[str, ...]:
        """All systems that were named, both raters and columns."""
        return (*(name for name, how in self.systems.items() if how == NAMED), *self.columns)


def sides_of(raters: Sequence[str], columns: Sequence[str], column: str, data: DataSettings) -> Sides:
    """Classify the raters as engines or people.

    raters: Every name in the rater column; an empty name for blank cells.
    columns: The other columns of the file: a system may be one of them.
    column: The rater column, for error messages.
    data: The declared settings.
    """
    names = sorted((name for name in raters if name), key=natural)
    where = f"raters in column '{column}'"
    known, place = [*names, *columns], f"{where} and columns"
    every = column_names.chosen(named_systems(data), known, "--system", place, private=True)
    named = [name for those in every.values() for name in those]
    systems, in_columns = {name: NAMED for name in named if name in names}, tuple(n for n in named if n not in names)
    engines, people, unclear = _by_name([name for name in names if name not in systems])
    not_engines = [*people, *unclear]
    typed = (
        column_names.chosen([each], names if each in names else not_engines, "--human", where, private=True)[each]
        for each in data.human or ()
    )
    human = list(dict.fromkeys(name for those in typed for name in those))
    both = sorted(set(systems) & set(human))
    if both:
        raise SettingsError(f"rater {listed(both[:1])} cannot be both system and human; name it once.")
    engines = [name for name in engines if name not in human]
    if data.systems is None:
        systems |= dict.fromkeys(engines, BY_RATER)
    others = tuple(name for name in engines if name not in systems)
    if human:
        left_out = tuple(name for name in names if name in not_engines and name not in human)
        return Sides(systems, others, tuple(human), left_out, in_columns)
    if unclear and not data.ratings_only:
        _ask(column, people, unclear, systems)
    if data.ratings_only:
        people = [name for name in names if name in not_engines]
    return Sides(systems, others, (*[""] * ("" in raters), *people), (), in_columns)


def _by_name(names: Sequence[str]) -> tuple[list[str], list[str], list[str]]:
    engines = {name for name in names if column_names.is_system_rater(name)} | set(column_names.engines_among(names))
    rest = [name for name in names if name not in engines]
    kinds = {name: column_names.kind_of(name) for name in rest}
    doubtful = {name for name in rest if column_names.may_name_engine(name)}
    if not any(kind == ("name", "") for name, kind in kinds.items() if name not in doubtful):
        engines |= doubtful if len(doubtful) < len(rest) else set()
        doubtful -= engines
    clear = [name for name in rest if name not in engines and name not in doubtful]
    alike = _alike({name: kinds[name] for name in clear})
    return (
        [name for name in names if name in engines],
        [name for name in clear if name in alike],
        [name for name in rest if name not in engines and name not in alike],
    )


def _alike(kinds: Mapping[str, column_names.Kind]) -> set[str]:
    """Return the names formed like names of people: with a word for people, otherwise of the most common kind."""
    count = Counter(kind for kind in kinds.values() if kind[0] != "other")
    if not count:
        return set()
    kind = max(count, key=lambda each: (each[0] == "people", count[each], each))
    return {name for name, own in kinds.items() if own == kind}


def _ask(column: str, people: Sequence[str], unclear: Sequence[str], systems: Mapping[str, str]) -> NoReturn:
    kinds = {"a person": "people", "an engine": "engines"}
    verb, person, engine, ask = "is", *kinds, "Is it"
    if len(unclear) > 1:
        verb, person, engine, ask = "are", *kinds.values(), "Are they"
    sides = zip(kinds.items(), (people, [name for name, how in systems.items() if how != NAMED]), strict=True)
    alike = [f"{listed(n)} {f'looks like {a}' if len(n) == 1 else f'look like {more}'}" for (a, more), n in sides if n]
    who, rest = listed(unclear), f"{' and '.join(alike)}, but " * bool(alike)
    named = [name for name, how in systems.items() if how == NAMED]
    engines = sorted({*systems, *unclear}, key=natural)

    def typed(human: Sequence[str], systems: Sequence[str]) -> tuple[str, ...]:
        given = (("--human", human), ("--system", systems))
        return ("--layout", "long", *(word for option, names in given for name in names for word in (option, name)))

    raise QuestionError(
        f"in '{shortened(column)}', {rest}{who} {verb} unclear. {ask} {person} or {engine}?",
        [
            (f"{who} {verb} {person}", typed(["*"], named) if systems else ("--layout", "long", "--ratings-only")),
            (f"{who} {verb} {engine}", typed(_patterns(people, engines), _patterns(engines, people))),
        ],
    )


def _patterns(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return a pattern for the raters of each series, and the names of the other raters."""
    series: dict[str, list[str]] = {}
    for name in names:
        series.setdefault((column_names.series_of(name) or (name, ""))[0], []).append(name)
    found = []
    for those in series.values():
        pattern = column_names.pattern_of(those, [*others, *(name for name in names if name not in those)])
        found += [pattern] if pattern else [re.sub(r"([*?\[])", r"[\1]", name) for name in those]
    return found
