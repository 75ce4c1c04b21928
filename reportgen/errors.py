"""Define the errors that a user can cause, each with one sentence and an exit code.

A sentence has the form "PLACE: what is wrong; how to fix it". The command line prints the fix as a hint on its own
line, and exits with the code. In Python, catch `ReportgenError`. A traceback that reaches a user is a bug.
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

DISTRIBUTION = "reportgen-scoring"  # name of the installed package; it is imported as `reportgen`

NO_ROWS = "the file has a header but no rows; add one row per response."


class ReportgenError(Exception):
    """An error that the user can fix; the message states the problem, its place, and the fix."""

    exit_code: ClassVar[int] = 2
    longest: ClassVar[int] = 300  # most characters of the message in the terminal, including its first word

    def about(self, name: str) -> Self:
        """Return a copy of the error with its subject before the message.

        >>> InputError("2 rows repeat; remove them").about("trait 'ideas'")
        InputError("trait 'ideas': 2 rows repeat; remove them")
        """
        error = copy.copy(self)
        error.args = (f"{name}: {self}",)
        return error


class InputError(ReportgenError):
    """The data file cannot be evaluated in its current form."""


class SettingsError(ReportgenError):
    """A setting is unknown, missing, or contradicts another."""


class QuestionError(SettingsError):
    """A file is ambiguous, and only its owner can decide.

    Parameters
    ----------
    text
        The question.
    choices
        The answers: each in words, with its options.
    otherwise
        What to do if no answer is right.
    notes
        What was noticed while the file was read.
    """

    longest: ClassVar[int] = 1200

    def __init__(
        self,
        text: str,
        choices: Sequence[tuple[str, Sequence[str]]] = (),
        otherwise: str = "",
        notes: Sequence[str] = (),
    ) -> None:
        self.text, self.choices = text, [(with_short_names(means), options) for means, options in choices]
        self.otherwise, case = otherwise, ("this is not", "neither is", "none of these is")[min(len(choices), 3) - 1]
        hint = [f"hint: if {case} right, {otherwise}"] * bool(otherwise)
        self.after = [*hint, *(f"note: {note.removesuffix('.')}" for note in notes)]
        answers = (f"{n}. {means}: {write_command(*options)}" for n, (means, options) in enumerate(self.choices, 1))
        super().__init__(" ".join((text, *["; ".join(answers) + "."] * bool(choices), *(f"{e}." for e in self.after))))

    def about(self, name: str) -> Self:
        """Return a copy of the question with its subject before it."""
        error = super().about(name)
        error.text = f"{name}: {self.text}"
        return error


SWITCHES = ("--exclude-zero-scores", "--ratings-only", "--unordered")  # options of answers that have no value


def without_options(words: Sequence[str], answered: Sequence[str]) -> list[str]:
    """Return words without the options, and their values, that an answer replaces.

    >>> without_options(["s.csv", "--human", "a", "--scale=1:5", "--unordered"], ["--scale", "1:6", "--unordered"])
    ['s.csv', '--human', 'a']
    """
    left, skip = [], False
    for word in words:
        option = word.partition("=")[0]
        replaced = option.startswith("--") and option in answered
        if not (skip or replaced):
            left.append(word)
        skip = not skip and replaced and "=" not in word and option not in SWITCHES
    return left


class OutputError(ReportgenError):
    """The report cannot be written to the requested place."""


class TemplateError(ReportgenError):
    """A template cannot be found, read, or filled."""


class SectionError(ReportgenError):
    """A section cannot be loaded, or failed while computing its findings."""

    exit_code: ClassVar[int] = 3


class BatchError(ReportgenError):
    """Some of many reports failed; the others are written."""

    exit_code: ClassVar[int] = 3


_ROOM = "free space, or raise the limit (ulimit -a), and run again"
_PATH = "choose another path"
_ADVICE = {
    **dict.fromkeys(("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE"), _ROOM),
    **dict.fromkeys(("ENAMETOOLONG", "ELOOP", "ENOTDIR", "EISDIR", "EROFS", "ENOENT", "ESTALE"), _PATH),
    **dict.fromkeys(("EACCES", "EPERM"), f"allow it (chmod), or {_PATH}"),
}
_OF_SYSTEMS = {getattr(errno, name): advice for name, advice in _ADVICE.items() if hasattr(errno, name)}
"""Advice by number of the operating system error."""


def of_system(error: OSError) -> ReportgenError | None:
    """Convert an operating system error that the user can fix; return None for others.

    >>> print(of_system(OSError(27, "File too large", "report.pdf")))
    'report.pdf' cannot be written or read: File too large; free space, or raise the limit (ulimit -a), and run again.
    """
    advice = _OF_SYSTEMS.get(error.errno or 0)
    if advice is None:
        return None
    place = f"'{shortened(os.fsdecode(error.filename), 100)}'" if isinstance(error.filename, str | bytes) else "a file"
    return OutputError(f"{place} cannot be written or read: {error.strerror}; {advice}.")


_NAMES = re.compile(r"\S{121,}")  # file names and other words that leave no room for the rest of a sentence


def with_short_names(sentence: str) -> str:
    """Shorten words to 100 characters if they are longer than 120."""
    return _NAMES.sub(lambda name: shortened(name[0], 100), sentence)


MOST_NAMES = 8  # most known names to list; the others are counted

MOST_LETTERS = 60  # most characters of a name or value in a sentence

COMPARED = 100  # number of leading characters of names to compare, because the time grows with its square


def shortened(text: object, most: int = MOST_LETTERS) -> str:
    """Shorten text to `most` characters, keeping its beginning and its end.

    >>> shortened("gender"), shortened("a" * 20 + "b" * 20, most=11)
    ('gender', 'aaaa...bbbb')
    """
    said = str(text)
    if len(said) <= most:
        return said
    end = (most - 3) // 2
    return f"{said[: most - 3 - end]}...{said[-end:]}"


def describe_failure(error: BaseException) -> str:
    """Describe why a text could not be parsed, without the internals of the parser.

    >>> describe_failure(RecursionError("maximum recursion depth exceeded")), describe_failure(ValueError("no key"))
    ('nested too deeply', 'no key')
    """
    return "nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of an error message: the nearest known word, or the first known ones.

    Parameters
    ----------
    word
        The word that was found.
    known
        The known words.

    Examples
    --------
    >>> did_you_mean("sytem", ["system", "human"])
    "; did you mean 'system'?"
    >>> did_you_mean("zzz", ["system", "human"])
    "; choose from 'human' and 'system'."
    >>> did_you_mean("zzz", ["gender"])
    "; use 'gender'."
    >>> did_you_mean("zzz", map(str, range(1000)))
    "; choose from '0', '1', '10', '100', '101', '102', '103', '104', and 992 more."
    """
    known = sorted(known)
    near = nearest(word, known)
    if near:
        return f"; did you mean '{shortened(near)}'?"
    return f"; {'choose from' if known[1:] else 'use'} {listed(known, most=MOST_NAMES)}." if known else "."


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the known word that is closest to a misspelled one, or an empty string.

    >>> nearest("Gendre", ["gender", "age"]), nearest("GENDER", ["gender"]), nearest("qwkk", ["system.qwk"])
    ('gender', 'gender', 'system.qwk')
    """
    known, dot, first = sorted(known), "\0" if "." in word else ".", word[:COMPARED]
    by_lower = {name.lower(): name for name in known}
    by_start = {part[:COMPARED]: name for name in known for part in (name.rpartition(dot)[2], name)}
    alike = [part for part in by_start if part.lstrip("-")[:1].lower() == word.lstrip("-")[:1].lower()]
    near = difflib.get_close_matches(first, alike, n=1) or difflib.get_close_matches(first, by_start, n=1, cutoff=0.8)
    return by_start[near[0]] if near else by_lower.get(word.lower(), "")


def joined(words: Iterable[object], last: str = "and", most: int = 10) -> str:
    """Join words to a phrase: at most `most`, and the number of others.

    >>> joined([98, 99], "or"), joined("abc"), joined("abcde", most=3)
    ('98 or 99', 'a, b, and c', 'a, b, c, and 2 more')
    """
    every = [*map(str, words)]
    shown = [*every[:most], *[f"{len(every) - most:,} more"] * (len(every) > most)]
    return f" {last} ".join(shown) if len(shown) < 3 else f"{', '.join(shown[:-1])}, {last} {shown[-1]}"


def listed(names: Iterable[str], last: str = "and", most: int = 5) -> str:
    """Join names in quotes, shortened."""
    return joined((f"'{shortened(name, 40)}'" for name in names), last, most)


def write_command(*words: str) -> str:
    r"""Write a command on one line so that a shell passes exactly these words.

    A word of more than 300 characters becomes `NAME`.

    >>> write_command("reportgen", "evaluate", "a.csv", "--human", "rater's score")
    'reportgen evaluate a.csv --human \'rater\'"\'"\'s score\''
    >>> write_command("echo", "two\nlines")
    'echo "$(printf \'two\\012lines\')"'
    """
    return " ".join("NAME" if len(word) > ReportgenError.longest else _quote(word) for word in words)


def _quote(word: str) -> str:
    """Quote a word; unprintable characters become octal escapes for `printf`, which works in every shell."""
    if word.isprintable():
        return shlex.quote(word)
    letters = (
        letter if letter.isprintable() and letter not in "\\'"
        else "".join(f"\\{byte:03o}" for byte in letter.encode("utf-8", "surrogateescape"))
        for letter in word.replace("%", "%%")
    )  # fmt: skip
    return f"\"$(printf '{''.join(letters)}')\""


def requirements(extra: str = "") -> list[str]:
    """Return the requirements of reportgen or of an extra, as the installed package declares them.

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
    """Write the command that installs packages, or an extra's packages, for the Python that runs reportgen."""
    from importlib.util import find_spec

    pip = (sys.executable, "-m", "pip") if find_spec("pip") else ("uv", "pip")
    python = () if find_spec("pip") else ("--python", sys.executable)
    return write_command(*pip, "install", *python, *words, *(requirements(extra) if extra else ()))
