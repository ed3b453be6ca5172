"""What happened to the roots of a package, and what beside (docs/specification.md, section 9)."""

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import UNSET, structs

from snapdiff.diff.package_kinds import change_of_package
from snapdiff.diff.package_parts import parts_of
from snapdiff.model.specs import Spec
from snapdiff.result.changes import Change
from snapdiff.result.packages import Count, Kind, PartChange

EXAMPLES = [
    # builds before and after and their pairs, a root with a star; the roots' part; the others' part
    pytest.param("1.0*=1.0* 1.0-", "rebuilt", "removed -1", id="a dependency's build is lost"),
    pytest.param("1.0=1.0* 1.0*-", "rebuilt", "removed -1", id="whichever has the root's hash"),
    pytest.param("1.0*=1.0* +1.0", "rebuilt", "added +1", id="a dependency's build is new"),
    pytest.param(
        "3.8*=3.8* 3.7-", "rebuilt", "removed 3.7| -1", id="a dependency's version is lost"
    ),
    pytest.param("1.0*=1.0* 1.0=0.9 1.0", "rebuilt", "added |0.9", id="one goes to a version"),
    pytest.param("1.9*=2.1* 1.9=1.8", "upgraded 1.9|2.1", "downgraded 1.9|1.8", id="up, and down"),
    pytest.param("1.0*=3.0* 1.5=3.0 1.1", "upgraded 1.0|3.0", "upgraded 1.5|3.0", id="to one"),
    pytest.param("1.0*=3.0* 3.0=1.0", "upgraded 1.0|3.0", "downgraded 3.0|1.0", id="back"),
    pytest.param("1.0*=3.0* 3.0=1.0 3.0", "upgraded 1.0|3.0", "added |1.0", id="one back"),
    pytest.param(
        "3.0*=1.0* 1.0=2.0 2.0=3.0", "downgraded 3.0|1.0", "upgraded 1.0|3.0", id="in a ring"
    ),
    pytest.param("1.9*=2.1* 1.8=1.7", "upgraded 1.9|2.1", "downgraded 1.8|1.7", id="up and down"),
    pytest.param("1.9*=2.1* 1.9=2.1", "upgraded 1.9|2.1", "", id="together"),
    pytest.param("1.0*=1.0* 1.0~1.0", "rebuilt", "reconfigured", id="a dependency's configuration"),
    pytest.param("3.8*=3.9 3.7=3.8*", "rebuilt", "upgraded 3.7|3.9", id="crosswise"),
    pytest.param("1*=2* 1*=1* 2*=2*", "", "", id="a root from one version to another"),
    pytest.param("1*=2* 1*=1* 2*=2* 1-", "reconfigured", "removed -1", id="beside it"),
    pytest.param("2.0*=2.0* 1.0*-", "", "", id="nothing but roots"),
    pytest.param("1.0*~1.0* 1.0", "reconfigured", "", id="the root's configuration"),
    pytest.param("1.0*~1.0* 1.0=1.0", "reconfigured", "rebuilt", id="and a dependency's hash"),
    pytest.param(
        "1.0*~1.0* 0.9", "reconfigured", "", id="a dependency of another version as before"
    ),
    pytest.param("1.0=1.0 1.0*", "", "rebuilt", id="a dependency's hash, the root as before"),
    pytest.param("1.0*=1.0* 1.0*- 1.0", "removed -1", "", id="one root fewer, of two"),
    pytest.param("1.0*- 1.0* 1.0- 1.0", "removed -1", "removed -1", id="a root and another fewer"),
    pytest.param(
        "1.0~1.0 1.0=1.0* 2.0*=2.0*", "rebuilt", "reconfigured", id="beside one asked for now"
    ),
    pytest.param("1.0=1.0 2.0*=2.0* +3.0*", "upgraded |3.0 +1", "rebuilt", id="or another hash"),
    pytest.param("2.0*=2.0* 1.0*=1.0 1.0-", "rebuilt", "removed -1", id="the root is still there"),
    pytest.param("3.0*=3.0* 1.0*=2.0 0.9-", "removed 1.0| -1", "upgraded 0.9|2.0 -1 +1", id="anew"),
    pytest.param("2.0* 1.0=2.0* 1.0", "added +1", "removed -1", id="another root of its version"),
    pytest.param("2.0* 1.0*- 1.0", "removed -1", "", id="its version is still a dependency's"),
    pytest.param("2.0* +1.0* 1.0", "added +1", "", id="its version was a dependency's before"),
    pytest.param(
        "3.1*=3.2* 2.0*- 1.0*- 3.1 1.0",
        "upgraded 2.0,3.1|3.2 -2",
        "",
        id="and of a step's, no step",
    ),
    pytest.param("1-2*=1.3* 1-2~1.2", "upgraded 1-2|1.3", "reconfigured", id="spelled otherwise"),
    pytest.param("2.0*- 1.0=1.0* 0.9-", "downgraded 2.0|1.0", "removed 0.9| -1", id="its place"),
    pytest.param("1.0*=1.0 +2.0* 0.9-", "upgraded 1.0|2.0", "removed 0.9| -1", id="a new one's"),
    pytest.param(
        "2.0*- 1.0=1.5* 0.9", "downgraded 2.0|1.5", "downgraded 1.0| -1", id="moved there"
    ),
    pytest.param("1.0*=1.0* 2.0*=2.0", "", "", id="asked for no longer, and there"),
    pytest.param("1.0*=1.0* 2.0=2.0*", "", "", id="asked for now, and there before"),
    pytest.param("1.0*=1.0* 1.0*=1.0 0.9-", "rebuilt", "removed 0.9| -1", id="of one version"),
    pytest.param(
        "2.0*=2.0* 1.0*- 0.9-", "removed 1.0| -1", "removed 0.9| -1", id="a root's version"
    ),
]


Numbers = tuple[Counter[str], Counter[str]]


def parse(builds: str) -> tuple[list[Change], Numbers, Numbers]:
    """Return the changes, and how many builds, and roots, of each version a side has."""
    changes: list[Change] = []
    every: Numbers = (Counter(), Counter())
    roots: Numbers = (Counter(), Counter())
    for text in builds.split():
        sign = next((sign for sign in "=~-+" if sign in text), "")
        sides = {"-": (text[:-1], ""), "+": ("", text[1:]), "": (text, text)}
        before, after = sides[sign] if sign in sides else tuple(text.split(sign))
        specs: list[Spec | None] = []
        for side, word in enumerate((before, after)):
            version = word.rstrip("*")
            if word:
                every[side][version] += 1
                roots[side].update([version] if word.endswith("*") else [])
            explicit = word.endswith("*")
            key = f"{len(changes)} {side}"
            spec = Spec(key, version, "gcc", "os", "linux", "x86_64", (), explicit)
            specs.append(spec if word else None)
        if sign:
            kind = {"-": Kind.REMOVED, "+": Kind.ADDED, "~": Kind.RECONFIGURED}.get(sign)
            moved = Kind.UPGRADED if before < after else Kind.DOWNGRADED
            same = Kind.REBUILT if before.rstrip("*") == after.rstrip("*") else moved
            changes.append(Change(kind or same, "hdf5", specs[0], specs[1]))
    return changes, every, roots


def shown(part: PartChange | None) -> str:
    """Return a part as the examples write it."""
    if part is None:
        return ""
    words = [part.kind.value]
    if part.gone or part.came:
        words.append(f"{','.join(part.gone)}|{','.join(part.came)}")
    words += [f"-{part.specs.removed}"] if part.specs.removed else []
    words += [f"+{part.specs.added}"] if part.specs.added else []
    return " ".join(words)


@pytest.mark.parametrize(("builds", "asked_for", "others"), EXAMPLES)
def test_roots_are_told_from_other_builds(builds: str, asked_for: str, others: str) -> None:
    changes, every, roots = parse(builds)
    found = parts_of(change_of_package("hdf5", *every, changes), every, roots, changes)
    assert (found is None) == (not asked_for and not others)
    if found:
        assert shown(found.asked_for) == asked_for
        assert shown(found.others) == others
        if found.asked_for:
            number, specs = found.asked_for.builds, found.asked_for.specs
            assert number.new - number.old == specs.added - specs.removed
            assert number.old >= roots[0].total()
            assert number.new >= roots[1].total()
            assert not found.asked_for.whole
        for part in (found.asked_for, found.others):
            if part and part.versions is not UNSET:
                sums = (sum(it.old for it in part.versions), sum(it.new for it in part.versions))
                assert part.builds == Count(*sums)


@pytest.mark.parametrize(
    ("builds", "kept"),
    [
        ("1.9*=2.1* +2.1", ()),
        ("1.9*=2.1* +1.8", ()),
        ("1.9*=1.9* 1.9*=2.1* +2.1", ()),
        ("2.0*=2.0* +1.1* +1.1 +1.0", ()),
        ("1.9*=1.9* 1.9*=2.1* +1.9", ("1.9",)),
        ("1.9*=2.1* 1.8-", ()),
        ("1.9*=2.1* 1.8=1.7 1.6", ("1.6",)),
    ],
)
def test_a_version_that_came_with_a_root_was_not_there_for_others(
    builds: str, kept: tuple[str, ...]
) -> None:
    changes, every, roots = parse(builds)
    found = parts_of(change_of_package("hdf5", *every, changes), every, roots, changes)
    assert found
    assert found.others
    assert found.others.kept == kept


@pytest.mark.parametrize(
    ("builds", "asked_for", "others"),
    [
        ("1.0*=1.0* 1.0=1.0 1.0-", "rebuilt", "removed rebuilt"),
        ("1.0*=1.0* +1.0", "rebuilt", "added"),
        ("1.0*~1.0* 1.0~1.0 1.0=1.0", "reconfigured", "rebuilt reconfigured"),
        ("1.9*=2.1* 1.9=2.1 +2.1", "upgraded", "added upgraded"),
        ("1.9*=2.1* 1.9=2.1 1.8=1.8", "upgraded", "upgraded rebuilt"),
        # a root in a pair with a dependency: each part has one of what is in both pairs
        ("3.8*=3.9 3.7=3.8*", "rebuilt", "upgraded"),
        ("3.8*=3.8 3.7=3.8*", "rebuilt", "upgraded"),
        ("3.8*~3.8 3.9=3.8*", "rebuilt", "downgraded"),
        ("1.0*=2.0 +2.0*", "upgraded", "added"),
        ("1.0*~1.0 1.0~1.0* 1.0-", "rebuilt", "removed rebuilt"),
        # roots that are no pair are for two processors: one is gone, one is new
        ("1.0*- +1.0* 1.0=1.0", "removed added", "rebuilt"),
        ("1.0*- +1.0* 1.0", "removed added", ""),
    ],
)
def test_each_part_counts_what_happened_to_its_own_builds(
    builds: str, asked_for: str, others: str
) -> None:
    changes, every, roots = parse(builds)
    found = parts_of(change_of_package("hdf5", *every, changes), every, roots, changes)
    for part, kinds in ((found and found.asked_for, asked_for), (found and found.others, others)):
        numbers = {kind: part.specs.count(kind) for kind in Kind} if part else {}
        assert {kind: number for kind, number in numbers.items() if number} == dict.fromkeys(
            kinds.split(), 1
        )
        if part and part.kind in (Kind.REMOVED, Kind.ADDED):
            assert numbers[part.kind] or part.gone or part.came


def test_a_pair_across_both_parts_is_told_by_its_compiler() -> None:
    changes, every, roots = parse("1.0*=1.0 1.0=1.0* 1.0-")
    root = changes[0].old
    assert root
    changes[0] = structs.replace(changes[0], old=structs.replace(root, compiler="clang"))
    found = parts_of(change_of_package("hdf5", *every, changes), every, roots, changes)
    assert found
    assert found.others
    assert found.others.specs.reconfigured == 0
    assert found.asked_for
    assert found.asked_for.kind is Kind.RECONFIGURED


WORDS = st.lists(
    st.sampled_from(
        [
            *("1", "2*", "1*=1*", "1=1", "1~1", "2*~2*", "1*=2*", "1=2"),
            *("2*=1", "2=1*", "1*~1", "1~1*", "1-", "2*-", "+1", "+2*"),
        ]
    ),
    min_size=1,
    max_size=7,
)


@given(WORDS)
def test_no_part_counts_more_than_it_has(words: list[str]) -> None:
    changes, every, roots = parse(" ".join(words))
    assume(changes and all(roots))
    found = parts_of(change_of_package("hdf5", *every, changes), every, roots, changes)
    for part, of_roots in ((found and found.asked_for, True), (found and found.others, False)):
        if part and found:
            had, has = part.builds.old, part.builds.new
            if not of_roots:
                own = found.asked_for.builds if found.asked_for else Count(0, 0)
                had, has = every[0].total() - own.old, every[1].total() - own.new
            pairs = sum(map(part.specs.count, (Kind.UPGRADED, Kind.DOWNGRADED)))
            pairs += part.specs.rebuilt + part.specs.reconfigured
            assert pairs + part.specs.removed <= had
            assert pairs + part.specs.added <= has
            numbers = [(it.old, it.new) for it in part.versions or ()]
            assert all(min(some) >= 0 < max(some) for some in numbers)


def test_builds_that_went_along_with_the_roots_are_counted_and_no_more() -> None:
    changes, every, roots = parse("1.9*=2.1* 1.9=2.1 +0.6")
    found = parts_of(change_of_package("hdf5", *every, changes), every, roots, changes)
    assert found
    assert shown(found.asked_for) == "upgraded 1.9|2.1"
    assert shown(found.others) == "added |0.6 +1"
    assert found.others
    assert (found.others.builds, found.others.specs.upgraded) == (Count(1, 2), 1)
