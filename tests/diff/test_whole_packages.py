"""Why a dependency is gone or new: the one package that needed it (specification, section 9)."""

import json
import random
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from snapdiff.diff.whole_packages import reasons_of_one_sided
from tests.diff.test_traits import counted, lock_of, roots_of, with_hashes
from tests.support.generated_graphs import Graphs, graphs
from tests.support.graphs import NodesByHash, PlainGraph, described
from tests.support.helpers import Report, run_cli
from tests.support.nightly import examples
from tests.support.real_catalogs import DATA, E4S, needs_real_catalogs
from tests.support.tables import cases
from tests.support.work import work

OLD, NEW = "old.lock", "new.lock"


def compared(folder: Path, old: Any, new: Any, *options: str) -> Report:
    for name, document in ((OLD, old), (NEW, new)):
        (folder / name).write_text(json.dumps(document))
    done = run_cli("-C", folder, OLD, NEW, "-f", "json", *options)
    assert done.status == 0, done
    report: Report = json.loads(done.out)
    return report


def reasons(report: Report, kind: str = "removed") -> dict[str, Any]:
    """Of each package that is gone (or new) the package that is its reason, None where none is."""
    return {
        change["package"]: change.get("because")
        for tag in report["tags"]
        for stack in tag["stacks"]
        for change in stack["package_changes"]
        if change["whole"] and change["kind"] == kind
    }


def names(found: dict[str, Any]) -> dict[str, str | None]:
    return {name: because and because["package"] for name, because in found.items()}


def described_lock(text: str, roots: Collection[str]) -> Any:
    graph = with_hashes(described(*text.split("; ")))
    return lock_of(graph, [key for key, node in graph.items() if node.name in roots])


ROOTS = ("visit", "hdf5", "paraview")

REASONS = """
one package needed it, or needed what needed it, by whatever sort of dependency
    visit-1 > qt-1; qt-1 > cairo-1:build; cairo-1; hdf5-2 | visit-2; hdf5-2 | qt visit, cairo visit
two did
    visit-1 > qt-1; qt-1; hdf5-1 > qt-1 | visit-2; hdf5-2 | qt -
two needed what needed it: it is gone with that
    visit-1 > qt-1; qt-1 > cairo-1; cairo-1; hdf5-1 > qt-1 | visit-2; hdf5-2 | qt -, cairo qt
two ways to the same package
    visit-1 > qt-1, qwt-1; qwt-1 > qt-1; qt-1; hdf5-2 | visit-2; hdf5-2 | qt visit, qwt visit
a root is gone with what it needed; what is asked for no longer has no other reason
    visit-1 > paraview-1; paraview-1 > qt-1; qt-1; hdf5-2 | visit-2; hdf5-2 |
    paraview -, qt paraview
several specs of one package
    visit-1 > qt-1; visit-3 version=3 > qt-1; qt-1; hdf5-2 | visit-2; hdf5-2 | qt visit
a package needs another spec of its own
    visit-1 > qt-1; qt-1 > qt-3:build; qt-3 version=3; hdf5-2 | visit-2; hdf5-2 | qt visit
dependencies in a circle: all are gone with what needed any of them
    visit-1 > a-1; a-1 > b-1; b-1 > a-1; hdf5-2 | visit-2; hdf5-2 | a visit, b visit
or none
    visit-1 > a-1; a-1 > b-1; b-1 > a-1; hdf5-1 > b-1 | visit-2; hdf5-2 | a -, b -
vtk let go of it, too, but nothing else needed such a vtk
    visit-1 variants=+gui > qt-1, vtk-1; vtk-1 > qt-1; qt-1; hdf5-2 |
    visit-2 variants=~gui > vtk-2; vtk-2; hdf5-2 | qt visit
nothing but what is gone as well needed such a vtk
    visit-1 > qwt-1; qwt-1 > qt-1, vtk-1; vtk-1 > qt-1; qt-1; hdf5-1 > vtk-2; vtk-2 |
    hdf5-1 > vtk-2; vtk-2 | visit -, qwt visit, qt visit
only where visit itself changed
    visit-1 > qt-1, vtk-1; vtk-1 > qt-1; qt-1; hdf5-2 | visit-2 > vtk-2; vtk-2; hdf5-2 | qt -
something else did need it
    visit-1 variants=+gui > qt-1, vtk-1; vtk-1 > qt-1; qt-1; hdf5-1 > vtk-1 |
    visit-2 variants=~gui > vtk-2; vtk-2; hdf5-2 > vtk-2 | qt -
a root did
    visit-1 variants=+gui > qt-1, paraview-1; paraview-1 > qt-1; qt-1; hdf5-2 |
    visit-2 variants=~gui > paraview-2; paraview-2; hdf5-2 | qt -
what needed such a vtk is gone because of visit, too
    visit-1 variants=+gui > qt-1, qwt-1; qt-1 > vtk-1; vtk-1 > qwt-1; qwt-1 |
    visit-2 variants=~gui > vtk-2; vtk-2 | qt visit, qwt visit
whatever it is called
    visit-1 variants=+gui > qwt-1, qt-1; qwt-1 > vtk-1; vtk-1 > qt-1; qt-1 |
    visit-2 variants=~gui > vtk-2; vtk-2 | qt visit, qwt visit
"""
"""The lock before and after, and of each package that is gone the one that is its reason."""


@pytest.mark.parametrize(("old", "new", "found"), cases(REASONS, 3))
def test_one_package_is_the_reason_or_none(tmp_path: Path, old: str, new: str, found: str) -> None:
    before, after = (described_lock(text, ROOTS) for text in (old, new))
    expected = {
        name: None if reason == "-" else reason
        for name, reason in (words.split() for words in found.split(", "))
    }
    assert names(reasons(compared(tmp_path, before, after))) == expected
    assert names(reasons(compared(tmp_path, after, before), "added")) == expected


NO_MORE_QT = {"name": "dependencies", "old": ["qt"], "new": []}


@pytest.mark.parametrize(
    ("old", "new", "fields"),
    [
        ("visit-1 > qt-1", "visit-2", [NO_MORE_QT]),
        (
            "visit-1 version=1.0 variants=+gui,+x > qt-1",
            "visit-2 version=2.0 variants=+x,~gui",
            [
                {"name": "version", "old": "1.0", "new": "2.0"},
                {"name": "variants", "old": ["+gui"], "new": ["~gui"]},
            ],
        ),
        # what the whole stack has done is not what visit did
        ("visit-1 os=rhel8 > qt-1", "visit-2 os=rhel9", [NO_MORE_QT]),
        # two specs of it, of which one changed something more
        (
            "visit-1 variants=+gui,+mpi > qt-1; visit-3 variants=+gui,+python > qt-1",
            "visit-2 variants=~gui,+mpi,+x; visit-4 variants=~gui,+python",
            [{"name": "variants", "old": ["+gui"], "new": ["~gui"]}],
        ),
        # one of them is gone itself
        (
            "visit-1 variants=+gui > qt-1; visit-3 variants=+gui,+mpi > qt-1",
            "visit-2 version=2.0 variants=~gui",
            [
                {"name": "version", "old": "1.0", "new": "2.0"},
                {"name": "variants", "old": ["+gui"], "new": ["~gui"]},
            ],
        ),
        # another spec of it did without it before, and is there in the end
        (
            "visit-1 version=2.0 variants=+gui > qt-1; visit-3 version=1.0 variants=~gui",
            "visit-2 version=2.0 variants=~gui; visit-3 version=1.0 variants=~gui",
            [{"name": "variants", "old": ["+gui"], "new": ["~gui"]}],
        ),
        # all of it that is there in the end was so before: it has fewer builds
        (
            "visit-1 variants=+gui > qt-1; visit-3 variants=~gui",
            "visit-4 variants=~gui",
            [NO_MORE_QT],
        ),
        # no version, and no variant, tells what needed it from all that is there in the end
        (
            "visit-1 version=1.0 variants=+gui > qt-1; visit-3 version=1.0 variants=+gui",
            "visit-2 version=2.0 variants=+gui; visit-3 version=1.0 variants=+gui",
            [NO_MORE_QT],
        ),
    ],
)
def test_what_the_package_changed_itself(
    tmp_path: Path, old: str, new: str, fields: list[Any]
) -> None:
    before, after = described_lock(f"{old}; qt-1", ROOTS), described_lock(new, ROOTS)
    assert reasons(compared(tmp_path, before, after)) == {
        "qt": {"package": "visit", "status": "changed", "direct": True, "fields": fields}
    }


@pytest.mark.parametrize(
    ("stays", "because"),
    [
        ("2.0", "visit 1.0 ({})"),  # 1.0 came beside 2.0, or left it
        ("0.9", "visit {}"),
    ],
)
def test_of_a_version_that_stays_nothing_is_said_to_have_led_to_another(
    tmp_path: Path, stays: str, because: str
) -> None:
    other = "2.0" if stays == "2.0" else "3.0"
    few = described_lock(f"visit-1 version={other}; hdf5-1", ROOTS)
    many = described_lock(f"visit-1 version={stays}; visit-2 version=1.0 > qt-1; qt-1", ROOTS)
    for (old, new), word, step in (
        ((few, many), "new", "3.0 → 1.0"),
        ((many, few), "gone", "1.0 → 3.0"),
    ):
        compared(tmp_path, old, new)
        text = run_cli("-C", tmp_path, OLD, NEW, "-f", "text").out
        words = because.format(word if stays == "2.0" else step)
        assert f"qt 1.0, because of {words}\n" in text
        # A report of other packages does not have what stays.
        text = run_cli("-C", tmp_path, OLD, NEW, "-f", "text", "-p", "qt").out
        assert f"qt 1.0 is {word}, because of visit 1.0 ({word}); only package qt.\n" in text


def test_where_nothing_else_tells_the_dependencies_do_that_it_has_no_more(tmp_path: Path) -> None:
    before = described_lock(
        "visit-1 > qt-1, vtk-1, zlib-1; qt-1 > cairo-1; cairo-1; vtk-1; zlib-1; hdf5-1 > zlib-1",
        ROOTS,
    )
    after = described_lock("visit-2; hdf5-2", ROOTS)
    field = {"name": "dependencies", "old": ["qt", "vtk"], "new": []}
    because = {"package": "visit", "status": "changed", "direct": True, "fields": [field]}
    indirect = because | {"direct": False}
    expected = {"qt": because, "vtk": because, "cairo": indirect, "zlib": None}
    assert reasons(compared(tmp_path, before, after)) == expected
    found = reasons(compared(tmp_path, after, before), "added")
    assert found["cairo"]["fields"] == [field | {"old": [], "new": ["qt", "vtk"]}]


def test_what_a_package_still_depends_on_and_its_lock_does_not_list_has_no_reason(
    tmp_path: Path,
) -> None:
    before = described_lock("visit-1 > qt-1, vtk-1; qt-1 > cairo-1; cairo-1; vtk-1", ROOTS)
    after = described_lock("visit-2 > qt-2", ROOTS)
    expected = {"qt": None, "cairo": "qt", "vtk": "visit"}
    assert names(reasons(compared(tmp_path, before, after))) == expected
    assert names(reasons(compared(tmp_path, after, before), "added")) == expected


def test_what_is_itself_gone_or_new(tmp_path: Path) -> None:
    before = described_lock("hdf5-1", ROOTS)
    after = described_lock("hdf5-1; visit-1 > qt-1; qt-1 > cairo-1; cairo-1", ROOTS)
    because = {"package": "visit", "status": "added", "direct": True, "fields": []}
    expected = {"visit": None, "qt": because, "cairo": because | {"direct": False}}
    assert reasons(compared(tmp_path, before, after), "added") == expected


def test_a_document_that_names_no_root_gives_no_reason(tmp_path: Path) -> None:
    before, after = described_lock("visit-1 > qt-1; qt-1", ()), described_lock("visit-2", ())
    assert reasons(compared(tmp_path, before, after)) == {"qt": None}


def test_a_narrowed_report_gives_the_same_reason(tmp_path: Path) -> None:
    before = described_lock(
        "visit-1 variants=+gui > qt-1, vtk-1; vtk-1 > qt-1; qt-1; hdf5-2", ROOTS
    )
    after = described_lock("visit-2 variants=~gui > vtk-2; vtk-2; hdf5-2", ROOTS)
    whole = reasons(compared(tmp_path, before, after))
    assert names(whole) == {"qt": "visit"}
    assert reasons(compared(tmp_path, before, after, "-p", "qt", "-k", "removed")) == whole


def test_twice_as_many_that_the_same_packages_needed_take_about_twice_the_steps() -> None:
    def steps(number: int) -> int:
        gone = [f"gone{place}-1" for place in range(number)]
        needed = ", ".join(gone)
        users = [f"user{place}-1 > vtk-1, mesa-1" for place in range(number)]
        old = described(f"vtk-1 > {needed}", f"mesa-1 > {needed}", *gone, *users)
        new = described("vtk-2", "mesa-2", *(f"user{place}-2" for place in range(number)))
        before, after = NodesByHash(old), NodesByHash(new)
        return work(lambda: reasons_of_one_sided("removed", before, after))

    assert steps(200) < 2.2 * steps(100)


# --- Laws ---


def reachable(graph: PlainGraph, roots: Collection[str], without: str) -> set[str]:
    """The packages that dependencies lead to from the roots, not by way of one."""
    kept = {key: node for key, node in graph.items() if node.name != without}
    return {kept[key].name for key in counted(kept, roots)}


def above(direct: dict[str, set[str]], name: str) -> set[str]:
    """The packages that need one, themselves or by way of others."""
    found, waiting = set[str](), [name]
    while waiting:
        new = direct.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def assert_all_that_needed_it_is_told(found: dict[str, Any]) -> None:
    for because in filter(None, found.values()):
        assert bool(because["fields"]) == (because["status"] == "changed")
        for field in because["fields"]:
            if field["name"] == "dependencies":
                told = [found[it] for it in (*field["old"], *field["new"])]
                assert {(it["package"], it["direct"]) for it in told} == {
                    (because["package"], True)
                }


MANY = st.tuples(graphs(), graphs()).map(lambda some: (some[0][0], some[1][1]))
"""Two graphs that have little more in common than names of packages: many are gone, and new."""


@settings(max_examples=examples(20))
@given(graphs(compilers_move=False) | MANY, st.randoms(use_true_random=True))
def test_all_that_needed_it_needed_the_reason(
    tmp_path_factory: pytest.TempPathFactory, both: Graphs, chance: random.Random
) -> None:
    folder = tmp_path_factory.mktemp("locks")
    for graph in both:
        assume(all(edge.hash in graph for node in graph.values() for edge in node.edges))
    roots = [roots_of(chance, graph) for graph in both]
    forth, back = (
        compared(folder, lock_of(both[old], roots[old]), lock_of(both[new], roots[new]))
        for old, new in ((0, 1), (1, 0))
    )
    for side, kind, other in ((0, "removed", "added"), (1, "added", "removed")):
        found = reasons(forth, kind)
        assert_all_that_needed_it_is_told(found)
        assert found.keys() == reasons(back, other).keys()
        assert names(found) == names(reasons(back, other))
        graph, asked_for = both[side], {both[side][root].name for root in roots[side]}
        direct: dict[str, set[str]] = {name: set() for name in found}
        for key in counted(graph, roots[side]):
            for edge in graph[key].edges:
                if edge.name in found and edge.name != graph[key].name:
                    direct[edge.name].add(graph[key].name)
        for name, reason in names(found).items():
            if name in asked_for:
                assert reason is None
            elif reason is not None:
                assert name not in reachable(graph, roots[side], reason)
            else:
                circle = {it for it in above(direct, name) if name in above(direct, it)}
                users = set().union(direct[name], *(direct[it] for it in circle))
                # Of a circle that nobody outside needs, one is asked for.
                assert circle & asked_for or len(users - circle - {name}) > 1


# --- Real environments ---

REAL = DATA / "real-spack" / "0.23"


def of_files(old: Path, new: Path) -> Report:
    done = run_cli(str(old), str(new), "-f", "json")
    assert done.status == 0
    report: Report = json.loads(done.out)
    return report


@needs_real_catalogs
def test_the_reasons_of_a_release() -> None:
    """Every one was looked up in the two locks by a script that reads nothing but their edges."""
    lock = Path("rocm-x86_64") / "spack.lock"
    report = of_files(*(release / lock for release in E4S))
    found = reasons(report)
    gone: dict[str | None, list[str]] = {}
    for name, reason in names(found).items():
        gone.setdefault(reason, []).append(name)
    numbers = {str(reason): len(some) for reason, some in gone.items()}
    alone = dict.fromkeys(("lbann", "libarchive", "py-matplotlib"), 1)
    assert numbers == {"None": 2, "visit": 28, "paraview": 8, "py-scipy": 2} | alone
    assert gone[None] == ["py-jupyter-packaging11", "zlib"]
    assert {"qt", "cairo", "fontconfig", "xkbdata"} < set(gone["visit"])
    assert gone["lbann"] == ["aluminum"]
    [variants] = found["qt"]["fields"]
    assert ("+gui" in variants["old"], "~gui" in variants["new"]) == (True, True)
    new = names(reasons(report, "added"))
    assert [name for name, reason in new.items() if reason == "exago"] == [
        *("cuda", "hiop", "py-iniconfig", "py-pytest")
    ]
    assert new["exago"] is new["zlib-ng"] is None


@needs_real_catalogs
@pytest.mark.parametrize(
    ("other", "gone", "new"),
    [
        (
            "mpich",
            {
                "openmpi": None,
                **dict.fromkeys(
                    ["bison", "krb5", "libedit", "libevent", "numactl", "openssh", "pmix"],
                    "openmpi",
                ),
            },
            {"mpich": None, "libfabric": "mpich", "yaksa": "mpich"},
        ),
        ("zlibswap", {"zlib-ng": None}, {"zlib": None}),
        ("clang", {"gcc-runtime": None}, {}),
    ],
)
def test_the_reasons_of_one_known_change(other: str, gone: Any, new: Any) -> None:
    report = of_files(REAL / "base" / "spack.lock", REAL / other / "spack.lock")
    assert names(reasons(report)) == gone
    assert names(reasons(report, "added")) == new
