"""How far a metric can be trusted under given raters' agreement, and how many double scores PRMSE needs.

Repeats the simulations of Loukina et al. (2020), or carries out one's own design.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from reportgen.results import Scale
from reportgen.studies.prmse_stability.measures import Measures, measure
from reportgen.studies.prmse_stability.simulation import draw, replay
from reportgen.studies.prmse_stability.tables import facts_of, tables_of
from reportgen.studies.study import Study, StudyResults, Work, simulated

RATER_NAMES = ("low", "moderate", "average", "high")
SYSTEM_NAMES = ("poor", "low", "medium", "high", "perfect")
STUDIED, STUDIED_NUMBER = 0.8, 1
"""Accuracy and number (from 0) of the system that the paper studies: the one it calls sys_17."""

Share = Annotated[float, Field(gt=0, lt=1)]
Accuracy = Annotated[float, Field(ge=0, lt=1)]


class PrmseStability(Study):
    """Metrics of one system under raters of different agreement; PRMSE by the number of double scores."""

    name: ClassVar[str] = "prmse-stability"
    title: ClassVar[str] = "How stable metrics are under rater error"
    sections: ClassVar[tuple[str, ...]] = ("study_prmse_stability", "study_prmse_double_scoring", "study_published")

    responses: int = Field(default=10_000, ge=50, le=200_000, description="Responses in a data set.")
    mean: float = Field(default=3.844, description="Mean of true scores.")
    sd: float = Field(default=0.74, gt=0, description="Standard deviation of true scores.")
    scale: str = Field(default="1:6", description="Whole points that raters give, as in 1:6.")
    agreement: tuple[Share, ...] = Field(
        default=(0.40, 0.55, 0.65, 0.80), min_length=1, description="Correlation of two raters, of each category."
    )
    raters: int = Field(default=50, ge=2, le=500, description="Raters in each category.")
    accuracy: tuple[Accuracy, ...] = Field(
        default=(0.0, 0.40, 0.65, 0.80, 0.99), min_length=1, description="R² with true scores, of each kind of system."
    )
    systems: int = Field(default=5, ge=1, le=50, description="Systems of each kind.")
    studied: float = Field(default=STUDIED, description="R² of the system that is studied; one of the above.")
    pairs: int = Field(default=50, ge=2, le=1000, description="Pairs of raters in each category.")
    double_scored: tuple[int, ...] = Field(
        default=(100, 250, 500, 1000, 2500, 5000, 10_000), min_length=1, description="Numbers of double scores."
    )
    half_width: float = Field(default=0.05, gt=0, description="Wanted half-width of the 95 % interval of PRMSE.")
    replicates: int = Field(default=9, ge=1, le=10_000, description="Data sets that are drawn afresh.")
    streams: Literal["both", "fresh"] = Field(
        default="both", description="'fresh' leaves out the paper's own random streams."
    )

    @model_validator(mode="after")
    def _fits(self) -> PrmseStability:
        """Refuse a design that cannot be carried out."""
        low, high = self.ends
        if not low <= self.mean <= high:
            raise ValueError(f"mean: expected a mean on the scale {self.scale}, found {self.mean:g}")
        if self.studied not in self.accuracy:
            raise ValueError(f"studied: expected one of accuracy {self.accuracy}, found {self.studied:g}")
        if len(set(self.agreement)) < len(self.agreement) or len(set(self.accuracy)) < len(self.accuracy):
            raise ValueError("agreement and accuracy: every category needs a value of its own")
        if min(self.double_scored) < 10 or max(self.double_scored) > self.responses:
            raise ValueError(f"double_scored: expected numbers from 10 to {self.responses} (responses)")
        if self.pairs > self.raters * (self.raters - 1) // 2:
            raise ValueError(f"pairs: {self.raters} raters have only {self.raters * (self.raters - 1) // 2} pairs")
        return self

    @property
    def ends(self) -> tuple[int, int]:
        """The lowest and highest point of the scale."""
        low, _, high = self.scale.partition(":")
        try:
            ends = int(low), int(high)
        except ValueError:
            raise ValueError(f"scale: expected two whole numbers as in 1:6, found '{self.scale}'") from None
        if ends[0] >= ends[1] or ends[1] - ends[0] > 100:
            raise ValueError(f"scale: expected LOW:HIGH with at most 101 points, found '{self.scale}'")
        return ends

    @property
    def is_the_papers(self) -> bool:
        """Whether the design is the paper's, so that its random streams can be replayed."""
        own = {"seed", "half_width", "replicates", "streams"}
        fields = type(self).model_fields
        return all(getattr(self, key) == field.default for key, field in fields.items() if key not in own)

    @property
    def rater_categories(self) -> dict[str, float]:
        """Name of a category of raters -> their correlation."""
        return self._named(RATER_NAMES, "r", self.agreement)

    @property
    def system_categories(self) -> dict[str, float]:
        """Name of a category of systems -> their R2 with true scores."""
        return self._named(SYSTEM_NAMES, "R²", self.accuracy)

    def _named(self, names: Sequence[str], number: str, values: Sequence[float]) -> dict[str, float]:
        own = [f"{number} = {value:.2f}" for value in sorted(values)]
        return dict(zip(names if self.is_the_papers else own, sorted(values), strict=True))

    @property
    def studied_system(self) -> tuple[str, int]:
        """The category and the number of the system that is studied."""
        name = next(name for name, value in self.system_categories.items() if value == self.studied)
        return name, min(STUDIED_NUMBER, self.systems - 1)

    def results(self, work: Work) -> StudyResults:
        """Return tables 1 to 4 and what figures 1 to 5 show, replayed where that is possible, and afresh."""
        fresh = work.map("data sets", self._fresh, range(self.replicates))
        replayed = None
        if self.is_the_papers and self.streams == "both":
            replayed = measure(*replay(self), self.studied_system)
        return StudyResults(
            simulated(self, self.responses * self.replicates),
            Scale(*self.ends, 1, assumed=False),
            tables_of(self, replayed, fresh),
            facts=facts_of(self, replayed, fresh),
            warnings=self._warnings(fresh),
        )

    def _fresh(self, number: int) -> Measures:
        """Return the measures of one data set drawn by its own seed."""
        return measure(*draw(self, np.random.default_rng([self.seed, number])), self.studied_system)

    def _warnings(self, fresh: list[Measures]) -> tuple[str, ...]:
        """Say where the simulated raters miss the agreement that was asked for, as few raters and responses do."""
        told = []
        for name, wanted in self.rater_categories.items():
            found = float(np.mean([each.raters[name][0] for each in fresh]))
            if abs(found - wanted) > 0.02:
                told.append(
                    f"Raters asked to correlate {wanted:.2f} correlate {found:.2f} in the data that were drawn; "
                    "read the results for that correlation, or ask for more responses and raters."
                )
        return tuple(told)
