"""First and last sightings, held against a slow reading of the snapshots."""

import json
from pathlib import Path

import pytest

from tests.changelog.test_changelog_laws import make_history
from tests.support.oracle import counting_stacks
from tests.support.story import History, markdown, run_changelog


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_version_is_seen_when_it_is_there(seed: int, tmp_path: Path) -> None:
    history, snapshots = make_history(tmp_path, seed, days=12)
    commits = history.git("rev-list", "--reverse", "HEAD").splitlines()
    seen: dict[tuple[str, str, str], list[int]] = {}
    for number, records in enumerate(snapshots):
        for item in records:
            for stack in counting_stacks(item):
                seen.setdefault((item["package"], item["versions"][0], stack), []).append(number)
    rows = json.loads(markdown("-C", tmp_path, commits[0], "--first-seen", "-f", "json"))
    found = {(row["package"], row["version"], row["stack"]): row for row in rows}
    assert found.keys() == seen.keys()
    for place, numbers in seen.items():
        row = found[place]
        first = row["first"]["commit"] if row["first"] else commits[0]
        assert first == commits[numbers[0]]
        assert row["is_gone"] == (numbers[-1] != len(snapshots) - 1)
        if row["is_gone"]:  # commits that change nothing are no sections
            ends = row["last"]["commit"], commits[numbers[-1]]
            assert len({history.git("rev-parse", f"{end}^{{tree}}") for end in ends}) == 1


def test_a_folder_of_snapshots_has_sightings_too() -> None:
    rows = json.loads(markdown("snapshots/", "--first-seen", "-f", "json", "-p", "openmpi"))
    assert {(row["version"], row["is_gone"]) for row in rows} >= {("5.0.7", True), ("5.0.8", False)}


def test_a_table_goes_to_a_file_by_its_name(tmp_path: Path) -> None:
    for name, beginning in (("x.md", "# First"), ("x.json", "["), ("x.csv", "package,")):
        result = run_changelog("snapshots/", "--first-seen", "-o", tmp_path / name)
        assert (result.status, result.out, result.err) == (0, "", "")
        assert (tmp_path / name).read_text("utf-8").startswith(beginning)


def test_a_bad_page_is_an_error(tmp_path: Path) -> None:
    history = History(tmp_path)
    bad = {"_cache/develop/bad/specs.md": "---\ntitle: x\n---\n"}
    history.commit(bad)
    history.commit(bad | {"_cache/develop/x/specs.md": "---\ntitle: x\n---\n"})
    result = run_changelog("-C", tmp_path, "HEAD~1", "--first-seen")
    assert (result.status, result.out) == (2, "")
    assert "spec_details: missing" in result.err
