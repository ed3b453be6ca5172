"""What happened, in the shape of the JSON report (docs/specification.md, section 7)."""

from snapdiff.result.changes import (
    CatalogDiff,
    Change,
    ChangeCounts,
    Count,
    Field,
    Filters,
    Kind,
    PackageChange,
    PackageCount,
    SkippedPage,
    StackDiff,
    Summary,
    TagDiff,
)

__all__ = [
    "CatalogDiff",
    "Change",
    "ChangeCounts",
    "Count",
    "Field",
    "Filters",
    "Kind",
    "PackageChange",
    "PackageCount",
    "SkippedPage",
    "StackDiff",
    "Summary",
    "TagDiff",
]
