"""Where pages come from: directories and git revisions of any name (specification, section 2)."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from snapdiff.document_names import USUAL_NAMES
from snapdiff.sources.source import SETTINGS_FILE
from tests.support.documents import Item, lock, to_bytes
from tests.support.example import NEW, OLD
from tests.support.helpers import (
    PROJECT,
    Report,
    pages_of,
    refused,
    run_cli,
    run_json,
    spec,
    usual_page,
    without_revisions,
    words,
    write_files,
)
from tests.support.repositories import COMMIT_DATE, GitRepository, run_git

PAGE = "_cache/develop/zlib/specs.md"


@pytest.fixture(scope="module")
def named_commits(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    repository = GitRepository(tmp_path_factory.mktemp("named"))
    repository.commit({"README.md": "# Catalog\n", **pages_of(OLD)})
    repository.git("tag", "--annotate", "--message=First", "first")
    repository.commit({"README.md": "# Catalog\n", **pages_of(NEW)})
    repository.git("branch", "second")
    return repository


@pytest.fixture
def repository(tmp_path: Path, named_commits: GitRepository) -> GitRepository:
    """A repository with two commits, an annotated tag on the first and a branch on the second."""
    return named_commits.copied(tmp_path / "catalog")


# --- One catalog under many names ---


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["HEAD~1", "HEAD"],
        ["HEAD~1..HEAD"],
        ["HEAD~1.."],
        ["first", "second"],
        ["first..second"],
        ["first^{commit}", "main"],
        ["tags/first", "heads/second"],
        ["HEAD~1:", "HEAD:"],
        ["HEAD~1^{tree}", "main^{tree}"],
        ["HEAD^", "@"],
        ["HEAD~1", "."],
        ["HEAD~1"],
        ["first"],
        ["HEAD~1", ":/Update"],
        ["../old", "../new"],
        ["../old", "HEAD"],
        ["first:", "../new"],
        ["HEAD~1:_cache", "HEAD:_cache"],
        ["HEAD~1:_cache/", "_cache"],
        ["HEAD~1:./_cache", "HEAD:./_cache"],
    ],
    ids=words,
)
def test_directories_and_revisions_give_the_same_report(
    arguments: list[str], repository: GitRepository, expected: Report, example: Path
) -> None:
    assert example == repository.folder.parent
    report = run_json("-C", repository.folder, *arguments)
    paths_shortened = json.loads(json.dumps(expected).replace("_cache/", ""))
    assert without_revisions(report) in (expected, paths_shortened)


def test_a_folder_that_is_named_with_dots_goes_by_its_own_name(tmp_path: Path) -> None:
    catalog = pages_of(OLD)
    write_files(tmp_path / "24.05", catalog)
    write_files(tmp_path / "24.11", {f"in/{path}": text for path, text in catalog.items()})
    here = ("-C", tmp_path / "24.11" / "in")
    assert run_cli(*here, ".", "..").out == "No changes from `24.11/in` to `24.11`.\n"
    assert run_cli(*here, "../../24.05", "../").out == "No changes from `24.05` to `24.11`.\n"


def test_a_commit_is_told_with_its_id_and_date(repository: GitRepository) -> None:
    ids = [repository.git("rev-parse", name) for name in ("first^{commit}", "second")]
    report = run_json("-C", repository.folder, "first", ids[1][:10])
    told = {"date": COMMIT_DATE, "subject": "Update"}
    assert report["old"] == {"source": "first", "commit": ids[0], **told}
    assert report["new"] == {"source": ids[1][:10], "commit": ids[1], **told}


def test_a_subfolder_is_told_with_its_commit(repository: GitRepository) -> None:
    head = repository.git("rev-parse", "HEAD")
    report = run_json("-C", repository.folder, "first:_cache/v0.22", "HEAD:_cache/v0.23")
    told = {"commit": head, "date": COMMIT_DATE, "subject": "Update"}
    assert report["new"] == {"source": "HEAD:_cache/v0.23", **told}
    assert report["tags"] == []


def test_a_directory_has_no_commit(repository: GitRepository) -> None:
    report = run_json("-C", repository.folder, "HEAD", ".")
    assert report["new"] == {"source": "catalog", "commit": None, "date": None}


def test_two_tags_of_one_revision_are_compared_by_their_folders(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    repository.commit(pages_of([spec("b", "1.0", tag="v1"), spec("p", "1.1", tag="v2")]))
    report = run_json("-C", tmp_path, "HEAD:_cache/v1", "HEAD:_cache/v2")
    [tag] = report["tags"]
    assert (tag["old"], tag["new"], tag["status"]) == ("v1", "v2", "changed")
    assert report["summary"]["upgraded"] == 1


def test_a_subfolder_of_the_repository_is_as_good_a_place_to_start(
    repository: GitRepository,
) -> None:
    here = run_json("-C", repository.folder, "HEAD~1", "HEAD")
    below = run_json("-C", repository.folder / "_cache" / "develop", "HEAD~1", "HEAD")
    assert below == here


# --- The working tree ---


def test_without_arguments_head_is_compared_with_the_working_tree(
    repository: GitRepository,
) -> None:
    assert run_json("-C", repository.folder)["tags"] == []
    write_files(repository.folder, pages_of([spec("b", package="untracked")]))
    (repository.folder / PAGE).unlink()
    report = run_json("-C", repository.folder)
    assert report["old"]["source"] == "HEAD"
    assert report["new"] == {"source": "working tree", "commit": None, "date": None}
    [e4s] = [item for item in report["tags"][0]["stacks"] if item["stack"] == "e4s"]
    assert [(change["kind"], change["package"]) for change in e4s["changes"]] == [
        ("added", "untracked"),
        ("removed", "zlib"),
    ]


def test_the_working_tree_is_the_whole_one_wherever_the_command_starts(
    repository: GitRepository, expected: Report
) -> None:
    report = run_json("-C", repository.folder / "_cache" / "develop", "first")
    assert without_revisions(report) == expected


@pytest.fixture
def environments(tmp_path: Path) -> GitRepository:
    """Two environments, both changed since HEAD, with settings beside them and above."""
    repository = GitRepository(tmp_path)
    settings = {SETTINGS_FILE: "[gate]\n", f"envs/{SETTINGS_FILE}": "[comment]\n"}
    locks = {f"envs/{name}/spack.lock": to_bytes(lock([Item("lib")])) for name in ("a", "b")}
    repository.commit({**settings, **locks})
    for path in locks:
        (tmp_path / path).write_bytes(to_bytes(lock([Item("lib"), Item("app")])))
    return repository


@pytest.mark.parametrize("path", ["envs/a", "envs/a/", "envs/a/spack.lock"])
def test_a_folder_or_a_file_alone_is_compared_with_itself_in_the_working_tree(
    path: str, environments: GitRepository
) -> None:
    folder = environments.folder
    report = run_json("-C", folder, f"HEAD:{path}")
    assert report["new"]["source"] == f"working tree:{path.rstrip('/')}"
    assert report["summary"]["added"] == 1
    environments.git("add", "--all")
    environments.git("commit", "--quiet", "--message=Add app")
    both = run_json("-C", folder, f"HEAD~1:{path}", f"HEAD:{path}")
    assert without_revisions(report) == without_revisions(both)
    below = run_json("-C", folder / "envs", f"HEAD~1:./{path.removeprefix('envs/')}")
    assert without_revisions(below) == without_revisions(both)
    assert run_json("-C", folder, f"HEAD:{path}")["tags"] == []


def test_what_the_working_tree_has_not_got_is_named(environments: GitRepository) -> None:
    shutil.rmtree(environments.folder / "envs" / "a")
    said = refused("-C", environments.folder, "HEAD:envs/a/spack.lock")
    assert "working tree:envs/a/spack.lock: no such file; name the one to compare HEAD:envs" in said
    said = refused("-C", environments.folder, "HEAD:envs/a")
    assert said.startswith("working tree:envs/a: holds nothing to compare: ")
    removed = run_json("-C", environments.folder, "HEAD:envs/a", "--allow-empty")
    assert removed["tags"][0]["specs"] == {"old": 1, "new": 0}


def test_a_link_in_place_of_a_folder_leads_nowhere(
    environments: GitRepository, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "a"
    (environments.folder / "envs" / "a").rename(elsewhere)
    (elsewhere / SETTINGS_FILE).write_text("not = 'theirs'\n")
    (environments.folder / "envs" / "a").symlink_to(elsewhere)
    done = run_cli("-C", environments.folder, "HEAD:envs/a", "--allow-empty")
    assert (done.status, "app" in done.out, "not" in done.err) == (0, False, False)


def test_a_folder_of_the_working_tree_has_the_settings_above_it(
    environments: GitRepository,
) -> None:
    def said(path: str) -> str:
        return run_cli("-C", environments.folder, path).err

    assert (said("HEAD:envs/a"), said("HEAD:envs"), said("HEAD:")) == ("", "", "")
    (environments.folder / "envs" / SETTINGS_FILE).write_text("[diff]\nkinds = ['added']\n")
    note = f"note: working tree/envs/{SETTINGS_FILE} does not count: settings are taken from the"
    assert note in said("HEAD:envs/a")
    assert note in said("HEAD:envs")
    assert said("HEAD") == ""


def test_a_bare_repository_has_revisions_but_no_working_tree(
    repository: GitRepository, expected: Report, tmp_path: Path
) -> None:
    run_git(tmp_path, "clone", "--quiet", "--bare", str(repository.folder), "bare.git")
    bare = tmp_path / "bare.git"
    assert without_revisions(run_json("-C", bare, "first", "second")) == expected
    message = "a bare repository has no working tree to compare with; name two revisions"
    assert run_cli("-C", bare, "first") == (2, "", f"snapdiff: error: {bare}: {message}\n")


# --- Names that lead nowhere, or to two places ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no-such"], "no-such: no such directory, file or git revision"),
        (["HEAD~9"], "HEAD~9: no such commit before HEAD; git log HEAD lists those that there are"),
        (["HEAD", "HEAD:no-such"], "HEAD:no-such: HEAD has no file or folder no-such"),
        (["HEAD..no-such"], "no-such: no such directory, file or git revision"),
        (["HEAD", "./no-such"], "./no-such: no such file or directory"),
        (["HEAD", "README.md"], "HEAD:README.md: is nothing to compare"),
        (["HEAD~1....HEAD"], "HEAD~1....HEAD: is no range; A..B and A...B are"),
        (
            ["HEAD~1", "HEAD", "README.md"],
            (
                "README.md: a comparison takes two revisions; paths in them come after --: "
                "HEAD~1 HEAD -- README.md"
            ),
        ),
        (["HEAD..--all"], "--all: a revision cannot begin with '-'"),
        (["HEAD", "nul\0byte"], "the name of a revision cannot be empty or hold a NUL byte"),
        (["0" * 40], f"{'0' * 40}: no such directory, file or git revision"),
    ],
    ids=words,
)
def test_a_name_that_leads_nowhere_is_refused(
    arguments: list[str], message: str, repository: GitRepository
) -> None:
    assert refused("-C", repository.folder, *arguments).startswith(message)


def test_a_place_that_is_no_repository_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of(OLD))
    said = refused("-C", tmp_path, "old", "HEAD")
    way_out = "name a folder or a file that is there, or a repository with -C"
    message = f"{tmp_path}: no git repository is here; {way_out}"
    assert said == f"HEAD: not a directory, and {message}\n"
    for given in (["missing", "nope", "old"], ["snapshot", "nope", "copy"], ["changelog", "nope"]):
        assert refused(*given, "-C", tmp_path) == f"nope: not a directory, and {message}\n"


def test_a_name_that_is_both_is_refused_with_both_spellings(
    repository: GitRepository, expected: Report
) -> None:
    write_files(repository.folder / "second", pages_of(NEW))
    said = refused("-C", repository.folder, "first", "second")
    assert said == (
        "second: both a directory and a revision; "
        "write ./second for the directory, second~0 for the revision\n"
    )
    for name in ("./second", "second~0", "second/"):
        report = run_json("-C", repository.folder, "first", name)
        assert without_revisions(report) == expected


def test_the_spelling_for_the_revision_works_for_a_tag(repository: GitRepository) -> None:
    write_files(repository.folder / "first", pages_of(NEW))
    assert "first~0 for the revision" in run_cli("-C", repository.folder, "first").err
    told = run_json("-C", repository.folder, "first~0", "./first")
    assert told["old"]["commit"] == repository.git("rev-parse", "first^{commit}")


def test_in_a_shallow_clone_a_missing_parent_is_explained(
    repository: GitRepository, tmp_path: Path
) -> None:
    origin = repository.folder.as_uri()
    run_git(tmp_path, "clone", "--quiet", "--depth=1", origin, "shallow")
    assert run_cli("-C", tmp_path / "shallow", "HEAD~1", "HEAD") == (
        2,
        "",
        (
            "snapdiff: error: HEAD~1: not in this shallow clone, or misspelt; fetch more history "
            "(git fetch --depth=2, or fetch-depth: 2 in a checkout action)\n"
        ),
    )
    run_git(tmp_path / "shallow", "fetch", "--quiet", "--deepen=1")
    assert run_json("-C", tmp_path / "shallow", "HEAD~1", "HEAD")["tags"]


def test_a_repository_without_a_commit_is_explained(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    said = refused("-C", repository.folder, "HEAD~1")
    assert said == "HEAD~1: this repository has no commit yet\n"


def test_before_the_first_commit_all_is_new(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    nothing = run_cli("-C", repository.folder, "--allow-empty", "--quiet-if-empty")
    assert nothing == (0, "", "")
    write_files(repository.folder, pages_of([spec("a")]))
    repository.git("add", "--all")
    gate = run_cli("-C", repository.folder, "--allow-empty", "--fail-on", "added")
    assert (gate.status, gate.err) == (1, "snapdiff: added: tag develop\n")
    assert refused("-C", repository.folder).startswith("HEAD: holds nothing to compare: ")


def test_a_revision_without_a_page_is_an_error_unless_allowed(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    repository.commit({"README.md": "# Catalog\n"})
    repository.commit(pages_of([spec("b")]))
    assert run_cli("-C", tmp_path, "HEAD~1", "HEAD") == (
        2,
        "",
        (
            f"snapdiff: error: HEAD~1: holds nothing to compare: no {USUAL_NAMES}; "
            "name a folder that does, or pass --allow-empty\n"
        ),
    )
    assert run_json("-C", tmp_path, "--allow-empty", "HEAD~1", "HEAD")["summary"]["added"] == 1


# --- Without git, and without a trace ---


def run_without_git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "snapdiff", "-C", folder, "-f", "json", *arguments],
        cwd=PROJECT,
        env={"PATH": "", "PYTHONPATH": str(PROJECT)},
        check=False,
        capture_output=True,
        text=True,
    )


def test_two_directories_are_compared_where_there_is_no_git(
    example: Path, expected: Report
) -> None:
    done = run_without_git(example, "old", "new")
    assert (done.returncode, done.stderr) == (0, "")
    assert without_revisions(json.loads(done.stdout)) == expected


def test_a_revision_where_there_is_no_git_says_what_is_missing(repository: GitRepository) -> None:
    done = run_without_git(repository.folder, "HEAD~1", "HEAD")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "snapdiff: error: HEAD~1: not a directory, and git is not installed, "
        "so only directories can be compared; install git\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["HEAD~1", "HEAD"], ["first:_cache", "HEAD:_cache"], ["HEAD~1"], [], ["no-such"]],
    ids=words,
)
def test_nothing_in_the_repository_changes(arguments: list[str], repository: GitRepository) -> None:
    # A file newer than the index tempts git to write the index anew.
    page = repository.folder / PAGE
    page.write_bytes(page.read_bytes())
    before = repository.everything()
    run_cli("-C", repository.folder, *arguments)
    assert repository.everything() == before


# --- Which files are pages ---


def cache_page(package: str) -> str:
    return usual_page([spec("b", package=package)])


def packages_in(report: Report) -> list[str]:
    return [
        change["package"]
        for tag in report["tags"]
        for stack in tag["stacks"]
        for change in stack["changes"]
    ]


OTHER_FILES: dict[str, str | bytes] = {
    "README.md": "# specs\n",
    "_cache/develop/index.md": "---\nlayout: default\ntitle: x\n---\n",
    "_cache/develop/specs.md.orig": "gone\n",
    "_cache/develop/zlib/specs.html": "gone\n",
    "notes/unfinished.md": "---\nlayout: default\n",
    "notes/layout.md": "text\n---\nlayout: cache\n---\n",
}
PAGES: dict[str, str | bytes] = {
    "specs.md": cache_page("at-the-top"),
    "a/b/c/d/e/specs.md": cache_page("deep-down"),
    "a/cmake.md": cache_page("by-layout"),
    "quoted.md": cache_page("quoted").replace("layout: cache", "layout: 'cache'"),
}


@pytest.mark.parametrize("from_git", [False, True], ids=["directory", "git"])
def test_pages_are_found_at_any_depth_and_other_files_are_not_pages(
    from_git: bool, tmp_path: Path
) -> None:
    repository = GitRepository(tmp_path / "new")
    repository.commit({**OTHER_FILES, **PAGES})
    write_files(tmp_path / "old", pages_of([spec("c", package="other")]))
    report = run_json("-C", repository.folder, "../old", "HEAD" if from_git else "../new")
    assert packages_in(report) == [
        "at-the-top",
        "by-layout",
        "deep-down",
        "other",
        "quoted",
    ]


def test_what_git_keeps_for_itself_is_no_catalog(tmp_path: Path) -> None:
    write_files(tmp_path / "new", {**PAGES, ".git/specs.md": "gone\n", "a/.git/specs.md": "gone"})
    write_files(tmp_path / "old", PAGES)
    assert run_json("-C", tmp_path, "old", "new")["tags"] == []


def test_a_branch_whose_name_is_not_utf_8_is_named_in_every_report(
    repository: GitRepository,
) -> None:
    name = os.fsdecode(b"caf\xe9")
    repository.git("branch", name, "HEAD~1")
    report = run_json("-C", repository.folder, name, "HEAD")
    assert report["old"]["source"] == r"caf\xe9"
    told = run_cli("-C", repository.folder, name, "HEAD", "-f", "markdown")
    assert (told.status, told.err) == (0, "")
    assert r"caf\xe9" in told.out
    story = run_cli("changelog", "-C", repository.folder, f"{name}..HEAD", "-f", "json")
    assert (story.status, story.err) == (0, "")


def test_a_package_whose_page_moved_is_compared_with_itself(tmp_path: Path) -> None:
    write_files(tmp_path / "old", {"here/specs.md": usual_page([spec("b", "1.0")])})
    write_files(tmp_path / "new", {"there/deep/zlib.md": usual_page([spec("p", "1.1")])})
    report = run_json("-C", tmp_path, "old", "new")
    assert packages_in(report) == ["zlib"]
    assert report["summary"]["upgraded"] == 1
