"""Folders with a report to replace."""

from pathlib import Path

from reportgen.storing import report_folder

OLD, NEW = (dict.fromkeys(report_folder.OWN_FILES, word) for word in ("old", "new"))


def write_all(folder: Path, word: str, names: tuple[str, ...] = report_folder.OWN_FILES) -> None:
    for name in names:
        (folder / name).write_text(word)


def content(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def replace(folder: Path) -> None:
    with report_folder.staged(folder, force=True) as stage:
        write_all(stage, "new")


def earlier_report(home: Path) -> Path:
    """A folder with a report, one of its tables, and user files."""
    out = home / "out"
    (out / "tables").mkdir(parents=True)
    (out / "notes").mkdir(mode=0o700)
    write_all(out, "old")
    for name in ("mine.txt", "notes/mine.html", "tables/mine.txt"):
        (out / name).write_text("mine")
    (out / "tables" / "old.csv").write_text("old")
    (out / "link").symlink_to(home)
    return out
