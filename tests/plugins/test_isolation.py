"""Test that a run survives third-party code and reports its errors."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from command import refused, reportgen

from reportgen.reports.single import section_results
from reportgen.sections import Evaluation, Findings, Found, Section
from reportgen.testing import example_evaluation

DATA = "id,human,system\n" + "".join(f"r{i},{i % 5 + 1},{i % 5 + 1.2:.2f}\n" for i in range(40))
SECTION = (
    "import sys\nfrom dataclasses import dataclass\nfrom typing import ClassVar\n"
    "from reportgen.sections import Findings, Section\n"
    "@dataclass(frozen=True)\nclass Odd(Section):\n"
    "    name: ClassVar[str] = 'odd'\n    title: ClassVar[str] = 'Odd'\n"
)


class Vanishing(BaseException):
    """Not a subclass of `Exception`."""


def empty_the_tables(evaluation: Evaluation) -> None:
    evaluation.tables.clear()  # type: ignore[attr-defined]


def change_the_facts(evaluation: Evaluation) -> None:
    evaluation.settings["data"]["system"] = "mine"


def vanish(_: Evaluation) -> None:
    raise Vanishing("gone")


@pytest.mark.parametrize(
    ("act", "error"), [(empty_the_tables, "AttributeError"), (change_the_facts, ""), (vanish, "Vanishing: gone")]
)
def test_section_cannot_change_other_results(act: Any, error: str) -> None:
    @dataclass(frozen=True)
    class Odd(Section):
        name: ClassVar[str] = "odd"
        title: ClassVar[str] = "Odd"

        def findings(self, evaluation: Evaluation) -> Findings:
            act(evaluation)
            return Findings()

    evaluation = example_evaluation()
    before = repr(evaluation)
    (result,) = section_results([Found(Odd(), "a test")], evaluation)
    assert result.error.startswith(error)
    assert bool(result.error) == bool(error)
    assert repr(evaluation) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "exit_code", "words"),
    [
        ("    option: 'NoSuchType' = 1\n", 2, "types of its options"),
        ("    def __post_init__(self): raise SystemExit(0)\n", 3, "these sections failed"),
        ("    def findings(self, e): sys.exit(0)\n", 3, "these sections failed"),
        ("    def findings(self, e): raise GeneratorExit\n", 3, "these sections failed"),
    ],
)
def test_misbehaving_section_in_process(tmp_path: Path, code: str, exit_code: int, words: str) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    (tmp_path / "odd.py").write_text(SECTION + code)
    arguments = ["evaluate", "s.csv", "out", "--sections", "data,./odd.py", "--formats", "html"]
    done = reportgen(*arguments, cwd=tmp_path, code=exit_code)
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "out/report.html").is_file() == ("these sections failed" in words)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("c.json", '{"report": {"title": "\\ud800"}}', "report.title: expected text"),
        ("c.yaml", "a: &a [*a]\n", "YAML aliases (*NAME) are not supported"),
    ],
)  # fmt: skip
def test_unwritable_configuration_raises(tmp_path: Path, name: str, content: str, words: str) -> None:
    import time

    (tmp_path / name).write_text(content)
    start = time.process_time()
    assert words in refused("evaluate", name, cwd=tmp_path)
    assert time.process_time() - start < 2


def test_invalid_utf8_raises(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    assert "title: expected text" in refused("evaluate", "s.csv", "--title", "a\udcff", cwd=tmp_path)


@pytest.mark.slow
def test_invalid_json_values_raise(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(DATA)
    reportgen("evaluate", "s.csv", "out", "--tables-only", cwd=tmp_path)
    text = (tmp_path / "out/results.json").read_text()
    for key in ("trim_low", "value"):
        start = text.index(f'"{key}":') + len(key) + 3
        end = min(text.index(mark, start) for mark in ",}")
        for bad in ("NaN", "-Infinity", "1e999", "1" + "0" * 400):
            (tmp_path / "bad.json").write_text(text[:start] + bad + text[end:])
            refused("render", "bad.json", "pages", cwd=tmp_path)


# A failing section shows its error and does not stop the others.


def leave() -> Findings:
    raise SystemExit(0)


def wrong_type() -> Any:
    return 3


def not_storable() -> Findings:
    return Findings(values={"answer": object()})


def not_a_table() -> Any:
    return Findings(tables=("abc",))  # type: ignore[arg-type]


@pytest.mark.parametrize("misbehave", [leave, wrong_type, not_storable, not_a_table])
def test_failed_section_shows_error(misbehave: Callable[[], Findings]) -> None:
    @dataclass(frozen=True)
    class Misbehaving(Section):
        name: ClassVar[str] = "misbehaving"
        title: ClassVar[str] = "Misbehaving"

        def findings(self, evaluation: Evaluation) -> Findings:
            return misbehave()

    (result,) = section_results([Found(Misbehaving(), "a test")], example_evaluation())
    assert result.error
    assert result.findings == Findings()
