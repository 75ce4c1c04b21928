"""Studies: options, executors, reports, and statements checked in several data sets."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from command import invoked
from typer.testing import CliRunner

import reportgen
from report_sections.study_sections import outcomes
from reportgen.cli.app import app
from reportgen.errors import SettingsError
from reportgen.metrics import quadratic_weighted_kappa
from reportgen.results.term import Term
from reportgen.storing import results_file
from reportgen.studies import study
from reportgen.studies.agreement_robustness.sweeps import gaussian_scores, moved
from reportgen.studies.statements import Paper, Statement, judge_in_sets, published_table, statements_table
from reportgen.wording.vocabulary import english


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"study": "studies.toy:Toy", "question": "What is the mean?", "title": "A toy", "sections": []}
    monkeypatch.setitem(study.STUDIES, "toy", entry)


def test_study_does_not_depend_on_executor() -> None:
    alone = reportgen.study("toy", seed=5, parts=tuple(range(20)))
    with ThreadPoolExecutor(3) as executor:
        shared = reportgen.study("toy", executor=executor, seed=5, parts=tuple(range(20)))
    assert alone.evaluation.tables == shared.evaluation.tables
    assert alone.evaluation.provenance["seed"] == 5
    assert reportgen.study("toy", seed=6).evaluation.source.sha256 != alone.evaluation.source.sha256


def test_study_command_takes_options_of_design(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    arguments = ["study", "toy", str(folder), "--n", "5", "--parts", "7,8", "--loud", "--formats", "html", "-q"]
    invoked(*arguments)
    assert reportgen.load(folder).evaluation.settings["study"] == {
        "name": "toy", "seed": 20251121, "n": 5, "parts": (7, 8), "loud": True,
    }  # fmt: skip
    assert (folder / "report.html").is_file()
    assert (folder / "tables" / "toy.means.csv").read_text().splitlines()[0] == "part,mean"
    assert reportgen.load(folder).evaluation.kind == "study"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["toy", "--n", "1"], "study toy: n: expected a whole number of at least 2, found '1'"),
        (["toy", "--nn", "1"], "No such option"),
        (["toi"], "study 'toi' does not exist\nhint: did you mean 'toy'?"),
        (["toy", "a", "b"], "unexpected extra argument"),
    ],
)
def test_wrong_options_are_reported(arguments: list[str], words: str) -> None:
    result = invoked("study", *arguments, code=2)
    assert words in result.output


def test_study_help_shows_options_of_design() -> None:
    result = invoked("study", "toy", "--help")
    assert "--parts" in result.output
    assert "Numbers in each part. [10]" in result.output
    assert "toy" in CliRunner().invoke(app, ["study"]).output


def test_unknown_option_raises() -> None:
    with pytest.raises(SettingsError, match="unknown option 'sede'; did you mean 'seed'"):
        reportgen.study("toy", sede=3)


@pytest.mark.slow
def test_study_command_prints_finding(tmp_path: Path) -> None:
    arguments = ["study", "agreement-robustness", str(tmp_path / "out"), "--responses", "100", "--replicates", "2"]
    result = invoked(*arguments, "--tables-only")
    assert result.stdout.startswith("When only the spread of true scores changes, ")


ROOT = Path(__file__).parents[2]
STUDIES = ("agreement_robustness", "prmse_stability", "rating_completion", "score_impact")


@pytest.mark.parametrize("name", STUDIES)
def test_documentation_has_counts_of_example(name: str) -> None:
    evaluation = results_file.read(ROOT / "example_reports" / name / "results.json").evaluation
    page = " ".join((ROOT / "docs" / "studies.md").read_text(encoding="utf-8").split())
    assert english().phrases("say").statements(outcomes(evaluation)) in page


@pytest.mark.parametrize(
    ("times", "outcome"), [(10, "repeats"), (9, "repeats"), (7, "mixed"), (2, "mixed"), (1, "differs"), (0, "differs")]
)
def test_statement_true_in_some_data_sets_shows_their_number(times: int, outcome: str) -> None:
    holds = [True] * times + [False] * (10 - times)
    order = holds if outcome == "repeats" else holds[::-1]
    judged = judge_in_sets([[Statement(Term("printed.results"), "identity", each)] for each in order])
    assert judged[0].outcome == outcome
    assert f"{times}/10" in english().table(statements_table(judged)).rows[0].cells


def test_statements_are_expressions(tmp_path: Path) -> None:
    file = tmp_path / "paper.toml"
    file.write_text("""
kind = "score"
[statements]
identity = {part = "results", here = "of('a', 'b')", printed = true, holds = "near(here, printed) and rising(here)"}
evidence = {section = "1"}
unequal = {section = "1", here = "1 / 0 if broken is defined else nan", holds = "here < 1"}
[[printed]]
table = "1"
what = "term('published.' ~ column)"
here = "of(row)"
columns = ["rho", "prmse"]
rows.a = [0.5, 2.0]
""")

    def names(**values: float) -> dict[str, object]:
        return {"of": lambda *keys: [values[key] for key in keys], "nan": np.nan}

    paper = Paper(file)
    for here, holds in (({"a": 1.1, "b": 2.1}, True), ({"a": 1.1, "b": 1.0}, False), ({"a": 1.5, "b": 2.1}, False)):
        known, unknown, undefined = paper.statements(names(**here), names(a=1.0, b=2.0))
        assert (known.holds, known.here, known.printed) == (holds, [*here.values()], [1.0, 2.0])
        assert unknown.outcome == undefined.outcome == "untestable"
    with pytest.raises(ValueError, match=r"paper\.toml: unequal: '1 / 0 if .*: division by zero"):
        paper.statements({**names(a=1.0, b=2.0), "broken": True}, names(a=1.0, b=2.0))
    table = published_table(paper.printed({"of": lambda row: 0.504}), 10)
    assert table.column("agrees") == ("yes", "no")
    assert [str(what) for what in table.column("what")] == ["published.rho", "published.prmse"]


def test_double_scores_of_example_match_planner() -> None:
    """The planner requires about 3,700 double scores if raters correlate .40."""
    evaluation = results_file.read(ROOT / "example_reports" / "prmse_stability" / "results.json").evaluation
    assert evaluation.facts["needed"]["low"] == pytest.approx(3712, rel=0.1)


def test_moved_errors_without_room_use_other_responses() -> None:
    """Footnote 12 of the paper: quadratic weighted kappa is .316 if gold scores have an SD of 0.5."""
    kappas = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        gold = gaussian_scores(rng, 5000, 5, 2.0, 0.5)
        kappas.append(quadratic_weighted_kappa(gold, moved(rng, gold, 5, 0.25, 2)))
    assert np.mean(kappas) == pytest.approx(0.316, abs=0.006)
