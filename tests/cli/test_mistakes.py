"""What somebody new types wrong, and what help says: words that one would say to a colleague."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from snapdiff.cli.commands import cli
from tests.golden import ROOT, SNAPSHOTS
from tests.support.helpers import run_cli
from tests.support.tables import table

MISTAKES = f"""
missing spack.lock
    WANTED...: is missing; write snapdiff missing [OPTIONS] WANTED... CATALOG
post comment.md 12
    Got unexpected extra argument (12); write snapdiff post [OPTIONS] FILE
{" ".join(SNAPSHOTS)} --max-length 5
    a report of 5 characters is too short to say anything; allow more with --max-length
{" ".join(SNAPSHOTS)} -k ''
    an empty value: not a kind of change; the kinds are added, removed, upgraded, downgraded,
    rebuilt, reconfigured
{" ".join(SNAPSHOTS)} --config ''
    an empty value: cannot be read: No such file or directory
'HEAD~1..HEAD' docs
    HEAD~1..HEAD: names both sides already; leave docs out, or write it after --, if it is a path
docs A...B
    A...B: names both sides already; leave docs out, or write it after --, if it is a path
ftp://me:secret@host/mirror HEAD
    ftp://host/mirror: is no URL of a mirror; these begin with http://, https://, s3://, gs://,
    file://, oci://, oci+http://
--color never why hdf5
    no option is called --color; snapdiff why --help lists those that there are
chnagelog --by week
    no option is called --by; did you mean the command changelog?
log --jobs 2 --detial
    no option is called --jobs; did you mean snapdiff changelog?
{" ".join(SNAPSHOTS)} --config HEAD:nowhere
    HEAD:nowhere: there is no such file in git; write ./HEAD:nowhere for one on disk
{" ".join(SNAPSHOTS)} -o ''
    -o: names no file
{" ".join(SNAPSHOTS)} --max-length 0
    --max-length: 0 is not in the range x>=1.
changelog v1 v2
    Got unexpected extra argument (v2); write snapdiff changelog [OPTIONS] RANGE [-- PATH...],
    a RANGE such as v1..HEAD
HEAD~1 .. HEAD
    HEAD~1 .. HEAD: write HEAD~1..HEAD
HEAD ... HEAD
    HEAD ... HEAD: write HEAD...HEAD
{" ".join(SNAPSHOTS)} README.md
    README.md: a comparison takes two; leave it out
{" ".join(SNAPSHOTS)} --json
    no option is called --json; did you mean -f json? snapdiff diff --help lists those that there
    are
{" ".join(SNAPSHOTS)} --max-length foo
    --max-length: 'foo' is not a whole number
{" ".join(SNAPSHOTS)} -k gone
    gone: not a kind of change; did you mean removed?
{" ".join(SNAPSHOTS)} -p petsc@3.23
    petsc@3.23: matches no package; the nearest: petsc
{" ".join(SNAPSHOTS)} -t v0
    v0: matches no tag of the catalog; there are develop, develop-2025-05-04, develop-2025-07-06
changelog --jobs=-2 docs
    --jobs: -2 is not in the range x>=1.
post --number 0 README.md
    --number: 0 is not in the range x>=1.
-C no-such
    -C: Directory 'no-such' does not exist.
-C README.md
    -C: Directory 'README.md' is a file.
--fail-on removed,deleted
    --fail-on: 'deleted' is not a kind of change; the kinds are added, removed, upgraded,
    downgraded, rebuilt, reconfigured
{" ".join(SNAPSHOTS)} -s ''
    an empty glob: matches no stack; there are 13, from data-vis-sdk to tutorial
{" ".join(SNAPSHOTS)} --fail-on removed -s tutorial -s '!tutorial'
    tutorial,!tutorial: leaves no stack
"""
"""What is typed, and what is said."""


@pytest.mark.parametrize(
    ("typed", "message"), [(it, *row) for it, row in table(MISTAKES, 1).items()]
)
def test_a_mistake_is_named_with_the_way_out(
    typed: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    done = run_cli(*shlex.split(typed))
    assert (done.status, done.out, done.err) == (2, "", f"snapdiff: error: {message}\n")


COMMANDS = ("diff", "changelog", "why", "missing", "post", "snapshot", "schema", "git-driver")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_a_window_of_80_columns(command: str) -> None:
    found = CliRunner().invoke(cli, [command, "--help"], terminal_width=80)
    assert found.exit_code == 0
    assert "Usage: " in found.output
    assert [line for line in found.output.splitlines() if len(line) > 80] == []


def test_a_folder_with_dots_in_its_name_is_no_range(tmp_path: Path) -> None:
    for name in ("a..b", "c"):
        (tmp_path / name).mkdir()
    done = run_cli("-C", tmp_path, "a..b", "c", "--allow-empty", "-f", "text")
    assert (done.status, done.err) == (0, "")
