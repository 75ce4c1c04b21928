"""Generate hostile results: stored numbers, planted folders, notebook outputs, and cards."""

import base64
import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fuzz import trees
from fuzz.cases import HELD_AGAINST, WITH_SECTIONS, Case
from fuzz.pieces import MARKER, Draw
from fuzz.sound import Sound
from fuzz.spoiling import spoilt

EVERY = ("full", "slim", "changes", "side")


def _results(draw: Draw, work: Path, given: Sound, which: Sequence[str] = EVERY, name: str = "res") -> str:
    """Write a folder with mutated results; return its name."""
    (work / name).mkdir()
    tree = trees.mutated(draw, given.results(draw.choice(which)))
    (work / name / "results.json").write_bytes(trees.as_json(draw, tree))
    settings = (given.place / "slim" / "config.toml").read_bytes()
    if draw.happens(0.4):
        (work / name / "config.toml").write_bytes(spoilt(draw, settings) if draw.happens(0.5) else settings)
    return name


def check(draw: Draw, work: Path, given: Sound) -> Case:
    name = _results(draw, work, given)
    policy = draw.perhaps(0.3, "--policy", "default")
    more = [*draw.perhaps(0.3, "--strict"), *draw.perhaps(0.3, "--junit", "j.xml", "--markdown", "m.md")]
    return Case(["check", name, *policy, *more], HELD_AGAINST, ("j.xml", "m.md"))


def verify(draw: Draw, work: Path, given: Sound) -> Case:
    """Mutated results, configurations, and attestations, with and without scores."""
    name = "slim" if draw.happens(0.4) else _results(draw, work, given)
    given.put(work, "s.csv", *(["slim"] if name == "slim" else []))
    if draw.happens(0.7):
        (work / name / "attestation.json").write_bytes(_attestation(draw))
    data = draw.perhaps(0.5, "--data", "s.csv")
    command = draw.choice([["attest", name, "--out", "out"], ["verify", name, *data], ["verify", name, *data]])
    return Case(command, HELD_AGAINST)


PLACES = (
    "l/.bashrc", "../../home/.bashrc", "l/private.csv", "results.json", "tables/l/.bashrc", "/etc/x.csv", "x" * 5000,
    ".", "..", "", "l", "tables/../l/.bashrc", "report.html",
)  # fmt: skip


def _attestation(draw: Draw) -> bytes:
    """Return a statement, possibly well-formed, about files in any place."""
    names = ["results.json", *draw.sample(PLACES, 2)]
    subjects = [{"name": each, "digest": {"sha256": draw.choice(["0" * 64, "f" * 63, 7])}} for each in names]
    predicate = {"result": draw.choice(["PASSED", "fine"]), "configuration": [], "passedTests": [draw.text()]}
    tree = {
        "_type": "https://in-toto.io/Statement/v1", "subject": subjects, "predicate": predicate,
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
    }  # fmt: skip
    return trees.as_json(draw, trees.mutated(draw, tree) if draw.happens(0.5) else tree)


def plan(draw: Draw, work: Path, given: Sound) -> Case:
    name = _results(draw, work, given, ("full", "slim"))
    more = [
        *draw.perhaps(0.5, "--half-width", draw.choice(["0.05", "1e-9", "nan", "inf", "0"])),
        *draw.perhaps(0.4, "--n2", draw.choice(["2", "99999999999999", "100"])),
        *draw.perhaps(0.3, "--threshold", draw.choice(["0.7", "nan", "1"])),
        *draw.perhaps(0.3, "--json"),
    ]
    return Case(["plan", "--from", name, *more], writes=())


def compare(draw: Draw, work: Path, given: Sound) -> Case:
    name = _results(draw, work, given, ("full", "slim"))
    given.put(work, "slim")
    runs = draw.sample([name, "slim"], 2)
    return Case([draw.choice(["compare", "summarize"]), *runs, "--out", "out", "--tables-only"], WITH_SECTIONS)


def render(draw: Draw, work: Path, given: Sound) -> Case:
    name = _results(draw, work, given, ("slim", "slim", "changes"))
    return Case(["render", f"{name}/results.json", "out", "--formats", "html"], WITH_SECTIONS)


def packet(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "slim")
    card = trees.write_settings(draw, trees.mutated(draw, given.card, 4), work / "card")
    more = draw.perhaps(0.3, "--previous", "prev")
    if more:
        _results(draw, work, given, ("slim",), "prev")
    return Case(["packet", "slim", "out", "--card", card, "--formats", "html", *more], WITH_SECTIONS)


MARKUP = (
    '<meta http-equiv="refresh" content="0;url=https://example.invalid">', "<base href='https://example.invalid'>",
    '<iframe src="https://example.invalid"></iframe>', '<img src="file:///etc/hostname">', "<script>alert(1)</script>",
    '<a href="javascript:alert(1)">x</a>', '<link rel="attachment" href="file:///etc/hostname">', "<table><tr><td>",
    '<p style="position:fixed;inset:0" onclick="go()">x</p>', "<svg><script>alert(1)</script></svg>", "</main></body>",
    '<style>body{background:url("https://example.invalid")}</style>', "<div " * 2000, "<b>" * 3000, "<!--",
    "```\n+++\n",
    '<form action="https://example.invalid"><input name="a"></form>', "[x](javascript:alert(1))", "{{ 7 * 7 }}",
    f"```{{code-cell}}\nopen('{MARKER}', 'w')\n```", "\ud800", "\x00", "\x1b]0;x\x07",
)  # fmt: skip
FORMS = ("text/html", "text/markdown", "text/plain", "image/svg+xml", "text/latex", "application/json", "application/x")
PICTURES = ("", "x", '"><script>alert(1)</script>', base64.b64encode(b"\x89PNG\r\n\x1a\n").decode(), "A" * 300_000)


def notebook_outputs(draw: Draw, work: Path, given: Sound) -> Case:
    """Outputs of a foreign notebook, and paths as providers, logos, and templates."""
    tree = copy.deepcopy(given.results("slim"))
    section = tree["report"]["sections"][-1]
    outputs: list[Any] = [{draw.choice(FORMS): draw.choice(MARKUP)} for _ in range(draw.randint(1, 4))]
    outputs += draw.choices([{"image/png": draw.choice(PICTURES)}, {"error": ["x"]}, {"text/html": 5}, 3, None], k=2)
    section |= {"name": draw.choice(["custom_x", "x/y", "../x", "data"]), "title": draw.text()}
    providers = ["x.ipynb", "./theirs.py", f"{work}/theirs.py", "../home/theirs.ipynb", "reportgen"]
    section["provider"] = draw.choice(providers)
    section["findings"] = {"values": {"outputs": outputs}}
    settings = tree["report"]["evaluation"]["settings"].setdefault("report", {})
    settings["templates"] = draw.choice(["theirs", str(work), "../home"])
    settings["logo"] = draw.choice(["l.png", "/etc/hostname"])
    (work / "theirs.py").write_text(f"open('{MARKER}', 'w')")
    (work / "r").mkdir()
    data = json.dumps(trees.mutated(draw, tree) if draw.happens(0.3) else tree)
    (work / "r" / "results.json").write_text(data)
    pages = draw.choices(["html", "html,pdf"], [9, 1])[0].split(",")
    return Case(["render", "r/results.json", "out", *(w for page in pages for w in ("--formats", page))], WITH_SECTIONS)


READING = (
    "check report", "verify report", "attest report --out out", "plan --from report",
    "render report/results.json out --formats html",
    "compare report slim --out out --tables-only", "summarize report slim --out out --tables-only",
    "packet report out --tables-only", "evaluate s.csv report --tables-only",
    "evaluate s.csv report --tables-only --force",
    "batch s.csv report --by item --tables-only --workers 1", "tables s.csv report --by item --force",
)  # fmt: skip


def planted(draw: Draw, work: Path, given: Sound) -> Case:
    """A report from a stranger, with links."""
    given.put(work, "slim", "s.csv")
    (work / "slim").rename(work / "report")
    given.put(work, "slim")
    report, home = work / "report", work.parent / "home"
    (report / "l").symlink_to(draw.choice([str(home), "../../home", "/dev/null", "l", "."]))
    if draw.happens(0.3):
        name = draw.choice(["report.html", "tables", "config.toml", "results.json"])
        _away(report / name)
        (report / name).symlink_to(home / draw.choice([".bashrc", "private.csv", "new"]))
    command = draw.choice(READING).split()
    writes = ("out", "report") if "s.csv" in command else ("out",)
    return Case(command, HELD_AGAINST | WITH_SECTIONS, writes)


def _away(path: Path) -> None:
    """Remove a file, or move a folder aside."""
    if path.is_dir():
        path.rename(path.with_name("moved"))
    else:
        path.unlink(missing_ok=True)
