"""Set up Jinja: where templates are found, what they can use, and their error messages.

Search order: the user's folder, a section's own folder, the built-in ``templates``. Every built-in file can also be
extended under ``shipped/``, so that an override replaces a single block.
"""

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from reportgen.errors import TemplateError, did_you_mean
from reportgen.plugins import entry_points
from reportgen.rendering.filters import FILTERS, anchor, markdown
from reportgen.rendering.look import Look
from reportgen.results import Estimate, Report, Term
from reportgen.sections import ENTRY_POINT_GROUPS
from reportgen.wording import filling
from reportgen.wording.vocabulary import TEMPLATES as TEMPLATES
from reportgen.wording.vocabulary import Vocabulary, language_of

TEMPLATE = "section.md.j2"

OURS = ("html/shown.html.j2", "papers/paper_table.html.j2")  # templates of notebook output, which cannot be replaced


def _installed() -> Iterator[EntryPoint]:
    for group in ENTRY_POINT_GROUPS.values():
        yield from entry_points(group)


def names() -> tuple[str, ...]:
    """Return the names of all installed sections."""
    return tuple(sorted({entry.name for entry in _installed()}))


def template_of(name: str) -> Path | None:
    """Return the template of an installed section, or None."""
    for entry in _installed():
        with suppress(ImportError):  # if the section's package is missing, the shared template is used
            if entry.name == name and (spec := find_spec(entry.module)) is not None and spec.origin:
                return _file_next_to(Path(spec.origin), name)
    return None


def _file_next_to(module: Path, name: str) -> Path | None:
    own = module if module.is_dir() else module.with_suffix("")
    places = (folder / TEMPLATE for folder in (module.parent / name, own, module.parent))
    return next((place for place in places if place.is_file()), None)


def _built_in() -> dict[str, Path]:
    every = {path.relative_to(TEMPLATES).as_posix(): path for path in sorted(TEMPLATES.rglob("*")) if path.is_file()}
    return {place: path for place, path in every.items() if not place.startswith("languages/") and place not in OURS}


def shipped(name: str) -> tuple[Path, Path]:
    """Return a built-in template, and the path in a user's folder that replaces it.

    `name`: A section ("summary"), or a template by its path ("html/print.css") or a part of its path that only one
    template has ("print.css"). Returns: The file, and its path relative to the user's folder. Raises TemplateError if
    there is none; the message suggests the nearest name.

    >>> shipped("print.css")[1].as_posix()
    'html/print.css'
    """
    if name in names():
        place = Path("sections", name, "section.md.j2")
        return (template_of(name) or TEMPLATES / "notebook" / "section.md.j2"), place
    files = _built_in()
    endings = (name, f"{name}.j2", f"{name}.html.j2", f"{name}.md.j2")
    found = [place for place in files if place == name or Path(place).name in endings]
    if len(found) != 1:
        near = did_you_mean(name, [*names(), *files])
        raise TemplateError(f"template {name!r}: expected the name of a section or of a built-in template{near}")
    return files[found[0]], Path(found[0])


def _refuse_unused(folder: Path, sections: Iterable[str]) -> None:
    """Reject a file of a user's folder that is not UTF-8, or that has no built-in path and is not named in another."""
    texts, known = dict[str, str](), {*_built_in(), *map(section_template, [*names(), *sections])}
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder).as_posix()
        among_templates = path.suffix == ".j2" or any(each.startswith(f"{Path(place).parent}/") for each in known)
        if path.is_file() and path.suffix != ".toml" and (among_templates or f"{place}.j2" in known):  # words: any name
            with explained(str(path)):
                texts[place] = path.read_text(encoding="utf-8")
    for place in texts.keys() - known:
        if not any(place in text for other, text in texts.items() if other != place):
            raise TemplateError(f"{folder / place}: no report uses this path{did_you_mean(place, known)}")


SHARED_SECTION = '{% extends "notebook/section.md.j2" %}\n'  # the template of a section without one

MOST_STEPS = 1_000_000  # most steps of all ranges in a report's templates; tables have a few thousand cells

NOTEBOOK_SECTION = '{% extends "notebook/outputs.md.j2" %}\n'  # the template of a section that is a custom notebook


COMPILED, COMPILED_MARKDOWN = filling.Compiled(), filling.Compiled()
"""filling.Compiled templates of fragments, and of notebooks, for all reports of this process."""


class Templates:
    """A report with its worded title, its look, and its templates, including custom ones and those of sections."""

    def __init__(self, report: Report, look: Look) -> None:
        look.check()
        if look.templates is not None:
            _refuse_unused(look.templates, [section.name for section in report.sections])
        self.look = look
        self.vocabulary = Vocabulary(look.templates, report.labels, language_of(report))
        self.report = replace(report, title=title_of(report, self.vocabulary))
        self.loader = _loader(report, look)
        self.markdown = self.environment(COMPILED_MARKDOWN, self._markdown)
        self.pages = self.environment(COMPILED)

    def environment(self, compiled: filling.Compiled, *finalize: Callable[[Any], Any]) -> jinja2.Environment:
        """Return a Jinja environment that escapes text and treats a misspelled name as an error.

        It does not set ``trim_blocks``, which can join a code fence to the sentence before it and turn it into text.
        """
        environment = filling.page_environment(self.loader, keep_trailing_newline=True)
        prepare(environment, self.vocabulary)
        compiled.share(environment, *finalize)
        return environment

    def _markdown(self, value: Any) -> Any:
        return markdown(self.vocabulary.say(value) if isinstance(value, (Term, Estimate)) else value)

    def write(self, name: str, **context: Any) -> str:
        """Fill the notebook template `name`."""
        with explained(name):
            return self.markdown.get_template(name).render(**context)

    def page(self, name: str, **context: Any) -> str:
        """Fill the page template `name` (a fragment such as a table)."""
        with explained(name):
            return self.pages.get_template(name).render(**context)

    def file_of(self, name: str) -> str:
        """Return the file of a template, for error messages."""
        return self.markdown.get_template(name).filename or name


def prepare(environment: jinja2.Environment, vocabulary: Vocabulary) -> None:
    """Give an environment the filters and words that every template can use, and a limited range."""

    def term(key: str, form: str = "short") -> Markup:
        entry = vocabulary.entry(key)
        words = entry.short if form == "short" and entry.short else entry.name
        return Markup('<span class="term" data-term="{}">{}</span>').format(key, words)

    environment.filters.update(filling.FILTERS | filling.filters_of(vocabulary) | FILTERS)
    environment.globals.update(filling.globals_of(vocabulary))
    environment.globals.update(anchor=anchor, range=Steps(), term=term)
    filling.add_phrases(environment)


def title_of(report: Report, vocabulary: Vocabulary) -> str:
    """Return the title of a report in its language."""
    given = report.evaluation.settings.get("report")
    own = given.get("title") if isinstance(given, Mapping) else None
    return vocabulary.report_title(report.title, report.evaluation.source.name, own)


class Steps:
    """A `range` with a limit for all loops of the templates together, so that no loop can run forever.

    >>> steps = Steps(most=5)
    >>> list(steps(3))
    [0, 1, 2]
    >>> steps(3)
    Traceback (most recent call last):
        ...
    OverflowError: its loops use more than 5 steps of range()
    """

    def __init__(self, most: int = MOST_STEPS) -> None:
        self._most, self._left = most, most

    def __call__(self, *bounds: int) -> range:
        """Return a range of whole numbers."""
        steps = range(*bounds)
        if len(steps[: self._left + 1]) > self._left:
            raise OverflowError(f"its loops use more than {self._most:,} steps of range()")
        self._left -= len(steps)
        return steps


def section_template(name: str) -> str:
    """Return the template name of a section."""
    return f"sections/{name}/section.md.j2"


def _loader(report: Report, look: Look) -> jinja2.BaseLoader:
    sections: dict[str, jinja2.BaseLoader] = {}
    for section in report.sections:
        if not section.name or ".." in section.name or set(section.name) & set("/\\\0"):
            why = f"results.json: invalid section name {section.name[:80]!r}; use a name without slashes and '..', "
            raise TemplateError(f"{why}because it is also the name of the section's template.")
        # the stored origin of a section is not followed: only files in the look and installed ones count
        name, own = section.name, look.sections.get(section.name)
        template = _file_next_to(own, name) if own else template_of(name)
        is_notebook = section.provider.endswith(".ipynb")
        shared = jinja2.DictLoader({TEMPLATE: NOTEBOOK_SECTION if is_notebook else SHARED_SECTION})
        sections[name] = jinja2.FileSystemLoader(template.parent) if template else shared
    of_sections = jinja2.PrefixLoader({"sections": jinja2.PrefixLoader(sections)})
    ours = filling.translated(
        jinja2.ChoiceLoader([of_sections, jinja2.FileSystemLoader(TEMPLATES)]), language_of(report)
    )
    first = [jinja2.FileSystemLoader(look.templates)] if look.templates else []
    return jinja2.ChoiceLoader([*first, jinja2.PrefixLoader({"shipped": ours}), ours])


@contextmanager
def explained(name: str) -> Iterator[None]:
    """Convert any template error to a message with its file and line."""
    try:
        yield
    except (TemplateError, MemoryError):
        raise
    except jinja2.TemplateNotFound as error:
        why = f"{_place(error, name)}: template {error.name!r} is not in the templates folder and is not built in; "
        raise TemplateError(f"{why}to list the built-in templates, run: reportgen eject") from error
    except jinja2.TemplateSyntaxError as error:
        raise TemplateError(
            f"{error.filename or error.name or name}, line {error.lineno}: {(error.message or '').rstrip('.')}."
        ) from error
    except UnicodeDecodeError as error:
        raise TemplateError(f"{name}: not UTF-8 text; save it as UTF-8.") from error
    except RecursionError as error:
        raise TemplateError(
            f"{_place(error, name)}: the template extends or includes itself; extend it as 'shipped/{name}' instead."
        ) from error
    except Exception as error:  # a template runs its author's expressions: anything can fail in it
        what = str(error) or type(error).__name__
        raise TemplateError(f"{_place(error, name)}: {what}; fix this line of the template.") from error


def _place(error: BaseException, name: str) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if frame.filename.endswith((".j2", ".css", ".js", "<template>"))]
    return f"{inside[-1].filename}, line {inside[-1].lineno}" if inside else f"template {name}"
