"""What Casabianca et al. (2023) print."""

from __future__ import annotations

COMPONENTS = {
    "Automated score": (0.993, 0.022, 1.014, 0.986), "pi95": (0.940, 0.022, 1.019, 0.882),
    "pi90": (0.889, 0.035, 1.025, 0.788), "pi85": (0.838, 0.030, 1.027, 0.701), "pi80": (0.778, 0.038, 1.037, 0.603),
    "pi75": (0.729, 0.042, 1.045, 0.528), "pi70": (0.684, 0.054, 1.046, 0.464),
    "delta_x1.10": (0.993, 0.000, 1.014, 0.986), "delta_x1.20": (0.993, -0.002, 1.014, 0.986),
    "delta_x2": (0.993, -0.017, 1.014, 0.986), "delta_x4": (0.993, -0.057, 1.014, 0.983),
    "delta_x10": (0.993, -0.175, 1.014, 0.955), "delta_x20": (0.993, -0.373, 1.014, 0.847),
    "delta_x30": (0.993, -0.570, 1.014, 0.661), "gamma_plus_0.5": (0.993, -0.005, 1.559, 0.678),
    "invgamma": (0.993, 0.024, 0.977, 0.985), "SD match": (0.993, 0.019, 1.082, 0.979),
    "Mean & SD match": (0.993, -0.007, 1.082, 0.980), "Mean & SD match true": (0.993, -0.003, 0.988, 0.986),
}  # fmt: skip
"""Table 2: rho, delta, gamma, PRMSE of every condition."""

QWK = {"Automated score": 0.896, "pi85": 0.737, "pi70": 0.565, "delta_x30": 0.783, "gamma_plus_0.5": 0.851,
       "Mean & SD match": 0.900}  # fmt: skip
"""Table 2, some rows."""

RMSD = {
    "Automated score": (2.50, 4.00, 7.92), "pi95": (2.69, 4.18, 8.14), "pi85": (7.01, 9.16, 14.17),
    "pi70": (6.65, 7.79, 16.72), "delta_x30": (2.90, 4.57, 8.04), "gamma_plus_0.5": (2.58, 4.14, 8.19),
}  # fmt: skip
"""Table 3, root mean squared difference from scores with the human score, for the three forms."""

ALPHA = {"Human score": (0.875, 0.841, 0.800), "Automated score": (0.875, 0.841, 0.801), "pi70": (0.871, 0.832, 0.787)}
"""Table 4."""

EXACT = {"Automated score": (99.32, 99.24, 98.81), "pi95": (99.15, 98.96, 98.58), "pi70": (96.80, 96.43, 90.03),
         "delta_x30": (99.14, 98.97, 92.17)}  # fmt: skip
"""Table 5, exact agreement of performance levels in percent."""
