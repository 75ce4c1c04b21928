"""What was read of scores, said in the terminal: which columns play which part, the scale, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reportgen.cli.printing import first, say

if TYPE_CHECKING:
    from reportgen.results import Evaluation, Role, Scale
    from reportgen.scores import Account, Exclusion


def say_found(scores: Account) -> None:
    """Say what was read, which columns play which part, and what was left out."""
    say(_found(scores))


def say_doubts(scores: Account, evaluation: Evaluation) -> None:
    """Say what puts every number in doubt, where it was not said of the scores already."""
    found = [str(sentence) for sentence in evaluation.facts.get("doubts") or () if sentence not in scores.warnings]
    say(list(first([("doubt", sentence) for sentence in found], "doubt")))


def say_doubts_of_systems(tables: Sequence[Account], evaluation: Evaluation) -> None:
    """Say what puts the numbers of some systems in doubt, where it was not said of the first already."""
    told = evaluation.facts.get("doubts_of_systems") or ()
    found = [
        f"{_listed(tuple(systems)) if len(systems) < len(tables) else f'all {len(tables)} systems'}: {sentence}"
        for sentence, systems in told
        if sentence not in tables[0].warnings or len(systems) < len(tables)
    ]
    say(list(first([("doubt", sentence) for sentence in found], "doubt")))


def say_systems(tables: Sequence[Account]) -> None:
    """Say what was read of a file of several systems, and of each system how many responses it scored."""
    say(_found_together(tables))


def say_items(account: Mapping[str, Any]) -> None:
    """Say what was read of many items: the account of their tables, without what is the same in every run."""
    say(_found_of_items(account))


def say_parts(roles: Sequence[Role], warnings: Sequence[str]) -> None:
    """Say which columns play which part in every report of a batch, and what to know of its source."""
    say([*_told(roles), *first([("note", sentence) for sentence in warnings], "note")])


def _found(scores: Account) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line about the scores."""
    yield "data", f"{scores.source.name}: {_read(scores)}, {scores.kept:,} {_counting(scores.kept)}"
    yield from _told(scores.roles)
    yield "scale", _scale(scores.scale, scores.zeros.left_out > 0)
    lines = [("excluded", _excluded(out)) for out in scores.exclusions]
    yield from first(lines, "reason")
    yield from first([("note", sentence) for sentence in scores.warnings], "note")
    yield from first([("not used", f"{column} ({reason})") for column, reason in scores.left_out], "column")


def _found_together(tables: Sequence[Account]) -> Iterator[tuple[str, str]]:
    """Yield label and text of each line about several systems: what they share, then each of them."""
    from reportgen.wording.numbers import many

    baseline = tables[0]
    yield "data", f"{baseline.source.name}: {_read(baseline)}"
    for role in baseline.roles:
        if role.role not in ("system", "run"):
            yield role.role, f"{_listed(role.columns)} ({role.how})"
    yield "scale", _scale(baseline.scale, baseline.zeros.left_out > 0)
    for index, scores in enumerate(tables):
        name, how = next((role.columns[0], role.how) for role in scores.roles if role.role == "system")
        out = scores.outputs
        unscored = f", {out.unusable:,} without a score" if out.unusable else ""
        repeated = getattr(scores, "runs", None)  # of rows that are held
        runs = f", {many(repeated.shape[1], 'run')}" if repeated is not None else ""
        counting = f"{many(scores.kept, 'response')} {_counting(scores.kept)}"
        kept = f"{_listed((name,))} ({how}): {counting}{unscored}{runs}"
        yield ("systems" if index == 0 else ""), kept + (", the baseline" if index == 0 else "")
    yield from first([("note", sentence) for sentence in baseline.warnings], "note")


def _read(scores: Account) -> str:
    """Return how much was read."""
    from reportgen.wording.numbers import many

    responses = many(scores.read, "response")
    if scores.ratings is None:
        return f"{responses} read"
    ratings, raters = many(scores.ratings.n, "rating"), many(scores.ratings.raters, "rater")
    return f"{ratings} of {responses} by {raters} read (one row per rating)"


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
    yield from first([("scale", each) for each in _scales(account["scales"], zeros)], "scale")
    excluded = [
        f"{out['responses']:,} of {many(out['items'], 'item')} because {out['reason']}" for out in account["exclusions"]
    ]
    yield from first([("excluded", each) for each in excluded], "reason")
    yield from first([("note", sentence) for sentence in account["warnings"]], "note")
    left_out = account["columns_left_out"].items()
    yield from first([("not used", f"{column} ({reason})") for column, reason in left_out], "column")


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


def _points(low: float, high: float, step: float) -> str:
    """Return the points of a scale in words."""
    return f"{low:g} to {high:g}" + (f" in steps of {step:g}" if step else ", continuous")


def _excluded(out: Exclusion) -> str:
    """Return an exclusion in words."""
    return f"{out.n:,} because {out.reason} (row{'s' if len(out.first_rows) > 1 else ''} {out.listed_rows()}" + (
        ", ...)" if out.n > len(out.first_rows) else ")"
    )


def _counting(n: int) -> str:
    return "counts" if n == 1 else "count"


def _listed(names: tuple[str, ...]) -> str:
    """Return column names, long ones shortened."""
    return ", ".join(name if len(name) <= 60 else name[:57] + "..." for name in names)
