"""How well the engine's scores agree with the first human score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from report_sections.groups import for_page
from report_sections.lookup import (
    SYSTEM,
    apart_from,
    category_names,
    estimate_of,
    estimates_in,
    fact,
    lowest_and_highest,
    number,
    only_points,
    records,
    rows_of,
    tables_of,
)
from report_sections.score_figures import Matrix, heat_maps
from report_sections.shares import MOST_POINTS
from reportgen.results.aspects import Aspect, aspects
from reportgen.sections import Chart, Estimate, Evaluation, Findings, Section, Table, Term

FORMS = ("system_human.descriptives", "system_human.association", "system_human.agreement")
"""Tables of every form of the engine's score."""

CONFUSION = "confusion.system"


@dataclass(frozen=True)
class SystemHumanAgreement(Section):
    """Agreement with the first rater beside that of a second rater, the confusion matrix, every form of the score.

    Parameters
    ----------
    confusion
        Whether the section shows the confusion matrix.
    """

    name: ClassVar[str] = "system_human_agreement"
    title: ClassVar[str] = "Agreement of engine and human scores"
    needs: ClassVar[tuple[str, ...]] = ("system",)

    confusion: bool = True

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return agreement with intervals, and the requirement that decides."""
        checks = agreement_checks(evaluation)
        leading = checks[0].leading if checks else None
        more = found_of_labels(evaluation) if not evaluation.scale.ordered else _found_of_scores(evaluation)
        table = evaluation.tables.get(CONFUSION)
        too_long = table is not None and len(table.rows) > MOST_POINTS
        values = {
            "check": leading,
            "exact": _exact(evaluation),
            "form": _form(evaluation),
            "too_long": {"points": len(table.rows), "file": table.file_name} if table and too_long else None,
            **more.values,
        }
        charts = self._charts(evaluation)
        outcome = checks[0].outcome if checks else ""
        return Findings(values=values, tables=more.tables, charts=charts, outcome=outcome)

    def _charts(self, evaluation: Evaluation) -> tuple[Chart, ...]:
        table = evaluation.tables.get(CONFUSION)
        if not self.confusion or table is None or len(table.rows) > MOST_POINTS:
            return ()
        return (confusion_pair(table, evaluation.tables.get("confusion.human"), ordered=evaluation.scale.ordered),)


def agreement_checks(evaluation: Evaluation) -> tuple[Aspect, ...]:
    """Return the requirements on agreement with raters; of labels without an order those beside a second rater, too."""
    wanted = ("agreement",) if evaluation.scale.ordered else ("agreement", "second_rater")
    computed = [check for check in evaluation.checks if not check.group and check.statistic in evaluation.estimates]
    return tuple(aspect for aspect in aspects(computed) if aspect.name in wanted)


def _found_of_scores(evaluation: Evaluation) -> Findings:
    called = category_names(evaluation)
    tables = list(tables_of(evaluation, *FORMS))
    forms = [table for table in map(_different_forms, tables) if table.rows]
    categories = [table] if called and (table := evaluation.tables.get(SYSTEM)) else []
    values = {
        "case": "categories" if called else "scores",
        "categories": dict(called),
        "only_points": only_points(evaluation),
        "never": _never_given(evaluation, called),
        "middle": (evaluation.scale.low + evaluation.scale.high) / 2,
        "unit": evaluation.facts.get("level_unit") or "",
        "forms": [table.key for table in forms],
        "same": _same_forms(tables),
    }
    return Findings(values=values, tables=(*categories, *forms))


def _exact(evaluation: Evaluation) -> dict[str, Any] | None:
    """Return exact agreement of engine and first rater, and that of two raters: on the points of the scale, if any."""
    for engine, raters in (("panel", "panel.human"), ("system", "human")):
        found, theirs = (estimate_of(evaluation, f"{family}.exact_agreement") for family in (engine, raters))
        if found is not None:
            drawn = (evaluation.facts.get("design") or {}).get("record", "") is None
            return {"engine": _counted(found), "raters": None if theirs is None else _counted(theirs), "drawn": drawn}
    return None


def _counted(share: Estimate) -> dict[str, Any]:
    return {"share": share, "same": round((share.value or 0.0) * share.n / 100)}


def _form(evaluation: Evaluation) -> dict[str, Any]:
    key = str(evaluation.facts.get("primary") or "")
    continuous = any(form.continuous for form in evaluation.score_types if form.key == key)
    return {"rescaled": key.startswith("scale"), "trimmed": "trim" in key, "unrounded": continuous}


def _never_given(evaluation: Evaluation, called: Mapping[str, str]) -> str:
    """Return the category that raters never give; nothing is known of it."""
    for key, which in (("sensitivity", "higher"), ("specificity", "lower")):
        estimate = evaluation.estimates.get(f"system.{key}")
        if called and estimate is not None and not estimate.defined and estimate.n == 0:
            return called[which]
    return ""


def _different_forms(table: Table) -> Table:
    """Return a table without forms of the score that have no number in it, or the numbers of a form before."""
    kept: list[Any] = []
    for row in table.rows:
        numbers = _numbers(row.cells)
        if any(value is not None for value in numbers) and numbers not in [_numbers(other.cells) for other in kept]:
            kept.append(row)
    return replace(table, rows=tuple(kept))


def _numbers(cells: tuple[Any, ...]) -> list[float | None]:
    return [cell.value for cell in cells if isinstance(cell, Estimate)]


def _same_forms(tables: list[Table]) -> list[str]:
    """Return the forms of the score that are the same in every table, where some are."""
    if not tables:
        return []
    groups: dict[str, list[str]] = {}
    for row in records(tables[0]):
        key = repr([_numbers(tuple(each.values())) for table in tables for each in records(table)
                    if each["score_type"] == row["score_type"]])  # fmt: skip
        groups.setdefault(key, []).append(row["score_type"])  # type: ignore[arg-type]
    return next((forms for forms in groups.values() if len(forms) > 1), [])


MOST_BESIDE = 10
"""Points of a scale whose two heat maps still fit beside each other."""


def confusion_pair(engine: Table, raters: Table | None, *, ordered: bool) -> Chart:
    """Return which score the engine gives for each score of the first rater, and which a second rater gives.

    `engine`, `raters`: Numbers of responses: the row's name, one column for each point of the scale, then "total".  A
    row is a score of the first rater, a column one of the engine, or of the second rater. `ordered`: Whether the points
    are scores; otherwise they are labels.
    """
    what = "score" if ordered else "label"
    matrix = Matrix.of(engine)
    maps = [(Term("panel_engine"), Term(f"engine_{what}"), matrix)]
    if raters is not None and len(matrix.rows) <= MOST_BESIDE:
        maps.append((Term("panel_second_rater"), Term(f"second_rater_{what}"), Matrix.of(raters)))
    told = [_said(row, matrix.columns, line) for row, line in zip(matrix.rows, matrix.counts, strict=True)]
    alt = Term("confusion_alt", rows=told)
    return heat_maps(f"{engine.key}.chart", alt, maps, Term(f"first_rater_{what}"), Term("percent_of_row"))


def _said(row: str, columns: tuple[str, ...], line: tuple[int, ...]) -> dict[str, object]:
    same = line[columns.index(row)] if row in columns else 0
    others = [(cell, other) for cell, other in zip(line, columns, strict=True) if other != row]
    most, other = max(others, default=(0, ""), key=lambda pair: pair[0])
    return {"score": row, "n": sum(line), "same": same, "other": other if most else ""}


TABLES = ("labels.system", "labels.degradation", "labels.human")


def found_of_labels(evaluation: Evaluation) -> Findings:
    """Return how well engine and raters agree on labels."""
    known = list(tables_of(evaluation, *TABLES))
    groups = [table for column in evaluation.groups if (table := evaluation.tables.get(f"labels.by.{column}"))]
    values = {
        "case": "labels",
        "labels": _best_and_worst(evaluation),
        "apart": _groups_apart(evaluation),
        "groups": list(evaluation.groups),
        "forms": [],
        "same": [],
    }
    return Findings(values=values, tables=(*known, *(for_page(table, "kappa_difference") for table in groups)))


def _best_and_worst(evaluation: Evaluation) -> dict[str, Any] | None:
    least = max(fact(evaluation, "min_n_per_group"), 1)
    rows = [row for row in rows_of(evaluation, "labels.system") if (number(row["human_n"]) or 0) >= least]
    found = estimates_in(rows, "label", "recall")
    if len({share.value for _, share in found}) < 2:
        return None
    worst, best = lowest_and_highest(found, "label", "share")
    return {"best": best, "worst": worst}


def _groups_apart(evaluation: Evaluation) -> list[dict[str, Any]]:
    found = []
    for column in evaluation.groups:
        found += [
            {"column": column, "level": str(row["level"]), "difference": cell}
            for row in rows_of(evaluation, f"labels.by.{column}")
            if apart_from(cell := row["kappa_difference"])
        ]
    return found
