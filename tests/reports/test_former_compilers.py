"""A compiler that was a field of nodes and is a dependency now: no report calls it new."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import write_locks
from tests.support.helpers import run_cli, write_files
from tests.support.real_catalogs import DATA, needs_real_catalogs

BUILD = ("build",)
LLVM = Item("llvm", "15.0.0", compiler=None)
BEFORE = [Item("zlib", "1.3", compiler=("clang", "14.0.6")), Item("old", compiler=None)]
AFTER = [LLVM, Item("zlib", "1.3", compiler=None, needs=(needs(LLVM, "c", types=BUILD),))]


def compared(folder: Path, old: Sequence[Item], new: Sequence[Item], *options: str) -> str:
    write_locks(folder, old, new)
    done = run_cli("-C", folder, "old.lock", "new.lock", *options)
    assert (done.status, done.err) == (0, "")
    return done.out


def package(report: str, name: str) -> dict[str, Any]:
    [stack] = json.loads(report)["tags"][0]["stacks"]
    [found] = [one for one in stack["package_changes"] if one["package"] == name]
    return dict(found)


LINKED_LLVM = "[`llvm`](https://packages.spack.io/package.html?name=llvm)"
SAID = {
    "text": "\nIs a dependency now: llvm 15.0.0\n",
    "markdown": f"\n**Is a dependency now**: {LINKED_LLVM} `15.0.0`\n",
    "comment": f"\n**Is a dependency now**: {LINKED_LLVM} `15.0.0`\n",
    "html": "15.0.0 is a dependency now<",
}


@pytest.mark.parametrize("format_name", SAID)
def test_it_is_a_dependency_now_and_not_new(format_name: str, tmp_path: Path) -> None:
    report = compared(tmp_path, BEFORE, AFTER, "-f", format_name)
    assert SAID[format_name] in report
    assert not re.search(r"15\.0\.0`? new|1 new|is new|New\**:", report)


def test_a_report_in_whole(tmp_path: Path) -> None:
    assert compared(tmp_path, BEFORE, AFTER, "-f", "text") == (
        "Changes from old.lock to new.lock\n"
        "\n"
        "old is gone, llvm is a dependency now, zlib is built with another compiler.\n"
        "\n"
        "Gone: old 1.0\n"
        "\n"
        "Is a dependency now: llvm 15.0.0\n"
        "\n"
        "Built with another compiler: zlib 1.3: compiler clang@14.0.6 → llvm@15.0.0\n"
    )


def test_several_are_dependencies_now(tmp_path: Path) -> None:
    gcc = Item("gcc", "15.0.0", compiler=None)
    before = [*BEFORE, Item("xz")]
    after = [*AFTER, gcc, Item("xz", compiler=None, needs=(needs(gcc, "c", types=BUILD),))]
    assert "\nAre dependencies now: gcc, llvm 15.0.0\n" in compared(
        tmp_path, before, after, "-f", "text"
    )


def test_the_other_way_round_they_are_no_dependencies_any_more(tmp_path: Path) -> None:
    wrapper = Item("compiler-wrapper", compiler=None)
    zlib = Item("zlib", "1.3", compiler=None, needs=(needs(LLVM, "c", types=BUILD), needs(wrapper)))
    named = [Item("zlib", "1.3", compiler=("clang", "15.0.0")), Item("old")]
    text = compared(
        tmp_path, [LLVM, wrapper, zlib, Item("lost", compiler=None)], named, "-f", "text"
    )
    assert "\nlost is gone, old is new, 2 packages are no dependencies any more. " in text
    assert "\nAre no dependencies any more: compiler-wrapper 1.0, llvm 15.0.0\n" in text
    assert "\nGone: lost 1.0\n" in text
    mixed = [*named, Item("also", compiler=None)]  # not all of them name theirs
    text = compared(tmp_path, [LLVM, wrapper, zlib], mixed, "-f", "text")
    assert "dependencies any more" not in text


def test_what_comes_with_compilers_is_no_news_either(tmp_path: Path) -> None:
    wrapper, runtime = Item("compiler-wrapper", compiler=None), Item("gcc-runtime", compiler=None)
    below = (needs(LLVM, "c", types=BUILD), needs(wrapper, types=BUILD), needs(runtime))
    zlib = Item("zlib", "1.3", compiler=None, needs=below)
    after = [LLVM, wrapper, runtime, zlib]
    text = compared(tmp_path, BEFORE, after, "-f", "text", "--detail")
    assert "3 packages are dependencies now" in text
    packages = "compiler-wrapper 1.0, gcc-runtime 1.0, llvm 15.0.0"
    assert f"\nAre dependencies now: {packages}\n" in text
    assert "new" not in text.partition("every spec: ")[0].replace("new.lock", "")


def test_of_every_spec_it_is_said_that_it_is_a_dependency_now(tmp_path: Path) -> None:
    for side, items in (("old", BEFORE), ("new", AFTER)):
        for stack in ("cpu", "gpu"):
            write_files(tmp_path / side / stack, {"spack.lock": to_bytes(lock(items))})
    text = run_cli("-C", tmp_path, "old", "new", "-f", "text", "--detail").out
    assert "  + llvm 15.0.0, a dependency now in both: " in text
    assert "  − old 1.0, gone from both: " in text


@pytest.mark.parametrize("options", [(), ("-p", "llvm"), ("-k", "added")])
def test_json_says_it_and_counts_it_as_added(options: tuple[str, ...], tmp_path: Path) -> None:
    report = compared(tmp_path, BEFORE, AFTER, "-f", "json", *options)
    llvm = package(report, "llvm")
    assert (llvm["kind"], llvm["whole"], llvm["was_compiler"]) == ("added", True, True)
    assert json.loads(report)["tags"][0]["packages"]["added"] == ["llvm"]


@pytest.mark.parametrize("options", [(), ("-p", "llvm")])
def test_a_broken_node_beside_it_is_named_with_its_document(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    same = Item("xz")
    write_locks(tmp_path, [*BEFORE, same], [*AFTER, same])
    for path in (tmp_path / "old.lock", tmp_path / "new.lock"):
        document = json.loads(path.read_text("utf-8"))
        [broken] = [it for it in document["concrete_specs"].values() if it["name"] == "xz"]
        broken["arch"]["target"] = []
        path.write_text(json.dumps(document), "utf-8")
    done = run_cli("-C", tmp_path, "old.lock", "new.lock", *options)
    assert (done.status, done.out) == (2, "")
    assert re.fullmatch(
        r"snapdiff: error: new\.lock \(new\): concrete_specs\.\w+\.arch\.target: expected str \| "
        r"object \| null, got array; correct it, or leave it out with --skip-bad-pages\n",
        done.err,
    )
    skipped = run_cli("-C", tmp_path, "old.lock", "new.lock", *options, "--skip-bad-pages")
    assert skipped.status == 0
    assert "new.lock" in skipped.out


LINKED = [LLVM, Item("zlib", "1.3", compiler=("clang", "14.0.6"), needs=(needs(LLVM),))]
NEW = {
    "specs name their compiler as before, and one links the package": (BEFORE, LINKED),
    "another package was the compiler": ([Item("zlib", "1.3"), Item("old", compiler=None)], AFTER),
    "nothing is known of the compiler before": ([Item("zlib", "1.3", compiler=None)], AFTER),
}


@pytest.mark.parametrize("name", NEW)
@pytest.mark.parametrize("options", [(), ("-p", "llvm")])
def test_any_other_is_new(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    old, new = NEW[name]
    assert "was_compiler" not in package(
        compared(tmp_path, old, new, "-f", "json", *options), "llvm"
    )
    assert "llvm 15.0.0" in (said := compared(tmp_path, old, new, "-f", "text", *options))
    assert not re.search("(Is|1 package is) a dependency now", said)


def test_that_compilers_are_dependencies_now_is_no_change_of_a_field(tmp_path: Path) -> None:
    gcc = Item("gcc", "12.2.0", compiler=None)
    built = ({"compiler": ("gcc", "12.2.0")}, {"compiler": None, "needs": (needs(gcc, "c"),)})
    old, new = ([Item(f"p{n}", explicit=True, **some) for n in range(12)] for some in built)
    odd = [Item("odd", parameters={"mpi": is_on}, explicit=True) for is_on in (True, False)]
    report = compared(tmp_path, [*old, odd[0]], [gcc, *new, odd[1]], "-f", "text")
    assert "because compilers became dependencies" in report
    assert "compilers became dependencies (" not in report


def test_no_table_counts_it_as_new(tmp_path: Path) -> None:
    for stack in ("a", "b"):
        for side, items in (("old", BEFORE), ("new", AFTER)):
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    lines = run_cli("-C", tmp_path, "old", "new", "--stat").out.splitlines()
    assert [line for line in lines if line.startswith("|")] == [
        "| Environment | Gone | Other changes |",
        "|:--|--:|--:|",
        "| `a` | 1 | 2 |",
        "| `b` | 1 | 2 |",
    ]


@needs_real_catalogs
def test_beside_numbers_of_others_it_is_said_once() -> None:
    base, spack1 = (DATA / "real-spack" / it / "base" / "spack.lock" for it in ("0.23", "1.2"))
    for sides, words in (
        ((base, spack1), "are dependencies now"),
        ((spack1, base), "are no dependencies any more"),
    ):
        text = " ".join(run_cli("--no-config", *sides, "-f", "text").out.split())
        assert text.count(f"compiler-wrapper 1.0, gcc 12.2.0 {words}") == 1
        assert f"{words}: compiler-wrapper" not in text
