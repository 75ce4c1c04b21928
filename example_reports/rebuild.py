"""Make the example reports again from their inputs.

    python example_reports/rebuild.py [EXAMPLE ...] [--into FOLDER]

Every example is a folder here, made by one command (`STORIES`).  Its report.html, report.pdf and
results.json are written back beside its inputs, or into FOLDER/<example>.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
KEPT = ("report.html", "report.pdf", "results.json")
INPUTS = ("config.toml", "scores.csv")
DATE = "2026-01-15"
"""On every report, so that it is the same on any day."""

STORIES = {
    "asap2": "evaluate config.toml report",
    "biased_group": "evaluate config.toml report",
    "reported_scores": "evaluate config.toml report",
    "two_engines": "compare config.toml report",
    "three_reports": "summarize config.toml report",
    "prmse_stability": f"study prmse-stability report --created {DATE}",
    "agreement_robustness": f"study agreement-robustness report --created {DATE}",
    "rating_completion": f"study rating-completion report --created {DATE}",
    "score_impact": f"study score-impact report --responses 4000 --created {DATE}",
}
"""Example -> what is typed after ``reportgen`` in its folder; a summary comes after the reports that it is about."""


def rebuild(example: str, root: Path, target: Path) -> None:
    """Make one example in its folder below `root` and put the files that are kept into `target`.

    The run happens in a copy of the folders, so that the command that the report tells is the same
    on every machine.
    """
    folder = root / example
    folder.mkdir(exist_ok=True)
    subprocess.run([sys.executable, "-m", "reportgen", *shlex.split(STORIES[example])], cwd=folder, check=True)
    target.mkdir(parents=True, exist_ok=True)
    for name in KEPT:
        shutil.copyfile(folder / "report" / name, target / name)
    shutil.copyfile(folder / "report" / "results.json", folder / "results.json")  # where a summary finds it


def copy_inputs(root: Path) -> None:
    """Copy what examples are made from, and the results that are there, so that a summary alone can be made too."""
    for name in (*INPUTS, "results.json"):
        for path in HERE.glob(f"*/{name}"):
            folder = root / path.parent.name
            folder.mkdir(exist_ok=True)
            shutil.copy(path, folder)


def main() -> None:
    """Rebuild all examples, or those named, here or elsewhere."""
    parser = argparse.ArgumentParser(description="Make the example reports again.")
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help=f"All when none is named: {', '.join(STORIES)}.")
    parser.add_argument("--into", type=Path, default=HERE, metavar="FOLDER")
    options = parser.parse_args()
    unknown = sorted(set(options.examples) - set(STORIES))
    if unknown:
        parser.error(f"there is no example {unknown[0]!r}; the examples are {', '.join(STORIES)}")
    if options.into == HERE:
        for script in sorted(HERE.glob("*/make_scores.py")):
            subprocess.run([sys.executable, str(script)], check=True)
    with tempfile.TemporaryDirectory() as root:
        copy_inputs(Path(root))
        for example in STORIES:
            if example in options.examples or not options.examples:
                rebuild(example, Path(root), options.into / example)


if __name__ == "__main__":
    main()
