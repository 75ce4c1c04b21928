"""Choose responses for human review, and write them next to a report."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np

from reportgen.errors import OutputError, SettingsError
from reportgen.metrics.reported_scores import expected_true_scores, standardized_disagreements
from reportgen.results import Scale
from reportgen.scores import Account, ScoreTable
from reportgen.scores.table import ResponsesToRead
from reportgen.settings import Settings
from reportgen.storing.report_folder import csv_of
from reportgen.wording.filling import loader_of, page_environment
from reportgen.wording.names import folder_names
from reportgen.wording.numbers import many


def refuse_early(report: Path | None, force: bool) -> None:
    """Raise if the review list of a report cannot be written; `force` replaces an existing one."""
    if report is None:
        raise SettingsError("--read writes a review list next to the report; name a folder for the report.")
    folder = folder_beside(report)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise OutputError(
            f"'{folder}' is not a folder, but the review list requires one; move it, or choose another OUT_DIR."
        )
    inside = next((place for place in folder.parents if (place / "results.json").exists()), None)
    if inside is not None:
        raise OutputError(f"'{inside}' is a report folder; write the review list outside it with another OUT_DIR.")
    below = [place for place in folder.iterdir() if place.is_dir()] if folder.is_dir() else []
    if not force and any((place / name).exists() for place in (folder, *below) for name in (HTML, KEY)):
        raise OutputError(
            f"'{folder}' already contains a review list; choose another OUT_DIR, or use --force to replace both."
        )


def write(accounts: Mapping[str, Account], settings: Settings, report: Path) -> tuple[Path, ...]:
    """Write the responses to review next to the report; return the pages.

    accounts: The prepared scores of every system or trait, by name; several have a folder each.
    settings, report: The settings, and the folder of the report.
    """
    tables = {name: table for name, table in accounts.items() if isinstance(table, ScoreTable)}
    folders = folder_names(list(tables), "part") if len(tables) > 1 else [""]
    return tuple(
        _written(table, settings, folder_beside(report) / folder, name if folder else "")
        for (name, table), folder in zip(tables.items(), folders, strict=True)
    )


def _written(table: ScoreTable, settings: Settings, folder: Path, name: str) -> Path:
    """Write the page and the table of one list, in a folder for its owner only; return the page."""
    assert table.to_read is not None
    statistics = settings.statistics
    picks = picked(
        table.to_read, table.scale, settings.reading.read or 0, seed=statistics.seed, min_n=statistics.min_n_per_group,
        error_variance=statistics.rater_error_variance,
    )  # fmt: skip
    title = f"{many(len(picks), 'response')} to read" + (f", {name}" if name else "")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _put(folder / KEY, table_of(picks))
        _put(folder / HTML, page_of(picks, title=title, blind=settings.reading.blind))
    except OSError as error:
        raise OutputError(f"'{folder}': the review list cannot be written: {error.strerror or error}.") from None
    return folder / HTML


HTML, KEY = "reading.html", "reading.csv"

REASONS = {
    "far": "far off", "group": "worst in {}", "no score": "no score", "refused": "refused",
    "difference": "large difference", "agrees": "agrees",
}  # fmt: skip
"""Why a response is listed, in the words of the table."""


def folder_beside(report: Path) -> Path:
    """Return the folder of a report's review list: next to the report, so that texts are not shared with it.

    >>> folder_beside(Path("out/essays")).as_posix().endswith("out/essays_reading")
    True
    """
    place = report.absolute()
    return place.with_name(f"{place.name}_reading")


def table_of(picks: Sequence[Pick]) -> str:
    """Return a review list as CSV text that no spreadsheet executes."""
    most = max((len(pick.ratings) for pick in picks), default=0)
    scores = [*(f"rating {number}" for number in range(1, most + 1)), "engine", "answer", "expected score"]
    rows: list[Sequence[object]] = [["number", "id", *scores, "standardized disagreement", "reason", "text"]]
    for number, pick in enumerate(picks, 1):
        ratings = [*pick.ratings, *[None] * (most - len(pick.ratings))]
        numbers = (*ratings, pick.engine, pick.answer, pick.expected, pick.disagreement)
        rows.append((number, pick.name, *numbers, "; ".join(reasons_of(pick)), pick.text))
    return csv_of(rows)


def reasons_of(pick: Pick) -> list[str]:
    """Return why a response is listed, in words."""
    return [REASONS[reason].format(about) for reason, about in pick.reasons]


def page_of(picks: Sequence[Pick], *, title: str, blind: bool) -> str:
    """Return the page of a review list: HTML without scripts or external files."""
    shown = [(pick, reasons_of(pick)) for pick in picks]
    template = page_environment(loader_of()).get_template("html/reading.html.j2")
    return template.render(picks=shown, title=title, blind=blind, key=KEY)


def _put(path: Path, text: str) -> None:
    """Write a file that only its owner can open, atomically."""
    handle, aside = tempfile.mkstemp(dir=path.parent, prefix=".reportgen-")  # created with mode 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
        Path(aside).replace(path)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise


AGREEING = 10  # most responses on which engine and raters agree; in a list of fewer than 40, a quarter of it

FAR, LENGTHS = 2, 5
"""Steps by which the engine must differ (the whole scale if it has fewer), and the smallest fraction of its length.

On a scale with steps of 0.1, hardly any response would be less than two steps off."""


@dataclass(frozen=True)
class Pick:
    """One response of a review list.

    name, text, answer: Its ID, its text, and the text in place of a missing score.
    ratings: Its ratings.
    engine, expected, disagreement: The engine's score, the expected true score, the standardized disagreement; None if
        there is none.
    reasons: Why it is listed: "far", "group", "no score", "refused", "difference", or "agrees", each with its detail.
    """

    name: str
    text: str
    answer: str
    ratings: tuple[float, ...]
    engine: float | None
    expected: float | None
    disagreement: float | None
    reasons: tuple[tuple[str, str], ...]


def picked(
    responses: ResponsesToRead, scale: Scale, n: int, *, seed: int, min_n: int, error_variance: float | None = None
) -> list[Pick]:
    """Choose the responses to review, in random order.

    Reasons take turns: far off, the largest disagreement in each group, no score, a refusal. The rest of the list goes
    to the largest disagreements. A quarter of the list, at most ten, are random responses on which engine and raters
    agree.

    responses, scale: All responses, and the score scale.
    n: Most responses to choose.
    seed: Random seed; the same seed gives the same list.
    min_n: Groups with fewer responses are skipped.
    error_variance: The variance of rater errors, if it is given.
    """
    names, human, system = responses.names, responses.human, responses.system
    order = sorted(range(len(names)), key=names.__getitem__)  # so that the order of the rows does not matter
    rated = np.isfinite(human)
    gap = system - np.where(rated, human, 0.0).sum(axis=1) / rated.sum(axis=1)
    standardized, expected = (
        each(human[order], system[order], error_variance=error_variance)[np.argsort(order)]
        for each in (standardized_disagreements, expected_true_scores)
    )
    size = np.abs(np.where(np.isfinite(standardized), standardized, gap))
    by_size = sorted((i for i in order if np.isfinite(size[i])), key=lambda i: -size[i])
    length = scale.high - scale.low
    far = max(min(FAR * scale.step, length), length / LENGTHS)
    draw = np.random.default_rng(seed)
    calm = [i for i in order if abs(gap[i]) <= far / 4]
    agreeing = [calm[i] for i in draw.permutation(len(calm))[: min(AGREEING, n // 4)]]
    missing = [i for i in order if not np.isfinite(system[i])]
    queues = (
        [(i, "far", "") for i in by_size if abs(gap[i]) >= far * (1 - 1e-9)],
        list(_worst(responses, by_size, min_n)),
        [(i, "no score", "") for i in missing if not responses.refused[i]],
        [(i, "refused", "") for i in missing if responses.refused[i]],
    )
    in_turns = [each for turn in zip_longest(*queues) for each in turn if each is not None]
    reasons: dict[int, list[tuple[str, str]]] = {}
    for i, reason, about in (*in_turns, *((i, "difference", "") for i in by_size if abs(gap[i]) > far / 4)):
        if i not in reasons and (len(reasons) >= n - len(agreeing) or i in agreeing):
            continue
        own = reasons.setdefault(i, [])
        if reason != "difference" or not own:
            own.append((reason, about))
    for i in agreeing:
        reasons[i] = [("agrees", "")]

    def pick(i: int) -> Pick:
        columns = (system, expected, standardized)
        engine, true, disagreement = (float(each[i]) if np.isfinite(each[i]) else None for each in columns)
        text = responses.texts[i] if responses.texts else ""
        ratings = tuple(float(score) for score in human[i] if np.isfinite(score))
        return Pick(names[i], text, responses.answers[i], ratings, engine, true, disagreement, tuple(reasons[i]))

    chosen = [i for i in order if i in reasons]
    return [pick(chosen[place]) for place in draw.permutation(len(chosen))]


def _worst(responses: ResponsesToRead, ordered: list[int], min_n: int) -> Iterator[tuple[int, str, str]]:
    """Yield the largest disagreement of each group that is large enough, the largest first."""
    seen: set[tuple[str, int]] = set()
    sizes = {name: np.bincount(coded.codes, minlength=1) for name, coded in responses.groups.items()}
    for i in ordered:
        for name, coded in responses.groups.items():
            code = int(coded.codes[i])
            if sizes[name][code] >= min_n and (name, code) not in seen:
                seen.add((name, code))
                yield i, "group", f"{name} {coded.labels[code]}"
