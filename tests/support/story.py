"""A catalog with a history, made for the purpose: what happens in it, happened to somebody."""

import random
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

from tests.support.helpers import Files, Result, pages_of, run_cli, shuffled_page, spec
from tests.support.oracle import Record
from tests.support.repositories import GIT_IDENTITY, GitRepository


def run_changelog(*arguments: str | Path) -> Result:
    """Run `snapdiff changelog` in this process."""
    return run_cli("changelog", *arguments)


def markdown(*arguments: str | Path) -> str:
    """The changelog of a run that has nothing else to say."""
    result = run_changelog(*arguments)
    assert (result.status, result.err) == (0, "")
    return result.out


class History(GitRepository):
    """A repository whose commits are made at a time of one's own."""

    def at(self, when: str, files: Files, message: str = "Update") -> str:
        """Make a commit of exactly these files at a time in ISO 8601; return its id."""
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        with mock.patch.dict(GIT_IDENTITY, dates):
            return self.commit(files, message)

    def merge(self, when: str, branch: str) -> str:
        """Merge a branch at a time in ISO 8601; return the merge's id."""
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        with mock.patch.dict(GIT_IDENTITY, dates):
            self.git("merge", "--quiet", "--no-ff", "--message=Merge", branch)
            return self.git("rev-parse", "HEAD")


ZLIB = spec("z", "1.3", package="zlib", stacks="e4s hep root")
CMAKE = spec("c", "3.31", package="cmake", stacks="root")
MPI4PY = spec("p", "3.1.6", package="py-mpi4py", stacks="e4s root")
OLD_MPI = spec("oa", "4.1.6", package="openmpi", stacks="e4s hep root")
NEW_MPI = spec("ob", "5.0.0", package="openmpi", stacks="e4s hep root")
MENDED_MPI = spec("oc", "5.0.1", package="openmpi", stacks="e4s hep root")
PETSC = spec("t", "3.23", package="petsc", stacks="e4s root")
RELEASED = spec("r", "1.3", package="zlib", tag="v1.0", stacks="e4s root")


def in_stack(records: Iterable[Record], old: str, new: str) -> list[Record]:
    """The records with a stack renamed."""
    return [
        item | {"stacks": [new if stack == old else stack for stack in item["stacks"]]}
        for item in records
    ]


def write_story(folder: Path) -> History:
    """The repository: a commit a day from 1 July 2025, some of which change nothing."""
    story = History(folder)

    def day(number: int, records: Iterable[Record], **others: str) -> str:
        return story.at(f"2025-07-{number:02}T04:00:00+00:00", pages_of(records) | others)

    start = [ZLIB, CMAKE, MPI4PY, OLD_MPI]
    day(1, start)
    story.git("branch", "start")
    day(2, [ZLIB, CMAKE, MPI4PY, NEW_MPI])  # an upgrade
    day(3, [ZLIB, CMAKE, MPI4PY, NEW_MPI], README="Words that are no page.")
    day(4, start)  # a downgrade
    day(5, [ZLIB, CMAKE, MPI4PY, MENDED_MPI])  # and its repair
    story.git("tag", "v1.0")
    day(6, [ZLIB, CMAKE, MENDED_MPI])  # a package leaves
    day(7, [ZLIB, CMAKE, MPI4PY, MENDED_MPI])  # and returns
    records = in_stack([ZLIB, CMAKE, MPI4PY, MENDED_MPI], "hep", "physics")
    day(8, records)  # a stack is renamed
    day(9, records)  # an empty commit
    story.git("checkout", "--quiet", "-b", "topic")
    day(10, [*records, PETSC])
    day(11, [*records, PETSC, RELEASED])
    story.git("checkout", "--quiet", "main")
    story.merge("2025-07-12T04:00:00+00:00", "topic")  # a merge, of a package and a tag
    story.git("tag", "--annotate", "--message=Two", "v2.0")
    records += [PETSC, RELEASED]
    moved = {f"catalog/{path}": page for path, page in pages_of(records).items()}
    story.at("2025-07-13T04:00:00+00:00", moved)  # the folder is renamed

    style = shuffled_page(random.Random(1))  # noqa: S311 - the same order every time
    shuffled = {f"catalog/{path}": page for path, page in pages_of(records, style).items()}
    story.at("2025-07-14T04:00:00+00:00", shuffled)  # all is written in another order
    records[0] = records[0] | {"hash": spec("y")["hash"]}
    rebuilt = {f"catalog/{path}": page for path, page in pages_of(records).items()}
    story.at("2025-07-15T04:00:00+00:00", rebuilt)  # a rebuild
    return story
