"""Who replaced whom (specification, section 6): passes and ties worked by hand, then the oracle.

The hashes of a case are letters, in the order of the alphabet: old ones from b, new ones from p.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given

from snapdiff.diff.pairing import Effort, pair_specs
from snapdiff.limits import DEFAULT_LIMITS
from snapdiff.model.specs import Build
from tests.support.generated import Catalogs, catalogs
from tests.support.helpers import counts_by_stack, expected_readings, readings_of, report_of, spec
from tests.support.oracle import Record

RHEL: Any = {"os": "rhel8"}
GCC_13: Any = {"compiler": "gcc@13.1.0"}
GCC_14: Any = {"compiler": "gcc@14.1.0"}


class Case(NamedTuple):
    """What two sides hold, and what happened by hand: a kind, then the old and the new hash."""

    name: str
    old: list[Record]
    new: list[Record]
    happened: str


PASS_1 = [
    Case("the same again is rebuilt", [spec("b")], [spec("p")], "rebuilt b p"),
    Case(
        "lowest hashes meet, the rest of the old ones is removed",
        [spec("d"), spec("b"), spec("c")],
        [spec("q"), spec("p")],
        "rebuilt b p, rebuilt c q, removed d",
    ),
    Case(
        "lowest hashes meet, the rest of the new ones is added",
        [spec("b")],
        [spec("q"), spec("r"), spec("p")],
        "rebuilt b p, added q, added r",
    ),
    Case(
        "it goes before an upgrade",
        [spec("b", "1.0")],
        [spec("p", "1.1"), spec("q", "1.0")],
        "rebuilt b q, added p",
    ),
    Case("versions are the same by order", [spec("b", "1.02")], [spec("p", "1-2")], "rebuilt b p"),
    Case(
        "versions spelled differently tie by hash",
        [spec("b", "1.02"), spec("c", "1.2")],
        [spec("p", "1.2")],
        "rebuilt b p, removed c",
    ),
    Case(
        "versions spelled differently are paired together",
        [spec("b", "1.02"), spec("c", "1.2"), spec("d", "1.02")],
        [spec("p", "1.2"), spec("q", "1.2"), spec("r", "1.02")],
        "rebuilt b p, rebuilt c q, rebuilt d r",
    ),
    Case(
        "the order of variants is none",
        [spec("b", variants="+x ~y")],
        [spec("p", variants="~y +x")],
        "rebuilt b p",
    ),
    Case(
        "a variant given twice is given once",
        [spec("b", variants="+x +x")],
        [spec("p", variants="+x")],
        "rebuilt b p",
    ),
    Case(
        "both notations are one configuration",
        [spec("b", compiler="clang@=15", variants="x:='y'")],
        [spec("p", compiler="llvm@15", variants="x=y")],
        "rebuilt b p",
    ),
    Case(
        "each configuration finds its own",
        [spec("b", variants="+x"), spec("c", variants="~x")],
        [spec("p", variants="~x"), spec("q", variants="+x")],
        "rebuilt b q, rebuilt c p",
    ),
]

PASS_2 = [
    Case(
        "the configuration goes before the version, for one new spec",
        [spec("b", "2.0"), spec("c", "1.0", **GCC_13)],
        [spec("p", "1.0")],
        "downgraded b p, removed c",
    ),
    Case(
        "what has its partner is out, though another is nearer to it",
        [spec("b", "1.0"), spec("c", "1.1")],
        [spec("p", "1.0"), spec("q", "1.0rc1")],
        "rebuilt b p, downgraded c q",
    ),
    Case(
        "the configuration goes before the version, for two against two",
        [spec("b", "2.0"), spec("c", "1.0", **GCC_13)],
        [spec("p", "1.0"), spec("q", "3.0", **GCC_14)],
        "downgraded b p, upgraded c q",
    ),
    Case(
        "the configuration goes before the version, for one old spec",
        [spec("b", "1.0")],
        [spec("p", "1.0", **GCC_13), spec("q", "2.0")],
        "upgraded b q, added p",
    ),
    Case(
        "one version is the beginning of another",
        [spec("b", "1.3"), spec("c", "1.2")],
        [spec("p", "1.2.0"), spec("q", "1.3.1")],
        "upgraded b q, upgraded c p",
    ),
    Case("a version rose", [spec("b", "6.3.3")], [spec("p", "6.4.1")], "upgraded b p"),
    Case("a version fell", [spec("b", "80.9.0")], [spec("p", "79.0.1")], "downgraded b p"),
    Case("a release followed", [spec("b", "2.0rc4")], [spec("p", "2.0")], "upgraded b p"),
    Case("a release after develop", [spec("b", "develop")], [spec("p", "9")], "downgraded b p"),
    Case("a git reference came", [spec("b", "1.2")], [spec("p", "git.x=1.2")], "upgraded b p"),
    Case(
        "the new version with most tokens in common",
        [spec("b", "1.2.3")],
        [spec("p", "2.0.0"), spec("q", "1.2.4"), spec("r", "1.3.0")],
        "upgraded b q, added p, added r",
    ),
    Case(
        "the old version with most tokens in common, though another is higher",
        [spec("b", "2.1.0"), spec("c", "1.2.3")],
        [spec("p", "1.2.4")],
        "upgraded c p, removed b",
    ),
    Case(
        "common tokens come first over all pairs",
        [spec("b", "1.2.3"), spec("c", "1.3.0")],
        [spec("p", "1.3.1"), spec("q", "1.9.0")],
        "upgraded c p, upgraded b q",
    ),
    Case(
        "common tokens are those of the release part",
        [spec("b", "6.0rc1")],
        [spec("p", "6.0rc2"), spec("q", "6.1")],
        "upgraded b p, added q",
    ),
    Case(
        "common tokens are counted by meaning",
        [spec("b", "1.02.3")],
        [spec("p", "1-2-4"), spec("q", "1.3.0")],
        "upgraded b p, added q",
    ),
    Case(
        "common tokens lead: those after a difference do not count",
        [spec("b", "1.2.3.4")],
        [spec("p", "2.2.3.4"), spec("q", "1.0")],
        "downgraded b q, added p",
    ),
    Case(
        "then the higher old version",
        [spec("b", "1.1"), spec("c", "1.2")],
        [spec("p", "1.3")],
        "upgraded c p, removed b",
    ),
    Case(
        "then the higher new version",
        [spec("b", "1.1")],
        [spec("p", "1.2"), spec("q", "1.3")],
        "upgraded b q, added p",
    ),
    Case(
        "the higher old version goes with the higher new one",
        [spec("b", "1.1"), spec("c", "1.2")],
        [spec("p", "1.3"), spec("q", "1.4")],
        "upgraded c q, upgraded b p",
    ),
    Case(
        "the higher old version is an infinity word",
        [spec("b", "2.0"), spec("c", "main")],
        [spec("p", "1.9")],
        "downgraded c p, removed b",
    ),
    Case(
        "the old version decides before the new one",
        [spec("b", "1.9"), spec("c", "1.2")],
        [spec("p", "1.1"), spec("q", "1.3"), spec("r", "1.0")],
        "downgraded b q, downgraded c p, added r",
    ),
    Case(
        "then the lowest old hash",
        [spec("c", "1.1"), spec("b", "1.1")],
        [spec("p", "1.2")],
        "upgraded b p, removed c",
    ),
    Case(
        "then the lowest new hash",
        [spec("b", "1.1")],
        [spec("q", "1.2"), spec("p", "1.2")],
        "upgraded b p, added q",
    ),
    Case(
        "alike old specs take different new versions, the lowest hash the higher",
        [spec("b", "1.0"), spec("c", "1.0")],
        [spec("p", "1.1"), spec("q", "1.2")],
        "upgraded b q, upgraded c p",
    ),
    Case(
        "it goes before the same version in another configuration",
        [spec("b", "1.0")],
        [spec("p", "1.0", **GCC_13), spec("q", "2.0")],
        "upgraded b q, added p",
    ),
]

PASS_3 = [
    Case("another compiler", [spec("b")], [spec("p", **GCC_13)], "reconfigured b p"),
    Case("another system", [spec("b")], [spec("p", **RHEL)], "reconfigured b p"),
    Case("another target", [spec("b")], [spec("p", target="zen4")], "reconfigured b p"),
    Case("other variants", [spec("b")], [spec("p", variants="+x")], "reconfigured b p"),
    Case(
        "versions are the same by order",
        [spec("b", "1.02")],
        [spec("p", "1.2", **RHEL)],
        "reconfigured b p",
    ),
    Case(
        "fewest differences",
        [spec("b")],
        [spec("p", **GCC_13, **RHEL), spec("q", **GCC_14)],
        "reconfigured b q, added p",
    ),
    Case(
        "fewest differences over all pairs",
        [spec("b", variants="+x"), spec("c", variants="+x +y")],
        [spec("p", variants="+x +y +z"), spec("q", variants="+v +w +x +y")],
        "reconfigured c p, reconfigured b q",
    ),
    Case(
        "compiler, os and target count one each",
        [spec("b")],
        [spec("p", variants="+v +w +x +y"), spec("q", **GCC_13, **RHEL, target="zen4")],
        "reconfigured b q, added p",
    ),
    Case(
        "a variant that changed its value counts on both sides",
        [spec("b", variants="+x")],
        [spec("p", variants="~x"), spec("q", variants="+x", **GCC_13)],
        "reconfigured b q, added p",
    ),
    Case(
        "differences are counted in the common notation",
        [spec("b", compiler="clang@=15", variants="x:=1 y:=2 z:=3")],
        [
            spec("p", compiler="llvm@15", variants="x=1 y=2 z=4"),
            spec("q", compiler="clang@=16", variants="x:=1 y:=2 z:=3", **RHEL, target="zen4"),
        ],
        "reconfigured b p, added q",
    ),
    Case(
        "then the old configuration as text",
        [spec("b", **GCC_14), spec("c", **GCC_13)],
        [spec("p")],
        "reconfigured c p, removed b",
    ),
    Case(
        "then the new configuration as text",
        [spec("b")],
        [spec("p", **GCC_14), spec("q", **GCC_13)],
        "reconfigured b q, added p",
    ),
    Case(
        "the old text before the new one",
        [spec("b", **GCC_14), spec("c", **GCC_13)],
        [spec("p", compiler="gcc@9"), spec("q", compiler="gcc@8")],
        "reconfigured c q, reconfigured b p",
    ),
    Case(
        "the text is in the common notation",
        [spec("b", compiler="clang@15"), spec("c", **GCC_13)],
        [spec("p", compiler="none")],
        "reconfigured c p, removed b",
    ),
    Case(
        "the text begins with the compiler",
        [spec("b", **GCC_14, **RHEL), spec("c", **GCC_13)],
        [spec("p", os="sles15")],
        "reconfigured c p, removed b",
    ),
    Case(
        "then comes the system",
        [spec("b", os="sles15", target="x86_64"), spec("c", os="rocky9", target="zen3")],
        [spec("p", os="rhel8", target="zen4")],
        "reconfigured c p, removed b",
    ),
    Case(
        "then the target",
        [spec("b", target="zen3", variants="+x"), spec("c", target="zen2", variants="~x")],
        [spec("p", target="zen4", variants="+y")],
        "reconfigured c p, removed b",
    ),
    Case(
        "then the variants, sorted",
        [spec("b", variants="~a +z"), spec("c", variants="~b +y")],
        [spec("p", variants="+x")],
        "reconfigured c p, removed b",
    ),
    Case(
        "then the lowest hashes",
        [spec("c"), spec("b")],
        [spec("q", **RHEL), spec("p", **RHEL), spec("r", **RHEL)],
        "reconfigured b p, reconfigured c q, added r",
    ),
    Case(
        "it goes before another version, however near",
        [spec("b", "1.0")],
        [spec("p", "1.0", **GCC_13, **RHEL, variants="+x"), spec("q", "1.0.1", **GCC_13)],
        "reconfigured b p, added q",
    ),
]

PASS_4 = [
    Case("both changed", [spec("b", "1.0")], [spec("p", "1.1", **GCC_13)], "upgraded b p"),
    Case("both changed, down", [spec("b", "1.1")], [spec("p", "1.0", **RHEL)], "downgraded b p"),
    Case(
        "most tokens in common, then fewest differences",
        [spec("b", "1.2.3")],
        [spec("p", "1.3.0", **RHEL), spec("q", "1.2.4", **GCC_13, **RHEL)],
        "upgraded b q, added p",
    ),
    Case(
        "fewest differences, then the higher old version",
        [spec("b", "1.1"), spec("c", "1.2", **RHEL)],
        [spec("p", "1.3", **GCC_13)],
        "upgraded b p, removed c",
    ),
    Case(
        "fewest differences, then the higher new version",
        [spec("b", "1.1")],
        [spec("p", "1.3", **GCC_13, **RHEL), spec("q", "1.2", **GCC_13)],
        "upgraded b q, added p",
    ),
    Case(
        "the higher old version, then the old text",
        [spec("b", "1.1", **GCC_13), spec("c", "1.2", **GCC_14)],
        [spec("p", "1.3")],
        "upgraded c p, removed b",
    ),
    Case(
        "the higher new version, then the new text",
        [spec("b", "1.1")],
        [spec("p", "1.2", **GCC_13), spec("q", "1.3", **GCC_14)],
        "upgraded b q, added p",
    ),
    Case(
        "the old text, then the new one",
        [spec("b", "1.1", **GCC_14), spec("c", "1.1", **GCC_13)],
        [spec("p", "1.2", compiler="gcc@9"), spec("q", "1.2", compiler="gcc@8")],
        "upgraded c q, upgraded b p",
    ),
    Case(
        "the new text, then the hashes",
        [spec("c", "1.1"), spec("b", "1.1")],
        [spec("q", "1.2", **RHEL), spec("p", "1.2", **RHEL), spec("r", "1.2", **RHEL)],
        "upgraded b p, upgraded c q, added r",
    ),
]

MACHINES = [
    Case(
        "platforms do not meet in one version either",
        [spec("b", platform="darwin"), spec("c", "2.0", platform="darwin")],
        [spec("p", platform="linux", variants="+x"), spec("q", "3.0", platform="darwin")],
        "upgraded c q, removed b, added p",
    ),
    Case(
        "platforms never meet",
        [spec("b", platform="darwin")],
        [spec("p", platform="linux")],
        "removed b, added p",
    ),
    Case(
        "families never meet",
        [spec("b", target="x86_64_v3")],
        [spec("p", target="neoverse_v2")],
        "removed b, added p",
    ),
    Case(
        "the targets of a family do",
        [spec("b", target="x86_64_v3"), spec("c", target="neoverse_v2")],
        [spec("p", target="aarch64"), spec("q", target="zen4")],
        "reconfigured b q, reconfigured c p",
    ),
    Case(
        "and so do those of another",
        [spec("b", target="power9le")],
        [spec("p", target="ppc64le")],
        "reconfigured b p",
    ),
    Case(
        "ppc64 and ppc64le are two",
        [spec("b", target="ppc64")],
        [spec("p", target="ppc64le")],
        "removed b, added p",
    ),
    Case(
        "a target nobody knows is a family of its own",
        [spec("b", target="q7"), spec("c", target="q8")],
        [spec("p", "2.0", target="q7"), spec("q", target="x86_64")],
        "upgraded b p, removed c, added q",
    ),
    Case(
        "a farther version of the family is preferred to a nearer of another",
        [spec("b", "1.2.3")],
        [spec("p", "1.2.3", target="aarch64"), spec("q", "9", target="zen4", **RHEL)],
        "upgraded b q, added p",
    ),
]

HASHES = [
    Case("a hash on both sides is unchanged", [spec("b")], [spec("b")], ""),
    Case(
        "whatever its spelling there",
        [spec("b", compiler="gcc@=12"), spec("c")],
        [spec("b", compiler="gcc@12"), spec("p")],
        "rebuilt c p",
    ),
    Case(
        "it takes part in no pair",
        [spec("b", "1.0"), spec("c", "1.1")],
        [spec("b", "1.0"), spec("p", "1.0")],
        "downgraded c p",
    ),
]

CASES = {
    f"{group}: {case.name}": case
    for group, cases in {
        "pass 1": PASS_1,
        "pass 2": PASS_2,
        "pass 3": PASS_3,
        "pass 4": PASS_4,
        "machines": MACHINES,
        "hashes": HASHES,
    }.items()
    for case in cases
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_became_of_each_spec(case: Case) -> None:
    report = report_of(case.old, case.new)
    found = [
        " ".join([kind, *(spec_hash.rstrip("a") for spec_hash in (old, new) if spec_hash)])
        for reading in readings_of(report).values()
        for _, kind, old, new, _, _ in reading.changes
    ]
    assert sorted(found) == sorted(case.happened.split(", ") if case.happened else [])
    assert readings_of(report) == expected_readings(case.old, case.new)


def test_every_stack_is_paired_for_itself() -> None:
    old = [spec("b", "1.0", stacks="e4s hep root"), spec("c", "1.1", stacks="hep root")]
    new = [spec("p", "1.2", stacks="e4s hep root"), spec("q", "1.3", stacks="ml root")]
    report = report_of(old, new)
    assert counts_by_stack(report) == {
        "e4s": {"specs old": 1, "specs new": 1, "upgraded": 1},
        "hep": {"specs old": 2, "specs new": 1, "upgraded": 1, "removed": 1},
        "ml": {"specs old": 0, "specs new": 1, "added": 1},
    }
    hep = readings_of(report)["develop", "hep"]
    assert ("zlib", "upgraded", old[1]["hash"], new[0]["hash"], "1.1", "1.2") in hep.changes


def test_every_package_is_paired_for_itself() -> None:
    old = [spec("b", package="zlib"), spec("c", package="hdf5")]
    new = [spec("p", package="zlib"), spec("q", package="mpich")]
    assert counts_by_stack(report_of(old, new)) == {
        "e4s": {"specs old": 2, "specs new": 2, "rebuilt": 1, "removed": 1, "added": 1}
    }


@pytest.mark.parametrize(
    ("stacks", "counted"),
    [
        ("e4s root", ["e4s"]),
        ("root e4s hep", ["e4s", "hep"]),
        ("e4s", ["e4s"]),
        ("e4s e4s", ["e4s"]),
        ("root", ["root"]),
        ("", ["root"]),
    ],
)
def test_a_spec_counts_in_each_of_its_stacks_and_in_root_where_it_has_none(
    stacks: str, counted: list[str]
) -> None:
    counts = counts_by_stack(report_of([], [spec("b", stacks=stacks)]))
    assert counts == {stack: {"specs old": 0, "specs new": 1, "added": 1} for stack in counted}


def test_a_hash_that_moved_between_stacks_left_one_and_came_to_the_other() -> None:
    old = [spec("b", stacks="e4s hep"), spec("c", stacks="e4s")]
    new = [spec("b", stacks="hep ml"), spec("c", stacks="root")]
    assert counts_by_stack(report_of(old, new)) == {
        "e4s": {"specs old": 2, "specs new": 0, "removed": 2},
        "hep": {"specs old": 1, "specs new": 1, "unchanged": 1},
        "ml": {"specs old": 0, "specs new": 1, "added": 1},
        "root": {"specs old": 0, "specs new": 1, "added": 1},
    }


@pytest.mark.slow
@given(catalogs())
def test_generated_catalogs_agree_with_the_oracle(both: Catalogs) -> None:
    old, new = both
    assert readings_of(report_of(old, new)) == expected_readings(old, new)


def test_one_version_that_became_three_is_paired_with_the_newest_first() -> None:
    old = [spec(name, "1.0") for name in "abc"]
    new = [spec("p", "1.1"), spec("q", "1.2"), spec("r", "1.3")]
    changes = report_of(old, new)["tags"][0]["stacks"][0]["changes"]
    pairs = {(change["old"]["hash"][0], change["new"]["version"]) for change in changes}
    assert pairs == {("a", "1.3"), ("b", "1.2"), ("c", "1.1")}


def of_one_build(*hashes: str) -> dict[Build, list[str]]:
    build = Build("1.0", "gcc@12", "rhel8", "linux", "x86_64", (), frozenset(["e4s"]))
    return {build: list(hashes)}


@pytest.mark.parametrize(
    ("old", "new", "pairs", "removed", "added"),
    [
        ("b", "p", "bp", "", ""),
        ("bc", "p", "cp", "b", ""),
        ("b", "pq", "bq", "", "p"),
        ("cb", "qp", "bp cq", "", ""),
        ("bcd", "pq", "cp dq", "b", ""),
    ],
)
def test_where_specs_are_alike_and_one_side_has_several_who_knows_more_decides(
    old: str, new: str, pairs: str, removed: str, added: str
) -> None:
    def highest(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str]]:
        size = min(len(before), len(after))
        return list(zip(before[-size:], after[-size:], strict=True))

    found = pair_specs(of_one_build(*old), of_one_build(*new), Effort(DEFAULT_LIMITS), highest)
    assert sorted(map("".join, found.pairs)) == pairs.split()
    assert ("".join(found.removed), "".join(found.added)) == (removed, added)
