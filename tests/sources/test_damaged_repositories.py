"""Repositories that move or are damaged: the right report, or none."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.support.example import NEW, OLD
from tests.support.faults import failed, git_that
from tests.support.helpers import (
    pages_of,
    run_cli,
    run_json,
    spec,
    without_revisions,
)
from tests.support.nightly import nightly_but
from tests.support.processes import is_one_line_error, run_process
from tests.support.repositories import GitRepository, run_git

pytestmark = pytest.mark.slow

_FAKE_GIT = """#!/bin/sh
case " $* " in *" {word}"*) {what} ;; esac
exec {git} "$@"
"""


@pytest.mark.parametrize(
    "what",
    nightly_but(
        ["exec 0<&-; sleep 0.2; exit 1", "exit 1", "exec >&-; cat >/dev/null; exit 1"], ["exit 1"]
    ),
)
def test_a_git_that_ends_too_early_is_an_error(
    what: str, repository: GitRepository, tmp_path: Path
) -> None:
    git = shutil.which("git")
    assert git
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(_FAKE_GIT.format(word="--stdin", what=what, git=git))
    (folder / "git").chmod(0o755)
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    story = "HEAD~1:_cache..HEAD:_cache"
    done = run_process("changelog", "-C", repository.folder, story, "-f", "json", env=env)
    assert "stopped in the middle; see git fsck" in failed(done)


def test_whatever_a_git_still_answers_before_it_ends_the_changelog_is_right_or_there_is_none(
    repository: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = ("changelog", "-C", repository.folder, "HEAD~1:_cache..HEAD:_cache", "-f", "json")
    wanted, git, path = run_cli(*story), shutil.which("git"), os.environ["PATH"]
    assert wanted.status == 0
    errors = 0
    for answers in range(1, 40):
        monkeypatch.setenv("PATH", path)
        ends = f'sed -u {answers}q | {git} "$@"; exit 1'
        monkeypatch.setenv("PATH", git_that(tmp_path, "cat-file", ends)["PATH"])
        done = run_cli(*story)
        if done.status == 0:
            break
        assert (done.status, done.out) == (2, "")
        assert is_one_line_error(done.err), done.err
        errors += 1
    assert done == wanted
    assert errors > 5


@pytest.mark.parametrize("ends", ["HEAD~3..HEAD", "HEAD~3:_cache..HEAD:_cache"])
@pytest.mark.parametrize("lost", ["^{tree}", ":_cache"])
def test_a_changelog_does_not_take_a_tree_that_is_lost_for_an_empty_one(
    ends: str, lost: str, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path)
    for name, version in zip("bcde", "1234", strict=True):
        repository.commit(pages_of([spec(name, version)]))
    tree = repository.git("rev-parse", f"HEAD~1{lost}")
    (tmp_path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    done = run_cli("changelog", "-C", tmp_path, ends, "-f", "json")
    assert (done.status, done.out) == (2, "")
    assert is_one_line_error(done.err)
    assert " tree " in done.err


@pytest.mark.parametrize(
    "asked", nightly_but(["rev-parse", "cat-file", "diff-tree", "ls-tree"], ["ls-tree"])
)
def test_where_a_branch_moves_during_a_run_the_report_is_of_the_commits_it_names(
    asked: str, repository: GitRepository, tmp_path: Path
) -> None:
    run_git(tmp_path, "clone", "--quiet", str(repository.folder), "other")
    third = pages_of([*NEW, spec("y", package="late")])
    repository.commit(third)
    repository.commit(third | pages_of([spec("z", package="later")]))
    ids = repository.git("rev-list", "HEAD").split()
    assert len(ids) == 4
    repository.git("update-ref", "refs/heads/main", ids[2])
    # Each time git is asked, the branch has moved on by one commit.
    count, branch = tmp_path / "count", repository.folder / ".git" / "refs" / "heads" / "main"
    moves = (
        f"n=$(cat '{count}' 2>/dev/null || echo 2); echo $((n > 0 ? n - 1 : 0)) > '{count}'; "
        f"'{shutil.which('git')}' -C '{repository.folder}' rev-parse {ids[0]}~$n > '{branch}'"
    )
    env = git_that(tmp_path, asked, moves)
    done = run_process("-C", repository.folder, "-f", "json", "main~1", "main", env=env)
    assert (done.status, done.err) == (0, b"")
    report = json.loads(done.out)
    commits = [report[side]["commit"] for side in ("old", "new")]
    assert set(commits) <= set(ids)
    again = run_json("-C", repository.folder, *commits)
    assert without_revisions(again) == without_revisions(report)


def loose_objects(repository: GitRepository) -> list[Path]:
    return sorted((repository.folder / ".git" / "objects").glob("??/*"))


@pytest.mark.parametrize("damage", ["gone", "empty", "cut", "garbage"])
def test_whichever_object_is_damaged_the_report_is_right_or_there_is_none(
    damage: str, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path)
    repository.commit(pages_of(OLD[:3]))
    repository.commit(pages_of(NEW[:3]))
    wanted = run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD")
    assert wanted.status == 0
    outcomes = set()
    for file in loose_objects(repository):
        content = file.read_bytes()
        file.chmod(0o644)
        file.unlink()
        if damage != "gone":
            file.write_bytes(
                {"empty": b"", "cut": content[: len(content) // 2], "garbage": b"\xff" * 99}[damage]
            )
        result = run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD")
        outcomes.add(result.status)
        if result.status == 0:
            assert result == wanted, file
        else:
            assert (result.status, result.out) == (2, "")
            assert is_one_line_error(result.err), result.err
        file.write_bytes(content)
    assert 2 in outcomes


@pytest.mark.parametrize("at", [0.1, 0.4, 0.7, 0.95])
def test_a_damaged_pack_gives_the_right_report_or_none(at: float, tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    repository.commit(pages_of(OLD))
    repository.commit(pages_of(NEW))
    wanted = run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD")
    repository.git("gc", "--quiet")
    assert run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD") == wanted
    [pack] = (tmp_path / ".git" / "objects" / "pack").glob("*.pack")
    content = bytearray(pack.read_bytes())
    for place in range(int(len(content) * at), int(len(content) * at) + 8):
        content[place] ^= 0xFF
    pack.chmod(0o644)
    pack.write_bytes(content)
    result = run_cli("-C", tmp_path, "-f", "json", "HEAD~1", "HEAD")
    assert result == wanted or (
        (result.status, result.out) == (2, "") and is_one_line_error(result.err)
    )


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("HEAD", b""),
        ("HEAD", b"ref: refs/heads/no-such\n"),
        ("HEAD", b"\xff\xfe\0"),
        ("refs/heads/main", b"0" * 40 + b"\n"),
        ("refs/heads/main", b"no hash\n"),
        ("config", b"[core\n"),
        ("config", b"\xff\xfe[core]\n"),
        ("config", b"[core]\n\trepositoryformatversion = 99\n"),
        ("packed-refs", b"\0\0\0"),
        ("index", b"DIRC no index"),
        ("objects/info/alternates", b"/no/such/folder\n\xff\n"),
        ("info/grafts", b"no graft\n"),
        ("shallow", b"no shallow\n"),
    ],
)
def test_a_damaged_git_folder_gives_the_right_report_or_none(
    file: str, content: bytes, repository: GitRepository
) -> None:
    wanted = run_cli("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    (repository.folder / ".git" / file).parent.mkdir(exist_ok=True)
    (repository.folder / ".git" / file).write_bytes(content)
    result = run_cli("-C", repository.folder, "-f", "json", "HEAD~1", "HEAD")
    assert result == wanted or (
        (result.status, result.out) == (2, "") and is_one_line_error(result.err)
    )
