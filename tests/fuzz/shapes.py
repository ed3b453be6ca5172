"""Shapes of pages that grow: for each, two versions of a page with so many of something.

Every shape once took time or memory by the square of its size, or is like one that did. What took
long for every byte, but no square, has a harmless page of as many bytes beside it. Specs that are
unlike each other are no shape here: to pair them takes their square, up to a limit that
`tests/test_bounds.py` holds.
"""

import itertools
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from tests.fuzz.targets import PAGE_WORDS
from tests.support.helpers import entries_of, page_around, spec, usual_page
from tests.support.oracle import Record

Pages = tuple[bytes, bytes]
"""Two versions of a page."""


class Shape(NamedTuple):
    """Makes two versions of a page of a size; `size` is large enough for a square to be seen.

    `harmless` makes pages of as many bytes, next to which these are to take no more than about
    twice the time. Only some `formats` are rendered where others take so long that they hide it.
    """

    size: int
    make: Callable[[int], Pages]
    harmless: Callable[[int], Pages] | None = None
    formats: Sequence[str] = ("csv", "markdown")


_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_PRIME = 2**61 - 1
"""Python's hash of an integer is the rest when it is divided by this."""


def _names(first: str) -> Iterator[str]:
    return (first + "".join(name) for name in itertools.product(_LETTERS, repeat=6))


def _specs(count: int, first: str, **fields: Callable[[int], Any]) -> list[Record]:
    return [
        spec(name) | {key: made(number) for key, made in fields.items()}
        for number, name in zip(range(count), _names(first), strict=False)
    ]


def _versions(old: Callable[[int], Any], new: Callable[[int], Any]) -> Callable[[int], Pages]:
    return _sides("versions", lambda n: [old(n)], lambda n: [new(n)])


def _sides(
    field: str, old: Callable[[int], Any], new: Callable[[int], Any]
) -> Callable[[int], Pages]:
    """Return a shape with so many specs, of which a field says something else on each side."""

    def make(size: int) -> Pages:
        return (
            usual_page(_specs(size, "b", **{field: old})).encode(),
            usual_page(_specs(size, "p", **{field: new})).encode(),
        )

    return make


def _one(field: str, old: Any, new: Callable[[int], Any]) -> Callable[[int], Pages]:
    """Return a shape of one spec with a field that grows."""

    def make(size: int) -> Pages:
        return (
            usual_page([spec("b") | {field: old}]).encode(),
            usual_page([spec("p") | {field: new(size)}]).encode("utf-8", "surrogatepass"),
        )

    return make


def _further(text: Callable[[int], str]) -> Callable[[int], Pages]:
    """Return a shape whose front matter has more than a page needs, for a YAML reader."""
    usual = usual_page([spec("b")])

    def make(size: int) -> Pages:
        return usual.encode(), usual.replace("meta: ", f"{text(size)}\nmeta: ").encode()

    return make


def _repeated(word: bytes) -> Callable[[int], Pages]:
    """Return a shape with a word of the fuzzers, again and again, in every place of a page."""
    usual = usual_page([spec("b")]).encode()

    def make(size: int) -> Pages:
        many = word * (size // len(word))
        return usual.replace(b"meta: ", b"x: " + many + b"\nmeta: "), usual.replace(
            b"spec_details: [", b"spec_details: [" + many
        )

    return make


def _kept(size: int) -> Pages:
    kept = _specs(size, "b", versions=lambda n: [f"1.{n}"])
    new = _specs(size, "p", versions=lambda n: [f"2.{n}"])
    return usual_page(kept).encode(), usual_page([*kept, *new]).encode()


def _kept_and_raised(size: int) -> Pages:
    """Return a package that keeps all its versions, and gets one for each of as many stacks."""
    kept = _specs(size, "b", versions=lambda n: [f"1.{n}"], stacks=lambda _: ["s0", "s1"])
    new = _specs(size, "p", versions=lambda n: [f"2.{n}"], stacks=lambda n: [f"s{n}"])
    return usual_page(kept).encode(), usual_page([*kept, *new]).encode()


def _long_in_lines(char: str) -> Callable[[int], Pages]:
    """Return a shape of specs whose compiler, one alias, is long and stands in a line of each.

    A report for people shows its beginning; a list for programs has all of it in each line.
    """

    def make(size: int) -> Pages:
        old, new = (_specs(size, first, versions=lambda n: [f"1.{n}"]) for first in "bp")
        text = usual_page([record | {"compiler": "@long"} for record in new])
        text = text.replace('"@long"', "*long ")
        long = char * 125 * size
        return usual_page(old).encode(), text.replace(
            "meta: ", f'x: &long "{long}"\nmeta: ', 1
        ).encode()

    return make


def _many(field: str, first: str) -> Callable[[int], Pages]:
    """Return a shape of one spec with so many stacks or variants, not repeated in `meta`."""

    def make(size: int) -> Pages:
        many = spec("p") | {field: [f"{first}{number}" for number in range(size)]}
        page = page_around(json.dumps(entries_of([many])))
        return usual_page([spec("b")]).encode(), page.encode()

    return make


def _line_shape(size: int) -> Pages:
    """Return two compilers of many lines, few unlike; the new one has another behind each.

    A comparison line by line finds one line in common at a time, and then begins anew.
    """
    lines = [str(zlib.crc32(f"{line}".encode()) % 150) for line in range(size)]
    new = [line for number, old in enumerate(lines) for line in (old, f"new {number}")]
    return (
        usual_page([spec("b") | {"compiler": "\n".join(lines)}]).encode(),
        usual_page([spec("p") | {"compiler": "\n".join(new)}]).encode(),
    )


def _hidden_layout(size: int) -> Pages:
    page = page_around(json.dumps([])).replace("layout: ", "layout:" + " " * size)
    return page.encode(), page.removesuffix("---").encode()


SHAPES: dict[str, Shape] = {
    "versions": Shape(500, _versions(lambda n: f"1.{n}", lambda n: f"1.{n}.1")),
    "versions of many parts": Shape(
        150, _versions(lambda n: "1." * 50 + f"{n}", lambda n: "1." * 50 + f"{n}.2")
    ),
    "configurations": Shape(500, _sides("compiler", lambda n: f"gcc@{n}", lambda n: f"gcc@{n}")),
    "a stack for every spec": Shape(
        600, _sides("stacks", lambda n: [f"s{n}"], lambda n: [f"s{n}"])
    ),
    "a new stack for every spec": Shape(
        600, _sides("stacks", lambda n: [f"s{n}"], lambda n: [f"t{n}"])
    ),
    "a stack for each of many specs": Shape(
        3000, _sides("stacks", lambda n: [f"s{n}"], lambda n: [f"s{n}"]), formats=("csv",)
    ),
    "like specs in one stack, each in another as well": Shape(
        5000,
        _sides("stacks", lambda n: ["s", f"s{n}"], lambda n: ["s", f"s{n}"]),
        formats=("csv",),
    ),
    "stacks of one spec": Shape(300, _one("stacks", ["s"], lambda n: [f"s{i}" for i in range(n)])),
    "more stacks of one spec than are taken": Shape(
        100_000, _many("stacks", "s"), harmless=_many("variants", "+"), formats=("csv",)
    ),
    "variants of one spec": Shape(
        4000, _one("variants", ["+x"], lambda n: [f"+x{i}" for i in range(n)])
    ),
    "versions that stay": Shape(500, _kept),
    "versions that stay where others come": Shape(500, _kept_and_raised),
    "like specs that become unlike": Shape(
        5000, _versions(lambda _: "1.0", lambda n: f"2.{n}"), formats=("csv",)
    ),
    "lines of a compiler": Shape(900, _line_shape),
    "characters that cannot be printed": Shape(
        60_000, _one("compiler", "gcc", lambda n: "\u200b" * n)
    ),
    "characters to escape in many lines": Shape(
        240, _long_in_lines("\u200b"), harmless=_long_in_lines("語"), formats=("markdown",)
    ),
    "characters of a version": Shape(60_000, _one("versions", ["1"], lambda n: ["1" * n])),
    "integers of one hash": Shape(
        8000, _further(lambda n: f"x: {{{', '.join(f'{_PRIME * i}: 0' for i in range(1, n))}}}")
    ),
    "entries": Shape(4000, _further(lambda n: f"x: [{'a, ' * n}]")),
    "lists": Shape(4000, _further(lambda n: f"x: [{'[], ' * n}]")),
    "lists in lists": Shape(4000, _further(lambda n: f"x: {'[' * n}{']' * n}")),
    "keys": Shape(4000, _further(lambda n: f"x: {{{', '.join(f'k{i}: 1' for i in range(n))}}}")),
    "anchors": Shape(
        4000, _further(lambda n: f"x: [{''.join(f'&a{i} b, ' for i in range(n))}*a1]")
    ),
    "merge keys": Shape(
        3000, _further(lambda n: f"x: {{{', '.join(f'<<: {{k{i}: 1}}' for i in range(n))}}}")
    ),
    "aliases of aliases": Shape(
        20,
        _further(
            lambda n: (
                "a0: &a0 [x]\n"
                + "\n".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, n))
            )
        ),
    ),
    "lines of a text": Shape(40_000, _further(lambda n: "x: >\n" + " a\n" * n)),
    "comments": Shape(40_000, _further(lambda n: "#\n" * n)),
    "blanks before a layout": Shape(200_000, _hidden_layout),
    "marks that end nothing": Shape(
        100_000, lambda n: (b"---\n" + b"\n---a" * n, b"---\n" + b"\n...a" * n)
    ),
    **{
        f"{word.decode('utf-8', 'backslashreplace')!r} again and again": Shape(
            10_000, _repeated(word)
        )
        for word in PAGE_WORDS
        if len(word) < 30
    },
}
"""Every shape by name."""
