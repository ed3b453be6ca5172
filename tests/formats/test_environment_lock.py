"""Environment locks of every version, real ones and generated ones."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapdiff.document_names import is_document
from snapdiff.errors import FormatError
from snapdiff.formats.document import Claim
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.limits import Limits
from snapdiff.model.specs import Edge
from tests.support.documents import (
    LOCK_VERSIONS,
    Item,
    Json,
    file,
    items,
    lock,
    needs,
    node,
    plain_environment,
    read,
    read_pair,
    reading_of,
    specs_of,
    to_bytes,
)
from tests.support.nightly import nightly_but
from tests.support.real_catalogs import DATA, needs_real_catalogs

LOCKS = sorted((DATA / "locks").rglob("*.lock"))
BY_NAME = {str(path.relative_to(DATA)): path for path in LOCKS}
FIRST_OF_EACH = list({name.split("/")[1]: name for name in reversed(BY_NAME)}.values())
"""A lock of each machine, project and version."""


def test_a_lock_is_known_by_its_name() -> None:
    assert is_document("environments/23.08/cuda/spack.lock")
    assert DOCUMENTS.documents_of("spack.lock") == ("spack.lock",)
    assert DOCUMENTS.documents_of("spack.lock.orig") == ()
    assert DOCUMENTS.documents_of("yarn.lock") == ()


@pytest.mark.parametrize(
    ("path", "claim"),
    [
        ("environments/23.08/cuda/spack.lock", Claim("environments/23.08", "stack", "cuda")),
        ("cuda/spack.lock", Claim(".", "stack", "cuda")),
        ("spack.lock", Claim(".", "stack", ".")),
    ],
)
def test_the_path_names_stack_and_tag(path: str, claim: Claim) -> None:
    found = read(file(path, lock([Item("zlib")])))
    assert DOCUMENTS.claim(path) == claim
    assert found.claims == (claim,)
    assert [(package.tag, package.name) for package in found.packages] == [(claim.tag, "zlib")]
    [build] = found.packages[0].specs.values()
    assert build.stacks == {claim.name}


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("environments/23.08/cuda/spack.lock", "environments/23.08"),
        ("cuda/spack.lock", ""),
        ("spack.lock", ""),
    ],
)
def test_the_stacks_of_a_tag_are_in_one_folder(path: str, folder: str) -> None:
    assert DOCUMENTS.tag_folder(path) == folder


@pytest.mark.slow
@needs_real_catalogs
@pytest.mark.parametrize("path", nightly_but(BY_NAME, FIRST_OF_EACH))
def test_a_real_lock_says_what_an_independent_reading_finds(path: Path) -> None:
    document = json.loads(path.read_bytes())
    found = read(file("spack.lock", path.read_bytes()))
    assert reading_of(found) == plain_environment(document)
    assert found.warning is None
    names = {key: counted.name for key, counted in found.listed_hashes.items()}
    assert names == {key: name for key, (name, _) in specs_of(found).items()}


@pytest.mark.slow
@pytest.mark.parametrize("version", LOCK_VERSIONS)
@given(found=items())
def test_a_lock_of_every_version_says_what_an_independent_reading_finds(
    version: int, found: list[Item]
) -> None:
    document = lock(found, version)
    read_lock = read(file("spack.lock", document))
    assert reading_of(read_lock) == plain_environment(document)
    assert read_lock.warning is None


@pytest.mark.parametrize("version", LOCK_VERSIONS)
def test_the_graph_has_the_edges_of_every_version(version: int) -> None:
    zlib = Item("zlib", namespace="mine")
    cmake = Item("cmake", needs=(needs(zlib),))
    top = Item("hdf5", needs=(needs(zlib), needs(cmake, "generator", types=("build",))))
    document = read(file("spack.lock", lock([top, cmake, zlib], version)))
    graph = document.packages[0].graph
    assert graph
    found = graph.node(top.key)
    assert found
    virtuals = ("generator",) if version >= 5 else ()
    assert found.edges == (
        Edge("cmake", cmake.key, ("build",), virtuals),
        Edge("zlib", zlib.key, ("build", "link"), ()),
    )
    assert found.build is document.packages[1].specs[top.key]
    below = graph.node(zlib.key)
    assert below
    assert (below.name, below.namespace) == ("zlib", "mine")
    assert below.recipe == ("recipe====" if version >= 4 else None)
    assert graph.node("a" * 32) is None
    assert graph.node(zlib.key) is below


@pytest.mark.parametrize("version", LOCK_VERSIONS)
def test_the_graph_has_all_that_a_lock_says_of_a_node(version: int) -> None:
    zlib = Item("zlib", external=True)
    graph = read(file("spack.lock", lock([zlib], version))).packages[0].graph
    assert graph
    said = node(zlib, version)
    record = graph.record(zlib.key)
    assert {key: json.loads(bytes(raw)) for key, raw in record.items()} == said.get("zlib", said)


@pytest.mark.parametrize(
    ("external", "words"),
    [
        ({"path": "/usr", "module": None}, ("/usr",)),
        ({"path": None, "module": "slurm/23"}, ("module slurm/23",)),
        (
            {"path": "/opt", "module": ["gcc", "cray-mpich"]},
            ("/opt", "module gcc", "module cray-mpich"),
        ),
        ({"path": None, "module": []}, ()),
        (True, ()),
        (None, ()),
    ],
)
def test_the_graph_has_the_path_and_the_modules_of_an_external(
    external: object, words: tuple[str, ...]
) -> None:
    zlib = Item("zlib")
    document = lock([zlib])
    document["concrete_specs"][zlib.key]["external"] = external
    graph = read(file("spack.lock", document)).packages[0].graph
    found = graph and graph.node(zlib.key)
    assert found
    assert found.external == words
    assert found.build.external == bool(words)


def test_edges_of_the_first_years_are_hashes_alone_or_pairs() -> None:
    zlib, bzip2 = Item("zlib"), Item("bzip2")
    top = Item("hdf5")
    document = lock([top, zlib, bzip2], 1)
    inner = document["concrete_specs"][top.key]["hdf5"]
    inner["dependencies"] = {"zlib": zlib.key, "bzip2": [bzip2.key, ["link"]]}
    graph = read(file("spack.lock", document)).packages[0].graph
    found = graph and graph.node(top.key)
    assert found
    assert found.edges == (
        Edge("bzip2", bzip2.key, ("link",), ()),
        Edge("zlib", zlib.key, ("build", "link"), ()),
    )


def test_specs_of_included_environments_count_once() -> None:
    """Spack writes an included environment's nodes into the lock of the one that includes it."""
    shared = Item("zlib")
    own = Item("hdf5", explicit=True, needs=(needs(shared),))
    innermost = Item("ninja", explicit=True)
    inner = Item("cmake", explicit=True, needs=(needs(innermost),))
    third = {key: lock([innermost])[key] for key in ("roots", "concrete_specs")}
    second = {key: lock([inner, shared])[key] for key in ("roots", "concrete_specs")}
    second["include_concrete"] = {"/third": third}
    document = lock([own, shared], include_concrete={"/second": second})
    found = specs_of(read(file("spack.lock", document)))
    assert {key: (name, spec.explicit) for key, (name, spec) in found.items()} == {
        own.key: ("hdf5", True),
        shared.key: ("zlib", False),
        inner.key: ("cmake", True),
        innermost.key: ("ninja", True),
    }


def test_what_only_a_build_spec_leads_to_is_no_part_of_the_environment() -> None:
    """A spliced spec names the spec that its binary was made of, which the lock lists too."""
    openmpi, mpich, zlib = Item("openmpi"), Item("mpich"), Item("zlib")
    built = Item("hdf5", needs=(needs(zlib), needs(openmpi, "mpi")))
    spliced = Item("hdf5", explicit=True, needs=(needs(zlib), needs(mpich, "mpi")))
    document = lock([zlib, openmpi, mpich, built, spliced])
    document["concrete_specs"][spliced.key]["build_spec"] = {"name": "hdf5", "hash": built.key}
    found = read(file("spack.lock", document))
    names = {key: counted.name for key, counted in found.listed_hashes.items()}
    assert names == {spliced.key: "hdf5", mpich.key: "mpich", zlib.key: "zlib"}
    graph = found.packages[0].graph
    assert graph
    assert graph.node(built.key)  # it can be looked up all the same


def test_what_comes_to_be_reached_is_added() -> None:
    """The words of its record are the same on both sides; that it counts is new."""
    zlib, top = Item("zlib"), Item("hdf5", explicit=True)
    needing = replace(top, needs=(needs(zlib),))
    both = read_pair(*(file("spack.lock", lock([item, zlib])) for item in (top, needing)))
    [pair] = [pair for pair in both.pairs if pair.name == "zlib"]
    assert (set(pair.old), set(pair.new)) == (set(), {zlib.key})


@pytest.mark.parametrize(
    ("document", "place"),
    [
        (lock([Item("zlib")], roots=[{"hash": "a" * 32}]), "roots[0].hash"),
        (
            lock([], include_concrete={"/in": lock([], roots=[{"hash": "a" * 32}])}),
            "include_concrete./in.roots[0].hash",
        ),
    ],
)
def test_a_root_that_the_lock_does_not_list_is_an_error(document: Json, place: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(file("spack.lock", document))
    assert str(caught.value) == f"{place}: {'a' * 32!r} is not in concrete_specs"


def test_a_root_may_be_listed_by_an_included_environment() -> None:
    item = Item("zlib", explicit=True)
    inner: Json = {**lock([item]), "roots": []}
    document = lock([], roots=lock([item])["roots"], include_concrete={"/inner": inner})
    assert set(specs_of(read(file("spack.lock", document)))) == {item.key}


def test_a_long_name_of_an_environment_is_not_repeated_for_each_one_in_it() -> None:
    inner: Json = {str(number): {"concrete_specs": {}} for number in range(500)}
    document = lock([Item("zlib")], include_concrete={"n" * 100_000: {"include_concrete": inner}})
    content = file("spack.lock", document)
    tracemalloc.start()
    try:
        read(content)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10_000_000


def test_an_environment_that_only_includes_others_has_their_specs() -> None:
    inner = {"roots": [], "concrete_specs": lock([Item("zlib")])["concrete_specs"]}
    document = lock([], include_concrete={"/inner": inner})
    assert len(specs_of(read(file("spack.lock", document)))) == 1


@pytest.mark.parametrize("module", [None, ["gcc/12"], "gcc/12"])
def test_an_external_spec_has_a_path_or_modules_in_any_shape(module: object) -> None:
    item = Item("gcc", external=True)
    document = lock([item])
    external = document["concrete_specs"][item.key]["external"]
    external |= {"module": module, "path": None if module else "/usr"}
    [(_, spec)] = specs_of(read(file("spack.lock", document))).values()
    assert spec.external


@pytest.mark.parametrize("external", [None, False, {}, {"path": None, "module": None}])
def test_a_node_without_path_and_module_is_no_external_spec(external: object) -> None:
    item = Item("gcc")
    document = lock([item])
    document["concrete_specs"][item.key]["external"] = external
    [(_, spec)] = specs_of(read(file("spack.lock", document))).values()
    assert not spec.external


def test_of_a_node_without_an_architecture_nothing_is_made_up() -> None:
    document = lock([Item("zlib", hash="a" * 32)])
    document["concrete_specs"]["a" * 32]["arch"] = None
    [package] = read(file("spack.lock", document)).packages
    [build] = package.specs.values()
    assert (build.platform, build.os, build.target) == ("", "", "")


@pytest.mark.parametrize("version", [8, 0, None])
def test_an_unknown_version_is_read_by_its_shape_and_named(version: int | None) -> None:
    document = lock([Item("zlib")])
    document["_meta"]["lockfile-version"] = version
    found = read(file("spack.lock", document))
    assert next(iter(specs_of(found).values()))[0] == "zlib"
    assert found.warning
    named = "missing" if version is None else str(version)
    assert found.warning == (
        f"_meta.lockfile-version is {named}, and those up to 7 are known; it is read by its shape"
    )


@pytest.mark.parametrize(
    "other", [b"1e999", b"-1e999", b"9" * 5000, b'"\xff"', b'{"\xff": 1}', b"[1e999, 2]"]
)
def test_what_nobody_reads_under_a_key_that_nobody_knows_does_not_matter(other: bytes) -> None:
    document = to_bytes(lock([Item("zlib")]))
    found = read(file("spack.lock", document[:-1] + b', "later": ' + other + b"}"))
    assert [name for name, _ in specs_of(found).values()] == ["zlib"]


@pytest.mark.parametrize("key", ["roots", "_meta", "concrete_specs", "include_concrete"])
def test_a_number_out_of_range_is_an_error_that_names_its_key(key: str) -> None:
    document = to_bytes({**lock([Item("zlib")]), key: 0}).replace(b": 0", b": 1e999")
    with pytest.raises(FormatError, match=f"^{key}: "):
        read(file("spack.lock", document))


def test_a_dependency_that_is_not_in_the_lock_is_a_warning() -> None:
    gone = Item("gone")
    top = Item("hdf5", compiler=None, needs=(needs(gone, "c"),))
    found = read(file("spack.lock", lock([top])))
    assert found.warning == f"a dependency is not in the document: gone/{gone.key[:7]} of hdf5"
    [(_, spec)] = specs_of(found).values()
    assert spec.compiler == "gone"
    graph = found.packages[0].graph
    assert graph
    assert graph.node(gone.key) is None


def test_many_missing_dependencies_are_counted() -> None:
    nowhere = tuple(needs(Item(name)) for name in ("one", "two", "three"))
    found = read(file("spack.lock", lock([Item("hdf5", needs=nowhere)])))
    assert found.warning
    assert found.warning.startswith(
        "3 dependencies are not in the document, the first of them one/"
    )


def test_nodes_that_need_each_other_are_read() -> None:
    hashes = {"a": "a" * 32, "b": "b" * 32}
    document = lock(
        [
            Item(
                "a",
                hash=hashes["a"],
                compiler=None,
                needs=(needs(Item("b", hash=hashes["b"]), "c"),),
            ),
            Item(
                "b",
                hash=hashes["b"],
                compiler=None,
                needs=(needs(Item("a", hash=hashes["a"]), "c"),),
            ),
        ]
    )
    found = specs_of(read(file("spack.lock", document)))
    assert {name: spec.compiler for name, spec in found.values()} == {"a": "b@1.0", "b": "a@1.0"}


def test_like_nodes_share_one_build() -> None:
    below = [Item("zlib", version=version) for version in ("1", "2")]
    tops = [Item("hdf5", needs=(needs(item),)) for item in below]
    found = read(file("spack.lock", lock([*below, *tops])))
    one, other = found.packages[0].specs.values()
    assert one is other


def test_a_record_that_cannot_be_read_is_an_error_in_two_versions_that_have_it() -> None:
    zlib = Item("zlib", explicit=True)
    documents = [lock([zlib, Item("m4", version)]) for version in ("1.4", "1.5")]
    for document in documents:
        document["concrete_specs"][zlib.key]["namespace"] = 5
    with pytest.raises(FormatError, match=rf"^concrete_specs\.{zlib.key}\.namespace: expected str"):
        read_pair(*(file("spack.lock", document) for document in documents))


def test_a_lock_without_specs_is_empty() -> None:
    found = read(file("a/spack.lock", lock([])))
    assert found.packages == []
    assert found.claims == (Claim(".", "stack", "a"),)


def test_locks_of_two_stacks_are_not_two_versions_of_one() -> None:
    one, other = file("a/spack.lock", lock([])), file("b/spack.lock", lock([]))
    assert not read(one).is_version_of(read(other))


@given(found=items(), version=st.sampled_from(LOCK_VERSIONS))
def test_a_lock_is_counted_as_it_is_read(found: list[Item], version: int) -> None:
    document = file("spack.lock", lock(found, version))
    whole = read(document)
    counted = DOCUMENTS.reader("spack.lock", Limits())(document)  # not yet read whole
    assert counted
    assert counted.claims == whole.claims
    assert counted.listed_hashes == whole.listed_hashes
    assert {count.name: sum(count.by_stacks.values()) for count in counted.counts} == {
        package.name: len(package.specs) for package in whole.packages
    }
