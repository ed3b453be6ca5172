"""Stacks with another name on the new side: found to be one, suggested, or named in an option."""

import json
import shlex
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapdiff.catalog.renamed_stacks import best_names
from snapdiff.model.packages import MOST_STACKS, LikeStacks, like_stacks
from tests.support.documents import Item, Json, database, items, lock, needs, site_data, to_bytes
from tests.support.generated_locks import locks as locks_of_graphs
from tests.support.helpers import pages_of, refused, run_cli, run_json, write_files
from tests.support.helpers import spec as record
from tests.support.nightly import examples

Files = dict[str, Any]


# --- Which two are alike ---


def any_two(_old: str, _new: str) -> bool:
    return True


def packages(*names: str) -> set[str]:
    return set(names)


def numbered(count: int, start: int = 0) -> set[str]:
    return {f"p{number}" for number in range(start, start + count)}


@pytest.mark.parametrize(
    ("old", "new", "pairs"),
    [
        ({"a": numbered(10)}, {"b": numbered(10)}, [("a", "b", 10)]),
        # 80% of the smaller one, whichever side it is on
        ({"a": numbered(10)}, {"b": numbered(8)}, [("a", "b", 8)]),
        ({"a": numbered(10)}, {"b": numbered(10, 2)}, [("a", "b", 8)]),
        ({"a": numbered(10)}, {"b": numbered(10, 3)}, []),
        ({"a": numbered(4)}, {"b": numbered(40)}, [("a", "b", 4)]),
        # The names decide between two of the same packages, and each is in one pair
        (
            {"arm64-gcc-cpu": numbered(9), "arm64-gcc-cuda": numbered(10)},
            {"arm64-cpu": numbered(10), "arm64-cuda": numbered(10)},
            [("arm64-gcc-cuda", "arm64-cuda", 10), ("arm64-gcc-cpu", "arm64-cpu", 9)],
        ),
        ({"x": numbered(10), "y": numbered(9)}, {"z": numbered(10)}, [("x", "z", 10)]),
        ({"a": set()}, {"b": set()}, []),
        ({}, {"b": numbered(1)}, []),
    ],
)
def test_each_stack_is_paired_once_with_the_most_alike(
    old: dict[str, set[str]], new: dict[str, set[str]], pairs: list[tuple[str, str, int]]
) -> None:
    likely = like_stacks(old, new, any_two)
    assert best_names(likely) == {before: after for before, after, _ in pairs}
    assert {LikeStacks(*pair) for pair in pairs} <= set(likely)


def test_too_many_stacks_are_not_held_against_each_other() -> None:
    many = {f"s{number}": packages("zlib") for number in range(MOST_STACKS + 1)}
    assert like_stacks(many, {"t": packages("zlib")}, any_two) == []
    assert like_stacks({"t": packages("zlib")}, many, any_two) == []
    del many["s0"]
    assert len(best_names(like_stacks(many, many, any_two))) == MOST_STACKS


# --- Stacks that are found to be one ---


def locks(tag: str, stack: str, found: Sequence[Item]) -> Files:
    return {f"{tag}/{stack}/spack.lock": to_bytes(lock(found))}


def indexes(tag: str, stack: str, found: Sequence[Item]) -> Files:
    return {f"{tag}/{stack}/build_cache/index.json": to_bytes(database(found))}


def trees(tag: str, stack: str, found: Sequence[Item]) -> Files:
    return {f"{tag}/{stack}/.spack-db/index.json": to_bytes(database(found, installed=True))}


def data(tag: str, stack: str, found: Sequence[Item]) -> Files:
    places = {item.name: ([stack], [tag]) for item in found}
    specs, listed = site_data(found, places)
    return {"specs_data.json": to_bytes(specs), "package_data.json": to_bytes(listed)}


def pages(tag: str, stack: str, found: Sequence[Item]) -> Files:
    records = [
        record("b", item.version, package=item.name, tag=tag, stacks=stack)
        | {"hash": item.key, "target": item.target, "os": item.os}
        for item in found
    ]
    return dict(pages_of(records))


Writer = Callable[[str, str, Sequence[Item]], Files]
WRITERS: list[Writer] = [locks, indexes, trees, data, pages]


def environment(version: str = "1.0", number: int = 10, target: str = "x86_64_v3") -> list[Item]:
    below = [Item(f"p{position}", target=target) for position in range(number - 1)]
    top = Item(
        "top", version, target=target, needs=tuple(needs(item) for item in below), explicit=True
    )
    return [*below, top]


def stacks_of(report: Any) -> list[tuple[str, str, str | None, int]]:
    """Name, status, old name and number of changes of every stack."""
    return [
        (stack["stack"], stack["status"], stack.get("renamed_from"), len(stack["changes"]))
        for tag in report["tags"]
        for stack in tag["stacks"]
    ]


@pytest.mark.parametrize("write", [locks, indexes, trees, pages])
def test_a_new_name_is_no_change_of_packages_that_the_stack_does_not_have(
    write: Writer, tmp_path: Path
) -> None:
    other = write("v", "other", [Item("elsewhere")])
    old = write_files(tmp_path / "old", {**other, **write("v", "s1", environment())})
    new = write_files(tmp_path / "new", {**other, **write("v", "s2", environment())})
    assert run_cli(old, new, "-p", "top", "--exit-code").status == 1
    found = run_cli(old, new, "-p", "elsewhere", "--exit-code", "-f", "json")
    assert (found.status, json.loads(found.out)["tags"]) == (0, [])


@pytest.mark.parametrize("write", WRITERS)
def test_a_stack_whose_name_has_other_digits_is_compared_as_one(
    write: Writer, tmp_path: Path
) -> None:
    old = write_files(tmp_path / "old", write("v", "ubuntu22.04", environment()))
    new = write_files(tmp_path / "new", write("v", "ubuntu24.04", environment("1.1")))
    report = run_json(old, new)
    assert stacks_of(report) == [("ubuntu24.04", "changed", "ubuntu22.04", 1)]
    assert report["summary"]["upgraded"] == 1
    assert report["summary"]["unchanged"] == 9
    told = "; compared as one: ubuntu22.04 → ubuntu24.04."
    assert told in " ".join(run_cli(old, new, "-f", "text").out.split())
    by_name = run_json(old, new, "--no-renames")
    assert [stack[:3] for stack in stacks_of(by_name)] == [
        ("ubuntu22.04", "removed", None),
        ("ubuntu24.04", "added", None),
    ]
    assert by_name["filters"]["no_renames"] is True


@pytest.mark.parametrize("write", WRITERS)
def test_a_name_alone_that_changed_is_told(write: Writer, tmp_path: Path) -> None:
    old = write_files(tmp_path / "old", write("v", "e4s-1", environment()))
    new = write_files(tmp_path / "new", write("v", "e4s_2", environment()))
    report = run_json(old, new)
    assert stacks_of(report) == [("e4s_2", "unchanged", "e4s-1", 0)]
    for name in ("text", "markdown", "comment", "html"):
        assert "ompared as one: " in run_cli(old, new, "-f", name).out


@pytest.mark.parametrize(
    ("names", "after"),
    [
        (("x86_64", "aarch64"), environment()),  # other letters
        (("cuda", "rocm"), environment()),
        (("e4s1", "e4s2"), environment(target="neoverse_v2")),  # another family
        (("e4s1", "e4s2"), [Item(f"q{number}") for number in range(10)]),  # other packages
    ],
)
def test_stacks_that_are_not_alike_are_gone_and_new(
    names: tuple[str, str], after: list[Item], tmp_path: Path
) -> None:
    old = write_files(tmp_path / "old", locks("v", names[0], environment()))
    new = write_files(tmp_path / "new", locks("v", names[1], after))
    assert {stack[:3] for stack in stacks_of(run_json(old, new))} == {
        (names[0], "removed", None),
        (names[1], "added", None),
    }


def test_a_stack_that_the_other_side_has_is_no_other_one(tmp_path: Path) -> None:
    """`s1` is on both sides, in a page that differs or in one that does not."""
    one, two = (record("b", package="zlib", stacks=stack) for stack in ("s1", "s2"))
    other = record("c", package="m4", stacks="s1")
    for change in ({}, {"hash": "d" * 32}):
        old = write_files(tmp_path / "old", pages_of([one, other]))
        new = write_files(tmp_path / "new", pages_of([two, other | change]))
        for options in ((), ("-p", "zlib")):
            names = [stack[2] for stack in stacks_of(run_json(old, new, *options))]
            assert set(names) == {None}


def test_a_stack_of_which_a_document_keeps_a_package_is_no_other_one(tmp_path: Path) -> None:
    zlib, m4 = Item("zlib"), Item("m4")
    for side, stack in (("old", "s1"), ("new", "s2")):
        places = {"zlib": (["s1"], ["v"]), "m4": ([stack], ["v"])}
        specs, packages = site_data([zlib, m4], places)
        both = {"specs_data.json": to_bytes(specs), "package_data.json": to_bytes(packages)}
        write_files(tmp_path / side, both)
    found = stacks_of(run_json(tmp_path / "old", tmp_path / "new"))
    assert found == [("s1", "changed", None, 1), ("s2", "added", None, 1)]


def test_a_stack_that_two_documents_list_is_no_other_one(tmp_path: Path) -> None:
    found = [Item(name, explicit=True) for name in ("cmake", "hdf5", "m4", "zlib")]
    locked = to_bytes(lock(found))
    tree = to_bytes(database(found, installed=True))
    write_files(tmp_path / "old", {"hep1/.spack-db/index.json": tree, "hep1/spack.lock": locked})
    write_files(tmp_path / "new", {"hep2/spack.lock": locked})
    report = run_json(tmp_path / "old", tmp_path / "new", "--skip-bad-pages", "-q")
    assert [page["path"] for page in report["skipped"]] == ["hep1/spack.lock"]
    [tag] = report["tags"]
    assert [(it["stack"], it["status"], it["specs"]["new"]) for it in tag["stacks"]] == [
        ("hep2", "added", 4)
    ]


def test_only_stacks_that_are_asked_for_are_held_against_each_other(tmp_path: Path) -> None:
    old = write_files(tmp_path / "old", locks("v", "e4s1", environment()))
    new = write_files(tmp_path / "new", locks("v", "e4s2", environment()))
    assert stacks_of(run_json(old, new, "-s", "e4s2"))[0][:3] == ("e4s2", "added", None)
    assert stacks_of(run_json(old, new, "-s", "e4s1"))[0][:3] == ("e4s1", "removed", None)
    report = run_json(old, new, "-s", "e4s*", "-p", "p1")
    assert stacks_of(report) == [("e4s2", "unchanged", "e4s1", 0)]


def test_each_tag_has_its_own_names(tmp_path: Path) -> None:
    files = {**locks("a", "e4s1", environment()), **locks("b", "e4s1", environment())}
    renamed = {**locks("a", "e4s2", environment()), **locks("b", "e4s1", environment("2.0"))}
    old, new = write_files(tmp_path / "old", files), write_files(tmp_path / "new", renamed)
    assert stacks_of(run_json(old, new)) == [
        ("e4s2", "unchanged", "e4s1", 0),
        ("e4s1", "changed", None, 1),
    ]


# --- A stack without a name ---


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """A lock, in a folder with one environment, and in one with two; and a later version of it."""
    before, after = (to_bytes(lock(environment(version))) for version in ("1.0", "1.1"))
    folders = {"one/hep/spack.lock": after, "two/hep/spack.lock": after, "two/ml/spack.lock": after}
    return write_files(tmp_path, {"old.lock": before, "top/spack.lock": before, **folders})


@pytest.mark.parametrize("old", ["old.lock", "top", "top/spack.lock"])
def test_a_lock_is_compared_with_the_only_one_in_a_folder(old: str, one: Path) -> None:
    report = run_json("-C", one, old, "one")
    assert stacks_of(report) == [("hep", "changed", None, 1)]
    assert report["summary"]["upgraded"] == 1
    back = run_json("-C", one, "one", old, "--no-renames")
    assert stacks_of(back) == [(".", "changed", None, 1)]
    same = run_cli("-C", one, "one/hep/spack.lock", "one", "--exit-code")
    assert (same.status, same.out) == (0, "No changes from `hep/spack.lock` to `one`.\n")


def test_it_is_not_compared_with_one_of_several_nor_where_one_is_asked_for(one: Path) -> None:
    apart = [(".", "removed", None, 10), ("hep", "added", None, 10)]
    assert stacks_of(run_json("-C", one, "old.lock", "two", "-q")) == [
        *apart,
        ("ml", "added", None, 10),
    ]
    assert stacks_of(run_json("-C", one, "one", "old.lock", "-s", "hep")) == [
        ("hep", "removed", None, 10)
    ]
    (one / "two/ml/spack.lock").write_bytes(b"x")
    with_bad = run_cli("-C", one, "old.lock", "two", "--skip-bad-pages", "-q", "-f", "json")
    assert stacks_of(json.loads(with_bad.out)) == apart


# --- The suggestion ---


def test_what_may_be_one_is_suggested_so_that_a_shell_takes_it(tmp_path: Path) -> None:
    name = "$(touch x) y'z"
    old = write_files(tmp_path / "old", locks("t", "e4s", environment()))
    new = write_files(tmp_path / "new", locks("t", name, environment()))
    text = run_cli(old, new, "-f", "text").out
    option = f"--map-stack {shlex.quote(f'e4s={name}')}"
    assert option in " ".join(text.split())
    [_, value] = shlex.split(option)
    assert run_json(old, new, "--map-stack", value)["tags"] == []


# --- The law: a stack that is named is compared as if it had one name ---

OPTIONS: list[list[str]] = [
    [],
    ["--explicit"],
    ["-k", "removed,added"],
    ["-p", "a,gcc"],
    ["-s", "uno"],
    ["-s", "!uno"],
    ["--because", "a"],
    ["--no-renames"],
]


LOCK_OPTIONS: list[list[str]] = [[], ["--explicit"], ["-k", "removed,added"], ["-s", "uno"]]


def outcome(folder: Path, old: Files, new: Files, *options: str) -> tuple[object, ...]:
    """What a comparison gives, free of the names of its folders and options."""
    sides = write_files(folder / "old", old), write_files(folder / "new", new)
    done = run_cli("-C", folder, *(side.name for side in sides), "-f", "json", *options)
    report = json.loads(done.out) if done.out else None
    if report:
        report["filters"]["stack_names"] = []
    table = run_cli("-C", folder, "old", "new", "-f", "csv", *options)
    said = done.err.replace("v/one/", "v/uno/").splitlines()
    # Which dependencies are noticed to be missing depends on how much of a lock has to be read.
    err = [line for line in said if " not in the document" not in line]
    return done.status, err, report, table.out


@given(
    write=st.sampled_from(WRITERS),
    before=items(),
    after=items(),
    options=st.sampled_from(OPTIONS),
)
def test_a_stack_that_is_named_is_compared_as_if_it_had_one_name(
    write: Writer, before: list[Item], after: list[Item], options: list[str]
) -> None:
    if write in (data, pages) and not (before and after):
        return  # they name no stack where they list no spec
    if write in (data, pages) and "--explicit" in options:
        return  # they do not say what was asked for
    if write is pages:
        before, after = ([*{item.key: item for item in some}.values()] for some in (before, after))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        new = write("v", "uno", after)
        alike = outcome(folder / "alike", write("v", "uno", before), new, *options)
        mapped = outcome(
            folder / "mapped",
            write("v", "one", before),
            new,
            *("--map-stack", "one=uno"),
            *options,
        )
    assert mapped == alike


@settings(max_examples=examples(12))
@given(locks_of_graphs(), st.sampled_from(LOCK_OPTIONS))
def test_any_lock_that_is_named_is_compared_as_if_it_had_one_name(
    both: tuple[Json, Json], options: list[str]
) -> None:
    before, after = map(to_bytes, both)
    new = {"v/uno/spack.lock": after}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alike = outcome(folder / "alike", {"v/uno/spack.lock": before}, new, *options)
        old = {"v/one/spack.lock": before}
        mapped = outcome(folder / "mapped", old, new, "--map-stack", "one=uno", *options)
    assert mapped == alike


def test_what_stays_in_a_stack_that_is_named_is_no_cause(tmp_path: Path) -> None:
    stays = Item("stays")
    write_files(tmp_path, {"old/v/one/spack.lock": to_bytes(lock([stays, Item("moves", "1")]))})
    write_files(tmp_path, {"new/v/uno/spack.lock": to_bytes(lock([stays, Item("moves", "2")]))})
    said = refused("-C", tmp_path, "old", "new", "--map-stack", "one=uno", "--because", "stays")
    assert said == "stays: matches no package that differs; there is moves\n"
