"""Two runs on one file at once: one writes it, the other does so after it or says why not."""

from pathlib import Path

import pytest

from tests.support.helpers import pages_of, run_cli, spec
from tests.support.nightly import nightly_but
from tests.support.processes import is_one_line_error, start
from tests.support.repositories import GitRepository

pytestmark = pytest.mark.slow


@pytest.fixture
def story(tmp_path: Path) -> GitRepository:
    """A repository in which every commit has a section."""
    repository = GitRepository(tmp_path / "story")
    for number, letter in enumerate("bcdefghijk"):
        repository.commit(pages_of([spec(letter, f"1.{number}")]))
    return repository


@pytest.mark.parametrize(
    ("suffix", "is_there"),
    nightly_but(
        [("md", False), ("md", True), ("ndjson", False), ("ndjson", True)],
        [("md", True)],
    ),
)
def test_two_runs_at_once_never_damage_a_changelog(
    suffix: str, is_there: bool, story: GitRepository, tmp_path: Path
) -> None:
    whole = tmp_path / f"whole.{suffix}"
    assert run_cli("changelog", "-C", story.folder, "HEAD~9..HEAD", "-o", whole).status == 0
    half = tmp_path / f"half.{suffix}"
    assert run_cli("changelog", "-C", story.folder, "HEAD~9..HEAD~5", "-o", half).status == 0
    errors: set[bytes] = set()
    for number in range(3):
        file = tmp_path / f"{number}.{suffix}"
        if is_there:
            file.write_bytes(half.read_bytes())
        words = ("changelog", "-C", story.folder, "HEAD~9..HEAD", "-o", file)
        runs = [start(*words) for _ in range(3)]
        ends = [(run.communicate()[1], run.returncode) for run in runs]
        assert file.read_bytes() == whole.read_bytes()
        assert any(status == 0 for _, status in ends)
        errors.update(words for words, status in ends if status)
        assert not [item for item in tmp_path.iterdir() if item.name.startswith(".")]
    for error in errors:
        assert is_one_line_error(error), error
        assert b"another run" in error


def test_a_file_that_another_run_holds_is_left_alone(story: GitRepository, tmp_path: Path) -> None:
    import fcntl

    for suffix in ("md", "ndjson"):
        file = tmp_path / f"held.{suffix}"
        half = ("changelog", "-C", story.folder, "HEAD~9..HEAD~5", "-o", file)
        assert run_cli(*half).status == 0
        before = file.read_bytes()
        with open(file, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            result = run_cli("changelog", "-C", story.folder, "HEAD~9..HEAD", "-o", file)
        assert (result.status, result.out) == (2, "")
        assert result.err == (
            f"snapdiff: error: {file}: another run is writing it; wait for its end, and run again\n"
        )
        assert file.read_bytes() == before
        assert run_cli("changelog", "-C", story.folder, "HEAD~9..HEAD", "-o", file).status == 0
