"""The commands about verdicts: check a stored report, and list, show or describe policies."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import JUnit, Markdown, Memory, Quiet, allow_memory

if TYPE_CHECKING:
    from reportgen.results import Verdict


@with_settings("policy", policy="Policy to check against: a built-in name or a file. Default: that of the report.")
def check(
    results: Annotated[
        list[Path], typer.Argument(metavar="RESULTS...", help="One or more report folders or results.json files.")
    ],
    given: dict[str, Any],
    strict: Annotated[bool, typer.Option("--strict", help="Exit with code 1 unless every requirement is met.")] = False,
    junit: JUnit = None,
    markdown: Markdown = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Check saved reports against a policy; exit with code 1 if a requirement is not met."""
    allow_memory(memory)
    from reportgen.cli.messages import say_gate, say_stored, say_verdict
    from reportgen.gates import Gate

    gate = Gate(closed=True, strict=strict, junit=junit, markdown=markdown)
    gate.check()
    judged = {path: _judged(path, given.get("policy")) for path in results}
    verdicts = {str(path) if len(judged) > 1 else "": verdict for path, (verdict, _) in judged.items()}
    if not quiet:
        for name, (verdict, stored) in zip(verdicts, judged.values(), strict=True):
            say_verdict(verdict, name)
            say_stored(stored)
        say_gate(gate.remark(verdicts))
    leave(gate.report(verdicts))


def _judged(path: Path, policy: str | Path | None) -> tuple[Verdict, str]:
    """Return what a policy says about a stored report, and a remark when the report says otherwise of itself."""
    from reportgen import reports
    from reportgen.errors import InputError
    from reportgen.verdicts import stored_otherwise

    report = reports.load(path)
    try:
        verdict = reports.check(report, policy)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return verdict, stored_otherwise(report.evaluation, verdict) if policy is None else ""


def leave(code: int) -> None:
    """Leave with an exit code, when it says anything."""
    if code:
        raise typer.Exit(code)


def list_policies() -> None:
    """List the built-in policies."""
    from reportgen.policies import load_policy, shipped_policies

    names = shipped_policies()
    width = max(map(len, names))
    for name in names:
        typer.echo(f"{name:<{width}}  {load_policy(name).description}")


def show_policy(
    name: Annotated[str, typer.Argument(help="A shipped policy, as in default.")],
) -> None:
    """Print a built-in policy file, to copy and edit."""
    from reportgen.policies import shipped_text

    typer.echo(shipped_text(name), nl=False)


def policy_schema() -> None:
    """Print the JSON Schema of policy files."""
    import json

    from reportgen.policies import Policy

    typer.echo(json.dumps(Policy.json_schema(), indent=2))
