"""What the accuracy of one item's automated score does to the scores that are reported.

Repeats Casabianca et al. (2023) on a simulated test of the same design, or puts one's own test through the
same conditions.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from reportgen.errors import InputError
from reportgen.results import Scale
from reportgen.scale_scores.reported_scores import Floats, Reporting
from reportgen.studies.design import Study, StudyResults, simulated
from reportgen.studies.score_impact.analysis import HUMAN, FormPart, FormResult, analyse_form
from reportgen.studies.score_impact.beside import found_here
from reportgen.studies.score_impact.conditions import Accuracy, accuracy, conditions, error_variance
from reportgen.studies.score_impact.statements import statements
from reportgen.studies.score_impact.tables import condition, facts_of, tables_of
from reportgen.studies.score_impact.test import ABILITY_MEAN, ABILITY_SD, Test, synthetic_test
from reportgen.studies.statements import Statement, judge_in_sets
from reportgen.studies.work import Work
from reportgen.wording.vocabulary import english

PAPER_SLOPE, PAPER_INTERCEPT, PAPER_ENDS, PAPER_CUTS = 38.87, 1512.12, (1150.0, 1950.0), (1529.0, 1595.0, 1646.0)
"""Scaling constants and cut scores of the paper's written language score."""

PAPER_LIKE_SEED = 21
"""Draws a test whose alpha (.874), rater agreement (.826) and PRMSE (.988) are near the paper's .875, .823 and .986."""


OF_OTHERS = 2000
"""Test takers of each further simulated test in which statements are checked, at most."""


class ScoreImpact(Study):
    """Eighteen versions of one item's automated score, and the scale scores each leads to."""

    name: ClassVar[str] = "score-impact"
    title: ClassVar[str] = "What an item's PRMSE does to reported scores"
    sections: ClassVar[tuple[str, ...]] = ("study_score_impact", "study_published")

    seed: int = Field(default=PAPER_LIKE_SEED, ge=0, description="Seed of everything drawn at random.")
    responses: int = Field(default=11_532, ge=500, le=200_000, description="Test takers of the simulated test.")
    double_scored: int = Field(default=568, ge=20, description="Of them scored by a second rater.")
    data_sets: int = Field(default=10, ge=1, le=1000, description="Simulated tests in which statements are checked.")
    file: Path | None = Field(default=None, description="Your own item scores, a row per test taker.")
    items: tuple[str, ...] = Field(default=(), description="Its columns of item scores, without the studied item.")
    human: str | None = Field(default=None, description="Its column of human scores of the studied item.")
    human2: str | None = Field(default=None, description="Its column of second human scores, blank where none.")
    system: str | None = Field(default=None, description="Its column of automated scores of the studied item.")
    lowest: tuple[int, ...] = Field(
        default=(), description="Lowest possible score of every item, or of each (the studied last); found if left out."
    )
    rater_error_variance: float | None = Field(default=None, ge=0, description="Known from elsewhere.")
    scoring: Literal["irt", "summed"] = Field(default="irt", description="'summed' reports the sum of item scores.")
    slope: float | None = Field(default=None, gt=0, description="Scale score per unit of ability, or of the sum.")
    intercept: float | None = Field(default=None, description="Scale score at 0.")
    low: float | None = Field(default=None, description="Lowest scale score.")
    high: float | None = Field(default=None, description="Highest scale score.")
    cuts: tuple[float, ...] = Field(default=(), description="Scale scores at which performance levels begin.")

    @model_validator(mode="after")
    def _fits(self) -> ScoreImpact:
        """Refuse a design that cannot be carried out."""
        if self.double_scored > self.responses:
            raise ValueError(
                f"double_scored: expected at most {self.responses} (responses), found {self.double_scored}"
            )
        if list(self.cuts) != sorted(set(self.cuts)):
            raise ValueError("cuts: expected scale scores in rising order")
        named = (*self.items, *(each for each in (self.human, self.human2, self.system) if each is not None))
        twice = [name for place, name in enumerate(named) if name in named[:place]]
        if twice:
            raise ValueError(f"items, human, human2, system: expected every column once, found '{twice[0]}' twice")
        if self.file is None and (self.items or self.human or self.system):
            raise ValueError("items, human and system are columns of a file: give one with file")
        return self

    def results(self, work: Work) -> StudyResults:
        """Return item statistics, scale scores, precision and levels under every condition and form."""
        rng = np.random.default_rng([self.seed, 7])
        if self.file is None:
            source, names = simulated(self, self.responses), None
            test, reporting = self._simulated(rng)
        else:
            from reportgen.studies.score_impact.own import own_test

            own = own_test(self)
            source, test, names = own.source, own.test, own.names
            offset = float(sum(test.lowest)) if self.scoring == "summed" else 0.0
            ends = (offset, offset + sum(test.most)) if self.scoring == "summed" else (-4.0, 4.0)
            reporting = self._reporting(1.0, 0.0, ends, (), 0.0, 1.0)
            # item scores are counted from 0; what is reported is their sum as users know it
            reporting = replace(reporting, intercept=reporting.intercept + reporting.slope * offset)
        items, forms, versions, variance = self._analysed(work, test, reporting, rng)
        said: list[Statement] = []
        if self.file is not None:
            _refuse_nothing(forms, self.file)
        elif self.scoring == "irt":
            others = self._other_sets()
            here = statements(found_here(test, items, versions, forms), forms)
            said = judge_in_sets([here, *work.map("simulated tests", _statements, others)])
        return StudyResults(
            source,
            Scale(test.start, test.start + test.most[test.studied], 1, assumed=False),
            tables_of(test, items, forms, versions, levels=bool(reporting.cuts), said=said),
            facts={
                **facts_of(test, items, forms, reporting, variance, names),
                "sets": {"n": self.data_sets - 1, "responses": min(self.responses, OF_OTHERS)},
            },
            warnings=_warnings(forms),
        )

    def _other_sets(self) -> list[Self]:
        """Return the designs of the other simulated tests: smaller ones, because each is calibrated 57 times."""
        size = {"responses": min(self.responses, OF_OTHERS), "double_scored": min(self.double_scored, OF_OTHERS)}
        return [self.with_seed_of(number).model_copy(update=size) for number in range(1, self.data_sets)]

    def _simulated(self, rng: np.random.Generator) -> tuple[Test, Reporting]:
        """Return a simulated test of the paper's design, and how its scores are reported."""
        test = synthetic_test(rng, self.responses, self.double_scored)
        reporting = self._reporting(PAPER_SLOPE, PAPER_INTERCEPT, PAPER_ENDS, PAPER_CUTS, ABILITY_MEAN, ABILITY_SD)
        return test, reporting

    def _analysed(
        self, work: Work, test: Test, reporting: Reporting, rng: np.random.Generator
    ) -> tuple[dict[str, Accuracy], list[FormResult], dict[str, Floats], float]:
        """Return accuracy by version, what every form reports, the versions, and the variance of rater error."""
        first = test.scores[:, test.studied].astype(np.float64)
        variance = self.rater_error_variance
        if variance is None:
            variance = error_variance(first, test.second)
        versions = conditions(test.automated, first, variance, rng)
        parts = [FormPart(test, form, versions, reporting) for form in test.forms]
        forms: list[FormResult] = work.map("test forms", analyse_form, parts)
        return {name: accuracy(scores, first, variance) for name, scores in versions.items()}, forms, versions, variance

    def _reporting(
        self,
        slope: float,
        intercept: float,
        ends: tuple[float, float],
        cuts: tuple[float, ...],
        mean: float,
        sd: float,
    ) -> Reporting:
        """Return how scores are reported: what was asked for, else what is given here."""
        slope = slope if self.slope is None else self.slope
        intercept = intercept if self.intercept is None else self.intercept
        if self.file is not None:  # ends are abilities, or sums, until they are put on the scale
            ends = (slope * ends[0] + intercept, slope * ends[1] + intercept)
        low, high = ends[0] if self.low is None else self.low, ends[1] if self.high is None else self.high
        if not low < high:
            raise ValueError(f"low, high: expected a lowest scale score below the highest, found {low:g} and {high:g}")
        return Reporting(slope, intercept, low, high, self.cuts or cuts, mean, sd, self.scoring == "summed")


def _statements(design: ScoreImpact) -> list[Statement]:
    """Return the paper's statements, checked in one simulated test."""
    rng = np.random.default_rng([design.seed, 7])
    test, reporting = design._simulated(rng)
    items, forms, versions, _ = design._analysed(Work(), test, reporting, rng)
    return statements(found_here(test, items, versions, forms), forms)


def _refuse_nothing(forms: list[FormResult], file: Path) -> None:
    """Raise when not even the human score could be reported: there is nothing to compare with."""
    problems = [form.reported[HUMAN].problem for form in forms]
    if all(problems):
        raise InputError(
            f"{file}: no scale scores could be made with the human score: {problems[0]} (items as in --items, the "
            "studied one last; scores from each item's lowest), or use --scoring summed."
        )


def _warnings(forms: list[FormResult]) -> tuple[str, ...]:
    """Say which calibrations did not come to rest, and which scores could not be made."""
    told, say = [], english().say
    for form in forms:
        for name, reported in form.reported.items():
            if reported.problem:
                told.append(f"{say(form.name)}, {say(condition(name))}: no scores ({reported.problem}).")
            elif reported.calibration is not None and not reported.calibration.converged:
                where = f"{say(form.name)}, {say(condition(name))}"
                told.append(f"{where}: the calibration did not converge; do not rely on its numbers.")
    return tuple(told)
