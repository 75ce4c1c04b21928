"""Test the API reference: every public name has an entry and an example, and the pages match the docstrings."""

import importlib
import inspect

import pytest
from scripts import loaded

build_api = loaded("docs/build_api.py")

HELD = {"Metric"}
"""What is only met as the values of a mapping (`METRICS`)."""


def test_every_public_name_has_an_entry_and_an_example() -> None:
    names = [(each, name) for each in build_api.MODULES for name in build_api.public(importlib.import_module(each))]
    for module, name in names:
        page = (build_api.API / f"{module}.md").read_text(encoding="utf-8")
        assert f"\n## {name}\n" in page, f"{name}: type make docs"
        home = importlib.import_module(module)
        value = getattr(home, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            assert (inspect.getdoc(value) or "").split(chr(10))[0].endswith("."), f"{name}: expected a first sentence"
            shown = build_api.has_example(value) or build_api.used_by(name, home)
            assert shown or name in HELD, f"{name}: write an example into its docstring, then: make docs"


def test_the_pages_match_the_docstrings() -> None:
    for name, text in build_api.pages().items():
        assert (build_api.API / name).read_text(encoding="utf-8") == text, f"docs/api/{name} is old; type: make docs"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("commands", "reportgen policy show NAME"),
        ("glossary", "| Double-scored | `double_scored` | A response is double-scored if two raters scored it. |"),
        ("references", "# References"),
        ("requirements", "| MEASURE 2.12 | environmental impact | nothing |"),
    ],
)
def test_a_generated_page_is_current(name: str, line: str) -> None:
    build = loaded(f"docs/build_{name}.py")
    assert line in build.page()
    assert build.PAGE.read_text(encoding="utf-8") == build.page(), "type: make docs"


def test_examples_and_parameters_become_markdown() -> None:
    lines = build_api.markdown("Say it.\n\nParameters\n----------\na, b : int\n    Both.\n\n>>> 1 + 1\n2\n\nEnd.")
    assert lines == [
        "Say it.", "", "**Parameters**\n", "- `a, b : int`", "  Both.", "", "```pycon", ">>> 1 + 1", "2",
        "```", "", "End.",
    ]  # fmt: skip
