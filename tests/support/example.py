"""A small example: two catalogs in which one tag differs, one came and one went."""

from typing import Any

from tests.support.helpers import spec

OLD = [
    spec("b", "1.0", package="zlib", stacks="e4s root"),
    spec("c", "2.0", package="hdf5", stacks="e4s hep root"),
    spec("d", "3.0", package="mpich", stacks="hep root"),
    spec("e", "4.0", package="cmake", stacks="root"),
    spec("f", "5.0", package="py-numpy", stacks="ml-cpu ml-cuda root"),
    spec("g", "6.0", package="py-torch", stacks="ml-cuda root"),
    spec("b", "1.0", package="zlib", tag="v0.22", stacks="e4s root"),
]
NEW = [
    spec("p", "1.1", package="zlib", stacks="e4s root"),
    spec("c", "2.0", package="hdf5", stacks="e4s hep root"),
    spec("q", "2.9", package="mpich", stacks="hep root"),
    spec("r", "4.0", package="cmake", stacks="root"),
    spec("s", "5.0", package="py-numpy", stacks="ml-cpu ml-cuda root", variants="+mkl"),
    spec("t", "1.0", package="py-new", stacks="ml-cpu root"),
    spec("b", "1.0", package="zlib", tag="v0.23", stacks="e4s root"),
]
EVERYTHING = {
    "e4s": {"upgraded": 1, "unchanged": 1},
    "hep": {"downgraded": 1, "unchanged": 1},
    "ml-cpu": {"added": 1, "reconfigured": 1},
    "ml-cuda": {"reconfigured": 1, "removed": 1},
    "root": {"rebuilt": 1},
}


def found_in(report: dict[str, Any], tag: str = "develop") -> dict[str, dict[str, int]]:
    """The kinds that are there, by stack of a tag."""
    return {
        stack["stack"]: {kind: number for kind, number in stack["summary"].items() if number}
        for item in report["tags"]
        if tag in (item["old"], item["new"])
        for stack in item["stacks"]
    }
