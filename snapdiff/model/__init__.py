"""What was loaded: specs and how they were built, dependencies, packages, counts."""

from snapdiff.model.counts import Counts, DocumentKind, StackDocuments, TagPair
from snapdiff.model.graph import NO_GRAPHS, Edge, Graph, Node, StackGraphs
from snapdiff.model.packages import (
    InCommon,
    KeptSpecs,
    Package,
    PackageCounts,
    PackagePair,
    StackCounts,
    Tags,
    count_by_stacks,
    counted_in_common,
    none_kept,
)
from snapdiff.model.specs import EMPTY_PART, ROOT, Build, Revision, Spec, counting_stacks
from snapdiff.model.stack_likeness import LikeStacks, pair_like_stacks

__all__ = [
    "EMPTY_PART",
    "NO_GRAPHS",
    "ROOT",
    "Build",
    "Counts",
    "DocumentKind",
    "Edge",
    "Graph",
    "InCommon",
    "KeptSpecs",
    "LikeStacks",
    "Node",
    "Package",
    "PackageCounts",
    "PackagePair",
    "Revision",
    "Spec",
    "StackCounts",
    "StackDocuments",
    "StackGraphs",
    "TagPair",
    "Tags",
    "count_by_stacks",
    "counted_in_common",
    "counting_stacks",
    "none_kept",
    "pair_like_stacks",
]
