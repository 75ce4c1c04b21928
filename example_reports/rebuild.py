"""Make the example reports again from their configurations.

    python example_reports/rebuild.py [--into FOLDER]

Each folder here with a config.toml is an example.  Its report.html, report.pdf and results.json
are written back beside the configuration, or into FOLDER/<example>.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
KEPT = ("report.html", "report.pdf", "results.json")


def examples() -> list[Path]:
    """Return the folders of all examples, by name."""
    return sorted(path.parent for path in HERE.glob("*/config.toml"))


def rebuild(example: Path, target: Path) -> None:
    """Evaluate one example and put the files that are kept into `target`.

    The run happens in a copy of the folder, so that the command that the report tells is the same
    on every machine.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name in ("config.toml", "scores.csv"):
            shutil.copy(example / name, folder)
        command = [sys.executable, "-m", "reportgen", "evaluate", "config.toml", "report"]
        subprocess.run(command, cwd=folder, check=True)
        target.mkdir(parents=True, exist_ok=True)
        for name in KEPT:
            shutil.copyfile(Path(folder, "report", name), target / name)


def main() -> None:
    """Rebuild every example, here or elsewhere."""
    parser = argparse.ArgumentParser(description="Make the example reports again.")
    parser.add_argument("--into", type=Path, default=HERE, metavar="FOLDER")
    options = parser.parse_args()
    if options.into == HERE:
        subprocess.run([sys.executable, str(HERE / "biased_group" / "make_scores.py")], check=True)
    for example in examples():
        rebuild(example, options.into / example.name)


if __name__ == "__main__":
    main()
