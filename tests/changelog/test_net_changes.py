"""A changelog that is written whole begins with what it comes to."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.helpers import pages_of, run_cli, spec, write_files
from tests.support.story import History, markdown, run_changelog

Stacks = Mapping[str, str]
"""The packages of each stack, a letter each."""


def snapshots(folder: Path, steps: Iterable[Stacks]) -> Path:
    """A folder of snapshots of pages, named 1, 2 and so on."""
    for number, stacks in enumerate(steps, 1):
        names = sorted(set("".join(stacks.values())))
        records = [
            spec(name, package=name, stacks=" ".join(it for it in stacks if name in stacks[it]))
            for name in names
        ]
        write_files(folder / str(number), pages_of(records))
    return folder


def net(text: str) -> list[str]:
    """The lines of a changelog above its first section that say what it comes to."""
    head = re.split(r"^<!--|^## ", text, flags=re.MULTILINE)[0]
    return [line for line in head.splitlines() if line.startswith("**")]


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (["az", "abz", "az"], ["**Came and went**: `b` (new in `2`, gone in `3`)"]),
        (["abz", "az", "abz"], ["**Gone and back**: `b` (gone in `2`, back in `3`)"]),
        (["abz", "az"], []),  # as the only section says
        (
            ["abz", "az", "abz", "az"],
            [
                "**Overall** in `develop/e4s`, from `1` to `4`: 3 → 2 builds",
                "**Gone, and not back**: `b` `1.0` (`4`)",
            ],
        ),
        (
            ["az", "abz", "az", "abz"],
            [
                "**Overall** in `develop/e4s`, from `1` to `4`: 2 → 3 builds",
                "**New, and still there**: `b` `1.0` (since `4`)",
            ],
        ),
        (
            ["az", "abz", "az", "abz", "az"],
            ["**Came and went**: `b` (new in `2`, gone in `3`, new in `4`, gone in `5`)"],
        ),
        (
            ["acz", "abz", "acz"],
            [
                "**Came and went**: `b` (new in `2`, gone in `3`)",
                "**Gone and back**: `c` (gone in `2`, back in `3`)",
            ],
        ),
    ],
)
def test_what_comes_and_goes_or_goes_and_comes_back_is_told_on_top(
    tmp_path: Path, steps: list[str], told: list[str]
) -> None:
    folder = snapshots(tmp_path, [{"e4s": names} for names in steps])
    assert net(markdown(folder)) == told


def test_of_several_stacks_it_is_said_where(tmp_path: Path) -> None:
    steps = [
        {"e4s": "az", "hep": "az", "ml": "abz"},
        {"e4s": "abz", "hep": "abz", "ml": "az"},
        {"e4s": "az", "hep": "az", "ml": "abz"},
    ]
    assert net(markdown(snapshots(tmp_path, steps))) == [
        "**Came and went**: `b` (`e4s`, `hep`, new in `2`, gone in `3`)",
        "**Gone and back**: `b` (`ml`, gone in `2`, back in `3`)",
    ]


def test_a_stack_that_comes_and_goes_is_no_news_of_its_packages(tmp_path: Path) -> None:
    steps: list[Stacks] = [{"e4s": "az"}, {"e4s": "az", "hep": "bz"}, {"e4s": "az"}]
    assert net(markdown(snapshots(tmp_path, steps))) == []


def test_of_environments_it_is_about_what_somebody_asked_for(tmp_path: Path) -> None:
    zlib = Item("zlib")
    for number, packages in enumerate((["git"], ["git", "app"], ["git"]), 1):
        items = [Item(name, explicit=True) for name in packages]
        if "app" in packages:
            items = [*items[:-1], zlib, Item("app", explicit=True, needs=(needs(zlib),))]
        write_files(tmp_path / str(number), {"hep/spack.lock": to_bytes(lock(items))})
    assert net(markdown(tmp_path)) == ["**Came and went**: `app` (new in `2`, gone in `3`)"]


def test_every_format_that_people_read_has_it(tmp_path: Path) -> None:
    folder = snapshots(tmp_path, [{"e4s": names} for names in ("az", "abz", "az")])
    text = run_changelog("-f", "text", folder).out
    assert text.splitlines()[4] == "Came and went: b (new in 2, gone in 3)"
    page = run_changelog("-f", "html", folder).out
    assert "<p><strong>Came and went</strong>: b (new in 2, gone in 3)</p>" in page


def test_a_file_that_is_kept_has_no_line_that_a_later_run_would_have_to_change(
    tmp_path: Path,
) -> None:
    folder = snapshots(tmp_path / "all", [{"e4s": names} for names in ("az", "abz", "az")])
    file = tmp_path / "CHANGELOG.md"
    assert run_changelog("-o", file, folder).status == 0
    assert "Came and went" not in file.read_text("utf-8")


def test_a_section_says_what_is_back_that_an_older_one_says_is_gone(tmp_path: Path) -> None:
    names = ("abz", "az", "abz", "az", "abz")
    text = markdown(snapshots(tmp_path, [{"e4s": it} for it in names]))
    back = re.findall(r"^## `(\d)`\n\n(.*) is back \(gone since `(.)`\) in", text, re.MULTILINE)
    assert back == [("5", "`b` `1.0`", "4"), ("3", "`b` `1.0`", "2")]
    file = tmp_path / "CHANGELOG.md"
    assert run_changelog("-o", file, tmp_path).status == 0
    assert "Back" not in file.read_text("utf-8")


def test_what_is_back_is_not_called_new(tmp_path: Path) -> None:
    names = ("abcgz", "agz", "abcz", "ahz", "abcdyz")
    text = markdown(snapshots(tmp_path, [{"e4s": it} for it in names]))
    newest, _, back, *_ = text.split("\n## ")[1:]
    assert "`g` is gone, `b` and `c` are back" in back
    assert "\n**Back (gone since `2`)**: `b`, `c` `1.0`\n" in back
    assert back.lower().count("back") == 2
    assert "new" not in back
    # Others are new: lines say which are back.
    assert "4 packages are new or back" in newest
    lines = "- `b`, `c` `1.0` back (gone since `4`)\n- `d`, `y` `1.0` new\n"
    assert f"\n**New or back**\n\n{lines}" in newest


def test_of_several_stacks_it_is_said_in_which_a_package_is_back(tmp_path: Path) -> None:
    steps = [{"e4s": "bgz", "hep": "bz"}, {"e4s": "gz", "hep": "z"}, {"e4s": "z", "hep": "bz"}]
    newest = markdown(snapshots(tmp_path, steps)).split("\n## ")[1]
    assert "\n**Back (gone since `2`)**: `b` `1.0` (`hep`)\n" in newest
    assert "`g` is gone, `b` is back" in newest


def test_what_is_back_with_its_stack_is_not_called_new(tmp_path: Path) -> None:
    steps = [{"e4s": "bz", "hep": "z"}, {"hep": "z"}, {"e4s": "bcz", "hep": "z"}]
    newest = markdown(snapshots(tmp_path, steps)).split("\n## ")[1]
    assert "- `b` `1.0` back (gone since `2`), in `e4s`\n- `c` `1.0` new (`e4s`)\n" in newest
    # What a stack never had is new, with a stack that went and came.
    steps = [{"e4s": "z", "hep": "z"}, {"hep": "z"}, {"e4s": "cz", "hep": "z"}]
    assert "`c` `1.0` is new (`e4s`) in" in markdown(snapshots(tmp_path / "never", steps))


def test_what_is_back_with_a_stack_is_so_since_no_stack_had_it(tmp_path: Path) -> None:
    steps = [{"e4s": "bz", "hep": "bz", "ml": "z"}, {"hep": "bz", "ml": "z"}, {"ml": "z"}]
    newest = markdown(snapshots(tmp_path, [*steps, steps[0]])).split("\n## ")[1]
    assert "`b` is back (gone since `3`)" in newest.replace("`1.0` ", "")
    # It went before its stack did.
    steps = [{"e4s": "bz", "ml": "z"}, {"e4s": "z", "ml": "z"}, {"ml": "z"}]
    newest = markdown(snapshots(tmp_path / "before", [*steps, steps[0]])).split("\n## ")[1]
    assert "(gone since `2`)" in newest


def test_dependencies_that_are_back_are_not_called_new(tmp_path: Path) -> None:
    tbb = Item("tbb", "2021")
    mkl = Item("mkl", "2023", explicit=True, needs=(needs(tbb),))
    others = [Item(f"lib{n}", explicit=True) for n in range(3)]
    for number, items in enumerate(([tbb, mkl], [], [tbb, mkl, others[0], others[1]]), 1):
        content = to_bytes(lock([*items, others[2]]))
        write_files(tmp_path / str(number), {"hep/spack.lock": content})
    back, gone = markdown(tmp_path, "-f", "text").split("\n\n3\n\n")[1].split("\n\n2\n\n")
    assert "\n\nDependencies: tbb back\n\n  tbb 2021, because of mkl" in back
    assert "  lib0, lib1 1.0 new\n  mkl 2023 back (gone since 2)\n" in back
    assert "back" not in gone.lower()


def test_a_tag_that_has_another_name_each_week_is_one(tmp_path: Path) -> None:
    for number, names in enumerate(("az", "abz", "az"), 1):
        tag = f"develop-2025-07-0{number}"
        pages = pages_of([spec(name, package=name, tag=tag) for name in names])
        write_files(tmp_path / str(number), pages)
    assert net(markdown(tmp_path)) == ["**Came and went**: `b` (new in `2`, gone in `3`)"]


def test_versions_are_those_before_all_sections_and_after_them(tmp_path: Path) -> None:
    for number, versions in enumerate(("01", "12", "13", "14"), 1):
        records = [spec("abcde"[int(it)], f"1.{it}") for it in versions]
        write_files(tmp_path / str(number), pages_of(records))
    assert net(markdown(tmp_path)) == [
        "**Other versions**: `zlib` `1.0` → `1.4`, still has `1.1` (`4`)"
    ]


@pytest.mark.parametrize("option", [("-k", "added"), ("-k", "!rebuilt")])
def test_where_not_all_is_reported_nobody_knows_what_it_comes_to(
    tmp_path: Path, option: tuple[str, str]
) -> None:
    folder = snapshots(tmp_path, [{"e4s": names} for names in ("az", "abz", "az", "acz")])
    assert net(markdown(folder)) != []
    assert net(markdown(folder, *option)) == []


def test_what_is_new_in_a_stack_that_went_is_not_still_there(tmp_path: Path) -> None:
    steps: list[Stacks] = [
        {"e4s": "az", "hep": "az"},
        {"e4s": "abz", "hep": "acz"},
        {"e4s": "abz"},
        {"e4s": "abez"},
    ]
    assert net(markdown(snapshots(tmp_path, steps))) == [
        "**New, and still there**: `b` `1.0` (`e4s`, since `2`), `e` `1.0` (`e4s`, since `4`)"
    ]


def test_a_stack_is_followed_to_its_new_name(tmp_path: Path) -> None:
    steps: list[Stacks] = [
        {"ubuntu22": "abcdz"},
        {"ubuntu22": "abcdez"},
        {"ubuntu24": "abcdez"},
        {"ubuntu24": "abcdz"},
    ]
    text = markdown(snapshots(tmp_path, steps))
    assert "compared as one: `ubuntu22` → `ubuntu24`" in text.lower()
    assert net(text) == ["**Came and went**: `e` (new in `2`, gone in `4`)"]


def versions(folder: Path, steps: Iterable[Mapping[str, str]]) -> Path:
    """A folder of snapshots of pages, each with the versions of some packages in one stack."""
    for number, packages in enumerate(steps, 1):
        records = [
            spec(f"{name}{'abcdef'[int(version[-1])]}", version, package=name)
            for name, version in packages.items()
        ]
        write_files(folder / str(number), pages_of(records))
    return folder


def test_a_new_package_has_the_version_that_it_has_now(tmp_path: Path) -> None:
    steps = [
        {"z": "1.0"},
        {"z": "1.0", "b": "1.0"},
        {"z": "1.0", "b": "1.1"},
        {"z": "1.1", "b": "1.1"},
    ]
    _, new, other = net(markdown(versions(tmp_path, steps)))
    assert new == "**New, and still there**: `b` (since `2`, now `1.1`)"
    assert other == "**Other versions**: `z` `1.0` → `1.1` (`4`)"


def test_what_is_back_with_another_version_says_both(tmp_path: Path) -> None:
    steps = [{"z": "1.0", "b": "1.2"}, {"z": "1.0"}, {"z": "1.0", "b": "1.1"}]
    [told] = net(markdown(versions(tmp_path, steps)))
    assert told == "**Gone and back**: `b` `1.2` → `1.1` (gone in `2`, back in `3`)"


def test_of_a_stack_that_came_nothing_is_said_under_its_new_name_either(tmp_path: Path) -> None:
    steps: list[Stacks] = [
        {"e4s": "az"},
        {"e4s": "az", "ubuntu22": "bcdefz"},
        {"e4s": "az", "ubuntu24": "bcdefz"},
        {"e4s": "az", "ubuntu24": "bcdez"},
    ]
    text = markdown(snapshots(tmp_path, steps))
    assert "compared as one: `ubuntu22` → `ubuntu24`" in text.lower()
    assert net(text) == []


def test_a_changelog_begins_with_what_one_report_on_its_ends_says(tmp_path: Path) -> None:
    def build(package: str, compiler: str, version: str = "1.0") -> Item:
        return Item(package, version, explicit=True, compiler=(compiler, "1.0"))

    steps = [["gcc"], ["gcc", "cce"], ["gcc", "cce", "llvm"], ["cce"]]
    for number, names in enumerate(steps, 1):
        items = [build(f"p{it}", name) for name in names for it in range(3)]
        items += [build(f"q{it}", names[0], f"{number}.{it}") for it in range(9)]
        write_files(tmp_path, {f"{number}/hpc/spack.lock": to_bytes(lock(items))})
    report = run_cli("-C", tmp_path, "1", "4", "--package-url", "").out.split("\n\n")
    assert report[1].startswith("Of 12 products, 9 are upgraded")
    told = f"{report[1][0].lower()}{report[1][1:]}"
    assert net(markdown(tmp_path))[0] == f"**Overall** in `hpc`, from `1` to `4`: {told}"
    # Of two sections anybody sees it at a glance.
    for number in (1, 2):
        (tmp_path / str(number) / "hpc" / "spack.lock").unlink()
    assert "In all" not in markdown(tmp_path, "--allow-empty")


@pytest.mark.parametrize("both", [True, False])
def test_what_is_lost_in_the_end_has_the_section_that_lost_it(tmp_path: Path, both: bool) -> None:
    mpi = [Item(name, explicit=True) for name in ("mpich", "openmpi")]
    user = Item("user", explicit=True, needs=(needs(mpi[1], "mpi"),))
    for number in range(1, 5):
        items = [*mpi, user, Item("other", f"1.{number}", explicit=True)]
        for name, last in (("a", 1), ("b", 1 if both else 2)):
            kept, lost = (Item(name, explicit=True, needs=(needs(it, "mpi"),)) for it in mpi)
            items += [kept, lost] if number <= last else [kept]
        write_files(tmp_path, {f"{number}/hpc/spack.lock": to_bytes(lock(items))})
    overall = net(markdown(tmp_path))[0]
    since = "none since `2`" if both else "none left"
    assert f"`a` and `b` lost builds with `openmpi` `1.0` ({since}), `other` is" in overall


def test_a_commit_is_called_by_its_tag(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number, names in enumerate(("az", "abz", "az", "abz"), 1):
        pages = pages_of([spec(name, package=name) for name in names])
        history.at(f"2025-07-0{number}T12:00:00Z", pages)
        history.git("tag", f"v{number}")
    history.git("tag", "also")
    text = markdown("-C", tmp_path, "v1..v4")
    assert re.findall("^## (.*?):", text, re.MULTILINE) == [
        "`also` (2025-07-04)",
        "`v3` (2025-07-03)",
        "`v2` (2025-07-02)",
    ]
    assert net(text)[1:] == ["**New, and still there**: `b` `1.0` (since `also`)"]
    assert " back (gone since `v3`)" in text
    assert re.findall(r" \((`.*)\) in ", text) == ["`also`, `v4`"], "another tag is named below"
