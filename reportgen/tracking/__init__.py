"""Experiment trackers: a finished report, told to Weights & Biases or MLflow when the settings ask for it.

Nothing here is imported, and nothing leaves the machine, unless ``[log] to`` names a tracker.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from reportgen.errors import SettingsError, install_command
from reportgen.plugins.isolation import told
from reportgen.results import Report
from reportgen.settings import Settings

__all__ = ["check", "installed", "log"]


def installed(tracker: str) -> bool:
    """Return whether the package of a tracker is there; it is not imported."""
    return find_spec(tracker) is not None


def check(trackers: Iterable[str]) -> None:
    """Refuse a tracker whose package is missing, before anything is computed.

    Raises
    ------
    SettingsError
        With what to type.
    """
    for tracker in trackers:
        if not installed(tracker):
            raise SettingsError(f"log.to: {tracker} needs one more package; type: {install_command(extra=tracker)}")


def log(report: Report, folder: Path | None, settings: Settings, prefix: str = "") -> tuple[str, ...]:
    """Tell every tracker of the settings about a report; return a sentence for each that failed.

    Parameters
    ----------
    folder
        Where its files are; None when nothing was written.
    prefix
        What the names of its pages begin with.
    """
    if not settings.log.to:
        return ()
    from reportgen.tracking.content import content_of

    content = content_of(report, folder, prefix)
    failed = []
    for tracker in settings.log.to:
        try:
            if tracker == "wandb":
                from reportgen.tracking.weights_and_biases import send
            else:
                from reportgen.tracking.mlflow_runs import send
            send(content, settings.log.project, settings.log.entity)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a tracker is anyone's server; the report is made already
            failed.append(f"{tracker} took nothing: {' '.join(told(error).split())[:300]}")
    return tuple(failed)
