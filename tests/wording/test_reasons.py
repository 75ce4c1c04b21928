"""Why there is no number is said in the words of the vocabulary, whatever the code writes."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import reportgen
from reportgen.results import WITHHELD, Check, Estimate
from reportgen.wording.vocabulary import TEMPLATES, Vocabulary

ROOMS = ("metrics", "evaluation", "tally", "verdicts", "comparison")
WORDS = Vocabulary()
TEXTS = tomllib.loads((TEMPLATES / "words" / "reasons.toml").read_text(encoding="utf-8"))["texts"]
CODE = Path(reportgen.__file__).parent


def written(node: ast.AST) -> Iterator[str]:
    """Yield the texts that an expression may be, parts that differ as ``{}``."""
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
    """Yield every reason that the code writes where it makes an estimate, with its file."""
    for room in ROOMS:
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
    """Return whether the vocabulary has a text, or one with parts that differ."""
    plain = {re.sub(r"\{\w+\}", "{}", each) for each in TEXTS}
    whole = re.sub(r"\{[^}]*\}", "{}", text)
    parts = ("{}", "responses", "one response was", "infinitesimal jackknife on whole clusters", WITHHELD)
    ways = (whole.replace("{}", part, 1) for part in parts)
    return any(way in plain for way in ways)


def test_every_reason_that_the_code_writes_is_in_the_vocabulary() -> None:
    missing = {text: file for text, file in reasons() if not known(text)}
    assert missing == {}


def test_the_search_finds_reasons_of_every_kind() -> None:
    found = {text for text, _ in reasons()}
    assert {
        "every engine score is the same",
        "Wilson score interval",
        "severities are computed for up to {} raters; there are {}",
    } <= found


def test_a_reason_is_part_of_a_sentence_and_names_no_option() -> None:
    assert [text for text in TEXTS.values() if re.search(r"--[a-z]|_", text) or text.endswith(".")] == []


def test_a_text_with_parts_keeps_them() -> None:
    assert WORDS.say("all scores of the second rater are equal to within rounding") == (
        "all scores of the second rater are practically equal"
    )
    assert WORDS.say("the {column} is a {text} of no reason") == "the {column} is a {text} of no reason"


def test_another_language_says_reasons_with_their_parts_in_its_own_order(tmp_path: Path) -> None:
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
    assert words.say(said.estimate.reason) == "the group is hidden to protect a small group"
