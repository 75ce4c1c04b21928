"""Show how well the engine's scores agree with the first human score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from report_sections.figures import MOST_POINTS, Matrix, heat_maps
from report_sections.lookup import category_names, estimates_in, for_page, is_drawn, lowest_and_highest, only_points
from reportgen.results.aspects import aspects
from reportgen.sections import Chart, Estimate, Evaluation, Findings, Section, Table, Term

FORMS = ("system_human.descriptives", "system_human.association", "system_human.agreement")
"""Tables with every form of the engine's score."""

CONFUSION = "confusion.system"


@dataclass(frozen=True)
class SystemHumanAgreement(Section, title="Agreement of engine and human scores", needs=("system",)):
    """Show agreement with the first rater, compared with a second rater's, the confusion matrix, and every score form.

    Parameters
    ----------
    confusion
        Whether the section shows the confusion matrix.
    """

    confusion: bool = True

    def findings(self, evaluation: Evaluation) -> Findings:
        """Return agreement with intervals, and the requirement that decides."""
        # of labels without order, also the requirements relative to a second rater
        wanted = ("agreement",) if evaluation.scale.ordered else ("agreement", "second_rater")
        computed = [check for check in evaluation.checks if not check.group and check.statistic in evaluation.estimates]
        checks = [aspect for aspect in aspects(computed) if aspect.name in wanted]
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
        charts = confusion_pair(evaluation) if table and self.confusion and not too_long else ()
        outcome = checks[0].outcome if checks else ""
        return Findings(values=values, tables=more.tables, charts=charts, outcome=outcome)


def _found_of_scores(evaluation: Evaluation) -> Findings:
    called, tables = category_names(evaluation), evaluation.present(*FORMS)
    forms = [table for table in map(_different_forms, tables) if table.rows]
    categories = evaluation.present("system_human.categories") if called else ()
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
    """Return exact agreement of engine and first rater, and between two raters: on the score points, if any."""
    for families in (("panel", "panel.human"), ("system", "human")):
        shares = [evaluation.estimate(f"{family}.exact_agreement") for family in families]
        if shares[0] is not None:
            counted = [each and {"share": each, "same": round((each.value or 0.0) * each.n / 100)} for each in shares]
            return {"engine": counted[0], "raters": counted[1], "drawn": is_drawn(evaluation)}
    return None


def _form(evaluation: Evaluation) -> dict[str, Any]:
    key = str(evaluation.facts.get("primary") or "")
    continuous = any(form.continuous for form in evaluation.score_types if form.key == key)
    return {"rescaled": key.startswith("scale"), "trimmed": "trim" in key, "unrounded": continuous}


def _never_given(evaluation: Evaluation, called: Mapping[str, str]) -> str:
    """Return the category that raters never give."""
    for key, which in (("system.sensitivity", "higher"), ("system.specificity", "lower")):
        if called and key in evaluation.estimates and evaluation.estimates[key].n == 0:
            return called[which]
    return ""


def _different_forms(table: Table) -> Table:
    """Return a table without forms of the score that have no numbers, or the same numbers as an earlier form."""
    kept: list[Any] = []
    for row in table.rows:
        numbers = _numbers(row.cells)
        if any(value is not None for value in numbers) and numbers not in [_numbers(other.cells) for other in kept]:
            kept.append(row)
    return replace(table, rows=tuple(kept))


def _numbers(cells: tuple[Any, ...]) -> list[float | None]:
    return [cell.value for cell in cells if isinstance(cell, Estimate)]


def _same_forms(tables: Sequence[Table]) -> list[str]:
    """Return the forms of the score that are the same in every table, if any."""
    numbers: dict[str, list[list[float | None]]] = {}
    for row in [row for table in tables for row in table.records()]:
        numbers.setdefault(str(row["score_type"]), []).append(_numbers(tuple(row.values())))
    groups: dict[str, list[str]] = {}
    for form, found in numbers.items():
        groups.setdefault(repr(found), []).append(form)
    return next((forms for forms in groups.values() if len(forms) > 1), [])


MOST_BESIDE = 10  # most score points for two heat maps side by side


def confusion_pair(evaluation: Evaluation) -> tuple[Chart, ...]:
    """Return the scores that the engine and a second rater give for each score of the first rater."""
    what = "score" if evaluation.scale.ordered else "label"
    found = list(zip(("engine", "second_rater"), evaluation.present(CONFUSION, "confusion.human"), strict=False))
    maps = [(Term(f"panel_{who}"), Term(f"{who}_{what}"), Matrix.of(table)) for who, table in found]
    matrix = maps[0][2]
    alt = Term("confusion_alt", rows=matrix.told())
    shown = maps if len(matrix.rows) <= MOST_BESIDE else maps[:1]
    return (heat_maps(f"{CONFUSION}.chart", alt, shown, Term(f"first_rater_{what}"), Term("percent_of_row")),)


def found_of_labels(evaluation: Evaluation) -> Findings:
    """Return how well engine and raters agree on labels."""
    groups = evaluation.present(*(f"labels.by.{column}" for column in evaluation.groups))
    apart = [
        {"column": column, "level": str(row["level"]), "difference": row["kappa_difference"]}
        for column in evaluation.groups
        for row in evaluation.records(f"labels.by.{column}")
        if row.apart("kappa_difference")
    ]
    values = {
        "case": "labels", "labels": _best_and_worst(evaluation), "apart": apart, "groups": list(evaluation.groups),
        "forms": [], "same": [],
    }  # fmt: skip
    tables = evaluation.present("labels.system", "labels.degradation", "labels.human")
    return Findings(values=values, tables=(*tables, *(for_page(table, "kappa_difference") for table in groups)))


def _best_and_worst(evaluation: Evaluation) -> dict[str, Any] | None:
    least = max(evaluation.count("min_n_per_group"), 1)
    rows = [row for row in evaluation.records("labels.system") if (row.number("human_n") or 0) >= least]
    found = estimates_in(rows, "label", "recall")
    if len({share.value for _, share in found}) < 2:
        return None
    worst, best = lowest_and_highest(found, "label", "share")
    return {"best": best, "worst": worst}
