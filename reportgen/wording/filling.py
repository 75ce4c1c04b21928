"""Set up Jinja for the vocabulary and for plain-text templates, compiled once for all reports."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import CodeType
from typing import Any
from weakref import WeakKeyDictionary

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

from reportgen.results import Check, Estimate, Term, aspects
from reportgen.wording import numbers
from reportgen.wording.bibliography import cited, linked, works
from reportgen.wording.names import capital, name
from reportgen.wording.vocabulary import ENGLISH, JUDGE, TEMPLATES, Vocabulary, translations, use_of


class Compiled(jinja2.BytecodeCache):
    """Compiled templates of one kind of environment, recompiled if their text changes."""

    def __init__(self) -> None:
        self._code: dict[str, tuple[str, CodeType]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load a template's code if it was compiled from the same text."""
        checksum, code = self._code.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Store the code of a template."""
        if bucket.code is not None:
            self._code[bucket.key] = bucket.checksum, bucket.code

    def share(self, environment: jinja2.Environment, finalize: Callable[[Any], Any] = lambda value: value) -> None:
        """Share code between environments whose filters, tests, and words may differ.

        Jinja calls filters, tests, and `finalize` on constants while it compiles a template, and the answers become
        part of the code: ``{% if "map" is has %}`` in one report would decide for all others. Without the optimizer,
        and with a `finalize` that requires the context, nothing is called before a template is filled.
        """
        environment.bytecode_cache = self
        environment.optimized = False
        environment.finalize = jinja2.pass_context(lambda _, value: finalize(value))


COMPILED = Compiled()  # compiled templates of plain text

_WORDS: dict[str, CodeType] = {}  # compiled words

_TEMPLATES: WeakKeyDictionary[jinja2.Environment, dict[str, jinja2.Template]] = WeakKeyDictionary()


def translated(loader: jinja2.BaseLoader, language: str) -> jinja2.BaseLoader:
    """Return a loader of built-in templates, with the lines of a language instead of the English ones."""
    known, used = translations(language.removesuffix(JUDGE)), use_of(language)

    def load(name: str) -> tuple[str, str | None, Callable[[], bool] | None]:
        source, file, is_fresh = loader.get_source(jinja2.Environment(), name)
        lines = [(line, line.strip()) for line in source.splitlines(keepends=True)]
        say = used if name.endswith(".j2") else str  # not in styles and scripts
        return "".join(line.replace(text, say(known.get((name, text), text))) for line, text in lines), file, is_fresh

    return jinja2.FunctionLoader(load) if known or used is not str else loader


def loader_of(templates: Path | None = None, language: str = ENGLISH) -> jinja2.BaseLoader:
    """Return a loader of templates: the user's first, then the built-in ones in a language."""
    shipped = translated(jinja2.FileSystemLoader(TEMPLATES), language)
    return jinja2.ChoiceLoader([jinja2.FileSystemLoader(templates), shipped]) if templates else shipped


def page_environment(loader: jinja2.BaseLoader, *, keep_trailing_newline: bool = False) -> jinja2.Environment:
    """Return an environment that fills pages: text is escaped, and a misspelled name is an error."""
    return jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=keep_trailing_newline
    )


def environment_of(vocabulary: Vocabulary) -> jinja2.Environment:
    """Return the environment that fills words: text is not escaped, and a misspelled name is an error."""
    environment = jinja2.Environment(
        loader=loader_of(vocabulary.templates, vocabulary.language), undefined=jinja2.StrictUndefined, autoescape=False,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    COMPILED.share(environment, vocabulary.say)
    environment.filters.update(FILTERS, **filters_of(vocabulary))
    environment.globals.update(globals_of(vocabulary))
    add_phrases(environment)
    return environment


def add_phrases(environment: jinja2.Environment) -> None:
    """Add the phrases to an environment: ``say`` (shared), ``decision``, and ``papers`` (exports)."""
    for file in ("phrases", "decision", "brief", "papers", "runs"):
        environment.globals["say" if file == "phrases" else file] = Phrases(environment, f"words/{file}.j2")


def template_of(environment: jinja2.Environment, text: str) -> jinja2.Template:
    """Return a word as a template of an `environment_of` environment, with shared code."""
    known = _TEMPLATES.setdefault(environment, {})
    if text not in known:
        code = _WORDS[text] = _WORDS.get(text) or environment.compile(text)
        known[text] = jinja2.Template.from_code(environment, code, environment.make_globals(None))
    return known[text]


class Phrases:
    """The macros of a template in an environment, read when the first one is used."""

    def __init__(self, environment: jinja2.Environment, template: str) -> None:
        self._environment = environment
        self._template = template
        self._macros: Any = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._macros is None:
            self._macros = self._environment.get_template(self._template).module
        return getattr(self._macros, name)


def size(value: Estimate | float, kind: Any = None, *limits: float | None) -> str:
    """Format the size of a difference without its sign; `limits` are bounds of the difference.

    >>> size(Estimate("dsm", -0.26, 242, kind="difference")), size(-0.04, "coefficient")
    ('0.26', '0.04')
    """
    found = value.value if isinstance(value, Estimate) else value
    how = kind or (value.kind if isinstance(value, Estimate) else "coefficient")
    near = (limit and abs(limit) for limit in limits)
    return numbers.num(found if found is None else abs(found), how, *near, signed=False)


def apart(value: Estimate, *limits: float | None) -> str:
    """Format the size of a difference with its interval; both change sign if the difference is negative.

    >>> apart(Estimate("degradation_qwk", -0.037, 200, -0.071, -0.002, kind="difference"))
    '0.037 [0.002, 0.071]'
    >>> apart(Estimate("smd", -0.11, 200, -0.149, -0.08, kind="difference"), -0.15, 0.15)
    '0.110 [0.080, 0.149]'
    """
    near = [sign * limit for limit in limits if limit is not None for sign in (1, -1)]
    if value.value is None or value.value >= 0:
        return numbers.with_interval(value, *near, signed=False)
    low, high = (None if end is None else -end for end in (value.high, value.low))
    return numbers.with_interval(replace(value, value=-value.value, low=low, high=high), *near, signed=False)


def inside(text: str) -> str:
    """Write a reason inside a sentence: in lower case, unless it starts with a name or a symbol.

    >>> inside("The file names no group."), inside("QWK is undefined")
    ('the file names no group', 'QWK is undefined')
    """
    words = text.rstrip(".")
    first = words.split(" ", 1)[0]
    return words if first != first.capitalize() else words[:1].lower() + words[1:]


def _check_names(vocabulary: Vocabulary, checks: Iterable[Check]) -> list[str]:
    names = Counter((vocabulary.check_name(check, short=True), bool(check.column)) for check in checks).items()
    return [vocabulary.say(Term("of_groups", name=name, n=n)) if groups else name for (name, groups), n in names]


def _quoted(vocabulary: Vocabulary, text: str) -> str:
    plain = text.translate(dict.fromkeys(map(ord, f".,–{numbers.MINUS}")))
    return text if plain.isdigit() else vocabulary.say(Term("quoted", text=name(text, 40)))


def date(vocabulary: Vocabulary, text: str) -> str:
    """Write an ISO date in words; return any other text unchanged.

    >>> from reportgen.wording.vocabulary import JUDGE, english, use_of
    >>> date(english(), "2026-03-01"), date(english(), "in spring")
    ('March 1, 2026', 'in spring')
    """
    try:
        day = datetime.fromisoformat(text)
    except ValueError:
        return text
    return vocabulary.say(Term("date", day=day.day, month=day.month, year=str(day.year)))


FILTERS: dict[str, Any] = {
    **{each.__name__: each for each in (numbers.num, numbers.count, numbers.percent, numbers.roughly, numbers.point)},
    **{each.__name__: each for each in (numbers.coverage, size, inside, aspects, apart, capital)},
    "interval": numbers.with_interval,
    "limits": numbers.interval,
    "p": numbers.p_value,
    "limit": numbers.bound,
    "places": lambda found, *limits: max(numbers.places_needed(each, each.kind, *limits) or 0 for each in found),
}
"""Filters that do not need the vocabulary."""


def filters_of(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the filters that need the vocabulary."""
    starts = {"aspect": "aspect", "whether": "whether", "falls_short": "short", "question": "question"}
    return {
        **{name: getattr(vocabulary, name) for name in ("label", "run", "listed", "noun", "check_name")},
        **{name: lambda key, start=start: vocabulary.say(Term(f"{start}.{key}")) for name, start in starts.items()},
        "cite": lambda key: cited(key, vocabulary.say(Term("and"))),
        "references": lambda keys: [Markup(linked(works()[key])) for key in keys if key in works()],
        "said": vocabulary.say,
        "date": lambda text: date(vocabulary, text),
        "quoted": lambda text: _quoted(vocabulary, str(text)),
        "metric": vocabulary.in_full,
        "check_names": lambda checks: _check_names(vocabulary, checks),
    }


def globals_of(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the functions that need the vocabulary."""
    return {
        "_": str,  # marks words in arguments, ``_("Requirements")``, for extraction
        "Term": Term,
        "full_name": vocabulary.statistic,
        "short_name": lambda key: vocabulary.statistic(key, "short"),
    }
