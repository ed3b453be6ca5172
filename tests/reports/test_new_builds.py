"""What packages got builds with new things, compilers or MPIs."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.documents import Item, needs
from tests.support.environments import write_locks
from tests.support.helpers import run_cli

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
        ["one each with mpich 4.1: a, b, c", "one each with cce 16.0.1: b, c, d"],
    ),
    "with both at once": (
        "abcd",
        [with_mpi(name, "4.1") for name in "abc"]
        + [with_mpi(name, "4.1", CCE) for name in "d"]
        + [with_cce(name) for name in "abc"],
        ["one each with cce 16.0.1: a, b, c, d", "one each with mpich 4.1: a, b, c"],
    ),
    "and with something that no other has": (
        "abcd",
        [with_mpi(name, "4.1") for name in "abc"]
        + [with_cce(name) for name in "abc"]
        + [Item("d", explicit=True, compiler=("llvm", "17.0"))],
        [
            "2 each, one with cce 16.0.1 and one with mpich 4.1: a, b, c",
            "d 1.0: 1 of 2 builds new (with llvm 17.0)",
        ],
    ),
    "and a build that has none of them beside one that has both": (
        "abcd",
        [with_mpi(name, "4.1") for name in "abc"]
        + [with_cce(name) for name in "abc"]
        + [with_mpi("d", "4.1", CCE), with_mpi("d", "4.0", ("llvm", "17.0"))],
        [
            "one each with cce 16.0.1: a, b, c, d",
            "one each with mpich 4.1: a, b, c",
            "one with llvm 17.0: d",
        ],
    ),
    "and a new package": (
        "abc",
        [with_mpi(name, "4.1") for name in "abcd"] + [with_cce(name) for name in "abc"],
        [
            "New: d 1.0",
            "With more builds: 2 each, one with cce 16.0.1 and one with mpich 4.1: a, b, c",
        ],
    ),
}


@pytest.mark.parametrize("name", NEW_BUILDS)
def test_new_builds_are_told_by_what_they_have_with_all_packages_that_got_such(
    tmp_path: Path, name: str
) -> None:
    packages, came, expected = NEW_BUILDS[name]
    old = [with_mpi(package, "4.0") for package in packages]
    left = Item("left", explicit=True)
    sides = write_locks(tmp_path, [*MPI.values(), *old, left], [*MPI.values(), *old, *came])
    lines = [it.strip() for it in run_cli(*sides, "-f", "text").out.splitlines()]
    told = re.compile(r"(?:With more builds|New): |one |2 each|[a-d] ")
    assert [line for line in lines if told.match(line)] == expected


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
        said = "app 1.0: 2 of 3 builds with gcc 12.2.0 in place of cce 16.0.1"
        if more:
            assert " ".join(out.split("\n\n")[1].split()) == f"{said}, {more}."
        else:  # the compiler is not all that both differ in
            assert "of them also" not in out
    # With another version of the same compiler they are the same builds.
    before = [build(it, ("gcc", "11.4.0"), shared=True) for it in (1, 2)]
    after = [build(it, GCC, shared=True) for it in (1, 2)]
    sides = write_locks(tmp_path / "gcc", [*before, stays], [*after, stays])
    said = "app 1.0: 2 of 3 builds with gcc 12.2.0 in place of gcc 11.4.0."
    assert run_cli(*sides, "-f", "text").out.splitlines()[2] == said
