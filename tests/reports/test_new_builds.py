"""What packages got builds with several new things, compilers or MPIs: a table, not lines."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from snapdiff import diff_catalogs, load_catalog, render_report
from snapdiff.reports import ReportOptions
from tests.support.documents import Item, needs
from tests.support.environments import write_locks
from tests.support.helpers import run_cli, run_json

GCC, CCE = ("gcc", "12.2.0"), ("cce", "16.0.1")
MPI = {version: Item("mpich", version, explicit=True) for version in ("4.0", "4.1")}


def with_mpi(name: str, version: str, compiler: tuple[str, str] = GCC) -> Item:
    return Item(name, explicit=True, compiler=compiler, needs=(needs(MPI[version], "mpi"),))


def with_cce(name: str) -> Item:
    return Item(name, explicit=True, compiler=CCE)


NEW_BUILDS = {
    "with one new thing": (
        "abc",
        [with_mpi(name, "4.1") for name in "abc"],
        ["With more builds: one each with mpich 4.1: a, b, c"],
    ),
    "with one of two new things, or both": (
        "abcd",
        [with_mpi(name, "4.1") for name in "abc"] + [with_cce(name) for name in "bcd"],
        [
            "Product   cce 16.0.1   mpich 4.1",
            "a 1.0                  1",
            "b 1.0     1            1",
            "c 1.0     1            1",
            "d 1.0     1",
        ],
    ),
    "with both at once": (
        "abcd",
        [with_mpi(name, "4.1") for name in "abc"]
        + [with_mpi(name, "4.1", CCE) for name in "d"]
        + [with_cce(name) for name in "abc"],
        [
            "Product   cce 16.0.1   mpich 4.1",
            "a 1.0     1            1",
            "b 1.0     1            1",
            "c 1.0     1            1",
            "d 1.0     1            1",
        ],
    ),
    "and with something that no other has": (
        "abcd",
        [with_mpi(name, "4.1") for name in "abc"]
        + [with_cce(name) for name in "abc"]
        + [Item("d", explicit=True, compiler=("llvm", "17.0"))],
        [
            "With more builds: d 1.0: 1 of 2 builds new (with llvm 17.0)",
            "Product   cce 16.0.1   mpich 4.1",
            "a 1.0     1            1",
            "b 1.0     1            1",
            "c 1.0     1            1",
        ],
    ),
    "and a build that has none of them beside one that has both": (
        "abcd",
        [with_mpi(name, "4.1") for name in "abc"]
        + [with_cce(name) for name in "abc"]
        + [with_mpi("d", "4.1", CCE), with_mpi("d", "4.0", ("llvm", "17.0"))],
        [
            "With more builds: d 1.0: 2 of 3 builds new (1 with cce 16.0.1, 1 with llvm 17.0)",
            "Product   cce 16.0.1   mpich 4.1",
            "a 1.0     1            1",
            "b 1.0     1            1",
            "c 1.0     1            1",
            "d 1.0     1            1",
        ],
    ),
    "and a new package": (
        "abc",
        [with_mpi(name, "4.1") for name in "abcd"] + [with_cce(name) for name in "abc"],
        [
            "New: d 1.0",
            "Product   cce 16.0.1   mpich 4.1",
            "a 1.0     1            1",
            "b 1.0     1            1",
            "c 1.0     1            1",
            "d 1.0                  1",
        ],
    ),
}


@pytest.mark.parametrize("name", NEW_BUILDS)
def test_new_builds_are_a_table_where_it_says_all_of_several_packages(
    tmp_path: Path, name: str
) -> None:
    packages, came, expected = NEW_BUILDS[name]
    old = [with_mpi(package, "4.0") for package in packages]
    left = Item("left", explicit=True)
    sides = write_locks(tmp_path, [*MPI.values(), *old, left], [*MPI.values(), *old, *came])
    lines = [it.strip() for it in run_cli(*sides, "-f", "text").out.splitlines()]
    told = re.compile(r"(?:With more builds|New): |Product  |[a-d] ")
    assert [line for line in lines if told.match(line)] == expected


def both_new(names: str, *more: Item) -> tuple[list[Item], list[Item]]:
    """Roots that get a build with a new MPI and one with a new compiler, beside others."""
    old = [with_mpi(name, "4.0") for name in names]
    came = [with_mpi(name, "4.1") for name in names] + [with_cce(name) for name in names]
    return [*MPI.values(), *old], [*MPI.values(), *old, *came, *more]


def test_what_else_happened_to_a_package_has_its_line_beside_the_table(tmp_path: Path) -> None:
    old, new = both_new("abc")

    def shared(value: bool, version: str = "4.0") -> Item:
        return replace(with_mpi("d", version), parameters={"shared": value})

    other = [Item("z", explicit=True, parameters={"shared": value}) for value in (True, False)]
    old, new = [*old, shared(True), other[0]], [*new, shared(False), shared(False, "4.1"), other[1]]
    out = run_cli(*write_locks(tmp_path, old, new), "-f", "text").out
    order = ["With more builds: ", "More builds than before, by ", "Reconfigured: z 1.0: "]
    assert sorted(order, key=out.index) == order
    assert "\nd 1.0     1\n" in out
    assert "\nWith more builds: d 1.0: 1 of 2 builds new" in out
    assert "variant +shared → ~shared\n" in out
    # A root on one side alone is told as that.
    demoted = Item("app", explicit=True, needs=(needs(with_mpi("e", "4.0")),))
    below = [replace(with_mpi("e", it), explicit=False) for it in MPI]
    sides = write_locks(
        tmp_path, [*old, with_mpi("e", "4.0"), replace(demoted)], [*new, *below, demoted]
    )
    assert "now only a dependency" in run_cli(*sides, "-f", "text").out


def test_of_a_product_each_root_is_a_build_in_the_table(tmp_path: Path) -> None:
    old, new = both_new("abcd")
    below = Item("a", needs=(needs(MPI["4.1"], "mpi"),), parameters={"n": 2})
    user = [Item("user", version, explicit=True, needs=(needs(below),)) for version in ("1", "2")]
    sides = write_locks(tmp_path, [*old, replace(user[0], needs=())], [*new, below, user[1]])
    for options in ([], ["--explicit"]):
        out = run_cli(*sides, "-f", "text", *options).out
        assert "Product   cce 16.0.1   mpich 4.1\na 1.0     1            1\n" in out
    [stack] = run_json(*sides)["tags"][0]["stacks"]
    mpich = stack["gained_with"][1]
    assert (mpich["packages"]["a"], mpich["asked_for"]["a"]) == (2, 1)


def test_a_build_counts_in_two_columns_where_it_can_have_both(tmp_path: Path) -> None:
    """It has a compiler and an MPI, and never two MPIs."""
    words, both = "More builds than before, by what they are built with", "counts in both"
    left = Item("left", explicit=True)
    old, new = both_new("abc")
    text = run_cli(*write_locks(tmp_path / "a", [*old, left], new), "-f", "text").out
    assert f"\n{words}; a build with two of these {both}:\n" in text
    old = [*MPI.values(), *(with_mpi(name, "4.0") for name in "abc")]
    openmpi = Item("openmpi", "5.0", explicit=True)
    with_openmpi = (Item(it, explicit=True, needs=(needs(openmpi, "mpi"),)) for it in "abc")
    new = [*old, *(with_mpi(name, "4.1") for name in "abc"), openmpi, *with_openmpi]
    text = run_cli(*write_locks(tmp_path / "b", [*old, left], new), "-f", "text").out
    assert f"\n{words}:\n" in text


def test_a_table_of_new_builds_is_left_out_of_a_report_that_is_too_long(tmp_path: Path) -> None:
    names = [f"package-{number:02}" for number in range(40)]
    old = [with_mpi(name, "4.0") for name in names]
    came = [with_mpi(name, "4.1") for name in names] + [with_cce(name) for name in names]
    sides = write_locks(tmp_path, [*MPI.values(), *old], [*MPI.values(), *old, *came])
    diff = diff_catalogs(*(load_catalog(str(side)) for side in sides))
    full = render_report(diff, "markdown", ReportOptions(package_url=""))
    assert full.count("| `package-") == 40
    short = render_report(diff, "markdown", ReportOptions(package_url="", max_length=800))
    assert len(short) <= 800
    assert "left out: what packages have more builds with" in short
    assert "| `package-" not in short
    assert "40 products have more builds" in short


def test_what_went_to_something_new_is_no_row_of_new_builds(tmp_path: Path) -> None:
    """Two builds of `d` have the new MPI, and but one of them is new: its line says which."""
    old, new = both_new("abc")
    moved = [with_mpi("d", "4.1"), with_mpi("d", "4.1", CCE)]
    sides = write_locks(tmp_path, [*old, with_mpi("d", "4.0")], [*new, *moved])
    lines = [it.strip() for it in run_cli(*sides, "-f", "text").out.splitlines()]
    assert [line for line in lines if re.match(r"With more builds: |d |Product  ", line)] == [
        "With more builds: d 1.0: 1 of 2 builds new (with cce 16.0.1)",
        "Product   cce 16.0.1   mpich 4.1",
    ]


@pytest.mark.parametrize(
    ("came", "which"),
    [
        (["4.0", "4.0", "4.1"], "2 with mpich 4.0, 1 with mpich 4.1"),
        (["4.1", None], "1 with mpich 4.1, 1 with ~mpi"),
        ([None], "with ~mpi"),
        (["4.0", "4.1", ""], ""),  # of one nobody knows it
    ],
)
def test_of_new_builds_that_nothing_tells_the_mpi_is_told(
    tmp_path: Path, came: list[str | None], which: str
) -> None:
    """Others have each of them: it tells none from these, and whoever looks for a build asks it."""

    def build(version: str, number: int, mpi: str | None) -> Item:
        parameters = {"number": str(number), **({"mpi": False} if mpi is None else {})}
        if not mpi:
            return Item("app", version, explicit=True, parameters=parameters)
        return replace(with_mpi("app", mpi), version=version, parameters=parameters)

    numbers = range(len(came) + 1)
    old = [build("1.0", number, mpi) for number in numbers for mpi in (*MPI, None, "")]
    new = [build("1.1", number, mpi) for number, mpi in enumerate(came)]
    kept = build("1.1", 9, "4.0"), build("1.1", 8, None)
    sides = write_locks(tmp_path, [*MPI.values(), *old, *kept], [*MPI.values(), *old, *kept, *new])
    [line] = [it for it in run_cli(*sides, "-f", "text").out.splitlines() if it.startswith("app")]
    notes = ", ".join(filter(None, ["1.1", which]))
    assert line == f"app: {len(came)} of {len(old) + 2 + len(came)} builds new ({notes})."


def test_a_product_that_has_a_column_of_new_builds_keeps_its_line(tmp_path: Path) -> None:
    old, new = both_new("abcd")
    with_cce_too = replace(MPI["4.1"], compiler=CCE)
    sides = write_locks(tmp_path, old, [*new, with_cce_too])
    out = run_cli(*sides, "-f", "text").out
    assert "Product   cce 16.0.1   mpich 4.1\n" in out
    assert "\nWith more builds: mpich: 1 of 3 builds new (4.1, with cce 16.0.1)\n" in out


def test_the_mpi_of_new_roots_is_not_that_of_dependencies(tmp_path: Path) -> None:
    """A root lost its MPI, and the dependency that came has one: neither is told by the other."""

    def build(option: str, mpi: str) -> Item:
        return replace(with_mpi("p", mpi), parameters={"x": option})

    below = replace(build("d", "4.1"), explicit=False)
    app = Item("app", explicit=True, needs=(needs(below),))
    root = Item("p", explicit=True, parameters={"x": "c", "mpi": False})
    sides = write_locks(
        tmp_path, [*MPI.values(), build("d", "4.0")], [*MPI.values(), root, below, app]
    )
    out = run_cli(*sides, "-f", "text").out
    assert "\n  p 1.0: 1 build new\n" in out
    assert "with ~mpi" not in out


def test_what_all_reconfigured_builds_differ_in_is_told_of_them(tmp_path: Path) -> None:
    """One of them differs in a variant besides, or each in another way."""

    def build(number: int, compiler: tuple[str, str], **parameters: bool) -> Item:
        item = Item("app", explicit=True, compiler=compiler)
        return replace(item, parameters={"number": str(number), **parameters})

    stays = build(9, GCC, shared=True)
    old = [build(1, CCE, shared=True), build(2, CCE, shared=True), stays]
    for shared, target, more in (
        (True, "x86_64_v3", "1 of them also variant +shared → ~shared"),
        (True, "zen4", "and more"),
        (False, "x86_64_v3", ""),
    ):
        new = [build(1, GCC, shared=shared), build(2, GCC, shared=False), stays]
        new[0] = replace(new[0], target=target)
        out = run_cli(*write_locks(tmp_path / more[:3], old, new), "-f", "text").out
        said = "app 1.0: 2 of 3 builds new (with gcc 12.2.0)"
        if more:
            told = " ".join(out.split("\n\n")[1].split())
            assert told == f"{said}, {more}, 2 with cce 16.0.1 gone."
        else:  # the compiler is not all that both differ in
            assert "of them also" not in out
    # With another version of the same compiler they are the same builds.
    before = [build(it, ("gcc", "11.4.0"), shared=True) for it in (1, 2)]
    after = [build(it, GCC, shared=True) for it in (1, 2)]
    sides = write_locks(tmp_path / "gcc", [*before, stays], [*after, stays])
    said = "app 1.0: 2 of 3 builds with gcc 12.2.0 in place of gcc 11.4.0."
    assert run_cli(*sides, "-f", "text").out.splitlines()[2] == said


def test_builds_with_another_compiler_are_counted_with_those_that_are_new(tmp_path: Path) -> None:
    """One line says how many are new and how many gone, not twice how many are new."""

    def build(number: int, compiler: tuple[str, str], mpi: bool = False) -> Item:
        parameters = {"number": str(number), "mpi": mpi}
        return Item("app", explicit=True, compiler=compiler, parameters=parameters)

    old = [build(1, CCE), build(2, CCE), build(3, GCC)]
    new = [build(1, GCC), build(2, GCC), build(3, GCC), build(4, GCC, mpi=True)]
    out = run_cli(*write_locks(tmp_path, old, new), "-f", "text").out
    assert " ".join(out.split("\n\n")[1].split()) == (
        "app 1.0: 3 of 4 builds new (2 with gcc 12.2.0, 1 with +mpi), "
        "2 of 3 builds gone (with cce 16.0.1)."
    )
    out = run_cli(*write_locks(tmp_path, new, old), "-f", "text").out
    assert " ".join(out.split("\n\n")[1].split()) == (
        "app 1.0: 3 of 4 builds gone (2 with gcc 12.2.0, 1 with +mpi), "
        "2 of 3 builds new (with cce 16.0.1)."
    )
