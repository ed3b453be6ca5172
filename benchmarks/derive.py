"""What becomes of a generated catalog: the next day, the next week, an upheaval, one changed page.

Each function yields pairs (old page, new page); the new page is the same object where nothing
changed, and one of the two is None where a page went or came. Like `catalog`, every page has a
random generator of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from random import Random

from benchmarks.catalog import Shape, flipped, new_hash, package_names, page, sorted_variants
from benchmarks.names import NEWER_COMPILERS, PLACES, Place
from benchmarks.page import Page, Record

Pair = tuple[Page | None, Page | None]

# What happens to a spec of a page that changes in a day, with weights.
EVENTS = ("rebuilt", "upgraded", "reconfigured", "added", "removed", "restacked")
WEIGHTS = (52, 16, 8, 10, 9, 5)


def next_day(
    pages: Iterable[Page], *, seed: int = 1, changed: float = 0.6, specs: float = 0.05
) -> Iterator[Pair]:
    """A day later: a share of pages changed, in each a share of the specs; a few came or went."""
    for old in pages:
        random = Random(f"{seed} day {old.path}")
        fate = random.random()
        if fate < 0.001:
            yield old, None
        elif fate < changed:
            yield old, _changed(old, random, max(1, round(len(old.specs) * specs)))
        else:
            yield old, old
        if random.random() < 0.001:
            yield None, Page(f"{old.package}-next", old.tag, _rehashed(old, random))


def one_page(pages: Iterable[Page], package: str, *, seed: int = 1) -> Iterator[Pair]:
    """The same pages, but a twentieth of the specs of one package's page changed."""
    for old in pages:
        random = Random(f"{seed} one {old.path}")
        count = max(1, len(old.specs) // 20)
        yield old, _changed(old, random, count) if old.package == package else old


def upheaval(pages: Iterable[Page], *, seed: int = 1) -> Iterator[Pair]:
    """Every hash new, and a tenth of the versions."""
    for old in pages:
        random = Random(f"{seed} upheaval {old.path}")
        yield old, Page(old.package, old.tag, _rehashed(old, random, versions=0.1))


def next_week(pages: Iterable[Page], tag: str, *, seed: int = 1) -> Iterator[Pair]:
    """The next weekly tag: no hash in common, a few versions risen, a few specs and pages gone."""
    for old in pages:
        random = Random(f"{seed} week {tag} {old.package}")
        if random.random() < 0.003:
            yield old, None
            continue
        new = Page(old.package, tag, _rehashed(old, random, versions=0.04))
        yield old, _changed(new, random, 1) if random.random() < 0.05 else new


def weeks(shape: Shape, pages: Iterable[Page], tags: Iterable[str]) -> Iterator[list[Page]]:
    """The pages of weekly tags, each made from the one before; new packages replace lost ones."""
    current = list(pages)
    names = package_names(shape.packages + 200)
    for tag in tags:
        week = Shape(tag=tag, packages=shape.packages, specs=shape.specs, seed=shape.seed)
        current = [new for _, new in next_week(current, tag, seed=shape.seed) if new is not None]
        held = {known.package for known in current}
        for name in names:
            if len(current) >= shape.packages:
                break
            if name not in held:
                current.append(page(week, name, max(1, shape.specs // shape.packages)))
        yield current


def _rehashed(
    old: Page, random: Random, *, versions: float = 0.0
) -> tuple[tuple[str, Record], ...]:
    """The specs of a page with new hashes, a share of the records with the next version."""
    renewed: dict[Record, Record] = {}
    specs = []
    for _, record in old.specs:
        if record not in renewed:
            renewed[record] = _upgraded(record) if random.random() < versions else record
        specs.append((new_hash(random), renewed[record]))
    return tuple(sorted(specs, key=_hash))


def _hash(spec: tuple[str, Record]) -> str:
    return spec[0]


def _changed(old: Page, random: Random, count: int) -> Page:
    """The page after `count` of its specs met an event; it never loses its last spec."""
    specs = dict(old.specs)
    for digest in random.sample([digest for digest, _ in old.specs], count):
        record = specs[digest]
        event = random.choices(EVENTS, WEIGHTS)[0]
        if event == "restacked":
            specs[digest] = _restacked(record, random)
            continue
        if event == "removed" and len(specs) == 1:
            event = "rebuilt"
        if event != "added":
            del specs[digest]
        if event == "upgraded":
            record = _upgraded(record)
        elif event == "reconfigured":
            record = _reconfigured(record, random)
        if event != "removed":
            specs[new_hash(random)] = record
    return Page(old.package, old.tag, tuple(sorted(specs.items(), key=_hash)))


def _upgraded(record: Record) -> Record:
    """The record with the last number of its version one higher; a branch becomes release 1.0."""
    version, bumped = re.subn(r"\d+(?=\D*$)", lambda found: str(int(found[0]) + 1), record.version)
    return Record(record.place, version if bumped else "1.0", record.variants)


def _reconfigured(record: Record, random: Random) -> Record:
    """The record with another compiler, a variant turned or a patch more or less."""
    place = record.place
    newer = NEWER_COMPILERS.get(place.compiler)
    if newer is not None and random.random() < 0.4:
        moved = Place(place.stacks, newer, place.os, place.platform, place.target)
        return Record(moved, record.version, record.variants)
    booleans = [variant for variant in record.variants if variant[0] in "+~"]
    if booleans:
        turned = random.choice(booleans)
        other = flipped(random, (turned,), 1.0)
        kept = tuple(variant for variant in record.variants if variant != turned)
    else:
        kept = tuple(variant for variant in record.variants if not variant.startswith("patches="))
        other = (
            () if len(kept) < len(record.variants) else (f"patches={random.getrandbits(28):07x}",)
        )
    return Record(place, record.version, sorted_variants(kept + other))


def _restacked(record: Record, random: Random) -> Record:
    """The record in one stack fewer where it has several, otherwise in one more."""
    place = record.place
    if len(place.stacks) > 1:
        stacks = place.stacks[1:]
    else:
        others = sorted(
            {stack for _, known in PLACES for stack in known.stacks} - set(place.stacks)
        )
        stacks = (*place.stacks, random.choice(others))
    moved = Place(stacks, place.compiler, place.os, place.platform, place.target)
    return Record(moved, record.version, record.variants)
