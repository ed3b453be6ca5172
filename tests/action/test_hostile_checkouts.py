"""A CI job in a checkout that a stranger has filled: nothing in it leads the job elsewhere."""

import json
import os
import shutil
from pathlib import Path

import pytest

from snapdiff.ci import gitlab_job
from snapdiff.ci.runs import Checkout
from tests.action.pull_requests import PullRequest
from tests.support.repositories import GitRepository, run_git

REPORT = Path("snapdiff-report")


@pytest.fixture(scope="module")
def checked_out(request_: PullRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return request_.checkout(tmp_path_factory.mktemp("checked-out") / "clone", "change")


@pytest.fixture
def clone(
    request_: PullRequest, checked_out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The checkout of a merge request, in which the component's job is started."""
    for name in list(os.environ):
        if name.startswith(("CI_", "GITLAB_", "SNAPDIFF_")):
            monkeypatch.delenv(name)
    folder = shutil.copytree(checked_out, tmp_path / "clone", symlinks=True)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SNAPDIFF_OLD", request_.old_base)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["report.json", "report.html", "comment.md", "gl-code-quality-report.json"]
)
@pytest.mark.usefixtures("clone")
def test_a_link_in_place_of_a_report_is_replaced_and_not_followed(
    name: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("precious")
    REPORT.mkdir()
    (REPORT / name).symlink_to(elsewhere)
    assert gitlab_job.main() == 0
    assert elsewhere.read_text() == "precious"
    assert (REPORT / name).is_file()
    assert not (REPORT / name).is_symlink()


@pytest.mark.usefixtures("clone")
def test_a_link_in_place_of_the_folder_is_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    REPORT.symlink_to(elsewhere)
    assert gitlab_job.main() == 2
    assert list(elsewhere.iterdir()) == []
    assert "snapdiff: error: snapdiff-report: is to be a folder" in capfd.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["snapdiff-report", "snapdiff-report/report.html/x"])
@pytest.mark.usefixtures("clone")
def test_what_cannot_be_replaced_is_an_error_in_one_line(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).touch()
    assert gitlab_job.main() == 2
    [error] = [line for line in capfd.readouterr().out.splitlines() if "error" in line]
    assert error.startswith("snapdiff: error: snapdiff-report")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["HEAD", "HEAD^1", "HEAD~0", "the id of the old commit"])
@pytest.mark.usefixtures("clone")
def test_a_folder_that_is_called_as_a_revision_stops_nothing(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SNAPDIFF_OLD")
    old = run_git(Path(), "rev-parse", "HEAD^1")
    monkeypatch.setenv("CI_MERGE_REQUEST_IID", "12")
    monkeypatch.setenv("CI_MERGE_REQUEST_DIFF_BASE_SHA", old)
    for folder in (name, name[:12]) if name in ("HEAD", "HEAD^1") else (old, old[:12]):
        Path(folder).mkdir(exist_ok=True)
    assert gitlab_job.main() == 0
    assert json.loads((REPORT / "report.json").read_text("utf-8"))["old"]["commit"] == old


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0b", "\x0c", "\x1c"])
def test_an_author_cannot_give_a_commit_another_parent(separator: str, tmp_path: Path) -> None:
    made = GitRepository(tmp_path / "catalog")
    made.commit({"a": "1"})
    parent = made.git("rev-parse", "HEAD")
    author = f"A{separator}parent {'1' * 40} <a@example.org>"
    made.git("commit", "--quiet", "--allow-empty", "--message=two", f"--author={author}")
    assert Checkout(made.folder, "", "").parents == [parent]
