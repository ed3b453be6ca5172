"""News first: what a reader must not miss stands on top, whatever else there is."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given, settings
from msgspec.structs import replace

from snapdiff import CatalogDiff, Filters, diff_catalogs, load_catalog, render_report
from snapdiff.errors import Side
from snapdiff.filters import narrowed_to_kinds
from snapdiff.reports import ReportOptions
from snapdiff.reports.moves.of_stacks import moves_in
from snapdiff.reports.moves.statuses import WORST_FIRST, Status
from snapdiff.reports.outline import outline_of
from snapdiff.reports.outline.groups import FEW
from snapdiff.reports.outline.outline import Outline
from snapdiff.result.changes import SkippedPage
from snapdiff.result.packages import Kind
from tests.golden import FOLDER
from tests.reports.test_escaping import Tree
from tests.support.documents import Item, database, lock, needs, to_bytes
from tests.support.environments import write_locks
from tests.support.generated import Catalogs, catalogs
from tests.support.helpers import (
    catalog_folders,
    hash_of,
    pages_of,
    run_cli,
    spec,
    write_files,
)
from tests.support.nightly import examples, nightly_but
from tests.support.oracle import Record

SIDES: tuple[Side, Side] = ("old", "new")
STACKS = [f"stack-{letter}" for letter in "abcdefghij"]


SAME = "same version, compiler, os, target and variants"


def diff_of(old: list[Record], new: list[Record], **filters: Any) -> CatalogDiff:
    """What changed between two catalogs."""
    with catalog_folders(pages_of(old), pages_of(new)) as (before, after):
        return diff_catalogs(
            load_catalog("old", repository=before.parent),
            load_catalog("new", repository=after.parent),
            filters=Filters(**filters),
            allow_empty=True,
        )


def numbered(number: int) -> str:
    """A name for a hash, out of its letters."""
    return "".join("bcdefghijk"[int(digit)] for digit in f"{number:04}")


@pytest.fixture(scope="module")
def large() -> CatalogDiff:
    """300 packages upgraded, reconfigured or rebuilt; one gone, one downgraded, one stack gone."""
    old, new = [], []
    for number in range(300):
        stacks = " ".join(STACKS[number % 7 : number % 7 + 3])
        name = f"package-{number:03}"
        old.append(spec(f"o{numbered(number)}", "1.0", package=name, stacks=stacks))
        kind = number % 3
        new.append(
            spec(
                f"n{numbered(number)}",
                "1.1" if kind == 0 else "1.0",
                package=name,
                stacks=stacks,
                variants="+mpi" if kind == 1 else "",
            )
        )
    old += [
        spec("gone", "4.2", package="departed", stacks="stack-a"),
        spec("down", "3.0", package="sinking", stacks="stack-b"),
        spec("left", "1.0", package="package-000", stacks="old-stack"),
    ]
    new.append(spec("sunk", "2.9", package="sinking", stacks="stack-b"))
    return diff_of(old, new)


@pytest.mark.slow
@pytest.mark.parametrize("format_name", ["text", "markdown", "comment"])
@pytest.mark.parametrize("group_by", nightly_but([None, "stack", "package"], ["stack", "package"]))
def test_in_300_packages_the_bad_news_is_in_the_first_25_lines(
    large: CatalogDiff, format_name: str, group_by: str | None
) -> None:
    options = ReportOptions(group_by=group_by, package_url="")  # type: ignore[arg-type]
    lines = render_report(large, format_name, options).splitlines()[:25]
    top = "\n".join(lines).replace("`", "").replace("**", "")
    assert "Gone: departed 4.2" in top
    assert "sinking 3.0 → 2.9" in top or group_by == "stack"
    assert "Stack old-stack removed: 1 package" in top


def outside_folds(text: str) -> list[str]:
    """The lines that a reader sees before unfolding anything: a fold is its summary."""
    depth, seen = 0, []
    for line in text.splitlines():
        if depth == 0 and line.strip():
            seen.append(line)
        depth += line.count("<details>") - line.count("</details>")
    return [line for line in seen if line != "</details>"]


@pytest.mark.slow
@pytest.mark.parametrize("most", nightly_but([3_000, 10_000, 60_000], [3_000, 60_000]))
@pytest.mark.parametrize("group_by", ["stack", "package"])
def test_a_comment_is_forty_lines_to_look_at_and_full_inside(
    large: CatalogDiff, most: int, group_by: str
) -> None:
    options = ReportOptions(max_length=most, group_by=group_by)  # type: ignore[arg-type]
    text = render_report(large, "comment", options)
    assert len(outside_folds(text)) <= 40
    assert len(text) <= most
    if " to fit" in text and "more package" in text:
        assert len(text) >= 0.8 * most


def many_of_each() -> CatalogDiff:
    """More of every sort of news than anybody wants to read, in several tags."""
    old, new = [], []
    for number in range(60):
        tag = f"v{number % 3}"
        name = numbered(number)
        stack = f"s{number % 20}"
        old.append(spec(f"a{name}", f"1.{number}", package=f"gone-{name}", tag=tag, stacks=stack))
        old.append(spec(f"b{name}", f"2.{number}", package=f"down-{name}", tag=tag, stacks=stack))
        new.append(spec(f"c{name}", f"1.{number}", package=f"down-{name}", tag=tag, stacks=stack))
        new.append(spec(f"d{name}", f"1.{number}", package=f"new-{name}", tag=tag, stacks=stack))
        old.append(spec(f"e{name}", f"1.{number}", package=f"up-{name}", tag=tag, stacks=stack))
        new.append(spec(f"f{name}", f"2.{number}", package=f"up-{name}", tag=tag, stacks=stack))
        old.append(spec(f"g{name}", tag=tag, stacks=f"was-{name}"))
        new.append(spec(f"h{name}", tag=tag, stacks=f"is-{name}"))
        old.append(spec(f"i{name}", tag=f"old-{name}"))
        new.append(spec(f"j{name}", tag=f"new-{name}"))
    skipped = tuple(SkippedPage(side="old", path=f"{n}/specs.md", error="x") for n in range(60))
    return replace(diff_of(old, new), skipped=skipped)


@pytest.mark.slow
@pytest.mark.parametrize(
    "format_name", nightly_but(["text", "markdown", "comment"], ["text", "comment"])
)
def test_however_much_there_is_the_block_on_top_stays_short(format_name: str) -> None:
    diff = many_of_each()
    text = render_report(diff, format_name, ReportOptions(package_url="", width=400))
    if format_name == "comment":
        assert len(outside_folds(text)) <= 40
    block = text[text.index("60 tags removed") : text.index("60 pages that")]
    assert len(block.splitlines()) <= 13
    names = "`was-bbbe`, " if format_name != "text" else "was-bbbe, "
    inside = text.partition("<summary>20 stacks of ")[2].partition("</details>")[0]
    assert names in (inside if format_name != "text" else block)


def the_sentence_the_groups_and_their_lines_say_the_same_numbers(
    _: CatalogDiff, outline: Outline
) -> None:
    for block in outline.tags:
        groups = [group for part in block.parts for group in part.groups]
        assert [group.status for group in groups] == sorted(group.status for group in groups)
        named = [
            {*group.names, *(it for ln in group.lines for it in ln.packages)} for group in groups
        ]
        if outline.only_line is None:  # else the sentence says all of it, and a group has no line
            assert [len(names) for names in named] == [group.number for group in groups]
        assert len(set().union(*named)) == sum(map(len, named))  # each package is in one group
        if len(outline.tags) == 1 and outline.only_line is None:
            assert [(it.status, it.number) for it in groups] == [
                (it.status, it.number) for it in outline.packages.by_class
            ]


def test_each_number_of_the_sentence_is_found_below_under_the_same_word() -> None:
    old = [spec(numbered(n), f"{n}.0", package=f"p{n:02}") for n in range(30)]
    old += [spec(f"u{numbered(n)}", "1.0", package=f"up{n:02}") for n in range(12)]
    new = [spec(f"w{numbered(n)}", "2.0", package=f"up{n:02}") for n in range(12)]
    diff = diff_of([*old, spec("z")], [*new, spec("y")])
    for format_name in ("markdown", "text"):
        lines = render_report(
            diff, format_name, ReportOptions(package_url="", width=400)
        ).splitlines()
        said = "Of 43 packages compared, 30 are gone, 12 are upgraded to another major version"
        assert lines[2].replace("`", "") == f"{said}. zlib was only rebuilt (why is not known)."
        below = "\n".join(lines).partition("Gone")[2]
        gone, _, upgraded = below.partition("Upgraded to another major version")
        assert len(re.findall(r"\bp[0-9]{2}\b", gone)) == 30
        assert len(re.findall(r"\bup[0-9]{2}\b", upgraded)) == 12


@pytest.mark.parametrize("number", [FEW, FEW + 1])
def test_of_what_was_only_rebuilt_some_are_lines_and_more_are_named(number: int) -> None:
    old = [spec(f"b{numbered(n)}", package=f"p{n:02}") for n in range(number)]
    new = [spec(f"c{numbered(n)}", package=f"p{n:02}") for n in range(number)]
    others = [spec("d", package="left"), spec("f", package="also")]
    diff = diff_of([*old, *others], new)
    names = [f"p{n:02}" for n in range(number)]
    text = render_report(diff, "text", ReportOptions(width=400))
    page = render_report(diff, "markdown", ReportOptions(package_url=""))
    if number == FEW:
        assert f"\nOnly rebuilt ({SAME}): {', '.join(f'{name} 1.0' for name in names)}\n" in text
    else:
        assert f"\n5 only rebuilt ({SAME}): {', '.join(names)}\n" in text
        quoted = ", ".join(f"`{name}`" for name in names)
        assert f"\n**5 only rebuilt ({SAME})**: {quoted}\n" in page


def test_many_names_are_in_a_fold_where_there_is_one_and_counted_on_a_terminal() -> None:
    old = [spec(f"b{numbered(n)}", package=f"p{n:02}") for n in range(30)]
    new = [spec(f"c{numbered(n)}", package=f"p{n:02}") for n in range(30)]
    up = [[spec(f"{s}{numbered(n)}", f"{n}.{s}", package=f"up{n}") for n in range(9)] for s in "de"]
    diff = diff_of([*old, *up[0]], [*new, *up[1]])
    page = render_report(diff, "markdown", ReportOptions(package_url=""))
    fold = page.partition("<details><summary>30 packages only rebuilt</summary>\n\n")[2]
    comment = render_report(diff, "comment", ReportOptions(package_url=""))
    [line] = [
        line
        for line in comment.splitlines()
        if line.startswith(f"**30 more only rebuilt ({SAME})**: ")
    ]
    assert fold.partition("\n")[0].count("`p") == line.count("`p") == 30
    assert "--detail" not in page + comment
    assert "<details" not in comment  # it is short
    text = render_report(diff, "text", ReportOptions(width=400))
    assert ", p09 and 20 more\n" in text
    assert text.endswith("\n--detail lists all of what is only counted here, or named in part.\n")


def test_a_long_report_begins_with_what_nobody_should_miss() -> None:
    old = [spec(f"b{numbered(n)}", "1.0", package=f"p{n:02}") for n in range(45)]
    new = [spec(f"c{numbered(n)}", f"1.1.{n}", package=f"p{n:02}") for n in range(45)]
    old += [spec("d", package="left"), spec("f", "2.0", package="sinks")]
    new += [spec("g", package="comes"), spec("h", "1.9", package="sinks")]
    old += [spec("i", "1.0", package="major"), spec("j", "2.0", package="less")]
    old += [spec("k", "1.9", package="less"), spec("l", package="builds", variants="+mpi")]
    kept = [spec("m", "2.0", package="less"), spec("n", package="builds")]
    new += [spec("o", "2.0", package="major"), *kept]
    lost = "  builds 1.0: 1 of 2 builds gone (with +mpi)\n"
    lost += "  less 1.9 gone, still has 2.0, 1 of 2 builds of 2.0 gone"
    news = [
        *("Gone: left 1.0", "Lost versions or builds", lost),
        *("New: comes 1.0", "Downgraded: sinks 2.0 → 1.9"),
        *("Upgraded to another major version: major 1.0 → 2.0", "Upgraded", ""),
    ]
    diff = diff_of([*old, *kept], new)
    assert ".\n\n" + "\n\n".join(news) in render_report(diff, "text")
    assert render_report(diff, "text").count("left 1.0") == 1
    short = render_report(diff, "comment", ReportOptions(max_length=1000, package_url=""))
    assert "\n**Downgraded**: `sinks` `2.0` → `1.9`\n" in short
    assert "Only in the whole report" in short


def test_of_several_versions_the_lost_builds_are_told_by_version() -> None:
    both = [spec("b", "1.1"), spec("c", "1.0"), spec("d", "1.1", variants="+shared")]
    lost = [spec("f", "1.1", variants="+mpi"), spec("g", "1.0", variants="+mpi")]
    for gone, words in (
        (lost, "zlib: 2 of 5 builds gone (1 of 1.1, 1 of 1.0; with +mpi)."),
        (lost[:1], "zlib: 1 of 4 builds gone (1.1, with +mpi)."),
    ):
        assert f"\n{words}\n" in render_report(diff_of([*both, *gone], both), "text")
        back = words.replace("gone", "new")
        assert f"\n{back}\n" in render_report(diff_of(both, [*both, *gone]), "text")
    of_one = diff_of([spec("b"), spec("c", variants="+mpi")], [spec("b")])
    assert "zlib 1.0: 1 of 2 builds gone (with +mpi).\n" in render_report(of_one, "text")


def a_package_is_one_item_of_its_class_the_worst_first(_: CatalogDiff, outline: Outline) -> None:
    for tag in outline.tags:
        for group in (group for part in tag.parts for group in part.groups if group.lines):
            packages = [name for line in group.lines for name in line.packages]
            assert len(packages) == len(set(packages)) == group.number
            for line in group.lines:
                statuses = [move.status.severity for move in line.moves]
                assert statuses == sorted(statuses)
                assert line.moves[0].status is group.status
                assert len(line.moves) == 1 or len(line.packages) == 1


@pytest.mark.slow
@pytest.mark.parametrize("most", nightly_but([*range(1500, 6000, 500), None], [2000, 4000, None]))
def test_a_set_is_listed_where_something_is_said_of_it(
    large: CatalogDiff, most: int | None
) -> None:
    text = render_report(large, "comment", ReportOptions(max_length=most, package_url=""))
    listed = re.findall(r"^- set ([A-Z]+): ", text, flags=re.MULTILINE)
    assert listed == sorted(set(re.findall(r"[0-9], set ([A-Z]+)", text)))


def test_a_table_of_counts_has_no_empty_column() -> None:
    same, others = spec("b", package="same"), [spec("d", stacks="hep"), spec("c", stacks="e4s")]
    for kept, has_column in ([], False), ([same], True):
        diff = diff_of([others[0], *kept], [others[1], *kept])
        for format_name in ("text", "markdown"):
            text = render_report(diff, format_name, ReportOptions(stat=True))
            word = {"text": " unchanged ", "markdown": " Unchanged "}[format_name]
            assert (word in text) is has_column


def test_where_no_package_is_of_a_kind_there_is_no_table_of_counts() -> None:
    """A spec of one is, beside one that was upgraded, and a stack is gone."""
    old = [spec("b"), spec("c", variants="+x"), spec("d", stacks="hep")]
    new = [spec("e"), spec("f", "1.1", variants="+x")]
    diff = diff_of(old, new, kind=("rebuilt",))
    for format_name in ("text", "markdown"):
        text = render_report(diff, format_name, ReportOptions(stat=True))
        assert "specs of packages that changed otherwise: 1 rebuilt" in text
        assert "Each package in each of its stacks" not in text


@pytest.mark.parametrize("number", [20, 21])
def test_a_few_lines_say_more_than_a_table_of_counts(number: int) -> None:
    stacks = ["e4s", "hep"]
    old = [
        spec(f"b{numbered(n)}", f"1.{n}", package=f"p{n}", stacks=stacks[n % 2])
        for n in range(number)
    ]
    new = [item | {"versions": ["2.0"], "hash": "c" + item["hash"][1:]} for item in old]
    diff = diff_of(old, new)
    assert ("Each package in each of its stacks" in render_report(diff, "text")) is (number > 20)
    assert "Each package in each of its stacks" in render_report(
        diff, "text", ReportOptions(stat=True)
    )


@pytest.mark.parametrize(
    ("builds", "told"),
    [
        (
            1,
            "2.9.1 → 2.8.3, as a dependency, in b− 2.9.1: 1 of 2 builds gone (with x=2), in a",
        ),
        (2, "2.9.1 → 2.8.3, as a dependency, in b= 2.9.1 with another hash (a)"),
    ],
)
def test_what_happened_to_a_dependency_of_the_name_of_a_product_is_told_with_it(
    tmp_path: Path, builds: int, told: str
) -> None:
    def environments(builds: int, version: str) -> dict[str, bytes]:
        products = [
            Item("adios2", "2.9.1", parameters={"x": f"{it}"}, explicit=True, recipe=version * 10)
            for it in range(1, builds + 1)
        ]
        below = Item("adios2", version)
        above = Item("sdk", "1.0", needs=(needs(below),), explicit=True)
        return {
            "a/spack.lock": to_bytes(lock(products)),
            "b/spack.lock": to_bytes(lock([above, below])),
        }

    write_files(tmp_path / "old", environments(2, "2.9.1"))
    write_files(tmp_path / "new", environments(builds, "2.8.3"))
    diff = diff_catalogs(load_catalog(tmp_path / "old"), load_catalog(tmp_path / "new"))
    page = re.split("Downgraded[^:]*: 1", render_report(diff, "html"), maxsplit=1)[1]
    assert told in " ".join(re.sub("<[^>]*>", "", page).split())


def test_a_cell_says_of_a_product_as_before_that_nobody_asks_for_it_any_more(
    tmp_path: Path,
) -> None:
    def environments(version: str, *, is_root: bool) -> dict[str, bytes]:
        product = Item("zfp", "1.0.0", explicit=is_root)
        above = Item("sdk", version, needs=(needs(product),), explicit=True)
        others = [
            Item(name, f"{version}{number or ''}", explicit=True)
            for number, name in enumerate(["zfp", *"abcdefgh"])
        ]
        return {
            "a/spack.lock": to_bytes(lock([above, product])),
            "b/spack.lock": to_bytes(lock(others)),
        }

    write_files(tmp_path / "old", environments("1.0.0", is_root=True))
    write_files(tmp_path / "new", environments("1.0.1", is_root=False))
    diff = diff_catalogs(load_catalog(tmp_path / "old"), load_catalog(tmp_path / "new"))
    row = "| now only a dependency | `1.0.0` → `1.0.1` |"
    assert row in render_report(diff, "markdown")


def test_builds_that_are_lost_alike_are_one_line() -> None:
    old = [spec(f"b{numbered(n)}", f"1.{n}", package=f"p{n}") for n in range(3)]
    gone = [spec(f"c{numbered(n)}", f"1.{n}", package=f"p{n}", variants="+mpi") for n in range(2)]
    others = [spec("d", "1.2", package="p2", variants="~shared"), spec("f", "1.0", package="p1")]
    text = render_report(diff_of([*old, *gone, *others], old + others[1:]), "text")
    assert "\nLost builds\n\n  one each with +mpi: p0, p1 1.1\n" in text
    assert "\n  p2 1.2: 1 of 2 builds gone (with ~shared)\n" in text


def test_packages_that_lost_as_many_builds_without_a_trait_are_one_line() -> None:
    names = ("pa", "pb")
    old = [
        spec(f"{'ab'[place]}{'bcdefghi'[number]}", package=name)
        | {"variants": [f"{'+~'[number >> bit & 1]}{'xyz'[bit]}" for bit in range(3)]}
        for place, name in enumerate(names)
        for number in range(8)
    ]
    left = [it for number, it in enumerate(old) if number % 8 > 2]
    text = render_report(diff_of(old, left), "text")
    assert "\npa, pb 1.0: 3 of 8 builds gone.\n" in text


def test_few_changes_are_named_in_the_sentence_and_said_once() -> None:
    diff = diff_of([spec("b", "1.0"), spec("d", package="left")], [spec("c", "1.1")])
    for format_name in ("text", "markdown", "comment"):
        text = render_report(diff, format_name, ReportOptions(package_url=""))
        assert "attention" not in text
        assert text.count("left") == 2, "in the sentence, and in its line"


def test_a_change_of_one_package_is_two_lines() -> None:
    diff = diff_of([spec("b", "1.0")], [spec("c", "1.1")])
    text = render_report(diff, "comment", ReportOptions(package_url=""))
    title = "# Changes in `develop/e4s` from `old` to `new`"
    assert text == f"<!-- snapdiff -->\n{title}\n\n`zlib` `1.0` → `1.1`.\n"
    text = render_report(diff, "text")
    assert text == "Changes in develop/e4s from old to new\n\nzlib 1.0 → 1.1.\n"


def test_a_family_that_moves_together_is_one_line() -> None:
    names = ["hipblas", "hipblaslt", "rccl", "rocblas"]
    old = [
        spec(f"{letter}{numbered(n)}", version, package=name, stacks="rocm")
        for n, name in enumerate(names)
        for letter, version in (("a", "6.3.3"), ("b", "6.4.0"))
    ]
    new = [spec(f"c{numbered(n)}", "6.2.4", package=p, stacks="rocm") for n, p in enumerate(names)]
    text = render_report(diff_of(old, new), "text")
    assert "hipblas, hipblaslt, rccl, rocblas 6.4.0 and 6.3.3 → 6.2.4, 1 of 2" in text


def test_gone_without_a_place_means_the_whole_tag() -> None:
    old = [spec("b", package="one"), spec("c", package="two", stacks="e4s hep"), spec("d")]
    new = [spec("e", package="two", stacks="hep"), spec("f")]
    text = render_report(diff_of(old, new), "text")
    assert "\n  one 1.0 (e4s)\n  two 1.0 from e4s, still in hep\n" in text
    by_stack = render_report(diff_of(old, new), "text", ReportOptions(group_by="stack"))
    lines = "  one 1.0\n  two 1.0 from this one, still in hep\n"
    assert f"\ne4s\n\nGone, or gone from some stacks\n\n{lines}" in by_stack


def test_a_version_beside_another_is_no_downgrade() -> None:
    old = [spec("b", "5.14.2", package="paraview")]
    new = [spec("c", "5.14.2", package="paraview"), spec("d", "5.14.1", package="paraview")]
    text = render_report(diff_of(old, new), "text")
    assert "attention" not in text
    assert "paraview 5.14.1 added beside the newer 5.14.2.\n" in text


@pytest.mark.parametrize("format_name", ["text", "markdown", "comment"])
def test_of_very_many_versions_the_highest_are_named(format_name: str) -> None:
    many = [spec(f"b{numbered(n)}", f"1.{n}") for n in range(300)]
    more = [spec(f"c{numbered(n)}", f"2.{n}") for n in range(300)]
    text = render_report(diff_of(many, [*many, *more]), format_name).replace("`", "")
    assert "2.299, 2.298, 2.297, 2.296, 2.295, 2.294 and 294 more added beside 1.299, " in text
    assert len(text) < 1_000


def test_a_rebuild_in_another_tag_is_no_news_of_its_stacks() -> None:
    old = [spec("b"), spec("c", tag="v1", stacks="e4s hep")]
    new = [spec("d", variants="+x"), spec("e", tag="v1", stacks="e4s hep")]
    other = [spec("f", package="other", tag="v1"), spec("g", package="other", tag="v1")]
    text = render_report(diff_of([*old, other[0]], [*new, other[1]]), "text")
    assert (
        text.splitlines()[2] == "zlib is reconfigured. other was only rebuilt (why is not known)."
    )


@pytest.mark.parametrize(("number", "is_folded"), [(8, False), (9, True)])
def test_many_stacks_that_went_are_in_a_fold(number: int, *, is_folded: bool) -> None:
    gone = [spec(f"c{numbered(n)}", stacks=f"gone-{n}") for n in range(number)]
    text = render_report(
        diff_of([spec("b", stacks="hep"), *gone], [spec("b", stacks="hep")]), "markdown"
    )
    assert (f"<summary>{number} stacks removed, with " in text) is is_folded
    assert (f"**{number} stacks removed, with `zlib` alone**: `gone-0`, " in text) is not is_folded


def test_stacks_with_the_same_fate_are_one_line() -> None:
    stays = spec("b", stacks="hep")
    gone = [spec(f"c{numbered(n)}", stacks=f"gone-{n:02}") for n in range(18)]
    rebuilt = [spec(f"d{numbered(n)}", package="p", stacks=f"same-{n}") for n in range(5)]
    again = [item | {"hash": hash_of(f"e{numbered(n)}")} for n, item in enumerate(rebuilt)]
    diff = diff_of([stays, *gone, *rebuilt], [stays, *again])
    text = render_report(diff, "text", ReportOptions(group_by="stack", width=400))
    names = ", ".join(f"gone-{number:02}" for number in range(18))
    assert f"\n18 stacks removed, with zlib alone: {names}\n" in text
    assert text.count("\n18 stacks removed") == 1, "no row says again what that line says"
    assert "\n18 stacks removed " in render_report(diff, "text", ReportOptions(stat=True))
    assert "\n5 stacks only rebuilt " in text
    assert "\nOnly rebuilt: 5 stacks: same-0, same-1, same-2, same-3, same-4\n" in text
    assert "\nsame-0\n" not in text


def test_a_stack_that_is_nearly_another_is_a_hint() -> None:
    packages = [spec(f"b{numbered(n)}", package=f"p{n}", stacks="hep") for n in range(10)]
    renamed = [item | {"stacks": ["physics"]} for item in packages]
    words = "is physics the new name of hep? They share {} packages: --map-stack hep=physics"
    for number, is_told in ((10, True), (8, True), (7, False)):
        others = [item | {"package": f"q-{item['package']}"} for item in renamed[number:]]
        diff = diff_of(packages, [*renamed[:number], *others])
        text = render_report(diff, "text", ReportOptions(width=300))
        assert (words.format(number) in text) is is_told
    twice = [item | {"stacks": ["physics", "chemistry"]} for item in packages]
    assert "new name" not in render_report(diff_of(packages, twice), "text"), "which of the two?"
    by_name = render_report(diff_of(packages, renamed, no_renames=True), "text")
    assert "new name" not in by_name
    for one, other in (("e4s-cuda", "e4s-cpu"), ("x86_64", "aarch64"), ("hep-x86_64", "hep-rocm")):
        here, there = ([it | {"stacks": [stack]} for it in packages] for stack in (one, other))
        assert "new name" not in render_report(diff_of(here, there), "text"), "other hardware"
    west = [item | {"stacks": ["gpu-west"], "target": "neoverse_v2"} for item in packages]
    assert "new name" not in render_report(diff_of(packages, west), "text"), "no spec is a pair"
    nowhere = [item | {"stacks": ["root"]} for item in packages]
    assert "new name" not in render_report(diff_of(nowhere, renamed), "text"), "root is no stack"


def test_a_hint_names_the_top_folder_as_the_option_takes_it(tmp_path: Path) -> None:
    items = [Item(f"p{number}", explicit=True) for number in range(10)]
    other = [Item("q", explicit=True)]
    files = {"old/spack.lock": items, "new/a/spack.lock": items, "new/b/spack.lock": other}
    write_files(tmp_path, {path: to_bytes(lock(some)) for path, some in files.items()})
    sides = (tmp_path / "old" / "spack.lock", tmp_path / "new", "-f", "text")
    assert ": --map-stack .=a compares them as one" in run_cli(*sides).out.replace("\n      ", " ")
    out = run_cli(*sides, "--map-stack", ".=a").out
    assert "; compared as one: top folder → a" in out.replace("\n", " ")
    assert "new name" not in out


@pytest.mark.parametrize("name", ["report.md", "by-stack.md", "comment.md", "shortened.md"])
def test_every_line_is_an_item_of_one_plain_list(name: str) -> None:
    tree = Tree((FOLDER / name).read_text(encoding="utf-8"))
    text = cmarkgfm.github_flavored_markdown_to_html(
        (FOLDER / name).read_text(encoding="utf-8"), Options.CMARK_OPT_UNSAFE
    )
    assert tree.open_folds == 0
    assert not re.search(r"<li>\s*<(?:ul|h[1-6])|<p>[^<]*(?:\||</?details)", text)


def test_a_report_has_a_title_of_ones_own() -> None:
    diff = diff_of([spec("b", "1.0")], [spec("c", "1.1")])
    for format_name, words in (
        ("markdown", "# v23.11: what is new\n\nIn `develop/e4s`, from `old` to `new`: "),
        ("text", "v23.11: what is new\n\nIn develop/e4s, from old to new: "),
        ("comment", "# v23.11: what is new\n"),
        ("html", "<h1>v23.11: what is new</h1>"),
    ):
        options = ReportOptions(title="v23.11: what is new")
        assert words in render_report(diff, format_name, options)


def test_patches_and_absent_values_are_shown_short() -> None:
    patch = "0123456789abcdef" * 4
    old = [spec("b", variants=f"patches={patch},{patch[::-1]} +mpi")]
    new = [spec("c", variants="+mpi")]
    for format_name in ("text", "markdown", "html"):
        text = render_report(diff_of(old, new), format_name, ReportOptions(detail=True))
        assert "patches=0123456,fedcba9" in text
        assert "—" in text
        assert patch not in text


def every_row_adds_up_and_all_rows_to_the_total(diff: CatalogDiff, outline: Outline) -> None:
    table = outline.counted
    for counts in (table, *table.rows):
        assert counts.unchanged is not None
        assert counts.unchanged >= 0
    on_new_side = [
        stack.packages.new - sum(not (it.whole and it.kind is Kind.REMOVED) for it in changes)
        for tag in diff.tags
        if tag.status == "changed"
        for stack in tag.stacks
        for changes in [stack.package_changes]
    ]
    assert table.unchanged == sum(on_new_side)
    for status in Status:
        numbers = [row.by_class[status] for row in table.rows]
        assert sum(numbers) == table.by_class[status]
    in_rows = sum(len(row.stacks) for row in table.rows)
    assert in_rows == sum(len(tag.stacks) for tag in diff.tags)


def the_row_of_a_stack_has_the_numbers_of_the_sentence_about_it(
    diff: CatalogDiff, _: Outline
) -> None:
    for tag in diff.tags:
        for stack in (it for it in tag.stacks if {tag.status, it.status} == {"changed"}):
            alone = replace(diff, tags=(replace(tag, stacks=(stack,)),))
            own = outline_of(alone, "package")
            said = Counter[Status]()
            for counted in own.packages.by_class:
                said[counted.status] += counted.number
            assert own.counted.by_class == said
            columns = [it.kind for it in own.counted.columns("stack")]
            assert columns == [kind for kind in WORST_FIRST if own.counted.number(kind)]
            assert sum(map(own.counted.number, columns)) == said.total()


def the_moves_hold_every_package_change_once(diff: CatalogDiff, _: Outline) -> None:
    for tag in diff.tags:
        told = sorted(
            (stack, package, move.kind)
            for (package, _), moves in moves_in(tag, tag.stacks).items()
            for move in moves
            for stack in move.stacks
        )
        assert told == sorted(
            (stack.stack, change.package, change.kind)
            for stack in tag.stacks
            for change in stack.package_changes
        )


LAWS = (
    the_sentence_the_groups_and_their_lines_say_the_same_numbers,
    a_package_is_one_item_of_its_class_the_worst_first,
    every_row_adds_up_and_all_rows_to_the_total,
    the_row_of_a_stack_has_the_numbers_of_the_sentence_about_it,
    the_moves_hold_every_package_change_once,
)


@pytest.mark.slow
@settings(max_examples=examples(50))
@given(catalogs())
def test_every_outline_keeps_the_laws(pair: Catalogs) -> None:
    old, new = pair
    diff, back = diff_of(old, new), diff_of(new, old)
    there, mirror = outline_of(diff, "package"), outline_of(back, "package")
    for law in LAWS:
        law(diff, there)
    # In the mirror as many packages are gone as there were new.
    tags = there.one_sided[Kind.REMOVED], mirror.one_sided[Kind.ADDED]
    assert len(tags[0]) == len(tags[1])
    assert numbers_of(there, Status.GONE) == numbers_of(mirror, Status.NEW)
    assert numbers_of(there, Status.NEW) == numbers_of(mirror, Status.GONE)


def numbers_of(outline: Outline, status: Status) -> dict[frozenset[str], int]:
    """How many packages of a tag are gone, or new, in all of it, by the names of the tags."""
    return {
        frozenset((block.tag.old or "", block.tag.new or "")): group.number - group.in_some
        for block in outline.tags
        for part in block.parts
        for group in part.groups
        if group.status is status and group.number > group.in_some
    }


@pytest.mark.parametrize("name", ["text", "markdown", "comment", "html"])
def test_a_report_of_some_kinds_counts_specs_where_no_package_is_of_them(name: str) -> None:
    """A package was upgraded and lost one of its builds, which JSON and CSV list."""
    old = [spec("b", "1.0"), spec("c", "1.0", compiler="gcc@13.1.0")]
    said = render_report(diff_of(old, [spec("d", "2.0")], kind=("removed",)), name)
    assert "No package, but specs of packages that changed otherwise: 1 gone" in said
    assert "No changes" not in said


def test_a_report_of_some_kinds_says_nothing_of_others() -> None:
    old = [spec("b", "1.0"), spec("c", package="gone"), spec("d", stacks="left")]
    diff = diff_of(old, [spec("e", "1.1")], kind=("upgraded",))
    text = render_report(diff, "text")
    assert "gone" not in text
    assert "unchanged" not in text
    assert narrowed_to_kinds(diff) == diff


def test_stacks_are_counted_in_which_there_is_news_and_that_were_there_before() -> None:
    old = [spec("a", package="q", stacks="e4s"), spec("b", package="q", stacks="hep")]
    old += [spec("c", package="r", stacks="ml")]
    new = [spec("d", "2.0", package="q", stacks="e4s"), spec("e", package="q", stacks="hep")]
    new += [spec("f", "2.0", package="r", stacks="ml"), spec("g", "2.0", package="q", stacks="new")]
    text = render_report(diff_of(old, new), "text")
    said = "2 packages are upgraded to another major version (q, r), in 2 stacks"
    assert f"\n{said}. Stack new added.\n" in text
    rebuilt = [spec("h", package="s", stacks="e4s"), spec("i", package="s", stacks="hep")]
    again = [spec("j", package="s", stacks="e4s"), spec("k", "1.1", package="s", stacks="hep")]
    text = render_report(diff_of([old[2], *rebuilt], [new[2], *again]), "text")
    assert "\n2 packages are upgraded (r to another major version), in 2 stacks.\n" in text


def test_an_empty_name_names_no_stack() -> None:
    old, new = (
        [spec(f"{side}{it}", version, package=it) for it in "qr"]
        for side, version in (("a", "1.0"), ("b", "1.1"))
    )
    for some in (old, new):
        some[0]["stacks"] = ["", "root"]
        some[1]["stacks"] = ["", "e4s", "root"]
    [tag] = diff_of(old, new).tags
    assert [(stack.stack, stack.specs.new) for stack in tag.stacks] == [("e4s", 1), ("root", 1)]


def test_of_builds_of_which_one_went_to_another_version_the_others_say_theirs() -> None:
    old = [spec("a", "2.0", variants="+a"), spec("b", "2.0", variants="+b +c"), spec("c", "1.1")]
    new = [spec("d", "1.1", variants="+a"), spec("e", "2.0", variants="~b +c"), spec("f", "1.1")]
    text = render_report(diff_of(old, new), "text")
    assert (
        "zlib: 1 of 2 builds 2.0 → 1.1 (the one with +a), 2.0 reconfigured: variant +b → ~b" in text
    )


def test_among_all_builds_there_are_those_that_are_equal_to_others_count_each(
    tmp_path: Path,
) -> None:
    mpi = Item("mvapich", "3.0")
    tools = [Item("gmake", it) for it in ("1.0", "2.0")]
    twins = [Item("twin", needs=(needs(tool, types=("build",)),)) for tool in tools]
    lost = [Item(f"app{n}", needs=(needs(mpi),), explicit=True) for n in range(3)]
    kept = [Item(f"app{n}", explicit=True) for n in range(3)]
    for more, said in (
        (twins[:1], "\nBuilds: 10 → 6, 6 as before, 4 gone\n"),
        (twins, "\nBuilds: 12 → 6, 5 as before, 1 with another hash, 6 gone\n"),
    ):
        user = Item("user", explicit=True, needs=tuple(map(needs, more)))
        old = [mpi, *tools, *more, *lost, *kept, user]
        new = [*tools, *twins[:1], *kept, Item("user", explicit=True, needs=(needs(twins[0]),))]
        text = run_cli(*write_locks(tmp_path / str(len(more)), old, new), "-f", "text").out
        assert said in text, text


def test_a_page_that_is_bad_on_both_sides_is_one_page() -> None:
    sides = [spec("a", package="cmake", version=it) for it in ("1.0", "1.1")]
    bad = tuple(SkippedPage(side=it, path="develop/hdf5/specs.md", error="x") for it in SIDES)
    text = render_report(replace(diff_of(sides[:1], sides[1:]), skipped=bad), "text")
    assert "  ! 1 page that cannot be read left out on both sides: develop/hdf5/specs.md\n" in text


def test_where_a_document_does_not_say_what_was_asked_for_nothing_is_a_product(
    tmp_path: Path,
) -> None:
    for side, version in (("old", "1.0"), ("new", "1.1")):
        cached, below = Item("zlib", version), Item("qt", version)
        asked_for = Item("root", version, explicit=True, needs=(needs(below),))
        write_files(
            tmp_path / side,
            {
                "hep/spack.lock": to_bytes(lock([below, asked_for])),
                "cache/build_cache/index.json": to_bytes(database([cached])),
            },
        )
    report = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert "3 packages are upgraded (zlib, qt, root), in 2 stacks.\n" in report
    assert "roduct" not in report
    assert "ependenc" not in report


def test_what_is_said_of_roots_is_not_said_of_dependencies_of_the_same_name(
    tmp_path: Path,
) -> None:
    old = [Item("tool", "2.0", explicit=True, parameters={"mpi": True})]
    lower, root = Item("tool", "1.0"), Item("tool", "1.1", explicit=True)
    user = Item("user", explicit=True, needs=(needs(lower),))
    report = run_cli(*write_locks(tmp_path / "a", old, [*old, lower, root, user]), "-f", "text").out
    assert "\nWith more versions: tool 1.1 added beside the newer 2.0\n" in report
    assert "\n  tool 1.0 new, as a dependency, needed by user\n" in report
    # How many builds of one version there are is not known from how many there are in all.
    sides = []
    for cuda, version in ((True, "1.0"), (False, "1.1")):
        below = Item("tool", "1.0", parameters={"cuda": cuda})
        up = [Item("tool", version, explicit=True, parameters={"mpi": n}) for n in range(3)]
        above = Item("user", explicit=True, needs=(needs(below),))
        sides.append([below, above, *(up if version == "1.1" else up[:1])])
    report = run_cli(*write_locks(tmp_path / "b", *sides), "-f", "text").out
    assert "\n  tool 1.0: variant +cuda → ~cuda\n" in report


def test_paths_that_differ_in_case_and_errors_of_one_side_have_lines_of_their_own() -> None:
    sides = [spec("a", package="cmake", version=it) for it in ("1.0", "1.1")]
    bad = [
        *(SkippedPage(side=it, path="E4S/spack.lock", error="x") for it in SIDES),
        *(SkippedPage(side=it, path="e4s/spack.lock", error=f"of {it}") for it in SIDES),
    ]
    diff = replace(diff_of(sides[:1], sides[1:]), skipped=tuple(bad))
    text = render_report(diff, "text")
    assert "  ! 2 pages that cannot be read left out on both sides: " in text
    for line in ("E4S/spack.lock (old, new): x", "e4s/spack.lock (new): of new"):
        assert f"  {line}\n" in text


def test_that_builds_are_a_dependency_is_said_once_of_several_stacks(tmp_path: Path) -> None:
    root = Item("tool", "2.0", explicit=True, parameters={"mpi": True})
    for stack, version in (("a", "1.0"), ("b", "1.1")):
        below = Item("tool", version)
        user = Item("user", explicit=True, needs=(needs(below),))
        for side, more in (("old", []), ("new", [below, user])):
            path = f"{side}/{stack}/spack.lock"
            write_files(tmp_path, {path: to_bytes(lock([root, *more]))})
    report = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert report.count("as a dependency") == 1
    assert "\n  tool 1.0 new, as a dependency, needed by user, in a; 1.1 new in b\n" in report


def test_who_asks_for_a_package_is_told_without_what_was_only_rebuilt(tmp_path: Path) -> None:
    lib, app = Item("lib"), Item("app", "1.0", explicit=True)
    user = [
        Item("user", explicit=True, needs=(needs(lib),), recipe=it) for it in ("1" * 4, "2" * 4)
    ]
    old = [Item("lib", explicit=True), user[0], app]
    new = [lib, user[1], Item("app", "1.1", explicit=True)]
    locks = write_locks(tmp_path, old, new)
    for globs, is_told in (
        ("!rebuilt", True),
        ("upgraded,reconfigured", True),
        ("upgraded", False),
    ):
        report = run_cli(*locks, "-k", globs, "-f", "text").out
        assert ("lib is now only a dependency" in report) is is_told
        assert "hash" not in report


def test_equal_builds_have_one_line_of_however_many_builds_they_are(tmp_path: Path) -> None:
    def side(others: int, *, twice: bool) -> list[Item]:
        tools = [Item("make", it) for it in ("1", "2")]
        libs = [Item("lib", needs=(needs(it, types=("build",)),)) for it in tools[: 1 + twice]]
        more = [Item("lib", parameters={"n": str(it)}) for it in range(others)]
        users = tuple(map(needs, [*libs, *more]))
        return [*tools, *libs, *more, Item("app", explicit=True, needs=users)]

    for stack, others in (("a", 0), ("b", 2)):
        for name, twice in (("old", False), ("new", True)):
            path = f"{name}/{stack}/spack.lock"
            write_files(tmp_path, {path: to_bytes(lock(side(others, twice=twice)))})
    report = run_cli("-C", tmp_path, "old", "new", "-f", "text").out
    assert "lib 1.0: 1 more equal build (both)\n" in report
