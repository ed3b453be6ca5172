"""What changed between two snapshots of a package catalog, for people."""

__version__ = "0.1.0"

TYPE_CHECKING = False  # typing.TYPE_CHECKING, without the time that importing typing takes
if TYPE_CHECKING:
    from snapdiff.answering import find_missing as find_missing
    from snapdiff.catalog.loading import Catalog as Catalog
    from snapdiff.catalog.loading import load_catalog as load_catalog
    from snapdiff.comparison import diff_catalogs as diff_catalogs
    from snapdiff.errors import SnapdiffError as SnapdiffError
    from snapdiff.reports import render_report as render_report
    from snapdiff.result.changes import CatalogDiff as CatalogDiff
    from snapdiff.result.changes import Filters as Filters
    from snapdiff.result.questions import MissingSpecs as MissingSpecs

_HOMES = {
    "Catalog": "snapdiff.catalog.loading",
    "CatalogDiff": "snapdiff.result.changes",
    "Filters": "snapdiff.result.changes",
    "MissingSpecs": "snapdiff.result.questions",
    "SnapdiffError": "snapdiff.errors",
    "diff_catalogs": "snapdiff.comparison",
    "find_missing": "snapdiff.answering",
    "load_catalog": "snapdiff.catalog.loading",
    "render_report": "snapdiff.reports",
}
"""Where each public name lives; it is imported when it is first used: `--version` needs none."""

__all__ = sorted(["__version__", *_HOMES])


def __getattr__(name: str) -> object:
    """Return a public name from the module it lives in."""
    if name not in _HOMES:
        raise AttributeError(f"module 'snapdiff' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Return the public names, also those that nobody has used yet."""
    return __all__
