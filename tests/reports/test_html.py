"""The HTML report as a file: all that is in it without scripts, and nothing that is not ours."""

import json
import re
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace

from snapdiff import Filters, diff_catalogs, load_catalog, render_report
from snapdiff.reports import ReportOptions
from snapdiff.reports.html.document import embedded
from snapdiff.result.changes import SkippedPage
from snapdiff.safe_text import shown
from tests.reports.test_news import diff_of, numbered
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import after, before, write_locks
from tests.support.helpers import PROJECT, pages_of, spec, write_files
from tests.support.hostile import PLACES, VALUES
from tests.support.html_reports import SNAPSHOTS, hostile_diff, large_diff, rendered, snapshots_diff
from tests.support.oracle import Record
from tests.support.real_catalogs import e4s_report, needs_real_catalogs

OURS = {
    name
    for file in [
        *(PROJECT / "templates").glob("*.html.j2"),
        PROJECT / "snapdiff" / "reports" / "html" / "writing.py",
    ]
    for name in re.findall("<([a-z0-9]+)", file.read_text(encoding="utf-8"))
} | {"h1", "h2", "h3"}
"""Every element that our templates write."""

VOID = {"meta", "link", "input", "br"}


class Page(HTMLParser):
    """A page as a reader without scripts has it: elements, their balance, and their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self._parts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self._open.pop() == tag
        if tag in ("td", "th", "li"):
            self.handle_data(" ")

    def handle_data(self, data: str) -> None:
        tag = self._open[-1] if self._open else ""
        self._parts.setdefault(tag if tag in ("script", "style", "title") else "", []).append(data)
        if {"td", "th"} & set(self._open):
            self.cells[-1] += data

    def text(self, tag: str = "") -> str:
        """All text of scripts, styles or the title, or all that is none of it, in one line."""
        return " ".join("".join(self._parts.get(tag, [])).split())

    def names(self) -> set[str]:
        return {name for name, _ in self.elements}


@pytest.fixture(scope="module")
def snapshots_text() -> str:
    return rendered(snapshots_diff())


def test_without_scripts_everything_is_there(snapshots_text: str) -> None:
    page = Page(snapshots_text)
    text = page.text()
    assert "What changed: 2025-06-29 → 2025-07-06" in page.text("title")
    for words in (
        "develop, stack by stack",
        "23 packages, 105 specs, 13 stacks.",
        "Tag develop-2025-05-04 removed: 2 packages in 5 stacks",
        "2 packages, 4 specs. In 5 stacks: ",
        (
            "Of 24 packages compared in develop, pruners-ninja is gone, celeritas is "
            "new, py-setuptools is downgraded to 79.0.1, 10 are upgraded, 4 others changed "
            "less. superlu-dist has fewer duplicate builds, 4 more were only rebuilt (why is "
            "not known), 2 more have another os (data-vis-sdk). Stack radiuss-aws removed, "
            "developer-tools-aarch64-linux-gnu added, 11 other stacks changed; 1 tag removed, 1 "
            "added. Toolchain: os ubuntu20.04 → ubuntu22.04 (data-vis-sdk), compiler gcc@11.4.0 "
            "→ gcc@12.3.0 (2 of 9 builds in tutorial). "
        ),
        "Tag develop-2025-07-06 added: 2 packages in 5 stacks",
        "Stack radiuss-aws removed: 4 packages",
        "Stack developer-tools-aarch64-linux-gnu added: 4 packages",
        "1.0.1 gone (e4s, e4s-neoverse-v2)",
        "0.6.0 new (hep)",
        "80.9.0 → 79.0.1 (the 3 ml-*)",
        "3.31.6 gone from radiuss-aws",
        "3.31.6 → 3.31.8 (data-vis-sdk, e4s, e4s-neoverse-v2 and 6 more)",
        "os ubuntu20.04 → ubuntu22.04",
        "variants ~squashfuse → +squashfuse",
    ):
        assert words in text
    for tag in snapshots_diff().tags:
        for stack in tag.stacks:
            for change in stack.changes:
                for side in (change.old, change.new):
                    assert side is None or side.hash in text


def test_stacks_that_came_and_sets_of_stacks_are_told_above_the_toolchain() -> None:
    def side(letter: str, version: int, stack: str) -> list[Record]:
        whole = spec(f"{letter}w", package="whole", stacks=stack)
        mpi = spec(f"{letter}m", f"5.0.{version}", package="openmpi", stacks="red green blue pink")
        others = [
            spec(f"{letter}{numbered(n)}", f"{n}.{version}", package=f"p{n}", stacks="white")
            for n in range(31)
        ]
        return [whole, mpi, *others]

    text = Page(rendered(diff_of(side("b", 1, "east"), side("c", 2, "west")))).text()
    told = ["east removed: 1 package", "west added: 1 package"]
    told += ["Set A: blue, green, pink, red", "Toolchain openmpi 5.0.1 → 5.0.2 (4, set A)"]
    assert sorted(told, key=text.index) == told


def test_rows_say_what_happened_and_why(tmp_path: Path) -> None:
    rows = dict(_plain_rows(rendered(snapshots_diff())))
    assert rows["hdf5"] == [
        "↑ 1.14.5 → 1.14.6 (e4s-neoverse-v2, e4s-oneapi)",
        "↑ 1 of 2 builds 1.14.5 → 1.14.6 (the one with +mpi), in e4s",
        "≠ 1.14.5 reconfigured: compiler gcc@11.4.0 → gcc@12.3.0 (tutorial)",
        "≠ 1.14.5 reconfigured (data-vis-sdk)",  # in what, is said once for all of that stack
        "= 1.14.5 rebuilt (hep, ml-linux-x86_64-cuda)",
    ]
    assert rows["paraview"][0] == "↑ 5.13.2 → 5.13.3 (other builds had it already), in e4s"
    old, new = write_locks(tmp_path, before(), after())
    diff = diff_catalogs(load_catalog(str(old)), load_catalog(str(new)))
    rows = dict(_plain_rows(rendered(diff)))
    assert rows["json"] == [
        "= 3.11.2 with another hash, because of cmake 3.26.3 → 3.27.7 (build only)"
    ]


def test_a_row_says_what_other_reports_say(snapshots_text: str) -> None:
    """A row has the sign of its class, and its word, where the others have a title."""
    said = render_report(snapshots_diff(), "text").splitlines()
    rows = dict(_plain_rows(snapshots_text))
    titles = {"pruners-ninja": "Gone", "celeritas": "New", "py-setuptools": "Downgraded"}
    for package in (*titles, "libcatalyst", "py-torch"):
        [move] = rows[package]
        title = titles.get(package, "")
        # Of what is new in one stack the others say how many builds it has: a row has a column.
        number = ", 2 builds (" if package == "celeritas" else " ("
        words = move[2:].replace(f" {title.lower()} (", number) if title else move[2:]
        assert (f"{title}: {package} {words}" if title else f"  {package} {words}") in said


def test_a_row_names_a_few_stacks_and_its_specs_all(snapshots_text: str) -> None:
    rows = dict(_plain_rows(snapshots_text))
    assert rows["cmake"][0] == "↑ 3.31.6 → 3.31.8 (data-vis-sdk, e4s, e4s-neoverse-v2 and 6 more)"
    assert "e4s-rocm-external, hep, ml-linux-x86_64-cuda, tutorial" in Page(snapshots_text).text()


def test_what_came_or_went_with_a_whole_stack_is_told_last(snapshots_text: str) -> None:
    rows = dict(_plain_rows(snapshots_text))
    assert rows["cmake"][1:] == [
        "− 3.31.6 gone from radiuss-aws",
        "+ 3.31.8 new in developer-tools-aarch64-linux-gnu",
    ]


def test_classes_of_rows_are_those_of_the_sentence(tmp_path: Path) -> None:
    heads = re.findall('<tr class="class [a-z]+"><th[^>]*>([^<]*)<', rendered(snapshots_diff()))
    assert heads == [
        "Gone: 1",
        "New: 1",
        "Downgraded: 1",
        "Upgraded: 10",
        "With more builds: 1",
        "Reconfigured: 3",
        "With another os: 2",
        "With fewer duplicate builds: 1",
        "Only rebuilt: 4",
    ]
    kept = spec("a", "1.0", package="zlib", stacks="hep")
    sides = {
        "old": [kept, spec("b", "1.0", package="zlib", stacks="e4s")],
        "new": [kept, spec("c", "2.0", package="cmake", stacks="hep")],
    }
    for side, records in sides.items():
        write_files(tmp_path / side, pages_of(records))
    catalogs = (load_catalog(str(tmp_path / side)) for side in ("old", "new"))
    text = rendered(diff_catalogs(*catalogs))
    heads = re.findall('<tr class="class [a-z]+"><th[^>]*>([^<]*)<', text)
    assert heads == ["New: 1", "In stacks removed or added: 1"]
    assert dict(_plain_rows(text))["zlib"] == ["− 1.0 gone from e4s"]


def test_an_upgrade_to_another_major_version_is_a_class_and_what_is_new_in_some_is_told(
    tmp_path: Path,
) -> None:
    def app(name: str, version: str, stacks: str) -> Record:
        letters = version.translate(str.maketrans("0123.", "bcdef"))
        return spec(f"{name}{letters}", version, package=name, stacks=stacks)

    there = app("cmake", "3.0", "e4s")
    sides = {
        "old": [there, app("a", "1.0", "hep"), app("b", "1.0", "hep")],
        "new": [
            *(app("cmake", "3.0", "e4s hep"), app("zlib", "1.2", "hep")),
            *(app("a", "2.0", "hep"), app("b", "1.1", "hep")),
        ],
    }
    for side, records in sides.items():
        write_files(tmp_path / side, pages_of(records))
    catalogs = [load_catalog(str(tmp_path / side)) for side in ("old", "new")]
    heads = re.findall(
        '<tr class="class [a-z]+"><th[^>]*>([^<]*)<', rendered(diff_catalogs(*catalogs))
    )
    assert heads == [
        "New, or now in more stacks: 2",
        "Upgraded to another major version: 1",
        "Upgraded: 1",
    ]
    text = render_report(diff_catalogs(*catalogs), "text")
    new = "zlib is new, 1 package is now in more stacks (cmake)"
    words = f"{new}, 2 are upgraded (a to another major version)"
    assert words in " ".join(text.split())


def test_a_class_says_what_is_so_of_its_rows_in_every_tag(tmp_path: Path) -> None:
    for side, stacks in (("old", "e4s hep"), ("new", "e4s")):
        records = [
            spec(f"{tag}{name}", package=name, tag=tag, stacks=found)
            for tag in "ab"
            for name, found in (("cmake", "hep"), ("zlib", stacks))
        ]
        write_files(tmp_path / side, pages_of(records))
    catalogs = [load_catalog(str(tmp_path / side)) for side in ("old", "new")]
    heads = re.findall("colgroup.>([^<]*)<", rendered(diff_catalogs(*catalogs)))
    assert heads == ["Gone from some stacks: 2"]


def test_a_class_of_what_was_worse_in_another_tag_has_its_rows() -> None:
    others = [spec(f"b{tag}", package="other", tag=tag) for tag in "cd"]
    zlib = [spec(f"e{tag}", "1.0", tag=tag) for tag in "cd"]
    diff = diff_of([*others, *zlib], [*others, spec("f", "1.1", tag="d")])
    heads = re.findall("colgroup.>([^<]*)<", rendered(diff))
    assert heads == ["Gone: 1", "Upgraded: 1"]


def test_specs_of_one_configuration_are_told_by_their_versions() -> None:
    sides = [
        [spec(f"{side}{at}", version) for at, version in (("b", "1.0"), ("c", "1.1"))]
        for side in "de"
    ]
    old = [*sides[0], spec("f", "1.0", package="other"), spec("g", "1.1", package="other")]
    text = rendered(diff_of(old, sides[1]))
    for kind in ("rebuilt", "gone"):
        for version in ("1.0", "1.1"):
            assert re.search(
                f'1 spec {kind}</span> <span class="difference"><span class="name">version</span> '
                f"{version}</span>",
                text,
            )


def test_reconfigured_specs_say_of_which_version_they_are_and_how_they_are_built_now() -> None:
    sides = [
        [
            spec(f"{side}{at}", version, compiler=compiler)
            for at, version in (("b", "1.0"), ("c", "1.1"))
        ]
        for side, compiler in (("d", "gcc@11.4.0"), ("e", "gcc@12.3.0"))
    ]
    page = Page(rendered(diff_of(*sides)))
    for version in ("1.0", "1.1"):
        words = f"1 spec reconfigured version {version} compiler gcc@11.4.0 → gcc@12.3.0"
        assert f"{words} gcc@12.3.0 · " in page.text()
    assert "gcc@11.4.0 ·" not in page.text()


def test_specs_of_one_package_say_each_why_they_were_rebuilt(tmp_path: Path) -> None:
    sides = []
    for version in ("1.0", "2.0"):
        items = []
        for tool, beside in (
            (Item("cmake", version), Item("a")),
            (Item("zlib", version), Item("b")),
        ):
            hdf5 = Item("hdf5", "1.14", needs=(needs(tool), needs(beside)), explicit=True)
            items += [tool, beside, hdf5]
        sides.append(items)
    old, new = write_locks(tmp_path, *sides)
    text = rendered(diff_catalogs(load_catalog(str(old)), load_catalog(str(new))))
    reasons = re.findall('<p class="because">because of (.*)</p>', text)
    assert sorted(reasons) == ["cmake 1.0 → 2.0", "zlib 1.0 → 2.0"]


def test_specs_of_a_row_are_named_as_packages_are_the_worst_first(snapshots_text: str) -> None:
    of_rows = [
        re.findall('"badge">[0-9]+ specs? (.*?)<', row) for row in snapshots_text.split("<tr")
    ]
    worst_first = ["gone", "new", "downgraded", "upgraded", "reconfigured", "rebuilt"]
    assert [it for it in of_rows if sorted(it, key=worst_first.index) != it] == []
    assert ["gone", "rebuilt", "rebuilt"] in of_rows
    kinds = [[group[0] for group in row[9]] for row in json.loads(_data(snapshots_text))["rows"]]
    assert ["removed", "rebuilt", "rebuilt"] in kinds


def test_an_upgraded_row_that_lost_a_build_says_so(tmp_path: Path) -> None:
    records = [
        [spec("a", "1.0", compiler="x@1"), spec("b", "1.0", compiler="y@1")],
        [spec("c", "2.0", compiler="x@1")],
    ]
    old, new = (
        write_files(tmp_path / name, pages_of(some))
        for name, some in zip(("old", "new"), records, strict=True)
    )
    [row] = _plain_rows(rendered(diff_catalogs(load_catalog(old), load_catalog(new))))
    assert row[1] == ["↑ 1.0 → 2.0, 1 of 2 builds gone (no longer with y 1)"]


def test_a_report_of_removed_builds_has_the_class_of_their_package(tmp_path: Path) -> None:
    kept, moved, lost = (spec(name, "1.0", compiler=f"{name}@1") for name in "abc")
    sides = ([kept, moved, lost], [kept, spec("d", "2.0", compiler="b@1")])
    old, new = (
        write_files(tmp_path / name, pages_of(some))
        for name, some in zip(("old", "new"), sides, strict=True)
    )
    removed = Filters(kind=("removed",))
    text = rendered(diff_catalogs(load_catalog(old), load_catalog(new), filters=removed))
    assert '<input type="checkbox" name="status" value="lost">' in text


def test_a_report_of_one_stack_has_no_table_of_stacks(tmp_path: Path) -> None:
    old, new = write_locks(tmp_path, before(), after())
    text = rendered(diff_catalogs(load_catalog(str(old)), load_catalog(str(new))))
    assert "In numbers" in Page(text).text()
    assert "nvironment by environment" not in text
    assert '<table class="counts">' not in text


def _two_environments(folder: Path) -> str:
    """A report of two environments: hdf5 and a dependency are upgraded, another product is gone."""
    for side, version, more in (("old", "1.12", ["gone"]), ("new", "1.14", [])):
        tool = Item("cmake", version)
        both = [tool, Item("hdf5", version, needs=(needs(tool),), explicit=True)]
        east = [*both, *(Item(name, "1.0", explicit=True) for name in more)]
        write_files(
            folder / side,
            {
                "east/spack.lock": to_bytes(lock(east)),
                "west/spack.lock": to_bytes(lock(both)),
            },
        )
    sides = (load_catalog(str(folder / side)) for side in ("old", "new"))
    return rendered(diff_catalogs(*sides))


@needs_real_catalogs
def test_no_row_is_without_specs_where_products_are_paired_with_dependencies() -> None:
    """A root of py-h5py is in a pair with a dependency: nothing else happened to either."""
    rows = json.loads(_data(e4s_report("html")))["rows"]
    assert len(rows) > 600
    assert all(row[-1] for row in rows)


def test_dependencies_are_hidden_at_first_where_products_have_news() -> None:
    box = '<input form="controls" type="checkbox" name="dependencies" value="yes"'
    assert f"{box}> " in rendered(snapshots_diff("environments/"))
    assert f"{box} checked> " in rendered(snapshots_diff())


def test_what_a_number_of_a_stack_counts_are_rows_of_that_class() -> None:
    """As each cell of the table of counts says, whatever is worse in other stacks."""
    text = rendered(snapshots_diff())
    found = json.loads(_data(text))
    numbers = re.findall('<td class="number [a-z]+">([0-9]*)<', text)
    columns = [["gone", "lost"], ["new", "more"], ["downgraded"], ["major", "upgraded"]]
    columns += [["reconfigured", "shared", "duplicates"], ["rebuilt"]]
    said = []
    for stack in re.findall('data-stack="([^"]+)"', text):
        if stack in ("radiuss-aws", "developer-tools-aarch64-linux-gnu"):
            continue  # whole stacks: their rows are in one class
        worst = [share[2] for row in found["rows"] for share in row[8] if share[0] == stack]
        names = [found["classes"][str(it)]["name"] for it in worst]
        said.append([sum(name in column for name in names) for column in columns])
    tables = [[int(it or 0) for it in numbers[at : at + 6]] for at in range(0, len(numbers), 6)]
    assert len(said) > 5
    assert [row for row in said if row not in tables] == []
    assert said[0] == [1, 0, 0, 7, 2, 5]  # e4s


def test_products_have_a_column_for_each_of_a_few_stacks(tmp_path: Path) -> None:
    text = _two_environments(tmp_path)
    assert re.findall('<th scope="col" class="cell">([a-z]+)<', text) == ["east", "west"]
    cells = re.findall('<td class="cell" data-in="([a-z]+)">(.*?)</td>', text)
    assert cells == [
        ("east", "gone"),
        ("west", ""),
        ("east", "1.12 → 1.14"),
        ("west", "1.12 → 1.14"),
    ]
    assert dict(_plain_rows(text))["cmake"] == ["↑ 1.12 → 1.14 (both)"]
    assert 'class="changes by-stack"' in text
    assert 'class="changes"' in rendered(snapshots_diff())


def test_numbers_of_stacks_have_columns_for_what_happened(tmp_path: Path) -> None:
    text = _two_environments(tmp_path)
    heads = re.findall('<th scope="col" class="number [a-z]+">.*?</span> (.*?)</th>', text)
    assert heads == ["gone", "upgraded"]
    sums = re.compile('<th scope="col" class="size">([a-z]+)<')
    assert sums.findall(rendered(snapshots_diff())) == ["unchanged", "packages"]


@pytest.mark.parametrize("format_name", ["text", "html"])
def test_the_numbers_of_stacks_are_of_the_classes_of_the_sentence(
    tmp_path: Path, format_name: str
) -> None:
    """A branch and its release are no downgrade, and an upgrade that loses a build is none."""
    steps = {"branch": ("develop", "0.2"), "less": ("2.0", "1.0"), "lost": ("1.0", "2.0")}
    for number, side in enumerate(("old", "new")):
        records = [
            spec(f"{side}{name}{where}", versions[number], package=name, stacks=stack)
            for name, versions in steps.items()
            for where, stack in (("a", "e4s"), ("b", "hep"))
        ]
        if side == "old":
            records.append(spec("y", "1.0", package="lost", stacks="e4s", target="zen4"))
        write_files(tmp_path / side, pages_of(records))
    sides = (load_catalog(str(tmp_path / side)) for side in ("old", "new"))
    text = render_report(diff_catalogs(*sides), format_name, ReportOptions(stat=True))
    lost = "lost is upgraded to another major version"
    said = f"less is downgraded to 1.0, {lost}, branch has another version scheme"
    assert said in " ".join(text.split())
    if format_name == "html":
        table = text.partition('<table class="counts">')[2]
        numbers = [
            [int(number) for number in re.findall(">([0-9]+)<span", row)[:3]]
            for row in table.split("</tr>")[1:3]
        ]
    else:
        assert "  downgraded  upgraded  other changes\n" in text
        rows = text.replace("·", "0").splitlines()
        numbers = [
            [int(word) for word in row.split()[1:4]] for row in rows if row[:3] in ("e4s", "hep")
        ]
    assert numbers == [[1, 1, 1], [1, 1, 1]]


def test_a_hash_that_names_another_spec_is_said_where_nothing_else_changed(tmp_path: Path) -> None:
    old, new = (
        write_files(tmp_path / name, pages_of([spec("b", version, package="zlib")]))
        for name, version in (("old", "1.2"), ("new", "1.3"))
    )
    text = Page(rendered(diff_catalogs(load_catalog(old), load_catalog(new)))).text()
    assert "1 spec under the hash of another one. one hash, baaaaaa: zlib 1.2 → zlib 1.3" in text


def test_numbers_of_a_stack_say_what_they_count(snapshots_text: str) -> None:
    page = Page(snapshots_text)
    at = next(place for place, cell in enumerate(page.cells) if cell.split() == ["hep"])
    numbers = ["", "1 new/more", "", "4 upgraded", "1 other changes", "4 rebuilt"]
    numbers += ["4 unchanged", "14 packages"]
    assert [cell.strip() for cell in page.cells[at + 1 : at + 9]] == numbers


def test_the_file_asks_for_nothing_and_allows_only_its_own_parts(snapshots_text: str) -> None:
    page = Page(snapshots_text)
    policy = next(
        attributes["content"] or ""
        for name, attributes in page.elements
        if name == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for name, attributes in page.elements:
        assert "src" not in attributes
        assert "style" not in attributes
        assert not any(attribute.startswith("on") for attribute in attributes)
        if name == "link":
            assert attributes["href"] == "data:,"
    assert "@import" not in page.text("style")
    assert "url(" not in page.text("style")


def test_revisions_show_source_commit_and_date() -> None:
    text = Page(rendered(large_diff(6))).text()
    assert "HEAD~1 (0123456, 2025-07-06) → HEAD (89abcde, 2025-07-07)" in text


def test_filters_and_skipped_pages_are_told() -> None:
    skipped = SkippedPage(side="old", path="_cache/develop/zlib/specs.md", error="line 3: no <x>")
    diff = replace(snapshots_diff(stack=("e4s*", "hep"), kind=("up*",)), skipped=(skipped,))
    text = Page(rendered(diff)).text()
    assert "Only stack e4s*, hep and kind up*." in text
    assert "1 page that cannot be read left out on both sides" in text
    assert "_cache/develop/zlib/specs.md (old): line 3: no <x>" in text
    both = (skipped, replace(skipped, side="new"))
    some = tuple(replace(it, path=f"{number}/specs.md") for number in range(30) for it in both)
    text_of_some = Page(rendered(replace(diff, skipped=some))).text()
    assert text_of_some.count("/specs.md (old, new): line 3: no <x>") == 30
    assert "rebuilt" not in text
    day = load_catalog(SNAPSHOTS / "2025-06-29")
    text = Page(rendered(replace(diff_catalogs(day, day), skipped=(skipped,)))).text()
    assert (
        "No changes in what can be read. 1 page that cannot be read left out on both sides" in text
    )
    assert "both sides hold the same specs" not in text


def test_a_stack_under_another_name_narrows_no_report(tmp_path: Path) -> None:
    for side, stack in (("old", "ubuntu22.04"), ("new", "ubuntu24.04")):
        records = [spec(f"{side}{name}", side, package=name, stacks=stack) for name in ("x", "y")]
        write_files(tmp_path / side, pages_of(records))
    catalogs = (load_catalog(str(tmp_path / side)) for side in ("old", "new"))
    text = Page(rendered(diff_catalogs(*catalogs))).text()
    assert "Compared as one: ubuntu22.04 → ubuntu24.04." in text
    assert "Only " not in text


def test_an_empty_diff_says_so() -> None:
    day = SNAPSHOTS / "2025-06-29"
    text = rendered(diff_catalogs(load_catalog(day), load_catalog(day)))
    assert "Nothing changed: both sides hold the same specs." in Page(text).text()
    assert "<script" not in text
    assert "<table" not in text


@pytest.mark.slow
def test_a_large_report_says_how_much_it_leaves_out_without_scripts() -> None:
    text = rendered(large_diff(1_200))
    assert "1,000 of 1,200 rows are listed" in Page(text).text()
    assert len(json.loads(_data(text))["rows"]) == 1_200


@pytest.mark.slow
def test_a_row_of_very_many_specs_lists_the_first_without_scripts(tmp_path: Path) -> None:
    names = ["".join(letters) for letters in product("abcdefghijklm", repeat=3)]
    new = [spec(name) for name in names]
    for side, some in (("old", new[:0]), ("new", new)):
        write_files(tmp_path / side, pages_of([*some, spec("z", package="gcc")]))
    text = rendered(
        diff_catalogs(load_catalog(str(tmp_path / "old")), load_catalog(str(tmp_path / "new")))
    )
    assert text.count("<li><code>") == 2_000
    assert "and 197 more specs" in text
    [row] = json.loads(_data(text))["rows"]
    assert sum(len(group[-1]) for group in row[9]) == 2_197


def test_several_tags_are_told_apart() -> None:
    diff = large_diff(12)
    [tag] = diff.tags
    other = replace(tag, old="v1.0", new="v2.0")
    text = Page(rendered(replace(diff, tags=(tag, other)))).text()
    assert "v1.0 → v2.0, stack by stack" in text
    assert "package-0 v1.0 → v2.0" in text


def test_package_links_are_web_addresses_only() -> None:
    diff = large_diff(6)
    assert 'href="https://example.org/package-0"' in rendered(
        diff, package_url="https://example.org/{package}"
    )
    for url in ("javascript:alert({package})", ""):
        assert "javascript:" not in rendered(diff, package_url=url)


def test_embedded_json_cannot_end_its_element() -> None:
    value = ["</script><!--", "&amp;\u2028\u2029"]
    text = embedded(value)
    assert not re.search("[<>&\u2028\u2029]", text)
    assert json.loads(text) == value


def test_templates_of_the_users_own_replace_ours(tmp_path: Path) -> None:
    (tmp_path / "report.css").write_text("body { color: teal }")
    assert "<style>body { color: teal }</style>" in rendered(large_diff(6), templates=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_hostile_values_are_text(tmp_path: Path, place: str) -> None:
    page = Page(rendered(hostile_diff(tmp_path, place)))
    assert page.names() <= OURS
    text = page.text()
    for value in VALUES.values():
        said = shown(value.strip() if place in ("package", "tag") else value)[:150]
        assert " ".join(said.split()) in text


def _plain_rows(text: str) -> list[tuple[str, list[str]]]:
    """The packages, and what happened to each, as a reader without scripts has them."""
    rows = re.findall('<tr class="row [a-z]+">(.*?)</tr>', text, flags=re.DOTALL)
    found = []
    for row in rows:
        name = Page(row.partition("</th>")[0] + "</th>").text()
        moves = re.findall('<span class="move [a-z]+">(.*?)</span></td>|$', row, flags=re.DOTALL)
        parts = re.split('</span><span class="move [a-z]+">', moves[0])
        found.append((name, [Page(part).text() for part in parts]))
    return found


def _data(text: str) -> str:
    return text.partition('<script type="application/json" id="data">')[2].partition("</script>")[0]
