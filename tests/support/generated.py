"""Generated catalogs: few values and many like specs, so that every pass and tie occurs."""

import base64
import hashlib
import random
from collections.abc import Mapping

from hypothesis import strategies as st

from tests.support.oracle import Record

VERSIONS = ("1.2", "1.2.0", "1.10", "1.2-rc1", "01.2", "2.0", "develop", "git.main=1.2", "2.0rc")
COMPILERS = ("gcc@12.3.0", "gcc@=12.3.0", "gcc@13.1.0", "clang@15.0.0", "llvm@15.0.0", "none")
SYSTEMS = ("ubuntu22.04", "rhel8")
MACHINES = (
    ("linux", "x86_64_v3"),
    ("linux", "zen4"),
    ("linux", "neoverse_v2"),
    ("linux", "aarch64"),
    ("darwin", "aarch64"),
)
VARIANTS = (
    ("+mpi", "build_type=Release"),
    ("build_type:=Release", "+mpi"),
    ("~mpi", "build_type=Release"),
    ("+mpi", "languages:='c,c++'"),
    ("+mpi", "languages=c,c++", "~cuda"),
    (),
)
STACKS = (("e4s", "root"), ("root",), (), ("hep", "e4s", "root"), ("tutorial",))

Catalogs = tuple[list[Record], list[Record]]
"""The records of an old and of a new catalog."""


def make_record(chance: random.Random, tag: str, package: str, number: int) -> Record:
    """A record out of few values, with a hash of its own that has nothing to do with the rest."""
    digest = hashlib.sha256(f"{tag} {package} {number}".encode()).digest()
    platform, target = chance.choice(MACHINES[:3] if chance.random() < 0.8 else MACHINES)
    return {
        "tag": tag,
        "package": package,
        "hash": base64.b32encode(digest).decode("ascii").lower()[:32],
        "versions": [chance.choice(VERSIONS)],
        "compiler": chance.choice(COMPILERS),
        "os": chance.choice(SYSTEMS),
        "platform": platform,
        "target": target,
        "variants": list(chance.choice(VARIANTS)),
        "stacks": list(chance.choice(STACKS)),
    }


def make_catalogs(chance: random.Random, sizes: Mapping[tuple[str, str], int]) -> Catalogs:
    """Two catalogs in which each (tag, package) has so many distinct hashes.

    Some records are on both sides, a few of them in other stacks there; others appear several
    times on one side, alike in all but the hash.
    """
    old: list[Record] = []
    new: list[Record] = []
    for (tag, package), size in sizes.items():
        earlier: list[Record] = []
        for number in range(size):
            item = make_record(chance, tag, package, number)
            if earlier and chance.random() < 0.5:
                item = chance.choice(earlier) | {"hash": item["hash"]}
            earlier.append(item)
            where = chance.random()
            if where < 0.55:
                old.append(item)
            if where > 0.45:
                moved = where < 0.48
                new.append(item | {"stacks": list(chance.choice(STACKS))} if moved else item)
    return old, new


@st.composite
def catalogs(draw: st.DrawFn, *, most_specs: int = 12) -> Catalogs:
    """Two small catalogs; the sizes shrink, what fills them is random by seed."""
    names = st.tuples(st.sampled_from(["develop", "v0.23"]), st.sampled_from(["zlib", "hdf5"]))
    sizes = draw(st.dictionaries(names, st.integers(0, most_specs), min_size=1))
    return make_catalogs(draw(st.randoms(use_true_random=True)), sizes)
