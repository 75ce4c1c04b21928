"""Repeated runs, ratings, and outputs in the evaluation and on its pages."""

import re

import numpy as np
import pyarrow as pa
import pytest

from report_sections.data import Data
from report_sections.judges import RepeatedRuns
from reportgen.evaluation import evaluate
from reportgen.metrics import prmse, run_variance
from reportgen.results import Estimate, Evaluation
from reportgen.scores import read
from reportgen.sections import unmet_need
from reportgen.settings import from_keywords
from reportgen.testing import text_of

N = 80

Evaluated = tuple[Evaluation, dict[str, list[object]]]


def evaluated(*, spread: float = 0.4, candidates: bool = False, second: bool = True, missing: int = 0) -> Evaluated:
    """Return the evaluation of three runs of a judge, and the columns."""
    random = np.random.default_rng(6)
    true = random.normal(3.5, 0.8, N)
    columns: dict[str, list[object]] = {"id": [f"r{i}" for i in range(N)]}
    for name in ("h1", "h2")[: 1 + second]:
        columns[name] = list(np.clip(np.rint(true + random.normal(0, 0.5, N)), 1, 6))
    own = true + random.normal(0, 0.3, N)
    for number in range(1, 4):
        run = [f"{score:.4f}" for score in np.clip(own + spread * random.normal(0, 1, N), 1, 6)]
        columns[f"judge_run{number}"] = ["I can't" if i < missing else score for i, score in enumerate(run)]
    if candidates:
        columns["student_id"] = [f"s{i // 2}" for i in range(N)]
    settings = from_keywords(scale="1:6", groups=[])
    return evaluate(read(pa.table(columns), settings), settings, {}), columns


@pytest.mark.parametrize("candidates", [False, True])
def test_run_estimates_match_public_functions(candidates: bool) -> None:
    evaluation, columns = evaluated(candidates=candidates)
    runs = np.array([columns[f"judge_run{number}"] for number in range(1, 4)], dtype=float).T
    runs = np.clip(runs, 1 - 0.4998, 6 + 0.4998)
    human = np.array([columns["h1"], columns["h2"]], dtype=float).T
    known, estimates = run_variance(runs), evaluation.estimates
    assert estimates["runs.residual"].value == pytest.approx(known.residual)
    assert estimates["runs.response"].value == pytest.approx(known.response)
    assert estimates["runs.sd"].value == pytest.approx(np.sqrt(known.run_to_run))
    assert estimates["runs.prmse_one"].value == pytest.approx(np.mean([prmse(run, human).prmse for run in runs.T]))
    mean = prmse(runs.mean(axis=1), human).prmse
    assert estimates["runs.prmse_mean"].value == pytest.approx(mean)
    gain = estimates["runs.prmse_gain"]
    assert gain.value == pytest.approx(mean - (estimates["runs.prmse_one"].value or 0))
    assert gain.low is not None
    assert gain.low < (gain.value or 0)
    assert ("clusters" in gain.method) == candidates
    exact = np.mean(np.rint(np.clip(runs[:, 0], 1, 6)) == np.rint(np.clip(runs[:, 1], 1, 6))) * 100
    assert estimates["runs.exact_agreement"].value == pytest.approx(exact)
    assert len(evaluation.tables["runs.agreement"].rows) == 3
    page = text_of(RepeatedRuns(), evaluation)
    again = "When it scores an output again, the judge gives a different score: its SD from run to run is 0."
    assert page.finding.startswith(again)
    assert re.search(r"Averaging 3 runs changes PRMSE from 0.\d+ to 0.\d+, which is 0.\d+ \[.*?\] higher", page.words)


def test_runs_that_agree_and_one_rater() -> None:
    evaluation, _ = evaluated(spread=0.0, second=False)
    assert evaluation.estimates["runs.sd"].value == 0
    assert evaluation.estimates["runs.sd"].low is None
    assert "runs.prmse" not in evaluation.tables
    page = text_of(RepeatedRuns(), evaluation)
    assert page.finding.endswith("runs of the judge gave the same scores.")
    assert "is not known. To compute it, the report needs outputs with two ratings" in page


def test_runs_page_requires_runs() -> None:
    settings = from_keywords(groups=[])
    table = pa.table({"human": [1, 2, 3] * 9, "system": [1.5, 2.5, 2.75] * 9})
    evaluation = evaluate(read(table, settings), settings, {})
    assert unmet_need(RepeatedRuns(), evaluation) == "no repeated runs of the system were given"
    assert not any(key.startswith("runs.") for key in (*evaluation.tables, *evaluation.estimates))
    assert "data.outputs" not in evaluation.tables


def test_page_reports_unscored_responses() -> None:
    evaluation, _ = evaluated(missing=8)
    share = evaluation.tables["data.outputs"].rows[0].cells[2]
    assert isinstance(share, Estimate)
    assert (share.value, share.n) == (10.0, N)
    told = text_of(Data(), evaluation)
    assert "The judge gave no usable score to 8 outputs, 10.0% [" in told
    assert "8 with words instead of a number. 8 of these entries look like an error message or a refusal" in told


def test_page_reports_number_of_ratings() -> None:
    rows = [(f"r{i}", f"R{(i * 3 + j) % 7}", i % 5 + 1, i % 5 + 1.3) for i in range(40) for j in range(2)]
    names = ("response_id", "rater_id", "score", "system")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    settings = from_keywords()
    told = text_of(Data(), evaluate(read(table, settings), settings, {}))
    assert "The file contains 80 ratings by 7 raters, one rating per row." in told
