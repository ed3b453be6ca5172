"""What is asked for has one story: in the whole report, with `--explicit`, and for gates.

All are read from the same two locks, in which some builds of one package are roots and some are
dependencies. Section 9 of docs/specification.md says what is told of them.
"""

import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from snapdiff import CatalogDiff, Filters, diff_catalogs, load_catalog, render_report
from snapdiff.cli.gate import judge
from snapdiff.reports.moves.products import in_parts
from snapdiff.result.packages import Kind, PackageChange, PartChange
from tests.support.documents import Item, needs
from tests.support.environments import write_locks
from tests.support.tables import table

BUILD = re.compile(
    r"(?P<label>[a-z])(?P<version>[\d.]+)(?P<x>[+]?)(?:%(?P<gcc>\d+))?(?P<root>[*]?)"
)

ABOUT_ROOTS = ("kind", "whole", "gone", "came", "kept", "specs", "builds", "versions")


def items(builds: str) -> list[Item]:
    """Builds of `p`, each as `b1.0+%14*`: label, version, variant, compiler, and a root's star."""
    own = []
    for word in builds.split():
        found = BUILD.fullmatch(word)
        assert found, word
        item = Item(
            *("p", found["version"]),
            compiler=("gcc", found["gcc"] or "12"),
            parameters={"x": bool(found["x"])},
            recipe=found["label"],
            explicit=bool(found["root"]),
        )
        own.append(item)
    below = [it for it in own if not it.explicit]
    users = [Item(f"user-{it.key}", explicit=True, needs=(needs(it),)) for it in below]
    return [*own, *users]


class Told(NamedTuple):
    """What one report says of `p`: all, and as about a product; which kinds a gate finds."""

    diff: CatalogDiff
    change: PackageChange | None
    product: PackageChange | None
    gate: set[Kind]

    @property
    def text(self) -> str:
        """The report on a terminal, without breaks of lines."""
        return " ".join(render_report(self.diff, "text").split())


def told_of(old: str, new: str) -> tuple[Told, Told]:
    """What is told of the builds of `p`, in the whole report and with `--explicit`."""
    with tempfile.TemporaryDirectory() as folder:
        write_locks(Path(folder), items(old), items(new))
        sides = [load_catalog(f"{side}.lock", repository=Path(folder)) for side in ("old", "new")]
        filters = Filters(package=("p",)), Filters(package=("p",), explicit=True)
        diffs = [diff_catalogs(*sides, filters=it) for it in filters]
    return _told(diffs[0]), _told(diffs[1])


def _told(diff: CatalogDiff) -> Told:
    stacks = [stack for tag in diff.tags for stack in tag.stacks]
    changes = [change for stack in stacks for change in stack.package_changes]
    parts = [
        it
        for stack in stacks
        for it in in_parts(stack, set(Kind), has_products=True).package_changes
    ]
    products = [it for it in parts if not it.is_dependency and it.specs != type(it.specs)()]
    assert max(len(changes), len(products)) <= 1
    gate = {kind for kind in Kind if judge(diff, (kind,)).offenders}
    return Told(diff, next(iter(changes), None), next(iter(products), None), gate)


def roots_of(builds: str) -> list[Item]:
    """The builds of `p` that are roots."""
    return [it for it in items(builds) if it.name == "p" and it.explicit]


# --- Any locks ---

LOOKS = [f"{label}{build}" for label in "abc" for build in ("1.0", "1.0+", "1.0%14", "2.0", "3.0+")]


@st.composite
def two_sides(draw: st.DrawFn) -> tuple[str, str]:
    """Builds before and after; many are there on both sides, and some are roots of one alone."""
    sides: tuple[list[str], list[str]] = ([], [])
    for look in draw(st.lists(st.sampled_from(LOOKS), min_size=2, max_size=6, unique=True)):
        roles = draw(st.sampled_from(["**", "* ", " *", "  ", "*-", "-*", " -", "- "]))
        for side, role in zip(sides, roles, strict=True):
            side += [] if role == "-" else [f"{look}{role.strip()}"]
    return " ".join(sides[0]), " ".join(sides[1])


@given(two_sides())
def test_reports_and_gates_agree_on_what_was_asked_for(sides: tuple[str, str]) -> None:
    old, new = ({it.key for it in items(side)} for side in sides)
    old_roots, new_roots = ({it.key for it in roots_of(side)} for side in sides)
    assume(old_roots and new_roots)
    whole, explicit = told_of(*sides)

    # Every report tells the same of roots, and a gate finds what the report that it is about says.
    about_roots = [
        product and [getattr(product, key) for key in ABOUT_ROOTS]
        for product in (whole.product, explicit.product, explicit.change)
    ]
    assert about_roots[0] == about_roots[1] == about_roots[2]
    for told in (whole, explicit):
        assert told.gate == set(told.change.kinds if told.change else ())

    # Nothing is told of what is asked for no longer, or only now, and there all the same.
    if (new_roots <= old_roots <= new) or (old_roots <= new_roots <= old):
        assert explicit.change is None
    if whole.change is None:
        return
    parts = whole.change.parts
    both: list[PartChange | PackageChange] = [whole.change]
    if parts:
        both = [it for it in (parts.asked_for, parts.others) if it]
    changes = [it for tag in whole.diff.tags for some in tag.stacks for it in some.changes]
    pairs = ((it.old, it.new) for it in changes if it.old and it.new)
    across = sum(bool(before.explicit) is not bool(after.explicit) for before, after in pairs)
    for kind in (Kind.REMOVED, Kind.ADDED):
        number, told_of_parts = (
            whole.change.specs.count(kind),
            sum(it.specs.count(kind) for it in both),
        )
        # No part lost, or got, what the package did not, unless a root became a dependency of
        # another version, or the other way round; what it did is told, or a step says it.
        assert told_of_parts <= number + across
        steps = [it.specs.upgraded + it.specs.downgraded for it in both]
        assert told_of_parts >= number or any(steps)
    if root := whole.product:
        assert root.builds.new - root.builds.old == root.specs.added - root.specs.removed
        assert root.builds.old >= len(old_roots)
        assert root.builds.new >= len(new_roots)
        # A version is not lost that is still asked for, nor new if it was asked for before.
        assert not {it.version for it in roots_of(sides[1])}.intersection(root.gone)
        assert not {it.version for it in roots_of(sides[0])}.intersection(root.came)


# --- Some locks ---

EXAMPLES = """
a root is gone, and a dependency has its place
    a2.0+* b1.0+ c1.0 / b1.0+* / downgraded 2.0|1.0 1:1 / removed | 2:0 -1 / downgraded removed /
    downgraded / p 2.0 → 1.0 / p 1.0: 1 build gone
a root is only a dependency, and another version is gone
    a3.0* b1.0* c2.0 / d3.0+* b1.0 / reconfigured | 2:2 / removed 2.0| 1:0 -1 / removed /
    reconfigured / variant ~x → +x / p 2.0 gone, as a dependency
a root is only a dependency, and an equal build is gone
    a1.0%11* b1.0* c1.0 / a1.0%11* b1.0 / - / removed | 1:0 -1 / removed / - / - /
    p 1.0: 1 equal build fewer
a dependency is a root, and another one came
    a3.0* b1.0+* c1.0+%14 / a3.0* b1.0+* c1.0+%14* d1.0+%11 / - / added | 0:1 +1 / added / - / - /
    p 1.0: 1 build new (with gcc 11)
a root is only a dependency, and one more came of a version that was a root before
    a1.2* b1.4* d1.0 / a1.2 b1.4* c1.4%14* d1.0 / added | 2:3 +1 / - / added / added /
    p: 1 of 3 builds new (1.4, with gcc 14) / -
what was a dependency is a root of a lower version, beside another root
    a1.4* b1.4%14 / a1.4* c1.2%14* / added |1.2 1:2 +1 / removed | 1:0 -1 / added / added /
    p 1.2 added beside the newer 1.4 / p 1.4: 1 build gone
the only root is reconfigured
    a1.0* c1.0%14 / a1.0+* c1.0%14 / reconfigured | 1:1 / - / reconfigured / reconfigured /
    variant ~x → +x / -
two that have not changed are a root each, before and after
    a1.0* b1.0%14 c2.0 / a1.0 b1.0%14* / - / removed 2.0| 1:0 -1 / downgraded removed / - / - /
    p 2.0 gone, as a dependency
a new root has the place of one that stays
    a1.0* b1.0+%14 c2.0* / a1.0 b1.0+%14* c2.0 d3.0* / upgraded 2.0|3.0 3:3 / - / upgraded /
    upgraded / p 2.0 → 3.0, still has 1.0 / -
another build of its version has the place of a root
    a1.0* b1.0+%14 c1.0%13 / b1.0+%14* c1.0%13 / removed | 2:1 -1 / - / removed / removed /
    p 1.0: 1 of 2 builds gone / -
one of the builds beside roots is gone, and others of these are equal
    a1.0* e1.0+* b1.0%14 c1.0%14 d1.0%13 / a1.0* e1.0+* b1.0%14 c1.0%14 / - / removed | 3:2 -1 /
    removed / - / - / p 1.0: 1 of 3 builds gone (with gcc 13)
builds beside roots are gone and went to another version, and roots are counted apart
    a2.0* e2.0+* b2.0%14 c2.0%14 d2.0%13 / a2.0* e2.0+* b2.0%14 d3.0%13 / - / upgraded |3.0 3:2 -1 /
    upgraded removed / - / - / p 3.0 added beside 2.0, 2 of 3 builds of 2.0 gone, as a dependency
a dependency goes along with the root
    a1.0* b1.0%14 / c2.0+* d2.0+%14 / upgraded 1.0|2.0 1:1 / - / upgraded / upgraded /
    p 1.0 → 2.0 (now +x) / -
"""
"""Builds before and after; what happened to roots and to others; what a gate finds, with
`--explicit` too; what the report says of products, and of dependencies."""


EXAMPLES_BY_NAME = table(EXAMPLES, 8, " / ")


def shown(part: PartChange | PackageChange | None) -> str:
    """What happened to a part, its versions that are gone and came, its builds, those of them."""
    if part is None:
        return ""
    builds, specs = part.builds, part.specs
    words = [f"{part.kind} {','.join(part.gone)}|{','.join(part.came)} {builds.old}:{builds.new}"]
    words += [f"-{specs.removed}"] if specs.removed else []
    words += [f"+{specs.added}"] if specs.added else []
    return " ".join(words)


@pytest.mark.parametrize("row", EXAMPLES_BY_NAME.values(), ids=EXAMPLES_BY_NAME)
def test_what_is_asked_for_and_what_is_beside(row: tuple[str, ...]) -> None:
    words = ["" if it == "-" else it for it in row]
    old, new, of_roots, of_others, gate, explicit_gate, product, dependency = words
    whole, explicit = told_of(old, new)
    assert whole.change
    assert whole.change.parts
    parts = whole.change.parts
    assert (shown(parts.asked_for), shown(parts.others)) == (of_roots, of_others)
    assert shown(explicit.change) == of_roots
    assert (whole.gate, explicit.gate) == (set(gate.split()), set(explicit_gate.split()))
    assert product in explicit.text
    told = explicit.text.partition(" to new.lock ")[2]
    assert any(it in told for it in ("p ", "p: ")) == bool(product)
    assert product in whole.text
    assert whole.text.replace("; only package p.", "").endswith(dependency)
