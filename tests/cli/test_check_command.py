"""Gates through the real command line: exit codes, and six outputs of one run that agree."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command import page_text, refused, reportgen

import reportgen as api
from reportgen.results import Verdict

EXAMPLES = Path(__file__).parents[2] / "example_reports"
POLICIES = {
    "met": 'name = "met"\n[[criteria]]\nstatistic = "system.qwk"\nlow = -1\n',
    "not_met": 'name = "not met"\n[[criteria]]\nstatistic = "system.kappa"\nlow = 1\n',
    "beyond": 'name = "beyond"\n[[criteria]]\nstatistic = "system.qwk"\nlow = 1\n',
    "open": 'name = "open"\n[[criteria]]\nstatistic = "system.qwk"\nlow = {qwk}\n',
    "few": 'name = "few"\n[[criteria]]\nstatistic = "system.dsm"\ngroups = ["gender"]\nlow = -9\n',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scores, policies and a gated report of it that does not pass."""
    folder = tmp_path_factory.mktemp("gate")
    rows = ["id,h1,h2,engine,gender"]
    for i in range(120):
        first = 1 + (i * 7) % 6
        engine = first + ((i * 13) % 11 - 5) / 3
        second = min(6, max(1, first + 2 * ((i // 3) % 3 - 1)))
        rows.append(f"r{i},{first},{second},{engine:.2f},{'x|<b>' if i < 3 else 'fm'[i % 2]}")
    (folder / "scores.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    report = api.evaluate(folder / "scores.csv", system="engine", human=["h1", "h2"], id="id", scale="1:6")
    for name, text in POLICIES.items():
        qwk = report.evaluation.estimates["system.qwk"].value
        (folder / f"{name}.toml").write_text(text.format(qwk=qwk), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def gated(folder: Path) -> str:
    """Terminal output of a gated run whose verdict does not pass."""
    return reportgen(
        "evaluate", "scores.csv", "out", "--scale", "1:6", "--formats", "html", "--gate", "--policy", "mixed.toml",
        "--no-withhold",
        "--junit", "junit.xml", "--markdown", "verdict.md", cwd=_mixed(folder), code=1,
        environment={"GITHUB_STEP_SUMMARY": str(folder / "step.md")},
    ).stdout  # fmt: skip


def _mixed(folder: Path) -> Path:
    """Write a policy with every outcome."""
    parts = [part.split("\n", 1)[1] for name in POLICIES for part in [(folder / f"{name}.toml").read_text("utf-8")]]
    (folder / "mixed.toml").write_text('name = "mixed"\n' + "\n".join(parts), encoding="utf-8")
    return folder


def test_six_outputs_of_one_run_agree(folder: Path, gated: str) -> None:
    found = api.load(folder / "out").verdict
    assert found is not None
    assert found.decision == "do not deploy"
    assert {each.outcome for each in found.checks} == {
        "met", "not met", "out of reach", "not yet known", "insufficient",
    }  # fmt: skip
    sentence = " ".join(gated.split())
    assert found.sentence in sentence
    assert "No: agreement is too low." in sentence
    assert "No: agreement is too low." in page_text(folder / "out" / "report.html")
    words = {"not yet known": "inconclusive", "insufficient": "not tested"}
    items = [words.get(each.outcome, each.outcome) for each in found.checks]
    assert _of_junit(folder / "junit.xml") == items
    text = (folder / "verdict.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| [✓✗⊘○–] ([a-z ]+) \|", text, flags=re.MULTILINE)) == sorted(items)
    assert text.startswith("## reportgen: No\n")
    assert (folder / "step.md").read_text(encoding="utf-8") == text
    stored = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))["report"]["evaluation"]
    assert stored["ruling"]["decision"] == found.decision
    assert [each["outcome"] for each in stored["checks"]] == [each.outcome for each in found.checks]


def _of_junit(file: Path) -> list[str]:
    cases = ElementTree.parse(file).findall("testsuite/testcase")
    return [next((str(node.get("type")) for node in case), "met") for case in cases]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "strict", "code"),
    [
        ("met", False, 0), ("met", True, 0), ("not_met", False, 1), ("beyond", False, 1), ("open", False, 0),
        ("open", True, 1), ("few", False, 0), ("few", True, 1),
    ],
)  # fmt: skip
def test_exit_codes_of_check(policy: str, strict: bool, code: int, folder: Path, gated: str) -> None:
    options = ["--strict"] if strict else []
    done = reportgen("check", "out/results.json", "--policy", f"{policy}.toml", *options, cwd=folder, code=code)
    answer = {
        "met": "Yes: ",
        "not_met": "No: ",
        "beyond": "Not yet: the raters",
        "open": "Not yet: ",
        "few": "Not yet: ",
    }[policy]
    assert done.stdout.startswith(f"verdict       {answer}")
    assert done.stderr == ""


def test_check_without_a_policy_prints_the_verdict_of_the_report(folder: Path, gated: str) -> None:
    done = reportgen("check", "out", "--junit", "again.xml", cwd=folder, code=1)
    verdict: Verdict | None = api.load(folder / "out").verdict
    assert verdict is not None
    assert verdict.sentence in " ".join(done.stdout.split())
    assert (folder / "again.xml").read_bytes() == (folder / "junit.xml").read_bytes()


def test_check_reports_a_stored_verdict_that_contradicts_its_statistics(folder: Path, gated: str) -> None:
    text = (folder / "out" / "results.json").read_text(encoding="utf-8")
    assert '"not met"' in text
    (folder / "edited.json").write_text(text.replace('"not met"', '"met"'), encoding="utf-8")
    done = reportgen("check", "edited.json", cwd=folder, code=1)
    assert "its own statistics give “do not deploy”: the file was changed after it was written" in " ".join(
        done.stdout.split()
    )
    assert "stored " not in reportgen("check", "out", cwd=folder, code=1).stdout


def test_strict_gate_and_its_files_agree(folder: Path, gated: str) -> None:
    reportgen("check", "out", "--policy", "few.toml", "--strict", "--junit", "few.xml", "-q", cwd=folder, code=1)
    assert ElementTree.parse(folder / "few.xml").getroot().get("failures") == "1"


def test_an_open_gate_writes_the_report_and_exits_with_0(folder: Path) -> None:
    done = reportgen("evaluate", "scores.csv", "ungated", "--policy", "not_met.toml", "--tables-only", cwd=folder)
    assert "verdict No: agreement is too low." in " ".join(done.stdout.split())
    assert (folder / "ungated" / "results.json").is_file()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("check", "nothing"), "cannot be read"),
        (("check", "out", "--policy", "missing.toml"), "was not found"),
        (("check", "out", "--junit", "no/j.xml"), "choose a file in an existing folder"),
        (("check", "old.json"), "schema: expected 3, found 1"),
        (("evaluate", "scores.csv", "new", "--policy", "typo.toml"), "did you mean 'system.qwk'"),
    ],
)
def test_errors_are_one_sentence_and_exit_code_2(
    arguments: tuple[str, ...], sentence: str, folder: Path, gated: str
) -> None:
    (folder / "typo.toml").write_text('name = "t"\n[[criteria]]\nstatistic = "system.qkw"\nlow = 0\n', encoding="utf-8")
    old = json.loads((folder / "out" / "results.json").read_text(encoding="utf-8"))
    old["schema"] = 1
    del old["report"]["evaluation"]["statistics"], old["report"]["evaluation"]["ruling"]
    (folder / "old.json").write_text(json.dumps(old), encoding="utf-8")
    assert sentence in refused(*arguments, cwd=folder)


def test_a_comparison_is_an_error(folder: Path) -> None:
    assert "comparison of multiple runs" in refused("check", EXAMPLES / "two_engines", cwd=folder)


def test_policies_are_listed_shown_and_described(folder: Path) -> None:
    assert [line.split()[0] for line in reportgen("policy", "list", cwd=folder).stdout.splitlines()] == [
        "default", "fairness", "prmse", "unordered", "williamson-2012", "yannakoudakis-2015",
    ]  # fmt: skip
    (folder / "copy.toml").write_text(reportgen("policy", "show", "prmse", cwd=folder).stdout, encoding="utf-8")
    assert json.loads(reportgen("policy", "schema", cwd=folder).stdout)["title"] == "Policy"
    from reportgen.policies import load_policy

    assert load_policy(folder / "copy.toml") == load_policy("prmse")
