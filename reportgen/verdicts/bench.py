"""Evaluate policy criteria against the statistics of an evaluation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.errors import InputError, SettingsError, did_you_mean, nearest
from reportgen.metrics import METRICS
from reportgen.metrics.catalogue import metrics_on_points, table_statistics
from reportgen.metrics.krippendorff import OF_LABELS
from reportgen.metrics.tables import CATEGORY_STATISTICS
from reportgen.policies import COMPARED, Criterion, brought
from reportgen.results import GIVEN_TRUE_SCORE, Check, Doubt, Estimate, Evaluation, Table, Term
from reportgen.results.group_statistics import REFERENCE, Statistics
from reportgen.verdicts.assurance import DOUBLE, Lookup, Outlook, lacking, outlook
from reportgen.verdicts.judging import best_in_reach, impossible, in_reach, judge, together
from reportgen.wording.vocabulary import english

FORMS = {"given": "", "trimmed": "_trim", "rounded": "_trim_round"}
"""Names of the forms of the engine's score, and the matching suffixes of score type keys."""

SCORE_TYPES = tuple(family + ending for family in ("raw", "scale") for ending in FORMS.values())
"""Keys of all score types; results contain those that apply."""

POINTS = tuple(f".{key}" for key in metrics_on_points())  # metrics that compare score points: the rounded score is used

TABLES = {
    "system": "system_human.", "human": "human_human.", "degradation": "human_human.degradation",
    "disattenuated": "human_human.disattenuated", "true_score": "true_score.prmse",
}  # fmt: skip
"""Prefixes of the keys of the tables of each family."""

PANEL = "panel.agreement"  # the table of coefficients that are in no other table

UNORDERED = "not for unordered labels"
TWO_CATEGORIES = "only for two categories"
NO_COLUMN = "the data have no group column"
NO_TWO_GROUPS = "no group column has two groups to compare"
NO_PEOPLE = "no group column of test takers"
OF_WEIGHT = "derived from Casabianca et al. (2023) for the item's share of the test's points"
HIDDEN = "the group is withheld, to protect a small group"

OF_GROUPS = ("system.dsm", "human.dsm", GIVEN_TRUE_SCORE)
"""Statistics that compare groups, and have no meaning for all responses together."""


def check(
    criterion: Criterion,
    estimate: Estimate,
    *,
    group: str = "",
    min_n: int = 0,
    rests_on: str = "system",
    lookup: Lookup = lambda _: None,
) -> Check:
    """Evaluate an estimate against a criterion.

    group: The group, if not all responses.
    min_n: Minimum number of responses.
    rests_on, lookup: As for `reportgen.verdicts.assurance.outlook`; `rests_on` is empty if there is nothing to
        evaluate.
    """
    best: Estimate | None = None
    doubt: Doubt = "impossible"
    outcome = judge(estimate, criterion.low, criterion.high, min_n, strict=criterion.strict, by=criterion.by)
    if outcome in ("met", "not yet known") and impossible(estimate):
        outcome = "not yet known"
    else:
        if estimate.defined and criterion.low is not None:
            best = best_in_reach(criterion.statistic, lookup)
        outcome, doubt = in_reach(outcome, criterion.low, best, estimate)
    ahead = Outlook()
    if doubt == "impossible":
        ahead = Outlook(DOUBLE)
    elif outcome == "not yet known":
        ahead = outlook(criterion.statistic, estimate, (criterion.low, criterion.high), rests_on, lookup)
    elif outcome == "insufficient":
        ahead = Outlook(lacking(estimate, rests_on, min_n))
    own = brought(criterion.statistic.rpartition(".")[2])
    return Check(
        label=criterion.label or (own.name if own else Term(criterion.statistic)), estimate=estimate, outcome=outcome,
        low=criterion.low, high=criterion.high, abbreviation=criterion.abbreviation or (own.short if own else ""),
        group=group, source=criterion.source_in_words, strict=criterion.strict, by=criterion.by,
        statistic=criterion.statistic, waits_for=ahead.of, assurance=ahead.offered, cheapest=ahead.cheapest,
        best=best, doubt=doubt,
    )  # fmt: skip


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _facts(facts: Mapping[str, Any], key: str, fits: Callable[[Any], bool]) -> Mapping[str, Any]:
    found = facts.get(key) or {}
    if not isinstance(found, Mapping) or not all(map(fits, found.values())):
        raise InputError(f"facts.{key}: expected an object with one entry for each group column, found {found!r}.")
    return found


class Bench:
    """Evaluates criteria against the statistics of an evaluation."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._statistics = Statistics(evaluation.statistics)
        self._columns = evaluation.groups
        facts = evaluation.facts
        self._design = facts["design"] if isinstance(facts.get("design"), Mapping) else {}
        self._withheld = _facts(facts, "groups_withheld", lambda levels: not isinstance(levels, str | int | float))
        self._min_n_of = _facts(facts, "min_n_by_group", _is_count)
        self._min_n = facts.get("min_n_per_group") or 0
        if not _is_count(self._min_n):
            raise InputError(f"facts.min_n_per_group: expected a whole number, found {self._min_n!r}.")

    def checks(self, criterion: Criterion, policy: str) -> Iterator[Check]:
        """Yield the checks of a criterion: one for all responses, or one for each group."""
        self._refuse_unknown(criterion, policy)
        criterion = self._by_weight(criterion)
        score_type = self._score_type(criterion, policy)
        if not criterion.groups:
            yield self._overall(criterion, score_type)
            return
        every = dict.fromkeys((*self._columns, *self._withheld))  # including groups that are completely hidden
        if isinstance(criterion.groups, tuple):
            columns = criterion.groups
            self._refuse_misspelt(columns, policy)
        else:
            columns = tuple(column for column in every if not self._is_only(criterion.statistic, score_type, column))
            if not columns:
                yield self._missing(criterion, NO_COLUMN if not self._columns else NO_TWO_GROUPS)
            elif self._design.get("groups_of_people") == ():
                yield self._missing(criterion, NO_PEOPLE)
        alone = [check for column in columns for check in self._groups(criterion, score_type, column)]
        yield from together(alone, self._widen) if criterion.simultaneous else alone

    def _by_weight(self, criterion: Criterion) -> Criterion:
        """Return a criterion on accuracy with the limit for the item's share of the points of the test."""
        required = self._design.get("required")
        limit = required.get("limit") if isinstance(required, Mapping) else None
        if criterion.statistic != "true_score.prmse" or criterion.low is None or not isinstance(limit, float):
            return criterion
        if limit <= criterion.low:
            return criterion
        return criterion.model_copy(update={"low": limit, "source": OF_WEIGHT, "source_checked": True})

    def again(self, stored: Sequence[Check]) -> list[Check]:
        """Evaluate `stored` checks again with their bounds and stored statistics; their outcomes are not trusted."""
        found = [self._recheck(each) for each in stored]
        families: dict[tuple[object, ...], list[int]] = {}
        for place, each in enumerate(stored):
            if each.among:
                key = (each.label, each.statistic, each.score_type, each.low, each.high, each.strict, each.source)
                families.setdefault(key, []).append(place)
        for places in families.values():
            for place, check in zip(places, together([found[place] for place in places], self._widen), strict=True):
                found[place] = check
        return found

    def _widen(self, check: Check, wider: Estimate) -> Check:
        """Add the probabilities to an open check on a group, if a wider interval must be beyond a bound."""
        levels = self._statistics.levels(check.statistic, check.score_type, check.column)
        rests_on = next((each.rests_on for each in levels), "")
        ahead = outlook(
            check.statistic, check.estimate, (check.low, check.high), self._resting(check.statistic, rests_on),
            lambda key: self._statistics.one(key, check.score_type, check.column, check.level), wider,
        )  # fmt: skip
        return replace(check, waits_for=ahead.of, assurance=ahead.offered, cheapest=ahead.cheapest)

    def _recheck(self, stored: Check) -> Check:
        criterion = Criterion.model_construct(
            statistic=stored.statistic, low=stored.low, high=stored.high, strict=stored.strict, by=stored.by,
            label=stored.label, abbreviation=stored.abbreviation, source=stored.source,
        )  # fmt: skip
        held = self._statistics.levels(stored.statistic, stored.score_type, stored.column)
        estimate, rests_on = next(
            ((each.estimate, each.rests_on) for each in held if each.level == stored.level or not stored.column),
            (self._stored(stored), _of_headline(stored.statistic) if stored.estimate.defined else ""),
        )
        made = self._check(criterion, estimate, rests_on, stored.score_type, stored.column, stored.level)
        return replace(made, group=stored.group, target=stored.target)

    def _stored(self, stored: Check) -> Estimate:
        if not stored.estimate.defined:
            return stored.estimate
        headline = None if stored.column else self._evaluation.estimates.get(stored.statistic)
        return headline or self._empty_of(stored.statistic)

    def _overall(self, criterion: Criterion, score_type: str) -> Check:
        found = self._statistics.levels(criterion.statistic, score_type)
        if found:
            estimate, rests_on = found[0].estimate, found[0].rests_on
        elif criterion.statistic in self._statistics.keys(by_group=False):
            return self._missing(criterion, f"these results have no score type '{score_type}'")
        elif reason := self._without_meaning(criterion.statistic):
            return self._missing(criterion, reason)
        elif criterion.statistic in self._evaluation.estimates and not criterion.score_type:
            estimate, rests_on = self._evaluation.estimates[criterion.statistic], _of_headline(criterion.statistic)
        else:
            return self._missing(criterion, "the statistic is not computed for all responses in this form")
        return self._check(criterion, estimate, rests_on, score_type, target=self._target(criterion.statistic))

    def _check(
        self, criterion: Criterion, estimate: Estimate, rests_on: str, score_type: str, column: str = "",
        level: str = "", target: str = "",
    ) -> Check:  # fmt: skip
        made = check(
            criterion, estimate, group=f"{column}: {level}" if column else "",
            min_n=int(self._min_n_of.get(column, self._min_n)),
            rests_on=rests_on and self._resting(criterion.statistic, rests_on),
            lookup=lambda key: self._statistics.one(key, score_type, column, level),
        )  # fmt: skip
        second = self._second_rater(made, score_type, column, level) if estimate.defined else None
        given = self._statistics.one(GIVEN_TRUE_SCORE, score_type, column, level) if column else None
        made = replace(made, second=second, given=given if made.statistic == "system.dsm" else None)
        return replace(made, score_type=score_type, column=column, level=level, target=target)

    def _second_rater(self, made: Check, score_type: str, column: str, level: str) -> Estimate | None:
        """Return what a second rater reaches; None for a group in which the interval is wider than the limits."""
        accuracy = made.statistic == "true_score.prmse"
        of_rater = "true_score.prmse_of_ratings_1" if accuracy else made.statistic.replace("system.", "human.", 1)
        found = self._statistics.one(of_rater, score_type, column, level)
        found = found or (None if column else self._evaluation.estimates.get(of_rater))
        if of_rater == made.statistic or not found or not found.defined:
            return None
        width, room = ((each.high or 0.0) - (each.low or 0.0) for each in (found, made))
        return found if not column or width <= room else None

    def _groups(self, criterion: Criterion, score_type: str, column: str) -> Iterator[Check]:
        hidden = self._withheld.get(column, ())
        found = self._statistics.levels(criterion.statistic, score_type, column)
        if self._is_only(criterion.statistic, score_type, column):
            yield self._missing(criterion, f"the group column '{column}' has one group, and none to compare it with")
            return
        if not found and not hidden:
            yield self._missing(criterion, self._why_no_groups(criterion.statistic, column, score_type))
        target = f"by_group.{column}" if f"by_group.{column}" in self._evaluation.tables else ""
        for each in found:
            if each.estimate.reason != REFERENCE:
                yield self._check(criterion, each.estimate, each.rests_on, score_type, column, each.level, target)
        empty = replace(self._empty_of(criterion.statistic), reason=HIDDEN)
        for level in hidden:
            yield self._check(criterion, empty, "", score_type, column, str(level))

    def _why_no_groups(self, statistic: str, column: str, score_type: str) -> str:
        if reason := self._without_meaning(statistic):
            return reason
        if column in self._columns and statistic not in self._statistics.keys(by_group=True):
            return "the statistic is not computed by group"
        if column not in self._columns:
            return f"the data has no group column '{column}'"
        return f"these results have no score type '{score_type}'"

    def _is_only(self, statistic: str, score_type: str, column: str) -> bool:
        if statistic not in OF_GROUPS or self._withheld.get(column):
            return False
        return len(self._statistics.levels(statistic, score_type, column)) == 1

    def _missing(self, criterion: Criterion, reason: str) -> Check:
        return check(criterion, replace(self._empty_of(criterion.statistic), reason=reason), rests_on="")

    def _empty_of(self, statistic: str) -> Estimate:
        for group in self._evaluation.statistics:
            for series in group.series:
                if series.statistic == statistic:
                    return Estimate(series.metric, None, 0, kind=series.kind, level=series.confidence)
        metric = statistic.rpartition(".")[2]
        return Estimate(metric, None, 0, kind=METRICS[metric].kind) if metric in METRICS else Estimate(metric, None, 0)

    def _refuse_unknown(self, criterion: Criterion, policy: str) -> None:
        """Raise if no result could ever answer a criterion."""
        overall = self._statistics.keys(by_group=False)
        known = overall | self._evaluation.estimates.keys() | self._statistics.keys(by_group=True) | set(OF_GROUPS)
        key = criterion.statistic
        if not criterion.groups and key in OF_GROUPS:
            raise SettingsError(f"policy '{policy}': '{key}' compares groups; add groups = true to its criterion.")
        if key not in known and not self._without_meaning(key):
            raise SettingsError(f"policy '{policy}': '{key}' is not a statistic of these results"
                                f"{did_you_mean(key, known)}")  # fmt: skip

    def _without_meaning(self, statistic: str) -> str:
        family, _, metric = statistic.partition(".")
        if not self._evaluation.scale.ordered:
            labels = metric in OF_LABELS or statistic in self._evaluation.estimates
            known = metric in METRICS or english().knows(statistic) or statistic in OF_GROUPS
            return UNORDERED if known and not labels else ""
        entry = table_statistics().get(metric) if family in ("system", "human") else None
        of_two = entry is not None and entry.two_categories
        return TWO_CATEGORIES if of_two and "categories" not in self._evaluation.facts else ""

    def _refuse_misspelt(self, columns: tuple[str, ...], policy: str) -> None:
        """Raise for a misspelled group column; a column that the data do not have is insufficient."""
        known = {*self._columns, *self._withheld}
        for column in columns:
            if column not in known and (near := nearest(column, known)):
                raise SettingsError(f"policy '{policy}': there is no group column '{column}'; did you mean '{near}'?")

    def _score_type(self, criterion: Criterion, policy: str) -> str:
        asked = criterion.score_type
        known = {*FORMS, *SCORE_TYPES, *(each.key for each in self._evaluation.score_types)}
        if asked is not None and asked not in known:
            raise SettingsError(f"policy '{policy}': unknown score type '{asked}'{did_you_mean(asked, known)}")
        facts = self._evaluation.facts
        primary, rounded = str(facts.get("primary") or ""), str(facts.get("primary_rounded") or "")
        if criterion.score_type is None:
            return rounded if criterion.statistic.endswith(POINTS) else primary
        ending = FORMS.get(criterion.score_type)
        return criterion.score_type if ending is None else primary.removesuffix(FORMS["trimmed"]) + ending

    def _resting(self, statistic: str, rests_on: str) -> str:
        given = self._evaluation.facts.get("rater_error_variance_given") is not None
        return "system" if given and statistic.startswith("true_score.") else rests_on

    def _target(self, statistic: str) -> str:
        """Return the table that shows a statistic of all responses."""
        family, _, metric = statistic.partition(".")
        start = TABLES.get(family)
        for key, table in self._evaluation.tables.items():
            if start and key.startswith(start):
                columns = {column.key for column in table.columns}
                of_rows = key.endswith(".categories") and metric in CATEGORY_STATISTICS
                if metric in columns or (family == COMPARED and _has(table, metric)) or of_rows:
                    return key
        return PANEL if family == COMPARED and _has(self._evaluation.tables.get(PANEL), metric) else ""


def _has(table: Table | None, metric: str) -> bool:
    names = {metric, METRICS[metric].label} if metric in METRICS else {metric}
    return table is not None and any(str(row.cells[0]) in names for row in table.rows)


def _of_headline(statistic: str) -> str:
    return "human" if statistic.startswith(f"{COMPARED}.") else "system"
