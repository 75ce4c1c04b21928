"""Write scores.csv: synthetic scores of an essay by two raters and two engines, and of eight short items.

    python example_reports/two_engines/make_scores.py [PATH]

1,200 test takers write an essay and answer eight short items; 400 essays are scored by a second
rater.  What the reports should find:

* the new engine agrees with raters better than the old one, because its error is smaller;
* the old engine does not use the ends of the scale, and marks all essays a little too low;
* neither treats men and women differently.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

SEED = 7
TEST_TAKERS, DOUBLE_SCORED = 1_200, 400
RATER_ERROR = 0.45
DIFFICULTIES = (-1.2, -0.8, -0.4, 0.0, 0.2, 0.5, 0.9, 1.3)
HEADER = ("id", "gender", "old_engine", "new_engine", "rater_1", "rater_2",
          *(f"item_{number}" for number in range(1, len(DIFFICULTIES) + 1)))  # fmt: skip


def rating(quality: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return one rater's whole scores from 1 to 6."""
    return np.clip(np.rint(quality + rng.normal(0, RATER_ERROR, quality.size)), 1, 6).astype(int)


def rows(rng: np.random.Generator) -> list[list[str]]:
    """Return the rows of the file, as text."""
    ability = rng.normal(0, 1, TEST_TAKERS)
    quality = 3.5 + 0.75 * ability + rng.normal(0, 0.55, TEST_TAKERS)
    old = 3.4 + 0.7 * (quality - 3.5) + rng.normal(0, 0.50, TEST_TAKERS)
    new = 3.5 + 0.9 * (quality - 3.5) + rng.normal(0, 0.33, TEST_TAKERS)
    first, second = rating(quality, rng), rating(quality, rng)
    twice = np.zeros(TEST_TAKERS, bool)
    twice[rng.choice(TEST_TAKERS, DOUBLE_SCORED, replace=False)] = True
    gender = rng.choice(["men", "women"], TEST_TAKERS)
    right = ability[:, None] - np.array(DIFFICULTIES) + rng.logistic(0, 0.7, (TEST_TAKERS, len(DIFFICULTIES))) > 0
    return [
        [
            f"T{place + 1:04d}", str(gender[place]), f"{old[place]:.3f}", f"{new[place]:.3f}", str(first[place]),
            str(second[place]) if twice[place] else "", *(str(int(each)) for each in right[place]),
        ]
        for place in range(TEST_TAKERS)
    ]  # fmt: skip


def main() -> None:
    """Write the file to the path given, or beside this script."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("scores.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(rows(np.random.default_rng(SEED)))


if __name__ == "__main__":
    main()
