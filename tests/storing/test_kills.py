"""A run that is killed leaves the old report or the new one, and the next command says where it is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import refused
from replaced_reports import NEW, OLD, content, earlier_report, replace

import reportgen
from reportgen.errors import InputError, OutputError
from reportgen.storing import report_folder

KILLED_AT_EVERY_STEP = """
import os, shutil, signal, sys
from itertools import count
from pathlib import Path
from reportgen.storing import report_folder

STEPS = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.chmod", "shutil.rmtree"}

def replace(out, step):
    seen = [0]
    def watch(event, _):
        seen[0] += event in STEPS
        if event in STEPS and seen[0] == step:
            os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(watch)
    with report_folder.staged(out, force=True) as stage:
        for name in report_folder.OWN_FILES:
            (stage / name).write_text("new")

for step in count(1):
    out = Path(str(step), "out")
    shutil.copytree("out", out, symlinks=True)
    child = os.fork()
    if not child:
        try:
            replace(out, step)
        finally:
            os._exit(0)
    if os.waitpid(child, 0)[1] != signal.SIGKILL:
        break
"""


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    return earlier_report(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is killed so here")
def test_a_kill_at_any_step_leaves_the_old_report_or_the_new_one(earlier: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED_AT_EVERY_STEP], cwd=tmp_path, check=True)
    between, steps = 0, sorted(int(path.name) for path in tmp_path.iterdir() if path != earlier)
    for step in steps:
        out, previous = (tmp_path / str(step) / name for name in ("out", "out.previous"))
        if out.exists():
            own = {name: text for name, text in content(out).items() if name in report_folder.OWN_FILES}
            assert own in ((OLD, NEW) if step < steps[-1] else (NEW,))
            assert (out / "notes" / "mine.html").read_text() == "mine"
            continue
        between += 1
        assert content(previous) == content(earlier)
        with pytest.raises(OutputError, match=r"rename 'out.previous' to 'out'"):
            report_folder.check(out, force=True)
        with pytest.raises(InputError, match=r"rename 'out.previous' to 'out'"):
            reportgen.load(out)
    assert len(steps) > 10
    assert between == 1
    assert [path.name for path in (tmp_path / str(steps[-1])).iterdir()] == ["out"]


def test_what_a_killed_run_left_beside_a_whole_report_is_told_and_not_touched(earlier: Path) -> None:
    previous = earlier.with_name("out.previous")
    previous.mkdir()
    (previous / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"complete\); delete 'out.previous'"):
        replace(earlier)
    assert content(previous) == {"mine.txt": "mine"}
    assert content(earlier)["report.html"] == "old"


@pytest.mark.parametrize("command", ["check out", "verify out", "render out/results.json pages", "compare out out2"])
def test_commands_that_read_say_where_the_report_is(tmp_path: Path, command: str) -> None:
    (tmp_path / "out.previous").mkdir()
    assert "which an interrupted run may have left" in refused(*command.split(), cwd=tmp_path)
