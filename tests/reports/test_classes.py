"""Each package is in one class, by the worst that happened to it, and the sentence adds up."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from snapdiff import render_report
from snapdiff.reports import ReportOptions
from tests.diff.test_traits import lock_of, with_hashes
from tests.reports.test_news import diff_of, numbered
from tests.support.documents import Item, needs
from tests.support.environments import write_locks
from tests.support.graphs import described
from tests.support.helpers import pages_of, run_cli, spec, write_files
from tests.support.oracle import Record
from tests.support.tables import cases

GCC, CLANG = "gcc@12.2.0", "clang@14.0.6"


def builds(side: str, *versions: str) -> list[Record]:
    """Builds of zlib, told from one another by a variant each."""
    return [
        spec(f"{side}{numbered(n)}", version, variants=f"n={n}")
        for n, version in enumerate(versions)
    ]


MOVES = """
a version beside another
    1.0 | 1.0 1.1 | With more versions: zlib 1.1 added beside 1.0
and a build more of that
    1.0 | 1.0 1.1 1.0 | With more versions: zlib 1.1 added beside 1.0, 1 more build of 1.0
a build of a version that stays went down
    1.1 1.1 1.0 | 1.1 1.0 1.0 | Downgraded: zlib: 1 of 2 builds 1.1 → 1.0 (the one with n=1)
and to a version that was not there
    1.1 1.1 | 1.1 1.0 | Downgraded: zlib: 1 of 2 builds 1.1 → 1.0 (the one with n=1)
or up, to one that was there
    1.2 1.1 1.1 | 1.2 1.2 1.1 | Upgraded: zlib: 1 of 2 builds 1.1 → 1.2 (the one with n=1)
an older version comes, and a build is lost
    1.1 1.1 1.1 | 1.1 1.0 |
    Lost builds: zlib 1.0 added beside the newer 1.1, 2 of 3 builds of 1.1 gone
builds that are new beside an upgrade
    1.0 | 1.1 1.1 1.1 |
    Upgraded: zlib 1.0 → 1.1, 2 of 3 builds new (1 with n=1, 1 with n=2)
of a version that stays
    1.0 0.9 | 1.1 0.9 0.9 |
    Upgraded: zlib 1.0 → 1.1, still has 0.9, 1 of 3 builds new (0.9, with n=2)
a build went up
    1.1 1.1 | 1.1 1.2 | Upgraded: zlib: 1 of 2 builds 1.1 → 1.2 (the one with n=1)
beside a version of which nothing moved
    1.1 1.1 1.0 0.9 | 1.1 1.2 1.2 0.9 |
    Upgraded: zlib 1.0 → 1.2, still has 1.1 and 0.9, 1 of 2 builds of 1.1 gone
builds went up, and a new one has the version that they left
    1.0 1.0 | 1.1 1.1 1.0 |
    Upgraded: zlib 1.1 added beside 1.0, 2 → 1 build of 1.0
down, with more builds in all
    1.1 1.1 | 1.1 1.0 1.0 |
    Downgraded: zlib 1.0 new (2 builds), 1 of 2 builds of 1.1 gone (the one with n=1)
down, beside another version that stays
    1.2 1.1 1.1 | 1.2 1.1 1.0 | Downgraded: zlib: 1 of 2 builds 1.1 → 1.0 (the one with n=2)
down to one that was there, with more builds in all
    1.1 1.1 1.0 | 1.1 1.0 1.0 1.0 |
    Downgraded: zlib: 2 more builds of 1.0, 1 of 2 builds of 1.1 gone (the one with n=1)
the last build of a version
    1.1 1.0 | 1.1 | Lost a version: zlib 1.0 gone, still has 1.1
which went up to one that was there
    1.1 1.0 | 1.1 1.1 | Upgraded: zlib 1.0 → 1.1 (other builds had it already)
or down
    1.2 1.1 1.0 | 1.2 1.0 1.0 | Lost a version: zlib 1.1 gone, still has 1.2 and 1.0
while another build went down
    1.1 1.2 1.3 1.3 | 1.1 1.3 1.1 1.3 | Lost a version: zlib 1.2 gone, still has 1.3 and 1.1
while another one is new
    1.1 1.0 | 1.1 1.1 1.1 | Lost a version: zlib 1.0 gone, still has 1.1
or several, to two
    1.3 1.2 1.1 1.0 | 1.3 1.2 1.3 1.2 |
    Lost versions: zlib 1.1 and 1.0 gone, still has 1.3 and 1.2
and a build of another
    1.1 1.1 1.0 | 1.1 |
    Lost versions or builds: zlib 1.0 gone, still has 1.1, 1 of 2 builds of 1.1 gone
versions for others
    1.1 1.0 | 1.3 1.2 | Upgraded: zlib 1.1 and 1.0 → 1.3 and 1.2
one for another, beside one that stays
    1.1 1.0 | 1.2 1.0 | Upgraded: zlib 1.1 → 1.2, still has 1.0
two for one, beside one that stays
    1.2 1.1 1.0 | 1.3 1.0 |
    Upgraded: zlib 1.2 and 1.1 → 1.3, still has 1.0, 1 of 3 builds gone (no longer with n=2)
"""
"""The versions of all builds before and after, and the line about them, behind its class."""


@pytest.mark.parametrize(("old", "new", "line"), cases(MOVES, 3))
def test_a_line_says_which_versions_there_are_and_how_many_builds(
    old: str, new: str, line: str
) -> None:
    others = spec("b", package="left"), spec("c", package="comes")
    sides = builds("o", *old.split()), builds("n", *new.split())
    diff = diff_of([*sides[0], others[0]], [*sides[1], others[1]])
    assert f"\n{line}\n" in render_report(diff, "text", ReportOptions(width=200))


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (["develop", "develop"], "has another version scheme"),
        (["develop", "1.2"], "has another version scheme"),
        (["20240101", "1.2"], "has another version scheme"),
        (["2.0", "1.2"], "is upgraded to another major version"),
        (["develop", "1.2", "1.2"], "has more versions"),
        (["1.3", "1.2"], "is upgraded"),
        (["1.0", "1.2"], "is downgraded"),
    ],
)
def test_a_step_of_some_builds_is_in_the_class_of_that_of_all(new: list[str], words: str) -> None:
    diff = diff_of(builds("o", "1.2", "1.2"), [*builds("n", *new), spec("c", package="comes")])
    text = render_report(diff, "text").replace("1 package", "zlib")
    assert f", zlib {words}." in text


def test_what_was_upgraded_and_lost_a_build_is_upgraded() -> None:
    old = [spec("a", "5.0rc16", compiler=GCC), spec("b", "5.0rc16", compiler=CLANG)]
    new = [spec("c", "5.0", compiler=GCC)]
    text = render_report(diff_of([*old, spec("g", package="left")], new), "text")
    assert "\n\nleft is gone, zlib is upgraded to 5.0 but no longer with llvm 14.0.6.\n" in text
    line = "Upgraded: zlib 5.0rc16 → 5.0, 1 of 2 builds gone (no longer with llvm 14.0.6)"
    assert f"\n{line}\n" in text


def test_an_equal_build_less_is_no_loss(tmp_path: Path) -> None:
    tools = [Item("cmake", version) for version in ("1.0", "2.0")]
    twins = [Item("gotcha", needs=(needs(tool, types=("build",)),)) for tool in tools]
    users = [Item(f"app{n}", needs=(needs(twin),)) for n, twin in enumerate(twins)]
    moved = Item("app0", needs=(needs(twins[1]),))
    old, new = write_locks(
        tmp_path, [*tools, *twins, *users], [tools[1], twins[1], moved, users[1]]
    )
    text = run_cli(old, new, "-f", "text").out
    assert "gotcha 1.0: 1 equal build fewer" in text
    assert "builds gone" not in text
    back = run_cli(new, old, "-f", "text").out
    assert "gotcha 1.0: 1 more equal build" in back


def test_several_packages_with_fewer_equal_builds_are_a_line_of_all_details(tmp_path: Path) -> None:
    tools = [Item("cmake", version) for version in ("1.0", "2.0")]
    twins = [
        Item(name, needs=(needs(tool, types=("build",)),))
        for name in ("gotcha", "zfp")
        for tool in tools
    ]
    users = [Item(f"app{n}", needs=(needs(twin),)) for n, twin in enumerate(twins)]
    moved = [replace(it, needs=(needs(twins[n | 1]),)) for n, it in enumerate(users)]
    left = [*tools, twins[1], twins[3]]
    old, new = write_locks(tmp_path, [*tools, *twins, *users], [*left, *moved])
    out = run_cli(old, new, "-f", "text", "--detail").out
    assert "\n\ngotcha 1.0, zfp 1.0: 1 equal build fewer each. " in out


def test_a_line_of_several_packages_says_that_they_are_roots_no_longer(tmp_path: Path) -> None:
    variants = ({"x": "1"}, {"x": "2"})
    roots = [Item(name, explicit=True, parameters=it) for name in "ab" for it in variants]
    left = [replace(it, explicit=False) for it in roots[::2]]
    app = Item("app", explicit=True, needs=tuple(map(needs, left)))
    old, new = write_locks(tmp_path, [*roots, app], [*left, app])
    text = run_cli(old, new, "-f", "text").out
    assert "a 1.0, b 1.0: the build with x=2 gone, now only dependencies.\n" in text


@pytest.mark.parametrize("is_root", [True, False])
def test_beside_a_lost_build_the_reconfigured_one_is_told(tmp_path: Path, is_root: bool) -> None:
    """Of a dependency as of a product."""
    lost, before, after = (
        Item("zfp", parameters=it)
        for it in ({"x": "1"}, {"x": "2", "y": "1"}, {"x": "2", "y": "2"})
    )

    def environment(*builds: Item) -> list[Item]:
        app = Item("app", explicit=True, needs=tuple(map(needs, builds)))
        return [app, *(replace(it, explicit=is_root) for it in builds)]

    sides = write_locks(tmp_path, environment(lost, before), environment(after))
    text = run_cli(*sides, "-f", "text").out
    assert "zfp: 1 of 2 builds gone (with x=1), 1.0 reconfigured: variant y=1 → y=2" in text


EQUAL = "zfp-3 version=0.5 > b-1:build; zfp-4 version=0.5 > b-2:build; b-1; b-2"
"""Two builds that differ in what they were built with alone."""

X = "version=0.5 variants=+x"
EQUAL_X = f"zfp-6 {X} > b-1:build; zfp-7 {X} > b-2:build; b-1; b-2"

COUNTED = {
    "equal builds of another version, before": (
        f"zfp-1; zfp-2 variants=+cuda; {EQUAL}",
        "zfp-1; zfp-3 version=0.5 > b-1:build; b-1",
        "zfp: 1 of 3 builds gone (1.0, with +cuda)",
    ),
    "and now": (
        f"zfp-1; zfp-2 variants=+cuda; {EQUAL}",
        f"zfp-1; {EQUAL}",
        "zfp: 1 of 3 builds gone (1.0, with +cuda)",
    ),
    "equal builds of a version that has one of them now": (
        f"zfp-1 version=1.14; {EQUAL}",
        "zfp-1 version=1.15; zfp-3 version=0.5 > b-1:build; b-1",
        "zfp 1.14 → 1.15, still has 0.5",
    ),
    "equal builds that are lost both": (
        f"zfp-1 version=0.5 variants=+x; {EQUAL}",
        "zfp-1 version=0.5 variants=+x; b-1",
        "zfp 0.5: 1 of 2 builds gone\n",
    ),
    "reconfigured of those of the version": (
        "zfp-1 version=0.5; zfp-2; zfp-5 os=sles",
        "zfp-1 version=0.5; zfp-6 variants=+x; zfp-5 os=sles",
        "zfp 1.0: 1 of 2 builds reconfigured",
    ),
    "reconfigured, equal ones once": (
        f"zfp-1 version=0.5 os=sles; {EQUAL}",
        f"zfp-1 version=0.5 os=sles; {EQUAL_X}",
        "zfp 0.5: 1 of 2 builds reconfigured",
    ),
}


@pytest.mark.parametrize("name", COUNTED)
def test_equal_builds_count_once_on_both_sides(tmp_path: Path, name: str) -> None:
    old, new, expected = COUNTED[name]
    assert expected in text_of_graphs(tmp_path, f"left-1; {old}", new, lambda name: name == "user")


def text_of_graphs(folder: Path, old: str, new: str, is_root: Callable[[str], bool]) -> str:
    """What is said of two graphs, in each of which a package `user` needs all others."""
    for side, text in (("old", old), ("new", new)):
        lines = text.split("; ")
        user = f"user-1 > {', '.join(line.split()[0] for line in lines)}"
        nodes = with_hashes(described(*lines, user))
        roots = [key for key, node in nodes.items() if is_root(node.name)]
        (folder / f"{side}.lock").write_text(json.dumps(lock_of(nodes, roots)))
    return run_cli(folder / "old.lock", folder / "new.lock", "-f", "text").out


EQUAL_ROOTS = {
    "one is new, one went to another version": (
        "zfp-1 version=0.5 variants=+x; zfp-3 version=0.5 > b-1:build; b-1; b-2",
        f"zfp-1 version=0.6 variants=+x > b-2:build; {EQUAL}",
        "zfp 0.6 added beside 0.5.\n",
    ),
    "one of them is gone": (EQUAL, "zfp-3 version=0.5 > b-1:build; b-1", "1 of 2 builds gone"),
    "of one version": (
        f"zfp-1; zfp-2 variants=+x; {EQUAL}",
        "zfp-1; zfp-2 variants=+x; zfp-3 version=0.5 > b-1:build; b-1",
        "zfp has fewer duplicate builds.",
    ),
    "reconfigured": (
        f"zfp-1 version=0.5 os=sles; {EQUAL}",
        f"zfp-1 version=0.5 os=sles; {EQUAL_X}",
        "zfp 0.5: 2 of 3 builds reconfigured",
    ),
}


@pytest.mark.parametrize("name", EQUAL_ROOTS)
def test_of_a_product_each_of_equal_roots_is_a_build(tmp_path: Path, name: str) -> None:
    old, new, expected = EQUAL_ROOTS[name]
    out = text_of_graphs(tmp_path, old, new, lambda name: name in ("user", "zfp"))
    assert expected in out


def test_new_builds_beside_an_upgrade_are_told_of_products_alone(tmp_path: Path) -> None:
    old, new = (
        [Item(name, version, parameters={"n": it}, explicit=True) for it in numbers]
        for name, version, numbers in (("zfp", "1.0", "1"), ("zfp", "1.1", "123"))
    )
    below = [
        [Item("zlib", it.version, parameters=it.parameters) for it in items] for items in (old, new)
    ]
    users = [Item("user", explicit=True, needs=tuple(map(needs, items))) for items in below]
    left = Item("left", explicit=True)
    paths = write_locks(tmp_path, [*old, *below[0], users[0], left], [*new, *below[1], users[1]])
    text = run_cli(*paths, "-f", "text").out
    assert "\nUpgraded: zfp 1.0 → 1.1, 2 of 3 builds new (1 with n=2, 1 with n=3)\n" in text
    assert "\n  zlib 1.0 → 1.1\n" in text


MERGED = {
    "all in the list": (
        ["2", "3", "rz"],
        [["1", "2", "3", "rz"]],
        "Reconfigured: py-warpx 1.0: 3 builds merged into 1, with {}dims=1,2,3,rz\n",
    ),
    "one is not in it": (
        ["2", "3", "rz"],
        [["1", "2", "3"]],
        "Lost builds: py-warpx{}: 2 of 3 builds gone",
    ),
    "two builds now": (
        ["2", "3", "rz"],
        [["2", "3", "rz"], ["1"]],
        "Lost a build: py-warpx{}: 1 of 3 builds gone",
    ),
}
"""Nothing is lost where one build does it all."""


@pytest.mark.parametrize("of_dependency", [True, False])
@pytest.mark.parametrize("name", MERGED)
def test_builds_that_are_one_now_are_told_by_the_variant_that_lists_theirs(
    tmp_path: Path, name: str, of_dependency: bool
) -> None:
    before, after, expected = MERGED[name]

    def items(lists: list[list[str]]) -> list[Item]:
        below = [Item("warpx", parameters={"dims": it}) for it in lists]
        if not of_dependency:
            return [replace(it, name="py-warpx", explicit=True) for it in below]
        users = [Item("py-warpx", explicit=True, needs=(needs(it),)) for it in below]
        return [*below, *users]

    old, new = items([[it] for it in before]), items(after)
    text = run_cli(
        *write_locks(tmp_path, [*old, Item("left", explicit=True)], new), "-f", "text"
    ).out
    # Where its own variants changed, too, the version stands there.
    told = "^warpx " if name == "all in the list" else " 1.0"
    assert f"\n{expected.format(told if of_dependency else '')}" in text


def test_of_a_product_its_roots_are_counted(tmp_path: Path) -> None:
    fftw = [Item("fftw", parameters={"n": it}, explicit=it < "3") for it in "0123"]
    user = Item("user", explicit=True, needs=(needs(fftw[3]),))
    old, new = write_locks(tmp_path, [*fftw, user, Item("left")], [*fftw[1:], user])
    text = run_cli(old, new, "-f", "text").out
    assert "fftw 1.0: 1 of 3 builds gone (with n=0)" in text


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        (0, "12 packages have another compiler."),
        (1, "p00 is reconfigured. 11 more have another compiler."),
        (12, "All 12 packages are reconfigured."),
    ],
)
def test_what_changed_only_as_all_around_it_did_is_counted_apart(own: int, sentence: str) -> None:
    text = text_of_other_compilers(12, own)
    assert f"\n\n{sentence}\n\n" in text
    number = f"{12 - own} more" if own else "12"
    assert (f"\n{number} with another compiler: p{own:02}, " in text) is (own != 12)


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (4, "p00 is reconfigured. 3 more have another compiler."),
        (3, "3 packages are reconfigured."),
    ],
)
def test_what_four_packages_share_is_what_all_around_did(number: int, sentence: str) -> None:
    assert f"\n\n{sentence}\n\n" in text_of_other_compilers(number, 1)


def text_of_other_compilers(number: int, own: int, *, detail: bool = False) -> str:
    """The report of packages with another compiler, of which some have another variant, too."""
    sides = [
        [
            spec(f"{side}{numbered(n)}", package=f"p{n:02}", compiler=compiler, variants=variants)
            for n in range(number)
            for variants in [f"+own{n}" if side == "n" and n < own else ""]
        ]
        for side, compiler in (("o", GCC), ("n", CLANG))
    ]
    return render_report(diff_of(*sides), "text", ReportOptions(width=400, detail=detail))


def test_with_every_spec_all_names_are_there() -> None:
    assert ", p09 and 2 more\n" in text_of_other_compilers(12, 0)
    assert ", p09, p10, p11\n" in text_of_other_compilers(12, 0, detail=True)


def test_of_several_that_changed_in_different_ways_the_words_are_plural(tmp_path: Path) -> None:
    sides = [
        [
            *(Item(f"app{number}", os=os) for number in range(12)),
            *(Item("same", recipe=os[-5:]), Item("up", os[-2:])),
        ]
        for os in ("ubuntu20.04", "ubuntu22.06")
    ]
    text = run_cli(*write_locks(tmp_path, *sides), "-f", "text").out
    said = "same has another hash and no other change, 12 more have another os."
    assert said in " ".join(text.split())


def test_of_packages_that_changed_in_one_field_or_in_another_not_both_are_said() -> None:
    sides = [
        [
            spec(f"{side}c{numbered(n)}", package=f"p{n}", compiler=compiler, stacks="e4s")
            for n in range(4)
        ]
        + [spec(f"{side}o{numbered(n)}", package=f"q{n}", os=os, stacks="hep") for n in range(4)]
        for side, compiler, os in (("a", "gcc@11", "ubuntu20.04"), ("b", "gcc@12", "ubuntu22.04"))
    ]
    text = render_report(diff_of(*sides), "text", ReportOptions(width=400))
    assert "\n\n8 packages have another compiler or another os" in text


@pytest.mark.parametrize(
    ("same", "moved", "said"),
    [
        (0, 4, "4 more have another os (e4s)."),
        (2, 4, "2 more were only rebuilt (why is not known), 4 more have another os (e4s)."),
    ],
)
def test_what_has_another_os_in_one_stack_is_told_with_what_was_only_rebuilt(
    same: int, moved: int, said: str
) -> None:
    sides = []
    for side, version, os in (("o", "1.0", "ubuntu20.04"), ("n", "1.1", "ubuntu22.04")):
        both = [
            spec(f"{side}e{numbered(n)}", package=f"p{n}", os=os, stacks="e4s")
            for n in range(moved)
        ]
        both += [spec(f"{side}h{numbered(n)}", package=f"p{n}", stacks="hep") for n in range(moved)]
        both += [spec(f"{side}s{numbered(n)}", package=f"s{n}", stacks="hep") for n in range(same)]
        sides.append([*both, spec(f"{side}up", version, package="up", stacks="hep")])
    text = render_report(diff_of(*sides), "text", ReportOptions(width=400))
    assert f"\n\nup is upgraded to 1.1. {said}" in text, "in one stack of two"


@pytest.mark.parametrize("number", [1, 2, 5, 6])
def test_few_that_are_gone_new_or_downgraded_are_named(number: int) -> None:
    few = [f"p{n}" for n in range(number)]
    old = [spec(f"o{numbered(n)}", "2.0", package=name) for n, name in enumerate(few)]
    new = [spec(f"n{numbered(n)}", "1.0", package=name) for n, name in enumerate(few)]
    named = f" ({', '.join(few)})" if number < 6 else ""
    for sides, words in (((old, []), "gone"), (([], new), "new"), ((old, new), "downgraded")):
        ups = [
            spec(f"{it}z", version, package="up") for it, version in (("o", "1.0"), ("n", "1.1"))
        ]
        diff = diff_of([*sides[0], ups[0]], [*sides[1], ups[1]])
        text = render_report(diff, "text", ReportOptions(width=400))
        told = f"{number} packages are {words}{named}"
        if number == 1 or (number == 2 and words != "downgraded"):
            told = f"{' and '.join(few)} {'is' if number == 1 else 'are'} {words}"
            told += " to 1.0" if words == "downgraded" else ""
        elif number == 2:
            told = "2 packages are downgraded (p0 to 1.0, p1 to 1.0)"
        assert f"\n\n{told}, up is upgraded to 1.1.\n" in text


def test_what_is_new_in_a_stack_is_news_also_where_it_is_upgraded_in_another() -> None:
    old = [spec("b", "1.0", package="app", stacks="e4s"), spec("c", "1.0", stacks="hep")]
    new = [
        spec("d", "1.1", package="app", stacks="e4s"),
        spec("f", "1.1", package="app", stacks="hep"),
        spec("g", "2.0", stacks="hep"),
    ]
    text = render_report(diff_of(old, new), "text")
    words = "app is new in hep, zlib is upgraded to another major version."
    assert words in text
    assert "\nNow in more stacks: app 1.1 in hep; 1.0 → 1.1 in e4s\n" in text


def test_of_packages_that_are_gone_from_one_place_the_sentence_names_it() -> None:
    kept = [spec(f"k{numbered(n)}", package=f"p{n}", stacks="hep tut") for n in range(3)]
    old = [spec(f"o{numbered(n)}", package=f"p{n}", stacks="e4s") for n in range(2)]
    both = [spec(f"q{numbered(n)}", package="p2", stacks=name) for n, name in enumerate("ab")]
    others = [spec("x", "1.0", stacks="e4s a b"), spec("y", "1.1", stacks="e4s a b")]
    sides = (
        (old, "p0 and p1 are gone from e4s"),
        (both, "p2 is gone from 2 stacks"),
    )
    for gone, words in sides:
        diff = diff_of([*kept, *gone, others[0]], [*kept, others[1]])
        assert f"\n{words}, zlib is upgraded to 1.1.\n" in render_report(diff, "text")


def test_few_packages_with_another_hash_say_why_on_their_own_lines(tmp_path: Path) -> None:

    sides = []
    for version in ("1.0", "1.1"):
        below = Item("zlib", version)
        sides.append([below, *(Item(f"app{n}", needs=(needs(below),)) for n in range(5))])
    for number, told in ((4, False), (5, True)):
        old, new = write_locks(tmp_path / str(number), *(side[: number + 1] for side in sides))
        text = run_cli(old, new, "-f", "text").out
        assert ("With another hash: 5 builds, because of zlib" in text) is told
        line = f"app{number - 1} 1.0, because of zlib 1.0 → 1.1\n"
        assert (line in f"{' '.join(text.split())}\n") is not told


def test_what_is_new_in_one_tag_and_downgraded_in_another_counts_as_downgraded() -> None:
    tags = ("develop", "releases")
    others = [spec(f"b{numbered(n)}", package="p", tag=tag) for n, tag in enumerate(tags)]
    old = [*others, spec("c", "1.1", tag="releases")]
    new = [*others, spec("d", "1.0"), spec("e", "1.0", tag="releases")]
    text = render_report(diff_of(old, new), "text", ReportOptions(width=200))
    assert "\nzlib is downgraded" in text
    assert "zlib is new" not in text


@pytest.mark.parametrize(
    ("kinds", "row"),
    [((), "ml, only rebuilt "), (("added",), "ml, none "), (("added", "rebuilt"), "ml ")],
)
def test_a_row_of_a_narrowed_report_says_no_more_than_is_known(
    kinds: tuple[str, ...], row: str
) -> None:
    stay = [spec("b", package="p", stacks="e4s"), spec("c", package="p", stacks="hep")]
    came = [spec("d", package="r", stacks="e4s"), spec("e", package="r", stacks="hep")]
    old = [*stay, spec("f", package="q", stacks="ml")]
    new = [*stay, *came, spec("g", package="q", stacks="ml")]
    text = render_report(diff_of(old, new, kind=kinds), "text", ReportOptions(stat=True))
    [line] = [line for line in text.splitlines() if line.startswith("ml")]
    assert line.removeprefix(row).split()[0] == "·"


def test_a_build_that_went_to_a_version_as_an_equal_one_is_upgraded_and_not_gone() -> None:
    both = [spec("a", "1.0", variants="+a"), spec("b", "2.0", variants="+a")]
    old = [*both, spec("c", "1.0", variants="~a")]
    new = [*both, spec("d", "2.0", variants="+a")]
    text = render_report(diff_of(old, new), "text")
    assert "zlib: 1 of 2 builds 1.0 → 2.0" in text.splitlines()[2]


def test_of_what_is_gone_from_some_stacks_it_is_said_where_it_still_is() -> None:
    def side(*stacks: str) -> list[Record]:
        every = [spec(f"a{it}", package="lib", stacks=it) for it in ("e4s", "hep", "ml")]
        return [*every, *(spec(f"b{it}", "1.0", package="app", stacks=it) for it in stacks)]

    for left, said in (
        (("hep",), "gone from all but hep"),
        (("hep", "ml"), "gone from e4s, still in the 2 others"),
    ):
        text = render_report(diff_of(side("e4s", "hep", "ml"), side(*left)), "text")
        assert text.splitlines()[2] == f"app 1.0 is {said}."
    # What is said of it there is enough.
    new = [*side("ml"), spec("c", "1.1", package="app", stacks="hep")]
    text = render_report(diff_of(side("e4s", "hep", "ml"), new), "text")
    assert text.splitlines()[2] == "app 1.0 is gone from e4s, still in ml; 1.0 → 1.1 in hep."


def test_of_all_packages_to_which_the_same_happened_the_number_is_said_once() -> None:
    sides = [
        [spec(f"{letter}{numbered(n)}", f"{version}.{n}", package=f"p{n:02}") for n in range(12)]
        for letter, version in (("b", "1.0"), ("c", "1.1"))
    ]
    text = render_report(diff_of(*sides), "markdown", ReportOptions(package_url=""))
    assert "\n\nAll 12 packages are upgraded.\n\n" in text
    kept = spec("d", package="stays")
    text = render_report(diff_of([*sides[0], kept], [*sides[1], kept]), "markdown")
    assert "\n\nOf 13 packages compared, 12 are upgraded.\n\n" in text


def test_of_what_is_down_here_and_up_there_no_number_of_stacks_is_said(tmp_path: Path) -> None:
    places = (("develop", "e4s"), ("v1.0", "hep"))
    for side, versions in (("old", ("3.2", "3.1")), ("new", ("3.1", "3.2"))):
        records = [
            spec(side[0] + tag[0], version, package="cmake", tag=tag, stacks=stack)
            for (tag, stack), version in zip(places, versions, strict=True)
        ]
        write_files(tmp_path / side, pages_of(records))
    out = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert out.split("\n\n")[1] == "cmake is downgraded to 3.1."
    # So is what went to another major version here, in one tag.
    for side, versions in (("old", ("2.0", "1.0")), ("new", ("1.0", "2.0"))):
        records = [
            spec(side[0] + stack[0], version, package="x", stacks=f"{stack} root")
            for stack, version in zip(("e4s", "hep"), versions, strict=True)
        ]
        write_files(tmp_path / "one" / side, pages_of(records))
    out = run_cli("-C", tmp_path / "one", "old", "new", "-f", "text").out
    assert out.split("\n\n")[1] == "x 2.0 → 1.0 in e4s; 1.0 → 2.0 in hep.\n"


def test_of_more_versions_and_more_builds_a_sentence_names_who_has_versions(tmp_path: Path) -> None:
    def builds(name: str, *numbers: int) -> list[Item]:
        return [Item(name, explicit=True, parameters={"n": str(it)}) for it in numbers]

    mpi = [Item("mpi", it, explicit=True) for it in ("1.0", "2.0")]
    names = [f"p{it}" for it in range(5)]
    old = [mpi[0], *(it for name in names for it in builds(name, 1))]
    new = [*mpi, *(it for name in names for it in builds(name, 1, 2))]
    sides = write_locks(tmp_path, old, new)
    sentence = run_cli(*sides, "-f", "text").out.split("\n\n")[1]
    assert sentence == "mpi has more versions, 5 products have more builds (with n=2)."
    # Of the only other one nothing is counted.
    sides = write_locks(tmp_path / "two", old[:2], new[:4])
    assert "2 products have more versions or builds" in run_cli(*sides, "-f", "text").out


def test_packages_gone_from_the_same_stack_share_a_line(tmp_path: Path) -> None:
    for side, stays in (("old", "abcd"), ("new", "bcd")):
        records = [
            spec(f"{name}{stack}", package=name, stacks=f"{stack} root")
            for stack in "abcd"
            for name in ("x", "y", "z")
            if stack in stays or name == "z"
        ]
        write_files(tmp_path / side, pages_of(records))
    out = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert out.split("\n\n")[1] == "x, y 1.0 are gone from a, still in the 3 others.\n"


def test_of_two_versions_that_are_gone_the_verb_is_that_of_several(tmp_path: Path) -> None:
    records = [
        spec(f"{stack}{number}", version, package="x", stacks=f"{name} root")
        for stack, name, versions in (("a", "e4s", ["2.0"]), ("b", "hep", ["2.0", "1.0"]))
        for number, version in zip("ab", versions, strict=False)
    ]
    stays = spec("z", package="zlib", stacks="e4s hep")
    write_files(tmp_path / "old", pages_of([*records, stays]))
    write_files(tmp_path / "new", pages_of([stays]))
    out = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert out.split("\n\n")[1] == "x 2.0 is gone from e4s; 2.0 and 1.0 are gone from hep.\n"
