"""One run of `snapdiff diff` for a CI system: its files, its numbers and the gate's answer."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from snapdiff.ci.inputs import Inputs
from snapdiff.reports.package_counts import count_table
from snapdiff.result import CatalogDiff, Kind

COMMAND = (sys.executable, "-I", "-m", "snapdiff")
"""The command in this environment. Isolated: the folder it is started in is a stranger's."""

_FOUND = 1


class Reports(Struct, frozen=True):
    """The files of one run."""

    json: Path
    html: Path
    comment: Path

    def every(self) -> tuple[Path, ...]:
        """Return all of them."""
        return self.json, self.html, self.comment


class Comparison(Struct, frozen=True, kw_only=True):
    """What a run found: numbers of packages by kind, as the reports count them.

    `has_changes` also where the reports are narrowed to other kinds than the gate found.
    """

    reports: Reports
    has_changes: bool
    packages: dict[Kind, int]
    gate_failed: bool


class CommandFailedError(Exception):
    """The command has ended with an error, and has said so itself."""


def reports_in(folder: Path) -> Reports:
    """Return where the files of a run are."""
    return Reports(folder / "report.json", folder / "report.html", folder / "comment.md")


def compare(
    old: str, new: str, inputs: Inputs, folder: Path, options: Sequence[str] = ()
) -> Comparison:
    """Compare two revisions once; write the JSON, the HTML report and the comment to a folder.

    Raises CommandFailedError where there is no report.
    """
    reports = reports_in(folder)
    command = [
        *COMMAND,
        "diff",
        f"--repo={inputs.directory}",
        "--format=json",
        f"--output={reports.json}",
        f"--also=html={reports.html}",
        f"--also=comment={reports.comment}",
        *options,
        *inputs.options(),
        "--",
        old,
        new,
    ]
    done = subprocess.run(command, check=False)  # noqa: S603 -- no shell, and each value one word
    if done.returncode not in (0, _FOUND):
        raise CommandFailedError
    diff = msgspec.json.decode(reports.json.read_bytes(), type=CatalogDiff)
    gate_failed = done.returncode == _FOUND
    by_kind = count_table(diff).total.by_kind
    return Comparison(
        reports=reports,
        has_changes=gate_failed or not diff.is_empty(),
        packages={kind: by_kind.get(kind, 0) for kind in Kind},
        gate_failed=gate_failed,
    )
