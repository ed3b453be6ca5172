"""The hosts that comments can be posted to: GitHub and what speaks its language, and GitLab."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from snapdiff.errors import NotFoundError, PostError, RefusedError
from snapdiff.posting.rest import RestInterface
from snapdiff.posting.target import PullRequest, Target, Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A comment as the host has it. Later comments have higher ids."""

    comment_id: int
    author: str
    body: str
    url: str


class CommentHost:
    """The comments of one pull or merge request, through one token.

    `place` is the request as people write it: `owner/name#12`, `group/name!12`; `longest` is how
    many characters a comment may have. All else raises TryLaterError where the host may do it
    later, RefusedError where the token may not, NotFoundError where there is no such request or
    comment: kinds of PostError all three.
    """

    longest: int
    kind: type[Any]
    """What the host's interface says of a comment."""

    edits_with: str
    """The method of a request that edits."""

    def __init__(self, rest: RestInterface, listed: str, each: str, **order: str) -> None:
        """Take where comments are listed, what is above the number of each, and in which order."""
        self.place = rest.place
        self._order = order
        self._rest = rest
        self._listed = listed
        self._each = each

    @property
    def author(self) -> str:
        """The name under which the token writes comments."""
        raise NotImplementedError

    def comments(self) -> list[Comment]:
        """Return all comments of the request."""
        found = self._rest.pages(self._listed, self.kind, {"per_page": "100", **self._order})
        return [self._comment(item) for item in found]

    def create(self, body: str) -> Comment:
        """Write a comment and return it as the host has it."""
        return self._written("POST", self._listed, body)

    def edit(self, comment: Comment, body: str) -> Comment:
        """Give a comment another text and return it as the host has it."""
        return self._written(self.edits_with, f"{self._each}/{comment.comment_id}", body)

    def delete(self, comment: Comment) -> None:
        """Delete a comment."""
        self._rest.send("DELETE", f"{self._each}/{comment.comment_id}")

    def _written(self, method: str, path: str, body: str) -> Comment:
        return self._comment(self._rest.ask(method, path, self.kind, {"body": body}))

    def _comment(self, item: Any) -> Comment:
        raise NotImplementedError


def open_host(target: Target, token: Token) -> CommentHost:
    """Return the comments of a request; nothing is asked yet.

    Raises PostError where that takes a library not here, or another version of the interface.
    """
    return (_GitHubComments if target.host == "github" else _GitLabNotes)(target, token)


# --- GitHub, GitHub Enterprise, Gitea and Forgejo: they differ in their address alone ---


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


_WHO_ASKS = {"query": "query { viewer { login } }"}


def github_interface(api_url: str, place: str, token: Token) -> RestInterface:
    """Return GitHub's interface, as a token may ask it."""
    # `token`, not `Bearer`: Gitea's documentation knows no other word.
    return RestInterface(api_url, place, token, {"Authorization": f"token {token.secret}"})


def pull_requests(rest: RestInterface, repository: str, head: str) -> list[PullRequest]:
    """Return the open pull requests from a branch, OWNER:BRANCH; raises PostError."""
    query = {"state": "open", "head": head, "per_page": "100"}
    return list(rest.pages(f"/repos/{repository}/pulls", PullRequest, query))


def pull_request(rest: RestInterface, repository: str, number: int) -> PullRequest:
    """Return the pull request with a number; raises PostError."""
    return rest.ask("GET", f"/repos/{repository}/pulls/{number}", PullRequest)


class _GitHubComments(CommentHost):
    """Reviews, and comments on lines of a file, are not among them."""

    longest = 65_536
    kind = _GitHubComment
    edits_with = "PATCH"

    def __init__(self, target: Target, token: Token) -> None:
        issues = f"/repos/{target.repository}/issues"
        rest = github_interface(target.api_url, target.place, token)
        super().__init__(rest, f"{issues}/{target.number}/comments", f"{issues}/comments")

    @cached_property
    def author(self) -> str:
        """The token's login; that of an app ends in `[bot]`, as in its comments."""
        # The token of a workflow, and of any app, is no user's: GET /user refuses it with 403.
        # GraphQL's `viewer` is its bot, `github-actions[bot]` for a workflow's own token. Gitea
        # has no GraphQL, and answers GET /user for every token.
        try:
            return self._rest.ask("GET", "/user", _Login).login
        except (RefusedError, NotFoundError):
            # GitHub Enterprise has it beside the REST interface, not below.
            url = f"{self._rest.api_url.removesuffix('/v3')}/graphql"
            viewer = self._rest.ask("POST", url, _Viewer, _WHO_ASKS).data.viewer
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
        headers = {"PRIVATE-TOKEN": token.secret}
        rest = RestInterface(target.api_url, target.place, token, headers)
        notes = f"{self._request}/notes"
        super().__init__(rest, notes, notes, order_by="created_at", sort="asc")

    @cached_property
    def author(self) -> str:
        """The token's username; that of a project's token is its bot's."""
        return self._rest.ask("GET", "/user", _Username).username

    @cached_property
    def _url(self) -> str:
        """The request's own page: a note has no address of its own in the interface."""
        return self._rest.ask("GET", self._request, _MergeRequest).web_url

    def _comment(self, item: _Note) -> Comment:
        url = f"{self._url}#note_{item.id}"
        return Comment(comment_id=item.id, author=item.author.username, body=item.body, url=url)
