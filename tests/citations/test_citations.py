"""How to cite: the works behind a report's numbers, as BibTeX, CSL-JSON and text, and reportgen itself."""

import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.citations import FILE, SOFTWARE, bibtex, csl_json, escaped, text, works_behind
from reportgen.results import Check, Estimate
from reportgen.studies import questions
from reportgen.testing import example_evaluation
from reportgen.wording.bibliography import linked, work, works

ROOT = Path(__file__).parents[2]
ALL = [SOFTWARE, *works().values()]


def test_an_evaluation_cites_its_statistics_intervals_and_requirements() -> None:
    evaluation = example_evaluation()
    found = works_behind(evaluation)
    assert {"cohen_1968", "haberman_2019", "loukina_2020", "wilson_1927", "jaeckel_1972", "fieller_1954"} <= set(found)
    assert list(found) == [key for key in works() if key in found]
    check = Check("kappa", Estimate("kappa", 0.5, 9), "met", source="Nunnally and Bernstein (1994), page 265")
    more = works_behind(replace(evaluation, checks=(*evaluation.checks, check)))
    assert set(more) - set(found) == {"nunnally_bernstein_1994"}


def test_what_a_report_does_not_show_is_not_cited() -> None:
    bare = replace(example_evaluation(), tables={}, checks=(), estimates={"system.r": Estimate("r", 0.8, 90)})
    assert works_behind(bare) == ("pearson_1896",)
    undefined = replace(bare, estimates={"system.r": Estimate("r", None, 0, reason="a constant score")})
    assert works_behind(undefined) == ()


def test_every_key_of_the_file_is_one_of_its_kind() -> None:
    content = tomllib.loads(FILE.read_text(encoding="utf-8"))
    assert {key for part in content.values() for keys in part.values() for key in keys} <= set(works())
    assert set(content["studies"]) == set(questions())
    code = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "reportgen" / "evaluation").rglob("*.py"))
    assert [words for words in content["methods"] if words not in code] == []
    starts = [start.split("_")[0] for start in content["statistics"]]  # what follows may be filled in
    assert [start for start in starts if f'"{start}' not in code] == []


def test_every_work_is_an_entry_of_bibtex_that_any_bibtex_reads() -> None:
    for cited in ALL:
        entry = bibtex([cited])
        assert entry.isascii(), cited.key
        depth = 0
        for letter in re.sub(r"\\[{}]", "", entry):
            depth += {"{": 1, "}": -1}.get(letter, 0)
            assert depth >= 0, cited.key
        assert depth == 0, cited.key
        prose = re.sub(r"^  (doi|url) = .*$", "", entry.partition(",")[2], flags=re.MULTILINE)
        assert not re.search(r"(?<!\\)[&%$#_]", prose), cited.key
        assert re.match(rf"@\w+\{{{cited.key},\n  author = ", entry), cited.key


def test_letters_are_written_as_latex_writes_them() -> None:
    assert escaped("é à ñ ü å ç š ő ł ø ß") == (r"{\'e} {\`a} {\~n} {\"u} {\r a} {\c c} {\v s} {\H o} {\l} {\o} {\ss}")
    assert escaped("R&D_x 5% $1 #2 {a} ~ ^ \\ 1–2") == (
        r"R\&D\_x 5\% \$1 \#2 \{a\} {\textasciitilde} {\textasciicircum} {\textbackslash} 1--2"
    )


def test_names_are_in_their_parts() -> None:
    wanted = ["van_rijsbergen_1979", "aera_2014", "student_1908", "ohagan_2005"]
    items = {item["id"]: item["author"] for item in json.loads(csl_json(map(work, wanted)))}
    assert items["van_rijsbergen_1979"][0]["non-dropping-particle"] == "van"
    assert items["aera_2014"] == [{"literal": "AERA"}, {"literal": "APA"}, {"literal": "NCME"}]
    assert items["student_1908"] == [{"literal": "Student"}]
    assert items["ohagan_2005"][0] == {"family": "O'Hagan", "given": "A."}
    assert "author = {{AERA} and {APA} and {NCME}}" in bibtex([work("aera_2014")])
    assert "author = {van Rijsbergen, C. J.}" in bibtex([work("van_rijsbergen_1979")])


def test_csl_holds_what_is_known_and_nothing_empty() -> None:
    items = json.loads(csl_json(ALL))
    assert [item["id"] for item in items] == [each.key for each in ALL]
    assert all(value for item in items for value in item.values())
    loukina = next(item for item in items if item["id"] == "loukina_2020")
    assert [name["family"] for name in loukina["author"]] == list(work("loukina_2020").families)
    assert loukina["issued"] == {"date-parts": [[2020]]}


def test_dois_are_dois_and_become_links() -> None:
    known = [each.doi for each in works().values() if each.doi]
    assert len(known) > 45
    assert all(re.fullmatch(r"10\.\d{4,5}/\S+", doi) for doi in known)
    assert len(set(known)) == len(known)
    assert linked(work("cohen_1968")).endswith(
        '<a href="https://doi.org/10.1037/h0026256">doi.org/10.1037/h0026256</a>. †'
    )


def test_text_is_a_line_for_each_work() -> None:
    lines = text(ALL).splitlines()
    assert len(lines) == len(ALL)
    assert not [line for line in lines if "*" in line]


def test_the_citation_file_says_what_the_package_says() -> None:
    yaml = pytest.importorskip("yaml")
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert told["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(told)
    assert told["title"] == SOFTWARE.title == f"reportgen: {project['description']}"
    assert f"Version {told['version']}" == SOFTWARE.number == f"Version {project['version']}"
    assert [author["name"] for author in told["authors"]] == list(SOFTWARE.authors)
    assert told["license"] == project["license"]
    assert told["keywords"] == project["keywords"]
