"""Read the words of reports (terms, headings, titles, sentences) from the folder ``words`` of the templates.

Results contain terms (`reportgen.results.term.Term`), names from the data, and numbers. Their words are in
``words/*.toml``, and shared phrases in ``words/phrases.j2``. A user's folder overrides them entry by entry, before the
translations of a language.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from reportgen.errors import SettingsError, TemplateError, did_you_mean
from reportgen.results import Cell, Check, Column, Estimate, Report, Row, Table, Term
from reportgen.wording import numbers
from reportgen.wording.names import capital, name

if TYPE_CHECKING:
    import jinja2

_INSTALLED = Path(__file__).parents[1] / "templates"
_CHECKOUT = Path(__file__).parents[2] / "templates"

TEMPLATES = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""The folder ``templates``: inside the installed package, or next to it in a checkout."""

T = TypeVar("T")

_PART = re.compile(r"\{(\w+)\}")  # a variable part of a stored text

_QUOTED = re.compile(r"(?<!\w)'([^']+)'(?!\w)")  # a name in a message of the terminal

_SAID_OF_CHECKS = ("label", "abbreviation", "group", "source")  # fields of a check that contain words

_CODES = frozenset(("key", "kind", "ink", "inks", "along", "dashes", "markers", "axis", "metric", "method", "outcome"))
"""Fields of results without words, to which no user label applies."""

Form = Literal["name", "short"]  # the form of a statistic's name: full, or short for narrow places

_WHOSE = {
    "human.": "of_two_raters",
    "panel.human.": "of_two_raters",
    "panel.raters.": "of_all_raters",
    "degradation.": "compared",
}
"""Prefixes of keys that mark whose scores a statistic uses, with their words."""

_ALIASES = {"exchangeability.qwk": "exchange_qwk", "exchangeability.r": "exchange_r"}
"""Keys of estimates that end like another metric's key, with their own."""

ENGLISH = "en"  # the language of the templates themselves

PARTS = ("terms", "words", "columns", "titles", "sections", "nouns", "texts", "reports")  # tables of a word file


@dataclass(frozen=True)
class Entry:
    """The vocabulary entry of a statistic or another term.

    `short` is the name in headings, which may be empty; `direction` is the better direction: "high", "low", or "zero".
    """

    key: str
    name: str
    short: str = ""
    question: str = ""
    definition: str = ""
    unit: str = ""
    direction: str = ""


LANGUAGES = TEMPLATES / "languages"
"""The folder with a file ``.po`` for every language except English, the language of the templates."""


def languages() -> tuple[str, ...]:
    """Return the available report languages.

    >>> "en" in languages()
    True
    """
    return (ENGLISH, *sorted(file.stem for file in LANGUAGES.glob("*.po")))


JUDGE = "+judge"  # marks a language in which the engine is called a judge

_CODE = r'(?:\{[{%#]|"\)).*?(?:[}%#]\}|_\(")|<[^<>]*>'  # parts of a template that readers do not see


def language_of(report: Report) -> str:
    """Return the language of a report, with a mark if its engine is a judge."""
    judged = (report.evaluation.facts.get("design") or {}).get("purpose") == "judge"
    return report.language + JUDGE * judged


@cache
def use_of(language: str) -> Callable[[str], str]:
    """Return what writes the words for judges into a text, but not into its code; other languages stay."""
    known = _parsed(LANGUAGES / "judge.toml", tomllib.loads) if language.endswith(JUDGE) else {}
    words = known.get(language.removesuffix(JUDGE))
    if not words:
        return str
    found = re.compile(rf"{_CODE}|\b(?:{'|'.join(sorted(words, key=len, reverse=True))})\b", re.IGNORECASE)
    return lambda text: found.sub(lambda at: (str, capital)[at[0][0].isupper()](words.get(at[0].lower(), at[0])), text)


@cache
def translations(language: str) -> Mapping[tuple[str, str], str]:
    """Return the translations of template lines and of words, by context and English text.

    The context is the name of the template or the key of the word. Raises SettingsError if there is no such language.
    """
    if language == ENGLISH:
        return {}
    if language not in languages():
        raise SettingsError(f"--language: {language!r} is not available{did_you_mean(language, languages())}")
    import polib

    entries = _parsed(LANGUAGES / f"{language}.po", polib.pofile)
    return {(entry.msgctxt, entry.msgid): entry.msgstr for entry in entries.translated_entries()}


@cache
def english() -> Vocabulary:
    """Return the built-in vocabulary, read once per process."""
    return Vocabulary()


def short_name(statistic: str) -> str:
    """Return the short English name of a statistic in results.

    >>> short_name("human.qwk")
    'QWK of two raters'
    """
    return english().statistic(statistic, "short")


class Vocabulary:
    """Names of keys in one language, with a user's words and labels.

    `templates` is a user's folder of templates; `labels` are the user's names for columns and groups, by their name in
    the data.

    >>> words = Vocabulary(labels={"L1": "first language"})
    >>> words.label("L1"), words.label("prompt_id"), words.label(Term("first_rater")), words.entry("qwk").short
    ('first language', 'prompt_id', 'One rater', 'QWK')
    """

    def __init__(
        self, templates: Path | None = None, labels: Mapping[str, str] | None = None, language: str = ENGLISH
    ) -> None:
        self.templates, self.language = templates, language
        self._labels = dict(labels or {})
        self._held = _merged(templates, language)

    @contextmanager
    def styled(self) -> Iterator[None]:
        """Write numbers as the language does."""
        before = numbers.STYLE.set({part: self.say(Term(f"number_style.{part}")) for part in numbers.PARTS})
        try:
            yield
        finally:
            numbers.STYLE.reset(before)

    # --- names ---------------------------------------------------------------------------------

    def entry(self, key: str) -> Entry:
        """Return the entry of a statistic, by its whole key or without its family; otherwise its key is its name."""
        return self._known(key) or Entry(key, key.replace("_", " "))

    def _known(self, key: str) -> Entry | None:
        steps = key.split(".")
        known = (self.entries.get(".".join(steps[start:])) for start in range(len(steps)))
        return next(filter(None, known), None)

    def statistic(self, key: str, form: Form = "name", own: Entry | None = None) -> str:
        """Return the name of a statistic in results and whose scores it uses; the end of its key if unknown.

        `key`: For example, ``"human.qwk"``, ``"true_score.prmse_of_ratings_2"``. `own`: The entry in the statistic's
        package, if the vocabulary has none.

        >>> words = Vocabulary()
        >>> words.statistic("system.qwk"), words.statistic("human.qwk", "short"), words.statistic("own.a_thing")
        ('quadratic weighted kappa', 'QWK of two raters', 'a thing')
        """
        entry, whose, values = self._statistic(key, own)
        if entry is None:
            return key.rpartition(".")[2].replace("_", " ")
        called, short = (entry.short if form == "short" else "") or entry.name, entry.short or entry.name
        return self.say(Term(f"statistic_{whose}", name=called, short=short, **values)) if whose else called

    def in_full(self, of: Estimate | str) -> str:
        """Return the name of a statistic with its short name: ``quadratic weighted kappa (QWK)``."""
        key = of.metric if isinstance(of, Estimate) else of
        name, short = self.statistic(key), self.statistic(key, "short")
        return name if short == name else f"{name} ({short})"

    def knows(self, key: str) -> bool:
        """Return whether a statistic in results has a name."""
        return self._statistic(key)[0] is not None

    def _statistic(self, key: str, own: Entry | None = None) -> tuple[Entry | None, str, dict[str, Any]]:
        """Return the entry of a statistic, the word for whose scores it uses, and the values that fill that word."""
        key = _ALIASES.get(key, key)
        if key in self.entries:
            return self.entries[key], "", {}
        family = next((start for start in _WHOSE if key.startswith(start)), key.split(".")[0] + ".")
        metric = key.removeprefix(family)
        before, _, last = metric.rpartition("_")
        if (entry := self.entries.get(metric) or own) or before not in self.entries:
            return entry, _WHOSE.get(family, ""), {}
        if last.isdigit():
            return self.entries[before], "of_ratings", {"count": int(last)}
        return self.entries[before], "of_engine_score", {"form": Term(last) if last in self._held["words"] else last}

    def heading(self, table: str, column: str) -> str:
        """Return the heading of a column: specific to this table or family of tables, the usual one, or its term."""
        columns = self._held["columns"]
        for family in (*_families(table), ""):
            if (found := columns.get(f"{family}:{column}" if family else column)) is not None:
                return self._filled(str(found), {})
        if entry := self.entries.get(column):
            return entry.short or capital(entry.name)
        return self.statistic(column, "short") if "." in column and self.knows(column) else self.label(column)

    def title(self, key: str) -> str:
        """Return the title of a table or chart; for a family (``by_group.L1``), with its column; or an empty string."""
        for family in _families(key):
            if (found := self._held["titles"].get(family)) is not None:
                return self._filled(str(found), {"column": key[len(family) + 1 :]})
        return ""

    def report_title(self, title: str, file: str, given: object = None) -> str:
        """Return the title of a report in words; a custom title stays, unless it contains the file name."""
        return self._text(title, "reports") if not given or file in str(given) else title

    def section(self, key: str, otherwise: str = "", topic: object = "") -> str:
        """Return the name of a section in headings and contents, or of the `topic` that leads it."""
        held = self._held["sections"]
        return str(held.get(f"{key}.{topic}") or held.get(key) or otherwise or key)

    def label(self, text: object) -> str:
        """Return the user's label for a name, or the name in the data; a term in words."""
        return self.say(text) if isinstance(text, Term) else name(self._labels.get(str(text)) or str(text))

    def run(self, text: object) -> str:
        """Return the name of a run for sentences, in quotation marks if it could be a word of the sentence."""
        label, plain = self.label(text), str(text)
        ambiguous = plain not in self._labels and plain.islower() and plain.replace(" ", "").isalpha()
        return self.say(Term("quoted", text=label)) if ambiguous else label

    def noun(self, number: float, key: str) -> str:
        """Return a number with its noun: ``1 response``, ``4,800 responses``."""
        one, several = self._held["nouns"].get(key, (key, key))
        return f"{numbers.count(number)} {one if number == 1 else several}"

    def listed(self, items: Iterable[object], last: str = "and", most: int = 0) -> str:
        """Join words to a phrase; with `most`, additional words are counted."""
        words = [self.say(item) for item in items]
        if most and len(words) > most:
            words = [*words[:most], self.say(Term("more", count=len(words) - most))]
        joint = self.say(Term(f"{last}_of_more")) if len(words) > 2 else f" {self.say(Term(last))}"
        return "".join(words) if len(words) < 2 else f"{', '.join(words[:-1])}{joint} {words[-1]}"

    def check_name(self, check: Check, *, short: bool = False) -> str:
        """Return the name of a requirement: from its policy, or its statistic."""
        given = (check.abbreviation if short else "") or check.label
        if given and not isinstance(given, Term):
            return given
        return self.statistic(check.statistic or check.estimate.metric, "short" if short else "name")

    # --- terms in results ----------------------------------------------------------------------

    def say(self, value: object) -> str:
        """Write a term in words, and an estimate with its interval; any other text is unchanged."""
        if isinstance(value, Term):
            if (found := self._held["words"].get(value.key)) is not None:
                return self._filled(str(found), value.values)
            if self._known(value.key) is None and "." not in value.key:
                near = did_you_mean(value.key, self._held["words"])
                raise TemplateError(f"words: unknown key {value.key!r}{near}")
            return self.statistic(value.key)
        if isinstance(value, Estimate):
            return numbers.with_interval(value)
        if isinstance(value, str):
            return self._text(value)
        return "" if value is None else numbers.num(value) if isinstance(value, (int, float)) else str(value)

    def said(self, item: T) -> T:
        """Replace the terms in a result (table, chart, check, ...) by words."""
        return self._said(item)  # type: ignore[no-any-return]

    def table(self, table: Table) -> Table:
        """Write a table with its title, headings, and cells in words."""
        columns = tuple(self._column(table.key, column) for column in table.columns)
        rows = tuple(Row(tuple(self._cell(cell) for cell in row.cells), row.mark) for row in table.rows)
        caption = self.say(table.caption) or self.title(table.key)
        notes = tuple(filter(None, map(self.say, table.notes)))
        return dataclasses.replace(table, caption=caption, columns=columns, rows=rows, notes=notes)

    def file(self, table: Table) -> Table:
        """Write a table for its CSV file: words for terms; statistics and columns keep their keys.

        >>> table = Table("t", "", (Column("rater"), Column("metric")), (Row((Term("first_rater"), Term("qwk"))),))
        >>> english().file(table).rows[0].cells
        ('One rater', Term('qwk'))
        """
        rows = tuple(Row(tuple(map(self._file_cell, row.cells)), row.mark) for row in table.rows)
        return dataclasses.replace(table, rows=rows)

    def _file_cell(self, cell: Cell) -> Cell:
        return self.say(cell) if isinstance(cell, Term) and cell.key in self._held["words"] else cell

    def _column(self, table: str, column: Column) -> Column:
        if column.label and table.endswith(f".{column.label}"):  # the user's column that groups the table
            return dataclasses.replace(column, label=self.label(column.label), unit=self.say(column.unit))
        label = self.say(column.label).strip() if column.label else self.heading(table, column.key)
        return dataclasses.replace(column, label=label, unit=self.say(column.unit))

    def _cell(self, cell: Cell) -> Cell:
        if isinstance(cell, Term):
            return self.say(cell) if cell.key in self._held["words"] else capital(self.say(cell))
        if isinstance(cell, str):
            return self._labels.get(cell) or numbers.restyled(self.say(cell))
        if isinstance(cell, Estimate) and (cell.reason or cell.interval_reason):
            reasons = self.say(cell.reason), self.say(cell.interval_reason)
            return dataclasses.replace(cell, reason=reasons[0], interval_reason=reasons[1])
        return cell

    def _said(self, value: Any) -> Any:
        if isinstance(value, Table):
            return self.table(value)
        if isinstance(value, Term):
            return self.say(value)
        if isinstance(value, str):
            return self._labels.get(value) or numbers.restyled(self._text(value))
        if isinstance(value, tuple):
            return tuple(map(self._said, value))
        if isinstance(value, Check):  # its estimate and its codes are handled where it is displayed
            words = {key: self._said(getattr(value, key)) for key in _SAID_OF_CHECKS}
            where = f"{self.label(value.column)}: {self.label(value.level)}" if value.column else value.group
            group = where if value.column or not where else self.label(where)
            return dataclasses.replace(value, **{**words, "label": capital(words["label"]), "group": group})
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            named = (each.name for each in dataclasses.fields(value) if each.init and each.name not in _CODES)
            fields = {key: getattr(value, key) for key in named}
            return dataclasses.replace(value, **{key: self._said(held) for key, held in fields.items()})
        return value

    def _text(self, text: str, part: str = "texts") -> str:
        """Write a stored text, such as the reason for a missing number, in words."""
        if (found := self._held[part].get(text)) is not None:
            return str(found)
        for pattern, words in self._patterns[part]:
            if (match := pattern.fullmatch(text)) is not None:
                filled = _PART.sub(lambda part: numbers.restyled(match.groupdict().get(part[1], part[0])), words)
                return _QUOTED.sub(lambda name: self.say(Term("quoted", text=name[1])), filled)
        return text

    @cached_property
    def _patterns(self) -> Mapping[str, Sequence[tuple[re.Pattern[str], str]]]:
        return {
            part: [
                (re.compile(re.sub(r"(')?\\\{(\w+)\\\}", _pattern_of_part, re.escape(text))), str(words))
                for text, words in self._held[part].items()
                if words != text and _PART.search(text)
            ]
            for part in ("texts", "reports")
        }

    # --- filling words -------------------------------------------------------------------------

    @cached_property
    def entries(self) -> Mapping[str, Entry]:
        """All explained terms by key."""
        known = {field.name for field in dataclasses.fields(Entry)}
        return {
            key: Entry(key, **{part: str(text) for part, text in held.items() if part in known})
            for key, held in self._held["terms"].items()
        }

    def _filled(self, text: str, values: Mapping[str, Any]) -> str:
        if "{" not in text:
            return text
        from reportgen.wording.filling import template_of

        return template_of(self.environment, text).render(values)

    @cached_property
    def environment(self) -> jinja2.Environment:
        """The Jinja environment of words and of plain text, such as the terminal's."""
        from reportgen.wording.filling import environment_of

        return environment_of(self)

    def phrases(self, name: str) -> Any:
        """Return the macros of ``words/<name>.j2`` as plain text; the name of ``words/phrases.j2`` is "say"."""
        return self.environment.globals[name]

    def write(self, template: str, **context: Any) -> str:
        """Fill a template of plain text (the terminal, Markdown for CI)."""
        return self.environment.get_template(template).render(**context)


def _pattern_of_part(found: re.Match[str]) -> str:
    """Return the pattern of a variable part of a message; one name in quotation marks is not a list of names."""
    return f"'(?P<{found[2]}>(?:(?!', '|' and).)+?)" if found[1] else f"(?P<{found[2]}>.+?)"


def _families(key: str) -> tuple[str, ...]:
    steps = key.split(".")
    return tuple(".".join(steps[:count]) for count in range(len(steps), 0, -1))


def _merged(templates: Path | None, language: str) -> dict[str, dict[str, Any]]:
    shipped = _shipped(language)
    return _over({part: dict(held) for part, held in shipped.items()}, templates, ENGLISH) if templates else shipped


@cache
def _shipped(language: str) -> dict[str, dict[str, Any]]:
    return _over({part: {} for part in PARTS}, TEMPLATES, language)


def _over(held: dict[str, dict[str, Any]], templates: Path, language: str) -> dict[str, dict[str, Any]]:
    for file in sorted((templates / "words").glob("*.toml")):
        for part, entries in _translated((), _parsed(file, tomllib.loads), language).items():
            if part not in held or not isinstance(entries, dict):
                raise TemplateError(f"{file}: [{part}]: expected one of {', '.join(PARTS)}.")
            for key, entry in entries.items():
                before = held[part].get(key)
                held[part][key] = before | entry if isinstance(before, dict) and isinstance(entry, dict) else entry
    return held


def _parsed(file: Path, parse: Callable[[str], Any]) -> Any:
    try:
        return parse(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TemplateError(f"{file}: cannot be read as {file.suffix[1:].upper()} ({error}).") from error


def _translated(keys: tuple[str, ...], words: Any, language: str) -> Any:
    if isinstance(words, dict):
        return {key: _translated((*keys, key), each, language) for key, each in words.items()}
    if isinstance(words, list):
        return [_translated((*keys, str(at)), each, language) for at, each in enumerate(words)]
    return use_of(language)(translations(language.removesuffix(JUDGE)).get((".".join(keys), words), words))
