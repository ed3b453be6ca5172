"""A repository with many daily commits, for the changelog: few pages change a day."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.catalog import pages, shape
from benchmarks.derive import next_day
from benchmarks.page import Page
from benchmarks.store import Repository

DAYS = 200
CHANGED = 0.05


def write_history(
    path: Path,
    catalog: Iterable[Page],
    *,
    days: int = DAYS,
    changed: float = CHANGED,
    seed: int = 1,
) -> int:
    """A repository with a first commit and one for each day; the number of page versions in it."""
    versions = 0
    with Repository(path) as repository:
        current = list(catalog)
        versions += len(current)
        repository.commit("Day 0", [(page.path, repository.blob(page)) for page in current])
        for day in range(1, days + 1):
            changes: list[tuple[str, str | None]] = []
            following: list[Page] = []
            for old, new in next_day(current, seed=1000 * seed + day, changed=changed):
                if new is not None:
                    following.append(new)
                if old is not None and new is None:
                    changes.append((old.path, None))
                elif new is not None and new is not old:
                    changes.append((new.path, repository.blob(new)))
                    versions += 1
            current = following
            repository.commit(f"Day {day}", changes)
    return versions


def develop_history(path: Path, scale: float, seed: int) -> int:
    """The `develop` tag over two hundred days; the number of page versions in it."""
    return write_history(path, pages(shape("develop", scale=scale, seed=seed)), seed=seed)
