"""What documents with dependencies hold is text, too: in causes, in paths to them, in `why`."""

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from snapdiff.safe_text import visible
from tests.reports.test_escaping import OUR_ELEMENTS, Tree
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import run_cli, write_files
from tests.support.hostile import HARMLESS, VALUES


def write_locks(folder: Path, values: Iterable[str]) -> Path:
    """Two locks in which each value is the name and a part of the version of what was upgraded."""
    for side in ("old", "new"):
        items, between = [], []
        for number, value in enumerate(values):
            library = Item(value, f"{side}{value}")
            between.append(Item(f"{value}2", needs=(needs(library),)))
            items += [library, between[-1], Item(f"top{number}", needs=(needs(between[-1]),))]
        top = Item("hdf5", needs=tuple(needs(item) for item in between))
        write_files(folder / side, {"v1/e4s/spack.lock": to_bytes(lock([*items, top]))})
    return folder


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    """A folder with two locks, `old` and `new`, that hold every hostile value."""
    return write_locks(tmp_path, VALUES.values())


@pytest.mark.parametrize("name", ["comment", "markdown"])
def test_markdown_shows_hostile_causes_as_text(name: str, locks: Path) -> None:
    result = run_cli("-C", locks, "old", "new", "-f", name)
    assert (result.status, result.err) == (0, "")
    tree = Tree(result.out)
    assert set(tree.elements) <= OUR_ELEMENTS
    assert not re.search(r"[@|`]", tree.plain)


def test_why_in_markdown_has_the_same_elements_whatever_a_lock_holds(tmp_path: Path) -> None:
    fences = ["a\n```\n<b>x</b>", "````"]
    found = []
    for name, values in (
        ("plain", [*HARMLESS, "y", "z"]),
        ("hostile", [*VALUES.values(), *fences]),
    ):
        folder = write_locks(tmp_path / name, values)
        result = run_cli("why", "-C", folder, "hdf5", "old", "new", "-f", "markdown")
        assert (result.status, result.err) == (0, "")
        tree = Tree(result.out)
        found.append((tree.elements, tree.links))
    assert found[0] == found[1]


@pytest.mark.parametrize("command", [["diff", "--detail"], ["why", "hdf5"]], ids=["diff", "why"])
def test_the_terminal_gets_no_control_codes_of_a_cause(command: list[str], locks: Path) -> None:
    result = run_cli(command[0], "-C", locks, *command[1:], "old", "new", "-f", "text")
    assert (result.status, result.err) == (0, "")
    assert all(line.isprintable() for line in result.out.split("\n"))


def test_a_spreadsheet_gets_hostile_causes_as_text(locks: Path) -> None:
    result = run_cli("-C", locks, "old", "new", "-f", "csv")
    rows = list(csv.reader(io.StringIO(result.out)))
    assert len({len(row) for row in rows}) == 1
    cells = {cell for row in rows for cell in row}
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")]
    for name, value in VALUES.items():
        assert any(visible(value) in cell for cell in cells), name


def test_html_shows_hostile_causes_as_text(locks: Path) -> None:
    plain = run_cli("-C", locks, "old", "new", "-f", "html").out
    assert plain.count("<script") == plain.count("</script>")
    assert "<script>alert(1)" not in plain
    assert json.loads(run_cli("-C", locks, "old", "new", "-f", "json").out)["summary"]
