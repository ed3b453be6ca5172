"""A hash that names another version or package than on the other side: told, and a gate fails."""

from pathlib import Path

import pytest

from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import Report, hash_of, pages_of, run_cli, run_json, spec, write_files

HASH = hash_of("b")


def run_quietly(*arguments: str | Path) -> Report:
    """A report as JSON; what it warns of is not looked at."""
    return run_json(*arguments, "--quiet")


def sides(folder: Path, old: dict[str, object], new: dict[str, object]) -> tuple[Path, Path]:
    """One page each, or pages of two packages, with one spec of one hash."""
    return tuple(  # type: ignore[return-value]
        write_files(folder / name, pages_of([{**spec("b", package="zlib"), **change}]))
        for name, change in (("old", old), ("new", new))
    )


def test_another_version_is_told_and_no_change(tmp_path: Path) -> None:
    old, new = sides(tmp_path, {"versions": ["1.2"]}, {"versions": ["1.3"]})
    report = run_quietly(old, new)
    [tag] = report["tags"]
    assert tag["hash_conflicts"] == [
        {
            "hash": HASH,
            "old": {"package": "zlib", "version": "1.2"},
            "new": {"package": "zlib", "version": "1.3"},
        }
    ]
    assert report["summary"]["unchanged"] == 1
    assert [stack["changes"] for stack in tag["stacks"]] == [[]]
    for name in ("text", "markdown", "comment", "html"):
        out = run_cli(old, new, "-f", name).out
        assert HASH[:7] in out
        assert "a document was edited" in " ".join(out.split())
        assert "o changes" not in out
    assert "\n1 spec under the hash of another one.\n" in run_cli(old, new, "-f", "text").out
    done = run_cli(old, new, "-k", "removed", "-f", "json", "--fail-on", "rebuilt")
    assert done.status == 1
    assert f"one hash, {HASH}: zlib 1.2 → zlib 1.3 in develop" in done.err
    assert f"the hash {HASH} is zlib 1.2 on the old side and zlib 1.3 on the new side" in done.err
    assert '"hash_conflicts"' in done.out


def test_another_package_is_told_beside_what_is_gone_and_new(tmp_path: Path) -> None:
    one, other = Item("zlib", hash=HASH, explicit=True), Item("zlib-ng", hash=HASH, explicit=True)
    write_files(tmp_path, {"a.lock": to_bytes(lock([one])), "b.lock": to_bytes(lock([other]))})
    report = run_quietly("-C", tmp_path, "a.lock", "b.lock")
    [conflict] = report["tags"][0]["hash_conflicts"]
    assert (conflict["old"]["package"], conflict["new"]["package"]) == ("zlib", "zlib-ng")
    assert (report["summary"]["removed"], report["summary"]["added"]) == (1, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"versions": ["1.2"]}, {"versions": ["1.02"]}),  # one version, written in two ways
        ({"stacks": ["e4s"]}, {"stacks": ["hep"]}),
        ({"compiler": "gcc@11"}, {"compiler": "gcc@12"}),
    ],
)
def test_what_else_differs_is_no_conflict(
    old: dict[str, object], new: dict[str, object], tmp_path: Path
) -> None:
    report = run_quietly(*sides(tmp_path, old, new), "--no-renames")
    assert not any("hash_conflicts" in tag for tag in report["tags"])


def test_only_what_is_asked_for_is_looked_at(tmp_path: Path) -> None:
    old, new = sides(tmp_path, {"versions": ["1.2"]}, {"versions": ["1.3"]})
    stack = run_quietly(old, new)["tags"][0]["stacks"][0]["stack"]
    for folder in (old, new):
        write_files(folder, pages_of([spec("c", package="hdf5", stacks="ml")]))
    assert run_quietly(old, new, "-s", f"!{stack}")["tags"] == []
    assert run_quietly(old, new, "-p", "!zlib")["tags"] == []


def test_a_hash_of_two_packages_is_none_where_one_of_them_keeps_it(tmp_path: Path) -> None:
    one, other = spec("b", package="zlib"), spec("b", package="zlib-ng")
    old = write_files(tmp_path / "old", pages_of([one]))
    new = write_files(tmp_path / "new", pages_of([one, other]))
    assert "hash_conflicts" not in run_quietly(old, new)["tags"][0]
