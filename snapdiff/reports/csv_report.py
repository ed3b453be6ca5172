"""One row a change, for spreadsheets."""

import csv
import io
from collections.abc import Iterator

from msgspec import UNSET

from snapdiff.model import Spec
from snapdiff.reports import ReportOptions
from snapdiff.reports.lost_builds import trait_in_words
from snapdiff.reports.names import readable, side_names
from snapdiff.result import CatalogDiff, Change, Kind, PackageChange, RootChanges
from snapdiff.result.causes import Cause
from snapdiff.safe_text import visible

_SPEC_COLUMNS = ("version", "hash", "compiler", "os", "platform", "target", "variants")
_CAUSE_COLUMNS = (
    "cause_package",
    "cause",
    "cause_old",
    "cause_new",
    "cause_path",
    "cause_build_only",
    "cause_others",
    "same_to_use",
)
COLUMNS = (
    "old_tag",
    "new_tag",
    "stack",
    "kind",
    "package",
    "specs",
    "differs",
    *(f"{side}_{name}" for name in _SPEC_COLUMNS for side in ("old", "new")),
    *_CAUSE_COLUMNS,
    "explicit",
    "package_kind",
    "trait",
)
"""The first row. `specs` is 1 but for a tag that came or went, which is one row in all.

`package_kind` is what happened to the whole package in the stack, `trait` what its removed or its
added builds have in common. In a row about a renamed stack, `differs` is its old name; in one about
a hash that names another spec than before, the package that it named before.
"""

_FORMULA = ("=", "+", "-", "@", "'")
"""What makes a cell a formula where it comes first; an apostrophe before it makes it text."""


def render(diff: CatalogDiff, _options: ReportOptions) -> Iterator[str]:
    """Yield the header, then the rows, as RFC 4180 has them."""
    yield csv_row(COLUMNS)
    sides = side_names(diff.old, diff.new)
    for tag in readable(diff).tags:
        # The only tag, where no folder names it, is what the sides are called.
        tags = [
            side.name if name == "" else name or ""
            for side, name in zip(sides, (tag.old, tag.new), strict=True)
        ]
        if tag.status != "changed":
            specs = tag.specs.new or tag.specs.old
            yield _short_row([*tags, "", f"tag {tag.status}", "", str(specs)])
            continue
        for conflict in tag.hash_conflicts or ():
            old, new = conflict.old, conflict.new
            cells = [*tags, "", "one hash", new.package, "", old.package, old.version, new.version]
            yield _short_row([*cells, conflict.hash, conflict.hash])
        for stack in tag.stacks:
            if stack.renamed_from is not UNSET:
                yield _short_row([*tags, stack.stack, "stack renamed", "", "", stack.renamed_from])
            packages = {change.package: change for change in stack.package_changes}
            for change in stack.changes:
                cells = [*tags, stack.stack, change.kind.value]
                cells += [change.package, "1", *_spec_cells(change)]
                yield csv_row([*cells, *_package_cells(change, packages.get(change.package))])
            roots = stack.asked_for or RootChanges(now=(), no_longer=())
            for kind, names in (("now", roots.now), ("no longer", roots.no_longer)):
                for name in names:
                    yield _short_row([*tags, stack.stack, f"{kind} asked for", name])
    for page in diff.skipped:
        yield _short_row(["", "", "", f"page skipped ({page.side})", page.path, "", page.error])


def _short_row(cells: list[str]) -> str:
    """Return a row that has nothing in its last cells."""
    return csv_row([*cells, *[""] * (len(COLUMNS) - len(cells))])


def _spec_cells(change: Change) -> list[str]:
    cells = [" ".join(field.name for field in change.fields)]
    for name in _SPEC_COLUMNS:
        cells += [_value(change.old, name), _value(change.new, name)]
    return [*cells, *_cause_cells(change), "yes" if change.is_explicit else ""]


def _package_cells(change: Change, package: PackageChange | None) -> list[str]:
    """Return what is told of the package; `-k` may have left it out."""
    if package is None:
        return ["", ""]
    traits = {Kind.REMOVED: package.lost, Kind.ADDED: package.gained}
    trait = traits.get(change.kind)
    return [package.kind.value, trait_in_words(trait, str) if trait else ""]


def _value(spec: Spec | None, name: str) -> str:
    return "" if spec is None else _text(getattr(spec, name))


def _text(value: str | tuple[str, ...] | None) -> str:
    return " ".join(value) if isinstance(value, tuple) else value or ""


def _cause_cells(change: Change) -> list[str]:
    cause = change.cause
    if not isinstance(cause, Cause):
        return [""] * len(_CAUSE_COLUMNS)
    return [
        cause.package or "",
        cause.what,
        _text(cause.old),
        _text(cause.new),
        " > ".join(cause.path),
        "yes" if cause.build_only else "",
        str(cause.others),
        "yes" if change.same_to_use is True else "",
    ]


def csv_row(cells: tuple[str, ...] | list[str]) -> str:
    """Return one row, no cell of which a spreadsheet takes for a formula."""
    text = io.StringIO()
    csv.writer(text).writerow([_cell(cell) for cell in cells])
    return text.getvalue()


def _cell(text: str) -> str:
    seen = visible(text)
    return f"'{seen}" if seen.startswith(_FORMULA) else seen
