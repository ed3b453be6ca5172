"""Pairs that are two builds of a package with several compilers: people read one as gone."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from snapdiff import diff_catalogs, load_catalog
from snapdiff.reports.moves.two_builds import with_builds_apart
from snapdiff.result.packages import Kind
from tests.reports.test_news import diff_of
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import write_locks
from tests.support.generated import Catalogs, catalogs
from tests.support.helpers import run_cli, run_json, write_files

GCC, CCE = ("gcc", "12.2.0"), ("cce", "16.0.1")
MPI = {version: Item("mpich", version, explicit=True) for version in ("4.0", "4.1")}


def app(compiler: tuple[str, str], mpi: str, *options: str) -> Item:
    return Item(
        "app",
        explicit=True,
        compiler=compiler,
        parameters=dict.fromkeys(options, True),
        needs=(needs(MPI[mpi], "mpi"),),
    )


STAYS = app(GCC, "4.0")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        # Another build has its variants: nothing but the compiler and MPI tells the two.
        (
            [app(CCE, "4.0"), STAYS],
            [app(GCC, "4.1"), STAYS],
            "app 1.0: 1 of 2 builds gone (with cce 16.0.1), 1 new (with mpich 4.1).",
        ),
        # One is new that had no partner, and one that had.
        (
            [app(CCE, "4.0"), STAYS],
            [app(GCC, "4.1"), app(GCC, "4.1", "x"), STAYS],
            "app 1.0: 1 of 2 builds gone (with cce 16.0.1), 2 new (with mpich 4.1).",
        ),
        # It is the build with its variants, with another compiler now.
        (
            [app(CCE, "4.0", "x"), STAYS],
            [app(GCC, "4.0", "x"), STAYS],
            "app 1.0: 1 of 2 builds with gcc 12.2.0 in place of cce 16.0.1.",
        ),
        # All moved.
        (
            [app(CCE, "4.0"), app(CCE, "4.1")],
            [app(GCC, "4.0"), app(GCC, "4.1")],
            "app 1.0 is reconfigured: compiler cce@16.0.1 → gcc@12.2.0.",
        ),
        # It moved, and has another build with the same compiler now.
        (
            [app(CCE, "4.0")],
            [app(GCC, "4.0"), app(GCC, "4.1")],
            (
                "app: 1 of 2 builds new (with mpich 4.1), 1 build of 1.0 with gcc 12.2.0 in "
                "place of cce 16.0.1."
            ),
        ),
    ],
)
def test_a_build_is_gone_and_one_is_new_where_only_compilers_tell_them(
    tmp_path: Path, old: list[Item], new: list[Item], told: str
) -> None:
    sides = write_locks(tmp_path, [*MPI.values(), *old], [*MPI.values(), *new])
    text = run_cli(*sides, "-f", "text").out
    assert " ".join(text.split("\n\n")[1].split()) == told
    # The JSON report, and a gate, have the pairs of section 6.
    [stack] = run_json(*sides)["tags"][0]["stacks"]
    pairs = [it for it in stack["changes"] if it["kind"] == "reconfigured"]
    both = {"lost": True, "gained": True} if " gone " in told else None
    assert all(it.get("two_builds") == both for it in pairs)
    assert stack["summary"]["removed"] == 0
    assert run_cli(*sides, "--fail-on", "removed").status == 0


MPIS = [
    Item(name, version, explicit=True)
    for name, version in (
        ("mpich", "4.0"),
        ("mpich", "4.1"),
        ("mvapich", "3.0"),
        ("openmpi", "5.0"),
    )
]
MPICH, NEWER, MVAPICH, OPENMPI = (
    [Item("app", explicit=True, compiler=it, needs=(needs(mpi, "mpi"),)) for it in (GCC, CCE)]
    for mpi in MPIS
)


LIBRARIES = [Item(name) for name in ("xa", "xb", "ya", "yb")]


def on(libraries: str = "", mpi: str = "") -> Item:
    """A build that links both libraries of a letter, and an MPI."""
    below = [needs(next(it for it in MPIS if it.name == mpi), "mpi")] if mpi else []
    linked = (needs(it) for it in LIBRARIES if libraries and it.name[0] == libraries)
    return Item("app", explicit=True, compiler=GCC, needs=(*below, *linked))


@pytest.mark.parametrize(
    ("old", "new", "told", "gone", "rebuilt"),
    [
        # Another build has another MPI: no MPI took the place of another one.
        (
            [MVAPICH[0], MPICH[0]],
            [OPENMPI[0], MPICH[0]],
            "1 of 2 builds gone (with mvapich 3.0), 1 new (with openmpi 5.0)",
            1,
            0,
        ),
        # Also where that one has a newer one now.
        (
            [MVAPICH[0], MPICH[0]],
            [OPENMPI[0], NEWER[0]],
            "1 of 2 builds gone (with mvapich 3.0), 1 new (with openmpi 5.0)",
            1,
            1,
        ),
        # All moved.
        ([MVAPICH[0]], [OPENMPI[0]], "", 0, 1),
        (MVAPICH, OPENMPI, "", 0, 2),
        # The one with another compiler says nothing of this one.
        ([MVAPICH[0], MPICH[1]], [OPENMPI[0], MPICH[1]], "", 0, 1),
        # It is the same MPI.
        ([MPICH[0], OPENMPI[0]], [NEWER[0], OPENMPI[0]], "", 0, 1),
        # Nor does one without any.
        ([MVAPICH[0], on()], [OPENMPI[0], replace(on(), recipe="new=====")], "", 0, 2),
        ([MVAPICH[0], on()], [OPENMPI[0], on()], "", 0, 1),
    ],
)
def test_a_build_is_gone_and_one_is_new_where_only_their_mpis_tell_them(
    tmp_path: Path, old: list[Item], new: list[Item], told: str, gone: int, rebuilt: int
) -> None:
    sides = write_locks(tmp_path, *([*MPIS, *LIBRARIES, *some] for some in (old, new)))
    text = " ".join(run_cli(*sides, "-f", "text", "-p", "app").out.split())
    assert (f" app 1.0: {told}" in text) is bool(told)
    assert (" gone " in text) is bool(told)
    # The JSON report has the pairs of section 6, beside what is said of them.
    [tag] = diff_catalogs(*(load_catalog(it) for it in sides)).tags
    [stack] = tag.stacks
    assert stack.summary.rebuilt == gone + rebuilt
    # Why the others have another hash does not count them.
    [tag] = with_builds_apart(diff_catalogs(*(load_catalog(it) for it in sides))).tags
    apart = tag.stacks[0]
    assert (apart.summary.removed, apart.summary.added, apart.summary.rebuilt) == (
        gone,
        gone,
        rebuilt,
    )
    assert sum(cause.specs for cause in apart.causes) == rebuilt
    assert all(cause.reach <= rebuilt for cause in apart.causes)
    why = run_cli("why", "app", *sides).out
    assert why.count("with another hash (reports say: one build gone, one new): ") == gone
    # Of some kinds alone the pairs are reported.
    assert "rebuilt" not in run_cli(*sides, "-k", "removed", "-f", "csv").out
    rows = run_cli(*sides, "-k", "rebuilt", "-f", "csv").out
    assert rows.count(",rebuilt,app,") == gone + rebuilt


@pytest.mark.parametrize("kept", [[], [MPICH[0]]])
@pytest.mark.parametrize(("left", "told"), [("openmpi", ""), ("mvapich", "gone")])
def test_builds_that_are_paired_crosswise_are_those_with_their_mpi(
    tmp_path: Path, kept: list[Item], left: str, told: str
) -> None:
    """By their libraries one with mpich became one with openmpi, and another one with mpich."""
    old = [*kept, on("x", "mpich"), on("y", left)]
    new = [*kept, on("x", "openmpi"), on("y", "mpich")]
    sides = write_locks(tmp_path, *([*MPIS, *LIBRARIES, *some] for some in (old, new)))
    [stack] = run_json(*sides)["tags"][0]["stacks"]
    lost = {"lost": False, "gained": bool(told)}, {"lost": bool(told), "gained": False}
    pairs = [change["two_builds"] for change in stack["changes"]]
    assert sorted(pairs, key=str) == sorted(lost, key=str), "no pair is one gone and one new"
    text = " ".join(run_cli(*sides, "-f", "text").out.split())
    builds = 2 + len(kept)
    gone = f"1 of {builds} builds gone (with mvapich 3.0), 1 new (with openmpi 5.0)"
    assert (f"app 1.0: {gone}." in text) is bool(told)
    assert ("app 1.0 has another hash." in text) is not bool(told)
    assert f"With another hash: {'1 build' if told else '2 builds'} of " in text
    assert "reports say" not in run_cli("why", "app", *sides).out
    # Where some reasons are asked for, the pairs are reported.
    for name in ("xa", "mpich", "openmpi", "mvapich"):
        for form in ("text", "markdown", "comment", "html", "json", "csv"):
            done = run_cli(*sides, "--because", name, "-f", form)
            assert done.status == 0 or "matches no package that differs" in done.err


def test_what_a_build_reaches_that_is_gone_explains_no_hash_of_another(tmp_path: Path) -> None:
    """Eight apps moved to another MPI, and linked what explains one hash alone."""
    sides = []
    for mpi, version in (("mvapich", "1.2"), ("openmpi", "1.3")):
        zlib = Item("zlib", version)
        low = Item("low", explicit=True, needs=(needs(zlib),))
        moved = [
            replace(
                on(mpi=it),
                name=f"app{n}",
                needs=(*on(mpi=it).needs, needs(low)) if it == mpi else on(mpi=it).needs,
            )
            for n in range(8)
            for it in (mpi, "mpich")
        ]
        tools = [
            Item(f"tool{n}", explicit=True, needs=(needs(Item("lib", version)),)) for n in range(6)
        ]
        sides.append([*MPIS, zlib, low, *moved, Item("lib", version), *tools])
    text = run_cli(*write_locks(tmp_path, *sides), "-f", "text").out
    assert "8 products lost builds with mvapich 3.0" in text
    assert "With another hash: 7 builds, because of lib 1.2 → 1.3 (6); zlib 1.2 → 1.3 (1)\n" in text


def test_one_that_is_lost_with_its_mpi_is_not_like_one_with_another(tmp_path: Path) -> None:
    old, new = ([*MPIS, Item("up", it, explicit=True)] for it in ("1.0", "1.1"))
    sides = [*old, MVAPICH[0], MPICH[0]], [*new, OPENMPI[0], NEWER[0]]
    text = run_cli(*write_locks(tmp_path, *sides), "-f", "text").out
    assert "\n\napp lost a build with mvapich 3.0 (none left), up is upgraded" in text


def test_none_is_left_in_an_environment_that_is_a_folder_of_its_own_too(tmp_path: Path) -> None:
    for side, some in (("old", MVAPICH), ("new", OPENMPI)):
        up = Item("up", "1.0" if side == "old" else "1.1", explicit=True)
        items = [*MPIS, up, MPICH[0], *some[:1]]
        write_files(tmp_path, {f"{side}/spack.lock": to_bytes(lock(items))})
    text = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert "app lost a build with mvapich 3.0 (none left), up is upgraded" in text


def test_of_a_new_build_no_compiler_is_told_that_one_had_that_is_gone(tmp_path: Path) -> None:
    """Neither MPI tells it: roots have it, too."""
    below = [replace(it, explicit=False) for it in (MPICH[0], MVAPICH[0], OPENMPI[0])]
    users = [Item(f"user{n}", explicit=True, needs=(needs(it),)) for n, it in enumerate(below)]
    old = [*MPIS, below[0], below[1], users[0], users[1], MPICH[1]]
    new = [
        *MPIS,
        below[0],
        below[2],
        users[0],
        replace(users[2], name="user1"),
        MPICH[1],
        OPENMPI[1],
    ]
    text = run_cli(*write_locks(tmp_path, old, new), "-f", "text").out
    assert "1 of 2 builds gone (with mvapich 3.0), 1 new\n" in text


def test_the_same_is_told_with_every_spec_and_as_a_page(tmp_path: Path) -> None:
    old, new = [app(CCE, "4.0"), STAYS], [app(GCC, "4.1"), STAYS]
    sides = write_locks(tmp_path, [*MPI.values(), *old], [*MPI.values(), *new])
    assert "every spec: 1 gone, 1 new" in run_cli(*sides, "--detail").out
    html = run_cli(*sides, "-f", "html").out
    assert "1 of 2 builds gone (with cce 16.0.1), 1 new (with mpich 4.1)" in html


def twins(compiler: tuple[str, str], mpi: str) -> list[Item]:
    """Builds that are equal but for their recipe: nothing that they use differs."""
    return [replace(app(compiler, mpi), recipe=recipe) for recipe in ("one=====", "two=====")]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            [app(CCE, "4.0"), app(CCE, "4.1"), STAYS],
            [*twins(GCC, "4.1"), STAYS],
            "app 1.0: 2 of 3 builds gone (with cce 16.0.1), 1 new (with gcc 12.2.0)",
        ),
        (
            [*twins(CCE, "4.0"), STAYS],
            [app(GCC, "4.1"), app(GCC, "4.1", "x"), STAYS],
            "app 1.0: 1 of 2 builds gone, 2 new (with mpich 4.1)",
        ),
        # Nothing is lost: an equal build is there still.
        (
            [*twins(CCE, "4.0"), STAYS],
            [twins(CCE, "4.0")[0], app(GCC, "4.1"), STAYS],
            "app 1.0: 1 of 3 builds new (with mpich 4.1)",
        ),
        # Nor is anything new.
        (
            [app(CCE, "4.0"), twins(GCC, "4.0")[0]],
            twins(GCC, "4.0"),
            "app 1.0: 1 of 2 builds gone (with cce 16.0.1)",
        ),
    ],
)
def test_dependencies_that_are_equal_count_once(
    tmp_path: Path, old: list[Item], new: list[Item], told: str
) -> None:
    sides = []
    for builds in (old, new):
        below = [replace(it, explicit=False) for it in builds]
        users = [Item(f"user{n}", explicit=True, needs=(needs(it),)) for n, it in enumerate(below)]
        sides.append([*MPI.values(), *below, *users])
    text = " ".join(run_cli(*write_locks(tmp_path, *sides), "-f", "text").out.split())
    assert f" {told}. " in text


def test_a_build_that_is_gone_beside_a_version_that_came_is_lost(tmp_path: Path) -> None:
    """Whatever is new: no other build has that MPI."""
    mpis = [Item(name, explicit=True) for name in ("mpich", "mvapich")]
    one, other = (
        Item("app", explicit=True, compiler=GCC, needs=(needs(mpi, "mpi"),)) for mpi in mpis
    )
    new = [one, replace(one, compiler=CCE), replace(one, version="1.1", parameters={"x": True})]
    other_lib = [Item("lib", it, explicit=True) for it in ("1.0", "1.1")]
    sides = write_locks(tmp_path, [*mpis, one, other, other_lib[0]], [*mpis, *new, other_lib[1]])
    text = run_cli(*sides, "-f", "text").out
    assert text.split("\n\n")[1].startswith(
        "app lost a build with mvapich 1.0 (none left), lib is "
    )


@given(catalogs())
def test_the_numbers_of_builds_still_add_up(pair: Catalogs) -> None:
    """Section 6: what is old is unchanged, removed or in a pair, and what is new likewise."""
    diff = diff_of(*pair)
    apart = with_builds_apart(diff)
    tags = zip(diff.tags, apart.tags, strict=True)
    for before, after in (it for it in tags if it[0].status == "changed"):
        for old, new in zip(before.stacks, after.stacks, strict=True):
            counts = {kind: sum(it.kind is kind for it in new.changes) for kind in Kind}
            assert all(new.summary.count(kind) == number for kind, number in counts.items())
            moved = sum(bool(it.two_builds) for it in old.changes)
            assert new.summary.removed == old.summary.removed + moved
            assert new.summary.added == old.summary.added + moved
            specs = [sum(it.specs.count(kind) for it in new.package_changes) for kind in Kind]
            assert specs == [new.summary.count(kind) for kind in Kind]
