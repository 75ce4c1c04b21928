"""Fuzz the command line with hostile input of every kind.

From the folder ``tests``::

    python -m fuzz --cases 2000 --seed 5 --work /tmp/fuzz    # a long run; findings are kept below /tmp/fuzz/found
    python -m fuzz --seed 5 --case 1234 --work /tmp/fuzz     # repeat one case and show its command and output
    python -m fuzz --cases 200 --only query --work /tmp/fuzz # one kind of input

The seed, the number, and the kind determine a case, so you can repeat it.  For a finding, the folder is kept as the
command left it, with the command line and its output in ``CASE.txt``.  The exit code is 1 if there is a finding.
"""

import argparse
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzz import guests, harness, judging, kinds, stored
from fuzz.cases import Case, Kind
from fuzz.pieces import Draw
from fuzz.sound import Sound

KINDS: dict[Kind, int] = {
    kinds.scores: 30, kinds.judge: 9, kinds.configuration: 8, kinds.rsmeval: 5, kinds.rsmtool_runs: 3, kinds.policy: 6,
    kinds.batch: 3, kinds.batch_again: 2, kinds.item_tables: 7, kinds.init: 4, kinds.complete: 2, kinds.study: 1,
    kinds.file_names: 3, kinds.query: 4, kinds.command_lines: 5, stored.check: 8, stored.verify: 4, stored.plan: 3,
    stored.compare: 3, stored.render: 3, stored.packet: 2, stored.notebook_outputs: 2, stored.planted: 5,
    guests.template: 3, guests.section: 4,
}  # fmt: skip
"""Kind of input -> relative frequency."""

ALIKE = 2
"""Most findings to keep for each kind and sort."""


class Run:
    """The cases of one seed and their findings."""

    def __init__(self, work: Path, seed: int, only: str = "") -> None:
        self.seed, self.root, self.found = seed, work / f"case-{os.getpid()}", work / "found"
        self.kinds = [kind for kind, times in KINDS.items() for _ in range(times) if only in ("", kind.__name__)]
        self.codes: Counter[int] = Counter()
        self.signs: Counter[str] = Counter()
        self.slowest = (0.0, "")
        self.work = work
        self._empty()
        self.sound = Sound(work / "sound", self._make)

    def case(self, number: int, again: bool = False) -> None:
        """Make and run a case, and keep it if it is a finding."""
        self._empty()
        draw = Draw(f"{self.seed}:{number}")
        kind = draw.choice(self.kinds)
        case = kind(draw, self.root / "work", self.sound)
        did = harness.run(case.arguments, self.root)
        signs = judging.findings(case, did, self.root)
        self.codes[did.code] += 1
        self.slowest = max(self.slowest, (did.seconds, f"{kind.__name__} {number}"))
        told = _told(case, did, signs)
        if again:
            sys.stdout.buffer.write(told.encode("utf-8", "backslashreplace"))
        for sign in signs:
            self.signs[f"{kind.__name__}: {sign}"] += 1
        if signs and self.signs[f"{kind.__name__}: {signs[0]}"] <= ALIKE:
            self._keep(f"{self.seed}-{number}-{kind.__name__}-{'-'.join(signs).replace(' ', '_')}", told)

    def summary(self) -> str:
        """Summarize the cases, their exit codes, and the findings."""
        codes = ", ".join(f"{code}: {n}" for code, n in sorted(self.codes.items()))
        signs = "".join(f"\n  {sign}: {n}" for sign, n in self.signs.most_common())
        seconds, name = self.slowest
        ends = f"seed {self.seed}, {self.codes.total()} cases, exit codes {{{codes}}}, slowest {name} ({seconds:.1f} s)"
        return f"{ends}, findings: {self.signs.total()}{signs}"

    def end(self) -> None:
        """Remove everything except findings and files for the next run."""
        shutil.rmtree(self.root, ignore_errors=True)

    def _empty(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        for name in ("work", "home", "tmp"):
            (self.root / name).mkdir(parents=True)
        (self.root / "home" / ".bashrc").write_text("mine")
        (self.root / "home" / "private.csv").write_text("id,h1,engine\nZQIDSECRET,1,2\n")

    def _make(self, command: list[str], place: Path) -> int:
        """Run a command in a folder of valid input; return its exit code."""
        (self.root / "work").rmdir()
        (self.root / "work").symlink_to(place.absolute())
        code = harness.run(command, self.root).code
        (self.root / "work").unlink()
        (self.root / "work").mkdir()
        return code

    def _keep(self, name: str, told: str) -> None:
        place = self.found / name[:120]
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        (place / "CASE.txt").write_bytes(told.encode("utf-8", "backslashreplace"))
        for path in (self.root / "work").rglob("*"):
            to = place / "work" / path.relative_to(self.root / "work")
            if path.is_file() and not path.is_symlink():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, to)


def _told(case: Case, did: harness.Did, signs: list[str]) -> str:
    """Describe the command and its result."""
    typed = shlex.join(case.arguments)[:4000]
    cost = f"exit code {did.code}, {did.seconds:.1f} s, {did.megabytes:.0f} MB, {signs}"
    return f"reportgen {typed}\n{cost}\n--- output\n{did.output[:9000]}\n--- errors\n{did.errors[:9000]}\n"


def main() -> None:
    """Run the requested cases."""
    parser = argparse.ArgumentParser(prog="python -m fuzz")
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="run this case alone, and say what it says")
    parser.add_argument("--only", default="", choices=["", *(kind.__name__ for kind in KINDS)])
    parser.add_argument("--work", type=Path, help="where findings are kept; a temporary folder when left out")
    asked = parser.parse_args()
    work = asked.work or Path(tempfile.mkdtemp(prefix="fuzz-"))
    harness.load()
    run, begin = Run(work, asked.seed, asked.only), time.monotonic()
    for number in range(asked.cases) if asked.case is None else [asked.case]:
        run.case(number, again=asked.case is not None)
    run.end()
    print(run.summary())
    print(f"{time.monotonic() - begin:.0f} s; findings are kept in {work / 'found'}")
    sys.exit(bool(run.signs))


if __name__ == "__main__":
    main()
