"""Is the engine one rater among others?  Agreement of rater and rater, and of rater and engine, on the same responses.

Degradation sets the engine's agreement on all responses beside the raters' on those scored twice.
Here all is taken on the responses that both raters scored, so the differences are paired: what makes
a response hard to score makes it hard for everyone.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.evaluation.estimating import interval_estimate
from reportgen.evaluation.tallied_scores import ScoreForm, TalliedScores
from reportgen.metrics import pair
from reportgen.results import Estimate
from reportgen.tally import CellScores, JointNumbers, PairSums, Polynomial
from reportgen.tally.cells import Floats
from reportgen.tally.joint import JointSums

FORMULAS = {"r": pair.pearson_r, "qwk": pair.quadratic_weighted_kappa}
"""What is compared."""

OUTPUTS = ("raters", "first", "second", "exchange", "rater_gap")
"""Rater and rater, first and second rater with the engine; their mean less the raters', second less first."""

MOST_RATERS = 8
"""Pairs are formed of the first raters up to this many: eight make 28 pairs."""

ANY = "any"


@dataclass(frozen=True)
class Exchange:
    """One pair of raters beside the engine: statistic -> output -> estimate."""

    raters: tuple[str, str]
    estimates: Mapping[str, Mapping[str, Estimate]]


def exchanges(tallied: TalliedScores, score: ScoreForm) -> list[Exchange]:
    """Return every pair of raters who scored enough responses together."""
    return [
        Exchange((tallied.raters[i], tallied.raters[j]), estimates)
        for i, j in _pairs(tallied)
        if (estimates := _pair(tallied, score, i, j))["r"]["raters"].n >= tallied.min_n
    ]


def exchangeability(tallied: TalliedScores, score: ScoreForm) -> dict[str, Estimate]:
    """Return the overall differences, the mean of all pairs: keys ``exchangeability.r``, ``.qwk``, ``.raters_r`` ..."""
    pairs = _pairs(tallied)
    if len(pairs) == 1:
        found = _pair(tallied, score, *pairs[0])
    else:
        enough = [places for places in pairs if _pair(tallied, score, *places)["r"]["raters"].n >= tallied.min_n]
        found = _estimates(tallied, _numbers(tallied, score, enough or pairs))
    return {f"exchangeability.{metric}": each["exchange"] for metric, each in found.items()} | {
        f"exchangeability.rater_gap_{metric}": each["rater_gap"]
        for metric, each in found.items()
        if len(pairs) == 1 and tallied.drawn is None
    }


def _pairs(tallied: TalliedScores) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(min(len(tallied.raters), MOST_RATERS)), 2))


def _pair(tallied: TalliedScores, score: ScoreForm, i: int, j: int) -> dict[str, dict[str, Estimate]]:
    return _estimates(tallied, _numbers(tallied, score, [(i, j)]))


def _numbers(tallied: TalliedScores, score: ScoreForm, pairs: list[tuple[int, int]]) -> dict[str, JointNumbers]:
    """Return the outputs of every statistic, each the mean over the pairs."""

    def features(scores: CellScores) -> dict[str, Polynomial]:
        made: dict[str, Polynomial] = {}
        together = np.zeros(scores.present.shape[1], bool)
        for i, j in pairs:
            both = scores.present[i] & scores.present[j]
            together |= both
            one = scores.one * (both * 1.0)
            named = {"x": scores.ratings[i] * (both * 1.0), "y": scores.ratings[j] * (both * 1.0), "m": scores.score}
            made |= {f"{i} {j} n": one, f"{i} {j} m": scores.score * (both * 1.0)}
            made |= {f"{i} {j} {name}": named[name] for name in "xy"}
            made |= {
                f"{i} {j} {a}{b}": named[a] * named[b] * (both * 1.0) for a, b in ("xx", "yy", "xy", "xm", "ym", "mm")
            }
        return made | {ANY: scores.one * (together * 1.0)}

    def statistics(sums: JointSums, centre: float) -> dict[str, Floats]:
        return {
            metric: np.mean([_outputs(sums, centre, f"{i} {j} ", metric) for i, j in pairs], axis=0)
            for metric in FORMULAS
        }

    return tallied.joint(score, features, statistics, rests_on=ANY)


def _outputs(sums: JointSums, centre: float, start: str, metric: str) -> Floats:
    """Return the outputs of one pair of raters, last axis in the order of `OUTPUTS`."""
    raters, first, second = (
        FORMULAS[metric](_pair_sums(sums, centre, start, *names)) for names in (("x", "y"), ("x", "m"), ("y", "m"))
    )
    return np.concatenate([raters, first, second, (first + second) / 2 - raters, second - first], axis=-1)


def _pair_sums(sums: JointSums, centre: float, start: str, a: str, b: str) -> PairSums:
    """Return the sums of two of the three scores; what FORMULAS do not need is 0."""
    n, x, y, xx, yy, xy = (sums[start + name] for name in ("n", a, b, a + a, b + b, a + b))
    return PairSums(centre, n, x, y, xx, yy, xy, absolute=n * 0, exact=n * 0, adjacent=n * 0)


def _estimates(tallied: TalliedScores, numbers: Mapping[str, JointNumbers]) -> dict[str, dict[str, Estimate]]:
    """Return the outputs as estimates: coefficients and differences by the metrics they are."""
    made: dict[str, dict[str, Estimate]] = {}
    for metric, found in numbers.items():
        kinds = (metric, metric, metric, f"exchange_{metric}", f"rater_gap_{metric}")
        n = float(found.n[0])
        made[metric] = {
            output: interval_estimate(
                kind, float(found.value[place]) if n > 1 else np.nan, float(found.error[place]), n,
                float(found.units[0]), tallied.level, clustered=tallied.by_candidate, reason=_reason(n),
            )
            for place, (output, kind) in enumerate(zip(OUTPUTS, kinds, strict=True))
        }  # fmt: skip
    return made


def _reason(n: float) -> str:
    if n < 2:
        return "no response was scored twice" if n == 0 else "only one response was scored twice"
    return "a score is constant on the responses scored twice"
