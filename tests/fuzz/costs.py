"""What pages of a shape cost, and whether four times as large a page costs about four times."""

import contextlib
import functools
import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from snapdiff import SnapdiffError, diff_catalogs, load_catalog, render_report
from snapdiff.model.specs import counting_stacks
from snapdiff.spack import parse_version
from tests.fuzz.shapes import Pages, Shape
from tests.fuzz.targets import PATH
from tests.support.helpers import catalog_folders, spec, usual_page

MOST = 7.0
"""How many times as much four times the size may cost: a square costs sixteen times as much."""

HARM = 3.0
"""How many times as long a page may take as a harmless one of as many bytes."""

_FORMATS = ("csv", "markdown")
_SECONDS, _MEGABYTES = 0.02, 1.0
"""What the clock, the collector and caches may add."""

_SURE = 0.75
"""How much of what a small page cost at its best is sure to be in every cost."""

_ATTEMPTS = 4


class Cost(NamedTuple):
    """Seconds of processor time, and megabytes at the peak."""

    seconds: float
    megabytes: float

    def allows(self, larger: "Cost", most: float) -> bool:
        """Return whether `larger` is at most so many times this, what every page costs aside."""
        base = _least(_least_cost(), self)  # a busy machine may have measured more for less
        small = self.seconds - _SURE * base.seconds, self.megabytes - _SURE * base.megabytes
        large = larger.seconds - _SURE * base.seconds, larger.megabytes - _SURE * base.megabytes
        return (
            large[0] <= most * max(small[0], 0) + _SECONDS
            and large[1] <= most * max(small[1], 0) + _MEGABYTES
        )


def check_shape(shape: Shape) -> None:
    """Raise AssertionError where four times the size costs too much, however often it is measured.

    Both are measured in one run, one after the other, and there is room: what costs in proportion
    would have to look almost twice as slow in each of five attempts. Where the shape has harmless
    pages of as many bytes, it may take only so much longer than they do.
    """
    small, large = shape.make(shape.size // 2), shape.make(2 * shape.size)
    _check(small, large, MOST, partial(_cost, formats=shape.formats))
    if shape.harmless:
        same = shape.harmless(2 * shape.size)
        _check(same, large, HARM, partial(_seconds, formats=shape.formats))


def _check(small: Pages, large: Pages, most: float, cost: Callable[[Pages], Cost]) -> None:
    best, best_of_large = cost(small), cost(large)
    for _ in range(_ATTEMPTS):
        if best.allows(best_of_large, most):
            return
        best, best_of_large = _least(best, cost(small)), _least(best_of_large, cost(large))
    raise AssertionError(f"{best} becomes {best_of_large}")


@functools.cache
def _least_cost() -> Cost:
    """Return what two small pages cost: most of it is spent on templates."""
    pages = usual_page([spec("b")]).encode(), usual_page([spec("p")]).encode()
    return functools.reduce(_least, [_cost(pages) for _ in range(_ATTEMPTS)])


def _least(one: Cost, other: Cost) -> Cost:
    return Cost(min(one.seconds, other.seconds), min(one.megabytes, other.megabytes))


def _seconds(pages: Pages, formats: Sequence[str] = _FORMATS) -> Cost:
    """Return what a comparison takes, memory aside."""
    with _comparison(pages) as compare:
        began = time.process_time()
        compare(formats)
        return Cost(time.process_time() - began, 0.0)


def _cost(pages: Pages, formats: Sequence[str] = _FORMATS) -> Cost:
    seconds = _seconds(pages, formats).seconds
    with _comparison(pages) as compare:
        tracemalloc.start()
        compare(formats[:1])  # all that is allocated is written down, which takes its time
        megabytes = tracemalloc.get_traced_memory()[1] / (1 << 20)
        tracemalloc.stop()
    return Cost(seconds, megabytes)


class _Compare(Protocol):
    def __call__(self, formats: Sequence[str]) -> None: ...


@contextlib.contextmanager
def _comparison(pages: Pages) -> Iterator["_Compare"]:
    old, new = pages
    with catalog_folders({PATH: old}, {PATH: new}) as (before, after):

        def compare(formats: Sequence[str]) -> None:
            for function in (parse_version, counting_stacks):
                function.cache_clear()
            gc.collect()
            _compare(before, after, formats)

        yield compare


def _compare(old: Path, new: Path, formats: Sequence[str]) -> None:
    with contextlib.suppress(SnapdiffError):
        found = diff_catalogs(
            load_catalog(old.name, repository=old.parent),
            load_catalog(new.name, repository=new.parent),
            skip_bad_pages=True,
        )
        for name in formats:
            render_report(found, name)
