"""The words of causes: each kind of event, a cause, a stack, a whole toolchain that moved."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import pytest
from msgspec.structs import replace

from snapdiff import CatalogDiff, diff_catalogs, load_catalog, render_report
from snapdiff.reports import ReportOptions
from snapdiff.reports.cause_words import (
    cause_in_words,
    common_difference,
    event_in_words,
    events_in_words,
)
from snapdiff.reports.markdown import code
from snapdiff.result.causes import Cause, Event
from snapdiff.result.packages import Because, Field
from tests.support.documents import Item, needs
from tests.support.environments import after, before, write_locks
from tests.support.real_catalogs import LOCKS, derecho_diff, e4s_diff, needs_real_catalogs


def plain(text: str) -> str:
    return text


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event("python", "version", "3.10", "3.11"), "python 3.10 → 3.11"),
        (Event("gcc", "target", "x86_64", "zen4"), "gcc target x86_64 → zen4"),
        (Event("gcc", "variants", ("~nls", "+x"), ()), "gcc variants ~nls +x gone"),
        (
            Event("x", "variants", ("patches=0123456789abcdef",), ()),
            "x variant patches gone",
        ),
        (
            Event("x", "variants", (), ("+y", "patches:=0123456789")),
            "x new variant +y",
        ),
        (
            Event("x", "variants", ("+al", "+ssc", "v=1"), ("v:=2", "+blosc2", "~kokkos", "~al")),
            "x variants +al v=1 → ~al v:=2, new variants +blosc2 ~kokkos, variant +ssc gone",
        ),
        (  # Spack has one variant of a name, an edited document may have more
            Event("x", "variants", ("v=1", "v=2"), ("v=3",)),
            "x variant v=1 → v=3, variant v=2 gone",
        ),
        (
            Event("x", "variants", ("patches=0",), ("patches=1",)),
            "x variant patches → other patches",
        ),
        (Event("zlib-ng", "replaced", "zlib", "zlib-ng"), "zlib replaced by zlib-ng"),
        (Event("gmake", "added"), "gmake is a dependency now"),
        (Event("gmake", "removed"), "gmake is no dependency any more"),
        (Event("perl", "recipe"), "perl's recipe changed"),
        (Event("perl", "unlisted"), "perl (not in the document)"),
        (Event("curl", "external", None, ("/usr",)), "curl external — → /usr"),
        (
            Event("slurm", "external", ("/usr",), ("/opt", "module slurm")),
            "slurm external /usr → /opt module slurm",
        ),
        (
            Event("zlib", "edge", ("build",), ("build", "link")),
            "zlib is a dependency for build and link now, was for build",
        ),
        (Event("zlib", "other", "patches=a", "patches=b"), "zlib patches=a → patches=b"),
        (Event("zlib", "other", None, f"arch.features={'a' * 60}"), "zlib arch.features changed"),
        (Event(None, "compilers"), "compilers became dependencies"),
        (Event(None, "compiler", "gcc@12", "none"), "compiler gcc@12 → no compiler named"),
        (Event(None, "compiler", "none", "gcc@12"), "no compiler named → compiler gcc@12"),
        (Event("curl", "namespace", "builtin", "e4s"), "curl namespace builtin → e4s"),
        (Event(None, "rehash"), "another way of hashing"),
        (Event(None, "os", "ubuntu20.04", "ubuntu22.04"), "os ubuntu20.04 → ubuntu22.04"),
    ],
)
def test_every_kind_of_event_has_its_words(event: Event, words: str) -> None:
    assert event_in_words(event, plain) == words


@pytest.mark.parametrize(
    ("status", "version", "variants", "words"),
    [
        ("removed", None, None, "visit (gone)"),
        ("added", None, None, "visit (new)"),
        ("changed", None, None, "visit"),
        ("changed", ("3.3", "3.4"), None, "visit 3.3 → 3.4"),
        ("changed", None, ("+gui", "~gui"), "visit (now ~gui)"),
        (
            "changed",
            ("3.3", "3.4"),
            ("+gui x=1", "~gui +new x=2"),
            "visit 3.3 → 3.4 (now ~gui x=2)",
        ),
        # what is new is told where nothing else is, if it is on
        ("changed", None, ("+blosc", "+blosc2 ~kokkos"), "visit (now +blosc2)"),
        ("changed", None, ("+gui", "~gui +blosc2"), "visit (now ~gui)"),
        ("changed", ("3.3", "3.4"), ("", "+blosc2"), "visit 3.3 → 3.4"),
        (
            *("changed", None, ("patches:=0123456789", "patches:=abcdef0123")),
            "visit variant patches → other patches",
        ),
        ("changed", None, ("", "~x"), "visit new variant ~x"),
        ("changed", None, ("a:=1 b=1 c=1 d=1 e=1", "a:=2 b=2 c=2"), "visit (now a:=2 b=2 c=2)"),
        (
            *("changed", None, ("a=1 b=1 c=1 d=1 e=1", "a=2 b=2 c=2 d=2 e=2")),
            "visit (now a=2 b=2 c=2 d=2 e=2)",
        ),
    ],
)
def test_a_package_because_of_which_others_are_gone(
    status: Literal["changed", "added", "removed"],
    version: tuple[str, str] | None,
    variants: tuple[str, str] | None,
    words: str,
) -> None:
    fields = [Field("version", *version)] if version else []
    if variants:
        old, new = (tuple(side.split()) for side in variants)
        fields.append(Field("variants", old, new))
    because = Because(package="visit", status=status, direct=True, fields=tuple(fields))
    assert cause_in_words(because, str) == words


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("qt", "", "visit (no longer depends on it)"),
        ("", "qt qwt", "visit (now depends on qt, qwt)"),
        ("a b c d e", "", "visit (no longer depends on a, b, c and 2 more)"),
    ],
)
def test_a_package_of_which_nothing_but_what_it_depends_on_tells(
    old: str, new: str, words: str
) -> None:
    field = Field("dependencies", tuple(old.split()), tuple(new.split()))
    because = Because(package="visit", status="changed", direct=True, fields=(field,))
    assert cause_in_words(because, str) == words
    if "it)" in words:  # of what several have as their reason it is named
        assert cause_in_words(replace(because, direct=False), str) == words.replace("it)", "qt)")


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ((), None),
        (("+a ~b", "+a ~c"), "new variant +a"),
        (("+a", "+a ~c"), "new variant +a"),
        (("+a", "+b"), None),
    ],
)
def test_what_builds_share_that_differ_in_several_ways(
    events: tuple[str, ...], words: str | None
) -> None:
    found = common_difference([Event(None, "variants", (), tuple(it.split())) for it in events])
    assert (found and event_in_words(found, str)) == words
    assert common_difference([Event(None, "os", "a", "b"), Event(None, "variants")]) is None


def test_all_that_differs_in_a_package_names_it_once() -> None:
    events = [Event("gcc", "target", "x86_64", "zen4"), Event("gcc", "recipe")]
    assert events_in_words("gcc", events, plain) == "gcc target x86_64 → zen4, recipe changed"
    assert events_in_words("gcc", [], plain) == "gcc"


def test_a_cause_says_its_way_and_what_else_is_in_reach() -> None:
    path = ("openmpi", "numactl", "automake")
    far = Cause("autoconf", "version", "2.69", "2.71", path=path, build_only=True, others=1200)
    assert cause_in_words(far, plain) == (
        "autoconf 2.69 → 2.71 via openmpi > numactl > automake (build only, +1,200 more)"
    )
    near = Cause("zlib-ng", "replaced", "zlib", "zlib-ng", path=(), build_only=False, others=0)
    assert cause_in_words(near, code) == "`zlib` replaced by `zlib-ng`"


def words_of(folder: Path, old: list[Item], new: list[Item]) -> list[str]:
    """What a report says above its lines of why the specs of an environment changed."""
    return why(diff_of(write_locks(folder, old, new)))


def diff_of(sides: Iterable[Path]) -> CatalogDiff:
    return diff_catalogs(*(load_catalog(str(side)) for side in sides))


def why(diff: CatalogDiff) -> list[str]:
    """The lines of a report for people that give reasons, each in one piece."""
    text = render_report(diff, "text", ReportOptions(width=1000))
    return [
        line.strip()
        for line in text.splitlines()
        if re.match("With another hash: |Toolchain: |  .*os ubuntu", line)
    ]


def test_a_stack_names_its_causes_most_first(tmp_path: Path) -> None:
    [words] = words_of(tmp_path, before(), after())
    assert words == (
        "With another hash: 6 builds, because of autoconf 2.69 → 2.71 (build only) (4); "
        "cmake 3.26.3 → 3.27.7 (build only) (1); zlib replaced by zlib-ng (1)"
    )


SAME = "With another hash:"


def above(libs: list[Item]) -> list[Item]:
    return [*libs, *(Item(f"app{number}", needs=(needs(lib),)) for number, lib in enumerate(libs))]


def test_several_old_versions_to_one_new_one_are_one_cause(tmp_path: Path) -> None:
    old = above([Item("py", f"3.{i}") for i in range(5)])
    new = above([Item("py", "3.11", recipe=str(i)) for i in range(5)])
    assert words_of(tmp_path, old, new) == [
        "With another hash: 5 builds, because of py in other versions"
    ]


def test_what_most_causes_leave_is_counted(tmp_path: Path) -> None:
    old, new = (above([Item(f"lib{i}", version) for i in range(9)]) for version in ("1", "2"))
    [words] = words_of(tmp_path, old, new)
    assert words.endswith("; lib4 1 → 2 (1); 4 other causes (4)")


def test_a_toolchain_that_moved_is_one_line(tmp_path: Path) -> None:
    old, new = ([Item(f"app{i}", os=os) for i in range(4)] for os in ("ubuntu20.04", "ubuntu22.04"))
    assert words_of(tmp_path / "many", old, new) == ["Toolchain: os ubuntu20.04 → ubuntu22.04"]
    assert words_of(tmp_path / "few", old[:3], new[:3]) == []


@needs_real_catalogs
class TestRealEnvironments:
    """The three examples of docs/causes.md."""

    def test_derecho(self) -> None:
        [words] = why(derecho_diff())
        because = "openmpi 5.0.0rc16 → 5.0.0: darshan-runtime, fftw, gptl, hdf5, "
        assert words.startswith(f"{SAME} 40 builds of 14 packages, because of {because}")

    def test_julea(self) -> None:
        [words] = why(diff_of(sorted((LOCKS / "julea").glob("00[23]-*.lock"))))
        assert words.startswith(f"{SAME} 100 builds, because of glibc target x86_64 → skylake (")

    def test_e4s_says_it_once_for_all_environments(self) -> None:
        *_, moved, rebuilt = why(e4s_diff())  # behind what the first paragraphs say
        assert rebuilt.startswith(SAME)
        where = "builds of 438 packages in all but oneapi-x86_64"
        assert f" {where}, because of python in other versions (" in rebuilt
        assert "zlib replaced by zlib-ng" in rebuilt
        assert moved == "os ubuntu20.04 → ubuntu22.04 (oneapi-x86_64)"
