"""Runs the shell steps of a composite GitHub action as a runner does: inputs as variables, outputs in files."""

import os
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_CONTEXT = re.compile(r"\b(?:inputs|steps|github)\.[\w.-]+")


@dataclass
class Runner:
    """What a runner knows: the inputs, the event, and what steps have said."""

    action: Path
    folder: Path
    inputs: dict[str, str]
    event: dict[str, str] = field(default_factory=dict)
    path: str = os.environ["PATH"]
    outputs: dict[str, str] = field(default_factory=dict)
    log: str = ""

    def __post_init__(self) -> None:
        """Take the defaults of inputs that are not given; refuse those that the action lacks."""
        described: dict[str, Any] = yaml.safe_load((self.action / "action.yml").read_text(encoding="utf-8"))
        self.steps = described["runs"]["steps"]
        assert set(self.inputs) <= set(described["inputs"])
        defaults = {name: each.get("default", "") for name, each in described["inputs"].items()}
        self.inputs = {**defaults, **self.inputs}
        self.temporary.mkdir()
        (self.folder / "work").mkdir(exist_ok=True)

    @property
    def temporary(self) -> Path:
        """The runner's folder for temporary files."""
        return self.folder / "temp"

    def wants(self, step: dict[str, Any]) -> bool:
        """Return whether the condition of a step holds."""
        condition = self.value(step["if"].strip().removeprefix("${{").removesuffix("}}")) if "if" in step else True
        return bool(condition)

    def value(self, expression: str) -> Any:
        """Return the value of an expression: comparisons of what contexts hold."""
        words = _CONTEXT.sub(lambda found: repr(self._of(found[0])), expression.replace("cancelled()", "False"))
        words = words.replace("&&", " and ").replace("||", " or ")
        return eval(re.sub(r"!(?!=)", " not ", words).strip(), {"__builtins__": {}})

    def _of(self, name: str) -> str:
        context, _, rest = name.partition(".")
        if context == "inputs":
            return self.filled(self.inputs[rest])
        return {**self.event, "github.token": "secret"}.get(name, "") if context == "github" else self.outputs.get(
            rest.replace(".outputs.", "."), ""
        )  # fmt: skip

    def filled(self, text: str) -> str:
        """Return a text with its expressions filled."""
        return _EXPRESSION.sub(lambda found: str(self.value(found[1])), str(text))

    def run(self) -> int:
        """Run all steps, third-party ones only in name; return the code of the first that fails."""
        failed = 0
        for step in self.steps:
            if (failed and "if" not in step) or not self.wants(step):
                continue
            code = self._run(step) if "run" in step else self._used(step)
            failed = failed or code
        return failed

    def _used(self, step: dict[str, Any]) -> int:
        given = {name: self.filled(text) for name, text in step["with"].items()}
        self.log += f"uses {step['uses']} {given}\n"
        return 0

    def _run(self, step: dict[str, Any]) -> int:
        script, out = self.temporary / "step.sh", self.temporary / "outputs"
        script.write_text(step["run"], encoding="utf-8")
        out.write_text("", encoding="utf-8")
        variables = {name: self.filled(text) for name, text in step.get("env", {}).items()}
        environment = {
            "PATH": self.path, "HOME": str(self.folder), "RUNNER_TEMP": str(self.temporary), "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self.action), "GITHUB_OUTPUT": str(out), "GITHUB_REPOSITORY": "board/engine",
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary.md"), "GITHUB_RUN_ID": "5",
            "GITHUB_SERVER_URL": "https://github.example", "LANG": "C.UTF-8", **variables,
        }  # fmt: skip
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        done = subprocess.run(
            command, cwd=self.folder / "work", env=environment, capture_output=True, text=True, check=False
        )
        self.log += done.stdout + done.stderr
        texts = (line.partition("=") for line in out.read_text(encoding="utf-8").splitlines())
        self.outputs |= {f"{step['id']}.{name}": text for name, _, text in texts} if "id" in step else {}
        return done.returncode
