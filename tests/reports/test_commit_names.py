"""What a commit is called where it is a side: its hash and its subject, which nobody can abuse."""

import json
from pathlib import Path

from tests.support.helpers import pages_of, run_cli
from tests.support.story import MPI4PY, ZLIB, History


def test_a_commit_is_named_with_its_subject_escaped(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.at("2025-07-01T04:00:00+00:00", pages_of([ZLIB]), "Add `z` <b>|| @all\nand\n\na body")
    history.at("2025-07-02T04:00:00+00:00", pages_of([ZLIB, MPI4PY]), "Add mpi4py")
    commits = [history.git("rev-parse", name) for name in ("HEAD~1", "HEAD")]
    old, new = (commit[:7] for commit in commits)

    def report(name: str) -> str:
        return run_cli("-C", tmp_path, "HEAD~1", "HEAD", "-f", name).out

    escaped = "<code>Add &#96;z&#96; &#60;b&#62;&#124;&#124; <!-- -->&#64;all and</code>"
    assert report("markdown").splitlines()[0] == (
        f"# Changes in `develop` from `HEAD~1` (`{old}` {escaped}, 2025-07-01) "
        f"to `HEAD` (`{new}` `Add mpi4py`, 2025-07-02)"
    )
    assert report("text").startswith(
        f"Changes in develop from HEAD~1 ({old} Add `z` <b>|| @all and, 2025-07-01) "
        f"to HEAD ({new} Add mpi4py, 2025-07-02)\n"
    )
    assert f">HEAD~1 ({old} Add `z` &lt;b&gt;|| @all and, 2025-07-01) → " in report("html")
    sides = json.loads(report("json"))
    assert [sides[side]["commit"] for side in ("old", "new")] == commits
    assert sides["old"]["subject"] == "Add `z` <b>|| @all and"


def test_a_commit_that_is_named_by_its_id_is_named_once(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.at("2025-07-01T04:00:00+00:00", pages_of([ZLIB]), "First")
    history.at("2025-07-02T04:00:00+00:00", pages_of([MPI4PY]), "Second")
    commit = history.git("rev-parse", "HEAD~1")
    text = run_cli("-C", tmp_path, commit, "HEAD", "-f", "text").out
    assert text.startswith(f"Changes in develop from {commit[:7]} (First, 2025-07-01) to HEAD (")
    assert "Compared" not in text, "on a terminal it was typed"
    head = history.git("rev-parse", "HEAD")
    page = run_cli("-C", tmp_path, commit, "HEAD", "-f", "html").out
    assert f"Compared: {commit} with HEAD ({head})." in page
    for name in ("markdown", "comment"):
        text = run_cli("-C", tmp_path, commit, "HEAD", "-f", name).out
        assert text.endswith(f"\n\nCompared: `{commit}` with `HEAD` (`{head}`)\n")
