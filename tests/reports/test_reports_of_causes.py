"""Causes in Markdown, comments and text: above a stack's lines, and on the lines."""

from pathlib import Path

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import after, before, write_locks
from tests.support.helpers import run_cli, write_files

ABOVE = (
    "With another hash: 6 builds, because of autoconf 2.69 → 2.71 (build only) (4); "
    "cmake 3.26.3 → 3.27.7 (build only) (1); "
    "zlib replaced by zlib-ng (1)"
)
SAME = "Only another hash"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_locks(tmp_path, before(), after())
    return tmp_path


def report(folder: Path, *options: str) -> list[str]:
    return run_cli("-C", folder, "old.lock", "new.lock", *options).out.splitlines()


def test_text_says_the_causes_above_the_lines(folder: Path) -> None:
    lines = report(folder, "-f", "text")
    assert ABOVE in " ".join(line.strip() for line in lines)
    assert "  hdf5, netcdf, because of zlib replaced by zlib-ng" not in lines
    assert lines[2] == "3 products only have another hash."


def test_text_lists_what_somebody_asked_the_cause_of(folder: Path) -> None:
    lines = report(folder, "-f", "text", "--because", "cmake")
    assert " ".join("\n".join(lines[2:]).split()) == (
        "json 3.11.2 has another hash, because of cmake 3.26.3 → 3.27.7 (build only); "
        "only what was rebuilt or gone, at least in part, because of cmake."
    )


def test_every_spec_has_its_cause_and_the_way_to_it(folder: Path) -> None:
    lines = report(folder, "-f", "text", "--detail")
    [netcdf] = [line for line in lines if line.startswith("  = netcdf 4.9.2, ")]
    assert netcdf.startswith(
        "  = netcdf 4.9.2, autoconf 2.69 → 2.71 via openmpi > numactl > automake (build only), "
    )
    [hdf5] = [line for line in lines if line.startswith("  = hdf5 1.14.3, ")]
    assert "zlib replaced by zlib-ng (+1 more): " in hdf5


def test_markdown_marks_names_as_code_and_puts_like_packages_together(folder: Path) -> None:
    lines = report(folder, "--package-url", "")
    above = "**With another hash**: 6 builds, because of `autoconf` `2.69` → `2.71` "
    assert above in "\n".join(lines)
    # netcdf was asked for
    together = "`automake` `1.16.5`, `numactl` `2.0.14`, `openmpi` `4.1.6`"
    assert f"**{SAME}**: {together}, because of `autoconf` `2.69` → `2.71`" in lines


def test_each_stack_says_its_own_and_all_together_say_it_once(tmp_path: Path) -> None:
    stacks = {"cpu": (before(), after()), "os": (apps("ubuntu20.04"), apps("ubuntu22.04"))}
    for stack, sides in stacks.items():
        for side, items in zip(("old", "new"), sides, strict=True):
            write_files(tmp_path, {f"{side}/envs/{stack}/spack.lock": to_bytes(lock(items))})
    both = ("-C", tmp_path, "old", "new")
    parts = run_cli(*both, "--group-by", "stack").out.split("\n## ")
    of = {part.partition("\n")[0]: part for part in parts}
    assert "**With another hash**: 6 builds, because of `autoconf`" in of["`cpu`"]
    assert "\n**Toolchain**: os `ubuntu20.04` → `ubuntu22.04`\n" in of["`os`"]
    together = run_cli(*both, "-f", "text").out
    assert "With another hash: 6 builds in cpu, because of autoconf 2.69 → 2.71" in together
    assert "\nToolchain: os ubuntu20.04 → ubuntu22.04 (os)\n" in together
    assert "\n12 more with another os (os): app0, app1, app10, " in together


def apps(os: str) -> list[Item]:
    return [Item(f"app{number}", os=os) for number in range(12)]


def test_the_number_of_dependencies_that_are_only_named_is_said_once(tmp_path: Path) -> None:
    for side, version in (("old", "1.3"), ("new", "1.2")):
        zlib = Item("zlib", version)
        libs = [Item(f"lib{number}", needs=(needs(zlib),)) for number in range(6)]
        app = Item("app", explicit=True, needs=tuple(map(needs, libs)))
        write_files(tmp_path, {f"{side}/spack.lock": to_bytes(lock([zlib, *libs, app]))})
    text = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert text.startswith("Changes from old to new\n\nzlib 1.3 → 1.2, downgraded.\n")
    names = ", ".join(f"lib{number}" for number in range(6))
    assert text.endswith(f"\nDependencies\n\n  6 only have another hash: {names}\n")


def test_what_is_far_below_most_of_them_is_named_beside_the_causes_that_are_nearer(
    tmp_path: Path,
) -> None:
    """`zlib` is the cause of none of the specs that it is below."""
    for side, version in (("old", "1"), ("new", "2")):
        zlib = Item("zlib", version)
        libs = [Item(f"lib{it}", version, needs=(needs(zlib),)) for it in range(12)]
        apps = [Item(f"app{it}", explicit=True, needs=(needs(lib),)) for it, lib in enumerate(libs)]
        write_files(tmp_path, {f"{side}/spack.lock": to_bytes(lock([zlib, *libs, *apps]))})
    text = " ".join(run_cli("-C", tmp_path, "old", "new", "-f", "text").out.split())
    assert "; below all of them: zlib 1 → 2" in text


def test_what_is_below_many_of_them_is_told_though_its_cause_is_never_the_nearest(
    tmp_path: Path,
) -> None:
    """`all` is below 12 of 12 builds, `half` below 6, `few` below 3; none is the cause of any."""
    for side, version in (("old", "1"), ("new", "2")):
        tools = {name: Item(name, version) for name in ("all", "few", "half")}
        apps, libs = [], []
        for number in range(12):
            names = ["all", *(["half"] if number < 6 else []), *(["few"] if number < 3 else [])]
            lib = Item(f"lib{number}", version, needs=tuple(needs(tools[it]) for it in names))
            libs.append(lib)
            apps.append(Item(f"app{number}", explicit=True, needs=(needs(lib),)))
        content = to_bytes(lock([*tools.values(), *libs, *apps]))
        write_files(tmp_path, {f"{side}/spack.lock": content})
    text = " ".join(run_cli("-C", tmp_path, "old", "new", "-f", "text").out.split())
    assert (
        "; below all of them: all 1 → 2; "
        "also changed among the dependencies of 30% or more of them: half 1 → 2 " in text
    )
    assert "few" not in text.partition("With another hash: ")[2].partition("Dependencies")[0]


def test_of_few_packages_with_several_causes_each_says_which_they_are(tmp_path: Path) -> None:
    sides = []
    for version in ("1", "2"):
        below = [Item(name, version) for name in ("zlib", "xz")]
        users = [Item(f"app{it}", explicit=True, needs=(needs(below[it > 3]),)) for it in range(5)]
        both = Item("both", explicit=True, recipe=version, needs=(needs(below[0]),))
        sides.append([*below, *users, both, Item("other", explicit=True, recipe=version)])
    text = " ".join(run_cli(*write_locks(tmp_path, *sides), "-f", "text").out.split())
    assert "With another hash: 7 builds, because of zlib 1 → 2 (5); " in text


def test_a_package_of_which_builds_have_several_causes_has_none_of_them_on_its_line(
    tmp_path: Path,
) -> None:
    def side(zlib: str, xz: str, *, is_root: bool) -> list[Item]:
        below = [Item("zlib", zlib), Item("xz", xz)]
        builds = [
            Item("hdf5", "1.14", explicit=True, parameters={"mpi": True}, needs=(needs(below[0]),)),
            Item("hdf5", "1.12", explicit=is_root, needs=(needs(below[1]),)),
        ]
        user = Item("netcdf", "4.9", explicit=True, needs=(needs(builds[1]),))
        return [*below, *builds, user]

    both, one = tmp_path / "both", tmp_path / "one"
    write_locks(both, *(side(*it, is_root=True) for it in (("1.2", "5.0"), ("1.3", "5.2"))))
    lines = report(both, "-f", "text")
    assert SAME in lines
    assert "  hdf5 1.14 and 1.12" in lines
    why = "because of xz 5.0 → 5.2 (2); zlib 1.2 → 1.3 (1)"
    assert f"With another hash: 3 builds of 2 packages, {why}" in lines
    # Of one that is a root, and one that is a dependency, each has its own.
    write_locks(one, *(side(*it, is_root=False) for it in (("1.2", "5.0"), ("1.3", "5.2"))))
    lines = report(one, "-f", "text")
    assert "  hdf5 1.14, because of zlib 1.2 → 1.3" in lines
    assert "  hdf5 1.12 with another hash, because of xz 5.0 → 5.2" in lines


def test_packages_with_one_cause_in_several_places_are_told_by_where(tmp_path: Path) -> None:
    """Of a union of places nobody knows which of them is meant."""
    for side, version in (("old", "1.2"), ("new", "1.3")):
        zlib = Item("zlib", version)
        for stack in "abc":
            other = "2.0" if stack != "c" and side == "new" else "1.0"
            roots = [
                Item(name, it, explicit=True, needs=(needs(zlib),))
                for name, it in (("one", "1.0"), ("two", other))
            ]
            path = f"{side}/{stack}/spack.lock"
            write_files(tmp_path, {path: to_bytes(lock([*roots, zlib]))})
    text = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    because = "because of zlib 1.2 → 1.3"
    assert f"\nWith another hash: 2 builds, {because}: one (all 3); two (c)\n" in text
