"""Measures the workloads against their yardsticks and prints a Markdown table.

    python -m benchmarks.run [--rounds N] [--tool COMMAND] [WORKLOAD...]

Workload and yardstick run in turn, once untimed to warm the file cache (and to measure memory),
then once in every round; medians count. The ratio is what is left of the tool's seconds after the
allowance, over the yardstick's. The exit status is 0 even where a target is missed, and 1 where
something did not run or a report does not add up.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.cases import HERE, Facts, default_cache
from benchmarks.measure import CommandError, Memory, memory, seconds
from benchmarks.workloads import MEBIBYTE, WORKLOADS, Plan, Setting, Workload

KINDS = ("added", "removed", "upgraded", "downgraded", "rebuilt", "reconfigured", "unchanged")
HEAD_BYTES = 16_384  # the report's own summary stands within its first lines


@dataclass(slots=True)
class Result:
    """What one workload's rounds gave."""

    workload: Workload
    memory: Memory
    counts: dict[str, int]
    peak: int | None = None
    tool: list[float] = field(default_factory=list)
    yardstick: list[float] = field(default_factory=list)
    allowance: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """How many times the yardstick the tool needed, once its allowance is taken off."""
        return (median(self.tool) - median(self.allowance)) / median(self.yardstick)

    @property
    def met(self) -> str:
        """`yes`, or what the target was missed by."""
        missed = []
        if self.ratio > self.workload.factor:
            missed.append("time")
        if self.peak is not None and self.memory.own > self.peak:
            missed.append("memory")
        return f"no ({', '.join(missed)})" if missed else "yes"


def measure(workload: Workload, setting: Setting, rounds: int) -> Result:
    """The seconds and memory of a workload and its yardstick.

    Raises:
        CommandError: a command failed, or the report does not account for every spec.

    """
    plan = workload.prepare(setting)
    plan.yardstick()
    peak = memory(plan.command)
    result = Result(workload, peak, _counts(plan), plan.peak or workload.peak)
    for _ in range(rounds):
        result.yardstick.append(plan.yardstick())
        result.allowance.append(plan.allowance() if callable(plan.allowance) else plan.allowance)
        result.tool.append(seconds(plan.command))
    return result


def _counts(plan: Plan) -> dict[str, int]:
    """The summary of the JSON report, checked against the facts; empty without facts."""
    if plan.facts is None:
        return {}
    report = Path(plan.command[plan.command.index("-o") + 1])
    with report.open("rb") as file:
        head = file.read(HEAD_BYTES).decode(errors="replace")
    summary = re.search(r'"summary":\s*\{([^}]*)\}', head)
    counts = {} if summary is None else dict(re.findall(r'"(\w+)":\s*(\d+)', summary[1]))
    found = {kind: int(counts.get(kind, 0)) for kind in KINDS}
    _check(found, plan.facts, report)
    return found


def _check(found: dict[str, int], facts: Facts, report: Path) -> None:
    """Nothing where old and new specs are all accounted for, summed over stacks."""
    pairs = sum(found[kind] for kind in KINDS if kind not in ("added", "removed"))
    for side, extra, expected in (
        ("old", found["removed"], facts.old_counted),
        ("new", found["added"], facts.new_counted),
    ):
        if pairs + extra != expected:
            accounted = f"{report.name} accounts for {pairs + extra} {side} specs"
            raise CommandError(f"{accounted}, the catalog holds {expected}")


def megabytes(size: int) -> str:
    """A size in whole megabytes of 1,048,576 bytes."""
    return f"{size / MEBIBYTE:.0f} MB"


def row(result: Result) -> str:
    """The workload's line of the table."""
    cells = (
        result.workload.name,
        f"{median(result.tool):.3f}",
        result.workload.yardstick,
        f"{median(result.yardstick):.3f}",
        f"{median(result.allowance):.3f}" if any(result.allowance) else "",
        f"{result.ratio:.2f}",
        result.workload.target,
        result.met,
        megabytes(result.memory.own),
        f"{megabytes(result.memory.children)} + {megabytes(result.memory.mapped)}",
    )
    return f"| {' | '.join(cells)} |"


def note(result: Result) -> str:
    """The spread of the rounds, the largest process, and what the report counted."""
    spread = ", ".join(
        f"{name} {min(times):.3f} to {max(times):.3f} s"
        for name, times in (("tool", result.tool), ("yardstick", result.yardstick))
    )
    counts = ", ".join(f"{count:,} {kind}" for kind, count in result.counts.items() if count)
    largest = f"largest process {megabytes(result.memory.largest)}"
    return f"- {result.workload.name}: {spread}; {largest}{'; ' + counts if counts else ''}"


def header(command: str, rounds: int) -> str:
    """Date, machine, versions and command of this run."""
    git = subprocess.run(
        ["git", "--version"], check=True, capture_output=True, text=True
    ).stdout.strip()
    return (
        f"- Date: {time.strftime('%Y-%m-%d %H:%M UTC', time.gmtime())}\n"
        f"- Machine: {os.cpu_count()} cores, {platform.system()} {platform.machine()}\n"
        f"- Versions: Python {platform.python_version()}, {git}\n"
        f"- Command: `{command}`\n"
        f"- Seconds are medians of {rounds} round{'s'[: rounds > 1]}."
        " The ratio is tool less allowance, over yardstick."
        " Memory is the peak resident set of the tool's own process; children are the processes it"
        " starts, the greatest sum at one instant: their own memory plus mapped files (git's pack)."
    )


TABLE_HEAD = (
    "| workload | tool (s) | yardstick | yardstick (s) | allowance (s) | ratio | target | met"
    " | memory | children |\n"
    "| --- | ---: | --- | ---: | ---: | ---: | --- | --- | ---: | ---: |"
)


def prepare_cases(workloads: Sequence[Workload], options: argparse.Namespace) -> None:
    """All cases in the cache, made in another process so that this one stays small."""
    cases = list(dict.fromkeys(case for workload in workloads for case in workload.cases))
    if cases:
        arguments = [
            "--cache",
            str(options.cache),
            "--seed",
            str(options.seed),
            "--scale",
            str(options.scale),
        ]
        command = [sys.executable, "-m", "benchmarks.cases", *arguments, *cases]
        subprocess.run(command, cwd=HERE.parent, check=True)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line's options."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.run", description="Measure snapdiff's workloads."
    )
    parser.add_argument(
        "workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS) + " (default: all)"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--scale", type=float, default=1.0, help="a fraction of the public catalog's size"
    )
    parser.add_argument(
        "--cache", type=lambda text: Path(text).resolve(), default=default_cache().resolve()
    )
    parser.add_argument(
        "--tool",
        default=f"{shlex.quote(sys.executable)} -m snapdiff",
        help="how the tool is called",
    )
    options = parser.parse_args(arguments)
    unknown = [name for name in options.workloads if name not in WORKLOADS]
    if unknown:
        parser.error(f"no workload is named {unknown[0]!r}; there are {', '.join(WORKLOADS)}")
    if options.rounds < 1:
        parser.error("--rounds must be at least 1")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """0 where everything ran, 1 where something did not."""
    options = parse(arguments)
    chosen = [WORKLOADS[name] for name in options.workloads or WORKLOADS]
    prepare_cases(chosen, options)
    command = shlex.join(
        ["python", "-m", "benchmarks.run", *(sys.argv[1:] if arguments is None else arguments)]
    )
    print(f"{header(command, options.rounds)}\n\n{TABLE_HEAD}", flush=True)
    results, failures = [], []
    with tempfile.TemporaryDirectory(prefix="snapdiff-bench-") as reports:
        setting = Setting(
            tool=tuple(shlex.split(options.tool)),
            python=sys.executable,
            cache=options.cache,
            reports=Path(reports),
            scale=options.scale,
            seed=options.seed,
        )
        for workload in chosen:
            try:
                results.append(measure(workload, setting, options.rounds))
                print(row(results[-1]), flush=True)
            except (CommandError, OSError, subprocess.CalledProcessError) as error:
                failures.append(f"- {workload.name} failed: {error}")
    print("", *(note(result) for result in results), *failures, sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
