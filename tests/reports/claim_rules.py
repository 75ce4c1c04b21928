"""Rules that hold between the sentences of a report and its own tables, whatever was scored and by whom."""

import html
import re
from collections.abc import Iterable, Iterator

from claims import NUMBER, Page, Rule, as_number, same

from report_sections.score_distributions import banded
from reportgen.results import Check, Estimate
from reportgen.results.aspects import aspect_of, aspects
from reportgen.results.term import Term
from reportgen.wording.vocabulary import english

STATISTICS = ("qwk", "r", "kappa", "prmse", "smd", "rmse", "exact_agreement", "ac1", "ac2_quadratic")
"""Metrics whose numbers are looked for behind their names."""

INTERVAL = re.compile(rf"({NUMBER})%? \[({NUMBER}), ({NUMBER})\]")


def intervals_are_stored(page: Page) -> Iterator[str]:
    """An estimate with its interval is one of the report's."""
    for found in INTERVAL.finditer(page.text):
        value, low, high = found.groups()
        if not any(
            (same(value, each.value) and sorted(map(same, (low, high), (each.low, each.high)))[0])
            or (same(value, each.value) and same(low, -(each.high or 0)) and same(high, -(each.low or 0)))
            for each in page.estimates
        ):
            yield f"no stored estimate is {found[0]} ({page.text[max(found.start() - 80, 0) : found.start()]!r})"


def named_numbers_are_stored(page: Page) -> Iterator[str]:
    """The number behind the name of a statistic is an estimate of that statistic."""
    words = english()
    for metric in STATISTICS:
        values = [each.value for each in page.estimates if each.metric.startswith(metric)]
        names = {words.statistic(metric), words.statistic(metric, "short")}
        pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        for found in re.finditer(
            rf"(?<![\w-])(?:{pattern})(?: is|:| at| would get)? ({NUMBER})(?![\w,]*\s*%)", page.brief
        ):
            if not any(same(found[1], value) for value in values):
                yield f"no {metric} of this report is {found[0]!r}"


def outcomes_follow_from_intervals(page: Page) -> Iterator[str]:
    """A requirement whose whole interval is on one side of its limits is met, or not met."""
    for check in page.evaluation.checks:
        expected = _outcome(check)
        if expected and check.outcome not in expected:
            yield f"{check.statistic} {check.group} {check.estimate} is {check.outcome}, not {expected}"


def _outcome(check: Check) -> set[str]:
    """Return the outcomes that an estimate and its limits allow; nothing where other things decide."""
    e, low, high = check.estimate, check.low, check.high
    if e.value is None or check.outcome == "insufficient":
        return {"insufficient"} if e.value is None else set()
    if check.by != "interval" or e.low is None or e.high is None or check.doubt == "impossible":
        return set()
    if (low is not None and e.high < low) or (high is not None and e.low > high):
        reached = low is not None and check.best is not None and e.high >= low * (check.best.low or 0)
        return {"not met"} | ({"out of reach"} if reached else set()) | ({"not yet known"} if check.among else set())
    if (low is None or e.low >= low) and (high is None or e.high <= high):
        return {"met", "not met", "not yet known"} if check.strict and {e.low, e.high} & {low, high} else {"met"}
    return {"not yet known", "out of reach"}


def small_samples_have_no_outcome(page: Page) -> Iterator[str]:
    """No coefficient on page one rests on fewer responses than the report judges."""
    least = page.evaluation.facts.get("min_n_per_group") or 10
    few = [each for each in page.estimates if each.defined and each.n < least]
    for found in re.finditer(rf"\b(?:QWK|r|PRMSE|κ) ({NUMBER})", page.brief):
        enough = any(same(found[1], each.value) for each in page.estimates if each.n >= least)
        if not enough and any(same(found[1], each.value) for each in few):
            yield f"{found[0]} rests on fewer than {least} responses"


ORDER = (
    r"\btoo (high|low|often|rarely)\b", r"\bmove closer\b", r"\bfarther\b", r"\bhigher\b", r"\blower\b",
    r"\bpoints?\b", r"\btrimmed\b", r"\bround", r"human scores are 0", r"\bQWK\b", r"\bseverity\b", r"\bscale\b",
)  # fmt: skip
"""Words that suppose that one label is above another."""


def labels_have_no_order(page: Page) -> Iterator[str]:
    """Of labels without order a report says only whether they are the same, and calls them as the file does."""
    evaluation = page.evaluation
    if evaluation.scale.ordered or evaluation.kind not in ("evaluation", "raters"):
        return
    for section, text in page.texts:
        if section not in ("provenance", "criteria"):
            yield from _found(ORDER, re.sub(r"percentage points|[^.\n]*no order[^.\n]*", "", text), section)
    for part in page.report.sections:
        for chart in part.findings.charts:
            names = set(map(str, (*chart.x.categories, *chart.y.categories)))
            if names and names <= {"0", "1", "2", "3", "4"}:
                yield f"{chart.key} has the axis {sorted(names)}"


def one_rater_has_no_second(page: Page) -> Iterator[str]:
    """A report with one rater compares no two raters, and calls none the first."""
    if page.raters == 1 and page.evaluation.kind == "evaluation":
        for section, text in page.texts:
            plain = re.sub(r"[^.\n]*compared with (?:that of )?two raters[^.\n]*|scored by a second rater", "", text)
            yield from _found((r"\bfirst rater", r"\ba second rater(’s)? (would|gives|does|reaches)"), plain, section)


def nobody_is_first_among_equals(page: Page) -> Iterator[str]:
    """Where every rating counts, no rater is the first or the second."""
    if page.interchangeable:
        for section, text in page.texts:
            yield from _found((r"\b[Ff]irst rater", r"score of record is"), text, section)


def continuous_scores_have_no_points(page: Page) -> Iterator[str]:
    """Without score points nothing is given exactly, a point apart, or too often."""
    if page.evaluation.scale.step == 0 and page.evaluation.scale.ordered and page.evaluation.kind == "evaluation":
        found = (
            r"\bsame score\b", r"[Tt]wo or more points", r"whole points", r"\bscore points?\b", r"too (often|rarely)",
            r"exact agreement", r"\bExact\b", r"use every score",
        )  # fmt: skip
        for section, text in page.texts:
            if section not in ("provenance", "criteria"):
                yield from _found(found, text, section)


def two_points_are_not_zeros(page: Page) -> Iterator[str]:
    """On a scale of two points, 0 is a score, and the report does not question it."""
    if page.two_points:
        yield from _found((r"0 means", r"should be excluded"), page.text, "any")


TEST_WORDS = (r"test taker", r"\bboard\b", r"guidelines ask")


def judges_are_not_tests(page: Page) -> Iterator[str]:
    """Where a judge labels outputs nobody took a test."""
    roles = {column for role in page.evaluation.roles if role.role == "system" for column in role.columns}
    if page.two_points or any("judge" in column for column in roles):
        yield from _found(TEST_WORDS, page.brief, "brief")


FAILURES = {
    "groups": r"a new evaluation shows|Decide whether th", "severity": r"(Raise|Lower) all|Rescale the|Recalibrate",
    "agreement": r"[Rr]etrain or change|[Cc]hange .{3,12} prompt|Rescale the scores",
    "accuracy": r"[Rr]etrain or change|[Cc]hange .{3,12} prompt|Rescale the scores|less weight in the test",
}  # fmt: skip
"""What page one says can be done, by the question whose requirement is not met."""


def a_no_shows_what_can_be_done(page: Page) -> Iterator[str]:
    """After No, page one names what can be done about the requirement that failed."""
    if page.evaluation.kind == "evaluation":
        for each in aspects(page.evaluation.checks):
            if each.outcome == "not met" and not re.search(FAILURES.get(each.name, ""), page.brief):
                yield f"{each.name} is not met, and page one shows no way to change that"


def the_answer_names_what_was_not_required(page: Page) -> Iterator[str]:
    """A yes names agreement, accuracy, or fairness if the policy does not require it."""
    verdict = page.evaluation.verdict
    if verdict is None or verdict.decision != "deploy" or verdict.of_raters:
        return
    kinds = {
        "agreement": any(c.statistic.startswith(("system.", "degradation.")) and not c.column for c in verdict.checks),
        "accuracy": any(c.statistic.startswith("true_score.prmse") for c in verdict.checks),
        "fairness": any(c.column for c in verdict.checks),
    }
    for name, asked in kinds.items():
        if not asked and not re.search(rf"does not test [^.]*{name}", page.brief):
            yield f"the answer is yes, and nothing shows that {name} was not required"


def ceilings_are_ceilings(page: Page) -> Iterator[str]:
    """Nothing is promised above what there can be."""
    for found in re.finditer(rf"raise PRMSE from ({NUMBER}) to about ({NUMBER})", page.brief):
        if as_number(found[2])[0] > 1:
            yield f"{found[0]!r}"


def groups_add_up(page: Page) -> Iterator[str]:
    """Groups beyond, within and undecided add up to those that were judged."""
    for found in re.finditer(
        r"Of (\d+) (?:groups?|items?), (.*?(?:beyond the limit|within it|within the limit|inconclusive|not tested))\.",
        page.brief,
    ):
        if int(found[1]) != sum(map(int, re.findall(r"\d+", found[2]))):
            yield found[0]


def clear_differences_are_named(page: Page) -> Iterator[str]:
    """Where a paired difference is clear of 0, no sentence says that the engines do not differ."""
    table = page.evaluation.tables.get("comparison.overall")
    keys = [column.key for column in table.columns] if table else []
    for row in table.rows if table else ():
        cells = dict(zip(keys, row.cells, strict=True))
        change = cells["change"]
        if not isinstance(change, Estimate) or change.metric not in ("qwk", "r", "rmse", "smd", "kappa"):
            continue
        if change.low is not None and change.high is not None and not change.low <= 0 <= change.high:
            opposite = change.metric == "smd"  # neither is better that errs as far to the other side
            texts = (r"do not differ",) if opposite else (r"do not differ", r"No engine is clearly", r"Neither \S+ nor")
            yield from _found(texts, page.brief, str(cells["metric"]))


def runs_keep_their_outcomes(page: Page) -> Iterator[str]:
    """The requirements of compared runs match their own reports, each with its outcome."""
    table = page.evaluation.tables.get("summary.criteria")
    if table is None:
        return
    own = {
        (each["run"], check.statistic, check.low, check.high): check.outcome
        for each in page.evaluation.facts.get("decisions") or ()
        for check in each["checks"]
        if aspect_of(check) != "groups"
    }
    shown = {
        (row.cells[0], required.statistic, required.low, required.high): str(cell).removeprefix("outcome.")
        for row in table.rows
        for column, cell in zip(table.columns[1:], row.cells[1:], strict=True)
        if cell is not None and isinstance(column.label, Term)
        for required in [column.label.values["check"]]
    }
    if shown != own:
        yield f"{shown} differs from {own}"


def limits_are_those_of_requirements(page: Page) -> Iterator[str]:
    """The accuracy that is required is the same everywhere."""
    limits = [check.low for check in page.evaluation.checks if check.statistic == "true_score.prmse"]
    for found in re.finditer(rf"(?:takes an accuracy \(PRMSE\) of at least|needs a PRMSE of) ({NUMBER})", page.text):
        if limits and not any(same(found[1].rstrip("."), limit) for limit in limits):
            yield f"{found[0]!r}, but the requirement is {limits}"


def requirements_are_counted(page: Page) -> Iterator[str]:
    """Page one counts the requirements of the verdict."""
    checks = page.evaluation.checks
    for found in re.finditer(r"(\d+) of (\d+) requirements? met", page.brief):
        if (int(found[1]), int(found[2])) != (sum(check.outcome == "met" for check in checks), len(checks)):
            yield f"{found[0]!r} of {[check.outcome for check in checks]}"


def calibration_is_told_once(page: Page) -> Iterator[str]:
    """The text and the words for the chart count the same engine scores where the means differ."""
    text = re.findall(r"At (?:all )?(\d+) (?:of \d+ )?engine scores, the mean human score differs", page.text)
    chart = re.findall(r"differs detectably from that of the engine at (\d+) of", page.text)
    if chart and [*map(int, chart)] != [*map(int, text or ["0"])]:
        yield f"the text counts {text}, the chart {chart}"


def shares_are_within_the_limit(page: Page) -> Iterator[str]:
    """Shares that are said to be near each other are so in the table."""
    for found in re.finditer(rf"shares are within ({NUMBER}) percentage points of each other", page.text):
        table = banded(page.evaluation.tables["distribution"])
        differences = [abs(row.number("difference") or 0) for row in table.records()]
        if max(differences) > as_number(found[1])[0]:
            yield f"{found[0]!r}, but the differences are {differences}"


def raters_are_a_yardstick_if_conditions_are_met(page: Page) -> Iterator[str]:
    """The outcome of the question about the raters is the worst of the conditions for trusting them."""
    named = {section.name: section.findings for section in page.report.sections}
    if {"human_human_agreement", "human_raters"} <= set(named) and "counts" in named["human_raters"].values:
        states = {each["state"] for each in named["human_raters"].values["counts"]}
        worst = next((each for each in ("not_met", "undecided", "met") if each in states), "insufficient")
        outcome = named["human_human_agreement"].outcome
        if outcome != {"not_met": "not met", "undecided": "not yet known"}.get(worst, worst):
            yield f"the raters are {outcome!r}, the conditions {sorted(states)}"


def open_questions_are_the_undecided_ones(page: Page) -> Iterator[str]:
    """A question whose interval includes the limit is undecided, and nothing else on page one answers it."""
    words, checks = english(), page.evaluation.checks
    answered = [
        words.say(Term(f"whether.{each.name}")) for each in aspects(checks) if each.outcome in ("met", "not met")
    ]
    for found in re.finditer(r"limits?, so (?:it does|they do) not show ([^.]*)", page.brief):
        yield from (f"{found[0]!r}, but that is known" for each in answered if each in found[1])


def names_are_as_in_the_file(page: Page) -> Iterator[str]:
    """A column with an underscore keeps it."""
    columns = {column for role in page.evaluation.roles for column in role.columns} | set(page.evaluation.raters)
    columns |= {str(run) for run in page.evaluation.facts.get("runs") or ()}
    for column in columns:
        changed = re.escape(column.replace("_", " ")) if "_" in column else ""
        if changed and (found := re.search(rf"(?i)(?<!\w){changed}(?!\w)", page.text)):
            yield f"{column} is called {found[0]!r}"


def nothing_is_escaped_twice(page: Page) -> Iterator[str]:
    """A reader sees no code of a character."""
    for text in (page.text, *map(html.unescape, page.tables)):
        yield from _found((r"&(?:#\w+|amp|lt|gt|quot|nbsp);",), text, "any")


def tables_have_rows_and_columns(page: Page) -> Iterator[str]:
    """A table that is drawn has a row, and a column besides the names of the rows, with something in it."""
    for table in page.tables:
        caption = re.sub(r"<[^>]*>", "", (re.findall(r"<caption>(.*?)</caption>", table, re.DOTALL) or [""])[0])
        cells_of = [re.sub(r"<[^>]*>", "", cell).strip() for cell in re.findall(r"<td\b.*?</td>", table, re.DOTALL)]
        if not any(cell not in ("", "–") for cell in cells_of):
            yield f"the table {caption!r} has nothing in its {len(cells_of)} cells"


def _found(patterns: Iterable[str], text: str, section: str) -> Iterator[str]:
    for pattern in patterns:
        for found in re.finditer(pattern, text):
            around = text[max(found.start() - 60, 0) : found.end() + 40].replace("\n", " / ")
            yield f"{section}: …{around}…"


RULES: tuple[Rule, ...] = (
    intervals_are_stored, named_numbers_are_stored, outcomes_follow_from_intervals, small_samples_have_no_outcome,
    labels_have_no_order, one_rater_has_no_second, nobody_is_first_among_equals, continuous_scores_have_no_points,
    two_points_are_not_zeros, judges_are_not_tests, the_answer_names_what_was_not_required, ceilings_are_ceilings,
    a_no_shows_what_can_be_done, clear_differences_are_named, runs_keep_their_outcomes,
    limits_are_those_of_requirements, requirements_are_counted,
    calibration_is_told_once, shares_are_within_the_limit, raters_are_a_yardstick_if_conditions_are_met,
    open_questions_are_the_undecided_ones,
    groups_add_up, names_are_as_in_the_file, nothing_is_escaped_twice, tables_have_rows_and_columns,
)  # fmt: skip
"""What is checked of every report."""
