"""Write every golden file anew: a tool, which no test calls."""

import os
import tempfile
from pathlib import Path

from tests.golden import CHANGELOGS, FOLDER, REPORTS, ROOT
from tests.support.helpers import Result, run_cli
from tests.support.repositories import NO_USER_SETTINGS
from tests.support.story import run_changelog, write_story


def main() -> None:
    """Run the command for each golden file, and write what it prints."""
    os.chdir(ROOT)
    os.environ.update(NO_USER_SETTINGS)
    for name, arguments in REPORTS.items():
        _write(name, run_cli(*arguments))
    with tempfile.TemporaryDirectory() as folder:
        story = write_story(Path(folder))
        for name, options in CHANGELOGS.items():
            _write(name, run_changelog("-C", story.folder, "start..HEAD", *options))


def _write(name: str, result: Result) -> None:
    if (result.status, result.err) != (0, ""):
        raise SystemExit(f"{name}: exit status {result.status}: {result.err}")
    (FOLDER / name).write_text(result.out, encoding="utf-8", newline="")


if __name__ == "__main__":
    main()
