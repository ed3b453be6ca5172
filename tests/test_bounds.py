"""Whatever a page holds, it is a bad page or a right result, soon and within 300 megabytes.

How soon is counted in runs of the command on two small pages, measured beside it: two seconds are
ten of these on a machine of today.
"""

import functools
import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import pytest

from snapdiff.cli.diff_command import diff
from snapdiff.limits import Limits
from tests.golden import SNAPSHOTS
from tests.support.documents import Item, database, lock, needs, to_bytes
from tests.support.helpers import (
    PROJECT,
    entries_of,
    expected_readings,
    page_around,
    pages_of,
    readings_of,
    run_cli,
    run_json,
    spec,
    usual_page,
    write_files,
)
from tests.support.nightly import nightly_but
from tests.support.oracle import Record
from tests.support.processes import Measured, is_one_line_error, measure
from tests.support.repositories import GitRepository

pytestmark = pytest.mark.slow

RUNS, MEGABYTES = 16, 300.0
PAGE = "_cache/develop/zlib/specs.md"
HEAD = "---\ntitle: zlib\nlayout: cache\ncategories: [package, develop]\n"
MILLION = 1_000_000


def names() -> Iterator[str]:
    """Names of hashes without end."""
    letters = "abcdefghijklmnopqrstuvwxyz234567"
    return map("".join, itertools.product(letters, repeat=6))


def many(count: int, first: str = "a", **fields: Callable[[int], Any]) -> list[Record]:
    """Records that differ in some fields, each by its number; hashes begin with `first`."""
    return [
        spec(first + name, **{key: made(number) for key, made in fields.items()})
        for number, name in zip(range(count), names(), strict=False)
    ]


def entry(**fields: Any) -> str:
    """One record as JSON."""
    return json.dumps(entries_of([spec("b")])[0] | fields)


def in_yaml(count: int, variants: str) -> str:
    """Records in YAML with some text for their variants."""
    return "".join(
        f"- {{hash: {name.ljust(32, 'a')}, versions: ['1'], compiler: c, os: o, platform: p, "
        f"target: t, variants: {variants}, stacks: []}}\n"
        for _, name in zip(range(count), names(), strict=False)
    )


def bomb(first: str, link: str) -> str:
    """Nine mappings or lists, each ten times the one before."""
    lines = [f"a: &a {first}\n"]
    for one, other in itertools.pairwise("abcdefghij"):
        lines.append(f"{other}: &{other} {link.replace('*', ', '.join([f'*{one}'] * 10))}\n")
    return HEAD + "".join(lines) + "spec_details: []\n---\n"


ALIASES = "too many values behind aliases, and the limit is 262,144 values; --max-size raises it"
DEEP = "over 100 lists and mappings in each other"
DIGITS = "a number of over 4,300 digits"
LARGE = "and the limit is 16,777,216 bytes; --max-size raises it"
UNUSUAL = "and the limit is 2,097,152 characters; --max-size raises it"
VALUES = "the page holds too many values, and the limit is 262,144 values; --max-size raises"
YAML_VALUES = "too many values, and the limit is 262,144 values; --max-size raises it"
LISTED = "listing each spec once for each of its stacks takes too much, and the limit is 67,108,864"
PARTS = "spec_details[0].versions[0]: a version of over 64 parts, '1.1.1."

BAD_PAGES: dict[str, tuple[Callable[[], str], str]] = {
    "aliases of lists": (lambda: bomb("[x, y]", "[*]"), ALIASES),
    "aliases of mappings": (lambda: bomb("{x: 1}", "{y: [*]}"), ALIASES),
    "merge keys": (lambda: bomb("{x: 1, y: 2}", "{<<: [*]}"), ALIASES),
    "merge keys in a chain": (
        lambda: (
            HEAD
            + "a0: &a0 {x: 1}\n"
            + "".join(f"a{i + 1}: &a{i + 1} {{<<: *a{i}, k{i}: 1}}\n" for i in range(2000))
            + "spec_details: []\n---\n"
        ),
        DEEP,
    ),
    "an alias in every record": (
        lambda: (
            f"{HEAD}v: &v [{', '.join(f'x{i}' for i in range(9000))}]\n"
            f"spec_details:\n{in_yaml(900, '*v')}---\n"
        ),
        ALIASES,
    ),
    "an alias of a long text": (
        lambda: f"{HEAD}v: &v ['{'x' * MILLION}']\nspec_details:\n{in_yaml(1000, '*v')}---\n",
        ALIASES,
    ),
    "an alias of itself": (
        lambda: f"{HEAD}spec_details: &a [*a]\n---\n",
        "an alias stands within what it stands for",
    ),
    "a mapping in itself": (
        lambda: f"{HEAD}spec_details: &a {{b: {{c: *a}}}}\n---\n",
        "an alias stands within what it stands for",
    ),
    "lists in lists, YAML": (lambda: f"{HEAD}x: {'[' * 90_000}\n---\n", DEEP),
    "mappings in mappings, YAML": (lambda: f"{HEAD}x: {'{a: ' * 90_000}\n---\n", DEEP),
    "block lists in block lists": (lambda: f"{HEAD}x:\n{'- ' * 50_000}\n---\n", DEEP),
    "keys in keys": (lambda: f"{HEAD}{'? ' * 50_000}\n---\n", DEEP),
    "lists in lists, JSON": (lambda: page_around("[" * 90_000 + "]" * 90_000), DEEP),
    "lists in lists, JSON, a million": (
        lambda: page_around("[" * MILLION * 2 + "]" * MILLION * 2),
        UNUSUAL,
    ),
    "lists in an unknown key": (
        lambda: page_around(f'[{entry()[:-1]}, "x": {"[" * 90_000}{"]" * 90_000}}}]'),
        DEEP,
    ),
    "lists in meta": (
        lambda: page_around(f"[{entry()}]", meta="[" * 90_000 + "]" * 90_000),
        DEEP,
    ),
    "ten million entries": (lambda: page_around(f"[{'0,' * (10 * MILLION)}0]"), LARGE),
    "eight million entries": (lambda: page_around(f"[{'0,' * (8 * MILLION)}0]"), VALUES),
    "five million objects": (lambda: page_around(f"[{'{},' * (5 * MILLION)}{{}}]"), VALUES),
    "five million variants": (
        lambda: page_around(f"[{entry(x=['a'] * (2 * MILLION))}]"),
        VALUES,
    ),
    "a million stacks": (
        lambda: page_around(f"[{entry(stacks=[f's{number}' for number in range(MILLION)])}]"),
        VALUES,
    ),
    "entries in YAML": (
        lambda: HEAD + "spec_details:\n" + "- a\n" * 400_000 + "---\n",
        YAML_VALUES,
    ),
    "keys in YAML": (lambda: f"{HEAD}x: {{{'a,' * 400_000}}}\n---\n", YAML_VALUES),
    "one endless line": (lambda: "x" * (15 * MILLION), "line 1: no front matter"),
    "one endless line, larger": (lambda: "x" * (60 * MILLION), LARGE),
    "one endless line of front matter": (
        lambda: f"---\n{'x' * (15 * MILLION)}",
        "front matter begins with '---' and never ends",
    ),
    "marks without end": (
        lambda: "---\n" + "\n---a" * (MILLION // 4),
        "front matter begins with '---' and never ends",
    ),
    "more marks without end": (lambda: "---\n" + "\n---a" * (3 * MILLION), VALUES),
    "an endless text": (
        lambda: HEAD + 'spec_details: "' + "\\x41" * (3 * MILLION) + '"\n---',
        UNUSUAL,
    ),
    "blanks without end": (lambda: f"{HEAD}spec_details: {' ' * (8 * MILLION)}\n---\n", UNUSUAL),
    "an integer of a million digits": (
        lambda: f"{HEAD}n: {'1' * MILLION}\nspec_details: []\n---\n",
        DIGITS,
    ),
    "a float of a million digits": (
        lambda: f"{HEAD}n: 1.{'1' * MILLION}\nspec_details: []\n---\n",
        DIGITS,
    ),
    "a hexadecimal of a million digits": (
        lambda: f"{HEAD}n: 0x{'1' * MILLION}\nspec_details: []\n---\n",
        DIGITS,
    ),
    "half a million digits to base sixty": (
        lambda: f"{HEAD}n: 1{':1' * (MILLION // 2)}\nspec_details: []\n---\n",
        DIGITS,
    ),
    "a million digits in meta": (
        lambda: page_around(f"[{entry()}]", meta=f'{{"num_specs": {"1" * MILLION}}}'),
        DIGITS,
    ),
    "a version of a million parts": (
        lambda: page_around(f"[{entry(versions=['1.' * MILLION])}]"),
        PARTS,
    ),
    "a version of a hundred parts": (
        lambda: page_around(f"[{entry(versions=['1.' * 100])}]"),
        PARTS,
    ),
    "many specs in many stacks": (
        lambda: usual_page(
            many(4000, stacks=lambda _: " ".join(f"s{number}" for number in range(200)))
        ),
        VALUES,
    ),
    "a long spec in many stacks": (
        lambda: page_around(
            f"[{entry(variants=['x' * MILLION], stacks=[f's{i}' for i in range(9000)])}]"
        ),
        LISTED,
    ),
}


@pytest.fixture
def catalogs(tmp_path: Path) -> Path:
    """A folder with the catalogs `old`, which has one page, and `new`, which has none yet."""
    write_files(tmp_path / "old", pages_of([spec("b")]))
    return tmp_path


def ran(
    folder: Path, *arguments: str | Path, runs: float = RUNS, megabytes: float = MEGABYTES
) -> Measured:
    """Run the command, which takes no more than so many runs on two small pages.

    Where something else disturbs it, it is measured again.
    """
    for _ in range(3):
        run = measure(folder, *arguments)
        assert run.megabytes < megabytes
        if run.seconds < runs * usual_seconds():
            return run
    raise AssertionError(f"{run.seconds} seconds, and {usual_seconds()} are usual")


@functools.cache
def usual_seconds() -> float:
    """Return how many seconds of processor time two small pages take, the second time."""
    with TemporaryDirectory() as folder:
        arguments = Path(folder), PROJECT / SNAPSHOTS[0], PROJECT / SNAPSHOTS[0]
        return min(measure(*arguments).seconds for _ in range(2))


def compared(catalogs: Path) -> Measured:
    """A run over both catalogs, which took no more than it may."""
    return ran(catalogs, "-C", catalogs, "-f", "json", "old", "new")


ONE_A_REASON = (
    "aliases of lists",
    "lists in lists, YAML",
    "ten million entries",
    "keys in YAML",
    "marks without end",
    "an integer of a million digits",
    "a version of a hundred parts",
    "a long spec in many stacks",
)


@pytest.mark.parametrize(("make", "reason"), nightly_but(BAD_PAGES, ONE_A_REASON))
def test_a_page_without_bounds_is_a_bad_page(
    make: Callable[[], str], reason: str, catalogs: Path
) -> None:
    write_files(catalogs / "new", {PAGE: make()})
    run = compared(catalogs)
    assert (run.status, run.out) == (2, b"")
    assert is_one_line_error(run.err)
    assert f"error: {PAGE} (new): " in run.err
    assert reason in run.err
    assert len(run.err) < 600


def test_two_versions_of_a_page_that_take_too_much_to_list_are_bad_pages(catalogs: Path) -> None:
    stacks = " ".join(f"s{number}" for number in range(400))
    shared = f"+x{'x' * 2000}"
    for side, first in (("old", "b"), ("new", "c")):
        records = many(180, first, variants=lambda _: shared, stacks=lambda _: stacks)
        page = usual_page(records)
        assert len(page) < MILLION  # short enough for the two to be read together
        write_files(catalogs / side, {PAGE: page})
    run = compared(catalogs)
    assert run.status == 2
    assert run.err.startswith(f"snapdiff: error: {PAGE} (old) and (new): {LISTED}")
    assert "--skip-bad-pages" in run.err


def test_a_page_of_a_gigabyte_is_a_bad_page(catalogs: Path) -> None:
    page = write_files(catalogs / "new", {PAGE: ""}) / PAGE
    with open(page, "wb") as file:
        file.truncate(1 << 30)
    run = compared(catalogs)
    assert run.status == 2
    assert f"{PAGE} (new): has 1,073,741,824 bytes, {LARGE}" in run.err


@pytest.mark.parametrize("packed", nightly_but({"loose": False, "packed": True}, ["packed"]))
def test_a_page_of_hundreds_of_megabytes_in_git_is_a_bad_page(packed: bool, tmp_path: Path) -> None:
    size = 320 << 20
    repository = GitRepository(tmp_path / "catalog")
    repository.git("config", "core.looseCompression", "1")
    repository.git("config", "core.bigFileThreshold", "1g" if not packed else "1m")
    repository.commit(pages_of([spec("b"), spec("c", package="hdf5")]))
    with open(repository.folder / PAGE, "wb") as file:
        file.truncate(size)
    (repository.folder / "_cache/develop/hdf5/specs.md").write_text("gone\n")
    repository.git("commit", "--quiet", "--all", "--message=Large")
    run = ran(tmp_path, "-C", repository.folder, "HEAD~1", "HEAD")
    assert run.status == 2
    assert f"{PAGE} (new): has {size:,} bytes, {LARGE}" in run.err
    assert "hdf5/specs.md (new): line 1: no front matter" in run.err


RIGHT_RESULTS: dict[str, Callable[[], tuple[list[Record], list[Record]]]] = {
    "twenty thousand versions": lambda: (
        many(20_000, "b", version=lambda number: f"1.{number}"),
        many(20_000, "p", version=lambda number: f"1.{number}.1"),
    ),
    "twenty thousand versions of many parts": lambda: (
        many(12_000, "b", version=lambda number: "1." * 50 + f"{number}"),
        many(12_000, "p", version=lambda number: "1." * 50 + f"{number}.2"),
    ),
    "twenty thousand configurations, all found again": lambda: (
        many(20_000, "b", variants=lambda number: f"+x{number}"),
        many(20_000, "p", variants=lambda number: f"+x{number}"),
    ),
    "twenty thousand of one kind": lambda: (many(20_000, "b"), many(20_000, "p")),
    "seven hundred configurations, none found again": lambda: (
        many(700, "b", variants=lambda number: f"+x{number}"),
        many(700, "p", variants=lambda number: f"+y{number}"),
    ),
    "seven hundred versions and configurations, none found again": lambda: (
        many(700, "b", version=lambda n: f"1.{n}", variants=lambda n: f"+x{n}"),
        many(700, "p", version=lambda n: f"2.{n}", variants=lambda n: f"+y{n}"),
    ),
    "a version of a million digits": lambda: (
        many(1, "b", version=lambda _: "1" * MILLION),
        many(1, "p", version=lambda _: "1" * MILLION + "2"),
    ),
    "compilers of many lines": lambda: (
        many(1, "b", compiler=lambda _: "\n".join(str(n * 7 % 150) for n in range(3000))),
        many(1, "p", compiler=lambda _: "\n".join(str(n * 11 % 150) for n in range(3000))),
    ),
    "a stack for every spec": lambda: (
        many(16_000, "b", stacks=lambda number: f"s{number}", version=lambda n: f"1.{n}"),
        many(16_000, "p", stacks=lambda number: f"s{number}", version=lambda n: f"2.{n}"),
    ),
    "long values that cannot be printed": lambda: (
        many(40, "b", compiler=lambda number: f"{number}"),
        many(40, "p", compiler=lambda number: f"{number}" + "\u200b" * 10_000),
    ),
    "an unknown key of a million digits": lambda: (
        many(3, "b"),
        [item | {"size": 7} for item in many(3, "p")],
    ),
}


ONE_A_PASS = (
    "seven hundred configurations, none found again",
    "twenty thousand of one kind",
)


@pytest.mark.parametrize("make", nightly_but(RIGHT_RESULTS, ONE_A_PASS))
def test_a_page_that_is_merely_large_is_compared(
    make: Callable[[], tuple[list[Record], list[Record]]], tmp_path: Path
) -> None:
    old, new = make()
    write_files(tmp_path / "old", pages_of(old))
    write_files(tmp_path / "new", pages_of(new))
    runs = RUNS * (2 if len(old) >= 10_000 else 1)
    run = ran(tmp_path, "-C", tmp_path, "-f", "csv", "old", "new", runs=runs)
    assert (run.status, run.err) == (0, "")
    assert run.out.count(b"\n") > 1


def test_keys_that_share_a_hash_take_no_longer_than_others(tmp_path: Path) -> None:
    one_hash = 2**61 - 1  # Python's hash of an integer is what is left when it is divided by this
    for side, step in (("old", 1), ("new", one_hash)):
        keys = ", ".join(f"{step * number:#x}: 0" for number in range(1, 40_000))
        page = usual_page([spec("b")]).replace("meta: ", f"further: {{{keys}}}\nmeta: ")
        write_files(tmp_path / side, {PAGE: page})
    run = compared(tmp_path)
    assert (run.status, run.err) == (0, "")


def test_specs_that_cannot_be_paired_in_time_are_an_error_that_names_the_limit(
    catalogs: Path,
) -> None:
    write_files(catalogs / "old", pages_of(many(9000, "b", variants=lambda number: f"+x{number}")))
    write_files(catalogs / "new", pages_of(many(9000, "p", variants=lambda number: f"+y{number}")))
    run = compared(catalogs)
    assert run.status == 2
    assert is_one_line_error(run.err)
    assert "the package's specs are too many and too unlike each other to be paired" in run.err
    assert "the limit is 33,554,432 comparisons; --max-size raises it" in run.err


def test_pairing_takes_time_in_proportion(tmp_path: Path) -> None:
    seconds = []
    for count in (1000, 8000):
        folder = tmp_path / str(count)
        for side, first, end in (("old", "b", ""), ("new", "p", ".1")):
            records = many(count, first, version=lambda n, end=end: f"{n % 90}.{n}{end}")  # type: ignore[misc]
            write_files(folder / side, pages_of(records))
        run = measure(tmp_path, "-C", folder, "-f", "csv", "old", "new")
        assert run.status == 0
        seconds.append(run.seconds)
    # Eight times as much; a start-up is in both.
    assert seconds[1] < seconds[0] * 16


def test_large_pages_are_paired_as_the_oracle_says() -> None:
    from tests.support.helpers import report_of

    old = many(60, "b", version=lambda n: f"1.{n % 7}.{n % 3}", variants=lambda n: f"+x{n % 5}")
    new = many(50, "p", version=lambda n: f"1.{n % 6}.{n % 4}", variants=lambda n: f"+x{n % 11}")
    assert readings_of(report_of(old, new)) == expected_readings(old, new)


MOST_SPECS = 32_000
"""A spec has eight values at least, so a page within all limits has hardly more."""


@pytest.mark.nightly
@pytest.mark.parametrize("stack", ["s", "s{}"], ids=["one stack", "a stack for every spec"])
def test_the_largest_pages_within_all_limits_take_seconds(stack: str, tmp_path: Path) -> None:
    for side in ("old", "new"):
        records = [
            {
                "hash": (side[0].replace("o", "p") + name).ljust(32, "a"),
                "versions": [f"1.{number}"],
                "compiler": "gcc",
                "os": f"{side}{number}",
                "platform": "linux",
                "target": "x86_64",
                "variants": [],
                "stacks": [stack.format(number)],
            }
            for number, name in zip(range(MOST_SPECS), names(), strict=False)
        ]
        page = page_around(json.dumps(records))
        assert page.count(",") > Limits().values * 0.95
        write_files(tmp_path / side, {PAGE: page})
    arguments = ("-C", tmp_path, "-o", tmp_path / "report.html", "old", "new")
    run = ran(tmp_path, *arguments, runs=10 * RUNS, megabytes=700)
    assert (run.status, run.err) == (0, "")


def test_an_index_costs_in_proportion_to_its_size(tmp_path: Path) -> None:
    for side, version in (("old", "1"), ("new", "2")):
        chain = [Item("gcc", version)]
        for number in range(2000):
            below = tuple(needs(item) for item in chain[-3:])
            chain.append(Item(f"p{number % 400}", f"1.{number}", needs=below))
        index = to_bytes(database(chain))
        write_files(tmp_path / side, {"v1/e4s/build_cache/index.json": index})
    most = 40 + 6 * len(index) / 1e6
    run = ran(tmp_path, "-C", tmp_path, "-f", "csv", "old", "new", megabytes=most)
    assert (run.status, run.err) == (0, "")
    assert run.out.count(b"rebuilt") > 1600


def test_a_lock_made_to_have_a_pair_of_specs_for_everything_is_a_bad_document(
    tmp_path: Path,
) -> None:
    """Each spec depends on one like it, and so on: any old one may meet any new one below."""
    for side, version in (("old", "1"), ("new", "2")):
        chain = [Item("gcc", version)]
        for _ in range(2000):
            chain.append(Item("p", needs=(needs(chain[-1]),)))
        write_files(tmp_path / side, {"v1/e4s/spack.lock": to_bytes(lock(chain))})
    run = compared(tmp_path)
    assert run.status == 2
    assert is_one_line_error(run.err)
    assert "its changed dependencies make more than 116,008 pairs of specs" in run.err


# --- The limits themselves ---


def test_the_limits_follow_the_size_of_a_page(catalogs: Path) -> None:
    write_files(catalogs / "new", {PAGE: usual_page([spec("c", version="1" * 5000)])})
    result = run_cli("-C", catalogs, "--max-size", "4000", "old", "new")
    assert result.status == 2
    assert "and the limit is 4,000 bytes; --max-size raises it" in result.err
    report = run_json("-C", catalogs, "--max-size", "40000", "old", "new")
    assert report["summary"]["upgraded"] == 1


def test_honest_pages_are_far_below_every_limit() -> None:
    largest = 720_000  # bytes, of about a thousand specs in forty stacks
    bounds = Limits()
    assert bounds.page_size > 20 * largest
    assert bounds.values > 9 * largest / 25  # so many bytes has a value
    assert bounds.yaml_size > 2 * largest
    assert bounds.values > 5 * 1000 * 50
    assert bounds.comparisons > 10 * 200 * 200 * 64


@pytest.mark.parametrize(
    ("text", "size"),
    [("1", 1), ("2K", 2048), ("64M", 64 << 20), ("1G", 1 << 30), (" 3m ", 3 << 20)],
)
def test_a_size_is_a_number_with_or_without_a_unit(text: str, size: int) -> None:
    with diff.make_context("diff", ["--max-size", text]) as context:
        assert context.params["limits"] == Limits(size, size)


@pytest.mark.parametrize("text", ["", "0", "-1", "1T", "1.5M", "M", "\u0661", "1" * 99])
def test_anything_else_is_no_size(text: str) -> None:
    with pytest.raises(click.BadParameter, match="is no size; write a number of bytes"):
        diff.make_context("diff", ["--max-size", text])


@pytest.mark.nightly
def test_what_cannot_be_paired_in_time_is_an_error_in_many_stacks_too(catalogs: Path) -> None:
    def stacks(number: int) -> str:
        return " ".join(f"s{stack}" for stack in range(60) if (number + stack) % 7)

    for side, first in (("old", "b"), ("new", "p")):
        records = many(600, first, variants=lambda n, first=first: f"+{first}{n}", stacks=stacks)  # type: ignore[misc]
        write_files(catalogs / side, pages_of(records))
    run = compared(catalogs)
    assert run.status == 2
    assert is_one_line_error(run.err)
    assert "zlib" in run.err
    assert "too unlike each other to be paired, and the limit is 33,554,432 comparisons" in run.err
