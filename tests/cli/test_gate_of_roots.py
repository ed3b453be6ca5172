"""A gate finds the kinds of a package that the JSON report has, also where its roots changed."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from snapdiff.result.packages import Kind
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import write_locks
from tests.support.helpers import run_cli, run_json, write_files
from tests.support.real_catalogs import E4S, needs_real_catalogs

Builds = Sequence[tuple[str, str, bool]]
"""Builds of one package: the variant x, the recipe, and whether it is asked for."""


def items(builds: Builds) -> list[Item]:
    """These builds, each with a root above it."""
    own = [
        Item("q", parameters={"x": x}, recipe=recipe, explicit=is_root)
        for x, recipe, is_root in builds
    ]
    return [*own, *(Item(f"top{n}", explicit=True, needs=(needs(it),)) for n, it in enumerate(own))]


CASES: dict[str, tuple[Builds, Builds, str]] = {
    "rebuilt": ([("1", "a", True)], [("1", "b", False)], "q is now only a dependency. top0"),
    "the other way round": (
        [("1", "a", False)],
        [("1", "b", True)],
        "q is now a root spec. top0",
    ),
    "an equal build more": (
        [("1", "a", False)],
        [("1", "a", False), ("1", "b", True)],
        "Now a root spec: q 1.0: 1 more equal build",
    ),
    "an equal build fewer": (
        [("1", "a", False), ("1", "b", True)],
        [("1", "a", False)],
        "Now only a dependency: q 1.0: 1 equal build fewer",
    ),
    "and the other one reconfigured": (
        [("1", "a", False), ("1", "b", True)],
        [("2", "a", False)],
        "Reconfigured: q 1.0: 1 equal build fewer, 1.0 reconfigured: variant x=1 → x=2, now only a",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_gate_finds_the_kind_of_a_package_that_is_a_root_on_one_side(
    tmp_path: Path, case: str
) -> None:
    old, new, line = CASES[case]
    sides = write_locks(tmp_path, items(old), items(new))
    [stack] = run_json(*sides)["tags"][0]["stacks"]
    [change] = [it for it in stack["package_changes"] if it["package"] == "q"]
    kinds = {change["kind"], *(["removed"] if change["specs"]["removed"] else [])}
    gate = (*sides, "-p", "q", "-q", "-o", "/dev/null", "--fail-on")
    assert {it.value for it in Kind if run_cli(*gate, it).status == 1} == kinds
    assert line in " ".join(run_cli(*sides, "-f", "text").out.split())


@needs_real_catalogs
def test_a_gate_that_finds_an_equal_build_beside_a_step_says_that_it_is_gone() -> None:
    sides = [it / "cuda-x86_64" for it in E4S]
    done = run_cli(*sides, "-q", "-o", "/dev/null", "--fail-on", "removed")
    lines = {line.split()[2]: line for line in done.err.splitlines()}
    step = "hdf5 1.14.2 → 1.14.3, still has 1.12.2, 1.10.7 and 1.8.23"
    assert lines["hdf5"].startswith(f"snapdiff: removed: {step}, and builds gone in ")
    assert lines["py-ipython"].startswith(
        "snapdiff: removed: py-ipython 7.31.1 gone, still has 8.14.0 and 8.11.0 in "
    )


def test_what_nobody_asks_for_any_more_is_one_line_and_gates_tell_it_apart(tmp_path: Path) -> None:
    """One of two packages has another hash as well."""
    roots = [Item(name, explicit=True) for name in ("same", "other")]
    left = [Item("same"), Item("other", recipe="b")]
    app = Item("app", explicit=True)
    old, new = ([*below, replace(app, needs=tuple(map(needs, below)))] for below in (roots, left))
    sides = write_locks(tmp_path, old, new)
    assert "other, same are now only dependencies" in run_cli(*sides, "-f", "text").out
    done = run_cli(*sides, "-p", "!app", "-q", "-o", "/dev/null", "--fail-on", "rebuilt")
    assert done.err.startswith("snapdiff: rebuilt: other 1.0 in ")
    assert "same" not in done.err


def test_a_gate_counts_the_builds_that_the_report_counts(tmp_path: Path) -> None:
    """Of a product its roots, of which one was lost, and not the dependency of its name."""
    roots = [("1", "a", True), ("2", "a", True), ("3", "a", True)]
    sides = write_locks(
        tmp_path, items([*roots, ("4", "a", False)]), items([*roots[:2], ("4", "b", False)])
    )
    gate = run_cli(*sides, "-p", "q", "--fail-on", "removed,added,rebuilt", "-f", "text")
    said = "1.0: 1 of 3 builds gone (with x=3)"
    assert f"q {said}" in gate.out
    assert gate.err.startswith(f"snapdiff: removed: q {said} in ")


def test_a_gate_finds_no_kind_that_only_a_part_of_a_package_has(tmp_path: Path) -> None:
    """A package whose root rose, and whose other build fell, was upgraded."""

    def environment(root: str, other: str) -> list[Item]:
        below = Item("q", other)
        return [Item("q", root, explicit=True), below, Item("app", needs=(needs(below),))]

    sides = write_locks(tmp_path, environment("1.9", "1.8"), environment("2.1", "1.7"))
    gate = (*sides, "-p", "q", "-q", "-o", "/dev/null", "--fail-on")
    assert run_cli(*gate, "downgraded").status == 0
    said = run_cli(*gate, "downgraded,upgraded").err
    assert said.startswith("snapdiff: upgraded: q 1.9 → 2.1 in ")
    assert said.count("\n") == 1


def test_what_went_as_a_whole_is_called_what_it_is(tmp_path: Path) -> None:
    """Two environments changed, one of them in a dependency alone, and one went, as did a tag."""

    def environment(root: str, below: str, *more: str) -> bytes:
        lib = Item("curl", below)
        roots = [Item(name, explicit=True) for name in more]
        return to_bytes(lock([lib, *roots, Item("app", root, explicit=True, needs=(needs(lib),))]))

    one = environment("1.0", "1.1", "tool")
    old = {"v/a": one, "v/b": one, "v/c": one, "w/a": one, "w/b": one}
    new = {"v/a": environment("2.0", "1.1"), "v/b": environment("1.0", "1.2", "tool")}
    for side, found in (("old", old), ("new", new)):
        write_files(tmp_path, {f"{side}/{it}/spack.lock": text for it, text in found.items()})
    done = run_cli("-C", tmp_path, "old", "new", "--fail-on", "removed", "-f", "text")
    removed = "snapdiff: removed: tag w\nsnapdiff: removed: environment c in v\n"
    assert done.err.startswith(removed)
    assert "\nTag w removed: 3 packages in 2 environments, 6 builds\n" in done.out
    assert " Environment c removed, 2 other environments changed; 1 tag removed." in " ".join(
        done.out.split()
    )
    assert "stack" not in done.out


def test_the_only_environment_that_is_empty_now_is_removed(tmp_path: Path) -> None:
    write_locks(tmp_path, [Item("app", explicit=True)], [])
    result = run_cli("-C", tmp_path, "old.lock", "new.lock", "--fail-on", "removed")
    assert (result.status, result.err) == (1, "snapdiff: removed: the only environment\n")
