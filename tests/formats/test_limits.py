"""Each limit to the number: what is just within it is taken, and one more is refused."""

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from snapdiff import SnapdiffError
from snapdiff.formats.document import File
from snapdiff.formats.site_page import SitePageReader
from snapdiff.limits import DEFAULT_LIMITS, DEPTH, DIGITS, VERSION_PARTS, Limits
from snapdiff.model.packages import Package
from tests.support.documents import Item, lock, to_bytes
from tests.support.helpers import (
    PageStyle,
    compact_page,
    hash_of,
    pages_of,
    run_cli,
    run_json,
    spec,
    usual_page,
    write_files,
    yaml_page,
)
from tests.support.repositories import GitRepository

PATH = "_cache/develop/zlib/specs.md"
RAISED = "--max-size raises it"


def read(page: str, limits: Limits = DEFAULT_LIMITS) -> Package:
    document = SitePageReader(limits).read(File(PATH, page.encode()))
    assert document is not None
    [package] = document.packages
    return package


def taken(page: str, limits: Limits = DEFAULT_LIMITS) -> bool:
    return read(page, limits).name == "zlib"


def refused(page: str, limits: Limits = DEFAULT_LIMITS) -> str:
    """Why a page is not taken."""
    with pytest.raises(SnapdiffError) as caught:
        read(page, limits)
    return str(caught.value)


LETTERS = "bcdefghi"


def in_yaml(variants: Sequence[str], *, above: str = "") -> str:
    """A page for a YAML reader with a record for each text of its variants."""
    records = "".join(
        f"- {{hash: {hash_of(first + second)}, versions: ['1'], compiler: c, os: o, platform: p, "
        f"target: t, stacks: [], variants: {text}}}\n"
        for (second, first), text in zip(product(LETTERS, LETTERS), variants, strict=False)
    )
    return f"---\n{above}spec_details:\n{records}---\n"


class Bound(NamedTuple):
    """A page, the least size of a page with which it is taken, one too small, and what is said."""

    page: str
    enough: int
    too_small: int
    reason: str


LONG = usual_page([spec("b", variants="x" * 5000)])
MANY = usual_page([spec("b", variants=" ".join("+x" for _ in range(500)))])
MANY_VALUES = MANY.count(",") + MANY.count("\n") + 1
PLAIN = in_yaml([f"[{'x' * 2000}]"])
PLAIN_LENGTH = len(PLAIN) - len("---") - len("---\n")
LISTED = in_yaml([f"[{', '.join(30 * 'x')}]"])
LISTED_VALUES = 4 + 2 * 8 + 1 + 30  # to the record, its keys and values, a version, variants
ALIASED = in_yaml(["*v"] * 3, above=f"v: &v [{'x' * 127}, {'y' * 128}, {', '.join(78 * 'z')}]\n")
ALIASED_LIST = 1 + 80 + 1 + 2  # the list, its entries, and what its two long ones count more
ALIASED_VALUES = 4 + ALIASED_LIST + 3 * (1 + 8 + 7 + 1 + ALIASED_LIST)
STACKS = " ".join(f"s{number}" for number in range(20))
LISTING = compact_page(
    [spec("b", variants="x" * 300, stacks=STACKS), spec("c", stacks=STACKS)],
)
ESCAPED = compact_page(
    [spec("b", variants="\u200b" * 300, stacks=STACKS), spec("c", stacks=STACKS)],
)
LISTING_LENGTH = 20 * (2 * (1024 + len("1.0gcc@12.3.0ubuntu22.04linuxx86_64_v3") + 12 * 3) + 300)
ESCAPED_LENGTH = LISTING_LENGTH + 20 * 7 * 300

ALIASED_STACKS = in_yaml(
    ["*v, stacks: *s"] * 60,
    above=f"v: &v [{'x' * 6000}]\ns: &s [{STACKS.replace(' ', ', ')}]\n",
).replace("stacks: [], ", "")
ALIASED_LISTING = 60 * 20 * (1024 + len("1copt") + 12 + 6000)

BOUNDS = {
    "bytes": Bound(
        LONG,
        len(LONG),
        len(LONG) - 1,
        f"is too large, and the limit is {len(LONG) - 1:,} bytes; {RAISED}",
    ),
    "values": Bound(
        MANY,
        MANY_VALUES * 64,
        MANY_VALUES * 64 - 1,
        f"the page holds too many values, and the limit is {MANY_VALUES - 1:,} values; {RAISED}",
    ),
    "characters of YAML": Bound(
        PLAIN,
        PLAIN_LENGTH * 8,
        PLAIN_LENGTH * 8 - 1,
        f"front matter not in the usual form has {PLAIN_LENGTH:,} characters, "
        f"and the limit is {PLAIN_LENGTH - 1:,} characters; {RAISED}",
    ),
    "values in YAML": Bound(
        LISTED,
        LISTED_VALUES * 64,
        LISTED_VALUES * 64 - 1,
        f"line 3, column 127: too many values, and the limit is {LISTED_VALUES - 1} values; "
        f"{RAISED}",
    ),
    "values behind aliases": Bound(
        ALIASED,
        ALIASED_VALUES * 64,
        ALIASED_VALUES * 64 - 1,
        "line 2, column 1: too many values behind aliases, "
        f"and the limit is {ALIASED_VALUES - 1} values; {RAISED}",
    ),
    "what a report would list": Bound(
        LISTING,
        -(-LISTING_LENGTH // 4),
        (LISTING_LENGTH - 1) // 4,
        "listing each spec once for each of its stacks takes too much, "
        f"and the limit is {(LISTING_LENGTH - 1) // 4 * 4:,} characters; {RAISED}",
    ),
    "what a report would list, escaped": Bound(
        ESCAPED,
        -(-ESCAPED_LENGTH // 4),
        (ESCAPED_LENGTH - 1) // 4,
        "listing each spec once for each of its stacks takes too much, "
        f"and the limit is {(ESCAPED_LENGTH - 1) // 4 * 4:,} characters; {RAISED}",
    ),
    "what a report would list behind aliases": Bound(
        ALIASED_STACKS,
        ALIASED_LISTING // 4,
        ALIASED_LISTING // 4 - 1,
        "listing each spec once for each of its stacks takes too much, "
        f"and the limit is {ALIASED_LISTING - 4:,} characters; {RAISED}",
    ),
}


@pytest.mark.parametrize("bound", BOUNDS.values(), ids=BOUNDS)
def test_a_page_just_within_a_limit_is_taken_and_with_a_smaller_one_refused(bound: Bound) -> None:
    assert taken(bound.page, Limits(page_size=bound.enough))
    assert refused(bound.page, Limits(page_size=bound.too_small)) == bound.reason


@pytest.mark.parametrize("style", [usual_page, yaml_page], ids=["usual", "YAML"])
def test_a_version_has_no_more_than_so_many_parts(style: PageStyle) -> None:
    most = ".".join("1" * VERSION_PARTS)
    assert taken(style([spec("b", most)]))
    assert taken(style([spec("b", "1" * (VERSION_PARTS + 1))]))
    assert refused(style([spec("b"), spec("c", f"{most}.1")])) == (
        f"spec_details[1].versions[0]: a version of over {VERSION_PARTS} parts, "
        f"'{most[:64]}' and so on"
    )


@pytest.mark.parametrize("number", ["1", "1.", "0x1"])
def test_a_number_has_no_more_than_so_many_digits(number: str) -> None:
    most = number.ljust(DIGITS, "1")
    page = "---\nx: [{}]\nspec_details: []\n---\n"
    assert taken(page.format(most))
    assert refused(page.format(f"{most}1")) == "line 2, column 5: a number of over 4,300 digits"


def test_lists_stand_in_each_other_no_deeper_than_that() -> None:
    page = "---\nx: {}\nspec_details: []\n---\n"
    lists = DEPTH - 2  # the front matter itself is a mapping, and the innermost list has a value
    assert taken(page.format("[" * lists + "y" + "]" * lists))
    assert taken(page.format("[y, " + "[" * (lists - 1) + "y" + "]" * lists))
    reason = "line 2, column 102: over 100 lists and mappings in each other"
    assert refused(page.format("[" * (lists + 1) + "y" + "]" * (lists + 1))) == reason
    reason = reason.replace("102", "105")
    assert refused(page.format("[y, " + "[" * lists + "y" + "]" * (lists + 1))) == reason


# --- What aliases repeat ---


def chain(links: int) -> str:
    """A page in which each value holds the one before, and a mapping the last: as deep as said."""
    lines = [f"a{number}: &a{number} [*a{number - 1}]" for number in range(1, links)]
    return "\n".join(["---", "a0: &a0 [x]", *lines, "spec_details: []", "---", ""])


def test_aliases_lead_no_deeper_than_that() -> None:
    assert taken(chain(DEPTH - 2))
    reason = "over 100 lists and mappings in each other"
    assert refused(chain(DEPTH - 1)) == f"line 2, column 1: {reason}"
    assert refused(chain(DEPTH)) == f"line 101, column 6: {reason}"


@pytest.mark.parametrize(
    ("page", "place"),
    [
        ("---\nspec_details: &a [*a]\n---\n", "line 2, column 15"),
        ("---\nspec_details: &a [b, {c: *a}]\n---\n", "line 2, column 15"),
        ("---\n? &a [*a]\n: []\n---\n", "line 2, column 3"),
    ],
)
def test_an_alias_within_what_it_stands_for_is_named_with_its_place(page: str, place: str) -> None:
    assert refused(page) == f"{place}: an alias stands within what it stands for"


@pytest.mark.parametrize(
    "first",
    [
        "v: &v [+mpi, ~cuda]\n",
        "u: &u +mpi\nv: &v [*u, ~cuda]\n",
        "u: &u [&w +mpi, ~cuda]\nt: {k: *u, l: *w, *w : *w}\nv: &v [*w, ~cuda]\n",
    ],
)
def test_an_alias_says_what_it_stands_for(first: str) -> None:
    package = read(in_yaml(["*v", "[~cuda, +mpi]", "*v"], above=first))
    variants = {build.variants for build in package.specs.values()}
    assert variants == {("+mpi", "~cuda")}


@pytest.mark.parametrize("mark", ["*", "&"])
def test_a_long_text_counts_as_one_value_where_nothing_is_repeated(mark: str) -> None:
    page = in_yaml([f"[{', '.join(500 * 'x')}, '{mark}{'y' * 1000}']"])
    assert taken(page, Limits(page_size=(4 + 2 * 8 + 1 + 501) * 64))


# --- Pairing ---


def test_what_would_take_too_long_to_pair_is_a_bad_new_page(tmp_path: Path) -> None:
    for side, first, sign in (("old", "b", "+"), ("new", "p", "~")):
        records = [
            spec(first + letter, variants=f"{sign}{letter}", stacks="e4s hep")
            for letter in "abcdefghijklmnopqrstuvwxy"
        ]
        write_files(tmp_path / side, pages_of(records, compact_page))
    comparisons = 2 * 25 * 25 * (32 + 1 + 1)  # in two stacks
    words = ("-C", tmp_path, "old", "new", "--max-size")
    assert run_cli(*words, str(comparisons // 2)).status == 0
    too_small = str(comparisons // 2 - 1)
    reason = (
        "the package's specs are too many and too unlike each other to be paired, "
        f"and the limit is {comparisons - 2:,} comparisons; {RAISED}"
    )
    status, out, err = run_cli(*words, too_small)
    assert (status, out) == (2, "")
    assert err.startswith(f"snapdiff: error: {PATH} (new): {reason}; correct it")
    report = json.loads(run_cli(*words, too_small, "-fjson", "--skip-bad-pages").out)
    assert report["skipped"] == [{"side": "new", "path": PATH, "error": reason}]
    assert report["tags"] == []


def test_pages_too_long_to_be_read_together_give_the_same_report(tmp_path: Path) -> None:
    stays = [spec(letter, variants="x" * 200) for letter in "bcd"]
    old = pages_of([*stays, spec("e"), spec("f", stacks="hep")])
    new = pages_of([*stays, spec("p", "1.1"), spec("f", stacks="e4s")])
    write_files(tmp_path / "old", old)
    write_files(tmp_path / "new", new)
    expected = run_json("-C", tmp_path, "old", "new")
    length = max(map(len, (*old.values(), *new.values())))
    too_small = str((length - 1) * 16)
    assert run_json("-C", tmp_path, "old", "new", "--max-size", too_small) == expected
    assert expected["summary"]["rebuilt"] == 1


def test_how_large_a_document_may_be_is_an_option(tmp_path: Path) -> None:
    """From a directory, from git and as a file: the error names the option that raises it."""
    text = to_bytes(lock([Item("zlib")]))
    repository = GitRepository(tmp_path)
    repository.commit({"old/spack.lock": text, "new/spack.lock": text + b" "})
    for old, new in (
        ("./old", "./new"),
        ("HEAD:old", "HEAD:new"),
        ("old/spack.lock", "new/spack.lock"),
    ):
        words = ("-C", tmp_path, old, new)
        done = run_cli(*words, "--max-size", str(len(text)))
        limit = f"the limit is {len(text):,} bytes; --max-size raises it"
        assert (done.status, limit in done.err) == (2, True), done.err
        assert run_cli(*words, "--max-size", str(len(text) + 1)).status == 0
