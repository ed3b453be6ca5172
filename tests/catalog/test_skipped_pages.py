"""Bad pages in a comparison: all are named, or left out on both sides and listed (section 8)."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.documents import Item, lock, needs, site_data, to_bytes
from tests.support.example import EVERYTHING, found_in
from tests.support.helpers import (
    page_around,
    pages_of,
    refused,
    run_cli,
    run_json,
    spec,
    usual_page,
    words,
    write_files,
)
from tests.support.repositories import GitRepository


def test_a_bad_page_is_left_out_on_both_sides_and_listed(example: Path) -> None:
    bad = "_cache/develop/mpich/specs.md"
    also_bad = "_cache/develop/py-torch/specs.md"
    (example / "new" / bad).write_text("gone\n")
    (example / "old" / also_bad).write_text(page_around("{}", title="py-torch"))
    result = run_cli("-C", example, "--skip-bad-pages", "-f", "json", "old", "new")
    report = json.loads(result.out)
    no_front_matter = "line 1: no front matter; a page begins with a line '---'"
    no_list = "spec_details: expected array, got object"
    assert report["skipped"] == [
        {"side": "new", "path": bad, "error": no_front_matter},
        {"side": "old", "path": also_bad, "error": no_list},
    ]
    assert result.status == 0
    assert result.err.splitlines() == [
        f"snapdiff: warning: {bad} (new): left out on both sides: {no_front_matter}",
        f"snapdiff: warning: {also_bad} (old): left out on both sides: {no_list}",
    ]
    assert found_in(report) == EVERYTHING | {
        "hep": {"unchanged": 1},
        "ml-cuda": {"reconfigured": 1},
    }
    assert report["tags"][0]["specs"] == {"old": 4, "new": 5}


def test_a_report_is_not_empty_where_it_lists_a_bad_page(example: Path) -> None:
    shutil.copytree(example / "old", example / "copy")
    same = ("-C", example, "--quiet-if-empty", "-f", "text", "old", "copy", "--skip-bad-pages")
    assert run_cli(*same).out == ""
    bad = "_cache/develop/mpich/specs.md"
    (example / "old" / bad).write_text("gone\n")
    assert bad in run_cli(*same).out


@pytest.mark.parametrize("names", [["old", "new"], ["old/zlib.lock", "new/zlib.lock"]], ids=words)
def test_a_gate_does_not_stay_green_where_nothing_can_be_read(
    names: list[str], tmp_path: Path
) -> None:
    for folder in ("old", "new"):
        bad = dict.fromkeys(("zlib.lock", "spack.lock"), f'{{"concrete_specs" {folder}')
        write_files(tmp_path / folder, {**bad, "README.txt": "x"})
    sides: list[str | Path] = ["-C", tmp_path, *names, "--skip-bad-pages", "-q"]
    gate = [*sides, "--fail-on", "removed"]
    reason = "no document is left that can be read on both sides, so a gate has nothing to look at"
    assert refused(*gate) == f"--fail-on: {reason}; correct one, or pass --allow-empty\n"
    assert run_cli(*gate, "--allow-empty").status == run_cli(*sides).status == 0
    write_files(tmp_path, {"new/env/spack.lock": to_bytes(lock([Item("zlib")]))})
    assert run_cli(*gate).status == (0 if names == ["old", "new"] else 2)


@pytest.mark.parametrize("kind", ["page", "lock"])
@pytest.mark.parametrize("bad_side", ["old", "new"])
def test_a_gate_does_not_stay_green_where_nothing_asked_for_can_be_read(
    bad_side: str, kind: str, tmp_path: Path
) -> None:
    if kind == "page":
        files = pages_of([spec("a"), spec("b", package="hdf5", stacks="ml")])
        bad, asked = "_cache/develop/zlib/specs.md", (["-p", "zlib"], ["-s", "!ml"])
    else:
        content = to_bytes(lock([Item("zlib")])).decode()
        files = {f"env/{name}/spack.lock": content for name in ("hep", "ml")}
        bad, asked = "env/hep/spack.lock", (["-s", "hep"], ["-s", "hep", "-p", "zlib"])
    for side in ("old", "new"):
        write_files(tmp_path / side, files | ({bad: "gone\n"} if side == bad_side else {}))
    sides: list[str | Path] = ["-C", tmp_path, "old", "new", "--skip-bad-pages", "-q"]
    for globs in asked:
        assert refused(*sides, *globs, "--fail-on", "removed").startswith("--fail-on: no document")
        assert "Nothing was compared: " in run_cli(*sides, *globs).out
        report = json.loads(run_cli(*sides, *globs, "-f", "json").out)
        assert (report["nothing_compared"], report["tags"]) == (True, [])
    for others in ([], ["-s", "ml"], ["-p", "*"]):
        assert run_cli(*sides, *others, "--fail-on", "removed").status == 0


SAID = "Nothing was compared: no document is left that can be read on both sides."


@pytest.mark.parametrize("bad", ["new", "old"])
def test_a_report_says_where_nothing_was_compared(bad: str, tmp_path: Path) -> None:
    """Files of their own may be called otherwise on each side; a README is no document."""
    good = to_bytes(lock([Item("zlib")]))
    for side in ("old", "new"):
        content = b'{"concrete_specs" x' if side == bad else good
        write_files(tmp_path, {f"{side}.lock": content})
        write_files(tmp_path / side, {"spack.lock": content, "README.md": "# Read me\n"})
    for sides in (("old", "new"), ("old.lock", "new.lock")):
        arguments = ("-C", tmp_path, *sides, "--skip-bad-pages", "-q")
        for options in (["-ftext"], ["-fmarkdown"], ["-fcomment"], ["-fhtml"], ["-fmd", "--stat"]):
            out = run_cli(*arguments, *options).out
            assert SAID in out, options
            assert ".lock" in out.partition("Pages left out on both sides")[2]
        report = json.loads(run_cli(*arguments, "-f", "json").out)
        assert (report["nothing_compared"], report["tags"]) == (True, [])
        assert run_cli(*arguments, "-f", "csv").out.splitlines()[1].startswith(",,,nothing comp")
        assert run_cli(*arguments, "--fail-on", "removed").status == 2


def test_a_report_without_changes_is_about_what_can_be_read(example: Path) -> None:
    shutil.copytree(example / "old", example / "copy")
    (example / "copy" / "_cache/develop/mpich/specs.md").write_text("gone\n")
    arguments = ("-C", example, "old", "copy", "--skip-bad-pages", "-q")
    assert "\n\nNo changes in what can be read.\n" in run_cli(*arguments, "-f", "text").out
    assert "nothing_compared" not in json.loads(run_cli(*arguments, "-f", "json").out)
    assert run_cli(*arguments, "--fail-on", "removed").status == 0


@pytest.mark.parametrize("text", ["gone\n", "gone, too\n"], ids=["the same", "another"])
def test_a_page_that_is_bad_on_both_sides_is_listed_for_both(text: str, example: Path) -> None:
    path = "_cache/develop/mpich/specs.md"
    (example / "old" / path).write_text("gone\n")
    (example / "new" / path).write_text(text)
    report = json.loads(run_cli("-C", example, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert [(page["side"], page["path"]) for page in report["skipped"]] == [
        ("old", path),
        ("new", path),
    ]
    status, out, err = run_cli("-C", example, "old", "new")
    assert (status, out) == (2, "")
    assert err.startswith(f"snapdiff: error: {path} (old) and (new): line 1: no front matter")


def test_an_unreadable_package_is_left_out_wherever_the_other_side_has_it(tmp_path: Path) -> None:
    write_files(tmp_path / "old", pages_of([spec("b"), spec("c", package="hdf5")]))
    pages = pages_of([spec("p", package="hdf5")]) | {"moved/develop/zlib/specs.md": "gone\n"}
    write_files(tmp_path / "new", pages)
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert found_in(report) == {"e4s": {"rebuilt": 1}}


def test_an_unreadable_package_is_left_out_where_the_two_sides_begin_at_other_folders(
    tmp_path: Path,
) -> None:
    good = pages_of([spec("p"), spec("q", package="hdf5")])
    write_files(tmp_path / "old", pages_of([spec("b", package="hdf5")]))
    write_files(tmp_path / "old", {"_cache/develop/zlib/specs.md": "gone\n"})
    write_files(tmp_path / "new", good)
    for old, new in [("old", "new"), ("old/_cache/develop", "new"), ("old", "new/_cache/develop")]:
        for pair in ([old, new], [new, old]):
            told = run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", *pair)
            assert found_in(json.loads(told.out)) == {"e4s": {"rebuilt": 1}}, pair


def test_a_tag_of_which_one_side_is_unreadable_has_not_come_or_gone(tmp_path: Path) -> None:
    path = "_cache/v1/zlib/specs.md"
    other = spec("b", tag="v2")
    write_files(tmp_path / "bad", pages_of([other]) | {path: "gone\n"})
    write_files(tmp_path / "good", pages_of([other, spec("c", tag="v1")]))
    for pair in (["bad", "good"], ["good", "bad"]):
        told = run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", *pair)
        report = json.loads(told.out)
        assert [page["path"] for page in report["skipped"]] == [path]
        assert report["tags"] == []


def test_twenty_bad_pages_are_named_then_they_are_counted(tmp_path: Path) -> None:
    pages = {f"_cache/develop/package-{number:02}/specs.md": "gone\n" for number in range(25)}
    write_files(tmp_path / "old", pages_of([spec("b")]))
    write_files(tmp_path / "new", pages_of([spec("b")]) | pages)
    status, out, err = run_cli("-C", tmp_path, "old", "new")
    assert (status, out) == (2, "")
    reason = "line 1: no front matter; a page begins with a line '---'"
    assert err.splitlines() == [
        *(f"snapdiff: error: {path} (new): {reason}" for path in sorted(pages)[:20]),
        (
            "snapdiff: error: 25 bad pages, the first 20 of them named here; "
            "correct them, or leave them out with --skip-bad-pages"
        ),
    ]


def test_a_node_that_only_causes_ask_for_makes_its_document_bad(tmp_path: Path) -> None:
    """Both locks have it in the same words, so its name and version are enough to count it."""
    compilers = [Item("gcc", version, hash=version * 32) for version in "23"]
    for side, used in zip(("old", "new"), compilers, strict=True):
        document = lock([*compilers, Item("hdf5", needs=(needs(used),))])
        for compiler in compilers:
            document["concrete_specs"][compiler.key]["parameters"] = []
        write_files(tmp_path / side, {"env/spack.lock": to_bytes(document)})
    result = run_cli("-C", tmp_path, "--skip-bad-pages", "-f", "json", "old", "new")
    reason = f"concrete_specs.{'2' * 32}.parameters: expected object, got array"
    assert json.loads(result.out)["skipped"] == [
        {"side": "new", "path": "env/spack.lock", "error": reason}
    ]


def test_a_second_page_is_bad_where_both_pages_stayed_as_they_are(tmp_path: Path) -> None:
    for side, letter in (("old", "b"), ("new", "p")):
        pages = pages_of([spec(letter, package="hdf5"), spec("c")])
        second = {"_cache/develop/zlib.md": pages["_cache/develop/zlib/specs.md"]}
        write_files(tmp_path / side, pages | second)
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    error = "package zlib of tag develop is already in _cache/develop/zlib.md"
    assert report["skipped"] == [
        {"side": side, "path": "_cache/develop/zlib/specs.md", "error": error}
        for side in ("old", "new")
    ]
    assert report["tags"][0]["specs"] == {"old": 1, "new": 1}


@pytest.mark.parametrize(
    ("old", "new", "tags"),
    [
        # The tags v1 and v2, which are compared, though nothing of one of them can be read
        (["v1/zlib"], ["v2/zlib!"], []),
        (["v1/zlib", "v1/hdf5!"], ["v2/zlib"], [("v1", "v2")]),
        # A tag that nobody can read is still one
        (["v1/zlib!", "v2/zlib"], ["v1/zlib"], [("v2", None)]),
        (["v1/zlib!", "v2/zlib"], ["v3/zlib"], [("v2", None), (None, "v3")]),
    ],
)
def test_tags_are_compared_as_if_every_page_could_be_read(
    old: list[str], new: list[str], tags: list[tuple[str | None, str | None]], tmp_path: Path
) -> None:
    for letter, side, names in (("b", "old", old), ("c", "new", new)):
        for name in names:
            tag, package = name.removesuffix("!").split("/")
            [(path, text)] = pages_of([spec(letter, package=package, tag=tag)]).items()
            write_files(tmp_path / side, {path: "gone\n" if name.endswith("!") else text})
    for first, second, wanted in (
        ("old", "new", tags),
        ("new", "old", [(after, before) for before, after in tags]),
    ):
        out = run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", first, second).out
        found = [(tag["old"], tag["new"]) for tag in json.loads(out)["tags"]]
        assert sorted(found, key=str) == sorted(wanted, key=str)


def test_a_bad_page_in_a_folder_of_another_name_than_its_tag_makes_no_tag_of_its_own(
    tmp_path: Path,
) -> None:
    for side, letter, tag in (("old", "b", "v1"), ("new", "c", "v2")):
        pages = pages_of([spec(letter, tag=tag), spec("d", tag=tag, package="hdf5")])
        moved = {path.replace(tag, "pages"): text for path, text in pages.items()}
        write_files(tmp_path / side, moved)
    write_files(tmp_path / "new", {"_cache/pages/hdf5/specs.md": "gone\n"})
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert [(tag["old"], tag["new"]) for tag in report["tags"]] == [("v1", "v2")]
    assert report["summary"]["rebuilt"] == 1


@pytest.mark.parametrize("bad", ["old", "new"])
def test_the_page_that_was_at_the_path_of_a_second_one_is_left_out_too(
    bad: str, tmp_path: Path
) -> None:
    pages = pages_of([spec("b", package="gcc"), spec("c"), spec("d", package="hdf5")])
    twice = {path: text.replace('title: "zlib"', 'title: "gcc"') for path, text in pages.items()}
    for side in ("old", "new"):
        write_files(tmp_path / side, twice if side == bad else pages)
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert [page["path"] for page in report["skipped"]] == ["_cache/develop/zlib/specs.md"]
    assert report["tags"] == []


@pytest.mark.parametrize("bad", ["old", "new"])
def test_what_stayed_is_not_counted_where_one_side_has_a_bad_page_of_it(
    bad: str, tmp_path: Path
) -> None:
    for side, letter in (("old", "b"), ("new", "p")):
        write_files(tmp_path / side, pages_of([spec(letter, package="hdf5"), spec("c")]))
    write_files(tmp_path / bad, {"moved/develop/zlib/specs.md": "gone\n"})
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert report["tags"][0]["specs"] == {"old": 1, "new": 1}


def test_a_package_that_was_compared_is_left_out_for_a_bad_page_that_follows(
    tmp_path: Path,
) -> None:
    for side, letters in (("old", "bc"), ("new", "pq")):
        pages = pages_of([spec(letters[0]), spec(letters[1], package="hdf5")])
        write_files(tmp_path / side, pages)
    write_files(tmp_path / "new", {"moved/develop/zlib/specs.md": "gone\n"})
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert found_in(report) == {"e4s": {"rebuilt": 1}}


def test_a_stack_that_was_compared_is_left_out_for_a_bad_document_of_it(tmp_path: Path) -> None:
    for side, version in (("old", "1"), ("new", "2")):
        named = {"e4s": "zlib", "hep": "hdf5"}
        files = {
            f"v1/{stack}/spack.lock": to_bytes(lock([Item(name, version)]))
            for stack, name in named.items()
        }
        write_files(tmp_path / side, files)
    # One that is removed is no more removed than the other is upgraded.
    write_files(
        tmp_path / "old",
        {"v1/hep/spack.lock": to_bytes(lock([Item("hdf5", "1"), Item("m4")]))},
    )
    write_files(tmp_path / "new", {"v1/hep/build_cache/index.json": "gone\n"})
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert found_in(report, "v1") == {"e4s": {"upgraded": 1}}


def test_what_a_left_out_stack_shares_with_another_is_still_counted(tmp_path: Path) -> None:
    for side, version in (("old", "1"), ("new", "2")):
        zlib = to_bytes(lock([Item("zlib", version)]))
        write_files(tmp_path / side, {f"v1/{stack}/spack.lock": zlib for stack in ("e4s", "hep")})
    write_files(tmp_path / "new", {"v1/hep/build_cache/index.json": "gone\n"})
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    [tag] = report["tags"]
    assert tag["specs"] == {"old": 1, "new": 1}


def test_a_bad_page_of_one_tag_leaves_out_nothing_of_another(tmp_path: Path) -> None:
    other = spec("c", tag="v1", package="hdf5")
    write_files(tmp_path / "old", pages_of([spec("b"), other]))
    moved = {"moved/develop/zlib/specs.md": pages_of([spec("p")])["_cache/develop/zlib/specs.md"]}
    bad = {"_cache/v1/zlib/specs.md": "gone\n"}
    write_files(tmp_path / "new", pages_of([other]) | moved | bad)
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert found_in(report) == {"e4s": {"rebuilt": 1}}


@pytest.mark.parametrize("side", ["old", "new"])
def test_a_second_page_of_a_package_is_bad(side: str, example: Path) -> None:
    write_files(example / side, {"other/zlib.md": page_around("[]") + "\n"})
    status, out, err = run_cli("-C", example, "old", "new")
    assert (status, out) == (2, "")
    assert err.startswith(
        f"snapdiff: error: other/zlib.md ({side}): package zlib of tag develop is already in "
        "_cache/develop/zlib/specs.md; "
    )


def two_weeks(version: str) -> dict[str, bytes]:
    """Data of a site in two folders, which list the same stack."""
    data = site_data([Item("zlib", version)], {"zlib": (["e4s"], ["develop"])})
    names = ("specs_data.json", "package_data.json")
    files = {name: to_bytes(text) for name, text in zip(names, data, strict=True)}
    return {f"{week}/{name}": text for week in ("a", "b") for name, text in files.items()}


def test_what_is_wrong_with_a_document_on_both_sides_is_one_fault(tmp_path: Path) -> None:
    write_files(tmp_path / "old", two_weeks("1.2"))
    write_files(tmp_path / "new", two_weeks("1.3"))
    assert refused("-C", tmp_path, "old", "new") == (
        "b/specs_data.json (old) and (new): stack e4s of tag develop is already in "
        "a/specs_data.json; correct it, or leave it out with --skip-bad-pages\n"
    )


def test_two_weeks_of_a_site_that_are_as_in_git_have_no_fault(tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    repository.commit(two_weeks("1.2"))
    assert run_json("-C", tmp_path)["tags"] == []


@pytest.mark.parametrize("arguments", [["HEAD~1", "HEAD"], ["changelog", "HEAD~1..HEAD"]])
def test_a_copy_of_a_tag_is_no_new_tag(arguments: list[str], tmp_path: Path) -> None:
    repository = GitRepository(tmp_path)
    pages = pages_of([spec("b"), spec("c", tag="v1.0")])
    repository.commit(pages)
    repository.commit(pages | {f"backup/{path}": page for path, page in pages.items()})
    command = arguments[:-1] if arguments[0] == "changelog" else []
    status, out, err = run_cli(*command, "-C", tmp_path, *arguments[len(command) :])
    assert (status, out) == (2, "")
    for tag in ("develop", "v1.0"):
        assert f"backup/_cache/{tag}/zlib/specs.md" in err
        assert f"package zlib of tag {tag} is already in _cache/{tag}/zlib" in err
    same = run_cli("-C", tmp_path, "HEAD~1", "HEAD", "--skip-bad-pages", "-q", "-f", "json")
    assert json.loads(same.out)["tags"] == []


@pytest.mark.parametrize("bad", ["_cache/develop/zlib/specs.md", "_cache/develop/zoo/specs.md"])
@pytest.mark.parametrize("side", ["old", "new"])
def test_where_a_tag_has_a_bad_page_its_other_bad_pages_are_told_too(
    side: str, bad: str, tmp_path: Path
) -> None:
    """Even one that is the same on both sides: no other page of the tag differs."""
    same = "_cache/develop/zstd/specs.md"
    for folder in ("old", "new"):
        write_files(tmp_path / folder, pages_of([spec("b")]) | {same: "gone\n"})
    write_files(tmp_path / side, {bad: "gone\n"})
    report = json.loads(run_cli("-C", tmp_path, "--skip-bad-pages", "-fjson", "old", "new").out)
    assert [(page["side"], page["path"]) for page in report["skipped"]] == [
        (side, bad),
        ("old", same),
        ("new", same),
    ]
    reason = "line 1: no front matter; a page begins with a line '---'"
    assert {page["error"] for page in report["skipped"]} == {reason}
    assert report["tags"] == []


@pytest.mark.parametrize(("old", "new"), [("good", "bad"), ("bad", "good")])
def test_a_tag_that_only_a_bad_page_could_name_has_neither_come_nor_gone(
    old: str, new: str, tmp_path: Path
) -> None:
    [page] = pages_of([spec("b")]).values()
    others = pages_of([spec("c", package="cmake", tag="v1.0")])
    write_files(tmp_path / "good", {"pages/zlib/specs.md": page} | others)
    write_files(tmp_path / "bad", {"pages/zlib/specs.md": "gone\n"} | others)
    report = run_cli("-C", tmp_path, "--skip-bad-pages", "-q", "-f", "json", old, new)
    assert json.loads(report.out)["tags"] == []


PAGE = "_cache/develop/zlib/specs.md"
NO_FILE = "is not a regular file"
IN_A_LINK = "is in a folder that is a symbolic link, and links are not followed"

RUNS: dict[str, list[tuple[str, ...]]] = {
    "folders": [("1", "2"), ("2", "1")],
    "working tree": [("HEAD~1",)],
    "revisions": [("HEAD~1", "HEAD"), ("HEAD", "HEAD~1")],
    "mixed": [("../days/1", "HEAD"), ("HEAD", "../days/1")],
    "snapshots": [("changelog", ".")],
    "history": [("changelog", "HEAD~1..HEAD")],
}
"""How a comparison is asked for: of the page with what came in its place, then the other way."""


@pytest.mark.parametrize("kind", RUNS)
@pytest.mark.parametrize(
    ("path", "reason"),
    [(PAGE, NO_FILE), ("_cache/develop/zlib.md", NO_FILE), (PAGE, IN_A_LINK)],
)
def test_what_is_in_the_place_of_a_page_is_a_bad_page(
    path: str, reason: str, kind: str, tmp_path: Path
) -> None:
    page = usual_page([spec("b")])
    days = tmp_path / "days"
    for name in ("1", "2"):
        write_files(days / name, pages_of([spec("c", package="cmake")]))
    write_files(days / "1", {path: page})
    if reason == NO_FILE:
        write_files(days / "2", {f"{path}/x.txt": "not a page"})
    else:
        write_files(tmp_path / "elsewhere", {"specs.md": page})
        (days / "2" / path).parent.symlink_to(tmp_path / "elsewhere")
    folder = days
    if kind not in ("folders", "snapshots"):
        repository = GitRepository(folder := tmp_path / "catalog")
        for name in ("1", "2"):
            shutil.rmtree(folder / "_cache", ignore_errors=True)
            shutil.copytree(days / name, folder, symlinks=True, dirs_exist_ok=True)
            repository.git("add", "--all")
            repository.git("commit", "--quiet", f"--message={name}")
    for side, names in zip(("new", "old"), RUNS[kind], strict=False):
        said = refused(*names, "-C", folder, "-q")
        where = {"snapshots": "in 2", "history": "in "}.get(kind, f"({side})")
        assert said.startswith(f"{path} {where}")
        assert f": {reason}; " in said
        skipping = run_cli(*names, "-C", folder, "-q", "-f", "json", "--skip-bad-pages")
        assert skipping.status == 0
        report = json.loads(skipping.out)
        [report] = report if names[0] == "changelog" else [report]
        assert (len(report["skipped"]), report["tags"]) == (1, [])


def test_a_folder_that_is_called_as_a_page_and_was_none_is_searched(tmp_path: Path) -> None:
    pages = pages_of([spec("c", package="cmake")])
    inner = {f"_cache/develop/specs.md/{name}": "x" for name in ("a.txt", "b/c.txt")}
    write_files(tmp_path / "old", pages)
    write_files(tmp_path / "new", pages | inner)
    assert run_json("-C", tmp_path, "old", "new")["tags"] == []


def test_what_is_a_page_on_one_side_is_one_on_the_other(tmp_path: Path) -> None:
    [page] = pages_of([spec("b")]).values()
    write_files(tmp_path, {"a/develop/zlib.md": page, "b/develop/zlib.md": "# About zlib\n"})
    for sides, bad in ((("a", "b"), "new"), (("b", "a"), "old")):
        done = run_cli("-C", tmp_path, "--allow-empty", *sides)
        assert (done.status, done.out) == (2, "")
        assert f"develop/zlib.md ({bad}): line 1: no front matter" in done.err


@pytest.mark.parametrize("name", ["esc\x1b[31m", "line\nbreak", "\u202eturned"])
def test_no_text_of_a_page_reaches_the_terminal_as_a_control(name: str, tmp_path: Path) -> None:
    write_files(tmp_path / "old", {f"_cache/develop/{name}/specs.md": "gone\n"})
    write_files(tmp_path / "new", pages_of([spec("b")]))
    result = run_cli("-C", tmp_path, "old", "new")
    assert result.status == 2
    assert result.err.count("\n") == 1
    assert result.err[:-1].isprintable()


@pytest.mark.parametrize("kind", ["page", "lock"])
def test_what_did_not_change_and_cannot_be_read_is_named_whatever_it_is(
    kind: str, tmp_path: Path
) -> None:
    """A field that nothing counts is enough: of a page, and of a lock."""
    bad_lock = lock([Item("zlib", explicit=True)])
    [record] = bad_lock["concrete_specs"].values()
    record["arch"] = 5
    bad_page = usual_page([spec("b")]).replace('"os": "', '"os": 5, "x": "')
    bad: dict[str, Any] = {
        "page": {"develop/zlib/specs.md": bad_page},
        "lock": {"develop/other/spack.lock": to_bytes(bad_lock)},
    }
    locks = [lock([Item("m4", version, explicit=True)]) for version in ("1.0", "1.1")]
    changed = [{**bad[kind], "develop/cpu/spack.lock": to_bytes(found)} for found in locks]
    for name, files in zip(("old", "new"), changed, strict=True):
        write_files(tmp_path / name, files)
    done = run_cli("-C", tmp_path, "old", "new")
    [path] = bad[kind]
    assert done.status == 2
    assert f"{path} (old) and (new): " in done.err
