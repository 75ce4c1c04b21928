"""Write evaluation reports for automated scoring engines, from human and system scores, as HTML, PDF, and JSON.

>>> import reportgen
>>> report = reportgen.evaluate("scores.csv", "report", human=["h1", "h2"], system="engine")  # doctest: +SKIP
>>> report.evaluation.estimates["system.qwk"].value  # doctest: +SKIP
0.78
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

if TYPE_CHECKING:  # pragma: no cover - importing reportgen costs nothing until a verb is used
    from concurrent.futures import Executor
    from typing import Unpack

    from reportgen import errors, metrics, policies, results, scores, sections, settings, studies, testing
    from reportgen.governance.verification import Answer
    from reportgen.policies import Policy
    from reportgen.reports.item_tables import ItemTables
    from reportgen.results import Report, Verdict
    from reportgen.scores.looking import Look
    from reportgen.settings import Settings
    from reportgen.settings.keywords import EvaluateKeywords, ItemKeywords, ReportKeywords, ScoreKeywords
    from reportgen.storing.report_folder import Writing

    __version__: str

__all__ = [
    "__version__", "attest", "batch", "check", "cite", "compare", "errors", "evaluate", "export", "item_tables", "load",
    "look", "metrics", "policies", "render", "results", "scores", "sections", "settings", "studies", "study",
    "summarize", "testing", "verify",
]  # fmt: skip

_MODULES = ("errors", "metrics", "policies", "results", "scores", "sections", "settings", "studies", "testing")

_P = ParamSpec("_P")
_R = TypeVar("_R")


def __getattr__(name: str) -> Any:
    """Import a module, or return the version, on first use."""
    if name in _MODULES:
        return import_module(f"reportgen.{name}")
    if name == "__version__":
        from reportgen.errors import DISTRIBUTION
        from reportgen.plugins import version

        return version(DISTRIBUTION)
    raise AttributeError(f"module 'reportgen' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names."""
    return __all__


@overload
def _path(given: str | PathLike[str]) -> Path: ...
@overload
def _path(given: str | PathLike[str] | None) -> Path | None: ...
def _path(given: str | PathLike[str] | None) -> Path | None:
    from reportgen.settings.kinds import possible_path

    return None if given is None else possible_path(given)


def _source(given: Any) -> Any:
    """Convert the paths in a source of scores."""
    if isinstance(given, str | PathLike):
        return _path(given)
    if isinstance(given, list | tuple) and given and all(isinstance(each, str | PathLike) for each in given):
        return tuple(map(_path, given))
    return given


def _report(given: Report | str | PathLike[str]) -> Report:
    from reportgen.reports import single

    return single.load(_path(given)) if isinstance(given, str | PathLike) else given


def _writing(out: str | PathLike[str] | None, *how: Any) -> Writing:
    from reportgen.storing.report_folder import Writing

    return Writing(_path(out), *how)


def _settings(keywords: Mapping[str, Any]) -> Settings:
    from reportgen.settings import from_keywords

    return from_keywords(**keywords)


def _in_python(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Word a function's errors with its keywords, instead of command-line options."""

    @wraps(function)
    def called(*args: _P.args, **keywords: _P.kwargs) -> _R:
        from reportgen.errors import ReportgenError, of_system, with_short_names

        try:
            return function(*args, **keywords)
        except ReportgenError as error:
            from reportgen.settings.flags import as_keywords

            error.args = (with_short_names(as_keywords(str(error))), *error.args[1:])
            raise
        except OSError as error:
            raise of_system(error) or error from error

    return called


@_in_python
def evaluate(
    source: Any,
    out: str | PathLike[str] | None = None,
    *,
    force: bool = False,
    batches: bool | None = None,
    **settings: Unpack[EvaluateKeywords],
) -> Report:
    """Evaluate scores, and write a report if `out` is given.

    Parameters
    ----------
    source
        Path of a data file (CSV, TSV, XLSX, JSON lines, Parquet, SAS) or configuration, a list of paths, a pattern
        (``"part-*.csv"``), or a folder of Parquet files; a frame of pandas, polars, DuckDB, PyArrow, or any library
        that supports Arrow; a list of dictionaries, or a dictionary of columns; a `reportgen.scores.Query` to DuckDB or
        PostgreSQL. You can also pass an rsmeval configuration, as a JSON file or a dictionary; `out` then gets
        RSMTool's folders.
    out
        Folder of the report. Default: write nothing.
    force
        Replace an existing report.
    batches
        Whether to count the rows of CSV, TSV, and Parquet files in batches, in constant memory, or to load them.
        Default: count large files, unless a setting needs their rows.
    **settings
        Any key of a configuration file, such as ``system``, ``human``, ``groups``, ``scale="1:6"``.

    Returns
    -------
    reportgen.results.Report
        ``report.evaluation.tables[key].frame()`` is a pandas frame, ``report.evaluation.estimates`` maps names to
        estimates with intervals. For several systems in one file (``systems=["a", "b"]``, or all that are detected), it
        is the overview of their reports, which are written into folders of `out`.

    Raises
    ------
    reportgen.errors.ReportgenError
        If the data or the settings are invalid; the message names the problem and its place.

    Examples
    --------
    >>> import pyarrow as pa
    >>> scores = pa.table({"id": list("abcdefgh"), "h": [1, 2, 3, 4, 1, 2, 3, 4], "m": [1, 2, 3, 4, 1, 2, 3, 3]})
    >>> report = evaluate(scores, human="h", system="m", id="id", groups=[], scale="1:4")
    >>> round(report.evaluation.estimates["system.exact_agreement"].value, 1)
    87.5
    """
    from reportgen.reports import single, systems
    from reportgen.reports.single import configured

    writing, source = _writing(out, False, force), _source(source)
    if single.is_rsmtool(source):
        return single.evaluate_rsmeval(source, settings, writing).shown()
    scores, chosen = configured(source, settings)
    return systems.evaluate_source(scores, chosen, writing, systems.Reading(batches)).shown()


@_in_python
def batch(
    source: Any,
    out: str | PathLike[str],
    *,
    by: str | Sequence[str],
    workers: int = 1,
    executor: Executor | None = None,
    force: bool = False,
    tables_only: bool = False,
    kernel: str | None = None,
    **settings: Unpack[EvaluateKeywords],
) -> Report:
    """Write a report for each value of a column, and a summary that links to all of them.

    Parameters
    ----------
    source
        As for `evaluate`; read once.
    out
        Folder of the reports, with one folder for each, and one for the summary. Existing reports from the same data
        and settings are kept.
    by
        One or more columns; each of their values gets a report.
    workers
        Number of processes; the reports do not depend on it.
    executor
        Any `concurrent.futures.Executor` instead, such as ``dask.distributed.Client(...).get_executor()``.
    force, tables_only, kernel
        As for `compare`.
    **settings
        As for `evaluate`, and ``scales``: a CSV file with the scale of each item, in the columns of `by` and one called
        ``scale`` (1:6, 0:4:0.5).

    Returns
    -------
    reportgen.results.Report
        The summary; its table ``summary.items`` has a row for each report.

    Raises
    ------
    reportgen.errors.BatchError
        If some reports failed; the others, and the summary, are written.
    reportgen.errors.ReportgenError
        If the data or the settings are invalid; the message names the problem and its place.

    Examples
    --------
    >>> summary = batch("scores.csv", "reports", by="item", scale="1:6", workers=4)  # doctest: +SKIP
    >>> summary.evaluation.tables["summary.items"].frame()  # doctest: +SKIP
    """
    from reportgen.reports import batches
    from reportgen.reports.single import configured

    scores, chosen = configured(_source(source), {**settings, "by": by})
    writing = _writing(out, tables_only, force, kernel)
    outcome = batches.batch(scores, chosen, writing, batches.Workers(workers, executor))
    outcome.raise_failures()
    return outcome.report()


@_in_python
def item_tables(
    source: Any,
    out: str | PathLike[str] | None = None,
    *,
    by: str | Sequence[str],
    formats: Sequence[str] = ("csv",),
    also: Sequence[str] = (),
    workers: int = 1,
    force: bool = False,
    **settings: Unpack[ItemKeywords],
) -> ItemTables:
    """Compute the tables of hundreds of items in one pass over their responses, and write them if `out` is given.

    Parameters
    ----------
    source
        Path of a CSV, TSV, or Parquet file, a pattern (``"part-*.parquet"``), or a list of paths. Rows are read in
        batches, so memory does not grow with them.
    out
        Folder of the tables, one file for each kind, and of ``items.json``, which describes the run. Default: write
        nothing.
    by
        One or more columns whose values are the items.
    formats
        "csv", "parquet", or both.
    also
        Additional tables, which take longer: "panel" (chance-corrected agreement), "differences" (of groups, given the
        true score).
    workers
        Number of threads; results are identical, bit by bit, for any number.
    force
        Replace existing tables.
    **settings
        As for `evaluate`. Name the columns, and declare the ``scale`` if the items share one, or ``scales`` as for
        `batch`. Default: the scale is inferred from each item's scores.

    Returns
    -------
    ItemTables
        ``found.table("by_group").frame()`` is a pandas frame.

    Raises
    ------
    reportgen.errors.ReportgenError
        If the data or the settings are invalid; the message names the problem and its place, and nothing is written.

    Examples
    --------
    >>> found = item_tables("scores.parquet", "tables", by="item", scale="1:6", human="h1")  # doctest: +SKIP
    >>> found.table("system_human.association").frame()  # doctest: +SKIP
    """
    from reportgen.reports.item_tables import tables

    chosen, folder = _settings({**settings, "by": by}), _path(out)
    return tables(_source(source), chosen, folder, formats=formats, also=also, workers=workers, force=force)


@_in_python
def render(
    source: Report | str | PathLike[str],
    out: str | PathLike[str],
    *,
    force: bool = False,
    **settings: Unpack[ReportKeywords],
) -> Report:
    """Rebuild the pages of a report, without its scores.

    Parameters
    ----------
    source
        A report, its folder, or its results.json.
    out
        Folder of the pages.
    **settings
        Keys of the table ``report`` in a configuration file, such as ``formats`` and ``templates``.

    Examples
    --------
    >>> report = render("report/results.json", "pages", formats=["html"])  # doctest: +SKIP
    """
    from reportgen.reports import single

    return single.render_report(_report(source), _path(out), _settings(settings), force=force).shown()


@_in_python
def export(
    source: str | PathLike[str],
    out: str | PathLike[str],
    *,
    tables: Sequence[str] | None = None,
    figures: Sequence[str] | None = None,
    force: bool = False,
    **settings: Unpack[ReportKeywords],
) -> tuple[Path, ...]:
    """Write every table and figure of a report as files for a paper, in APA style; return their paths.

    Parameters
    ----------
    source
        The folder of a report, or its results.json.
    out
        Folder of the files; its other files stay.
    tables
        Any of ``"latex"``, ``"docx"``, and ``"md"``.
    figures
        Any of ``"svg"``, ``"png"``, and ``"pdf"``. Default, if neither is given: LaTeX, Markdown, SVG, and PDF.
    force
        Replace files of the same names.
    **settings
        Keys of the table ``report`` in a configuration file: ``language``, ``templates``, ``docx_template``.

    Raises
    ------
    reportgen.errors.ReportgenError
        If the report or an option is invalid; the message names the problem and its place.

    Examples
    --------
    >>> export("report", "paper", tables=["latex"], figures=["pdf"])  # doctest: +SKIP
    """
    from reportgen.office.export import export as exported

    given = _settings(settings)
    return exported(_path(source), _path(out), given, tables=tables, figures=figures, force=force)


@_in_python
def load(source: str | PathLike[str]) -> Report:
    """Load the report in a results.json, or in the folder of a report.

    Examples
    --------
    >>> load("report").evaluation.estimates["system.qwk"].value  # doctest: +SKIP
    0.78
    """
    from reportgen.reports import single

    return single.load(_path(source))


@_in_python
def look(source: Any, **settings: Unpack[EvaluateKeywords]) -> Look:
    """Preview a score file: its content, the possible analyses, and open questions.

    Parameters
    ----------
    source
        As for `evaluate`: one or more data files, a frame, or a configuration.
    **settings
        As for `evaluate`.

    Raises
    ------
    reportgen.errors.ReportgenError
        If the file cannot be read, or a setting is invalid.

    Examples
    --------
    >>> import pyarrow as pa
    >>> found = look(pa.table({"id": list("abcd"), "human": [1, 2, 3, 4], "engine": [1.1, 2.3, 2.9, 4.0]}))
    >>> found.columns("system"), [each.name for each in found.analyses if "double-scored" in each.missing]
    (('engine',), ['PRMSE', 'rater reliability'])
    """
    from dataclasses import replace

    from reportgen.reports.single import configured
    from reportgen.reports.systems import read_as_evaluated
    from reportgen.scores.looking import look as looked
    from reportgen.settings.flags import as_keywords

    scores, chosen = configured(_source(source), settings)
    found = looked(scores, chosen, read_as_evaluated)
    return replace(found, questions=tuple(map(as_keywords, found.questions)))


@_in_python
def check(report: Report | str | PathLike[str], policy: str | PathLike[str] | Policy | None = None) -> Verdict:
    """Check a report against a policy, without its scores.

    Parameters
    ----------
    report
        A report, its folder, or its results.json.
    policy
        A built-in name (``"default"``, ``"prmse"``, ``"williamson-2012"``), the path of a policy file, or a
        `reportgen.policies.Policy`. Default: the report's own policy.

    Returns
    -------
    reportgen.results.Verdict
        ``verdict.decision`` is a word, ``verdict.sentence`` explains it, ``verdict.checks`` contains every criterion,
        and ``verdict.passes()`` decides a gate.

    Raises
    ------
    reportgen.errors.ReportgenError
        If the report or the policy is invalid; the message names the problem and its place.

    Examples
    --------
    >>> verdict = check("report", policy="prmse")  # doctest: +SKIP
    >>> verdict.decision  # doctest: +SKIP
    'collect more ratings'
    """
    from reportgen.reports import single

    return single.check(_report(report), fspath(policy) if isinstance(policy, PathLike) else policy)


@_in_python
def cite(report: Report | str | PathLike[str] | None = None, form: str = "text") -> str:
    """Return citations for reportgen, and for the works behind a report's numbers.

    Parameters
    ----------
    report
        A report, its folder, or its results.json. Default: cite only reportgen.
    form
        ``"text"``, ``"bibtex"``, or ``"csl"`` (CSL-JSON).

    Raises
    ------
    reportgen.errors.ReportgenError
        If the report is invalid, or there is no such form.

    Examples
    --------
    >>> print(cite(form="bibtex").splitlines()[0])
    @misc{reportgen,
    """
    from reportgen.reports import single

    return single.cite(None if report is None else _report(report), form)


@_in_python
def attest(run: str | PathLike[str], out: str | PathLike[str] | None = None, *, force: bool = False) -> Path:
    """Write an in-toto statement about the files of a report and its decision; return its path.

    Parameters
    ----------
    run
        The folder of a report, or its results.json.
    out
        The file to write. Default: ``attestation.json`` in the report's folder.
    force
        Replace an existing statement.

    Raises
    ------
    reportgen.errors.ReportgenError
        If there is no verdict, the verdict does not match the report's statistics, or the file cannot be written.

    Examples
    --------
    >>> attest("report")  # doctest: +SKIP
    PosixPath('report/attestation.json')
    """
    from reportgen.governance.review import attest as state

    return state(_path(run), _path(out), force=force)


@_in_python
def verify(
    run: str | PathLike[str],
    data: str | PathLike[str] | Sequence[str | PathLike[str]] = (),
    *,
    labels_file: str | PathLike[str] | None = None,
    training_file: str | PathLike[str] | None = None,
    templates: str | PathLike[str] | None = None,
    logo: str | PathLike[str] | None = None,
    docx_template: str | PathLike[str] | None = None,
) -> tuple[Answer, ...]:
    """Verify that the files of a report, its numbers, and its data match.

    Parameters
    ----------
    run
        The folder of a report, or its results.json.
    data
        The scores, in one or more files. Default: those in ``config.toml``, if they have not changed.
    labels_file, training_file
        The human labels that were joined to the scores, and the training file that was used to rescale them, if any.
    templates, logo, docx_template
        Custom templates, logo, and Word document of the pages, if any.

    Returns
    -------
    tuple of Answer
        One for each question: ``about`` is the subject, ``result`` is "match", "mismatch", or "not checked", and
        ``why`` is the reason.

    Raises
    ------
    reportgen.errors.ReportgenError
        If a file cannot be read, is a symbolic link, or does not have the content that its name implies.

    Examples
    --------
    >>> [each.about for each in verify("report", "scores.csv") if each.result == "mismatch"]  # doctest: +SKIP
    []
    """
    from reportgen.governance.verification import Data
    from reportgen.governance.verification import verify as look

    files = [data] if isinstance(data, str | PathLike) else data
    named = Data(tuple(map(_path, files)), _path(labels_file), _path(training_file))
    looks = {"templates": _path(templates), "logo": _path(logo), "docx_template": _path(docx_template)}
    return look(_path(run), named, {key: path for key, path in looks.items() if path is not None})


@_in_python
def compare(
    *runs: Any,
    out: str | PathLike[str] | None = None,
    systems: Sequence[str] = (),
    names: Sequence[str] = (),
    force: bool = False,
    tables_only: bool = False,
    kernel: str | None = None,
    **settings: Unpack[ScoreKeywords],
) -> Report:
    """Compare finished runs with the first one, and write a report if `out` is given.

    Parameters
    ----------
    *runs
        Folders of finished runs of reportgen or RSMTool; or one rsmcompare configuration; or, with `systems`, one data
        file or frame.
    out
        Folder of the report. Default: write nothing.
    systems
        Columns of system scores in the data, baseline first.
    names
        Names of the runs, in order.
    force, tables_only, kernel
        Replace an existing report; write tables only; Jupyter kernel that runs the notebook.
    **settings
        Any key of a configuration file: with `systems`, keys of the data (``human``, ``scale``); otherwise, keys of the
        report (``title``, ``formats``).

    Returns
    -------
    reportgen.results.Report
        ``report.evaluation.tables["comparison.overall"].frame()`` contains old, new, and change.

    Raises
    ------
    reportgen.errors.ReportgenError
        If a run is invalid; the message names the problem and its place.

    Examples
    --------
    >>> import pyarrow as pa
    >>> scores = pa.table({"id": list("abcdefgh"), "h": [1, 2, 3, 4, 1, 2, 3, 4], "old": [1, 2, 3, 4, 1, 2, 3, 3],
    ...                    "new": [1, 2, 3, 4, 1, 2, 3, 4]})
    >>> report = compare(scores, systems=["old", "new"], human="h", id="id", groups=[], scale="1:4")
    >>> round(report.evaluation.estimates["change2.system.exact_agreement"].value, 1)
    12.5
    """
    from reportgen.reports.runs import report_on

    writing = _writing(out, tables_only, force, kernel)
    sources = [_source(run) for run in runs]
    return report_on("comparison", sources, _settings(settings), writing, systems=systems, names=names).shown()


@_in_python
def summarize(
    *runs: str | PathLike[str],
    out: str | PathLike[str] | None = None,
    names: Sequence[str] = (),
    force: bool = False,
    tables_only: bool = False,
    kernel: str | None = None,
    **settings: Unpack[ReportKeywords],
) -> Report:
    """Summarize any number of finished runs, and write a report if `out` is given.

    Parameters
    ----------
    *runs
        Folders of finished runs of reportgen or RSMTool, or one rsmsummarize configuration.
    out, names, force, tables_only, kernel, **settings
        As for `compare`.

    Returns
    -------
    reportgen.results.Report
        ``report.evaluation.tables["summary.association"].frame()`` contains one row for each run.

    Examples
    --------
    >>> report = summarize("run_1", "run_2", out="summary")  # doctest: +SKIP
    """
    from reportgen.reports.runs import report_on

    writing = _writing(out, tables_only, force, kernel)
    return report_on("summary", [*map(_path, runs)], _settings(settings), writing, names=names).shown()


@_in_python
def study(
    name: str,
    out: str | PathLike[str] | None = None,
    *,
    executor: Executor | None = None,
    settings: Mapping[str, Any] | None = None,
    force: bool = False,
    tables_only: bool = False,
    kernel: str | None = None,
    **options: Any,
) -> Report:
    """Run a simulation study from the literature, in its own or your design; write a report if `out` is given.

    Parameters
    ----------
    name
        Name of the study, such as ``"prmse-stability"``; ``reportgen.studies.questions()`` lists them.
    out
        Folder of the report. Default: write nothing.
    executor
        Any `concurrent.futures.Executor`; the numbers do not depend on it.
    settings
        Report keys of a configuration file, such as ``{"title": "..."}``.
    force, tables_only, kernel
        As for `compare`.
    **options
        Options of the study, such as ``seed``.

    Returns
    -------
    reportgen.results.Report
        Its ``evaluation.tables`` contain the findings.

    Raises
    ------
    reportgen.errors.ReportgenError
        If there is no such study, or its design is impossible.

    Examples
    --------
    >>> report = study("prmse-stability", "stability", seed=7)  # doctest: +SKIP
    """
    from reportgen.studies.study import Work, design_of, run

    writing = _writing(out, tables_only, force, kernel)
    return run(design_of(name, options), _settings(settings or {}), writing, Work(executor)).shown()
