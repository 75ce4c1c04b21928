"""One test form under every condition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.scale_scores.reported_scores import Floats, Reported, Reporting, base_items, report_scores
from reportgen.studies.score_impact.conditions import AUTOMATED, HUMAN, rounded
from reportgen.studies.score_impact.test import Test


@dataclass(frozen=True)
class FormPart:
    """What is to be done for one form: the test, the form's name, every version of the automated score, the scale."""

    test: Test
    form: str
    versions: Mapping[str, Floats]
    reporting: Reporting


@dataclass(frozen=True)
class FormResult:
    """What one form reports.

    Parameters
    ----------
    name
        Of the form.
    reported
        Condition -> scores, the human score first.
    """

    name: str
    reported: Mapping[str, Reported]

    def difference(self, condition: str, reference: str) -> tuple[float, float]:
        """Return mean and root mean square of scale score differences from a reference condition."""
        gap = self.reported[condition].scores - self.reported[reference].scores
        return float(gap.mean()), float(np.sqrt((gap**2).mean()))

    def exact_agreement(self, condition: str, reference: str = HUMAN) -> float:
        """Return the percentage of test takers whose performance level is the same; nan without scores."""
        one, other = self.reported[condition], self.reported[reference]
        if one.problem or other.problem:
            return float("nan")
        return float(100 * (one.levels == other.levels).mean())

    def moved(self, condition: str) -> tuple[float, float]:
        """Return the percentages whose performance level is lower, and higher, than by the human score."""
        gap = self.reported[condition].levels - self.reported[HUMAN].levels
        return float(100 * (gap < 0).mean()), float(100 * (gap > 0).mean())


def analyse_form(part: FormPart) -> FormResult:
    """Return the scale scores of one form with the human score and with every version of the automated one."""
    test = part.test
    columns = list(part.test.forms[part.form])
    most = [test.most[column] for column in columns]
    scores = test.scores[:, columns]
    human = report_scores(scores, most, part.reporting)
    base = base_items(human.calibration, part.reporting) if human.calibration else None
    start = human.calibration.items if human.calibration else None
    reported = {HUMAN: human}
    for name, version in part.versions.items():
        if human.problem:
            reported[name] = Reported.none(len(scores), "there is no human calibration to link to")
            continue
        changed = scores.copy()
        changed[:, -1] = rounded(version, most[-1])
        reported[name] = report_scores(changed, most, part.reporting, base, start)
    return FormResult(part.form, reported)


__all__ = ["AUTOMATED", "HUMAN", "FormPart", "FormResult", "analyse_form"]
