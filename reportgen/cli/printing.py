"""Printing to the terminal: short lines that are safe for any column name."""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import typer

from reportgen import errors
from reportgen.machine import memory

MOST_LINES = 6  # most lines of a kind to print; the report has all

_SEMICOLON = re.compile(r"""(?<!\w)'[^']*'(?!\w)|(?<!\w)"[^"]*"|(?P<hint>; )""")

MOST_OF_AN_ERROR = errors.ReportgenError.longest


@cache
def words_of(file: str) -> dict[str, Any]:
    """Return the words of a module, in the TOML file next to it."""
    words = Path(file).with_suffix(".toml")
    return tomllib.loads(words.read_text(encoding="utf-8")) if words.is_file() else {}


def printable(text: object) -> str:
    r"""Return text on one line, with control and direction characters written out.

    >>> printable("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode("ascii")
        for letter in str(text)
    )


def say(lines: Iterable[tuple[str, str]]) -> None:
    """Print labelled lines to standard output."""
    for label, text in lines:
        typer.echo(f"{typer.style(f'{label:<13}', bold=True)} {printable(text)}")


def first(label: str, texts: Iterable[str], what: str, where: str = "in the report") -> Iterator[tuple[str, str]]:
    """Yield the first lines of a kind, then how many more there are, and where."""
    lines = list(texts)
    more = len(lines) - MOST_LINES
    if more > 0:
        sentence = f"and {more:,} more {what if more == 1 else f'{what}s'}, all {where}"
        lines = [*lines[:MOST_LINES], sentence]
    for index, text in enumerate(lines):
        yield "" if index else label, text


def say_list(texts: Mapping[str, str]) -> None:
    """Print names with their descriptions."""
    width = max(map(len, texts), default=0)
    for name, text in texts.items():
        print(f"{printable(name):<{width}}  {printable(text)}")  # noqa: T201


def say_progress(sentence: str) -> None:
    """Print a step to standard error."""
    print(printable(sentence), file=sys.stderr, flush=True)  # noqa: T201


def say_error(sentence: object, most: int = MOST_OF_AN_ERROR) -> None:
    """Print an error to standard error, and the hint that follows its last semicolon outside quotes."""
    text = brief(f"error: {printable(sentence)}", most)
    ends = [found.end() for found in _SEMICOLON.finditer(text) if found["hint"]]
    for line in (text[: ends[-1] - 2], f"hint: {text[ends[-1] :]}") if ends else (text,):
        print(line if line.endswith("..") else line.removesuffix("."), file=sys.stderr)  # noqa: T201


def say_failure(error: BaseException) -> int:
    """Print an error, and return the exit code."""
    sentence, code = explain(error)
    if (question := error if isinstance(error, errors.QuestionError) else None) and question.choices:
        print_question(question, ["reportgen", *sys.argv[1:]])
    else:
        say_error(question.text if question else sentence, getattr(error, "longest", MOST_OF_AN_ERROR))
    for line in question.after if question else ():
        print(printable(line), file=sys.stderr)  # noqa: T201
    return code


def print_question(question: errors.QuestionError, typed: Sequence[str]) -> None:
    """Print a question and, for each answer, the whole command: `typed` with other options."""
    print(f"question: {printable(question.text)}", file=sys.stderr)  # noqa: T201
    for number, (means, options) in enumerate(question.choices, start=1):
        print(f"  {number}. {printable(means)}\n     {with_answer(typed, options)}", file=sys.stderr)  # noqa: T201


def with_answer(typed: Sequence[str], options: Sequence[str]) -> str:
    """Return a command with the options of an answer, which may begin with another command."""
    words = errors.without_options(typed, options)
    if options and not options[0].startswith("-"):
        words[1], options = options[0], options[1:]
    return errors.write_command(*words, *options)


def brief(sentence: str, most: int = MOST_OF_AN_ERROR) -> str:
    """Return a sentence of at most `most` characters: shorten long names first, then the middle.

    >>> brief(f"column '{'x' * 500}' does not exist; type --id.", most=100)
    "column 'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxx' does not exist; type --id."
    """
    for word in sorted(sentence.split(" "), key=len, reverse=True):
        if len(sentence) <= most or len(word) <= errors.MOST_LETTERS:
            break
        sentence = sentence.replace(word, errors.shortened(word))
    return errors.shortened(sentence, most)


DEFECT = 4  # exit code of a defect of reportgen

SURROUNDINGS = 2  # exit code of an error of the machine or the installation, which the user can fix

OWN = ("reportgen", "report_sections")


def explain(error: BaseException) -> tuple[str, int]:
    """Return the sentence and the exit code of an error.

    >>> explain(OSError(27, "File too large", "report.pdf"))
    ("'report.pdf' cannot be written or read: File too large; free space, or raise the limit (ulimit -a), ...", 2)
    """
    sentence, code = _explain(error)
    return errors.with_short_names(sentence), code


def _explain(error: BaseException) -> tuple[str, int]:
    """Return the sentence with full names, and the exit code."""
    if isinstance(error, errors.ReportgenError):
        from reportgen.settings.flags import as_options

        return as_options(str(error)), error.exit_code
    if memory.ran_out(error):
        return memory.sentence(), SURROUNDINGS
    if isinstance(error, RecursionError):
        return "the input is nested too deeply; remove values that contain themselves.", SURROUNDINGS
    if isinstance(error, OSError) and (found := errors.of_system(error)) is not None:
        return str(found), SURROUNDINGS
    broken = _unusable(error) or _too_old()
    if broken:
        return broken, SURROUNDINGS
    text = f"this is a bug in reportgen ({type(error).__name__}: {error})"
    return f"{text}; please report it with the traceback from `reportgen --debug ...`.", DEFECT


def _unusable(error: BaseException) -> str:
    """Return the sentence for a package that is missing or fails to load, or an empty text."""
    if not isinstance(error, ImportError):
        return ""
    module = (error.name or "").partition(".")[0]
    if not module or module in OWN:
        again = "run `reportgen --debug ...` for the traceback, which names the package"
        return "" if module else f"a package failed to load ({error}); {again}."
    from packaging.requirements import Requirement

    name = next(iter(metadata.packages_distributions().get(module, ())), module)
    wanted = next((each for each in errors.requirements() if Requirement(each).name.lower() == name.lower()), name)
    return f"the package {name} failed to load ({error}); run: {errors.install_command('--force-reinstall', wanted)}"


def _too_old() -> str:
    """Return the sentence for a package of a wrong version, or an empty text."""
    from packaging.requirements import Requirement

    for wanted in map(Requirement, errors.requirements()):
        try:
            found = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            continue
        if not wanted.specifier.contains(found, prereleases=True):
            command = errors.install_command(str(wanted))
            return f"reportgen requires {wanted}, but version {found} is installed; run: {command}"
    return ""
