"""A second reading of section 9's traits: what lost builds have in common, found build by build.

Slow and plain on purpose: a search of its own below every build, and nothing shared with the
product. A build is its package, its configuration in the common notation, and its hash in a plain
graph, where there is one.
"""

import json
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tests.support.graphs import PlainGraph, PlainNode
from tests.support.oracle import (
    canonical_compiler,
    canonical_variant,
    compare_versions,
    family,
    parse_version,
)

Trait = dict[str, Any]
"""A trait in the shape of the JSON report."""


class PlainBuild(NamedTuple):
    """A build of a package."""

    package: str
    hash: str
    compiler: str
    os: str
    target: str
    variants: frozenset[str]
    version: str


class Side(NamedTuple):
    """The builds of a stack on one side, which packages it has, and its dependencies."""

    builds: Collection[PlainBuild]
    graph: PlainGraph | None


def dependencies(graph: PlainGraph | None, start: str) -> dict[str, tuple[int, set[str | None]]]:
    """By package how near the nearest linked or run dependency is, and which versions there are."""
    found: dict[str, tuple[int, set[str | None]]] = {}
    if graph is None or start not in graph:
        return found
    waiting = deque([(start, 0)])
    seen = {start}
    while waiting:
        place, distance = waiting.popleft()
        for edge in graph[place].edges if place in graph else ():
            if edge.build_only:
                continue
            node = graph.get(edge.hash)
            name, version = (node.name, node.version) if node else (edge.name, None)
            found.setdefault(name, (distance + 1, set()))[1].add(version)
            if edge.hash not in seen:
                seen.add(edge.hash)
                waiting.append((edge.hash, distance + 1))
    return found


def duplicates(lost: Collection[str], mine: Side) -> set[str]:
    """The lost builds of which the package has another one in all that is linked and run."""
    if mine.graph is None:
        return set()
    packages = {mine.graph[key].name for key in lost}
    stayed = [it.hash for it in mine.builds if it.package in packages and it.hash not in lost]
    known = {likeness(mine.graph, key) for key in stayed}
    found = set()
    for key in sorted(lost):
        like = likeness(mine.graph, key)
        if like in known:
            found.add(key)
        known.add(like)
    return found


def different(package: str, side: Side) -> tuple[Counter[object], bool]:
    """How many different builds of each version there are, and whether some builds are equal."""
    hashes = [build.hash for build in side.builds if build.package == package]
    if side.graph is None:
        return Counter(), False
    alike = {likeness(side.graph, key) for key in hashes}
    return Counter(own[1] for own, _ in alike), len(alike) < len(hashes)


def likeness(graph: PlainGraph, start: str) -> tuple[tuple[object, ...], frozenset[object]]:
    """A build, and all that it links and runs, as name, version and configuration."""
    reached, waiting = {start}, [start]
    while waiting:
        for edge in graph[waiting.pop()].edges:
            if not edge.build_only and edge.hash in graph and edge.hash not in reached:
                reached.add(edge.hash)
                waiting.append(edge.hash)
    return member(graph, start), frozenset(member(graph, key) for key in reached)


def member(graph: PlainGraph, key: str) -> tuple[object, ...]:
    """A node's name, version and configuration; 1.02 and 1.2 are one version."""
    node = graph[key]
    return (
        node.name,
        order_of(node.version),
        (canonical_compiler(node.compiler), node.os, node.platform, node.target),
        frozenset(map(canonical_variant, node.variants)),
    )


def order_of(text: str) -> object:
    """A version; 1.02 and 1.2 are one."""
    version = parse_version(text)
    return (
        tuple(int(token) if token.isdigit() else token for token in version.release),
        (version.pre_word, version.pre_number and int(version.pre_number), version.git_ref),
    )


def configured(build: PlainBuild) -> dict[tuple[str, str | None, str], None]:
    """What a build has beside dependencies, in the order in which it is looked at."""
    words: list[tuple[str, str | None, str]] = [
        ("compiler", None, build.compiler),
        ("target", None, build.target),
        ("os", None, build.os),
    ]
    words += [("variant", name_of(variant), variant) for variant in sorted(build.variants)]
    return dict.fromkeys(words)


def name_of(variant: str) -> str:
    return variant.split("=", 1)[0].lstrip("+~-")


def gone_from(mine: Side, theirs: Side) -> set[str]:
    """The packages that one side of a stack has alone."""
    return {build.package for build in mine.builds} - {build.package for build in theirs.builds}


def package_trait(package: str, lost: Collection[str], mine: Side, theirs: Side) -> Trait | None:
    """The trait of the builds of a package that have some hashes."""
    gone = gone_from(mine, theirs)
    builds = [build for build in mine.builds if build.package == package and build.hash in lost]
    others = [build for build in theirs.builds if build.package == package]
    below = [dependencies(mine.graph, build.hash) for build in builds]
    there = set[str]().union(*(dependencies(theirs.graph, build.hash) for build in others))
    names = set.intersection(*(set(found) for found in below)) - there - {package}
    for wanted in (names & gone, names):
        if wanted:
            name = min(wanted, key=lambda name: (min(found[name][0] for found in below), name))
            return {"what": "dependency", "name": name, "value": version_of(name, below)}
    for key in configured(builds[0]):
        is_there = any(key in configured(other) for other in others)
        if not is_there and all(key in configured(build) for build in builds):
            return dict(zip(("what", "name", "value"), key, strict=True))
    return None


def version_of(name: str, below: Iterable[Mapping[str, tuple[int, set[str | None]]]]) -> str | None:
    versions = {version for found in below if name in found for version in found[name][1]}
    return versions.pop() if len(versions) == 1 else None


def stack_trait(lost: Mapping[str, Collection[str]], mine: Side, theirs: Side) -> Trait | None:
    """The trait of packages that most lost builds are of: more than half of them have it."""
    gone = gone_from(mine, theirs)
    votes: Counter[tuple[str, str, str]] = Counter()
    for package, hashes in lost.items():
        trait = package_trait(package, hashes, mine, theirs)
        says_something = package not in gone or (
            trait and trait["what"] == "dependency" and trait["name"] in gone
        )
        if trait and says_something:
            value = "" if trait["what"] == "dependency" else trait["value"]
            votes[trait["what"], trait["name"] or "", value] += len(hashes)
    order = ("dependency", "compiler", "target", "os", "variant")
    builds = [build for build in mine.builds if build.hash in lost.get(build.package, ())]
    others = [build for build in theirs.builds if build.package in lost]
    for what, name, value in sorted(
        votes, key=lambda like: (-votes[like], order.index(like[0]), *like[1:])
    ):

        def has(build: PlainBuild, graph: PlainGraph | None) -> bool:
            if what == "dependency":  # noqa: B023 - it is called in this round alone
                return build.package == name or name in dependencies(graph, build.hash)  # noqa: B023
            return (what, name or None, value) in configured(build)  # noqa: B023

        having = [build for build in builds if has(build, mine.graph)]
        if any(has(other, theirs.graph) for other in others) or 2 * len(having) <= len(builds):
            continue
        if what == "dependency":
            below = [dependencies(mine.graph, build.hash) for build in having]
            assert mine.graph is not None
            themselves = [mine.graph[build.hash] for build in having if build.package == name]
            below += [{name: (0, {node.version})} for node in themselves]
        return {
            "what": what,
            "name": name or None,
            "value": version_of(name, below) if what == "dependency" else value,
            "specs": len(having),
            "packages": len({build.package for build in having}),
        }
    return None


# --- Where one trait is not enough: what most have, then what most of the others have ---

Key = tuple[str, str | None, str]
"""What a trait is, its name, its value but for a dependency's version."""

MPIS = {"openmpi", "mpich", "mvapich", "cray-mpich", "intel-oneapi-mpi"}
STOOD_ON = MPIS | {"openblas", "cray-libsci", "cuda", "hip", "python"}
STOOD_ON |= {"intel-oneapi-mkl", "netlib-lapack"}
LIBRARIES = STOOD_ON - {"cuda", "hip", "python"}
"""What most builds of a site stand on, as far as the catalogs of tests have it."""

Pair = tuple[Key | None, Key]
"""A compiler, target or os that goes with a trait, None where that is enough; and the trait."""

ORDER = ("dependency", "compiler", "target", "os", "variant", "dependency variant")


TOOLS: set[Key] = {
    ("dependency", f"py-{name}", "") for name in ("setuptools", "setuptools-scm", "pip", "wheel")
} | {("dependency", "py-cython", "")}
"""What Python packages are built with, which tells least."""


def package_traits(
    package: str, lost: Collection[str], mine: Side, theirs: Side, *, are_lost: bool = False
) -> list[dict[str, Any]]:
    """How many of the lost builds of a package have which trait, at most three.

    Of those that `are_lost` a dependency that is gone, too, is told if few others had it.
    """
    builds = [build for build in mine.builds if build.package == package and build.hash in lost]
    below = [dependencies(mine.graph, build.hash) for build in builds]
    stayed = [it for it in mine.builds if it.package == package and it.hash not in lost]
    names: set[str] = set()
    for name in gone_from(mine, theirs) - {package} if are_lost and builds else ():
        having = sum(name in dependencies(mine.graph, it.hash) for it in stayed)
        if 0 < having < min(len(builds), len(stayed)) and all(name in it for it in below):
            names.add(name)
    if names:
        name = min(names, key=lambda name: (min(found[name][0] for found in below), name))
        trait = {"what": "dependency", "name": name, "value": version_of(name, below)}
        return [{"trait": trait, "specs": len(builds)}]
    itself: Key = ("dependency", package, "")
    others = pairs_of_others(package, lost, mine, theirs)

    every = others_of(package, lost, mine, theirs)
    of_versions = variants_of_versions(builds, every)

    def pairs(build: PlainBuild) -> set[Pair]:
        told = set(keys_of(build, mine.graph)) - {itself} - TOOLS - of_versions
        return pairs_of(told) - others

    found, left = counted_traits(builds, pairs, (mine, theirs), gone_from(mine, theirs))
    if not others:
        return found
    versions = {key for build, graph in every for key in toolchain_of(graph, build.hash)}

    def of_toolchain(build: PlainBuild) -> set[Pair]:
        below = set(toolchain_of(mine.graph, build.hash)) - versions
        return {(None, key) for key in below if key[1] != package}

    more, left = counted_traits(left, of_toolchain, (mine, theirs), (), 3 - len(found))
    found += more
    variants = variants_of_others(package, lost, mine, theirs)

    def of_dependencies(build: PlainBuild) -> set[Pair]:
        below = {
            key
            for key in variants_below(mine.graph, build.hash)
            if key[1] != package and not key[2].startswith("patches=")
        }
        tools = TOOLS & set(keys_of(build, mine.graph)) - {itself}
        last: set[Pair] = {(None, key) for key in (below | tools) - variants}
        return last - others

    return found + counted_traits(left, of_dependencies, (mine, theirs), (), 3 - len(found))[0]


def variants_of_versions(
    builds: Collection[PlainBuild], others: Collection[tuple[PlainBuild, PlainGraph | None]]
) -> set[Key]:
    """The variants that lost builds of a version have, and no others do, if no other has it."""
    found: set[Key] = set()
    for build in builds:
        alike = [it for it in builds if not compare_versions(it.version, build.version)]
        is_alone = all(compare_versions(build.version, it.version) for it, _ in others)
        if is_alone and len(alike) < len(builds):
            common = set.intersection(*(set(configured(it)) for it in alike))
            rest = [set(configured(it)) for it in builds if it not in alike]
            found |= {key for key in common.difference(*rest) if key[0] == "variant"}
    return found


def nodes_below(graph: PlainGraph | None, start: str) -> Iterator[tuple[int, PlainNode]]:
    """All that is linked and run below a build, itself among it, the nearest first."""
    level, seen, distance = [start], {start}, 0
    while graph is not None and level:
        nodes = [graph[key] for key in level if key in graph]
        yield from ((distance, node) for node in nodes)
        edges = [edge for node in nodes for edge in node.edges if not edge.build_only]
        level = list(dict.fromkeys(edge.hash for edge in edges if edge.hash not in seen))
        seen |= set(level)
        distance += 1


def toolchain_of(graph: PlainGraph | None, start: str) -> dict[Key, int]:
    """The versions of MPI and the like below a build, and how near."""
    found: dict[Key, int] = {}
    for distance, node in nodes_below(graph, start):
        if node.name in STOOD_ON:
            found.setdefault(("dependency", node.name, node.version), distance)
    return found


def variants_below(graph: PlainGraph | None, start: str) -> dict[Key, int]:
    """The variants of all that is below a build, and how near."""
    found: dict[Key, int] = {}
    for distance, node in nodes_below(graph, start):
        for variant in map(canonical_variant, node.variants):
            found.setdefault(("dependency variant", node.name, variant), distance)
    return found


Tool = tuple[str, str | None, str | None]
"""A compiler, or a package of MPI or BLAS, as the parts of a trait."""


def no_longer_with(package: str, old: Side, new: Side) -> list[dict[str, Any]]:
    """The compilers, MPIs and BLASes that no build of a package has any more, and the stack has.

    Then those that no build of a version has that is still there.
    """
    still = tools_of(new, None)
    found = tools_left(tools_of(old, package), tools_of(new, package), still)
    known = {json.dumps(it["trait"], sort_keys=True) for it in found}
    sides = [[it for it in side.builds if it.package == package] for side in (old, new)]
    for version in {it.version for it in sides[0]} & {it.version for it in sides[1]}:
        before, after = (
            tools_of(side._replace(builds=[it for it in some if it.version == version]), package)
            for side, some in zip((old, new), sides, strict=True)
        )
        found += [
            {**it, "version": version}
            for it in tools_left(before, after, still)
            if json.dumps(it["trait"], sort_keys=True) not in known
        ]
    return sorted(found, key=str)


def tools_left(
    before: Mapping[Tool, list[str]], after: Collection[Tool], still: Mapping[Tool, list[str]]
) -> list[dict[str, Any]]:
    """The tools that some builds had and others have not, though the stack has them."""
    found: list[dict[str, Any]] = []
    for tool in (before.keys() - {*after}) & still.keys():
        trait = dict(zip(("what", "name", "value"), tool, strict=True))
        count: dict[str, Any] = {"trait": trait, "specs": len(before[tool])}
        compilers = set(before[tool])
        if trait["what"] == "dependency" and len(compilers) == 1 and compilers != {"none"}:
            count["also"] = {"what": "compiler", "name": None, "value": min(compilers)}
        found.append(count)
    return found


def mpis_of(
    package: str, specs: Iterable[Mapping[str, Any]], side: Side, key: str
) -> list[dict[str, Any]]:
    """Which MPI the lost (`old`) or new builds of a package have, or none, and how many of each."""
    kinds = {"removed"} if key == "old" else {"added", "upgraded", "downgraded"}
    numbers: Counter[Key] = Counter()
    for spec in specs:
        if not (spec["kind"] in kinds or spec.get("two_builds")) or package in MPIS:
            continue
        below = (node for _, node in nodes_below(side.graph, spec[key]["hash"]))
        mpis = {("dependency", it.name, it.version) for it in below if it.name in MPIS}
        if not mpis and "~mpi" in spec[key]["variants"]:
            mpis = {("variant", "mpi", "~mpi")}
        if len(mpis) != 1:
            return []
        numbers.update(mpis)
    parts = (
        (dict(zip(("what", "name", "value"), it, strict=True)), n) for it, n in numbers.items()
    )
    return sorted(({"trait": trait, "specs": n} for trait, n in parts), key=str)


def tools_of(side: Side, package: str | None) -> dict[Tool, list[str]]:
    """The compilers of the builds of a package that have each tool; None for those of all."""
    found: dict[Tool, list[str]] = {}
    for build in side.builds:
        if package in (None, build.package):
            below = {build.package, *dependencies(side.graph, build.hash)}
            tools: list[Tool] = [("dependency", name, None) for name in below & LIBRARIES]
            if build.compiler != "none":
                tools.append(("compiler", None, build.compiler.partition("@")[0]))
            for tool in tools:
                found.setdefault(tool, []).append(build.compiler)
    return found


def key_of(trait: Trait) -> Key:
    """A trait as a key, the version of a dependency with it."""
    return trait["what"], trait["name"] or "", trait["value"] or ""


def others_of(
    package: str, lost: Collection[str], mine: Side, theirs: Side
) -> list[tuple[PlainBuild, PlainGraph | None]]:
    """The builds of a package on both sides that are not lost, each with its graph."""
    stayed = [it for it in mine.builds if it.package == package and it.hash not in lost]
    there = [it for it in theirs.builds if it.package == package]
    return [(it, mine.graph) for it in stayed] + [(it, theirs.graph) for it in there]


def pairs_of_others(package: str, lost: Collection[str], mine: Side, theirs: Side) -> set[Pair]:
    """What any build of a package has that is not lost, on either side."""
    others = others_of(package, lost, mine, theirs)
    return {pair for build, graph in others for pair in pairs_of(keys_of(build, graph))}


def variants_of_others(package: str, lost: Collection[str], mine: Side, theirs: Side) -> set[Key]:
    """What variants any build of a package links or runs that is not lost, on either side."""
    others = others_of(package, lost, mine, theirs)
    return {key for build, graph in others for key in variants_below(graph, build.hash)}


def keys_of(build: PlainBuild, graph: PlainGraph | None) -> dict[Key, int]:
    """All traits of a build, each with how far it is: it is a build of its own package, too."""
    near = {name: distance for name, (distance, _) in dependencies(graph, build.hash).items()}
    if graph is not None:
        near[build.package] = 0
    found: dict[Key, int] = {("dependency", name, ""): near[name] for name in near}
    return found | dict.fromkeys(configured(build), 0)


def pairs_of(keys: Collection[Key]) -> set[Pair]:
    """Each trait by itself, and with each compiler, target and os."""
    fields = [key for key in keys if key[0] in ORDER[1:4]]
    return {(None, key) for key in keys} | {
        (field, key) for field in fields for key in keys if key != field
    }


def counted_traits(
    builds: Collection[PlainBuild],
    pairs: Callable[[PlainBuild], set[Pair]],
    sides: tuple[Side, Side],
    gone: Collection[str],
    most: int = 3,
) -> tuple[list[dict[str, Any]], list[PlainBuild]]:
    """How many builds have which trait, and those that have none of these."""
    mine, theirs = sides

    def foreign(build: PlainBuild, target: str) -> bool:
        there = [it.target for it in theirs.builds if it.package == build.package]
        families = set(map(family, there))
        return build.target == target and bool(there) and family(target) not in families

    left = {build.hash: build for build in builds}
    allowed = {build.hash: pairs(build) for build in builds}
    near = {
        build.hash: keys_of(build, mine.graph)
        | variants_below(mine.graph, build.hash)
        | toolchain_of(mine.graph, build.hash)
        for build in builds
    }
    found: list[dict[str, Any]] = []
    while len(found) < most:
        numbers = Counter(pair for build_hash in left for pair in allowed[build_hash])

        def order(pair: Pair) -> tuple[Any, ...]:
            field, key = pair
            what, name, value = key
            some = [near[one] for one in left if field is None or field in near[one]]
            distance = min(keys[key] for keys in some if key in keys)
            beside = (0, "") if field is None else (ORDER.index(field[0]), field[2])
            words = (value,) if what == "variant" else (name or "", value)
            some_builds = [it for it in left.values() if field is None or field in near[it.hash]]
            is_foreign = any(what == "target" and foreign(it, value) for it in some_builds)
            kind = ORDER.index(what)
            rank = 0.5 if is_foreign else 0 if what == "dependency variant" else kind
            return *beside, rank, name not in gone, distance, kind, words

        if not numbers:
            break
        highest = max(numbers.values())
        best = min((pair for pair in numbers if numbers[pair] == highest), key=order)
        having = [build for build in left.values() if best in allowed[build.hash]]
        for build in having:
            del left[build.hash]
        field, key = best
        part = {"trait": trait_with(key, having, mine), "specs": len(having)}
        if field is not None:
            part["also"] = trait_with(field, having, mine)
        found.append(part)
    return found, list(left.values())


def trait_with(key: Key, having: Iterable[PlainBuild], mine: Side) -> Trait:
    """A trait, of a dependency with the version that some builds have, or are."""
    what, name, value = key
    if what != "dependency" or value:
        return {"what": what, "name": name, "value": value}
    assert mine.graph is not None
    assert name is not None
    below: list[Mapping[str, tuple[int, set[str | None]]]] = []
    for build in having:
        below.append(dependencies(mine.graph, build.hash))
        if build.package == name:
            below.append({name: (0, {mine.graph[build.hash].version})})
    return {"what": what, "name": name, "value": version_of(name, below)}
