"""What is said of the versions and builds of a package, read back and counted by hand."""

import re
from collections import Counter

import pytest
from hypothesis import given

from snapdiff.reports.moves.of_stacks import moves_in
from snapdiff.result.changes import TagDiff
from snapdiff.spack import Version, parse_version
from tests.reports.test_news import diff_of
from tests.support.generated import Catalogs, catalogs
from tests.support.oracle import Record, counting_stacks

Counts = Counter[Version]

pytestmark = pytest.mark.slow


def builds_of(records: list[Record], tag: str, stack: str, package: str) -> Counts:
    """How many builds of each version a catalog has; of one hash the first record counts."""
    found = {
        record["hash"]: record["versions"][0]
        for record in reversed(records)
        if record["tag"] == tag
        and record["package"] == package
        and stack in counting_stacks(record)
    }
    return Counter(map(parse_version, found.values()))


def versions(text: str) -> set[Version]:
    """Versions as they are listed: `1.3, 1.2 and 1.0`."""
    return {parse_version(it) for it in re.split(", | and ", text)}


def stepped(text: str) -> tuple[set[Version], set[Version]]:
    """What is gone and what came: `1.2 and 1.1 → 2.0`, or `1.4 new, 1.2.1 → 1.2.2, 1.1 gone`."""
    if not re.search("→.*→| new| gone", text):
        gone, came = map(versions, text.split(" → "))
        return gone, came
    gone, came = set(), set()
    piece = r"(?:(\S+) → (\S+?)|((?:\S+, )*?(?:\S+ and )?\S+) (gone|new))(?:, |$)"
    for old, new, some, what in re.findall(piece, text):
        gone |= versions(old) if old else versions(some) if what == "gone" else set()
        came |= versions(new) if new else versions(some) if what == "new" else set()
    assert not re.sub(piece, "", text)
    return gone, came


MOVED = (
    r"(?:^:|,)? ?(?:([0-9]+) of ([0-9]+) builds (?:of ([^ ,]+) gone|(\S+) → ([^ ,]+))"
    r"|([0-9]+) more builds? of ([^ ,]+))"
)


CAME_WITH_MORE = (
    r"^:? ?(\S+) new \(([0-9]+) builds?\), ([0-9]+) of ([0-9]+) builds? of ([^ ,]+) gone"
)


def as_more(found: re.Match[str]) -> str:
    """What is said of builds that left for more of a new version, as of a step and more."""
    new, came, number, of, old = found.groups()
    more = f"{int(came) - int(number)} more builds of {new}"
    return f": {number} of {of} builds {old} → {new}, {more}"


BOTH = r"([0-9]+) of ([0-9]+) builds? (gone|new)((?: \([^)]*\))?), ([0-9]+) (gone|new)"


def as_two(found: re.Match[str]) -> str:
    """What is said of builds that are gone and new, each as of all on its side."""
    one, of, what, notes, other, beside = found.groups()
    others = int(of) - int(one) + int(other)  # those that stay are on both sides
    return f"{one} of {of} builds {what}{notes}, {other} of {others} builds {beside}"


NET = r"([0-9]+) → ([0-9]+) builds? of ([^ ,]+)"


def as_one(found: re.Match[str]) -> str:
    """What is said of how many builds of a version there are, as of some that are gone, or more."""
    old, new, version = found.groups()
    more = int(new) - int(old)
    gone = f"{-more} of {old} builds of {version} gone"
    return gone if more < 0 else f"{more} more builds of {version}"


def moved(text: str) -> Counts:
    """How many builds more, or fewer, there are of versions that stay."""
    found: Counts = Counter()
    for number, _, gone, old, new, left, more in re.findall(MOVED, text):
        if number:
            found[parse_version(gone or old)] -= int(number)
        if new or more:
            found[parse_version(new or more)] += int(number or left)
    return found


def check(words: str, old: Counts, new: Counts) -> None:
    """Check what is said of a package that is on both sides, against its builds by version."""
    gone, came, kept = old.keys() - new.keys(), new.keys() - old.keys(), old.keys() & new.keys()
    words = re.sub(CAME_WITH_MORE, as_more, re.sub(BOTH, as_two, re.sub(NET, as_one, words)))
    words, number = re.subn(r" \(now [^)]*\)", "", words)
    assert number <= (not kept)
    words = re.sub(r" \((the one|those) [^)]*\)", "", words)  # which builds moved
    told = moved(words)
    words = re.sub(f"{MOVED}(, no longer .*)?", "", words)
    begin = re.search("(^|[:,]) ?[0-9]+ of [0-9]+ builds? ", words)
    words, builds = (words[: begin.start()], words[begin.start() :]) if begin else (words, "")
    if told:
        assert {it: number for it, number in told.items() if it in kept} == {
            it: new[it] - old[it] for it in kept if new[it] != old[it]
        }
        if not words:
            assert told == {it: new[it] - old[it] for it in {*old, *new} if new[it] != old[it]}
            return
        old = Counter({it: min(old[it], new[it]) for it in old})
    if "→" in words and not came:  # builds went up to a version that was there
        step, is_one, _ = words.partition(" (other builds had it already)")
        step, _, still = step.partition(", still has ")
        left, into = stepped(step)
        assert (left, into | (versions(still) if still else set())) == (gone, kept)
        assert bool(is_one) is (not still)
        assert all(old[version] <= new[version] for version in kept)
    elif "→" in words:
        step, _, still = words.partition(", still has ")
        assert stepped(step) == (gone, came)
        assert (versions(still) if still else set()) == kept
        assert all(old[version] <= new[version] for version in kept)
    elif "added beside" in words:
        above, is_older, beside = words.partition(" added beside the newer ")
        if not is_older:
            above, _, beside = words.partition(" added beside ")
        assert [versions(above), versions(beside)] == [came, kept]
        assert bool(is_older) is (max(came) < min(kept))
        assert not gone
        assert all(old[version] <= new[version] for version in kept)
    elif "still has" in words or words.endswith(" left"):
        is_lower = words.endswith(" left")
        assert is_lower is (max(gone) > max(kept))
        words = words.removesuffix(" left").replace(" gone, only ", " gone, still has ")
        assert [versions(it) for it in words.split(" gone, still has ")] == [gone, kept]
        assert not came
    else:
        assert not gone
        assert not came
        assert told or len({old[it] < new[it] for it in kept if old[it] != new[it]}) < 2
    said = dict.fromkeys(("gone", "new"), 0)
    for number, of, what in re.findall(r"([0-9]+) of ([0-9]+) builds? (gone|new)", builds):
        assert int(of) == (old if what == "gone" else new).total()
        said[what] = int(number)
    if not (told or gone or came):
        assert new.total() - old.total() == said["new"] - said["gone"]


@given(catalogs())
def test_the_words_say_how_many_builds_of_which_versions_there_are(pair: Catalogs) -> None:
    for tag in diff_of(*pair).tags:
        if tag.status == "changed":
            check_tag(tag, *pair)


def check_tag(tag: TagDiff, old: list[Record], new: list[Record]) -> None:
    """Check what is said of each package of a tag."""
    for (package, _), moves in moves_in(tag, tag.stacks).items():
        for move in moves:
            for stack in move.stacks:
                sides = [
                    builds_of(records, str(name), stack, package)
                    for records, name in ((old, tag.old), (new, tag.new))
                ]
                words = move.in_words(str).strip()
                if move.whole:
                    assert [versions(words)] == [set(side) for side in sides if side]
                else:
                    check(words, *sides)
