"""What a run found, said in the terminal: short, and safe whatever the data call their columns."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.errors import MOST_LETTERS, shortened

if TYPE_CHECKING:
    from reportgen.results import Evaluation, Report, Role, Scale, Verdict
    from reportgen.scores import Account, Exclusion

MOST_LINES = 6
"""How many exclusions, warnings, left-out columns or criteria are said; the report has them all."""

ONE_OF = {
    "reasons": "reason", "notes": "note", "columns": "column", "criteria": "criterion", "scales": "scale",
    "doubts": "doubt",
}  # fmt: skip
"""What lines of a kind are called, and what one of them is."""

PAGES = ("report.html", "report.pdf", "results.json")
"""The files worth naming, if they were made."""

MOST_OF_AN_ERROR = 300
"""Characters of an error, with the word that begins it."""


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


def say_doubts(scores: Account, evaluation: Evaluation) -> None:
    """Say what puts every number in doubt, where it was not said of the scores already."""
    found = [str(sentence) for sentence in evaluation.facts.get("doubts") or () if sentence not in scores.warnings]
    _say(list(_first([("doubt", sentence) for sentence in found], "doubts")))


def say_doubts_of_systems(tables: Sequence[Account], evaluation: Evaluation) -> None:
    """Say what puts the numbers of some systems in doubt, where it was not said of the first already."""
    told = evaluation.facts.get("doubts_of_systems") or ()
    found = [
        f"{_listed(tuple(systems)) if len(systems) < len(tables) else f'all {len(tables)} systems'}: {sentence}"
        for sentence, systems in told
        if sentence not in tables[0].warnings or len(systems) < len(tables)
    ]
    _say(list(_first([("doubt", sentence) for sentence in found], "doubts")))


def say_systems(tables: Sequence[Account]) -> None:
    """Say what was read of a file of several systems, and of each system how many responses it scored."""
    _say(_found_together(tables))


def say_items(account: Mapping[str, Any]) -> None:
    """Say what was read of many items: the account of their tables, without what is the same in every run."""
    _say(_found_of_items(account))


def say_parts(roles: Sequence[Role], warnings: Sequence[str]) -> None:
    """Say which columns play which part in every report of a batch, and what to know of its source."""
    _say([*_told(roles), *_first([("note", sentence) for sentence in warnings], "notes")])


def say_progress(sentence: str) -> None:
    """Say on standard error what is being made."""
    print(printable(sentence), file=sys.stderr, flush=True)  # noqa: T201


def say_written(folder: Path, prefix: str = "") -> None:
    """Say where the report is; the names of its files begin with `prefix`."""
    paths = (folder / f"{prefix}{name}" for name in PAGES)
    files = [str(path) for path in paths if path.is_file()]
    _say([("report" if index == 0 else "", file) for index, file in enumerate(files)])


def say_headline(report: Report) -> None:
    """Say what a report of several runs found first, and how they were compared."""
    first = next((section.findings for section in report.sections if section.findings.headline), None)
    if first is not None:
        told = [("found", first.headline), *(("", paragraph) for paragraph in first.paragraphs[:1])]
        _say([(label, str(text)) for label, text in told])


def say_decisions(decisions: Sequence[str]) -> None:
    """Say how many reports came to which decision, the commonest first."""
    counted = Counter(decision for decision in decisions if decision).most_common()
    _say([("verdicts", ", ".join(f"{n:,} {decision}" for decision, n in counted))] if counted else [])


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
    """Say on standard error what went wrong, in one line that can be read."""
    print(brief(f"error: {printable(sentence)}"), file=sys.stderr)  # noqa: T201


def brief(sentence: str, most: int = MOST_OF_AN_ERROR) -> str:
    """Return a sentence of at most `most` characters: long names give way first, then its middle.

    Examples
    --------
    >>> brief(f"column '{'x' * 500}' does not exist; type --id.", most=100)
    "column 'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxx' does not exist; type --id."
    """
    for word in sorted(sentence.split(" "), key=len, reverse=True):
        if len(sentence) <= most or len(word) <= MOST_LETTERS:
            break
        sentence = sentence.replace(word, shortened(word))
    return shortened(sentence, most)


def _say(lines: Iterator[tuple[str, str]] | list[tuple[str, str]]) -> None:
    """Print labelled lines to standard output."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    for label, text in lines:
        console.print(Text.assemble((f"{label:<13} ", "bold"), printable(text)), soft_wrap=True)


def _found_together(tables: Sequence[Account]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line about several systems: what they share, then each of them."""
    from reportgen.wording.numbers import many

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
        repeated = getattr(scores, "runs", None)  # of rows that are held
        runs = f", {many(repeated.shape[1], 'run')}" if repeated is not None else ""
        counting = f"{many(scores.kept, 'response')} {_counting(scores.kept)}"
        kept = f"{_listed((name,))} ({how}): {counting}{unscored}{runs}"
        yield ("systems" if index == 0 else ""), kept + (", the baseline" if index == 0 else "")
    yield from _first([("note", sentence) for sentence in first.warnings], "notes")


def _read(scores: Account) -> str:
    """Return how much was read."""
    from reportgen.wording.numbers import many

    responses = many(scores.read, "response")
    if scores.ratings is None:
        return f"{responses} read"
    ratings, raters = many(scores.ratings.n, "rating"), many(scores.ratings.raters, "rater")
    return f"{ratings} of {responses} by {raters} read (one row per rating)"


def _found(scores: Account) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line about the scores."""
    yield "data", f"{scores.source.name}: {_read(scores)}, {scores.kept:,} {_counting(scores.kept)}"
    yield from _told(scores.roles)
    yield "scale", _scale(scores.scale, scores.zeros.left_out > 0)
    lines = [("excluded", _excluded(out)) for out in scores.exclusions]
    yield from _first(lines, "reasons")
    yield from _first([("note", sentence) for sentence in scores.warnings], "notes")
    yield from _first([("not used", f"{column} ({reason})") for column, reason in scores.left_out], "columns")


def _told(roles: Sequence[Role]) -> Iterator[tuple[str, str]]:
    """Yield each part, the columns that play it, and how they were found."""
    for role in roles:
        yield role.role, f"{_listed(role.columns)} ({role.how})"


def _found_of_items(account: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line about many items."""
    from reportgen.wording.numbers import many

    source, items = account["source"], account["items"]
    read, kept = source["rows"], account["responses_evaluated"]
    yield "data", f"{source['name']}: {many(read, 'response')} read, {kept:,} {_counting(kept)}"
    yield "items", f"{items:,} of {items + len(account['items_not_evaluated']):,}"
    for role in account["roles"]:
        unused = "; not used: intervals take responses as units" if role["role"] == "candidate" else ""
        yield role["role"], f"{_listed(role['columns'])} ({role['how']}{unused})"
    zeros = any(out["reason"].endswith(" is 0") for out in account["exclusions"])
    yield from _first([("scale", each) for each in _scales(account["scales"], zeros)], "scales")
    excluded = [
        f"{out['responses']:,} of {many(out['items'], 'item')} because {out['reason']}" for out in account["exclusions"]
    ]
    yield from _first([("excluded", each) for each in excluded], "reasons")
    yield from _first([("note", sentence) for sentence in account["warnings"]], "notes")
    left_out = account["columns_left_out"].items()
    yield from _first([("not used", f"{column} ({reason})") for column, reason in left_out], "columns")


def _scales(scales: Sequence[Mapping[str, Any]], zeros_left_out: bool) -> Iterator[str]:
    """Yield the scales that items have, the commonest first, and what to type when they are not those meant."""
    from reportgen.wording.numbers import many

    counted: Counter[tuple[float, float, float, bool]] = Counter()
    for scale in scales:
        counted[scale["low"], scale["high"], scale["step"], scale["assumed"]] += scale["items"]
    for (low, high, step, assumed), items in counted.most_common():
        yield f"{_points(low, high, step)} in {many(items, 'item')} ({'assumed' if assumed else 'declared'})"
    if any(assumed for *_, assumed in counted):
        zero = " and 0 may be a score" if zeros_left_out else ""
        yield (
            f"assumed: read off each item's own scores; the full scale may be longer{zero}: declare them with "
            "--scales FILE, a line for each item, or one for all with --scale LOW:HIGH"
        )


def _counting(n: int) -> str:
    return "counts" if n == 1 else "count"


def _points(low: float, high: float, step: float) -> str:
    """Return the points of a scale in words."""
    return f"{low:g} to {high:g}" + (f" in steps of {step:g}" if step else ", continuous")


def _first(lines: list[tuple[str, str]], what: str) -> Iterator[tuple[str, str]]:
    """Yield the first lines of a kind, the label once, and how many more there are."""
    for index, (label, text) in enumerate(lines[:MOST_LINES]):
        yield label if index == 0 else "", text
    if len(lines) > MOST_LINES:
        more = len(lines) - MOST_LINES
        yield "", f"and {more:,} more {ONE_OF[what] if more == 1 else what}, all in the report"


def _listed(names: tuple[str, ...]) -> str:
    """Return column names, long ones shortened."""
    return ", ".join(name if len(name) <= 60 else name[:57] + "..." for name in names)


def _scale(scale: Scale, zeros_left_out: bool) -> str:
    """Return the scale in words, and what to type when it is not the one that was meant."""
    from reportgen.scores.scale import typed

    points = _points(scale.low, scale.high, scale.step)
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
