"""Which specs share a line where a report lists all of them."""

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from snapdiff.model.specs import Spec
from snapdiff.reports.outline.lines import SpecLine, spec_lines
from snapdiff.result.causes import Cause, StackCause
from snapdiff.result.changes import Change, StackDiff
from snapdiff.result.packages import Field, Kind
from tests.reports.test_news import diff_of
from tests.support.helpers import spec

GMAKE = Cause("gmake", "added", path=(), build_only=True, others=0)
ZLIB = Cause("zlib", "version", "1.2", "1.3", path=(), build_only=False, others=0)


def one_spec(name: str, version: str = "1.14") -> Spec:
    return Spec(name, version, "gcc@13", "ubuntu22.04", "linux", "zen4", ())


FIRST = Change(Kind.REBUILT, "hdf5", one_spec("b"), one_spec("c"), cause=GMAKE)
OTHER = replace(FIRST, old=one_spec("d"), new=one_spec("e"))


def stack_of(name: str, *changes: Change, **known: Any) -> StackDiff:
    [tag] = diff_of([spec("b", stacks="hep")], [spec("c", stacks="hep")]).tags
    return replace(tag.stacks[0], stack=name, changes=changes, **known)


def lines_of(*stacks: StackDiff) -> list[SpecLine]:
    return [line for _, _, lines in spec_lines(stacks) for line in lines]


def test_like_specs_share_a_line_that_counts_each_once() -> None:
    [line] = lines_of(stack_of("hep", FIRST, OTHER), stack_of("e4s", OTHER))
    assert (line.change, len(line.hashes), line.stacks) == (FIRST, 2, ("hep", "e4s"))
    assert line.hashes == (("b", "c"), ("d", "e"))
    assert line.in_all_stacks


def test_of_one_stack_it_is_not_said_that_these_are_all() -> None:
    [line] = lines_of(stack_of("hep", FIRST))
    assert not line.in_all_stacks


@pytest.mark.parametrize(
    "differs",
    [
        {"kind": Kind.RECONFIGURED},
        {"package": "netcdf-c"},
        {"old": one_spec("d", "1.13")},
        {"new": one_spec("e", "1.15")},
        {"old": None},
        {"fields": (Field("os", "ubuntu20.04", "ubuntu22.04"),)},
        {"cause": ZLIB},
        {"cause": None},
        {"same_to_use": True},
    ],
)
def test_what_differs_in_anything_but_the_hashes_has_a_line_of_its_own(
    differs: dict[str, Any],
) -> None:
    lines = lines_of(stack_of("hep", FIRST, replace(OTHER, **differs)))
    assert [len(line.hashes) for line in lines] == [1, 1]


def test_a_cause_that_is_not_known_and_none_are_alike() -> None:
    unknown = [replace(it, cause=cause) for it, cause in ((FIRST, None), (OTHER, UNSET))]
    assert [len(line.hashes) for line in lines_of(stack_of("hep", *unknown))] == [2]


def test_what_came_with_its_package_and_with_compilers_has_lines_of_its_own() -> None:
    came = Change(Kind.ADDED, "gcc-runtime", None, one_spec("c"))
    plain = stack_of("plain", came)
    packages = replace(plain.packages, added=("gcc-runtime",))
    cause = StackCause(None, "compilers", specs=1, packages=1, reach=1)
    lines = lines_of(
        plain,
        replace(plain, stack="whole", packages=packages),
        replace(plain, stack="compilers", packages=packages, causes=(cause,)),
    )
    assert [(it.stacks, it.is_whole, it.is_dependency_now) for it in lines] == [
        (("plain",), False, False),
        (("whole",), True, False),
        (("compilers",), True, True),
    ]
