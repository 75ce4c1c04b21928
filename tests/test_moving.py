"""The files of a report are replaced as a whole: all of them, or none."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from reportgen import mending, output
from reportgen.errors import OutputError

DATA = "id,human,human2,system\n" + "".join(
    f"r{i},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(40)
)


def write_all(folder: Path, word: str, names: tuple[str, ...] = output.OWN_FILES) -> None:
    for name in names:
        (folder / name).write_text(word)


def content(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("failing", range(2 * len(output.OWN_FILES)))
def test_a_replacement_that_fails_anywhere_leaves_the_earlier_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    write_all(tmp_path, "old")
    (tmp_path / "mine.txt").write_text("mine")
    before, moved, replace = content(tmp_path), [0], Path.replace

    def refuse_one(self: Path, target: Path) -> Path:
        moved[0] += 1
        if moved[0] == failing + 1:
            raise PermissionError(1, "Operation not permitted")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse_one)
    with pytest.raises(OutputError, match="not permitted"), output.staged(tmp_path, force=True) as stage:
        write_all(stage, "new")
    assert content(tmp_path) == before
    monkeypatch.undo()
    with output.staged(tmp_path, force=True) as stage:
        write_all(stage, "new")
    assert content(tmp_path) == {**dict.fromkeys(output.OWN_FILES, "new"), "mine.txt": "mine"}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*output.OWN_FILES, "mine.txt"])


def test_an_interruption_while_folders_are_made_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mkdir = Path.mkdir

    def interrupted(self: Path, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        mkdir(self, mode, parents, exist_ok)
        if self == tmp_path / "out" / "part" / "tables":
            raise KeyboardInterrupt

    def write() -> None:
        with output.staged(tmp_path / "out") as stage:
            (stage / "part" / "tables").mkdir(parents=True)
            (stage / "part" / "tables" / "one.csv").write_text("1")
            monkeypatch.setattr(Path, "mkdir", interrupted)

    with pytest.raises(KeyboardInterrupt):
        write()
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_put_back_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(tmp_path, "old")
    replace = Path.replace

    def refuse_the_new(self: Path, target: Path) -> Path:
        if self.parent.name in ("new", "old"):
            raise PermissionError(1, "Operation not permitted")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refuse_the_new)
    with pytest.raises(OutputError, match="reportgen-kept-"), output.staged(tmp_path, force=True) as stage:
        write_all(stage, "new")
    (kept,) = tmp_path.glob("reportgen-kept-*")
    assert content(kept / "old") == dict.fromkeys(output.OWN_FILES, "old")


def test_of_two_runs_at_once_one_is_refused(tmp_path: Path) -> None:
    late = ExitStack()
    write_all(late.enter_context(output.staged(tmp_path / "out")), "late")
    with output.staged(tmp_path / "out") as early:
        write_all(early, "early")
    with pytest.raises(OutputError, match="already holds a report"):
        late.close()
    assert set(content(tmp_path / "out").values()) == {"early"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_forced_runs_at_once_leave_the_report_of_one(tmp_path: Path) -> None:
    def make(word: str) -> None:
        for _ in range(5):
            with output.staged(tmp_path / "out", force=True) as stage:
                write_all(stage, word)

    threads = [threading.Thread(target=make, args=(word,)) for word in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(content(tmp_path / "out").values())) == 1
    assert sorted(content(tmp_path)) == sorted(f"out/{name}" for name in output.OWN_FILES)


def test_the_folder_is_the_one_that_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with output.staged(Path("out")) as stage:
        os.chdir("elsewhere")
        write_all(stage, "new")
    assert (tmp_path / "out/report.html").is_file()


KILLED = """
import os, signal, sys
from pathlib import Path
from reportgen import mending, output
moved, replace = [0], Path.replace
def killing(self, target):
    if moved[0] == int(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)
    moved[0] += 1
    return replace(self, target)
Path.replace = killing
with output.staged(Path("out"), force=True) as stage:
    for name in (*output.OWN_FILES, "tables/new.csv"):
        (stage / name).parent.mkdir(exist_ok=True)
        (stage / name).write_text("new")
"""


@pytest.mark.parametrize("at", [0, 1, len(output.OWN_FILES), len(output.OWN_FILES) + 3, 2 * len(output.OWN_FILES)])
@pytest.mark.parametrize("earlier", [True, False])
def test_a_run_that_is_killed_while_it_replaces_is_undone_by_the_next(tmp_path: Path, at: int, earlier: bool) -> None:
    pytest.importorskip("fcntl")
    out = tmp_path / "out"
    if earlier:
        out.mkdir()
        write_all(out, "old")
        (out / "mine.txt").write_text("mine")
    elif at > len(output.OWN_FILES):
        pytest.skip("nothing is set aside, so there are fewer moves")
    before = content(tmp_path)
    done = subprocess.run([sys.executable, "-c", KILLED, str(at)], cwd=tmp_path, check=False, capture_output=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert content(tmp_path) != before
    if earlier:
        with pytest.raises(OutputError, match="already holds a report"):
            output.check(out)
    else:
        output.check(out)
    assert content(tmp_path) == before
    assert not list(tmp_path.rglob(".reportgen-*"))
    with output.staged(out, force=True) as stage:
        write_all(stage, "newer")
    assert content(out) == {**dict.fromkeys(output.OWN_FILES, "newer"), **({"mine.txt": "mine"} if earlier else {})}


def test_a_run_that_lives_is_not_taken_for_a_killed_one(tmp_path: Path) -> None:
    write_all(tmp_path, "old")
    with output.staged(tmp_path, force=True) as stage:
        write_all(stage, "new")
        with pytest.raises(OutputError, match="already holds"):
            output.check(tmp_path)
        assert content(stage) == dict.fromkeys(output.OWN_FILES, "new")
    assert content(tmp_path) == dict.fromkeys(output.OWN_FILES, "new")


@pytest.mark.parametrize("note", ['{"folder": "out", "new": ["../kept.txt"]}', '{"folder": "else", "new": []}', "[1]"])
def test_a_note_that_no_run_wrote_moves_nothing_elsewhere(tmp_path: Path, note: str) -> None:
    out, aside = tmp_path / "out", tmp_path / "out" / ".reportgen-x"
    (aside / "old").mkdir(parents=True)
    (aside / "run").write_text(note)
    (tmp_path / "kept.txt").write_text("kept")
    output.check(out)
    assert (tmp_path / "kept.txt").read_text() == "kept"


def test_loading_puts_the_earlier_report_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(DATA)
    import reportgen

    reportgen.evaluate("s.csv", "out", formats=[], title="Earlier")
    before = content(tmp_path / "out")
    subprocess.run([sys.executable, "-c", KILLED, "12"], cwd=tmp_path, check=False)
    assert content(tmp_path / "out") != before
    assert reportgen.load("out").title == "Earlier"
    assert content(tmp_path / "out") == before


def test_only_tables_that_the_report_wrote_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(DATA)
    import reportgen

    reportgen.evaluate("s.csv", "out", formats=[])
    kept, removed = Path("out/tables/human_human.agreement.csv"), Path("out/tables/human_human.degradation.csv")
    kept.write_text("mine now")
    assert removed.is_file()
    reportgen.evaluate("s.csv", "out", formats=[], human=["human"], force=True)
    assert kept.read_text() == "mine now"
    assert not removed.exists()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("x" * 300, "cannot be"),
        ("loop", "leads nowhere|cannot be"),
        ("loop/out", "loop|cannot"),
        ("/proc/x", "cannot be written"),
    ],
)
def test_places_that_cannot_be_are_refused(tmp_path: Path, place: str, words: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    if place == "/proc/x" and not Path("/proc").is_dir():
        pytest.skip("no /proc")
    with pytest.raises(OutputError, match=words), output.staged(tmp_path / place) as stage:
        write_all(stage, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_run_that_is_asked_to_stop_cleans_up(tmp_path: Path, name: str) -> None:
    if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup, and children inherit that")
    (tmp_path / "s.csv").write_text(DATA)
    (tmp_path / "slow.py").write_text(
        "import time\nfrom pathlib import Path\nfrom dataclasses import dataclass\nfrom typing import ClassVar\n"
        "from reportgen.sections import Findings, Section\n"
        "@dataclass(frozen=True)\nclass Slow(Section):\n"
        "    name: ClassVar[str] = 'slow'\n    title: ClassVar[str] = 'Slow'\n"
        "    def findings(self, evaluation):\n"
        "        return Findings()\n"
    )
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow/section.md.j2").write_text(
        "# Slow\n\n```{code-cell}\nfrom pathlib import Path\nimport time\n"
        "Path('running').touch()\ntime.sleep(60)\n```\n"
    )
    command = [sys.executable, "-m", "reportgen", "evaluate", "s.csv", "deep/out", "--sections", "./slow.py"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if (tmp_path / "running").exists():
            break
        time.sleep(0.05)
    number = getattr(signal, name)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 128 + number, said
    assert "Traceback" not in said
    assert (tmp_path / "running").exists()
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["running", "s.csv", "slow", "slow.py"]


def test_a_run_that_begins_is_not_taken_for_a_dead_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run into a folder beside it looks around just before this one has its lock."""
    locked, looked = mending._locked, list[int]()

    def late(handle: int) -> bool:
        if not looked:
            looked.append(handle)
            mending.mend(tmp_path / "beside")
        return locked(handle)

    monkeypatch.setattr(mending, "_locked", late)
    aside = tmp_path / ".reportgen-x"
    aside.mkdir()
    with mending.marked(aside):
        assert aside.is_dir()
        mending.mend(tmp_path / "beside")
        assert (aside / mending.RUN).is_file()
    assert looked
