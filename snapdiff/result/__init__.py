"""What happened, in the shape of the JSON report (docs/specification.md, section 7)."""

from snapdiff.result.causes import StackTrait, Trait, TraitCount
from snapdiff.result.changes import (
    CatalogDiff,
    Change,
    CompilerCount,
    Field,
    Filters,
    HashConflict,
    PackageCount,
    RootChanges,
    SkippedPage,
    SpecName,
    StackDiff,
    Summary,
    TagDiff,
)
from snapdiff.result.packages import (
    AskedFor,
    ChangeCounts,
    Count,
    Duplicates,
    Kind,
    PackageChange,
    PackageParts,
    PartChange,
    VersionCount,
)
