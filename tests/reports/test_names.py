"""Both sides have the shortest names that tell them apart."""

import pytest

from snapdiff.model.specs import Revision
from snapdiff.reports.names import SideName, short_names, side_names


@pytest.mark.parametrize(
    ("old", "new", "short"),
    [
        ("a/b/24.05", "a/b/24.11", ("24.05", "24.11")),
        ("24.05/e4s/x", "24.11/e4s/x", ("24.05", "24.11")),
        ("HEAD~1", "HEAD", ("HEAD~1", "HEAD")),
        ("HEAD:env", "env", ("HEAD:env", "env")),
        ("same", "same", ("same", "same")),
        ("old.lock", "new.lock", ("old.lock", "new.lock")),
    ],
)
def test_the_sides_have_the_shortest_names_that_tell_them_apart(
    old: str, new: str, short: tuple[str, str]
) -> None:
    assert short_names(old, new) == short


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("/home/me/base", "/data/0.23/mpich", ("base", "mpich")),
        ("deep/24.05/environments", "other/24.11/environments", ("deep/24.05", "other/24.11")),
        ("far/deep/24.05/environments", "other/24.11/environments", ("24.05", "other/24.11")),
        ("same/only", "same/b/x", ("only", "b/x")),
        ("24.05/cuda", "24.11/rocm", ("24.05/cuda", "24.11/rocm")),
        ("/one/x", "/two/y", ("x", "y")),
        ("old/.", "new", ("old/.", "new")),
        ("a/env", "a/b/env", ("env", "b/env")),
        ("s3://mirror/a/x", "s3://other/b/y", ("mirror/a/x", "other/b/y")),
    ],
)
def test_folders_have_the_last_parts_of_their_paths(
    old: str, new: str, names: tuple[str, str]
) -> None:
    sides = side_names(*(Revision(source=it, commit=None, date=None) for it in (old, new)))
    assert (sides[0].name, sides[1].name) == names


def test_a_name_that_is_shortened_is_known_whole() -> None:
    old, new = (Revision(source=f"/home/me/{n}/env", commit=None, date=None) for n in ("a", "b"))
    assert [side.name for side in side_names(old, new)] == ["a", "b"]
    assert [side.whole for side in side_names(old, new)] == [old.source, new.source]
    short = [Revision(source=it, commit="ab" * 20, date=None) for it in ("HEAD~1", "HEAD")]
    assert [(side.whole, side.commit_id) for side in side_names(*short)] == [("", "ab" * 20)] * 2


def test_a_commit_is_named_with_its_hash_and_a_short_subject() -> None:
    first, second = "ab" * 20, "cd" * 20
    sides = side_names(
        Revision(source=first, commit=first, date=None, subject="Update zlib\x1b"),
        Revision(source="HEAD", commit=second, date="2025-07-06T00:00:00Z", subject="word " * 40),
    )
    assert sides[0] == SideName("abababa", "", "Update zlib\\x1b", "", first)
    assert sides[1].commit == "cdcdcdc"
    assert sides[1].day == "2025-07-06"
    assert sides[1].subject.endswith("word …")
    assert len(sides[1].subject) <= 60
