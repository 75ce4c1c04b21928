"""A report as a run of MLflow; the tracking server is MLflow's own setting (MLFLOW_TRACKING_URI)."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import PurePosixPath
from typing import Any

from reportgen.tracking.content import Content

LONGEST_VALUE, LONGEST_NAME = 500, 250
"""Characters that MLflow keeps of a parameter's value and of a name."""

BATCH = 100
"""Parameters that MLflow takes at a time."""


def send(content: Content, project: str | None, entity: str | None) -> None:  # noqa: ARG001 - MLflow knows no entity
    """Log a report into the run that is active, else into a new one of the experiment `project`."""
    import mlflow

    with _run(mlflow, content, project):
        mlflow.set_tags({"reportgen.kind": content.kind, "reportgen.data_sha256": content.sha256})
        settings = {_name(key): str(value)[:LONGEST_VALUE] for key, value in content.settings.items()}
        for start in range(0, len(settings), BATCH):
            mlflow.log_params(dict(list(settings.items())[start : start + BATCH]))
        mlflow.log_metrics({_name(key): value for key, value in content.metrics.items()})
        for name, path in content.files.items():
            folder = PurePosixPath("report", name).parent
            mlflow.log_artifact(str(path), artifact_path=str(folder))


def _run(mlflow: Any, content: Content, project: str | None) -> Any:
    """Return the run that is active, which stays so, or one of our own."""
    active = mlflow.active_run()
    if active is not None:
        return nullcontext(active)
    if project:
        mlflow.set_experiment(project)
    return mlflow.start_run(run_name=content.title[:LONGEST_NAME])


def _name(key: str) -> str:
    """Return a name that MLflow takes.

    Examples
    --------
    >>> _name("rsmeval/eval.PRMSE true.raw_trim"), _name("by_group.<L1>")
    ('rsmeval/eval.PRMSE true.raw_trim', 'by_group.-L1-')
    """
    return re.sub(r"[^\w\-. /]", "-", key, flags=re.ASCII)[:LONGEST_NAME]
