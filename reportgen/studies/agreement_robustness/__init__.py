"""Which agreement coefficient can be trusted on a given distribution of scores.

Repeats the stresses of Yannakoudakis and Cummins (2015), "Evaluating the performance of automated
text scoring systems" (BEA workshop), and applies the same four to one's own file of scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from operator import methodcaller
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from reportgen.errors import InputError
from reportgen.results import Column, Row, Scale, Source, Table
from reportgen.results.term import Term
from reportgen.scores import read
from reportgen.settings import from_keywords
from reportgen.studies.agreement_robustness import sweeps
from reportgen.studies.agreement_robustness.statements import PAPER, STEADY, Found
from reportgen.studies.agreement_robustness.sweeps import STRESSES, Integers, Sweep
from reportgen.studies.statements import Statement, judge_in_sets, published_table, statements_table
from reportgen.studies.study import Floats, Study, StudyResults, Work, known, simulated

REAL_LIKE_POINTS, REAL_LIKE_N = 40, 1_238
"""The examination scripts of the paper, whose scores are not at hand: points of the scale, and how many there are."""

CORRELATION = 0.75
"""Of their system and examiners, about."""

LEAST_SIMILAR = 0.70
"""Where the axis of figure 2 (right) begins: the similarity of the passing shares that are least alike."""

MOST_POINTS = 101
FEWEST_POINTS = 3

ON_PAPER = ("kappa_quadratic", "bp_quadratic", "ac_quadratic", "kappa_linear", "bp_linear", "ac_linear", "pa", "mae")

TWO_POINTS = ("kappa_linear", "bp_linear", "ac_linear", "pa")
"""With pass and fail only, linear and quadratic weights are the same."""

Positive = Annotated[float, Field(gt=0)]


class AgreementRobustness(Study):
    """Agreement coefficients under four stresses: prevalence, marginals, size of errors, length of the scale."""

    name: ClassVar[str] = "agreement-robustness"
    title: ClassVar[str] = "How robust agreement coefficients are"
    sections: ClassVar[tuple[str, ...]] = ("study_agreement_robustness", "study_published")

    responses: int = Field(default=5000, ge=100, le=1_000_000, description="Responses in a simulated set of scores.")
    replicates: int = Field(default=5, ge=1, le=10_000, description="Simulated sets at each setting.")
    data_sets: int = Field(default=10, ge=1, le=1000, description="Repetitions in which statements are checked.")
    spreads: tuple[Positive, ...] = Field(
        default=(0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5), description="Standard deviations of gold scores (figure 1)."
    )
    sizes: tuple[Annotated[float, Field(ge=1)], ...] = Field(
        default=(1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5), description="Mean sizes of an error (figure 4)."
    )
    file: Path | None = Field(default=None, description="Your own scores, to be put under the same stresses.")
    human: str | None = Field(default=None, description="Its column of human scores.")
    system: str | None = Field(default=None, description="Its column of system scores.")
    score_scale: str | None = Field(default=None, description="Its score scale, as in 1:6.")

    def results(self, work: Work) -> StudyResults:
        """Return the stresses on synthetic scores, on real-like ones, and on one's own when a file is given."""
        source, scale, own = simulated(self, self.responses), Scale(1, 10, 1, assumed=False), None
        if self.file is not None:
            source, scale, *own = own_scores(self.file, self.human, self.system, self.score_scale)
        found = self._found(work)
        names = found.names()
        papers = list(found.sweeps.values())
        others = work.map("repetitions", methodcaller("statements"), self.others(self.data_sets))
        of_own = self._of_own(work, scale.points(), *own) if own else []
        tables = [
            statements_table(judge_in_sets([PAPER.statements(names), *others])),
            published_table(PAPER.printed(names), 40),
            *(_sweep_table(sweep) for sweep in (*papers, *of_own, found.apart)),
            _movement_table(of_own or papers),
        ]
        told = {"n": len(own[0]), "points": len(scale.points()), "name": source.name} if own else None
        facts = {"responses": self.responses, "replicates": self.replicates, "steady": STEADY, "own": told}
        return StudyResults(source, scale, tuple(tables), facts)

    def _of_own(self, work: Work, points: Sequence[float], gold: Integers, system: Integers) -> list[Sweep]:
        """Return the stresses on one's own scores."""
        error = float(np.abs(gold - system).mean())
        stress = partial(
            sweeps.sweep_own_errors, gold=gold, labels=points, error=error, replicates=self.replicates, seed=self.seed,
            sizes=self.sizes,
        )  # fmt: skip
        errors = work.map("stresses on your scores", stress, ("marginals", "magnitude"))
        return [*sweeps.sweeps_of_scores("own", [sweeps.table_of(gold, system, len(points))], points), *errors]

    def statements(self) -> list[Statement]:
        """Return the paper's statements, checked in one repetition."""
        return PAPER.statements(self._found(Work()).names())

    def _found(self, work: Work) -> Found:
        """Return the stresses on synthetic scores, and on the scores that stand in for the paper's."""
        stress = partial(
            sweeps.sweep_synthetic, n=self.responses, replicates=self.replicates, seed=self.seed, spreads=self.spreads,
            sizes=self.sizes,
        )  # fmt: skip
        synthetic = work.map("stresses", stress, STRESSES)
        like, apart = (np.array([self._real_like(k, off) for k in range(self.replicates)]) for off in (0.0, _apart()))
        points = range(1, REAL_LIKE_POINTS + 1)
        stressed = {each.stress: each for each in (*synthetic, *sweeps.sweeps_of_scores("real_like", [*like], points))}
        return Found(stressed, sweeps.threshold_sweep("real_apart", apart, points), like, self.seed)

    def _real_like(self, number: int, apart: float) -> Floats:
        """Return the table of scores that stand in for the paper's examination scripts."""
        rng = np.random.default_rng([self.seed, 9, number])
        gold, system = sweeps.correlated_scores(rng, REAL_LIKE_N, REAL_LIKE_POINTS, CORRELATION, apart)
        return sweeps.table_of(gold, system, REAL_LIKE_POINTS)


def _apart() -> float:
    """Return how far apart two normal means are whose passing shares differ by what figure 2 (right) shows, in SDs."""
    from scipy.stats import norm

    return float(2 * norm.ppf(1 - LEAST_SIMILAR / 2))


def own_scores(
    file: Path, human: str | None, system: str | None, scale: str | None
) -> tuple[Source, Scale, Integers, Integers]:
    """Return the first human score and the system's, (n,) each, counted in steps of the scale from 0 and cut to it."""
    given: dict[str, Any] = {"human": human, "system": system, "scale": scale, "groups": []}
    scores = read(file, from_keywords(**{key: value for key, value in given.items() if value is not None}))
    points = scores.scale.points()
    if not FEWEST_POINTS <= len(points) <= MOST_POINTS:
        found = len(points) or "a continuous one"
        raise InputError(
            f"{file}: expected a scale of {FEWEST_POINTS} to {MOST_POINTS} points, found {found}; declare one with "
            "--score-scale, as in 1:6."
        )
    gold, system_points = (
        np.clip(np.rint((values - scores.scale.low) / scores.scale.step), 0, len(points) - 1).astype(np.int64)
        for values in (scores.human[:, 0], scores.system)
    )
    return scores.source, scores.scale, gold, system_points


def _sweep_table(sweep: Sweep) -> Table:
    """Return every coefficient along one stress."""
    shown = TWO_POINTS if sweep.beside else ON_PAPER
    columns = (
        Column("x", Term(f"along.{sweep.stress}")),
        *(Column(name, kind="coefficient") for name in sweep.beside),
        *(Column(name, kind="coefficient", shown=name in shown) for name in sweep.mean),
        Column("largest_sd", kind="coefficient", shown=False),
    )
    cells = [*sweep.beside.values(), *sweep.mean.values(), sweep.largest_sd]
    rows = [Row((float(x), *(known(values[place]) for values in cells))) for place, x in enumerate(sweep.x)]
    title = Term("stress_title", stress=Term(f"stress.{sweep.stress}"), scores=Term(f"scores.{sweep.scores}"))
    return Table(f"study.{sweep.scores}.{sweep.stress}", title, columns, tuple(rows), max_rows=12)


def _movement_table(along: Sequence[Sweep]) -> Table:
    """Return how far each coefficient moves under each stress."""
    rows = [
        Row((Term(f"coefficient.{name}"), *(sweep.range(name) for sweep in along)))
        for name in along[0].mean
        if name not in ("pa", "mae")
    ]
    columns = (
        Column("coefficient"),
        *(Column(f"{sweep.scores}_{sweep.stress}", Term(f"changed.{sweep.stress}"), "coefficient") for sweep in along),
    )
    return Table("study.movement", "", columns, tuple(rows))
