"""Every refusal is one line that can be read: long lists and long names are cut, whatever the input holds."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from reportgen import errors
from reportgen.cli.app import app
from reportgen.cli.printing import MOST_OF_AN_ERROR, brief
from reportgen.scores import read

LONG = "x" * 3000
"""A name nobody can read."""

DEEP = '{"a":' * 3000 + "1" + "}" * 3000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of inputs with 500 columns, names of 3,000 letters and nested objects."""
    made = tmp_path_factory.mktemp("inputs")
    many = ["id", "human", "human2", "system", *(f"column_{i:04d}" for i in range(500))]
    scores = [(f"r{i}", f"{i % 4 + 1}", f"{i % 3 + 1}", f"{i % 4 + 1}", *["ab"[i % 2]] * 500) for i in range(12)]
    (made / "many.csv").write_text("\n".join(",".join(row) for row in [many, *scores]))
    (made / "few.csv").write_text("\n".join(",".join(row[:5]) for row in [many, *scores]))
    named = [f"{LONG}{i}" for i in range(6)]
    (made / "long.csv").write_text("\n".join(",".join(row[:6]) for row in [named, *scores]))
    (made / "deep.json").write_text(DEEP)
    (made / "schema.json").write_text(json.dumps({"schema": list(range(9000))}))
    (made / "words.json").write_text(json.dumps({LONG: LONG}))
    (made / "words.toml").write_text(f'{LONG} = "{LONG}"')
    (made / "list.toml").write_text(f"[data]\nsystem = {list(range(9000))}\n")
    (made / "values.toml").write_text(f'[report]\npage = "{LONG}"\n')
    (made / "policy.toml").write_text(f'name = "p"\n[[criteria]]\nstatistic = "{LONG}"\nlow = "{LONG}"\n')
    return made


NOT_A_COLUMN = ("--system", "--human", "--group", "--id", "--item", "--candidate", "--length", "--position")

REFUSED = (
    ("evaluate", "many.csv", "out", "--system", "zzz"),
    ("evaluate", "few.csv", "out", "--human", LONG),
    *(("evaluate", "long.csv", "out", option, "zzz") for option in NOT_A_COLUMN),
    *(("evaluate", "long.csv", "out", option, LONG) for option in NOT_A_COLUMN),
    ("evaluate", "many.csv", "out", "--layout", "long", "--rater", "zzz"),
    ("evaluate", "few.csv", "out", "--intersect", "zzz,yyy"),
    ("evaluate", "few.csv", "out", "--sections", LONG),
    ("evaluate", "few.csv", "out", "--formats", LONG),
    ("evaluate", "few.csv", "out", "--scale", LONG),
    ("evaluate", "few.csv", "out", "--confidence", LONG),
    ("evaluate", "few.csv", "out", "--policy", LONG),
    ("evaluate", "few.csv", "out", "--policy", "policy.toml"),
    ("evaluate", "few.csv", "out", "--format", LONG),
    ("evaluate", "few.csv", "out", f"--{LONG}"),
    ("evaluate", "long.csv", "out"),
    ("evaluate", "deep.json", "out"),
    ("evaluate", "words.json", "out"),
    ("evaluate", "words.toml", "out"),
    ("evaluate", "list.toml", "out"),
    ("evaluate", "values.toml", "out"),
    ("batch", "many.csv", "out", "--by", "zzz"),
    ("tables", "many.csv", "out", "--by", "zzz"),
    ("complete", "many.csv", "--rater", "zzz", "--rater", "human"),
    ("complete", "long.csv"),
    ("check", "deep.json"),
    ("check", "schema.json"),
    ("check", "words.json"),
    ("render", "deep.json", "out"),
    ("render", "schema.json", "out"),
    ("plan", "--from", "schema.json"),
    ("compare", "schema.json", "deep.json", "--out", "out"),
    ("summarize", "words.json", "deep.json", "--out", "out"),
    ("policy", "show", LONG),
    ("study", LONG),
    ("eject", LONG),
    ("new", "section", LONG.upper()),
)


@pytest.mark.slow
@pytest.mark.parametrize("arguments", REFUSED, ids=lambda each: " ".join(each)[:60])
def test_an_error_and_its_hint_have_at_most_300_characters(
    arguments: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(app, arguments)
    text = result.stderr if result.stderr.startswith("error: ") else ""
    if not text:  # main() prints the errors of typer, because it sees the exception
        text = f"error: {brief(str(getattr(result.exception, 'format_message', str)()))}\n"
    assert result.exit_code in (2, 3), result.output
    assert [line.split(" ")[0] for line in text.splitlines()] in (["error:"], ["error:", "hint:"])
    assert max(map(len, text.splitlines())) <= MOST_OF_AN_ERROR


def test_a_command_never_has_a_part_of_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = "".join(f"{row % 5 + 1},{row % 5 + 1.3 + row % 3 / 7:.2f}\n" for row in range(60))
    (tmp_path / "close.csv").write_text(f"{LONG}a,{LONG}b\n{rows}")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", words := ["reportgen", "evaluate", "close.csv", "out"])
    said = CliRunner().invoke(app, words[1:]).stderr
    assert "--human NAME --system NAME\n" in said
    assert max(map(len, said.splitlines())) < 400


def test_known_names_are_cut_at_eight() -> None:
    names = [f"column_{i:04d}" for i in range(5000)]
    assert errors.did_you_mean("zzz", names) == f"; choose from {str(names[:8])[1:-1]}, and 4,992 more."
    assert errors.did_you_mean("zzz", ["a", "b"]) == "; choose from 'a' and 'b'."


def test_a_long_name_is_shortened_where_it_is_said() -> None:
    assert errors.did_you_mean(LONG + "y", [LONG]) == f"; did you mean '{'x' * 29}...{'x' * 28}'?"
    assert errors.shortened("short") == "short"


def test_similar_long_names_are_compared_by_their_beginning() -> None:
    assert errors.nearest(LONG, [f"{LONG}{i}" for i in range(500)]).startswith("xxx")


def test_a_sentence_that_is_too_long_keeps_its_beginning_and_its_end() -> None:
    said = brief(f"{'a' * 200}: '{LONG}' is {'very ' * 100}long; type --help.")
    assert len(said) <= MOST_OF_AN_ERROR
    assert said.startswith("aaaa")
    assert said.endswith("long; type --help.")
    assert brief("as it is.") == "as it is."


# Commands that install packages: they work for the Python that runs reportgen, and none names a package of others.


ROOT = Path(__file__).parents[1]
OF_OTHERS = re.compile(r"pip install (?:[^\n&;|`]*\s)?[\"']?reportgen(?![\w./-])|[\"']reportgen\[")
"""The package of this name on the index is not ours."""


def test_no_text_installs_a_package_of_the_same_name() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    texts = [ROOT / name for name in files if name and not name.endswith((".pdf", ".png", ".ipynb", ".html"))]
    found = [
        (path.relative_to(ROOT), line)
        for path in texts
        if path.is_file() and path != Path(__file__) and not path.is_symlink()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if OF_OTHERS.search(line[:1000])
    ]
    assert found == []


@pytest.mark.parametrize("text", ["pip install reportgen", "pip install -U 'reportgen[xlsx]'", 'x = "reportgen[yaml]"'])
def test_such_a_text_is_found(text: str) -> None:
    assert OF_OTHERS.search(text)


def test_a_hint_installs_what_the_extra_declares() -> None:
    python, *pip, yaml = shlex.split(errors.install_command(extra="yaml"))
    assert [python, *pip] == [sys.executable, "-m", "pip", "install"]
    assert yaml.startswith("pyyaml>=")
    done = subprocess.run(
        f"{errors.install_command(extra='yaml')} --dry-run --no-index",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "already satisfied: pyyaml" in done.stdout, done


def test_without_pip_uv_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert shlex.split(errors.install_command("x>=1")) == ["uv", "pip", "install", "--python", sys.executable, "x>=1"]


def test_a_copy_that_was_never_installed_names_its_own_distribution(monkeypatch: pytest.MonkeyPatch) -> None:
    def requires(name: str) -> list[str]:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "requires", requires)
    assert errors.requirements("yaml") == ["reportgen-scoring[yaml]"]
    assert errors.requirements() == []


def test_reportgen_can_be_imported_without_being_installed() -> None:
    code = (
        "from importlib import metadata\n"
        "def missing(name): raise metadata.PackageNotFoundError(name)\n"
        "metadata.metadata = metadata.version = metadata.requires = missing\n"
        "import reportgen, reportgen.citations, reportgen.cli.app\n"
        "from reportgen.reports.single import versions_here\n"
        "print(versions_here()['reportgen'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("not installed\n", "")


# Commands that messages suggest do what they say when they are pasted into a shell, whatever columns are called.


HOSTILE = (
    "h1';touch X;'", "rater's score", "two\nlines", "-rf", "--human", "$(touch X)", "`touch X`", '"; touch X; "',
    "a\\b", "100%\td", "tab\t'q'", "a!b", "~", "*", "é\u202eb", "# no", "",
)  # fmt: skip


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


@pytest.mark.parametrize("shell", [name for name in ("sh", "bash", "dash", "zsh") if shutil.which(name)])
def test_a_shell_passes_every_word_as_it_is(shell: str, tmp_path: Path) -> None:
    command = errors.write_command("reportgen", *HOSTILE)
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
        name: [row % 5 + (row % (place + 7) == 0) for row in range(60)] for place, name in enumerate(names)
    }
    with pytest.raises(errors.QuestionError) as asked:
        read(pa.table(scores))
    hostile = [name for name in names if name.endswith(evil)]
    assert {word for _, options in asked.value.choices for word in options} >= {option, *hostile}
    for _, options in asked.value.choices:
        assert pasted(errors.write_command("reportgen", *options), tmp_path) == list(options)


@pytest.mark.parametrize("evil", ["$(touch X)", "`touch X`", "a';touch X;'", 'b";touch X;"'])
def test_labels_in_commands_are_quoted(evil: str, tmp_path: Path) -> None:
    words = ["fail", "pass", evil]
    scores: dict[str, list[object]] = {
        "human": [words[k % 3] for k in range(30)], "engine": [words[(k + k % 7 // 6) % 3] for k in range(30)],
    }  # fmt: skip
    with pytest.raises(errors.QuestionError) as error:
        read(pa.table(scores))
    ordered, none, loose = [options for _, options in error.value.choices]
    assert (ordered[0], {*ordered[1].split(",")}) == ("--labels", {*words})
    assert (none, loose) == (("--missing", evil), ("--unordered",))
    for _, options in error.value.choices:
        assert pasted(errors.write_command("reportgen", *options), tmp_path) == list(options)
