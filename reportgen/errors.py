"""Every error a user can cause, as one sentence with an exit code.

The command line prints the sentence and leaves with the code; a library user
catches `ReportgenError`.  A traceback that reaches a user is a defect.
"""

import copy
import difflib
import errno
import os
import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from typing import ClassVar, Self

DISTRIBUTION = "reportgen-scoring"  # name of the package that is installed; it is imported as `reportgen`


class ReportgenError(Exception):
    """Something the user can mend; the message says what, where and how."""

    exit_code: ClassVar[int] = 2
    longest: ClassVar[int] = 300
    """Characters of the message in the terminal, with the word that begins it."""

    def about(self, name: str) -> Self:
        """Return the same kind of error, with what it is about before its message.

        Examples
        --------
        >>> RepeatError("2 rows repeat", "remove them").about("trait 'ideas'")
        RepeatError("trait 'ideas': 2 rows repeat; remove them")
        """
        error = copy.copy(self)
        error.args = (f"{name}: {self}",)
        return error


class InputError(ReportgenError):
    """The data file cannot be evaluated as it is."""


class RepeatError(InputError):
    """Rows of the data file repeat what stands in one only.

    Parameters
    ----------
    what, advice
        Parts of the sentence: what repeats, and what to do about it when no rows are copies, if that is said.
    """

    def __init__(self, what: str, advice: str = "") -> None:
        super().__init__(f"{what}; {advice}" if advice else what)  # copies are made with the whole message
        self.what = what

    def about(self, name: str) -> Self:
        """Return the same error, with what it is about before its message and before what repeats."""
        error = super().about(name)
        error.what = f"{name}: {self.what}"
        return error


class SettingsError(ReportgenError):
    """A setting is unknown, missing or contradicts another."""


class QuestionError(SettingsError):
    """A file leaves open what only its owner knows.

    Parameters
    ----------
    text
        What is asked.
    choices
        The answers: each in words, and the options that give it.
    """

    longest: ClassVar[int] = 1200

    def __init__(self, text: str, choices: Sequence[tuple[str, Sequence[str]]] = ()) -> None:
        self.text, self.choices = text, [(with_short_names(means), options) for means, options in choices]
        answers = (f"{n}. {means}: {write_command(*options)}" for n, (means, options) in enumerate(self.choices, 1))
        super().__init__(f"{text} {'; '.join(answers)}." if choices else text)

    def about(self, name: str) -> Self:
        """Return the same question, with what it is about before it."""
        error = super().about(name)
        error.text = f"{name}: {self.text}"
        return error


class OutputError(ReportgenError):
    """The report cannot be written where it was asked for."""


class TemplateError(ReportgenError):
    """A template cannot be found, read or filled."""


class SectionError(ReportgenError):
    """A section cannot be loaded, or failed while it made its findings."""

    exit_code: ClassVar[int] = 3


class BatchError(ReportgenError):
    """Some of many reports could not be made; the others are written."""

    exit_code: ClassVar[int] = 3


_ROOM = "make room, or raise the limit (ulimit -a), and run again"
_PATH = "name another path"
_ADVICE = {
    **dict.fromkeys(("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE"), _ROOM),
    **dict.fromkeys(("ENAMETOOLONG", "ELOOP", "ENOTDIR", "EISDIR", "EROFS", "ENOENT", "ESTALE"), _PATH),
    **dict.fromkeys(("EACCES", "EPERM"), f"allow it (chmod), or {_PATH}"),
}
_OF_SYSTEMS = {getattr(errno, name): advice for name, advice in _ADVICE.items() if hasattr(errno, name)}
"""Number of an error of the system -> what can be done about it."""


def of_system(error: OSError) -> ReportgenError | None:
    """Return an error of the operating system as one that the user can fix; None if it is not.

    Examples
    --------
    >>> print(of_system(OSError(27, "File too large", "report.pdf")))
    'report.pdf' cannot be written or read: File too large; make room, or raise the limit (ulimit -a), and run again.
    """
    advice = _OF_SYSTEMS.get(error.errno or 0)
    if advice is None:
        return None
    place = f"'{shortened(os.fsdecode(error.filename), 100)}'" if isinstance(error.filename, str | bytes) else "a file"
    return OutputError(f"{place} cannot be written or read: {error.strerror}; {advice}.")


_NAMES = re.compile(r"\S{121,}")  # names of files, and other words, that leave no room for the rest of a sentence


def with_short_names(sentence: str) -> str:
    """Return a sentence in which no word is longer than 100 characters, if it would be longer than 120."""
    return _NAMES.sub(lambda name: shortened(name[0], 100), sentence)


MOST_NAMES = 5  # known names that a sentence lists; the others are counted

MOST_LETTERS = 60  # characters of a name or value that fit into a sentence

COMPARED = 100
"""Characters at the beginning of names by which they are near to each other: comparing takes the square of these."""


def shortened(text: object, most: int = MOST_LETTERS) -> str:
    """Return text of at most `most` characters; of a longer one its beginning and its end.

    Examples
    --------
    >>> shortened("gender"), shortened("a" * 20 + "b" * 20, most=11)
    ('gender', 'aaaa...bbbb')
    """
    said = str(text)
    if len(said) <= most:
        return said
    end = (most - 3) // 2
    return f"{said[: most - 3 - end]}...{said[-end:]}"


def describe_failure(error: BaseException) -> str:
    """Return why a text could not be parsed, without the internals of the parser.

    Examples
    --------
    >>> describe_failure(RecursionError("maximum recursion depth exceeded")), describe_failure(ValueError("no key"))
    ('nested too deeply', 'no key')
    """
    return "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of an error sentence that names the nearest known word, or the first known ones.

    Parameters
    ----------
    word
        What was found.
    known
        What it might have been.

    Examples
    --------
    >>> did_you_mean("sytem", ["system", "human"])
    "; did you mean 'system'?"
    >>> did_you_mean("zzz", ["system", "human"])
    "; known: 'human', 'system'."
    >>> did_you_mean("zzz", map(str, range(1000)))
    "; known: '0', '1', '10', '100', '101' and 995 more."
    """
    known = sorted(known)
    near = nearest(word, known)
    if near:
        return f"; did you mean '{shortened(near)}'?"
    named = ", ".join(f"'{shortened(name)}'" for name in known[:MOST_NAMES])
    if len(known) > MOST_NAMES:
        named += f" and {len(known) - MOST_NAMES:,} more"
    return f"; known: {named}."


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that a misspelt one stands for; empty when none is near.

    Examples
    --------
    >>> nearest("Gendre", ["gender", "age"]), nearest("GENDER", ["gender"]), nearest("zzz", ["gender"])
    ('gender', 'gender', '')
    """
    known = sorted(known)
    by_lower = {name.lower(): name for name in known}
    by_start = {name[:COMPARED]: name for name in known}
    near = difflib.get_close_matches(word[:COMPARED], by_start, n=1)
    return by_start[near[0]] if near else by_lower.get(word.lower(), "")


def listed(names: Sequence[str]) -> str:
    """Return names in quotes, the first five of them, long ones shortened."""
    return ", ".join(f"'{shortened(name, 30)}'" for name in names[:5]) + (", ..." if len(names) > 5 else "")


def write_command(*words: str) -> str:
    r"""Write a command so that a shell passes exactly these words, whatever they contain, and prints on one line.

    A word that no sentence has room for, of more than 300 characters, becomes `NAME`.

    Examples
    --------
    >>> write_command("reportgen", "evaluate", "a.csv", "--human", "rater's score")
    'reportgen evaluate a.csv --human \'rater\'"\'"\'s score\''
    >>> write_command("echo", "two\nlines")
    'echo "$(printf \'two\\012lines\')"'
    """
    return " ".join("NAME" if len(word) > ReportgenError.longest else _quote(word) for word in words)


def _quote(word: str) -> str:
    """Quote a word; a letter that cannot be printed becomes octal, which `printf` understands in every shell."""
    if word.isprintable():
        return shlex.quote(word)
    letters = (
        letter if letter.isprintable() and letter not in "\\'"
        else "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))
        for letter in word.replace("%", "%%")
    )  # fmt: skip
    return f"\"$(printf '{''.join(letters)}')\""


def requirements(extra: str = "") -> list[str]:
    """Return what reportgen requires, or what an extra adds, as the installed package declares it.

    Examples
    --------
    >>> [each.partition(">")[0] for each in requirements("yaml")]
    ['pyyaml']
    """
    from importlib import metadata

    from packaging.requirements import Requirement

    try:
        declared = [Requirement(each) for each in metadata.requires(DISTRIBUTION) or ()]
    except metadata.PackageNotFoundError:
        return [f"{DISTRIBUTION}[{extra}]"] if extra else []
    chosen = (each for each in declared if not extra or (each.marker and each.marker.evaluate({"extra": extra})))
    return list(dict.fromkeys(f"{each.name}{each.specifier}" for each in chosen))


def install_command(*words: str, extra: str = "") -> str:
    """Write the command that installs packages, or those of an extra, for the Python that runs reportgen."""
    from importlib.util import find_spec

    pip = (sys.executable, "-m", "pip") if find_spec("pip") else ("uv", "pip")
    python = () if find_spec("pip") else ("--python", sys.executable)
    return write_command(*pip, "install", *python, *words, *(requirements(extra) if extra else ()))
