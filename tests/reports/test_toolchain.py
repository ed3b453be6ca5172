"""The lines of what everything stands on: each version in the words that packages have."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as replace_fields

from snapdiff import CatalogDiff, render_report
from snapdiff.reports import ReportOptions
from tests.reports.test_news import diff_of, numbered
from tests.support.documents import Item, lock, needs, to_bytes
from tests.support.environments import write_locks
from tests.support.helpers import run_cli, run_json, spec, write_files
from tests.support.oracle import Record

FOLDER = Path(__file__).resolve().parents[1] / "support" / "toolchains"
LISTED = ("--template-folder", str(FOLDER))
"""Lists the toolchain whatever the lines of packages say."""

STEPS = {
    "the only other version": ("3.10.12", "3.11.6", "3.10.12 → 3.11.6"),
    "one that stays": ("12.1.1 11.8.0", "12.2.1 11.8.0", "12.1.1 → 12.2.1, still has 11.8.0"),
    "several, each in its series": (
        "3.10.12 3.8.17 3.7.17",
        "3.11.6 3.10.13 3.8.18",
        "3.11.6 new, 3.10.12 → 3.10.13, 3.8.17 → 3.8.18, 3.7.17 gone",
    ),
    "of very many steps the first": (
        " ".join(f"{number}.1" for number in range(1, 1001)),
        " ".join(f"{number}.2" for number in range(1, 1001)),
        ", ".join(f"{number}.1 → {number}.2" for number in range(1000, 994, -1)) + " and 994 more",
    ),
    "several of no series, the highest first": (
        "3.1 2.1 1.1",
        "5.0 4.0",
        "3.1, 2.1 and 1.1 → 5.0 and 4.0",
    ),
    "one for two, of which one is older": (
        "3.26.3",
        "3.27.7 3.20.6",
        "3.26.3 → 3.27.7, 3.20.6 new",
    ),
    "only more": ("3.11.6", "3.11.6 3.12.1", "3.12.1 added beside 3.11.6"),
    "only fewer": ("3.11.6 3.12.1", "3.11.6", "3.12.1 gone, only 3.11.6 left"),
    "none before": ("", "3.11.6", "3.11.6 new"),
    "none now": ("3.11.6 3.8.17", "", "3.11.6 and 3.8.17 gone"),
    "of very many the highest": (
        "1.0",
        " ".join(f"{number}.0" for number in range(2, 1002)),
        "1.0 → 1001.0, 1000.0, 999.0, 998.0, 997.0, 996.0 and 994 more",
    ),
}


def records(side: str, python: str, others: str) -> list[Record]:
    """A stack with these versions of python, and five packages of versions that begin so."""
    versions = [("python", version) for version in python.split()]
    versions += [(f"p{number}", f"{others}.{number}") for number in range(5)]
    return [
        spec(f"{side}{numbered(number)}", version, package=name)
        for number, (name, version) in enumerate(versions)
    ]


def toolchain(text: str) -> list[str]:
    """The lines of what everything stands on, each in one piece."""
    if only := re.search("\nToolchain: ((?:.+\n)+)", text):
        return [only[1].strip().replace("\n", " ")]
    lines = text.partition("\nToolchain\n\n")[2].partition("\n\n")[0].replace("\n      ", " ")
    return [line.strip() for line in lines.splitlines()]


def beside_the_toolchain(text: str) -> str:
    """What is said of other dependencies: how many there are, and their lines."""
    return text.partition("\nDependencies beside the toolchain: ")[2].partition("\nToolchain\n")[0]


def listed(diff: CatalogDiff) -> str:
    """The toolchain whatever the lines of packages say, on lines that nothing breaks."""
    return render_report(diff, "text", ReportOptions(templates=FOLDER, width=5000))


@pytest.mark.parametrize("name", STEPS)
def test_the_toolchain_says_versions_as_lines_of_packages_do(name: str) -> None:
    old, new, expected = STEPS[name]
    text = listed(diff_of(records("o", old, "1.0"), records("n", new, "2.0")))
    assert toolchain(text) == [f"python {expected}", "same versions as before: gcc 12.3.0"]


def test_a_compiler_that_many_specs_changed_with_is_told_with_them_alone(tmp_path: Path) -> None:
    def items(version: str, of_mpi: str) -> list[Item]:
        gcc = ("gcc", version)
        mpi = Item("openmpi", of_mpi, compiler=gcc)
        apps = [
            Item(f"app{it}", compiler=gcc, explicit=True, needs=(needs(mpi),)) for it in range(12)
        ]
        libs = [Item(f"lib{it}", f"{it}.{of_mpi}", compiler=gcc, explicit=True) for it in range(6)]
        return [mpi, *apps, *libs]

    sides = write_locks(tmp_path, items("12.3.0", "4.1"), items("13.1.0", "4.2"))
    told = ["compiler gcc@12.3.0 → gcc@13.1.0", "openmpi 4.1 → 4.2"]
    assert toolchain(run_cli(*sides, *LISTED, "-f", "text").out) == told


def test_what_became_of_a_tool_is_said_once_for_all_stacks() -> None:
    sides: tuple[list[Record], list[Record]] = [], []
    for stack, *versions in (
        ("a", "3.8.17 3.7.17", "3.8.18"),
        ("b", "3.8.17", "3.8.18 3.11.6"),
        ("c", "", "3.11.6"),
    ):
        for number, (side, texts) in enumerate(zip(sides, versions, strict=True)):
            found = records(f"{stack}{'og'[number]}", texts, f"{number + 1}.0")
            side += [item | {"stacks": [stack]} for item in found]
    text = listed(diff_of(*sides))
    words = "python 3.11.6 new (all but a); 3.8.17 → 3.8.18 (all but c); 3.7.17 gone (a)"
    assert toolchain(text) == [words, "same versions as before: gcc 12.3.0"]


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ([Item("a", explicit=True)], "llvm 14.0.6 → 17.0.6; same versions as before: gcc 12.3.0"),
        ([], "gcc 12.3.0 new; llvm 14.0.6 → 17.0.6"),
    ],
)
def test_what_unchanged_specs_are_compiled_with_is_not_new(
    tmp_path: Path, kept: list[Item], expected: str
) -> None:
    """Of the specs that changed none was built with gcc before."""
    old = [
        Item(f"p{number}", f"{number}.0", compiler=("llvm", "14.0.6"), explicit=True)
        for number in range(6)
    ]
    new = [replace(it, version=f"{it.version}.1", compiler=("llvm", "17.0.6")) for it in old]
    new.append(Item("b", explicit=True))
    for name, items in (("old", old), ("new", new)):
        write_files(tmp_path, {f"{name}.lock": to_bytes(lock([*kept, *items]))})
    out = run_cli("-C", tmp_path, "old.lock", "new.lock", "-f", "text", *LISTED).out
    assert "; ".join(toolchain(out)) == expected


def test_what_the_toolchain_tells_is_not_told_again_unless_a_build_was_lost(
    tmp_path: Path,
) -> None:
    def items(python: str, openblas: str, zlib: str) -> list[Item]:
        tools = [Item("python", python), Item("openblas", openblas), Item("zlib", zlib)]
        users = [
            Item(f"p{n}", f"{n}.{zlib}", explicit=True, needs=tuple(map(needs, tools)))
            for n in range(5)
        ]
        return [*tools, *users]

    builds = [
        Item("openblas", "0.3.23"),
        Item("openblas", "0.3.23", parameters={"threads": "openmp"}),
    ]
    roots = [
        Item(name, explicit=True, needs=(needs(it),)) for name, it in zip("ab", builds, strict=True)
    ]
    old, new = write_locks(
        tmp_path,
        [*items("3.10.12", "0.3.24", "1.2"), *builds, *roots],
        [*items("3.11.6", "0.3.25", "1.3"), builds[0], roots[0]],
    )
    text = run_cli(old, new, "-f", "text").out
    assert "python 3.10.12 → 3.11.6" in toolchain(text)
    dependencies = beside_the_toolchain(text)
    assert dependencies.startswith("openblas lost builds, zlib upgraded to 1.3\n")
    assert "zlib 1.2 → 1.3" in dependencies
    assert "openblas" in dependencies
    assert "python" not in dependencies


def test_a_step_of_the_toolchain_says_below_what_needs_it(tmp_path: Path) -> None:
    def items(python: str, version: str, *names: str) -> list[Item]:
        tool = Item("python", python)
        users = (
            Item(name, f"{number}.{version}", explicit=True, needs=(needs(tool),))
            for number, name in enumerate(names)
        )
        return [tool, *users]

    old, new = write_locks(
        tmp_path, items("3.11.4", "1.0", *"abcdef"), items("3.10.8", "1.1", *"abcdef", "app")
    )
    text = run_cli(old, new, "-f", "text").out
    assert "  python 3.11.4 → 3.10.8, needed by app\n" in text
    assert not toolchain(text)  # that is all there is to say
    text = run_cli(old, new, "-f", "text", *LISTED).out
    assert "python 3.11.4 → 3.10.8" in toolchain(text)


def test_the_toolchain_leaves_out_no_step(tmp_path: Path) -> None:
    for folder, patch, version in (("old", 0, "1.0"), ("new", 7, "1.1")):
        for number in range(9):
            tool = Item("python", f"3.{number}.{patch}")
            users = [
                Item(name, f"{it}.{version}", explicit=True, needs=(needs(tool),))
                for it, name in enumerate("abcdef")
            ]
            content = to_bytes(lock([tool, *users]))
            write_files(tmp_path, {f"{folder}/env{number}/spack.lock": content})
    page = run_cli(tmp_path / "old", tmp_path / "new", "-f", "markdown").out
    [line] = [line for line in page.splitlines() if line.startswith("- `python` ")]
    assert [number for number in range(9) if f"`3.{number}.7`" not in line] == []


@pytest.mark.parametrize(
    ("kept", "arguments", "told"),
    [
        (3, (), " (13 of 16 builds)"),
        (0, (), ""),
        # Nothing says how many kept theirs.
        (3, ("-k", "reconfigured"), " (12 builds)"),
        (3, ("--explicit",), " (13 builds)"),
    ],
)
def test_a_compiler_that_some_specs_kept_is_told_with_how_many_moved(
    tmp_path: Path, kept: int, arguments: tuple[str, ...], told: str
) -> None:
    def items(compiler: str, version: str) -> list[Item]:
        moved = [Item(f"app{it}", compiler=("gcc", compiler), explicit=True) for it in range(12)]
        upgraded = Item("lib", version, compiler=("gcc", compiler), explicit=True)
        return [*moved, upgraded, *(Item(f"tool{it}", explicit=True) for it in range(kept))]

    files = write_locks(tmp_path, items("12.3.0", "1.0"), items("13.1.0", "1.1"))
    lines = run_cli(*files, "-f", "markdown", *arguments).out.splitlines()
    [line] = [it for it in lines if "`gcc@13.1.0`" in it and "Toolchain" in it]
    assert line == f"**Toolchain**: compiler `gcc@12.3.0` → `gcc@13.1.0`{told}"


def test_beside_what_moved_as_a_whole_the_compilers_of_a_few_packages_are_told() -> None:
    """Else one would think that all of these are as before."""

    def side(letter: str, os: str, compiler: str) -> list[Record]:
        moved = [(f"{n}", "1.0", {"os": os, "stacks": "whole"}) for n in range(4)]
        some = [(f"c{n}", "1.0", {"compiler": compiler, "stacks": "some"}) for n in range(2)]
        one = [("d", "1.0", {"compiler": compiler, "stacks": "one"})]
        ups = [(f"up{n}", f"{n}.{letter}", {"stacks": "some"}) for n in "12"]
        every = enumerate([*moved, *some, *one, *ups])
        return [
            spec(f"{letter}{numbered(number)}", version, package=name, **fields)
            for number, (name, version, fields) in every
        ]

    for old_os, told in (
        (
            "ubuntu20.04",
            [
                "  os ubuntu20.04 → ubuntu22.04 (whole)",
                "  compiler gcc@11.4.0 → gcc@12.3.0 (2 of 4 builds in some)",
            ],
        ),
        ("ubuntu22.04", []),  # their own lines say it
    ):
        old, new = side("2", old_os, "gcc@11.4.0"), side("3", "ubuntu22.04", "gcc@12.3.0")
        lines = render_report(diff_of(old, new), "text", ReportOptions(width=100)).splitlines()
        below = lines[lines.index("Toolchain") + 2 :] if told else []
        assert below[:2] == told
        assert ("Toolchain" in lines) is bool(told)


def test_of_a_dependency_that_has_another_compiler_it_is_no_move_of_the_toolchain(
    tmp_path: Path,
) -> None:
    def items(os: str, compiler: str, side: str) -> list[Item]:
        zlib = Item("zlib", compiler=("gcc", compiler))
        users = [Item(f"user{n}", explicit=True, needs=(needs(zlib),)) for n in range(3)]
        ups = [Item(f"up{n}", f"{n}.{side}", explicit=True) for n in range(3)]
        moved = [Item(f"os{n}", os=os, explicit=True) for n in range(12)]
        return [zlib, *users, *ups, *moved]

    sides = items("ubuntu20.04", "12.3.0", "1"), items("ubuntu22.04", "13.1.0", "2")
    lines = run_cli(*write_locks(tmp_path, *sides), "-f", "text").out.splitlines()
    assert "Toolchain: os ubuntu20.04 → ubuntu22.04 (12 of 19 builds)" in lines


def test_a_part_that_one_package_needs_alone_is_new_because_of_it(tmp_path: Path) -> None:
    cuda = Item("cuda", "11.8.0")
    libs = {it: [Item(f"lib{n}", f"{n}.{it}", explicit=True) for n in range(6)] for it in "12"}
    app = Item("app", explicit=True, needs=(needs(cuda),))
    other = Item("other", explicit=True, needs=(needs(cuda),))
    for name, users in (("one", [app]), ("two", [app, other])):
        sides = write_locks(tmp_path / name, libs["1"], [*libs["2"], cuda, *users])
        lines = toolchain(run_cli(*sides, "-f", "text").out)
        assert lines[0] == "cuda 11.8.0 new" + (", because of app" if name == "one" else "")


def test_a_page_of_several_tags_has_the_lines_of_each() -> None:
    [tag] = (diff := diff_of(records("a", "3.8.17 3.7.17", "1"), records("b", "3.8.18", "2"))).tags
    both = replace_fields(diff, tags=(tag, replace_fields(tag, old="v1.0", new="v2.0")))
    text = render_report(both, "html").partition("Package by package")[0]
    assert re.findall("<h3>([^<]*)|(python [^<]*)<", text) == [
        *(("develop", ""), ("Toolchain", ""), ("", "python 3.8.17 → 3.8.18, 3.7.17 gone")),
        *(("v1.0 → v2.0", ""), ("Toolchain", ""), ("", "python 3.8.17 → 3.8.18, 3.7.17 gone")),
    ]


def test_what_everything_stands_on_is_known_to_be_as_before_where_locks_list_it(
    tmp_path: Path,
) -> None:
    mpi, cudas = Item("openmpi", "4.1.6"), [Item("cuda", it) for it in ("11.8.0", "12.2.1")]
    libs = {it: [Item(f"lib{n}", f"{n}.{it}", explicit=True) for n in range(6)] for it in "12"}
    below = (
        [mpi, Item("python", "3.10.1"), *cudas],
        [mpi, Item("python", "3.11.1"), *cudas, Item("hip", "6.0")],
    )
    users = [Item("user", explicit=True, needs=tuple(map(needs, some))) for some in below]
    sides = write_locks(
        tmp_path, [*below[0], users[0], *libs["1"]], [*below[1], users[1], *libs["2"]]
    )
    assert toolchain(run_cli(*sides, "-f", "text").out) == [
        "hip 6.0 new, because of user (now depends on hip)",
        "python 3.10.1 → 3.11.1",
        "same versions as before: gcc 12.3.0, openmpi 4.1.6, cuda 12.2.1 and 11.8.0",
    ]
    [stack] = run_json(*sides)["tags"][0]["stacks"]
    assert stack["toolchain"] == {"cuda": ["11.8.0", "12.2.1"], "openmpi": ["4.1.6"]}
    # What is not compared, and what a page does not list, is not known.
    assert "toolchain" not in run_json(*sides, "-p", "python")["tags"][0]["stacks"][0]
    text = listed(diff_of(records("o", "3.8", "1.0"), records("n", "3.9", "2.0")))
    assert toolchain(text) == ["python 3.8 → 3.9", "same versions as before: gcc 12.3.0"]


def test_what_a_page_does_not_say_of_unchanged_specs_is_no_news_of_compilers() -> None:
    """What did not change is not read again: it may be built with any compiler."""

    def side(number: str, compiler: str) -> list[Record]:
        some = records("on"[int(number) - 1], "3.1" + number, f"1.{number}")
        return [it | {"compiler": compiler} for it in some]

    kept = [spec("k", package="kept")]
    old, new = side("1", "gcc@11.4.0"), side("2", "gcc@12.3.0")
    for more, told in (([], ["gcc 11.4.0 → 12.3.0"]), (kept, [])):
        text = listed(diff_of([*more, *old], [*more, *new]))
        assert toolchain(text) == [*told, "python 3.11 → 3.12"]
    # Nor is it as before in one stack where another one may have more of its versions.
    some, others = (
        [it | {"stacks": ["known"]} for it in records(side, version, version)]
        for side, version in (("p", "3.8"), ("q", "3.9"))
    )
    for more, same in (([], ["same versions as before: gcc 12.3.0"]), ([*kept, *old], [])):
        sides = [*some, *more], [*others, *(more and [*kept, *new])]
        lines = toolchain(listed(diff_of(*sides)))
        assert [line for line in lines if "as before" in line] == same


def built_with(mpi: str, *users: Item) -> list[Item]:
    """A stack with two MPIs, builds, and four roots of another version for each of the MPIs."""
    libs = [Item(f"lib{n}", f"{n}.{'12'[mpi == 'mpich']}", explicit=True) for n in range(9)]
    return [*MPIS.values(), *users, *libs]


MPIS = {name: Item(name, "4.1", explicit=True) for name in ("openmpi", "mpich")}
MPIS["openmpi 5"] = Item("openmpi", "5.0", explicit=True)


def user(mpi: str, number: int = 1, name: str = "user", compiler: str = "gcc") -> Item:
    """A root of one MPI and compiler; builds of one name differ in a variant."""
    return Item(
        name,
        explicit=True,
        parameters={"number": str(number)},
        compiler=(compiler, "13.1.0"),
        needs=(needs(MPIS[mpi], "mpi"),),
    )


SECOND = {version: replace(user("mpich", 4), version=version) for version in ("2.0", "2.1")}


def test_a_package_without_a_build_of_an_mpi_or_compiler_that_is_still_there_is_told(
    tmp_path: Path,
) -> None:
    other = user("openmpi", 3, name="other", compiler="llvm")
    old = [user("openmpi"), user("mpich", 2, compiler="llvm"), user("mpich", name="alone"), other]
    new = [user("mpich"), user("mpich", 2, compiler="gcc"), user("openmpi", name="alone"), other]
    sides = write_locks(tmp_path, built_with("openmpi", *old), built_with("mpich", *new))
    out = run_cli(*sides, "-f", "text").out
    # Of a package of one build its line says it.
    assert " user has no build with llvm any more, and none with openmpi." in out.replace("\n", " ")
    assert out.count("no build") == 1
    changes = run_json(*sides)["tags"][0]["stacks"][0]["package_changes"]
    [told] = [it["no_longer_with"] for it in changes if "no_longer_with" in it]
    llvm, gcc = ({"what": "compiler", "name": None, "value": it} for it in ("llvm", "gcc@13.1.0"))
    openmpi = {"what": "dependency", "name": "openmpi", "value": None}
    assert told == [
        {"trait": llvm, "specs": 1},
        {"trait": openmpi, "specs": 1, "also": gcc},
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        # Of two versions its line tells one alone.
        (
            [user(it) for it in MPIS],
            [user("mpich"), user("mpich", 2)],
            "with openmpi 4.1 (none left)",
        ),
        # Of builds of a version that stays its line tells how many alone.
        (
            [user("openmpi"), user("openmpi", 2), user("mpich", 3), SECOND["2.0"]],
            [user("mpich", 3), SECOND["2.1"]],
            "with openmpi 4.1 (none left)",
        ),
        ([user("openmpi"), user("mpich", 3)], [user("mpich", 3)], "with openmpi"),
    ],
)
def test_what_the_line_of_a_package_says_of_lost_builds_is_no_item(
    tmp_path: Path, old: list[Item], new: list[Item], words: str
) -> None:
    other = user("openmpi", name="other")
    sides = write_locks(
        tmp_path, built_with("openmpi", *old, other), built_with("mpich", *new, other)
    )
    out = run_cli(*sides, "-f", "text").out.replace("\n", " ")
    assert words in out
    assert ("no build" in out) is ("no build" in words)


def test_the_first_sentence_says_what_products_lost_all_builds_with(tmp_path: Path) -> None:
    other, left = user("openmpi", name="other"), Item("left", explicit=True)
    for names in (("user",), ("user", "second"), ("user", "second", "third")):
        before = [user("openmpi", n, name=it) for it in names for n in (1, 2)]
        after = [user("mpich", n, name=it) for it in names for n in (1, 3)]
        sides = write_locks(
            tmp_path,
            built_with("openmpi", *before, other, left),
            built_with("openmpi", *after, other),
        )
        words = run_cli(*sides, "-f", "text", "--stat").out.split("\n\n")[1].replace("\n", " ")
        who = ["user has", "second and user have", "second, third, user have"]
        assert f". {who[len(names) - 1]} no build with openmpi any more." in words


def test_what_a_line_says_of_one_stack_is_not_said_of_another(tmp_path: Path) -> None:
    other = user("openmpi", name="other")
    a = [user("openmpi"), user("mpich", 2)], [user("mpich", 2)]
    b = [user("openmpi"), user("openmpi", 2)], [user("mpich"), user("mpich", 2)]
    for side, number in (("old", 0), ("new", 1)):
        files = {
            f"{name}/spack.lock": to_bytes(
                lock(built_with(("openmpi", "mpich")[number], *some[number], other))
            )
            for name, some in (("a", a), ("b", b))
        }
        write_files(tmp_path / side, files)
    out = run_cli(tmp_path / "old", tmp_path / "new", "-f", "text").out
    assert "In both environments no build with openmpi is left of user." in out.replace("\n", " ")


def test_more_packages_than_a_sentence_names_have_an_item(tmp_path: Path) -> None:
    names = [f"user{number}" for number in range(7)]
    other = user("openmpi", name="other")
    old = [user("openmpi", name=it) for it in names] + [user("mpich", 2, name=it) for it in names]
    new = [user("mpich", name=it) for it in names] + [user("mpich", 2, name=it) for it in names]
    more = [Item(f"lib{number}", f"{number}.5", explicit=True) for number in range(9)]
    sides = write_locks(
        tmp_path, built_with("openmpi", *old, other), built_with("openmpi", *new, *more, other)
    )
    out = run_cli(*sides, "-f", "text").out.replace("\n      ", " ").replace("\n", " ")
    assert " 7 products have no build with openmpi any more." in out
    assert f"No build left with openmpi: {', '.join(names)}" in out


def test_an_mpi_that_left_the_stack_is_no_mpi_that_a_package_has_no_build_of(
    tmp_path: Path,
) -> None:
    libs = [Item(f"lib{n}", explicit=True) for n in range(2)]
    sides = write_locks(
        tmp_path,
        [MPIS["openmpi"], user("openmpi"), user("openmpi", 2), *libs],
        [MPIS["mpich"], user("mpich"), user("mpich", 2), *libs],
    )
    assert "any more" not in run_cli(*sides, "-f", "text").out


def test_an_mpi_that_came_beside_others_says_for_which_compilers(tmp_path: Path) -> None:
    openmpi = [Item("openmpi", "4.1", compiler=(it, "13.1.0"), explicit=True) for it in ("gcc",)]
    came = [Item("mpich", "4.2", compiler=(it, "13.1.0"), explicit=True) for it in ("gcc", "llvm")]
    libs = {it: [Item(f"lib{n}", f"{n}.{it}", explicit=True) for n in range(5)] for it in "12"}
    sides = write_locks(tmp_path, [*openmpi, *libs["1"]], [*openmpi, *came, *libs["2"]])
    listed = (*sides, "-f", "text", *LISTED)
    assert toolchain(run_cli(*listed).out)[:2] == [
        "llvm 13.1.0 new",
        "mpich 4.2 new, for gcc 13.1.0, llvm 13.1.0",
    ]
    # With some kinds alone not all builds are there, and each stack has its own.
    assert "mpich 4.2 new" in toolchain(run_cli(*listed, "-k", "added,upgraded").out)
    for number, env in enumerate("ab"):
        for side, items in (("old", openmpi), ("new", [*openmpi, came[number]])):
            text = to_bytes(lock([*items, *libs["12"[side == "new"]]]))
            write_files(tmp_path / side, {f"{env}/spack.lock": text})
    out = run_cli(tmp_path / "old", tmp_path / "new", "-f", "text", *LISTED).out
    assert "mpich 4.2 new (both)" in toolchain(out)


def test_what_is_as_before_in_other_versions_elsewhere_says_where(tmp_path: Path) -> None:
    for side, number in (("old", "1"), ("new", "2")):
        files = {}
        for env, version in (("a", "11.4.0"), ("b", "9.4.0"), ("c", "11.4.0")):
            items = [
                Item(f"lib{n}", f"{n}.{number}", explicit=True, compiler=("gcc", version))
                for n in range(6)
            ]
            python = Item("python", f"3.1{number}", compiler=("gcc", version), explicit=True)
            files[f"{env}/spack.lock"] = to_bytes(lock([*items, python]))
        write_files(tmp_path / side, files)
    out = run_cli(tmp_path / "old", tmp_path / "new", "-f", "text", *LISTED).out
    assert "same versions as before: gcc 11.4.0 (all but b), 9.4.0 (b)" in toolchain(out)
    # Of a stack that is the same to the byte nothing is known.
    same = to_bytes(lock([Item("lib", explicit=True, compiler=("gcc", "7.5.0"))]))
    for side in ("old", "new"):
        write_files(tmp_path / side, {"d/spack.lock": same})
        (tmp_path / side / "b" / "spack.lock").unlink()
    out = run_cli(tmp_path / "old", tmp_path / "new", "-f", "text", *LISTED).out
    assert "same versions as before: gcc 11.4.0 (all but d)" in toolchain(out)


@pytest.mark.parametrize(
    ("old", "new", "news"),
    [
        ("gcc@12.3.0", "gcc@12.3.0", "`gcc` as before, `openmpi` `4.1` → `4.2`"),
        ("gcc@12.3.0", "gcc@13.1.0", "`gcc` `12.3.0` → `13.1.0`, `openmpi` `4.1` → `4.2`"),
        ("gcc@12 llvm@17.0.6", "gcc@12 llvm@17.0.6", "compilers as before, `openmpi` "),
        ("gcc@12.3.0", "gcc@12.3.0 llvm@17.0.6", "first builds with `llvm` `17.0.6`, `openmpi` "),
        ("none", "none", "`openmpi` `4.1` → `4.2`"),
        ("gcc@12 gcc@12 llvm@17", "gcc@12 gcc@12 none", "`gcc` as before, `openmpi` "),
        ("gcc@12 gcc@12 none", "gcc@12 gcc@12 llvm@17", "`gcc` as before, `openmpi` "),
        (
            "gcc@12 llvm@17 llvm@17",
            "gcc@12 none gcc@12",
            "no builds with `llvm` `17` any more, `openmpi` ",
        ),
    ],
)
def test_the_first_sentence_ends_with_compilers_and_mpi(old: str, new: str, news: str) -> None:
    def side(compilers: str, mpi: str) -> list[Record]:
        some, name = compilers.split(), "on"[mpi == "4.2"]
        return [
            spec(
                f"{name}{numbered(n)}", f"{n}.{mpi}", package=f"p{n}", compiler=some[n % len(some)]
            )
            for n in range(6)
        ] + [spec(f"{name}{numbered(7)}", mpi, package="openmpi", compiler=some[0])]

    line = render_report(diff_of(side(old, "4.1"), side(new, "4.2")), "markdown").splitlines()[2]
    assert f"; {news}" in line


MOVED = {
    # With which compilers three packages are built, before and now, and their versions.
    "lost a build": ("1.0 1.0", "gcc@12 gcc@13", "gcc@12"),
    "upgraded and lost a build": ("1.0 1.1", "gcc@12 gcc@13", "gcc@12"),
    "reconfigured": ("1.0 1.0", "gcc@12", "gcc@13"),
    "as before": ("1.0 1.1", "gcc@12 gcc@13", "gcc@12 gcc@13"),
}


@pytest.mark.parametrize("case", MOVED)
@pytest.mark.parametrize("is_product", [True, False])
def test_compilers_are_as_before_where_no_package_has_another_or_lost_builds_with_one(
    tmp_path: Path, case: str, is_product: bool
) -> None:
    """The compilers themselves are all there on both sides."""

    def side(number: int) -> list[Item]:
        versions, *compilers = MOVED[case]
        built = [it.partition("@")[::2] for it in compilers[number].split()]
        some = [
            Item(f"p{n}", versions.split()[number], compiler=it, explicit=is_product)
            for n in range(3)
            for it in built
        ]
        ups = [
            Item(f"up{n}", f"{n}.{number}", compiler=("gcc", it), explicit=True)
            for n, it in enumerate(["12", "13"] * 4)
        ]
        mpi = Item("openmpi", f"4.1.{number}", explicit=True)
        top = Item("top", explicit=True, needs=tuple(map(needs, some)))
        return [*some, *ups, mpi] if is_product else [*some, *ups, mpi, top]

    sides = write_locks(tmp_path, side(0), side(1))
    sentence = run_cli(*sides, "-f", "text").out.split("\n\n")[1]
    assert "openmpi 4.1.0 → 4.1.1" in sentence
    assert ("gcc as before" in sentence) is (case == "as before")


def test_the_first_sentence_leaves_out_what_is_so_in_some_stacks_alone() -> None:
    sides = [
        [
            spec(f"{side}{stack}{numbered(n)}", version, package=name, stacks=stack)
            for stack in "ab"
            for n, (name, version) in enumerate(
                [(f"p{n}", f"{n}.{mpi}") for n in range(6)]
                + [("openmpi", "4.1" if stack == "b" else mpi)]
            )
        ]
        for side, mpi in (("o", "4.1"), ("n", "4.2"))
    ]
    line = render_report(diff_of(*sides), "markdown").splitlines()[2]
    assert line.endswith("; `gcc` as before.")


def environments(side: str, *some: tuple[str, str, str]) -> dict[str, bytes]:
    """Locks of one side: of each environment the versions of openmpi and of what uses it."""
    found = {}
    for name, mpi, version in some:
        tools = [Item("openmpi", mpi), Item("python", version, explicit=True)]
        users = [
            Item(f"app{n}", f"{n}.{version}", explicit=True, needs=tuple(map(needs, tools)))
            for n in range(6)
        ]
        found[f"{side}/{name}/spack.lock"] = to_bytes(lock([*tools, *users]))
    return found


@pytest.mark.parametrize("options", [["-k", "upgraded"], ["--explicit"]])
def test_what_a_report_leaves_out_is_not_as_before(tmp_path: Path, options: list[str]) -> None:
    write_files(tmp_path, environments("old", ("cpu", "4.1", "1"), ("gpu", "4.1", "1")))
    write_files(tmp_path, environments("new", ("cpu", "4.0", "2"), ("gpu", "4.1", "2")))
    out = run_cli("-C", tmp_path, "old", "new", *LISTED, "-f", "text", *options).out
    assert "openmpi" not in "".join(line for line in toolchain(out) if "as before" in line)


@pytest.mark.parametrize("sides", [("old", "new"), ("new", "old")])
def test_beside_an_environment_that_came_or_went_it_says_what_is_as_before_where(
    tmp_path: Path, sides: tuple[str, str]
) -> None:
    write_files(tmp_path, environments("old", ("cpu", "4.1", "1")))
    write_files(tmp_path, environments("new", ("cpu", "4.1", "2"), ("next", "5.0", "2")))
    done = run_cli("-C", tmp_path, *sides, *LISTED, "-f", "text")
    assert "same versions as before: gcc 12.3.0 (cpu), openmpi 4.1 (cpu)" in toolchain(done.out)
    assert "; gcc" not in done.out


def below_one_root(openmpi: str, minor: int) -> list[Item]:
    """One root, and below it MPI and four libraries of this minor version."""
    libs = [Item(f"lib{number}", f"{number}.{minor}") for number in range(4)]
    below = [Item("openmpi", openmpi), *libs]
    return [*below, Item("app", explicit=True, needs=tuple(map(needs, below)))]


def test_a_step_that_no_line_and_no_sentence_has_is_told_apart(tmp_path: Path) -> None:
    sides = write_locks(tmp_path, below_one_root("4.1.6", 0), below_one_root("4.2.0", 1))
    text = run_cli(*sides, "-f", "text", "-k", "upgraded").out
    assert text.splitlines()[2].startswith(
        "No product changed in such a way; 5 dependencies are upgraded (lib0, "
    )
    assert toolchain(text)[0] == "openmpi 4.1.6 → 4.2.0"


def test_a_step_of_a_dependency_is_not_told_by_the_line_of_a_product(tmp_path: Path) -> None:
    roots = [Item("openmpi", f"5.0.{it}", explicit=True) for it in (1, 2)]
    ups = [[Item(f"up{n}", f"{n}.{it}", explicit=True) for n in range(3)] for it in (1, 2)]
    old = [*below_one_root("4.1.6", 0), roots[0], *ups[0]]
    new = [*below_one_root("4.1.7", 0), roots[1], *ups[1]]
    sides = write_locks(tmp_path, old, new)
    told = "openmpi 5.0.1 → 5.0.2, 4.1.6 → 4.1.7"
    # Of few lines it stands below them.
    for options, parts in (([], ("\nUpgraded", told)), (["--detail"], (told, "\nUpgraded"))):
        text = run_cli(*sides, "-f", "text", *options).out
        assert toolchain(text)[0] == told
        assert text.index(parts[0]) < text.index(parts[1])


def test_of_several_tags_each_says_its_new_compiler(tmp_path: Path) -> None:
    for side, number in (("old", 1), ("new", 2)):
        for tag in "xy":
            items = [Item(f"p{n}", f"{n}.{number}", explicit=True) for n in range(5)]
            more = Item("visit", compiler=("nvhpc", "23.7"), explicit=True)
            content = to_bytes(lock([*items, *[more] * (number - 1)]))
            write_files(tmp_path, {f"{side}/{tag}/env/spack.lock": content})
    lines = run_cli(tmp_path / "old", tmp_path / "new").out.splitlines()
    assert lines.count("- `nvhpc` `23.7` new") == 2


def test_compilers_have_no_part_in_why_hashes_differ(tmp_path: Path) -> None:
    sides = write_locks(tmp_path, below_one_root("4.1.6", 0), below_one_root("4.2.0", 1))
    line = run_cli(*sides).out.splitlines()[2]
    because = "because of `lib0` `0.0` → `0.1`; `gcc` as before, `openmpi` `4.1.6` → `4.2.0`."
    assert line.endswith(f", {because}")


def test_where_an_environment_has_a_tool_as_before_its_version_is_said(tmp_path: Path) -> None:
    for side, cuda in (("old", "12.1"), ("new", "12.2")):
        for stack, version in (("a", cuda), ("b", "11.8")):
            others = [Item(f"p{number}", f"{number}.{cuda}", explicit=True) for number in range(5)]
            items = [Item("cuda", version, explicit=True), *others]
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    sides = ("-C", tmp_path, "old", "new", "-f", "text", *LISTED)
    assert toolchain(run_cli(*sides).out)[0] == "cuda 12.1 → 12.2 (a); still 11.8 (b)"
    some = toolchain(run_cli(*sides, "-k", "upgraded").out)
    assert some[0] == "cuda 12.1 → 12.2 (a)", "of the others nothing is known"


def test_a_compiler_that_changed_is_not_said_to_be_as_before_elsewhere(tmp_path: Path) -> None:
    """Of what is built with it there may be more that names none."""
    for side, version in (("old", "11.1"), ("new", "12.1")):
        for stack, gcc in (("a", version), ("b", "11.1")):
            items = [
                Item(f"p{number}", f"{number}.{version}", explicit=True, compiler=("gcc", gcc))
                for number in range(6)
            ]
            write_files(tmp_path, {f"{side}/{stack}/spack.lock": to_bytes(lock(items))})
    out = run_cli("-C", tmp_path, "old", "new", "-f", "text", *LISTED).out
    assert "gcc 11.1 → 12.1 (a)" in toolchain(out)


@pytest.mark.parametrize("options", [(), ("-k", "upgraded")])
def test_a_compiler_that_is_named_no_more_is_not_gone(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    """Since Spack 1 what is not compiled names none."""

    def side(version: str, compiler: tuple[str, str] | None) -> list[Item]:
        gcc = ("gcc", "12")
        apps = [Item(f"p{n}", f"{n}.{version}", compiler=gcc, explicit=True) for n in range(6)]
        python = Item("python", version, compiler=gcc, explicit=True)
        return [*apps, python, Item("data", compiler=compiler, explicit=True)]

    sides = write_locks(tmp_path, side("3.11", ("llvm", "17")), side("3.12", None))
    told = toolchain(run_cli(*sides, *LISTED, "-f", "text", *options).out)
    assert told == ["python 3.11 → 3.12", "same versions as before: gcc 12"]


def test_of_a_line_that_a_tool_shares_the_tool_alone_is_left_out(tmp_path: Path) -> None:
    tools = [Item("python", "3.11"), Item("curl", "8.4")]
    above = [Item(f"app{it}", f"{it}.1", explicit=True) for it in range(9)]
    up = [Item(f"app{it}", f"{it}.2", explicit=True) for it in range(8)]
    user = Item("app8", "8.2", explicit=True, needs=tuple(map(needs, tools)))
    old, new = write_locks(tmp_path, above, [*up, user, *tools])
    text = run_cli(old, new, "-f", "text").out
    assert "python 3.11 new, because of app8 8.1 → 8.2" in toolchain(text)
    dependencies = beside_the_toolchain(text)
    assert dependencies.startswith("curl new\n")
    assert "python" not in dependencies


def test_compilers_are_named_where_another_one_changed_that_builds_nothing(tmp_path: Path) -> None:
    """A package alone: `compilers as before` would not be so."""

    def side(version: str) -> list[Item]:
        mpi = Item("openmpi", f"4.{version}")
        apps = [
            Item(f"app{it}", f"{it}.{version}", explicit=True, needs=(needs(mpi),))
            for it in range(9)
        ]
        return [*apps, mpi, Item("llvm", f"1{version}.0", explicit=True)]

    old, new = write_locks(tmp_path, side("6"), side("7"))
    sentence = run_cli(old, new, "-f", "text").out.split("\n\n")[1].replace("\n", " ")
    said = "All 10 products are upgraded (llvm to another major version)"
    assert sentence == f"{said}; gcc as before, openmpi 4.6 → 4.7."


def test_each_version_that_is_still_there_says_of_what_it_has_no_build(tmp_path: Path) -> None:
    """Two versions lost what a third has: the one is told as well as the other."""

    def builds(version: str, *mpis: str) -> list[Item]:
        return [replace(user(it), version=version) for it in mpis]

    old = [*builds("1.0", "openmpi", "mpich"), *builds("2.0", "openmpi", "mpich")]
    new = [*builds("1.0", "mpich"), *builds("2.0", "mpich"), *builds("3.0", "openmpi")]
    sides = write_locks(tmp_path, built_with("openmpi", *old), built_with("openmpi", *new))
    [stack] = run_json(*sides)["tags"][0]["stacks"]
    [change] = [it for it in stack["package_changes"] if it["package"] == "user"]
    told = [(it["trait"]["name"], it["version"]) for it in change["no_longer_with"]]
    assert told == [("openmpi", "1.0"), ("openmpi", "2.0")]
