"""Two build cache indexes that have most of their specs in common, as large as real ones.

    python -m benchmarks.indexes DIR [--specs N] [--seed N]

The records have the fields and the size of those that Spack writes: 1.7 kB on average. The hash of
a spec follows from what it is made of, so a spec is new where something below it is: of 13% of the
specs, one in eight has changed itself, and the others are rebuilt because of these, near or far.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from base64 import b32encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.names import PLACES

STEP = 64
"""Of each so many specs the first ones are new: 8 of 64 are 13%, as from week to week."""

CHANGED, NEAR, FAR = range(1), range(1, 5), range(5, 8)
"""Places within a step: specs that change themselves, what is right above them, what is farther."""

COMPILER = 8
"""The number of the spec that is the compiler of all others."""

CORE = 1_000
"""All dependencies that do not change are among the first so many specs, as in a real catalog."""

EDGES = range(4, 10)
FEATURES = ("aes", "avx", "avx2", "bmi1", "bmi2", "cx16", "f16c", "fma", "movbe", "popcnt", "sse")
FLAGS = ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")


def digest(*words: str) -> str:
    """A hash as Spack's look, the same for the same words."""
    made = hashlib.sha1(" ".join(words).encode(), usedforsecurity=False).digest()
    return b32encode(made).decode("ascii").lower()


@dataclass(frozen=True, slots=True)
class Names:
    """What a spec of an index is called."""

    package: str
    version: str
    hash: str


def names_of(number: int, specs: int, *, seed: int, is_new: bool) -> Names:
    """The names of a spec. Of those that change, most are upgraded, some go back to a version."""
    package = f"package-{number % max(1, specs // 60):05}"
    place, step = number % STEP, number // STEP
    patch = 1
    if is_new and place in CHANGED:
        patch = 1 if is_switched(number) else 0 if step % 8 == 0 else 2
    version = f"{number % 7}.{number % 20}.{patch}"
    is_other = is_new and place < FAR.stop
    return Names(package, version, digest(str(seed), str(number), version, str(is_other)))


def is_switched(number: int) -> bool:
    """Whether a spec that changes keeps its version, and has a variant switched instead."""
    return number % STEP in CHANGED and number // STEP % 8 == 1


def records(specs: int, *, seed: int, is_new: bool) -> Iterator[tuple[str, bytes]]:
    """The hash and the record of each spec of an index."""
    for number in range(specs):
        # A generator of its own for each: what changes in one leaves the others as they are.
        random = Random(f"{seed} {number}")
        names = names_of(number, specs, seed=seed, is_new=is_new)
        below = list(_dependencies(random, number, specs))
        edges = [names_of(found, specs, seed=seed, is_new=is_new) for found in below]
        switched = is_new and is_switched(number)
        yield names.hash, _record(random, names, edges, switched=switched)


def _dependencies(random: Random, number: int, specs: int) -> Iterator[int]:
    """The numbers of the specs that one depends on, its compiler first; there are no circles."""
    if number > COMPILER:
        yield COMPILER
    place = number % STEP
    if place in NEAR or place in FAR:
        changed = STEP * random.randrange(max(1, specs // STEP))
        yield changed if place in NEAR else changed + random.choice(NEAR)
    for _ in range(random.choice(EDGES)):
        found = random.randrange(max(1, min(number, CORE)))
        if found % STEP >= FAR.stop and found != COMPILER:
            yield found


def _record(random: Random, names: Names, below: list[Names], *, switched: bool) -> bytes:
    place = PLACES[random.randrange(len(PLACES))][1]
    parameters: dict[str, object] = {"build_system": "cmake", "build_type": "Release"}
    for variant in range(8):
        parameters[f"option_{variant}"] = random.random() < 0.5
    parameters["switched"] = switched
    parameters["languages"] = random.sample(["c", "c++", "fortran"], random.randrange(1, 4))
    parameters |= {flag: [] for flag in FLAGS}
    dependencies = [
        {
            "name": dependency.package,
            "hash": dependency.hash,
            "parameters": {
                "deptypes": ["build"] if position == 0 else ["build", "link"],
                "virtuals": ["c", "cxx"] if position == 0 else [],
            },
        }
        for position, dependency in enumerate(below)
    ]
    node = {
        "name": names.package,
        "version": names.version,
        "arch": {
            "platform": place.platform,
            "platform_os": place.os,
            "target": {
                "name": place.target,
                "vendor": "GenuineIntel",
                "features": FEATURES,
                "generation": 0,
                "parents": ["broadwell"],
                "cpupart": "",
            },
        },
        "namespace": "builtin",
        "parameters": parameters,
        "package_hash": digest(names.package) + "a" * 20 + "====",
        "dependencies": dependencies,
        "annotations": {"original_specfile_version": 5},
        "hash": names.hash,
    }
    record = {"spec": node, "ref_count": random.randrange(9), "in_buildcache": True}
    return json.dumps(record, separators=(",", ":")).encode()


def write_index(path: Path, specs: int, *, seed: int, is_new: bool) -> None:
    """Write an index as Spack writes it, on one line."""
    with path.open("wb") as file:
        file.write(b'{"database":{"version":"8","installs":{')
        for number, (spec_hash, record) in enumerate(records(specs, seed=seed, is_new=is_new)):
            file.write(b',"' if number else b'"')
            file.write(spec_hash.encode() + b'":' + record)
        file.write(b"}}}")


def write_pair(folder: Path, specs: int, *, seed: int = 1) -> None:
    """Write two indexes as mirrors of layout 2, `old` and `new`."""
    for side in ("old", "new"):
        mirror = folder / side / "mirror" / "build_cache"
        mirror.mkdir(parents=True, exist_ok=True)
        write_index(mirror / "index.json", specs, seed=seed, is_new=side == "new")


def main() -> int:
    """Write two indexes below a folder."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.indexes", description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--specs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write_pair(options.folder, options.specs, seed=options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
