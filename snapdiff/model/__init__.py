"""What was loaded: specs and how they were built, dependencies, packages, counts."""

from snapdiff.model.packages import (
    Counts,
    DocumentKind,
    InCommon,
    KeptSpecs,
    LikeStacks,
    Package,
    PackageCounts,
    PackagePair,
    StackCounts,
    StackDocuments,
    TagPair,
    Tags,
    count_by_stacks,
    counted_in_common,
    pair_like_stacks,
)
from snapdiff.model.specs import (
    EMPTY_PART,
    NO_GRAPHS,
    ROOT,
    Build,
    Edge,
    Graph,
    Node,
    Revision,
    Root,
    Spec,
    StackGraphs,
    counting_stacks,
    packages_asked_for,
)
