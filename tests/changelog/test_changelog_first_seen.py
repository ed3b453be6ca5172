"""First and last sightings, held against a slow reading of the snapshots."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from typing import Any
from unittest import mock

import pytest

from snapdiff.changelog.first_seen import Seen
from snapdiff.spack import Configuration, parse_configuration
from tests.changelog.test_changelog_laws import make_history
from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import pages_of, spec, write_files
from tests.support.oracle import Record, counting_stacks
from tests.support.story import History, markdown, run_changelog


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_version_is_seen_when_it_is_there(seed: int, tmp_path: Path) -> None:
    history, snapshots = make_history(tmp_path, seed, days=12)
    commits = history.git("rev-list", "--reverse", "HEAD").splitlines()
    seen: dict[tuple[str, str, str], dict[int, Counter[Configuration]]] = {}
    for number, records in enumerate(snapshots):
        for item in records:
            words = {name: item[name] for name in ("compiler", "os", "platform", "target")}
            configuration = parse_configuration(**words, variants=tuple(item["variants"]))
            for stack in counting_stacks(item):
                place = (item["package"], item["versions"][0], stack)
                seen.setdefault(place, {}).setdefault(number, Counter())[configuration] += 1
    rows = rows_of("-C", tmp_path, commits[0])
    found = {(row["package"], row["version"], row["stack"]): row for row in rows}
    assert found.keys() == seen.keys()
    for place, builds in seen.items():
        row, numbers = found[place], list(builds)
        first = row["first"]["commit"] if row["first"] else commits[0]
        assert first == commits[numbers[0]]
        assert row["is_gone"] == (numbers[-1] != len(snapshots) - 1)
        if row["is_gone"]:  # commits that change nothing are no sections
            ends = row["last"]["commit"], commits[numbers[-1]]
            assert len({history.git("rev-parse", f"{end}^{{tree}}") for end in ends}) == 1
        assert row["builds"] == builds[numbers[-1]].total()
        changes = [
            (commits[number], *(some.total() for some in (old, new, old - new, new - old)))
            for before, number in pairwise(range(numbers[0], numbers[-1] + 1))
            for old, new in [(builds.get(before, Counter()), builds.get(number, Counter()))]
            if old != new
        ]
        names = "commit", "old", "new", "removed", "added"
        assert [tuple(change[name] for name in names) for change in row["build_changes"]] == changes


def rows_of(*arguments: str | Path) -> list[dict[str, Any]]:
    """The sightings, as JSON has them."""
    found = json.loads(markdown(*arguments, "--first-seen", "-f", "json"))
    rows: list[dict[str, Any]] = found["seen"]
    return rows


def test_what_was_seen_in_a_folder_before_it_was_renamed_counts(tmp_path: Path) -> None:
    history = History(tmp_path)
    for folder, names in (("old", "b"), ("new", "b"), ("new", "bc")):
        records = [spec(name, f"{number}.0") for number, name in enumerate(names, 1)]
        history.commit({f"{folder}/{path}": page for path, page in pages_of(records).items()})
    rows = rows_of("-C", tmp_path, "HEAD~2:old..HEAD:new")
    added = history.git("rev-parse", "HEAD")
    assert {row["version"]: row["first"] and row["first"]["commit"] for row in rows} == {
        "1.0": None,
        "2.0": added,
    }


def weekly(folder: Path, *weeks: list[Record]) -> Path:
    """A folder of snapshots, each of which has one tag, and another one than the others."""
    for number, records in enumerate(weeks, 1):
        tag = f"develop-2025-06-{number:02}"
        pages = pages_of([record | {"tag": tag} for record in records])
        write_files(folder / f"{number}", pages)
    return folder


WEEKS = [
    [spec("b", "1.0"), spec("c", "5.0", package="openmpi")],
    [spec("d", "1.0"), spec("e", "1.1"), spec("f", "5.0", package="openmpi")],
    [spec("g", "1.1"), spec("h", "5.0", package="openmpi")],
    [spec("i", "1.0"), spec("j", "1.1"), spec("k", "5.0", package="openmpi")],
]


def test_a_tag_that_is_compared_with_its_successor_is_followed(tmp_path: Path) -> None:
    rows = rows_of(weekly(tmp_path, *WEEKS[:3]))
    assert [
        (
            row["package"],
            row["version"],
            row["tag"],
            row["first"] and row["first"]["section"],
            row["last"]["section"],
            row["is_gone"],
        )
        for row in rows
    ] == [
        ("openmpi", "5.0", "develop-2025-06-03", None, "3", False),
        ("zlib", "1.0", "develop-2025-06-03", None, "2", True),
        ("zlib", "1.1", "develop-2025-06-03", "2", "3", False),
    ]


def test_a_followed_version_that_returns_is_one_row(tmp_path: Path) -> None:
    rows = rows_of(weekly(tmp_path, *WEEKS), "-p", "zlib")
    assert [(row["version"], row["is_gone"]) for row in rows] == [("1.0", False), ("1.1", False)]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_filter_on_one_of_the_tags_follows_it(number: int, tmp_path: Path) -> None:
    rows = rows_of(weekly(tmp_path, *WEEKS[:3]), "-t", f"develop-2025-06-0{number}")
    assert rows == rows_of(tmp_path)
    assert [(row["package"], row["version"], row["is_gone"]) for row in rows] == [
        ("openmpi", "5.0", False),
        ("zlib", "1.0", True),
        ("zlib", "1.1", False),
    ]


def test_of_several_tags_those_that_nobody_asks_for_are_not_remembered(tmp_path: Path) -> None:
    for number, version in ((1, "1.0"), (2, "1.1")):
        pages = pages_of([spec("b", version, tag=tag) for tag in ("develop", "v1.0", "v1.1")])
        write_files(tmp_path / f"{number}", pages)
    with mock.patch("snapdiff.changelog.first_seen.Seen", wraps=Seen) as remembered:
        assert len(rows_of(tmp_path, "-t", "v1.*")) == 4
    assert {call.kwargs["tag"] for call in remembered.call_args_list} == {"v1.0", "v1.1"}


def test_a_tag_beside_another_one_is_not_followed(tmp_path: Path) -> None:
    released = [spec("r", "1.0", tag="v1.0")]
    for number, tag in ((1, "develop-1"), (2, "develop-2")):
        pages = pages_of([spec("bc"[number - 1], "1.0", tag=tag), *released])
        write_files(tmp_path / f"{number}", pages)
    rows = rows_of(tmp_path)
    assert [(row["tag"], row["is_gone"]) for row in rows] == [
        ("develop-1", True),
        ("develop-2", False),
        ("v1.0", False),
    ]


def test_a_tag_beside_one_without_a_spec_is_not_followed(tmp_path: Path) -> None:
    for number in (1, 2):
        locks = {f"v{number}/cpu": lock([Item("zlib", explicit=True)]), "empty/cpu": lock([])}
        files = {f"{place}/spack.lock": to_bytes(it) for place, it in locks.items()}
        write_files(tmp_path / f"{number}", files)
    found = {(row["tag"], row["is_gone"]) for row in rows_of(tmp_path)}
    assert found == {("v1", True), ("v2", False)}


def test_a_history_follows_tags_as_a_folder_does(tmp_path: Path) -> None:
    folder = weekly(tmp_path / "weeks", *WEEKS)
    history = History(tmp_path / "repository")
    for number in range(1, 5):
        files = {
            str(file.relative_to(folder / str(number))): file.read_text("utf-8")
            for file in (folder / str(number)).rglob("*.md")
        }
        history.commit(files)
    by_folder = rows_of(folder)
    by_commit = rows_of("-C", history.folder, "HEAD~3..HEAD")
    facts = [
        [[row[name] for name in ("package", "version", "tag", "stack", "is_gone")] for row in rows]
        for rows in (by_folder, by_commit)
    ]
    assert facts[0] == facts[1]


def test_a_folder_of_snapshots_has_sightings_too() -> None:
    rows = rows_of("snapshots/", "-p", "openmpi")
    assert {(row["version"], row["is_gone"]) for row in rows} >= {("5.0.7", True), ("5.0.8", False)}


def test_a_table_goes_to_a_file_by_its_name(tmp_path: Path) -> None:
    for name, beginning in (("x.md", "# First"), ("x.json", '{"seen": ['), ("x.csv", "package,")):
        result = run_changelog("snapshots/", "--first-seen", "-o", tmp_path / name)
        assert (result.status, result.out, result.err) == (0, "", "")
        assert (tmp_path / name).read_text("utf-8").startswith(beginning)


def test_a_bad_page_is_an_error(tmp_path: Path) -> None:
    history = History(tmp_path)
    bad = {"_cache/develop/bad/specs.md": "---\ntitle: x\n---\n"}
    history.commit(bad)
    history.commit(bad | {"_cache/develop/x/specs.md": "---\ntitle: x\n---\n"})
    result = run_changelog("-C", tmp_path, "HEAD~1", "--first-seen")
    assert (result.status, result.out) == (2, "")
    assert "spec_details: missing" in result.err


def test_a_page_that_is_left_out_is_named(tmp_path: Path) -> None:
    history = History(tmp_path)
    path, page = next(iter(pages_of([spec("a", "1.0", tag="develop")]).items()))
    history.commit({path: page})
    history.commit({path: "---\ntitle: x\n---\n"})
    arguments = "-C", tmp_path, "HEAD~1..HEAD", "--first-seen", "--skip-bad-pages"
    for options in ([], ["-f", "text"], ["-f", "json"], ["-f", "csv"]):
        result = run_changelog(*arguments, *options)
        assert (result.status, result.err.count("\n")) == (0, 1)
        assert result.err.startswith(f"snapdiff: warning: {path} in ")
        assert "left out: " in result.err
    [skipped] = json.loads(run_changelog(*arguments, "-q", "-f", "json").out)["skipped"]
    assert (skipped["side"], skipped["path"].partition(" in ")[0]) == ("new", path)
    assert skipped["error"]
    result = run_changelog(*arguments, "-q")
    assert result.err == ""
    assert f"\n**Pages left out**\n\n- `{path} in " in result.out


def test_a_page_that_cannot_be_read_while_its_tag_is_followed_has_what_it_had(
    tmp_path: Path,
) -> None:
    """Its place says nothing of the tag, so it is the same page under the next one."""
    for number, tag in enumerate(("develop-1", "develop-2", "develop-2"), 1):
        for package, letter in (("zlib", "a"), ("openmpi", "b")):
            [page] = pages_of([spec(letter, "1.0", tag=tag, package=package)]).values()
            is_bad = package == "zlib" and number == 2
            write_files(
                tmp_path / f"{number}", {f"{package}/specs.md": "---\n" if is_bad else page}
            )
    out = run_changelog(tmp_path, "--first-seen", "--skip-bad-pages", "-q", "-f", "json").out
    assert [
        (row["package"], row["tag"], row["first"], row["is_gone"], row["builds"])
        for row in json.loads(out)["seen"]
    ] == [("openmpi", "develop-2", None, False, 1), ("zlib", "develop-2", None, False, 1)]


def test_a_page_that_cannot_be_read_at_the_end_was_last_seen_before(tmp_path: Path) -> None:
    """It is not gone, and the newest snapshot does not have it, as far as anybody knows."""
    for number, letter in enumerate("abc", 1):
        pages = pages_of([spec(letter, "1.0"), spec(f"{letter}m", "5.0", package="openmpi")])
        if number == 3:
            pages = {path: "---\n" if "zlib" in path else it for path, it in pages.items()}
        write_files(tmp_path / f"{number}", pages)
    out = run_changelog(tmp_path, "--first-seen", "--skip-bad-pages", "-q", "-f", "json").out
    assert [
        (row["package"], row["last"]["section"], row["is_gone"]) for row in json.loads(out)["seen"]
    ] == [("openmpi", "3", False), ("zlib", "2", False)]


def test_a_version_that_was_away_was_not_there_all_the_time(tmp_path: Path) -> None:
    """Of the changes of its builds only the newest three are listed."""
    there = [spec("b", "1.0")], [spec("c", "1.0"), spec("d", "1.0", compiler="x@1")]
    other = spec("z", "2.0")
    weekly(tmp_path, [other], there[0], [other], *2 * there, [other])
    text = markdown(tmp_path, "--first-seen", "-p", "zlib")
    assert "- − `zlib` `1.0` seen from `2` to `7`, but not all the time (`e4s`)\n" in text


def counts_of_builds(folder: Path) -> list[tuple[object, ...]]:
    rows = rows_of(folder)
    return [
        (
            *(row[name] for name in ("package", "version", "is_gone", "builds")),
            *((change["section"], change["old"], change["new"]) for change in row["build_changes"]),
        )
        for row in rows
    ]


def test_a_build_that_was_lost_or_came_back_is_told(tmp_path: Path) -> None:
    """Between two snapshots no hash is the same, so builds are counted, not followed."""
    one, other = spec("a", "1.0", compiler="x@1"), spec("b", "1.0", compiler="y@1")
    again = spec("c", "1.0", compiler="x@1"), spec("d", "1.0", compiler="y@1")
    weekly(tmp_path, [one, other], [again[0]], [spec("e", "2.0")], list(again))
    assert counts_of_builds(tmp_path) == [
        ("zlib", "1.0", False, 2, ("2", 2, 1), ("3", 1, 0), ("4", 0, 2)),
        ("zlib", "2.0", True, 1),
    ]
    text = markdown(tmp_path, "--first-seen")
    builds = "0 → 2 builds in `4`; 1 → 0 builds in `3`; 2 → 1 build in `2`"
    assert text.endswith(
        "\n- ≠ `zlib` `1.0` there from the start, but not all the time (`e4s`)\n"
        f"  - {builds}\n- − `zlib` `2.0` seen only in `3` (`e4s`)\n"
    )
    rows = markdown(tmp_path, "--first-seen", "-f", "csv").splitlines()
    assert rows[0].endswith(",is_gone,builds,build_changes")
    assert rows[1].endswith(",no,2,2: 2 > 1; 3: 1 > 0; 4: 0 > 2")


def test_a_build_that_leaves_while_another_comes_is_told(tmp_path: Path) -> None:
    """The number is the same; a rebuild, or the same compiler in other words, is no other build."""
    one, other = spec("a", "1.0", compiler="gcc@=12"), spec("b", "1.0", compiler="clang@15")
    rebuilt = spec("c", "1.0", compiler="gcc@12"), spec("d", "1.0", compiler="llvm@15")
    moved = spec("e", "1.0", compiler="gcc@12"), spec("f", "1.0", compiler="gcc@13")
    again = spec("g", "1.0", compiler="gcc@13"), spec("h", "1.0", compiler="gcc@14")
    weekly(tmp_path, [one, other], list(rebuilt), list(moved), list(again))
    rows = rows_of(tmp_path)
    assert [
        tuple(change[name] for name in ("section", "old", "new", "removed", "added"))
        for change in rows[0]["build_changes"]
    ] == [("3", 2, 2, 1, 1), ("4", 2, 2, 1, 1)]
    text = markdown(tmp_path, "--first-seen")
    assert text.endswith(
        "\n\nOf 1 version in `develop-2025-06-04`, none came or went between `1` and `4`."
        "\n\n1 version got or lost builds:"
        "\n\n- ≠ `zlib` `1.0`: 2 → 2 builds in `4` (1 removed, 1 added); "
        "2 → 2 builds in `3` (1 removed, 1 added) (`e4s`)\n"
    )
    lines = markdown(tmp_path, "--first-seen", "-f", "csv").splitlines()
    assert lines[1].endswith(",no,2,3: 2 > 2 (-1 +1); 4: 2 > 2 (-1 +1)")


def test_builds_of_two_documents_of_a_stack_are_one_number(tmp_path: Path) -> None:
    """A file that goes leaves the builds that another one lists."""
    history = History(tmp_path)
    here, there = (pages_of([spec(name, "1.0", tag="develop")]) for name in "ab")
    [(path, page)], [(_, other)] = here.items(), there.items()
    moved = path.replace("zlib", "elsewhere")
    for files in ({path: page, moved: other}, {path: page}, {path: page, moved: other}):
        history.commit(files)
    rows = rows_of("-C", tmp_path, "HEAD~2..HEAD", "--skip-bad-pages")
    assert [(row["is_gone"], row["builds"]) for row in rows] == [(False, 2)]
    assert [(it["old"], it["new"]) for it in rows[0]["build_changes"]] == [(2, 1), (1, 2)]


STORY = """\
First seen

Of 26 versions in develop, 3 came or went in some stacks between 1 and 3.

  + openmpi 5.0.8 first seen in 2 (e4s-neoverse-v2, e4s-oneapi,
      e4s-rocm-external)
  − petsc 3.22 there from the start, last seen in 2 (e4s)
    - 2 → 1 build in 2
  − petsc 3.23 seen only in 2 (e4s)

1 version got or lost builds in some stacks:

  ≠ hdf5 1.14: 1 → 2 builds in 3 (e4s)
"""


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """Three snapshots: a few versions came or went, 22 were there all the time."""
    stay = [spec(f"s{letter}", f"1.{number}") for number, letter in enumerate(ascii_lowercase[:22])]
    mpi = spec("m", "5.0.8", package="openmpi")
    mpi |= {"stacks": ["e4s-neoverse-v2", "e4s-oneapi", "e4s-rocm-external"]}
    hdf5, other = (
        spec(letter, "1.14", package="hdf5", compiler=f"{compiler}@12")
        for letter, compiler in (("h", "gcc"), ("i", "clang"))
    )
    old, older = (
        spec(letter, "3.22", package="petsc", compiler=f"{compiler}@12")
        for letter, compiler in (("p", "gcc"), ("q", "clang"))
    )
    passing = spec("r", "3.23", package="petsc")
    for name, records in {
        "1": [*stay, hdf5, old, older],
        "2": [*stay, hdf5, old, mpi, passing],
        "3": [*stay, hdf5, other, mpi],
    }.items():
        pages = pages_of([record | {"tag": "develop"} for record in records])
        write_files(tmp_path / name, pages)
    return tmp_path


def test_what_came_or_went_is_first_and_what_stayed_is_counted(
    story: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snapdiff.reports.terminal.PLAIN_WIDTH", 80)
    done = run_changelog(story, "--first-seen", "-f", "text")
    assert (done.status, done.err) == (0, "")
    rest = "22 versions there from the start in some stacks, with the same builds"
    assert done.out == f"{STORY}\n{rest} (--detail\nlists them)\n"
    done = run_changelog(story, "--first-seen", "-f", "text", "--detail")
    names = ", ".join(f"zlib 1.{number}" for number in range(22))
    beginning, _, listed = done.out.partition(f"\n{rest}:\n\n")
    assert (beginning, " ".join(listed.split())) == (STORY, f"{names} (e4s)")


def test_markdown_folds_what_stayed(story: Path) -> None:
    names = ", ".join(f"`zlib` `1.{number}`" for number in range(22))
    rest = "22 versions there from the start in some stacks, with the same builds"
    assert markdown(story, "--first-seen").endswith(
        f"\n<details><summary>{rest}</summary>\n\n- {names} (`e4s`)\n\n</details>\n"
    )
