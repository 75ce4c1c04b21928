"""Measure how often the report's intervals hold the truth: coverage of nominal 95 % intervals.

    python benchmarks/coverage.py run [--replicates 2000] [--designs 0,1,...]
    python benchmarks/coverage.py table

A design is a number of responses, how many of them are scored twice, and how well raters agree.  Each
replicate is a sample of its own, and a slice of one tally: what is measured is the code that the
report runs.  True values come from four million responses, all scored twice, of the same population:
true scores normal with mean 3.844 and SD .74 on a scale of 1 to 6 (those of Loukina et al., 2020),
human scores true score plus error, rounded; an engine with error of a fifth of the true variance; 30 %
of responses in a group half an SD lower, which the engine places .1 SD lower still.  Every run
replaces its designs' lines in ``coverage.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.evaluation.estimates import SliceEstimates, estimate_slices
from reportgen.metrics import pair
from reportgen.tally import (
    OVERALL,
    ROUNDED,
    TRIMMED,
    Sums,
    Tally,
    derivatives,
    limits,
    merge,
    moments,
    standard_errors,
    tally_of,
)

Floats = NDArray[np.float64]

MEAN, SD, ENGINE_SHARE, GROUP_SHARE, GROUP_GAP, GROUP_BIAS = 3.844, 0.74, 0.2, 0.3, 0.5, 0.1
BOUNDS = (0.5002, 6.4998)
POPULATION, BATCH_ROWS = 4_000_000, 500_000
FILE = Path(__file__).with_name("coverage.jsonl")

TRIMMED_KEYS = (
    "system.qwk", "system.r", "system.smd", "system.rmse", "human.qwk", "human.r", "degradation.qwk",
    "degradation.r", "true_score.prmse", "disattenuated.r",
)  # fmt: skip
ROUNDED_KEYS = ("system.kappa", "system.exact_agreement", "system.adjacent_agreement")
DSM = "system.dsm"
KEYS = (*TRIMMED_KEYS, *ROUNDED_KEYS, DSM)


@dataclass(frozen=True)
class Design:
    """How many responses, how many of them scored twice, and the human-human correlation."""

    n: int
    double: int
    human_r: float


DESIGNS = tuple(
    Design(n, double, human_r)
    for human_r in (0.8, 0.65, 0.4)
    for n, double in ((200, 100), (200, 200), (500, 100), (500, 500), (2000, 100), (2000, 500), (2000, 2000))
)


def scores(rng: np.random.Generator, n: int, rater_sd: float) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Return engine scores, two ratings and the group of n responses."""
    group = (rng.random(n) < GROUP_SHARE).astype(np.intp)
    true = np.clip(rng.normal(MEAN, SD, n) - GROUP_GAP * SD * group, 1, 6)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, rater_sd, (n, 2))), 1, 6)
    system = true - GROUP_BIAS * SD * group + rng.normal(0, SD * np.sqrt(ENGINE_SHARE), n)
    return system, human, group


def rater_sd(human_r: float) -> float:
    """Return the SD of rater error at which two raters correlate as wanted, by halving."""
    low, high = 0.01, 2.5
    for _ in range(25):
        middle = (low + high) / 2
        _, human, _ = scores(np.random.default_rng(1), 400_000, middle)
        low, high = (middle, high) if np.atleast_2d(np.corrcoef(human.T))[0, 1] > human_r else (low, middle)
    return low


def truth(error: float) -> dict[str, float]:
    """Return every statistic of the population."""
    rng = np.random.default_rng(2)
    parts = []
    for _ in range(POPULATION // BATCH_ROWS):
        system, human, group = scores(rng, BATCH_ROWS, error)
        parts.append(tally_of(system, human, {"group": (group, ["a", "b"])}, BOUNDS))
    tally = merge(parts)
    values = _values(tally, OVERALL)
    values[DSM] = estimate_slices(tally, "group", TRIMMED, 0.95, None).numbers[DSM].value[1:]
    return {key: float(value[0]) for key, value in values.items()}


def _values(tally: Tally, grouping: str) -> dict[str, Floats]:
    trimmed, rounded = _both(tally, grouping)
    return {key: (trimmed if key in TRIMMED_KEYS else rounded).numbers[key].value for key in KEYS if key != DSM}


def _both(tally: Tally, grouping: str) -> tuple[SliceEstimates, SliceEstimates]:
    return tuple(estimate_slices(tally, grouping, form, 0.95, None) for form in (TRIMMED, ROUNDED))  # type: ignore[return-value]


def replicate(design: Design, error: float, samples: int, seed: int) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Return value, lower and upper end of every statistic in every sample."""
    rng = np.random.default_rng([seed, design.n, design.double, round(100 * design.human_r)])
    system, human, group = scores(rng, samples * design.n, error)
    sample = np.repeat(np.arange(samples), design.n)
    human[np.tile(np.arange(design.n) >= design.double, samples), 1] = np.nan
    names = [f"{index:06}" for index in range(samples)]
    groups = {"sample": (sample, names), "group": (2 * sample + group, [f"{s} {g}" for s in names for g in "ab"])}
    tally = tally_of(system, human, groups, BOUNDS)
    trimmed, rounded = _both(tally, "sample")
    found = {}
    for key in (*TRIMMED_KEYS, *ROUNDED_KEYS):
        numbers = (trimmed if key in TRIMMED_KEYS else rounded).numbers[key]
        found[key] = (numbers.value, numbers.low, numbers.high)
    found[DSM] = _group_difference(tally)
    return found


def _group_difference(tally: Tally) -> tuple[Floats, Floats, Floats]:
    """Return the DSM of the second group of every sample, standardized within the sample."""
    whole, every = moments(tally, "sample", TRIMMED), moments(tally, "group", TRIMMED)
    part = slice(1, None, 2)
    own = type(every)(every.labels[part], every.sums[part], every.products[part], every.centre,
                      every.cross[part], type(every.units)(*(units[part] for units in
                      (every.units.system, every.units.human, every.units.multiple))))  # fmt: skip

    def statistic(here: Sums, all_: Sums) -> dict[str, Floats]:
        population = all_.system
        return {DSM: pair.difference_of_standardized_means(
            here.system, pair.mean_x(population), pair.mean_y(population), pair.sd_x(population),
            pair.sd_y(population))}  # fmt: skip

    value = statistic(own.named(), whole.named())[DSM]
    error = standard_errors(derivatives(statistic, own, whole)[DSM], own, whole, own.units.system)
    return value, *limits(value, error, own.units.system - 1, "none", 0.95)


def run(design: Design, replicates: int) -> dict[str, Any]:
    """Return coverage, misses on either side and median width for every statistic of one design."""
    error = rater_sd(design.human_r)
    true = truth(error)
    step = max(1, BATCH_ROWS // design.n)
    parts: dict[str, list[Floats]] = defaultdict(list)
    for seed, start in enumerate(range(0, replicates, step)):
        found = replicate(design, error, min(step, replicates - start), seed)
        for key, numbers in found.items():
            parts[key].append(np.stack(numbers))
    result = {}
    for key in KEYS:
        value, low, high = np.concatenate(parts[key], axis=1)
        given = np.isfinite(low)
        result[key] = {
            "true": true[key],
            "bias": float(np.nanmedian(value) - true[key]),
            "coverage": float(((low <= true[key]) & (true[key] <= high))[given].mean()) if given.any() else None,
            "below": float((high < true[key])[given].mean()) if given.any() else None,
            "above": float((low > true[key])[given].mean()) if given.any() else None,
            "none": float(1 - given.mean()),
            "width": float(np.median((high - low)[given])) if given.any() else None,
        }
    return {**asdict(design), "replicates": replicates, "statistics": result}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    runner = commands.add_parser("run")
    runner.add_argument("--replicates", type=int, default=2000)
    runner.add_argument("--designs", default=",".join(map(str, range(len(DESIGNS)))))
    runner.add_argument("--file", type=Path, default=FILE)
    shower = commands.add_parser("table")
    shower.add_argument("--file", type=Path, default=FILE)
    chosen = parser.parse_args()
    if chosen.command == "table":
        print(table(read(chosen.file)))
        return
    for index in map(int, chosen.designs.split(",")):
        start = time.process_time()
        line = run(DESIGNS[index], chosen.replicates)
        kept = [each for each in read(chosen.file) if not _same(each, DESIGNS[index])]
        chosen.file.write_text("".join(json.dumps(each) + "\n" for each in [*kept, line]), encoding="utf-8")
        print(f"{DESIGNS[index]}: {time.process_time() - start:.0f} s of CPU", flush=True)


def read(file: Path) -> list[dict[str, Any]]:
    """Return the lines of earlier runs."""
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def _same(line: dict[str, Any], design: Design) -> bool:
    return all(line[key] == value for key, value in asdict(design).items())


def table(lines: list[dict[str, Any]]) -> str:
    """Return the coverage of every statistic in every design, as Markdown."""
    short = {DSM: "DSM of a group", "true_score.prmse": "PRMSE", "disattenuated.r": "r true"}
    heads = [short.get(key, key.replace("system.", "").replace("_agreement", "")) for key in KEYS]
    rows = [f"| r(h1, h2) | n | scored twice | {' | '.join(heads)} |", "|--:|--:|--:|" + "--:|" * len(heads)]
    for design in DESIGNS:
        for line in lines:
            if _same(line, design):
                cells = [_cell(line["statistics"][key], line["replicates"]) for key in KEYS]
                rows.append(f"| {design.human_r:.2f} | {design.n:,} | {design.double:,} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(found: dict[str, float], replicates: int) -> str:
    """Return coverage in percent, bold where it leaves 93 to 97 by more than Monte Carlo error; shares without one."""
    if found["coverage"] is None:
        return "none given"
    coverage = 100 * found["coverage"]
    noise = 2 * 100 * np.sqrt(0.05 * 0.95 / max(replicates * (1 - found["none"]), 1))
    text = f"**{coverage:.1f}**" if not 93 - noise <= coverage <= 97 + noise else f"{coverage:.1f}"
    return text + (f" ({100 * found['none']:.1f} % without)" if found["none"] > 0 else "")


if __name__ == "__main__":
    main()
