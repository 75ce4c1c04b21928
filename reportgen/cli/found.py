"""Terminal lines about the scores that were read, and what a run wrote and decided."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.cli.printing import first, say, words_of
from reportgen.results import WORST_FIRST, Term
from reportgen.scores.pivot import PACKED
from reportgen.scores.screening import because
from reportgen.wording.names import capital
from reportgen.wording.numbers import many
from reportgen.wording.vocabulary import Vocabulary

if TYPE_CHECKING:
    from reportgen.results import Evaluation, Report, Role, Scale, Source, Verdict
    from reportgen.scores import Account, Exclusion
    from reportgen.scores.looking import GroupSizes, Look
    from reportgen.settings import Settings

Line = tuple[str, str]

MOST_COUNTS = 4  # most counts of ratings per response to print


def lines_read(tables: Sequence[Account], settings: Settings | None = None) -> Iterator[Line]:
    """Yield lines about what was read from one system, or from several: first what they share."""
    from reportgen.scores.left_out import people_of

    scores, several = tables[0], len(tables) > 1
    yield "data", f"{scores.source.name}: {_read(scores, several=several)}"
    yield from role_lines(role for role in scores.roles if not several or role.role not in ("system", "run"))
    found = people_of(scores, named=settings is not None and settings.data.show_rater_names)
    if found.names != tuple(scores.raters):  # the columns do not show them
        who = f": {_listed(found.names)}" if found.names else " (to show their names, add --show-rater-names)"
        yield "raters", f"{many(found.n, 'rater')}{who}"
    if not several:
        yield from _design(scores)
    yield "scale", _scale(scores.scale, scores.read_by)
    yield from _systems(tables) if several else _responses(scores, settings)
    yield from first("note", scores.warnings, "note")
    yield from _unused(each for each in scores.left_out if all(each in other.left_out for other in tables))


def lines_of_doubts(tables: Sequence[Account], evaluation: Evaluation) -> Iterator[Line]:
    """Yield lines about doubts that the account of the only system's scores does not contain."""
    scores, facts = tables[0], evaluation.facts
    if moved := facts.get("scores_trimmed"):
        ends, were = f"{facts['trim_low']:g} to {facts['trim_high']:g}", "was" if moved == 1 else "were"
        text = f"{moved:,} of {many(scores.kept, 'engine score')} {were} trimmed to {ends}"
        yield "note", f"{text}, so that they round to scores on the scale."
    doubts = facts.get("doubts") or ()
    yield from first("warning", [_with_hint(doubt) for doubt in doubts if doubt not in scores.warnings], "warning")


def _with_hint(doubt: str) -> str:
    """Return a doubt in words, followed by the option that helps."""
    if not isinstance(doubt, Term):
        return doubt
    words = Vocabulary()
    return f"{words.say(doubt)} {words.say(doubt.values.get('hint'))}".strip()


def lines_of_systems_in_doubt(tables: Sequence[Account], evaluation: Evaluation) -> Iterator[Line]:
    """Yield lines about doubts about some systems, unless the first system already showed them."""
    told = evaluation.facts.get("doubts_of_systems") or ()
    found = [
        f"{_listed(tuple(systems)) if len(systems) < len(tables) else f'all {len(tables)} engines'}: {sentence}"
        for sentence, systems in told
        if sentence not in tables[0].warnings or len(systems) < len(tables)
    ]
    return first("warning", found, "warning")


def _responses(scores: Account, settings: Settings | None) -> Iterator[Line]:
    """Yield ratings per response, if their numbers differ, small groups, and what was excluded."""
    from reportgen.scores.looking import group_sizes, ratings_per_response

    found = ratings_per_response(scores)
    if len(found) > 1:
        texts = [f"{many(k, 'rating')} for {many(n, 'response')}" for k, n in found.items()]
        shown = texts if len(texts) <= MOST_COUNTS else [*texts[: MOST_COUNTS - 1], f"up to {texts[-1]}"]
        yield "ratings", ", ".join(shown)
    if settings is not None:
        yield from _sizes([each for each in group_sizes(scores, settings) if each.small])
    yield from first("excluded", map(_excluded, scores.exclusions), "reason")


def lines_of_traits(
    source: Source, traits: Sequence[str], tables: Sequence[Account], told: Sequence[str]
) -> Iterator[Line]:
    """Yield lines about each trait of a file."""
    yield "data", f"{source.name}: {many(source.rows, 'row')} read"
    for index, (name, scores) in enumerate(zip(traits, tables, strict=True)):
        points = _points(scores.scale.low, scores.scale.high, scores.scale.step)
        how = f"({'detected' if scores.scale.assumed else 'specified'}); {many(scores.kept, 'response')} used"
        columns = f"human {_listed(scores.raters)}; engine {_listed(scores.columns('system'))}"
        yield ("traits" if index == 0 else ""), f"{name}: {columns}; {points} {how}"
    yield from first("note", told, "note")


def lines_of_look(found: Look, command: str) -> Iterator[Line]:
    """Yield lines about a file: contents, possible analyses, missing columns, and the next command."""
    if found.traits:
        yield from lines_of_traits(found.source, found.traits, found.accounts, found.notes)
    elif found.accounts:
        yield from lines_read(found.accounts)
    else:
        yield "data", f"{found.source.name}: {many(found.source.rows, 'row')} read"
        yield from role_lines(found.roles)
        yield from _unused(found.left_out, "with --json")
    yield "layout", f"one row per {'rating' if found.long else 'response'} ({found.why})"
    yield from _sizes(found.groups)
    for each in found.questions:
        text, *answers = re.split(r"(?<=[?.]) (?=1\. )|; (?=[2-9]\. )", each)
        yield "question" if answers else "problem", text
        yield from (("", answer.removesuffix(".")) for answer in answers)
    possible = [each.name for each in found.analyses if not each.missing]
    if possible:
        yield "available", ", ".join(possible)
    for missing in dict.fromkeys(each.missing for each in found.analyses if each.missing):
        names = ", ".join(each.name for each in found.analyses if each.missing == missing)
        yield "unavailable", f"{names} (requires {missing})"
    unlabelled = any("--labels-file" in each and "1. " not in each for each in found.questions)
    fix = " (after you fix the problem)" * bool(found.questions and not found.answer)
    yield "for answer 1" if found.answer else "next", command + (" --labels-file FILE" if unlabelled else fix)


def _sizes(groups: Sequence[GroupSizes]) -> Iterator[Line]:
    lines = []
    for each in groups:
        small = f", {each.small:,} of them with fewer than {many(each.least, 'response')}" if each.small else ""
        lines.append(f"{_listed((each.column,))}: {many(each.groups, 'group')}{small}")
    yield from first("group sizes", lines, "column")


def _systems(tables: Sequence[Account]) -> Iterator[Line]:
    for index, scores in enumerate(tables):
        name, how = next((role.columns[0], role.how) for role in scores.roles if role.role == "system")
        out = scores.outputs
        unscored = f", {out.unusable:,} without a score" if out.unusable else ""
        repeated = getattr(scores, "runs", None)  # of rows that are held
        runs = f", {many(repeated.shape[1], 'run')}" if repeated is not None else ""
        baseline = "" if index else "; baseline"
        kept = f"{_listed((name,))} ({how}{baseline}): {many(scores.kept, 'response')} used{unscored}{runs}"
        yield ("" if index else "engines"), kept


def _design(scores: Account) -> Iterator[Line]:
    """Yield the rater with whom engines are compared, if there are several raters."""
    design = scores.design
    if not scores.systems or len(scores.raters) < 2:
        return
    if design.interchangeable:
        why = f"{words_of(__file__)['no_record'][design.why]}; to choose one rater, add --record NAME"
        yield "compared with", f"all raters, treated as interchangeable ({why})"
        return
    of_rows = "the specified rater" if design.why == "asked" else "the rater whose name comes first"
    who = _listed(scores.raters[:1]) if scores.ratings is None else of_rows
    yield "compared with", f"{who} (for another, add --record NAME; if raters are interchangeable, add --record any)"


def _read(scores: Account, *, several: bool) -> str:
    responses = many(scores.read, "response")
    if scores.ratings is None:
        return f"{responses} read" + ("" if several else f", {scores.kept:,} used")
    read = f"read {many(scores.ratings.n, 'rating')} of {responses} by {many(scores.ratings.raters, 'rater')}"
    return f"{read} (one row per rating)" + ("" if several else f"; {many(scores.kept, 'response')} used")


def role_lines(roles: Iterable[Role]) -> Iterator[Line]:
    """Yield a line for each role of columns."""
    for role in roles:
        if role.how != PACKED:  # columns of rows with one rating have no names of their own
            yield role.role.replace("system", "engine"), f"{_listed(role.columns)} ({role.how})"


def lines_of_items(account: Mapping[str, Any]) -> Iterator[Line]:
    """Yield lines about what was read from many items."""
    source, items = account["source"], account["items"]
    read, kept = source["rows"], account["responses_evaluated"]
    yield "data", f"{source['name']}: {many(read, 'response')} read, {kept:,} used"
    yield "items", f"{items:,} of {items + len(account['items_not_evaluated']):,}"
    least, withheld = account["settings"]["statistics"]["min_n_per_group"], len(account["items_withheld"])
    if withheld:
        yield "withheld", f"{many(withheld, 'item')} that have fewer than {least} responses or would reveal such items"
    if not account["protected"]:
        yield "not protected", f"items with fewer than {least} responses are shown"
    for role in account["roles"]:
        unused = "; not used: intervals treat responses as independent" if role["role"] == "candidate" else ""
        yield role["role"], f"{_listed(role['columns'])} ({role['how']}{unused})"
    yield from first("scale", _scales(account["scales"]), "scale")
    excluded = account["exclusions"]
    texts = (f"{out['responses']:,} of {many(out['items'], 'item')} because {out['reason']}" for out in excluded)
    yield from first("excluded", texts, "reason")
    yield from first("note", account["warnings"], "note")
    yield from _unused(account["columns_left_out"].items())


def _unused(columns: Iterable[tuple[str, str]], where: str = "in the report") -> Iterator[Line]:
    return first("not used", (f"{column} ({reason})" for column, reason in columns), "column", where)


def _scales(scales: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the scales of items, the most frequent first, and how to change them."""
    counted: Counter[tuple[float, float, float, bool]] = Counter()
    for scale in scales:
        counted[scale["low"], scale["high"], scale["step"], scale["assumed"]] += scale["items"]
    for (low, high, step, assumed), items in counted.most_common():
        yield f"{_points(low, high, step)} in {many(items, 'item')} ({'detected' if assumed else 'specified'})"
    if any(assumed for *_, assumed in counted):
        yield "detected from each item's scores; if a scale is longer, use --scales FILE, or --scale LOW:HIGH for all"


def _scale(scale: Scale, read_by: str) -> str:
    """Return the scale in words, and how to change it; a reader of judge outputs may declare it."""
    from reportgen.scores.scale import typed

    if scale.labels:
        return f"{', '.join(scale.labels)} ({'lowest first' if scale.ordered else 'without order'})"
    points = _points(scale.low, scale.high, scale.step)
    if not scale.assumed:
        return f"{points} (specified{f', or from the format {read_by!r}' * bool(read_by)})"
    if scale.low == scale.high:
        return f"{scale.low:g} (detected: all scores are equal; set the full scale with --scale LOW:HIGH)"
    hint = f"add --scale {typed(scale.low, scale.high, scale.step)} to confirm it; if the scale is wider, specify it"
    return f"{points} (detected from the scores; {hint})"


def _points(low: float, high: float, step: float) -> str:
    return f"{low:g} to {high:g}" + (f" in steps of {step:g}" if step else ", continuous")


def _excluded(out: Exclusion) -> str:
    first = f"row{'s' * (len(out.first_rows) > 1)} {', '.join(map(str, out.first_rows))}"
    rows = f"{first}{', ...' * (out.n > len(out.first_rows))}"
    return f"{out.n:,} {because(out.reason)} ({rows})"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(name if len(name) <= 60 else name[:57] + "..." for name in names)


PAGES = ("report.html", "report.pdf", "report.docx", "brief.pdf", "results.json")  # files whose paths are printed


def say_written(folder: Path, prefix: str = "") -> None:
    """Print the paths of a report; file names start with `prefix`."""
    paths = (folder / f"{prefix}{name}" for name in PAGES)
    files = [str(path) for path in paths if path.is_file()]
    say([("report" if index == 0 else "", file) for index, file in enumerate(files)])


def say_to_read(pages: Sequence[Path]) -> None:
    """Print the paths of the responses to read, and which to keep apart."""
    if pages:
        words = Vocabulary()
        label, apart = words.say(Term("told_to_read")), words.say(Term("told_keep_apart"))
        say([*((label if index == 0 else "", str(page)) for index, page in enumerate(pages)), ("", apart)])


def say_headline(report: Report) -> None:
    """Print the first finding of a comparison or summary."""
    from reportgen.rendering.notebook import first_finding

    found = first_finding(report)
    say([("result", found)] if found else [])


def say_decisions(decisions: Sequence[str]) -> None:
    """Print how many reports have each decision, the most frequent first."""
    word = Vocabulary().phrases("decision").answer_word
    counted = Counter(word(decision) for decision in decisions if decision).most_common()
    say([("results", "; ".join(f"{answer}: {many(n, 'report')}" for answer, n in counted))] if counted else [])


def say_verdict(verdict: Verdict, system: str = "", *, briefly: bool = False) -> None:
    """Print a verdict and, unless `briefly`, the requirements that are not met or undecided."""
    words = Vocabulary()
    decision, said = words.phrases("decision"), words.phrases("say")
    lines = [("verdict", (f"{system}: " if system else "") + decision.verdict(verdict))]
    for outcome in WORST_FIRST[:-1]:
        found = [] if briefly else verdict.of(outcome)
        label = said.outcome(found[0]) if found else ""
        texts = ((str if check.column else capital)(decision.check(check)) for check in found)
        lines += first(label, texts, "requirement")
    say(lines)


def say_remark(label: str, remark: str) -> None:
    """Print a remark, if there is one."""
    say([(label, remark)] if remark else [])
