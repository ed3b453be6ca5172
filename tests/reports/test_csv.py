"""Rows of CSV about more than a spec: a renamed stack, a hash that names another spec."""

import csv
import io
from pathlib import Path

from tests.support.documents import Item, needs
from tests.support.environments import write_locks
from tests.support.helpers import hash_of, pages_of, run_cli, spec, write_files


def rows(old: Path, new: Path) -> list[dict[str, str]]:
    """The rows of a report, by column, without what is empty."""
    done = run_cli(old, new, "-f", "csv", "--quiet")
    assert (done.status, done.err) == (0, "")
    return [
        {name: cell for name, cell in row.items() if cell}
        for row in csv.DictReader(io.StringIO(done.out))
    ]


def test_a_renamed_stack_has_a_row_with_its_old_name(tmp_path: Path) -> None:
    names = [f"p{letter}" for letter in "abcdefgh"]
    sides = [
        [spec(f"{name[1]}x", package=name, stacks=stack) for name in names]
        for stack in ("ubuntu22.04", "ubuntu24.04")
    ]
    sides[1][0] = spec("ay", package="pa", stacks="ubuntu24.04")
    old, new = (
        write_files(tmp_path / name, pages_of(some))
        for name, some in zip(("old", "new"), sides, strict=True)
    )
    renamed, *changes = rows(old, new)
    assert renamed == {
        "old_tag": "develop",
        "new_tag": "develop",
        "stack": "ubuntu24.04",
        "kind": "stack renamed",
        "differs": "ubuntu22.04",
    }
    assert [(row["kind"], row["package"]) for row in changes] == [("rebuilt", "pa")]


def test_a_hash_that_names_another_version_has_a_row_with_both(tmp_path: Path) -> None:
    old, new = (
        write_files(tmp_path / name, pages_of([spec("b", version, package="zlib")]))
        for name, version in (("old", "1.2"), ("new", "1.3"))
    )
    assert rows(old, new) == [
        {
            "old_tag": "develop",
            "new_tag": "develop",
            "kind": "one hash",
            "package": "zlib",
            "differs": "zlib",
            "old_version": "1.2",
            "new_version": "1.3",
            "old_hash": hash_of("b"),
            "new_hash": hash_of("b"),
        }
    ]


def test_a_whole_stack_has_a_row_beside_those_of_its_specs(tmp_path: Path) -> None:
    sides = [
        [spec("a"), spec("b", "1.0", package="cmake", stacks="hep")],
        [spec("a"), spec("c", "2.0", package="cmake", stacks="ml"), spec("d", package="gcc")],
    ]
    old, new = (
        write_files(tmp_path / name, pages_of(some))
        for name, some in zip(("old", "new"), sides, strict=True)
    )
    found = [(row["stack"], row["kind"], row.get("specs")) for row in rows(old, new)]
    assert found == [
        ("e4s", "added", "1"),
        ("hep", "stack removed", None),
        ("hep", "removed", "1"),
        ("ml", "stack added", None),
        ("ml", "added", "1"),
    ]
    only = run_cli(old, new, "-f", "csv", "-k", "removed").out
    assert "stack removed" in only
    assert "stack added" not in only


def test_roots_of_one_side_and_what_somebody_asked_for_are_told(tmp_path: Path) -> None:
    sides = []
    for version, asked in (("1.0", "cmake"), ("2.0", "zlib")):
        below = [Item(name, explicit=name == asked) for name in ("cmake", "zlib")]
        hdf5 = Item("hdf5", version, needs=tuple(map(needs, below)), explicit=True)
        sides.append([*below, hdf5])
    old, new = write_locks(tmp_path, *sides)
    found = [(row["kind"], row["package"], row.get("explicit")) for row in rows(old, new)]
    assert found == [
        ("upgraded", "hdf5", "yes"),
        ("now asked for", "zlib", None),
        ("no longer asked for", "cmake", None),
    ]


def test_what_lost_or_added_builds_have_in_common_is_told(tmp_path: Path) -> None:
    kept, alone = spec("a", compiler="x@1"), spec("b", compiler="y@1")
    one, both = (
        write_files(tmp_path / name, pages_of(some))
        for name, some in (("one", [kept]), ("both", [kept, alone]))
    )
    for old, new, kind in ((both, one, "removed"), (one, both, "added")):
        [row] = rows(old, new)
        assert (row["kind"], row["package_kind"]) == (kind, kind)
        assert "y 1" in row["trait"]


def test_a_page_that_is_left_out_has_a_row(tmp_path: Path) -> None:
    old, new = (
        write_files(tmp_path / name, pages_of([spec("a" if name == "in" else "b")]))
        for name in ("in", "out")
    )
    path = "_cache/develop/cmake/specs.md"
    write_files(old, {path: "---\ntitle: [\n---\n"})
    done = run_cli(old, new, "-f", "csv", "--skip-bad-pages")
    [skipped] = [row for row in csv.DictReader(io.StringIO(done.out)) if "page" in row["kind"]]
    assert skipped["kind"] == "page skipped (old)"
    assert skipped["package"].endswith(path)
    assert "line 3" in skipped["differs"]
