"""All files of a report are replaced, or none, also if the run is killed."""

import os
import select
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from command import refused
from replaced_reports import NEW, OLD, content, earlier_report, replace, write_all
from score_files import SIXTY

import reportgen
from reportgen.errors import InputError, OutputError
from reportgen.machine.signals import Stopped, stop_cleanly
from reportgen.storing import added, report_folder, write_file


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    return earlier_report(tmp_path)


def test_replacing_report_keeps_other_files(earlier: Path) -> None:
    earlier.chmod(0o750)
    replace(earlier)
    mine = {"mine.txt": "mine", "notes/mine.html": "mine", "tables/mine.txt": "mine"}
    assert {name: text for name, text in content(earlier).items() if not name.startswith("link")} == {**NEW, **mine}
    assert (earlier / "link").is_symlink()
    assert (earlier.stat().st_mode & 0o777, (earlier / "notes").stat().st_mode & 0o777) == (0o750, 0o700)
    assert [path.name for path in earlier.parent.iterdir()] == ["out"]


def test_replacing_report_replaces_its_parts_only(tmp_path: Path) -> None:
    for part in ("engine", "another"):
        (tmp_path / "out" / part).mkdir(parents=True)
        write_all(tmp_path / "out" / part, "old")
    write_all(tmp_path / "out", "old")
    with report_folder.staged(tmp_path / "out", force=True) as stage:
        write_all(stage, "new", ("results.json",))
        (stage / "engine").mkdir()
        write_all(stage / "engine", "new", ("results.json",))
    kept = {f"another/{name}": "old" for name in report_folder.OWN_FILES}
    assert content(tmp_path / "out") == {"results.json": "new", "engine/results.json": "new", **kept}


def test_pages_of_same_results_are_kept(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    write_all(tmp_path / "out", "old")
    with report_folder.staged(tmp_path / "out", force=True) as stage:
        write_all(stage, "old", ("results.json",))
        write_all(stage, "new", ("report.html",))
    assert content(tmp_path / "out") == {**OLD, "report.html": "new"}


def test_empty_tables_folder_is_removed(tmp_path: Path) -> None:
    (tmp_path / "out" / "tables").mkdir(parents=True)
    (tmp_path / "out" / "tables" / "a.csv").write_text("old")
    replace(tmp_path / "out")
    assert content(tmp_path / "out") == NEW
    assert not (tmp_path / "out" / "tables").exists()


@pytest.mark.parametrize(("calls", "failing"), [((os.link, shutil.copy2), 1), ((os.rename,), 1), ((os.rename,), 2)])
def test_failed_replacement_keeps_earlier_report(
    earlier: Path, monkeypatch: pytest.MonkeyPatch, calls: tuple[Any, ...], failing: int
) -> None:
    before, times = content(earlier), dict.fromkeys(calls, 0)

    def refusing(call: Any) -> Any:
        def refuse_one(*given: object, **options: object) -> object:
            times[call] += 1
            if times[call] == failing:
                raise PermissionError(1, "Operation not permitted")
            return call(*given, **options)

        return refuse_one

    for call in calls:
        monkeypatch.setattr(shutil if call is shutil.copy2 else os, call.__name__, refusing(call))
    with pytest.raises(OutputError, match="not permitted"):
        replace(earlier)
    assert content(earlier) == before
    assert [path.name for path in earlier.parent.iterdir()] == ["out"]


def test_unrenamable_folder_is_filled_file_by_file(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(earlier)
    with report_folder.staged(Path(), force=True) as stage:
        (stage / "tables").mkdir()
        (stage / "tables" / "new.csv").write_text("new")
        write_all(stage, "new")
    mine = {"mine.txt": "mine", "notes/mine.html": "mine", "tables/mine.txt": "mine", "tables/new.csv": "new"}
    assert {name: text for name, text in content(earlier).items() if not name.startswith("link")} == {**NEW, **mine}
    assert not [path for path in earlier.iterdir() if path.name.startswith(".")]
    assert Path("report.html").is_file()


def test_new_folder_appears_complete(tmp_path: Path) -> None:
    with report_folder.staged(tmp_path / "deep" / "er" / "out") as stage:
        write_all(stage, "new")
        assert not (tmp_path / "deep" / "er" / "out").exists()
    assert content(tmp_path / "deep/er/out") == dict.fromkeys(report_folder.OWN_FILES, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    assert (tmp_path / "deep/er/out").stat().st_mode == (tmp_path / "deep").stat().st_mode


def test_concurrently_created_folder_is_kept(tmp_path: Path) -> None:
    with report_folder.staged(tmp_path / "deep" / "out") as stage:
        write_all(stage, "new")
        (tmp_path / "deep" / "out").mkdir(parents=True)
        (tmp_path / "deep" / "out" / "mine.txt").write_text("mine")
    expected = {**dict.fromkeys(report_folder.OWN_FILES, "new"), "mine.txt": "mine"}
    assert content(tmp_path / "deep/out") == expected
    assert sorted(path.name for path in (tmp_path / "deep/out").iterdir()) == sorted(expected)
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


@pytest.mark.parametrize("name", ["tables", "part"])
def test_links_in_folder_are_not_followed(tmp_path: Path, name: str) -> None:
    """The folder may contain links that someone else created."""
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


def test_write_file_is_atomic(tmp_path: Path) -> None:
    """If writing the second file fails, the first stays."""
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


def test_write_file_follows_user_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "c.toml").write_text("old")
    (tmp_path / "c.toml").symlink_to("real/c.toml")
    write_file(tmp_path / "c.toml", "new")
    assert (tmp_path / "c.toml").is_symlink()
    assert content(tmp_path / "real") == {"c.toml": "new"}


def test_write_file_writes_to_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writing = threading.Thread(target=write_file, args=(tmp_path / "pipe", "text"))
    writing.start()
    assert (tmp_path / "pipe").read_text() == "text"
    writing.join()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_second_concurrent_run_raises(tmp_path: Path) -> None:
    late = ExitStack()
    write_all(late.enter_context(report_folder.staged(tmp_path / "out")), "late")
    with report_folder.staged(tmp_path / "out") as early:
        write_all(early, "early")
    with pytest.raises(OutputError, match="already contains a report"):
        late.close()
    assert set(content(tmp_path / "out").values()) == {"early"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_concurrent_forced_runs_leave_one_report(tmp_path: Path) -> None:
    def make(word: str) -> None:
        for _ in range(5):
            with suppress(OutputError), report_folder.staged(tmp_path / "out", force=True) as stage:
                write_all(stage, word)

    threads = [threading.Thread(target=make, args=(word,)) for word in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(content(tmp_path / "out").values())) == 1
    assert sorted(content(tmp_path / "out")) == sorted(report_folder.OWN_FILES)


def test_stop_during_renames_is_reported_afterwards(earlier: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        pytest.skip("SIGINT is ignored here, as under nohup")
    rename = os.rename

    def stopped(*given: Any) -> None:
        rename(*given)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(os, "rename", stopped)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    stop_cleanly()
    try:
        with pytest.raises(Stopped) as stop:
            replace(earlier)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert content(earlier)["report.html"] == "new"
    assert (stop.value.done, stop.value.exit_code) == (f"'{earlier}' was written", 130)


def test_files_are_added_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "out" / "tables").mkdir(parents=True)
    (tmp_path / "out" / "tables" / "mine.txt").write_text("mine")
    (tmp_path / "elsewhere").mkdir()
    with added(tmp_path / "out") as new:
        (new / "tables").mkdir()
        (new / "tables" / "a.tex").write_text("new")
    assert content(tmp_path / "out") == {"tables/mine.txt": "mine", "tables/a.tex": "new"}
    (tmp_path / "out" / "figures").symlink_to(tmp_path / "elsewhere")

    def add() -> None:
        with added(tmp_path / "out") as new:
            (new / "figures").mkdir()
            (new / "figures" / "a.svg").write_text("new")

    with pytest.raises(OutputError, match="figures' is in the way"):
        add()
    assert not list((tmp_path / "elsewhere").iterdir())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["figures", "tables"]


def test_folder_follows_given_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with report_folder.staged(Path("out")) as stage:
        os.chdir("elsewhere")
        write_all(stage, "new")
    assert (tmp_path / "out/report.html").is_file()


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("x" * 300, "cannot be"),
        ("loop", "broken link|cannot be"),
        ("loop/out", "loop|cannot"),
        ("/proc/x", "cannot be written"),
    ],
)
def test_impossible_paths_raise(tmp_path: Path, place: str, words: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    if place == "/proc/x" and not Path("/proc").is_dir():
        pytest.skip("no /proc")
    with pytest.raises(OutputError, match=words), report_folder.staged(tmp_path / place) as stage:
        write_all(stage, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


@pytest.mark.parametrize("name", ["SIGTERM"])
def test_stopped_run_removes_temporary_files(tmp_path: Path, name: str) -> None:
    if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        pytest.skip(f"{name} is ignored here, as under nohup, and children inherit that")
    (tmp_path / "s.csv").write_text(SIXTY)
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
