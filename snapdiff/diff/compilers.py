"""Compilers: fields of the nodes they compiled, or, since Spack 1, dependencies of them."""

from collections.abc import Collection, Iterator

from snapdiff.model import Edge, Graph, Node
from snapdiff.spack.node import LANGUAGES, NO_COMPILER
from snapdiff.spack.notation import canonical_compiler

_COMPILER_WRAPPER, _RUNTIME = "compiler-wrapper", "-runtime"
"""What comes with a compiler that is a dependency: this package, and names that end like this."""


def has_own_compiler(node: Node) -> bool:
    """Return whether a node names its compiler itself, as before Spack 1."""
    return node.build.compiler != NO_COMPILER and not any(map(_is_compiler, node.edges))


def comes_with_compilers(edge: Edge, before: Node) -> bool:
    """Return whether a dependency came when compilers became dependencies.

    `before` is the node that had its compiler as a field. A runtime depends on the compiler that it
    is of, and not as on one that provides a language.
    """
    return (
        _is_compiler(edge)
        or edge.name in (_COMPILER_WRAPPER, package_of_compiler(before.build.compiler))
        or edge.name.endswith(_RUNTIME)
    )


def package_of_compiler(compiler: str) -> str:
    """Return the package that a compiler is today.

    >>> package_of_compiler("clang@=14.0.6")
    'llvm'
    """
    return canonical_compiler(compiler).partition("@")[0]


def became_dependencies(packages: Collection[str], old: Graph, new: Graph) -> set[str]:
    """Return which packages were compilers of old nodes, and are dependencies of new ones as such.

    All nodes are looked at, and none where no package is asked about.
    """
    if not packages:
        return set()
    compiled: set[str] = set()
    for node in _nodes(old):
        if has_own_compiler(node):
            compiled.add(package_of_compiler(node.build.compiler))
    found = compiled.intersection(packages)
    if not found:
        return found
    return found & (_compilers_below(new) - _compilers_below(old))


def _compilers_below(graph: Graph) -> set[str]:
    return {edge.name for node in _nodes(graph) for edge in node.edges if _is_compiler(edge)}


def _nodes(graph: Graph) -> Iterator[Node]:
    for spec_hash in graph.hashes:
        node = graph.node(spec_hash)
        if node:
            yield node


def _is_compiler(edge: Edge) -> bool:
    return bool(edge.virtuals) and any(virtual in LANGUAGES for virtual in edge.virtuals)
