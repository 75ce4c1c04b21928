"""The page of score-impact says all that Casabianca et al. (2023) print and conclude, and chooses nothing."""

from __future__ import annotations

import numpy as np
import pytest

import reportgen
from report_sections.study_published import StudyPublished
from report_sections.study_score_impact import StudyScoreImpact
from reportgen.metrics import required_prmse
from reportgen.results import Evaluation
from reportgen.studies.score_impact.statements import ITEM_SHARES, numbers
from reportgen.testing import said
from reportgen.wording.vocabulary import Vocabulary


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    return reportgen.study("score-impact", data_sets=1).evaluation


@pytest.mark.slow
def test_every_printed_number_stands_beside_ours_and_the_largest_gap_first(paper: Evaluation) -> None:
    tables = [table for key, table in paper.tables.items() if key.startswith("study.published.")]
    assert sum(len(table.rows) for table in tables) == sum(map(len, numbers().values())) == 856
    for table in tables:
        frame = Vocabulary().table(table).frame()
        gaps = (frame["here"] - frame["published"]).abs().to_numpy()
        assert (np.diff(gaps) <= 1e-12).all(), table.key
        known = frame[frame["ratio"].notna()]
        np.testing.assert_allclose(known["ratio"], known["here"] / known["published"])


@pytest.mark.parametrize(
    ("measure", "what", "printed"),
    [
        ("exact", "noise: r = .90, 13 SR, 3 CR: same level (%)", 97.59),
        ("exact", "bias × 2, 13 SR, 3 CR: same level (%)", 98.82),
        ("mean", "noise: r = .70, 26 SR, 6 CR: mean minus that of the human score", -1.41),
        ("mean", "spread × (γ + 0.5), 26 SR, 6 CR: mean minus that of the human score", 0.52),
        ("rmsd", "noise: r = .85, 26 SR, 3 CR: RMSD from human score", 9.16),
    ],
)
def test_rows_that_speak_against_the_stand_in_are_there(
    paper: Evaluation, measure: str, what: str, printed: float
) -> None:
    frame = Vocabulary().table(paper.tables[f"study.published.{measure}"]).frame().set_index("what")
    assert frame.loc[what, "published"] == printed


def test_every_statement_has_an_outcome_and_both_numbers(paper: Evaluation) -> None:
    frame = paper.tables["study.statements"].frame()
    outcome = dict(zip(frame["statement"], frame["outcome"], strict=True))
    assert len(outcome) == len(frame) == 33
    for key in ("bias_mean", "noise_mean", "noise_moves_2", "share_of_sd", "levels_above", "csem", "engine_moves"):
        assert outcome[f"statement.{key}"] == "statement_differs", key
    for key in ("identity", "noise_most", "shorter_more", "linear", "levels_long", "alpha_full"):
        assert outcome[f"statement.{key}"] == "statement_repeats", key
    assert outcome["statement.construct"] == "statement_untestable"
    order = ["statement_differs", "statement_repeats", "statement_untestable"]
    assert list(frame["outcome"]) == sorted(frame["outcome"], key=order.index)
    tested = frame[frame["outcome"] != "statement_untestable"]
    assert tested["here"].notna().all()
    assert said(StudyPublished(), paper).annex.count("Of 33 statements of the paper, 18 repeat here, 10 do not") == 1


def test_movement_is_read_as_a_share_of_the_spread(paper: Evaluation) -> None:
    """The paper reads RMSD as a share of the standard deviation of scale scores."""
    frame = paper.tables["study.form.3"].frame().set_index("condition")
    spread = float(frame["sd"]["condition.Human score"])
    assert spread == pytest.approx(paper.facts["human_sd"]["13 SR, 3 CR"])
    np.testing.assert_allclose(frame["rmsd_share"], 100 * frame["rmsd"] / spread)


def test_what_a_bias_does_is_read_off_the_data(paper: Evaluation) -> None:
    """Where nothing is calibrated the largest bias moves the mean most: no page may say that it is absorbed."""
    text = said(StudyScoreImpact(), paper)
    assert "absorb" not in text
    assert "The largest bias raises the mean by 0.09 points on the form 13 SR, 3 CR" in text
    summed = reportgen.study("score-impact", responses=1500, double_scored=400, scoring="summed").evaluation
    row = summed.tables["study.form.3"].frame().set_index("condition").loc["condition.delta_x30"]
    told = said(StudyScoreImpact(), summed)
    assert row["mean"] > 1
    assert "absorb" not in told
    assert f"The largest bias raises the mean by {row['mean']:.2f} points" in told


def test_an_item_of_more_weight_needs_a_higher_prmse(paper: Evaluation) -> None:
    """Equal movement of test scores: share x root of (1 - PRMSE) is that of .70 at the paper's full test."""
    for share, items in ((2 / 23, 1), (2 / 36, 3), (0.2, 2)):
        needed = required_prmse(share, items)
        assert np.sqrt(items * (1 - needed)) * share == pytest.approx(np.sqrt(0.3) * 2 / 43)
    assert required_prmse(0.01) == 0.70
    assert required_prmse(0.1, 3, together=True) > required_prmse(0.1, 3)
    for share, items in ((0, 1), (1.2, 1), (0.4, 3), (float("nan"), 1)):
        with pytest.raises(ValueError, match="expected"):
            required_prmse(share, items)
    frame = paper.tables["study.required"].frame()
    np.testing.assert_allclose(frame["item_share"], ITEM_SHARES, atol=0.01)
    np.testing.assert_allclose(frame["required"], [required_prmse(2 / most) for most in (43, 36, 23)])
