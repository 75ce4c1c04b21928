"""Measure reportgen and the peer, rsmeval, on the same files in one run.

    python benchmarks/side_by_side.py run [--jobs help,200] [--tools reportgen,rsmeval] [--runs 5]
    python benchmarks/side_by_side.py table

`run` takes the tools in turn, so that both meet the same load of the machine, and appends every
run to runs.jsonl beside this file.  `table` prints medians of those runs, and the median of the
ratios of runs made one after the other.  The peer's command is taken from --peer or the
environment variable RSMEVAL; how to install it is told in README.md.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from make_scores import write, write_peer_settings
from measure import Usage, measure

HERE = Path(__file__).parent
RUNS = HERE / "runs.jsonl"
SEED = 20240601


@dataclass(frozen=True)
class Job:
    """One thing to measure: the arguments of each tool, with {data} and {out} to be filled in."""

    label: str
    reportgen: str
    rsmeval: str = ""
    rows: int = 0


EVALUATE = "evaluate {data}/scores.csv {out} --formats"
JOBS = {
    "help": Job("`--help`", "--help", "--help"),
    "200": Job("200 rows to HTML", EVALUATE + " html", "{data}/rsmeval.json {out}", 200),
    "200-pdf": Job("200 rows to HTML and PDF", EVALUATE + " html,pdf", "", 200),
    "10k": Job("10,000 rows to HTML", EVALUATE + " html", "{data}/rsmeval.json {out}", 10_000),
    "100k": Job("100,000 rows to HTML", EVALUATE + " html", "{data}/rsmeval.json {out}", 100_000),
    "1m": Job("1,000,000 rows to HTML", EVALUATE + " html", "{data}/rsmeval.json {out}", 1_000_000),
}


def command(tool: str, job: Job, program: str, data: Path, out: Path) -> list[str]:
    """Return the command line of one run."""
    arguments = job.reportgen if tool == "reportgen" else job.rsmeval
    return [*program.split(), *(word.format(data=data, out=out) for word in arguments.split())]


def prepare(job: Job, folder: Path) -> Path:
    """Return the folder with the job's scores and the peer's configuration: real for 200 rows, else synthetic."""
    data = folder / str(job.rows)
    if job.rows == 200:
        data.mkdir(exist_ok=True)
        scores = Path(shutil.copy(HERE.parent / "example_reports" / "asap2" / "scores.csv", data))
        write_peer_settings(scores, human_score_column="human", second_human_score_column="human2", id_column="ID")
    elif job.rows and not data.exists():
        write(job.rows, data, "csv", SEED)
    return data


def run(options: argparse.Namespace) -> None:
    """Measure the chosen jobs and append each run to the log."""
    programs = {"reportgen": options.reportgen, "rsmeval": options.peer}
    for key, number in itertools.product(options.jobs.split(","), range(options.runs)):
        job = JOBS[key]
        data = prepare(job, options.data)
        for tool in options.tools.split(","):
            if tool == "rsmeval" and not job.rsmeval:
                continue
            with tempfile.TemporaryDirectory() as folder, (options.data / "log.txt").open("ab") as log:
                line = command(tool, job, programs[tool], data, Path(folder) / "out")
                usage = measure(line, log=log)
            record = {"job": key, "tool": tool, **asdict(usage)}
            print(f"{key} {tool} run {number + 1}: {usage.cpu:.2f} s CPU, {usage.memory:.0f} MB", flush=True)
            with RUNS.open("a", encoding="utf-8") as runs:
                runs.write(json.dumps(record) + "\n")


def logged() -> dict[str, dict[str, list[Usage]]]:
    """Return all runs by job and tool, in the order they were made."""
    runs: dict[str, dict[str, list[Usage]]] = defaultdict(lambda: defaultdict(list))
    for line in RUNS.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        job, tool = record.pop("job"), record.pop("tool")
        runs[job][tool].append(Usage(**record))
    return runs


def row(label: str, ours: list[Usage], theirs: list[Usage]) -> str:
    """Return one line of the table; a ratio is how many times the peer's cost ours is."""
    cells = [label]
    for runs in (ours, theirs):
        cpu = [usage.cpu for usage in runs]
        memory = [usage.memory for usage in runs]
        cells.append(f"{statistics.median(cpu):.2f} ({len(cpu)})" if runs else "")
        cells.append(f"{statistics.median(memory):,.0f}" if runs else "")
    pairs = list(zip(ours, theirs, strict=False))
    cells.append(f"{statistics.median(peer.cpu / mine.cpu for mine, peer in pairs):.1f}" if pairs else "")
    cells.append(f"{statistics.median(peer.memory / mine.memory for mine, peer in pairs):.1f}" if pairs else "")
    return "| " + " | ".join(cells) + " |"


def table() -> None:
    """Print the runs as a Markdown table."""
    print("| | reportgen CPU s (runs) | MB | rsmeval CPU s (runs) | MB | CPU, times less | memory, times less |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    runs = logged()
    for key, job in JOBS.items():
        if key in runs:
            print(row(job.label, runs[key]["reportgen"], runs[key]["rsmeval"]))


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure reportgen and rsmeval on the same files.")
    parser.add_argument("verb", choices=("run", "table"))
    parser.add_argument("--jobs", default="help,200,200-pdf,10k", help="of " + ",".join(JOBS))
    parser.add_argument("--tools", default="reportgen,rsmeval")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--reportgen", default=str(Path(sys.executable).with_name("reportgen")))
    parser.add_argument("--peer", default=os.environ.get("RSMEVAL", "rsmeval"))
    parser.add_argument("--data", type=Path, default=Path(tempfile.gettempdir()) / "reportgen_benchmarks")
    options = parser.parse_args()
    options.data.mkdir(parents=True, exist_ok=True)
    table() if options.verb == "table" else run(options)


if __name__ == "__main__":
    main()
