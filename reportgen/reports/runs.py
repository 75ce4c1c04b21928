"""Compare and summarize finished runs."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from reportgen import sections
from reportgen.errors import InputError, SettingsError
from reportgen.rendering.look import look_of
from reportgen.reports.batch_folder import reports_of
from reportgen.reports.single import Outcome, composed, provenance_of, write_files
from reportgen.results import ReportKind
from reportgen.rsmtool.config import defining, tool_of_file
from reportgen.runs import configurations
from reportgen.runs.model import Run
from reportgen.runs.ours import runs_of_columns
from reportgen.settings import CONFIG_SUFFIXES, RunsSettings, Settings, load, override, stored
from reportgen.storing import results_file
from reportgen.storing.report_folder import Writing, staged

PEER_TABLES = "output"  # folder of the tables in the layout of rsmsummarize


def report_on(
    kind: Literal["comparison", "summary"],
    sources: Sequence[Any],
    settings: Settings,
    writing: Writing,
    *,
    systems: Sequence[str] = (),
    names: Sequence[str] = (),
) -> Outcome:
    """Compare runs with the first one, or summarize them, and write the report.

    sources: Folders of finished runs, or of batches to summarize; or one configuration, of reportgen, rsmcompare, or
        rsmsummarize (whose tables are then also written, into the folder ``output``); or, with `systems`, one data file
        or frame.
    settings: Settings of the report, and with `systems` also of the data.
    systems: Columns of system scores in the data.
    """
    from reportgen.comparison.compare import compare_runs, summarize_runs

    sources, settings = _opened(sources, settings, kind)
    systems, names = systems or settings.runs.systems, names or settings.runs.names
    look_of(settings).check()
    compares = kind == "comparison"
    asked = _asked(kind, sources, settings, systems, names)
    paths = tuple(Path(source) for source in sources if isinstance(source, str | Path))  # a frame has no path
    runs = RunsSettings(kind=kind, sources=paths, systems=tuple(systems), names=tuple(names))
    wanted = {"sections": asked.sections} if asked.sections is not None and settings.report.sections is None else {}
    settings = override(settings, **wanted).model_copy(update={"runs": runs})
    chosen = sections.load(settings.report.sections, settings.sections, kind)
    scores = {run.name: run.source.sha256 for run in asked.runs}
    provenance = {**provenance_of(settings, writing.command), "scores": scores}
    found = (compare_runs if compares else summarize_runs)(asked.runs, settings, provenance)
    found = replace(found, warnings=(*found.warnings, *asked.notes), settings=stored(settings))
    if not compares and settings.report.sections is None and "summary.history" not in found.tables:
        chosen = [each for each in chosen if each.section.name != "summarize_history"]
    names = [run.name for run in asked.runs]
    title = f"Summary of {len(names)} runs"
    if compares:  # more than three are counted
        others = f"{len(names) - 1} other runs"
        text = f"{names[0]} with {others}" if len(names) > 3 else f"{', '.join(names[:-1])} and {names[-1]}"
        title = f"Comparison of {text}"
    description = settings.report.description or asked.description
    with nullcontext() if writing.folder is None else staged(writing.folder, writing.force) as stage:
        if stage is not None and asked.experiments:
            from reportgen.comparison.rsmsummarize import summary_tables
            from reportgen.rsmtool.write import write_tables

            rows = summary_tables(asked.rows, asked.runs, asked.experiments)
            write_tables(rows, stage / PEER_TABLES, asked.id, asked.kind)
        if stage is not None and not writing.tables_only:
            chosen = _with_notebooks(chosen, asked, stage, writing.kernel)
        report = composed(found, chosen, settings, title, description=description)
        failed = write_files(report, stage, settings, writing, chosen=chosen, config=True)
        return Outcome(report, writing.folder, failed)


def _opened(sources: Sequence[Any], settings: Settings, kind: ReportKind) -> tuple[Sequence[Any], Settings]:
    if len(sources) != 1 or not _is_own_configuration(sources[0]):
        return sources, settings
    source, kept = sources[0], load(sources[0])
    if kept.runs.kind != kind or not kept.runs.sources:
        commands = {"comparison": "compare", "summary": "summarize"}
        other = commands.get(kept.runs.kind or "", "evaluate")
        if other != commands[kind]:
            raise SettingsError(f"{source}: configures another report; run: reportgen {other} {source} OUT_DIR")
        raise SettingsError(f'{source}: no runs are listed; add sources = ["run", "other_run"] under [runs].')
    given = settings.model_dump(exclude_unset=True)
    keywords = {key: value for table in ("data", "report") for key, value in given.get(table, {}).items()}
    return kept.runs.sources, override(kept, **keywords)


def _is_own_configuration(source: Any) -> bool:
    """Return whether a source is a reportgen configuration, not one of RSMTool or a results.json."""
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    if path.suffix.lower() not in CONFIG_SUFFIXES or path.name.endswith("results.json"):
        return False
    return path.suffix.lower() != ".json" or tool_of_file(path) is None


def _asked(
    kind: ReportKind, sources: Sequence[Any], settings: Settings, systems: Sequence[str], names: Sequence[str]
) -> configurations.Asked:
    if systems and len(sources) != 1:
        raise SettingsError(f"--system: expected one score file, found {len(sources)} paths.")
    if systems:
        found, told = runs_of_columns(sources[0], systems, settings)
        return configurations.Asked(tuple(_renamed(found, names)), notes=told)
    file = Path(sources[0]) if len(sources) == 1 and isinstance(sources[0], str | Path) else Path()
    if file.is_file() and file.suffix.lower() == ".json" and file.name != "results.json":
        asked = (configurations.read_comparison if kind == "comparison" else configurations.read_summary)(file)
        return replace(asked, runs=tuple(_renamed(list(asked.runs), names)), rows=tuple(names) or asked.rows)
    runs: list[Run] = []
    notes = []
    for source in map(Path, sources):
        batch = reports_of(source) if kind == "summary" else None
        if batch is None:
            runs += configurations.open_folder(source)
            continue
        before = f"{source.resolve().name}: " if len(sources) > 1 else ""
        named, missing = batch
        for folder, name in named.items():
            runs += [run.named(f"{before}{name}") for run in configurations.open_folder(folder)]
        if missing:
            notes.append(f"The batch in '{source.name}' could not create these reports: {missing}.")
    runs = _renamed(runs, names)
    configurations.refuse_same_names(runs)
    return configurations.Asked(tuple(runs), notes=tuple(notes))


def _renamed(runs: list[Any], names: Sequence[str]) -> list[Any]:
    if names and len(names) != len(runs):
        raise SettingsError(f"--name: expected a name for each of {len(runs)} runs, found {len(names)}; repeat --name.")
    return [run.named(name) for run, name in zip(runs, names, strict=True)] if names else runs


def _with_notebooks(
    chosen: list[sections.Found], asked: configurations.Asked, stage: Path, kernel: str | None
) -> list[sections.Found]:
    if not any(isinstance(entry, Path) for entry in asked.order):
        return chosen
    from reportgen.rsmtool.layout import with_notebooks

    names = {**asked.names, "output_dir": str((stage / PEER_TABLES).resolve())} if asked.experiments else asked.names
    return with_notebooks(chosen, asked.order, defining(names), stage, kernel)


def paired_systems(runs: Sequence[Path]) -> tuple[dict[str, list[Path]], tuple[str, ...]]:
    """Pair the reports of each system in two multi-system runs, and list the systems that one lacks."""
    if len(runs) < 2 or not all((run / "results.json").is_file() for run in runs):
        return {}, ()
    found = []
    for run in runs:
        evaluation = results_file.read(run / "results.json").evaluation
        if not evaluation.facts.get("of_systems"):
            return {}, ()
        *systems, _ = evaluation.facts["parts"]  # the last is their comparison
        found.append({str(name): run / str(folder) for name, folder in systems})
    shared = [name for name in found[0] if all(name in each for each in found)]
    if not shared:
        raise InputError("the runs have no engine name in common; give the folders of two engines, such as RUN/ENGINE.")
    left_out = sorted({name for each in found for name in each} - set(shared))
    return {name: [each[name] for each in found] for name in shared}, tuple(left_out)
