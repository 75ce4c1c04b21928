"""Takes the steps of a Dockerfile in a bare Debian root, where there is no docker: as root, with debootstrap."""

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

PIP_SETTINGS = (Path("/etc/pip.conf"), Path.home() / ".config" / "pip" / "pip.conf")


def instructions(dockerfile: Path) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile, each with its text on one line."""
    lines = [line for line in dockerfile.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    text = "\n".join(lines).replace("\\\n", " ")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line.strip())]


@dataclass
class Image:
    """A root that the steps change, and what they say of it."""

    root: Path
    source: Path
    variables: dict[str, str] = field(default_factory=lambda: {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    user: str = "root"
    folder: str = "/"
    entry: list[str] = field(default_factory=list)

    def build(self, dockerfile: Path) -> None:
        """Take every step."""
        for word, text in instructions(dockerfile):
            getattr(self, f"_{word.lower()}")(text)

    def start(self, *arguments: str, network: bool = False) -> subprocess.CompletedProcess[str]:
        """Run what the image begins with, as its user and in its folder, without a network."""
        line = f"cd {shlex.quote(self.folder)} && exec {shlex.join([*self.entry, *arguments])}"
        return self._inside(line, self.variables, network=network)

    def _from(self, name: str) -> None:
        suite = re.fullmatch(r"debian:(\w+)-slim", name)
        assert suite is not None, f"no root is made of {name}"
        subprocess.run(["debootstrap", "--variant=minbase", suite[1], str(self.root)], check=True, capture_output=True)
        shutil.copy("/etc/resolv.conf", self.root / "etc" / "resolv.conf")
        for settings in filter(Path.exists, PIP_SETTINGS):
            place = self.root / str(settings).removeprefix("/").replace(str(Path.home()).removeprefix("/"), "root")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(settings, place)

    def _run(self, line: str) -> None:
        lent = {
            name: text
            for name, text in os.environ.items()
            if name.startswith("PIP_") or name.lower().endswith("_proxy")
        }
        done = self._inside(line, {**lent, **self.variables}, network=True)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"

    def _copy(self, text: str) -> None:
        *sources, place = shlex.split(text)
        for name in sources:
            source, target = self.source / name, self.root / place.removeprefix("/")
            if source.is_dir():
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                target.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)

    def _env(self, text: str) -> None:
        self.variables |= dict(word.split("=", 1) for word in shlex.split(text))

    def _user(self, name: str) -> None:
        self.user = name

    def _workdir(self, place: str) -> None:
        self.folder = place

    def _entrypoint(self, words: str) -> None:
        self.entry = [*re.findall(r'"([^"]*)"', words)]

    def _cmd(self, words: str) -> None:
        pass

    def _inside(self, line: str, variables: dict[str, str], *, network: bool) -> subprocess.CompletedProcess[str]:
        """Run a line of shell in the root, with mounts that end with it."""
        root = shlex.quote(str(self.root))
        mounts = [f"mount -t proc proc {root}/proc"]
        for place in self._lent() if "pip install" in line else ():
            inside = f"{root}{shlex.quote(str(place))}"
            mounts.append(f"mkdir -p {inside if place.is_dir() else f'$(dirname {inside}) && touch {inside}'}")
            mounts.append(f"mount --bind {shlex.quote(str(place))} {inside}")
        sentence = shlex.join([f"{name}={text}" for name, text in variables.items()])
        chroot = f"exec chroot --userspec={self.user} {root} /usr/bin/env -i {sentence} /bin/sh -c {shlex.quote(line)}"
        command = ["unshare", "--mount", *(() if network else ("--net",)), "sh", "-ec", "\n".join([*mounts, chroot])]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def _lent(self) -> set[Path]:
        """Return the files and folders of this machine that pip's settings name: certificates, folders of wheels."""
        texts = [each.read_text(encoding="utf-8") for each in PIP_SETTINGS if each.exists()]
        texts += [text for name, text in os.environ.items() if name.startswith("PIP_")]
        named = {Path(place) for place in re.findall(r"(?:(?<=file://)|(?<![\w:/]))/[\w./-]+", "\n".join(texts))}
        places = {place.parent if place.name == "simple" else place for place in named}  # the folder above an index
        return {place for place in places if place.exists()}
