"""Who replaced whom (specification, section 6): passes and ties worked by hand, then the oracle.

The hashes of a case are letters, in the order of the alphabet: old ones from b, new ones from p.
"""

from collections.abc import Sequence

import pytest
from hypothesis import given

from snapdiff.diff.pairing import Effort, pair_specs
from snapdiff.limits import DEFAULT_LIMITS
from snapdiff.model.specs import Build
from tests.support.generated import Catalogs, catalogs
from tests.support.helpers import counts_by_stack, expected_readings, readings_of, report_of, spec
from tests.support.tables import cases, specs_in

CASES = """
pass 1: the same again is rebuilt
    b | p | rebuilt b p
pass 1: lowest hashes meet, the rest of the old ones is removed
    d, b, c | q, p | rebuilt b p, rebuilt c q, removed d
pass 1: lowest hashes meet, the rest of the new ones is added
    b | q, r, p | rebuilt b p, added q, added r
pass 1: it goes before an upgrade
    b | p 1.1, q | rebuilt b q, added p
pass 1: versions are the same by order
    b 1.02 | p 1-2 | rebuilt b p
pass 1: versions spelled differently tie by hash
    b 1.02, c 1.2 | p 1.2 | rebuilt b p, removed c
pass 1: versions spelled differently are paired together
    b 1.02, c 1.2, d 1.02 | p 1.2, q 1.2, r 1.02 | rebuilt b p, rebuilt c q, rebuilt d r
pass 1: the order of variants is none
    b +x ~y | p ~y +x | rebuilt b p
pass 1: a variant given twice is given once
    b +x +x | p +x | rebuilt b p
pass 1: both notations are one configuration
    b clang@=15 x:='y' | p llvm@15 x=y | rebuilt b p
pass 1: each configuration finds its own
    b +x, c ~x | p ~x, q +x | rebuilt b q, rebuilt c p
pass 2: the configuration goes before the version, for one new spec
    b 2.0, c gcc@13.1.0 | p | downgraded b p, removed c
pass 2: what has its partner is out, though another is nearer to it
    b, c 1.1 | p, q 1.0rc1 | rebuilt b p, downgraded c q
pass 2: the configuration goes before the version, for two against two
    b 2.0, c gcc@13.1.0 | p, q 3.0 gcc@14.1.0 | downgraded b p, upgraded c q
pass 2: the configuration goes before the version, for one old spec
    b | p gcc@13.1.0, q 2.0 | upgraded b q, added p
pass 2: one version is the beginning of another
    b 1.3, c 1.2 | p 1.2.0, q 1.3.1 | upgraded b q, upgraded c p
pass 2: a version rose
    b 6.3.3 | p 6.4.1 | upgraded b p
pass 2: a version fell
    b 80.9.0 | p 79.0.1 | downgraded b p
pass 2: a release followed
    b 2.0rc4 | p 2.0 | upgraded b p
pass 2: a release after develop
    b develop | p 9 | downgraded b p
pass 2: a git reference came
    b 1.2 | p git.x=1.2 | upgraded b p
pass 2: the new version with most tokens in common
    b 1.2.3 | p 2.0.0, q 1.2.4, r 1.3.0 | upgraded b q, added p, added r
pass 2: the old version with most tokens in common, though another is higher
    b 2.1.0, c 1.2.3 | p 1.2.4 | upgraded c p, removed b
pass 2: common tokens come first over all pairs
    b 1.2.3, c 1.3.0 | p 1.3.1, q 1.9.0 | upgraded c p, upgraded b q
pass 2: common tokens are those of the release part
    b 6.0rc1 | p 6.0rc2, q 6.1 | upgraded b p, added q
pass 2: common tokens are counted by meaning
    b 1.02.3 | p 1-2-4, q 1.3.0 | upgraded b p, added q
pass 2: common tokens lead: those after a difference do not count
    b 1.2.3.4 | p 2.2.3.4, q | downgraded b q, added p
pass 2: then the higher old version
    b 1.1, c 1.2 | p 1.3 | upgraded c p, removed b
pass 2: then the higher new version
    b 1.1 | p 1.2, q 1.3 | upgraded b q, added p
pass 2: the higher old version goes with the higher new one
    b 1.1, c 1.2 | p 1.3, q 1.4 | upgraded c q, upgraded b p
pass 2: the higher old version is an infinity word
    b 2.0, c main | p 1.9 | downgraded c p, removed b
pass 2: the old version decides before the new one
    b 1.9, c 1.2 | p 1.1, q 1.3, r | downgraded b q, downgraded c p, added r
pass 2: then the lowest old hash
    c 1.1, b 1.1 | p 1.2 | upgraded b p, removed c
pass 2: then the lowest new hash
    b 1.1 | q 1.2, p 1.2 | upgraded b p, added q
pass 2: alike old specs take different new versions, the lowest hash the higher
    b, c | p 1.1, q 1.2 | upgraded b q, upgraded c p
pass 2: it goes before the same version in another configuration
    b | p gcc@13.1.0, q 2.0 | upgraded b q, added p
pass 3: another compiler
    b | p gcc@13.1.0 | reconfigured b p
pass 3: another system
    b | p os=rhel8 | reconfigured b p
pass 3: another target
    b | p target=zen4 | reconfigured b p
pass 3: other variants
    b | p +x | reconfigured b p
pass 3: versions are the same by order
    b 1.02 | p 1.2 os=rhel8 | reconfigured b p
pass 3: fewest differences
    b | p gcc@13.1.0 os=rhel8, q gcc@14.1.0 | reconfigured b q, added p
pass 3: fewest differences over all pairs
    b +x, c +x +y | p +x +y +z, q +v +w +x +y | reconfigured c p, reconfigured b q
pass 3: compiler, os and target count one each
    b | p +v +w +x +y, q gcc@13.1.0 os=rhel8 target=zen4 | reconfigured b q, added p
pass 3: a variant that changed its value counts on both sides
    b +x | p ~x, q gcc@13.1.0 +x | reconfigured b q, added p
pass 3: differences are counted in the common notation
    b clang@=15 x:=1 y:=2 z:=3 | p llvm@15 x=1 y=2 z=4,
    q clang@=16 os=rhel8 target=zen4 x:=1 y:=2 z:=3 | reconfigured b p, added q
pass 3: then the old configuration as text
    b gcc@14.1.0, c gcc@13.1.0 | p | reconfigured c p, removed b
pass 3: then the new configuration as text
    b | p gcc@14.1.0, q gcc@13.1.0 | reconfigured b q, added p
pass 3: the old text before the new one
    b gcc@14.1.0, c gcc@13.1.0 | p gcc@9, q gcc@8 | reconfigured c q, reconfigured b p
pass 3: the text is in the common notation
    b clang@15, c gcc@13.1.0 | p compiler=none | reconfigured c p, removed b
pass 3: the text begins with the compiler
    b gcc@14.1.0 os=rhel8, c gcc@13.1.0 | p os=sles15 | reconfigured c p, removed b
pass 3: then comes the system
    b os=sles15 target=x86_64, c os=rocky9 target=zen3 | p os=rhel8 target=zen4 |
    reconfigured c p, removed b
pass 3: then the target
    b target=zen3 +x, c target=zen2 ~x | p target=zen4 +y | reconfigured c p, removed b
pass 3: then the variants, sorted
    b ~a +z, c ~b +y | p +x | reconfigured c p, removed b
pass 3: then the lowest hashes
    c, b | q os=rhel8, p os=rhel8, r os=rhel8 | reconfigured b p, reconfigured c q, added r
pass 3: it goes before another version, however near
    b | p gcc@13.1.0 os=rhel8 +x, q 1.0.1 gcc@13.1.0 | reconfigured b p, added q
pass 4: both changed
    b | p 1.1 gcc@13.1.0 | upgraded b p
pass 4: both changed, down
    b 1.1 | p os=rhel8 | downgraded b p
pass 4: most tokens in common, then fewest differences
    b 1.2.3 | p 1.3.0 os=rhel8, q 1.2.4 gcc@13.1.0 os=rhel8 | upgraded b q, added p
pass 4: fewest differences, then the higher old version
    b 1.1, c 1.2 os=rhel8 | p 1.3 gcc@13.1.0 | upgraded b p, removed c
pass 4: fewest differences, then the higher new version
    b 1.1 | p 1.3 gcc@13.1.0 os=rhel8, q 1.2 gcc@13.1.0 | upgraded b q, added p
pass 4: the higher old version, then the old text
    b 1.1 gcc@13.1.0, c 1.2 gcc@14.1.0 | p 1.3 | upgraded c p, removed b
pass 4: the higher new version, then the new text
    b 1.1 | p 1.2 gcc@13.1.0, q 1.3 gcc@14.1.0 | upgraded b q, added p
pass 4: the old text, then the new one
    b 1.1 gcc@14.1.0, c 1.1 gcc@13.1.0 | p 1.2 gcc@9, q 1.2 gcc@8 | upgraded c q, upgraded b p
pass 4: the new text, then the hashes
    c 1.1, b 1.1 | q 1.2 os=rhel8, p 1.2 os=rhel8, r 1.2 os=rhel8 |
    upgraded b p, upgraded c q, added r
machines: platforms do not meet in one version either
    b platform=darwin, c 2.0 platform=darwin | p +x, q 3.0 platform=darwin |
    upgraded c q, removed b, added p
machines: platforms never meet
    b platform=darwin | p | removed b, added p
machines: families never meet
    b | p target=neoverse_v2 | removed b, added p
machines: the targets of a family do
    b, c target=neoverse_v2 | p target=aarch64, q target=zen4 | reconfigured b q, reconfigured c p
machines: and so do those of another
    b target=power9le | p target=ppc64le | reconfigured b p
machines: ppc64 and ppc64le are two
    b target=ppc64 | p target=ppc64le | removed b, added p
machines: a target nobody knows is a family of its own
    b target=q7, c target=q8 | p 2.0 target=q7, q target=x86_64 | upgraded b p, removed c, added q
machines: a farther version of the family is preferred to a nearer of another
    b 1.2.3 | p 1.2.3 target=aarch64, q 9 os=rhel8 target=zen4 | upgraded b q, added p
hashes: a hash on both sides is unchanged
    b | b | nothing
hashes: whatever its spelling there
    b gcc@=12, c | b gcc@12, p | rebuilt c p
hashes: it takes part in no pair
    b, c 1.1 | b, p | downgraded c p
"""
"""What two sides hold, and what happened by hand: a kind, then the old and the new hash."""


@pytest.mark.parametrize(("before", "after", "happened"), cases(CASES, 3))
def test_what_became_of_each_spec(before: str, after: str, happened: str) -> None:
    old, new = specs_in(before), specs_in(after)
    report = report_of(old, new)
    found = [
        " ".join([kind, *(spec_hash.rstrip("a") for spec_hash in (old, new) if spec_hash)])
        for reading in readings_of(report).values()
        for _, kind, old, new, _, _ in reading.changes
    ]
    assert (sorted(found) or ["nothing"]) == sorted(happened.split(", "))
    assert readings_of(report) == expected_readings(old, new)


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
