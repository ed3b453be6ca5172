"""What real Spack wrote before and after one known change: the counts are those of the change."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.support.helpers import run_cli
from tests.support.real_catalogs import DATA, needs_real_catalogs

REAL = DATA / "real-spack"

pytestmark = needs_real_catalogs


def counts(old: Path, new: Path) -> dict[str, int]:
    """The summary of a comparison, without what there is none of."""
    done = run_cli(str(old), str(new), "-f", "json")
    assert (done.status, done.err) == (0, "")
    summary: dict[str, int] = json.loads(done.out)["summary"]
    return {kind: number for kind, number in summary.items() if number}


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("0.23/base", "0.23/zlibswap", {"unchanged": 30, "rebuilt": 40, "added": 1, "removed": 1}),
        ("0.23/base", "0.23/zlibver", {"unchanged": 30, "rebuilt": 40, "downgraded": 1}),
        ("0.23/base", "0.23/hdf5cxx", {"unchanged": 69, "rebuilt": 1, "reconfigured": 1}),
        ("0.23/base", "0.23/flags", {"unchanged": 69, "rebuilt": 1, "reconfigured": 1}),
        ("0.23/base", "0.23/clang", {"reconfigured": 70, "removed": 1}),
        ("0.23/base", "0.23/mpich", {"unchanged": 59, "rebuilt": 4, "added": 3, "removed": 8}),
        ("0.23/base", "0.23/gitver", {"unchanged": 69, "upgraded": 1, "rebuilt": 1}),
        ("0.23/base", "0.23/recipe", {"unchanged": 26, "rebuilt": 45}),
        ("0.23/base", "0.23/rootdown", {"unchanged": 69, "downgraded": 1, "rebuilt": 1}),
        # 18 go and 7 come: four of each are built alike.
        ("0.23/base", "0.23/splice", {"unchanged": 53, "removed": 14, "added": 3, "rebuilt": 4}),
        ("0.23/multi", "0.23/multi2", {"unchanged": 70, "reconfigured": 1}),
        ("0.23/incA", "0.23/incB", {"unchanged": 30, "rebuilt": 40, "downgraded": 1}),
        ("1.2/base", "1.2/zlibswap", {"unchanged": 30, "rebuilt": 44, "added": 1, "removed": 1}),
        (
            *("1.2/base", "1.2/two"),
            {"unchanged": 30, "rebuilt": 43, "downgraded": 1, "added": 1, "removed": 1},
        ),
        (
            *("1.2/base", "1.2/gcc11"),
            {"unchanged": 3, "reconfigured": 60, "rebuilt": 10, "downgraded": 2},
        ),
        (
            *("0.23/base", "1.2/base"),
            {"upgraded": 47, "rebuilt": 19, "reconfigured": 5, "added": 4},
        ),
    ],
)
def test_an_environment(old: str, new: str, found: dict[str, int]) -> None:
    assert counts(REAL / old / "spack.lock", REAL / new / "spack.lock") == found


@pytest.mark.parametrize(
    ("folder", "old", "new", "found"),
    [
        ("mirror-layout2", "A", "B", {"unchanged": 13, "added": 69}),
        ("mirror-layout2", "B", "C", {"unchanged": 79, "removed": 3}),
        ("install-tree-0.23", "1", "2", {"unchanged": 15, "removed": 1}),
        ("install-tree-0.23", "A", "B", {"unchanged": 16, "added": 69}),
    ],
)
def test_a_mirror_and_a_tree(folder: str, old: str, new: str, found: dict[str, int]) -> None:
    assert counts(REAL / folder / old, REAL / folder / new) == found


def test_two_deleted_builds_of_a_mirror() -> None:
    sides = str(REAL / "mirror-layout2/B"), str(REAL / "mirror-layout2/C")
    diff = json.loads(run_cli(*sides, "-f", "json").out)
    [stack] = diff["tags"][0]["stacks"]
    removed = {(change["package"], change["kind"]) for change in stack["changes"]}
    assert removed == {(name, "removed") for name in ("netcdf-c", "krb5", "openssh")}


PACKAGES: dict[tuple[str, str], tuple[dict[str, int], str, str]] = {
    # What happened to so many packages; which are gone, and which are new.
    ("0.23/base", "0.23/zlibswap"): ({"added": 1, "rebuilt": 40, "removed": 1}, "zlib-ng", "zlib"),
    ("0.23/base", "0.23/zlibver"): ({"downgraded": 1, "rebuilt": 40}, "", ""),
    ("0.23/base", "0.23/hdf5cxx"): ({"rebuilt": 1, "reconfigured": 1}, "", ""),
    ("0.23/base", "0.23/flags"): ({"rebuilt": 1, "reconfigured": 1}, "", ""),
    ("0.23/base", "0.23/clang"): ({"reconfigured": 70, "removed": 1}, "gcc-runtime", ""),
    # openmpi, and what only it needed.
    ("0.23/base", "0.23/mpich"): (
        {"added": 3, "rebuilt": 4, "removed": 8},
        "bison krb5 libedit libevent numactl openmpi openssh pmix",
        "libfabric mpich yaksa",
    ),
    ("0.23/base", "0.23/gitver"): ({"rebuilt": 1, "upgraded": 1}, "", ""),
    ("0.23/base", "0.23/recipe"): ({"rebuilt": 45}, "", ""),
    ("0.23/base", "0.23/rootdown"): ({"downgraded": 1, "rebuilt": 1}, "", ""),
    ("0.23/base", "0.23/splice"): (
        {"added": 3, "rebuilt": 4, "removed": 14},
        (
            "autoconf automake bison findutils krb5 libedit libevent libsigsegv libtool m4 numactl "
            "openmpi openssh pmix"
        ),
        "libfabric mpich yaksa",
    ),
    ("0.23/multi", "0.23/multi2"): ({"reconfigured": 1}, "", ""),
    ("0.23/incA", "0.23/incB"): ({"downgraded": 1, "rebuilt": 40}, "", ""),
    ("1.2/base", "1.2/zlibswap"): ({"added": 1, "rebuilt": 44, "removed": 1}, "zlib-ng", "zlib"),
    ("1.2/base", "1.2/two"): (
        {"added": 1, "downgraded": 1, "rebuilt": 43, "removed": 1},
        "zlib-ng",
        "zlib",
    ),
    ("1.2/base", "1.2/gcc11"): ({"downgraded": 2, "rebuilt": 10, "reconfigured": 60}, "", ""),
    ("0.23/base", "1.2/base"): (
        {"added": 4, "rebuilt": 19, "reconfigured": 5, "upgraded": 47},
        "",
        "compiler-wrapper flex gcc prrte",
    ),
    # The third is the one build of netcdf-c that has no MPI.
    ("mirror-layout2/B", "mirror-layout2/C"): ({"removed": 3}, "krb5 openssh", ""),
    ("install-tree-0.23/1", "install-tree-0.23/2"): ({"removed": 1}, "netcdf-c", ""),
}


@pytest.mark.parametrize(("old", "new"), PACKAGES)
def test_what_happened_to_the_packages_and_which_are_gone_and_new(old: str, new: str) -> None:
    kinds, gone, came = PACKAGES[old, new]
    diff = json.loads(run_cli(REAL / old, REAL / new, "-f", "json").out)
    [stack] = diff["tags"][0]["stacks"]
    assert Counter(change["kind"] for change in stack["package_changes"]) == kinds
    assert (stack["packages"]["removed"], stack["packages"]["added"]) == (
        gone.split(),
        came.split(),
    )
    lost = {it["package"]: it["lost_by"] for it in stack["package_changes"] if not it["whole"]}
    without_mpi = {"trait": {"what": "variant", "name": "mpi", "value": "~mpi"}, "specs": 1}
    assert [it for it in lost.values() if it] == [[without_mpi]] * ("mirror" in old)
    for change in stack["package_changes"]:
        assert change["specs"]["removed"] <= 1
        assert (change["lost"] is None) == (change["lost_by"] == [])
