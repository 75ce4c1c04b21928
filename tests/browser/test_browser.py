"""What a real browser, its network off, makes of the example reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "example_reports"
REPORTS = ("asap2", "biased_group")
STALLED = 75  # observe.mjs: the browser did not answer
MISSING = [name for name in ("chromium", "node") if shutil.which(name) is None]
if not (HERE / "node_modules").is_dir():
    MISSING.append("the packages of tests/browser/package.json")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        bool(MISSING) and not os.environ.get("CI"),
        reason=f"not installed: {', '.join(MISSING)}; `make test` installs them",
    ),
]


def observe(page: Path) -> Any:
    """Return what observe.mjs prints of a page; a browser that stops answering (it happens) is started anew, twice."""
    for _attempt in range(3):
        command = ["node", "observe.mjs", str(page)]
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != STALLED:
            break
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def observations(name: str) -> list[dict[str, Any]]:
    """Return what the browser saw in each view of an example report."""
    seen: list[dict[str, Any]] = observe(EXAMPLES / name / "report.html")
    assert len(seen) == 5
    return seen


@pytest.fixture(params=REPORTS)
def views(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return observations(request.param)


def found(views: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """Return what is not empty under `key`, by the name of the view."""
    return {view["name"]: view[key] for view in views if view[key]}


def test_no_error_or_warning_in_the_console(views: list[dict[str, Any]]) -> None:
    assert found(views, "errors") == {}


def test_nothing_is_requested_from_outside_the_page(views: list[dict[str, Any]]) -> None:
    assert found(views, "requests") == {}


def test_no_accessibility_violation_of_level_a_or_aa(views: list[dict[str, Any]]) -> None:
    assert found(views, "violations") == {}


def test_nothing_sticks_out_sideways(views: list[dict[str, Any]]) -> None:
    assert found(views, "overflow") == {}


def test_every_chart_is_plotted_where_scripts_run_and_a_still_picture_elsewhere(views: list[dict[str, Any]]) -> None:
    for view in views:
        assert view["charts"] >= 4
        assert view["plotted" if view["javaScript"] else "still"] == view["charts"], view["name"]


def test_tables_say_the_same_with_and_without_scripts(views: list[dict[str, Any]]) -> None:
    tables = {view["name"]: view["tables"].split() for view in views}
    assert len(tables["wide"]) > 300
    assert tables["wide"] == tables["wide without scripts"]


def test_a_click_sorts_a_table_and_a_second_click_turns_it_round(views: list[dict[str, Any]]) -> None:
    first, second = views[0]["sorted"]
    assert {first["sort"], second["sort"]} == {"ascending", "descending"}
    assert sorted(first["column"]) == sorted(second["column"])
    assert first["column"] != second["column"]
