"""Environments as `spack.lock` files: two releases of several, and a history of one.

The hash of a spec follows from all that it is made of, its dependencies included, as Spack's does:
so a new version of one spec rebuilds all that is above it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from benchmarks.indexes import FLAGS, digest
from benchmarks.store import Repository

ENVIRONMENTS = 5
SPECS = 1_000
COMMITS = 135

_DEPENDENCIES = range(2, 9)
_WINDOW = 60
"""How far down a spec's dependencies are, so that closures have a hundred members, as real ones."""


@dataclass(frozen=True, slots=True)
class Locked:
    """A spec of an environment: `needs` are the numbers of specs before it in the list."""

    number: int
    name: str
    version: tuple[int, int, int]
    option: bool
    needs: tuple[int, ...]


Environment = list[Locked]


def environment(specs: int, *, seed: int) -> Environment:
    """Return an environment; each spec comes after all that it depends on."""
    random = Random(f"environment {seed}")
    found: Environment = []
    for number in range(specs):
        below = range(max(0, number - _WINDOW), number)
        count = min(len(below), random.choice(_DEPENDENCIES))
        version = random.randrange(9), random.randrange(20), random.randrange(5)
        # Four of ten specs share the name of their package with another.
        name = f"package-{number if number % 5 < 3 else number - number % 5:04}"
        needs = tuple(sorted(random.sample(below, count)))
        found.append(Locked(number, name, version, random.random() < 0.5, needs))
    return found


def next_release(specs: Environment, *, seed: int) -> Environment:
    """Return the environment of a later release: one spec in four has another version."""
    random = Random(f"release {seed}")
    return [_changed(spec, random, upgraded=0.2, downgraded=0.01, switched=0.04) for spec in specs]


def next_commit(specs: Environment, *, seed: int) -> Environment:
    """Return the environment after a commit: one to three specs have another version.

    Mostly they are near the roots, so that a tenth of the environment is rebuilt.
    """
    random = Random(f"commit {seed}")
    found = list(specs)
    for _ in range(random.randrange(1, 4)):
        place = int((len(specs) - 1) * (1 - random.random() ** 16))
        found[place] = _changed(found[place], random, upgraded=0.8, downgraded=0.1, switched=0.1)
    return found


def _changed(
    spec: Locked, random: Random, *, upgraded: float, downgraded: float, switched: float
) -> Locked:
    chance = random.random()
    major, minor, patch = spec.version
    if chance < upgraded:
        return replace(spec, version=(major, minor + 1, patch))
    if chance < upgraded + downgraded:
        return replace(spec, version=(major, max(minor - 1, 0), patch))
    if chance < upgraded + downgraded + switched:
        return replace(spec, option=not spec.option)
    return spec


def lock_text(specs: Sequence[Locked]) -> bytes:
    """Return the lock of an environment: the specs that no other one needs are its roots."""
    hashes: dict[int, str] = {}
    by_number = {spec.number: spec for spec in specs}
    nodes: dict[str, object] = {}
    for spec in specs:
        words = (spec.name, str(spec.version), str(spec.option), *map(hashes.get, spec.needs))
        hashes[spec.number] = digest(*map(str, words))
        below = [(by_number[number].name, hashes[number]) for number in spec.needs]
        nodes[hashes[spec.number]] = _node(spec, hashes[spec.number], below)
    needed = {number for spec in specs for number in spec.needs}
    roots = [spec for spec in specs if spec.number not in needed]
    document = {
        "_meta": {"file-type": "spack-lockfile", "lockfile-version": 5, "specfile-version": 4},
        "spack": {"version": "0.21.0", "type": "git", "commit": "a" * 40},
        "roots": [{"hash": hashes[spec.number], "spec": spec.name} for spec in roots],
        "concrete_specs": nodes,
    }
    return json.dumps(document, separators=(", ", ": ")).encode()


def _node(spec: Locked, spec_hash: str, below: Sequence[tuple[str, str]]) -> dict[str, object]:
    parameters: dict[str, object] = {"build_system": "cmake", "build_type": "Release"}
    parameters |= {f"option_{number}": bool(spec.number >> number & 1) for number in range(6)}
    parameters |= {"switched": spec.option, **{flag: [] for flag in FLAGS}}
    return {
        "name": spec.name,
        "version": ".".join(map(str, spec.version)),
        "arch": {"platform": "linux", "platform_os": "ubuntu20.04", "target": "x86_64_v3"},
        "compiler": {"name": "gcc", "version": "11.4.0"},
        "namespace": "builtin",
        "parameters": parameters,
        "package_hash": digest(spec.name, str(spec.version[:2])) + "a" * 20 + "====",
        "dependencies": [
            {
                "name": name,
                "hash": dependency,
                "parameters": {
                    "deptypes": ["build"] if place % 4 == 3 else ["build", "link"],
                    "virtuals": [],
                },
            }
            for place, (name, dependency) in enumerate(below)
        ],
        "hash": spec_hash,
    }


def write_releases(folder: Path, specs: int = SPECS, *, seed: int = 1) -> None:
    """Write two releases of several environments, `old` and `new`, a lock each."""
    for number in range(ENVIRONMENTS):
        old = environment(specs, seed=10 * seed + number)
        for side, locked in (("old", old), ("new", next_release(old, seed=10 * seed + number))):
            lock = folder / side / f"environment-{number}" / "spack.lock"
            lock.parent.mkdir(parents=True)
            lock.write_bytes(lock_text(locked))


def versions(commits: int, specs: int = SPECS, *, seed: int = 1) -> Iterator[bytes]:
    """Yield the lock of an environment, and what it is after each of so many commits."""
    locked = environment(specs, seed=seed)
    yield lock_text(locked)
    for number in range(commits):
        locked = next_commit(locked, seed=1000 * seed + number)
        yield lock_text(locked)


def write_history(path: Path, specs: int = SPECS, *, seed: int = 1) -> None:
    """Write a repository in which each commit changes one lock."""
    with Repository(path) as repository:
        for number, text in enumerate(versions(COMMITS, specs, seed=seed)):
            blob = repository.blob_of(text)
            repository.commit(f"Commit {number}", [("environment/spack.lock", blob)])
