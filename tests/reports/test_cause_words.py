"""The words of causes: each kind of event, a cause, a stack, a whole toolchain that moved."""

from pathlib import Path

import pytest

from snapdiff import CatalogDiff, diff_catalogs, load_catalog
from snapdiff.reports.cause_words import (
    cause_in_words,
    event_in_words,
    events_in_words,
    rebuilt_by,
    rebuilt_in_words,
    shared_in_words,
)
from snapdiff.reports.markdown_text import code
from snapdiff.reports.stack_reasons import rebuilt_summary, shared_fields
from snapdiff.result import StackDiff
from snapdiff.result.causes import Cause, Event
from tests.support.documents import NO_SHARED, SHARED, Item, needs
from tests.support.environments import after, before, write_locks


def plain(text: str) -> str:
    return text


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event("python", "version", "3.10", "3.11"), "python 3.10 → 3.11"),
        (Event("gcc", "target", "x86_64", "zen4"), "gcc target x86_64 → zen4"),
        (Event("gcc", "variants", ("~nls", "+x"), ()), "gcc variants ~nls +x → —"),
        (
            Event("x", "variants", ("patches=0123456789abcdef",), ()),
            "x variants patches=0123456 → —",
        ),
        (Event("zlib-ng", "replaced", "zlib", "zlib-ng"), "zlib replaced by zlib-ng"),
        (Event("gmake", "added"), "gmake added"),
        (Event("gmake", "removed"), "gmake removed"),
        (Event("perl", "recipe"), "perl recipe changed"),
        (Event("curl", "external", None, ("/usr",)), "curl external — → /usr"),
        (
            Event("slurm", "external", ("/usr",), ("/opt", "module slurm")),
            "slurm external /usr → /opt module slurm",
        ),
        (Event("zlib", "edge", ("build",), ("build", "link")), "zlib build → build link"),
        (Event("zlib", "other", "patches=a", "patches=b"), "zlib patches=a → patches=b"),
        (Event(None, "compilers"), "compilers became dependencies"),
        (Event("curl", "namespace", "builtin", "e4s"), "curl namespace builtin → e4s"),
        (Event(None, "rehash"), "nothing but hashes"),
        (Event(None, "os", "ubuntu20.04", "ubuntu22.04"), "os ubuntu20.04 → ubuntu22.04"),
    ],
)
def test_every_kind_of_event_has_its_words(event: Event, words: str) -> None:
    assert event_in_words(event, plain) == words


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


def diff_of(folder: Path, old: list[Item], new: list[Item]) -> StackDiff:
    before_lock, after_lock = map(str, write_locks(folder, old, new))
    found = diff_catalogs(load_catalog(before_lock), load_catalog(after_lock))
    return found.tags[0].stacks[0]


def test_a_stack_names_its_causes_most_first(tmp_path: Path) -> None:
    summary = rebuilt_summary(diff_of(tmp_path, before(), after()))
    assert summary
    assert rebuilt_in_words(summary, plain) == (
        "6 specs rebuilt: 4 by autoconf 2.69 → 2.71 (build only), "
        "1 by cmake 3.26.3 → 3.27.7 (build only), "
        "1 by zlib replaced by zlib-ng"
    )


def above(libs: list[Item]) -> list[Item]:
    return [*libs, *(Item(f"app{number}", needs=(needs(lib),)) for number, lib in enumerate(libs))]


def test_several_old_versions_to_one_new_one_are_one_cause(tmp_path: Path) -> None:
    old = above([Item("py", "3.8"), Item("py", "3.10"), Item("py", "3.9")])
    new = above([Item("py", "3.11", recipe=str(i)) for i in range(3)])
    summary = rebuilt_summary(diff_of(tmp_path, old, new))
    assert summary
    assert rebuilt_in_words(summary, plain) == "3 specs rebuilt: all by py → 3.11"


def test_what_most_causes_leave_is_counted(tmp_path: Path) -> None:
    old, new = (above([Item(f"lib{i}", version) for i in range(9)]) for version in ("1", "2"))
    summary = rebuilt_summary(diff_of(tmp_path, old, new))
    assert summary
    assert rebuilt_in_words(summary, plain).endswith(", 1 by lib4 1 → 2, 4 by 4 other causes")


def test_a_changelog_names_the_main_cause_alone(tmp_path: Path) -> None:
    stack = diff_of(tmp_path, before(), after())
    assert rebuilt_by([stack, stack], plain) == ("6 specs, 4 by autoconf 2.69 → 2.71 (build only)")
    old, new = (above([Item("lib", version)]) for version in ("1", "2"))
    assert rebuilt_by([diff_of(tmp_path, old, new)], plain) == "1 spec, by lib 1 → 2"
    assert rebuilt_by([], plain) == "0 specs"


def test_a_toolchain_that_moved_is_one_line(tmp_path: Path) -> None:
    old, new = (
        [Item(f"app{i}", os=os) for i in range(12)] for os in ("ubuntu20.04", "ubuntu22.04")
    )
    stack = diff_of(tmp_path, old, new)
    [shared] = shared_fields(stack)
    assert shared_in_words(shared, stack.summary.reconfigured, plain) == (
        "12 of 12 specs reconfigured: os ubuntu20.04 → ubuntu22.04"
    )
    few = diff_of(tmp_path, old[:9], new[:9])
    assert shared_fields(few) == ()
    assert rebuilt_summary(few) is None


@pytest.mark.skipif(not SHARED.is_dir(), reason=NO_SHARED)
class TestRealEnvironments:
    """The three examples of docs/causes.md."""

    def lines(self, old: Path, new: Path) -> dict[str, str]:
        found: CatalogDiff = diff_catalogs(load_catalog(str(old)), load_catalog(str(new)))
        told = {}
        for stack in found.tags[0].stacks:
            summary = rebuilt_summary(stack)
            told[stack.stack] = rebuilt_in_words(summary, plain) if summary else ""
        return told

    def locks(self, name: str, *numbers: str) -> list[Path]:
        folder = SHARED / "locks" / name
        return [next(folder.glob(f"{number}-*.lock")) for number in numbers]

    def test_derecho(self) -> None:
        old, new = self.locks("derecho", "066", "067")
        assert self.lines(old, new) == {".": "40 specs rebuilt: all by openmpi 5.0.0rc16 → 5.0.0"}

    def test_julea(self) -> None:
        old, new = self.locks("julea", "002", "003")
        assert self.lines(old, new)["."].startswith(
            "100 specs rebuilt: 70 by glibc target x86_64 → skylake, 27 by python 3.14.0 → 3.14.2, "
        )

    @pytest.mark.slow
    def test_e4s(self) -> None:
        folder = SHARED / "locks" / "e4s" / "environments"
        words = self.lines(folder / "23.08", folder / "23.11")["cuda-x86_64"]
        assert words.startswith(
            "694 specs rebuilt: 248 by python → 3.11.6, 104 by python → 3.8.18, "
            "82 by gmake added (build only), 81 by zlib replaced by zlib-ng, "
        )
        assert "cmake 3.26.3 → 3.27.7" in words
