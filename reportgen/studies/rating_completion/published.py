"""What Wisniewski (2013) prints: tables 1 to 3, and the numbers of sections 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping

Numbers = Mapping[str, tuple[float, ...]]
"""Method -> a number for each share of gaps."""

SHARES = (0.1, 0.2, 0.3, 0.4)
"""Shares of missing ratings; the second corpus (TIDES) has no results at .4."""

MAE: Numbers = {
    "nuclear": (0.65, 0.77, 0.94, 1.14),
    "mean": (0.79, 0.78, 0.78, 0.78),
    "random": (1.47, 1.45, 1.44, 1.45),
}
MAE_TIDES: Numbers = {"nuclear": (0.48, 0.76, 0.95), "mean": (0.41, 0.41, 0.43), "random": (1.36, 1.38, 1.37)}
"""Table 1, over all pairs of judges."""

TAU: Numbers = {"nuclear": (0.93, 0.88, 0.83, 0.78), "mean": (0.92, 0.87, 0.80, 0.72)}
"""Table 2, first corpus."""

OPPOSITE: Numbers = {"nuclear": (3.66, 6.45, 9.24), "mean": (1.20, 2.10, 3.53)}
"""Table 3, second corpus: percentage of comparisons of two systems that come out differently."""

KAPPA, FLEISS, TAU_JUDGES = (0.39, 0.50), 0.25, (0.64, 0.68)
"""Section 3, first corpus: linear kappa of pairs of judges, Fleiss's kappa, tau-b of pairs."""

SINGLE = (0.754, 0.755)
"""Section 3: tau-b of one rating each with the mean of three, the ends of its interval."""

KAPPA_TIDES, DISAGREE, SINGLE_TURNED = (-0.05, 0.20), 36.0, 20.0
"""Section 3, second corpus: kappa of pairs, and in percent how often two judges, or one rating each and two, put two
systems in opposite order."""

RATIO = 0.08
"""Section 4.1: low-rank ratio of the first corpus."""
