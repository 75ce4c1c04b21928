"""Which agreement coefficient can be trusted on a given distribution of scores.

Repeats the stresses of Yannakoudakis and Cummins (2015), "Evaluating the performance of automated
text scoring systems" (BEA workshop), and applies the same four to one's own file of scores.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from reportgen.results import Scale, Source
from reportgen.studies.agreement_robustness.coefficients import Floats, table_of
from reportgen.studies.agreement_robustness.found import STEADY, Found
from reportgen.studies.agreement_robustness.own import Own, own_scores
from reportgen.studies.agreement_robustness.published import CORRELATION, LEAST_SIMILAR, published_table
from reportgen.studies.agreement_robustness.statements import statements
from reportgen.studies.agreement_robustness.sweeps import (
    STRESSES,
    Sweep,
    sweep_synthetic,
    sweeps_of_scores,
    threshold_sweep,
)
from reportgen.studies.agreement_robustness.tables import movement_table, sweep_table
from reportgen.studies.design import Study, StudyResults, simulated
from reportgen.studies.statements import Statement, judge_in_sets, statements_table
from reportgen.studies.work import Work

REAL_LIKE_POINTS, REAL_LIKE_N = 40, 1_238
"""The examination scripts of the paper, whose scores are not at hand: points of the scale, and how many there are."""

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
        own = own_scores(self.file, self.human, self.system, self.score_scale) if self.file is not None else None
        found = self._found(work)
        synthetic = {key: found[key] for key in STRESSES}
        scales = {"real_like": [sweep for key, sweep in found.sweeps.items() if key not in STRESSES]}
        others = [self.with_seed_of(number) for number in range(1, self.data_sets)]
        tables = [
            statements_table(judge_in_sets([statements(found), *work.map("repetitions", _statements, others)])),
            published_table(synthetic["prevalence"], synthetic["marginals"], found.like),
            *(sweep_table(sweep) for sweep in synthetic.values()),
        ]
        if own is not None:
            errors = work.map("stresses on your scores", _on_own, _own_parts(self, own))
            scales["own"] = [*sweeps_of_scores("own", [own.table()], own.scale.points()), *errors]
        for sweeps in scales.values():
            tables += [sweep_table(sweep) for sweep in sweeps]
        tables += [sweep_table(found.apart), movement_table(synthetic, scales)]
        return StudyResults(
            self._source(own),
            own.scale if own else Scale(1, 10, 1, assumed=False),
            tuple(tables),
            facts={
                "responses": self.responses,
                "replicates": self.replicates,
                "steady": STEADY,
                "own": None if own is None else {"n": len(own.gold), "points": own.points, "name": own.source.name},
            },
        )

    def _found(self, work: Work) -> Found:
        """Return the stresses on synthetic scores, and on the scores that stand in for the paper's."""
        synthetic = {sweep.stress: sweep for sweep in work.map("stresses", _synthetic, _parts(self))}
        like, apart = (np.array([_real_like(self, k, off) for k in range(self.replicates)]) for off in (0.0, _apart()))
        points = range(1, REAL_LIKE_POINTS + 1)
        stressed = {sweep.stress: sweep for sweep in sweeps_of_scores("real_like", [*like], points)}
        return Found(synthetic | stressed, threshold_sweep("real_apart", apart, points), like, self.seed)

    def _source(self, own: Own | None) -> Source:
        return own.source if own is not None else simulated(self, self.responses)


def _statements(design: AgreementRobustness) -> list[Statement]:
    """Return the paper's statements, checked in one repetition."""
    return statements(design._found(Work()))


def _parts(design: AgreementRobustness) -> list[tuple[str, AgreementRobustness]]:
    return [(key, design) for key in STRESSES]


def _synthetic(part: tuple[str, AgreementRobustness]) -> Sweep:
    """Return one stress on synthetic scores: the designs of the left panels of figures 1 and 2, and of figure 4."""
    key, design = part
    return sweep_synthetic(key, design.responses, design.replicates, design.seed, design.spreads, design.sizes)


def _apart() -> float:
    """Return how far apart two normal means are whose passing shares differ by what figure 2 (right) shows, in SDs."""
    from scipy.stats import norm

    return float(2 * norm.ppf(1 - LEAST_SIMILAR / 2))


def _real_like(design: AgreementRobustness, number: int, apart: float) -> Floats:
    """Return the table of scores that stand in for the paper's examination scripts."""
    from reportgen.studies.agreement_robustness.stresses import correlated_scores

    rng = np.random.default_rng([design.seed, 9, number])
    gold, system = correlated_scores(rng, REAL_LIKE_N, REAL_LIKE_POINTS, CORRELATION, apart)
    return table_of(gold, system, REAL_LIKE_POINTS)


def _own_parts(design: AgreementRobustness, own: Own) -> list[tuple[str, AgreementRobustness, Own]]:
    return [(key, design, own) for key in ("marginals", "magnitude")]


def _on_own(part: tuple[str, AgreementRobustness, Own]) -> Sweep:
    """Return one stress on the errors of one's own gold scores."""
    from reportgen.studies.agreement_robustness.sweeps import sweep_own_errors

    key, design, own = part
    return sweep_own_errors(key, own.gold, own.scale.points(), own.error, design.replicates, design.seed, design.sizes)
