"""What is attested of a report, and whether files, numbers and data are found to belong together, or not."""

import json
import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from command import refused, reportgen

import reportgen as package
from reportgen.errors import InputError, OutputError
from reportgen.governance.review import LISTS, STATEMENT, TEST_RESULT, predicate, read_statement
from reportgen.governance.verification import Answer, Stored, of_attestation, of_configuration, of_results
from reportgen.results import Check, Estimate, Outcome, Verdict
from reportgen.verdicts.gate import FAILED

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def paged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scores, and a report of them that is attested."""
    home = tmp_path_factory.mktemp("attested")
    rng = np.random.default_rng(7)
    human = rng.integers(1, 7, 200)
    second = np.clip(human + rng.integers(-1, 2, 200), 1, 6)
    system = human + rng.normal(0, 0.6, 200)
    frame = pd.DataFrame({"system": system, "h1": human, "h2": second, "region": np.repeat(["north", "south"], 100)})
    frame.round(4).to_csv(home / "scores.csv", index=False)
    reportgen("evaluate", "scores.csv", "run", "--scale", "1:6", "--formats", "html", "--quiet", cwd=home)
    reportgen("attest", "run", cwd=home)
    return home


@pytest.fixture(scope="module")
def made(paged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without pages, which take time to make again."""
    home = tmp_path_factory.mktemp("tables")
    shutil.copytree(paged, home, dirs_exist_ok=True)
    for name in ("report.html", "report.ipynb", "attestation.json"):
        (home / "run" / name).unlink()
    reportgen("attest", "run", cwd=home)
    return home


@pytest.fixture
def run_with_page(paged: Path, tmp_path: Path) -> Path:
    """A copy of the report with its page."""
    shutil.copytree(paged, tmp_path / "paged")
    return tmp_path / "paged" / "run"


@pytest.fixture
def with_scores(made: Path, tmp_path: Path) -> Path:
    """A copy of the report, next to a copy of its scores."""
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy" / "run"


@pytest.fixture
def run(with_scores: Path) -> Path:
    """The same without its scores: numbers are not recomputed."""
    (with_scores.parent / "scores.csv").unlink()
    return with_scores


def standings(run: Path, *data: Path) -> dict[str, str]:
    return {each.about: each.result for each in package.verify(run, list(data))}


def answer(run: Path, about: str, *data: Path) -> Answer:
    """Return what is answered about a file, from the check of this file alone where that needs no data."""
    found: Iterable[Answer | None]
    if about == "attestation.json":
        found = attested(run)
    elif about in ("results.json", "config.toml"):
        found = [of_results(stored(run)), of_configuration(stored(run))]
    else:
        found = package.verify(run, list(data))
    return next(each for each in found if each is not None and each.about == about)


def stored(run: Path) -> Stored:
    return Stored(package.load(run), run / "results.json")


def attested(run: Path) -> list[Answer]:
    return list(of_attestation(stored(run)))


def edit(path: Path, change: Callable[[Any], object]) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content, ensure_ascii=True, separators=(",", ":")) + "\n", encoding="utf-8")


@pytest.mark.slow
def test_a_statement_follows_the_specification(paged: Path) -> None:
    content = json.loads((paged / "run" / "attestation.json").read_text(encoding="utf-8"))
    assert (content["_type"], content["predicateType"]) == (STATEMENT, TEST_RESULT)
    names = {subject["name"] for subject in content["subject"]}
    assert {"results.json", "report.html", "report.ipynb", "config.toml"} <= names
    assert "attestation.json" not in names
    assert all(set(subject["digest"]) == {"sha256"} for subject in content["subject"])
    found = package.load(paged / "run").verdict
    assert found is not None
    lists = [name for key in ("passedTests", "warnedTests", "failedTests") for name in content["predicate"][key]]
    assert len(lists) == len(found.checks)
    assert len(set(lists)) == len(lists)
    configured = {each["name"]: each["digest"]["sha256"] for each in content["predicate"]["configuration"]}
    assert configured["scores.csv"] == package.load(paged / "run").evaluation.source.sha256
    assert set(configured) == {"config.toml", "policy default", "scores.csv"}


@pytest.mark.parametrize(
    ("outcomes", "result"),
    [
        (["met"], "PASSED"), (["met", "not yet known"], "WARNED"), (["met", "insufficient"], "WARNED"), ([], "FAILED"),
        (["insufficient"], "FAILED"), (["met", "out of reach"], "FAILED"), (["not met", "not yet known"], "FAILED"),
    ],
)  # fmt: skip
def test_a_test_result_fails_if_the_gate_does(outcomes: list[Outcome], result: str) -> None:
    estimate = Estimate("qwk", 0.7, 90)
    checks = tuple(Check("QWK", estimate, outcome, low=0.7, statistic="system.qwk") for outcome in outcomes)
    verdict = Verdict("ours", "", "deploy", checks=checks)
    said = predicate(verdict, ())
    assert said.result == result
    assert (said.result == "FAILED") == (not verdict.passes())


def test_the_documents_list_every_outcome() -> None:
    page = (DOCS / "deployment_review.md").read_text(encoding="utf-8")
    for outcome, name in LISTS.items():
        assert any(outcome in line and line.endswith(f"| `{name}` |") for line in page.splitlines())


def test_a_report_verifies_and_numbers_are_recomputed(paged: Path) -> None:
    found = standings(paged / "run", paged / "scores.csv")
    assert set(found.values()) == {"match"}
    assert {"results.json", "attestation.json", "config.toml", "tables", "report.html", "scores.csv", "numbers"} <= set(
        found
    )
    assert "recomputed numbers match" in answer(paged / "run", "numbers").why


@pytest.mark.slow
def test_the_terminal_shows_one_line_for_each_question(paged: Path) -> None:
    done = reportgen("verify", "run", "--data", "scores.csv", cwd=paged)
    assert done.stdout.split(":")[0].split() == ["match", "results.json"]
    assert done.stdout.count("match") >= 8


@pytest.mark.slow
def test_without_scores_numbers_are_unknown(run: Path) -> None:
    found = standings(run)
    assert (found["scores.csv"], found["numbers"]) == ("not checked", "not checked")
    reportgen("verify", "run", cwd=run.parent)
    reportgen("verify", "run", "--strict", cwd=run.parent, code=FAILED)


@pytest.mark.slow
def test_other_scores_with_the_same_name_differ(with_scores: Path) -> None:
    run = with_scores
    scores = run.parent / "scores.csv"
    scores.write_text(scores.read_text(encoding="utf-8").replace("north", "norte"), encoding="utf-8")
    assert answer(run, "scores.csv", scores).result == "mismatch"
    assert "the scores differ" in answer(run, "numbers", scores).why
    assert "has changed since" in answer(run, "scores.csv").why
    reportgen("verify", "run", "--data", "scores.csv", "--quiet", cwd=run.parent, code=FAILED)
    assert "cannot be read" in refused("verify", "run", "--data", "gone.csv", cwd=run.parent)


def test_an_edited_number_is_named_and_counted(with_scores: Path) -> None:
    run = with_scores
    (run / "attestation.json").unlink()

    def change(content: Any) -> None:
        content["report"]["evaluation"]["estimates"]["system.qwk"]["value"] += 1e-6

    edit(run / "results.json", change)
    found = answer(run, "numbers")
    assert found.result == "mismatch"
    assert "estimates.system.qwk.value" in found.why
    assert "should be" in found.why


def test_a_number_edited_in_a_section_is_found_without_scores(run: Path) -> None:
    def change(content: Any) -> None:
        sections = {each["name"]: each for each in content["report"]["sections"]}
        estimate = next(each for each in sections["summary"]["findings"]["values"].values() if isinstance(each, list))
        assert estimate
        sections["data"]["findings"]["values"]["evaluated"] = 1

    edit(run / "results.json", change)
    assert "sections.data" in answer(run, "results.json").why


def test_an_edited_verdict_is_found_and_never_attested(run: Path) -> None:
    def change(content: Any) -> None:
        for check in content["report"]["evaluation"]["checks"]:
            check["outcome"] = "not met"
        content["report"]["evaluation"]["ruling"]["decision"] = "do not deploy"

    edit(run / "results.json", change)
    assert "own statistics" in answer(run, "results.json").why
    with pytest.raises(InputError, match="own statistics"):
        package.attest(run, force=True)


def test_an_edited_headline_number_is_found_without_scores_and_never_attested(run: Path) -> None:
    def change(content: Any) -> None:
        content["report"]["evaluation"]["estimates"]["system.qwk"]["value"] = 0.99

    edit(run / "results.json", change)
    found = answer(run, "results.json")
    assert (found.result, "estimates.system.qwk.value is 0.99" in found.why) == ("mismatch", True)
    with pytest.raises(InputError, match="its statistics give"):
        package.attest(run, force=True)


def test_numbers_within_rounding_are_the_same(with_scores: Path) -> None:
    run = with_scores

    def change(content: Any) -> None:
        content["report"]["evaluation"]["estimates"]["system.qwk"]["value"] *= 1 + 1e-13

    edit(run / "results.json", change)
    assert answer(run, "numbers").result == "match"


@pytest.mark.slow
def test_an_edited_page_differs_with_and_without_an_attestation(run_with_page: Path) -> None:
    run = run_with_page
    page = run / "report.html"
    page.write_text(page.read_text(encoding="utf-8").replace("200", "2000", 1), encoding="utf-8")
    assert answer(run, "report.html").result == "mismatch"
    assert "report.html has changed since" in answer(run, "attestation.json").why
    (run / "attestation.json").unlink()
    assert answer(run, "report.html").result == "mismatch"


@pytest.mark.slow
def test_a_page_from_other_versions_or_templates_is_unknown(run_with_page: Path) -> None:
    run = run_with_page
    (run / "report.html").write_text("another", encoding="utf-8")

    def change(content: Any) -> None:
        content["report"]["evaluation"]["provenance"]["versions"]["weasyprint"] = "1.0"

    shutil.copy(run / "results.json", run.parent / "kept.json")
    edit(run / "results.json", change)
    found = answer(run, "report.html")
    assert (found.result, "weasyprint 1.0" in found.why) == ("not checked", True)
    shutil.copy(run.parent / "kept.json", run / "results.json")
    config = (run / "config.toml").read_text(encoding="utf-8")
    (run / "config.toml").write_text(config.replace("# logo is not set", 'logo = "mine.png"'), encoding="utf-8")
    assert "--logo" in answer(run, "report.html").why


@pytest.mark.slow
def test_pages_from_custom_templates_belong_if_these_are_named(made: Path, tmp_path: Path) -> None:
    home = tmp_path / "mine" / "sections" / "data"
    home.mkdir(parents=True)
    text = '{% extends "shipped/sections/data/section.md.j2" %}{% block lead %}Written in spring.{% endblock %}'
    (home / "section.md.j2").write_text(text, encoding="utf-8")
    options = ("--templates", "mine", "--formats", "html", "--scale", "1:6", "--quiet")
    reportgen("evaluate", made / "scores.csv", "run", *options, cwd=tmp_path)
    assert "--templates" in answer(tmp_path / "run", "report.html").why
    (found,) = [each for each in package.verify(tmp_path / "run", templates=tmp_path / "mine")
                if each.about == "report.html"]  # fmt: skip
    assert found.result == "match"


@pytest.mark.slow
def test_swapped_missing_and_new_files_differ_from_the_attestation(run: Path) -> None:
    tables = sorted((run / "tables").glob("*.csv"))
    content = tables[0].read_bytes()
    tables[0].write_bytes(tables[1].read_bytes())
    assert answer(run, "tables").result == "mismatch"
    assert f"{tables[0].name} has changed since" in answer(run, "attestation.json").why
    tables[0].write_bytes(content)
    tables[1].unlink()
    assert f"{tables[1].name} is missing" in answer(run, "attestation.json").why
    (run / "brief.pdf").write_bytes(b"%PDF-1.7")
    assert standings(run)["brief.pdf"] == "mismatch"
    unspoken = [each for each in package.verify(run) if each.why == "the attestation does not cover it"]
    assert [each.about for each in unspoken] == ["brief.pdf"]


def test_an_edited_attestation_differs(run: Path) -> None:
    def better(content: Any) -> None:
        content["predicate"]["failedTests"] = []
        content["predicate"]["result"] = "PASSED"
        content["predicate"]["passedTests"].append("system.qwk >= 0.9")

    edit(run / "attestation.json", better)
    assert answer(run, "attestation.json").result == "mismatch"


def test_another_configuration_differs(run: Path) -> None:
    config = (run / "config.toml").read_text(encoding="utf-8")
    (run / "config.toml").write_text(config.replace("min_n_per_group = 10", "min_n_per_group = 5"), encoding="utf-8")
    found = answer(run, "config.toml")
    assert (found.result, "min_n_per_group" in found.why) == ("mismatch", True)


def test_an_attestation_of_files_outside_the_folder_is_an_error(run: Path) -> None:
    for name in ("../scores.csv", "tables/../results.json", ".hidden.json", "", "/etc/passwd"):

        def lead_out(content: Any, name: str = name) -> None:
            content["subject"][0].update(name=name)

        edit(run / "attestation.json", lead_out)
        with pytest.raises(InputError, match="not an attestation of a report"):
            attested(run)
    assert "not an attestation of a report" in refused("verify", "run", cwd=run.parent)


def test_a_hostile_attestation_is_an_error_in_one_sentence(run: Path) -> None:
    for content in (
        b"[" * 200_000, b'{"a": ' * 50_000, b'{"_type": NaN}', b"\xff\xfe", b"[]", b" " * 10_000_001,
        b'{"_type": "x", "_type": "https://in-toto.io/Statement/v1"}', b'{"_type": ' + b"9" * 10_000 + b"}",
    ):  # fmt: skip
        (run / "attestation.json").write_bytes(content)
        with pytest.raises(InputError, match="attestation"):
            attested(run)


def test_an_invalid_statement_is_an_error(made: Path) -> None:
    right = (made / "run" / "attestation.json").read_bytes()
    changes: list[Callable[[Any], object]] = [
        lambda content: content.update(subject={}),
        lambda content: content["subject"].append("results.json"),
        lambda content: content["subject"].append(content["subject"][0]),
        lambda content: content["subject"][0]["digest"].update(sha256="0" * 63),
        lambda content: content["subject"][0]["digest"].update(sha256="A" * 64),
        lambda content: content.update(predicate=None),
        lambda content: content["predicate"].update(result="fine"),
        lambda content: content["predicate"].update(passedTests=[1]),
        lambda content: content["predicate"].update(configuration=["x"]),
        lambda content: content.update(predicateType="https://slsa.dev/provenance/v1"),
        lambda content: content.update(predicate_type=content.pop("predicateType")),
    ]
    for change in changes:
        content = json.loads(right)
        change(content)
        with pytest.raises(ValueError, match=r"subject|predicate"):
            read_statement(json.dumps(content).encode())
    with pytest.raises(ValueError, match="has the key 'result' twice"):
        read_statement(right.replace(b'"result":', b'"result": "PASSED", "result":'))
    more = json.dumps(
        {**json.loads(right), "extension": {"deep": [1]}}
    ).encode()  # what it tells besides is passed over
    assert read_statement(more).predicate.result in ("PASSED", "WARNED", "FAILED")


def test_the_verdict_is_checked_against_attested_files_only(run: Path) -> None:
    """A configuration that was not attested neither spoils nor stands in for one that was."""
    config = (run / "config.toml").read_text(encoding="utf-8")
    (run / "config.toml").unlink()
    package.attest(run, force=True)
    (run / "config.toml").write_text(config, encoding="utf-8")
    assert answer(run, "attestation.json").result == "match"
    unspoken = [each.about for each in attested(run) if each.why == "the attestation does not cover it"]
    assert unspoken == ["config.toml"]

    def name_it(content: Any) -> None:
        known = {"name": "config.toml", "digest": {"sha256": sha256(config.encode()).hexdigest()}}
        content["predicate"]["configuration"].insert(0, known)

    edit(run / "attestation.json", name_it)
    assert "hashes differ" in answer(run, "attestation.json").why


@pytest.mark.parametrize("name", ["config.toml", "attestation.json", "tables/data.composition.csv"])
def test_links_and_pipes_are_errors(run: Path, name: str) -> None:
    target = run.parent / "elsewhere"
    shutil.move(run / name, target)
    (run / name).symlink_to(target)
    with pytest.raises(InputError):
        package.verify(run)
    (run / name).unlink()
    os.mkfifo(run / name)
    with pytest.raises(InputError, match="not a regular file"):
        package.verify(run)


def test_a_link_is_not_attested_and_nothing_is_written(run: Path) -> None:
    (run / "attestation.json").unlink()
    shutil.move(run / "tables", run.parent / "tables")
    (run / "tables").symlink_to(run.parent / "tables")
    with pytest.raises(InputError):
        package.attest(run)
    assert not (run / "attestation.json").exists()


def test_a_statement_is_replaced_only_with_force(run: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="force=True"):
        package.attest(run)
    assert package.attest(run, tmp_path / "statement.json") == tmp_path / "statement.json"
    assert (tmp_path / "statement.json").read_bytes() == (run / "attestation.json").read_bytes()
    assert package.attest(run, force=True) == run / "attestation.json"
    with pytest.raises(OutputError, match="an existing folder"):
        package.attest(run, tmp_path / "nowhere" / "statement.json")
    assert not (tmp_path / "nowhere").exists()


def test_a_new_report_in_the_folder_leaves_no_statement_of_the_old_one(with_scores: Path) -> None:
    run = with_scores
    options = ("--scale", "1:6", "--tables-only", "--title", "New", "--quiet", "--force")
    reportgen("evaluate", "scores.csv", "run", *options, cwd=run.parent)
    assert not (run / "attestation.json").exists()


def test_a_custom_policy_is_identified_by_the_hash_of_its_file(made: Path, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('name = "own"\n[[criteria]]\nstatistic = "system.qwk"\nlow = 0.6\n')
    options = ("--policy", "own.toml", "--tables-only", "--quiet")
    reportgen("evaluate", made / "scores.csv", "run", *options, cwd=tmp_path)
    package.attest(tmp_path / "run")
    content = json.loads((tmp_path / "run" / "attestation.json").read_text(encoding="utf-8"))
    import hashlib

    digest = hashlib.sha256((tmp_path / "own.toml").read_bytes()).hexdigest()
    assert {"name": "policy own", "digest": {"sha256": digest}} in content["predicate"]["configuration"]
    assert set(standings(tmp_path / "run").values()) == {"match"}


def test_stored_settings_open_no_files(run: Path) -> None:
    """A section and a query that the results or the configuration name are left alone."""
    from reportgen.governance.verification import Data, Stored, _settings

    report = package.load(run)
    items = {**report.evaluation.settings, "runs": {"kind": "summary"}}
    items["data"] = {**items["data"], "query": "SELECT 1", "connection": "duckdb:x"}
    hostile = replace(report, evaluation=replace(report.evaluation, settings=items))
    (run / "config.toml").unlink()
    settings = _settings(Stored(hostile, run / "results.json"), Data((run.parent / "scores.csv",)))
    assert (settings.runs.kind, settings.data.query) == (None, None)
    assert settings.report.sections == ()
