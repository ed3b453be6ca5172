"""Every kind of repository is read: SHA-256, bare, linked, mirrored, a submodule."""

from pathlib import Path

import pytest

from tests.support.example import NEW, OLD
from tests.support.helpers import (
    Report,
    pages_of,
    refused,
    run_cli,
    run_json,
    spec,
    without_revisions,
    write_files,
)
from tests.support.repositories import GitRepository, run_git

pytestmark = pytest.mark.slow


def test_objects_named_by_sha_256_are_read(tmp_path: Path, expected: Report) -> None:
    run_git(
        tmp_path, "init", "--quiet", "--object-format=sha256", "--initial-branch=main", "new256"
    )
    repository = GitRepository(tmp_path / "new256")
    repository.commit(pages_of(OLD))
    commit = repository.commit(pages_of(NEW))
    assert len(commit) == 64
    for arguments in (["HEAD~1", "HEAD"], ["HEAD~1"], ["HEAD~1:", "HEAD:"]):
        report = run_json("-C", repository.folder, *arguments)
        assert without_revisions(report) == expected
    assert run_json("-C", repository.folder, "HEAD~1", "HEAD")["new"]["commit"] == commit


def test_bare_and_linked_and_mirrored_repositories_are_read(
    repository: GitRepository, tmp_path: Path, expected: Report
) -> None:
    run_git(tmp_path, "clone", "--quiet", "--mirror", str(repository.folder), "mirror")
    run_git(tmp_path, "clone", "--quiet", "--shared", str(repository.folder), "shared")
    repository.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    run_git(
        tmp_path,
        *("clone", "--quiet", "--separate-git-dir", str(tmp_path / "separate.git")),
        *(str(repository.folder), "separate"),
    )
    for name in ("mirror", "shared", "linked", "separate", "separate.git"):
        assert without_revisions(run_json("-C", tmp_path / name, "HEAD~1", "HEAD")) == expected
    for name in ("linked", "separate"):
        assert without_revisions(run_json("-C", tmp_path / name, "HEAD~1")) == expected


@pytest.fixture
def outer(repository: GitRepository, tmp_path: Path) -> GitRepository:
    """A repository of a page, with the other one as its submodule `inner`."""
    outer = GitRepository(tmp_path / "outer")
    outer.commit(pages_of([spec("b", package="own")]))
    outer.git("submodule", "--quiet", "add", str(repository.folder), "inner")
    outer.git("commit", "--quiet", "--message=Add")
    return outer


def test_a_submodule_is_a_repository_of_its_own_and_no_part_of_the_outer_one(
    outer: GitRepository, expected: Report
) -> None:
    inner = outer.folder / "inner"
    assert without_revisions(run_json("-C", inner, "HEAD~1", "HEAD")) == expected
    assert without_revisions(run_json("-C", inner, "HEAD~1")) == expected
    for arguments in (["HEAD"], []):
        assert run_json("-C", outer.folder, *arguments)["tags"] == [], arguments
    warning = (
        "snapdiff: warning: inner: is a submodule that changed; what is in it is not compared: "
        "run snapdiff there, or with -C\n"
    )
    run_git(inner, "checkout", "--quiet", "HEAD~1")
    outer.git("commit", "--quiet", "--all", "--message=Other commit")
    for old, new in (("HEAD~2", "HEAD~1"), ("HEAD~1", "HEAD"), ("HEAD", "HEAD~2")):
        result = run_cli("-C", outer.folder, "--quiet-if-empty", old, new)
        assert result == (0, "", warning), (old, new)
        asked = run_cli("why", "own", "-C", outer.folder, old, new)
        assert (asked.status, asked.err) == (0, warning)
    narrowed = run_cli("-C", outer.folder, "--quiet-if-empty", "HEAD~1", "HEAD", "--", "_cache")
    assert narrowed == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["HEAD:inner", "HEAD:_cache"],
        ["HEAD:inner/_cache"],
        ["HEAD", "inner"],
        ["inner/_cache", "HEAD"],
        ["inner"],
        ["inner/_cache"],
        ["HEAD:_cache", "HEAD:inner/no/such"],
    ],
    ids=" ".join,
)
def test_a_path_in_a_submodule_is_no_path_of_the_outer_repository(
    arguments: list[str], outer: GitRepository
) -> None:
    message = (
        "snapdiff: error: inner: is a submodule in HEAD; what is in it is of another repository: "
        "run snapdiff there, or with -C\n"
    )
    assert run_cli("-C", outer.folder, *arguments) == (2, "", message)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--", "inner"],
        ["HEAD", "--", "inner/_cache", "_cache"],
        ["HEAD~1", "HEAD", "--", "./inner/"],
        ["changelog", "HEAD~1..HEAD", "--", "inner"],
    ],
    ids=" ".join,
)
def test_a_submodule_is_no_path_that_a_comparison_is_narrowed_to(
    arguments: list[str], outer: GitRepository
) -> None:
    command, *_ = arguments
    begin = [command] if command == "changelog" else []
    message = (
        "snapdiff: error: inner: is a submodule; what is in it is of another repository: run "
        "snapdiff there, or with -C\n"
    )
    done = run_cli(*begin, "-C", outer.folder, *arguments[len(begin) :])
    assert done == (2, "", message)
    without = [word for word in arguments[len(begin) :] if word != "_cache"]
    allowed = run_cli(*begin, "-C", outer.folder, "--allow-empty", *without)
    assert allowed.status == 0


def test_a_slip_is_told_before_the_submodule_beside_it(outer: GitRepository) -> None:
    for paths in (["inner", "innre"], ["innre", "_cache", "inner/_cache"]):
        said = refused("-C", outer.folder, "HEAD~1", "HEAD", "--", *paths)
        assert said.startswith("innre: there is nothing to compare on either side, neither a ")


def test_a_submodule_that_is_at_another_commit_in_the_working_tree_is_named(
    repository: GitRepository, tmp_path: Path
) -> None:
    outer = GitRepository(tmp_path / "outer")
    outer.commit(pages_of([spec("b", package="own")]))
    outer.git("submodule", "--quiet", "add", str(repository.folder), "env/inner")
    write_files(outer.folder, {"env/README": b""})
    outer.git("add", "--all")
    outer.git("commit", "--quiet", "--message=Add")
    warning = (
        "snapdiff: warning: {}: is a submodule that changed; what is in it is not compared: "
        "run snapdiff there, or with -C\n"
    )

    def heard(*arguments: str) -> str:
        return run_cli("-C", outer.folder, "--allow-empty", "--quiet-if-empty", *arguments).err

    assert heard() == ""
    assert heard("HEAD~1") == warning.format("env/inner")
    write_files(outer.folder / "env/inner", {"a file that is not committed": b""})
    assert heard() == ""
    run_git(outer.folder / "env/inner", "checkout", "--quiet", "HEAD~1")
    assert heard() == heard("HEAD") == warning.format("env/inner")
    assert heard("HEAD", "env") == heard("env", "HEAD") == warning.format("inner")
    assert heard("--", "_cache") == heard("HEAD", "_cache") == ""
    outer.git("rm", "--quiet", "--cached", "env/inner")
    assert heard() == warning.format("env/inner")
