"""The commands about verdicts: check a stored report, and list, show or describe policies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from reportgen.cli.commands import with_settings
from reportgen.cli.options import JUnit, Markdown, Memory, Quiet, StrictGate, allow_memory


@with_settings("policy", policy="The policy that judges: a shipped name, or a file; that of the report when left out.")
def check(
    results: Annotated[Path, typer.Argument(metavar="RESULTS", help="A results.json, or the folder of a report.")],
    given: dict[str, Any],
    strict: StrictGate = False,
    junit: JUnit = None,
    markdown: Markdown = None,
    memory: Memory = None,
    quiet: Quiet = False,
) -> None:
    """Hold a stored report against a policy, without its scores; leave with 1 when a criterion is not met."""
    allow_memory(memory)
    from reportgen import reports
    from reportgen.cli.messages import say_gate, say_stored, say_verdict
    from reportgen.errors import InputError
    from reportgen.gates import Gate
    from reportgen.verdicts import stored_otherwise

    policy = given.get("policy")
    gate = Gate(closed=True, strict=strict, junit=junit, markdown=markdown)
    gate.check()
    report = reports.load(results)
    try:
        verdict = reports.check(report, policy)
    except InputError as error:
        raise InputError(f"{results}: {error}") from None
    if not quiet:
        say_verdict(verdict)
        say_stored(stored_otherwise(report.evaluation, verdict) if policy is None else "")
        say_gate(gate.remark({"": verdict}))
    leave(gate.report({"": verdict}))


def leave(code: int) -> None:
    """Leave with an exit code, when it says anything."""
    if code:
        raise typer.Exit(code)


def list_policies() -> None:
    """List the shipped policies."""
    from reportgen.policies import load_policy, shipped_policies

    names = shipped_policies()
    width = max(map(len, names))
    for name in names:
        typer.echo(f"{name:<{width}}  {load_policy(name).description}")


def show_policy(
    name: Annotated[str, typer.Argument(help="A shipped policy, as in default.")],
) -> None:
    """Print the file of a shipped policy, to copy and change."""
    from reportgen.policies import shipped_text

    typer.echo(shipped_text(name), nl=False)


def policy_schema() -> None:
    """Print the JSON Schema of a policy file."""
    import json

    from reportgen.policies import Policy

    typer.echo(json.dumps(Policy.json_schema(), indent=2))
