"""A node in the shapes of the years: its name, its version, and the key path of what is wrong."""

import json
from typing import Any

import pytest

from snapdiff.errors import FormatError
from snapdiff.formats.spec_node import decode_node, find_compiler
from snapdiff.limits import VERSION_PARTS
from snapdiff.model.specs import Edge

SHAPES: dict[str, Any] = {
    "with its name and version": {"name": "zlib", "version": "1.3"},
    "by its name": {"zlib": {"version": "1.3"}},
    "with a list of one version": {"name": "zlib", "versions": ["1.3"]},
    "by its name, with a list of one version": {"zlib": {"versions": ["1.3"]}},
    "with a version and ranges": {"name": "zlib", "version": "1.3", "versions": ["1.2:", "2"]},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_node_has_its_name_and_version_in_every_shape(shape: str) -> None:
    node = decode_node(json.dumps(SHAPES[shape]).encode(), "specs.a")
    assert (node.name, node.only_version("specs.a")) == ("zlib", "1.3")


@pytest.mark.parametrize(
    ("node", "error"),
    [
        ({}, "specs.a.name: missing"),
        ({"zlib": {}, "hdf5": {}}, "specs.a.name: missing"),
        ({"": {}}, "specs.a.name: empty"),
        ([], "specs.a: expected object, got array"),
        ({"version": "1.3"}, "specs.a.version: expected object"),
        ({"zlib": {"version": 3}}, "specs.a.zlib.version: expected str"),
        ({"name": "zlib"}, "specs.a.version: missing"),
        ({"name": "zlib", "versions": []}, "specs.a.version: missing"),
        ({"name": "zlib", "versions": ["1.2", "1.3"]}, "specs.a.version: missing"),
        ({"name": "zlib", "version": "1." * VERSION_PARTS + "1"}, "specs.a.version: "),
    ],
)
def test_what_is_wrong_with_a_node_is_named_by_its_place(node: Any, error: str) -> None:
    with pytest.raises(FormatError) as caught:
        decode_node(json.dumps(node).encode(), "specs.a").only_version("specs.a")
    assert str(caught.value).startswith(error)


def test_a_version_may_have_so_many_parts() -> None:
    version = "1." * (VERSION_PARTS - 1) + "1"
    node = decode_node(json.dumps({"name": "zlib", "version": version}).encode(), "a")
    assert node.only_version("a") == version


GCC = Edge("gcc", "g" * 32, (), ("c", "cxx"))
LLVM = Edge("llvm", "l" * 32, (), ("cxx", "c"))
FLANG = Edge("flang", "f" * 32, (), ("fortran",))
GXX = Edge("gxx", "x" * 32, (), ("cxx",))
MPI = Edge("openmpi", "m" * 32, (), ("mpi",))


@pytest.mark.parametrize(
    ("providers", "compiler"),
    [
        ([], None),
        ([MPI], None),
        ([FLANG, MPI], FLANG),
        ([FLANG, GXX], GXX),
        ([FLANG, GCC, GXX], GCC),
        ([GCC, LLVM], GCC),
    ],
)
def test_the_compiler_provides_c_else_cxx_else_fortran(
    providers: list[Edge], compiler: Edge | None
) -> None:
    assert find_compiler(providers) == compiler
