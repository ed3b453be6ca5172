"""What happened to a package (docs/specification.md, section 9)."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from msgspec import UNSET

from snapdiff import Filters
from snapdiff.diff.package_kinds import change_of_package, changes_of_packages
from snapdiff.filters import narrowed_to_kinds, wanted_kinds
from snapdiff.model.specs import Spec
from snapdiff.result.changes import Change
from snapdiff.result.packages import Count, Kind
from tests.support.generated import Catalogs, catalogs
from tests.support.helpers import report_of, spec, words
from tests.support.package_oracle import changes_by_stack, package_changes, stack_traits

ONE = Spec("a", "1.0", "gcc@12", "ubuntu22.04", "linux", "x86_64", ())

EXAMPLES = [
    # old versions, new versions, kinds of its spec changes, kind, gone, came, kept
    ("", "1.0", "added", "added whole", "", "1.0", ""),
    ("1.0 2.0", "", "removed", "removed whole", "1.0 2.0", "", ""),
    ("6.3.3 6.4.0", "6.2.4", "downgraded", "downgraded", "6.3.3 6.4.0", "6.2.4", ""),
    ("1.14.5 1.12.3", "1.14.6 1.12.3", "upgraded", "upgraded", "1.14.5", "1.14.6", "1.12.3"),
    ("1.0", "1.0 2.0", "added", "upgraded", "", "2.0", "1.0"),
    ("1.0 2.0", "1.0", "removed", "downgraded", "2.0", "", "1.0"),
    ("5.14.2", "5.14.1 5.14.2", "downgraded rebuilt", "added", "", "5.14.1", "5.14.2"),
    ("5.14.1 5.14.2", "5.14.2", "upgraded", "removed", "5.14.1", "", "5.14.2"),
    ("1.0 1.4 3.0", "1.2 3.0", "downgraded", "downgraded", "1.0 1.4", "1.2", "3.0"),
    ("1.0 1.1 3.0", "1.2 3.0", "upgraded", "upgraded", "1.0 1.1", "1.2", "3.0"),
    ("1.9 1.10", "1.9 1.10", "rebuilt", "rebuilt", "", "", "1.9 1.10"),
    ("1.0", "1.0", "rebuilt added", "added", "", "", "1.0"),
    ("1.0", "1.0", "removed added upgraded", "removed", "", "", "1.0"),
    ("1.0 2.0", "1.0 2.0", "downgraded upgraded", "reconfigured", "", "", "1.0 2.0"),
    ("1.0", "1.0", "rebuilt reconfigured", "reconfigured", "", "", "1.0"),
    ("1.0", "1.0", "reconfigured", "reconfigured", "", "", "1.0"),
    ("1.2", "1-2", "rebuilt", "rebuilt", "", "", "1-2"),
    ("1.2 01.2", "1.2 01.2", "rebuilt", "rebuilt", "", "", "01.2"),
    ("2.0", "2.0rc1", "downgraded", "downgraded", "2.0", "2.0rc1", ""),
    ("2.0", "develop", "upgraded", "upgraded", "2.0", "develop", ""),
]


@pytest.mark.parametrize(
    ("old", "new", "specs", "kind", "gone", "came", "kept"), EXAMPLES, ids=words
)
def test_the_versions_say_what_happened(
    old: str, new: str, specs: str, kind: str, gone: str, came: str, kept: str
) -> None:
    changes = [Change(Kind(name), "zlib", None, None) for name in specs.split()]
    numbers = Counter(old.split()), Counter(new.split())
    found = change_of_package("zlib", *numbers, changes)
    assert found.builds == Count(numbers[0].total(), numbers[1].total())
    assert f"{found.kind}{' whole' if found.whole else ''}" == kind
    assert (found.gone, found.came, found.kept) == (
        tuple(gone.split()),
        tuple(came.split()),
        tuple(kept.split()),
    )
    assert {name: found.specs.count(Kind(name)) for name in specs.split()} == {
        name: specs.split().count(name) for name in specs.split()
    }


COUNTS = [
    # builds of versions, old and new, and how many of each are told
    ("2.0 2.0 1.9", "2.0 1.9 1.9", "1.9: 1 → 2, 2.0: 2 → 1"),
    ("2.0 2.0", "2.0 1.10 1.9", "1.9: 0 → 1, 1.10: 0 → 1, 2.0: 2 → 1"),
    ("2.0 1.9 1.9", "2.0", "1.9: 2 → 0, 2.0: 1 → 1"),
    ("1.2 1.2 1.0", "1-2 1.0", "1.0: 1 → 1, 1-2: 2 → 1"),
    ("1.2 1-2", "1.2", ""),  # one version
    ("2.0 2.0", "2.0", ""),
    ("2.0 1.9", "1.8", ""),  # none was kept
    ("", "2.0 1.9", ""),
]


@pytest.mark.parametrize(("old", "new", "told"), COUNTS, ids=words)
def test_builds_are_counted_by_version_where_one_was_kept(old: str, new: str, told: str) -> None:
    changes = [Change(Kind.REBUILT, "zlib", None, None)]
    found = change_of_package("zlib", Counter(old.split()), Counter(new.split()), changes)
    counts = [] if found.versions is UNSET else found.versions
    assert ", ".join(f"{it.version}: {it.old} → {it.new}" for it in counts) == told


@pytest.mark.parametrize(
    ("change", "kept", "kind"),
    [
        (Change(Kind.ADDED, "zlib", None, ONE), ["0.9"], "upgraded"),
        (Change(Kind.ADDED, "zlib", None, ONE), ["2.0"], "added"),
        (Change(Kind.ADDED, "zlib", None, ONE), [], "added whole"),
        (Change(Kind.REMOVED, "zlib", ONE, None), ["0.9"], "downgraded"),
        (Change(Kind.REMOVED, "zlib", ONE, None), ["2.0"], "removed"),
        (Change(Kind.REMOVED, "zlib", ONE, None), [], "removed whole"),
    ],
)
def test_versions_that_nothing_happened_to_count_where_some_changes_are_looked_at(
    change: Change, kept: list[str], kind: str
) -> None:
    before = change_of_package("zlib", dict.fromkeys(kept, 4), dict.fromkeys(kept, 5), [change])
    [found] = changes_of_packages([change], {"zlib": before})
    assert found.builds == Count(4 * len(kept), 5 * len(kept))
    assert found.versions is UNSET  # `before` does not know the version of the change
    assert f"{found.kind}{' whole' if found.whole else ''}" == kind
    assert found.kept == tuple(kept)


@given(catalogs())
def test_a_second_reading_finds_the_same(pair: Catalogs) -> None:
    old, new = pair
    report = report_of(old, new)
    assert changes_by_stack(report) == package_changes(old, new)
    expected = stack_traits(old, new)
    for tag in report["tags"]:
        label = tag["old"] if tag["old"] == tag["new"] else f"{tag['old']}..{tag['new']}"
        for stack in tag["stacks"] if tag["status"] == "changed" else ():
            keys = ("lost", "gained")
            assert tuple(stack[key] for key in keys) == expected[label, stack["stack"]]
        before, after = (
            {record["package"] for record in side if record["tag"] == tag[name]}
            for side, name in ((old, "old"), (new, "new"))
        )
        is_in_both = tag["status"] == "changed"
        assert tag["packages"] == {
            "old": len(before),
            "new": len(after),
            "added": sorted(after - before) if is_in_both else [],
            "removed": sorted(before - after) if is_in_both else [],
        }


def test_the_names_of_a_tag_are_in_their_order() -> None:
    names = [f"p{letter}" for letter in "abcdefghi"]
    every, stays = [spec(name, package=name) for name in names], spec("b", package="stays")
    [removed] = report_of([*every, stays], [stays])["tags"]
    [added] = report_of([stays], [*every, stays])["tags"]
    assert removed["packages"]["removed"] == added["packages"]["added"] == names


OLD = [
    spec("b", "5.14.2", package="paraview"),
    spec("c", "1.0", package="zlib"),
    spec("d", "1.0", package="gone"),
]
NEW = [
    spec("p", "5.14.2", package="paraview"),
    spec("q", "5.14.1", package="paraview"),
    spec("r", "2.0", package="zlib"),
]


@pytest.mark.parametrize(
    ("kind", "packages", "specs"),
    [
        ("added", ["paraview"], ["paraview"]),
        ("rebuilt", [], ["paraview"]),
        ("upgraded", ["zlib"], ["zlib"]),
        ("removed", ["gone"], ["gone"]),
        ("!rebuilt", ["gone", "paraview", "zlib"], ["gone", "paraview", "zlib"]),
    ],
)
def test_kinds_narrow_packages_and_specs_each_by_its_own(
    kind: str, packages: list[str], specs: list[str]
) -> None:
    [tag] = report_of(OLD, NEW, kind=(kind,))["tags"]
    [stack] = tag["stacks"]
    assert [change["package"] for change in stack["package_changes"]] == packages
    assert [change["package"] for change in stack["changes"]] == specs
    assert sum(stack["summary"].values()) == len(specs)


ONE_GCC = spec("a", compiler="gcc@12")
TWO_CLANG = spec("b", compiler="clang@14")
KEPT = spec("k", package="hdf5", compiler="gcc@12")


@pytest.mark.parametrize(
    ("old", "new", "options", "compilers"),
    [
        ([ONE_GCC], [TWO_CLANG], {}, [("gcc@12", 1, 0), ("llvm@14", 0, 1)]),
        ([ONE_GCC, KEPT], [TWO_CLANG], {}, [("gcc@12", 2, 0), ("llvm@14", 0, 1)]),
        # Neither of some packages alone, nor where a page has unchanged specs.
        ([ONE_GCC, KEPT], [TWO_CLANG], {"package": ("zlib",)}, None),
        ([ONE_GCC, KEPT], [TWO_CLANG, KEPT], {}, None),
    ],
)
def test_the_compilers_of_a_stack_are_told_where_those_of_all_specs_are_known(
    old: list[dict[str, Any]],
    new: list[dict[str, Any]],
    options: dict[str, Any],
    compilers: list[tuple[str, int, int]] | None,
) -> None:
    [tag] = report_of(old, new, **options)["tags"]
    found = tag["stacks"][0].get("compilers")
    assert (found and [tuple(count.values()) for count in found]) == compilers


def test_what_a_page_says_anew_of_a_hash_is_what_is_there() -> None:
    old = [spec("a", variants="+cuda"), spec("b", variants="~cuda")]
    for variants, lost in (("+cuda", None), ("~cuda", "+cuda")):
        new = [spec("b", variants=variants), spec("c", package="hdf5")]
        [tag] = report_of(old, new)["tags"]
        changes = {change["package"]: change for change in tag["stacks"][0]["package_changes"]}
        assert changes["zlib"]["builds"] == {"old": 2, "new": 1}
        assert (changes["zlib"]["lost"] or {}).get("value") == lost


def test_a_kind_that_did_not_happen_leaves_nothing() -> None:
    assert report_of(OLD, NEW, kind=("reconfigured",))["tags"] == []


def test_without_kinds_everything_is_wanted() -> None:
    assert wanted_kinds(Filters()) == frozenset(Kind)
    assert wanted_kinds(Filters(kind=("!re*",))) == {
        Kind.ADDED,
        Kind.UPGRADED,
        Kind.DOWNGRADED,
    }


def test_a_diff_of_every_kind_is_the_same_diff() -> None:
    from tests.support.html_reports import large_diff

    diff = large_diff(12)
    assert narrowed_to_kinds(diff) is diff
