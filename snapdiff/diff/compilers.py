"""What a stack was built with: compilers, fields or dependencies of nodes, and MPI and BLAS."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import UNSET, UnsetType

from snapdiff.diff.dependencies import Graphs, SideDependencies, Sides
from snapdiff.diff.reach import each_bit, unite_below
from snapdiff.model.specs import Edge, Graph, Node
from snapdiff.result.causes import Trait, TraitCount
from snapdiff.result.changes import Change, CompilerCount
from snapdiff.result.packages import Kind
from snapdiff.spack import (
    BLAS,
    LANGUAGES,
    MPI,
    NO_COMPILER,
    canonical_compiler,
    is_beside_compilers,
    package_of_compiler,
    versions_in_order,
)

MOST_NODES = 20_000
"""Of how many nodes of a document all compilers are read: of an environment, not of a large index.

To read the unchanged specs of two indexes of 100,000 takes longer than to compare them.
"""


def has_own_compiler(node: Node) -> bool:
    """Return whether a node names its compiler itself, as before Spack 1."""
    return node.build.compiler != NO_COMPILER and not any(map(_is_compiler, node.edges))


def comes_with_compilers(edge: Edge, before: Node) -> bool:
    """Return whether a dependency came as the compiler, a field of `before`, became one."""
    return (
        _is_compiler(edge)
        or is_beside_compilers(edge.name)
        # A runtime depends on the compiler that it is of, and not as on one for a language.
        or edge.name == package_of_compiler(before.build.compiler)
    )


def _is_compiler(edge: Edge) -> bool:
    return bool(edge.virtuals) and any(virtual in LANGUAGES for virtual in edge.virtuals)


def former_compilers(
    added: Iterable[str], graphs: Mapping[str, Graphs], changes: Iterable[Change] | None
) -> set[str]:
    """Return which added packages were compilers before, and are dependencies now.

    `graphs` has the dependencies by package, `changes` all that is compared, where that is known.
    """
    names = {name for name in added if name in graphs}
    if names and changes is not None:
        compilers = {change.old.compiler for change in changes if change.old}
        names &= {package_of_compiler(compiler) for compiler in compilers}
    found: set[str] = set()
    for old, new in {graphs[name] for name in names}:
        own = {node.build.compiler for node in _nodes(old) if has_own_compiler(node)}
        packages = set(map(package_of_compiler, own))
        some = {name for name in names & packages if graphs[name] == (old, new)}
        if some:
            found |= some & (_compilers_below(new) - _compilers_below(old))
    return found


def _compilers_below(graph: Graph) -> set[str]:
    return {edge.name for node in _nodes(graph) for edge in node.edges if _is_compiler(edge)}


def _nodes(graph: Graph) -> Iterator[Node]:
    return (node for spec_hash in graph.hashes if (node := graph.node(spec_hash)))


def unchanged_toolchain(
    graphs: tuple[Graph | None, Graph | None], names: set[str]
) -> dict[str, tuple[str, ...]]:
    """Return the versions of those unchanged packages that both documents of a stack list.

    Nothing is known without these, or of large ones.
    """
    old, new = graphs
    if old is None or new is None or len(new.hashes) > MOST_NODES:
        return {}
    names = names.intersection(old.names.values())
    found: dict[str, set[str]] = {}
    for spec_hash, name in new.names.items():
        if name in names and (node := new.node(spec_hash)):
            found.setdefault(name, set()).add(node.build.version_text)
    return {name: versions_in_order(some) for name, some in sorted(found.items())}


def tools_left(sides: Sides, packages: Collection[str]) -> dict[str, tuple[TraitCount, ...]]:
    """Return the compilers, MPIs and BLASes that no build of a package has any more, by package.

    Each with how many builds had it, and with their compiler, where that is one; the stack still
    has it. Then those that only a version has no more which is still there. Of large documents
    nothing is known.
    """
    if not packages or max(len(side.graph.hashes) for side in sides) > MOST_NODES:
        return {}
    before, after = (_tools_of(side, packages) for side in sides)
    new = sides[1].graph
    still = {Trait("dependency", name, None) for name in new.names.values()}
    still |= {Trait("compiler", None, package_of_compiler(it)) for it in new.compilers}
    found: dict[str, tuple[TraitCount, ...]] = {}
    for (name, version), has in sorted(after.items()):  # of a package as a whole first
        had = before.get((name, version), {})
        known = {it.trait for it in found.get(name, ()) if not it.version}
        left = (tool for tool in had.keys() - has.keys() - known if tool in still)
        told = sorted(left, key=lambda it: (it.what, it.name or it.value or ""))
        if told:
            no_longer = (_no_longer(tool, had[tool], version) for tool in told)
            found[name] = (*found.get(name, ()), *no_longer)
    return found


def _no_longer(tool: Trait, compilers: Sequence[str], version: str) -> TraitCount:
    only = set(compilers)
    is_one = tool.what == "dependency" and len(only) == 1 and NO_COMPILER not in only
    also = Trait("compiler", None, *only) if is_one else UNSET
    return TraitCount(tool, specs=len(compilers), also=also, version=version or UNSET)


def _tools_of(
    side: SideDependencies, packages: Collection[str]
) -> Mapping[tuple[str, str], Mapping[Trait, list[str]]]:
    """Return what builds of packages were built with, link or run, with their compilers.

    By package, under no version, and by each of its versions.
    """
    builds = {key for key, name in side.graph.names.items() if name in packages}
    found: dict[tuple[str, str], dict[Trait, list[str]]] = {}
    for spec_hash, below in _linked(side, builds, (*MPI, *BLAS)):
        if node := side.graph.node(spec_hash):
            compiler = canonical_compiler(node.build.compiler)
            tools = {Trait("dependency", it.name, None) for it in below}
            if compiler != NO_COMPILER:
                tools.add(Trait("compiler", None, package_of_compiler(compiler)))
            for version in ("", node.build.version_text):
                some = found.setdefault((node.name, version), {})
                for tool in tools:
                    some.setdefault(tool, []).append(compiler)
    return found


def _linked(
    side: SideDependencies, builds: Collection[str], packages: Collection[str]
) -> Iterator[tuple[str, list[Node]]]:
    """Yield builds, each with the nodes of some packages that it links or runs, or that it is."""
    graph = side.graph
    keys = [key for key, name in graph.names.items() if name in packages]
    bits = {key: 1 << place for place, key in enumerate(keys)}
    for build, has in unite_below(builds, side.below, lambda key: bits.get(key, 0)):
        if build in builds:
            found = (graph.node(keys[bit.bit_length() - 1]) for bit in each_bit(has))
            yield build, [node for node in found if node]


def mpis_of_builds(
    side: SideDependencies, changes: Iterable[Change], kind: Kind, packages: Collection[str]
) -> dict[str, tuple[TraitCount, ...]]:
    """Return which MPIs builds of some packages have, or `~mpi`, and how many have each.

    These are the builds of the old side that are gone (`removed`), or of the new one that are new
    (`added`), among them those that have another version now. Nothing is said of a package of which
    one has neither, or several MPIs.
    """
    kinds = {Kind.REMOVED} if kind is Kind.REMOVED else {kind, Kind.UPGRADED, Kind.DOWNGRADED}
    builds = {
        spec.hash: (it.package, spec)
        for it in changes
        if it.kind in kinds and it.package in packages
        if (spec := it.old if kind is Kind.REMOVED else it.new)
    }
    found: dict[str, Counter[Trait | None]] = {}
    for key, below in _linked(side, builds, MPI) if builds else ():
        package, spec = builds[key]
        traits = {Trait("dependency", it.name, it.build.version_text) for it in below}
        if not traits and "~mpi" in spec.variants:
            traits.add(Trait("variant", "mpi", "~mpi"))
        trait = traits.pop() if len(traits) == 1 else None
        found.setdefault(package, Counter())[trait] += 1
    return {
        package: tuple(TraitCount(it, numbers[it]) for it in sorted(filter(None, numbers), key=str))
        for package, numbers in found.items()
        if package not in MPI and None not in numbers
    }


def count_compilers(
    changes: Collection[Change], specs: tuple[int, int], graphs: tuple[Graph | None, Graph | None]
) -> tuple[CompilerCount, ...] | UnsetType:
    """Return how many specs of a stack have which compiler on each side, where that is known.

    There are so many `specs` on each side, and `graphs` are of the documents that list all of them;
    without these nothing says what those were built with that did not change.
    """
    changed = [change.old for change in changes], [change.new for change in changes]
    counts: list[Counter[str]] = []
    for number, graph, some in zip(specs, graphs, changed, strict=True):
        compilers: Mapping[str, int] = Counter(spec.compiler for spec in some if spec)
        if sum(compilers.values()) < number:
            if graph is None or len(graph.hashes) > MOST_NODES:
                return UNSET
            compilers = graph.compilers
        counts.append(Counter())
        for compiler, found in compilers.items():
            counts[-1][canonical_compiler(compiler)] += found
    old, new = counts
    return tuple(CompilerCount(name, old[name], new[name]) for name in sorted({*old, *new}))
