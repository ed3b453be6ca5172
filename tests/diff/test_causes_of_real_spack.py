"""Environments that Spack made, of which it is known what was changed: the causes say that."""

from collections import Counter
from functools import cache

import pytest
from msgspec import UNSET

from snapdiff import CatalogDiff, diff_catalogs, load_catalog
from snapdiff.result.causes import Cause, Event
from tests.support.real_catalogs import DATA, needs_real_catalogs

REAL = DATA / "real-spack"
pytestmark = needs_real_catalogs

ZLIB = Event("zlib", "replaced", "zlib-ng", "zlib")
ZLIB_NG = Event("zlib-ng", "version", "2.2.1", "2.1.7")

CAUSES: dict[tuple[str, str], dict[Event, int]] = {
    # The one thing that was changed: of how many rebuilt specs it is the cause.
    ("0.23/base", "0.23/zlibswap"): {ZLIB: 40},
    ("0.23/base", "0.23/zlibver"): {ZLIB_NG: 40},
    ("0.23/base", "0.23/hdf5cxx"): {Event("hdf5", "variants", ("~cxx",), ("+cxx",)): 1},
    ("0.23/base", "0.23/flags"): {Event("hdf5", "variants", (), ('cflags="-O3 -g"',)): 1},
    ("0.23/base", "0.23/clang"): {},
    ("0.23/base", "0.23/mpich"): {Event("mpich", "replaced", "openmpi", "mpich"): 4},
    ("0.23/base", "0.23/gitver"): {
        Event("hdf5", "version", "1.14.3", "git.develop-1.14=1.14.3"): 1
    },
    ("0.23/base", "0.23/recipe"): {Event("libiconv", "recipe"): 45},
    ("0.23/base", "0.23/rootdown"): {Event("hdf5", "version", "1.14.3", "1.12.3"): 1},
    ("0.23/multi", "0.23/multi2"): {},
    ("0.23/incA", "0.23/incB"): {ZLIB_NG: 40},
    ("1.2/base", "1.2/zlibswap"): {ZLIB: 44},
    # Two of the 43 are reached by both, and link neither: cmake is nearer to them.
    ("1.2/base", "1.2/two"): {ZLIB: 41, Event("cmake", "version", "3.31.9", "3.29.6"): 2},
    # What links the compiler's runtime is rebuilt by that, which has the compiler's version.
    ("1.2/base", "1.2/gcc11"): {
        Event("gcc-runtime", "version", "12.2.0", "11.3.0"): 9,
        Event("gcc", "version", "12.2.0", "11.3.0"): 1,
    },
}


@cache
def compared(old: str, new: str) -> CatalogDiff:
    return diff_catalogs(*(load_catalog(str(REAL / name / "spack.lock")) for name in (old, new)))


def causes(old: str, new: str) -> list[Cause]:
    [tag] = compared(old, new).tags
    [stack] = tag.stacks
    return [change.cause for change in stack.changes if isinstance(change.cause, Cause)]


def event_of(cause: Event) -> Event:
    return Event(cause.package, cause.what, cause.old, cause.new)


@pytest.mark.parametrize(("old", "new"), CAUSES)
def test_what_was_changed_is_the_cause(old: str, new: str) -> None:
    assert Counter(map(event_of, causes(old, new))) == CAUSES[old, new]


def test_what_links_what_the_swap_reaches_is_rebuilt_by_the_swap() -> None:
    """Whatever cmake did nearer by: a linked event goes first, at any distance."""
    found = causes("1.2/base", "1.2/two")
    assert {cause.package for cause in found if not cause.build_only} == {"zlib"}
    assert all(cause.build_only for cause in found if cause.package == "cmake")


def test_another_compiler_is_told_once_and_reaches_all_that_it_rebuilt() -> None:
    [tag] = compared("1.2/base", "1.2/gcc11").tags
    reach = {event_of(cause): cause.reach for cause in tag.stacks[0].causes}
    assert reach[Event("gcc", "version", "12.2.0", "11.3.0")] == 10
    assert not [
        cause
        for cause in tag.stacks[0].causes
        if cause.what == "compiler" and cause.package is not None
    ]


def test_the_move_to_spack_1_is_one_event() -> None:
    [tag] = compared("0.23/base", "1.2/base").tags
    found = tag.stacks[0].causes
    [moved] = [cause for cause in found if cause.what == "compilers"]
    assert (moved.package, moved.reach) == (None, 19)
    assert not [
        cause for cause in found if cause.what == "added" and "compiler" in str(cause.package)
    ]
    linked = [cause for cause in causes("0.23/base", "1.2/base") if not cause.build_only]
    assert "compilers" not in {cause.what for cause in linked}


def test_the_move_to_spack_1_is_one_event_and_its_compiler_is_no_new_package() -> None:
    [tag] = compared("0.23/base", "1.2/base").tags
    [stack] = tag.stacks
    assert not [cause for cause in stack.causes if cause.package == "gcc"]
    assert not [cause for cause in stack.causes if cause.package == "compiler-wrapper"]
    assert {one.package: one.was_compiler for one in stack.package_changes if one.whole} == {
        "compiler-wrapper": UNSET,
        "flex": UNSET,
        "gcc": True,
        "prrte": UNSET,
    }
