"""Modules import what docs/architecture.md lets them, it knows each, the public names are there."""

import ast
import inspect
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import snapdiff
from tests.support.helpers import PROJECT

PACKAGE = PROJECT / "snapdiff"

MODULES = {
    ".".join(file.relative_to(PROJECT).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted(PACKAGE.rglob("*.py"))
}
"""Every module of the package by name."""

PAGE = (PROJECT / "docs" / "architecture.md").read_text("utf-8")


def rows_below(head: str) -> list[list[str]]:
    """The cells of the rows of a table on the page."""
    table = PAGE.partition(f"\n{head}\n")[2].partition("\n\n")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines()[1:]]
    assert len(rows) > 5, head
    return rows


def named_in(cell: str) -> set[str]:
    """The folders and modules that a cell names."""
    paths = {path.strip("/").removesuffix(".py") for path in re.findall("`([^`]*)`", cell)}
    names = {f"snapdiff.{path}".replace("/", ".").removesuffix(".__init__") for path in paths}
    assert names <= {*MODULES}, cell
    return names


HOMES = dict(rows_below("| library | only home |"))
"""The only module or folder that may import a library."""

_RULES = rows_below("| file or folder | may import |")

GROUND_FLOOR = {
    name for who, _ in _RULES if who.startswith("ground floor:") for name in named_in(who)
}


def may_import(cell: str) -> set[str]:
    """All that a cell lets somebody import of the package."""
    if cell.startswith("everything"):
        left_out = named_in(cell)
        return {name for name in MODULES if not is_within(name, left_out)}
    return named_in(cell) | (GROUND_FLOOR if "ground floor" in cell else set())


@cache
def imported_by(name: str) -> set[str]:
    """Every module that a module imports, wherever in its text."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name}: a relative import"
            assert node.module
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else node.module)
    return found


def is_within(module: str, rooms: set[str]) -> bool:
    """Whether a module is one of some rooms or in one; the package itself has no inside."""
    return module in rooms or any(
        module.startswith(f"{room}.") for room in rooms if room != "snapdiff"
    )


ROOMS = {room: may_import(cell) for who, cell in _RULES for room in named_in(who)}
"""All that a folder or module may import of the package beside what is in it."""


@pytest.mark.parametrize(("library", "home"), HOMES.items())
def test_a_library_is_imported_in_one_place_alone(library: str, home: str) -> None:
    users = {
        name
        for name in MODULES
        if any(module.split(".")[0] == library for module in imported_by(name))
    }
    assert users
    assert all(is_within(name, named_in(home)) for name in users)


@pytest.mark.parametrize("room", sorted(ROOMS))  # the same order in every process
def test_a_room_opens_only_to_its_neighbours(room: str) -> None:
    allowed = ROOMS[room]
    for name in (name for name in MODULES if is_within(name, {room})):
        inner = {module for module in imported_by(name) if module.split(".")[0] == "snapdiff"}
        assert {module for module in inner if not is_within(module, {room, *allowed})} == set(), (
            name
        )


def test_every_room_has_its_rules() -> None:
    assert {name for name in MODULES if not is_within(name, set(ROOMS))} == set()


def test_no_module_is_named_like_a_public_name() -> None:
    assert {f"snapdiff.{name}" for name in snapdiff.__all__} & set(MODULES) == set()


def test_no_module_is_over_long() -> None:
    lines = {name: len(file.read_text("utf-8").splitlines()) for name, file in MODULES.items()}
    assert {name: number for name, number in lines.items() if number > 350} == {}


def test_the_page_has_the_first_line_of_every_module() -> None:
    sections = re.findall(
        r"^### (?:At the top|`(\w+/)`)(.*?)(?=^#|\Z)", PAGE, re.DOTALL | re.MULTILINE
    )
    listed = {
        f"{room}{name}": first
        for room, text in sections
        for name, first in re.findall(r"^\| `(.*?)` \| (.*) \|$", text, re.MULTILINE)
    }
    files = {file.relative_to(PACKAGE).as_posix(): file for file in MODULES.values()}
    defining = {name for name in files if not name.endswith("/__init__.py")}
    assert defining <= set(listed) <= set(files)
    for name, first in listed.items():
        docstring = ast.get_docstring(ast.parse(files[name].read_text("utf-8"))) or ""
        assert docstring.partition("\n")[0] == first, f"{name}: run docs/refresh.py"


def test_every_public_name_is_there() -> None:
    assert snapdiff.__all__ == sorted(snapdiff.__all__, key=lambda name: (name.islower(), name))
    for name in snapdiff.__all__:
        assert getattr(snapdiff, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        getattr(snapdiff, "no_such_" + "name")


def test_the_public_names_are_listed_before_any_is_used() -> None:
    code = "import snapdiff; print(*dir(snapdiff))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(snapdiff.__all__)


def test_a_public_function_asks_for_nothing_that_only_the_package_has() -> None:
    names = [name for name in snapdiff.__all__ if name.islower() and name != "__version__"]
    assert names == ["diff_catalogs", "find_missing", "load_catalog", "render_report"]
    for function in (getattr(snapdiff, name) for name in names):
        asked = "".join(map(str, inspect.signature(function).parameters.values()))
        assert "snapdiff.diff." not in asked, function.__name__
        assert "snapdiff.filters." not in asked, function.__name__


def test_a_public_name_has_a_docstring() -> None:
    for name in snapdiff.__all__:
        assert name == "__version__" or getattr(snapdiff, name).__doc__, name


ENVIRONMENTS = [
    str(PROJECT / "snapshots/environments" / day) for day in ("2025-06-29", "2025-07-06")
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import snapdiff", {"msgspec", "click", "git", "deepdiff", "jinja2", "yaml", "archspec"}),
        (
            "import snapdiff.cli.commands; import snapdiff.cli.post_command",
            {"requests"},
        ),
        (
            "import snapdiff.cli.commands",
            {
                "snapdiff.posting.comments",
                "msgspec",
                "git",
                "deepdiff",
                "jinja2",
                "yaml",
                "archspec",
            },
        ),
        (
            "import snapdiff.cli.commands as c; c.main(['--allow-empty', '.', '.'])",
            {"tomllib", "snapdiff.settings", "git"},
        ),
        (
            "import snapdiff; snapdiff.load_catalog('.'); snapdiff.diff_catalogs",
            {"git", "deepdiff", "jinja2", "yaml", "archspec", "fsspec", "aiohttp"},
        ),
        (  # all of one target: nobody need know its family
            f"import snapdiff.cli.commands as c; c.main(['-f', 'json', *{ENVIRONMENTS}])",
            {"git", "deepdiff", "archspec"},
        ),
    ],
)
def test_what_takes_long_to_import_is_imported_late(
    code: str, unwanted: set[str], tmp_path: Path
) -> None:
    program = f"import sys; sys.path.insert(0, {str(PROJECT)!r}); {code}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert unwanted & set(done.stdout.split()) == set()
