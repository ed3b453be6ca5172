"""Whole reports of the two example catalogs, and the arguments that make them.

python -m tests.golden    write the files anew; then look at `git diff`
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "golden"
SNAPSHOTS = ("snapshots/2025-06-29", "snapshots/2025-07-06")

REPORTS = {
    "report.md": ["-f", "markdown"],
    "by-package.md": ["-f", "markdown", "--group-by", "package"],
    "shortened.md": ["-f", "comment", "--max-length", "4000"],
    "counts.md": ["-f", "comment", "--max-length", "2100", "--marker", "bot/pull-request"],
    "no-changes.md": ["-f", "markdown", "-p", "no-such-package"],
    "report.txt": ["-f", "text"],
    "by-package.txt": ["-f", "text", "--group-by", "package"],
    "report.csv": ["-f", "csv"],
    "report.json": ["-f", "json"],
}
"""By file name: the options that make its content."""
