"""How many specs a tag has: each hash once, whatever documents list it."""

import json
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.support.documents import Item, database, lock, site_data, to_bytes
from tests.support.helpers import (
    Report,
    catalog_folders,
    run_cli,
    run_json,
    usual_page,
    write_files,
)
from tests.support.helpers import spec as record
from tests.support.nightly import examples
from tests.support.repositories import GitRepository

ITEMS = [Item(name, version) for name in ("cmake", "m4", "zlib") for version in "1234"]
TAGS = ("v1", "v2")
STACKS = ("e4s", "hep", "ml")


class Listed(NamedTuple):
    """A spec, and where a document lists it."""

    tag: str
    name: str
    hash: str
    stacks: tuple[str, ...]


class Written(NamedTuple):
    """A document: its files by path, and what they list."""

    files: dict[str, bytes]
    specs: list[Listed]


def page(tag: str, name: str, specs: list[tuple[Item, list[str]]]) -> Written:
    records = [
        record("b", item.version, package=name, tag=tag, stacks=" ".join(stacks))
        | {"hash": item.key}
        for item, stacks in specs
    ]
    listed = [Listed(tag, name, item.key, tuple(stacks)) for item, stacks in specs]
    return Written({f"{tag}/{name}/specs.md": usual_page(records).encode()}, listed)


def stack_document(kind: str, tag: str, stack: str, items: list[Item]) -> Written:
    """A lock, the index of a build cache or the database of an installation tree."""
    content, place = {
        "lock": (lock(items), "spack.lock"),
        "index": (database(items), "build_cache/index.json"),
        "database": (database(items, installed=True), ".spack-db/index.json"),
    }[kind]
    listed = [Listed(tag, item.name, item.key, (stack,)) for item in items]
    return Written({f"{tag}/{stack}/{place}": to_bytes(content)}, listed)


def data_of_a_site(tag: str, items: list[Item]) -> Written:
    specs, packages = site_data(items, {item.name: (["site"], [tag]) for item in items})
    files = {
        f"{tag}/specs_data.json": to_bytes(specs),
        f"{tag}/package_data.json": to_bytes(packages),
    }
    return Written(files, [Listed(tag, item.name, item.key, ("site",)) for item in items])


def items_of(names: tuple[str, ...] = ("cmake", "m4", "zlib")) -> st.SearchStrategy[list[Item]]:
    some = [item for item in ITEMS if item.name in names]
    return st.lists(st.sampled_from(some), unique_by=lambda item: item.key, min_size=1, max_size=4)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Written]:
    """Documents of any kinds, by what they list alone."""
    found: dict[str, Written] = {}
    for tag in TAGS:
        for name in sorted(draw(st.sets(st.sampled_from(["cmake", "zlib"])))):
            stacks = st.lists(st.sampled_from([*STACKS, "root"]), unique=True, max_size=3)
            specs = [(item, draw(stacks)) for item in draw(items_of((name,)))]
            found[f"{name} {tag}"] = page(tag, name, specs)
        for stack in sorted(draw(st.sets(st.sampled_from(STACKS)))):
            kind = draw(st.sampled_from(["lock", "index", "database"]))
            found[f"{stack} {tag}"] = stack_document(kind, tag, stack, draw(items_of()))
        if draw(st.booleans()):
            found[f"site {tag}"] = data_of_a_site(tag, draw(items_of()))
    return found


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[list[Written], list[Written]]:
    """Documents that are the same on both sides, that differ, and that one side has alone."""
    old, others = draw(documents()), draw(documents())
    taken = draw(st.sets(st.sampled_from(sorted(old.keys() | others.keys()) or [""])))
    new = {key: it for key, it in old.items() if key not in taken}
    new |= {key: others[key] for key in sorted(taken & others.keys())}
    return list(old.values()), list(new.values())


def files_of(side: list[Written]) -> dict[str, str | bytes]:
    return {path: content for written in side for path, content in written.files.items()}


def distinct(side: list[Written], tag: str | None, package: str, stack: str) -> int:
    """The plain count; a spec that no stack has counts in `root`."""
    return len(
        {
            spec.hash
            for written in side
            for spec in written.specs
            if spec.tag == tag and fnmatch(spec.name, package)
            if any(fnmatch(it, stack) for it in set(spec.stacks) - {"root"} or {"root"})
        }
    )


def assert_counts(
    report: Report, old: list[Written], new: list[Written], package: str = "*", stack: str = "*"
) -> None:
    for tag in report["tags"]:
        expected = {
            "old": distinct(old, tag["old"], package, stack),
            "new": distinct(new, tag["new"], package, stack),
        }
        assert tag["specs"] == expected, (tag["old"], tag["new"])


@pytest.mark.slow
@settings(max_examples=examples(15), deadline=None)
@given(two_sides(), st.sampled_from(["*", "z*", "cmake"]), st.sampled_from(["*", "e4s", "[hm]*"]))
def test_a_tag_has_as_many_specs_as_distinct_hashes(
    sides: tuple[list[Written], list[Written]], package: str, stack: str
) -> None:
    old, new = sides
    narrowed = [] if package == "*" else ["-p", package]
    narrowed += [] if stack == "*" else ["-s", stack, "--no-renames"]
    with catalog_folders(files_of(old), files_of(new)) as folders:
        result = run_cli(*folders, "-f", "json", "--allow-empty", *narrowed)
    assume("matches no" not in result.err)
    assert result.status == 0, result.err
    assert_counts(json.loads(result.out), old, new, package, stack)


@pytest.mark.slow
@settings(max_examples=examples(5), deadline=None)
@given(two_sides())
def test_it_has_as_many_in_commits_and_in_each_section_of_a_changelog(
    sides: tuple[list[Written], list[Written]],
) -> None:
    """A changelog carries on what it counted; of commits only what differs is read."""
    old, new = sides
    steps = [[], old, new, old]
    with TemporaryDirectory() as top:
        history = GitRepository(Path(top) / "history")
        listed = {history.commit({"README.md": b"text", **files_of(side)}): side for side in steps}
        options = ("-C", history.folder, "-f", "json", "--allow-empty")
        found = run_cli("changelog", *options, "HEAD~3..HEAD")
        of_commits = run_cli(*options, "HEAD~1", "HEAD")
    assert (found.status, of_commits.status) == (0, 0), (found.err, of_commits.err)
    for section in [json.loads(of_commits.out), *json.loads(found.out)]:
        before, after = (listed[section[side]["commit"]] for side in ("old", "new"))
        assert_counts(section, before, after)


@pytest.mark.parametrize("kind", ["lock", "index", "database"])
def test_a_page_and_two_stacks_that_list_the_same_new_spec(kind: str, tmp_path: Path) -> None:
    old, new = Item("zlib", "1.2"), Item("zlib", "1.3")
    write_files(tmp_path / "old", files_of([page("v1", "zlib", [(old, ["e4s", "hep"])])]))
    stacks = [stack_document(kind, "v1", stack, [new]) for stack in ("e4s", "hep")]
    write_files(tmp_path / "new", files_of(stacks))
    [tag] = run_json(tmp_path / "old", tmp_path / "new")["tags"]
    assert tag["specs"] == {"old": 1, "new": 1}


def test_pages_that_do_not_differ_list_what_an_index_beside_them_lists(tmp_path: Path) -> None:
    both, other = Item("zlib", "1.2"), Item("zlib", "1.3")
    paged = page("v1", "zlib", [(both, ["e4s"]), (other, ["hep"])])
    m4 = Item("m4")
    for name, items in (("old", [both]), ("new", [both, m4])):
        index = stack_document("index", "v1", "e4s", items)
        write_files(tmp_path / name, files_of([paged, index]))
    [tag] = run_json(tmp_path / "old", tmp_path / "new")["tags"]
    assert tag["specs"] == {"old": 2, "new": 3}
