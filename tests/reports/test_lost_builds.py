"""Which builds packages lost, told by what these had, and how many builds an environment has."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from snapdiff.reports.cause_words import each_in_words
from snapdiff.reports.moves.shares import as_told
from snapdiff.result.causes import Trait, TraitCount
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import pages_of, run_cli, spec, write_files

MPICH, OPENMPI = Item("mpich", "4.1", explicit=True), Item("openmpi", "5.0", explicit=True)


def builds(name: str, *mpis: Item, version: str = "1.0") -> list[Item]:
    """A build of a root with each of some MPIs."""
    return [Item(name, version, explicit=True, needs=(needs(mpi, "mpi"),)) for mpi in mpis]


def report(folder: Path, old: Sequence[Item], new: Sequence[Item], *arguments: str) -> list[str]:
    """The lines of a report about one environment, blank ones aside."""
    for side, items in (("old", old), ("new", new)):
        write_files(folder, {f"{side}/hep/spack.lock": to_bytes(lock(items))})
    text = run_cli("-C", folder, "old", "new", "--package-url", "", *arguments).out
    return [line for line in text.splitlines() if line]


def test_who_lost_builds_is_named_below_what_these_had(tmp_path: Path) -> None:
    names = ("fftw", "hdf5", "netcdf")
    old = [it for name in names for it in builds(name, MPICH, OPENMPI)]
    new = [it for name in names for it in builds(name, OPENMPI)]
    lines = report(tmp_path, [MPICH, OPENMPI, *old], [OPENMPI, *new])
    assert lines[1:] == [
        "`mpich` is gone, 3 others (`fftw`, `hdf5`, `netcdf`) lost builds that used it.",
        "**Gone**: `mpich` `4.1`",
        "**Lost builds**: one each with `mpich` `4.1`: `fftw`, `hdf5`, `netcdf`",
        "**Builds**: 8 → 4, 4 as before, 4 gone",
    ]


def test_who_has_another_version_in_place_of_such_builds_lost_them_too(tmp_path: Path) -> None:
    names = ("fftw", "hdf5", "netcdf")
    kept = [it for name in names for it in builds(name, OPENMPI)]
    lost = [it for name in names for it in builds(name, MPICH)]
    old = [MPICH, OPENMPI, *kept, *lost, *builds("esmf", MPICH, OPENMPI, version="8.5")]
    more = [Item("mvapich", "3.0", explicit=True), Item("cray-mpich", "8.1", explicit=True)]
    new = [OPENMPI, *more, *kept, *builds("esmf", OPENMPI, version="8.5")]
    new += builds("esmf", *more, version="8.6")
    lines = report(tmp_path, old, new)
    assert "`mpich` is gone, 4 others lost builds that used it," in lines[1]
    assert (
        "- `esmf`: 1 of 2 builds of `8.5` gone (the one with `mpich` `4.1`), "
        "`8.6` new (2 builds: 1 with `cray-mpich` `8.1`, 1 with `mvapich` `3.0`)"
    ) in lines


CRAY_MPICH = Item("cray-mpich", "8.1", explicit=True)
LIBSCI = Item("cray-libsci", "23.9", explicit=True)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        # as many builds of the version that came as went, or more
        ([MPICH], [CRAY_MPICH], "`esmf` lost a build with `mpich` `4.1` (none left), `other` "),
        ([MPICH], [CRAY_MPICH] * 2, "`esmf` lost a build with `mpich` `4.1` (none left), `other` "),
        # all of it is there in another version
        ([MPICH], [MPICH, CRAY_MPICH], "2 products are upgraded (`other` "),
        ([LIBSCI], [LIBSCI, CRAY_MPICH], "2 products are upgraded (`other` "),
    ],
)
def test_only_builds_with_an_mpi_of_which_none_came_are_lost_with_their_step(
    tmp_path: Path, before: list[Item], after: list[Item], said: str
) -> None:
    mpis = [MPICH, OPENMPI, CRAY_MPICH, LIBSCI]
    kept = builds("esmf", OPENMPI, version="8.5")
    gone = builds("esmf", *before, version="8.5")
    new = [
        replace(it, parameters={"n": str(n)})
        for n, it in enumerate(builds("esmf", *after, version="8.6"))
    ]
    other = Item("other", "1.0", explicit=True)
    old, new = [*mpis, *kept, *gone, other], [*mpis, *kept, *new, replace(other, version="2.0")]
    lines = report(tmp_path, old, new)
    assert lines[1].startswith(said)
    assert ("`esmf` also has `8.6` now." in lines[1]) is ("lost" in said)
    assert lines[1].count("mpich`") <= 1


def test_a_version_that_stays_loses_builds_though_another_one_went_up(tmp_path: Path) -> None:
    stays = builds("pio", OPENMPI, version="2.6.2")
    old = [*stays, *builds("pio", MPICH, version="2.6.2"), *builds("pio", MPICH, version="2.6.1")]
    new = [*stays, *builds("pio", MPICH, version="2.7.0")]
    other = [[Item("other", it, explicit=True)] for it in ("1.0", "2.0")]
    both = [MPICH, OPENMPI]
    lines = report(tmp_path, [*both, *old, *other[0]], [*both, *new, *other[1]])
    assert "`pio` lost builds" in lines[1]
    assert "(the new `2.7.0` has)" in lines[1]
    assert lines[2] == "`other` is upgraded to another major version.", "it is not said again"
    assert "`2.6.1` → `2.7.0`, still has `2.6.2`, 1 of 2 builds of `2.6.2` gone" in lines[3]


def test_builds_used_what_is_gone_where_it_is_their_dependency_and_all_of_it_is(
    tmp_path: Path,
) -> None:
    names = ("fftw", "hdf5", "netcdf")
    lost = "3 others (`fftw`, `hdf5`, `netcdf`)"
    for is_on, told in ((True, "+mpich"), (False, "~mpich")):
        with_it, without = (
            [Item(it, explicit=True, parameters={"mpich": value}) for it in names]
            for value in (is_on, not is_on)
        )
        lines = report(tmp_path / told, [MPICH, *with_it, *without], without)
        assert lines[1] == f"`mpich` is gone, {lost} lost builds with `{told}`."
    older = Item("mpich", "3.4", explicit=True)
    users = [[it for name in names for it in builds(name, mpi)] for mpi in (older, MPICH)]
    for stack, old, new in (
        ("one", [older, MPICH, *users[0], *users[1]], [MPICH, *users[1]]),
        ("two", [older, OPENMPI], [OPENMPI]),
    ):
        for side, items in (("old", old), ("new", new)):
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    text = run_cli("-C", tmp_path, "old", "new", "--package-url", "").out
    assert f"`mpich` is gone from `two`, {lost} lost builds with `mpich` `3.4`" in text


@pytest.mark.parametrize(
    ("is_other", "words"), [(False, "lost `1.0` in both,"), (True, "lost a version,")]
)
def test_a_version_that_is_lost_in_two_ways_is_counted(
    tmp_path: Path, is_other: bool, words: str
) -> None:
    """What else happened to the package tells the places apart, so that no name is for both."""

    def side(*, has: bool, on: bool) -> list[Item]:
        kept = Item("p", "2.0", explicit=True, parameters={"x": on})
        more = [Item("p", "1.0", explicit=True), Item("gone", explicit=True)]
        up = Item("up", "1.0" if has else "1.1", explicit=True)
        return [kept, up, *(more if has else [])]

    for stack, is_on in (("a", False), ("b", is_other)):
        for name, has in (("old", True), ("new", False)):
            items = side(has=has, on=is_on and not has)
            write_files(tmp_path, {f"{name}/{stack}/spack.lock": to_bytes(lock(items))})
    out = run_cli("-C", tmp_path, "old", "new", "--package-url", "").out
    assert f"`gone` is gone, `p` {words} `up` is upgraded to `1.1`." in out


@pytest.mark.parametrize(
    ("names", "stacks", "told"),
    [
        (
            ("fftw", "hdf5"),
            ("hep",),
            "`left` is gone, 2 products have new builds with `mpich` `4.1`.",
        ),
        (
            ("fftw", "hdf5"),
            ("a", "b"),
            "`left` is gone, 2 products have new builds with `mpich` `4.1`.",
        ),
        (("fftw",), ("a", "b"), "`left` is gone, `fftw` has more builds."),
    ],
)
def test_of_new_builds_that_all_have_the_same_it_is_said(
    tmp_path: Path, names: tuple[str, ...], stacks: tuple[str, ...], told: str
) -> None:
    before = [it for name in names for it in builds(name, OPENMPI)]
    came = [it for name in names for it in builds(name, MPICH)]
    left = Item("left", explicit=True)
    old, new = [MPICH, OPENMPI, *before, left], [MPICH, OPENMPI, *before, *came]
    for stack in stacks:
        for side, items in (("old", old), ("new", new)):
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    assert told in run_cli("-C", tmp_path, "old", "new").out.splitlines()[2] + " "


def test_of_new_builds_with_one_thing_or_another_it_is_not_said(tmp_path: Path) -> None:
    before = [it for name in ("fftw", "hdf5") for it in builds(name, OPENMPI)]
    came = [*builds("fftw", MPICH), *builds("hdf5", Item("mvapich", "3.0"))]
    mvapich = Item("mvapich", "3.0")
    old = [MPICH, OPENMPI, mvapich, *before, Item("user", explicit=True, needs=(needs(mvapich),))]
    left = Item("left", explicit=True)
    told = report(tmp_path, [*old, left], [*old, *came])[1]
    assert told == "`left` is gone, 2 products have more builds."


@pytest.mark.parametrize(
    ("stacks", "told"),
    [(("hep",), "`fftw` `1.0`, 2 builds"), (("a", "b"), "`fftw` `1.0` in both environments")],
)
def test_what_is_new_in_one_environment_has_its_number_of_builds(
    tmp_path: Path, stacks: tuple[str, ...], told: str
) -> None:
    left = Item("left", explicit=True)
    for stack in stacks:
        for side, items in (("old", [left]), ("new", builds("fftw", MPICH, OPENMPI))):
            content = to_bytes(lock([MPICH, OPENMPI, *items]))
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": content})
    arguments = ("-f", "comment", "--package-url", "")
    lines = run_cli("-C", tmp_path, "old", "new", *arguments).out.splitlines()
    assert f"**New**: {told}" in lines


def test_of_new_versions_it_is_not_said_that_builds_have_the_same(tmp_path: Path) -> None:
    before = [it for name in ("fftw", "hdf5") for it in builds(name, OPENMPI)]
    came = [*builds("fftw", MPICH), *builds("hdf5", MPICH, version="0.9")]
    left = Item("left", explicit=True)
    told = report(tmp_path, [MPICH, OPENMPI, *before, left], [MPICH, OPENMPI, *before, *came])[1]
    assert told == "`left` is gone, 2 products have more versions or builds."


def test_of_several_tags_a_lost_version_is_counted(tmp_path: Path) -> None:
    old = [Item("p", it, explicit=True) for it in ("1.0", "2.0")]
    other = [Item("other", it, explicit=True) for it in ("1.0", "1.1")]
    for name, items, up in (("old", old, other[:1]), ("new", old[1:], other[1:])):
        for tag, some in (("x", [*items, *up]), ("y", up)):
            write_files(tmp_path, {f"{name}/{tag}/a/spack.lock": to_bytes(lock(some))})
    out = run_cli("-C", tmp_path, "old", "new", "--package-url", "").out
    assert "`p` lost a version, `other` is upgraded" in out


def test_packages_that_lost_builds_of_two_sorts_stand_with_those_of_each(tmp_path: Path) -> None:
    other = Item("other", "2.0")
    both = [it for name in ("fftw", "hdf5") for it in builds(name, MPICH, OPENMPI, other)]
    left = [it for name in ("fftw", "hdf5") for it in builds(name, other)]
    one, two = builds("gptl", MPICH, other), builds("pnetcdf", MPICH, other)
    sides = [MPICH, OPENMPI, other], [OPENMPI, other]
    user = Item("user", explicit=True, needs=(needs(OPENMPI),))
    lines = report(
        tmp_path, [*sides[0], user, *both, *one, *two], [*sides[1], user, *left, one[1], two[1]]
    )
    told = lines.index("**Lost builds**")
    assert lines[told + 1 : told + 3] == [
        "- one each with `mpich` `4.1`: `fftw`, `gptl`, `hdf5`, `pnetcdf`",
        "- one each with `openmpi` `5.0`: `fftw`, `hdf5`",
    ]


def test_of_two_builds_that_look_alike_one_is_left(tmp_path: Path) -> None:
    """A page does not show in which dependencies they differ."""
    for looks, told in (
        ("abb", "app 1.0: 1 of 3 builds gone (another that looks the same is still there)."),
        ("abc", "app 1.0: 1 of 3 builds gone (with look=c)."),
    ):
        for side, letters, some in (("old", "def", looks), ("new", "gh", "ab")):
            records = [
                spec(letter, package="app", variants=f"look={look}")
                for letter, look in zip(letters, some, strict=True)
            ]
            write_files(tmp_path / looks / side, pages_of(records))
        text = run_cli("-C", tmp_path / looks, "old", "new", "-f", "text").out
        assert told in text


def test_a_build_that_other_dependencies_tell_from_one_that_stays_is_missed(tmp_path: Path) -> None:
    def side(version: str, *more: Item) -> list[Item]:
        zlib = Item("zlib", version)
        app = Item("app", explicit=True, needs=(needs(zlib), needs(OPENMPI, "mpi")))
        return [zlib, OPENMPI, app, *(replace(it, needs=(needs(zlib),)) for it in more)]

    serial = Item("app", explicit=True)
    lines = report(tmp_path, side("1.2", serial), side("1.3"))
    assert lines[1].startswith("`app` lost a build.")
    assert "looks the same" not in "".join(lines)


def test_none_is_left_with_an_mpi_only_where_no_other_build_has_it(tmp_path: Path) -> None:
    mpis = [MPICH, OPENMPI, CRAY_MPICH]
    names = ("p", "q", "r")

    def with_all(value: str, some: Sequence[Item]) -> list[Item]:
        every = [it for name in names for it in builds(name, *some)]
        return [replace(it, parameters={"x": value}) for it in every]

    old = [*mpis, *with_all("on", mpis), *with_all("off", mpis)]
    new = [*mpis, *with_all("on", mpis), *with_all("off", mpis[2:])]
    other = [[Item("other", it, explicit=True)] for it in ("1.0", "2.0")]
    more = [it for name in names for it in builds(name, CRAY_MPICH, version="2.0")]
    for stack, one, two in (("a", [*old, *other[0]], [*new, *other[1]]), ("b", old, [*new, *more])):
        for side, items in (("old", one), ("new", two)):
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    text = run_cli("-C", tmp_path, "old", "new", "--package-url", "").out
    assert "3 products (`p`, `q`, `r`) lost builds, `other` is upgraded" in text
    assert "1 with `mpich` `4.1`, 1 with `openmpi` `5.0`" in text
    assert "none with" not in text
    assert "no build" not in text


def test_that_no_build_is_left_is_said_of_those_that_lost_builds_alone(tmp_path: Path) -> None:
    """Others may be as many, and have no build left with an MPI: they went to another one."""
    mkl = Item("mkl", explicit=True)
    lost = [Item(name, explicit=True, needs=(needs(mkl),)) for name in "bc"]
    with_mpi = Item("a", explicit=True, needs=(needs(mkl), needs(MPICH, "mpi")))
    kept = [it for name in "abc" for it in builds(name, OPENMPI)]
    moved = [it for name in "de" for it in builds(name, MPICH, OPENMPI)]
    now = [it for name in "de" for it in builds(name, OPENMPI, version="2.0")]
    old = [mkl, MPICH, OPENMPI, with_mpi, *lost, *kept, *moved]
    lines = report(tmp_path, old, [MPICH, OPENMPI, *kept, *now])
    assert lines[1].startswith("`mkl` is gone, 3 others (`a`, `b`, `c`) lost builds that used it.")
    assert lines[1].endswith(" `a`, `d`, `e` have no build with `mpich` any more.")


def test_what_no_version_has_is_parted_from_what_one_has_not(tmp_path: Path) -> None:
    mkl = Item("mkl", explicit=True)
    lost = [replace(it, needs=(*it.needs, needs(mkl))) for it in builds("a", MPICH, OPENMPI)]
    kept = [it for version in ("1.5", "2.0") for it in builds("a", MPICH, version=version)]
    tools = [mkl, MPICH, OPENMPI, CRAY_MPICH, *builds("a", CRAY_MPICH), *kept]
    lines = report(tmp_path, [*tools, *lost], tools)
    told = "`a` has no build with `openmpi` any more, `a` `1.0` none with `mpich` (other versions"
    assert told in " ".join(lines)


def test_of_several_packages_a_version_stands_with_their_builds(tmp_path: Path) -> None:
    def side(*mpis: Item) -> list[Item]:
        one = [it for name in "pq" for it in builds(name, MPICH, OPENMPI, version="1.0")]
        two = [it for name in "pq" for it in builds(name, *mpis, version="2.0")]
        return [MPICH, OPENMPI, *one, *two]

    lines = report(tmp_path, side(MPICH, OPENMPI), side(OPENMPI))
    told = "`p` and `q` have no build of `2.0` with `mpich` any more (`1.0` has)."
    assert [it for it in lines if told in it] == lines[1:2]
    tools = [Item("hdf5", explicit=True), Item("netcdf", explicit=True)]
    alone = [it for it in side(MPICH, OPENMPI) if it.name != "q"]
    gone = [it for it in alone if not (it.name == "p" and it.version == "2.0")]
    left = [replace(it, version="2.0") for it in builds("p", MPICH)]
    lines = report(tmp_path / "one", [*alone, *tools], [*gone, *left, *tools])
    assert "`p` `2.0` has no build with `openmpi` any more (`1.0` has)." in lines[1]


OPENMPI_5 = Trait("dependency", "openmpi", "5.0.0")
GCC, NVHPC = Trait("compiler", None, "gcc@12"), Trait("compiler", None, "nvhpc@23.7")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            [TraitCount(OPENMPI_5, 1, GCC), TraitCount(OPENMPI_5, 2)],
            "3 with openmpi 5.0.0",
        ),
        (
            [TraitCount(OPENMPI_5, 1, GCC), TraitCount(NVHPC, 2)],
            "2 with nvhpc 23.7, 1 with openmpi 5.0.0 and gcc 12",
        ),
        (
            [TraitCount(NVHPC, 1), TraitCount(Trait("dependency", "nvhpc", "23.7"), 2)],
            "3 with nvhpc 23.7",
        ),
        (
            [TraitCount(OPENMPI_5, 1, version="8.5"), TraitCount(OPENMPI_5, 2, version="8.6")],
            "2 of 8.6 with openmpi 5.0.0, 1 of 8.5 with openmpi 5.0.0",
        ),
    ],
)
def test_builds_with_two_things_are_told_with_those_that_have_one(
    parts: list[TraitCount], words: str
) -> None:
    assert each_in_words(as_told(parts), str) == words
