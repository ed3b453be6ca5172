"""What documents with dependencies hold is text, too: in causes, in paths to them, in `why`."""

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options

from snapdiff.safe_text import visible
from tests.reports.test_escaping import OUR_ELEMENTS, Tree
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import run_cli, write_files
from tests.support.hostile import VALUES

pytestmark = pytest.mark.slow


def write_locks(folder: Path, value: str) -> Path:
    """Two locks in which a value is the name and a part of the version of what was upgraded."""
    for side in ("old", "new"):
        library = Item(value, f"{side}{value}")
        between = Item(f"{value}2", needs=(needs(library),))
        top = Item("hdf5", needs=(needs(between),))
        content = to_bytes(lock([library, between, top]))
        write_files(folder / side, {"v1/e4s/spack.lock": content})
    return folder


@pytest.fixture(params=[pytest.param(value, id=name) for name, value in VALUES.items()])
def locks(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """Two locks with a hostile value, and the value."""
    return write_locks(tmp_path, request.param), request.param


@pytest.mark.parametrize("name", ["comment", "markdown"])
def test_markdown_shows_a_hostile_cause_as_text(name: str, locks: tuple[Path, str]) -> None:
    folder, _ = locks
    result = run_cli("-C", folder, "old", "new", "-f", name)
    assert (result.status, result.err) == (0, "")
    tree = Tree(result.out)
    assert set(tree.elements) <= OUR_ELEMENTS
    assert not re.search(r"[@|`]", tree.plain)


class Elements(HTMLParser):
    """The elements of rendered Markdown in order, with their attributes."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, Options.CMARK_OPT_UNSAFE))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))


@pytest.mark.parametrize("value", [*VALUES.values(), "a\n```\n<b>x</b>", "````"])
def test_why_in_markdown_has_the_same_elements_whatever_a_lock_holds(
    value: str, tmp_path: Path
) -> None:
    found = []
    for name, text in (("plain", "zlib"), ("hostile", value)):
        folder = write_locks(tmp_path / name, text)
        result = run_cli("why", "-C", folder, "hdf5", "old", "new", "-f", "markdown")
        assert (result.status, result.err) == (0, "")
        found.append(Elements(result.out).found)
    assert found[0] == found[1]


@pytest.mark.parametrize("command", [["diff", "--detail"], ["why", "hdf5"]], ids=["diff", "why"])
def test_the_terminal_gets_no_control_codes_of_a_cause(
    command: list[str], locks: tuple[Path, str]
) -> None:
    folder, _ = locks
    result = run_cli(command[0], "-C", folder, *command[1:], "old", "new", "-f", "text")
    assert (result.status, result.err) == (0, "")
    assert all(line.isprintable() for line in result.out.split("\n"))


def test_a_spreadsheet_gets_a_hostile_cause_as_text(locks: tuple[Path, str]) -> None:
    folder, value = locks
    result = run_cli("-C", folder, "old", "new", "-f", "csv")
    rows = list(csv.reader(io.StringIO(result.out)))
    assert len({len(row) for row in rows}) == 1
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")]
    assert any(visible(value) in cell for cell in cells)


def test_html_shows_a_hostile_cause_as_text(locks: tuple[Path, str]) -> None:
    folder, _ = locks
    plain = run_cli("-C", folder, "old", "new", "-f", "html").out
    assert plain.count("<script") == plain.count("</script>")
    assert "<script>alert(1)" not in plain
    assert json.loads(run_cli("-C", folder, "old", "new", "-f", "json").out)["summary"]
