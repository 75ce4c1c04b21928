"""How time grows with the number of groups: CPU seconds of `evaluate --formats html`, and the share of suppression.

python benchmarks/growth.py [GROUPS ...]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time

import numpy as np
import pandas as pd

from reportgen.privacy import Partition, withheld

RESPONSES = 20


def measured(groups: int, folder: Path) -> tuple[float, float]:
    """Return CPU seconds of a report of so many groups, and of deciding what is withheld from them."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(groups), RESPONSES)
    human = rng.integers(1, 7, len(group))
    frame = pd.DataFrame({"human": human, "system": np.clip(human + rng.normal(0, 0.7, len(group)), 1, 6).round(3)})
    frame.assign(school=group).to_csv(folder / f"{groups}.csv", index=False)
    command = ["evaluate", f"{groups}.csv", f"report{groups}", "--formats", "html", "--group", "school"]
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "reportgen", *command], cwd=folder, check=True, capture_output=True)
    after, begun = getrusage(RUSAGE_CHILDREN), process_time()
    withheld([Partition(group, groups), Partition(rng.integers(0, 2, len(group)), 2)], 10)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, process_time() - begun


def main() -> None:
    """Print a line for every number of groups."""
    with tempfile.TemporaryDirectory() as folder:
        for groups in map(int, sys.argv[1:] or ("100", "1000", "5000")):
            report, decision = measured(groups, Path(folder))
            print(f"{groups:,} groups: {report:.1f} CPU s, {1000 * decision:.0f} ms of them to decide what is withheld")


if __name__ == "__main__":
    main()
