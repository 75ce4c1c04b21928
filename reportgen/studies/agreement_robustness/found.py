"""What statements of the paper are held against: every stress, and the scores that stand in for its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reportgen.studies.agreement_robustness.coefficients import Floats
from reportgen.studies.agreement_robustness.sweeps import Sweep

STEADY = 0.05
"""A coefficient that moves less than this counts as steady, on the page and in statements alike."""

SAME = 1e-12
"""Less than this is rounding."""


@dataclass(frozen=True)
class Found:
    """The stresses, by their key, and the tables of the stand-in.

    Parameters
    ----------
    sweeps
        Stress -> coefficients along it, on synthetic scores or on the stand-in.
    apart
        Pass and fail where the system's mean lies off: its shares are as unlike as those of figure 2 (right).
    like
        (sets, points, points): tables of the stand-in.
    seed
        Of the study.
    """

    sweeps: Mapping[str, Sweep]
    apart: Sweep
    like: Floats
    seed: int

    def __getitem__(self, stress: str) -> Sweep:
        """Return the sweep of a stress."""
        return self.sweeps[stress]

    @property
    def every(self) -> tuple[Sweep, ...]:
        """All of them."""
        return (*self.sweeps.values(), self.apart)
