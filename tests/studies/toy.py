"""A study for tests that averages random numbers."""

from typing import ClassVar

import numpy as np
from pydantic import Field

from reportgen.results import Column, Row, Scale, Table
from reportgen.studies.study import Study, StudyResults, Work, simulated


def mean(part: tuple[int, int, int]) -> float:
    """Return the mean of random numbers drawn with the seed of a part."""
    seed, number, n = part
    return float(np.random.default_rng([seed, number]).normal(size=n).mean())


class Toy(Study):
    """Average random numbers."""

    name: ClassVar[str] = "toy"

    n: int = Field(default=10, ge=2, description="Numbers in each part.")
    parts: tuple[int, ...] = Field(default=(1, 2, 3), description="Parts.")
    loud: bool = Field(default=False, description="Say more.")

    def results(self, work: Work) -> StudyResults:
        means = work.map("averages", mean, [(self.seed, part, self.n) for part in self.parts])
        table = Table(
            "toy.means",
            "Means of random numbers, by part",
            (Column("part", "Part", "count"), Column("mean", "Mean", "score")),
            tuple(Row((part, value)) for part, value in zip(self.parts, means, strict=True)),
        )
        return StudyResults(simulated(self, self.n * len(self.parts)), Scale(0, 1, 0, False), (table,))
