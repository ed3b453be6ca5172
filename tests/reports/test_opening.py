"""The opening of a report: sentences about what many packages have as one reason."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from snapdiff import diff_catalogs, load_catalog, render_report
from snapdiff.reports import ReportOptions
from snapdiff.reports.terminal import broken
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import run_cli, write_files

Sides = tuple[Sequence[Item], Sequence[Item]]

OTHER = Item("other", explicit=True)
TOOLS = [Item(f"tool{number}", "2.0", explicit=True) for number in range(3)]


def report(folder: Path, stacks: Mapping[str, Sides], *arguments: str) -> list[str]:
    """The lines of a report about environments."""
    for stack, sides in stacks.items():
        for side, items in zip(("old", "new"), sides, strict=True):
            write_files(folder, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    return run_cli("-C", folder, "old", "new", "--package-url", "", *arguments).out.splitlines()


def test_a_new_root_that_other_stacks_have_is_new_where_it_came(tmp_path: Path) -> None:
    sides = ([*TOOLS, OTHER], [*with_sdk(TOOLS), OTHER])
    lines = report(tmp_path, {"a": sides, "b": (sides[1], sides[1])})
    assert lines[4] == "**Now in more environments**: `sdk` `1.0` in `a`"
    assert lines[6] == f"{TAKEN} (`a`)"


@pytest.mark.parametrize(
    ("number", "told"),
    [(3, ["**Toolchain**: `zlib` `1.0` replaced by `zlib-ng` `1.0` (both)"]), (2, [])],
)
def test_what_took_the_place_of_a_dependency_of_many_is_told_of_the_toolchain(
    tmp_path: Path, number: int, told: list[str]
) -> None:
    def above(name: str, others: str = "1.0") -> list[Item]:
        zlib = Item(name)
        edge = needs(zlib, "zlib-api")
        apps = [Item(f"app{it}", explicit=True, needs=(edge,)) for it in range(number)]
        return [zlib, *apps, Item("other", others, explicit=True)]

    sides = (above("zlib"), above("zlib-ng", "1.1"))
    lines = report(tmp_path, {"a": sides, "b": sides})
    assert [line for line in lines if line.startswith("**Toolchain**")] == told
    # Where nothing else happened to products, the first sentence says it.
    sides = (above("zlib"), above("zlib-ng"))
    lines = report(tmp_path / "alone", {"a": sides, "b": sides})
    because = "because of `zlib` replaced by `zlib-ng`"
    said = f"{number} products only have another hash in 2 environments"
    assert lines[2] == f"{said}, {because}."
    assert not any(line.startswith("**Toolchain**") for line in lines)


def test_what_is_replaced_as_a_product_may_be_a_dependency_elsewhere(tmp_path: Path) -> None:
    def above(mpi: Item, of_mpi: str = "1") -> list[Item]:
        apps = [
            Item(f"app{it}", explicit=True, needs=(needs(mpi, "mpi"),), recipe=of_mpi * 4)
            for it in range(3)
        ]
        return [mpi, *apps]

    asked_for = (
        above(Item("openmpi", explicit=True)),
        above(Item("mpich", explicit=True)),
    )
    beside = (above(Item("openmpi", "4.1")), above(Item("openmpi", "4.2")))
    lines = report(tmp_path, {"a": asked_for, "b": beside})
    assert "- `openmpi` `1.0` replaced by `mpich` `1.0` (`a`)" in lines


def with_sdk(tools: Sequence[Item], older: Sequence[str] = ()) -> list[Item]:
    """A new root, and its dependencies, of which nobody asks for any."""
    below = [
        replace(tool, explicit=False, version="1.9" if tool.name in older else tool.version)
        for tool in tools
    ]
    return [*below, Item("sdk", explicit=True, needs=tuple(map(needs, below)))]


MANY = {it: [Item(f"{it}{n}", explicit=True) for n in range(4)] for it in ("gone", "new")}
"""So many that they have a list below the sentence."""

IS_NEW = "**`sdk` is new in `a`**"
TAKEN = "**Now only dependencies**: `tool0`, `tool1`, `tool2`, needed by `sdk`"
NO_ROOTS = "**Now only dependencies**"


@pytest.mark.parametrize(
    ("older", "lines"),
    [
        ((), [TAKEN]),
        (
            ("tool1",),
            [
                "**Downgraded**: `tool1` `2.0` → `1.9`, now only a dependency, needed by `sdk`",
                "**Now only dependencies**: `tool0`, `tool2`, needed by `sdk`",
            ],
        ),
        (
            ("tool0", "tool1", "tool2"),
            [
                "**Downgraded**: `tool0`, `tool1`, `tool2` `2.0` → `1.9`, now only dependencies",
            ],
        ),
    ],
)
def test_what_a_new_root_takes_in_is_told_once(
    tmp_path: Path, older: Sequence[str], lines: list[str]
) -> None:
    stacks = {"a": ([*TOOLS, OTHER], [*with_sdk(TOOLS, older), OTHER]), "b": ([OTHER], [OTHER])}
    found = report(tmp_path, stacks)
    needed = ", ".join(f"`{name}` `1.9`" for name in older)
    assert (f"{IS_NEW}: older {needed} for it" in found) is (len(older) == 3)
    told = [it for it in found[4:] if "now only" in it.lower()]
    assert told == [f"{it} (`a`)" for it in lines]


def test_what_is_downgraded_because_of_a_new_root_is_below_it(tmp_path: Path) -> None:
    new = [Item(f"n{number}", explicit=True) for number in range(4)]
    stacks = {
        "a": ([*TOOLS, OTHER], [*with_sdk(TOOLS, ("tool0", "tool1", "tool2")), OTHER, *new]),
        "b": ([OTHER], [OTHER]),
    }
    fell = "`tool0` `2.0` → `1.9`, `tool1` `2.0` → `1.9`, `tool2` `2.0` → `1.9`"
    title = "`sdk` `1.0` is new in `a` and needs older versions"
    lines = report(tmp_path, stacks)
    told = lines.index(f"**{title}**: downgraded: {fell}")
    assert not any(line.startswith("**Downgraded") for line in lines[:told])
    page = report(tmp_path, stacks, "-f", "html")
    page_title = title.replace("`", "")
    assert any(f"{page_title}</strong>: downgraded: tool0 2.0 → 1.9, " in it for it in page)
    text = report(tmp_path, stacks, "-f", "text")
    assert f"{title}: downgraded: {fell}".replace("`", "") in " ".join(text)


def test_what_is_broken_of_an_item_below_another_is_further_in() -> None:
    assert broken("    - downgraded: one 2.0 → 1.9, two", 32) == (
        "    - downgraded: one 2.0 → 1.9,\n        two"
    )


def test_what_fell_further_where_there_is_no_new_root_is_not_because_of_it(tmp_path: Path) -> None:
    def stack(version: str, *, has_root: bool = False) -> list[Item]:
        fell = [Item(f"q{number}", version, explicit=True) for number in range(4)]
        root = Item("root", explicit=True, needs=tuple(map(needs, fell)))
        others = [Item(f"n{number}", explicit=True) for number in range(3)]
        return [*fell, *[root, *others] * has_root]

    rose = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(8)] for it in "12"]
    stacks = {
        "w": (stack("2.0"), stack("1.0", has_root=True)),
        "x": (stack("3.0"), stack("1.0")),
        "z": (rose[0], rose[1]),
    }
    lines = report(tmp_path, stacks)
    older = ", ".join(f"`q{number}` `1.0`" for number in range(4))
    assert f"**`root` `1.0` is new in `w`**: older {older} for it" in lines
    assert "**New**: `n0` `1.0`, `n1` `1.0`, `n2` `1.0` (`w`)" in lines
    [downgraded] = [line for line in lines if line.startswith("**Downgraded**: ")]
    assert "`q3` `2.0` → `1.0` (`w`)" in downgraded
    assert "`q3` `3.0` → `1.0` (`x`)" in downgraded


def test_where_a_new_root_takes_others_in_elsewhere_each_place_has_its_own(tmp_path: Path) -> None:
    both = [*TOOLS, OTHER]
    stacks = {
        "a": (both, [*with_sdk(TOOLS), OTHER]),
        "b": (both, [*with_sdk(TOOLS[:2]), OTHER]),
        "c": (both, both),
    }
    found = report(tmp_path, stacks, "-f", "comment")
    left = "`b`; `c` has the package as before; now only a dependency, needed by `sdk` in `a`"
    assert [it for it in found[4:] if "now only" in it.lower()] == [
        f"**Gone from some environments**: `tool2` `2.0` from {left}",
        "**Now only dependencies**: `tool0`, `tool1`, needed by `sdk` (all but `c`)",
    ]


def test_where_products_are_no_roots_any_more_is_listed(tmp_path: Path) -> None:
    """`tool0` is no root any more, `tool1` is one in `c`, and `tool2` is gone where it was one."""
    below = [replace(it, explicit=False) for it in TOOLS]
    user = Item("user", explicit=True, needs=tuple(map(needs, below)))
    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
    stacks = {
        "a": (
            [*TOOLS, *MANY["gone"], *ups[0]],
            [*with_sdk(TOOLS[:2]), *MANY["new"], *ups[1]],
        ),
        "b": ([*TOOLS[:1], OTHER], [*with_sdk(TOOLS[:1]), OTHER]),
        "c": ([TOOLS[1], ups[0][0]], [TOOLS[1], ups[1][0]]),
        "d": ([*below, user, ups[0][0]], [*below, user, ups[1][0]]),
    }
    lines = report(tmp_path, stacks)
    told = lines.index(NO_ROOTS)
    assert lines[told + 2 : told + 6] == [
        "- `a`, `b`: `tool0`",
        "- `a`: `tool1` (still a root spec elsewhere)",
        "- where left: `tool2`",
        "",
    ]


def test_what_fell_in_the_same_way_elsewhere_is_not_because_of_a_new_root(tmp_path: Path) -> None:
    fell = [replace(tool, version="1.9") for tool in TOOLS]
    with_root = [*with_sdk(TOOLS, ["tool0", "tool1", "tool2"]), OTHER]
    stacks = {"a": ([*TOOLS, OTHER], with_root), "b": ([*TOOLS, OTHER], [*TOOLS, OTHER])}
    assert any(line.startswith(IS_NEW) for line in report(tmp_path, stacks))
    stacks["b"] = [*TOOLS[:2], OTHER], [*fell[:2], OTHER]
    assert not any(line.startswith(IS_NEW) for line in report(tmp_path, stacks))


def test_what_a_new_root_brought_to_fewer_is_said_of_each(tmp_path: Path) -> None:
    sides = ([*TOOLS[:2], OTHER], [*with_sdk(TOOLS[:2], ["tool1"]), OTHER])
    text = "\n".join(report(tmp_path, {"a": sides}))
    assert "is new in" not in text
    fell = "`tool1` `2.0` → `1.9`, now only a dependency, needed by `sdk`"
    assert f"\n**Downgraded**: {fell}\n" in text
    assert "\n**Now only a dependency**: `tool0`, needed by `sdk`\n" in f"{text}\n"


def test_a_root_that_was_a_dependency_needs_another_and_is_not_new(tmp_path: Path) -> None:
    app = Item("app", needs=(needs(TOOLS[0]),))
    top = replace(OTHER, needs=(needs(app),))
    swapped = [replace(TOOLS[0], explicit=False), replace(app, explicit=True)]
    sides = ([TOOLS[0], app, top], [*swapped, top])
    lines = report(tmp_path, {"a": sides})
    assert lines[2] == "2 products are now or no longer root specs."
    assert "- `tool0` now only a dependency, needed by `app`" in lines
    assert "- `app` now a root spec" in lines
    assert "new" not in "\n".join(lines[1:])


def builds(name: str, **values: str) -> list[Item]:
    """A build of a product for each of these values of a variant."""
    return [
        Item(name, explicit=True, parameters={variant: list(value)})
        for variant, some in values.items()
        for value in some
    ]


def test_builds_lost_of_one_trait_are_told_once_where_more_happened_to_their_packages(
    tmp_path: Path,
) -> None:
    others = [Item(f"lib{number}", parameters={f"with_{number}": True}) for number in range(9)]
    kept = [Item(it.name, parameters=dict.fromkeys(it.parameters, False)) for it in others]
    both = [item for name in "xyz" for item in builds(name, gpu="89")]
    one = [item for name in "xyz" for item in builds(name, gpu="8")]
    worse = [replace(item, version="0.9") for item in both if item.name == "x"]
    above = [Item("app", explicit=True, needs=tuple(map(needs, some))) for some in (others, ())]
    above = [*above, Item("base", explicit=True, needs=tuple(map(needs, kept)))]
    sides = ([*both, *others, *kept, above[0], above[2]], [*one, *kept, *above[1:]])
    stacks = {"a": sides, "b": (both, [*worse, *(it for it in both if it.name != "x")])}
    told = ". In `a` no build with `gpu=9` is left of `x`, `y`, `z`. "
    lines = report(tmp_path / "more", stacks)
    assert told in lines[2]
    assert "no build" not in "".join(lines[3:]).lower()
    # A line says it as well where that is all there is to say.
    found = report(tmp_path / "alone", {"a": sides})
    assert "no build" not in "".join(found).lower()
    assert "**Lost builds**: one each with `gpu=9`: `x`, `y`, `z`" in found


def test_versions_of_products_that_are_gone_are_told_first(tmp_path: Path) -> None:
    def tools(*versions: str) -> list[Item]:
        apps = [Item(f"app{it}", f"{it}.{versions[0]}", explicit=True) for it in range(9)]
        return [*apps, *(Item("hdf5", version, explicit=True) for version in versions)]

    sides = (tools("1.14.2", "1.12.2", "1.10.7"), tools("1.14.3", "1.10.7"))
    others = (tools("1.14.2", "1.10.7"), tools("1.14.3", "1.10.7"))
    lines = report(tmp_path / "some", {"a": sides, "b": others, "c": sides})
    assert (
        lines[4]
        == "**Lost**: versions gone: `hdf5` `1.12.2` (highest now `1.14.3`), in all but `b`"
    )
    # What is upgraded in its series, or all at once, is no version that anybody misses.
    steps = (tools("1.14.2", "1.12.2"), tools("2.0"))
    for stacks in ({"a": others}, {"a": steps}):
        assert "versions gone" not in "".join(report(tmp_path / "none", stacks))
    few = (sides[0][8:], sides[1][8:])
    assert "versions gone" not in "".join(report(tmp_path / "few", {"a": few}))


def test_a_version_of_a_dependency_that_many_builds_had_below_them_is_told_with_those(
    tmp_path: Path,
) -> None:
    def tools(number: int, *versions: str) -> list[Item]:
        libs = [Item("openssl", version) for version in versions]
        old = [Item(f"p{it}", explicit=True, needs=(needs(libs[-1]),)) for it in range(number)]
        up = [Item(f"up{it}", f"{it}.{versions[0]}", explicit=True) for it in range(9)]
        return [*libs, *old, *up, Item("app", explicit=True, needs=tuple(map(needs, libs)))]

    for number, told in (
        (
            39,
            ["**Lost**: dependency versions gone: `openssl` `1.1` (only `3.1.3` now)"],
        ),
        (38, []),
    ):
        sides = (tools(number, "3.1.2", "1.1"), tools(number, "3.1.3"))
        lines = report(tmp_path / str(number), {"a": sides})
        assert [line for line in lines if "dependency versions gone: " in line] == told
    # One that came to another environment is not gone for good.
    sides = (tools(39, "3.1.2", "1.1"), tools(39, "3.1.3"))
    lines = report(tmp_path / "other", {"a": sides, "b": sides[::-1]})
    words = "dependency versions gone: `openssl` `1.1` (still elsewhere), in `a`"
    assert f"- {words}" in lines
    assert "- dependencies: 1 downgraded (`openssl`)" in lines


def test_a_broken_sentence_goes_on_at_the_margin_and_a_broken_item_within() -> None:
    assert broken("one two three", 9) == "one two\nthree"
    assert broken("  − one two", 9) == "  − one\n      two"


def test_new_builds_of_one_trait_are_told_once_as_lost_ones_are(tmp_path: Path) -> None:
    mpi = Item("mvapich", "3.0", explicit=True)
    apps = [Item(f"app{it}", explicit=True) for it in range(3)]
    above = [replace(app, needs=(needs(mpi, "mpi"),)) for app in apps]
    sides = (apps, [*apps, mpi, *above])
    words = "one each with `mvapich` `3.0`: `app0`, `app1`, `app2`"
    for title, total, word, both in (
        ("With more builds", "3 → 7", "new", sides),
        ("Lost builds", "7 → 3", "gone", sides[::-1]),
    ):
        lines = report(tmp_path / word, {"a": both})
        assert [line for line in lines if "one each with" in line] == [f"**{title}**: {words}"]
        assert lines[-1] == f"**Builds**: {total}, 3 as before, 4 {word}"
    # In a report without what came nothing is said of it.
    done = run_cli("-C", tmp_path / "new", "old", "new", "-k", "!added")
    assert (done.status, done.err) == (0, "")
    assert "uilds" not in done.out


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_a_root_that_was_a_dependency_before_is_not_called_new(
    tmp_path: Path, version: str
) -> None:
    def above(tools: Sequence[Item], version: str, *, explicit: bool) -> list[Item]:
        sdk = Item("sdk", version, explicit=explicit, needs=tuple(map(needs, tools)))
        return [*tools, sdk, Item("top", explicit=True, needs=(needs(sdk),)), OTHER]

    below = [replace(tool, explicit=False) for tool in TOOLS]
    sides = (above(TOOLS, "1.0", explicit=False), above(below, version, explicit=True))
    text = "\n".join(report(tmp_path, {"a": sides, "b": ([OTHER], [OTHER])}))
    assert "`tool0`, `tool1`, `tool2`" in text
    assert ", needed by `sdk` (`a`)" in text
    assert "now a root spec" in text
    assert "new" not in text.partition("\n")[2]


@pytest.mark.parametrize("arguments", [["--stat"], []])
def test_no_sentence_names_a_set_of_environments_that_nothing_explains(
    tmp_path: Path, arguments: list[str]
) -> None:
    products = [Item(f"lib{number}", explicit=True) for number in range(12)]
    moved = [replace(item, os="ubuntu24.04") for item in products]
    tools = [Item(tool, explicit=True) for tool in ("one", "two")]  # on two more lines
    newer = [replace(tool, version="1.1") for tool in tools[:1]]
    newer += [replace(tool, version="2.0") for tool in tools[1:]]
    stacks = dict.fromkeys(("ant", "bee", "cat", "dog"), ([*products, *tools], [*moved, *newer]))
    stacks |= dict.fromkeys(("elk", "fox", "gnu", "hen"), (products, products))
    for stack, sides in stacks.items():
        for side, items in zip(("old", "new"), sides, strict=True):
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    text = run_cli("-C", tmp_path, "old", "new", "-f", "markdown", *arguments).out
    assert "12 more have another os" in text
    assert ("set A" in text) == ("**Set A**: `ant`" in text)


def test_a_short_comment_says_what_it_leaves_out_uncounted(tmp_path: Path) -> None:
    products = [Item(f"lib{number}", explicit=True, os=f"os{number}") for number in range(12)]
    changed = [replace(item, version="1.1") for item in products]
    sides = ([*products, *TOOLS], [*changed, *with_sdk(TOOLS, [it.name for it in TOOLS])])
    full = report(tmp_path, {"a": sides})
    said = set()
    for most in range(len("\n".join(full)), 100, -10):
        arguments = ["-f", "comment", "--package-url", "", "--max-length", str(most)]
        text = run_cli("-C", tmp_path, "old", "new", *arguments).out
        sentence = next((it for it in text.splitlines() if "Only in the whole report: " in it), "")
        said.add(sentence.partition(": ")[2])
        if not sentence:
            assert text.endswith(("… and more, left out to fit.\n", full[-1] + "\n"))
        elif "Products" not in text:
            assert "Only in the whole report: " in sentence
        if "many packages share" in sentence:
            assert "are only its dependencies" not in text
    assert said == {"", "what many packages share."}


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (1, "`tool0` is now only a dependency."),
        (2, "`tool0`, `tool1` are now only dependencies."),
    ],
)
def test_where_only_roots_changed_the_first_sentence_says_so(
    tmp_path: Path, number: int, told: str
) -> None:
    below = [replace(it, explicit=False) for it in TOOLS[:number]]
    above = Item("app", explicit=True, needs=tuple(map(needs, below)))
    assert report(tmp_path, {"a": ([above, *TOOLS[:number]], [above, *below])})[2:] == [told]


def test_stacks_are_those_with_news_of_the_products_that_are_counted(tmp_path: Path) -> None:
    def side(version: str) -> list[Item]:
        zlib = Item("zlib", version)
        return [zlib, Item("app", explicit=True, needs=(needs(zlib),))]

    tools = [Item("tool", version, explicit=True) for version in ("1.0", "0.9")]
    stacks = {"a": (side("2.0"), side("1.0")), "b": (tools[:1], tools), "c": (tools, tools)}
    lines = report(tmp_path, stacks)
    assert lines[2] == "`tool` has more versions. `app` has another hash and no other change."


def test_a_report_of_what_was_rebuilt_counts_it_as_that(tmp_path: Path) -> None:
    def side(recipe: str, *, is_root: bool) -> list[Item]:
        zlib = Item("zlib", recipe=recipe)
        tool = Item("tool", explicit=is_root, needs=(needs(zlib),))
        return [zlib, tool, replace(OTHER, needs=(needs(tool),))]

    stacks = {"a": (side("1", is_root=True), side("2", is_root=False))}
    assert " now only a dependency." in report(tmp_path, stacks)[2]
    rebuilt = report(tmp_path, stacks, "-k", "rebuilt")[2]
    assert rebuilt.startswith("2 products only have another hash, because")


def on_sles(items: Sequence[Item]) -> list[Item]:
    """The same items, each with its dependencies, on another os."""
    keys: dict[str, str] = {}
    moved = []
    for item in items:
        below = tuple(replace(it, hash=keys[it.hash]) for it in item.needs)
        moved.append(replace(item, os="sles15", needs=below))
        keys[item.key] = moved[-1].key
    return moved


def test_the_table_counts_with_others_what_was_neither_reconfigured_nor_rebuilt(
    tmp_path: Path,
) -> None:
    tool, stays = Item("tool0"), Item("stays", explicit=True)
    app = Item("app", explicit=True, needs=(needs(tool),))
    root, rebuilt = replace(tool, explicit=True), replace(tool, recipe="b")
    again = replace(app, needs=(needs(rebuilt),))
    tools = [Item("cmake", version) for version in ("1.0", "2.0")]
    twins = [Item("zfp", needs=(needs(it, types=("build",)),)) for it in tools]
    users = [Item(f"app{at}", explicit=True, needs=(needs(it),)) for at, it in enumerate(twins)]
    now = [replace(it, needs=(needs(twins[0]),)) for it in users]
    dev = Item("dev", explicit=True, needs=tuple(map(needs, tools)))
    stacks = {
        "only": ([app, root], [app, tool]),
        "rebuilt": ([app, root, stays], [again, rebuilt, replace(stays, os="sles15")]),
        "equal": ([*tools, dev, *twins, *users], [*tools, dev, twins[0], *now]),
        "moved": ([*tools, dev, *twins, *users], on_sles([*tools, dev, twins[0], *now])),
        "same": ([stays], [stays]),
    }
    lines = report(tmp_path, stacks, "--stat")
    words = "Other changes | With another hash"
    assert [line for line in lines if line.startswith("|")] == [
        f"| Environment | {words} | Unchanged | All | Builds |",
        "|:--|--:|--:|--:|--:|--:|",
        "| `equal` | 1 | 1 | 3 | 5 | 7 → 6 |",
        "| `moved` | 5 |  |  | 5 | 7 → 6 |",
        "| `rebuilt` | 2 | 1 |  | 3 | 3 |",
        "| `only` | 1 |  | 1 | 2 | 2 |",
        "| `same`, unchanged |  |  | 1 | 1 | 1 |",
    ]
    diff = diff_catalogs(*(load_catalog(str(tmp_path / side)) for side in ("old", "new")))
    text = render_report(diff, "text", ReportOptions(stat=True, width=50))
    assert re.search("\nenvironment +≠ +=  +same +all\n", text)


def drawing(visit: Item, below: Sequence[str], itself: Sequence[str] = ()) -> list[Item]:
    """A product, what it needs itself, and below the first of that what nothing else needs."""
    leaves = [Item(name) for name in below]
    others = [Item(name) for name in itself]
    if others:
        others[0] = replace(others[0], needs=tuple(map(needs, leaves)))
    visit = replace(visit, needs=tuple(map(needs, others)))
    return [visit, *others, *leaves, OTHER]


VISIT = Item("visit", "3.3", explicit=True, parameters={"gui": True})
WITHOUT_GUI = replace(VISIT, parameters={"gui": False})
WITH_QT = drawing(VISIT, ["cairo", *"abcde"], ["qt", "qwt"])
WITHOUT_QT = drawing(WITHOUT_GUI, [])


def test_dependencies_that_one_package_needed_are_told_with_it(tmp_path: Path) -> None:
    lines = report(tmp_path, {"a": (WITH_QT, WITHOUT_QT), "b": (WITH_QT, WITHOUT_QT)})
    assert (
        "- `a`, `b`, `c`, `cairo`, `d`, `e`, `qt`, `qwt` `1.0` from both environments, "
        "because of `visit` (now `~gui`)"
    ) in lines


def test_the_other_way_round_they_are_new_because_of_it(tmp_path: Path) -> None:
    lines = report(tmp_path, {"a": (WITHOUT_QT, WITH_QT), "b": (WITH_QT, WITH_QT)})
    assert (
        "- `a`, `b`, `c`, `cairo`, `d`, `e`, `qt`, `qwt` `1.0` in `a`, "
        "because of `visit` (now `+gui`)"
    ) in lines


def without_gui(names: str) -> Sides:
    """Nine upgrades, and a dependency that needs less by as many packages and three more."""

    def side(version: str, items: Sequence[Item]) -> list[Item]:
        visit = replace(items[0], explicit=False)
        sdk = Item("sdk", explicit=True, needs=(needs(visit),))
        apps = [Item(f"app{it}", f"{it}.{version}", explicit=True) for it in range(9)]
        return [*apps, sdk, visit, *items[1:]]

    return side("1", drawing(VISIT, ["cairo", *names], ["qt", "qwt"])), side("2", WITHOUT_QT)


@pytest.mark.parametrize(("others", "is_reason"), [((), False), (("qscintilla",), True)])
def test_an_option_of_a_dependency_that_is_off_is_named_if_others_are_gone_because_of_it_or_not(
    tmp_path: Path, others: Sequence[str], *, is_reason: bool
) -> None:
    sides: list[list[Item]] = []
    for version, below in (("1", ["qt", "qwt", *others]), ("2", [])):
        visit, *rest = drawing(WITHOUT_GUI if version == "2" else VISIT, [], below)
        sdk = Item("sdk", explicit=True, needs=(needs(replace(visit, explicit=False)),))
        apps = [Item(f"app{it}", f"{it}.{version}", explicit=True) for it in range(9)]
        sides.append([*apps, sdk, replace(visit, explicit=False), *rest])
    lines = report(tmp_path, {"a": (sides[0], sides[1])})
    told = "- dependency options turned off: `visit` `~gui`"
    assert told in lines
    gone = "- dependencies: 3 gone; all because of `visit` (now `~gui`)"
    assert (gone in lines) is is_reason


def test_a_reason_says_the_variant_because_of_which_others_are_gone(tmp_path: Path) -> None:
    newer = [replace(it, version="3.4") if it.name == "visit" else it for it in WITHOUT_QT]
    lines = report(tmp_path, {"a": (WITH_QT, newer)})
    assert "**Upgraded**: `visit` `3.3` → `3.4` (now `~gui`)" in lines


def test_where_no_product_changed_the_first_sentence_says_so(tmp_path: Path) -> None:
    old, new = (
        [*below, Item("app", explicit=True, needs=tuple(map(needs, below)))]
        for below in (
            [Item("one", "1.0"), Item("two", "1.0")],
            [Item("one", "1.1"), Item("two", "1.2")],
        )
    )
    found = report(tmp_path, {"a": (old, new)}, "-k", "!rebuilt")
    assert found[2] == (
        "No product changed in such a way; 2 dependencies are upgraded (`one` to `1.1`, `two` "
        "to `1.2`); without kind `rebuilt`."
    )


def test_a_product_that_changed_otherwise_is_not_denied(tmp_path: Path) -> None:
    old, new = (
        [*below, Item("app", version, explicit=True, needs=tuple(map(needs, below)))]
        for below, version in (
            ([Item("one", "1.1"), Item("two", "1.2")], "1.0"),
            ([Item("one", "1.0"), Item("two", "1.0")], "2.0"),
        )
    )
    found = report(tmp_path, {"a": (old, new)}, "-k", "downgraded")
    assert found[2] == (
        "No product changed in such a way; 2 dependencies are downgraded (`one` to `1.0`, `two` "
        "to `1.0`); only kind `downgraded`."
    )


def test_what_is_gone_because_of_another_is_no_sentence_where_it_is_little(tmp_path: Path) -> None:
    lines = report(tmp_path, {"a": (drawing(VISIT, ["cairo", *"abcd"], ["qt", "qwt"]), WITHOUT_QT)})
    assert [line for line in lines if "because of" in line] == [
        "- `a`, `b`, `c`, `cairo`, `d`, `qt`, `qwt` `1.0`, because of `visit` (now `~gui`)"
    ]


def test_builds_of_one_product_are_those_of_one_package(tmp_path: Path) -> None:
    def side(version: str) -> list[Item]:
        below = [Item(name, version) for name in ("m4", "zlib")]
        return [*below, *(Item("app", explicit=True, needs=(needs(it),)) for it in below)]

    sides = {"a": ([Item("other")], [Item("other"), *side("1")]), "b": (side("1"), side("2"))}
    lines = report(tmp_path, sides, "-p", "app")
    assert [line.partition(", ")[0] for line in lines if "builds" in line] == [
        "**With another hash**: 2 builds of `app` in `b`"
    ]


def test_a_short_comment_leaves_out_why_dependencies_are_gone_first(tmp_path: Path) -> None:
    report(tmp_path, {"a": without_gui("abcde")})
    text = run_cli("-C", tmp_path, "old", "new", "-f", "comment", "--max-length", "285").out
    assert "because of" not in text
    left_out = "details of dependencies and hashes, which versions dependencies lost"
    assert f"Only in the whole report: {left_out}." in text


def test_versions_that_are_gone_have_a_number_and_those_of_the_toolchain_no_item(
    tmp_path: Path,
) -> None:
    def products(*tools: tuple[str, str], **parameters: bool) -> list[Item]:
        tools = (*tools, *((f"app{it}", f"{tools[0][1]}.{it}") for it in range(4)))
        config = Item("config", explicit=True, parameters=parameters)
        return [config, *(Item(name, version, explicit=True) for name, version in tools)]

    lost = [(name, version) for name in ("flecsi", "python") for version in ("2.1", "2.2")]
    old = products(("up", "1.0"), ("gone", "1.0"), ("down", "1.1"), *lost, shared=True)
    new = products(("up", "1.1"), ("new", "1.0"), ("down", "1.0"), *lost[1::2], shared=False)
    lines = report(tmp_path, {"a": (old, new)})
    assert lines[2] == (
        "Of 11 products (root specs), `gone` is gone, `flecsi` and `python` lost versions, `new` "
        "is new, `down` is downgraded to `1.0`, 5 are upgraded, `config` is reconfigured."
    )
    assert list(filter(None, lines[4:16])) == [
        "Toolchain: `gcc` as before.",
        "**Lost**",
        "- gone: `gone` `1.0`",
        "- versions gone: `flecsi` `2.1` (only `2.2` now), `python` `2.1` (only `2.2` now)",
        "- options turned off: `config` `~shared`",
        "**New**: `new` `1.0`",
        "**Downgraded**: `down` `1.1` → `1.0`",
    ]
    assert "**Lost versions**: `flecsi`, `python` `2.1` gone, still has `2.2`" in lines


def test_what_differs_in_a_product_is_said_of_its_roots_alone(tmp_path: Path) -> None:
    def side(*, is_on: bool) -> list[Item]:
        below = Item("tool", "1.0", parameters={"below": is_on})
        app = Item("app", explicit=True, needs=(needs(below),))
        return [below, app, Item("tool", "2.0", explicit=True, parameters={"own": is_on})]

    lines = report(tmp_path, {"a": (side(is_on=True), side(is_on=False))})
    assert "**Reconfigured**: `tool` `2.0`: variant `+own` → `~own`" in lines
    assert "- `tool` `1.0`: variant `+below` → `~below`" in lines


def test_dependencies_of_another_major_version_are_counted_above_their_lines(
    tmp_path: Path,
) -> None:
    def side(number: int) -> list[Item]:
        below = [Item("one", f"{number}.0"), *(Item(f"lib{it}", f"1.{number}") for it in range(9))]
        return [*below, Item("app", f"1.{number}", explicit=True, needs=tuple(map(needs, below)))]

    lines = report(tmp_path, {"a": (side(1), side(2))})
    assert "10 packages upgraded (1 to another major version)" in "\n".join(lines)


def test_versions_gone_are_those_of_four_products_and_of_more(tmp_path: Path) -> None:
    def side(number: str, *versions: str) -> list[Item]:
        below = [Item(name, version) for name in ("lib", "tool0") for version in versions]
        edges = tuple(map(needs, below))
        apps = [Item(f"app{it}", f"{it}.{number}", explicit=True, needs=edges) for it in range(9)]
        tools = [Item(f"tool{it}", f"3.{it}", explicit=True, recipe=number) for it in range(7)]
        return [*below, *apps, *tools]

    gone = [Item(f"tool{it}", f"2.{it}", explicit=True) for it in range(1, 7)]
    lines = report(tmp_path, {"a": ([*side("1", "1.0", "2.0"), *gone], side("2", "2.0"))})
    named = ", ".join(f"`tool{it}` `2.{it}` (only `3.{it}` now)" for it in range(1, 5))
    told = [line for line in lines if line.startswith("**Lost**: versions")]
    assert told == [f"**Lost**: versions gone: {named} and of 2 more"]


def test_variants_that_are_off_now_in_all_builds_of_a_product_are_told_first(
    tmp_path: Path,
) -> None:
    def tool(version: str, *builds: dict[str, bool]) -> list[Item]:
        return [Item("tool", version, explicit=True, parameters={**it}) for it in builds]

    def products(version: str) -> list[Item]:
        return [Item(f"app{it}", f"{it}.{version}", explicit=True) for it in range(9)]

    on, off = {"mpi": True, "x": False}, {"mpi": False, "x": True}
    for name, old, new, words in (
        (
            "reconfigured",
            tool("1", on),
            tool("1", off),
            "**Lost**: options turned off: `tool` `~mpi`",
        ),
        ("upgraded", tool("1", on), tool("2", off), "**Lost**: options turned off: `tool` `~mpi`"),
        ("no loss", tool("1", {"test": True}), tool("2", {"test": False}), ""),
        ("one of two", tool("1", on, {**on, "y": True}), tool("1", off, {**on, "y": True}), ""),
        (
            "beside a version that stays",
            [*tool("1", on), *tool("2", {**on, "y": True})],
            [*tool("2", {**off, "y": True}), *tool("3", off)],
            "**Lost**: options turned off: `tool` `~mpi`",
        ),
        ("one stays", tool("1", on, {**on, "y": True}), tool("1", {**on, "y": True}, off), ""),
    ):
        sides = ([*products("1"), *old], [*products("2"), *new])
        lines = report(tmp_path / name, {"a": sides})
        assert [line for line in lines if "turned off" in line] == ([words] if words else []), name


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ({"x": True, "y": True}, {"y": True}, "options gone: `tool` `+x`"),
        ({"x": False}, {}, ""),
        ({"x": True, "tests": True}, {"x2": True}, ""),
        ({"x1": True}, {"x2": False, "y2": True}, "options gone: `tool` `+x1`"),
        ({}, {"x": True}, ""),
        ({"x": True}, {"x": False}, "options turned off: `tool` `~x`"),
    ],
)
def test_an_option_that_was_on_and_is_there_no_more_is_lost(
    tmp_path: Path, old: dict[str, bool], new: dict[str, bool], told: str
) -> None:
    """Its recipe has no such variant any more, as that of adios2 has no ssc.

    Of dependencies it is not said: that of numpy has no blas any more, as it always uses one.
    """
    lines = {}
    for explicit in (True, False):
        sides = []
        for number, variants in (("1", old), ("2", new)):
            tool = Item("tool", explicit=explicit, parameters={**variants})
            apps = [
                Item(f"app{it}", f"{it}.{number}", explicit=True, needs=(needs(tool),))
                for it in range(9)
            ]
            sides.append([*apps, tool])
        lines[explicit] = report(tmp_path / str(explicit), {"a": (sides[0], sides[1])})
    assert (f"**Lost**: {told}" in lines[True]) is bool(told)
    is_off = told.startswith("options turned off")
    assert (f"**Lost**: dependency {told}" in lines[False]) is is_off
    for explicit, is_lost in ((True, bool(told)), (False, is_off)):
        assert any("**Lost**" in it for it in lines[explicit]) is is_lost


def test_of_what_is_upgraded_new_builds_are_named_with_those_of_others(tmp_path: Path) -> None:
    def tool(name: str, version: str, *values: str) -> list[Item]:
        return [Item(name, version, explicit=True, parameters={"arch": it}) for it in values]

    old, new = (
        [Item(f"app{it}", f"{it}.{number}", explicit=True) for it in range(9)] for number in "12"
    )
    # Classes that few look for are one number in the sentence, and named below it.
    some = [
        [*tool("lib", "1.0", arch), *tool("date", date, "80")]
        for arch, date in (("80", "20180129"), ("90", "0.11.0"))
    ]
    sides = (
        [*old, *MANY["gone"], *tool("up", "1.0", "80"), *tool("more", "1.0", "80"), *some[0]],
        [
            *(*new, *MANY["new"], *some[1]),
            *(*tool("up", "1.1", "80", "90"), *tool("more", "1.0", "80", "90")),
        ],
    )
    lines = report(tmp_path, {"a": sides, "b": sides})
    told = lines.index("**With more builds**")
    assert lines[told + 2 : told + 4] == [
        "- `more` (1 new build with `arch=90`), in both",
        "- also upgraded: `up` (1 new build with `arch=90`), in both",
    ]


def test_lost_builds_of_dependencies_are_counted_with_what_else_they_lost(tmp_path: Path) -> None:
    old, new = (
        [Item(f"app{it}", f"{it}.{number}", explicit=True) for it in range(9)] for number in "12"
    )
    lib = [Item("lib", parameters={"arch": it}) for it in ("80", "90")]
    bits = [Item(f"bit{it}") for it in range(3)]
    old = [replace(it, needs=tuple(map(needs, (*lib, *bits)))) for it in old]
    new = [replace(it, needs=(needs(lib[0]),)) for it in new]
    stacks = {"a": ([*old, *lib, *bits, *MANY["gone"]], [*new, lib[0], *MANY["new"]])}
    lines = report(tmp_path, stacks)
    told = [it for it in lines if it.startswith("- dependencies: ")]
    assert told == ["- dependencies: 3 gone, 1 lost a build"]


def test_where_packages_fell_is_said_of_a_few_of_more_stacks(tmp_path: Path) -> None:
    newer, older = ([Item("tool", version, explicit=True)] for version in ("1.1", "1.0"))
    up = (older, newer)
    other = ([Item("up", "1.0", explicit=True)], [Item("up", "1.1", explicit=True)])
    fell = ([*newer, *other[0]], [*older, *other[1]])
    lines = report(tmp_path / "two", {"a": fell, "b": fell, "c": up})
    assert lines[2].startswith("`tool` is downgraded in `a` and `b`, `up` is upgraded to `1.1`.")
    first, second = ([Item("other", it, explicit=True)] for it in ("1.1", "1.0"))
    lines = report(tmp_path / "or", {"a": fell, "b": (first, second), "c": up})
    assert lines[2].startswith(
        "2 products are downgraded in `a` or `b` (`tool` to `1.0`, `other` to `1.0`), "
        "`up` is upgraded"
    )
    tags = {"x/a": fell, "x/b": up, "x/c": up, "y/a": up, "y/b": fell}
    lines = report(tmp_path / "tags", tags)  # a stack is that of one tag
    assert lines[2].startswith("`tool` is downgraded to `1.0`, `up` is upgraded to `1.1`.")
    lines = report(tmp_path / "all", {"a": fell, "b": fell})
    assert lines[2].startswith("`tool` is downgraded to `1.0`, `up` is upgraded to `1.1`.")


def test_what_took_a_package_away_says_nothing_of_the_compiler_of_its_name(tmp_path: Path) -> None:
    def side(version: str, *more: Item) -> bytes:
        apps = (Item(f"app{it}", f"{it}.{version}", explicit=True) for it in range(10))
        items = [replace(it, compiler=("gcc", version)) for it in (*apps, *more)]
        return to_bytes(lock(items, 5))

    gcc = Item("gcc", "9.1", compiler=("gcc", "12"))
    above = Item("above", explicit=True, needs=(needs(gcc),))
    write_files(tmp_path, {"old/spack.lock": side("12", above, gcc), "new/spack.lock": side("13")})
    sentence = run_cli("-C", tmp_path, "old", "new").out.splitlines()[2]
    assert sentence == "Of 11 products, `above` is gone, 10 are upgraded; `gcc` `12` → `13`."


def test_how_many_builds_there_are_is_said_where_all_that_changed_is_told(tmp_path: Path) -> None:
    old, new = ([it for name in "xyz" for it in builds(name, gpu=gpu)] for gpu in ("89", "8"))
    assert "**Builds**: 6 → 3, 3 as before, 3 gone" in report(tmp_path / "a", {"a": (old, new)})
    more = [*new, Item("dependency")]
    more += [Item("user", explicit=True, needs=(needs(more[-1]),))]
    assert "**Builds**: 6 → 5, 3 as before, 3 gone, 2 new" in report(
        tmp_path / "b", {"a": (old, more)}
    )
    roots = report(tmp_path / "c", {"a": (old, more)}, "--explicit")
    assert not any(line.startswith("**Builds**") for line in roots)


def test_names_that_are_too_many_for_the_sentence_are_a_list_with_what_happened(
    tmp_path: Path,
) -> None:
    def side(**versions: str) -> list[Item]:
        return [Item(name, version, explicit=True) for name, version in versions.items()]

    new = {"a1": "1.0", "a2": "1.0"}  # one stack has them already
    up = {f"u{number}": "1.0" for number in range(2)}
    stacks = {
        "a": (side(**up, d="2.0", gone="1.0"), side(**dict.fromkeys(up, "2.0"), d="1.0", **new)),
        "b": (side(**new, d="2.0", e="1.1"), side(**new, d="1.0", e="1.0")),
    }
    lines = report(tmp_path, stacks)
    came = "`gone` is gone, `a1` and `a2` are new in"
    assert lines[2].startswith(
        f"{came} `a`, 2 products are downgraded (`d` to `1.0`, `e` to `1.0`), "
    )
    assert lines[4:11:2] == [
        "**Lost**: gone: `gone` `1.0` (`a`)",
        "**Now in more environments**: `a1` `1.0`, `a2` `1.0` (`a`)",
        "**Downgraded**: `d` `2.0` → `1.0` (both); `e` `1.1` → `1.0` (`b`)",
        "**Upgraded to another major version**: `u0` `1.0` → `2.0`, `u1` `1.0` → `2.0` (`a`)",
    ]
    # Of several tags the sentence has the names: places alone would not say in which that is.
    both = {f"{tag}/{stack}": sides for tag in "xy" for stack, sides in stacks.items()}
    lines = report(tmp_path / "tags", both)
    assert lines[2].startswith(f"{came} some environments, ")
    assert "**Now in more environments**: `a1` `1.0`, `a2` `1.0` (`a`)" not in lines


def test_what_is_reconfigured_is_named_above_the_table(tmp_path: Path) -> None:
    def side(version: str, is_on: bool, *roots: str) -> list[Item]:
        ups = [Item(f"u{n}", f"{n}.{version}", explicit=True) for n in range(12)]
        other = [Item(f"r{n}", parameters={"shared": is_on}, explicit=True) for n in "12"]
        return [*ups, *other, *(Item(name, explicit=True) for name in roots)]

    gone, new = ([f"{it}{n}" for n in range(4)] for it in ("gone", "new"))
    stacks = {it: (side("1", False, *gone), side("2", True, *new)) for it in "ab"}
    named = "**Reconfigured**: `r1` `+shared`, `r2` `+shared` (both)"
    lines = report(tmp_path, stacks)
    assert named in lines[: lines.index("## Products (root specs)")]
    comment = report(tmp_path, stacks, "-f", "comment", "--max-length", "900")
    assert named in comment
    assert not [line for line in comment if "2 products reconfigured" in line]


def test_older_versions_that_came_beside_others_for_a_new_root_are_told_with_it(
    tmp_path: Path,
) -> None:
    def libs(version: str) -> list[Item]:
        return [Item(f"lib{number}", version) for number in range(3)]

    user = Item("user", explicit=True, needs=tuple(map(needs, libs("2.0"))))
    root = Item("root", explicit=True, needs=tuple(map(needs, libs("1.0"))))
    sides = ([*libs("2.0"), user], [*libs("2.0"), *libs("1.0"), user, root])
    lines = report(tmp_path, {"a": sides, "b": (sides[0], sides[0])})
    older = "`lib0` `1.0`, `lib1` `1.0`, `lib2` `1.0`"
    assert f"**`root` is new in `a`**: older {older} added for it" in lines
    below = "\n".join(lines).partition("Dependencies: ")[2]
    assert "`lib0`, `lib1`, `lib2` `1.0` added beside the newer `2.0` (`a`)" in below
    assert "needed by" not in below  # that is said above


def test_of_several_older_versions_none_is_said_to_be_needed(tmp_path: Path) -> None:
    """One of them may be there for somebody else."""

    def libs(version: str, *, explicit: bool = False) -> list[Item]:
        return [Item(f"lib{number}", version, explicit=explicit) for number in range(3)]

    user = Item("user", explicit=True, needs=tuple(map(needs, libs("2.0"))))
    root = Item("root", explicit=True, needs=tuple(map(needs, libs("1.5"))))
    old = [*libs("2.0"), user]
    new = [*old, *libs("1.5"), *libs("1.0", explicit=True), root]
    lines = report(tmp_path, {"a": (old, new)})
    assert "**`root` is new**: older `lib0`, `lib1`, `lib2` added for it" in lines


def test_a_product_that_lost_builds_beside_a_version_that_came_lost_no_version(
    tmp_path: Path,
) -> None:
    old = [Item("hdf5", "2.0", explicit=True), *builds("hdf5", number="123")]
    old = [replace(item, version="2.0") for item in old]
    other = [Item("other", "1.0", explicit=True, parameters={"on": it}) for it in (True, False)]
    new = [Item("hdf5", it, explicit=True) for it in ("2.0", "1.1")]
    lines = report(tmp_path, {"a": ([*old, other[0]], [*new, other[1]])})
    assert lines[2] == "`hdf5` lost builds, `other` is reconfigured. `hdf5` also has `1.1` now."
    beside = "`1.1` added beside the newer `2.0`, 3 of 4 builds of `2.0` gone"
    assert f"**Lost builds**: `hdf5` {beside}" in lines


def test_new_roots_of_two_sorts_keep_their_names_and_are_not_there_too(tmp_path: Path) -> None:
    def libs(version: str) -> list[Item]:
        return [Item(f"lib{number}", version) for number in range(3)]

    def above(name: str, version: str) -> Item:
        return Item(name, explicit=True, needs=tuple(map(needs, libs(version))))

    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
    gone = [Item(f"gone{number}", explicit=True) for number in range(3)]
    old = [*libs("2.0"), above("user", "2.0"), *ups[0], *gone]
    roots = [above(name, "1.0") for name in ("aa", "bb", "dd", "ee")]
    new = [*libs("2.0"), *libs("1.0"), above("user", "2.0"), *ups[1], *roots]
    there = [Item(name, explicit=True) for name in ("dd", "ee")]
    lines = report(tmp_path, {"a": (old, new), "b": ([*there, *ups[0]], [*there, *ups[1]])})
    brought = "`lib0` `1.0`, `lib1` `1.0`, `lib2` `1.0`"
    now = "`aa`, `bb`, `dd`, `ee` are new in `a`"
    assert f"**{now}**: older {brought} added for them" in lines
    assert "**New**: `aa` `1.0`, `bb` `1.0` (`a`)" in lines
    assert "**Now in more environments**: `dd` `1.0`, `ee` `1.0` (`a`)" in lines


def test_the_sentence_says_with_what_builds_were_lost_where_that_is_one_thing_or_two(
    tmp_path: Path,
) -> None:
    mpis = {it: Item(it, explicit=True) for it in ("openmpi", "mpich", "mvapich")}

    def users(names: str, *tools: str) -> list[Item]:
        some = [
            Item(it, explicit=True, needs=(needs(mpis[tool]),)) for it in names for tool in tools
        ]
        return [*(Item(it, explicit=True) for it in names), *some]

    every = [*mpis.values(), *users("pqr", *mpis)]
    lost, none = "3 products (`p`, `q`, `r`) lost builds", "(none left)"
    for number, (left, words) in enumerate(
        (
            (users("pqr", "mpich", "mvapich"), f"{lost} with `openmpi` `1.0` {none},"),
            (
                [*users("pq", "mpich", "mvapich"), *users("r", "openmpi", "mvapich")],
                f"{lost} with `openmpi` `1.0` {none}, or with `mpich` `1.0` {none}.",
            ),
            (
                [it for n, name in enumerate("pqr") for it in users(name, *list(mpis)[:n])],
                "3 products (`p`, `q`, `r`) lost builds,",
            ),
            (
                users("pqr", "mvapich"),
                f"{lost} with `mpich` `1.0` {none} and builds with `openmpi` `1.0` {none}.",
            ),
        )
    ):
        sides = [*every, OTHER], [*mpis.values(), *left, replace(OTHER, version="1.1")]
        lines = report(tmp_path / str(number), {"a": sides})
        # What is said of two things has a paragraph of its own.
        told = " ".join(filter(None, lines[2:5] if words.endswith(".") else lines[2:3]))
        assert told == f"{words} `{OTHER.name}` is upgraded to `1.1`."


def test_a_lost_build_that_nothing_tells_has_no_reason_in_the_sentence(tmp_path: Path) -> None:
    def side(*values: str) -> list[Item]:
        return [
            Item(name, explicit=True, parameters={"x": it[0], "y": it[1]})
            for name in "pq"
            for it in values
        ]

    # Another build has each value of the first that is gone; none has x=2.
    sides = [*side("10", "11", "00", "20"), OTHER], [*side("11", "00"), replace(OTHER, version="2")]
    lines = report(tmp_path, {"a": sides})
    assert lines[2].startswith("`p` and `q` lost builds, `other` is upgraded ")


def test_what_there_is_no_build_with_any_more_is_said_once(tmp_path: Path) -> None:
    """Not with a version of it as well: the stack has another one still."""
    mpis = [Item("openmpi", it, explicit=True) for it in ("4.0", "4.1", "5.0")]
    with_mpi = [Item(it, explicit=True, needs=(needs(mpi),)) for it in "pqr" for mpi in mpis[:2]]
    without = [Item(it, explicit=True) for it in "pqr"]
    others = [
        [Item(f"lib{n}", explicit=True, parameters={f"with_{n}": it}) for n in range(9)]
        for it in (True, False)
    ]
    old = [*mpis, *with_mpi, *without, *others[0], *others[1]]
    new = [*mpis, *without, *others[1]]
    fell = [replace(it, version="0.9") if it.name == "p" else it for it in without]
    lines = report(tmp_path, {"a": (old, new), "b": (without, fell)})
    [told] = [line for line in lines if "no build" in line.lower()]
    assert told.endswith(". In `a` no build with `openmpi` is left of `p`, `q`, `r`.")


def test_builds_that_are_as_before_and_those_of_which_only_the_hash_changed_are_counted(
    tmp_path: Path,
) -> None:
    def side(gpus: str, version: str) -> list[Item]:
        zlib = Item("zlib", version)
        apps = [Item(f"app{n}", explicit=True, needs=(needs(zlib),)) for n in range(2)]
        return [*(item for name in "xyz" for item in builds(name, gpu=gpus)), zlib, *apps]

    lines = report(tmp_path, {"a": (side("89", "1.0"), side("8", "1.1"))})
    told = "**Builds**: 9 → 6, 3 as before, 2 with another hash, 4 gone, 1 new"
    assert lines[-1] == f"{told} (a build that changed its version counts as gone and as new)"


@pytest.mark.parametrize(
    ("number", "has_names", "is_listed"), [(1, True, False), (2, True, True), (2, False, False)]
)
def test_several_that_are_no_roots_any_more_are_listed_where_names_are(
    tmp_path: Path, number: int, *, has_names: bool, is_listed: bool
) -> None:
    tools = [Item(f"tool{n}", f"{n}.1", explicit=True) for n in range(number)]
    below = [replace(it, version=f"{n}.2", explicit=False) for n, it in enumerate(tools)]
    app = Item("app", explicit=True)
    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
    gone, new = ([Item(f"{it}{n}", explicit=True) for n in range(4)] for it in ("gone", "new"))
    old = [*tools, app, *ups[0], *(gone if has_names else ())]
    now = [*below, replace(app, needs=tuple(map(needs, below))), *ups[1]]
    lines = report(tmp_path, {"a": (old, [*now, *(new if has_names else ())])})
    names = ", ".join(f"`tool{n}`" for n in range(number))
    both = names if number == 2 else "`tool0`"
    listed = f"{NO_ROOTS}: {names}"
    assert (listed in lines) is is_listed
    said = f"{both} {'is' if number == 1 else 'are'} no longer "
    assert any(said in line for line in lines[2:5]) is not is_listed


@pytest.mark.parametrize("has_names", [True, False])
def test_how_many_products_there_are_adds_up_where_others_became_roots(
    tmp_path: Path, *, has_names: bool
) -> None:
    tools = [Item(f"tool{n}", explicit=True) for n in range(3)]
    libs = [Item(f"lib{n}") for n in range(2)]
    below = [replace(it, explicit=False) for it in tools]
    app = Item("app", explicit=True)
    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
    few = [[Item(f"{it}{n}", explicit=True) for n in range(4)] for it in ("gone", "new")]
    old = [*tools, *libs, replace(app, needs=tuple(map(needs, [*tools, *libs]))), *ups[0]]
    roots = [replace(it, explicit=True) for it in libs]
    now = [*below, *roots, replace(app, needs=tuple(map(needs, [*below, *roots]))), *ups[1]]
    sides = ([*old, *few[0]], [*now, *few[1]]) if has_names else (old, now)
    text = "\n".join(report(tmp_path, {"a": sides}))
    if has_names:
        ledger = "17 before, 16 now; 3 are only dependencies now"
        others = "2 were only dependencies before"
        assert f"\nProducts (root specs): {ledger}, {others}. 4 are gone, 4 are new, " in text
    else:
        assert " 3 of the 13 products before are no longer root specs." in text


def test_what_is_no_root_any_more_is_counted_with_what_lost_builds_too(tmp_path: Path) -> None:
    tools = [
        Item(f"tool{n}", explicit=True, parameters={"gpu": gpu})
        for n in range(2)
        for gpu in ("8", "9")
    ]
    same = Item("same", explicit=True)
    below = [replace(it, explicit=False) for it in (tools[0], tools[2], same)]
    gone, new = ([Item(f"{it}{n}", explicit=True) for n in range(4)] for it in ("gone", "new"))
    app = Item("app", explicit=True, needs=tuple(map(needs, below)))
    old = [*tools, same, *gone, replace(app, needs=tuple(map(needs, (*tools, same))))]
    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
    lines = report(tmp_path, {"a": ([*old, *ups[0]], [*below, app, *new, *ups[1]])})
    assert lines[2].startswith(
        "Products (root specs): 17 before, 14 now; 3 are only dependencies now. 4 are gone, "
    )
    told = [line for line in lines[6:] if line.startswith("**") and "`same`" in line]
    assert told == [
        f"{NO_ROOTS}: `tool0`, `tool1`, `same`",
        "**Now only a dependency (no other news)**: `same`",
    ]


@pytest.mark.parametrize(("stay", "is_told"), [(1, False), (3, True)])
def test_of_builds_that_have_another_version_now_none_is_missed(
    tmp_path: Path, stay: int, *, is_told: bool
) -> None:
    """Those of another compiler moved on; of a version that most of them keep it is told."""
    tools = [Item("tool", "1.0", explicit=True, parameters={"gpu": str(n)}) for n in range(stay)]
    other = [
        Item(
            "tool",
            "1.0",
            explicit=True,
            parameters={"gpu": f"9{n}"},
            compiler=("llvm", "17.0.6"),
        )
        for n in range(3)
    ]
    others = [Item(f"up{n}", explicit=True, compiler=("llvm", "17.0.6")) for n in range(9)]
    moved = [replace(it, version="1.1") for it in other]
    came = [replace(moved[0], parameters={"gpu": f"8{n}"}) for n in range(2 if is_told else 0)]
    up = [replace(it, version="1.1") for it in others]
    lines = report(tmp_path, {"a": ([*tools, *other, *others], [*tools, *moved, *came, *up])})
    said = [line for line in lines if "no build" in line.lower()]
    assert bool(said) is is_told, lines
    assert all("`tool` `1.0`" in line and "(`1.1` has)" in line for line in said)


def downgraded(side: str) -> dict[str, str]:
    """Products that fall from side "1" to "2", so many that a comment folds its lines."""
    return {f"d{number}": f"{number}.{9 - int(side)}" for number in range(30)}


def test_a_comment_names_each_step_of_an_upgrade(tmp_path: Path) -> None:
    def side(ups: str, own: str, beside: str, **more: str) -> list[Item]:
        versions = {f"f{n}": f"{n}.{ups}" for n in range(9)} | downgraded(ups) | {"p": own, **more}
        return [Item(name, it, explicit=True) for name, it in (versions | {"q": beside}).items()]

    gone, new = ({f"{it}{n}": "1.0" for n in range(4)} for it in ("gone", "new"))
    stacks = {
        "a": (side("1", "1.0", "1.0", **gone), side("2", "1.1", "1.1", **new)),
        "b": (side("1", "1.5", "1.0"), side("2", "1.6", "1.1")),
    }
    lines = report(tmp_path, stacks, "-f", "comment")
    [upgraded] = [line for line in lines if line.startswith("**Upgraded**: `f0` `0.1` → `0.2`, ")]
    steps = "`p` `1.0` → `1.1` (`a`); `p` `1.5` → `1.6` (`b`)"
    assert upgraded.endswith(f", `q` `1.0` → `1.1` (both); {steps}")


def test_what_is_new_in_one_stack_and_upgraded_in_another_is_among_the_upgrades(
    tmp_path: Path,
) -> None:
    def side(version: str) -> list[Item]:
        versions = {f"f{n}": f"{n}.{version}" for n in range(9)} | downgraded(version)
        return [Item(name, it, explicit=True) for name, it in versions.items()]

    new = [Item(f"new{n}", explicit=True) for n in range(4)]
    torch = [Item("torch", it, explicit=True) for it in ("2.0", "2.1")]
    gone = [Item(f"gone{n}", explicit=True) for n in range(4)]
    stacks = {
        "a": ([*side("1"), *gone], [*side("2"), *new, torch[1]]),
        "b": ([*side("1"), torch[0]], [*side("2"), torch[1]]),
    }
    lines = report(tmp_path, stacks, "-f", "comment")
    at = lines.index("**Upgraded**")
    assert lines[at + 2].endswith(", `f8` `8.1` → `8.2` (both)")
    assert lines[at + 3] == "- named above: `torch` `2.0` → `2.1` (`b`)"
    [told] = [line for line in lines if line.startswith("**Now in more environments**: ")]
    assert "`torch` `2.1` (`a`)" in told


def test_a_comment_names_a_place_once_of_steps_that_lines_tell_apart(tmp_path: Path) -> None:
    """Builds differ from place to place, so no line is about both."""

    def side(version: str, stack: str) -> list[Item]:
        versions = {f"f{n}": f"{n}.{version}" for n in range(9)} | downgraded(version)
        ups = [Item(name, it, explicit=True) for name, it in versions.items()]
        numbers = "12" if (version, stack) == ("2", "b") else "1"
        return ups + [
            Item(name, f"1.{version}", explicit=True, parameters={"n": it})
            for name in ("r", "s")
            for it in numbers
            if stack != "c"
        ]

    gone, new = ([Item(f"{it}{n}", explicit=True) for n in range(4)] for it in ("gone", "new"))
    stacks = {it: (side("1", it), side("2", it)) for it in "abc"}
    stacks["a"] = ([*stacks["a"][0], *gone], [*stacks["a"][1], *new])
    lines = report(tmp_path, stacks, "-f", "comment")
    [upgraded] = [line for line in lines if line.startswith("**Upgraded**: ")]
    assert upgraded.endswith(" (all 3); `r` `1.1` → `1.2`, `s` `1.1` → `1.2` (all but `c`)")


def test_what_several_new_roots_bring_is_because_of_them(tmp_path: Path) -> None:
    fell = [replace(tool, explicit=False, version="1.9") for tool in TOOLS]
    roots = [Item(name, explicit=True, needs=tuple(map(needs, fell))) for name in ("aa", "bb")]
    more = [Item(f"n{number}", explicit=True) for number in range(3)]
    lines = report(tmp_path, {"a": ([*TOOLS, OTHER], [*fell, *roots, *more, OTHER])})
    assert lines[2] == (
        "5 products are new, 3 (`tool0`, `tool1`, `tool2`) are downgraded for `aa`, `bb`."
    )
    because = "**`aa` `1.0`, `bb` `1.0` are new and need older versions**"
    assert any(it.startswith(f"{because}: downgraded: `tool0` `2.0` → `1.9`, ") for it in lines)
    assert "**New**: `n0` `1.0`, `n1` `1.0`, `n2` `1.0`" in lines


def test_of_versions_that_are_gone_in_many_sets_of_stacks_the_others_are_counted(
    tmp_path: Path,
) -> None:
    def sides(name: str) -> Sides:
        both = [Item(name, it, explicit=True) for it in ("1.0", "2.0")]
        ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
        return [*both, *ups[0]], [both[1], *ups[1]]

    lines = report(tmp_path, {name: sides(f"of-{name}") for name in "abcde"})
    told = "; ".join(f"`of-{it}` `1.0` (only `2.0` now), in `{it}`" for it in "abc")
    assert f"**Lost**: versions gone: {told}; others in 2 more sets of environments" in lines


def test_where_a_new_root_brings_less_than_everywhere_it_says_where(tmp_path: Path) -> None:
    """It is new in all stacks, and what fell or came in some of them did not in the others."""
    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
    fell = [Item(f"p{number}", "1.0") for number in range(4)]
    old = [*(replace(it, version="2.0", explicit=True) for it in fell), *ups[0]]
    brings = [*fell, Item("sdk", explicit=True, needs=tuple(map(needs, fell))), *ups[1]]
    more = [Item(f"n{number}", explicit=True) for number in range(3)]
    stacks = {
        "a": (old, [*brings, *more]),
        "b": (old, brings),
        "c": (ups[0], [Item("sdk", explicit=True), *ups[1]]),
    }
    lines = report(tmp_path, stacks)
    because = "**`sdk` `1.0` is new in all 3 and needs older versions**"
    needed = "downgraded in all but `c`: `p0` `2.0` → `1.0`, "
    assert any(it.startswith(f"{because}: {needed}") for it in lines)
    assert f"{NO_ROOTS}: all but `c`: `p0`, `p1`, `p2`, `p3`" in lines


def test_older_versions_are_told_by_where_they_came(tmp_path: Path) -> None:
    def libs(name: str, version: str) -> list[Item]:
        return [Item(f"{name}{number}", version) for number in range(2)]

    def sides(name: str) -> Sides:
        old, new = libs(name, "2.0"), libs(name, "1.0")
        user = Item("user", explicit=True, needs=tuple(map(needs, old)))
        root = Item("root", explicit=True, needs=tuple(map(needs, new)))
        return [*old, user], [*old, *new, user, root]

    lines = report(tmp_path, {"a": sides("x"), "b": sides("y")})
    older = "`x0` `1.0`, `x1` `1.0` (`a`); `y0` `1.0`, `y1` `1.0` (`b`)"
    assert f"**`root` is new in both**: older versions added for it: {older}" in lines


def test_a_package_that_is_gone_with_stacks_says_so_in_brackets(tmp_path: Path) -> None:
    lone, app = Item("lone", explicit=True), Item("app", explicit=True)
    up = replace(app, version="1.1")
    sides = dict.fromkeys("ab", ([lone, app], [up]))
    report(tmp_path, sides)
    write_files(tmp_path, {f"old/{it}/spack.lock": to_bytes(lock([lone, app])) for it in "cd"})
    lines = run_cli("-C", tmp_path, "old", "new", "-f", "text").out.splitlines()
    assert "Gone: lone 1.0 (all 4, 2 of them removed)" in lines


def test_a_comment_counts_upgrades_that_are_too_many_to_name(tmp_path: Path) -> None:
    def side(number: int, ups: str, **more: str) -> list[Item]:
        versions = {f"f{n:02}": f"{n}.{ups}" for n in range(number)} | downgraded(ups) | more
        return [Item(name, it, explicit=True) for name, it in versions.items()]

    gone, new = ({f"{it}{n}": "1.0" for n in range(4)} for it in ("gone", "new"))
    steps = ", ".join(f"`f{n:02}` `{n}.1` → `{n}.2`" for n in range(80))
    for number, told in (
        (80, [f"**Upgraded**: {steps}", ""]),
        (90, [f"**Upgraded**: {steps} and 10 more products", ""]),
    ):
        stacks = {"a": (side(number, "1", **gone), side(number, "2", **new))}
        lines = report(tmp_path / str(number), stacks, "-f", "comment")
        begin = lines.index(told[0])
        assert lines[begin : begin + len(told)] == told
    for most in range(3000, 4000, 200):  # lines are left out, and no step
        arguments = ("-f", "comment", "--package-url", "", "--max-length", str(most))
        text = run_cli("-C", tmp_path / "90", "old", "new", *arguments).out
        assert f"\n**Upgraded**: {steps} and 10 more products\n" in text
        assert "details of what is named above" in text


def test_what_some_builds_lost_their_compiler_is_reconfigured(tmp_path: Path) -> None:
    def builds(*compilers: str) -> list[Item]:
        return [
            Item("x", explicit=True, compiler=(it, "12") if it else None, parameters={"n": str(n)})
            for n, it in enumerate(compilers)
        ]

    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
    unnamed = " (no compiler named any more)"
    for compilers, words in ((("", "gcc"), ""), (("", ""), unnamed)):
        sides = [*builds("gcc", "gcc"), *ups[0]], [*builds(*compilers), *ups[1]]
        lines = report(tmp_path / str(len(words)), {"a": sides})
        assert f"upgraded, `x` is reconfigured{words}" in lines[2]
        assert not [line for line in lines if "with none" in line]


def test_what_went_to_a_version_that_was_there_is_downgraded_in_part(tmp_path: Path) -> None:
    def side(*versions: str) -> list[Item]:
        return [
            Item(name, it, explicit=True, parameters={"n": str(n)})
            for name in "pq"
            for n, it in enumerate(versions)
        ]

    sides = [*side("2.0", "2.0", "1.9"), OTHER], [*side("2.0", "1.9", "1.9")]
    lines = report(tmp_path, {"a": sides})
    words = "(`p` with `1.9` beside `2.0`, `q` with `1.9` beside `2.0`)"
    assert lines[2] == f"`other` is gone, 2 products are downgraded {words}."


def test_of_several_versions_that_came_the_sentence_names_all(tmp_path: Path) -> None:
    sides = [
        [Item(name, f"1.{it}", explicit=True, parameters={"n": it}) for name in "pq" for it in some]
        for some in ("0", "12")
    ]
    lines = report(tmp_path, {"a": ([*sides[0], OTHER], sides[1])})
    assert "(`p` to `1.2` and `1.1`, `q` to `1.2` and `1.1`)" in lines[2]


@pytest.mark.parametrize(
    ("field", "is_told"), [("os", True), ("target", True), ("compiler", False)]
)
def test_the_sentence_tells_what_all_of_an_environment_moved_to(
    tmp_path: Path, field: str, *, is_told: bool
) -> None:
    """Of a compiler the toolchain says it."""
    values: dict[str, Any] = {"os": ("sles14", "sles15"), "target": ("zen3", "zen4")}
    values["compiler"] = ("gcc", "12.1"), ("gcc", "13.2")
    ups, apps = (
        [[Item(f"{name}{n}", f"{n}.{it}", explicit=True) for n in range(12)] for it in versions]
        for name, versions in (("up", "12"), ("app", "11"))
    )
    sides = [
        [
            replace(it, **{field: values[field][number]})
            for it in (*ups[number], *apps[number], Item("openmpi", f"4.{number}", explicit=True))
        ]
        for number in range(2)
    ]
    lines = report(tmp_path, {"a": (sides[0], sides[1]), "b": ([OTHER], [OTHER])})
    told = f", {field} `{values[field][0]}` → `{values[field][1]}` (`a`)."
    assert (told in lines[2]) is is_told
    assert lines[2].count("13.2") <= 1


def test_what_products_lost_while_they_were_upgraded_elsewhere_is_not_left_out(
    tmp_path: Path,
) -> None:
    mpis = [Item(it, explicit=True) for it in ("openmpi", "mpich")]

    def users(version: str, *tools: Item) -> list[Item]:
        return [
            Item(name, version, explicit=True, needs=tuple(map(needs, some)))
            for name in "pqr"
            for some in ((), *((tool,) for tool in tools))
        ]

    both = [*mpis, *users("1.0", mpis[0])]
    lost = (both, [*mpis, *users("1.0")])
    elsewhere = ([*mpis, *users("1.0", mpis[1])], [*mpis, *users("1.1")])
    more = [OTHER], [replace(OTHER, version="1.1")]
    lines = report(tmp_path / "one", {"a": lost, "b": (both, both), "c": more})
    assert "(`p`, `q`, `r`) lost builds with `openmpi` `1.0`" in lines[2]
    lines = report(tmp_path / "two", {"a": lost, "b": elsewhere, "c": more})
    words = "with `openmpi` `1.0` and builds with `mpich` `1.0`"
    assert lines[2].endswith(f"(`p`, `q`, `r`) lost builds {words}.")
    assert lines[4].startswith("`other` is upgraded")


def test_what_fell_as_its_highest_version_is_gone_went_nowhere(tmp_path: Path) -> None:
    def side(*versions: str) -> list[Item]:
        return [Item(name, it, explicit=True) for name in "pq" for it in versions]

    lines = report(tmp_path, {"a": ([*side("1.0", "2.0"), OTHER], side("1.0"))})
    assert lines[2] == "`other` is gone, 2 products are downgraded (`p`, `q`)."


@pytest.mark.parametrize(
    ("stacks", "upgraded", "lost"),
    [("a", "with 2 builds gone)", "lost a build "), ("ab", "with builds gone)", "lost builds ")],
)
def test_builds_that_several_environments_lost_are_several(
    tmp_path: Path, stacks: str, upgraded: str, lost: str
) -> None:
    def builds_of(name: str, version: str, *values: str) -> list[Item]:
        return [Item(name, version, explicit=True, parameters={"n": it}) for it in values]

    old = [
        *builds_of("p", "1.0", *"123"),
        *builds_of("q", "1.0", "1"),
        *builds_of("r", "1.0", *"123"),
    ]
    new = [*builds_of("p", "1.1", "1"), *builds_of("q", "1.1", "1"), *builds_of("r", "1.0", *"12")]
    lines = report(tmp_path, dict.fromkeys(stacks, (old, new)))
    ups = f"2 products are upgraded (`p` to `1.1` {upgraded[:-1]}, `q`"
    assert f"`r` {lost}with `n=3`, {ups}" in lines[2]


def test_builds_of_a_version_that_stays_are_counted_once_beside_a_step_down(
    tmp_path: Path,
) -> None:
    def builds_of(version: str, *values: str) -> list[Item]:
        return [Item("p", version, explicit=True, parameters={"n": it}) for it in values]

    few = [[Item(f"{it}{n}", explicit=True) for n in range(4)] for it in ("gone", "new")]
    old = [*few[0], *builds_of("1.3", "1"), *builds_of("1.2", *"123")]
    lines = report(tmp_path, {"a": (old, [*few[1], *builds_of("1.2", "3")])})
    told = "`p` `1.3` gone, only `1.2` left, 2 of 3 builds of `1.2` gone"
    assert f"**Downgraded**: {told}" in lines


def test_a_comment_names_all_versions_that_came(tmp_path: Path) -> None:
    def side(version: str, ups: str) -> list[Item]:
        versions = {f"p{n:02}": version for n in range(13)} | downgraded(ups)
        return [Item(name, it, explicit=True) for name, it in versions.items()]

    few = [[Item(f"{it}{n}", explicit=True) for n in range(4)] for it in ("gone", "new")]
    stacks = {
        "a": ([*side("1.0", "1"), *few[0]], [*side("1.1", "2"), *few[1]]),
        "b": (side("1.0", "1"), side("1.2", "2")),
    }
    lines = report(tmp_path, stacks, "-f", "comment")
    told = lines.index("**Upgraded**")
    places = ("a", "1.1"), ("b", "1.2")
    for line, (place, version) in zip(lines[told + 2 : told + 4], places, strict=True):
        steps = ", ".join(f"`p{n:02}` `1.0` → `{version}`" for n in range(13))
        assert line == f"- `{place}`: {steps}"


def test_a_new_root_of_several_versions_is_named_with_these_among_what_is_new(
    tmp_path: Path,
) -> None:
    """Its title has no version, and the places of what it brought."""
    more = [Item(f"n{number}", explicit=True) for number in range(4)]
    gone = [Item(f"gone{number}", explicit=True) for number in range(4)]
    stacks = {}
    for stack, version in (("a", "1.0"), ("b", "1.1")):
        *below, sdk = with_sdk(TOOLS, [it.name for it in TOOLS])
        stacks[stack] = ([*TOOLS, *gone], [*below, replace(sdk, version=version), *more])
    lines = report(tmp_path, stacks)
    title = "**`sdk` is new in both and needs older versions**: downgraded: "
    assert any(it.startswith(title) for it in lines)
    new = next(line for line in lines if line.startswith("**New**: "))
    assert "`sdk` `1.0` (`a`)" in new
    assert "`sdk` `1.1` (`b`)" in new


@pytest.mark.parametrize("form", [("-f", "markdown"), ("-f", "comment"), ("-f", "text")])
def test_a_product_that_made_the_same_step_as_a_dependency_did_so_there_too(
    tmp_path: Path, form: tuple[str, ...]
) -> None:
    def side(it: int) -> dict[str, list[Item]]:
        more = [Item(f"{'gone' if it == 1 else 'new'}{n}", explicit=True) for n in range(4)]
        major, minor = Item("major", f"{it}.0"), Item("minor", f"1.{it}")
        roots = [replace(major, explicit=True), replace(minor, explicit=True)]
        below = [major, minor, replace(OTHER, needs=(needs(major), needs(minor)))]
        return {"a": [*roots, *more], "b": below, "c": [OTHER]}

    old, new = side(1), side(2)
    text = "\n".join(report(tmp_path, {it: (old[it], new[it]) for it in old}, *form))
    told = text.replace("`", "").replace("*", "")
    where = "(dependency in b), in all but c\n"
    majors = told.count(f"Upgraded to another major version: major 1.0 → 2.0 {where}")
    assert majors == (form[1] != "text")
    # Of few lines all are in sight.
    assert (f"\nUpgraded: minor 1.1 → 1.2 {where}" in told) is (form[1] == "markdown")


@pytest.mark.parametrize("form", ["markdown", "comment"])
def test_a_class_is_named_once_above_the_lines(tmp_path: Path, form: str) -> None:
    """All that is upgraded is so to another major version, and few others fill the comment."""
    fell = [Item(it, f"1.{n}", explicit=True) for n, it in enumerate(("b", "c", "g", "h"))]
    lower = [replace(it, version=f"0.{it.version}") for it in fell]
    new = [Item(it, explicit=True) for it in ("m", "n", "o", "p", "q")]
    ups = [[Item("a", f"{it}.0", explicit=True)] for it in (1, 2)]
    kept = [Item(f"d{n}", f"{n}.1", explicit=True) for n in range(40)]
    more = [replace(it, version=f"0.{it.version}") for it in kept]
    sides = ([*ups[0], *fell, *kept], [*ups[1], *lower, *new, *kept, *more])
    stacks = {"x": sides, "y": sides} if form == "comment" else {"x": sides}
    lines = list(filter(None, report(tmp_path, stacks, "-f", form)))
    above = lines[: next(n for n, it in enumerate(lines) if it.startswith(("##", "<details")))]
    said = [it for it in above if it.startswith("**Upgraded to another major version**")]
    assert len(said) == 1


@pytest.mark.parametrize("names", ["abcd", "abcdefghijklmnopqrst", "abcdefghijklmnopqrstu"])
def test_a_sentence_may_be_all_that_names_a_set_of_environments(tmp_path: Path, names: str) -> None:
    def side(*, has: bool) -> list[Item]:
        return [OTHER, Item("new", explicit=True)] if has else [OTHER]

    stacks = {it: (side(has=it == names[-1]), side(has=True)) for it in names}
    lines = report(tmp_path, stacks, "--group-by", "stack")
    assert f"`new` is new in all but `{names[-1]}`" in lines[2]
    every = ", ".join(f"`{it}`" for it in names)
    assert (lines[4] == f"**All {len(names)} environments**: {every}") is (len(names) <= 20)


def test_the_sentence_tells_no_os_that_a_part_moved_to(tmp_path: Path) -> None:
    def side(os: str, number: str) -> list[Item]:
        moved = [Item(f"app{n}", os=os, explicit=True) for n in range(12)]
        others = [Item(f"up{n}", f"{n}.{number}", explicit=True) for n in range(9)]
        return [*moved, *others, Item("openmpi", f"4.{number}", explicit=True)]

    lines = report(tmp_path, {"a": (side("sles14", "1"), side("sles15", "2"))})
    assert "**Toolchain**: os `sles14` → `sles15` (12 of 22 builds)" in lines
    assert "sles" not in lines[2]


def test_a_pair_of_hashes_that_is_a_root_in_one_place_is_counted_once(tmp_path: Path) -> None:
    def side(recipe: str) -> dict[str, list[Item]]:
        zlib = Item("zlib", recipe=recipe)
        tools = [Item(f"tool{n}", needs=(needs(zlib),)) for n in range(5)]
        roots = [replace(it, explicit=True) for it in tools]
        app = Item("app", explicit=True, needs=tuple(map(needs, tools)))
        return {"a": [zlib, *tools, app], "b": [zlib, *roots]}

    old, new = side("1"), side("2")
    lines = report(tmp_path, {it: (old[it], new[it]) for it in "ab"})
    [told] = [line for line in lines if "With another hash" in line or "Why " in line]
    assert " 7 builds " in told


def test_what_keeps_an_older_version_is_upgraded_in_part(tmp_path: Path) -> None:
    stays, gone = Item("q", "0.9", explicit=True), Item("gone", explicit=True)
    sides = [
        [Item("p", it, explicit=True), Item("q", it, explicit=True), stays] for it in ("1.0", "1.1")
    ]
    lines = report(tmp_path, {"a": ([*sides[0], gone], sides[1])})
    assert lines[2].startswith(
        "`gone` is gone, 2 products are upgraded (`p` to `1.1`, `q` with `1.1` beside `0.9`)."
    )


def test_of_a_version_that_dependencies_alone_had_the_root_is_what_is_left(tmp_path: Path) -> None:
    """Beside the root there is no build of the package any more."""
    root, below = Item("lib", "3.0", explicit=True), Item("lib", "1.1")
    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(9)] for it in "12"]
    old, new = (
        [Item(f"p{n}", explicit=True, needs=(needs(it),)) for n in range(40)]
        for it in (below, root)
    )
    lines = report(tmp_path, {"a": ([root, below, *old, *ups[0]], [root, *new, *ups[1]])})
    assert "**Lost**: dependency versions gone: `lib` `1.1` (only `3.0` now)" in lines
