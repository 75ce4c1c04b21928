"""What is said of an error, whatever it is, and the exit code that it leaves with."""

from __future__ import annotations

from importlib import metadata

from reportgen.errors import ReportgenError, install_command, of_system, requirements, with_short_names
from reportgen.machine import memory
from reportgen.settings.flags import as_options

DEFECT = 4
"""Exit code of an error that is reportgen's own."""

SURROUNDINGS = 2
"""Exit code of an error that the machine or the installation has caused, and that can be mended there."""

OWN = ("reportgen", "report_sections")


def told(error: BaseException) -> tuple[str, int]:
    """Return the sentence and the exit code of an error.

    Examples
    --------
    >>> told(OSError(27, "File too large", "report.pdf"))
    ("'report.pdf' cannot be written or read: File too large; make room, or raise the limit (ulimit -a), ...", 2)
    """
    sentence, code = _told(error)
    return with_short_names(sentence), code


def _told(error: BaseException) -> tuple[str, int]:
    """Return the sentence, with all names as long as they are, and the exit code."""
    if isinstance(error, ReportgenError):
        return as_options(str(error)), error.exit_code
    if memory.ran_out(error):
        return memory.sentence(), SURROUNDINGS
    if isinstance(error, RecursionError):
        return "what is to be read is nested too deeply; take out what stands in itself, and run again.", SURROUNDINGS
    if isinstance(error, OSError) and (found := of_system(error)) is not None:
        return str(found), SURROUNDINGS
    broken = _unusable(error) or _too_old()
    if broken:
        return broken, SURROUNDINGS
    return (
        f"this is a defect of reportgen, please report it ({type(error).__name__}: {error}); "
        "run `reportgen --debug ...` for the traceback to send along.",
        DEFECT,
    )


def _unusable(error: BaseException) -> str:
    """Return the sentence for a package that is missing or cannot be loaded; nothing for any other error."""
    if not isinstance(error, ImportError):
        return ""
    module = (error.name or "").partition(".")[0]
    if not module or module in OWN:
        again = "run `reportgen --debug ...` for the traceback, which names the package"
        return "" if module else f"a package cannot be used ({error}); {again}."
    name = next(iter(metadata.packages_distributions().get(module, ())), module)
    wanted = next((each for each in requirements() if _name_of(each) == name.lower()), name)
    return f"the package {name} cannot be used ({error}); type: {install_command('--force-reinstall', wanted)}"


def _too_old() -> str:
    """Return the sentence for an installed package of another version than is needed; nothing when there is none."""
    from packaging.requirements import Requirement

    for wanted in map(Requirement, requirements()):
        try:
            found = metadata.version(wanted.name)
        except metadata.PackageNotFoundError:
            continue
        if not wanted.specifier.contains(found, prereleases=True):
            return (
                f"the package {wanted.name} is of version {found}, and reportgen needs {wanted}; "
                f"type: {install_command(str(wanted))}"
            )
    return ""


def _name_of(requirement: str) -> str:
    """Return the name in a requirement, in lower case."""
    from packaging.requirements import Requirement

    return Requirement(requirement).name.lower()
