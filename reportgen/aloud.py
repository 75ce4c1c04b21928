"""What a run found, said in the terminal: short, and safe whatever the data call their columns."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.results import Scale, Verdict
    from reportgen.scores import Account, Exclusion, ScoreTable

MOST_LINES = 6
"""How many exclusions, warnings, left-out columns or criteria are said; the report has them all."""

PAGES = ("report.html", "report.pdf", "results.json")
"""The files worth naming, if they were made."""


def printable(text: object) -> str:
    r"""Return text on one line, with control and direction characters written out.

    Examples
    --------
    >>> printable("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode("ascii")
        for letter in str(text)
    )


def say_found(scores: Account) -> None:
    """Say what was read, which columns play which part, and what was left out."""
    _say(_found(scores))


def say_systems(tables: Sequence[ScoreTable]) -> None:
    """Say what was read of a file of several systems, and of each system how many responses it scored."""
    _say(_found_together(tables))


def say_progress(sentence: str) -> None:
    """Say on standard error what is being made."""
    print(printable(sentence), file=sys.stderr, flush=True)  # noqa: T201


def say_written(folder: Path, prefix: str = "") -> None:
    """Say where the report is; the names of its files begin with `prefix`."""
    paths = (folder / f"{prefix}{name}" for name in PAGES)
    files = [str(path) for path in paths if path.is_file()]
    _say([("report" if index == 0 else "", file) for index, file in enumerate(files)])


def say_verdict(verdict: Verdict, system: str = "", *, briefly: bool = False) -> None:
    """Say what a policy says of the only or a named system, and, unless `briefly`, the criteria not met or open."""
    lines = [("verdict", f"{system}: {verdict.sentence}" if system else verdict.sentence)]
    for outcome in ("not met", "not yet known", "insufficient"):
        found = [] if briefly else [check.sentence for check in verdict.of(outcome)]
        lines += _first([(outcome, sentence) for sentence in found], "criteria")
    _say(lines)


def say_gate(remark: str) -> None:
    """Say what a gate lets pass, when there is something to say."""
    _say([("gate", remark)] if remark else [])


def say_stored(remark: str) -> None:
    """Say that a stored verdict is not that of its statistics, when it is not."""
    _say([("stored", remark)] if remark else [])


def say_error(sentence: object) -> None:
    """Say on standard error what went wrong, in one line."""
    print(f"error: {printable(sentence)}", file=sys.stderr)  # noqa: T201


def _say(lines: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> None:
    """Print labelled lines to standard output."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    for label, text in lines:
        console.print(Text.assemble((f"{label:<13} ", "bold"), printable(text)), soft_wrap=True)


def _found_together(tables: Sequence[ScoreTable]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line about several systems: what they share, then each of them."""
    first = tables[0]
    yield "data", f"{first.source.name}: {_read(first)}"
    for role in first.roles:
        if role.role not in ("system", "run"):
            yield role.role, f"{_listed(role.columns)} ({role.how})"
    yield "scale", _scale(first.scale, first.zeros.left_out > 0)
    for index, scores in enumerate(tables):
        name, how = next((role.columns[0], role.how) for role in scores.roles if role.role == "system")
        out = scores.outputs
        unscored = f", {out.unusable:,} without a score" if out.unusable else ""
        runs = f", {scores.runs.shape[1]} runs" if scores.runs is not None else ""
        kept = f"{_listed((name,))} ({how}): {scores.kept:,} responses count{unscored}{runs}"
        yield ("systems" if index == 0 else ""), kept + (", the baseline" if index == 0 else "")
    yield from _first([("note", sentence) for sentence in first.warnings], "notes")


def _read(scores: Account) -> str:
    """Return how much was read."""
    responses = f"{scores.read:,} responses"
    if scores.ratings is None:
        return f"{responses} read"
    return f"{scores.ratings.n:,} ratings of {responses} by {scores.ratings.raters:,} raters read (one row per rating)"


def _found(scores: Account) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line about the scores."""
    yield "data", f"{scores.source.name}: {_read(scores)}, {scores.kept:,} count"
    for role in scores.roles:
        yield role.role, f"{_listed(role.columns)} ({role.how})"
    yield "scale", _scale(scores.scale, scores.zeros.left_out > 0)
    lines = [("excluded", _excluded(out)) for out in scores.exclusions]
    yield from _first(lines, "reasons")
    yield from _first([("note", sentence) for sentence in scores.warnings], "notes")
    yield from _first([("not used", f"{column} ({reason})") for column, reason in scores.left_out], "columns")


def _first(lines: list[tuple[str, str]], what: str) -> Iterator[tuple[str, str]]:
    """Yield the first lines of a kind, the label once, and how many more there are."""
    for index, (label, text) in enumerate(lines[:MOST_LINES]):
        yield label if index == 0 else "", text
    if len(lines) > MOST_LINES:
        yield "", f"and {len(lines) - MOST_LINES} more {what}, all in the report"


def _listed(names: tuple[str, ...]) -> str:
    """Return column names, long ones shortened."""
    return ", ".join(name if len(name) <= 60 else name[:57] + "..." for name in names)


def _scale(scale: Scale, zeros_left_out: bool) -> str:
    """Return the scale in words, and what to type when it is not the one that was meant."""
    from reportgen.scores.scale import typed

    steps = f" in steps of {scale.step:g}" if scale.step else ", continuous"
    points = f"{scale.low:g} to {scale.high:g}{steps}"
    if not scale.assumed:
        return f"{points} (declared)"
    hint = f"declare it with --scale {typed(scale.low, scale.high, scale.step)}"
    if not scale.step:
        hint += " or leave it so"
    if zeros_left_out:
        hint += f", or with --scale {typed(min(0.0, scale.low), max(0.0, scale.high), scale.step)} if 0 is a score"
    return f"{points} (assumed: read off the scores; the full scale may be longer: {hint})"


def _excluded(out: Exclusion) -> str:
    """Return an exclusion in words."""
    return f"{out.n:,} because {out.reason} (row{'s' if len(out.first_rows) > 1 else ''} {out.listed_rows()}" + (
        ", ...)" if out.n > len(out.first_rows) else ")"
    )
