"""A comment that another workflow's run has made: on a pull request from a fork, say.

That run has no token that writes, and its workflow may be the stranger's own. So the comment is a
stranger's text, and which pull request it is for is asked of GitHub, never read from it.
"""

import os
import stat
from collections.abc import Mapping
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

import msgspec
from msgspec import Struct

from snapdiff.errors import SnapdiffError
from snapdiff.posting.github_event import EventCommit, WorkflowRun

MOST_BYTES = 4 * 65_536
"""A comment of GitHub has 65,536 characters, of four bytes at most."""

_SECONDS = 15


class _ListedPullRequest(Struct):
    number: int
    head: EventCommit


def checked(comment: Path) -> Path | None:
    """Return the comment that was in an artifact, or None where there was no artifact.

    A run that was cancelled has none. Raises SnapdiffError where it is no regular file, or is
    larger than a comment can be.
    """
    try:
        found = os.lstat(comment)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise SnapdiffError(f"{comment}: is not a regular file")
    if found.st_size > MOST_BYTES:
        raise SnapdiffError(f"{comment}: has {found.st_size:,} bytes; a comment has {MOST_BYTES:,}")
    return comment


def pull_requests_of(run: WorkflowRun, variables: Mapping[str, str], token: str) -> list[int]:
    """Return the numbers of the open pull requests whose head another run was for.

    GitHub says which branch of which repository that was, and which commit; of pull requests into
    several branches it does not say which. There are none where the branch has got another commit
    since: then another run is on its way. Raises SnapdiffError.
    """
    if not run.head_branch or not run.head_repository:
        return []  # the fork was deleted
    api = variables["GITHUB_API_URL"]
    head = f"{run.head_repository.owner.login}:{run.head_branch}"
    query = urlencode({"state": "open", "head": head, "per_page": "100"})
    request = Request(  # noqa: S310 -- GitHub itself says where it is, in the job's variables
        f"{api}/repos/{variables['GITHUB_REPOSITORY']}/pulls?{query}",
        headers={"Accept": "application/vnd.github+json", "Authorization": f"Bearer {token}"},
    )
    try:
        with build_opener(_NoRedirects).open(request, timeout=_SECONDS) as answer:
            listed = msgspec.json.decode(answer.read(), type=list[_ListedPullRequest])
    except (OSError, HTTPException, ValueError) as error:
        message = f"{api}: the pull requests of {head} cannot be listed"
        reason = getattr(error, "code", None) or type(error).__name__
        raise SnapdiffError(f"{message}: {reason}") from error
    return [item.number for item in listed if item.head.sha == run.head_sha]


class _NoRedirects(HTTPRedirectHandler):
    """Follows no redirect: the token would go with it."""

    def redirect_request(self, *_: object) -> None:
        """Return None, which makes an error of it."""
