"""Compares snapdiff with other ways to the same answer, on a catalog small enough for all of them.

    python -m benchmarks.compare [--rounds N] [--tool COMMAND] [--cache DIR]

Prints a Markdown table for a day (some specs changed) and for an upheaval (no hash in common, as
between two weekly tags): the time of each way, start-up included, and what it reports. Needs PyYAML
and DeepDiff, and csv-diff for its row.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import importlib.util
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.cases import build, case_folder, default_cache, facts_of
from benchmarks.measure import CommandError, seconds
from benchmarks.run import header
from benchmarks.store import git_environment
from benchmarks.workloads import Command

Specs = dict[str, dict[str, Any]]
DAYS = {"small-day": "A day: some specs changed", "small-week": "An upheaval: no hash in common"}


def load(root: Path) -> Specs:
    """Every spec below a folder by its hash, read the obvious way: with PyYAML's C loader."""
    yaml = importlib.import_module("yaml")
    specs: Specs = {}
    for path in sorted(root.rglob("specs.md")):
        front = yaml.load(path.read_text().split("---")[1], Loader=yaml.CSafeLoader)
        for spec in front["spec_details"]:
            specs[spec["hash"]] = {"package": front["title"], **spec}
    return specs


def obvious_script(old: Path, new: Path) -> str:
    """What DeepDiff says of two dictionaries of specs keyed by hash."""
    deepdiff = importlib.import_module("deepdiff")
    found: Mapping[str, Any] = deepdiff.DeepDiff(load(old), load(new), ignore_order=True)
    return _counted({kind: len(items) for kind, items in found.items()})


def flattened_csv(old: Path, new: Path) -> str:
    """What csv-diff says of two tables of specs keyed by hash, lists flattened to text."""
    csv_diff = importlib.import_module("csv_diff")
    tables = []
    with tempfile.TemporaryDirectory() as folder:
        for side, root in (("old", old), ("new", new)):
            path = Path(folder, f"{side}.csv")
            _write_csv(path, load(root))
            with path.open(newline="") as file:
                tables.append(csv_diff.load_csv(file, key="hash"))
    found = csv_diff.compare(*tables)
    return _counted({kind: len(items) for kind, items in found.items()})


def _write_csv(path: Path, specs: Specs) -> None:
    columns = sorted({column for spec in specs.values() for column in spec})
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for spec in specs.values():
            cells = (spec.get(column, "") for column in columns)
            writer.writerow([" ".join(cell) if isinstance(cell, list) else cell for cell in cells])


def _counted(counts: Mapping[str, int]) -> str:
    """Counts in words: `1 added, 2 removed`."""
    words = [f"{count:,} {kind.replace('_', ' ')}" for kind, count in counts.items() if count]
    return ", ".join(words) or "nothing"


@dataclass(frozen=True, slots=True)
class Script:
    """Another way to compare: its title in the table, the package it needs, and what it says."""

    title: str
    package: str
    compare: Callable[[Path, Path], str]


SCRIPTS = {
    "obvious-script": Script(
        "PyYAML's C loader, DeepDiff over dictionaries keyed by hash", "deepdiff", obvious_script
    ),
    "csv-diff": Script(
        "PyYAML's C loader, csv-diff over flattened specs keyed by hash", "csv_diff", flattened_csv
    ),
}


def said_by_git(repository: Path) -> str:
    """What `git diff` has to say: lines, of which a page has one for all of its specs."""
    command = ["git", "-C", str(repository), "diff", "HEAD~1", "HEAD"]
    environment = git_environment()
    text = subprocess.run(command, env=environment, check=True, capture_output=True).stdout
    short = subprocess.run(
        [*command, "--shortstat"], env=environment, check=True, capture_output=True, text=True
    )
    return f"{short.stdout.strip()}; {len(text) / 1_000_000:.1f} MB of text"


def said_by_tool(report: Path) -> str:
    """The summary of a JSON report."""
    summary: dict[str, int] = json.loads(report.read_text())["summary"]
    return _counted(summary)


def said_by_script(command: Sequence[str | Path]) -> str:
    """The line that a script of this module prints."""
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def rows(case: Path, tool: Sequence[str], rounds: int) -> list[str]:
    """The lines of the table for one case, the tool last."""
    lines = []
    repository = case / "repository"
    with tempfile.TemporaryDirectory(prefix="snapdiff-compare-") as folder:
        report = Path(folder, "report.json")
        for name, script in SCRIPTS.items():
            if importlib.util.find_spec(script.package) is None:
                said = f"not measured: {script.package} is not installed"
                lines.append(_row(script.title, None, said))
                continue
            module: Command = (sys.executable, "-m", "benchmarks.compare")
            run = (*module, "--script", name, case / "old", case / "new")
            lines.append(_row(script.title, _median(run, rounds), said_by_script(run)))
        git: Command = ("git", "-C", repository, "diff", "HEAD~1", "HEAD")
        lines.append(_row("`git diff`", _median(git, rounds), said_by_git(repository)))
        command: Command = (*tool, "-C", repository, "-f", "json", "-o", report, "HEAD~1", "HEAD")
        try:
            lines.append(_row("snapdiff", _median(command, rounds), said_by_tool(report)))
        except (CommandError, OSError) as error:
            lines.append(_row("snapdiff", None, f"failed: {error}"))
    return lines


def _median(command: Sequence[str | Path], rounds: int) -> float:
    """The median seconds of a command, after one untimed run."""
    seconds(command)
    return median(seconds(command) for _ in range(rounds))


def _row(title: str, time: float | None, said: str) -> str:
    return f"| {title} | {'' if time is None else f'{time:.2f}'} | {said} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where everything that is installed ran, 1 where the tool did not."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare", description="Compare snapdiff with others."
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--cache", type=lambda text: Path(text).resolve(), default=default_cache().resolve()
    )
    parser.add_argument(
        "--tool",
        default=f"{shlex.quote(sys.executable)} -m snapdiff",
        help="how the tool is called",
    )
    parser.add_argument(
        "--script", nargs=3, metavar=("NAME", "OLD", "NEW"), help="only run one of the scripts"
    )
    options = parser.parse_args(arguments)
    if options.script:
        name, old, new = options.script
        print(SCRIPTS[name].compare(Path(old), Path(new)))
        return 0
    print(header("python -m benchmarks.compare", options.rounds).rpartition("\n- ")[0])
    failed = False
    for name, title in DAYS.items():
        build(name, options.cache, seed=options.seed)
        case = case_folder(name, options.cache, seed=options.seed)
        facts = facts_of(case)
        size = f"{facts.old_pages} packages, {facts.old_specs:,} specs"
        print(f"\n{title} ({size}, {facts.changed_pages} pages changed)\n")
        print("| way | seconds | what it reports |\n| --- | ---: | --- |")
        lines = rows(case, shlex.split(options.tool), options.rounds)
        print(*lines, sep="\n", flush=True)
        failed = failed or "| failed: " in lines[-1]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
