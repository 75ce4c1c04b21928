"""Test whether missing ratings can be predicted, and whether decisions would change.

Repeats Wisniewski (2013) on simulated corpora, or tests a given matrix of responses by raters.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field

from reportgen.metrics import cohen_kappa, fleiss_kappa, kendall_tau_b
from reportgen.results import Column, Estimate, Kind, Row, Scale, Table, Term
from reportgen.studies import completion
from reportgen.studies.rating_completion import experiments
from reportgen.studies.rating_completion.experiments import PAIRS, SCALE, SINGLE, Recovery, recover
from reportgen.studies.rating_completion.own import changed, filled_table, own_ratings, suspicious_table, write
from reportgen.studies.statements import Paper, Statement, gaps_table, judge_in_sets, statements_table
from reportgen.studies.study import Floats, Study, StudyResults, Work, simulated, table

BEST, BASELINE = "gaussian", "mean"
"""The method that recovers ratings best in every experiment, with known error, and the baseline."""

PAPERS = "nuclear"  # the paper's own method

PLANTED = 0.02  # share of ratings replaced by a random point, to test whether predictions detect them

TIDES_MISSING = 0.3  # share of missing ratings above which the paper has no result for the second corpus

OF_OTHERS = 2  # largest number of draws in each additional repetition

RANDOM_LIMIT = 11**-0.5
"""Limit of the low-rank ratio of independent integer scores from 1 to 5: root of variance 2 over twice the mean square
11."""

PAPER = Paper(Path(__file__).with_name("paper.toml"))

SHARES = (0.1, 0.2, 0.3, 0.4)  # shares of missing ratings; the second corpus (TIDES) has no results at .4

POINTS = range(SCALE[0], SCALE[1] + 1)

MODERATE, WEAK = 1.0, 0.1  # levels of noise for comparisons of the low-rank ratio
Share = Annotated[float, Field(gt=0, lt=0.9)]


class RatingCompletion(Study):
    """Low-rank test, completion of missing ratings, and effects on rankings and comparisons."""

    name: ClassVar[str] = "rating-completion"

    missing: tuple[Share, ...] = Field(default=(0.1, 0.2, 0.3, 0.4), min_length=1)
    draws: int = Field(default=10, ge=2, le=1000)
    data_sets: int = Field(default=5, ge=1, le=1000)
    file: Path | None = None
    raters: tuple[str, ...] = ()
    systems: str | None = None
    score_scale: str | None = None

    def results(self, work: Work) -> StudyResults:
        """Run the paper's experiments, or the same on a given file of ratings."""
        return self._own(work, self.file) if self.file is not None else self._papers(work)

    def statements(self) -> list[Statement]:
        """Return the paper's statements, checked in one repetition."""
        return PAPER.statements(self._simulated(Work()).names())

    def _papers(self, work: Work) -> StudyResults:
        """Return the low-rank test and the completion of the simulated corpora."""
        kinds: dict[str, Kind] = {"error": "score", "tau": "score", "opposite": "percent"}
        made = self._simulated(work)
        names = made.names()
        printed = [*PAPER.printed(names)]
        tables = [
            _low_rank_table(made),
            _recovery_table("pairs", made.pairs),
            _recovery_table("three", made.three),
            _recovery_table("decisions", made.sets),
            made.corpora_table(np.random.default_rng([self.seed, 8])),
            *(
                gaps_table(key, kind, [one for one in printed if one.entry["measure"] == key], 40,
                           beside="" if key == "opposite" else "three")
                for key, kind in kinds.items()
            ),
        ]  # fmt: skip
        if set(self.missing) >= set(SHARES):
            others = self.others(self.data_sets, draws=min(self.draws, OF_OTHERS))
            sets = [PAPER.statements(names), *work.map("repetitions", methodcaller("statements"), others)]
            tables.append(statements_table(judge_in_sets(sets)))
        largest = max(self.missing)
        completed = np.mean([one.tau for one in made.pairs if (one.method, one.share) == (PAPERS, largest)])
        return StudyResults(
            simulated(self, len(made.ratings)),
            Scale(*SCALE, 1, assumed=False),
            tuple(table for table in tables if table.rows),
            facts={
                "responses": len(made.ratings), "draws": self.draws, "recovered": _errors(made.three),
                "recovered_pairs": _errors(made.pairs), "better": _better(made.three),
                # pairs of judges, by the paper's method at the largest share of missing ratings, and by one rating each
                "claim": {"missing": 100 * largest, "completed": float(completed), "single": single_tau(made.pairs)},
                "planted": made.planted,
            },
        )  # fmt: skip

    def _simulated(self, work: Work) -> Simulated:
        low_rank = work.map(
            "low rank", experiments.low_rank_of_noise, [(self.seed, each) for each in experiments.NOISES]
        )
        ratings = experiments.ce_like(np.random.default_rng([self.seed, 1]))
        pairs = self._recovered(work, "pairs of judges", [ratings[:, list(pair)] for pair in PAIRS])
        three = self._recovered(work, "three judges", [ratings])
        shares = [share for share in self.missing if share <= TIDES_MISSING] or [min(self.missing)]
        parts = itertools.product([self.seed], shares, range(self.draws))
        sets = [one for several in work.map("systems", experiments.recover_sets, parts) for one in several]
        random_ratio, planted = experiments.random_ratio(self.seed), _planted(ratings, self.seed)
        return Simulated(ratings, pairs, three, sets, low_rank, random_ratio, planted)

    def _own(self, work: Work, file: Path) -> StudyResults:
        own = own_ratings(file, self.raters, self.systems, self.score_scale)
        found = self._recovered(work, "your ratings", [own.ratings], scale=own.ends, systems=own.systems)
        filled = completion.complete(own.ratings, BEST, scale=own.ends)
        tables = [filled_table(own, filled), _recovery_table("own", found), suspicious_table(own)]
        if own.systems is not None:
            tables.append(_recovery_table("own_decisions", found))
        return StudyResults(
            own.source,
            own.scale,
            tuple(tables),
            facts={
                "responses": len(own.ratings), "draws": self.draws, "raters": len(own.names),
                "given": float(np.isfinite(own.ratings).mean()), "recovered": _errors(found), "better": _better(found),
                "columns": list(own.names), "own": True, "changed": changed(own, filled, self.seed),
            },
            warnings=own.warnings,
            also=partial(write, own, filled),
        )  # fmt: skip

    def _recovered(self, work: Work, what: str, matrices: Sequence[Floats], **given: Any) -> list[Recovery]:
        parts = itertools.product(range(len(matrices)), self.missing, range(self.draws))
        one = partial(recover, matrices=matrices, seed=self.seed, **given)
        return [recovered for several in work.map(what, one, parts) for recovered in several]


def _planted(ratings: Floats, seed: int) -> dict[str, float]:
    """Return the share of ratings that are replaced at random, and the share of these that predictions detect."""
    rng = np.random.default_rng([seed, 10])
    planted = rng.random(ratings.shape) < PLANTED
    low, high = SCALE
    changed = np.where(planted, rng.integers(low, high + 1, ratings.shape).astype(np.float64), ratings)
    planted &= changed != ratings
    return {"share": float(planted.mean()), "found": completion.found_among(changed, planted)}


def _grouped(found: Sequence[Recovery]) -> dict[float, dict[str, list[Recovery]]]:
    grouped: dict[float, dict[str, list[Recovery]]] = {share: {} for share in sorted({one.share for one in found})}
    for one in found:
        grouped[one.share].setdefault(one.method, []).append(one)
    return grouped


def _errors(found: Sequence[Recovery]) -> dict[str, dict[str, float]]:
    return {
        f"{share:g}": {method: float(np.mean([one.error for one in own])) for method, own in methods.items()}
        for share, methods in _grouped(found).items()
    }


def _better(found: Sequence[Recovery]) -> dict[str, list[float]]:
    """Return the error of the rater's mean minus the best method's, paired by draw, as mean and interval by share."""
    made = {}
    for share, methods in _grouped(found).items():
        baseline, best = (np.array([one.error for one in methods[method]]) for method in (BASELINE, BEST))
        gain = baseline - best
        if len(gain) > 1 and np.isfinite(gain).all():
            mean, half = float(gain.mean()), _half_width(gain)
            made[f"{share:g}"] = [mean, mean - half, mean + half]
    return made


def _half_width(values: Floats) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / np.sqrt(len(values)))


def _over_draws(values: Sequence[float], metric: str, kind: Kind = "score") -> Estimate:
    known = np.array([value for value in values if np.isfinite(value)])
    if not len(known):
        return Estimate(metric, None, 0, kind=kind, reason=Term("no_rating_predicted"))
    mean = float(known.mean())
    if len(known) < 2 or np.ptp(known) == 0:
        return Estimate(metric, mean, len(known), kind=kind)
    half = _half_width(known)
    return Estimate(metric, mean, len(known), mean - half, mean + half, method="t over draws", kind=kind)


def _recovery_table(key: str, found: Sequence[Recovery]) -> Table:
    """Return errors and tau-b, or for decisions reversed pairs of systems, of every method at every share."""
    tau, opposite = Column("tau", kind="score"), Column("opposite", kind="percent", unit="%")
    last, what, metric = (opposite, "turned", "opposite") if key.endswith("decisions") else (tau, "tau", "tau_b")
    rows = [
        Row((
            100 * share, Term(f"method.{method}"), _over_draws([one.error for one in own], "mae"),
            _over_draws([getattr(one, what) for one in own], metric, last.kind),
        ))
        for share, methods in _grouped(found).items()
        for method, own in methods.items()
    ]  # fmt: skip
    return table(
        key, rows, Column("missing", unit="%"), Column("method"), Column("error", kind="score"), last, shown=60
    )


def _low_rank_table(made: Simulated) -> Table:
    """Return the low-rank ratio by kind and level of noise, and of random and simulated ratings (figure 1)."""
    rows = [
        Row((Term(f"noise.{strategy}"), level, mean, limit))
        for strategy, levels in made.low_rank
        for level, mean, limit in levels
    ]
    levels = sorted({level for _, each in made.low_rank for level, _, _ in each})
    rows += [Row((Term("noise.random_matrix"), level, made.random_ratio, RANDOM_LIMIT)) for level in levels]
    rows.append(Row((Term("simulated_judges"), None, made.ratio, None)))
    return table("low_rank", rows, shown=40, noise="text", level="score", ratio="coefficient", limit="coefficient")


class Simulated(NamedTuple):
    """Results of simulated ratings.

    ratings (n, 3): ratings of the first corpus.
    pairs, three, sets: recovered ratings of pairs of judges, of all three judges, and of the second corpus.
    low_rank: kind of noise, and (level, mean ratio, limit) of each level.
    random_ratio: low-rank ratio of a random matrix.
    planted: "share" of replaced ratings, and share of them "found".
    """

    ratings: Floats
    pairs: Sequence[Recovery]
    three: Sequence[Recovery]
    sets: Sequence[Recovery]
    low_rank: Sequence[tuple[int, list[tuple[float, float, float]]]]
    random_ratio: float
    planted: Mapping[str, float]

    @property
    def ratio(self) -> float:
        """The mean low-rank ratio of pairs of the three judges."""
        return float(np.mean([completion.low_rank_ratio(self.ratings[:, list(pair)]) for pair in PAIRS]))

    def names(self) -> dict[str, Any]:
        """Return the numbers by their names in ``paper.toml``; nan for shares that were not drawn."""
        weak, moderate = (
            [mean for _, levels in self.low_rank for one, mean, _ in levels if one == at] for at in (WEAK, MODERATE)
        )
        return {
            "pairs": _means(self.pairs), "three": _means(self.three), "sets": _means(self.sets), "weak": weak,
            "moderate": moderate, "random_ratio": self.random_ratio, "ratio": self.ratio, "planted": self.planted,
        }  # fmt: skip

    def corpora_table(self, rng: np.random.Generator) -> Table:
        """Compare the paper's description of its ratings with the simulated judges."""
        pairs, sets = [self.ratings[:, list(pair)] for pair in PAIRS], experiments.tides_like(rng)
        apart, single, of = np.array([_orders(each, rng) for each in sets]).sum(axis=0)
        found = {
            "kappas": list(map(_kappa, pairs)), "kappas_of_sets": [_kappa(each.reshape(-1, 2)) for each in sets],
            "taus": [float(kendall_tau_b(pair[:, 0], pair[:, 1])) for pair in pairs], "three": _means(self.three),
            "fleiss": fleiss_kappa(self.ratings, categories=POINTS).value, "ratio": self.ratio,
            "apart": 100 * apart / of, "single_turned": 100 * single / of,
        }  # fmt: skip
        return PAPER.stand_in("study.corpora", found)


def single_tau(found: Sequence[Recovery]) -> float:
    """Return the mean tau-b of single ratings with the mean of all."""
    return float(np.mean([one.tau for one in found if one.method == SINGLE]))


def _means(found: Sequence[Recovery]) -> dict[str, Any]:
    """Return means over draws at all shares of the paper, by number and method; nan if not drawn."""
    means: dict[str, Any] = {what: {} for what in ("error", "tau", "turned")}
    for what, method in itertools.product(means, (SINGLE, *completion.METHODS)):
        drawn = (
            [getattr(one, what) for one in found if (one.share, one.method) == (share, method)] for share in SHARES
        )
        means[what][method] = np.array([np.mean(values) if values else np.nan for values in drawn])
    return means | {"single": single_tau(found)}


def _kappa(pair: Floats) -> float:
    return cohen_kappa(*pair.T, categories=POINTS, weights="linear").value


def _orders(ratings: Floats, rng: np.random.Generator) -> tuple[int, int, int]:
    systems, flat = np.repeat(np.arange(ratings.shape[0]), ratings.shape[1]), ratings.reshape(-1, 2)
    apart, of = completion.different_orders(flat[:, 0], flat[:, 1], systems)
    single, _ = completion.different_orders(completion.one_rating_each(flat, rng), flat.mean(axis=1), systems)
    return apart, single, of
