"""Find the columns of engine and human scores, by options or by the evidence of names and contents."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import NoReturn

import numpy as np

from reportgen.design.dependence import refuse_dependent
from reportgen.design.profiles import (
    GOING,
    LEAST_TRACKED,
    LONG_ID,
    RESCALED,
    SAME_SCORES,
    Profile,
    Profiles,
    copy_among,
    follow_from_others,
    goes_with,
)
from reportgen.design.readings import BY_CONTENTS, BY_NAME, BY_STEM, NAMED, Candidate, ColumnRoles, choose, ranked
from reportgen.errors import NO_ROWS, InputError, QuestionError, SettingsError, listed
from reportgen.settings import DataSettings
from reportgen.settings.kinds import MOST_LABELS
from reportgen.sources import column_names
from reportgen.wording.names import natural

MOST_RATERS = 26  # a series with more columns does not contain raters, unless its name shows it

MOST_SCHOOL_GRADES = 13  # a column named "Grade" with more values contains scores

HIGH, ENOUGH, SEVERAL, FEW_COMMON = 0.9, 20, 3, 30
"""The quantile that is a rater's high score, the rows that show it, how many times another's it may not be, and the
common rows of two raters that show whether they correlate.
"""

NAMES_SYSTEMS = "identifies an item or an engine, not a group; to use it as a group, name it with --group"

MOST_WEIGHED = 6  # the most candidates of one side that are combined with the other side's


def named_systems(data: DataSettings) -> tuple[str, ...]:
    """Return every system that the settings name."""
    if data.systems and len(set(data.systems)) < len(data.systems):
        twice = next(name for name in data.systems if data.systems.count(name) > 1)
        raise SettingsError(f"--system: '{twice}' is listed twice; list each system once.")
    return tuple(dict.fromkeys(name for name in (data.system, *(data.systems or ())) if name is not None))


def systems_by_name(names: Iterable[str], *, people_named: bool) -> list[str]:
    """Return the columns whose names are names of system scores, or of a run of one.

    people_named: Whether the human columns are known; then a name that may also be a person's is a model's.

    >>> systems_by_name(["human1", "engine", "sonnet_run2", "Claude"], people_named=True)
    ['engine', 'sonnet_run2', 'Claude']
    """
    whose = {name: (column_names.run_of(name) or (name, 0))[0] for name in names}
    models = set(column_names.engines_among(whose.values()))
    clear = {system for system in whose.values() if column_names.is_system_name(system) or system in models}
    clear |= {system for system in whose.values() if people_named and column_names.may_name_engine(system)}
    clear -= judging_people(whose)
    return [name for name, system in whose.items() if system in clear]


def judging_people(names: Iterable[str]) -> set[str]:
    """Return names such as "Judge Ali" if an "LLM judge" shows that engines are named, or "Judge 1" if an engine is."""
    others = {name: " ".join(word for word in column_names.words_of(name) if word != "judge") for name in names}
    models = {*filter(column_names.names_engine, others.values())}
    models |= {rest for rest in others.values() if models and column_names.may_name_engine(rest)}
    sides = {name: column_names.side_of(rest)[0] or rest in models for name, rest in others.items()}
    judges = [name for name, rest in others.items() if rest and "judge" in column_names.words_of(name)]
    named = "engine" in {sides[name] for name in judges}
    people = {name for name in judges if not sides[name] and (named or len(others[name]) == 1)}
    return people if "engine" in sides.values() else set()


def first_runs(names: Iterable[str]) -> list[str]:
    """Return the names that are not a repeated run of another name, or the mean of its runs."""
    families: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        system, number = column_names.run_of(name) or (name, 0)
        families.setdefault(column_names.normalised(system), []).append((number, name))
    means = {own + word for own, those in families.items() if those[1:] for word in column_names.VOCABULARY["whole"]}
    return [min(family)[1] for each, family in families.items() if each not in means]


def clear_humans(names: Iterable[str]) -> list[str]:
    """Return the columns that are clearly named like human scores: `rater_2`, or `expert_a` along with `expert_b`.

    >>> clear_humans(["human", "expert_a", "expert_b", "teacher_b", "score_a", "score_b", "R100", "R101"])
    ['human', 'expert_a', 'expert_b', 'R100', 'R101']
    """
    known = list(names)
    stems = [_stem(name) for name in known]
    series = {stem for stem in stems if stem and stems.count(stem) > 1 and column_names.is_of_people(stem)}
    return [name for name in known if column_names.is_human_name(name) or _stem(name) in series]


def may_be_of_raters(name: str) -> bool:
    """Return whether a column belongs to a series whose stem is a word for people or ratings.

    >>> [may_be_of_raters(name) for name in ("hter_0", "expert_b", "feature_1", "score")]
    [True, True, False, False]
    """
    return column_names.has_word("ratings", (_stem(name),)) or column_names.is_of_people(_stem(name))


def is_run(name: str) -> bool:
    """Return whether a column is a repeated run of an unnamed system: `run_1`, `trial 2`, `all_responses 3`."""
    return column_names.has_word("run", (_stem(name),)) or column_names.has_word("outputs", (_stem(name),))


def points_among(columns: Profiles, *, fractional: bool = False) -> list[str]:
    """Return the columns that may be scores by their contents: numbers, or known words if no column has numbers."""
    known = {name for name in columns if column_names.run_of(name) or is_run(name) or column_names.is_group_name(name)}
    measures = {name for name in columns if column_names.is_measure_name(name) and not column_names.names_points(name)}
    known |= {*measures, *filter(column_names.is_weight_name, columns), *filter(column_names.rater_id_of, columns)}
    free = {name: each for name, each in columns.items() if name not in known and each.has_scores}
    found = [name for name, each in free.items() if each.is_score_like or (fractional and each.is_fine)]
    return found or [n for n, each in free.items() if not (each.has_numbers or each.levels_problem(MOST_LABELS))]


def find_scores(columns: Profiles, data: DataSettings, roles: ColumnRoles) -> None:
    """Assign the roles of system scores and human scores."""
    roles.left_out |= rated_systems(roles.unassigned(columns), columns) | _numbers_of_raters(roles.unassigned(columns))
    roles.left_out |= _computed(roles.unassigned(columns))
    keys = {name: name.rpartition(".") for name in roles.unassigned(columns)}  # "score.confidence"
    inside = [name for name, (of, _, key) in keys.items() if key.isalpha() and of in columns and columns[of].has_scores]
    roles.left_out |= dict.fromkeys(inside, "not needed")
    free, every = roles.unassigned(columns), {*columns, *roles.left_out}
    derived = dict[tuple[str, ...], dict[str, str]]()
    humans = [_independent(each, free, every, derived) for each in _humans(free, roles, every)]
    systems = list(_systems(free, roles, every))
    named = any(each.value[1] in (NAMED, BY_NAME) for each in systems)
    found: list[Candidate] = []
    for one, two in product(ranked(humans)[:MOST_WEIGHED], [*ranked(systems)[:MOST_WEIGHED], None]):
        names = one.value[0]
        if two is None:
            if len(names) > 1 and (data.ratings_only or not named):
                every_evidence = (*one.evidence, "typed" if data.ratings_only else "no_engine")
                alone = ("--ratings-only", *one.options)
                means = f"{listed(names)} are human scores, and there is no engine"
                found.append(Candidate((one.value, None), means, alone, every_evidence))
        elif set(names).isdisjoint(two.value[0]) and not data.ratings_only:
            engine, people = columns[two.value[0][0]], [columns[name] for name in names if name in columns]
            by_contents = (two.value[1] == BY_CONTENTS, one.value[1] == BY_CONTENTS)
            least = GOING if by_contents[0] and not (engine.is_score_like or engine.is_fractional) else LEAST_TRACKED
            if any(by_contents) and any(_are_unlike(each, engine) for each in people):
                continue
            fit = [name for name in two.value[0] if any(columns[name].tracks(each, least) for each in people)]
            tops = {column_names.highest_in(name) for name in (*names, *two.value[0])}
            if any(by_contents) and ((people and not fit) or len({top for top in tops if top == top}) > 1):
                continue  # questions with other points are no ratings of one response
            alike = [name for name in fit if all(columns[name].labels & each.labels for each in people)]
            fit = alike or fit
            if two.value[1] == BY_NAME and len(two.value[0]) == 1 and not any(map(engine.has_range_of, people)):
                others = [e for e in free.values() if e.is_fine and e not in people and e.tracks(engine, SAME_SCORES)]
                for version in [each for each in others if any(map(each.has_range_of, people))][:1]:
                    options, engine = options_of("--system", [version.name], every), version
                    two = Candidate(((version.name,), BY_CONTENTS), version.name, options, two.evidence)
            partly = bool(alike or by_contents[1]) and two.value[1] == BY_NAME and 0 < len(fit) < len(two.value[0])
            if partly:  # the other engines may be of other items or traits
                options, engine = options_of("--system", fit, every), columns[fit[0]]
                two = Candidate((tuple(fit), BY_NAME), ", ".join(fit), options, two.evidence)
            weakly = by_contents == (False, True) and (partly or not any(engine.tracks(e, GOING) for e in people))
            same = all(engine.labels & each.labels for each in people)
            labels = ("labels_shared" if same else "labels_differ",) * any(each.labels for each in (engine, *people))
            sure = data.labels_file is not None and labels == ("labels_shared",)  # the first file is an engine's
            starts = {" ".join(column_names.words_of(each)[:-1]) for each in (*names, engine.name)}
            beside = len(starts) == 1 and starts != {""}
            beside |= any(engine.has_range_of(each) and _bare(engine.name) & _bare(each.name) for each in people)
            labels += ("engine_beside",) * (by_contents[0] and len(names) > 1 and beside)
            evidence = (*one.evidence, *(() if sure else two.evidence), *["humans_weakly"] * weakly, *labels)
            means = f"the human scores are in {listed(names)}, and the engine scores are in {listed(two.value[0])}"
            found.append(Candidate((one.value, two.value), means, (*one.options, *two.options), evidence))
    if not found:
        _refuse(free, humans, systems, data, roles)
    shown = listed(sorted({name for each in found for side in each.value if side for name in side[0]}, key=natural))
    question = f"{shown} could contain scores. Which are human scores, and which are engine scores?"
    otherwise = "use --human NAME and --system NAME, or add human scores from a second file with --labels-file FILE"
    (human, how), system = choose(found, question, otherwise).value
    if not roles.columns("human"):
        roles.left_out |= derived.get(human, {})
        engines = system[0] if system else ()
        _ask_about_heights([columns[name] for name in human if name in columns], engines, columns, every)
        _ask_about_copy(human, engines, free, every)
        roles.assign("human", human, how)
    if system and not (roles.columns("system") or data.ratings_only):
        engine, people = columns[system[0][0]], [columns[name] for name in human if name in columns]
        refuse_dependent(people, engine, columns)
        fullest = sorted({*columns}.difference(human, system[0]), key=lambda n: (-len(columns[n].scored), natural(n)))
        for name in fullest:
            own = columns[name]
            final = how != NAMED and column_names.is_final_name(name) and any(_goes_along(own, each) for each in people)
            if final and _repeats_engine(own, engine, people):
                roles.left_out[name] = f"repeats '{engine.name}' where there is no human score"
                continue
            total = any(_has_height_of_total(columns[each], own, people) for each in system[0])
            if final or (total and name in follow_from_others({p.name: p.first_numbers for p in (own, *people)})):
                _ask_about_total([name], human, system[0], every, data.record)
        _ask_about_overlooked(human, system[0], columns, roles.unassigned(columns), every, how)
    if data.ratings_only:
        roles.parts.pop("system", None)
    if system and not roles.columns("system"):
        roles.assign("system", *system)


def _repeats_engine(own: Profile, engine: Profile, people: Sequence[Profile]) -> bool:
    """Return whether a final score is the engine's, rounded to the scale, in most rows without a human score."""
    score, unrated = own.first_numbers, np.isnan([each.first_numbers for each in people]).all(axis=0)
    rounded = np.rint(engine.first_numbers).clip(own.scored.min(initial=np.inf), own.scored.max(initial=-np.inf))
    same = (score == rounded)[unrated & np.isfinite(score)]
    return len(same) >= ENOUGH and bool(same.mean() > HIGH)


def _independent(
    one: Candidate, free: Profiles, every: Collection[str], derived: dict[tuple[str, ...], dict[str, str]]
) -> Candidate:
    """Return possible human scores without those that follow from others, unless named; note these in `derived`."""
    names, how = one.value
    found = {} if how == NAMED else follow_from_others({name: free[name].first_numbers for name in names})
    own = tuple(name for name in names if name not in found)
    derived[own] = found
    return Candidate((own, how), ", ".join(own), options_of("--human", own, every), one.evidence) if found else one


def rated_systems(free: Profiles, columns: Profiles) -> dict[str, str]:
    """Return the columns that name the systems whose responses were rated: words that no other column contains.

    Without two columns of scores beside it, such a column may be the scores.
    """
    found = {}
    writers = [*filter(column_names.names_writer, free)]
    beside = {name: each for name, each in columns.items() if writers and name not in writers}
    for name in writers if len(points_among(beside, fractional=True)) > 1 else ():
        own = {*(free[name].first_words or ((), None))[0]}
        others = [each.first_words[0] for each in columns.values() if each.name != name and each.first_words]
        are_scores = free[name].has_scores and max(map(len, own), default=0) != 1
        if not (are_scores or free[name].is_blank or any(len(own.intersection(words)) > 1 for words in others)):
            found[name] = NAMES_SYSTEMS
    return found


def _numbers_of_raters(free: Profiles) -> dict[str, str]:
    """Return the columns named like people that contain IDs of raters and not scores, and why.

    They do not correlate with scores, and either another column has the same name and "score", or all are IDs.
    """
    scores = {name: own for name, own in free.items() if column_names.names_points(name) and own.has_numbers}
    highest = max((np.nanmax(each.first_numbers, initial=0.0) for each in scores.values()), default=100)
    found = {}
    for name in [name for name in clear_humans(free) if name not in scores and free[name].has_numbers]:
        own, words = free[name].first_numbers, column_names.words_of(name)
        ids = highest < 100 <= np.nanmin(own, initial=np.inf) and not (own % 1 > 0).any()
        ids |= any(column_names.words_of(each)[:-1] == words for each in scores)
        if ids and not any(each.correlation(free[name]) >= LEAST_TRACKED for each in scores.values()):
            found[name] = "contains rater IDs"
    return found


def _computed(free: Profiles) -> dict[str, str]:
    """Return the columns that follow from ratings and are not named like people or engines, and why."""
    engines = {*systems_by_name(free, people_named=True), *_called(free, "engine")}
    among = {*points_among(free, fractional=True), *(n for n in free if column_names.has_word("whole", _words_in(n)))}
    numbers = {name: free[name].first_numbers for name in free if name in among - engines and free[name].is_numeric}
    clear = {*clear_humans(free), *_counterparts(free, engines)}
    return {name: why for name, why in follow_from_others(numbers).items() if name not in clear}


def _words_in(name: str) -> list[str]:
    return column_names.words_of(name.rsplit(".", 1)[-1])  # the last key of JSON


def _are_unlike(one: Profile, other: Profile) -> bool:
    """Return whether one column is the other rescaled, or has numbers and the other words that do not map to any."""
    words = [each for each in (one, other) if not (each.has_scores or each.known_words or each.is_blank)]
    same = np.array_equal(one.first_numbers, other.first_numbers, equal_nan=True)
    rescaled = not same and len(one.scored) >= ENOUGH and one.tracks(other, RESCALED)
    return rescaled or (bool(words) and (one.has_numbers or other.has_numbers))


def _typed(human: Sequence[str], systems: Sequence[str], every: Collection[str]) -> tuple[str, ...]:
    """Return the options that name both sides."""
    engines = options_of("--system", systems, every) if systems else ("--ratings-only",)
    return (*options_of("--human", human, every), *engines)


def _ask_about_copy(human: Sequence[str], systems: Sequence[str], free: Profiles, every: Collection[str]) -> None:
    """Raise the question whether a column that nearly equals another is an independent rating."""
    if not (found := copy_among({name: free[name].first_numbers for name in human})):
        return
    copy, original, same = found
    ways = [(f"'{copy}' is an independent rating", human)]
    ways.append((f"'{copy}' is a copy of '{original}'", [name for name in human if name != copy]))
    raise QuestionError(
        f"'{copy}' is the same as '{original}' in {100 * same:.0f}% of rows. Is it an independent rating?",
        [(means, _typed(those, systems, every)) for means, those in ways if systems or len(those) > 1],
    )


def _ask_about_heights(
    people: Sequence[Profile], systems: Sequence[str], columns: Profiles, every: Collection[str]
) -> None:
    """Raise the question which ratings count if the highest scores differ several-fold, as those of a total do."""
    sides = [[each for each in people if _heights_differ(people[0], each) == apart] for apart in (False, True)]
    if not all(sides) or len(people) < 3:  # with two raters, the report shows the doubt
        return
    ways = list[tuple[str, tuple[str, ...]]]()
    for names in ([each.name for each in those] for those in sides):
        rated = [columns[name] for name in names]
        engines = [name for name in systems if not any(_heights_differ(columns[name], each) for each in rated)]
        way = f"the ratings are in {listed(names)}", _typed(names, engines, every)
        ways[:] = [way, *ways] if engines else [*ways, *[way] * (len(names) > 1)]
    text = f"{listed(each.name for each in people)} have very different highest scores. Which columns are the ratings?"
    raise QuestionError(text, ways)


def _ask_about_overlooked(
    human: Sequence[str], systems: Sequence[str], columns: Profiles, free: Profiles, every: Collection[str], how: str
) -> None:
    """Raise the question whether an unused column on the scale of the ratings is an engine."""
    unused = sorted({*free}.difference(human, systems), key=natural)
    for name in unused:
        counterpart = name in _counterparts(free, systems)
        engine = name in _called(free, "engine", systems)
        words = column_names.words_of(name)
        other = column_names.has_word("whole", words) or _is_something_else(name, _stem(name))
        other &= not {*words} <= {*column_names.VOCABULARY["scored"]}  # "Grade" may be a group
        other |= column_names.has_word("self", words[:1])
        if (other and not (counterpart or engine)) or name not in first_runs(free):
            continue
        sides = [[columns[each] for each in side if each in columns] for side in (human, systems)]
        worded = any(free[name].labels & each.labels for each in sides[0])
        if whose := "people" if worded else goes_with(free[name], *sides, typed=how == NAMED):
            typed = _typed(human, systems, every)
            own = next((those for those in _series(unused, free).values() if name in those), [name])
            role = {role: options_of(role, own, every) for role in ("--human", "--system")}
            kinds, contain = ("no scores", "human scores", "engine scores"), "contain" if own[1:] else "contains"
            those, answers = f"{listed(own)} {contain}", ((), role["--human"], role["--system"])
            ways = [(f"{those} {kind}", options) for kind, options in zip(kinds, answers, strict=True)]
            engine |= whose == "engine"
            last = worded or column_names.side_of(name)[0] == "people"  # that it is not a score
            ways = [ways[2 if engine else 1], ways[0]] if counterpart or engine else ways[last:] + ways[:last]
            choices = [(means, (*typed, *options)) for means, options in ways]
            parts = [each for each in clear_humans(free) if free[each].is_numeric]
            ratings = {each: columns[each].first_numbers for each in (*human, *parts)}
            if follow_from_others(ratings).keys() & {*human}:  # such as a sum of ratings
                _ask_about_total(human, parts, systems, every, None)
            asked = f"What {'do' if own[1:] else 'does'} {listed(own)} contain?"
            raise QuestionError(f"column '{name}' agrees closely with {listed(human)}. {asked}", choices)


def _ask_about_total(
    total: Sequence[str], parts: Sequence[str], systems: Sequence[str], every: Collection[str], record: str | None
) -> NoReturn:
    """Raise the question whether the engine is compared with ratings, or with a score that is computed from them."""
    first, *others = sorted(parts, key=lambda each: (column_names.rater_order(each), natural(each)))
    role = "other ratings" if others[1:] else "second rating"
    more = f", and use {listed(others)} as the {role}" if others else ""
    ways = [
        (f"compare it with {listed(total)} only (rater reliability and PRMSE are then unavailable)", total, ()),
        (f"compare it with '{first}'{more}", parts, ("--record", first) * (record in total)),
    ]
    choices = [(means, (*_typed(those, systems, every), *chosen)) for means, those, chosen in ways]
    text = f"{listed(total)} is based on {listed(parts)}. Which score should the engine be compared with?"
    raise QuestionError(text, choices)


def _systems(free: Profiles, roles: ColumnRoles, every: Collection[str]) -> Iterator[Candidate]:
    """Yield the possible system scores: the named ones, otherwise each possible column."""

    def candidate(names: Sequence[str], how: str, *evidence: str) -> Candidate:
        return Candidate((tuple(names), how), ", ".join(names), options_of("--system", names, every), evidence)

    if roles.columns("system"):
        yield candidate(roles.columns("system"), NAMED, "typed")
        return
    people = bool(roles.columns("human") or clear_humans(free) or _called(free, "people"))
    named = systems_by_name(free, people_named=people)
    clear = set(clear_humans(free))
    unnamed = points_among({name: each for name, each in free.items() if name not in clear}, fractional=True)
    resolved = {name for name in unnamed if clear and column_names.is_final_name(name)}
    unnamed = [name for name in unnamed if not _sums_up(name)] or [name for name in unnamed if name not in resolved]
    known = people or any(_may_be_human(name) and free[name].has_numbers for name in free)
    words = [name for name in named if len(free[name].first_texts[0]) > 1]  # not the name of the only model
    words = [] if known and any(free[name].has_numbers for name in unnamed) else words
    called = _called(free, "engine", clear)
    scored = [name for name in named if free[name].has_scores]
    if any(free[name].has_numbers for name in clear):
        scored = [name for name in scored if not any(free[name].puts_into_words(free[each]) for each in scored)]
    scored += [n for n in called if n not in named and any(_goes_along(free[n], free[each]) for each in scored)]
    runs = sorted((name for name in free if is_run(name) and free[name].has_scores), key=natural)
    called = called or _counterparts(free, _called(free, "people"))
    scored = [name for name in scored if not _is_forecast(free[name], [free[each] for each in scored])]
    named = first_runs(scored or words) or (runs[:1] if len(runs) > 1 else first_runs(called))
    if named:
        yield candidate(sorted(named, key=natural), BY_NAME, "engine_named")
        return
    between = [name for name in unnamed if free[name].is_fractional and not _may_be_human(name)]
    between = [name for name in between if column_names.side_of(name)[0] == "engine"] or between
    if between[1:]:
        yield candidate(sorted(between, key=natural), BY_CONTENTS, "engine_several")
    for name in unnamed:
        likely = free[name].is_fractional and (name in between or not between)
        evidence = ["engine_between" if likely else "engine_unnamed", *["engine_other"] * plays_other_part(name)]
        yield candidate([name], BY_CONTENTS, *evidence)


def _sums_up(name: str) -> bool:
    """Return whether a name is that of a total or of scores on which ratings are resolved, and not of an engine's."""
    return column_names.has_word("total", column_names.words_of(name)) or column_names.is_final_name(name)


def _is_forecast(own: Profile, systems: Sequence[Profile]) -> bool:
    """Return whether a name contains a word for predictions only, and an engine has scores on another scale."""
    others = [each for each in systems if not column_names.has_word("forecast", column_names.words_of(each.name))]
    named = own in others or any(map(column_names.names_engine, column_names.words_of(own.name)))
    return bool(others) and not (named or any(len(own) < ENOUGH or own.has_range_of(each) for each in others))


def _called(free: Profiles, side: str, but: Collection[str] = ()) -> list[str]:
    """Return the columns of scores whose names contain a word for engines or for people."""
    people = judging_people(free)
    sides = {name: "people" if name in people else column_names.side_of(name)[0] for name in free}
    called = [each for name, each in free.items() if name not in but and sides[name] == side]
    rated = [free[name] for name in clear_humans(free)]
    scored = [own for own in called if own.has_scores and not own.numbers_rows]
    return [own.name for own in scored if not plays_other_part(own.name) or any(is_worded_like(own, e) for e in rated)]


def is_worded_like(own: Profile, other: Profile) -> bool:
    """Return whether two columns have the same labels, or the same texts with numbers, such as "1 - Beginning"."""
    worded, alike = own.has_numbers and not own.is_numeric and not own.is_blank, (own.texts & other.texts) - {""}
    return bool(own.labels & other.labels) or (worded and len(alike) > 1 and own.tracks(other))


def _counterparts(free: Profiles, names: Collection[str]) -> list[str]:
    """Return the columns of scores with the names of other columns, minus the word for engines or people."""
    wanted = {_bare(name) for name in names} - {frozenset()}
    others = [name for name in free if name not in names and not column_names.side_of(name)[0]]
    return [name for name in others if _bare(name) in wanted and free[name].has_scores]


def _bare(name: str) -> frozenset[str]:
    words = _words_beside(name)
    return words.difference(column_names.VOCABULARY["scored"]) or words


def _words_beside(name: str) -> frozenset[str]:
    """Return the words of a name beside those for engines or people, and beside IDs."""
    return frozenset(word for word in column_names.side_of(name)[1] if not re.fullmatch(r"\d{4,}", word))


def plays_other_part(name: str) -> bool:
    """Return whether a column is named like a measure, a group, an ID, or a comment."""
    words = _words_in(name)
    known = column_names.is_measure_name(name) or column_names.is_group_name(name) or column_names.ends_like_id(name)
    known = known or column_names.names_somebody(name) or column_names.is_cluster_name(name)
    known = known or column_names.is_maximum_name(name)
    known = known or (column_names.side_of(name)[0] == "engine" and "metadata" in column_names.words_of(name))
    words = [word for word in words if word != "raw"]  # a form of the same score
    return known or column_names.has_word("no_trait", words) or column_names.rating_time_of(name) is not None


def may_be_scores(column: Profile) -> bool:
    """Return whether a column contains points or words for scores, and its name does not show another part."""
    return (column.is_score_like or bool(column.known_words)) and not plays_other_part(column.name)


def _humans(free: Profiles, roles: ColumnRoles, every: Collection[str]) -> Iterator[Candidate]:
    if roles.columns("human"):
        yield Candidate((roles.columns("human"), NAMED), ", ".join(roles.columns("human")), (), ("typed",))
        return
    clear = clear_humans(free)
    taken = {*systems_by_name(free, people_named=bool(clear)), *_called(free, "engine", clear)}
    known = bool(taken or roles.columns("system"))
    free = {name: each for name, each in free.items() if name not in taken}
    found = [*humans_in(free, every, engine_known=known)]
    varied = {name for name, each in free.items() if not each.has_scores or each.n_distinct > 1}
    varied = varied.union(*(each.value[0] for each in found if not varied.isdisjoint(each.value[0])))
    free = {name: each for name, each in free.items() if name in varied}
    yield from [*humans_in(free, every, engine_known=known)] or found


def humans_in(free: Profiles, every: Collection[str], *, engine_known: bool = False) -> Iterator[Candidate]:
    """Yield the possible human scores among some of the columns in `every`: by name, by a common stem, by contents.

    If no engine is known, fractional values are evidence against a name that may belong to human or engine scores.
    """

    def candidate(names: Iterable[str], how: str, *evidence: str) -> Candidate:
        ordered = sorted(names, key=lambda name: (column_names.rater_order(name), natural(name)))
        return Candidate((tuple(ordered), how), ", ".join(ordered), options_of("--human", ordered, every), evidence)

    names = list(free)
    short = {name: each for name, each in free.items() if each.mean_length <= LONG_ID}
    grades = [name for name in short if column_names.words_of(name) == ["grade"]]
    marks = [name for name in grades if len(short[name].points) > MOST_SCHOOL_GRADES]
    perhaps = [name for name in short if _may_be_human(name) or name in marks]
    words = [name for name in perhaps if free[name].has_scores]
    # next to scores, "rater" contains the raters, unless its numbers go with the scores
    raters = [name for name in column_names.all_of_raters(names) if words and not free[name].labels]
    raters = [name for name in raters if not any(_goes_along(free[name], free[each]) for each in {*words} - {name})]
    clear = [name for name in clear_humans(names) if name not in raters]
    scored = [name for name in clear if free[name].has_scores]
    if len(items := {column_names.item_in(name) for name in scored}) > 1:
        for item in items:
            yield candidate([name for name in scored if column_names.item_in(name) == item], BY_NAME, "humans_named")
        return
    if scored:
        one, alone = free[scored[0]], len(scored) == 1 and not engine_known
        more = [e for n, e in free.items() if n in points_among(free) and n not in clear]
        more = [each for each in more if not (scored[1:] and _sums_up(each.name))]
        more = [each for each in more if each.labels & one.labels or (alone and each.has_numbers and _agree(one, each))]
        first = first_ratings(scored, free)
        if not first and len(scored) == 1 and column_names.rater_order(scored[0]) > 1:  # a second rater follows a first
            first = [each.name for each in more if _may_be_human(each.name)]
        others = [name for name in _called(free, "people", (*clear, *raters, *first)) if not _sums_up(name)]
        others = [name for name in others if one.has_numbers and _goes_along(free[name], one)]
        yield candidate([*first, *_with_words_beside(scored, clear, free), *others], BY_NAME, "humans_named")
        for few in combinations(more, max(len(more) - alone, 1)) if more and not first else ():
            yield candidate([*scored, *(each.name for each in few)], BY_CONTENTS, "humans_named", "humans_alike")
        return
    engines = [name for name in every if column_names.side_of(name)[0] == "engine"]
    called = _called(free, "people", column_names.all_of_raters(names))
    beside = {each.casefold() for each in _counterparts(free, engines)}  # "score", which "score_2" follows
    beside |= {name.casefold() for name in free if _stem(name) in beside and free[name].has_scores}
    if those := called or [name for name in free if name.casefold() in beside]:
        yield candidate([*first_ratings(those, free), *those], BY_NAME, "humans_named")
    if called:
        return
    series = _series(names, free)
    of_ratings = {stem: those for stem, those in series.items() if column_names.has_word("ratings", (stem.strip(),))}
    found: list[Candidate] = []
    if of_ratings or not words:
        for those in (of_ratings or series).values():
            _refuse_counts(free, those)
            alike = all(free[name].is_score_like for name in those)
            evidence = "humans_of_ratings" if of_ratings else "humans_series" if alike else "humans_unlike"
            how = BY_NAME if set(those) <= set(perhaps) else BY_STEM
            found.append(candidate(those, how, evidence))
    by_name = [name for name in words if not any(name in each.value[0] for each in found)]
    stems: dict[str, list[str]] = {}
    numbers = any(e.has_numbers and not (e.is_id_like or plays_other_part(n)) for n, e in free.items())
    for name in by_name or (() if found or numbers else clear or perhaps):
        stems.setdefault("" if name in clear else re.sub(r"\d", "", column_names.normalised(name)), []).append(name)
    for those in stems.values():
        between = not engine_known and all(free[name].is_fractional for name in those)
        found.append(candidate(those, BY_NAME, "humans_perhaps", *["humans_between"] * between))
    yield from found
    if any("humans_between" not in each.evidence for each in found):
        return
    points = points_among(free)
    for name in points:
        model = column_names.may_name_engine(name) or column_names.names_engine(name)
        yield candidate([name], BY_CONTENTS, "humans_points", *["humans_model"] * model)
    groups: list[list[str]] = []
    for name in sorted(points, key=natural):
        fitting = (group for group in groups if all(_of_one_kind(free[name], free[each]) for each in group))
        if (group := next(fitting, None)) is None:
            groups.append(group := [])
        group.append(name)
    yield from (candidate(group, BY_CONTENTS, "humans_together") for group in groups if len(group) > 1)


def first_ratings(found: Sequence[str], free: Profiles) -> list[str]:
    """Return the column beside the second ratings `found`, if these are all: "Essay" beside "Essay second marker"."""
    others = [each for name, each in free.items() if found and not column_names.side_of(name)[0]]
    return [own.name for own in others if all(_is_second(free[name], own) for name in found)][:1]


def _is_second(rating: Profile, first: Profile) -> bool:
    """Return whether a name is that of a first rating and a word for another rater, who rated fewer responses."""
    words, (n, fewer) = _words_beside(rating.name), (np.isfinite(e.first_numbers).sum() for e in (first, rating))
    apart = (words ^ _words_beside(first.name)).difference(column_names.VOCABULARY["scored"])
    named = bool(apart) and apart <= words.intersection(column_names.VOCABULARY["second"])
    return named and bool(n > fewer) and not _heights_differ(first, rating) and first.tracks(rating)


def _heights_differ(one: Profile, other: Profile) -> bool:
    """Return whether high numbers in the same rows differ several-fold, as those of a part and its total do."""
    both = np.stack([one.first_numbers, other.first_numbers])
    both = both[:, np.isfinite(both).all(axis=0)]
    low, high = sorted(np.quantile(both, HIGH, axis=1)) if both.shape[1] >= ENOUGH else (0.0, 0.0)
    return bool(high >= SEVERAL * low > 0)


def _has_height_of_total(engine: Profile, total: Profile, people: Sequence[Profile]) -> bool:
    """Return whether an engine's high scores are those of a total, and not of the ratings that it is computed from."""
    columns = [own.scored for own in (engine, total, *people)]
    if min(map(len, columns)) < ENOUGH:
        return False
    own, high, most = np.quantile(columns[0], HIGH), np.quantile(columns[1], HIGH), max(map(np.max, columns[2:]))
    return bool(own > most and abs(own - high) < high - most)


def _refuse_counts(free: Profiles, names: Sequence[str]) -> None:
    """Raise if the columns of a series add up to the same whole number in every row."""
    sums = {*sum(free[name].first_numbers for name in names).tolist()}  # type: ignore[union-attr]
    if len(names) > 2 and len(sums) == 1 and max(sums) > 1:
        text = f"{listed(names)} add up to {max(sums):g} in every row, so they count the ratings in each category; "
        raise InputError(f"{text}write one row per rating, with the columns id, rater, and score.")


def _may_be_human(name: str) -> bool:
    measures = {*column_names.VOCABULARY["ratings"]}.difference(column_names.VOCABULARY["scored"])  # DA, MOS, MQM
    return column_names.may_be_human_name(name) or column_names.normalised(name) in measures


def _of_one_kind(one: Profile, other: Profile) -> bool:
    """Return whether two columns have common points that correlate, and names of one form, such as "Anna" and "Ben".

    If each of many raters rated some responses, the common rows are too few to show a correlation.
    """
    names = [re.sub(r"\d+", "0", column_names.unaccented(each.name)) for each in (one, other)]
    forms = [re.sub("[a-z]+", "a", re.sub("[A-Z]", "A", name)) for name in names]
    there = np.isfinite([one.first_numbers, other.first_numbers])
    both, fewer = there.all(axis=0).sum(), there.sum(axis=1).min()
    return forms[0] == forms[1] and _agree(one, other, tracked=both >= FEW_COMMON or 2 * both >= fewer)


def _goes_along(one: Profile, other: Profile) -> bool:
    """Return whether a column has the labels of another, or its range, and correlates with it."""
    return bool(one.labels & other.labels) or (one.has_range_of(other) and one.tracks(other, GOING))


def _agree(one: Profile, other: Profile, *, tracked: bool = True) -> bool:
    """Return whether two columns have common points that correlate, if that is to be checked."""
    first, second = one.points, other.points
    return 2 * len(first & second) >= min(len(first), len(second)) and (not tracked or one.tracks(other))


def _refuse(
    free: Profiles, humans: Sequence[Candidate], systems: Sequence[Candidate], data: DataSettings, roles: ColumnRoles
) -> NoReturn:
    if free and not any(map(len, free.values())):
        raise InputError(NO_ROWS)
    known = {name for each in ranked(humans or systems)[:1] for name in each.value[0] if not data.ratings_only}
    others = [n for n, e in free.items() if e.has_scores and not (n in known or plays_other_part(n) or e.numbers_rows)]
    possible = f", but {listed(others, 'or')} could be" if others else ""
    if data.ratings_only:
        text = "a raters-only report requires two columns of ratings"
        raise SettingsError(f"{text}; name each with --human NAME.")
    lacking = [role for role, there in (("system", systems), ("human", humans)) if not there]
    lacking = lacking or ["human" if systems[0].value[1] in (BY_NAME, NAMED) else "system"]
    text = f"no column looks like {' or '.join(lacking).replace('system', 'engine')} scores"
    named = " ".join(f"--{role} NAME" for role in lacking)
    rivals = [*sorted(known), *clear_humans(others)]
    if lacking == ["system"] and len(rivals) == 2 and not clear_humans(known):  # too few rows show which is which
        means, pairs = "the engine scores are in '{}'", (rivals, rivals[::-1])
        answers = [(means.format(one), ("--system", one, "--human", two)) for one, two in pairs]
        raise QuestionError(f"the engine scores could be in {listed(rivals, 'or')}. Which column are they in?", answers)
    side, found = lacking[0], ranked(humans if lacking[0] == "system" else systems)[:1]
    likely = points_among(free, fractional=True) if found and not (humans and systems) else []
    beside = [free[name] for each in found for name in each.value[0] if name in free]
    likely = [n for n in likely if free[n] not in beside and any(map(free[n].tracks, beside or [free[n]]))]
    clear = [n for n in others if found and not column_names.highest_in(n) > 0]
    likely = likely or [n for n in clear if free[n].is_fractional]
    likely = likely or [
        n for n in clear if free[n].has_numbers and (len(others) == 1 or any(map(free[n].tracks, beside)))
    ]
    unread = {name for name, why in roles.left_out.items() if why == "long text"}
    unread |= {name for name, each in free.items() if each.mean_length > LONG_ID and not each.has_scores}
    wanted = "engine" if side == "system" else "people"
    if not likely and (texts := sorted(name for name in unread if column_names.side_of(name)[0] == wanted)):
        text += f", and the texts in {listed(texts)} contain no marked score; add a score column, or mark the score in "
        raise InputError(f"{text}each text; for example, 'Score: 4'.")
    likely = [name for name in likely if not _sums_up(name)] or likely
    own = frozenset().union(*(_bare(each.name) for each in beside))
    likely.sort(key=lambda n: (-len(own & _bare(n)), -max((abs(free[n].correlation(e)) for e in beside), default=0.0)))
    scores = f"the {side.replace('system', 'engine')} scores"
    alike = [name for name in others if likely and _of_one_kind(free[likely[0]], free[name])]
    sets = ([sorted(alike, key=natural)] if alike[1:] else []) + [[name] for name in likely]
    ways = [
        (f"{scores} are in {listed(those)}", (*options_of(f"--{side}", those, free), *found[0].options))
        for those in sets
    ]
    if ways:
        text = f"{scores} could be in {listed(others, 'or')}. Which column are they in?"
        raise QuestionError(text, ways[:2], f"add --{side} NAME" * (len(others) > 2))
    other = "join the human scores" if side == "human" else "evaluate the engine's file, and add this one"
    named = f"column{'s' * (len(lacking) > 1)} with {named}"
    raise QuestionError(f"{text}{possible}; name the {named}, or {other} with --labels-file FILE.")


def _series(names: Iterable[str], free: Profiles) -> dict[str, list[str]]:
    """Return the numeric columns that may be raters, by common stem."""
    families: dict[str, list[str]] = {}
    for name in names:
        if (stem := _stem(name)) and not _is_something_else(name, stem) and free[name].has_scores:
            number = (column_names.series_of(name) or ("", ""))[1].isdigit()
            families.setdefault(stem + " " * number, []).append(name)
    return {stem: those for stem, those in families.items() if 1 < len(those) <= MOST_RATERS}


def _is_something_else(name: str, stem: str) -> bool:
    """Return whether a column belongs to a system, its runs, a group, or a measure that raters do not give."""
    engine = systems_by_name([name], people_named=True) or column_names.side_of(name)[0] == "engine" or is_run(name)
    words = stem.replace("_", " ").replace("-", " ").split()
    return bool(engine) or plays_other_part(name) or column_names.has_word("no_raters", words)


def _stem(name: str) -> str:
    return (column_names.series_of(name) or ("", ""))[0]


def _with_words_beside(found: Sequence[str], clear: Sequence[str], columns: Profiles) -> list[str]:
    """Return the score columns, plus other raters' columns that mix known and unknown words, which need a question."""
    used = frozenset().union(*(columns[name].known_words for name in found))
    more = (name for name in clear if name not in found)
    return [*found, *(name for name in more if {w for w in columns[name].known_words if len(w) > 1 or w in used})]


def options_of(option: str, names: Sequence[str], every: Iterable[str]) -> tuple[str, ...]:
    """Return the options that name columns; a pattern names one series if it matches no other column of the file."""
    others = [name for name in every if name not in names]
    same = len({_stem(name) for name in names}) == 1 and _stem(names[0])
    pattern = column_names.pattern_of(sorted(names), others) if same else ""
    return tuple(word for name in ([pattern] if pattern else names) for word in (option, name))


def with_columns(head: Mapping[str, Profile], data: DataSettings) -> DataSettings:
    """Return the settings for a file with one row per response, with every pattern expanded.

    A pattern matches columns that contain numbers or, if it matches none, labels; of a system's runs, only the first. A
    pattern never makes a rater of an engine or an ID column; a full name does.
    """
    systems, human = named_systems(data), data.human or ()
    if not any(column_names.WILD.search(name) for name in (*systems, *human)):
        return data
    readable = {name: each for name, each in head.items() if each.is_readable}
    numeric = [name for name, each in readable.items() if each.has_scores or each.is_blank]
    labelled = [name for name, each in readable.items() if not each.levels_problem(MOST_LABELS)]

    def spelled(wanted: Sequence[str], option: str, taken: Collection[str] = ()) -> list[str]:
        found: dict[str, None] = {}
        for each in wanted:
            if each in head or not column_names.WILD.search(each):
                found[each] = None
                continue
            words = [name for name in labelled if name not in taken]
            those = column_names.matched(each, words) if not column_names.matched(each, numeric) else []
            rest = [name for name in numeric if name not in taken]
            those = those or column_names.chosen([each], rest, option, "score columns")[each]
            found |= dict.fromkeys(sorted(those, key=column_names.rater_order))
        return list(found)

    found, scores = spelled(systems, "--system"), [*numeric, *labelled]
    engines = {*found, *systems_by_name(scores, people_named=bool(clear_humans(scores)))}
    ids = {name for name in head if column_names.first_of("id", [name]) or column_names.first_of("candidate", [name])}
    people = spelled(human, "--human", engines | ids)
    own = first_runs([name for name in found if name not in systems])
    data = with_systems(data, [name for name in found if name in systems or name in own])
    return data.model_copy(update={"human": tuple(people) or None})


def with_systems(data: DataSettings, systems: Sequence[str]) -> DataSettings:
    """Return the settings with the systems that its patterns match."""
    if tuple(systems) == named_systems(data):
        return data
    alone = data.systems is None and len(systems) == 1
    update = {"system": systems[0] if alone else None, "systems": None if alone else tuple(systems)}
    return data.model_copy(update=update)
