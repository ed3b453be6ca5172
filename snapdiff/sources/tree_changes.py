"""What differs from each tree of a history to the next: one question to git, however long it is."""

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import IO

from snapdiff.errors import RevisionError
from snapdiff.sources.base import EntryPair
from snapdiff.sources.repository import Repository

_ASK_AHEAD = 64
_CHUNK = 1 << 16


def changes_between(repository: Repository, trees: Sequence[str]) -> Iterator[list[EntryPair]]:
    """Yield the old and new entries that differ, from each tree to the next.

    Raises RevisionError if git fails.
    """
    steps = len(trees) - 1
    if steps < 1:
        return
    arguments = ("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames")
    with repository.process(*arguments) as (stdin, stdout):
        asked = _ask_for_steps(stdin, trees, 0, _ASK_AHEAD)
        begun = 0
        pairs: list[EntryPair] = []
        for word in _words(stdout):
            if word is not None:
                pair = repository.entry_pair(*word)
                if any(pair):
                    pairs.append(pair)
                continue
            begun += 1
            asked = _ask_for_steps(stdin, trees, asked, 1)
            if begun > 1:  # a step is complete when the next one begins
                yield pairs
                pairs = []
        if begun != steps:
            raise RevisionError("git diff-tree stopped in the middle; see git fsck")
        yield pairs


def _ask_for_steps(stdin: IO[bytes], trees: Sequence[str], asked: int, more: int) -> int:
    """Ask for some more steps, and return for how many git was asked so far."""
    if asked == len(trees) - 1:
        return asked
    steps = list(pairwise(trees[asked : asked + more + 1]))
    for old, new in steps:
        stdin.write(f"{old} {new}\n".encode("ascii"))
    asked += len(steps)
    if asked == len(trees) - 1:
        stdin.close()
    else:
        stdin.flush()
    return asked


def _words(stdout: IO[bytes]) -> Iterator[tuple[bytes, bytes] | None]:
    """Yield None where the next step begins, and facts and path of each file that differs."""
    text, start = b"", 0
    while True:
        if text.startswith(b":", start):
            middle = text.find(b"\0", start)
            end = text.find(b"\0", middle + 1) if middle >= 0 else -1
            word = text[start + 1 : middle], text[middle + 1 : end]
        else:
            end = text.find(b"\n", start)
            word = None
        if end >= 0:
            yield word
            start = end + 1
            continue
        more = os.read(stdout.fileno(), _CHUNK)
        if not more:
            return
        text, start = text[start:] + more, 0
