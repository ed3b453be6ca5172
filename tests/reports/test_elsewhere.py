"""What a report says of the stacks in which something did not happen."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import pages_of, run_cli, spec, write_files
from tests.support.repositories import GitRepository

Sides = tuple[Sequence[Item], Sequence[Item]]

OTHER = Item("other", explicit=True)
TOOLS = [Item(f"tool{number}", "2.0", explicit=True) for number in range(3)]


def report(folder: Path, stacks: Mapping[str, Sides], *arguments: str) -> str:
    """A report about environments."""
    for stack, sides in stacks.items():
        for side, items in zip(("old", "new"), sides, strict=True):
            write_files(folder, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    result = run_cli("-C", folder, "old", "new", "--package-url", "", *arguments)
    assert (result.status, result.err) == (0, "")
    return result.out


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"e4s": "1.0"}, "; `e4s` still has `1.0`"),
        ({"e4s": "1.2"}, ", still in `e4s`"),
        ({"e4s": "1.0", "ml": "1.1"}, "; `e4s`, `ml` still have `1.1` and `1.0`"),
        ({"e4s": "1.0", "ml": "1.2"}, ", still in `e4s`, `ml`"),
    ],
)
def test_what_is_gone_from_some_stacks_and_left_in_others_has_its_versions_there(
    tmp_path: Path, there: Mapping[str, str], told: str
) -> None:
    stay = [spec(stack[-1] + "c", it, stacks=stack) for stack, it in there.items()]
    cmake = [spec("d", "3.3", package="cmake", stacks="hep tut")]
    gone = [spec("b", "1.2", stacks="hep tut")]
    cmake += [spec("f", "3.3", package="cmake", stacks="a")]
    write_files(tmp_path / "old", pages_of([*stay, *cmake, *gone]))
    write_files(tmp_path / "new", pages_of([*stay, *cmake]))
    text = run_cli("-C", tmp_path, "old", "new", "--package-url", "").out
    assert text.splitlines()[2] == f"`zlib` `1.2` is gone from `hep`, `tut`{told}."


def with_sdk(versions: Sequence[str], zlib_version: str = "1.3") -> list[Item]:
    """A root, and what it depends on, of which nobody asks for any."""
    zlib = Item("zlib", zlib_version)
    below = [
        replace(it, explicit=False, version=version, needs=(needs(zlib),))
        for it, version in zip(TOOLS, versions, strict=True)
    ]
    return [zlib, *below, Item("sdk", explicit=True, needs=tuple(map(needs, below))), OTHER]


def test_a_new_root_may_be_one_of_all_other_stacks(tmp_path: Path) -> None:
    a = ([*TOOLS, OTHER], with_sdk(("1.9", "1.9", "1.9")))
    b = with_sdk(("1.9", "1.9", "2.0")), with_sdk(("1.9", "1.9", "2.0"), "1.4")  # all is rebuilt
    lines = report(tmp_path, {"a": a, "b": b}).splitlines()
    assert "**`sdk` is new in `a`**: older " in "\n".join(lines)


def test_a_cell_says_of_what_did_not_change_that_nobody_asks_for_it(tmp_path: Path) -> None:
    def app(version: str, *, explicit: bool) -> list[Item]:
        tool = Item("tool", version, explicit=explicit)
        users = [Item(name, explicit=True, needs=(needs(tool),)) for name in ("app", "more")]
        return [tool, *users, *(Item(f"p{it}", version, explicit=True) for it in range(3))]

    below = [
        it if it.name[0] != "p" else replace(it, version="1.1") for it in app("1.0", explicit=False)
    ]
    stacks = {
        "a": (app("1.0", explicit=True), app("1.1", explicit=True)),
        "b": (app("1.0", explicit=False), below),
    }
    text = report(tmp_path, stacks)
    [row] = [line for line in text.splitlines() if line.startswith("| `tool`")]
    assert row == "| `tool` | `1.0` → `1.1` | (·) |"


def test_another_version_in_the_only_other_stack_is_named_too(tmp_path: Path) -> None:
    cmake = spec("d", "3.3", package="cmake", stacks="hep tut")
    stays = [spec("c", "1.0", stacks="e4s"), cmake]
    write_files(tmp_path / "old", pages_of([*stays, spec("b", "1.2", stacks="hep tut")]))
    write_files(tmp_path / "new", pages_of(stays))
    text = run_cli("-C", tmp_path, "old", "new").out
    assert text.splitlines()[2].endswith(" is gone from all but `e4s`; `e4s` still has `1.0`.")


def test_of_a_document_that_is_not_read_no_version_is_claimed(tmp_path: Path) -> None:
    """It is the same to the byte on both sides: in a hdf5 is 1.0, and nobody looks it up."""
    hdf5 = Item("hdf5", "2.0", explicit=True)
    old = replace(hdf5, version="1.0")
    text = report(tmp_path, {"a": ([old, OTHER], [old, OTHER]), "b": ([hdf5, OTHER], [OTHER])})
    assert text.splitlines()[2] == ("`hdf5` `2.0` is gone from `b`; `a` has the package as before.")


def test_a_short_list_of_packages_names_each_once(tmp_path: Path) -> None:
    """More than a sentence has room for, and fewer than anybody has to look for."""
    old = [spec("b", "2.0", package="fell"), *(spec(it, package=it) for it in "cdfg")]
    new = [spec("x", "1.0", package="fell"), *(spec(f"z{it}", "9.0", package=it) for it in "cdfg")]
    new += [spec(f"y{it}", package=f"new{it}") for it in "hjk"]
    write_files(tmp_path / "old", pages_of(old))
    write_files(tmp_path / "new", pages_of(new))
    for format_name in ("text", "markdown", "comment"):
        text = run_cli("-C", tmp_path, "old", "new", "-f", format_name, "--package-url", "").out
        for name in ("fell", "newh", "newj", "newk"):
            assert len(re.findall(rf"\b{name}\b", text.partition("\n\n")[2])) <= 2, text
        assert text.count("Downgraded") == 1, format_name


def test_a_tag_of_git_needs_no_commit_and_subject_beside_it(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    for version in ("1.0", "1.1"):
        repository.commit(pages_of([spec("b" if version == "1.0" else "c", version)]), "Moved it")
        repository.git("tag", f"v{version}")
    tags, relative = (
        run_cli("-C", tmp_path, *sides, "-f", "text").out.splitlines()[0]
        for sides in (("v1.0", "v1.1"), ("HEAD~1", "HEAD"))
    )
    assert re.fullmatch(
        r"Changes in develop/e4s from v1\.0 \([0-9-]{10}\) to v1\.1 \([0-9-]{10}\)", tags
    )
    assert relative.count("Moved it") == 2
