"""What happened, in the shape of the JSON report (docs/specification.md, section 7)."""

from snapdiff.result.causes import StackTrait, Trait, TraitCount
from snapdiff.result.changes import (
    CatalogDiff,
    Change,
    CompilerCount,
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
    Because,
    ChangeCounts,
    Count,
    Duplicates,
    Field,
    Kind,
    PackageChange,
    PackageParts,
    PartChange,
    VersionCount,
)
