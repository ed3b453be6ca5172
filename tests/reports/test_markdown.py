"""Reports for people: how they are cut short, templates of one's own, the gate."""

import dataclasses
import re
from pathlib import Path
from typing import Any, Literal, get_args

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from snapdiff import CatalogDiff, SnapdiffError, diff_catalogs, load_catalog, render_report
from snapdiff.reports import ReportOptions, for_people, says_nothing_changed
from snapdiff.reports.for_people import MOST_CHARACTERS
from snapdiff.reports.markdown import lists_apart
from snapdiff.reports.templates import render_page
from tests.golden import ROOT, SNAPSHOTS
from tests.reports.test_escaping import Tree
from tests.reports.test_news import diff_of, numbered
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import pages_of, refused, run_cli, spec, write_files
from tests.support.html_reports import snapshots_diff
from tests.support.nightly import nightly_but

GroupBy = Literal["stack", "package"]


@pytest.fixture(scope="module")
def diff() -> CatalogDiff:
    old, new = (load_catalog(name, repository=ROOT) for name in SNAPSHOTS)
    return diff_catalogs(old, new)


@pytest.fixture(scope="module")
def full(diff: CatalogDiff) -> dict[tuple[str, str], str]:
    """The reports without a limit, by format and what they are grouped by."""
    return {
        (name, group_by): render_report(diff, name, ReportOptions(group_by=group_by))
        for name in ("markdown", "comment")
        for group_by in get_args(GroupBy)
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    "most",
    nightly_but([300, 700, 1500, 2500, 4000, 6000, 8000, 9000, 20000], [300, 2500, 6000, 20000]),
)
@pytest.mark.parametrize("group_by", ["stack", "package"])
@pytest.mark.parametrize("format_name", ["markdown", "comment"])
def test_a_report_is_never_over_the_limit(
    diff: CatalogDiff,
    full: dict[tuple[str, str], str],
    most: int,
    group_by: GroupBy,
    format_name: str,
) -> None:
    options = ReportOptions(max_length=most, group_by=group_by)
    text = render_report(diff, format_name, options)
    assert len(text) <= most
    assert text.endswith("\n")
    tree = Tree(text)
    assert tree.open_folds == 0
    assert len(set(tree.rows)) <= 1
    assert "</summary>\n\n</details>" not in text, "no fold is empty"
    whole = full[format_name, group_by]
    assert (text == whole) == (len(whole) <= most)
    if text != whole:
        assert re.search("Only in the whole report: |(Shortened|left out) to fit", text)


def test_what_is_not_shown_is_counted(diff: CatalogDiff) -> None:
    text = render_report(diff, "markdown", ReportOptions(max_length=2000))
    assert "\n**Downgraded**: `py-setuptools` `80.9.0` → `79.0.1` (the 3 `ml-*`)\n" in text
    assert re.search(r"\n- and [0-9]+ more packages\n", text)


@pytest.mark.slow
def test_a_large_comment_fits_without_being_asked(tmp_path: Path) -> None:
    old = [spec(f"a{chr(97 + i // 26)}{chr(97 + i % 26)}", package=f"p{i}") for i in range(600)]
    new = [item | {"versions": ["2.0"], "hash": "b" + item["hash"][1:]} for item in old]
    write_files(tmp_path / "old", pages_of(old))
    write_files(tmp_path / "new", pages_of(new))
    result = run_cli("-C", tmp_path, "old", "new", "-f", "comment")
    assert len(result.out) <= MOST_CHARACTERS
    assert "600 packages upgraded to another major version" in result.out
    assert all(f"`p{i}`" in result.out for i in range(600))


def test_of_a_sentence_that_does_not_fit_there_are_the_first_words() -> None:
    for most in range(160, 400, 20):
        text = run_cli("-C", ROOT, *SNAPSHOTS, "-f", "comment", "--max-length", str(most)).out
        assert len(text) <= most
        assert "\n\nOf 24 packages compared" in text
        assert text.count("`") % 2 == 0, "no code is left open"
        assert text.endswith("\n… and more, left out to fit.\n")


def test_a_limit_that_nothing_fits_is_an_error() -> None:
    assert "too short" in refused("-C", ROOT, *SNAPSHOTS, "-f", "comment", "--max-length", "40")


@pytest.mark.parametrize("name", ["--> <b>", "a--b", "", "a b", "-", "a\n"])
def test_a_marker_cannot_end_its_line(name: str) -> None:
    refused("-C", ROOT, *SNAPSHOTS, "-f", "comment", "--marker", name)


def test_an_empty_diff_is_one_line_or_none() -> None:
    same = ("-C", ROOT, SNAPSHOTS[0], SNAPSHOTS[0])
    line = f"No changes from `{SNAPSHOTS[0]}` to `{SNAPSHOTS[0]}`.\n"
    assert run_cli(*same).out == line
    assert run_cli(*same, "-f", "comment").out == (
        f"<!-- snapdiff -->\n<!-- nothing changed -->\n{line}"
    )
    assert run_cli(*same, "-f", "comment", "--quiet-if-empty").out == ""


def test_a_package_url_of_ones_own_is_linked() -> None:
    arguments = ("-C", ROOT, *SNAPSHOTS, "-s", "hep", "-p", "geant4")
    assert (
        "[`geant4`](https://site/geant4) "
        in run_cli(*arguments, "--package-url", "https://site/{package}").out
    )
    assert "\n`geant4` `11.3.0`" in run_cli(*arguments, "--package-url", "").out


def test_colour_is_for_terminals_or_where_asked() -> None:
    arguments = ("-C", ROOT, *SNAPSHOTS, "-f", "text")
    assert "\x1b[" not in run_cli(*arguments).out
    assert "\x1b[" not in run_cli(*arguments, "--color", "never").out
    coloured = run_cli(*arguments, "--color", "always").out
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == run_cli(*arguments).out


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_on_a_narrow_terminal_no_name_of_a_stack_is_lost(
    width: int,
) -> None:
    diff = diff_catalogs(*(load_catalog(ROOT / folder) for folder in SNAPSHOTS))
    text = render_report(diff, "text", ReportOptions(width=width))
    table = text.rpartition("\nstack ")[2].partition("\n\n")[0]
    assert max(map(len, table.splitlines())) <= width
    [tag] = [tag for tag in diff.tags if tag.new == "develop"]
    letters = re.sub(r"[^a-z]", "", table)
    for stack in tag.stacks:
        assert re.sub(r"[^a-z]", "", stack.stack)[:10] in letters
    has_words = "other changes" in table.splitlines()[0]
    assert has_words == (width == 120)
    signs = "≠ other changes, = rebuilt"
    assert " ".join(text.split()).endswith(signs) != has_words


@pytest.mark.parametrize(("width", "has_signs"), [(40, True), (120, False)])
def test_a_table_of_counts_with_signs_has_their_legend(width: int, has_signs: bool) -> None:
    diff = diff_catalogs(*(load_catalog(ROOT / folder) for folder in SNAPSHOTS))
    text = render_report(diff, "text", ReportOptions(width=width, stat=True))
    signs = "− gone, + new/more, ↓ downgraded, ↑ upgraded, ≠ other changes, = rebuilt"
    assert " ".join(text.split()).endswith(signs) is has_signs
    assert ("≠" in text) is has_signs


def test_of_a_stack_that_went_the_first_packages_are_named(tmp_path: Path) -> None:
    stays = spec("z", package="zlib", stacks="hep")
    gone = [spec(letter, package=f"p-{letter}", stacks="e4s") for letter in "bcdefgh"]
    write_files(tmp_path / "old", pages_of([stays, *gone]))
    write_files(tmp_path / "new", pages_of([stays]))
    same = ("-C", tmp_path, "old", "new")
    fate = "7 packages; none in any stack of `develop` any more"
    assert f"**Stack `e4s` removed**: {fate}\n" in run_cli(*same).out
    text = run_cli(*same, "-f", "text").out
    assert "\nStack e4s removed: 7 packages; none in any stack of develop any more\n" in text
    assert "p-b, p-c, p-d, p-e, p-f, p-g, p-h 1.0 are gone (e4s). Stack e4s removed.\n" in text


@pytest.mark.parametrize(
    ("elsewhere", "options", "words"),
    [
        ("bc", (), "2 packages: `p-b`, `p-c`; all in other stacks, too"),
        ("c", (), "2 packages: `p-b`, `p-c`; `p-b` in no stack of `develop` any more"),
        ("", (), "2 packages: `p-b`, `p-c`; none in any stack of `develop` any more"),
        # Where others were not looked at, nothing is known of these.
        ("bc", ("-s", "e4s,gone"), "2 packages: `p-b`, `p-c`"),
        # What is in no stack counts in `root`, which is none.
        ("bR", (), "2 packages: `p-b`, `p-c`"),
    ],
)
def test_what_a_stack_had_that_went_is_said_to_be_elsewhere_or_not(
    tmp_path: Path, elsewhere: str, options: tuple[str, ...], words: str
) -> None:
    stays = [spec(it, package=f"p-{it}", stacks="hep") for it in elsewhere if it != "R"]
    stays += [spec("f", package="p-c", stacks="root")] * ("R" in elsewhere)
    stays.append(spec("z", package="zlib", stacks="e4s"))
    gone = [
        spec(it, package=f"p-{name}", stacks="gone") for it, name in zip("de", "bc", strict=True)
    ]
    write_files(tmp_path / "old", pages_of([*stays, *gone]))
    write_files(tmp_path / "new", pages_of(stays))
    out = run_cli("-C", tmp_path, "old", "new", *options).out
    assert f"\n\n**Stack `gone` removed**: {words}\n" in out


@pytest.mark.parametrize("options", [("--", "gone", "other"), ("--skip-bad-pages",)])
def test_what_an_environment_had_that_went_may_be_where_nobody_looked(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    zlib = to_bytes(lock([Item("zlib")]))
    for side, names in (("old", ("gone", "left", "other")), ("new", ("left", "other"))):
        write_files(tmp_path / side, {f"{it}/spack.lock": zlib for it in names})
    if options == ("--skip-bad-pages",):
        (tmp_path / "new" / "left" / "spack.lock").write_bytes(b"{")
    out = run_cli("-C", tmp_path, "old", "new", *options).out
    assert "\n\n**Environment `gone` removed**: 1 package: `zlib`\n" in out


def test_the_gate_names_the_offenders() -> None:
    gate = run_cli(
        "-C", ROOT, *SNAPSHOTS, "--fail-on", "downgraded,removed", "-s", "ml-*", "-p", "py-*"
    )
    assert gate.status == 1
    stacks = "ml-linux-aarch64-cpu, ml-linux-x86_64-cpu, ml-linux-x86_64-cuda"
    assert gate.err == (
        f"snapdiff: downgraded: py-setuptools 80.9.0 → 79.0.1 in develop, {stacks}\n"
    )
    passed = run_cli("-C", ROOT, *SNAPSHOTS, "--fail-on", "downgraded", "-s", "hep")
    assert (passed.status, passed.err) == (0, "")


def test_a_comment_says_why_the_gate_failed_whatever_it_shows_else() -> None:
    gated = ("-C", ROOT, *SNAPSHOTS, "-f", "comment", "--fail-on", "downgraded", "-t", "develop")
    comment = run_cli(*gated, "-k", "added", "-p", "py-setuptools").out
    assert not says_nothing_changed(comment)
    head, _, rest = comment.partition("**The gate failed, because of this**\n\n")
    assert "No changes; only tag" in head
    assert rest.startswith("- `downgraded: py-setuptools 80.9.0 → 79.0.1 in develop, ")
    assert Tree(comment).open_folds == 0
    passed = run_cli(*gated, "-k", "added", "-p", "hdf5")
    assert says_nothing_changed(passed.out)
    assert "The gate failed" in run_cli(*gated).out
    assert "The gate failed" not in run_cli(*gated[:-4]).out


def test_of_many_offenders_a_comment_has_the_first_and_counts_the_rest() -> None:
    old = load_catalog(SNAPSHOTS[0], repository=ROOT)
    same = diff_catalogs(old, old)
    lines = tuple(f"removed: p{number}|`x` in e4s" for number in range(30))
    comment = render_report(same, "comment", ReportOptions(offending=lines))
    assert comment.count("\n- <code>removed") == 10
    assert "\n- and 20 more lines\n" in comment
    assert "p0&#124;&#96;x" in comment


class TestOwnTemplate:
    """A template of the user's own."""

    def run(self, tmp_path: Path, text: str) -> tuple[int, str, str]:
        file = tmp_path / "own.j2"
        file.write_text(text, encoding="utf-8")
        return run_cli("-C", ROOT, *SNAPSHOTS, "--template", file)

    def test_gets_the_data_of_the_json_report(self, tmp_path: Path) -> None:
        done = self.run(tmp_path, "{{ summary.upgraded|counted('upgrade') }} in {{ tags[0].new }}")
        assert done == (0, "34 upgrades in develop", "")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("one\n{{ no_such_name }}", "own.j2: line 2: 'no_such_name' is undefined"),
            ("one\n\n{% if %}", "own.j2: line 3: "),
            ("{{ summary.no_such_key }}", "own.j2: line 1: "),
            ("{{ ''.__class__.__mro__ }}", "own.j2: line 1: "),
            ("\n{% include 'x.j2' %}", "own.j2: line 2: x.j2: no such template\n"),
            ("{% include '../../../etc/passwd' %}", "own.j2: line 1: ../../../etc/passwd: no such"),
            ("{{ 'x' * 10**18 }}", "own.j2: line 1: takes more memory than there is\n"),
            ("{{ tags.append(1) }}", "own.j2: line 1: "),
            ("{{ 1 // 0 }}", "own.j2: line 1: "),
        ],
    )
    def test_names_file_and_line_of_an_error(self, tmp_path: Path, text: str, message: str) -> None:
        status, out, err = self.run(tmp_path, text)
        assert (status, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1

    def test_says_how_one_that_is_no_utf_8_is_saved(self, tmp_path: Path) -> None:
        (tmp_path / "latin.j2").write_bytes("é".encode("latin-1"))
        arguments = ("-C", ROOT, *SNAPSHOTS, "--template")
        done = run_cli(*arguments, tmp_path / "latin.j2")
        assert done.err == "snapdiff: error: latin.j2: not UTF-8; save templates as UTF-8\n"
        _, _, err = self.run(tmp_path, "{% include 'latin.j2' %}")
        assert "own.j2: line 1: not UTF-8" in err

    def test_goes_with_no_format(self) -> None:
        refused("-C", ROOT, *SNAPSHOTS, "--template", "x", "-f", "json")

    def test_has_to_be_there(self, tmp_path: Path) -> None:
        assert "no such template file" in run_cli("-C", ROOT, *SNAPSHOTS, "--template", "x").err
        said = refused("-C", ROOT, *SNAPSHOTS, "--template", tmp_path)
        assert said == f"{tmp_path}: is a folder; name a template file\n"

    def test_has_to_be_readable(self, tmp_path: Path) -> None:
        file = tmp_path / "own.j2"
        file.symlink_to("/proc/self/mem")
        reason = "own.j2: cannot be read: Input/output error\n"
        assert refused("-C", ROOT, *SNAPSHOTS, "--template", file) == reason


def test_a_built_in_template_can_be_replaced_alone(tmp_path: Path) -> None:
    words = (ROOT / "templates" / "sentence.j2").read_text(encoding="utf-8")
    other = ("changed less", "changed in small ways")
    (tmp_path / "sentence.j2").write_text(words.replace(*other), "utf-8")
    for format_name in ("markdown", "comment", "text"):
        arguments = ("-C", ROOT, *SNAPSHOTS, "-f", format_name)
        replaced, before = (
            " ".join(run_cli(*arguments, *more).out.split())  # on a terminal lines are cut
            for more in (("--template-folder", tmp_path), ())
        )
        assert replaced == before.replace(*other)
        assert other[1] in replaced


def test_a_folder_of_templates_has_to_be_there() -> None:
    said = refused("-C", ROOT, *SNAPSHOTS, "--template-folder", "no-such-folder")
    assert "no-such-folder: no such folder of templates" in said


def test_a_template_is_named_when_rendering_fails() -> None:
    diff = diff_catalogs(*(load_catalog(name, repository=ROOT) for name in SNAPSHOTS))
    with pytest.raises(SnapdiffError, match="no such format here"):
        render_report(diff, "no-such-format")


def test_a_cell_of_the_product_table_that_says_the_same_as_its_left_is_a_ditto_mark(
    tmp_path: Path,
) -> None:
    versions = {  # of each product in the old and the new environments a, b and c
        "alike": ("1.0 1.0 1.0", "1.1 1.1 1.1"),
        "apart": ("1.0 1.0 1.0", "1.1 2.0 1.1"),
        "stays": ("1.0 1.0 1.0", "1.0 1.0 1.1"),
        "there": ("1.0 - 1.0", "1.1 - 1.1"),
    }
    for number, side in enumerate(("old", "new")):
        for place, name in enumerate("abc"):
            words = ((product, both[number].split()[place]) for product, both in versions.items())
            roots = [Item(product, word, explicit=True) for product, word in words if word != "-"]
            write_files(tmp_path / side, {f"{name}/spack.lock": to_bytes(lock(roots))})
    page = run_cli("-C", tmp_path, "old", "new", "--package-url", "").out
    up, far = "`1.0` → `1.1`", "`1.0` → `2.0`"
    assert [line for line in page.splitlines() if re.match(r"\| `(?![abc]`)", line)] == [
        f"| `apart` | {up} | {far} | {up} |",
        f"| `alike` | {up} | ″ | ″ |",
        f"| `there` | {up} |  | {up} |",
        f"| `stays` | · | · | {up} |",
    ]
    dot, empty = "· at most another hash, os, compiler or target", "empty: not there"
    assert f"\n{dot}; {empty}; ″ the same as on the left\n" in page


def test_of_dependencies_that_a_short_comment_leaves_out_each_class_is_counted(
    tmp_path: Path,
) -> None:
    fell = [(Item(f"d{n}", f"2.{n}"), Item(f"d{n}", f"1.{n}")) for n in range(7)]
    rose = [(Item(f"u{n}", f"1.{n}"), Item(f"u{n}", f"1.{n + 1}")) for n in range(3)]
    for side, items in zip(("old", "new"), zip(*fell, *rose, strict=True), strict=True):
        app = Item("app", "1.0" if side == "old" else "2.0", explicit=True)
        app = dataclasses.replace(app, needs=tuple(map(needs, items)))
        write_files(tmp_path / side, {"a/spack.lock": to_bytes(lock([app, *items]))})
    diff = diff_catalogs(*(load_catalog(str(tmp_path / side)) for side in ("old", "new")))
    comment = render_report(diff, "comment", ReportOptions(package_url=""))
    assert [comment.count(f"\n- `d{n}` `2.{n}` → `1.{n}`\n") for n in range(7)] == [1] * 7
    lines = render_report(diff, "text", ReportOptions()).splitlines()
    told = [f"    - d{n} 2.{n} → 1.{n}" for n in range(7)]
    assert lines[lines.index("  7 downgraded:") + 1 :][:7] == told
    assert lines[lines.index("  3 upgraded:") + 1] == "    - u0 1.0 → 1.1", "few have their lines"
    full = len(comment)
    for most in range(full - 1, 300, -60):
        text = render_report(diff, "comment", ReportOptions(package_url="", max_length=most))
        below = re.split(r"\n(?:## |\*\*)Dependencies", text)[1]
        assert "3 upgraded" in below or len(re.findall("\n- `u", below)) == 3


def test_release_notes_are_never_over_their_limit_unless_every_spec_is_asked_for() -> None:
    old, new = (
        [spec(f"{letter}{numbered(n)}", f"1.{side}.{n}", package=f"p{n}") for n in range(1200)]
        for side, letter in enumerate("bc")
    )
    diff = diff_of(old, new)
    text = render_report(diff, "markdown")
    assert 30_000 < len(text) <= MOST_CHARACTERS
    assert "\n\nOnly in the whole report: " in text
    whole = render_report(diff, "markdown", ReportOptions(max_length=10**6))
    assert len(whole) > MOST_CHARACTERS
    assert len(render_report(diff, "markdown", ReportOptions(detail=True))) > len(whole)


@pytest.mark.parametrize("name", ["markdown", "comment"])
def test_a_report_that_is_too_long_is_written_few_times(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each text that is tried takes as long as a report: by halves it were 15, of a comment 31."""
    old, new = (
        [spec(f"{letter}{numbered(n)}", f"1.{side}.{n}", package=f"p{n}") for n in range(1200)]
        for side, letter in enumerate("bc")
    )
    pages: list[str] = []

    def counted_page(*arguments: Any, **values: Any) -> str:
        pages.append(render_page(*arguments, **values))
        return pages[-1]

    monkeypatch.setattr(for_people, "render_page", counted_page)
    text = render_report(diff_of(old, new), name, ReportOptions(max_length=20_000))
    assert 0.98 * 20_000 <= len(text) <= 20_000
    assert len(pages) <= 10


def test_all_lines_stay_where_links_alone_take_too_much_room(tmp_path: Path) -> None:
    names = [f"package-{number}" for number in range(7)]
    for side, versions in (("old", "1.{}"), ("new", "1.1{}")):
        items = [
            Item(name, versions.format(number), explicit=True) for number, name in enumerate(names)
        ]
        write_files(tmp_path / side, {"a/spack.lock": to_bytes(lock(items))})
    diff = diff_catalogs(*(load_catalog(str(tmp_path / side)) for side in ("old", "new")))
    full = len(render_report(diff, "markdown", ReportOptions()))
    text = render_report(diff, "markdown", ReportOptions(max_length=full - 1))
    assert "](" not in text
    assert [name for name in names if text.count(f"\n- `{name}` ") != 1] == []
    assert "\nOnly in the whole report: links of packages.\n" in text


def test_no_fold_is_left_open_where_a_report_is_cut(tmp_path: Path) -> None:
    stacks = " ".join(f"stack-{number:02}-of-some-length" for number in range(30))
    write_files(tmp_path / "old", pages_of([spec("a", package="cmake")]))
    write_files(
        tmp_path / "new",
        pages_of([spec("a", package="cmake", stacks=f"e4s {stacks}"), spec("b", stacks=stacks)]),
    )
    diff = diff_catalogs(*(load_catalog(str(tmp_path / side)) for side in ("old", "new")))
    full = render_report(diff, "markdown", ReportOptions())
    cut = 0
    for most in range(200, len(full), 20):
        text = render_report(diff, "markdown", ReportOptions(max_length=most))
        assert len(text) <= most
        assert Tree(text).open_folds == 0
        assert "</summary>\n\n… and more" not in text
        cut += "left out to fit.\n" in text
    assert cut


def test_a_page_that_cannot_be_read_takes_no_room_from_news(tmp_path: Path) -> None:
    bad = {f"_cache/develop/bad{number}/specs.md": "---\ntitle: [\n---\n" for number in range(500)}
    write_files(tmp_path / "old", bad | pages_of([spec("a", package="cmake"), spec("b")]))
    write_files(tmp_path / "new", bad | pages_of([spec("b")]))
    arguments = ("-C", tmp_path, "old", "new", "--skip-bad-pages", "-f")
    for name in ("comment", "markdown", "text"):
        text = run_cli(*arguments, name).out
        assert re.search(r"\n\[?`?cmake`?(\]\S+)? `?1.0`? is gone", text)
        assert "500 pages that cannot be read left out on both sides" in text
        assert text.count("_cache/develop/bad") == 2 + 20
        assert "and 480 more pages" in text
    assert run_cli(*arguments, "markdown", "--detail").out.count("_cache/develop/bad") == 2 + 500


def test_two_lists_in_a_row_are_two() -> None:
    """As Markdown has it, a blank line alone would make them one."""
    items = "- a\n  - below\n\n- b\n- c\n\nwords\n\n- d\n"
    assert lists_apart(items) == items.replace("below\n\n", "below\n\n<!-- -->\n\n")
    page = cmarkgfm.github_flavored_markdown_to_html(
        lists_apart(items), options=Options.CMARK_OPT_UNSAFE
    )
    assert page.count("<ul>") == 4


def test_what_all_of_a_stack_moved_to_is_no_list_with_its_packages(tmp_path: Path) -> None:
    for side, os in (("old", "sles14"), ("new", "sles15")):
        items = [Item(f"app{n}", os=os) for n in range(12)]
        items += [Item("tool", os[-2:], os=os)]
        for name in "ab":
            write_files(tmp_path, {f"{side}/{name}/spack.lock": to_bytes(lock(items))})
    text = run_cli("-C", tmp_path, "old", "new", "--group-by", "stack", "--package-url", "").out
    others = "**Upgraded to another major version**: `tool` `14` → `15`"
    assert text.count(f"**Toolchain**: os `sles14` → `sles15`\n\n{others}\n") == 2


def test_no_report_of_the_example_has_two_lists_in_a_row() -> None:
    for name in ("markdown", "comment"):
        text = render_report(snapshots_diff(), name, ReportOptions(package_url=""))
        assert not re.search(r"(?m)^ *- .*\n\n- ", text)
