"""Whether ratings that were not collected can be predicted, and whether the decision would change.

Repeats Wisniewski (2013) on simulated corpora, or puts one's own matrix of responses by raters to the same test.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from reportgen.results import Scale
from reportgen.studies.design import Study, StudyResults, simulated
from reportgen.studies.rating_completion.beside import Recovered, beside_tables, corpora_table, mean_ratio
from reportgen.studies.rating_completion.corpora import (
    NOISES,
    PAIRS,
    SCALE,
    ce_like,
    low_rank_limit,
    noisy_pair,
    tides_like,
)
from reportgen.studies.rating_completion.experiments import Draw, Recovery, hide, recover, recover_sets
from reportgen.studies.rating_completion.statements import LowRank, statements
from reportgen.studies.rating_completion.tables import (
    decisions_table,
    filled_table,
    low_rank_table,
    recovery_table,
)
from reportgen.studies.statements import Statement, judge_in_sets, statements_table
from reportgen.studies.work import Work

LEVELS = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
"""Noise levels (theta) of the low-rank test."""

LOW_RANK_DRAWS = 100
BEST, BASELINE = "gaussian", "mean"
"""The method that recovers ratings best in every experiment, and the one it has to beat."""

PAPERS = "nuclear"
"""The paper's own method."""

PLANTED = 0.02
"""Share of ratings that are replaced by a random point, to see whether predictions point to them."""

TIDES_MISSING = 0.3
"""Above this share of gaps the paper has no result for the second corpus."""

Share = Annotated[float, Field(gt=0, lt=0.9)]


OF_OTHERS = 2
"""Times that gaps are drawn in each further repetition, at most."""


class RatingCompletion(Study):
    """The low-rank test; completion of ratings with gaps; what becomes of rankings and comparisons."""

    name: ClassVar[str] = "rating-completion"
    title: ClassVar[str] = "Predicting ratings that were not collected"
    sections: ClassVar[tuple[str, ...]] = ("study_rating_completion", "study_published")

    missing: tuple[Share, ...] = Field(default=(0.1, 0.2, 0.3, 0.4), min_length=1, description="Shares of gaps.")
    draws: int = Field(default=10, ge=2, le=1000, description="Times that gaps are drawn.")
    data_sets: int = Field(default=5, ge=1, le=1000, description="Repetitions in which statements are checked.")
    file: Path | None = Field(default=None, description="Your own ratings: a row per response, a column per rater.")
    raters: tuple[str, ...] = Field(default=(), description="Its columns of ratings.")
    systems: str | None = Field(default=None, description="Its column of systems whose responses they are.")
    score_scale: str | None = Field(default=None, description="Its score scale, as in 1:5.")

    def results(self, work: Work) -> StudyResults:
        """Return the paper's experiments, or the same on one's own ratings when a file is given."""
        return self._own(work, self.file) if self.file is not None else self._papers(work)

    def write_more(self, folder: Path) -> None:
        """Write the completed ratings of one's own file: ``completed.csv``."""
        if self.file is not None:
            from reportgen.studies.rating_completion.filling import fill, write
            from reportgen.studies.rating_completion.own import own_ratings
            from reportgen.studies.rating_completion.suspects import write_suspicious

            own = own_ratings(self.file, self.raters, self.systems, self.score_scale)
            write(own, fill(own), folder / "completed.csv")
            write_suspicious(own, folder / "suspicious.csv")

    def _papers(self, work: Work) -> StudyResults:
        """Return the low-rank test and the completion of the simulated corpora."""
        made = self._simulated(work)
        ratings, found, low_rank, random, ratio, planted = made
        of_pairs, of_three = found.found["pairs"], found.found["three"]
        tables = [
            low_rank_table(low_rank, random, ratio),
            recovery_table("study.pairs", of_pairs),
            recovery_table("study.three", of_three),
            decisions_table(found.sets, "study.decisions"),
            corpora_table(ratings, found, np.random.default_rng([self.seed, 8])),
            *beside_tables(found),
        ]
        if found.whole:
            others = [
                self.with_seed_of(number).model_copy(update={"draws": min(self.draws, OF_OTHERS)})
                for number in range(1, self.data_sets)
            ]
            sets = [statements(*made[1:]), *work.map("repetitions", _statements, others)]
            tables.append(statements_table(judge_in_sets(sets)))
        return StudyResults(
            simulated(self, len(ratings)),
            Scale(*SCALE, 1, assumed=False),
            tuple(table for table in tables if table.rows),
            facts={
                "responses": len(ratings),
                "draws": self.draws,
                "recovered": _facts(of_three),
                "recovered_pairs": _facts(of_pairs),
                "better": _better(of_three),
                "claim": _claim(found, max(self.missing)),
                "planted": planted,
            },
        )

    def _simulated(self, work: Work) -> tuple[np.ndarray, Recovered, LowRank, float, float, dict[str, float]]:
        """Return simulated ratings, what was recovered of them, and the low-rank ratios and planted errors."""
        low_rank = work.map("low rank", _low_rank, [(self.seed, strategy) for strategy in NOISES])
        ratings = ce_like(np.random.default_rng([self.seed, 1]))
        pairs = [ratings[:, list(pair)] for pair in PAIRS]
        of_pairs = self._recovered(work, "pairs of judges", pairs)
        of_three = self._recovered(work, "three judges", [ratings])
        shares = [share for share in self.missing if share <= TIDES_MISSING] or [min(self.missing)]
        sets = work.map("systems", _sets, [(self.seed, share, draw) for share in shares for draw in range(self.draws)])
        found = Recovered(of_pairs, of_three, sets)
        random, planted = _random_ratio(self.seed), _planted(ratings, self.seed)
        return ratings, found, low_rank, random, mean_ratio(ratings), planted

    def _own(self, work: Work, file: Path) -> StudyResults:
        """Return how well gaps in one's own ratings can be filled."""
        from reportgen.studies.rating_completion.filling import changed, fill
        from reportgen.studies.rating_completion.own import own_ratings
        from reportgen.studies.rating_completion.suspects import suspicious_table

        own = own_ratings(file, self.raters, self.systems, self.score_scale)
        found = self._recovered(work, "your ratings", [own.ratings], own.scale, own.systems)
        filled = fill(own)
        tables = [
            filled_table(own, filled),
            recovery_table("study.own", found),
            suspicious_table(own),
        ]
        if own.systems is not None:
            tables.append(decisions_table(found, "study.own_decisions"))
        return StudyResults(
            own.source,
            Scale(*own.scale, own.step, own.assumed),
            tuple(tables),
            facts={
                "responses": len(own.ratings),
                "draws": self.draws,
                "raters": len(own.names),
                "given": float(np.isfinite(own.ratings).mean()),
                "recovered": _facts(found),
                "better": _better(found),
                "columns": list(own.names),
                "own": True,
                "changed": changed(own, filled, self.seed),
            },
            warnings=own.warnings,
        )

    def _recovered(
        self,
        work: Work,
        what: str,
        matrices: Sequence[np.ndarray],
        scale: tuple[float, float] = SCALE,
        systems: np.ndarray | None = None,
    ) -> list[Recovery]:
        """Return every completion of every matrix with gaps drawn at random."""
        draws = [
            Draw(matrix, share, (self.seed, 2, number, round(1000 * share), draw), scale, systems)
            for number, matrix in enumerate(matrices)
            for share in self.missing
            for draw in range(self.draws)
        ]
        return [one for several in work.map(what, recover, draws) for one in several]


def _statements(design: RatingCompletion) -> list[Statement]:
    """Return the paper's statements, checked in one repetition."""
    return statements(*design._simulated(Work())[1:])


def _low_rank(part: tuple[int, int]) -> tuple[int, list[tuple[float, float, float]]]:
    """Return (level, mean ratio of random draws, limit) of one kind of noise."""
    from reportgen.studies.completion import low_rank_ratio

    seed, strategy = part
    rng = np.random.default_rng([seed, 3, strategy])
    return strategy, [
        (
            level,
            float(np.mean([low_rank_ratio(noisy_pair(rng, strategy, level)) for _ in range(LOW_RANK_DRAWS)])),
            low_rank_limit(strategy, level),
        )
        for level in LEVELS
    ]


def _random_ratio(seed: int) -> float:
    """Return the mean low-rank ratio of independent whole scores of two judges: the baseline of figure 1."""
    from reportgen.studies.completion import low_rank_ratio

    rng = np.random.default_rng([seed, 9])
    low, high = SCALE
    return float(np.mean([low_rank_ratio(rng.integers(low, high + 1, (1000, 2))) for _ in range(LOW_RANK_DRAWS)]))


def _planted(ratings: np.ndarray, seed: int) -> dict[str, float]:
    """Return the share of ratings that are replaced at random, and the share of these that predictions point to."""
    from reportgen.studies.completion.suspicious import found_among

    rng = np.random.default_rng([seed, 10])
    planted = rng.random(ratings.shape) < PLANTED
    low, high = SCALE
    changed = np.where(planted, rng.integers(low, high + 1, ratings.shape).astype(np.float64), ratings)
    planted &= changed != ratings
    return {"share": float(planted.mean()), "found": found_among(changed, planted)}


def _claim(found: Recovered, share: float) -> dict[str, float]:
    """Return tau-b by the paper's method at the largest share of gaps, and by one rating each: two judges at a time."""
    completed = found.of("pairs", "tau", PAPERS, share)
    return {"missing": 100 * share, "completed": completed or float("nan"), "single": found.single("pairs")}


def _sets(part: tuple[int, float, int]) -> Recovery:
    """Return the completion of every set of one draw of the second corpus, taken together."""
    seed, share, draw = part
    rng = np.random.default_rng([seed, 4, draw])
    return recover_sets(tides_like(rng), share, hide, rng, SCALE)


def _facts(found: Sequence[Recovery]) -> dict[str, dict[str, float]]:
    """Return share of gaps -> method -> mean absolute error, for sentences."""
    shares = sorted({one.share for one in found})
    return {
        f"{share:g}": {
            method: float(np.mean([one.error for one in found if one.share == share and one.method == method]))
            for method in dict.fromkeys(one.method for one in found)
        }
        for share in shares
    }


def _better(found: Sequence[Recovery]) -> dict[str, list[float]]:
    """Return share of gaps -> how much less the best method errs than the rater's mean: mean and ends over the draws.

    Draws hide the same ratings from both, so their difference is taken draw by draw (Student's t).
    """
    from scipy.special import stdtrit

    made = {}
    for share in sorted({one.share for one in found}):
        errors = {
            method: np.array([one.error for one in found if one.share == share and one.method == method])
            for method in (BASELINE, BEST)
        }
        gain = errors[BASELINE] - errors[BEST]
        half = float(stdtrit(len(gain) - 1, 0.975) * gain.std(ddof=1) / np.sqrt(len(gain))) if len(gain) > 1 else np.inf
        if np.isfinite(gain).all() and np.isfinite(half):
            made[f"{share:g}"] = [float(gain.mean()), float(gain.mean()) - half, float(gain.mean()) + half]
    return made
