"""Builds the pages of docs/statistics, one for each family of statistics: `make docs`."""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reportgen import metrics
from reportgen.metrics import METRICS
from reportgen.metrics.pair import DESCRIBED, FAMILIES
from reportgen.policies import brought
from reportgen.wording.names import capital
from reportgen.wording.vocabulary import Entry, english

DOCS = Path(__file__).parent
PAGES = DOCS / "statistics"
SCALES = {"fisher": "atanh", "log": "log", "log1m": "log(1 − x)", "logit": "logit", "variance": "−1/∛x"}
INTERVALS = {"none": "Student's t", "wilson": "Wilson's score interval"} | {
    transform: f"Student's t on the scale of {scale}" for transform, scale in SCALES.items()
}
BETTER = {"high": "; higher is better", "low": "; lower is better", "zero": "; 0 is best", "": ""}
REQUIRES = {"first": "scored", "second": "double-scored"}

OTHERS = "You can look up these keys in `results.json`. Use them in a policy if they are under `estimates`."

FUNCTIONS = "You can use these functions of `reportgen.metrics` with your own arrays:"


def data() -> dict[str, Any]:
    """Load the families."""
    return tomllib.loads((DOCS / "statistics.toml").read_text(encoding="utf-8"))


def pages() -> dict[str, str]:
    """Return the name and the text of every page."""
    told = data()
    families: dict[str, dict[str, Any]] = told["families"]
    known = {key for family in families.values() for key in family["statistics"]}
    others = [key for key in METRICS if key not in known]
    if forgotten := [key for key in others if key in DESCRIBED]:
        raise SystemExit(f"docs/statistics.toml: add {', '.join(forgotten)} to the statistics of a family")
    if others:
        families["others"] = {
            "title": "Statistics of installed packages",
            "intro": "Statistics that other packages add. ",
            "statistics": others,
        }
    index = [
        f"| [{each['title']}]({name}.md) | {each['intro'].split('. ')[0].strip()} |" for name, each in families.items()
    ]
    keys = [
        f"| `{key}.` | {each['of']} | {REQUIRES[each['requires']]} responses are like the others |"
        for key, each in FAMILIES.items()
    ]
    parts = (
        told["before"],
        table(("Page", "Topic"), index),
        "## First part of a key",
        table(("Key", "Describes", "Applies to all responses if"), keys),
        told["after"],
    )
    found = {f"{name}.md": page(each, told["undefined"], told["intervals"]) for name, each in families.items()}
    return {name: tidy(text) for name, text in {"README.md": "\n\n".join(parts), **found}.items()}


def topic(intro: str) -> str:
    """Return the first sentence of an introduction without its period."""
    return " ".join(intro.split()).split(". ")[0]


def page(family: dict[str, Any], undefined: dict[str, str], intervals: dict[str, str]) -> str:
    """Return the page of a family: its introduction, statistics, other numbers, and functions."""
    lines = [f"# {family['title']}", "", family["intro"]]
    for key in family["statistics"]:
        lines += entry(key, undefined.get(key, ""), intervals)
    if terms := [words(key) for key in family.get("terms", ())]:
        rows = (f"| {title(each)} | `{each.key}` | {each.definition} |" for each in terms)
        lines += ["", "## Other statistics in reports", "", OTHERS, "", table(("Name", "Key", "Definition"), rows)]
    if analyses := family.get("analyses"):
        rows = (
            f"| {' | '.join(each[part] for part in ('name', 'formula', 'undefined', 'source'))} |" for each in analyses
        )
        lines += ["", "## Analyses", "", table(("Analysis", "Formula", "Undefined if", "Source"), rows)]
    if functions := family.get("functions"):
        rows = (f"| {link(name)} | {summary(name)} |" for name in functions)
        lines += ["", "## Functions", "", FUNCTIONS, "", table(("Function", "Description"), rows)]
    return "\n".join(lines)


def entry(key: str, undefined: str, intervals: dict[str, str]) -> list[str]:
    """Return the lines of one statistic of the catalogue."""
    metric, known = METRICS[key], words(key)
    low, high = ("no limit" if abs(end) == float("inf") else f"{end:g}".replace("-", "−") for end in metric.possible)
    parts = {
        "Key": f"`{key}`",
        "Formula": f"`{metric.formula}`",
        "Range": f"{low} to {high}{BETTER[metric.better]}"
        if {low, high} != {"no limit"}
        else f"any{BETTER[metric.better]}",
        "Undefined if": undefined,
        "Interval": intervals.get(key, INTERVALS[metric.transform]),
        "Tables": ", ".join(f"`{place}`" for place in metric.tables),
        "Source": metric.source,
    }
    listed = [f"- {name}: {text}" for name, text in parts.items() if text]
    return ["", f"## {title(known)}", "", f"{known.question} {known.definition}", "", *picture(key), *listed]


def words(key: str) -> Entry:
    """Return the words for a statistic, those of installed packages included."""
    return brought(key) or english().entry(key)


def title(known: Entry) -> str:
    """Return the name of a statistic with its abbreviation."""
    return capital(known.name) + (f" ({known.short})" if known.short else "")


def picture(key: str) -> list[str]:
    """Return the line that shows the picture of a statistic, if it has one."""
    drawn = DOCS / "pictures" / f"{key}.svg"
    if not drawn.exists():
        return []
    shows = re.search("<title>(.*)</title>", drawn.read_text(encoding="utf-8"))
    return [f"![{shows[1] if shows else key}](../pictures/{key}.svg)", ""]


def link(name: str) -> str:
    """Return the link from a function to its reference."""
    return f"[`{name}`](../api/reportgen.metrics.md#{name.lower()})"


def summary(name: str) -> str:
    """Return the first line of a function's docstring."""
    return (inspect.getdoc(getattr(metrics, name)) or "").split("\n")[0].replace("``", "`").replace("|", "\\|")


def table(header: tuple[str, ...], rows: Iterable[str]) -> str:
    """Return a table in Markdown."""
    return "\n".join((f"| {' | '.join(header)} |", "|---" * len(header) + "|", *rows))


def tidy(text: str) -> str:
    """Return text with single empty lines and one line end at the end."""
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def main() -> None:
    """Write every page."""
    PAGES.mkdir(exist_ok=True)
    for old in PAGES.glob("*.md"):
        old.unlink()
    for name, text in pages().items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
