"""What diffs of real documents must say: the counts that stand beside the documents."""

from collections import Counter
from pathlib import Path

import pytest

from snapdiff.catalog.reading import FilePair
from snapdiff.diff.changed_pairs import KnownGraphs
from snapdiff.diff.packages import diff_package
from snapdiff.filters import Scope
from snapdiff.limits import Limits
from snapdiff.result.changes import Filters
from tests.support.documents import file, read_pair
from tests.support.nightly import nightly_but
from tests.support.real_catalogs import DATA, needs_real_catalogs

pytestmark = needs_real_catalogs

E4S = {
    "cuda-aarch64": (901, 1063, 8, 196, 34, 194, 11, 50, 604),
    "cuda-ppc64le": (975, 961, 8, 78, 92, 193, 8, 40, 634),
    "cuda-x86_64": (1132, 1034, 7, 51, 149, 229, 9, 44, 694),
    "oneapi-x86_64": (666, 774, 0, 140, 32, 118, 10, 506, 0),
    "rocm-x86_64": (1076, 1006, 21, 53, 123, 216, 9, 43, 664),
}
KINDS = ("unchanged", "added", "removed", "upgraded", "downgraded", "reconfigured", "rebuilt")


def counts_of(pair: FilePair) -> Counter[str]:
    """How many specs of a pair are of each kind."""
    counts: Counter[str] = Counter()
    for package in pair.pairs:
        counts["unchanged"] += sum(package.common.values())
        found = diff_package(package, Scope(Filters()), Limits(), KnownGraphs())
        for changes in found.stacks.values():
            counts.update(change.kind.value for change in changes.specs)
    for package_counts in pair.unchanged:
        counts["unchanged"] += sum(package_counts.by_stacks.values())
    return counts


def pair_of(old: Path, new: Path, name: str = "environment/spack.lock") -> FilePair:
    """Two real files as two versions of one."""
    return read_pair(file(name, old.read_bytes()), file(name, new.read_bytes()))


@pytest.mark.slow
@pytest.mark.parametrize("environment", nightly_but(list(E4S), ["rocm-x86_64"]))
def test_two_releases_of_e4s(environment: str) -> None:
    folder = DATA / "locks" / "e4s" / "environments"
    old, new = (folder / release / environment / "spack.lock" for release in ("23.08", "23.11"))
    pair = pair_of(old, new)
    counts = counts_of(pair)
    gone = ("removed", "upgraded", "downgraded", "reconfigured", "rebuilt")
    come = ("added", *gone[1:])
    sizes = [sum(counts[kind] for kind in ("unchanged", *kinds)) for kinds in (gone, come)]
    assert (*sizes, *(counts[kind] for kind in KINDS)) == E4S[environment]


@pytest.mark.parametrize(
    ("folder", "old", "new", "expected"),
    [
        (
            "derecho",
            "066",
            "067",
            {"rebuilt": 40, "upgraded": 7, "removed": 24, "added": 2, "unchanged": 578},
        ),
        ("derecho", "062", "063", {"added": 90, "removed": 4, "reconfigured": 6, "rebuilt": 1}),
        ("julea", "002", "003", {"rebuilt": 100, "reconfigured": 2, "upgraded": 3}),
        (
            "julea",
            "003",
            "004",
            {"rebuilt": 76, "downgraded": 22, "reconfigured": 2, "removed": 4, "unchanged": 1},
        ),
    ],
)
def test_two_revisions_of_a_lock(folder: str, old: str, new: str, expected: dict[str, int]) -> None:
    one, other = (next((DATA / "locks" / folder).glob(f"{number}-*")) for number in (old, new))
    counts = counts_of(pair_of(one, other))
    unchanged = expected.get("unchanged", counts["unchanged"])
    assert +counts == +Counter({**expected, "unchanged": unchanged})


def test_two_revisions_of_an_install_database() -> None:
    old, new = sorted((DATA / "indexes" / "derecho-spack-db").glob("*.json"))
    assert +counts_of(pair_of(old, new, "tree/.spack-db/index.json")) == {
        "unchanged": 1209,
        "added": 5,
    }
