"""Which columns hold the scores of systems and of people: by their names, by a common stem, by contents, else asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reportgen.errors import MOST_NAMES, QuestionError, listed, write_command
from reportgen.scores.column_roles import BY_CONTENTS, BY_NAME, ColumnRoles
from reportgen.scores.contents import Contents
from reportgen.scores.systems import first_runs, systems_by_name
from reportgen.sources import column_names
from reportgen.sources.engine_names import may_name_engine, names_engine
from reportgen.sources.naming_patterns import is_of_people, pattern_of, series_of
from reportgen.wording.names import natural

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
