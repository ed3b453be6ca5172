"""A changelog and `snapdiff OLD NEW` agree, whatever happens to the files of a catalog.

Histories are made of all that people do to folders: pages change, move, are copied, break and are
mended, folders are renamed, a tag gets another folder, and some commits touch no page.
"""

import gc
import json
import random
import weakref
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Raw

from snapdiff.catalog.reading import Reading
from snapdiff.catalog.sides import CountedFiles
from snapdiff.changelog import sections
from snapdiff.formats import environment_lock, listing, spec_node
from snapdiff.formats.document import DocumentReader
from snapdiff.formats.kinds import Documents
from snapdiff.limits import Limits
from snapdiff.sources.git import changes_between
from tests.support.documents import Item, database, digest, lock, needs, site_data, to_bytes
from tests.support.helpers import pages_of, run_cli, spec, usual_page, write_files
from tests.support.nightly import examples
from tests.support.repositories import GitRepository

pytestmark = pytest.mark.slow

PACKAGES = ("cuda", "hdf5", "zlib")
TAGS = ("develop", "cuda")
STACKS = ("e4s root", "hep root", "e4s hep root", "root")
FOLDERS = ("_cache", "A", "dup/x", "z")


def some_page(chance: random.Random, package: str, tag: str) -> str:
    """A page with one to three specs."""
    letters = chance.sample("bcdefghijk", chance.choice([1, 2, 3]))
    versions = ("1.0", "1.1", "2.0")
    return usual_page(
        [
            spec(letter, chance.choice(versions), package=package, tag=tag, stacks=stacks)
            for letter in letters
            for stacks in [chance.choice(STACKS)]
        ]
    )


def changed(chance: random.Random, files: dict[str, str]) -> dict[str, str]:
    """The files after one thing happened to them."""
    files = dict(files)
    path = chance.choice(sorted(files))
    package, tag = chance.choice(PACKAGES), chance.choice(TAGS)
    match chance.choice(
        ["page", "page", "move", "copy", "break", "cut", "remove", "rename", "none"]
    ):
        case "page":
            files[f"_cache/{tag}/{package}/specs.md"] = some_page(chance, package, tag)
        case "move":
            files[f"{chance.choice(FOLDERS)}/{tag}/{package}/specs.md"] = files.pop(path)
        case "copy":
            files[f"{chance.choice(FOLDERS)}/{tag}/{package}/specs.md"] = files[path]
        case "break":
            files[path] = "broken\n"
        case "cut":
            files[path] = files[path][: len(files[path]) // 2]
        case "remove" if len(files) > 2:
            del files[path]
        case "rename":
            old, new = chance.sample(FOLDERS, 2)
            files = {
                f"{new}/{name.removeprefix(old).lstrip('/')}"
                if name.startswith(f"{old}/")
                else name: text
                for name, text in files.items()
            }
        case _:
            files["README"] = str(chance.random())
    return files


def make_wild_history(folder: Path, seed: int, commits: int = 8) -> GitRepository:
    """A history of a catalog to which something happens in every commit."""
    chance = random.Random(seed)  # noqa: S311 - the same history for the same seed
    repository = GitRepository(folder)
    files = {
        f"_cache/{tag}/{package}/specs.md": some_page(chance, package, tag)
        for tag in TAGS
        for package in PACKAGES
    }
    repository.commit(files)
    for _ in range(commits):
        for _ in range(chance.choice([1, 1, 2])):
            files = changed(chance, files)
        repository.commit(files)
    return repository


@settings(max_examples=examples(3), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 100_000), jobs=st.sampled_from(["1", "2", "3"]))
def test_each_section_is_the_diff_of_its_ends_to_the_byte(
    seed: int, jobs: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    history = make_wild_history(tmp_path_factory.mktemp("history"), seed)
    options = ("-f", "json", "--skip-bad-pages", "--allow-empty", "--quiet")
    told = run_cli(
        *("changelog", "-C", history.folder, "HEAD~8..HEAD", *options), *("-f", "ndjson")
    )
    assert (told.status, told.err) == (0, "")
    spread = run_cli(
        *("changelog", "-C", history.folder, "HEAD~8..HEAD", *options),
        *("-f", "ndjson", "--jobs", jobs),
    )
    assert spread == told
    for line in told.out.splitlines(keepends=True):
        report = json.loads(line)
        ends = (report["old"]["source"], report["new"]["source"])
        assert run_cli("-C", history.folder, *ends, *options).out == line


@settings(max_examples=examples(3), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 100_000))
def test_what_the_changelog_leaves_out_is_no_change(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    history = make_wild_history(tmp_path_factory.mktemp("history"), seed)
    options = ("--skip-bad-pages", "--allow-empty", "--quiet")
    told = run_cli(
        *("changelog", "-C", history.folder, "HEAD~8..HEAD", *options), *("-f", "ndjson")
    )
    sections = {json.loads(line)["new"]["commit"] for line in told.out.splitlines()}
    for number in range(8):
        commit = history.git("rev-parse", f"HEAD~{number}")
        plain = run_cli("-C", history.folder, f"{commit}~1", commit, *options, "-f", "json")
        report = json.loads(plain.out)
        assert (commit in sections) == bool(report["tags"] or report["skipped"])


@settings(max_examples=examples(5), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 100_000))
def test_two_folders_give_what_two_revisions_give(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("history")
    history = make_wild_history(folder / "git", seed, commits=4)
    for number in (1, 0):
        history.git("worktree", "add", "--quiet", str(folder / f"{number}"), f"HEAD~{number}")
    options = ("--skip-bad-pages", "--allow-empty", "--quiet", "-f", "json")
    from_git = json.loads(run_cli("-C", history.folder, "HEAD~1", "HEAD", *options).out)
    from_folders = json.loads(run_cli("-C", folder, "1", "0", *options).out)
    for key in ("summary", "tags", "skipped"):
        assert from_git[key] == from_folders[key]


NAMES = ("cmake", "hdf5", "mpich", "zlib")
RELEASES = (("develop",), ("develop", "v1"), ("v1", "v2"))


def some_items(chance: random.Random) -> list[Item]:
    """None or up to four packages, each of which depends on the one before it."""
    found: list[Item] = []
    for name in chance.sample(NAMES, chance.choice([0, 2, 3, 4])):
        below = tuple(needs(item) for item in found[-1:])
        found.append(Item(name, chance.choice(("1.0", "1.1")), needs=below))
    return found


def some_documents(chance: random.Random) -> dict[str, bytes]:
    """A lock, an index and the site's data, each with other packages."""
    releases = {name: (["e4s"], list(chance.choice(RELEASES))) for name in NAMES}
    specs, packages = site_data(some_items(chance), releases)
    return {
        "envs/cpu/spack.lock": to_bytes(lock(some_items(chance))),
        "envs/gpu/spack.lock": to_bytes(lock(some_items(chance))),
        "mirror/build_cache/index.json": to_bytes(database(some_items(chance))),
        "site/specs_data.json": to_bytes(specs),
        "site/package_data.json": to_bytes(packages),
    }


@settings(max_examples=examples(6), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 100_000))
def test_each_section_on_documents_with_dependencies_is_the_diff_of_its_ends(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance = random.Random(seed)  # noqa: S311 - the same history for the same seed
    history = GitRepository(tmp_path_factory.mktemp("history"))
    files = some_documents(chance)
    history.commit(files)
    for _ in range(3):
        later = some_documents(chance)
        kinds = chance.sample(("envs/cpu", "envs/gpu", "mirror", "site"), 2)
        files |= {path: text for path, text in later.items() if path.startswith(tuple(kinds))}
        history.commit(files)
    assert sections_that_are_diffs(history, "HEAD~3..HEAD") <= 3


def sections_that_are_diffs(history: GitRepository, commits: str) -> int:
    """Fail where a section is not what `snapdiff` says of its ends; return how many there are."""
    told = run_cli("changelog", "-C", history.folder, commits, "-q", "-f", "ndjson")
    assert (told.status, told.err) == (0, "")
    lines = told.out.splitlines(keepends=True)
    for line in lines:
        report = json.loads(line)
        ends = (report["old"]["source"], report["new"]["source"])
        assert run_cli("-C", history.folder, *ends, "-q", "-f", "json").out == line
    return len(lines)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("spack.lock", to_bytes(lock([Item("zlib"), Item("m4")]))),
        ("build_cache/index.json", to_bytes(database([Item("zlib"), Item("m4")]))),
        (".spack-db/index.json", to_bytes(database([Item("zlib"), Item("m4")], installed=True))),
    ],
)
def test_a_document_that_moves_to_another_tag_is_read_anew(
    name: str, content: bytes, tmp_path: Path
) -> None:
    """Its content and the folder that holds it are the same, so is all but the tag."""
    beside = {"other/spack.lock": to_bytes(lock([Item("cmake")]))}
    history = GitRepository(tmp_path / "history")
    for tag in ("v1/x", "v2/x", "v3/x"):
        history.commit({f"{tag}/cpu/{name}": content, **beside})
    assert sections_that_are_diffs(history, "HEAD~2..HEAD") == 2


def test_a_mirror_is_an_aggregate_only_while_it_holds_others(tmp_path: Path) -> None:
    """Each section sees the mirrors of its own ends, not those of the whole range."""
    m4, zlib, cmake = Item("m4"), Item("zlib"), Item("cmake")
    history = GitRepository(tmp_path / "history")
    for whole, stack in (([m4], None), ([m4, zlib], [zlib]), ([m4], None), ([m4, cmake], None)):
        files = {"develop/build_cache/index.json": to_bytes(database(whole))}
        if stack:
            files["develop/e4s/build_cache/index.json"] = to_bytes(database(stack))
        history.commit(files)
    assert sections_that_are_diffs(history, "HEAD~3..HEAD") == 3
    options = ("changelog", "-C", history.folder, "HEAD~3..HEAD", "-q", "-f", "ndjson")
    assert run_cli(*options, "--jobs", "3") == run_cli(*options)


def test_what_is_new_in_a_lock_has_a_cause_that_is_null_in_another_folder_too(
    tmp_path: Path,
) -> None:
    zlib, hdf5 = Item("zlib"), Item("hdf5")
    write_files(
        tmp_path,
        {
            "old/23.08/cpu/spack.lock": to_bytes(lock([zlib])),
            "new/23.11/cpu/spack.lock": to_bytes(lock([zlib, hdf5])),
        },
    )
    report = json.loads(run_cli("-C", tmp_path, "old", "new", "-f", "json").out)
    [tag] = report["tags"]
    assert (tag["old"], tag["new"]) == ("23.08", "23.11")
    [change] = tag["stacks"][0]["changes"]
    assert (change["package"], change["kind"], change["cause"]) == ("hdf5", "added", None)


def test_an_environment_without_a_spec_has_no_cause_that_is_missing(tmp_path: Path) -> None:
    """It has dependencies, too: the change says that it has no cause, wherever it is read."""
    history = GitRepository(tmp_path / "history")
    history.commit({"old/23.08/cpu/spack.lock": to_bytes(lock([]))})
    history.commit({"old/23.08/cpu/spack.lock": to_bytes(lock([Item("zlib")]))})
    history.commit({"new/23.11/cpu/spack.lock": to_bytes(lock([Item("zlib")]))})
    told = run_cli("changelog", "-C", history.folder, "HEAD~2..HEAD~1", "-q", "-f", "ndjson").out
    same_folder = run_cli("-C", history.folder, "HEAD~2", "HEAD~1", "-f", "json").out
    other_folder = run_cli("-C", history.folder, "HEAD~2:old", "HEAD:new", "-f", "json").out
    for report in map(json.loads, (told, same_folder, other_folder)):
        [change] = report["tags"][0]["stacks"][0]["changes"]
        assert (change["package"], change["kind"], change["cause"]) == ("zlib", "added", None)


def test_a_spec_that_becomes_a_root_is_told_as_one_from_then_on(tmp_path: Path) -> None:
    """What a history remembers of a node says whether it is a root, though its record does not."""
    history = GitRepository(tmp_path / "history")
    older, zlib, newer = (Item("zlib", version) for version in ("1.2", "1.3", "1.4"))
    for below, other, is_root in (
        (older, "1", False),
        (zlib, "2", False),
        (zlib, "3", True),
        (newer, "4", True),
        (zlib, "5", False),
    ):
        app = Item("app", needs=(needs(below),), explicit=True)
        below = replace(below, explicit=is_root)
        items = [below, app, Item("m4", other, explicit=True)]
        history.commit({"spack.lock": to_bytes(lock(items))})
    assert sections_that_are_diffs(history, "HEAD~4..HEAD") == 4


def test_a_record_that_stays_is_read_once_in_a_whole_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = GitRepository(tmp_path / "history")
    stays = [Item(f"p{number}", explicit=True) for number in range(20)]
    for version in range(6):
        m4 = Item("m4", str(version))
        # These are alike, and rebuilt each time: what they link says which of them belong together.
        apps = [
            Item("app", hash=digest("app", end, version), needs=(*map(needs, some), needs(m4)))
            for end, some in enumerate((stays[:10], stays[10:]))
        ]
        roots = [replace(app, explicit=True) for app in apps]
        history.commit({"spack.lock": to_bytes(lock([*stays, m4, *roots]))})
    read: Counter[str] = Counter()
    plain = spec_node.decode_node

    def counted(record: Raw, key: str) -> Any:
        read[key] += 1
        return plain(record, key)

    for module in (environment_lock, listing):
        monkeypatch.setattr(module, "decode_node", counted)
    told = run_cli("changelog", "-C", history.folder, "HEAD~5..HEAD", "-q", "-f", "ndjson")
    assert told.out.count("\n") == 5
    # Both sides of the first step may ask for a node that neither knows.
    assert (len(read), max(read.values())) == (38, 2)


def test_no_document_of_a_step_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run does not look for cycles: what is part of one is kept to its end."""
    for number in range(10, 18):
        items = [Item("zlib", str(number), explicit=True)]
        path = tmp_path / f"2025-01-{number}" / f"v{number}" / "cpu" / "spack.lock"
        path.parent.mkdir(parents=True)
        path.write_bytes(to_bytes(lock(items)))
    opened: list[weakref.ref[listing.Listing]] = []
    plain = listing.Listing.__init__

    def noted(self: listing.Listing, *given: Any, **more: Any) -> None:
        opened.append(weakref.ref(self))
        plain(self, *given, **more)

    monkeypatch.setattr(listing.Listing, "__init__", noted)
    gc.disable()
    try:
        told = run_cli("changelog", tmp_path, "-q", "-f", "ndjson")
        kept = [one for one in opened if one() is not None]
    finally:
        gc.enable()
    assert (told.status, told.out.count("\n")) == (0, 7)
    assert len(opened) >= 14
    assert kept == []


class Differing(list[Any]):
    """What differs from one commit to the next: a list that one can ask whether it is kept."""


def test_what_differs_between_commits_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = GitRepository(tmp_path)
    for number in range(12):
        history.commit(pages_of([spec("a", f"1.{number}")]))
    made: list[weakref.ref[Differing]] = []
    kept: list[int] = []

    def noted(*given: Any) -> Iterator[Differing]:
        for pairs in changes_between(*given):
            step = Differing(pairs)
            made.append(weakref.ref(step))
            kept.append(sum(one() is not None for one in made))
            yield step

    monkeypatch.setattr(sections, "changes_between", noted)
    told = run_cli("changelog", "-C", tmp_path, "HEAD~11..HEAD", "-q", "-f", "ndjson")
    assert told.out.count("\n") == 11
    assert len(made) >= 11
    assert max(kept) <= 4  # the step at hand, the next one, and those that they take the place of


def test_what_every_commit_changes_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = GitRepository(tmp_path / "history")
    stays = usual_page([spec("b", tag="develop")])
    for version in range(6):
        item = Item("m4", str(version), explicit=True)
        history.commit(
            {"develop/zlib/specs.md": stays, "develop/cpu/spack.lock": to_bytes(lock([item]))}
        )
    counted: list[str] = []
    plain = CountedFiles.put

    def noted(self: CountedFiles, path: str, found: Reading) -> None:
        counted.append(path)
        plain(self, path, found)

    monkeypatch.setattr(CountedFiles, "put", noted)
    told = run_cli("changelog", "-C", history.folder, "HEAD~5..HEAD", "-q", "-f", "ndjson")
    assert told.out.count("\n") == 5
    assert counted == ["develop/zlib/specs.md", "develop/cpu/spack.lock"]


def test_what_a_reader_remembers_of_a_document_is_dropped_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = GitRepository(tmp_path / "history")
    for version in range(50):
        history.commit({"develop/zlib/specs.md": usual_page([spec("b", f"1.{version}")])})
    readers: list[str] = []
    plain = Documents.reader

    def noted(self: Documents, path: str, limits: Limits) -> DocumentReader:
        readers.append(path)
        return plain(self, path, limits)

    monkeypatch.setattr(Documents, "reader", noted)
    told = run_cli("changelog", "-C", history.folder, "HEAD~49..HEAD", "-q", "-f", "ndjson")
    assert told.out.count("\n") == 49
    assert len(readers) == 3  # of 24 versions each
