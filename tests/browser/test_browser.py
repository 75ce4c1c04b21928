"""What a real browser, its network off, makes of the pages of the example reports."""

import json
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import reportgen

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "example_reports"
TERMED = HERE / "templates"
"""Templates that explain a term in the text of every report."""
STALLED = 75  # observe.mjs: the browser did not answer
MISSING = [name for name in ("chromium", "node") if shutil.which(name) is None]
if not (HERE / "node_modules").is_dir():
    MISSING.append("the packages of tests/browser/package.json")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(
        bool(MISSING) and not os.environ.get("CI"),
        reason=f"not installed: {', '.join(MISSING)}; `make test` installs them",
    ),
]


def observe(page: Path) -> Any:
    """Return what observe.mjs prints about a page; a browser that stops answering is restarted, at most twice."""
    for _attempt in range(3):
        command = ["node", "observe.mjs", str(page)]
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != STALLED:
            break
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def observations(name: str) -> list[dict[str, Any]]:
    """Return what the browser saw in each view of the page of an example's results."""
    with tempfile.TemporaryDirectory() as folder:
        reportgen.render(EXAMPLES / name / "results.json", Path(folder) / "pages", formats=["html"], templates=TERMED)
        seen: list[dict[str, Any]] = observe(Path(folder) / "pages" / "report.html")
    assert len(seen) == 7
    return seen


@pytest.fixture(params=("asap2", "biased_group"))
def views(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return observations(request.param)


def found(views: list[dict[str, Any]], key: str) -> dict[str, Any]:
    """Return what is not empty under `key`, by the name of the view."""
    return {view["name"]: view[key] for view in views if view[key]}


@pytest.mark.slow
def test_no_error_or_warning_in_the_console(views: list[dict[str, Any]]) -> None:
    assert found(views, "errors") == {}


def test_nothing_is_requested_from_outside_the_page(views: list[dict[str, Any]]) -> None:
    assert found(views, "requests") == {}


def test_no_accessibility_violation_of_level_a_or_aa(views: list[dict[str, Any]]) -> None:
    assert found(views, "violations") == {}


def test_nothing_sticks_out_sideways(views: list[dict[str, Any]]) -> None:
    assert found(views, "overflow") == {}


def test_every_chart_is_a_picture_at_once_in_every_view(views: list[dict[str, Any]]) -> None:
    for view in views:
        assert view["charts"] >= 4
        assert view["still"] == view["charts"], view["name"]


def test_no_table_is_cut_on_a_wide_screen(views: list[dict[str, Any]]) -> None:
    assert views[0]["cut"] == []


def test_the_answer_is_seen_without_scrolling(views: list[dict[str, Any]]) -> None:
    for view in views:
        assert 0 < view["answerEnds"] < (844 if view["width"] == 390 else 900), view["name"]


def test_what_is_clicked_is_24_pixels_wide_and_high(views: list[dict[str, Any]]) -> None:
    assert {view["name"]: view["small"] for view in views if view["small"] and view["javaScript"]} == {}


def test_a_row_is_found_and_reached_with_the_keyboard(views: list[dict[str, Any]]) -> None:
    found = views[0]["actions"]["found"]
    assert found["hits"]
    assert found["said"] in (f"{len(found['hits'])} found", "1 found")
    assert found["reached"]["inView"]
    assert found["violations"] == []


def test_tables_and_figures_are_saved_from_the_page(views: list[dict[str, Any]]) -> None:
    made = views[0]["actions"]
    head, first, *_ = made["csv"]["content"].splitlines()
    assert made["csv"]["name"].endswith(".csv")
    assert len(head.split(",")) > 1
    assert any(
        len(cell.partition(".")[2]) > 6 for line in made["csv"]["content"].splitlines() for cell in line.split(",")
    )
    assert first
    assert made["svg"]["content"].startswith("<svg ")
    assert 'xmlns="http://www.w3.org/2000/svg"' in made["svg"]["content"]
    assert made["png"]["content"].startswith("\x89PNG")


def test_a_chart_is_opened_and_closed_with_escape(views: list[dict[str, Any]]) -> None:
    explored = views[0]["actions"]["explored"]
    assert explored["plotted"]
    assert explored["closed"]
    assert explored["back"] == "explore"
    assert explored["picture"].startswith("<svg")
    assert explored["violations"] == []


def test_a_term_is_explained_on_focus_and_hover(views: list[dict[str, Any]]) -> None:
    explained = views[0]["actions"]["explained"]
    assert explained["text"].startswith("quadratic weighted kappa (QWK)")
    assert "Agreement between two scores, with large disagreements" in explained["text"]
    assert "Agreement between two scores, with large disagreements" in explained["described"]
    assert explained["hidden"]
    assert explained["stays"]
    assert explained["violations"] == []


def test_chosen_colours_stay_and_never_reach_paper(views: list[dict[str, Any]]) -> None:
    coloured = views[0]["actions"]["coloured"]
    assert coloured["ground"] == "rgb(21, 26, 33)"
    assert coloured["paper"] == "rgb(255, 255, 255)"
    assert not coloured["bar"]
    assert coloured["violations"] == []


def test_the_contents_are_at_hand_on_a_phone(views: list[dict[str, Any]]) -> None:
    contents = next(view["contents"] for view in views if view["name"] == "phone")
    assert contents == {"open": True, "closed": True, "violations": []}


def test_tables_say_the_same_with_and_without_scripts(views: list[dict[str, Any]]) -> None:
    tables = {view["name"]: view["tables"].split() for view in views}
    assert len(tables["wide"]) > 300
    assert tables["wide"] == tables["wide without scripts"]


def test_a_click_sorts_a_table_and_a_second_click_turns_it_round(views: list[dict[str, Any]]) -> None:
    first, second = views[0]["sorted"]
    assert {first["sort"], second["sort"]} == {"ascending", "descending"}
    assert sorted(first["column"]) == sorted(second["column"])
    assert first["column"] != second["column"]
