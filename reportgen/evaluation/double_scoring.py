"""Are the responses that got a further rating a random sample of all: they are held against the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.jointly import joint_estimates
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics.pair import ratio, root, without_rounding
from reportgen.results import Estimate
from reportgen.results.term import Term
from reportgen.tally import CellScores, Polynomial
from reportgen.tally.cells import Floats

MOST_LEVELS = 60
"""Levels of a group column up to which its composition is compared."""


@dataclass(frozen=True)
class Balance:
    """One characteristic of the responses rated more than once and of the rest.

    `again` and `once` are mean scores, or percentages of a group's level; `difference` is in SDs.
    """

    what: str
    level: str
    again: float
    once: float
    difference: Estimate


def balance(tallied: TalliedScores) -> list[Balance]:
    """Return every characteristic compared; none when too few responses were rated more than once, or only once."""
    ratings = tallied.estimates(tallied.primary).sums.ratings
    again = float(ratings.multiple[0])
    least = max(tallied.withheld.least, 2)
    if not least <= again <= float(ratings.n[0]) - least:
        return []
    return [*_scores(tallied), *(row for grouping in tallied.groups for row in _composition(tallied, grouping))]


def _scores(tallied: TalliedScores) -> list[Balance]:
    """Return the first human score and the engine's score compared."""

    def features(scores: CellScores) -> dict[str, Polynomial]:
        again = (scores.present.sum(axis=0) > 1) * 1.0
        made = {"n": scores.one, "n_again": again * scores.one}
        for name, score in (("h", scores.ratings[0]), ("m", scores.score)):
            made |= {name: score, name * 2: score * score, f"{name}_again": again * score}
        return made

    def statistics(sums: Mapping[str, Floats], centre: float) -> Mapping[str, Floats]:
        sums = {key: value[..., 0] for key, value in sums.items()}
        n, again = sums["n"], sums["n_again"]
        result: dict[str, Floats] = {}
        for name in "hm":
            squares = sums[name * 2] - ratio(sums[name] ** 2, n)
            spread = root(ratio(without_rounding(squares, sums[name * 2], n), n))
            means = [ratio(sums[f"{name}_again"], again), ratio(sums[name] - sums[f"{name}_again"], n - again)]
            result |= {name: ratio(means[0] - means[1], spread), f"{name}_means": np.stack(means, axis=-1) + centre}
        return result

    found = tallied.joint(tallied.primary, features, statistics, rests_on="n")
    rows = []
    for name, what in (("h", Term("score_of_first_rater")), ("m", Term("score_of_engine"))):
        again, once = (float(mean) for mean in found[f"{name}_means"].value)
        difference = joint_estimates(
            tallied, "double_scoring_difference", found[name], kind="difference", reason="the scores do not vary"
        )[0]
        rows.append(Balance(what, "", again, once, difference))
    return rows


def _composition(tallied: TalliedScores, grouping: str) -> list[Balance]:
    """Return the share of every level among the responses rated more than once and among the rest."""
    labels = tallied.tally.slices[grouping].labels
    if not 1 < len(labels) <= MOST_LEVELS:
        return []

    def features(scores: CellScores) -> dict[str, Polynomial]:
        return {"n": scores.one, "again": (scores.present.sum(axis=0) > 1).astype(np.float64) * scores.one}

    def statistics(sums: Mapping[str, Floats], _: float) -> Mapping[str, Floats]:
        n, again = sums["n"], sums["again"]

        def share(part: Floats) -> Floats:
            return ratio(part, part.sum(axis=-1, keepdims=True))

        everywhere = share(n)
        gap = ratio(share(again) - share(n - again), root(everywhere * (1 - everywhere)))
        return {"gap": gap, "again": share(again), "once": share(n - again)}

    found = tallied.joint(tallied.primary, features, statistics, rests_on="n", grouping=grouping)
    differences = joint_estimates(tallied, "double_scoring_difference", found["gap"], kind="difference")
    again, once = 100 * found["again"].value, 100 * found["once"].value
    order = tallied.level_order(grouping, "multiple")
    if len(order) == 2:
        order = order[:1]  # the other level mirrors it
    return [
        Balance(grouping, labels[level], float(again[level]), float(once[level]), differences[level]) for level in order
    ]
