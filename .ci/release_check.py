"""Builds a release into dist and looks at it as its users will: ``make release-check``.

One line says what each check found; the first that fails ends the run with 1. Nothing is uploaded.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VERSION = str(PROJECT["project"]["version"])
STEM = str(PROJECT["project"]["name"]).replace("-", "_")
"""How the names of built files begin."""

SHIPPED = ("reportgen", "report_sections", "templates")
EXAMPLE = ROOT / "example_reports" / "asap2" / "scores.csv"
VERSIONED = ("pyproject.toml", "CHANGELOG.md", "CITATION.cff")
"""Files that may tell the version; what tests and example reports hold is data."""

MOST_MEGABYTES = 600
"""What the environment of a user may weigh, installed as the README says, when it has made a report."""


class WrongError(Exception):
    """A release should not be so."""


def run(*command: str | Path, cwd: Path = ROOT, **variables: str) -> str:
    """Run a command and return what it said; fail as it fails."""
    environment = {
        name: text for name, text in os.environ.items() if name not in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    }
    line = [str(word) for word in command]
    done = subprocess.run(line, cwd=cwd, env={**environment, **variables}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WrongError(f"{' '.join(line)}\n{done.stdout}{done.stderr}")
    return done.stdout


def tracked(*folders: str) -> list[str]:
    """Return the files that git holds."""
    return run("git", "ls-files", *folders).splitlines()


def version(_: Path) -> str:
    """The version stands in pyproject.toml, and the changelog has a heading for it."""
    others = [
        name
        for name in run("git", "grep", "--name-only", "--fixed-strings", VERSION).splitlines()
        if name not in VERSIONED and not name.startswith(("tests/", "example_reports/"))
    ]
    if others:
        raise WrongError(f"{VERSION} stands in {', '.join(others)} too")
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if VERSION not in headings:
        raise WrongError(f"CHANGELOG.md has no heading {VERSION}")
    citation = ROOT / "CITATION.cff"
    told = (
        re.search(r"^version: *[\"']?([\w.]+)", citation.read_text(encoding="utf-8"), re.MULTILINE)
        if citation.exists()
        else None
    )
    if told and told[1] != VERSION:
        raise WrongError(f"CITATION.cff says {told[1]}, pyproject.toml {VERSION}")
    return VERSION if headings[0] == VERSION else f"{VERSION}; but {headings[0]} stands above it in CHANGELOG.md"


def build(source: Path, out: Path) -> dict[str, str]:
    """Build the sdist and the wheel; return the SHA-256 of each."""
    moment = run("git", "log", "-1", "--format=%ct").strip()
    run(
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--sdist",
        "--wheel",
        "--outdir",
        out,
        source,
        SOURCE_DATE_EPOCH=moment,
    )
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(out.iterdir())}


def reproducible(folder: Path) -> str:
    """Built again from a copy elsewhere, of another time and with other rights, every byte is the same."""
    shutil.rmtree(DIST, ignore_errors=True)
    first = build(ROOT, DIST)
    for name in tracked():
        if (ROOT / name).is_file():
            (folder / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / "copy" / name)
            (folder / "copy" / name).chmod(0o600)
    if build(folder / "copy", folder / "again") != first:
        raise WrongError("two builds differ")
    return ", ".join(f"{name} {digest[:12]}" for name, digest in first.items())


def contents(_: Path) -> str:
    """The wheel and the sdist hold what git holds, byte for byte, and nothing else."""
    expected = {
        name.replace("templates/", "reportgen/templates/", 1) if name.startswith("templates/") else name: name
        for name in tracked(*SHIPPED)
    }
    information = f"{STEM}-{VERSION}.dist-info"
    about = {
        f"{information}/{name}"
        for name in ("METADATA", "WHEEL", "entry_points.txt", "RECORD", "licenses/LICENSE", "licenses/NOTICE")
    }
    with zipfile.ZipFile(next(DIST.glob("*.whl"))) as wheel:
        _same(set(wheel.namelist()), {*expected, *about}, "the wheel")
        changed = [name for name, source in expected.items() if wheel.read(name) != (ROOT / source).read_bytes()]
    if changed:
        raise WrongError(f"the wheel has another {changed[0]}")
    named = [name.removeprefix("/") for name in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]]
    with tarfile.open(next(DIST.glob("*.tar.gz"))) as sdist:
        held = {member.name.partition("/")[2] for member in sdist.getmembers() if member.isfile()}
    _same(held, {*tracked(*named), "pyproject.toml", "PKG-INFO", ".gitignore"}, "the sdist")
    return f"{len(expected)} files, LICENSE and NOTICE"


def _same(held: set[str], expected: set[str], what: str) -> None:
    for names, word in ((expected - held, "lacks"), (held - expected, "should not hold")):
        if names:
            raise WrongError(f"{what} {word} {', '.join(sorted(names)[:5])}")


def metadata(_: Path) -> str:
    """An index can show the description."""
    run(sys.executable, "-m", "twine", "check", "--strict", *DIST.glob(f"{STEM}-*"))
    return "the description can be shown"


def installed(folder: Path) -> str:
    """The wheel alone, in an environment of its own, makes a report outside the checkout."""
    python = folder / "environment" / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", python.parents[1])
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile", next(DIST.glob("*.whl")))
    outside = folder / "outside"
    outside.mkdir()
    shutil.copy(EXAMPLE, outside)
    command = python.with_name("reportgen")
    if run(command, "--version", cwd=outside).split() != ["reportgen", VERSION]:
        raise WrongError("the installed command tells another version")
    run(command, "evaluate", EXAMPLE.name, cwd=outside)
    written = sorted(path.name for path in (outside / "scores_report").iterdir())
    return ", ".join(written)


def weight(folder: Path) -> str:
    """What a user has on the disk after a report is within the limit; and what it is with every module compiled."""
    environment = folder / "environment"
    used = _megabytes(environment)
    if used > MOST_MEGABYTES:
        raise WrongError(f"the environment weighs {used} MB after a report; {MOST_MEGABYTES} at most")
    run(environment / "bin" / "python", "-m", "compileall", "-q", "-j", "0", environment / "lib")
    return (
        f"{used} MB after a report, {MOST_MEGABYTES} at most; {_megabytes(environment)} MB with every module compiled"
    )


def _megabytes(folder: Path) -> int:
    return int(run("du", "-sm", folder).split()[0])


def bill_of_materials(folder: Path) -> str:
    """What is installed with reportgen is told in CycloneDX, with licences."""
    file = DIST / f"{STEM}-{VERSION}.cdx.json"
    python = folder / "environment" / "bin" / "python"
    run(
        sys.executable, "-m", "cyclonedx_py", "environment", python, "--pyproject", ROOT / "pyproject.toml",
        "--output-reproducible", "--output-format", "JSON", "--output-file", file,
    )  # fmt: skip
    components = json.loads(file.read_text(encoding="utf-8"))["components"]
    named = {each["name"].lower().replace("_", "-") for each in components} | {PROJECT["project"]["name"]}
    wanted = {re.split(r"[\[>=<]", each)[0].lower() for each in PROJECT["project"]["dependencies"]}
    if not wanted <= named:
        raise WrongError(f"{file.name} lacks {', '.join(sorted(wanted - named))}")
    unknown = [each["name"] for each in components if not each.get("licenses")]
    return f"{file.name}: {len(components)} components" + (
        f"; no licence told by {', '.join(unknown)}" if unknown else ""
    )


CHECKS: dict[str, Callable[[Path], str]] = {
    "version": version,
    "same bytes": reproducible,
    "contents": contents,
    "metadata": metadata,
    "installed": installed,
    "materials": bill_of_materials,
    "weight": weight,
}
"""What is checked, in this order; each check is given one folder for what it makes."""


def main() -> None:
    """Take every check in turn, and say what it found."""
    with tempfile.TemporaryDirectory() as folder:
        for name, check in CHECKS.items():
            print(f"{name:<12}{check(Path(folder))}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except WrongError as wrong:
        sys.exit(f"not so: {wrong}")
