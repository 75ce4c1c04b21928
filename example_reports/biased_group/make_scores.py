"""Write scores.csv: a synthetic engine that is fair to thirteen of fourteen first languages.

    python example_reports/biased_group/make_scores.py [PATH]

About 2,100 candidates write 4,800 responses to four tasks; 600 responses are scored by a second
rater.  What the report should find:

* speakers of Vietnamese get engine scores a quarter of a standard deviation too low;
* speakers of Wolof, a few dozen responses, stray by chance alone;
* every other language and both genders are treated alike;
* eight rows can not be used: zero scores, words for scores, blanks.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

SEED = 11
RESPONSES = 4_800
DOUBLE_SCORED = 600
LANGUAGES = (
    "Spanish",
    "Mandarin",
    "Arabic",
    "Hindi",
    "Vietnamese",
    "Portuguese",
    "Japanese",
    "Korean",
    "German",
    "Turkish",
    "Tagalog",
    "Persian",
    "Greek",
    "Wolof",
)
TASKS = ("Task 1: Describe", "Task 2: Compare", "Task 3: Argue", "Task 4: Summarize")
TASK_DIFFICULTY = np.array([0.15, 0.05, -0.20, 0.0])
BIASED, BIAS_IN_SD = "Vietnamese", -0.25
ENGINE_ERROR = 0.42
RATER_ERROR = 0.50
HEADER = ("response", "candidate", "task", "first_language", "gender", "engine", "rater_1", "rater_2")
UNUSABLE = (
    {"rater_1": "0"},
    {"rater_1": "0"},
    {"rater_1": "off topic"},
    {"rater_1": "blank response"},
    {"rater_1": ""},
    {"engine": ""},
    {"engine": "error"},
    {"engine": "error", "rater_1": "0"},
)
"""What the eight unusable rows hold in place of scores."""


def falling_shares(count: int) -> np.ndarray:
    """Return `count` shares that fall by rank as Zipf's law says, a little faster than 1/rank."""
    weights = np.arange(1.0, count + 1) ** -1.3
    return weights / weights.sum()


def rating(true_score: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return one rater's whole scores from 1 to 6."""
    return np.clip(np.rint(true_score + rng.normal(0, RATER_ERROR, true_score.size)), 1, 6).astype(int)


def columns(rng: np.random.Generator) -> dict[str, list[str]]:
    """Return the columns of the file, as text, before rows are spoiled."""
    candidates = RESPONSES // 4 + 900
    ability = rng.normal(3.5, 0.85, candidates)
    language = rng.choice(len(LANGUAGES), candidates, p=falling_shares(len(LANGUAGES)))
    gender = rng.choice(["female", "male"], candidates, p=[0.54, 0.46])

    order = rng.permutation(candidates * len(TASKS))[:RESPONSES]
    candidate, task = np.divmod(np.sort(order), len(TASKS))
    true_score = ability[candidate] + TASK_DIFFICULTY[task] + rng.normal(0, 0.45, RESPONSES)
    engine = 3.5 + 0.9 * (true_score - 3.5) + rng.normal(0, ENGINE_ERROR, RESPONSES)
    first, second = rating(true_score, rng), rating(true_score, rng)
    engine += np.where(np.array(LANGUAGES)[language[candidate]] == BIASED, BIAS_IN_SD * first.std(), 0.0)
    scored_twice = np.zeros(RESPONSES, dtype=bool)
    scored_twice[rng.choice(RESPONSES, DOUBLE_SCORED, replace=False)] = True
    values = (
        [f"R{number:05d}" for number in range(1, RESPONSES + 1)],
        [f"C{number:04d}" for number in candidate + 1],
        [TASKS[index] for index in task],
        [LANGUAGES[index] for index in language[candidate]],
        [str(name) for name in gender[candidate]],
        [f"{score:.4f}" for score in engine],
        [str(score) for score in first],
        [str(score) if twice else "" for score, twice in zip(second, scored_twice, strict=True)],
    )
    return dict(zip(HEADER, values, strict=True))


def spoil(table: dict[str, list[str]], rng: np.random.Generator) -> None:
    """Put unusable scores into eight rows scored once, so that 4,792 remain and 600 of them are scored twice."""
    scored_once = [row for row, score in enumerate(table["rater_2"]) if not score]
    rows = rng.choice(scored_once, len(UNUSABLE), replace=False)
    for row, replacements in zip(sorted(rows), UNUSABLE, strict=True):
        for name, value in replacements.items():
            table[name][row] = value


def main() -> None:
    """Write the file to the path given, or beside this script."""
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("scores.csv")
    rng = np.random.default_rng(SEED)
    table = columns(rng)
    spoil(table, rng)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows(zip(*table.values(), strict=True))


if __name__ == "__main__":
    main()
