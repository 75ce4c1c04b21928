"""Measure intervals where numbers are small or scores unusual: `python benchmarks/coverage_small.py run`, then `table`.

Designs of few responses, few double scores, groups of ten, skewed scores, pass and fail, raters who hardly agree,
an engine that copies one rater, and few candidates of unequal size.  Each replicate is an item of its own in
`reportgen.item_tables`, or where candidates are the units a slice of one tally: what is measured is what reports print.
True values come from a million responses of the same population, all scored twice; those of candidates from 100,000
of them.  Every run adds to ``coverage_small.jsonl`` under the name that it is given.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

import reportgen
from reportgen.evaluation.estimates import estimate_slices
from reportgen.tally import ROUNDED, TRIMMED, ClusteredRows, tally_of

Floats = NDArray[np.float64]
Found = Mapping[str, tuple[Floats, Floats, Floats]]
"""Statistic -> value, lower and upper end in every replicate."""

FILE = Path(__file__).with_name("coverage_small.jsonl")
POPULATION, CANDIDATES = 1_000_000, 100_000
SMALLEST = 0.2
"""Share of responses in the smaller group."""

SHOWN = (
    "qwk", "r", "smd", "rmse", "kappa", "h_sd", "prmse", "true_variance", "human.r", "human.qwk", "degradation.qwk",
    "degradation.r", "degradation.adjacent_agreement", "disattenuated.r", "macro_rmse", "calibration_slope",
    "group.qwk", "group.r", "group.dsm",
)  # fmt: skip
SHORT = {
    "degradation.qwk": "degr. QWK", "degradation.r": "degr. r", "degradation.adjacent_agreement": "degr. adjacent",
    "disattenuated.r": "r true", "h_sd": "SD", "prmse": "PRMSE", "true_variance": "true variance", "qwk": "QWK",
    "smd": "SMD", "human.qwk": "human QWK", "macro_rmse": "macro RMSE", "calibration_slope": "calibration slope",
    "group.qwk": "group's QWK", "group.r": "group's r", "group.dsm": "group's DSM", "rmse": "RMSE",
}  # fmt: skip


@dataclass(frozen=True)
class Design:
    """A population and how it is sampled; `candidates` above 0 makes those the units, eight responses each or so."""

    name: str
    n: int = 200
    twice: float = 1.0
    population: str = "usual"
    candidates: int = 0

    @property
    def scale(self) -> tuple[int, int]:
        """Lowest and highest score."""
        return (0, 1) if self.population == "pass/fail" else (1, 6)

    @property
    def double(self) -> int:
        """Responses of a sample that are scored twice."""
        return round(self.n * self.twice)


DESIGNS = (
    Design("n 50", 50),
    Design("n 50, 20 % twice", 50, 0.2),
    Design("n 200"),
    Design("n 200, 20 % twice", twice=0.2),
    Design("n 1,000, 20 % twice", 1000, 0.2),
    Design("skewed, n 200", population="skewed"),
    Design("pass/fail, n 200", population="pass/fail"),
    Design("raters r .32, 20 % of 200 twice", twice=0.2, population="raters disagree"),
    Design("97 % copies, n 200", population="copies"),
    Design("20 candidates", candidates=20),
    Design("40 candidates", candidates=40),
)


def scores(
    population: str, n: int, rng: np.random.Generator, small: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return engine scores and two ratings of n responses; those of the `small` group are .4 SDs lower."""
    if population == "pass/fail":
        ability = rng.normal(0.4, 1, n) - 0.4 * small
        human = (ability[:, None] + rng.normal(0, 0.6, (n, 2)) > 0) * 1.0
        return (ability + rng.normal(0, 0.6, n) > 0) * 1.0, human
    if population == "skewed":
        true = np.minimum(1.2 + rng.gamma(1.0, 0.7, n) - 0.2 * small, 6)
        error, engine = 0.4, 0.35
    else:
        true = np.clip(rng.normal(3.844, 0.74, n) - 0.3 * small, 1, 6)
        error, engine = 1.0 if population == "raters disagree" else 0.5, 0.33
    human = np.clip(np.rint(true[:, None] + rng.normal(0, error, (n, 2))), 1, 6)
    if population == "copies":
        moved = (rng.random(n) < 0.03) * rng.choice([-1.0, 1.0], n)
        return np.clip(human[:, 0] + moved, 1, 6), human
    return true + rng.normal(0, engine, n), human


def clustered_scores(candidates: int, rng: np.random.Generator) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Return engine scores, two ratings and the candidate of responses; half the variance lies between candidates."""
    size = np.maximum(np.rint(rng.lognormal(np.log(8) - 0.18, 0.6, candidates)), 1).astype(np.intp)
    who, n = np.repeat(np.arange(candidates), size), int(size.sum())
    ability = rng.normal(0, np.sqrt(0.5), candidates)[who] + rng.normal(0, np.sqrt(0.5), n)
    true = np.clip(3.844 + 0.74 * ability, 1, 6)
    human = np.clip(np.rint(true[:, None] + rng.normal(0, 0.5, (n, 2))), 1, 6)
    return true + rng.normal(0, 0.2, candidates)[who] + rng.normal(0, 0.27, n), human, who


def by_item(design: Design, samples: int, n: int, double: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return value and ends of every statistic of samples of n responses, as `reportgen tables` has them."""
    small = np.tile(np.arange(n) < SMALLEST * n, samples)
    system, human = scores(design.population, samples * n, rng, small)
    order = np.argsort(rng.random((samples, n)), axis=1).ravel()  # who is scored twice, in whatever group
    human[order >= double, 1] = np.nan
    columns = {
        "item": np.repeat([f"{sample:05}" for sample in range(samples)], n), "system": system, "h1": human[:, 0],
        "h2": human[:, 1], "group": np.where(small, "small", "large"),
    }  # fmt: skip
    low, high = design.scale
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scores.parquet"
        parquet.write_table(pa.table(columns), file)
        made = reportgen.item_tables(
            file,
            by="item",
            system="system",
            human=("h1", "h2"),
            groups=("group",),
            scale=f"{low}:{high}",
            exclude_zero_scores=False,
        )
    tables = {table.key: table.frame() for table in made.tables}
    return dict(_columns(tables))


def _columns(tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple[str, tuple[Floats, Floats, Floats]]]:
    """Yield every statistic of the primary scores, trimmed; kappa and agreement of rounded ones."""

    def ends(frame: pd.DataFrame, column: str) -> tuple[Floats, Floats, Floats]:
        return tuple(frame[column + end].to_numpy(float) for end in ("", "_low", "_high"))  # type: ignore[return-value]

    def form(key: str, rounded: bool = False) -> pd.DataFrame:
        types = list(dict.fromkeys(tables[key]["score_type"]))
        chosen: pd.DataFrame = tables[key][tables[key]["score_type"] == types[-1 if rounded else -2]]
        return chosen

    for column in ("qwk", "r", "rmse"):
        yield column, ends(form("system_human.association"), column)
    descriptives = form("system_human.descriptives")
    yield "h_sd", ends(descriptives, "human_sd")
    yield "smd", ends(descriptives, "smd")
    yield "kappa", ends(form("system_human.agreement", True), "kappa")
    for column in ("prmse", "true_variance"):
        yield column, ends(form("true_score.prmse"), column)
    for column in ("qwk", "r"):
        yield f"human.{column}", ends(tables["human_human.agreement"], column)
    degradation = tables["human_human.degradation"]
    for key in ("qwk", "r", "adjacent_agreement"):
        yield f"degradation.{key}", ends(degradation[degradation["metric"] == key], "difference")
    yield "disattenuated.r", ends(form("human_human.disattenuated"), "corr_disattenuated")
    overall = tables["levels.overall"]
    for key in ("macro_rmse", "calibration_slope"):
        yield key, ends(overall[overall["statistic"] == f"levels.{key}"], "value")
    if "by_group" in tables:  # groups of fewer than ten are withheld
        group = tables["by_group"]
        group = group[group["level"] == "small"]
        for key in ("qwk", "r", "dsm"):
            yield f"group.{key}", ends(group, key)


def by_candidate(candidates: int, samples: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return value and ends of every statistic of samples of so many candidates."""
    system, human, who = clustered_scores(samples * candidates, rng)
    names = [f"{sample:05}" for sample in range(samples)]
    groups = {"sample": (who // candidates, names)}
    tally = tally_of(system, human, groups, (0.5002, 6.4998))
    rows = ClusteredRows.of(tally, system, human, groups, who)
    trimmed, rounded = (estimate_slices(tally, "sample", form, 0.95, None, rows).numbers for form in (TRIMMED, ROUNDED))
    found = {}
    for key in ("qwk", "r", "smd", "rmse", "kappa", "h_sd"):
        found[key] = (rounded if key == "kappa" else trimmed)[f"system.{key}"]
    for key in ("human.qwk", "human.r", "degradation.qwk", "degradation.r", "disattenuated.r"):
        found[key] = trimmed[key]
    found["degradation.adjacent_agreement"] = rounded["degradation.adjacent_agreement"]
    for key in ("prmse", "true_variance"):
        found[key] = trimmed[f"true_score.{key}"]
    return {key: (each.value, each.low, each.high) for key, each in found.items()}


def run(design: Design, replicates: int, seed: int = 1) -> dict[str, Any]:
    """Return coverage, misses on either side and the share without an interval for every statistic of a design."""
    rng = np.random.default_rng([seed, DESIGNS.index(design)])
    if design.candidates:
        truth, found = by_candidate(CANDIDATES, 1, rng), by_candidate(design.candidates, replicates, rng)
    else:
        truth = by_item(design, 1, POPULATION, POPULATION, rng)
        found = by_item(design, replicates, design.n, design.double, rng)
    made = {}
    for key in SHOWN:
        if key not in found or not len(truth[key][0]):
            continue
        true, (_, low, high) = float(truth[key][0][0]), found[key]
        given = np.isfinite(low) & np.isfinite(high)
        low, high = low[given], high[given]
        made[key] = {
            "true": true,
            "coverage": float(((low <= true) & (true <= high)).mean()) if len(low) else None,
            "below": float((high < true).mean()) if len(low) else None,
            "above": float((low > true).mean()) if len(low) else None,
            "none": 1 - len(low) / replicates,
            "width": float(np.median(high - low)) if len(low) else None,
        }
    return {"design": design.name, "replicates": replicates, "statistics": made}


def main() -> None:
    """Run designs, or print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, dest="command")
    runner = commands.add_parser("run")
    runner.add_argument("--replicates", type=int, default=1000)
    runner.add_argument("--designs", default=",".join(map(str, range(len(DESIGNS)))))
    runner.add_argument("--name", default="after", help="What the lines are kept under.")
    runner.add_argument("--seed", type=int, default=1)
    runner.add_argument("--file", type=Path, default=FILE)
    shower = commands.add_parser("table")
    shower.add_argument("--file", type=Path, default=FILE)
    chosen = parser.parse_args()
    lines = _lines(chosen.file)
    if chosen.command == "table":
        print(table(lines))
        return
    for index in map(int, chosen.designs.split(",")):
        start, design = time.process_time(), DESIGNS[index]
        line = {"name": chosen.name, **run(design, chosen.replicates, chosen.seed)}
        lines = [each for each in lines if (each["name"], each["design"]) != (chosen.name, design.name)] + [line]
        chosen.file.write_text("".join(json.dumps(each) + "\n" for each in lines), encoding="utf-8")
        print(f"{design.name}: {time.process_time() - start:.0f} s of CPU", flush=True)


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def table(lines: list[dict[str, Any]]) -> str:
    """Return the coverage of every statistic in every design under every name, as Markdown."""
    names = list(dict.fromkeys(line["name"] for line in lines))
    made = {(line["name"], line["design"]): line for line in lines}
    designs = [design.name for design in DESIGNS if any((name, design.name) in made for name in names)]
    rows = ["| statistic | | " + " | ".join(designs) + " |", "|---|---|" + "--:|" * len(designs)]
    for key in SHOWN:
        for name in names:
            cells = [_cell(made.get((name, design)), key) for design in designs]
            rows.append(f"| {SHORT.get(key, key) if name == names[0] else ''} | {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def _cell(line: dict[str, Any] | None, key: str) -> str:
    """Return coverage in percent, bold where it leaves 93 to 97 by more than Monte Carlo error; shares without one."""
    found = line["statistics"].get(key) if line else None
    if line is None or found is None:
        return ""
    if found["coverage"] is None or found["none"] > 0.98:
        return "none"
    coverage, given = 100 * found["coverage"], line["replicates"] * (1 - found["none"])
    noise = 200 * np.sqrt(0.05 * 0.95 / given)
    text = f"{coverage:.1f}" if 93 - noise <= coverage <= 97 + noise else f"**{coverage:.1f}**"
    return text + (f" ({100 * found['none']:.0f} % none)" if found["none"] > 0.005 else "")


if __name__ == "__main__":
    main()
