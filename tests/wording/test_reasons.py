"""The vocabulary has words for every reason and input note in the code, without command options."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest
from simulated import evaluation_of

import reportgen
from report_sections.data import Data
from reportgen.policies import load_policy, shipped_policies
from reportgen.results import WITHHELD, Check, Estimate
from reportgen.testing import text_of
from reportgen.wording.vocabulary import TEMPLATES, Vocabulary

WORDS = Vocabulary()
TEXTS = tomllib.loads((TEMPLATES / "words" / "reasons.toml").read_text(encoding="utf-8"))["texts"]
CODE = Path(reportgen.__file__).parent


def written(node: ast.AST) -> Iterator[str]:
    """Yield the possible texts of an expression, with variable parts as ``{}``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from (*written(node.body), *written(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from written(value)


def reasons() -> Iterator[tuple[str, str]]:
    """Yield every reason in a call that creates an estimate, with its file."""
    for room in ("metrics", "evaluation", "tally", "verdicts", "comparison"):
        for file in sorted((CODE / room).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                given: list[ast.AST] = []
                if isinstance(node, ast.keyword) and node.arg in ("reason", "interval_reason", "nothing", "method"):
                    given = [node.value]
                if isinstance(node, ast.FunctionDef) and re.search(r"reason|_why|^why|^no_(value|interval)", node.name):
                    given = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value]
                if isinstance(node, ast.Assign) and re.search(
                    r"^(NO_|METHOD|TOO_|MAYBE_|ALONE|CONTINUOUS$|UNKNOWN_|ONE_CATEGORY|reason$)",
                    ast.unparse(node.targets[0]),
                ):
                    given = [node.value]
                for value in given:
                    for text in written(value):
                        if " " in text.strip("{} "):
                            yield text, file.relative_to(CODE).as_posix()


def known(text: str) -> bool:
    """Return whether the vocabulary has a text, with or without variable parts."""
    plain = {re.sub(r"\{\w+\}", "{}", each) for each in TEXTS}
    whole = re.sub(r"\{[^}]*\}", "{}", text)
    parts = ("{}", "responses", "one response was", "infinitesimal jackknife on whole clusters", WITHHELD)
    ways = (whole.replace("{}", part, 1) for part in parts)
    return any(way in plain for way in ways)


def test_every_reason_in_code_has_words() -> None:
    missing = {text: file for text, file in reasons() if not known(text)}
    assert missing == {}


def test_reason_search_finds_every_kind() -> None:
    found = {text for text, _ in reasons()}
    assert {
        "every engine score is the same",
        "Wilson score interval",
        "severities are computed for up to {} raters; there are {}",
    } <= found


def test_reasons_are_clauses_without_options() -> None:
    assert [text for text in TEXTS.values() if re.search(r"--[a-z]|_", text) or text.endswith(".")] == []


def test_reason_keeps_its_parts() -> None:
    assert WORDS.say("all scores of the second rater are equal to within rounding") == (
        "the second rater gives every response the same score"
    )
    assert WORDS.say("the {column} is a {text} of no reason") == "the {column} is a {text} of no reason"


def test_translated_reason_can_reorder_parts(tmp_path: Path) -> None:
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "reasons.toml").write_text(
        '[texts]\n"not for unordered labels" = "nicht ohne Ordnung"\n'
        '"severities are computed for up to {most} raters; there are {n}" = "bei {n} über {most}"\n',
        encoding="utf-8",
    )
    words = Vocabulary(tmp_path)
    assert words.say("severities are computed for up to 2,000 raters; there are 3,000") == "bei 3,000 über 2,000"
    said = words.said(Check("QWK", Estimate("qwk", None, 0, reason=f"the group is {WITHHELD}"), "insufficient"))
    assert said.withheld
    assert words.say(said.estimate.reason) == "its results could reveal those of a small group"


MESSAGES = tomllib.loads((TEMPLATES / "words" / "input_notes.toml").read_text(encoding="utf-8"))["texts"]
PART = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("told", MESSAGES)
def test_report_note_has_all_parts_and_no_options(told: str) -> None:
    values = {name: f"part{place}" for place, name in enumerate(PART.findall(told))}
    shown = WORDS.say(PART.sub(lambda part: values[part[1]], told))
    assert shown == PART.sub(lambda part: values[part[1]], MESSAGES[told])
    assert not re.search(r"--\w|exclude_zero|_", shown)
    assert shown.endswith(".")


def test_file_warnings_have_report_words() -> None:
    rows = [{"human1": n % 4, "human2": n % 4, "engine": n % 4 + 0.1, "prompt": f"p{n % 2}"} for n in range(60)]
    found = evaluation_of(pd.DataFrame(rows), system="engine", human=["human1", "human2"])
    assert any("--exclude-zero-scores" in each for each in found.warnings)
    told = text_of(Data(), found)
    assert "15 human scores are 0 and are treated as" in told.annex or "30 human scores are 0" in told.annex
    assert "The column “prompt” identifies items, so it is not used as a group." in told.annex
    assert not re.search(r"--\w|exclude_zero", told.words)


def test_policy_texts_have_report_words() -> None:
    texts = tomllib.loads((TEMPLATES / "words" / "policies.toml").read_text(encoding="utf-8"))["texts"]
    for name in shipped_policies():
        policy = load_policy(name)
        held = [policy.description]
        for criterion in policy.criteria:
            held += [criterion.source_in_words, *(band.meaning for band in criterion.bands)]
        assert [text for text in held if text and text not in texts] == []
