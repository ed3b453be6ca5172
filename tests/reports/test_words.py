"""Words that no colleague would use, and that no report says any more."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEVER_SAID = (
    *("nothing but hashes", "hashes alone", "in reach of", "offends against", "is no document"),
    *("came along", " 1 documents", "counted in each of", "no kind of change; there are"),
    *("nothing is gone, downgraded", "keeps 8", " mended", "the offenders"),
)


@pytest.mark.parametrize("place", ["action.yml", "templates", "tests/golden", "docs"])
def test_nobody_reads_them(place: str) -> None:
    paths = (ROOT / place, *(ROOT / place).glob("**/*.*"))
    files = [path for path in paths if path.suffix in SUFFIXES]
    assert files
    found = [
        f"{path.relative_to(ROOT)}: {words}"
        for path in files
        for words in NEVER_SAID
        if words in path.read_text("utf-8")
    ]
    assert found == []


SUFFIXES = (".md", ".txt", ".html", ".json", ".csv", ".j2", ".js", ".yml")
