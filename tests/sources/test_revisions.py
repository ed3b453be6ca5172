"""How arguments are written: ranges, folders, files, and names that could be two things."""

from pathlib import Path

import pytest

from snapdiff.errors import RevisionError
from snapdiff.sources.revisions import SourceOpener
from tests.support.example import NEW, OLD
from tests.support.helpers import pages_of, refused, run_cli, run_json, spec, write_files
from tests.support.repositories import GitRepository

PAGE = "_cache/develop/zlib/specs.md"


@pytest.mark.parametrize(
    ("argument", "ends"),
    [
        ("A..B", ("A", "B")),
        ("A..", ("A", "HEAD")),
        ("..B", ("HEAD", "B")),
        ("A:folder..B:folder", ("A:folder", "B:folder")),
        ("A:..B:", ("A:", "B:")),
        ("A:./folder..B:./folder", ("A:./folder", "B:./folder")),
        ("A:../folder..B:../folder", ("A:../folder", "B:../folder")),
        ("A:folder/..B:folder/", ("A:folder/", "B:folder/")),
        ("v1.0..v1.1", ("v1.0", "v1.1")),
        ("A^{/one..two}..B", ("A^{/one..two}", "B")),
        ("A", ("A",)),
        ("..", ("..",)),
        ("../folder", ("../folder",)),
        ("../../folder", ("../../folder",)),
        ("folder/..", ("folder/..",)),
        ("HEAD:../folder", ("HEAD:../folder",)),
        ("HEAD:..", ("HEAD:..",)),
        ("HEAD^{/one..two}", ("HEAD^{/one..two}",)),
        ("x" * 5000 + "..B", ("x" * 5000, "B")),
    ],
)
def test_a_range_has_two_ends(argument: str, ends: tuple[str, ...], tmp_path: Path) -> None:
    assert SourceOpener(tmp_path).split_range(argument) == ends


@pytest.mark.parametrize("argument", ["A....B", "....B", "A.....B"])
def test_four_dots_are_no_range(argument: str, tmp_path: Path) -> None:
    with pytest.raises(RevisionError, match=r"is no range; A\.\.B and A\.\.\.B are"):
        SourceOpener(tmp_path).split_range(argument)


def test_a_folder_or_a_file_that_is_there_is_no_range(tmp_path: Path) -> None:
    (tmp_path / "a..b").mkdir()
    (tmp_path / "a..b.md").touch()
    for name in ("a..b", "a..b.md"):
        assert SourceOpener(tmp_path).split_range(name) == (name,)


def test_a_folder_or_a_file_of_a_revision_is_no_range(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    for text in ("one", "two"):
        repository.commit({"a..b/specs.md": pages_of([spec(text[0])]).popitem()[1]})
    for names in (["HEAD~1:a..b", "HEAD:a..b"], ["HEAD~1:a..b/specs.md", "HEAD:a..b/specs.md"]):
        report = run_json("-C", tmp_path, *names)
        assert [report[side]["source"] for side in ("old", "new")] == names
        assert SourceOpener(tmp_path).split_range(names[0]) == (names[0],)


@pytest.mark.parametrize("argument", [f"{'x' * 5000}..HEAD", f"HEAD..{'x' * 5000}", "x" * 5000])
def test_a_changelog_of_a_very_long_name_is_an_error_of_that_name(
    argument: str, repository: GitRepository
) -> None:
    assert "standard output" not in refused("changelog", "-C", repository.folder, argument)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("start", "ends"),
    [
        ("_cache", ("HEAD~1:./", "HEAD:./")),
        ("_cache", ("HEAD~1:../_cache", "HEAD:../_cache")),
        ("_cache/develop", ("HEAD~1:..", "HEAD:..")),
        (".", ("HEAD~1:./_cache", "HEAD:./_cache")),
        (".", ("HEAD~1:_cache/", "HEAD:_cache/")),
    ],
)
def test_a_folder_is_the_same_however_it_is_written(
    start: str, ends: tuple[str, str], repository: GitRepository
) -> None:
    folder = repository.folder / start
    wanted = run_json("-C", repository.folder, "HEAD~1:_cache", "HEAD:_cache")
    report = run_json("-C", folder, *ends)
    assert report["tags"] == wanted["tags"]
    assert report["tags"]
    if ends[0].endswith(".."):
        return  # four dots in a row are no range
    story = ("changelog", "-f", "json", "-C")
    result = run_cli(*story, folder, "..".join(ends))
    plain = run_cli(*story, repository.folder, "HEAD~1:_cache..HEAD:_cache")
    assert result.status == plain.status == 0
    for end, name in zip(ends, ("HEAD~1:_cache", "HEAD:_cache"), strict=True):
        result = result._replace(out=result.out.replace(end, name))
    assert result.out == plain.out


def test_a_name_with_a_line_break_is_refused_with_a_way_out(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    repository.commit({f"a\nb/{path}": text for path, text in pages_of(OLD).items()})
    said = refused("-C", tmp_path, "HEAD:a\nb", "HEAD")
    assert said == "HEAD:a\\nb: has a line break; write the id that git rev-parse prints\n"
    tree = repository.git("rev-parse", "HEAD:a\nb")
    assert run_cli("-C", tmp_path, tree, tree).status == 0


# --- One file ---


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("@{u}", "no upstream configured for branch 'main'"),
        ("@{u}..HEAD", "no upstream configured for branch 'main'"),
        ("nobranch@{u}", "no such branch: 'nobranch'"),
        ("HEAD@{9999}", "log for 'HEAD' only has "),
    ],
)
def test_what_git_says_of_a_revision_is_said_of_the_argument(
    name: str, reason: str, repository: GitRepository
) -> None:
    said = refused("-C", repository.folder, name)
    assert said.startswith(f"{name.removesuffix('..HEAD')}: {reason}")
    assert said.endswith("; git branch -a, git tag and git log list the revisions\n")


def test_a_file_is_compared_with_a_file(tmp_path: Path) -> None:
    write_files(tmp_path, {"old.md": pages_of(OLD)[PAGE], "new.md": pages_of(NEW)[PAGE]})
    write_files(tmp_path, {"aside/specs.md": "gone\n"})
    report = run_json("-C", tmp_path, "old.md", "./new.md")
    assert report["old"]["source"] == "old.md"
    [e4s, *_] = report["tags"][0]["stacks"]
    assert {change["package"] for change in e4s["changes"]} == {"zlib"}


def test_a_file_of_a_revision_is_compared_with_a_file(repository: GitRepository) -> None:
    wanted = run_json(
        "-C", repository.folder, "HEAD~1:_cache/develop/zlib", "HEAD:_cache/develop/zlib"
    )
    assert wanted["tags"]
    for arguments in (
        [f"HEAD~1:{PAGE}", f"HEAD:{PAGE}"],
        [f"HEAD~1:{PAGE}", PAGE],
        [f"HEAD~1:./{PAGE}", "HEAD:_cache/develop/zlib"],
        [f"HEAD~1:{PAGE}..HEAD:{PAGE}"],
    ):
        assert run_json("-C", repository.folder, *arguments)["tags"] == wanted["tags"], arguments
    report = run_json("-C", repository.folder, f"HEAD~1:{PAGE}", f"HEAD:{PAGE}")
    assert report["old"]["commit"] == repository.git("rev-parse", "HEAD~1")


def test_a_file_that_is_named_through_a_link_is_read(tmp_path: Path) -> None:
    write_files(tmp_path, {"old.md": pages_of(OLD)[PAGE], "new.md": pages_of(NEW)[PAGE]})
    (tmp_path / "latest").symlink_to("new.md")
    report = run_json("-C", tmp_path, "old.md", "latest")
    assert report["tags"] == run_json("-C", tmp_path, "old.md", "new.md")["tags"]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (
            "notes.txt",
            "is nothing to compare; name a folder, or specs.md (or *.md with layout: cache),",
        ),
        ("HEAD:notes.txt", "is nothing to compare; name a folder, or specs.md"),
        ("link.md", "is a symbolic link, and links are not followed"),
        (":a.md", "is a file without a folder; write REV:PATH"),
    ],
)
def test_a_file_that_is_not_read_is_refused(name: str, reason: str, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    page = pages_of([spec("b")])[PAGE]
    write_files(tmp_path, {"notes.txt": "x", "a.md": page})
    (tmp_path / "link.md").symlink_to("a.md")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message=Files")
    if name == "link.md":
        name = "HEAD:link.md"
    assert reason in refused("-C", tmp_path, "HEAD", name)


def test_a_file_has_no_changelog(repository: GitRepository) -> None:
    said = refused("changelog", "-C", repository.folder, f"HEAD~1:{PAGE}..HEAD:{PAGE}")
    assert "a changelog takes two git revisions A..B, or one folder with snapshots in it" in said


def test_a_file_that_is_a_revision_too_is_refused_with_both_spellings(
    repository: GitRepository,
) -> None:
    write_files(repository.folder, {"v1.md": pages_of(NEW)[PAGE]})
    repository.git("tag", "v1.md", "HEAD~1")
    result = run_cli("-C", repository.folder, "v1.md", "HEAD")
    assert result.status == 2
    assert "write ./v1.md for the file, v1.md~0 for the revision" in result.err
    assert run_cli("-C", repository.folder, "./v1.md", "HEAD").status == 0
    assert run_cli("-C", repository.folder, "v1.md~0", "HEAD").status == 0
