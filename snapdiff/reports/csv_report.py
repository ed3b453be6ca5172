"""One row a change, for spreadsheets."""

import csv
import io
from collections.abc import Collection, Iterator, Sequence

from msgspec import UNSET

from snapdiff.filters import wanted_kinds
from snapdiff.reports import ReportOptions
from snapdiff.reports.cause_words import trait_in_words
from snapdiff.reports.names import readable, side_names
from snapdiff.result.causes import Cause
from snapdiff.result.changes import CatalogDiff, Change, StackDiff
from snapdiff.result.packages import Kind
from snapdiff.safe_text import visible

_SPEC_COLUMNS = ("version", "hash", "compiler", "os", "platform", "target", "variants")
_HEADER = (
    "old_tag",
    "new_tag",
    "stack",
    "kind",
    "package",
    "specs",
    "differs",
    *(f"{side}_{name}" for name in _SPEC_COLUMNS for side in ("old", "new")),
    "cause_package",
    "cause",
    "cause_old",
    "cause_new",
    "cause_path",
    "cause_build_only",
    "cause_others",
    "same_to_use",
    "explicit",
    "package_kind",
    "trait",
)
"""The first row. `specs` is 1 but for a tag that came or went, which is one row in all.

`package_kind` is what happened to the whole package in the stack, `trait` what its removed or its
added builds have in common. In a row about a renamed stack, `differs` is its old name; in one about
a hash that names another spec than before, the package that it named before. A stack that came or
went has a row, too, and each of its specs one of its own.
"""

_FORMULA = ("=", "+", "-", "@", "'")
"""What makes a cell a formula where it comes first; an apostrophe before it makes it text."""

_Cells = dict[str, str]
"""A row by column, without what is empty."""


def render(diff: CatalogDiff, _options: ReportOptions) -> Iterator[str]:
    """Yield the header, then the rows, as RFC 4180 has them."""
    yield csv_row(_HEADER)
    for row in _rows(diff):
        yield csv_row([row.get(name, "") for name in _HEADER])


def _rows(diff: CatalogDiff) -> Iterator[_Cells]:
    sides = side_names(diff.old, diff.new)
    kinds = wanted_kinds(diff.filters)
    for tag in readable(diff).tags:
        # The only tag, where no folder names it, is what the sides are called.
        old, new = (
            side.name if name == "" else name or ""
            for side, name in zip(sides, (tag.old, tag.new), strict=True)
        )
        tags = {"old_tag": old, "new_tag": new}
        if tag.status != "changed":
            specs = tag.specs.new or tag.specs.old
            yield tags | {"kind": f"tag {tag.status}", "specs": str(specs)}
            continue
        for conflict in tag.hash_conflicts or ():
            yield tags | {
                "kind": "one hash",
                "package": conflict.new.package,
                "differs": conflict.old.package,
                "old_version": conflict.old.version,
                "new_version": conflict.new.version,
                "old_hash": conflict.hash,
                "new_hash": conflict.hash,
            }
        for stack in tag.stacks:
            for row in _rows_of_stack(stack, kinds):
                yield tags | {"stack": stack.stack} | row
    if diff.nothing_compared:
        yield {"kind": "nothing compared"}
    for page in diff.skipped:
        yield {"kind": f"page skipped ({page.side})", "package": page.path, "differs": page.error}


def _rows_of_stack(stack: StackDiff, kinds: Collection[Kind]) -> Iterator[_Cells]:
    if stack.status in kinds:
        yield {"kind": f"stack {stack.status}"}
    if stack.renamed_from is not UNSET:
        yield {"kind": "stack renamed", "differs": stack.renamed_from}
    packages = {change.package: change for change in stack.package_changes}
    for change in stack.changes:
        cells = _cells_of(change)
        if package := packages.get(change.package):  # `-k` may have left it out
            trait = {Kind.REMOVED: package.lost, Kind.ADDED: package.gained}.get(change.kind)
            cells["package_kind"] = package.kind.value
            cells["trait"] = trait_in_words(trait, str) if trait else ""
        yield cells
    if stack.asked_for is not None:
        for name in stack.asked_for.now:
            yield {"kind": "now asked for", "package": name}
        for name in stack.asked_for.no_longer:
            yield {"kind": "no longer asked for", "package": name}


def _cells_of(change: Change) -> _Cells:
    cells = {
        "kind": change.kind.value,
        "package": change.package,
        "specs": "1",
        "differs": " ".join(field.name for field in change.fields),
        "explicit": "yes" if change.is_explicit else "",
    }
    for side, spec in (("old", change.old), ("new", change.new)):
        if spec:
            cells |= {f"{side}_{name}": _text(getattr(spec, name)) for name in _SPEC_COLUMNS}
    cause = change.cause
    if isinstance(cause, Cause):
        cells |= {
            "cause_package": cause.package or "",
            "cause": cause.what,
            "cause_old": _text(cause.old),
            "cause_new": _text(cause.new),
            "cause_path": " > ".join(cause.path),
            "cause_build_only": "yes" if cause.build_only else "",
            "cause_others": str(cause.others),
            "same_to_use": "yes" if change.same_to_use is True else "",
        }
    return cells


def _text(value: str | tuple[str, ...] | None) -> str:
    return " ".join(value) if isinstance(value, tuple) else value or ""


def csv_row(cells: Sequence[str]) -> str:
    """Return one row, no cell of which a spreadsheet takes for a formula."""
    seen = map(visible, cells)
    text = io.StringIO()
    csv.writer(text).writerow([f"'{it}" if it.startswith(_FORMULA) else it for it in seen])
    return text.getvalue()
