"""Selection of responses: whether those scored, and those scored twice, are like the others.

Means are not sufficient: second ratings where engine and rater differ, or at both ends of the scale, do not change
them. So spreads, shares of scores, and the distance of the engine from the rater are also compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from reportgen.errors import write_command
from reportgen.evaluation.measure import joint_estimates
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics.pair import ratio, root, without_rounding
from reportgen.results import Estimate, Record, Row, Scale, Table
from reportgen.results.term import Term
from reportgen.scores import Account
from reportgen.scores.table import WEIGHTS, ScoreTable, Unscored
from reportgen.sources import column_names
from reportgen.tally import OVERALL, TRIMMED, CellScores, Polynomial, Tally
from reportgen.tally.cells import formed_scores
from reportgen.tally.sums import Floats

MOST_LEVELS = 60  # levels of a group column up to which its composition is compared

MOST_POINTS = 12  # score points up to which their shares are compared

LEAST_EXPECTED = 5.0  # expected responses with a score in the smaller part that are required to compare its share

BEYOND, LEAST = 3.5, 0.1
"""Standard errors, and standard deviations, that a difference must exceed to show selection. By chance, one of a dozen
comparisons does so in fewer than 2% of files, and a smaller difference hardly matters."""

LEAST_CLUSTERS, LEAST_EFFECT, UNLIKELY = 10, 1.5, 0.001
"""Clusters required for intervals, design effect above which intervals are clearly too narrow (by 18%), and probability
below which chance does not explain similar errors."""


def balance(tallied: TalliedScores) -> list[Row]:
    """Return comparisons of double-scored responses with the rest, as rows; none if too few of either.

    A row contains the comparison, the level, both values, and the difference in SDs. There are none if second ratings
    have weights, because some counted rows compensate for them.
    """
    ratings = tallied.estimates(tallied.primary).sums.ratings
    again = float(ratings.multiple[0])
    least = max(tallied.withheld.least, 2)
    if (tallied.counted and tallied.counted.weight.min() < 0) or not least <= again <= float(ratings.n[0]) - least:
        return []
    sizes = again, float(ratings.n[0]) - again
    grouped = (row for grouping in tallied.groups for row in _composition(tallied, grouping, sizes))
    return [*_scores(tallied, sizes), *grouped]


def _unless_rare(difference: Estimate, shares: tuple[float, float], sizes: tuple[float, float]) -> Estimate:
    """Return a difference of percentages; without a value for a rare score, because its interval would be too short."""
    share = np.dot(shares, sizes) / sum(sizes) / 100
    if min(sizes) * min(share, 1 - share) >= LEAST_EXPECTED:
        return difference
    return replace(difference, value=None, low=None, high=None, standard_error=None, reason="too few responses")


def _scores(tallied: TalliedScores, sizes: tuple[float, float]) -> Iterator[Row]:
    """Yield means, spreads, and shares of the scores, and the distance of the engine from the first rater."""
    given = tallied.tally.cells.ratings[:, 0]
    points = np.unique(given[np.isfinite(given)])
    points = points if 2 < len(points) <= MOST_POINTS else points[:0]

    def features(scores: CellScores) -> dict[str, Polynomial | Floats]:
        again, first, engine = np.asarray(scores.count > 1, np.float64), scores.ratings[0], scores.score
        made: dict[str, Polynomial | Floats] = {"n": scores.one, "n_again": again}
        apart = engine - first
        every = {"h": first, "hh": first * first, "m": engine, "mm": engine * engine, "d": apart * apart}
        every |= {f"p{place}": Polynomial.of((given == point) * 1.0) for place, point in enumerate(points)}
        return made | every | {f"{name}_again": each * again for name, each in every.items()}

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        n, again = sums["n"], sums["n_again"]

        def means(name: str) -> list[Floats]:
            more = sums[f"{name}_again"]
            return [ratio(more, again), ratio(sums[name] - more, n - again), ratio(sums[name], n)]

        result: dict[str, Floats] = {}
        for name in "hm":
            spreads = [
                root(without_rounding(square - mean**2, square, n))
                for mean, square in zip(means(name), means(name * 2), strict=True)
            ]
            for key, (more, once, _), shift in ((name, means(name), centre), (f"{name}_sd", spreads, 0.0)):
                result[key] = ratio(more - once, spreads[2])
                result[f"{key}_parts"] = np.stack([more, once], axis=-1) + shift
        apart = [root(each) for each in means("d")]
        result |= {"d": ratio(apart[0] - apart[1], apart[2]), "d_parts": np.stack(apart[:2], axis=-1)}
        shares = [means(f"p{place}") for place in range(len(points))]
        if shares:
            gaps = [ratio(more - once, root(every * (1 - every))) for more, once, every in shares]
            result["p"] = np.stack(gaps, axis=-1)
            result["p_parts"] = 100 * np.stack([part for share in shares for part in share[:2]], axis=-1)
        return result

    found = tallied.joint(tallied.primary, features, statistics, rests_on="n")
    what = {"h": "score_of_first_rater", "h_sd": "sd_of_first_rater", "m": "score_of_engine", "m_sd": "sd_of_engine",
            "d": "engine_from_first_rater", "p": "share_of_first_rater"}  # fmt: skip
    for key in (each for each in what if each in found):
        differences = joint_estimates(
            tallied, "double_scoring_difference", found[key], kind="difference", reason="the scores do not vary"
        )
        parts = found[f"{key}_parts"].value.reshape(-1, 2).round(10).tolist()
        labels = [f"{point:g}" for point in points.tolist()] if key == "p" else [""]
        for label, (again, once), difference in zip(labels, parts, differences, strict=True):
            tested = _unless_rare(difference, (again, once), sizes) if label else difference
            yield Row((Term(what[key]), label, again, once, tested))


def purpose_of(scores: Account) -> str:
    """Return whether the evaluated system is a "judge", according to its format or its name, or an "engine"."""
    return "judge" if scores.read_by or "judge" in " ".join(scores.columns("system")).casefold() else "engine"


def design_of(scores: Account, tallied: TalliedScores, doubly: Table | None) -> dict[str, Any]:
    """Return the design of an evaluation: purpose, scale, units, and selection of scored responses.

    first, second: how many responses people scored, and scored twice, of how many, and their selection: "all", "none",
        "part" (like the rest, according to their scores), "chosen" (unlike the rest), "unknown" (too few to compare),
        or "weighted". With weights, `effective` is the effective sample size.
    doubly: the comparisons of `balance`.
    """
    unscored, twice = tallied.counts.unscored, round(float(tallied.estimates(tallied.primary).n("multiple")[0]))
    kept, alone = scores.kept, unscored.n if unscored else 0
    apart = _scored_and_not(tallied, unscored) if unscored else None
    others = scores.unscored if isinstance(scores, ScoreTable) else None
    if apart == {} and others:
        apart = _unlike_column(others)
    compared = [row for row in doubly.records() if isinstance(row["what"], Term)] if doubly else []
    clear = {size: row for row in compared if (size := _clear_size(row, twice, kept - twice))}
    gap = {key: clear[max(clear)][key] for key in ("what", "level", "again", "once")} if clear else {}
    found = ("first", kept, kept + alone, apart, "system"), ("second", twice, kept, gap if compared else None, "human")
    phases: dict[str, dict[str, Any]] = {}
    for (name, n, of, unlike, units), role in zip(found, WEIGHTS, strict=True):
        weight = None if tallied.sample is None else next(iter(scores.columns(role)), None)
        chosen = "unknown" if unlike is None else "chosen" if unlike else "part"
        how = "all" if n == of else "weighted" if weight else chosen if n else "none"
        phases[name] = {"how": how, "n": n, "of": of, **(unlike or {})}
        if tallied.sample is not None:  # the effective sample size (Kish 1965)
            effective = getattr(tallied.moments(tallied.primary).units, units)
            phases[name] |= {"weight": weight, "effective": float(effective[0])}
    if others and any(np.isfinite(others.others[name][1]).any() for name in _people_in(others)):
        phases["first"]["record"] = scores.raters[0]  # people also scored the other responses
    by_candidate = tallied.by_candidate
    people = tuple(name for name in scores.columns("group") if column_names.groups_people(name))
    return {
        "purpose": purpose_of(scores),
        "measurement": measurement(scores.scale),
        "raters_are": "a sample" if tallied.raters_drawn else "all",
        "unit": ("cluster" if scores.columns("cluster") else "candidate") if by_candidate else "response",
        "units": scores.n_units if by_candidate else kept,
        "item": next(iter(scores.columns("item")), None),
        "groups_of_people": people if scores.scale.ordered and purpose_of(scores) == "engine" else None,
        "systems": scores.systems,
        **phases,
    }


def measurement(scale: Scale) -> str:
    """Return the kind of scores of a scale: "nominal", "ordinal" (labels), "points", or "continuous"."""
    if not scale.ordered:
        return "nominal"
    return "ordinal" if scale.labels else "points" if scale.step > 0 else "continuous"


def doubts_of_sampling(design: Mapping[str, Any]) -> tuple[Term, ...]:
    """Return a sentence for each phase with selected responses: the largest difference, and the remedy."""
    phases = {"first": "doubt.first_scores", "second": "doubt.second_ratings"}
    return tuple(Term(key, **design[phase]) for phase, key in phases.items() if design[phase]["how"] == "chosen")


def doubts_of_clusters(tallied: TalliedScores, scores: Account) -> tuple[Term, ...]:
    """Return a sentence for the group column, such as classes or sites, with the most similar engine errors.

    The design effect is 1 + (m - 1) rho, with the intraclass correlation rho of errors from a one-way analysis of
    variance, and the size m of the cluster of a random response (Kish 1965, sections 5.4 and 8.2).
    """
    named = [name for name in tallied.groups if column_names.is_cluster_name(name)]
    if scores.columns("cluster") or not tallied.scale.ordered:
        return ()
    found = {name: effect for name in named if (effect := _design_effect(tallied, name)) >= LEAST_EFFECT}
    return tuple(
        Term("doubt.clusters", column=name, effect=found[name], option=write_command("--cluster", name))
        for name in sorted(found, key=found.__getitem__)[-1:]
    )


def _design_effect(tallied: TalliedScores, grouping: str) -> float:
    """Return the design effect of clusters on the mean error of the engine; 1 if chance can explain it."""
    tally = tallied.tally
    slices, formed = tally.slices[grouping], formed_scores(tally, TRIMMED)
    n, first, second = slices.sums[:3]
    error, slope = (formed.alpha - tally.cells.ratings[:, 0])[slices.cell], formed.beta[slices.cell]
    sums = n, n * error + slope * first, n * error**2 + 2 * error * slope * first + slope**2 * second
    size, total, square = (np.bincount(slices.level, each) for each in sums)
    every, levels = size.sum(), len(size)
    if levels < LEAST_CLUSTERS or every <= 2 * levels:
        return 1.0
    from scipy.special import fdtrc

    between = float((total**2 / size).sum())
    within = (float(square.sum()) - between) / (every - levels)
    between = (between - float(total.sum() ** 2 / every)) / (levels - 1)
    common = float((size**2).sum() / every)
    alike = (between - within) / (between - within + (every - common) / (levels - 1) * within)
    by_chance = fdtrc(levels - 1, every - levels, between / within) > UNLIKELY if within > 0 else True
    return 1.0 if by_chance else float(1 + (common - 1) * alike)


def _clear_size(row: Record, n: int, rest: int) -> float:
    """Return a difference of two parts in SDs; 0 if it is small or chance can explain it.

    The standard error is at least that of equal parts, because a score that one part lacks has a standard error of 0.
    """
    each, shares = row.estimate("difference"), bool(row["level"])
    if each is None or each.value is None or each.standard_error is None:
        return 0.0
    error = max(each.standard_error, np.sqrt((1 if shares else 0.5) * (1 / n + 1 / rest)))
    return abs(each.value) if abs(each.value) >= max(LEAST, BEYOND * error) else 0.0


def _scored_and_not(tallied: TalliedScores, unscored: Tally) -> dict[str, Any] | None:
    """Return the engine's mean and SD with and without human scores, or the share that differs most; None if few."""
    scored, scale = tallied.tally, tallied.scale
    (n, mean, variance, kurtosis), (n2, mean2, variance2, kurtosis2) = _moments(scored), _moments(unscored)
    spread, chance = np.sqrt((n * variance + n2 * variance2) / (n + n2)), np.sqrt(1 / n + 1 / n2)
    if min(n, n2) < max(tallied.withheld.least, 2):
        return None
    found = []
    if scale.ordered and min(variance, variance2) > 0:  # the sampling variance of log SD is (kurtosis - 1) / 4n
        errors = [(each - 1) / (4 * size) for each, size in ((kurtosis, n), (kurtosis2, n2))]
        found = [((mean - mean2) / spread, chance), (np.log(variance / variance2) / 2, np.sqrt(sum(errors)))]
    points = np.union1d(scored.cells.system, unscored.cells.system)
    both = scored, unscored
    one, other = np.array([[each.weights[each.cells.system == at].sum() / each.n for at in points] for each in both])
    together = (n * one + n2 * other) / (n + n2)
    common = (min(n, n2) * np.minimum(together, 1 - together) >= LEAST_EXPECTED) & (len(points) <= MOST_POINTS)
    gaps = np.where(common, one - other, 0) / np.sqrt(np.where(common, together * (1 - together), 1))
    if any(abs(value) >= LEAST and abs(value) > BEYOND * error for value, error in found):
        return {"mean": (mean, mean2), "sd": (float(np.sqrt(variance)), float(np.sqrt(variance2)))}
    most = int(np.argmax(np.abs(gaps)))
    if abs(gaps[most]) < max(LEAST, BEYOND * chance):
        return {}
    label = dict(zip(scale.points(), scale.labels, strict=False)).get(points[most], f"{points[most]:g}")
    return {"level": label, "share": (100 * float(one[most]), 100 * float(other[most]))}


def _people_in(unscored: Unscored) -> list[str]:
    """Return the unused columns that are named like human scores."""
    return [name for name in unscored.others if column_names.is_human_name(name)]


def _unlike_column(unscored: Unscored) -> dict[str, Any]:
    """Return the unused column, or the distance of two of raters, that differs most with and without human scores."""
    found = {}
    compared: dict[tuple[str, ...], Sequence[Floats]] = {(name,): each for name, each in unscored.others.items()}
    for pair in combinations(_people_in(unscored), 2):
        one, two = (unscored.others[name] for name in pair)
        compared[pair] = abs(one[0] - two[0]), abs(one[1] - two[1])
    for name, columns in compared.items():
        own, other = (each[np.isfinite(each)] for each in columns)
        # few values can be counts of ratings, or flags of the selection itself
        is_final = np.mean(columns[1] == unscored.system) > 0.5  # the engine's score if people gave none
        few = len(name) == 1 and len(np.unique(np.concatenate([own, other]))) <= MOST_POINTS
        if is_final or not len(own) or not len(other) or few:
            continue
        spread = np.sqrt(np.average([own.var(), other.var()], weights=[len(own), len(other)]))
        gap, chance = abs(own.mean() - other.mean()) / spread, np.sqrt(1 / len(own) + 1 / len(other))
        if gap >= max(LEAST, BEYOND * chance):
            named = {"column": name[0]} if len(name) == 1 else {"raters": list(name)}
            found[gap] = named | {"mean": (float(own.mean()), float(other.mean()))}
    return found[max(found)] if found else {}


def _moments(tally: Tally) -> tuple[float, float, float, float]:
    """Return the size, mean, variance, and kurtosis of the engine's scores; the last, of means of cells, at least 3."""
    slices, scores = tally.slices[OVERALL], formed_scores(tally, TRIMMED)
    (n, first, second), a, b = slices.sums[:3], scores.alpha[slices.cell], scores.beta[slices.cell]
    mean, square = (
        float(each.sum() / n.sum()) for each in (n * a + b * first, n * a**2 + b * (2 * a * first + b * second))
    )
    two, four = (float(np.average((a + b * first / n - mean) ** power, weights=n)) for power in (2, 4))
    return float(n.sum()), mean, square - mean**2, max(four / two**2, 3.0) if two else 3.0


def _composition(tallied: TalliedScores, grouping: str, sizes: tuple[float, float]) -> list[Row]:
    labels = tallied.tally.slices[grouping].labels
    if not 1 < len(labels) <= MOST_LEVELS:
        return []

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        all_, again, once = (
            ratio(n, n.sum(axis=-1, keepdims=True)) for n in (sums["n"], sums["again"], sums["n"] - sums["again"])
        )
        return {"gap": ratio(again - once, root(all_ * (1 - all_))), "again": again, "once": once}

    def features(scores: CellScores) -> dict[str, Polynomial | Floats]:
        return {"n": scores.one, "again": np.asarray(scores.count > 1, np.float64)}

    found = tallied.joint(tallied.primary, features, statistics, rests_on="n", grouping=grouping)
    differences = joint_estimates(tallied, "double_scoring_difference", found["gap"], kind="difference")
    again, once = ((100 * found[part].value).tolist() for part in ("again", "once"))
    order = tallied.level_order(grouping, "multiple")
    if len(order) == 2:
        order = order[:1]  # the other level mirrors it
    rows = []
    for level in order:
        shares = round(again[level], 10), round(once[level], 10)
        rows.append(Row((grouping, labels[level], *shares, _unless_rare(differences[level], shares, sizes))))
    return rows
