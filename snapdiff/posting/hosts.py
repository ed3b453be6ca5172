"""The hosts that comments can be posted to: GitHub and what speaks its language, and GitLab."""

from functools import cached_property
from urllib.parse import quote

from msgspec import Struct

from snapdiff.posting.github_event import PullRequest
from snapdiff.posting.one_comment import (
    Comment,
    CommentHost,
    NotFoundError,
    PostError,
    RefusedError,
)
from snapdiff.posting.rest import RestInterface
from snapdiff.posting.target import Target, Token


def open_host(target: Target, token: Token) -> CommentHost:
    """Return the comments of a request. Raises PostError where that takes a library not here."""
    if target.host == "github":
        return GitHubComments(target, token)
    return GitLabNotes(target, token)


# --- GitHub, GitHub Enterprise, Gitea and Forgejo ---


class _Login(Struct):
    login: str


class _GitHubComment(Struct):
    id: int
    html_url: str
    user: _Login | None = None  # null: the account was deleted
    body: str | None = None

    def as_comment(self) -> Comment:
        author = self.user.login if self.user else ""
        return Comment(comment_id=self.id, author=author, body=self.body or "", url=self.html_url)


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


class GitHubComments:
    """A `CommentHost`; GitHub Enterprise, Gitea and Forgejo differ in their address alone."""

    longest = 65_536

    def __init__(self, target: Target, token: Token) -> None:
        """Take where and as whom; nothing is asked yet."""
        self.place = target.place
        self._rest = github_interface(target.api_url, target.place, token)
        self._issues = f"/repos/{target.repository}/issues"
        self._of_request = f"{self._issues}/{target.number}/comments"

    def author(self) -> str:
        """Return the token's login; that of an app ends in `[bot]`, as in its comments."""
        return self._author

    @cached_property
    def _author(self) -> str:
        # The token of a workflow, and of any app, is no user's: GET /user refuses it with 403.
        # GraphQL's `viewer` is its bot, `github-actions[bot]` for a workflow's own token. Gitea
        # has no GraphQL, and answers GET /user for every token.
        try:
            return self._rest.ask("GET", "/user", _Login).login
        except (RefusedError, NotFoundError):
            # GitHub Enterprise has it beside the REST interface, not below.
            url = f"{self._rest.api_url.removesuffix('/v3')}/graphql"
            viewer = self._rest.ask("POST", url, _Viewer, body=_WHO_ASKS).data.viewer
        return viewer.login.removesuffix("[bot]") + "[bot]"

    def comments(self) -> list[Comment]:
        """Return the comments; reviews, and comments on lines of a file, are not among them."""
        found = self._rest.pages(self._of_request, _GitHubComment, {"per_page": "100"})
        return [item.as_comment() for item in found]

    def create(self, body: str) -> Comment:
        """Write a comment."""
        return self._written("POST", self._of_request, body)

    def edit(self, comment: Comment, body: str) -> Comment:
        """Give a comment another text."""
        return self._written("PATCH", f"{self._issues}/comments/{comment.comment_id}", body)

    def delete(self, comment: Comment) -> None:
        """Delete a comment."""
        self._rest.tell("DELETE", f"{self._issues}/comments/{comment.comment_id}")

    def _written(self, method: str, path: str, body: str) -> Comment:
        return self._rest.ask(method, path, _GitHubComment, body={"body": body}).as_comment()


# --- GitLab ---


class _Username(Struct):
    username: str


class _Note(Struct):
    id: int
    author: _Username
    body: str


class _MergeRequest(Struct):
    web_url: str


class GitLabNotes:
    """A `CommentHost`."""

    longest = 1_000_000

    def __init__(self, target: Target, token: Token) -> None:
        """Take where and as whom; nothing is asked yet. Raises PostError for another version."""
        if not target.api_url.endswith("/api/v4"):
            raise PostError(f"{target.api_url}: CI_API_V4_URL ends in /api/v4")
        self.place = target.place
        headers = {"PRIVATE-TOKEN": token.secret}
        self._rest = RestInterface(target.api_url, target.place, token, headers)
        project = quote(target.repository, safe="")
        self._request = f"/projects/{project}/merge_requests/{target.number}"
        self._notes = f"{self._request}/notes"

    def author(self) -> str:
        """Return the token's username; that of a project's token is its bot's."""
        return self._author

    @cached_property
    def _author(self) -> str:
        return self._rest.ask("GET", "/user", _Username).username

    @cached_property
    def _url(self) -> str:
        """The request's own page: a note has no address of its own in the interface."""
        return self._rest.ask("GET", self._request, _MergeRequest).web_url

    def comments(self) -> list[Comment]:
        """Return the notes; those that GitLab writes, on commits and labels, are among them."""
        query = {"per_page": "100", "order_by": "created_at", "sort": "asc"}
        return [self._comment(note) for note in self._rest.pages(self._notes, _Note, query)]

    def create(self, body: str) -> Comment:
        """Write a note."""
        return self._written("POST", self._notes, body)

    def edit(self, comment: Comment, body: str) -> Comment:
        """Give a note another text."""
        return self._written("PUT", f"{self._notes}/{comment.comment_id}", body)

    def delete(self, comment: Comment) -> None:
        """Delete a note."""
        self._rest.tell("DELETE", f"{self._notes}/{comment.comment_id}")

    def _written(self, method: str, path: str, body: str) -> Comment:
        return self._comment(self._rest.ask(method, path, _Note, body={"body": body}))

    def _comment(self, note: _Note) -> Comment:
        return Comment(
            comment_id=note.id,
            author=note.author.username,
            body=note.body,
            url=f"{self._url}#note_{note.id}",
        )
