"""Versions of one document, read one after the other: what is known of the last is used."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from snapdiff.catalog.reading import pair_documents
from snapdiff.formats.document import Document, File
from snapdiff.formats.kinds import DOCUMENTS
from snapdiff.limits import DEFAULT_LIMITS
from snapdiff.model.specs import Graph
from tests.support.documents import Item, lock, needs, to_bytes

GCC = Item("gcc", "12.3.0", compiler=None)
ZLIB = Item("zlib", compiler=None, needs=(needs(GCC, "c", types=("build",)),))
HDF5 = Item("hdf5", compiler=None, needs=(needs(ZLIB), needs(GCC, "c", types=("build",))))
OTHER = Item("cmake", compiler=None)
ITEMS = (GCC, ZLIB, HDF5, OTHER)


def said(document: Document | None) -> Any:
    """All that a document says, as values that compare."""
    assert document is not None
    packages = [
        (
            package.tag,
            package.name,
            {key: build.spec(key) for key, build in package.specs.items()},
            [node_said(package.graph, key) for key in package.specs],
        )
        for package in document.packages
    ]
    return packages, document.counts, document.warning, document.listed_hashes


def node_said(graph: Graph | None, key: str) -> Any:
    """All that a node says, as values that compare."""
    node = graph.node(key) if graph else None
    assert node is not None
    return node.name, node.build.spec(key), node.namespace, node.recipe, node.edges


def read_in_turn(texts: Sequence[bytes]) -> list[Any]:
    """What one reader makes of several versions."""
    reader = DOCUMENTS.reader("env/spack.lock", DEFAULT_LIMITS)
    return [said(reader(File("env/spack.lock", text))) for text in texts]


def read_anew(texts: Sequence[bytes]) -> list[Any]:
    """What a reader of its own makes of each version: the plain way."""
    return [found for text in texts for found in read_in_turn([text])]


@st.composite
def versions(draw: st.DrawFn) -> bytes:
    """A lock of some items, in which any may be missing, explicit, or not what its hash says."""
    items = [
        replace(item, explicit=draw(st.booleans()), hash=item.key)
        for item in ITEMS
        if draw(st.integers(0, 4))
    ]
    changed = [
        replace(item, version="9.9") if draw(st.integers(0, 4)) == 0 else item for item in items
    ]
    return to_bytes(lock(changed))


@given(st.lists(versions(), min_size=2, max_size=5))
def test_a_reader_that_knows_a_version_reads_the_next_as_any_other(texts: list[bytes]) -> None:
    assert read_in_turn(texts) == read_anew(texts)


def test_another_compiler_under_the_same_hash_is_seen() -> None:
    other = replace(GCC, version="13.1.0", hash=GCC.key)
    texts = [to_bytes(lock(some)) for some in ([GCC, ZLIB], [other, ZLIB], [ZLIB])]
    found = read_in_turn(texts)
    assert found == read_anew(texts)
    compilers = [{name: specs for _, name, specs, _ in one[0]}["zlib"] for one in found]
    assert [spec.compiler for one in compilers for spec in one.values()] == [
        *("gcc@12.3.0", "gcc@13.1.0", "gcc"),
    ]


def test_a_spec_that_is_asked_for_only_later_is_seen() -> None:
    asked_for = replace(ZLIB, explicit=True)
    texts = [to_bytes(lock([GCC, item])) for item in (ZLIB, asked_for, asked_for, ZLIB)]
    found = read_in_turn(texts)
    assert found == read_anew(texts)
    explicit = [{name: specs for _, name, specs, _ in one[0]}["zlib"] for one in found]
    assert [spec.explicit for one in explicit for spec in one.values()] == [
        *(False, True, True, False),
    ]


def test_a_spec_that_was_asked_for_in_between_goes_as_one_that_was() -> None:
    """Its node was read in the version in which nobody asked for it yet."""
    reader = DOCUMENTS.reader("env/spack.lock", DEFAULT_LIMITS)
    top = replace(HDF5, explicit=True)
    locks = [
        lock(some) for some in ([top], [top, ZLIB], [top, replace(ZLIB, explicit=True)], [top])
    ]
    old, *others = [reader(File("env/spack.lock", to_bytes(found))) for found in locks]
    moves = []
    for new in others:
        assert old
        assert new
        for pair in pair_documents(old, new, "env/spack.lock").pairs:
            moves += [it.explicit for side in (pair.old, pair.new) for it in side.values()]
        old = new
    assert moves == [False, True]


def test_what_is_the_same_is_not_read_again() -> None:
    reader = DOCUMENTS.reader("env/spack.lock", DEFAULT_LIMITS)
    first = lock([GCC, ZLIB, OTHER])
    second = json.loads(to_bytes(first))
    second["concrete_specs"][OTHER.key]["version"] = "4.0"
    documents = [reader(File("env/spack.lock", to_bytes(document))) for document in (first, second)]
    builds = [
        {package.name: package.specs for package in document.packages}
        for document in documents
        if document
    ]
    assert builds[0]["zlib"][ZLIB.key] is builds[1]["zlib"][ZLIB.key]
    assert builds[1]["cmake"][OTHER.key].version_text == "4.0"
