"""How often group analyses find a difference in an engine that treats everybody alike.

An engine follows the true score, group or no group; 30 % of the responses are of a group whose true
scores are lower.  Counted is how often each analysis rejects "no difference" at 5 %: the conditional
score difference (CSD), which holds one human score fixed, and the difference given the true score.

    python benchmarks/false_alarms.py [REPLICATES]
"""

from __future__ import annotations

import sys
from time import process_time

import numpy as np

from reportgen.evaluation import Plan, Preparation, TalliedScores, tally_scores
from reportgen.evaluation.differences import differences
from reportgen.evaluation.fairness import analyses
from reportgen.results import Scale
from reportgen.tally.contingency_tables import error_sums
from reportgen.tally.sums import Floats

RESPONSES, SHARE, DOUBLE, SD = 3000, 0.3, 0.2, 0.8
NOMINAL = 0.05


def sample(reliability: float, gap: float, seed: int, *, rounded: bool, candidates: int = 0) -> TalliedScores:
    """Return the study of one sample: `gap` in SDs of the true score, `candidates` who gave several responses each."""
    rng = np.random.default_rng(seed)
    n = RESPONSES
    who = rng.integers(0, candidates, n) if candidates else np.arange(n)
    people = candidates or n
    group = (rng.random(people) < SHARE).astype(int)
    true = 3.5 - gap * SD * group + rng.normal(0, SD, people)
    engine = rng.normal(0, 0.25 if candidates else 0.0, people)  # what the engine likes in a person's writing
    error = SD * np.sqrt((1 - reliability) / reliability)
    ratings = true[who, None] + rng.normal(0, error, (n, 2))
    if rounded:
        ratings = np.clip(np.rint(ratings), 1, 6)
    ratings[rng.random(n) >= DOUBLE, 1] = np.nan
    system = 3.5 + 0.8 * (true[who] - 3.5) + engine[who] + rng.normal(0, 0.35, n)
    return tally_scores(
        system,
        ratings,
        {"g": (group[who], ["reference", "group"])},
        Plan(raters=("h1", "h2"), scale=Scale(1, 6, 1, assumed=False), preparation=Preparation((1.0, 6.0), 0.4998)),
        candidates=who if candidates else None,
    )


def p_values(tallied: TalliedScores) -> tuple[float, float]:
    """Return p of the conditional score difference (nan for continuous ratings) and p given the true score."""
    from scipy.special import stdtr

    order = tallied.level_order("g")
    csd = analyses(error_sums(tallied.tally, "g", tallied.primary.form), order)["csd"]
    found = differences(tallied, "g").points
    other = order[1]
    return float(csd.p), float(2 * stdtr(found.freedom[other], -abs(found.value[other] / found.error[other])))


def rejections(replicates: int, reliability: float, gap: float, *, rounded: bool, candidates: int = 0) -> Floats:
    """Return how often each of the two analyses rejects."""
    drawn = (sample(reliability, gap, seed, rounded=rounded, candidates=candidates) for seed in range(replicates))
    found = np.array([p_values(tallied) for tallied in drawn])
    share: Floats = np.where(np.isnan(found).any(axis=0), np.nan, (found < NOMINAL).mean(axis=0))
    return share


DESIGNS = (
    (0.8, 0.5, True, 0), (0.65, 0.5, True, 0), (0.5, 0.5, True, 0), (0.65, 0.0, True, 0),
    (0.8, 0.5, False, 0), (0.65, 0.5, False, 0), (0.5, 0.5, False, 0), (0.65, 0.5, True, 600),
)  # fmt: skip


def main(replicates: int) -> None:
    """Print the table."""
    print(f"{RESPONSES} responses, {SHARE:.0%} in the group, {DOUBLE:.0%} scored twice; {replicates} samples a row")
    print("human r | gap, SD | ratings | responses of | CSD rejects | given true score rejects | seconds")
    for reliability, gap, rounded, candidates in DESIGNS:
        began = process_time()
        csd, true = rejections(replicates, reliability, gap, rounded=rounded, candidates=candidates)
        kind, who = "1 to 6" if rounded else "continuous", f"{candidates} people" if candidates else "one each"
        shown = "-" if np.isnan(csd) else f"{csd:.1%}"
        seconds = process_time() - began
        print(f"{reliability:.2f} | {gap} | {kind} | {who} | {shown} | {true:.1%} | {seconds:.0f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
