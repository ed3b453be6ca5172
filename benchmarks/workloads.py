"""What is measured: each workload with its command, its yardstick and its target.

A limit is `factor` times the yardstick's seconds plus an allowance: a number of seconds, or the
seconds of a third command that is measured in the same rounds.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cases import Facts, case_folder, facts_of
from benchmarks.history import DAYS, page_pipe_seconds
from benchmarks.locks import COMMITS
from benchmarks.measure import (
    cat_seconds,
    git_pipe_seconds,
    orjson_seconds,
    seconds,
    write_file_list,
)

Command = tuple[str | Path, ...]
MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where things are in this run: the tool, Python, the cache, and a folder for reports."""

    tool: tuple[str, ...]
    python: str
    cache: Path
    reports: Path
    scale: float
    seed: int

    def folder(self, case: str) -> Path:
        """The folder of a case."""
        return case_folder(case, self.cache, scale=self.scale, seed=self.seed)

    def diff(self, case: str, report: str, old: str = "HEAD~1", new: str = "HEAD") -> Command:
        """The tool on two revisions of a case; the report's suffix tells the format."""
        kind = "markdown" if report.endswith(".md") else "json"
        where = self.folder(case) / "repository"
        return (*self.tool, "-C", where, "-f", kind, "-o", self.reports / report, old, new)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A workload ready to be measured; `peak` is a limit of memory that depends on its files."""

    command: Command
    yardstick: Callable[[], float]
    allowance: float | Callable[[], float] = 0.0
    facts: Facts | None = None
    peak: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """A workload, the cases it needs, its target, and what prepares it once they are there."""

    name: str
    cases: Sequence[str]
    yardstick: str
    target: str
    factor: float
    peak: int | None = None
    prepare: Callable[[Setting], Plan]


def _daily(setting: Setting) -> Plan:
    folder = setting.folder("daily")
    return Plan(
        command=setting.diff("daily", "daily.json"),
        yardstick=lambda: git_pipe_seconds(folder / "repository", "HEAD~1", "HEAD"),
        facts=facts_of(folder),
    )


def _directories(setting: Setting) -> Plan:
    folder = setting.folder("directories")
    names = setting.reports / "directories.list"
    write_file_list(names, folder / "old", folder / "new")
    report = setting.reports / "directories.json"
    return Plan(
        command=(*setting.tool, "-f", "json", "-o", report, folder / "old", folder / "new"),
        yardstick=lambda: cat_seconds(names),
        allowance=lambda: seconds((*setting.tool, "--version")),
        facts=facts_of(folder),
    )


def _quiet(setting: Setting) -> Plan:
    alone = setting.diff("develop-alone", "alone.json")
    return Plan(
        command=setting.diff("whole-catalog", "quiet.json"),
        yardstick=lambda: seconds(alone),
        facts=facts_of(setting.folder("whole-catalog")),
    )


def _weekly(setting: Setting) -> Plan:
    tags = ("HEAD:_cache/develop-2025-03-23", "HEAD:_cache/develop-2025-03-30")
    lone = setting.diff("one-page", "one-page.json", "HEAD:_cache/old", "HEAD:_cache/new")
    facts = facts_of(setting.folder("weekly"))
    return Plan(
        command=setting.diff("weekly", "weekly.json", *tags),
        yardstick=lambda: seconds(lone),
        allowance=20e-6 * facts.old_specs,  # one side only: the stricter reading of "20 µs a spec"
        facts=facts,
    )


def _upheaval(setting: Setting) -> Plan:
    folder = setting.folder("upheaval")
    return Plan(
        command=setting.diff("upheaval", "upheaval.json"),
        yardstick=lambda: git_pipe_seconds(folder / "repository", "HEAD~1", "HEAD"),
        facts=facts_of(folder),
    )


def _upheaval_growth(setting: Setting) -> Plan:
    quarter = setting.diff("upheaval-quarter", "upheaval-quarter.json")
    return Plan(
        command=setting.diff("upheaval", "upheaval.json"),
        yardstick=lambda: seconds(quarter),
        facts=facts_of(setting.folder("upheaval")),
    )


def _start_up(setting: Setting) -> Plan:
    return Plan(
        command=(*setting.tool, "--version"),
        yardstick=lambda: seconds((setting.python, "-c", "pass")),
    )


def _markdown(setting: Setting) -> Plan:
    as_json = setting.diff("daily", "daily.json")
    return Plan(
        command=setting.diff("daily", "daily.md"),
        yardstick=lambda: seconds(as_json),
    )


def _changelog(setting: Setting) -> Plan:
    # A .md or .ndjson file would be continued, and the second run measure nothing.
    where = setting.folder("history") / "repository"
    report = setting.reports / "changelog.json"
    return Plan(
        command=(*setting.tool, "changelog", "-C", where, f"HEAD~{DAYS}..HEAD", "-o", report),
        yardstick=lambda: page_pipe_seconds(where),
        allowance=0.015 * DAYS,
    )


def _index_command(setting: Setting, case: str) -> Command:
    folder = setting.folder(case)
    report = setting.reports / f"{case}.json"
    return (*setting.tool, "-f", "json", "-o", report, folder / "old", folder / "new")


def _indexes(setting: Setting) -> Plan:
    files = sorted(setting.folder("indexes").rglob("index.json"))
    return Plan(
        command=_index_command(setting, "indexes"),
        yardstick=lambda: orjson_seconds(setting.python, *files),
        peak=sum(file.stat().st_size for file in files) + 200 * MEBIBYTE,
    )


def _index_growth(setting: Setting) -> Plan:
    smaller = _index_command(setting, "indexes")
    return Plan(
        command=_index_command(setting, "large-indexes"),
        yardstick=lambda: seconds(smaller),
    )


def _releases(setting: Setting) -> Plan:
    # Two releases of E4S where the real ones are there; they are not ours to keep in a repository.
    folder, old, new = setting.folder("releases"), "old", "new"
    if shared := os.environ.get("SNAPDIFF_SHARED"):
        folder, old, new = Path(shared, "data/locks/e4s/environments"), "23.08", "23.11"
    files = sorted(file for side in (old, new) for file in (folder / side).rglob("spack.lock"))
    report = setting.reports / "releases.json"
    return Plan(
        command=(*setting.tool, "-f", "json", "-o", report, folder / old, folder / new),
        yardstick=lambda: orjson_seconds(setting.python, *files),
    )


def _lock_changelog(setting: Setting) -> Plan:
    where = setting.folder("lock-history") / "repository"
    report = setting.reports / "lock-changelog.json"
    return Plan(
        command=(*setting.tool, "changelog", "-C", where, f"HEAD~{COMMITS}..HEAD", "-o", report),
        yardstick=lambda: orjson_seconds(setting.python, "--history", where),
    )


WORKLOADS: dict[str, Workload] = {
    workload.name: workload
    for workload in (
        Workload(
            name="daily",
            cases=("daily",),
            yardstick="git pipe",
            target="≤ 4×, ≤ 150 MB",
            factor=4.0,
            peak=150 * MEBIBYTE,
            prepare=_daily,
        ),
        Workload(
            name="directories",
            cases=("directories",),
            yardstick="`cat` of every page",
            target="≤ 3× plus start-up",
            factor=3.0,
            prepare=_directories,
        ),
        Workload(
            name="quiet",
            cases=("whole-catalog", "develop-alone"),
            yardstick="the same change, `develop` alone",
            target="≤ 1.3×",
            factor=1.3,
            prepare=_quiet,
        ),
        Workload(
            name="weekly",
            cases=("weekly", "one-page"),
            yardstick="diff of one page",
            target="≤ 2× plus 20 µs a spec",
            factor=2.0,
            prepare=_weekly,
        ),
        Workload(
            name="upheaval",
            cases=("upheaval",),
            yardstick="git pipe",
            target="≤ 15×, ≤ 1 GB",
            factor=15.0,
            peak=1024 * MEBIBYTE,
            prepare=_upheaval,
        ),
        Workload(
            name="upheaval-growth",
            cases=("upheaval", "upheaval-quarter"),
            yardstick="a quarter of the specs",
            target="≤ 4.6×",
            factor=4.6,
            prepare=_upheaval_growth,
        ),
        Workload(
            name="start-up",
            cases=(),
            yardstick="`python -c pass`",
            target="≤ 4×",
            factor=4.0,
            prepare=_start_up,
        ),
        Workload(
            name="markdown",
            cases=("daily",),
            yardstick="daily as JSON",
            target="≤ 1.2×",
            factor=1.2,
            prepare=_markdown,
        ),
        Workload(
            name="changelog",
            cases=("history",),
            yardstick="git pipe, every page version",
            target="≤ 1.5× plus 15 ms a section",
            factor=1.5,
            prepare=_changelog,
        ),
        Workload(
            name="indexes",
            cases=("indexes",),
            yardstick="`orjson.loads` of both",
            target="≤ 0.6×, ≤ both files plus 200 MB",
            factor=0.6,
            prepare=_indexes,
        ),
        Workload(
            name="index-growth",
            cases=("indexes", "large-indexes"),
            yardstick="indexes",
            target="≤ 4×",
            factor=4.0,  # 3.78 times as many specs
            prepare=_index_growth,
        ),
        Workload(
            name="releases",
            cases=("releases",),
            yardstick="`orjson.loads` of ten locks",
            target="≤ 1×",
            factor=1.0,
            prepare=_releases,
        ),
        Workload(
            name="lock-changelog",
            cases=("lock-history",),
            yardstick="`orjson.loads` of every version",
            target="≤ 1×",
            factor=1.0,
            prepare=_lock_changelog,
        ),
    )
}
