"""What arguments mean in a working tree: paths, revisions with paths, and `A...B`."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.documents import Item, lock, to_bytes
from tests.support.generated import Catalogs, catalogs
from tests.support.helpers import (
    Report,
    catalog_folders,
    pages_of,
    refused,
    run_cli,
    run_json,
    spec,
    without_revisions,
    words,
    write_files,
)
from tests.support.nightly import examples
from tests.support.repositories import GitRepository, run_git

LIB, APP = Item("lib"), Item("app")

COMMITTED = {
    "spack.lock": to_bytes(lock([Item("top")])),
    "envs/hep/spack.lock": to_bytes(lock([LIB])),
    "envs/ml/spack.lock": to_bytes(lock([LIB])),
}
LOCK = to_bytes(lock([LIB, APP]))
"""What the lock of `envs/hep` is now: `app` is added."""


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    repository = GitRepository(tmp_path_factory.mktemp("committed"))
    repository.commit(COMMITTED)
    return repository


@pytest.fixture
def envs(tmp_path: Path, committed: GitRepository) -> GitRepository:
    """Environments of which one is changed in the working tree."""
    repository = committed.copied(tmp_path / "catalog")
    write_files(repository.folder, {"envs/hep/spack.lock": LOCK})
    return repository


def added(report: Report) -> list[str]:
    """The packages that are added, of a report without any other change."""
    changes = [
        change for tag in report["tags"] for stack in tag["stacks"] for change in stack["changes"]
    ]
    assert all(change["kind"] == "added" for change in changes)
    return [change["package"] for change in changes]


SAME_PATH = [
    ("", ["envs/hep/spack.lock"], "envs/hep/spack.lock"),
    ("", ["./envs/hep/spack.lock"], "envs/hep/spack.lock"),
    ("", ["envs/hep"], "envs/hep"),
    ("", ["envs/hep/"], "envs/hep"),
    ("", ["HEAD", "envs/hep"], "envs/hep"),
    ("", ["HEAD", "envs/hep/spack.lock"], "envs/hep/spack.lock"),
    ("", ["HEAD:envs/hep/spack.lock"], "envs/hep/spack.lock"),
    ("", ["HEAD:envs/hep"], "envs/hep"),
    ("envs/hep", ["spack.lock"], "envs/hep/spack.lock"),
    ("envs/hep", ["."], "envs/hep"),
    ("envs/hep", ["HEAD", "spack.lock"], "envs/hep/spack.lock"),
    ("envs/hep", ["HEAD", "."], "envs/hep"),
    ("envs/hep", ["HEAD", "../hep"], "envs/hep"),
    ("envs/hep", ["HEAD:./spack.lock"], "envs/hep/spack.lock"),
    ("envs/hep", ["HEAD:./"], "envs/hep"),
    ("envs/ml", ["../hep/spack.lock"], "envs/hep/spack.lock"),
    ("envs", ["HEAD:hep/spack.lock"], "envs/hep/spack.lock"),
    ("envs", ["HEAD:hep"], "envs/hep"),
    ("envs", ["hep"], "envs/hep"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("start", "arguments", "path"), SAME_PATH, ids=words)
def test_a_path_is_the_same_path_on_both_sides(
    start: str, arguments: list[str], path: str, envs: GitRepository
) -> None:
    report = run_json("-C", envs.folder / start, *arguments)
    assert added(report) == ["app"]
    old, new = report["old"], report["new"]
    assert new == {"source": f"working tree:{path}", "commit": None, "date": None}
    assert old["commit"] == envs.git("rev-parse", "HEAD")
    assert old["source"].startswith("HEAD:")


def test_in_a_subfolder_a_path_of_a_revision_begins_at_the_top_as_git_has_it(
    envs: GitRepository,
) -> None:
    report = run_json("-C", envs.folder / "envs" / "hep", "HEAD:spack.lock", "spack.lock")
    assert report["old"]["source"] == "HEAD:spack.lock"
    assert report["summary"] | {"unchanged": 0} == report["summary"]
    assert report["summary"]["removed"] == 1  # `top`, which the lock at the top alone has
    below = run_json("-C", envs.folder / "envs", "HEAD:hep/spack.lock", "hep/spack.lock")
    assert below["old"]["source"] == "HEAD:envs/hep/spack.lock"


def test_without_arguments_head_is_no_folder_of_this_name(envs: GitRepository) -> None:
    plain = run_json("-C", envs.folder)
    write_files(envs.folder, {"HEAD/notes.txt": "x"})
    assert run_json("-C", envs.folder) == plain
    assert added(run_json("-C", envs.folder, "--", "envs/hep")) == ["app"]


def test_the_path_may_come_before_the_revision(envs: GitRepository) -> None:
    forth = run_json("-C", envs.folder, "HEAD", "envs/hep")
    back = run_json("-C", envs.folder, "envs/hep", "HEAD")
    assert (back["old"]["source"], back["new"]["source"]) == (
        "working tree:envs/hep",
        "HEAD:envs/hep",
    )
    assert back["summary"]["removed"] == forth["summary"]["added"] == 1
    assert back["summary"]["unchanged"] == forth["summary"]["unchanged"] == 1


def test_a_linked_worktree_and_a_sparse_one_have_their_own_paths(
    envs: GitRepository, tmp_path: Path
) -> None:
    envs.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "linked"))
    linked = tmp_path / "linked"
    assert added(run_json("-C", linked, "envs/hep")) == []
    write_files(linked, {"envs/hep/spack.lock": LOCK})
    assert added(run_json("-C", linked / "envs" / "hep", "spack.lock")) == ["app"]
    envs.git("checkout", "--quiet", "--", ".")
    envs.git("sparse-checkout", "set", "envs/ml")
    assert not (envs.folder / "envs" / "hep").exists()
    assert run_json("-C", envs.folder, "HEAD:envs/hep")["tags"] == []
    assert run_json("-C", envs.folder, "envs")["tags"] == []


def test_in_a_bare_repository_paths_are_those_of_revisions(
    envs: GitRepository, tmp_path: Path
) -> None:
    envs.git("commit", "--quiet", "--all", "--message=Add app")
    run_git(tmp_path, "clone", "--quiet", "--bare", str(envs.folder), "bare.git")
    bare = tmp_path / "bare.git"
    assert added(run_json("-C", bare, "HEAD~1", "HEAD", "--", "envs/hep")) == ["app"]
    assert added(run_json("-C", bare, "HEAD~1:envs/hep", "HEAD:envs/hep")) == ["app"]
    result = run_cli("-C", bare, "HEAD:envs/hep")
    assert (result.status, "a bare repository has no working tree" in result.err) == (2, True)


def test_what_is_not_in_the_revision_or_not_in_the_working_tree_is_compared_as_it_is(
    envs: GitRepository, tmp_path: Path
) -> None:
    write_files(tmp_path / "elsewhere", {**COMMITTED, "envs/hep/spack.lock": LOCK})
    write_files(envs.folder / "untracked", {**COMMITTED, "envs/hep/spack.lock": LOCK})
    (envs.folder / "link").symlink_to(tmp_path / "elsewhere")
    for name in ("../elsewhere", "untracked", "link", str(tmp_path / "elsewhere")):
        report = run_json("-C", envs.folder, "HEAD", name)
        assert report["old"]["source"] == "HEAD"
        assert added(report) == ["app"], name


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["untracked.lock"],
            (
                "untracked.lock: is not in HEAD, so there is nothing to compare it with; "
                "name two folders or files"
            ),
        ),
        (["no.lock"], "no.lock: no such file"),
        (["HEAD", "no.lock"], "no.lock: no such file"),
        (["./no.lock"], "./no.lock: no such file or directory"),
        (["HEAD:no.lock"], "HEAD:no.lock: HEAD has no file or folder no.lock"),
        (
            ["../alone.lock"],
            (
                "../alone.lock: is in no working tree of git, so there is no older version of it; "
                "name two files"
            ),
        ),
    ],
    ids=words,
)
def test_a_path_that_leads_nowhere_is_one_line(
    arguments: list[str], message: str, envs: GitRepository
) -> None:
    write_files(envs.folder, {"untracked.lock": LOCK, "../alone.lock": LOCK})
    result = run_cli("-C", envs.folder, *arguments)
    assert result == (2, "", f"snapdiff: error: {message}\n")


@pytest.mark.parametrize(
    ("argument", "meant"),
    [
        ("envs/hep/spak.lock", "envs/hep/spack.lock"),
        ("env/hep/spack.lock", "envs/hep/spack.lock"),
        ("./envs/hpe", "./envs/hep"),
        ("../{name}/env/hep", "../{name}/envs/hep"),
        ("{folder}/envs/hepp/spack.lock", "{folder}/envs/hep/spack.lock"),
        ("HEAD:envs/hpe/spack.lock", "HEAD:envs/hep/spack.lock"),
        ("HEAD:env", "HEAD:envs"),
        ("HEAD:envs/hep/spack.lock/x", ""),
        ("HAED", "HEAD"),
        ("v2025-05-5", "v2025-05-25"),
        ("env", "envs"),
        ("elsewhere/envs", ""),
        ("unlike", ""),
        ("HEAD^{{/nothing}}", ""),
        ("v2025-05-18@2", "v2025-05-18"),
    ],
    ids=words,
)
def test_a_slip_in_a_name_is_told_the_nearest_that_there_is(
    argument: str, meant: str, envs: GitRepository
) -> None:
    for tag in ("v2025-05-18", "v2025-05-25"):
        run_git(envs.folder, "tag", tag)
    places = {"folder": str(envs.folder), "name": envs.folder.name}
    result = run_cli("-C", envs.folder, argument.format(**places))
    assert result.status == 2
    hint = f"; did you mean {meant.format(**places)}?\n"
    assert result.err.endswith(hint) if meant else "did you mean" not in result.err


@pytest.mark.parametrize("start", ["", "envs"])
@pytest.mark.parametrize("path", ["hep", "hep/spack.lock", "hep/"])
def test_of_what_is_gone_from_the_working_tree_the_way_to_compare_it_is_named(
    path: str, start: str, envs: GitRepository
) -> None:
    name = path if start else f"envs/{path}"
    shutil.rmtree(envs.folder / "envs" / "hep")
    for revisions in ([], ["HEAD"]):
        sides: list[str | Path] = ["-C", envs.folder / start, *revisions]
        way_out = f"to compare it, write -- {name}"
        message = f"{name}: is in HEAD and no more in the working tree; {way_out}\n"
        assert refused(*sides, name) == message
        [tag] = run_json(*sides, "--", name)["tags"]
        assert [(it["stack"], it["status"]) for it in tag["stacks"]] == [("hep", "removed")]


def test_a_missing_file_is_no_word_of_git_where_there_is_no_repository(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.lock": LOCK})
    assert run_cli("-C", tmp_path, "a.lock", "b.lock") == (
        2,
        "",
        "snapdiff: error: b.lock: no such file; did you mean a.lock?\n",
    )


# --- A revision and nothing else ---


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HEAD^1", "main", "{id}", "{short}"])
def test_what_ends_in_tilde_zero_is_a_revision_whatever_files_there_are(
    name: str, repository: GitRepository, expected: Report
) -> None:
    name = name.format(id=repository.git("rev-parse", "HEAD^1"), short="HEAD~1")
    old = "HEAD^1" if name == "main" else name
    for called in (name, f"{name}~0", f"{old}~0", old):
        write_files(repository.folder / called, pages_of([spec("b", package="trap")]))
    report = run_json("-C", repository.folder, f"{old}~0", "main~0")
    assert without_revisions(report) == expected
    assert (report["old"]["source"], report["new"]["source"]) == (old, "main")
    inner = run_json("-C", repository.folder, f"{old}~0:_cache", "main~0:_cache")
    assert inner["old"]["source"] == f"{old}:_cache"
    result = run_cli("-C", repository.folder, name)
    assert f"write ./{name} for the directory, {name}~0 for the revision\n" in result.err


def test_both_spellings_of_a_folder_of_a_revision_work(repository: GitRepository) -> None:
    write_files(repository.folder / "HEAD:_cache", pages_of([spec("b")]))
    err = run_cli("-C", repository.folder, "HEAD:_cache").err
    assert "write ./HEAD:_cache for the directory, HEAD~0:_cache for the revision\n" in err
    for name in ("./HEAD:_cache", "HEAD~0:_cache"):
        assert run_cli("-C", repository.folder, "HEAD~1", name).status == 0


# --- From the merge base ---


@pytest.fixture
def branched(tmp_path: Path) -> GitRepository:
    """A branch `topic` that adds `mine`; meanwhile `main` has added `theirs`."""
    repository = GitRepository(tmp_path / "branched")
    base = [spec("b")]
    repository.commit(pages_of(base))
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit(pages_of([*base, spec("c", package="mine")]))
    repository.git("checkout", "--quiet", "main")
    repository.commit(pages_of([*base, spec("d", package="theirs")]))
    return repository


@pytest.mark.slow
@pytest.mark.parametrize(
    ("head", "argument", "package"),
    [
        ("main", "main...topic", "mine"),
        ("main", "topic...main", "theirs"),
        ("topic", "main...", "mine"),
        ("main", "topic...", "theirs"),
        ("topic", "...main", "theirs"),
        ("main", "main:_cache...topic:_cache", "mine"),
        ("main", "main:./_cache...topic:./_cache", "mine"),
    ],
)
def test_three_dots_begin_at_the_merge_base(
    head: str, argument: str, package: str, branched: GitRepository
) -> None:
    branched.git("checkout", "--quiet", head)
    base = branched.git("merge-base", "main", "topic")
    report = run_json("-C", branched.folder, argument)
    assert report["old"]["commit"] == base
    assert report["old"]["source"].partition(":")[0] == base
    titled = run_cli("-C", branched.folder, argument).out.partition("\n")[0]
    assert f"`{base[:7]}`" in titled
    assert base not in titled
    assert {
        added for stack in report["tags"][0]["stacks"] for added in stack["packages"]["added"]
    } == {package}
    story = run_cli("changelog", "-C", branched.folder, "-f", "json", argument)
    sections = json.loads(story.out)
    assert [section["new"]["commit"] for section in sections] == [report["new"]["commit"]]


def test_branches_without_a_common_commit_have_no_merge_base(branched: GitRepository) -> None:
    branched.git("checkout", "--quiet", "--orphan", "other")
    branched.commit(pages_of([spec("x")]))
    result = run_cli("-C", branched.folder, "main...other")
    assert result == (
        2,
        "",
        "snapdiff: error: main...other: have no commit in common; name two revisions\n",
    )
    gone = run_cli("-C", branched.folder, "main...no-such")
    assert gone.err.startswith("snapdiff: error: no-such: no such directory, file or git revision")


# --- Laws ---

PLACES = st.sampled_from(
    [
        ("path", "_cache"),
        ("path", "."),
        ("--", "_cache"),
        ("--", ":!*/zlib/*"),
        ("--", "_cache/*/z*"),
    ]
)


@pytest.mark.slow
@settings(max_examples=examples(6))
@given(catalogs(), PLACES, st.booleans())
def test_every_route_to_a_part_of_any_catalog_gives_one_report(
    both: Catalogs, place: tuple[str, str], is_staged: bool
) -> None:
    kind, path = place
    keep = {"_cache/README.md": "# No page\n"}
    old, new = ({**keep, **pages_of(records)} for records in both)
    with catalog_folders(old, new) as (before, after):
        folder = before.parent
        repository = GitRepository(folder / "catalog")
        repository.commit(old)
        repository.commit(new)
        of_git = "" if path == "." else path
        two: list[list[str]] = [
            ["HEAD~1", "HEAD"],
            ["HEAD~1..HEAD"],
            ["HEAD~1...HEAD"],
            ["HEAD~1"],
            [str(before), str(after)],
            ["HEAD~1", str(after)],
            [str(before), "HEAD"],
        ]
        routes = [[*route, "--", path] for route in two]
        if kind == "path":
            routes = [
                [f"HEAD~1:{of_git}", f"HEAD:{of_git}"],
                [f"HEAD~1:{of_git}"],
                ["HEAD~1", path],
                [f"{before}/{of_git}", f"{after}/{of_git}"],
                [f"HEAD~1:{of_git}", f"{after}/{of_git}"],
            ]
        reports = [run_json("-C", repository.folder, "--allow-empty", *route) for route in routes]
        if kind == "path":
            repository.git("reset", "--quiet", "--soft" if is_staged else "--mixed", "HEAD~1")
            reports.append(run_json("-C", repository.folder, "--allow-empty", path))
    assert all(without_revisions(report) == without_revisions(reports[0]) for report in reports)
