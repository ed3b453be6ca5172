"""`--because PACKAGE`: a report narrowed to what that package rebuilt."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import after, before, write_locks
from tests.support.helpers import pages_of, refused, run_cli, run_json, spec, write_files
from tests.support.real_catalogs import DERECHO, needs_real_catalogs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_locks(tmp_path, before(), after())
    return tmp_path


def narrowed(folder: Path, *causes: str) -> dict[str, Any]:
    options = [word for cause in causes for word in ("--because", cause)]
    return run_json("-C", folder, "old.lock", "new.lock", *options)


@pytest.mark.parametrize(
    ("cause", "packages", "lost"),
    [
        ("autoconf", ["automake", "hdf5", "netcdf", "numactl", "openmpi"], []),  # hdf5: in reach
        ("cmake", ["json"], []),
        ("zlib", ["hdf5"], ["zlib"]),
        ("zlib-ng", ["hdf5"], []),
        ("zlib*,cmake", ["hdf5", "json"], ["zlib"]),
        ("openmpi", [], []),  # it is there and was rebuilt, and nothing in it differs
    ],
)
def test_only_what_a_package_rebuilt_is_there(
    folder: Path, cause: str, packages: list[str], lost: list[str]
) -> None:
    report = narrowed(folder, cause)
    assert report["filters"]["because"] == cause.split(",")
    summary = report["summary"]
    assert (summary["rebuilt"], summary["removed"]) == (len(packages), len(lost))
    assert sum(summary.values()) == len([*packages, *lost])
    if not packages:
        assert report["tags"] == []
        return
    [stack] = report["tags"][0]["stacks"]
    assert stack["summary"]["rebuilt"] == len(packages)
    kinds = dict.fromkeys(packages, "rebuilt") | dict.fromkeys(lost, "removed")
    for changes in (stack["changes"], stack["package_changes"]):
        assert {change["package"]: change["kind"] for change in changes} == kinds
    assert sum(cause["specs"] for cause in stack["causes"]) == len(packages)


def test_the_cause_of_a_spec_is_what_the_whole_report_says(folder: Path) -> None:
    [everything] = run_json("-C", folder, "old.lock", "new.lock")["tags"][0]["stacks"]
    [some] = narrowed(folder, "autoconf")["tags"][0]["stacks"]
    causes = {change["package"]: change["cause"] for change in everything["changes"]}
    assert {change["package"]: change["cause"] for change in some["changes"]}.items() <= (
        causes.items()
    )


def test_reports_for_people_say_what_they_are_narrowed_to(folder: Path) -> None:
    for name in ("markdown", "comment", "text", "html"):
        done = run_cli("-C", folder, "old.lock", "new.lock", "--because", "cmake", "-f", name)
        said = " ".join(done.out.split())
        assert "nly what was rebuilt or gone, at least in part, because of" in said, name


def test_what_else_happened_to_these_packages_is_not_looked_at(folder: Path) -> None:
    text = run_cli("-C", folder, "old.lock", "new.lock", "--because", "autoconf", "-f", "text").out
    assert " with builds that only have another hash" in text
    assert "products only have another hash" not in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--because", "autocnf"], "autocnf: matches no package that differs; the"),
        (["--because", "zlib,hwloc*"], "hwloc*: matches no package that differs;"),
    ],
)
def test_an_unknown_package_is_an_error_with_the_nearest(
    folder: Path, options: list[str], words: str
) -> None:
    assert refused("-C", folder, "old.lock", "new.lock", *options).startswith(words)


def test_without_dependencies_no_cause_can_be_asked_for(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("a")]))
    write_files(tmp_path / "new", pages_of([spec("b")]))
    done = run_cli("-C", tmp_path, "old", "new", "--because", "zlib")
    assert done.status == 2
    assert "--because zlib: what differs has no dependencies on both sides" in done.err


def test_where_nothing_differs_nothing_is_wrong(folder: Path) -> None:
    done = run_cli("-C", folder, "old.lock", "old.lock", "--because", "anything")
    assert done.status == 0


@needs_real_catalogs
def test_a_new_mpi_rebuilt_all_forty_of_a_real_environment() -> None:
    done = run_cli(*DERECHO, "--because", "openmpi", "-f", "json")
    assert json.loads(done.out)["summary"]["rebuilt"] == 40


@pytest.mark.parametrize("format_name", ["text", "markdown", "comment", "html"])
def test_it_is_not_said_that_nothing_needs_attention(folder: Path, format_name: str) -> None:
    sides = ("-C", folder, "old.lock", "new.lock", "-f", format_name)
    assert "othing needs attention" not in run_cli(*sides, "--because", "autoconf").out


def test_a_package_that_lost_a_build_and_was_upgraded_is_not_gone(tmp_path: Path) -> None:
    old = [Item("zlib", "1.0"), Item("zlib", "1.0", compiler=("llvm", "14.0.6"))]
    new = [Item("zlib", "2.0")]
    for name, items in (("old", old), ("new", new)):
        app = Item("app", explicit=True, needs=tuple(map(needs, items)))
        write_files(tmp_path, {f"{name}.lock": to_bytes(lock([*items, app]))})
    sides = ("-C", tmp_path, "old.lock", "new.lock", "--because", "zlib")
    [stack] = run_json(*sides)["tags"][0]["stacks"]
    assert [(it["kind"], it["package"]) for it in stack["changes"]] == [
        ("rebuilt", "app"),
        ("removed", "zlib"),
    ]
    zlib = stack["package_changes"][1]
    assert (zlib["kind"], zlib["whole"], zlib["gone"], zlib["came"], zlib["kept"]) == (
        *("upgraded", False, ["1.0"], ["2.0"], []),
    )
    assert {kind: number for kind, number in zlib["specs"].items() if number} == {"removed": 1}
    assert zlib["builds"] == {"old": 2, "new": 1}
    done = run_cli(*sides, "-f", "text", "--fail-on", "removed")
    assert (done.status, "1.0 gone" in done.out) == (0, False)
    assert "zlib 1.0 → 2.0, 1 of 2 builds gone (no longer with llvm 14.0.6)" in done.out


def test_a_version_that_was_rebuilt_says_nothing_of_one_beside_it(tmp_path: Path) -> None:
    stays = Item("app", "2.0", explicit=True)
    for name, version in (("old.lock", "1.2"), ("new.lock", "1.3")):
        zlib = Item("zlib", version)
        app = Item("app", needs=(needs(zlib),), explicit=True)
        write_files(tmp_path, {name: to_bytes(lock([zlib, app, stays]))})
    for options, kept in (((), ["1.0", "2.0"]), (("--because", "zlib"), ["1.0"])):
        [tag] = run_json("-C", tmp_path, "old.lock", "new.lock", *options)["tags"]
        changes = {it["package"]: it for it in tag["stacks"][0]["package_changes"]}
        assert (changes["app"]["kind"], changes["app"]["kept"]) == ("rebuilt", kept)


@needs_real_catalogs
def test_builds_that_went_with_an_mpi_are_found() -> None:
    report = json.loads(run_cli(*DERECHO, "--because", "mvapich", "-f", "json").out)
    [stack] = report["tags"][0]["stacks"]
    assert {change["kind"] for change in stack["changes"]} == {"removed"}
    assert (report["summary"]["removed"], len(stack["package_changes"])) == (15, 15)
    assert (stack["lost"]["name"], stack["lost"]["specs"]) == ("mvapich", 15)
    fftw = next(it for it in stack["package_changes"] if it["package"] == "fftw")
    assert (fftw["kind"], fftw["whole"], fftw["kept"]) == ("removed", False, ["3.3.10"])


@pytest.mark.parametrize("option", [("--because", "cmake"), ("-k", "rebuilt")])
def test_a_narrowed_table_calls_no_stack_unchanged_or_only_rebuilt(
    tmp_path: Path, option: tuple[str, str]
) -> None:
    """In the north an app is upgraded, elsewhere a cause has another version, too."""
    for side, version in (("old", "3.26"), ("new", "3.27")):
        tool = Item("cmake", version)
        user = Item("hdf5", needs=(needs(tool),), explicit=True)
        locks = {
            "east": lock([tool, user]),
            "north": lock([Item("app", version, explicit=True)]),
            "west": lock([tool, user]),
        }
        files = {f"{side}/{name}/spack.lock": to_bytes(text) for name, text in locks.items()}
        write_files(tmp_path, files)
    arguments = ("-C", tmp_path, "old", "new", *option)
    text = run_cli(*arguments, "--stat", "-f", "text").out
    assert "\n2 environments  " in text
    assert "\nnorth, none  " in text
    assert "unchanged" not in text
    page = run_cli(*arguments, "-f", "html").out.partition("<main>")[2].partition("<script")[0]
    assert '<span class="mark unchanged">none</span>' in page
    assert "only with" not in text + page
    assert ">unchanged<" not in page


def test_a_tag_on_one_side_alone_has_nothing_that_a_package_rebuilt(tmp_path: Path) -> None:
    for side, items in (("old", before()), ("new", after())):
        write_files(tmp_path / side, {"spack.lock": to_bytes(lock(items))})
    write_files(tmp_path / "new", pages_of([spec("b", tag="later")]))
    sides = (tmp_path / "old", tmp_path / "new")
    assert [tag["status"] for tag in run_json(*sides)["tags"]] == ["changed", "added"]
    [tag] = run_json(*sides, "--because", "cmake")["tags"]
    assert tag["status"] == "changed"


def test_what_went_with_a_whole_environment_is_told(tmp_path: Path) -> None:
    """`mpi` and what used it; `other` did not, and stays where it is in another environment."""
    mpi, other = Item("mpi"), Item("other", explicit=True)
    app = Item("app", needs=(needs(mpi),), explicit=True)
    gone, stays = (to_bytes(lock(items)) for items in ([mpi, app, other], [other]))
    later = to_bytes(lock([Item("other", "2.0", explicit=True)]))
    write_files(tmp_path, {"old/x/gone/spack.lock": gone, "old/x/stays/spack.lock": stays})
    write_files(tmp_path, {"new/x/stays/spack.lock": later})
    sides = ("-C", tmp_path, "old", "new", "--because", "mpi")
    [tag] = run_json(*sides)["tags"]
    found = {it["stack"]: [change["package"] for change in it["changes"]] for it in tag["stacks"]}
    assert found == {"gone": ["app", "mpi"], "stays": []}
    said = run_cli(*sides, "-f", "text").out
    assert "app is gone; only what" in said
    assert "\nGone: app 1.0 (gone)\n" in said
    assert "\n  mpi 1.0 (gone)\n" in said
    slip = refused(*sides[:-1], "mpl")
    assert slip == "mpl: matches no package that differs; the nearest: mpi\n"


def test_what_became_of_builds_beside_roots_is_told_of_dependencies(tmp_path: Path) -> None:
    """Roots of `hdf5` were reconfigured, those of `fftw` rebuilt; of both a dependency was."""
    for side, version in (("old", "3.26"), ("new", "3.27")):
        tool = Item("cmake", version)
        below = [Item(name, "1.0", needs=(needs(tool),)) for name in ("fftw", "hdf5")]
        root = Item("fftw", "2.0", needs=(needs(tool),), explicit=True)
        other = Item("hdf5", "2.0", parameters={"mpi": side == "new"}, explicit=True)
        app = Item("app", needs=tuple(map(needs, below)), explicit=True)
        content = to_bytes(lock([tool, *below, root, other, app]))
        write_files(tmp_path / side, {"spack.lock": content})
    sides = ("-C", tmp_path, "old", "new", "--because", "cmake")
    [stack] = run_json(*sides)["tags"][0]["stacks"]
    parts = {
        change["package"]: {name: it and it["kept"] for name, it in change["parts"].items()}
        for change in stack["package_changes"]
        if "parts" in change
    }
    assert parts == {
        "fftw": {"asked_for": ["2.0"], "others": ["1.0"]},
        "hdf5": {"asked_for": None, "others": ["1.0"]},
    }
    text = run_cli(*sides, "-f", "text").out
    products, _, dependencies = text.partition("\nDependencies")
    assert " hash: app 1.0, fftw 2.0, because of cmake" in products
    assert "hdf5" not in products
    assert "\n  fftw 1.0, hdf5 1.0, because of cmake" in dependencies


@needs_real_catalogs
def test_a_lost_root_is_counted_among_roots() -> None:
    """Of 18 builds of FFTW one was no root, of 20 of HDF5 three."""
    report = json.loads(run_cli(*DERECHO, "--because", "openmpi", "-f", "json").out)
    [stack] = report["tags"][0]["stacks"]
    found = {it["package"]: it for it in stack["package_changes"]}
    for name, builds in (("fftw", {"old": 18, "new": 16}), ("hdf5", {"old": 20, "new": 18})):
        assert found[name]["builds"] == builds
        assert found[name]["parts"]["asked_for"]["builds"] == {"old": 17, "new": 15}
