"""What the section on group differences says of the units of its regressions."""

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.testing import text_of


@pytest.mark.parametrize(("candidates", "said"), [(120, True), (240, False)])
def test_regressions_by_response_are_noted_if_candidates_are_units(candidates: int, said: bool) -> None:
    rng = np.random.default_rng(3)
    number = np.arange(240) % candidates
    human = rng.integers(1, 7, 240)
    data = pd.DataFrame({
        "candidate_id": [f"C{each}" for each in number], "gender": np.where(number % 2, "f", "m"),
        "rater_1": human, "engine": np.round(human + rng.normal(0, 0.8, 240), 2),
    })  # fmt: skip
    report = reportgen.evaluate(data, scale="1:6")
    section = next(each for each in report.sections if each.name == "group_differences")
    assert ("Responses are clustered here" in text_of(section, report.evaluation)) is said
