"""A report on raters through every command, and what it states about raters whose truth is known."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from simulated import evaluation_of, simulated
from typer.testing import CliRunner

import reportgen
from report_sections.raters_report import RatersEach, RatersReliability, RatersSummary
from report_sections.summary import Summary
from reportgen.cli.app import app
from reportgen.metrics import rater_severity, unlike_raters
from reportgen.results import Estimate, Evaluation
from reportgen.testing import text_of


def ratings(path: Path) -> Path:
    scores = simulated(80, 4, 3, mean=3, ends=(1, 5)).human.astype(int)
    rows = [f"e{i},{','.join(map(str, row))},{'fm'[i % 2]}" for i, row in enumerate(scores)]
    path.write_text("\n".join(["essay_id,rater_1,rater_2,rater_3,gender", *rows]) + "\n")
    return path


def run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("raters")
    run(
        "evaluate",
        ratings(folder / "ratings.csv"),
        folder / "out",
        "--formats",
        "html",
        "--scale",
        "1:5",
        "--ratings-only",
    )
    return folder / "out"


def estimates(folder: Path) -> object:
    return json.loads((folder / "results.json").read_text())["report"]["evaluation"]["estimates"]


def test_the_page_is_about_raters(report: Path) -> None:
    page = (report / "report.html").read_text(encoding="utf-8")
    assert "the report is about the raters" in page
    assert "The reliability of one rating is" in page
    assert "PRMSE" not in re.sub(r'<div class="works">.*?</div>', "", page, flags=re.DOTALL)


def test_its_configuration_gives_the_same_numbers(report: Path) -> None:
    run("evaluate", report / "config.toml", report.parent / "again", "--tables-only")
    assert estimates(report.parent / "again") == estimates(report)


def test_it_can_be_rendered_and_checked(report: Path) -> None:
    run("render", report / "results.json", report.parent / "pages", "--formats", "html")
    files = report.parent / "v.xml", report.parent / "v.md"
    run("check", report, "--junit", files[0], "--markdown", files[1], code=1)
    assert all("the report is about the raters" in file.read_text() for file in files)
    run("check", report, "--strict", code=1)


def test_a_policy_on_raters_is_a_gate(report: Path) -> None:
    policy = report.parent / "raters.toml"
    for low, code in ((0.1, 0), (0.99, 1)):
        policy.write_text(f'name = "raters"\n[[criteria]]\nstatistic = "human.qwk"\nlow = {low}\n')
        run("check", report, "--policy", policy, "--strict", code=code)


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "{out}", "{out}", "--out", "{new}"),
        ("summarize", "{out}", "{out}", "--out", "{new}"),
        ("batch", "{csv}", "{new}", "--by", "gender"),
        ("tables", "{csv}", "{new}", "--by", "gender"),
        ("packet", "{out}", "{new}"),
        ("evaluate", "{csv}", "{new}", "--read", "5", "--ratings-only"),
    ],
)
def test_commands_about_engines_reject_it_in_one_sentence(report: Path, words: tuple[str, ...]) -> None:
    places = {"out": report, "csv": report.parent / "ratings.csv", "new": report.parent / "new"}
    said = run(*(word.format(**places) for word in words), code=2)
    assert any(word in said for word in ("rater", "ratings", "engine scores"))
    assert not places["new"].exists()


def panel(
    rng: np.random.Generator, harsh: tuple[float, ...], n: int = 300, error: float = 0.6, each: int = 0
) -> pd.DataFrame:
    """Return ratings on 1 to 5 by raters of these severities, so many of each response, and the true scores."""
    true = rng.normal(3, 1, n)
    scores = np.clip(np.rint(true[:, None] + harsh + rng.normal(0, error, (n, len(harsh)))), 1, 5)
    if each:
        order = np.argsort(rng.random(scores.shape), axis=1)
        scores[order >= each] = np.nan
    named = {f"human{j + 1}": scores[:, j] for j in range(len(harsh))}
    return pd.DataFrame({"id": [f"r{i}" for i in range(n)], **named, "true": true})


def harsher(evaluation: Evaluation) -> dict[str, Any] | None:
    known = Summary().findings(evaluation).values["know"]
    return next((case for case in known if case["case"] == "harsher"), None)


@pytest.mark.parametrize(("noise", "effect"), [(0.5, "raises"), (3.0, "lowers"), (None, "")])
def test_harshness_is_stated_with_the_effect_that_the_digits_show(noise: float | None, effect: str) -> None:
    rng = np.random.default_rng(4)
    frame = panel(rng, (0.0, -0.45), n=900, error=0.5)
    if noise is None:  # an engine whose PRMSE is near 0, which harshness hardly moves
        frame["system"] = frame[["human1", "human2"]].to_numpy().mean() + rng.normal(0, 0.05, 900)
    else:
        frame["system"] = frame["true"] + rng.normal(0, noise, 900)
    evaluation = evaluation_of(frame.drop(columns="true"), scale="1:5")
    case, page = harsher(evaluation), str(text_of(Summary(), evaluation))
    assert case is not None
    now, without = (round(case[key].value, 2) for key in ("prmse", "without"))
    shown = [word for word in ("raises", "lowers") if f"{word} accuracy (PRMSE)" in page]
    assert shown == ([effect] if effect else [])
    assert bool(effect) == (now != without)
    assert not effect or (effect == "raises") == (now > without)


def test_the_spread_of_severities_is_accurate_and_stated() -> None:
    harsh = (-0.7, -0.4, 0.0, 0.1, 0.4, 0.6)
    frame = panel(np.random.default_rng(6), harsh, n=500, each=3).rename(columns={"true": "system"})
    case = harsher(evaluation_of(frame, record="any", scale="1:5"))
    assert case is not None
    assert case["spread"].value == pytest.approx(np.std(harsh, ddof=1), abs=0.1)
    assert case["spread"].low > 0.2


@pytest.mark.slow
@pytest.mark.parametrize("raters", [3, 6, 30])
def test_equally_harsh_raters_are_rarely_reported_as_different(raters: int) -> None:
    rng, alarms, covered = np.random.default_rng(raters), 0, 0
    for _ in range(60):
        codes = np.argsort(rng.random((200, raters)), axis=1)[:, :3]
        errors, true = rng.normal(0, 0.6, (200, 3)), rng.normal(3, 1, (200, 1))
        equal = rater_severity(np.clip(np.rint(true + errors), 1, 5), codes)
        alarms += equal.spread_low > 0
        apart = rater_severity(true + errors + rng.normal(0, 0.25, raters)[codes], codes)
        covered += apart.spread_low <= 0.25 <= apart.spread_high
    assert alarms <= 6
    assert covered >= 52


@pytest.mark.slow
def test_a_page_accuses_equally_harsh_raters_in_few_files() -> None:
    rng, alarms = np.random.default_rng(0), 0
    for _ in range(12):
        frame = panel(rng, (0.0,) * 6, n=120, each=2).rename(columns={"true": "system"})
        alarms += harsher(evaluation_of(frame, record="any", scale="1:5")) is not None
    assert alarms <= 1


def test_halo_does_not_come_from_a_harsher_rater(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    n = 400
    harsh, halo = np.array([0.0, -0.8]), rng.normal(0, 0.5, (n, 2))
    found = {}
    for name, shared in (("none", 0.0), ("halo", 1.0)):
        columns: dict[str, Any] = {"id": [f"r{i}" for i in range(n)]}
        for trait in ("ideas", "style"):
            true = rng.normal(3, 1, n)
            errors = shared * halo + rng.normal(0, 0.5, (n, 2))
            ratings = np.clip(np.rint(true[:, None] + harsh + errors), 1, 6)
            columns |= {f"{trait}_human{j + 1}": ratings[:, j] for j in range(2)}
            columns[f"{trait}_system"] = np.clip(true + rng.normal(0, 0.4, n), 1, 6).round(2)
        path = tmp_path / f"{name}.csv"
        pd.DataFrame(columns).to_csv(path, index=False)
        outcome = reportgen.evaluate(path, scale="1:6")
        pairs = next(e for e in _evaluations(outcome) if "traits.pairs" in e.tables).tables["traits.pairs"]
        (row,) = pairs.rows
        cell = row.cells[[column.key for column in pairs.columns].index("halo")]
        assert isinstance(cell, Estimate)
        assert cell.low is not None
        assert cell.high is not None
        found[name] = cell.low, cell.high
    assert found["none"][0] < 0 < found["none"][1]
    assert found["halo"][0] > 0.2


def _evaluations(outcome: Any) -> list[Evaluation]:
    summary = getattr(outcome, "summary", None)
    return [outcome.evaluation] if summary is None else [summary.evaluation]


def test_an_honest_noisy_rater_is_not_called_random() -> None:
    """Correlations of .36 among others at .6, on 30 responses: named only below the others' level."""
    rng, named = np.random.default_rng(5), 0
    for _ in range(60):
        true = rng.normal(0, 1, (30, 1))
        ratings = true + rng.normal(0, np.array([2.05, 0.8, 0.8, 0.8]), (30, 4))
        found = [
            each for each in unlike_raters(ratings, np.broadcast_to(np.arange(4), (30, 4))) if each.how == "random"
        ]
        named += bool(found)
        assert all(each.high < each.expected for each in found)
    assert named <= 20


def test_a_questionable_rater_is_stated_with_what_remains_possible() -> None:
    rng = np.random.default_rng(2)
    frame = panel(rng, (0.0,) * 4, n=80, error=0.5).drop(columns="true")
    frame["human3"] = rng.permutation(frame["human1"])
    evaluation = evaluation_of(frame, ratings_only=True)
    (doubt,) = evaluation.facts["raters_doubted"]
    assert doubt["name"] == "human3"
    text = str(text_of(RatersSummary(), evaluation))
    assert "look random" not in text
    assert f"The correlation could be as high as {doubt['high']:.2f}." in text


def test_the_rater_who_agrees_least_is_named_without_a_claim() -> None:
    rng = np.random.default_rng(3)
    frame = panel(rng, (0.0,) * 4, n=150, error=0.5)
    noisy = np.clip(np.rint(frame["true"] + rng.normal(0, 2.0, 150)), 1, 5)
    evaluation = evaluation_of(frame.assign(human2=noisy).drop(columns="true"), ratings_only=True)
    values = RatersEach().findings(evaluation).values
    assert not values["doubted"]
    assert values["ends"]["low"]["rater"] == "human2"
    assert "clearly say less" not in str(text_of(RatersEach(), evaluation))


@pytest.mark.parametrize("each", [0, 2])
def test_severity_counts_in_reliability_unless_everyone_rated_everything(each: int) -> None:
    frame = panel(np.random.default_rng(7), (-0.5, 0.0, 0.5), n=200, error=0.5, each=each).drop(columns="true")
    evaluation = evaluation_of(frame, ratings_only=True)
    key = "dependability" if each else "generalizability"
    single = evaluation.estimates[f"reliability.{key}"].value
    assert single is not None
    needed = [int(np.ceil(target / (1 - target) * (1 - single) / single)) for target in (0.8, 0.9)]
    values = RatersSummary().findings(evaluation).values
    assert [row["ratings"] for row in values["needs"]] == needed
    assert f"One rating has a reliability of {single:.2f}" in str(text_of(RatersReliability(), evaluation))
    assert evaluation.facts["raters_reason"].startswith("fewer than five raters")
