"""A report as a run of Weights & Biases."""

from __future__ import annotations

import re
from contextlib import nullcontext
from typing import Any

from reportgen.tracking.content import Content


def send(content: Content, project: str | None, entity: str | None) -> None:
    """Log a report into the run that is active, else into a new one of `project`."""
    import wandb

    with _run(wandb, content, project, entity) as run:
        run.config.update({"reportgen": dict(content.settings)}, allow_val_change=True)
        tables = {
            name: wandb.Table(columns=header, data=rows, allow_mixed_types=True)
            for name, (header, rows) in content.tables.items()
        }
        run.log({**content.metrics, **tables, **_pages(wandb, content)})
        artifact = wandb.Artifact(_name(f"{content.kind}-{content.sha256[:12]}"), type="report")
        for name, path in content.files.items():
            artifact.add_file(str(path), name=name)
        if content.files:
            run.log_artifact(artifact)


def _run(wandb: Any, content: Content, project: str | None, entity: str | None) -> Any:
    """Return the run that is active, which stays so, or one of our own."""
    if wandb.run is not None:
        return nullcontext(wandb.run)
    quiet = wandb.Settings(silent=True, console="off")
    tags = [content.kind, content.sha256[:12]]
    return wandb.init(
        project=project, entity=entity, name=content.title[:120], job_type="reportgen", tags=tags, settings=quiet
    )


def _pages(wandb: Any, content: Content) -> dict[str, Any]:
    """Return the HTML page, to be seen in the dashboard."""
    pages = {name: path for name, path in content.files.items() if name.endswith("report.html")}
    return {
        f"reports/{content.kind}": wandb.Html(path.read_text(encoding="utf-8"), inject=False) for path in pages.values()
    }


def _name(text: str) -> str:
    """Return a name that an artifact may have."""
    return re.sub(r"[^A-Za-z0-9_.-]", "-", text)[:128]
