"""Test that the agreement panel follows Yannakoudakis and Cummins (2015) and compares agreement with ranks."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import evaluation_of

from report_sections.agreement_panel import AgreementPanel
from reportgen.results import Estimate, Evaluation
from reportgen.testing import text_of

FAR = "scores are farther off than raters' scores, but responses are in the right order."
NEAR = "scores are accurate and rank errors are small."


def evaluated(frame: pd.DataFrame, **more: Any) -> Evaluation:
    human = [str(column) for column in frame if str(column).startswith("h")]
    return evaluation_of(frame, system="system", human=human, **{"scale": "1:10", **more})


def ratings(n: int = 400, error: float = 0.7) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    first = np.clip(np.rint(rng.normal(4.5, 1.2, n)), 1, 7)
    return rng, first, np.clip(np.rint(first + rng.normal(0, error, n)), 1, 10)


@pytest.fixture(scope="module")
def far() -> Evaluation:
    """An engine three points too high throughout: the order is kept."""
    _, first, second = ratings()
    return evaluated(pd.DataFrame({"system": first + 3, "h1": first, "h2": second}))


@pytest.fixture(scope="module")
def near() -> Evaluation:
    """A second rater about two points too high in nearly the same order; an engine that is often one point off."""
    rng, first, _ = ratings()
    second, system = first + 2 + (rng.random(len(first)) < 0.05), first + rng.integers(-1, 2, len(first))
    return evaluated(pd.DataFrame({"system": system, "h1": first, "h2": second}))


def test_low_agreement_with_high_rank_correlation_means_large_errors_in_order(far: Evaluation) -> None:
    text = text_of(AgreementPanel(), far)
    assert f"According to Yannakoudakis and Cummins (2015), this means that {FAR}" in text
    assert NEAR not in text.words


def test_low_rank_correlation_with_high_agreement_means_small_errors_of_rank(near: Evaluation) -> None:
    text = text_of(AgreementPanel(), near)
    assert f"According to Yannakoudakis and Cummins (2015), this means that {NEAR}" in text
    assert FAR not in text.words


@given(
    agreement=st.tuples(st.floats(-0.5, 0.5), st.floats(0.001, 0.4)),
    ranks=st.tuples(st.floats(-0.5, 0.5), st.floats(0.001, 0.4)),
)
@settings(max_examples=60, deadline=None)
def test_low_is_clearly_below_two_raters_and_high_is_at_least_their_level(
    near: Evaluation, agreement: tuple[float, float], ranks: tuple[float, float]
) -> None:
    made = {
        key: Estimate(key.partition(".")[2], value, 100, value - half, value + half, kind="difference")
        for key, (value, half) in (("degradation.ac2_quadratic", agreement), ("degradation.tau_b", ranks))
    }
    found = AgreementPanel().findings(replace(near, estimates={**near.estimates, **made})).values["ranks"]
    low = [sum(each) < 0 for each in (agreement, ranks)]
    high = [each[0] >= 0 for each in (agreement, ranks)]
    expected = "far_in_order" if low[0] and high[1] else "near_out_of_order" if high[0] and low[1] else None
    assert found.get("pattern") == expected


def test_nothing_is_interpreted_without_a_second_rater(far: Evaluation) -> None:
    _, first, _ = ratings()
    assert "this means" not in text_of(AgreementPanel(), evaluated(pd.DataFrame({"system": first + 3, "h1": first})))
    assert "this means" in text_of(AgreementPanel(), far).words


@pytest.mark.parametrize(("language", "words"), [
    ("en", "Yannakoudakis and Cummins (2015) recommend AC with quadratic weights, reported together with a rank "
           "correlation. They advise against kappa, which depends on how scores are distributed. They give no limit."),
    ("es", "Yannakoudakis y Cummins (2015) recomiendan AC con pesos cuadráticos, e informar junto a él de una "
           "correlación de rangos. Desaconsejan kappa, que depende de cómo se distribuyen las puntuaciones."),
])  # fmt: skip
def test_the_recommendation_is_cited_where_coefficients_are_chosen(far: Evaluation, language: str, words: str) -> None:
    text = text_of(AgreementPanel(), far, language=language)
    assert words in text
    assert "none is right for every use" not in text.words
    assert "ninguno sirve para todo" not in text.words


def test_scales_without_points_and_labels_have_separate_advice() -> None:
    rng, first, second = ratings()
    off, blurred = rng.normal(0, 0.3, len(first)), rng.normal(0, 0.1, len(first))
    smooth = pd.DataFrame({"system": first + off, "h1": first + blurred, "h2": second})
    assert "judge agreement on points" in text_of(AgreementPanel(), evaluated(smooth, scale="0:10:0")).words
    names = np.array(["a", "b", "c", "d"])[first.astype(int) % 4]
    labels = evaluated(pd.DataFrame({"system": names, "h1": np.roll(names, 1)}), scale=None, unordered=True)
    assert "advise against kappa, which depends on how labels are distributed" in text_of(AgreementPanel(), labels)
