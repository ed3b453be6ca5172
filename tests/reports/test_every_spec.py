"""What the JSON report lists, the formats that list every spec have, too: nothing is left out."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from snapdiff import CatalogDiff, diff_catalogs, load_catalog, render_report
from snapdiff.reports import GroupBy, ReportOptions
from snapdiff.reports.moves.two_builds import with_builds_apart
from snapdiff.result.changes import Change
from tests.reports.test_news import diff_of
from tests.support.documents import Item, Json, needs, to_bytes
from tests.support.environments import write_locks
from tests.support.generated import Catalogs, catalogs
from tests.support.generated_locks import locks
from tests.support.helpers import catalog_folders, spec
from tests.support.html_reports import rendered
from tests.support.nightly import examples

DETAIL = ReportOptions(detail=True)
KINDS = ((), ("added", "upgraded"), ("removed",), ("!rebuilt",))


def changes_of(diff: CatalogDiff) -> Iterator[Change]:
    """What happened to specs where a stack is on both sides."""
    for tag in diff.tags:
        for stack in tag.stacks:
            if stack.status in ("changed", "unchanged"):
                yield from stack.changes


@given(catalogs(), st.sampled_from(KINDS), st.sampled_from(["package", "stack"]))
def test_detail_has_every_hash(pair: Catalogs, kind: tuple[str, ...], group_by: GroupBy) -> None:
    diff = diff_of(*pair, kind=kind)
    text = render_report(diff, "markdown", ReportOptions(detail=True, group_by=group_by))
    hashes = {it.hash[:7] for change in changes_of(diff) for it in (change.old, change.new) if it}
    if "…" not in text:  # a line of very many like specs names the first
        assert not {found for found in hashes if found not in text}


@given(catalogs(), st.sampled_from(KINDS))
def test_each_spec_is_counted_once_in_its_tag(pair: Catalogs, kind: tuple[str, ...]) -> None:
    diff = diff_of(*pair, kind=kind)
    told = render_report(diff, "markdown", DETAIL)
    said: Counter[str] = Counter()
    for heading in re.findall("every spec: (.*)</summary>", told):
        for number, name in re.findall("([0-9,]+) ([a-z]+)", heading):
            said[{"gone": "removed", "new": "added"}.get(name, name)] += int(number)
    specs = {
        (tag.new, it.kind, it.package, it.old and it.old.hash, it.new and it.new.hash)
        for tag in with_builds_apart(diff).tags
        for stack in tag.stacks
        for it in stack.changes
        if stack.status in ("changed", "unchanged")
    }
    assert said == Counter(it[1].value for it in specs)


def test_a_spec_that_is_new_in_one_stack_and_more_in_another_is_one() -> None:
    old = [spec("b", stacks="e4s"), spec("c", package="m4", stacks="hep")]
    new = [*old, spec("d", stacks="e4s hep")]
    text = render_report(diff_of(old, new), "text", DETAIL)
    assert "every spec: 1 new" in text


def test_a_tag_of_which_no_package_is_of_a_kind_counts_its_specs() -> None:
    """Another tag has a package of the kind, so the sentence on top is about that."""
    old = [spec("b"), spec("c", compiler="gcc@13.1.0"), spec("d", tag="v1")]
    new = [spec("e", "2.0"), spec("g", tag="v2")]
    diff = diff_of(old, [*new, spec("f", package="m4", tag="v1")], kind=("removed",))
    text = render_report(diff, "text", DETAIL)
    assert "No package, but specs of packages that changed otherwise: 1 gone." in text
    assert "every spec: 1 gone" in text


@pytest.mark.parametrize("group_by", ["package", "stack"])
def test_what_was_only_rebuilt_in_a_stack_is_listed(group_by: GroupBy) -> None:
    old = [spec("b", stacks="e4s"), spec("c", package="m4", stacks="hep")]
    new = [spec("d", stacks="e4s"), spec("e", "2.0", package="m4", stacks="hep")]
    text = render_report(diff_of(old, new), "text", replace(DETAIL, group_by=group_by))
    assert "baaaaaa → daaaaaa" in text


Hashes = Counter[tuple[str, ...]]


def hashes_in_rows(diff: CatalogDiff) -> Hashes:
    """The hashes of each spec in the rows of the HTML report, once for each of its stacks."""
    found = re.search('id="data">(.*?)</script>', rendered(diff), re.DOTALL)
    if not found:
        return Counter()
    data: Json = json.loads(found[1])
    return Counter(
        tuple(hashes)
        for row in data["rows"]
        for group in row[9]
        for *hashes, places in group[-1]
        for _ in data["places"][places]
    )


def hashes_in_changes(diff: CatalogDiff) -> Hashes:
    return Counter(
        tuple(it.hash for it in (change.old, change.new) if it) for change in changes_of(diff)
    )


@settings(max_examples=examples(40))
@given(locks())
def test_rows_have_every_spec_of_a_lock(both: tuple[Json, Json]) -> None:
    files = ({"hep/spack.lock": to_bytes(document)} for document in both)
    with catalog_folders(*files) as sides:
        diff = diff_catalogs(*(load_catalog(str(side)) for side in sides), allow_empty=True)
        assert not hashes_in_changes(diff) - hashes_in_rows(diff)


def test_a_build_that_left_for_a_root_in_a_pair_with_a_dependency_is_in_the_row_of_the_roots(
    tmp_path: Path,
) -> None:
    """Two of three builds are roots before, and one of two after: the third is in no part."""
    below = [Item("mpi", version) for version in ("1", "2", "3")]
    old = [
        Item("q", recipe=str(end), explicit=end < 2, needs=(needs(it),))
        for end, it in enumerate(below)
    ]
    app = Item("app", explicit=True, needs=tuple(map(needs, old)))
    new = [
        Item("q", recipe=f"n{end}", explicit=end < 1, needs=(needs(it),))
        for end, it in enumerate(below[:2])
    ]
    other = Item("app", explicit=True, needs=tuple(map(needs, new)))
    before, after = write_locks(tmp_path, [*below, *old, app], [*below, *new, other])
    diff = diff_catalogs(load_catalog(str(before)), load_catalog(str(after)))
    assert not hashes_in_changes(diff) - hashes_in_rows(diff)
