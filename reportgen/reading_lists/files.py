"""The files of a reading list: a page and a table that only their owner may open, in a folder beside the report."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from reportgen.errors import OutputError
from reportgen.reading_lists.picking import Pick
from reportgen.rendering import templates
from reportgen.storing.csv_tables import harmless

HTML, KEY = "reading.html", "reading.csv"

REASONS = {
    "far": "far off", "group": "worst in {}", "no score": "no score", "refused": "refused",
    "difference": "large difference", "agrees": "agrees",
}  # fmt: skip
"""Why a response is read, in words of the table."""


def folder_beside(report: Path) -> Path:
    """Return the folder of the reading list of a report: beside it, so that no text is passed on with the report.

    Examples
    --------
    >>> folder_beside(Path("out/essays")).as_posix().endswith("out/essays_reading")
    True
    """
    place = report.absolute()
    return place.with_name(f"{place.name}_reading")


def check(report: Path, force: bool) -> None:
    """Raise when the reading list of a report cannot be written.

    Raises
    ------
    OutputError
        There is one already, or something else by its name.
    """
    folder = folder_beside(report)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(
            f"'{folder}' is no folder; the reading list goes there: move it away, or name another OUT_DIR."
        )
    inside = next((place for place in folder.parents if (place / "results.json").exists()), None)
    if inside is not None:
        raise OutputError(
            f"'{inside}' holds a report, which responses to read are no part of; name an OUT_DIR elsewhere."
        )
    if not force and any((place / name).exists() for place in (folder, *_inside(folder)) for name in (HTML, KEY)):
        raise OutputError(
            f"'{folder}' already holds a reading list; name another folder of the report, or replace both with --force."
        )


def put(picks: Sequence[Pick], folder: Path, *, title: str, blind: bool) -> Path:
    """Write the page and the table of a reading list; return the page.

    Parameters
    ----------
    picks
        In their order.
    folder
        Where; made for its owner alone.
    title
        What is read, in a few words.
    blind
        Whether the page leaves out scores and reasons, which then stand in the table alone.

    Raises
    ------
    OutputError
        The disk refuses a file.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _put(folder / KEY, table_of(picks))
        _put(folder / HTML, page_of(picks, title=title, blind=blind))
    except OSError as error:
        raise OutputError(f"'{folder}': the reading list cannot be written: {error.strerror or error}.") from None
    return folder / HTML


def table_of(picks: Sequence[Pick]) -> str:
    """Return the table of a reading list as the text of a CSV file that no spreadsheet runs."""
    most = max((len(pick.ratings) for pick in picks), default=0)
    scores = [*(f"rating {number}" for number in range(1, most + 1)), "engine", "answer", "expected score"]
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["number", "id", *scores, "standardized disagreement", "reason", "text"])
    for number, pick in enumerate(picks, 1):
        ratings = [*pick.ratings, *[None] * (most - len(pick.ratings))]
        numbers = (*ratings, pick.engine, pick.answer, pick.expected, pick.disagreement)
        cells = (number, pick.name, *numbers, "; ".join(reasons_of(pick)), pick.text)
        writer.writerow(["" if cell is None else harmless(cell) for cell in cells])
    return file.getvalue()


def reasons_of(pick: Pick) -> list[str]:
    """Return why a response is read, in words."""
    return [REASONS[reason].format(about) for reason, about in pick.reasons]


def page_of(picks: Sequence[Pick], *, title: str, blind: bool) -> str:
    """Return the page of a reading list: HTML that needs no script and loads nothing."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates.TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined
    )
    shown = [(pick, reasons_of(pick)) for pick in picks]
    return environment.get_template("html/reading.html.j2").render(picks=shown, title=title, blind=blind, key=KEY)


def _inside(folder: Path) -> list[Path]:
    """Return the folders of single systems."""
    return [place for place in folder.iterdir() if place.is_dir()] if folder.is_dir() else []


def _put(path: Path, text: str) -> None:
    """Write a file that only its owner may open, whole or not at all."""
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=".reportgen-")  # made with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
