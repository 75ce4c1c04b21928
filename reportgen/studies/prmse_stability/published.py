"""What Loukina et al. (2020) print, table by table, for the page that compares."""

from __future__ import annotations

RATERS = {"low": (0.40, 3.83, 1.14), "moderate": (0.55, 3.83, 0.99), "average": (0.65, 3.83, 0.91),
          "high": (0.80, 3.83, 0.83)}  # fmt: skip
"""Table 1: mean correlation of pairs, mean, standard deviation."""

SYSTEMS = {"poor": (0.01, 0.71, 0.57), "low": (0.40, 0.79, 0.64), "medium": (0.65, 0.86, 0.69),
           "high": (0.80, 0.91, 0.74), "perfect": (0.99, 1.00, 0.80)}  # fmt: skip
"""Table 2: R2 and r with true scores, r with raters of the category "average"."""

ASSIGNMENT = {"poor": (1, 3, 0, 1), "low": (0, 0, 2, 3), "medium": (3, 0, 1, 1), "high": (2, 1, 1, 1),
              "perfect": (2, 0, 2, 1)}  # fmt: skip
"""Table 3: systems evaluated with raters of the categories low, moderate, average, high."""

RANGES = {100: (1.01, 0.41, 0.26, 0.12), 250: (0.46, 0.30, 0.15, 0.09), 500: (0.33, 0.17, 0.12, 0.07),
          1000: (0.24, 0.13, 0.08, 0.06), 2500: (0.18, 0.09, 0.07, 0.03), 5000: (0.08, 0.07, 0.04, 0.02),
          10000: (0.06, 0.03, 0.02, 0.02)}  # fmt: skip
"""Table 4: largest less smallest PRMSE of 50 pairs, by double-scored responses, for the four categories."""

TEXT = {
    ("r", "low"): 0.69,
    ("r", "high"): 0.86,
    ("degradation", "low"): -0.30,
    ("degradation", "high"): -0.05,
}
"""Section 4.1: means, or ends of the range, against the mean of two raters; the sign of degradation is RSMTool's."""

LIMITS = {"r_squared": (0.43, 0.71), "prmse": (0.76, 0.82)}
"""Section 5.2 and figure 4: smallest and largest value of all pairs of all categories."""

RMSE = (0.74, 0.07)
"""Section 3: root mean squared error of the worst and of the best system."""

MSE_SHARE = (0.1,)
"""Section 3: squared error of the best systems in percent of the variance of true scores."""

HIGHEST = (1.6,)
"""Figure 5: PRMSE with 100 double scores and raters of low agreement, "around 1.6", one decimal."""
