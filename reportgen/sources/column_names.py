"""Recognize columns, raters, and engines by name only."""

import re
import tomllib
from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise, takewhile
from pathlib import Path
from unicodedata import normalize

from reportgen.errors import SettingsError, did_you_mean, nearest, shortened


def unaccented(text: str) -> str:
    """Return a text without the accents of Latin letters: "Critère" becomes "Critere"."""
    return normalize("NFC", re.sub("(?<=[A-Za-z])[\u0300-\u036f]+", "", normalize("NFD", text)))


_NAMES = tomllib.loads(unaccented(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")))
_PATTERNS = {
    kind: re.compile(pattern % _NAMES["parts"], re.IGNORECASE | re.VERBOSE)
    for kind, pattern in _NAMES["patterns"].items()
}
VOCABULARY: dict[str, tuple[str, ...]] = {
    kind: tuple(words.split()) for kind, words in _NAMES.items() if isinstance(words, str)
}
"""Kind -> its words, the likeliest first if one is chosen."""
VOCABULARY |= {kind: (*VOCABULARY[kind], *VOCABULARY["confidence"]) for kind in ("about", "no_trait")}

ORDINALS = {word: number for number, words in enumerate(_NAMES["ordinals"], 1) for word in words.split()}


def has_word(kind: str, words: Iterable[str]) -> bool:
    """Return whether any of the words is of a kind."""
    return not frozenset(VOCABULARY[kind]).isdisjoint(words)


def _with_ends(kind: str, *ends: str) -> tuple[str, ...]:
    return tuple(word + end for word in VOCABULARY[kind] for end in ends)


_PARTS = {
    "id": VOCABULARY["id"], "candidate": _with_ends("candidate", "id", "", "code", "number"),
    **{kind: _with_ends(kind, "id", "", "name", "code", "number") for kind in ("item", "cluster", "occasion", "trait")},
}  # fmt: skip
_LONG = {
    "id": (*_PARTS["id"], *VOCABULARY["response"]),
    "rater": _with_ends("rater", "id", "", "name", "code", "no", "number"),
    "score": VOCABULARY["rating"], "time": VOCABULARY["time"], "run": VOCABULARY["run"],
}  # fmt: skip
"""Names of the columns of a file with one row per rating."""

_RATERS = (*_LONG["rater"], *_with_ends("perhaps_rater", "id", "", "name", "code"))


@lru_cache(maxsize=1 << 14)
def normalised(name: str) -> str:
    """Return a name in lower case without separators and without a part of a task such as "OUTPUT:".

    >>> normalised("Human_Score-1"), normalised("OUTPUT:score")
    ('humanscore1', 'score')
    """
    return "".join(filter(str.isalnum, unaccented(re.sub(r"^[A-Z]{4,}:", "", name)).casefold()))


def _fits(kind: str, name: str) -> bool:
    inner = re.findall(r"\(([^()]*)\)", name) if kind in ("system", "human", "perhaps_human") else []
    for side in filter(None, (side_of(each)[0] for each in inner)):
        return (kind == "system") == (side == "engine")
    bare = re.sub(r"(?:\s\([^()]*\)|\s*/\s*\d+(?:\.\d*)?)$", "", name.strip())
    return any(_PATTERNS[kind].fullmatch(normalised(each)) for each in (name, bare, *inner))


def _number(kind: str, name: str) -> int | None:
    found = _PATTERNS[kind].fullmatch(name.strip())
    return int(next(filter(None, found.groups()))) if found else None


def is_system_name(name: str) -> bool:
    """Return whether a name is typical of engine scores.

    >>> [is_system_name(name) for name in ("score_machine", "LLM judge", "human1")]
    [True, True, False]
    """
    return _fits("system", name)


def is_cluster_name(name: str) -> bool:
    """Return whether a column is named like classes, teachers, or sites.

    >>> [is_cluster_name(name) for name in ("Teacher_ID", "school", "gender")]
    [True, True, False]
    """
    return first_of("cluster", [name]) is not None


def side_of(name: str) -> tuple[str, tuple[str, ...]]:
    """Return whether a name contains a word for engines or for people, and its other words.

    >>> side_of("ai_post_score"), side_of("human mean"), side_of("judgement"), side_of("Second (GPT-4)")[0]
    (('engine', ('post', 'score')), ('people', ('mean',)), ('', ('judgement',)), 'engine')
    >>> side_of("Essay - AI grader"), side_of("human_model")[0]
    (('engine', ('essay',)), '')
    """
    words = tuple(filter(None, words_of(name)))
    kinds = {word: _side(word) for word in words}
    for pair in pairwise(words):
        engine, person = sorted(pair, key=lambda word: kinds[word] != "engine")  # "AI grader", "grader (AI)"
        if kinds[engine] == "engine" and kinds[person] == "people" and _fits("system", engine + person):
            kinds[person] = "engine"
    sides = {kind for kind in kinds.values() if kind}
    return (sides.pop(), tuple(word for word in words if not kinds[word])) if len(sides) == 1 else ("", words)


@lru_cache(maxsize=1 << 12)
def _side(word: str) -> str:
    bare = word.rstrip("0123456789")
    engine = _PATTERNS["engine_word"].fullmatch(bare) or bare in VOCABULARY["models"]
    return "engine" if engine else "people" if _PATTERNS["people_word"].fullmatch(bare) else ""


def item_in(name: str) -> str:
    """Return the numbered item or trait in a name; empty if there is none.

    >>> item_in("Q1_human"), item_in("rater2_domain1"), item_in("item 3 teacher"), item_in("human1")
    ('q1', 'domain1', 'item3', '')
    """
    found = _PATTERNS["numbered_item"].search(name.strip())
    return normalised(found[0]) if found else ""


def is_human_name(name: str) -> bool:
    """Return whether a name is typical of a rater's scores.

    >>> [is_human_name(name) for name in ("rater_2", "H1", "second human score", "score")]
    [True, True, True, False]
    """
    return _fits("human", name)


def may_be_human_name(name: str) -> bool:
    """Return whether a name fits human scores if there is no clearer name.

    >>> [may_be_human_name(name) for name in ("score", "essay_score", "word_count")]
    [True, True, False]
    """
    return _fits("perhaps_human", name)


def rater_order(name: str) -> int:
    """Return the number of the rater in a name, 0 if there is none.

    >>> [rater_order(name) for name in ("human", "rater_2", "second_rater")]
    [0, 2, 2]
    """
    if digits := re.findall(r"\d+", name):
        return int(digits[-1])
    return next((ORDINALS[word] for word in words_of(name) if word in ORDINALS), 0)


def is_system_rater(name: str) -> bool:
    """Return whether a rater's name contains a word for engines, but not a model; a plain "judge" may be a person.

    >>> [is_system_rater(name) for name in ("AI model", "engine", "llm-2", "R17", "judge", "judge_a", "a-bot@b.org")]
    [True, True, True, False, False, False, True]
    """
    if "@" in name:
        return _PATTERNS["engine_word"].fullmatch(words_of(name.partition("@")[0])[-1]) is not None
    plain = re.sub(r"\d+$", "", normalised(name))
    first = words_of(name.strip())[0] in ("system", "engine", "llm", "model", "ai", "auto", "bot", "machine", "aes")
    return first or (plain != "judge" and is_system_name(plain))


def run_of(name: str) -> tuple[str, int] | None:
    """Return the system and the run number in a column name; None if it does not name a run.

    >>> run_of("judge_run2"), run_of("judge"), run_of("run2")
    (('judge', 2), None, None)
    """
    found = _PATTERNS["run"].fullmatch(name)
    return (found[1], int(found[2])) if found and found[1] else None


def rater_id_of(name: str) -> int | None:
    """Return the number of the rating whose rater a column contains; None for any other column.

    >>> [rater_id_of(name) for name in ("rater1_id", "h2_rater", "reader_id_1", "rater1", "id_1")]
    [1, 2, 1, None, None]
    """
    return _number("rater_id", name)


def rating_time_of(name: str) -> int | None:
    """Return the number of the rating whose time a column contains; None for any other column.

    >>> [rating_time_of(name) for name in ("rated_on_1", "h2_date", "rating_time_1", "date", "time_1", "score1")]
    [1, 2, 1, None, None, None]
    """
    return _number("rating_time", name)


def first_of_long(part: str, names: Iterable[str]) -> str | None:
    """Return the likeliest name of a role in a file with one row per rating.

    Of the path of a score in JSON the last key counts.

    >>> first_of_long("rater", ["Rater ID", "score"]), first_of_long("score", ["responses.quality.value"])
    ('Rater ID', 'responses.quality.value')
    """
    found = all_of_long(part, known := list(names))
    last = {name.rsplit(".", 1)[-1]: name for name in reversed(known)} if part == "score" else {}
    return next(iter(found or (last[name] for name in all_of_long(part, last))), None)


def all_of_long(part: str, names: Iterable[str]) -> list[str]:
    """Return every name that fits a role in a file with one row per rating, the likeliest first.

    >>> all_of_long("id", ["essay_id", "score", "id"])
    ['id', 'essay_id']
    """
    return _named(names, _LONG[part])


def all_of_raters(names: Iterable[str]) -> list[str]:
    """Return every name that may be a column of raters, the likeliest first, whatever their order.

    >>> all_of_raters(["score", "coder", "Model", "rater_id"])
    ['rater_id', 'coder', 'Model']
    """
    return _named(names, _RATERS)


def names_response(name: str) -> bool:
    """Return whether a column is named like responses and not like rows or files.

    >>> [names_response(name) for name in ("essay_id", "Response", "id", "row_id", "item")]
    [True, True, False, False, False]
    """
    words = ("response", "essay", "answer", "submission", "document", "doc", "text")
    return normalised(name) in {word + end for word in words for end in ("", "id")}


def ends_like_id(name: str) -> bool:
    """Return whether the last word of a name is typical of IDs.

    >>> [ends_like_id(name) for name in ("example_id", "SampleID", "convId", "ID", "bid", "id_card")]
    [True, True, True, True, False, False]
    """
    return re.search(r"(?:^|[\W_])id$|[a-z]I[Dd]$|^ID$", name.strip(), 0) is not None or normalised(name) == "id"


def is_measure_name(name: str) -> bool:
    """Return whether a name contains a word for measurements.

    >>> [is_measure_name(name) for name in ("latency_ms", "outputTokens", "word_count", "item_id", "timeline")]
    [True, True, True, False, False]
    """
    words = words_of(name)
    return (has_word("measure", words) or words[0] == "n" or words[1:][-1:] == ["ms"]) and not ends_like_id(name)


def is_final_name(name: str) -> bool:
    """Return whether a column may contain the scores on which ratings are resolved: `final_band`, `Resolution`."""
    return has_word("final", words_of(name))


def is_maximum_name(name: str) -> bool:
    """Return whether a column is named like the highest possible scores.

    >>> [is_maximum_name(name) for name in ("max_score", "Points Possible", "Maximum Grade", "max_length")]
    [True, True, True, False]
    """
    return _fits("maximum", name)


def is_weight_name(name: str) -> bool:
    """Return whether a column is named like sampling weights: `samp_wt`, `Weight`, `ipw`."""
    return _fits("weight", name)


def counts_or_spreads(name: str) -> bool:
    """Return whether a column is named like the number or the spread of several scores: `n_students`, `SD human`."""
    return words_of(name)[0] in ("n", "count", "freq", "frequency") or has_word("spread", words_of(name))


def highest_in(name: str) -> float:
    """Return the highest possible score in a column name, NaN if there is none.

    >>> [highest_in(name) for name in ("Essay (6.0 pts)", "Q1 /20", "Anna (1-6)", "Total Pts: 10", "human1")]
    [6.0, 20.0, 6.0, 10.0, nan]
    """
    found = _PATTERNS["highest"].search(name)
    return float(next(filter(None, found.groups()[1:]))) if found else float("nan")


def lowest_in(name: str) -> float:
    """Return the lowest possible score in a column name such as "Anna (1-6)", NaN if there is none."""
    found = _PATTERNS["highest"].search(name)
    return float(found["low"] or "nan") if found else float("nan")


@lru_cache(maxsize=1 << 14)
def summary_of(cell: str) -> str:
    """Return whether a cell names a summary of rows: "sure", "perhaps", or "".

    >>> [summary_of(cell) for cell in ("Class average", "Std. Dev.", "n = 80", "Max", "Student, Test", "Max Weber")]
    ['sure', 'sure', 'sure', 'perhaps', 'sure', '']
    """
    words = re.findall(r"[^\W\d_]+", cell.casefold()) or re.findall(r"^\d\d?%$", cell)
    if not words or len(cell) > LONGEST_SUMMARY:
        return ""
    if normalised(cell) in VOCABULARY["summary_whole"] or re.match(r"n\s*=", cell.strip().casefold()):
        return "sure"
    if re.search(r"\d", cell) and not words[0].endswith("%"):
        return ""
    ends = len(words) <= MOST_SUMMARY and not {words[0], words[-1]}.isdisjoint(VOCABULARY["summary"])
    known = {*VOCABULARY["summary"], *VOCABULARY["summary_perhaps"], *VOCABULARY["summary_beside"]}
    if ends or (known.issuperset(words) and has_word("summary", words)):
        return "sure"
    return "perhaps" * (words[0].endswith("%") or (known.issuperset(words) and has_word("summary_perhaps", words)))


MOST_SUMMARY, LONGEST_SUMMARY = 4, 40  # the most words and characters in the name of a summary


def may_be_subtotal(cell: str) -> bool:
    """Return whether a short cell begins or ends with a word for a summary, as that of a group of rows may.

    >>> [may_be_subtotal(cell) for cell in ("7A total", "Average of class 3", "Mean Weber", "a total of 3")]
    [True, True, True, False]
    """
    words = re.findall(r"[^\W_]+", cell.casefold())[: MOST_SUMMARY + 1]
    return 0 < len(words) <= MOST_SUMMARY and has_word("summary", (words[0], words[-1]))


def first_of(part: str, names: Iterable[str]) -> str | None:
    """Return the likeliest name of the "id" of responses, or of a "candidate", "item", "trait", or "occasion"."""
    return next(iter(_named(names, _PARTS[part])), None)


def names_somebody(name: str) -> bool:
    """Return whether a column is named like responses, candidates, or raters, whose values reports do not show.

    >>> [names_somebody(name) for name in ("Response ID", "student", "rater2_id", "annotator", "First name", "prompt")]
    [True, True, True, True, True, False]
    """
    known = first_of("id", [name]) or first_of("candidate", [name]) or first_of_long("rater", [name])
    return known is not None or rater_id_of(name) is not None or _fits("person", name)


def groups_people(name: str) -> bool:
    """Return whether a group column may be of people, not of tasks or occasions.

    >>> [groups_people(name) for name in ("gender", "form", "prompt_id")]
    [True, False, False]
    """
    return first_of("item", [name]) is None and first_of("occasion", [name]) is None


def item_column(items: Sequence[str], groups: Sequence[str], declared: str | None = None) -> str | None:
    """Return the item column: one with that role, otherwise the group column with the likeliest name.

    None if an empty text declares that there are no items.

    >>> item_column([], ["gender", "prompt"])
    'prompt'
    """
    return items[0] if items else first_of("item", groups if declared is None else ())


def names_writer(name: str) -> bool:
    """Return whether a column is named like systems that wrote the responses, which are not groups of candidates.

    >>> [names_writer(name) for name in ("model", "generator", "source_system", "gender")]
    [True, True, True, False]
    """
    return _fits("writer", name)


def is_group_name(name: str) -> bool:
    """Return whether a name contains a word for subgroups.

    >>> [is_group_name(name) for name in ("student_gender", "raceEthnicity", "grade_level", "wordCount", "Final Grade")]
    [True, True, True, False, False]
    """
    words = {*words_of(name)}
    return has_word("group", words) or {"grade"} <= words <= {*VOCABULARY["grade"]}


def names_points(name: str) -> bool:
    """Return whether a name contains a word for points, such as "Current Score"."""
    return has_word("generic", words_of(name))


def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case."""
    return re.split(r"[\W_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unaccented(name)).casefold())


def _named(names: Iterable[str], words: Sequence[str]) -> list[str]:
    """Return the names that are one of some words, in the order of the words."""
    return sorted((name for name in names if normalised(name) in words), key=lambda name: words.index(normalised(name)))


_ID_OF_RATER = re.compile(
    r"(?=.*\d)[A-Z0-9]{6,}|[A-Z]{10,}|(?=.*\d)[0-9a-f]{8,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)

Kind = tuple[str, str]
"""The form of a name (people, series, number, letter, id, mail, name, or other), and the stem of a series."""

WILD = re.compile(r"[*?\[]")  # characters that make a text a pattern


def series_of(name: str) -> tuple[str, str] | None:
    """Return the stem and the final number or letter of a name in a series; None for any other name.

    >>> series_of("annotator_01"), series_of("expert_b"), series_of("R7"), series_of("annot.1"), series_of("Anna")
    (('annotator', '01'), ('expert', 'b'), ('r', '7'), ('annot', '1'), None)
    """
    found = re.fullmatch(r"([^\d]*[^\W\d_])[\W_]*(\d{1,6})|(.*[^\W_])[ _-]([a-zA-Z])", name.strip())
    return ((found[1] or found[3]).casefold(), found[2] or found[4]) if found else None


def kind_of(name: str) -> Kind:
    """Return the form of a rater's name: names of one form belong together.

    >>> kind_of("annotator_01"), kind_of("Expert B"), kind_of("alpha_2"), kind_of("17")
    (('people', ''), ('people', ''), ('series', 'alpha'), ('number', ''))
    >>> kind_of("Anna"), kind_of("A3KF91QZ"), kind_of("x"), kind_of("zeta-7b")
    (('name', ''), ('id', ''), ('letter', ''), ('other', ''))
    """
    plain = name.strip()
    words = set(re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", plain).casefold()))
    if "@" in plain:
        return "mail", ""
    if has_word("people", words | {word.removesuffix("s") for word in words}) and not has_word("no_people", words):
        return "people", ""
    if re.fullmatch(r"\d+(\.0)?", plain):
        return "number", ""
    if _ID_OF_RATER.fullmatch(plain):
        return "id", ""
    series = series_of(plain.replace(" ", "."))  # "Anna B" is a name
    if series is not None:
        return "series", series[0]
    if re.fullmatch(r"[^\W\d_]", plain):
        return "letter", ""
    return ("name", "") if re.fullmatch(r"[^\W\d_][^\d_]*", plain) else ("other", "")


def is_of_people(stem: str) -> bool:
    """Return whether a stem names people only.

    >>> [is_of_people(stem) for stem in ("expert", "crowd_worker", "teacher_experience", "score")]
    [True, True, False, False]
    """
    words = re.findall(r"[^\W\d_]+", stem.casefold())
    return has_word("people", words) and {*VOCABULARY["people"], *VOCABULARY["beside_people"]}.issuperset(words)


def pattern_of(names: Sequence[str], others: Iterable[str]) -> str:
    """Return a pattern that matches all of some names and none of the others; empty if there is none.

    >>> pattern_of(["annotator_1", "annotator_2"], ["zeta"]), pattern_of(["Anna", "Bob"], []), pattern_of(["a"], [])
    ('annotator_*', '', '')
    """
    if len(names) < 2 or any(WILD.search(name) for name in names):
        return ""
    same = takewhile(lambda letters: len({*letters}) == 1, zip(*names, strict=False))
    stem = "".join(letters[0] for letters in same).rstrip("0123456789")
    return f"{stem}*" if stem and not any(other.startswith(stem) for other in others) else ""


def refuse_unknown(wanted: Iterable[str], names: Collection[str], what: str, *, splits: bool = False) -> None:
    """Raise for a column that does not exist; do not suggest scores and IDs for a column that `splits` rows."""
    for name in wanted:
        if name not in names:
            roles = (is_system_name, is_human_name, names_engine, lambda each: first_of("id", [each]))
            offered = [each for each in names if not (splits and any(role(each) for role in roles))]
            raise SettingsError(f"{what} '{name}' does not exist{did_you_mean(name, offered)}")


def chosen(
    wanted: Sequence[str], names: Sequence[str], option: str, where: str, *, private: bool = False
) -> dict[str, list[str]]:
    """Return name or pattern -> the names it matches, in the order of `names`.

    A text that is equal to a name matches only that name; patterns are case-sensitive.

    wanted: Names, and shell patterns.
    names: The existing names.
    option, where: The option, such as ``--human``, and the kind of names, for the error.
    private: Whether the error shows only names similar to the text.

    >>> chosen(["expert_*", "Bob"], ["Bob", "expert_a", "expert_b"], "--human", "raters")
    {'expert_*': ['expert_a', 'expert_b'], 'Bob': ['Bob']}
    """
    found = {each: matched(each, names) for each in wanted}
    for each, those in found.items():
        if not those:
            verb = "matches none of the" if WILD.search(each) else "is not one of the"
            near = nearest(each, names) or not private
            hint = did_you_mean(each, names) if near else f"; there are {len(names):,}."
            raise SettingsError(f"{option}: '{shortened(each)}' {verb} {where}{hint}")
    return found


def matched(wanted: str, names: Sequence[str]) -> list[str]:
    """Return the names that a name or a pattern matches.

    >>> matched("a[1]", ["a1", "a[1]"]), matched("a*", ["a1", "A1"]), matched("b", ["a"])
    (['a[1]'], ['a1'], [])
    """
    if wanted in names:
        return [wanted]
    return [name for name in names if fnmatchcase(name, wanted)] if WILD.search(wanted) else []


def names_engine(name: str) -> bool:
    """Return whether a name is the name of a model or a scoring engine, with or without a number.

    >>> [names_engine(name) for name in ("gpt-4o", "chatgpt_few", "sonnet", "o3", "command-r", "e-rater", "claude-3")]
    [True, True, True, True, True, True, True]
    >>> [names_engine(name) for name in ("Claude", "Anna", "R17", "gpt_similarity", "opuscule", "Claude Monet")]
    [False, False, False, False, False, False]
    """
    words = _words_of_engine(name)
    if not words or "human" in words or has_word("about", words[1:]) or words == ["bert", "score"]:
        return False
    pairs = {"".join(pair) for pair in pairwise(words)}
    if has_word("models", (*words, *pairs)):
        return True
    rest = words[1:] if words[0] in VOCABULARY["also_persons"] else None
    rest = words[2:] if "".join(words[:2]) in VOCABULARY["numbered"] else rest
    if rest is None or (rest == [] and words[0] in VOCABULARY["also_persons"]):
        return False
    return all(len(word) == 1 or word.isdigit() or word in VOCABULARY["qualities"] for word in rest)


def engines_among(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of models and engines; O1 and O2, or T4 and T5, are a series of raters.

    >>> engines_among(["o1", "o3", "gpt"]), engines_among(["O1", "O2", "T4", "T5", "gpt"])
    (('o1', 'o3', 'gpt'), ('gpt',))
    """
    known = list(names)
    numbered = {name for name in known if re.fullmatch(r"[a-z]\d+", name.casefold())}
    others = {name[0].casefold() for name in numbered if name.casefold() not in VOCABULARY["numbered"]}
    return tuple(n for n in known if names_engine(n) and not (n in numbered and n[0].casefold() in others))


def may_name_engine(name: str) -> bool:
    """Return whether a name may be a model's or a person's.

    >>> [may_name_engine(name) for name in ("Claude", "nova", "claude-3", "Claude Monet", "Anna")]
    [True, True, False, True, False]
    """
    words = _words_of_engine(name)
    return bool(words) and not names_engine(name) and has_word("also_persons", words)


def _words_of_engine(name: str) -> list[str]:
    return re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", name).casefold())
