"""What GitHub says of the event that started a workflow."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from snapdiff.errors import SnapdiffError

RequestNumber = Annotated[int, Meta(gt=0, lt=10**10)]
"""The number of a pull request."""


class Owner(Struct):
    """Who owns a repository."""

    login: str = ""


class EventRepository(Struct):
    """A repository of an event; `full_name` is OWNER/NAME."""

    full_name: str = ""
    default_branch: str = ""
    owner: Owner = msgspec.field(default_factory=Owner)


class EventCommit(Struct):
    """One side of a pull request: a branch, the commit at its end, the repository it is in.

    A fork can be deleted: then it is no repository any more.
    """

    ref: str
    sha: str
    repo: EventRepository | None = None


class PullRequest(Struct):
    """A pull request, as an event or the REST interface has it. Its `base.sha` is never read.

    That commit is the target's as it was when the pull request was last pushed to. The merge commit
    is made with the target as it is: all that others merged meanwhile would count as a change.
    """

    number: RequestNumber
    head: EventCommit
    base: EventCommit


class Issue(Struct):
    """An issue; GitHub treats a pull request as one that has a `pull_request`."""

    number: RequestNumber
    pull_request: dict[str, object] | None = None


class MergeGroup(Struct):
    """Pull requests in a merge queue, and the commit that they are merged into."""

    base_sha: str


class WorkflowRun(Struct):
    """Another workflow's run, which has ended."""

    head_sha: str
    head_branch: str | None
    head_repository: EventRepository | None


class GitHubEvent(Struct):
    """The event's own fields, as far as they matter."""

    pull_request: PullRequest | None = None
    issue: Issue | None = None
    merge_group: MergeGroup | None = None
    workflow_run: WorkflowRun | None = None
    repository: EventRepository = msgspec.field(default_factory=EventRepository)
    ref: str = ""
    before: str | None = None
    forced: bool = False

    @property
    def number(self) -> int | None:
        """The pull request's number, where the event has one: a comment on it has, too."""
        if self.pull_request:
            return self.pull_request.number
        if self.issue and self.issue.pull_request is not None:
            return self.issue.number
        return None


def read_event(path: Path) -> GitHubEvent:
    """Return the event in a file; raises SnapdiffError where it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=GitHubEvent)
    except (OSError, ValueError, RecursionError) as error:
        raise SnapdiffError(f"{path}: cannot be read as an event of GitHub: {error}") from error
