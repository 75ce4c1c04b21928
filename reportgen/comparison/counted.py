"""Differences between two systems from their paired tally: the same sums as row by row, in the time of its cells."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from reportgen.comparison.kappas import KappaDifference, error_of_counts, kappa_differences
from reportgen.comparison.paired import Paired
from reportgen.tally import Form, Moments, Statistics
from reportgen.tally.cells import Floats, Integers
from reportgen.tally.features import Polynomials, Units, feature_polynomials, pilot_centre
from reportgen.tally.forms import formed_scores
from reportgen.tally.paired import MONOMIALS, PairedTally

BASIS = ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2))
"""Powers of u and of w that features are made of: with v = u + w, the square of v is u^2 + 2 u w + w^2."""

_PRODUCTS = np.array([[MONOMIALS.index((i + k, j + m)) for k, m in BASIS] for i, j in BASIS])
"""Which monomial the product of two of them is."""


@dataclass(frozen=True)
class PairedCounts(Paired):
    """Two systems' scores of the same responses, counted together; every response is a unit of its own.

    Parameters
    ----------
    tally
        The counts.
    forms
        The form of either system's score that is compared.
    both
        What is computed from the sums of either system.
    """

    tally: PairedTally
    forms: tuple[Form, Form]
    both: tuple[Statistics, Statistics]
    _made: dict[str, Moments] = field(default_factory=dict, repr=False, compare=False)

    @property
    def statistics(self) -> tuple[Statistics, Statistics]:
        """What is computed from the sums of either system."""
        return self.both

    def moments_of(self, grouping: str) -> Moments:
        """Return the moments of a grouping."""
        if grouping not in self._made:
            self._made[grouping] = self._moments(grouping)
        return self._made[grouping]

    def kappas_of(self, grouping: str) -> dict[str, KappaDifference]:
        """Return the differences of Cohen's kappa."""
        slices = self.tally.slices[grouping]
        tallies = [(self.tally.side(number), form) for number, form in enumerate(self.forms)]
        return kappa_differences(tallies, grouping, lambda every: [error_of_counts(slices, moved) for moved in every])

    def _moments(self, grouping: str) -> Moments:
        slices, (columns, coefficients) = self.tally.slices[grouping], self.features
        size = int(columns[0].max()) + 1
        sums, products = np.zeros((len(slices.labels), size)), np.zeros((len(slices.labels), size, size))
        for level, (start, stop) in enumerate(itertools.pairwise(slices.starts())):
            cell, powers = slices.cell[start:stop], slices.sums[:, start:stop]
            parts = [(own, each[cell]) for own, each in zip(columns, coefficients, strict=True) if len(own)]
            places = [place for place, own in enumerate(columns) if len(own)]
            for place, (own, part) in zip(places, parts, strict=True):
                sums[level, own] += powers[_PRODUCTS[0, place]] @ part
                for other, (others, factor) in zip(places, parts, strict=True):
                    if other < place:
                        continue
                    found = part.T @ (powers[_PRODUCTS[place, other], :, None] * factor)
                    products[level][np.ix_(own, others)] += found
                    if other > place:
                        products[level][np.ix_(others, own)] += found.T
        counts = np.minimum(sums[:, Units.COLUMNS], (sums[:, : size // 2] + sums[:, size // 2 :])[:, Units.COLUMNS])
        return Moments(slices.labels, sums, products, self.centre, products, Units(*counts.T))

    @cached_property
    def centre(self) -> float:
        """What scores are measured from."""
        return pilot_centre(self.tally.side(0))

    @cached_property
    def features(self) -> tuple[list[Integers], list[Floats]]:
        """For each part of `BASIS` the features it has a share in, and their coefficients by joint cell.

        Features are those of the first system, then the change to those of the second.
        """
        before, after = (self._polynomials(number) for number in (0, 1))
        nothing = np.zeros_like(before.constant)
        parts = [
            np.hstack([before.constant, after.constant - before.constant]),
            np.hstack([before.linear, after.linear - before.linear]),
            np.hstack([before.square, after.square - before.square]),
            np.hstack([nothing, after.linear]),
            np.hstack([nothing, 2 * after.square]),
            np.hstack([nothing, after.square]),
        ]
        every = np.arange(parts[0].shape[1])
        used = [every if place == 0 else np.flatnonzero(part.any(axis=0)) for place, part in enumerate(parts)]
        return used, [np.ascontiguousarray(part[:, own]) for own, part in zip(used, parts, strict=True)]

    def _polynomials(self, number: int) -> Polynomials:
        """Return one system's features of every joint cell, as polynomials in what rounding took from its score."""
        tally = self.tally.side(number)
        return feature_polynomials(tally, formed_scores(tally, self.forms[number]), self.centre)
