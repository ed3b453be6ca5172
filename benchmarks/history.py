"""A repository with many daily commits, for the changelog: few pages change a day."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.catalog import pages, shape
from benchmarks.derive import next_day
from benchmarks.page import Page
from benchmarks.store import Repository, git_environment

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
    versions = write_history(path, pages(shape("develop", scale=scale, seed=seed)), seed=seed)
    repack(path)
    return versions


def distinct_pages(repository: Path) -> list[bytes]:
    """The id of every page version on the first-parent line, once, in the order of the commits."""
    git = ["git", "-C", str(repository)]
    environment = git_environment()
    commits = subprocess.run(
        [*git, "rev-list", "--first-parent", "--reverse", "HEAD"],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    listing = subprocess.run(
        [*git, "diff-tree", "--stdin", "--root", "-r", "--no-commit-id"],
        input=commits,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
    ).stdout
    found = dict.fromkeys(line.split()[3] for line in listing.splitlines())
    return [name for name in found if name.strip(b"0")]


def page_pipe_seconds(repository: Path) -> float:
    """Seconds that git alone needs to name every page version of a history and hand it over."""
    start = time.perf_counter()
    names = distinct_pages(repository)
    subprocess.run(
        ["git", "-C", str(repository), "cat-file", "--batch", "--buffer"],
        input=b"\n".join(names) + b"\n",
        env=git_environment(),
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


def repack(repository: Path) -> None:
    """Pack a repository anew: what `git fast-import` wrote has versions of other pages as bases."""
    command = ["git", "-C", str(repository), "repack", "-adfq"]
    subprocess.run(command, env=git_environment(), check=True)
