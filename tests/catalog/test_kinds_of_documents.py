"""The kind of document of each stack, as the result has it (specification, section 7)."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import Item, database, lock, site_data, to_bytes
from tests.support.helpers import pages_of, run_cli, run_json, write_files
from tests.support.helpers import spec as record
from tests.support.repositories import GitRepository

Files = dict[str, Any]
Writer = Callable[[str, Sequence[Item]], Files]


def a_lock(stack: str, found: Sequence[Item]) -> Files:
    return {f"v1/{stack}/spack.lock": to_bytes(lock(found))}


def an_index(stack: str, found: Sequence[Item]) -> Files:
    return {f"v1/{stack}/build_cache/index.json": to_bytes(database(found))}


def a_database(stack: str, found: Sequence[Item]) -> Files:
    return {f"v1/{stack}/.spack-db/index.json": to_bytes(database(found, installed=True))}


def some_pages(stack: str, found: Sequence[Item]) -> Files:
    records = [
        record("b", item.version, package=item.name, tag="v1", stacks=stack) | {"hash": item.key}
        for item in found
    ]
    return dict(pages_of(records))


def some_data(stack: str, found: Sequence[Item]) -> Files:
    specs, packages = site_data(found, {item.name: ([stack], ["v1"]) for item in found})
    return {"specs_data.json": to_bytes(specs), "package_data.json": to_bytes(packages)}


WRITERS: dict[str, Writer] = {
    "lock": a_lock,
    "index": an_index,
    "database": a_database,
    "page": some_pages,
    "site data": some_data,
}
KINDS = list(WRITERS)
OLD, NEW = [Item("zlib", "1.2"), Item("m4")], [Item("zlib", "1.3"), Item("m4")]


def kinds_of(report: Any) -> dict[str, tuple[str, str]]:
    """Status and document of each stack."""
    return {
        stack["stack"]: (stack["status"], stack["document"])
        for tag in report["tags"]
        for stack in tag["stacks"]
    }


@pytest.mark.parametrize("kind", KINDS)
def test_stacks_have_a_kind_whatever_happened_to_them(kind: str, tmp_path: Path) -> None:
    write = WRITERS[kind]
    if kind == "site data":  # one file for all stacks
        stacks = {"zlib": (["both"], ["v1"]), "m4": (["both", "same"], ["v1"])}
        stacks |= {"perl": (["gone"], ["v1"]), "ruby": (["new"], ["v1"])}
        sides = {}
        for side, found in (("old", [*OLD, Item("perl")]), ("new", [*NEW, Item("ruby")])):
            specs, packages = site_data(found, {item.name: stacks[item.name] for item in found})
            sides[side] = {
                "specs_data.json": to_bytes(specs),
                "package_data.json": to_bytes(packages),
            }
    else:
        same = [Item("ncurses")]
        perl, ruby = [Item("perl")], [Item("ruby")]
        sides = {
            "old": {**write("both", OLD), **write("same", same), **write("gone", perl)},
            "new": {**write("both", NEW), **write("same", same), **write("new", ruby)},
        }
    for side, files in sides.items():
        write_files(tmp_path / side, files)
    assert kinds_of(run_json(tmp_path / "old", tmp_path / "new", "--no-renames")) == {
        "both": ("changed", kind),
        "same": ("unchanged", kind),
        "gone": ("removed", kind),
        "new": ("added", kind),
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", ["added", "removed"])
def test_stacks_of_a_tag_that_one_side_has_have_a_kind(
    kind: str, status: str, tmp_path: Path
) -> None:
    one = write_files(tmp_path / "one", WRITERS[kind]("e4s", OLD))
    (tmp_path / "none").mkdir()
    sides = (tmp_path / "none", one) if status == "added" else (one, tmp_path / "none")
    assert kinds_of(run_json(*sides, "--allow-empty")) == {"e4s": (status, kind)}


@pytest.mark.parametrize("after", KINDS)
@pytest.mark.parametrize("before", KINDS)
def test_where_the_sides_differ_it_is_the_new_sides(
    before: str, after: str, tmp_path: Path
) -> None:
    old = write_files(tmp_path / "old", WRITERS[before]("e4s", OLD))
    new = write_files(tmp_path / "new", WRITERS[after]("e4s", NEW))
    assert kinds_of(run_json(old, new)) == {"e4s": ("changed", after)}


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_stacks_of_a_tag_with_documents_of_several_kinds_have_each_their_own(
    is_mirrored: bool, tmp_path: Path
) -> None:
    """An environment that pages name, too, is an environment."""
    pages = some_pages("e4s", OLD) | some_pages("hep", [Item("root")])
    both = {**some_pages("hep", [Item("root")]), **a_lock("e4s", NEW), **an_index("gpu", NEW)}
    sides = [
        write_files(tmp_path / "one", {**pages, **a_lock("e4s", OLD), **an_index("gpu", OLD)}),
        write_files(tmp_path / "other", both),
    ]
    assert kinds_of(run_json(*(sides[::-1] if is_mirrored else sides))) == {
        "e4s": ("changed", "lock"),
        "gpu": ("changed", "index"),
        "hep": ("unchanged", "page"),
    }


def test_a_stack_that_is_gone_from_one_kind_is_of_the_kind_it_was(tmp_path: Path) -> None:
    old = write_files(tmp_path / "old", {**a_lock("e4s", OLD), **some_pages("hep", OLD)})
    new = write_files(tmp_path / "new", some_pages("hep", NEW))
    assert kinds_of(run_json(old, new)) == {"e4s": ("removed", "lock"), "hep": ("changed", "page")}


def test_a_stack_that_has_another_name_has_the_kind_of_its_document(tmp_path: Path) -> None:
    old = write_files(tmp_path / "old", an_index("ubuntu22.04", OLD))
    new = write_files(tmp_path / "new", a_lock("ubuntu24.04", NEW))
    assert kinds_of(run_json(old, new)) == {"ubuntu24.04": ("changed", "lock")}
    mapped = run_json(old, new, "--no-renames", "--map-stack", "ubuntu22.04=ubuntu24.04")
    assert kinds_of(mapped) == {"ubuntu24.04": ("changed", "lock")}


@pytest.mark.parametrize("kind", KINDS)
def test_documents_that_a_history_counts_have_a_kind(kind: str, tmp_path: Path) -> None:
    write, repo = WRITERS[kind], GitRepository(tmp_path)
    same = {} if kind == "site data" else write("same", [Item("ncurses")])
    for version in ("1.0", "1.1", "1.2"):
        repo.commit({**write("both", [Item("zlib", version), Item("m4")]), **same})
    found = run_cli("changelog", "HEAD~2..HEAD", "-C", tmp_path, "-q", "-f", "ndjson").out
    sections = [kinds_of(json.loads(line)) for line in found.splitlines()]
    expected = {"both": ("changed", kind)} | ({"same": ("unchanged", kind)} if same else {})
    assert sections == [expected, expected]
