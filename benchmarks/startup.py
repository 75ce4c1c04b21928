"""Show which packages the start of a command spends its time on.

    python benchmarks/startup.py [evaluate scores.csv out --formats html]

Runs reportgen with these arguments (200 rows to HTML when none are given) under
``python -X importtime`` and prints the time that each top-level package spent in its own modules.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+([\w.]+)")
SCORES = Path(__file__).parent.parent / "example_reports" / "asap2" / "scores.csv"
SHOWN = 20


def own_times(arguments: list[str]) -> Counter[str]:
    """Return the microseconds that each top-level package spent importing its own modules."""
    command = [sys.executable, "-X", "importtime", "-m", "reportgen", *arguments]
    trace = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    times: Counter[str] = Counter()
    for microseconds, module in LINE.findall(trace):
        times[module.partition(".")[0]] += int(microseconds)
    return times


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "out")
        times = own_times(sys.argv[1:] or ["evaluate", str(SCORES), out, "--formats", "html"])
    print(f"{'all imports':<24} {times.total() / 1000:8.0f} ms")
    for package, microseconds in times.most_common(SHOWN):
        print(f"{package:<24} {microseconds / 1000:8.0f} ms")


if __name__ == "__main__":
    main()
