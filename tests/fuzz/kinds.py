"""Generate hostile scores and settings; each function fills an empty folder and returns a case."""

import copy
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import judge_files

from fuzz import archives, sound, tables, trees
from fuzz.cases import DONE_OR_REFUSED, HELD_AGAINST, WITH_SECTIONS, Case
from fuzz.pieces import Draw, showable
from fuzz.sound import Sound
from fuzz.spoiling import spoilt

FORMATS = ("csv", "csv", "csv", "tsv", "jsonl", "parquet", "xlsx")


def write_scores(draw: Draw, work: Path, formats: Sequence[str] = FORMATS) -> tuple[str, bool]:
    """Write hostile scores; return the file name, and whether its header may be lost."""
    table = draw.choices([tables.wide, tables.long, tables.judged], [8, 1.5, 1])[0]()
    if draw.happens(0.9):
        tables.changed(draw, table)
    path = work / f"d.{draw.choice(formats)}"
    if path.suffix == ".parquet":
        return path.name, archives.parquet(draw, table, path)
    if path.suffix == ".xlsx":
        return path.name, archives.workbook(draw, table, path)
    if path.suffix == ".jsonl":
        data, wrong = tables.perhaps_spoilt(draw, tables.json_lines(draw, table))
    else:
        comma = "\t" if path.suffix == ".tsv" else draw.choice(",,,;\t|")
        data, wrong = tables.perhaps_spoilt(draw, tables.delimited(draw, table, comma))
    path.write_bytes(data)
    return path.name, wrong


OPTIONS: dict[str, tuple[str, ...]] = {
    "--scale": ("1:6", "0:6", "1:6:0.5", "6:1", "a:b", "1:1e9", "1:6:0", "nan:6", "1:6:1e-9", "-1:1", "1:inf", ":"),
    "--system": ("engine", "h1", "id", "nope", ""), "--human": ("h1", "h2", "engine", "zz"),
    "--group": ("gender", "h1", "item", "engine", "zz"), "--candidate": ("candidate", "", "id", "zz"),
    "--item": ("", "item"), "--min-n": ("0", "1", "-1", "1000000", "9" * 20, "x"), "--item-score": ("h2", "zz"),
    "--confidence": ("0", "1", "0.5", "0.9999", "nan", "95"), "--layout": ("long", "wide", "x"),
    "--intersect": ("all", "gender,l1", "gender,gender", "a,b", "gender"), "--length": ("id", "engine", "h1"),
    "--position": ("gender", "zz"), "--seed": ("0", "-1", "9" * 20), "--trim-min": ("1", "nan", "9", "-inf"),
    "--encoding": ("utf-16", "latin-1", "cp037", "rot13", "utf-7", "hex"), "--policy": ("prmse", "default", "zz"),
    "--junit": ("j.xml",), "--markdown": ("m.md",),
}  # fmt: skip
FLAGS = ("--no-withhold", "--no-groups", "--batches", "--no-batches", "--gate", "--strict", "--quiet")


def _options(draw: Draw) -> list[str]:
    """Return up to two options of ``evaluate``."""
    chosen: list[str] = []
    for name in draw.sample([*OPTIONS, *FLAGS, "--title"], draw.choice([0, 0, 0, 1, 1, 2])):
        chosen.append(name)
        if name in OPTIONS:
            chosen.append(draw.choice(OPTIONS[name]))
        elif name == "--title":
            chosen.append(showable(draw.text()))
    return chosen


def scores(draw: Draw, work: Path, sound: Sound) -> Case:
    name, wrong = write_scores(draw, work)
    options = _options(draw)
    pages = ["--formats", "html"] if draw.happens(0.03) else ["--tables-only"]
    codes = WITH_SECTIONS | HELD_AGAINST if "--gate" in options or "--strict" in options else WITH_SECTIONS
    return Case(["evaluate", name, "out", *pages, *options], codes, ("out", "j.xml", "m.md"), names_asked=wrong)


def judge(draw: Draw, work: Path, _: Sound) -> Case:
    kinds = judge_files.outputs()
    tree = trees.mutated(draw, kinds[draw.choice([*kinds])], 4)
    name = "j.json"
    if isinstance(tree, dict) and isinstance(tree.get("samples"), list) and draw.happens(0.5):
        name = "j.eval"
        header = {key: value for key, value in tree.items() if key != "samples"}
        parts = {"header.json": trees.as_json(draw, header)}
        parts |= {f"samples/{k}_epoch_1.json": trees.as_json(draw, each) for k, each in enumerate(tree["samples"])}
        if draw.happens(0.1):
            parts["samples/bomb_epoch_1.json"] = b"[" + b"0," * 3_000_000 + b"0]"
        archives.archive(work / name, parts)
        if draw.happens(0.3):
            (work / name).write_bytes(spoilt(draw, (work / name).read_bytes()))
    else:
        (work / name).write_bytes(trees.as_json(draw, tree))
    reader = draw.perhaps(0.3, "--format", draw.choice([*(each.split()[0] for each in kinds), "zz"]))
    arguments = ["evaluate", name, "out", "--tables-only", *reader, *draw.perhaps(0.6, "--scale", "1:6")]
    return Case(arguments, WITH_SECTIONS, names_asked=True)


def _part_of(draw: Draw, tree: dict[str, Any], kept: tuple[str, ...]) -> dict[str, Any]:
    """Return about half of the keys of a tree and of its tables."""
    part = {key: copy.deepcopy(tree[key]) for key in tree if key in kept or draw.happens(0.5)}
    return {key: _part_of(draw, value, kept) if isinstance(value, dict) else value for key, value in part.items()}


def configuration(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "s.csv")
    tree = _part_of(draw, sound.CONFIGURATION, ("data", "file", "system", "human"))
    name = trees.write_settings(draw, trees.mutated(draw, tree), work / "c")
    return Case(["evaluate", name, "out", "--tables-only"], WITH_SECTIONS, names_asked=True)


def rsmeval(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "s.csv", "train.csv")
    tree = _part_of(draw, sound.RSMEVAL, ("experiment_id", "predictions_file", "system_score_column"))
    name = trees.write_settings(draw, trees.mutated(draw, tree), work / "c", (".json",))
    return Case(["evaluate", name, "out", "--tables-only"], WITH_SECTIONS, names_asked=True)


def rsmtool_runs(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "rsm")
    verb, tree = draw.choice([("compare", sound.RSMCOMPARE), ("summarize", sound.RSMSUMMARIZE)])
    tree = trees.mutated(draw, tree) if draw.happens(0.6) else tree
    name = trees.write_settings(draw, tree, work / "c", (".json",))
    files = sorted(path for path in (work / "rsm").rglob("*") if path.is_file())
    for path in draw.sample(files, draw.choice([0, 0, 1, 3])):
        if draw.happens(0.8):
            path.write_bytes(spoilt(draw, path.read_bytes()))
        else:
            path.unlink()
    return Case([verb, name, "out", "--tables-only"], WITH_SECTIONS, names_asked=True)


def policy(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "slim")
    name = trees.write_settings(draw, trees.mutated(draw, sound.POLICY), work / "p")
    more = [*draw.perhaps(0.3, "--strict"), *draw.perhaps(0.3, "--junit", "j.xml", "--markdown", "m.md")]
    return Case(["check", "slim", "--policy", f"./{name}", *more], HELD_AGAINST, ("j.xml", "m.md"))


def _scales(draw: Draw, work: Path) -> None:
    """Write the scales of items, most of them hostile."""
    table = copy.deepcopy(sound.SCALES)
    data = tables.delimited(draw, tables.changed(draw, table) if draw.happens(0.4) else table)
    (work / "scales.csv").write_bytes(spoilt(draw, data) if draw.happens(0.4) else data)


def batch(draw: Draw, work: Path, _: Sound) -> Case:
    name, wrong = write_scores(draw, work, ("csv", "csv", "parquet", "jsonl"))
    _scales(draw, work)
    by = draw.choice(["item", "item", "item", "gender", "zz"])
    more = [*draw.perhaps(0.4, "--scales", "scales.csv"), *draw.perhaps(0.5, "--no-groups")]
    command = ["batch", name, "out", "--by", by, "--tables-only", "--workers", "1", *more]
    return Case(command, WITH_SECTIONS, names_asked=wrong)


def batch_again(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "all", "s.csv")
    (work / "all" / "batch.json").write_bytes(trees.as_json(draw, trees.mutated(draw, given.batch)))
    if draw.happens(0.3):
        stored = draw.choice(sorted((work / "all").rglob("results.json")))
        stored.write_bytes(spoilt(draw, stored.read_bytes()))
    more = [*draw.perhaps(0.2, "--force"), "--tables-only", "--workers", "1", "--no-groups"]
    return Case(["batch", "s.csv", "all", "--by", "item", *more], WITH_SECTIONS, ("all",))


def item_tables(draw: Draw, work: Path, _: Sound) -> Case:
    name, wrong = write_scores(draw, work, ("csv", "csv", "csv", "tsv", "parquet"))
    _scales(draw, work)
    by = draw.choice(["item", "item", "item", "gender", "zz", "h1"])
    more = [
        *draw.perhaps(0.3, "--scales", "scales.csv"),
        *draw.perhaps(0.4, "--also", draw.choice(["panel", "differences", "zz"])),
        *draw.perhaps(0.3, "--format", draw.choice(["parquet", "csv"])),
    ]
    return Case(["tables", name, "out", "--by", by, *more], WITH_SECTIONS, names_asked=wrong)


def init(draw: Draw, work: Path, _: Sound) -> Case:
    name, wrong = write_scores(draw, work)
    return Case(["init", name, *draw.perhaps(0.7, "-o", "c.toml")], writes=("c.toml",), names_asked=wrong)


def complete(draw: Draw, work: Path, given: Sound) -> Case:
    """Ratings to impute; the output has every column of the file."""
    name, _ = write_scores(draw, work, ("csv", "parquet", "jsonl"))
    raters = draw.perhaps(0.7, "--rater", "h1", "--rater", "h2", "--rater", "engine")
    more = ["--scale", "1:6", "--draws", "2", "--formats", "html"]
    return Case(["complete", name, "out", *raters, *more], WITH_SECTIONS, names_asked=True)


def study(draw: Draw, work: Path, _: Sound) -> Case:
    name, wrong = write_scores(draw, work, ("csv", "parquet"))
    own = ["--human", "h1", "--system", "engine", "--score-scale", "1:6"]
    which = draw.choice([["agreement-robustness", "out", *own], ["rating-completion", "out", "--draws", "2"]])
    return Case(
        ["study", *which, "--file", name, "--tables-only"],
        WITH_SECTIONS,
        names_asked=wrong or "rating-completion" in which,
    )


def file_names(draw: Draw, work: Path, given: Sound) -> Case:
    """Files, folders, and columns with hostile names."""
    letters = draw.choice([os.fsencode(showable(draw.text()))[:80], b"\xff\xfe", b"a\nb", b"\x1b]0;x\x07", b"-q"])
    name = os.fsdecode(letters.replace(b"/", b"_") or b"x")
    given.put(work, "s.csv")
    (work / f"{name}.csv").write_bytes((work / "s.csv").read_bytes())
    out = draw.choice(["out", f"out/{name}"])
    verbs = ("evaluate --tables-only", "init -o", "batch --by item --tables-only --workers 1")
    verb, *more = draw.choice(verbs).split()
    words = [verb, f"./{name}.csv", *([*more, f"{out}.toml"] if verb == "init" else [out, *more])]
    return Case(words, WITH_SECTIONS, ("out", "out.toml", f"out/{name}.toml"))


SELECT = "SELECT * FROM s"
STATEMENTS = (
    SELECT, "COPY s TO '{home}/x.csv'", "COPY (SELECT 1) TO 'x.csv'", "EXPORT DATABASE '{home}/x'",
    "SELECT 1/0 AS engine",
    "SELECT * FROM read_csv('{home}/private.csv')", "SELECT * FROM '{home}/private.csv'", "ATTACH '{home}/x.db' AS y",
    "SELECT * FROM read_text('{home}/*')", "SELECT * FROM glob('{home}/*')", "INSTALL httpfs", "LOAD '{home}/x'",
    "SELECT * FROM query('COPY s TO ''{home}/x.csv''')", "PRAGMA database_list", "SET enable_external_access = true",
    "SELECT *, getenv('HOME') AS l1 FROM s", "SELECT id, h1, engine FROM s, range(1000)", "DROP TABLE s",
    "VALUES (1, 2)",
    "SELECT error('{long}')", "SELECT h1, engine AS \"\x1b]0;x\x07\" FROM s",
    "SELECT '{long}' AS id, h1, engine FROM s",
)  # fmt: skip


def query(draw: Draw, work: Path, given: Sound) -> Case:
    given.put(work, "s.duckdb")
    chosen = [draw.choice(STATEMENTS) for _ in range(draw.choice([1, 1, 2]))]
    asked = draw.choice(["; ", ";\n-- x\n", " UNION ALL ", " /* ; */ "]).join(chosen)
    asked = asked.replace("{home}", str(work.parent / "home")).replace("{long}", "long " * 200)
    if draw.happens(0.3):
        asked = showable(spoilt(draw, asked.encode()).decode("utf-8", "replace"))
    words = ["--connection", "duckdb:s.duckdb", "--query", asked, "--tables-only"]
    return Case(["evaluate", "out", *words], DONE_OR_REFUSED | WITH_SECTIONS)


COMMANDS = (
    "evaluate s.csv out --tables-only", "render slim/results.json out --formats html", "check slim", "init s.csv",
    "compare slim slim --out out --tables-only", "summarize slim slim --out out --tables-only", "plan --from slim",
    "batch s.csv out --by item --tables-only --workers 1", "tables s.csv out --by item", "policy show prmse", "schema",
    "complete s.csv out --scale 1:6 --formats html --draws 2", "study agreement-robustness out", "new section x out",
    "eject html/page.css out", "packet slim out --tables-only", "readers", "sections", "policy list",
)  # fmt: skip
WORDS = (
    "--group", "--human", "--system", "--scale", "--title", "--sections", "--templates", "--formats", "--policy",
    "--by",
    "--query", "--connection", "--memory", "--workers", "--created", "--language", "--n2", "--half-width", "--name",
)  # fmt: skip
LONG = ("x" * 5000, "{" * 900, "9" * 5000, "a," * 3000, "/" * 5000, "--" + "x" * 5000, "é\u202e" * 900, "1:" + "9" * 99)


def command_lines(draw: Draw, work: Path, given: Sound) -> Case:
    """Long, repeated, misspelled, and hostile arguments of every command."""
    given.put(work, "s.csv", "slim")
    words = draw.choice(COMMANDS).split()
    for _ in range(draw.choice([1, 1, 2])):
        option, value = draw.choice(WORDS), showable(draw.choice([*LONG, draw.text()]))
        both = [option, value]
        words += draw.choice([both, [option], [value], both * 300, ["a"] * 2000, [option + value]])
    if draw.happens(0.3):
        at = draw.randrange(len(words))
        words[at] = showable(draw.text())
    fates = HELD_AGAINST | WITH_SECTIONS if "check" in words else WITH_SECTIONS
    return Case(words, fates, ("out", "x"), names_asked=True)
