"""What a report is narrowed to: lists, exclusion, globs with a slip, stacks of another name."""

import pytest

from snapdiff import Filters, SnapdiffError
from snapdiff.filters import (
    Scope,
    name_filter,
    nearest_names,
    require_mapped_stacks,
    require_matches,
)
from tests.support.helpers import catalog_folders, pages_of, run_cli, run_json, spec

STACKS = ["e4s", "e4s-oneapi", "hep", "ml-cpu", "ml-cuda"]


@pytest.mark.parametrize(
    ("globs", "names"),
    [
        ([], STACKS),
        (["e4s", "hep"], ["e4s", "hep"]),
        (["!ml-*"], ["e4s", "e4s-oneapi", "hep"]),
        (["e4s*", "!*-oneapi"], ["e4s"]),
        (["!ml-*", "!hep"], ["e4s", "e4s-oneapi"]),
        (["ml-c[!p]*"], ["ml-cuda"]),
        (["E4S"], []),
    ],
)
def test_globs_let_names_in_or_leave_them_out(globs: list[str], names: list[str]) -> None:
    assert list(filter(name_filter(tuple(globs)), STACKS)) == names


SEEN = {"tag": ["develop", "[br]"], "stack": STACKS, "package": ["zlib", "zstd"]}


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (Filters(stack=("e4z",)), "e4z: matches no stack; the nearest: e4s"),
        (Filters(stack=("e4s", "!ml-cudaa")), "!ml-cudaa: matches no stack; the nearest: ml-cuda"),
        (Filters(package=("zlip",)), "zlip: matches no package; the nearest: zlib"),
        (Filters(tag=("v*",)), "v*: matches no tag of the catalog; the nearest: develop"),
        (
            Filters(tag=("[br]",)),
            "[br]: matches no tag of the catalog; the name itself is written [[]br]",
        ),
        (
            Filters(tag=("![br]",)),
            "![br]: matches no tag of the catalog; the name itself is written [[]br]",
        ),
        (Filters(stack=("quite-other",)), "there are e4s, e4s-oneapi, hep, ml-cpu, ml-cuda"),
        (Filters(stack=("e4s", "!e4s")), "e4s,!e4s: leaves no stack"),
        (Filters(tag=("!develop", "![[]br]", "*")), "!develop,![[]br],*: leaves no tag"),
        (Filters(package=("z*", "!*l*", "!zst?")), "z*,!*l*,!zst?: leaves no package"),
        (Filters(stack=("!*",)), "!*: leaves no stack"),
        (Filters(stack=("!e4s*", "!ml-*", "!hep")), "!e4s*,!ml-*,!hep: leaves no stack"),
    ],
)
def test_a_glob_that_matches_nothing_names_the_nearest(filters: Filters, message: str) -> None:
    with pytest.raises(SnapdiffError) as caught:
        require_matches(filters, SEEN)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("globs", "is_compared"),
    [
        (["old"], True),
        (["new"], True),
        (["!old"], False),
        (["!new"], False),
        (["old", "!new"], False),
        (["!other"], True),
        (["other"], False),
    ],
)
def test_of_two_tags_that_are_compared_either_name_counts(
    globs: list[str], is_compared: bool
) -> None:
    scope = Scope(Filters(tag=tuple(globs)))
    assert scope.has_tag("old", "new") is scope.has_tag("new", "old") is is_compared


@pytest.mark.parametrize(
    "filters",
    [
        Filters(),
        Filters(stack=("e4s*", "!hep"), package=("z*",), tag=("develop",)),
        Filters(tag=("!develop",)),
    ],
)
def test_globs_that_match_something_are_no_slip(filters: Filters) -> None:
    require_matches(filters, SEEN)


def test_where_there_is_nothing_to_compare_no_glob_has_a_slip() -> None:
    require_matches(Filters(stack=("e4z",)), {"stack": []})


def test_of_a_word_like_none_of_a_few_names_all_are_told() -> None:
    assert nearest_names("xxx", ["a", "b"]) == "there are a, b"
    assert nearest_names("xxx", ["a"]) == "there is a"
    assert nearest_names("E4S", ["e4s", "hep"]) == "the nearest: e4s"
    assert nearest_names("!Ml-*", ["ML-cuda", "hep"]) == "the nearest: ML-cuda"
    assert nearest_names("xxx", []) == "there is none"
    assert nearest_names("hdf", ["aa-hdf", "ab-hdf", "hdf5"]) == "the nearest: hdf5, aa-hdf, ab-hdf"
    assert nearest_names("xxx", ["."]) == "there is only one: leave the option out"
    assert nearest_names("xxx", list("abcdefghijk")) == "there are 11, from a to k"
    assert nearest_names("nope", ["nco", "poppler", "oce"]) == "there are nco, oce, poppler"
    assert nearest_names("E4S", ["a-e4s-with-a-long-name", "e5s"]).endswith(
        "a-e4s-with-a-long-name, e5s"
    )


def test_a_kind_may_be_left_out_and_one_that_is_none_may_not() -> None:
    Scope(Filters(kind=("!rebuilt", "up*")))
    with pytest.raises(SnapdiffError, match="not a kind of change"):
        Scope(Filters(kind=("!rebuild",)))
    with pytest.raises(SnapdiffError, match="added,!added: leaves no kind"):
        Scope(Filters(kind=("added", "!added")))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (["e4s", "hep"], ["e4s", "physics"], None),
        (["e4s", "hepp"], ["physics"], "the old side has no stack hep; the nearest: hepp"),
        (["hep"], ["hep", "physics"], "both sides have hep; leave the option out"),
        (["hep"], ["physic"], "the new side has no stack physics; the nearest: physic"),
    ],
)
def test_both_names_of_a_stack_have_to_be_there(
    old: list[str], new: list[str], message: str | None
) -> None:
    filters = Filters(stack_names=(("hep", "physics"),))
    if message is None:
        require_mapped_stacks(filters, old, new)
        return
    with pytest.raises(SnapdiffError) as caught:
        require_mapped_stacks(filters, old, new)
    assert str(caught.value) == f"--map-stack hep=physics: {message}"


def test_the_sum_of_removed_builds_counts_those_of_an_upgraded_package_too() -> None:
    """It is left out itself, as no version of it was kept: a gate lets it pass, too."""
    lost = [spec(name, package=name, compiler="llvm@14.0.6") for name in ("hdf5", "netcdf", "silo")]
    stay = [spec(f"{name}2", package=name) for name in ("hdf5", "netcdf", "silo")]
    upgraded = [spec("old"), spec("old2", compiler="llvm@14.0.6")]
    sides = pages_of([*lost, *stay, *upgraded]), pages_of([*stay, spec("new", "2.0")])
    with catalog_folders(*sides) as (before, after):
        text = run_cli(before, after, "-k", "removed", "-f", "text").out
        report = run_json(before, after, "-k", "removed")
    assert "\nhdf5 1.0, netcdf 1.0, silo 1.0 lost the build with llvm 14.0.6; only kind" in text
    assert "zlib" not in text
    assert report["summary"]["removed"] == 4
