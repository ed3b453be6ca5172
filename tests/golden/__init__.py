"""Whole outputs of the command, kept as files, and the arguments that make each.

`make goldens` writes them anew; then read `git diff`. No run of the tests writes one.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "golden"
SNAPSHOTS = ("snapshots/2025-06-29", "snapshots/2025-07-06")
ENVIRONMENTS = ("snapshots/environments/2025-06-29", "snapshots/environments/2025-07-06")
MIRRORS = ("snapshots/mirrors/2025-06-29", "snapshots/mirrors/2025-07-06")
MISSING = ("missing", ENVIRONMENTS[1], MIRRORS[0])

REPORTS = {
    "report.md": [*SNAPSHOTS, "-f", "markdown"],
    "by-stack.md": [*SNAPSHOTS, "-f", "markdown", "--group-by", "stack"],
    "stat.md": [*SNAPSHOTS, "-f", "markdown", "--stat"],
    "release-notes.md": [
        *SNAPSHOTS,
        *["-t", "develop", "-s", "e4s*,!e4s-oneapi", "-k", "!rebuilt"],
        *["--title", "v25.07: what is new", "--report-url", "https://example.org/full.html"],
    ],
    "comment.md": [*SNAPSHOTS, "-f", "comment"],
    "comment-by-package.md": [
        *SNAPSHOTS,
        "-f",
        "comment",
        "--group-by",
        "package",
        "--package-url",
        "",
    ],
    "shortened.md": [*SNAPSHOTS, "-f", "comment", "--max-length", "4000"],
    "counts.md": [
        *SNAPSHOTS,
        "-f",
        "comment",
        "--max-length",
        "2100",
        "--marker",
        "bot/pull-request",
    ],
    "no-changes.md": [*SNAPSHOTS, "-f", "markdown", "-p", "zlib-ng", "-k", "downgraded"],
    "report.txt": [*SNAPSHOTS, "-f", "text"],
    "by-stack.txt": [*SNAPSHOTS, "-f", "text", "--group-by", "stack"],
    "detail.txt": [*SNAPSHOTS, "-f", "text", "--detail", "-s", "e4s,hep"],
    "stat.txt": [*SNAPSHOTS, "-f", "text", "--stat", "--title", "A week in July"],
    "report.html": [*SNAPSHOTS, "-f", "html"],
    "report.csv": [*SNAPSHOTS, "-f", "csv"],
    "report.json": [*SNAPSHOTS, "-f", "json"],
    "environments.md": [*ENVIRONMENTS, "-f", "markdown"],
    "environments.json": [*ENVIRONMENTS, "-f", "json"],
    "mirrors.md": [*MIRRORS, "-f", "markdown"],
    "mirrors.json": [*MIRRORS, "-f", "json"],
    "missing.txt": MISSING,
    "missing.md": [*MISSING, "-f", "markdown"],
    "missing.json": [*MISSING, "-f", "json"],
}
"""Reports of the example catalogs, by file name: the arguments of each."""

CHANGELOGS = {
    "changelog/by-commit.md": [],
    "changelog/by-week.md": ["--by", "week"],
    "changelog/by-tag.md": ["--by", "tag"],
    "changelog/by-stack.md": ["--group-by", "stack"],
    "changelog/by-commit.txt": ["-f", "text"],
    "changelog/by-commit.html": ["-f", "html"],
    "changelog/detail.md": ["--detail", "-p", "openmpi", "-p", "zlib"],
    "changelog/sections.json": ["-f", "json", "--by", "tag"],
    "changelog/first-seen.md": ["--first-seen"],
    "changelog/first-seen.txt": ["--first-seen", "-f", "text"],
    "changelog/first-seen.csv": ["--first-seen", "-f", "csv", "-p", "openmpi"],
    "changelog/first-seen.json": ["--first-seen", "-f", "json", "-p", "openmpi", "-s", "e4s"],
}
"""Changelogs of the repository that `tests.support.story` makes, by file name."""


def golden_text(name: str) -> str:
    """Return what a golden file holds, to the byte."""
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return file.read()
