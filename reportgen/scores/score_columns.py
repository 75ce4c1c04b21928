"""Which columns hold the scores of systems and of people: by their names, by a common stem, by contents, else asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reportgen.errors import MOST_NAMES, QuestionError, SettingsError, listed, write_command
from reportgen.scores.contents import Contents
from reportgen.scores.systems import first_runs, named_systems, systems_by_name
from reportgen.scores.table import BY_CONTENTS, BY_NAME, ColumnRoles
from reportgen.settings import DataSettings
from reportgen.settings.kinds import MOST_LABELS
from reportgen.sources import column_names
from reportgen.sources.column_names import (
    WILD,
    chosen,
    is_of_people,
    matched,
    may_name_engine,
    names_engine,
    pattern_of,
    series_of,
)
from reportgen.sources.columns import encode
from reportgen.sources.tabular import Reader, all_rows
from reportgen.wording.names import natural
from reportgen.wording.numbers import many

BY_STEM = "found by the stem of their names"

MOST_RATERS = 26
"""More columns of one stem are no raters, unless their name says so."""

_RATINGS = frozenset(
    (
        *("score", "scores", "rating", "ratings", "label", "labels", "grade", "grades", "mark", "marks", "annot"),
        *("annotation", "annotations", "judgment", "judgement", "hter", "ter", "da", "mqm", "vote", "opinion", "mos"),
    )
)
"""Stems of columns of ratings by several persons."""

_NO_RATERS = frozenset(
    (
        *("item", "prompt", "question", "task", "q", "i", "essay", "response", "answer", "text", "id", "feature"),
        *(
            "feat",
            "f",
            "len",
            "length",
            "words",
            "word",
            "chars",
            "tokens",
            "count",
            "n",
            "x",
            "v",
            "var",
            "dim",
            "emb",
        ),
        *("typo", "typos", "error", "errors", "mistakes", "token", "sentences", "counts", "num", "number"),
        *("ms", "sec", "seconds", "minutes", "latency", "duration", "cost", "price", "total", "sum"),
        *("embedding", "pc", "topic", "time", "day", "date", "age", "week", "year", "page", "step", "version", "set"),
        *("fold", "cluster", "prob", "probability", "p", "weight", "bin", "index", "column", "col", "unnamed"),
    )
)
"""Stems of columns that hold something else."""


@dataclass
class Questions:
    """What columns leave open, asked together."""

    asked: dict[str, tuple[str, Sequence[str], str]] = field(default_factory=dict)
    """Role -> what is not known, the columns that may play it, and what to type."""

    def ask(self, role: str, title: str, found: Sequence[str], free: Mapping[str, Contents]) -> None:
        """Note that more than one column may play a part, or none can be found to."""
        if found:
            self.asked[role] = f"several columns may hold the {title}: {listed(found)}", found, _typed(role, found)
            return
        numeric = [name for name, contents in free.items() if contents.has_scores]
        among = "columns with numbers: " + listed(numeric) if numeric else "no other column holds numbers"
        self.asked[role] = f"no column was found to hold the {title} ({among})", (), f"--{role} NAME"

    def raise_all(self) -> None:
        """Raise for what was asked.

        Raises
        ------
        QuestionError
            Something was: all in one sentence, with one command.
        """
        if not self.asked:
            return
        said = "; ".join(sentence for sentence, _, _ in self.asked.values())
        typed = " ".join(option for _, _, option in self.asked.values())
        if len(self.asked) > 1:
            raise QuestionError(f"{said}; name both, as in {typed}.")
        ((_, found, _),) = self.asked.values()
        raise QuestionError(f"{said}; {'name what is right, as in' if found else 'name it with'} {typed}.")


def find_scores_by_name(columns: Mapping[str, Contents], cast: ColumnRoles, questions: Questions) -> None:
    """Find the system scores and the human scores by their names."""
    if not cast.columns("system"):
        people = bool(cast.columns("human") or clear_humans(cast.free(columns)))
        named = systems_by_name(cast.free(columns), people_named=people)
        cast.give("system", sorted(first_runs(_with_scores(named, columns) or named), key=natural), BY_NAME)
    if cast.columns("human"):
        return
    free = cast.free(columns)
    perhaps = [name for name in free if column_names.may_be_human_name(name)]
    who = column_names.all_of_raters(free) if _with_scores(perhaps, columns) else []
    clear = [name for name in clear_humans(free) if name not in who]  # beside scores "rater" says who gave them
    found = _with_words_beside(_with_scores(clear, columns), clear, columns)
    if found:
        cast.give("human", _ordered(found), BY_NAME)
        return
    family, sure = _family(free)
    words = _with_scores(perhaps, columns)
    rated = any(_stem(name) in _RATINGS for name in family)
    if family and (rated or not words) and not set(words) <= set(family):
        found, sure = [*words, *(name for name in family if name not in words)], False
    elif family and (rated or not words):
        found = family
    else:
        found, sure = words or clear or perhaps, True
        sure = found == clear or len({column_names.stem(name) for name in found}) < 2
    if not sure:
        questions.ask("human", "human score", _ordered(found), free)
    elif found:
        cast.give("human", _ordered(found), BY_STEM if found == family and not set(found) <= set(perhaps) else BY_NAME)


def find_scores_by_contents(columns: Mapping[str, Contents], cast: ColumnRoles, questions: Questions) -> None:
    """Find the scores that no name gave away: repeated whole numbers are human, fractions are the system's."""
    asked = set(questions.asked.get("human", ("", (), ""))[1])
    free = {name: contents for name, contents in cast.free(columns).items() if name not in asked}
    if not cast.columns("system"):
        _give_the_one(
            "system", "system score", [name for name in free if free[name].is_fractional], free, cast, questions
        )
    if not cast.columns("human") and "human" not in questions.asked:
        free = cast.free(columns)
        found = [name for name in free if free[name].is_score_like and not column_names.is_group_name(name)]
        if len(found) == 1 and (may_name_engine(found[0]) or names_engine(found[0])):
            questions.ask("human", "human score", found, free)
            return
        _give_the_one("human", "human score", found, free, cast, questions)


def clear_humans(names: Iterable[str]) -> list[str]:
    """Return the columns whose names say that they hold scores of people: `rater_2`, `expert_a` beside `expert_b`.

    Examples
    --------
    >>> clear_humans(["human", "expert_a", "expert_b", "teacher_b", "score_a", "score_b", "R100", "R101"])
    ['human', 'expert_a', 'expert_b', 'R100', 'R101']
    """
    known = list(names)
    stems = [_stem(name) for name in known]
    return [
        name
        for name, stem in zip(known, stems, strict=True)
        if column_names.is_human_name(name) or (stem and stems.count(stem) > 1 and is_of_people(stem))
    ]


def may_be_of_raters(name: str) -> bool:
    """Return whether a column is one of a series whose stem is a word for people or for ratings.

    Examples
    --------
    >>> [may_be_of_raters(name) for name in ("hter_0", "expert_b", "feature_1", "score")]
    [True, True, False, False]
    """
    return _stem(name) in _RATINGS or is_of_people(_stem(name))


def _family(columns: Mapping[str, Contents]) -> tuple[list[str], bool]:
    """Return the columns of one stem that may be raters, and whether it is sure that they are."""
    families: dict[str, list[str]] = {}
    for name, contents in columns.items():
        stem = _stem(name)
        if stem and not _is_something_else(name, stem) and contents.has_scores:
            families.setdefault(stem, []).append(name)
    several = {stem: names for stem, names in families.items() if 1 < len(names) <= MOST_RATERS}
    named = {stem: names for stem, names in several.items() if stem in _RATINGS} or several
    if not named:
        return [], False
    alike = all(columns[name].is_score_like for names in named.values() for name in names)
    sure = len(named) == 1 and (alike or not _RATINGS.isdisjoint(named))
    return [name for names in named.values() for name in names], sure


def _is_something_else(name: str, stem: str) -> bool:
    """Return whether a column belongs to a system, to its runs, to a group, or to what no rater gives."""
    return (
        bool(systems_by_name([name], people_named=True))
        or column_names.begins_like_system(name)
        or column_names.is_group_name(name)
        or not _NO_RATERS.isdisjoint(stem.replace("_", " ").replace("-", " ").split())
        or column_names.rater_id_of(name) is not None
        or column_names.rating_time_of(name) is not None
    )


def _stem(name: str) -> str:
    """Return the stem of a column that is one of a series, empty for any other."""
    return (series_of(name) or ("", ""))[0]


def _with_scores(names: Sequence[str], columns: Mapping[str, Contents]) -> list[str]:
    """Return the columns that hold scores, numbers or words for them."""
    return [name for name in names if columns[name].has_scores]


def _with_words_beside(found: Sequence[str], clear: Sequence[str], columns: Mapping[str, Contents]) -> list[str]:
    """Return columns of scores with those of other raters that hold known words beside others: these are asked about.

    One letter alone may be the initial of a person, unless other raters use it, too.
    """
    used = frozenset().union(*(columns[name].known_words for name in found))
    more = (name for name in clear if name not in found and found)
    return [*found, *(name for name in more if {w for w in columns[name].known_words if len(w) > 1 or w in used})]


def _ordered(names: Sequence[str]) -> list[str]:
    """Return columns of human scores by the numbers in their names."""
    return sorted(names, key=lambda name: (column_names.rater_order(name), natural(name)))


def _typed(role: str, found: Sequence[str]) -> str:
    """Return the options that name columns: those of one stem by a pattern, each of a few raters, one system."""
    stems = {_stem(name) for name in found}
    pattern = pattern_of(sorted(found), ()) if len(stems) == 1 and stems != {""} else ""
    if pattern:
        return write_command(f"--{role}", pattern)
    each = found[:MOST_NAMES] if role == "human" else found[:1]
    return write_command(*(word for name in each for word in (f"--{role}", name)))


def _give_the_one(
    role: str, title: str, found: list[str], free: Mapping[str, Contents], cast: ColumnRoles, questions: Questions
) -> None:
    """Give a part to the only column that can play it."""
    if len(found) == 1:
        cast.give(role, found, BY_CONTENTS)
    else:
        questions.ask(role, title, found, free)


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
