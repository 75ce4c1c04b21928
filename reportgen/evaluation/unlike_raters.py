"""Raters whose scores say nothing of the responses, and engines against the raters: doubts for page one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import write_command
from reportgen.evaluation.rater_effects import MOST_WORK, columns_as_raters, numbered
from reportgen.evaluation.tallied_scores import TalliedScores
from reportgen.metrics import UnlikeRater, unlike_raters
from reportgen.results import Estimate
from reportgen.results.term import Term
from reportgen.scores import ScoreTable
from reportgen.scores.fewer_raters import without_ratings
from reportgen.settings import Settings
from reportgen.sources.columns import Codes
from reportgen.wording.numbers import point

MOST_NAMED = 3
"""Raters that the first page says something of, one by one."""

HEADLINES = ("system.qwk", "true_score.prmse")
"""What may rest on single ratings: where there is a score of record, QWK does not rest on the others."""

SAME = 1e-12
"""Numbers nearer to each other are one."""


def against_raters(tallied: TalliedScores) -> Term | None:
    """Return the doubt about an engine whose scores run against those of the raters; None for any other."""
    found = tallied.estimates(tallied.primary).estimate("system.r")
    return Term("doubt.against_raters", r=found) if found.high is not None and found.high < 0 else None


def doubts_of_raters(
    scores: ScoreTable,
    tallied: TalliedScores,
    settings: Settings,
    tally: Callable[[ScoreTable, Settings], TalliedScores],
    hidden: Callable[[Codes, int], NDArray[np.bool_]],
) -> tuple[Term, ...]:
    """Return the doubt about raters who do not rate, with the headline number as it would be without them.

    Parameters
    ----------
    tally
        Counts a table, as `tallied` was counted.
    hidden
        Says of numbered raters which are not shown.
    """
    human, ordered = scores.human, tallied.scale.ordered and not settings.data.unordered
    if human.shape[1] < 2 or human.size * human.shape[1] > MOST_WORK or not ordered:
        return ()
    ids = scores.rater_ids or columns_as_raters(scores.raters, scores.human)
    shown = scores.rater_ids is None or settings.data.show_rater_names
    codes, order, _ = numbered(scores.human, ids)
    units = scores.candidates if tallied.by_candidate else None
    out = hidden(codes, len(order))
    every = unlike_raters(scores.human, codes, units=units, level=tallied.level)
    found = [each for each in every if not out[each.rater]]
    if not found:
        return ()
    names = [ids.names[order[each.rater]] if shown else f"Rater {each.rater + 1}" for each in found]
    fewer = _fewer(scores, np.isin(codes, [each.rater for each in found]), settings, tally)
    hint = Term(
        "hint.without", names=[write_command(name) for name in names[:MOST_NAMED]], more=len(names) > MOST_NAMED
    )
    doubted = [_doubted(each, name, tallied) for each, name in zip(found[:MOST_NAMED], names, strict=False)]
    alone = len(found) == 2 and all(np.isnan(each.expected) and each.how == "reversed" for each in found)
    told = {"n": len(found), "raters": doubted, "alone": alone, "without": _without(tallied, fewer)}
    return (Term("doubt.raters", **told, hint=hint if shown else Term("hint.without_unnamed")),)


def doubts_of_columns(tallied: TalliedScores) -> tuple[Term, ...]:
    """Return the doubt about two columns of ratings that run against each other, of scores whose rows are not held."""
    if len(tallied.raters) != 2:
        return ()
    r = tallied.estimates(tallied.primary).estimate("human.r")
    if r.high is None or not r.high < 0:
        return ()
    doubted = [{"name": name, "how": "reversed", "n": r.n, "r": r} for name in tallied.raters]
    return (Term("doubt.raters", n=2, raters=doubted, alone=True, without=None, hint=None),)


def _doubted(found: UnlikeRater, name: str, tallied: TalliedScores) -> dict[str, Any]:
    """Return what is found of a rater: how the scores are odd, and the numbers that show it."""
    low, high = (float(end) if np.isfinite(end) else None for end in (found.low, found.high))
    value = float(found.r) if np.isfinite(found.r) else None
    labels = dict(zip(tallied.scale.points(), tallied.scale.labels, strict=False))
    return {
        "name": name,
        "how": found.how,
        "n": found.n,
        "r": Estimate("r", value, found.n, low, high, level=tallied.level, kind="coefficient"),
        "expected": float(found.expected) if np.isfinite(found.expected) else None,
        "score": labels.get(found.commonest) or point(found.commonest),
        "share": 100 * float(found.share),
        "others_share": 100 * float(found.others_share),
    }


def _fewer(
    scores: ScoreTable,
    out: NDArray[np.bool_],
    settings: Settings,
    tally: Callable[[ScoreTable, Settings], TalliedScores],
) -> TalliedScores | None:
    """Return the counted scores had some ratings not been given; None without enough responses."""
    left = without_ratings(scores, out, settings)
    if left is None:
        return None
    statistics = settings.statistics.model_copy(update={"min_n_by_group": {}, "intervals": "jackknife"})
    return tally(left, settings.model_copy(update={"statistics": statistics}))


def _without(tallied: TalliedScores, fewer: TalliedScores | None) -> dict[str, Any] | None:
    """Return the first headline number that rests on some raters, and what it would be without them."""
    for key in HEADLINES:
        now, then = (_value(each, key) for each in (tallied, fewer))
        if then is None or now is None or abs(then - now) > SAME:
            return {"statistic": key, "now": now, "then": then}
    return None


def _value(tallied: TalliedScores | None, key: str) -> float | None:
    """Return a headline number."""
    return None if tallied is None else tallied.estimates(tallied.primary).estimate(key).value
