"""A changelog with settings from a configuration file: whose they are, and a file that is kept."""

import json
from pathlib import Path

import pytest

from snapdiff.sources.source import SETTINGS_FILE
from tests.support.helpers import pages_of, write_files
from tests.support.story import (
    CMAKE,
    MENDED_MPI,
    MPI4PY,
    NEW_MPI,
    OLD_MPI,
    ZLIB,
    History,
    markdown,
    run_changelog,
)

STACKS = '[diff]\nstacks = ["hep"]\nkinds = ["upgraded"]\n[changelog]\nby = "week"\n'


@pytest.fixture
def story(tmp_path: Path) -> History:
    """A history whose file appears with its last commit but one."""
    story = History(tmp_path / "catalog")
    for day, records in enumerate(([OLD_MPI], [NEW_MPI], [MENDED_MPI]), start=1):
        settings = {SETTINGS_FILE: STACKS} if day > 1 else {}
        files = pages_of([ZLIB, CMAKE, MPI4PY, *records]) | settings
        story.at(f"2025-07-{day:02}T04:00:00+00:00", files)
    return story


def test_the_newest_revision_decides(story: History) -> None:
    text = markdown("-C", story.folder, "HEAD~2..HEAD")
    assert "only stack `hep` and kind `upgraded`; newest first. Settings: `HEAD:" in text
    assert text.count("\n## ") == 1
    assert "by=week kind=upgraded stack=hep -->" in text
    assert "Settings" not in markdown("-C", story.folder, "HEAD~2..HEAD", "--no-config")
    flags = ("-C", story.folder, "HEAD~2..HEAD", "--by", "commit", "-s", "e4s", "-k", "*")
    text = markdown(*flags)
    assert text == markdown(*flags, "--no-config")
    assert text.count("\n## ") == 2


@pytest.mark.slow
def test_every_format_names_the_file(story: History) -> None:
    def shown(*options: str) -> str:
        return run_changelog("-C", story.folder, "HEAD~2..HEAD", *options).out

    assert "; newest first. Settings: HEAD:.snapdiff.toml.\n" in shown("-f", "text")
    assert " Settings: <code>HEAD:.snapdiff.toml</code>.</p></footer>" in shown("-f", "html")
    [section] = json.loads(shown("-f", "json"))
    assert section["configuration"] == "HEAD:.snapdiff.toml"
    assert json.loads(shown("-f", "ndjson", "--jobs", "2")) == section


@pytest.mark.slow
@pytest.mark.parametrize("name", ["CHANGELOG.md", "changes.ndjson"])
def test_a_kept_file_goes_on_where_its_settings_are_the_same(
    name: str, story: History, tmp_path: Path
) -> None:
    def update(end: str, *options: str) -> str:
        result = run_changelog(
            "-C", story.folder, f"HEAD~2..{end}", "-o", tmp_path / name, *options
        )
        return result.err

    assert update("HEAD~1") == ""
    begun = (tmp_path / name).read_text("utf-8")
    assert update("HEAD") == ""
    grown = (tmp_path / name).read_text("utf-8")
    assert len(grown) > len(begun)
    flags = ("--no-config", "-s", "hep", "-k", "upgraded", "--by", "week")
    assert update("HEAD", *flags) == ""
    assert "was written with" in update("HEAD", "--no-config")
    assert (tmp_path / name).read_text("utf-8") == grown


def test_a_folder_of_snapshots_has_its_own(tmp_path: Path) -> None:
    for day, record in enumerate((OLD_MPI, NEW_MPI), start=1):
        write_files(tmp_path / f"days/2025-07-{day:02}", pages_of([ZLIB, record]))
    write_files(tmp_path / "days", {SETTINGS_FILE: STACKS})
    text = markdown("-C", tmp_path, "days")
    assert "only stack `hep` and kind `upgraded`; newest first. Settings: `days/" in text
    assert "by=" not in text


@pytest.mark.slow
def test_first_sightings_take_what_concerns_them(story: History) -> None:
    result = run_changelog("-C", story.folder, "HEAD~2..HEAD", "--first-seen")
    assert (result.status, result.err) == (0, "")
    assert "only stack `hep`." in result.out
    assert result.out.endswith("\n\nSettings: `HEAD:.snapdiff.toml`\n")
    text = run_changelog("-C", story.folder, "HEAD~2..HEAD", "--first-seen", "-f", "text").out
    assert text.endswith("\n\nSettings: HEAD:.snapdiff.toml\n")
    for format_name in ("markdown", "text"):
        options = ("--first-seen", "-f", format_name, "-s", "hep")
        own = run_changelog("-C", story.folder, "HEAD~2..HEAD", *options)
        assert "ettings" not in own.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ("[diff]\nstacks = ['hpe']", "HEAD:.snapdiff.toml: line 2: hpe: matches no stack; "),
        ("[diff]\nkinds = ['x']", "HEAD:.snapdiff.toml: line 2: x: not a kind of change; "),
        (
            "[changelog]\nby = 'year'",
            "HEAD:.snapdiff.toml: line 2: changelog.by: 'year' is none of commit, day, ",
        ),
    ],
)
def test_a_slip_names_the_line(settings: str, error: str, story: History, tmp_path: Path) -> None:
    story.commit(pages_of([ZLIB]) | {SETTINGS_FILE: settings})
    target = tmp_path / "CHANGELOG.md"
    result = run_changelog("-C", story.folder, "HEAD~2..HEAD", "-o", target, "--jobs", "2")
    assert (result.status, result.out, target.exists()) == (2, "", False)
    assert f"snapdiff: error: {error}" in result.err
