"""Both sides have the shortest names that tell them apart."""

from pathlib import Path

import pytest

from snapdiff.model.specs import Revision
from snapdiff.reports.names import SideName, says, short_names, side_names
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import pages_of, run_cli, spec, write_files


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


@pytest.mark.parametrize(
    ("old", "new", "arguments", "title"),
    [
        ("v1 v2", "v1 v2+", (), "Changes in v2/e4s from old to new"),
        ("v1 v2", "v1 v2+", ("-t", "v2"), "Changes in e4s from old to new"),
        ("v1 v2", "v1+ v2+", (), "Changes from old to new"),
        ("v1", "v1+", (), "Changes in v1/e4s from old to new"),
        ("v1", "v2+", (), "Changes in v1/e4s → v2/e4s from old to new"),
        ("old", "new+", (), "Changes in e4s from old to new"),
        ("v1 v2", "v1+ v3", (), "Changes from old to new"),
    ],
)
def test_a_title_names_the_only_tag_and_stack_that_changed(
    tmp_path: Path, old: str, new: str, arguments: tuple[str, ...], title: str
) -> None:
    for side, tags in (("old", old), ("new", new)):
        version = {tag.rstrip("+"): "1.1" if tag.endswith("+") else "1.0" for tag in tags.split()}
        records = [
            spec("b" * number + ("c" if it == "1.1" else ""), it, tag=tag)
            for number, (tag, it) in enumerate(version.items(), 1)
        ]
        write_files(tmp_path / side, pages_of(records))
    result = run_cli("-C", tmp_path, "old", "new", "-f", "text", *arguments)
    assert (result.status, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == title
    if new == "v1+ v3":
        assert lines[2] == "zlib is upgraded to 1.1 in v1/e4s. 1 tag removed, 1 added."


@pytest.mark.parametrize(
    ("sorts", "sentence"),
    [
        (9, "All 9 packages are upgraded in v1/e4s. 1 tag added."),
        (2, "2 packages are upgraded (p0 to 1.1, p1 to 2.1) in v1/e4s. 1 tag added."),
    ],
)
def test_a_sentence_names_the_tag_where_no_title_does(
    tmp_path: Path, sorts: int, sentence: str
) -> None:
    for side, minor in (("old", 0), ("new", 1)):
        records = [
            spec(f"{side[0]}{'abcdefghi'[n]}", f"{n + 1}.{minor}", package=f"p{n}", tag="v1")
            for n in range(sorts)
        ]
        more = [spec("x", package="p0", tag="v2")] if side == "new" else []
        write_files(tmp_path / side, pages_of(records + more))
    result = run_cli("-C", tmp_path, "old", "new", "-f", "text")
    assert result.out.splitlines()[2] == sentence


def test_a_sentence_without_products_names_the_tag_too(tmp_path: Path) -> None:
    for side in ("old", "new"):
        below = [Item(f"lib{n}", f"{n}.{side == 'new':d}") for n in range(4)]
        items = [*below, Item("app", explicit=True, needs=tuple(map(needs, below)))]
        tags = ("v1",) if side == "old" else ("v1", "v2")
        for tag in tags:
            write_files(tmp_path, {f"{side}/{tag}/hep/spack.lock": to_bytes(lock(items))})
    found = run_cli("-C", tmp_path, "old", "new", "-f", "text", "-k", "upgraded,added").out
    words = " ".join(found.splitlines()[2:5])
    assert words.startswith("No product changed in such a way in v1/hep; 4 dependencies are upg")


def versions_of_tags(folder: Path, **versions: str) -> Path:
    """A catalog of one package in one stack, of these versions in these tags."""
    records = [
        spec("b" * number + "abcdef"[int(it[-1])], it, tag=tag)
        for number, (tag, it) in enumerate(versions.items(), 1)
    ]
    return write_files(folder, pages_of(records))


@pytest.mark.parametrize(
    ("sides", "options", "title"),
    [
        (("v1", "v2"), (), "Changes in v1/e4s from v1 to v2"),  # of which only one is the tag's
        (("a", "b"), ("-t", "v1,w"), "Changes in v1/e4s from a to b"),
        (("a", "b"), ("-t", "v1"), "Changes in e4s from a to b"),
    ],
)
def test_a_tag_is_named_unless_both_sides_or_the_filter_name_it(
    tmp_path: Path, sides: tuple[str, str], options: tuple[str, ...], title: str
) -> None:
    versions_of_tags(tmp_path / sides[0], v1="1.0", w="1.0")
    versions_of_tags(tmp_path / sides[1], v1="1.1", w="1.0")
    text = run_cli("-C", tmp_path, *sides, "-f", "text", *options).out
    assert text.splitlines()[0] == title


def test_of_two_tags_a_stack_with_two_names_is_not_named(tmp_path: Path) -> None:
    for side, tag, stack, version in (
        ("a", "v1", "ubuntu22", "1.0"),
        ("b", "v2", "ubuntu24", "1.1"),
    ):
        records = [
            spec(f"{side}{it}", version, package=f"p{it}", tag=tag, stacks=stack) for it in "abcd"
        ]
        write_files(tmp_path / side, pages_of(records))
    text = run_cli("-C", tmp_path, "a", "b", "-f", "text").out
    assert text.splitlines()[0] == "Changes in v1 → v2 from a to b"


@pytest.mark.parametrize(
    ("tags", "told"),
    [
        (("v1",), "Stack hep removed, 1 other stack changed"),
        (("v1", "v2"), "1 stack removed, 3 other stacks changed"),
    ],
)
def test_the_stack_that_went_is_named_where_one_tag_changed(
    tmp_path: Path, tags: tuple[str, ...], told: str
) -> None:
    for side in ("old", "new"):
        records = [
            spec(f"{side}{letter}{'b' * number}", version, package=package, tag=tag, stacks=stack)
            for number, tag in enumerate(tags)
            for letter, stack in (("b", "e4s"), ("c", "hep"))
            if side == "old" or tag == "v2" or stack == "e4s"
            for package, version in (("p" + letter, {"old": "1.0", "new": "1.1"}[side]),)
        ]
        gone = [spec("x", package="gone", tag="v1", stacks="e4s")] if side == "old" else []
        write_files(tmp_path / side, pages_of(records + gone))
    text = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert f" {told}." in " ".join(text.split())


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("cuda 12 → 13", True),
        ("(`cuda`)", True),
        ("cuda-x86_64", False),
        ("is-cuda, cudann", False),
    ],
)
def test_a_name_is_not_said_by_a_longer_one(text: str, *, is_said: bool) -> None:
    assert says(text, "cuda") is is_said
