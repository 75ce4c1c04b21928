"""Commands that messages suggest do what they say when they are pasted into a shell, whatever columns are called."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from reportgen.errors import InputError, QuestionError, write_command
from reportgen.scores import read

HOSTILE = (
    "h1';touch X;'", "rater's score", "two\nlines", "-rf", "--human", "$(touch X)", "`touch X`", '"; touch X; "',
    "a\\b", "100%\td", "tab\t'q'", "a!b", "~", "*", "é\u202eb", "# no", "",
)  # fmt: skip

SHELLS = [name for name in ("sh", "bash", "dash", "zsh") if shutil.which(name)]


def pasted(command: str, folder: Path, shell: str = "sh") -> list[str]:
    """Return the words that `reportgen` gets when a command is pasted into a shell."""
    stub = folder / "bin" / "reportgen"
    stub.parent.mkdir(exist_ok=True)
    stub.write_text(f"#!{sys.executable}\nimport json, sys\njson.dump(sys.argv[1:], open('argv.json', 'w'))\n")
    stub.chmod(0o755)
    path = f"{stub.parent}{os.pathsep}{os.environ['PATH']}"
    (folder / "argv.json").unlink(missing_ok=True)
    done = subprocess.run(
        [shell], input=f"{command}\n", cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert not (folder / "X").exists(), command
    assert (folder / "argv.json").exists(), (command, done.stderr)
    words: list[str] = json.loads((folder / "argv.json").read_text())
    return words


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_passes_every_word_as_it_is(shell: str, tmp_path: Path) -> None:
    command = write_command("reportgen", *HOSTILE)
    assert command.isprintable()
    assert pasted(command, tmp_path, shell) == list(HOSTILE)


SHAPES = {"--human": ("engine", "h1{}", "h2{}"), "--system": ("human1", "human2", "x{}")}


@pytest.mark.parametrize("option", SHAPES)
@pytest.mark.parametrize("evil", ["';touch X;'", "'s score", "$(touch X)", " `touch X` -rf", "\n;touch X\n#"])
def test_columns_that_are_asked_about_are_typed_so_that_a_shell_passes_them(
    option: str, evil: str, tmp_path: Path
) -> None:
    names = [name.format(evil) for name in SHAPES[option]]
    scores: dict[str, list[object]] = {
        name: [1 + (row + row % (place + 2) % 2) % 4 for row in range(60)] for place, name in enumerate(names)
    }
    with pytest.raises(QuestionError) as asked:
        read(pa.table(scores))
    hostile = [name for name in names if name.endswith(evil)]
    assert {word for _, options in asked.value.choices for word in options} >= {option, *hostile}
    for _, options in asked.value.choices:
        assert pasted(write_command("reportgen", *options), tmp_path) == list(options)


@pytest.mark.parametrize("evil", ["$(touch X)", "`touch X`", "a';touch X;'", 'b";touch X;"'])
def test_labels_whose_order_is_not_known_are_in_no_command(evil: str, tmp_path: Path) -> None:
    words = ["low", "middle", evil]
    scores: dict[str, list[object]] = {
        "human": [words[k % 3] for k in range(30)], "engine": [words[(k + k % 7 // 6) % 3] for k in range(30)],
    }  # fmt: skip
    with pytest.raises(InputError) as told:
        read(pa.table(scores))
    assert "as in --labels LOWEST,...,HIGHEST, or" in str(told.value)
    assert pasted("reportgen --labels LOWEST,...,HIGHEST", tmp_path) == ["--labels", "LOWEST,...,HIGHEST"]
