"""The comments of a pull or merge request on each host, and the rule that keeps one of them.

GitHub Enterprise, Gitea and Forgejo differ from GitHub in their address alone.
"""

import contextlib
import time
from functools import cached_property
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from snapdiff.errors import NotFoundError, PostError, RefusedError, TryLaterError
from snapdiff.posting.rest import RestInterface
from snapdiff.posting.target import Target, Token

_LONGEST_RUN = 60.0
"""Seconds after which nothing is tried again. A job that waits costs more than a late comment."""


class Comment(Struct, frozen=True, kw_only=True):
    """A comment as the host has it. Later comments have higher ids."""

    comment_id: int
    author: str
    body: str
    url: str


class CommentHost(RestInterface):
    """The comments of one pull or merge request, through one token.

    `place` is the request as people write it: `owner/name#12`, `group/name!12`; `longest` is how
    many characters a comment may have, `edits_with` the method of a request that edits, `kind` what
    the host's interface says of a comment. All else raises TryLaterError where the host may do it
    later, RefusedError where the token may not, NotFoundError where there is no such request or
    comment: kinds of PostError all three.
    """

    longest: int
    kind: type[Any]
    edits_with: str

    def __init__(self, target: Target, token: Token, listed: str, each: str, **query: str) -> None:
        """Take where comments are listed, what is above the number of each, and how to ask."""
        super().__init__(target.host, target.api_url, target.place, token)
        self._listed = listed
        self._each = each
        self._query = {"per_page": "100", **query}

    @property
    def author(self) -> str:
        """The name under which the token writes comments."""
        raise NotImplementedError

    def comments(self) -> list[Comment]:
        """Return all comments of the request."""
        return [self._comment(it) for it in self.pages(self._listed, self.kind, self._query)]

    def create(self, body: str) -> Comment:
        """Write a comment and return it as the host has it."""
        return self._comment(self.ask("POST", self._listed, self.kind, {"body": body}))

    def edit(self, comment: Comment, body: str) -> Comment:
        """Give a comment another text and return it as the host has it."""
        path = f"{self._each}/{comment.comment_id}"
        return self._comment(self.ask(self.edits_with, path, self.kind, {"body": body}))

    def delete(self, comment: Comment) -> None:
        """Delete a comment."""
        self.send("DELETE", f"{self._each}/{comment.comment_id}")

    def _comment(self, item: Any) -> Comment:
        raise NotImplementedError


def open_host(target: Target, token: Token) -> CommentHost:
    """Return the comments of a request; nothing is asked yet.

    Raises PostError where that takes a library not here, or another version of the interface.
    """
    return (_GitHubComments if target.host == "github" else _GitLabNotes)(target, token)


# --- GitHub ---


class _Login(Struct):
    login: str


class _GitHubComment(Struct):
    id: int
    html_url: str
    user: _Login | None = None  # null: the account was deleted
    body: str | None = None


class _ViewerData(Struct):
    viewer: _Login


class _Viewer(Struct):
    data: _ViewerData


class _GitHubComments(CommentHost):
    """Reviews, and comments on lines of a file, are not among them."""

    longest = 65_536
    kind = _GitHubComment
    edits_with = "PATCH"

    def __init__(self, target: Target, token: Token) -> None:
        issues = f"/repos/{target.repository}/issues"
        listed = f"{issues}/{target.number}/comments"
        super().__init__(target, token, listed, f"{issues}/comments")

    @cached_property
    def author(self) -> str:
        """The token's login; that of an app ends in `[bot]`, as in its comments."""
        # The token of a workflow, and of any app, is no user's: GET /user refuses it with 403.
        # GraphQL's `viewer` is its bot, `github-actions[bot]` for a workflow's own token. Gitea
        # has no GraphQL, and answers GET /user for every token.
        try:
            return self.ask("GET", "/user", _Login).login
        except (RefusedError, NotFoundError) as refusal:
            # GitHub Enterprise has it beside the REST interface, not below.
            url = f"{self.api_url.removesuffix('/v3')}/graphql"
            query = {"query": "query { viewer { login } }"}
            try:
                viewer = self.ask("POST", url, _Viewer, query).data.viewer
            except NotFoundError:  # Gitea: the token lacks read:user, and that was said before
                raise refusal from None
        return viewer.login.removesuffix("[bot]") + "[bot]"

    def _comment(self, item: _GitHubComment) -> Comment:
        author = item.user.login if item.user else ""
        return Comment(comment_id=item.id, author=author, body=item.body or "", url=item.html_url)


# --- GitLab ---


class _Username(Struct):
    username: str


class _Note(Struct):
    id: int
    author: _Username
    body: str


class _MergeRequest(Struct):
    web_url: str


class _GitLabNotes(CommentHost):
    """Those that GitLab writes, on commits and labels, are among them."""

    longest = 1_000_000
    kind = _Note
    edits_with = "PUT"

    def __init__(self, target: Target, token: Token) -> None:
        if not target.api_url.endswith("/api/v4"):
            raise PostError(f"{target.api_url}: CI_API_V4_URL ends in /api/v4")
        project = quote(target.repository, safe="")
        self._request = f"/projects/{project}/merge_requests/{target.number}"
        notes = f"{self._request}/notes"
        super().__init__(target, token, notes, notes, order_by="created_at", sort="asc")

    @cached_property
    def author(self) -> str:
        """The token's username; that of a project's token is its bot's."""
        return self.ask("GET", "/user", _Username).username

    @cached_property
    def _url(self) -> str:
        """The request's own page: a note has no address of its own in the interface."""
        return self.ask("GET", self._request, _MergeRequest).web_url

    def _comment(self, item: _Note) -> Comment:
        url = f"{self._url}#note_{item.id}"
        return Comment(comment_id=item.id, author=item.author.username, body=item.body, url=url)


# --- The rule that keeps one comment ---


def keep_one_comment(
    host: CommentHost, body: str, *, says_nothing_changed: bool, delete_if_empty: bool
) -> Comment | None:
    """Return the one comment that is there in the end, or None where there is to be none.

    The first line of the `body` is the marker, which no reader sees. Where the host fails, all is
    done again from the list of comments on. So a comment is never posted twice because its answer
    was lost: the list shows it. Raises PostError.
    """
    if len(body) > host.longest:
        raise PostError(
            f"the comment has {len(body):,} characters, and {host.place} takes "
            f"{host.longest:,}; make it shorter with --max-length"
        )
    end = time.monotonic() + _LONGEST_RUN
    pause = 1.0
    while True:
        try:
            own = _own_comments(host, body)
            if says_nothing_changed and (delete_if_empty or not own):
                _delete(host, own)
                return None
            return _kept(host, own, body)
        except TryLaterError as fault:
            seconds = max(pause, fault.seconds or 0.0)
            if time.monotonic() + seconds >= end:
                raise
            time.sleep(seconds)
            pause *= 2


def _kept(host: CommentHost, own: list[Comment], body: str) -> Comment:
    if not own:
        created = host.create(body)
        # Another run may have created one at the same moment: then the older one stays.
        own = _own_comments(host, body) or [created]
    oldest, *later = own
    if _lines(oldest.body) != _lines(body):
        try:
            oldest = host.edit(oldest, body)
        except NotFoundError as fault:
            raise TryLaterError(f"{fault}; the comment was deleted meanwhile") from fault
    _delete(host, later)
    return oldest


def _own_comments(host: CommentHost, body: str) -> list[Comment]:
    """Return the token's own comments with the same first line, the oldest first.

    The author counts too: anyone may write a comment that begins with the marker.
    """
    own = [
        comment
        for comment in host.comments()
        if _first_line(comment.body) == _first_line(body) and comment.author == host.author
    ]
    return sorted(own, key=lambda comment: comment.comment_id)


def _delete(host: CommentHost, comments: list[Comment]) -> None:
    for comment in comments:
        with contextlib.suppress(NotFoundError):  # another run was faster
            host.delete(comment)


def _first_line(text: str) -> str:
    return text.partition("\n")[0].rstrip()


def _lines(text: str) -> list[str]:
    """Return a text without what hosts change: line ends, and blanks before them."""
    return [line.rstrip() for line in text.rstrip().splitlines()]
