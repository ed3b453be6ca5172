"""The working tree is what `git diff HEAD` sees, and what git does not know yet."""

import json
from pathlib import Path

import pytest

from tests.support.example import NEW, OLD
from tests.support.helpers import pages_of, run_json, spec, write_files
from tests.support.processes import run_process
from tests.support.repositories import GitRepository

PAGE = "_cache/develop/zlib/specs.md"


@pytest.fixture
def two_tags(tmp_path: Path) -> GitRepository:
    """A repository with two tags of one package each."""
    repository = GitRepository(tmp_path / "catalog")
    repository.commit(pages_of([spec("b"), spec("c", package="cmake", tag="v1")]))
    return repository


@pytest.mark.parametrize("sparse_index", [False, True], ids=["index", "sparse index"])
def test_what_a_sparse_checkout_leaves_out_is_there(
    sparse_index: bool, two_tags: GitRepository
) -> None:
    option = "--sparse-index" if sparse_index else "--no-sparse-index"
    two_tags.git("sparse-checkout", "set", option, "_cache/develop")
    assert not (two_tags.folder / "_cache" / "v1").exists()
    assert run_json("-C", two_tags.folder, "HEAD")["tags"] == []
    write_files(two_tags.folder, pages_of([spec("z", "2.0")]))
    report = run_json("-C", two_tags.folder, "HEAD")
    assert [tag["new"] for tag in report["tags"]] == ["develop"]
    assert report["summary"]["upgraded"] == 1


def test_a_file_that_git_is_told_not_to_look_at_is_the_one_in_the_index(
    two_tags: GitRepository,
) -> None:
    for option in ("--skip-worktree", "--assume-unchanged"):
        write_files(two_tags.folder, pages_of([spec("z", "2.0")]))
        assert run_json("-C", two_tags.folder, "HEAD")["tags"]
        two_tags.git("update-index", option, PAGE)
        assert two_tags.git("diff", "HEAD") == ""
        assert run_json("-C", two_tags.folder, "HEAD")["tags"] == []
        two_tags.git("update-index", option.replace("--", "--no-"), PAGE)
    (two_tags.folder / PAGE).unlink()
    assert run_json("-C", two_tags.folder, "HEAD")["summary"]["removed"] > 0


def test_a_folder_with_an_empty_git_folder_is_a_folder(two_tags: GitRepository) -> None:
    (two_tags.folder / "_cache" / "v1" / ".git").mkdir()
    assert two_tags.git("diff", "HEAD") == ""
    assert run_json("-C", two_tags.folder, "HEAD")["tags"] == []


def test_a_repository_that_was_made_around_files_of_ours_keeps_them_ours(
    two_tags: GitRepository,
) -> None:
    GitRepository(two_tags.folder / "_cache" / "v1")
    assert two_tags.git("diff", "HEAD") == ""
    assert run_json("-C", two_tags.folder, "HEAD")["tags"] == []


def test_a_repository_below_that_git_does_not_know_is_no_part_of_it(
    two_tags: GitRepository,
) -> None:
    inner = GitRepository(two_tags.folder / "_cache" / "inner")
    inner.commit(pages_of([spec("d", package="inner")]))
    assert run_json("-C", two_tags.folder, "HEAD")["tags"] == []


@pytest.fixture
def elsewhere(repository: GitRepository, tmp_path: Path) -> Path:
    """A folder with the old pages: a working tree of a repository whose HEAD has the new ones."""
    assert repository.git("diff", "HEAD") == ""
    return write_files(tmp_path / "elsewhere", pages_of(OLD))


@pytest.mark.slow
def test_the_working_tree_is_where_git_is_told_that_it_is(
    repository: GitRepository, elsewhere: Path, tmp_path: Path
) -> None:
    wanted = run_json("-C", tmp_path, repository.folder, elsewhere)
    assert wanted["tags"]
    git_dir = str(repository.folder / ".git")
    report = ["-f", "json", "HEAD"]
    moved = {"GIT_WORK_TREE": str(elsewhere)}
    named = {"GIT_DIR": git_dir, "GIT_WORK_TREE": str(elsewhere)}
    runs = [
        run_process(*report, cwd=repository.folder, env=moved),
        run_process(*report, cwd=tmp_path, env=named),
        run_process(*report, cwd=elsewhere, env={"GIT_DIR": git_dir}),
    ]
    repository.git("config", "core.worktree", "../../elsewhere")
    runs.append(run_process(*report, cwd=repository.folder))
    for done in runs:
        assert (done.status, done.err) == (0, b"")
        assert json.loads(done.out)["tags"] == wanted["tags"]


@pytest.mark.slow
def test_a_revision_is_looked_up_where_git_is_told_that_the_repository_is(
    repository: GitRepository, tmp_path: Path
) -> None:
    env = {"GIT_DIR": str(repository.folder / ".git")}
    done = run_process("-f", "json", "HEAD~1", "HEAD", cwd=tmp_path, env=env)
    assert done == run_process("-f", "json", "HEAD~1", "HEAD", cwd=repository.folder)
    assert done.status == 0
    write_files(
        tmp_path, {"old/specs.md": pages_of(OLD)[PAGE], "new/specs.md": pages_of(NEW)[PAGE]}
    )
    env = {"GIT_DIR": "/no/such/repository"}
    assert run_process("old", "new", cwd=tmp_path, env=env).status == 0


FOLDERS = [".env", "a/.hidden/env", "a/b"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_that_is_named_is_searched_whatever_it_is_called(
    folder: str, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path)
    repository.commit({f"{folder}/{path}": page for path, page in pages_of(OLD).items()})
    write_files(tmp_path / folder, pages_of(NEW))
    wanted = run_json("-C", tmp_path, f"HEAD:{folder}", folder)
    assert wanted["tags"]
    for arguments in ([folder], ["HEAD", folder], [f"HEAD:{folder}"]):
        report = run_json("-C", tmp_path, *arguments)
        assert (report["tags"], report["summary"]) == (wanted["tags"], wanted["summary"])


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("where", ["itself", "above"])
def test_nothing_is_read_of_a_folder_that_became_a_link(
    where: str, folder: str, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path / "catalog")
    repository.commit({f"{folder}/{path}": page for path, page in pages_of(OLD).items()})
    moved = folder if where == "itself" else folder.partition("/")[0]
    (repository.folder / moved).rename(tmp_path / "elsewhere")
    (repository.folder / moved).symlink_to(tmp_path / "elsewhere")
    report = run_json("-C", repository.folder, "--allow-empty", f"HEAD:{folder}")
    assert {tag["status"] for tag in report["tags"]} == {"removed"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_nothing_is_read_of_a_folder_that_became_a_repository_of_its_own(
    folder: str, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path / "catalog")
    repository.commit({f"{folder}/{path}": page for path, page in pages_of(OLD).items()})
    old = repository.git("rev-parse", "HEAD")
    repository.git("rm", "-r", "--quiet", folder)
    repository.git("commit", "--quiet", "--message=Gone")
    inner = GitRepository(repository.folder / folder)
    inner.commit(pages_of(OLD))
    report = run_json("-C", repository.folder, "--allow-empty", f"{old}:{folder}")
    assert {tag["status"] for tag in report["tags"]} == {"removed"}
