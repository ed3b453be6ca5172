"""What happened to a product where it is only a dependency: told with it, and nothing twice."""

from pathlib import Path

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import run_cli, write_files

Side = dict[str, list[Item]]


def report(tmp_path: Path, old: Side, new: Side, *options: str) -> list[str]:
    """The lines of a report in text about environments of these names."""
    for side, stacks in (("old", old), ("new", new)):
        locks = {f"{side}/{name}/spack.lock": lock(items) for name, items in stacks.items()}
        write_files(tmp_path, {path: to_bytes(it) for path, it in locks.items()})
    return run_cli("-C", tmp_path, "old", "new", "-f", "text", *options).out.splitlines()


def root(name: str, *versions: str) -> list[Item]:
    return [Item(name, version, explicit=True) for version in versions]


def below(name: str, *versions: str, user: str = "app") -> list[Item]:
    items = [Item(name, version) for version in versions]
    return [*items, Item(user, explicit=True, needs=tuple(map(needs, items)))]


UP = root("up", "1.0"), root("up", "1.1")


@pytest.mark.parametrize(
    ("of_user", "told", "others"),
    [
        ((["1.0"], ["2.0"]), "lib 1.0 → 2.0 in a; as a dependency in b, too", []),
        ((["1.5"], ["2.0"]), "lib 1.0 → 2.0 in a; 1.5 → 2.0, as a dependency, in b", []),
        ((["1.0"], []), "lib 1.0 → 2.0 (a)", ["lib 1.0 from b"]),
        (([], ["2.0"]), "lib 1.0 → 2.0 (a)", ["lib 2.0 in b"]),
        ((["1.0", "2.0"], ["2.0"]), "lib 1.0 → 2.0 (a)", ["lib 1.0 gone, still has 2.0 (b)"]),
    ],
)
def test_news_of_a_dependency_is_a_line_of_its_own_and_the_rest_is_told_with_the_product(
    tmp_path: Path, of_user: tuple[list[str], list[str]], told: str, others: list[str]
) -> None:
    old, new = (
        {"a": [*root("lib", version), *up], "b": below("lib", *versions)}
        for version, versions, up in zip(("1.0", "2.0"), of_user, UP, strict=True)
    )
    lines = report(tmp_path, old, new)
    assert f"Upgraded to another major version: {told}" in lines
    heading = next((n for n, it in enumerate(lines) if it.startswith("Dependencies")), len(lines))
    below_it = [it.strip() for it in lines[heading + 1 :] if " lib" in it]
    assert [it for it in below_it if it.startswith(tuple(others))] == below_it
    assert len(below_it) == len(others)


def test_as_a_dependency_too_is_said_of_the_step_before_it_alone(tmp_path: Path) -> None:
    old = {
        "a": root("x", "1.0", "2.0"),
        "b": root("x", "1.0"),
        "c": below("x", "1.0", "2.0"),
        "d": below("x", "1.0"),
    }
    new = {
        "a": root("x", "1.0", "3.0"),
        "b": root("x", "2.0"),
        "c": below("x", "1.0", "3.0"),
        "d": below("x", "2.0"),
    }
    for side, up in zip((old, new), UP, strict=True):
        side["a"] = [*side["a"], *up]
    text = " ".join(" ".join(report(tmp_path, old, new)).split())
    of_roots = "x 2.0 → 3.0, still has 1.0 in a; 1.0 → 2.0 in b"
    of_others = "2.0 → 3.0, still has 1.0, as a dependency, in c; 1.0 → 2.0, as a dependency, in d"
    assert f"version: {of_roots}; {of_others} Upgraded: up" in text


def test_where_more_happened_to_a_product_a_name_is_not_enough(tmp_path: Path) -> None:
    names = [f"lib{number:02}" for number in range(12)]

    def side(version: str, *, mpi: bool) -> Side:
        roots = [Item(name, "1.0", explicit=True, parameters={name: mpi}) for name in names]
        items = [Item(name, version) for name in names]
        user = Item("app", explicit=True, needs=tuple(map(needs, items)))
        return {"a": roots, "b": [*items, user]}

    lines = report(tmp_path, side("1.0", mpi=False), side("2.0", mpi=True))
    told = [it for it in lines if it.startswith("  lib")]
    assert len(told) == 12
    assert all("; 1.0 → 2.0, as a dependency, in b" in it for it in told)


def test_a_place_in_the_first_sentence_is_one_of_products(tmp_path: Path) -> None:
    old = {"a": [*root("r", "1.0"), *UP[0]], "b": below("r", "1.0"), "c": root("r", "1.0")}
    new = {"a": UP[1], "b": root("app", "1.0"), "c": root("r", "1.0")}
    lines = report(tmp_path, old, new)
    assert lines[2].startswith("r is gone from a, up is upgraded")


def test_the_toolchain_is_no_block_where_a_line_says_all_of_it(tmp_path: Path) -> None:
    """The product is a dependency elsewhere, where the same happened to it."""
    more = [root(f"p{n}", version) for n in range(5) for version in ("1.0",)]
    others = [item for some in more for item in some]
    old = {"a": [*root("openmpi", "4.1"), *others], "b": below("openmpi", "4.1")}
    changed = [Item(it.name, "1.1", explicit=True) for it in others]
    new = {"a": [*root("openmpi", "4.2"), *changed], "b": below("openmpi", "4.2")}
    lines = report(tmp_path, old, new)
    assert not [it for it in lines if it.startswith("Toolchain")]
    assert "  openmpi 4.1 → 4.2 in a; as a dependency in b, too" in lines


def test_another_hash_of_a_dependency_is_no_news_of_a_product_that_changed(
    tmp_path: Path,
) -> None:
    sides: list[Side] = []
    for version, of_root in (("1.0", "2.0"), ("1.1", "2.1")):
        lib = Item("zlib", version)
        tool = Item("tool", "2.0", needs=(needs(lib),))
        user = Item("app", explicit=True, needs=(needs(tool),))
        beside = [lib, tool, user]
        sides.append(
            {"a": root("tool", of_root), "b": [*beside, *root("tool", "3.0")], "c": beside}
        )
    old, new = sides
    lines = report(tmp_path, old, new)
    hashes = "2 builds in all but a, because of zlib 1.0 → 1.1: app; of dependencies, tool"
    assert [it for it in lines if "tool" in it] == [
        "tool is upgraded to 2.1. app has another hash and no other change.",
        "Upgraded: tool 2.0 → 2.1 (a)",
        f"With another hash: {hashes}",
    ]


def test_a_build_that_a_dependency_lost_is_told_among_dependencies(tmp_path: Path) -> None:
    def side(version: str, *numbers: str) -> Side:
        items = [Item("lib", version, parameters={"n": it}) for it in numbers]
        user = Item("app", explicit=True, needs=tuple(map(needs, items)))
        return {"a": root("lib", version), "b": [*items, user]}

    lines = report(tmp_path, side("1.0", "1", "2"), side("1.1", "1"))
    assert "Upgraded: lib 1.0 → 1.1 (a)" in lines
    assert "  lib 1.0 → 1.1, 1 of 2 builds gone (no longer with n=2), in b" in lines


def test_a_product_of_environments_that_came_is_none_where_it_is_a_dependency(
    tmp_path: Path,
) -> None:
    old: Side = {"b": [*below("lib", "1.0"), *UP[0]]}
    new: Side = {"b": [*below("lib", "1.1"), *UP[1]], "c": root("lib", "1.1")}
    assert "Dependencies: lib upgraded to 1.1" in report(tmp_path, old, new)


def test_a_step_of_the_toolchain_is_told_where_each_environment_is_told_alone(
    tmp_path: Path,
) -> None:
    """In one it is of a product, which a line says, in the other of a dependency."""
    sides: list[Side] = []
    for mpi, of_root, number in (("4.0", "5.0", "1"), ("4.1", "5.1", "2")):
        more = [Item(f"p{n}", f"{n}.{number}", explicit=True) for n in range(5)]
        sides.append(
            {"a": [*below("openmpi", mpi), *more], "b": [*root("openmpi", of_root), *more]}
        )
    old, new = sides
    lines = report(tmp_path, old, new, "--group-by", "stack")
    assert "  openmpi 5.0 → 5.1 (b); 4.0 → 4.1 (a)" in lines


def test_what_is_gone_where_it_was_asked_for_is_a_dependency_elsewhere(tmp_path: Path) -> None:
    old: Side = {"a": [*root("lib", "1.0"), *UP[0]], "b": below("lib", "1.0")}
    new: Side = {"a": UP[1], "b": below("lib", "1.1")}
    lines = report(tmp_path, old, new)
    assert "Gone from some environments: lib 1.0 from a" in lines
    assert "  lib 1.0 → 1.1 (b)" in lines


def test_a_fall_of_a_dependency_counts_where_its_product_has_another_hash(tmp_path: Path) -> None:
    libs = [Item("lib", "2.0", recipe=it, explicit=True) for it in ("one", "two")]
    old: Side = {"a": [libs[0], *UP[0]], "b": below("lib", "2.0")}
    new: Side = {"a": [libs[1], *UP[1]], "b": below("lib", "1.0")}
    lines = report(tmp_path, old, new)
    assert lines[2].startswith("lib is downgraded in b, up is upgraded")


def test_what_a_sentence_names_is_what_happened_to_roots(tmp_path: Path) -> None:
    old: Side = {"a": [*root("lib", "1.0"), *UP[0]], "b": below("lib", "1.5")}
    new: Side = {"a": [*root("lib", "1.1"), *UP[1]], "b": below("lib", "1.6")}
    lines = report(tmp_path, old, new)
    assert lines[2].startswith("2 products are upgraded (lib to 1.1, up to 1.1)")


def test_what_a_comment_names_below_its_sentence_is_where_the_same_happened(tmp_path: Path) -> None:
    """Also where the package is a dependency alone."""
    names = [f"lib{number:02}" for number in range(9)]
    fall = [f"fell{number}" for number in range(30)]
    old, new = (
        {
            "a": [
                *(Item(it, f"{n}.{minor}", explicit=True) for n, it in enumerate(names)),
                *(Item(it, f"{n}.{9 - minor}", explicit=True) for n, it in enumerate(fall)),
            ],
            "b": below(names[0], f"0.{minor}"),
        }
        for minor in (1, 2)
    )
    old["a"] += [Item(f"gone{it}", explicit=True) for it in range(4)]
    new["a"] += [Item(f"new{it}", explicit=True) for it in range(4)]
    text = "\n".join(report(tmp_path, old, new, "-f", "comment", "--package-url", ""))
    [upgraded] = (it for it in text.splitlines() if it.startswith("**Upgraded**: "))
    assert upgraded.startswith("**Upgraded**: `lib00` `0.1` → `0.2` (dependency in `b`), in both; ")
    assert upgraded.endswith(" (`a`)")
    assert "- `lib00` `0.1` → `0.2` in `a`; as a dependency in `b`, too\n" in text


def test_a_version_that_roots_still_have_is_not_gone_of_a_dependency(tmp_path: Path) -> None:
    """The new user needs a lower one: nobody reads `2022.10 → 0.14` of what is there as before."""
    raja = {it: Item("raja", it, parameters={"n": it}) for it in ("2022.10", "0.14")}
    root = Item("raja", "2022.10", explicit=True)
    sides = [
        [below, Item("app", explicit=True, needs=(needs(below),)), root] for below in raja.values()
    ]
    for side, items in zip(("old", "new"), sides, strict=True):
        write_files(tmp_path / side, {"a/spack.lock": to_bytes(lock(items))})
    out = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert "raja 0.14 new" in out
    assert "2022.10 →" not in out
    assert "2022.10 gone" not in out
