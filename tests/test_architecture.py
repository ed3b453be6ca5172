"""Who may import whom, that the page on it knows every module, that the public names are there."""

import ast
import inspect
import re
import subprocess
import sys
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

HOMES = {
    "git": "snapdiff.ci.runs",
    "yaml": "snapdiff.formats.yaml_reading",
    "deepdiff": "snapdiff.diff.fields",
    "archspec": "snapdiff.spack.configuration",
    "fsspec": "snapdiff.sources.mirror",
    "aiohttp": "snapdiff.sources.web",
    "requests": "snapdiff.posting.rest",
}
"""The only module that may import a library."""

GROUND_FLOOR = {
    "snapdiff.buildcache_layout",
    "snapdiff.errors",
    "snapdiff.limits",
    "snapdiff.report_formats",
    "snapdiff.safe_text",
}

ROOMS = {
    "snapdiff.errors": set[str](),
    "snapdiff.buildcache_layout": {"snapdiff.errors"},
    "snapdiff.safe_text": set[str](),
    "snapdiff.limits": {"snapdiff.errors"},
    "snapdiff.report_formats": {"snapdiff.errors"},
    "snapdiff.spack": set[str](),
    "snapdiff.spack_extension": set[str](),
    "snapdiff.model": {*GROUND_FLOOR, "snapdiff.spack"},
    "snapdiff.result": {"snapdiff.model"},
    "snapdiff.filters": {"snapdiff.result", "snapdiff.errors"},
    "snapdiff.sources": GROUND_FLOOR,
    "snapdiff.formats": {*GROUND_FLOOR, "snapdiff.model", "snapdiff.spack"},
    "snapdiff.catalog": {
        *GROUND_FLOOR,
        "snapdiff.model",
        "snapdiff.result",
        "snapdiff.filters",
        "snapdiff.sources",
        "snapdiff.formats",
    },
    "snapdiff.diff": {
        *GROUND_FLOOR,
        "snapdiff.model",
        "snapdiff.result",
        "snapdiff.filters",
        "snapdiff.spack",
    },
    "snapdiff.comparison": {
        *GROUND_FLOOR,
        "snapdiff",
        "snapdiff.model",
        "snapdiff.result",
        "snapdiff.filters",
        "snapdiff.catalog",
        "snapdiff.diff",
    },
    "snapdiff.answering": {
        *GROUND_FLOOR,
        "snapdiff",
        "snapdiff.comparison",
        "snapdiff.formats",
        "snapdiff.model",
        "snapdiff.result",
        "snapdiff.filters",
        "snapdiff.catalog",
        "snapdiff.diff",
        "snapdiff.spack",
    },
    "snapdiff.reports": {
        *GROUND_FLOOR,
        "snapdiff",
        "snapdiff.result",
        "snapdiff.model",
        "snapdiff.spack",
        "snapdiff.filters",
    },
    "snapdiff.output": {"snapdiff.errors", "snapdiff.safe_text"},
    "snapdiff.posting": GROUND_FLOOR,
    "snapdiff.changelog": {
        *GROUND_FLOOR,
        "snapdiff",
        "snapdiff.model",
        "snapdiff.result",
        "snapdiff.filters",
        "snapdiff.spack",
        "snapdiff.sources",
        "snapdiff.formats",
        "snapdiff.catalog",
        "snapdiff.comparison",
        "snapdiff.reports",
        "snapdiff.output",
    },
    "snapdiff.settings": {
        *GROUND_FLOOR,
        "snapdiff.result",
        "snapdiff.reports",
    },
}
"""All that a folder or module may import of the package beside what is in it."""


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


IMPORTS = {name: imported_by(name) for name in MODULES}


@pytest.mark.parametrize(("library", "home"), HOMES.items())
def test_a_library_is_imported_in_one_module_alone(library: str, home: str) -> None:
    users = {
        name
        for name, imported in IMPORTS.items()
        if any(module.split(".")[0] == library for module in imported)
    }
    assert users == {home}


def test_only_reports_import_the_template_engine() -> None:
    users = {name for name, found in IMPORTS.items() if any("jinja2" in item for item in found)}
    assert users
    assert all(name.startswith("snapdiff.reports.") for name in users)


@pytest.mark.parametrize(("room", "allowed"), ROOMS.items())
def test_a_room_opens_only_to_its_neighbours(room: str, allowed: set[str]) -> None:
    members = [name for name in MODULES if is_within(name, {room})]
    assert members
    for name in members:
        inner = {module for module in IMPORTS[name] if module.split(".")[0] == "snapdiff"}
        assert {module for module in inner if not is_within(module, {room, *allowed})} == set(), (
            name
        )


def test_nothing_but_the_entry_points_imports_the_command_line() -> None:
    users = {
        name
        for name, found in IMPORTS.items()
        if any(is_within(module, {"snapdiff.cli"}) for module in found)
    }
    outside = {name for name in users if not is_within(name, {"snapdiff.cli", "snapdiff.ci"})}
    assert outside == {"snapdiff.__main__"}


def test_nothing_imports_what_ci_systems_start() -> None:
    users = {
        name
        for name, found in IMPORTS.items()
        if any(is_within(module, {"snapdiff.ci"}) for module in found)
    }
    assert {name for name in users if not is_within(name, {"snapdiff.ci"})} == set()


def test_every_room_has_its_rules() -> None:
    known = {*ROOMS, "snapdiff", "snapdiff.__main__", "snapdiff.cli", "snapdiff.ci"}
    assert {name for name in MODULES if not is_within(name, known)} == set()


def test_no_module_is_named_like_a_public_name() -> None:
    assert {f"snapdiff.{name}" for name in snapdiff.__all__} & set(MODULES) == set()


def test_no_module_is_over_long() -> None:
    lines = {name: len(file.read_text("utf-8").splitlines()) for name, file in MODULES.items()}
    assert {name: number for name, number in lines.items() if number > 350} == {}


def test_the_page_has_the_first_line_of_every_module() -> None:
    page = PROJECT / "docs" / "architecture.md"
    command = ["docs/refresh.py", "--check", "docs/architecture.md"]
    done = subprocess.run(
        [sys.executable, *command], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), f"run {' '.join(command[::2])}"
    rooms = re.findall(r"^### `(\w+)/`", page.read_text("utf-8"), re.MULTILINE)
    assert sorted(rooms) == sorted(file.parent.name for file in PACKAGE.glob("*/__init__.py"))


def test_every_public_name_is_there() -> None:
    assert snapdiff.__all__ == sorted(snapdiff.__all__, key=lambda name: (name.islower(), name))
    for name in snapdiff.__all__:
        assert getattr(snapdiff, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        getattr(snapdiff, "no_such_" + "name")


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
