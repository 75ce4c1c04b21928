"""Map settings to command options, and rewrite options as Python keywords."""

import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cache

from pydantic.fields import FieldInfo

from reportgen.settings.kinds import Option, members
from reportgen.settings.models import Settings

_QUOTED = r"""'[^']*'|"[^"]*\""""
_OF_OPTIONS = "out|requires|is|writes|cannot|does"  # what a sentence says of an option
_WORD = rf"""(?!(?:and|or|{_OF_OPTIONS})\b|--)[^\s'"();,]*[^\s'"();,.:]"""
_OPTION = re.compile(
    r"(?<![\w-])--[a-z][a-z0-9-]*"
    rf"(?:[ =](?:{_QUOTED}|[A-Z]+\b|(?:wide|long)\b|(?=\S*\d){_WORD}|{_WORD}(?=[.;,)]|$|\s--)))?"
)
"""An option with its value, if the next word can be one."""

_COMMAND = re.compile(r"(?:^|(?<=: ))reportgen (evaluate|look|batch) (?!or\b)([^;\n]*--[^;\n]*)", re.MULTILINE)

_GIVEN = re.compile(r"settings: (\w+)(?:\.|: )(\w+)(?=[:, ])")
"""Start of an error about a setting that was given by keyword."""

SWITCHES = ("force", "gate", "strict", "tables_only", "batches")  # options without a value that are not settings


@cache
def typed() -> Mapping[str, tuple[str, str, FieldInfo, Option]]:
    """Return (table, key, field, option) of every setting with an option, by keyword."""
    return {
        keyword: (table, key, field, option)
        for keyword, (table, key) in Settings.keywords().items()
        for field in [Settings.table(table).model_fields[key]]
        for option in field.metadata
        if isinstance(option, Option)
    }


def flags_of(keyword: str, option: Option) -> tuple[str, ...]:
    """Return the flags of a setting: the option, and the option for none.

    >>> flags_of("trim_min", Option()), flags_of("groups", Option("--group", none="--no-groups"))
    (('--trim-min',), ('--group', '--no-groups'))
    """
    return tuple(filter(None, (option.flags or f"--{keyword.replace('_', '-')}", option.none)))


def places_of_options() -> Mapping[str, tuple[str, str]]:
    """Return the table and the key of every setting with an option, by option."""
    return {flags_of(keyword, each[3])[0].partition("/")[0]: each[:2] for keyword, each in typed().items()}


def as_options(message: str) -> str:
    """Return an error about a setting with the name of its option.

    >>> as_options("settings: statistics.min_n_per_group: expected a number"), as_options("settings: data.flags: no")
    ('--min-n: expected a number', 'settings: data.flags: no')
    """
    found, flags = _GIVEN.match(message), {key: flag for flag, (_, key) in places_of_options().items()}
    flag = next((flag for flag, place in places_of_options().items() if found and place == found.groups()), "")
    if found and flag:
        rest = re.sub("; for example, (?!-)", f"; for example, {flag} ", message[found.end() :])
        return flag + re.sub(r"\b[a-z]+(?:_[a-z]+)+\b", lambda key: flags.get(key[0], key[0]), rest)
    return re.sub(r"^settings: (\w+: )?(?=--)", "", message)


def as_keys(message: str, words: Sequence[str]) -> str:
    """Return an error with the configuration key of its option, unless the option is one of the typed words.

    >>> as_keys("c.toml: --logo: not an image", ["evaluate", "c.toml"])
    'c.toml: report.logo: not an image'
    """
    places = {flag: ".".join(place) for flag, place in places_of_options().items() if flag not in words}
    return re.sub("(?:^|(?<=: ))--[a-z-]+(?=: )", lambda found: places.get(found[0], found[0]), message, count=1)


def as_keywords(message: str) -> str:
    """Return a message with options rewritten as keywords of Python functions.

    >>> as_keywords("a file needs --items and --human2.")
    'a file needs items= and human2=.'
    >>> as_keywords("name another column with --id NAME, or remove --ratings-only.")
    'name another column with id=NAME, or remove ratings_only.'
    >>> as_keywords("reportgen evaluate s.csv --human 'h 1' --human h2 --no-groups")
    "reportgen.evaluate('s.csv', human=['h 1', 'h2'], groups=[])"
    """
    message = _COMMAND.sub(lambda found: _call(found[1], found[2]), message)
    return _OPTION.sub(_one, message)


def _call(command: str, words: str) -> str:
    try:
        tokens = shlex.split(words)
    except ValueError:
        return f"reportgen {command} {words}"
    sources, given = _parsed(tokens)
    keywords = [f"{name}={(values if len(values) > 1 else values[0])!r}" for name, values in given.items()]
    return f"reportgen.{command}({', '.join([*map(repr, sources), *keywords])})"


def _parsed(words: Sequence[str]) -> tuple[list[str], dict[str, list[object]]]:
    """Return the words of a command that are no options, and the values of its options by keyword."""
    given: dict[str, list[object]] = {}
    sources, left = list[str](), list(words)
    while left:
        word = left.pop(0)
        if not word.startswith("--"):
            sources.append(word)
            continue
        name, value = _keyword(word)
        given.setdefault(name, []).append(left.pop(0) if value is None and left else value)
    if len(given.get("system", ())) > 1:
        given["systems"] = given.pop("system")
    return sources, given


def given_by(options: Sequence[str]) -> dict[str, object]:
    """Return the settings that options give, by keyword.

    >>> given_by(["--system", "a b", "--human", "h", "--unordered"])
    {'system': 'a b', 'human': ['h'], 'unordered': True, 'systems': None}
    """
    given = _parsed(options)[1]
    given |= {"system": [None]} if "systems" in given else {"systems": [None]} if "system" in given else {}
    return {name: values if len(values) > 1 or name == "human" else values[0] for name, values in given.items()}


def _one(found: re.Match[str]) -> str:
    """Return one option, with its value, as a keyword."""
    flag, _, typed = re.sub("[ =]", " ", found[0], count=1).partition(" ")
    before, after = found.string[: found.start()], found.string[found.end() :]
    name, value = _keyword(flag)
    # a command stays one, and so does an option of commands alone, with what it is in Python
    if re.search(r"(?:\breportgen [a-z]+|\bpip install) [^;\n]*$", before) or after.startswith(" (in Python, "):
        return found[0]
    if before.endswith(("leave out ", "Leave out ", "remove ", "edit ")) or re.match(rf":| ({_OF_OPTIONS})\b", after):
        return name + (f" {typed}" if typed else "")
    if value is not None:
        return f"{name}={value}" + (f" {typed}" if typed else "")
    if not typed:
        return f"{name}="
    quoted = typed[0] in "'\"" or typed.isupper()
    return f"{name}={typed if quoted else repr(typed)}"


def _keyword(flag: str) -> tuple[str, object]:
    """Return the keyword of an option, and the value that the option implies."""
    name = flag.removeprefix("--").replace("-", "_")
    return _known().get(flag, (name, True if name in SWITCHES else None))


@cache
def _known() -> dict[str, tuple[str, object]]:
    found: dict[str, tuple[str, object]] = {"--name": ("names", None)}
    for keyword, (_, _, field, option) in typed().items():
        yes, _, no = flags_of(keyword, option)[0].partition("/")
        found[yes] = (keyword, True if bool in members(field.annotation) else None)
        if no:
            found[no] = (keyword, False)
        if option.none:
            found[option.none] = (keyword, [])
    return found
