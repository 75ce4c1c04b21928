"""Test that a killed run leaves the old or the new report, and that the next command locates it."""

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
def test_kill_at_any_step_leaves_one_whole_report(earlier: Path, tmp_path: Path) -> None:
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


def test_leftovers_next_to_whole_report_are_kept_with_note(earlier: Path) -> None:
    previous = earlier.with_name("out.previous")
    previous.mkdir()
    (previous / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"complete\); delete 'out.previous'"):
        replace(earlier)
    assert content(previous) == {"mine.txt": "mine"}
    assert content(earlier)["report.html"] == "old"


@pytest.mark.parametrize("command", ["check out", "verify out", "render out/results.json pages", "compare out out2"])
def test_reading_commands_locate_report_after_kill(tmp_path: Path, command: str) -> None:
    (tmp_path / "out.previous").mkdir()
    assert "which an interrupted run may have left" in refused(*command.split(), cwd=tmp_path)
