"""A filter with a slip in it is an error, and one that matches anything is not."""

from pathlib import Path

import pytest

from tests.support.helpers import pages_of, refused, run_cli, spec, write_files


@pytest.fixture
def catalogs(tmp_path: Path) -> Path:
    """Two catalogs; the stack `rare` and the package `hdf5` are on the old side alone."""
    old = [spec("b"), spec("c", package="hdf5", stacks="rare root"), spec("d", tag="v0.22")]
    write_files(tmp_path / "old", pages_of(old))
    write_files(tmp_path / "new", pages_of([spec("p"), spec("q", tag="v0.22")]))
    write_files(tmp_path / "empty", {"README": "nothing"})
    return tmp_path


@pytest.mark.parametrize(
    "filters",
    [
        ["-s", "e4s"],
        ["-s", "ra*"],
        ["-s", "e4s,rare"],
        ["-s", "!rare"],
        ["-p", "hdf5"],
        ["-p", "zlib,hdf5"],
        ["-t", "v0.*"],
        ["-t", "!v0.22", "-s", "e4s", "-p", "z*"],
    ],
)
def test_a_filter_that_matches_on_either_side_is_taken(filters: list[str], catalogs: Path) -> None:
    result = run_cli("-C", catalogs, "old", "new", "-f", "json", *filters)
    assert (result.status, result.err) == (0, "")


@pytest.mark.parametrize(
    ("filters", "error"),
    [
        (["-s", "e4z"], "e4z: matches no stack; the nearest: e4s"),
        (["-s", "e4s,e4z"], "e4z: matches no stack; the nearest: e4s"),
        (["-s", "!rar"], "!rar: matches no stack; the nearest: rare"),
        (["-p", "zlip"], "zlip: matches no package; the nearest: zlib"),
        (["-t", "develp"], "develp: matches no tag of the catalog; the nearest: develop"),
        (["--map-stack", "e4z=e4s"], "--map-stack e4z=e4s: the old side has no stack e4z; "),
    ],
)
def test_a_filter_that_matches_nothing_is_an_error(
    filters: list[str], error: str, catalogs: Path
) -> None:
    assert refused("-C", catalogs, "old", "new", "-f", "json", *filters).startswith(error)


def test_where_there_is_nothing_to_compare_no_filter_has_a_slip(catalogs: Path) -> None:
    result = run_cli("-C", catalogs, "empty", "empty", "--allow-empty", "-s", "e4z", "-f", "json")
    assert (result.status, result.err) == (0, "")


def test_a_gate_with_a_slip_in_it_is_not_green(catalogs: Path) -> None:
    assert run_cli("-C", catalogs, "--fail-on", "removed", "-s", "rere", "old", "new").status == 2
