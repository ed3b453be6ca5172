"""Sources list the files that are called like documents, and read as much as limits allow."""

from pathlib import Path

import pytest

from snapdiff.limits import Limits, over_limit
from snapdiff.sources.directory import DirectorySource, WorkingTree
from snapdiff.sources.git import open_revision
from snapdiff.sources.repository import Repository
from snapdiff.sources.source import SingleFile, Source
from tests.support.repositories import GitRepository

FILES = [
    ".hidden/deep/spack.lock",
    ".hidden/spack.lock",
    "a/.spack-db/index.json",
    "a/index.json",
    "a/spack.lock",
    "b/.spack-env/spack.lock",
    "b/other.md",
    "specs.md",
    "spack.lock",
]
WANTED = ["a/.spack-db/index.json", "a/spack.lock", "b/other.md", "spack.lock", "specs.md"]


@pytest.fixture
def catalog(tmp_path: Path) -> GitRepository:
    """A repository with files of many names, and links."""
    repository = GitRepository(tmp_path)
    repository.commit(dict.fromkeys(FILES, "x"))
    for link in ("c/spack.lock", "c/other.md", ".hidden/link/spack.lock"):
        (tmp_path / link).parent.mkdir(exist_ok=True)
        (tmp_path / link).symlink_to("/dev/null")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=Links")
    return repository


def sources(folder: Path) -> dict[str, Source]:
    repository = Repository(folder)
    return {
        "directory": DirectorySource("x", folder),
        "git": open_revision(repository, "HEAD"),
        "working tree": WorkingTree(repository, folder),
    }


@pytest.mark.parametrize("kind", ["directory", "git", "working tree"])
def test_a_source_lists_what_is_wanted_where_it_is_searched(
    kind: str, catalog: GitRepository
) -> None:
    source = sources(catalog.folder)[kind]
    entries = list(source.entries())
    assert [entry.path for entry in entries if not entry.fault] == WANTED
    # A link is missed only where its name says what it would have been.
    assert [entry.path for entry in entries if entry.fault] == ["c/spack.lock"]
    assert [entry.path for entry in source.entries("a")] == WANTED[:2]


def test_what_differs_is_what_is_wanted_too(catalog: GitRepository) -> None:
    repository = Repository(catalog.folder)
    empty = open_revision(repository, catalog.git("hash-object", "-t", "tree", "-w", "/dev/null"))
    pairs = empty.changed_entries(open_revision(repository, "HEAD"))
    assert pairs is not None
    assert sorted(new.path for _, new in pairs if new) == sorted([*WANTED, "c/spack.lock"])
    assert all(old is None for old, _ in pairs)


@pytest.mark.parametrize("kind", ["directory", "git", "working tree"])
def test_a_source_takes_no_more_of_a_file_than_its_limits_say(kind: str, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    repository.commit({"small/spack.lock": "x" * 100, "large/spack.lock": "x" * 101})
    limits = Limits(document_size=100)
    opened = Repository(tmp_path, limits)
    opened_as: dict[str, Source] = {
        "directory": DirectorySource("x", tmp_path, limits),
        "git": open_revision(opened, "HEAD"),
        "working tree": WorkingTree(opened, tmp_path),
    }
    source = opened_as[kind]
    large, small = source.read(source.entries())
    for named, content in ("large/spack.lock", large), ("small/spack.lock", small):
        assert str(SingleFile(source, named, named).content(named)) == str(content)
    assert small == b"x" * 100
    assert str(large) == ("has 101 bytes, and the limit is 100 bytes; --max-size raises it")


def test_a_limit_of_one_is_in_the_singular() -> None:
    wrong = over_limit("is too large", 1, "bytes")
    assert str(wrong) == "is too large, and the limit is 1 byte; --max-size raises it"


def test_a_folder_is_listed_without_those_whose_names_begin_alike(tmp_path: Path) -> None:
    GitRepository(tmp_path).commit(dict.fromkeys(("v1/a.md", "v1.1/b.md", "v1/c/d.md"), "x"))
    for source in sources(tmp_path).values():
        assert [entry.path for entry in source.files("v1")] == ["v1/a.md", "v1/c/d.md"]
