"""The files of a report are replaced as a whole: all of them, or none."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from reportgen.errors import OutputError
from reportgen.machine.signals import Stopped, stop_cleanly
from reportgen.storing import replaced, report_folder, write_file
from reportgen.storing.handles import Handle

DATA = "id,human,human2,system\n" + "".join(
    f"r{i},{i % 5 + 1},{(i + 1) % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(40)
)


def write_all(folder: Path, word: str, names: tuple[str, ...] = report_folder.OWN_FILES) -> None:
    for name in names:
        (folder / name).write_text(word)


def content(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("failing", range(2 * len(report_folder.OWN_FILES)))
def test_a_replacement_that_fails_anywhere_leaves_the_earlier_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    write_all(tmp_path, "old")
    (tmp_path / "mine.txt").write_text("mine")
    before, moved, rename = content(tmp_path), [0], Handle.rename

    def refuse_one(self: Handle, name: str, to: Handle, new_name: str) -> None:
        moved[0] += name != "moves.unfinished"
        if moved[0] == failing + 1:
            moved[0] += 1
            raise PermissionError(1, "Operation not permitted")
        rename(self, name, to, new_name)

    monkeypatch.setattr(Handle, "rename", refuse_one)
    with pytest.raises(OutputError, match="not permitted"), report_folder.staged(tmp_path, force=True) as stage:
        write_all(stage, "new")
    assert content(tmp_path) == before
    monkeypatch.undo()
    with report_folder.staged(tmp_path, force=True) as stage:
        write_all(stage, "new")
    assert content(tmp_path) == {**dict.fromkeys(report_folder.OWN_FILES, "new"), "mine.txt": "mine"}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*report_folder.OWN_FILES, "mine.txt"])


def test_an_interruption_while_files_are_moved_leaves_no_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Handle.rename

    def interrupted(self: Handle, name: str, to: Handle, new_name: str) -> None:
        rename(self, name, to, new_name)
        if name == "one.csv" and self.path.parts[-3:] == ("new", "part", "tables"):
            raise KeyboardInterrupt

    def write() -> None:
        with report_folder.staged(tmp_path / "out") as stage:
            (stage / "part" / "tables").mkdir(parents=True)
            for name in ("one.csv", "two.csv"):
                (stage / "part" / "tables" / name).write_text("1")
            monkeypatch.setattr(Handle, "rename", interrupted)

    (tmp_path / "out").mkdir()
    with pytest.raises(KeyboardInterrupt):
        write()
    assert not list((tmp_path / "out").iterdir())
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_new_folder_comes_into_sight_with_all_that_is_in_it(tmp_path: Path) -> None:
    with report_folder.staged(tmp_path / "deep" / "er" / "out") as stage:
        write_all(stage, "new")
        assert [path.name[:11] for path in tmp_path.iterdir()] == [".reportgen-"]
    assert content(tmp_path / "deep/er/out") == dict.fromkeys(report_folder.OWN_FILES, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    assert (tmp_path / "deep/er/out").stat().st_mode == (tmp_path / "deep").stat().st_mode


def test_a_folder_that_came_meanwhile_is_kept_with_what_is_in_it(tmp_path: Path) -> None:
    with report_folder.staged(tmp_path / "deep" / "out") as stage:
        write_all(stage, "new")
        (tmp_path / "deep" / "out").mkdir(parents=True)
        (tmp_path / "deep" / "out" / "mine.txt").write_text("mine")
    expected = {**dict.fromkeys(report_folder.OWN_FILES, "new"), "mine.txt": "mine"}
    assert content(tmp_path / "deep/out") == expected
    assert sorted(path.name for path in (tmp_path / "deep/out").iterdir()) == sorted(expected)
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_where_everybody_may_write_no_stranger_is_waited_for(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    tmp_path.chmod(0o1777)
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    with report_folder.staged(tmp_path / "out") as stage:
        write_all(stage, "new")
    os.close(held)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_cannot_be_put_back_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(tmp_path, "old")
    rename = Handle.rename

    def refuse_the_new(self: Handle, name: str, to: Handle, new_name: str) -> None:
        if self.path.name in ("new", "old"):
            raise PermissionError(1, "Operation not permitted")
        rename(self, name, to, new_name)

    monkeypatch.setattr(Handle, "rename", refuse_the_new)
    with pytest.raises(OutputError, match="reportgen-kept-"), report_folder.staged(tmp_path, force=True) as stage:
        write_all(stage, "new")
    (kept,) = tmp_path.glob("reportgen-kept-*")
    assert content(kept / "old") == dict.fromkeys(report_folder.OWN_FILES, "old")


@pytest.mark.parametrize("name", ["tables", "part"])
def test_no_link_in_the_folder_leads_the_writing_elsewhere(tmp_path: Path, name: str) -> None:
    """Whoever made the folder may have put a link into it."""
    out, home = tmp_path / "out", tmp_path / "home"
    out.mkdir()
    home.mkdir()
    (home / "a.csv").write_text("mine")
    (out / name).symlink_to(home)

    def write() -> None:
        with report_folder.staged(out, force=True) as stage:
            (stage / name).mkdir()
            (stage / name / "a.csv").write_text("new")
            (stage / "report.html").write_text("new")

    with pytest.raises(OutputError, match=name):
        write()
    assert content(home) == {"a.csv": "mine"}
    assert [path.name for path in out.iterdir()] == [name]


def test_results_of_a_stranger_remove_no_file_elsewhere(tmp_path: Path) -> None:
    """What is outdated is found in results.json; a name in it that leads elsewhere moves nothing."""
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "a.csv").write_text("mine")
    with (
        pytest.raises(OutputError, match="no file of such a name"),
        replaced(out, lambda _, there: {there / ".." / "a.csv"}) as stage,
    ):
        write_all(stage, "new")
    assert content(tmp_path) == {"a.csv": "mine"}


@pytest.mark.parametrize("at", ["first", "last"])
def test_a_stop_that_comes_while_files_are_moved_is_told_as_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        pytest.skip("SIGINT is ignored here, as under nohup")
    write_all(tmp_path, "old")
    rename, done = Handle.rename, list[str]()

    def stopped(self: Handle, name: str, to: Handle, new_name: str) -> None:
        rename(self, name, to, new_name)
        done.append(name)
        if len(done) == (2 if at == "first" else 2 * len(report_folder.OWN_FILES) + 1):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Handle, "rename", stopped)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    stop_cleanly()
    try:
        with pytest.raises(Stopped) as stop, report_folder.staged(tmp_path, force=True) as stage:
            write_all(stage, "new")
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert content(tmp_path) == dict.fromkeys(report_folder.OWN_FILES, "new")
    assert stop.value.done == f"'{tmp_path}' was written"
    assert stop.value.exit_code == 130


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """The disk refuses the second of two: the first stays."""
    resource = pytest.importorskip("resource")
    file = tmp_path / "config.toml"
    write_file(file, "old")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limit[1]))
        with pytest.raises(OutputError, match="too large"):
            write_file(file, "n" * 2048)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, ignored)
    assert content(tmp_path) == {"config.toml": "old"}


def test_a_file_behind_a_link_of_the_user_is_written_there(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "c.toml").write_text("old")
    (tmp_path / "c.toml").symlink_to("real/c.toml")
    write_file(tmp_path / "c.toml", "new")
    assert (tmp_path / "c.toml").is_symlink()
    assert content(tmp_path / "real") == {"c.toml": "new"}


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writing = threading.Thread(target=write_file, args=(tmp_path / "pipe", "text"))
    writing.start()
    assert (tmp_path / "pipe").read_text() == "text"
    writing.join()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_of_two_runs_at_once_one_is_refused(tmp_path: Path) -> None:
    late = ExitStack()
    write_all(late.enter_context(report_folder.staged(tmp_path / "out")), "late")
    with report_folder.staged(tmp_path / "out") as early:
        write_all(early, "early")
    with pytest.raises(OutputError, match="already holds a report"):
        late.close()
    assert set(content(tmp_path / "out").values()) == {"early"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_forced_runs_at_once_leave_the_report_of_one(tmp_path: Path) -> None:
    def make(word: str) -> None:
        for _ in range(5):
            with report_folder.staged(tmp_path / "out", force=True) as stage:
                write_all(stage, word)

    threads = [threading.Thread(target=make, args=(word,)) for word in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(content(tmp_path / "out").values())) == 1
    assert sorted(content(tmp_path)) == sorted(f"out/{name}" for name in report_folder.OWN_FILES)


def test_the_folder_is_the_one_that_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with report_folder.staged(Path("out")) as stage:
        os.chdir("elsewhere")
        write_all(stage, "new")
    assert (tmp_path / "out/report.html").is_file()


def test_a_run_that_lives_is_not_taken_for_a_killed_one(tmp_path: Path) -> None:
    write_all(tmp_path, "old")
    with report_folder.staged(tmp_path, force=True) as stage:
        write_all(stage, "new")
        with pytest.raises(OutputError, match="already holds"):
            report_folder.check(tmp_path)
        assert content(stage) == dict.fromkeys(report_folder.OWN_FILES, "new")
    assert content(tmp_path) == dict.fromkeys(report_folder.OWN_FILES, "new")


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
    with pytest.raises(OutputError, match=words), report_folder.staged(tmp_path / place) as stage:
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
        "# Slow\n\n```{code-cell}\nimport signal\n"
        f"with open({str(tmp_path / 'running')!r}, 'w') as told:\n    told.write('now')\n"
        "signal.pause()\n```\n"
    )
    command = [sys.executable, "-m", "reportgen", "evaluate", "s.csv", "deep/out", "--sections", "./slow.py"]
    os.mkfifo(tmp_path / "running")
    running = os.open(tmp_path / "running", os.O_RDONLY | os.O_NONBLOCK)
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert select.select([running], [], [], 60)[0]
    os.close(running)
    number = getattr(signal, name)
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 128 + number, said
    assert "Traceback" not in said
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["running", "s.csv", "slow", "slow.py"]
