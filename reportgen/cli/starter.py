"""The files that `init` and `new section` write."""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple

from reportgen.cli.printing import printable, words_of
from reportgen.errors import OutputError, ReportgenError, SettingsError, did_you_mean, shortened
from reportgen.settings import Settings, from_keywords, override
from reportgen.settings.loading import config_text
from reportgen.storing import replaced

if TYPE_CHECKING:
    from reportgen.scores import Account

OPENING = "# Edit this configuration, then run `reportgen evaluate THIS_FILE OUT_DIR` to make the report."
ASSUMED = "# The scale was detected from the human scores. Check whether it has points that no rater used."

MOST_COLUMNS = 100  # most columns to list


def starter(data: Path | None, given: Mapping[str, Any], folder: Path) -> str:
    """Return a configuration for a file in `folder`, with a comment on every key.

    data: Score file whose columns fill the roles; None leaves every key unset.
    given: Settings that are already known, by keyword.

    >>> print(starter(None, {"scale": "1:6"}, Path())[:26])
    # Edit this configuration,
    """
    settings, opening = from_keywords(**given), [OPENING]
    if data is not None:
        from reportgen.scores import all_resolved, read_tables

        tables = read_tables(data, settings)
        settings = all_resolved(settings, tables, data)
        scale = tables[0].scale
        if scale.assumed and scale.low < scale.high:
            settings = override(settings, scale=scale)
            opening.append(ASSUMED)
        opening += _columns(tables)
    _, _, keys = config_text(settings, folder).partition("\n")
    keys = re.sub(r"^# (\w+) is not set$", r"# \1 =", keys, flags=re.MULTILINE)
    return "\n".join(opening) + "\n" + keys


def _columns(tables: Sequence[Account]) -> list[str]:
    """Return a comment on each column: its role for any system, or why it has none."""
    parts: dict[str, list[str]] = {}
    for role in dict.fromkeys(role for table in tables for role in table.roles):
        for column in role.columns:
            told = parts.setdefault(column, [])
            told += [f"{role.role}, {role.how}"] if f"{role.role}, {role.how}" not in told else []
    unused = {column: [f"not used: {why}"] for table in tables for column, why in table.left_out if column not in parts}
    listed = [(printable(shortened(column)), printable("; ".join(told))) for column, told in (parts | unused).items()]
    width = max(len(name) for name, _ in listed)
    lines = [f"#   {name:<{width}}  {told}" for name, told in listed[:MOST_COLUMNS]]
    more = [f"#   and {len(listed) - MOST_COLUMNS:,} more"] if len(listed) > MOST_COLUMNS else []
    return ["# The columns of the file:", *lines, *more]


class Question(NamedTuple):
    """A question about one setting."""

    key: str
    words: str
    kind: str  # what an answer is: a "column" or "columns", which may be "needed", a "setting" by its key, or a "text"
    default: str = ""  # the answer if the user types nothing; if empty, the setting stays unset


PAGES = ("html", "pdf", "html,pdf")

QUESTIONS = [Question(**each) for each in words_of(__file__)["questions"]]

Ask = Callable[[Question, Callable[[str], Any], Sequence[str]], Any]
"""Asks a question until what converts an answer raises no error; the Tab key completes some choices."""


def interview(data: Path | None, ask: Ask, say: Callable[[str], None]) -> dict[str, Any]:
    """Return the answers of the user by keyword, with ``file``.

    Asks again if the answers do not fit together.

    say: Function that prints a sentence.
    """
    from reportgen.scores.reading import named, read

    kinds = (".csv", ".tsv", ".xlsx", ".jsonl", ".jsonlines", ".parquet", ".sas7bdat")
    files = sorted(str(path) for path in Path().iterdir() if path.suffix.lower() in kinds)
    file = data or ask(Question("file", "Score file", "file"), _readable, files)
    with named(file):
        names = column_names(file)
    answers = _found(file)
    while True:
        for question in QUESTIONS:
            value = answers.get(question.key) or question.default
            text = ", ".join(value) if isinstance(value, list | tuple) else str(value)  # as the user would type it
            choices = PAGES if question.key == "formats" else names if "column" in question.kind else ()
            answers[question.key] = ask(question._replace(default=text), partial(_checked, question, names), choices)
        known = {key: value for key, value in answers.items() if value not in (None, "")}
        try:
            read(file, from_keywords(**known))
        except ReportgenError as error:
            say(f"{error}")
        else:
            return {**known, "file": file}


def _checked(question: Question, names: Sequence[str], answer: str) -> Any:
    """Return an answer as a setting; raise ValueError or ReportgenError when it is none."""
    if question.kind == "setting" and answer:
        from_keywords(**{question.key: answer})
    if "column" not in question.kind:
        return answer
    found = [answer] if question.kind == "column" else [part.strip() for part in answer.split(",")]
    found = [name for name in found if name]
    for name in found:
        if name not in names:
            raise ValueError(f"column '{name}' does not exist{did_you_mean(name, names)}")
    if "needed" in question.kind and not found:
        raise ValueError("name at least one column.")
    return found if question.kind.endswith("columns") else next(iter(found), None)


def column_names(file: Path) -> list[str]:
    """Return the columns of a score file."""
    from reportgen.sources.readers import open_reader

    return list(open_reader(file).head.schema.names)


def _found(file: Path) -> dict[str, Any]:
    """Return the roles and the scale that the file itself shows, or nothing if it is ambiguous."""
    from reportgen.scores import read

    try:
        scores = read(file, Settings())
    except ReportgenError:
        return {}
    found: dict[str, Any] = {role: next(iter(scores.columns(role)), None) for role in ("system", "id", "candidate")}
    scale = ":".join(f"{part:g}" for part in (scores.scale.low, scores.scale.high, scores.scale.step))
    return {**found, "human": list(scores.raters), "groups": list(scores.columns("group")), "scale": scale}


def _readable(answer: str) -> Path:
    if not answer:
        raise ValueError("name a file.")
    column_names(Path(answer))
    return Path(answer)


@contextmanager
def completing(choices: Sequence[str]) -> Iterator[None]:
    """Complete `choices` with the Tab key in this block, if the terminal can."""
    try:
        import readline
    except ImportError:  # Windows
        yield
        return
    earlier, delimiters = readline.get_completer(), readline.get_completer_delims()

    def complete(text: str, state: int) -> str | None:
        """Return the next choice that starts with the text before the cursor."""
        with suppress(IndexError):
            return [choice for choice in choices if choice.startswith(text.lstrip())][state]
        return None

    readline.set_completer(complete)
    readline.set_completer_delims(",")
    readline.parse_and_bind("tab: complete")
    try:
        yield
    finally:
        readline.set_completer(earlier)
        readline.set_completer_delims(delimiters)


_HOME = Path(__file__).parent / "new_section"  # templates of a new section; ``$name`` stands for its name


def new_section(name: str, folder: Path) -> list[Path]:
    """Write a section with its template and its test to ``folder/name``, and return the files."""
    if not name.isidentifier() or name != name.lower() or keyword.iskeyword(name):
        raise SettingsError(f"section '{name}': expected a lowercase Python name; for example, essay_length.")
    home = folder / name
    words = {
        "name": name,
        "title": name.replace("_", " ").strip().capitalize(),
        "class_name": "".join(part.capitalize() for part in name.split("_")) or "Own",
    }
    files = {"__init__.py": "section.py.txt", "section.md.j2": "section.md.txt", f"test_{name}.py": "test.py.txt"}

    def refuse() -> None:
        if os.path.lexists(home):
            raise OutputError(f"'{home}' already exists; choose another name, or remove it.")

    refuse()
    with replaced(home, check=refuse) as new:
        for file, source in files.items():
            text = (_HOME / source).read_text(encoding="utf-8")
            (new / file).write_text(Template(text).safe_substitute(words), encoding="utf-8")
    return [home / file for file in files]
