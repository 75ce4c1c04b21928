"""A command killed at any of its file-system calls leaves the old files or the new ones, and the next run no rest.

A few calls of each command; ``REPORTGEN_KILLS=9999`` tries them all, ``REPORTGEN_KILLS=50`` fifty of them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from command import COPIES
from command import reportgen as run
from kill_points import killed

pytest.importorskip("fcntl")
MOST = int(os.environ.get("REPORTGEN_KILLS", "2"))
DATA = "id,item,human,human2,system\n" + "".join(
    f"r{i},{'ab'[i % 2]},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(60)
)
COMMANDS = (
    "evaluate s.csv out --title New --tables-only --scale 1:5 --force --quiet",
    "evaluate s.csv new --tables-only --scale 1:5 --quiet",
    "tables s.csv items --by item --scale 1:5 --force --also panel --quiet",
    "batch s.csv all --by item --scale 1:5 --tables-only --quiet",
    "compare out out2 --out comparison --formats html --force --quiet",
    "render out/results.json pages --formats html --force --quiet",
    "init s.csv --out config.toml --force",
)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which every command has run before, with another outcome."""
    work = tmp_path_factory.mktemp("work")
    (work / "s.csv").write_text(DATA)
    for out, title in (("out", "Old"), ("out2", "Other")):
        run(*f"evaluate s.csv {out} --title {title} --tables-only --scale 1:5 --quiet".split(), cwd=work)
    run(*["tables", "s.csv", "items", "--by", "item", "--scale", "1:5", "--quiet"], cwd=work)
    run(*["compare", "out", "out2", "--out", "comparison", "--title", "Old", "--formats", "html", "--quiet"], cwd=work)
    (work / "config.toml").write_text("old")
    return work


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_killed_leaves_the_old_or_the_new(work: Path, command: str, tmp_path: Path) -> None:
    told = tmp_path / "told"
    process = COPIES.Process(target=killed, args=(work, MOST, command.split(), told))
    process.start()
    process.join()
    assert process.exitcode == 0
    found = [json.loads(line) for line in told.read_text().splitlines()]
    assert len(found) > 1
    codes = {each["code"] for each in found}
    assert -9 in codes
    assert codes <= ({-9, 0} if command.startswith("batch") else {-9})  # which makes a call fewer when it is quick
    assert not [each for each in found if each["torn"] or each["hidden"]]
    assert {each["whole"] for each in found} == {"new"}
    assert {each["again"] for each in found} <= {0, 2}
    if not command.startswith("batch"):  # its reports come one after the other
        assert {each["recovered"] for each in found} <= {"old", "new"}, found
