"""The weight of every room stays within its committed budget, which may only fall.

``python tests/project/test_budget.py`` lowers the budget to what is there; nothing raises it but a hand.
"""

import ast
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUDGET = Path(__file__).with_name("budget.toml")


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines of docstrings, also of those below constants."""
    found, left = set[int](), [*tree.body]
    while left:
        each = left.pop()
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and isinstance(each.value.value, str):
            found |= set(range(each.lineno, (each.end_lineno or 0) + 1))
        elif isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.If | ast.With | ast.Try):
            left += each.body
    return found


def code_lines(path: Path) -> int:
    """Return the number of lines that are neither blank, comment nor docstring."""
    text = path.read_text(encoding="utf-8")
    left_out = docstring_lines(ast.parse(text))
    lines = enumerate(map(str.strip, text.split("\n")), 1)
    return sum(1 for number, line in lines if line and not line.startswith("#") and number not in left_out)


def rooms() -> Iterator[tuple[str, Path]]:
    """Yield every module with its room: a folder of reportgen, the sections, or the tests."""
    for top in ("reportgen", "report_sections", "tests"):
        for path in sorted((ROOT / top).rglob("*.py")):
            if "node_modules" not in path.parts:
                folders = path.relative_to(ROOT).parts[:-1]
                yield ".".join(folders[:2]) if top == "reportgen" else top, path


def weights() -> dict[str, Counter[str]]:
    """Return the lines of code and the files of every room."""
    found = defaultdict[str, Counter[str]](Counter)
    for room, path in rooms():
        found[room].update(lines=code_lines(path), files=1)
    return dict(sorted(found.items()))


def test_no_room_is_above_its_budget() -> None:
    budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    above = [
        f"{room} has {number} {what} of {most}"
        for room, weight in weights().items()
        for what, number in weight.items()
        if number > (most := budget.get(room, {}).get(what, 0))
    ]
    assert not above, f"remove code, or lower another room in {BUDGET} by as much and give the reason in the commit"


if __name__ == "__main__":
    before = tomllib.loads(BUDGET.read_text(encoding="utf-8")) if BUDGET.exists() else {}
    lowered = {
        room: {what: min(number, before.get(room, weight)[what]) for what, number in weight.items()}
        for room, weight in weights().items()
    }
    text = "".join(
        f'"{room}" = {{ lines = {each["lines"]}, files = {each["files"]} }}\n' for room, each in lowered.items()
    )
    BUDGET.write_text(f"# Lines of code and files of every room; lowered by test_budget.py.\n{text}", encoding="utf-8")
