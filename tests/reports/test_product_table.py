"""The table of products: what stands in its cells, and which of its signs are explained."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import Item, database, lock, needs, to_bytes
from tests.support.helpers import run_cli, run_json, write_files

Sides = tuple[Sequence[Item], Sequence[Item]]

ALIKE = tuple(Item(f"lib{number}", "1.0", explicit=True) for number in range(6))
NEXT = tuple(replace(item, version=f"1.{item.name[3:]}1") for item in ALIKE)


def table(folder: Path, **stacks: Sides) -> dict[str, list[str]]:
    """The rows of the table of products of some environments, by name, without the six alike."""
    for stack, sides in stacks.items():
        for side, items in zip(("old", "new"), sides, strict=True):
            both = [*items, *(ALIKE if side == "old" else NEXT)]
            write_files(folder, {f"{side}/{stack}/spack.lock": to_bytes(lock(both))})
    text = run_cli("-C", folder, "old", "new", "--package-url", "").out
    rows = re.findall(r"(?m)^\| `(\S+)` \| (.*) \|$", text)
    return {name: cells.split(" | ") for name, cells in rows if not name.startswith("lib")}


def root(version: str, *below: Item, name: str = "petsc") -> list[Item]:
    """A root spec and its dependencies."""
    return [*below, Item(name, version, explicit=True, needs=tuple(map(needs, below)))]


def test_a_version_for_other_packages_is_said_among_dependencies(tmp_path: Path) -> None:
    beside = root("1.0", Item("petsc", "3.18"), name="user")
    rows = table(
        tmp_path,
        a=([*root("3.19"), *root("1.0", name="user")], [*root("3.20"), *beside]),
        b=([*root("3.19")], [*root("3.20")]),
    )
    assert rows["petsc"] == [
        "`3.19` → `3.20`, as a dependency `3.18` new",
        "`3.19` → `3.20`",
    ]
    text = run_cli("-C", tmp_path, "old", "new").out
    assert "\n- `petsc` `3.18` new, as a dependency, in `a`\n" in text


def test_a_cell_says_who_asks_for_a_product_no_longer_and_only_now(tmp_path: Path) -> None:
    tool, asked_for = Item("tool", "1.0"), Item("tool", "1.0", explicit=True)
    up, asked_up = Item("tool", "1.1"), Item("tool", "1.1", explicit=True)
    app = Item("app", explicit=True)
    rows = table(
        tmp_path,
        a=([asked_for, app], root("1.0", tool, name="app")),
        b=([asked_for, app], root("1.0", up, name="app")),
        c=(root("1.0", tool, name="app"), [asked_up, app]),
        d=([asked_for, app], [asked_up, app]),
    )
    assert rows["tool"] == [
        "now only a dependency",
        "`1.0` → `1.1`, now only a dependency",
        "`1.0` → `1.1`, now a root spec",
        "`1.0` → `1.1`",
    ]


def test_what_is_installed_by_hand_now_is_called_asked_for(tmp_path: Path) -> None:
    tool, app = Item("tool"), Item("app", explicit=True)
    for stack, by_hand in (("a", replace(tool, explicit=True)), ("b", tool)):
        for side, items in (("old", [tool, app, *ALIKE]), ("new", [by_hand, app, *NEXT])):
            content = to_bytes(database(items, installed=True))
            write_files(tmp_path, {f"{side}/{stack}/.spack-db/index.json": content})
    text = run_cli("-C", tmp_path, "old", "new", "--package-url", "").out
    assert "| `tool` | now asked for | (·) |" in text


def test_a_product_of_which_only_roots_changed_has_a_row_and_is_in_no_list(tmp_path: Path) -> None:
    tool, asked_for = Item("tool", "1.0"), Item("tool", "1.0", explicit=True)
    both = (root("1.0", name="app"), root("1.0", name="app"))
    below = (root("1.0", tool, name="app"), root("1.0", tool, name="app"))
    roots_alone = ([asked_for, *both[0]], root("1.0", tool, name="app"))
    rows = table(tmp_path, a=roots_alone, b=both, c=below)
    assert rows["tool"] == ["now only a dependency", "", "(·)"]
    text = run_cli("-C", tmp_path, "old", "new").out
    assert "| **Now only a dependency** |" in text
    assert text.count("[`tool`]") == 1
    [tag] = run_json("-C", tmp_path, "old", "new")["tags"]
    assert ["tool" in stack["still_there"] for stack in tag["stacks"]] == [True, False, True]


def test_a_product_that_a_document_without_changes_has_is_there(tmp_path: Path) -> None:
    tool = Item("tool", "1.0")
    roots_alone = (root("1.0", replace(tool, explicit=True)), root("1.0", tool))
    table(tmp_path, a=roots_alone, b=([], []))
    same = to_bytes(lock(root("1.0", tool)))
    write_files(tmp_path, {f"{side}/c/spack.lock": same for side in ("old", "new")})
    [tag] = run_json("-C", tmp_path, "old", "new")["tags"]
    assert ["tool" in stack["still_there"] for stack in tag["stacks"]] == [True, False, True]


def test_a_reconfigured_product_says_in_what(tmp_path: Path) -> None:
    def app(*values: str) -> list[Item]:
        return [Item("app", explicit=True, parameters={"x": it, "y": "1"}) for it in values]

    rows = table(tmp_path, a=(app("1"), app("2")), b=(app("1", "3"), app("2", "3")))
    assert rows["app"] == ["variant `x=1` → `x=2`", "1 build: variant `x=1` → `x=2`"]


def hypre(version: str, x: str = "1", os: str = "rhel8", also: str = "1") -> list[Item]:
    """Two builds of a product, of which one may get another version, the other one other fields."""
    parameters = {"x": x, "y": also}
    return [
        Item("hypre", version, explicit=True, parameters={"x": "0", "y": "1"}),
        Item("hypre", "2.28", explicit=True, parameters=parameters, os=os),
    ]


def test_a_product_says_what_was_reconfigured_beside_its_versions(tmp_path: Path) -> None:
    others = [[Item(f"os{n}", explicit=True, os=os) for n in range(10)] for os in ("rhel8", "sles")]
    rows = table(
        tmp_path,
        a=(hypre("2.29"), hypre("2.30", x="2")),
        b=(hypre("2.29"), hypre("2.30", x="2", os="sles")),
        c=([*hypre("2.29"), *others[0]], [*hypre("2.30", os="sles"), *others[1]]),
        d=(hypre("2.28"), hypre("2.30", x="2")),
        e=(hypre("2.29"), hypre("2.29", x="2")[1:]),
    )
    up, differs = "`2.29` → `2.30`, still has `2.28`", "variant `x=1` → `x=2`"
    which = "the one for `ubuntu22.04`"
    assert rows["hypre"] == [
        f"{up}, `2.28` reconfigured: {differs}",
        f"{up}, `2.28` reconfigured",  # in two ways
        up,  # what many share is said once
        f"1 of 2 builds `2.28` → `2.30` ({which}), `2.28` reconfigured: {differs}",
        f"`2.29` gone, only `2.28` left, `2.28` reconfigured: {differs}",
    ]


def test_a_cell_says_what_builds_share_that_were_reconfigured_in_several_ways(
    tmp_path: Path,
) -> None:
    def builds(version: str, *values: str) -> list[Item]:
        parameters: list[dict[str, Any]] = [dict.fromkeys(it.split(), True) for it in values]
        others = [Item("hypre", "1.0", explicit=True, parameters=it) for it in parameters]
        return [Item("hypre", version, explicit=True), *others]

    rows = table(
        tmp_path,
        a=(builds("2.0", "m", "m n"), builds("2.1", "m x", "m n x y")),
        b=(builds("2.0", "m", "m n"), builds("2.1", "m x", "m n y")),
    )
    words = "`1.0` reconfigured"
    up = "`2.0` → `2.1`, still has `1.0`"
    assert rows["hypre"] == [
        f"{up}, {words}: new variant `+x`, and more",
        f"{up}, {words}",
    ]


def test_a_cell_says_what_new_builds_depend_on_and_who_needs_an_older_version(
    tmp_path: Path,
) -> None:
    mpi, below = Item("mpi"), Item("app", "1.0", explicit=True)
    rows = table(
        tmp_path,
        a=([below], [mpi, below, Item("app", "1.0", explicit=True, needs=(needs(mpi),))]),
        b=(
            root("2.0", name="tool"),
            root("1.0", *root("1.0", name="tool"), name="user"),
        ),
    )
    assert rows["app"] == ["1 of 2 builds new (with `mpi` `1.0`)", ""]
    assert rows["tool"] == ["", "`2.0` → `1.0`, needed by `user`"]


@pytest.mark.parametrize("is_root", [True, False])
def test_a_line_says_it_of_a_product_alone(tmp_path: Path, is_root: bool) -> None:
    for side, items in (("old", hypre("2.29")), ("new", hypre("2.30", x="2"))):
        builds = [replace(item, explicit=is_root) for item in items]
        user = Item("user", explicit=True, needs=tuple(map(needs, builds)))
        write_files(tmp_path, {f"{side}/spack.lock": to_bytes(lock([*builds, user]))})
    text = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert "hypre 2.29 → 2.30, still has 2.28" in text
    assert ("still has 2.28, 2.28 reconfigured: variant x=1 → x=2" in text) is is_root


def test_an_environment_of_which_only_roots_changed_is_a_column(tmp_path: Path) -> None:
    tool = Item("tool", "1.0")
    roots_alone = (root("1.0", replace(tool, explicit=True)), root("1.0", tool))
    rows = table(tmp_path, a=([], []), b=([], []), c=roots_alone)
    assert rows["tool"] == ["", "", "now only a dependency"]
    assert "\n| `c` | " in run_cli("-C", tmp_path, "old", "new", "--stat", "-f", "markdown").out
    html = run_cli("-C", tmp_path, "old", "new", "-f", "html").out
    assert "Now only a dependency: 1<" in html
    assert '<td class="cell" data-in="c">now only a dependency</td>' in html


@pytest.mark.parametrize("is_root", [True, False])
def test_a_rebuilt_product_that_is_now_or_no_longer_a_root_is_called_so(
    tmp_path: Path, is_root: bool
) -> None:
    for side, version in (("old", "1.2"), ("new", "1.3")):
        zlib = Item("zlib", version)
        asked = (side == "new") is is_root
        tool = Item("tool", "1.0", explicit=asked, needs=(needs(zlib),))
        app = Item("app", "1.0", explicit=True, needs=(needs(tool),))
        write_files(tmp_path, {f"{side}/spack.lock": to_bytes(lock([zlib, tool, app]))})
    lines = run_cli("-C", tmp_path, "old", "new").out.splitlines()
    words = "now a root spec" if is_root else "now only a dependency"
    assert lines[2] == f"`tool` is {words}. `app` has another hash and no other change."


@pytest.mark.parametrize(
    ("side", "word", "in_comment"),
    [
        (
            "old",
            "Gone",
            (
                "\n**Gone, or gone from some environments**\n\n"
                "- `petsc` `3.20` from `b`; new in `a`\n"
                "- `tool` `1.0` (`whole`)\n"
            ),
        ),
        ("new", "New", "\n**New**: `tool` `1.0` (`whole`)\n"),
    ],
)
def test_what_came_or_went_with_a_whole_environment_has_a_line_and_no_row(
    tmp_path: Path, side: str, word: str, in_comment: str
) -> None:
    tool = root("1.0", name="tool")
    write_files(tmp_path, {f"{side}/whole/spack.lock": to_bytes(lock([*tool, *root("3.19")]))})
    rows = table(tmp_path, a=([], root("3.20")), b=(root("3.20"), []))
    assert "tool" not in rows
    sides = ("-C", tmp_path, "old", "new", "--package-url", "")
    above = run_cli(*sides).out.partition("| Product |")[0]
    assert f"\n**{word}**: `tool` `1.0` (`whole`)\n" in above
    assert in_comment in run_cli(*sides, "-f", "comment").out
    html = run_cli("-C", tmp_path, "old", "new", "-f", "html").out
    assert f"1.0 {word.lower()} (whole)" in html


DOT, EMPTY = "· at most another hash, os, compiler or target", "empty: not there"
DITTO = "″ the same as on the left"


@pytest.mark.parametrize(
    ("a", "b", "signs", "signs_of_html"),
    [
        ([None, None], ["1.0", "2.0"], [EMPTY, DITTO], [EMPTY]),
        (["1.0", "1.0"], ["1.0", "2.0"], [DOT, DITTO], [DOT]),
        (["1.0", "3.0"], ["1.0", "2.0"], [DITTO], []),
    ],
)
def test_the_signs_that_are_in_the_table_are_explained_and_no_others(
    tmp_path: Path,
    a: Sequence[str | None],
    b: Sequence[str | None],
    signs: Sequence[str],
    signs_of_html: Sequence[str],
) -> None:
    of_a, of_b = ([root(it) if it else [] for it in versions] for versions in (a, b))
    table(tmp_path, a=(of_a[0], of_a[1]), b=(of_b[0], of_b[1]))
    text = run_cli("-C", tmp_path, "old", "new").out
    assert re.findall(r"\n\n(.*)\n\n\| Product", text) == ["; ".join(signs)]
    html = run_cli("-C", tmp_path, "old", "new", "-f", "html").out
    hint = '<p class="hint"><span class="in-columns">(.*)</span></p>\n<table class="changes'
    assert re.findall(hint, html) == (["; ".join(signs_of_html)] if signs_of_html else [])


def test_a_table_without_signs_has_no_legend(tmp_path: Path) -> None:
    for stack, version in (("a", "2"), ("b", "3")):
        for side, first in (("old", "1"), ("new", version)):
            items = [Item(f"lib{n}", f"{first}.{n}", explicit=True) for n in range(9)]
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    text = run_cli("-C", tmp_path, "old", "new").out
    assert "\n\n| Product | `a` | `b` |\n" in text
    assert not re.search("[·″]", text)


def test_where_the_rest_of_a_cell_is_listed_is_said_once(tmp_path: Path) -> None:
    targets = "zen2", "zen3", "zen4"
    old = [Item("tool", target=it, explicit=True, parameters={"mpi": True}) for it in targets]
    new = [replace(it, parameters={"mpi": False}) for it in old]
    new[0], new[1] = replace(new[0], os="rhel9"), replace(new[1], compiler=("gcc", "13.1.0"))
    rows = table(tmp_path, a=(old, new), b=(old, old))
    assert rows["tool"][0].endswith("variant `+mpi` → `~mpi`, and more")
    hint = "“and more”: `--detail` lists each spec\n"
    assert run_cli("-C", tmp_path, "old", "new").out.count(hint) == 1
    assert hint not in run_cli("-C", tmp_path, "old", "new", "--detail").out
    assert "and more:" not in run_cli("-C", tmp_path, "old", "new", "-f", "html").out


def test_what_happened_to_a_product_as_a_dependency_is_told_with_it(tmp_path: Path) -> None:
    below, above = ([Item("petsc", it)] for it in ("3.19", "3.20"))
    user = {
        it: Item("user", "1.0", explicit=True, needs=(needs(some[0]),))
        for it, some in (("old", below), ("new", above))
    }
    rows = table(
        tmp_path,
        a=([*root("3.19")], [*root("3.20")]),
        b=([*below, user["old"]], [*above, user["new"]]),
    )
    assert rows["petsc"] == ["`3.19` → `3.20`", "(`3.19` → `3.20`)"]
    line = "`3.19` → `3.20` in `a`; as a dependency in `b`, too\n"
    for format_name, number in (("markdown", 0), ("comment", 1)):
        text = run_cli("-C", tmp_path, "old", "new", "-f", format_name).out
        assert text.count(line) == number
        assert ("\nin brackets: only a dependency there\n" in text) is not number
        assert "Dependencies" not in text
    html = run_cli("-C", tmp_path, "old", "new", "-f", "html").out
    assert '<span class="in-columns"></span>in brackets: only a dependency there' in html


def test_where_its_roots_are_as_before_a_dependency_is_no_product(tmp_path: Path) -> None:
    """Of a product that only has another hash nothing would be seen beside it."""
    libs = {it: Item("lib", "1.0", recipe=it, explicit=True) for it in ("old", "new")}
    for side, version in (("old", "1.1"), ("new", "1.2")):
        below = Item("lib", version)
        user = Item("user", explicit=True, needs=(needs(below),))
        locks = {f"{side}/a/spack.lock": [libs[side]], f"{side}/b/spack.lock": [below, user]}
        write_files(tmp_path, {path: to_bytes(lock(some)) for path, some in locks.items()})
    text = run_cli("-C", tmp_path, "old", "new").out
    assert "\n\n`lib` `1.1` → `1.2` (`b`).\n\n" in text
    assert "as a dependency" not in text


@pytest.mark.parametrize("sides", [("old", "new"), ("new", "old")])
def test_a_product_may_be_a_dependency_of_an_environment_that_is_no_column(
    tmp_path: Path, sides: tuple[str, str]
) -> None:
    lib, other = Item("lib", "1.0"), [Item("other", "1.0", explicit=True)]
    user = Item("user", "1.0", explicit=True, needs=(needs(lib),))
    up = [Item("other", "1.1", explicit=True)]
    stacks = {"a": ([replace(lib, explicit=True), *other], up), "b": (other, up)}
    for stack, both in stacks.items():
        for side, items in zip(("old", "new"), both, strict=True):
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    write_files(tmp_path, {"old/c/spack.lock": to_bytes(lock([lib, user]))})
    done = run_cli("-C", tmp_path, *sides)
    assert (done.status, done.err) == (0, "")
    word = "gone" if sides[0] == "old" else "new `1.0`"
    assert re.search(rf"\n\| .*`lib`.* \| {word} \|", done.out)


def test_products_are_counted_with_those_that_are_only_dependencies_now(tmp_path: Path) -> None:
    tool = Item("tool", "1.0")
    asked_for = replace(tool, explicit=True)
    other = Item("other", "1.0", explicit=True)
    above = Item("app", "1.0", explicit=True, needs=(needs(tool),))
    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(4)] for it in "12"]
    table(tmp_path, a=([asked_for, above], [tool, above]), b=([other, *ups[0]], [other, *ups[1]]))
    line = run_cli("-C", tmp_path, "old", "new").out.splitlines()[2]
    assert line.startswith("Of 13 products in 2 environments, ")
    assert line.endswith(" `tool` is now only a dependency.")
    [tag] = run_json("-C", tmp_path, "old", "new")["tags"]
    assert tag["products"] == {"old": 13, "new": 12, "added": [], "removed": ["tool"]}
    # With rebuilds left out as well, but of one kind alone no number says how much there is.
    for kinds, is_told in (("!rebuilt", True), ("upgraded", False)):
        narrowed = run_cli("-C", tmp_path, "old", "new", "-k", kinds).out.splitlines()[2]
        assert ("Of 13 products in 2 environments, " in narrowed) == is_told
    for side, recipe in (("old", "a"), ("new", "b")):  # no news of a third
        again = replace(other, recipe=recipe)
        write_files(tmp_path, {f"{side}/c/spack.lock": to_bytes(lock([again]))})
    line = run_cli("-C", tmp_path, "old", "new").out.splitlines()[2]
    assert line.startswith("Of 13 products, ")
    assert " `tool` is now only a dependency. " in line


def test_a_cell_has_all_variants_that_differ(tmp_path: Path) -> None:
    def options(*names: str, off: str = "") -> list[Item]:
        return [Item("p", explicit=True, parameters={it: it not in off for it in names})]

    rows = table(
        tmp_path,
        a=(options(*"abcdwxyz"), options(*"abcdwxyz", off="abcd")),
        b=(options(*"abcdwxyz"), options(*"abcdwxyz", off="wxyz")),
        c=(options(*"abcdwxyz"), options(*"abcdwxyz", off="wxyz")),
    )
    words = [
        f"variants {' '.join(f'`+{it}`' for it in some)} → {' '.join(f'`~{it}`' for it in some)}"
        for some in ("abcd", "wxyz")
    ]
    assert rows["p"] == [*words, "″"]


def test_a_short_table_says_how_many_products_it_leaves_out(tmp_path: Path) -> None:
    sides = [[Item(f"p{n}", f"{n}.{it}", explicit=True) for n in range(60)] for it in "12"]
    table(tmp_path, a=(sides[0], sides[1]), b=(sides[0], sides[1]))
    text = run_cli("-C", tmp_path, "old", "new", "--package-url", "", "--max-length", "1500").out
    assert len(text) <= 1500
    left = re.search(r"(?m)^\| and (\d+) more products \|  \|  \|$", text)
    assert left
    assert int(left[1]) + text.count("\n| `p") + text.count("\n| `lib") == 66
