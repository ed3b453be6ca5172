"""Pages of generated catalogs that have the public catalog's shape.

Everything follows from a `Shape`: the same shape gives the same bytes, in any order and in any
process, because each page has a random generator of its own, named after the seed, the tag and the
package. Page sizes are log-normal. Large pages hold about ten specs for each distinct record, as
real ones do; small pages hold mostly distinct ones.
"""

from __future__ import annotations

import math
from base64 import b32encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from statistics import NormalDist

from benchmarks.names import BUILD_SYSTEMS, PACKAGES, PLACES, STEMS, SUFFIXES, Place
from benchmarks.page import Page, Record

# Spread of the logarithm of page sizes below and above the median: with `develop`'s 200 specs a
# page on average, the largest page holds about 2,400 specs or 700 KB.
SPREAD_BELOW = 1.4
SPREAD_ABOVE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a generated tag looks like: its name, number of packages and number of specs in all."""

    tag: str
    packages: int
    specs: int
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Recipe:
    """What all pages of one package draw from; its versions rise."""

    variants: tuple[str, ...]
    compiled: bool
    versions: tuple[str, ...]


def shape(name: str, *, scale: float = 1.0, seed: int = 1) -> Shape:
    """`develop` or a weekly tag of that name, at a fraction of the public catalog's size."""
    packages, specs = (1_900, 378_000) if name == "develop" else (1_250, 7_200)
    packages = max(2, round(packages * scale))
    return Shape(tag=name, packages=packages, specs=max(packages, round(specs * scale)), seed=seed)


def package_names(count: int) -> list[str]:
    """The first `count` package names: real ones, then made-up ones, each of them once."""
    names = list(PACKAGES[:count])
    number = 0
    while len(names) < count:
        stem = STEMS[number % len(STEMS)]
        suffix = SUFFIXES[number // len(STEMS) % len(SUFFIXES)]
        again = number // (len(STEMS) * len(SUFFIXES))
        names.append(f"{stem}-{suffix}{again + 1}" if again else f"{stem}-{suffix}")
        number += 1
    return names


def page_sizes(shape: Shape) -> list[int]:
    """The number of specs on each page, largest first: log-normal, `shape.specs` in all."""
    normal = NormalDist()
    weights = []
    for rank in range(shape.packages):
        z = normal.inv_cdf(1 - (rank + 0.5) / shape.packages)
        weights.append(math.exp(z * (SPREAD_ABOVE if z > 0 else SPREAD_BELOW)))
    low, high = 0.0, float(shape.specs)
    for _ in range(60):
        middle = (low + high) / 2
        if sum(max(1, round(weight * middle)) for weight in weights) > shape.specs:
            high = middle
        else:
            low = middle
    sizes = [max(1, round(weight * low)) for weight in weights]
    sizes[0] += shape.specs - sum(sizes)
    return sizes


def new_hash(random: Random) -> str:
    """A hash that no other spec has: 160 random bits in 32 characters, a-z and 2-7."""
    return b32encode(random.randbytes(20)).decode().lower()


def sorted_variants(variants: Iterable[str]) -> tuple[str, ...]:
    """Variants in the order of real pages: by name, whatever their sign."""
    return tuple(sorted(variants, key=lambda variant: variant.lstrip("+~")))


def _versions(random: Random) -> tuple[str, ...]:
    """One to five versions in rising order, in one of the styles of real packages."""
    style = random.choices(("1.2.3", "1.2", "year", "rc", "branch"), (70, 14, 10, 3, 3))[0]
    major, minor, patch = random.randint(0, 9), random.randint(0, 20), random.randint(0, 9)
    found = []
    for _ in range(random.choices((1, 2, 3, 5), (45, 30, 15, 10))[0]):
        if style == "1.2":
            found.append(f"{major}.{minor}")
        elif style == "year":
            found.append(f"{2015 + major}.{1 + minor % 12:02}.{patch}")
        elif style == "rc":
            found.append(f"{major}.{minor}.0rc{patch}")
        else:
            found.append(f"{major}.{minor}.{patch}")
        patch, minor = (
            (patch + 1, minor) if random.random() < 0.5 and style != "1.2" else (0, minor + 1)
        )
        if minor > 11 and style == "year":
            major, minor = major + 1, 0
    if style == "branch":
        found.append(random.choice(("main", "develop", "master")))
    return tuple(found)


def recipe(package: str, seed: int) -> Recipe:
    """What is drawn for a package once, whatever the tag."""
    random = Random(f"{seed} {package}")
    if package.startswith(("py-", "r-", "perl-")):
        kind = BUILD_SYSTEMS[0]
    else:
        kind = random.choices(BUILD_SYSTEMS[1:], [row[0] for row in BUILD_SYSTEMS[1:]])[0]
    _, name, always, optional = kind
    if name == "python":  # most have nothing but the build system
        some = random.sample(optional, random.choice((0, 0, 0, 1, 2)))
    else:
        some = random.sample(optional, random.randint(len(optional) // 4, len(optional)))
    variants = sorted_variants((*always, *some))
    return Recipe(variants, compiled=name != "generic", versions=_versions(random))


def _records(random: Random, recipe: Recipe, count: int) -> list[Record]:
    """The distinct records of a page that holds `count` specs."""
    wanted = count if count < 4 else 3 + count // 12
    places = [place for _, place in PLACES]
    weights = [weight for weight, _ in PLACES]
    if wanted < len(places):
        picked = random.choices(range(len(places)), weights, k=wanted)
        places, weights = [places[i] for i in picked], [weights[i] for i in picked]
    found: dict[Record, None] = {}
    for _ in range(wanted * 4):
        place = random.choices(places, weights)[0]
        if not recipe.compiled:
            place = Place(place.stacks, "none", place.os, place.platform, place.target)
        version = recipe.versions[-1] if random.random() < 0.6 else random.choice(recipe.versions)
        found[Record(place, version, flipped(random, recipe.variants, 0.12))] = None
        if len(found) == wanted:
            break
    return list(found)


def flipped(random: Random, variants: tuple[str, ...], probability: float) -> tuple[str, ...]:
    """The variants, each boolean one with the given probability turned into its opposite."""
    turned = []
    for variant in variants:
        sign = variant[0]
        if sign in "+~" and random.random() < probability:
            sign = "~" if sign == "+" else "+"
        turned.append(sign + variant[1:])
    return tuple(turned)


def page(shape: Shape, package: str, count: int) -> Page:
    """The page of one package of a tag, with `count` specs."""
    random = Random(f"{shape.seed} {shape.tag} {package}")
    records = _records(random, recipe(package, shape.seed), count)
    if count > len(records):
        weights = [random.expovariate(1.0) for _ in records]
        records += random.choices(records, weights, k=count - len(records))
    hashes = sorted(new_hash(random) for _ in records)
    random.shuffle(records)
    return Page(package, shape.tag, tuple(zip(hashes, records, strict=True)))


def pages(shape: Shape) -> Iterator[Page]:
    """All pages of a tag, in the order of their package names."""
    sizes = page_sizes(shape)
    Random(f"{shape.seed} sizes").shuffle(sizes)
    for package, count in sorted(zip(package_names(shape.packages), sizes, strict=True)):
        yield page(shape, package, count)
