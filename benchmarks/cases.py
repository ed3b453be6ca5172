"""The catalogs that the workloads run on, generated once and kept in a cache folder.

    python -m benchmarks.cases [--cache DIR] [--seed N] [--scale X] [NAME...]

A case is a folder: repositories or directories of pages, and `facts.json`, what the generator knows
about them. Its name holds the seed, the scale and a digest of the generator's own source, so that
no stale catalog is ever measured.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.catalog import Shape, pages, shape
from benchmarks.derive import Pair, next_day, next_week, one_page, upheaval, weeks
from benchmarks.history import develop_history
from benchmarks.indexes import write_pair
from benchmarks.locks import write_history, write_releases
from benchmarks.page import Page
from benchmarks.store import write_directory, write_one_commit, write_two_commits

HERE = Path(__file__).resolve().parent
SOURCES = (
    *("names.py", "page.py", "catalog.py", "derive.py", "store.py", "history.py", "cases.py"),
    *("indexes.py", "locks.py"),
)
INDEX_SPECS, LARGE_INDEX_SPECS = 100_000, 378_000
FIRST_SUNDAY = datetime.date(2023, 8, 6)
CHANGED_PACKAGE = "hdf5"


@dataclass(slots=True)
class Facts:
    """What a case holds, old side and new side; `counted` is the sum over stacks."""

    old_pages: int = 0
    new_pages: int = 0
    changed_pages: int = 0
    old_specs: int = 0
    new_specs: int = 0
    old_counted: int = 0
    new_counted: int = 0


def default_cache() -> Path:
    """The folder named by BENCH_CACHE, otherwise `.cache` beside this module."""
    return Path(os.environ.get("BENCH_CACHE") or HERE / ".cache")


def tallied(pairs: Iterable[Pair], facts: Facts) -> Iterator[Pair]:
    """The same pairs, counted in `facts` as they pass."""
    for old, new in pairs:
        if old is not None:
            facts.old_pages += 1
            facts.old_specs += len(old.specs)
            facts.old_counted += old.stack_specs
        if new is not None:
            facts.new_pages += 1
            facts.new_specs += len(new.specs)
            facts.new_counted += new.stack_specs
        facts.changed_pages += old is not new
        yield old, new


def _daily(folder: Path, scale: float, seed: int) -> Facts:
    facts = Facts()
    catalog = pages(shape("develop", scale=scale, seed=seed))
    write_two_commits(folder / "repository", tallied(next_day(catalog, seed=seed), facts))
    return facts


def _directories(folder: Path, scale: float, seed: int) -> Facts:
    facts = Facts()
    catalog = pages(shape("develop", scale=scale, seed=seed))
    for old, new in tallied(next_day(catalog, seed=seed), facts):
        write_directory(folder / "old", [old] if old else [])
        write_directory(folder / "new", [new] if new else [])
    return facts


def _develop_alone(folder: Path, scale: float, seed: int) -> Facts:
    facts = Facts()
    catalog = pages(shape("develop", scale=scale, seed=seed))
    pairs = one_page(catalog, CHANGED_PACKAGE, seed=seed)
    write_two_commits(folder / "repository", tallied(pairs, facts))
    return facts


def _whole_catalog(folder: Path, scale: float, seed: int) -> Facts:
    facts = Facts()
    catalog = pages(shape("develop", scale=scale, seed=seed))
    pairs = tallied(one_page(catalog, CHANGED_PACKAGE, seed=seed), facts)
    tags = [
        f"develop-{FIRST_SUNDAY + datetime.timedelta(weeks=n)}"
        for n in range(max(2, round(100 * scale)))
    ]
    first = shape(tags[0], scale=scale, seed=seed)

    def all_pairs() -> Iterator[Pair]:
        yield from pairs
        for week in weeks(first, pages(first), tags):
            yield from ((page, page) for page in week)

    write_two_commits(folder / "repository", all_pairs())
    return facts


def _weekly(folder: Path, scale: float, seed: int) -> Facts:
    facts = Facts()
    catalog = list(pages(shape("develop-2025-03-23", scale=scale, seed=seed)))
    pairs = list(tallied(next_week(catalog, "develop-2025-03-30", seed=seed), facts))
    write_one_commit(folder / "repository", [page for pair in pairs for page in pair if page])
    return facts


def _one_page(folder: Path, _scale: float, seed: int) -> Facts:
    facts = Facts()
    lone = Shape(tag="develop-2025-03-23", packages=1, specs=1, seed=seed)
    pairs = tallied(upheaval(pages(lone), seed=seed), facts)
    both = [
        replace(page, tag=tag)
        for pair in pairs
        for page, tag in zip(pair, ("old", "new"), strict=True)
        if page
    ]
    write_one_commit(folder / "repository", both)
    return facts


def _upheaval(folder: Path, scale: float, seed: int) -> Facts:
    facts = Facts()
    catalog = pages(shape("develop", scale=scale, seed=seed))
    write_two_commits(folder / "repository", tallied(upheaval(catalog, seed=seed), facts))
    return facts


def _upheaval_quarter(folder: Path, scale: float, seed: int) -> Facts:
    """As many pages with a quarter of the specs each, so that a quadratic step in a page shows."""
    facts = Facts()
    whole = shape("develop", scale=scale, seed=seed)
    catalog = pages(replace(whole, specs=max(whole.packages, whole.specs // 4)))
    write_two_commits(folder / "repository", tallied(upheaval(catalog, seed=seed), facts))
    return facts


def _small_day(folder: Path, _scale: float, seed: int) -> Facts:
    return _small(folder, seed, lambda catalog: next_day(catalog, seed=seed))


def _small_week(folder: Path, _scale: float, seed: int) -> Facts:
    return _small(folder, seed, lambda catalog: upheaval(catalog, seed=seed))


def _small(folder: Path, seed: int, derive: Callable[[list[Page]], Iterator[Pair]]) -> Facts:
    """A catalog that every way of comparing can manage, in both forms; it is never scaled."""
    facts = Facts()
    small = Shape(tag="develop", packages=60, specs=6_000, seed=seed)
    pairs = list(tallied(derive(list(pages(small))), facts))
    write_two_commits(folder / "repository", pairs)
    write_directory(folder / "old", [old for old, _ in pairs if old])
    write_directory(folder / "new", [new for _, new in pairs if new])
    return facts


def _history(folder: Path, scale: float, seed: int) -> Facts:
    return Facts(new_pages=develop_history(folder / "repository", scale, seed))


def _indexes(folder: Path, scale: float, seed: int) -> Facts:
    write_pair(folder, round(INDEX_SPECS * scale), seed=seed)
    return Facts()


def _large_indexes(folder: Path, scale: float, seed: int) -> Facts:
    write_pair(folder, round(LARGE_INDEX_SPECS * scale), seed=seed)
    return Facts()


def _releases(folder: Path, _scale: float, seed: int) -> Facts:
    write_releases(folder, seed=seed)
    return Facts()


def _lock_history(folder: Path, _scale: float, seed: int) -> Facts:
    write_history(folder / "repository", seed=seed)
    return Facts()


CASES: dict[str, Callable[[Path, float, int], Facts]] = {
    "daily": _daily,
    "directories": _directories,
    "develop-alone": _develop_alone,
    "whole-catalog": _whole_catalog,
    "weekly": _weekly,
    "one-page": _one_page,
    "history": _history,
    "upheaval": _upheaval,
    "upheaval-quarter": _upheaval_quarter,
    "indexes": _indexes,
    "large-indexes": _large_indexes,
    "releases": _releases,
    "lock-history": _lock_history,
    "small-day": _small_day,
    "small-week": _small_week,
}


def case_folder(name: str, cache: Path, *, scale: float = 1.0, seed: int = 1) -> Path:
    """Where the case is or will be kept."""
    digest = hashlib.sha256()
    for source in SOURCES:
        digest.update((HERE / source).read_bytes())
    return cache / f"{name}-seed{seed}-scale{scale:g}-{digest.hexdigest()[:8]}"


def build(name: str, cache: Path, *, scale: float = 1.0, seed: int = 1) -> bool:
    """True where the case had to be generated, False where the cache had it already."""
    folder = case_folder(name, cache, scale=scale, seed=seed)
    if (folder / "facts.json").exists():
        return False
    cache.mkdir(parents=True, exist_ok=True)
    for stale in cache.glob(f"{name}-seed{seed}-scale{scale:g}-*"):
        shutil.rmtree(stale)
    partial = folder.with_name(folder.name + ".partial")
    partial.mkdir()
    facts = CASES[name](partial, scale, seed)
    (partial / "facts.json").write_text(json.dumps(asdict(facts)) + "\n")
    partial.rename(folder)
    return True


def facts_of(folder: Path) -> Facts:
    """What `facts.json` of a case says."""
    return Facts(**json.loads((folder / "facts.json").read_text()))


def main() -> int:
    """Generate the cases named on the command line, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cases", description=main.__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CASES))
    parser.add_argument("--cache", type=Path, default=default_cache())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="a fraction of the public catalog's size"
    )
    options = parser.parse_args()
    for name in options.names or CASES:
        if name not in CASES:
            parser.error(f"no case is named {name!r}; there are {', '.join(CASES)}")
        start = time.perf_counter()
        if build(name, options.cache, scale=options.scale, seed=options.seed):
            print(f"{name}: generated in {time.perf_counter() - start:.1f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
