"""The data of the 2026 site: specs in stacks and releases, packages in another file."""

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import Raw

from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.packages import diff_package
from snapdiff.document_names import is_document
from snapdiff.errors import FormatError
from snapdiff.filters import Scope
from snapdiff.formats.document import Claim, File
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.formats.site_data import PLACES
from snapdiff.formats.spec_node import read_edges
from snapdiff.limits import Limits
from snapdiff.model.packages import Counted
from snapdiff.model.specs import Edge
from snapdiff.result.changes import Filters
from snapdiff.result.packages import VersionCount
from tests.support.documents import (
    Item,
    Json,
    file,
    needs,
    read,
    read_pair,
    site_data,
    specs_of,
    to_bytes,
)
from tests.support.helpers import run_json, write_files
from tests.support.real_catalogs import DATA, needs_real_catalogs

FOLDER = DATA / "site-2026"
Places = dict[str, tuple[list[str], list[str]]]

GCC = Item("gcc", "13.2.0", compiler=None)
ZLIB = Item("zlib", compiler=None, needs=(needs(GCC, "c", "cxx"),))
CMAKE = Item("cmake", compiler=None)
PLACES_OF: Places = {
    "gcc": (["e4s"], ["develop"]),
    "zlib": (["e4s", "hep"], ["develop", "v1.0"]),
    "cmake": ([], []),
}


def site_file(specs: Json, packages: Json, *, ending: str = "") -> File:
    """The site's data as a file with the other beside it, compressed or not."""
    pack = gzip.compress if ending else bytes
    beside = {f"api/package_data.json{ending}": pack(to_bytes(packages))}
    return file(f"api/specs_data.json{ending}", pack(to_bytes(specs)), beside)


def test_both_files_belong_to_one_document() -> None:
    assert DOCUMENTS.documents_of("api/specs_data.json") == ("api/specs_data.json",)
    assert DOCUMENTS.documents_of("api/package_data.json") == ("api/specs_data.json",)
    assert DOCUMENTS.documents_of("package_data.json.gz") == ("specs_data.json.gz",)
    assert DOCUMENTS.documents_of("other.json") == ()
    assert is_document("specs_data.json.gz")
    assert not is_document("package_data.json")
    assert DOCUMENTS.tag_folder("api/specs_data.json") == "api"
    assert DOCUMENTS.claim("api/specs_data.json") == Claim(".", "stack", "api")


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_spec_counts_in_each_of_its_stacks_and_releases(ending: str) -> None:
    found = read(site_file(*site_data([GCC, ZLIB, CMAKE], PLACES_OF), ending=ending))
    assert found.claims == (
        Claim(".", "stack", "root"),
        Claim("develop", "stack", "e4s"),
        Claim("develop", "stack", "hep"),
        Claim("v1.0", "stack", "e4s"),
        Claim("v1.0", "stack", "hep"),
    )
    counted = {
        (package.tag, package.name): {tuple(sorted(b.stacks)) for b in package.specs.values()}
        for package in found.packages
    }
    assert counted == {
        (".", "cmake"): {("root",)},
        ("develop", "gcc"): {("e4s",)},
        ("develop", "zlib"): {("e4s", "hep")},
        ("v1.0", "zlib"): {("e4s", "hep")},
    }
    assert {package.stack for package in found.packages} == {None}
    assert {(tag, it.name) for it in found.listed_hashes.values() for tag in it.tags} == {
        (package.tag, package.name) for package in found.packages
    }


def test_the_compiler_is_the_dependency_that_provides_c() -> None:
    found = specs_of(read(site_file(*site_data([GCC, ZLIB], PLACES_OF))))
    assert {name: spec.compiler for name, spec in found.values()} == {
        "gcc": "none",
        "zlib": "gcc@13.2.0",
    }


def test_edges_are_those_of_the_data() -> None:
    specs_data, packages = site_data([GCC, ZLIB], PLACES_OF)
    found = read(site_file(specs_data, packages))
    graph = found.packages[0].graph
    assert graph
    node = graph.node(ZLIB.key)
    assert node
    assert [edge.name for edge in node.edges] == ["gcc"]
    assert {"stacks", "releases"} & specs_data[ZLIB.key].keys()
    assert graph.record(ZLIB.key).keys() == specs_data[ZLIB.key].keys() - {"stacks", "releases"}


def test_links_for_people_are_no_edges() -> None:
    """Until August 2026 the dependencies were labels with links."""
    specs, packages = site_data([GCC, ZLIB], PLACES_OF)
    links = [{"label": "gcc@13.2.0", "link": f"?name=gcc#{GCC.key}"}]
    specs[ZLIB.key]["dependencies"] = links
    found = read(site_file(specs, packages))
    assert {package.graph for package in found.packages} == {None}
    assert found.warning is None


@needs_real_catalogs
def test_the_real_data_says_what_the_index_says_that_it_was_made_of() -> None:
    specs, packages = (
        json.loads((FOLDER / f"{name}_data.json").read_bytes()) for name in ("specs", "package")
    )
    site = read(site_file(specs, packages))
    index = DATA / "indexes" / "v2_layout-signed-51a6a94c.db8.index.json"
    cache = read(file("build_cache/index.json", index.read_bytes()))
    expected, found = specs_of(cache), specs_of(site)
    assert found.keys() >= expected.keys()
    for key, (name, spec) in expected.items():
        assert found[key][0] == name
        same = found[key][1]
        assert (same.version, same.os, same.target) == (spec.version, spec.os, spec.target)
        assert same.variants == spec.variants
    assert site.claims == (Claim("develop", "stack", "teststack"),)


def test_a_spec_that_enters_another_stack_differs_there_alone() -> None:
    moved: Places = {**PLACES_OF, "gcc": (["e4s", "ml"], ["develop"])}
    pair = read_pair(
        site_file(*site_data([GCC, ZLIB], PLACES_OF)),
        site_file(*site_data([GCC, ZLIB], moved)),
    )
    [package] = pair.pairs
    assert (package.tags, package.name) == (("develop", "develop"), "gcc")
    assert [build.stacks for build in package.old.values()] == [{"e4s"}]
    assert [build.stacks for build in package.new.values()] == [{"e4s", "ml"}]
    assert {count.tag for count in pair.unchanged} == {"develop", "v1.0"}


def test_a_new_version_beside_others_in_common() -> None:
    newer = Item("gcc", "14.1.0", compiler=None)
    pair = read_pair(
        site_file(*site_data([GCC, ZLIB], PLACES_OF)),
        site_file(*site_data([GCC, ZLIB, newer], PLACES_OF)),
    )
    [package] = pair.pairs
    assert list(package.new) == [newer.key]
    assert package.common == {Counted("gcc", "13.2.0", ("develop",), frozenset({"e4s"})): 1}
    assert package.graphs


def test_equal_builds_are_found_in_each_stack_and_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = [replace(ZLIB, version="9", hash=letter * 32) for letter in "abc"]
    kept[2] = replace(kept[2], parameters={"pic": "1"})
    old, new = (
        site_file(*site_data([GCC, *kept, replace(ZLIB, version=version)], PLACES_OF))
        for version in ("2.0", "2.1")
    )
    [pair] = (pair for pair in read_pair(old, new).pairs if pair.tags[0] == "develop")
    keys = []

    def noted(edges: Raw, key: str) -> tuple[Edge, ...]:
        keys.append(key)
        return read_edges(edges, key)

    monkeypatch.setattr("snapdiff.formats.site_data.read_edges", noted)
    found = diff_package(pair, Scope(Filters()), Limits(), KnownGraphs()).stacks
    assert found.keys() == {"e4s", "hep"}
    for stack in found.values():
        assert stack.package.different
        assert VersionCount("9", 2, 2) in stack.package.different
    assert {*Counter(keys).values()} == {1, 2}  # on each side once


def test_data_of_other_releases_is_no_version_of_it() -> None:
    moved: Places = {**PLACES_OF, "zlib": (["e4s"], ["v2.0"])}
    old = site_file(*site_data([ZLIB], PLACES_OF))
    new = site_file(*site_data([ZLIB], moved))
    assert not read(new).is_version_of(read(old))


def test_a_spec_that_another_package_lists_is_not_the_same() -> None:
    specs, packages = site_data([CMAKE], PLACES_OF)
    renamed = {"cmake-new": packages["cmake"]}
    pair = read_pair(site_file(specs, packages), site_file(specs, renamed))
    assert [(p.name, len(p.old), len(p.new)) for p in pair.pairs] == [
        ("cmake", 1, 0),
        ("cmake-new", 0, 1),
    ]


@pytest.mark.parametrize(
    ("specs", "packages", "reason"),
    [
        ({}, {"a": {"specs": 1}}, "package_data.json[].specs: expected array, got int"),
        ({"x": {}}, {}, "'x' is no hash"),
        ({"a" * 32: {"version": "1"}}, {}, f"{'a' * 32}: no package of package_data.json"),
        ({"a" * 32: {}}, {}, f"{'a' * 32}.version: missing"),
        (
            {"a" * 32: {"version": "1"}},
            {"a": {"specs": ["a" * 32]}, "b": {"specs": ["a" * 32]}},
            f"package_data.json: a and b both list {'a' * 32}",
        ),
        (
            {"a" * 32: {"version": "1", "stacks": ["s"] * 200, "releases": ["r"] * 51}},
            {"a": {"specs": ["a" * 32]}},
            f"{'a' * 32}: 200 stacks and 51 releases; a spec may be in {PLACES:,} pairs",
        ),
        (
            {"a" * 32: {"version": "1", "dependencies": [{"hash": 5}]}},
            {"a": {"specs": ["a" * 32]}},
            f"{'a' * 32}.dependencies[0].hash: expected str | null, got int",
        ),
        ([], {}, "the document: expected object, got array"),
    ],
)
def test_data_that_contradicts_itself_is_an_error(specs: Json, packages: Json, reason: str) -> None:
    with pytest.raises(FormatError) as error:
        read(site_file(specs, packages))
    assert str(error.value).startswith(reason)


def test_the_other_file_must_be_there() -> None:
    with pytest.raises(FormatError, match=r"^api/package_data\.json: missing"):
        read(file("api/specs_data.json", {}))


def test_no_reason_is_told_where_dependencies_are_links_for_people(tmp_path: Path) -> None:
    """What a spec depends on is not known then: it was not just hashed in another way."""
    for side, name in (("old", "a"), ("new", "b")):
        zlib = Item("zlib", hash=name * 32)
        specs, packages = site_data([zlib], {"zlib": (["e4s"], ["v1"])})
        specs[zlib.key]["dependencies"] = [{"label": "gmake@4.4", "link": "?name=gmake"}]
        files = {"specs_data.json": to_bytes(specs), "package_data.json": to_bytes(packages)}
        write_files(tmp_path / side, files)
    report = run_json(tmp_path / "old", tmp_path / "new")
    changes = [change for stack in report["tags"][0]["stacks"] for change in stack["changes"]]
    assert [change["kind"] for change in changes] == ["rebuilt"]
    assert "cause" not in changes[0]
    assert "same_to_use" not in changes[0]


def test_like_specs_in_common_count_each_in_a_release_that_only_some_share() -> None:
    first, second = (Item("gcc", "13.2.0", compiler=None, os=name) for name in ("rhel8", "rhel9"))
    data = site_data([first, second], PLACES_OF)
    data[0][second.key]["releases"] = ["develop", "v1.0"]
    newer = Item("gcc", "14.1.0", compiler=None)
    later = site_data([first, second, newer], PLACES_OF)
    later[0][second.key]["releases"] = ["develop", "v1.0"]
    pair = read_pair(site_file(*data), site_file(*later))
    assert [sum(package.common.values()) for package in pair.pairs] == [2]
    assert [(count.tag, sum(count.by_stacks.values())) for count in pair.unchanged] == [("v1.0", 1)]
