"""Diffs to make HTML reports of: the example snapshots, many changes, and a stranger's catalog."""

import base64
import hashlib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from snapdiff import CatalogDiff, Filters, diff_catalogs, load_catalog
from snapdiff.diff.package_kinds import change_of_package
from snapdiff.model.specs import Revision, Spec
from snapdiff.reports import ReportOptions
from snapdiff.reports.html import document as html
from snapdiff.result.changes import Change, PackageCount, StackDiff, Summary, TagDiff
from snapdiff.result.packages import Count, Field, Kind, PackageChange
from tests.support.helpers import PROJECT
from tests.support.hostile import write_catalogs

SNAPSHOTS = PROJECT / "snapshots"


def rendered(diff: CatalogDiff, **options: Any) -> str:
    """The HTML report of a diff."""
    return "".join(html.render(diff, ReportOptions(**options)))


@cache
def snapshots_diff(folder: str = "", **filters: Any) -> CatalogDiff:
    """What changed between the two example snapshots, or those in a folder such as `mirrors/`."""
    old, new = (
        load_catalog(f"snapshots/{folder}{day}", repository=PROJECT)
        for day in ("2025-06-29", "2025-07-06")
    )
    return diff_catalogs(old, new, filters=Filters(**filters))


def large_diff(number: int) -> CatalogDiff:
    """A diff of so many changes, no two alike, in one tag with ten stacks."""
    kinds = list(Kind)
    by_stack: dict[str, list[Change]] = {f"stack-{count}": [] for count in range(10)}
    for count in range(number):
        kind = kinds[count % len(kinds)]
        digest = base64.b32encode(hashlib.sha256(str(count).encode()).digest()).decode().lower()
        old = _spec(digest[:32], f"1.{count}")
        new = _spec(digest[::-1][-32:], f"1.{count + 1}")
        fields = (Field("variants", (f"~option{count}",), (f"+option{count}",)),)
        by_stack[f"stack-{count % 10}"].append(
            Change(
                kind,
                f"package-{count}",
                None if kind is Kind.ADDED else old,
                None if kind is Kind.REMOVED else new,
                fields if kind is Kind.RECONFIGURED else (),
            )
        )
    stacks = tuple(
        StackDiff(
            document="page",
            stack=name,
            status="changed",
            specs=Count(number, number),
            packages=PackageCount(old=number, new=number),
            summary=Summary(
                **{kind.value: sum(change.kind is kind for change in changes) for kind in kinds}
            ),
            causes=(),
            package_changes=_package_changes(changes),
            changes=tuple(changes),
        )
        for name, changes in by_stack.items()
    )
    totals = {kind.value: sum(stack.summary.count(kind) for stack in stacks) for kind in kinds}
    tag = TagDiff(
        old="develop",
        new="develop",
        status="changed",
        specs=Count(number, number),
        packages=PackageCount(old=number, new=number),
        stacks=stacks,
    )
    return CatalogDiff(
        snapdiff="0.1.0",
        old=Revision(source="HEAD~1", commit="0123456789" * 4, date="2025-07-06T03:04:05+02:00"),
        new=Revision(source="HEAD", commit="89abcdef01" * 4, date="2025-07-07T03:04:05+02:00"),
        filters=Filters(),
        summary=Summary(**totals),
        tags=(tag,),
        skipped=(),
    )


def _package_changes(changes: list[Change]) -> tuple[PackageChange, ...]:
    """What the changes of a stack say of its packages."""
    by_package: dict[str, list[Change]] = {}
    for change in changes:
        by_package.setdefault(change.package, []).append(change)
    return tuple(
        change_of_package(
            package,
            Counter(change.old.version for change in some if change.old),
            Counter(change.new.version for change in some if change.new),
            some,
        )
        for package, some in sorted(by_package.items())
    )


def _spec(spec_hash: str, version: str) -> Spec:
    variants = ("+mpi", "~cuda", "build_type=Release")
    return Spec(spec_hash, version, "gcc@12.3.0", "ubuntu22.04", "linux", "x86_64_v3", variants)


def hostile_diff(folder: Path, place: str) -> CatalogDiff:
    """A diff of two catalogs with every hostile value in one place, written below a folder."""
    old, new = write_catalogs(folder, place)
    return diff_catalogs(
        load_catalog("old", repository=old.parent), load_catalog("new", repository=new.parent)
    )
