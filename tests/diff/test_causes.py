"""Why specs were rebuilt, worked examples: the rules one by one, deep and circular graphs."""

import gc
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from snapdiff.diff.causes import LONGEST_PATH, REHASH, Explanation, event_words, shared_changes
from snapdiff.diff.changed_pairs import PAIRS_A_NODE, ChangedPairs, packages_of
from snapdiff.errors import FormatError
from snapdiff.model.specs import Node
from snapdiff.result.causes import Cause, Event, StackCause
from snapdiff.result.packages import Field
from tests.support.documents import Item, lock, needs, node, to_bytes
from tests.support.graphs import NodesByHash, described, listed_causes
from tests.support.helpers import run_json, write_files
from tests.support.plain_causes import Pair
from tests.support.tables import table
from tests.support.work import work

Lines = tuple[str, ...]


def lines_of(text: str) -> Lines:
    return tuple(text.split("; "))


def explained(old: Lines, new: Lines, *pairs: Pair) -> Explanation:
    graphs = NodesByHash(described(*old)), NodesByHash(described(*new))
    return Explanation(ChangedPairs(graphs).add(pairs))


def cause_of_app(old: Lines, new: Lines) -> str:
    """The cause of `app-1` to `app-2` in words, with its path."""
    [cause] = explained(old, new, ("app-1", "app-2")).causes.values()
    return in_words(cause)


def in_words(cause: Cause) -> str:
    def text(value: str | tuple[str, ...] | None) -> str:
        return " ".join(value) if isinstance(value, tuple) else str(value)

    words = f"{cause.package} {cause.what}"
    if cause.old is not None or cause.new is not None:
        words += f" {text(cause.old)} -> {text(cause.new)}"
    if cause.path:
        words += f" via {' > '.join(cause.path)}"
    if cause.build_only:
        words += " (build only)"
    return words + (f" +{cause.others}" if cause.others else "")


LONG = "x" * 20_000

RULES = """
its own external before its dependencies
    app-1; zlib-1 version=1 |
    app-2 external=/usr > zlib-2; zlib-2 version=2 | app external None -> /usr +1
its own namespace
    app-1 | app-2 namespace=site | app namespace builtin -> site
external before namespace
    app-1 | app-2 namespace=site external=/usr | app external None -> /usr
a dependency that came before one that left
    app-1 > a-1 | app-2 > b-2; b-2 | b added +1
a dependency that left
    app-1 > a-1:build; a-1 | app-2 | a removed (build only)
replaced before added
    app-1 > zlib-1:link:zlib-api; zlib-1 |
    app-2 > zlib-ng-2:link:zlib-api, a-2; zlib-ng-2; a-2 | zlib-ng replaced zlib -> zlib-ng +1
replaced, both for building alone
    app-1 > cmake-1:build:builder; cmake-1 |
    app-2 > meson-2:build:builder; meson-2 | meson replaced cmake -> meson (build only)
replaced, one of them linked
    app-1 > a-1:link:virtual; a-1 | app-2 > b-2:build:virtual; b-2 | b replaced a -> b
its own dependencies before what is in reach
    app-1 > a-1; a-1 version=1 | app-2 > a-2, b-2; a-2 version=2; b-2 | b added +1
a linked dependency before one that came for building alone
    app-1 > a-1; a-1 > c-1; c-1 version=1 |
    app-2 > a-2, b-2:build; a-2 > c-2; b-2; c-2 version=2 | c version 1 -> 2 via a +1
what came for building alone before what is built with
    app-1 > a-1:build; a-1 version=1 |
    app-2 > a-2:build, b-2:build; a-2 version=2; b-2 | b added (build only) +1
a dependency's version
    app-1 > a-1; a-1 version=1 | app-2 > a-2; a-2 version=2 | a version 1 -> 2
the nearest
    app-1 > a-1, b-1; a-1 > c-1; b-1 version=1; c-1 version=1 |
    app-2 > a-2, b-2; a-2 > c-2; b-2 version=2; c-2 version=2 | b version 1 -> 2 +1
linked before built with, at the same distance
    app-1 > a-1:build, b-1:run; a-1 version=1; b-1 target=zen3 |
    app-2 > a-2:build, b-2:run; a-2 version=2; b-2 target=zen4 | b target zen3 -> zen4 +1
linked before built with, however far
    app-1 > a-1:build, b-1; a-1 version=1; b-1 > c-1; c-1 version=1 |
    app-2 > a-2:build, b-2; a-2 version=2; b-2 > c-2; c-2 version=2 | c version 1 -> 2 via b +1
linked all the way before built with somewhere
    app-1 > a-1, b-1; a-1 > c-1:build; b-1 > d-1; c-1 version=1; d-1 os=rhel8 |
    app-2 > a-2, b-2; a-2 > c-2:build; b-2 > d-2; c-2 version=2; d-2 os=rhel9 |
    d os rhel8 -> rhel9 via b +1
the version before the compiler
    app-1 > a-1, b-1; a-1 compiler=gcc@12; b-1 version=1 |
    app-2 > a-2, b-2; a-2 compiler=gcc@13; b-2 version=2 | b version 1 -> 2 +1
a compiler in another notation is no other compiler
    app-1 > a-1, b-1; a-1 compiler=clang@=15; b-1 target=zen3 |
    app-2 > a-2, b-2; a-2 compiler=llvm@15; b-2 target=zen4 | b target zen3 -> zen4 +1
a version that is equal in another spelling is no other version
    app-1 > a-1, b-1; a-1 version=1.02; b-1 target=zen3 |
    app-2 > a-2, b-2; a-2 version=1.2; b-2 target=zen4 | b target zen3 -> zen4 +1
variants of one side only
    app-1 > a-1; a-1 variants=+x,~y,api:=one |
    app-2 > a-2; a-2 variants=+y,+x,api=one | a variants ~y -> +y
the first by name
    app-1 > a-1, b-1; a-1 version=1; b-1 version=1 |
    app-2 > a-2, b-2; a-2 version=2; b-2 version=2 | a version 1 -> 2 +1
a path to a dependency's dependency
    app-1 > a-1; a-1 > b-1; b-1 > c-1; c-1 version=1 |
    app-2 > a-2; a-2 > b-2; b-2 > c-2; c-2 version=2 | c version 1 -> 2 via a > b
a path to the node that got a dependency
    app-1 > a-1; a-1 > b-1; b-1 |
    app-2 > a-2; a-2 > b-2; b-2 > c-2:build; c-2 | c added via a > b (build only)
of two ways the first by name, however they are listed
    app-1 > b-1, a-1; a-1 > c-1; b-1 > c-1; c-1 version=1 |
    app-2 > b-2, a-2; a-2 > c-2; b-2 > c-2; c-2 version=2 | c version 1 -> 2 via a
not build only, where a longer way is linked
    app-1 > a-1:build, b-1; b-1 > a-1; a-1 version=1 |
    app-2 > a-2:build, b-2; b-2 > a-2; a-2 version=2 | a version 1 -> 2 via b
not build only, where it is linked on one side
    app-1 recipe=x > a-1:build; a-1 version=1 |
    app-2 recipe=y > a-2:build+link; a-2 version=2 | a version 1 -> 2
its own recipe
    app-1 recipe=x | app-2 recipe=y | app recipe
a recipe below
    app-1 > a-1:build; a-1 recipe=x | app-2 > a-2:build; a-2 recipe=y | a recipe (build only)
its own recipe before one below
    app-1 recipe=x > a-1; a-1 recipe=x | app-2 recipe=y > a-2; a-2 recipe=y | app recipe
anything in reach before its own recipe
    app-1 recipe=x > a-1; a-1 > b-1; b-1 target=zen3 |
    app-2 recipe=y > a-2; a-2 > b-2; b-2 target=zen4 | b target zen3 -> zen4 via a
a recipe that changed with the version is none of its own
    app-1 > a-1; a-1 version=1 recipe=x | app-2 > a-2; a-2 version=2 recipe=y | a version 1 -> 2
a recipe that is linked before one of what builds it, however far
    app-1 > a-1:build, b-1; a-1 recipe=x; b-1 > c-1; c-1 recipe=x |
    app-2 > a-2:build, b-2; a-2 recipe=y; b-2 > c-2; c-2 recipe=y | c recipe via b
another namespace
    app-1 > a-1; a-1 namespace= | app-2 > a-2; a-2 | a namespace  -> builtin
another path of an external
    app-1 > a-1; a-1 external=/usr | app-2 > a-2; a-2 external=/opt | a external /usr -> /opt
types of a dependency whose hash is the same
    app-1 > a-0:build; a-0 | app-2 > a-0:build+link; a-0 | a edge build -> build link
virtuals of a dependency whose hash is the same
    app-1 > a-0:build:c; a-0 |
    app-2 > a-0:build:c+f; a-0 | a edge build virtuals=c -> build virtuals=c,f (build only)
types of a dependency that has another hash
    app-1 > a-1:build; a-1 |
    app-2 > a-2:link; a-2 | app other dependencies.a=build -> dependencies.a=link
an edge after what came, left or was replaced
    app-1 > a-0:build; a-0 | app-2 > a-0:link, z-2; a-0; z-2 | z added +1
whatever else a document says of a node
    app-1 > a-1; a-1 more={"patches":["x","y"],"z":{"b":1,"c":{"d":"e"}}} |
    app-2 > a-2; a-2 more={"patches":["x","y"],"z":{"b":1,"c":{"d":"f"}}} |
    a other z.c.d=e -> z.c.d=f
the order of what a document lists
    app-1 > a-1; a-1 more={"patches":["x","y"]} |
    app-2 > a-2; a-2 more={"patches":["y","x"]} | a other patches=["x","y"] -> patches=["y","x"]
the order of keys says nothing
    app-1 > a-1; a-1 more={"z":[{"b":1,"c":2}]} |
    app-2 > a-2; a-2 more={"z":[{"c":2,"b":3}]} | a other z=[{"b":1,"c":2}] -> z=[{"b":3,"c":2}]
hashes of a node say nothing
    app-1 > a-1; a-1 more={"build_spec":{"name":"a","hash":"x"}} |
    app-2 > a-2; a-2 more={"build_spec":{"name":"a","hash":"y"}} | None rehash
compilers that became dependencies
    app-1 compiler=gcc@12 > z-0; z-0 |
    app-2 compiler=gcc@12 > z-0, gcc-2:build:c+cxx, compiler-wrapper-2:build; z-0; gcc-2;
    compiler-wrapper-2 |
    None compilers (build only)
compilers that became dependencies, with a runtime that is linked
    app-1 compiler=gcc@12 |
    app-2 compiler=gcc@12 > gcc-2:build:c, gcc-runtime-2:link; gcc-2; gcc-runtime-2 | None compilers
compilers that became dependencies, of a runtime, which has no language of them
    app-1 compiler=clang@12 |
    app-2 compiler=none > llvm-2:build; llvm-2 | None compilers (build only)
compilers that became dependencies, after what is linked
    app-1 compiler=gcc@12 > z-1; z-1 version=1 compiler=gcc@12 |
    app-2 compiler=gcc@12 > z-2, gcc-2:build:c; z-2 version=2 compiler=none; gcc-2 |
    z version 1 -> 2 +1
no compiler, where compilers became dependencies, is no other compiler
    app-1 > z-1:build; z-1 compiler=gcc@12 |
    app-2 > z-2:build; z-2 compiler=none | None compilers via z (build only)
another compiler that is a dependency
    app-1 > z-1; z-1 compiler=gcc@12 > gcc-1:build:c; gcc-1 version=12 compiler=none |
    app-2 > z-2; z-2 compiler=gcc@11 > gcc-2:build:c; gcc-2 version=11 compiler=none |
    gcc version 12 -> 11 via z (build only)
a compiler that is a dependency, replaced
    app-1 > z-1; z-1 compiler=gcc@12 > gcc-1:build:c; gcc-1 version=12 compiler=none |
    app-2 > z-2; z-2 compiler=llvm@18 > llvm-2:build:c; llvm-2 version=18 compiler=none |
    llvm replaced gcc -> llvm via z (build only)
a rehash
    app-1 > a-1; a-1 | app-2 > a-2; a-2 | None rehash
an edge to nowhere leads to what nothing is known of
    app-1 > a-1 | app-2 > a-2 | a unlisted
that one document alone has a dependency is not that it changed
    app-1 > a-1:build; a-1 version=1 | app-2 > a-2:build | a unlisted (build only)
what is not listed is named with what leads there
    app-1 > b-1; b-1 > a-1 | app-2 > b-2; b-2 > a-2 | a unlisted via b
a recipe that is there goes before what nothing is known of
    app-1 > a-1, b-1:build; b-1 recipe=x |
    app-2 > a-2, b-2:build; b-2 recipe=y | b recipe (build only)
an edge to nowhere is no other package
    app-1 > a-1, unknown-1; unknown-1 version=1 |
    app-2 > a-2, unknown-2; unknown-2 version=2 | unknown version 1 -> 2
one dependency replaced by two
    app-1 > mkl-1:link:blas+scalapack; mkl-1 |
    app-2 > openblas-2:link:blas, netlib-2:link:scalapack; openblas-2; netlib-2 |
    netlib replaced mkl -> netlib +1
two dependencies replaced by one
    app-1 > openblas-1:link:blas, netlib-1:build:scalapack; openblas-1; netlib-1 |
    app-2 > mkl-2:link:blas+scalapack; mkl-2 | mkl replaced netlib -> mkl
several of one name: the same hash is no change
    app-1 > py-1:build, py-2:run; py-1 version=1; py-2 version=2 |
    app-2 > py-3:build, py-2:run; py-3 version=3; py-2 version=2 | py version 1 -> 3 (build only)
several of one name: what is run goes with what is run
    app-1 > py-1:run, py-2:build; py-1 version=1; py-2 version=2 |
    app-2 > py-3:build, py-4:run; py-3 version=3; py-4 version=4 | py version 1 -> 4
several of one name: one too many is added
    app-1 > py-1:build+run; py-1 | app-2 > py-2:build, py-3:run; py-2; py-3 | py added (build only)
several of one name: the version decides before the hash
    app-1 > gcc-1:build:c, gcc-2:build:fortran; gcc-1 version=11 > z-1; gcc-2 version=12 > z-1;
    z-1 version=1 |
    app-2 > gcc-3:build:fortran, gcc-4:build:c; gcc-3 version=12 > z-2; gcc-4 version=11 > z-2;
    z-2 version=2 |
    z version 1 -> 2 via gcc (build only)
several of one name: the configuration decides before the hash
    app-1 > m-1, m-2; m-1 variants=+cuda > z-1; m-2 > z-1; z-1 version=1 |
    app-2 > m-3, m-4; m-3 > z-2; m-4 variants=+cuda > z-2; z-2 version=2 | z version 1 -> 2 via m
several of one name: what they provide decides before the hash
    app-1 > m-1:link:c, m-2:link:f; m-1 version=1; m-2 version=2 |
    app-2 > m-3:link:f, m-4:link:c; m-3 version=3; m-4 version=4 | m version 1 -> 4
several of one name: listed twice it is one
    app-1 > py-1:build, py-1:link; py-1 version=1 |
    app-2 > py-2:build, py-2:link; py-2 version=2 | py version 1 -> 2
"""
"""What two graphs list, and the cause of `app-1` to `app-2`."""

RULES_IN_ROWS = table(RULES, 3) | {
    "the order of keys says nothing, however long the values are": (
        f'app-1 > a-1; a-1 more={{"z":{{"b":"{LONG}","c":2}}}}',
        f'app-2 > a-2; a-2 more={{"z":{{"c":2,"b":"{LONG}"}}}}',
        "None rehash",
    )
}


@pytest.mark.parametrize("rule", RULES_IN_ROWS)
def test_the_cause_is_the_first_that_is_there(rule: str) -> None:
    old, new, expected = RULES_IN_ROWS[rule]
    assert cause_of_app(lines_of(old), lines_of(new)) == expected


def test_what_more_specs_reach_goes_before_the_name() -> None:
    old = ("app-1 > a-1, b-1", "lib-1 > b-1", "a-1 version=1", "b-1 version=1")
    new = ("app-2 > a-2, b-2", "lib-2 > b-2", "a-2 version=2", "b-2 version=2")
    found = explained(old, new, ("app-1", "app-2"), ("lib-1", "lib-2"))
    assert list(map(in_words, found.causes.values())) == ["b version 1 -> 2 +1", "b version 1 -> 2"]
    assert listed_causes(found) == [
        StackCause("b", "version", "1", "2", specs=2, packages=2, reach=2),
        StackCause("a", "version", "1", "2", specs=0, packages=0, reach=1),
    ]


def test_stacks_that_share_a_graph_are_explained_each_for_itself() -> None:
    old = ("app-1 > a-1, b-1", "lib-1 > b-1", "a-1 version=1", "b-1 version=1")
    new = ("app-2 > a-2, b-2", "lib-2 > b-2", "a-2 version=2", "b-2 version=2")
    changes = ChangedPairs((NodesByHash(described(*old)), NodesByHash(described(*new))))
    both = Explanation(changes.add([("app-1", "app-2"), ("lib-1", "lib-2")]))
    alone = Explanation(changes.add([("app-1", "app-2")]))
    assert both.causes["app-1", "app-2"].package == "b"
    assert listed_causes(alone) == listed_causes(explained(old, new, ("app-1", "app-2")))
    assert listed_causes(both, [("app-1", "app-2")]) == [
        StackCause("b", "version", "1", "2", specs=1, packages=1, reach=1),
        StackCause("a", "version", "1", "2", specs=0, packages=0, reach=1),
    ]
    assert alone.causes["app-1", "app-2"].package == "a"


def test_an_event_is_listed_that_is_no_cause_but_in_reach_of_three_in_ten() -> None:
    number = 10
    old = (*(f"app{i}-1 > lib{i}-1" for i in range(number)), *(f"lib{i}-1" for i in range(4)))
    new = (*(f"app{i}-2 > lib{i}-2, x-2" for i in range(number)), "x-2")

    def below(i: int, side: int) -> str:
        deep = "z" if i < 3 else "y"
        return f"lib{i}-{side} > {deep}-{side}"

    old = (*old[:number], *(below(i, 1) for i in range(5)), "z-1 version=1", "y-1 version=1")
    new = (*new, *(below(i, 2) for i in range(5)), "z-2 version=2", "y-2 version=2")
    pairs = [(f"app{i}-1", f"app{i}-2") for i in range(number)]
    found = listed_causes(explained(old, new, *pairs))
    assert found == [
        StackCause("x", "added", specs=10, packages=10, reach=10),
        StackCause("z", "version", "1", "2", specs=0, packages=0, reach=3),
    ]


def test_causes_of_as_many_specs_are_listed_by_reach() -> None:
    old = (
        *("app-1 > a-1", "lib-1 > b-1", "end-1 > c-1, lib-1"),
        *("a-1 version=1", "b-1 version=1 > c-1", "c-1 version=1"),
    )
    new = (
        *("app-2 > a-2", "lib-2 > b-2", "end-2 > c-2, lib-2"),
        *("a-2 version=2", "b-2 version=2 > c-2", "c-2 version=2"),
    )
    pairs = [(f"{name}-1", f"{name}-2") for name in ("app", "lib", "end")]
    found = listed_causes(explained(old, new, *pairs))
    assert [(cause.package, cause.specs, cause.reach) for cause in found] == [
        ("b", 1, 2),
        ("c", 1, 2),
        ("a", 1, 1),
    ]


def test_several_providers_are_replaced_one_by_one() -> None:
    old = ("app-1 > p-1:link:z, q-1:link:z", "p-1", "q-1")
    new = ("app-2 > s-2:link:z, r-2:link:z, t-2:link:z", "r-2", "s-2", "t-2")
    found = explained(old, new, ("app-1", "app-2"))
    assert {(event.old, event.new) for event in found.reach} == {("p", "r"), ("q", "s"), ("q", "t")}
    back = explained(new, old, ("app-2", "app-1"))
    assert {(event.new, event.old) for event in back.reach} == {("p", "r"), ("q", "s"), ("q", "t")}


def test_a_recipe_is_listed_only_where_it_is_a_cause() -> None:
    old = ("app-1 recipe=x > a-1", "a-1 recipe=x", "lib-1 > a-1")
    new = ("app-2 recipe=y > a-2", "a-2 recipe=y", "lib-2 > a-2")
    found = explained(old, new, ("app-1", "app-2"))
    assert [(cause.package, cause.reach) for cause in listed_causes(found)] == [("app", 1)]
    found = explained(old, new, ("app-1", "app-2"), ("lib-1", "lib-2"))
    assert [(cause.package, cause.reach) for cause in listed_causes(found)] == [
        ("a", 2),
        ("app", 1),
    ]


def test_a_rehash_explains_those_that_have_no_other_cause() -> None:
    old = ("app-1", "lib-1 > a-1", "a-1 version=1")
    new = ("app-2", "lib-2 > a-2", "a-2 version=2")
    found = listed_causes(explained(old, new, ("app-1", "app-2"), ("lib-1", "lib-2")))
    assert StackCause(None, "rehash", specs=1, packages=1, reach=1) in found


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (("app-1 > a-1:build", "a-1 version=1"), ("app-2 > a-2:build", "a-2 version=2"), True),
        (("app-1 > a-0:build", "a-0"), ("app-2 > a-0:link", "a-0"), False),
        (("app-1 > a-0:build", "a-0"), ("app-2 > a-0:test", "a-0"), True),
        # What it links was compiled by another compiler, whatever is said of that as a dependency.
        (
            ("app-1 > z-1", "z-1 compiler=gcc@12 > gcc-1:build:c", "gcc-1 version=12"),
            ("app-2 > z-2", "z-2 compiler=gcc@11 > gcc-2:build:c", "gcc-2 version=11"),
            False,
        ),
        (("app-1 > a-1:link", "a-1 version=1"), ("app-2 > a-2:link", "a-2 version=2"), False),
        # The library is the same but for its hash: only what it was built with differs.
        (
            ("app-1 > a-1", "a-1 > b-1:build", "b-1 version=1"),
            ("app-2 > a-2", "a-2 > b-2:build", "b-2 version=2"),
            True,
        ),
        (("app-1",), ("app-2 > a-2:test", "a-2"), True),
        (("app-1",), ("app-2 > a-2:run", "a-2"), False),
        (("app-1 > a-1", "a-1 recipe=x"), ("app-2 > a-2", "a-2 recipe=y"), False),
        (("app-1 recipe=x",), ("app-2 recipe=y",), False),
        # Nobody knows what is behind an edge that leads to no node.
        (("app-1 > a-1",), ("app-2 > a-2",), False),
        (("app-1 > a-1", "a-1"), ("app-2 > a-2",), False),
        (("app-1 > a-1",), ("app-2 > a-2", "a-2"), False),
        (("app-1",), ("app-2",), True),
    ],
)
def test_whether_all_that_is_linked_and_run_is_the_same(old: Lines, new: Lines, same: bool) -> None:
    assert bool(explained(old, new, ("app-1", "app-2")).same_to_use) is same


def test_specs_are_found_by_what_is_in_their_reach() -> None:
    old = (
        *("app-1 > a-1, r-1", "a-1 > zlib-1:link:z", "zlib-1", "r-1 recipe=x"),
        *("lib-1 > r-1", "tool-1"),
    )
    new = (
        *("app-2 > a-2, r-2", "a-2 version=2 > zlib-ng-2:link:z", "zlib-ng-2", "r-2 recipe=y"),
        *("lib-2 > r-2", "tool-2"),
    )
    found = explained(old, new, *((f"{name}-1", f"{name}-2") for name in ("app", "lib", "tool")))
    names = ("a", "zlib", "zlib-ng", "r", "app")
    by_name = {name: found.because_of(frozenset([name]).__contains__) for name in names}
    assert by_name == {
        "a": {("app-1", "app-2")},
        "zlib": {("app-1", "app-2")},
        "zlib-ng": {("app-1", "app-2")},
        "r": {("lib-1", "lib-2")},  # a recipe is no cause where something else is
        "app": set(),
    }


def test_specs_are_found_by_each_of_several_events_and_by_nothing_else() -> None:
    def lines(side: int) -> Lines:
        return (
            f"app-{side} > m-{side}",
            f"lib-{side} > n-{side}",
            f"odd-{side} > gone-{side}",  # nobody knows what is behind this edge
            f"m-{side} version={side} > zlib-{side}",
            f"n-{side} version={side} > bzip-{side}",
            f"zlib-{side} version={side} compiler=gcc@{side}",
            f"bzip-{side} version={side}",
        )

    names = ("app", "lib", "odd")
    found = explained(lines(1), lines(2), *((f"{name}-1", f"{name}-2") for name in names))
    assert [cause.package for cause in found.causes.values()] == ["m", "n", "gone"]
    for wanted, because in {
        ("zlib",): {"app"},
        ("bzip",): {"lib"},
        ("bzip", "zlib"): {"app", "lib"},
        ("m", "bzip"): {"app", "lib"},
        ("curl",): set(),
    }.items():
        pairs = {(f"{name}-1", f"{name}-2") for name in because}
        assert found.because_of(frozenset(wanted).__contains__) == pairs


@pytest.mark.parametrize("length", [LONGEST_PATH - 1, LONGEST_PATH, LONGEST_PATH + 1])
def test_a_way_has_so_many_names_and_then_it_is_cut(length: int) -> None:
    def lines(side: int) -> Lines:
        chain = [f"n{place}-{side} > n{place + 1}-{side}" for place in range(1, length)]
        return (
            *(f"app-{side} > n1-{side}", *chain, f"n{length}-{side} > zlib-{side}"),
            f"zlib-{side} version={side}",
        )

    [cause] = explained(lines(1), lines(2), ("app-1", "app-2")).causes.values()
    names = [f"n{place}" for place in range(1, length + 1)]
    assert cause.path == (*names[:LONGEST_PATH], *(["…"] if length > LONGEST_PATH else []))


def test_what_nothing_leads_to_names_no_package() -> None:
    assert packages_of(REHASH) == ()
    found = explained(("app-1", "lib-1"), ("app-2", "lib-2"), ("app-1", "app-2"))
    rehash = StackCause(None, "rehash", specs=1, packages=1, reach=1)
    assert listed_causes(found, found.causes) == listed_causes(found) == [rehash]
    assert found.because_of(str.islower) == set()


def test_only_what_changed_is_looked_at() -> None:
    old = described("app-1 > a-1, same-0", "a-1 > same-0", "same-0 > deep-0", "deep-0")
    new = described("app-2 > a-2, same-0", "a-2 > same-0", "same-0 > deep-0", "deep-0")
    graphs = NodesByHash(old), NodesByHash(new)
    Explanation(ChangedPairs(graphs).add([("app-1", "app-2")]))
    assert [graph.made for graph in graphs] == [{"app-1", "a-1"}, {"app-2", "a-2"}]


def test_a_cause_is_written_as_the_specification_shows_it() -> None:
    old = (
        *("app-1 > openmpi-1", "openmpi-1 > numactl-1", "numactl-1 > automake-1:build"),
        *("automake-1 > autoconf-1", "autoconf-1 version=2.69"),
    )
    new = (
        *("app-2 > openmpi-2", "openmpi-2 > numactl-2", "numactl-2 > automake-2:build"),
        *("automake-2 > autoconf-2", "autoconf-2 version=2.71"),
    )
    found = explained(old, new, ("app-1", "app-2"))
    assert msgspec.json.encode(found.causes["app-1", "app-2"]) == (
        b'{"package":"autoconf","what":"version","old":"2.69","new":"2.71",'
        b'"path":["openmpi","numactl","automake"],"build_only":true,"others":0}'
    )
    assert msgspec.json.encode(listed_causes(found)[0]) == (
        b'{"package":"autoconf","what":"version","old":"2.69","new":"2.71",'
        b'"specs":1,"packages":1,"reach":1}'
    )


def test_circles_end() -> None:
    old = ("app-1 > a-1", "a-1 > b-1", "b-1 > a-1, app-1, c-1", "c-1 version=1")
    new = ("app-2 > a-2", "a-2 > b-2", "b-2 > a-2, app-2, c-2", "c-2 version=2")
    found = explained(old, new, ("app-1", "app-2"), ("b-1", "b-2"))
    assert list(map(in_words, found.causes.values())) == [
        "c version 1 -> 2 via a > b",
        "c version 1 -> 2",
    ]


@pytest.fixture
def no_collection() -> Iterator[None]:
    """No search for circles of objects, of which there are none: as in the command."""
    gc.disable()
    yield
    gc.enable()


def chain(side: int, length: int, last: str) -> Lines:
    return (*(f"n{i}-{side} > n{i + 1}-{side}" for i in range(length)), f"n{length}-{side} {last}")


@pytest.mark.slow
@pytest.mark.usefixtures("no_collection")
def test_a_chain_of_5_000_specs_is_explained() -> None:
    length = 5_000
    old, new = described(*chain(1, length, "version=1")), described(*chain(2, length, "version=2"))
    graphs = NodesByHash(old), NodesByHash(new)
    distances = [length, length // 2, LONGEST_PATH + 2, LONGEST_PATH + 1, 3, 1]
    starts = [length - distance for distance in distances]
    pairs = [(f"n{start}-1", f"n{start}-2") for start in starts]
    found = Explanation(ChangedPairs(graphs).add(pairs))
    assert {(cause.package, cause.what) for cause in found.causes.values()} == {
        (f"n{length}", "version")
    }
    for start, distance, cause in zip(starts, distances, found.causes.values(), strict=True):
        names = [f"n{start + i}" for i in range(1, min(distance, LONGEST_PATH + 1))]
        cut_off = ["…"] if distance > LONGEST_PATH + 1 else []
        assert cause.path == (*names, *cut_off)


@pytest.mark.slow
@pytest.mark.usefixtures("no_collection")
def test_a_chain_of_specs_that_were_all_rebuilt_is_explained() -> None:
    length = 5_000
    old, new = described(*chain(1, length, "version=1")), described(*chain(2, length, "version=2"))
    pairs = [(f"n{i}-1", f"n{i}-2") for i in range(length)]
    found = Explanation(ChangedPairs((NodesByHash(old), NodesByHash(new))).add(pairs))
    assert [cause.reach for cause in listed_causes(found)] == [length]


def wide(side: int, number: int) -> Lines:
    """As many specs on one chain, each with a dependency of its own."""
    return tuple(
        f"n{i}-{side} > n{i + 1}-{side}, m{i % 50}-{side}:build" for i in range(number)
    ) + tuple(f"m{i}-{side} version={side}" for i in range(50))


@pytest.mark.usefixtures("no_collection")
def test_twice_the_edges_take_twice_the_time() -> None:
    def steps(number: int) -> int:
        graphs = (
            NodesByHash(described(*wide(1, number))),
            NodesByHash(described(*wide(2, number))),
        )
        pairs = [(f"n{i}-1", f"n{i}-2") for i in range(number)]
        return work(lambda: Explanation(ChangedPairs(graphs).add(pairs)))

    assert steps(2000) < 4.4 * steps(500)


def test_a_chain_of_upgraded_specs_takes_no_set_of_events_for_each_of_them() -> None:
    """Each reaches all that are below it: kept for all of them, that is the square."""

    def most(length: int) -> int:
        sides = (
            described(
                f"n0-{side} > n1-{side}",
                *(f"n{i}-{side} version={side} > n{i + 1}-{side}" for i in range(1, length)),
            )
            for side in (1, 2)
        )
        old, new = map(NodesByHash, sides)
        tracemalloc.start()
        changes = ChangedPairs((old, new))
        changes.add([("n0-1", "n0-2")])
        [cause] = Explanation(changes.add([("n0-1", "n0-2")])).causes.values()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (cause.package, cause.others) == ("n1", length - 2)
        return peak

    assert most(2000) < 2.3 * most(1000)


@pytest.mark.slow
def test_graphs_made_to_have_a_pair_for_everything_are_refused() -> None:
    levels = 12

    def lines(side: int) -> Lines:
        # Old children keep their place, new ones move on by one or by none: all meet all.
        return tuple(
            f"p{level}-{side}{i} version={side} > "
            f"p{level + 1}-{side}{i}, q{level + 1}-{side}{(i + side - 1) % 64}"
            for level in range(levels)
            for i in range(64)
        ) + tuple(
            f"q{level}-{side}{i} version={side} > "
            f"p{level + 1}-{side}{i}, q{level + 1}-{side}{(i + (side - 1) * 2**level) % 64}"
            for level in range(levels)
            for i in range(64)
        )

    graphs = NodesByHash(described(*lines(1))), NodesByHash(described(*lines(2)))
    most = 100 + 4 * 2 * (2 * 64 * levels)
    with pytest.raises(FormatError, match=f"more than {most:,} pairs of specs"):
        ChangedPairs(graphs, few=100).add([(f"p0-1{i}", f"p0-2{i}") for i in range(64)])


def test_as_many_pairs_as_are_allowed_are_compared_and_not_one_more() -> None:
    old = ("app-1 > a-1", "a-1 > b-1", "b-1 version=1")
    new = ("app-2 > a-2", "a-2 > b-2", "b-2 version=2", "c-2")
    graphs = NodesByHash(described(*old)), NodesByHash(described(*new))
    nodes, pairs = 7, 3
    changes = ChangedPairs(graphs, few=pairs - PAIRS_A_NODE * nodes)
    assert len(Explanation(changes.add([("app-1", "app-2")])).causes) == 1
    with pytest.raises(FormatError, match="its changed dependencies make more than 2 pairs of"):
        ChangedPairs(graphs, few=pairs - 1 - PAIRS_A_NODE * nodes).add([("app-1", "app-2")])


class OneBadNode(NodesByHash):
    """A graph of which one node cannot be read."""

    def node(self, spec_hash: str) -> Node | None:
        if spec_hash == "b-2":
            raise FormatError("b-2: cannot be read")
        return super().node(spec_hash)


@pytest.mark.parametrize("asked", [["app", "app"], ["app", "other"], ["b", "app"]])
def test_what_could_not_be_compared_once_is_not_taken_for_compared_later(asked: list[str]) -> None:
    graphs = [
        described(*(f"{name}-{it} > b-{it}, c-{it}" for name in ("app", "other")), f"b-{it}", c)
        for it, c in ((1, "c-1 version=1"), (2, "c-2 version=2"))
    ]
    changes = ChangedPairs((NodesByHash(graphs[0]), OneBadNode(graphs[1])))
    for name in asked:
        with pytest.raises(FormatError, match="b-2: cannot be read"):
            changes.add([(f"{name}-1", f"{name}-2")])


def test_a_change_of_a_field_that_a_stack_shares_has_no_package() -> None:
    moved = Field("compiler", "gcc@12", "gcc@13")
    other = Field("variants", ("~mpi",), ("+mpi",))
    specs = [("hdf5", [moved]), ("hdf5", [moved, other]), ("zlib", [moved]), ("perl", [other])]
    few = [(f"package{i}", [Field("os", str(i), "new")]) for i in range(3)]
    assert shared_changes([*specs, *few]) == [
        StackCause(None, "compiler", "gcc@12", "gcc@13", specs=3, packages=2, reach=3)
    ]
    assert shared_changes([]) == []


@pytest.mark.parametrize(("specs", "is_shared"), [(10, True), (11, False)])
def test_three_specs_in_ten_share_a_change_and_three_in_eleven_do_not(
    specs: int, is_shared: bool
) -> None:
    moved = [("hdf5", [Field("compiler", "gcc@12", "gcc@13")])] * 3
    others = [("zlib", [Field("os", str(number), "new")]) for number in range(specs - 3)]
    found = [cause.what for cause in shared_changes([*moved, *others])]
    assert found == (["compiler"] if is_shared else [])


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event("zlib", "version", "1.2", "1.3"), ("zlib", "version", "1.2", "1.3")),
        (Event("zlib", "variants", ("+a", "+b"), ()), ("zlib", "variants", "+a +b", "")),
        (Event("zlib", "external"), ("zlib", "external", "", "")),
        (REHASH, ("", "rehash", "", "")),
    ],
)
def test_events_that_are_equal_in_all_else_go_by_their_words(
    event: Event, words: tuple[str, ...]
) -> None:
    assert event_words(event) == words


@pytest.mark.parametrize(("before", "after"), [(2, 3), (2, 5), (3, 4), (4, 5), (5, 1)])
def test_another_version_of_a_lock_alone_is_a_rehash(
    tmp_path: Path, before: int, after: int
) -> None:
    """Nothing changed where one version says more of a node: its recipe, or virtuals."""
    mpich = Item("mpich")
    hdf5 = Item("hdf5", needs=(needs(mpich, "mpi"),))
    later = replace(mpich, hash="n" * 32)
    both = {
        "old.lock": lock([mpich, hdf5], before),
        "new.lock": lock(
            [later, replace(hdf5, hash="t" * 32, needs=(needs(later, "mpi"),))], after
        ),
    }
    for document in both.values():
        for written in document["concrete_specs"].values():
            if "arch" in written:  # version 3 describes the target, as Spack still may
                written["arch"]["target"] = "x86_64_v3"
    write_files(tmp_path, {name: to_bytes(both[name]) for name in both})
    [tag] = run_json("-C", tmp_path, "old.lock", "new.lock")["tags"]
    assert [change["cause"]["what"] for change in tag["stacks"][0]["changes"]] == ["rehash"] * 2


def write_old_page(folder: Path, item: Item, *below: Item) -> None:
    """A page of 2022, and the file with its only spec beside it."""
    head = f"---\ntitle: {item.name}\ncategories: [package, develop]\n"
    files = {
        "spec-0.json": to_bytes({"spec": {"nodes": [node(it, 4) for it in (item, *below)]}}),
        "specs.md": f"{head}spec_files: [spec-0.json]\n---\n".encode(),
    }
    write_files(folder / "develop" / item.name, files)


def test_an_event_of_many_pages_is_one_cause_of_the_stack(tmp_path: Path) -> None:
    """Pages of 2022 list no stack, and each names the files of its own specs."""
    for side, version in (("old", "3.1"), ("new", "3.2")):
        cmake = Item("cmake", version)
        zlib = Item("zlib", needs=(needs(cmake, types=("build",)),))
        write_old_page(tmp_path / side, zlib, cmake)
        write_old_page(tmp_path / side, Item("hdf5", needs=(needs(zlib),)), zlib, cmake)
        write_old_page(tmp_path / side, Item("szip", needs=(needs(zlib),)), zlib, cmake)
    [tag] = run_json(tmp_path / "old", tmp_path / "new")["tags"]
    [cause] = tag["stacks"][0]["causes"]
    assert (cause["package"], cause["what"]) == ("cmake", "version")
    assert (cause["specs"], cause["packages"], cause["reach"]) == (3, 3, 3)


def test_a_tie_goes_to_what_most_rebuilt_specs_of_all_pages_reach(tmp_path: Path) -> None:
    for side, version in (("old", "1"), ("new", "2")):
        a, b = Item("a", version), Item("b", version)
        write_old_page(tmp_path / side, Item("lib", needs=(needs(a), needs(b))), a, b)
        write_old_page(tmp_path / side, Item("app", needs=(needs(b),)), b)
    [tag] = run_json(tmp_path / "old", tmp_path / "new")["tags"]
    found = tag["stacks"][0]["changes"]
    assert [(it["package"], it["cause"]["package"]) for it in found] == [("app", "b"), ("lib", "b")]
