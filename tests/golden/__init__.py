"""Whole outputs of the command, kept as files, and the arguments that make each.

`make goldens` writes them anew; then read `git diff`. No run of the tests writes one.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "golden"
SNAPSHOTS = ("snapshots/2025-06-29", "snapshots/2025-07-06")

REPORTS = {
    "report.md": ["-f", "markdown"],
    "by-stack.md": ["-f", "markdown", "--group-by", "stack"],
    "stat.md": ["-f", "markdown", "--stat"],
    "release-notes.md": [
        *["-t", "develop", "-s", "e4s*,!e4s-oneapi", "-k", "!rebuilt"],
        *["--title", "v25.07: what is new", "--report-url", "https://example.org/full.html"],
    ],
    "comment.md": ["-f", "comment"],
    "comment-by-package.md": ["-f", "comment", "--group-by", "package", "--package-url", ""],
    "shortened.md": ["-f", "comment", "--max-length", "4000"],
    "counts.md": ["-f", "comment", "--max-length", "2100", "--marker", "bot/pull-request"],
    "no-changes.md": ["-f", "markdown", "-p", "zlib-ng", "-k", "downgraded"],
    "report.txt": ["-f", "text"],
    "by-stack.txt": ["-f", "text", "--group-by", "stack"],
    "detail.txt": ["-f", "text", "--detail", "-s", "e4s,hep"],
    "stat.txt": ["-f", "text", "--stat", "--title", "A week in July"],
    "report.html": ["-f", "html"],
    "report.csv": ["-f", "csv"],
    "report.json": ["-f", "json"],
}
"""Reports of the two example catalogs, by file name: the options of each."""

CHANGELOGS = {
    "changelog/by-commit.md": [],
    "changelog/by-week.md": ["--by", "week"],
    "changelog/by-tag.md": ["--by", "tag"],
    "changelog/detail.md": ["--detail", "-p", "openmpi", "-p", "zlib"],
    "changelog/sections.json": ["-f", "json", "--by", "tag"],
    "changelog/first-seen.md": ["--first-seen"],
    "changelog/first-seen.csv": ["--first-seen", "-f", "csv", "-p", "openmpi"],
    "changelog/first-seen.json": ["--first-seen", "-f", "json", "-p", "openmpi", "-s", "e4s"],
}
"""Changelogs of the repository that `tests.support.story` makes, by file name."""


def golden_text(name: str) -> str:
    """Return what a golden file holds, to the byte."""
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return file.read()
