"""What was asked for comes first, and `--explicit` shows it alone."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import write_locks
from tests.support.helpers import run_cli, write_files
from tests.support.real_catalogs import e4s_report, needs_real_catalogs
from tests.support.repositories import GitRepository


def environment(*, minor: int, more: int = 8) -> list[Item]:
    """hdf5, root and python asked for, above zlib, another python and many more."""
    version = f"1.{minor}"
    below = [Item(f"a-{number}", f"{number}.{minor}") for number in range(more)]
    zlib, old_python = Item("zlib", version), Item("python", f"3.8.{minor}")
    return [
        *below,
        zlib,
        old_python,
        Item("hdf5", f"1.14.{minor}", explicit=True, needs=tuple(map(needs, (zlib, *below)))),
        Item("root", "6.30", explicit=True, needs=(needs(zlib),)),
        Item("python", "3.11.5", explicit=True, needs=(needs(zlib), needs(old_python))),
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two locks, `old.lock` and `new.lock`."""
    write_locks(tmp_path, environment(minor=1), environment(minor=2))
    return tmp_path


def report(folder: Path, *options: str) -> dict[str, Any]:
    """The JSON report of both locks."""
    done = run_cli("-C", folder, "old.lock", "new.lock", "-f", "json", *options)
    assert done.err == ""
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_only_what_was_asked_for(folder: Path) -> None:
    found = report(folder, "--explicit")
    stack = found["tags"][0]["stacks"][0]
    assert {change["package"] for change in stack["changes"]} == {"hdf5", "root", "python"}
    assert all(change["old"]["explicit"] for change in stack["changes"])
    kinds = {change["package"]: change["kind"] for change in stack["package_changes"]}
    # One python, a dependency, was upgraded; the one that was asked for was not.
    assert kinds == {"hdf5": "upgraded", "root": "rebuilt", "python": "rebuilt"}
    assert found["filters"]["explicit"] is True
    assert found["summary"]["rebuilt"] == 2
    assert sum(cause["specs"] for cause in stack["causes"]) == 2


def test_the_causes_are_those_of_what_was_asked_for(tmp_path: Path) -> None:
    def items(minor: int) -> list[Item]:
        zlib = Item("zlib", f"1.{minor}")
        return [
            zlib,
            Item("came-along", needs=(needs(zlib),)),
            *(Item(name, explicit=True, needs=(needs(zlib),)) for name in ("hdf5", "root")),
            Item("moved", compiler=("gcc", f"{minor}"), explicit=True),
            Item("hashed-anew", hash="abcdefgh" * 3 + f"{minor}" * 8, explicit=True),
        ]

    write_locks(tmp_path, items(2), items(3))
    stack = report(tmp_path, "--explicit")["tags"][0]["stacks"][0]
    causes = {change["package"]: change["cause"] for change in stack["changes"]}
    assert causes.pop("moved") is None
    assert {name: cause["what"] for name, cause in causes.items()} == {
        "hdf5": "version",
        "root": "version",
        "hashed-anew": "rehash",
    }
    explained = {cause["what"]: (cause["specs"], cause["packages"]) for cause in stack["causes"]}
    assert explained == {"version": (2, 2), "rehash": (1, 1), "compiler": (1, 1)}


def test_without_the_option_nothing_is_left_out_and_no_byte_is_new(folder: Path) -> None:
    found = report(folder)
    assert "explicit" not in found["filters"]
    changes = found["tags"][0]["stacks"][0]["changes"]
    some = [change for change in changes if change["new"].get("explicit")]
    narrowed = report(folder, "--explicit")["tags"][0]["stacks"][0]["changes"]
    assert narrowed == some


def test_all_formats_say_what_they_are_narrowed_to(folder: Path) -> None:
    for name in ("text", "markdown", "comment", "html"):
        done = run_cli("-C", folder, "old.lock", "new.lock", "--explicit", "-f", name)
        assert "nly what was asked for" in done.out, name
        assert "zlib</" not in done.out, name
        assert "unchanged" not in done.out.split("style>")[-1], name  # it is not known


def test_with_other_filters(folder: Path) -> None:
    found = report(folder, "--explicit", "-k", "upgraded")
    [change] = found["tags"][0]["stacks"][0]["changes"]
    assert change["package"] == "hdf5"
    found = report(folder, "--explicit", "--because", "zlib")
    packages = [change["package"] for change in found["tags"][0]["stacks"][0]["changes"]]
    assert packages == ["python", "root"]
    assert (
        "tags" not in report(folder, "--explicit", "-p", "zlib")
        or not (report(folder, "--explicit", "-p", "zlib")["tags"])
    )


def test_the_gate_looks_at_what_is_let_through(folder: Path) -> None:
    both = ("-C", folder, "old.lock", "new.lock", "--fail-on", "upgraded")
    done = run_cli(*both, "--explicit", "-p", "!hdf5")
    assert done.status == 0
    assert run_cli(*both, "-p", "!hdf5").status == 1
    done = run_cli(*both, "--explicit")
    assert done.status == 1
    assert "upgraded: hdf5 1.14.1 → 1.14.2" in done.err
    assert "zlib" not in done.err


def test_documents_that_do_not_say_what_was_asked_for() -> None:
    for folder in ("snapshots", "snapshots/mirrors"):
        sides = f"{folder}/2025-06-29", f"{folder}/2025-07-06"
        done = run_cli(*sides, "--explicit")
        assert done.status == 2
        assert "--explicit: nothing here tells roots from dependencies" in done.err


def test_where_there_is_no_document_nothing_was_asked_for(example: Path) -> None:
    write_files(example / "empty", {"package_data.json": "{}"})  # a part of a document
    done = run_cli("-C", example, "--explicit", "--allow-empty", "empty", "empty")
    assert (done.status, done.err) == (0, "")


DETAIL = "--detail lists all of what is only counted here, or named in part."


def test_what_was_asked_for_comes_first_in_text(folder: Path) -> None:
    text = run_cli("-C", folder, "old.lock", "new.lock", "-f", "text").out
    products, _, dependencies = text.partition("\nDependencies\n\n")
    assert "\nUpgraded: hdf5 1.14.1 → 1.14.2\n" in products
    # The python that was asked for has another hash; another one was upgraded.
    names = "a-0, a-1, zlib, a-2, a-3, a-4, a-5, a-6, a-7, python"
    assert dependencies == f"  10 upgraded: {names}\n\n{DETAIL}\n"


@pytest.mark.parametrize("group_by", ["stack", "package"])
def test_dependencies_are_in_a_fold(folder: Path, group_by: str) -> None:
    options = ("--group-by", group_by, "--package-url", "")
    text = run_cli("-C", folder, "old.lock", "new.lock", *options).out
    asked, fold, rest = text.partition(
        "<details><summary>Dependencies: 10 packages upgraded</summary>"
    )
    assert fold
    assert "`hdf5` `1.14.1` → `1.14.2`" in asked
    assert "`zlib` `1.1` → `1.2`" in rest.partition("</details>")[0]
    assert text.count("<details") == text.count("</details>")


@pytest.mark.parametrize("name", ["markdown", "comment"])
def test_a_few_dependencies_need_no_fold(tmp_path: Path, name: str) -> None:
    write_locks(tmp_path, environment(minor=1, more=1), environment(minor=2, more=1))
    options = ("-f", name, "--package-url", "")
    text = run_cli("-C", tmp_path, "old.lock", "new.lock", *options).out
    assert "<details" not in text
    products, _, dependencies = text.partition("\n**Dependencies: 3 packages upgraded**\n")
    assert "`zlib` `1.1` → `1.2`" in dependencies
    assert "`hdf5`" in products
    assert "`hdf5`" not in dependencies


def test_a_short_report_loses_dependencies_first(folder: Path) -> None:
    options = ("-f", "markdown", "--package-url", "", "--max-length")
    both = ("-C", folder, "old.lock", "new.lock")
    texts = [run_cli(*both, *options, str(most)).out for most in range(320, 440, 5)]
    cut = [text for text in texts if " to fit" in text and "`a-0`" not in text]
    cut = [text for text in cut if "\n**Dependencies: 10 packages upgraded**\n" in text]
    assert cut
    for text in cut:
        assert "`hdf5` `1.14.1` → `1.14.2`" in text


def test_html_marks_what_came_along_and_csv_what_was_asked_for(folder: Path) -> None:
    page = run_cli("-C", folder, "old.lock", "new.lock", "-f", "html").out
    body = page.partition('<tbody id="rows">')[2].partition("</tbody>")[0]
    products, _, dependencies = body.partition(">Dependencies upgraded: 10<")
    rows = [
        re.findall('<tr class="row upgraded.*?</tr>', it, re.DOTALL)
        for it in (products, dependencies)
    ]
    assert [len(some) for some in rows] == [1, 10]
    assert ">hdf5<" in rows[0][0]
    text = run_cli("-C", folder, "old.lock", "new.lock", "-f", "csv").out
    table = list(csv.DictReader(io.StringIO(text)))
    assert {row["package"] for row in table if row["explicit"] == "yes"} == {
        *("hdf5", "root", "python")
    }


def test_a_dependency_that_has_the_name_of_a_product_is_a_dependency(tmp_path: Path) -> None:
    """One hdf5 is asked for and has another hash; another one loses a version, a third a build."""
    zlib = {side: Item("zlib", version) for side, version in (("old", "1.2"), ("new", "1.3"))}
    for side, below in zlib.items():
        hdf5 = Item("hdf5", "1.14", explicit=True, needs=(needs(below),))
        user = Item("netcdf-c", "4.9", explicit=True, needs=(needs(hdf5),))
        items = [below, hdf5, user]
        if side == "old":
            users = [Item("hdf5", "1.12"), Item("hdf5", "1.14", parameters={"hl": True})]
            items = [below, hdf5, *users, replace(user, needs=tuple(map(needs, (hdf5, *users))))]
        write_files(tmp_path, {f"{side}.lock": to_bytes(lock(items))})
    text = run_cli("-C", tmp_path, "old.lock", "new.lock", "-f", "text").out
    products, _, dependencies = text.partition("\nDependencies")
    assert "hdf5" in products.partition("with another hash")[0]
    assert "1.12" not in products
    assert "hdf5 1.12 gone, still has 1.14" in dependencies
    gate = ("-C", tmp_path, "old.lock", "new.lock", "--fail-on", "removed", "-q")
    assert run_cli(*gate).status == 1
    assert run_cli(*gate, "--explicit").status == 0
    assert "1.12" not in run_cli(*gate, "--explicit", "-f", "text").out
    [stack] = report(tmp_path)["tags"][0]["stacks"]
    [parts] = [it["parts"] for it in stack["package_changes"] if it["package"] == "hdf5"]
    assert (parts["asked_for"]["kind"], parts["asked_for"]["builds"]) == (
        "rebuilt",
        {"old": 1, "new": 1},
    )
    assert (parts["others"]["kind"], parts["others"]["gone"]) == ("removed", ["1.12"])


def test_where_nothing_explicit_changed_all_is_told_as_ever(tmp_path: Path) -> None:
    write_locks(tmp_path, [Item("zlib", "1.2")], [Item("zlib", "1.3")])
    text = run_cli("-C", tmp_path, "old.lock", "new.lock", "-f", "text").out
    assert "dependenc" not in text
    done = run_cli("-C", tmp_path, "old.lock", "new.lock", "--explicit", "-f", "text")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("No changes")


def test_an_installed_spec_that_nobody_asks_for_any_more(folder: Path) -> None:
    """Explicit on one side is enough, and what became explicit alone did not change."""
    cmake, zlib = Item("cmake"), Item("zlib", "1.3")
    old = Item("zlib", "1.2", explicit=True, needs=(needs(cmake, types=("build",)),))
    new = [zlib, Item("hdf5", explicit=True, needs=(needs(zlib),))]
    same = replace(cmake, explicit=True)
    write_locks(folder, [old, cmake], [*new, same])
    changes = report(folder, "--explicit")["tags"][0]["stacks"][0]["changes"]
    assert [(change["package"], change["kind"]) for change in changes] == [
        ("hdf5", "added"),
        ("zlib", "upgraded"),
    ]


def test_a_changelog_of_what_was_asked_for(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path / "repository")
    for minor in (1, 2, 3):
        repository.commit({"env/spack.lock": to_bytes(lock(environment(minor=minor)))})
    story = ("changelog", "-C", repository.folder, "HEAD~2..HEAD")
    kept = tmp_path / "CHANGELOG.md"
    assert run_cli(*story, "--explicit", "-o", kept).status == 0
    text = kept.read_text()
    assert " explicit=yes -->" in text
    assert "only what was asked for" in text
    assert "`a-0`" not in text
    done = run_cli(*story, "-o", kept)
    assert (
        "was written with explicit=yes, and this run is without options; run with the same options"
        in done.err
    )
    for name in ("markdown", "text", "html"):
        assert "Dependencies" in run_cli(*story, "-f", name).out
        assert "Dependencies" not in run_cli(*story, "--explicit", "-f", name).out
    lines = run_cli(*story, "--explicit", "-f", "ndjson").out.splitlines()
    assert [json.loads(line)["filters"]["explicit"] for line in lines] == [True, True]
    done = run_cli(*story, "--explicit", "--first-seen")
    assert "--first-seen is about all versions" in done.err


@pytest.mark.slow
@needs_real_catalogs
def test_e4s_on_a_terminal_is_a_page_long() -> None:
    text = e4s_report("text")
    assert len(text.splitlines()) <= 255
    dependencies = text.partition("\nDependencies beside the toolchain\n")[2]
    assert len(re.findall("^  [^ ]", dependencies, re.MULTILINE)) <= 28


def test_what_is_no_longer_asked_for_and_still_there_is_not_gone(tmp_path: Path) -> None:
    """A root becomes a dependency, and a dependency a root; of one of them no spec changes."""
    app = Item("app", "1.0", explicit=True)
    old_root, dependency = Item("adios2", "2.10.1", explicit=True), Item("adios2", "2.9.2")
    same = Item("cmake", "3.27")
    before = [
        replace(app, needs=(needs(dependency), needs(same))),
        dependency,
        old_root,
        same,
    ]
    after = [
        replace(app, needs=(needs(dependency), needs(same))),
        dependency,
        replace(same, explicit=True),
    ]
    write_locks(tmp_path, before, after)
    for options in ((), ("--explicit",)):
        stack = report(tmp_path, *options)["tags"][0]["stacks"][0]
        assert stack["asked_for"] == {
            "now": ["cmake"],
            "no_longer": ["adios2"],
            "needed_by": {"adios2": ["app"]},
        }
        [change] = stack["package_changes"]
        assert (change["package"], change["kind"], change["whole"]) == (
            "adios2",
            "downgraded",
            False,
        )
        assert change["asked_for"] == {"old": True, "new": False}
    for name in ("text", "markdown", "comment", "html"):
        done = run_cli("-C", tmp_path, "old.lock", "new.lock", "--explicit", "-f", name)
        said = done.out.lower()
        assert "now only a dependency" in said, name
        assert "now a root spec" in said, name
        assert "adios2 gone" not in done.out
    rows = list(
        csv.reader(io.StringIO(run_cli("-C", tmp_path, "old.lock", "new.lock", "-f", "csv").out))
    )
    assert [row[3:5] for row in rows if row[3].endswith("asked for")] == [
        ["now asked for", "cmake"],
        ["no longer asked for", "adios2"],
    ]
    assert {len(row) for row in rows} == {len(rows[0])}
    done = run_cli("-C", tmp_path, "old.lock", "new.lock", "--explicit", "--fail-on", "removed")
    assert done.status == 1  # 2.10.1 is a build that is gone, though the package is not


def test_what_a_new_environment_asks_for_was_not_asked_for_before(tmp_path: Path) -> None:
    old = {"env/a/spack.lock": to_bytes(lock(environment(minor=1)))}
    new = {**old, "env/b/spack.lock": to_bytes(lock(environment(minor=2)))}
    sides = write_files(tmp_path / "old", old), write_files(tmp_path / "new", new)
    [tag] = json.loads(run_cli(*sides, "-f", "json").out)["tags"]
    [_, added] = tag["stacks"]
    assert (added["stack"], added["status"]) == ("b", "added")
    asked_for = {change["package"]: change["asked_for"] for change in added["package_changes"]}
    assert asked_for["hdf5"] == {"old": False, "new": True}
    assert asked_for["zlib"] == {"old": False, "new": False}


def test_a_spec_of_two_environments_counts_once_in_a_new_tag(tmp_path: Path) -> None:
    content = to_bytes(lock(environment(minor=1)))
    old = {"env/a/spack.lock": content}
    new = {**old, "later/a/spack.lock": content, "later/b/spack.lock": content}
    sides = write_files(tmp_path / "old", old), write_files(tmp_path / "new", new)
    [tag] = json.loads(run_cli(*sides, "-f", "json").out)["tags"]
    assert (tag["old"], tag["new"], tag["status"]) == (None, "later", "added")
    specs = len(environment(minor=1))
    assert tag["specs"] == {"old": 0, "new": specs}
    assert [stack["specs"]["new"] for stack in tag["stacks"]] == [specs, specs]


@pytest.mark.parametrize(
    ("options", "packages"),
    [
        ([], ["a", "b", "mpi", "zlib"]),
        (["--because", "mpi,zlib"], ["a", "b", "mpi"]),
        (["--explicit"], ["b"]),
        (["--because", "mpi,zlib", "--explicit"], ["b"]),
    ],
)
def test_rebuilt_specs_are_narrowed_and_stay_in_order(
    tmp_path: Path, options: list[str], packages: list[str]
) -> None:
    for name, version in (("old", "1.1"), ("new", "1.2")):
        zlib, mpi = Item("zlib", version), Item("mpi")
        a = Item("a", needs=(needs(zlib),))
        b = Item("b", explicit=True, needs=tuple(map(needs, (a, mpi) if name == "old" else (a,))))
        items = [zlib, a, b, mpi] if name == "old" else [zlib, a, b]
        write_files(tmp_path, {f"{name}.lock": to_bytes(lock(items))})
    found = report(tmp_path, *options)
    changes = found["tags"][0]["stacks"][0]["changes"]
    assert [change["package"] for change in changes] == packages


def test_builds_of_what_was_asked_for_are_counted_without_equal_ones_beside_them(
    tmp_path: Path,
) -> None:
    def items(minor: int, *targets: str) -> list[Item]:
        """Two equal builds of fftw, dependencies, beside those that are asked for."""
        cmakes = [Item("cmake", f"3.{number}.{minor}") for number in (1, 2)]
        below = [
            Item("fftw", target="haswell", needs=(needs(it, types=("build",)),)) for it in cmakes
        ]
        return [
            *cmakes,
            *below,
            *(Item("fftw", target=target, explicit=True) for target in targets),
            *(
                Item(f"top-{place}", explicit=True, needs=(needs(it),))
                for place, it in enumerate(below)
            ),
        ]

    write_locks(tmp_path, items(1, "skylake", "zen4"), items(2, "skylake"))
    for options in ((), ("--explicit",)):
        text = run_cli("-C", tmp_path, "old.lock", "new.lock", "-f", "text", *options).out
        assert "fftw 1.0: 1 of 2 builds gone (for zen4)" in text
    [stack] = report(tmp_path, "--explicit")["tags"][0]["stacks"]
    [fftw] = [it for it in stack["package_changes"] if it["package"] == "fftw"]
    assert fftw["builds"] == {"old": 2, "new": 1}
    assert "different" not in fftw
