"""Names as people read them: sets of stacks, both sides, steps of versions."""

import pytest

from snapdiff.model.specs import Revision
from snapdiff.reports.names import Place, Places, SideName, sets_in, short_names, side_names
from snapdiff.reports.statuses import is_date, step_of

E4S = ["cuda-aarch64", "cuda-ppc64le", "cuda-x86_64", "oneapi-x86_64", "rocm-x86_64"]


@pytest.mark.parametrize(
    ("stacks", "before", "names"),
    [
        (E4S, "all 5", ()),
        (E4S[:3], "the 3", ("cuda-*",)),
        (E4S[:1] + E4S[1:3] + E4S[4:], "all but", ("oneapi-x86_64",)),
        (E4S[2:], "the 3", ("*-x86_64",)),
        (E4S[3:4], "", ("oneapi-x86_64",)),
        ([E4S[4], E4S[0]], "", ("cuda-aarch64", "rocm-x86_64")),
    ],
)
def test_a_set_of_stacks_has_the_shortest_name(
    stacks: list[str], before: str, names: tuple[str, ...]
) -> None:
    assert Places(dict.fromkeys(E4S, "changed")).place(stacks) == Place(before, names)


def test_of_the_only_stack_nothing_is_said() -> None:
    assert Places({"science": "changed"}).place(["science"]) == Place("", ())


def test_many_stacks_that_came_or_went_need_no_names_again() -> None:
    whole = {"removed": "abcd", "added": "efg", "changed": "hijklmnopq"}
    places = Places({name: status for status, names in whole.items() for name in names})
    for some, expected in (
        ("abcd", Place("the 4 removed", ())),
        ("abc", Place("", ("a", "b", "c"))),
        ("efg", Place("", ("e", "f", "g"))),  # so few are named
        ("efghijklmnopq", Place("all but the 4 removed", ())),
        ("abcdefghijklmnopq", Place("all 17, 4 of them removed, 3 of them added", ())),
    ):
        assert places.place(some) == expected


def test_a_set_is_listed_by_its_own_letters() -> None:
    listed = {"A": ("a",), "AA": ("b",), "B": ("c",)}
    assert sets_in(listed, "in 14, set AA; in 5, set B") == [("AA", ("b",)), ("B", ("c",))]


def test_a_long_set_that_is_used_again_gets_a_letter_and_is_listed_once() -> None:
    every = [f"{letter}{letter}" for letter in "abcdefghijkl"]
    places = Places(dict.fromkeys(every, "changed"))
    often, once = places.place(every[:5]), places.place(every[3:9])
    assert places.named_sets([often, once, often]) == {"A": tuple(every[:5])}
    assert often.letter == "A"
    assert once.names == tuple(every[3:9])


def test_more_sets_than_letters_have_two_letters() -> None:
    every = [f"{first}{second}" for first in "abcdef" for second in "uvwxyz"]
    places = Places(dict.fromkeys(every, "changed"))
    used = [places.place([*every[:3], every[-1], every[-2], it]) for it in every[4:32]]
    assert list(places.named_sets(used * 2))[24:] == ["Y", "Z", "AA", "AB"]


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


def test_a_path_of_this_machine_is_in_no_foot() -> None:
    old, new = (Revision(source=f"/home/me/{n}/env", commit=None, date=None) for n in ("a", "b"))
    assert side_names(old, new) == (SideName("a", "", "", ""), SideName("b", "", "", ""))
    one = Revision(source="https://example.org/a/v1", commit=None, date=None)
    other = Revision(source="https://example.org/a/v2", commit=None, date=None)
    assert [side.whole for side in side_names(one, other)] == [one.source, other.source]
    assert [side.whole for side in side_names(one, new)] == ["", ""]


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
    ("old", "new", "major"),
    [
        ("1.9", "2.0", True),
        ("1.9", "1.10", False),
        ("2023.11.05", "2024.05.31", False),
        ("20230802", "20240829", False),
        ("23.08", "24.05", False),
        ("22.9.29", "23.8.2", False),
        ("20.1.2", "21.1.0", True),
        ("12.2.0", "13.1.0", True),
        ("2.0", "1.0", False),
    ],
)
def test_a_calendar_version_is_never_another_major_version(old: str, new: str, major: bool) -> None:
    assert (step_of((old,), (new,)) == "major") is major


@pytest.mark.parametrize(
    ("old", "new", "step"),
    [
        ("20180129", "0.11.0", "scheme"),
        ("r0.1", "2023.08.25", "scheme"),
        ("2022.10.14", "2023.1.1", ""),
        ("1.2", "1.3", ""),
        ("develop", "0.2.1", "scheme"),
        ("master", "2023.08.25", "scheme"),
        ("0.2.1", "main", "scheme"),
        ("master", "develop", ""),
        ("develop-2024", "develop", ""),
    ],
)
def test_a_date_or_a_branch_on_one_side_is_no_loss(old: str, new: str, step: str) -> None:
    assert step_of((old,), (new,)) == step


def test_a_version_that_stays_hides_a_major_step() -> None:
    assert step_of((), ("2.0",), ("1.0",)) == "major"
    assert step_of(("1.0",), ("2.0",), ("3.0",)) == ""


@pytest.mark.parametrize("version", ["1", "develop", "", "19", "19991", "1979", "2100"])
def test_what_is_no_date(version: str) -> None:
    assert not is_date(version)


@pytest.mark.parametrize("version", ["1999x", "1980", "2099", "202308", "20230802", "2020-05-14"])
def test_what_is_a_date(version: str) -> None:
    assert is_date(version)
