"""Whatever a catalog holds, a report shows it as text, and nothing breaks, runs or mentions."""

import csv
import html
import io
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from msgspec.structs import replace

from snapdiff import CatalogDiff, diff_catalogs, load_catalog, render_report
from snapdiff.reports import ReportOptions
from snapdiff.reports.markdown import FUNCTIONS, code, linked
from snapdiff.result.changes import Filters
from snapdiff.safe_text import shown, visible
from tests.support.helpers import Report, page_around, refused, run_cli, run_json, write_files
from tests.support.hostile import HARMLESS, PLACES, VALUES, write_catalogs
from tests.support.nightly import nightly_but

OUR_ELEMENTS = {"h1", "h2", "h3", "p", "strong", "code", "a", "ul", "li", "details", "summary"}
OUR_ELEMENTS |= {"table", "thead", "tbody", "tr", "th", "td"}


class Tree(HTMLParser):
    """What a browser would make of rendered Markdown: elements, rows, texts of code, comments."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.links: list[str] = []
        self.codes: list[str] = []
        self.plain = ""
        self.rows: list[int] = []
        self.comments: list[str] = []
        self.open_folds = 0
        self._in_code = False
        self.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.open_folds += tag == "details"
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1
        if tag == "code":
            self._in_code = True
            self.codes.append("")
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]
        assert not {name for name, _ in attrs} - {"href", "align", "lang"}
        assert dict(attrs).get("lang", "text") == "text"

    def handle_endtag(self, tag: str) -> None:
        self.open_folds -= tag == "details"
        if tag == "code":
            self._in_code = False

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self.codes[-1] += data
        else:
            self.plain += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data.strip())


@pytest.fixture(params=PLACES, scope="module")
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder, called as a place, with catalogs that have every hostile value there."""
    folder: Path = tmp_path_factory.mktemp("hostile") / request.param
    write_catalogs(folder, folder.name)
    return folder


@pytest.fixture(scope="module")
def report(hostile: Path) -> Report:
    """What is said of them in JSON."""
    return run_json("-C", hostile, "old", "new")


def diff_of(folder: Path) -> CatalogDiff:
    return diff_catalogs(*(load_catalog(name, repository=folder) for name in ("old", "new")))


def assert_hostile_values_are_text(markdown: str) -> None:
    """Whatever GitHub makes of this: our elements around texts in code, and nothing else."""
    tree = Tree(markdown)
    assert set(tree.elements) <= OUR_ELEMENTS
    assert tree.open_folds == 0
    assert {comment for comment in tree.comments if comment} <= {"snapdiff"}
    assert len(set(tree.rows)) <= 1
    assert all(
        link.startswith("https://packages.spack.io/package.html?name=") for link in tree.links
    )
    assert not re.search(r"[@#`|~]|[0-9a-f]{7}", tree.plain)
    for name, value in VALUES.items():
        assert any(shown(value)[:150] in text for text in tree.codes), name


@pytest.mark.slow
@pytest.mark.parametrize("group_by", nightly_but(["stack", "package"], ["package"]))
def test_a_comment_shows_hostile_values_as_text(
    hostile: Path, tmp_path: Path, group_by: Literal["stack", "package"]
) -> None:
    options = ReportOptions(group_by=group_by, detail=True, max_length=10_000_000)
    comment = render_report(diff_of(hostile), "comment", options)
    assert_hostile_values_are_text(comment)
    write_catalogs(tmp_path, hostile.name, HARMLESS)
    harmless = render_report(diff_of(tmp_path), "comment", options)
    found, expected = (Counter(Tree(text).elements) for text in (comment, harmless))
    assert found["a"] <= expected.pop("a")  # not every name has a page that a link could lead to
    assert found - Counter(a=found["a"]) == expected


def test_globs_are_text(tmp_path: Path) -> None:
    """A command would refuse them: they match nothing."""
    write_catalogs(tmp_path, "os")
    diff = replace(diff_of(tmp_path), filters=Filters(stack=(*VALUES.values(), "*")))
    assert_hostile_values_are_text(render_report(diff, "markdown", ReportOptions(detail=True)))


@pytest.mark.slow
def test_the_terminal_gets_no_control_codes(hostile: Path) -> None:
    result = run_cli("-C", hostile, "old", "new", "-f", "text", "--detail")
    assert (result.status, result.err) == (0, "")
    assert all(line.isprintable() for line in result.out.split("\n"))
    text = result.out.replace("\n", "")
    assert [name for name, value in VALUES.items() if shown(value).strip()[:30] not in text] == []


@pytest.mark.slow
def test_a_spreadsheet_gets_text_in_the_right_cells(hostile: Path, report: Report) -> None:
    rows = list(csv.reader(io.StringIO(run_cli("-C", hostile, "old", "new", "-f", "csv").out)))
    assert len({len(row) for row in rows}) == 1
    stacks = [stack for tag in report["tags"] for stack in tag["stacks"]]
    whole = sum(stack["status"] in ("added", "removed") for stack in stacks)
    assert len(rows) == 1 + whole + sum(len(stack["changes"]) for stack in stacks)
    cells = {cell for row in rows for cell in row}
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")]
    for name, value in VALUES.items():
        assert any(visible(value) in cell for cell in cells), name


@pytest.mark.slow
def test_json_keeps_the_values_to_the_letter(report: Report) -> None:
    text = json.dumps(report)
    assert [name for name, value in VALUES.items() if json.dumps(value)[1:-1] not in text] == []


def test_an_unpaired_surrogate_is_a_bad_page(tmp_path: Path) -> None:
    write_files(tmp_path, {"old/specs.md": page_around('[{"hash": "\\ud800"}]'), "new/x": ""})
    said = refused("-C", tmp_path, "old", "new", "--allow-empty")
    assert said.startswith("specs.md (old): line 6, column ")


def test_a_hostile_path_is_shown_as_text(tmp_path: Path) -> None:
    name = "a\x1b[31m`|`<b>\u202e\n@x"
    write_files(tmp_path / "old", {f"{name}/specs.md": "---\nspec_details: 1\n---"})
    write_files(tmp_path / "new", {})
    arguments = ("-C", tmp_path, "old", "new", "--allow-empty", "--skip-bad-pages")
    result = run_cli(*arguments)
    assert Tree(result.out).codes[2] == visible(f"{name}/specs.md")
    assert result.err.count("\n") == 1
    assert result.err.rstrip("\n").isprintable()
    assert run_json_skipped(*arguments) == f"{name}/specs.md"


def run_json_skipped(*arguments: str | Path) -> str:
    path: str = json.loads(run_cli(*arguments, "-f", "json", "-q").out)["skipped"][0]["path"]
    return path


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("1.2", "`1.2`"),
        ("~a~b", "`~a~b`"),
        ("a|b", "<code>a&#124;b</code>"),
        ("`", "<code>&#96;</code>"),
        ("a\\|`", "<code>a&#92;&#124;&#96;</code>"),
        ("a\nb", "`a\\nb`"),
        ("", "<code></code>"),
    ],
)
def test_code_is_a_span_where_it_can_be(text: str, markdown: str) -> None:
    assert code(text) == markdown


@pytest.mark.parametrize(
    ("package", "url", "markdown"),
    [
        ("zlib", "https://x/{package}", "[`zlib`](https://x/zlib)"),
        ("a b", "https://x/{package}", "[`a b`](https://x/a%20b)"),
        ("a)b", "https://x/({package})", "[`a)b`](<https://x/(a%29b)>)"),
        ("zlib", "", "`zlib`"),
        ("a\x1b", "https://x/{package}", "`a\\x1b`"),
    ],
)
def test_a_package_links_to_its_page(package: str, url: str, markdown: str) -> None:
    assert linked(package, url) == markdown


@pytest.mark.parametrize(
    "value",
    [
        "security@evil.example|1",
        "|xmpp:me@evil.example",
        "http://evil.example/|",
        "www.evil.example|",
        "mailto:a@b.example `",
    ],
)
def test_an_address_is_no_link_even_where_code_takes_entities(value: str) -> None:
    html = cmarkgfm.github_flavored_markdown_to_html(f"- {code(value)}", Options.CMARK_OPT_UNSAFE)
    assert "<a " not in html
    assert value in re.sub("<[^>]*>", "", html)


@pytest.mark.parametrize("text", ["x" * 500, "x" * 499 + "@"])
def test_a_long_value_is_cut_once_in_a_summary(text: str) -> None:
    summary = html.unescape(FUNCTIONS["fold"](code(text)))
    [left_out] = re.findall(r"… \((\d+) more characters\)", summary)
    assert int(left_out) == 500 - summary.count("x") - summary.count("@")
