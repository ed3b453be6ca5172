"""Install databases: what is installed in a tree, and what was asked for."""

import json
from pathlib import Path

import pytest
from hypothesis import given

from snapdiff.formats.document import Claim
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.model.specs import packages_asked_for
from tests.support.documents import (
    DATABASE_VERSIONS,
    Item,
    database,
    file,
    items,
    plain_reading,
    read,
    reading_of,
)
from tests.support.real_catalogs import DATA, needs_real_catalogs

PATH = ".spack-db/index.json"
REAL = sorted((DATA / "indexes" / "derecho-spack-db").glob("*.json"))


@pytest.mark.parametrize(
    ("path", "claim", "tag_folder"),
    [
        (f"site/opt/spack/{PATH}", Claim("site/opt", "stack", "spack"), "site/opt"),
        (f"spack/{PATH}", Claim(".", "stack", "spack"), ""),
        (PATH, Claim(".", "stack", "."), ""),
    ],
)
def test_the_trees_path_names_stack_and_tag(path: str, claim: Claim, tag_folder: str) -> None:
    found = read(file(path, database([Item("zlib")], installed=True)))
    assert found.claims == (claim,)
    assert DOCUMENTS.claim(path) == claim
    assert DOCUMENTS.tag_folder(path) == tag_folder


def test_a_database_is_known_by_its_folder() -> None:
    assert DOCUMENTS.documents_of(f"a/{PATH}") == (f"a/{PATH}",)
    assert DOCUMENTS.documents_of("a/index.json") == ()
    assert DOCUMENTS.documents_of("a.spack-db/index.json") == ()


@pytest.mark.parametrize("version", DATABASE_VERSIONS)
def test_the_graph_has_all_that_a_database_says_of_a_node(version: int) -> None:
    document = database([Item("zlib")], version, installed=True)
    [(key, record)] = document["database"]["installs"].items()
    graph = read(file(PATH, document)).packages[0].graph
    assert graph
    said = {name: json.loads(bytes(raw)) for name, raw in graph.record(key).items()}
    assert said == record["spec"].get("zlib", record["spec"])


@pytest.mark.slow
@needs_real_catalogs
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_a_real_database_says_what_an_independent_reading_finds(path: Path) -> None:
    installs = json.loads(path.read_bytes())["database"]["installs"]
    nodes = {key: record["spec"] for key, record in installs.items()}
    explicit = {key for key, record in installs.items() if record["explicit"]}
    reading = plain_reading(nodes, explicit)
    expected = {key: reading[key] for key, record in installs.items() if record["installed"]}
    assert reading_of(read(file(PATH, path.read_bytes()))) == expected


@given(found=items())
def test_what_is_installed_counts(found: list[Item]) -> None:
    reading = reading_of(read(file(PATH, database(found, installed=True))))
    assert reading.keys() == {item.key for item in found if item.counted}
    for item in found:
        if item.counted:
            assert reading[item.key][-2:] == (item.explicit, item.external)


def test_what_was_installed_by_hand_and_is_no_more_is_no_root() -> None:
    items = [Item("zlib", explicit=True, counted=False), Item("m4", explicit=True), Item("cmake")]
    found = read(file(".spack-db/index.json", database(items, installed=True)))
    [graph] = found.graphs.values()
    assert packages_asked_for(graph) == frozenset(["m4"])
