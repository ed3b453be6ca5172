"""Pages of 2021 and 2022, which have their specs in files beside them."""

import json
from pathlib import Path

import pytest

from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim, File
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.limits import Limits
from tests.support.documents import (
    Item,
    Json,
    digest,
    file,
    needs,
    node,
    plain_reading,
    read,
    read_pair,
    reading_of,
    specs_of,
    to_bytes,
)
from tests.support.real_catalogs import DATA, needs_real_catalogs

REAL = DATA / "old-pages"
HEAD = '---\ntitle: "zlib"\nlayout: cache\ncategories: [package, develop]\n'
ZLIB, TOP = Item("zlib"), Item("hdf5")


def spec_file(*items: Item) -> Json:
    """The file of a spec: the spec itself, then what is below it."""
    nodes = [{**node(item, 4), "hash": item.key} for item in items]
    return {"spec": {"_meta": {"version": 2}, "nodes": nodes}}


def page(files: list[Json], *, folder: str = "develop/zlib", head: str = HEAD) -> File:
    """A page with its files beside it."""
    names = [f"spec-{number}.json" for number in range(len(files))]
    listed = "".join(f" - {name}\n" for name in names)
    beside = {f"{folder}/{name}": to_bytes(found) for name, found in zip(names, files, strict=True)}
    return file(f"{folder}/specs.md", f"{head}spec_files: \n{listed}---\n".encode(), beside)


def test_the_files_beside_a_page_belong_to_it() -> None:
    beside = ("develop/zlib/specs.md", "develop/zlib/index.md")
    assert DOCUMENTS.documents_of("develop/zlib/spec-3.json") == beside
    assert DOCUMENTS.documents_of("spec-3.json") == ("specs.md", "index.md")
    assert DOCUMENTS.documents_of("develop/zlib/specs.md") == ("develop/zlib/specs.md",)
    assert DOCUMENTS.documents_of("develop/zlib/spec-x.json") == ()
    assert DOCUMENTS.tag_folder("_cache/zlib/index.md") == "_cache"
    assert DOCUMENTS.claim("_cache/zlib/index.md") == Claim("_cache", "package", "zlib")
    assert DOCUMENTS.tag_folder("_cache/develop/zlib/specs.md") == "_cache/develop"
    assert DOCUMENTS.claim("_cache/develop/zlib/specs.md") == Claim("develop", "package", "zlib")
    assert DOCUMENTS.claim("_cache/develop/zlib.md") == Claim("develop", "package", "zlib")


def test_the_first_node_of_each_file_is_a_spec_in_no_stack() -> None:
    other = Item("zlib", "1.3", needs=(needs(TOP),))
    found = read(page([spec_file(ZLIB), spec_file(other, TOP)]))
    assert found.claims == (Claim("develop", "package", "zlib"),)
    [package] = found.packages
    assert (package.tag, package.name, package.stack) == ("develop", "zlib", None)
    assert package.specs.keys() == {ZLIB.key, other.key}
    assert {build.stacks for build in package.specs.values()} == {frozenset(["root"])}
    assert package.graph
    below = package.graph.node(TOP.key)
    assert below
    assert below.name == "hdf5"
    assert found.listed_hashes.keys() == {ZLIB.key, other.key}


@needs_real_catalogs
@pytest.mark.parametrize("name", ["adiak-spec-0-a083123a", "develop-zlib-spec-0-695e510d"])
def test_a_real_file_says_what_an_independent_reading_finds(name: str) -> None:
    content = json.loads((REAL / f"{name}.json").read_bytes())
    nodes = {found["hash"]: found for found in content["spec"]["nodes"]}
    first = content["spec"]["nodes"][0]
    head = HEAD.replace("zlib", first["name"])
    found = reading_of(read(page([content], head=head)))
    assert found == {first["hash"]: plain_reading(nodes, set())[first["hash"]]}


@needs_real_catalogs
@pytest.mark.parametrize("path", sorted(REAL.glob("*.md")), ids=lambda path: path.name)
def test_a_real_page_lists_its_files(path: Path) -> None:
    content = path.read_bytes()
    zlib = (REAL / "develop-zlib-spec-0-695e510d.json").read_bytes()
    asked: list[str] = []

    def read_beside(name: str) -> bytes:
        asked.append(name)
        return zlib

    found = read(File("_cache/develop/x/specs.md", content, read_beside))
    number = content.count(b" - spec-")
    assert asked == [f"_cache/develop/x/spec-{position}.json" for position in range(number)]
    [(name, _)] = specs_of(found).values()
    assert found.claims == (Claim("develop", "package", name),)


def test_a_page_of_the_first_year_has_no_tag_and_maps_specs_to_files() -> None:
    text = '---\ntitle: "zlib"\nlayout: cache\ncategory: package\nspec_files:\n'
    text += ' - "zlib@1.0%gcc@12 arch=linux": spec-0.json\n---\n'
    beside = {"_cache/zlib/spec-0.json": to_bytes(spec_file(ZLIB))}
    found = read(file("_cache/zlib/index.md", text.encode(), beside))
    assert found.claims == (Claim("_cache", "package", "zlib"),)
    assert list(specs_of(found)) == [ZLIB.key]


def test_a_page_in_no_folder_of_a_tag_has_the_empty_tag() -> None:
    beside = {"zlib/spec-0.json": to_bytes(spec_file(ZLIB))}
    text = b"---\nspec_files: [spec-0.json]\n---\n"
    found = read(file("zlib/index.md", text, beside))
    assert found.claims == (Claim(".", "package", "zlib"),)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("spec_files: 5", "spec_files: expected array, got int"),
        ("spec_files: [[]]", "spec_files[0]: expected str | object, got array"),
        ("spec_files:\n - {", "line 5, column 1: front matter is not YAML"),
    ],
)
@pytest.mark.parametrize("name", ["specs.md", "index.md"])
def test_a_page_whose_files_cannot_be_told_is_bad(text: str, reason: str, name: str) -> None:
    content = f"---\nlayout: package\n{text}\n---\n"
    with pytest.raises(FormatError) as error:
        read(file(f"a/b/{name}", content.encode()))
    assert str(error.value).startswith(reason)


def test_nodes_may_be_a_list_keyed_by_name() -> None:
    """So specs were written before version 2 of the spec file."""
    keyed = node(ZLIB, 2)
    keyed["zlib"]["hash"] = ZLIB.key
    assert list(specs_of(read(page([{"spec": [keyed]}])))) == [ZLIB.key]


def test_a_page_that_lists_its_specs_itself_needs_no_files() -> None:
    listed = file("a/b/specs.md", b"---\nspec_files: []\nspec_details: []\n---\n")
    assert read(listed).graphs == {}
    with pytest.raises(FormatError, match="spec_details: missing"):
        read(file("a/b/specs.md", b"---\ntitle: b\n---\n"))
    assert (
        DOCUMENTS.reader("a/b.md", Limits())(file("a/b.md", b"---\nspec_files: []\n---\n")) is None
    )


def test_only_what_differs_of_two_versions_is_read() -> None:
    newer = Item("zlib", "1.3")
    pair = read_pair(
        page([spec_file(ZLIB)]), page([spec_file(newer), spec_file(ZLIB), spec_file(ZLIB)])
    )
    [package] = pair.pairs
    assert (len(package.old), list(package.new)) == (0, [newer.key])
    assert sum(package.common.values()) == 1


def test_a_spec_that_is_only_below_another_one_now_is_removed() -> None:
    both, below = [spec_file(ZLIB), spec_file(TOP, ZLIB)], [spec_file(TOP, ZLIB)]
    [package] = read_pair(page(both), page(below)).pairs
    assert (list(package.old), list(package.new)) == ([ZLIB.key], [])
    [package] = read_pair(page(below), page(both)).pairs
    assert (list(package.old), list(package.new)) == ([], [ZLIB.key])


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        ({"spec": {"nodes": []}}, "spec-0.json.spec.nodes: empty"),
        ({"spec": []}, "spec-0.json.spec: empty"),
        ({"spec": {"nodes": [{"name": "zlib", "version": "1"}]}}, "spec-0.json.spec.nodes[0].hash"),
        (
            {"spec": {"nodes": [{"name": "zlib", "version": 1, "hash": digest(1)}]}},
            "spec-0.json.spec.nodes[0].version: expected str | null, got int",
        ),
        ({"spec": 1}, "spec-0.json.spec: expected"),
        ({}, "spec-0.json.spec: missing"),
    ],
)
def test_a_file_that_is_no_spec_is_an_error(found: Json, reason: str) -> None:
    with pytest.raises(FormatError) as error:
        read(page([found]))
    assert str(error.value).startswith(reason)


@pytest.mark.parametrize("name", ["../spec-0.json", "spec-0.json/x", "/etc/passwd"])
def test_a_page_names_no_files_but_those_beside_it(name: str) -> None:
    content = f"{HEAD}spec_files: [{json.dumps(name)}]\n---\n".encode()
    with pytest.raises(FormatError, match=r"^spec_files\[0\]: .* is no spec-N\.json"):
        read(file("a/b/specs.md", content))


def test_a_page_names_its_tag_and_its_package_itself() -> None:
    found = page([spec_file(ZLIB)], folder="elsewhere/other")
    assert read(found).claims == (Claim("develop", "package", "zlib"),)


def test_a_missing_file_is_an_error() -> None:
    content = f"{HEAD}spec_files: [spec-0.json]\n---\n".encode()
    with pytest.raises(FormatError, match=r"^a/b/spec-0\.json: missing"):
        read(file("a/b/specs.md", content))


def test_all_files_together_may_be_as_large_as_a_document() -> None:
    files = [spec_file(ZLIB), spec_file(TOP)]
    size = sum(map(len, map(to_bytes, files)))
    assert read(page(files), Limits(document_size=size))
    with pytest.raises(FormatError, match="too large"):
        read(page(files), Limits(document_size=size - 1))
