"""What always holds of a changelog: its sections, one after the other, lead from A to B."""

import base64
import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import get_args
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snapdiff import diff_catalogs, load_catalog, render_report
from snapdiff.reports import By
from snapdiff.sources.git_commands import Objects
from snapdiff.sources.source import Content, Entry
from tests.support.generated import make_catalogs
from tests.support.helpers import Report, pages_of, shuffled_page
from tests.support.nightly import examples
from tests.support.oracle import Record, counting_stacks
from tests.support.story import History, markdown, write_story

pytestmark = pytest.mark.slow

Held = set[tuple[str, str, str, str]]
"""Tag, stack, package and hash of every spec."""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> History:
    return write_story(tmp_path_factory.mktemp("story"))


def held_by(records: Iterable[Record]) -> Held:
    return {
        (item["tag"], stack, item["package"], item["hash"])
        for item in records
        for stack in counting_stacks(item)
    }


def applied(held: Held, report: Report) -> Held:
    """What is held after the changes of a report; each of them has to fit."""
    held = set(held)
    come: Held = set()
    for tag in report["tags"]:
        assert tag["status"] == "changed"
        for stack in tag["stacks"]:
            for change in stack["changes"]:
                place = (tag["old"], stack["stack"], change["package"])
                if change["old"]:
                    held.remove((*place, change["old"]["hash"]))
                if change["new"]:
                    come.add((*place, change["new"]["hash"]))
    assert held.isdisjoint(come)
    return held | come


def hash_of_version(record: Record) -> str:
    """A hash that no other version of the package has, as Spack's: catalogs share the others."""
    words = f"{record['hash']} {record['package']} {record['versions']}"
    return base64.b32encode(hashlib.sha256(words.encode()).digest())[:32].decode().lower()


def make_history(folder: Path, seed: int, days: int = 7) -> tuple[History, list[list[Record]]]:
    """A history of generated catalogs with one tag: most pages stay from one to the next."""
    chance = random.Random(seed)  # noqa: S311 - the same history for the same seed
    sizes = {("develop", f"p{number}"): chance.choice([1, 2, 3, 5]) for number in range(6)}
    pool = [
        [record | {"hash": hash_of_version(record)} for record in catalog]
        for _ in range(4)
        for catalog in make_catalogs(chance, sizes)
    ]
    names = [package for _, package in sizes]
    snapshots: list[list[Record]] = []
    current = dict.fromkeys(names, 0)
    history = History(folder)
    for number in range(days):
        for name in chance.sample(names, 2):
            current[name] = chance.randrange(len(pool))
        gone = set(chance.sample(names, chance.choice([0, 0, 1])))
        records = [
            item
            for name in names
            if name not in gone
            for item in pool[current[name]]
            if item["package"] == name and item["tag"] == "develop"
        ]
        snapshots.append(records)
        style = shuffled_page(random.Random(chance.choice([1, 2])))  # noqa: S311 - as above
        history.at(f"2025-07-{number + 1:02}T12:00:00+00:00", pages_of(records, style))
    return history, snapshots


@settings(max_examples=examples(5), suppress_health_check=[*HealthCheck])
@given(seed=st.integers(0, 1000), by=st.sampled_from(get_args(By)))
def test_the_sections_one_after_the_other_give_the_last_snapshot(
    seed: int, by: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    history, snapshots = make_history(tmp_path_factory.mktemp("history"), seed)
    history.git("tag", "one", "HEAD~4")
    reports = json.loads(markdown("-C", history.folder, "HEAD~6", "-f", "json", "--by", by))
    held = held_by(snapshots[0])
    for report in reports:
        held = applied(held, report)
    assert held == held_by(snapshots[-1])


@pytest.mark.parametrize("by", get_args(By))
def test_a_section_of_the_story_is_the_diff_of_its_ends(by: str, story: History) -> None:
    lines = markdown("-C", story.folder, "start..HEAD", "-f", "ndjson", "--by", by)
    for line in lines.splitlines(keepends=True):
        assert line == plain_diff(story, line)


def plain_diff(history: History, line: str) -> str:
    """What `snapdiff -f json` says of the ends of a section."""
    report = json.loads(line)
    ends = (
        load_catalog(report[side]["source"], repository=history.folder) for side in ("old", "new")
    )
    return render_report(diff_catalogs(*ends), "json")


def test_a_page_is_read_once_however_many_sections_it_is_in(tmp_path: Path) -> None:
    history, _ = make_history(tmp_path, 7, days=20)
    read: list[str] = []
    take = Objects.take

    def counting(self: Objects, entry: Entry) -> Content:
        read.append(entry.content_id or "")
        return take(self, entry)

    with mock.patch.object(Objects, "take", counting):
        markdown("-C", history.folder, "HEAD~19")
    listed = {
        commit: {line.split()[2] for line in history.git("ls-tree", "-r", commit).splitlines()}
        for commit in history.git("rev-list", "HEAD").splitlines()
    }
    assert set(read) == set().union(*listed.values())
    # Both ends are compared once more, for what all sections come to.
    ends = listed[history.git("rev-parse", "HEAD~19")] | listed[history.git("rev-parse", "HEAD")]
    again = Counter(read) - Counter(set(read))
    assert set(again) <= ends
    assert set(again.values()) <= {1}
