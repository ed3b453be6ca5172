"""What packages lost that they keep: versions and options, and of how many that is said."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import run_cli, write_files

GONE, NEW = ([Item(f"{it}{n}", explicit=True) for n in range(3)] for it in ("gone", "new"))
"""So many that they have a list below the sentence."""


def report(folder: Path, old: Sequence[Item], new: Sequence[Item]) -> str:
    """A report about an environment in which products are upgraded, gone and new, too."""
    for side, items in (("1", old), ("2", new)):
        apps = [Item(f"app{it}", f"{it}.{side}", explicit=True) for it in range(9)]
        few = GONE if side == "1" else NEW
        write_files(folder, {f"{side}/hep/spack.lock": to_bytes(lock([*apps, *few, *items]))})
    return run_cli("-C", folder, "1", "2", "--package-url", "").out


def test_why_dependencies_are_gone_is_told_of_those_that_are_counted(tmp_path: Path) -> None:
    """Of all that only `big` needed the toolchain tells."""
    tools = [Item("openmpi", "4.1"), Item("openblas", "0.3"), Item("python", "3.11")]
    libs = [Item(f"lib{it}") for it in "abc"]
    roots = [
        Item(name, explicit=True, needs=tuple(map(needs, below)))
        for name, below in (("big", tools), ("other", libs))
    ]
    text = report(tmp_path, [*tools, *libs, *roots], [])
    told = "dependencies beside the toolchain: 3 gone; all because of `other` (gone)"
    assert f"\n- {told}\n" in text
    for it in ("openmpi", "openblas", "python"):
        assert f"\n- `{it}`" in text


X, XQ, Y = {"x": True}, {"x": True, "q": True}, {"y": True}


@pytest.mark.parametrize(
    ("old", "new", "is_gone"),
    [
        ([X], [Y], True),
        ([X, XQ], [Y], True),
        ([X, XQ], [Y, XQ], False),
        ([X, Y], [Y], False),
        ([X], [], False),
    ],
)
def test_an_option_is_gone_where_no_build_has_it_any_more(
    tmp_path: Path, old: list[dict[str, bool]], new: list[dict[str, bool]], *, is_gone: bool
) -> None:
    sides = [[Item("tool", explicit=True, parameters={**it}) for it in some] for some in (old, new)]
    assert ("options gone: `tool` `+x`" in report(tmp_path, *sides)) is is_gone


@pytest.mark.parametrize("now", [Y, {"x": False}])
def test_an_option_that_a_dependency_of_the_same_name_still_has_is_not_lost(
    tmp_path: Path, now: dict[str, bool]
) -> None:
    below = Item("tool", parameters={"x": True, "q": True})
    user = Item("user", explicit=True, needs=(needs(below),))
    sides = [[Item("tool", explicit=True, parameters={**it}), below, user] for it in (X, now)]
    assert "options " not in report(tmp_path, *sides)


@pytest.mark.parametrize(
    ("below", "told"),
    [
        ("1.0", "`tool` `2.0` (highest now `3.0`)"),
        ("3.0", "`tool` `2.0` (only `3.0` now)"),
        ("2.0", ""),
    ],
)
def test_of_a_version_gone_all_that_is_left_counts_as_a_dependency_too(
    tmp_path: Path, below: str, told: str
) -> None:
    lib = Item("tool", below, parameters={"q": True})
    user = Item("user", explicit=True, needs=(needs(lib),))
    stays = [Item("tool", "3.0", explicit=True), lib, user]
    text = report(tmp_path, [Item("tool", "2.0", explicit=True), *stays], stays)
    assert text.count("versions gone") == bool(told)
    assert told in text


def test_a_version_is_new_if_it_came_to_each_package_that_a_sentence_names(tmp_path: Path) -> None:
    mpich, openmpi = Item("mpich", "4.0"), Item("openmpi", "4.1")

    def tool(name: str, version: str, mpi: Item, *, x: bool = False) -> Item:
        return Item(name, version, explicit=True, needs=(needs(mpi),), parameters={"x": x})

    stays = [mpich, openmpi, tool("aa", "1.0", openmpi), tool("cc", "1.0", openmpi)]
    stays += [tool("cc", "2.0", mpich), tool("user", "1.0", mpich)]
    lost = [tool("aa", "1.0", mpich, x=it) for it in (True, False)]
    text = report(
        tmp_path, [*stays, *lost, tool("cc", "1.0", mpich)], [*stays, tool("aa", "2.0", mpich)]
    )
    assert "`aa` and `cc` have no build of `1.0` with `mpich` any more (`2.0` has)." in text
